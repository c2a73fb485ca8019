//! Moves by exact values that were found before.

use crate::engine::{Look, State};
use crate::search::{Advice, Choice};
use crate::solve::{Trouble, Value, Wdl};
use crate::syntax::Term;

use super::{Referee, Stop};

/// The most moves of a line that are told.
const LONGEST_LINE: usize = 12;

/// What exact values say of a position.
pub(super) enum Known {
    /// Nothing: they are not known.
    Nothing,
    /// The best moves.
    Choices(Vec<Choice>),
    /// These moves draw, and none wins; values alone do not choose among them.
    Drawn(Vec<Term>),
}

/// A move with its value for the player who makes it.
type Valued = (Term, State, Value);

impl Referee<'_> {
    /// The value of a position for the player to move, where it is known.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn exact(&self, state: &State) -> Result<Option<Value>, Stop> {
        for probe in &self.values {
            let value = probe.value(state).map_err(|trouble| self.unsolved(trouble))?;
            if value.is_some() {
                return Ok(value);
            }
        }
        Ok(None)
    }

    /// A trouble of exact values as the reason to stop.
    pub fn unsolved(&self, trouble: Trouble) -> Stop {
        match trouble {
            Trouble::Fault(fault) => self.fault(&fault),
            Trouble::Interrupted => Stop::Interrupted,
            Trouble::Refused(_) | Trouble::Large(_) | Trouble::Disk(_) => {
                Stop::Failed(trouble.to_string())
            }
        }
    }

    /// Whether the game is over in a position. Other moves may follow from there in one that is reached in another way.
    fn ends_in(&mut self, state: &State) -> Result<bool, Stop> {
        let look = self.session.walk(state).look();
        look.map(|look| matches!(look, Look::Over(_))).map_err(|fault| self.fault(&fault))
    }

    /// The moves of a position by their exact values, the best first; `None` where not all are known.
    fn valued(&mut self, state: &State, among: &[Term]) -> Result<Option<Vec<Valued>>, Stop> {
        if self.values.is_empty() || self.exact(state)?.is_none() {
            return Ok(None);
        }
        let turn = self.game.turn(state);
        let next = self.session.successors(state).map_err(|fault| self.fault(&fault))?;
        let mut valued = Vec::new();
        for (mv, after) in next {
            if !among.is_empty() && !among.contains(&mv.term) {
                continue;
            }
            let Some(value) = self.exact(&after)? else { return Ok(None) };
            let value = value.before(self.game.turn(&after) == turn);
            valued.push((mv.term, after, value));
        }
        valued.sort_by_key(|(_, _, value)| -value.rank());
        Ok(Some(valued))
    }

    /// The best moves by exact values. Of several moves that draw, none is chosen where a single move is
    /// wanted.
    ///
    /// # Errors
    /// A rule error, or a file that cannot be read.
    pub(super) fn by_values(
        &mut self,
        state: &State,
        among: &[Term],
        advice: &[Advice],
        wanted: usize,
    ) -> Result<Known, Stop> {
        let Some(valued) = self.valued(state, among)? else { return Ok(Known::Nothing) };
        let drawn = |valued: &&Valued| valued.2.outcome() == Wdl::Draw;
        let best = valued.first().map(|(_, _, value)| value.outcome());
        if wanted == 1 && best == Some(Wdl::Draw) && valued.iter().filter(drawn).count() > 1 {
            let terms = valued.iter().filter(drawn).map(|(term, ..)| term.clone());
            return Ok(Known::Drawn(terms.collect()));
        }
        let as_good = valued.iter().filter(|(_, _, value)| Some(value.outcome()) == best).count();
        let mut choices = Vec::new();
        for (term, after, value) in valued.iter().take(wanted) {
            let alone = as_good == 1 && valued.len() > 1 && Some(value.outcome()) == best;
            let mut reason = match (alone, value.outcome()) {
                (true, Wdl::Win) => format!("{value}, the only move that wins"),
                (true, Wdl::Draw) => format!("{value}, the only move that does not lose"),
                _ => value.to_string(),
            };
            if let Some(advice) = advice.iter().find(|advice| advice.term == *term) {
                reason = format!("{reason}: {}", advice.text);
            }
            let mut line = vec![term.clone()];
            let mut at = after.clone();
            while line.len() < LONGEST_LINE && !self.ends_in(&at)? {
                let Some(next) = self.valued(&at, &[])? else { break };
                let Some((term, after, _)) = next.into_iter().next() else { break };
                line.push(term);
                at = after;
            }
            let expected = match value.outcome() {
                Wdl::Win => 1.0,
                Wdl::Draw => 0.5,
                Wdl::Loss => 0.0,
            };
            choices.push(Choice {
                term: term.clone(),
                reason,
                playouts: 0,
                line,
                expected: Some(expected),
                score: None,
            });
        }
        Ok(Known::Choices(choices))
    }
}
