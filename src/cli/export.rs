//! `ludex export`: a saved game in the form of other programs.

use std::path::PathBuf;

use clap::Args;

use crate::engine::Outcome;
use crate::record::{Node, Pgn, RESULTS, Trial, is_property, is_word, sgf_text};
use crate::reference::RecordTag;
use crate::render::fit;
use crate::syntax::print_term;

use super::record::{Format, Layout, divided};
use crate::referee::naming;
use crate::referee::{Evaluator, Position, Referee, Stop};
use crate::ui::arguments::pair;
use crate::ui::console::Console;
use crate::ui::saved::{self, Step};

/// Prints a saved game as PGN, PDN, SGF or a line of moves.
///
/// The rules say by `record/2` how the moves are written in a format; PGN has the game's own notation where they do
/// not. All formats fit games of two players without chance events. `ludex import` reads them again.
#[derive(Debug, Args)]
pub struct ExportArguments {
    /// The saved game.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The format; without it the first that the rules name, or PGN.
    #[arg(long, value_enum)]
    format: Option<Format>,

    /// Sets a tag, e.g. `Event`, `Site`, `Date`, `Round`, `White` or `Black`, or a property of the first node of
    /// SGF, e.g. `PB`; may be given several times.
    #[arg(long = "tag", value_name = "NAME=VALUE", value_parser = pair)]
    tags: Vec<(String, String)>,
}

/// The tags that every PGN file has, in their order, with the values for what is not known.
const ROSTER: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];

/// Tags that follow from the game.
const OWN: [&str; 8] = ["Result", "Game", "Options", "SetUp", "FEN", "RE", "FF", "CA"];

/// The longest lines of moves.
const WIDTH: usize = 79;

/// A game as it was played, with its words.
struct Told {
    opening: Position,
    /// The opening as it was given, where the game did not begin with that of the rules.
    given: Option<String>,
    /// The moves, each with the index of its player.
    moves: Vec<(usize, String)>,
    outcome: Option<Outcome>,
}

pub fn run(arguments: &ExportArguments, console: &Console) -> Result<(), Stop> {
    let trial = saved::read(&arguments.file)?;
    let game = saved::game(&trial, &arguments.file, console)?;
    let mut referee = Referee::new(&game, Evaluator::Compiled);
    let layout = Layout::new(&referee, arguments.format)?;
    if let Some((name, _)) = arguments.tags.iter().find(|(name, _)| !is_free(name, &layout)) {
        let text =
            format!("the tag `{name}` cannot be set: it follows from the game, or is no name");
        return Err(Stop::Usage(text));
    }
    if game.program.players.len() != 2 {
        let players = game.program.players.len();
        let why = format!("it is written for two players, and this game has {players}");
        return Err(unfit(layout.format, why));
    }
    let steps = saved::steps(&mut referee, &trial, &arguments.file)?;
    let mut opening = saved::opening(&mut referee, &trial)?;
    // no format tells chance events, but what they lead to before the first move is an opening too
    let lot = steps.iter().take_while(|step| step.player.is_none()).count();
    let mut given = trial.given.clone();
    if let Some(drawn) = lot.checked_sub(1).map(|last| &steps[last]) {
        opening = drawn.position.clone();
        let updates = referee.rules.updates(&referee.facts(&opening));
        let updates: Vec<String> = updates.iter().map(print_term).collect();
        given = Some(format!("[{}]", updates.join(", ")));
    }
    let mut moves = Vec::with_capacity(steps.len());
    for (i, step) in steps.iter().enumerate().skip(lot) {
        let before = if i == lot { &opening } else { &steps[i - 1].position };
        moves.push(word(&mut referee, before, step, &layout, i + 1)?);
    }
    let last = steps.last().map_or(&opening, |step| &step.position);
    let outcome = referee.outcome(last)?;
    let told = Told { opening, given, moves, outcome };
    match layout.format {
        Format::Pgn | Format::Pdn => {
            let pgn = pgn(&referee, &trial, &layout, told, &arguments.tags, console)?;
            let (tags, moves) = pgn.text();
            console.text(tags)?;
            console.line("")?;
            console.line(fit(&moves, WIDTH, 0))
        }
        Format::Sgf => {
            let text = sgf(&referee, &trial, &layout, told, &arguments.tags, console)?;
            console.text(text)
        }
        Format::Moves => {
            if !arguments.tags.is_empty() {
                return Err(Stop::Usage("a line of moves has no tags".to_string()));
            }
            if told.given.is_some() {
                return Err(unfit(layout.format, "it does not begin with the opening"));
            }
            console.line(told.moves.into_iter().map(|(_, text)| text).collect::<String>())
        }
    }
}

