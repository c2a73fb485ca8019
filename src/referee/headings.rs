//! Moves told by the way in which they go: `a3 forward`, `pawn left`, `soldier e4 one square ahead`, `king up and left`.

use crate::program::Value;
use crate::reference::Facts;
use crate::syntax::print_term;

use super::Referee;
use super::kinds::{held, is_kind, is_of_kind, kinds};
use super::leaps::LEAPS;
use super::naming::Named;
use super::owners::owned;
use super::places::{place_of, site_at};
use super::remarks::{is_called, says_nothing};
use super::synonyms::number_word;
use super::values::{site_named, value_names};

/// Where a move goes: to the right and up as the board is drawn, and ahead for the player to move.
type Heading = (i64, i64, i64);

/// What headings are called.
pub(super) const HEADINGS: [(&str, Heading); 26] = [
    ("up", (0, 1, 0)),
    ("upward", (0, 1, 0)),
    ("upwards", (0, 1, 0)),
    ("north", (0, 1, 0)),
    ("down", (0, -1, 0)),
    ("downward", (0, -1, 0)),
    ("downwards", (0, -1, 0)),
    ("south", (0, -1, 0)),
    ("left", (-1, 0, 0)),
    ("west", (-1, 0, 0)),
    ("right", (1, 0, 0)),
    ("east", (1, 0, 0)),
    ("northwest", (-1, 1, 0)),
    ("northeast", (1, 1, 0)),
    ("southwest", (-1, -1, 0)),
    ("southeast", (1, -1, 0)),
    ("forward", (0, 0, 1)),
    ("forwards", (0, 0, 1)),
    ("ahead", (0, 0, 1)),
    ("advance", (0, 0, 1)),
    ("advances", (0, 0, 1)),
    ("back", (0, 0, -1)),
    ("backward", (0, 0, -1)),
    ("backwards", (0, 0, -1)),
    ("retreat", (0, 0, -1)),
    ("retreats", (0, 0, -1)),
];

/// What a number of steps is counted in.
const UNITS: [&str; 8] =
    ["square", "squares", "step", "steps", "point", "points", "space", "spaces"];

/// Words beside a heading that change nothing of it.
const BESIDE: [&str; 3] = ["i", "and", "by"];

/// What a text says that tells a move by its heading.
#[derive(Default)]
struct Told {
    headings: Vec<Heading>,
    from: Option<String>,
    /// The site to which it goes, as nothing stands on it.
    to: Option<String>,
    kind: Option<String>,
    steps: Option<i64>,
    straight: bool,
    leaps: bool,
}

impl Told {
    /// What a text says; `None` where it says anything else.
    fn of(referee: &Referee<'_>, facts: &Facts, text: &str) -> Option<Told> {
        let lower = text.to_lowercase();
        let known = value_names(referee);
        let mover = referee.name(facts.turn()?);
        let mut told = Told::default();
        for word in lower.split(|c: char| c.is_whitespace() || c == ',') {
            let word = word.trim_end_matches(['.', '!']);
            let heading = HEADINGS.iter().find(|(name, _)| *name == word);
            if let Some((_, heading)) = heading.filter(|_| !known.contains_key(word)) {
                told.headings.push(*heading);
            } else if site_named(referee, word).is_some() {
                told.from.replace(word.to_string()).is_none().then_some(())?;
            } else if is_kind(referee, word) {
                told.kind.replace(word.to_string()).is_none().then_some(())?;
            } else if LEAPS.contains(&word) {
                told.leaps = true;
            } else if word == "straight" {
                told.straight = true;
            } else if let Some(steps) = number_word(word) {
                told.steps.replace(steps).is_none().then_some(())?;
            } else if !(word.is_empty()
                || is_called(&mover, word)
                || BESIDE.contains(&word)
                || UNITS.contains(&word)
                || says_nothing(word))
            {
                return None;
            }
        }
        let contents = referee.rules.contents_fluent().is_some();
        let is_empty = |site: &String| contents && held(referee, facts, site).is_none();
        if told.from.as_ref().is_some_and(is_empty) {
            told.to = told.from.take();
        }
        (!told.headings.is_empty()).then_some(told)
    }

