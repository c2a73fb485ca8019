//! Draws a board as text: sites at the places that `xy/3` gives, lines between joined points, and
//! coordinates at the edges or names beside the sites. Colours come with it, and who writes to something
//! that has none takes them away.

use crate::board::{Board, Style};

use super::canvas::Canvas;
use super::labels;
use super::layout::{Layout, Spot, Texts, least_gap, places};
use super::paint::Ground;
use super::width::{display_width, fit};
use super::{Between, Picture};

/// The text at an empty site.
const EMPTY: &str = "·";
/// The longest name that is written beside its site, in columns.
const LONGEST_NAME: usize = 4;

/// Draws a board with the contents of its sites; marked sites are in brackets.
pub fn draw(board: &Board, picture: &Picture, width: usize) -> String {
    let shown: Vec<Option<String>> = (0..board.len())
        .map(|i| {
            let shown = picture.shown.get(i).cloned().flatten();
            match picture.marked.get(i) {
                Some(true) => Some(format!("[{}]", shown.as_deref().unwrap_or(EMPTY))),
                _ => shown,
            }
        })
        .collect();
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
    let widths: Vec<i64> = (0..names.len())
        .map(|i| {
            let name = if beside && told(i) { display_width(names[i]) } else { 1 };
            name.max(content(i).map_or(1, display_width)) as i64
        })
        .collect();
    let spaced = picture.spaced && board.style == Style::Cells;
    let coordinates = coordinates.as_ref();
    let texts = Texts { places: &places, widths: &widths, coordinates, gap, spaced };
    let Some(layout) = Layout::new(board, &texts, width) else {
        return list(&names, content, width);
    };
    let units = |f: fn(&Spot) -> i64| places.iter().map(f).max().unwrap_or(0);
    let (columns, rows) = (units(|p| p.column), units(|p| p.row));
    let widest = widths.iter().copied().max().unwrap_or(1);
    let bottom = layout.row(rows) + if beside { 2 } else { 1 };
    // room for labels one step below and to the right of the board
    let across = layout.column(columns + gap) + widest as usize + LONGEST_NAME + 1;
    let mut canvas = Canvas::new(across, bottom.max(layout.row(rows + 1)) + 1);
    ground(board, picture, &layout, &places, &mut canvas);
    for Between { from, to, .. } in picture.between.iter().filter(|_| spaced) {
        border(&mut canvas, &layout, places[from.index()], places[to.index()]);
    }
    if layout.lines {
        for (a, b) in &board.drawn {
            let (a, b) = (places[a.index()], places[b.index()]);
            let at = |place: Spot| (layout.column(place.column), layout.row(place.row));
            canvas.line(at(a), at(b));
        }
    }
    for (i, place) in places.iter().enumerate() {
        let (column, row) = (layout.column(place.column), layout.row(place.row));
        let text = content(i).unwrap_or(EMPTY);
        canvas.center(column, row, text);
        if let Some(piece) = picture.pieces.get(i).and_then(Option::as_ref) {
            canvas.tint(column, row, text, piece.tint);
        }
        if beside && told(i) {
            canvas.center(column, row + 1, names[i]);
        }
    }
    let straight = coordinates.is_some_and(|c| c.straight);
    for label in coordinates.iter().flat_map(|c| &c.labels) {
        // one row is enough between the board and the letters below
        let line = if label.row > rows { layout.row(rows) + 1 } else { layout.row(label.row) };
        if straight && label.column < 0 {
            let start = layout.label_start(label.column, &label.text);
            canvas.write(start, line, &label.text);
            canvas.ground(line, start..start + display_width(&label.text), Ground::Nothing);
        } else {
            canvas.center_if_blank(layout.column(label.column), line, &label.text);
        }
    }
    // a long name is written where nothing else is
    let mut named = vec![false; names.len()];
    for i in (0..names.len()).filter(|i| beside && !told(*i)) {
        let wide = display_width(names[i]);
        let start = layout.column(places[i].column).saturating_sub(wide.saturating_sub(1) / 2);
        let start = start.min(width.saturating_sub(wide));
        named[i] = canvas.write_if_blank(start, layout.row(places[i].row) + 1, names[i]);
    }
    let mut out = canvas.text(!picture.bare);
    let untold: Vec<String> = (0..names.len())
        .filter(|i| !told(*i) && !named[*i])
        .filter_map(|i| content(i).map(|c| format!("{} {c}", names[i])))
        .collect();
    if !untold.is_empty() {
        out.push_str(&fit(&untold.join(", "), width, 4));
        out.push('\n');
    }
    out
}

/// Draws the border of two areas side by side.
fn border(canvas: &mut Canvas, layout: &Layout, from: Spot, to: Spot) {
    let (from, to) =
        if (from.row, from.column) <= (to.row, to.column) { (from, to) } else { (to, from) };
    let row = layout.row(from.row);
    if from.row == to.row {
        canvas.write(layout.area(from.column).end.saturating_sub(1), row, "│");
    } else if from.column == to.column {
        let area = layout.area(from.column);
        canvas.write(area.start, row + 1, &"─".repeat(area.len()));
    }
}

/// Paints the ground of the sites, and of the points' whole board.
fn ground(board: &Board, picture: &Picture, layout: &Layout, places: &[Spot], canvas: &mut Canvas) {
    if board.style == Style::Points {
        let last = places.iter().map(|p| layout.row(p.row)).max().unwrap_or(0);
        let first = places.iter().map(|p| layout.column(p.column)).min().unwrap_or(0);
        let end = places.iter().map(|p| layout.column(p.column)).max().unwrap_or(0) + 2;
        for row in 0..=last {
            canvas.ground(row, first.saturating_sub(1)..end, Ground::Light);
        }
    }
    for (i, place) in places.iter().enumerate() {
        let yes = |all: &[bool]| all.get(i) == Some(&true);
        let ground = match () {
            () if yes(&picture.marked) => Ground::Marked,
            () if yes(&picture.last) => Ground::Last,
            () if yes(&board.parted) => Ground::Dark,
            () => Ground::Light,
        };
        let column = layout.column(place.column);
        let columns = match board.style {
            Style::Points if ground == Ground::Light => continue,
            Style::Points => column.saturating_sub(1)..column + 2,
            Style::Cells | Style::Pits | Style::Bare => layout.area(place.column),
        };
        let row = layout.row(place.row);
        canvas.ground(row, columns.clone(), ground);
        // the rows between belong to the areas above
        if board.style == Style::Cells && picture.spaced {
            canvas.ground(
                row + 1,
                columns,
                if ground == Ground::Dark { ground } else { Ground::Light },
            );
        }
    }
}

/// The contents of the sites as a list, for boards that are too large to be drawn.
fn list<'a>(names: &[&str], content: impl Fn(usize) -> Option<&'a str>, width: usize) -> String {
    let items: Vec<String> =
        (0..names.len()).filter_map(|i| content(i).map(|c| format!("{} {c}", names[i]))).collect();
    let text = if items.is_empty() { "nothing on the board".to_string() } else { items.join(", ") };
    format!("{}\n", fit(&text, width, 4))
}
