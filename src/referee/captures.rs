//! Texts that say that a move captures, where it does not.

use crate::diagnostic::listed;
use crate::explain::{Cause, Explanation};
use crate::program::{FluentId, FluentShape, Value};
use crate::reference::Facts;
use crate::syntax::{Term, TermKind};

use super::events::is_chance;
use super::kinds::held;
use super::likeliest::Meant;
use super::naming::{Named, loose};
use super::owners::owned;
use super::pieces;
use super::plainer::readings;
use super::remarks::{TAKES, is_taking};
use super::shorthand::has_cross;
use super::stays::keeps;
use super::values::{is_held, site_named, sites, sites_in};
use super::ways::takes_by_sign;
use super::{Referee, Stop};

/// The most legal moves that are looked at to know whether a form of move goes without a capture.
const MOST_COMPARED: usize = 40;

/// The most legal moves that are played to know whether one captures on a site.
const MOST_PLAYED: usize = 1000;

/// Whether a text says that the move captures: `bishop takes b5`, `Bxb5`.
pub fn says_capture(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    // a letter behind a move says nothing of it
    let takes = |(i, word): (usize, &&str)| {
        let alone = i > 0 && i + 1 < words.len();
        TAKES.contains(&word.to_lowercase().as_str()) && (word.len() > 1 || alone)
    };
    // behind a name that ends with that letter
    let doubled = text.to_lowercase().contains("xx");
    has_cross(text) || doubled || words.iter().enumerate().any(takes)
}

