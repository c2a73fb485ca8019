//! Pieces in a picture: figures from the folder `figures/`, discs with or without a sign, and plain texts.

use svg::node::element::tag::Type;
use svg::node::element::{Circle, Group, Path, Text};
use svg::parser::Event;

use crate::source::Library;

use super::super::paint::Tint;
use super::super::pieces::Piece;
use super::super::width::display_width;
use super::frame::{UNIT, round};

/// Of outlines and texts.
pub const INK: &str = "#222222";
/// The half of the square in which figures are drawn.
const FIGURE: f64 = 50.0;

/// Adds a piece, or the text of a value that is none, in the middle of a site; on `points` always a disc.
pub fn piece(group: Group, piece: &Piece, text: &str, points: bool, (x, y): (f64, f64)) -> Group {
    if let Some(name) = &piece.figure {
        return match figure(name, piece.tint, x, y) {
            Some(figure) => group.add(figure),
            // another name is what a disc says
            None => disc(group, piece.tint, Some(name), x, y),
        };
    }
    match (piece.tint, &piece.label) {
        (Some(_), label) => disc(group, piece.tint, label.as_deref(), x, y),
        (None, _) if ["", "·", "."].contains(&text.trim()) => group,
        // lines would cross the letter
        (None, _) if points => disc(group, None, Some(text), x, y),
        (None, _) => group.add(centered(text, x, y, size(text), INK)),
    }
}

/// The size of a text that has to fit into a site.
fn size(text: &str) -> f64 {
    let wide = display_width(text).max(1) as f64;
    (UNIT * 1.2 / wide).min(UNIT * 0.46)
}

fn disc(group: Group, tint: Option<Tint>, label: Option<&str>, x: f64, y: f64) -> Group {
    let fill = tint.map_or("#f3efe4", |tint| tint.fill);
    let circle = Circle::new().set("cx", x).set("cy", y).set("r", round(UNIT * 0.38));
    let group = group.add(circle.set("fill", fill).set("stroke", INK).set("stroke-width", 1.5));
    match label {
        Some(label) => {
            let ink = tint.map_or(INK, |tint| tint.ink);
            group.add(centered(label, x, y, size(label) * 0.85, ink))
        }
        None => group,
    }
}

/// A figure by its name: its bodies in the colour of the piece, its lines in what is seen on it.
fn figure(name: &str, tint: Option<Tint>, x: f64, y: f64) -> Option<Group> {
    let text = Library::figure(name)?;
    let (fill, ink) = tint.map_or((INK, INK), |tint| (tint.fill, tint.ink));
    let scale = round(UNIT * 0.5 / FIGURE);
    let mut group = Group::new()
        .set("transform", format!("translate({x},{y}) scale({scale})"))
        .set("stroke-width", 2.5)
        .set("stroke-linejoin", "round");
    for event in svg::read(text).ok()? {
        let Event::Tag("path", Type::Empty, attributes) = event else { continue };
        let line = attributes.get("class").is_some_and(|class| &**class == "line");
        let path = Path::new().set("d", attributes.get("d")?.to_string());
        group = group.add(match line {
            true => path.set("fill", "none").set("stroke", ink),
            false => path.set("fill", fill).set("stroke", INK),
        });
    }
    Some(group)
}

/// A text whose middle is at a place.
pub fn centered(text: &str, x: f64, y: f64, size: f64, fill: &str) -> Text {
    Text::new(text)
        .set("x", round(x))
        // from the middle of letters to the line that they stand on
        .set("y", round(y + size * 0.35))
        .set("font-size", round(size))
        .set("text-anchor", "middle")
        .set("fill", fill)
}
