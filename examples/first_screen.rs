//! The first screen of the crate's documentation as a program: `cargo run --example first_screen`.

use ludex::Game;

fn main() -> ludex::Result<()> {
    let game = Game::shipped("nerenchi").option("counters", 11).load()?;
    let mut at = game.start();
    at.play("d7")?;
    for a in at.query("at(P, white), adjacent(P, Q), empty(Q)")? {
        println!("{} {}", a["P"], a["Q"]);
    }
    println!("{}", at.why("a1")?);
    Ok(())
}

#[test]
fn runs() -> ludex::Result<()> {
    main()
}
