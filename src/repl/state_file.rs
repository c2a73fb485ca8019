//! Where the prompt keeps what outlives it: the folder for state of the XDG base directories.

use std::path::PathBuf;

/// The file of the entries of earlier runs; `None` where there is no home.
pub fn history() -> Option<PathBuf> {
    let absolute =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let state = absolute("XDG_STATE_HOME")
        .or_else(|| Some(absolute("HOME")?.join(".local").join("state")))?;
    Some(state.join("ludex").join("history"))
}
