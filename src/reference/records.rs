//! How games are written for other programs: `record/2` names the notation of the moves in a format, and
//! `record_tag/3` what else belongs into a file.

use crate::program::Value;

use super::Reference;
use super::fault::RuleError;
use super::present::words;
use super::run::Run;

/// The content of a tag of a record, by `record_tag/3`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordTag {
    /// This text.
    Text(String),
    /// The value of an option, divided by a number.
    Option(String, i64),
    /// The name of who plays for this player.
    Player(Value),
    /// The moves of this player.
    Moves(Value),
}

impl Reference {
    /// The formats that `record/2` names, each with the notation of its moves, in the order of the clauses.
    ///
    /// # Errors
    /// A rule error.
    pub fn records(&self) -> Result<Vec<(String, String)>, RuleError> {
        let Some(record) = self.program.special.record else { return Ok(Vec::new()) };
        let mut run = Run::new(self, &self.empty);
        let rows = self.all_rows(&mut run, record, &[None, None])?;
        Ok(rows
            .iter()
            .map(|row| (words(&run.values, row[0]), words(&run.values, row[1])))
            .collect())
    }

    /// The tags that `record_tag/3` gives for a format, in the order of the clauses. Of several contents of
    /// one tag the first is written.
    ///
    /// # Errors
    /// A rule error.
    pub fn record_tags(&self, format: &str) -> Result<Vec<(String, RecordTag)>, RuleError> {
        let (Some(tag), Some(format)) =
            (self.program.special.record_tag, self.values.find_atom(format))
        else {
            return Ok(Vec::new());
        };
        let mut run = Run::new(self, &self.empty);
        let rows = self.all_rows(&mut run, tag, &[Some(format), None, None])?;
        let content = |value: Value| match run.values.functor(value) {
            Some(("option", [name])) => RecordTag::Option(words(&run.values, *name), 1),
            Some(("option", [name, Value::Integer(n)])) if *n > 0 => {
                RecordTag::Option(words(&run.values, *name), *n)
            }
            Some(("player", [player])) => RecordTag::Player(*player),
            Some(("moves", [player])) => RecordTag::Moves(*player),
            _ => RecordTag::Text(words(&run.values, value)),
        };
        Ok(rows.iter().map(|row| (words(&run.values, row[1]), content(row[2]))).collect())
    }
}
