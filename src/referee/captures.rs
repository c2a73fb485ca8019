//! Texts that say that a move captures, where it does not.

use crate::diagnostic::listed;
use crate::explain::Cause;
use crate::program::{FluentId, FluentShape, Value};
use crate::reference::Facts;
use crate::syntax::Term;

use super::kinds::held;
use super::likeliest::Meant;
use super::naming::{Named, loose};
use super::pieces;
use super::plainer::readings;
use super::remarks::TAKES;
use super::shorthand::has_cross;
use super::values::sites_in;
use super::{Referee, Stop};

/// The most legal moves that are looked at to know whether a form of move goes without a capture.
const MOST_COMPARED: usize = 40;

/// Whether a text says that the move captures: `bishop takes b5`, `Bxb5`.
pub fn says_capture(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    // a letter behind a move says nothing of it
    let takes = |(i, word): (usize, &&str)| {
        let alone = i > 0 && i + 1 < words.len();
        TAKES.contains(&word.to_lowercase().as_str()) && (word.len() > 1 || alone)
    };
    // behind a name that ends with that letter
    let doubled = text.to_lowercase().contains("xx");
    has_cross(text) || doubled || words.iter().enumerate().any(takes)
}

/// The last site that a text names, if nothing stands there.
fn empty_target(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<String> {
    referee.rules.contents_fluent()?;
    let last = *sites_in(referee, text).last()?;
    let name = referee.game.program.values.show(last);
    held(referee, facts, &name).is_none().then_some(name)
}

/// The number of sites on which something stands, where a map says so for each site.
fn pieces_on_board(referee: &Referee<'_>, facts: &Facts) -> Option<usize> {
    let fluent = referee.rules.contents_fluent()?;
    let shape = &referee.game.program.fluent(fluent).shape;
    matches!(shape, FluentShape::Map { initial: None, .. }).then(|| facts.iter(fluent).count())
}

/// Whether as many pieces are on the board after a legal move as before, or more.
pub fn takes_nothing(referee: &Referee<'_>, facts: &Facts, one: &Named) -> Result<bool, Stop> {
    let Some(before) = pieces_on_board(referee, facts) else { return Ok(false) };
    let next = referee.rules.play(facts, &one.term).map_err(|error| referee.stopped(error))?;
    let after = next.and_then(|next| pieces_on_board(referee, &next));
    Ok(after.is_some_and(|after| after >= before))
}

/// Whether a notation has this text for a move only after the one with the sign of a step in place of that of a capture:
/// it reads both, and the first is what the move does.
pub fn is_second_sign(
    referee: &Referee<'_>,
    facts: &Facts,
    one: &Named,
    text: &str,
) -> Result<bool, Stop> {
    let (taking, going) = (loose(text), loose(&text.replace('x', "-")));
    for style in referee.rules.styles() {
        let styled = referee.rules.styled(facts, std::slice::from_ref(&one.term), &style);
        let texts = styled.map_err(|error| referee.stopped(error))?.pop().unwrap_or_default();
        let at = |wanted: &String| texts.iter().position(|text| loose(text) == *wanted);
        if at(&taking).is_some() && at(&going) < at(&taking) && at(&going).is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What is said of a text that names the site on which a piece is captured, where it goes to another one: the move that
/// captures there.
pub fn beside_target(
    referee: &Referee<'_>,
    facts: &Facts,
    legal: &[Named],
    text: &str,
) -> Result<Option<Meant>, Stop> {
    let sites: Vec<Value> = sites_in(referee, text).into_iter().collect();
    let (from, on) = match *sites.as_slice() {
        [from, on] => (Some(from), on),
        [on] => (None, on),
        _ => return Ok(None),
    };
    let name = referee.game.program.values.show(on);
    let takes = says_capture(text) || from.is_some() && text.contains(':');
    // where a notation has letters for pieces, the site behind the sign of a capture is where the piece goes
    let ends = from.is_none()
        && (!referee.rules.styles().is_empty() || held(referee, facts, &name).is_none());
    if !takes || ends {
        return Ok(None);
    }
    let kind = readings(referee, facts, text).find_map(|plain| plain.kind);
    let leaps = |n: &&Named| {
        let named = sites_in(referee, &n.text);
        from.is_none_or(|from| named.first() == Some(&from))
            && kind.as_ref().is_none_or(|kind| kind.fits(referee, facts, &n.term))
            && named.len() > 1
            && !named.contains(&on)
    };
    let mut taking: Vec<&Named> = Vec::new();
    for one in legal.iter().filter(leaps).take(MOST_COMPARED) {
        let next = referee.rules.play(facts, &one.term).map_err(|error| referee.stopped(error))?;
        let changed = |next: &Facts| {
            let fluents = 0..referee.game.program.fluents.len();
            let mut fluents = fluents.map(|fluent| FluentId(fluent as u32));
            fluents.any(|fluent| facts.get(fluent, &[on]) != next.get(fluent, &[on]))
        };
        if next.as_ref().is_some_and(changed) {
            taking.push(one);
        }
    }
    let Some(first) = taking.first() else { return Ok(None) };
    let names: Vec<String> = taking.iter().map(|n| n.notation.clone()).collect();
    let site = name;
    let reason = match names.as_slice() {
        [one] => format!("the move that captures on {site} is {one}"),
        several => format!("the moves that capture on {site} are {}", listed(several, "and")),
    };
    Ok(Some((first.term.clone(), pieces::refused(text, reason, Vec::new()))))
}

/// An explanation that says too that nothing stands where the text says that the piece captures. So it is told only of
/// forms of moves that also go to empty sites without a capture.
pub fn of_nothing(
    referee: &Referee<'_>,
    facts: &Facts,
    legal: &[Named],
    text: &str,
    (term, mut told): Meant,
) -> Result<Meant, Stop> {
    let from =
        sites_in(referee, &told.subject).first().map(|s| referee.game.program.values.show(*s));
    if told.cause != Cause::Goal {
        return Ok((term, told));
    }
    // a placing told as a capture, where no legal move captures
    if names_one(&term)
        && !told.due
        && begins_with_capture(referee, text)
        && let Some(reason) = told.reason.clone()
        && none_captures(referee, facts, legal)?
    {
        told.short =
            format!("`{text}` is not legal: no legal move captures, and {}.", reason.facts);
        told.subject = text.to_string();
        return Ok((term, told));
    }
    if !says_capture(text) || told.blamed.iter().eq(from.iter()) {
        return Ok((term, told));
    }
    let Some(site) = empty_target(referee, facts, text).filter(|s| !told.blamed.contains(s)) else {
        return Ok((term, told));
    };
    let same = legal.iter().filter(|n| n.term.form() == term.form()).take(MOST_COMPARED);
    for one in same {
        if empty_target(referee, facts, &one.text).is_some() && takes_nothing(referee, facts, one)?
        {
            told.short =
                format!("{} Nor does anything stand on {site} to be captured.", told.short);
            break;
        }
    }
    Ok((term, told))
}

/// Whether a move has one argument, so that it is no way from one site to another.
fn names_one(term: &Term) -> bool {
    term.functor().is_some_and(|(_, args)| args.len() == 1)
}

/// Whether a text begins with the sign of a capture, or a word for it.
fn begins_with_capture(referee: &Referee<'_>, text: &str) -> bool {
    let text = text.trim();
    // a player may be called so
    let mut players = referee.game.program.players.iter();
    if text.starts_with(['x', 'X']) && players.any(|player| referee.name(*player) == "x") {
        return false;
    }
    let word = text.split_whitespace().next().is_some_and(|first| {
        first.len() < text.len() && TAKES.contains(&first.to_lowercase().as_str())
    });
    let cross =
        text.strip_prefix(['x', 'X']).filter(|rest| rest.starts_with(char::is_alphanumeric));
    word || cross.is_some_and(|rest| rest.contains(|c: char| c.is_ascii_digit()))
}

/// Whether none of the legal moves, which are few enough to look at all, captures anything.
fn none_captures(referee: &Referee<'_>, facts: &Facts, legal: &[Named]) -> Result<bool, Stop> {
    if legal.is_empty() || legal.len() > MOST_COMPARED {
        return Ok(false);
    }
    for one in legal {
        if !takes_nothing(referee, facts, one)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What is said of a text that begins with a capture, where no legal move captures anything.
pub fn none_now(
    referee: &Referee<'_>,
    facts: &Facts,
    legal: &[Named],
    text: &str,
) -> Option<String> {
    // a rule error is none of what was typed
    let none =
        begins_with_capture(referee, text) && none_captures(referee, facts, legal).unwrap_or(false);
    none.then(|| "no legal move captures anything now".to_string())
}
