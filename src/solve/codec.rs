//! Positions as numbers. A position is read as cells; how many cells hold each value, and what else only
//! grows, only shrinks or never changes in play, is its *tier*; where they stand is its *rank*, a number below the size of
//! the tier.
//!
//! The cells of a map over sites are ranked as combinations: those that hold value 1 among all, those
//! that hold value 2 among the rest, and so on (the combinatorial number system). All other cells are
//! digits of a mixed radix.

use smallvec::SmallVec;

use crate::plan::{Layout, Plan, Scope};
use crate::program::{FluentId, Program};

use super::bounds::Bounds;
use super::crew::Trouble;

/// What a cell holds: the index of the value plus one, 0 where it is undefined.
pub type Cell = u32;
/// What the positions of a tier have in common.
pub type TierKey = SmallVec<[u32; 12]>;

/// A map with more values than this is not ranked by combinations.
const MOST_VALUES: usize = 32;
/// A map with fewer cells than this is not ranked by combinations.
const FEWEST_CELLS: usize = 4;

/// One fluent of a position.
#[derive(Debug, Clone)]
pub struct Field {
    /// The fluent.
    pub fluent: FluentId,
    /// Its cells that may hold something.
    pub cells: Vec<u32>,
    /// The index of the first of them among the cells of a position.
    pub first: usize,
    /// How many values a cell can have, undefined included.
    pub values: u32,
    /// Its cells are ranked as combinations.
    pub arranged: bool,
    /// For each of its cells, whether it only grows (1), only shrinks (-1) or stays as it is (0) in play, and so is
    /// part of the tier; `None` where it is part of the rank. Not used where the field is arranged.
    pub trends: Vec<Option<i8>>,
}

/// How positions of a game are numbered.
#[derive(Debug, Clone)]
pub struct Codec {
    /// The fluents that tell positions apart.
    pub fields: Vec<Field>,
    /// How many cells a position has.
    pub len: usize,
    /// The cell that holds the turn.
    pub turn: usize,
    /// For each entry of a tier, how it tends in play: 1 where it only grows, -1 where it only shrinks, 0 otherwise.
    pub progress: Vec<i8>,
    layout: Layout,
    /// The binomial coefficients, of up to the number of cells of the largest field.
    choose: Vec<Vec<u64>>,
}

/// Binomial coefficients; those of more than 64 bits are `u64::MAX`.
fn pascal(most: usize) -> Vec<Vec<u64>> {
    let mut rows: Vec<Vec<u64>> = vec![vec![1]];
    for n in 1..=most {
        let above = &rows[n - 1];
        let entry = |k: usize| match (above.get(k.wrapping_sub(1)), above.get(k)) {
            (Some(a), Some(b)) => a.saturating_add(*b),
            _ => 1,
        };
        rows.push((0..=n).map(entry).collect());
    }
    rows
}

impl Codec {
    /// The numbering of a game's positions, where no cell is known to have a trend.
    ///
    /// # Errors
    /// Its tables take more memory than the bounds allow.
    pub fn new(
        program: &Program,
        plan: &Plan,
        scope: &Scope,
        bounds: &mut Bounds<'_>,
    ) -> Result<Codec, Trouble> {
        let mut fields = Vec::new();
        let (mut first, mut turn) = (0, 0);
        for fluent in &scope.fluents {
            if program.fluent(*fluent).scratch {
                continue;
            }
            let place = plan.layout.place(*fluent);
            let allowed =
                |cell: &u32| place.allowed_keys.as_ref().is_none_or(|a| a[*cell as usize]);
            let cells: Vec<u32> = (0..place.size as u32).filter(allowed).collect();
            let values = place.value.as_ref().map_or(1, |axis| axis.len) as u32 + 1;
            if *fluent == FluentId::TURN {
                turn = first;
            }
            fields.push(Field {
                fluent: *fluent,
                first,
                values,
                arranged: cells.len() >= FEWEST_CELLS && values as usize <= MOST_VALUES,
                trends: vec![None; cells.len()],
                cells,
            });
            first += fields.last().map_or(0, |field| field.cells.len());
        }
        let most = fields.iter().filter(|f| f.arranged).map(|f| f.cells.len()).max().unwrap_or(0);
        // half of a square of numbers
        bounds.take((most as u64 + 1) * (most as u64 + 2) * 4)?;
        let layout = plan.layout.clone();
        Ok(Codec { fields, len: first, turn, progress: Vec::new(), layout, choose: pascal(most) })
    }

