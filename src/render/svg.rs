//! A board as SVG: the only user of the svg crate.

use svg::Document;
use svg::node::element::{Circle, Group, Line, Polygon, Rectangle, Text, Title};

use crate::board::{Board, Site, Style};

use super::Picture;

/// The side of a cell.
const UNIT: f64 = 48.0;
const MARGIN: f64 = 48.0;
const INK: &str = "#333333";
const PAPER: &str = "#f4ecd8";
const FAINT: &str = "#8a8170";
const MARK: &str = "#c0392b";

/// The transformation from the board's coordinates to those of the picture.
struct Frame {
    least_x: i64,
    greatest_y: i64,
    across: f64,
    down: f64,
    /// Rows are shifted by half a cell, so cells are hexagons.
    hexagons: bool,
    width: f64,
    height: f64,
}

impl Frame {
    fn new(board: &Board) -> Frame {
        let sites: Vec<&Site> = board.sites().map(|(_, s)| s).collect();
        let xs = || sites.iter().map(|s| s.x);
        let ys = || sites.iter().map(|s| s.y);
        let (least_x, most_x) = (xs().min().unwrap_or(0), xs().max().unwrap_or(0));
        let (least_y, most_y) = (ys().min().unwrap_or(0), ys().max().unwrap_or(0));
        let mut rows: Vec<(i64, i64)> = sites.iter().map(|s| (s.y, s.x)).collect();
        rows.sort_unstable();
        let same_row = rows.windows(2).filter(|pair| pair[0].0 == pair[1].0);
        let gap = same_row.map(|p| p[1].1 - p[0].1).filter(|d| *d > 0).min().unwrap_or(1);
        let hexagons = gap > 1 && sites.iter().any(|s| (s.x - least_x).rem_euclid(gap) != 0);
        let across = UNIT / gap as f64;
        let down = if hexagons { UNIT * 0.866 } else { UNIT };
        Frame {
            least_x,
            greatest_y: most_y,
            across,
            down,
            hexagons,
            width: (most_x - least_x) as f64 * across + 2.0 * MARGIN,
            height: (most_y - least_y) as f64 * down + 2.0 * MARGIN,
        }
    }

    fn place(&self, site: &Site) -> (f64, f64) {
        let x = (site.x - self.least_x) as f64 * self.across + MARGIN;
        let y = (self.greatest_y - site.y) as f64 * self.down + MARGIN;
        (round(x), round(y))
    }
}

/// Two decimals are enough for a picture.
fn round(n: f64) -> f64 {
    (n * 100.0).round() / 100.0
}

/// Draws a board with the contents of its sites; marked sites have a ring.
pub fn to_svg(board: &Board, picture: &Picture, title: &str) -> String {
    let frame = Frame::new(board);
    let mut document = Document::new()
        .set("viewBox", (0, 0, round(frame.width), round(frame.height)))
        .set("width", round(frame.width))
        .set("height", round(frame.height))
        .set("font-family", "sans-serif")
        .add(Title::new(title))
        .add(Rectangle::new().set("width", "100%").set("height", "100%").set("fill", PAPER));
    if board.style == Style::Points {
        let mut lines = Group::new().set("stroke", INK).set("stroke-width", 1.5);
        for (a, b) in &board.drawn {
            let ((x1, y1), (x2, y2)) = (frame.place(board.site(*a)), frame.place(board.site(*b)));
            lines = lines.add(Line::new().set("x1", x1).set("y1", y1).set("x2", x2).set("y2", y2));
        }
        document = document.add(lines);
    }
    for (id, site) in board.sites() {
        let (x, y) = frame.place(site);
        let content = picture.shown.get(id.index()).and_then(Option::as_deref);
        let mut group = Group::new().add(Title::new(&site.name));
        group = match (board.style, frame.hexagons) {
            (Style::Points, _) => {
                let radius = if content.is_some() { UNIT * 0.36 } else { UNIT * 0.08 };
                let fill = if content.is_some() { PAPER } else { INK };
                group.add(
                    Circle::new()
                        .set("cx", x)
                        .set("cy", y)
                        .set("r", round(radius))
                        .set("fill", fill)
                        .set("stroke", INK),
                )
            }
            (Style::Cells, true) => group.add(hexagon(x, y)),
            (Style::Cells, false) => group.add(
                Rectangle::new()
                    .set("x", round(x - UNIT / 2.0))
                    .set("y", round(y - UNIT / 2.0))
                    .set("width", UNIT)
                    .set("height", UNIT)
                    .set("fill", "none")
                    .set("stroke", INK),
            ),
        };
        if let Some(content) = content {
            group = group.add(centered(content, x, y + UNIT * 0.17, UNIT * 0.5, INK));
        }
        if picture.marked.get(id.index()) == Some(&true) {
            let ring = Circle::new().set("cx", x).set("cy", y).set("r", round(UNIT * 0.42));
            group = group.add(ring.set("fill", "none").set("stroke", MARK).set("stroke-width", 3));
        }
        let (dx, dy) = match board.style {
            Style::Points => (UNIT * 0.28, -UNIT * 0.2),
            Style::Cells if frame.hexagons => (0.0, -UNIT * 0.28),
            Style::Cells => (-UNIT * 0.3, -UNIT * 0.32),
        };
        group = group.add(centered(&site.name, x + dx, y + dy, UNIT * 0.2, FAINT));
        document = document.add(group);
    }
    format!("{document}\n")
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
    Polygon::new().set("points", corners.join(" ")).set("fill", "none").set("stroke", INK)
}

fn centered(text: &str, x: f64, y: f64, size: f64, fill: &str) -> Text {
    Text::new(text)
        .set("x", round(x))
        .set("y", round(y))
        .set("font-size", round(size))
        .set("text-anchor", "middle")
        .set("fill", fill)
}
