//! Backward induction: a group of tiers is solved from the ends of games and from the groups that moves
//! lead to, position by position in the order of the plies to the end (Thompson 1986, Gasser 1996).
//!
//! A position is won as soon as one of its moves is known to win, and lost when the last of its moves is
//! known to lose. What is never decided is drawn: neither player can force an end.

use std::collections::BTreeMap;
use std::ops::Range;

use super::crew::{Crew, Trouble};
use super::expand::{Ending, Expander};
use super::tiers::{TierId, Tiers};
use super::value::{Value, Wdl};

/// By tier, the values of its positions in the order of their ranks; empty where they are not known.
pub type Values = Vec<Vec<Value>>;

/// The bit of an edge that says that the same player moves twice.
const SAME: u32 = 1 << 31;
/// No win outside of the group is known.
const NEVER: u16 = u16::MAX;

/// What is known of the positions of a piece.
#[derive(Default)]
struct Part {
    /// How many edges within the group each has.
    degrees: Vec<u16>,
    /// The positions that these lead to.
    targets: Vec<u32>,
    /// What lies outside of the group.
    outside: Vec<Outside>,
}

/// What a position's moves out of the group come to.
#[derive(Clone, Copy)]
struct Outside {
    /// The plies of the quickest win, or [`NEVER`].
    near: u16,
    /// The plies of the slowest loss.
    far: u16,
    /// One of them is drawn.
    drawn: bool,
    /// The game is over.
    end: Option<Ending>,
}

/// The positions of a group, numbered from 0.
pub(super) struct Group<'t> {
    pub tiers: &'t Tiers,
    /// The tiers with the number of each one's first position.
    pub bases: Vec<(TierId, usize)>,
    pub len: usize,
}

impl<'t> Group<'t> {
    pub fn new(tiers: &'t Tiers, group: &[TierId]) -> Group<'t> {
        let (mut bases, mut len) = (Vec::new(), 0);
        for id in group {
            bases.push((*id, len));
            len += tiers.all[*id as usize].ranks.len();
        }
        Group { tiers, bases, len }
    }

    /// The number of the first position of a tier, where it belongs to the group.
    fn base(&self, tier: TierId) -> Option<usize> {
        self.bases.binary_search_by_key(&tier, |(id, _)| *id).ok().map(|i| self.bases[i].1)
    }
}

/// The value of a position outside of the group, or its number inside.
pub(super) enum Next {
    Inside(u32),
    Outside(Value),
}

/// Where a move leads.
pub(super) fn next(
    group: &Group<'_>,
    values: &Values,
    tier: &super::codec::TierKey,
    rank: u64,
) -> Option<Next> {
    let id = group.tiers.id(tier)?;
    let number = group.tiers.all[id as usize].ranks.number(rank)?;
    match group.base(id) {
        Some(base) => Some(Next::Inside((base + number) as u32)),
        None => values[id as usize].get(number).map(|value| Next::Outside(*value)),
    }
}

/// A move that leads out of what was found before: the rules have not been played alike.
pub(super) fn astray() -> Trouble {
    Trouble::Refused("a move leads to a position that was not found before".to_string())
}

/// Solves a group of tiers, whose moves lead to it and to groups with known values; false where the moves
/// within the group need more than `memory` bytes.
///
/// # Errors
/// A rule error, or an interruption.
pub fn solve(
    crew: &mut Crew<'_>,
    tiers: &Tiers,
    group: &[TierId],
    values: &mut Values,
    memory: u64,
    told: &mut dyn FnMut(u64),
) -> Result<bool, Trouble> {
    let group = Group::new(tiers, group);
    if group.len >= SAME as usize {
        return Ok(false);
    }
    let mut whole = Part::default();
    whole.degrees.reserve_exact(group.len);
    whole.outside.reserve_exact(group.len);
    for (id, _) in &group.bases {
        let tier = &tiers.all[*id as usize];
        let known = &*values;
        let mut fits = true;
        let work = |expander: &mut Expander<'_>, range: Range<usize>| {
            let mut part = Part::default();
            let mut lost = false;
            for rank in tier.ranks.range(range) {
                lost |= !part.add(expander, &group, known, &tier.key, rank)?;
            }
            Ok((!lost).then_some(part))
        };
        let worked = crew.run(tier.ranks.len(), &work, &mut |range, part| {
            let part = part.ok_or_else(astray)?;
            whole.degrees.extend(part.degrees);
            whole.targets.extend(part.targets);
            whole.outside.extend(part.outside);
            told(range.len() as u64);
            fits = whole.bytes() <= memory && whole.targets.len() < u32::MAX as usize;
            match fits {
                true => Ok(()),
                false => Err(Trouble::Interrupted),
            }
        });
        match worked {
            Err(_) if !fits => return Ok(false),
            worked => worked?,
        }
    }
    let decided = whole.decide();
    for (id, base) in &group.bases {
        let len = tiers.all[*id as usize].ranks.len();
        values[*id as usize] = decided[*base..base + len].to_vec();
    }
    Ok(true)
}