    /// The columns to the right and the rows up by which a step goes; `None` where headings contradict one another.
    fn way(&self, referee: &Referee<'_>, facts: &Facts) -> Option<(i64, i64)> {
        let mut way = (0, 0);
        for (right, up, ahead) in &self.headings {
            let forward =
                if *ahead == 0 { 0 } else { self::ahead(referee, facts.turn()?)? * ahead };
            let (across, along) = (*right, up + forward);
            let again = across != 0 && way.0 != 0 || along != 0 && way.1 != 0;
            if again {
                return None;
            }
            way = (way.0 + across, way.1 + along);
        }
        Some(way)
    }

    /// Whether a text names no other site to which the move goes.
    fn ends(&self, to: &str) -> bool {
        self.to.as_ref().is_none_or(|site| site == to)
    }

    /// Whether a text names this site as the one where the move begins, or the kind of what stands there.
    fn begins(&self, referee: &Referee<'_>, facts: &Facts, from: &str) -> bool {
        let kinds = kinds(referee);
        let begins = |kind: &String| {
            held(referee, facts, from).is_some_and(|piece| is_of_kind(&kinds, piece, kind))
        };
        self.from.as_ref().is_none_or(|site| site == from) && self.kind.as_ref().is_none_or(begins)
    }
}

/// The sites where a move of two sites begins and ends, and the columns and rows by which it goes.
fn leads(referee: &Referee<'_>, n: &Named) -> Option<(String, String, (i64, i64))> {
    let [from, to] = n.term.functor()?.1 else { return None };
    let (from, to) = (print_term(from), print_term(to));
    let ((x, y), (far, high)) = place_of(referee, &from).zip(place_of(referee, &to))?;
    Some((from, to, (far - x, high - y)))
}

/// The legal moves that go where a text says, from the site or with the kind of piece that it names; `None` where it
/// says something else.
pub(super) fn headed<'n>(
    referee: &Referee<'_>,
    facts: &Facts,
    named: &'n [Named],
    text: &str,
) -> Option<Vec<&'n Named>> {
    let told = Told::of(referee, facts, text)?;
    let (right, up) = told.way(referee, facts)?;
    let goes = |n: &&Named| {
        let Some((from, to, (across, along))) = leads(referee, n) else { return false };
        let steps = across.abs().max(along.abs());
        // `down to e3` may go aslant too
        let so = match told.to {
            Some(_) => {
                (right == 0 || across.signum() == right) && (up == 0 || along.signum() == up)
            }
            None => (across, along) == (steps * right, steps * up),
        };
        so && steps > i64::from(told.leaps)
            && told.steps.is_none_or(|wanted| wanted == steps)
            && told.begins(referee, facts, &from)
            && told.ends(&to)
    };
    // a heading says nothing where no move leads from one site to another
    named.iter().find(|n| leads(referee, n).is_some())?;
    Some(named.iter().filter(goes).collect())
}

/// The legal moves that go aslant to the side that a text tells, where all legal moves go aslant, or where no line of the board
/// leads straight on.
pub(super) fn aslant<'n>(
    referee: &Referee<'_>,
    facts: &Facts,
    named: &'n [Named],
    text: &str,
) -> Vec<&'n Named> {
    let way = |told: &Told| told.way(referee, facts);
    let told = Told::of(referee, facts, text);
    let Some((told, (right, up))) = told.and_then(|told| way(&told).map(|way| (told, way))) else {
        return Vec::new();
    };
    let is_straight =
        |n: &Named| leads(referee, n).is_none_or(|(.., (across, along))| across == 0 || along == 0);
    let straight = named.iter().any(is_straight);
    if told.straight {
        return Vec::new();
    }
    // on a drawing without a grid, the site below may lie to the side as well
    let bare = |from: &str| {
        let at = place_of(referee, from);
        at.is_some_and(|(x, y)| site_at(referee, |u, v| (u, v) == (x + right, y + up)).is_none())
    };
    let goes = |n: &&Named| {
        let Some((from, to, (across, along))) = leads(referee, n) else { return false };
        (right == 0 || across.signum() == right)
            && (up == 0 || along.signum() == up)
            && (right != 0 || up != 0)
            && (!straight || bare(&from))
            && told.steps.is_none_or(|wanted| wanted == along.abs().max(i64::from(straight)))
            && told.begins(referee, facts, &from)
            && told.ends(&to)
    };
    named.iter().filter(goes).collect()
}

