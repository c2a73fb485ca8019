//! The computer plays a game against itself and draws the end: `cargo run --example self_play -- hex 3`. The
//! arguments are the name of a shipped game and a seed; both may be left out.

use ludex::{Error, Game, Position, Search};

fn play(name: &str, seed: u64) -> Result<Position, Error> {
    let mut at = Game::shipped(name).load()?.start();
    while at.outcome()?.is_none() {
        // dice and other chance events come before moves
        if at.draw_chance(seed)?.is_some() {
            continue;
        }
        let Some(best) = at.best(Search::playouts(20).seed(seed))? else { break };
        at.play(&best.mv)?;
    }
    Ok(at)
}

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "tic_tac_toe".to_string());
    let seed = arguments.next().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    let at = play(&name, seed)?;
    let moves: Vec<String> = at.history().iter().map(|mv| mv.to_string()).collect();
    println!("{}", moves.join(" "));
    print!("{}", at.draw(80)?);
    if let Some(outcome) = at.outcome()? {
        println!("{outcome}");
    }
    Ok(())
}

#[test]
fn a_game_comes_to_its_end() -> Result<(), Error> {
    assert!(play("tic_tac_toe", 1)?.outcome()?.is_some());
    Ok(())
}
