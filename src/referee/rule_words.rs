//! Words of the rules that are no moves of their own: parts of the state, and what sentences about moves speak of.

use crate::program::{ClauseId, Fluent, FluentId, GoalKind};
use crate::reference::Facts;

use super::Referee;
use super::kinds::is_kind;
use super::remarks::{is_called, says_nothing};
use super::unread::words;
use super::values::sites_in;

/// The least number of letters of a word that is looked for in the rules.
const LEAST_WORD: usize = 4;

/// Words that join others and are in many rules.
const JOINS: [&str; 8] = ["with", "from", "that", "this", "over", "then", "when", "another"];

/// What is said of a text that begins with the name of a part of the state, which moves of other names change: it is
/// no move of its own.
pub fn told_of_state(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<String> {
    let program = &referee.game.program;
    let word: String = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let word = word.to_lowercase();
    // beside sites it may be a small word
    if is_form(referee, &word) || says_nothing(&word) && !sites_in(referee, text).is_empty() {
        return None;
    }
    let named = |fluent: &(usize, &Fluent)| fluent.1.name == word;
    let (fluent, _) = program.fluents.iter().enumerate().find(named)?;
    let players = program.players.iter().map(|player| program.values.show(*player));
    if referee.rules.contents_fluent() == Some(FluentId(fluent as u32))
        || players.into_iter().any(|player| is_called(&player, &word))
    {
        return None;
    }
    let moves = program.relation(program.special.moves?);
    let rule = moves.clauses.iter().find_map(|by| {
        let mut changes = false;
        program.clause(*by).body.walk(&mut |goal| {
            changes |= match &goal.kind {
                GoalKind::Assign(id, ..)
                | GoalKind::AssignNumber(id, ..)
                | GoalKind::Set(id, _) => id.0 as usize == fluent,
                _ => false,
            };
        });
        if changes { referee.rules.rule_in_words(facts, *by) } else { None }
    })?;
    Some(format!("`{word}` is no move of its own: {rule}"))
}

/// Whether a word is the name of a form of move.
fn is_form(referee: &Referee<'_>, word: &str) -> bool {
    referee.rules.move_forms().iter().any(|(form, ..)| form == word)
}

/// The rule of moves that has a word in it which names a relation and no move: `store`.
pub fn rule_with_word(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<String> {
    let word = text.trim().to_lowercase();
    let plain = word.len() >= LEAST_WORD && word.chars().all(char::is_alphabetic);
    if !plain || says_nothing(&word) || is_form(referee, &word) {
        return None;
    }
    let program = &referee.game.program;
    let moves = program.relation(program.special.moves?);
    program.relations.iter().find(|relation| relation.name == word)?;
    let has = |rule: &String| words(rule).contains(&word);
    let rule =
        moves.clauses.iter().find_map(|by| referee.rules.rule_in_words(facts, *by).filter(has))?;
    Some(format!("`{}` is no move of its own: {rule}", text.trim()))
}

/// The rule in words that shares most with a text without sites that names a kind of piece: `elephant crosses the river`.
pub fn rule_of_kind(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<String> {
    let said = words(text);
    let kind = said.iter().find(|word| is_kind(referee, word))?;
    let plain = |word: &&String| {
        word.len() >= LEAST_WORD && !says_nothing(word) && !JOINS.contains(&word.as_str())
    };
    let others: Vec<&String> = said.iter().filter(|word| *word != kind).filter(plain).collect();
    let alike = |one: &str, other: &str| {
        let common = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
        common >= LEAST_WORD.max(one.len().max(other.len()) - 2)
    };
    let mut best: Option<(usize, String)> = None;
    for by in 0..referee.rules.program.clauses.len() as u32 {
        let Some(rule) = referee.rules.rule_in_words(facts, ClauseId(by)) else { continue };
        let sentence = words(rule.rsplit_once('(').map_or(rule.as_str(), |(sentence, _)| sentence));
        if !sentence.contains(kind) {
            continue;
        }
        let common = others.iter().filter(|word| sentence.iter().any(|other| alike(word, other)));
        let common = common.count();
        // of two that share as much, the one that begins with the piece
        let score = 2 * common + usize::from(sentence.get(1) == Some(kind));
        if common > 0 && score > best.as_ref().map_or(0, |(most, _)| *most) {
            best = Some((score, rule));
        }
    }
    best.map(|(_, rule)| format!("the rule: {rule}"))
}
