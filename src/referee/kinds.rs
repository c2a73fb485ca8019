//! Kinds of pieces, and how a text names them.

use crate::program::Value;
use crate::reference::{Alias, Facts};
use crate::syntax::{Term, TermKind, print_term};

use super::Referee;
use super::owners::{has_owner, owned};
use super::plainer::Plainer;
use super::strange::is_site;
use super::values::{names_site, sites_in};

/// The moves that a text can mean by what it says beside their sites.
pub enum Kind {
    /// Those that begin on a site where one of these pieces stands.
    Pieces(Vec<Value>),
    /// Those of the form of this name.
    Form(String),
    /// Those that begin on a site whose name begins with this letter.
    Column(char),
}

impl Kind {
    /// Whether a move is one of them.
    pub fn fits(&self, referee: &Referee<'_>, facts: &Facts, mv: &Term) -> bool {
        let first = |term: &Term| match &term.kind {
            TermKind::List(items, None) => items.first().map(print_term),
            _ => Some(print_term(term)),
        };
        let name = mv.functor().and_then(|(_, args)| first(args.first()?));
        let held = |name: &String| held(referee, facts, name);
        match self {
            Kind::Pieces(pieces) => {
                let there = |name: &String| held(name).is_some_and(|held| pieces.contains(&held));
                match names_site(referee, mv) {
                    true => name.as_ref().is_some_and(there),
                    // another name of the move tells where the piece stands: castling as a move of the king
                    false => other_beginnings(referee, facts, mv).any(|name| there(&name)),
                }
            }
            Kind::Form(form) => mv.functor().is_some_and(|(name, _)| name == form),
            Kind::Column(letter) => {
                let own =
                    |piece: Value| facts.turn().is_some_and(|turn| owned(referee, piece, turn));
                name.is_some_and(|name| name.starts_with(*letter) && held(&name).is_some_and(own))
            }
        }
    }

    /// The pieces, and what they are called.
    pub fn pieces(&self, referee: &Referee<'_>) -> Option<(&[Value], String)> {
        let Kind::Pieces(pieces) = self else { return None };
        Some((pieces, kind(referee, *pieces.first()?)?))
    }
}

/// The sites at which the other names of a move begin.
fn other_beginnings<'a>(
    referee: &'a Referee<'_>,
    facts: &Facts,
    mv: &Term,
) -> impl Iterator<Item = String> + 'a {
    // a rule error in a name is none of what was typed
    let names = referee.rules.aliases(facts, std::slice::from_ref(mv)).unwrap_or_default();
    let first = |alias: Alias| sites_in(referee, &alias.text).first().copied();
    let sites = names.into_iter().flatten().filter_map(first);
    sites.map(|site| referee.game.program.values.show(site))
}

/// What stands on the site of this name.
pub(super) fn held(referee: &Referee<'_>, facts: &Facts, name: &str) -> Option<Value> {
    let values = &referee.game.program.values;
    let fluent = referee.rules.contents_fluent()?;
    let mut sites = referee.view.board.as_ref()?.sites().map(|(_, site)| site.value);
    let site = sites.find(|site| values.show(*site) == name)?;
    facts.get(fluent, &[site])
}

/// The letters by which pieces are shown.
pub(super) struct Letters(Vec<(Value, Option<String>)>);

impl Letters {
    pub fn new(referee: &Referee<'_>) -> Letters {
        // a rule error in letters is none of what was typed
        Letters(referee.rules.pieces().unwrap_or_default())
    }

    /// Those of a piece.
    pub fn of(&self, piece: Value) -> Option<&str> {
        self.0.iter().find(|(other, _)| *other == piece).and_then(|(_, shown)| shown.as_deref())
    }
}

