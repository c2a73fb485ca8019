//! Moves as people type them, in one of the game's notations or as terms.

use crate::program::Value;
use crate::record::parse_move;
use crate::reference::{Alias, Facts};
use crate::syntax::{Term, print_term};

use super::beside::beside;
use super::by_ends::by_ends;
use super::captures::{is_second_sign, leaping, says_capture, takes_nothing};
use super::chains::Chains;
use super::events::is_chance;
use super::headings::{aslant, headed};
use super::kinds::{Kind, KindsAtEnd, held, kinds_at_end};
use super::leaps::{over, taken_in_turn};
use super::meant::{by_style, written};
use super::miss::{Miss, TOLD_MEANINGS, closest};
use super::movers::of_mover;
use super::naming::{Named, loose};
use super::phrases::mistaken;
use super::pieces::names_target;
use super::places::spelled;
use super::plainer::{Plainer, readings};
use super::remarks::{names_another, takes_back};
use super::shorthand::{Likeness, divides_otherwise, has_drop};
use super::takers::of_kinds;
use super::values::{greatest, names_end, site_named, sites_in, value, value_names, values};
use super::ways::{fitting, has_sign, ways};
use super::wording::named_by_words;
use super::{Position, Referee, Stop};

/// Of more moves that a text may mean it is not asked which of them capture.
const FEW_TAKING: usize = 8;

/// How far a text may be from a move's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reading {
    /// A notation of the game, an alias or the term, or a path by its ends; capitals and blanks do not matter.
    Exact,
    /// Also with other separators, and with its steps in another order.
    Whole,
    /// Also a part of it, where only one move has that.
    Any,
}

impl Reading {
    /// This reading, or a closer one where these choices allow no other: players do not make chance events, so none is
    /// guessed from a part of its name.
    pub(super) fn allowed(self, referee: &Referee<'_>, choices: &[Named]) -> Reading {
        if is_chance(referee, choices) { self.min(Reading::Whole) } else { self }
    }
}

/// The choice that a text means, however it is written.
///
/// # Errors
/// A rule error. Within: there is no such choice, or there are several.
pub fn find<'n>(
    referee: &Referee<'_>,
    position: &Position,
    named: &'n [Named],
    typed: &str,
) -> Result<Result<&'n Named, Miss>, Stop> {
    read(referee, position, named, typed, Reading::Any)
}

