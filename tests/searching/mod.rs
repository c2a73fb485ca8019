//! What tests of computer players ask, and what they compare the answers with.

use ludex::engine::{Game, Session, State};
use ludex::pipeline;
use ludex::program::LoadRequest;
use ludex::search::{Limits, Player, Request};

/// A shipped game.
pub fn game(name: &str) -> Game {
    let loaded = pipeline::load(&LoadRequest::shipped(name));
    loaded.unwrap_or_else(|_| panic!("{name} does not load")).game
}

/// A game with these rules.
pub fn of_rules(rules: &str) -> Game {
    let loaded = pipeline::load(&LoadRequest::text("rules", rules));
    loaded.unwrap_or_else(|_| panic!("it does not load")).game
}

/// The question for a move, with a number of positions or random games as its limit.
pub fn question<'a>(state: &'a State, player: Player, work: u64) -> Request<'a> {
    Request {
        state,
        among: &[],
        advice: &[],
        player,
        limits: Limits { time: None, playouts: Some(work) },
        threads: 1,
        seed: 1,
        interrupted: &|| false,
    }
}

/// The value of a position for the player to move by plain search of everything: 1, 0 or -1.
pub fn brute(session: &mut Session, state: &State) -> i32 {
    forced(session, state, u32::MAX)
}

/// The value of a position by plain search of some plies: 1 or -1 where a side wins within them whatever the other one
/// does, and otherwise 0.
pub fn forced(session: &mut Session, state: &State, plies: u32) -> i32 {
    let me = session.game().turn(state);
    if let Some(outcome) = session.outcome(state).expect("an outcome") {
        return match outcome.winners.as_slice() {
            [] => 0,
            [winner] if *winner == me => 1,
            _ => -1,
        };
    }
    if plies == 0 {
        return 0;
    }
    let mut best = -1;
    for (_, after) in session.successors(state).expect("moves") {
        let same = session.game().turn(&after) == me;
        let value = forced(session, &after, plies - 1);
        best = best.max(if same { value } else { -value });
        if best == 1 {
            break;
        }
    }
    best
}
