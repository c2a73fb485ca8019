//! Patterns: what stands on a few neighbouring sites in a row, as one feature for each way of filling them
//! (n-tuples: Buro 1997; Lucas 2008).

use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::board::Board;
use crate::engine::Game;
use crate::plan::{Cells, Place};

use super::difference::{MOST_SETS, touched};

/// The most ways of filling a window.
const MOST_CODES: usize = 256;
/// The longest window.
const LONGEST: usize = 4;

/// The windows of a map over sites: short rows of sites, each with a weight for each way of filling it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Windows {
    /// The first word of the plane of each value; for a set, of the set.
    planes: Vec<usize>,
    /// The cells, where they are not told by the planes alone.
    cells: Cells,
    /// The number of words of a plane.
    words: usize,
    /// The cells of each window.
    windows: Vec<Box<[u16]>>,
    /// For each window, the number of its direction.
    pub directions: Vec<u16>,
    /// How many ways there are of filling a window.
    pub codes: usize,
    /// By cell, the windows that it is in.
    touching: Vec<Vec<u16>>,
}

impl Windows {
    /// The windows of a map; `None` where it has none, or too many values.
    pub fn new(game: &Game, board: &Board, place: &Place) -> Option<Windows> {
        let planes = place.planes?;
        let [axis] = place.axes() else { return None };
        let words = game.plan.layout.words;
        let planes: Vec<usize> = match &place.value {
            Some(value) => (0..value.len).map(|v| planes.first as usize + v * words).collect(),
            None => vec![planes.defined as usize],
        };
        let base = planes.len() + 1;
        let longest = (2..=LONGEST).rev().find(|len| base.pow(*len as u32) <= MOST_CODES)?;
        let cells: Vec<Option<u16>> = board
            .graph
            .node_weights()
            .map(|site| {
                let code = game.plan.universes.try_code(site.value)?;
                u16::try_from(axis.index(code)?).ok()
            })
            .collect();
        let mut next: IndexMap<Option<&str>, Vec<Option<usize>>> = IndexMap::new();
        let mut pairs = Vec::new();
        for edge in board.graph.raw_edges() {
            let (from, to) = (edge.source().index(), edge.target().index());
            match edge.weight.as_deref() {
                None => pairs.push((from, to)),
                name => {
                    let steps = next.entry(name).or_insert_with(|| vec![None; cells.len()]);
                    steps[from].get_or_insert(to);
                }
            }
        }
        let (mut windows, mut directions) = (Vec::new(), Vec::new());
        let mut known: FxHashSet<Vec<u16>> = FxHashSet::default();
        let mut add = |sites: &[usize], direction: usize| {
            let window: Option<Vec<u16>> = sites.iter().map(|site| cells[*site]).collect();
            let Some(window) = window else { return };
            let mut sorted = window.clone();
            sorted.sort_unstable();
            if known.insert(sorted) {
                windows.push(window.into_boxed_slice());
                directions.push(direction as u16);
            }
        };
        for (direction, next) in next.values().enumerate() {
            for site in 0..cells.len() {
                let row: Vec<usize> =
                    std::iter::successors(Some(site), |site| next[*site]).take(longest).collect();
                if row.len() == longest {
                    add(&row, direction);
                }
            }
        }
        for (a, b) in pairs {
            add(&[a, b], next.len());
        }
        if windows.is_empty() || windows.len() > MOST_SETS {
            return None;
        }
        let mut touching = vec![Vec::new(); words * 64];
        for (number, window) in windows.iter().enumerate() {
            for cell in window {
                touching[usize::from(*cell)].push(number as u16);
            }
        }
        let codes = base.pow(longest as u32);
        Some(Windows { planes, cells: place.cells, words, windows, directions, codes, touching })
    }

    /// The index of what fills a window of a state; 0 where it is empty.
    fn code(&self, state: &[u64], window: &[u16]) -> usize {
        window.iter().fold(0, |code, cell| {
            let (word, bit) = (usize::from(*cell) / 64, cell % 64);
            let held = match self.cells {
                Cells::None => {
                    let of = |plane: &usize| state[plane + word] >> bit & 1 == 1;
                    self.planes.iter().position(of).map_or(0, |at| at + 1)
                }
                cells => cells.coded(state, usize::from(*cell)),
            };
            code * (self.planes.len() + 1) + held
        })
    }

    /// For each window and each way of filling it, what it becomes by a renaming of cells and what they hold.
    pub fn images(
        &self,
        renamed: &mut dyn FnMut(usize, usize) -> Option<(usize, usize)>,
    ) -> Vec<Option<usize>> {
        let base = self.planes.len() + 1;
        let sorted = |window: &[u16]| {
            let mut sorted = window.to_vec();
            sorted.sort_unstable();
            sorted
        };
        let numbers: FxHashMap<Vec<u16>, usize> =
            self.windows.iter().enumerate().map(|(i, window)| (sorted(window), i)).collect();
        let mut images = Vec::with_capacity(self.windows.len() * self.codes);
        for window in &self.windows {
            for code in 0..self.codes {
                let mut rest = code;
                let facts: Option<Vec<(u16, usize)>> = window
                    .iter()
                    .rev()
                    .map(|cell| {
                        let (cell, coded) = renamed(usize::from(*cell), rest % base)?;
                        rest /= base;
                        Some((cell as u16, coded))
                    })
                    .collect();
                images.push(facts.and_then(|facts| {
                    let cells: Vec<u16> = facts.iter().map(|(cell, _)| *cell).collect();
                    let number = *numbers.get(&sorted(&cells))?;
                    let code = self.windows[number].iter().try_fold(0, |code, cell| {
                        let (_, coded) = facts.iter().find(|(own, _)| own == cell)?;
                        Some(code * base + coded)
                    })?;
                    Some(number * self.codes + code)
                }));
            }
        }
        images
    }

    /// Calls `tell` with the number of each window that is not empty and what fills it, as one index.
    pub fn read(&self, state: &[u64], mut tell: impl FnMut(usize)) {
        for (number, window) in self.windows.iter().enumerate() {
            let code = self.code(state, window);
            if code > 0 {
                tell(number * self.codes + code);
            }
        }
    }

    /// Calls `tell` with what was and what is in each window that differs.
    pub fn differences(&self, before: &[u64], after: &[u64], mut tell: impl FnMut(usize, f32)) {
        touched(before, after, &self.planes, self.words, &self.touching, |number| {
            let window = &self.windows[number];
            for (state, amount) in [(before, -1.0), (after, 1.0)] {
                let code = self.code(state, window);
                if code > 0 {
                    tell(number * self.codes + code, amount);
                }
            }
        });
    }
}
