//! `:trace`: the evaluation of a move, goal by goal; `:spy`: the calls of a relation.
//!
//! The events are those of a Prolog tracer. On a terminal each waits for a key: Enter shows the
//! next event, `s` skips the events of a goal, `l` leaps to the next spy point, `a` shows all that
//! are left, `q` stops.

use crate::diagnostic::{Diagnostic, nearest};
use crate::program::{ClauseId, GoalKind, Program, print_goal};
use crate::referee::Referee;
use crate::referee::Stop;
use crate::referee::interrupt;
use crate::referee::misread::misread;
use crate::referee::typed;
use crate::reference::{Facts, Observer, Trace};
use crate::render::{fit, fit_with_place};
use crate::syntax::print_term;
use crate::ui::console::Console;
use crate::ui::signals;

use super::keys::Wish;
use super::prompt::{Prompt, fault, in_short};
use super::rules::indicator;
use super::sitting::Sitting;

/// The depth beyond which goals are not indented further.
const DEEPEST: usize = 12;
/// The most events that are printed through a pipe.
const MOST: usize = 5_000;

impl Sitting<'_> {
    /// `:trace MOVE`
    ///
    /// # Errors
    /// The text is not a move; or a rule error.
    pub fn trace(&mut self, rest: &str, prompt: &mut Prompt<'_>) -> Result<(), Stop> {
        if rest.is_empty() {
            return Err(Stop::Failed("say which: `:trace MOVE`".to_string()));
        }
        let (outcome, choices, named) = self.choices()?;
        // an illegal move can be traced too: its goals show where it fails
        let term = match typed::find(&self.referee, self.position(), &named, rest)? {
            Ok(found) => found.term.clone(),
            Err(miss) => match self.move_meant(&named, rest)? {
                Some(term) => term,
                None => {
                    let fault = miss.diagnostic(&in_short(rest, 60));
                    return Err(self::fault(misread(
                        &self.referee,
                        self.position(),
                        &choices,
                        fault,
                        rest,
                    )));
                }
            },
        };
        let facts = self.facts();
        if prompt.is_terminal() {
            prompt.say("Enter goes on, `s` skips a goal, `a` shows all, `q` stops")?;
        }
        let mut tracer = Tracer {
            referee: &self.referee,
            console: prompt.console,
            waits: prompt.is_terminal(),
            spied: &prompt.spied,
            quiet: None,
            events: 0,
            stop: None,
        };
        let made = self.referee.rules.observe_move(&facts, &term, &mut tracer);
        let (events, stop) = (tracer.events, tracer.stop);
        match stop {
            Some(Some(stop)) => return Err(stop),
            // the user wants no more
            Some(None) => {
                signals::clear();
                return Ok(());
            }
            None => {}
        }
        let made = made.map_err(|error| self.referee.stopped(error))?;
        if events > MOST && !prompt.is_terminal() {
            prompt.say(format!("… {} more", events - MOST))?;
        }
        let legal = named.iter().any(|n| n.term == term);
        let shown = print_term(&term);
        prompt.say(match (made, legal) {
            (_, true) => format!("{shown} is legal"),
            (true, false) if outcome.is_some() => {
                format!("{shown} could be made, but the game is over")
            }
            (true, false) => format!("{shown} can be made, but another rule excludes it"),
            (false, false) => format!("{shown} is not legal: no clause holds for it"),
        })
    }

    /// `:spy [NAME/ARITY]`
    ///
    /// # Errors
    /// There is no such relation.
    pub fn spy(&mut self, rest: &str, prompt: &mut Prompt<'_>) -> Result<(), Stop> {
        if rest.is_empty() {
            let all: Vec<String> = prompt.spied.iter().map(|(n, a)| format!("{n}/{a}")).collect();
            return prompt.say(match all.is_empty() {
                true => "no relation is spied".to_string(),
                false => format!("spied: {}", all.join(", ")),
            });
        }
        let program = &self.opened.game.program;
        let known = indicator(rest).filter(|(n, a)| program.find_relation(n, *a).is_some());
        let Some(point) = known else {
            let shown = in_short(rest, 40);
            let all: Vec<String> = program.relations.iter().map(|r| r.indicator()).collect();
            let text = format!("there is no relation `{shown}`");
            let d = Diagnostic::error("unknown-relation", text);
            let name = rest.split('/').next().unwrap_or_default();
            let same = all.iter().find(|i| i.split('/').next() == Some(name)).map(String::as_str);
            return Err(fault(match same.or(nearest(rest, all.iter().map(String::as_str))) {
                Some(near) => d.hint(format!("did you mean `{near}`?")),
                None => d.hint("write `name/arity`, e.g. `win/1`"),
            }));
        };
        match prompt.spied.iter().position(|p| *p == point) {
            Some(at) => {
                prompt.spied.remove(at);
                prompt.say(format!("{}/{} is no longer spied", point.0, point.1))
            }
            None => {
                prompt.say(format!("{}/{} is spied", point.0, point.1))?;
                prompt.spied.push(point);
                Ok(())
            }
        }
    }
}

