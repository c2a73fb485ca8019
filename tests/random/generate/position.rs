//! Openings that are told as text: `:- position`, with `letter/2`, `position_field/3` and `position_mark/3`.

use super::Writer;
use super::world::{Fluent, Ty};

/// The texts of the facts that the first field may tell.
const SIGNS: [&str; 3] = ["q", "r", "s"];

impl Writer {
    /// Now and then tells the opening of a square board as text; the parts of the state that it tells.
    pub fn told_opening(&mut self) -> Vec<String> {
        let square = self.world.site == "cell" && self.world.directions.len() >= 4;
        let at = self.world.fluents.iter().find(|fluent| fluent.name == "at").cloned();
        let Some(Fluent { keys, value: Some(value), initial: None, scratch: false, .. }) = at
        else {
            return Vec::new();
        };
        if !square || keys.len() != 1 || keys[0].sparse || !self.dice.percent(60) {
            return Vec::new();
        }
        let mut told = vec!["at".to_string()];
        let mut values = value.values;
        values.sort();
        values.dedup();
        for (i, value) in values.iter().enumerate() {
            self.say(format!("letter({value}, \"{}\").", letter(i)));
        }
        let n = self.dice.range(0, 4) as usize;
        let sites = self.world.sites.clone();
        let held: Vec<(String, usize)> = self
            .dice
            .some(&sites, n)
            .into_iter()
            .map(|site| (site, self.dice.below(values.len())))
            .collect();
        let mut rows: Vec<Vec<Option<usize>>> = Vec::new();
        let mut last = "";
        for site in &sites {
            let row = site.trim_start_matches(|c: char| c.is_alphabetic());
            if row != last {
                rows.insert(0, Vec::new());
                last = row;
            }
            let held = held.iter().find(|(name, _)| name == site).map(|(_, value)| *value);
            rows[0].push(held);
        }
        if self.dice.percent(40) {
            let rows: Vec<String> =
                rows.iter().map(|row| format!("\"{}\"", picture(row))).collect();
            self.say(format!(":- position [{}].", rows.join(", ")));
            return told;
        }
        let rows: Vec<String> = rows.iter().map(|row| line(row)).collect();
        let mut text = rows.join("/");
        self.mark();
        let facts: Vec<(String, String)> = (0..3).filter_map(|_| self.field()).collect();
        for (i, (_, field)) in facts.iter().enumerate() {
            self.say(format!("position_field(1, \"{}\", {field}).", SIGNS[i]));
        }
        told.extend(facts.iter().map(|(name, _)| name.clone()));
        if !facts.is_empty() {
            text.push_str(if self.dice.percent(80) { " q" } else { " -" });
            told.extend(self.number_field().map(|(name, value)| {
                text.push_str(&format!(" {value}"));
                name
            }));
        }
        self.say(format!(":- position \"{text}\"."));
        told
    }

    /// Now and then says what stands behind the letters of the sites that are in a set.
    fn mark(&mut self) {
        let sets = self.world.fluents.iter().filter(|fluent| {
            let keys = &fluent.keys;
            !fluent.scratch && fluent.value.is_none() && keys.len() == 1 && keys[0].ty == Ty::Site
        });
        let set =
            sets.filter(|fluent| !fluent.keys[0].sparse).map(|fluent| fluent.name.clone()).next();
        if let Some(set) = set
            && self.dice.percent(80)
        {
            self.say(format!("position_mark(C, \"~\", {set}(C)) :- cell(C)."));
        }
    }

    /// Now and then says that the second field is the number that a map holds; its name and a value.
    fn number_field(&mut self) -> Option<(String, String)> {
        let mut numbers = self.world.fluents.iter().filter(|fluent| {
            let value = fluent.value.as_ref();
            !fluent.scratch
                && fluent.keys.is_empty()
                && fluent.initial.is_some()
                && value.is_some_and(|value| value.ty == Ty::Number)
        });
        let fluent = numbers.next().cloned()?;
        if !self.dice.percent(70) {
            return None;
        }
        let value = self.dice.pick(&fluent.value.as_ref()?.values).clone();
        self.say(format!("position_field(2, number, {}).", fluent.name));
        Some((fluent.name, value))
    }

    /// A fact that a field of the position tells, with the name of the part of the state.
    fn field(&mut self) -> Option<(String, String)> {
        let fluents: Vec<Fluent> = self
            .world
            .fluents
            .iter()
            .filter(|fluent| fluent.name != "at" && !fluent.scratch)
            .filter(|fluent| fluent.value.as_ref().is_none_or(|value| value.ty != Ty::Number))
            .filter(|fluent| !fluent.keys.is_empty() || fluent.value.is_some())
            .cloned()
            .collect();
        if fluents.is_empty() || !self.dice.percent(60) {
            return None;
        }
        let fluent = self.dice.pick(&fluents).clone();
        let domains = fluent.keys.iter().chain(&fluent.value);
        let args: Vec<String> =
            domains.map(|domain| self.dice.pick(&domain.values).clone()).collect();
        Some((fluent.name.clone(), format!("{}({})", fluent.name, args.join(", "))))
    }
}

fn letter(i: usize) -> char {
    (b'A' + i as u8) as char
}

/// A row of a picture.
fn picture(row: &[Option<usize>]) -> String {
    let sites: Vec<String> =
        row.iter().map(|held| held.map_or(".".to_string(), |i| letter(i).to_string())).collect();
    sites.join(" ")
}

/// A row of a line, where a number counts empty sites.
fn line(row: &[Option<usize>]) -> String {
    let (mut text, mut empty) = (String::new(), 0);
    for held in row {
        match held {
            None => empty += 1,
            Some(i) => {
                if empty > 0 {
                    text.push_str(&empty.to_string());
                }
                text.push(letter(*i));
                empty = 0;
            }
        }
    }
    if empty > 0 {
        text.push_str(&empty.to_string());
    }
    text
}
