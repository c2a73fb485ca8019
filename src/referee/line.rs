//! Where a game begins and how it goes on: a position given as text, and a line of moves from it.

use crate::diagnostic::Diagnostic;
use crate::record::parse_move;
use crate::reference::Facts;
use crate::source::{Sources, Span};
use crate::syntax::{ReadError, Term, TermKind, read_goal};

use super::misread::misread;
use super::miss::Miss;
use super::naming;
use super::naming::Named;
use super::reasons::{answer, refusal};
use super::typed::{self, Reading};
use super::{Last, Position, Referee, Stop, drawn_for, rule_error};

/// The number of consecutive chance events after which they are assumed never to end.
pub const MOST_EVENTS: usize = 100_000;
/// The most words of one move in a line of moves.
const LONGEST: usize = 4;

/// Moves from a first position on.
pub struct Track {
    /// Each move with the position before it.
    pub moves: Vec<Past>,
    /// The position after all of them.
    pub position: Position,
}

/// A move and the position before it.
pub struct Past {
    pub before: Position,
    pub mv: Term,
    pub chance: bool,
}

impl Track {
    /// The last move of a player.
    pub fn last(&self) -> Option<Last<'_>> {
        let past = self.moves.iter().rev().find(|past| !past.chance)?;
        Some(Last { before: &past.before, mv: &past.mv })
    }
}

/// A position from its text or from a list of updates; `name` is the name of the text in reports.
///
/// # Errors
/// A text that cannot be read, or updates that do not fit the rules.
pub fn given(referee: &Referee<'_>, name: &str, text: &str) -> Result<Facts, Stop> {
    let updates = text.starts_with(['[', '"']) || text.contains(":=") || text.contains('(');
    if text.trim().is_empty() {
        let fault = Diagnostic::error("position-form", "the position is empty")
            .hint("write the board as text, or a list of updates such as `[at(a1) := x]`")
            .hint("without a position the game begins as it does");
        return Err(wrong(referee.game.program.sources.clone(), vec![fault]));
    }
    if updates {
        return changed(referee, &referee.rules.empty(), name, text);
    }
    let mut sources = referee.game.program.sources.clone();
    let file = sources.add(name, None, text);
    let span = Span::new(file, 0, text.len());
    let term = Term::new(TermKind::Text(text.to_string()), span);
    referee.rules.given(&term).map_err(|error| wrong(sources, error.into_diagnostics()))
}

fn wrong(sources: Sources, diagnostics: Vec<Diagnostic>) -> Stop {
    Stop::Diagnosed { sources, diagnostics, code: 2 }
}

/// The result of applying a list of updates to a position.
///
/// # Errors
/// A text that cannot be read, or updates that do not fit the rules.
pub fn changed(
    referee: &Referee<'_>,
    facts: &Facts,
    name: &str,
    text: &str,
) -> Result<Facts, Stop> {
    let mut sources = referee.game.program.sources.clone();
    let text = text.trim();
    let listed = if text.starts_with('[') { text.to_string() } else { format!("[{text}]") };
    let file = sources.add(name, None, &listed);
    let term = match read_goal(&sources, file) {
        Ok(term) => term,
        Err(ReadError::Incomplete(fault)) => return Err(wrong(sources, vec![fault])),
        Err(ReadError::Wrong(diagnostics)) => return Err(wrong(sources, diagnostics)),
    };
    let changed = referee.rules.changed(facts, &term);
    changed.map_err(|error| wrong(sources, error.into_diagnostics()))
}

/// Draws the chance events that are due at the end of a track, as the prompt does with this seed.
///
/// # Errors
/// A rule error, or no event that can be drawn.
fn draw_events(referee: &mut Referee<'_>, track: &mut Track, seed: u64) -> Result<(), Stop> {
    for _ in 0..MOST_EVENTS {
        if referee.is_over() {
            return Err(Stop::Interrupted);
        }
        if referee.outcome(&track.position)?.is_some() {
            return Ok(());
        }
        let choices = referee.choices(&track.position)?;
        if !choices.chance {
            return Ok(());
        }
        let mut random = drawn_for(seed, referee.ply(&track.position), 0);
        let event = Referee::draw(&choices, &mut random)?;
        let Some(next) = referee.play(&track.position, &event)? else { return Ok(()) };
        let before = std::mem::replace(&mut track.position, next);
        track.moves.push(Past { before, mv: event, chance: true });
    }
    Err(endless())
}

/// The fault of chance events that do not end.
pub fn endless() -> Stop {
    Stop::Failed(format!("nature has moved {MOST_EVENTS} times and does not stop"))
}

