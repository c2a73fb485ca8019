//! Why a move is legal, or what forbids it.
//!
//! The reasons are tried in this order: the game is over; the move is legal; a chance event is due;
//! no move has this form; its clause holds, but there are moves of a higher rank; another player
//! could make it; a goal of its clauses fails.

use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

use crate::diagnostic::listed;
use crate::goals::Evaluator as _;
use crate::program::{ClauseId, FluentId, Value};
use crate::syntax::{Term, print_term};

use super::proof::Grounds;
use super::walk::Moment;
use super::words::turn_of;
use super::{Cause, Explanation, Line, Mark, Teller, as_deep_as_can_be, bound_effort};
use crate::reference::facts::{Facts, IN_SET, Position};
use crate::reference::fault::RuleError;
use crate::reference::moves::{Choices, Outcome, Successor};
use crate::reference::run::{Answer, Run};
use crate::reference::{Reference, settle};

/// The most chance events that are named.
const EVENTS: usize = 6;

impl Reference {
    /// Why a move or chance event is legal in a position, or why it is not.
    ///
    /// # Errors
    /// A rule error.
    pub fn why_move(&self, facts: &Facts, mv: &Term) -> Result<Explanation, RuleError> {
        as_deep_as_can_be(|depth| self.why_move_to(depth, facts, mv), |error| Some(error))
    }

    fn why_move_to(
        &self,
        depth: usize,
        facts: &Facts,
        mv: &Term,
    ) -> Result<Explanation, RuleError> {
        let subject = self.notation(facts, mv)?;
        let mut run = Run::new(self, facts).unfolding(depth);
        let outcome = settle(run.outcome())?;
        // a game that is over needs no moves
        let choices = match outcome {
            Some(_) => Rc::default(),
            None => settle(run.choices())?,
        };
        let value = run.values.from_term(mv);
        bound_effort(&mut run);
        let mut question = MoveQuestion {
            reference: self,
            facts,
            subject,
            term: print_term(mv),
            choices,
            teller: Teller::new(&mut run),
        };
        let mut told = settle(question.answer(mv, value, outcome))?;
        if !told.holds && told.cause != Cause::Over {
            told.closest = self.closest(facts, &question.choices, mv, &question.teller)?;
        }
        Ok(told)
    }
}

/// A question about one move in one position.
pub(super) struct MoveQuestion<'x, 'r> {
    pub reference: &'r Reference,
    pub facts: &'x Facts,
    /// The move in the game's notation.
    pub subject: String,
    /// The move as a term.
    pub term: String,
    pub choices: Rc<Choices>,
    pub teller: Teller<'x, 'r>,
}

