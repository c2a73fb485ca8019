//! What the search learns of moves: what classes of them cost, and which of them refute positions.

use crate::engine::{Candidate, Wanted};
use crate::plan::Code;

use super::quiet::{FORCED, QUIET};

/// Slots of the history of moves.
const HISTORY: usize = 1 << 14;
/// Slots of the history of moves as answers.
const ANSWERS: usize = 1 << 16;
/// The limit of a slot of a history, to both sides.
const FULL: i32 = 1 << 14;
/// What a refutation counts for each square of its depth, and at most.
const AMOUNT: (i32, i32) = (16, 1600);
/// How often a class of moves must have been made before what it costs is known.
const KNOWN: u32 = 16;

/// A class of moves: how often one was made, and how often it cost pieces.
#[derive(Debug, Clone, Copy)]
struct Class {
    made: u32,
    costly: u32,
    /// The share of those that cost pieces; 1 where too few are known.
    share: f32,
}

/// Where a move is made: the player, the ply, and the keys of the two moves before it, the last one first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Context {
    pub player: usize,
    pub ply: usize,
    pub before: [Option<u64>; 2],
}

/// What was learned of moves in the search.
pub(super) struct Learned {
    /// By clause, and whether the target is occupied.
    classes: Vec<Class>,
    /// The classes that are not quiet.
    pub wanted: Wanted,
    /// How many classes leave no choice.
    forcing: u32,
    /// Over all classes.
    made: u32,
    costly: u32,
    /// By player and key, how a move does at large: how much more it has refuted than it was tried in vain.
    history: Vec<i16>,
    /// By key of a move and key of one before it, how it does as an answer: to the last move, and to the one
    /// before that, which is one of the same player.
    answers: [Vec<i16>; 2],
    /// By ply, the last two moves that have refuted a position.
    killers: Vec<[u64; 2]>,
    /// By key of a move, what has refuted it.
    refuted: Vec<u64>,
}

/// Moves a slot of a history towards the limit: the nearer it is, the less.
fn moved(slot: &mut i16, amount: i32) {
    let value = i32::from(*slot);
    *slot = (value + amount - value * amount.abs() / FULL) as i16;
}

fn slot(player: usize, key: u64) -> usize {
    (key ^ (player as u64) << 7) as usize % HISTORY
}

fn answer_slot(before: u64, key: u64) -> usize {
    let mixed = (before.rotate_left(17) ^ key).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> 48) as usize % ANSWERS
}

impl Learned {
    pub fn new(clauses: usize, plies: usize, occupied: Option<(Code, usize, usize)>) -> Learned {
        let unknown = Class { made: 0, costly: 0, share: 1.0 };
        Learned {
            classes: vec![unknown; clauses * 2],
            wanted: Wanted { clauses: vec![[true; 2]; clauses], occupied },
            forcing: 0,
            made: 0,
            costly: 0,
            history: vec![0; HISTORY],
            answers: [vec![0; ANSWERS], vec![0; ANSWERS]],
            killers: vec![[0; 2]; plies],
            refuted: vec![0; HISTORY],
        }
    }

    /// The share of the moves of its class that cost pieces; 1 where too few are known.
    pub fn costs(&self, clause: u16, occupied: bool) -> f32 {
        self.classes.get(usize::from(clause) * 2 + usize::from(occupied)).map_or(1.0, |c| c.share)
    }

    pub fn count(&mut self, clause: u16, occupied: bool, costly: bool) {
        self.made += 1;
        self.costly += u32::from(costly);
        let at = usize::from(clause) * 2 + usize::from(occupied);
        let Some(class) = self.classes.get_mut(at) else { return };
        class.made += 1;
        class.costly += u32::from(costly);
        if class.made >= KNOWN {
            self.forcing -= u32::from(class.made > KNOWN && class.share > FORCED);
            class.share = class.costly as f32 / class.made as f32;
            self.forcing += u32::from(class.share > FORCED);
            self.wanted.clauses[usize::from(clause)][usize::from(occupied)] = class.share >= QUIET;
        }
    }

    /// Whether there is a class of moves that leave no choice.
    pub fn may_force(&self) -> bool {
        self.forcing > 0
    }

    /// Whether most moves cost pieces, so that nothing can be quiet.
    pub fn is_restless(&self) -> bool {
        self.costly * 5 > self.made * 2
    }

    /// A move has refuted a position at this depth, those of `others` that were tried before have not.
    pub fn remember(&mut self, context: Context, depth: i16, key: u64, others: &[Candidate]) {
        if let Some(killers) = self.killers.get_mut(context.ply)
            && killers[0] != key
        {
            *killers = [key, killers[0]];
        }
        if let Some(before) = context.before[0] {
            self.refuted[before as usize % HISTORY] = key;
        }
        let depth = i32::from(depth);
        let amount = (depth * depth * AMOUNT.0).min(AMOUNT.1);
        self.adjust(context, key, amount);
        for other in others {
            self.adjust(context, other.key, -amount);
        }
    }

    fn adjust(&mut self, context: Context, key: u64, amount: i32) {
        moved(&mut self.history[slot(context.player, key)], amount);
        for (before, answers) in context.before.iter().zip(&mut self.answers) {
            if let Some(before) = before {
                moved(&mut answers[answer_slot(*before, key)], amount);
            }
        }
    }

    /// What was learned long ago counts less.
    pub fn fade(&mut self) {
        self.history.iter_mut().for_each(|count| *count /= 2);
    }

    fn is_killer(&self, ply: usize, key: u64) -> bool {
        self.killers.get(ply).is_some_and(|killers| killers.contains(&key))
    }

    /// What a history says of a move as an answer to the last move, or the one before.
    fn answers(&self, context: &Context, which: usize, key: u64) -> i32 {
        let before = context.before[which];
        before.map_or(0, |before| i32::from(self.answers[which][answer_slot(before, key)]))
    }

    /// How a quiet move is ranked: by what it has refuted here, as an answer to the last moves, and elsewhere.
    pub fn rank(&self, context: &Context, key: u64) -> i32 {
        let killer = self.is_killer(context.ply, key);
        let refutes =
            context.before[0].is_some_and(|before| self.refuted[before as usize % HISTORY] == key);
        let history = i32::from(self.history[slot(context.player, key)])
            + self.answers(context, 0, key)
            + self.answers(context, 1, key);
        i32::from(killer) * 10_000_000 + i32::from(refutes) * 5_000_000 + history * 100
    }

    /// How many plies less a quiet move is reduced than others are, for what it has refuted: from -2 to 3.
    pub fn merit(&self, context: &Context, key: u64) -> f32 {
        let history = i32::from(self.history[slot(context.player, key)]);
        let killer = if self.is_killer(context.ply, key) { 1.0 } else { 0.0 };
        killer + (history + self.answers(context, 0, key)) as f32 / FULL as f32
    }
}
