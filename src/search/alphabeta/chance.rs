//! The mean over chance events. The windows of the events follow from what the others can contribute at most and at
//! least (Star1: Ballard 1983); before that, one move behind each event is tried, which bounds the event's value from one
//! side (Star2).

use crate::engine::{Candidate, Look};

use super::super::table::{Bound, Entry};
use super::{DECIDED, End, INFINITE, MOST, Search, entry_of, from_table, odds, share, to_table};

/// The greatest value of a game that is not decided.
const UNDECIDED: i32 = MOST as i32;

/// What is known about the mean: each event counts by its weight and has an expected share between two bounds.
struct Mean {
    /// By event, its weight and the bounds of its share.
    events: Vec<(f64, f64, f64)>,
    total: f64,
    /// The sums of the weighted bounds.
    least: f64,
    most: f64,
    /// The least and the greatest value of an event so far.
    worst: i32,
    best: i32,
}

impl Mean {
    fn of(weights: impl Iterator<Item = f64>) -> Mean {
        let events: Vec<_> = weights.map(|weight| (weight, 0.0, 1.0)).collect();
        let total = events.iter().map(|(weight, ..)| weight).sum();
        Mean { events, total, least: 0.0, most: total, worst: INFINITE, best: -INFINITE }
    }

    /// The bounds within which an event's value matters: if it is not above the first one the mean is at most
    /// `alpha`, if it is not below the second one the mean is at least `beta`. They are a point wider than necessary, for
    /// means are rounded.
    fn window(&self, event: usize, alpha: i32, beta: i32) -> (i32, i32) {
        let (weight, least, most) = self.events[event];
        let low = match alpha {
            // the mean is that of a decided game only if all events are
            _ if alpha > UNDECIDED => alpha,
            _ if alpha < -UNDECIDED => -INFINITE,
            _ => match (share(alpha) * self.total - self.most) / weight + most {
                needed if needed <= 0.0 => -INFINITE,
                needed => odds(needed.min(1.0)) - 2,
            },
        };
        let high = match beta {
            _ if beta < -UNDECIDED => beta,
            _ if beta > UNDECIDED => INFINITE,
            _ => match (share(beta) * self.total - self.least) / weight + least {
                needed if needed >= 1.0 => INFINITE,
                needed => odds(needed.max(0.0)) + 2,
            },
        };
        (low, high)
    }

    /// The value of an event is known.
    fn add(&mut self, event: usize, value: i32) {
        self.bound(event, share(value), share(value));
        (self.worst, self.best) = (self.worst.min(value), self.best.max(value));
    }

    /// The share of an event lies between these bounds.
    fn bound(&mut self, event: usize, least: f64, most: f64) {
        let (weight, old_least, old_most) = self.events[event];
        self.least += weight * (least - old_least);
        self.most += weight * (most - old_most);
        self.events[event] = (weight, least, most);
    }

    /// An event turned out to be impossible.
    fn without(&mut self, event: usize) {
        let (weight, least, most) = self.events[event];
        self.total -= weight;
        self.least -= weight * least;
        self.most -= weight * most;
        self.events[event] = (0.0, 0.0, 0.0);
    }

    /// The mean, once all events are known.
    fn value(&self) -> i32 {
        let mut sum = 0.0;
        let mut total = 0.0;
        for (weight, least, _) in &self.events {
            sum += weight * least;
            total += weight;
        }
        match () {
            () if total == 0.0 => 0,
            // decided whatever is thrown
            () if self.worst > DECIDED => self.worst,
            () if self.best < -DECIDED => self.best,
            () => odds(sum / total),
        }
    }
}

