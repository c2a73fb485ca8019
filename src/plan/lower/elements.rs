//! Tests that some element of a set meets conditions which do not depend on the rows that are gone through.
//!
//! Where `laid(S, L)` has hundreds of lists `L`, `touches(P, L) :- member(C, L), diagonal(C, D), at(D, P)` asks the same of the
//! same cells for each of them. The cells of which it is true, gathered in front of the rows, cost as much as a few such
//! tests, and a list then touches where it has one of them.

use super::super::ops::{Op, Set};
use super::forms::mapped;
use super::goals::{Arg, G, Var, Vars};
use super::order::{BlockState, Want, finish_exists};
use super::sets::{mentions, only_open};
use super::{Builder, Lowering, occurrences};

/// How many times more rows there must be than values of which one is an element.
const MANY_ROWS: usize = 4;

impl Lowering<'_> {
    /// Emits a test that these goals have a common answer, or none, as one of two sets. False where nothing was emitted.
    pub(super) fn element_test(
        &mut self,
        goals: &[G],
        negate: bool,
        context: &mut BlockState,
        vars: &mut Vars,
        out: &mut Builder,
    ) -> bool {
        if !self.goes_through_rows(out, MANY_ROWS)
            || goals.iter().any(|goal| self.raises(goal) || self.acts(goal))
            || !self.loops_for(goals, context, vars)
        {
            return false;
        }
        let before = self.before();
        let saved = (context.clone(), vars.clone(), out.clone());
        let ways = match goals {
            [G::Call(id, args)] => self.bodies_of(*id, args, vars).unwrap_or_default(),
            _ => vec![goals.to_vec()],
        };
        let inside = occurrences(&ways.concat(), vars);
        let from = context.totals.len();
        context.totals.extend_from_slice(inside.get(from..).unwrap_or_default());
        context.bound.resize(vars.all.len(), None);
        let begun = (context.clone(), vars.clone());
        let all = ways.first().map(|way| self.elements(way, context, vars, out));
        let all = all.unwrap_or_default();
        for elements in all {
            if self.element_ops(&ways, elements, negate, context, vars, out).is_some() {
                return true;
            }
            self.take_back(&before);
            (*context, *vars, *out) = (begun.0.clone(), begun.1.clone(), saved.2.clone());
        }
        self.take_back(&before);
        (*context, *vars, *out) = saved;
        false
    }

    /// The same, where the set of this variable by the goal at a place of the first way is the one of the two.
    fn element_ops(
        &mut self,
        ways: &[Vec<G>],
        (element, at): (Var, usize),
        negate: bool,
        context: &mut BlockState,
        vars: &mut Vars,
        out: &mut Builder,
    ) -> Option<()> {
        let universe = self.settable(element, vars)?;
        let given = ways[0][at].clone();
        let mut conditions = Vec::new();
        for way in ways {
            let renamed = |goal: &G, from: Var| {
                mapped(goal, &mut |arg| match arg {
                    Arg::Var(v) if v == from => Arg::Var(element),
                    arg => arg,
                })
            };
            let all = self.elements(way, context, vars, out);
            let (from, at) = all
                .into_iter()
                .find(|(from, at)| renamed(&way[*at], *from).as_ref() == Some(&given))?;
            let mut rest = Vec::new();
            for (i, goal) in way.iter().enumerate().filter(|(i, _)| *i != at) {
                let others = |v: Var| {
                    let open = v != from && context.bound[v].is_none();
                    open && way.iter().enumerate().any(|(j, g)| j != i && mentions(g, v))
                };
                rest.extend(affirmed(goal, &others));
            }
            let rest = rest.iter().map(|goal| renamed(goal, from)).collect::<Option<Vec<G>>>()?;
            conditions.push(rest);
        }
        let goals = match <[Vec<G>; 1]>::try_from(conditions) {
            Ok([only]) => only,
            Err(several) => vec![G::Or(several)],
        };
        context.totals[element] = goals.len() + 1;
        let all = self.simple(&given, element, context, vars)?;
        let known = match goals.as_slice() {
            [goal] => self.simple(goal, element, context, vars),
            _ => None,
        };
        let set = match known {
            Some(set) => set,
            None => {
                Set::Reg(self.gather_in_front((goals, element, universe), context, vars, out)?)
            }
        };
        let dst = context.set();
        out.push(Op::Load { dst, set: all });
        out.push(Op::And { dst, set });
        out.push(Op::NonEmpty { set: Set::Reg(dst), negate });
        Some(())
    }

    /// Whether the goals as they stand are tested by a call or a loop, not by sets alone.
    fn loops_for(&mut self, goals: &[G], context: &BlockState, vars: &Vars) -> bool {
        if matches!(goals, [G::Call(..)]) {
            return true;
        }
        let before = self.before();
        let (mut context, mut vars, mut block) = (context.clone(), vars.clone(), self.builder());
        let outcome =
            self.conjunction(goals.to_vec(), &mut context, &mut vars, &Want::default(), &mut block);
        finish_exists(&mut block);
        let loops = block.ops.iter().any(Op::is_generator);
        self.take_back(&before);
        outcome.is_ok() && loops
    }

    /// The variables of a conjunction that a set gives which depends on a known value, each with the place of that goal. They
    /// have far fewer values than the rows that a block goes through.
    fn elements(
        &mut self,
        goals: &[G],
        context: &BlockState,
        vars: &Vars,
        out: &Builder,
    ) -> Vec<(Var, usize)> {
        let mut all = Vec::new();
        for (at, goal) in goals.iter().enumerate() {
            let Some(element) = only_open(goal, context) else { continue };
            let Some(universe) = self.settable(element, vars) else { continue };
            if !self.goes_through_rows(out, MANY_ROWS * self.universes.get(universe).len) {
                continue;
            }
            let mut known = false;
            goal.each_var(&mut |v| known |= v != element);
            let asked = goals.iter().enumerate().any(|(i, g)| i != at && mentions(g, element));
            if known && asked && self.simple(goal, element, context, vars).is_some() {
                all.push((element, at));
            }
        }
        all
    }

    /// Whether a block goes through at least this many rows of a table.
    fn goes_through_rows(&self, out: &Builder, least: usize) -> bool {
        out.ops.iter().any(|op| match op {
            Op::Rows { index, .. } => self.made.indexes[*index as usize].average() >= least as f64,
            _ => false,
        })
    }
}

/// What a test says, without a negation of a negation where the variables inside are in no other goal.
fn affirmed(goal: &G, others: &dyn Fn(Var) -> bool) -> Vec<G> {
    if let G::Not(outer) = goal
        && let [G::Not(inner)] = outer.as_slice()
    {
        let mut apart = true;
        goal.each_var(&mut |v| apart &= !others(v));
        if apart {
            return inner.clone();
        }
    }
    vec![goal.clone()]
}
