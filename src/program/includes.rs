//! `include`, `variant_of` and `redefine`: how one rule file stands on others.

use std::path::Path;

use rustc_hash::FxHashMap;

use crate::diagnostic::{Diagnostic, nearest};
use crate::source::{FileId, Library, Span};
use crate::syntax::{Clause, Term, TermKind};

use super::Value;
use super::directives::StateDeclaration;
use super::load::{Found, Loader, describe, read_disk, shipped};

/// How deep includes may nest.
const MAX_DEPTH: usize = 32;

/// Relations to which every file may add.
const OPEN: [(&str, usize); 2] = [("xy", 3), ("drawn", 2)];

/// Items with their places in the text; several may have one place.
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
    /// Adds an item at a place, or behind all others.
    fn add(&mut self, place: Option<usize>, item: T) {
        self.items.push((place.unwrap_or(self.next), item));
        self.next += 1;
    }

    /// Drops what fits; gives the first place.
    fn take(&mut self, fits: impl Fn(&T) -> bool) -> Option<usize> {
        self.items.extract_if(.., |(_, item)| fits(item)).map(|(place, _)| place).min()
    }

    /// The items in the order of their places.
    pub fn in_order(mut self) -> Vec<T> {
        self.items.sort_by_key(|(place, _)| *place);
        self.items.into_iter().map(|(_, item)| item).collect()
    }
}

/// A `redefine`: what its file says of a name stands at these places.
#[derive(Debug)]
pub(super) struct Redefined {
    head: (String, usize),
    pub file: FileId,
    clause: Option<usize>,
    state: Option<usize>,
}

