//! Positions as text: the board row by row, from the top, and the rest of the state in fields.
//!
//! In one line the rows are separated by `/`, a number counts adjacent empty sites, and each value
//! has its letter (`letter/2`). The board is followed by the fields that `position_field/3`
//! describes. The format generalises that of Forsyth and Edwards (FEN: Portable Game Notation
//! Specification, 1994, section 16.1). In a picture of several lines each row has a line of its
//! own, with `.` for an empty site.

use crate::diagnostic::Diagnostic;
use crate::program::{FluentId, FluentShape, Value};
use crate::source::Span;
use crate::syntax::{Term, TermKind, print_term};

use super::Reference;
use super::facts::{Facts, IN_SET};
use super::fault::{QueryError, RuleError};
use super::run::Run;

/// The texts of an empty site.
const EMPTY: [&str; 3] = [".", "·", "-"];
/// The text of a field without content.
const NOTHING: &str = "-";
/// The most values of a board that get letters.
const LETTERS: usize = 1 << 12;

/// The format of a game's positions: the order of the sites, the letters of the values, and the
/// fields.
struct Form {
    fluent: FluentId,
    /// The sites by row from the top, each row from left to right.
    rows: Vec<Vec<Value>>,
    /// The letters of the values, the longest first.
    letters: Vec<(String, Value)>,
    /// The fields after the board, in order.
    fields: Vec<Vec<Part>>,
}

/// A possible part of a field.
enum Part {
    /// This text, where the fluent has this value at these keys.
    Text(String, FluentId, Vec<Value>, Option<Value>),
    /// The number that is the value of a map without keys.
    Number(FluentId),
    /// How many times each player has had a turn, counted from 1.
    Round,
}