/// The relation that a goal calls.
fn called<'p>(program: &'p Program, trace: &Trace<'_>) -> Option<(&'p str, usize)> {
    match &trace.goal.kind {
        GoalKind::Call(id, _) => {
            // a question's own relations are not the program's
            let relation = program.relations.get(id.0 as usize)?;
            Some((relation.name.as_str(), relation.arity))
        }
        _ => None,
    }
}

/// A goal with the values of its variables.
fn told(program: &Program, trace: &Trace<'_>) -> String {
    let mut text = print_goal(program, trace.clause, trace.goal);
    let mut bound = Vec::new();
    trace.goal.each_variable(&mut |v| {
        let name = &trace.clause.variables[v.0 as usize].name;
        if let Some(value) = trace.bindings[v.0 as usize] {
            let pair = format!("{name} = {}", trace.values.show(value));
            if !name.starts_with('_') && !bound.contains(&pair) {
                bound.push(pair);
            }
        }
    });
    if !bound.is_empty() {
        text.push_str(&format!("   {}", bound.join(", ")));
    }
    text
}

/// Prints every event, with the board after each update.
struct Tracer<'t, 'g> {
    referee: &'t Referee<'g>,
    console: &'t Console,
    waits: bool,
    spied: &'t [(String, usize)],
    /// Nothing is printed until this goal of this depth ends, or (`None`) until a spy point.
    quiet: Option<Option<(usize, crate::source::Span)>>,
    events: usize,
    /// Why no more is printed: a fault, or (`None`) the user's wish.
    stop: Option<Option<Stop>>,
}

impl Tracer<'_, '_> {
    fn event(&mut self, word: &str, trace: &Trace<'_>) {
        if self.stop.is_some() || matches!(trace.goal.kind, GoalKind::And(_) | GoalKind::True) {
            return;
        }
        let program = &self.referee.game.program;
        let spy = called(program, trace)
            .is_some_and(|(name, arity)| self.spied.iter().any(|(n, a)| n == name && *a == arity));
        match self.quiet {
            Some(Some(place)) if place == (trace.depth, trace.goal.span) && word != "call" => {
                self.quiet = None;
            }
            Some(None) if spy => self.quiet = None,
            Some(_) => return,
            None => {}
        }
        self.events += 1;
        if !self.waits && self.events > MOST {
            return;
        }
        let result = self.show(word, trace);
        match result {
            Ok(Wish::Next) => {}
            Ok(Wish::Skip) if word == "call" => {
                self.quiet = Some(Some((trace.depth, trace.goal.span)));
            }
            Ok(Wish::Skip) => {}
            Ok(Wish::Leap) => self.quiet = Some(None),
            Ok(Wish::All) => self.waits = false,
            Ok(Wish::Enough | Wish::Entry(_)) => self.stop = Some(None),
            Err(stop) => self.stop = Some(Some(stop)),
        }
        if self.stop.is_some() {
            // the rest of the evaluation is of no interest
            interrupt::press();
        }
    }

