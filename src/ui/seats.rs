//! The seats: who makes the moves of each player.

use clap::ValueEnum;

use crate::engine::Game;
use crate::referee::Stop;

/// Who makes the moves of one player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Seat {
    /// A person at this terminal.
    Human,
    Computer,
    /// Any legal move.
    Random,
}

impl Seat {
    pub fn word(self) -> &'static str {
        match self {
            Seat::Human => "human",
            Seat::Computer => "computer",
            Seat::Random => "random",
        }
    }
}

/// A seat for each player; the computer takes the seats that are not given.
///
/// # Errors
/// More seats than players.
pub fn fill(given: &[Seat], players: &[String]) -> Result<Vec<Seat>, Stop> {
    if given.len() > players.len() {
        let only = match players {
            [one] => format!("one player: {one}"),
            more => format!("{} players: {}", more.len(), more.join(", ")),
        };
        return Err(Stop::Usage(format!("--players names {}, the game has {only}", given.len())));
    }
    let mut seats = given.to_vec();
    seats.resize(players.len(), Seat::Computer);
    Ok(seats)
}

/// The players and who plays for them, in words.
pub fn listed(players: impl Iterator<Item = String>, seats: &[Seat]) -> String {
    let each = players.zip(seats).map(|(player, seat)| format!("{player} ({})", seat.word()));
    each.collect::<Vec<_>>().join(", ")
}

/// Seats from words, separated by commas or blanks.
///
/// # Errors
/// A word that names no seat.
pub fn parse(text: &str) -> Result<Vec<Seat>, String> {
    text.split([',', ' ']).filter(|word| !word.is_empty()).map(seat).collect()
}

fn seat(word: &str) -> Result<Seat, String> {
    let named = |seat: &Seat| seat.word() == word;
    Seat::value_variants()
        .iter()
        .copied()
        .find(named)
        .ok_or_else(|| format!("`{word}` is none of the seats `human`, `computer` and `random`"))
}

/// The seats of a saved game.
///
/// # Errors
/// A number of seats other than that of the players, or a word that names no seat.
pub fn read(words: &[String], players: usize) -> Result<Vec<Seat>, String> {
    if words.len() != players {
        return Err(format!("it has {} seats for {players} players", words.len()));
    }
    words.iter().map(|word| seat(word)).collect()
}

/// The names of a game's players.
pub fn players(game: &Game) -> Vec<String> {
    let program = &game.program;
    program.players.iter().map(|player| program.values.show(*player)).collect()
}
