//! What a game defines for people and for the search: notation, glyphs, prompts, advice, values and
//! measures.

use std::collections::hash_map::Entry;
use std::ops::ControlFlow;

use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use crate::datalog::Row;
use crate::program::{Constant, FluentId, FluentShape, Kind, RelationId, Value, Values};
use crate::syntax::{Term, print_term};

use super::facts::Facts;
use super::fault::RuleError;
use super::run::{Run, Stop};
use super::{Reference, settle};
use crate::goals::Environment;
use crate::goals::found;

/// What the rules tell the players in a position.
#[derive(Debug, Default)]
pub struct Prompts {
    /// What the player to move is told.
    pub to_mover: Vec<String>,
    /// What the other players are told.
    pub to_others: Vec<(Value, String)>,
}

/// What is drawn at a site.
#[derive(Debug, Clone)]
pub struct Sight {
    /// The value.
    pub value: Term,
    /// Its glyph, or else its name.
    pub text: String,
    /// Its drawing by `figure/2`.
    pub figure: Option<String>,
}

impl Prompts {
    /// The line that asks the player with this name to move.
    pub fn told(&self, player: &str) -> String {
        match self.to_mover.is_empty() {
            true => format!("{player} to move"),
            false => format!("{player} to move: {}", self.to_mover.join("; ")),
        }
    }
}

impl Reference {
    /// A move in the game's notation; its term where the game defines none.
    ///
    /// # Errors
    /// A rule error.
    pub fn notation(&self, facts: &Facts, mv: &Term) -> Result<String, RuleError> {
        let mut run = Run::new(self, facts);
        let (Some(notation), Some(value)) =
            (self.program.special.notation, run.values.from_term(mv))
        else {
            return Ok(print_term(mv));
        };
        let answer = self.first_row(&mut run, notation, &[Some(value), None])?;
        Ok(match answer.and_then(|row| row.get(1).copied()) {
            Some(written) => parts(&run.values, written),
            None => print_term(mv),
        })
    }

    /// The text of a value: its glyph, if it has one.
    ///
    /// # Errors
    /// A rule error.
    pub fn glyph(&self, facts: &Facts, value: Value) -> Result<String, RuleError> {
        let mut run = Run::new(self, facts);
        self.glyph_in(&mut run, value)
    }

    fn glyph_in(&self, run: &mut Run<'_>, value: Value) -> Result<String, RuleError> {
        let answer = match self.program.special.glyph {
            Some(glyph) => self.first_row(run, glyph, &[Some(value), None])?,
            None => None,
        };
        let text = answer.and_then(|row| row.get(1).copied()).unwrap_or(value);
        Ok(words(&run.values, text))
    }

    /// What is drawn at each of some sites: the value that `shows` gives, or else that of the first map over sites.
    ///
    /// # Errors
    /// A rule error.
    pub fn sights(
        &self,
        facts: &Facts,
        sites: impl Iterator<Item = Value>,
    ) -> Result<Vec<Option<Sight>>, RuleError> {
        let special = &self.program.special;
        let fluent = self.drawn_fluent();
        let mut run = Run::new(self, facts);
        // in one position a value always looks the same
        let mut known: FxHashMap<Value, Sight> = FxHashMap::default();
        let mut sights = Vec::new();
        for site in sites {
            // the limit of steps is that of a site
            run.steps = 0;
            let value = match special.shows {
                Some(shows) => self
                    .first_row(&mut run, shows, &[Some(site), None])?
                    .and_then(|row| row.get(1).copied()),
                None => fluent.and_then(|fluent| facts.get(fluent, &[site])),
            };
            sights.push(match value {
                None => None,
                Some(value) => Some(match known.entry(value) {
                    Entry::Occupied(known) => known.get().clone(),
                    Entry::Vacant(new) => new.insert(self.sight_in(&mut run, value)?).clone(),
                }),
            });
        }
        Ok(sights)
    }

