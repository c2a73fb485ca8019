//! Texts that say that a move captures, where it does not.

use crate::diagnostic::listed;
use crate::explain::{Cause, owner};
use crate::program::{FluentId, FluentShape, Value};
use crate::reference::Facts;
use crate::syntax::{Term, print_term};

use super::kinds::{held, kinds};
use super::likeliest::Meant;
use super::naming::{Named, loose};
use super::owners::owned;
use super::pieces;
use super::remarks::{TAKES, without_remarks};
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
    let &[from, on] = sites.as_slice() else { return Ok(None) };
    if !says_capture(text) && !text.contains(':') {
        return Ok(None);
    }
    let leaps = |n: &&Named| {
        let named = sites_in(referee, &n.text);
        named.first() == Some(&from) && !named.contains(&on)
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
    let site = referee.game.program.values.show(on);
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
        && begins_with_capture(text)
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
fn begins_with_capture(text: &str) -> bool {
    let text = text.trim();
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
    let none = begins_with_capture(text) && none_captures(referee, facts, legal).unwrap_or(false);
    none.then(|| "no legal move captures anything now".to_string())
}

/// The kinds of pieces of a text that names nothing else, of which one takes the other: `rook takes rook`; or only what is
/// taken, `take the rook`, or what takes: `rook takes`.
fn kinds_alone(referee: &Referee<'_>, text: &str) -> Option<(Option<String>, Option<String>)> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split_whitespace()
        .filter(|word| !["the", "a", "my", "his", "her", "your"].contains(word))
        .collect();
    let (one, takes, other) = match *words.as_slice() {
        [one, takes, other] => (Some(one), takes, Some(other)),
        [one, takes] if TAKES.contains(&takes) => (Some(one), takes, None),
        [takes, other] if takes != "x" => (None, takes, Some(other)),
        _ => return None,
    };
    let kinds = kinds(referee);
    let known = |word: &str| kinds.iter().any(|(_, name)| name == word);
    let both = TAKES.contains(&takes) && one.is_none_or(known) && other.is_none_or(known);
    both.then(|| (one.map(str::to_string), other.map(str::to_string)))
}

/// The legal moves by which a piece of one kind takes one of another kind, where a text names nothing else; `None` where
/// it names more.
pub fn of_kinds<'n>(
    referee: &Referee<'_>,
    facts: &Facts,
    named: &'n [Named],
    text: &str,
) -> Option<Vec<&'n Named>> {
    let (one, other) = kinds_alone(referee, &without_number(referee, text))?;
    let kinds = kinds(referee);
    let turn = facts.turn()?;
    let is = |piece: Option<Value>, kind: &str| {
        piece.is_some_and(|piece| kinds.iter().any(|(p, name)| *p == piece && name == kind))
    };
    let fits = |n: &&Named| {
        let sites = sites_in(referee, &print_term(&n.term));
        let show = |site: &Value| referee.game.program.values.show(*site);
        let (first, last) = (sites.first().map(show), sites.last().map(show));
        let at = |name: Option<String>| name.and_then(|name| held(referee, facts, &name));
        let taken = at(last);
        sites.len() > 1
            && one.as_ref().is_none_or(|one| is(at(first), one))
            && other.as_ref().is_none_or(|other| is(taken, other))
            && taken.is_some_and(|piece| !owned(referee, piece, turn))
    };
    Some(named.iter().filter(fits).collect())
}

/// A text without the number of the move, unless words that say nothing are part of it.
fn without_number(referee: &Referee<'_>, text: &str) -> String {
    let numbered = text.trim_start().starts_with(|c: char| c.is_ascii_digit());
    if numbered { without_remarks(referee, text) } else { text.trim().to_string() }
}

/// What is said of a text by which a piece of one kind takes one of another kind, where no legal move does that.
pub fn none_of_kinds(
    referee: &Referee<'_>,
    facts: &Facts,
    legal: &[Named],
    text: &str,
) -> Option<Meant> {
    let none = of_kinds(referee, facts, legal, text)?.is_empty();
    let (one, other) = kinds_alone(referee, text).filter(|_| none)?;
    let turn = facts.turn()?;
    let player = referee.name(turn);
    let Some(other) = other else {
        let reason = format!("no {} of {} can take anything", one?, owner(&player));
        return pieces::told(referee, text, "", reason, Vec::new());
    };
    let fluent = referee.rules.contents_fluent()?;
    let kinds = kinds(referee);
    let on_board = |facts: &Facts, kind: &str, own: bool| {
        let is = |piece: Value| {
            owned(referee, piece, turn) == own
                && kinds.iter().any(|(known, name)| *known == piece && name == kind)
        };
        facts.iter(fluent).filter(|(_, piece)| is(*piece)).count()
    };
    let there = on_board(facts, &other, false);
    // where a piece is taken beside the way of the one that takes it
    let fewer = |n: &Named| {
        let next = referee.rules.play(facts, &n.term).ok().flatten();
        next.is_none_or(|next| on_board(&next, &other, false) < there)
    };
    if legal.iter().any(fewer) {
        return None;
    }
    let Some(one) = one else {
        let reason = match there {
            0 => format!("there is no {other} of the opponent's on the board"),
            _ => format!("no piece of {} can take a {other}", owner(&player)),
        };
        return pieces::told(referee, text, "", reason, Vec::new());
    };
    let reason = match (on_board(facts, &one, true), there) {
        (0, _) => format!("{player} has no {one} on the board"),
        (_, 0) => format!("there is no {other} of the opponent's on the board"),
        // one move alone is meant, which has a reason of its own
        (1, 1) => return None,
        _ => format!("no {one} of {} can take a {other}", owner(&player)),
    };
    pieces::told(referee, text, "", reason, Vec::new())
}
