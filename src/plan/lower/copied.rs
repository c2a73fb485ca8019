//! Values that a move needs and that its head determines, found apart from the tests of them.
//!
//! In `move(push(B, Dir)) :- box(B), step(Dir, A, B), reach(A), step(Dir, B, C), free(C), …, set(box(C))` the update needs `C`, which
//! `B` and `Dir` determine. With a copy of it in the tests, `step(Dir, B, C1), free(C1), step(Dir, B, C)`, no other goal needs
//! `C1`, so the tests are sets of `B` for each direction, and `C` is found for those that are left.

use super::Lowering;
use super::emit::occurrences_in;
use super::forms::{by_names, rename};
use super::goals::{Arg, G, Var, Vars};
use super::order::BlockState;
use super::procedures::var;

/// The goals of a move before its first update, in two parts.
pub(super) struct Copied {
    /// With copies of the values.
    pub tests: Vec<G>,
    /// The goals that give the values themselves.
    pub given: Vec<G>,
}

impl Lowering<'_> {
    /// Goals whose tests have copies of the values among `needed` that tables determine by those of the head; `None` where
    /// there are no such values that other goals test.
    pub(super) fn copied(
        &mut self,
        goals: &[G],
        needed: &[Var],
        head: &[Var],
        vars: &mut Vars,
    ) -> Option<Copied> {
        let context = BlockState::new(vars);
        let mut known = head.to_vec();
        let mut found: Vec<(Var, G)> = Vec::new();
        loop {
            let is_known = |arg: &Arg| match arg {
                Arg::Var(v) => known.contains(v),
                Arg::Const(_) => true,
            };
            let next = goals.iter().find_map(|goal| {
                if let G::Same(a, b) = goal {
                    let open = match (is_known(a), is_known(b)) {
                        (true, false) => b,
                        (false, true) => a,
                        _ => return None,
                    };
                    return var(*open).map(|v| (v, goal.clone()));
                }
                let (table, args) = goal.table()?;
                let determined = self.determined(table, args, &is_known, &context);
                let [v] = determined[..] else { return None };
                let mut open = args.iter().filter(|arg| !is_known(arg));
                open.all(|arg| *arg == Arg::Var(v)).then(|| (v, goal.clone()))
            });
            let Some((v, goal)) = next else { break };
            known.push(v);
            found.push((v, goal));
        }
        // those that the update needs, and those that lead to them
        let mut wanted = needed.to_vec();
        let mut tested = false;
        let (mut copies, mut given) = (Vec::new(), Vec::new());
        for (v, goal) in found.into_iter().rev().filter(|(v, _)| !head.contains(v)) {
            if !wanted.contains(&v) {
                continue;
            }
            goal.each_var(&mut |v| wanted.push(v));
            let tests = |other: &G| *other != goal && occurrences_in(other, v) > 0;
            tested |= goals.iter().any(tests);
            copies.push((v, vars.fresh(vars.all[v].domain.clone())));
            given.push(goal);
        }
        if !tested {
            return None;
        }
        let new = by_names(&copies);
        let mut tests = goals.to_vec();
        for goal in &mut tests {
            let old = goal.clone();
            rename(goal, &new);
            self.put_in_place(goal, &old);
        }
        // with each direction the tests are sets
        let context = BlockState::new(vars);
        for v in head {
            let alone = |goal: &G| goal.table().is_some_and(|(_, args)| args == [Arg::Var(*v)]);
            if !tests.iter().any(alone)
                && let Some(values) = self.directing(*v, &tests, &context, vars)
            {
                tests.insert(0, self.one_of(*v, values));
            }
        }
        Some(Copied { tests, given })
    }
}
