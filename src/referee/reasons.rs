//! Why a move is legal or not and why a goal holds or not, in sentences; why a text is no move.

use serde_json::{Value, json};

use crate::diagnostic::{Diagnostic, listed, nearest};
use crate::explain::{Cause, Explanation, Line};
use crate::record::parse_move;
use crate::reference::{Facts, QueryError};
use crate::render::{fit, fit_with_place};
use crate::syntax::{ReadError, Term, print_term, read_goal};

use super::alone::alone;
use super::by_numbers::{as_typed, by_both_names};
use super::chains::without_step;
use super::events::events;
use super::likeliest::{Meant, moved};
use super::miss::Miss;
use super::naming;
use super::naming::Named;
use super::nearest::best;
use super::pieces;
use super::plainer::without_form;
use super::remarks::{without_mover, without_remarks};
use super::several::several_moves;
use super::strange::{
    begun_alike, columns_of_pieces, names_none, numbers_told, strange_name, strange_numbers,
    strange_site, strange_sites, strange_squares,
};
use super::typed::{self};
use super::unread::{self, by_other_sign, how_written, strange_words, told_of_state};
use super::values::{is_held, names_site, site_named, sites_in, too_many_sites};
use super::{Choices, Position, Referee, Stop, rule_error};

/// The longest question, in bytes.
const LONGEST: usize = 4_000;

/// The most events of chance that are named.
const EVENTS: usize = 12;

/// What is said of castling in a game that has none.
const CASTLING: &str = "no two pieces of a player move together in this game";

/// What is said of doubling in a game that has none.
const STAKES: &str = "nothing is staked in this game, so nothing is doubled";

/// What is said of a draw by agreement.
const AGREED: &str = "a draw is no move: a game ends as its rules say";

/// What people call the throw of dice.
const THROWS: [&str; 5] = ["roll", "rolls", "throw", "throws", "dice"];

/// Moves without sites that people know from other games, and what there is where a game has none.
const CUSTOMARY: [(&str, &str); 13] = [
    ("pass", "the player to move makes one of the legal moves"),
    ("castle", CASTLING),
    ("o-o", CASTLING),
    ("o-o-o", CASTLING),
    ("0-0", CASTLING),
    ("0-0-0", CASTLING),
    ("swap", "the players keep their sides in this game"),
    ("double", STAKES),
    ("redouble", STAKES),
    ("offer draw", AGREED),
    ("offer a draw", AGREED),
    ("resign", "giving up is no move: `resign` is a command of a game that is being played"),
    ("undo", "taking back is no move: `undo` is a command of a game that is being played"),
];

/// The short answer, one sentence per line.
///
/// # Errors
/// A rule error in the game's notation.
pub fn answer(
    referee: &Referee<'_>,
    facts: &Facts,
    told: &Explanation,
) -> Result<Vec<String>, Stop> {
    let mut lines = vec![told.sentences()];
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
    let named = naming::names(referee, position, &choices)?;
    let why =
        |term: &Term| referee.rules.why_move(facts, term).map_err(|error| referee.stopped(error));
    let why = |term: &Term, nearly| match alone(referee, facts, &named, term, nearly)? {
        Some(told) => Ok(told),
        None => why(term),
    };
    let term = parse_move(text);
    if let Some(term) = &term
        && is_form(referee, term)
    {
        return why(term, false);
    }
    let question = term.as_ref().is_some_and(|term| asks(referee, term));
    if let Some(meant) = moved(referee, (position, facts), &named, text, !question)? {
        return Ok(by_both_names(referee, text, as_typed(referee, text, meant)));
    }
    // `C2=5` has the form of a move, and asked as a goal it would say nothing
    fn plain(term: &Term) -> bool {
        term.functor().is_none_or(|(name, args)| {
            args.is_empty() || !name.starts_with(char::is_alphabetic) && args.iter().all(plain)
        })
    }
    let bare = |term: &Term| !text.contains(char::is_whitespace) && plain(term);
    let compares = |term: &Term| {
        let operator = |name: &str| !name.starts_with(|c: char| c.is_alphanumeric());
        term.functor().is_some_and(|(name, _)| operator(name))
            && (bare(term) || !print_term(term).contains(|c: char| c.is_uppercase() || c == '_'))
    };
    let refused = |miss: Miss| {
        let fault = misread(referee, position, &choices, miss.diagnostic(text), text);
        rule_error(&referee.game.program.sources, fault)
    };
    if !question
        && term.as_ref().is_some_and(compares)
        && let Err(miss) = typed::find(referee, position, &named, text)?
    {
        return Err(refused(miss));
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
        return why(term, true);
    }
    if !question
        && !text.contains('(')
        && let Err(miss) = typed::find(referee, position, &named, text)?
    {
        return Err(refused(miss));
    }
    let whole = faults.into_iter().map(|fault| help(referee, fault)).collect();
    Err(Stop::Diagnosed { sources, diagnostics: whole, code: 2 })
}

