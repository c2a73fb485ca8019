//! What a position is worth: a linear function of what stands where, made from the layout of the state
//! and fitted to the results of games (logistic regression).

use crate::plan::{Cells, Op, Plan};
use crate::program::FluentId;

/// The greatest number of weights; games with larger states are not evaluated.
const MOST_WEIGHTS: usize = 1 << 17;

/// One part of the state.
#[derive(Debug, Clone, PartialEq)]
enum Part {
    /// The elements of a plane: one weight for each cell.
    Plane { first: usize, words: usize, weight: usize },
    /// Cells with values that are numbers: one weight for each cell, times its number.
    Numbers { cells: Cells, size: usize, base: f32, scale: f32, weight: usize },
    /// Cells with other values: a weight for each value of each cell.
    Values { cells: Cells, size: usize, values: usize, weight: usize },
    /// Elements of a set without a plane: one weight for each.
    Bits { first: usize, size: usize, weight: usize },
    /// The rows that a rule asks to be whole. For each value and each number of pieces there is a weight,
    /// times the rows that hold that number of pieces of the value and no others.
    Rows { planes: Vec<usize>, defined: usize, words: usize, rows: Vec<Box<[u64]>>, weight: usize },
}

/// The longest row whose pieces are counted.
const LONGEST_ROW: usize = 12;
/// The most rows that are looked at in a position.
const MOST_ROWS: usize = 2_000;

/// How a state is read as features. A feature's number is the index of its weight.
#[derive(Debug, Clone, PartialEq)]
pub struct Reader {
    parts: Vec<Part>,
    /// The number of weights, without those of the player to move.
    pub len: usize,
    /// For each weight, the group that it belongs to: the cells of one value have one in common.
    pub groups: Vec<u32>,
    /// The number of groups.
    pub group_count: usize,
    /// How many players there are.
    pub players: usize,
}

impl Reader {
    /// The reader for a plan; `None` where the state is too large.
    pub fn new(plan: &Plan) -> Option<Reader> {
        let (layout, players) = (&plan.layout, plan.players.len());
        let mut reader =
            Reader { parts: Vec::new(), len: 0, groups: Vec::new(), group_count: 0, players };
        for (number, place) in layout.places.iter().enumerate() {
            if place.aside || number == FluentId::TURN.0 as usize {
                continue;
            }
            let numeric = place.value.as_ref().is_some_and(|axis| {
                axis.universe.is_none() && axis.listed.is_none() && axis.len > 1
            });
            let values = place.value.as_ref().map_or(1, |axis| axis.len);
            match (place.planes, place.cells) {
                (_, cells @ (Cells::Word(_) | Cells::Packed { .. })) if numeric => {
                    let base = place.value.as_ref().map_or(0, |axis| axis.base) as f32;
                    let top = (base + values as f32 - 1.0).abs().max(base.abs()).max(1.0);
                    let size = if place.keys.is_empty() { 1 } else { place.size };
                    let weight = reader.take(size, size);
                    reader.parts.push(Part::Numbers {
                        cells,
                        size,
                        base,
                        scale: 1.0 / top,
                        weight,
                    });
                }
                (Some(planes), _) if place.value.is_some() => {
                    for value in 0..values {
                        let first = planes.first as usize + value * layout.words;
                        let weight = reader.take(layout.words * 64, layout.words * 64);
                        reader.parts.push(Part::Plane { first, words: layout.words, weight });
                    }
                }
                (Some(planes), _) => {
                    let first = planes.defined as usize;
                    let weight = reader.take(layout.words * 64, layout.words * 64);
                    reader.parts.push(Part::Plane { first, words: layout.words, weight });
                }
                (None, Cells::Packed { first, shift: 0 }) => {
                    let weight = reader.take(place.size, place.size);
                    reader.parts.push(Part::Bits {
                        first: first as usize,
                        size: place.size,
                        weight,
                    });
                }
                (None, Cells::None) => {}
                (None, cells) => {
                    let size = if place.keys.is_empty() { 1 } else { place.size };
                    let weight = reader.take_each(size, values);
                    reader.parts.push(Part::Values { cells, size, values, weight });
                }
            }
            if reader.len > MOST_WEIGHTS {
                return None;
            }
        }
        reader.rows(plan);
        Some(reader)
    }

