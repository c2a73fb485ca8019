//! What tells positions apart: the words of the state that hold certain parts of it.
//!
//! The hash that a state carries leaves out the player to move and the parts that are `aside`, as `repeated` does.
//! The key under which something is stored of a position has to contain every part that decides it.

use crate::plan::{Cells, Place, Plan, Scope};
use crate::program::FluentId;

use super::game::{Game, State};

/// The words of a game's states by which its positions are told apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Telling(Box<[u32]>);

impl Telling {
    /// All that the rules of play read: positions that agree in it have the same moves and ends now and later,
    /// but for rules that look at earlier positions.
    pub fn of_play(game: &Game) -> Telling {
        let read = Scope::of(&game.program, &game.tables).fluents;
        Telling::of(&game.plan, |id, _| read.contains(&id))
    }

    /// The same and all other parts of the state, so that answers to questions agree, too. The number of moves
    /// and who made the last one count where questions are `asked` or the rules of play read them.
    pub fn of_all(game: &Game, asked: bool) -> Telling {
        let read = Scope::of(&game.program, &game.tables).fluents;
        let counters = [FluentId::PLY, FluentId::MOVER];
        Telling::of(&game.plan, |id, _| asked || !counters.contains(&id) || read.contains(&id))
    }

    /// What a search has to tell apart: positions, and parts beside them that decide more than whether the game
    /// is drawn.
    pub fn of_search(game: &Game) -> Telling {
        let decisive = Scope::decisive(&game.program, &game.tables);
        Telling::of(&game.plan, |id, place| {
            !place.aside || id == FluentId::TURN || decisive.contains(&id)
        })
    }

    fn of(plan: &Plan, counts: impl Fn(FluentId, &Place) -> bool) -> Telling {
        let mut all = Vec::new();
        for (number, place) in plan.layout.places.iter().enumerate() {
            if !counts(FluentId(number as u32), place) {
                continue;
            }
            // cells where there are any, and otherwise planes
            match place.cells {
                Cells::Word(word) => all.push(word),
                Cells::Packed { first, .. } => all.extend(first..first + place.cell_words() as u32),
                Cells::None => {
                    if let Some(planes) = place.planes {
                        all.extend(planes.defined..planes.defined + plan.layout.words as u32);
                    }
                }
            }
        }
        Telling(all.into())
    }

    /// A hash of these words.
    #[inline]
    pub fn hash(&self, words: &[u64]) -> u64 {
        let mix = |hash: u64, word: u64| {
            let mixed = (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            mixed ^ (mixed >> 29)
        };
        self.0.iter().fold(0, |hash, word| mix(hash, words[*word as usize]))
    }

    /// A hash of these words of a position.
    pub fn hash_of(&self, state: &State) -> u64 {
        self.hash(state.words())
    }
}