impl<'r> MoveQuestion<'_, 'r> {
    fn answer(
        &mut self,
        mv: &Term,
        value: Option<Value>,
        outcome: Option<Outcome>,
    ) -> Answer<Explanation> {
        if let Some(outcome) = outcome {
            let result = self.teller.result(&outcome);
            let short = format!("The game is over: {result}.");
            let lines = self.teller.end_lines(&outcome)?;
            let told = Explanation { lines, ..self.told(false, Cause::Over, short, &[]) };
            return ControlFlow::Continue(told);
        }
        let Some(value) = value else {
            let short = format!(
                "`{}` has a variable: ask about one move, as {} are.",
                self.term,
                self.examples(&[])
            );
            return ControlFlow::Continue(self.told(false, Cause::Form, short, &[]));
        };
        let choices = self.choices.clone();
        if let Some(successor) = choices.all.iter().find(|s| s.mv == value) {
            return self.legal(successor, choices.chance);
        }
        let special = self.teller.run.program.special;
        let (in_moves, in_chance) =
            (self.kind_of(special.moves, mv), self.kind_of(special.chance, mv));
        if choices.chance && !in_chance && !choices.all.is_empty() {
            let prompts = self.reference.prompts(self.facts).unwrap_or_default().to_mover;
            let short = match prompts.as_slice() {
                [] => self.events_due(&choices),
                due => format!("`{}` is not legal now: {}.", self.subject, due.join("; ")),
            };
            return ControlFlow::Continue(self.told(false, Cause::Chance, short, &[]));
        }
        if !in_moves && !in_chance {
            let short = self.unknown_form(mv);
            return ControlFlow::Continue(self.told(false, Cause::Form, short, &[]));
        }
        let relation = if in_moves { special.moves } else { special.chance };
        match relation {
            Some(relation) => self.illegal(relation, value, !in_moves),
            None => ControlFlow::Continue(self.told(false, Cause::Form, String::new(), &[])),
        }
    }

    /// Which events of chance are due before anybody moves.
    fn events_due(&self, choices: &Choices) -> String {
        let n = choices.all.len();
        let told = choices.all.iter().take(if n > EVENTS { 1 } else { n });
        let events: Vec<String> = told
            .map(|event| {
                let term = self.teller.run.values.to_term(event.mv);
                let name = self.reference.notation(self.facts, &term);
                format!("`{}`", name.unwrap_or_else(|_| self.teller.show(event.mv)))
            })
            .collect();
        let event = match n > EVENTS {
            true => format!("one of {n} events, such as {},", events.concat()),
            false => listed(&events, "or"),
        };
        format!("Chance comes first: {event} happens before anybody moves.")
    }

    /// The moment before the clauses of moves.
    pub(super) fn start(&self) -> Moment {
        let run = &self.teller.run;
        let mut past = run.past.to_vec();
        past.push(Position::of(run.program, &run.state));
        Moment { past: Arc::new(past), turned: false, ..run.moment(&[]) }
    }

    pub(super) fn told(
        &self,
        holds: bool,
        cause: Cause,
        short: String,
        about: &[Value],
    ) -> Explanation {
        let sites = self.teller.sites(about);
        Explanation { holds, cause, short, sites, ..Explanation::of(self.subject.clone()) }
    }

    fn legal(&mut self, successor: &Successor, chance: bool) -> Answer<Explanation> {
        let start = self.start();
        let mover = self.teller.run.read(FluentId::TURN, &[]);
        let by = successor.clause;
        let mut about = self.teller.parts(successor.mv);
        let mut lines = Vec::new();
        if let Some(from) = self.teller.entered(by, &[Some(successor.mv)], &start) {
            let body = self.teller.run.program.clause(by).body.conjuncts();
            let accept =
                |run: &Run<'r>, _: &[_]| run.finished(chance, mover).maps == successor.facts.maps;
            if let Some(way) = self.teller.run.way(Some(by), body, &from, &accept)? {
                let mut grounds = Grounds::default();
                lines.push(self.teller.written(by));
                let end = way.last().map_or(&from, |p| &p.after);
                lines.extend(self.teller.bindings(by, &end.slots));
                lines.extend(self.teller.proofs(Some(by), &way, &mut grounds)?);
                about.extend(grounds.about);
            }
        }
        let next = self.next(&successor.facts, chance)?;
        lines.push(Line::new(Mark::Note, next.clone()));
        let what = if chance { "can happen" } else { "is legal" };
        let place = self.teller.place(by);
        let by = match self.teller.rule(by) {
            Some(rule) => format!(": \"{rule}\" ({place})"),
            None => format!(", by {place}"),
        };
        let short = format!("`{}` {what}{by}; {next}.", self.subject);
        ControlFlow::Continue(Explanation { lines, ..self.told(true, Cause::Proof, short, &about) })
    }

    /// What follows a move, in words.
    fn next(&mut self, after: &Facts, chance: bool) -> Answer<String> {
        let mut run = Run::new(self.reference, after);
        let mut teller = Teller::new(&mut run);
        if let Some(outcome) = teller.run.outcome()? {
            return ControlFlow::Continue(format!(
                "then the game is over: {}",
                teller.result(&outcome)
            ));
        }
        if teller.run.choices()?.chance {
            return ControlFlow::Continue("then chance decides".to_string());
        }
        let turn = after.turn().map(|p| teller.show(p)).unwrap_or_default();
        let whose = turn_of(teller.run.program, &turn);
        let again = !chance && after.turn() == self.facts.turn();
        ControlFlow::Continue(match again {
            true => format!("then it is still {whose} turn"),
            false => format!("then it is {whose} turn"),
        })
    }
}

impl<'r> Teller<'_, 'r> {
    /// A clause as written in the file.
    pub fn written(&self, by: ClauseId) -> Line {
        let clause = self.run.program.clause(by);
        let mut line = Line::new(Mark::Clause, self.run.program.sources.text(clause.span).trim());
        line.place = Some(self.place(by));
        line
    }

    /// The rule of a clause in words with its place; `None` where it has none.
    pub(super) fn quoted(&mut self, by: ClauseId) -> Option<String> {
        let rule = self.rule(by)?;
        Some(format!("\"{rule}\" ({})", self.place(by)))
    }

    /// The values of a clause's variables, in one line.
    pub fn bindings(&self, by: ClauseId, slots: &[Option<Value>]) -> Option<Line> {
        let named = self.run.program.clause(by).variables.iter().zip(slots);
        let bound: Vec<String> = named
            .filter(|(variable, _)| !variable.name.starts_with('_'))
            .filter_map(|(v, value)| value.map(|x| format!("{} = {}", v.name, self.show(x))))
            .collect();
        (!bound.is_empty()).then(|| Line::new(Mark::Note, format!("with {}", bound.join(", "))))
    }

    /// The parts of a value; the value itself where it has none.
    pub fn parts(&self, value: Value) -> Vec<Value> {
        let inner = match (self.run.values.items(value), self.run.values.functor(value)) {
            (Some(items), _) => items.to_vec(),
            (None, Some((_, args))) if !args.is_empty() => args.to_vec(),
            _ => return vec![value],
        };
        inner.into_iter().flat_map(|v| self.parts(v)).collect()
    }

    /// The sites of the board among some values, each once.
    pub fn sites(&self, about: &[Value]) -> Vec<Value> {
        let Some(xy) = self.run.program.special.xy else { return Vec::new() };
        let all: rustc_hash::FxHashSet<Value> =
            self.run.reference.lookup.tables.get(xy).column(0).into_iter().collect();
        let mut sites = Vec::new();
        for value in about.iter().flat_map(|v| self.parts(*v)) {
            if value != IN_SET && all.contains(&value) && !sites.contains(&value) {
                sites.push(value);
            }
        }
        sites
    }
}
