//! Every refused move has a reason and every legal move a proof: random games of every shipped game,
//! with moves that are well formed but not legal, made of legal ones by changing an argument.

use std::collections::BTreeSet;

use libtest_mimic::{Arguments, Failed, Trial};
use ludex::engine::{Game, Session};
use ludex::explain::{Cause, Explanation, Line, Mark};
use ludex::pipeline;
use ludex::program::LoadRequest;
use ludex::reference::{Facts, Reference};
use ludex::source::Library;
use ludex::syntax::{Term, TermKind, print_term};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const SEEDS: u64 = 2;
/// Moves of a game.
const PLIES: usize = 60;
/// Between two positions that are looked at.
const EVERY: usize = 9;
/// Illegal moves that are asked about in one position.
const ILLEGAL: usize = 5;
/// Legal moves that are asked about in one position.
const LEGAL: usize = 2;

fn main() {
    let arguments = Arguments::from_args();
    let trials = Library::games()
        .into_iter()
        .map(|game| Trial::test(game.name, move || explained(game.name)))
        .collect();
    libtest_mimic::run(&arguments, trials).exit();
}

fn explained(name: &str) -> Result<(), Failed> {
    let loaded = pipeline::load(&LoadRequest::shipped(name)).map_err(|f| format!("{f:?}"))?;
    let rules = Reference::new(loaded.game.program.clone(), loaded.game.tables.clone());
    let mut asked = 0;
    for seed in 0..SEEDS {
        asked += game(&loaded.game, &rules, seed)?;
    }
    match asked {
        0 => Err("no illegal move was asked about".into()),
        _ => Ok(()),
    }
}

/// Plays a random game and asks about moves on the way; how many illegal ones.
fn game(game: &Game, rules: &Reference, seed: u64) -> Result<usize, Failed> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut session = Session::new(game);
    let mut state = session.opening();
    let mut past: Vec<Facts> = Vec::new();
    let mut pool: Vec<Term> = Vec::new();
    let mut asked = 0;
    for ply in 0..PLIES {
        let facts = game.facts(&state).into_iter().map(|f| (f.fluent, f.keys, f.value));
        let facts = rules.position(facts, &past);
        let over = session.outcome(&state).map_err(|f| format!("{f:?}"))?.is_some();
        let moves = match over {
            true => Vec::new(),
            false => session.legal_moves(&state).map_err(|f| format!("{f:?}"))?,
        };
        let legal: Vec<Term> = moves.iter().map(|m| m.term.clone()).collect();
        pool.extend(legal.iter().take(40).cloned());
        if over || ply % EVERY == seed as usize {
            asked += ask(rules, &facts, &legal, &pool, &mut rng)?;
        }
        if over {
            break;
        }
        let chosen = &legal[rng.random_range(0..legal.len())];
        let next = session.play(&state, chosen).map_err(|f| format!("{f:?}"))?;
        past.push(facts);
        state = next.ok_or("a legal move cannot be played")?;
    }
    Ok(asked)
}

fn ask(
    rules: &Reference,
    facts: &Facts,
    legal: &[Term],
    pool: &[Term],
    rng: &mut Xoshiro256PlusPlus,
) -> Result<usize, Failed> {
    for _ in 0..LEGAL.min(legal.len()) {
        let mv = &legal[rng.random_range(0..legal.len())];
        let told = rules.why_move(facts, mv).map_err(|e| format!("{}: {e}", print_term(mv)))?;
        let proved = told.lines.iter().any(|line| line.mark == Mark::Clause)
            && told.lines.iter().any(|line| matches!(line.mark, Mark::Holds | Mark::Updates));
        if !told.holds || told.cause != Cause::Proof || !proved {
            return Err(format!("no proof of {}: {}", print_term(mv), told.sentences()).into());
        }
    }
    let mut asked = BTreeSet::new();
    for _ in 0..20 * ILLEGAL {
        let mv = changed(pool, rng);
        if asked.len() == ILLEGAL || legal.contains(&mv) || !asked.insert(print_term(&mv)) {
            continue;
        }
        let told = rules.why_move(facts, &mv).map_err(|e| format!("{}: {e}", print_term(&mv)))?;
        if let Err(text) = specific(&told) {
            return Err(format!("{}: {text}: {}", print_term(&mv), told.sentences()).into());
        }
    }
    Ok(asked.len())
}

/// Does an explanation name a rival, whose turn it is, what ended the game, or a goal that fails
/// with the facts that make it fail?
fn specific(told: &Explanation) -> Result<(), &'static str> {
    if told.holds {
        return Err("an illegal move is said to be legal");
    }
    let named = |line: &Line| line.mark == Mark::Fails && line.note.is_some();
    fn any(lines: &[Line], test: &dyn Fn(&Line) -> bool) -> bool {
        lines.iter().any(|line| test(line) || any(&line.below, test))
    }
    match told.cause {
        Cause::Rank if told.rivals.is_empty() => Err("no rival is named"),
        Cause::Rank | Cause::Turn | Cause::Chance | Cause::Over => Ok(()),
        Cause::Goal if !any(&told.lines, &named) => Err("no failed goal has its facts"),
        Cause::Goal if told.sentences().matches('`').count() <= 4 && bare(&told.sentences()) => {
            Err("a goal without its facts")
        }
        Cause::Goal => Ok(()),
        Cause::Proof | Cause::Form => Err("not a reason"),
    }
}

/// `x` is not legal: `goal` does not hold.
fn bare(short: &str) -> bool {
    let reason = short.split_once(": ").map_or("", |(_, reason)| reason);
    let reason = reason.trim_start_matches("after it, ");
    reason.starts_with('`') && reason.ends_with("` does not hold.") && !reason.contains(": ")
}

/// A move of the pool with one of its values taken from another move of the same kind.
fn changed(pool: &[Term], rng: &mut Xoshiro256PlusPlus) -> Term {
    let one = &pool[rng.random_range(0..pool.len())];
    let alike: Vec<&Term> = pool.iter().filter(|m| kind(m) == kind(one)).collect();
    let other = alike[rng.random_range(0..alike.len())];
    mixed(one, other, rng)
}

fn kind(mv: &Term) -> Option<(&str, usize)> {
    mv.functor().map(|(name, args)| (name, args.len()))
}

fn mixed(one: &Term, other: &Term, rng: &mut Xoshiro256PlusPlus) -> Term {
    let (TermKind::Compound(name, mine), TermKind::Compound(_, theirs)) = (&one.kind, &other.kind)
    else {
        return one.clone();
    };
    let mut args = mine.clone();
    let at = rng.random_range(0..args.len());
    args[at] = match (&mine[at].kind, &theirs[at].kind) {
        // one item of a list
        (TermKind::List(a, None), TermKind::List(b, None)) if !a.is_empty() && !b.is_empty() => {
            let mut items = a.clone();
            let i = rng.random_range(0..items.len());
            items[i] = b[rng.random_range(0..b.len())].clone();
            Term::new(TermKind::List(items, None), one.span)
        }
        _ => theirs[at].clone(),
    };
    Term::new(TermKind::Compound(name.clone(), args), one.span)
}
