//! What is known of playing a game well before it is played.

use crate::engine::Game;
use crate::record::Weights;
use crate::search::evaluation::{Evaluation, Reader};
use crate::search::{Memory, Player};
use crate::source::{FileId, Library};

/// The weights that stand beside the game's rule file, if they fit the game.
pub fn memory(game: &Game) -> Memory {
    found(game).unwrap_or_default()
}

fn found(game: &Game) -> Option<Memory> {
    let file = game.program.sources.get(FileId(0))?;
    let text = match &file.path {
        Some(path) => std::fs::read_to_string(path.with_extension("weights")).ok()?,
        None => Library::weights(&file.name)?.to_string(),
    };
    let weights = Weights::parse(&text)?;
    let reader = Reader::new(&game.plan)?;
    if reader.shape() != weights.shape {
        return None;
    }
    let player = match weights.player.as_str() {
        "montecarlo" => Player::MonteCarlo,
        _ => Player::AlphaBeta,
    };
    Some(Memory::with(Evaluation::from_hundredths(reader, &weights.weights)?, player))
}
