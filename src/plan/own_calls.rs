//! Closures: recursive relations all of whose calls read the table that they fill.

use super::{BlockId, Body, Op, OpId, Operand, Plan, Procedure, Recursion, Reg, Rerun};

/// The recursive call of a closure's clause.
#[derive(Debug, Clone, Copy)]
pub struct OwnCall {
    /// What the clause does for each answer of the call.
    pub body: BlockId,
    /// Every answer of the clause needs an answer of the call; otherwise the clause may have answers
    /// before there is any.
    pub needed: bool,
}

impl Plan {
    /// For each clause its recursive call, if it has one; `None` where the relation is not a closure.
    ///
    /// The order of a closure's answers does not depend on what was asked before: no other table takes
    /// part in its evaluation.
    pub fn closure(&self, procedure: &Procedure) -> Option<Vec<Option<OwnCall>>> {
        let Recursion::Tabled { reruns, .. } = &procedure.recursion else { return None };
        let inputs = procedure.inputs();
        let of_clause = |(clause, rerun): (&Body, &Rerun)| match rerun {
            Rerun::Never => Some(None),
            Rerun::NewAnswers(calls) => match &**calls {
                [call] => {
                    let body = self.own_call(procedure, inputs, *call)?;
                    let op = self.blocks.op(*call);
                    let line = self.blocks.line(clause.start);
                    let needed = line.into_iter().any(|other| std::ptr::eq(op, other));
                    Some(Some(OwnCall { body, needed }))
                }
                _ => None,
            },
            Rerun::AllAnswers => None,
        };
        match procedure.sorted {
            true => None,
            false => procedure.clauses.iter().zip(reruns).map(of_clause).collect(),
        }
    }

    /// The body of a call that reads the table which its procedure fills.
    fn own_call(&self, procedure: &Procedure, inputs: usize, call: OpId) -> Option<BlockId> {
        let Op::Call { procedure: called, inputs: given, body, .. } = self.blocks.op(call) else {
            return None;
        };
        let own = given.len() == inputs
            && given.iter().enumerate().all(|(i, x)| *x == Operand::Reg(i as Reg))
            && std::ptr::eq(&self.procedures[*called as usize], procedure);
        own.then_some(*body)
    }
}
