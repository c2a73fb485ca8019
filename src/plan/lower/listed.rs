//! What is said of the length and of the first items of a list that facts have, as tables.
//!
//! Behind `row(Dir, L)`, `length(L, N)` and `L = [A|_]` are tables with a row for each list that `L` can be, which join with
//! `row(Dir, L)` and others: such a list is not gone through in play. Nor is one built where every list of such items is one
//! that facts have.

use super::super::domains::Abstract;
use super::super::universe::{CONSTANTS, UniverseId};
use super::goals::{Arg, G, Var, Vars};
use super::{Code, Lowering, occurrences};

/// The most lists of a table.
const MAX_LISTS: usize = 65_536;

impl Lowering<'_> {
    /// Replaces such goals of a body, and of the goals inside of it. `fixed` are the variables that the goals around
    /// these use.
    pub(super) fn tabulate_lists(&mut self, goals: &mut Vec<G>, fixed: &[Var], vars: &mut Vars) {
        let mut counts = occurrences(goals, vars);
        fixed.iter().for_each(|v| counts[*v] += 1);
        self.tabulate_lists_within(goals, &counts, vars);
    }

    fn tabulate_lists_within(&mut self, goals: &mut Vec<G>, counts: &[usize], vars: &mut Vars) {
        self.narrow_lists(goals, vars);
        // a list that the state holds is read for each of its keys, and then looked at
        let mut held = Vec::new();
        for goal in &*goals {
            if let G::Read(_, _, Some(Arg::Var(list))) = goal {
                held.push(*list);
            }
        }
        for goal in &*goals {
            if let G::Same(Arg::Var(a), Arg::Var(b)) = goal
                && (held.contains(a) || held.contains(b))
            {
                held.extend([*a, *b]);
            }
        }
        let mut tabulated = Vec::new();
        for goal in &mut *goals {
            let mut inside = |part: &mut Vec<G>| self.tabulate_lists_within(part, counts, vars);
            match goal {
                G::Not(inner) | G::Once(inner) | G::Aggregate(_, _, inner, ..) => inside(inner),
                G::Or(branches) => branches.iter_mut().for_each(&mut inside),
                G::If(condition, then, otherwise) => {
                    [condition, then, otherwise].into_iter().for_each(&mut inside);
                }
                G::Each(answers, action, _) => {
                    [answers, action].into_iter().for_each(inside);
                }
                G::Length(Arg::Var(list), _) | G::List(Arg::Var(list), ..)
                    if held.contains(list) => {}
                _ => {
                    if let Some(made) = self.list_table(goal, counts, vars) {
                        if let G::List(Arg::Var(list), ..) = goal {
                            tabulated.push(*list);
                        }
                        self.put_in_place(&made, goal);
                        *goal = made;
                    }
                }
            }
        }
        for list in tabulated {
            self.match_at_once(goals, list, counts);
        }
    }

    /// Puts a list in the place of the pattern that it is matched with, where this is used for nothing else.
    fn match_at_once(&mut self, goals: &mut Vec<G>, pattern: Var, counts: &[usize]) {
        let with_pattern = |goal: &G| match goal {
            G::Same(Arg::Var(a), Arg::Var(b)) if *a == pattern && *b != pattern => Some(*b),
            G::Same(Arg::Var(a), Arg::Var(b)) if *b == pattern && *a != pattern => Some(*a),
            _ => None,
        };
        let matched =
            goals.iter().enumerate().find_map(|(at, goal)| Some((at, with_pattern(goal)?)));
        let Some((at, list)) = matched.filter(|_| counts[pattern] == 2) else { return };
        let table = goals.iter_mut().find_map(|goal| match goal {
            G::Functor(_, args) if args[0] == Arg::Var(pattern) => Some((goal.clone(), goal)),
            _ => None,
        });
        let Some((before, table)) = table else { return };
        if let G::Functor(_, args) = table {
            args[0] = Arg::Var(list);
        }
        let made = table.clone();
        self.put_in_place(&made, &before);
        goals.remove(at);
    }

    /// Gives patterns of lists the domain of what they are matched with.
    fn narrow_lists(&self, goals: &[G], vars: &mut Vars) {
        for goal in goals {
            let G::List(Arg::Var(list), ..) = goal else { continue };
            if vars.all[*list].domain.universe().is_some() {
                continue;
            }
            let is_list = |arg: &Arg| *arg == Arg::Var(*list);
            let found = goals.iter().find_map(|other| {
                let domain = match other {
                    G::Same(Arg::Var(v), list) | G::Same(list, Arg::Var(v)) if is_list(list) => {
                        &vars.all[*v].domain
                    }
                    G::Static(id, args) => {
                        let column = args.iter().position(is_list)?;
                        self.domains.columns.get(id.0 as usize)?.get(column)?
                    }
                    _ => return None,
                };
                domain.universe().is_some().then(|| domain.clone())
            });
            if let Some(domain) = found {
                vars.all[*list].domain = domain;
            }
        }
    }

    /// The universe that has all lists of these items, where they have values that facts have lists of.
    fn lists_of(&self, items: &[Arg], vars: &Vars) -> Option<UniverseId> {
        let mut count = 1;
        for item in items {
            let Arg::Var(v) = item else { continue };
            let Abstract { top, integers, universes, lists } = &vars.all[*v].domain;
            if *top || *lists {
                return None;
            }
            let numbers =
                integers.map_or(Some(0), |(lo, hi)| hi.checked_sub(lo)?.checked_add(1))?;
            let constants: usize = universes.iter().map(|id| self.universes.get(*id).len).sum();
            count = usize::try_from(numbers).ok()?.checked_add(constants)?.checked_mul(count)?;
            if count > MAX_LISTS {
                return None;
            }
        }
        let fits = |(arg, item): (&Arg, &Code)| match arg {
            Arg::Const(code) => code == item,
            Arg::Var(v) => {
                let domain = &vars.all[*v].domain;
                domain.integers.is_some_and(|(lo, hi)| (lo..=hi).contains(item))
                    || domain.universes.iter().any(|id| self.universes.index(*id, *item).is_some())
            }
        };
        let ids = (0..self.universes.all.len() as u16).map(UniverseId);
        ids.filter(|id| self.universes.get(*id).len >= count).find(|id| {
            let universe = self.universes.get(*id);
            let codes = universe.base..universe.base + universe.len as Code;
            let is_one = |code: &Code| {
                let found = self.items_of(*code).filter(|found| found.len() == items.len());
                found.is_some_and(|found| items.iter().zip(&found).all(fits))
            };
            universe.base >= CONSTANTS && codes.filter(is_one).count() == count
        })
    }

    fn list_table(&mut self, goal: &G, counts: &[usize], vars: &Vars) -> Option<G> {
        let (list, said) = match goal {
            G::Length(Arg::Var(list), n) => (*list, vec![*n]),
            G::List(Arg::Var(list), items, None) => (*list, items.clone()),
            G::List(Arg::Var(list), items, Some(Arg::Var(tail))) if counts[*tail] == 1 => {
                (*list, items.clone())
            }
            _ => return None,
        };
        let built = || match goal {
            G::List(_, items, None) if !items.is_empty() => self.lists_of(items, vars),
            _ => None,
        };
        let universe = vars.all[list].domain.universe().or_else(built)?;
        let universe = self.universes.get(universe);
        if universe.base < CONSTANTS || universe.len > MAX_LISTS {
            return None;
        }
        let mut rows = Vec::new();
        for code in universe.base..universe.base + universe.len as Code {
            let Some(items) = self.items_of(code) else { continue };
            let values = match goal {
                G::Length(..) => vec![items.len() as Code],
                G::List(_, first, tail) => {
                    if items.len() < first.len() || tail.is_none() && items.len() > first.len() {
                        continue;
                    }
                    items[..first.len()].to_vec()
                }
                _ => return None,
            };
            rows.push([&[code][..], &values].concat());
        }
        let table = self.joined_table("list", said.len() + 1, rows);
        Some(G::Functor(table, [&[Arg::Var(list)][..], &said].concat()))
    }
}
