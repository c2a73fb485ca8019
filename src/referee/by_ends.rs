//! Moves along paths of several sites, typed by their ends alone: `b2xd6` for `b2-d4-d6`.

use crate::syntax::{Term, TermKind, print_term};

use super::Referee;
use super::naming::Named;
use super::values::{parted, site_named, sites};

/// What may stand between the two sites: nothing but signs, the letter of a capture, or a word that leads on.
const BETWEEN: [&str; 3] = ["", "x", "to"];

/// The legal moves along a path that begins and ends on the two sites of a text, which says nothing else; none where a legal
/// move names these two alone.
pub(super) fn by_ends<'n>(referee: &Referee<'_>, legal: &'n [Named], text: &str) -> Vec<&'n Named> {
    let Some((from, to)) = two_sites(referee, text) else { return Vec::new() };
    let mut found = Vec::new();
    for n in legal {
        let Some(path) = path(referee, &n.term) else { continue };
        let ends = path.first() == Some(&from) && path.last() == Some(&to);
        match path.len() {
            2 if ends => return Vec::new(),
            3.. if ends => found.push(n),
            _ => {}
        }
    }
    found
}

/// The two different sites that a text joins.
fn two_sites(referee: &Referee<'_>, text: &str) -> Option<(String, String)> {
    let values = &referee.game.program.values;
    let names = sites(referee).iter().map(|s| (values.show(*s).to_lowercase(), *s)).collect();
    let (said, rest) = parted(text.trim(), &names);
    let [from, to] = *said.as_slice() else { return None };
    let between: String = rest.iter().filter(|c| !c.is_whitespace()).collect();
    let joined = from != to && BETWEEN.contains(&between.as_str());
    joined.then(|| (values.show(from), values.show(to)))
}

/// The sites of a move that has a list of them, in their order; `None` where it has none, or names anything else.
fn path(referee: &Referee<'_>, mv: &Term) -> Option<Vec<String>> {
    let (_, args) = mv.functor()?;
    if !args.iter().any(|arg| matches!(arg.kind, TermKind::List(..))) {
        return None;
    }
    let items = args.iter().flat_map(|arg| match &arg.kind {
        TermKind::List(items, None) => items.as_slice(),
        _ => std::slice::from_ref(arg),
    });
    let path: Vec<String> = items.map(print_term).collect();
    path.iter().all(|name| site_named(referee, name).is_some()).then_some(path)
}
