//! Reads an exercise: a rule file whose lines `%% WORD` begin its sections.
//!
//! A section that is rules keeps its place in the file, as everything else is blanked out. So faults of
//! the reference are told with their lines in the exercise, and the parts of a file keep their order,
//! on which the ends of a game depend.

use std::path::{Path, PathBuf};

use crate::diagnostic::{Diagnostic, nearest};
use crate::program::{LoadRequest, Origin};
use crate::source::{FileId, ShippedExercise, Sources, Span};

use super::entries::{self, Compare};

/// What stands for something that the learner has to fill in.
pub(super) const GAP: &str = "____";

/// The code of every fault in the form of an exercise.
pub(super) fn malformed(message: impl Into<String>) -> Diagnostic {
    Diagnostic::error("exercise-form", message)
}

/// One exercise.
#[derive(Debug, Clone)]
pub struct Exercise {
    /// The file's name without its number and extension: `fact` of `01_fact.ludex`.
    pub name: String,
    /// What it is called.
    pub title: String,
    /// What it teaches, in a few words.
    pub topic: String,
    /// What is to be done.
    pub task: String,
    /// The hints, in the order in which they are given.
    pub hints: Vec<String>,
    /// What is compared.
    pub compare: Compare,
    /// The file as it was read.
    pub sources: Sources,
    /// The file on disk; `None` where the exercise is built in.
    path: Option<PathBuf>,
    /// What the learner begins with, section by section: whether it is his own, and the text.
    begun: Vec<(bool, String)>,
    /// The given rules and the reference, each line where it stands in the file.
    reference: String,
}

/// An exercise file that cannot be read.
#[derive(Debug)]
pub struct Unreadable {
    /// The file, to which the spans of the diagnostics refer.
    pub sources: Sources,
    /// The faults.
    pub diagnostics: Vec<Diagnostic>,
}

/// The kinds of sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Exercise,
    Topic,
    Task,
    Given,
    Start,
    Reference,
    Hint,
    Compare,
}

const KINDS: [(&str, Kind); 8] = [
    ("exercise", Kind::Exercise),
    ("topic", Kind::Topic),
    ("task", Kind::Task),
    ("given", Kind::Given),
    ("start", Kind::Start),
    ("reference", Kind::Reference),
    ("hint", Kind::Hint),
    ("compare", Kind::Compare),
];

/// A section: its kind, what stands behind the word, and its lines as bytes of the file.
struct Section {
    kind: Kind,
    mark: Span,
    rest: String,
    lines: std::ops::Range<usize>,
}

impl Exercise {
    /// The exercises that are built in, in the order in which they are done.
    ///
    /// # Errors
    /// The first exercise that cannot be read, which is a fault of the program.
    pub fn shipped() -> Result<Vec<Exercise>, Unreadable> {
        let read =
            |e: ShippedExercise| Exercise::read(&format!("exercises/{}", e.file), None, e.text);
        ShippedExercise::all().into_iter().map(read).collect()
    }

