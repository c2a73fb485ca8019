//! Texts that name the kind of the piece that moves, where there is no such piece: `Qf1-b5` where a bishop stands on f1.

use crate::diagnostic::listed;
use crate::explain::{Cause, Explanation, Reason, owner};
use crate::program::Value;
use crate::reference::Facts;
use crate::syntax::{Term, print_term};

use super::Referee;
use super::kind_words::article;
use super::kinds::{Kind, Letters, held, is_letter, kinds};
use super::likeliest::Meant;
use super::made::made_of;
use super::owners::{begins_own, has_owner, owned};
use super::plainer::{Plainer, readings, with_capital};
use super::remarks::{TAKES, is_called};
use super::shorthand::has_drop;
use super::values::{most_sites, site_named, sites_in};

/// What is said of a text by which the move begins with a piece of a kind, where the first of the sites that it names
/// holds something else.
pub fn another(referee: &Referee<'_>, facts: &Facts, text: &str, plain: &Plainer) -> Option<Meant> {
    let sites = sites_in(referee, &plain.text);
    let from = *sites.first().filter(|_| sites.len() > 1)?;
    another_on(referee, facts, text, plain, from)
}

/// The same of the site from which a move goes that a text tells by the numbers of its sites.
pub fn another_by_numbers(
    referee: &Referee<'_>,
    facts: &Facts,
    text: &str,
    plain: &Plainer,
    (term, _): &Meant,
) -> Option<Meant> {
    let from =
        term.functor().and_then(|(_, args)| site_named(referee, &print_term(args.first()?)))?;
    another_on(referee, facts, text, plain, from)
}

fn another_on(
    referee: &Referee<'_>,
    facts: &Facts,
    text: &str,
    plain: &Plainer,
    from: Value,
) -> Option<Meant> {
    let (pieces, kind) = plain.kind.as_ref().and_then(|kind| kind.pieces(referee))?;
    let name = referee.game.program.values.show(from);
    let held = held(referee, facts, &name);
    // the site behind the sign of a capture is not where the move begins
    let lower = text.to_lowercase();
    let before = lower.split(&name).next().unwrap_or_default().trim_end();
    let target = TAKES.iter().chain(&[" to"]).any(|word| before.ends_with(word));
    if target || held.is_some_and(|held| pieces.contains(&held)) {
        return None;
    }
    let stands = referee.rules.contents_in_words(facts, from)?;
    let kind = article(&kind);
    let reason = match held {
        None => stands,
        Some(_) if stands.contains(" is occupied by ") => format!("{stands}, not by {kind}"),
        Some(_) => format!("{stands}, and {kind} is not there"),
    };
    told(referee, text, "", reason, vec![name])
}