/// Whether a term looks like a goal.
fn asks(referee: &Referee<'_>, term: &Term) -> bool {
    let control = ["\\+", "->", "forall", "over", "draw", "win", "lose", "legal", "score"];
    // the capital of a piece is no variable
    let Some((name, args)) = term.functor() else { return false };
    if [",", ";"].contains(&name) {
        return args.iter().any(|arg| asks(referee, arg));
    }
    let named = name.starts_with(|c: char| c.is_ascii_lowercase()) && !args.is_empty();
    referee.game.program.find_relation(name, args.len()).is_some()
        || control.contains(&name)
        || named && print_term(term).contains(|c: char| c.is_uppercase() || c == '_')
}

/// Whether a term has the name of a form of move or chance event.
fn is_form(referee: &Referee<'_>, term: &Term) -> bool {
    let forms = referee.rules.move_forms();
    term.functor().is_some_and(|(name, _)| forms.iter().any(|(n, _, _)| n == name))
}

/// The move that a text means, legal or not; `None` where it is not a move.
///
/// # Errors
/// It can mean several legal moves; or a rule error.
pub fn meant(
    referee: &Referee<'_>,
    position: &Position,
    facts: &Facts,
    legal: &[Named],
    text: &str,
) -> Result<Option<Meant>, Stop> {
    match parse_move(text).filter(|term| is_form(referee, term)) {
        Some(term) => match alone(referee, facts, legal, &term, false)? {
            Some(told) => Ok(Some((term, told))),
            None => best(referee, facts, &[term], None),
        },
        None => moved(referee, (position, facts), legal, text, true),
    }
}

/// Why a text that was typed as a move is not legal; `None` where it is not a move.
///
/// # Errors
/// A rule error.
pub fn refusal(
    referee: &Referee<'_>,
    position: &Position,
    facts: &Facts,
    legal: &[Named],
    text: &str,
) -> Result<Option<Explanation>, Stop> {
    let meant = meant(referee, position, facts, legal, text)?;
    // a text that cannot be played may be read as a legal move that says less
    let refused = meant.filter(|(_, told)| !told.holds);
    let told = refused.map(|meant| as_typed(referee, text, meant));
    Ok(told.map(|told| by_both_names(referee, text, told)))
}

