//! `include`: the files that a rule file includes, and how they are located.

use std::path::Path;

use rustc_hash::FxHashMap;

use crate::diagnostic::{Diagnostic, nearest};
use crate::source::{FileId, Library, Span};
use crate::syntax::Term;

use super::directives::Parameter;
use super::load::{Found, Identity, Loader, Role, read_disk, shipped};
use super::options::Given;

/// How deep includes may nest.
const MAX_DEPTH: usize = 32;

/// Relations to which every file may add.
const OPEN: [(&str, usize); 23] = [
    ("move", 1),
    ("rank", 2),
    ("init", 1),
    ("win", 1),
    ("win", 2),
    ("lose", 1),
    ("lose", 2),
    ("draw", 0),
    ("draw", 1),
    ("over", 1),
    ("xy", 3),
    ("drawn", 2),
    ("drawn", 3),
    ("notation", 2),
    ("notation", 3),
    ("suffix", 2),
    ("alias", 2),
    ("says", 2),
    ("status", 1),
    ("status", 2),
    ("figure", 2),
    ("prompt", 1),
    ("value", 2),
];

impl Loader<'_> {
    pub(super) fn include(
        &mut self,
        path: &str,
        parameters: &[Parameter],
        span: Span,
        from: FileId,
    ) {
        let fixed = self.given(parameters);
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
            let game = Library::games().iter().any(|game| game.name == path);
            let d = match nearest(path, near.iter().copied()) {
                _ if game => d.hint(format!(
                    "`{path}` is a game: a file starts from it by `:- variant_of \"{path}\".`"
                )),
                Some(near) => d.hint(format!("did you mean `{near}`?")),
                None => d.hint(format!("the shipped boards are {}", near.join(", "))),
            };
            return self.fault(d);
        };
        if self.cycle(&found, span, "include") {
            return;
        }
        let values = fixed.iter().map(|g| (g.name.clone(), g.value)).collect();
        let key = (found.identity.clone(), values);
        if self.done.contains(&key) {
            return;
        }
        self.done.push(key);
        let before = self.out.sources.iter().count();
        self.file(found, &fixed, Some(span), Role::Part);
        self.included.extend(self.out.sources.iter().skip(before).map(|(id, _)| id));
    }

    /// Reports a file that is being read already.
    pub(super) fn cycle(&mut self, found: &Found, span: Span, what: &str) -> bool {
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

    /// Locates a file by its path: relative to the including file, or among the files of the
    /// request for text from memory, then among the shipped files.
    /// For a `game`, the name of a shipped game is enough.
    pub(super) fn locate(&self, path: &str, from: FileId, game: bool) -> Option<Found> {
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
        let from_memory = || {
            // a shipped file includes shipped files only
            let own = matches!(self.stack.last(), Some((Identity::Memory(_), _)));
            self.request.files.as_ref().filter(|_| own)?.find(path)
        };
        if let Some(found) = from_memory() {
            return Some(found);
        }
        let named = if game { Library::game(path) } else { None };
        let mut found = shipped(named.or_else(|| Library::at(path))?);
        // the family is that of the game, not of its board
        found.family = None;
        Some(found)
    }

    /// Warns of clauses that are added to a relation of an included file. This is seldom intended,
    /// since a board defines many names. Every file may add places of sites and lines to draw, and
    /// what belongs to a game as a whole, such as moves and ends, to that of its family.
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

    /// The parameters of an included file are the options that it declares.
    pub(super) fn unknown_parameters(&mut self, fixed: &[Given], file: FileId) {
        let declared: Vec<String> = self.out.options.keys().cloned().collect();
        for Given { name, span, .. } in fixed.iter().filter(|g| !declared.contains(&g.name)) {
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
            .at(*span, "given here");
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
}