/// The choice that a text means as it is written, or else without what it says beside the move: see [`readings`].
///
/// # Errors
/// A rule error. Within: there is no such choice, or there are several.
pub fn read<'n>(
    referee: &Referee<'_>,
    position: &Position,
    named: &'n [Named],
    typed: &str,
    reading: Reading,
) -> Result<Result<&'n Named, Miss>, Stop> {
    let facts = referee.facts(position);
    let mut unknown = None;
    let reading = reading.allowed(referee, named);
    let mut exact = named.iter().filter(|n| n.notation == typed.trim());
    if let Some(only) = exact.next().filter(|_| exact.next().is_none()) {
        return Ok(Ok(only));
    }
    // the letter by which another player is called is no sign of a capture
    let mover = facts.turn().map(|turn| referee.name(turn));
    if names_cross(referee, typed) && mover.is_some_and(|mover| mover != "x") {
        return read_as_written(referee, position, named, typed, Reading::Exact);
    }
    // the sign of a promotion that is left out
    if let Some(bare) = typed.trim().strip_suffix('=')
        && let Ok(found) = read_as_written(referee, position, named, bare, Reading::Exact)?
    {
        return Ok(Ok(found));
    }
    // a piece that becomes what the text says without a choice
    if reading == Reading::Any
        && let Some((bare, becomes)) = typed.rsplit_once('=')
        && let Some(kind) = kinds_at_end(referee, typed).filter(|_| !becomes.is_empty())
        && read_as_written(referee, position, named, typed, reading)?.is_err()
        && let Ok(found) = read_as_written(referee, position, named, bare, reading)?
        && ends_as(referee, &facts, found, &kind)
    {
        return Ok(Ok(found));
    }
    if reading == Reading::Any {
        if let Some(only) = only_of_form(referee, named, typed.trim()) {
            return Ok(Ok(only));
        }
        if takes_back(typed) || mistaken(referee, &facts, named, typed).is_some() {
            return Ok(Err(Miss::Unknown(closest(referee, position, named, None, typed)?)));
        }
        let spelled = spelled(referee, &facts, typed);
        let own = || named.iter().any(|n| loose(&n.notation) == loose(typed));
        if names_another(referee, &facts, &spelled) && !is_chance(referee, named) && !own() {
            return Ok(Err(Miss::Unknown(closest(referee, position, named, None, typed)?)));
        }
        if let Some(answer) = described(referee, &facts, named, &spelled) {
            return Ok(answer);
        }
        if let Some(taking) = leaping(referee, &facts, named, &spelled)?
            && let Some(answer) = one(taking.into_iter())
        {
            return Ok(answer);
        }
    }
    // the only site that a text names, as where the move goes
    let names_only_end = sites_in(referee, typed).len() == 1 && names_end(referee, typed);
    for plain in readings(referee, &facts, typed) {
        let to_target = names_target(referee, typed, &plain);
        let Plainer { text, kind, takes } = plain;
        let of_piece = kind.as_ref().is_some_and(|kind| kind.pieces(referee).is_some());
        // less than a whole move may name a piece in every other way
        if matches!(kind, Some(Kind::Column(_)))
            && text.starts_with('x')
            && !referee.rules.styles().is_empty()
            || unknown.is_some() && reading == Reading::Exact
            || kind.is_some() && reading != Reading::Any
        {
            continue;
        }
        let found = match &kind {
            None => read_as_written(referee, position, named, &text, reading)?,
            Some(kind) => {
                let begun = named.iter().filter(|n| kind.fits(referee, &facts, &n.term));
                let begun: Vec<Named> = begun.cloned().collect();
                let found = read_as_written(referee, position, &begun, &text, reading)?;
                let own = |one: &Named| named.iter().find(|n| n.term == one.term);
                found.and_then(|one| own(one).ok_or_else(|| Miss::Unknown(Vec::new())))
            }
        };
        match found {
            Err(miss @ Miss::Unknown(_)) => drop(unknown.get_or_insert(miss)),
            // the site behind the name of a piece that captures is where it goes
            Err(Miss::Unfinished(begun))
                if ((takes || to_target) && of_piece || names_only_end)
                    && begun.iter().all(|n| begins_on(referee, n, &text)) =>
            {
                unknown.get_or_insert(Miss::Unknown(Vec::new()));
            }
            // nothing is captured by a drop
            Ok(one) if takes && has_drop(&one.notation) && !has_drop(typed) => {
                unknown.get_or_insert(Miss::Unknown(Vec::new()));
            }
            Ok(one)
                if (says_capture(typed) && !names_cross(referee, typed)
                    || begins_with_cross(referee, typed))
                    && !sites_in(referee, &one.text).is_empty()
                    && takes_nothing(referee, &facts, one)? =>
            {
                let whole = read_as_written(referee, position, named, typed, Reading::Exact)?;
                return Ok(match whole {
                    Ok(_) if !is_second_sign(referee, &facts, one, typed)? => Ok(one),
                    _ => Err(Miss::NoCapture(one.clone())),
                });
            }
            Err(Miss::Ambiguous(several))
                if says_capture(typed)
                    && !names_cross(referee, typed)
                    && several.len() <= FEW_TAKING =>
            {
                return capturing(referee, position, named, typed, several);
            }
            found => return Ok(found),
        }
    }
    if reading == Reading::Any
        && let Some(found) = beside(referee, position, named, typed)?
    {
        return Ok(Ok(found));
    }
    Ok(Err(unknown.unwrap_or_else(|| Miss::Unknown(Vec::new()))))
}

/// Whether what stands where a move ends is of one of these kinds after it, and was of none before it.
fn ends_as(referee: &Referee<'_>, facts: &Facts, one: &Named, kinds: &KindsAtEnd) -> bool {
    let sites = sites_in(referee, &one.text);
    let ends = |facts: &Facts, site: &Value| {
        let piece = held(referee, facts, &referee.game.program.values.show(*site))?;
        super::kinds::kinds(referee).into_iter().find(|(known, _)| *known == piece)
    };
    let is = |found: Option<(Value, String)>| found.is_some_and(|(_, kind)| kinds.fit(&kind));
    // a rule error is none of what was typed
    let next = referee.rules.play(facts, &one.term).ok().flatten();
    let after = next.is_some_and(|next| sites.last().is_some_and(|site| is(ends(&next, site))));
    after && sites.first().is_some_and(|site| !is(ends(facts, site)))
}

