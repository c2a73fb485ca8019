//! Moves to the site where the last one ended, which Japanese records do not name again: `同銀` for a silver that
//! captures there.

use super::miss::Miss;
use super::naming::{Named, loose, styled};
use super::typed::one;
use super::{Last, Position, Referee, Stop};
use crate::syntax::print_term;

/// What stands for the site where the last move ended.
pub const SAME: char = '同';

/// The letters by which a notation names a site before a piece.
const SITE_LETTERS: usize = 2;

/// The legal move that a text means which begins with that sign; `None` where it does not, or there is no last move.
///
/// # Errors
/// A rule error. Within: there are several such moves.
pub fn on_last_site<'n>(
    referee: &Referee<'_>,
    position: &Position,
    named: &'n [Named],
    last: Option<&Last<'_>>,
    text: &str,
) -> Result<Option<Result<&'n Named, Miss>>, Stop> {
    let Some(rest) = text.trim().strip_prefix(SAME) else { return Ok(None) };
    let ends = |args: &[crate::syntax::Term]| args.last().map(print_term);
    let end = last.and_then(|last| last.mv.functor().and_then(|(_, args)| ends(args)));
    let Some(end) = end else { return Ok(None) };
    let there: Vec<Named> = named
        .iter()
        .filter(|n| {
            n.term.functor().and_then(|(_, args)| args.get(1).map(print_term)).as_ref()
                == Some(&end)
        })
        .cloned()
        .collect();
    let rest = loose(rest);
    let mut meant = vec![false; there.len()];
    for style in referee.rules.styles() {
        let texts = styled(referee, position, &there, &style)?;
        for (meant, texts) in meant.iter_mut().zip(texts) {
            let is_it = |text: &String| {
                let behind: String = text.chars().skip(SITE_LETTERS).collect();
                loose(&behind) == rest
            };
            *meant |= texts.iter().any(is_it);
        }
    }
    let meant: Vec<&Named> =
        there.iter().zip(meant).filter(|(_, meant)| *meant).map(|(n, _)| n).collect();
    Ok(one(named.iter().filter(|n| meant.iter().any(|other| other.term == n.term))))
}
