//! Tests that every answer of a recursive relation passes, and that cost less than a flood.
//!
//! Each clause of `caught(P, Dir, D)` asks for `opponent(P, You), at(D, You)`. Where a call gives
//! all arguments, that test alone most often fails, and the flood is not made.

use crate::program::{ClauseId, FluentId, Goal, GoalKind, Kind, RelationId};

use super::super::domains::Abstract;
use super::forms::mapped;
use super::goals::{Arg, G, Var, Vars};
use super::joins::Relation;
use super::order::BlockState;
use super::procedures::FLOOD;
use super::tables::TableRef;
use super::{Code, Lowering};

/// A value in a goal of a clause, expressed by the arguments of its head.
#[derive(Debug, Clone, PartialEq)]
enum Known {
    Argument(usize),
    Constant(Code),
    /// The value that a static goal with at most one answer gives.
    Given {
        table: TableRef,
        /// Its arguments; `None` is the value.
        arguments: Vec<Option<Known>>,
        domain: Abstract,
    },
}

/// A test of the state.
#[derive(Debug, Clone, PartialEq)]
struct Required {
    fluent: FluentId,
    keys: Vec<Known>,
    value: Option<Known>,
}

impl Required {
    /// Calls `visit` for each argument of the head that the test uses.
    fn each_argument(&self, visit: &mut dyn FnMut(usize)) {
        self.keys.iter().chain(&self.value).for_each(|known| known.each_argument(visit));
    }
}

impl Known {
    fn each_argument(&self, visit: &mut dyn FnMut(usize)) {
        match self {
            Known::Argument(at) => visit(*at),
            Known::Constant(_) => {}
            Known::Given { arguments, .. } => {
                arguments.iter().flatten().for_each(|known| known.each_argument(visit));
            }
        }
    }
}

/// The goals of one clause.
struct Body {
    head: Vec<Arg>,
    goals: Vec<G>,
    vars: Vars,
}

