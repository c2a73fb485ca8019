//! The advice of the rule file on the moves of a position, where no referee is at hand.

use std::sync::Arc;

use crate::engine::{Game, State};
use crate::reference::{Reference, RuleError};
use crate::syntax::Term;

use super::Advice;

/// Answers `advice/3`.
pub struct Advisor<'g> {
    game: &'g Game,
    rules: Reference,
}

impl<'g> Advisor<'g> {
    /// The advisor of a game.
    pub fn new(game: &'g Game) -> Advisor<'g> {
        let rules = Reference::new(Arc::clone(&game.program), Arc::clone(&game.tables));
        Advisor { game, rules }
    }

    /// The advice on legal moves.
    ///
    /// # Errors
    /// A rule error.
    pub fn on(&self, state: &State, moves: &[Term]) -> Result<Vec<Advice>, RuleError> {
        if self.game.program.special.advice.is_none() {
            return Ok(Vec::new());
        }
        let all = self.game.facts(state);
        let facts = self.rules.position(all.into_iter().map(|f| (f.fluent, f.keys, f.value)), &[]);
        advice(&self.rules, &facts, moves)
    }
}

/// The advice of rules on legal moves.
///
/// # Errors
/// A rule error.
pub fn advice(
    rules: &Reference,
    facts: &crate::reference::Facts,
    moves: &[Term],
) -> Result<Vec<Advice>, RuleError> {
    let given = rules.advice(facts, moves)?;
    let advice = |(term, priority, text)| Advice { term, priority, text };
    Ok(given.into_iter().map(advice).collect())
}
