//! Support for typing: completes commands, relations, sites and moves, hints at missing arguments,
//! colours the text and highlights matching brackets.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::program::{Constant, DomainSpec, FluentShape, Program};
use crate::referee::naming::Named;
use crate::ui::input::Assistant;

use super::commands::{COMMANDS, Command};
use super::sitting::Sitting;
use super::{entry, help};

/// The names and moves that can be typed in one position.
#[derive(Default)]
pub struct Helper {
    moves: Vec<String>,
    /// Names of relations and constants.
    names: BTreeSet<String>,
    /// The arguments of relations: `at(` and `cell, player)`.
    shapes: Vec<(String, String)>,
    options: Vec<String>,
}

impl Helper {
    /// The names known without a game.
    pub fn lobby() -> Helper {
        Helper::default()
    }

    pub fn new(sitting: &Sitting<'_>, named: &[Named]) -> Helper {
        let program = &sitting.opened.game.program;
        let mut moves = Vec::new();
        for n in named {
            moves.push(n.notation.clone());
            if n.text != n.notation {
                moves.push(n.text.clone());
            }
        }
        let relations = program.relations.iter().filter(|r| !r.name.contains(' '));
        let call = |r: &crate::program::Relation| match r.arity {
            0 => r.name.clone(),
            _ => format!("{}(", r.name),
        };
        let mut names: BTreeSet<String> = relations.map(call).collect();
        names.extend(["legal(", "count(", "forall(", "member(", "stuck"].map(String::from));
        let is_relation = |name: &str| program.relations.iter().any(|r| r.name == name);
        names.extend(program.values.iter().filter_map(|(_, constant)| match constant {
            Constant::Atom(name) if plain(name) && !is_relation(name) => Some(name.to_string()),
            _ => None,
        }));
        let options =
            program.options.values().filter(|o| !o.fixed).map(|o| format!("{}=", o.name)).collect();
        Helper { moves, names, shapes: shapes(program), options }
    }

    /// The possible arguments of a command.
    fn arguments(&self, word: &str) -> Vec<String> {
        match word {
            "help" => help::topics(),
            "option" => self.options.clone(),
            "open" => crate::source::Library::games().iter().map(|g| g.name.to_string()).collect(),
            "play" | "trace" | "why" | "whynot" => self.moves.clone(),
            _ => Vec::new(),
        }
    }
}

/// Whether an atom can be typed without quotes.
fn plain(name: &str) -> bool {
    name.chars().next().is_some_and(|c| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// The arguments of the fluents, named by their domains.
fn shapes(program: &Program) -> Vec<(String, String)> {
    let domain = |spec: &DomainSpec| match spec {
        DomainSpec::Values(values) => {
            let some = program.values.show_all(&values[..values.len().min(4)]);
            format!("{{{some}{}}}", if values.len() > 4 { ", …" } else { "" })
        }
        DomainSpec::Range(lo, hi) => format!("{lo}..{hi}"),
        DomainSpec::Relation(id) => program.relation(*id).name.clone(),
    };
    let mut shapes = Vec::new();
    for fluent in &program.fluents {
        let mut all: Vec<String> = fluent.keys.iter().map(domain).collect();
        if let FluentShape::Map { value, .. } = &fluent.shape {
            all.push(domain(value));
        }
        shapes.push((format!("{}(", fluent.name), format!("{})", all.join(", "))));
    }
    shapes
}

impl Assistant for Helper {
    fn complete(&self, line: &str, at: usize) -> (usize, Vec<String>) {
        let typed = line.get(..at).unwrap_or(line);
        if let Some(command) = typed.strip_prefix(':') {
            let Some((word, rest)) = command.split_once(' ') else {
                let words = COMMANDS.iter().filter(|c| c.word.starts_with(command));
                return (1, words.map(|c| c.word.to_string()).collect());
            };
            let start = typed.len() - rest.len();
            let mut found = self.arguments(word);
            found.retain(|argument| argument.starts_with(rest));
            if !found.is_empty() {
                return (start, found);
            }
        } else if !typed.is_empty() {
            let words = COMMANDS.iter().map(|c| c.word.to_string());
            let all = self.moves.iter().cloned().chain(words);
            let begun: Vec<String> = all.filter(|m| m.starts_with(typed)).collect();
            if !begun.is_empty() {
                return (0, begun);
            }
            if let Some((command, rest)) = Command::bare(typed) {
                let start = typed.len() - rest.len();
                let mut found = self.arguments(command.word);
                found.retain(|argument| argument.starts_with(rest));
                if !found.is_empty() {
                    return (start, found);
                }
            }
        }
        let word = typed
            .rfind(|c: char| !c.is_alphanumeric() && c != '_')
            .map_or(0, |i| i + typed[i..].chars().next().map_or(1, char::len_utf8));
        let begun = &typed[word..];
        if begun.is_empty() {
            return (word, Vec::new());
        }
        (word, self.names.iter().filter(|name| name.starts_with(begun)).cloned().collect())
    }

    fn hint(&self, line: &str, at: usize) -> Option<String> {
        if at < line.len() || line.is_empty() {
            return None;
        }
        if let Some(command) = line.strip_prefix(':') {
            let (word, rest) = command.split_once(' ').unwrap_or((command, ""));
            let known = COMMANDS.iter().find(|c| c.word == word)?;
            let gap = if line.ends_with(' ') { "" } else { " " };
            return (rest.is_empty() && !known.takes.is_empty())
                .then(|| format!("{gap}{}", known.takes));
        }
        let (_, shape) = self.shapes.iter().find(|(name, _)| {
            let before = line.strip_suffix(name.as_str());
            before.is_some_and(|b| !b.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
        })?;
        Some(shape.clone())
    }

    fn highlight<'l>(&self, line: &'l str, at: usize) -> Cow<'l, str> {
        Cow::Owned(colored(line, at))
    }

    fn shortcut(&self) -> Option<&'static str> {
        Some("?")
    }

    fn is_whole(&self, text: &str) -> bool {
        entry::is_whole(text)
    }
}

