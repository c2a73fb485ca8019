//! The order of a conjunction of tests.
//!
//! Greedy, by what is bound: cheap tests first, then goals with at most one answer, then costly
//! tests, then the generator with the fewest answers expected. Every goal that restricts the
//! generated variable and can be evaluated on whole sets is folded into its set. For variables that
//! are not needed afterwards only one witness is found, where answers must not come twice.

use super::super::blocks::BlockId;
use super::super::ops::{Argument, Op, Operand, Reg, Set, SetReg};
use super::conjuncts::{calculated, locals, occurs_elsewhere, take};
use super::control::built_for;
use super::emit::occurrences_in;
use super::goals::{Arg, Expr, G, Var, Vars};
use super::links::Links;
use super::tables::TableRef;
use super::{Builder, Code, Lowering, NotReady};

/// The state of lowering one block.
#[derive(Clone)]
pub(super) struct BlockState {
    pub bound: Vec<Option<Operand>>,
    pub next_register: Reg,
    pub next_set: SetReg,
    /// Answers may come twice.
    pub repeats: bool,
    /// Variables that are not needed but were enumerated: where several of their values lead to one
    /// answer, it comes several times.
    pub witnesses: Vec<Var>,
    /// How often each variable occurs in the whole clause.
    pub totals: Vec<usize>,
    /// How many sets are being gathered around this block.
    pub nesting: usize,
    /// The lists that have been taken apart, and the registers of their heads and tails.
    pub taken: Vec<(Operand, Reg, Reg)>,
}

impl BlockState {
    pub(super) fn new(vars: &Vars) -> BlockState {
        BlockState {
            bound: vec![None; vars.all.len()],
            next_register: 0,
            next_set: 0,
            repeats: false,
            witnesses: Vec::new(),
            totals: vec![0; vars.all.len()],
            nesting: 0,
            taken: Vec::new(),
        }
    }

    pub(super) fn register(&mut self) -> Reg {
        self.next_register += 1;
        self.next_register - 1
    }

    pub(super) fn set(&mut self) -> SetReg {
        self.next_set += 1;
        self.next_set - 1
    }

    pub(super) fn operand(&self, arg: Arg) -> Option<Operand> {
        match arg {
            Arg::Const(code) => Some(Operand::Const(code)),
            Arg::Var(v) => self.bound.get(v).copied().flatten(),
        }
    }

    pub(super) fn is_bound(&self, arg: Arg) -> bool {
        self.operand(arg).is_some()
    }

    /// Takes the register counters of an inner block, so that its registers stay its own.
    pub(super) fn absorb(&mut self, inner: &BlockState) {
        self.next_register = self.next_register.max(inner.next_register);
        self.next_set = self.next_set.max(inner.next_set);
        self.repeats |= inner.repeats;
        for v in &inner.witnesses {
            if !self.witnesses.contains(v) {
                self.witnesses.push(*v);
            }
        }
    }
}

/// The required results of a conjunction.
#[derive(Clone, Default)]
pub(super) struct Want {
    /// Variables that must be bound at the end.
    pub needed: Vec<Var>,
    /// The variable whose set is wanted rather than its values.
    pub target: Option<Var>,
    /// Answers must not come twice.
    pub sensitive: bool,
    /// Answers that come twice are found and dropped, at little cost.
    pub compared: bool,
    /// The goals are run as they are written and their answers come in that order, because the
    /// first one counts or a goal may be a rule error.
    pub ordered: bool,
    /// Variables that tell answers apart. A branch of a disjunction that does not bind one leaves
    /// it [`UNBOUND`].
    pub telling: Vec<Var>,
}

impl Want {
    /// Whether answers with different values of a variable are different.
    pub(super) fn wants(&self, v: Var) -> bool {
        self.needed.contains(&v) || self.telling.contains(&v) || self.target == Some(v)
    }
}

/// Stands for the value of an unbound variable.
pub(super) const UNBOUND: super::Code = -super::super::universe::CONSTANTS;

/// How much more an answer costs that has to be compared with those before it.
const COMPARED: f64 = 2.0;

/// How much more a round of a loop costs in which a table is asked.
const ASKED: f64 = 32.0;

/// How much more it costs to try the values of a variable that another goal calculates from values
/// which are still open.
const CALCULATED: f64 = 16.0;

/// The form in which the target was computed.
pub(super) enum TargetForm {
    /// All needed variables are bound, the target included.
    Bound,
    /// This set holds the target's values.
    Set(Set),
}

/// What a goal can do now.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Status {
    CheapTest,
    /// At most one answer.
    Bind,
    CostlyTest,
    /// Several answers, about this many.
    Generate(f64),
    Wait,
}

