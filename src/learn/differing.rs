//! What differs between two programs in one position, in words.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::diagnostic::{Diagnostic, to_json};
use crate::source::Sources;
use crate::syntax::print_term;

use super::Exercise;
use super::entries::Part;
use super::side::{Look, Side, without_weight};

/// The most moves, answers or parts of the state that are listed.
const TOLD: usize = 6;

/// The smallest position in which the learner's rules differ from the reference.
#[derive(Debug)]
pub struct Difference {
    /// What differs: `state`, `outcome`, `turn`, `moves`, `answers`, `error` (a rule error of the
    /// learner's rules), `time` (they take too long), or `position` (they have no place for what the
    /// exercise gives).
    pub kind: &'static str,
    /// The moves that lead to the position.
    pub line: Vec<String>,
    /// The position that the moves begin at; `None` for the opening.
    pub given: Option<String>,
    /// The options with which the rules differ; none where they differ by default.
    pub options: Vec<(String, String)>,
    /// The position by the reference, drawn; empty where there is nothing to draw.
    pub drawn: String,
    /// The position by the learner's rules, where it looks different.
    pub yours: Option<String>,
    /// What each says, a line each.
    pub told: Vec<String>,
    /// Who is to move by the reference, as long as the game goes on.
    pub turn: Option<String>,
    /// A move that only one of them allows.
    pub mv: Option<String>,
    /// The fault of the learner's rules, where there is one.
    pub fault: Option<(Sources, Diagnostic)>,
}

impl Difference {
    /// Where the rules differ, as the beginning of a sentence.
    pub fn place(&self) -> String {
        let mut place = match (&self.given, self.line.as_slice()) {
            (None, []) => "at the start".to_string(),
            (None, line) => format!("after {}", line.join(" ")),
            (Some(_), []) => "in a position that the exercise gives".to_string(),
            (Some(_), line) => {
                format!("after {} from a position that the exercise gives", line.join(" "))
            }
        };
        if !self.options.is_empty() {
            let all: Vec<String> = self.options.iter().map(|(n, v)| format!("{n}={v}")).collect();
            place = format!("{place}, with {}", all.join(" "));
        }
        place
    }

    /// The same as data.
    pub fn to_json(&self) -> Value {
        let fault = self.fault.as_ref().map(|(sources, fault)| to_json(sources, fault));
        let options: serde_json::Map<String, Value> =
            self.options.iter().map(|(n, v)| (n.clone(), json!(v))).collect();
        json!({
            "kind": self.kind, "line": self.line, "given": self.given, "options": options,
            "told": self.told, "turn": self.turn, "move": self.mv, "drawn": self.drawn, "yours": self.yours, "diagnostic": fault,
        })
    }
}

/// What two programs say differently of a position: the kind, a line for each, and a move that only one
/// of them allows.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub kind: &'static str,
    pub told: Vec<String>,
    pub mv: Option<String>,
}

/// What two programs say differently of a position.
pub(super) fn compare(
    theirs: &Look,
    mine: &Look,
    sides: &(Side<'_>, Side<'_>),
    exercise: &Exercise,
) -> Option<Found> {
    let found = |kind: &'static str, told: Vec<String>| Some(Found { kind, told, mv: None });
    let looked_at = |part: Part| !exercise.compare.ignored.contains(&part);
    if looked_at(Part::State)
        && let Some(told) = state(theirs, mine, sides)
    {
        return found("state", told);
    }
    if looked_at(Part::Outcome) && theirs.outcome != mine.outcome {
        return found("outcome", both(&goes_on(theirs), &goes_on(mine)));
    }
    let going_on = theirs.outcome.is_none() && mine.outcome.is_none();
    if looked_at(Part::Turn) && going_on && theirs.turn != mine.turn {
        return found("turn", both(&goes_on(theirs), &goes_on(mine)));
    }
    if looked_at(Part::Moves) && going_on {
        let a: BTreeSet<String> = theirs.moves.keys().cloned().collect();
        let b: BTreeSet<String> = mine.moves.keys().cloned().collect();
        if let Some(told) = sets(&a, &b, "allow", "legal move") {
            let mv = b.difference(&a).chain(a.difference(&b)).next();
            let mv = mv.map(|mv| without_weight(mv).to_string());
            return Some(Found { kind: "moves", told, mv });
        }
    }
    for (i, question) in exercise.compare.answers.iter().enumerate() {
        let (Some(a), Some(b)) = (theirs.answers.get(i), mine.answers.get(i)) else { continue };
        if a == b {
            continue;
        }
        let truth = BTreeSet::from(["true".to_string()]);
        let mut told = vec![format!("asked: {}.", print_term(question))];
        if *a == truth || *b == truth {
            let holds = |answers: &BTreeSet<String>| match answers.is_empty() {
                true => "it does not hold",
                false => "it holds",
            };
            told.extend(both(holds(a), holds(b)));
        } else {
            told.extend(sets(a, b, "answer", "answer").unwrap_or_default());
        }
        return found("answers", told);
    }
    None
}

