//! The move that a typed text means, legal or not, with its explanation: of several the one that was meant most likely.

use crate::explain::{Cause, Explanation, turn_of};
use crate::reference::Facts;
use crate::syntax::{Term, print_term};

use super::by_numbers::{path_of_numbers, sites_of_numbers};
use super::captures;
use super::chains::Chains;
use super::events::is_chance;
use super::headings::{aslant, none_headed, straight_move};
use super::kinds::{held, is_kind};
use super::leaps::{leap_to, says_more};
use super::made::made_of;
use super::meant::{Illegal, by_alias, written};
use super::miss::Miss;
use super::movers::none_moves;
use super::naming::Named;
use super::nearest::best;
use super::of_site::{held_site, nearer, of_site, own_at_target};
use super::owners::owned;
use super::phrases::mistaken;
use super::pieces::{self, FromLine};
use super::places::spelled;
use super::plainer::{Plainer, going_on, readings, steps_joined};
use super::remarks::{another_named, asked, leads_away, names_another, takes_back, tells_beside};
use super::renamed;
use super::several::are_several;
use super::shorthand::{has_drop, signs};
use super::steps::{first_wrong, has_steps};
use super::strange::{is_site, strange_sites};
use super::takers::none_of_kinds;
use super::typed::{self, Reading, names_cross};
use super::unread::without_strange;
use super::values::{names_sites, path_of_sites, site_named, sites_in, too_many_sites};
use super::ways;
use super::wording::{forms_named, has_form};
use super::{Position, Referee, Stop, rule_error};

/// A move that a text means, and its explanation.
pub type Meant = (Term, Explanation);

/// The move that a text means, explained; the legal one that would be played goes before. Unless `part`, a text that is
/// only a part of a move's name means none.
///
/// # Errors
/// It can mean several legal moves; or a rule error.
pub fn moved(
    referee: &Referee<'_>,
    place: (&Position, &Facts),
    legal: &[Named],
    text: &str,
    part: bool,
) -> Result<Option<Meant>, Stop> {
    let text = &*asked(text);
    if takes_back(text) || leads_away(text) {
        return Ok(None);
    }
    let (_, facts) = place;
    let target = captures::of_target(referee, facts, text).filter(|_| part);
    if let Some(plain) = target {
        let meant = moved(referee, place, legal, &plain, part)?;
        return Ok(meant.map(|(term, told)| (term, quoting(told, &plain, text))));
    }
    let plain = spelled(referee, facts, text);
    let meant = match part.then(|| mistaken(referee, facts, legal, text)).flatten() {
        Some(told) => Some(told),
        None => {
            read(referee, place, legal, &plain, part).map_err(|stop| stop.about(&plain, text))?
        }
    };
    let meant = match meant.and_then(|meant| of_named_form(referee, text, meant)) {
        None if part => in_named_form(referee, facts, text)?,
        meant => meant,
    };
    let meant = meant.map(|(term, told)| (term, of_others_only(referee, facts, told)));
    // an explanation of the text quotes it as it was typed
    let meant = meant.map(|(term, told)| (term, quoting(told, &plain, text)));
    // where a piece may be anybody's, whose move it is says more than what is wrong with the site
    let of_another = |(term, told): &Meant| {
        let names_one = term.functor().is_some_and(|(_, args)| args.len() == 1);
        let placed = told.cause == Cause::Goal && names_one;
        let begins = names_another(referee, facts, &plain) && told.cause != Cause::Turn;
        !told.holds && (placed || begins && !begins_blamed(referee, told))
    };
    let another = || part && another_named(referee, facts, text).is_some();
    let lettered =
        names_cross(referee, &plain) && facts.turn().is_some_and(|turn| referee.name(turn) != "x");
    let meant = meant.filter(|meant| !(lettered || of_another(meant) && another()));
    // a piece that is captured is leaped over, and what stands behind it is in the way
    let Some(first @ (_, told)) = &meant else { return Ok(None) };
    if let Some((leap, landing)) = captures::beyond(referee, facts, text, told).filter(|_| part)
        && let Ok(Some(leap)) = moved(referee, place, legal, &leap, false)
        && !leap.1.holds
        && (leap.1.cause != Cause::Goal
            || leap.1.blamed == [landing.as_str()]
                && captures::takes_if_empty(referee, facts, text, (&leap.0, &landing)))
    {
        return Ok(Some(leap));
    }
    if let Some(never) =
        captures::never_leaped(referee, (facts, legal), text, first).filter(|_| part)
    {
        return Ok(meant.map(|(term, _)| (term, never)));
    }
    // where pieces capture by moves of another form, the reason is why none of these does
    if let Some(taking) = captures::by_sign(referee, facts, text, told).filter(|_| part)
        && let Ok(Some(taking)) = moved(referee, place, legal, &taking, false)
        && !taking.1.holds
        && taking.1.cause == Cause::Goal
        && form_of(&taking.0) != form_of(&meant.as_ref().map_or(taking.0.clone(), |m| m.0.clone()))
    {
        return Ok(Some(taking));
    }
    Ok(meant)
}

