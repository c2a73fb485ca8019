//! How random games end, and Pearson's chi-square: do counts that chance gave come from the same
//! law?
//!
//! Tests use it with fixed seeds, so that what it says is always the same.

use std::collections::BTreeMap;

use ludex::engine::{PlayoutOptions, Session, State};

/// The quantile of the normal distribution above which one in a thousand lies.
const NORMAL_999: f64 = 3.0902;
/// Neighbouring bins are merged until this many are expected in each.
const EXPECTED: f64 = 5.0;

/// How often games ended in each way (who won, a bit for each player; `None` is unfinished) after
/// so many plies.
pub type Ended = BTreeMap<(Option<usize>, u64), u64>;

/// How far counts are from what was expected.
#[derive(Debug, Clone, Copy)]
pub struct ChiSquare {
    pub statistic: f64,
    pub freedom: usize,
}

impl ChiSquare {
    /// The statistic that chance exceeds once in a thousand times (Wilson and Hilferty).
    pub fn limit(&self) -> f64 {
        let n = self.freedom as f64;
        let spread = 2.0 / (9.0 * n);
        match self.freedom {
            0 => 1e-6,
            _ => n * (1.0 - spread + NORMAL_999 * spread.sqrt()).powi(3),
        }
    }

    pub fn ordinary(&self) -> bool {
        self.statistic <= self.limit()
    }
}

/// Two series of counts against each other; a law stands for a very long series.
pub fn between<K: Ord + Clone>(a: &BTreeMap<K, u64>, b: &BTreeMap<K, u64>) -> ChiSquare {
    let (all_a, all_b) = (a.values().sum::<u64>() as f64, b.values().sum::<u64>() as f64);
    let mut keys: Vec<&K> = a.keys().chain(b.keys()).collect();
    keys.sort();
    keys.dedup();
    let count = |of: &BTreeMap<K, u64>, key| of.get(key).copied().unwrap_or(0) as f64;
    let bins = keys.into_iter().map(|key| (count(a, key), count(b, key)));
    let smaller = all_a.min(all_b) / (all_a + all_b);
    let merged = merge(bins.collect(), |(a, b)| (a + b) * smaller);
    let scale = (all_b / all_a).sqrt();
    let statistic = merged.iter().map(|(a, b)| (scale * a - b / scale).powi(2) / (a + b)).sum();
    ChiSquare { statistic, freedom: merged.len() - 1 }
}

/// Adds up neighbours until enough is expected of each; what is left over joins the last.
fn merge(bins: Vec<(f64, f64)>, expected: impl Fn(&(f64, f64)) -> f64) -> Vec<(f64, f64)> {
    let mut merged: Vec<(f64, f64)> = Vec::new();
    let mut open = (0.0, 0.0);
    for (a, b) in bins {
        open = (open.0 + a, open.1 + b);
        if expected(&open) >= EXPECTED {
            merged.push(std::mem::take(&mut open));
        }
    }
    match merged.last_mut() {
        Some(last) => *last = (last.0 + open.0, last.1 + open.1),
        None => merged.push(open),
    }
    merged
}

/// How random games of the engine end.
pub fn ended(
    session: &mut Session<'_>,
    start: &State,
    games: u64,
    max_plies: u64,
) -> Result<Ended, String> {
    let mut ended = Ended::new();
    let (mut plies, mut won) = (0, Vec::new());
    let mut options = PlayoutOptions {
        seed: 1,
        max_plies,
        go_on: &mut |counts| {
            won.resize(counts.won.len(), 0);
            let winners = (0..won.len()).find(|i| counts.won[*i] > won[*i]);
            *ended.entry((winners, counts.plies - plies)).or_default() += 1;
            plies = counts.plies;
            won.clone_from(&counts.won);
            counts.games < games
        },
        finished: None,
        seen: None,
    };
    session.playouts(start, &mut options).map_err(|f| format!("{f:?}"))?;
    Ok(ended)
}
