//! A grid of character cells to draw on.

use super::paint::{Ground, Paint, Tint};
use super::width::{char_width, display_width};

/// The directions of lines from one site to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stroke {
    Across,
    Down,
    Rising,
    Falling,
}

impl Stroke {
    fn drawn(self) -> char {
        match self {
            Stroke::Across => '─',
            Stroke::Down => '│',
            Stroke::Rising => '╱',
            Stroke::Falling => '╲',
        }
    }
}

/// Characters by row and column. A wide character takes two cells, of which the second is empty.
#[derive(Debug)]
pub(super) struct Canvas {
    rows: Vec<Vec<Option<String>>>,
    paints: Vec<Vec<Paint>>,
    columns: usize,
}

impl Canvas {
    pub fn new(columns: usize, rows: usize) -> Canvas {
        let paints = vec![vec![Paint::default(); columns]; rows];
        Canvas { rows: vec![vec![Some(" ".to_string()); columns]; rows], paints, columns }
    }

    /// Paints the ground of a part of a row.
    pub fn ground(&mut self, row: usize, columns: std::ops::Range<usize>, ground: Ground) {
        let cells = self.paints.get_mut(row).into_iter().flatten();
        cells.take(columns.end).skip(columns.start).for_each(|paint| paint.ground = ground);
    }

    /// Paints a text that was centred at `column`.
    pub fn tint(&mut self, column: usize, row: usize, text: &str, tint: Option<Tint>) {
        let wide = display_width(text);
        let start = column.saturating_sub(wide.saturating_sub(1) / 2);
        let cells = self.paints.get_mut(row).into_iter().flatten();
        cells.skip(start).take(wide).for_each(|paint| paint.tint = tint);
    }

    fn blank(&self, column: usize, row: usize) -> bool {
        let cell = self.rows.get(row).and_then(|r| r.get(column));
        cell.is_some_and(|c| c.as_deref() == Some(" "))
    }

    /// Writes a text centred at `column`; what does not fit is cut off.
    pub fn center(&mut self, column: usize, row: usize, text: &str) {
        self.write(column.saturating_sub(display_width(text).saturating_sub(1) / 2), row, text);
    }

    /// As [`Canvas::center`], but only where the cells are blank.
    pub fn center_if_blank(&mut self, column: usize, row: usize, text: &str) {
        let wide = display_width(text).max(1);
        let start = column.saturating_sub((wide - 1) / 2);
        if (start..start + wide).all(|c| self.blank(c, row)) {
            self.write(start, row, text);
        }
    }

    /// Writes a text from `column` on where its cells and those beside it are blank; false where they are not.
    pub fn write_if_blank(&mut self, column: usize, row: usize, text: &str) -> bool {
        let end = column + display_width(text);
        let blank = (column.saturating_sub(1)..end + 1).all(|c| self.blank(c, row));
        if blank {
            self.write(column, row, text);
        }
        blank
    }

    /// Writes a text from `column` on.
    pub fn write(&mut self, column: usize, row: usize, text: &str) {
        let Some(cells) = self.rows.get_mut(row) else { return };
        let mut at = column;
        for c in text.chars() {
            let wide = char_width(c);
            if wide == 0 {
                if let Some(Some(before)) = at.checked_sub(1).and_then(|i| cells.get_mut(i)) {
                    before.push(c);
                }
                continue;
            }
            if at + wide > self.columns {
                return;
            }
            cells[at] = Some(c.to_string());
            if wide == 2 {
                cells[at + 1] = None;
            }
            at += wide;
        }
    }

    /// Draws a line between two places, without its ends.
    pub fn line(&mut self, from: (usize, usize), to: (usize, usize)) {
        let (from, to) = if from.1 <= to.1 { (from, to) } else { (to, from) };
        let ((c0, r0), (c1, r1)) = (from, to);
        if r0 == r1 {
            for column in c0.min(c1) + 1..c0.max(c1) {
                self.stroke(column, r0, Stroke::Across);
            }
            return;
        }
        let stroke = match c1.cmp(&c0) {
            std::cmp::Ordering::Equal => Stroke::Down,
            std::cmp::Ordering::Greater => Stroke::Falling,
            std::cmp::Ordering::Less => Stroke::Rising,
        };
        let height = (r1 - r0) as i64;
        for row in r0 + 1..r1 {
            let across = (c1 as i64 - c0 as i64) * (row - r0) as i64;
            // rounded to the nearest column
            let column = c0 as i64 + (2 * across + across.signum() * height) / (2 * height);
            self.stroke(column.max(0) as usize, row, stroke);
        }
    }

    fn stroke(&mut self, column: usize, row: usize, stroke: Stroke) {
        let Some(Some(cell)) = self.rows.get_mut(row).and_then(|r| r.get_mut(column)) else {
            return;
        };
        let drawn = match (cell.as_str(), stroke) {
            ("│" | "┼", Stroke::Across) | ("─" | "┼", Stroke::Down) => '┼',
            ("╲" | "╳", Stroke::Rising) | ("╱" | "╳", Stroke::Falling) => '╳',
            _ => stroke.drawn(),
        };
        *cell = drawn.to_string();
    }

    /// The lines of text, `painted` with their colours, without blanks at their ends but painted ones, and
    /// without empty lines at the end.
    pub fn text(&self, painted: bool) -> String {
        let mut out = String::new();
        for (row, paints) in self.rows.iter().zip(&self.paints) {
            let mut line = String::new();
            let mut run = (Paint::default(), String::new());
            for (cell, paint) in row.iter().zip(paints) {
                // the second half of a wide character belongs to the first
                let Some(cell) = cell else { continue };
                let paint = if painted { *paint } else { Paint::default() };
                if run.0 != paint {
                    run.0.write(&run.1, &mut line);
                    run = (paint, String::new());
                }
                run.1.push_str(cell);
            }
            run.0.write(&run.1, &mut line);
            out.push_str(line.trim_end());
            out.push('\n');
        }
        let end = out.trim_end_matches('\n').len();
        out.truncate(end);
        out.push('\n');
        out
    }
}
