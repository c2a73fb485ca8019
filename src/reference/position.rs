//! Positions as text: the board row by row, from the top, and the rest of the state in fields.
//!
//! In one line the rows are separated by `/`, a number counts adjacent empty sites, and each value
//! has its letter (`letter/2`), behind which marks may stand (`position_mark/3`). The board is
//! followed by the fields that `position_field/3` describes, that of number 0 in brackets. The format generalises that of Forsyth and Edwards (FEN: Portable Game Notation
//! Specification, 1994, section 16.1). In a picture of several lines each row has a line of its
//! own, with `.` for an empty site.

use crate::diagnostic::Diagnostic;
use crate::program::{FluentId, FluentShape, Value, Values};
use crate::source::Span;
use crate::syntax::{Term, TermKind, print_term};

use super::Reference;
use super::facts::{Facts, IN_SET};
use super::fault::{QueryError, RuleError};
use super::present::words;
use super::run::Run;

/// The texts of an empty site.
const EMPTY: [&str; 3] = [".", "·", "-"];
/// The text of a field without content.
pub(super) const NOTHING: &str = "-";
/// The most values of a board that get letters.
const LETTERS: usize = 1 << 12;

/// The format of a game's boards: the order of the sites, the letters of the values, and the marks.
pub(super) struct Form {
    fluent: FluentId,
    /// The sites by row from the top, each row from left to right.
    rows: Vec<Vec<Value>>,
    /// The letters of the values, the longest first.
    letters: Vec<(String, Value)>,
    /// The marks, each with its site.
    pub(super) marks: Vec<(Value, String, Stated)>,
}

/// The fields behind a board.
pub(super) struct Fields {
    /// What stands in brackets.
    pub(super) held: Vec<Part>,
    /// The others, in order.
    pub(super) others: Vec<Vec<Part>>,
}

/// What a part of a position tells: the fluent has this value at these keys; without a value, the keys are in
/// the set.
#[derive(Debug)]
pub(crate) struct Stated {
    pub fluent: FluentId,
    pub keys: Vec<Value>,
    pub value: Option<Value>,
}

/// A possible part of a field.
pub(super) enum Part {
    /// This text, where this holds.
    Text(String, Stated),
    /// The number that is the value of a map without keys.
    Number(FluentId),
    /// How many times each player has had a turn, counted from 1.
    Round,
}

impl Reference {
    /// Parses a position. Parts of the state that the text does not contain are taken from `facts`.
    ///
    /// # Errors
    /// Errors in the text, or a rule error in `letter/2`, `position_mark/3` or `position_field/3`.
    pub(crate) fn position_of(
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
        // no row of a board has a `:` or `,`
        if text.contains([':', ','])
            && let Some(read) = self.listed_position(facts, text)?
        {
            return read.map_err(|what| {
                wrong(what, "`position_item/5` says which fields and items a position as lists has")
            });
        }
        let Some(form) = self.form()? else {
            let what = "this game has no map whose keys are the sites of a board".to_string();
            return Err(wrong(what, "write a list of updates: `[turn := black]`"));
        };
        let (board, held, fields) = parts(text);
        let mut facts = facts.clone();
        form.read_board(self, board, &mut facts).map_err(|what| wrong(what, &form.hint(self)))?;
        // what a field means may depend on the board
        let known = self.fields(&facts)?;
        known.read(self, held, fields, &mut facts).map_err(|what| {
            wrong(what, "`position_field/3` says what the fields behind the board mean")
        })?;
        Ok(facts)
    }

    /// The parts of the state that the fields of a text tell, as far as it has them.
    ///
    /// # Errors
    /// A rule error in `position_field/3`.
    pub(crate) fn told_by_fields(
        &self,
        facts: &Facts,
        text: &str,
    ) -> Result<Vec<FluentId>, RuleError> {
        let (_, held, fields) = parts(text);
        let known = self.fields(facts)?;
        let given = known.others.iter().take(fields.split_whitespace().count()).flatten();
        let fluents = given.chain(known.held.iter().filter(|_| held.is_some()));
        Ok(fluents
            .map(|part| match part {
                Part::Text(_, stated) => stated.fluent,
                Part::Number(fluent) => *fluent,
                Part::Round => FluentId::PLY,
            })
            .collect())
    }

