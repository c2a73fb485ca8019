//! Rows of several sites as shifts: where all sites of a row have to be in given sets, all rows are
//! looked at together.
//!
//! The rows `(C, A, B, D)` of four sites in a line are, in one direction, the same four sites moved along the
//! board. For each form that the rows have, the sets are shifted onto one of the sites and intersected.

use std::collections::BTreeMap;

/// For each form of the rows of a relation, how far each set is shifted, and the targets of its rows.
#[derive(Debug, Clone)]
pub struct Joints {
    /// The relation's name, for `ludex show plan`.
    pub name: String,
    /// The forms of rows.
    pub forms: Vec<Form>,
}

/// Rows whose sites are at the same distances from each other.
#[derive(Debug, Clone)]
pub struct Form {
    /// For each set, the distance from its site to the target.
    pub shifts: Box<[i32]>,
    /// The targets of the rows, as a set.
    pub targets: Box<[u64]>,
}

impl Joints {
    /// Builds the forms from rows: the index of the target, and that of the site in each set. `words` is the
    /// length of a set.
    pub(super) fn build(name: &str, words: usize, rows: &[(usize, Vec<usize>)]) -> Joints {
        let mut forms: BTreeMap<Box<[i32]>, Box<[u64]>> = BTreeMap::new();
        for (target, sites) in rows {
            let shifts = sites.iter().map(|site| *target as i32 - *site as i32).collect();
            let targets = forms.entry(shifts).or_insert_with(|| vec![0; words].into());
            targets[target / 64] |= 1 << (target % 64);
        }
        let forms = forms.into_iter().map(|(shifts, targets)| Form { shifts, targets }).collect();
        Joints { name: name.to_string(), forms }
    }
}
