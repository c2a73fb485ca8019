//! A file with the results of games, so that work of many games goes on where it was interrupted.

use std::path::Path;

use serde_json::{Map, Value};

use crate::record;
use crate::referee::Stop;

/// The results in a file, each read by `entry`; none where the file is not there. `kind` is what the games
/// belong to, in one word, and `identity` what decides their results.
///
/// # Errors
/// A file that cannot be read, or that holds something else.
pub fn read<T, R: FromIterator<T> + Default>(
    file: &Path,
    (kind, identity): (&str, &Value),
    entry: impl Fn(&Value) -> Option<T>,
) -> Result<R, Stop> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(R::default()),
        Err(error) => {
            return Err(Stop::Failed(format!("cannot read {}: {error}", file.display())));
        }
    };
    let wrong = |what: &str| {
        let hint = "give another name to --file, or remove it";
        Stop::Usage(format!("{}: {what}; {hint}", file.display()))
    };
    let data: Value = serde_json::from_str(&text)
        .map_err(|_| wrong(&format!("these are no results of a {kind}")))?;
    if data[kind] != *identity {
        return Err(wrong(&format!("the results are those of another {kind}")));
    }
    let entries = data["games"].as_array();
    let read: Option<R> = entries.and_then(|entries| entries.iter().map(entry).collect());
    read.ok_or_else(|| wrong("the results are incomplete"))
}

/// Replaces what the file holds by these results.
///
/// # Errors
/// A file that cannot be written.
pub fn write(
    file: &Path,
    (kind, identity): (&str, &Value),
    games: impl Iterator<Item = Value>,
) -> Result<(), Stop> {
    let mut data = Map::new();
    data.insert(kind.to_string(), identity.clone());
    data.insert("games".to_string(), games.collect());
    record::replace(file, &Value::Object(data).to_string())
        .map_err(|error| Stop::Failed(format!("cannot write {}: {error}", file.display())))
}
