//! Colours: those of players and pieces, of squares and marks, on a terminal and in pictures. The only
//! user of anstyle.

use anstyle::{Ansi256Color, Style};

/// The colour of a player or a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tint {
    /// The names by which rule files call it.
    names: &'static [&'static str],
    /// On a terminal of 256 colours.
    code: u8,
    /// In a picture.
    pub(super) fill: &'static str,
    /// What is written on it.
    pub(super) ink: &'static str,
}

const fn tint(
    names: &'static [&'static str],
    code: u8,
    fill: &'static str,
    ink: &'static str,
) -> Tint {
    Tint { names, code, fill, ink }
}

/// On a dark colour, and on a light one.
const PALE: &str = "#ffffff";
const DEEP: &str = "#222222";

const TINTS: [Tint; 12] = [
    tint(&["white"], 231, "#fbf8ef", DEEP),
    tint(&["black"], 16, "#2b2b2b", PALE),
    tint(&["red"], 160, "#c8372d", PALE),
    tint(&["blue"], 20, "#2f62b5", PALE),
    tint(&["green"], 22, "#2f8f4e", PALE),
    tint(&["yellow"], 226, "#f4cf3f", DEEP),
    tint(&["violet", "purple"], 90, "#8446a0", PALE),
    tint(&["orange"], 202, "#ee8a2a", DEEP),
    tint(&["cyan"], 30, "#2aa5b0", PALE),
    tint(&["pink"], 205, "#e88bb5", DEEP),
    tint(&["brown"], 94, "#80552f", PALE),
    tint(&["grey", "gray"], 240, "#8c8c8c", PALE),
];

/// The colours of players whose names are not those of colours, in the order of the players.
const SEATS: [&str; 8] = ["blue", "red", "green", "violet", "orange", "cyan", "brown", "grey"];

impl Tint {
    /// The colour of this name.
    pub(super) fn named(name: &str) -> Option<Tint> {
        TINTS.into_iter().find(|tint| tint.names.contains(&name))
    }

    /// The colour of the player with this number, counted from 0.
    pub(super) fn of_seat(number: usize) -> Option<Tint> {
        Tint::named(SEATS[number % SEATS.len()])
    }
}

/// What lies under a character of a board.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Ground {
    /// Not the board.
    #[default]
    Nothing,
    Light,
    Dark,
    /// A site of the last move.
    Last,
    /// A site of a reason.
    Marked,
}

impl Ground {
    /// On a terminal of 256 colours.
    fn code(self) -> Option<u8> {
        match self {
            Ground::Nothing => None,
            Ground::Light => Some(180),
            Ground::Dark => Some(137),
            Ground::Last => Some(185),
            Ground::Marked => Some(210),
        }
    }
}

/// The colours of one character.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Paint {
    pub tint: Option<Tint>,
    pub ground: Ground,
}

impl Paint {
    /// Adds a text to a line, with the escapes of its colours.
    pub fn write(self, text: &str, out: &mut String) {
        let Some(ground) = self.ground.code() else {
            out.push_str(text);
            return;
        };
        // unpainted signs are lines, labels and empty sites
        let code = self.tint.map_or(58, |tint| tint.code);
        let mut style = Style::new()
            .fg_color(Some(Ansi256Color(code).into()))
            .bg_color(Some(Ansi256Color(ground).into()));
        if self.tint.is_some() {
            style = style.bold();
        }
        out.push_str(&format!("{style}{text}{style:#}"));
    }
}