    /// The exercises of a folder: its files that end in `.ludex`, in the order of their names.
    ///
    /// # Errors
    /// The first file that cannot be read, or a folder without exercises.
    pub fn folder(folder: &Path) -> Result<Vec<Exercise>, Unreadable> {
        let unreadable = |what: String| {
            Unreadable {
            sources: Sources::new(),
            diagnostics: vec![malformed(what).hint(
                "name a folder with exercises: files that end in `.ludex`, as docs/teaching.md says",
            )],
        }
        };
        let shown = folder.display();
        let entries = std::fs::read_dir(folder)
            .map_err(|e| unreadable(format!("the folder `{shown}` cannot be read: {e}")))?;
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|e| e == "ludex") && path.is_file());
        paths.sort();
        if paths.is_empty() {
            return Err(unreadable(format!("the folder `{shown}` has no exercises")));
        }
        let read = |path: &PathBuf| {
            let name = path.display().to_string();
            let text = std::fs::read_to_string(path)
                .map_err(|e| unreadable(format!("the file `{name}` cannot be read: {e}")))?;
            Exercise::read(&name, Some(path), &text)
        };
        let found: Vec<Exercise> = paths.iter().map(read).collect::<Result<_, _>>()?;
        for (i, exercise) in found.iter().enumerate() {
            if found[..i].iter().any(|other| other.name == exercise.name) {
                let what = format!("two exercises of `{shown}` have the name `{}`", exercise.name);
                return Err(unreadable(what));
            }
        }
        Ok(found)
    }

    /// Reads an exercise from its text. `file` is the name that diagnostics show.
    ///
    /// # Errors
    /// The faults of its form. Whether the reference is right is only seen when it is loaded.
    pub fn read(file: &str, path: Option<&Path>, text: &str) -> Result<Exercise, Unreadable> {
        let mut sources = Sources::new();
        sources.add(file, path, text);
        let mut faults = Vec::new();
        let sections = sections(text, &mut faults);
        // a section with a wrong name may be the one that seems to be missing
        let named = faults.is_empty();
        let one = |kind: Kind| sections.iter().find(|s| s.kind == kind);
        for (word, kind) in KINDS {
            let many = sections.iter().filter(|s| s.kind == kind);
            let once = matches!(kind, Kind::Exercise | Kind::Topic | Kind::Task | Kind::Compare);
            if let Some(second) = many.clone().nth(1).filter(|_| once) {
                let fault = malformed(format!("the section `%% {word}` stands here twice"));
                faults.push(fault.at(second.mark, "the second one").hint("make one of both"));
            }
            let needed = matches!(kind, Kind::Exercise | Kind::Task | Kind::Reference);
            if many.count() == 0 && needed && named {
                let end = Span::new(FileId(0), text.len(), text.len());
                let fault = malformed(format!("the section `%% {word}` is missing"));
                faults.push(fault.at(end, "the file ends here").hint(advice(kind)));
            }
        }
        let words = |kind: Kind| one(kind).map_or(String::new(), |s| s.rest.clone());
        if let Some(section) = one(Kind::Exercise).filter(|s| s.rest.is_empty()) {
            let fault =
                malformed("the exercise has no title").at(section.mark, "nothing behind it");
            faults.push(fault.hint(advice(Kind::Exercise)));
        }
        let task = one(Kind::Task).map_or(String::new(), |s| prose(text, s));
        if let Some(section) = one(Kind::Task).filter(|_| task.is_empty()) {
            let fault = malformed("the task is empty").at(section.mark, "nothing below it");
            faults.push(fault.hint(advice(Kind::Task)));
        }
        let asked = only(text, &sections, &[Kind::Compare]);
        let compare = entries::read(file, &asked, &mut faults);
        if !faults.is_empty() {
            return Err(Unreadable { sources, diagnostics: faults });
        }
        let hints = sections.iter().filter(|s| s.kind == Kind::Hint).map(|s| prose(text, s));
        let begun = sections.iter().filter(|s| matches!(s.kind, Kind::Given | Kind::Start));
        let begun = begun.map(|s| {
            let text = text[s.lines.clone()].trim_matches('\n').to_string();
            (s.kind == Kind::Start, text)
        });
        let begun: Vec<(bool, String)> = begun.collect();
        Ok(Exercise {
            name: name(file),
            title: words(Kind::Exercise),
            topic: words(Kind::Topic),
            task,
            hints: hints.filter(|hint| !hint.is_empty()).collect(),
            compare,
            path: path.map(Path::to_path_buf),
            begun,
            reference: only(text, &sections, &[Kind::Given, Kind::Reference]),
            sources,
        })
    }

    /// What the learner begins with: the given rules and what is to be changed or filled in.
    pub fn start(&self) -> String {
        let all: Vec<&str> = self.begun.iter().map(|(_, text)| text.as_str()).collect();
        all.join("\n\n")
    }

    /// The given rules with an answer in the place of what is to be changed or filled in; behind them
    /// where the exercise has no such place.
    pub fn answered(&self, answer: &str) -> String {
        let first = self.begun.iter().position(|(own, _)| *own).unwrap_or(self.begun.len());
        let given = |(own, text): &(bool, String)| (!own).then(|| text.clone());
        let mut all: Vec<String> = self.begun[..first].iter().filter_map(given).collect();
        all.push(answer.to_string());
        all.extend(self.begun[first..].iter().filter_map(given));
        all.join("\n\n")
    }

    /// The reference without the given rules' blank places, for those who may see it.
    pub fn solution(&self) -> String {
        let text: Vec<&str> = self.reference.lines().map(str::trim_end).collect();
        let mut out = String::new();
        for line in text.iter().skip_while(|line| line.is_empty()) {
            if !(line.is_empty() && out.ends_with("\n\n")) {
                out.push_str(line);
                out.push('\n');
            }
        }
        out.trim_end().to_string()
    }

    /// The learner's file: the task as its first comment, and what he begins with.
    pub fn file(&self, number: usize) -> String {
        let mut out = format!("% Exercise {number}: {}\n%\n", self.title);
        for line in self.task.lines() {
            out.push_str(format!("% {line}").trim_end());
            out.push('\n');
        }
        format!("{out}\n{}\n", self.start())
    }

    /// The sources of the reference, which show the file as it was read.
    pub(super) fn shown(&self, mut sources: Sources) -> Sources {
        if let Some(file) = self.sources.get(FileId(0)) {
            sources.show(FileId(0), &file.text);
        }
        sources
    }

    /// The request that loads the reference.
    pub fn reference(&self) -> LoadRequest {
        let request = match &self.path {
            Some(path) => LoadRequest::new(Origin::Path(path.clone())),
            None => {
                let file = self.sources.get(FileId(0)).map_or("", |file| file.name.as_str());
                return LoadRequest::text(file, &self.reference);
            }
        };
        LoadRequest { text: Some(self.reference.clone()), ..request }
    }

    /// The first gap that is still open in the learner's text, outside of comments.
    pub(super) fn gap(text: &str) -> Option<Span> {
        let mut from = 0;
        for line in text.split_inclusive('\n') {
            let code = line.split('%').next().unwrap_or_default();
            if let Some(at) = code.find(GAP) {
                return Some(Span::new(FileId(0), from + at, from + at + GAP.len()));
            }
            from += line.len();
        }
        None
    }
}

