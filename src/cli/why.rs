//! `ludex why`: why a move is legal or not, why a goal holds or not.

use clap::Args;
use serde_json::{Value, json};

use crate::diagnostic::{Diagnostic, nearest};
use crate::explain::{Cause, Explanation, Facts, Line, QueryError};
use crate::record::parse_move;
use crate::render::{fit, fit_with_place};
use crate::syntax::{ReadError, Term, print_term, read_goal};

use super::arguments::{EngineChoice, GameArguments, StartArguments};
use super::console::{Console, Stop};
use super::referee::{Choices, Position, Referee};
use super::typed::{self, Reading};
use super::{open, start};

/// The longest question, in bytes.
const LONGEST: usize = 4_000;
/// The depth to which `--long` unfolds.
const DEPTH: usize = 3;

/// Explains why a move is legal or not, or why a goal holds or not, from the text of the rules.
#[derive(Debug, Args)]
pub struct WhyArguments {
    #[command(flatten)]
    game: GameArguments,

    /// A move in the game's notation or as a term, or a goal: `win(white)`, `over`, `at(a1, X)`.
    #[arg(value_name = "MOVE_OR_GOAL")]
    what: String,

    #[command(flatten)]
    start: StartArguments,

    /// Draws the board with the sites that matter, and shows the clauses and their goals.
    #[arg(long)]
    long: bool,

    /// The depth to which goals are unfolded; 3 with `--long`.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100))]
    depth: Option<u64>,

    /// Prints JSON.
    #[arg(long, conflicts_with = "long")]
    json: bool,
}

pub fn run(arguments: &WhyArguments, console: &Console) -> Result<(), Stop> {
    let game = open::game(&arguments.game.request())?;
    let mut referee = Referee::new(&game, EngineChoice::Compiled);
    let (before, position) = start::line(&mut referee, &arguments.start)?;
    let facts = referee.facts_after(&position, &before);
    let told = explain(&mut referee, &position, &facts, &arguments.what)?;
    if arguments.json {
        return console.json(&to_json(&referee, &facts, &told)?);
    }
    let depth = match (arguments.depth, arguments.long) {
        (Some(depth), _) => usize::try_from(depth).unwrap_or(DEPTH),
        (None, true) => DEPTH,
        (None, false) => 0,
    };
    if depth > 0 {
        console.text(referee.marked(&facts, &told.sites, console.width())?)?;
    }
    for line in answer(&referee, &facts, &told)? {
        console.line(fit(&line, console.width(), 2))?;
    }
    if depth > 0 && !told.lines.is_empty() {
        console.line("")?;
        console.text(unfolded(&told, depth, console.width()))?;
        let deeper = told.depth();
        if deeper > depth {
            console.line(format!("`--depth {deeper}` unfolds all of it"))?;
        }
    }
    Ok(())
}

/// The lines below the short answer, unfolded to a depth and wrapped at a width; continuation lines
/// are indented further.
pub fn unfolded(told: &Explanation, depth: usize, width: usize) -> String {
    let mut out = String::new();
    for line in told.long(depth).lines() {
        let text = line.trim_start_matches(' ');
        // deeply nested lines stay readable on a narrow terminal
        let lead = (line.len() - text.len()).min(width / 2);
        let pad = " ".repeat(lead);
        out.push_str(&match text.rsplit_once("  % ") {
            Some((text, place)) => fit_with_place(&format!("{pad}{text}"), place, width, lead + 2),
            None => fit(&format!("{pad}{text}"), width, lead + 2),
        });
        out.push('\n');
    }
    out
}

/// The short answer, one sentence per line.
///
/// # Errors
/// A rule error in the game's notation.
pub fn answer(
    referee: &Referee<'_>,
    facts: &Facts,
    told: &Explanation,
) -> Result<Vec<String>, Stop> {
    let mut lines = vec![told.short.clone()];
    if told.cause == Cause::Form && !told.closest.is_empty() {
        let mut closest = Vec::new();
        for term in &told.closest {
            closest.push(referee.notation(facts, term)?);
        }
        lines.push(match closest.as_slice() {
            [one] => format!("The closest legal move is {one}."),
            more => format!("The closest legal moves are {}.", more.join(", ")),
        });
    }
    Ok(lines)
}

