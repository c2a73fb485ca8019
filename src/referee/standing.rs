//! Questions about the position itself: `who won?`, `is the game over?`, `whose turn is it?`, `am I in check?`.

use crate::explain::{Explanation, turn_of};

use super::asked::{in_small, told};
use super::follows::is_told;
use super::plainer::with_capital;
use super::remarks::is_called;
use super::values::sites_in;
use super::{Position, Referee, Stop};

/// How people ask whether the game has ended, and how.
#[rustfmt::skip]
const ENDED: [&str; 26] = [
    "is the game over", "is it over", "is this over", "has the game ended", "who won", "who has won",
    "who wins", "who is the winner", "have i won", "did i win", "do i win", "have i lost", "did i lose",
    "do i lose", "is it a draw", "is this a draw", "is it drawn", "am i checkmated", "am i mated",
    "is it mate", "is it checkmate", "is this mate", "is this checkmate", "is it stalemate",
    "is this stalemate", "am i dead",
];

/// How people ask who is to move.
const TURN: [&str; 12] = [
    "whose turn",
    "whose move",
    "who is to move",
    "who is to play",
    "who has to",
    "who must",
    "who moves",
    "who plays",
    "who goes",
    "is it my turn",
    "is it my move",
    "my turn",
];

/// How people ask whether what a prompt speaks of is so.
const IS: [&str; 6] = ["am i ", "is ", "are ", "have i ", "do i have ", "did i make "];

/// The answer to a question about the position, `None` where a text asks nothing of the kind.
///
/// # Errors
/// A rule error.
pub fn of_position(
    referee: &mut Referee<'_>,
    position: &Position,
    text: &str,
) -> Result<Option<Explanation>, Stop> {
    let lower = in_small(text);
    let begins = |all: &[&str]| all.iter().any(|words| lower.starts_with(words));
    let told = |short: String, holds: bool| told(text, short, holds);
    let asks_winner = || {
        let words: Vec<&str> = lower.split_whitespace().filter(|w| *w != "the").collect();
        let players = &referee.game.program.players;
        let named = |word: &str| players.iter().any(|p| is_called(&referee.name(*p), word));
        let rest =
            words.strip_prefix(["do"].as_slice()).or(words.strip_prefix(["have"].as_slice()));
        let rest = rest.or(words.strip_prefix(["does"].as_slice())).unwrap_or(&words);
        matches!(rest, [name, "win" | "wins" | "won" | "lose" | "loses" | "lost"] if named(name))
    };
    let over = ENDED.contains(&lower.as_str()) || asks_winner();
    let sites = !sites_in(referee, &lower).is_empty();
    let last = lower.rsplit(' ').next().unwrap_or_default();
    let asks_told = !sites && begins(&IS) && is_told(referee, last);
    let asks_turn = begins(&TURN) && !sites;
    if !(over || asks_told || asks_turn) {
        return Ok(None);
    }
    if let Some(outcome) = referee.outcome(position)? {
        let short = format!("The game is over: {}.", referee.result(&outcome));
        return Ok(Some(told(short, true)));
    }
    let turn = turn_of(&referee.game.program, &referee.name(referee.turn(position)));
    if asks_turn && referee.choices(position)?.chance {
        let facts = referee.facts(position);
        let prompts = referee.rules.prompts(&facts).map_err(|error| referee.stopped(error))?;
        let first = prompts.to_mover.first().map_or("chance comes first", String::as_str);
        return Ok(Some(told(format!("{}; it is {turn} turn.", with_capital(first)), true)));
    }
    if over {
        return Ok(Some(told(format!("The game goes on: it is {turn} turn."), false)));
    }
    if !asks_told {
        return Ok(Some(told(format!("It is {turn} turn."), true)));
    }
    let facts = referee.facts(position);
    let prompts = referee.rules.prompts(&facts).map_err(|error| referee.stopped(error))?;
    let says = |prompt: &&String| prompt.split(|c: char| !c.is_alphanumeric()).any(|w| w == last);
    Ok(Some(match prompts.to_mover.iter().find(says) {
        Some(prompt) => told(format!("Yes: {prompt}."), true),
        None => told(format!("No; it is {turn} turn."), false),
    }))
}