/// What is said of a text by which the move begins with a piece of a kind, where the player has none on the board, or
/// only the one on the site to which it should go.
pub fn absent(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<Meant> {
    let turn = facts.turn()?;
    let fluent = referee.rules.contents_fluent()?;
    // what is dropped is not on the board
    if has_drop(text) {
        return None;
    }
    // a word for another form of move than those of the pieces on the board: `bishop drop e5`
    let names_form = |plain: &Plainer| {
        let forms = referee.rules.move_forms();
        let mut words = plain.text.split_whitespace();
        words.any(|word| forms.iter().any(|(form, ..)| form == word))
    };
    let plain = readings(referee, facts, text)
        .find(|p| matches!(p.kind, Some(Kind::Pieces(_))) && !names_form(p))?;
    let (pieces, kind) = plain.kind.as_ref().and_then(|kind| kind.pieces(referee))?;
    let own: Vec<Value> = pieces.iter().copied().filter(|p| owned(referee, *p, turn)).collect();
    let sites = sites_in(referee, &plain.text);
    let target = *sites.first().filter(|_| sites.len() == 1)?;
    let there: Vec<&[Value]> =
        facts.iter(fluent).filter(|(_, piece)| own.contains(piece)).map(|(keys, _)| keys).collect();
    let players = &referee.game.program.players;
    // a kind of piece that belongs to no player, of which none is on the board
    if most_sites(referee) > Some(1)
        && !pieces.iter().any(|piece| has_owner(referee, *piece))
        && !facts.iter(fluent).any(|(_, p)| pieces.contains(&p))
    {
        site_named(referee, &plain.text)?;
        let reason = format!("nothing {kind} is on the board");
        return told(referee, text, &plain.text, reason, Vec::new());
    }
    let elsewhere = there.iter().any(|keys| **keys != [target]);
    let others = facts.iter(fluent).any(|(_, piece)| owned(referee, piece, turn));
    let name = referee.game.program.values.show(target);
    // a piece that is not the mover's, where it stands already
    if own.is_empty() && held(referee, facts, &name).is_some_and(|held| pieces.contains(&held)) {
        let reason = referee.rules.contents_in_words(facts, target)?;
        return told(referee, text, &plain.text, reason, Vec::new());
    }
    // a piece that is called as another player is
    let mut called = players.iter().filter(|player| is_called(&referee.name(**player), &kind));
    if let Some(other) = called.next().filter(|player| **player != turn) {
        let (whose, other) = (owner(&referee.name(turn)), owner(&referee.name(*other)));
        let (term, mut told) = told(referee, text, &plain.text, String::new(), Vec::new())?;
        told.cause = Cause::Turn;
        told.short = format!("It is {whose} turn: `{text}` would be {other} move.");
        told.reason = None;
        return Some((term, told));
    }
    if own.is_empty() || elsewhere || !others {
        return None;
    }
    let reason = match there.first() {
        None => format!("{} has no {kind} on the board", referee.name(turn)),
        Some(_) if !plain.takes => return None,
        Some(_) => referee.rules.contents_in_words(facts, target)?,
    };
    told(referee, text, &plain.text, reason, Vec::new())
}

/// What is said of a text by which a piece of a kind goes to a site, where such a piece of the player's stands already.
pub fn at_target(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<Meant> {
    let turn = facts.turn()?;
    let plain = readings(referee, facts, text).find(|p| names_target(referee, text, p))?;
    let (pieces, _) = plain.kind.as_ref().and_then(|kind| kind.pieces(referee))?;
    let target = *sites_in(referee, &plain.text).first()?;
    let name = referee.game.program.values.show(target);
    let stands = held(referee, facts, &name)?;
    if !pieces.contains(&stands) || !owned(referee, stands, turn) {
        return None;
    }
    let reason = referee.rules.contents_in_words(facts, target)?;
    told(referee, text, &plain.text, reason, Vec::new())
}

/// What is said of a text that names one site behind words that name nothing, where a piece of the player's stands on that
/// site and the move that `rest` may mean ends there.
pub fn own(
    referee: &Referee<'_>,
    facts: &Facts,
    text: &str,
    rest: &str,
    (_, meant): &Meant,
) -> Option<Meant> {
    let site = site_named(referee, rest).filter(|_| !meant.holds && meant.cause == Cause::Goal)?;
    let name = referee.game.program.values.show(site);
    let own = owned(referee, held(referee, facts, &name)?, facts.turn()?);
    let ends = sites_in(referee, &meant.subject);
    if !own || ends.len() < 2 || ends.last() != Some(&site) {
        return None;
    }
    let reason = referee.rules.contents_in_words(facts, site)?;
    told(referee, text, rest, reason, vec![name])
}

/// Whether a text names one site, behind the name of a piece and a dash: that is where the piece goes.
pub fn names_target(referee: &Referee<'_>, text: &str, plain: &Plainer) -> bool {
    let behind = text.trim_start().trim_start_matches(char::is_alphabetic);
    behind.starts_with('-')
        && matches!(plain.kind, Some(Kind::Pieces(_)))
        && sites_in(referee, &plain.text).len() == 1
}

/// What is said of a text in a notation that names pieces by a letter and a number, `C5=3`, which is no move: whether the
/// player has a piece of that name, and which others.
pub fn unnamed(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<String> {
    let typed = with_capital(text.trim());
    let typed = designation(&typed)?;
    let (_, mut made) = made_of(referee, "");
    made.retain(|term| begins_own(referee, facts, term));
    let begins = |term: &Term| term.functor().and_then(|(_, args)| args.first().map(print_term));
    let mut names: Vec<(&str, String)> = Vec::new();
    let mut texts = Vec::new();
    for style in referee.rules.styles() {
        // a rule error in a notation is none of what was typed
        texts.extend(referee.rules.styled(facts, &made, &style).unwrap_or_default());
    }
    for (term, texts) in made.iter().cycle().zip(&texts) {
        let name = texts.first().and_then(|text| designation(text));
        if let Some(name) = name.zip(begins(term)).filter(|name| !names.contains(name)) {
            names.push(name);
        }
    }
    names.sort();
    let player = referee.name(facts.turn()?);
    if let Some((name, site)) = names.iter().find(|(name, _)| *name == typed) {
        let owner = owner(&player);
        return Some(format!(
            "`{name}` is {owner} piece on {site}, and no move of it is called `{text}`"
        ));
    }
    let letter = typed.chars().next()?;
    let alike: Vec<String> = names
        .iter()
        .filter(|(name, _)| name.starts_with(letter))
        .map(|(name, site)| format!("{name} on {site}"))
        .collect();
    let mut letters: Vec<String> =
        names.iter().filter_map(|(name, _)| name.chars().next()).map(String::from).collect();
    letters.dedup();
    match (alike.is_empty(), letters.is_empty()) {
        (_, true) => None,
        (false, _) => {
            Some(format!("{player} has no piece `{typed}`, but {}", listed(&alike, "and")))
        }
        (true, _) => Some(format!(
            "{player} has no piece with the letter {letter}; the letters are {}",
            listed(&letters, "and")
        )),
    }
}

/// The letter and the number before a sign and another number, by which a text names a piece: `C2` of `C2=5`.
pub(super) fn designation(text: &str) -> Option<&str> {
    let at = text.find(['=', '+', '-', '.'])?;
    let (name, rest) = text.split_at(at);
    let number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let mut chars = name.chars();
    let letter = chars.next().is_some_and(char::is_uppercase);
    (letter && number(chars.as_str()) && number(&rest[1..])).then_some(name)
}

/// An explanation that a move is not legal for a reason; `None` where a text is no move.
pub(super) fn told(
    referee: &Referee<'_>,
    text: &str,
    plain: &str,
    reason: String,
    blamed: Vec<String>,
) -> Option<Meant> {
    let (_, made) = made_of(referee, plain);
    let term = made.into_iter().next()?;
    Some((term, refused(text, reason, blamed)))
}

/// An explanation that what was typed is not legal for a reason.
pub(super) fn refused(text: &str, reason: String, blamed: Vec<String>) -> Explanation {
    Explanation {
        short: format!("`{text}` is not legal: {reason}."),
        cause: Cause::Goal,
        blamed,
        reason: Some(Reason { facts: reason.clone(), whole: reason }),
        ..Explanation::of(text.to_string())
    }
}

/// The piece that a text tells by its letter and by the column or row where it stands: `Nbd2`, `R1xe1`.
pub enum FromLine {
    /// The text with the site of the only such piece, and where it goes.
    One(String),
    /// There is none.
    None(Box<Meant>),
}

/// Which piece a text tells by its letter and by the column or row where it stands; `None` where it tells none so, or
/// several.
pub fn from_line(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<FromLine> {
    let turn = facts.turn()?;
    let mut letters = text.trim().chars();
    let letter = letters.next().filter(char::is_ascii_uppercase)?;
    let line = letters.next().filter(|c| c.is_ascii_digit() || c.is_ascii_lowercase())?;
    let target = letters.as_str().strip_prefix('x').unwrap_or(letters.as_str());
    let site = site_named(referee, target).filter(|_| !referee.rules.styles().is_empty())?;
    let shown = Letters::new(referee);
    let of_letter = |piece: Value| {
        shown.of(piece).is_some_and(|shown| shown.eq_ignore_ascii_case(&letter.to_string()))
    };
    let kinds = kinds(referee);
    let own = |piece: Value| of_letter(piece) && owned(referee, piece, turn);
    let (_, kind) = kinds.iter().find(|(piece, _)| own(*piece))?;
    let show = |site: &Value| referee.game.program.values.show(*site);
    // the line is one of the board's
    let on_line = |name: &str| match line.is_ascii_digit() {
        true => name.trim_start_matches(char::is_alphabetic) == line.to_string(),
        false => name.starts_with(line),
    };
    let board = referee.view.board.as_ref()?;
    board.sites().find(|(_, site)| on_line(&site.name))?;
    let fluent = referee.rules.contents_fluent()?;
    let from: Vec<String> = facts
        .iter(fluent)
        .filter(|(keys, piece)| own(*piece) && keys.len() == 1 && on_line(&show(&keys[0])))
        .map(|(keys, _)| show(&keys[0]))
        .collect();
    match from.as_slice() {
        [] => {
            let what = if line.is_ascii_digit() { "row" } else { "column" };
            let reason = format!("{} has no {kind} in the {what} {line}", referee.name(turn));
            told(referee, text, &show(&site), reason, Vec::new())
                .map(|told| FromLine::None(Box::new(told)))
        }
        [one] => Some(FromLine::One(format!("{one}-{}", show(&site)))),
        _ => None,
    }
}

/// What is said of a text that is a site behind a capital letter of no piece, where pieces have letters: which these are.
pub fn strange_letter(referee: &Referee<'_>, text: &str) -> Option<Meant> {
    let text = text.trim().trim_end_matches(['+', '#', '!', '?']);
    let mut letters = text.chars();
    let letter = letters.next().filter(char::is_ascii_uppercase)?;
    let behind = letters.as_str();
    let target = behind.strip_prefix('x').unwrap_or(behind);
    let site = site_named(referee, target).filter(|_| !target.contains(char::is_uppercase))?;
    let lower = letter.to_ascii_lowercase();
    let board = referee.view.board.as_ref()?;
    // a capture may name the column from which it goes
    let column = board.sites().any(|(_, site)| site.name.starts_with(lower));
    if referee.rules.styles().is_empty() || is_letter(referee, lower) || column && target != behind
    {
        return None;
    }
    let shown = Letters::new(referee);
    let mut known: Vec<String> = kinds(referee)
        .iter()
        .filter_map(|(piece, _)| shown.of(*piece))
        .map(str::to_uppercase)
        .collect();
    known.sort();
    known.dedup();
    known.retain(|letter| {
        letter.len() == 1
            && is_letter(referee, letter.to_lowercase().chars().next().unwrap_or_default())
    });
    if known.len() < 2 {
        return None;
    }
    let reason =
        format!("no piece here has the letter {letter}; the letters are {}", listed(&known, "and"));
    let name = referee.game.program.values.show(site);
    told(referee, text, &name, reason, Vec::new())
}
