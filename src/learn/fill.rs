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
    /// In place of a gap within the clause that begins on this line (from 1).
    Inside(usize),
    /// At the end of the file.
    End,
}

/// The file's text with the clause, and where that stands now: in place of the clause with a gap that
/// has the same head (or else one of the same name), in place of the first line that is a gap and
/// nothing else, or at the end. What is no clause but goals takes the place of the first gap within a clause. `None` where
/// it fits nowhere.
pub fn fill(text: &str, clause: &str) -> Option<(String, Filled)> {
    let clause = clause.trim();
    let line = |place: &std::ops::Range<usize>| text[..place.start].matches('\n').count() + 1;
    if let Some(begun) = begun(text, clause) {
        return Some((replaced(text, begun.clone(), clause), Filled::Clause(line(&begun))));
    }
    if !is_clause(clause) {
        let within = gap_within(text)?;
        let goals = clause.trim_end_matches('.').trim();
        let filled = replaced(text, within.clone(), goals);
        // the goals may be none either
        let fits = !goals.is_empty() && faults(&filled) <= faults(text);
        return fits.then_some((filled, Filled::Inside(line(&within))));
    }
    let mut start = 0;
    for (at, line) in text.split_inclusive('\n').enumerate() {
        let bare = line.trim_end().len();
        if line.trim() == GAP {
            return Some((replaced(text, start..start + bare, clause), Filled::Gap(at + 1)));
        }
        start += line.len();
    }
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    Some((format!("{text}{end}{clause}\n"), Filled::End))
}

/// Goals that have a meaning in the language, and so are no facts.
const GOALS: [&str; 7] = ["forall", "count", "sum", "max", "min", "findall", "again"];

/// Whether a text is clauses, and none of them a goal with a full stop.
fn is_clause(text: &str) -> bool {
    let clauses = read(text);
    let is_goal = |clause: &Read| GOALS.contains(&clause.name.as_str()) || clause.name.is_empty();
    faults(text) == 0 && !clauses.is_empty() && !clauses.iter().any(is_goal)
}

/// The number of syntax errors of a text.
fn faults(text: &str) -> usize {
    let mut sources = Sources::new();
    let file = sources.add("exercise", None, text);
    let (syntax, faults) = read_file(&sources, file);
    syntax.unread.len().max(faults.len())
}

/// The place of the first gap that does not stand on a line by itself.
fn gap_within(text: &str) -> Option<std::ops::Range<usize>> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let comment = line.find('%').unwrap_or(line.len());
        if line.trim() != GAP
            && let Some(at) = line[..comment].find(GAP)
        {
            return Some(start + at..start + at + GAP.len());
        }
        start += line.len();
    }
    None
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
        let fill = |text: &str, clause: &str| fill(text, clause).expect("a clause");
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

    #[test]
    fn goals_take_the_place_of_a_gap_within_a_clause() {
        let text = "% ____ is a gap\na(b).\n____\nmove(jump(A, C)) :- at(A), ____, empty(C).\n";
        let (filled, at) = fill(text, "step(Dir, A, B), at(B, You).").expect("goals");
        assert_eq!(at, Filled::Inside(4));
        assert!(filled.contains(":- at(A), step(Dir, A, B), at(B, You), empty(C)."), "{filled}");
        let (_, at) = fill(text, "forall(c(B), d(B)).").expect("a goal");
        assert_eq!(at, Filled::Inside(4));
        assert_eq!(fill(text, "."), None);
        assert_eq!(fill("a(b).\n", "c(B), d(B)."), None);
    }
}
