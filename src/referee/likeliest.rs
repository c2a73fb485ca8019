//! The move that a typed text means, legal or not, with its explanation: of several the one that was meant most likely.

use std::cmp::Ordering;

use crate::board::{Board, SiteId};
use crate::explain::{Cause, Explanation, Reason};
use crate::reference::Facts;
use crate::syntax::{Term, TermKind, print_term};

use super::captures;
use super::chains::Chains;
use super::meant::{
    Illegal, MOST_MEANT, begins_own, by_alias, is_chance, is_held, is_possible, names_sites, owned,
    path_of_sites, site_named, sites_in, too_many_sites, written,
};
use super::pieces;
use super::plainer::{Plainer, going_on, held, names_another, readings, without_remarks};
use super::shorthand::{has_drop, signs};
use super::typed::{self, Miss, Named, Reading};
use super::unread::{is_site, strange_sites, without_strange};
use super::{Position, Referee, Stop, rule_error};

/// The most moves from one site that are asked about.
const MOST_BEGUN: usize = 40;

/// A move that a text means, and its explanation.
pub type Meant = (Term, Explanation);

/// The move that a text means, explained; the legal one that would be played goes before. Unless `part`, a text that is
/// only a part of a move's name means none.
///
/// # Errors
/// It can mean several legal moves; or a rule error.
pub fn moved(
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
    if part && let Some(told) = pieces::at_target(referee, facts, text) {
        return Ok(Some(told));
    }
    if part && let Some(told) = captures::none_of_kinds(referee, facts, legal, text) {
        return Ok(Some(told));
    }
    let reading = if part { Reading::Any } else { Reading::Whole };
    match typed::read(referee, position, legal, text, reading)? {
        Ok(found) => return best(referee, facts, std::slice::from_ref(&found.term), None),
        Err(Miss::Unknown(_)) => {}
        Err(miss) => {
            let sources = &referee.game.program.sources;
            return Err(rule_error(sources, miss.diagnostic(text)));
        }
    }
    // a site that is none is told before what else may be wrong; the pieces' letters of other notations look like sites
    let plain = referee.rules.styles().is_empty() || is_site(text);
    if part && plain && !strange_sites(referee, text).is_empty() {
        return Ok(None);
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
    if !is_chance(referee, legal)
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
        if let Some(told) = pieces::another(referee, facts, text, &plain) {
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
    // words that name nothing beside sites: `horse d2 e5`
    let plain = without_strange(referee, legal, text);
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

/// Whether what stands where a move begins is the reason that it is not legal.
fn begins_blamed(referee: &Referee<'_>, told: &Explanation) -> bool {
    let from = sites_in(referee, &told.subject).first().copied();
    let from = from.map(|site| referee.game.program.values.show(site));
    from.is_some() && told.blamed.iter().eq(from.iter())
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
        if reading == Reading::Any && !part {
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
            && !typed::has_sign(text)
            && let Ok(found) =
                typed::read_as_written(referee, position, legal, text, Reading::Whole)?
        {
            return best(referee, facts, std::slice::from_ref(&found.term), None);
        }
        // a capture told by numbers: the same by its sites, which paths are made of
        if typed::has_sign(text)
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
    // a path of numbers, whose sites are found two by two
    if part && let Some(path) = path_of_numbers(referee, position, text.trim())? {
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

/// What a text means as the target of a move, where it is the name of a move of a form that has no legal move now, and
/// the other one lacks less.
fn nearer(
    referee: &Referee<'_>,
    (position, facts): (&Position, &Facts),
    legal: &[Named],
    text: &str,
    (term, told): &Meant,
) -> Result<Option<Meant>, Stop> {
    let due = legal.iter().any(|n| n.term.form() == term.form());
    if due || legal.is_empty() || told.cause != Cause::Goal || sites_in(referee, text).len() != 1 {
        return Ok(None);
    }
    let illegal = Illegal::new(referee, position, legal, text, None)?;
    let is_due = |other: &Term| legal.iter().any(|n| n.term.form() == other.form());
    let said = site_named(referee, text).map(|site| referee.game.program.values.show(site));
    let mut terms = match said {
        // a clause of which nothing holds, and a reason that is about another site than the text names, are none of
        // what was meant
        Some(said)
            if told.reached == 0 || !told.blamed.is_empty() && !told.blamed.contains(&said) =>
        {
            illegal.ended(&said).cloned().collect()
        }
        _ => illegal.read(referee, position, text, Reading::Any)?,
    };
    terms.retain(is_due);
    let other = best(referee, facts, &terms, Some(&illegal))?;
    Ok(other.filter(|(_, other)| other.cause == Cause::Goal && other.reached > told.reached))
}

/// What is said of a text that is one site on which something stands, where moves of the form that it names are not due:
/// what stands there, in place of whose turn such a move would be. `None` where a legal move has the site, or where what
/// the turn asks for is told.
fn held_site(
    referee: &Referee<'_>,
    facts: &Facts,
    legal: &[Named],
    text: &str,
    (term, told): &Meant,
) -> Option<Meant> {
    let site = site_named(referee, text)?;
    let name = referee.game.program.values.show(site);
    let due = legal.iter().any(|n| n.term.form() == term.form());
    let named = legal.iter().any(|n| sites_in(referee, &n.text).contains(&site));
    let asked = told.short.contains(" is not legal now: ");
    let about = told.blamed.contains(&name);
    if due || named || asked || about || legal.is_empty() || told.cause != Cause::Goal {
        return None;
    }
    held(referee, facts, &name)?;
    let stands = referee.rules.contents_in_words(facts, site)?;
    let reason = format!("{stands}, and no legal move leads there");
    let told = Explanation { blamed: vec![name.clone()], rule: None, ..told.clone() };
    Some((term.clone(), for_site(told, name, reason)))
}

/// The explanation of the steps of a text up to the first that no legal move has behind those before it.
fn first_wrong(
    referee: &Referee<'_>,
    facts: &Facts,
    legal: &[Named],
    chains: &Chains,
    text: &str,
) -> Result<Option<Meant>, Stop> {
    let Some(wrong) = chains.first_wrong(referee, legal) else { return Ok(None) };
    if !is_possible(referee, &wrong.term) {
        return Ok(None);
    }
    let Some((term, mut told)) = best(referee, facts, &[wrong.term], None)? else {
        return Ok(None);
    };
    // a step that is made by itself is only too much
    if let Some(behind) = wrong.behind.filter(|_| told.cause == Cause::Goal) {
        let text = format!("no legal move has {} after {behind}", wrong.step);
        told.short = format!("`{}` is not legal: {text}.", told.subject);
        told.reason = Some(Reason { facts: text.clone(), whole: text });
    }
    Ok(Some((term, also_called(text, told))))
}

/// Whether a text is one move after the other: its first word is a legal move. If that is a site alone, the move does not
/// begin there, and nothing stands there that the other words could move.
fn are_several(
    referee: &Referee<'_>,
    (position, facts): (&Position, &Facts),
    legal: &[Named],
    text: &str,
) -> Result<bool, Stop> {
    let text = without_remarks(referee, text);
    let Some((first, _)) = text.split_once(' ') else { return Ok(false) };
    let Ok(found) = typed::read(referee, position, legal, first, Reading::Exact)? else {
        return Ok(false);
    };
    let Some(site) = site_named(referee, first) else { return Ok(true) };
    let begins = found.term.functor().and_then(|(_, args)| args.first().map(print_term));
    let elsewhere = begins.is_some_and(|begins| begins != first.to_lowercase());
    Ok(elsewhere && !is_held(referee, facts, &[site]))
}

/// What is said of a text that is one site, where a piece of the player's stands and the move that ends there would be
/// another player's.
fn own_at_target(
    referee: &Referee<'_>,
    facts: &Facts,
    text: &str,
    (term, told): &Meant,
) -> Option<Meant> {
    let site = site_named(referee, text)?;
    let name = referee.game.program.values.show(site);
    let (piece, turn) = held(referee, facts, &name).zip(facts.turn())?;
    if !owned(referee, piece, turn)
        || !begins_blamed(referee, told)
        || begins_own(referee, facts, term)
    {
        return None;
    }
    let stands = referee.rules.contents_in_words(facts, site)?;
    let reason = format!("{stands}, and no legal move leads there");
    let told = Explanation { blamed: vec![name.clone()], rule: None, ..told.clone() };
    Some((term.clone(), for_site(told, name, reason)))
}

/// An explanation of a text that is one site, with another reason.
fn for_site(told: Explanation, name: String, reason: String) -> Explanation {
    Explanation {
        short: format!("`{name}` is not legal: {reason}."),
        reason: Some(Reason { facts: reason.clone(), whole: reason }),
        subject: name,
        ..told
    }
}

/// What is said of a text that is one site, where what stands there forbids every move from it: that, in place of a
/// move that says more than the text. So it is where the text leaves open no site, or where the move that it may mean
/// as its end can be made in no position. `all`: no legal move at all ends there.
fn of_site(
    referee: &Referee<'_>,
    facts: &Facts,
    illegal: &Illegal,
    (text, all): (&str, bool),
    (term, told): &Meant,
) -> Result<Option<Meant>, Stop> {
    let Some(site) = site_named(referee, text) else { return Ok(None) };
    let name = referee.game.program.values.show(site);
    // of several pieces none can ever go there, and which of them was meant is not said
    if all
        && told.is_impossible()
        && !illegal.filled(referee, term).is_empty()
        && illegal.ended(&name).filter(|term| begins_own(referee, facts, term)).nth(1).is_some()
        && held(referee, facts, &name).is_none()
        && let Some(reason) = &told.reason
    {
        let reason = format!("no legal move leads there; {}", reason.facts);
        return Ok(Some((term.clone(), for_site(told.clone(), name, reason))));
    }
    let open = illegal.is_filled(term) && illegal.filled(referee, term).is_empty();
    let never = told.is_impossible() && is_held(referee, facts, &[site]);
    if !open && !never {
        return Ok(None);
    }
    for term in illegal.begun(&name).take(MOST_BEGUN) {
        let told = referee.rules.why_move(facts, term).map_err(|e| referee.stopped(e))?;
        let Some(reason) = told.reason.clone().filter(|_| told.blamed == [name.clone()]) else {
            continue;
        };
        let mut short = format!("`{name}` is not legal: {}.", reason.facts);
        // of a move the site may as well be the end
        if let Some(stands) = (all && names_end(referee, term))
            .then(|| referee.rules.contents_in_words(facts, site))
            .flatten()
        {
            short = format!("`{name}` is not legal: {stands}, and no legal move leads there.");
        }
        return Ok(Some((term.clone(), Explanation { subject: name.clone(), short, ..told })));
    }
    // the player's own piece, which cannot move
    let begun: Vec<Term> = illegal.begun(&name).take(MOST_BEGUN).cloned().collect();
    let nearest = if never { best(referee, facts, &begun, None)? } else { None };
    Ok(nearest.filter(|(_, told)| !told.is_impossible()))
}

/// Whether a move names two sites, from which and to which it leads.
fn names_end(referee: &Referee<'_>, term: &Term) -> bool {
    sites_in(referee, &print_term(term)).len() > 1
}

/// Whether a move that is a list consists of steps as legal moves of its form do: `off` is none where `6/off` is one.
fn has_steps(legal: &[Named], term: &Term) -> bool {
    fn items(term: &Term) -> impl Iterator<Item = &Term> {
        let args = term.functor().map_or(&[][..], |(_, args)| args);
        let lists = args.iter().filter_map(|arg| match &arg.kind {
            TermKind::List(items, None) => Some(items),
            _ => None,
        });
        lists.flatten()
    }
    let is_step = |item: &Term| item.functor().is_some_and(|(_, args)| !args.is_empty());
    let same = legal.iter().filter(|n| n.term.form() == term.form());
    let steps = same.flat_map(|n| items(&n.term)).next().is_some_and(is_step);
    !steps || items(term).all(is_step)
}

/// The path of a capture that a text tells by more than two numbers, by its sites; `None` where it is no such text.
fn path_of_numbers(
    referee: &Referee<'_>,
    position: &Position,
    text: &str,
) -> Result<Option<String>, Stop> {
    let numbers: Vec<&str> = text.split(|c: char| !c.is_ascii_digit()).collect();
    let signs = text.chars().all(|c| c.is_ascii_digit() || "-x:× ".contains(c));
    if numbers.len() < 3 || !signs || numbers.iter().any(|number| number.is_empty()) {
        return Ok(None);
    }
    let mut path: Vec<String> = Vec::new();
    for pair in numbers.windows(2) {
        let step = format!("{}-{}", pair[0], pair[1]);
        let made = Illegal::new(referee, position, &[], &step, None)?;
        let terms = made.read(referee, position, &step, Reading::Whole)?;
        let Some(sites) = terms.iter().find_map(|term| sites_of_numbers(referee, &step, term))
        else {
            return Ok(None);
        };
        let skipped = usize::from(!path.is_empty());
        path.extend(sites.split('x').skip(skipped).map(str::to_string));
    }
    Ok(Some(path.join("-")))
}

/// The sites of a move that a text tells by numbers alone, as a capture; `None` where it has fewer than two.
fn sites_of_numbers(referee: &Referee<'_>, text: &str, term: &Term) -> Option<String> {
    let (_, args) = term.functor()?;
    let board = referee.view.board.as_ref()?;
    let named: Vec<String> = args.iter().map(print_term).collect();
    let sites = named.iter().all(|name| board.sites().any(|(_, site)| site.name == *name));
    let numbers = text.chars().all(|c| !c.is_alphabetic() || c == 'x');
    let apart = named.first().is_some_and(|name| name.contains(char::is_alphabetic));
    (numbers && sites && apart && named.len() > 1).then(|| named.join("x"))
}

/// An explanation of an illegal move that was typed by numbers, or by sites that its name has not, which says both names.
pub fn by_both_names(referee: &Referee<'_>, text: &str, told: Explanation) -> Explanation {
    let numbers = !text.contains(|c: char| c.is_alphabetic() && c != 'x')
        && told.subject.contains(char::is_alphabetic);
    let (typed, named) = (sites_in(referee, text), sites_in(referee, &told.subject));
    let others = typed.iter().any(|site| !named.contains(site));
    if numbers || others { also_called(text, told) } else { told }
}

/// An explanation of an illegal move that says beside its name the text by which it was typed.
fn also_called(text: &str, mut told: Explanation) -> Explanation {
    let subject = format!("`{}`", told.subject);
    let said = told.short.contains(&format!("`{text}`"));
    if !told.holds && told.subject != text && !said {
        told.short = told.short.replacen(&subject, &format!("`{text}` ({subject})"), 1);
    }
    told
}

/// The move that was meant most likely, explained; `filled`: the moves say more than the text.
pub fn best(
    referee: &Referee<'_>,
    facts: &Facts,
    terms: &[Term],
    filled: Option<&Illegal>,
) -> Result<Option<Meant>, Stop> {
    let mut best: Vec<Meant> = Vec::new();
    let mut all: Vec<Meant> = Vec::new();
    // what all the moves have in common the text says, perhaps by another name
    let mut common = Vec::new();
    if let (Some(filled), [first, rest @ ..]) = (filled, terms)
        && !rest.is_empty()
    {
        common = filled.filled(referee, first);
        for other in rest {
            let sites = filled.filled(referee, other);
            common.retain(|site| sites.contains(site));
        }
    }
    let open = |filled: &Illegal, term: &Term| {
        let mut sites = filled.filled(referee, term);
        sites.retain(|site| !common.contains(site));
        sites
    };
    // of two moves with one name, of which one is the player's and the other one the opponent's, the player's is meant
    let own = |term: &Term| filled.is_none() && begins_own(referee, facts, term);
    let of_mover = terms.len() > 1 && terms.iter().any(own);
    for term in terms {
        let told = referee.rules.why_move(facts, term).map_err(|e| referee.stopped(e))?;
        all.push((term.clone(), told));
    }
    // so it is where they begin on two sites, and the player's fails for another reason than the turn
    let begins = |term: &Term| match term.functor().and_then(|(_, args)| args.first()) {
        Some(Term { kind: TermKind::List(items, None), .. }) => items.first().map(print_term),
        first => first.map(print_term),
    };
    let of_another = |term: &Term, told: &Explanation| {
        let mine = |(other, told): &Meant| {
            told.cause == Cause::Goal && told.reached > 0 && begins(other) != begins(term)
        };
        filled.is_none() && told.cause == Cause::Turn && all.iter().any(mine)
    };
    for (term, told) in &all {
        let order = match best.first() {
            None => Ordering::Less,
            Some((other, b)) => match filled {
                Some(filled) => {
                    let target = filled.target(referee);
                    let key = |term: &Term, told: &Explanation| {
                        let (cause, own, far) = told.order_filled(&open(filled, term));
                        // of the pieces that could capture on a site the one that could if something stood there
                        let elsewhere = target.is_some() && !told.blamed.iter().eq(target.iter());
                        (cause, own, elsewhere, far)
                    };
                    key(term, told).cmp(&key(other, b))
                }
                None => {
                    let key = |term: &Term, told: &Explanation| {
                        let theirs = of_mover && told.cause == Cause::Turn && !own(term)
                            || of_another(term, told);
                        let (cause, lacks, ..) = told.order();
                        let short = told.is_impossible() && is_short_path(referee, term, told);
                        (theirs, (cause, lacks, short), told.order())
                    };
                    key(term, told).cmp(&key(other, b))
                }
            },
        };
        if order == Ordering::Less {
            best.clear();
        }
        if order != Ordering::Greater {
            best.push((term.clone(), told.clone()));
        }
    }
    // of two pieces that the text may mean, and that fail alike, neither is chosen
    if let [(term, one), (_, two)] = best.as_slice()
        && filled.is_some()
        && let Some(told) = neither(one, two)
    {
        return Ok(Some((term.clone(), told)));
    }
    if let Some(filled) = filled
        && let Some(told) = none_of(referee, facts, filled, terms, &best)
    {
        return Ok(Some((best[0].0.clone(), told)));
    }
    // the opponent could go there, but most likely the player who types means a piece of his own
    if let [(_, told)] = best.as_slice()
        && let Some(filled) = filled.filter(|_| told.cause == Cause::Turn)
    {
        let own = all.iter().filter(|(term, told)| {
            let other = told.order_filled(&open(filled, term)).1;
            told.cause == Cause::Goal && !other && told.reached > 0
        });
        let nearest = own.min_by_key(|(term, told)| {
            (told.order_filled(&open(filled, term)), length(referee, term))
        });
        if let Some(mine) = nearest.filter(|(_, own)| own.reason.is_some()) {
            return Ok(Some(mine.clone()));
        }
    }
    // of many that fail alike the shortest way was meant
    let impossible = best.iter().all(|(_, told)| told.is_impossible());
    let mine = || best.iter().all(|(term, _)| begins_own(referee, facts, term));
    if filled.is_some() && (impossible || best.len() > 2 && mine()) {
        best.sort_by_key(|(term, _)| length(referee, term));
    }
    Ok(best.into_iter().next())
}

/// How far apart the first and the last site of a move are on the board, squared; 0 where it has no two sites.
fn length(referee: &Referee<'_>, term: &Term) -> i64 {
    let names: Vec<String> =
        term.functor().map(|(_, args)| args.iter().map(print_term).collect()).unwrap_or_default();
    let Some(board) = &referee.view.board else { return 0 };
    let place = |name: &String| board.sites().find(|(_, site)| site.name == *name);
    let places: Vec<SiteId> = names.iter().filter_map(place).map(|(id, _)| id).collect();
    match places.as_slice() {
        [from, .., to] => apart(board, *from, *to),
        _ => 0,
    }
}

/// The distance of two sites as they are drawn, squared.
fn apart(board: &Board, from: SiteId, to: SiteId) -> i64 {
    let (from, to) = (board.site(from), board.site(to));
    (from.x - to.x).pow(2) + (from.y - to.y).pow(2)
}

/// Whether a move is a path between two sites that lie side by side or aslant of one another: where another form of
/// move has the same notation, that was meant.
fn is_short_path(referee: &Referee<'_>, term: &Term, told: &Explanation) -> bool {
    let Some(board) = &referee.view.board else { return false };
    let args = term.functor().map_or(&[][..], |(_, args)| args);
    if !args.iter().any(|arg| matches!(arg.kind, TermKind::List(..))) {
        return false;
    }
    let sites = sites_in(referee, &told.subject);
    let ids: Vec<SiteId> = sites.iter().filter_map(|site| board.find(*site)).collect();
    let [from, to] = ids.as_slice() else { return false };
    let nearby = |(id, _)| board.neighbours(id).into_iter().map(move |other| (id, other));
    let shortest = board.sites().flat_map(nearby).map(|(a, b)| apart(board, a, b)).min();
    shortest.is_some_and(|shortest| apart(board, *from, *to) <= 2 * shortest)
}

/// That no piece goes to the site that a text names, where the moves of several fail alike and none of them is shorter
/// than the others; `None` where one is, or the text names something else.
fn none_of(
    referee: &Referee<'_>,
    facts: &Facts,
    filled: &Illegal,
    terms: &[Term],
    best: &[Meant],
) -> Option<Explanation> {
    let (_, told) = best.first().filter(|_| best.len() > 2)?;
    let ends = |term: &Term| term.functor().and_then(|(_, args)| args.last()).map(print_term);
    let target = ends(&best[0].0)?;
    let is_site = site_named(referee, &target).is_some();
    let same = |(term, told): &Meant| {
        told.cause == Cause::Goal
            && ends(term).as_ref() == Some(&target)
            && !filled.filled(referee, term).contains(&target)
    };
    let shortest = best.iter().map(|(term, _)| length(referee, term)).min();
    let nearest = best.iter().filter(|(term, _)| Some(length(referee, term)) == shortest);
    if !is_site || !best.iter().all(same) || nearest.count() < 2 {
        return None;
    }
    let first = told.reason.as_ref()?;
    let alike = best.iter().all(|(_, t)| t.reason.as_ref().is_some_and(|r| r.facts == first.facts));
    let own = terms.iter().filter(|term| begins_own(referee, facts, term)).count();
    let reason = match alike {
        true => first.facts.clone(),
        false if own == 0 || terms.len() >= MOST_MEANT => return None,
        false => format!("none of the {own} pieces that can be meant goes to {target}"),
    };
    Some(Explanation {
        subject: target.clone(),
        short: format!("`{target}` is not legal: {reason}."),
        reason: Some(Reason { facts: reason.clone(), whole: reason }),
        ..told.clone()
    })
}

/// That neither of two moves is legal; `None` where they have one name, or another cause than a goal that fails.
fn neither(one: &Explanation, two: &Explanation) -> Option<Explanation> {
    let (first, second) = (one.reason.as_ref()?, two.reason.as_ref()?);
    let alike = first.facts == second.facts;
    let nor = match alike {
        // the goal that a reason comes from tells nothing new
        true => format!("Nor is `{}`.", two.subject),
        false => format!("Nor is `{}`: {}.", two.subject, second.whole),
    };
    let (before, rule) = match one.rule == two.rule || alike {
        true => (one.short.clone(), &one.rule),
        false => (one.sentences(), &two.rule),
    };
    let told = Explanation { short: format!("{before} {nor}"), rule: rule.clone(), ..one.clone() };
    (one.subject != two.subject).then_some(told)
}
