//! Texts that say that a move captures, where it does not.

use crate::explain::Cause;
use crate::program::FluentShape;
use crate::reference::Facts;

use super::likeliest::Meant;
use super::meant::sites_in;
use super::plainer::{TAKES, held};
use super::shorthand::has_cross;
use super::typed::Named;
use super::{Referee, Stop};

/// The most legal moves that are looked at to know whether a form of move goes without a capture.
const MOST_COMPARED: usize = 40;

/// Whether a text says that the move captures: `bishop takes b5`, `Bxb5`.
pub fn says_capture(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    // a letter behind a move says nothing of it
    let takes = |(i, word): (usize, &&str)| {
        let alone = i > 0 && i + 1 < words.len();
        TAKES.contains(&word.to_lowercase().as_str()) && (word.len() > 1 || alone)
    };
    // behind a name that ends with that letter
    let doubled = text.to_lowercase().contains("xx");
    has_cross(text) || doubled || words.iter().enumerate().any(takes)
}

/// The last site that a text names, if nothing stands there.
fn empty_target(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<String> {
    referee.rules.contents_fluent()?;
    let last = *sites_in(referee, text).last()?;
    let name = referee.game.program.values.show(last);
    held(referee, facts, &name).is_none().then_some(name)
}

/// The number of sites on which something stands, where a map says so for each site.
fn pieces_on_board(referee: &Referee<'_>, facts: &Facts) -> Option<usize> {
    let fluent = referee.rules.contents_fluent()?;
    let shape = &referee.game.program.fluent(fluent).shape;
    matches!(shape, FluentShape::Map { initial: None, .. }).then(|| facts.iter(fluent).count())
}

/// Whether as many pieces are on the board after a legal move as before, or more.
pub fn takes_nothing(referee: &Referee<'_>, facts: &Facts, one: &Named) -> Result<bool, Stop> {
    let Some(before) = pieces_on_board(referee, facts) else { return Ok(false) };
    let next = referee.rules.play(facts, &one.term).map_err(|error| referee.stopped(error))?;
    let after = next.and_then(|next| pieces_on_board(referee, &next));
    Ok(after.is_some_and(|after| after >= before))
}

/// An explanation that says too that nothing stands where the text says that the piece captures. So it is told only of
/// forms of moves that also go to empty sites without a capture.
pub fn of_nothing(
    referee: &Referee<'_>,
    facts: &Facts,
    legal: &[Named],
    text: &str,
    (term, mut told): Meant,
) -> Result<Meant, Stop> {
    let from =
        sites_in(referee, &told.subject).first().map(|s| referee.game.program.values.show(*s));
    if told.cause != Cause::Goal || !says_capture(text) || told.blamed.iter().eq(from.iter()) {
        return Ok((term, told));
    }
    let Some(site) = empty_target(referee, facts, text).filter(|s| !told.blamed.contains(s)) else {
        return Ok((term, told));
    };
    let same = legal.iter().filter(|n| n.term.form() == term.form()).take(MOST_COMPARED);
    for one in same {
        if empty_target(referee, facts, &one.text).is_some() && takes_nothing(referee, facts, one)?
        {
            told.short =
                format!("{} Nor does anything stand on {site} to be captured.", told.short);
            break;
        }
    }
    Ok((term, told))
}
