//! Positions as lists, such as those of PDN: `W:W31,32,K40:B1-20`.
//!
//! `position_item/5` says which fields there are, what each begins with and what its items tell. Fields are
//! separated by `:`, items by `,`, and `a-b` stands for all items from one number to another.

use crate::program::{FluentId, Value, Values};

use super::Reference;
use super::facts::{Facts, IN_SET};
use super::fault::RuleError;
use super::position::Stated;
use super::present::words;
use super::run::Run;

/// The most items that a range stands for.
const RANGE: i64 = 4096;

/// A field: what it begins with, and its items with what they tell.
#[derive(Debug)]
struct Field {
    number: i64,
    lead: String,
    items: Vec<(String, Stated)>,
}

/// A position as lists: what each field begins with, and its items.
pub type Lists = Vec<(String, Vec<String>)>;

/// How a form tells whose turn it is.
#[derive(Debug, Clone)]
pub struct Turn {
    /// The player.
    pub player: Value,
    /// What the field begins with.
    pub lead: String,
    /// The item.
    pub text: String,
}

/// Lists in one line.
pub fn lists_text(lists: &Lists) -> String {
    let fields = lists.iter().map(|(lead, items)| format!("{lead}{}", items.join(",")));
    fields.collect::<Vec<_>>().join(":")
}