/// A text of the name of a form of move and a site where no piece of the player's stands that is to move, as one that names what is
/// captured: `take f4`. `None` for other texts.
pub fn of_target(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<String> {
    let (word, name) = text.trim().split_once(' ')?;
    let site = site_named(referee, name)?;
    let lower = word.to_lowercase();
    let names_form = referee.rules.move_forms().iter().any(|(form, ..)| *form == lower);
    let held = held(referee, facts, &referee.game.program.values.show(site))?;
    let own = facts.turn().is_some_and(|turn| owned(referee, held, turn));
    (names_form && TAKES.contains(&lower.as_str()) && !own).then(|| format!("captures {name}"))
}

/// The last site that a text names, if nothing stands there.
fn empty_target(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<String> {
    referee.rules.contents_fluent()?;
    let last = *sites_in(referee, text).last()?;
    let name = referee.game.program.values.show(last);
    held(referee, facts, &name).is_none().then_some(name)
}

/// The number of pieces on the board, and of those that are not a player's; where a map says for each site what stands there.
fn pieces_on_board(referee: &Referee<'_>, facts: &Facts, turn: Value) -> Option<(usize, usize)> {
    let fluent = referee.rules.contents_fluent()?;
    let shape = &referee.game.program.fluent(fluent).shape;
    let others = facts.iter(fluent).filter(|(_, piece)| !owned(referee, *piece, turn));
    matches!(shape, FluentShape::Map { initial: None, .. })
        .then(|| (facts.iter(fluent).count(), others.count()))
}

/// Whether as many pieces are on the board after a legal move as before, or more, and as many that are not the mover's.
pub fn takes_nothing(referee: &Referee<'_>, facts: &Facts, one: &Named) -> Result<bool, Stop> {
    let Some(turn) = facts.turn() else { return Ok(false) };
    let Some((all, others)) = pieces_on_board(referee, facts, turn) else { return Ok(false) };
    let next = referee.rules.play(facts, &one.term).map_err(|error| referee.stopped(error))?;
    let after = next.and_then(|next| pieces_on_board(referee, &next, turn));
    Ok(after.is_some_and(|after| after.0 >= all && after.1 >= others))
}

/// The moves among these legal ones that capture; `None` where that is not known.
///
/// # Errors
/// A rule error.
pub fn taking<'n>(
    referee: &Referee<'_>,
    facts: &Facts,
    legal: &[&'n Named],
) -> Result<Option<Vec<&'n Named>>, Stop> {
    let known = facts.turn().is_some_and(|turn| pieces_on_board(referee, facts, turn).is_some());
    if !known || legal.len() > MOST_PLAYED {
        return Ok(None);
    }
    let mut found = Vec::new();
    for one in legal {
        if !takes_nothing(referee, facts, one)? {
            found.push(*one);
        }
    }
    Ok(Some(found))
}

/// Whether a notation has this text for a move only after the one with the sign of a step in place of that of a capture:
/// it reads both, and the first is what the move does.
pub fn is_second_sign(
    referee: &Referee<'_>,
    facts: &Facts,
    one: &Named,
    text: &str,
) -> Result<bool, Stop> {
    let (taking, going) = (loose(text), loose(&text.replace('x', "-")));
    for style in referee.rules.styles() {
        let styled = referee.rules.styled(facts, std::slice::from_ref(&one.term), &style);
        let texts = styled.map_err(|error| referee.stopped(error))?.pop().unwrap_or_default();
        let at = |wanted: &String| texts.iter().position(|text| loose(text) == *wanted);
        if at(&taking).is_some() && at(&going) < at(&taking) && at(&going).is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The legal moves that change a site on which a text says that a piece is captured, and do not go there; with that site.
/// `None` where the text does not say so, or where there are too many moves.
fn beside<'n>(
    referee: &Referee<'_>,
    facts: &Facts,
    legal: &'n [Named],
    text: &str,
) -> Result<Option<(Value, Vec<&'n Named>)>, Stop> {
    let sites: Vec<Value> = sites_in(referee, text).into_iter().collect();
    let (from, on, to) = match *sites.as_slice() {
        [from, on, to] => (Some(from), on, Some(to)),
        [from, on] => (Some(from), on, None),
        [on] => (None, on, None),
        _ => return Ok(None),
    };
    if !says_capture(text) && (from.is_none() || !text.contains(':')) {
        return Ok(None);
    }
    let kind = readings(referee, facts, text).find_map(|plain| plain.kind);
    let leaps = |n: &&Named| {
        let named = sites_in(referee, &n.text);
        from.is_none_or(|from| named.first() == Some(&from))
            && to.is_none_or(|to| named.last() == Some(&to))
            && kind.as_ref().is_none_or(|kind| kind.fits(referee, facts, &n.term))
            && !named.contains(&on)
    };
    let leaping: Vec<&Named> = legal.iter().filter(leaps).take(MOST_COMPARED + 1).collect();
    // what is taken up where a move of one site begins is not captured: `take the seeds of c1`
    let lifted = |n: &Named| sites_in(referee, &n.text).iter().eq([&on]);
    if leaping.len() > MOST_COMPARED || from.is_none() && legal.iter().any(lifted) {
        return Ok(None);
    }
    let mut taking: Vec<&Named> = Vec::new();
    for one in leaping {
        let next = referee.rules.play(facts, &one.term).map_err(|error| referee.stopped(error))?;
        // of what is placed, only what stands on the site tells that it is captured
        let placed = sites_in(referee, &one.text).len() < 2;
        let takes = |next: Facts| match placed {
            true => loses(referee, facts, &next, on),
            false => changes(referee, facts, &next, on),
        };
        if next.is_some_and(takes) {
            taking.push(one);
        }
    }
    Ok(Some((on, taking)))
}

/// What stands on a site.
fn contents(referee: &Referee<'_>, facts: &Facts, on: Value) -> Option<Value> {
    facts.get(referee.rules.contents_fluent()?, &[on])
}

/// Whether what stands on a site is gone in the next position, or is the mover's and was not: seeds that are sown on it are not
/// captured.
fn loses(referee: &Referee<'_>, facts: &Facts, next: &Facts, on: Value) -> bool {
    let nothing = |piece: &Value| *piece == Value::Integer(0);
    // what is only taken up to be sown on is still on the board
    if let Some(Value::Integer(_)) = contents(referee, facts, on)
        && let Some(fluent) = referee.rules.contents_fluent()
    {
        let all = |facts: &Facts| -> i64 {
            facts.iter(fluent).filter_map(|(_, seeds)| seeds.integer()).sum()
        };
        if all(next) >= all(facts) {
            return false;
        }
    }
    let stood = contents(referee, facts, on).filter(|piece| !nothing(piece));
    let own = |piece| facts.turn().is_some_and(|turn| owned(referee, piece, turn));
    match contents(referee, next, on).filter(|piece| !nothing(piece)) {
        None => stood.is_some(),
        Some(stands) => stood.is_some_and(|stood| own(stands) && !own(stood)),
    }
}

/// Whether what is known of a site is another in the next position.
fn changes(referee: &Referee<'_>, facts: &Facts, next: &Facts, on: Value) -> bool {
    // a number may be a site, and something else as the key of another map
    let sites = sites(referee);
    let of_sites = |fluent: &FluentId| {
        let domain = referee.rules.domain(*fluent);
        // of a board in two colours the squares of one are none on which pieces stand
        let fit = sites.iter().filter(|site| domain.wrong_key(&[**site]).is_none());
        fit.count() * 2 >= sites.len()
    };
    let fluents = (0..referee.game.program.fluents.len()).map(|fluent| FluentId(fluent as u32));
    let mut fluents = fluents.filter(of_sites);
    // what a move remembers of a site is no capture on it
    if let Some(fluent) = referee.rules.contents_fluent().filter(of_sites) {
        return facts.get(fluent, &[on]) != next.get(fluent, &[on]);
    }
    fluents.any(|fluent| facts.get(fluent, &[on]) != next.get(fluent, &[on]))
}

/// The legal moves that a text tells in words by the site on which they capture, where they go to another one: `c4 takes c3`
/// of a leap, `take c3`. `None` where it tells none so, or where one of them captures where it goes.
pub fn leaping<'n>(
    referee: &Referee<'_>,
    facts: &Facts,
    legal: &'n [Named],
    text: &str,
) -> Result<Option<Vec<&'n Named>>, Stop> {
    if !text.split_whitespace().any(is_taking) {
        return Ok(None);
    }
    // an explosion takes pieces beside the one that a move captures where it goes
    let lands = |n: &&Named| {
        let sites = sites_in(referee, &n.text);
        sites.len() > 1 && sites.last().is_some_and(|last| is_held(referee, facts, &[*last]))
    };
    let found = beside(referee, facts, legal, text)?.map(|(_, taking)| taking);
    Ok(found.filter(|taking| !taking.is_empty() && !taking.iter().any(lands)))
}

