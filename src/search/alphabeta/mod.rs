//! Principal variation search with iterative deepening, for games of two and more players, with chance.
//!
//! Positions are valued by an [`Evaluation`]. With more than two players all others are taken to play
//! against the one who asks (paranoid search: Sturtevant, Korf 2000). Chance events are averaged (`chance.rs`).
//! Moves that cost pieces are followed beyond the last ply until none is left (quiescence). Which moves
//! these are is learned in the search: a class of moves, by clause and by whether the target is
//! occupied, counts as quiet once it has been seen to cost nothing.

mod bestfirst;
mod chance;
mod maxn;
mod order;
mod quiet;
mod root;

pub use root::lengthen;

use crate::engine::{Candidate, Fault, FaultKind, Game, Look, Walk};

use order::{Board, Learned, Ranked};
use quiet::MOST_QUIET;

use super::evaluation::{Evaluation, Sums};
use super::table::{Bound, Entry, Table};
use super::view::{NO_VALUES, Values};

/// Hears of the lines found so far and of the positions searched. The walk stands at the root, where it is left.
pub type Told<'a> = dyn FnMut(&mut dyn Walk, &[Line], u64) + 'a;

/// The value of a won game, less the plies to its end.
pub const WIN: i32 = 1_000_000;
/// Values beyond this are those of decided games.
pub const DECIDED: i32 = WIN - 10_000;
/// Above all values.
const INFINITE: i32 = WIN + 1;
/// The value of the logarithm of odds 1.
const SCALE: f32 = 100.0;
/// The greatest value of a game that is not decided.
const MOST: f32 = 5000.0;
/// The deepest search.
pub const MOST_DEPTH: i16 = 64;
/// The plies that a line has at most.
const PLIES: usize = MOST_DEPTH as usize * 2 + 2;
/// After how much work it is looked whether the limits are reached.
const CHECKED: u64 = 1024;
/// As how much work a position counts; each of its candidates counts as 1.
const POSITION: u64 = 8;
/// How much estimates vary at most, where they do.
const NOISE: i32 = 15;

/// Why the search stopped.
#[derive(Debug)]
pub enum End {
    /// The limits are reached.
    Limit,
    /// A rule error.
    Fault(Fault),
}

impl From<Fault> for End {
    fn from(fault: Fault) -> End {
        match fault.kind {
            FaultKind::Interrupted => End::Limit,
            _ => End::Fault(fault),
        }
    }
}

/// A move of the root with what the search has found.
#[derive(Debug, Clone)]
pub struct Line {
    /// The keys of the moves, from the root.
    pub keys: Vec<u64>,
    /// The value for the player who asks.
    pub value: i32,
    /// The depth at which it was found.
    pub depth: i16,
}

/// A search from one position.
pub struct Search<'a> {
    walk: &'a mut dyn Walk,
    evaluation: &'a Evaluation,
    table: &'a mut Table,
    stop: &'a dyn Fn(u64) -> bool,
    /// The player who asks.
    me: usize,
    /// The map over sites that tells whether a target is occupied.
    board: Option<Board<'a>>,
    learned: Learned,
    /// Lists of candidates that are not in use.
    spare: Vec<Ranked>,
    plain: Vec<Candidate>,
    /// By ply, the line that is expected from there.
    line: Vec<Vec<u64>>,
    /// The keys of the moves that lead to the current position.
    played: Vec<u64>,
    /// By ply, what the features of the state are worth to the one who asks.
    sums: Vec<Sums>,
    /// The values of the position that was estimated last, with its hash.
    valued: Option<(u64, Values)>,
    /// Chance events may be due.
    chance: bool,
    /// The work done, and after how much of it the limits are looked at.
    work: u64,
    checked: u64,
    /// Positions that were searched.
    pub nodes: u64,
    /// How many of the best moves get exact values.
    pub wide: usize,
    /// The keys of the moves of the root to choose among; `None` for all.
    pub only: Option<Vec<u64>>,
    /// What a draw is worth to the player who asks.
    pub drawn: i32,
    /// The depth to begin with.
    pub shallowest: i16,
    /// Not 0: estimates vary a little from position to position, by this seed.
    pub noise: u64,
}

