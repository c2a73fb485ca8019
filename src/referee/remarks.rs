//! What a text says beside a move: its number, whose it is, remarks, and words that say nothing beside sites.

use std::borrow::Cow;

use crate::reference::Facts;

use super::Referee;
use super::headings::HEADINGS;
use super::kinds::{is_kind, kinds};
use super::leaps::{OVER, is_over};
use super::places::is_place;
use super::synonyms::{number_word, ordinal};
use super::values::{is_named_by_moves, site_named, sites_in, value_names};
use super::wording::is_form_word;

/// Words that say nothing about a move beside its sites.
#[rustfmt::skip]
const WORDS: [&str; 105] = [
    "to", "from", "on", "at", "in", "the", "my", "a", "an", "move", "moves", "goes", "go", "play",
    "plays", "place", "places", "put", "puts", "check", "mate", "checkmate", "column", "square",
    "point", "house", "hole", "pit", "cup", "drop", "drops", "piece", "pieces", "man", "pawn",
    "pawns", "stone", "disc", "disk", "counter", "marble", "ball", "tile", "group", "peg",
    "checker", "token", "mark", "line", "rotate", "turn", "hand", "over", "give", "it", "please",
    "want", "like", "i'd", "i'll", "let's", "would", "sow", "sows", "jump", "jumps", "leap",
    "leaps", "hop", "hops", "slide", "slides", "step", "steps", "quarter", "quadrant",
    "mine", "me", "we", "you", "get", "gets", "new", "another", "last", "here", "now", "ok", "okay",
    "of", "stones", "seeds", "counters", "men", "all", "number", "set", "sets", "add", "adds", "into",
    "onto", "towards", "toward", "one",
];

/// Words among those that say nothing, which may be what a piece is like.
const SHAPES: [&str; 3] = ["square", "line", "point"];

/// Words for a way, which say nothing before the site to which it leads: `up to f7`.
const WAYS: [&str; 13] = [
    "up",
    "down",
    "left",
    "right",
    "over",
    "back",
    "across",
    "along",
    "forward",
    "on",
    "straight",
    "sideways",
    "diagonally",
];

/// What stands before the site to which a way leads.
const ENDS: [&str; 3] = ["to", "onto", "into"];

/// Words for what turns and goes nowhere, so that a site beside them is not where a move goes.
pub(super) const TURNS: [&str; 4] = ["rotate", "rotates", "turn", "turns"];

/// Words that say that a move captures.
#[rustfmt::skip]
pub(super) const TAKES: [&str; 23] = [
    "takes", "take", "captures", "capture", "removes", "remove", "kills", "kill", "x",
    "eats", "eat", "hits", "hit", "beats", "beat", "grabs", "grab",
    "taking", "capturing", "removing", "killing", "erase", "erases",
];

/// Whether a word, and not only a letter, says that a move captures.
pub(super) fn is_taking(word: &str) -> bool {
    word.len() > 1 && TAKES.contains(&word.to_lowercase().as_str())
}

/// What people call the throw of dice.
pub(super) const THROWS: [&str; 5] = ["roll", "rolls", "throw", "throws", "dice"];

/// What follows the site of a capture in passing.
const REMARKS: [&str; 5] = ["e.p.", "e.p", "ep", "en passant", "in passing"];

/// What people add that follows from a move.
const FOLLOWS: [&str; 8] = [
    " and gives check",
    " gives check",
    " giving check",
    " with check",
    " and check",
    " and mate",
    " and wins",
    " wins",
];

/// The signs of the players in Japanese records.
const MOVERS: [char; 6] = ['▲', '△', '▼', '▽', '☗', '☖'];

/// Words that say of a site that it is not the one where the move goes.
const BESIDE: [&str; 14] = [
    "above", "below", "beside", "behind", "under", "near", "between", "beyond", "opposite", "next",
    "not", "except", "instead", "without",
];

/// Words for a side of what is named behind them and `of`.
const SIDES: [&str; 10] =
    ["front", "left", "right", "ahead", "top", "back", "north", "south", "east", "west"];

/// Whether a text says of a site that it is not the one where the move goes: `above b2`.
pub(super) fn tells_beside(text: &str) -> bool {
    text.split_whitespace().any(|word| BESIDE.contains(&word.to_lowercase().as_str()))
}

/// Whether a text says that a move is not made, or that a site is not where it goes.
pub fn denies(text: &str) -> bool {
    let lower = text.to_lowercase();
    let denied = |word: &str| ["never", "don't", "dont", "no", "but"].contains(&word);
    tells_beside(text) || lower.split_whitespace().any(denied)
}

/// Whether a word in small letters says nothing about a move.
pub fn says_nothing(word: &str) -> bool {
    WORDS.contains(&word)
}

