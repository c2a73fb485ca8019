//! Statistics of all moves as if they were first, for games in which a move places a piece.
//!
//! What a playout places first on a site was placed behind a position, so the result says something of placing it there at once
//! (Gelly, Silver 2011). A position with few visits asks the statistics of one above it (generalised: Cazenave 2015).

use crate::engine::{Candidate, Fault, Look, Session, State};
use crate::plan::Plan;

/// A map over sites in the state, a plane for each value.
#[derive(Debug)]
struct Planes {
    /// The first word in the state.
    first: usize,
    values: usize,
    /// The words of a plane.
    words: usize,
    /// Where its words are among those of all maps, and those of one plane for each map.
    at: usize,
    sites: usize,
}

/// The bits of the state that say what stands where, and those that a playout has placed.
#[derive(Debug)]
pub(super) struct Placements {
    planes: Vec<Planes>,
    /// The words of all maps in the last position of the playout that was seen.
    before: Vec<u64>,
    /// The bits that it has placed before all others of their sites, and those sites.
    placed: Vec<u64>,
    taken: Vec<u64>,
    /// How many tables there may be.
    left: usize,
}

/// The most memory of all tables, in bytes.
const MOST_BYTES: usize = 64 << 20;

impl Placements {
    /// The bits of a plan's maps over sites.
    pub fn new(plan: &Plan) -> Placements {
        let mut planes: Vec<Planes> = Vec::new();
        let (mut at, mut sites) = (0, 0);
        for place in plan.layout.places.iter().filter(|place| !place.aside) {
            let Some(bits) = place.planes else { continue };
            let words = plan.layout.words;
            let (first, values) = match &place.value {
                Some(value) => (bits.first, value.len),
                None => (bits.defined, 1),
            };
            planes.push(Planes { first: first as usize, values, words, at, sites });
            at += values * words;
            sites += words;
        }
        let left = MOST_BYTES / (at * 64 * size_of::<(f32, f32)>()).max(1);
        let (before, placed, taken) = (vec![0; at], vec![0; at], vec![0; sites]);
        Placements { planes, before, placed, taken, left }
    }

    /// The number of the only bit that the second state has more than the first; `None` where there is another number of them.
    /// Pieces may have been captured by it, if `capturing`; otherwise there is none then either.
    pub fn placed(&self, before: &[u64], after: &[u64], capturing: bool) -> Option<u32> {
        let mut found = None;
        for planes in &self.planes {
            for i in 0..planes.values * planes.words {
                let (old, now) = (before[planes.first + i], after[planes.first + i]);
                if old & !now != 0 && !capturing {
                    return None;
                }
                let new = now & !old;
                if new != 0 {
                    if found.is_some() || new & (new - 1) != 0 {
                        return None;
                    }
                    found = Some((planes.at + i) as u32 * 64 + new.trailing_zeros());
                }
            }
        }
        found
    }

    /// An empty table; `None` where there is no more room for one.
    pub fn table(&mut self) -> Option<Amaf> {
        self.left = self.left.checked_sub(1)?;
        Some(Amaf(vec![(0.0, 0.0); self.placed.len() * 64].into()))
    }

    /// Begins to follow a playout from a position.
    pub fn begin(&mut self, state: &[u64]) {
        for planes in &self.planes {
            let words = planes.values * planes.words;
            self.before[planes.at..planes.at + words]
                .copy_from_slice(&state[planes.first..planes.first + words]);
        }
        self.placed.fill(0);
        self.taken.fill(0);
    }

    /// Goes on with the next position of the playout that is seen. What was placed and captured since the last one is missed.
    pub fn follow(&mut self, state: &[u64]) {
        for planes in &self.planes {
            for word in 0..planes.words {
                let taken = self.taken[planes.sites + word];
                let mut all = 0;
                for value in 0..planes.values {
                    let i = value * planes.words + word;
                    let now = state[planes.first + i];
                    let new = now & !self.before[planes.at + i];
                    self.before[planes.at + i] = now;
                    self.placed[planes.at + i] |= new & !taken;
                    all |= new;
                }
                self.taken[planes.sites + word] |= all;
            }
        }
    }