/// What is said of a text that names the site on which a piece is captured, where it goes to another one: the move that
/// captures there.
pub fn beside_target(
    referee: &Referee<'_>,
    facts: &Facts,
    legal: &[Named],
    text: &str,
) -> Result<Option<Meant>, Stop> {
    let sites = sites_in(referee, text);
    // where a notation has letters for pieces, the site behind the sign of a capture is where the piece goes
    let ends = || {
        !referee.rules.styles().is_empty()
            || sites.last().is_none_or(|last| !is_held(referee, facts, &[*last]))
    };
    if sites.len() > 2 || sites.len() < 2 && ends() {
        return Ok(None);
    }
    let Some((on, taking)) = beside(referee, facts, legal, text)? else { return Ok(None) };
    let Some(first) = taking.first() else { return Ok(None) };
    let names: Vec<String> = taking.iter().map(|n| n.notation.clone()).collect();
    let site = referee.game.program.values.show(on);
    let told = pieces::refused(text, format!("{site} is what is captured"), Vec::new());
    let short = match names.as_slice() {
        [one] => format!("If the capture on {site} is meant, {one} is that move, and legal."),
        several => {
            let names = listed(several, "and");
            format!("If the capture on {site} is meant, {names} are such moves, and legal.")
        }
    };
    Ok(Some((first.term.clone(), Explanation { short, ..told })))
}

/// Words before that for a capture.
const PRONOUNS: [&str; 5] = ["I", "i", "we", "let", "please"];

