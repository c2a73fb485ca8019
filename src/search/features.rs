//! How a position is read as features: what stands where, what counters hold, how much of each row that
//! an end asks for is held by one side, who is to move, and how many moves there are to choose among.

use std::sync::LazyLock;

use crate::board::Board;
use crate::engine::{Fault, Game, Walk};
use crate::plan::{Cells, Layout, Op, Place, Plan};
use crate::program::FluentId;

use super::difference::{MOST_SETS, held_by_one};
use super::exchange::Exchange;
use super::patterns::Windows;
use super::view::{NO_VALUES, Values, View, scaled};

/// The greatest number of weights; games with larger states are not evaluated.
const MOST_WEIGHTS: usize = 1 << 17;
/// Maps with so few cells have a group for each of them.
const FEW_CELLS: usize = 64;
/// The numbers up to this one have weights of their own: one or two pieces on a point may be worth more, or less,
/// than their share of many.
pub(super) const FEW: usize = 3;
/// The longest row whose pieces are counted.
pub(super) const LONGEST_ROW: usize = 12;
/// The most rows that are looked at in a position.
const MOST_ROWS: usize = 2_000;
const _: () = assert!(MOST_ROWS <= MOST_SETS, "their numbers are told apart as sets");
/// How much a row counts.
pub(super) const ROW_AMOUNT: f32 = 0.25;

/// The logarithms of small numbers of moves, each with one more.
static LOGARITHMS: LazyLock<[f32; 256]> =
    LazyLock::new(|| std::array::from_fn(|count| (1.0 + count as f32).ln()));

fn logarithm(count: u64) -> f32 {
    let known = usize::try_from(count).ok().and_then(|count| LOGARITHMS.get(count));
    known.copied().unwrap_or_else(|| (1.0 + count as f32).ln())
}

/// One part of the state.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Part {
    /// The elements of a plane: one weight for each cell.
    Plane { first: usize, words: usize, weight: usize },
    /// Cells with values that are numbers: one weight for each cell, times its number, and from `few` on one for
    /// each of the numbers 1 to [`FEW`] in each cell.
    Numbers { cells: Cells, size: usize, base: f32, scale: f32, weight: usize, few: usize },
    /// Cells with other values: a weight for each value of each cell.
    Values { cells: Cells, size: usize, values: usize, weight: usize },
    /// Elements of a set without a plane: one weight for each.
    Bits { first: usize, size: usize, weight: usize },
    /// The rows that a rule asks to be whole. For each value and each number of pieces there is a weight,
    /// times the rows that hold that number of pieces of the value and no others.
    Rows { planes: Vec<usize>, defined: usize, words: usize, rows: Vec<Box<[u64]>>, weight: usize },
    /// Short rows of neighbouring sites: for each a weight for each way of filling it.
    Patterns { windows: Windows, weight: usize },
}

/// What is read besides the state itself, who is to move and how many moves there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extra {
    /// What stands on a few neighbouring sites in a row.
    pub patterns: bool,
    /// What the rules say in `value/2`.
    pub values: bool,
}

/// How a state is read as features. A feature's number is the index of its weight.
#[derive(Debug, Clone, PartialEq)]
pub struct Reader {
    pub(super) parts: Vec<Part>,
    /// For each part, the number of the fluent that it reads and of the value.
    pub(super) sources: Vec<(usize, usize)>,
    /// The groups of patterns.
    pub(super) patterns: std::ops::Range<usize>,
    /// By cell, the rows that it is in.
    pub(super) touching: Vec<Vec<u16>>,
    /// The number of weights.
    pub len: usize,
    /// The features up to this one are those of the state without patterns.
    pub(super) plain: usize,
    /// For each weight, the group that it belongs to: the cells of one value have one in common.
    pub groups: Vec<u32>,
    /// For each group, the weight that it shares with the group of the other player, and the sign with which
    /// it takes it: what is good for one is bad for the other.
    pub shared: Vec<(u32, f32)>,
    /// The number of shared weights.
    pub shared_count: usize,
    /// How many players there are.
    pub players: usize,
    /// Whether the values of the rules are features.
    valued: bool,
}

