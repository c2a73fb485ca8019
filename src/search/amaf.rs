//! Statistics of all moves as if they were first, for games in which a move places a piece that stays.
//!
//! What stands at the end of a playout and did not stand in a position was placed behind it, so the result says
//! something of placing it there at once (Gelly, Silver 2011). A position with few visits asks the
//! statistics of one above it (generalised: Cazenave 2015).

use crate::engine::{Candidate, Fault, Look, Session};
use crate::plan::Plan;

/// The bits of the state that say what stands where.
#[derive(Debug)]
pub(super) struct Placements {
    /// The first word and the number of words of each map.
    planes: Vec<(usize, usize)>,
    /// How many bits there are.
    len: usize,
    /// How many tables there may be.
    left: usize,
}

/// The most memory of all tables, in bytes.
const MOST_BYTES: usize = 64 << 20;

impl Placements {
    /// The bits of a plan's maps over sites.
    pub fn new(plan: &Plan) -> Placements {
        let mut planes = Vec::new();
        for place in plan.layout.places.iter().filter(|place| !place.aside) {
            let Some(bits) = place.planes else { continue };
            planes.push(match &place.value {
                Some(value) => (bits.first as usize, value.len * plan.layout.words),
                None => (bits.defined as usize, plan.layout.words),
            });
        }
        let len: usize = planes.iter().map(|(_, words)| words * 64).sum();
        let left = MOST_BYTES / (len * size_of::<(f32, f32)>()).max(1);
        Placements { planes, len, left }
    }

    /// The number of the only bit that the second state has more than the first; `None` where there is
    /// another number of them, or some are gone.
    pub fn placed(&self, before: &[u64], after: &[u64]) -> Option<u32> {
        let mut found = None;
        let mut at = 0;
        for (first, words) in &self.planes {
            for word in *first..first + words {
                if before[word] & !after[word] != 0 {
                    return None;
                }
                let new = after[word] & !before[word];
                if new != 0 {
                    if found.is_some() || new & (new - 1) != 0 {
                        return None;
                    }
                    found = Some(at + new.trailing_zeros());
                }
                at += 64;
            }
        }
        found
    }

    /// An empty table; `None` where there is no more room for one.
    pub fn table(&mut self) -> Option<Amaf> {
        self.left = self.left.checked_sub(1)?;
        Some(Amaf(vec![(0.0, 0.0); self.len].into()))
    }

    /// Counts a playout from a position to an end for all that was placed in between.
    pub fn count(&self, table: &mut Amaf, before: &[u64], end: &[u64], worth: f32) {
        let mut at = 0;
        for (first, words) in &self.planes {
            for word in *first..first + words {
                let mut new = end[word] & !before[word];
                while new != 0 {
                    let entry = &mut table.0[at + new.trailing_zeros() as usize];
                    entry.0 += 1.0;
                    entry.1 += worth;
                    new &= new - 1;
                }
                at += 64;
            }
        }
    }
}

/// With more moves than that a thought has too few playouts for each of them.
const MOST_FIRST: usize = 256;

/// Whether moves place pieces: this many of these do.
pub(super) fn are_placements(placing: usize, moves: usize) -> bool {
    placing * 10 >= moves * 9
}

/// Whether the first moves of the game place pieces, and are not very many.
///
/// # Errors
/// A rule error.
pub(super) fn begins_with_placements(session: &mut Session<'_>) -> Result<bool, Fault> {
    let placements = Placements::new(&session.game().plan);
    let opening = session.opening();
    let mut walk = session.walk(&opening);
    if walk.look()? != Look::Moves {
        return Ok(false);
    }
    let mut list: Vec<Candidate> = Vec::new();
    walk.candidates(&mut list);
    let (mut placing, mut moves) = (0, 0);
    for candidate in list {
        if walk.make(candidate)? {
            moves += 1;
            placing += usize::from(placements.placed(opening.words(), walk.words()).is_some());
            walk.unmake();
        }
    }
    Ok((1..=MOST_FIRST).contains(&moves) && are_placements(placing, moves))
}

/// By bit, how many playouts placed it, and what the first player gained by them.
#[derive(Debug)]
pub(super) struct Amaf(Box<[(f32, f32)]>);

impl Amaf {
    /// How many playouts placed a bit, and what they brought to a player on the mean.
    pub fn get(&self, bit: u32, player: usize) -> (f64, f64) {
        let (count, gained) = self.0[bit as usize];
        let mean = if count > 0.0 { f64::from(gained / count) } else { 0.5 };
        (f64::from(count), if player == 0 { mean } else { 1.0 - mean })
    }
}
