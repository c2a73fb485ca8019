//! Moves made of the values that a text names.

use indexmap::IndexSet;

use crate::program::Value;
use crate::source::Span;
use crate::syntax::{Term, TermKind, print_term};
use crate::types::Domain;

use super::Referee;
use super::values::{said, sites, value_names, values, with_sites};

/// The most moves of one form that are made.
pub(super) const MOST: usize = 9_000;

/// An argument of a form of move.
struct Argument {
    /// What it can be, besides lists, where the text names it.
    named: IndexSet<Value>,
    /// And where it does not.
    values: IndexSet<Value>,
    lists: bool,
    /// Which key of a site of several keys it is.
    key: Option<usize>,
}

/// The terms of moves whose arguments are the values that a text names, and these values.
pub(super) fn made_of(referee: &Referee<'_>, text: &str) -> (Vec<Value>, Vec<Term>) {
    let types = &referee.game.types;
    let sites = sites(referee);
    let items = with_sites(values(&types.items), &sites);
    let keys = referee.rules.contents_keys();
    let forms: Vec<(&str, Vec<Argument>)> = types
        .moves
        .iter()
        .map(|(name, domains)| {
            let argument = |(d, key): (&Domain, Option<usize>)| Argument {
                named: with_sites(values(d), &sites),
                values: values(d),
                lists: d.lists,
                key,
            };
            (name.as_str(), domains.iter().zip(keys_in(&keys, domains)).map(argument).collect())
        })
        .collect();
    let said = said(text, &value_names(referee));
    let filled = |said: &[Value]| {
        let (items, sites) = (&items, &sites);
        let mut made = Vec::new();
        for (name, arguments) in &forms {
            let (filled, empty) = (Vec::new(), Vec::new());
            let mut form =
                Form { referee, name, arguments, items, sites, said, filled, made: empty };
            if form.is_small() {
                form.fill(&mut Vec::new(), 0);
                made.append(&mut form.made);
            }
        }
        made
    };
    let mut made = filled(&said);
    // two values of which each can be only the other's argument: a site and a colour
    if let ([one, two], true) = (said.as_slice(), made.is_empty()) {
        made = filled(&[*two, *one]);
    }
    (said, made)
}

/// For each argument of a form of move its place among the keys of the map that tells what stands where, if that has
/// several keys and the argument is one of them.
pub(super) fn keys_in(keys: &[Vec<Value>], domains: &[Domain]) -> Vec<Option<usize>> {
    let fits = |at: usize, key: usize| {
        let values = values(&domains[at]);
        !values.is_empty() && values.iter().all(|value| keys[key].contains(value))
    };
    let mut places = vec![None; domains.len()];
    let mut at = 0;
    while at < domains.len() {
        let whole = !keys.is_empty()
            && at + keys.len() <= domains.len()
            && (0..keys.len()).all(|key| fits(at + key, key));
        if whole {
            (0..keys.len()).for_each(|key| places[at + key] = Some(key));
        }
        at += if whole { keys.len() } else { 1 };
    }
    places
}

/// A form of move whose arguments are being filled.
struct Form<'a, 'g> {
    referee: &'a Referee<'g>,
    name: &'a str,
    arguments: &'a [Argument],
    /// What the items of lists can be.
    items: &'a IndexSet<Value>,
    sites: &'a IndexSet<Value>,
    said: &'a [Value],
    /// For each argument so far whether the text does not name it.
    filled: Vec<bool>,
    made: Vec<Term>,
}

impl Form<'_, '_> {
    /// Whether the arguments that the text does not name have few enough values.
    fn is_small(&self) -> bool {
        let mut sizes: Vec<usize> =
            self.arguments.iter().filter(|a| !a.lists).map(|a| a.values.len()).collect();
        sizes.sort_unstable();
        let open = sizes.len().saturating_sub(self.said.len());
        // with a list the text names all that it can
        let open = if sizes.len() < self.arguments.len() { 0 } else { open };
        sizes.iter().rev().take(open).product::<usize>() <= MOST
    }

    fn fill(&mut self, terms: &mut Vec<Term>, next: usize) {
        if self.made.len() >= MOST {
            return;
        }
        let Some(argument) = self.arguments.get(terms.len()) else {
            if next == self.said.len() && !self.invents(terms) {
                let kind = match terms.is_empty() {
                    true => TermKind::Atom(self.name.into()),
                    false => TermKind::Compound(self.name.into(), terms.clone()),
                };
                self.made.push(Term::new(kind, Span::NONE));
            }
            return;
        };
        let term = |value: Value| self.referee.game.program.values.to_term(value);
        if argument.lists {
            let rest = &self.said[next..];
            let fits = rest.iter().take_while(|value| self.items.contains(*value)).count();
            // a site alone is no path, but one step is
            let step = rest.first().is_some_and(|first| !self.sites.contains(first));
            let least = if self.arguments.len() > 1 || step { 1 } else { 2 };
            for len in least..=fits {
                let list = rest[..len].iter().map(|value| term(*value)).collect();
                terms.push(Term::new(TermKind::List(list, None), Span::NONE));
                self.filled.push(false);
                self.fill(terms, next + len);
                self.filled.pop();
                terms.pop();
            }
        }
        // a site of several keys is named or not, never in part
        let begun = self.filled.last().copied().filter(|_| argument.key.is_some_and(|key| key > 0));
        if let Some(value) = self.said.get(next)
            && argument.named.contains(value)
            && begun != Some(true)
        {
            terms.push(term(*value));
            self.filled.push(false);
            self.fill(terms, next + 1);
            self.filled.pop();
            terms.pop();
        }
        let after = self.arguments.len() - terms.len() - 1;
        let lists = self.arguments.iter().any(|a| a.lists);
        if !lists && after >= self.said.len() - next && begun != Some(false) {
            self.filled.push(true);
            for value in &argument.values {
                let value = self.referee.game.program.values.to_term(*value);
                terms.push(value);
                self.fill(terms, next);
                terms.pop();
            }
            self.filled.pop();
        }
    }

    /// Whether a site that the text does not name is one that it names.
    fn invents(&self, terms: &[Term]) -> bool {
        let values = &self.referee.game.program.values;
        let is_site = |term: &Term| self.sites.iter().any(|s| values.show(*s) == print_term(term));
        let again = |at: usize| {
            let term = &terms[at];
            let twice = |other: usize| !self.filled[other] && terms[other] == *term;
            self.arguments[at].key.is_none()
                && self.filled[at]
                && (0..terms.len()).any(twice)
                && is_site(term)
        };
        if (0..terms.len()).any(again) {
            return true;
        }
        let begins = (0..terms.len()).filter(|at| self.arguments[*at].key == Some(0));
        let sites: Vec<(bool, Vec<String>)> = begins
            .map(|at| {
                let keys = self.arguments[at + 1..].iter().take_while(|a| a.key > Some(0)).count();
                (self.filled[at], terms[at..=at + keys].iter().map(print_term).collect())
            })
            .collect();
        sites.iter().any(|(filled, site)| {
            *filled && sites.iter().any(|(other, named)| !other && named == site)
        })
    }
}