/// The site that a text in words says to capture on, without the piece that does so, if something stands there and no legal
/// move captures it: `take the bishop on b4`.
fn none_on(
    referee: &Referee<'_>,
    facts: &Facts,
    legal: &[Named],
    text: &str,
) -> Result<Option<String>, Stop> {
    let sites: Vec<Value> = sites_in(referee, text).into_iter().collect();
    let [on] = *sites.as_slice() else { return Ok(None) };
    // `I take the bishop on b4`
    let mut words = text.split_whitespace().skip_while(|word| PRONOUNS.contains(word));
    let told = words.next().is_some_and(is_taking);
    let stands = contents(referee, facts, on);
    if !told || legal.len() > MOST_PLAYED || !is_held(referee, facts, &[on]) {
        return Ok(None);
    }
    for one in legal {
        let leaves = sites_in(referee, &one.text).first() == Some(&on);
        let next = referee.rules.play(facts, &one.term).map_err(|error| referee.stopped(error))?;
        let takes = |next: Facts| match stands {
            Some(Value::Integer(_)) => loses(referee, facts, &next, on),
            stands => contents(referee, &next, on) != stands,
        };
        if !leaves && next.is_some_and(takes) {
            return Ok(None);
        }
    }
    Ok(Some(referee.game.program.values.show(on)))
}

/// The leap over the piece of an opponent's that a text says to capture, where the move that it means ends on that piece and
/// it is in the way there; and the site behind it.
pub fn beyond(
    referee: &Referee<'_>,
    facts: &Facts,
    text: &str,
    told: &Explanation,
) -> Option<(String, String)> {
    let turn = facts.turn()?;
    let sites: Vec<Value> = sites_in(referee, &told.subject).into_iter().collect();
    let [from, on] = *sites.as_slice() else { return None };
    let show = |site: Value| referee.game.program.values.show(site);
    let stands = contents(referee, facts, on).filter(|piece| !owned(referee, *piece, turn))?;
    let takes = says_capture(text) || text.contains(':');
    if told.holds || told.cause != Cause::Goal || !takes || stands == Value::Integer(0) {
        return None;
    }
    let behind = show(*referee.rules.behind(from, on)?.first()?);
    Some((format!("{}x{behind}", show(from)), behind))
}

/// Why a piece beside another one, which a text says to capture, cannot be leaped over: it is the player's own, or nothing lies
/// behind it. `None` where that is not so, or where pieces may capture where they go.
pub fn never_leaped(
    referee: &Referee<'_>,
    (facts, legal): (&Facts, &[Named]),
    text: &str,
    (term, told): &Meant,
) -> Option<Explanation> {
    let turn = facts.turn()?;
    let sites: Vec<Value> = sites_in(referee, &told.subject).into_iter().collect();
    let [from, on] = *sites.as_slice() else { return None };
    let stands = contents(referee, facts, on).filter(|piece| *piece != Value::Integer(0))?;
    let show = |site: Value| referee.game.program.values.show(site);
    if told.holds
        || told.due
        || told.cause != Cause::Goal
        || !says_capture(text)
        || !contents(referee, facts, from).is_some_and(|piece| owned(referee, piece, turn))
    {
        return None;
    }
    let behind = referee.rules.behind(from, on)?;
    // where a notation has letters for pieces, they capture where they go
    let theirs = |site: Value| {
        let held = contents(referee, facts, site).filter(|piece| *piece != Value::Integer(0));
        held.is_some_and(|piece| !owned(referee, piece, turn))
    };
    let displaces = |n: &Named| {
        let sites: Vec<Value> = sites_in(referee, &n.text).into_iter().collect();
        matches!(sites.as_slice(), [_, last] if theirs(*last))
    };
    let lands = referee.rules.styles().is_empty() && !legal.iter().any(displaces);
    let reason = match owned(referee, stands, turn) {
        true if lands || is_way(term) => referee.rules.contents_in_words(facts, on)?,
        true => return None,
        false if lands && keeps(referee) => {
            "nothing is taken off the board in this game".to_string()
        }
        false if behind.is_empty() && lands => {
            format!("nothing lies behind {} to land on", show(on))
        }
        false => return None,
    };
    if told.short.contains(&reason) {
        return None;
    }
    // what is said of a step is not broken
    let rule = told.rule.clone().filter(|_| takes_by_sign(&told.subject) || is_way(term));
    Some(Explanation { rule, ..pieces::refused(text, reason, vec![show(on)]) })
}