impl<'a> Search<'a> {
    /// A search for the player to move.
    pub fn new(
        walk: &'a mut dyn Walk,
        game: &'a Game,
        evaluation: &'a Evaluation,
        table: &'a mut Table,
        stop: &'a dyn Fn(u64) -> bool,
    ) -> Search<'a> {
        let me = walk.turn();
        let mut sums = vec![Sums::NONE; PLIES.max(walk.depth() + 1)];
        sums[walk.depth()] = evaluation.sums(walk.words(), me);
        let board = Board::of(game, evaluation, me);
        let clauses = game.plan.moves.len().max(game.plan.chance.len());
        let occupied = board.as_ref().and_then(Board::occupied);
        Search {
            walk,
            evaluation,
            table,
            stop,
            me,
            board,
            learned: Learned::new(clauses, PLIES, occupied),
            spare: Vec::new(),
            plain: Vec::new(),
            line: vec![Vec::new(); PLIES],
            played: vec![0; PLIES],
            sums,
            valued: None,
            chance: !game.plan.chance.is_empty(),
            work: 0,
            checked: CHECKED,
            nodes: 0,
            wide: 1,
            only: None,
            drawn: 0,
            shallowest: 1,
            noise: 0,
        }
    }

    /// Whether the player who asks is to move: the side that maximises.
    fn mine(&self) -> bool {
        self.walk.turn() == self.me
    }

    /// The value of a finished game for the player who asks.
    fn decided(&self, winners: u8, ply: usize) -> i32 {
        let won = winners >> self.me & 1 == 1;
        match (winners, won) {
            (0, _) => self.drawn,
            (_, true) => (WIN - ply as i32) / winners.count_ones() as i32,
            (_, false) => ply as i32 - WIN,
        }
    }

    /// The evaluation for the player who asks.
    fn estimate(&mut self) -> Result<i32, End> {
        self.estimate_with(self.walk.choices())
    }

    fn estimate_with(&mut self, choices: [Option<u64>; 2]) -> Result<i32, End> {
        let values = self.values()?;
        let sums = self.sums.get(self.walk.depth()).unwrap_or(&Sums::NONE);
        let moment = (self.walk.turn(), choices);
        let odds = self.evaluation.from_sums(sums, moment, &values, self.me);
        let estimate = (odds * SCALE).clamp(-MOST, MOST) as i32;
        if self.noise == 0 {
            return Ok(estimate);
        }
        let mixed = (self.walk.hash() ^ self.noise).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        Ok(estimate + (mixed >> 40) as i32 % (2 * NOISE + 1) - NOISE)
    }

    /// What the rules say that the position is worth, where that counts.
    fn values(&mut self) -> Result<Values, End> {
        if !self.evaluation.reader.has_values() {
            return Ok(NO_VALUES);
        }
        // a position is estimated before its candidates are generated and after it
        let hash = self.walk.hash();
        if let Some((of, values)) = self.valued
            && of == hash
        {
            return Ok(values);
        }
        let values = self.evaluation.reader.values(self.walk)?;
        self.valued = Some((hash, values));
        Ok(values)
    }

    /// The evaluation for the player who asks as far as it is known before candidates are generated, and how far
    /// off it may be: a player is taken to have as many as the last time, give or take a half.
    fn rough_estimate(&mut self) -> Result<(i32, i32), End> {
        let choices = self.walk.choices();
        let weight = self.evaluation.of_choices(self.walk.turn(), self.me) * SCALE;
        if choices[0].is_some() || weight == 0.0 {
            return Ok((self.estimate_with(choices)?, 0));
        }
        Ok(match self.walk.choices_before() {
            Some(before) => {
                let margin = (weight * std::f32::consts::LN_2) as i32 + 1;
                (self.estimate_with([Some(before), choices[1]])?, margin)
            }
            None => (self.estimate_with(choices)?, 2 * MOST as i32),
        })
    }

    fn count(&mut self) -> Result<(), End> {
        self.nodes += 1;
        self.work += POSITION;
        if self.work >= self.checked {
            self.checked = self.work + CHECKED;
            if (self.stop)(self.nodes) {
                return Err(End::Limit);
            }
        }
        Ok(())
    }

    /// The value of the position for the side to move, within the bounds.
    fn value(&mut self, depth: i16, mut alpha: i32, mut beta: i32) -> Result<i32, End> {
        self.count()?;
        let ply = self.walk.depth();
        if let Some(line) = self.line.get_mut(ply) {
            line.clear();
        }
        let mine = {
            let over = self.walk.over()?;
            let mine = self.mine();
            let sign = if mine { 1 } else { -1 };
            if let Some(winners) = over {
                return Ok(sign * self.decided(winners, ply));
            }
            if ply + 2 >= self.line.len() || depth <= -MOST_QUIET {
                return Ok(sign * self.rough_estimate()?.0);
            }
            if self.chance && self.walk.generate()? == Look::Chance {
                let (low, high) = if mine { (alpha, beta) } else { (-beta, -alpha) };
                return Ok(sign * self.average(depth, low, high)?);
            }
            mine
        };
        if depth <= 0 {
            return self.quiesce(depth, alpha, beta);
        }
        // a win later than one that is known does not count
        alpha = alpha.max(ply as i32 - WIN);
        beta = beta.min(WIN - ply as i32 - 1);
        if alpha >= beta {
            return Ok(alpha);
        }
        let hash = entry_of(self.walk, self.me);
        let mut best_key = 0;
        if let Some(entry) = self.table.get(hash) {
            best_key = entry.best;
            let value = from_table(entry.value, ply);
            if entry.depth >= depth && ply > 0 && entry.bound.answers(value, alpha, beta) {
                return Ok(value);
            }
        }
        if let Some(value) = self.generated(ply)? {
            return Ok(value);
        }
        let mut list = self.listed(best_key);
        let found = self.best_of(&mut list, depth, alpha, beta, mine);
        self.spare.push(list);
        // where no move is legal, it is a draw
        let Some((value, key)) = found? else {
            return Ok(if mine { self.drawn } else { -self.drawn });
        };
        let bound = Bound::of(value, alpha, beta);
        let key = if bound == Bound::Upper { 0 } else { key };
        let entry = Entry { best: key as u32, value: to_table(value, ply), depth, bound };
        self.table.put(hash, entry);
        Ok(value)
    }

    /// Generates the candidates of a position that is not over, where that was not yet done. Its value for the
    /// side to move, where it has none.
    fn generated(&mut self, ply: usize) -> Result<Option<i32>, End> {
        if self.walk.choices()[0].is_some() {
            return Ok(None);
        }
        match self.walk.generate()? {
            Look::Over(winners) => {
                let sign = if self.mine() { 1 } else { -1 };
                Ok(Some(sign * self.decided(winners, ply)))
            }
            Look::Chance | Look::Moves => Ok(None),
        }
    }

    fn best_of(
        &mut self,
        list: &mut Ranked,
        depth: i16,
        mut alpha: i32,
        beta: i32,
        mine: bool,
    ) -> Result<Option<(i32, u64)>, End> {
        let ply = self.walk.depth();
        let player = self.walk.turn();
        let mut best: Option<(i32, u64)> = None;
        let mut tried = 0;
        let mut at = 0;
        while let Some(candidate) = self.next(list, at, ply) {
            at += 1;
            let Some(costly) = self.make(candidate)? else { continue };
            tried += 1;
            let same = self.mine() == mine;
            // a single move decides nothing, so it costs no depth
            let next = if list.len() == 1 && ply < 2 * depth as usize { depth } else { depth - 1 };
            let mut reduced = 0;
            if depth >= 3 && tried > 3 && !costly {
                reduced = 1 + i16::from(tried > 10) + i16::from(depth > 6 && tried > 20);
            }
            let ask = |search: &mut Self, depth: i16, alpha: i32, beta: i32| {
                let (low, high) = if same { (alpha, beta) } else { (-beta, -alpha) };
                let value = search.value(depth, low, high)?;
                Ok::<i32, End>(if same { value } else { -value })
            };
            let searched = (|| {
                if tried == 1 {
                    return ask(self, next, alpha, beta);
                }
                let mut value = ask(self, next - reduced, alpha, alpha + 1)?;
                if value > alpha && reduced > 0 {
                    value = ask(self, next, alpha, alpha + 1)?;
                }
                if value > alpha && value < beta {
                    value = ask(self, next, alpha, beta)?;
                }
                Ok(value)
            })();
            let value = searched?;
            self.walk.unmake();
            if best.is_none_or(|(top, _)| value > top) {
                best = Some((value, candidate.key));
                if value > alpha {
                    alpha = value;
                    self.extend(ply, candidate.key);
                }
            }
            if alpha >= beta {
                if !costly {
                    let before = self.before_of(ply);
                    let place = (player, ply, depth);
                    self.learned.remember(place, before, candidate.key, list.tried(at - 1));
                }
                break;
            }
        }
        Ok(best)
    }

    /// The line from here: a move, and the line behind it.
    fn extend(&mut self, ply: usize, key: u64) {
        if ply + 1 < self.line.len() {
            let (before, after) = self.line.split_at_mut(ply + 1);
            let line = &mut before[ply];
            line.clear();
            line.push(key);
            line.extend_from_slice(&after[0]);
        }
    }
}

/// The expected points of a value, from 0 to 1.
pub fn share(value: i32) -> f64 {
    1.0 / (1.0 + (f64::from(-value) / f64::from(SCALE)).exp())
}

/// The value of expected points, not that of a decided game.
fn odds(share: f64) -> i32 {
    let value = (share / (1.0 - share)).ln() * f64::from(SCALE);
    value.clamp(-f64::from(MOST), f64::from(MOST)) as i32
}

/// The hash of a position's entry, which differs by the player who asks.
fn entry_of(walk: &dyn Walk, me: usize) -> u64 {
    walk.hash() ^ (me as u64).wrapping_mul(0x2545_F491_4F6C_DD1D)
}

fn to_table(value: i32, ply: usize) -> i32 {
    match value {
        _ if value > DECIDED => value + ply as i32,
        _ if value < -DECIDED => value - ply as i32,
        _ => value,
    }
}

fn from_table(value: i32, ply: usize) -> i32 {
    match value {
        _ if value > DECIDED => value - ply as i32,
        _ if value < -DECIDED => value + ply as i32,
        _ => value,
    }
}
