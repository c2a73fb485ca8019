//! Solutions on disk: a folder with a description and, for each tier, a file of its positions and one of
//! their values. Files are written beside and renamed, so that each is there whole or not at all, and a
//! solution that was interrupted, or whose process was killed, goes on where it was.
//!
//! Several processes may work on one folder: the search forward is done by one of them, and a group of
//! tiers by whichever locks it first.

use std::fs::{File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::codec::TierKey;
use super::crew::Trouble;
use super::set::Ranks;
use super::tiers::{Tier, TierId, Tiers};
use super::value::Value;

mod numbers;
mod reader;

pub use numbers::Source;
pub use reader::Reader;

use numbers::{Sum, put};

/// The version of the files; another one is refused.
const FORMAT: u32 = 5;
const DESCRIPTION: &str = "solution.ron";
const SEARCH: &str = "search.unfinished";
/// What an unfinished search is a search of.
const BEGUN: &str = "begun.ron";

/// What tells a game with its options from others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// The title of the game.
    pub game: String,
    /// The options, as on the command line.
    pub options: Vec<(String, String)>,
    /// A digest of the rule files.
    pub rules: String,
}

impl Identity {
    /// A name for files.
    pub fn digest(&self) -> String {
        let options = self.options.iter().flat_map(|(name, value)| [name, value]);
        let all = [&self.game, &self.rules].into_iter().chain(options);
        let bytes = all.flat_map(|text| text.bytes().chain([0]));
        let hash = format!("{:016x}", checksum(bytes.map(u64::from)));
        let letters = self.game.chars().filter(|c| c.is_ascii_alphanumeric()).take(24);
        format!("{}-{hash}", letters.collect::<String>().to_lowercase())
    }
}

/// What a folder holds a solution of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// The version of the files.
    format: u32,
    /// The version of the program: others may number positions in another way.
    version: String,
    /// The game.
    pub identity: Identity,
    /// The words of the position from which the search began.
    pub start: Vec<u64>,
    /// All arrangements of its pieces were solved.
    pub arrangements: bool,
    /// Positions that are alike by symmetry stand once.
    pub symmetric: bool,
}

impl Subject {
    /// The subject of a solution.
    pub fn new(identity: Identity, start: &[u64], arrangements: bool, symmetric: bool) -> Subject {
        let version = env!("CARGO_PKG_VERSION").to_string();
        let start = start.to_vec();
        Subject { format: FORMAT, version, identity, start, arrangements, symmetric }
    }

    /// A number for files, different for all solutions.
    fn mark(&self) -> u64 {
        let names = [self.identity.digest(), self.digest()];
        checksum(names.iter().flat_map(|name| name.bytes()).map(u64::from))
    }

    /// A name for files, different for solutions of one game.
    pub fn digest(&self) -> String {
        let flags = u64::from(self.arrangements) * 2 + u64::from(self.symmetric);
        format!("{:016x}", checksum(self.start.iter().copied().chain([flags])))
    }
}

/// What is known of a tier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct TierLine {
    key: Vec<u32>,
    positions: u64,
    leads_to: Vec<TierId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Description {
    subject: Subject,
    tiers: Vec<TierLine>,
}

/// A folder with a solution, or with a part of one.
#[derive(Debug, Clone)]
pub struct Store {
    folder: PathBuf,
    /// What tells the files of this solution from those of others.
    mark: u64,
}

fn failed(doing: &str, path: &Path, error: &std::io::Error) -> Trouble {
    Trouble::Disk(format!("cannot {doing} `{}`: {error}", path.display()))
}

fn damaged(path: &Path) -> Trouble {
    Trouble::Disk(format!("`{}` is damaged; remove it, and it is made again", path.display()))
}

/// A digest of numbers.
fn checksum(numbers: impl Iterator<Item = u64>) -> u64 {
    let mut sum = Sum::default();
    numbers.for_each(|n| sum.add(n));
    sum.0
}

impl Store {
    /// A folder for a solution, which is made where it does not exist.
    ///
    /// # Errors
    /// [`Trouble::Disk`].
    pub fn create(folder: &Path, subject: &Subject) -> Result<Store, Trouble> {
        std::fs::create_dir_all(folder).map_err(|e| failed("make the folder", folder, &e))?;
        Ok(Store { folder: folder.to_path_buf(), mark: subject.mark() })
    }

    /// What tells the file of a tier from all others.
    fn mark(&self, id: TierId, what: &str) -> u64 {
        let parts = what.bytes().map(u64::from);
        checksum([self.mark, u64::from(id)].into_iter().chain(parts))
    }

    fn path(&self, id: TierId, what: &str) -> PathBuf {
        self.folder.join(format!("tier-{id:06}.{what}"))
    }

