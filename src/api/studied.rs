//! What is found out about rules by playing: which clauses take part, and what random games are like.

use std::time::Instant;

use crate::coverage::{self, head, lines_of};
use crate::engine::Random;
use crate::program::ClauseId;
use crate::referee::{Referee, Stop};
use crate::source::FileId;

use super::game::Game;
use super::position::by_rules;
use super::{Error, Result};

/// A random game of more moves and chance events than this is not finished.
const LONGEST: u64 = 1_000;

/// Which clauses of a rule file take part in play.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Coverage {
    /// How many clauses the rule file has, those that say nothing of play left out.
    pub clauses: usize,
    /// How many random games were played.
    pub playouts: usize,
    /// How many positions were examined.
    pub positions: usize,
    /// All games were played and all positions examined within the limits.
    pub complete: bool,
    /// The clauses that never held.
    pub never: Vec<UnusedClause>,
    /// The clauses whose answers an earlier one always had.
    pub shadowed: Vec<UnusedClause>,
}

/// A clause that never held, or only repeats an earlier one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnusedClause {
    /// Its first line in the rule file, from 1, and its last one.
    pub lines: (usize, usize),
    /// Its head.
    pub head: String,
    /// An option has a value that rules it out.
    pub off: bool,
    /// The first line of the earlier clause that has its answers.
    pub by: Option<usize>,
}

/// What random games are like.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Sample {
    /// How many games were played.
    pub games: u64,
    /// How many of them had no end within 1,000 moves.
    pub unfinished: u64,
    /// The moves and chance events of the shortest game, the mean of all, and the longest.
    pub length: (u64, f64, u64),
    /// The mean number of legal moves, and the most.
    pub branching: (f64, usize),
    /// How many games each player has won, alone or with others.
    pub wins: Vec<(String, u64)>,
    /// How many ended without a winner.
    pub draws: u64,
}

impl Game {
    /// Which clauses of the rule file take part in this number of random games, in lines of play that steer to the others,
    /// and in the examples. A limit of time ends it early.
    ///
    /// # Errors
    /// [`Error::Rules`].
    pub fn coverage(&self, playouts: usize, seed: u64) -> Result<Coverage> {
        let until = self.limits().until();
        let mut referee = self.referee_until(until);
        referee.set_until(until);
        let request = coverage::Request::of(playouts, seed);
        let found = coverage::find(&mut referee, &request, &|_, _| ()).map_err(by_rules)?;
        let game = referee.game;
        let clause = |id: ClauseId, off: bool, by: Option<ClauseId>| UnusedClause {
            lines: lines_of(game, id),
            head: head(&game.program, id),
            off,
            by: by
                .filter(|by| game.program.clause(*by).span.file == FileId(0))
                .map(|by| lines_of(game, by).0),
        };
        let shadowed = found.shadowed.iter();
        Ok(Coverage {
            clauses: found.clauses,
            playouts: found.played.playouts,
            positions: found.looked_at,
            complete: found.complete(&request),
            never: found.never.iter().map(|(id, off)| clause(*id, *off, None)).collect(),
            shadowed: shadowed.map(|(id, by)| clause(*id, false, Some(*by))).collect(),
        })
    }

    /// What random games are like: how long, how many moves there are to choose from, how they end. A limit of time ends
    /// it early, with the games that were played.
    ///
    /// ```
    /// # fn main() -> ludex::Result<()> {
    /// let game = ludex::Game::shipped("tic_tac_toe").load()?;
    /// let sample = game.sample(200, 1)?;
    /// assert_eq!(sample.games, 200);
    /// assert!(sample.length.0 >= 5 && sample.length.2 <= 9);
    /// assert_eq!(sample.branching.1, 9);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Rules`]; [`Error::Limit`] where no game was finished in time.
    pub fn sample(&self, games: u64, seed: u64) -> Result<Sample> {
        let until = self.limits().until();
        let mut referee = self.referee_until(until);
        let players = self.players();
        let mut sample = Sample {
            length: (u64::MAX, 0.0, 0),
            wins: players.into_iter().map(|player| (player, 0)).collect(),
            ..Sample::default()
        };
        let (mut plies, mut choices, mut turns) = (0, 0, 0);
        while sample.games < games && until.is_none_or(|until| Instant::now() < until) {
            let mut random = Random::for_ply(seed, sample.games);
            let game = match one(&mut referee, &mut random) {
                Ok(game) => game,
                Err(Stop::Interrupted) => break,
                Err(stop) => return Err(by_rules(stop)),
            };
            sample.games += 1;
            plies += game.plies;
            (choices, turns) = (choices + game.choices, turns + game.turns);
            let (least, _, most) = sample.length;
            sample.length = (least.min(game.plies), 0.0, most.max(game.plies));
            sample.branching.1 = sample.branching.1.max(game.most);
            match game.winners {
                None => sample.unfinished += 1,
                Some(winners) if winners.is_empty() => sample.draws += 1,
                Some(winners) => {
                    for winner in winners {
                        let seat = sample.wins.iter_mut().find(|(player, _)| *player == winner);
                        seat.into_iter().for_each(|(_, won)| *won += 1);
                    }
                }
            }
        }
        if sample.games == 0 {
            return Err(Error::Limit("no random game was finished in the time".to_string()));
        }
        sample.length.1 = plies as f64 / sample.games as f64;
        sample.branching.0 = choices as f64 / (turns as f64).max(1.0);
        Ok(sample)
    }
}

/// A random game.
#[derive(Default)]
struct Played {
    plies: u64,
    /// The legal moves of all positions together, how many positions, and the most in one.
    choices: u64,
    turns: u64,
    most: usize,
    winners: Option<Vec<String>>,
}

fn one(referee: &mut Referee<'_>, random: &mut Random) -> std::result::Result<Played, Stop> {
    let mut position = referee.opening();
    let mut played = Played::default();
    while played.plies < LONGEST {
        if let Some(outcome) = referee.outcome(&position)? {
            let names = outcome.winners.iter().map(|player| referee.name(*player));
            played.winners = Some(names.collect());
            break;
        }
        let choices = referee.choices(&position)?;
        if !choices.chance {
            played.choices += choices.all.len() as u64;
            played.turns += 1;
            played.most = played.most.max(choices.all.len());
        }
        let drawn = Referee::draw(&choices, random)?;
        let Some(next) = referee.play(&position, &drawn)? else { break };
        position = next;
        played.plies += 1;
    }
    Ok(played)
}