    /// Learns from games, each a list of positions in the order of play, what only grows or only shrinks.
    pub fn learn(&mut self, games: &[Vec<Vec<Cell>>]) {
        let trend = |of: &dyn Fn(&[Cell]) -> u32| {
            let (mut up, mut down) = (false, false);
            for pair in games.iter().flat_map(|game| game.windows(2)) {
                let (a, b) = (of(&pair[0]), of(&pair[1]));
                up |= b > a;
                down |= b < a;
            }
            match (up, down) {
                (true, false) => Some(1),
                (false, true) => Some(-1),
                (false, false) => Some(0),
                (true, true) => None,
            }
        };
        let turn = self.turn;
        let mut fields = std::mem::take(&mut self.fields);
        self.progress.clear();
        for field in &mut fields {
            let range = field.first..field.first + field.cells.len();
            if field.arranged {
                for value in 1..field.values {
                    let tends = trend(&|cells: &[Cell]| {
                        cells[range.clone()].iter().filter(|cell| **cell == value).count() as u32
                    });
                    self.progress.push(tends.unwrap_or(0));
                }
            } else {
                for (i, cell) in range.clone().enumerate() {
                    field.trends[i] = match cell == turn {
                        true => None,
                        false => trend(&|cells: &[Cell]| cells[cell]),
                    };
                    self.progress.extend(field.trends[i]);
                }
            }
        }
        self.fields = fields;
    }

    /// Reads the cells of a position from the words of a state.
    pub fn read(&self, words: &[u64], cells: &mut Vec<Cell>) {
        cells.clear();
        for field in &self.fields {
            let place = self.layout.place(field.fluent);
            cells.extend(field.cells.iter().map(|cell| place.coded(words, *cell as usize) as Cell));
        }
    }

    /// Writes the cells of a position as the words of a state, whose other fluents hold nothing.
    pub fn write(&self, cells: &[Cell], words: &mut Vec<u64>) {
        words.clear();
        words.resize(self.layout.len, 0);
        for field in &self.fields {
            let place = self.layout.place(field.fluent);
            for (cell, coded) in field.cells.iter().zip(&cells[field.first..]) {
                if *coded > 0 {
                    self.layout.put(place, *cell as usize, *coded as usize, words);
                }
            }
        }
    }

    /// Whether the layout can hold these cells: each value is one that may be assigned, and nothing that is
    /// always defined is missing.
    pub fn may_hold(&self, cells: &[Cell]) -> bool {
        self.fields.iter().all(|field| {
            let place = self.layout.place(field.fluent);
            let total = place.initial.is_some() || field.fluent == FluentId::TURN;
            let allowed = |coded: &Cell| match (*coded as usize).checked_sub(1) {
                None => !total,
                Some(value) => place.allowed_values.as_ref().is_none_or(|a| a[value]),
            };
            cells[field.first..field.first + field.cells.len()].iter().all(allowed)
        })
    }

    /// The tier of a position.
    pub fn tier(&self, cells: &[Cell], tier: &mut TierKey) {
        tier.clear();
        for field in &self.fields {
            let own = &cells[field.first..field.first + field.cells.len()];
            if field.arranged {
                let from = tier.len();
                tier.resize(from + field.values as usize - 1, 0);
                for cell in own.iter().filter(|cell| **cell > 0) {
                    tier[from + *cell as usize - 1] += 1;
                }
            } else {
                let kept = own.iter().zip(&field.trends).filter(|(_, trend)| trend.is_some());
                tier.extend(kept.map(|(cell, _)| *cell));
            }
        }
    }

    /// How many ranks a tier has; `None` where they do not fit 63 bits.
    pub fn size(&self, tier: &[u32]) -> Option<u64> {
        let (mut size, mut at) = (1u64, 0);
        for field in &self.fields {
            if field.arranged {
                let mut rest = field.cells.len();
                for count in &tier[at..at + field.values as usize - 1] {
                    let ways = *self.choose[rest].get(*count as usize)?;
                    size = size.checked_mul(ways)?;
                    rest -= *count as usize;
                }
                at += field.values as usize - 1;
            } else {
                for trend in &field.trends {
                    match trend {
                        None => size = size.checked_mul(u64::from(field.values))?,
                        Some(_) => at += 1,
                    }
                }
            }
        }
        (size < 1 << 63).then_some(size)
    }

