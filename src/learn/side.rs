//! One of the two programs that are compared, and what it says of a position.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use crate::diagnostic::Diagnostic;
use crate::engine::{Budget, Fact, Fault, FaultKind, Game, Outcome, Session, State};
use crate::program::{FluentId, FluentShape};
use crate::reference::{Facts, QueryError, Reference, RuleError};
use crate::render::View;
use crate::source::Span;
use crate::syntax::{Term, TermKind, print_term};

use super::judge::Settings;

/// A game that is played, and the evaluator that answers questions about it.
pub(super) struct Side<'g> {
    pub game: &'g Game,
    session: Session<'g>,
    rules: Reference,
    view: View,
}

/// What a program says of a position.
#[derive(Debug, Default)]
pub(super) struct Look {
    /// How the game has ended; `None` while it goes on.
    pub outcome: Option<String>,
    /// Who is to move.
    pub turn: String,
    /// The legal moves or chance events with the positions that they lead to.
    pub moves: BTreeMap<String, State>,
    /// What the state holds, by the name and the keys, without what is told otherwise.
    pub facts: BTreeMap<String, String>,
    /// The answers to each question.
    pub answers: Vec<BTreeSet<String>>,
}

/// Why a program says nothing of a position.
pub(super) enum Mute {
    /// An error of the rules, or of the question with this number.
    Fault(Box<Diagnostic>, Option<usize>),
    /// The work was interrupted, or its time is over.
    Interrupted,
}

impl From<RuleError> for Mute {
    fn from(error: RuleError) -> Mute {
        if error.is_interrupted() {
            Mute::Interrupted
        } else {
            Mute::Fault(Box::new(error.into()), None)
        }
    }
}

impl From<QueryError> for Mute {
    fn from(error: QueryError) -> Mute {
        match error {
            QueryError::Rule(error) => error.into(),
            QueryError::Question(faults) => {
                let first = faults.into_iter().find(Diagnostic::is_error);
                let none = || Diagnostic::error("internal", "the question cannot be asked");
                Mute::Fault(Box::new(first.unwrap_or_else(none)), None)
            }
        }
    }
}