impl Reader {
    /// The reader for a game; `None` where the state is too large. What the game does not have is left out.
    pub fn new(game: &Game, extra: Extra) -> Option<Reader> {
        let plan = &*game.plan;
        let exchange = Exchange::new(game);
        let players = plan.players.len();
        let mut reader = Reader {
            parts: Vec::new(),
            sources: Vec::new(),
            patterns: 0..0,
            touching: Vec::new(),
            len: 0,
            plain: 0,
            groups: Vec::new(),
            shared: Vec::new(),
            shared_count: 0,
            players,
            valued: extra.values && plan.value.is_some(),
        };
        for (number, place) in plan.layout.places.iter().enumerate() {
            if place.aside || number == FluentId::TURN.0 as usize {
                continue;
            }
            reader.place(place, &plan.layout, &exchange);
            let from = reader.sources.len();
            reader.sources.extend((from..reader.parts.len()).map(|part| (number, part - from)));
            if reader.len > MOST_WEIGHTS {
                return None;
            }
        }
        reader.rows(plan, &exchange);
        reader.plain = reader.len;
        if extra.patterns
            && let Some(board) = Board::new(&game.program, &game.tables)
        {
            reader.patterns = reader.shared.len()..reader.shared.len();
            for (number, place) in plan.layout.places.iter().enumerate() {
                if !place.aside {
                    reader.windows(game, &board, place);
                    reader.sources.resize(reader.parts.len(), (number, 0));
                }
            }
            reader.patterns.end = reader.shared.len();
            if reader.len > MOST_WEIGHTS {
                return None;
            }
        }
        // what the rules say that it is worth, who is to move, how many moves that player has, and how many the one before
        let other = |of: usize| (players == 2).then(|| 1 - of);
        for _ in 0..3 + usize::from(reader.valued) {
            let groups = reader.add_groups(players, other);
            reader.take((0..players).map(|player| groups + player as u32));
        }
        Some(reader)
    }

    fn place(&mut self, place: &Place, layout: &Layout, exchange: &Exchange<'_>) {
        let numeric =
            place.value.as_ref().filter(|axis| axis.universe.is_none() && axis.listed.is_none());
        let numeric = numeric.filter(|axis| axis.len > 1);
        let values = place.value.as_ref().map_or(1, |axis| axis.len);
        let value_image =
            |v: usize| place.value.as_ref().map_or(Some(v), |axis| exchange.index(axis, v));
        match (place.planes, place.cells) {
            (_, cells @ (Cells::Word(_) | Cells::Packed { .. })) if numeric.is_some() => {
                let base = numeric.map_or(0, |axis| axis.base) as f32;
                let top = (base + values as f32 - 1.0).abs().max(base.abs()).max(1.0);
                let size = if place.keys.is_empty() { 1 } else { place.size };
                let weight = self.cells(place, size, exchange);
                let few = self.few(place, size, exchange);
                self.parts.push(Part::Numbers { cells, size, base, scale: 1.0 / top, weight, few });
            }
            (Some(planes), _) if place.value.is_some() => {
                let groups = self.add_groups(values, value_image);
                for value in 0..values {
                    let first = planes.first as usize + value * layout.words;
                    let group = groups + value as u32;
                    let weight = self.take((0..layout.words * 64).map(|_| group));
                    self.parts.push(Part::Plane { first, words: layout.words, weight });
                }
            }
            (Some(planes), _) => {
                let first = planes.defined as usize;
                let weight = self.cells(place, layout.words * 64, exchange);
                self.parts.push(Part::Plane { first, words: layout.words, weight });
            }
            (None, Cells::Packed { first, shift: 0 }) => {
                let weight = self.cells(place, place.size, exchange);
                self.parts.push(Part::Bits { first: first as usize, size: place.size, weight });
            }
            (None, Cells::None) => {}
            (None, cells) => {
                let size = if place.keys.is_empty() { 1 } else { place.size };
                let groups = self.add_groups(values, value_image);
                let weight = self.take((0..size * values).map(|i| groups + (i % values) as u32));
                self.parts.push(Part::Values { cells, size, values, weight });
            }
        }
    }

    /// Weights for the cells of a map: each is a group where they are few; otherwise those of one player are.
    fn cells(&mut self, place: &Place, size: usize, exchange: &Exchange<'_>) -> usize {
        if size <= FEW_CELLS {
            let groups = self.add_groups(size, |cell| {
                (cell < place.size).then(|| exchange.cell(place, cell)).flatten()
            });
            return self.take((0..size).map(|cell| groups + cell as u32));
        }
        let (owners, owner) = Self::owners(place, exchange);
        let groups = self.add_groups(owners.len(), |index| owners[index]);
        self.take((0..size).map(|cell| groups + owner(cell) as u32))
    }

