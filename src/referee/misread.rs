//! What is said of a text that is no move: what it says that no move can.

use crate::diagnostic::{Diagnostic, listed};
use crate::explain::{Explanation, turn_of};
use crate::record::parse_move;
use crate::syntax::print_term;

use super::alone::alone;
use super::asks::{NOT_UNDERSTOOD, is_open_question};
use super::captures;
use super::chains::without_step;
use super::events::events;
use super::kinds::is_kind;
use super::miss::{Miss, if_meant};
use super::naming::{self, Named};
use super::phrases::plain_phrase;
use super::pieces;
use super::plainer::without_form;
use super::remarks::{
    THROWS, another_named, asked, goes_back, takes_back, without_mover, without_remarks,
};
use super::rule_words::{rule_of_kind, rule_with_word, told_of_state};
use super::same_site::SAME;
use super::several::{joined_moves, several_moves};
use super::spoken_of::spoken_of;
use super::stays::stays;
use super::strange::{
    begun_alike, columns_of_pieces, names_none, numbers_told, strange_name, strange_numbers,
    strange_site, strange_sites, strange_squares,
};
use super::synonyms::{called, in_own_names};
use super::typed::{self, Reading};
use super::unread::{self, by_other_sign, how_written, meanings, strange_in, strange_words, words};
use super::values::{is_held, names_site, site_named, sites_in, too_many_sites};
use super::wording::{forms_named, has_form, is_form_word};
use super::{Choices, Position, Referee};

/// The most events of chance that are named.
const EVENTS: usize = 12;

/// What is said of castling in a game that has none.
const CASTLING: &str = "no two pieces of a player move together in this game";

/// What is said of doubling in a game that has none.
const STAKES: &str = "nothing is staked in this game, so nothing is doubled";

/// What is said of a draw by agreement.
const AGREED: &str = "a draw is no move: a game ends as its rules say";

/// What is said of a promotion told alone.
const PROMOTION: &str =
    "no move only changes a piece: where pieces are promoted, that is part of a move";

/// What is said of the penalty for a capture that was left out.
const PENALTY: &str = "no piece is taken as a penalty: a move that the rules forbid is not played";

/// What is said of a move that is taken back.
const UNDONE: &str = "taking back is no move: `undo` is a command of a game that is being played";

/// What is said of the sign for the site where the last move ended.
const SAME_SITE: &str = "`同` is the site where the last move ended: name that site";

/// Moves without sites that people know from other games, and what there is where a game has none.
const CUSTOMARY: [(&str, &str); 18] = [
    ("crown", PROMOTION),
    ("crown me", PROMOTION),
    ("king me", PROMOTION),
    ("promote", PROMOTION),
    ("huff", PENALTY),
    ("pass", "the player to move makes one of the legal moves"),
    ("castle", CASTLING),
    ("o-o", CASTLING),
    ("o-o-o", CASTLING),
    ("0-0", CASTLING),
    ("0-0-0", CASTLING),
    ("swap", "the players keep their sides in this game"),
    ("double", STAKES),
    ("redouble", STAKES),
    ("offer draw", AGREED),
    ("offer a draw", AGREED),
    ("resign", "giving up is no move: `resign` is a command of a game that is being played"),
    ("undo", UNDONE),
];

/// What the rules say of a question that is read as no move, where nothing more is known of it than that.
pub fn spoken_instead(
    referee: &Referee<'_>,
    position: &Position,
    choices: &Choices,
    miss: &Miss,
    text: &str,
) -> Option<Explanation> {
    if choices.chance || !matches!(miss, Miss::Unknown(_)) {
        return None;
    }
    let told = spoken_of(referee, &referee.facts(position), text)?;
    let plain = miss.diagnostic(text);
    let fault = misread(referee, position, choices, plain.clone(), text);
    (fault.message == plain.message).then_some(told)
}