    /// The rows that the plan asks to be whole, on each map over sites.
    fn rows(&mut self, plan: &Plan) {
        let layout = &plan.layout;
        let mut known = Vec::new();
        for op in plan.blocks.ops() {
            let Op::AnyRow { masks, count, .. } = op else { continue };
            if !known.contains(&(*masks, *count)) {
                known.push((*masks, *count));
            }
        }
        let mut rows: Vec<Box<[u64]>> = Vec::new();
        for (masks, count) in known {
            let words = layout.words;
            let range = masks as usize * words..(masks + count) as usize * words;
            for mask in plan.masks[range].chunks(words) {
                let len: u32 = mask.iter().map(|word| word.count_ones()).sum();
                if (2..=LONGEST_ROW as u32).contains(&len) && !rows.iter().any(|r| **r == *mask) {
                    rows.push(mask.into());
                }
            }
        }
        if rows.is_empty() || rows.len() > MOST_ROWS {
            return;
        }
        for place in &layout.places {
            let (Some(planes), Some(value)) = (place.planes, &place.value) else { continue };
            let planes_of = |v: usize| planes.first as usize + v * layout.words;
            let weight = self.take(value.len * LONGEST_ROW, 1);
            self.parts.push(Part::Rows {
                planes: (0..value.len).map(planes_of).collect(),
                defined: planes.defined as usize,
                words: layout.words,
                rows: rows.clone(),
                weight,
            });
        }
    }

    /// Weights of one group for each `span` of them.
    fn take(&mut self, count: usize, span: usize) -> usize {
        let at = self.len;
        for i in 0..count {
            self.groups.push((self.group_count + i / span.max(1)) as u32);
        }
        self.group_count += count.div_ceil(span.max(1));
        self.len += count;
        at
    }

    /// Weights for each value of each cell, with one group a value.
    fn take_each(&mut self, size: usize, values: usize) -> usize {
        let at = self.len;
        for i in 0..size * values {
            self.groups.push((self.group_count + i % values) as u32);
        }
        self.group_count += values;
        self.len += size * values;
        at
    }

    /// A fingerprint of what the features are (FNV-1a).
    pub fn shape(&self) -> u64 {
        let text = format!("{:?} {}", self.parts, self.players);
        text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    }

    /// Calls `tell` with each feature that the state has, and how much of it.
    #[inline]
    pub fn read(&self, state: &[u64], mut tell: impl FnMut(usize, f32)) {
        for part in &self.parts {
            match part {
                Part::Plane { first, words, weight } => {
                    for w in 0..*words {
                        let mut word = state[first + w];
                        while word != 0 {
                            tell(weight + w * 64 + word.trailing_zeros() as usize, 1.0);
                            word &= word - 1;
                        }
                    }
                }
                Part::Numbers { cells, size, base, scale, weight } => {
                    for cell in 0..*size {
                        let coded = cells.coded(state, cell);
                        let number = if coded == 0 { 0.0 } else { base + coded as f32 - 1.0 };
                        if number != 0.0 {
                            tell(weight + cell, number * scale);
                        }
                    }
                }
                Part::Values { cells, size, values, weight } => {
                    for cell in 0..*size {
                        let coded = cells.coded(state, cell);
                        if coded > 0 {
                            tell(weight + cell * values + coded - 1, 1.0);
                        }
                    }
                }
                Part::Rows { planes, defined, words, rows, weight } => {
                    let mut counts = [0u32; 32 * LONGEST_ROW];
                    for row in rows {
                        let held: u32 =
                            (0..*words).map(|w| (row[w] & state[defined + w]).count_ones()).sum();
                        if held == 0 {
                            continue;
                        }
                        for (v, plane) in planes.iter().enumerate() {
                            let own: u32 =
                                (0..*words).map(|w| (row[w] & state[plane + w]).count_ones()).sum();
                            if own == held {
                                counts[v * LONGEST_ROW + own as usize - 1] += 1;
                            }
                            if own > 0 {
                                break;
                            }
                        }
                    }
                    for (i, count) in counts[..planes.len() * LONGEST_ROW].iter().enumerate() {
                        if *count > 0 {
                            tell(weight + i, *count as f32 * 0.25);
                        }
                    }
                }
                Part::Bits { first, size, weight } => {
                    for w in 0..size.div_ceil(64) {
                        let mut word = state[first + w];
                        while word != 0 {
                            tell(weight + w * 64 + word.trailing_zeros() as usize, 1.0);
                            word &= word - 1;
                        }
                    }
                }
            }
        }
    }

