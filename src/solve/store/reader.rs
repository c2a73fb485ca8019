//! A solution on disk that is asked for single positions.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashSet;

use super::super::codec::TierKey;
use super::super::crew::Trouble;
use super::super::tiers::TierId;
use super::super::value::Value;
use super::numbers::{Numbers, Source};
use super::{Identity, Store, Subject, description_in};

/// A solution on disk that is asked for single positions, without reading it whole.
#[derive(Debug)]
pub struct Reader {
    store: Store,
    tiers: Vec<TierKey>,
    /// What it is a solution of.
    pub subject: Subject,
    /// The tiers whose files are known to be whole.
    checked: Mutex<FxHashSet<TierId>>,
}

impl Reader {
    /// Opens the solution in a folder.
    ///
    /// # Errors
    /// A folder without a solution, or [`Trouble::Disk`].
    pub fn open(folder: &Path) -> Result<Reader, Trouble> {
        let Some(description) = description_in(folder)? else {
            let folder = folder.display();
            return Err(Trouble::Disk(format!(
                "`{folder}` holds no solution; `ludex solve GAME --store {folder}` makes one"
            )));
        };
        let tiers = description.tiers.into_iter().map(|line| TierKey::from_vec(line.key)).collect();
        let subject = description.subject;
        let store = Store { folder: folder.to_path_buf(), mark: subject.mark() };
        Ok(Reader { store, tiers, subject, checked: Mutex::default() })
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
        let id = id as TierId;
        let known = self.store.has_values(id);
        self.check(id, known)?;
        let mut positions = Numbers::open(self.store.path(id, "positions"))?;
        let Some(at) = positions.find(rank)?.filter(|_| known) else { return Ok(None) };
        let mut values = Numbers::open(self.store.path(id, "values"))?;
        let word = values.get(at / 4)?;
        Ok(Some(Value::of_code((word >> (16 * (at % 4))) as u16)))
    }

    /// Reads the files of a tier once, as what they say is believed only where the sum of all numbers is right.
    fn check(&self, id: TierId, known: bool) -> Result<(), Trouble> {
        let mut checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        if checked.contains(&id) {
            return Ok(());
        }
        let files = if known { &["positions", "values"][..] } else { &["positions"] };
        for what in files {
            Source::check(&self.store.path(id, what), self.store.mark(id, what))?;
        }
        if known {
            checked.insert(id);
        }
        Ok(())
    }
}