    /// Writes a file beside, and renames it once it is whole.
    fn write(
        &self,
        path: &Path,
        fill: impl FnOnce(&mut File) -> std::io::Result<()>,
    ) -> Result<(), Trouble> {
        let fault = |e: &std::io::Error| failed("write", path, e);
        let mut file = tempfile::NamedTempFile::new_in(&self.folder).map_err(|e| fault(&e))?;
        fill(file.as_file_mut()).map_err(|e| fault(&e))?;
        file.as_file().sync_all().map_err(|e| fault(&e))?;
        file.persist(path).map(|_| ()).map_err(|e| fault(&e.error))
    }

    fn write_text(&self, path: &Path, text: &str) -> Result<(), Trouble> {
        self.write(path, |file| file.write_all(text.as_bytes()))
    }

    /// What the folder holds: the tiers with their positions, where the search forward is complete.
    ///
    /// # Errors
    /// A folder that holds something else, or [`Trouble::Disk`].
    pub fn tiers(&self, subject: &Subject) -> Result<Option<Tiers>, Trouble> {
        let Some(description) = self.description()? else {
            self.begin(subject)?;
            return Ok(None);
        };
        if description.subject != *subject {
            return Err(self.other(&description.subject, subject));
        }
        let mut all = Vec::with_capacity(description.tiers.len());
        for (id, line) in description.tiers.into_iter().enumerate() {
            let ranks = self.ranks(id as TierId)?;
            if ranks.len() as u64 != line.positions {
                return Err(damaged(&self.path(id as TierId, "positions")));
            }
            all.push(Tier { key: TierKey::from_vec(line.key), ranks, leads_to: line.leads_to });
        }
        Ok(Some(Tiers::new(all)))
    }

    /// Notes what is going to be solved here, where nothing is noted.
    fn begin(&self, subject: &Subject) -> Result<(), Trouble> {
        let path = self.folder.join(BEGUN);
        match described::<Subject>(&path)? {
            Some(there) if there == *subject => Ok(()),
            Some(there) => Err(self.other(&there, subject)),
            None => self.write_text(&path, &written(subject)?),
        }
    }

    fn description(&self) -> Result<Option<Description>, Trouble> {
        description_in(&self.folder)
    }

    /// Why a folder with another subject is not used.
    fn other(&self, there: &Subject, wanted: &Subject) -> Trouble {
        let (own, other) = (&wanted.identity, &there.identity);
        let what = match () {
            () if other.game != own.game => format!("the game {}", other.game),
            () if other.options != own.options => {
                let shown = other.options.iter().map(|(name, value)| format!("{name}={value}"));
                format!("other options ({})", shown.collect::<Vec<_>>().join(", "))
            }
            () if other.rules != own.rules => "rules that have changed since".to_string(),
            () if there.version != wanted.version => {
                format!("version {} of the program", there.version)
            }
            () if there.format != wanted.format => {
                let (there, wanted) = (there.format, wanted.format);
                format!("another build of the program (files of format {there}, not {wanted})")
            }
            () if there.start != wanted.start => "another position".to_string(),
            () => "the same position, solved with other flags".to_string(),
        };
        let folder = self.folder.display();
        Trouble::Disk(format!(
            "`{folder}` holds the solution of {what}; remove it, or choose another folder with `--store`"
        ))
    }

    /// Keeps the positions of all tiers.
    ///
    /// # Errors
    /// [`Trouble::Disk`].
    pub fn keep_tiers(&self, subject: &Subject, tiers: &Tiers) -> Result<(), Trouble> {
        let mut lines = Vec::new();
        for (id, tier) in tiers.all.iter().enumerate() {
            let (kind, sums, numbers): (u64, &[u64], &[u64]) = match &tier.ranks {
                Ranks::Sorted(sorted) => (0, &[], sorted),
                Ranks::Bits(bits, sums) => (1, sums, bits),
            };
            let head = [kind, sums.len() as u64, numbers.len() as u64];
            let mark = self.mark(id as TierId, "positions");
            self.write(&self.path(id as TierId, "positions"), |file| {
                put(file, mark, head, |tell| sums.iter().chain(numbers).try_for_each(|n| tell(*n)))
            })?;
            lines.push(TierLine {
                key: tier.key.to_vec(),
                positions: tier.ranks.len() as u64,
                leads_to: tier.leads_to.clone(),
            });
        }
        let description = Description { subject: subject.clone(), tiers: lines };
        self.write_text(&self.folder.join(DESCRIPTION), &written(&description)?)?;
        // the search is not needed any more
        let _ = std::fs::remove_file(self.folder.join(SEARCH));
        Ok(())
    }

