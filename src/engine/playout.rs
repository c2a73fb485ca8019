//! Uniform random playouts.
//!
//! A move is drawn among the candidates, and only then tried. One that is not legal is removed and
//! another is drawn, so the draw is uniform over the legal moves.

use smallvec::SmallVec;

use super::fault::{Fault, FaultKind};
use super::game::State;
use super::machine::Machine;
use super::native::{PLY, Played};
use super::play::EndHit;
use super::random::{Ahead, Random};
use super::segments::{Moves, Pick};

/// Called with the words of a position in the course of a playout.
pub type Seen<'a> = &'a mut dyn FnMut(&[u64]);

/// The options of a series of playouts.
pub struct PlayoutOptions<'a> {
    /// The seed of the draws.
    pub seed: u64,
    /// A game that is not over after this many plies is stopped.
    pub max_plies: u64,
    /// Called after each playout with the counts so far; where it returns false the series ends. The
    /// session's budget ends it too, even within a playout, which is then not counted.
    pub go_on: &'a mut dyn FnMut(&Playouts) -> bool,
    /// Called with the final position of each playout.
    pub finished: Option<&'a mut dyn FnMut(&State)>,
    /// A number of plies, and a function that is called with the words of the position after each so many plies, unless the playout
    /// has ended.
    pub seen: Option<(u64, Seen<'a>)>,
}

/// The results of a series of playouts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Playouts {
    /// How many games were played, unfinished ones included.
    pub games: u64,
    /// The plies of all these games.
    pub plies: u64,
    /// Games that were stopped before their end.
    pub unfinished: u64,
    /// The plies of the playout in which the budget ended the series; it is not one of the games.
    pub broken_off: u64,
    /// Games by their set of winners, which has one bit per player; index 0 is a draw.
    pub won: Vec<u64>,
    /// Games by the end clause that ended them. The last entry counts games that ended because there was
    /// no legal move and no clause applied.
    pub ends: Vec<u64>,
}

impl<'p, const W: usize> Machine<'p, W> {
    pub(super) fn run_playouts(
        &mut self,
        state: &State,
        options: &mut PlayoutOptions<'_>,
    ) -> Result<Playouts, ()> {
        self.strict = false;
        let counted = self.run_all(state, options);
        self.strict = true;
        counted
    }

    fn run_all(&mut self, state: &State, options: &mut PlayoutOptions<'_>) -> Result<Playouts, ()> {
        let mut random = Random::ahead(options.seed);
        let players = self.plan.players.len();
        let mut counts = Playouts {
            won: vec![0; 1 << players],
            ends: vec![0; self.plan.ends.len() + 1],
            ..Playouts::default()
        };
        let mut moves = self.room.spare.pop().unwrap_or_default();
        loop {
            self.at(state);
            let mut left = options.max_plies;
            let played = self.whole_playout(&mut moves, &mut random, &mut left, options);
            // who won is a part of the playout
            let played =
                played.and_then(|hit| Ok((hit, hit.map(|hit| self.winners(hit)).transpose()?)));
            let plies = options.max_plies - left;
            let Ok((hit, winners)) = played else {
                // an interruption keeps the results so far
                match self.fault.as_deref() {
                    Some(Fault { kind: FaultKind::Interrupted, .. }) => {
                        counts.broken_off = plies;
                        break;
                    }
                    _ => return Err(()),
                }
            };
            counts.games += 1;
            counts.plies += plies;
            match hit {
                None => counts.unfinished += 1,
                Some(hit) => {
                    counts.won[winners.unwrap_or(0) as usize] += 1;
                    counts.ends
                        [if hit.kind.is_some() { hit.number } else { self.plan.ends.len() }] += 1;
                }
            }
            if let Some(finished) = options.finished.as_mut() {
                finished(&self.snapshot());
            }
            if !(options.go_on)(&counts) {
                break;
            }
        }
        self.room.spare.push(moves);
        Ok(counts)
    }

