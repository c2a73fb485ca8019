//! Questions about the legal moves within another run.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::plan::{Code, LISTS, PatternArgument};

use super::machine::{Machine, Tuple};
use super::probes::Probes;

/// A value that does not depend on an arena of lists.
enum Kept {
    Code(Code),
    List(Vec<Kept>),
}

impl<'p, const W: usize> Machine<'p, W> {
    /// Whether the player to move has no legal move, and no chance event is possible.
    pub(super) fn stuck(&mut self) -> Option<bool> {
        if self.cached.version == self.now.version {
            return Some(self.cached.stuck);
        }
        // a caller that continues from this position need not generate its moves again
        let mut moves = std::mem::take(&mut self.cached.moves);
        let version = self.now.version;
        let stuck = self.nested(|machine| {
            if machine.strict && machine.is_careful() {
                machine.legal(&mut moves)?;
                return Ok(moves.total == 0);
            }
            machine.next_moves(&mut moves)?;
            Ok(!moves.chance && !machine.any_legal(&mut moves)?)
        });
        self.cached.moves = moves;
        if let Some(stuck) = stuck {
            self.back_at(version);
            (self.cached.version, self.cached.stuck) = (self.now.version, stuck);
        }
        stuck
    }

    /// The position is the one of this version again. It gets a new number, and so does what is known of it, as
    /// the numbers in between may have been given to other positions.
    pub(super) fn back_at(&mut self, version: u64) {
        self.now.version += 1;
        self.stacks.tabling.renumber(version, self.now.version);
        if self.cached.version == version {
            self.cached.version = self.now.version;
        }
    }

    /// Whether some legal move matches the pattern. `None` on a fault.
    pub(super) fn some_legal(&mut self, pattern: u32, given: &[Code]) -> Option<bool> {
        self.legal_answers(pattern, given).map(|answers| !answers.is_empty())
    }

    /// The outputs of a pattern for each legal move that it matches with the values `given` as inputs.
    /// `None` on a fault.
    pub(super) fn legal_answers(&mut self, pattern: u32, given: &[Code]) -> Option<Vec<Tuple>> {
        let pattern = self.plan.patterns[pattern as usize].clone();
        let wanted: Vec<Option<Code>> = pattern
            .arguments
            .iter()
            .map(|a| match a {
                PatternArgument::Equal(n) => given.get(*n).copied(),
                _ => None,
            })
            .collect();
        let mut moves = self.room.spare.pop().unwrap_or_default();
        let version = self.now.version;
        let known = std::mem::take(&mut self.cached.version) == version;
        let asked = self.nested(|machine| {
            let moves = &mut moves;
            machine.legal(moves)?;
            let mut answers: IndexSet<Tuple, FxBuildHasher> = IndexSet::default();
            if moves.chance {
                return Ok(Vec::new());
            }
            for pick in moves.picks() {
                let clause =
                    &machine.plan.moves[moves.segments[pick.segment as usize].clause as usize];
                if pattern.functor.is_some_and(|f| f != clause.functor) {
                    continue;
                }
                let mut answer: Tuple = Tuple::new();
                let mut fits = true;
                for (i, argument) in pattern.arguments.iter().enumerate() {
                    let code = match pattern.functor {
                        Some(_) => machine.argument(moves, pick, &clause.head[i]),
                        None => machine.whole(moves, pick, clause),
                    };
                    match argument {
                        PatternArgument::Equal(_) => {
                            fits &= wanted[i].is_some_and(|w| machine.same(w, code));
                        }
                        PatternArgument::Out(_) => {
                            answer.push(code);
                        }
                        PatternArgument::Any => {}
                    }
                }
                machine.tick(4)?;
                if fits {
                    answers.insert(answer);
                }
            }
            let kept = |answer: &Tuple| answer.iter().map(|code| machine.kept(*code)).collect();
            Ok(answers.iter().map(kept).collect::<Vec<Vec<Kept>>>())
        });
        self.room.spare.push(moves);
        self.back_at(version);
        if known && self.cached.version == 0 {
            self.cached.version = self.now.version;
        }
        // the arena of lists was a different one there
        let mut answers: Vec<Tuple> = asked?
            .iter()
            .map(|answer| answer.iter().map(|kept| self.taken_back(kept)).collect())
            .collect();
        self.sort(&mut answers);
        Some(answers)
    }

    fn kept(&self, code: Code) -> Kept {
        match self.items(code) {
            Some(items) if code >= LISTS => {
                Kept::List(items.iter().map(|item| self.kept(*item)).collect())
            }
            _ => Kept::Code(code),
        }
    }

    fn taken_back(&mut self, kept: &Kept) -> Code {
        match kept {
            Kept::Code(code) => *code,
            Kept::List(items) => {
                let items: Tuple = items.iter().map(|item| self.taken_back(item)).collect();
                self.list_of(&items)
            }
        }
    }

    fn is_busy(&self) -> bool {
        !(self.stacks.continuations.is_empty()
            && self.stacks.accumulators.is_empty()
            && self.stacks.collectors.is_empty()
            && self.stacks.lists.is_empty()
            && self.stacks.trail.is_empty()
            && self.stacks.tabling.is_empty())
    }

    /// Runs a question about the moves within another run.
    fn nested<T>(&mut self, ask: impl FnOnce(&mut Self) -> Result<T, ()>) -> Option<T> {
        let floor = std::mem::replace(&mut self.frames.floor, self.frames.top);
        // in most cases there is nothing that the question could disturb
        let stacks = self.is_busy().then(|| std::mem::take(&mut self.stacks));
        let (frame, top, depth) = (self.frames.current, self.frames.top, self.frames.depth);
        let within = self.fuel.enter(true);
        let (clause, chance, mode) = (self.making.clause, self.making.chance, self.making.mode);
        let (trailing, mover, turned) = (self.trailing, self.making.mover, self.turned());
        let word = self.now.state.len() - 2;
        self.now.state[word] = 0;
        let before = std::mem::take(&mut self.room.before);
        let way = std::mem::take(&mut self.room.way);
        let at = self.probes.map(Probes::at);
        let result = ask(self);
        if let (Some(probes), Some(at)) = (self.probes, at) {
            probes.go_back_to(at);
        }
        (self.room.before, self.room.way) = (before, way);
        self.frames.floor = floor;
        match stacks {
            Some(stacks) => self.stacks = stacks,
            None => self.empty_stacks(),
        }
        self.now.state[word] = u64::from(turned);
        self.trailing = trailing;
        if !self.suppositions.is_empty() {
            self.making.mover = mover;
        }
        (self.frames.current, self.frames.top, self.frames.depth) = (frame, top, depth);
        self.fuel.enter(within);
        if result.is_ok() {
            (self.making.clause, self.making.chance) = (clause, chance);
        }
        self.making.mode = mode;
        result.ok()
    }
}
