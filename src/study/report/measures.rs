//! The numbers of a report, from the records of its games: JSON that the page and `--json` show alike.
//!
//! The terms are those of Browne, *Automatic Generation and Evaluation of Recombination Games* (2008), and
//! of the concepts of Ludii; `sections.rs` explains them on the page.

use serde_json::{Value, json};

use crate::engine::Game;
use crate::program::ClauseId;
use crate::record::parse_move;
use crate::referee::{Evaluator, Referee};
use crate::study::statistics::{Estimate, elo};
use crate::ui::open;
use crate::ui::seats;

use super::Request;
use super::play::Record;
use super::series::{Played, Results, STRATEGIES, Series, plan, positions};

/// A lead below this, in thousandths, is none.
const EVEN: i64 = 20;
/// The columns of a histogram at most.
const COLUMNS: f64 = 40.0;
/// The points of a curve by ply at most.
const POINTS: usize = 100;
/// The parts into which a game's course is divided.
const COURSE: usize = 20;

/// All numbers of a game.
pub fn all(game: &Game, request: &Request, results: &Results) -> Value {
    let program = &game.program;
    let records = |series: Series| -> Vec<&Record> {
        let entries = results.iter().filter(|((of, _), _)| *of == series);
        entries
            .filter_map(|(_, played)| match played {
                Played::Game(record) => Some(record),
                Played::Pair(..) => None,
            })
            .collect()
    };
    let mut series = Vec::new();
    for (kind, games) in plan(game, request) {
        let (name, what) = match kind {
            Series::Random => ("random", "random moves".to_string()),
            Series::Computer => ("computer", format!("computer, {} positions", request.nodes)),
            Series::Strategy(n) => {
                let (name, what, _) = STRATEGIES[n as usize % STRATEGIES.len()];
                (name, what.to_string())
            }
            Series::Doubling(_) => continue,
        };
        let records = records(kind);
        if !records.is_empty() {
            let mut data = summary(game, &records);
            data["name"] = json!(name);
            data["what"] = json!(what);
            data["wanted"] = json!(games);
            series.push(data);
        }
    }
    let options: serde_json::Map<String, Value> = program
        .options
        .values()
        .filter(|option| !option.fixed)
        .map(|option| (option.name.clone(), json!(program.values.show(option.value))))
        .collect();
    json!({
        "game": program.title,
        "options": options,
        "option_domains": open::options(program),
        "players": seats::players(game),
        "settings": super::settings(request),
        "series": series,
        "depth": depth(request, results),
        "comparisons": comparisons(game, results),
    })
}

/// The numbers of one series.
fn summary(game: &Game, records: &[&Record]) -> Value {
    let players = game.program.players.len();
    let lengths: Vec<f64> = records.iter().map(|r| r.moves.len() as f64).collect();
    let widths: Vec<f64> = records.iter().filter_map(|r| mean_of(&r.moves)).collect();
    let plies: u64 = records.iter().map(|r| r.moves.len() as u64).sum();
    let forced: u64 =
        records.iter().map(|r| r.moves.iter().filter(|n| **n == 1).count() as u64).sum();
    let courses: Vec<Course> = records.iter().filter_map(|r| Course::of(r, players)).collect();
    let of_courses = |of: fn(&Course) -> Option<f64>| {
        let values: Vec<f64> = courses.iter().filter_map(of).collect();
        (!values.is_empty()).then(|| Estimate::mean(&values).data())
    };
    json!({
        "games": records.len(),
        "length": spread(&lengths),
        "branching": {
            "mean": Estimate::mean(&widths).data(),
            "by_ply": by_ply(records),
        },
        "forced": Estimate::share(forced as f64, plies).data(),
        "outcomes": outcomes(game, records),
        "first_player": first_player(records, players),
        "ends": ends(game, records),
        "clauses": clauses(game, records, plies),
        "first_moves": first_moves(game, records),
        "lead_changes": of_courses(|course| Some(course.changes)),
        "drama": of_courses(|course| course.drama),
        "decisive_moment": of_courses(|course| course.decisive),
        "course": mean_course(&courses),
        "figures": figures(game, records),
    })
}

fn mean_of(counts: &[u32]) -> Option<f64> {
    let sum: f64 = counts.iter().map(|n| f64::from(*n)).sum();
    (!counts.is_empty()).then(|| sum / counts.len() as f64)
}

/// A mean with what lies around it.
fn spread(values: &[f64]) -> Value {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share).round() as usize];
    let mean = Estimate::mean(values);
    json!({
        "mean": mean.data(),
        "least": at(0.0),
        "quartiles": [at(0.25), at(0.5), at(0.75)],
        "most": at(1.0),
        "histogram": histogram(&sorted),
    })
}