/// Of several choices that a text which says that the move captures may mean, the one that does.
fn capturing<'n>(
    referee: &Referee<'_>,
    position: &Position,
    named: &'n [Named],
    typed: &str,
    several: Vec<Named>,
) -> Result<Result<&'n Named, Miss>, Stop> {
    let facts = referee.facts(position);
    let mut taking = Vec::new();
    for one in &several {
        if !takes_nothing(referee, &facts, one)? {
            taking.push(one.clone());
        }
    }
    let whole = || read_as_written(referee, position, named, typed, Reading::Exact);
    Ok(match taking.as_slice() {
        [one] => {
            let own = named.iter().find(|n| n.term == one.term);
            own.ok_or(Miss::Ambiguous(several))
        }
        // a notation may have the sign of a capture for every move
        [] if matches!(whole()?, Err(Miss::Unknown(_))) => Err(Miss::NoCapture(several[0].clone())),
        [] => Err(Miss::Ambiguous(several)),
        _ => Err(Miss::Ambiguous(taking)),
    })
}

/// The choice that a text describes without the site where it ends: by what is taken, by the way in which it goes, or by
/// what it leaps over.
fn described<'n>(
    referee: &Referee<'_>,
    facts: &Facts,
    named: &'n [Named],
    text: &str,
) -> Option<Result<&'n Named, Miss>> {
    // `rook takes rook`
    if let Some(of_kinds) = of_kinds(referee, facts, named, text)
        && let Some(answer) = one(of_kinds.into_iter())
    {
        return Some(answer);
    }
    if let Some(over) = over(referee, facts, named, text)
        && let Some(answer) = one(over.into_iter())
    {
        return Some(answer);
    }
    if let Some(taken) = taken_in_turn(referee, facts, named, text)
        && let Some(answer) = one(taken.into_iter())
    {
        return Some(answer);
    }
    if let Some((_, moves)) = of_mover(referee, facts, named, text)
        && let Some(answer) = one(moves.into_iter())
    {
        return Some(answer);
    }
    let headed = headed(referee, facts, named, text)?;
    if let Some(answer) = one(headed.into_iter()) {
        return Some(answer);
    }
    let aslant = aslant(referee, facts, named, text);
    match aslant.as_slice() {
        [] => None,
        [one] => Some(Ok(*one)),
        several => Some(Err(Miss::Unfinished(several.iter().copied().cloned().collect()))),
    }
}

/// The only legal move of a form that takes arguments; `None` where there are several, or none.
pub(super) fn only_of_form<'n>(
    referee: &Referee<'_>,
    named: &'n [Named],
    form: &str,
) -> Option<&'n Named> {
    if is_chance(referee, named) {
        return None;
    }
    let is_form = |(name, args): (&str, &[Term])| name == form && !args.is_empty();
    let mut found = named.iter().filter(|n| n.term.functor().is_some_and(is_form));
    found.next().filter(|_| found.next().is_none())
}

/// Whether a text is the sign of a capture and a site, where no player is called by that letter.
fn begins_with_cross(referee: &Referee<'_>, text: &str) -> bool {
    let players = &referee.game.program.players;
    let site = text.trim().strip_prefix(['x', 'X']);
    site.is_some_and(|site| site_named(referee, site).is_some())
        && players.iter().all(|player| referee.name(*player) != "x")
}

/// Whether a word of a text is the letter by which a player is called, which is the sign of a capture elsewhere.
pub(super) fn names_cross(referee: &Referee<'_>, text: &str) -> bool {
    let players = &referee.game.program.players;
    text.split_whitespace().any(|word| word.eq_ignore_ascii_case("x"))
        && players.iter().any(|player| referee.name(*player) == "x")
}

/// Whether a move begins on the last site that a text names.
fn begins_on(referee: &Referee<'_>, one: &Named, text: &str) -> bool {
    let last = sites_in(referee, text).last().map(|site| referee.game.program.values.show(*site));
    let begins = one.term.functor().and_then(|(_, args)| args.first().map(print_term));
    begins.is_some() && begins == last
}