    /// The rank of a position in its tier.
    pub fn rank(&self, tier: &[u32], cells: &[Cell]) -> u64 {
        let (mut rank, mut at) = (0u64, 0);
        for field in &self.fields {
            let own = &cells[field.first..field.first + field.cells.len()];
            if field.arranged {
                let mut rest = own.len();
                for value in 1..field.values {
                    let count = tier[at + value as usize - 1] as usize;
                    if count > 0 {
                        let (mut place, mut taken, mut sum) = (0, 0, 0);
                        for cell in own {
                            if *cell == value {
                                taken += 1;
                                sum += self.choose[place].get(taken).copied().unwrap_or(0);
                                if taken == count {
                                    break;
                                }
                            }
                            place += usize::from(*cell == 0 || *cell >= value);
                        }
                        rank = rank * self.choose[rest][count] + sum;
                        rest -= count;
                    }
                }
                at += field.values as usize - 1;
            } else {
                for (cell, trend) in own.iter().zip(&field.trends) {
                    match trend {
                        None => rank = rank * u64::from(field.values) + u64::from(*cell),
                        Some(_) => at += 1,
                    }
                }
            }
        }
        rank
    }

    /// The position of a rank.
    pub fn unrank(&self, tier: &[u32], mut rank: u64, cells: &mut Vec<Cell>) {
        cells.clear();
        cells.resize(self.len, 0);
        let mut at = tier.len();
        for field in self.fields.iter().rev() {
            let own = &mut cells[field.first..field.first + field.cells.len()];
            if !field.arranged {
                for (cell, trend) in own.iter_mut().zip(&field.trends).rev() {
                    match trend {
                        None => {
                            *cell = (rank % u64::from(field.values)) as Cell;
                            rank /= u64::from(field.values);
                        }
                        Some(_) => {
                            at -= 1;
                            *cell = tier[at];
                        }
                    }
                }
                continue;
            }
            at -= field.values as usize - 1;
            let counts = &tier[at..at + field.values as usize - 1];
            // the parts of the rank, the last value's first
            let mut rest = own.len() - counts.iter().map(|c| *c as usize).sum::<usize>();
            let mut parts: SmallVec<[u64; 16]> = SmallVec::new();
            for count in counts.iter().rev() {
                rest += *count as usize;
                let ways = self.choose[rest][*count as usize];
                parts.push(rank % ways);
                rank /= ways;
            }
            let mut free: SmallVec<[usize; 128]> = (0..own.len()).collect();
            for (value, (count, part)) in counts.iter().zip(parts.iter().rev()).enumerate() {
                let (mut part, mut from) = (*part, free.len());
                for taken in (1..=*count as usize).rev() {
                    // the greatest place whose coefficient is not above what is left
                    let ways = |place: usize| self.choose[place].get(taken).copied().unwrap_or(0);
                    let mut place = from - 1;
                    while ways(place) > part {
                        place -= 1;
                    }
                    part -= ways(place);
                    own[free[place]] = value as Cell + 1;
                    from = place;
                }
                free.retain(|i| own[*i] == 0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codec() -> Codec {
        let field = |first: usize, cells: usize, values, arranged, trends: &[Option<i8>]| Field {
            fluent: FluentId(0),
            cells: (0..cells as u32).collect(),
            first,
            values,
            arranged,
            trends: trends.to_vec(),
        };
        let fields = vec![
            field(0, 7, 4, true, &[None; 7]),
            field(7, 3, 5, false, &[None, Some(1), None]),
            field(10, 4, 2, true, &[None; 4]),
        ];
        let layout = Layout { places: Vec::new(), len: 0, words: 1 };
        Codec { fields, len: 14, turn: 7, progress: Vec::new(), layout, choose: pascal(7) }
    }

    #[test]
    fn ranks_of_a_tier_are_the_numbers_below_its_size() {
        let codec = codec();
        let tier = [2, 1, 2, 3, 1];
        let size = codec.size(&tier).expect("small");
        assert_eq!(size, 21 * 5 * 6 * 5 * 5 * 4);
        let (mut cells, mut again) = (Vec::new(), TierKey::new());
        for rank in 0..size {
            codec.unrank(&tier, rank, &mut cells);
            codec.tier(&cells, &mut again);
            assert_eq!(again.as_slice(), tier);
            assert_eq!(codec.rank(&tier, &cells), rank);
        }
    }
}
