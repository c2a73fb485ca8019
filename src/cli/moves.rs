//! `ludex moves`: the legal moves of a position.

use clap::Args;
use serde_json::json;

use crate::referee::Referee;
use crate::referee::Stop;
use crate::referee::naming;
use crate::ui::arguments::{EngineChoice, GameArguments, StartArguments};
use crate::ui::console::Console;
use crate::ui::open;
use crate::ui::start;

/// The legal moves of a position.
#[derive(Debug, Args)]
pub struct MovesArguments {
    #[command(flatten)]
    game: GameArguments,

    #[command(flatten)]
    start: StartArguments,

    /// The implementation that applies the rules.
    #[arg(long, value_enum, default_value_t)]
    engine: EngineChoice,

    /// Writes the moves in another notation that the game has, e.g. `san`.
    #[arg(long, value_name = "NAME")]
    notation: Option<String>,

    /// Draws the chance events that are due by this seed, as the prompt and `ludex play` do.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Draws the position too.
    #[arg(long)]
    board: bool,

    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &MovesArguments, console: &Console) -> Result<(), Stop> {
    let game = open::game(&arguments.game.request())?;
    let mut referee = Referee::new(&game, arguments.engine.into());
    let track = start::track_by(&mut referee, &arguments.start, arguments.seed)?;
    let position = track.position.clone();
    let outcome = referee.outcome(&position)?;
    let choices = match outcome {
        Some(_) => Default::default(),
        None => referee.choices(&position)?,
    };
    let named = match &arguments.notation {
        Some(style) => {
            naming::known_style(&referee, style)?;
            naming::names_in(&mut referee, &position, &choices, style)?
        }
        None => naming::names(&referee, &position, &choices)?,
    };
    let turn = referee.name(referee.turn(&position));
    if arguments.json {
        let facts = referee.facts(&position);
        let picture = referee.picture(&facts)?;
        let sites = referee.view.board.as_ref().map(|board| {
            let shown = board.sites().zip(&picture.shown);
            let filled = shown.filter_map(|((_, s), c)| Some((s.name.clone(), json!(c.as_ref()?))));
            filled.collect::<serde_json::Map<_, _>>()
        });
        let updates = referee.rules.updates(&facts);
        let moves = named.iter().map(|n| {
            let mut value = json!({ "move": n.text, "notation": n.notation });
            if choices.chance {
                value["weight"] = json!(n.weight);
            }
            value
        });
        return console.json(&json!({
            "game": game.program.title,
            "ply": referee.ply(&position),
            "to_move": match (&outcome, choices.chance) {
                (Some(_), _) => None,
                (None, true) => Some("chance".to_string()),
                (None, false) => Some(turn),
            },
            "outcome": outcome.as_ref().map(|o| json!({
                "text": referee.result(o).lines().next(),
                "end": referee.end_name(o),
                "winners": o.winners.iter().map(|p| referee.name(*p)).collect::<Vec<_>>(),
                "scores": o.scores,
            })),
            "moves": moves.collect::<Vec<_>>(),
            "sites": sites,
            "position": updates.iter().map(crate::syntax::print_term).collect::<Vec<_>>(),
        }));
    }
    if arguments.board {
        let last = track.last();
        console.text(referee.drawn_after(&position, last.as_ref(), console.width())?)?;
    }
    if let Some(outcome) = &outcome {
        return console.line(format!("the game is over: {}", referee.result(outcome)));
    }
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    console.line(match choices.chance {
        true => format!("chance: {}", count(named.len(), "event")),
        false => format!("{turn} to move: {}", count(named.len(), "move")),
    })?;
    let uneven = named.iter().any(|n| n.weight != 1);
    let widest = named.iter().map(|n| crate::render::display_width(&n.notation)).max().unwrap_or(0);
    for n in &named {
        let pad = " ".repeat(widest - crate::render::display_width(&n.notation));
        let term = if n.text == n.notation { String::new() } else { format!("{pad}  {}", n.text) };
        let weight = if uneven { format!("  weight {}", n.weight) } else { String::new() };
        console.line(format!("{}{term}{weight}", n.notation))?;
    }
    Ok(())
}
