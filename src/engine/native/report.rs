//! Which functions of a plan are machine code, and why the others are not.

use std::collections::BTreeSet;

use crate::plan::{OpId, Plan};

/// How often machine code was run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NativeRuns {
    /// Runs that have generated moves.
    pub moves: u64,
    /// Runs that bailed out.
    pub bail_outs: u64,
    /// Functions that bailed out too often and are left to the interpreter from then on.
    pub given_up: u64,
    /// Functions that the code generator's verifier has refused: a mistake in this library. They
    /// are left to the interpreter.
    pub flawed: u64,
}

/// The functions of a plan and the instructions that they contain.
#[derive(Debug, Clone, Default)]
pub struct CodeReport {
    /// In the order in which they were compiled.
    pub functions: Vec<FunctionReport>,
    /// The instructions of the plan that are part of some function of machine code.
    pub forms: BTreeSet<OpId>,
}

/// A function of machine code, or the reason why it is not one.
#[derive(Debug, Clone)]
pub struct FunctionReport {
    /// What the function does.
    pub kind: FunctionKind,
    /// It is the continuation of such a function after a call of an action.
    pub continues: bool,
    /// Why its work is left to the interpreter; `None` for machine code.
    pub lacks: Option<Lack>,
    /// The instructions whose answers it asks the interpreter for: recursion that is tabled, and
    /// questions about the legal moves.
    pub asks: Vec<OpId>,
}

/// The reason why a function has no native form.
#[derive(Debug, Clone, Copy)]
pub struct Lack {
    /// The reason in a few words.
    pub reason: &'static str,
    /// The instruction that has no native form, where it is a single one.
    pub at: Option<OpId>,
}

impl CodeReport {
    /// The functions that are left to the interpreter.
    pub fn left(&self) -> impl Iterator<Item = (&FunctionReport, Lack)> {
        self.functions.iter().filter_map(|f| f.lacks.map(|lack| (f, lack)))
    }
}

impl Lack {
    /// The reason and, where there is one, the name of the instruction.
    pub fn text(&self, plan: &Plan) -> String {
        match self.at {
            Some(id) => format!("{} ({})", self.reason, plan.blocks.op(id).name()),
            None => self.reason.to_string(),
        }
    }
}

/// The task of a function of machine code. Clauses are indexes into [`Plan::moves`] or, for chance events,
/// [`Plan::chance`]; procedures are indexes into [`Plan::procedures`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    /// Tests the end clauses.
    Ends {
        /// The function also generates the candidates where an end clause needs them.
        whole: bool,
    },
    /// Generates the candidates of the highest rank that has any.
    Moves,
    /// Generates the candidates of one clause.
    Generate {
        /// The clause is one of chance events.
        chance: bool,
        /// Its index.
        clause: u16,
    },
    /// Plays a candidate of one clause.
    Apply {
        /// The clause is one of chance events.
        chance: bool,
        /// Its index.
        clause: u16,
    },
    /// Computes the rank of a candidate of one clause, or the weight of a chance event.
    Number {
        /// The clause is one of chance events.
        chance: bool,
        /// Its index.
        clause: u16,
    },
    /// Computes the sum of a procedure's numbers for a player.
    Sum(u32),
    /// Plays random moves until the game is over or the machine has to step in.
    Playout,
    /// Tries candidates and removes those that are not legal.
    Trials,
    /// Tries candidates until one is legal.
    AnyLegal,
    /// Counts sequences of moves.
    Perft,
    /// Tests whether a procedure has an answer.
    Test(u32),
    /// Collects the tuples that a procedure answers with in the caller's room.
    Tuples(u32),
    /// Computes the set that a procedure answers with.
    Gather(u32),
    /// Runs an action and, for each answer, the code behind its call.
    Action {
        /// The action.
        procedure: u32,
        /// Updates are recorded on the trail, so that they can be undone.
        trailing: bool,
    },
}
