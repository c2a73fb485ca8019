//! Sets of which a part is the same in all rounds of the loops around.
//!
//! In `count(C, (on_line(D, A, C), guarded(C)), N)` within loops over `A` and `D`, where `guarded(C)` stands for goals about other
//! sites too, the guarded sites are a set of their own: it is gathered first, so that it can be moved in front of the loops
//! (`invariant.rs`), and intersected with what the other goals give.

use super::super::ops::{Op, Operand, Set};
use super::conjuncts::locals;
use super::goals::{G, Var, Vars};
use super::links::Links;
use super::order::{BlockState, Want};
use super::sets::{NESTING, calls, mentions};
use super::{Builder, Lowering};

impl Lowering<'_> {
    /// The set of the target, where some goals about it need only a part of the values that the others need, and the
    /// others are set operations. `None` (and nothing emitted) for other goals.
    pub(super) fn fold_apart(
        &mut self,
        goals: &[G],
        context: &mut BlockState,
        vars: &mut Vars,
        want: &Want,
        out: &mut Builder,
    ) -> Option<Set> {
        let target = want.target.filter(|v| context.bound[*v].is_none())?;
        let wanted = !want.needed.is_empty() || !want.telling.is_empty() || want.sensitive;
        if wanted || context.nesting == 0 || context.nesting >= NESTING {
            return None;
        }
        let universe = self.settable(target, vars)?;
        let links = Links::new(goals, context, want);
        let part = |places: Vec<usize>| -> Vec<G> {
            places.into_iter().map(|place| goals[place].clone()).collect()
        };
        let (apart, folded): (Vec<_>, Vec<_>) = links
            .components()
            .map(part)
            .partition(|part| self.is_gathered(part, target, context, vars));
        let rest = folded.concat();
        let needed = given(&rest, context);
        let fewer = |part: &Vec<G>| {
            let own = given(part, context);
            own.len() < needed.len() && own.iter().all(|v| needed.contains(v))
        };
        let local = locals(&rest, context, want);
        if apart.is_empty()
            || !apart.iter().all(fewer)
            || local.iter().any(|v| context.totals[*v] > 1)
        {
            return None;
        }
        let (saved, blocks, before) = (context.clone(), self.ops.blocks.len(), out.clone());
        let set = self.apart_and_rest(apart, &rest, (target, universe), context, vars, out);
        if set.is_none() {
            (*context, *out) = (saved, before);
            context.bound.resize(vars.all.len(), None);
            context.totals.resize(vars.all.len(), 1);
            self.ops.blocks.truncate(blocks);
        }
        set
    }

    fn apart_and_rest(
        &mut self,
        apart: Vec<Vec<G>>,
        rest: &[G],
        (target, universe): (Var, super::UniverseId),
        context: &mut BlockState,
        vars: &mut Vars,
        out: &mut Builder,
    ) -> Option<Set> {
        let mut sets = Vec::new();
        for part in apart {
            sets.push(self.gather(part, target, universe, context, vars, out)?);
            context.bound.resize(vars.all.len(), None);
            context.totals.resize(vars.all.len(), 1);
        }
        let set = self.fold_all(rest, target, context, vars, out)?;
        let dst = context.set();
        out.push(Op::Load { dst, set });
        sets.into_iter().for_each(|set| out.push(Op::And { dst, set }));
        Some(Set::Reg(dst))
    }

    /// Whether the values for which these goals hold are found by a loop and no call.
    fn is_gathered(&self, part: &[G], target: Var, context: &BlockState, vars: &Vars) -> bool {
        part.len() > 1
            && part.iter().any(|goal| mentions(goal, target) && !matches!(goal, G::Not(_)))
            && !part
                .iter()
                .any(|goal| calls(goal) || self.commits(goal) || self.endless(goal, context, vars))
    }
}

/// The variables of goals whose values are known when they are run only.
fn given(goals: &[G], context: &BlockState) -> Vec<Var> {
    let mut found = Vec::new();
    for goal in goals {
        goal.each_var(&mut |v| {
            if matches!(context.bound[v], Some(Operand::Reg(_))) && !found.contains(&v) {
                found.push(v);
            }
        });
    }
    found
}
