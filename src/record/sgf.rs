//! Games as SGF (smart game format, version 4): a tree of nodes with properties.
//!
//! Only the main line of each game is read: of the variations at a node, the first. What a property means is
//! not known here.

use std::fmt::Write;

use super::RecordError;

/// The number of nodes in a line before it is broken.
const ACROSS: usize = 10;
/// The deepest nesting of variations.
const DEEPEST: usize = 10_000;

/// A node: its properties in order, each with its values.
pub type Node = Vec<(String, Vec<String>)>;

/// Whether a text can be the name of a property: capitals.
pub fn is_property(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase())
}

/// A game as a text: its first node in a line of its own.
pub fn sgf_text(nodes: &[Node]) -> String {
    let mut text = String::from("(");
    for (i, node) in nodes.iter().enumerate() {
        if i == 1 || i > 1 && (i - 1) % ACROSS == 0 {
            text.push('\n');
        }
        text.push(';');
        for (name, values) in node {
            text.push_str(name);
            for value in values {
                let value = value.replace('\\', "\\\\").replace(']', "\\]");
                let _ = write!(text, "[{value}]");
            }
        }
    }
    text.push_str(")\n");
    text
}

/// Reads the games of an SGF text, each as its main line.
///
/// # Errors
/// The first place that is not SGF.
pub fn read_sgf(text: &str) -> Result<Vec<Vec<Node>>, RecordError> {
    let mut reader = Reader { rest: text.trim_start_matches('\u{feff}'), line: 1 };
    let mut games = Vec::new();
    loop {
        reader.blanks();
        match reader.rest.chars().next() {
            None => return Ok(games),
            Some('(') => games.push(reader.game()?),
            Some(_) => return Err(reader.fault("a game begins with `(`")),
        }
    }
}

struct Reader<'t> {
    rest: &'t str,
    line: usize,
}

impl<'t> Reader<'t> {
    fn fault(&self, reason: impl Into<String>) -> RecordError {
        RecordError { line: self.line, reason: reason.into() }
    }

    fn take(&mut self, bytes: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }

    fn blanks(&mut self) {
        self.take(self.rest.len() - self.rest.trim_start().len());
    }

    /// Takes a game with its variations and returns the main line.
    fn game(&mut self) -> Result<Vec<Node>, RecordError> {
        let open = self.fault("the game that begins here does not end");
        let mut nodes: Vec<Node> = Vec::new();
        // for each open bracket, whether its nodes belong to the main line
        let mut main: Vec<bool> = Vec::new();
        // a variation was closed, so what opens next is another one
        let mut closed = false;
        loop {
            self.blanks();
            let Some(c) = self.rest.chars().next() else { return Err(open) };
            match c {
                '(' => {
                    self.take(1);
                    main.push(main.last().copied().unwrap_or(true) && !closed);
                    if main.len() > DEEPEST {
                        return Err(self.fault("the variations are nested too deep"));
                    }
                }
                ')' => {
                    self.take(1);
                    closed = main.pop().unwrap_or(false) || closed;
                    if main.is_empty() {
                        return match nodes.is_empty() {
                            true => Err(self.fault("a game has at least one node, `(;)`")),
                            false => Ok(nodes),
                        };
                    }
                }
                ';' => {
                    self.take(1);
                    let node = self.node()?;
                    if main.last().copied().unwrap_or(false) {
                        nodes.push(node);
                    }
                }
                c => return Err(self.fault(format!("expected `;`, `(` or `)`, found `{c}`"))),
            }
        }
    }

    fn node(&mut self) -> Result<Node, RecordError> {
        let mut node = Node::new();
        loop {
            self.blanks();
            let letters = |c: char| !c.is_ascii_alphabetic();
            let end = self.rest.find(letters).unwrap_or(self.rest.len());
            if end == 0 {
                return Ok(node);
            }
            // older versions write names with small letters that do not count
            let name: String = self.take(end).chars().filter(char::is_ascii_uppercase).collect();
            let mut values = Vec::new();
            loop {
                self.blanks();
                if !self.rest.starts_with('[') {
                    break;
                }
                values.push(self.value()?);
            }
            if values.is_empty() {
                return Err(self.fault(format!("the property `{name}` has no value")));
            }
            if node.iter().any(|(known, _)| *known == name) {
                return Err(self.fault(format!("the property `{name}` stands twice in a node")));
            }
            node.push((name, values));
        }
    }

    fn value(&mut self) -> Result<String, RecordError> {
        let open = self.fault("the value that begins here does not end");
        self.take(1);
        let mut value = String::new();
        loop {
            let Some(c) = self.rest.chars().next() else { return Err(open) };
            self.take(c.len_utf8());
            match c {
                ']' => return Ok(value),
                '\\' => {
                    let Some(c) = self.rest.chars().next() else { return Err(open) };
                    self.take(c.len_utf8());
                    if c != '\n' {
                        value.push(c);
                    }
                }
                c => value.push(c),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Node, read_sgf, sgf_text};

    fn node(properties: &[(&str, &str)]) -> Node {
        let own = |(name, value): &(&str, &str)| (name.to_string(), vec![value.to_string()]);
        properties.iter().map(own).collect()
    }

    #[test]
    fn a_game_is_written_and_read_again() {
        let nodes =
            [node(&[("FF", "4"), ("C", "a ] \\ b")]), node(&[("B", "aa")]), node(&[("W", "")])];
        let text = sgf_text(&nodes);
        assert_eq!(text, "(;FF[4]C[a \\] \\\\ b]\n;B[aa];W[])\n");
        assert_eq!(read_sgf(&text), Ok(vec![nodes.to_vec()]));
    }

    #[test]
    fn the_main_line_is_read() {
        let text = "(;GM[1](;B[aa](;W[bb];B[cc])(;W[dd]))(;B[ee]))\n (;GM[1];Black[ff])";
        let games = read_sgf(text).expect("read");
        let values = |game: &Vec<Node>| -> Vec<String> {
            game.iter().flatten().map(|(name, values)| format!("{name}{}", values[0])).collect()
        };
        assert_eq!(values(&games[0]), ["GM1", "Baa", "Wbb", "Bcc"]);
        assert_eq!(values(&games[1]), ["GM1", "Bff"]);
    }

    #[test]
    fn what_is_not_sgf_is_told_with_its_line() {
        let told = |text: &str| read_sgf(text).expect_err("wrong").to_string();
        assert_eq!(told("(;B[aa]\n;W[b"), "line 2: the value that begins here does not end");
        assert_eq!(told("(;B[aa]"), "line 1: the game that begins here does not end");
        assert_eq!(told("()"), "line 1: a game has at least one node, `(;)`");
        assert_eq!(told("(;SZ[5]\nSZ[9])"), "line 2: the property `SZ` stands twice in a node");
        assert_eq!(told("(;B)"), "line 1: the property `B` has no value");
        assert_eq!(told("1. e4"), "line 1: a game begins with `(`");
        assert_eq!(told("(;B[aa] 3)"), "line 1: expected `;`, `(` or `)`, found `3`");
    }
}