impl Lowering<'_> {
    /// Goals that hold wherever this call does, with one answer at most.
    pub(super) fn required(&mut self, id: RelationId, args: &[Arg], vars: &mut Vars) -> Vec<G> {
        let common = self.common(&self.program.relation(id).clauses);
        self.as_goals(common, args, vars)
    }

    /// The same by the clauses that a recursion begins with, for arguments that it passes on: where
    /// one of these goals fails there is no answer, and no goal of the relation is a rule error.
    pub(super) fn required_first(
        &mut self,
        id: RelationId,
        args: &[Arg],
        vars: &mut Vars,
    ) -> Vec<G> {
        let program = self.program;
        let relation = program.relation(id);
        let alone = program.graph.is_alone(id);
        let recursive =
            |goal: &Goal| matches!(&goal.kind, GoalKind::Call(called, _) if *called == id);
        let fails_safely = |clause: &ClauseId| {
            let goals = program.clause(*clause).body.conjuncts();
            let before = goals.iter().position(recursive).unwrap_or(goals.len());
            let seed = self.recursive_calls(*clause, id) == 0;
            (seed || before < goals.len()) && !goals[..before].iter().any(|g| self.may_raise(g))
        };
        if !relation.recursive || !alone || !relation.clauses.iter().all(fails_safely) {
            return Vec::new();
        }
        let seeds: Vec<ClauseId> = (relation.clauses.iter().copied())
            .filter(|clause| self.recursive_calls(*clause, id) == 0)
            .collect();
        let mut common = self.common(&seeds);
        common.retain(|test| {
            let mut passed = true;
            test.each_argument(&mut |i| passed &= self.passed_on(id, i));
            passed
        });
        self.as_goals(common, args, vars)
    }

    /// The static goals about arguments that recursive calls pass on, as [`Lowering::common_tables`] gives them. They give
    /// the values with which such a call is a flood.
    pub(super) fn passed_tables(&mut self, goals: &[G], context: &BlockState) -> Vec<G> {
        let mut found = Vec::new();
        for goal in goals {
            let G::Call(id, args) = goal else { continue };
            let Some(target) = self.flood_target(*id, args, context) else { continue };
            for table in self.common_tables(*id) {
                let mut about = false;
                table.each_var(&mut |place| about |= place == target);
                let mut made = at_places(&table, args);
                if about || goals.contains(&made) {
                    continue;
                }
                if matches!(made, G::Functor(..)) {
                    // one open argument has few values without that
                    let Some(open) = self.about_open(&made, 2, context) else { continue };
                    made = open;
                }
                let mut open = false;
                made.each_var(&mut |v| open |= !context.is_bound(Arg::Var(v)));
                if open && !found.contains(&made) {
                    found.push(made);
                }
            }
        }
        found
    }

    /// What the goal about a table says of its open arguments, if there are as many.
    fn about_open(&mut self, goal: &G, least: usize, context: &BlockState) -> Option<G> {
        let rows = self.relation(goal)?.project(|v| !context.is_bound(Arg::Var(v)));
        (rows.columns.len() >= least).then(|| self.projection(goal, rows))
    }

    /// What a static goal says of a variable and what is known, where it says more of others that are open, and how many values
    /// that leaves. With each of them a recursion that asks for the variable is a flood.
    pub(super) fn values_of_key(
        &mut self,
        var: Var,
        goals: &[G],
        context: &BlockState,
    ) -> Option<(f64, G)> {
        let is_known = |arg: &Arg| context.is_bound(*arg);
        let mut best: Option<(f64, G)> = None;
        for goal in goals {
            let Some((table, args)) = goal.table() else { continue };
            if !args.contains(&Arg::Var(var)) {
                continue;
            }
            let all = self.rows_for(table, args, &is_known);
            let kept = |v: Var| v == var || context.is_bound(Arg::Var(v));
            let Some(rows) = self.relation(goal).map(|rows| rows.project(kept)) else { continue };
            let made = self.projection(goal, rows);
            let Some((table, args)) = made.table() else { continue };
            let values = self.rows_for(table, args, &is_known);
            if values < all && best.as_ref().is_none_or(|(least, _)| values < *least) {
                best = Some((values, made));
            }
        }
        best
    }

    fn projection(&mut self, of: &G, rows: Relation) -> G {
        let name = self.table_of(of);
        let table = self.joined_table(&name, rows.columns.len(), rows.rows);
        G::Functor(table, rows.columns.into_iter().map(Arg::Var).collect())
    }

    /// The static goals that all clauses have with which a recursion begins, about arguments that it passes on: those about
    /// nothing else, and what others say of several of these. Their variables are the places of these arguments.
    pub(super) fn common_tables(&mut self, id: RelationId) -> Vec<G> {
        if let Some(known) = self.known.common_tables.get(&id) {
            return known.clone();
        }
        let alone = self.program.graph.is_alone(id);
        let arity = self.program.relation(id).arity;
        let passed: Vec<bool> = (0..arity).map(|at| self.passed_on(id, at)).collect();
        let mut common: Option<Vec<G>> = None;
        for clause in &self.program.relation(id).clauses {
            if !self.is_alive(*clause) || alone && self.recursive_calls(*clause, id) > 0 {
                continue;
            }
            let (mut vars, mut scope, mut goals) =
                (Vars::default(), self.scope(*clause), Vec::new());
            let head = self.program.clause(*clause).head.iter();
            let head: Vec<Arg> =
                head.map(|term| self.arg(&mut scope, term, &mut vars, &mut goals)).collect();
            goals.extend(self.goals(&mut scope, &self.program.clause(*clause).body, &mut vars));
            let place = |v: Var| {
                let at = head.iter().position(|other| *other == Arg::Var(v))?;
                passed[at].then_some(at)
            };
            let mut own = Vec::new();
            for goal in goals.iter().filter(|goal| matches!(goal, G::Static(..))) {
                let mut whole = true;
                goal.each_var(&mut |v| whole &= place(v).is_some());
                let about = match whole {
                    true => goal.clone(),
                    false => {
                        let Some(rows) = self.relation(goal) else { continue };
                        let rows = rows.project(|v| place(v).is_some());
                        if rows.columns.len() < 2 {
                            continue;
                        }
                        self.projection(goal, rows)
                    }
                };
                let to_place = |arg: Arg| match arg {
                    Arg::Var(v) => place(v).map_or(arg, Arg::Var),
                    Arg::Const(_) => arg,
                };
                own.extend(mapped(&about, &mut |arg| to_place(arg)));
            }
            common = Some(match common {
                Some(known) => known.into_iter().filter(|goal| own.contains(goal)).collect(),
                None => own,
            });
        }
        let common = common.unwrap_or_default();
        self.known.common_tables.insert(id, common.clone());
        common
    }

    /// Whether a call asks for a table, other than the one that is being filled.
    pub(super) fn fills_table(&self, id: RelationId, args: &[Arg], context: &BlockState) -> bool {
        if id == FLOOD || self.calls.tabled.as_ref().is_some_and(|(filled, _)| *filled == id) {
            return false;
        }
        let relation = self.program.relation(id);
        relation.recursive
            && relation.kind == Kind::Derived
            && self.flood_target(id, args, context).is_none()
    }

    /// The tests that all of these clauses make, as far as they may hold.
    fn common(&mut self, clauses: &[ClauseId]) -> Vec<Required> {
        let mut common: Option<Vec<Required>> = None;
        for clause in clauses {
            if !self.is_alive(*clause) {
                continue;
            }
            let own = self.required_by(*clause);
            common = Some(match common {
                Some(known) => known.into_iter().filter(|test| own.contains(test)).collect(),
                None => own,
            });
        }
        common.unwrap_or_default()
    }

    fn as_goals(&self, tests: Vec<Required>, args: &[Arg], vars: &mut Vars) -> Vec<G> {
        let mut goals = Vec::new();
        for Required { fluent, keys, value } in tests {
            let keys = keys.iter().map(|key| arg_of(key, args, vars, &mut goals)).collect();
            let value = value.map(|value| arg_of(&value, args, vars, &mut goals));
            goals.push(G::Read(fluent, keys, value));
        }
        goals
    }

    fn required_by(&mut self, id: ClauseId) -> Vec<Required> {
        let clause = self.program.clause(id);
        let (mut vars, mut scope, mut goals) = (Vars::default(), self.scope(id), Vec::new());
        let head = clause.head.iter();
        let head = head.map(|term| self.arg(&mut scope, term, &mut vars, &mut goals)).collect();
        goals.extend(self.goals(&mut scope, &clause.body, &mut vars));
        let body = Body { head, goals, vars };
        let required = |goal: &G| match goal {
            G::Read(fluent, keys, value) => Some(Required {
                fluent: *fluent,
                keys: keys.iter().map(|key| self.known(*key, &body)).collect::<Option<_>>()?,
                value: match value {
                    Some(value) => Some(self.known(*value, &body)?),
                    None => None,
                },
            }),
            _ => None,
        };
        body.goals.iter().filter_map(required).collect()
    }

    /// An argument of a goal, where it is determined by the head's arguments.
    fn known(&self, arg: Arg, body: &Body) -> Option<Known> {
        let Arg::Var(var) = arg else {
            let Arg::Const(code) = arg else { return None };
            return Some(Known::Constant(code));
        };
        if let Some(at) = body.head.iter().position(|other| *other == arg) {
            return Some(Known::Argument(at));
        }
        body.goals.iter().find_map(|goal| {
            let (table, args) = goal.table()?;
            let of_head = |other: &Arg| match other {
                Arg::Const(code) => Some(Known::Constant(*code)),
                Arg::Var(_) => body.head.iter().position(|x| x == other).map(Known::Argument),
            };
            let given = |other: &Arg| match *other == arg {
                true => Some(None),
                false => of_head(other).map(Some),
            };
            let arguments: Vec<Option<Known>> = args.iter().map(given).collect::<Option<_>>()?;
            let [at] = (0..args.len()).filter(|i| arguments[*i].is_none()).collect::<Vec<_>>()[..]
            else {
                return None;
            };
            let domain = body.vars.all[var].domain.clone();
            self.gives_one(table, at).then_some(Known::Given { table, arguments, domain })
        })
    }

    /// Whether this column of a table has at most one value for each combination of the others.
    fn gives_one(&self, table: TableRef, column: usize) -> bool {
        let mut seen = rustc_hash::FxHashSet::default();
        self.table_rows(table).iter().all(|row| {
            let others = row.iter().enumerate().filter(|(i, _)| *i != column);
            seen.insert(others.map(|(_, code)| *code).collect::<Vec<Code>>())
        })
    }
}

/// A goal whose variables are places of arguments, about these arguments.
pub(super) fn at_places(goal: &G, args: &[Arg]) -> G {
    let at = |arg: Arg| match arg {
        Arg::Var(place) => args[place],
        Arg::Const(_) => arg,
    };
    mapped(goal, &mut |arg| at(arg)).unwrap_or_else(|| goal.clone())
}

/// The argument of a call's test; the goals that bind it are added to `goals`.
fn arg_of(known: &Known, args: &[Arg], vars: &mut Vars, goals: &mut Vec<G>) -> Arg {
    match known {
        Known::Argument(at) => args[*at],
        Known::Constant(code) => Arg::Const(*code),
        Known::Given { table, arguments, domain } => {
            let value = Arg::Var(vars.fresh(domain.clone()));
            let arguments = arguments.iter().map(|argument| match argument {
                Some(argument) => arg_of(argument, args, vars, goals),
                None => value,
            });
            let arguments: Vec<Arg> = arguments.collect();
            goals.push(match table {
                TableRef::Relation(id) => G::Static(*id, arguments),
                TableRef::Functor(at) => G::Functor(*at, arguments),
                TableRef::Members => G::Member(arguments[0], arguments[1]),
            });
            value
        }
    }
}