/// Columns `[from, to, count]` of sorted whole numbers.
fn histogram(sorted: &[f64]) -> Vec<Value> {
    let (first, last) = (sorted[0], sorted[sorted.len() - 1]);
    let width = ((last - first + 1.0) / COLUMNS).ceil().max(1.0);
    let columns = ((last - first + 1.0) / width).ceil() as usize;
    let mut counts = vec![0u64; columns];
    for value in sorted {
        counts[((value - first) / width) as usize] += 1;
    }
    let column = |(i, count): (usize, &u64)| {
        let from = first + i as f64 * width;
        json!([from, from + width, count])
    };
    counts.iter().enumerate().map(column).collect()
}

/// The mean number of legal moves by ply, `[ply, mean]`, as long as a tenth of the games go on.
fn by_ply(records: &[&Record]) -> Vec<Value> {
    let longest = records.iter().map(|r| r.moves.len()).max().unwrap_or(0);
    let at_least = records.len().div_ceil(10);
    let mut means = Vec::new();
    for ply in 0..longest {
        let here: Vec<u32> = records.iter().filter_map(|r| r.moves.get(ply).copied()).collect();
        if here.len() < at_least {
            break;
        }
        means.push(mean_of(&here).unwrap_or(0.0));
    }
    let step = means.len().div_ceil(POINTS).max(1);
    let point = |(i, chunk): (usize, &[f64])| {
        let mean = chunk.iter().sum::<f64>() / chunk.len() as f64;
        json!([i * step + 1, (mean * 1e3).round() / 1e3])
    };
    means.chunks(step).enumerate().map(point).collect()
}

/// How often each player wins, and how often no one does.
fn outcomes(game: &Game, records: &[&Record]) -> Vec<Value> {
    let names = seats::players(game);
    let mut all: Vec<(String, &str, usize)> = Vec::new();
    let count = |of: &dyn Fn(Option<u32>) -> bool| records.iter().filter(|r| of(r.winners)).count();
    if names.len() > 1 {
        for (i, name) in names.iter().enumerate() {
            all.push((format!("{name} wins"), "win", count(&|won| won == Some(1 << i))));
        }
        let shared = count(&|won| won.is_some_and(|won| won.count_ones() > 1));
        all.push(("several win".to_string(), "win", shared));
        all.push(("drawn".to_string(), "drawn", count(&|won| won == Some(0))));
    } else {
        all.push(("over".to_string(), "over", count(&|won| won.is_some())));
    }
    all.push(("stopped before the end".to_string(), "stopped", count(&|won| won.is_none())));
    all.retain(|(_, kind, games)| *games > 0 || *kind == "drawn" || *kind == "win");
    all.retain(|(name, _, games)| *games > 0 || name != "several win");
    let entry = |(name, kind, games): (String, &str, usize)| {
        let share = Estimate::share(games as f64, records.len() as u64);
        json!({ "name": name, "kind": kind, "games": games, "share": share.data() })
    };
    all.into_iter().map(entry).collect()
}

/// What the player who began gains from a game: 1 for a win, and what is shared is divided.
fn gain(record: &Record, players: usize) -> f64 {
    match record.winners {
        Some(won) if won >> record.begins & 1 == 1 => 1.0 / f64::from(won.count_ones()),
        Some(won) if won != 0 => 0.0,
        _ => 1.0 / players as f64,
    }
}

fn first_player(records: &[&Record], players: usize) -> Option<Value> {
    let sum: f64 = records.iter().map(|record| gain(record, players)).sum();
    (players > 1).then(|| Estimate::share(sum, records.len() as u64).data())
}

/// The end clauses, and how often each ended a game.
fn ends(game: &Game, records: &[&Record]) -> Vec<Value> {
    let program = &game.program;
    let over: Vec<&&Record> = records.iter().filter(|r| r.winners.is_some()).collect();
    let mut all = Vec::new();
    for number in 0..=program.ends.len() {
        let games = over.iter().filter(|r| r.end as usize == number).count();
        let (kind, name, place) = match program.ends.get(number) {
            Some((kind, id)) => {
                let place = program.sources.place(program.clause(*id).span);
                (kind.name(), program.end_name(*id).map(String::from), Some(place))
            }
            None => ("draw", Some("no legal move, and no clause covers that".to_string()), None),
        };
        if games > 0 || place.is_some() {
            let share = Estimate::share(games as f64, records.len() as u64);
            all.push(json!({
                "kind": kind,
                "name": name,
                "place": place,
                "games": games,
                "share": share.data(),
            }));
        }
    }
    all
}

