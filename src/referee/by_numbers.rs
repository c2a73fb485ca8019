//! Illegal moves that are told by the numbers of sites.

use crate::explain::{Cause, Explanation};
use crate::syntax::{Term, print_term};

use super::likeliest::Meant;
use super::meant::Illegal;
use super::typed::Reading;
use super::values::{site_named, sites_in};
use super::{Position, Referee, Stop};

/// The path of a capture that a text tells by more than two numbers, by its sites; `None` where it is no such text.
pub(super) fn path_of_numbers(
    referee: &Referee<'_>,
    position: &Position,
    text: &str,
) -> Result<Option<String>, Stop> {
    let numbers: Vec<&str> = text.split(|c: char| !c.is_ascii_digit()).collect();
    let signs = text.chars().all(|c| c.is_ascii_digit() || "-x:× ".contains(c));
    if numbers.len() < 3 || !signs || numbers.iter().any(|number| number.is_empty()) {
        return Ok(None);
    }
    let mut path: Vec<String> = Vec::new();
    for pair in numbers.windows(2) {
        let step = format!("{}-{}", pair[0], pair[1]);
        let made = Illegal::new(referee, position, &[], &step, None)?;
        let terms = made.read(referee, position, &step, Reading::Whole)?;
        let Some(sites) = terms.iter().find_map(|term| sites_of_numbers(referee, &step, term))
        else {
            return Ok(None);
        };
        let skipped = usize::from(!path.is_empty());
        path.extend(sites.split('x').skip(skipped).map(str::to_string));
    }
    Ok(Some(path.join("-")))
}

/// The sites of a move that a text tells by numbers alone, as a capture; `None` where it has fewer than two.
pub(super) fn sites_of_numbers(referee: &Referee<'_>, text: &str, term: &Term) -> Option<String> {
    let (_, args) = term.functor()?;
    let board = referee.view.board.as_ref()?;
    let named: Vec<String> = args.iter().map(print_term).collect();
    let sites = named.iter().all(|name| board.sites().any(|(_, site)| site.name == *name));
    let numbers = text.chars().all(|c| !c.is_alphabetic() || c == 'x');
    let apart = named.first().is_some_and(|name| name.contains(char::is_alphabetic));
    (numbers && sites && apart && named.len() > 1).then(|| named.join("x"))
}

/// An explanation of an illegal move that was typed by numbers, or by sites that its name has not, which says both names.
pub fn by_both_names(referee: &Referee<'_>, text: &str, told: Explanation) -> Explanation {
    let numbers = !text.contains(|c: char| c.is_alphabetic() && c != 'x')
        && told.subject.contains(char::is_alphabetic);
    let (typed, named) = (sites_in(referee, text), sites_in(referee, &told.subject));
    let others = typed.iter().any(|site| !named.contains(site));
    if numbers || others { also_called(text, told) } else { told }
}

/// An explanation of a text without sites, where the move has some that neither the text nor the reason tells: it is about
/// what was typed, `drop queen`, and not about one of the moves that this leaves open.
pub fn as_typed(referee: &Referee<'_>, text: &str, (term, mut told): Meant) -> Explanation {
    let open = !text.contains(|c: char| c.is_ascii_digit()) && sites_in(referee, text).is_empty();
    let first = term.functor().and_then(|(_, args)| args.first()).map(print_term);
    let begins = first.is_some_and(|first| site_named(referee, &first).is_some());
    let Some(reason) = told.reason.clone().filter(|_| open && !begins && !told.holds) else {
        return told;
    };
    let filled = sites_in(referee, &told.subject);
    let about = sites_in(referee, &reason.facts);
    if told.cause == Cause::Goal && !filled.is_empty() && filled.is_disjoint(&about) {
        told.short = format!("`{text}` is not legal: {}.", reason.facts);
        told.subject = text.to_string();
    }
    told
}

/// An explanation of a legal move that says that it goes on behind the text, where that is its beginning: a capture that is
/// not yet at its end, a promotion that is not told.
pub fn completed(referee: &Referee<'_>, text: &str, mut told: Explanation) -> Explanation {
    let (typed, named) = (sites_in(referee, text), sites_in(referee, &told.subject));
    let begins = typed.len() > 1 && typed.iter().eq(named.iter().take(typed.len()));
    let bare = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    let sign = told.subject.chars().next_back().filter(|c| !c.is_alphanumeric());
    let more = named.len() > typed.len()
        || bare(&told.subject) == bare(text) && sign.is_some_and(|sign| !text.contains(sign));
    if told.holds && begins && more && told.short.starts_with(&format!("`{}`", told.subject)) {
        told.short = format!(
            "`{text}` is not the whole move, and only `{}` begins so. {}",
            told.subject, told.short
        );
    }
    told
}

/// An explanation of an illegal move that says beside its name the text by which it was typed.
pub(super) fn also_called(text: &str, mut told: Explanation) -> Explanation {
    let subject = format!("`{}`", told.subject);
    let said = told.short.contains(&format!("`{text}`"));
    if !told.holds && told.subject != text && !said {
        told.short = told.short.replacen(&subject, &format!("`{text}` ({subject})"), 1);
    }
    told
}
