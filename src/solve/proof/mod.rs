//! The value of one position by search alone, for games with more positions than can be stored: with a table of
//! what is proven, two methods go on in turn until one of them answers. Proof-number search (`numbers`) finds forced
//! wins, and `alphabeta` what neither player can avoid.
//!
//! What is proven of a position rests on ends of games and on positions proven before, so it holds
//! whatever else can be reached. Where a line comes back to a position on its own way, its value would
//! depend on the way, and the search gives up.

mod alphabeta;
mod numbers;
mod table;

use rustc_hash::FxHashSet;

use crate::engine::{Candidate, Game, Look, Random, Session, Walk};
use crate::search::evaluation::Evaluation;
use crate::syntax::Term;

use super::codec::Cell;
use super::crew::Trouble;
use super::expand::Numbering;

use alphabeta::History;
use table::{Key, MOST, NEVER, Table};

/// What a finished game is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stake {
    /// 1 for a win, 0 for a draw, -1 for a loss.
    #[default]
    Outcome,
    /// The difference of the scores.
    Margin,
}

/// What a search has proven.
#[derive(Debug, Clone, PartialEq)]
pub struct Proven {
    /// The value for the player to move.
    pub value: i32,
    /// A move that reaches it; `None` where the game is over, or every move does.
    pub best: Option<Term>,
    /// The positions that were searched.
    pub positions: u64,
}

/// The positions between two looks at the clock.
const SLICE: u64 = 1_024;
/// The positions that a method gets at first; proof-number search gets half of them.
const TURN: u64 = 1 << 14;
/// The stack that a position may need, and how much more is taken where that is missing.
const ROOM: usize = 128 << 10;
const STACK: usize = 4 << 20;
/// The seed of the numbers in keys.
const SEED: u64 = 0x004C_5544_4558;

/// Where a move leads.
struct Reached {
    /// The same player is to move there.
    same: bool,
    /// The key of the position; 0 where the game is over.
    key: Key,
    /// The value of the finished game for the player who made the move; `None` where the game goes on.
    end: Option<i32>,
}

/// A search for the value of a position.
struct Search<'s> {
    walk: Box<dyn Walk + 's>,
    numbering: &'s Numbering,
    /// By cell, the number with which it counts in a [`Key`].
    factors: Vec<Key>,
    evaluation: Option<&'s Evaluation>,
    stake: Stake,
    table: Table,
    /// The keys of the positions on the way to the current one.
    path: FxHashSet<Key>,
    history: History,
    positions: u64,
    /// After how many positions the other method goes on.
    until: u64,
    stop: &'s dyn Fn() -> bool,
    cells: Vec<Cell>,
    spare: Vec<Cell>,
}

/// Proves the value of a position with a table of at most `memory` bytes.
///
/// # Errors
/// A rule error, an interruption, or a game in which positions come again.
pub fn prove(
    game: &Game,
    numbering: &Numbering,
    evaluation: Option<&Evaluation>,
    (start, stake, memory): (&[u64], Stake, u64),
    stop: &dyn Fn() -> bool,
    told: &mut dyn FnMut(u64, i32, i32),
) -> Result<Proven, Trouble> {
    let mut session = Session::new(game);
    let opening = session.opening();
    let mut random = Random::seeded(SEED);
    let mut factor = |_| Key::from(random.number()) << 64 | Key::from(random.number());
    let mut search = Search {
        walk: session.walk(&opening),
        numbering,
        factors: (0..numbering.codec.len).map(&mut factor).collect(),
        evaluation,
        stake,
        table: Table::new(memory),
        path: FxHashSet::default(),
        history: History::default(),
        positions: 0,
        until: 0,
        stop,
        cells: Vec::new(),
        spare: Vec::new(),
    };
    search.walk.go(start);
    if let Some(winners) = search.walk.over()? {
        let value = search.worth(search.walk.turn(), winners)?;
        return Ok(Proven { value, best: None, positions: 1 });
    }
    let (mut lower, mut upper) = match stake {
        Stake::Outcome => (-1, 1),
        Stake::Margin => (-MOST, MOST),
    };
    // narrow windows from the value that seems likely: each says on which side of it the value is
    let mut guess = match stake {
        Stake::Outcome => 1,
        Stake::Margin => 0,
    };
    let mut best = None;
    let mut turn = TURN;
    while lower < upper {
        told(search.positions, lower, upper);
        let beta = guess.max(lower + 1);
        let (value, key) = search.answered(start, beta, &mut turn)?;
        if value < beta {
            upper = value;
        } else {
            lower = value;
            best = key.or(best);
        }
        guess = value;
    }
    let mut walk = search.walk;
    walk.go(start);
    walk.look()?;
    let mut list: Vec<Candidate> = Vec::new();
    walk.candidates(&mut list);
    let found = list.into_iter().find(|candidate| Some(candidate.key) == best);
    let best = found.map(|candidate| walk.term(candidate));
    Ok(Proven { value: lower, best, positions: search.positions })
}

