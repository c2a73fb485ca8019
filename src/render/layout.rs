//! Where a board's sites stand in text.
//!
//! An even scale is tried first, the widest that fits. Where none fits, each column gets as little room
//! as the texts in it need: a longest path over the columns from left to right.

use std::collections::BTreeMap;

use crate::board::{Board, Style};

use super::labels::{Coordinates, gcd};
use super::width::display_width;

/// The most columns and rows that are drawn.
const MOST_COLUMNS: i64 = 500;
const MOST_ROWS: i64 = 400;
/// The most rows of a board of upright lines in which the lines are drawn.
const MOST_LINED: i64 = 24;

/// A place in units of the layout: from the left and from the top.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spot {
    pub column: i64,
    pub row: i64,
}

/// How units of the board become columns of text.
#[derive(Debug, Clone)]
enum Columns {
    /// The same number for each unit.
    Even(i64),
    /// The columns of the units that have sites.
    Each(BTreeMap<i64, i64>),
}

/// The places of the sites in text.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    columns: Columns,
    /// The columns left of the first site's middle.
    margin: i64,
    /// Half of the widest text, to its left.
    left: i64,
    /// Rows of text per unit.
    down: i64,
    /// Lines are drawn between the sites.
    pub lines: bool,
    /// The least distance of two sites in a row, in units.
    gap: i64,
}

/// What a layout has to make room for.
pub(super) struct Texts<'a> {
    pub places: &'a [Spot],
    /// The columns of the text at each site, and of the name below it.
    pub widths: &'a [i64],
    pub coordinates: Option<&'a Coordinates>,
    pub gap: i64,
    /// A row is left free between the rows of sites.
    pub spaced: bool,
}

impl Layout {
    /// The layout of a board for a terminal of this width; `None` where it is too large to be drawn. Where
    /// nothing fits, the narrowest even layout.
    pub fn new(board: &Board, texts: &Texts<'_>, width: usize) -> Option<Layout> {
        let units = |f: fn(&Spot) -> i64| texts.places.iter().map(f).max().unwrap_or(0);
        let (columns, rows) = (units(|p| p.column), units(|p| p.row));
        let widest = texts.widths.iter().copied().max().unwrap_or(1);
        let names = i64::from(texts.coordinates.is_none()) + i64::from(texts.spaced);
        let room = width as i64;
        let labels = label_width(texts.coordinates);
        let (wide, tight) = (labels + 2 + widest / 2, labels + (widest - 1) / 2);
        let layout = |across: i64, margin: i64, lines: bool| Layout {
            columns: Columns::Even((across + texts.gap - 1) / texts.gap),
            margin,
            left: (widest - 1) / 2,
            down: 1 + i64::from(lines) + names,
            lines,
            gap: texts.gap,
        };
        // rows that are shifted by half a site look right with an even pitch
        let even = |pitch: i64| pitch + (pitch % 2) * i64::from(texts.gap % 2 == 0);
        let mut wanted = Vec::new();
        // rows that stand below each other are understood without lines, which would fill the screen
        let straight = texts.coordinates.is_some_and(|c| c.straight);
        if board.style == Style::Points && (!straight || 2 * rows <= MOST_LINED) {
            wanted.push((even((widest + 2).max(4)), true));
            wanted.push((even(widest + 1), true));
        }
        wanted.extend([
            (even((widest + 1).max(3)), false),
            (even(widest + 1), false),
            (widest + 1, false),
        ]);
        let last = wanted.last().map(|(across, lines)| layout(*across, wide, *lines));
        let mut all: Vec<(Layout, i64)> = Vec::new();
        let across = |l: &Layout| l.center(columns);
        for margin in [wide, tight] {
            let reserve = if margin == wide { widest } else { widest / 2 + 1 };
            all.extend(wanted.iter().map(|(a, lines)| (layout(*a, margin, *lines), reserve)));
        }
        let upright = texts.coordinates.is_none_or(|c| c.straight);
        all.extend(upright.then(|| (Layout::narrow(texts, tight, 1, names), widest / 2 + 1)));
        all.extend((widest <= 2).then(|| (layout(widest, tight, false), widest / 2 + 1)));
        all.extend(upright.then(|| (Layout::narrow(texts, tight, 0, names), widest / 2 + 1)));
        let fits = |(l, reserve): &&(Layout, i64)| {
            across(l) + reserve <= room && rows * l.down <= MOST_ROWS
        };
        let found = all.iter().find(fits).map(|(l, _)| l.clone()).or(last)?;
        (across(&found) - found.margin <= MOST_COLUMNS && rows * found.down <= MOST_ROWS)
            .then_some(found)
    }

