//! Principal variation search with iterative deepening, for games of two and more players, with chance.
//!
//! Positions are valued by an [`Evaluation`]. With more than two players all others are taken to play
//! against the one who asks (paranoid search: Sturtevant, Korf 2000). Chance events are averaged.
//! Moves that cost pieces are followed beyond the last ply until none is left (quiescence). Which moves
//! these are is learned in the search: a class of moves, by clause and by whether the target is
//! occupied, counts as quiet once it has been seen to cost nothing.

use rustc_hash::FxHashMap;

use crate::engine::{Candidate, Fault, FaultKind, Game, Look, Walk};
use crate::plan::Place;

use super::evaluation::Evaluation;
use super::features::View;
use super::table::{Bound, Table};

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
/// How many plies of quiescence there are at most.
const MOST_QUIET: i16 = 8;
/// The plies after which a position counts as settled.
const SETTLING: i16 = 4;
/// What a capture may bring besides the worth of what is captured.
const DELTA: i32 = 60;
/// Slots of the history of moves.
const HISTORY: usize = 1 << 14;
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

/// A class of moves: how often one was made, and how often it cost pieces.
#[derive(Debug, Clone, Copy, Default)]
struct Class {
    made: u32,
    costly: u32,
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
    killers: Vec<[u64; 2]>,
    history: Vec<i32>,
    classes: FxHashMap<(u16, bool), Class>,
    /// Lists of candidates that are not in use.
    spare: Vec<Vec<(i32, Candidate)>>,
    line: Vec<Vec<u64>>,
    before: Vec<Vec<u64>>,
    /// Positions that were searched.
    pub nodes: u64,
    /// How many of the best moves get exact values.
    pub wide: usize,
    /// The keys of the moves of the root to choose among; `None` for all.
    pub only: Option<Vec<u64>>,
    /// Not 0: estimates vary a little from position to position, by this seed.
    pub noise: u64,
}

/// The first map with keys that has planes: where the pieces are.
struct Board<'a> {
    place: &'a Place,
    /// The cells of a plane.
    cells: usize,
    /// By value and cell, what a piece is worth, to whomever it belongs.
    worth: Vec<i32>,
}

impl<'a> Board<'a> {
    fn of(game: &'a Game, evaluation: &Evaluation, me: usize) -> Option<Board<'a>> {
        let fits = |place: &&Place| place.planes.is_some() && place.value.is_some() && !place.aside;
        let layout = &game.plan.layout;
        let place = layout.places.iter().find(fits)?;
        let cells = layout.words * 64;
        let mut worth = Vec::new();
        for value in 0..place.value.as_ref()?.len {
            let first = place.planes?.first as usize + value * layout.words;
            let weights = evaluation.plane(first, cells, me)?;
            worth.extend(weights.iter().map(|weight| (weight.abs() * SCALE) as i32));
        }
        Some(Board { place, cells, worth })
    }

    /// What stands on the target of a move is worth; `None` where it is empty.
    fn target(&self, words: &[u64], candidate: &Candidate) -> Option<i32> {
        let cell = candidate.last.and_then(|code| self.place.keys[0].index(code))?;
        let coded = self.place.coded(words, cell);
        (coded > 0).then(|| self.worth[(coded - 1) * self.cells + cell])
    }
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
        Search {
            walk,
            evaluation,
            table,
            stop,
            me,
            board: Board::of(game, evaluation, me),
            killers: vec![[0; 2]; MOST_DEPTH as usize * 2 + 2],
            history: vec![0; HISTORY],
            classes: FxHashMap::default(),
            spare: Vec::new(),
            line: vec![Vec::new(); MOST_DEPTH as usize * 2 + 2],
            before: Vec::new(),
            nodes: 0,
            wide: 1,
            only: None,
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
            (0, _) => 0,
            (_, true) => (WIN - ply as i32) / winners.count_ones() as i32,
            (_, false) => ply as i32 - WIN,
        }
    }

    /// The evaluation for the player who asks.
    fn estimate(&self) -> i32 {
        let odds = self.evaluation.of(View::of(self.walk), self.me);
        let estimate = (odds * SCALE).clamp(-MOST, MOST) as i32;
        if self.noise == 0 {
            return estimate;
        }
        let mixed = (self.walk.hash() ^ self.noise).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        estimate + (mixed >> 40) as i32 % (2 * NOISE + 1) - NOISE
    }

    fn count(&mut self) -> Result<(), End> {
        self.nodes += 1;
        if self.nodes.is_multiple_of(128) && (self.stop)(self.nodes) {
            return Err(End::Limit);
        }
        Ok(())
    }

