//! Examples that begin in a given position: every evaluator goes on from there alike, and what the example asks is
//! what the engine says of the position.

use ludex::engine::State;
use ludex::program::Value;
use ludex::reference::{ExampleResult, Facts, QueryError};
use ludex::syntax::{Term, print_term};

use crate::facts::reference_facts;
use crate::play::{Stop, Table};
use crate::report::Report;

/// A given position as it is written, and in both evaluators.
pub type Begun = (String, (State, Facts));

impl Table<'_> {
    /// The given position of each example as a state of the engine, with what is asked of it.
    pub fn given(&mut self, report: &mut Report) -> Result<Vec<Begun>, Stop> {
        let game = self.game;
        let mut begun = Vec::new();
        for example in &game.program.examples {
            let Some([position, goal]) = example.goal.args_of("given", 2) else { continue };
            self.line = vec![print_term(position)];
            let facts = match self.reference.given(position) {
                Ok(facts) => facts,
                Err(QueryError::Question(faults)) => {
                    let fault = faults.first().map(|d| d.message.clone()).unwrap_or_default();
                    return Err(self.find("given: refused", fault));
                }
                Err(QueryError::Rule(error)) => {
                    let code = error.diagnostic().code;
                    return Err(
                        self.find(format!("given: {code}"), error.diagnostic().message.clone())
                    );
                }
            };
            let state = match self.plain.build(&reference_facts(game, &facts)) {
                Ok(state) => state,
                Err(fault) => return Err(self.find("given: not built", format!("{fault:?}"))),
            };
            let nowhere = |_: &[(String, String)]| Err(Vec::new());
            let said = match self.reference.run_example(&example.goal, &nowhere) {
                Ok(said) => Ok(said == ExampleResult::Holds),
                Err(QueryError::Question(faults)) => {
                    let fault = faults.first().map(|d| d.message.clone()).unwrap_or_default();
                    return Err(self.find("example: refused", fault));
                }
                Err(QueryError::Rule(error)) => Err(error.diagnostic().code),
            };
            let (positive, goal) = match goal.args_of("\\+", 1) {
                Some([goal]) => (false, goal),
                _ => (true, goal),
            };
            let holds = self.asked(&state, goal);
            // which of several errors is raised, or whether an end is asked behind one, is not laid down
            if let (Ok(said), Ok(holds)) = (said, holds)
                && said != (holds == positive)
            {
                let shown = print_term(&example.goal);
                return Err(self.find("example", format!("{shown}: by the reference {said}")));
            }
            let feature = "told: given position".to_string();
            if !report.features.contains(&feature) {
                report.features.push(feature);
            }
            begun.push((print_term(position), (state, facts)));
        }
        Ok(begun)
    }

    /// Whether a goal about moves or the outcome holds, by the engine.
    fn asked(&mut self, state: &State, goal: &Term) -> Result<bool, ()> {
        let program = &self.game.program;
        // while nature moves, the players have no legal move
        let chance = !self.game.plan.chance.is_empty();
        if let Some([form]) = goal.args_of("legal", 1) {
            let (name, args) = form.functor().filter(|_| !chance).ok_or(())?;
            let moves = self.plain.legal_moves(state).map_err(drop)?;
            return Ok(moves.iter().any(|mv| mv.term.args_of(name, args.len()).is_some()));
        }
        let outcome = self.plain.outcome(state).map_err(drop)?;
        let (name, args) = goal.functor().ok_or(())?;
        let Some(outcome) = outcome else { return Ok(false) };
        let named = |players: &[Value]| match args {
            [player] if player.functor().is_some() => {
                let shown = print_term(player);
                players.iter().any(|p| program.values.show(*p) == shown)
            }
            _ => !players.is_empty(),
        };
        Ok(match name {
            "over" => true,
            "win" => named(&outcome.winners),
            "draw" if program.players.len() > 1 => outcome.winners.is_empty(),
            _ => return Err(()),
        })
    }
}
