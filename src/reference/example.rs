//! The examples and perft lines of rule files: goals that may also play moves, set up positions
//! and choose options.
//!
//! `after`, `given` and `options` change the position or the game, so they are interpreted here, with
//! the control goals around them; the goals inside them are ordinary questions. Values found by one
//! goal are substituted in the goals to its right.

use crate::diagnostic::Diagnostic;
use crate::program::{Kind, Purpose};
use crate::source::Span;
use crate::syntax::{Term, TermKind, print_term};

use super::facts::Facts;
use super::fault::{QueryError, RuleError};
use super::moves::Outcome;
use super::query::Bindings;
use super::{Reference, settle};

/// The result of an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExampleResult {
    /// It holds.
    Holds,
    /// It does not hold, with the reason as far as it is known.
    Fails(String),
}

/// Loads the same game with other values of some options, which are given as `(name, value)`.
pub type Reload<'l> = dyn Fn(&[(String, String)]) -> Result<Reference, Vec<Diagnostic>> + 'l;

/// Why an example cannot be decided.
enum Trouble {
    /// A move in it cannot be played.
    Unplayable(String),
    Error(QueryError),
}

/// A position of an example or a perft line, and how it came about.
struct At {
    facts: Facts,
    /// From the opening. What `options` changes begins with them again, in the other game.
    steps: Vec<Step>,
    /// The options that were chosen on the way.
    settings: Vec<(String, String)>,
}

/// What leads to another position.
#[derive(Clone)]
enum Step {
    Given(Term),
    After(Term),
}

impl From<RuleError> for Trouble {
    fn from(error: RuleError) -> Trouble {
        Trouble::Error(error.into())
    }
}

impl Trouble {
    /// The same in a perft line, where `part` leads to no position.
    fn of_perft(self, part: &Term) -> QueryError {
        match self {
            Trouble::Error(error) => error,
            Trouble::Unplayable(text) => {
                let fault = Diagnostic::error("perft-form", text).at(part.span, "no such position");
                QueryError::Question(vec![fault])
            }
        }
    }
}

impl From<QueryError> for Trouble {
    fn from(error: QueryError) -> Trouble {
        Trouble::Error(error)
    }
}

impl Reference {
    /// Runs an example from the opening. `reload` loads the game with other options.
    ///
    /// # Errors
    /// Errors in the goals of the example, or a rule error.
    pub fn run_example(
        &self,
        goal: &Term,
        reload: &Reload<'_>,
    ) -> Result<ExampleResult, QueryError> {
        match self.answers(goal, &self.beginning(), reload) {
            Ok(answers) if !answers.is_empty() => Ok(ExampleResult::Holds),
            Ok(_) => Ok(ExampleResult::Fails("it does not hold".to_string())),
            Err(Trouble::Unplayable(text)) => Ok(ExampleResult::Fails(text)),
            Err(Trouble::Error(error)) => Err(error),
        }
    }

    /// The count of a perft line's subject: a depth, perhaps inside `given`, `after` and `options`.
    ///
    /// # Errors
    /// Errors in the line, or a rule error.
    pub fn run_perft(&self, subject: &Term, reload: &Reload<'_>) -> Result<u64, QueryError> {
        self.perft_from(subject, &self.beginning(), reload)
    }

    fn beginning(&self) -> At {
        At { facts: self.opening(), steps: Vec::new(), settings: Vec::new() }
    }

    /// The position that a step leads to.
    fn stepped(&self, at: &At, step: Step) -> Result<At, Trouble> {
        let (facts, before) = match &step {
            Step::Given(updates) => (self.given(updates)?, &[][..]),
            Step::After(moves) => (self.after(&at.facts, moves)?, &at.steps[..]),
        };
        let steps = before.iter().cloned().chain([step]).collect();
        Ok(At { facts, steps, settings: at.settings.clone() })
    }

    /// The same game with other options, and the position that the same steps lead to in it.
    fn with_options(
        &self,
        options: &Term,
        at: &At,
        reload: &Reload<'_>,
    ) -> Result<(Reference, At), Trouble> {
        let mut chosen = at.settings.clone();
        chosen.extend(settings(options)?);
        let other = reload(&chosen).map_err(QueryError::Question)?;
        let beginning = At { settings: chosen, ..other.beginning() };
        let steps = at.steps.iter().cloned();
        let at = steps.into_iter().try_fold(beginning, |at, step| other.stepped(&at, step))?;
        Ok((other, at))
    }

