//! Where everything stands in a picture: the sites, the labels at the edges, the names beside sites.

use std::f64::consts::{PI, TAU};

use crate::board::{Board, Style};

use super::super::labels::{self, Coordinates};
use super::super::layout::{Spot, least_gap, places};

/// The side of a cell.
pub const UNIT: f64 = 48.0;
/// The room around the picture.
const MARGIN: f64 = 14.0;
/// The size of labels and names on a small board, and the largest.
pub const SMALL: f64 = 13.0;
const LARGE: f64 = 20.0;

/// A text with the middle of its line.
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    pub text: String,
    pub x: f64,
    pub y: f64,
    pub size: f64,
}

/// The upper left and the lower right corner.
type Corners = ((f64, f64), (f64, f64));

/// The geometry of a board.
pub struct Frame {
    /// The middles of the sites, in their order.
    pub sites: Vec<(f64, f64)>,
    /// Rows are shifted by half a cell, so cells are hexagons.
    pub hexagons: bool,
    pub labels: Vec<Label>,
    /// The size of most labels.
    pub small: f64,
    /// The upper left and lower right corners of the board without labels.
    pub inner: Corners,
    pub width: f64,
    pub height: f64,
}

/// Two decimals are enough for a picture.
pub fn round(n: f64) -> f64 {
    (n * 100.0).round() / 100.0
}

impl Label {
    fn wide(&self) -> f64 {
        wide(&self.text, self.size)
    }
}

/// About as wide as a text of this size is.
fn wide(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.6
}

impl Frame {
    pub fn new(board: &Board) -> Frame {
        let places = places(board);
        let gap = least_gap(&places);
        let shifted = |place: &Spot| place.column.rem_euclid(gap) != 0;
        let hexagons = gap > 1 && places.iter().any(shifted) && even_rows(&places, gap);
        let across = UNIT / gap as f64;
        let down = if hexagons { UNIT * 0.866 } else { UNIT };
        let names: Vec<&str> = board.sites().map(|(_, site)| site.name.as_str()).collect();
        let coordinates = labels::coordinates(&names, &places, gap);
        let free = board.style == Style::Points && coordinates.is_none() && !hexagons;
        let (across, down) = if free { scales(&places) } else { (across, down) };
        let at = |column: i64, row: i64| (column as f64 * across, row as f64 * down);
        let sites: Vec<(f64, f64)> = places.iter().map(|p| at(p.column, p.row)).collect();
        let half = if board.style == Style::Cells { 0.5 } else { 0.55 } * UNIT;
        let around = board.curves.iter().map(|[from, _, middle]| {
            let ((x, y), (a, b)) = (sites[middle.index()], sites[from.index()]);
            let radius = (a - x).hypot(b - y) + MARGIN;
            (x, y, radius, radius)
        });
        let around = around.filter(|_| board.style == Style::Points);
        let mut bounds = bounds(sites.iter().map(|(x, y)| (*x, *y, half, half)).chain(around));
        let small = ((bounds.1.0 - bounds.0.0) / 40.0).clamp(SMALL, LARGE);
        let names = Names { board, sites: &sites, small };
        let names = names.beside(coordinates.as_ref());
        let boxed = |l: &Label| (l.x, l.y, l.wide() / 2.0 + 3.0, l.size * 0.6 + 2.0);
        let corners = |b: Corners| [(b.0.0, b.0.1, 0.0, 0.0), (b.1.0, b.1.1, 0.0, 0.0)];
        if board.style == Style::Points {
            bounds = self::bounds(names.iter().map(boxed).chain(corners(bounds)));
        }
        let mut labels = names;
        if let Some(coordinates) = &coordinates {
            for label in edges(coordinates, at, bounds, small) {
                let (w, h) = (label.wide() / 2.0, small * 0.5);
                let hit = |x: f64, y: f64, a: f64, b: f64| {
                    (label.x - x).abs() < a + w && (label.y - y).abs() < b + h
                };
                let radius = UNIT * 0.38;
                let on_site = sites.iter().any(|(x, y)| hit(*x, *y, radius, radius));
                let on_label = labels.iter().any(|l| hit(l.x, l.y, l.wide() / 2.0, l.size * 0.5));
                if !on_site && !on_label {
                    labels.push(label);
                }
            }
        }
        // labels at slanted edges stand on the board
        let slanted = coordinates.as_ref().is_some_and(|c| !c.straight);
        if board.style == Style::Points && slanted {
            bounds = self::bounds(labels.iter().map(boxed).chain(corners(bounds)));
        }
        let all = self::bounds(labels.iter().map(boxed).chain(corners(bounds)));
        let (dx, dy) = (MARGIN - all.0.0, MARGIN - all.0.1);
        let moved = |(x, y): (f64, f64)| (round(x + dx), round(y + dy));
        Frame {
            sites: sites.into_iter().map(moved).collect(),
            hexagons,
            labels: labels
                .into_iter()
                .map(|l| {
                    let (x, y) = moved((l.x, l.y));
                    Label { x, y, ..l }
                })
                .collect(),
            small: round(small),
            inner: (moved(bounds.0), moved(bounds.1)),
            width: round(all.1.0 - all.0.0 + 2.0 * MARGIN),
            height: round(all.1.1 - all.0.1 + 2.0 * MARGIN),
        }
    }
}