    fn sight_in(&self, run: &mut Run<'_>, value: Value) -> Result<Sight, RuleError> {
        let text = self.glyph_in(run, value)?;
        let figure = match self.program.special.figure {
            Some(figure) => self
                .first_row(run, figure, &[Some(value), None])?
                .and_then(|row| row.get(1).map(|name| words(&run.values, *name))),
            None => None,
        };
        Ok(Sight { value: run.values.to_term(value), text, figure })
    }

    /// What `shows/3` draws between sites, in the order of the clauses.
    ///
    /// # Errors
    /// A rule error.
    pub fn between(&self, facts: &Facts) -> Result<Vec<(Value, Value, Sight)>, RuleError> {
        let Some(between) = self.program.special.between else { return Ok(Vec::new()) };
        let mut run = Run::new(self, facts);
        let mut found = Vec::new();
        for row in self.all_rows(&mut run, between, &[None, None, None])? {
            let text = self.glyph_in(&mut run, row[2])?;
            let sight = Sight { value: run.values.to_term(row[2]), text, figure: None };
            found.push((row[0], row[1], sight));
        }
        Ok(found)
    }

    /// What `status/1` tells the players below the board, in the order of the clauses, and a line for each lead of
    /// `status/2` with its items; `None` where the rules define neither.
    ///
    /// # Errors
    /// A rule error.
    pub fn status(&self, facts: &Facts) -> Result<Option<Vec<String>>, RuleError> {
        let special = &self.program.special;
        if special.status.is_none() && special.status_item.is_none() {
            return Ok(None);
        }
        let mut run = Run::new(self, facts);
        let mut lines = Vec::new();
        if let Some(status) = special.status {
            let rows = self.all_rows(&mut run, status, &[None])?;
            lines.extend(rows.iter().map(|row| parts(&run.values, row[0])));
        }
        let mut items: IndexMap<String, Vec<String>> = IndexMap::new();
        if let Some(status) = special.status_item {
            for row in self.all_rows(&mut run, status, &[None, None])? {
                let lead = parts(&run.values, row[0]);
                items.entry(lead).or_default().push(parts(&run.values, row[1]));
            }
        }
        let joined = items.iter().map(|(lead, items)| format!("{lead}: {}", items.join(", ")));
        lines.extend(joined);
        Ok(Some(lines))
    }

    /// The sites that lie behind another one, in a direction in which that is a step away; `None` where it is not, or where the
    /// steps of the board are not static.
    pub fn behind(&self, from: Value, over: Value) -> Option<Vec<Value>> {
        let step = self.program.special.step?;
        if self.program.relation(step).kind != Kind::Static {
            return None;
        }
        let steps = self.lookup.tables.get(step);
        let from_to = |row: &[Value]| match *row {
            [way, a, b] => Some((way, a, b)),
            _ => None,
        };
        let all = || steps.rows().filter_map(|row| from_to(&row));
        let ways: Vec<Value> =
            all().filter(|(_, a, b)| (*a, *b) == (from, over)).map(|(way, ..)| way).collect();
        let behind = all().filter(|(way, a, _)| *a == over && ways.contains(way));
        let behind: Vec<Value> = behind.map(|(.., b)| b).collect();
        (!ways.is_empty()).then_some(behind)
    }

    /// The first declared map whose only key is a site.
    pub fn drawn_fluent(&self) -> Option<crate::program::FluentId> {
        let sites = self.lookup.tables.get(self.program.special.xy?).column(0);
        let own = self.domains.iter().enumerate().skip(3);
        own.filter(|(_, domain)| domain.single_key_among(&sites))
            .map(|(i, _)| crate::program::FluentId(i as u32))
            .next()
    }

