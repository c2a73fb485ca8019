//! What is known of playing a game well before it is played.

use std::path::Path;

use crate::engine::Game;
use crate::record::Weights;
use crate::search::evaluation::Evaluation;
use crate::search::features::{Extra, Reader};
use crate::search::network::Network;
use crate::search::{Memory, Player};
use crate::source::{FileId, Library};

use super::Stop;

/// The weights that stand beside the game's rule file, if they fit the game, and who plays best with them.
pub fn memory(game: &Game) -> Memory {
    found(game).unwrap_or_default()
}

fn found(game: &Game) -> Option<Memory> {
    let file = game.program.sources.get(FileId(0))?;
    let text = match &file.path {
        Some(path) => std::fs::read_to_string(path.with_extension("weights")).ok()?,
        None => Library::weights(&file.name)?.to_string(),
    };
    // with other options the board may be another, but who plays best is mostly the same
    memory_of(game, &text)
        .or_else(|| Weights::parse(&text).map(|weights| Memory::of(player(&weights))))
}

/// The weights of a file.
///
/// # Errors
/// A file that cannot be read, or whose weights do not fit the game.
pub fn memory_in(game: &Game, file: &Path) -> Result<Memory, Stop> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| Stop::Failed(format!("cannot read {}: {error}", file.display())))?;
    let wrong = || Stop::Failed(format!("{} has no weights of this game", file.display()));
    memory_of(game, &text).ok_or_else(wrong)
}

/// The weights of the text of such a file, if they fit the game.
pub fn memory_of(game: &Game, text: &str) -> Option<Memory> {
    let weights = Weights::parse(text)?;
    let reader = Reader::new(game, Extra { patterns: weights.patterns, values: weights.values })?;
    if reader.shape() != weights.shape {
        return None;
    }
    let network = match &weights.network {
        Some(kept) => Some(Network::from_thousandths(&reader, &kept.units, &kept.outputs)?),
        None => None,
    };
    let evaluation = Evaluation::from_hundredths(reader, &weights.weights)?.with(network);
    Some(Memory::with(evaluation, player(&weights)))
}

/// Who plays best with these weights.
fn player(weights: &Weights) -> Player {
    Player::named(&weights.player).unwrap_or(Player::AlphaBeta)
}