impl Loader<'_> {
    pub(super) fn include(
        &mut self,
        path: &str,
        parameters: &[(String, Term)],
        span: Span,
        from: FileId,
    ) {
        let mut fixed = Vec::new();
        for (name, term) in parameters {
            match self.parameter(term) {
                Ok(value) => fixed.push((name.clone(), value)),
                Err(fault) => self.fault(fault),
            }
        }
        let Some(found) = self.locate(path, from, false) else {
            let near: Vec<&str> = Library::boards()
                .iter()
                .map(|f| f.path.strip_suffix(".ludex").unwrap_or(f.path))
                .collect();
            let d = Diagnostic::error(
                "missing-include",
                format!("there is no file `{path}` to include"),
            )
            .at(span, "included here");
            let d = match nearest(path, near.iter().copied()) {
                Some(near) => d.hint(format!("did you mean `{near}`?")),
                None => d.hint(format!("the shipped boards are {}", near.join(", "))),
            };
            return self.fault(d);
        };
        if self.cycle(&found, span, "include") {
            return;
        }
        let key = (found.identity.clone(), fixed.clone());
        if self.done.contains(&key) {
            return;
        }
        self.done.push(key);
        let before = self.out.sources.iter().count();
        self.file(found, &fixed, Some(span), true);
        for (name, _) in parameters.iter().filter(|(_, t)| t.args_of("option", 1).is_some()) {
            if let Some(option) = self.out.options.get_mut(name) {
                option.passed = true;
            }
        }
        self.included.extend(self.out.sources.iter().skip(before).map(|(id, _)| id));
    }

    /// A parameter's value: a constant, or `option(Name)` of the including file.
    fn parameter(&mut self, term: &Term) -> Result<Value, Diagnostic> {
        if let Some([Term { kind: TermKind::Atom(name), span }]) = term.args_of("option", 1) {
            return match self.out.options.get(name) {
                Some(option) => Ok(option.value),
                None => {
                    Err(Diagnostic::error("unknown-option", format!("there is no option `{name}`"))
                        .at(*span, "not declared in this file")
                        .hint(format!("declare it: `:- option {name} -> {{yes, no}} = no.`")))
                }
            };
        }
        self.constant(term).ok_or_else(|| {
            Diagnostic::error("directive-form", "a parameter's value must be a constant")
                .at(term.span, "not a constant")
                .hint("write an atom, an integer, or `option(name)` for an option of this file")
        })
    }

    pub(super) fn variant(&mut self, name: &str, span: Span, from: FileId) {
        let Some(found) = self.locate(name, from, true) else {
            let games = Library::games();
            let d =
                Diagnostic::error("missing-include", format!("there is no game `{name}` to vary"))
                    .at(span, "asked for here");
            let d = match nearest(name, games.iter().map(|g| g.name)) {
                Some(near) => d.hint(format!("did you mean `{near}`?")),
                None => d.hint("give a shipped game's name, or a path relative to this file"),
            };
            return self.fault(d);
        };
        if !self.cycle(&found, span, "variant") {
            self.file(found, &[], Some(span), true);
        }
    }

    fn cycle(&mut self, found: &Found, span: Span, what: &str) -> bool {
        let at = self.stack.iter().position(|(identity, _)| *identity == found.identity);
        let Some(at) = at.or((self.stack.len() > MAX_DEPTH).then_some(0)) else { return false };
        let chain: Vec<&str> = self.stack[at..].iter().map(|(_, name)| name.as_str()).collect();
        let d =
            Diagnostic::error("include-cycle", format!("this {what} leads back to its own file"))
                .at(span, "closes the circle")
                .hint(format!(
                    "the circle is {} -> {}; take one of them out",
                    chain.join(" -> "),
                    found.name
                ));
        self.fault(d);
        true
    }

    /// A file by its path: relative to the file that asks, then among the shipped files. For a
    /// `game`, a shipped game's name will do.
    fn locate(&self, path: &str, from: FileId, game: bool) -> Option<Found> {
        let asking = self.out.sources.get(from)?;
        if let Some(folder) = asking.path.as_deref().and_then(Path::parent) {
            for candidate in [folder.join(path), folder.join(format!("{path}.ludex"))] {
                if candidate.is_file()
                    && let Ok(found) = read_disk(&candidate)
                {
                    return Some(found);
                }
            }
        }
        let named = if game { Library::game(path) } else { None };
        let mut found = shipped(named.or_else(|| Library::at(path))?);
        // the family is the game's own, not its board's
        found.family = None;
        Some(found)
    }

    /// Warns of clauses that join a relation of an included file, which is seldom meant: the names
    /// of a board are many. Where sites stand and what is drawn is for everybody to say.
    pub(super) fn joined(&mut self) {
        let heads = self.out.clauses.iter().filter_map(|c| c.head.as_ref());
        let (theirs, own): (Vec<&Term>, Vec<&Term>) =
            heads.partition(|head| self.included.contains(&head.span.file));
        let key = |head: &Term| head.functor().map(|(name, args)| (name.to_string(), args.len()));
        let mut parts: FxHashMap<(String, usize), FileId> =
            theirs.iter().filter_map(|h| Some((key(h)?, h.span.file))).collect();
        parts.retain(|(name, arity), _| !OPEN.contains(&(name.as_str(), *arity)));
        let mut warnings = Vec::new();
        for head in own {
            let Some((name, args)) = head.functor() else { continue };
            if let Some(part) = parts.remove(&(name.to_string(), args.len())) {
                let part = self.out.sources.get(part).map_or("", |f| f.name.as_str());
                warnings.push(
                    Diagnostic::warning(
                        "joined-relation",
                        format!("`{name}/{}` is defined by an included file too", args.len()),
                    )
                    .at(head.span, format!("joins the clauses of {part}"))
                    .hint(format!(
                        "take another name, or write `:- redefine {name}/{}.` behind the include",
                        args.len()
                    )),
                );
            }
        }
        self.out.diagnostics.extend(warnings);
    }

    /// Drops what the files read so far say of these names, but not what this file says. What it
    /// says of them from now on takes the place of what is dropped.
    pub(super) fn redefine(&mut self, names: &[(String, usize, Span)], file: FileId) {
        for (name, arity, span) in names {
            let state = self
                .states
                .take(|s| s.span.file != file && s.name == *name && s.keys.len() == *arity);
            let clause = self.clauses.take(|clause| {
                let Some((head, args)) = clause.head.as_ref().and_then(Term::functor) else {
                    return false;
                };
                let initial = state.is_some()
                    && head == "init"
                    && matches!(args, [t] if t.functor().is_some_and(|(n, _)| n == name));
                clause.span.file != file && (head == name && args.len() == *arity || initial)
            });
            if state.is_none() && clause.is_none() {
                self.fault(
                    Diagnostic::error(
                        "unknown-redefine",
                        format!("nothing read so far speaks of `{name}/{arity}`"),
                    )
                    .at(*span, "there is nothing to redefine")
                    .hint("put it after the `variant_of` or `include` whose clauses it replaces"),
                );
            }
            if state.is_some() || clause.is_some() {
                self.out.unread.redefined.push((name.clone(), *span));
            }
            self.redefined.push(Redefined { head: (name.clone(), *arity), file, clause, state });
        }
    }

    fn redefined(&self, file: FileId, name: &str, arity: usize) -> Option<&Redefined> {
        let same = |r: &&Redefined| r.file == file && r.head.0 == name && r.head.1 == arity;
        self.redefined.iter().rev().find(same)
    }

    /// Adds a clause behind all others, or where those stood that it replaces.
    pub(super) fn add_clause(&mut self, clause: Clause) {
        let functor = clause.head.as_ref().and_then(Term::functor);
        let place = functor.and_then(|(name, args)| {
            self.redefined(clause.span.file, name, args.len()).and_then(|r| r.clause)
        });
        self.clauses.add(place, clause);
    }

    /// The same for a part of the state.
    pub(super) fn add_state(&mut self, state: StateDeclaration) {
        let redefined = self.redefined(state.span.file, &state.name, state.keys.len());
        let place = redefined.and_then(|r| r.state);
        self.states.add(place, state);
    }

    pub(super) fn unknown_parameters(
        &mut self,
        fixed: &[(String, Value)],
        file: FileId,
        from: Option<Span>,
    ) {
        let Some(from) = from else { return };
        let declared: Vec<String> = self.out.options.keys().cloned().collect();
        for (name, _) in fixed.iter().filter(|(name, _)| !declared.contains(name)) {
            let own: Vec<&str> = self
                .out
                .options
                .values()
                .filter(|o| o.span.file == file)
                .map(|o| o.name.as_str())
                .collect();
            let place = self.out.sources.get(file).map_or("", |f| f.name.as_str());
            let d = Diagnostic::error(
                "unknown-parameter",
                format!("`{place}` has no parameter `{name}`"),
            )
            .at(from, "given here");
            let d = match nearest(name, own.iter().copied()) {
                Some(near) => d.hint(format!("did you mean `{near}`?")),
                None if own.is_empty() => {
                    d.hint("it declares no options, so it takes no parameters")
                }
                None => d.hint(format!("its parameters are {}", own.join(", "))),
            };
            self.fault(d);
        }
    }

    /// The options set from outside must be options of the game that are not fixed.
    pub(super) fn check_request(&mut self) {
        for (name, _) in &self.request.options {
            if self.out.options.get(name).is_some_and(|o| !o.fixed)
                || self.out.unread.declares(name)
                || self.out.unread.file
            {
                continue;
            }
            let open = || self.out.options.values().filter(|o| !o.fixed);
            let d = Diagnostic::error("unknown-option", format!("the game has no option `{name}`"));
            let d = match nearest(name, open().map(|o| o.name.as_str())) {
                Some(near) => d.hint(format!("did you mean `{near}`?")),
                None if open().next().is_none() => d.hint("it has no options"),
                None => d.hint(format!(
                    "its options are {}",
                    open()
                        .map(|o| format!("{} ({})", o.name, describe(&self.out.values, &o.domain)))
                        .collect::<Vec<_>>()
                        .join("; ")
                )),
            };
            self.out.request_faults.push(d);
        }
    }
}
