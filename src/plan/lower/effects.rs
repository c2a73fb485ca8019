//! Which fluents a goal reads and writes, the relations and actions that it calls included.

use rustc_hash::FxHashSet;

use crate::program::{FluentId, GoalKind, Kind, RelationId};

use super::Lowering;
use super::goals::{Expr, G};

/// The fluents that goals read or write.
#[derive(Debug, Clone, Default)]
pub(super) struct Fluents {
    some: FxHashSet<FluentId>,
    /// All fluents, or something outside the state, such as earlier positions.
    all: bool,
}

impl Fluents {
    fn add(&mut self, fluent: FluentId) {
        self.some.insert(fluent);
    }

    pub(super) fn meets(&self, other: &Fluents) -> bool {
        let (some, others) = (&self.some, &other.some);
        self.all && (other.all || !others.is_empty())
            || other.all && !some.is_empty()
            || !some.is_disjoint(others)
    }
}

impl Lowering<'_> {
    /// Adds what a goal reads.
    pub(super) fn add_reads(&self, goal: &G, into: &mut Fluents) {
        fn expression(e: &Expr, into: &mut Fluents) {
            match e {
                Expr::Arg(_) => {}
                Expr::Read(fluent, _) => into.add(*fluent),
                Expr::Op(_, args) => args.iter().for_each(|e| expression(e, into)),
            }
        }
        match goal {
            G::Read(fluent, ..) => into.add(*fluent),
            G::Compare(_, a, b, _) | G::In(_, a, b, _) => {
                expression(a, into);
                expression(b, into);
            }
            G::Is(_, e, _) | G::AssignNumber(_, _, e, _) => expression(e, into),
            G::Call(id, _) if self.program.relations.get(id.0 as usize).is_some() => {
                self.each_reached(*id, &mut |kind, goals| {
                    if let Kind::Fluent(fluent) = kind {
                        into.add(fluent);
                    }
                    into.all |= goals.iter().any(|goal| goal.looks_around());
                });
            }
            G::Call(..) | G::Legal(_) | G::LegalMove(_) | G::Repeated(..) | G::Stuck => {
                into.all = true;
            }
            G::Not(inner) | G::Once(inner) | G::Aggregate(_, _, inner, ..) => {
                inner.iter().for_each(|g| self.add_reads(g, into));
            }
            G::Or(branches) => branches.iter().flatten().for_each(|g| self.add_reads(g, into)),
            G::If(c, t, e) => c.iter().chain(t).chain(e).for_each(|g| self.add_reads(g, into)),
            G::Each(a, b, _) => a.iter().chain(b).for_each(|g| self.add_reads(g, into)),
            G::Fail
            | G::Static(..)
            | G::Functor(..)
            | G::Same(..)
            | G::Member(..)
            | G::Length(..)
            | G::List(..)
            | G::Assign(..)
            | G::Clear(..)
            | G::Set(..)
            | G::Again
            | G::Cut => {}
        }
    }

    /// Adds what a goal writes.
    pub(super) fn add_writes(&self, goal: &G, into: &mut Fluents) {
        match goal {
            G::Assign(fluent, ..)
            | G::AssignNumber(fluent, ..)
            | G::Clear(fluent, ..)
            | G::Set(fluent, ..) => into.add(*fluent),
            G::Again => into.add(FluentId::TURN),
            G::Call(id, _) if self.acts(goal) => {
                self.each_reached(*id, &mut |_, goals| {
                    for goal in goals {
                        if let Some((fluent, _)) = goal.updated() {
                            into.add(fluent);
                        } else if goal.kind == GoalKind::Again {
                            into.add(FluentId::TURN);
                        }
                    }
                });
            }
            G::Once(inner) => inner.iter().for_each(|g| self.add_writes(g, into)),
            G::Or(branches) => branches.iter().flatten().for_each(|g| self.add_writes(g, into)),
            G::If(c, t, e) => c.iter().chain(t).chain(e).for_each(|g| self.add_writes(g, into)),
            G::Each(_, action, _) => action.iter().for_each(|g| self.add_writes(g, into)),
            _ => {}
        }
    }

    /// Calls `visit` for a relation and each that it uses, with its kind and all goals of its
    /// clauses.
    fn each_reached(
        &self,
        from: RelationId,
        visit: &mut dyn FnMut(Kind, &[&crate::program::Goal]),
    ) {
        let (mut seen, mut rest) = (FxHashSet::from_iter([from]), vec![from]);
        while let Some(id) = rest.pop() {
            let relation = self.program.relation(id);
            let mut goals = Vec::new();
            for clause in &relation.clauses {
                self.program.clause(*clause).body.walk(&mut |goal| goals.push(goal));
            }
            visit(relation.kind, &goals);
            rest.extend(
                self.program.graph.calls(id).map(|(to, _)| to).filter(|to| seen.insert(*to)),
            );
        }
    }
}
