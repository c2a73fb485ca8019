//! Writing saved games so that nothing is lost: a new file is written whole and then takes the
//! name, and a file that holds something else is never replaced.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::source::Sources;

use super::form::{Trial, digest, load, plain};

/// A game that was saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    pub path: PathBuf,
}

/// Why a game was not saved. Nothing has been changed then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SaveError {
    #[error("cannot write `{path}`: {reason}")]
    Unwritable { path: String, reason: String },
    #[error("`{path}` exists and holds something else: it is not overwritten")]
    Occupied { path: String },
}

impl Trial {
    /// A digest of rule files, for [`Trial::rules`].
    pub fn rules_of(sources: &Sources) -> String {
        let texts: Vec<&str> = sources.iter().map(|(_, file)| &*file.text).collect();
        digest(&texts)
    }

    /// Is `other` the same game at an earlier moment?
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

/// Saves a game under a name. A file of that name is replaced only if it holds the same game at an
/// earlier moment.
///
/// # Errors
/// Why it was not saved.
pub fn save(trial: &Trial, path: &Path) -> Result<Saved, SaveError> {
    let shown = path.display().to_string();
    if path.symlink_metadata().is_ok() {
        match load(path) {
            Ok(there) if trial.continues(&there) => {}
            _ => return Err(SaveError::Occupied { path: shown }),
        }
    }
    let unwritable = |reason: String| SaveError::Unwritable { path: shown.clone(), reason };
    let io = |e: std::io::Error| unwritable(plain(&e));
    let text = trial.text().map_err(unwritable)?;
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new()
        .prefix(".ludex-")
        .suffix(".tmp")
        .tempfile_in(folder)
        .map_err(io)?;
    file.write_all(text.as_bytes()).map_err(io)?;
    file.as_file().sync_all().map_err(io)?;
    open_to_others(file.as_file());
    file.persist(path).map_err(|e| unwritable(plain(&e.error)))?;
    Ok(Saved { path: path.to_path_buf() })
}

/// Temporary files are private; a saved game is an ordinary file.
#[cfg(unix)]
fn open_to_others(file: &std::fs::File) {
    use std::os::unix::fs::PermissionsExt;
    // should it fail, the file is merely private
    let _ = file.set_permissions(std::fs::Permissions::from_mode(0o644));
}

#[cfg(not(unix))]
fn open_to_others(_: &std::fs::File) {}

/// A name that is not taken: `GAME-1.ron`, `GAME-2.ron`, …
pub fn free_name(folder: &Path, game: &str) -> PathBuf {
    let mut number = 1u64;
    loop {
        let path = folder.join(format!("{game}-{number}.ron"));
        if path.symlink_metadata().is_err() {
            return path;
        }
        number += 1;
    }
}
