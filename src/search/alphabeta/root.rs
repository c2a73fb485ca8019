//! The moves of the root, searched deeper and deeper.

use crate::engine::{Candidate, Fault, Look, Walk};

use super::super::table::{Bound, Table};
use super::{DECIDED, End, INFINITE, Line, MOST_DEPTH, Search, Told, entry_of};

impl Search<'_> {
    /// The moves of the root, the best first, as deep as the limits allow.
    ///
    /// # Errors
    /// A rule error.
    pub fn run(&mut self, deepest: i16, told: &mut Told<'_>) -> Result<Vec<Line>, Fault> {
        let mut lines: Vec<Line> = Vec::new();
        match self.walk.look() {
            Ok(Look::Moves) => {}
            Ok(_) => return Ok(lines),
            Err(fault) => return Err(fault),
        }
        let mut list: Vec<Candidate> = Vec::new();
        self.walk.candidates(&mut list);
        self.keep_wanted(&mut list);
        for depth in self.shallowest..=deepest.min(MOST_DEPTH) {
            match self.round(depth, &list, &mut lines) {
                Ok(()) => {}
                Err(End::Fault(fault)) => return Err(fault),
                Err(End::Limit) => break,
            }
            order_by(&mut list, &lines);
            told(&mut *self.walk, &lines, self.nodes);
            let sure = lines.first().is_some_and(|line| line.value.abs() > DECIDED);
            if sure || (list.len() < 2 && self.only.is_none()) {
                break;
            }
            self.learned.fade();
        }
        // an end of the time leaves the walk where it was
        self.walk.rewind();
        Ok(lines)
    }

    /// Leaves out the candidates that the search was not asked about.
    pub(super) fn keep_wanted(&self, list: &mut Vec<Candidate>) {
        if let Some(only) = &self.only {
            list.retain(|candidate| only.contains(&candidate.key));
        }
    }

    /// Searches all moves of the root to a depth. A round that was broken off counts as far as its
    /// first moves go.
    fn round(&mut self, depth: i16, list: &[Candidate], lines: &mut Vec<Line>) -> Result<(), End> {
        let (mut alpha, beta) = (-INFINITE, INFINITE);
        let mut found: Vec<Line> = Vec::new();
        for candidate in list {
            let step = (|| {
                if self.make(*candidate)?.is_none() {
                    return Ok(None);
                }
                let same = self.mine();
                let ask = |search: &mut Self, low: i32, high: i32| {
                    let (low, high) = if same { (low, high) } else { (-high, -low) };
                    let value = search.value(depth - 1, low, high)?;
                    Ok::<i32, End>(if same { value } else { -value })
                };
                let open = found.len() < self.wide;
                let mut value = match open {
                    true => ask(self, alpha, beta)?,
                    false => ask(self, alpha, alpha + 1)?,
                };
                if !open && value > alpha {
                    value = ask(self, alpha, beta)?;
                }
                self.walk.unmake();
                Ok::<Option<i32>, End>(Some(value))
            })();
            let value = match step {
                Ok(Some(value)) => value,
                Ok(None) => continue,
                Err(end) => {
                    self.walk.rewind();
                    keep(lines, found);
                    return Err(end);
                }
            };
            let mut keys = vec![candidate.key];
            if value > alpha {
                keys.extend_from_slice(&self.line[1]);
            }
            let line = Line { keys, value, depth };
            if value > alpha {
                let place = found.partition_point(|other| other.value >= value);
                found.insert(place, line);
                if let Some(last) = found.get(self.wide.max(1) - 1) {
                    alpha = last.value;
                }
            } else {
                found.push(line);
            }
        }
        *lines = found;
        Ok(())
    }
}

/// Appends the best moves of the table to a line that ends where the search met a position that it knew.
///
/// # Errors
/// A rule error, or the end of the time.
pub fn lengthen(walk: &mut dyn Walk, table: &Table, line: &mut Line) -> Result<(), Fault> {
    let me = walk.turn();
    let mut list: Vec<Candidate> = Vec::new();
    for at in 0..usize::try_from(line.depth).unwrap_or(0) {
        if walk.look()? != Look::Moves {
            break;
        }
        let known = table.get(entry_of(walk, me)).filter(|entry| entry.bound == Bound::Exact);
        let best = known.map(|entry| entry.best).filter(|key| *key != 0);
        list.clear();
        walk.candidates(&mut list);
        let is_next = |key: u64| match line.keys.get(at) {
            Some(next) => key == *next,
            None => best == Some(key as u32),
        };
        let Some(candidate) = list.iter().find(|candidate| is_next(candidate.key)) else { break };
        if !walk.make(*candidate)? {
            break;
        }
        if at == line.keys.len() {
            line.keys.push(candidate.key);
        }
    }
    Ok(())
}

/// The candidates that have a line, in the order of their lines.
pub(super) fn order_by(list: &mut Vec<Candidate>, lines: &[Line]) {
    let place = |key: u64| lines.iter().position(|line| line.keys[0] == key);
    list.retain(|candidate| place(candidate.key).is_some());
    list.sort_by_key(|candidate| place(candidate.key));
}

/// Puts the lines of a round that was broken off before those of the round before it, but not such as are known to lose before
/// others.
pub(super) fn keep(lines: &mut Vec<Line>, found: Vec<Line>) {
    let rest: Vec<Line> = lines
        .drain(..)
        .filter(|line| found.iter().all(|new| new.keys[0] != line.keys[0]))
        .collect();
    *lines = found;
    lines.extend(rest);
    lines.sort_by_key(|line| line.value < -DECIDED);
}