/// A text in words that says that a piece captures another one, with the sign of a capture, where the move that it means is refused.
pub fn by_sign(
    referee: &Referee<'_>,
    facts: &Facts,
    text: &str,
    told: &Explanation,
) -> Option<String> {
    let turn = facts.turn()?;
    let sites: Vec<Value> = sites_in(referee, &told.subject).into_iter().collect();
    let [from, on] = *sites.as_slice() else { return None };
    let stands = contents(referee, facts, on).filter(|piece| !owned(referee, *piece, turn))?;
    let in_words = text.split_whitespace().any(is_taking)
        && contents(referee, facts, from).is_some_and(|piece| owned(referee, piece, turn));
    let refused = !told.holds && told.cause == Cause::Goal && !takes_by_sign(&told.subject);
    let show = |site: Value| referee.game.program.values.show(site);
    (in_words && refused && stands != Value::Integer(0))
        .then(|| format!("{}x{}", show(from), show(on)))
}

/// Whether a move names a list of sites, as a way of several leaps does.
fn is_way(mv: &Term) -> bool {
    let lists = |arg: &Term| matches!(arg.kind, TermKind::List(..));
    mv.functor().is_some_and(|(_, args)| args.iter().any(lists))
}

/// Whether a leap would capture the piece that a text says, were nothing on the site where it lands.
pub fn takes_if_empty(
    referee: &Referee<'_>,
    facts: &Facts,
    text: &str,
    (leap, landing): (&Term, &str),
) -> bool {
    let Some(contents) = referee.rules.contents_fluent() else { return false };
    let Some(landing) = site_named(referee, landing) else { return false };
    // a way of several leaps may have to go on from there
    if is_way(leap) {
        return true;
    }
    let mut before = facts.clone();
    before.set(contents, &[landing], None);
    // a rule error is none of what was typed
    let next = referee.rules.play(&before, leap).ok().flatten();
    let taken = sites_in(referee, text).last().copied();
    next.zip(taken).is_some_and(|(next, taken)| loses(referee, &before, &next, taken))
}

/// An explanation that says too that nothing stands where the text says that the piece captures. So it is told only of
/// forms of moves that also go to empty sites without a capture.
pub fn of_nothing(
    referee: &Referee<'_>,
    facts: &Facts,
    legal: &[Named],
    text: &str,
    (term, mut told): Meant,
) -> Result<Meant, Stop> {
    // no event of chance is a capture
    if is_chance(referee, legal) {
        return Ok((term, told));
    }
    let sites = sites_in(referee, &told.subject);
    let show = |site: &Value| referee.game.program.values.show(*site);
    let (from, to) = (sites.first().map(show), sites.last().map(show));
    // a placing or a step that captures nothing, or a move of another player's, where nothing is captured on the site, but
    // no form of move that only captures
    let blamed = |site: &Option<String>| told.blamed.iter().eq(site.iter());
    let quiet = !takes_by_sign(&told.subject) && (sites.len() == 1 || blamed(&from) || blamed(&to));
    // of what is captured alone, no piece is known that would go there, unless something is in its way
    let alone = sites_in(referee, text).len() == 1 && !names_one(&term) && told.blamed.is_empty();
    if !told.holds
        && (quiet || alone || told.cause == Cause::Turn)
        && let Some(site) = none_on(referee, facts, legal, text)?
    {
        let reason = match keeps(referee) {
            true => "nothing is taken off the board in this game".to_string(),
            false => format!("no legal move captures on {site}"),
        };
        return Ok((term, pieces::refused(text, reason, vec![site])));
    }
    if told.cause != Cause::Goal {
        return Ok((term, told));
    }
    // a placing told as a capture, where no legal move captures
    if names_one(&term)
        && !told.due
        && (begins_with_capture(referee, text)
            || sites.len() == 1 && text.split_whitespace().any(is_taking))
        && let Some(reason) = told.reason.clone()
        && none_captures(referee, facts, legal)?
    {
        told.short =
            format!("`{text}` is not legal: no legal move captures, and {}.", reason.facts);
        told.subject = text.to_string();
        return Ok((term, told));
    }
    // a move that fails behind its capture takes what stands elsewhere
    if !says_capture(text) || told.takes || told.blamed.iter().eq(from.iter()) {
        return Ok((term, told));
    }
    let Some(site) = empty_target(referee, facts, text).filter(|s| !told.blamed.contains(s)) else {
        return Ok((term, told));
    };
    let same = legal.iter().filter(|n| n.term.form() == term.form()).take(MOST_COMPARED);
    for one in same {
        if empty_target(referee, facts, &one.text).is_some() && takes_nothing(referee, facts, one)?
        {
            told.short =
                format!("{} Nor does anything stand on {site} to be captured.", told.short);
            break;
        }
    }
    Ok((term, told))
}