    /// Each column as far to the left as the texts allow, with `space` blanks between them.
    fn narrow(texts: &Texts<'_>, margin: i64, space: i64, names: i64) -> Layout {
        let mut rows: BTreeMap<i64, Vec<(i64, i64)>> = BTreeMap::new();
        for (place, width) in texts.places.iter().zip(texts.widths) {
            rows.entry(place.row).or_default().push((place.column, *width));
        }
        for label in texts.coordinates.iter().flat_map(|c| &c.labels).filter(|l| l.column >= 0) {
            let width = display_width(&label.text) as i64;
            rows.entry(label.row).or_default().push((label.column, width));
        }
        // by column, the columns to the left of it in its rows and the distance that they need
        let mut before: BTreeMap<i64, Vec<(i64, i64)>> = BTreeMap::new();
        for row in rows.values_mut() {
            row.sort_unstable();
            for (column, _) in row.iter() {
                before.entry(*column).or_default();
            }
            for pair in row.windows(2) {
                let ((a, wide), (b, own)) = (pair[0], pair[1]);
                before.entry(b).or_default().push((a, wide / 2 + (own - 1) / 2 + 1 + space));
            }
        }
        let mut found: BTreeMap<i64, i64> = BTreeMap::new();
        for (column, left) in &before {
            let next = found.values().next_back().map_or(0, |last| last + 1);
            let least = left.iter().filter_map(|(a, distance)| Some(found.get(a)? + distance));
            found.insert(*column, least.max().unwrap_or(0).max(next));
        }
        let first = texts.places.iter().zip(texts.widths).filter(|(place, _)| place.column == 0);
        let left = first.map(|(_, width)| (width - 1) / 2).max().unwrap_or(0);
        let labels = label_width(texts.coordinates);
        let margin = margin.min(labels + left + i64::from(labels > 0));
        let columns = Columns::Each(found);
        Layout { columns, margin, left, down: 1 + names, lines: false, gap: texts.gap }
    }

    /// The middle column of what stands at a distance from the left, in units.
    fn center(&self, units: i64) -> i64 {
        let column = match &self.columns {
            Columns::Even(across) => units * across,
            Columns::Each(known) => {
                let near = known.range(..=units).next_back().or(known.iter().next());
                near.map_or(0, |(_, column)| *column)
            }
        };
        self.margin + column
    }

    pub fn column(&self, units: i64) -> usize {
        self.center(units).max(0) as usize
    }

    pub fn row(&self, units: i64) -> usize {
        (units * self.down).max(0) as usize
    }

    /// The columns of the area around a site.
    pub fn area(&self, units: i64) -> std::ops::Range<usize> {
        let at = self.center(units);
        let (before, behind) = (self.center(units - self.gap), self.center(units + self.gap));
        let (left, right) = match (at - before, behind - at) {
            (0, 0) => (1, 1),
            (0, right) => (right, right),
            (left, 0) => (left, left),
            both => both,
        };
        // an odd column goes to the site at its left
        let start = at - (left - 1) / 2;
        let end = at + right / 2 + 1;
        start.max(0) as usize..end.max(0) as usize
    }

    /// The column in which the label of a row begins, left of the board.
    pub fn label_start(&self, units: i64, text: &str) -> usize {
        let wide = display_width(text) as i64;
        let centred = self.margin + self.even() * units - (wide - 1) / 2;
        centred.min(self.margin - self.left - wide).max(0) as usize
    }

    fn even(&self) -> i64 {
        if let Columns::Even(across) = self.columns { across } else { 1 }
    }
}

/// The columns of the labels left of the board.
fn label_width(coordinates: Option<&Coordinates>) -> i64 {
    let left = coordinates.iter().flat_map(|c| &c.labels).filter(|l| l.column <= 0);
    left.map(|l| display_width(&l.text) as i64).max().unwrap_or(0)
}

/// The places of the sites, counted from the upper left corner.
pub(super) fn places(board: &Board) -> Vec<Spot> {
    let columns = units(board.sites().map(|(_, site)| site.x).collect());
    let rows = units(board.sites().map(|(_, site)| site.y.saturating_neg()).collect());
    columns.into_iter().zip(rows).map(|(column, row)| Spot { column, row }).collect()
}

/// Coordinates counted from the least one, in the largest unit of which all are multiples. Where
/// that leaves them far apart, they are numbered in order instead.
fn units(values: Vec<i64>) -> Vec<i64> {
    let least = values.iter().copied().min().unwrap_or(0);
    let offsets: Vec<i64> = values.iter().map(|v| v.saturating_sub(least)).collect();
    let unit = offsets.iter().fold(0, |unit, offset| gcd(unit, *offset)).max(1);
    let distinct: std::collections::BTreeSet<i64> = offsets.iter().copied().collect();
    let last = distinct.last().copied().unwrap_or(0) / unit;
    if last > MOST_ROWS && last > 4 * distinct.len() as i64 {
        let order: Vec<i64> = distinct.into_iter().collect();
        return offsets.iter().map(|o| order.partition_point(|d| d < o) as i64).collect();
    }
    offsets.iter().map(|o| o / unit).collect()
}

/// The least distance of two sites in one row.
pub(super) fn least_gap(places: &[Spot]) -> i64 {
    let mut sorted: Vec<(i64, i64)> = places.iter().map(|p| (p.row, p.column)).collect();
    sorted.sort_unstable();
    let same_row = sorted.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    same_row.map(|pair| pair[1].1 - pair[0].1).filter(|d| *d > 0).min().unwrap_or(1)
}
