//! Rule files as text: every file read has a [`FileId`], and every place in it is a [`Span`].
//!
//! [`Library`] holds the rule files that are shipped with the program, [`Page`] the pages on
//! diagnostics, and [`ShippedExercise`] the exercises.

mod exercises;
mod library;
mod pages;

pub use exercises::ShippedExercise;
pub use library::{Library, ShippedFile};
pub use pages::Page;

use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Index of a file in [`Sources`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// A half-open range of bytes in one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

impl Span {
    /// The span of a term or relation that has no place in a file, e.g. a built-in relation.
    pub const NONE: Span = Span { file: FileId(u32::MAX), start: 0, end: 0 };

    /// The bytes `start..end` of a file.
    pub fn new(file: FileId, start: usize, end: usize) -> Span {
        Span { file, start: start as u32, end: end as u32 }
    }

    /// The smallest span that covers both; `other` is ignored where it is in another file.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// One file's text.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// The name in diagnostics: a path, or `games/FAMILY/NAME.ludex` for a shipped file.
    pub name: String,
    /// Its path on disk; `None` for shipped files and text from memory.
    pub path: Option<PathBuf>,
    /// The whole text.
    pub text: Arc<str>,
    /// The `include` or `variant_of` directive that names it; `None` for the game's own file.
    pub asked: Option<Span>,
}

/// All files that one game was read from, in the order in which they were read.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
}

impl Sources {
    /// No files.
    pub fn new() -> Sources {
        Sources::default()
    }

    /// Adds a text and returns its id.
    pub fn add(&mut self, name: &str, path: Option<&Path>, text: &str) -> FileId {
        let id = FileId(self.files.len() as u32);
        self.files.push(SourceFile {
            name: name.to_string(),
            path: path.map(Path::to_path_buf),
            text: Arc::from(text),
            asked: None,
        });
        id
    }

    /// Shows another text of the same length in place of a file's, e.g. one in which nothing is blanked
    /// out. Spans keep their meaning.
    pub fn show(&mut self, id: FileId, text: &str) {
        if let Some(file) = self.files.get_mut(id.0 as usize)
            && file.text.len() == text.len()
        {
            file.text = Arc::from(text);
        }
    }

    /// Records the directive that names a file.
    pub fn set_asked(&mut self, id: FileId, asked: Option<Span>) {
        if let Some(file) = self.files.get_mut(id.0 as usize) {
            file.asked = asked;
        }
    }

    /// The directive of the first file that leads, perhaps by way of others, to a file; `None` for the first
    /// file itself.
    pub fn asked_from_first(&self, id: FileId) -> Option<Span> {
        let mut asked = self.get(id)?.asked?;
        while asked.file != FileId(0) {
            asked = self.get(asked.file)?.asked?;
        }
        Some(asked)
    }

    /// The file with this id.
    pub fn get(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id.0 as usize)
    }

    /// All files with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(i, f)| (FileId(i as u32), f))
    }

    /// The text of a span; empty for [`Span::NONE`].
    pub fn text(&self, span: Span) -> &str {
        self.get(span.file)
            .and_then(|f| f.text.get(span.start as usize..span.end as usize))
            .unwrap_or("")
    }

    /// The line and column of a span's start, both counted from 1, the column in characters; `(0, 0)` for
    /// [`Span::NONE`].
    pub fn line_column(&self, span: Span) -> (usize, usize) {
        let Some(file) = self.get(span.file) else { return (0, 0) };
        let before = file.text.get(..span.start as usize).unwrap_or("");
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        (line, column)
    }

    /// `name:line` of a span's start, or `built in` for [`Span::NONE`].
    pub fn place(&self, span: Span) -> String {
        match self.get(span.file) {
            Some(file) => format!("{}:{}", file.name, self.line_column(span).0),
            None => "built in".to_string(),
        }
    }
}
