//! The page of one game: rules in words, players, options, the board, how to play it, sources.

use serde_json::{Value, json};

use crate::referee::Stop;
use crate::render::fit;
use crate::ui::console::{self, Console};

use super::WIDEST;
use super::card::{Card, OptionCard, Values};

/// The page as data: the card, and the opening board as text.
///
/// # Errors
/// The game cannot be loaded, or a rule error.
pub fn data(game: &Card) -> Result<Value, Stop> {
    let mut data = game.data();
    data["opening"] = json!(console::plain(&game.opening(WIDEST)?));
    Ok(data)
}

/// Prints the page.
///
/// # Errors
/// The game cannot be loaded, a rule error, or the page cannot be written.
pub fn print(game: &Card, console: &Console) -> Result<(), Stop> {
    let width = console.width().min(WIDEST);
    let text = |text: &str, indent| console.line(fit(text, width, indent));
    let heading = |text: &str| console.line(format!("\n{}", console.bold(text)));
    let families = game.families.join(", ");
    let head = fit(&format!("{}  ({}, family {families})", game.title, game.file.name), width, 4);
    console.line(head.replacen(&game.title, &console.bold(&game.title), 1))?;
    console.line("")?;
    text(&game.in_words, 0)?;
    console.line("")?;
    text(&format!("Players: {}", players(game)), 4)?;
    if let Some((name, with)) = &game.base {
        let with = if with.is_empty() { String::new() } else { format!(" with {with}") };
        text(&format!("Variant of: {name}{with}"), 4)?;
    }
    text(&format!("Size of the rules: {}", game.tokens.words()), 4)?;
    if !game.options.is_empty() {
        heading("Options")?;
        for option in &game.options {
            text(&format!("  -o {}={}", option.name, values(option)), 8)?;
            if let Some(comment) = &option.comment {
                text(&format!("      {comment}"), 6)?;
            }
        }
    }
    heading("The opening")?;
    console.text(game.opening(width)?)?;
    heading("Play it")?;
    for line in commands(game) {
        text(&format!("  {line}"), 6)?;
    }
    if !game.sources.is_empty() {
        heading("Sources")?;
        for source in &game.sources {
            text(&format!("  {source}"), 4)?;
        }
    }
    Ok(())
}

/// The players, those first who always take part.
pub fn players(game: &Card) -> String {
    let more = match game.absent.is_empty() {
        true => String::new(),
        false => format!("; by an option also {}", game.absent.join(", ")),
    };
    format!("{}{more}", game.players.join(", "))
}

/// The values of an option, with the default.
fn values(option: &OptionCard) -> String {
    let all = match &option.values {
        Values::Each(all) => all.join("|"),
        Values::Range(least, greatest) => format!("{least}..{greatest}"),
    };
    format!("{all}  [default: {}]", option.default)
}

/// Commands to begin with.
fn commands(game: &Card) -> Vec<String> {
    let name = game.file.name;
    let mut all = vec![format!("ludex play {name}")];
    if game.seats.iter().any(|n| *n > 1) {
        all.push(format!("ludex play {name} --players human,human"));
    }
    // a named value is a better example than a number
    let named = |option: &&OptionCard| matches!(option.values, Values::Each(_));
    let option = game.options.iter().find(named).or(game.options.first());
    let other = option.and_then(|option| Some((&option.name, option.other()?)));
    if let Some((option, value)) = other {
        all.push(format!("ludex play {name} -o {option}={value}"));
    }
    all.push(format!("ludex repl {name}"));
    all
}