/// What a text says that is no move, with what it says that no move can: sites that are none, more sites than a
/// move names, or a move where chance comes first.
pub fn misread(
    referee: &Referee<'_>,
    position: &Position,
    choices: &Choices,
    mut fault: Diagnostic,
    text: &str,
) -> Diagnostic {
    let strange: Vec<String> = strange_sites(referee, text)
        .iter()
        .map(|site| format!("`{}`", unread::as_typed(site, text)))
        .collect();
    let are = if strange.len() == 1 { "is" } else { "are" };
    if !choices.chance
        && let Some(told) = columns_of_pieces(referee, text)
    {
        fault.hints.insert(0, told);
        return fault;
    }
    let told = match (strange.is_empty(), too_many_sites(referee, text)) {
        (false, _) => Some(format!("{} {are} not on the board", strange.join(", "))),
        (true, Some(1)) => Some(
            one_at_a_time(referee, position, choices, text)
                .or_else(|| begun_alike(referee, &referee.facts(position), text))
                .unwrap_or_else(|| "a move names one site".to_string()),
        ),
        (true, Some(most)) => Some(
            one_at_a_time(referee, position, choices, text)
                .unwrap_or_else(|| format!("a move names {most} sites at most")),
        ),
        (true, None) => None,
    };
    let mut told: Vec<String> = told.into_iter().collect();
    if !choices.chance
        && let Some(unnamed) = pieces::unnamed(referee, &referee.facts(position), text)
    {
        fault.hints.insert(0, unnamed);
        return fault;
    }
    if !choices.chance {
        let plain = without_remarks(referee, text);
        let plain = without_mover(referee, &referee.facts(position), &plain).unwrap_or(plain);
        let bare = without_form(referee, &plain);
        let name = strange_numbers(referee, bare)
            .or_else(|| strange_name(referee, &referee.facts(position), bare))
            .or_else(|| strange_squares(referee, &referee.facts(position), bare));
        told.splice(0..0, name);
    }
    // a site is named where no move names one now
    let names_site_now = || choices.all.iter().any(|(term, _)| names_site(referee, term));
    let named = !strange.is_empty() || told.is_empty() && !sites_in(referee, text).is_empty();
    if named && !choices.chance && !names_site_now() {
        let prompts = referee.rules.prompts(&referee.facts(position));
        told.extend(prompts.map(|prompts| prompts.to_mover).unwrap_or_default());
    }
    if let Some(follows) = told_of_state(referee, &referee.facts(position), text) {
        fault.hints.splice(0..0, [follows]);
        return fault;
    }
    let loose = text.trim().to_lowercase();
    let loose = loose.strip_prefix("i ").unwrap_or(&loose);
    // `resigns`, `passes`
    let is = |word: &str| {
        let rest = loose.strip_prefix(word);
        rest.is_some_and(|rest| rest.is_empty() || word.len() > 3 && ["s", "es"].contains(&rest))
    };
    if let Some((word, instead)) = CUSTOMARY.iter().find(|(word, _)| is(word))
        && !referee.rules.move_forms().iter().any(|(name, _, _)| name == word)
    {
        fault.message = format!("there is no `{}` in this game", text.trim());
        told.insert(0, instead.to_string());
    }
    if let Some(thrown) = thrown(referee, choices, loose) {
        told.insert(0, thrown.to_string());
        fault.hints.clear();
        let legal = naming::names(referee, position, choices).unwrap_or_default();
        told.extend(how_written(referee, position, &legal));
    }
    // a term is told its forms
    let is_term = text.trim_start().starts_with(char::is_alphabetic) && text.contains('(');
    if told.is_empty() && !choices.chance && !choices.all.is_empty() && !is_term {
        let legal = naming::names(referee, position, choices).unwrap_or_default();
        let facts = referee.facts(position);
        let form =
            parse_move(text).and_then(|term| alone(referee, &facts, &legal, &term, true).ok()?);
        if let Some(form) = form {
            fault.message = form.short.trim_end_matches('.').to_string();
            fault.hints.clear();
            return fault;
        }
        let plain = without_remarks(referee, text);
        let strange = || strange_words(referee, position, &legal, &plain);
        let site = || strange_site(referee, position, &legal, &plain);
        let number = || event_by_number(referee, text);
        let told_of = without_step(referee, &legal, &plain).or_else(number).or_else(site);
        let signs = || by_other_sign(referee, position, &legal, &plain);
        told.extend(told_of.or_else(strange).or_else(signs));
        if names_none(referee, &legal, &plain) {
            // what is like no move is near to none
            fault.hints.clear();
            told.extend(how_written(referee, position, &legal).filter(|_| told.is_empty()));
        }
    }
    // the sites of the board are none that a move names
    if told.is_empty() && !choices.chance && sites_in(referee, text).len() > 1 {
        told.extend(numbers_told(referee));
    }
    // no move names the site, but what stands there is in its way
    if told.is_empty()
        && !choices.chance
        && let Some(site) = site_named(referee, text)
        && is_held(referee, &referee.facts(position), &[site])
    {
        told.extend(referee.rules.contents_in_words(&referee.facts(position), site));
    }
    fault.hints.splice(0..0, told);
    if choices.chance {
        fault.hints.insert(0, due_event(referee, position, choices));
    }
    fault
}

