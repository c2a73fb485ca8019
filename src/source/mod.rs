//! Rule files as text: every file read gets a `FileId`, every place in it is a `Span`.
//!
//! A `Sources` also answers where the text of an included file comes from: the files shipped
//! with the program (`Library`), or the disk.

mod library;
mod pages;

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
    pub file: FileId,
    pub start: u32,
    pub end: u32,
}

impl Span {
    /// The span of text that has no place in a file, e.g. a goal typed at a prompt's built-in.
    pub const NONE: Span = Span { file: FileId(u32::MAX), start: 0, end: 0 };

    pub fn new(file: FileId, start: usize, end: usize) -> Span {
        Span { file, start: start as u32, end: end as u32 }
    }

    /// The smallest span that covers both; `other` is ignored when it lies in another file.
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
    /// What a person is shown: a path, or `games/NAME` for a shipped file.
    pub name: String,
    /// Where it lies on disk; `None` for shipped files and text from memory.
    pub path: Option<PathBuf>,
    pub text: Arc<str>,
    /// The `include` or `variant_of` that asks for it.
    pub asked: Option<Span>,
}

/// All files that one game was read from, in the order in which they were met.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
}

impl Sources {
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

    /// Takes note of the directive that asks for a file.
    pub fn set_asked(&mut self, id: FileId, asked: Option<Span>) {
        if let Some(file) = self.files.get_mut(id.0 as usize) {
            file.asked = asked;
        }
    }

    /// The directive of the first file that leads to another one; `None` for the first itself.
    pub fn asked_from_first(&self, id: FileId) -> Option<Span> {
        let mut asked = self.get(id)?.asked?;
        while asked.file != FileId(0) {
            asked = self.get(asked.file)?.asked?;
        }
        Some(asked)
    }

    pub fn get(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id.0 as usize)
    }

    pub fn iter(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(i, f)| (FileId(i as u32), f))
    }

    /// The text of a span; empty for [`Span::NONE`].
    pub fn text(&self, span: Span) -> &str {
        self.get(span.file)
            .and_then(|f| f.text.get(span.start as usize..span.end as usize))
            .unwrap_or("")
    }

    /// `(line, column)` of a span's start, both from 1, the column in characters.
    pub fn line_column(&self, span: Span) -> (usize, usize) {
        let Some(file) = self.get(span.file) else { return (0, 0) };
        let before = file.text.get(..span.start as usize).unwrap_or("");
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        (line, column)
    }

    /// `name:line` of a span's start, as reports show it.
    pub fn place(&self, span: Span) -> String {
        match self.get(span.file) {
            Some(file) => format!("{}:{}", file.name, self.line_column(span).0),
            None => "built in".to_string(),
        }
    }
}
