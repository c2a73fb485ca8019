//! Value iteration: passes over the positions of a group, of which each decides those that end within one
//! ply more. It needs no room for the moves and is slower than [`super::induction`], with which it shares
//! nothing but how moves are made.

use std::ops::Range;

use super::crew::{Crew, Trouble};
use super::expand::{Ending, Expander};
use super::induction::{Group, Next, Values, astray, next};
use super::tiers::{TierId, Tiers};
use super::value::{Value, Wdl};

/// The bytes that a position takes: its value, and that of a pass in which all are decided.
pub const POSITION: u64 = 4 + 2 * 16;

/// Solves a group of tiers, whose moves lead to it and to groups with known values.
///
/// # Errors
/// A rule error, or an interruption.
pub fn solve(
    crew: &mut Crew<'_>,
    tiers: &Tiers,
    group: &[TierId],
    values: &mut Values,
    told: &mut dyn FnMut(u64),
) -> Result<(), Trouble> {
    let group = Group::new(tiers, group);
    // what is not decided yet has no value
    let mut own: Vec<Option<Value>> = vec![None; group.len];
    let mut plies = 0u16;
    loop {
        let (mut decided, mut later) = (Vec::new(), false);
        for (id, base) in &group.bases {
            let tier = &tiers.all[*id as usize];
            let (own, known) = (&own, &*values);
            let work = |expander: &mut Expander<'_>, range: Range<usize>| {
                let (mut found, mut later, mut lost) = (Vec::new(), false, false);
                for (i, rank) in range.clone().zip(tier.ranks.range(range)) {
                    if own[base + i].is_some() {
                        continue;
                    }
                    let mut best = Best { won: None, all_lost: Some(0) };
                    let end =
                        expander.expand(&tier.key, rank, &mut |tier, rank, same| match next(
                            &group, known, tier, rank,
                        ) {
                            None => lost = true,
                            Some(Next::Inside(number)) => {
                                best.add(own[number as usize].map(|value| value.before(same)));
                            }
                            Some(Next::Outside(value)) => best.add(Some(value.before(same))),
                        })?;
                    let value = match end {
                        Some(Ending::Drawn) => continue,
                        Some(Ending::Won) => Value::won(0),
                        Some(Ending::Lost) => Value::lost(0),
                        None => match best.value() {
                            Some(value) => value,
                            None => continue,
                        },
                    };
                    match value.plies() <= plies {
                        true => found.push((base + i, value)),
                        false => later = true,
                    }
                }
                Ok((!lost).then_some((found, later)))
            };
            crew.run(tier.ranks.len(), &work, &mut |range, found| {
                let (found, more) = found.ok_or_else(astray)?;
                decided.extend(found);
                later |= more;
                told(range.len() as u64);
                Ok(())
            })?;
        }
        if decided.is_empty() && !later {
            break;
        }
        for (number, value) in decided {
            own[number] = Some(value);
        }
        plies += 1;
    }
    for (id, base) in &group.bases {
        let len = tiers.all[*id as usize].ranks.len();
        let of_tier = own[*base..base + len].iter();
        values[*id as usize] = of_tier.map(|value| value.unwrap_or(Value::DRAW)).collect();
    }
    Ok(())
}

/// What the moves of a position come to, for the player who makes them.
struct Best {
    /// The plies of the quickest win.
    won: Option<u16>,
    /// The plies of the slowest loss, as long as all moves are known to lose.
    all_lost: Option<u16>,
}

impl Best {
    fn add(&mut self, value: Option<Value>) {
        match value.map(|value| (value.outcome(), value.plies())) {
            Some((Wdl::Win, plies)) => {
                self.won = Some(self.won.map_or(plies, |least| least.min(plies)));
                self.all_lost = None;
            }
            Some((Wdl::Loss, plies)) => {
                self.all_lost = self.all_lost.map(|most| most.max(plies));
            }
            Some((Wdl::Draw, _)) | None => self.all_lost = None,
        }
    }

    fn value(&self) -> Option<Value> {
        match (self.won, self.all_lost) {
            (Some(plies), _) => Some(Value::won(plies)),
            (None, Some(plies)) => Some(Value::lost(plies)),
            (None, None) => None,
        }
    }
}
