//! In which ways a text names each of the legal moves.

use crate::reference::Alias;
use crate::syntax::print_term;

use super::kinds::kinds_at_end;
use super::miss::Miss;
use super::naming::{Named, folded, styled};
use super::shorthand::{Likeness, likeness, likeness_of_term};
use super::typed::one;
use super::{Position, Referee, Stop};

/// For each choice, the closest way in which a text names it.
pub(super) fn ways(
    referee: &Referee<'_>,
    position: &Position,
    named: &[Named],
    aliases: &[Vec<Alias>],
    typed: &str,
) -> Result<Vec<Option<Likeness>>, Stop> {
    let mut ways = Vec::with_capacity(named.len());
    let width = referee.rules.contents_width();
    let styles = referee.rules.styles();
    // a sign at the end tells forms of move apart, unless it is a remark or what follows from the move
    let last = typed.trim_end().chars().next_back();
    let follows = |sign: char| {
        let ends = |suffix: &String| suffix.ends_with(sign);
        styles.iter().flat_map(|style| referee.rules.suffixes(style)).any(|suffix| ends(&suffix))
    };
    let last = last.filter(|c| !c.is_alphanumeric() && !"!?.,;:*".contains(*c) && !follows(*c));
    let ends_alike = |text: &str| last.is_none_or(|sign| text.ends_with(sign));
    for (n, aliases) in named.iter().zip(aliases) {
        let texts = aliases.iter().map(|alias| &alias.text).chain([&n.notation]);
        // `wall e5` for `wall(e5, h)` and `wall(e5, v)`
        let form = n.text.split_once('(').map(|(form, _)| form);
        let of_form = form.is_some_and(|form| typed.split_whitespace().next() == Some(form));
        let term = likeness(typed, &n.text, width)
            .filter(|way| *way == Likeness::Same || of_form && *way == Likeness::Part);
        let term = term
            .or_else(|| likeness_of_term(typed, &n.text))
            .filter(|_| typed.contains('(') || ends_alike(&n.notation));
        let texts = texts.filter(|text| ends_alike(text));
        ways.push(texts.filter_map(|text| likeness(typed, text, width)).chain(term).min());
    }
    // of a move and the one with the sign as well, that one is named
    let same = |way: &Option<Likeness>| *way == Some(Likeness::Same);
    let named_so = |(way, n): (&Option<Likeness>, &Named)| same(way) && ends_alike(&n.notation);
    if last.is_some() && ways.iter().zip(named).any(named_so) {
        let others = ways.iter_mut().zip(named).filter(|(_, n)| !ends_alike(&n.notation));
        others.for_each(|(way, _)| *way = way.filter(|way| *way != Likeness::Same));
    }
    // what begins as a site does is one: `bc4` may be a capture from the column b, and `Bc4` the move of a bishop
    let first = typed.chars().next();
    let begins = |text: &str| text.chars().next() == first;
    let board = referee.view.board.as_ref();
    let is_site = board.is_some_and(|board| board.sites().any(|(_, site)| begins(&site.name)));
    let capital = first.is_some_and(char::is_uppercase);
    // a step to a site is no capture on it
    let crossed = typed.starts_with('x');
    let taking = capital && typed.chars().nth(1) == Some('x');
    for style in &styles {
        let styled = styled(referee, position, named, style)?;
        let same = is_site || capital && styled.iter().flatten().any(|text| begins(text));
        for (way, texts) in ways.iter_mut().zip(styled) {
            let meant = texts.iter().filter(|text| {
                (!same || begins(text)) && ends_alike(text) && (!crossed || text.contains('x'))
            });
            // behind a piece that captures stands where it goes, and not where it comes from
            let whole = |way: &Likeness| !taking || *way <= Likeness::Reordered;
            let best = meant.filter_map(|text| likeness(typed, text, width)).filter(whole).min();
            *way = way.iter().copied().chain(best).min();
        }
    }
    // the letter of a piece at the end is no beginning of another one's name
    if let Some(kinds) = kinds_at_end(referee, typed) {
        for (way, n) in ways.iter_mut().zip(named) {
            let last = n.term.functor().and_then(|(_, args)| args.last()).map(print_term);
            *way = way.filter(|_| last.is_none_or(|last| kinds.fit(&last)));
        }
    }
    Ok(ways)
}

/// The choice with this name in one notation; `None` where there is none.
///
/// # Errors
/// A rule error. Within: there are several.
pub fn find_in<'n>(
    referee: &Referee<'_>,
    position: &Position,
    named: &'n [Named],
    style: &str,
    typed: &str,
) -> Result<Option<Result<&'n Named, Miss>>, Stop> {
    let fitting = fitting(referee, position, named, style, typed.trim())?;
    Ok(one(named.iter().zip(fitting).filter(|(_, fits)| *fits).map(|(n, _)| n)))
}

/// For each choice, whether a text names it in one notation.
pub(super) fn fitting(
    referee: &Referee<'_>,
    position: &Position,
    named: &[Named],
    style: &str,
    typed: &str,
) -> Result<Vec<bool>, Stop> {
    // a suffix follows from the move, so it may be missing
    let suffixes = referee.rules.suffixes(style);
    let bare = suffixes.iter().find_map(|suffix| typed.strip_suffix(suffix.as_str()));
    let texts = styled(referee, position, named, style)?;
    let same = |text: &str, other: &str| text.chars().map(folded).eq(other.chars().map(folded));
    let fits = |text: &String| same(text, typed) || Some(text.as_str()) == bare;
    Ok(texts.iter().map(|own| own.iter().any(fits)).collect())
}

/// Whether a text has a sign by which forms of moves are told apart: `xa1` is another move than `a1`.
pub fn has_sign(text: &str) -> bool {
    takes_by_sign(text)
        || text.contains(|c: char| !(c.is_alphanumeric() || c.is_whitespace() || c == '-'))
}

/// Whether a text has the sign of a capture that is no letter of a word: `xa1`, `c3xe5`.
pub(super) fn takes_by_sign(text: &str) -> bool {
    let letters: Vec<char> = text.chars().collect();
    letters.iter().enumerate().any(|(i, c)| {
        let beside = |at: Option<usize>| at.and_then(|at| letters.get(at));
        *c == 'x'
            && beside(i.checked_sub(1)).is_none_or(|c| !c.is_alphabetic())
            && beside(Some(i + 1)).is_some_and(|c| c.is_alphanumeric())
    })
}