/// Whether a kind of piece has this letter, or a name that begins with it.
pub(super) fn is_letter(referee: &Referee<'_>, letter: char) -> bool {
    let (letters, kinds) = (Letters::new(referee), kinds(referee));
    let shown = |piece: &Value| letters.of(*piece).map(str::to_lowercase);
    let letter = letter.to_string();
    kinds.iter().any(|(_, name)| {
        let mut alike = kinds.iter().filter(|(_, other)| other == name);
        // letters that differ from player to player are colours
        name.starts_with(&letter) || alike.all(|(piece, _)| shown(piece).as_ref() == Some(&letter))
    })
}

/// Whether a word is what a piece is called, without whose it is.
pub(super) fn is_kind(referee: &Referee<'_>, word: &str) -> bool {
    kinds(referee).iter().any(|(_, name)| name == word)
}

/// What can stand on a site and has a kind. Where pieces are their players', what is no player's is none that moves: an
/// arrow.
pub(super) fn kinds(referee: &Referee<'_>) -> Vec<(Value, String)> {
    // a rule error in letters is none of what was typed
    let mut pieces = referee.rules.pieces().unwrap_or_default();
    if pieces.iter().any(|(piece, _)| has_owner(referee, *piece)) {
        pieces.retain(|(piece, _)| has_owner(referee, *piece));
    }
    pieces.iter().filter_map(|(piece, _)| Some((*piece, kind(referee, *piece)?))).collect()
}

/// Whether a piece is of the kind of this name.
pub(super) fn is_of_kind(kinds: &[(Value, String)], piece: Value, kind: &str) -> bool {
    kinds.iter().any(|(known, name)| *known == piece && name == kind)
}

/// Kinds of pieces, of which a text names some by the letter or the name with which it ends.
pub(super) struct KindsAtEnd {
    all: Vec<String>,
    pub meant: Vec<String>,
}

impl KindsAtEnd {
    /// Whether a value is one of those kinds, or no kind at all.
    pub fn fit(&self, value: &String) -> bool {
        self.meant.contains(value) || !self.all.contains(value)
    }

    /// The kinds that moves name last.
    pub fn at_end<'n>(&self, moves: impl Iterator<Item = &'n Term>) -> Vec<String> {
        let last = |term: &Term| term.functor().and_then(|(_, args)| args.last()).map(print_term);
        let mut named: Vec<String> =
            moves.filter_map(last).filter(|last| self.all.contains(last)).collect();
        named.sort();
        named.dedup();
        named
    }
}

/// The kinds of pieces whose letter or name stands at the end of a text, behind what is no letter; `None` where it is
/// no piece's.
pub(super) fn kinds_at_end(referee: &Referee<'_>, text: &str) -> Option<KindsAtEnd> {
    let text = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    let before = text.trim_end_matches(char::is_alphabetic);
    let word = text[before.len()..].to_lowercase();
    if before.is_empty() || word.is_empty() {
        return None;
    }
    let (letters, kinds) = (Letters::new(referee), kinds(referee));
    let is_it = |(piece, name): &&(Value, String)| {
        *name == word || letters.of(*piece).map(str::to_lowercase).as_ref() == Some(&word)
    };
    let mut meant: Vec<String> = kinds.iter().filter(is_it).map(|(_, name)| name.clone()).collect();
    meant.dedup();
    let all = kinds.into_iter().map(|(_, name)| name).collect();
    (!meant.is_empty()).then_some(KindsAtEnd { all, meant })
}

