//! A solution on disk that is asked for single positions.

use std::path::Path;

use super::super::codec::TierKey;
use super::super::crew::Trouble;
use super::super::tiers::TierId;
use super::super::value::Value;
use super::numbers::Numbers;
use super::{Identity, Store, Subject};

/// A solution on disk that is asked for single positions, without reading it whole.
#[derive(Debug)]
pub struct Reader {
    store: Store,
    tiers: Vec<TierKey>,
    /// What it is a solution of.
    pub subject: Subject,
}

impl Reader {
    /// Opens the solution in a folder.
    ///
    /// # Errors
    /// A folder without a solution, or [`Trouble::Disk`].
    pub fn open(folder: &Path) -> Result<Reader, Trouble> {
        let store = Store { folder: folder.to_path_buf() };
        let Some(description) = store.description()? else {
            let folder = folder.display();
            return Err(Trouble::Disk(format!(
                "`{folder}` holds no solution; `ludex solve GAME --store {folder}` makes one"
            )));
        };
        let tiers = description.tiers.into_iter().map(|line| TierKey::from_vec(line.key)).collect();
        Ok(Reader { store, tiers, subject: description.subject })
    }

    /// Whether it is a solution of these rules.
    ///
    /// # Errors
    /// In what it differs.
    pub fn matches(&self, identity: &Identity) -> Result<(), Trouble> {
        let there = &self.subject;
        let wanted =
            Subject::new(identity.clone(), &there.start, there.arrangements, there.symmetric);
        match wanted == *there {
            true => Ok(()),
            false => Err(self.store.other(there, &wanted)),
        }
    }

    /// The value of the position with this rank in a tier; `None` where it is not in the solution.
    ///
    /// # Errors
    /// [`Trouble::Disk`].
    pub fn value(&self, key: &TierKey, rank: u64) -> Result<Option<Value>, Trouble> {
        let Some(id) = self.tiers.iter().position(|tier| tier == key) else { return Ok(None) };
        let mut positions = Numbers::open(self.store.path(id as TierId, "positions"))?;
        let Some(at) = positions.find(rank)? else { return Ok(None) };
        let path = self.store.path(id as TierId, "values");
        if !path.exists() {
            return Ok(None);
        }
        let mut values = Numbers::open(path)?;
        let word = values.get(at / 4)?;
        Ok(Some(Value::of_code((word >> (16 * (at % 4))) as u16)))
    }
}