    /// Weights for the numbers 1 to [`FEW`] in the cells of a map; the cells of one player are a group for each.
    fn few(&mut self, place: &Place, size: usize, exchange: &Exchange<'_>) -> usize {
        let (owners, owner) = Self::owners(place, exchange);
        let groups = self
            .add_groups(owners.len() * FEW, |i| owners[i / FEW].map(|image| image * FEW + i % FEW));
        self.take((0..size * FEW).map(|i| groups + (owner(i / FEW) * FEW + i % FEW) as u32))
    }

    /// Of the key that tells whose a cell is, what each index becomes when the players are exchanged, and the index
    /// of a cell. Where no key tells it, the cells have one index.
    fn owners(
        place: &Place,
        exchange: &Exchange<'_>,
    ) -> (Vec<Option<usize>>, impl Fn(usize) -> usize + use<>) {
        let (mut span, mut found) = (1, None);
        for axis in place.axes().iter().rev() {
            let images: Vec<_> = (0..axis.len).map(|i| exchange.index(axis, i)).collect();
            let moved = images.iter().enumerate().any(|(i, j)| j.is_some_and(|j| j != i));
            if axis.len <= FEW_CELLS && moved {
                found = Some((images, span));
                break;
            }
            span *= axis.len;
        }
        let (images, span) = found.unwrap_or((vec![None], 1));
        let len = images.len();
        (images, move |cell| cell / span % len)
    }

    /// The rows that the plan asks to be whole, on each map over sites.
    fn rows(&mut self, plan: &Plan, exchange: &Exchange<'_>) {
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
        self.touching = vec![Vec::new(); layout.words * 64];
        for (number, row) in rows.iter().enumerate() {
            for (cell, touching) in self.touching.iter_mut().enumerate() {
                if row[cell / 64] >> (cell % 64) & 1 == 1 {
                    touching.push(number as u16);
                }
            }
        }
        for (number, place) in layout.places.iter().enumerate() {
            let (Some(planes), Some(value)) = (place.planes, &place.value) else { continue };
            let planes_of = |v: usize| planes.first as usize + v * layout.words;
            let groups = self.add_groups(value.len * LONGEST_ROW, |i| {
                let image = exchange.index(value, i / LONGEST_ROW)?;
                Some(image * LONGEST_ROW + i % LONGEST_ROW)
            });
            let weight = self.take((0..value.len * LONGEST_ROW).map(|i| groups + i as u32));
            self.parts.push(Part::Rows {
                planes: (0..value.len).map(planes_of).collect(),
                defined: planes.defined as usize,
                words: layout.words,
                rows: rows.clone(),
                weight,
            });
            self.sources.push((number, 0));
        }
    }

    /// The patterns of a map.
    fn windows(&mut self, game: &Game, board: &Board, place: &Place) {
        let Some(windows) = Windows::new(game, board, place) else { return };
        let codes = windows.codes;
        let count = windows.directions.iter().max().map_or(0, |last| usize::from(*last) + 1);
        let groups = self.add_groups(count * codes, |_| None);
        let firsts = windows.directions.iter().map(|d| groups + (usize::from(*d) * codes) as u32);
        let weight = self.take(firsts.flat_map(|first| (0..codes as u32).map(move |i| first + i)));
        self.parts.push(Part::Patterns { windows, weight });
    }