impl Search<'_> {
    /// The mean over chance events for the player who asks; outside of the bounds it is a bound. Events are no plies of
    /// their own: the last position of a line is valued before the throw, since the moves after each of the throws
    /// cost too much.
    pub(super) fn average(&mut self, depth: i16, alpha: i32, beta: i32) -> Result<i32, End> {
        if depth <= 0 {
            return self.estimate();
        }
        let ply = self.walk.depth();
        let hash = entry_of(self.walk, self.me);
        if let Some(entry) = self.table.get(hash)
            && entry.depth >= depth
        {
            let value = from_table(entry.value, ply);
            if entry.bound.answers(value, alpha, beta) {
                return Ok(value);
            }
        }
        let value = self.mean(depth, alpha, beta)?;
        let bound = Bound::of(value, alpha, beta);
        self.table.put(hash, Entry { best: 0, value: to_table(value, ply), depth, bound });
        Ok(value)
    }

    fn mean(&mut self, depth: i16, alpha: i32, beta: i32) -> Result<i32, End> {
        let mut all: Vec<Candidate> = Vec::new();
        self.walk.candidates(&mut all);
        let mut events = Vec::with_capacity(all.len());
        for event in all {
            let weight = self.walk.weight(event)? as f64;
            if weight > 0.0 {
                events.push((event, weight));
            }
        }
        let mut mean = Mean::of(events.iter().map(|(_, weight)| *weight));
        // what one event has in common with the others, such as whose turn it is, cannot be known before
        let bounded = alpha > -INFINITE || beta < INFINITE;
        if bounded && events.len() > 1 {
            for (number, (event, _)) in events.iter().enumerate() {
                let window = mean.window(number, alpha, beta);
                if let Some(bound) = self.probe(*event, depth, window, number, &mut mean)? {
                    return Ok(if bound { beta } else { alpha });
                }
            }
        }
        for (number, (event, _)) in events.iter().enumerate() {
            if mean.events[number].0 == 0.0 {
                continue;
            }
            let (low, high) = mean.window(number, alpha, beta);
            if !self.walk.make(*event)? {
                mean.without(number);
                continue;
            }
            self.follow();
            let value = match self.mine() {
                true => self.value(depth, low, high)?,
                false => -self.value(depth, -high, -low)?,
            };
            self.walk.unmake();
            match () {
                () if value <= low => return Ok(alpha),
                () if value >= high => return Ok(beta),
                () => mean.add(number, value),
            }
        }
        Ok(mean.value())
    }

    /// Tries one move behind an event, which bounds its value. Whether the mean is beyond its upper bound, or, if false,
    /// beyond the lower one; `None` where neither is known.
    fn probe(
        &mut self,
        event: Candidate,
        depth: i16,
        (low, high): (i32, i32),
        number: usize,
        mean: &mut Mean,
    ) -> Result<Option<bool>, End> {
        if !self.walk.make(event)? {
            mean.without(number);
            return Ok(None);
        }
        self.follow();
        let mine = self.mine();
        let found = match self.walk.look()? {
            Look::Moves => {
                let (alpha, beta) = if mine { (low, high) } else { (-high, -low) };
                self.first(depth, alpha, beta)?
            }
            Look::Over(_) | Look::Chance => None,
        };
        self.walk.unmake();
        let Some(value) = found else { return Ok(None) };
        let (_, least, most) = mean.events[number];
        match mine {
            true if value >= high => return Ok(Some(true)),
            true if value > low => mean.bound(number, share(value).max(least), most),
            false if -value <= low => return Ok(Some(false)),
            false if -value < high => mean.bound(number, least, share(-value).min(most)),
            _ => {}
        }
        Ok(None)
    }

    /// The value of the first move for the side to move, within the bounds.
    fn first(&mut self, depth: i16, alpha: i32, beta: i32) -> Result<Option<i32>, End> {
        self.count()?;
        let ply = self.walk.depth();
        let mine = self.mine();
        let hash = entry_of(self.walk, self.me);
        let best = self.table.get(hash).map_or(0, |entry| entry.best);
        let mut list = self.listed(best);
        let mut found = None;
        let mut at = 0;
        while let Some(candidate) = self.next(&mut list, at, ply) {
            at += 1;
            if self.make(candidate)?.is_none() {
                continue;
            }
            let value = match self.mine() == mine {
                true => self.value(depth - 1, alpha, beta)?,
                false => -self.value(depth - 1, -beta, -alpha)?,
            };
            self.walk.unmake();
            found = Some(value);
            break;
        }
        self.spare.push(list);
        Ok(found)
    }
}