/// An explanation of a text of several words that quotes it as it was typed.
fn quoting(mut told: Explanation, plain: &str, typed: &str) -> Explanation {
    if told.subject == plain && plain.contains(' ') {
        told.short = told.short.replacen(&format!("`{plain}`"), &format!("`{typed}`"), 1);
        told.subject = typed.to_string();
    }
    told
}

/// An explanation that says whose moves are of this form, where the piece that would make one is that of the player to move.
fn of_others_only(referee: &Referee<'_>, facts: &Facts, mut told: Explanation) -> Explanation {
    let Some(turn) = facts.turn() else { return told };
    let from = sites_in(referee, &told.subject).first().copied();
    let own = from.is_some_and(|from| {
        let name = referee.game.program.values.show(from);
        held(referee, facts, &name).is_some_and(|piece| owned(referee, piece, turn))
    });
    for other in referee.game.program.players.iter().filter(|other| **other != turn && own) {
        let (mover, other) = (referee.name(turn), referee.name(*other));
        let said = format!(
            "it is {} turn, not {}",
            turn_of(&referee.game.program, &mover),
            turn_of(&referee.game.program, &other)
        );
        told.short = told.short.replacen(&said, &format!("only {other} move so"), 1);
    }
    told
}

/// The name of a move's form.
fn form_of(term: &Term) -> Option<String> {
    term.functor().map(|(name, _)| name.to_string())
}

