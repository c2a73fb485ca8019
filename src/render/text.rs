//! Draws a board as text: sites at the places that `xy/3` gives, lines between joined points, and
//! coordinates at the edges or names beside the sites.

use std::collections::BTreeSet;

use crate::board::{Board, Style};

use super::Picture;
use super::canvas::Canvas;
use super::labels::{self, Coordinates, gcd};
use super::width::{display_width, fit};

/// The text at an empty site.
const EMPTY: &str = "·";
/// The longest name that is written beside its site, in columns.
const LONGEST_NAME: usize = 4;
/// The most columns and rows that are drawn.
const MOST_COLUMNS: i64 = 500;
const MOST_ROWS: i64 = 400;

/// A place in units of the layout: from the left and from the top.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub column: i64,
    pub row: i64,
}

/// The scale from units of the board to columns and rows of text.
#[derive(Debug, Clone, Copy)]
struct Scale {
    /// Columns of text per unit.
    across: i64,
    /// Rows of text per unit.
    down: i64,
    lines: bool,
}

/// Draws a board with the contents of its sites; marked sites are in brackets.
pub fn draw(board: &Board, picture: &Picture, width: usize) -> String {
    let framed: Vec<Option<String>> = (0..board.len())
        .map(|i| {
            let shown = picture.shown.get(i).cloned().flatten();
            match picture.marked.get(i) {
                Some(true) => Some(format!("[{}]", shown.as_deref().unwrap_or(EMPTY))),
                _ => shown,
            }
        })
        .collect();
    drawn(board, &framed, width)
}

fn drawn(board: &Board, shown: &[Option<String>], width: usize) -> String {
    let names: Vec<&str> = board.sites().map(|(_, site)| site.name.as_str()).collect();
    let content = |i: usize| shown.get(i).and_then(Option::as_deref);
    let places = places(board);
    let gap = least_gap(&places);
    let coordinates = labels::coordinates(&names, &places, gap);
    let beside = coordinates.is_none();
    let told = |i: usize| match &coordinates {
        Some(c) => c.told[i],
        None => display_width(names[i]) <= LONGEST_NAME,
    };
    let widest = (0..names.len())
        .map(|i| {
            let name = if beside && told(i) { display_width(names[i]) } else { 1 };
            name.max(content(i).map_or(1, display_width))
        })
        .max()
        .unwrap_or(1) as i64;
    let units = |f: fn(&Place) -> i64| places.iter().map(f).max().unwrap_or(0);
    let (columns, rows) = (units(|p| p.column), units(|p| p.row));
    let margin = margin(coordinates.as_ref(), widest);
    let room = (width as i64 - margin - widest).max(1);
    let Some(scale) = scale(board.style, gap, columns, rows, widest, room, beside) else {
        return list(&names, content, width);
    };
    let column = |units: i64| (margin + units * scale.across).max(0) as usize;
    let row = |units: i64| (units * scale.down).max(0) as usize;
    let bottom = row(rows) + if beside { 2 } else { 1 };
    // room for labels one step below and to the right of the board
    let mut canvas =
        Canvas::new(column(columns + gap) + widest as usize + 2, bottom + row(1).max(1));
    if scale.lines {
        for (a, b) in &board.drawn {
            let (a, b) = (places[a.index()], places[b.index()]);
            canvas.line((column(a.column), row(a.row)), (column(b.column), row(b.row)));
        }
    }
    for (i, place) in places.iter().enumerate() {
        canvas.center(column(place.column), row(place.row), content(i).unwrap_or(EMPTY));
        if beside && told(i) {
            canvas.center(column(place.column), row(place.row) + 1, names[i]);
        }
    }
    for label in coordinates.iter().flat_map(|c| &c.labels) {
        let at = (margin + label.column * scale.across).max(0) as usize;
        // one row is enough between the board and the letters below
        let below = label.row > rows;
        let line = if below { row(rows) + 1 } else { row(label.row) };
        canvas.center_if_blank(at, line, &label.text);
    }
    let mut out = canvas.text();
    let untold: Vec<String> = (0..names.len())
        .filter(|i| !told(*i))
        .filter_map(|i| content(i).map(|c| format!("{} {c}", names[i])))
        .collect();
    if !untold.is_empty() {
        out.push_str(&fit(&untold.join(", "), width, 4));
        out.push('\n');
    }
    out
}

