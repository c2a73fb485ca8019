//! The sites and other values of the game that a text names.

use indexmap::IndexSet;
use rustc_hash::FxHashMap;

use crate::program::Value;
use crate::reference::Facts;
use crate::syntax::{Term, TermKind, print_term};
use crate::types::Domain;

use super::Referee;
use super::made::MOST;
use super::naming::loose;

/// The longest name that is looked for in a text, in letters.
const LONGEST_NAME: usize = 24;

/// The most values that a text names.
const MOST_VALUES: usize = 32;

/// The value of the game that a term is, where it is a number or a name.
pub(super) fn value(referee: &Referee<'_>, term: &Term) -> Option<Value> {
    match &term.kind {
        TermKind::Integer(number) => Some(Value::Integer(*number)),
        TermKind::Atom(name) => referee.game.program.values.find_atom(name),
        _ => None,
    }
}

/// The site that a text names and nothing more.
pub(crate) fn site_named(referee: &Referee<'_>, text: &str) -> Option<Value> {
    let text = loose(text);
    let board = referee.view.board.as_ref()?;
    board.sites().find(|(_, site)| site.name.to_lowercase() == text).map(|(_, site)| site.value)
}

/// Whether a text names a site as where a move goes: `tiger to e5`.
pub(super) fn names_end(referee: &Referee<'_>, text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let ends =
        |two: &[&str]| ["to", "onto"].contains(&two[0]) && site_named(referee, two[1]).is_some();
    words.windows(2).any(ends)
}

/// The names of the sites in a text.
pub(crate) fn sites_in(referee: &Referee<'_>, text: &str) -> IndexSet<Value> {
    let values = &referee.game.program.values;
    let names = sites(referee).iter().map(|s| (values.show(*s).to_lowercase(), *s)).collect();
    said(text, &names).into_iter().collect()
}

/// Whether something stands on a site.
pub(super) fn is_held(referee: &Referee<'_>, facts: &Facts, site: &[Value]) -> bool {
    let fluent = referee.rules.contents_fluent();
    let nothing = |value: &Value| *value == Value::Integer(0);
    fluent.and_then(|fluent| facts.get(fluent, site)).is_some_and(|value| !nothing(&value))
}

/// Whether a text begins with a site and names another one.
pub fn names_sites(referee: &Referee<'_>, text: &str) -> bool {
    let values = &referee.game.program.values;
    let sites = sites(referee);
    let begins = sites.iter().any(|site| text.starts_with(&values.show(*site)));
    let names = sites.iter().map(|site| (values.show(*site).to_lowercase(), *site)).collect();
    begins && said(text, &names).len() > 1
}

/// Whether a move names a site.
pub fn names_site(referee: &Referee<'_>, term: &Term) -> bool {
    let values = &referee.game.program.values;
    let names: IndexSet<String> =
        sites(referee).into_iter().map(|site| values.show(site)).collect();
    fn any(term: &Term, names: &IndexSet<String>) -> bool {
        let inner = match &term.kind {
            TermKind::Compound(_, args) | TermKind::List(args, _) => args.as_slice(),
            _ => return names.contains(&print_term(term)),
        };
        inner.iter().any(|inner| any(inner, names))
    }
    any(term, &names)
}

/// The most sites that a move can name; `None` where moves name none.
pub(super) fn most_sites(referee: &Referee<'_>) -> Option<usize> {
    let sites = sites(referee);
    let forms = referee.game.types.moves.iter().map(|(_, domains)| {
        let lists = domains.iter().any(|domain| domain.lists);
        let named = domains.iter().filter(|d| values(d).iter().any(|v| sites.contains(v))).count();
        if lists { usize::MAX } else { named }
    });
    forms.max().filter(|most| *most > 0)
}

/// The most sites that a move can name, where a text names more.
pub fn too_many_sites(referee: &Referee<'_>, text: &str) -> Option<usize> {
    let most = most_sites(referee)?;
    let sites = sites(referee);
    let values = &referee.game.program.values;
    let names = sites.iter().map(|site| (values.show(*site).to_lowercase(), *site)).collect();
    (said(text, &names).len() > most).then_some(most)
}

/// The names of the sites of a text that is a path of more of them than any move names, which is two, all joined by one sign;
/// and that sign.
pub fn path_of_sites(referee: &Referee<'_>, text: &str) -> Option<(Vec<String>, &'static str)> {
    too_many_sites(referee, text).filter(|most| *most == 2)?;
    let lower = text.trim().to_lowercase();
    let shown = |site: &Value| referee.game.program.values.show(*site);
    let names: Vec<String> = sites_in(referee, text).iter().map(shown).collect();
    let sign = ["-", "x", ":"].into_iter().find(|sign| lower == names.join(sign))?;
    Some((names, sign))
}

