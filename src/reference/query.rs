//! Questions from outside: goals about a position, and positions made by updates.

use std::ops::ControlFlow;
use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::diagnostic::Diagnostic;
use crate::goals::Evaluator as _;
use crate::program::{FluentId, FluentShape, Purpose, Question, Value, Values, resolve_goal};
use crate::source::Span;
use crate::syntax::{Term, TermKind};

use super::facts::Facts;
use super::fault::{QueryError, RuleError};
use super::observe::Observer;
use super::run::{Run, Stop};
use super::{Reference, settle};
use crate::goals::Environment;
use crate::goals::found;

/// One answer: the question's variables with their values, in order of their first use.
pub type Bindings = Vec<(String, Term)>;

impl Reference {
    /// The distinct answers of a goal, without variables whose names begin with `_`.
    ///
    /// # Errors
    /// Errors in the goal, or a rule error.
    pub fn query(&self, facts: &Facts, goal: &Term) -> Result<Vec<Bindings>, QueryError> {
        self.ask(facts, goal, Purpose::Question, None)
    }

    /// As [`Reference::query`], with an observer that receives every goal that is tried.
    ///
    /// # Errors
    /// Errors in the goal, or a rule error.
    pub fn query_observed(
        &self,
        facts: &Facts,
        goal: &Term,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Bindings>, QueryError> {
        self.ask(facts, goal, Purpose::Question, Some(observer))
    }

    /// Tries one move or chance event by each clause that could make it, with an observer that
    /// receives every goal that is tried. True where some clause makes it; ranks are not
    /// considered.
    ///
    /// # Errors
    /// A rule error.
    pub fn observe_move(
        &self,
        facts: &Facts,
        mv: &Term,
        observer: &mut dyn Observer,
    ) -> Result<bool, RuleError> {
        let mut run = Run::new(self, facts).observed(observer);
        let Some(mv) = run.values.from_term(mv) else { return Ok(false) };
        settle(run.attempt(mv))
    }

    pub(crate) fn ask(
        &self,
        facts: &Facts,
        goal: &Term,
        purpose: Purpose,
        observer: Option<&mut dyn Observer>,
    ) -> Result<Vec<Bindings>, QueryError> {
        let question = resolve_goal(&self.program, &self.values, goal, purpose)
            .map_err(QueryError::Question)?;
        let faults = self.judge.as_ref().map(|judge| judge.0(&question)).unwrap_or_default();
        if !faults.is_empty() {
            return Err(QueryError::Question(faults));
        }
        let mut answers = Vec::new();
        let mut keep = |bindings: Bindings| {
            answers.push(bindings);
            ControlFlow::Continue(())
        };
        self.each_answer(facts, &question, observer, &mut keep)?;
        Ok(answers)
    }

    /// Passes each distinct answer of a resolved question to `receive` as soon as it is found,
    /// until that wants no more. Answers are without variables whose names begin with `_`.
    ///
    /// # Errors
    /// A rule error; the answers before it have been passed on.
    pub fn each_answer(
        &self,
        facts: &Facts,
        question: &Question,
        observer: Option<&mut dyn Observer>,
        receive: &mut dyn FnMut(Bindings) -> ControlFlow<()>,
    ) -> Result<(), RuleError> {
        let mut run = Run::asking(self, facts, question);
        if let Some(observer) = observer {
            run = run.observed(observer);
        }
        let clause = &question.clause;
        let told: Vec<usize> = (0..clause.variables.len())
            .filter(|i| !clause.variables[*i].name.starts_with('_'))
            .collect();
        let mut env = Environment::new(None, 0, clause.variables.len());
        let mut answers: IndexSet<Vec<Option<Value>>, FxBuildHasher> = IndexSet::default();
        settle(found(run.goal(&clause.body, &mut env, &mut |run, env| {
            let answer: Vec<Option<Value>> = told.iter().map(|i| env.slots[*i]).collect();
            if !answers.insert(answer.clone()) {
                return ControlFlow::Continue(());
            }
            run.keep(env)?;
            let named = told.iter().zip(answer).filter_map(|(i, value)| {
                value.map(|v| (clause.variables[*i].name.clone(), run.values.to_term(v)))
            });
            // there is only one answer without variables
            match receive(named.collect()) {
                ControlFlow::Continue(()) if !told.is_empty() => ControlFlow::Continue(()),
                _ => ControlFlow::Break(Stop::Enough),
            }
        })))?;
        Ok(())
    }

    /// The position described by a text or a list, starting from the [empty](Reference::empty) one.
    /// A list has texts, which are the rows of the board or the whole board, and then updates.
    ///
    /// # Errors
    /// Errors in the updates, or a value outside its domain.
    pub fn given(&self, updates: &Term) -> Result<Facts, QueryError> {
        self.changed(&self.empty(), updates)
    }

    /// As [`Reference::given`], starting from another position.
    ///
    /// # Errors
    /// Errors in the updates, or a value outside its domain.
    pub fn changed(&self, facts: &Facts, updates: &Term) -> Result<Facts, QueryError> {
        let wrong = |text: &str| {
            let fault = Diagnostic::error("position-form", "a position is a list of updates")
                .at(updates.span, text)
                .hint("write `[at(a1) := x, turn := o]`, or the board as text: `\"x../.o./...\"`");
            QueryError::Question(vec![fault])
        };
        let items = match &updates.kind {
            TermKind::List(items, None) => items.as_slice(),
            TermKind::Text(_) => std::slice::from_ref(updates),
            _ => return Err(wrong("neither a list nor a text")),
        };
        let (mut facts, mut items) = (facts.clone(), items);
        let text = |item: &Term| match &item.kind {
            TermKind::Text(text) => Some(text.clone()),
            _ => None,
        };
        let rows: Vec<String> = items.iter().map_while(text).collect();
        if let [first, ..] = &items[..rows.len()] {
            let span = first.span.to(items[rows.len() - 1].span);
            facts = self.position_of(&facts, &rows.join("\n"), span)?;
            items = &items[rows.len()..];
        }
        // long positions are split, so that terms do not nest too deeply
        for part in items.chunks(100) {
            facts = self.updated(&facts, part)?;
        }
        Ok(facts)
    }

    fn updated(&self, facts: &Facts, updates: &[Term]) -> Result<Facts, QueryError> {
        let Some((last, front)) = updates.split_last() else { return Ok(facts.clone()) };
        let goal = front.iter().rev().fold(last.clone(), |rest, update| {
            let span = update.span.to(rest.span);
            Term::new(TermKind::Compound(",".to_string(), vec![update.clone(), rest]), span)
        });
        let question = resolve_goal(&self.program, &self.values, &goal, Purpose::Position)
            .map_err(QueryError::Question)?;
        let mut run = Run::asking(self, facts, &question);
        let mut env = Environment::new(None, 0, question.clause.variables.len());
        let mut made = None;
        settle(run.goal(&question.clause.body, &mut env, &mut |run, _| {
            made = Some(Facts { maps: run.state.clone(), past: facts.past.clone() });
            ControlFlow::Continue(())
        }))?;
        made.ok_or_else(|| {
            let fault = Diagnostic::error("position-form", "an update of the position fails")
                .at(goal.span, "it calculates with a map that has no value");
            QueryError::Question(vec![fault])
        })
    }

    /// The updates that turn the [empty](Reference::empty) position into this one, as rule files
    /// write them. They do not include `mover`, `ply` and earlier positions.
    pub fn updates(&self, facts: &Facts) -> Vec<Term> {
        self.updates_from(&self.empty, facts)
    }

    /// The updates that turn one position into another, without `mover` and `ply`.
    pub(crate) fn updates_from(&self, from: &Facts, facts: &Facts) -> Vec<Term> {
        let mut updates = Vec::new();
        for (i, fluent) in self.program.fluents.iter().enumerate() {
            let id = FluentId(i as u32);
            if id == FluentId::MOVER || id == FluentId::PLY {
                continue;
            }
            let now = facts.iter(id).map(|(keys, value)| (keys.to_vec(), Some(value)));
            let gone = from.iter(id).filter(|(keys, _)| facts.get(id, keys).is_none());
            let all = now.chain(gone.map(|(keys, _)| (keys.to_vec(), None)));
            for (keys, value) in all.filter(|(keys, value)| from.get(id, keys) != *value) {
                let place = compound(&fluent.name, self.terms(&keys));
                updates.push(match (value, &fluent.shape) {
                    (None, _) => compound("clear", vec![place]),
                    (Some(_), FluentShape::Set) => compound("set", vec![place]),
                    (Some(value), FluentShape::Map { .. }) => {
                        compound(":=", vec![place, self.values.to_term(value)])
                    }
                });
            }
        }
        updates
    }

    /// The updates that set `mover` and `ply`, which the interpreter maintains.
    pub fn kept(&self, facts: &Facts) -> Vec<Term> {
        let mut updates = Vec::new();
        for id in [FluentId::MOVER, FluentId::PLY] {
            if let Some(value) = facts.get(id, &[]).filter(|v| self.empty.get(id, &[]) != Some(*v))
            {
                let place = compound(&self.program.fluent(id).name, Vec::new());
                updates.push(compound(":=", vec![place, self.values.to_term(value)]));
            }
        }
        updates
    }

    fn terms(&self, values: &[Value]) -> Vec<Term> {
        values.iter().map(|v| self.values.to_term(*v)).collect()
    }

    /// The program's constants.
    pub fn values(&self) -> &Arc<Values> {
        &self.values
    }
}

fn compound(name: &str, args: Vec<Term>) -> Term {
    let kind = match args.is_empty() {
        true => TermKind::Atom(name.to_string()),
        false => TermKind::Compound(name.to_string(), args),
    };
    Term::new(kind, Span::NONE)
}