    /// Whether the features tell how far rows are that an end asks for.
    pub fn has_rows(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Rows { .. }))
    }

    /// Adds groups; `image` is the group, of these, that another one becomes when the players are exchanged.
    fn add_groups(&mut self, count: usize, image: impl Fn(usize) -> Option<usize>) -> u32 {
        let base = self.shared.len();
        for i in 0..count {
            let entry = match image(i) {
                Some(j) if j < i => {
                    let (shared, sign) = self.shared[base + j];
                    (shared, -sign)
                }
                _ => {
                    self.shared_count += 1;
                    (self.shared_count as u32 - 1, 1.0)
                }
            };
            self.shared.push(entry);
        }
        base as u32
    }

    /// Adds a weight for each of these groups; returns the first.
    fn take(&mut self, groups: impl Iterator<Item = u32>) -> usize {
        let at = self.len;
        self.groups.extend(groups);
        self.len = self.groups.len();
        at
    }

    /// Whether it reads patterns: what stands on a few neighbouring sites in a row.
    pub fn has_patterns(&self) -> bool {
        !self.patterns.is_empty()
    }

    /// Whether it reads what the rules say in `value/2`.
    pub fn has_values(&self) -> bool {
        self.valued
    }

    /// What the rules say in `value/2` that the position of a walk is worth, where it is read.
    ///
    /// # Errors
    /// A rule error, or the end of the time.
    pub fn values(&self, walk: &mut dyn Walk) -> Result<Values, Fault> {
        match self.valued {
            true => Ok(scaled(&walk.values()?)),
            false => Ok(NO_VALUES),
        }
    }

    /// The first feature that is not of the state.
    pub(super) fn first_of_moment(&self) -> usize {
        self.len - self.groups_of_moment() * self.players
    }

    /// How many features each player has that are not of the state.
    pub(super) fn groups_of_moment(&self) -> usize {
        3 + usize::from(self.valued)
    }

    /// A fingerprint of what the features are (FNV-1a).
    pub fn shape(&self) -> u64 {
        let text = format!("{:?} {} {}", self.parts, self.players, self.len);
        text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    }

    /// Calls `tell` with each feature that the position has, and how much of it.
    #[inline]
    pub fn read(&self, view: View<'_>, mut tell: impl FnMut(usize, f32)) {
        let state = view.words;
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
                Part::Numbers { cells, size, base, scale, weight, few } => {
                    for cell in 0..*size {
                        let number = number(*base, cells.coded(state, cell));
                        tell_number(
                            number,
                            *scale,
                            1.0,
                            (weight + cell, few + cell * FEW),
                            &mut tell,
                        );
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
                Part::Rows { planes, defined, rows, weight, .. } => {
                    let mut counts = [0u32; 32 * LONGEST_ROW];
                    for row in rows {
                        if let Some(at) = held_by_one(state, row, planes, *defined) {
                            counts[at] += 1;
                        }
                    }
                    for (i, count) in counts[..planes.len() * LONGEST_ROW].iter().enumerate() {
                        if *count > 0 {
                            tell(weight + i, *count as f32 * ROW_AMOUNT);
                        }
                    }
                }
                Part::Patterns { windows, weight } => {
                    windows.read(state, |feature| tell(weight + feature, 1.0));
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
        self.moment(view.turn, view.choices, &view.values, tell);
    }

    /// The features of a position, with how much of each.
    pub(super) fn list(&self, view: View<'_>) -> Box<[(u32, f32)]> {
        let mut list = Vec::new();
        self.read(view, |feature, amount| list.push((feature as u32, amount)));
        list.into_boxed_slice()
    }

    /// As [`Reader::read`], for the features that are not of the state: the values of the rules, who is to move, and
    /// the numbers of moves.
    #[inline]
    pub fn moment(
        &self,
        turn: usize,
        choices: [Option<u64>; 2],
        values: &Values,
        mut tell: impl FnMut(usize, f32),
    ) {
        if self.valued {
            let first = self.first_of_moment();
            for (player, value) in values[..self.players].iter().enumerate() {
                tell(first + player, *value);
            }
        }
        let own = self.len - 3 * self.players + turn;
        tell(own, 1.0);
        for (i, count) in choices.iter().enumerate() {
            if let Some(count) = count {
                tell(own + (i + 1) * self.players, logarithm(*count));
            }
        }
    }

    /// The weight of a plane's first cell, by the plane's first word.
    pub fn plane(&self, of: usize) -> Option<usize> {
        self.parts.iter().find_map(|part| match part {
            Part::Plane { first, weight, .. } if *first == of => Some(*weight),
            _ => None,
        })
    }
}

/// The number that a coded value stands for; 0 where there is none.
#[inline]
pub(super) fn number(base: f32, coded: usize) -> f32 {
    if coded == 0 { 0.0 } else { base + coded as f32 - 1.0 }
}

/// Tells the features of a number in a cell, `sign` times: the one that it counts in, and that of the numbers up to [`FEW`].
#[inline]
pub(super) fn tell_number(
    number: f32,
    scale: f32,
    sign: f32,
    (weight, few): (usize, usize),
    tell: &mut impl FnMut(usize, f32),
) {
    if number != 0.0 {
        tell(weight, sign * number * scale);
    }
    if (1.0..=FEW as f32).contains(&number) {
        tell(few + number as usize - 1, sign);
    }
}