/// Whether a tag may be set from outside.
fn is_free(name: &str, layout: &Layout) -> bool {
    let formed = match layout.format {
        Format::Sgf => is_property(name),
        _ => name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'),
    };
    let ruled = |(tag, content): &(String, RecordTag)| {
        tag == name && !matches!(content, RecordTag::Player(_))
    };
    formed && !OWN.contains(&name) && !layout.tags.iter().any(ruled)
}

fn unfit(format: Format, reason: impl std::fmt::Display) -> Stop {
    Stop::Failed(format!("the game cannot be written as {}: {reason}", format.name()))
}

/// A move as a word, with the index of its player.
fn word(
    referee: &mut Referee<'_>,
    before: &Position,
    step: &Step,
    layout: &Layout,
    number: usize,
) -> Result<(usize, String), Stop> {
    let players = &referee.game.program.players;
    let player = players.iter().position(|p| Some(referee.name(*p)) == step.player);
    let unfit =
        |why: &str| unfit(layout.format, format!("move {number}, `{}`, {why}", step.notation));
    let Some(player) = player else { return Err(unfit("is a chance event")) };
    let text = match &layout.style {
        Some(style) => match naming::name_in(referee, before, &step.term, style)? {
            Some(text) => text,
            None => {
                return Err(unfit(&format!("has no text of its own in the notation `{style}`")));
            }
        },
        None => {
            let choices = referee.choices(before)?;
            let named = naming::names(referee, before, &choices)?;
            if named.iter().filter(|other| other.notation == step.notation).count() > 1 {
                return Err(unfit("can mean several moves"));
            }
            step.notation.clone()
        }
    };
    if matches!(layout.format, Format::Pgn | Format::Pdn) && !is_word(&text) {
        return Err(unfit(&format!("is not one word of {}", layout.format.name())));
    }
    Ok((player, text))
}

/// The result in the words of PGN, where the player with the index `white` is white.
pub fn result(
    referee: &Referee<'_>,
    outcome: Option<&Outcome>,
    trial: &Trial,
    white: usize,
) -> &'static str {
    let [one, zero, draw, open] = RESULTS;
    let white = referee.game.program.players.get(white);
    match (outcome, &trial.resigned) {
        (Some(outcome), _) => match outcome.winners.as_slice() {
            [winner] if white == Some(winner) => one,
            [_] => zero,
            _ => draw,
        },
        (None, Some(name)) if white.map(|p| referee.name(*p)).as_ref() == Some(name) => zero,
        (None, Some(_)) => one,
        (None, None) => open,
    }
}

fn pgn(
    referee: &Referee<'_>,
    trial: &Trial,
    layout: &Layout,
    told: Told,
    set: &[(String, String)],
    console: &Console,
) -> Result<Pgn, Stop> {
    let [white, black] = layout.colours(referee);
    let result = result(referee, told.outcome.as_ref(), trial, white).to_string();
    let mut tags = ROSTER.map(|(name, value)| (name.to_string(), value.to_string())).to_vec();
    for (index, value) in [(4, trial.players.get(white)), (5, trial.players.get(black))] {
        if let Some(value) = value {
            tags[index].1.clone_from(value);
        }
    }
    tags[6].1.clone_from(&result);
    for (name, content) in ruled(referee, layout) {
        tags.push((name, content));
    }
    let game = trial.path.as_ref().map_or(trial.game.clone(), |path| path.display().to_string());
    tags.push(("Game".to_string(), game));
    if !trial.options.is_empty() {
        let options = trial.options.iter().map(|(name, value)| format!("{name}={value}"));
        tags.push(("Options".to_string(), options.collect::<Vec<_>>().join(", ")));
    }
    if let Some(given) = &told.given {
        let facts = referee.facts(&told.opening);
        let listed = referee.rules.listed_text(&facts, layout.format.word());
        let text = match listed.map_err(|error| referee.stopped(error))? {
            Some((text, whole)) => {
                if !whole {
                    console.note(
                        "warning: the tag `FEN` does not tell all of the position".to_string(),
                    );
                }
                Some(text)
            }
            None => {
                let text = referee.rules.position_text(&facts);
                text.map_err(|error| referee.stopped(error))?
            }
        };
        tags.push(("SetUp".to_string(), "1".to_string()));
        tags.push(("FEN".to_string(), text.unwrap_or_else(|| given.clone())));
    }
    replace(&mut tags, set);
    Ok(Pgn { tags, moves: told.moves, numbers: Vec::new(), result })
}

