//! Solutions on disk: a folder with a description and, for each tier, a file of its positions and one of
//! their values. Files are written beside and renamed, so that each is there whole or not at all, and a
//! solution that was interrupted, or whose process was killed, goes on where it was.
//!
//! Several processes may work on one folder: the search forward is done by one of them, and a group of
//! tiers by whichever locks it first.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::codec::TierKey;
use super::crew::Trouble;
use super::set::Ranks;
use super::tiers::{Tier, TierId, Tiers};
use super::value::Value;

/// The version of the files; another one is refused.
const FORMAT: u32 = 2;
/// What files of positions and of values begin with.
const MAGIC: [u8; 8] = *b"ludexsol";
const DESCRIPTION: &str = "solution.ron";
const SEARCH: &str = "search.unfinished";
/// What an unfinished search is a search of.
const BEGUN: &str = "begun.ron";
/// The bytes before the numbers of a file.
const HEADER: u64 = 8 + 4 * 8;

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
}

fn failed(doing: &str, path: &Path, error: &std::io::Error) -> Trouble {
    Trouble::Disk(format!("cannot {doing} `{}`: {error}", path.display()))
}

fn damaged(path: &Path) -> Trouble {
    Trouble::Disk(format!("`{}` is damaged; remove it, and it is made again", path.display()))
}

/// A digest of numbers.
fn checksum(numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.fold(0xcbf2_9ce4_8422_2325, |hash, n| {
        (hash ^ n).wrapping_mul(0x100_0000_01b3).rotate_left(23)
    })
}

impl Store {
    /// A folder, which is made where it does not exist.
    ///
    /// # Errors
    /// [`Trouble::Disk`].
    pub fn create(folder: &Path) -> Result<Store, Trouble> {
        std::fs::create_dir_all(folder).map_err(|e| failed("make the folder", folder, &e))?;
        Ok(Store { folder: folder.to_path_buf() })
    }

    fn path(&self, id: TierId, what: &str) -> PathBuf {
        self.folder.join(format!("tier-{id:06}.{what}"))
    }

    fn write(&self, path: &Path, parts: &[&[u8]]) -> Result<(), Trouble> {
        let fault = |e: &std::io::Error| failed("write", path, e);
        let mut file = tempfile::NamedTempFile::new_in(&self.folder).map_err(|e| fault(&e))?;
        for part in parts {
            file.write_all(part).map_err(|e| fault(&e))?;
        }
        file.as_file().sync_all().map_err(|e| fault(&e))?;
        file.persist(path).map(|_| ()).map_err(|e| fault(&e.error))
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
            None => self.write(&path, &[written(subject)?.as_bytes()]),
        }
    }

    fn description(&self) -> Result<Option<Description>, Trouble> {
        described(&self.folder.join(DESCRIPTION))
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
            () if (there.format, &there.version) != (wanted.format, &wanted.version) => {
                format!("version {} of the program", there.version)
            }
            () if there.start != wanted.start => "another position".to_string(),
            () => "the same position, solved with other flags".to_string(),
        };
        let folder = self.folder.display();
        Trouble::Disk(format!("`{folder}` holds the solution of {what}; choose another folder"))
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
            let sum = checksum(sums.iter().chain(numbers).copied());
            let head = header([kind, sums.len() as u64, numbers.len() as u64, sum]);
            let parts: Vec<Vec<u8>> = vec![head, bytes(sums), bytes(numbers)];
            let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
            self.write(&self.path(id as TierId, "positions"), &parts)?;
            lines.push(TierLine {
                key: tier.key.to_vec(),
                positions: tier.ranks.len() as u64,
                leads_to: tier.leads_to.clone(),
            });
        }
        let description = Description { subject: subject.clone(), tiers: lines };
        let text = written(&description)?;
        self.write(&self.folder.join(DESCRIPTION), &[text.as_bytes()])?;
        // the search is not needed any more
        let _ = std::fs::remove_file(self.folder.join(SEARCH));
        Ok(())
    }

    /// Keeps an unfinished search forward.
    ///
    /// # Errors
    /// [`Trouble::Disk`].
    pub fn keep_search(&self, numbers: &[u64]) -> Result<(), Trouble> {
        let sum = checksum(numbers.iter().copied());
        let head = header([3, 0, numbers.len() as u64, sum]);
        self.write(&self.folder.join(SEARCH), &[&head, &bytes(numbers)])
    }

    /// The search forward that was kept.
    ///
    /// # Errors
    /// [`Trouble::Disk`].
    pub fn search(&self) -> Result<Option<Vec<u64>>, Trouble> {
        let path = self.folder.join(SEARCH);
        if !path.exists() {
            return Ok(None);
        }
        let ([kind, _, len, sum], numbers) = read(&path)?;
        let right = kind == 3 && numbers.len() as u64 == len;
        match right && checksum(numbers.iter().copied()) == sum {
            true => Ok(Some(numbers)),
            false => Err(damaged(&path)),
        }
    }

    fn ranks(&self, id: TierId) -> Result<Ranks, Trouble> {
        let path = self.path(id, "positions");
        let (head, numbers) = read(&path)?;
        let [kind, sums, len, sum] = head;
        if numbers.len() as u64 != sums + len || checksum(numbers.iter().copied()) != sum {
            return Err(damaged(&path));
        }
        let (sums, numbers) = numbers.split_at(sums as usize);
        match kind {
            0 => Ok(Ranks::Sorted(numbers.to_vec())),
            1 => Ok(Ranks::Bits(numbers.to_vec(), sums.to_vec())),
            _ => Err(damaged(&path)),
        }
    }

    /// Keeps the values of a tier.
    ///
    /// # Errors
    /// [`Trouble::Disk`].
    pub fn keep_values(&self, id: TierId, values: &[Value]) -> Result<(), Trouble> {
        let packed: Vec<u64> = values
            .chunks(4)
            .map(|four| {
                four.iter().rev().fold(0, |word, value| word << 16 | u64::from(value.code()))
            })
            .collect();
        let sum = checksum(packed.iter().copied());
        let head = header([2, values.len() as u64, packed.len() as u64, sum]);
        self.write(&self.path(id, "values"), &[&head, &bytes(&packed)])
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
        let ([kind, count, len, sum], packed) = read(&path)?;
        let right = kind == 2 && packed.len() as u64 == len && count <= len * 4;
        if !right || checksum(packed.iter().copied()) != sum {
            return Err(damaged(&path));
        }
        let codes = packed.iter().flat_map(|word| (0..4).map(move |i| (word >> (16 * i)) as u16));
        Ok(Some(codes.take(count as usize).map(Value::of_code).collect()))
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

fn header(numbers: [u64; 4]) -> Vec<u8> {
    let mut head = MAGIC.to_vec();
    head.extend(bytes(&numbers));
    head
}

fn bytes(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |n, byte| n << 8 | u64::from(*byte))
}

