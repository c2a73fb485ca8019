//! Games as PGN (portable game notation): tags in brackets, moves with their numbers, and the result.
//!
//! Moves are words in the game's own notation. What PGN knows beside them (comments, variations, numbered
//! glyphs) is read over. The numbers of moves are kept: only the rules tell whose move each is, and so whether
//! they are right.

use std::fmt::Write;

use super::{Number, RecordError};

/// The words of a result: the first player of the tags has won, the second, neither, and the game goes on.
pub const RESULTS: [&str; 4] = ["1-0", "0-1", "1/2-1/2", "*"];

/// What some programs write behind a capture en passant.
const EN_PASSANT: &str = "e.p.";

/// One game of a PGN file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pgn {
    /// The tags in order.
    pub tags: Vec<(String, String)>,
    /// The moves, each in one word, with the index of its player: 0 for who moves first in a game.
    pub moves: Vec<(usize, String)>,
    /// The numbers that were read, in order.
    pub numbers: Vec<Number>,
    /// One of [`RESULTS`].
    pub result: String,
}

impl Pgn {
    /// The numbers before the move with this index.
    pub fn numbers_before(&self, index: usize) -> &[Number] {
        let first = self.numbers.partition_point(|number| number.before < index);
        let behind = self.numbers.partition_point(|number| number.before <= index);
        &self.numbers[first..behind]
    }

    /// The value of a tag; `None` where it is absent, empty or unknown (`?`).
    pub fn tag(&self, name: &str) -> Option<&str> {
        let found = self.tags.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str());
        found.filter(|value| !value.is_empty() && !value.starts_with('?'))
    }

    /// Adds a number before the next move. Full stops that stand apart from their number go with it: `1. ...`.
    fn number(&mut self, text: &str, line: usize) {
        let before = self.moves.len();
        match self.numbers.last_mut() {
            Some(last) if last.before == before && text.starts_with('.') => {
                last.text.push_str(text);
            }
            _ => self.numbers.push(Number { before, line, text: text.to_string() }),
        }
    }

    /// Reads the last word as a result in points for a win, a draw and a loss, as PDN often has it: 2-0, 1-1, 0-2.
    pub fn read_points(&mut self) {
        if let Some(result) = self.moves.last().and_then(|(_, word)| in_points(word)) {
            self.result = result.to_string();
            self.moves.pop();
        }
    }

    /// What the tag `Result` says, where that is another result than the one behind the moves.
    pub fn other_result(&self) -> Option<&str> {
        let tag = self.tag("Result")?;
        let said = in_points(tag).unwrap_or(tag);
        (said != self.result && self.result != RESULTS[3] && said != RESULTS[3]).then_some(tag)
    }

    /// The tags as lines, a blank line, and the moves in one line.
    pub fn text(&self) -> (String, String) {
        let mut tags = String::new();
        for (name, value) in &self.tags {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            let _ = writeln!(tags, "[{name} \"{value}\"]");
        }
        let mut words = Vec::new();
        let mut number = 0;
        let mut before = None;
        for (player, mv) in &self.moves {
            if *player == 0 || number == 0 {
                number += 1;
            }
            match (*player, before) {
                (0, _) => words.push(format!("{number}.")),
                (_, Some(0)) => {}
                _ => words.push(format!("{number}...")),
            }
            words.push(mv.clone());
            before = Some(*player);
        }
        words.push(self.result.clone());
        (tags, words.join(" "))
    }
}

/// A result in points as one of [`RESULTS`].
fn in_points(word: &str) -> Option<&'static str> {
    let [won, lost, drawn, _] = RESULTS;
    match word {
        "2-0" => Some(won),
        "0-2" => Some(lost),
        "1-1" | "0-0" => Some(drawn),
        _ => None,
    }
}

/// Whether a move can be a word of PGN: it has neither blanks nor marks of PGN, and is no number or result.
pub fn is_word(mv: &str) -> bool {
    let marks = |c: char| c.is_whitespace() || c.is_control() || "{}()[];$\"%".contains(c);
    let suffixes = ['!', '?'];
    let number = mv.trim_end_matches('.').chars().all(|c| c.is_ascii_digit()) && mv.ends_with('.');
    let after_number = mv.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = after_number.len() < mv.len() && after_number.starts_with('.');
    !(mv.is_empty() || mv.contains(marks) || mv.ends_with(suffixes))
        && !(number || numbered || mv.starts_with('.') || RESULTS.contains(&mv) || mv == EN_PASSANT)
}

