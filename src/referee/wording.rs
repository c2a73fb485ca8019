//! Moves named by words alone, in any order: `clockwise nw` for a move that is also called `top left clockwise`.

use crate::reference::Alias;
use crate::syntax::{Term, print_term};

use super::Referee;
use super::kinds::is_kind;
use super::naming::Named;
use super::placings::is_thing;
use super::remarks::{TAKES, says_nothing};
use super::unread::words;
use super::values::{site_named, value_names};

/// What is put behind the name of a form of move.
const ENDINGS: [&str; 5] = ["", "s", "es", "al", "ing"];

/// Several words of letters, none of them twice and none a site; `None` where a text is something else.
fn plain_words(typed: &str, is_site: impl Fn(&str) -> bool) -> Option<Vec<String>> {
    let typed = words(typed);
    let alone = |word: &String| typed.iter().filter(|other| *other == word).count() == 1;
    let plain = |word: &String| word.chars().all(char::is_alphabetic) && !is_site(word);
    (typed.len() > 1 && typed.iter().all(|word| plain(word) && alone(word))).then_some(typed)
}

/// The values of a term as words, in alphabetical order.
fn values(term: &Term) -> Vec<String> {
    let mut values: Vec<String> =
        term.functor().map(|(_, args)| args.iter().map(print_term).collect()).unwrap_or_default();
    values.sort();
    values
}

/// Whether all words are among those of a move: of its term, its notation and its other names.
fn has_all(typed: &[String], names: &[&str]) -> bool {
    let known: Vec<String> = names.iter().flat_map(|name| words(name)).collect();
    let is_known = |word: &str| known.iter().any(|own| own == word);
    typed.iter().all(|word| is_known(word) || word.strip_suffix('s').is_some_and(is_known))
}

/// The moves that a text of words names: those of which they are the values, in another order, or else those among
/// whose words they all are. The order of sites tells where a move begins, so words that are sites name none.
pub fn named_by_words<'n>(
    named: &'n [Named],
    aliases: &[Vec<Alias>],
    typed: &str,
    is_site: impl Fn(&str) -> bool,
) -> Vec<&'n Named> {
    let Some(typed) = plain_words(typed, is_site) else { return Vec::new() };
    let mut sorted = typed.clone();
    sorted.sort();
    let whole: Vec<&Named> = named.iter().filter(|n| values(&n.term) == sorted).collect();
    if !whole.is_empty() {
        return whole;
    }
    let among = |(n, forms): &(&Named, &Vec<Alias>)| {
        let mut names = vec![n.text.as_str(), n.notation.as_str()];
        names.extend(forms.iter().map(|alias| alias.text.as_str()));
        has_all(&typed, &names)
    };
    named.iter().zip(aliases).filter(among).map(|(n, _)| n).collect()
}

/// Whether all words of a text are among those of one of these other names of a move and of its term.
pub fn is_among(
    term: &Term,
    aliases: &[Alias],
    typed: &str,
    is_site: impl Fn(&str) -> bool,
) -> bool {
    let Some(typed) = plain_words(typed, is_site) else { return false };
    let text = print_term(term);
    let mut names = vec![text.as_str()];
    names.extend(aliases.iter().map(|alias| alias.text.as_str()));
    !aliases.is_empty() && has_all(&typed, &names)
}

/// A text that is the name of a form of move and as many sites as it has values, as the term: `jump(a1, c3)` for `jump a1 c3`.
pub fn as_term(referee: &Referee<'_>, text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (name, values) = words.split_first()?;
    let is_form =
        |(form, domains): &(String, Vec<_>)| form == name && domains.len() == values.len();
    let are_sites = values.iter().all(|value| site_named(referee, value).is_some());
    (are_sites && !values.is_empty() && referee.game.types.moves.iter().any(is_form))
        .then(|| format!("{name}({})", values.join(", ")))
}

/// The forms of moves that a text names by a word: the name of a form, which is no word that people use of any move, or
/// what a form of one site places: `shoots`, `arrow`.
pub fn forms_named(referee: &Referee<'_>, text: &str) -> Vec<(String, usize)> {
    let forms = referee.game.types.moves.iter().map(|(name, domains)| (name, domains.len()));
    let forms: Vec<(&String, usize)> = forms.filter(|(_, arity)| *arity > 0).collect();
    let mut named = Vec::new();
    for word in words(text) {
        if !is_form_word(referee, &word) {
            continue;
        }
        let by_name = forms.iter().filter(|(name, _)| is_said_of(&word, name));
        let by_thing = forms.iter().filter(|(_, arity)| *arity == 1 && is_thing(referee, &word));
        named.extend(by_name.chain(by_thing).map(|(name, arity)| ((*name).clone(), *arity)));
    }
    named
}

/// Whether a word is the name of a form of move, or made of it: `withdraws`, `withdrawal` and `withdrawing` for
/// `withdraw`, `promotion` for `promote`.
fn is_said_of(word: &str, form: &str) -> bool {
    let made = word.strip_prefix(form).is_some_and(|end| ENDINGS.contains(&end));
    // the last letter is not kept in front of these
    let stem = form.strip_suffix('e').and_then(|stem| word.strip_prefix(stem));
    made || stem.is_some_and(|end| ["ing", "ed", "ion"].contains(&end))
}

/// Whether a move is of one of these forms.
pub fn has_form(term: &Term, forms: &[(String, usize)]) -> bool {
    forms.iter().any(|(name, arity)| term.form() == Some((name, *arity)))
}

/// Whether a word names a form of move or a thing that one places, and says nothing else.
pub fn is_form_word(referee: &Referee<'_>, word: &str) -> bool {
    let forms = &referee.game.types.moves;
    let is_form =
        |(name, domains): &(String, Vec<_>)| !domains.is_empty() && is_said_of(word, name);
    (forms.iter().any(is_form) || is_thing(referee, word))
        && !says_nothing(word)
        && !TAKES.contains(&word)
        && !is_kind(referee, word)
        && !value_names(referee).contains_key(word)
}