    fn perft_from(&self, subject: &Term, at: &At, reload: &Reload<'_>) -> Result<u64, QueryError> {
        if let TermKind::Integer(depth) = subject.kind
            && let Ok(depth) = u32::try_from(depth)
        {
            return Ok(self.perft(&at.facts, depth)?);
        }
        match subject.functor() {
            Some(("given", [updates, inner])) => {
                let at = self.stepped(at, Step::Given(updates.clone()));
                self.perft_from(inner, &at.map_err(|t| t.of_perft(updates))?, reload)
            }
            Some(("after", [moves, inner])) => {
                let at = self.stepped(at, Step::After(moves.clone()));
                self.perft_from(inner, &at.map_err(|t| t.of_perft(moves))?, reload)
            }
            Some(("options", [options, inner])) => {
                let changed = self.with_options(options, at, reload);
                let (other, at) = changed.map_err(|t| t.of_perft(options))?;
                other.perft_from(inner, &at, reload)
            }
            _ => {
                let fault = Diagnostic::error("perft-form", "a perft line counts to a depth")
                    .at(subject.span, "expected a number, `given(…)`, `after(…)` or `options(…)`")
                    .hint("write `:- perft 3 = 504.` or `:- perft given([…], 3) = 504.`");
                Err(QueryError::Question(vec![fault]))
            }
        }
    }

    fn answers(&self, goal: &Term, at: &At, reload: &Reload<'_>) -> Result<Vec<Bindings>, Trouble> {
        match goal.functor() {
            // a conjunction is always split, so that each goal has its own local variables
            Some((",", [_, _])) => {}
            _ if !self.changes_position(goal) => {
                return Ok(self.ask(&at.facts, goal, Purpose::Question, None)?);
            }
            _ => {}
        }
        match goal.functor() {
            Some(("after", [moves, inner])) if !self.supposes(moves) => {
                let at = self.stepped(at, Step::After(moves.clone()))?;
                self.answers(inner, &at, reload)
            }
            Some(("given", [updates, inner])) => {
                let at = self.stepped(at, Step::Given(updates.clone()))?;
                self.answers(inner, &at, reload)
            }
            Some(("options", [options, inner])) => {
                let (other, at) = self.with_options(options, at, reload)?;
                other.answers(inner, &at, reload)
            }
            Some((",", [_, _])) => {
                let mut answers: Vec<Bindings> = vec![Vec::new()];
                for part in goal.flatten(",") {
                    let mut longer = Vec::new();
                    for known in answers {
                        for more in self.answers(&put_in(part, &known), at, reload)? {
                            longer.push(known.iter().cloned().chain(more).collect());
                        }
                    }
                    answers = longer;
                }
                Ok(answers)
            }
            Some((";", [left, right])) => {
                if let Some([condition, then]) = left.args_of("->", 2) {
                    return match self.answers(condition, at, reload)?.into_iter().next() {
                        Some(known) => self.answers(&put_in(then, &known), at, reload),
                        None => self.answers(right, at, reload),
                    };
                }
                let mut answers = self.answers(left, at, reload)?;
                answers.extend(self.answers(right, at, reload)?);
                Ok(answers)
            }
            Some(("\\+", [inner])) => match self.answers(inner, at, reload)?.is_empty() {
                true => Ok(vec![Vec::new()]),
                false => Ok(Vec::new()),
            },
            _ => Ok(self.ask(&at.facts, goal, Purpose::Question, None)?),
        }
    }

    fn after(&self, facts: &Facts, moves: &Term) -> Result<Facts, Trouble> {
        let TermKind::List(items, None) = &moves.kind else {
            let fault = Diagnostic::error("example-form", "`after` needs a list of moves")
                .at(moves.span, "not a list")
                .hint("write `after([mark(a1), mark(b2)], Goal)`");
            return Err(QueryError::Question(vec![fault]).into());
        };
        let unplayable = |i: usize, shown: &str, why: &str| {
            Trouble::Unplayable(format!("move {}, `{shown}`, {why}", i + 1))
        };
        let mut facts = facts.clone();
        for (i, mv) in items.iter().enumerate() {
            let shown = print_term(mv);
            if let Some(outcome) = self.outcome(&facts)? {
                let ended = self.ended(&outcome);
                let text = format!("the game is over before move {}, `{shown}`: {ended}", i + 1);
                return Err(Trouble::Unplayable(text));
            }
            // a move that is legal as it is written needs no look-up of other forms
            if let Some(next) = self.play(&facts, mv)? {
                facts = next;
                continue;
            }
            let next = match self.meant(&facts, mv)?.as_slice() {
                [] => return Err(unplayable(i, &shown, "is not legal")),
                [meant] => self.play(&facts, meant)?,
                _ => return Err(unplayable(i, &shown, "can mean several moves")),
            };
            facts = next.ok_or_else(|| unplayable(i, &shown, "is not legal"))?;
        }
        Ok(facts)
    }

