//! `redefine`: clauses that replace others, in the place of those.

use indexmap::IndexSet;
use rustc_hash::FxHashMap;

use crate::diagnostic::{Diagnostic, nearest};
use crate::source::{FileId, Span};
use crate::syntax::{Clause, Term, TermKind, print_term};

use super::directives::{self, Redefine, StateDeclaration};
use super::ends::relation_of;
use super::load::Loader;
use super::pieces;
use super::resolve::is_built_in;

/// The most heads that are shown where none has the given form.
const SHOWN: usize = 6;

/// Items with their places in the text; several may have the same place.
#[derive(Debug)]
pub(super) struct Placed<T> {
    items: Vec<(usize, T)>,
    next: usize,
}

impl<T> Default for Placed<T> {
    fn default() -> Placed<T> {
        Placed { items: Vec::new(), next: 0 }
    }
}

impl<T> Placed<T> {
    /// Adds an item at a place, or after all others.
    fn add(&mut self, place: Option<usize>, item: T) {
        self.items.push((place.unwrap_or(self.next), item));
        self.next += 1;
    }

    /// The place after all items so far, for an item that is added later.
    pub fn reserve(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }

    /// Adds an item at a reserved place.
    pub fn put(&mut self, place: usize, item: T) {
        self.items.push((place, item));
    }

    /// Drops the items that fit; returns the place of the first.
    fn take(&mut self, fits: impl Fn(&T) -> bool) -> Option<usize> {
        self.items.extract_if(.., |(_, item)| fits(item)).map(|(place, _)| place).min()
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.items.iter().map(|(_, item)| item)
    }

    /// The items in the order of their places.
    pub fn in_order(mut self) -> Vec<T> {
        self.items.sort_by_key(|(place, _)| *place);
        self.items.into_iter().map(|(_, item)| item).collect()
    }
}

/// A `redefine`: the clauses of its file with these heads get these places.
#[derive(Debug)]
pub(super) struct Redefined {
    what: Redefine,
    pub file: FileId,
    clause: Option<usize>,
    state: Option<usize>,
}

impl Redefined {
    fn has(&self, head: &Term) -> bool {
        match &self.what {
            Redefine::Whole { name, arity, .. } => is_called(head, name, *arity),
            Redefine::Form(form) => is_instance(head, form),
        }
    }
}

fn is_called(head: &Term, name: &str, arity: usize) -> bool {
    relation_of(head).is_some_and(|(n, args)| n == name && args.len() == arity)
}

/// Whether a term is an instance of a form.
fn is_instance(term: &Term, form: &Term) -> bool {
    matches(term, form, &mut FxHashMap::default())
}

fn matches<'t>(term: &'t Term, form: &'t Term, bound: &mut FxHashMap<&'t str, &'t Term>) -> bool {
    match (&form.kind, &term.kind) {
        (TermKind::Anonymous, _) => true,
        // anonymous variables are all different
        (TermKind::Variable(name), kind) => match bound.insert(name, term) {
            Some(first) => first == term && *kind != TermKind::Anonymous,
            None => true,
        },
        (TermKind::Compound(f, forms), TermKind::Compound(t, terms)) => {
            f == t
                && forms.len() == terms.len()
                && terms.iter().zip(forms).all(|(t, f)| matches(t, f, bound))
        }
        (TermKind::List(forms, rest), TermKind::List(terms, tail)) => {
            if terms.len() < forms.len() || terms.len() > forms.len() && rest.is_none() {
                return false;
            }
            let (front, back) = terms.split_at(forms.len());
            front.iter().zip(forms).all(|(t, f)| matches(t, f, bound))
                && match (rest, tail, back.is_empty()) {
                    (None, tail, _) => tail.is_none(),
                    (Some(rest), Some(tail), true) => matches(tail, rest, bound),
                    // the tail of a longer list is a list of its own, which only a variable matches
                    (Some(rest), ..) => !matches!(rest.kind, TermKind::List(..)),
                }
        }
        (form, term) => form == term,
    }
}