    fn show(&mut self, word: &str, trace: &Trace<'_>) -> Result<Wish, Stop> {
        let program = &self.referee.game.program;
        let indent = 7 + trace.depth.min(DEEPEST);
        let text =
            format!("{word:<5} {}{}", " ".repeat(trace.depth.min(DEEPEST)), told(program, trace));
        let width = self.console.width();
        let line = match trace.id {
            Some(_) if word == "call" => {
                fit_with_place(&text, &program.sources.place(trace.goal.span), width, indent)
            }
            _ => fit(&text, width, indent),
        };
        self.console.text(match word {
            "exit" => line.replacen(word, &self.console.green(word), 1),
            "fail" => line.replacen(word, &self.console.red(word), 1),
            _ => line.clone(),
        })?;
        if word == "exit" && trace.goal.is_update() {
            self.console.line("")?;
            let facts = trace.facts();
            let picture = self.referee.picture(&facts)?;
            self.console.text(self.referee.view.text(&picture, width))?;
            return Ok(Wish::Next);
        }
        if !self.waits {
            self.console.line("")?;
            return Ok(Wish::Next);
        }
        let key = self.console.key(Wish::AMONG_STEPS, &line)?;
        self.console.line("")?;
        Ok(Wish::among_steps(key))
    }
}

impl Observer for Tracer<'_, '_> {
    fn enter(&mut self, trace: &Trace<'_>) {
        self.event("call", trace);
    }

    fn answer(&mut self, trace: &Trace<'_>) {
        self.event("exit", trace);
    }

    fn fail(&mut self, trace: &Trace<'_>) {
        self.event("fail", trace);
    }

    fn made(&mut self, clause: ClauseId, facts: &Facts) {
        if self.stop.is_some() || self.quiet.is_some() {
            return;
        }
        let turn = facts.turn().map_or_else(String::new, |p| self.referee.name(p));
        let place = {
            let program = &self.referee.game.program;
            program.sources.place(program.clause(clause).span)
        };
        let text = format!("made   by {place}; then it is {turn}'s turn");
        if let Err(stop) = self.console.line(fit(&text, self.console.width(), 7)) {
            self.stop = Some(Some(stop));
        }
    }
}

/// Prints the calls of spied relations.
pub struct Spy<'p> {
    console: &'p Console,
    program: &'p Program,
    spied: Vec<(String, usize)>,
    told: usize,
}

impl<'p> Spy<'p> {
    pub fn new(prompt: &Prompt<'p>, program: &'p Program) -> Spy<'p> {
        Spy { console: prompt.console, program, spied: prompt.spied.clone(), told: 0 }
    }

    /// Whether no relation is spied.
    pub fn is_idle(&self) -> bool {
        self.spied.is_empty()
    }

    fn event(&mut self, word: &str, trace: &Trace<'_>) {
        let Some((name, arity)) = called(self.program, trace) else { return };
        if self.told > MOST || !self.spied.iter().any(|(n, a)| n == name && *a == arity) {
            return;
        }
        self.told += 1;
        let text = match self.told > MOST {
            true => "… no more is told".to_string(),
            false => format!("{word:<5} {}", told(self.program, trace)),
        };
        // a caller that cannot print the answer either reports the fault
        let _ = self.console.line(fit(&text, self.console.width(), 7));
    }
}

impl Observer for Spy<'_> {
    fn enter(&mut self, trace: &Trace<'_>) {
        self.event("call", trace);
    }

    fn answer(&mut self, trace: &Trace<'_>) {
        self.event("exit", trace);
    }

    fn fail(&mut self, trace: &Trace<'_>) {
        self.event("fail", trace);
    }
}
