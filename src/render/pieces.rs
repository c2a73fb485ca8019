//! What stands on a site, as it is drawn: whose it is, its colour and its form.

use crate::program::{Kind, Program};
use crate::reference::Sight;
use crate::syntax::{Term, print_term};

use super::paint::Tint;
use super::width::display_width;

/// A piece on a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The colour of its player, or the one that its name says.
    pub tint: Option<Tint>,
    /// It belongs to a player.
    pub owned: bool,
    /// What tells it from other pieces of its colour; `None` where there is nothing.
    pub label: Option<String>,
    /// How rules want it drawn, by `figure/2`.
    pub figure: Option<String>,
    /// What it is in words: `white`, `white rook`.
    pub name: String,
}

/// Whose pieces are whose, and their colours.
#[derive(Debug, Clone)]
pub(super) struct Owners {
    /// The players' names.
    players: Vec<String>,
    /// The values that `owner/2` gives to players, both as they are written.
    owned: Vec<(String, String)>,
}

impl Owners {
    pub fn new(program: &Program, tables: &crate::datalog::Tables) -> Owners {
        let all = program.named_players();
        let players: Vec<String> = all.map(|player| program.values.show(player)).collect();
        let owner = program.find_relation("owner", 2);
        let owner = owner.filter(|id| program.relation(*id).kind == Kind::Static);
        let rows = owner.into_iter().flat_map(|id| tables.get(id).rows());
        let written = rows.map(|row| (program.values.show(row[0]), program.values.show(row[1])));
        let owned = written.filter(|(_, player)| players.contains(player)).collect();
        Owners { players, owned }
    }

    /// The player to whom a value belongs: the player himself, the only player among the arguments of a
    /// compound, or the one that `owner/2` tells.
    fn owner(&self, value: &Term) -> Option<&str> {
        let name = print_term(value);
        let known = |name: &str| self.players.iter().find(|player| *player == name);
        if let Some(player) = known(&name) {
            return Some(player);
        }
        if let Some((_, player)) = self.owned.iter().find(|(value, _)| *value == name) {
            return Some(player);
        }
        let (_, arguments) = value.functor()?;
        let mut found = arguments.iter().filter_map(|argument| known(&print_term(argument)));
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    /// The colour of a player: the one of his name, or else that of his seat.
    pub fn tint(&self, player: &str) -> Option<Tint> {
        let seat = self.players.iter().position(|name| name == player)?;
        Tint::named(player).or_else(|| Tint::of_seat(seat))
    }

    /// The piece that a sight is of.
    pub fn piece(&self, sight: &Sight) -> Piece {
        let name = print_term(&sight.value);
        let owner = self.owner(&sight.value);
        let tint = match owner {
            Some(player) => self.tint(player),
            None => Tint::named(&name),
        };
        // a disc needs no name where its colour tells all
        let disc = ["○", "●", "◯", "⬤"].contains(&sight.text.as_str());
        let word = display_width(&name) > 1;
        let alone = word && (sight.text == name || owner.is_none());
        let plain = tint.is_some() && (disc || alone);
        let label = (!plain).then(|| sight.text.clone());
        let name = words(&sight.value, owner);
        Piece { tint, owned: owner.is_some(), label, figure: sight.figure.clone(), name }
    }
}

/// A value in words: `white rook` for `piece(white, rook)`, `black man` for `man(black)`.
fn words(value: &Term, owner: Option<&str>) -> String {
    let Some((functor, arguments)) = value.functor() else { return print_term(value) };
    let all: Vec<String> = arguments.iter().map(print_term).collect();
    let (whose, kinds): (Vec<String>, Vec<String>) =
        all.into_iter().partition(|argument| Some(argument.as_str()) == owner);
    match (whose.as_slice(), kinds.as_slice()) {
        ([whose], []) => format!("{whose} {functor}"),
        ([whose], kinds) => format!("{whose} {}", kinds.join(" ")),
        _ => print_term(value),
    }
}

/// The sites of the last move: those that its term names, if they have changed, and otherwise all that have.
///
/// A move may speak of sites in the words of a player, so a name alone does not tell.
pub(super) fn changed(
    names: &[&str],
    mv: &Term,
    before: &[Option<String>],
    now: &[Option<String>],
) -> Vec<bool> {
    let changed: Vec<bool> = before.iter().zip(now).map(|(a, b)| a != b).collect();
    let mut named = Vec::new();
    gather(names, mv, &mut named);
    let at = |site: Option<&usize>| site.is_some_and(|i| changed.get(*i) == Some(&true));
    if at(named.first()) && at(named.last()) {
        return (0..names.len()).map(|i| named.contains(&i)).collect();
    }
    changed
}

/// The sites in a term, in its order.
fn gather(names: &[&str], term: &Term, found: &mut Vec<usize>) {
    let text = print_term(term);
    if let Some(i) = names.iter().position(|name| *name == text) {
        found.push(i);
        return;
    }
    if let Some((_, arguments)) = term.functor() {
        arguments.iter().for_each(|argument| gather(names, argument, found));
    }
    if let crate::syntax::TermKind::List(items, _) = &term.kind {
        items.iter().for_each(|item| gather(names, item, found));
    }
}
