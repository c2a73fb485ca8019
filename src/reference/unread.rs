//! Texts of fields and marks that a printed position cannot be read back with, and the clauses that give them.

use crate::diagnostic::Diagnostic;
use crate::goals::Environment;
use crate::program::{ClauseId, FluentId, RelationId, Value, Values};

use super::facts::{Facts, IN_SET};
use super::fault::RuleError;
use super::position::{Fields, Form, NOTHING, Part, Stated, parts, read_field};
use super::present::words;
use super::run::Run;
use super::{Reference, settle};

/// A text that is not read back as what it tells.
struct Unread<'p> {
    relation: Option<RelationId>,
    text: &'p str,
    stated: &'p Stated,
    /// Why it is not.
    why: &'static str,
}

const BLANKS: &str = "blanks separate the fields";
const NONE: &str = "a text that is empty, or `-` alone, tells nothing";
const BOARD: &str = "this looks at more than what stands on the board, which is all that is known when the text is read";
const OTHER: &str = "in the printed text it is taken for something else";

impl Reference {
    /// The error of a text of `position_field/3` or `position_mark/3` that stands in a printed position and is read back
    /// as something else; `None` where all of them are read as what they tell.
    ///
    /// # Errors
    /// A rule error of another kind.
    pub(super) fn unread(
        &self,
        form: &Form,
        fields: &Fields,
        text: &str,
        facts: &Facts,
    ) -> Result<Option<RuleError>, RuleError> {
        let mut board = self.empty.clone();
        let whole = form.read_board(self, parts(text).0, &mut board).is_ok();
        // what fields mean to a reader, who knows the board
        let known = self.fields(&board)?;
        let written = std::iter::once(&fields.held).chain(&fields.others);
        let mut read = std::iter::once(&known.held).chain(&known.others);
        let mut both = written.map(|field| (field, read.next().map_or(&[][..], |field| field)));
        let found = self.unread_mark(form, whole.then_some(&board), facts);
        let found =
            found.or_else(|| both.find_map(|(field, known)| self.unread_part(field, known, facts)));
        let Some(Unread { relation, text, stated, why }) = found else { return Ok(None) };
        let shown = self.shown(stated);
        let fault = Diagnostic::error(
            "position-form",
            format!("the text `\"{text}\"` cannot be read back as `{shown}`"),
        );
        let clause = match relation {
            Some(relation) => self.clause_of(relation, facts, text, stated)?,
            None => None,
        };
        let fault = match clause {
            Some(id) => fault.at(self.program.clause(id).head_span, why),
            None => fault.hint(why),
        };
        let hint = "give each fact a text of its own that is not empty, without blanks, and that no other begins with";
        Ok(Some(RuleError::new(fault.hint(hint))))
    }

    /// The first mark of a board that is read back otherwise.
    fn unread_mark<'p>(
        &self,
        form: &'p Form,
        board: Option<&Facts>,
        facts: &Facts,
    ) -> Option<Unread<'p>> {
        let relation = self.program.special.position_mark;
        let mut held = form.marks.iter().filter(|(.., stated)| stated.holds(facts));
        let wrong = held.find(|(.., stated)| board.is_none_or(|board| !stated.holds(board)));
        wrong.map(|(_, text, stated)| Unread { relation, text, stated, why: OTHER })
    }

    /// The first text of a field that is read back otherwise by a reader to whom the field has these parts.
    fn unread_part<'p>(
        &self,
        field: &'p [Part],
        known: &[Part],
        facts: &Facts,
    ) -> Option<Unread<'p>> {
        let relation = self.program.special.position_field;
        let mut written: Vec<(&str, &Stated)> = Vec::new();
        for part in field {
            if let Part::Text(text, stated) = part
                && stated.holds(facts)
                && !written.iter().any(|(_, known)| known.same_place(stated))
            {
                written.push((text, stated));
            }
        }
        let alone = |(text, stated): &(&'p str, &'p Stated)| {
            let empty = text.is_empty() || *text == NOTHING;
            let declared =
                self.empty.get(stated.fluent, &stated.keys) == Some(stated.value.unwrap_or(IN_SET));
            match () {
                () if text.contains(char::is_whitespace) => Some(BLANKS),
                () if empty && !declared && written.len() == 1 => Some(NONE),
                () if !known.iter().any(|part| part.is(text, stated)) => Some(BOARD),
                () => None,
            }
        };
        let found = written.iter().find_map(|part| Some((*part, alone(part)?)));
        let ((text, stated), why) = found.or_else(|| {
            let wrong = |text: &str, stated: &Stated| {
                let mut told = self.empty.clone();
                // the number of a round depends on whose turn it is
                told.set(FluentId::TURN, &[], facts.get(FluentId::TURN, &[]));
                read_field(self, known, "", text, &mut told).is_err() || !stated.holds(&told)
            };
            let printed = self.field(field, facts);
            let lost = written.iter().find(|(_, stated)| wrong(&printed, stated))?;
            let alone = written.iter().find(|(text, stated)| wrong(text, stated));
            Some((*alone.unwrap_or(lost), OTHER))
        })?;
        Some(Unread { relation, text, stated, why })
    }

    /// What is told, as it is written in rules.
    fn shown(&self, stated: &Stated) -> String {
        let args = stated.keys.iter().chain(&stated.value);
        let args: Vec<String> = args.map(|value| self.values.show(*value)).collect();
        match args.is_empty() {
            true => self.program.fluent(stated.fluent).name.clone(),
            false => format!("{}({})", self.program.fluent(stated.fluent).name, args.join(", ")),
        }
    }

    /// The clause that gives a text for a fact.
    fn clause_of(
        &self,
        relation: RelationId,
        facts: &Facts,
        text: &str,
        stated: &Stated,
    ) -> Result<Option<ClauseId>, RuleError> {
        let nobody = Environment::new(None, 0, 0);
        for id in &self.program.relation(relation).clauses {
            let mut run = Run::new(self, facts);
            let mut found = false;
            let given = vec![None; self.program.relation(relation).arity];
            settle(run.clause(*id, &given, &nobody, &mut |run, row| {
                found |= self.tells(&run.values, row, text, stated);
                run.keep(&nobody)
            }))?;
            if found {
                return Ok(Some(*id));
            }
        }
        Ok(None)
    }

    /// Whether an answer has this text for this fact.
    fn tells(&self, values: &Values, row: &[Value], text: &str, stated: &Stated) -> bool {
        let known = self.stated(values, row[2]);
        words(values, row[1]) == text
            && known.is_some_and(|known| known.same_place(stated) && known.value == stated.value)
    }
}

impl Part {
    /// Whether it is this text for this fact.
    fn is(&self, text: &str, stated: &Stated) -> bool {
        match self {
            Part::Text(own, fact) => {
                own == text && fact.same_place(stated) && fact.value == stated.value
            }
            Part::Number(_) | Part::Round => false,
        }
    }
}

impl Stated {
    /// Whether it tells of the same part of the state.
    fn same_place(&self, other: &Stated) -> bool {
        self.fluent == other.fluent && self.keys == other.keys
    }
}
