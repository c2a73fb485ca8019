//! Why a move is legal or not and why a goal holds or not, in sentences.

use serde_json::{Value, json};

use crate::diagnostic::{Diagnostic, listed, nearest};
use crate::explain::{Cause, Explanation, Line};
use crate::record::parse_move;
use crate::reference::{Facts, QueryError};
use crate::render::{fit, fit_with_place};
use crate::syntax::{ReadError, Term, TermKind, print_term, read_goal};

use super::alone::alone;
use super::asked::{about_position, asked, told};
use super::asks::{NOT_UNDERSTOOD, asks_whether, is_open_question, without_articles};
use super::both_moved::with_both_moved;
use super::by_numbers::{as_typed, by_both_names, completed};
use super::follows::with_claim;
use super::in_turn::{both_legal, second_refused};
use super::likeliest::{Meant, moved};
use super::misread::{misread, spoken_instead};
use super::miss::{Miss, meant_by};
use super::naming::{self, Named};
use super::nearest::best;
use super::parts::move_and_more;
use super::plainer::with_capital;
use super::remarks::denies;
use super::spoken_of::spoken_of;
use super::typed;
use super::unread::TO_WRITE;
use super::wording::as_term;
use super::{Choices, Position, Referee, Stop, rule_error};

/// The longest question, in bytes.
const LONGEST: usize = 4_000;

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

/// The explanation of a move or goal as it was typed. A text that is neither, but is likely to mean a move, is told so and gets
/// the explanation of that move.
///
/// # Errors
/// The text is neither, or a rule error.
pub fn explain(
    referee: &mut Referee<'_>,
    position: &Position,
    facts: &Facts,
    text: &str,
) -> Result<Explanation, Stop> {
    match explained(referee, position, facts, text)? {
        Answer::Told(told) => Ok(told),
        Answer::Misread(fault, whole) => {
            let several = fault.hints.iter().find_map(|hint| hint.strip_prefix(TO_WRITE));
            if let Some(names) = several.filter(|_| asks_whether(text)) {
                let names: Vec<String> = names.split(", ").map(String::from).collect();
                let short = format!("Yes: such moves are {}.", listed(&names, "and"));
                return Ok(told(text, short, true));
            }
            let meant = fault.hints.iter().find_map(|hint| meant_by(hint)).filter(|_| !whole);
            if let Some((before, name)) = meant
                && !denies(text)
            {
                match explained(referee, position, facts, name) {
                    Ok(Answer::Told(told)) if told.cause != Cause::Form => {
                        return Ok(if_meant_so(before, name, told));
                    }
                    Err(Stop::Interrupted) => return Err(Stop::Interrupted),
                    _ => {}
                }
            }
            Err(rule_error(&referee.game.program.sources, fault))
        }
    }
}

/// What is said of a text that is no move, with what is wrong with it, by the explanation of the move of this name that it is
/// likely to mean.
fn if_meant_so(before: &str, name: &str, told: Explanation) -> Explanation {
    let (start, before) = match before {
        "" => ("If", String::new()),
        before => ("if", format!("{}: ", with_capital(before))),
    };
    let short = match told.holds {
        true => format!("{before}{start} {name} is meant, that is legal."),
        false => format!("{before}{start} {name} is meant, {}", told.short),
    };
    match told.holds {
        true => Explanation { short, holds: false, cause: Cause::Form, rule: None, ..told },
        false => Explanation { short, ..told },
    }
}

/// What is said of a text.
pub(super) enum Answer {
    Told(Explanation),
    /// It is no move, and looks like one; whether that is all that is to say of it.
    Misread(Diagnostic, bool),
}