/// Whether a move has one argument, so that it is no way from one site to another.
fn names_one(term: &Term) -> bool {
    term.functor().is_some_and(|(_, args)| args.len() == 1)
}

/// Whether a text begins with the sign of a capture, or a word for it.
fn begins_with_capture(referee: &Referee<'_>, text: &str) -> bool {
    let text = text.trim();
    // a player may be called so
    let mut players = referee.game.program.players.iter();
    if text.starts_with(['x', 'X']) && players.any(|player| referee.name(*player) == "x") {
        return false;
    }
    let word = text.split_whitespace().next().is_some_and(|first| {
        first.len() < text.len() && TAKES.contains(&first.to_lowercase().as_str())
    });
    let cross =
        text.strip_prefix(['x', 'X']).filter(|rest| rest.starts_with(char::is_alphanumeric));
    word || cross.is_some_and(|rest| rest.contains(|c: char| c.is_ascii_digit()))
}

/// Whether none of the legal moves, which are few enough to look at all, captures anything.
fn none_captures(referee: &Referee<'_>, facts: &Facts, legal: &[Named]) -> Result<bool, Stop> {
    if legal.is_empty() || legal.len() > MOST_COMPARED {
        return Ok(false);
    }
    for one in legal {
        if !takes_nothing(referee, facts, one)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What is said of a text that takes several pieces, where each legal move names one site: the first comes first.
pub fn several_taken(referee: &Referee<'_>, legal: &[Named], text: &str) -> Option<Meant> {
    let text = text.trim();
    let sites = sites_in(referee, text);
    let names_one = |n: &Named| sites_in(referee, &n.text).len() == 1;
    if sites.len() < 2 || !begins_with_capture(referee, text) || !legal.iter().all(names_one) {
        return None;
    }
    let first = legal.iter().find(|n| sites_in(referee, &n.text).first() == sites.first())?;
    let reason = format!("one move at a time, and {} comes first", first.notation);
    Some((first.term.clone(), pieces::refused(text, reason, Vec::new())))
}

/// What is said of a text that joins two sites by `and`, where each legal move names one site: `two goats on d1 and d2`.
pub fn two_sites(referee: &Referee<'_>, legal: &[Named], text: &str) -> Option<Meant> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let site = |word: &str| site_named(referee, word);
    let (first, second) = words.windows(3).find_map(|three| match three {
        [first, "and", second] => site(first).zip(site(second)),
        _ => None,
    })?;
    let names_one = |n: &Named| sites_in(referee, &n.text).len() == 1;
    if words.contains(&"between") || !legal.iter().all(names_one) {
        return None;
    }
    let of_site = |site| legal.iter().find(|n| sites_in(referee, &n.text).first() == Some(&site));
    let meant = of_site(first).or_else(|| of_site(second))?;
    let reason = format!("one move at a time, such as {}", meant.notation);
    Some((meant.term.clone(), pieces::refused(text, reason, Vec::new())))
}

/// What is said of a text that begins with a capture, where no legal move captures anything.
pub fn none_now(
    referee: &Referee<'_>,
    facts: &Facts,
    legal: &[Named],
    text: &str,
) -> Option<String> {
    // a rule error is none of what was typed
    let none =
        begins_with_capture(referee, text) && none_captures(referee, facts, legal).unwrap_or(false);
    none.then(|| "no legal move captures anything now".to_string())
}
