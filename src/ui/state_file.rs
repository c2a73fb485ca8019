//! Files that outlive the prompt, in the state folder of the XDG base directories.

use std::path::PathBuf;

/// The file with the entries of earlier runs; `None` where there is no home folder.
pub fn history() -> Option<PathBuf> {
    Some(folder()?.join("history"))
}

/// The file with what learners have solved; `None` where there is no home folder.
pub fn learned() -> Option<PathBuf> {
    Some(folder()?.join("learn.json"))
}

/// The folder with exact values; `None` where there is no home folder.
pub fn solutions() -> Option<PathBuf> {
    Some(folder()?.join("solutions"))
}

fn folder() -> Option<PathBuf> {
    let absolute =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let state = absolute("XDG_STATE_HOME")
        .or_else(|| Some(absolute("HOME")?.join(".local").join("state")))?;
    Some(state.join("ludex"))
}