impl Part {
    /// Adds a position; false where a move leads astray.
    fn add(
        &mut self,
        expander: &mut Expander<'_>,
        group: &Group<'_>,
        values: &Values,
        tier: &super::codec::TierKey,
        rank: u64,
    ) -> Result<bool, Trouble> {
        let mut outside = Outside { near: NEVER, far: 0, drawn: false, end: None };
        let (mut degree, mut right) = (0u16, true);
        let targets = &mut self.targets;
        outside.end = expander.expand(tier, rank, &mut |tier, rank, same| match next(
            group, values, tier, rank,
        ) {
            None => right = false,
            Some(Next::Inside(number)) => {
                right &= degree < u16::MAX - 1;
                degree = degree.saturating_add(1);
                targets.push(number | if same { SAME } else { 0 });
            }
            Some(Next::Outside(value)) => {
                let value = value.before(same);
                match value.outcome() {
                    Wdl::Win => outside.near = outside.near.min(value.plies()),
                    Wdl::Loss => outside.far = outside.far.max(value.plies()),
                    Wdl::Draw => outside.drawn = true,
                }
            }
        })?;
        self.degrees.push(degree);
        self.outside.push(outside);
        Ok(right)
    }

    /// The bytes that the whole will take: the moves forward, with the room in which they grow, or forward and backward;
    /// and what is noted of each position.
    fn bytes(&self) -> u64 {
        self.targets.len() as u64 * 12 + self.degrees.len() as u64 * 32
    }

    /// For each position, where its predecessors begin in the list of all.
    fn predecessors(&self) -> (Vec<u32>, Vec<u32>) {
        let len = self.degrees.len();
        let mut starts = vec![0u32; len + 1];
        for target in &self.targets {
            starts[(target & !SAME) as usize + 1] += 1;
        }
        for i in 0..len {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut predecessors = vec![0u32; self.targets.len()];
        let mut edges = self.targets.iter();
        for (from, degree) in self.degrees.iter().enumerate() {
            for target in edges.by_ref().take(*degree as usize) {
                let at = &mut next[(target & !SAME) as usize];
                predecessors[*at as usize] = from as u32 | (target & SAME);
                *at += 1;
            }
        }
        (starts, predecessors)
    }

    /// The values of the positions.
    fn decide(mut self) -> Vec<Value> {
        let len = self.degrees.len();
        let (starts, predecessors) = self.predecessors();
        self.targets = Vec::new();
        let mut values = vec![Value::DRAW; len];
        let mut known = vec![false; len];
        // the moves that are not known to lose
        let mut open = self.degrees;
        let mut due: BTreeMap<u16, Vec<(u32, bool)>> = BTreeMap::new();
        for (number, outside) in self.outside.iter().enumerate() {
            let position = number as u32;
            match outside.end {
                Some(Ending::Drawn) => open[number] = u16::MAX,
                Some(end) => due.entry(0).or_default().push((position, end == Ending::Won)),
                None => {
                    open[number] += u16::from(outside.drawn);
                    if outside.near != NEVER {
                        due.entry(outside.near).or_default().push((position, true));
                    } else if open[number] == 0 {
                        due.entry(outside.far).or_default().push((position, false));
                    }
                }
            }
        }
        while let Some((plies, positions)) = due.pop_first() {
            let mut ahead = Vec::new();
            for (position, won) in positions {
                let number = position as usize;
                if std::mem::replace(&mut known[number], true) {
                    continue;
                }
                values[number] = if won { Value::won(plies) } else { Value::lost(plies) };
                let range = starts[number] as usize..starts[number + 1] as usize;
                for edge in &predecessors[range] {
                    let before = edge & !SAME;
                    let i = before as usize;
                    if known[i] {
                        continue;
                    }
                    // the mover wins where the next player loses
                    if won == (edge & SAME != 0) {
                        ahead.push((before, true));
                        continue;
                    }
                    open[i] -= 1;
                    if open[i] == 0 && self.outside[i].near == NEVER {
                        match self.outside[i].far {
                            far if far > plies + 1 => {
                                due.entry(far).or_default().push((before, false));
                            }
                            _ => ahead.push((before, false)),
                        }
                    }
                }
            }
            if !ahead.is_empty() {
                due.entry(plies + 1).or_default().append(&mut ahead);
            }
        }
        values
    }
}
