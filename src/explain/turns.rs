//! Which clause makes a move, and which other player could make it.

use super::moves::MoveQuestion;
use super::walk::Moment;
use crate::goals::Evaluator as _;
use crate::program::{ClauseId, FluentId, RelationId, Value};
use crate::reference::run::Answer;
use std::ops::ControlFlow;
use std::sync::Arc;

impl<'r> MoveQuestion<'_, 'r> {
    /// The clause that makes the move, apart from ranks.
    pub(super) fn possible(
        &mut self,
        relation: RelationId,
        value: Value,
        start: &Moment,
    ) -> Answer<Option<ClauseId>> {
        let program = self.teller.run.program;
        for by in &program.relation(relation).clauses {
            let Some(from) = self.teller.entered(*by, &[Some(value)], start) else { continue };
            let body = program.clause(*by).body.conjuncts();
            if self.teller.run.way(Some(*by), body, &from, &|_, _| true)?.is_some() {
                return ControlFlow::Continue(Some(*by));
            }
        }
        ControlFlow::Continue(None)
    }

    /// Another player who could make the move with what is his, if there is one.
    pub(super) fn others_turn(
        &mut self,
        relation: RelationId,
        value: Value,
        start: &Moment,
    ) -> Answer<Option<Value>> {
        let turn = self.teller.run.read(FluentId::TURN, &[]);
        for player in self.teller.run.program.players.clone() {
            if Some(player) == turn {
                continue;
            }
            let mut theirs = start.clone();
            let map = Arc::make_mut(&mut theirs.state[FluentId::TURN.0 as usize]);
            map.insert(Vec::new(), player);
            // where nothing on the way is his, it is not the turn that the move lacks
            if !self.touches(value, player)? {
                continue;
            }
            // a rule error in another player's turn means nothing
            if let ControlFlow::Continue(Some(_)) = self.possible(relation, value, &theirs) {
                return ControlFlow::Continue(Some(player));
            }
        }
        ControlFlow::Continue(None)
    }

    /// Whether a site of a move holds what is a player's, or is his by a static relation between players and
    /// sites.
    fn touches(&mut self, value: Value, player: Value) -> Answer<bool> {
        let about = self.teller.parts(value);
        let sites = self.teller.sites(&about);
        // a move without sites, such as castling, is anybody's
        let Some(first) = sites.first().copied() else { return ControlFlow::Continue(false) };
        if let Some(fluent) = self.reference.drawn_fluent()
            && let Some(value @ Value::Constant(_)) = self.teller.run.read(fluent, &[first])
        {
            let named = self.teller.parts(value).contains(&player);
            return ControlFlow::Continue(named || self.teller.belongs(value, player));
        }
        ControlFlow::Continue(self.teller.belongs(first, player))
    }
}