fn read(
    referee: &Referee<'_>,
    (position, facts): (&Position, &Facts),
    legal: &[Named],
    text: &str,
    part: bool,
) -> Result<Option<Meant>, Stop> {
    let place = (position, facts);
    // where the moves that are due go on from a site, that may be named before them
    if let Some(rest) = going_on(referee, facts, text)
        && let Some(meant) = moved(referee, place, legal, &rest, part)?
    {
        return Ok(Some(meant));
    }
    if let Some(joined) = steps_joined(referee, text)
        && let Some(meant) = moved(referee, place, legal, &joined, part)?
    {
        return Ok(Some(meant));
    }
    // where the game is over that is the reason
    let open = part && !legal.is_empty();
    let reading = if part { Reading::Any } else { Reading::Whole };
    if open && let Ok(found) = typed::read(referee, position, legal, text, reading)? {
        return best(referee, facts, std::slice::from_ref(&found.term), None);
    }
    if open && let Some(leap) = leap_to(referee, facts, legal, text) {
        let meant = match leap {
            Ok(leap) => {
                // where it lands is told of a capture sooner than of a step
                let ends = leap.split_once('-').map(|(from, to)| format!("{from}x{to}"));
                let capture = match &ends {
                    Some(capture) => moved(referee, place, legal, capture, false)?
                        .filter(|(_, told)| told.cause == Cause::Goal),
                    None => None,
                };
                match capture {
                    Some(capture) => Some(capture),
                    None => moved(referee, place, legal, &leap, false)?,
                }
            }
            Err(reason) => pieces::told(referee, text, "", reason, Vec::new()),
        };
        return Ok(meant.filter(|(_, told)| !told.holds));
    }
    if open && says_more(referee, facts, legal, text) {
        return Ok(None);
    }
    // that no legal move goes so is told in place of a reading of the rest
    if open
        && aslant(referee, facts, legal, text).is_empty()
        && none_headed(referee, facts, legal, text).is_some()
    {
        let Some(straight) = straight_move(referee, facts, legal, text) else { return Ok(None) };
        let meant = moved(referee, place, legal, &straight, false)?;
        return Ok(meant.filter(|(_, told)| !told.holds && told.cause == Cause::Goal));
    }
    if open
        && let Some(told) = pieces::at_target(referee, facts, text)
            .or_else(|| renamed::occupied(referee, facts, text))
    {
        return captures::of_nothing(referee, facts, legal, text, told).map(Some);
    }
    if open
        && let Some(told) = captures::several_taken(referee, legal, text)
            .or_else(|| captures::two_sites(referee, legal, text))
    {
        return Ok(Some(told));
    }
    if open && let Some(told) = none_moves(referee, facts, legal, text) {
        return Ok(Some(told));
    }
    if open && let Some(told) = none_of_kinds(referee, facts, legal, text) {
        return Ok(Some(told));
    }
    match typed::read(referee, position, legal, text, reading)? {
        Ok(found) => return best(referee, facts, std::slice::from_ref(&found.term), None),
        Err(Miss::Unknown(_)) => {}
        Err(miss) => {
            let sources = &referee.game.program.sources;
            return Err(rule_error(sources, miss.diagnostic(text)));
        }
    }
    if open && let Some(told) = pieces::strange_letter(referee, text) {
        return Ok(Some(told));
    }
    if open && let Some(told) = renamed::elsewhere(referee, facts, text) {
        return Ok(Some(told));
    }
    // a site that is none is told before what else may be wrong; the pieces' letters of other notations look like sites
    let plain = referee.rules.styles().is_empty() || is_site(text);
    if part && plain && !strange_sites(referee, text).is_empty() {
        return Ok(None);
    }
    if part && let Some(told) = captures::beside_target(referee, facts, legal, text)? {
        return Ok(Some(told));
    }
    // the name of a piece alone says nothing of where it goes, if it is no move
    if part && is_kind(referee, &text.trim().to_lowercase()) && !is_only_value(referee, text.trim())
    {
        return Ok(None);
    }
    match pieces::from_line(referee, facts, text).filter(|_| open) {
        Some(FromLine::None(told)) => return Ok(Some(*told)),
        Some(FromLine::One(plain)) => {
            let meant = moved(referee, place, legal, &plain, false)?;
            if let Some(meant) = meant.filter(|(_, told)| !told.holds) {
                return Ok(Some(meant));
            }
        }
        None => {}
    }
    let chains = Chains::of(referee, text).filter(|_| part);
    if part && chains.is_none() && are_several(referee, place, legal, text)? {
        return Ok(None);
    }
    if let Some(chains) = chains.as_ref().filter(|chains| chains.is_short)
        && let Some(meant) = first_wrong(referee, facts, legal, chains, text)?
    {
        return Ok(Some(meant));
    }
    let own = as_written(referee, place, legal, &Plainer::of(text), part)?;
    let own = match (own, chains) {
        (None, Some(chains)) => first_wrong(referee, facts, legal, &chains, text)?,
        (own, _) => own,
    };
    if !part {
        return Ok(own);
    }
    let without_capture = |meant| captures::of_nothing(referee, facts, legal, text, meant);
    // a piece that is named without the sign of a drop is on the board, if one is
    let drops = |(_, told): &Meant| !told.holds && signs(&told.subject) > signs(text);
    // nothing is captured by a drop
    let takes = captures::says_capture(text);
    let wrongly = |(_, told): &Meant| takes && has_drop(&told.subject) && !has_drop(text);
    let others = |meant: &Meant| {
        let (_, told) = meant;
        told.cause == Cause::Turn || begins_blamed(referee, told) || wrongly(meant)
    };
    if open
        && !is_chance(referee, legal)
        && own.as_ref().is_none_or(others)
        && let Some(told) = pieces::absent(referee, facts, text)
    {
        return Ok(Some(told));
    }
    let mut dropped = own.filter(|own| !wrongly(own));
    if let Some(own) = dropped.take_if(|own| !drops(own)) {
        return without_capture(own).map(Some);
    }
    for plain in readings(referee, facts, text).skip(1) {
        let kind = plain.kind.as_ref();
        if dropped.is_some() && kind.is_none() {
            continue;
        }
        if open && let Some(told) = pieces::another(referee, facts, text, &plain) {
            return Ok(Some(told));
        }
        if open
            && kind.is_some_and(|kind| kind.pieces(referee).is_some())
            && is_of_numbers(&plain.text)
            && let Some(meant) = as_written(referee, place, legal, &Plainer::of(&plain.text), part)?
            && let Some(told) = pieces::another_by_numbers(referee, facts, text, &plain, &meant)
        {
            return Ok(Some(told));
        }
        let begins = |n: &&Named| kind.is_none_or(|kind| kind.fits(referee, facts, &n.term));
        let begun: Vec<Named> = legal.iter().filter(begins).cloned().collect();
        match as_written(referee, place, &begun, &plain, part)? {
            Some(meant) if wrongly(&meant) => {}
            Some(meant) if kind.is_none() && drops(&meant) => dropped = Some(meant),
            // the pieces on the board are not the mover's
            Some((_, told)) if dropped.is_some() && begins_blamed(referee, &told) => {}
            Some(meant) => return without_capture(meant).map(Some),
            None => {}
        }
    }
    if dropped.is_some() {
        return Ok(dropped);
    }
    // the sign of a capture behind a move
    if let Some(rest) = text.strip_suffix('x').filter(|rest| names_sites(referee, rest)) {
        let meant = moved(referee, place, legal, rest, false)?;
        return Ok(meant.filter(|(_, told)| !told.holds));
    }
    // words that name nothing beside sites: `horse d2 e5`
    // but such as say that another site is meant
    let plain = without_strange(referee, legal, text).filter(|_| !tells_beside(text));
    // what is left is whole words of the text
    let lower = text.to_lowercase();
    let initial = |word: &str, left: &str| {
        word.char_indices().nth(1).is_some_and(|(at, _)| &word[at..] == left)
    };
    let is_word = |rest: &str| {
        rest.split(' ').all(|word| lower.split(' ').any(|w| w == word || initial(w, word)))
    };
    let is_named = |rest: &str| {
        let target = lower.split(' ').any(|word| word == rest);
        names_sites(referee, rest) || target && site_named(referee, rest).is_some()
    };
    if let Some(rest) = plain.filter(|rest| is_word(rest) && is_named(rest)) {
        // nor is a capture that is told a step
        let rest = match rest.split_once(' ') {
            Some((from, to)) if takes && !captures::says_capture(&rest) => {
                let ends = [from, to].iter().all(|end| site_named(referee, end).is_some());
                if ends { format!("{from} takes {to}") } else { rest }
            }
            _ => rest,
        };
        // which of the moves from a site was meant is for the player to say
        let begins =
            |n: &&Named| n.term.functor().and_then(|(_, args)| args.first().map(print_term));
        if site_named(referee, &rest).is_some()
            && legal.iter().any(|n| begins(&n).as_ref() == Some(&rest))
        {
            return Ok(None);
        }
        if typed::read(referee, position, legal, &rest, Reading::Any)?.is_ok() {
            return Ok(None);
        }
        let meant = moved(referee, place, legal, &rest, false)?;
        if let Some(told) =
            meant.as_ref().and_then(|meant| pieces::own(referee, facts, text, &rest, meant))
        {
            return Ok(Some(told));
        }
        // whose move it is says more than how another player's piece could go there
        let more = |told: &Explanation| {
            sites_in(referee, &told.subject).len() > sites_in(referee, text).len()
        };
        let another = names_another(referee, facts, text);
        return Ok(meant.filter(|(_, told)| !(told.holds || another && more(told))));
    }
    // the letter of a piece before its sites: `Nd2xe4`
    let mut rest = text.chars();
    let letter = rest.next().is_some_and(char::is_uppercase) && !referee.rules.styles().is_empty();
    if !letter
        || too_many_sites(referee, rest.as_str()).is_some()
        || !names_sites(referee, rest.as_str())
    {
        return Ok(None);
    }
    let meant = moved(referee, place, &[], rest.as_str(), false)?;
    Ok(meant.filter(|(_, told)| !told.holds))
}

