//! Why a typed move is not played, and which legal moves are closest to it.

use crate::diagnostic::{Diagnostic, distance};
use crate::reference::distinct;

use super::naming::{Named, loose, natural, styled};
use super::values::sites_in;
use super::{Position, Referee, Stop};

/// How many legal moves are suggested in place of a wrong one.
const TOLD: usize = 5;

/// How many moves that a text can mean are told.
pub(super) const TOLD_MEANINGS: usize = 8;

/// Of more moves than this no other notations are compared with what was typed.
pub const FEW: usize = 200;

/// The advice to write a move by this name, if it is meant.
pub(super) fn if_meant(name: &str) -> String {
    format!("if {name} is meant, write that")
}

/// The name that such an advice tells, and what is told before it.
pub(super) fn meant_by(advice: &str) -> Option<(&str, &str)> {
    let told = advice.strip_suffix(" is meant, write that")?;
    let at = told.rfind(": if ").map_or(0, |at| at + ": ".len());
    Some((told[..at].trim_end_matches(": "), told[at..].strip_prefix("if ")?))
}

/// Why a typed move is not played.
#[derive(Debug, Clone, PartialEq)]
pub enum Miss {
    /// No legal move has this name; the closest ones.
    Unknown(Vec<String>),
    /// Several legal moves have this name.
    Ambiguous(Vec<Named>),
    /// The text is the first site of these moves, or one on their way.
    Unfinished(Vec<Named>),
    /// The text says that this move captures, and it does not.
    NoCapture(Named),
}

impl Miss {
    /// The diagnostic for what was typed.
    pub fn diagnostic(&self, typed: &str) -> Diagnostic {
        match self {
            Miss::Unknown(closest) => {
                let d = Diagnostic::error("illegal-move", format!("`{typed}` is no legal move"));
                match closest.as_slice() {
                    [] => d.hint("there is no legal move"),
                    [one] => d.hint(format!("the closest legal move is {one}")),
                    more => d.hint(format!("the closest legal moves are {}", more.join(", "))),
                }
            }
            Miss::Ambiguous(_) => {
                let meanings = self.meanings();
                let numbered = |text: &str| text.contains(|c: char| c.is_ascii_digit());
                // a text without a site leaves many moves open, of which none is nearer than another
                let nowhere = meanings.len() > TOLD_MEANINGS
                    && !numbered(typed)
                    && meanings.iter().all(|name| numbered(name));
                let open = if nowhere { "name the site too: " } else { "" };
                Diagnostic::error("ambiguous-notation", format!("`{typed}` can mean several moves"))
                    .hint(format!("{open}write one of {}", listed(&meanings)))
            }
            Miss::NoCapture(one) => {
                let text = format!("`{typed}` is no legal move: {} captures nothing", one.notation);
                Diagnostic::error("illegal-move", text).hint(if_meant(&one.notation))
            }
            Miss::Unfinished(_) => {
                let d = Diagnostic::error("illegal-move", format!("`{typed}` is no legal move"));
                match self.meanings().as_slice() {
                    [one] => d.hint(if_meant(one)),
                    more => d.hint(format!("write one of {}", listed(more))),
                }
            }
        }
    }

    /// The moves that can be meant, each by a name that no other of them has.
    pub fn meanings(&self) -> Vec<&str> {
        let moves = match self {
            Miss::Ambiguous(moves) | Miss::Unfinished(moves) => moves.as_slice(),
            Miss::NoCapture(one) => std::slice::from_ref(one),
            Miss::Unknown(_) => &[],
        };
        let alone = |name: &str| moves.iter().filter(|n| n.notation == name).count() == 1;
        let names = moves.iter().map(|n| if alone(&n.notation) { &n.notation } else { &n.text });
        names.map(String::as_str).collect()
    }
}

/// Names in a row, the first few of many.
fn listed(names: &[&str]) -> String {
    match names.len().saturating_sub(TOLD_MEANINGS) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names[..TOLD_MEANINGS].join(", ")),
    }
}

/// The names of the legal moves most similar to what was typed, in a notation or, without one, the game's own.
///
/// # Errors
/// A rule error.
pub fn closest(
    referee: &Referee<'_>,
    position: &Position,
    named: &[Named],
    style: Option<&str>,
    typed: &str,
) -> Result<Vec<String>, Stop> {
    let mut all = match style {
        None => near(referee, position, named, typed)?,
        Some(style) => {
            let texts = styled(referee, position, named, style)?;
            let texts = distinct(&texts).into_iter().flatten();
            // a pass that is written as an empty text cannot be shown
            let seen = texts.filter(|text| !text.is_empty());
            seen.map(|text| (distance(typed, text), text.to_string())).collect()
        }
    };
    all.sort_by_cached_key(|(distance, name)| (*distance, natural(name)));
    all.dedup();
    Ok(all.into_iter().take(TOLD).map(|(_, name)| name).collect())
}

/// Whether a character is of another script than the names of sites.
pub(super) fn is_foreign(c: char) -> bool {
    !c.is_ascii() && c.is_alphabetic()
}

/// How far each move's names are from what was typed, with the game's own name; of a term with the term, if that is
/// nearer.
fn near(
    referee: &Referee<'_>,
    position: &Position,
    named: &[Named],
    typed: &str,
) -> Result<Vec<(usize, String)>, Stop> {
    let plain = loose(typed);
    let is_term = typed.contains('(');
    let own = named.iter().map(|n| {
        let notation = distance(&plain, &loose(&n.notation));
        let text = if is_term { distance(&plain, &loose(&n.text)) } else { usize::MAX };
        if text < notation { (text, n.text.clone()) } else { (notation, n.notation.clone()) }
    });
    let mut all: Vec<(usize, String)> = own.collect();
    if named.len() > FEW {
        return Ok(all);
    }
    // what names no site is in another notation, in which its likes are told
    let number = typed.contains(|c: char| c.is_ascii_digit() || is_foreign(c));
    let signed = typed.starts_with(char::is_uppercase) && typed.contains(['=', '+', '.']);
    let other = (signed || sites_in(referee, typed).is_empty()) && number && !is_term;
    for style in referee.rules.styles() {
        let styled = styled(referee, position, named, &style)?;
        for ((near, name), (n, texts)) in all.iter_mut().zip(named.iter().zip(styled)) {
            // of names that are as near the first is the usual one
            let near_to =
                texts.iter().enumerate().map(|(i, text)| (distance(typed, text), i, text));
            let least = near_to.min().map(|(least, _, text)| (least, text));
            if let Some((least, text)) = least.filter(|(least, _)| least < near) {
                let own = &n.notation;
                (*near, *name) = (
                    least,
                    if other && !text.is_empty() { format!("{text} ({own})") } else { own.clone() },
                );
            }
        }
    }
    Ok(all)
}
