//! The choice of the goal or variable whose values are enumerated, where no test is left that can be made.

use super::super::blocks::BlockId;
use super::super::ops::{Argument, Op, Operand};
use super::conjuncts::{holders, locals, occurs_elsewhere};
use super::emit::occurrences_in;
use super::goals::{Arg, G, Var, Vars};
use super::links::Links;
use super::order::{BlockState, Status, Want};
use super::procedures::FLOOD;
use super::{Builder, Code, Lowering, NotReady};
use crate::program::{ClauseId, GoalKind, Kind, Term};

/// How much more an answer costs that has to be compared with those before it.
const COMPARED: f64 = 2.0;

/// How much more a round of a loop costs in which a table is asked.
const ASKED: f64 = 32.0;

/// How much more it costs to try the values of a variable that another goal calculates from values
/// which are still open.
const CALCULATED: f64 = 16.0;

/// The most values that are gone through so that the others of a table are sets.
const MAX_DIRECTIONS: usize = 16;

/// The most words of sets that are sooner shifted than gone through.
pub(super) const SHIFTED: usize = 4;

/// What is enumerated next.
#[derive(Debug, Clone)]
pub(super) enum Choice {
    Var(Var),
    /// Every value of the variable's universe, so that a recursion becomes a flood.
    Domain(Var),
    Goal(usize),
    /// A variable, with the values that a static goal has for it.
    Values(Var, Vec<Code>),
    /// The key of a map whose value is open, as a set that other goals narrow.
    Keys(Var, usize),
    /// What all clauses of a recursion say of arguments that it passes on, so that it becomes a flood.
    Passed(G),
}

