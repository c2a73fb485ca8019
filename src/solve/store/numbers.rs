//! Files of numbers: a header of four numbers, the last of which is a sum of the others, of those that follow, and of the mark of
//! the file. They are written and read by blocks, so that nothing is in memory twice.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::super::crew::Trouble;
use super::super::set::BLOCK;
use super::{damaged, failed};

/// What files of positions and of values begin with.
const MAGIC: [u8; 8] = *b"ludexsol";
/// The bytes before the numbers of a file.
const HEADER: u64 = 8 + 4 * 8;
/// The bytes that are read or written at once.
const AT_ONCE: usize = 1 << 18;

/// A sum of numbers that depends on their order.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sum(pub u64);

impl Default for Sum {
    fn default() -> Sum {
        Sum(0xcbf2_9ce4_8422_2325)
    }
}

impl Sum {
    /// The sum of a mark and of the numbers of a header before it.
    fn begun(mark: u64, head: &[u64]) -> Sum {
        let mut sum = Sum::default();
        sum.add(mark);
        head.iter().for_each(|n| sum.add(*n));
        sum
    }

    pub fn add(&mut self, n: u64) {
        self.0 = (self.0 ^ n).wrapping_mul(0x100_0000_01b3).rotate_left(23);
    }
}

/// Writes a file: three numbers of its header, and the numbers that `fill` tells. The mark tells it from other files.
pub(super) fn put(
    file: &mut File,
    mark: u64,
    head: [u64; 3],
    fill: impl FnOnce(&mut dyn FnMut(u64) -> std::io::Result<()>) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut out = BufWriter::with_capacity(AT_ONCE, file);
    out.write_all(&[0; HEADER as usize])?;
    let mut sum = Sum::begun(mark, &head);
    fill(&mut |n| {
        sum.add(n);
        out.write_all(&n.to_le_bytes())
    })?;
    // the sum is known at the end only
    out.seek(SeekFrom::Start(0))?;
    out.write_all(&MAGIC)?;
    head.into_iter().chain([sum.0]).try_for_each(|n| out.write_all(&n.to_le_bytes()))?;
    out.flush()
}

/// The header of a file.
fn head_of(file: &mut impl Read, path: &Path) -> Result<[u64; 4], Trouble> {
    let mut head = [0; HEADER as usize];
    file.read_exact(&mut head).map_err(|_| damaged(path))?;
    if head[..8] != MAGIC {
        return Err(damaged(path));
    }
    let mut numbers = [0; 4];
    for (n, eight) in numbers.iter_mut().zip(head[8..].chunks(8)) {
        *n = eight.iter().rev().fold(0, |n, byte| n << 8 | u64::from(*byte));
    }
    Ok(numbers)
}

/// The numbers of a file in their order.
#[derive(Debug)]
pub struct Source {
    path: PathBuf,
    file: BufReader<File>,
    /// The numbers of the header.
    pub head: [u64; 4],
    /// How many numbers follow the header.
    pub len: u64,
    /// How many have been read, and their sum.
    taken: u64,
    sum: Sum,
}

impl Source {
    /// Opens the file with this mark.
    ///
    /// # Errors
    /// A file that is missing or damaged.
    pub fn open(path: &Path, mark: u64) -> Result<Source, Trouble> {
        let file = File::open(path).map_err(|e| failed("read", path, &e))?;
        let bytes = file.metadata().map_err(|e| failed("read", path, &e))?.len();
        let mut file = BufReader::with_capacity(AT_ONCE, file);
        let head = head_of(&mut file, path)?;
        let len = (bytes - HEADER) / 8;
        if bytes != HEADER + len * 8 {
            return Err(damaged(path));
        }
        let sum = Sum::begun(mark, &head[..3]);
        Ok(Source { path: path.to_path_buf(), file, head, len, taken: 0, sum })
    }

    /// Reads a file to its end.
    ///
    /// # Errors
    /// A file that is missing or damaged.
    pub fn check(path: &Path, mark: u64) -> Result<(), Trouble> {
        let mut source = Source::open(path, mark)?;
        while source.next()?.is_some() {}
        match source.is_right() {
            true => Ok(()),
            false => Err(damaged(path)),
        }
    }

