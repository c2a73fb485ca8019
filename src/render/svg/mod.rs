//! A board as SVG: the only user of the svg crate.
//!
//! A picture is a page with the empty board, and on it a layer for the position; an animated one has a layer
//! for each position, of which one is seen at a time.

mod frame;
mod piece;

use std::collections::{BTreeMap, BTreeSet};

use svg::Document;
use svg::node::element::{Animate, Circle, Group, Line, Path, Polygon, Rectangle, Text, Title};

use crate::board::{Board, Style};

use super::{Picture, fit};
use frame::{Frame, UNIT, round};
use piece::{INK, centered, piece};

const PAPER: &str = "#ffffff";
const LIGHT: &str = "#f2dfb8";
const DARK: &str = "#cda76f";
const WOOD: &str = "#ecd09b";
const LAST: &str = "#dccb4e";
const MARK: &str = "#c0392b";
const FAINT: &str = "#6f6653";
/// The height of a line of text below the board, in sizes of its letters.
const LINE: f64 = 1.45;

/// A position and the line below it, such as the move that led to it.
#[derive(Debug, Clone, Default)]
pub struct Scene {
    /// The position.
    pub picture: Picture,
    /// The line; empty for none.
    pub caption: String,
}

/// Draws a board with the contents of its sites and the lines beside it; marked sites have a ring.
pub fn to_svg(board: &Board, scene: &Scene, title: &str) -> String {
    let frame = Frame::new(board);
    let lines = lines(scene, &frame);
    let document = page(board, &frame, title, lines.len());
    format!("{}\n", document.add(layer(board, &frame, scene)))
}

/// The middles of a board's sites in its pictures, in the order of the sites.
pub fn places_in_svg(board: &Board) -> Vec<(f64, f64)> {
    Frame::new(board).sites
}

/// Draws positions one after the other, each for the given number of seconds, again and again. Where nothing
/// moves, such as on paper, the last one is seen.
pub fn animated(board: &Board, scenes: &[Scene], title: &str, seconds: f64) -> String {
    let frame = Frame::new(board);
    let most = scenes.iter().map(|scene| lines(scene, &frame).len()).max().unwrap_or(0);
    let mut document = page(board, &frame, title, most);
    let count = scenes.len();
    for (i, scene) in scenes.iter().enumerate() {
        let mut layer = layer(board, &frame, scene);
        if i + 1 < count {
            layer = layer.set("visibility", "hidden");
        }
        if count > 1 {
            let at = |n: usize| format!("{:.6}", n as f64 / count as f64);
            let (values, times) = match i {
                0 => ("visible;hidden".to_string(), format!("0;{}", at(1))),
                i if i + 1 == count => ("hidden;visible".to_string(), format!("0;{}", at(i))),
                i => ("hidden;visible;hidden".to_string(), format!("0;{};{}", at(i), at(i + 1))),
            };
            layer = layer.add(
                Animate::new()
                    .set("attributeName", "visibility")
                    .set("calcMode", "discrete")
                    .set("values", values)
                    .set("keyTimes", times)
                    .set("dur", format!("{}s", round(seconds * count as f64)))
                    .set("repeatCount", "indefinite"),
            );
        }
        document = document.add(layer);
    }
    format!("{document}\n")
}

/// The lines below the board, as wide as it is.
fn lines(scene: &Scene, frame: &Frame) -> Vec<String> {
    let wide = ((frame.width.max(260.0) - 24.0) / (frame.small * 0.62)) as usize;
    let told = std::iter::once(&scene.caption).chain(&scene.picture.beside);
    let told = told.filter(|line| !line.is_empty());
    told.flat_map(|line| fit(line, wide, 2).lines().map(String::from).collect::<Vec<_>>()).collect()
}

