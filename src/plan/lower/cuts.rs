//! Floods over steps that the state forbids.
//!
//! In `reach(A, C) :- reach(A, B), step(B, C), \\+ blocked(B, C)` each step from each site would be
//! tested on its own. Where the blocking facts are part of the state (walls, for example), the
//! sites that cannot make a step are gathered from it before the first round, for each shift of the
//! steps; each round then moves whole sets.

use std::collections::BTreeMap;

use super::super::images::Images;
use super::super::ops::{Op, Set};
use super::super::universe::{Code, UniverseId};
use super::super::written::WrittenId;
use super::emit::occurrences_in;
use super::goals::{Arg, G, Var, Vars};
use super::order::BlockState;
use super::procedures::FLOOD;
use super::{Builder, Lowering, occurrences};

/// Steps with more different shifts than this are evaluated one by one.
const MAX_SHIFTS: usize = 12;
/// The most keys of a map or set in which blocking facts are searched for.
const MAX_KEYS: u64 = 1024;

/// The goals of a flood's round.
struct Round {
    /// The site that a step begins at.
    from: Var,
    /// The table of the steps, from and to.
    pairs: Vec<(Code, Code)>,
    /// The goal of the steps in the rule file.
    written: WrittenId,
    /// The goals of the rule file that forbid a step, each with its alternatives.
    cuts: Vec<(WrittenId, Vec<Vec<G>>)>,
    /// Tests of the site that a step leads to.
    filters: Vec<(Set, bool)>,
}