/// The names of all values that moves can have, in small letters.
pub(super) fn value_names(referee: &Referee<'_>) -> FxHashMap<String, Value> {
    let types = &referee.game.types;
    let sites = sites(referee);
    let domains = types.moves.iter().flat_map(|(_, domains)| domains).chain([&types.items]);
    let all = domains.flat_map(|domain| with_sites(values(domain), &sites));
    all.map(|value| (referee.game.program.values.show(value).to_lowercase(), value)).collect()
}

/// Whether moves name a value, such as the colour of what is placed.
pub(super) fn is_named_by_moves(referee: &Referee<'_>, value: Value) -> bool {
    let types = &referee.game.types;
    let mut domains = types.moves.iter().flat_map(|(_, domains)| domains);
    domains.any(|domain| {
        let items = match &domain.items {
            _ if !domain.lists => None,
            Some(items) => Some(&**items),
            None => Some(&types.items),
        };
        [Some(domain), items].into_iter().flatten().any(|domain| values(domain).contains(&value))
    })
}

/// The greatest number that a move can name.
pub(super) fn greatest(referee: &Referee<'_>) -> u64 {
    let names = value_names(referee);
    names.keys().filter_map(|name| name.parse().ok()).max().unwrap_or(0)
}

/// The sites of the board.
pub(super) fn sites(referee: &Referee<'_>) -> IndexSet<Value> {
    let board = referee.view.board.iter();
    board.flat_map(|board| board.sites().map(|(_, site)| site.value)).collect()
}

/// Values among which there are sites, as all sites: a move to one that no move can reach is one too.
pub(super) fn with_sites(values: IndexSet<Value>, sites: &IndexSet<Value>) -> IndexSet<Value> {
    if values.iter().any(|value| sites.contains(value)) { sites.clone() } else { values }
}

/// The values of a domain, apart from lists; none where they are too many.
pub(super) fn values(domain: &Domain) -> IndexSet<Value> {
    let few = domain.integers.filter(|(lo, hi)| hi.saturating_sub(*lo) < MOST as i64);
    let integers = few.into_iter().flat_map(|(lo, hi)| lo..=hi).map(Value::Integer);
    if domain.top || domain.moves {
        return IndexSet::new();
    }
    domain.constants.iter().map(Value::Constant).chain(integers).collect()
}

/// The values that a text names, in their order.
pub(super) fn said(text: &str, names: &FxHashMap<String, Value>) -> Vec<Value> {
    parted(text, names).0
}

/// The values that a text names, in their order, and the text in small letters with blanks for them and for signs.
pub(super) fn parted(text: &str, names: &FxHashMap<String, Value>) -> (Vec<Value>, Vec<char>) {
    let letters: Vec<char> = text.chars().flat_map(char::to_lowercase).collect();
    let mut rest: Vec<char> =
        letters.iter().map(|c| if c.is_alphanumeric() { *c } else { ' ' }).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < letters.len() && found.len() < MOST_VALUES {
        let longest = (letters.len() - at).min(LONGEST_NAME);
        let named = (1..=longest).rev().find_map(|len| {
            let value = names.get(&letters[at..at + len].iter().collect::<String>())?;
            whole(&letters, at, at + len).then_some((len, *value))
        });
        match named {
            Some((len, value)) => {
                found.push(value);
                rest[at..at + len].fill(' ');
                at += len;
            }
            None if letters[at].is_ascii_digit() => {
                at += letters[at..].iter().take_while(|c| c.is_ascii_digit()).count();
            }
            None => at += 1,
        }
    }
    (found, rest)
}

/// Whether a part of a text is a name of its own: it divides no number, and a word of letters no word.
fn whole(letters: &[char], from: usize, to: usize) -> bool {
    let is = |at: Option<usize>, test: fn(&char) -> bool| {
        at.and_then(|at| letters.get(at)).is_some_and(test)
    };
    let (before, after) = (from.checked_sub(1), Some(to));
    let word = letters[from..to].iter().all(|c| c.is_alphabetic());
    let number = |c: &char| c.is_ascii_digit();
    match word {
        true => !is(before, |c| c.is_alphabetic()) && !is(after, |c| c.is_alphabetic()),
        false => {
            let divides =
                |own: usize, next| number(&letters[own]) && is(next, char::is_ascii_digit);
            !divides(to - 1, after) && !divides(from, before)
        }
    }
}
