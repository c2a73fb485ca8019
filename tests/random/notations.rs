//! Moves as the game's own notation writes them: each is read again as the same move, and one that several moves have
//! is told to be ambiguous.

use ludex::{Error, Game, Position};

use crate::generate::Dice;
use crate::report::Find;

/// Moves of a position whose notations are read again.
const MOST: usize = 40;
const GAMES: u64 = 2;
const PLIES: usize = 6;

/// Random games of a rule file, every move typed as it is written.
pub fn compare(text: &str, seed: u64) -> Result<(), Find> {
    // what the evaluators say of the file is asked elsewhere
    let Ok(game) = Game::text("random", text).load() else { return Ok(()) };
    for number in 0..GAMES {
        let mut dice = Dice::new(seed.wrapping_mul(37).wrapping_add(number));
        let mut position = game.start();
        for _ in 0..PLIES {
            let Ok(moves) = position.moves() else { break };
            if moves.is_empty() || !matches!(position.outcome(), Ok(None)) {
                break;
            }
            for mv in moves.iter().take(MOST) {
                read(&position, mv.notation())?;
            }
            let mv = &moves[dice.below(moves.len())];
            if position.play(mv.term()).is_err() {
                break;
            }
        }
    }
    Ok(())
}

fn read(position: &Position, text: &str) -> Result<(), Find> {
    let Ok(moves) = position.moves() else { return Ok(()) };
    let meant: Vec<&str> = moves
        .iter()
        .filter(|mv| mv.notation() == text || mv.term() == text)
        .map(|mv| mv.term())
        .collect();
    let find = |class: &str, said: String| {
        let line: Vec<String> = position.history().iter().map(|mv| mv.term().to_string()).collect();
        Err(Find::new(class, format!("after {line:?}: `{text}` is {meant:?}, and read as {said}")))
    };
    let mut next = position.clone();
    match (next.play(text), meant.as_slice()) {
        (Ok(played), [one]) if played.term() == *one => Ok(()),
        (Ok(played), _) => find("notation: another move", played.term().to_string()),
        (Err(Error::Ambiguous { candidates, .. }), [_, _, ..]) => {
            let told: Vec<&str> = candidates.iter().map(|mv| mv.term()).collect();
            match meant.iter().all(|term| told.contains(term)) {
                true => Ok(()),
                false => find("notation: other candidates", format!("{told:?}")),
            }
        }
        (Err(Error::Rules(_) | Error::Limit(_)), _) => Ok(()),
        (Err(error), _) => find("notation: refused", error.to_string()),
    }
}
