//! Illegal moves that are told by the numbers of sites.

use rustc_hash::FxHashMap;

use crate::explain::{Cause, Explanation};
use crate::reference::Facts;
use crate::syntax::{Term, print_term};

use super::kinds::{is_kind, is_letter as is_piece_letter};
use super::likeliest::Meant;
use super::made::made_of;
use super::meant::written;
use super::values::{parted, site_named, sites, sites_in, value_names};
use super::{Referee, Stop};

/// A text with the sites for the numbers in it, where it has words beside them and another notation numbers the sites:
/// `jump over f6` for `jump over 23`.
pub(super) fn with_sites_for_numbers(
    referee: &Referee<'_>,
    facts: &Facts,
    text: &str,
) -> Option<String> {
    let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit());
    let words: Vec<&str> = text.split(' ').collect();
    let tells = words.iter().any(|word| word.len() > 1 && word.chars().all(char::is_alphabetic));
    let numbers = words.iter().any(|word| !word.is_empty() && is_number(word));
    if !tells || !numbers {
        return None;
    }
    let known = value_names(referee);
    if words.iter().any(|word| is_number(word) && known.contains_key(*word)) {
        return None;
    }
    let numbered = numbered_sites(referee, facts);
    let told = words.iter().map(|word| match is_number(word) && !word.is_empty() {
        true => numbered.get(*word).cloned(),
        false => Some((*word).to_string()),
    });
    Some(told.collect::<Option<Vec<_>>>()?.join(" "))
}

/// By its number, the name of each site that another notation numbers: those that steps from and to one of them begin and
/// end with.
fn numbered_sites(referee: &Referee<'_>, facts: &Facts) -> FxHashMap<String, String> {
    let mut numbered = FxHashMap::default();
    let styles = referee.rules.styles();
    let sites = referee.view.board.iter().flat_map(|board| board.sites());
    let Some((_, one)) = sites.take(1).find(|_| !styles.is_empty()) else { return numbered };
    let (_, mut made) = made_of(referee, &one.name);
    made.retain(|term| matches!(term.functor(), Some((_, [_, _]))));
    for style in styles {
        // a rule error in a notation is none of what was typed
        let texts = referee.rules.styled(facts, &made, &style).unwrap_or_default();
        for (term, texts) in made.iter().zip(texts) {
            for text in texts {
                let Some(sites) = sites_of_numbers(referee, &text, term) else { continue };
                let numbers = text.split('-').map(str::to_string);
                numbered.extend(numbers.zip(sites.split('x').map(str::to_string)));
            }
        }
    }
    numbered
}

/// The sites that the numbers in a text name, in their order; `None` where one names none.
fn sites_by_number(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<Vec<String>> {
    let numbered = numbered_sites(referee, facts);
    let numbers = text.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty());
    numbers.map(|number| numbered.get(number).cloned()).collect()
}

/// The path of a capture that a text tells by more than two numbers, by its sites; `None` where it is no such text.
pub(super) fn path_of_numbers(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<String> {
    let numbers: Vec<&str> = text.split(|c: char| !c.is_ascii_digit()).collect();
    let signs = text.chars().all(|c| c.is_ascii_digit() || "-x:× ".contains(c));
    if numbers.len() < 3 || !signs || numbers.iter().any(|number| number.is_empty()) {
        return None;
    }
    Some(sites_by_number(referee, facts, text)?.join("-"))
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
/// not yet at its end, a promotion that is not told; of a move that is not legal without its mark, why it is not.
///
/// # Errors
/// A rule error.
pub fn completed(
    referee: &Referee<'_>,
    facts: &Facts,
    text: &str,
    mut told: Explanation,
) -> Result<Explanation, Stop> {
    let typed = match sites_in(referee, text) {
        sites if told.holds && sites.is_empty() && !text.contains(is_letter) => {
            let path = sites_by_number(referee, facts, text);
            path.map_or(sites, |path| sites_in(referee, &path.join("-")))
        }
        sites => sites,
    };
    let named = sites_in(referee, &told.subject);
    let begins = typed.len() > 1 && typed.iter().eq(named.iter().take(typed.len()));
    if told.holds
        && (begins || typed.len() == 1 && typed.last() == named.last())
        && let Some(unmarked) = without_mark(referee, facts, text, &told.subject)?
    {
        return Ok(unmarked);
    }
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
    Ok(told)
}

/// Why the move that a text names is not legal, where a legal one is written as that is, with a mark behind it: `a8-a9` of
/// a pawn that must be promoted there. The text names nothing beside sites but the piece.
fn without_mark(
    referee: &Referee<'_>,
    facts: &Facts,
    text: &str,
    marked: &str,
) -> Result<Option<Explanation>, Stop> {
    let mark = |c: char| !c.is_alphanumeric();
    let bare = marked.trim_end_matches(mark);
    if bare.len() == marked.len() || text.trim_end().ends_with(mark) {
        return Ok(None);
    }
    let values = &referee.game.program.values;
    let names = sites(referee).iter().map(|s| (values.show(*s).to_lowercase(), *s)).collect();
    let rest: String = parted(text, &names).1.into_iter().collect();
    let says_piece = |word: &str| {
        let letter = word.chars().next().filter(|_| word.len() == 1);
        letter.is_some_and(|letter| letter == 'x' || is_piece_letter(referee, letter))
            || word == "to"
            || is_kind(referee, word)
    };
    if !rest.split_whitespace().all(says_piece) {
        return Ok(None);
    }
    let terms = written(referee, facts, bare)?;
    let [term] = terms.as_slice() else { return Ok(None) };
    let told = referee.rules.why_move(facts, term).map_err(|error| referee.stopped(error))?;
    // where nothing of it holds another piece was meant
    let refused = told.cause == Cause::Goal && !told.holds && told.reached > 0;
    let short = format!("{} The move is written `{marked}`.", told.short);
    Ok(refused.then_some(Explanation { short, ..told }))
}

/// Whether a character is a letter that is no sign of a capture.
fn is_letter(c: char) -> bool {
    c.is_alphabetic() && c != 'x'
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