    /// The candidates of the position, the most promising first.
    fn ordered(&mut self, ply: usize, best: u64) -> Vec<(i32, Candidate)> {
        let mut list = self.spare.pop().unwrap_or_default();
        let mut plain = Vec::new();
        self.walk.candidates(&mut plain);
        list.clear();
        let killers = self.killers.get(ply).copied().unwrap_or_default();
        for candidate in plain {
            let rank = if candidate.key == best {
                i32::MAX
            } else {
                let target = self.target(&candidate);
                let costly = self.costs((candidate.clause, target.is_some()));
                let killer = i32::from(killers.contains(&candidate.key));
                let history = self.history[candidate.key as usize % HISTORY];
                (costly * 100_000_000.0) as i32
                    + target.unwrap_or(0).min(5_000) * 20_000
                    + killer * 10_000_000
                    + history.min(9_000_000)
            };
            list.push((rank, candidate));
        }
        list.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
        list
    }

    /// What stands on the target of a move is worth.
    fn target(&self, candidate: &Candidate) -> Option<i32> {
        self.board.as_ref().and_then(|board| board.target(self.walk.words(), candidate))
    }

    fn class(&self, candidate: &Candidate) -> (u16, bool) {
        (candidate.clause, self.target(candidate).is_some())
    }

    /// The share of the moves of its class that cost pieces; 1 where too few are known.
    fn costs(&self, class: (u16, bool)) -> f32 {
        match self.classes.get(&class) {
            Some(class) if class.made >= 16 => class.costly as f32 / class.made as f32,
            _ => 1.0,
        }
    }

    /// Plays a candidate, and learns what its class costs. `None` where it is not legal.
    fn make(&mut self, candidate: Candidate) -> Result<Option<bool>, End> {
        let class = self.class(&candidate);
        let mut before = self.before.pop().unwrap_or_default();
        before.clear();
        before.extend_from_slice(self.walk.words());
        let made = self.walk.make(candidate);
        let costly =
            matches!(made, Ok(true)) && self.evaluation.reader.loses(&before, self.walk.words());
        self.before.push(before);
        if !made? {
            return Ok(None);
        }
        let known = self.classes.entry(class).or_default();
        known.made += 1;
        known.costly += u32::from(costly);
        Ok(Some(costly))
    }

    /// Whether most moves cost pieces, so that nothing can be quiet.
    fn is_restless(&self) -> bool {
        let (made, costly) =
            self.classes.values().fold((0, 0), |(m, c), class| (m + class.made, c + class.costly));
        costly * 5 > made * 2
    }

