//! `each(Goal, at(B) := old(at(A)))`: `old` reads the state before the `each`, so that all of its updates count
//! as made at once. What is read is found with the answers of the goal, which come before the first update.
//!
//! For a map with initial values the goal reads the value: `each((Goal, at(A, V)), at(B) := V)`; an answer for which
//! the map has no such key is left out. Any other map may have no value, and then the update clears: the goal ends
//! with `( at(A, V) -> X = old(V) ; X = none )`, and the action is `( X = old(W) -> at(B) := W ; clear(at(B)) )`.

use rustc_hash::FxHashSet;

use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::{self, print_term};

use super::resolve::Resolver;
use super::{Expression, FluentId, FluentShape, Goal, GoalKind, Term, VariableId};

/// What the action of an `each` reads from the state before it.
#[derive(Debug)]
pub(super) struct Olds {
    /// The variables that have a value when the answers of the goal are found.
    known: FxHashSet<VariableId>,
    /// The goals that read it.
    goals: Vec<Goal>,
}

const OLD: &str = "old";
const NONE: &str = "none";

/// Where `old` stands.
pub(super) const HINT: &str =
    "`old` stands in an update in the action of an `each`: `each(Goal, at(B) := old(at(A)))`";

/// `old(place)`: the place that is read.
pub(super) fn read_before(value: &syntax::Term) -> Option<&syntax::Term> {
    value.args_of(OLD, 1).map(|args| &args[0])
}

impl Resolver {
    /// `each(goal, action)`.
    pub(super) fn each(&mut self, goal: &syntax::Term, action: &syntax::Term) -> GoalKind {
        let mut goal = self.goal(goal);
        let known = self.open.clone();
        let outer = self.olds.replace(Olds { known, goals: Vec::new() });
        let action = self.goal(action);
        let olds = std::mem::replace(&mut self.olds, outer);
        let read = olds.map(|olds| olds.goals).unwrap_or_default();
        if !read.is_empty() {
            let span = goal.span;
            let first = std::mem::replace(&mut goal, Goal::new(GoalKind::True, span));
            goal.kind = GoalKind::And(std::iter::once(first).chain(read).collect());
        }
        GoalKind::Each(Box::new(goal), Box::new(action))
    }

    /// `place := old(read)`.
    pub(super) fn assign_old(
        &mut self,
        fluent: FluentId,
        keys: Vec<Term>,
        read: &syntax::Term,
        span: Span,
    ) -> GoalKind {
        let Some((source, places)) = self.old_place(read, span) else { return GoalKind::Fail };
        if self.is_total(source) {
            let value = Term::Variable(self.read_old(source, places, span));
            return GoalKind::Assign(fluent, keys, value);
        }
        let (before, kept) = (
            self.fresh("Before".to_string(), span),
            Term::Variable(self.fresh("Old".to_string(), span)),
        );
        let values = &mut self.program.values;
        let none = Term::Constant(values.atom(NONE));
        let wrapped = |v: Term| Term::Compound(OLD.to_string(), vec![v]);
        let goal = |kind: GoalKind| Box::new(Goal::new(kind, span));
        let is = |term: Term| goal(GoalKind::Unify(Term::Variable(before), term));
        let found = self.fresh("Old".to_string(), span);
        let relation = self.program.fluent(source).relation;
        let terms = places.into_iter().chain([Term::Variable(found)]).collect();
        let read = GoalKind::If(
            goal(GoalKind::Call(relation, terms)),
            is(wrapped(Term::Variable(found))),
            is(none),
        );
        self.olds.iter_mut().for_each(|olds| olds.goals.push(Goal::new(read.clone(), span)));
        GoalKind::If(
            is(wrapped(kept.clone())),
            goal(GoalKind::Assign(fluent, keys.clone(), kept)),
            goal(GoalKind::Clear(fluent, keys)),
        )
    }

    /// `old(read)` as a number.
    pub(super) fn old_number(&mut self, read: &syntax::Term, span: Span) -> Expression {
        let Some((source, places)) = self.old_place(read, span) else {
            return Expression::Integer(0);
        };
        if !self.is_total(source) {
            let name = self.program.fluent(source).name.clone();
            self.fault(
                Diagnostic::error(
                    "old-form",
                    format!("`{name}` may have no value to calculate with"),
                )
                .at(span, "read before the `each`")
                .hint("declare it with an initial value, or read it in the goal of the `each`"),
            );
            return Expression::Integer(0);
        }
        Expression::Variable(self.read_old(source, places, span))
    }

    fn is_total(&self, fluent: FluentId) -> bool {
        let shape = &self.program.fluent(fluent).shape;
        fluent == FluentId::TURN || matches!(shape, FluentShape::Map { initial: Some(_), .. })
    }

    /// A variable for the value that a map with initial values has before the `each`.
    fn read_old(&mut self, source: FluentId, places: Vec<Term>, span: Span) -> VariableId {
        let value = self.fresh("Old".to_string(), span);
        let relation = self.program.fluent(source).relation;
        let terms = places.into_iter().chain([Term::Variable(value)]).collect();
        let read = Goal::new(GoalKind::Call(relation, terms), span);
        self.olds.iter_mut().for_each(|olds| olds.goals.push(read.clone()));
        value
    }

    /// The map and the keys that are read, where `old` may stand.
    fn old_place(&mut self, read: &syntax::Term, span: Span) -> Option<(FluentId, Vec<Term>)> {
        if self.olds.is_none() {
            self.fault(
                Diagnostic::error("old-form", "`old` stands in the action of an `each`")
                    .at(span, "there is no `each` around it")
                    .hint("read the state in a goal before the update: `at(A, X), at(B) := X`"),
            );
            return None;
        }
        let found = read.functor().and_then(|(name, args)| {
            let fluent = self.program.find_fluent(name, args.len())?;
            let map = matches!(self.program.fluent(fluent).shape, FluentShape::Map { .. });
            map.then_some((fluent, args))
        });
        let Some((fluent, args)) = found else {
            self.fault(
                Diagnostic::error(
                    "old-form",
                    format!("`{}` is not a map of the state", print_term(read)),
                )
                .at(read.span, "`old` reads a map with its keys")
                .hint("write `at(B) := old(at(A))`"),
            );
            return None;
        };
        let keys: Vec<Term> = args.iter().map(|arg| self.term(arg)).collect();
        for (key, arg) in keys.iter().zip(args) {
            let mut later = false;
            let known = self.olds.as_ref().map(|olds| &olds.known);
            key.each_variable(&mut |v| later |= known.is_some_and(|known| !known.contains(&v)));
            if later {
                let shown = print_term(arg);
                self.fault(
                    Diagnostic::error(
                        "old-form",
                        format!("`{shown}` is not known before the updates"),
                    )
                    .at(arg.span, "the goal of the `each` gives it no value")
                    .hint("find it in the goal: what `old` reads is read with its answers"),
                );
                return None;
            }
        }
        Some((fluent, keys))
    }
}
