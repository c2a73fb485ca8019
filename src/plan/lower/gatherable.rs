//! Which goals can be gathered as a set of a variable's values.

use super::Lowering;
use super::goals::{Arg, G, Var, Vars};
use super::links::Links;
use super::order::{BlockState, Want};
use super::sets::{NESTING, TEST_UP_TO, closed};

impl Lowering<'_> {
    /// Whether a call may have infinitely many answers, because they contain lists that a relation
    /// builds. Goals before the call may determine the list.
    pub(super) fn endless(&self, goal: &G, context: &BlockState, vars: &Vars) -> bool {
        let G::Call(id, args) = goal else { return false };
        let columns = self.domains.columns.get(id.0 as usize);
        let lists = |i: usize| columns.and_then(|all| all.get(i)).is_some_and(|c| c.lists);
        args.iter().enumerate().any(|(i, arg)| match arg {
            Arg::Var(v) => !context.is_bound(*arg) && (vars.all[*v].domain.lists || lists(i)),
            Arg::Const(_) => false,
        })
    }

    /// The variable of many values that a goal reads at an element.
    pub(super) fn one_of_many(&self, goal: &G, var: Var, context: &BlockState) -> Option<Var> {
        let G::Read(fluent, keys, Some(Arg::Var(value))) = goal else { return None };
        let values = self.layout.place(*fluent).value.as_ref().map_or(0, |axis| axis.len);
        let read = keys.as_slice() == [Arg::Var(var)] && !context.is_bound(Arg::Var(*value));
        (read && values as f64 > TEST_UP_TO).then_some(*value)
    }

    /// Whether a goal calls a recursion that is not a flood, with some argument given.
    pub(super) fn is_costly(&self, goal: &G, context: &BlockState) -> bool {
        matches!(goal, G::Call(id, args) if self.calls.costly.get(id.0 as usize) == Some(&true)
            && args.iter().any(|arg| context.is_bound(*arg)))
    }

    /// Whether `var` is the only unbound variable of the goals at these places, apart from those
    /// that occur only in them.
    pub(super) fn only_unbound(
        &self,
        goals: &[G],
        places: &[usize],
        var: Var,
        context: &BlockState,
        want: &Want,
        vars: &Vars,
    ) -> bool {
        let mut inside = Vec::new();
        if places.iter().any(|p| matches!(goals[*p], G::Not(_))) {
            inside = vec![0usize; vars.all.len()];
            places.iter().for_each(|p| goals[*p].each_var(&mut |v| inside[v] += 1));
        }
        let mut only = true;
        for place in places {
            goals[*place].each_var(&mut |v| {
                let local = match &goals[*place] {
                    G::Not(_) => inside[v] >= context.totals[v],
                    _ => !want.wants(v),
                };
                only &= v == var || context.bound[v].is_some() || local;
            });
        }
        only
    }

    /// Whether a goal keeps only its first answer.
    pub(super) fn commits(&self, goal: &G) -> bool {
        match goal {
            G::Once(_) | G::If(..) => true,
            G::Or(branches) => branches.iter().flatten().any(|g| self.commits(g)),
            G::Call(id, _) => self.call_chooses(*id) || self.supposes(goal),
            _ => false,
        }
    }

    /// Whether a goal runs the updates of a hypothesis, which is done for one value after another.
    pub(super) fn supposes(&self, goal: &G) -> bool {
        match goal {
            G::Call(id, _) => self.program.relations.get(id.0 as usize).is_some_and(|r| r.supposes),
            G::Not(inner) => inner.iter().any(|goal| self.supposes(goal)),
            _ => false,
        }
    }

    /// Whether some of the goals can be gathered for this variable.
    pub(super) fn gatherable(
        &self,
        goals: &[G],
        links: &Links,
        var: Var,
        context: &BlockState,
        vars: &Vars,
        want: &Want,
    ) -> bool {
        if context.nesting >= NESTING || self.settable(var, vars).is_none() {
            return false;
        }
        links.mentioning(var).iter().copied().any(|i| {
            if matches!(goals[i], G::Not(_) | G::Compare(..)) {
                return false;
            }
            let places = links.component_for(i, Some(var));
            let whole = places.len() == goals.len() && want.target == Some(var);
            !places.iter().any(|p| self.commits(&goals[*p]))
                && !places.iter().any(|p| self.endless(&goals[*p], context, vars))
                && (!whole || (places.len() == 1 && closed(&goals[i])))
                && places.iter().all(|p| self.only_unbound(goals, &[*p], var, context, want, vars))
        })
    }
}