/// What to write for a section.
fn advice(kind: Kind) -> &'static str {
    match kind {
        Kind::Exercise => "write `%% exercise TITLE` as the first line",
        Kind::Task => "write `%% task`, and below it what is to be done, as comments",
        _ => "write `%% reference`, and below it the clauses that solve the exercise",
    }
}

/// `fact` of `exercises/01_fact.ludex`.
fn name(file: &str) -> String {
    let stem = Path::new(file).file_stem().map_or(String::new(), |s| s.to_string_lossy().into());
    let rest = stem.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches('_');
    if rest.is_empty() { stem.clone() } else { rest.to_string() }
}

fn sections(text: &str, faults: &mut Vec<Diagnostic>) -> Vec<Section> {
    let mut found: Vec<Section> = Vec::new();
    let mut from = 0;
    let mut early = false;
    for line in text.split_inclusive('\n') {
        let span = Span::new(FileId(0), from, from + line.trim_end().len());
        from += line.len();
        let Some(mark) = line.strip_prefix("%%") else {
            match found.last_mut() {
                Some(section) => section.lines.end = from,
                // comments before the first section are the teacher's own
                None if line.trim().is_empty() || line.starts_with('%') || early => {}
                None => {
                    early = true;
                    let fault = malformed("rules stand before the first section");
                    let fault = fault.at(span, "it belongs to no section");
                    faults.push(fault.hint("write `%% given` above what the learner is given"));
                }
            }
            continue;
        };
        let mark = mark.trim();
        let (word, rest) = mark.split_once(char::is_whitespace).unwrap_or((mark, ""));
        match KINDS.iter().find(|(known, _)| *known == word) {
            Some((_, kind)) => {
                let rest = rest.trim().to_string();
                found.push(Section { kind: *kind, mark: span, rest, lines: from..from });
            }
            None => {
                let fault = malformed(format!("no section is called `{word}`"));
                let words: Vec<&str> = KINDS.iter().map(|(word, _)| *word).collect();
                let near = nearest(word, words.iter().copied());
                let hint = match near {
                    Some(near) => format!("did you mean `%% {near}`?"),
                    None => format!("the sections are {}", words.join(", ")),
                };
                faults.push(fault.at(span, "asked for here").hint(hint));
            }
        }
    }
    found
}

/// The lines of a section as text: comments without their signs.
fn prose(text: &str, section: &Section) -> String {
    let lines = text[section.lines.clone()].lines().map(|line| {
        let line = line.trim_end().trim_start_matches('%');
        line.strip_prefix(' ').unwrap_or(line)
    });
    let lines: Vec<&str> = lines.collect();
    let mut all = lines.join("\n").trim_matches('\n').to_string();
    if !section.rest.is_empty() {
        all = format!("{}\n{all}", section.rest).trim_end().to_string();
    }
    all
}

/// The text with everything outside of these sections blanked out.
fn only(text: &str, sections: &[Section], kinds: &[Kind]) -> String {
    let mut out: Vec<u8> =
        text.bytes().map(|byte| if byte == b'\n' { b'\n' } else { b' ' }).collect();
    for section in sections.iter().filter(|s| kinds.contains(&s.kind)) {
        out[section.lines.clone()].copy_from_slice(&text.as_bytes()[section.lines.clone()]);
    }
    String::from_utf8(out).unwrap_or_default()
}