/// # Errors
/// The text is neither a goal nor like a move, or a rule error.
pub(super) fn explained(
    referee: &mut Referee<'_>,
    position: &Position,
    facts: &Facts,
    text: &str,
) -> Result<Answer, Stop> {
    let text = text.trim();
    if text.len() > LONGEST {
        return Err(Stop::Usage(format!("a question has at most {LONGEST} bytes")));
    }
    let outcome = referee.outcome(position)?;
    let choices = match outcome {
        Some(_) => Choices::default(),
        None => referee.choices(position)?,
    };
    let named = naming::names(referee, position, &choices)?;
    let written = as_term(referee, text);
    let text = written.as_deref().unwrap_or(text);
    let term = parse_move(text);
    let question = term.as_ref().is_some_and(|term| asks(referee, term));
    let of_form = term.as_ref().is_some_and(|term| is_form(referee, term));
    let unknown = |referee: &Referee<'_>, text: &str| -> Result<bool, Stop> {
        let found = typed::find(referee, position, &named, text)?;
        Ok(matches!(found, Err(Miss::Unknown(_))))
    };
    // an article may be the name of a site
    let open = is_open_question(referee, text) && unknown(referee, &without_articles(text))?;
    if !question
        && !of_form
        && choices.chance
        && unknown(referee, text)?
        && let Some(told) = about_position(referee, position, text)?
    {
        return Ok(Answer::Told(told));
    }
    if !question && !of_form && !choices.chance && (open || unknown(referee, text)?) {
        if let Some(told) = asked(referee, position, &named, outcome.is_some(), text)? {
            return Ok(Answer::Told(told));
        }
        if open
            && outcome.is_none()
            && let Some(told) = spoken_of(referee, facts, text)
        {
            return Ok(Answer::Told(told));
        }
        if open && outcome.is_none() {
            let fault = Diagnostic::error("illegal-move", format!("`{text}` is no legal move"));
            return Ok(Answer::Misread(fault.hint(NOT_UNDERSTOOD), true));
        }
        if let Some(told) = both_legal(referee, position, &named, text)? {
            return Ok(Answer::Told(told));
        }
        if let Some(told) = move_and_more(referee, position, &named, text)? {
            return Ok(Answer::Told(told));
        }
        if let Some(told) = second_refused(referee, position, &named, text)? {
            return Ok(Answer::Told(told));
        }
    }
    let why =
        |term: &Term| referee.rules.why_move(facts, term).map_err(|error| referee.stopped(error));
    let why = |term: &Term, nearly| match alone(referee, facts, &named, term, nearly)? {
        Some(told) => Ok(Answer::Told(told)),
        None => why(term).map(Answer::Told),
    };
    if let Some(term) = term.as_ref().filter(|_| of_form) {
        return why(term, false);
    }
    if let Some(meant) = moved(referee, (position, facts), &named, text, !question)? {
        let told = by_both_names(referee, text, as_typed(referee, text, meant));
        let told = completed(referee, facts, text, told)?;
        let told = with_both_moved(referee, facts, &named, text, told)?;
        return with_claim(referee, position, &named, text, told).map(Answer::Told);
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
        // nothing is said of a text that means no move when none is made any more
        if let Some(outcome) = &outcome {
            let short = format!("The game is over: {}.", referee.result(outcome));
            let told = Explanation::of(text.to_string());
            return Answer::Told(Explanation { short, cause: Cause::Over, ..told });
        }
        if let Some(told) = spoken_instead(referee, position, &choices, &miss, text) {
            return Answer::Told(told);
        }
        let whole = matches!(miss, Miss::NoCapture(_));
        let fault = misread(referee, position, &choices, miss.diagnostic(text), text);
        Answer::Misread(fault, whole)
    };
    if !question
        && term.as_ref().is_some_and(compares)
        && let Err(miss) = typed::find(referee, position, &named, text)?
    {
        return Ok(refused(miss));
    }
    let mut sources = referee.game.program.sources.clone();
    let file = sources.add("typed", None, text);
    let faults = match read_goal(&sources, file) {
        Ok(goal) => match referee.rules.why_goal(facts, &goal) {
            Ok(told) => return Ok(Answer::Told(told)),
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
        return Ok(refused(miss));
    }
    let whole = faults.into_iter().map(|fault| help(referee, fault)).collect();
    Err(Stop::Diagnosed { sources, diagnostics: whole, code: 2 })
}

/// Whether a term looks like a goal.
fn asks(referee: &Referee<'_>, term: &Term) -> bool {
    let control = ["\\+", "forall", "over", "draw", "win", "lose", "legal", "score"];
    // the capital of a piece is no variable
    let Some((name, args)) = term.functor() else { return false };
    if [",", ";", "->"].contains(&name) {
        return args.iter().any(|arg| asks(referee, arg));
    }
    // what is claimed of a move is no number: `Nf3 is mate`
    if name == "is" && args.last().is_some_and(|arg| matches!(arg.kind, TermKind::Atom(..))) {
        return false;
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
    let Some(told) = refused.map(|meant| as_typed(referee, text, meant)) else { return Ok(None) };
    let told = by_both_names(referee, text, told);
    with_both_moved(referee, facts, legal, text, told).map(Some)
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
