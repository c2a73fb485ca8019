//! Calls of recursions that are followed from what is given: see [`super::super::ahead`].

use crate::program::RelationId;

use super::Lowering;
use super::goals::Arg;
use super::order::BlockState;
use super::procedures::FLOOD;

impl Lowering<'_> {
    /// The relation that a call of a recursion asks in its place: where the arguments that its steps change are known, and
    /// these may go on in several ways, so that it takes a table anyway.
    pub(super) fn followed(
        &mut self,
        id: RelationId,
        args: &[Arg],
        context: &BlockState,
    ) -> Option<RelationId> {
        if id == FLOOD {
            return None;
        }
        let ahead = self.rewritten.ahead(id)?;
        let columns = &self.domains.columns[id.0 as usize];
        let known = |c: &usize| context.is_bound(args[*c]);
        let few = |c: &usize| columns[*c].universe().is_some();
        if !ahead.given.iter().all(known) || !ahead.changed.iter().all(few) {
            return None;
        }
        let (given, made) = (ahead.given.len(), ahead.changed.len());
        let inputs: Vec<bool> = (0..given + made).map(|at| at < given).collect();
        let (next, asked) = (ahead.next, ahead.asked);
        (!self.has_one_answer_with(next, &inputs)).then_some(asked)
    }
}
