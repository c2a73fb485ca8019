//! Games between two players, in pairs: each opening is played twice, with the sides exchanged.

use crate::engine::{Fault, Game, Look, Random, Session, State};
use crate::reference::RuleError;

use super::{Advisor, Limits, Memory, Player, Request, choose};

/// One of the two players.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Side {
    /// How it plays.
    pub player: Player,
    /// How long it may think about a move.
    pub limits: Limits,
}

/// Why a game was not played to its end.
#[derive(Debug)]
pub enum Broken {
    /// A rule error of the compiled engine, or the end of the time.
    Fault(Fault),
    /// A rule error of the advice.
    Advice(RuleError),
}

impl From<Fault> for Broken {
    fn from(fault: Fault) -> Broken {
        Broken::Fault(fault)
    }
}

impl From<RuleError> for Broken {
    fn from(error: RuleError) -> Broken {
        Broken::Advice(error)
    }
}

/// How the games are played.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rules {
    /// The plies at the beginning that are drawn at random.
    pub opening: u32,
    /// A game that is not over after this many plies is drawn.
    pub max_plies: u32,
    /// The seed of openings, chance events and players.
    pub seed: u64,
}

/// Plays the game with this number: an even one and the next share an opening, and in the second the
/// sides are exchanged. Returns what the first side gains, from 0 to 1, and the plies.
///
/// # Errors
/// A rule error, or the end of the time.
pub fn play(
    game: &Game,
    sides: &[Side; 2],
    memories: &mut [Memory; 2],
    rules: &Rules,
    number: u64,
    interrupted: &dyn Fn() -> bool,
) -> Result<Option<(f64, u32)>, Broken> {
    let mut session = Session::new(game);
    let advisor = sides.iter().any(|side| side.player.is_advised()).then(|| Advisor::new(game));
    let players = game.program.players.len();
    let mut state = opening(&mut session, rules, number / 2)?;
    let swapped = number % 2 == 1;
    // the first player against all others
    let side_of = |player: usize| usize::from((player != 0) != swapped);
    let mut chance = Random::for_ply(rules.seed ^ 0xC4A2CE, number);
    for ply in 0..rules.max_plies {
        if interrupted() {
            return Ok(None);
        }
        let (look, turn) = {
            let mut walk = session.walk(&state);
            (walk.look()?, walk.turn())
        };
        match look {
            Look::Over(winners) => {
                // partners may win with the first player
                let gain = match (winners & 1 == 1, winners.count_ones() as usize) {
                    (_, 0) => 0.5,
                    (_, all) if all == players => 0.5,
                    (true, _) => 1.0,
                    (false, _) => 0.0,
                };
                let gain = if swapped { 1.0 - gain } else { gain };
                return Ok(Some((gain, ply)));
            }
            Look::Chance => {
                let mut next = session.successors(&state)?;
                let weights: Vec<i64> = next.iter().map(|(event, _)| event.weight).collect();
                let Some(drawn) = chance.weighted(&weights) else { return Ok(Some((0.5, ply))) };
                state = next.swap_remove(drawn).1;
            }
            Look::Moves => {
                let side = side_of(turn);
                let advice = match &advisor {
                    Some(advisor) if sides[side].player.is_advised() => {
                        let moves = session.legal_moves(&state)?;
                        let terms: Vec<_> = moves.into_iter().map(|mv| mv.term).collect();
                        advisor.on(&state, &terms)?
                    }
                    _ => Vec::new(),
                };
                let question = Request {
                    state: &state,
                    among: &[],
                    advice: &advice,
                    player: sides[side].player,
                    limits: sides[side].limits,
                    threads: 1,
                    seed: rules.seed ^ number << 20 ^ u64::from(ply),
                    interrupted,
                };
                let Some(choice) = choose(&mut session, &mut memories[side], &question)? else {
                    return Ok(Some((0.5, ply)));
                };
                match session.play(&state, &choice.term)? {
                    Some(next) => state = next,
                    None => return Ok(Some((0.5, ply))),
                }
            }
        }
    }
    Ok(Some((0.5, rules.max_plies)))
}

/// An opening: some moves at random that do not end the game.
fn opening(session: &mut Session<'_>, rules: &Rules, number: u64) -> Result<State, Fault> {
    let mut random = Random::for_ply(rules.seed, number);
    let mut state = session.opening();
    for _ in 0..rules.opening {
        let next = session.successors(&state)?;
        if next.is_empty() {
            break;
        }
        let weights: Vec<i64> = next.iter().map(|(mv, _)| mv.weight).collect();
        let Some(drawn) = random.weighted(&weights) else { break };
        let after = next[drawn].1.clone();
        if session.outcome(&after)?.is_some() {
            break;
        }
        state = after;
    }
    Ok(state)
}