/// The line with variables, texts, numbers and comments in colours, and the matching brackets at
/// the cursor highlighted.
fn colored(line: &str, at: usize) -> String {
    let pair = brackets(line, at);
    let mut out = String::with_capacity(line.len() * 2);
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let start = line.len() - rest.len();
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let (length, color) = match first {
            '%' => (rest.find('\n').unwrap_or(rest.len()), "2"),
            '"' => (rest[1..].find('"').map_or(rest.len(), |end| end + 2), "32"),
            ':' if start == 0 => (rest.find(char::is_whitespace).unwrap_or(rest.len()), "1"),
            c if c.is_uppercase() || c == '_' => {
                (rest.find(|c| !word(c)).unwrap_or(rest.len()), "36")
            }
            c if c.is_ascii_digit() => (rest.find(|c| !word(c)).unwrap_or(rest.len()), "33"),
            c if word(c) => (rest.find(|c| !word(c)).unwrap_or(rest.len()), ""),
            c => (c.len_utf8(), if pair.is_some_and(|p| p.contains(&start)) { "1;35" } else { "" }),
        };
        let text = &rest[..length];
        if color.is_empty() {
            out.push_str(text);
        } else {
            out.push_str(&format!("\u{1b}[{color}m{text}\u{1b}[0m"));
        }
        rest = &rest[length..];
    }
    out
}

/// The bracket under or before the cursor, and its counterpart.
fn brackets(line: &str, at: usize) -> Option<[usize; 2]> {
    const OPEN: &str = "([{";
    const CLOSE: &str = ")]}";
    let bytes = line.as_bytes();
    let here = |i: usize| bytes.get(i).map(|b| char::from(*b));
    let mine = |i: &usize| here(*i).is_some_and(|c| OPEN.contains(c) || CLOSE.contains(c));
    let start = [Some(at), at.checked_sub(1)].into_iter().flatten().find(mine)?;
    let forth = OPEN.contains(here(start)?);
    let mut depth = 0i32;
    let mut i = start;
    loop {
        let c = here(i)?;
        if OPEN.contains(c) {
            depth += 1;
        } else if CLOSE.contains(c) {
            depth -= 1;
        }
        if depth == 0 {
            return Some([start, i]);
        }
        i = if forth { i + 1 } else { i.checked_sub(1)? };
    }
}

#[cfg(test)]
mod tests {
    use super::brackets;

    #[test]
    fn brackets_find_each_other() {
        assert_eq!(brackets("f(a, [b])", 1), Some([1, 8]));
        assert_eq!(brackets("f(a, [b])", 9), Some([8, 1]));
        assert_eq!(brackets("f(a", 2), None);
        assert_eq!(brackets("abc", 1), None);
    }
}