    /// Keeps an unfinished search forward: the numbers that `fill` tells.
    ///
    /// # Errors
    /// [`Trouble::Disk`].
    pub fn keep_search(
        &self,
        fill: impl FnOnce(&mut dyn FnMut(u64) -> std::io::Result<()>) -> std::io::Result<()>,
    ) -> Result<(), Trouble> {
        self.write(&self.folder.join(SEARCH), |file| put(file, self.mark, [3, 0, 0], fill))
    }

    /// The search forward that was kept, as its numbers; `None` where there is none.
    ///
    /// # Errors
    /// [`Trouble::Disk`], for files that are damaged too.
    pub fn search(&self) -> Result<Option<Source>, Trouble> {
        let path = self.folder.join(SEARCH);
        if !path.exists() {
            return Ok(None);
        }
        // what it says is believed only where the sum of all numbers is right
        Source::check(&path, self.mark)?;
        let source = Source::open(&path, self.mark)?;
        match source.head[0] == 3 {
            true => Ok(Some(source)),
            false => Err(damaged(&path)),
        }
    }

    fn ranks(&self, id: TierId) -> Result<Ranks, Trouble> {
        let path = self.path(id, "positions");
        let mut source = Source::open(&path, self.mark(id, "positions"))?;
        let [kind, sums, len, _] = source.head;
        if source.len != sums.saturating_add(len) {
            return Err(damaged(&path));
        }
        let (sums, numbers) = (source.list(sums)?, source.list(len)?);
        match kind {
            _ if !source.is_right() => Err(damaged(&path)),
            0 => Ok(Ranks::Sorted(numbers)),
            1 => Ok(Ranks::Bits(numbers, sums)),
            _ => Err(damaged(&path)),
        }
    }

    /// Keeps the values of a tier.
    ///
    /// # Errors
    /// [`Trouble::Disk`].
    pub fn keep_values(&self, id: TierId, values: &[Value]) -> Result<(), Trouble> {
        let packed = values.chunks(4).map(|four| {
            four.iter().rev().fold(0, |word, value| word << 16 | u64::from(value.code()))
        });
        let head = [2, values.len() as u64, packed.len() as u64];
        self.write(&self.path(id, "values"), |file| {
            put(file, self.mark(id, "values"), head, |tell| packed.into_iter().try_for_each(tell))
        })
    }

    /// The values of a tier; `None` where they are not known yet.
    ///
    /// # Errors
    /// [`Trouble::Disk`].
    pub fn values(&self, id: TierId) -> Result<Option<Vec<Value>>, Trouble> {
        let path = self.path(id, "values");
        if !path.exists() {
            return Ok(None);
        }
        let mut source = Source::open(&path, self.mark(id, "values"))?;
        let [kind, count, len, _] = source.head;
        if kind != 2 || source.len != len || count.div_ceil(4) != len {
            return Err(damaged(&path));
        }
        let mut values = Vec::with_capacity(count as usize);
        while let Some(word) = source.next()? {
            let codes = (0..4).map(|i| (word >> (16 * i)) as u16);
            values.extend(codes.take(count as usize - values.len()).map(Value::of_code));
        }
        match source.is_right() {
            true => Ok(Some(values)),
            false => Err(damaged(&path)),
        }
    }

    /// Whether the values of a tier are known.
    pub fn has_values(&self, id: TierId) -> bool {
        self.path(id, "values").exists()
    }

    /// Takes on a piece of work, which no other process has then until the lock is dropped; `None` where
    /// another one has it.
    ///
    /// # Errors
    /// [`Trouble::Disk`].
    pub fn claim(&self, name: &str) -> Result<Option<Claim>, Trouble> {
        let path = self.folder.join(format!("{name}.lock"));
        let file = File::options().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(|e| failed("make", &path, &e))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Claim { path, _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(failed("lock", &path, &error)),
        }
    }
}

/// A piece of work that a process has taken on.
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
    _file: File,
}

impl Drop for Claim {
    fn drop(&mut self) {
        // a lock file that stays behind does no harm
        let _ = std::fs::remove_file(&self.path);
    }
}

fn description_in(folder: &Path) -> Result<Option<Description>, Trouble> {
    described(&folder.join(DESCRIPTION))
}

/// What a text file describes; `None` where there is none.
fn described<T: serde::de::DeserializeOwned>(path: &Path) -> Result<Option<T>, Trouble> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed("read", path, &error)),
    };
    ron::from_str(&text).map(Some).map_err(|_| {
        Trouble::Disk(format!(
            "`{}` was not written by this version of the program; choose another folder",
            path.display()
        ))
    })
}

fn written(described: &impl Serialize) -> Result<String, Trouble> {
    let form = ron::ser::PrettyConfig::new().depth_limit(3);
    ron::ser::to_string_pretty(described, form)
        .map_err(|e| Trouble::Disk(format!("cannot describe the solution: {e}")))
}