impl Reference {
    /// The names of the forms that `position_item/5` describes.
    ///
    /// # Errors
    /// A rule error.
    pub fn listed_forms(&self) -> Result<Vec<String>, RuleError> {
        let mut names = Vec::new();
        let (values, rows) = self.item_rows()?;
        for row in rows {
            let name = words(&values, row[0]);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        Ok(names)
    }

    /// A position as lists, in the form called `name`, and whether it tells all of the state; `None` where the
    /// rules do not describe this form.
    ///
    /// # Errors
    /// A rule error.
    pub fn listed_text(
        &self,
        facts: &Facts,
        name: &str,
    ) -> Result<Option<(String, bool)>, RuleError> {
        let Some((lists, whole)) = self.listed(facts, name)? else { return Ok(None) };
        Ok(Some((lists_text(&lists), whole)))
    }

    /// The same as lists: what each field begins with, and its items.
    ///
    /// # Errors
    /// A rule error.
    pub fn listed(&self, facts: &Facts, name: &str) -> Result<Option<(Lists, bool)>, RuleError> {
        let fields = self.listed_fields(name)?;
        if fields.is_empty() {
            return Ok(None);
        }
        let list = |field: &Field| {
            let items = field.items.iter().filter(|(_, stated)| stated.holds(facts));
            let mut items: Vec<String> = items.map(|(text, _)| text.clone()).collect();
            items.dedup();
            (field.lead.clone(), items)
        };
        let lists: Lists = fields.iter().map(list).collect();
        let told = self.read_listed(&fields, &self.empty, &lists_text(&lists));
        let whole = told.is_ok_and(|told| self.updates_from(&told, facts).is_empty());
        Ok(Some((lists, whole)))
    }

    /// What the fields of a form begin with, and the text that tells the turn of each player, with its field.
    ///
    /// # Errors
    /// A rule error.
    pub fn listed_leads(&self, name: &str) -> Result<(Vec<String>, Vec<Turn>), RuleError> {
        let fields = self.listed_fields(name)?;
        let turns = fields.iter().flat_map(|field| {
            let turn = |(text, stated): &(String, Stated)| {
                let value = stated.value.filter(|_| stated.fluent == FluentId::TURN)?;
                Some(Turn { player: value, lead: field.lead.clone(), text: text.clone() })
            };
            field.items.iter().filter_map(turn)
        });
        let turns = turns.collect();
        Ok((fields.into_iter().map(|field| field.lead).collect(), turns))
    }

    /// Reads a position in one of the forms that the rules describe; `None` where they describe none. The error
    /// says what is wrong.
    ///
    /// # Errors
    /// A rule error.
    pub(crate) fn listed_position(
        &self,
        facts: &Facts,
        text: &str,
    ) -> Result<Option<Result<Facts, String>>, RuleError> {
        let mut read = None;
        for name in self.listed_forms()? {
            let found = self.read_listed(&self.listed_fields(&name)?, facts, text);
            if found.is_ok() || read.is_none() {
                let whole = found.is_ok();
                read = Some(found);
                if whole {
                    break;
                }
            }
        }
        Ok(read)
    }

    /// The answers of `position_item/5`, with the values that they are of.
    fn item_rows(&self) -> Result<(Values, Vec<crate::datalog::Row>), RuleError> {
        let mut run = Run::new(self, &self.empty);
        let rows = match self.program.special.position_item {
            Some(item) => self.all_rows(&mut run, item, &[None, None, None, None, None])?,
            None => Vec::new(),
        };
        Ok((run.values, rows))
    }

    fn listed_fields(&self, name: &str) -> Result<Vec<Field>, RuleError> {
        let mut fields: Vec<Field> = Vec::new();
        let (values, rows) = self.item_rows()?;
        let words = |value: Value| words(&values, value);
        for row in rows {
            let (Some(number), Some(stated)) = (row[1].integer(), self.stated(&values, row[4]))
            else {
                continue;
            };
            if words(row[0]) != name {
                continue;
            }
            let lead = words(row[2]);
            let item = (words(row[3]), stated);
            match fields.iter_mut().find(|field| field.number == number && field.lead == lead) {
                Some(field) => field.items.push(item),
                None => fields.push(Field { number, lead, items: vec![item] }),
            }
        }
        fields.sort_by_key(|field| field.number);
        for field in &mut fields {
            field.items.sort_by_key(|(text, _)| numbered(text));
        }
        Ok(fields)
    }

    fn read_listed(&self, fields: &[Field], facts: &Facts, text: &str) -> Result<Facts, String> {
        let mut facts = facts.clone();
        for Stated { fluent, keys, .. } in
            fields.iter().flat_map(|f| f.items.iter().map(|(_, s)| s))
        {
            facts.set(*fluent, keys, self.empty.get(*fluent, keys));
        }
        let mut open: Vec<&Field> = fields.iter().collect();
        let mut set: Vec<(FluentId, Vec<Value>)> = Vec::new();
        for piece in text.trim().trim_end_matches('.').split(':').map(str::trim) {
            let mut fault = format!("no field is left for `{piece}`");
            let mut taken = None;
            for (at, field) in open.iter().enumerate() {
                let Some(rest) = piece.strip_prefix(field.lead.as_str()) else { continue };
                match items(field, rest) {
                    Ok(found) => {
                        taken = Some((at, found));
                        break;
                    }
                    Err(item) => fault = format!("what is `{item}` in `{piece}`?"),
                }
            }
            let Some((at, found)) = taken else { return Err(fault) };
            open.remove(at);
            for stated in found {
                let place = (stated.fluent, stated.keys.clone());
                if set.contains(&place) {
                    return Err(format!("`{piece}` names something a second time"));
                }
                let value = stated.value.unwrap_or(IN_SET);
                facts.set(stated.fluent, &stated.keys, Some(value));
                set.push(place);
            }
        }
        match open.as_slice() {
            [] => Ok(facts),
            [first, ..] if first.lead.is_empty() => Err("a field is missing".to_string()),
            [first, ..] => Err(format!("there is no field that begins with `{}`", first.lead)),
        }
    }
}

/// What the items of a field tell. The error is the item that is not known.
fn items<'f>(field: &'f Field, text: &str) -> Result<Vec<&'f Stated>, String> {
    let known = |text: &str| field.items.iter().find(|(item, _)| item == text).map(|(_, s)| s);
    let mut found = Vec::new();
    for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
        if let Some(stated) = known(item) {
            found.push(stated);
            continue;
        }
        let range = item.split_once('-').and_then(|(first, last)| {
            let ((before, first), (again, last)) = (numbered(first), numbered(last));
            let fits = (again.is_empty() || again == before) && last - first < RANGE;
            (fits && first >= 0 && first <= last).then_some((before, first..=last))
        });
        let Some((before, numbers)) = range else { return Err(item.to_string()) };
        for number in numbers {
            found.push(known(&format!("{before}{number}")).ok_or_else(|| item.to_string())?);
        }
    }
    Ok(found)
}

/// A text without the number at its end, and this number; -1 where there is none.
fn numbered(text: &str) -> (String, i64) {
    let before = text.trim_end_matches(|c: char| c.is_ascii_digit());
    (before.to_string(), text[before.len()..].parse().unwrap_or(-1))
}