/// Which events of chance are due before anybody moves.
fn due_event(referee: &Referee<'_>, position: &Position, choices: &Choices) -> String {
    let events = naming::names(referee, position, choices).unwrap_or_default();
    if let Some(row) = in_a_row(&events).filter(|_| events.len() > EVENTS) {
        return format!("chance comes first: {row} happens before anybody moves");
    }
    let names: Vec<String> = events.into_iter().map(|event| event.notation).collect();
    let event = match names.first() {
        Some(first) if names.len() > EVENTS => {
            format!("one of {} events, such as {first},", names.len())
        }
        _ => listed(&names, "or"),
    };
    format!("chance comes first: {event} happens before anybody moves")
}

/// What is said of a text that asks for a throw of the dice where none is due.
fn thrown(referee: &Referee<'_>, choices: &Choices, text: &str) -> Option<&'static str> {
    let asks = text.split_whitespace().next().is_some_and(|first| THROWS.contains(&first));
    let form = || referee.rules.move_forms().iter().any(|(name, ..)| text.starts_with(name));
    if choices.chance || choices.all.is_empty() || !asks || form() {
        return None;
    }
    Some(match events(referee).is_empty() {
        true => "nothing is left to chance in this game",
        false => "no event of chance is due now",
    })
}

/// Events in natural order that differ in a number alone, from the first to the last without a gap.
fn in_a_row(events: &[Named]) -> Option<String> {
    let number = |event: &Named| match event.term.functor() {
        Some((name, [only])) => Some((name.to_string(), print_term(only).parse::<usize>().ok()?)),
        _ => None,
    };
    let (first, last) = (events.first()?, events.last()?);
    let ((form, least), (other, most)) = (number(first)?, number(last)?);
    let whole = form == other && most.checked_sub(least) == Some(events.len() - 1);
    whole.then(|| format!("one of {} to {}", first.notation, last.notation))
}

/// What is said of a text that is a number, where numbers name events of chance and none is due.
fn event_by_number(referee: &Referee<'_>, text: &str) -> Option<String> {
    text.trim().parse::<u32>().ok()?;
    let events = events(referee);
    let is_event = |name: &str, arity: usize| events.iter().any(|e| e.0 == name && e.1 == arity);
    let mut forms = referee.game.types.moves.iter().filter(|(name, domains)| {
        is_event(name, domains.len())
            && matches!(domains.as_slice(), [only] if only.integers.is_some() || !only.constants.is_empty())
    });
    let (name, _) = forms.next()?;
    Some(format!("a number alone is a `{name}`, an event of chance, and none is due now"))
}

/// What is said of a text that is one legal move after the other.
fn one_at_a_time(
    referee: &Referee<'_>,
    position: &Position,
    choices: &Choices,
    text: &str,
) -> Option<String> {
    let legal = naming::names(referee, position, choices).ok()?;
    several_moves(referee, position, &legal, text)
}

/// Adds a hint about possible questions to a diagnostic.
fn help(referee: &Referee<'_>, fault: Diagnostic) -> Diagnostic {
    let forms: Vec<String> =
        referee.rules.move_forms().iter().map(|(_, _, shown)| format!("`{shown}`")).collect();
    fault.hint(format!("ask about a goal, or about a move: {}", forms.join(", ")))
}

/// An explanation as JSON.
///
/// # Errors
/// A rule error in the game's notation.
pub fn to_json(referee: &Referee<'_>, facts: &Facts, told: &Explanation) -> Result<Value, Stop> {
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
        "short": told.sentences(),
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
