//! Texts of positions that clauses calculate, and texts that tell two things: what cannot be read back.
//!
//! Wrong: `position_field(1, T, closed(C)) :- cell(C), column(C, T).` where several sites are of one column;
//! `position_mark(C, "", promoted(C)) :- cell(C).`

use rustc_hash::FxHashMap;

use crate::datalog::Tables;
use crate::diagnostic::Diagnostic;
use crate::program::{Clause, Constant, Kind, Optional, Program, RelationId, Term, Value};
use crate::source::FileId;

use super::positions::{
    Unreadable, field_fault, holds_untold, item_fault, tells_nothing, unreadable,
};

/// The answers of a relation that is the same in all positions and under all options.
struct Told<'p> {
    program: &'p Program,
    relation: RelationId,
    rows: Vec<Vec<Value>>,
}

/// Warnings for texts of fields, marks and items that cannot be read back.
pub fn check_texts(program: &Program, tables: &Tables) -> Vec<Diagnostic> {
    let optional = Optional::of(program);
    let told = |relation: Option<RelationId>| {
        let relation = relation
            .filter(|id| program.relation(*id).kind == Kind::Static && !optional.relation(*id))?;
        let rows = tables.get(relation).rows().map(|row| row.to_vec()).collect();
        Some(Told { program, relation, rows })
    };
    let special = &program.special;
    let mut warnings = Vec::new();
    if let Some(fields) = told(special.position_field) {
        warnings.extend(fields.first(1, 2, |row, text| fields.field(row, text)));
        warnings.extend(fields.twice(&[0, 1], 2));
    }
    if let Some(items) = told(special.position_item) {
        warnings.extend(items.first(3, 4, |row, text| items.item(row, text)));
        warnings.extend(items.twice(&[0, 1, 2, 3], 4));
    }
    if let Some(marks) = told(special.position_mark) {
        let letters = told(special.letter).map(|letters| letters.texts(1)).unwrap_or_default();
        warnings.extend(marks.first(1, 2, |_, text| mark(&letters, text)));
        warnings.extend(marks.twice(&[0, 1], 2));
    }
    warnings
}

/// Why a mark cannot be read back, and what to do.
fn mark(letters: &[String], text: &str) -> Option<Unreadable> {
    let taken = |c: char| c.is_whitespace() || "/[]:,".contains(c);
    if text.is_empty() {
        return Some(("no mark stands there".to_string(), "write a text that is not empty"));
    }
    if text.contains(taken) || text.starts_with(|c: char| c.is_ascii_digit() || ".·-".contains(c))
    {
        return Some((
            "it looks like the sites behind it, or ends the row".to_string(),
            "write a sign that stands for nothing else in a board, such as \"~\"",
        ));
    }
    let letter = letters.iter().find(|letter| letter.starts_with(text))?;
    Some((
        format!("it looks like the letter `{letter}` on the next site"),
        "write a sign that no letter begins with, such as \"~\"",
    ))
}

impl Told<'_> {
    /// The text that a value is written as.
    fn text(&self, value: Value) -> String {
        match value.constant().map(|id| self.program.values.get(id)) {
            Some(Constant::Text(text) | Constant::Atom(text)) => text.to_string(),
            _ => self.program.values.show(value),
        }
    }

    fn texts(&self, column: usize) -> Vec<String> {
        self.rows.iter().map(|row| self.text(row[column])).collect()
    }

    /// The clause of the game's own file that an answer fits.
    fn clause(&self, row: &[Value]) -> Option<&Clause> {
        let clauses = self.program.relation(self.relation).clauses.iter();
        let mut clauses = clauses.map(|id| self.program.clause(*id));
        let found = clauses.find(|clause| {
            clause.head.iter().zip(row).all(|(term, value)| self.fits(term, *value))
        });
        found.filter(|clause| clause.span.file == FileId(0))
    }

    fn fits(&self, term: &Term, value: Value) -> bool {
        match (term, self.program.values.functor(value)) {
            (Term::Constant(own), _) => *own == value,
            (Term::Compound(name, args), Some((other, values))) => {
                name == other
                    && args.len() == values.len()
                    && args.iter().zip(values).all(|(arg, value)| self.fits(arg, *value))
            }
            (Term::Compound(..), None) => false,
            _ => true,
        }
    }

    /// A warning for each clause that gives a text in this column that has a fault, for the fact in another column.
    /// Texts that stand in the head are checked as clauses.
    fn first(
        &self,
        column: usize,
        fact: usize,
        fault: impl Fn(&[Value], &str) -> Option<Unreadable>,
    ) -> Vec<Diagnostic> {
        let mut known = Vec::new();
        let mut warnings = Vec::new();
        for row in &self.rows {
            let text = self.text(row[column]);
            let Some((why, hint)) = fault(row, &text) else { continue };
            let Some(clause) = self.clause(row) else { continue };
            let marks = self.program.special.position_mark == Some(self.relation);
            if known.contains(&clause.span)
                || (!marks && matches!(clause.head[column], Term::Constant(_)))
            {
                continue;
            }
            known.push(clause.span);
            let shown = self.program.values.show(row[fact]);
            warnings.push(unreadable(clause, &text, (format!("for `{shown}`: {why}"), hint)));
        }
        warnings
    }

    fn field(&self, row: &[Value], text: &str) -> Option<Unreadable> {
        let nothing = (text.is_empty() || text == "-") && !self.holds_untold(row[2]);
        field_fault(text).or_else(|| nothing.then(tells_nothing))
    }

    fn item(&self, row: &[Value], text: &str) -> Option<Unreadable> {
        let nothing = text.is_empty() && !self.holds_untold(row[4]);
        item_fault(text).or_else(|| nothing.then(tells_nothing))
    }

    fn holds_untold(&self, fact: Value) -> bool {
        let functor = self.program.values.functor(fact);
        functor.is_none_or(|(name, args)| holds_untold(self.program, name, args.last().copied()))
    }

    /// A warning for each clause with a text that tells another fact before: answers that are the same in these columns
    /// and not in that of the fact.
    fn twice(&self, same: &[usize], fact: usize) -> Vec<Diagnostic> {
        let mut warned = Vec::new();
        let mut warnings = Vec::new();
        let mut known: FxHashMap<Vec<Value>, &Vec<Value>> = FxHashMap::default();
        for row in &self.rows {
            let key: Vec<Value> = same.iter().map(|column| row[*column]).collect();
            let first = *known.entry(key).or_insert(row);
            let text = self.text(row[same[same.len() - 1]]);
            let number = ["number", "round"].contains(&text.as_str());
            if first[fact] == row[fact] || number || text.is_empty() {
                continue;
            }
            let shown = |row: &[Value]| self.program.values.show(row[fact]);
            let why = format!("here for `{}`, which is never read", shown(row));
            let Some(second) = self.clause(row) else { continue };
            if warned.contains(&second.span) {
                continue;
            }
            warned.push(second.span);
            let told = Diagnostic::warning(
                "position-form",
                format!("`\"{text}\"` tells two facts: `{}` and `{}`", shown(first), shown(row)),
            );
            let told = match self.clause(first).filter(|clause| clause.span != second.span) {
                Some(clause) => told
                    .at(second.head_span, why)
                    .at(clause.head_span, format!("here for `{}`", shown(first))),
                None => told.at(second.head_span, why),
            };
            warnings.push(told.hint("give each fact a text of its own"));
        }
        warnings
    }
}
