//! Texts of moves that say more than the game's notations do: the number of a move, remarks, small words between sites,
//! and the kind of the piece that moves.

use crate::program::Value;
use crate::reference::Facts;
use crate::syntax::{Term, TermKind, print_term};

use super::Referee;
use super::meant::value_names;

/// Words that say nothing about a move beside its sites.
const WORDS: [&str; 16] = [
    "to",
    "from",
    "on",
    "at",
    "the",
    "my",
    "takes",
    "take",
    "captures",
    "capture",
    "moves",
    "goes",
    "check",
    "mate",
    "checkmate",
    "x",
];
/// What follows a capture in passing.
const REMARKS: [&str; 3] = ["e.p.", "e.p", "ep"];

/// Another text for what was typed.
pub struct Plainer {
    pub text: String,
    /// What stands where the move begins, one of these; `None` where the text does not say.
    pub kind: Option<Kind>,
}

/// What can stand on a site: all pieces of one kind.
pub struct Kind {
    pieces: Vec<Value>,
}

impl Kind {
    /// Whether a move begins on a site where such a piece stands.
    pub fn begins(&self, referee: &Referee<'_>, facts: &Facts, mv: &Term) -> bool {
        let values = &referee.game.program.values;
        let Some(fluent) = referee.rules.contents_fluent() else { return false };
        let first = |term: &Term| match &term.kind {
            TermKind::List(items, None) => items.first().map(print_term),
            _ => Some(print_term(term)),
        };
        let Some(name) = mv.functor().and_then(|(_, args)| first(args.first()?)) else {
            return false;
        };
        let board = referee.view.board.iter();
        let mut sites = board.flat_map(|board| board.sites().map(|(_, site)| site.value));
        let site = sites.find(|site| values.show(*site) == name);
        let held = site.and_then(|site| facts.get(fluent, &[site]));
        held.is_some_and(|held| self.pieces.contains(&held))
    }
}

/// Other texts for what was typed, the likeliest first.
pub fn plainer(referee: &Referee<'_>, text: &str) -> Vec<Plainer> {
    let text = text.trim();
    let plain = without_remarks(referee, text);
    let mut all = Vec::new();
    if plain != text {
        all.push(Plainer { text: plain.clone(), kind: None });
    }
    named(referee, &plain, &mut all);
    all
}

/// A text without the number of the move, without remarks, and without the words that say nothing beside sites.
pub fn without_remarks(referee: &Referee<'_>, text: &str) -> String {
    let mut rest = text.trim();
    let number = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let dots = number.trim_start_matches('.');
    let numbered = number.len() < rest.len() && dots.len() < number.len();
    let dice = number.strip_prefix(':').filter(|behind| behind.starts_with(' '));
    if let Some(behind) = dice.filter(|_| number.len() < rest.len()).or(numbered.then_some(dots))
        && !behind.trim().is_empty()
    {
        rest = behind.trim();
    }
    rest = rest.trim_end_matches(['!', '?', ' ']);
    for remark in REMARKS {
        let before = rest.strip_suffix(remark);
        let apart = |c: char| c.is_ascii_digit() || c == ' ';
        if let Some(before) = before.filter(|before| before.ends_with(apart)) {
            rest = before.trim_end();
            break;
        }
    }
    let words: Vec<&str> = rest.split_whitespace().collect();
    // a word before all others may say whose move it is
    let says_nothing = |i: usize| i > 0 && WORDS.contains(&words[i].to_lowercase().as_str());
    let mut rest = rest.to_string();
    if (0..words.len()).any(says_nothing) {
        let known = value_names(referee);
        let known = |word: &str| {
            let forms = referee.rules.move_forms();
            known.contains_key(word) || forms.iter().any(|(name, _, _)| name == word)
        };
        let is_said = |i: &usize| !says_nothing(*i) || known(&words[*i].to_lowercase());
        rest = (0..words.len()).filter(is_said).map(|i| words[i]).collect::<Vec<_>>().join(" ");
    }
    // the piece that a piece becomes, in brackets
    if let Some((site, piece)) = rest.strip_suffix(')').and_then(|rest| rest.split_once('('))
        && site.ends_with(|c: char| c.is_ascii_digit())
        && piece.chars().count() == 1
        && piece.chars().all(char::is_alphabetic)
    {
        rest = format!("{site}{piece}");
    }
    rest
}

/// Adds what a text means that names the kind of a piece before sites: `rook f3`, `Rb3`, `P*c3`.
fn named(referee: &Referee<'_>, text: &str, all: &mut Vec<Plainer>) {
    // a rule error in letters is none of what was typed
    let pieces = referee.rules.pieces().unwrap_or_default();
    let kinds: Vec<(Value, String)> =
        pieces.iter().filter_map(|(piece, _)| Some((*piece, kind(referee, *piece)?))).collect();
    let with = |is: &dyn Fn(&str) -> bool| -> Vec<Value> {
        kinds.iter().filter(|(_, name)| is(name)).map(|(piece, _)| *piece).collect()
    };
    let is_sign = |c: char| matches!(c, '-' | ':' | ' ' | '–' | '→') || c == 'x';
    let begins = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
    let (word, behind) = text.split_at(begins);
    let lower = word.to_lowercase();
    let called = with(&|name| name == lower);
    let letter_of = |piece: Value| {
        let (_, letter) = pieces.iter().find(|(other, _)| *other == piece)?;
        letter.as_ref().map(|letter| letter.to_uppercase())
    };
    if lower.chars().count() > 1 && !called.is_empty() {
        let letter = letter_of(called[0]);
        let rest = behind.trim_start_matches(is_sign).to_string();
        if rest.is_empty() {
            return;
        }
        if let Some(letter) = letter.filter(|_| !referee.rules.styles().is_empty()) {
            all.push(Plainer { text: format!("{letter}{rest}"), kind: None });
        }
        all.push(Plainer { text: rest, kind: Some(Kind { pieces: called }) });
        return;
    }
    let mut chars = text.chars();
    let Some(first) = chars.next().filter(|c| c.is_ascii_alphabetic()) else { return };
    let rest = chars.as_str();
    let board = referee.view.board.iter();
    let mut sites = board.flat_map(|board| board.sites());
    if first.is_lowercase() && sites.any(|(_, site)| site.name.starts_with(first)) {
        return;
    }
    let upper = first.to_string().to_uppercase();
    let mut meant: Vec<Value> = kinds
        .iter()
        .filter(|(piece, _)| letter_of(*piece).as_ref() == Some(&upper))
        .map(|(piece, _)| *piece)
        .collect();
    if meant.is_empty() {
        let begin = |name: &str| name.starts_with(first.to_ascii_lowercase());
        meant = with(&begin);
        let names: Vec<String> = meant.iter().filter_map(|piece| kind(referee, *piece)).collect();
        if names.windows(2).any(|two| two[0] != two[1]) {
            return;
        }
    }
    let Some(name) = meant.first().and_then(|piece| kind(referee, *piece)) else { return };
    if rest.starts_with(['*', '@']) {
        all.push(Plainer { text: format!("{name}{rest}"), kind: None });
        return;
    }
    let rest = rest.trim_start_matches(is_sign);
    if rest.contains(|c: char| c.is_ascii_digit()) {
        all.push(Plainer { text: rest.to_string(), kind: Some(Kind { pieces: meant }) });
    }
}

/// What a piece is, without whose it is: `rook` for `piece(white, rook)`, `man` for `man(black)`.
fn kind(referee: &Referee<'_>, piece: Value) -> Option<String> {
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
