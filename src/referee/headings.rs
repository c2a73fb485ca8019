//! Moves told by the way in which they go: `a3 forward`, `pawn left`, `soldier e4 one square ahead`.

use crate::program::Value;
use crate::reference::Facts;
use crate::syntax::print_term;

use super::Referee;
use super::kinds::{held, is_kind, kinds};
use super::naming::Named;
use super::owners::owned;
use super::remarks::says_nothing;
use super::synonyms::number_word;
use super::values::{site_named, value_names};

/// Where a move goes, as the board is drawn or for the player to move.
#[derive(Clone, Copy)]
enum Heading {
    Up,
    Down,
    Left,
    Right,
    Ahead,
    Back,
}

/// What headings are called.
const HEADINGS: [(&str, Heading); 12] = [
    ("up", Heading::Up),
    ("upward", Heading::Up),
    ("upwards", Heading::Up),
    ("down", Heading::Down),
    ("downward", Heading::Down),
    ("downwards", Heading::Down),
    ("left", Heading::Left),
    ("right", Heading::Right),
    ("forward", Heading::Ahead),
    ("forwards", Heading::Ahead),
    ("ahead", Heading::Ahead),
    ("backwards", Heading::Back),
];

/// What a number of steps is counted in.
const UNITS: [&str; 8] =
    ["square", "squares", "step", "steps", "point", "points", "space", "spaces"];

/// What a text says that tells a move by its heading.
#[derive(Default)]
struct Told {
    heading: Option<Heading>,
    from: Option<String>,
    kind: Option<String>,
    steps: Option<i64>,
}

impl Told {
    /// What a text says; `None` where it says anything else.
    fn of(referee: &Referee<'_>, text: &str) -> Option<Told> {
        let lower = text.to_lowercase();
        let known = value_names(referee);
        let mut told = Told::default();
        for word in lower.split(|c: char| c.is_whitespace() || c == ',') {
            let word = word.trim_end_matches(['.', '!']);
            let heading = HEADINGS.iter().find(|(name, _)| *name == word);
            if let Some((_, heading)) = heading.filter(|_| !known.contains_key(word)) {
                told.heading.replace(*heading).is_none().then_some(())?;
            } else if site_named(referee, word).is_some() {
                told.from.replace(word.to_string()).is_none().then_some(())?;
            } else if is_kind(referee, word) {
                told.kind.replace(word.to_string()).is_none().then_some(())?;
            } else if let Some(steps) = number_word(word) {
                told.steps.replace(steps).is_none().then_some(())?;
            } else if !(word.is_empty()
                || word == "i"
                || UNITS.contains(&word)
                || says_nothing(word))
            {
                return None;
            }
        }
        told.heading.is_some().then_some(told)
    }
}

/// The legal moves that go where a text says, from the site or with the kind of piece that it names; `None` where it
/// says something else.
pub(super) fn headed<'n>(
    referee: &Referee<'_>,
    facts: &Facts,
    named: &'n [Named],
    text: &str,
) -> Option<Vec<&'n Named>> {
    let told = Told::of(referee, text)?;
    let (right, up) = match told.heading? {
        Heading::Up => (0, 1),
        Heading::Down => (0, -1),
        Heading::Right => (1, 0),
        Heading::Left => (-1, 0),
        Heading::Ahead => (0, ahead(referee, facts.turn()?)?),
        Heading::Back => (0, -ahead(referee, facts.turn()?)?),
    };
    let board = referee.view.board.as_ref()?;
    let place = |name: &str| {
        board.sites().find(|(_, site)| site.name.as_str() == name).map(|(_, site)| (site.x, site.y))
    };
    let kinds = kinds(referee);
    let of_kind = |piece: Value| {
        kinds.iter().any(|(known, name)| *known == piece && Some(name) == told.kind.as_ref())
    };
    let ends = |n: &Named| match n.term.functor() {
        Some((_, [from, to])) => {
            let (from, to) = (print_term(from), print_term(to));
            place(&from).zip(place(&to)).map(|way| (from, way))
        }
        _ => None,
    };
    let goes = |n: &&Named| {
        let Some((from, ((x, y), (far, high)))) = ends(n) else { return false };
        let (across, along) = (far - x, high - y);
        let steps = across.abs().max(along.abs());
        (across, along) == (steps * right, steps * up)
            && steps > 0
            && told.steps.is_none_or(|wanted| wanted == steps)
            && told.from.as_ref().is_none_or(|site| *site == from)
            && (told.kind.is_none() || held(referee, facts, &from).is_some_and(of_kind))
    };
    // a heading says nothing where no move leads from one site to another
    named.iter().find(|n| ends(n).is_some())?;
    Some(named.iter().filter(goes).collect())
}

/// What is said of a text that tells a move by its heading, where no legal move goes so.
pub(super) fn none_headed(
    referee: &Referee<'_>,
    facts: &Facts,
    named: &[Named],
    text: &str,
) -> Option<String> {
    let none = headed(referee, facts, named, text)?.is_empty();
    let told = Told::of(referee, text).filter(|_| none)?;
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphabetic());
    let heading = words.find(|word| HEADINGS.iter().any(|(name, _)| name == word))?;
    let kind = told.kind.map(|kind| format!(" of a {kind}")).unwrap_or_default();
    let from = told.from.map(|site| format!(" from {site}")).unwrap_or_default();
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