impl Lowering<'_> {
    /// Emits a clause of a flood in this form, for the variable that the flood grows; emits nothing
    /// where its goals have another form.
    pub(super) fn cut_flood(
        &mut self,
        goals: &[G],
        (to, universe): (Var, UniverseId),
        context: &mut BlockState,
        vars: &mut Vars,
        out: &mut Builder,
    ) -> bool {
        let (saved, known, placed) = (context.clone(), out.clone(), self.ops.blocks.len());
        let images = self.made.images.len();
        let written = self.write_cuts(goals, (to, universe), context, vars, out).is_some();
        if !written {
            *context = saved;
            context.bound.resize(vars.all.len(), None);
            context.totals.resize(vars.all.len(), 1);
            *out = known;
            self.ops.blocks.truncate(placed);
            self.made.images.truncate(images);
        }
        written
    }

    fn write_cuts(
        &mut self,
        goals: &[G],
        (to, universe): (Var, UniverseId),
        context: &mut BlockState,
        vars: &mut Vars,
        out: &mut Builder,
    ) -> Option<()> {
        let round = self.round_of(goals, to, universe, context, vars)?;
        let base = self.universes.get(universe).base;
        let mut shifts: BTreeMap<Code, Vec<(Code, Code)>> = BTreeMap::new();
        let inside = |code: Code| (0..(self.universes.words * 64) as Code).contains(&(code - base));
        for (from, to) in round.pairs {
            if !inside(from) || !inside(to) {
                return None;
            }
            shifts.entry(to - from).or_default().push((from, to));
        }
        if shifts.len() > MAX_SHIFTS {
            return None;
        }
        let mut ways = Vec::new();
        for pairs in shifts.into_values() {
            let rows = pairs.iter().map(|(from, to)| [*from, *to]);
            let steps = G::Functor(
                self.joined_table("steps of one shift", 2, rows),
                vec![Arg::Var(round.from), Arg::Var(to)],
            );
            let mut cut = Vec::new();
            for (written, ways) in &round.cuts {
                let mut joined = Vec::new();
                for way in ways {
                    let mut goals = [way.as_slice(), std::slice::from_ref(&steps)].concat();
                    let mut counts = occurrences(&goals, vars);
                    counts[round.from] += 1;
                    self.join_statics(&mut goals, &mut counts, &[], vars);
                    joined.push(goals);
                }
                context.bound.resize(vars.all.len(), None);
                context.totals = occurrences(&[G::Or(joined.clone())], vars);
                context.totals[round.from] += 1;
                let goals = match joined.len() {
                    1 => joined.remove(0),
                    _ => vec![G::Or(joined)],
                };
                let set = self.writing(*written, out, |lowering, out| {
                    lowering.gather(goals, round.from, universe, context, vars, out)
                });
                cut.push(set?);
            }
            let moved = context.set();
            let mut way = self.builder();
            way.push(Op::Load { dst: moved, set: Set::Reg(0) });
            cut.into_iter().for_each(|set| way.push(Op::AndNot { dst: moved, set }));
            let triples: Vec<(Vec<Code>, usize, usize)> = (pairs.iter())
                .map(|(from, to)| (Vec::new(), (from - base) as usize, (to - base) as usize))
                .collect();
            let images = Images::build("step", self.universes.words, Vec::new(), &triples)?;
            self.made.images.push(images);
            way.push_for(
                round.written,
                Op::EmitImage {
                    images: self.made.images.len() as u32 - 1,
                    keys: Box::default(),
                    source: Set::Reg(moved),
                    filters: round.filters.clone().into(),
                },
            );
            ways.push(self.place(way));
        }
        out.push_for(round.written, Op::Branch { ways: ways.into(), rest: None });
        Some(())
    }

    /// The parts of a clause that is a flood over forbidden steps.
    fn round_of(
        &mut self,
        goals: &[G],
        to: Var,
        universe: UniverseId,
        context: &BlockState,
        vars: &mut Vars,
    ) -> Option<Round> {
        let read = |g: &G| match g {
            G::Call(id, args) if *id == FLOOD => args.first().copied(),
            _ => None,
        };
        let Some(Arg::Var(from)) = goals.iter().find_map(read) else { return None };
        let settable = |v: Var| self.settable(v, vars) == Some(universe);
        if from == to || !settable(from) || !settable(to) || context.bound[to].is_some() {
            return None;
        }
        let counts = occurrences(goals, vars);
        let (mut steps, mut cuts, mut filters) = (None, Vec::new(), Vec::new());
        let mut written = None;
        for goal in goals {
            if self.raises(goal) || self.acts(goal) {
                return None;
            }
            let mentions = |var: Var| {
                let mut found = false;
                goal.each_var(&mut |v| found |= v == var);
                found
            };
            match (goal, mentions(from), mentions(to)) {
                (G::Call(id, _), ..) if *id == FLOOD => {}
                (G::Static(..) | G::Functor(..), true, true) if steps.is_none() => {
                    steps = Some(self.steps_of(goal, from, to, &counts)?);
                    written = Some(self.place_of(goal));
                }
                (G::Not(inner), true, true) => {
                    let mut local = true;
                    goal.each_var(&mut |v| {
                        let inside: usize = inner.iter().map(|g| occurrences_in(g, v)).sum();
                        local &= v == from || v == to || inside == counts[v];
                    });
                    if !local {
                        return None;
                    }
                    cuts.push((self.place_of(goal), self.ways_to_cut(inner, vars)?));
                }
                (goal, false, true) => {
                    let (goal, negate) = match goal {
                        G::Not(inner) if inner.len() == 1 => (&inner[0], true),
                        other => (other, false),
                    };
                    filters.push((self.simple(goal, to, context, vars)?, negate));
                }
                _ => return None,
            }
        }
        let round = Round { from, pairs: steps?, written: written?, cuts, filters };
        (!round.cuts.is_empty()).then_some(round)
    }

    /// The steps of a static goal, from and to.
    fn steps_of(
        &self,
        goal: &G,
        from: Var,
        to: Var,
        counts: &[usize],
    ) -> Option<Vec<(Code, Code)>> {
        let (table, args) = goal.table()?;
        let (mut fixed, mut at) = (Vec::new(), [None; 2]);
        for (i, arg) in args.iter().enumerate() {
            match arg {
                Arg::Const(code) => fixed.push((i, *code)),
                Arg::Var(v) if *v == from && at[0].is_none() => at[0] = Some(i),
                Arg::Var(v) if *v == to && at[1].is_none() => at[1] = Some(i),
                Arg::Var(v) if counts[*v] == 1 => {}
                Arg::Var(_) => return None,
            }
        }
        let [Some(from), Some(to)] = at else { return None };
        let rows = self.projected(table, &fixed, &[from, to]);
        Some(rows.iter().map(|row| (row[0], row[1])).collect())
    }

    /// The alternatives in which goals forbid a step, where each finds the step from facts of the
    /// state.
    fn ways_to_cut(&mut self, inner: &[G], vars: &mut Vars) -> Option<Vec<Vec<G>>> {
        let ways = match inner {
            [G::Call(id, args)] => self.bodies_of(*id, args, vars)?,
            [G::Or(ways)] => ways.clone(),
            goals => vec![goals.to_vec()],
        };
        let holds_few = |goal: &G| match goal {
            G::Read(fluent, keys, _) => {
                let keys = keys.len().min(self.layout.place(*fluent).keys.len());
                let axes = &self.layout.place(*fluent).keys[..keys];
                keys > 0 && axes.iter().map(|axis| axis.len as u64).product::<u64>() <= MAX_KEYS
            }
            _ => false,
        };
        let found = |way: &Vec<G>| {
            way.iter().any(holds_few) && !way.iter().any(|g| self.raises(g) || self.acts(g))
        };
        ways.iter().all(found).then_some(ways)
    }
}