    /// Whether the second state has fewer pieces of some kind than the first: elements of a plane.
    #[inline]
    pub fn loses(&self, before: &[u64], after: &[u64]) -> bool {
        self.parts.iter().any(|part| match part {
            Part::Plane { first, words, .. } => {
                let count = |state: &[u64]| -> u32 {
                    state[*first..first + words].iter().map(|word| word.count_ones()).sum()
                };
                count(after) < count(before)
            }
            _ => false,
        })
    }
}

/// The weights of a game's features.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    pub(super) reader: Reader,
    /// By output and feature. There is one output with two players, the first player's logarithm of the
    /// odds to win; otherwise one for each player.
    pub(super) weights: Vec<Vec<f32>>,
    /// By output and player to move.
    pub(super) turns: Vec<Vec<f32>>,
}

impl Evaluation {
    /// An evaluation that knows nothing.
    pub fn blank(reader: Reader) -> Evaluation {
        let outputs = if reader.players == 2 { 1 } else { reader.players };
        Evaluation {
            weights: vec![vec![0.0; reader.len]; outputs],
            turns: vec![vec![0.0; reader.players]; outputs],
            reader,
        }
    }

    /// An evaluation from weights in hundredths, by output; the last of each are those of the player to
    /// move. `None` where they do not fit.
    pub fn from_hundredths(reader: Reader, weights: &[Vec<i32>]) -> Option<Evaluation> {
        let mut evaluation = Evaluation::blank(reader);
        let len = evaluation.reader.len;
        let fits = weights.len() == evaluation.weights.len()
            && weights.iter().all(|w| w.len() == len + evaluation.reader.players);
        if !fits {
            return None;
        }
        for (output, given) in weights.iter().enumerate() {
            let given = || given.iter().map(|w| *w as f32 / 100.0);
            evaluation.weights[output] = given().take(len).collect();
            evaluation.turns[output] = given().skip(len).collect();
        }
        Some(evaluation)
    }

    /// The weights in hundredths, as [`Evaluation::from_hundredths`] takes them.
    pub fn hundredths(&self) -> Vec<Vec<i32>> {
        let all = self.weights.iter().zip(&self.turns);
        all.map(|(weights, turns)| {
            weights.iter().chain(turns).map(|w| (w * 100.0).round() as i32).collect()
        })
        .collect()
    }

    /// The logarithm of the odds that a player wins.
    pub fn of(&self, state: &[u64], turn: usize, player: usize) -> f32 {
        let (output, sign) = match self.reader.players {
            2 => (0, if player == 0 { 1.0 } else { -1.0 }),
            _ => (player, 1.0),
        };
        let weights = &self.weights[output];
        let mut sum = self.turns[output].get(turn).copied().unwrap_or(0.0);
        self.reader.read(state, |feature, amount| sum += weights[feature] * amount);
        sign * sum
    }
}
