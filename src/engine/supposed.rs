//! Hypotheses: the updates of a procedure that supposes them are made while its answers are found,
//! and are taken back before one is passed on.

use crate::plan::{BlockId, Op, Plan, Recursion};

use super::fault::{Fault, FaultKind};
use super::machine::{Flow, Machine};
use super::segments::Moves;
use super::tabling::Tabling;

/// What a hypothesis lays aside.
#[derive(Debug)]
pub(super) struct Supposed<const W: usize> {
    /// The length of the trail in the real position.
    mark: usize,
    trailing: bool,
    /// The tables of the real position.
    tabling: Tabling,
    /// The version of the real position.
    version: u64,
    /// The candidates of the real position, and whether it is stuck, where that was known.
    known: Option<(Box<Moves<W>>, bool)>,
}

/// A hypothesis that is left for as long as an answer is used.
pub(super) struct Left {
    /// The words that it has written, the last first.
    words: Vec<(u32, u64)>,
}

impl<const W: usize> Machine<'_, W> {
    /// Begins a hypothesis.
    pub(super) fn suppose(&mut self) {
        let known = (self.cached.version == self.now.version).then(|| {
            self.cached.version = 0;
            let spare = self.room.spare.pop().unwrap_or_default();
            (std::mem::replace(&mut self.cached.moves, spare), self.cached.stuck)
        });
        self.suppositions.push(Supposed {
            known,
            mark: self.stacks.trail.len(),
            trailing: std::mem::replace(&mut self.trailing, true),
            tabling: std::mem::take(&mut self.stacks.tabling),
            version: self.now.version,
        });
        self.now.version += 1;
    }

    /// Ends a hypothesis: the position is the real one again.
    pub(super) fn end_supposing(&mut self) {
        self.leave_supposing();
    }

    /// Returns to the real position in order to use an answer.
    pub(super) fn leave_supposing(&mut self) -> Left {
        let mut left = Left { words: Vec::new() };
        let Some(supposed) = self.suppositions.pop() else { return left };
        while self.stacks.trail.len() > supposed.mark {
            if let Some((word, old)) = self.stacks.trail.pop() {
                left.words.push((word, self.now.state[word as usize]));
                self.now.state[word as usize] = old;
            }
        }
        self.trailing = supposed.trailing;
        self.stacks.tabling = supposed.tabling;
        if let Some((moves, stuck)) = supposed.known {
            self.room.spare.push(std::mem::replace(&mut self.cached.moves, moves));
            (self.cached.version, self.cached.stuck) = (supposed.version, stuck);
        }
        self.back_at(supposed.version);
        left
    }

    /// Goes on with a hypothesis after an answer of it has been used.
    pub(super) fn suppose_again(&mut self, left: &Left) {
        self.suppose();
        for (word, new) in left.words.iter().rev() {
            self.stacks.trail.push((*word, self.now.state[*word as usize]));
            self.now.state[*word as usize] = *new;
        }
    }

    /// Runs the clauses of a procedure, within a hypothesis where it supposes its updates.
    pub(super) fn supposing<T>(&mut self, supposes: bool, run: impl FnOnce(&mut Self) -> T) -> T {
        if !supposes {
            return run(self);
        }
        let around = self.suppositions.len();
        self.suppose();
        let result = run(self);
        // where an answer was enough, the hypothesis has been left
        while self.suppositions.len() > around {
            self.end_supposing();
        }
        result
    }

    /// Stops at a rule error, unless it is none of the goals as written.
    pub(super) fn stop(&mut self, kind: FaultKind) -> Flow {
        if let FaultKind::Arithmetic { source } | FaultKind::Domain { source, .. } = &kind
            && let Some(refused) = self.refuses(*source)
        {
            return refused;
        }
        if self.fault.is_none() {
            let (clause, chance) = (self.making.clause, self.making.chance);
            self.fault = Some(Box::new(Fault { kind, clause, chance }));
        }
        Flow::Stop
    }

    /// What becomes of a rule error at this place. Goals of a hypothesis may be run before others
    /// that refuse their values. Where the goals as written cannot be a rule error, these are such
    /// values.
    fn refuses(&self, source: u32) -> Option<Flow> {
        let sure = self.plan.may_raise.get(source as usize) == Some(&false);
        (sure && !self.suppositions.is_empty()).then_some(Flow::Back)
    }
}

/// Whether a procedure that supposes its updates may ask for the legal moves. The machine has to know
/// that their position is another one.
pub(super) fn asks_moves(plan: &Plan, procedure: u32) -> bool {
    let asks = |op: &Op| matches!(op, Op::Legal { .. } | Op::SomeLegal { .. } | Op::Stuck);
    let callee = &plan.procedures[procedure as usize];
    callee.supposes
        && callee.clauses.iter().any(|c| plan.blocks.may_run(c.start, &plan.procedures, asks))
}

/// Whether answers of tables may depend on the history of the game, which the state does not tell.
pub(super) fn tables_read_history(plan: &Plan) -> bool {
    let mut tabled =
        plan.procedures.iter().filter(|p| matches!(p.recursion, Recursion::Tabled { .. }));
    tabled.any(|p| p.clauses.iter().any(|clause| reads_history(plan, clause.start)))
}

/// Whether goals of a block may ask for the positions before, the current one included.
pub(super) fn reads_history(plan: &Plan, start: BlockId) -> bool {
    let asks = |op: &Op| {
        matches!(op, Op::Repeated { .. } | Op::Legal { .. } | Op::SomeLegal { .. } | Op::Stuck)
    };
    plan.repetition && plan.blocks.may_run(start, &plan.procedures, asks)
}

/// Whether a move that is tried may read it.
pub(super) fn trials_read_history(plan: &Plan) -> bool {
    plan.moves.iter().filter_map(|clause| clause.apply).any(|start| reads_history(plan, start))
}