    /// The map that tells what stands where: the one that is drawn, or else, where no board is, the first partial map
    /// of several keys, such as columns and rows.
    pub fn contents_fluent(&self) -> Option<FluentId> {
        if self.program.special.xy.is_some() {
            return self.drawn_fluent();
        }
        let program = &self.program;
        let is_player = |value: Value| program.player_index(value).is_some();
        let mut own = program.fluents.iter().zip(self.domains.iter()).enumerate().skip(3);
        let found = own.find(|(_, (fluent, domain))| {
            matches!(fluent.shape, FluentShape::Map { initial: None, .. })
                && fluent.keys.len() > 1
                && matches!(domain.values().next(), Some(Value::Constant(_)))
                && !(0..fluent.keys.len()).any(|at| domain.keys_at(at).any(is_player))
        });
        found.map(|(i, _)| FluentId(i as u32))
    }

    /// What can stand on a site, each value with its letter in positions as text; none where no map of one key tells it.
    ///
    /// # Errors
    /// A rule error in `letter/2` or `glyph/2`.
    pub fn pieces(&self) -> Result<Vec<(Value, Option<String>)>, RuleError> {
        let Some(fluent) = self.contents_fluent().filter(|_| self.contents_width() == 1) else {
            return Ok(Vec::new());
        };
        let letters = self.letters(fluent)?;
        let letter = |piece: Value| {
            letters.iter().find(|(_, value)| *value == piece).map(|(letter, _)| letter.clone())
        };
        let constants = self.domain(fluent).values().filter(|v| matches!(v, Value::Constant(_)));
        Ok(constants.map(|piece| (piece, letter(piece))).collect())
    }

    /// The number of keys of the map that tells what stands where; 1 where there is none.
    pub fn contents_width(&self) -> usize {
        self.contents_fluent().map_or(1, |fluent| self.program.fluent(fluent).keys.len())
    }

    /// For each key of the map that tells what stands where its values, if it has several keys; otherwise none.
    pub fn contents_keys(&self) -> Vec<Vec<Value>> {
        let width = self.contents_width();
        let Some(fluent) = self.contents_fluent().filter(|_| width > 1) else { return Vec::new() };
        let domain = self.domain(fluent);
        (0..width).map(|at| domain.keys_at(at).collect()).collect()
    }

    /// Whether the rules tell the players anything.
    pub fn has_prompts(&self) -> bool {
        self.program.special.prompt.is_some() || self.program.special.prompt_to.is_some()
    }

    /// What `prompt/1` and `prompt/2` tell the players, in the order of the clauses.
    ///
    /// # Errors
    /// A rule error.
    pub fn prompts(&self, facts: &Facts) -> Result<Prompts, RuleError> {
        let mut run = Run::new(self, facts);
        let mut prompts = Prompts::default();
        let special = &self.program.special;
        if let Some(prompt) = special.prompt {
            let rows = self.all_rows(&mut run, prompt, &[None])?;
            prompts.to_mover = rows.iter().map(|row| words(&run.values, row[0])).collect();
        }
        if let Some(prompt) = special.prompt_to {
            let turn = facts.get(FluentId::TURN, &[]);
            for row in self.all_rows(&mut run, prompt, &[None, None])? {
                let text = words(&run.values, row[1]);
                match Some(row[0]) == turn {
                    true => prompts.to_mover.push(text),
                    false => prompts.to_others.push((row[0], text)),
                }
            }
        }
        Ok(prompts)
    }

    /// The advice on legal moves, with priority and reason; the highest priority first.
    ///
    /// # Errors
    /// A rule error.
    pub fn advice(
        &self,
        facts: &Facts,
        legal: &[Term],
    ) -> Result<Vec<(Term, i64, String)>, RuleError> {
        let mut run = Run::new(self, facts);
        let Some(advice) = self.program.special.advice else { return Ok(Vec::new()) };
        let moves: Vec<Value> = legal.iter().filter_map(|m| run.values.from_term(m)).collect();
        let mut rows = Vec::new();
        if self.program.relation(advice).needs_bound[0] {
            for mv in &moves {
                rows.extend(self.all_rows(&mut run, advice, &[Some(*mv), None, None])?);
            }
        } else {
            rows = self.all_rows(&mut run, advice, &[None, None, None])?;
            rows.retain(|row| moves.contains(&row[0]));
        }
        let mut advice: Vec<(Term, i64, String)> = rows
            .iter()
            .filter_map(|row| {
                let priority = row[1].integer()?;
                Some((run.values.to_term(row[0]), priority, words(&run.values, row[2])))
            })
            .collect();
        advice.sort_by_cached_key(|(mv, priority, text)| {
            (std::cmp::Reverse(*priority), print_term(mv), text.clone())
        });
        Ok(advice)
    }

