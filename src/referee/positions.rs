//! Positions as states of the engine in use and as facts of the reference evaluator.

use crate::engine::{Fact, State};
use crate::reference::Facts;

use super::{Evaluator, Position, Referee, Stop};

impl Referee<'_> {
    /// Converts a position of the reference evaluator to one of the engine in use.
    ///
    /// # Errors
    /// Where the compiled engine has no place for some fact.
    pub fn position(&mut self, facts: &Facts) -> Result<Position, Stop> {
        match self.engine {
            Evaluator::Reference => Ok(Position::Plain(facts.clone())),
            Evaluator::Compiled | Evaluator::Interpreted => {
                Ok(Position::Compiled(self.state(facts)?))
            }
        }
    }

    /// Converts a position of the reference evaluator to a state of the compiled engine.
    ///
    /// # Errors
    /// Where the compiled engine has no place for some fact.
    pub fn state(&mut self, facts: &Facts) -> Result<State, Stop> {
        let program = &self.game.program;
        let fact = |(fluent, keys, value)| Fact { fluent, keys, value };
        let all: Vec<Fact> = self.rules.entries(facts).map(fact).collect();
        self.session.build(&all).map_err(|fact| {
            let fluent = &program.fluent(fact.fluent).name;
            let values = program.values.show_all(&fact.keys);
            Stop::Failed(format!("`{fluent}({values})` is outside of its domain"))
        })
    }

    /// The position as facts, for questions to the reference evaluator. Where the compiled engine
    /// plays, they do not include earlier positions.
    pub fn facts(&self, position: &Position) -> Facts {
        match position {
            Position::Plain(facts) => facts.clone(),
            Position::Compiled(state) => {
                let all = self.game.facts(state);
                self.rules.position(all.into_iter().map(|f| (f.fluent, f.keys, f.value)), &[])
            }
        }
    }

    /// The position as facts that include the given earlier positions, oldest first.
    pub fn facts_after(&self, position: &Position, before: &[Position]) -> Facts {
        match position {
            Position::Plain(facts) => facts.clone(),
            Position::Compiled(state) => {
                let past: Vec<Facts> = before.iter().map(|p| self.facts(p)).collect();
                let all = self.game.facts(state);
                self.rules.position(all.into_iter().map(|f| (f.fluent, f.keys, f.value)), &past)
            }
        }
    }
}
