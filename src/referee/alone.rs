//! The name of a form of move without what it takes: `castle` for `castle(king_side)`.

use crate::diagnostic::{listed, nearest};
use crate::explain::{Cause, Explanation};
use crate::reference::Facts;
use crate::syntax::{Term, TermKind, print_term};

use super::events::{is_chance, is_event};
use super::made::made_of;
use super::naming::{Named, natural};
use super::typed::only_of_form;
use super::{Referee, Stop};

/// The most moves that are named.
const TOLD: usize = 8;
/// Of more moves than this, of which none is legal, none is explained.
const FEW: usize = 4;
/// Of more moves of one form no common reason is looked for.
const COMPARED: usize = 200;

/// What is said of a text that names a form of move alone, or nearly so: the legal moves of that form, or why none of
/// a few is legal. `None` where it is no such text.
///
/// # Errors
/// A rule error.
pub fn alone(
    referee: &Referee<'_>,
    facts: &Facts,
    legal: &[Named],
    term: &Term,
    nearly: bool,
) -> Result<Option<Explanation>, Stop> {
    let TermKind::Atom(typed) = &term.kind else { return Ok(None) };
    let forms = referee.rules.move_forms();
    let names = || forms.iter().map(|(name, _, _)| name.as_str());
    let near =
        if nearly { nearest(typed, names()) } else { names().find(|name| *name == &**typed) };
    let Some(name) = near else { return Ok(None) };
    if forms.iter().any(|(form, arity, _)| form == name && *arity == 0) {
        return Ok(None);
    }
    let is_form = |term: &Term| term.functor().is_some_and(|(form, _)| form == name);
    let open = format!("`{typed}` alone does not say which");
    let mut named: Vec<String> =
        legal.iter().filter(|n| is_form(&n.term)).map(|n| n.notation.clone()).collect();
    if let Some(only) = only_of_form(referee, legal, name) {
        let told = referee.rules.why_move(facts, &only.term);
        return told.map(Some).map_err(|error| referee.stopped(error));
    }
    if !named.is_empty() {
        named.sort_by_cached_key(|name| natural(name));
        return Ok(Some(told(
            typed,
            match named.as_slice() {
                [one] => format!("{open}: if {one} is meant, write that."),
                few if few.len() <= TOLD => format!("{open}: write {}.", listed(few, "or")),
                many => format!(
                    "{open}: write one of {} and {} more.",
                    many[..TOLD].join(", "),
                    many.len() - TOLD
                ),
            },
        )));
    }
    let (_, made) = made_of(referee, "");
    let mut moves: Vec<Term> = made.into_iter().filter(is_form).collect();
    moves.sort_by_key(print_term);
    // what is due is told in place of moves of a kind that is not
    if is_chance(referee, legal) {
        return match moves.first() {
            Some(first) if !is_event(referee, first) => {
                referee.rules.why_move(facts, first).map(Some).map_err(|e| referee.stopped(e))
            }
            _ => Ok(None),
        };
    }
    if moves.is_empty() || moves.len() > FEW {
        if let Some(reason) = common_reason(referee, facts, &moves)? {
            return Ok(Some(told(typed, format!("`{typed}` is not legal: {reason}."))));
        }
        let prompts = referee.rules.prompts(facts);
        let due = prompts.map(|prompts| prompts.to_mover).unwrap_or_default();
        let short = match due.is_empty() {
            true => format!("{open}, and there is no legal move of this kind now."),
            false => format!("`{typed}` is not legal now: {}.", due.join("; ")),
        };
        return Ok(Some(told(typed, short)));
    }
    let mut names = Vec::new();
    let mut reasons = Vec::new();
    for mv in &moves {
        names.push(referee.notation(facts, mv)?);
        reasons.push(referee.rules.why_move(facts, mv).map_err(|error| referee.stopped(error))?);
    }
    let which = listed(&names, "or");
    Ok(Some(told(typed, format!("{open}, {which}. {}", Explanation::in_a_row(&reasons)))))
}

/// The reason why none of many moves of a form is legal, where all of them have one and the same.
fn common_reason(
    referee: &Referee<'_>,
    facts: &Facts,
    moves: &[Term],
) -> Result<Option<String>, Stop> {
    let mut common: Option<String> = None;
    for mv in moves.iter().take(COMPARED) {
        let told = referee.rules.why_move(facts, mv).map_err(|error| referee.stopped(error))?;
        let reason = told.reason.filter(|_| told.cause == Cause::Goal && !told.due);
        let Some(reason) = reason else { return Ok(None) };
        if common.get_or_insert_with(|| reason.facts.clone()) != &reason.facts {
            return Ok(None);
        }
    }
    Ok(common.filter(|_| moves.len() <= COMPARED))
}

fn told(subject: &str, short: String) -> Explanation {
    Explanation { short, cause: Cause::Form, ..Explanation::of(subject.to_string()) }
}