/// The choice that a text means: its own notation or term; an alias or a notation that has another name; its
/// notation but for blanks, capitals and small letters; the ends of its path; its steps as chains; and then in the ways of [`likeness`].
///
/// # Errors
/// A rule error. Within: there is no such choice, or there are several.
pub fn read_as_written<'n>(
    referee: &Referee<'_>,
    position: &Position,
    named: &'n [Named],
    typed: &str,
    reading: Reading,
) -> Result<Result<&'n Named, Miss>, Stop> {
    let typed = typed.trim();
    if let Some(answer) = one(named.iter().filter(|n| n.notation == typed)) {
        return Ok(answer);
    }
    let term = parse_move(typed);
    if let Some(term) = &term
        && let Some(found) = named.iter().find(|n| n.term == *term)
    {
        return Ok(Ok(found));
    }
    let moves: Vec<Term> = named.iter().map(|n| n.term.clone()).collect();
    let facts = referee.facts(position);
    let aliases = referee.rules.aliases(&facts, &moves).map_err(|error| referee.stopped(error))?;
    let mut other: Vec<bool> = aliases
        .iter()
        .map(|forms| forms.iter().any(|a| a.text == typed || a.term.is_some() && a.term == term))
        .collect();
    for style in referee.rules.styles() {
        let fitting = fitting(referee, position, named, &style, typed)?;
        other.iter_mut().zip(fitting).for_each(|(other, fits)| *other |= fits);
    }
    let found = named.iter().zip(&other).filter(|(_, other)| **other).map(|(n, _)| n);
    if let Some(answer) = one(found) {
        return alike(referee, position, answer, named);
    }
    let plain = loose(typed);
    let same = |(n, forms): &(&Named, &Vec<Alias>)| {
        loose(&n.notation) == plain || forms.iter().any(|alias| loose(&alias.text) == plain)
    };
    let found = named.iter().zip(&aliases).filter(same).map(|(n, _)| n);
    if let Some(answer) = one(found) {
        return Ok(answer);
    }
    if let Some(answer) = one(by_ends(referee, named, typed).into_iter()) {
        return alike(referee, position, answer, named);
    }
    let unknown = || Ok(Err(Miss::Unknown(closest(referee, position, named, None, typed)?)));
    if reading == Reading::Exact {
        return unknown();
    }
    // steps that one piece makes with one link, and such as leave out places
    let chains = Chains::of(referee, typed);
    let (whole, part) = chains.as_ref().map(|chains| chains.named(named)).unwrap_or_default();
    if let Some(answer) = one(whole.into_iter()) {
        return alike(referee, position, answer, named);
    }
    let begun = || {
        let several = |_| Miss::Unfinished(part.iter().copied().cloned().collect());
        one(part.iter().copied())
            .filter(|_| reading == Reading::Any)
            .map(|one| one.map_err(several))
    };
    // what is no list of single steps has no other meaning
    if chains.as_ref().is_some_and(|chains| chains.is_short) {
        return begun().map_or_else(unknown, Ok);
    }
    // the exact name of a move that is not legal names a legal one only by the same sites, and not where a sign
    // tells one form of move from another
    let exact = written(referee, &facts, typed)?;
    // a form of move that has no legal one now was not meant where the text is the end of another
    let due = exact.iter().any(|term| named.iter().any(|n| n.term.form() == term.form()));
    let exact = !exact.is_empty();
    if exact && has_sign(typed) {
        return unknown();
    }
    let ways = ways(referee, position, named, &aliases, typed)?;
    let in_way =
        |way| named.iter().zip(&ways).filter(move |(_, w)| **w == Some(way)).map(|(n, _)| n);
    let found = one(in_way(Likeness::Same)).or_else(|| one(in_way(Likeness::Reordered)));
    // digits that two moves could have are not read as those of the one that is legal
    let unclear = |found: &Result<&Named, Miss>| {
        let unclear = |n: &&Named| divides_otherwise(typed, &n.notation, || greatest(referee));
        found.as_ref().ok().copied().filter(unclear).cloned()
    };
    let ends = || in_way(Likeness::Part).next().is_some();
    let begins = || !is_chance(referee, named) && in_way(Likeness::Hint).next().is_some();
    if found.is_some() || exact && (due || !ends() && !begins()) || reading == Reading::Whole {
        return match found.as_ref().and_then(unclear) {
            Some(one) => Ok(Err(Miss::Unfinished(vec![one]))),
            None => found.map_or_else(unknown, |found| alike(referee, position, found, named)),
        };
    }
    if let Some(answer) = one(in_way(Likeness::Part)) {
        if names_barred(referee, &facts, named, typed)? {
            return unknown();
        }
        return match unclear(&answer) {
            Some(one) => Ok(Err(Miss::Unfinished(vec![one]))),
            None => alike(referee, position, answer, named),
        };
    }
    if let Some(answer) = begun() {
        return Ok(answer);
    }
    let is_site = |word: &str| site_named(referee, word).is_some();
    if let Some(answer) = one(named_by_words(named, &aliases, typed, is_site).into_iter()) {
        return alike(referee, position, answer, named);
    }
    let told = values_told(referee, typed);
    let hinted = in_way(Likeness::Hint).filter(|n| !differs(referee, n, &told));
    let begun: Vec<Named> = hinted.cloned().collect();
    if begun.is_empty() { unknown() } else { Ok(Err(Miss::Unfinished(begun))) }
}