impl<'g> Side<'g> {
    pub fn new(game: &'g Game, settings: &Settings) -> Side<'g> {
        let mut session = Session::new(game);
        session.set_budget(Budget::PLAY.interrupted_by(settings.interrupted));
        let rules = Reference::new(Arc::clone(&game.program), Arc::clone(&game.tables))
            .with_budget(Budget::REFERENCE.interrupted_by(settings.interrupted));
        Side { game, session, rules, view: View::new(game).whole() }
    }

    /// Sets the time at which questions end as if they were interrupted.
    pub fn set_until(&mut self, until: Instant) {
        self.session.set_until(Some(until));
        self.rules.set_until(Some(until));
    }

    pub fn opening(&mut self) -> State {
        self.session.opening()
    }

    /// The position that a list of texts and updates describes.
    pub fn given(&mut self, position: &Term) -> Result<State, Mute> {
        let facts = self.rules.given(position)?;
        let program = &self.game.program;
        let fact = |(fluent, keys, value)| Fact { fluent, keys, value };
        let all: Vec<Fact> = self.rules.entries(&facts).map(fact).collect();
        self.session.build(&all).map_err(|fact| {
            let name = &program.fluent(fact.fluent).name;
            let what = format!("`{name}` has no place for a part of the position");
            Mute::Fault(Box::new(Diagnostic::error("position-form", what)), None)
        })
    }

    /// What the program says of a position. Questions are asked in the order given.
    pub fn look(&mut self, state: &State, questions: &[Term]) -> Result<Look, Mute> {
        let facts = self.facts(state);
        let mut look = Look { facts: self.held(state), ..Look::default() };
        look.turn = self.game.program.values.show(self.game.turn(state));
        let outcome = self.session.outcome(state).map_err(|fault| self.mute(&fault))?;
        look.outcome = outcome.map(|outcome| self.ended(&outcome));
        if look.outcome.is_none() {
            let all = self.session.successors(state).map_err(|fault| self.mute(&fault))?;
            let weights =
                likelihoods(all.iter().filter(|(mv, _)| mv.chance).map(|(mv, _)| mv.weight));
            let mut weights = weights.into_iter();
            for (mv, next) in all {
                let weight = if mv.chance { weights.next().flatten() } else { None };
                let weight = weight.map_or(String::new(), |n| format!("{WEIGHT}{n})"));
                look.moves.insert(format!("{}{weight}", print_term(&mv.term)), next);
            }
        }
        for (number, question) in questions.iter().enumerate() {
            // its place is in the exercise, which this program does not know
            let mut question = question.clone();
            question.put_at(Span::NONE);
            let answers =
                self.rules.query(&facts, &question).map_err(|error| match error.into() {
                    Mute::Fault(fault, _) => Mute::Fault(fault, Some(number)),
                    Mute::Interrupted => Mute::Interrupted,
                })?;
            look.answers.push(answers.iter().map(|answer| told(answer)).collect());
        }
        Ok(look)
    }

    /// The position as text; empty where there is nothing to show.
    pub fn drawn(&mut self, state: &State, width: usize) -> Result<String, Mute> {
        let facts = self.facts(state);
        let mut picture = self.view.picture(&self.rules, &facts)?;
        // a difference is told as text and as JSON
        picture.bare = true;
        Ok(self.view.text(&picture, width).trim_end().to_string())
    }

    /// Whether the state has a part of this name with as many keys, and a value or none.
    pub fn has_part(&self, name: &str, keys: usize, set: bool) -> bool {
        self.game.program.fluents.iter().any(|f| {
            f.name == name && f.keys.len() == keys && set == matches!(f.shape, FluentShape::Set)
        })
    }

    fn facts(&self, state: &State) -> Facts {
        let all = self.game.facts(state);
        self.rules.position(all.into_iter().map(|f| (f.fluent, f.keys, f.value)), &[])
    }

    /// What the state holds: `at(a1)` and `x`. Who moves and how many moves were made is left out.
    fn held(&self, state: &State) -> BTreeMap<String, String> {
        let program = &self.game.program;
        let kept = [FluentId::TURN, FluentId::MOVER, FluentId::PLY];
        let mut held = BTreeMap::new();
        for fact in self.game.facts(state) {
            if kept.contains(&fact.fluent) {
                continue;
            }
            let name = &program.fluent(fact.fluent).name;
            let keys = program.values.show_all(&fact.keys);
            let place = if keys.is_empty() { name.clone() } else { format!("{name}({keys})") };
            held.insert(place, fact.value.map_or(String::new(), |v| program.values.show(v)));
        }
        held
    }

    /// The parts of the state: the name, the number of keys, and whether it is a set.
    pub fn parts(&self) -> impl Iterator<Item = (&str, usize, bool)> {
        self.game
            .program
            .fluents
            .iter()
            .map(|f| (f.name.as_str(), f.keys.len(), matches!(f.shape, FluentShape::Set)))
    }

    fn mute(&self, fault: &Fault) -> Mute {
        match fault.kind {
            FaultKind::Interrupted => Mute::Interrupted,
            _ => {
                let fault = fault.diagnostic(&self.game.plan, &self.game.program);
                Mute::Fault(Box::new(fault), None)
            }
        }
    }

    fn ended(&self, outcome: &Outcome) -> String {
        let program = &self.game.program;
        let mut winners: Vec<String> =
            outcome.winners.iter().map(|p| program.values.show(*p)).collect();
        winners.sort();
        let mut text = match winners.as_slice() {
            [] if outcome.clause.is_none() && program.players.len() == 1 => {
                "there is no legal move, and no clause says how the game ends then".to_string()
            }
            [] if outcome.clause.is_none() => {
                "there is no legal move, and no clause says how the game ends then: that is a draw, \
                 but a clause should say so"
                    .to_string()
            }
            [] if program.players.len() == 1 => "the game is over".to_string(),
            [] => "the game ends as a draw".to_string(),
            winners => format!("the game ends as a win for {}", winners.join(" and ")),
        };
        if let Some(scores) = &outcome.scores {
            let all: Vec<String> =
                scores.iter().map(|s| s.map_or("none".to_string(), |n| n.to_string())).collect();
            if scores.iter().any(Option::is_some) {
                text = format!("{text}, with the score {}", all.join(" : "));
            }
        }
        text
    }
}

/// What stands before the weight behind a chance event.
const WEIGHT: &str = " (weight ";

/// The name of a move without the weight behind it.
pub(super) fn without_weight(mv: &str) -> &str {
    mv.split(WEIGHT).next().unwrap_or(mv)
}

/// For each of some weights the least whole number in the same proportion; `None` where all are equal.
fn likelihoods(weights: impl Iterator<Item = i64>) -> Vec<Option<i64>> {
    let all: Vec<i64> = weights.collect();
    let common = all.iter().copied().fold(0, gcd);
    let equal = all.windows(2).all(|two| two[0] == two[1]);
    all.iter().map(|n| (!equal).then(|| n / common.max(1))).collect()
}

/// The greatest common divisor (Euclid).
fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// An answer in the order of the variables' names.
fn told(answer: &[(String, Term)]) -> String {
    if answer.is_empty() {
        return "true".to_string();
    }
    let mut pairs: Vec<String> =
        answer.iter().map(|(name, value)| format!("{name} = {}", print_term(value))).collect();
    pairs.sort();
    pairs.join(", ")
}

/// A position that an exercise gives, as it is written there.
pub(super) fn written(position: &Term) -> String {
    match &position.kind {
        TermKind::Text(text) => text.clone(),
        _ => print_term(position),
    }
}