/// The page and the empty board, with room below it for the given number of lines.
fn page(board: &Board, frame: &Frame, title: &str, lines: usize) -> Document {
    let width = if lines > 0 { frame.width.max(260.0) } else { frame.width };
    let height =
        round(frame.height + lines as f64 * frame.small * LINE + if lines > 0 { 6.0 } else { 0.0 });
    let mut document = Document::new()
        .set("viewBox", (0, 0, width, height))
        .set("width", width)
        .set("height", height)
        .set("font-family", "DejaVu Sans, Arial, sans-serif")
        .add(Title::new(title))
        .add(Rectangle::new().set("width", "100%").set("height", "100%").set("fill", PAPER));
    if board.style != Style::Cells {
        let ((x0, y0), (x1, y1)) = frame.inner;
        let wood = Rectangle::new().set("x", x0).set("y", y0).set("rx", 8);
        let wood = wood.set("width", round(x1 - x0)).set("height", round(y1 - y0));
        document = document.add(wood.set("fill", WOOD).set("stroke", FAINT));
    }
    if board.style == Style::Points {
        let mut lines = Group::new().set("stroke", INK).set("stroke-width", 1.5);
        for (a, b) in straight(board, frame) {
            let ((x1, y1), (x2, y2)) = (frame.sites[a], frame.sites[b]);
            lines = lines.add(Line::new().set("x1", x1).set("y1", y1).set("x2", x2).set("y2", y2));
        }
        let mut curves = Group::new().set("stroke", INK).set("stroke-width", 1.5);
        for curve in &board.curves {
            curves = curves.add(curved(curve.map(|site| frame.sites[site.index()])));
        }
        document = document.add(lines);
        if !board.curves.is_empty() {
            document = document.add(curves.set("fill", "none"));
        }
    }
    let fill = if board.style == Style::Points { INK } else { LIGHT };
    let mut sites = Group::new().set("stroke", INK).set("stroke-width", 1).set("fill", fill);
    for ((id, site), (x, y)) in board.sites().zip(&frame.sites) {
        let shaded = board.shaded.get(id.index()) == Some(&true);
        // what a pointer on the site is told
        let name = Title::new(&site.name);
        sites = match board.style {
            Style::Bare => sites,
            Style::Points if shaded => {
                sites.add(circle(*x, *y, UNIT * 0.3).set("fill", DARK).add(name))
            }
            Style::Points => sites.add(circle(*x, *y, 2.5).add(name)),
            Style::Pits => sites.add(circle(*x, *y, UNIT * 0.44).add(name)),
            Style::Cells if frame.hexagons && shaded => {
                sites.add(hexagon(*x, *y).set("fill", DARK).add(name))
            }
            Style::Cells if frame.hexagons => sites.add(hexagon(*x, *y).add(name)),
            Style::Cells if shaded => sites.add(square(*x, *y).set("fill", DARK).add(name)),
            Style::Cells => sites.add(square(*x, *y).add(name)),
        };
    }
    let mut labels = Group::new();
    for label in &frame.labels {
        labels = labels.add(centered(&label.text, label.x, label.y, label.size, FAINT));
    }
    document.add(sites).add(labels)
}

/// The lines of a board, those that go on in one direction as one; each with the numbers of its ends.
fn straight(board: &Board, frame: &Frame) -> Vec<(usize, usize)> {
    // to a tenth, since places are rounded
    let direction = |a: usize, b: usize| {
        let ((x, y), (u, v)) = (frame.sites[a], frame.sites[b]);
        (((u - x) * 10.0).round() as i64, ((v - y) * 10.0).round() as i64)
    };
    let mut next = BTreeMap::new();
    let mut goes_on = BTreeSet::new();
    for (a, b) in &board.drawn {
        let (a, b) = (a.index(), b.index());
        let (from, to) = if direction(a, b) > (0, 0) { (a, b) } else { (b, a) };
        let direction = direction(from, to);
        if direction > (0, 0) {
            next.insert((from, direction), to);
            goes_on.insert((to, direction));
        }
    }
    let firsts = next.iter().filter(|(first, _)| !goes_on.contains(first));
    firsts
        .map(|((from, direction), to)| {
            let mut end = *to;
            while let Some(further) = next.get(&(end, *direction)) {
                end = *further;
            }
            (*from, end)
        })
        .collect()
}