    /// How a game has ended, in a few words.
    fn ended(&self, outcome: &Outcome) -> String {
        let names: Vec<String> = outcome.winners.iter().map(|p| self.words(*p)).collect();
        let won = match names.is_empty() {
            true if self.program.players.len() == 1 => "it has a score".to_string(),
            true => "a draw".to_string(),
            false => format!("a win for {}", names.join(" and ")),
        };
        match outcome.clause {
            Some(clause) => {
                let name = self.program.end_name(clause).map(|name| format!(", {name}"));
                let place = self.program.sources.place(self.program.clause(clause).span);
                format!("{won}{} ({place})", name.unwrap_or_default())
            }
            None => format!("{won}, as nobody can move"),
        }
    }

    /// The players who have won, by the outcome of the game: the answers of an example's `win(P)`.
    ///
    /// # Errors
    /// A rule error.
    pub fn winners(&self, facts: &Facts) -> Result<Vec<crate::program::Value>, RuleError> {
        let outcome = settle(super::Run::new(self, facts).outcome())?;
        Ok(outcome.map(|o| o.winners).unwrap_or_default())
    }
}

impl Reference {
    /// Whether a goal plays moves, sets up a position or chooses options.
    fn changes_position(&self, goal: &Term) -> bool {
        match goal.functor() {
            Some(("after", [first, _])) => !self.supposes(first),
            Some(("given" | "options", [_, _])) => true,
            Some(("," | ";" | "->", [_, _])) => {
                let Some((name, _)) = goal.functor() else { return false };
                goal.flatten(name).into_iter().any(|part| {
                    // the last item of a conjunction may have the same name only if it is not a
                    // conjunction
                    part.functor().is_some_and(|(inner, _)| inner != name)
                        && self.changes_position(part)
                })
            }
            Some(("\\+", [inner])) => self.changes_position(inner),
            _ => false,
        }
    }

    /// Whether the first argument of `after` updates something, rather than lists moves.
    fn supposes(&self, first: &Term) -> bool {
        let Some((name, args)) = first.functor() else { return false };
        let action = || {
            let called = self.program.find_relation(name, args.len());
            called.is_some_and(|id| self.program.relation(id).kind == Kind::Action)
        };
        match (name, args.len()) {
            (":=" | "+=" | "-=" | "each", 2) | ("set" | "clear", 1) => true,
            ("," | ";" | "->", 2) | ("once", 1) => args.iter().any(|part| self.supposes(part)),
            _ => action(),
        }
    }
}

/// A goal with the values of some variables in their places.
fn put_in(goal: &Term, known: &Bindings) -> Term {
    if known.is_empty() {
        return goal.clone();
    }
    let inner = |terms: &[Term]| terms.iter().map(|t| put_in(t, known)).collect();
    let kind = match &goal.kind {
        TermKind::Variable(name) => match known.iter().find(|(n, _)| n == name) {
            Some((_, value)) => value.kind.clone(),
            None => goal.kind.clone(),
        },
        TermKind::Compound(name, args) => TermKind::Compound(name.clone(), inner(args)),
        TermKind::List(items, tail) => {
            TermKind::List(inner(items), tail.as_ref().map(|t| Box::new(put_in(t, known))))
        }
        other => other.clone(),
    };
    Term::new(kind, goal.span)
}

/// `(name = value, …)` as names and values.
fn settings(options: &Term) -> Result<Vec<(String, String)>, QueryError> {
    let mut settings = Vec::new();
    for part in options.flatten(",") {
        match part.args_of("=", 2) {
            Some([Term { kind: TermKind::Atom(name), .. }, value]) => {
                settings.push((name.clone(), print_term(value)));
            }
            _ => {
                let span: Span = part.span;
                let fault = Diagnostic::error("example-form", "this sets no option")
                    .at(span, "expected `name = value`")
                    .hint("write `options((flying = yes, counters = 11), Goal)`");
                return Err(QueryError::Question(vec![fault]));
            }
        }
    }
    Ok(settings)
}
