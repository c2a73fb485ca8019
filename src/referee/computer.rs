//! The computer's choice of a move, and other random draws.

use crate::engine::{Random, State};
use crate::search::contest::Broken;
use crate::search::{self, Advice, Choice, Limits, Listener, Player, Request};
use crate::syntax::Term;

use super::Stop;
use super::interrupt;
use super::known::Known;
use super::{Choices, Position, Referee};

/// The random generator for one ply of a game with this seed. Different purposes have independent
/// generators.
pub fn drawn_for(seed: u64, ply: i64, purpose: u64) -> Random {
    Random::for_ply(seed.wrapping_add(purpose << 32), ply.unsigned_abs())
}

/// How the computer thinks about a move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thought {
    /// Who thinks.
    pub player: Player,
    /// How long.
    pub limits: Limits,
    /// The seed of its playouts.
    pub seed: u64,
}

impl Referee<'_> {
    /// The moves that a choice expects, in the game's notation; the choice itself first. They are told also where Ctrl-C has
    /// ended the search that found them.
    ///
    /// # Errors
    /// A rule error.
    pub fn expected_line(
        &mut self,
        position: &Position,
        choice: &Choice,
    ) -> Result<Vec<String>, Stop> {
        interrupt::undisturbed(|| self.line_expected(position, choice))
    }

    fn line_expected(&mut self, position: &Position, choice: &Choice) -> Result<Vec<String>, Stop> {
        let mut line = vec![self.notation(&self.facts(position), &choice.term)?];
        let mut at = position.clone();
        let mut before = &choice.term;
        for term in choice.line.iter().skip(1) {
            let Some(next) = self.play(&at, before)? else { break };
            at = next;
            line.push(self.notation(&self.facts(&at), term)?);
            before = term;
        }
        Ok(line)
    }

    /// The best moves by the computer's judgement, the best first; none where there is no move. Ctrl-C ends the search,
    /// which then returns the best moves found so far.
    ///
    /// # Errors
    /// A rule error.
    pub fn analyse(
        &mut self,
        position: &Position,
        choices: &Choices,
        thought: Thought,
        wanted: usize,
        listener: &mut Listener<'_>,
    ) -> Result<Vec<Choice>, Stop> {
        self.analyse_among(position, choices, &[], thought, wanted, listener)
    }

    /// The same, where only these moves are to choose among; all where there are none.
    ///
    /// # Errors
    /// A rule error.
    pub fn analyse_among(
        &mut self,
        position: &Position,
        choices: &Choices,
        among: &[Term],
        thought: Thought,
        wanted: usize,
        listener: &mut Listener<'_>,
    ) -> Result<Vec<Choice>, Stop> {
        let facts = self.facts(position);
        let terms: Vec<Term> = choices.all.iter().map(|(term, _)| term.clone()).collect();
        let advice = search::advice(&self.rules, &facts, &terms);
        let advice: Vec<Advice> = advice.map_err(|error| self.stopped(error))?;
        let state: State = match position {
            Position::Compiled(state) => state.clone(),
            Position::Plain(facts) => self.state(facts)?,
        };
        let mut left: Option<Vec<Term>> = None;
        if thought.player == Player::Auto {
            match self.by_values(&state, among, &advice, wanted)? {
                Known::Choices(choices) => return Ok(choices),
                Known::Drawn(moves) => left = Some(moves),
                Known::Nothing => {}
            }
        }
        let question = Request {
            state: &state,
            among: left.as_deref().unwrap_or(among),
            advice: &advice,
            player: thought.player,
            limits: thought.limits,
            threads: self.threads,
            seed: thought.seed,
            interrupted: &self.interrupted,
        };
        let game = self.game;
        let memory = self.memory.get_or_insert_with(|| super::memory(game));
        let found = search::analyse(&mut self.session, memory, &question, wanted, listener);
        let mut found = found.map_err(|fault| self.fault(&fault))?;
        if left.is_some() {
            // these are the moves that draw, of which the search has chosen the one that tries most
            for choice in &mut found {
                choice.reason = format!("draw; {}", choice.reason);
                choice.expected = Some(0.5);
            }
        }
        Ok(found)
    }

    /// Why a game of the computer was not played to its end, as the reason to stop.
    pub fn broken(&self, broken: Broken) -> Stop {
        match broken {
            Broken::Fault(fault) => self.fault(&fault),
            Broken::Advice(error) => self.stopped(error),
        }
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
