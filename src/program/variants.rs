//! `variant_of … with (…)`: the values that a variant gives to the parameters of its base.
//!
//! The parameters of a base are its options, those of the files that it includes and does not fix,
//! and the options that one of its `with` fixes to a constant, which the variant's value replaces.
//! A value that a `with` of the base calculates from an option follows that option.

use indexmap::{IndexMap, IndexSet};

use crate::diagnostic::{Diagnostic, nearest};
use crate::source::{FileId, Library, Span};
use crate::syntax::Clause;

use super::constants::{evaluate, options_in};
use super::directives::Parameter;
use super::load::{Loader, Role};
use super::options::Given;

/// The parameters that a variant gives to its base while the base is being read.
#[derive(Debug)]
pub(super) struct Varied {
    given: Vec<Given>,
    /// The parameters found so far.
    offered: IndexSet<String>,
    /// Parameters that are calculated from options, with the names of these.
    follows: IndexMap<String, Vec<String>>,
}

impl Loader<'_> {
    /// Reads the base of a variant.
    pub(super) fn variant(
        &mut self,
        name: &str,
        parameters: &[Parameter],
        span: Span,
        from: FileId,
    ) {
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
        if self.cycle(&found, span, "variant") {
            return;
        }
        let given = self.given(parameters);
        let base = found.name.clone();
        self.varied.push(Varied {
            given,
            offered: IndexSet::default(),
            follows: IndexMap::default(),
        });
        self.file(found, &[], Some(span), Role::Base);
        if let Some(varied) = self.varied.pop() {
            self.unknown(&base, &varied);
        }
        let moves = |clause: &Clause| {
            clause.head.as_ref().is_some_and(|head| head.args_of("move", 1).is_some())
        };
        let sound = !self.out.diagnostics.iter().any(Diagnostic::is_error);
        if sound && self.out.players.is_none() && !self.clauses.iter().any(moves) {
            let text = format!("`{base}` is no game: it has no players and no moves");
            self.fault(
                Diagnostic::error("missing-include", text)
                    .at(span, "a variant starts from a game")
                    .hint(format!("a part of games is included: `:- include \"{name}\".`")),
            );
        }
    }

    /// The values of a `with`. Within a base those of its variant take precedence.
    pub(super) fn given(&mut self, parameters: &[Parameter]) -> Vec<Given> {
        let mut given = Vec::new();
        for parameter in parameters {
            let asked: Vec<String> =
                options_in(&parameter.value).into_iter().map(String::from).collect();
            if asked.is_empty() {
                if let Some(outer) = self.varied(&parameter.name) {
                    given.push(outer);
                    continue;
                }
            } else {
                for varied in &mut self.varied {
                    varied.follows.insert(parameter.name.clone(), asked.clone());
                }
            }
            match evaluate(&parameter.value, &self.out.options, &mut self.out.values) {
                Ok(Some(value)) => given.push(Given {
                    name: parameter.name.clone(),
                    value,
                    passed: !asked.is_empty(),
                    span: parameter.span,
                }),
                Ok(None) => self.fault(
                    Diagnostic::error("directive-form", "a parameter's value must be a constant")
                        .at(parameter.value.span, "not a constant")
                        .hint(
                            "write a name, a number, `option(name)` for an option of this file, or \
                             a calculation with them",
                        ),
                ),
                Err(fault) => self.fault(fault),
            }
        }
        given
    }

    /// The value that a variant gives to a parameter of the base that is being read; the outermost
    /// variant takes precedence.
    pub(super) fn varied(&mut self, name: &str) -> Option<Given> {
        let mut found = None;
        for varied in &mut self.varied {
            varied.offered.insert(name.to_string());
            let given = varied.given.iter().find(|g| g.name == name);
            found = found.or_else(|| given.cloned());
        }
        found
    }

    fn unknown(&mut self, base: &str, varied: &Varied) {
        for given in varied.given.iter().filter(|g| !varied.offered.contains(&g.name)) {
            let name = &given.name;
            let d = Diagnostic::error(
                "unknown-parameter",
                format!("`{base}` has no parameter `{name}`"),
            )
            .at(given.span, "given here");
            let offered: Vec<&str> = varied.offered.iter().map(String::as_str).collect();
            self.fault(match (varied.follows.get(name), nearest(name, offered.iter().copied())) {
                (Some(options), _) => d.hint(format!(
                    "there `{name}` follows from the option `{}`: give that a value",
                    options.join("` and `")
                )),
                (None, Some(near)) => d.hint(format!("did you mean `{near}`?")),
                (None, None) if offered.is_empty() => {
                    d.hint("neither the game nor what it includes has parameters")
                }
                (None, None) => d.hint(format!("its parameters are `{}`", offered.join("`, `"))),
            });
        }
    }
}