    /// Adds a bit that was placed before the playout began.
    pub fn precede(&mut self, bit: u32) {
        let (at, mask) = (bit as usize / 64, 1 << (bit % 64));
        let Some(planes) = self.planes.iter().rev().find(|planes| planes.at <= at) else { return };
        let word = (at - planes.at) % planes.words;
        for value in 0..planes.values {
            self.placed[planes.at + value * planes.words + word] &= !mask;
        }
        self.placed[at] |= mask;
    }

    /// Counts the playout for all that it has placed.
    pub fn count(&self, table: &mut Amaf, worth: f32) {
        for (i, word) in self.placed.iter().enumerate() {
            let mut placed = *word;
            while placed != 0 {
                let entry = &mut table.0[i * 64 + placed.trailing_zeros() as usize];
                entry.0 += 1.0;
                entry.1 += worth;
                placed &= placed - 1;
            }
        }
    }
}

/// With more moves than that a thought has too few playouts for each of them.
const MOST_FIRST: usize = 256;

/// Whether nine of ten legal moves of a position place one piece each, and the number of legal moves. `None` where no player is to
/// move.
///
/// # Errors
/// A rule error.
pub(super) fn placing_moves(
    session: &mut Session<'_>,
    placements: &Placements,
    state: &State,
) -> Result<Option<(bool, usize)>, Fault> {
    let mut walk = session.walk(state);
    if walk.look()? != Look::Moves {
        return Ok(None);
    }
    let mut list: Vec<Candidate> = Vec::new();
    walk.candidates(&mut list);
    let (mut placing, mut moves) = (0, 0);
    for candidate in list {
        if walk.make(candidate)? {
            moves += 1;
            placing += usize::from(placements.placed(state.words(), walk.words(), false).is_some());
            walk.unmake();
        }
    }
    Ok(Some((placing * 10 >= moves * 9, moves)))
}

/// Whether the first moves of the game place pieces, and are not very many.
///
/// # Errors
/// A rule error.
pub(super) fn begins_with_placements(session: &mut Session<'_>) -> Result<bool, Fault> {
    let opening = session.opening();
    let placements = Placements::new(&session.game().plan);
    let found = placing_moves(session, &placements, &opening)?;
    Ok(found.is_some_and(|(placing, moves)| placing && (1..=MOST_FIRST).contains(&moves)))
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

#[cfg(test)]
mod tests {
    use super::{Amaf, Placements, Planes};

    /// A map of two values over 64 sites, at the second word of the state.
    fn placements() -> Placements {
        Placements {
            planes: vec![Planes { first: 1, values: 2, words: 1, at: 0, sites: 0 }],
            before: vec![0; 2],
            placed: vec![0; 2],
            taken: vec![0; 1],
            left: 1,
        }
    }

    fn counted(placements: &Placements) -> Vec<usize> {
        let mut table = Amaf(vec![(0.0, 0.0); 128].into());
        placements.count(&mut table, 1.0);
        (0..128).filter(|bit| table.0[*bit].0 > 0.0).collect()
    }

    #[test]
    fn what_is_placed_first_on_a_site_counts() {
        let mut followed = placements();
        followed.begin(&[7, 0b1000, 0]);
        followed.follow(&[7, 0b1001, 0]);
        // captured, and the other player places on the same site; another piece is captured
        followed.follow(&[7, 0b0000, 0b0011]);
        followed.follow(&[7, 0b1000, 0b0011]);
        assert_eq!(counted(&followed), [0, 3, 65]);
        // the move before all that
        followed.precede(64);
        assert_eq!(counted(&followed), [3, 64, 65]);
        followed.begin(&[7, 0, 0]);
        assert!(counted(&followed).is_empty());
    }

    #[test]
    fn a_move_places_what_is_new() {
        let placements = placements();
        assert_eq!(placements.placed(&[0, 0b01, 0], &[0, 0b11, 0], false), Some(1));
        assert_eq!(placements.placed(&[0, 0b01, 0], &[0, 0b00, 0b10], true), Some(65));
        assert_eq!(placements.placed(&[0, 0b01, 0], &[0, 0b00, 0b10], false), None);
        assert_eq!(placements.placed(&[0, 0, 0], &[0, 0b11, 0], true), None);
        assert_eq!(placements.placed(&[0, 0, 0], &[1, 0, 0], true), None);
    }
}
