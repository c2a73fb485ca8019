//! Of several moves, legal or not, that a text can mean the one that comes nearest to being legal.

use std::cmp::Ordering;

use crate::board::{Board, SiteId};
use crate::explain::{Cause, Explanation, Reason};
use crate::reference::Facts;
use crate::syntax::{Term, TermKind, print_term};

use super::kinds::held;
use super::likeliest::Meant;
use super::meant::{Illegal, MOST_MEANT};
use super::owners::begins_own;
use super::values::{site_named, sites_in};
use super::{Referee, Stop};

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
                        // of the pieces that could capture on a site the one that could if something stood there, and where
                        // something does, not one that is blocked by it
                        let there = target
                            .as_ref()
                            .is_some_and(|site| held(referee, facts, site).is_some());
                        let blames = told.blamed.iter().eq(target.iter());
                        let goes = sites_in(referee, &print_term(term)).len() > 1;
                        let elsewhere = target.is_some() && blames == (there && goes);
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
