//! Lines of moves that a search has found, in terms and in words.

use crate::engine::{Candidate, Fault, FaultKind, Look, Session, State, Walk};
use crate::syntax::Term;

use super::alphabeta::{DECIDED, Line, WIN, share};
use super::{Advice, Choice, Request};

/// The keys and terms of the moves to choose among.
pub(super) fn first_terms(
    session: &mut Session<'_>,
    question: &Request<'_>,
) -> Result<Vec<(u64, Term)>, Fault> {
    let mut walk = session.walk(question.state);
    let mut first = Vec::new();
    if walk.look()? != Look::Moves {
        return Ok(first);
    }
    let mut list: Vec<Candidate> = Vec::new();
    walk.candidates(&mut list);
    for candidate in list {
        let term = walk.term(candidate);
        // a candidate may not be legal
        if question.allows(&term) && walk.make(candidate)? {
            walk.unmake();
            first.push((candidate.key, term));
        }
    }
    Ok(first)
}

/// The moves with these keys; the first one alone where the work is interrupted, or leads nowhere.
pub(super) fn line_of(
    session: &mut Session<'_>,
    state: &State,
    keys: &[u64],
    first: &[(u64, Term)],
) -> Result<Vec<Term>, Fault> {
    let found = terms(&mut *session.walk(state), keys);
    let alone = || {
        let known = first.iter().find(|(key, _)| keys.first() == Some(key));
        Ok(known.map(|(_, term)| term.clone()).into_iter().collect())
    };
    match found {
        Err(fault) if fault.kind == FaultKind::Interrupted => alone(),
        Ok(moves) if moves.is_empty() => alone(),
        found => found,
    }
}

/// The most moves of a line that are told.
pub(super) const LONGEST_LINE: usize = 12;

/// The moves with these keys, one after the other. The walk is left where they lead to.
pub(super) fn terms(walk: &mut dyn Walk, keys: &[u64]) -> Result<Vec<Term>, Fault> {
    let mut terms = Vec::new();
    let mut list: Vec<Candidate> = Vec::new();
    for key in keys.iter().take(LONGEST_LINE) {
        if matches!(walk.look()?, Look::Over(_)) {
            break;
        }
        list.clear();
        walk.candidates(&mut list);
        let Some(candidate) = list.iter().find(|candidate| candidate.key == *key) else { break };
        let term = walk.term(*candidate);
        if !walk.make(*candidate)? {
            break;
        }
        terms.push(term);
    }
    Ok(terms)
}

/// A line as a choice.
pub(super) fn choice(
    line: &Line,
    moves: Vec<Term>,
    (alternatives, players): (usize, usize),
    nodes: u64,
    question: &Request<'_>,
) -> Option<Choice> {
    let term = moves.first().cloned()?;
    let plies = WIN - line.value.abs();
    // there may be a shorter way, which the search has passed over
    let when = match plies {
        1 => "at once".to_string(),
        _ => format!("within {plies} plies"),
    };
    let result = match line.value {
        _ if alternatives == 1 && question.among.is_empty() => "the only move".to_string(),
        value if value > DECIDED => format!("wins {when}"),
        // the search takes all others to play against the one who asks
        value if value < -DECIDED && players > 2 => {
            format!("loses {when} if all others play together")
        }
        value if value < -DECIDED => format!("loses {when}"),
        value => {
            format!("{:.0} %, {} plies deep, {nodes} positions", share(value) * 100.0, line.depth)
        }
    };
    let reason = worded(reason_given(question.advice, &term), Some(result));
    let expected = Some(share(line.value));
    Some(Choice { term, reason, playouts: nodes, line: moves, expected, score: None })
}

/// The rules' advice and what the search has found, in words.
pub(super) fn worded(advice: Option<&str>, result: Option<String>) -> String {
    match (advice, result) {
        // a win is the better reason
        (Some(text), Some(result)) if result.starts_with("wins") => format!("{result}: {text}"),
        (Some(text), Some(result)) => format!("{text}; {result}"),
        (Some(text), None) => text.to_string(),
        (None, Some(result)) => result,
        (None, None) => "no move seems better".to_string(),
    }
}

/// The text of the advice for a move that has the highest priority.
pub(super) fn reason_given<'a>(advice: &'a [Advice], term: &Term) -> Option<&'a str> {
    let given = advice.iter().filter(|a| a.term == *term);
    given.max_by_key(|a| a.priority).map(|a| a.text.as_str())
}
