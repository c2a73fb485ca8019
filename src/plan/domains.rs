//! Domains as the plan uses them: the universes and integers that each variable and argument ranges
//! over.

use crate::program::{ClauseId, Program, VariableId};
use crate::types::{Domain, Types};

use super::universe::{UniverseId, Universes};

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