/// A move that a text means, unless the text names another form of move by its name: `shoots` is no step of an amazon, nor
/// does an arrow go from one site to another.
fn of_named_form(referee: &Referee<'_>, text: &str, meant: Meant) -> Option<Meant> {
    let (term, told) = &meant;
    term.form()?;
    let named = forms_named(referee, text);
    (named.is_empty() || told.holds || has_form(term, &named)).then_some(meant)
}

/// The only move of a form that a text names by its name which has the sites of the text: `e2-e3 withdrawal`.
fn in_named_form(referee: &Referee<'_>, facts: &Facts, text: &str) -> Result<Option<Meant>, Stop> {
    let (named, sites) = (forms_named(referee, text), sites_in(referee, text));
    if named.is_empty() || sites.len() < 2 {
        return Ok(None);
    }
    let (_, made) = made_of(referee, text);
    let has_sites = |term: &Term| sites_in(referee, &print_term(term)) == sites;
    let found = made.into_iter().filter(|term| has_form(term, &named) && has_sites(term));
    let terms: Vec<Term> = found.collect();
    if terms.len() != 1 { Ok(None) } else { best(referee, facts, &terms, None) }
}

/// Whether a text is several numbers and has no letters.
fn is_of_numbers(text: &str) -> bool {
    let parts = text.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
    !text.contains(char::is_alphabetic) && parts.count() > 1
}