/// Reads the games of a PGN text. The players of their moves are told by the rules, and are all 0 here.
///
/// # Errors
/// The first place that is not PGN.
pub fn read_pgn(text: &str) -> Result<Vec<Pgn>, RecordError> {
    let mut reader = Reader { rest: text.trim_start_matches('\u{feff}'), line: 1 };
    let mut games = Vec::new();
    let mut game = Pgn::default();
    loop {
        reader.blanks();
        let Some(c) = reader.rest.chars().next() else { break };
        match c {
            '[' => {
                if !game.moves.is_empty() {
                    games.push(std::mem::take(&mut game));
                }
                let again = reader.fault("this tag stands twice, and the first has another value");
                let (name, value) = reader.tag()?;
                if game.tags.iter().any(|(known, other)| *known == name && *other != value) {
                    return Err(again);
                }
                game.tags.push((name, value));
            }
            '{' => reader.skip_to('}', "comment")?,
            '(' => reader.variation()?,
            ')' | ']' | '}' => return Err(reader.fault(format!("`{c}` closes nothing"))),
            _ => {
                let line = reader.line;
                let word = reader.word();
                if RESULTS.contains(&word) {
                    game.result = word.to_string();
                    games.push(std::mem::take(&mut game));
                    continue;
                }
                let (number, mv) = numbered(word);
                if !number.is_empty() {
                    game.number(number, line);
                }
                if let Some(mv) = played(mv) {
                    game.moves.push((0, mv.to_string()));
                }
            }
        }
    }
    if game != Pgn::default() {
        games.push(game);
    }
    for game in &mut games {
        if game.result.is_empty() {
            game.result = game.tag("Result").unwrap_or("*").to_string();
        }
    }
    Ok(games)
}

/// A word in two parts: the number of a move, with its full stops, and the rest.
fn numbered(word: &str) -> (&str, &str) {
    let after = word.trim_start_matches(|c: char| c.is_ascii_digit());
    match after.starts_with('.') {
        true => word.split_at(word.len() - after.trim_start_matches('.').len()),
        false => ("", word),
    }
}

/// The move of a word without number; `None` for a glyph or the mark of a capture en passant.
fn played(mv: &str) -> Option<&str> {
    (!(mv.is_empty() || mv.starts_with('$') || mv == EN_PASSANT))
        .then(|| mv.trim_end_matches(['!', '?']))
}

struct Reader<'t> {
    rest: &'t str,
    line: usize,
}

impl<'t> Reader<'t> {
    fn fault(&self, reason: impl Into<String>) -> RecordError {
        RecordError { line: self.line, reason: reason.into() }
    }

    /// Advances past this many bytes.
    fn take(&mut self, bytes: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }

    /// Takes blanks, comments to the end of the line, and lines for other programs, which begin with `%`.
    fn blanks(&mut self) {
        loop {
            let blank = self.rest.len() - self.rest.trim_start().len();
            let taken = self.take(blank);
            let escaped = self.rest.starts_with('%') && (taken.ends_with('\n') || self.line == 1);
            if !self.rest.starts_with(';') && !escaped {
                return;
            }
            self.take(self.rest.find('\n').unwrap_or(self.rest.len()));
        }
    }

    fn skip_to(&mut self, end: char, what: &str) -> Result<(), RecordError> {
        match self.rest.find(end) {
            Some(at) => {
                self.take(at + end.len_utf8());
                Ok(())
            }
            None => Err(self.fault(format!("the {what} that begins here does not end"))),
        }
    }

