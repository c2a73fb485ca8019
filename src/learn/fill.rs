//! Puts a clause that a learner types into the file of an exercise.

use crate::source::Sources;
use crate::syntax::{Clause, read_file};

use super::exercise::GAP;

/// Where a clause was put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filled {
    /// In place of a gap that stood on this line (from 1) by itself.
    Gap(usize),
    /// In place of a clause with a gap, which began on this line (from 1).
    Clause(usize),
    /// At the end of the file.
    End,
}

/// The file's text with the clause, and where that stands now: in place of the clause with a gap that
/// has the same head (or else one of the same name), in place of the first line that is a gap and
/// nothing else, or at the end.
pub fn fill(text: &str, clause: &str) -> (String, Filled) {
    let clause = clause.trim();
    if let Some(begun) = begun(text, clause) {
        let line = text[..begun.start].matches('\n').count() + 1;
        return (replaced(text, begun, clause), Filled::Clause(line));
    }
    let mut start = 0;
    for (at, line) in text.split_inclusive('\n').enumerate() {
        let bare = line.trim_end().len();
        if line.trim() == GAP {
            return (replaced(text, start..start + bare, clause), Filled::Gap(at + 1));
        }
        start += line.len();
    }
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    (format!("{text}{end}{clause}\n"), Filled::End)
}

fn replaced(text: &str, range: std::ops::Range<usize>, by: &str) -> String {
    format!("{}{by}{}", &text[..range.start], &text[range.end..])
}

/// The place of the clause with a gap that the typed one stands for.
fn begun(text: &str, typed: &str) -> Option<std::ops::Range<usize>> {
    // a gap that stands by itself is no part of the clause behind it
    let alone = |line: &str| match line.trim() == GAP {
        true => line.replace(GAP, &" ".repeat(GAP.len())),
        false => line.to_string(),
    };
    let blanked: String = text.split_inclusive('\n').map(alone).collect();
    let found = read(typed).into_iter().next()?;
    let written =
        read(&blanked).into_iter().filter(|clause| text[clause.place.clone()].contains(GAP));
    let (alike, others): (Vec<Read>, Vec<Read>) =
        written.partition(|clause| clause.head == found.head);
    let named = || others.into_iter().find(|clause| clause.name == found.name);
    alike.into_iter().next().or_else(named).map(|clause| clause.place)
}

/// A clause of an exercise's file.
struct Read {
    /// Its bytes.
    place: std::ops::Range<usize>,
    /// The head, or the directive, without blanks.
    head: String,
    /// What stands before the head's arguments, or the directive's first word.
    name: String,
}

/// The clauses of a text.
fn read(text: &str) -> Vec<Read> {
    let mut sources = Sources::new();
    let file = sources.add("exercise", None, text);
    let of = |clause: &Clause| {
        let place = clause.span.start as usize..clause.span.end as usize;
        let written = &text[place.clone()];
        let (head, name) = match clause.head {
            Some(_) => {
                let head = written.split(":-").next().unwrap_or_default().trim_end_matches('.');
                (head, head.split('(').next().unwrap_or_default().trim().to_string())
            }
            None => {
                let words = written.trim_start_matches(":-").trim_start();
                let end = words.find(|c: char| !c.is_alphabetic()).unwrap_or(words.len());
                (written, format!(":- {}", &words[..end]))
            }
        };
        Read { place, head: head.split_whitespace().collect(), name }
    };
    read_file(&sources, file).0.clauses.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_takes_the_place_of_its_gap() {
        let text =
            "a(b).\n____\n:- option ____.\nmore(B, P) :- ____.\nmore(B, []) :-\n    x, ____.\n";
        let (text, at) = fill(text, "more(B,[]) :- y.");
        assert_eq!(at, Filled::Clause(5));
        let (text, at) = fill(&text, "more(C, Q) :- z.");
        assert_eq!(at, Filled::Clause(4));
        let (text, at) = fill(&text, ":- option n = 3.");
        assert_eq!(at, Filled::Clause(3));
        let (text, at) = fill(&text, "a(c).");
        assert_eq!(at, Filled::Gap(2));
        let (text, at) = fill(&text, "a(d).");
        assert_eq!(at, Filled::End);
        assert_eq!(
            text,
            "a(b).\na(c).\n:- option n = 3.\nmore(C, Q) :- z.\nmore(B,[]) :- y.\na(d).\n"
        );
    }
}
