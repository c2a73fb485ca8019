//! Writes saved games without losing any: a temporary file is written completely and then renamed,
//! and a file with different contents is never replaced. Temporary files of a process that was killed
//! are removed by the next save in the same folder.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use crate::source::Sources;

use super::form::{Trial, digest, load, plain};

/// The names of temporary files.
const PREFIX: &str = ".ludex-";
const SUFFIX: &str = ".tmp";

/// The result of saving a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    /// The file that now holds the game.
    pub path: PathBuf,
}

/// Why a game was not saved. The files on disk are unchanged in each case.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SaveError {
    /// The file or its folder could not be written.
    #[error("cannot write `{path}`: {reason}")]
    Unwritable {
        /// The path as given.
        path: String,
        /// The I/O error in words.
        reason: String,
    },
    /// The name is taken by something that is not an earlier state of the same game.
    #[error("`{path}` exists and holds something else: it is not overwritten")]
    Occupied {
        /// The path as given.
        path: String,
    },
}

impl Trial {
    /// A digest of rule files, for [`Trial::rules`].
    pub fn rules_of(sources: &Sources) -> String {
        let texts: Vec<&str> = sources.iter().map(|(_, file)| &*file.text).collect();
        digest(&texts)
    }

    /// Whether `other` is an earlier state of the same game, or the same state.
    fn continues(&self, other: &Trial) -> bool {
        self.game == other.game
            && self.path == other.path
            && self.options == other.options
            && self.seed == other.seed
            && self.given == other.given
            && self.moves.starts_with(&other.moves)
            && (other.resigned.is_none() || other.resigned == self.resigned)
    }
}

/// Saves a game under a name. An existing file is replaced only if it holds an earlier state of the
/// same game.
///
/// # Errors
/// See [`SaveError`].
pub fn save(trial: &Trial, path: &Path) -> Result<Saved, SaveError> {
    loop {
        if path.symlink_metadata().is_err() {
            match create(trial, path)? {
                true => return Ok(Saved { path: path.to_path_buf() }),
                // another process has just created the file
                false => continue,
            }
        }
        let there = match path.is_file() {
            true => File::open(path).map_err(|e| unwritable(path, &e))?,
            false => return Err(SaveError::Occupied { path: shown(path) }),
        };
        // The lock is held while the file is read and replaced, so that no other process replaces
        // it in between.
        there.lock().map_err(|e| unwritable(path, &e))?;
        if !is_at(&there, path) {
            continue;
        }
        return match load(path) {
            Ok(earlier) if trial.continues(&earlier) => {
                let written = written(trial, path)?;
                written.persist(path).map_err(|e| unwritable(path, &e.error))?;
                Ok(Saved { path: path.to_path_buf() })
            }
            _ => Err(SaveError::Occupied { path: shown(path) }),
        };
    }
}

/// Writes a text to a file, and the folders above it; what the file held before is replaced as a whole.
///
/// # Errors
/// [`SaveError::Unwritable`].
pub fn replace(path: &Path, text: &str) -> Result<(), SaveError> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(|e| unwritable(path, &e))?;
    let file = temporary(path, text)?;
    file.persist(path).map(|_| ()).map_err(|e| unwritable(path, &e.error))
}

/// Saves a game in a folder under the first free name of `GAME-1.ron`, `GAME-2.ron`, …
///
/// # Errors
/// [`SaveError::Unwritable`].
pub fn save_new(trial: &Trial, folder: &Path) -> Result<Saved, SaveError> {
    let mut number = 1u64;
    loop {
        let path = folder.join(format!("{}-{number}.ron", trial.game));
        if path.symlink_metadata().is_err() && create(trial, &path)? {
            return Ok(Saved { path });
        }
        number += 1;
    }
}

/// Writes a new file; false where the name exists.
fn create(trial: &Trial, path: &Path) -> Result<bool, SaveError> {
    match written(trial, path)?.persist_noclobber(path) {
        Ok(_) => Ok(true),
        Err(e) if e.error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(e) => Err(unwritable(path, &e.error)),
    }
}

/// Writes the game to a temporary file in the folder of `path` and flushes it to the disk. The lock
/// on the file keeps [`tidy`] from removing it.
fn written(trial: &Trial, path: &Path) -> Result<NamedTempFile, SaveError> {
    let text = trial.text().map_err(|e| unwritable(path, &std::io::Error::other(e)))?;
    temporary(path, &text)
}

fn temporary(path: &Path, text: &str) -> Result<NamedTempFile, SaveError> {
    let io = |e: std::io::Error| unwritable(path, &e);
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    tidy(folder);
    let mut file = loop {
        let made = Builder::new().prefix(PREFIX).suffix(SUFFIX).tempfile_in(folder);
        let file = made.map_err(io)?;
        file.as_file().lock().map_err(io)?;
        // `tidy` in another process may have removed it before it was locked
        if is_at(file.as_file(), file.path()) {
            break file;
        }
    };
    file.write_all(text.as_bytes()).map_err(io)?;
    open_to_others(file.as_file());
    file.as_file().sync_all().map_err(io)?;
    Ok(file)
}

/// Removes the temporary files in a folder that no process has locked.
pub fn tidy(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        if !(name.starts_with(PREFIX) && name.ends_with(SUFFIX)) {
            continue;
        }
        let left = File::open(entry.path()).ok().filter(|file| file.try_lock().is_ok());
        if left.is_some() {
            // another process may have removed it already
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Whether `path` still names this open file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), path.metadata()) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

/// Gives a saved game the usual permissions; temporary files are created private.
#[cfg(unix)]
fn open_to_others(file: &File) {
    use std::os::unix::fs::PermissionsExt;
    // if this fails the file stays private, which loses nothing
    let _ = file.set_permissions(std::fs::Permissions::from_mode(0o644));
}

#[cfg(not(unix))]
fn open_to_others(_: &File) {}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn unwritable(path: &Path, error: &std::io::Error) -> SaveError {
    SaveError::Unwritable { path: shown(path), reason: plain(error) }
}