/// Plays a line of moves.
///
/// # Errors
/// A move that is not legal, or a rule error.
pub fn play_line(
    referee: &mut Referee<'_>,
    position: Position,
    line: &str,
    seed: Option<u64>,
) -> Result<Track, Stop> {
    let words = words(line);
    let mut track = Track { moves: Vec::new(), position };
    let mut at = 0;
    let mut number = 1;
    loop {
        if let Some(seed) = seed {
            draw_events(referee, &mut track, seed)?;
        }
        if at == words.len() {
            return Ok(track);
        }
        if referee.outcome(&track.position)?.is_some() {
            let text = format!("the game is over before move {number}, `{}`", words[at]);
            let fault = Diagnostic::error("game-over", text);
            return Err(rule_error(&referee.game.program.sources, fault));
        }
        let chance = referee.choices(&track.position)?.chance;
        let (taken, mv, next) = play_next(referee, &track.position, &words[at..], number)?;
        let before = std::mem::replace(&mut track.position, next);
        track.moves.push(Past { before, mv, chance });
        at += taken;
        number += 1;
    }
}

/// Plays the first move in a list of words. Returns how many words it took, the move, and the position
/// after it.
fn play_next(
    referee: &mut Referee<'_>,
    position: &Position,
    words: &[String],
    number: usize,
) -> Result<(usize, Term, Position), Stop> {
    // a term that is legal needs no look-up by notation
    if let Some(term) = parse_move(&words[0])
        && let Some(next) = referee.play(position, &term)?
    {
        return Ok((1, term, next));
    }
    let choices = referee.choices(position)?;
    let named = naming::names(referee, position, &choices)?;
    let mut miss = None;
    let longest = LONGEST.min(words.len());
    let lengths: Vec<(Reading, usize)> = (1..=longest)
        .map(|taken| (Reading::Exact, taken))
        // two words that are one move together are not a part of a move and another one
        .chain((1..=longest).rev().map(|taken| (Reading::Whole, taken)))
        .chain([(Reading::Any, 1)])
        .collect();
    for (reading, taken) in lengths {
        match typed::read(referee, position, &named, &words[..taken].join(" "), reading)? {
            Ok(found) => {
                let Some(next) = referee.play(position, &found.term)? else {
                    let text = format!("`{}` cannot be played", found.notation);
                    return Err(Stop::Failed(text));
                };
                return Ok((taken, found.term.clone(), next));
            }
            Err(Miss::Unknown(_)) if miss.is_some() => {}
            Err(told) => miss = Some(told),
        }
    }
    let text = &words[0];
    let mut fault = match miss {
        Some(miss @ Miss::Unknown(_)) => match refused(referee, position, &named, text)? {
            Some(fault) => fault,
            None => misread(referee, position, &choices, miss.diagnostic(text), text),
        },
        Some(miss) => miss.diagnostic(text),
        None => Diagnostic::error("illegal-move", format!("`{text}` is no legal move")),
    };
    fault.message = format!("move {number}: {}", fault.message);
    Err(rule_error(&referee.game.program.sources, fault))
}

/// Why a text is no legal move; `None` where it is no move at all.
fn refused(
    referee: &Referee<'_>,
    position: &Position,
    named: &[Named],
    text: &str,
) -> Result<Option<Diagnostic>, Stop> {
    let facts = referee.facts(position);
    let Some(told) = refusal(referee, position, &facts, named, text)? else { return Ok(None) };
    let mut sentences = answer(referee, &facts, &told)?.into_iter();
    let first = sentences.next().unwrap_or_default();
    let mut fault = Diagnostic::error("illegal-move", first.trim_end_matches('.'));
    fault.hints = sentences.collect();
    Ok(Some(fault))
}

/// Splits a line of moves into words. Spaces inside brackets and quotes do not separate words, and
/// a pair of brackets around the whole line is dropped.
pub fn words(line: &str) -> Vec<String> {
    let line = line.trim();
    let line = match line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
        Some(inner) if balanced(inner) => inner,
        _ => line,
    };
    let mut words = Vec::new();
    let mut word = String::new();
    let mut depth = 0i32;
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(q), _) if q == c => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            _ => {}
        }
        let apart = quote.is_none() && depth <= 0 && (c.is_whitespace() || c == ',');
        if !apart {
            word.push(c);
        } else if !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

fn balanced(text: &str) -> bool {
    let mut depth = 0i32;
    for c in text.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn lines_are_parted_into_moves() {
        assert_eq!(words("a1 b2,  c3"), ["a1", "b2", "c3"]);
        assert_eq!(words("place(a1, b2) x"), ["place(a1, b2)", "x"]);
        assert_eq!(words("[place(a), place(b)]"), ["place(a)", "place(b)"]);
        assert_eq!(words("[a, b] [c]"), ["[a, b]", "[c]"]);
        assert!(words("  ").is_empty());
    }
}