/// What stands on the board in a position, and the lines below.
fn layer(board: &Board, frame: &Frame, scene: &Scene) -> Group {
    let picture = &scene.picture;
    let mut layer = Group::new().set("stroke", "none");
    for between in &picture.between {
        let (a, b) = (frame.sites[between.from.index()], frame.sites[between.to.index()]);
        let (a, b) = if board.style == Style::Cells { border(a, b) } else { (a, b) };
        let line = Line::new().set("x1", a.0).set("y1", a.1).set("x2", b.0).set("y2", b.1);
        let fill = between.tint.map_or(INK, |tint| tint.fill);
        layer = layer
            .add(line.set("stroke", fill).set("stroke-width", 6).set("stroke-linecap", "round"));
    }
    for (id, site) in board.sites() {
        let i = id.index();
        let (x, y) = frame.sites[i];
        let last = picture.last.get(i) == Some(&true);
        let marked = picture.marked.get(i) == Some(&true);
        let mut group = Group::new().add(Title::new(&site.name));
        if last {
            group = match (board.style, frame.hexagons) {
                (Style::Cells, true) => group.add(hexagon(x, y).set("fill", LAST)),
                (Style::Cells, false) => group.add(square(x, y).set("fill", LAST)),
                (Style::Pits, _) => group.add(circle(x, y, UNIT * 0.44).set("fill", LAST)),
                (Style::Points | Style::Bare, _) => {
                    group.add(circle(x, y, UNIT * 0.46).set("fill", LAST))
                }
            };
        }
        let text = picture.shown.get(i).and_then(Option::as_deref);
        let drawn = picture.pieces.get(i).and_then(Option::as_ref);
        if let (Some(text), Some(drawn)) = (text, drawn) {
            group = piece(group, drawn, text, board.style == Style::Points, (x, y));
        }
        if marked {
            let ring = circle(x, y, UNIT * 0.43).set("fill", "none");
            group = group.add(ring.set("stroke", MARK).set("stroke-width", 3));
        }
        if board.style == Style::Bare && text.is_none() {
            group = group.add(circle(x, y, 2.0).set("fill", FAINT));
        }
        if last || marked || text.is_some() || board.style == Style::Bare {
            layer = layer.add(group);
        }
    }
    for (i, line) in lines(scene, frame).iter().enumerate() {
        let y = round(frame.height + (i as f64 + 0.4) * frame.small * LINE);
        let text =
            Text::new(line.trim_start()).set("x", 14).set("y", y).set("font-size", frame.small);
        layer = layer.add(text.set("fill", INK));
    }
    layer
}

/// The ends of the border of two squares side by side.
fn border(a: (f64, f64), b: (f64, f64)) -> ((f64, f64), (f64, f64)) {
    let (x, y) = ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0);
    // at a right angle to the way from one to the other
    let (dx, dy) = ((b.1 - a.1) / 2.0, (b.0 - a.0) / 2.0);
    ((round(x - dx), round(y - dy)), (round(x + dx), round(y + dy)))
}

/// The longer way from one place to another on a circle round a third.
fn curved([from, to, middle]: [(f64, f64); 3]) -> Path {
    let (a, b) = ((from.0 - middle.0, from.1 - middle.1), (to.0 - middle.0, to.1 - middle.1));
    let radius = round(a.0.hypot(a.1));
    let sweep = u8::from(a.0 * b.1 - a.1 * b.0 <= 0.0);
    let ((x1, y1), (x2, y2)) = (from, to);
    Path::new().set("d", format!("M{x1} {y1}A{radius} {radius} 0 1 {sweep} {x2} {y2}"))
}

fn circle(x: f64, y: f64, radius: f64) -> Circle {
    Circle::new().set("cx", x).set("cy", y).set("r", round(radius))
}

fn square(x: f64, y: f64) -> Rectangle {
    let square = Rectangle::new().set("x", round(x - UNIT / 2.0)).set("y", round(y - UNIT / 2.0));
    square.set("width", UNIT).set("height", UNIT)
}

/// A hexagon with a corner at the top.
fn hexagon(x: f64, y: f64) -> Polygon {
    let radius = UNIT / 3f64.sqrt();
    let corners: Vec<String> = (0..6)
        .map(|i| {
            let angle = (60.0 * f64::from(i) - 90.0).to_radians();
            format!("{},{}", round(x + radius * angle.cos()), round(y + radius * angle.sin()))
        })
        .collect();
    Polygon::new().set("points", corners.join(" "))
}