/// Whether a text says that a move is taken back: `white takes e4 back`, `take back h8`.
pub fn takes_back(text: &str) -> bool {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let takes = words.iter().position(|word| ["take", "takes"].contains(word));
    // `I take back with the pawn` captures what has captured
    takes.filter(|_| !words.contains(&"with")).is_some_and(|takes| {
        let back = words.get(takes + 1) == Some(&"back");
        // `take back at d4` captures on that point
        back && words.get(takes + 2) != Some(&"at") || words[takes + 1..].last() == Some(&"back")
    })
}

/// Whether a text says that a piece goes back: `takes e5 and goes back`.
pub(super) fn goes_back(text: &str) -> bool {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let goes = ["go", "goes", "comes", "moves", "jumps"];
    words.ends_with(&["back"]) && words.len() > 1 && goes.contains(&words[words.len() - 2])
}

/// How people ask whether a move is legal, before it.
const ASKS: [&str; 21] = [
    "why not ",
    "why may i not ",
    "why may ",
    "why can i ",
    "why couldn't i ",
    "why isn't ",
    "can i ",
    "may i ",
    "could i ",
    "can we ",
    "am i allowed to ",
    "is it legal to ",
    "why can't i ",
    "why can i not ",
    "why cannot i ",
    "why can't ",
    "why cannot ",
    "why is ",
    "can ",
    "could ",
    "may ",
];

/// What people ask about behind the name of a move.
const FORBIDDEN: [&str; 7] = [
    " forbidden",
    " illegal",
    " not legal",
    " not allowed",
    " not possible",
    " impossible",
    " wrong",
];

/// What a text asks about, without the words that ask: `castle` for `can I castle?`.
pub(super) fn asked(text: &str) -> Cow<'_, str> {
    let trimmed = text.trim();
    let begins = |words: &&str| {
        trimmed.get(..words.len()).is_some_and(|first| first.eq_ignore_ascii_case(words))
    };
    // `go` may be the name of a form of move, which a sentence does not name
    let Some(words) = ASKS.into_iter().find(begins) else { return goes(text, "go to ") };
    let rest = trimmed[words.len()..].trim_end_matches('?').trim();
    let denied = rest.split_once(" not ").filter(|_| words.starts_with("why "));
    let joined = denied.map(|(before, behind)| format!("{before} {behind}"));
    if let Some(joined) = joined {
        return Cow::Owned(goes(&joined, "go ").into_owned());
    }
    goes(FORBIDDEN.into_iter().find_map(|word| rest.strip_suffix(word)).unwrap_or(rest), "go ")
}

/// Whether a text behind `why` asks a question about a move in words: `can't I castle?`.
pub fn asks_why(rest: &str) -> bool {
    let whole = format!("why {rest}").to_lowercase();
    ASKS.into_iter().any(|words| words.starts_with("why ") && whole.starts_with(words))
}

/// A text with `goes` for the `go` of these words.
fn goes<'t>(text: &'t str, go: &str) -> Cow<'t, str> {
    let mut places = text.match_indices(go).map(|(at, _)| at);
    match places.find(|at| *at == 0 || text[..*at].ends_with(' ')) {
        Some(at) => Cow::Owned(format!("{}goes{}", &text[..at], &text[at + "go".len()..])),
        None => Cow::Borrowed(text),
    }
}

/// Whether a text says that a move leads away from a site, so that the site is not where it begins or ends.
pub fn leads_away(text: &str) -> bool {
    text.to_lowercase().contains(" away from ")
}

/// Whether a text begins with the name of a player who is not to move.
pub fn names_another(referee: &Referee<'_>, facts: &Facts, text: &str) -> bool {
    let Some((first, _)) = text.trim().split_once(char::is_whitespace) else { return false };
    let first = first.trim_end_matches([':', ',']);
    let players = &referee.game.program.players;
    let mut others = players.iter().filter(|player| facts.turn() != Some(**player));
    // a colour that moves name tells one of them
    others.any(|player| {
        is_called(&referee.name(*player), first) && !is_named_by_moves(referee, *player)
    })
}