/// The numbers of a file's header, and those after it.
fn read(path: &Path) -> Result<([u64; 4], Vec<u64>), Trouble> {
    let all = std::fs::read(path).map_err(|e| failed("read", path, &e))?;
    let Some((head, rest)) = all.split_at_checked(HEADER as usize) else {
        return Err(damaged(path));
    };
    if head[..8] != MAGIC || rest.len() % 8 != 0 {
        return Err(damaged(path));
    }
    let mut numbers = [0; 4];
    for (n, eight) in numbers.iter_mut().zip(head[8..].chunks(8)) {
        *n = number(eight);
    }
    Ok((numbers, rest.chunks(8).map(number).collect()))
}

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

/// The numbers of a file, read one by one.
struct Numbers {
    path: PathBuf,
    file: File,
    head: [u64; 4],
}

impl Numbers {
    fn open(path: PathBuf) -> Result<Numbers, Trouble> {
        let mut file = File::open(&path).map_err(|e| failed("read", &path, &e))?;
        let mut head = [0; HEADER as usize];
        file.read_exact(&mut head).map_err(|_| damaged(&path))?;
        if head[..8] != MAGIC {
            return Err(damaged(&path));
        }
        let mut numbers = [0; 4];
        for (n, eight) in numbers.iter_mut().zip(head[8..].chunks(8)) {
            *n = number(eight);
        }
        Ok(Numbers { path, file, head: numbers })
    }

    fn get(&mut self, index: u64) -> Result<u64, Trouble> {
        let mut eight = [0; 8];
        let at = self.file.seek(SeekFrom::Start(HEADER + index * 8));
        at.and_then(|_| self.file.read_exact(&mut eight)).map_err(|_| damaged(&self.path))?;
        Ok(u64::from_le_bytes(eight))
    }

    /// The number of a rank among those of a tier.
    fn find(&mut self, rank: u64) -> Result<Option<u64>, Trouble> {
        let [kind, sums, len, _] = self.head;
        if kind == 1 {
            let word = rank / 64;
            if word >= len {
                return Ok(None);
            }
            let (own, bit) = (self.get(sums + word)?, 1u64 << (rank % 64));
            if own & bit == 0 {
                return Ok(None);
            }
            let block = word / super::set::BLOCK as u64;
            let mut before = self.get(block)? + u64::from((own & (bit - 1)).count_ones());
            for earlier in block * super::set::BLOCK as u64..word {
                before += u64::from(self.get(sums + earlier)?.count_ones());
            }
            return Ok(Some(before));
        }
        let (mut from, mut to) = (0, len);
        while from < to {
            let middle = from + (to - from) / 2;
            match self.get(middle)?.cmp(&rank) {
                std::cmp::Ordering::Less => from = middle + 1,
                std::cmp::Ordering::Equal => return Ok(Some(middle)),
                std::cmp::Ordering::Greater => to = middle,
            }
        }
        Ok(None)
    }
}