/// The values beside sites that words of a text name: a colour, a kind, a direction.
fn values_told(referee: &Referee<'_>, text: &str) -> Vec<Value> {
    let names = value_names(referee);
    let text = text.to_lowercase();
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| word.len() > 1 && site_named(referee, word).is_none());
    words.filter_map(|word| names.get(word).copied()).collect()
}

/// Whether a move has other values than these where moves of its form could have them.
fn differs(referee: &Referee<'_>, n: &Named, told: &[Value]) -> bool {
    let Some((form, args)) = n.term.functor() else { return false };
    let mut forms = referee.game.types.moves.iter();
    let domains = forms.find(|(name, domains)| name == form && domains.len() == args.len());
    let columns: Vec<_> =
        domains.into_iter().flat_map(|(_, domains)| domains).map(values).collect();
    let has = |told: &Value| args.iter().any(|arg| value(referee, arg) == Some(*told));
    told.iter().any(|told| columns.iter().any(|column| column.contains(told)) && !has(told))
}

/// Whether a text that is one site is in another notation the whole name of a move that something in this position
/// forbids: a pawn's, which is no other piece's.
fn names_barred(
    referee: &Referee<'_>,
    facts: &Facts,
    named: &[Named],
    typed: &str,
) -> Result<bool, Stop> {
    if site_named(referee, typed).is_none() {
        return Ok(false);
    }
    for mv in by_style(referee, facts, typed)? {
        let told = referee.rules.why_move(facts, &mv).map_err(|error| referee.stopped(error))?;
        if named.iter().all(|n| n.term != mv) && !told.holds && !told.is_impossible() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The first of several moves that all lead to the same position; otherwise the answer as it is.
fn alike<'n>(
    referee: &Referee<'_>,
    position: &Position,
    answer: Result<&'n Named, Miss>,
    named: &'n [Named],
) -> Result<Result<&'n Named, Miss>, Stop> {
    let Err(Miss::Ambiguous(several)) = &answer else { return Ok(answer) };
    let facts = referee.facts(position);
    let mut ends = Vec::new();
    for one in several.iter().take(TOLD_MEANINGS) {
        let next = referee.rules.play(&facts, &one.term);
        ends.push(next.map_err(|error| referee.stopped(error))?);
    }
    let same =
        several.len() <= TOLD_MEANINGS && ends.iter().all(|end| end.is_some() && *end == ends[0]);
    let first = named.iter().find(|n| same && n.term == several[0].term);
    Ok(first.map_or(answer, Ok))
}

/// The only choice of some; `None` where there is none.
pub(super) fn one<'n>(found: impl Iterator<Item = &'n Named>) -> Option<Result<&'n Named, Miss>> {
    let found: Vec<&Named> = found.collect();
    match found.as_slice() {
        [] => None,
        [one] => Some(Ok(*one)),
        more => Some(Err(Miss::Ambiguous(more.iter().map(|n| (*n).clone()).collect()))),
    }
}