/// What a text says that is no move, with what it says that no move can: sites that are none, more sites than a
/// move names, or a move where chance comes first.
pub fn misread(
    referee: &Referee<'_>,
    position: &Position,
    choices: &Choices,
    mut fault: Diagnostic,
    text: &str,
) -> Diagnostic {
    if !choices.chance && is_open_question(referee, text) {
        fault.hints = vec![NOT_UNDERSTOOD.to_string()];
        return fault;
    }
    let text = &in_own_names(referee, &asked(text));
    let facts = referee.facts(position);
    let text = &plain_phrase(referee, &facts, text).unwrap_or_else(|| text.clone());
    let strange: Vec<String> = strange_sites(referee, text)
        .iter()
        .map(|site| format!("`{}`", unread::as_typed(site, text)))
        .collect();
    let are = if strange.len() == 1 { "is" } else { "are" };
    if !choices.chance
        && let Some(told) = columns_of_pieces(referee, text)
    {
        fault.hints.insert(0, told);
        return fault;
    }
    let mut told = None;
    if strange.is_empty()
        && !choices.chance
        && !is_open_question(referee, text)
        && let Some(other) = another_named(referee, &facts, text)
    {
        let mover = referee.name(referee.turn(position));
        told = Some(format!(
            "it is {} turn, not {}",
            turn_of(&referee.game.program, &mover),
            turn_of(&referee.game.program, &other)
        ));
    }
    let told = told.or_else(|| match (strange.is_empty(), too_many_sites(referee, text)) {
        (false, _) => Some(format!("{} {are} not on the board", strange.join(", "))),
        (true, Some(1)) => Some(
            one_at_a_time(referee, position, choices, text)
                .or_else(|| begun_alike(referee, &facts, text))
                .or_else(|| meant_without(referee, position, choices, text))
                .unwrap_or_else(|| names_one_site(referee, text)),
        ),
        (true, Some(most)) => Some(
            one_at_a_time(referee, position, choices, text)
                .unwrap_or_else(|| format!("a move names {most} sites at most")),
        ),
        (true, None) => None,
    });
    let mut told: Vec<String> = told.into_iter().collect();
    if !choices.chance
        && let Some(unnamed) = pieces::unnamed(referee, &facts, text)
    {
        fault.hints.insert(0, unnamed);
        return fault;
    }
    if !choices.chance {
        let plain = without_remarks(referee, text);
        let plain = without_mover(referee, &facts, &plain).unwrap_or(plain);
        let bare = without_form(referee, &plain);
        let name = strange_numbers(referee, bare)
            .or_else(|| strange_name(referee, &facts, bare))
            .or_else(|| strange_squares(referee, &facts, bare));
        told.splice(0..0, name);
    }
    // a site is named where no move names one now
    let names_site_now = || choices.all.iter().any(|(term, _)| names_site(referee, term));
    let named = !strange.is_empty() || told.is_empty() && !sites_in(referee, text).is_empty();
    if named && !choices.chance && !names_site_now() {
        let prompts = referee.rules.prompts(&facts);
        told.extend(prompts.map(|prompts| prompts.to_mover).unwrap_or_default());
    }
    if let Some(follows) = told_of_state(referee, &facts, text) {
        fault.hints.splice(0..0, [follows]);
        return fault;
    }
    let loose = text.trim().to_lowercase();
    let loose = without_mover(referee, &facts, &loose).unwrap_or(loose);
    let loose = loose.strip_prefix("i ").unwrap_or(&loose);
    let loose = called(loose).unwrap_or(loose);
    // `resigns`, `passes`
    let is = |word: &str| {
        let rest = loose.strip_prefix(word);
        rest.is_some_and(|rest| rest.is_empty() || word.len() > 3 && ["s", "es"].contains(&rest))
    };
    if let Some((word, instead)) = CUSTOMARY.iter().find(|(word, _)| is(word))
        && !referee.rules.move_forms().iter().any(|(name, _, _)| name == word)
    {
        fault.message = format!("there is no `{}` in this game", text.trim());
        if [PROMOTION, PENALTY].contains(instead) {
            fault.message = format!("`{}` is no move", text.trim());
            fault.hints.clear();
        }
        told.insert(0, instead.to_string());
    }
    if takes_back(text) && !goes_back(text) {
        fault.hints = vec![UNDONE.to_string()];
        return fault;
    }
    if text.trim().starts_with(SAME) && !referee.rules.styles().is_empty() {
        fault.hints.insert(0, SAME_SITE.to_string());
        return fault;
    }
    if let Some(thrown) = thrown(referee, choices, loose) {
        told.insert(0, thrown.to_string());
        fault.hints.clear();
        let legal = naming::names(referee, position, choices).unwrap_or_default();
        told.extend(how_written(referee, position, &legal));
    }
    // a term is told its forms
    let is_term = text.trim_start().starts_with(char::is_alphabetic) && text.contains('(');
    if told.is_empty() && !choices.chance && !choices.all.is_empty() && !is_term {
        let legal = naming::names(referee, position, choices).unwrap_or_default();
        // `I castle`
        let bare = text.trim();
        let bare = bare.strip_prefix("I ").or_else(|| bare.strip_prefix("i ")).unwrap_or(bare);
        let told_alone = |text: &str| {
            parse_move(text).and_then(|term| alone(referee, &facts, &legal, &term, true).ok()?)
        };
        let plain = without_remarks(referee, text);
        // `place another wall`
        let form = told_alone(bare).or_else(|| told_alone(&plain));
        if let Some(form) = form {
            fault.message = form.short.trim_end_matches('.').to_string();
            fault.hints.clear();
            return fault;
        }
        let strange = || strange_words(referee, position, &legal, &plain);
        let site = || strange_site(referee, position, &legal, &plain);
        let number = || event_by_number(referee, text);
        let rule = || rule_with_word(referee, &facts, &plain);
        let none = || captures::none_now(referee, &facts, &legal, text);
        let told_of = of_form(referee, position, &legal, text)
            .or_else(|| joined_moves(referee, position, &legal, text))
            .or_else(|| without_step(referee, &legal, &plain));
        let told_of = told_of.or_else(number).or_else(site);
        let told_of = told_of.or_else(rule);
        let signs = || by_other_sign(referee, position, &legal, &plain);
        told.extend(told_of.or_else(strange).or_else(signs).or_else(none));
        let piece = || words(&plain).iter().any(|word| is_kind(referee, word));
        if sites_in(referee, &plain).is_empty() && piece() {
            fault.hints.clear();
            told.extend(rule_of_kind(referee, &facts, text));
        }
        if names_none(referee, &legal, &plain) {
            // what is like no move is near to none
            fault.hints.clear();
            told.extend(how_written(referee, position, &legal).filter(|_| told.is_empty()));
        }
    }
    // the sites of the board are none that a move names
    if told.is_empty() && !choices.chance && sites_in(referee, text).len() > 1 {
        told.extend(numbers_told(referee));
    }
    // no move names the site, but what stands there is in its way
    if told.is_empty()
        && !choices.chance
        && let Some(site) = site_named(referee, text)
        && is_held(referee, &facts, &[site])
    {
        told.extend(referee.rules.contents_in_words(&facts, site));
    }
    fault.hints.splice(0..0, told);
    if choices.chance {
        fault.hints.insert(0, due_event(referee, position, choices));
    }
    fault
}