/// A text without the name of the player to move before or behind it: `white e4`, `goat b2`, `b2 x`.
pub(super) fn without_mover(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<String> {
    let (first, rest) = text.split_once(char::is_whitespace)?;
    let turn = facts.turn()?;
    let mover = referee.name(turn);
    // a colour that moves name tells one of them: `orange d3`
    if is_named_by_moves(referee, turn) {
        return None;
    }
    let first = first.trim_end_matches([':', ',']);
    if is_called(&mover, first) || is_initial(referee, &mover, first) {
        return Some(rest.trim().to_string());
    }
    let (rest, last) = text.rsplit_once(char::is_whitespace)?;
    is_called(&mover, last).then(|| rest.trim().to_string())
}

/// Whether a word is a player's name, or one of several that his name tells: `goat` for `goats`.
pub(super) fn is_called(player: &str, word: &str) -> bool {
    let (player, word) = (player.to_lowercase(), word.to_lowercase());
    player == word || player.strip_suffix('s') == Some(&word)
}

/// Whether a word is the first letter of a player's name, where pieces have no names that it could stand for.
fn is_initial(referee: &Referee<'_>, player: &str, word: &str) -> bool {
    let mut letters = word.chars();
    let letter =
        letters.next().filter(char::is_ascii_uppercase).filter(|_| letters.next().is_none());
    letter.is_some_and(|l| player.starts_with(l.to_ascii_lowercase())) && kinds(referee).is_empty()
}

/// Whether the last of these words is one behind which a piece of another player's, or a site, may be named: `jump over black`,
/// `next to black`, `left of black`, `takes two goats`.
fn are_before_another(words: &[&str]) -> bool {
    let words: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let numbers = words.iter().rev().take_while(|word| number_word(word).is_some()).count();
    let words = &words[..words.len() - numbers];
    // `take out the yellow disc`
    let words = match words {
        [before @ .., taking, off]
            if is_taking(taking) && ["out", "off", "away", "up"].contains(&off.as_str()) =>
        {
            &words[..before.len() + 1]
        }
        _ => words,
    };
    let [before @ .., last] = words else { return false };
    let last = last.as_str();
    let beside = before.last().is_some_and(|word| SIDES.contains(&word.as_str()));
    TAKES.contains(&last)
        || last == "at"
        || OVER.contains(&last)
        || BESIDE.contains(&last)
        || last == "to"
        || last == "of" && beside
}

/// The player who is not to move that a word of a text names, by the name or its first letter.
pub(super) fn another_named(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<String> {
    let players = referee.game.program.players.iter();
    let others = players.filter(|player| facts.turn() != Some(**player));
    // a colour that moves name tells one of them
    let others = others.filter(|player| !is_named_by_moves(referee, **player));
    let mut others = others.map(|player| referee.name(*player));
    let plain = |word: &&str| !["the", "a"].contains(&word.to_lowercase().as_str());
    let words: Vec<&str> = text.split_whitespace().filter(plain).collect();
    // what is captured moves nothing: `take the goat`
    let taken = |at: usize| {
        // an ordinal may be what a player is called: `the first box`
        at > 0 && (are_before_another(&words[..at]) || ordinal(&words[at].to_lowercase()).is_some())
    };
    // `tiger a4 jumps the goat b4`
    let mover = facts.turn().map(|turn| referee.name(turn));
    if words.iter().any(|word| mover.as_ref().is_some_and(|mover| is_called(mover, word))) {
        return None;
    }
    others.find(|other| {
        let mut named = words.iter().enumerate().filter(|(at, _)| !taken(*at));
        let bare = |word: &str| word.trim_end_matches([':', ',']).to_string();
        let names = |word: &str| is_called(other, word) || is_initial(referee, other, word);
        words.len() > 1 && named.any(|(_, word)| names(&bare(word)))
    })
}

/// A text without the number of the move, without remarks, and without the words that say nothing beside sites.
pub fn without_remarks(referee: &Referee<'_>, text: &str) -> String {
    let mut rest = text.trim().trim_start_matches(MOVERS).trim_start();
    // `roll 3-1: 8/5 6/5`
    if let Some((first, behind)) = rest.split_once(' ')
        && THROWS.contains(&first.to_lowercase().as_str())
        && behind.contains(": ")
    {
        rest = behind.trim_start();
    }
    let number = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let dots = number.trim_start_matches('.');
    let numbered = number.len() < rest.len() && dots.len() < number.len();
    // `31: 8/5 6/5`, `3-1: 8/5 6/5`
    let dice = rest.trim_start_matches(|c: char| c.is_ascii_digit() || "-+".contains(c));
    let dice = dice.strip_prefix(':').filter(|behind| behind.starts_with(' '));
    if let Some(behind) = dice.filter(|_| number.len() < rest.len()).or(numbered.then_some(dots))
        && !behind.trim().is_empty()
    {
        rest = behind.trim();
    }
    rest = rest.trim_end_matches(['!', '?', ' ']);
    // a remark in brackets behind a move: `e6 (a bridge)`
    if let Some((before, remark)) =
        rest.strip_suffix(')').and_then(|inside| inside.rsplit_once(" ("))
        && remark.len() > 1
        && !remark.contains('(')
        // of several words it may be a number of things: `c2 (8 stones)`
        && (!remark.contains(|c: char| c.is_ascii_digit())
            || remark.contains(' ') && sites_in(referee, remark).is_empty())
        && !value_names(referee).contains_key(&remark.to_lowercase())
    {
        rest = before.trim_end();
    }
    if let Some(before) = without_comment(referee, rest) {
        rest = before;
    }
    for remark in REMARKS {
        let before = rest.strip_suffix(remark);
        let apart = |c: char| c.is_ascii_digit() || c == ' ';
        // by itself it may be what a rule file calls a move
        let names_site =
            |text: &&str| text.ends_with(apart) && text.contains(|c: char| c.is_ascii_digit());
        if let Some(before) = before.filter(names_site) {
            rest = before.trim_end();
            break;
        }
    }
    let lower = rest.to_lowercase();
    let follows = FOLLOWS.iter().find(|follows| lower.ends_with(**follows));
    if let Some(follows) = follows.filter(|_| lower.len() == rest.len()) {
        rest = rest[..rest.len() - follows.len()].trim_end_matches([',', ' ']);
    }
    let mut rest = without_words(referee, rest);
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

/// A text without a comment behind a comma: `c4` for `c4, that wins`. What names a piece, a site, a number or a direction is none.
fn without_comment<'t>(referee: &Referee<'_>, text: &'t str) -> Option<&'t str> {
    let (before, behind) = text.split_once(", ")?;
    let lower = behind.to_lowercase();
    let names = value_names(referee);
    let says = |word: &str| {
        is_kind(referee, word)
            || names.contains_key(word)
            || HEADINGS.iter().any(|(heading, _)| *heading == word)
            || is_form_word(referee, word)
            || number_word(word).is_some()
    };
    let digits = |text: &str| text.contains(|c: char| c.is_ascii_digit());
    let words = || lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    (digits(before) && !digits(behind) && words().count() > 0 && !words().any(says))
        .then_some(before.trim_end())
}

/// A text without the words that say nothing beside sites, and without the kind of the piece that is captured.
fn without_words(referee: &Referee<'_>, text: &str) -> String {
    let bare = |word: &str| word.trim_end_matches([',', '!']).to_lowercase();
    let words: Vec<String> = text.split_whitespace().map(bare).collect();
    let takes = |i: usize| TAKES.contains(&words[i].as_str()) && (i > 0 || words[i] != "x");
    // at the end it is a name, and no article
    let named = |i: usize| words[i] == "a" && i + 1 == words.len();
    // the player of himself, and no column: `I pass`
    let himself = |i: usize| {
        let verb = |word: &String| {
            word.len() > 1 && word.trim_end_matches('.').chars().all(char::is_alphabetic)
        };
        i == 0 && words[i] == "i" && words.get(1).is_some_and(verb)
    };
    let is =
        |i: usize, list: &[&str]| words.get(i).is_some_and(|word| list.contains(&word.as_str()));
    let corner = |i: usize| i > 0 && is_place(&words[i - 1]);
    let way = |i: usize| is(i, &WAYS) && is(i + 1, &ENDS) && i + 2 < words.len() && !corner(i);
    // a site beside what turns, or behind what is passed, is not where a move goes
    let site = |word: &String| site_named(referee, word).is_some();
    let elsewhere = |i: usize| {
        is(i, &TURNS) && words.iter().any(site) || is_over(referee, &words[i], words.get(i + 1))
    };
    // `take off d3`
    let off = |i: usize| i > 0 && words[i] == "off" && takes(i - 1);
    // a game whose name is what its moves do
    let title = referee.game.program.title.to_lowercase();
    let says_nothing = |i: usize| {
        (i == 0 && words[i] == title
            || takes(i)
            || off(i)
            || himself(i)
            || way(i)
            || is(i, &WORDS) && !named(i))
            && !elsewhere(i)
    };
    if words.len() < 2 || !(0..words.len()).any(says_nothing) {
        return text.to_string();
    }
    let names = value_names(referee);
    let forms = referee.rules.move_forms();
    let kinds: Vec<String> = kinds(referee).into_iter().map(|(_, name)| name).collect();
    let program = &referee.game.program;
    // such as a trait by which moves are also called: `square`
    let called = program.has_other_forms(&program.values);
    let known = |word: &String| {
        names.contains_key(word)
            || kinds.contains(word)
            || called && SHAPES.contains(&word.as_str()) && program.values.find_atom(word).is_some()
            || forms.iter().any(|(name, _, _)| name == word)
    };
    let mut kept = Vec::new();
    let mut taking = false;
    for (i, word) in text.split_whitespace().enumerate() {
        if says_nothing(i) && !known(&words[i]) {
            taking |= takes(i);
            continue;
        }
        // `rook takes pawn on e5`
        let taken = std::mem::take(&mut taking) && kinds.contains(&words[i]);
        if !taken || i + 1 == words.len() {
            kept.push(word);
        }
    }
    kept.join(" ")
}
