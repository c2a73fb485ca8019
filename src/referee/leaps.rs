//! Moves told by what they leap over: `h4 over g5`, `jump over g5 to f6`, `tiger leaps c4`.

use crate::diagnostic::listed;
use crate::program::Value;
use crate::reference::Facts;
use crate::syntax::print_term;

use super::Referee;
use super::captures::says_capture;
use super::kinds::{held, is_kind, kinds};
use super::naming::Named;
use super::owners::owned;
use super::places::{place_of, site_at};
use super::remarks::says_nothing;
use super::takers::{is_of, player_called};
use super::values::{is_held, site_named, sites_in};

/// Words before the site that a move passes.
pub(super) const OVER: [&str; 3] = ["over", "past", "across"];

/// Words for a leap, before the site over which it leads where something stands there.
pub(super) const LEAPS: [&str; 6] = ["jump", "jumps", "leap", "leaps", "hop", "hops"];

/// Words before the name of a piece that is passed, or behind it.
const BEFORE: [&str; 8] = ["the", "a", "an", "his", "her", "their", "on", "at"];

/// Words between sites that are passed one after the other.
const AND: [&str; 2] = ["and", "then"];

/// Words for the way of a leap, with whether they tell that it goes across the board, or up and down it.
const WAYS: [(&str, Option<bool>); 8] = [
    ("left", Some(true)),
    ("right", Some(true)),
    ("sideways", Some(true)),
    ("up", Some(false)),
    ("down", Some(false)),
    ("forward", Some(false)),
    ("straight", None),
    ("again", None),
];

/// What a text says that tells a move by the sites which it passes.
struct Told {
    /// At least one.
    over: Vec<Value>,
    /// The other sites that it names.
    ends: Vec<String>,
    /// The first of them is where the move goes.
    to: bool,
    kind: Option<String>,
    /// Whether the leap goes across the board, or up and down it, where the text says that.
    across: Option<bool>,
}

impl Told {
    /// What a text says; `None` where it says anything else.
    fn of(referee: &Referee<'_>, facts: &Facts, named: &[Named], text: &str) -> Option<Told> {
        let lower = text.to_lowercase();
        let mut words: Vec<&str> = lower
            .split(|c: char| c.is_whitespace() || c == ',')
            .map(|word| word.trim_end_matches(['.', '!']))
            .filter(|word| !word.is_empty())
            .collect();
        without_passed(referee, &mut words);
        let site = |at: usize| words.get(at).and_then(|word| site_named(referee, word));
        let over = (0..words.len())
            .find(|at| OVER.contains(&words[*at]) && site(at + 1).is_some())
            .or_else(|| {
                let leap = (0..words.len()).find(|at| LEAPS.contains(&words[*at]))?;
                let name = words.get(leap + 1)?;
                let ends = |n: &Named| ends(n).is_some_and(|(_, to)| to == *name);
                let there = site_named(referee, name).and(held(referee, facts, name)).is_some();
                (there && !named.iter().any(ends)).then_some(leap)
            })?;
        let mut passed = vec![site(over + 1)?];
        let mut behind = over + 2;
        while words.get(behind).is_some_and(|word| AND.contains(word))
            && let Some(next) = site(behind + 1)
        {
            passed.push(next);
            behind += 2;
        }
        let mut told = Told { over: passed, ends: Vec::new(), to: false, kind: None, across: None };
        for (at, word) in words.iter().enumerate().filter(|(at, _)| *at < over || *at >= behind) {
            if site(at).is_some() {
                told.to |= told.ends.is_empty() && at > 0 && words[at - 1] == "to";
                told.ends.push((*word).to_string());
            } else if is_kind(referee, word) || player_called(referee, word).is_some() {
                told.kind.replace((*word).to_string()).is_none().then_some(())?;
            } else if let Some((_, across)) = WAYS.iter().find(|(way, _)| way == word) {
                told.across = across.or(told.across);
            } else if !says_nothing(word) && *word != "i" {
                return None;
            }
        }
        (told.ends.len() <= 2).then_some(told)
    }
}

/// Takes out what a text calls the piece that it leaps over, before its site: `jump d6` for `jump the man on d6`.
fn without_passed(referee: &Referee<'_>, words: &mut Vec<&str>) {
    let Some(leap) = words.iter().position(|word| LEAPS.contains(word)) else { return };
    let site = |word: &&str| site_named(referee, word).is_some();
    let names = |word: &&str| {
        BEFORE.contains(word) || is_kind(referee, word) || player_called(referee, word).is_some()
    };
    let behind = &words[leap + 1..];
    let named = behind.iter().take_while(|word| !site(word) && names(word)).count();
    if behind.get(named).is_some_and(site) {
        words.drain(leap + 1..leap + 1 + named);
    }
}

/// The first and the last site of a move.
fn ends(n: &Named) -> Option<(String, String)> {
    let sites = path(n);
    Some((sites.first()?.clone(), sites.last()?.clone())).filter(|_| sites.len() > 1)
}

/// What a move names, in its order.
fn path(n: &Named) -> Vec<String> {
    let args = n.term.functor().map_or(&[][..], |(_, args)| args);
    let named = args.iter().flat_map(|arg| match &arg.kind {
        crate::syntax::TermKind::List(items, None) => items.iter().map(print_term).collect(),
        _ => vec![print_term(arg)],
    });
    named.collect()
}