impl Loader<'_> {
    /// Drops the clauses and declarations with some heads in the files read so far, except those of
    /// this file. Later ones of this file take the places of the dropped ones.
    pub(super) fn redefine(&mut self, items: Vec<Redefine>, file: FileId) {
        for what in items {
            let redefined = match &what {
                Redefine::Whole { name, arity, span } => self.drop_whole(name, *arity, *span, file),
                Redefine::Form(form) => (None, self.drop_form(form, file)),
            };
            let (state, clause) = redefined;
            self.redefined.push(Redefined { what, file, clause, state });
        }
    }

    /// Drops a relation or a fluent; returns the places where they were.
    fn drop_whole(
        &mut self,
        name: &str,
        arity: usize,
        span: Span,
        file: FileId,
    ) -> (Option<usize>, Option<usize>) {
        let state =
            self.states.take(|s| s.span.file != file && s.name == *name && s.keys.len() == arity);
        let clause = self.clauses.take(|clause| {
            let Some(head) = &clause.head else { return false };
            let initial = state.is_some()
                && head
                    .args_of("init", 1)
                    .is_some_and(|args| args[0].functor().is_some_and(|(n, _)| n == name));
            clause.span.file != file && (is_called(head, name, arity) || initial)
        });
        let opening = name == "init" && self.drop_opening(file);
        let later = self.pieces.is_some() && pieces::adds(name, arity);
        match (state, clause) {
            (None, None) if !opening && !later => {
                let fault = self.nothing(name, arity, None, span, file);
                self.fault(fault);
            }
            _ => self.out.unread.redefined.push((name.to_string(), span)),
        }
        (state, clause)
    }

    /// Drops the opening that other files tell as text.
    fn drop_opening(&mut self, file: FileId) -> bool {
        self.out.opening.take_if(|opening| opening.span.file != file).is_some()
    }

    /// Drops the clauses whose heads are instances of a form; returns the place of the first.
    fn drop_form(&mut self, form: &Term, file: FileId) -> Option<usize> {
        let clause = self.clauses.take(|clause| {
            clause.span.file != file && clause.head.as_ref().is_some_and(|h| is_instance(h, form))
        });
        let (name, args) = form.functor().unwrap_or_default();
        let opening = name == "init" && self.drop_opening(file);
        match clause {
            None if opening => {}
            Some(_) => self.out.unread.redefined.push((name.to_string(), form.span)),
            None => {
                let fault = self.nothing(name, args.len(), Some(form), form.span, file);
                self.fault(fault);
            }
        }
        clause
    }

    /// The fault where there is nothing to redefine.
    fn nothing(
        &self,
        name: &str,
        arity: usize,
        form: Option<&Term>,
        span: Span,
        file: FileId,
    ) -> Diagnostic {
        let what = form.map_or_else(|| format!("{name}/{arity}"), print_term);
        // the name of an end is no argument
        let arity = form.and_then(relation_of).map_or(arity, |(_, args)| args.len());
        let text = format!("nothing read so far speaks of `{what}`");
        let d =
            Diagnostic::error("unknown-redefine", text).at(span, "there is nothing to redefine");
        let clauses = self.clauses.iter().filter(|c| c.span.file != file);
        let heads: Vec<&Term> = clauses.filter_map(|c| c.head.as_ref()).collect();
        let same = heads.iter().filter(|head| is_called(head, name, arity));
        if let Some(form) = form
            && let Some(head) = same.clone().find(|head| is_instance(form, head))
        {
            return d
                .at(head.span, "this clause is for more than that")
                .hint(format!("write `{name}/{arity}`, and give all its clauses again"));
        }
        let shown: IndexSet<String> = same.map(|head| format!("`{}`", print_term(head))).collect();
        if !shown.is_empty() {
            let more = match shown.len().saturating_sub(SHOWN) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let shown: Vec<String> = shown.into_iter().take(SHOWN).collect();
            let d = d.hint(format!("of `{name}/{arity}` there is {}{more}", shown.join(", ")));
            let open = |t: &Term| matches!(t.kind, TermKind::Variable(_) | TermKind::Anonymous);
            let all = form.and_then(Term::functor).is_some_and(|(_, args)| args.iter().all(open));
            return match all {
                true => d.hint(format!("write `{name}/{arity}` for all of them")),
                false => d,
            };
        }
        let states = self.states.iter().filter(|s| s.span.file != file);
        let mut known: Vec<(&str, usize)> =
            states.map(|s| (s.name.as_str(), s.keys.len())).collect();
        if form.is_some()
            && let Some((_, keys)) = known.iter().find(|(n, _)| *n == name)
        {
            return d.hint(format!("`{name}` is a part of the state: write `{name}/{keys}`"));
        }
        if self.out.options.contains_key(name) {
            return d
                .hint(format!("`{name}` is an option: declare it again, without a `redefine`"));
        }
        if let Some(hint) = directives::again(name) {
            return d.hint(hint);
        }
        if is_built_in(name, arity) {
            return d.hint(format!("`{name}/{arity}` is given by the program, and stays as it is"));
        }
        known.extend(heads.iter().filter_map(|h| relation_of(h)).map(|(n, args)| (n, args.len())));
        let near = known.iter().find(|(n, _)| *n == name).or_else(|| {
            let near = nearest(name, known.iter().map(|(n, _)| *n))?;
            known.iter().find(|(n, _)| *n == near)
        });
        match near {
            Some((name, arity)) => d.hint(format!("did you mean `{name}/{arity}`?")),
            None => d.hint("put it after the `variant_of` or `include` whose clauses it replaces"),
        }
    }

    fn redefined(&self, file: FileId, fits: impl Fn(&Redefined) -> bool) -> Option<&Redefined> {
        self.redefined.iter().rev().find(|r| r.file == file && fits(r))
    }

    /// Adds a clause after all others, or in the place of those that it replaces.
    pub(super) fn add_clause(&mut self, clause: Clause) {
        let place = clause.head.as_ref().and_then(|head| {
            self.redefined(clause.span.file, |r| r.has(head)).and_then(|r| r.clause)
        });
        self.clauses.add(place, clause);
    }

    /// Adds a fluent after all others, or in the place of the one that it replaces.
    pub(super) fn add_state(&mut self, state: StateDeclaration) {
        let same = |r: &Redefined| match &r.what {
            Redefine::Whole { name, arity, .. } => {
                *name == state.name && *arity == state.keys.len()
            }
            Redefine::Form(_) => false,
        };
        let file = state.span.file;
        let misnamed = |r: &Redefined| match &r.what {
            Redefine::Form(form) => form.functor().is_some_and(|(name, _)| name == state.name),
            Redefine::Whole { .. } => false,
        };
        // the fault of that `redefine` has been told: this declaration is not another one
        if self.redefined(file, misnamed).is_some() {
            self.states.take(|s| s.span.file != file && s.name == state.name);
        }
        let place = self.redefined(file, same).and_then(|r| r.state);
        self.states.add(place, state);
    }
}
