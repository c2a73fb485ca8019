//! Domains as the plan uses them: the universes and integers that each variable and argument ranges
//! over. Declared domains are checked here as well.

use crate::datalog::Tables;
use crate::diagnostic::{Diagnostic, nearest};
use crate::program::{ClauseId, DomainSpec, FluentShape, Kind, Program, VariableId};
use crate::types::{Domain, Types};

use super::universe::{UniverseId, Universes, domain_values};

/// The values that an argument, variable or part of the state can have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Abstract {
    /// Anything: nothing is known.
    pub top: bool,
    /// Integers from `.0` to `.1`, both inclusive.
    pub integers: Option<(i64, i64)>,
    /// Constants of these universes, ascending.
    pub universes: Vec<UniverseId>,
    /// Lists that a move builds, and moves.
    pub lists: bool,
}

impl Abstract {
    /// Any value.
    pub fn top() -> Abstract {
        Abstract { top: true, ..Abstract::default() }
    }

    /// The universe that contains all values, if there is a single one. Integers belong to
    /// [`UniverseId::INTEGERS`].
    pub fn universe(&self) -> Option<UniverseId> {
        match (self.top, self.integers, self.universes.as_slice(), self.lists) {
            (false, None, [one], false) => Some(*one),
            (false, Some(_), [], false) => Some(UniverseId::INTEGERS),
            _ => None,
        }
    }

    fn of(domain: &Domain, universes: &Universes, lists: &[UniverseId]) -> Abstract {
        let mut found: Vec<UniverseId> =
            domain.constants.iter().map(|id| universes.of(id)).collect();
        if domain.lists {
            found.extend_from_slice(lists);
        }
        found.sort_unstable();
        found.dedup();
        Abstract {
            top: domain.top,
            integers: domain.integers,
            universes: found,
            lists: domain.lists || domain.moves,
        }
    }
}

/// The values of all arguments, variables and parts of the state.
#[derive(Debug, Clone)]
pub struct Domains {
    /// For each relation, its arguments.
    pub columns: Vec<Vec<Abstract>>,
    /// For each clause, its variables.
    pub variables: Vec<Vec<Abstract>>,
    /// For each fluent, its keys and, for a map, its value last.
    pub fluents: Vec<Vec<Abstract>>,
}

impl Domains {
    /// Translates the inferred types: constants become the universes that they belong to.
    pub fn of(types: &Types, program: &Program, universes: &Universes) -> Domains {
        let mut lists: Vec<UniverseId> = program
            .values
            .iter()
            .filter(|(_, c)| matches!(c, crate::program::Constant::List(_)))
            .map(|(id, _)| universes.of(id))
            .collect();
        lists.sort_unstable();
        lists.dedup();
        let all = |rows: &[Vec<Domain>]| -> Vec<Vec<Abstract>> {
            let one = |row: &Vec<Domain>| {
                row.iter().map(|d| Abstract::of(d, universes, &lists)).collect()
            };
            rows.iter().map(one).collect()
        };
        Domains {
            columns: all(&types.columns),
            variables: all(&types.variables),
            fluents: all(&types.fluents),
        }
    }

    /// The values of a variable of a clause.
    pub fn variable(&self, clause: ClauseId, variable: VariableId) -> &Abstract {
        &self.variables[clause.0 as usize][variable.0 as usize]
    }
}

/// Reports initial values outside their domain, and domains that are empty, too large, or depend on
/// the state. It must run before the values of any domain are enumerated.
pub fn check_state(program: &Program, tables: &Tables) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    {
        faults.extend(initial_outside(program, tables));
        for fluent in program.fluents.iter().skip(3) {
            let value = match &fluent.shape {
                FluentShape::Map { value, value_span, .. } => Some((value, *value_span)),
                FluentShape::Set => None,
            };
            let keys = fluent.keys.iter().zip(fluent.key_spans.iter().copied());
            let mut size = 1u64;
            for (spec, span) in keys.chain(value) {
                if let crate::program::DomainSpec::Relation(id) = spec
                    && program.relation(*id).kind != Kind::Static
                {
                    faults.push(
                        Diagnostic::error("state-form", "a domain must not depend on the state")
                            .at(span, "this relation does, or needs an argument bound")
                            .hint("use a relation that is made of facts and static goals alone"),
                    );
                    continue;
                }
                let count = match spec {
                    crate::program::DomainSpec::Range(lo, hi) => {
                        hi.saturating_sub(*lo).saturating_add(1).max(0) as u64
                    }
                    other => domain_values(tables, other).len() as u64,
                };
                if count == 0 {
                    faults.push(
                        Diagnostic::error("state-domain", "this domain is empty")
                            .at(span, format!("`{}` could hold nothing", fluent.name))
                            .hint("give it at least one value"),
                    );
                }
                if count > 1 << 16 {
                    faults.push(
                        Diagnostic::error(
                            "state-domain",
                            format!("this domain has {count} values"),
                        )
                        .at(span, "at most 65536 are possible")
                        .hint("give the least range that the rules need"),
                    );
                }
                size = size.saturating_mul(count.max(1));
            }
            if size > 1 << 20 {
                faults.push(
                    Diagnostic::error("state-domain", format!("`{}` is too large", fluent.name))
                        .at(
                            fluent.span,
                            "the product of its keys' domains is the size of the state",
                        )
                        .hint("use fewer keys or smaller domains"),
                );
            }
        }
    }
    faults
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
            other => domain_values(tables, other),
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
