//! What an action that goes down a list asks of each item, asked of all items before the action is called.
//!
//! ```text
//! cover([], _, _).
//! cover([E|L], A, P) :- part(E, A, B), \+ at(B, _), at(B) := P, cover(L, A, P).
//! ```
//!
//! For each item `part(E, A, B)` and `\+ at(B, _)` hold when its turn comes. The updates before that only add to `at`, so
//! they hold before these as well: `\+ (member(E, L), \+ (part(E, A, B), \+ at(B, _)))`, which is a set of sites `A`, follows
//! from the call.

use crate::program::{Clause, ClauseId, GoalKind, RelationId, Term};

use super::Lowering;
use super::effects::Fluents;
use super::forms::{mapped, stateless};
use super::goals::{Arg, G, Var, Vars};
use super::hoist::is_known;

/// What updates may have changed.
#[derive(Clone, Default)]
struct Changes {
    /// What has been given values, or has become a member.
    gained: Fluents,
    /// What may have changed in another way.
    changed: Fluents,
}

impl Lowering<'_> {
    /// Adds to the goals before an update what the calls behind it ask of each item of a list.
    pub(super) fn ask_items(&mut self, before: &mut Vec<G>, after: &[G], vars: &mut Vars) {
        let mut known = Vec::new();
        before.iter().for_each(|g| g.each_var(&mut |v| known.push(v)));
        let mut changes = Changes::default();
        for goal in after {
            // a test that fails must not hide a rule error
            if self.raises(goal) {
                break;
            }
            if let G::Call(id, args) = goal
                && self.acts(goal)
                && args.iter().all(|arg| is_known(arg, &known))
                && let Some(test) = self.asked_of_items(*id, args, changes.clone(), vars)
            {
                self.put_in_place(&test, goal);
                before.push(test);
            }
            self.note_change(goal, &mut changes);
        }
    }

    fn note_change(&self, goal: &G, changes: &mut Changes) {
        let kind = match goal {
            G::Assign(..) | G::Set(..) => &mut changes.gained,
            _ => &mut changes.changed,
        };
        self.add_writes(goal, kind);
    }

    /// The test that all items meet what the action asks of them, as far as no update can make it true.
    fn asked_of_items(
        &mut self,
        id: RelationId,
        args: &[Arg],
        mut changes: Changes,
        vars: &mut Vars,
    ) -> Option<G> {
        let (clause_id, column) = self.item_by_item(id)?;
        let list = args[column];
        let fixed = match list {
            Arg::Const(_) => true,
            Arg::Var(v) => !vars.all[v].domain.lists && !vars.all[v].domain.top,
        };
        if !fixed {
            return None;
        }
        let clause = self.program.clause(clause_id);
        let mut scope = self.scope(clause_id);
        let mut goals = Vec::new();
        let head: Vec<Arg> =
            (clause.head.iter()).map(|term| self.arg(&mut scope, term, vars, &mut goals)).collect();
        goals.extend(self.goals(&mut scope, &clause.body, vars));
        let item = goals.iter().find_map(|goal| match goal {
            G::List(whole, items, _) if *whole == head[column] => items.first().copied(),
            _ => None,
        });
        let Some(Arg::Var(item)) = item else { return None };
        let first = goals.iter().position(|goal| self.acts(goal))?;
        for goal in &goals[first..] {
            if !matches!(goal, G::Call(called, _) if *called == id) {
                self.note_change(goal, &mut changes);
            }
        }
        let mut given: Vec<Var> = vec![item];
        given.extend(head.iter().enumerate().filter_map(|(at, arg)| match arg {
            Arg::Var(v) if at != column => Some(*v),
            _ => None,
        }));
        let asked: Vec<G> = (goals[..first].iter())
            .filter(|goal| self.holds_before(goal, &goals, &changes))
            .cloned()
            .collect();
        let asked = without_open(asked, &goals, &given);
        let reads = asked.iter().any(|goal| !stateless(goal));
        let given_as = |arg: Arg| {
            let at = head.iter().enumerate().position(|(at, own)| at != column && *own == arg);
            at.map_or(arg, |at| args[at])
        };
        let asked: Option<Vec<G>> =
            asked.iter().map(|goal| mapped(goal, &mut |arg| given_as(arg))).collect();
        let asked = asked.filter(|_| reads)?;
        Some(G::Not(vec![G::Member(Arg::Var(item), list), G::Not(asked)]))
    }

    /// The clause of an action with its only recursive call, and the argument that is a list in it of which the call gets the
    /// rest, and the other arguments as they are. The action ends with the list.
    fn item_by_item(&self, id: RelationId) -> Option<(ClauseId, usize)> {
        let program = self.program;
        let relation = program.relation(id);
        if !relation.recursive || !program.graph.is_alone(id) {
            return None;
        }
        let alive = self.alive_clauses(id).into_iter();
        let (recursive, last): (Vec<ClauseId>, Vec<ClauseId>) =
            alive.partition(|clause| self.recursive_calls(*clause, id) > 0);
        let &[clause] = recursive.as_slice() else { return None };
        let column = rest_of_list(program.clause(clause), id)?;
        let ends = last.iter().all(|last| match &program.clause(*last).head[column] {
            Term::Constant(value) => {
                self.items_of(self.universes.code(*value)).is_some_and(|items| items.is_empty())
            }
            Term::List(items, tail) => items.is_empty() && tail.is_none(),
            _ => false,
        });
        let passed = (0..relation.arity).all(|at| at == column || self.passed_on(id, at));
        (ends && passed && self.recursive_calls(clause, id) == 1).then_some((clause, column))
    }

    /// Whether a goal that holds after these changes held before them.
    fn holds_before(&self, goal: &G, all: &[G], changes: &Changes) -> bool {
        let (mut read, supported) = (Fluents::default(), mapped(goal, &mut |arg| arg).is_some());
        self.add_reads(goal, &mut read);
        if !supported || self.raises(goal) || read.meets(&changes.changed) {
            return false;
        }
        let undefined = match goal {
            G::Not(inner) => match inner.as_slice() {
                [G::Read(_, _, None)] => true,
                [G::Read(_, _, Some(Arg::Var(v)))] => {
                    let mut count = 0;
                    all.iter()
                        .for_each(|g| g.each_var(&mut |other| count += usize::from(other == *v)));
                    count == 1
                }
                _ => false,
            },
            _ => false,
        };
        let calls = matches!(goal, G::Call(..));
        !calls && (undefined || !read.meets(&changes.gained))
    }
}

