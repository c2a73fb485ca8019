//! Options: their declarations and their values.
//!
//! A `with` fixes an option; an option that is not fixed is set from outside, or has its default.

use crate::diagnostic::{Diagnostic, nearest};
use crate::source::Span;
use crate::syntax::{Term, TermKind};

use super::directives::OptionDeclaration;
use super::load::{Loader, Role};
use super::resolve::twice;
use super::{GameOption, OptionDomain, Value, Values};

/// A parameter, with the value that a `with` gives it.
#[derive(Debug, Clone)]
pub(super) struct Given {
    pub name: String,
    pub value: Value,
    /// The value depends on options.
    pub passed: bool,
    /// Where it is given.
    pub span: Span,
}

impl Loader<'_> {
    /// Declares an option of a file in this role. `fixed` are the parameters given by the file that includes it.
    pub(super) fn option(&mut self, declared: &OptionDeclaration, fixed: &[Given], role: Role) {
        let name = &declared.name;
        let fixed = fixed.iter().find(|g| g.name == *name).cloned();
        let given = fixed.or_else(|| self.varied(name));
        let Some(domain) = self.option_domain(&declared.domain) else {
            return self.out.unread.refuse(name);
        };
        let Some(default) = self.constant(&declared.default) else {
            self.out.unread.refuse(name);
            return self.fault(
                Diagnostic::error("option-form", "an option's default must be a constant")
                    .at(declared.default.span, "not a constant"),
            );
        };
        if !domain.contains(default) {
            self.fault(
                Diagnostic::error(
                    "option-value",
                    format!("the default of the option `{name}` is not one of its values"),
                )
                .at(declared.default.span, "this value")
                .at(declared.domain.span, "is not one of these"),
            );
        }
        if let Some(outer) = self.out.options.get(name).cloned() {
            if let Some(option) = self.out.options.get_mut(name) {
                option.replaced.push(domain.clone());
            }
            return self.declared_outside(declared, &domain, &outer, given.as_ref(), role);
        }
        let wrong = given.as_ref().filter(|given| !domain.contains(given.value));
        let value = match &given {
            // a value that is wrong here would be wrong for other files too
            Some(_) if wrong.is_some() => default,
            Some(given) => given.value,
            None => self.requested(name, &domain).unwrap_or(default),
        };
        if let Some(given) = wrong {
            let (shown, expected) =
                (self.out.values.show(given.value), describe(&self.out.values, &domain));
            self.fault(
                Diagnostic::error(
                    "option-value",
                    format!("the parameter `{name}` cannot be `{shown}`"),
                )
                .at(given.span, "given here")
                .at(declared.span, format!("it takes {expected}")),
            );
        }
        let option = GameOption {
            name: name.clone(),
            domain,
            replaced: Vec::new(),
            default,
            value,
            fixed: given.is_some(),
            passed: given.is_some_and(|g| g.passed),
            span: declared.span,
        };
        self.out.options.insert(name.clone(), option);
    }

    /// Checks an option that an including file declares too: that declaration takes precedence, and
    /// has to fit. A variant may give an option of its base values that the base does not know.
    fn declared_outside(
        &mut self,
        declared: &OptionDeclaration,
        domain: &OptionDomain,
        outer: &GameOption,
        given: Option<&Given>,
        role: Role,
    ) {
        let (name, span) = (&declared.name, declared.span);
        if outer.span.file == span.file {
            return self.fault(
                Diagnostic::error(
                    "duplicate-option",
                    format!("the option `{name}` is declared twice"),
                )
                .at(span, "again here")
                .at(outer.span, "first here"),
            );
        }
        if let Some(given) = given.filter(|g| g.value != outer.value) {
            return self.fault(
                Diagnostic::error(
                    "parameter-conflict",
                    format!("`{name}` is an option of the game and a fixed parameter as well"),
                )
                .at(outer.span, "the game declares it here")
                .at(given.span, "and gives another value here")
                .hint(format!(
                    "drop one of them, or pass the option on: `with ({name} = option({name}))`"
                )),
            );
        }
        if role == Role::Part && !domain.contains(outer.value) {
            let (shown, expected) =
                (self.out.values.show(outer.value), describe(&self.out.values, domain));
            self.fault(
                Diagnostic::error(
                    "option-value",
                    format!("the option `{name}` cannot be `{shown}`"),
                )
                .at(outer.span, "declared here")
                .at(span, format!("the included file takes {expected}"))
                .hint("give the option one of these: the included file is written for them"),
            );
        }
    }

    /// The value that the request gives to an option, if it belongs to the domain.
    fn requested(&mut self, name: &str, domain: &OptionDomain) -> Option<Value> {
        let (_, text) = self.request.options.iter().rev().find(|(n, _)| n == name)?;
        let typed = match text.parse::<i64>() {
            Ok(n) => Value::Integer(n),
            Err(_) => self.out.values.atom(text),
        };
        if domain.contains(typed) {
            return Some(typed);
        }
        let expected = describe(&self.out.values, domain);
        self.out.request_faults.push(
            Diagnostic::error("option-value", format!("the option `{name}` cannot be `{text}`"))
                .hint(format!("it takes {expected}")),
        );
        None
    }

    fn option_domain(&mut self, term: &Term) -> Option<OptionDomain> {
        if let Some([lo, hi]) = term.args_of("..", 2)
            && let (TermKind::Integer(lo), TermKind::Integer(hi)) = (&lo.kind, &hi.kind)
        {
            if lo > hi {
                self.fault(
                    Diagnostic::error("option-form", format!("the range {lo}..{hi} is empty"))
                        .at(term.span, "the first number is the greater one")
                        .hint(format!("write `{hi}..{lo}`")),
                );
                return None;
            }
            return Some(OptionDomain::Range(*lo, *hi));
        }
        if let Some([items]) = term.args_of("{}", 1) {
            let items = items.flatten(",");
            let values: Option<Vec<Value>> = items.iter().map(|t| self.constant(t)).collect();
            if let Some(values) = values {
                if let Some(fault) = twice("option-form", &items) {
                    self.fault(fault);
                }
                return Some(OptionDomain::Values(values));
            }
        }
        self.fault(
            Diagnostic::error("option-form", "an option's values are a set or a range of integers")
                .at(term.span, "neither a set nor a range")
                .hint("write `{yes, no}` or `1..19`"),
        );
        None
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
            if let Some(option) = self.out.options.get(name).filter(|o| o.fixed) {
                let value = self.out.values.show(option.value);
                self.out.request_faults.push(
                    Diagnostic::error("unknown-option", format!("the option `{name}` is fixed"))
                        .hint(format!("it is `{value}`, by the `with` of an include or a variant")),
                );
                continue;
            }
            let open = || self.out.options.values().filter(|o| !o.fixed);
            let d = Diagnostic::error("unknown-option", format!("the game has no option `{name}`"));
            let d = match nearest(name, open().map(|o| o.name.as_str())) {
                Some(near) => d.hint(format!("did you mean `{near}`?")),
                None => d,
            };
            let all = open()
                .map(|o| format!("{} ({})", o.name, describe(&self.out.values, &o.domain)))
                .collect::<Vec<_>>();
            let d = match all.is_empty() {
                true => d.hint("it has no options"),
                false => d.hint(format!("its options are {}", all.join("; "))),
            };
            self.out.request_faults.push(d);
        }
    }
}

pub(super) fn describe(values: &Values, domain: &OptionDomain) -> String {
    match domain {
        OptionDomain::Values(all) => {
            all.iter().map(|v| format!("`{}`", values.show(*v))).collect::<Vec<_>>().join(", ")
        }
        OptionDomain::Range(lo, hi) => format!("an integer from {lo} to {hi}"),
    }
}
