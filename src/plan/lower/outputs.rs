//! What the answers of a procedure may be.

use crate::program::Value;

use super::super::ops::Argument;
use super::super::rows::KeyRange;
use super::Lowering;
use super::procedures::Reserved;

impl Lowering<'_> {
    /// Whether an answer may hold a list.
    pub(super) fn gives_lists(&self, reserved: &Reserved) -> bool {
        let columns = &self.types.columns[reserved.relation.0 as usize];
        let holds = |(i, _): (usize, &Argument)| {
            columns.get(i).is_none_or(|column| column.top || column.lists || column.moves)
        };
        let mut outputs =
            reserved.arguments.iter().enumerate().filter(|(_, a)| **a == Argument::Output);
        reserved.form.is_some() || outputs.any(holds)
    }

    /// For each output, the codes that it may have, where they form one interval.
    pub(super) fn ranges(&self, reserved: &Reserved) -> Vec<Option<KeyRange>> {
        let columns = &self.domains.columns[reserved.relation.0 as usize];
        let range = |(i, _): (usize, &Argument)| {
            if reserved.form.is_some() {
                return None;
            }
            let domain = columns.get(i)?;
            domain.universe()?;
            Some(match domain.integers {
                Some((lo, hi)) => {
                    KeyRange { base: lo, len: usize::try_from(hi.checked_sub(lo)?).ok()? + 1 }
                }
                None => {
                    let ids = &self.types.columns[reserved.relation.0 as usize][i].constants;
                    let code = |id| self.universes.code(Value::Constant(id));
                    let (first, last) = (ids.iter().map(code).min()?, ids.iter().map(code).max()?);
                    KeyRange { base: first, len: usize::try_from(last - first).ok()? + 1 }
                }
            })
        };
        let outputs =
            reserved.arguments.iter().enumerate().filter(|(_, a)| **a == Argument::Output);
        outputs.map(range).collect()
    }
}
