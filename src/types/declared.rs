//! The declared domains of the state: errors for domains that are empty, too large, or depend on the
//! state, and for initial values outside of them.

use crate::datalog::Tables;
use crate::diagnostic::{Diagnostic, nearest};
use crate::program::{DomainSpec, Fluent, FluentShape, Kind, Program};
use crate::source::Span;

/// The most values of one domain.
const MOST_VALUES: u64 = 1 << 16;
/// The most combinations of the values of a fluent.
const LARGEST: u64 = 1 << 20;

/// The faults of the declared state. This must run before the values of any domain are enumerated.
pub fn check_state(program: &Program, tables: &Tables) -> Vec<Diagnostic> {
    let mut faults = initial_outside(program, tables);
    // the first three are declared by the language
    for fluent in program.fluents.iter().skip(3) {
        let value = match &fluent.shape {
            FluentShape::Map { value, value_span, .. } => Some((value, *value_span)),
            FluentShape::Set => None,
        };
        let keys = fluent.keys.iter().zip(fluent.key_spans.iter().copied());
        let mut size = 1u64;
        for (spec, span) in keys.chain(value) {
            match count(program, tables, spec) {
                Some(count) => {
                    faults.extend(unfit(fluent, span, count));
                    size = size.saturating_mul(count.max(1));
                }
                None => faults.push(
                    Diagnostic::error("state-form", "a domain must not depend on the state")
                        .at(span, "this relation does, or needs an argument bound")
                        .hint("use a relation that is made of facts and static goals alone"),
                ),
            }
        }
        if size > LARGEST {
            let text = "the product of its keys' domains is the size of the state";
            faults.push(
                Diagnostic::error("state-domain", format!("`{}` is too large", fluent.name))
                    .at(fluent.span, text)
                    .hint("use fewer keys or smaller domains"),
            );
        }
    }
    faults
}

/// The number of values of a domain; `None` where it depends on the state.
fn count(program: &Program, tables: &Tables, spec: &DomainSpec) -> Option<u64> {
    match spec {
        DomainSpec::Relation(id) if program.relation(*id).kind != Kind::Static => None,
        DomainSpec::Range(lo, hi) => Some(hi.saturating_sub(*lo).saturating_add(1).max(0) as u64),
        other => Some(tables.domain(other).len() as u64),
    }
}

/// A domain of a fluent with too few or too many values.
fn unfit(fluent: &Fluent, span: Span, count: u64) -> Option<Diagnostic> {
    if count == 0 {
        let fault = Diagnostic::error("state-domain", "this domain is empty")
            .at(span, format!("`{}` could hold nothing", fluent.name))
            .hint("give it at least one value");
        return Some(fault);
    }
    (count > MOST_VALUES).then(|| {
        Diagnostic::error("state-domain", format!("this domain has {count} values"))
            .at(span, format!("at most {MOST_VALUES} are possible"))
            .hint("give the least range that the rules need")
    })
}

/// Reports initial values outside their domain.
fn initial_outside(program: &Program, tables: &Tables) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    for fluent in &program.fluents {
        let FluentShape::Map { value, value_span, initial: Some(initial) } = &fluent.shape else {
            continue;
        };
        let values = match value {
            DomainSpec::Range(lo, hi)
                if initial.integer().is_some_and(|n| *lo <= n && n <= *hi) =>
            {
                continue;
            }
            DomainSpec::Range(..) => Vec::new(),
            DomainSpec::Relation(id) if program.relation(*id).kind != Kind::Static => continue,
            other => tables.domain(other),
        };
        if values.contains(initial) {
            continue;
        }
        let shown = program.values.show(*initial);
        let names: Vec<String> = values.iter().map(|v| program.values.show(*v)).collect();
        let d = Diagnostic::error(
            "state-domain",
            format!("`{}` cannot begin as `{shown}`", fluent.name),
        )
        .at(*value_span, "it is none of these");
        faults.push(match nearest(&shown, names.iter().map(String::as_str)) {
            Some(near) => d.hint(format!("did you mean `{near}`?")),
            None => d.hint("give an initial value of the domain, or none"),
        });
    }
    faults
}
