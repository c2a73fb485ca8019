//! Where a command begins: the opening, a position that is given, and moves from there.

use crate::diagnostic::Diagnostic;
use crate::explain::Facts;
use crate::record::parse_move;
use crate::syntax::{ReadError, Term, read_goal};

use super::arguments::StartArguments;
use super::console::Stop;
use super::referee::{Position, Referee, rule_error};
use super::typed::{self, words};

/// Notations of more words than this are not found in a line of moves.
const LONGEST: usize = 4;

/// A move that was played, with its name.
#[derive(Debug, Clone)]
pub struct Played {
    pub term: Term,
    pub notation: String,
}

/// The position that the arguments ask for.
///
/// # Errors
/// A position or a move that is wrong, or a rule error.
pub fn position(referee: &mut Referee<'_>, start: &StartArguments) -> Result<Position, Stop> {
    let mut position = match &start.given {
        Some(text) => {
            let facts = given(referee, text)?;
            referee.position(&facts)?
        }
        None => referee.opening(),
    };
    if let Some(line) = &start.after {
        for (_, next) in play_line(referee, position.clone(), line)? {
            position = next;
        }
    }
    Ok(position)
}

/// A position from a list of updates.
fn given(referee: &Referee<'_>, text: &str) -> Result<Facts, Stop> {
    let mut sources = referee.game.program.sources.clone();
    let text = text.trim();
    let listed = if text.starts_with('[') { text.to_string() } else { format!("[{text}]") };
    let file = sources.add("--given", None, &listed);
    let term = match read_goal(&sources, file) {
        Ok(term) => term,
        Err(ReadError::Faulty(fault) | ReadError::Incomplete(fault)) => {
            return Err(Stop::Diagnosed { sources, diagnostics: vec![fault], code: 2 });
        }
    };
    referee.rules.given(&term).map_err(|error| Stop::Diagnosed {
        sources,
        diagnostics: error.into_diagnostics(),
        code: 2,
    })
}

/// Plays a line of moves; each with the position after it.
///
/// # Errors
/// A move that is not legal, or a rule error.
pub fn play_line(
    referee: &mut Referee<'_>,
    mut position: Position,
    line: &str,
) -> Result<Vec<(Played, Position)>, Stop> {
    let words = words(line);
    let mut played = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let number = played.len() + 1;
        let sources = &referee.game.program.sources;
        if referee.outcome(&position)?.is_some() {
            let text = format!("the game is over before move {number}, `{}`", words[at]);
            let fault = Diagnostic::error("game-over", text);
            return Err(rule_error(sources, fault));
        }
        // a term that is legal as it stands needs no notations
        if let Some(term) = parse_move(&words[at])
            && let Some(next) = referee.play(&position, &term)?
        {
            let notation = referee.notation(&referee.facts(&position), &term)?;
            position = next;
            played.push((Played { term, notation }, position.clone()));
            at += 1;
            continue;
        }
        let choices = referee.choices(&position)?;
        let named = typed::names(referee, &position, &choices)?;
        let most = LONGEST.min(words.len() - at);
        let joined = |n: usize| words[at..at + n].join(" ");
        let found = (1..=most).find_map(|n| typed::find(&named, &joined(n)).ok().map(|f| (n, f)));
        let Some((taken, found)) = found else {
            let text = &words[at];
            let Err(miss) = typed::find(&named, text) else { continue };
            let mut fault = miss.diagnostic(text);
            if number > 1 || words.len() > 1 {
                fault.message = format!("{} (move {number} of the line)", fault.message);
            }
            return Err(rule_error(&referee.game.program.sources, fault));
        };
        let (term, notation) = (found.term.clone(), found.notation.clone());
        let Some(next) = referee.play(&position, &term)? else {
            return Err(Stop::Failed(format!("`{notation}` cannot be played")));
        };
        position = next;
        played.push((Played { term, notation }, position.clone()));
        at += taken;
    }
    Ok(played)
}