impl Lowering<'_> {
    /// Emits a conjunction of tests.
    pub(super) fn conjunction(
        &mut self,
        mut goals: Vec<G>,
        context: &mut BlockState,
        vars: &mut Vars,
        want: &Want,
        out: &mut Builder,
    ) -> Result<TargetForm, NotReady> {
        loop {
            context.bound.resize(vars.all.len(), None);
            context.totals.resize(vars.all.len(), 1);
            if goals.is_empty() {
                break;
            }
            if (self.stopped)() {
                return Err(NotReady);
            }
            if want.ordered || goals.iter().any(|goal| self.raises(goal)) {
                match self.leading_test(&goals, context, want) {
                    Some(test) => self.component(&mut goals, &test, context, vars, out)?,
                    None => self.written(&mut goals, context, vars, want, out)?,
                }
                continue;
            }
            if let Some(at) = self.open_choice(&goals, context, want) {
                self.up_to_choice(at, &mut goals, context, vars, want, out)?;
                continue;
            }
            let statuses = self.statuses(&goals, context, vars, want);
            let pick = |wanted: Status| statuses.iter().position(|s| *s == wanted);
            // calculations stay after the tests before them, which may guard them
            let direct = pick(Status::CheapTest).or_else(|| pick(Status::Bind));
            if let Some(at) = direct.or_else(|| pick(Status::CostlyTest)) {
                let goal = goals.remove(at);
                self.goal_ops(&goal, context, vars, want, out)?;
                continue;
            }
            if want.sensitive
                && let Some(test) = Links::new(&goals, context, want).test(&goals, context, want)
            {
                self.component(&mut goals, &test, context, vars, out)?;
                continue;
            }
            if let Some(target) = want.target
                && context.bound[target].is_none()
                && locals(&goals, context, want).iter().all(|v| context.totals[*v] <= 1)
                && let Some(set) = self.fold_all(&goals, target, context, vars, out)
            {
                return Ok(TargetForm::Set(set));
            }
            self.generate(&mut goals, &statuses, context, vars, want, out)?;
        }
        if want.needed.iter().all(|v| context.bound[*v].is_some()) {
            Ok(TargetForm::Bound)
        } else {
            Err(NotReady)
        }
    }

    /// The goals that are a test with the first one, all of them before the first that may be a rule error. They
    /// bind nothing that another goal contains, so that one common answer is enough, in any order.
    fn leading_test(&self, goals: &[G], context: &BlockState, want: &Want) -> Option<Vec<usize>> {
        let safe = goals.iter().position(|goal| self.raises(goal)).unwrap_or(goals.len());
        let mut opens = false;
        goals[0].each_var(&mut |v| opens |= context.bound[v].is_none());
        if safe == 0 || !opens {
            return None;
        }
        let links = Links::new(goals, context, want);
        let test = links.test_with(0, goals, context, want)?;
        (test.len() < goals.len() && test.iter().all(|i| *i < safe)).then_some(test)
    }

    /// Emits the goals at these ascending places as one test.
    fn component(
        &mut self,
        goals: &mut Vec<G>,
        places: &[usize],
        context: &mut BlockState,
        vars: &mut Vars,
        out: &mut Builder,
    ) -> Result<(), NotReady> {
        let inner = take(goals, places);
        let place = self.place_of(&inner[0]);
        self.writing(place, out, |lowering, out| lowering.exists(inner, context, vars, false, out))
    }

    /// What each goal can do now.
    pub(super) fn statuses(
        &mut self,
        goals: &[G],
        context: &BlockState,
        vars: &Vars,
        want: &Want,
    ) -> Vec<Status> {
        let mut first = true;
        let mut all = Vec::with_capacity(goals.len());
        for goal in goals {
            let status = self.status(goal, first, context, vars, want);
            // a goal that waits may wait for values from those after it
            first &= status == Status::Wait;
            all.push(status);
        }
        all
    }

    /// Emits the first goal, in the order of the text, whose needed variables are bound.
    fn written(
        &mut self,
        goals: &mut Vec<G>,
        context: &mut BlockState,
        vars: &mut Vars,
        want: &Want,
        out: &mut Builder,
    ) -> Result<(), NotReady> {
        let ready = (0..goals.len())
            .find(|i| self.status(&goals[*i], true, context, vars, want) != Status::Wait);
        let ready = ready.ok_or(NotReady)?;
        let goal = goals.remove(built_for(goals, ready, context).unwrap_or(ready));
        self.note_witnesses(&goal, goals, context, want);
        let want = Want { ordered: true, ..want.clone() };
        self.goal_ops(&goal, context, vars, &want, out)
    }

    /// Records the variables that a goal enumerates and that no later goal needs.
    pub(super) fn note_witnesses(
        &mut self,
        goal: &G,
        rest: &[G],
        context: &mut BlockState,
        want: &Want,
    ) {
        if !want.sensitive {
            return;
        }
        // these give each combination of the wanted values once
        let projects = matches!(goal, G::Static(..) | G::Functor(..) | G::Call(..) | G::Legal(..));
        let mut all = rest.to_vec();
        all.push(goal.clone());
        let local = locals(&all, context, want);
        let mut repeated = Vec::new();
        goal.each_var(&mut |v| {
            if local.contains(&v) && (context.totals[v] > 1 || !projects) {
                repeated.push(v);
            }
        });
        let determined = self.determined_by_wanted(&all, context, want);
        context.witnesses.extend(repeated.into_iter().filter(|v| !determined.contains(v)));
    }

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

    /// Emits the generator with the fewest answers expected.
    fn generate(
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
        // wanted value is best found as a set
        let determined = match unbound.iter().filter(|v| want.wants(**v)).count() {
            0 | 1 => Vec::new(),
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
        for (i, status) in statuses.iter().enumerate() {
            let Status::Generate(mut cost) = *status else { continue };
            let (mut harm, mut finds_target, mut known, mut others) = (false, false, false, vec![]);
            let (mut repeats, mut wanted) = (false, false);
            let rows = cost;
            goals[i].each_var(&mut |v| {
                // the set without the denied elements leads to fewer of the rows
                let narrowed = denials.iter().find(|(var, size)| *var == v && *size <= rows * 2.0);
                if let Some((_, size)) = narrowed {
                    cost = cost.max(size + 1.0);
                }
                wanted |= context.bound[v].is_none() && want.wants(v);
                if local.contains(&v) && occurs_elsewhere(goals, i, v) {
                    harm = true;
                    repeats |= !determined.contains(&v);
                }
                match context.bound[v].is_some() {
                    true => known = true,
                    false if want.target == Some(v) => finds_target = true,
                    false if occurs_elsewhere(goals, i, v) && !others.contains(&v) => {
                        others.push(v)
                    }
                    false => {}
                }
            });
            if finds_target {
                // the target's values come one by one then; that is worth it where a lookup gives
                // several other values with them, for which loops would be needed otherwise
                cost = if known && others.len() > 1 { cost * COMPARED } else { cost + 1e6 };
            }
            if want.sensitive && harm && (repeats || !known || !wanted) {
                cost = repeating(cost);
            }
            if self.reads_own_table(&goals[i], context) {
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
        let slicing =
            (0..goals.len()).filter(generates).filter_map(|i| self.slicing_key(&goals[i], context));
        let keys: Vec<Var> = slicing.chain(self.flood_keys(goals, context)).collect();
        for var in keys {
            let Some(universe) = self.universe_of(&vars.all[var].domain) else { continue };
            let harm = want.sensitive && local.contains(&var);
            let len = self.universes.get(universe).len as f64;
            choices.push((if harm { repeating(len) } else { len }, Choice::Domain(var)));
        }
        // a table that is asked within loops is asked for each of their rounds
        let mut table: Option<(usize, f64)> = None;
        for (i, goal) in goals.iter().enumerate() {
            let asks = matches!(statuses[i], Status::Generate(_)) && table.is_none();
            if asks && !self.reads_own_table(goal, context) {
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
        let calculated = calculated(goals, context);
        for (cost, choice) in &mut choices {
            let mut tries = false;
            match choice {
                Choice::Goal(i) => goals[*i].each_var(&mut |v| tries |= calculated.contains(&v)),
                Choice::Var(v) | Choice::Domain(v) | Choice::Values(v, _) | Choice::Keys(v, _) => {
                    tries = calculated.contains(v);
                }
            }
            if tries && *cost > 1.0 {
                *cost *= CALCULATED;
            }
        }
        choices.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (_, choice) in choices {
            let (saved, before, written) = (context.clone(), goals.clone(), out.clone());
            match choice {
                Choice::Var(var) | Choice::Domain(var) | Choice::Keys(var, _)
                    if want.sensitive
                        && local.contains(&var)
                        && !self.determined_by_wanted(goals, context, want).contains(&var) =>
                {
                    context.witnesses.push(var);
                }
                Choice::Goal(i) => {
                    let goal = goals[i].clone();
                    self.note_witnesses(&goal, goals, context, want);
                }
                _ => {}
            }
            let done = match choice {
                Choice::Goal(i) => {
                    let goal = goals.remove(i);
                    self.goal_ops(&goal, context, vars, want, out)
                }
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
            };
            if done.is_ok() {
                return Ok(());
            }
            (*context, *goals, *out) = (saved, before, written);
        }
        Err(NotReady)
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
        let (table, args) = match link {
            G::Static(id, args) => (TableRef::Relation(*id), args),
            G::Functor(at, args) => (TableRef::Functor(*at), args),
            _ => return Vec::new(),
        };
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
                Arg::Var(v) => *v == target || self.wildcard(*other, context),
            });
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

    /// Emits a test that the goals have a common answer.
    pub(super) fn exists(
        &mut self,
        goals: Vec<G>,
        context: &mut BlockState,
        vars: &mut Vars,
        negate: bool,
        out: &mut Builder,
    ) -> Result<(), NotReady> {
        if let Some(op) = self.simple_exists(&goals, context, vars, negate) {
            out.push(op);
            return Ok(());
        }
        if !negate && let Some(first) = self.by_seed(&goals, context, vars) {
            return self.choice_test(&[first, goals], context, vars, &Want::default(), out);
        }
        let mut inner = context.clone();
        let mut block = self.builder();
        let want = Want { needed: Vec::new(), target: None, sensitive: false, ..Want::default() };
        self.conjunction(goals, &mut inner, vars, &want, &mut block)?;
        finish_exists(&mut block);
        context.absorb(&inner);
        if let [only, Op::Succeed] = block.ops.as_slice()
            && let Some(test) = with_sign(only.clone(), negate)
        {
            out.push(test);
            return Ok(());
        }
        // what continues once at most need not be in a block of its own
        if !negate && !self.answers_twice(block.ops.iter()) {
            out.push_first(block.ops.len() - 1, &block);
            return Ok(());
        }
        if let Some((last, before)) = block.ops.split_last()
            && *last == Op::Succeed
            && let Some((last @ Op::NonEmpty { .. }, before)) = before.split_last()
            && let Some(test) = with_sign(last.clone(), negate)
            && before
                .iter()
                .all(|op| matches!(op, Op::Load { .. } | Op::And { .. } | Op::AndNot { .. }))
        {
            out.push_first(before.len(), &block);
            out.push(test);
            return Ok(());
        }
        let body = self.place(block);
        out.push(Op::Exists { body, negate });
        Ok(())
    }

    /// The code of index 0 of a variable's universe.
    pub(super) fn base_of(&self, var: Var, vars: &Vars) -> super::Code {
        vars.universe(var).map_or(0, |u| self.universes.get(u).base)
    }

    /// Emits an expression, and returns the operand with its value.
    pub(super) fn expression(
        &mut self,
        e: &Expr,
        span: crate::source::Span,
        context: &mut BlockState,
        out: &mut Builder,
    ) -> Result<Operand, NotReady> {
        match e {
            Expr::Arg(arg) => context.operand(*arg).ok_or(NotReady),
            Expr::Read(fluent, keys) => {
                let keys = self.operands(keys, context)?;
                let dst = context.register();
                out.push(Op::Read { dst, fluent: *fluent, keys });
                Ok(Operand::Reg(dst))
            }
            Expr::Op(op, args) => {
                let mut operands = Vec::new();
                for arg in args {
                    operands.push(self.expression(arg, span, context, out)?);
                }
                let a = operands[0];
                let b = operands.get(1).copied().unwrap_or(Operand::Const(0));
                if let (Operand::Const(a), Operand::Const(b)) = (a, b) {
                    let values = if args.len() == 1 { vec![a] } else { vec![a, b] };
                    if let Some(n) = op.apply(&values) {
                        return Ok(Operand::Const(n));
                    }
                }
                let dst = context.register();
                let source = self.source(span);
                out.push(Op::Calculate { dst, op: *op, a, b, source });
                Ok(Operand::Reg(dst))
            }
        }
    }

    pub(super) fn operands(
        &self,
        args: &[Arg],
        context: &BlockState,
    ) -> Result<super::super::ops::Operands, NotReady> {
        args.iter().map(|a| context.operand(*a).ok_or(NotReady)).collect()
    }
}

enum Choice {
    Var(Var),
    /// Every value of the variable's universe, so that a recursion becomes a flood.
    Domain(Var),
    Goal(usize),
    /// A variable, with the values that a static goal has for it.
    Values(Var, Vec<Code>),
    /// The key of a map whose value is open, as a set that other goals narrow.
    Keys(Var, usize),
}

/// A last `Each` in a test only asks whether its set has an element.
pub(super) fn finish_exists(block: &mut Builder) {
    if let Some(Op::Each { set, .. }) = block.ops.last() {
        let set = set.clone();
        block.replace_last(Op::NonEmpty { set, negate: false });
    }
    block.push(Op::Succeed);
}

/// A test, negated where `flip`; `None` for an instruction that cannot be negated.
pub(super) fn with_sign(mut op: Op, flip: bool) -> Option<Op> {
    match &mut op {
        Op::In { negate, .. }
        | Op::NonEmpty { negate, .. }
        | Op::Subset { negate, .. }
        | Op::AnyRow { negate, .. }
        | Op::Holds { negate, .. }
        | Op::Defined { negate, .. }
        | Op::Has { negate, .. }
        | Op::Same { negate, .. }
        | Op::Test { negate, .. } => *negate ^= flip,
        _ => return None,
    }
    Some(op)
}