/// The explanation of a move or goal as it was typed.
///
/// # Errors
/// The text is neither, or a rule error.
pub fn explain(
    referee: &mut Referee<'_>,
    position: &Position,
    facts: &Facts,
    text: &str,
) -> Result<Explanation, Stop> {
    let text = text.trim();
    if text.len() > LONGEST {
        return Err(Stop::Usage(format!("a question has at most {LONGEST} bytes")));
    }
    let choices = match referee.outcome(position)? {
        Some(_) => Choices::default(),
        None => referee.choices(position)?,
    };
    let named = typed::names(referee, position, &choices)?;
    let why =
        |term: &Term| referee.rules.why_move(facts, term).map_err(|error| referee.stopped(error));
    if let Ok(found) = typed::read(referee, position, &named, text, Reading::Whole)? {
        return why(&found.term);
    }
    let term = parse_move(text);
    if let Some(term) = &term
        && let Some((name, _)) = term.functor()
        && referee.rules.move_forms().iter().any(|(n, _, _)| n == name)
    {
        return why(term);
    }
    // a term without variables that is not a relation is more likely a move in the game's notation
    if term.as_ref().is_none_or(|term| !asks(referee, term))
        && let Some(told) = written(referee, facts, text)?
    {
        return Ok(told);
    }
    if term.as_ref().is_none_or(|term| !asks(referee, term))
        && let Ok(found) = typed::find(referee, position, &named, text)?
    {
        return why(&found.term);
    }
    let mut sources = referee.game.program.sources.clone();
    let file = sources.add("typed", None, text);
    let faults = match read_goal(&sources, file) {
        Ok(goal) => match referee.rules.why_goal(facts, &goal) {
            Ok(told) => return Ok(told),
            Err(QueryError::Rule(error)) => return Err(referee.stopped(error)),
            Err(QueryError::Question(faults)) => faults,
        },
        Err(ReadError::Incomplete(fault)) => vec![fault],
        Err(ReadError::Wrong(faults)) => faults,
    };
    if let Some(term) = &term
        && let Some((name, _)) = term.functor()
        && nearest(name, referee.rules.move_forms().iter().map(|(n, _, _)| n.as_str())).is_some()
    {
        return why(term);
    }
    let whole = faults.into_iter().map(|fault| help(referee, fault)).collect();
    Err(Stop::Diagnosed { sources, diagnostics: whole, code: 2 })
}

/// Whether a term looks like a goal.
fn asks(referee: &Referee<'_>, term: &Term) -> bool {
    let control = [",", ";", "\\+", "->", "forall", "over", "draw", "win", "lose", "legal"];
    let Some((name, args)) = term.functor() else { return true };
    let relation = referee.game.program.find_relation(name, args.len());
    relation.is_some()
        || control.contains(&name)
        || print_term(term).contains(|c: char| c.is_uppercase() || c == '_')
}

/// The move that a text means in the game's notation; it need not be legal.
///
/// # Errors
/// A rule error.
pub fn written(
    referee: &Referee<'_>,
    facts: &Facts,
    text: &str,
) -> Result<Option<Explanation>, Stop> {
    let terms = referee.rules.moves_written(facts, text).map_err(|e| referee.stopped(e))?;
    let mut best: Option<Explanation> = None;
    for term in &terms {
        let told = referee.rules.why_move(facts, term).map_err(|e| referee.stopped(e))?;
        if best.as_ref().is_none_or(|b| told.order() < b.order()) {
            best = Some(told);
        }
    }
    Ok(best)
}

/// Why a text that was typed as a move is not legal; `None` where it is not a move.
///
/// # Errors
/// A rule error.
pub fn refusal(
    referee: &Referee<'_>,
    facts: &Facts,
    text: &str,
) -> Result<Option<Explanation>, Stop> {
    if let Some(term) = parse_move(text)
        && let Some((name, _)) = term.functor()
        && referee.rules.move_forms().iter().any(|(n, _, _)| n == name)
    {
        let told = referee.rules.why_move(facts, &term).map_err(|e| referee.stopped(e))?;
        return Ok(Some(told));
    }
    written(referee, facts, text)
}

/// Adds a hint about possible questions to a diagnostic.
fn help(referee: &Referee<'_>, fault: Diagnostic) -> Diagnostic {
    let forms: Vec<String> =
        referee.rules.move_forms().iter().map(|(_, _, shown)| format!("`{shown}`")).collect();
    fault.hint(format!("ask about a goal, or about a move: {}", forms.join(", ")))
}

fn to_json(referee: &Referee<'_>, facts: &Facts, told: &Explanation) -> Result<Value, Stop> {
    let values = &referee.game.program.values;
    let moves = |terms: &[Term]| -> Result<Vec<Value>, Stop> {
        terms
            .iter()
            .map(|term| {
                Ok(json!({ "move": print_term(term), "notation": referee.notation(facts, term)? }))
            })
            .collect()
    };
    Ok(json!({
        "subject": told.subject,
        "holds": told.holds,
        "cause": told.cause.word(),
        "short": told.short,
        "sites": told.sites.iter().map(|s| values.show(*s)).collect::<Vec<_>>(),
        "rivals": moves(&told.rivals)?,
        "closest": moves(&told.closest)?,
        "lines": told.lines.iter().map(line).collect::<Vec<_>>(),
    }))
}

fn line(l: &Line) -> Value {
    json!({
        "mark": l.mark.word(),
        "text": l.text,
        "note": l.note,
        "place": l.place,
        "below": l.below.iter().map(line).collect::<Vec<_>>(),
    })
}
