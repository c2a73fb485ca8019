//! Two moves of one turn that a text tells together: `d1-d4/d7`, `amazon to d2 shoots d9`.

use crate::explain::{Explanation, turn_of};
use crate::program::Value;
use crate::reference::Facts;
use crate::syntax::{Term, TermKind};

use super::captures::takes_nothing;
use super::likeliest::moved;
use super::naming::{Named, names};
use super::reasons::refusal;
use super::typed::{self, Reading};
use super::values::{is_held, site_named, sites as sites_of_board, sites_in, too_many_sites};
use super::wording::is_form_word;
use super::{Position, Referee, Stop};

/// The longest text, in bytes, that is read as two moves.
const LONGEST: usize = 100;

/// A text in two, of which both may be moves.
struct Parted<'t> {
    first: &'t str,
    second: &'t str,
    /// What divides them is no sign of a move.
    apart: bool,
    sign: char,
    /// The second begins with a word that names its form.
    by_word: bool,
}

impl<'t> Parted<'t> {
    /// All ways in which a text can be parted.
    fn all(referee: &Referee<'_>, text: &'t str) -> Vec<Parted<'t>> {
        let text = text.trim();
        if text.len() > LONGEST {
            return Vec::new();
        }
        // the sign of a capture behind the number of a site
        let crosses = |at: usize, c: char| {
            c == 'x'
                && text[..at].ends_with(|c: char| c.is_ascii_digit())
                && text[at + 1..].starts_with(|c: char| c.is_alphanumeric())
        };
        let divides =
            |(at, c): &(usize, char)| *at > 0 && (!c.is_alphanumeric() || crosses(*at, *c));
        let parted = |(at, sign): (usize, char)| {
            let first = text[..at].trim_end_matches([',', ';', ' ']);
            let second = text[at..].trim_start_matches([',', ';', ' ']);
            let inside = second.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
            let second = inside.unwrap_or(second);
            let word = second.split_whitespace().next().unwrap_or_default().to_lowercase();
            let by_word = is_form_word(referee, &word);
            let first = if by_word { without_conjunction(first) } else { first };
            let signs = |c: &char| !c.is_alphanumeric() || sign == 'x';
            let sign = second.chars().next().filter(signs).unwrap_or(sign);
            let apart = sign.is_whitespace() || ",;(".contains(sign);
            Parted { first, second, apart, sign, by_word }
        };
        text.char_indices().filter(divides).map(parted).collect()
    }

    /// The first move, where it is legal and the game goes on, and the position after it.
    fn begun(
        &self,
        referee: &mut Referee<'_>,
        position: &Position,
        legal: &[Named],
    ) -> Result<Option<(Named, Position)>, Stop> {
        // a move with both its sites is told in full, whatever else is said of it
        let whole = sites_in(referee, self.first).len() > 1;
        let reading = if self.by_word || whole { Reading::Any } else { Reading::Exact };
        let Ok(found) = typed::read(referee, position, legal, self.first, reading)? else {
            return Ok(None);
        };
        let Some(next) = referee.play(position, &found.term)? else { return Ok(None) };
        let goes_on = referee.outcome(&next)?.is_none();
        Ok(goes_on.then(|| (found.clone(), next)))
    }

    /// The site to which the second part goes on.
    fn site_behind(&self, referee: &Referee<'_>) -> Option<Value> {
        let second = self.second.trim_start_matches(['-', 'x', ':', ' ']);
        site_named(referee, second.strip_prefix("to ").unwrap_or(second))
    }

    /// Whether the second part is one more site on the way of the first, or one on which it captures.
    fn goes_on(&self, referee: &Referee<'_>, first: &Named) -> bool {
        let sites = sites_in(referee, self.first);
        if sites.len() != sites_in(referee, &first.text).len() {
            return false;
        }
        self.site_behind(referee).is_some_and(|site| sites.last() != Some(&site))
            && (sites.len() > 1 || self.sign == 'x')
    }
}

/// A text without a word at its end that joins it to what follows.
fn without_conjunction(text: &str) -> &str {
    let lower = text.to_lowercase();
    let words = [" and then", " and", " then", " with"];
    let ends = words.into_iter().find(|word| lower.ends_with(word) && lower.len() == text.len());
    ends.map_or(text, |word| text[..text.len() - word.len()].trim_end_matches([',', ';', ' ']))
}

/// The first of two moves of one turn that a text tells together, and the text of the second. The player is still to move
/// after the first, and both are legal and told in full, or the second by the name of its form. A sign between them is one
/// with which the second begins.
///
/// # Errors
/// A rule error.
pub fn in_one_turn(
    referee: &mut Referee<'_>,
    position: &Position,
    legal: &[Named],
    text: &str,
) -> Result<Option<(Term, String)>, Stop> {
    let turn = referee.turn(position);
    for parted in Parted::all(referee, text) {
        let Some((first, next)) = parted.begun(referee, position, legal)? else { continue };
        if referee.turn(&next) != turn {
            continue;
        }
        let choices = referee.choices(&next)?;
        let named = names(referee, &next, &choices)?;
        let joins = |other: &Named| parted.apart || other.notation.starts_with(parted.sign);
        let reading = if parted.by_word { Reading::Any } else { Reading::Whole };
        let read = typed::read(referee, &next, &named, parted.second, reading)?;
        if !choices.chance && read.is_ok_and(joins) {
            return Ok(Some((first.term, parted.second.to_string())));
        }
    }
    Ok(None)
}