/// What is said of a text that is a move but for words that no move has: `horizontal line from a11 to c11`.
fn meant_without(
    referee: &Referee<'_>,
    position: &Position,
    choices: &Choices,
    text: &str,
) -> Option<String> {
    let legal = naming::names(referee, position, choices).ok()?;
    let strange = strange_in(referee, &legal, text);
    let is_strange = |word: &&str| strange.contains(&word.to_lowercase());
    let plain: Vec<&str> = text.split_whitespace().filter(|word| !is_strange(word)).collect();
    let first = strange.first()?;
    let found =
        typed::read(referee, position, &legal, &plain.join(" "), Reading::Any).ok()?.ok()?;
    let name = &found.notation;
    Some(format!("`{first}` is nothing that a move names here: {}", if_meant(name)))
}

/// What is said of a text that names more than one site where each move names one.
fn names_one_site(referee: &Referee<'_>, text: &str) -> String {
    let sites = sites_in(referee, text);
    let names: Vec<String> =
        sites.iter().map(|site| referee.game.program.values.show(*site)).collect();
    match names.as_slice() {
        [_, _] if stays(referee) => {
            "nothing that stands on the board is moved in this game: a move names one site"
                .to_string()
        }
        [from, to] => format!("a move names one site: none leads from {from} to {to}"),
        _ => "a move names one site".to_string(),
    }
}

