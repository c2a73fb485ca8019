//! `games/sowing/mancala.ludex` with `capture = if_opposite_has_stones` by hand: a byte a pit.
//!
//! A player's pits are his six cups and then his store, the opponent's follow; who is to move has
//! the first half.

use super::{Position, Step, Winners, nth, site};

const STORE: usize = 6;
const THEIR_STORE: usize = 13;

#[derive(Clone, Copy)]
pub struct Kalah {
    pits: [u8; 14],
    /// Whose turn it is: 0 or 1.
    turn: usize,
}

impl Position for Kalah {
    /// A bit for each cup with stones.
    type Moves = u8;

    fn opening() -> Kalah {
        Kalah { pits: [4, 4, 4, 4, 4, 4, 0, 4, 4, 4, 4, 4, 4, 0], turn: 0 }
    }

    #[inline]
    fn candidates(&self) -> u8 {
        (0..STORE).map(|cup| u8::from(self.pits[cup] > 0) << cup).sum()
    }

    #[inline]
    fn count(moves: &u8) -> u32 {
        moves.count_ones()
    }

    #[inline]
    fn play(&mut self, moves: &u8, number: u32) -> Step {
        let mut at = nth(u64::from(*moves), number).trailing_zeros() as usize;
        let stones = std::mem::take(&mut self.pits[at]);
        for _ in 0..stones {
            at = if at + 1 == THEIR_STORE { 0 } else { at + 1 };
            self.pits[at] += 1;
        }
        let opposite = 12 - at.min(12);
        if at < STORE && self.pits[at] == 1 && self.pits[opposite] > 0 {
            self.pits[STORE] += 1 + self.pits[opposite];
            self.pits[at] = 0;
            self.pits[opposite] = 0;
        }
        let empty = |cups: &[u8]| cups.iter().all(|stones| *stones == 0);
        if empty(&self.pits[..STORE]) || empty(&self.pits[STORE + 1..THEIR_STORE]) {
            return Step::Over(self.stuck());
        }
        if at != STORE {
            self.pits.rotate_left(7);
            self.turn ^= 1;
        }
        Step::On
    }

    fn contents(&self) -> Vec<(String, usize)> {
        let mut pits = self.pits;
        pits.rotate_left(7 * self.turn);
        let name = |pit: usize| match pit {
            STORE => "south_store".to_string(),
            THEIR_STORE => "north_store".to_string(),
            _ if pit < STORE => site(pit, 1),
            _ => site(12 - pit, 2),
        };
        let stones = pits.iter().enumerate().map(|(pit, stones)| (name(pit), *stones as usize));
        stones.chain([("turn".to_string(), self.turn)]).collect()
    }

    fn stuck(&self) -> Winners {
        match self.pits[STORE].cmp(&self.pits[THEIR_STORE]) {
            std::cmp::Ordering::Greater => 1 << self.turn,
            std::cmp::Ordering::Less => 2 >> self.turn,
            std::cmp::Ordering::Equal => 0,
        }
    }
}