/// Adds what a text means that names the kind of a piece before sites: `rook f3`, `Rb3`, `P*c3`.
pub(super) fn named(referee: &Referee<'_>, text: &str, takes: bool, all: &mut Vec<Plainer>) {
    let (letters, kinds) = (Letters::new(referee), kinds(referee));
    let with = |is: &dyn Fn(&str) -> bool| -> Vec<Value> {
        kinds.iter().filter(|(_, name)| is(name)).map(|(piece, _)| *piece).collect()
    };
    let is_sign = |c: char| matches!(c, '-' | ':' | ' ' | '–' | '→') || c == 'x';
    let begins = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
    let (word, behind) = text.split_at(begins);
    let lower = word.to_lowercase();
    let called = with(&|name| name == lower);
    let letter_of = |piece: Value| letters.of(piece).map(str::to_uppercase);
    if lower.chars().count() > 1 && !called.is_empty() {
        let letter = letter_of(called[0]);
        let rest = behind.trim_start_matches(is_sign).to_string();
        if rest.is_empty() {
            return;
        }
        if let Some(letter) = letter.filter(|_| !referee.rules.styles().is_empty()) {
            let kind = Some(Kind::Pieces(called.clone()));
            let rest = crossed(rest.clone(), takes);
            all.push(Plainer::with(format!("{letter}{rest}"), kind));
        }
        // another sign tells that no piece on the board moves: `rook@f3`
        if rest.starts_with(char::is_alphanumeric) {
            all.push(Plainer::with(crossed(rest, takes), Some(Kind::Pieces(called))));
        }
        return;
    }
    let mut chars = text.chars();
    let Some(first) = chars.next().filter(|c| c.is_ascii_alphabetic()) else { return };
    let rest = chars.as_str();
    let board = referee.view.board.iter();
    let sites = board.flat_map(|board| board.sites());
    let sites_begin: Vec<char> = sites.filter_map(|(_, site)| site.name.chars().next()).collect();
    let dropped = rest.starts_with(['*', '@']);
    if first.is_lowercase() && !dropped && (sites_begin.contains(&first) || is_site(text)) {
        return;
    }
    // a word that begins with the letter of a piece is none
    let file = |c: char| c == 'x' || sites_begin.contains(&c.to_ascii_lowercase());
    let more = &lower[first.len_utf8()..];
    if !more.is_empty() && (behind.starts_with(' ') || !more.chars().all(file)) {
        return;
    }
    let upper = first.to_string().to_uppercase();
    // letters that differ from player to player are colours
    let lettered = |name: &String| {
        let mut alike = kinds.iter().filter(|(_, other)| other == name);
        alike.all(|(piece, _)| letter_of(*piece).as_ref() == Some(&upper))
    };
    let mut meant: Vec<Value> =
        kinds.iter().filter(|(_, name)| lettered(name)).map(|(piece, _)| *piece).collect();
    if meant.is_empty() {
        let initial = first.to_ascii_lowercase();
        let others = referee.rules.other_words();
        let begin = |name: &str| {
            let word = |(word, own): &(&str, &str)| *own == name && word.starts_with(initial);
            name.starts_with(initial) || others.iter().any(word)
        };
        meant = with(&begin);
        let names: Vec<String> = meant.iter().filter_map(|piece| kind(referee, *piece)).collect();
        if names.windows(2).any(|two| two[0] != two[1]) {
            return;
        }
    }
    let Some(name) = meant.first().and_then(|piece| kind(referee, *piece)) else { return };
    if dropped {
        all.push(Plainer::of(format!("{name}{rest}")));
        return;
    }
    let rest = rest.trim_start_matches(is_sign);
    if rest.contains(|c: char| c.is_ascii_digit()) {
        all.push(Plainer::with(crossed(rest.to_string(), takes), Some(Kind::Pieces(meant))));
    }
}

/// The site on which a piece captures, with the sign of that: without it another notation may have a step there.
fn crossed(rest: String, takes: bool) -> String {
    let alone = rest.chars().all(char::is_alphanumeric) && !rest.starts_with('x');
    if takes && alone { format!("x{rest}") } else { rest }
}

/// What a piece is, without whose it is: `rook` for `piece(white, rook)`, `man` for `man(black)`.
pub(super) fn kind(referee: &Referee<'_>, piece: Value) -> Option<String> {
    let program = &referee.game.program;
    let is_player = |value: Value| program.player_index(value).is_some();
    let Some((name, args)) = program.values.functor(piece).filter(|(_, args)| !args.is_empty())
    else {
        return (!is_player(piece)).then(|| program.values.show(piece));
    };
    let others: Vec<Value> = args.iter().copied().filter(|arg| !is_player(*arg)).collect();
    match others.as_slice() {
        [] => Some(name.to_string()),
        [one] => Some(program.values.show(*one)),
        _ => None,
    }
}