    /// The next number; `None` behind the last one.
    ///
    /// # Errors
    /// [`Trouble::Disk`].
    pub fn next(&mut self) -> Result<Option<u64>, Trouble> {
        if self.taken == self.len {
            return Ok(None);
        }
        let mut eight = [0; 8];
        self.file.read_exact(&mut eight).map_err(|e| failed("read", &self.path, &e))?;
        let n = u64::from_le_bytes(eight);
        self.taken += 1;
        self.sum.add(n);
        Ok(Some(n))
    }

    /// This many numbers, or those that are left.
    ///
    /// # Errors
    /// [`Trouble::Disk`].
    pub fn list(&mut self, count: u64) -> Result<Vec<u64>, Trouble> {
        let count = count.min(self.len - self.taken);
        let mut list = Vec::with_capacity(count as usize);
        for _ in 0..count {
            list.extend(self.next()?);
        }
        Ok(list)
    }

    /// Whether all numbers have been read, and their sum is that of the header.
    pub fn is_right(&self) -> bool {
        self.taken == self.len && self.sum.0 == self.head[3]
    }
}

/// The numbers of a file, read one by one wherever they stand.
pub(super) struct Numbers {
    path: PathBuf,
    file: File,
    head: [u64; 4],
}

impl Numbers {
    pub fn open(path: PathBuf) -> Result<Numbers, Trouble> {
        let mut file = File::open(&path).map_err(|e| failed("read", &path, &e))?;
        let head = head_of(&mut file, &path)?;
        Ok(Numbers { path, file, head })
    }

    /// The number with this index.
    pub fn get(&mut self, index: u64) -> Result<u64, Trouble> {
        let mut eight = [0; 8];
        let at = self.file.seek(SeekFrom::Start(HEADER + index * 8));
        at.and_then(|_| self.file.read_exact(&mut eight)).map_err(|_| damaged(&self.path))?;
        Ok(u64::from_le_bytes(eight))
    }

    /// The number of a rank among those of a tier.
    pub fn find(&mut self, rank: u64) -> Result<Option<u64>, Trouble> {
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
            let block = word / BLOCK as u64;
            let mut before = self.get(block)? + u64::from((own & (bit - 1)).count_ones());
            for earlier in block * BLOCK as u64..word {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_damage_is_noticed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("numbers");
        // more than is read at once
        let all: Vec<u64> =
            (0..AT_ONCE as u64).map(|n| n.wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect();
        let mut file = File::create(&path).expect("made");
        put(&mut file, 7, [3, 1, 2], |tell| all.iter().try_for_each(|n| tell(*n)))
            .expect("written");
        drop(file);
        let mut source = Source::open(&path, 7).expect("there");
        assert_eq!(source.head[..3], [3, 1, 2]);
        assert_eq!(source.list(10).expect("read"), all[..10]);
        assert!(!source.is_right());
        assert_eq!(source.list(u64::MAX).expect("read"), all[10..]);
        assert!(source.is_right());
        assert_eq!(source.next(), Ok(None));
        assert_eq!(Source::check(&path, 7), Ok(()));
        assert!(Source::check(&path, 8).is_err(), "the mark of another file");
        let mut numbers = Numbers::open(path.clone()).expect("there");
        assert_eq!(numbers.get(70_000), Ok(all[70_000]));
        // another number, and one that is missing
        let mut bytes = std::fs::read(&path).expect("read");
        bytes[HEADER as usize + 8 * 40_000] ^= 1;
        std::fs::write(&path, &bytes).expect("written");
        let mut source = Source::open(&path, 7).expect("there");
        source.list(u64::MAX).expect("read");
        assert!(!source.is_right());
        std::fs::write(&path, &bytes[..bytes.len() - 8]).expect("written");
        let mut source = Source::open(&path, 7).expect("there");
        source.list(u64::MAX).expect("read");
        assert!(!source.is_right());
        std::fs::write(&path, &bytes[..bytes.len() - 3]).expect("written");
        assert!(Source::open(&path, 7).is_err());
    }
}
