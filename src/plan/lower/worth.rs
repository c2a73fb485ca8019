//! Whether a set of values is made at all, or the values are tested one by one.

use super::super::ops::{Op, Operand, Set};
use super::goals::{G, Var, Vars};
use super::lookahead::{CLEARLY, MAX_WORDS};
use super::order::BlockState;
use super::{Builder, Lowering};

impl Lowering<'_> {
    /// Whether the set that was gathered last, at the end of `out`, is made by going through all values that it might have.
    /// Testing each of them is the same work then, and ends at the first one that is enough.
    pub(super) fn goes_through(&self, out: &Builder) -> bool {
        let Some(Op::Gather { body, .. }) = out.ops.last() else { return false };
        let ops = &self.ops.blocks[*body];
        let values = match ops.first() {
            Some(Op::Integers { dst, .. } | Op::Each { set: Set::Mask(_), dst, .. }) => *dst,
            _ => return false,
        };
        self.ops.blocks.reached(ops).into_iter().all(|op| match op {
            Op::EmitOne { x, .. } => *x == Operand::Reg(values),
            Op::Emit { .. } | Op::EmitImage { .. } | Op::EmitJoint { .. } => false,
            _ => true,
        })
    }

    /// Whether goals with a flood among them, at these places, cost clearly less as one set of a variable's values than as a
    /// test of each of about `least` values.
    pub(super) fn spares_floods(
        &mut self,
        (goals, places): (&[G], &[usize]),
        (var, least): (Var, f64),
        context: &BlockState,
        vars: &Vars,
    ) -> bool {
        let floods = |goal: &G| match goal {
            G::Call(id, args) => self.flood_target(*id, args, context).is_some(),
            _ => false,
        };
        if self.comparing
            || places.len() < 2
            || least <= 1.0
            || !least.is_finite()
            || self.universes.words > MAX_WORDS
            || !places.iter().any(|place| floods(&goals[*place]))
        {
            return false;
        }
        let goals: Vec<G> = places.iter().map(|place| goals[*place].clone()).collect();
        let costs = self.set_and_tests(goals, (var, least), context, vars);
        costs.is_some_and(|(set, tests)| set < tests * CLEARLY)
    }

    /// Whether goals cost clearly less as a test of each of the values of a variable that the set which was gathered last, at
    /// the end of `out`, is expected to have, than as a set of their own.
    pub(super) fn tests_suffice(
        &mut self,
        goals: &[G],
        var: Var,
        out: &Builder,
        context: &BlockState,
        vars: &Vars,
    ) -> bool {
        let Some(Op::Gather { body, .. }) = out.ops.last() else { return false };
        if self.comparing || self.universes.words > MAX_WORDS {
            return false;
        }
        let least = self.expected_cost(*body).answers;
        let costs = self.set_and_tests(goals.to_vec(), (var, least), context, vars);
        costs.is_some_and(|(set, tests)| tests < set * CLEARLY)
    }

    /// What goals are expected to cost as a set of a variable's values, and as a test of each of about `least` values.
    fn set_and_tests(
        &mut self,
        goals: Vec<G>,
        (var, least): (Var, f64),
        context: &BlockState,
        vars: &Vars,
    ) -> Option<(f64, f64)> {
        let universe = self.settable(var, vars)?;
        self.comparing = true;
        let before = self.before();
        let (mut inner, mut with, mut block) = (context.clone(), vars.clone(), self.builder());
        let made = self.gather(goals.clone(), var, universe, &mut inner, &mut with, &mut block);
        let as_set = made.map(|_| {
            let block = self.place(block);
            self.expected_cost(block).cost
        });
        self.take_back(&before);
        let (mut inner, mut with, mut block) = (context.clone(), vars.clone(), self.builder());
        let known = inner.register();
        inner.bound[var] = Some(Operand::Reg(known));
        let tested = self.exists(goals, &mut inner, &mut with, false, &mut block);
        let one_by_one = tested.ok().map(|()| {
            let block = self.place(block);
            least * self.expected_cost(block).cost
        });
        self.take_back(&before);
        self.comparing = false;
        as_set.zip(one_by_one)
    }
}
