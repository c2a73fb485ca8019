//! What a goal behind updates asks for, said of the position before them.
//!
//! Behind `at(C) := X` a site R without a piece is one that had none before, other than C. Behind `clear(at(C))` a site R with a piece
//! is one that had it before, other than C. So such a goal may be moved before the update if `R \= C` is asked too (the weakest
//! precondition; Dijkstra, "A Discipline of Programming", 1976). Behind `clear(at(A)), at(B) := X`, as a piece moves, a site without
//! a piece is one other than B that had none before or is A: `\+ (R \= A, at(R, _)), R \= B`. The opposite, a piece behind an update
//! that puts one down, would be a disjunction: these goals stay.
//!
//! The goals that are made mean the same behind the updates, where they only say more than needed.

use super::Lowering;
use super::effects::Fluents;
use super::goals::{Arg, G, Var};
use super::hoist::is_known;

impl Lowering<'_> {
    /// Goals that hold before some goals where this one holds behind them. `known` are the variables that have values before. `None`
    /// where that cannot be said.
    pub(super) fn across(&self, goal: &G, passed: &[G], known: &[Var]) -> Option<Vec<G>> {
        let mut read = Fluents::default();
        self.add_reads(goal, &mut read);
        let writes = |other: &&G| {
            let mut written = Fluents::default();
            self.add_writes(other, &mut written);
            read.meets(&written)
        };
        let updates: Vec<&G> = passed.iter().filter(writes).collect();
        self.across_all(goal, &updates, known, &mut known.to_vec())
    }

    /// The same of updates; `bound` are the variables that have values where the goal stands.
    fn across_all(
        &self,
        goal: &G,
        updates: &[&G],
        known: &[Var],
        bound: &mut Vec<Var>,
    ) -> Option<Vec<G>> {
        let inner = match goal {
            G::Static(..) | G::Functor(..) | G::Same(..) => {
                goal.each_var(&mut |v| bound.push(v));
                return Some(vec![goal.clone()]);
            }
            G::Read(..) => {
                goal.each_var(&mut |v| bound.push(v));
                return self.elsewhere(goal, goal, updates, known, |update| {
                    matches!(update, G::Clear(..))
                });
            }
            G::Not(inner) => inner,
            _ => return None,
        };
        if let [read @ G::Read(_, _, value)] = &inner[..]
            && value.is_none_or(|value| !is_known(&value, bound))
        {
            return self.without_piece(goal, read, updates, known);
        }
        let mut inside = bound.clone();
        let mut made = Vec::new();
        for goal in inner {
            made.extend(self.across_all(goal, updates, known, &mut inside)?);
        }
        Some(vec![G::Not(made)])
    }

    /// A goal that a place holds nothing, where updates clear places first and then write others: none of these, and one that held
    /// nothing or was cleared. `None` where they do anything else.
    fn without_piece(&self, goal: &G, read: &G, updates: &[&G], known: &[Var]) -> Option<Vec<G>> {
        let cleared = updates.iter().take_while(|update| matches!(update, G::Clear(..))).count();
        let (clears, writes) = updates.split_at(cleared);
        let mut made = self.elsewhere(goal, read, writes, known, |update| {
            matches!(update, G::Assign(..) | G::AssignNumber(..) | G::Set(..))
        })?;
        // what says that a place with something is none that is cleared
        let others =
            self.elsewhere(read, read, clears, known, |update| matches!(update, G::Clear(..)))?;
        if others.len() > 1 {
            made[0] = G::Not(others.into_iter().rev().collect());
        }
        Some(made)
    }

    /// A goal about what a place holds, and that the place is none of those that updates write. `None` where one of them is not as
    /// wanted.
    fn elsewhere(
        &self,
        goal: &G,
        read: &G,
        updates: &[&G],
        known: &[Var],
        wanted: impl Fn(&G) -> bool,
    ) -> Option<Vec<G>> {
        let G::Read(fluent, keys, _) = read else { return None };
        let mut made = vec![goal.clone()];
        let mut own = Fluents::default();
        self.add_reads(read, &mut own);
        for update in updates {
            let mut written = Fluents::default();
            self.add_writes(update, &mut written);
            if !own.meets(&written) {
                continue;
            }
            let (G::Assign(of, places, ..)
            | G::AssignNumber(of, places, ..)
            | G::Clear(of, places, _)
            | G::Set(of, places, _)) = update
            else {
                return None;
            };
            // a map with an initial value has one behind `clear` too
            let total = self.layout.place(*of).initial.is_some();
            let given = places.iter().all(|place| is_known(place, known));
            if of != fluent || total || !given || !wanted(update) || places == keys {
                return None;
            }
            let apart =
                |(a, b): (&Arg, &Arg)| matches!((a, b), (Arg::Const(a), Arg::Const(b)) if a != b);
            if !places.iter().zip(keys).any(apart) {
                let same = keys.iter().zip(places).map(|(a, b)| G::Same(*a, *b)).collect();
                made.push(G::Not(same));
            }
        }
        Some(made)
    }
}