/// The scales of a board whose lines run anyhow: as its coordinates are, but rows of a flat one further apart,
/// and so large that pieces leave room for names.
fn scales(places: &[Spot]) -> (f64, f64) {
    let most = |f: fn(&Spot) -> i64| places.iter().map(f).max().unwrap_or(0).max(1) as f64;
    let (columns, rows) = (most(|p| p.column), most(|p| p.row));
    let stretch = (columns / rows / 1.8).max(1.0);
    let far = |a: &Spot, b: &Spot| {
        let (dx, dy) = ((a.column - b.column) as f64, (a.row - b.row) as f64 * stretch);
        dx.hypot(dy)
    };
    let pairs =
        places.iter().enumerate().flat_map(|(i, a)| places[..i].iter().map(move |b| far(a, b)));
    let least = pairs.fold(f64::MAX, f64::min).max(0.01);
    let across = UNIT * 1.3 / least.min(columns.max(1.0));
    (across, (across * stretch).min(UNIT * 2.2).max(across))
}

/// Whether all sites of a row are whole steps apart, so that shifted rows are those of hexagons.
fn even_rows(places: &[Spot], gap: i64) -> bool {
    places.iter().all(|a| {
        let same = places.iter().filter(|b| b.row == a.row);
        same.into_iter().all(|b| (b.column - a.column).rem_euclid(gap) == 0)
    })
}

/// The corners around boxes, each with its middle and half of its sides.
fn bounds(boxes: impl Iterator<Item = (f64, f64, f64, f64)>) -> Corners {
    let start = ((f64::MAX, f64::MAX), (f64::MIN, f64::MIN));
    boxes.fold(start, |((x0, y0), (x1, y1)), (x, y, w, h)| {
        ((x0.min(x - w), y0.min(y - h)), (x1.max(x + w), y1.max(y + h)))
    })
}

/// The letters and numbers at the edges, close to the board.
fn edges(
    coordinates: &Coordinates,
    at: impl Fn(i64, i64) -> (f64, f64),
    ((left, _), (_, low)): Corners,
    small: f64,
) -> Vec<Label> {
    let label = |l: &labels::Label| {
        let (mut x, mut y) = at(l.column, l.row);
        if coordinates.straight && l.column < 0 {
            x = left - wide(&l.text, small) / 2.0 - 5.0;
        } else if coordinates.straight {
            y = low + small * 0.75 + 2.0;
        }
        Label { text: l.text.clone(), x, y, size: small }
    };
    coordinates.labels.iter().map(label).collect()
}