/// Why the second of two moves of one turn that a text tells together is not legal after the first, which may end the turn.
///
/// # Errors
/// A rule error.
pub fn second_refused(
    referee: &mut Referee<'_>,
    position: &Position,
    legal: &[Named],
    text: &str,
) -> Result<Option<Explanation>, Stop> {
    let turn = referee.turn(position);
    for parted in Parted::all(referee, text) {
        let Some((first, next)) = parted.begun(referee, position, legal)? else { continue };
        if referee.turn(&next) != turn {
            let facts = referee.facts(position);
            // a way of several captures is told where it breaks off
            let quiet =
                too_many_sites(referee, text).is_some() || takes_nothing(referee, &facts, &first)?;
            // a single move that could be legal in another position is told as such
            let single = || {
                let meant = moved(referee, (position, &facts), legal, text, true);
                meant.is_ok_and(|meant| meant.is_some_and(|(_, told)| !told.is_impossible()))
            };
            if quiet && parted.goes_on(referee, &first) && !single() {
                if let Some(told) = no_further(referee, &facts, &parted, &first, text)? {
                    return Ok(Some(told));
                }
                let now = turn_of(&referee.game.program, &referee.name(referee.turn(&next)));
                let short = format!(
                    "`{}` is not legal: one move a turn, and after {} it is {now} turn.",
                    text.trim(),
                    first.notation
                );
                return Ok(Some(Explanation { short, ..Explanation::of(text.trim().to_string()) }));
            }
            continue;
        }
        let choices = referee.choices(&next)?;
        let named = names(referee, &next, &choices)?;
        let signed = |n: &Named| !parted.apart && n.notation.starts_with(parted.sign);
        if choices.chance || !(parted.by_word || named.iter().any(signed)) {
            continue;
        }
        let facts = referee.facts(&next);
        let told = refusal(referee, &next, &facts, &named, parted.second)?;
        if let Some(told) = told.filter(|told| !told.due) {
            let short = format!("After {}, {}", first.notation, told.short);
            return Ok(Some(Explanation { short, ..told }));
        }
    }
    Ok(None)
}

/// Why a move that ends the turn does not go on to the site behind it, where one of its kind can go on: in the same turn, or as
/// one move that passes several pieces. `None` where none can.
fn no_further(
    referee: &Referee<'_>,
    facts: &Facts,
    parted: &Parted<'_>,
    first: &Named,
    text: &str,
) -> Result<Option<Explanation>, Stop> {
    let Some(site) = parted.site_behind(referee) else { return Ok(None) };
    let text = text.trim();
    let refused = |reason: &str, told: &Explanation| Explanation {
        short: format!("`{text}` is not legal: {reason}."),
        subject: text.to_string(),
        ..told.clone()
    };
    let told = referee.rules.why_not_on(facts, &first.term, site);
    let told = told.map_err(|error| referee.stopped(error))?;
    if let Some(told) = &told
        && let Some(reason) = &told.reason
    {
        return Ok(Some(refused(&reason.whole, told)));
    }
    if !referee.rules.is_of_leaps(&first.term) || !passes_one(referee, facts, first)? {
        return Ok(None);
    }
    let Some(whole) = with_end(referee, &first.term, site) else { return Ok(None) };
    let told = referee.rules.why_move(facts, &whole).map_err(|error| referee.stopped(error))?;
    let reason = told.reason.as_ref().filter(|_| !told.holds);
    Ok(reason.map(|reason| refused(&reason.whole, &told)))
}

/// A move with another site in place of its last one.
fn with_end(referee: &Referee<'_>, mv: &Term, site: Value) -> Option<Term> {
    let TermKind::Compound(name, args) = &mv.kind else { return None };
    let mut args = args.clone();
    let last = args.last_mut()?;
    let end = referee.game.program.values.show(site);
    *last = Term::new(TermKind::Atom(end.as_str().into()), last.span);
    Some(Term::new(TermKind::Compound(name.clone(), args), mv.span))
}

/// Whether a move takes a piece off that it passes: one step away, and what it goes to lies behind that.
fn passes_one(referee: &Referee<'_>, facts: &Facts, one: &Named) -> Result<bool, Stop> {
    let sites: Vec<Value> = sites_in(referee, &one.text).into_iter().collect();
    let [from, to] = *sites.as_slice() else { return Ok(false) };
    let next = referee.rules.play(facts, &one.term).map_err(|error| referee.stopped(error))?;
    let Some(next) = next else { return Ok(false) };
    Ok(sites_of_board(referee).iter().any(|over| {
        is_held(referee, facts, &[*over])
            && !is_held(referee, &next, &[*over])
            && referee.rules.behind(from, *over).is_some_and(|behind| behind.contains(&to))
    }))
}

/// Why two moves of one turn that a text tells together are legal; `None` where it tells none.
///
/// # Errors
/// A rule error.
pub fn both_legal(
    referee: &mut Referee<'_>,
    position: &Position,
    legal: &[Named],
    text: &str,
) -> Result<Option<Explanation>, Stop> {
    let Some((first, second)) = in_one_turn(referee, position, legal, text)? else {
        return Ok(None);
    };
    let why = |referee: &Referee<'_>, at: &Position, term: &Term| {
        let told = referee.rules.why_move(&referee.facts(at), term);
        told.map_err(|error| referee.stopped(error))
    };
    let before = why(referee, position, &first)?;
    let Some(next) = referee.play(position, &first)? else { return Ok(None) };
    let choices = referee.choices(&next)?;
    let named = names(referee, &next, &choices)?;
    let Ok(found) = typed::find(referee, &next, &named, &second)? else { return Ok(None) };
    let told = why(referee, &next, &found.term)?;
    let short = format!("{} {}", before.sentences(), told.short);
    Ok(Some(Explanation { short, ..told }))
}
