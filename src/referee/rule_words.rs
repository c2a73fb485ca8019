//! Words of the rules that are no moves of their own: parts of the state, and what sentences about moves speak of.

use crate::program::{Fluent, FluentId, GoalKind};
use crate::reference::Facts;

use super::Referee;
use super::remarks::{is_called, says_nothing};
use super::unread::words;
use super::values::sites_in;

/// The least number of letters of a word that is looked for in the rules.
const LEAST_WORD: usize = 4;

/// What is said of a text that begins with the name of a part of the state, which moves of other names change: it is
/// no move of its own.
pub fn told_of_state(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<String> {
    let program = &referee.game.program;
    let word: String = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let word = word.to_lowercase();
    // beside sites it may be a small word
    if referee.rules.move_forms().iter().any(|(form, ..)| *form == word)
        || says_nothing(&word) && !sites_in(referee, text).is_empty()
    {
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

/// The rule of moves that has a word in it which names a relation and no move: `store`.
pub fn rule_with_word(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<String> {
    let word = text.trim().to_lowercase();
    if word.len() < LEAST_WORD || !word.chars().all(char::is_alphabetic) || says_nothing(&word) {
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