impl Lowering<'_> {
    /// Whether a goal is a recursive call that reads the table for which its clause is run. It is
    /// best run first, because its new answers are few.
    fn reads_own_table(&self, goal: &G, context: &BlockState) -> bool {
        let (Some((relation, arguments)), G::Call(id, args)) = (&self.calls.tabled, goal) else {
            return false;
        };
        let same = |(argument, arg): (&Argument, &Arg)| match argument {
            Argument::Input => context.is_bound(*arg),
            Argument::Ignored => self.wildcard(*arg, context),
            _ => !context.is_bound(*arg),
        };
        id == relation && arguments.iter().zip(args).all(same)
    }

    /// Whether a call builds lists and goals written before it give values to its open arguments: for other values
    /// the lists may have no end, as on a cycle that the given ones do not lead to.
    fn endless_without(&self, goal: &G, before: &[G], context: &BlockState, vars: &Vars) -> bool {
        let mut open: Vec<Var> = Vec::new();
        goal.each_var(&mut |v| open.extend(context.bound[v].is_none().then_some(v)));
        self.endless(goal, context, vars)
            && before.iter().any(|other| open.iter().any(|v| occurrences_in(other, *v) > 0))
    }

    /// Emits the generator with the fewest answers expected.
    pub(super) fn generate(
        &mut self,
        goals: &mut Vec<G>,
        statuses: &[Status],
        context: &mut BlockState,
        vars: &mut Vars,
        want: &Want,
        out: &mut Builder,
    ) -> Result<(), NotReady> {
        let local = locals(goals, context, want);
        // a generator whose answers may come twice
        let repeating = |cost: f64| if want.compared { cost * COMPARED } else { cost + 1e9 };
        let mut choices: Vec<(f64, Choice)> = Vec::new();
        let mut unbound: Vec<Var> = Vec::new();
        for goal in goals.iter() {
            goal.each_var(&mut |v| {
                if context.bound[v].is_none() && !unbound.contains(&v) {
                    unbound.push(v);
                }
            });
        }
        // what is not wanted may be found together with wanted values that determine it; but the last
        // wanted value is sooner found as a set
        let open_wanted = unbound.iter().filter(|v| want.wants(**v)).count();
        let determined = match open_wanted {
            0 => Vec::new(),
            _ => self.determined_by_wanted(goals, context, want),
        };
        let links = Links::new(goals, context, want);
        let mut denials: Vec<(Var, f64)> = Vec::new();
        for var in &unbound {
            let mut cost: Option<f64> = None;
            for i in links.mentioning(*var) {
                if let Some(average) = self.set_size(&goals[*i], *var, context, vars) {
                    cost = Some(cost.map_or(average, |c| c.min(average)));
                }
            }
            if cost.is_none() && self.gatherable(goals, &links, *var, context, vars, want) {
                let universe = self.settable(*var, vars).unwrap_or(super::UniverseId::REST);
                let mut gathered = self.universes.get(universe).len as f64 / 2.0;
                for i in links.mentioning(*var) {
                    let expected = self.expected_of(&goals[*i], *var, context);
                    gathered = expected.map_or(gathered, |few| gathered.min(few));
                }
                cost = Some(gathered);
            }
            let Some(mut cost) = cost else { continue };
            if links
                .mentioning(*var)
                .iter()
                .any(|i| self.gives_by_numbers(*i, goals, *var, context))
            {
                cost = cost * ASKED + 1e4;
            }
            // the target is best left to the end, and a witness is best not enumerated
            if want.target == Some(*var) {
                cost += 1e6;
            }
            if want.sensitive && local.contains(var) {
                cost = repeating(cost);
            }
            let denied =
                |i: &usize| self.simple_negation(&goals[*i], *var, context, vars).is_some();
            if links.mentioning(*var).iter().any(denied) {
                denials.push((*var, cost));
            }
            choices.push((cost, Choice::Var(*var)));
        }
        let calculated = self.calculated_values(goals, context);
        let holders = holders(goals);
        let shared = |v: Var| holders[v] > 1;
        for (i, status) in statuses.iter().enumerate() {
            let Status::Generate(mut cost) = *status else { continue };
            let (mut harm, mut finds_target, mut known, mut others) = (false, false, false, vec![]);
            let (mut repeats, mut wanted) = (false, false);
            let rows = cost;
            let is_table = matches!(goals[i], G::Static(..) | G::Functor(..));
            goals[i].each_var(&mut |v| {
                // the set without the denied elements leads to fewer of the rows
                let narrowed = denials.iter().find(|(var, size)| *var == v && *size <= rows * 2.0);
                if let Some((_, size)) = narrowed {
                    cost = cost.max(size + 1.0);
                }
                wanted |= context.bound[v].is_none() && want.wants(v);
                if local.contains(&v) && shared(v) {
                    harm = true;
                    repeats |= !determined.contains(&v) || open_wanted == 1 && !is_table;
                }
                match context.bound[v].is_some() {
                    true => known = true,
                    false if want.target == Some(v) => finds_target = true,
                    false if shared(v) && !others.contains(&v) => others.push(v),
                    false => {}
                }
            });
            if finds_target {
                // the target's values come one by one then; that is worth it where a lookup gives
                // other values with them, for which several loops or a longer one would be needed otherwise
                let of_other = |choice: &Choice| matches!(choice, Choice::Var(v) if others == [*v]);
                let looped = choices.iter().find(|(_, choice)| of_other(choice));
                // no set has the keys of the value that is read with each of them
                let one_by_one = matches!(goals[i], G::Read(..))
                    && calculated.iter().any(|(_, by)| *by == Some(i));
                let saves = others.len() > 1
                    || looped.is_some_and(|(loops, _)| cost * COMPARED < *loops)
                        && !self.shifts(goals, i, context, vars, want);
                cost = match () {
                    () if known && saves => cost * COMPARED,
                    () if one_by_one => cost,
                    () => cost + 1e6,
                };
            }
            // the value of a map comes once with its keys, of which there are no sets by values
            let once = |arg: &Arg| match arg {
                Arg::Var(v) => context.bound[*v].is_some() || want.wants(*v),
                Arg::Const(_) => true,
            };
            let by_keys = match &goals[i] {
                G::Read(fluent, keys, Some(_)) => {
                    let place = self.layout.place(*fluent);
                    place.planes.is_none() && place.slices.is_empty() && keys.iter().all(once)
                }
                _ => false,
            };
            if by_keys && !repeats {
                harm = false;
            }
            if want.sensitive && harm && (repeats || !known || !wanted) {
                cost = repeating(cost);
            } else if want.sensitive && harm && open_wanted == 1 {
                cost *= COMPARED;
            }
            if self.reads_own_table(&goals[i], context)
                && !self.endless_without(&goals[i], &goals[..i], context, vars)
            {
                cost = -1.0;
            }
            choices.push((cost, Choice::Goal(i)));
        }
        for (var, values, only) in self.sources(goals, context, vars, want) {
            let of_var = |c: &Choice| matches!(c, Choice::Var(v) if *v == var);
            let as_set = choices.iter().find(|(_, choice)| of_var(choice)).map(|(cost, _)| *cost);
            let few = self
                .settable(var, vars)
                .is_some_and(|universe| values.len() * 2 <= self.universes.get(universe).len);
            let cost = values.len() as f64;
            match as_set {
                // few values narrow the set of the variable in any case
                Some(set) if few => {
                    choices.push((cost.min(set - 0.5), Choice::Values(var, values)));
                }
                Some(_) if !only => {}
                _ => choices.push((cost, Choice::Values(var, values))),
            }
        }
        for (i, status) in statuses.iter().enumerate() {
            let Status::Generate(cost) = *status else { continue };
            if let Some(var) = self.narrowed_keys(goals, i, context, vars) {
                let harm = want.sensitive && local.contains(&var);
                let cost = if harm { repeating(cost) } else { cost - 0.5 };
                choices.push((cost, Choice::Keys(var, i)));
            }
        }
        let generates = |i: &usize| matches!(statuses[*i], Status::Generate(_));
        let slicing: Vec<Var> = (0..goals.len())
            .filter(generates)
            .filter_map(|i| self.slicing_key(&goals[i], context))
            .collect();
        let flooding = self.flood_keys(goals, context);
        for var in slicing.iter().chain(&flooding).copied() {
            let Some(universe) = self.universe_of(&vars.all[var].domain) else { continue };
            let harm = want.sensitive && local.contains(&var);
            let len = self.universes.get(universe).len as f64;
            let led = match slicing.contains(&var) {
                true => None,
                false => self.values_of_key(var, goals, context).filter(|(rows, _)| *rows < len),
            };
            let (cost, choice) = match led {
                Some((rows, goal)) => (rows, Choice::Passed(goal)),
                None => (len, Choice::Domain(var)),
            };
            choices.push((if harm { repeating(cost) } else { cost }, choice));
        }
        for i in (0..goals.len()).filter(generates) {
            let Some(var) = self.slicing_key(&goals[i], context) else { continue };
            let apart = links.linked_to(i);
            let others = (0..goals.len()).filter(|other| !apart.contains(other));
            // most rows of it may be empty, and what has nothing to do with them is gone through for the others only
            if others.filter(|i| generates(i)).count() > 0
                && self.universe_of(&vars.all[var].domain).is_some()
                && !(want.sensitive && local.contains(&var))
            {
                choices.push((0.5, Choice::Domain(var)));
            }
        }
        for goal in self.passed_tables(goals, context) {
            let Some((table, args)) = goal.table() else { continue };
            let is_known = |arg: &Arg| context.is_bound(*arg);
            let rows = self.rows_for(table, args, &is_known);
            let found = |arg: &Arg| matches!(arg, Arg::Var(v) if local.contains(v));
            let harm = want.sensitive && args.iter().any(found);
            choices.push((if harm { repeating(rows) } else { rows }, Choice::Passed(goal)));
        }
        // where values are wanted, their loop comes before that over the few values that lead to them
        let tests = want.target.is_none() && !unbound.iter().any(|v| want.wants(*v));
        for var in unbound.iter().filter(|_| tests) {
            if let Some(values) = self.directing(*var, goals, context, vars) {
                // sooner than its set, into which the goals about it would be gathered
                let cost = values.len() as f64 - 0.5;
                let only = |goal: &G| {
                    goal.table().is_some_and(|(_, args)| args == [Arg::Var(*var)].as_slice())
                };
                let choice = match goals.iter().position(only) {
                    Some(at) => Choice::Goal(at),
                    None => Choice::Passed(self.one_of(*var, values)),
                };
                choices.push((cost, choice));
            }
        }
        // a table that is asked within loops is asked for each of their rounds
        let mut table: Option<(usize, f64)> = None;
        for (i, goal) in goals.iter().enumerate() {
            let asks = matches!(statuses[i], Status::Generate(_)) && table.is_none();
            if asks
                && !self.reads_own_table(goal, context)
                && !self.endless_without(goal, &goals[..i], context, vars)
            {
                table = self.expected_rows(goal, goals, context).map(|rows| (i, rows));
            }
        }
        for (cost, choice) in &mut choices {
            match (&choice, table) {
                (Choice::Goal(i), Some((table, rows))) if *i == table => *cost = cost.min(rows),
                (_, Some(_)) => *cost *= ASKED,
                _ => {}
            }
        }
        // a value that is calculated once the values that it comes from are known would have to be
        // calculated and compared for each of those that are tried
        for (cost, choice) in &mut choices {
            let mut tries = false;
            let mut of = |v: Var, by: Option<usize>| {
                tries |=
                    calculated.iter().any(|(value, at)| *value == v && (at.is_none() || *at != by));
            };
            match choice {
                Choice::Goal(i) if limits_later(&goals[*i], goals, context) => tries = true,
                Choice::Goal(i) => goals[*i].each_var(&mut |v| of(v, Some(*i))),
                Choice::Passed(goal) => goal.each_var(&mut |v| of(v, None)),
                Choice::Var(v) | Choice::Domain(v) | Choice::Values(v, _) | Choice::Keys(v, _) => {
                    of(*v, None)
                }
            }
            if tries && *cost > 1.0 {
                *cost *= CALCULATED;
            }
        }
        choices.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.compare(&mut choices, goals, context, vars, want);
        for (_, choice) in choices {
            let (saved, before, written) = (context.clone(), goals.clone(), out.clone());
            let done = self.choose(choice, goals, context, vars, want, out);
            if done.is_ok() {
                return Ok(());
            }
            (*context, *goals, *out) = (saved, before, written);
        }
        Err(NotReady)
    }

    /// Whether a call gives a variable by a recursion that callers bound, as by a number of steps, once that is known. Its table is
    /// filled once without that value, and once for each with it.
    fn gives_by_numbers(&self, at: usize, goals: &[G], var: Var, context: &BlockState) -> bool {
        let G::Call(id, args) = &goals[at] else { return false };
        if *id == FLOOD {
            return false;
        }
        let relation = self.program.relation(*id);
        let needs = &relation.needs_bound;
        // what it waits for comes from other goals than those about the variable
        let given = |arg: &Arg| {
            let Arg::Var(needed) = *arg else { return false };
            goals.iter().enumerate().any(|(i, goal)| {
                i != at && occurrences_in(goal, needed) > 0 && occurrences_in(goal, var) == 0
            })
        };
        let waits = |(arg, needed): (&Arg, &bool)| *needed && !context.is_bound(*arg) && given(arg);
        relation.recursive
            && relation.kind == Kind::Derived
            && args.iter().zip(needs).any(waits)
            && args.iter().zip(needs).any(|(arg, needed)| *arg == Arg::Var(var) && !needed)
    }

    /// Emits the loop of a choice.
    pub(super) fn choose(
        &mut self,
        choice: Choice,
        goals: &mut Vec<G>,
        context: &mut BlockState,
        vars: &mut Vars,
        want: &Want,
        out: &mut Builder,
    ) -> Result<(), NotReady> {
        match choice {
            Choice::Var(var) | Choice::Domain(var) | Choice::Keys(var, _)
                if want.sensitive
                    && locals(goals, context, want).contains(&var)
                    && !self.determined_by_wanted(goals, context, want).contains(&var) =>
            {
                context.witnesses.push(var);
            }
            Choice::Goal(i) => {
                let goal = goals[i].clone();
                self.note_witnesses(&goal, goals, context, want);
            }
            Choice::Passed(ref goal) => {
                // its values are given to the recursion
                goal.each_var(&mut |v| context.totals[v] += 1);
                self.note_witnesses(goal, goals, context, want);
            }
            _ => {}
        }
        match choice {
            Choice::Goal(i) => {
                let goal = goals.remove(i);
                self.goal_ops(&goal, context, vars, want, out)
            }
            Choice::Passed(goal) => self.goal_ops(&goal, context, vars, want, out),
            Choice::Domain(var) => {
                let universe = self.universe_of(&vars.all[var].domain).ok_or(NotReady)?;
                let universe = self.universes.get(universe);
                let (lo, hi) = (universe.base, universe.base + universe.len as i64 - 1);
                let dst = context.register();
                let (lo, hi) = (Operand::Const(lo), Operand::Const(hi));
                out.push(Op::Integers { dst, lo, hi, body: BlockId::OPEN });
                context.bound[var] = Some(Operand::Reg(dst));
                Ok(())
            }
            Choice::Var(var) => self.each(goals, var, context, vars, want, out),
            Choice::Keys(var, i) => {
                let has_value = self.has_value(&goals[i], vars);
                context.bound.resize(vars.all.len(), None);
                context.totals.resize(vars.all.len(), 1);
                self.put_in_place(&has_value, &goals[i].clone());
                goals.push(has_value);
                self.each(goals, var, context, vars, want, out)
            }
            Choice::Values(var, values) => {
                goals.push(self.one_of(var, values));
                self.each(goals, var, context, vars, want, out)
            }
        }
    }

    /// The few values of a variable with each of which a table leads from a site to another, as a direction does: what the
    /// goals say of these sites is then evaluated as sets. `None` for other variables.
    pub(super) fn directing(
        &self,
        var: Var,
        goals: &[G],
        context: &BlockState,
        vars: &Vars,
    ) -> Option<Vec<Code>> {
        let is_site = |arg: &Arg| match arg {
            Arg::Var(v) => {
                *v != var && context.bound[*v].is_none() && self.settable(*v, vars).is_some()
            }
            Arg::Const(_) => false,
        };
        let leads = |goal: &G| {
            goal.table().is_some_and(|(_, args)| {
                let mut sites = args.iter().filter(|arg| is_site(arg));
                let first = sites.next();
                args.contains(&Arg::Var(var)) && sites.any(|site| first != Some(site))
            })
        };
        // a short table of several columns gives more of them at once
        let short = |goal: &G| {
            let about = goal.table().is_some_and(|(_, args)| {
                let other = |arg: &Arg| matches!(arg, Arg::Var(v) if *v != var);
                args.contains(&Arg::Var(var)) && args.iter().any(other)
            });
            about && self.is_short(goal, MAX_DIRECTIONS)
        };
        // nor is a value that the state has for a site a direction
        let read = |goal: &G| matches!(goal, G::Read(_, _, Some(Arg::Var(v))) if *v == var);
        let leads = goals.iter().any(leads) && !goals.iter().any(|g| short(g) || read(g));
        let values =
            || goals.iter().filter_map(|goal| self.table_values(goal, var)).min_by_key(Vec::len);
        let values = leads.then(values).flatten()?;
        (2..=MAX_DIRECTIONS).contains(&values.len()).then_some(values)
    }

    /// Unbound variables whose values a goal calculates from others that are unbound, counts, or reads from a map that has
    /// no sets of the keys of a value, with the place of that goal; a term that only an update asks for, without one.
    fn calculated_values(&self, goals: &[G], context: &BlockState) -> Vec<(Var, Option<usize>)> {
        let value = |at: usize, goal: &G| match goal {
            G::Is(Arg::Var(v), ..) | G::Aggregate(_, _, _, Arg::Var(v), ..) => Some((*v, Some(at))),
            G::Functor(table, args) if self.is_constructor(*table) => match args[0] {
                Arg::Var(v) if !occurs_elsewhere(goals, at, v) => Some((v, None)),
                _ => None,
            },
            G::Read(fluent, keys, Some(Arg::Var(v))) => {
                let place = self.layout.place(*fluent);
                let looked_up = place.planes.is_none() && place.slices.is_empty();
                let open = keys.iter().any(|key| !context.is_bound(*key));
                (looked_up && open).then_some((*v, Some(at)))
            }
            _ => None,
        };
        let found = goals.iter().enumerate().filter_map(|(at, goal)| value(at, goal));
        let counted = goals.iter().enumerate().flat_map(|(at, goal)| {
            let counters = self.counters_of(goal, context);
            counters.into_iter().map(move |v| (v, Some(at)))
        });
        found.chain(counted).filter(|(v, _)| context.bound[*v].is_none()).collect()
    }

    /// The numbers that a recursion counts while it goes on from what it is given: a call that is given them too does the
    /// same work.
    fn counters_of(&self, goal: &G, context: &BlockState) -> Vec<Var> {
        let G::Call(id, args) = goal else { return Vec::new() };
        let Some(relation) = self.program.relations.get(id.0 as usize) else { return Vec::new() };
        let given = (0..args.len()).any(|i| context.is_bound(args[i]) && self.passed_on(*id, i));
        if !relation.recursive || relation.kind != Kind::Derived || !given {
            return Vec::new();
        }
        let counts = |by: &ClauseId, i: usize| {
            let clause = self.program.clause(*by);
            let Term::Variable(number) = clause.head[i] else { return false };
            clause.body.conjuncts().iter().any(
                |goal| matches!(&goal.kind, GoalKind::Is(Term::Variable(v), _) if *v == number),
            )
        };
        let recursive: Vec<&ClauseId> =
            relation.clauses.iter().filter(|by| self.recursive_calls(**by, *id) > 0).collect();
        let counter =
            |i: &usize| !recursive.is_empty() && recursive.iter().all(|by| counts(by, *i));
        let numbers = (0..args.len()).filter(counter).filter_map(|i| match args[i] {
            Arg::Var(v) => Some(v),
            Arg::Const(_) => None,
        });
        numbers.collect()
    }

    /// Whether a goal is the only one that links others to the target, apart from goals that give it as a set, and sets are
    /// short, so that the loop over what it links to the target is done by shifts of whole sets.
    fn shifts(
        &mut self,
        goals: &[G],
        at: usize,
        context: &BlockState,
        vars: &Vars,
        want: &Want,
    ) -> bool {
        let Some(target) = want.target else { return false };
        self.universes.words <= SHIFTED
            && goals.iter().enumerate().all(|(i, goal)| {
                i == at
                    || occurrences_in(goal, target) == 0
                    || self.simple(goal, target, context, vars).is_some()
                    || self.simple_negation(goal, target, context, vars).is_some()
            })
    }

    /// Variables that only a static goal links to the wanted set, apart from goals that give it as a
    /// set, with the values that they have there and whether it is the only goal about the set: goals
    /// about them are then evaluated as a set before the links are followed.
    fn sources(
        &mut self,
        goals: &[G],
        context: &BlockState,
        vars: &Vars,
        want: &Want,
    ) -> Vec<(Var, Vec<Code>, bool)> {
        let Some(target) = want.target.filter(|v| context.bound[*v].is_none()) else {
            return Vec::new();
        };
        let mut linking = goals.iter().filter(|goal| {
            occurrences_in(goal, target) > 0 && self.simple(goal, target, context, vars).is_none()
        });
        let (Some(link), None) = (linking.next(), linking.next()) else { return Vec::new() };
        let only = goals.iter().filter(|goal| occurrences_in(goal, target) > 0).count() == 1;
        let Some((table, args)) = link.table() else { return Vec::new() };
        let mut found = Vec::new();
        for (i, arg) in args.iter().enumerate() {
            let Arg::Var(var) = *arg else { continue };
            let others = args.iter().enumerate().filter(|(j, _)| *j != i);
            let mut fixed = Vec::new();
            let fits = others.clone().all(|(j, other)| match other {
                Arg::Const(code) => {
                    fixed.push((j, *code));
                    true
                }
                Arg::Var(v) => {
                    *v == target || context.is_bound(*other) || self.wildcard(*other, context)
                }
            });
            // other goals may give fewer of its values for those that are known
            let denied = goals.iter().all(|goal| {
                goal == link || occurrences_in(goal, var) == 0 || matches!(goal, G::Not(_))
            });
            let is_given = |arg: &Arg| matches!(arg, Arg::Var(_)) && context.is_bound(*arg);
            let fits = fits && (denied || !others.clone().any(|(_, other)| is_given(other)));
            if fits
                && var != target
                && !self.wildcard(*arg, context)
                && context.bound[var].is_none()
                && self.settable(var, vars).is_some()
            {
                let values = self.projected(table, &fixed, &[i]);
                found.push((var, values.iter().map(|row| row[0]).collect(), only));
            }
        }
        found
    }

    /// The open key of a map over sites with an open value, where a negation that needs no value
    /// narrows the keys.
    fn narrowed_keys(
        &mut self,
        goals: &[G],
        at: usize,
        context: &BlockState,
        vars: &Vars,
    ) -> Option<Var> {
        let G::Read(_, keys, Some(value)) = &goals[at] else { return None };
        let [Arg::Var(key)] = keys[..] else { return None };
        if context.is_bound(keys[0]) || context.is_bound(*value) {
            return None;
        }
        let narrows = |goal: &G| {
            let mut open = false;
            goal.each_var(&mut |v| {
                let local = context.totals[v] <= occurrences_in(goal, v);
                open |= v != key && context.bound[v].is_none() && !local;
            });
            matches!(goal, G::Not(_)) && occurrences_in(goal, key) > 0 && !open
        };
        let (mut with, mut wider) = (vars.clone(), context.clone());
        let has_value = self.has_value(&goals[at], &mut with);
        wider.bound.resize(with.all.len(), None);
        wider.totals.resize(with.all.len(), 1);
        let is_set = self.simple(&has_value, key, &wider, &with).is_some();
        (is_set && goals.iter().any(narrows)).then_some(key)
    }

    /// One of the two open keys of a map or set with slices over the other: with a value for it, the goal gives a
    /// set.
    fn slicing_key(&self, goal: &G, context: &BlockState) -> Option<Var> {
        let G::Read(fluent, keys, value) = goal else { return None };
        let settled = value.is_none_or(|v| context.is_bound(v) || self.wildcard(v, context));
        let open = |key: usize| match keys[key] {
            Arg::Var(v) if !context.is_bound(keys[key]) => Some(v),
            _ => None,
        };
        let all: Vec<(usize, Var)> = (0..keys.len()).filter_map(|k| Some((k, open(k)?))).collect();
        let [first, second] = all[..] else { return None };
        let sliced = |key: usize| self.layout.place(*fluent).slices.iter().any(|s| s.key == key);
        match (sliced(second.0), sliced(first.0)) {
            _ if !settled || first.1 == second.1 => None,
            (true, _) => Some(first.1),
            (false, true) => Some(second.1),
            (false, false) => None,
        }
    }

    /// The goal that a map has any value where another goal asks for its value.
    fn has_value(&self, goal: &G, vars: &mut Vars) -> G {
        match goal {
            G::Read(fluent, keys, Some(_)) => {
                let any = vars.fresh(super::super::domains::Abstract::top());
                G::Read(*fluent, keys.clone(), Some(Arg::Var(any)))
            }
            other => other.clone(),
        }
    }

    /// Emits the loop over a variable's set.
    fn each(
        &mut self,
        goals: &mut Vec<G>,
        var: Var,
        context: &mut BlockState,
        vars: &mut Vars,
        want: &Want,
        out: &mut Builder,
    ) -> Result<(), NotReady> {
        let folded = self.fold_some(goals, var, context, vars, want, out);
        let (set, place) = folded.ok_or(NotReady)?;
        let base = self.base_of(var, vars);
        let dst = context.register();
        out.push_for(place, Op::Each { set, base, dst, orbit: None, body: BlockId::OPEN });
        context.bound[var] = Some(Operand::Reg(dst));
        Ok(())
    }
}

/// Whether a goal is a range whose numbers are compared with a value that is still open.
fn limits_later(goal: &G, goals: &[G], context: &BlockState) -> bool {
    let G::In(Arg::Var(number), ..) = goal else { return false };
    goals.iter().any(|other| {
        let (mut compares, mut open) = (false, false);
        if let G::Compare(..) = other {
            other.each_var(&mut |v| {
                compares |= v == *number;
                open |= v != *number && context.bound[v].is_none();
            });
        }
        compares && open
    })
}
