//! Questions about a position, read and checked as rules are.

use std::borrow::Cow;

use crate::diagnostic::Diagnostic;
use crate::engine::Game;
use crate::program::{Budget, Program, Purpose, Question, Values, resolve_goal};
use crate::source::Sources;
use crate::syntax::{ReadError, Term, read_goal};
use crate::types;

use super::{Referee, Stop};

/// A resolved question, with the text that reports quote.
pub struct Asked {
    pub sources: Sources,
    pub term: Term,
    pub question: Question,
}

/// Reads and resolves a question, and checks it as a rule file is checked.
///
/// # Errors
/// A fault of the question.
pub fn understand(referee: &Referee<'_>, text: &str) -> Result<Asked, Stop> {
    let text = &*unmarked(text);
    let program = &referee.game.program;
    let mut sources = program.sources.clone();
    let file = sources.add("question", None, text);
    let term = match read_goal(&sources, file) {
        Ok(term) => term,
        Err(ReadError::Incomplete(fault)) => return Err(wrong(sources, vec![fault])),
        Err(ReadError::Wrong(faults)) => return Err(wrong(sources, faults)),
    };
    let values = referee.rules.values();
    let question = match resolve_goal(program, values, &term, Purpose::Question) {
        Ok(question) => question,
        Err(faults) => return Err(wrong(sources, faults)),
    };
    let placed = Program { sources: sources.clone(), ..(**program).clone() };
    let budget = referee.within(Budget::STATIC);
    let faults = wrong_domains(&placed, referee.game, &question, budget);
    match faults.is_empty() {
        true => Ok(Asked { sources, term, question }),
        false => Err(wrong(sources, faults)),
    }
}

/// The question without the `?-` before it; every character keeps its column.
pub fn unmarked(text: &str) -> Cow<'_, str> {
    match text.strip_prefix("?-") {
        Some(question) => Cow::Owned(format!("  {question}")),
        None => Cow::Borrowed(text),
    }
}

/// The values in a question that no argument of its goals can have. `program` is the game's, with sources that the
/// question is a part of.
pub fn wrong_domains(
    program: &Program,
    game: &Game,
    question: &Question,
    budget: Budget,
) -> Vec<Diagnostic> {
    let mut values = Values::over(question.values.clone());
    let clause = &question.clause;
    let tables = match game.tables.for_clause(program, &mut values, clause, budget) {
        Ok(tables) => tables,
        Err(faults) => return faults,
    };
    let found = types::check_clause(program, values, &tables, &game.types, clause);
    found.into_iter().filter(Diagnostic::is_error).collect()
}

fn wrong(sources: Sources, diagnostics: Vec<Diagnostic>) -> Stop {
    Stop::Diagnosed { sources, diagnostics, code: 1 }
}