/// The clauses of `move/1`: how many of the moves each made, and in how many positions it allowed one.
fn clauses(game: &Game, records: &[&Record], plies: u64) -> Vec<Value> {
    let program = &game.program;
    let mut ids: Vec<u32> = game.plan.moves.iter().map(|clause| clause.clause.0).collect();
    ids.sort_unstable();
    ids.dedup();
    let entry = |id: u32| {
        let seen = || records.iter().filter_map(|record| record.clauses.get(&id));
        let made: u64 = seen().map(|(made, _)| u64::from(*made)).sum();
        let allowed: u64 = seen().map(|(_, allowed)| u64::from(*allowed)).sum();
        let clause = program.clause(ClauseId(id));
        let head = program.sources.text(clause.head_span);
        json!({
            "head": head.split_whitespace().collect::<Vec<_>>().join(" "),
            "place": program.sources.place(clause.span),
            "made": made,
            "share": Estimate::share(made as f64, plies).data(),
            "allowed": Estimate::share(allowed as f64, plies).data(),
        })
    };
    ids.into_iter().map(entry).collect()
}

/// What the first player gains with each first move, the best first; empty where chance comes first.
fn first_moves(game: &Game, records: &[&Record]) -> Vec<Value> {
    let players = game.program.players.len();
    if players < 2 || records.iter().any(|record| record.first.is_none()) {
        return Vec::new();
    }
    let mut by_move: std::collections::BTreeMap<&str, Vec<f64>> = std::collections::BTreeMap::new();
    for record in records {
        if let Some(first) = &record.first {
            by_move.entry(first).or_default().push(gain(record, players));
        }
    }
    let mut referee = Referee::new(game, Evaluator::Compiled);
    let opening = referee.opening();
    let facts = referee.facts(&opening);
    let mut all: Vec<(Estimate, usize, String)> = Vec::new();
    for (text, gains) in by_move {
        let term = parse_move(text);
        let name = term.and_then(|term| referee.notation(&facts, &term).ok());
        let share = Estimate::share(gains.iter().sum(), gains.len() as u64);
        all.push((share, gains.len(), name.unwrap_or_else(|| text.to_string())));
    }
    all.sort_by(|a, b| b.0.value.total_cmp(&a.0.value).then(b.1.cmp(&a.1)).then(a.2.cmp(&b.2)));
    let entry = |(share, games, name): (Estimate, usize, String)| json!({ "move": name, "games": games, "share": share.data() });
    all.into_iter().map(entry).collect()
}

/// The course of a game that has a winner, as the leads tell it.
struct Course {
    /// The eventual winner's lead by known ply, from -0.5 to 0.5.
    leads: Vec<f64>,
    changes: f64,
    drama: Option<f64>,
    decisive: Option<f64>,
}

impl Course {
    fn of(record: &Record, players: usize) -> Option<Course> {
        let won = record.winners.filter(|won| won.count_ones() == 1)?;
        let first = won >> record.begins & 1 == 1;
        let known = record.leads.iter().flatten();
        let own = |lead: &u32| if first { i64::from(*lead) - 500 } else { 500 - i64::from(*lead) };
        let leads: Vec<i64> = known.map(own).collect();
        if players != 2 || leads.is_empty() {
            return None;
        }
        let signs = leads.iter().filter(|lead| lead.abs() > EVEN).map(|lead| lead.signum());
        let signs: Vec<i64> = signs.collect();
        let changes = signs.windows(2).filter(|pair| pair[0] != pair[1]).count();
        let behind: Vec<f64> = leads
            .iter()
            .filter(|lead| **lead < -EVEN)
            .map(|lead| (-lead as f64 / 500.0).sqrt())
            .collect();
        let drama = match behind.len() {
            0 => 0.0,
            n => behind.iter().sum::<f64>() / n as f64,
        };
        let loser = leads.iter().map(|lead| -lead).max().unwrap_or(0).max(EVEN);
        let moment = leads.iter().position(|lead| *lead > loser).unwrap_or(leads.len());
        Some(Course {
            changes: changes as f64,
            drama: Some(drama),
            decisive: Some(moment as f64 / leads.len() as f64),
            leads: leads.into_iter().map(|lead| lead as f64 / 1000.0).collect(),
        })
    }
}