impl Reference {
    /// Parses a position. Parts of the state that the text does not contain are taken from `facts`.
    ///
    /// # Errors
    /// Errors in the text, or a rule error in `letter/2` or `position_field/3`.
    pub(super) fn position_of(
        &self,
        facts: &Facts,
        text: &str,
        span: Span,
    ) -> Result<Facts, QueryError> {
        let wrong = |what: String, hint: &str| {
            let fault = Diagnostic::error("position-form", "the text is no position of this game")
                .at(span, what)
                .hint(hint);
            QueryError::Question(vec![fault])
        };
        let Some(form) = self.form()? else {
            let what = "this game has no map whose keys are the sites of a board".to_string();
            return Err(wrong(what, "write a list of updates: `[turn := black]`"));
        };
        let (board, fields) = match text.trim().contains('\n') {
            true => (text.trim(), ""),
            false => text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), "")),
        };
        let mut facts = facts.clone();
        form.read_board(self, board, &mut facts).map_err(|what| wrong(what, &form.hint(self)))?;
        form.read_fields(self, fields, &mut facts).map_err(|what| {
            wrong(what, "`position_field/3` says what the fields behind the board mean")
        })?;
        Ok(facts)
    }

    /// A position as text: the board, its fields, and updates for the rest of the state. `None`
    /// where the game has no board, or some value on it has no letter.
    ///
    /// # Errors
    /// A rule error in `letter/2` or `position_field/3`.
    pub fn position_text(&self, facts: &Facts) -> Result<Option<String>, RuleError> {
        let Some(form) = self.form()? else { return Ok(None) };
        let Some(mut text) = form.board(self, facts) else { return Ok(None) };
        for field in &form.fields {
            text.push(' ');
            text.push_str(&self.field(field, facts));
        }
        let Ok(told) = self.position_of(&self.empty, &text, Span::NONE) else { return Ok(None) };
        let mut rest = self.updates_from(&told, facts);
        if form.fields.is_empty() {
            rest.extend(self.kept(facts));
        }
        if rest.is_empty() {
            return Ok(Some(text));
        }
        rest.insert(0, Term::new(TermKind::Text(text), Span::NONE));
        let rest: Vec<String> = rest.iter().map(print_term).collect();
        Ok(Some(format!("[{}]", rest.join(", "))))
    }

    fn form(&self) -> Result<Option<Form>, RuleError> {
        let (Some(fluent), Some(xy)) = (self.drawn_fluent(), self.program.special.xy) else {
            return Ok(None);
        };
        let mut sites: Vec<(i64, i64, Value)> = Vec::new();
        for row in self.lookup.tables.get(xy).rows() {
            if let [site, Value::Integer(x), Value::Integer(y)] = *row
                && self.domain(fluent).wrong_key(&[site]).is_none()
                && !sites.iter().any(|(.., known)| *known == site)
            {
                sites.push((-y, x, site));
            }
        }
        sites.sort_by_key(|(down, right, _)| (*down, *right));
        let rows = sites.chunk_by(|a, b| a.0 == b.0);
        let rows = rows.map(|row| row.iter().map(|(.., site)| *site).collect()).collect();
        let mut letters = self.letters(fluent)?;
        letters.retain(|(letter, value)| !letter.is_empty() && self.domain(fluent).allows(*value));
        letters.sort_by_key(|(letter, _)| std::cmp::Reverse(letter.len()));
        Ok(Some(Form { fluent, rows, letters, fields: self.fields()? }))
    }

    /// The letters that `letter/2` gives; where the game has none, glyphs of one letter and the
    /// first letters of names, as far as they distinguish the values.
    fn letters(&self, fluent: FluentId) -> Result<Vec<(String, Value)>, RuleError> {
        let mut run = Run::new(self, &self.empty);
        let own = match self.program.special.letter {
            Some(letter) => self.all_rows(&mut run, letter, &[None, None])?,
            None => Vec::new(),
        };
        if !own.is_empty() {
            return Ok(own.iter().map(|row| (self.words(row[1]), row[0])).collect());
        }
        let mut letters: Vec<(String, Value)> = Vec::new();
        let values: Vec<Value> = self.domain(fluent).values().take(LETTERS).collect();
        for value in &values {
            letters.push((self.glyph(&self.empty, *value)?, *value));
        }
        letters.retain(|(glyph, _)| glyph.chars().count() == 1);
        for value in &values {
            let first: String = self.words(*value).chars().take(1).collect();
            let alone = values.iter().filter(|v| self.words(**v).starts_with(&first)).count() == 1;
            let known = letters.iter().any(|(letter, _)| *letter == first);
            if alone && !known && first.chars().all(char::is_alphabetic) {
                letters.push((first, *value));
            }
        }
        let unclear = |letter: &str| letters.iter().filter(|(l, _)| l == letter).count() > 1;
        let clear = letters.iter().filter(|(letter, _)| !unclear(letter)).cloned().collect();
        Ok(clear)
    }

    fn words(&self, value: Value) -> String {
        super::present::words(&self.values, value)
    }

    fn fields(&self) -> Result<Vec<Vec<Part>>, RuleError> {
        let Some(field) = self.program.special.position_field else { return Ok(Vec::new()) };
        let mut run = Run::new(self, &self.empty);
        let rows = self.all_rows(&mut run, field, &[None, None, None])?;
        let last = rows.iter().filter_map(|row| row[0].integer()).max().unwrap_or(0).clamp(0, 99);
        let part = |text: Value, state: Value| -> Option<Part> {
            let (name, args) = match self.values.functor(state) {
                Some((name, args)) => (name.to_string(), args.to_vec()),
                None => (self.words(state), Vec::new()),
            };
            match self.words(text).as_str() {
                "round" => return Some(Part::Round),
                "number" => return Some(Part::Number(self.program.find_fluent(&name, 0)?)),
                _ => {}
            }
            let set = self.program.find_fluent(&name, args.len());
            let is_set = |id: &FluentId| matches!(self.program.fluent(*id).shape, FluentShape::Set);
            let (fluent, keys, value) = match set.filter(is_set) {
                Some(fluent) => (fluent, args, None),
                None => {
                    let (value, keys) = args.split_last()?;
                    let fluent = self.program.find_fluent(&name, keys.len())?;
                    (fluent, keys.to_vec(), Some(*value))
                }
            };
            let domain = self.domain(fluent);
            let known = domain.wrong_key(&keys).is_none() && value.is_none_or(|v| domain.allows(v));
            known.then(|| Part::Text(self.words(text), fluent, keys, value))
        };
        Ok((1..=last)
            .map(|number| {
                let own = rows.iter().filter(|row| row[0].integer() == Some(number));
                own.filter_map(|row| part(row[1], row[2])).collect()
            })
            .collect())
    }

    /// A field of a position.
    fn field(&self, parts: &[Part], facts: &Facts) -> String {
        let text: String = parts
            .iter()
            .filter_map(|part| match part {
                Part::Text(text, fluent, keys, value) => {
                    let now = facts.get(*fluent, keys);
                    (now.is_some() && (value.is_none() || now == *value)).then(|| text.clone())
                }
                Part::Number(fluent) => Some(self.values.show(facts.get(*fluent, &[])?)),
                Part::Round => {
                    let ply = facts.get(FluentId::PLY, &[])?.integer()?;
                    Some((ply / self.program.players.len().max(1) as i64 + 1).to_string())
                }
            })
            .collect();
        if text.is_empty() { NOTHING.to_string() } else { text }
    }

    /// The ply in a round, counted from 1, in which it is the turn of the player to move.
    fn ply_of(&self, round: i64, facts: &Facts) -> Value {
        let turn = facts.get(FluentId::TURN, &[]);
        let players = &self.program.players;
        let index = players.iter().position(|player| Some(*player) == turn).unwrap_or(0);
        let before = (round - 1).clamp(0, i64::from(u32::MAX)) * players.len().max(1) as i64;
        Value::Integer(before + index as i64)
    }
}

fn push_count(text: &mut String, empty: usize) {
    if empty > 0 {
        text.push_str(&empty.to_string());
    }
}

impl Form {
    fn hint(&self, rules: &Reference) -> String {
        let letters: Vec<String> = (self.letters.iter().take(12))
            .map(|(letter, value)| format!("`{letter}` {}", rules.values.show(*value)))
            .collect();
        match letters.is_empty() {
            true => "say with clauses of `letter/2` which letter stands for what".to_string(),
            false => format!("the letters are {}; `.` or a number is empty", letters.join(", ")),
        }
    }