    /// The measures of a position, by their names.
    ///
    /// # Errors
    /// A rule error.
    pub fn measures(&self, facts: &Facts) -> Result<Vec<(String, i64)>, RuleError> {
        let mut run = Run::new(self, facts);
        let Some(measure) = self.program.special.measure else { return Ok(Vec::new()) };
        let rows = self.all_rows(&mut run, measure, &[None, None])?;
        let figures = rows.iter().filter_map(|row| Some((row[0], row[1].integer()?)));
        Ok(figures.map(|(name, n)| (words(&run.values, name), n)).collect())
    }

    /// The value of the position to a player: the sum of the answers of `value/2`.
    ///
    /// # Errors
    /// A rule error.
    pub fn value(&self, facts: &Facts, player: Value) -> Result<Option<i64>, RuleError> {
        match self.program.special.value {
            Some(value) => settle(Run::new(self, facts).sum_for(value, player)),
            None => Ok(None),
        }
    }

    /// The score of each player, where the game has scores.
    ///
    /// # Errors
    /// A rule error.
    pub fn scores(&self, facts: &Facts) -> Result<Option<Vec<Option<i64>>>, RuleError> {
        let Some(score) = self.program.special.score else { return Ok(None) };
        let mut run = Run::new(self, facts);
        let all = self.program.players.iter().map(|p| settle(run.sum_for(score, *p)));
        all.collect::<Result<Vec<_>, _>>().map(Some)
    }

    pub(crate) fn first_row(
        &self,
        run: &mut Run<'_>,
        relation: RelationId,
        given: &[Option<Value>],
    ) -> Result<Option<Row>, RuleError> {
        let nobody = Environment::new(None, 0, 0);
        let mut first = None;
        settle(found(run.rows(relation, given, &nobody, &mut |_, row| {
            first = Some(row.clone());
            ControlFlow::Break(Stop::Enough)
        })))?;
        Ok(first)
    }

    pub(crate) fn all_rows(
        &self,
        run: &mut Run<'_>,
        relation: RelationId,
        given: &[Option<Value>],
    ) -> Result<Vec<Row>, RuleError> {
        let nobody = Environment::new(None, 0, 0);
        let mut rows = Vec::new();
        settle(run.rows(relation, given, &nobody, &mut |run, row| {
            rows.push(row.clone());
            run.keep(&nobody)
        }))?;
        Ok(rows)
    }
}

/// A text or atom without its quotes; anything else as it is written.
pub(crate) fn words(values: &Values, value: Value) -> String {
    match value.constant().map(|id| values.get(id)) {
        Some(Constant::Text(text) | Constant::Atom(text)) => text.to_string(),
        _ => values.show(value),
    }
}

/// The text of a notation: its parts, one after the other.
pub(crate) fn parts(values: &Values, written: Value) -> String {
    match values.items(written) {
        Some(items) => items.iter().map(|part| joined(values, *part)).collect(),
        None => words(values, written),
    }
}

/// A part of a move's notation; the items of a list are joined with dashes.
fn joined(values: &Values, part: Value) -> String {
    match values.items(part) {
        Some(items) => {
            let items: Vec<String> = items.iter().map(|item| words(values, *item)).collect();
            items.join("-")
        }
        None => words(values, part),
    }
}