/// The argument that is `[E|L]` in the head and `L` in the recursive call.
fn rest_of_list(clause: &Clause, id: RelationId) -> Option<usize> {
    let goals = clause.body.conjuncts();
    let args = goals.iter().find_map(|goal| match &goal.kind {
        GoalKind::Call(called, args) if *called == id => Some(args),
        _ => None,
    })?;
    (clause.head.iter().zip(args)).position(|(own, passed)| match own {
        Term::List(items, Some(tail)) => {
            items.len() == 1 && matches!(**tail, Term::Variable(_)) && **tail == *passed
        }
        _ => false,
    })
}

/// The goals without those that test a variable to which the others give no value.
fn without_open(mut asked: Vec<G>, all: &[G], given: &[Var]) -> Vec<G> {
    loop {
        let mut known = given.to_vec();
        for goal in &asked {
            if matches!(
                goal,
                G::Static(..) | G::Functor(..) | G::Read(..) | G::Is(..) | G::Same(..)
            ) {
                goal.each_var(&mut |v| known.push(v));
            }
        }
        let count = asked.len();
        asked.retain(|goal| {
            let mut closed = true;
            match goal {
                G::Static(..) | G::Functor(..) | G::Read(..) => {}
                G::Is(_, e, _) => e.each_var(&mut |v| closed &= known.contains(&v)),
                _ => goal.each_var(&mut |v| {
                    let elsewhere = all.iter().any(|other| {
                        let mut found = false;
                        other.each_var(&mut |w| found |= w == v);
                        found && other != goal
                    });
                    closed &= known.contains(&v) || !elsewhere;
                }),
            }
            closed
        });
        if asked.len() == count {
            return asked;
        }
    }
}
