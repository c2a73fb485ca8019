//! What is said of a text that is one site.

use crate::explain::{Cause, Explanation, Reason};
use crate::reference::Facts;
use crate::syntax::{Term, print_term};

use super::kinds::held;
use super::likeliest::{Meant, begins_blamed};
use super::meant::Illegal;
use super::naming::Named;
use super::nearest::best;
use super::owners::{begins_own, has_owner, owned};
use super::typed::Reading;
use super::values::{is_held, site_named, sites_in};
use super::{Position, Referee, Stop};

/// The most moves from one site that are asked about.
const MOST_BEGUN: usize = 40;

/// What a text means as the target of a move, where it is the name of a move of a form that has no legal move now, and
/// the other one lacks less.
pub(super) fn nearer(
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
    // what is not put on a site any more need not go to where something stands
    if told.due && names_one(term) && is_taken(referee, facts, text) {
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
/// what stands there, in place of whose turn such a move would be, and beside what the turn asks for. `None` where a legal move has
/// the site.
pub(super) fn held_site(
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
    let about = told.blamed.contains(&name);
    if due || named || about || legal.is_empty() || told.cause != Cause::Goal {
        return None;
    }
    held(referee, facts, &name)?;
    let stands = referee.rules.contents_in_words(facts, site)?;
    let placed = told.due && names_one(term) && is_taken(referee, facts, text);
    if let Some(reason) = told.reason.as_ref().filter(|_| placed) {
        let whole = format!("{stands}; {}", reason.facts);
        let short = format!("`{name}` is not legal now: {whole}.");
        let told = for_site(told.clone(), name.clone(), whole);
        return Some((term.clone(), Explanation { short, blamed: vec![name], ..told }));
    }
    if told.due {
        return None;
    }
    let reason = format!("{stands}, and no legal move leads there");
    let told = Explanation { blamed: vec![name.clone()], rule: None, ..told.clone() };
    Some((term.clone(), for_site(told, name, reason)))
}

/// Whether a move names one value alone, as one does that puts something on a site.
fn names_one(term: &Term) -> bool {
    term.functor().is_some_and(|(_, args)| args.len() == 1)
}

/// Whether a player's piece stands on the site that a text names.
fn is_taken(referee: &Referee<'_>, facts: &Facts, text: &str) -> bool {
    let site = site_named(referee, text).map(|site| referee.game.program.values.show(site));
    let piece = site.and_then(|name| held(referee, facts, &name));
    piece.is_some_and(|piece| has_owner(referee, piece))
}

/// What is said of a text that is one site, where a piece of the player's stands and the move that ends there would be
/// another player's.
pub(super) fn own_at_target(
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
pub(super) fn of_site(
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