/// The move that a text tells by its heading, where no legal move goes so: from the site that it names, or from that of
/// the player's only piece of the kind, to the site in this direction.
pub(super) fn straight_move(
    referee: &Referee<'_>,
    facts: &Facts,
    named: &[Named],
    text: &str,
) -> Option<String> {
    if !headed(referee, facts, named, text)?.is_empty() {
        return None;
    }
    let told = Told::of(referee, facts, text)?;
    let (right, up) = told.way(referee, facts)?;
    let turn = facts.turn()?;
    let board = referee.view.board.as_ref()?;
    let steps = told.steps.unwrap_or(1);
    let end = told.to.as_ref().and_then(|to| place_of(referee, to));
    let from = match (&told.from, end) {
        (Some(from), _) => from.clone(),
        (None, Some((x, y))) => {
            let begin = (x - steps * right, y - steps * up);
            site_at(referee, |x, y| (x, y) == begin)?
        }
        (None, None) => {
            let own = |name: &str| {
                let piece = held(referee, facts, name);
                piece.is_some_and(|piece| owned(referee, piece, turn))
                    && told.begins(referee, facts, name)
            };
            let mut sites = board.sites().filter(|(_, site)| own(&site.name));
            let (_, only) = sites.next().filter(|_| sites.next().is_none())?;
            only.name.to_string()
        }
    };
    let (x, y) = place_of(referee, &from)?;
    let to = (x + steps * right, y + steps * up);
    let to = site_at(referee, |x, y| (x, y) == to)?;
    Some(format!("{from}-{to}"))
}

/// What is said of a text that tells a move by its heading, where no legal move goes so.
pub(super) fn none_headed(
    referee: &Referee<'_>,
    facts: &Facts,
    named: &[Named],
    text: &str,
) -> Option<String> {
    let none = headed(referee, facts, named, text)?.is_empty();
    let told = Told::of(referee, facts, text).filter(|_| none)?;
    let lower = text.to_lowercase();
    let is_heading = |word: &&str| HEADINGS.iter().any(|(name, _)| name == word);
    let headings: Vec<&str> =
        lower.split(|c: char| !c.is_alphabetic()).filter(is_heading).collect();
    let heading = headings.join(" and ");
    let kind = told.kind.map(|kind| format!(" of a {kind}")).unwrap_or_default();
    let from = told.from.map(|site| format!(" from {site}"));
    let from = from.or_else(|| told.to.map(|site| format!(" to {site}"))).unwrap_or_default();
    let far = match told.steps {
        None => String::new(),
        Some(1) => " by one step".to_string(),
        Some(steps) => format!(" by {steps} steps"),
    };
    Some(format!("no legal move{kind}{from} goes {heading}{far}"))
}

/// Whether the opponents of a player began above him or below, as 1 or -1; `None` where neither is so.
fn ahead(referee: &Referee<'_>, player: Value) -> Option<i64> {
    let opening = referee.rules.opening();
    let fluent = referee.rules.contents_fluent()?;
    let board = referee.view.board.as_ref()?;
    let players = &referee.game.program.players;
    // the sum of the rows, and how many they are
    let (mut own, mut theirs) = ((0, 0), (0, 0));
    for (keys, piece) in opening.iter(fluent) {
        let [site] = keys else { continue };
        let Some((_, site)) = board.sites().find(|(_, own)| own.value == *site) else { continue };
        let Some(owner) = players.iter().find(|player| owned(referee, piece, **player)) else {
            continue;
        };
        let rows = if *owner == player { &mut own } else { &mut theirs };
        *rows = (rows.0 + site.y, rows.1 + 1);
    }
    // the difference of the means, times both numbers
    let above = theirs.0 * own.1 - own.0 * theirs.1;
    (own.1 > 0 && theirs.1 > 0 && above != 0).then(|| above.signum())
}