/// The tags with a text or an option that the rules want: of each name the first.
fn ruled(referee: &Referee<'_>, layout: &Layout) -> Vec<(String, String)> {
    let mut tags: Vec<(String, String)> = Vec::new();
    for (name, content) in &layout.tags {
        let value = match content {
            RecordTag::Text(text) => text.clone(),
            RecordTag::Option(option, by) => {
                let Some(option) = referee.game.program.options.get(option) else { continue };
                match option.value.integer() {
                    Some(value) => divided(value, *by),
                    None => referee.name(option.value),
                }
            }
            RecordTag::Player(_) | RecordTag::Moves(_) => continue,
        };
        if !tags.iter().any(|(known, _)| known == name) {
            tags.push((name.clone(), value));
        }
    }
    tags
}

fn replace(tags: &mut Vec<(String, String)>, set: &[(String, String)]) {
    for (name, value) in set {
        match tags.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => old.clone_from(value),
            None => tags.push((name.clone(), value.clone())),
        }
    }
}

fn sgf(
    referee: &Referee<'_>,
    trial: &Trial,
    layout: &Layout,
    told: Told,
    set: &[(String, String)],
    console: &Console,
) -> Result<String, Stop> {
    let mut root =
        vec![("FF".to_string(), "4".to_string()), ("CA".to_string(), "UTF-8".to_string())];
    root.extend(ruled(referee, layout));
    for (name, content) in &layout.tags {
        if let RecordTag::Player(player) = content
            && let Some(index) = referee.game.program.player_index(*player)
            && let Some(seat) = trial.players.get(index)
        {
            root.push((name.clone(), seat.clone()));
        }
    }
    let mut properties = Vec::new();
    for index in 0..2 {
        let Some(property) = layout.property(referee, index) else {
            let name = referee.name(referee.game.program.players[index]);
            let why = format!("no clause `record_tag(sgf, Name, moves({name}))` names the moves");
            return Err(unfit(layout.format, why));
        };
        properties.push(property.to_string());
    }
    let [won, lost, draw, _] = RESULTS;
    let result = result(referee, told.outcome.as_ref(), trial, 0);
    let how = if told.outcome.is_none() { "R" } else { "" };
    if result == won {
        root.push(("RE".to_string(), format!("{}+{how}", properties[0])));
    } else if result == lost {
        root.push(("RE".to_string(), format!("{}+{how}", properties[1])));
    } else if result == draw {
        root.push(("RE".to_string(), "0".to_string()));
    }
    replace(&mut root, set);
    let mut first: Node = root.into_iter().map(|(name, value)| (name, vec![value])).collect();
    if told.given.is_some() {
        let facts = referee.facts(&told.opening);
        let listed = referee.rules.listed(&facts, layout.format.word());
        let Some((lists, whole)) = listed.map_err(|error| referee.stopped(error))? else {
            let why = "it does not begin with the opening, and no clause of `position_item/5` says \
                       how a position is told";
            return Err(unfit(layout.format, why));
        };
        if !whole {
            let text = "warning: the first node does not tell all of the position";
            console.note(text.to_string());
        }
        first.extend(lists.into_iter().filter(|(_, values)| !values.is_empty()));
    }
    let mut nodes: Vec<Node> = vec![first];
    let node = |(player, text): (usize, String)| vec![(properties[player].clone(), vec![text])];
    nodes.extend(told.moves.into_iter().map(node));
    Ok(sgf_text(&nodes))
}
