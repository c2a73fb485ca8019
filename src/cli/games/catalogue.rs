//! All shipped games as one page of Markdown, `docs/games.md`.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::referee::Stop;
use crate::render::fit;
use crate::ui::console::{self, Console};

use super::card::{Card, OptionCard, Values};
use super::page::players;

/// The widest lines of text and of pictures.
const WIDTH: usize = 110;

/// Prints the page.
///
/// # Errors
/// A game cannot be loaded, a rule error, or the page cannot be written.
pub fn print(games: &[Card], console: &Console) -> Result<(), Stop> {
    let mut families: BTreeMap<&str, Vec<&Card>> = BTreeMap::new();
    for game in games {
        // a game of several families stands in the first
        let family = game.families.first().map_or("", String::as_str);
        families.entry(family).or_default().push(game);
    }
    console.text(head(games.len(), &families))?;
    for (family, members) in &families {
        console.line(format!("\n## Family {family}"))?;
        for game in members {
            console.text(entry(game)?)?;
        }
    }
    console.text(sizes(games))
}

fn head(count: usize, families: &BTreeMap<&str, Vec<&Card>>) -> String {
    let links = families.iter().map(|(family, members)| {
        format!("[{family}](#family-{}) ({})", family.replace(' ', "-"), members.len())
    });
    let links = links.collect::<Vec<_>>().join(" · ");
    let text = format!(
        "The {count} games that ship with Ludex. `ludex games NAME` shows the whole page of one, `ludex play NAME` \
         plays it, and `-o OPTION=VALUE` sets an option; the default is in bold. Tokens measure how long the \
         rules are; the [last table](#sizes) has them for all games."
    );
    let made = "<!-- Written by `ludex games --markdown > docs/games.md`; do not edit. -->";
    format!("# Games\n\n{made}\n\n{}\n\n{}\n", fit(&text, WIDTH, 0), fit(&links, WIDTH, 0))
}

/// A game with its heading.
fn entry(game: &Card) -> Result<String, Stop> {
    let mut out = format!("\n### {} — `{}`\n\n", plain(&game.title), game.file.name);
    let base = game.base.as_ref().map(|(name, _)| format!(" A variant of `{name}`."));
    let text = format!(
        "{} Players: {}.{} {}.",
        plain(&game.summary),
        plain(&players(game)),
        base.unwrap_or_default(),
        game.tokens.words()
    );
    let _ = writeln!(out, "{}\n", fit(&text, WIDTH, 0));
    for option in &game.options {
        let _ = writeln!(out, "{}", fit(&format!("- {}", line(option)), WIDTH, 2));
    }
    if !game.options.is_empty() {
        out.push('\n');
    }
    let board = console::plain(&game.opening(WIDTH)?);
    let board: Vec<&str> = board.lines().map(str::trim_end).collect();
    let _ = writeln!(out, "```text\n{}\n```", board.join("\n"));
    Ok(out)
}

/// An option with its values, the default in bold, and what it means.
fn line(option: &OptionCard) -> String {
    let values = match &option.values {
        Values::Each(all) => {
            let marked = all.iter().map(|value| match *value == option.default {
                true => format!("**{}**", plain(value)),
                false => plain(value),
            });
            marked.collect::<Vec<_>>().join(", ")
        }
        Values::Range(least, greatest) => format!("{least} to {greatest} (**{}**)", option.default),
    };
    match &option.comment {
        Some(comment) => format!("`{}`: {values}. {}", option.name, plain(comment)),
        None => format!("`{}`: {values}.", option.name),
    }
}

/// The table of all games by the size of their rules.
fn sizes(games: &[Card]) -> String {
    let mut order: Vec<&Card> = games.iter().collect();
    order.sort_by_key(|game| (game.tokens.own, game.file.name));
    let text = "What `ludex show tokens GAME` counts: the tokens of the game's own file, of the games of which it \
                is a variant, of what these include, such as the board, and of all of them. Comments, examples, \
                move counts, how a game looks, is written and told of, and what a computer prefers are left out.";
    let mut out = format!("\n## Sizes\n\n{}\n\n", fit(text, WIDTH, 0));
    out.push_str("| game | own | base | included | all |\n|---|---:|---:|---:|---:|\n");
    for game in order {
        let Card { file, tokens, .. } = game;
        let base = if tokens.base == 0 { String::new() } else { tokens.base.to_string() };
        let (own, included, all) = (tokens.own, tokens.included, tokens.all());
        let _ = writeln!(out, "| `{}` | {own} | {base} | {included} | {all} |", file.name);
    }
    out
}

/// A text in which no character marks anything in Markdown.
fn plain(text: &str) -> String {
    text.replace('*', "\\*").replace('<', "&lt;").replace('|', "\\|")
}