/// The legal moves that pass the sites which a text says, from the site or with the kind of piece that it names; `None`
/// where it says something else.
pub(super) fn over<'n>(
    referee: &Referee<'_>,
    facts: &Facts,
    named: &'n [Named],
    text: &str,
) -> Option<Vec<&'n Named>> {
    let told = Told::of(referee, facts, named, text)?;
    let board = referee.view.board.as_ref()?;
    let place = |value: &Value| {
        board.sites().find(|(_, site)| site.value == *value).map(|(_, site)| (site.x, site.y))
    };
    let over: Vec<(i64, i64)> = told.over.iter().map(place).collect::<Option<_>>()?;
    let between = |(x, y): (i64, i64), (ax, ay): (i64, i64), (bx, by): (i64, i64)| {
        let (px, py) = (x - ax, y - ay);
        let (qx, qy) = (bx - ax, by - ay);
        let (along, length) = (px * qx + py * qy, qx * qx + qy * qy);
        px * qy == py * qx && 0 < along && along < length
    };
    let goes = |(ax, ay): (i64, i64), (bx, by): (i64, i64)| {
        told.across.is_none_or(|across| if across { ax != bx } else { ay != by })
    };
    let passes = |n: &&Named| {
        let places: Vec<_> = path(n).iter().filter_map(|name| place_of(referee, name)).collect();
        let one = |site: &(i64, i64), two: &[(i64, i64)]| {
            between(*site, two[0], two[1]) && goes(two[0], two[1])
        };
        over.iter().all(|site| places.windows(2).any(|two| one(site, two)))
    };
    let kinds = kinds(referee);
    let fits = |n: &&Named| {
        let Some((from, to)) = ends(n) else { return false };
        let fits = match told.ends.as_slice() {
            [one] => from == *one && !told.to || to == *one,
            [one, other] => from == *one && to == *other,
            _ => true,
        };
        let begins = |kind: &String| {
            let mover = player_called(referee, kind).is_some_and(|one| facts.turn() == Some(one));
            let piece = held(referee, facts, &from);
            mover || piece.is_some_and(|piece| is_of(referee, &kinds, piece, kind))
        };
        fits && told.kind.as_ref().is_none_or(begins)
    };
    Some(named.iter().filter(passes).filter(fits).collect())
}

/// The legal moves that pass all sites behind the first which a text says to capture on, where pieces of others stand on them:
/// `c3 takes d4 and f6`.
pub(super) fn taken_in_turn<'n>(
    referee: &Referee<'_>,
    facts: &Facts,
    named: &'n [Named],
    text: &str,
) -> Option<Vec<&'n Named>> {
    let turn = facts.turn()?;
    let sites: Vec<String> = sites_in(referee, text)
        .into_iter()
        .map(|site| referee.game.program.values.show(site))
        .collect();
    let [from, taken @ ..] = sites.as_slice() else { return None };
    let theirs = |name: &String| {
        held(referee, facts, name).is_some_and(|piece| !owned(referee, piece, turn))
    };
    if taken.len() < 2 || !says_capture(text) || !taken.iter().all(theirs) {
        return None;
    }
    let passed = over(referee, facts, named, &format!("{from} over {}", taken.join(" and ")))?;
    Some(passed).filter(|moves| !moves.is_empty())
}

/// The move from the site that a text names over another one to the site behind that, where no legal move passes it; within
/// why there is none.
pub(super) fn leap_to(
    referee: &Referee<'_>,
    facts: &Facts,
    named: &[Named],
    text: &str,
) -> Option<Result<String, String>> {
    if !over(referee, facts, named, text)?.is_empty() {
        return None;
    }
    let told = Told::of(referee, facts, named, text)?;
    let show = |site: &Value| referee.game.program.values.show(*site);
    let passed = listed(&told.over.iter().map(show).collect::<Vec<_>>(), "and");
    let contents = referee.rules.contents_fluent();
    let mut over = told.over.iter();
    if contents.is_some()
        && let Some(over) = over.find(|over| !is_held(referee, facts, &[**over]))
        && let Some(empty) = referee.rules.contents_in_words(facts, *over)
    {
        return Some(Err(format!("{empty}, so nothing stands there to leap over")));
    }
    let [from, rest @ ..] = told.ends.as_slice() else {
        return Some(Err(format!("no legal move leads over {passed}")));
    };
    if told.to {
        return Some(Err(format!("no legal move leads over {passed} to {from}")));
    }
    if let [to] = rest {
        return Some(Ok(format!("{from}-{to}")));
    }
    if told.over.len() > 1 {
        return Some(Err(format!("no legal move from {from} leads over {passed}")));
    }
    let (begins, over) = site_named(referee, from).zip(site_named(referee, &passed))?;
    let Some(behind) = referee.rules.behind(begins, over) else {
        // from afar, as kings leap
        let ((x, y), (u, v)) = place_of(referee, from).zip(place_of(referee, &passed))?;
        return Some(match site_at(referee, |a, b| (a, b) == (2 * u - x, 2 * v - y)) {
            Some(behind) => Ok(format!("{from}-{behind}")),
            None => Err(format!("no legal move from {from} leads over {passed}")),
        });
    };
    Some(match behind.first() {
        Some(behind) => Ok(format!("{from}-{}", show(behind))),
        None => Err(format!("nothing lies behind {passed} where a piece from {from} could land")),
    })
}

/// Whether a text tells a move by a site that it passes, and says more than is known of such a move.
pub(super) fn says_more(referee: &Referee<'_>, facts: &Facts, named: &[Named], text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let over = |two: &[&str]| {
        OVER.contains(&two[0].to_lowercase().as_str()) && site_named(referee, two[1]).is_some()
    };
    words.windows(2).any(over) && Told::of(referee, facts, named, text).is_none()
}

/// Whether a word of a text tells a move by a site that it passes, and the site stands behind it.
pub(super) fn is_over(referee: &Referee<'_>, word: &str, next: Option<&String>) -> bool {
    OVER.contains(&word)
        && next.is_some_and(|next| {
            sites_in(referee, next).len() == 1 && site_named(referee, next).is_some()
        })
}
