//! The exercises that are built into the binary.

use include_dir::{Dir, include_dir};

static EXERCISES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/exercises");

/// The text of an exercise that ships with the program.
#[derive(Debug, Clone, Copy)]
pub struct ShippedExercise {
    /// The file's name, e.g. `01_fact.ludex`.
    pub file: &'static str,
    /// The whole text.
    pub text: &'static str,
}

impl ShippedExercise {
    /// Every shipped exercise, ordered by file name, which is the order in which they are done.
    pub fn all() -> Vec<ShippedExercise> {
        let exercise = |file: &'static include_dir::File<'static>| {
            let name = file.path().to_str()?;
            let text = file.contents_utf8()?;
            name.ends_with(".ludex").then_some(ShippedExercise { file: name, text })
        };
        let mut all: Vec<ShippedExercise> = EXERCISES.files().filter_map(exercise).collect();
        all.sort_by_key(|e| e.file);
        all
    }
}