    /// Reads the board into `facts`; the error says what is wrong.
    fn read_board(&self, rules: &Reference, text: &str, facts: &mut Facts) -> Result<(), String> {
        let picture = text.contains('\n');
        let lines: Vec<&str> = match picture {
            true => text.lines().map(str::trim).filter(|line| !line.is_empty()).collect(),
            false => text.split('/').collect(),
        };
        if lines.len() != self.rows.len() {
            return Err(format!(
                "the board has {} rows, the text {}",
                self.rows.len(),
                lines.len()
            ));
        }
        for (number, (line, row)) in (1..).zip(lines.iter().zip(&self.rows)) {
            let mut values = Vec::new();
            for word in line.split_whitespace() {
                self.read_word(word, &mut values)
                    .map_err(|at| format!("row {number} from the top: what is `{at}`?"))?;
            }
            if values.len() != row.len() {
                return Err(format!(
                    "row {number} from the top has {} sites, the text {}",
                    row.len(),
                    values.len()
                ));
            }
            for (site, value) in row.iter().zip(values) {
                let value = value.or_else(|| rules.empty.get(self.fluent, &[*site]));
                facts.set(self.fluent, &[*site], value);
            }
        }
        Ok(())
    }

    /// Reads a part of a row; the error is the text that cannot be read.
    fn read_word<'t>(&self, word: &'t str, values: &mut Vec<Option<Value>>) -> Result<(), &'t str> {
        let mut rest = word;
        while !rest.is_empty() {
            let letter = self.letters.iter().find(|(letter, _)| rest.starts_with(letter.as_str()));
            if let Some((letter, value)) = letter {
                values.push(Some(*value));
                rest = &rest[letter.len()..];
                continue;
            }
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            if let Ok(count @ 1..=4096) = rest[..digits].parse::<usize>() {
                values.extend(std::iter::repeat_n(None, count));
                rest = &rest[digits..];
                continue;
            }
            match EMPTY.iter().find_map(|empty| rest.strip_prefix(empty)) {
                Some(behind) => {
                    values.push(None);
                    rest = behind;
                }
                None => return Err(rest),
            }
        }
        Ok(())
    }

    /// The board in one line; `None` where some value on it has no letter.
    fn board(&self, rules: &Reference, facts: &Facts) -> Option<String> {
        let mut rows = Vec::new();
        for row in &self.rows {
            let (mut text, mut empty) = (String::new(), 0);
            for site in row {
                let value = facts.get(self.fluent, &[*site]);
                let letter = self.letters.iter().find(|(_, known)| Some(*known) == value);
                if letter.is_none() && value == rules.empty.get(self.fluent, &[*site]) {
                    empty += 1;
                    continue;
                }
                let (letter, _) = letter?;
                push_count(&mut text, std::mem::take(&mut empty));
                text.push_str(letter);
            }
            push_count(&mut text, empty);
            rows.push(text);
        }
        Some(rows.join("/"))
    }

    /// Reads the fields into `facts`; the error says what is wrong. Fields that are missing at the
    /// end do not change the state.
    fn read_fields(&self, rules: &Reference, text: &str, facts: &mut Facts) -> Result<(), String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        if words.len() > self.fields.len() {
            return Err(format!("there is no field for `{}`", words[self.fields.len()]));
        }
        for (number, (word, field)) in (1..).zip(words.iter().zip(&self.fields)) {
            let unreadable = |rest: &str| format!("field {number}: what is `{rest}`?");
            let mut rest = *word;
            for part in field {
                match part {
                    Part::Text(_, fluent, keys, _) => {
                        facts.set(*fluent, keys, rules.empty.get(*fluent, keys));
                    }
                    Part::Number(fluent) => {
                        let value = rest.parse().map_err(|_| unreadable(rest))?;
                        if !rules.domain(*fluent).allows(Value::Integer(value)) {
                            return Err(format!("field {number}: {value} is outside its domain"));
                        }
                        facts.set(*fluent, &[], Some(Value::Integer(value)));
                        rest = "";
                    }
                    Part::Round => {
                        let round: i64 = rest.parse().map_err(|_| unreadable(rest))?;
                        facts.set(FluentId::PLY, &[], Some(rules.ply_of(round, facts)));
                        rest = "";
                    }
                }
            }
            if rest == NOTHING {
                continue;
            }
            while !rest.is_empty() {
                let fitting = field.iter().filter_map(|part| match part {
                    Part::Text(text, fluent, keys, value) if !text.is_empty() => {
                        Some((rest.strip_prefix(text.as_str())?, *fluent, keys, *value))
                    }
                    _ => None,
                });
                // `a10` before `a1`
                let found = fitting.min_by_key(|(behind, ..)| behind.len());
                let Some((behind, fluent, keys, value)) = found else {
                    return Err(unreadable(rest));
                };
                facts.set(fluent, keys, Some(value.unwrap_or(IN_SET)));
                rest = behind;
            }
        }
        Ok(())
    }
}
