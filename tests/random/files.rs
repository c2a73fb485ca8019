//! The files of one random game: a text in which lines of the form `%! file NAME` begin another
//! file, which is written beside the first so that it can be included.

use std::path::{Path, PathBuf};

use ludex::program::LoadRequest;

use crate::generate::FILE_MARK;

/// The main file's text, and the others with their names.
pub fn split(text: &str) -> (String, Vec<(String, String)>) {
    let mut main = String::new();
    let mut others: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix(FILE_MARK), others.last_mut()) {
            (Some(name), _) => others.push((name.trim().to_string(), String::new())),
            (None, Some((_, file))) => *file += &format!("{line}\n"),
            (None, None) => main += &format!("{line}\n"),
        }
    }
    (main, others)
}

/// The files as one text.
pub fn join(main: &str, others: &[(String, String)]) -> String {
    let mut text = main.to_string();
    for (name, file) in others {
        text.push_str(&format!("{FILE_MARK}{name}\n{file}"));
    }
    text
}

/// Writes the files into a folder; the path of the first.
pub fn write(text: &str, folder: &Path) -> std::io::Result<PathBuf> {
    let (main, others) = split(text);
    std::fs::create_dir_all(folder)?;
    for (name, file) in others {
        std::fs::write(folder.join(format!("{name}.ludex")), file)?;
    }
    let path = folder.join("game.ludex");
    std::fs::write(&path, main)?;
    Ok(path)
}

/// How the game is loaded: from memory where it is one file.
pub fn request(text: &str, folder: &Path) -> std::io::Result<LoadRequest> {
    match split(text).1.is_empty() {
        true => Ok(LoadRequest::text("random", text)),
        false => Ok(LoadRequest::path(write(text, folder)?)),
    }
}
