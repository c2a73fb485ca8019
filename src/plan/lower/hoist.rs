//! Moves goals of a move's clause before an update, where they read nothing that it writes.
//!
//! That does not change the result: no goal before them is a rule error, and moves have no order.
//! The choices of the move are then candidates, and none of them need be played to find the others.

use super::Lowering;
use super::effects::Fluents;
use super::goals::{Arg, Expr, G, Var};

impl Lowering<'_> {
    /// Moves choices before the update, with what they need; static goals in any case.
    pub(super) fn hoist(&self, before: &mut Vec<G>, after: &mut Vec<G>) {
        let all = (before.clone(), after.clone());
        if !self.hoist_where(before, after, |_| true) {
            (*before, *after) = all;
            self.hoist_where(before, after, |goal| matches!(goal, G::Static(..) | G::Functor(..)));
        }
    }

    /// Moves the goals that may be moved; true where there was a choice among them.
    fn hoist_where(
        &self,
        before: &mut Vec<G>,
        after: &mut Vec<G>,
        wanted: impl Fn(&G) -> bool,
    ) -> bool {
        let (mut i, mut chosen) = (0, false);
        let mut written = Fluents::default();
        // a goal that may be a rule error stays before those after it
        while i < after.len() && !self.raises(&after[i]) {
            let mut inside = Vec::new();
            before.iter().for_each(|g| g.each_var(&mut |v| inside.push(v)));
            let mut earlier = Vec::new();
            after[..i].iter().for_each(|g| g.each_var(&mut |v| earlier.push(v)));
            let mut known = true;
            after[i].each_var(&mut |v| known &= inside.contains(&v) || !earlier.contains(&v));
            let mut read = Fluents::default();
            self.add_reads(&after[i], &mut read);
            if known
                && wanted(&after[i])
                && self.is_movable(&after[i], &inside)
                && !read.meets(&written)
            {
                chosen |= chooses(&after[i], &inside);
                before.push(after.remove(i));
            } else {
                self.add_writes(&after[i], &mut written);
                i += 1;
            }
        }
        chosen
    }

    /// Whether a goal can be run where these variables are bound. A relation that only tests may be
    /// expensive, and is better left to the move that is played.
    fn is_movable(&self, goal: &G, known: &[Var]) -> bool {
        let has = |arg: &Arg| is_known(arg, known);
        let calculates = |e: &Expr| {
            let mut all = true;
            e.each_var(&mut |v| all &= known.contains(&v));
            all
        };
        match goal {
            G::Static(..) | G::Functor(..) | G::Read(..) => true,
            G::Same(a, b) => has(a) || has(b),
            G::Compare(_, a, b, _) | G::In(_, a, b, _) => calculates(a) && calculates(b),
            G::Is(_, e, _) => calculates(e),
            G::Member(_, list) => has(list),
            G::Not(inner) => {
                let mut all = inner.iter().all(|g| self.is_movable(g, known));
                goal.each_var(&mut |v| all &= known.contains(&v));
                all
            }
            G::Call(id, args) if !self.acts(goal) && !self.call_chooses(*id) => {
                let needs = &self.program.relation(*id).needs_bound;
                needs.iter().zip(args).all(|(needed, arg)| !needed || has(arg))
                    && !args.iter().all(has)
            }
            _ => false,
        }
    }
}

/// Whether a goal other than a static one may have several answers.
fn chooses(goal: &G, known: &[Var]) -> bool {
    match goal {
        G::Member(x, _) | G::In(x, ..) => !is_known(x, known),
        G::Read(_, keys, _) => !keys.iter().all(|key| is_known(key, known)),
        G::Call(..) => true,
        _ => false,
    }
}

pub(super) fn is_known(arg: &Arg, known: &[Var]) -> bool {
    match arg {
        Arg::Var(v) => known.contains(v),
        Arg::Const(_) => true,
    }
}