    /// Takes a variation with those in it.
    fn variation(&mut self) -> Result<(), RecordError> {
        let open = self.fault("the variation that begins here does not end");
        let mut depth = 0usize;
        loop {
            self.blanks();
            match self.rest.chars().next() {
                None => return Err(open),
                Some('{') => self.skip_to('}', "comment")?,
                Some(c) => {
                    self.take(c.len_utf8());
                    depth = depth + usize::from(c == '(') - usize::from(c == ')');
                }
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// `[Name "value"]`
    fn tag(&mut self) -> Result<(String, String), RecordError> {
        let wrong = self.fault("a tag is written `[Name \"value\"]`");
        self.take(1);
        self.blanks();
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
        let name = self.take(end.unwrap_or(self.rest.len())).to_string();
        self.blanks();
        if name.is_empty() || !self.rest.starts_with('"') {
            return Err(wrong);
        }
        self.take(1);
        let mut value = String::new();
        loop {
            let Some(c) = self.rest.chars().next() else { return Err(wrong) };
            self.take(c.len_utf8());
            match c {
                '"' => break,
                '\\' => {
                    let Some(c) = self.rest.chars().next() else { return Err(wrong) };
                    self.take(c.len_utf8());
                    value.push(c);
                }
                '\n' => return Err(wrong),
                c => value.push(c),
            }
        }
        self.blanks();
        if !self.rest.starts_with(']') {
            return Err(wrong);
        }
        self.take(1);
        Ok((name, value))
    }

    /// Takes a word of the moves.
    fn word(&mut self) -> &'t str {
        let ends = |c: char| c.is_whitespace() || "{}()[];".contains(c);
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        self.take(end)
    }
}

#[cfg(test)]
mod tests {
    use super::{Pgn, is_word, read_pgn};

    #[test]
    fn other_marks_and_results_are_read() {
        let mut read = read_pgn("1. e5 d5 2. exd6 e.p. cxd6 *\n[Event \"b\"]\n1. 32-28 19-23 2-0")
            .expect("PGN");
        let moves: Vec<&str> = read[0].moves.iter().map(|(_, mv)| mv.as_str()).collect();
        assert_eq!(moves, ["e5", "d5", "exd6", "cxd6"]);
        read[1].read_points();
        assert_eq!((read[1].moves.len(), read[1].result.as_str()), (2, "1-0"));
    }

    #[test]
    fn a_game_is_written_and_read_again() {
        let moves = [(0, "a1"), (1, "b2-b3"), (1, "xc1"), (0, "O-O"), (1, "13/7")];
        let game = Pgn {
            tags: vec![("Event".to_string(), "a \"b\" \\ c".to_string())],
            moves: moves.map(|(p, mv)| (p, mv.to_string())).to_vec(),
            numbers: Vec::new(),
            result: "1-0".to_string(),
        };
        let (tags, line) = game.text();
        assert_eq!(tags, "[Event \"a \\\"b\\\" \\\\ c\"]\n");
        assert_eq!(line, "1. a1 b2-b3 1... xc1 2. O-O 13/7 1-0");
        let read = read_pgn(&format!("{tags}\n{line}\n")).expect("read");
        assert_eq!(read.len(), 1);
        assert_eq!(read[0].tags, game.tags);
        let words: Vec<&str> = read[0].moves.iter().map(|(_, mv)| mv.as_str()).collect();
        assert_eq!(words, moves.map(|(_, mv)| mv));
        assert_eq!(read[0].result, "1-0");
    }

    #[test]
    fn what_is_no_move_is_read_over() {
        let text = "% of another program\n[A \"?\"]\n1.a1! {well; (done} $3 (1. b1 (1... c1) ) ; end\n\
                    1...b2?? 2. c3 *\n[A \"2\"] 1. d4";
        let games = read_pgn(text).expect("read");
        let words = |game: &Pgn| game.moves.iter().map(|(_, mv)| mv.clone()).collect::<Vec<_>>();
        assert_eq!(words(&games[0]), ["a1", "b2", "c3"]);
        assert_eq!((games[0].tag("A"), games[1].tag("A")), (None, Some("2")));
        assert_eq!((words(&games[1]), games[1].result.as_str()), (vec!["d4".to_string()], "*"));
    }

    #[test]
    fn what_is_not_pgn_is_told_with_its_line() {
        let told = |text: &str| read_pgn(text).expect_err("wrong").to_string();
        assert_eq!(told("1. a1\n{b"), "line 2: the comment that begins here does not end");
        assert_eq!(told("(1. a1 (b1)"), "line 1: the variation that begins here does not end");
        assert_eq!(told("\n\n[A b]"), "line 3: a tag is written `[Name \"value\"]`");
        assert_eq!(told("[A \"b"), "line 1: a tag is written `[Name \"value\"]`");
        assert_eq!(
            told("[A \"b\"]\n[A \"c\"]"),
            "line 2: this tag stands twice, and the first has another value"
        );
        assert_eq!(told("a1 )"), "line 1: `)` closes nothing");
        assert_eq!(read_pgn(""), Ok(Vec::new()));
    }

    #[test]
    fn moves_that_are_no_words_are_known() {
        for word in ["a1", "e2-e4", "13/7", "O-O", "a1xb2xc3", "♘b1", "12"] {
            assert!(is_word(word), "{word}");
        }
        for other in ["", "a b", "{a", "e.p.", "1-0", "*", "1.", "1.a1", "a1!", "$1", "...", "a;b"]
        {
            assert!(!is_word(other), "{other}");
        }
    }
}