/// What is said of a text that names a form of move by its name: how such a move is written, or what is due.
fn of_form(
    referee: &Referee<'_>,
    position: &Position,
    legal: &[Named],
    text: &str,
) -> Option<String> {
    let forms = forms_named(referee, text);
    if forms.is_empty() {
        return None;
    }
    // what is behind the name may be the whole move
    let lower = text.to_lowercase();
    let begins = words(text).into_iter().find(|word| is_form_word(referee, word));
    let behind = begins.and_then(|word| lower.find(&word)).and_then(|at| text.get(at..));
    if let Some(behind) = behind.filter(|behind| behind.len() < text.len())
        && let [one] = meanings(referee, position, legal, behind).as_slice()
    {
        return Some(if_meant(one));
    }
    match legal.iter().find(|n| has_form(&n.term, &forms)) {
        Some(one) => Some(format!("such a move is written as `{}`", one.notation)),
        None => {
            let prompts = referee.rules.prompts(&referee.facts(position)).ok()?;
            (!prompts.to_mover.is_empty()).then(|| prompts.to_mover.join("; "))
        }
    }
}

/// Which events of chance are due before anybody moves.
fn due_event(referee: &Referee<'_>, position: &Position, choices: &Choices) -> String {
    let prompts = referee.rules.prompts(&referee.facts(position)).unwrap_or_default().to_mover;
    if !prompts.is_empty() {
        return prompts.join("; ");
    }
    let events = naming::names(referee, position, choices).unwrap_or_default();
    if let Some(row) = in_a_row(&events).filter(|_| events.len() > EVENTS) {
        return format!("chance comes first: {row} happens before anybody moves");
    }
    let names: Vec<String> = events.into_iter().map(|event| event.notation).collect();
    let event = match names.first() {
        Some(first) if names.len() > EVENTS => {
            format!("one of {} events, such as {first},", names.len())
        }
        _ => listed(&names, "or"),
    };
    format!("chance comes first: {event} happens before anybody moves")
}

/// What is said of a text that asks for a throw of the dice where none is due.
fn thrown(referee: &Referee<'_>, choices: &Choices, text: &str) -> Option<&'static str> {
    let asks = text.split_whitespace().next().is_some_and(|first| THROWS.contains(&first))
        && sites_in(referee, text).is_empty();
    let form = || referee.rules.move_forms().iter().any(|(name, ..)| text.starts_with(name));
    if choices.chance || choices.all.is_empty() || !asks || form() {
        return None;
    }
    Some(match events(referee).is_empty() {
        true => "nothing is left to chance in this game",
        false => "no event of chance is due now",
    })
}

/// Events in natural order that differ in a number alone, from the first to the last without a gap.
fn in_a_row(events: &[Named]) -> Option<String> {
    let number = |event: &Named| match event.term.functor() {
        Some((name, [only])) => Some((name.to_string(), print_term(only).parse::<usize>().ok()?)),
        _ => None,
    };
    let (first, last) = (events.first()?, events.last()?);
    let ((form, least), (other, most)) = (number(first)?, number(last)?);
    let whole = form == other && most.checked_sub(least) == Some(events.len() - 1);
    whole.then(|| format!("one of {} to {}", first.notation, last.notation))
}

/// What is said of a text that is a number, where numbers name events of chance and none is due.
fn event_by_number(referee: &Referee<'_>, text: &str) -> Option<String> {
    text.trim().parse::<u32>().ok()?;
    let events = events(referee);
    let is_event = |name: &str, arity: usize| events.iter().any(|e| e.0 == name && e.1 == arity);
    let mut forms = referee.game.types.moves.iter().filter(|(name, domains)| {
        is_event(name, domains.len())
            && matches!(domains.as_slice(), [only] if only.integers.is_some() || !only.constants.is_empty())
    });
    let (name, _) = forms.next()?;
    Some(format!("a number alone is a `{name}`, an event of chance, and none is due now"))
}

/// What is said of a text that is one legal move after the other.
fn one_at_a_time(
    referee: &Referee<'_>,
    position: &Position,
    choices: &Choices,
    text: &str,
) -> Option<String> {
    let legal = naming::names(referee, position, choices).ok()?;
    several_moves(referee, position, &legal, text)
}
