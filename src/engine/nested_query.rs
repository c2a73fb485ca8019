//! Questions about the legal moves within another run.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::plan::{Code, LISTS, PatternArgument};

use super::machine::{Collector, Continuation, Machine, Tuple};
use super::probes::Probes;

/// A value that does not depend on an arena of lists.
enum Kept {
    Code(Code),
    List(Vec<Kept>),
}

/// The stacks of the outer run while a nested query runs.
struct Stacks<'p> {
    continuations: Vec<Continuation<'p>>,
    accumulators: Vec<usize>,
    collectors: Vec<Collector>,
    lists: Vec<(Code, Code)>,
    conses: rustc_hash::FxHashMap<(Code, Code), Code>,
    tabling: super::tabling::Tabling,
    trail: Vec<(u32, u64)>,
}

impl<'p, const W: usize> Machine<'p, W> {
    /// Whether the player to move has no legal move, and no chance event is possible.
    pub(super) fn stuck(&mut self) -> Option<bool> {
        if self.ready_for == self.version {
            return Some(self.ready_stuck);
        }
        // a caller that continues from this position need not generate its moves again
        let mut moves = std::mem::take(&mut self.ready);
        let version = self.version;
        let stuck = self.nested(|machine| {
            if machine.strict && machine.is_careful() {
                machine.legal(&mut moves)?;
                return Ok(moves.total == 0);
            }
            machine.next_moves(&mut moves)?;
            Ok(!moves.chance && !machine.any_legal(&mut moves)?)
        });
        self.ready = moves;
        if let Some(stuck) = stuck {
            (self.version, self.ready_for, self.ready_stuck) = (version, version, stuck);
        }
        stuck
    }

    /// Whether some legal move matches the pattern. `None` on a fault.
    pub(super) fn some_legal(&mut self, pattern: u32) -> Option<bool> {
        self.legal_answers(pattern).map(|answers| !answers.is_empty())
    }

    /// The outputs of a pattern for each legal move that it matches.
    pub(super) fn legal_answers(&mut self, pattern: u32) -> Option<Vec<Tuple>> {
        let pattern = self.plan.patterns[pattern as usize].clone();
        // the pattern's operands are read in the frame that asks
        let wanted: Vec<Option<Code>> = pattern
            .arguments
            .iter()
            .map(|a| match a {
                PatternArgument::Equal(x) => Some(self.value(*x)),
                _ => None,
            })
            .collect();
        let mut moves = self.spare.pop().unwrap_or_default();
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
        self.spare.push(moves);
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
        !(self.continuations.is_empty()
            && self.accumulators.is_empty()
            && self.collectors.is_empty()
            && self.lists.is_empty()
            && self.trail.is_empty()
            && self.tabling.is_empty())
    }

    /// Runs a question about the moves within another run.
    fn nested<T>(&mut self, ask: impl FnOnce(&mut Self) -> Result<T, ()>) -> Option<T> {
        let floor = std::mem::replace(&mut self.floor, self.top);
        // in most cases there is nothing that the question could disturb
        let stacks = self.is_busy().then(|| Stacks {
            continuations: std::mem::take(&mut self.continuations),
            accumulators: std::mem::take(&mut self.accumulators),
            collectors: std::mem::take(&mut self.collectors),
            lists: std::mem::take(&mut self.lists),
            conses: std::mem::take(&mut self.conses),
            tabling: std::mem::take(&mut self.tabling),
            trail: std::mem::take(&mut self.trail),
        });
        let (frame, top, depth) = (self.frame, self.top, self.depth);
        let within = self.fuel.enter(true);
        let (clause, chance, mode) = (self.clause, self.chance, self.mode);
        let before = std::mem::take(&mut self.before);
        let at = self.probes.map(Probes::at);
        let result = ask(self);
        if let (Some(probes), Some(at)) = (self.probes, at) {
            probes.go_back_to(at);
        }
        self.before = before;
        self.floor = floor;
        match stacks {
            Some(stacks) => {
                self.continuations = stacks.continuations;
                self.accumulators = stacks.accumulators;
                self.collectors = stacks.collectors;
                self.lists = stacks.lists;
                self.conses = stacks.conses;
                self.tabling = stacks.tabling;
                self.trail = stacks.trail;
            }
            None => self.empty_stacks(),
        }
        (self.frame, self.top, self.depth) = (frame, top, depth);
        self.fuel.enter(within);
        if result.is_ok() {
            (self.clause, self.chance) = (clause, chance);
        }
        self.mode = mode;
        result.ok()
    }
}