/// The names of sites beside them.
struct Names<'a> {
    board: &'a Board,
    sites: &'a [(f64, f64)],
    small: f64,
}

impl Names<'_> {
    /// The names of the sites that no label at the edges tells.
    fn beside(&self, coordinates: Option<&Coordinates>) -> Vec<Label> {
        let mut labels: Vec<Label> = Vec::new();
        for (id, site) in self.board.sites() {
            if !coordinates.is_some_and(|c| c.told[id.index()]) {
                let text = site.name.replace('_', " ");
                labels.push(match self.board.style {
                    Style::Points => self.at_point(id.index(), text, &labels),
                    _ => self.at_area(id.index(), text),
                });
            }
        }
        labels
    }

    /// Above an area of the upper half, below one of the lower half.
    fn at_area(&self, i: usize, text: String) -> Label {
        let (x, y) = self.sites[i];
        let ys = || self.sites.iter().map(|(_, y)| *y);
        let middle = (ys().fold(f64::MAX, f64::min) + ys().fold(f64::MIN, f64::max)) / 2.0;
        let far = UNIT * 0.55 + self.small * 0.6;
        let outside = if y < middle { y - far } else { y + far };
        let half = wide(&text, self.small) / 2.0 + UNIT * 0.5;
        let hit = |(a, b): &(f64, f64)| (a - x).abs() < half && (b - outside).abs() < UNIT * 0.5;
        match self.sites.iter().any(hit) {
            // a small name fits into the area itself
            true => Label { size: UNIT * 1.5 / text.chars().count().max(3) as f64, text, x, y },
            false => Label { text, x, y: outside, size: self.small },
        }
    }

    /// Beside a point, where the fewest lines and no other sites or names are.
    fn at_point(&self, i: usize, text: String, labels: &[Label]) -> Label {
        let (x, y) = self.sites[i];
        let lines = self.board.drawn.iter().filter_map(|(a, b)| match i {
            i if a.index() == i => Some(self.sites[b.index()]),
            i if b.index() == i => Some(self.sites[a.index()]),
            _ => None,
        });
        let angles: Vec<f64> = lines.map(|(u, v)| (v - y).atan2(u - x)).collect();
        let free = |angle: f64| {
            let turn = |other: &f64| {
                let d = (angle - other).rem_euclid(TAU);
                d.min(TAU - d)
            };
            angles.iter().map(turn).fold(PI, f64::min)
        };
        let half = wide(&text, self.small) / 2.0;
        // along the edge of the piece, then as far as the text is wide
        let place = |angle: f64| {
            let (dx, dy) = (angle.cos(), angle.sin());
            let aside = if dx.abs() < 0.1 { 0.0 } else { half * dx.signum() };
            (x + dx * UNIT * 0.42 + aside, y + dy * (UNIT * 0.42 + self.small * 0.5))
        };
        let clear = |angle: f64| {
            let (u, v) = place(angle);
            let hit =
                |a: f64, b: f64, w: f64, h: f64| (a - u).abs() < half + w && (b - v).abs() < h;
            let (radius, tall) = (UNIT * 0.38, self.small * 0.5 + UNIT * 0.38);
            let others = self.sites.iter().enumerate().filter(|(j, _)| *j != i);
            let near = others.into_iter().any(|(_, (a, b))| hit(*a, *b, radius, tall));
            !near && !labels.iter().any(|l| hit(l.x, l.y, l.wide() / 2.0, self.small))
        };
        let worth = |angle: &f64| free(*angle) + if clear(*angle) { 10.0 } else { 0.0 };
        let all = [45.0, -45.0, 135.0, -135.0, 0.0, 180.0, 90.0, -90.0].map(f64::to_radians);
        let best = all.into_iter().reduce(|a, b| if worth(&b) > worth(&a) + 0.01 { b } else { a });
        let (x, y) = place(best.unwrap_or_default());
        Label { text, x, y, size: self.small }
    }
}