impl Search<'_> {
    /// On which side of `beta` the value of the start is: a bound of it, and the key of a move that reaches this. `turn`
    /// is the number of positions that the next method gets.
    fn answered(
        &mut self,
        start: &[u64],
        beta: i32,
        turn: &mut u64,
    ) -> Result<(i32, Option<u64>), Trouble> {
        loop {
            self.walk.go(start);
            let key = self.key();
            self.until = self.positions + *turn / 2;
            match self.ask(key, beta, (NEVER, NEVER)) {
                Ok(found) if found.proof == 0 => return Ok((beta, found.best)),
                Ok(_) => return Ok((beta - 1, None)),
                Err(Trouble::Interrupted) if self.positions >= self.until => {}
                Err(trouble) => return Err(trouble),
            }
            self.walk.go(start);
            self.until = self.positions + *turn;
            match self.node(key, beta - 1, beta) {
                Err(Trouble::Interrupted) if self.positions >= self.until => {}
                found => return found,
            }
            *turn *= 2;
        }
    }

    /// Counts a position.
    fn count(&mut self) -> Result<(), Trouble> {
        self.positions += 1;
        let stopped = self.positions.is_multiple_of(SLICE) && (self.stop)();
        if stopped {
            // not the turn of the other method
            self.until = u64::MAX;
        }
        match stopped || self.positions >= self.until {
            true => Err(Trouble::Interrupted),
            false => Ok(()),
        }
    }

    /// Notes that the way goes through a position.
    fn enter(&mut self, key: Key) -> Result<(), Trouble> {
        match self.path.insert(key) {
            true => Ok(()),
            false => Err(Trouble::Refused(
                "positions come again in this game: --method induction solves it where they can all be stored"
                    .to_string(),
            )),
        }
    }

    /// Generates the candidates of the current position, where no end clause holds.
    fn generate(&mut self) -> Result<(), Trouble> {
        match self.walk.generate()? {
            Look::Moves | Look::Over(_) => Ok(()),
            Look::Chance => Err(Trouble::Refused(
                "chance events follow from the position: it has an expected value, not an exact one"
                    .to_string(),
            )),
        }
    }

    /// The candidates of the current position, where no end clause holds.
    fn candidates(&mut self) -> Result<Vec<Candidate>, Trouble> {
        self.generate()?;
        let mut list = Vec::new();
        self.walk.candidates(&mut list);
        Ok(list)
    }

    /// Makes a move of the player `turn`; `None`, and nothing is made, where it is not legal.
    fn reach(&mut self, candidate: Candidate, turn: usize) -> Result<Option<Reached>, Trouble> {
        if !self.walk.make(candidate)? {
            return Ok(None);
        }
        let there = self.walk.turn();
        let same = there == turn;
        let reached = match self.walk.over()? {
            Some(winners) => {
                let value = self.worth(there, winners)?;
                Reached { same, key: 0, end: Some(if same { value } else { -value }) }
            }
            None => Reached { same, key: self.key(), end: None },
        };
        Ok(Some(reached))
    }

    /// What a finished game is worth to the player whose turn it is.
    fn worth(&mut self, turn: usize, winners: u8) -> Result<i32, Trouble> {
        if self.stake == Stake::Margin {
            let scores = self.walk.scores()?;
            let of = |player: usize| scores.get(player).copied().flatten();
            let own = of(turn);
            let others = (0..scores.len()).filter(|player| *player != turn).filter_map(of).max();
            let most = i64::from(MOST);
            return match (own, others) {
                (Some(own), Some(others)) => Ok((own - others).clamp(-most, most) as i32),
                (Some(own), None) => Ok(own.clamp(-most, most) as i32),
                _ => Err(Trouble::Refused("the game has no scores".to_string())),
            };
        }
        let (own, other) = self.numbering.won(turn, winners);
        Ok(i32::from(own) - i32::from(other))
    }

    /// The key of the current position, the same for those that are alike by symmetry.
    fn key(&mut self) -> Key {
        self.numbering.codec.read(self.walk.words(), &mut self.cells);
        self.numbering.canonical(&mut self.cells, &mut self.spare);
        let cells = self.cells.iter().zip(&self.factors);
        cells.fold(0, |sum: Key, (cell, factor)| {
            sum.wrapping_add(factor.wrapping_mul(Key::from(*cell)))
        }) | 1
    }
}