/// Whether what stands where a move begins is the reason that it is not legal.
pub(super) fn begins_blamed(referee: &Referee<'_>, told: &Explanation) -> bool {
    let from = sites_in(referee, &told.subject).first().copied();
    let from = from.map(|site| referee.game.program.values.show(site));
    from.is_some() && told.blamed.iter().eq(from.iter())
}

/// Whether there are moves that have a value and no other.
fn is_only_value(referee: &Referee<'_>, value: &str) -> bool {
    let (_, made) = made_of(referee, value);
    let args = made.iter().filter_map(|term| term.functor().map(|(_, args)| args));
    args.into_iter().any(|args| matches!(args, [one] if print_term(one) == value))
}

/// The move that a text means as it is written, explained. The closer reading goes before, and of two that are as close
/// the one of a legal move.
fn as_written(
    referee: &Referee<'_>,
    (position, facts): (&Position, &Facts),
    legal: &[Named],
    plain: &Plainer,
    part: bool,
) -> Result<Option<Meant>, Stop> {
    let Plainer { text, kind, takes } = plain;
    let kind = kind.as_ref();
    let of_piece = kind.is_some_and(|kind| kind.pieces(referee).is_some());
    let mut illegal = None;
    for reading in [Reading::Exact, Reading::Whole, Reading::Any] {
        if reading == Reading::Any && (!part || reading.allowed(referee, legal) != reading) {
            break;
        }
        match typed::read_as_written(referee, position, legal, text, reading)? {
            Ok(found) => return best(referee, facts, std::slice::from_ref(&found.term), None),
            Err(Miss::Unknown(_)) => {}
            Err(miss) => {
                let sources = &referee.game.program.sources;
                return Err(rule_error(sources, miss.diagnostic(text)));
            }
        }
        let mut terms = match reading {
            Reading::Exact => written(referee, facts, text)?,
            _ => Vec::new(),
        };
        let aliased = match reading {
            Reading::Exact if !terms.is_empty() => by_alias(referee, facts, text)?,
            _ => Vec::new(),
        };
        // what begins with the piece that the text names
        let begins = || {
            let first = sites_in(referee, text).first().copied();
            let name = first.map(|site| referee.game.program.values.show(site));
            let held = name.and_then(|name| held(referee, facts, &name));
            kind.is_none_or(|kind| {
                let pieces = kind.pieces(referee);
                pieces.is_some_and(|(pieces, _)| held.is_some_and(|held| pieces.contains(&held)))
            })
        };
        if terms.is_empty() {
            if illegal.is_none() {
                let mut made = Illegal::new(referee, position, legal, text, kind)?;
                made.takes = *takes;
                illegal = Some(made);
            }
            if let Some(illegal) = &illegal {
                terms = illegal.read(referee, position, text, reading)?;
            }
        }
        terms.retain(|term| has_steps(legal, term));
        terms.retain(|term| kind.is_none_or(|kind| kind.fits(referee, facts, term)));
        // the name of a move that can be made in no position may be another one's too: `e1-g1` of castling
        if !aliased.is_empty() && begins() {
            terms.extend(aliased.into_iter().filter(|term| legal.iter().all(|n| n.term != *term)));
        }
        // equal sites name a legal move before they name one of another form that is not legal
        if reading == Reading::Exact
            && !terms.is_empty()
            && !ways::has_sign(text)
            && let Ok(found) =
                typed::read_as_written(referee, position, legal, text, Reading::Whole)?
        {
            return best(referee, facts, std::slice::from_ref(&found.term), None);
        }
        // a capture told by numbers: the same by its sites, which paths are made of
        if ways::has_sign(text)
            && let Some(sites) = terms.iter().find_map(|term| sites_of_numbers(referee, text, term))
            && let Some(found) = moved(referee, (position, facts), legal, &sites, part)?
        {
            return Ok(Some(found));
        }
        let filled = illegal.as_ref().filter(|i| terms.iter().all(|term| i.is_filled(term)));
        if let Some(meant) = best(referee, facts, &terms, filled)? {
            let meant = by_other_name(referee, facts, legal, meant)?;
            if reading == Reading::Exact
                && let Some(nearer) = nearer(referee, (position, facts), legal, text, &meant)?
            {
                return Ok(Some(nearer));
            }
            if reading == Reading::Exact
                && let Some(told) = held_site(referee, facts, legal, text, &meant)
            {
                return Ok(Some(told));
            }
            // of all legal moves none leads to a site, and not only of those that the text leaves open
            let all = kind.is_none() && !legal.is_empty();
            if all && let Some(own) = own_at_target(referee, facts, text, &meant) {
                return Ok(Some(own));
            }
            let of_site = match &illegal {
                // the site behind the name of a piece is where it goes
                Some(illegal) if reading == Reading::Any && !of_piece => {
                    of_site(referee, facts, illegal, (text, all), &meant)?
                }
                _ => None,
            };
            return Ok(Some(of_site.unwrap_or(meant)));
        }
    }
    // a path of more sites than a move has: its first step
    if part && let Some((names, sign)) = path_of_sites(referee, text) {
        let meant = moved(referee, (position, facts), legal, &names[..2].join(sign), false)?;
        if let Some(meant) = meant.filter(|(_, told)| !told.holds) {
            return Ok(Some(meant));
        }
    }
    if part && let Some(path) = path_of_numbers(referee, facts, text.trim()) {
        return moved(referee, (position, facts), legal, &path, false);
    }
    Ok(None)
}

/// The move that a text means, or another one that is called as this one is, where this one can be made in no position:
/// `e1-g1` of castling.
fn by_other_name(
    referee: &Referee<'_>,
    facts: &Facts,
    legal: &[Named],
    (term, told): Meant,
) -> Result<Meant, Stop> {
    if !told.is_impossible() {
        return Ok((term, told));
    }
    // a rule error in a notation is none of this reason
    let name = referee.notation(facts, &term).unwrap_or_default();
    let mut terms = by_alias(referee, facts, &name)?;
    terms.retain(|other| *other != term && legal.iter().all(|n| n.term != *other));
    if terms.is_empty() {
        return Ok((term, told));
    }
    terms.insert(0, term.clone());
    Ok(best(referee, facts, &terms, None)?.unwrap_or((term, told)))
}
