//! The computer's choice of a move, and other random draws.

use crate::engine::{Random, State};
use crate::search::{self, Advice, Choice, Limits, Question, Rated};
use crate::syntax::Term;

use crate::referee::Stop;
use crate::referee::{Choices, Position, Referee};

/// The random generator for one ply of a game with this seed. Different purposes have independent
/// generators.
pub fn drawn_for(seed: u64, ply: i64, purpose: u64) -> Random {
    Random::for_ply(seed.wrapping_add(purpose << 32), ply.unsigned_abs())
}

impl Referee<'_> {
    /// The computer's choice; `None` where there is no move. Ctrl-C ends the search, which then
    /// returns the best move found so far.
    ///
    /// # Errors
    /// A rule error.
    pub fn choose(
        &mut self,
        position: &Position,
        choices: &Choices,
        limits: Limits,
        seed: u64,
    ) -> Result<Option<Choice>, Stop> {
        let (state, advice) = self.position_and_advice(position, choices)?;
        let question = Question {
            state: &state,
            advice: &advice,
            limits,
            seed,
            interrupted: &self.interrupted,
        };
        search::choose(&mut self.session, &question).map_err(|fault| self.fault(&fault))
    }

    /// What the computer finds of each move of a player, the most played first.
    ///
    /// # Errors
    /// A rule error.
    pub fn rate(
        &mut self,
        position: &Position,
        limits: Limits,
        seed: u64,
    ) -> Result<Vec<Rated>, Stop> {
        let choices = self.choices(position)?;
        let (state, advice) = self.position_and_advice(position, &choices)?;
        let question = Question {
            state: &state,
            advice: &advice,
            limits,
            seed,
            interrupted: &self.interrupted,
        };
        search::rate(&mut self.session, &question).map_err(|fault| self.fault(&fault))
    }

    fn position_and_advice(
        &mut self,
        position: &Position,
        choices: &Choices,
    ) -> Result<(State, Vec<Advice>), Stop> {
        let facts = self.facts(position);
        let terms: Vec<Term> = choices.all.iter().map(|(term, _)| term.clone()).collect();
        let given = self.rules.advice(&facts, &terms).map_err(|error| self.stopped(error))?;
        let advice: Vec<Advice> = given
            .into_iter()
            .map(|(term, priority, text)| Advice { term, priority, text })
            .collect();
        let state: State = match position {
            Position::Compiled(state) => state.clone(),
            Position::Plain(facts) => self.state(facts)?,
        };
        Ok((state, advice))
    }

    /// A chance event, drawn by the weights.
    ///
    /// # Errors
    /// When no event has a weight above 0.
    pub fn draw(choices: &Choices, random: &mut Random) -> Result<Term, Stop> {
        let weights: Vec<i64> = choices.all.iter().map(|(_, weight)| *weight).collect();
        match random.weighted(&weights) {
            Some(drawn) => Ok(choices.all[drawn].0.clone()),
            None => Err(Stop::Failed("no chance event has a weight above 0".to_string())),
        }
    }
}