    /// The value of the position for the side to move, within the bounds.
    fn value(&mut self, depth: i16, mut alpha: i32, mut beta: i32) -> Result<i32, End> {
        self.count()?;
        let ply = self.walk.depth();
        if let Some(line) = self.line.get_mut(ply) {
            line.clear();
        }
        let look = self.walk.look()?;
        let mine = self.mine();
        let sign = if mine { 1 } else { -1 };
        match look {
            Look::Over(winners) => return Ok(sign * self.decided(winners, ply)),
            Look::Chance => return Ok(sign * self.average(depth)?),
            Look::Moves => {}
        }
        if ply + 2 >= self.line.len() || depth <= -MOST_QUIET {
            return Ok(sign * self.estimate());
        }
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
            let usable = match entry.bound {
                Bound::Exact => true,
                Bound::Lower => value >= beta,
                Bound::Upper => value <= alpha,
            };
            if entry.depth >= depth && usable && ply > 0 {
                return Ok(value);
            }
        }
        let list = self.ordered(ply, best_key);
        let found = self.best_of(&list, depth, alpha, beta, mine);
        let spared = list;
        let Some((value, key)) = found? else {
            self.spare.push(spared);
            // no move is legal: a draw
            return Ok(0);
        };
        self.spare.push(spared);
        let bound = match value {
            _ if value >= beta => Bound::Lower,
            _ if value > alpha => Bound::Exact,
            _ => Bound::Upper,
        };
        let key = if bound == Bound::Upper { 0 } else { key };
        self.table.put(hash, depth, to_table(value, ply), bound, key);
        Ok(value)
    }

    fn best_of(
        &mut self,
        list: &[(i32, Candidate)],
        depth: i16,
        mut alpha: i32,
        beta: i32,
        mine: bool,
    ) -> Result<Option<(i32, u64)>, End> {
        let ply = self.walk.depth();
        let mut best: Option<(i32, u64)> = None;
        let mut tried = 0;
        for (_, candidate) in list {
            let Some(costly) = self.make(*candidate)? else { continue };
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
                    self.remember(ply, depth, candidate.key);
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

    fn remember(&mut self, ply: usize, depth: i16, key: u64) {
        if let Some(killers) = self.killers.get_mut(ply)
            && killers[0] != key
        {
            *killers = [key, killers[0]];
        }
        let slot = &mut self.history[key as usize % HISTORY];
        *slot += i32::from(depth) * i32::from(depth);
        if *slot > 8_000_000 {
            self.history.iter_mut().for_each(|count| *count /= 2);
        }
    }

    /// Follows moves that cost pieces.
    fn quiesce(&mut self, depth: i16, mut alpha: i32, beta: i32) -> Result<i32, End> {
        let mine = self.mine();
        let sign = if mine { 1 } else { -1 };
        let still = sign * self.estimate();
        if self.is_restless() {
            return Ok(still);
        }
        let ply = self.walk.depth();
        if let Some(line) = self.line.get_mut(ply) {
            line.clear();
        }
        let list = self.ordered(ply, 0);
        // where every move costs something, one of them must be made
        let forced = list.iter().all(|(_, candidate)| self.costs(self.class(candidate)) > 0.9);
        let mut best = if forced { -INFINITE } else { still };
        alpha = alpha.max(best);
        let mut stopped = Ok(());
        for (_, candidate) in &list {
            if alpha >= beta {
                break;
            }
            // what is learned meanwhile must not leave out a part of the moves
            let target = self.target(candidate);
            if !forced && self.costs((candidate.clause, target.is_some())) < 0.02 {
                continue;
            }
            // a capture that leaves the side to move behind all the same (delta pruning)
            let hopeless = |worth: i32| still + worth + worth / 2 + DELTA <= alpha;
            if !forced && target.is_some_and(hopeless) {
                continue;
            }
            let step = (|| {
                let Some(costly) = self.make(*candidate)? else { return Ok(None) };
                if !costly && !forced {
                    self.walk.unmake();
                    return Ok(None);
                }
                let same = self.mine() == mine;
                let (low, high) = if same { (alpha, beta) } else { (-beta, -alpha) };
                let value = self.value(depth - 1, low, high)?;
                self.walk.unmake();
                Ok::<Option<i32>, End>(Some(if same { value } else { -value }))
            })();
            match step {
                Err(end) => {
                    stopped = Err(end);
                    break;
                }
                Ok(Some(value)) => {
                    if value > best && value > alpha {
                        self.extend(ply, candidate.key);
                    }
                    best = best.max(value);
                    alpha = alpha.max(value);
                }
                Ok(None) => {}
            }
        }
        self.spare.push(list);
        stopped?;
        Ok(if best == -INFINITE { still } else { best })
    }

    /// The mean over chance events, for the player who asks.
    fn average(&mut self, depth: i16) -> Result<i32, End> {
        if depth <= -2 {
            return Ok(self.estimate());
        }
        let mut events = Vec::new();
        self.walk.candidates(&mut events);
        let (mut sum, mut weights) = (0f64, 0f64);
        for event in events {
            let weight = self.walk.weight(event)? as f64;
            if weight <= 0.0 || !self.walk.make(event)? {
                continue;
            }
            let sign = if self.mine() { 1 } else { -1 };
            let value = sign * self.value(depth - 1, -INFINITE, INFINITE)?;
            self.walk.unmake();
            // a certain end weighs no more than a sure one by evaluation, or odds would not count
            sum += weight * f64::from(value.clamp(-DECIDED / 100, DECIDED / 100));
            weights += weight;
        }
        Ok(if weights > 0.0 { (sum / weights) as i32 } else { 0 })
    }

    /// Goes to the position in which the moves that cost pieces have come to an end, if both sides choose
    /// well among them, calls `tell` there, and comes back. The position must have been looked at.
    ///
    /// # Errors
    /// A rule error, or the end of the time.
    pub fn settled(&mut self, tell: &mut dyn FnMut(&dyn Walk)) -> Result<(), Fault> {
        let from = self.walk.depth();
        let line = match self.quiesce(SETTLING - MOST_QUIET, -INFINITE, INFINITE) {
            Ok(_) => self.line.get(from).cloned().unwrap_or_default(),
            Err(End::Fault(fault)) => return Err(fault),
            Err(End::Limit) => Vec::new(),
        };
        let mut list: Vec<Candidate> = Vec::new();
        for key in line {
            list.clear();
            self.walk.candidates(&mut list);
            let Some(candidate) = list.iter().find(|candidate| candidate.key == key) else { break };
            if !self.walk.make(*candidate)? {
                break;
            }
            if self.walk.look()? != Look::Moves {
                // the end has no estimate
                self.walk.unmake();
                break;
            }
        }
        tell(self.walk);
        while self.walk.depth() > from {
            self.walk.unmake();
        }
        Ok(())
    }

    /// The moves of the root, the best first, as deep as the limits allow.
    ///
    /// # Errors
    /// A rule error.
    pub fn run(
        &mut self,
        deepest: i16,
        told: &mut dyn FnMut(&[Line], u64),
    ) -> Result<Vec<Line>, Fault> {
        let mut lines: Vec<Line> = Vec::new();
        match self.walk.look() {
            Ok(Look::Moves) => {}
            Ok(_) => return Ok(lines),
            Err(fault) => return Err(fault),
        }
        let mut list: Vec<Candidate> = Vec::new();
        self.walk.candidates(&mut list);
        if let Some(only) = &self.only {
            list.retain(|candidate| only.contains(&candidate.key));
        }
        for depth in 1..=deepest.min(MOST_DEPTH) {
            match self.round(depth, &list, &mut lines) {
                Ok(()) => {}
                Err(End::Fault(fault)) => return Err(fault),
                Err(End::Limit) => break,
            }
            // the candidates in the order that was found
            let place = |key: u64| lines.iter().position(|line| line.keys[0] == key);
            list.retain(|candidate| place(candidate.key).is_some());
            list.sort_by_key(|candidate| place(candidate.key));
            told(&lines, self.nodes);
            let sure = lines.first().is_some_and(|line| line.value.abs() > DECIDED);
            if sure || (list.len() < 2 && self.only.is_none()) {
                break;
            }
            self.history.iter_mut().for_each(|count| *count /= 2);
        }
        // an end of the time leaves the walk where it was
        while self.walk.depth() > 0 {
            self.walk.unmake();
        }
        Ok(lines)
    }

    /// Searches all moves of the root to a depth. A round that was broken off counts as far as its
    /// first moves go.
    fn round(&mut self, depth: i16, list: &[Candidate], lines: &mut Vec<Line>) -> Result<(), End> {
        let (mut alpha, beta) = (-INFINITE, INFINITE);
        let mut found: Vec<Line> = Vec::new();
        for candidate in list {
            let step = (|| {
                if self.make(*candidate)?.is_none() {
                    return Ok(None);
                }
                let same = self.mine();
                let ask = |search: &mut Self, low: i32, high: i32| {
                    let (low, high) = if same { (low, high) } else { (-high, -low) };
                    let value = search.value(depth - 1, low, high)?;
                    Ok::<i32, End>(if same { value } else { -value })
                };
                let open = found.len() < self.wide;
                let mut value = match open {
                    true => ask(self, alpha, beta)?,
                    false => ask(self, alpha, alpha + 1)?,
                };
                if !open && value > alpha {
                    value = ask(self, alpha, beta)?;
                }
                self.walk.unmake();
                Ok::<Option<i32>, End>(Some(value))
            })();
            let value = match step {
                Ok(Some(value)) => value,
                Ok(None) => continue,
                Err(end) => {
                    while self.walk.depth() > 0 {
                        self.walk.unmake();
                    }
                    keep(lines, found);
                    return Err(end);
                }
            };
            let mut keys = vec![candidate.key];
            if value > alpha {
                keys.extend_from_slice(&self.line[1]);
            }
            let line = Line { keys, value, depth };
            if value > alpha {
                let place = found.partition_point(|other| other.value >= value);
                found.insert(place, line);
                if let Some(last) = found.get(self.wide.max(1) - 1) {
                    alpha = last.value;
                }
            } else {
                found.push(line);
            }
        }
        *lines = found;
        Ok(())
    }
}

/// The hash of a position's entry, which differs by the player who asks.
fn entry_of(walk: &dyn Walk, me: usize) -> u64 {
    walk.hash() ^ (me as u64).wrapping_mul(0x2545_F491_4F6C_DD1D)
}

/// Appends the best moves of the table to a line that ends where the search met a position that it knew.
///
/// # Errors
/// A rule error, or the end of the time.
pub fn lengthen(walk: &mut dyn Walk, table: &Table, line: &mut Line) -> Result<(), Fault> {
    let me = walk.turn();
    let mut list: Vec<Candidate> = Vec::new();
    for at in 0..usize::try_from(line.depth).unwrap_or(0) {
        if walk.look()? != Look::Moves {
            break;
        }
        let known = table.get(entry_of(walk, me)).filter(|entry| entry.bound == Bound::Exact);
        let best = known.map(|entry| entry.best).filter(|key| *key != 0);
        let Some(key) = line.keys.get(at).copied().or(best) else { break };
        list.clear();
        walk.candidates(&mut list);
        let Some(candidate) = list.iter().find(|candidate| candidate.key == key) else { break };
        if !walk.make(*candidate)? {
            break;
        }
        if at == line.keys.len() {
            line.keys.push(key);
        }
    }
    Ok(())
}

/// Puts the lines of a round that was broken off before those of the round before it.
fn keep(lines: &mut Vec<Line>, found: Vec<Line>) {
    let rest: Vec<Line> = lines
        .drain(..)
        .filter(|line| found.iter().all(|new| new.keys[0] != line.keys[0]))
        .collect();
    *lines = found;
    lines.extend(rest);
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
