//! What each learner has tried and solved, kept in one file of JSON.
//!
//! The file is replaced as a whole, so it is never half written.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::record::replace;

/// The number of this form of the file.
const FORM: u64 = 1;

/// What a learner has done with one exercise.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record {
    /// His rules were right at least once.
    pub solved: bool,
    /// How often they were judged, up to the first time that they were right.
    pub attempts: u64,
    /// How many hints he has asked for.
    pub hints: u64,
    /// What was wrong the last time: `open`, `unloaded`, or the kind of a difference; empty where
    /// nothing was.
    pub last: String,
}

/// The records of all learners.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    learners: BTreeMap<String, BTreeMap<String, Record>>,
}

/// Why the file of the progress cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgressError(String);

impl std::fmt::Display for ProgressError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ProgressError {}

impl Progress {
    /// Reads the file; where there is none, nothing has been done yet.
    ///
    /// # Errors
    /// A file that cannot be read or holds something else.
    pub fn read(path: &Path) -> Result<Progress, ProgressError> {
        let shown = path.display();
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Progress::default()),
            Err(e) => return Err(ProgressError(format!("cannot read `{shown}`: {e}"))),
        };
        let other = || {
            ProgressError(format!(
                "`{shown}` holds no progress of exercises, and is left as it is: name another file \
                 by `--progress FILE`, or move it away"
            ))
        };
        let value: Value = serde_json::from_str(&text).map_err(|_| other())?;
        if value.get("ludex_learn") != Some(&json!(FORM)) {
            return Err(other());
        }
        let mut progress = Progress::default();
        for (learner, exercises) in value["learners"].as_object().ok_or_else(other)? {
            let records = progress.learners.entry(learner.clone()).or_default();
            for (name, record) in exercises.as_object().ok_or_else(other)? {
                records.insert(name.clone(), Record::of(record).ok_or_else(other)?);
            }
        }
        Ok(progress)
    }

    /// Writes the file, and the folders above it.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), ProgressError> {
        let mut learners = Map::new();
        for (learner, records) in &self.learners {
            let all: Map<String, Value> =
                records.iter().map(|(name, record)| (name.clone(), record.to_json())).collect();
            learners.insert(learner.clone(), Value::Object(all));
        }
        let text = format!("{:#}\n", json!({ "ludex_learn": FORM, "learners": learners }));
        replace(path, &text).map_err(|e| ProgressError(e.to_string()))
    }

    /// The names of those of whom something is known.
    pub fn learners(&self) -> impl Iterator<Item = &str> {
        self.learners.keys().map(String::as_str)
    }

    /// What a learner has done with an exercise.
    pub fn of(&self, learner: &str, exercise: &str) -> Record {
        let record = self.learners.get(learner).and_then(|records| records.get(exercise));
        record.cloned().unwrap_or_default()
    }

    /// The same, to be changed.
    pub fn change(&mut self, learner: &str, exercise: &str) -> &mut Record {
        let records = self.learners.entry(learner.to_string()).or_default();
        records.entry(exercise.to_string()).or_default()
    }

    /// Adds the records of another file. Where both know an exercise of one learner, the one with more
    /// attempts is kept.
    pub fn join(&mut self, other: Progress) {
        for (learner, records) in other.learners {
            for (name, record) in records {
                let mine = self.change(&learner, &name);
                if (record.solved, record.attempts) >= (mine.solved, mine.attempts) {
                    *mine = record;
                }
            }
        }
    }
}

impl Record {
    /// The record as data.
    pub fn to_json(&self) -> Value {
        json!({
            "solved": self.solved, "attempts": self.attempts, "hints": self.hints,
            "last": self.last,
        })
    }

    fn of(value: &Value) -> Option<Record> {
        Some(Record {
            solved: value["solved"].as_bool()?,
            attempts: value["attempts"].as_u64()?,
            hints: value["hints"].as_u64()?,
            last: value["last"].as_str()?.to_string(),
        })
    }
}
