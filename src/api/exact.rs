//! Exact values of games that are small enough to be solved while a visitor waits.

use std::time::{Duration, Instant};

use crate::referee;
use crate::solve::{Method, Solution, Task, Trouble, Value, Wdl, refusal, solve};

use super::Result;
use super::game::Game;
use super::position::{Move, Position, by_rules};

/// The time that a solution may take, and its bytes.
pub(crate) const TIME: Duration = Duration::from_secs(2);
const BYTES: u64 = 4 << 20;
/// The most moves of one outcome that are named.
const MOST_NAMED: usize = 4;

/// What each position of a game comes to if both players play as well as can be.
pub(crate) struct Exact(Solution);

/// Why a game has no exact values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unsolved {
    /// Such a game has none, or is too large; the reason in words.
    Never(String),
    /// The time was too short, as it may be where the processors are busy.
    Late,
}

/// What a position and its moves come to.
pub(crate) struct Valued {
    mover: String,
    value: Value,
    /// The moves with their values for who makes them, the best first.
    moves: Vec<(Move, Value)>,
}

impl Game {
    /// The exact values.
    ///
    /// # Errors
    /// Why there are none.
    pub(crate) fn exact(&self) -> std::result::Result<Exact, Unsolved> {
        let mut referee = self.referee();
        let never = |trouble: Trouble| Unsolved::Never(trouble.to_string());
        refusal(referee.game).map_err(never)?;
        let referee::Position::Compiled(start) = referee.opening() else {
            return Err(Unsolved::Never("its rules are not compiled".to_string()));
        };
        let until = Instant::now() + TIME;
        let task = Task {
            start: &start,
            arrangements: false,
            symmetric: true,
            method: Method::Induction,
            memory: BYTES,
            threads: 1,
            store: None,
        };
        let solved = solve(referee.game, &task, &|| Instant::now() >= until, &mut |_| {});
        solved.map(Exact).map_err(|trouble| match trouble {
            Trouble::Interrupted => Unsolved::Late,
            Trouble::Large(_) => Unsolved::Never(format!(
                "it has more positions than fit into {} MB of memory, the limit of the server",
                BYTES >> 20
            )),
            Trouble::Refused(_) | Trouble::Fault(_) | Trouble::Disk(_) => never(trouble),
        })
    }
}

impl Exact {
    /// What a position and its moves come to; `None` where no player is to move, or the values are unknown.
    pub(crate) fn of(&self, at: &Position) -> Result<Option<Valued>> {
        let mut referee = at.game().referee();
        let (over, choices, named) = at.choices(&mut referee)?;
        let referee::Position::Compiled(state) = at.raw() else { return Ok(None) };
        let (None, false, Some(value)) = (over, choices.chance, self.0.value(state)) else {
            return Ok(None);
        };
        let turn = referee.turn(at.raw());
        let mut moves = Vec::new();
        for named in &named {
            let next = referee.play(at.raw(), &named.term).map_err(by_rules)?;
            let Some(referee::Position::Compiled(after)) = &next else { return Ok(None) };
            let Some(value) = self.0.value(after) else { return Ok(None) };
            let same = next.as_ref().is_some_and(|next| referee.turn(next) == turn);
            moves.push((Move::of(named, false), value.before(same)));
        }
        moves.sort_by_key(|(_, value)| -value.rank());
        Ok(Some(Valued { mover: at.turn(), value, moves }))
    }
}

impl Valued {
    /// The best move, unless that of a search comes to the same.
    pub(crate) fn better_than(&self, searched: &Move) -> Option<&Move> {
        let (best, most) = self.moves.first()?;
        let own = self.moves.iter().find(|(mv, _)| mv.term() == searched.term());
        match own {
            Some((_, value)) if value == most => None,
            _ => Some(best),
        }
    }

    /// What the position comes to.
    pub(crate) fn told(&self) -> String {
        match self.value.outcome() {
            Wdl::Draw => "with best play it is a draw".to_string(),
            _ => format!("with best play {} {}", self.mover, self.value),
        }
    }

    /// What the moves come to: `b2 wins in 7 plies; all others lose`.
    pub(crate) fn moves_told(&self) -> String {
        let mut parts = Vec::new();
        let mut rest = self.moves.len();
        for (outcome, one, many) in
            [(Wdl::Win, "wins", "win"), (Wdl::Draw, "draws", "draw"), (Wdl::Loss, "loses", "lose")]
        {
            let these = self.moves.iter().filter(|(_, value)| value.outcome() == outcome);
            let these: Vec<&(Move, Value)> = these.collect();
            let count = these.len();
            let Some((first, value)) = these.first() else { continue };
            parts.push(match outcome {
                _ if count == self.moves.len() && count > 1 => match outcome {
                    Wdl::Draw => "every move draws".to_string(),
                    Wdl::Win => {
                        format!("every move wins, {} soonest: it {value}", first.notation())
                    }
                    Wdl::Loss => {
                        format!("every move loses, {} latest: it {value}", first.notation())
                    }
                },
                _ if count == rest && count > 1 && !parts.is_empty() => {
                    format!("all others {many}")
                }
                Wdl::Draw if count == 1 => format!("{} {one}", first.notation()),
                Wdl::Draw if count <= MOST_NAMED => {
                    let names: Vec<&str> = these.iter().map(|(mv, _)| mv.notation()).collect();
                    format!("{} {many}", names.join(", "))
                }
                Wdl::Draw => format!("{count} moves {many}"),
                _ if count <= MOST_NAMED => {
                    let each = these.iter().map(|(mv, value)| format!("{} {value}", mv.notation()));
                    each.collect::<Vec<_>>().join(", ")
                }
                _ => format!("{count} moves {many}, first of all {}: it {value}", first.notation()),
            });
            rest -= count;
        }
        parts.join("; ")
    }
}
