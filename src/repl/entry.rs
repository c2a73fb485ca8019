//! Entries: a command, a question, or a move; and whether an entry is complete.

use crate::referee::questions::unmarked;

use super::commands::Command;

/// An entry at the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    Nothing,
    /// `:word rest`, the rest trimmed.
    Command(String, String),
    /// The text of a question, without `?-`, at the columns where it was typed.
    Question(String),
    /// A move, or a command without its colon.
    Move(String),
    /// `?` alone.
    Mark,
}

/// Classifies an entry: commands begin with `:`, questions begin with `?-` or end with a full stop,
/// and `? TOPIC` means `:help TOPIC`. What is a move or the name of a command depends on the game.
pub fn read(text: &str) -> Entry {
    let text = text.trim();
    if text.is_empty() {
        return Entry::Nothing;
    }
    if text == "?" {
        return Entry::Mark;
    }
    if let Some(command) = text.strip_prefix(':') {
        let end = command.find(char::is_whitespace).unwrap_or(command.len());
        let (word, rest) = command.split_at(end);
        return Entry::Command(word.to_string(), rest.trim().to_string());
    }
    if text.starts_with("?-") {
        return Entry::Question(unmarked(text).into_owned());
    }
    if let Some(topic) = text.strip_prefix('?') {
        return Entry::Command("help".to_string(), topic.trim().to_string());
    }
    match Shape::of(text).stopped && Command::bare(text).is_none_or(|(_, rest)| rest.is_empty()) {
        true => Entry::Question(text.to_string()),
        false => Entry::Move(text.to_string()),
    }
}

/// The first word of a text and what stands behind it, where that can be the argument of a command and is
/// no operator; `help` tells of operators too.
pub fn word_and_rest(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let rest = rest.trim();
    let operator = |c: char| "=<>:-\\;,*+".contains(c);
    let is_operator =
        rest.starts_with(operator) || rest.starts_with("is ") || rest.starts_with("mod ");
    (!is_operator || word == "help").then_some((word, rest))
}

/// Whether the entry is complete, so that no more lines belong to it. A question continues to its
/// full stop, and an open bracket or quote continues any entry. An empty line ends every entry.
pub fn is_whole(text: &str) -> bool {
    if text.trim().is_empty() || text.lines().last().is_some_and(|line| line.trim().is_empty()) {
        return true;
    }
    // the empty line that was just begun
    if text.ends_with("\n\n") {
        return true;
    }
    let trimmed = text.trim_start();
    if let Some(command) = trimmed.strip_prefix(':') {
        let clause = ["assert ", "retract "].iter().find_map(|word| command.strip_prefix(word));
        return clause.is_none_or(|clause| !Shape::of(clause).goes_on);
    }
    // the same without a colon; what is to be added or removed may go on
    if let Some((command, _)) = Command::bare(trimmed)
        && !["assert", "retract"].contains(&command.word)
        && !trimmed.contains('\n')
    {
        return true;
    }
    let shape = Shape::of(text);
    match trimmed.starts_with("?-") {
        true => shape.stopped,
        false => !shape.goes_on,
    }
}

/// Whether a line of a pipe begins a new entry, whatever came before.
pub fn begins(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("?-")
        || line.strip_prefix(':').is_some_and(|l| l.starts_with(char::is_alphabetic))
}

/// The state of a text at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shape {
    /// A full stop ends it.
    stopped: bool,
    /// A bracket, a quote or a comment is open, or it ends with a comma or an arrow.
    goes_on: bool,
}

impl Shape {
    fn of(text: &str) -> Shape {
        let mut depth = 0i64;
        let mut quote: Option<char> = None;
        let mut comment: Option<&str> = None;
        // the last characters that are neither blanks nor comments
        let mut last = [' '; 3];
        let mut characters = text.chars().peekable();
        while let Some(c) = characters.next() {
            if let Some(end) = comment {
                let over = match end {
                    "\n" => c == '\n',
                    _ => c == '*' && characters.next_if_eq(&'/').is_some(),
                };
                if over {
                    comment = None;
                }
                continue;
            }
            if let Some(open) = quote {
                match c {
                    '\\' => drop(characters.next()),
                    _ if c == open => quote = None,
                    _ => {}
                }
                last = [last[1], last[2], '"'];
                continue;
            }
            match c {
                '%' => comment = Some("\n"),
                '/' if characters.peek() == Some(&'*') => comment = Some("*/"),
                // a quote inside a word belongs to a notation
                '"' | '\'' if !last[2].is_alphanumeric() => quote = Some(c),
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                _ => {}
            }
            if !c.is_whitespace() && comment.is_none() {
                last = [last[1], last[2], c];
            }
        }
        let open = depth > 0 || quote.is_some() || comment == Some("*/");
        // `..` is an operator
        let stopped = !open && last[2] == '.' && last[1] != '.';
        let arrow = matches!([last[1], last[2]], [':' | '-', '-' | '>']);
        let goes_on = !stopped && (open || last[2] == ',' || arrow);
        Shape { stopped, goes_on }
    }
}

#[cfg(test)]
mod tests {
    use super::{Entry, begins, is_whole, read};

    #[test]
    fn entries_are_told_apart() {
        assert_eq!(read("  "), Entry::Nothing);
        assert_eq!(read(":play  a1 "), Entry::Command("play".into(), "a1".into()));
        assert_eq!(read("?- at(X, Y)."), Entry::Question("   at(X, Y).".into()));
        assert_eq!(read("at(X, \".\")"), Entry::Move("at(X, \".\")".into()));
        assert_eq!(read("true. % yes"), Entry::Question("true. % yes".into()));
        assert_eq!(read("a1-b2"), Entry::Move("a1-b2".into()));
    }

    #[test]
    fn entries_go_on_until_they_are_whole() {
        for whole in ["", ":moves", "a1", "mark(a1)", "?- true.", "X in 1..3.", "e4'", "?- a,\n\n"]
        {
            assert!(is_whole(whole), "{whole}");
        }
        for part in
            ["?- true", "?- X in 1..", "mark(", "cell(X),", "at(X, \"a", ":assert win(P) :-"]
        {
            assert!(!is_whole(part), "{part}");
        }
    }

    #[test]
    fn a_new_entry_ends_the_one_before() {
        assert!(begins(":moves") && begins("?- true."));
        assert!(!begins(":- true") && !begins("mark(a1)"));
    }
}