fn both(theirs: &str, mine: &str) -> Vec<String> {
    vec![format!("by your rules: {mine}"), format!("by the exercise: {theirs}")]
}

fn goes_on(look: &Look) -> String {
    match &look.outcome {
        Some(outcome) => outcome.clone(),
        None => format!("the game goes on, with {} to move", look.turn),
    }
}

/// Sets that differ: what only one has, and what both have.
fn sets(
    theirs: &BTreeSet<String>,
    mine: &BTreeSet<String>,
    verb: &str,
    noun: &str,
) -> Option<Vec<String>> {
    if theirs == mine {
        return None;
    }
    let mut told = Vec::new();
    let all = [
        (format!("only your rules {verb}"), mine.difference(theirs).collect::<Vec<_>>()),
        (format!("only the exercise's {verb}"), theirs.difference(mine).collect()),
        (format!("both {verb}"), theirs.intersection(mine).collect()),
    ];
    for (who, what) in all {
        if !what.is_empty() {
            told.push(format!("{who}: {}", listed(&what)));
        }
    }
    if mine.is_empty() {
        told.push(format!("by your rules there is no {noun}"));
    }
    if theirs.is_empty() {
        told.push(format!("by the exercise there is no {noun}"));
    }
    Some(told)
}

fn listed(all: &[&String]) -> String {
    let shown: Vec<&str> = all.iter().take(TOLD).map(|s| s.as_str()).collect();
    let separator = if all.iter().any(|s| s.contains(", ")) { "; " } else { ", " };
    let more = all.len().saturating_sub(TOLD);
    let and = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{and}", shown.join(separator))
}

/// How the states differ in the parts that both programs have.
fn state(theirs: &Look, mine: &Look, sides: &(Side<'_>, Side<'_>)) -> Option<Vec<String>> {
    let shared: Vec<&str> = sides
        .0
        .parts()
        .filter(|(name, keys, set)| sides.1.has_part(name, *keys, *set))
        .map(|(name, _, _)| name)
        .collect();
    let is_shared = |place: &str| shared.contains(&place.split('(').next().unwrap_or_default());
    let places: BTreeSet<&String> = theirs.facts.keys().chain(mine.facts.keys()).collect();
    let differing: Vec<&&String> = places
        .iter()
        .filter(|place| is_shared(place) && theirs.facts.get(**place) != mine.facts.get(**place))
        .collect();
    if differing.is_empty() {
        return None;
    }
    let holds = |look: &Look| {
        let all = differing.iter().take(TOLD).map(|place| match look.facts.get(**place) {
            None => format!("{place} is not there"),
            Some(value) if value.is_empty() => format!("{place} is there"),
            Some(value) => format!("{place} is {value}"),
        });
        let more = differing.len().saturating_sub(TOLD);
        let and = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{and}", all.collect::<Vec<_>>().join(", "))
    };
    Some(both(&holds(theirs), &holds(mine)))
}
