//! Terms: their domains, the compounds built from them, and the effect of patterns on variables.

use crate::program::{Constant, Term, Value};

use super::domain::{Constants, Domain};
use super::infer::{Inference, Walk, join};

/// The most instances of a compound.
pub(super) const MAX_INSTANCES: usize = 1 << 16;

/// The deepest nesting of compounds.
const MAX_NESTING: u32 = 12;

impl Inference<'_> {
    /// The domain of a term among the existing values.
    pub(super) fn shape(&self, term: &Term, seen: &[Domain]) -> Domain {
        match term {
            Term::Variable(v) => seen[v.0 as usize].clone(),
            Term::Constant(value) => Domain::of([*value]),
            Term::Compound(name, args) => {
                let args: Vec<Domain> = args.iter().map(|a| self.shape(a, seen)).collect();
                let fits = |items: &[Value]| {
                    items.len() == args.len()
                        && args.iter().zip(items).all(|(a, v)| {
                            a.top || !a.meet(&Domain::of([*v]), &self.types.forms).is_empty()
                        })
                };
                let with = |id: &crate::program::ConstantId| {
                    self.values.functor(Value::Constant(*id)).is_some_and(|(_, i)| fits(i))
                };
                let constants = self.functor(name, args.len()).iter().copied().filter(with);
                Domain { constants: constants.collect(), ..Domain::default() }
            }
            Term::List(items, tail) => {
                Domain::lists(Some(self.shape_of_items(items, tail.as_deref(), seen)))
            }
        }
    }

    /// The domain of a term that is built; new instances are interned.
    pub(super) fn build(&mut self, term: &Term, walk: &mut Walk<'_, '_>) -> Domain {
        match term {
            Term::Variable(v) => walk.seen[v.0 as usize].clone(),
            Term::Constant(value) => Domain::of([*value]),
            Term::Compound(name, args) => {
                let args: Vec<Domain> = args.iter().map(|a| self.build(a, walk)).collect();
                match self.instances(name, args) {
                    Some(domain) => domain,
                    None => {
                        self.endless(term, walk);
                        Domain::default()
                    }
                }
            }
            Term::List(items, tail) => {
                let items = items.iter().map(|item| self.build(item, walk)).collect();
                let tail = tail.as_ref().map(|tail| self.build(tail, walk));
                let mut all = self.together(items, tail);
                let list = Domain::lists(Some(all.clone()));
                all.top = false;
                self.changed |= join(&mut self.types.items, &all, self.round);
                list
            }
        }
    }

    /// The instances of a compound; `None` where there are too many.
    pub(super) fn instances(&mut self, name: &str, args: Vec<Domain>) -> Option<Domain> {
        let key = (name.to_string(), args);
        if let Some(known) = self.built.get(&key) {
            return known.clone();
        }
        let (name, args) = &key;
        let made = self.make_instances(name, args);
        self.built.insert(key, made.clone());
        made
    }

    fn make_instances(&mut self, name: &str, args: &[Domain]) -> Option<Domain> {
        if args.iter().any(Domain::is_empty) {
            return Some(Domain::default());
        }
        let mut size = 1usize;
        for arg in args {
            if arg.top || arg.lists || arg.moves {
                return None;
            }
            let integers = arg.integers.map_or(0, |(lo, hi)| (hi - lo) as usize + 1);
            size = size.checked_mul(integers.checked_add(arg.constants.len())?)?;
            if size > MAX_INSTANCES {
                return None;
            }
        }
        let columns: Vec<Vec<Value>> = args
            .iter()
            .map(|arg| {
                let (lo, hi) = arg.integers.unwrap_or((0, -1));
                let constants = arg.constants.iter().map(Value::Constant);
                (lo..=hi).map(Value::Integer).chain(constants).collect()
            })
            .collect();
        let mut constants = Constants::default();
        let mut choice = vec![0; columns.len()];
        loop {
            let items: Vec<Value> = choice.iter().zip(&columns).map(|(at, c)| c[*at]).collect();
            let before = self.values.len();
            let made = self.values.compound(name, &items);
            if self.values.depth(made) > MAX_NESTING {
                return None;
            }
            if let Value::Constant(id) = made {
                if self.values.len() > before {
                    self.functors.entry((name.to_string(), items.len())).or_default().push(id);
                    if self.types.moves.iter().any(|(n, a)| n == name && a.len() == items.len()) {
                        self.types.forms.moves.insert(id);
                    }
                    self.changed = true;
                }
                constants.insert(id);
            }
            // the next combination, the last argument first
            let Some(at) = (0..choice.len()).rev().find(|at| choice[*at] + 1 < columns[*at].len())
            else {
                return Some(Domain { constants, ..Domain::default() });
            };
            choice[at] += 1;
            choice[at + 1..].fill(0);
        }
    }

    /// The domain of the items of a list that is written down, among the existing values.
    pub(super) fn shape_of_items(
        &self,
        items: &[Term],
        tail: Option<&Term>,
        seen: &[Domain],
    ) -> Domain {
        let items = items.iter().map(|item| self.shape(item, seen)).collect();
        self.together(items, tail.map(|tail| self.shape(tail, seen)))
    }

    /// The domain of these items and of those of a tail.
    fn together(&self, items: Vec<Domain>, tail: Option<Domain>) -> Domain {
        let mut all = Domain::default();
        items.iter().for_each(|item| _ = all.join(item));
        if let Some(tail) = tail {
            all.top |= tail.top;
            all.join(&self.items_of(&tail));
        }
        all
    }

    /// The domain of the items of a list.
    pub(super) fn items_of(&self, list: &Domain) -> Domain {
        let mut items = Domain::default();
        if list.top || list.lists {
            items.join(list.items.as_deref().unwrap_or(&self.types.items));
        }
        if list.constants.is_empty() {
            return items;
        }
        let mut known = self.items.borrow_mut();
        let of_constants = known.entry(list.constants.clone()).or_insert_with(|| {
            let all = list.constants.iter();
            let all = all.filter_map(|id| self.values.items(Value::Constant(id)));
            Domain::of(all.flatten().copied())
        });
        items.join(of_constants);
        items
    }

    /// The domain of the tail of a list after its first items.
    fn tails_of(&self, list: &Domain, items: usize) -> Domain {
        let mut tails = Domain::default();
        if list.top || list.lists {
            tails = Domain::lists(list.items.as_deref().cloned());
        }
        for id in list.constants.iter() {
            if let Constant::List(all) = self.values.get(id)
                && let Some(rest) = all.get(items..)
                && let Some(Value::Constant(id)) = self.values.find_list(rest)
            {
                tails.constants.insert(id);
            }
        }
        tails
    }

    /// The domains of a compound pattern's arguments where it is matched with a value of this
    /// domain; `None` where nothing is known.
    fn arguments(&self, domain: &Domain, name: &str, arity: usize) -> Option<Vec<Domain>> {
        if domain.top {
            return None;
        }
        let mut args = vec![Domain::default(); arity];
        for id in self.functor(name, arity) {
            if domain.constants.contains(*id)
                && let Some((_, items)) = self.values.functor(Value::Constant(*id))
            {
                args.iter_mut().zip(items).for_each(|(arg, item)| {
                    arg.join(&Domain::of([*item]));
                });
            }
        }
        if domain.moves
            && let Some((_, forms)) =
                self.types.moves.iter().find(|(n, a)| n == name && a.len() == arity)
        {
            args.iter_mut().zip(forms).for_each(|(arg, form)| {
                arg.join(form);
            });
        }
        Some(args)
    }

    /// As `matches`, for a term that is matched with moves, whose forms are known.
    pub(super) fn form_matches(&self, term: &Term, domain: &Domain, walk: &mut Walk<'_, '_>) {
        match term {
            Term::Compound(name, args) => {
                let domains = self.arguments(domain, name, args.len()).unwrap_or_default();
                args.iter().zip(&domains).for_each(|(t, d)| self.matches(t, d, walk));
            }
            _ => self.matches(term, domain, walk),
        }
    }

    /// Narrows the variables of a term by the domain of its value.
    pub(super) fn matches(&self, term: &Term, domain: &Domain, walk: &mut Walk<'_, '_>) {
        match term {
            Term::Variable(v) => {
                let at = v.0 as usize;
                walk.wide[at].join(domain);
                walk.narrow(*v, domain, &self.types.forms);
            }
            Term::Constant(_) => {}
            Term::Compound(name, args) => match self.arguments(domain, name, args.len()) {
                Some(domains) => {
                    if domain.moves {
                        self.opaque(term, walk);
                    }
                    args.iter().zip(&domains).for_each(|(t, d)| self.matches(t, d, walk));
                }
                None => args.iter().for_each(|t| self.matches(t, &Domain::top(), walk)),
            },
            Term::List(items, tail) => {
                let item = match domain.top {
                    true => Domain::top(),
                    false => self.items_of(domain),
                };
                items.iter().for_each(|t| self.matches(t, &item, walk));
                if let Some(tail) = tail {
                    let rest = self.tails_of(domain, items.len());
                    self.matches(tail, &rest, walk);
                }
            }
        }
    }

    /// The constants of one functor.
    fn functor(&self, name: &str, arity: usize) -> &[crate::program::ConstantId] {
        // a lookup by borrowed parts would need a key type of its own
        self.functors.get(&(name.to_string(), arity)).map_or(&[], Vec::as_slice)
    }
}