    /// A position as text: the board, its fields, and updates for the rest of the state. `None`
    /// where the game has no board, or some value on it has no letter.
    ///
    /// # Errors
    /// A rule error in `letter/2`, `position_mark/3` or `position_field/3`, or a text of the last two that cannot be read
    /// back.
    pub fn position_text(&self, facts: &Facts) -> Result<Option<String>, RuleError> {
        let Some(form) = self.form()? else { return Ok(None) };
        let Some(mut text) = form.board(self, facts) else { return Ok(None) };
        let fields = self.fields(facts)?;
        if !fields.held.is_empty() {
            text.push_str(&format!("[{}]", self.field(&fields.held, facts)));
        }
        for field in &fields.others {
            let field = self.field(field, facts);
            text.push(' ');
            text.push_str(if field.is_empty() { NOTHING } else { &field });
        }
        if let Some(fault) = self.unread(&form, &fields, &text, facts)? {
            return Err(fault);
        }
        let Ok(told) = self.position_of(&self.empty, &text, Span::NONE) else { return Ok(None) };
        let mut rest = self.updates_from(&told, facts);
        if fields.others.is_empty() {
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
        Ok(Some(Form { fluent, rows, letters, marks: self.marks()? }))
    }

    fn marks(&self) -> Result<Vec<(Value, String, Stated)>, RuleError> {
        let Some(mark) = self.program.special.position_mark else { return Ok(Vec::new()) };
        let mut run = Run::new(self, &self.empty);
        let rows = self.all_rows(&mut run, mark, &[None, None, None])?;
        let marks = rows.iter().filter_map(|row| {
            let text = words(&run.values, row[1]);
            if text.is_empty() {
                None
            } else {
                Some((row[0], text, self.stated(&run.values, row[2])?))
            }
        });
        Ok(marks.collect())
    }

    /// The letters that `letter/2` gives; where the game has none, glyphs of one letter and the
    /// first letters of names, as far as they distinguish the values.
    pub(super) fn letters(&self, fluent: FluentId) -> Result<Vec<(String, Value)>, RuleError> {
        let mut run = Run::new(self, &self.empty);
        let own = match self.program.special.letter {
            Some(letter) => self.all_rows(&mut run, letter, &[None, None])?,
            None => Vec::new(),
        };
        if !own.is_empty() {
            return Ok(own.iter().map(|row| (words(&run.values, row[1]), row[0])).collect());
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

    pub(crate) fn words(&self, value: Value) -> String {
        words(&self.values, value)
    }

    /// The fields of a position with this board.
    pub(super) fn fields(&self, facts: &Facts) -> Result<Fields, RuleError> {
        let Some(field) = self.program.special.position_field else {
            return Ok(Fields { held: Vec::new(), others: Vec::new() });
        };
        let mut run = Run::new(self, facts);
        let rows = self.all_rows(&mut run, field, &[None, None, None])?;
        let last = rows.iter().filter_map(|row| row[0].integer()).max().unwrap_or(0).clamp(0, 99);
        let part = |text: Value, state: Value| -> Option<Part> {
            let words = |value: Value| words(&run.values, value);
            match words(text).as_str() {
                "round" => return Some(Part::Round),
                "number" => {
                    let fluent = self.program.find_fluent(&words(state), 0)?;
                    return Some(Part::Number(fluent));
                }
                _ => {}
            }
            Some(Part::Text(words(text), self.stated(&run.values, state)?))
        };
        let parts = |number: i64| -> Vec<Part> {
            let own = rows.iter().filter(|row| row[0].integer() == Some(number));
            own.filter_map(|row| part(row[1], row[2])).collect()
        };
        Ok(Fields { held: parts(0), others: (1..=last).map(parts).collect() })
    }

    /// What a term such as `at(a1, white)` or `may_castle(white, king_side)` tells of the state; `None` where it is
    /// no part of it. The term is one of `values`, which an evaluation may have extended.
    pub(crate) fn stated(&self, values: &Values, state: Value) -> Option<Stated> {
        let (name, args) = match values.functor(state) {
            Some((name, args)) => (name.to_string(), args.to_vec()),
            None => (words(values, state), Vec::new()),
        };
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
        known.then_some(Stated { fluent, keys, value })
    }

    /// A field of a position; empty where nothing of it holds. Of several texts for one thing the first is written.
    pub(super) fn field(&self, parts: &[Part], facts: &Facts) -> String {
        let mut told: Vec<(FluentId, &[Value])> = Vec::new();
        parts
            .iter()
            .filter_map(|part| match part {
                Part::Text(text, stated) => {
                    if !stated.holds(facts) || told.contains(&(stated.fluent, &stated.keys)) {
                        return None;
                    }
                    told.push((stated.fluent, &stated.keys));
                    Some(text.clone())
                }
                Part::Number(fluent) => Some(self.values.show(facts.get(*fluent, &[])?)),
                Part::Round => {
                    let ply = facts.get(FluentId::PLY, &[])?.integer()?;
                    // chance events before the first turn are no moves of a round
                    let moved = (ply - self.turn_index(facts)).max(0);
                    Some((moved / self.program.players.len().max(1) as i64 + 1).to_string())
                }
            })
            .collect()
    }

    /// The place of the player to move in the order of turns, counted from 0.
    fn turn_index(&self, facts: &Facts) -> i64 {
        let turn = facts.get(FluentId::TURN, &[]);
        let index = self.program.players.iter().position(|player| Some(*player) == turn);
        index.unwrap_or(0) as i64
    }

    /// The ply in a round, counted from 1, in which it is the turn of the player to move.
    fn ply_of(&self, round: i64, facts: &Facts) -> Value {
        let players = self.program.players.len().max(1) as i64;
        let before = (round - 1).clamp(0, i64::from(u32::MAX)) * players;
        Value::Integer(before + self.turn_index(facts))
    }
}

/// A text in parts: the board, what stands in brackets behind it, and the fields.
pub(super) fn parts(text: &str) -> (&str, Option<&str>, &str) {
    let text = text.trim();
    let (board, fields) = match text.contains('\n') {
        true => (text, ""),
        false => text.split_once(char::is_whitespace).unwrap_or((text, "")),
    };
    match board.strip_suffix(']').and_then(|board| board.split_once('[')) {
        Some((board, held)) => (board, Some(held), fields),
        None => (board, None, fields),
    }
}

/// The most texts of a field that a message lists.
const MOST_TEXTS: usize = 8;

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
    pub(super) fn read_board(
        &self,
        rules: &Reference,
        text: &str,
        facts: &mut Facts,
    ) -> Result<(), String> {
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
        for (_, _, stated) in &self.marks {
            facts.set(stated.fluent, &stated.keys, rules.empty.get(stated.fluent, &stated.keys));
        }
        for (number, (line, row)) in (1..).zip(lines.iter().zip(&self.rows)) {
            let mut values = Vec::new();
            let mut marked = Vec::new();
            for word in line.split_whitespace() {
                self.read_word(word, row, &mut values, &mut marked)
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
            for Stated { fluent, keys, value } in marked {
                facts.set(*fluent, keys, Some(value.unwrap_or(IN_SET)));
            }
        }
        Ok(())
    }

    /// Reads a part of a row; the error is the text that cannot be read.
    fn read_word<'t, 'f>(
        &'f self,
        word: &'t str,
        row: &[Value],
        values: &mut Vec<Option<Value>>,
        marked: &mut Vec<&'f Stated>,
    ) -> Result<(), &'t str> {
        let mut rest = word;
        while !rest.is_empty() {
            let letter = self.letters.iter().find(|(letter, _)| rest.starts_with(letter.as_str()));
            if let Some((letter, value)) = letter {
                let site = row.get(values.len());
                values.push(Some(*value));
                rest = &rest[letter.len()..];
                for (_, text, stated) in self.marks.iter().filter(|(of, ..)| Some(of) == site) {
                    if let Some(behind) = rest.strip_prefix(text.as_str()) {
                        marked.push(stated);
                        rest = behind;
                    }
                }
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
                for (_, mark, stated) in self.marks.iter().filter(|(of, ..)| of == site) {
                    if stated.holds(facts) {
                        text.push_str(mark);
                    }
                }
            }
            push_count(&mut text, empty);
            rows.push(text);
        }
        Some(rows.join("/"))
    }
}

impl Stated {
    /// Whether it is so in a position.
    pub(super) fn holds(&self, facts: &Facts) -> bool {
        let now = facts.get(self.fluent, &self.keys);
        now.is_some() && (self.value.is_none() || now == self.value)
    }
}

impl Fields {
    /// Reads what stands behind a board into `facts`: what is held in brackets, and the other fields; the error says
    /// what is wrong. Fields that are missing at the end do not change the state.
    fn read(
        &self,
        rules: &Reference,
        held: Option<&str>,
        text: &str,
        facts: &mut Facts,
    ) -> Result<(), String> {
        match held {
            Some(held) if self.held.is_empty() => {
                return Err(format!(
                    "nothing stands in brackets here, and the text has `[{held}]`"
                ));
            }
            Some(held) => read_field(rules, &self.held, "the field in brackets", held, facts)?,
            None => {}
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        if words.len() > self.others.len() {
            return Err(format!("there is no field for `{}`", words[self.others.len()]));
        }
        for (number, (word, field)) in (1..).zip(words.iter().zip(&self.others)) {
            read_field(rules, field, &format!("field {number}"), word, facts)?;
        }
        Ok(())
    }
}

/// What may stand in a field, as far as that is soon told.
fn may_be(field: &[Part]) -> Option<String> {
    let mut texts: Vec<String> = Vec::new();
    for part in field {
        let text = match part {
            Part::Text(text, ..) if text.is_empty() => continue,
            Part::Text(text, ..) => format!("`{text}`"),
            Part::Number(_) | Part::Round => "a number".to_string(),
        };
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    (1..=MOST_TEXTS).contains(&texts.len()).then(|| texts.join(", "))
}

/// Reads a field, which is called `name` in messages.
pub(super) fn read_field(
    rules: &Reference,
    field: &[Part],
    name: &str,
    text: &str,
    facts: &mut Facts,
) -> Result<(), String> {
    let unreadable = |rest: &str| match may_be(field) {
        Some(texts) => format!("{name}: what is `{rest}`? it may be {texts}"),
        None => format!("{name}: what is `{rest}`?"),
    };
    let mut rest = text;
    for part in field {
        match part {
            Part::Text(_, Stated { fluent, keys, .. }) => {
                facts.set(*fluent, keys, rules.empty.get(*fluent, keys));
            }
            Part::Number(fluent) => {
                let value = rest.parse().map_err(|_| unreadable(rest))?;
                if !rules.domain(*fluent).allows(Value::Integer(value)) {
                    return Err(format!("{name}: {value} is outside its domain"));
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
        return Ok(());
    }
    let mut told: Vec<(FluentId, &[Value])> = Vec::new();
    while !rest.is_empty() {
        let fitting = field.iter().filter_map(|part| match part {
            Part::Text(text, Stated { fluent, keys, value }) if !text.is_empty() => {
                Some((rest.strip_prefix(text.as_str())?, *fluent, keys, *value))
            }
            _ => None,
        });
        // `a10` before `a1`
        let found = fitting.min_by_key(|(behind, ..)| behind.len());
        let Some((behind, fluent, keys, value)) = found else { return Err(unreadable(rest)) };
        if told.contains(&(fluent, keys)) {
            return Err(format!("{name}: `{rest}` tells something a second time"));
        }
        told.push((fluent, keys));
        facts.set(fluent, keys, Some(value.unwrap_or(IN_SET)));
        rest = behind;
    }
    Ok(())
}