/// The columns left of the board.
fn margin(coordinates: Option<&Coordinates>, widest: i64) -> i64 {
    let left = coordinates.iter().flat_map(|c| &c.labels).filter(|l| l.column <= 0);
    let labels = left.map(|l| display_width(&l.text) as i64).max().unwrap_or(0);
    labels + 2 + widest / 2
}

/// The places of the sites, counted from the upper left corner.
pub(super) fn places(board: &Board) -> Vec<Place> {
    let columns = units(board.sites().map(|(_, site)| site.x).collect());
    let rows = units(board.sites().map(|(_, site)| site.y.saturating_neg()).collect());
    columns.into_iter().zip(rows).map(|(column, row)| Place { column, row }).collect()
}

/// Coordinates counted from the least one, in the largest unit of which all are multiples. Where
/// that leaves them far apart, they are numbered in order instead.
fn units(values: Vec<i64>) -> Vec<i64> {
    let least = values.iter().copied().min().unwrap_or(0);
    let offsets: Vec<i64> = values.iter().map(|v| v.saturating_sub(least)).collect();
    let unit = offsets.iter().fold(0, |unit, offset| gcd(unit, *offset)).max(1);
    let distinct: BTreeSet<i64> = offsets.iter().copied().collect();
    let last = distinct.last().copied().unwrap_or(0) / unit;
    if last > MOST_ROWS && last > 4 * distinct.len() as i64 {
        let order: Vec<i64> = distinct.into_iter().collect();
        return offsets.iter().map(|o| order.partition_point(|d| d < o) as i64).collect();
    }
    offsets.iter().map(|o| o / unit).collect()
}

/// The least distance of two sites in one row.
fn least_gap(places: &[Place]) -> i64 {
    let mut sorted: Vec<(i64, i64)> = places.iter().map(|p| (p.row, p.column)).collect();
    sorted.sort_unstable();
    let same_row = sorted.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    same_row.map(|pair| pair[1].1 - pair[0].1).filter(|d| *d > 0).min().unwrap_or(1)
}

/// The largest scale at which the board fits; `None` where it fits at none.
fn scale(
    style: Style,
    gap: i64,
    columns: i64,
    rows: i64,
    widest: i64,
    room: i64,
    beside: bool,
) -> Option<Scale> {
    let names = i64::from(beside);
    let lines = Scale { across: 0, down: 2 + names, lines: true };
    let plain = Scale { across: 0, down: 1 + names, lines: false };
    let narrow = |pitch: i64| (pitch + gap - 1) / gap;
    // rows that are shifted by half a site look right with an even pitch
    let even = |pitch: i64| pitch + (pitch % 2) * i64::from(gap % 2 == 0);
    let mut wanted = Vec::new();
    if style == Style::Points {
        wanted.push((lines, even((widest + 2).max(4))));
        wanted.push((lines, even(widest + 1)));
    }
    wanted.push((plain, even((widest + 1).max(3))));
    wanted.push((plain, even(widest + 1)));
    wanted.push((plain, widest + 1));
    let fitting = wanted.into_iter().map(|(s, pitch)| Scale { across: narrow(pitch), ..s });
    let fits = |s: &Scale| columns * s.across <= room && rows * s.down <= MOST_ROWS;
    let all: Vec<Scale> = fitting.collect();
    let found = all.iter().find(|s| fits(s)).or(all.last()).copied()?;
    (columns * found.across <= MOST_COLUMNS && rows * found.down <= MOST_ROWS).then_some(found)
}

/// The contents of the sites as a list, for boards that are too large to be drawn.
fn list<'a>(names: &[&str], content: impl Fn(usize) -> Option<&'a str>, width: usize) -> String {
    let items: Vec<String> =
        (0..names.len()).filter_map(|i| content(i).map(|c| format!("{} {c}", names[i]))).collect();
    let text = if items.is_empty() { "nothing on the board".to_string() } else { items.join(", ") };
    format!("{}\n", fit(&text, width, 4))
}
