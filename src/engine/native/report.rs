//! What became of each function of a plan's machine code.

use std::collections::BTreeSet;

use crate::plan::{OpId, Plan};

use super::unit::Role;

/// The functions of a plan, in the order in which they were made, and what they are made of.
#[derive(Debug, Clone, Default)]
pub struct CodeReport {
    pub functions: Vec<FunctionReport>,
    /// The instructions of the plan that stand in a function of machine code.
    pub forms: BTreeSet<OpId>,
}

/// A function of machine code, or what keeps it from being one.
#[derive(Debug, Clone)]
pub struct FunctionReport {
    pub role: Role,
    /// It is a part of a function, behind a call of an action.
    pub continues: bool,
    /// Why its work is left to the interpreter.
    pub lacks: Option<Lack>,
}

/// What has no native form.
#[derive(Debug, Clone, Copy)]
pub struct Lack {
    pub reason: &'static str,
    /// The instruction at which it was noticed.
    pub at: Option<OpId>,
}

impl CodeReport {
    /// The functions that are left to the interpreter.
    pub fn left(&self) -> impl Iterator<Item = (&FunctionReport, Lack)> {
        self.functions.iter().filter_map(|f| f.lacks.map(|lack| (f, lack)))
    }
}

impl Lack {
    /// The reason, and the instruction's name where it is one's.
    pub fn text(&self, plan: &Plan) -> String {
        match self.at {
            Some(id) => format!("{} ({})", self.reason, plan.blocks.op(id).name()),
            None => self.reason.to_string(),
        }
    }
}
