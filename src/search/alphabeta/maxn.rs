//! Search for more than two players in which each of them seeks the greatest share for himself (max-n: Luckhardt, Irani
//! 1986). What a player's move leaves to the others bounds what they can have, so that some moves need not be
//! searched (shallow pruning: Korf 1991).

use crate::engine::{Candidate, Fault, Look};

use super::super::table::{Bound, Entry};
use super::super::view::View;
use super::root::{keep, order_by};
use super::{End, Line, MOST_DEPTH, Search, Told, WIN, entry_of, odds};

/// The most players.
const PLAYERS: usize = 8;
/// Shares of so much are all there is.
const WHOLE: f32 = 0.9999;

/// What each player can expect; together it is 1.
type Shares = [f32; PLAYERS];

impl Search<'_> {
    /// The moves of the root, the best first, as deep as the limits allow.
    ///
    /// # Errors
    /// A rule error.
    pub fn max_n(&mut self, deepest: i16, told: &mut Told<'_>) -> Result<Vec<Line>, Fault> {
        let mut lines: Vec<Line> = Vec::new();
        if self.walk.look()? != Look::Moves {
            return Ok(lines);
        }
        let mut list: Vec<Candidate> = Vec::new();
        self.walk.candidates(&mut list);
        self.keep_wanted(&mut list);
        for depth in 1..=deepest.min(MOST_DEPTH) {
            let searched = self.shares_of_moves(depth, &list, &mut lines);
            self.walk.rewind();
            match searched {
                Ok(()) => {}
                Err(End::Limit) => break,
                Err(End::Fault(fault)) => return Err(fault),
            }
            lines.sort_by_key(|line| std::cmp::Reverse(line.value));
            order_by(&mut list, &lines);
            told(&mut *self.walk, &lines, self.nodes);
            let sure = lines.first().is_some_and(|line| line.value == WIN - 1);
            if sure || (list.len() < 2 && self.only.is_none()) {
                break;
            }
            self.learned.fade();
        }
        Ok(lines)
    }

    /// Searches all moves of the root to a depth. A round that was broken off counts as far as its first moves go.
    fn shares_of_moves(
        &mut self,
        depth: i16,
        list: &[Candidate],
        lines: &mut Vec<Line>,
    ) -> Result<(), End> {
        let mut found: Vec<Line> = Vec::new();
        let mut ended = Ok(());
        let mut best = 0.0;
        for candidate in list {
            let step = (|| {
                if self.make(*candidate)?.is_none() {
                    return Ok(None);
                }
                let won = self.walk.over()?.is_some_and(|winners| winners == 1 << self.me);
                let bound = if found.len() < self.wide { 0.0 } else { best };
                let shares = self.shares(depth - 1, self.me, bound)?;
                self.walk.unmake();
                Ok::<_, End>(Some(if won { None } else { Some(shares[self.me]) }))
            })();
            let share = match step {
                Ok(Some(share)) => share,
                Ok(None) => continue,
                Err(end) => {
                    ended = Err(end);
                    break;
                }
            };
            let value = share.map_or(WIN - 1, |share| odds(f64::from(share)));
            best = f32::max(best, share.unwrap_or(1.0));
            let mut keys = vec![candidate.key];
            keys.extend_from_slice(&self.line[1]);
            found.push(Line { keys, value, depth });
        }
        if ended.is_err() {
            found.sort_by_key(|line| std::cmp::Reverse(line.value));
            keep(lines, found);
        } else {
            *lines = found;
        }
        ended
    }

    /// What each player can expect. The search may end once a player other than `chooser` has so much that `chooser`
    /// cannot have more than `bound`.
    fn shares(&mut self, depth: i16, chooser: usize, bound: f32) -> Result<Shares, End> {
        self.count()?;
        let ply = self.walk.depth();
        if let Some(line) = self.line.get_mut(ply) {
            line.clear();
        }
        if let Some(winners) = self.walk.over()? {
            return Ok(self.won(winners));
        }
        if ply + 2 >= self.line.len() {
            return self.estimates();
        }
        let look = self.walk.generate()?;
        match look {
            Look::Over(winners) => return Ok(self.won(winners)),
            Look::Chance if depth > 0 => return self.mean_shares(depth),
            _ if depth <= 0 => return self.estimates(),
            _ => {}
        }
        let turn = self.walk.turn();
        let hash = entry_of(self.walk, PLAYERS + turn);
        let known = self.table.get(hash).map_or(0, |entry| entry.best);
        let mut list = self.listed(known);
        let found = self.best_share(&mut list, depth, turn, (chooser, bound));
        self.spare.push(list);
        // where no move is legal, it is a draw
        let Some((shares, key)) = found? else { return Ok(self.won(0)) };
        let value = odds(f64::from(shares[turn]));
        self.table.put(hash, Entry { best: key as u32, value, depth, bound: Bound::Lower });
        Ok(shares)
    }

    fn best_share(
        &mut self,
        list: &mut super::order::Ranked,
        depth: i16,
        turn: usize,
        (chooser, bound): (usize, f32),
    ) -> Result<Option<(Shares, u64)>, End> {
        let ply = self.walk.depth();
        let mut best: Option<(Shares, u64)> = None;
        let mut at = 0;
        while let Some(candidate) = self.next(list, at, ply) {
            at += 1;
            let Some(costly) = self.make(candidate)? else { continue };
            let own = best.map_or(0.0, |(shares, _)| shares[turn]);
            let shares = self.shares(depth - 1, turn, own)?;
            self.walk.unmake();
            if best.is_none_or(|(top, _)| shares[turn] > top[turn]) {
                best = Some((shares, candidate.key));
                self.extend(ply, candidate.key);
                let refuted = turn != chooser && shares[turn] >= 1.0 - bound;
                if refuted || shares[turn] >= WHOLE {
                    if !costly {
                        let before = self.before_of(ply);
                        let place = (turn, ply, depth);
                        self.learned.remember(place, before, candidate.key, list.tried(at - 1));
                    }
                    break;
                }
            }
        }
        Ok(best)
    }

    /// The mean over chance events.
    fn mean_shares(&mut self, depth: i16) -> Result<Shares, End> {
        let mut events: Vec<Candidate> = Vec::new();
        self.walk.candidates(&mut events);
        let mut sum = [0.0; PLAYERS];
        let mut weights = 0.0;
        for event in events {
            let weight = self.walk.weight(event)? as f32;
            if weight <= 0.0 || !self.walk.make(event)? {
                continue;
            }
            self.follow();
            let shares = self.shares(depth, self.me, 0.0)?;
            self.walk.unmake();
            for (sum, share) in sum.iter_mut().zip(shares) {
                *sum += weight * share;
            }
            weights += weight;
        }
        if weights == 0.0 {
            return Ok(self.won(0));
        }
        Ok(sum.map(|share| share / weights))
    }

    fn players(&self) -> usize {
        self.evaluation.reader.players.min(PLAYERS)
    }

    /// The shares at the end of a game.
    fn won(&self, winners: u8) -> Shares {
        let mut shares = [0.0; PLAYERS];
        let players = self.players();
        for (player, share) in shares.iter_mut().enumerate().take(players) {
            *share = match winners {
                0 => 1.0 / players as f32,
                _ => f32::from(winners >> player & 1) / winners.count_ones() as f32,
            };
        }
        shares
    }

    /// The shares by the evaluation.
    fn estimates(&mut self) -> Result<Shares, End> {
        let mut shares = [0.0; PLAYERS];
        let players = self.players();
        let view = View::of(self.walk, &self.evaluation.reader)?;
        for (player, share) in shares.iter_mut().enumerate().take(players) {
            *share = 1.0 / (1.0 + (-self.evaluation.of(view, player)).exp());
        }
        let sum: f32 = shares.iter().sum();
        Ok(shares.map(|share| share / sum.max(f32::MIN_POSITIVE)))
    }
}
