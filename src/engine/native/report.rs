//! Which functions of a plan are machine code, and why the others are not.

use std::collections::BTreeSet;

use crate::plan::{OpId, Plan};

use super::unit::Role;

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
    pub role: Role,
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