    /// Plays random moves as [`Self::playout`] does, and shows the positions that are to be seen on the way.
    fn whole_playout(
        &mut self,
        moves: &mut Box<Moves<W>>,
        random: &mut Random<Ahead>,
        left: &mut u64,
        options: &mut PlayoutOptions<'_>,
    ) -> Result<Option<EndHit>, ()> {
        let Some((every, seen)) = &mut options.seen else {
            return self.playout(moves, random, left);
        };
        loop {
            let plies = (*left).min(*every);
            let mut open = plies;
            let hit = self.playout(moves, random, &mut open)?;
            *left -= plies - open;
            if hit.is_some() || *left == 0 {
                return Ok(hit);
            }
            seen(&self.now.state);
        }
    }

    /// Plays random moves to the end, at most `left`, which is counted down. Returns how the game ended;
    /// `None` where it was stopped.
    fn playout(
        &mut self,
        moves: &mut Box<Moves<W>>,
        random: &mut Random<Ahead>,
        left: &mut u64,
    ) -> Result<Option<EndHit>, ()> {
        // a game may be over before its first ply
        self.tick(PLY)?;
        let no_move = EndHit { kind: None, number: self.plan.ends.len(), players: 0 };
        let hit = loop {
            let drawn = match self.native_playout(random, left) {
                Some(Played::Over(number, players)) => break Some(self.hit(number, players)),
                Some(Played::NoCandidate) => break Some(no_move),
                Some(Played::LastPly) => break None,
                Some(Played::Pause) => {
                    self.tick(1)?;
                    continue;
                }
                Some(Played::Draw(drawn)) => {
                    self.tick(PLY + self.native_steps())?;
                    std::mem::swap(&mut self.room.out, moves);
                    drawn
                }
                None => {
                    self.tick(PLY)?;
                    if let Some(hit) = self.end()? {
                        break Some(hit);
                    }
                    if *left == 0 {
                        break None;
                    }
                    self.next_moves(moves)?;
                    None
                }
            };
            if !self.draw(moves, random, drawn)? {
                break Some(no_move);
            }
            *left -= 1;
        };
        Ok(hit)
    }

    /// Draws and plays a move, first the one in `drawn`, if any. False where there is no legal move.
    fn draw(
        &mut self,
        moves: &mut Moves<W>,
        random: &mut Random<Ahead>,
        mut drawn: Option<Pick>,
    ) -> Result<bool, ()> {
        if moves.chance && self.plan.chance.iter().any(|c| c.weight.is_some()) {
            return self.draw_weighted(moves, random);
        }
        while moves.total > 0 {
            let pick = match drawn.take() {
                Some(pick) => pick,
                None => {
                    let number = random.below(moves.total);
                    let Some(pick) = moves.nth(number) else { return Ok(false) };
                    pick
                }
            };
            if !self.has_legal_duplicate(moves, pick)? && self.try_pick(moves, pick)? {
                return Ok(true);
            }
            moves.remove(pick);
        }
        Ok(false)
    }

    fn draw_weighted(&mut self, moves: &Moves<W>, random: &mut Random<Ahead>) -> Result<bool, ()> {
        let picks = moves.picks();
        let mut weights: SmallVec<[i64; 16]> = SmallVec::with_capacity(picks.len());
        for pick in &picks {
            weights.push(self.weight(moves, *pick)?);
        }
        match random.weighted(&weights) {
            Some(drawn) => self.play(moves, picks[drawn]),
            None => Ok(false),
        }
    }

    /// Plays a candidate. One that is not legal leaves the state unchanged.
    fn try_pick(&mut self, moves: &Moves<W>, pick: Pick) -> Result<bool, ()> {
        let segment = &moves.segments[pick.segment as usize];
        let tested = !segment.tried() && self.clauses(moves.chance)[segment.clause as usize].tested;
        if !tested {
            return self.play(moves, pick);
        }
        self.trial(moves, pick, true)
    }
}
