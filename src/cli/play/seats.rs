//! The seats: who makes the moves of each player.

use clap::ValueEnum;

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
pub fn fill(given: &[Seat], players: usize) -> Result<Vec<Seat>, Stop> {
    if given.len() > players {
        let only =
            if players == 1 { "one player".to_string() } else { format!("{players} players") };
        return Err(Stop::Usage(format!("--players names {}, the game has {only}", given.len())));
    }
    let mut seats = given.to_vec();
    seats.resize(players, Seat::Computer);
    Ok(seats)
}

/// The seats of a saved game.
///
/// # Errors
/// A number of seats other than that of the players, or a word that names no seat.
pub fn read(words: &[String], players: usize) -> Result<Vec<Seat>, String> {
    if words.len() != players {
        return Err(format!("it has {} seats for {players} players", words.len()));
    }
    let seats = words.iter().map(|word| {
        Seat::value_variants().iter().copied().find(|seat| seat.word() == word).ok_or_else(|| {
            format!("`{word}` is none of the seats `human`, `computer` and `random`")
        })
    });
    seats.collect()
}