/// The eventual winner's expected share of games over the course of the game, `[percent, share]`.
fn mean_course(courses: &[Course]) -> Vec<Value> {
    if courses.is_empty() {
        return Vec::new();
    }
    let point = |i: usize| {
        let at = |course: &Course| {
            let last = course.leads.len() - 1;
            course.leads[last * i / COURSE] + 0.5
        };
        let values: Vec<f64> = courses.iter().map(at).collect();
        json!([i * 100 / COURSE, Estimate::mean(&values).data()])
    };
    (0..=COURSE).map(point).collect()
}

/// The scores and measures at the end of the games.
fn figures(game: &Game, records: &[&Record]) -> Vec<Value> {
    let names = seats::players(game);
    let mut all: indexmap::IndexMap<String, Vec<f64>> = indexmap::IndexMap::new();
    for record in records {
        for (player, score) in names.iter().zip(&record.scores) {
            let name = match names.len() {
                1 => "score".to_string(),
                _ => format!("score of {player}"),
            };
            if let Some(score) = score {
                all.entry(name).or_default().push(*score as f64);
            }
        }
        for (name, value) in &record.measures {
            all.entry(name.replace('_', " ")).or_default().push(*value as f64);
        }
    }
    let entry = |(name, values): (String, Vec<f64>)| {
        let mut data = spread(&values);
        data["name"] = json!(name);
        data
    };
    all.into_iter().map(entry).collect()
}

/// What each doubling of thought gains, and all of them on the mean.
fn depth(request: &Request, results: &Results) -> Value {
    let mut rows = Vec::new();
    let mut gained: Vec<Estimate> = Vec::new();
    for doubling in 0..request.doublings {
        let gains: Vec<f64> = results
            .iter()
            .filter(|((series, _), _)| *series == Series::Doubling(doubling))
            .filter_map(|(_, played)| match played {
                Played::Pair(gain, _) => Some(*gain),
                Played::Game(_) => None,
            })
            .collect();
        if gains.is_empty() {
            continue;
        }
        let share = Estimate::share(gains.iter().sum(), gains.len() as u64);
        // a further drawn game keeps the figure finite where one side wins all
        let tame = Estimate::share(gains.iter().sum::<f64>() + 0.5, gains.len() as u64 + 1);
        let gain = tame.map(elo);
        let nodes = positions(request, doubling);
        rows.push(json!({
            "positions": [nodes, nodes * 2],
            "games": gains.len(),
            "share": share.data(),
            "elo": gain.data(),
        }));
        gained.push(gain);
    }
    let n = gained.len() as f64;
    let mean = |of: fn(&Estimate) -> f64| gained.iter().map(of).sum::<f64>() / n.max(1.0);
    let half = |of: fn(&Estimate) -> f64| {
        gained.iter().map(|gain| of(gain).powi(2)).sum::<f64>().sqrt() / n.max(1.0)
    };
    let value = mean(|gain| gain.value);
    let total = Estimate {
        value,
        low: value - half(|gain| gain.value - gain.low),
        high: value + half(|gain| gain.high - gain.value),
    };
    json!({ "doublings": rows, "elo": (n > 0.0).then(|| total.data()) })
}

/// In a game for one player: how often each strategy has the higher score on the same start.
fn comparisons(game: &Game, results: &Results) -> Vec<Value> {
    let mut all = Vec::new();
    if game.program.players.len() != 1 {
        return all;
    }
    let score = |strategy: usize, number: u64| match results
        .get(&(Series::Strategy(strategy as u32), number))?
    {
        Played::Game(record) => record.scores.first().copied().flatten(),
        Played::Pair(..) => None,
    };
    let numbers: Vec<u64> = results
        .keys()
        .filter(|(series, _)| *series == Series::Strategy(0))
        .map(|(_, number)| *number)
        .collect();
    for (a, (name, ..)) in STRATEGIES.iter().enumerate() {
        for (b, (other, ..)) in STRATEGIES.iter().enumerate().take(a) {
            let pairs = numbers.iter().filter_map(|n| Some((score(a, *n)?, score(b, *n)?)));
            let pairs: Vec<(i64, i64)> = pairs.collect();
            if pairs.is_empty() {
                continue;
            }
            let better = pairs.iter().filter(|(a, b)| a > b).count();
            let equal = pairs.iter().filter(|(a, b)| a == b).count();
            let gains: Vec<f64> = pairs.iter().map(|(a, b)| (a - b) as f64).collect();
            all.push(json!({
                "a": name,
                "b": other,
                "starts": pairs.len(),
                "better": better,
                "equal": equal,
                "share": Estimate::share(better as f64 + equal as f64 / 2.0, pairs.len() as u64).data(),
                "gain": Estimate::mean(&gains).data(),
            }));
        }
    }
    all
}
