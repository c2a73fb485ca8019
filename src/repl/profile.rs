//! `:profile`: what each clause costs the reference evaluator: goals, answers, and time of its own;
//! `:cover`: clauses that are never used.

use std::time::{Duration, Instant};

use crate::cli::console::Stop;
use crate::cli::cover;
use crate::cli::signals;
use crate::cli::tables;
use crate::explain::{Observer, Trace};
use crate::program::{ClauseId, Program};

use super::play::number;
use super::prompt::Prompt;
use super::sitting::Sitting;

/// So many clauses are told, the most expensive ones.
const TOLD: usize = 20;
/// The longest playout that is looked at, in moves.
const LONGEST: usize = 1000;

/// How many playouts `:cover` makes where nothing is said, and at most.
const PLAYOUTS: usize = 100;
const MOST_PLAYOUTS: usize = 100_000;

/// What one clause has cost.
#[derive(Debug, Clone, Copy, Default)]
struct Cost {
    goals: u64,
    answers: u64,
    time: Duration,
}

/// Counts goals and answers, and gives the time between two events to the clause of the first.
struct Profiler {
    costs: Vec<Cost>,
    since: Instant,
    at: Option<ClauseId>,
}

impl Profiler {
    fn step(&mut self, trace: &Trace<'_>, count: impl FnOnce(&mut Cost)) {
        let now = Instant::now();
        if let Some(at) = self.at {
            self.costs[at.0 as usize].time += now - self.since;
        }
        (self.at, self.since) = (trace.id, now);
        if let Some(id) = trace.id {
            count(&mut self.costs[id.0 as usize]);
        }
    }
}

impl Observer for Profiler {
    fn enter(&mut self, trace: &Trace<'_>) {
        self.step(trace, |cost| cost.goals += 1);
    }

    fn answer(&mut self, trace: &Trace<'_>) {
        self.step(trace, |cost| cost.answers += 1);
    }

    fn fail(&mut self, trace: &Trace<'_>) {
        self.step(trace, |_| {});
    }
}

impl Sitting<'_> {
    /// `:profile [N]`: the search for the legal moves here, or in N moves of a random game. The
    /// position stays as it is.
    ///
    /// # Errors
    /// A rule error.
    pub fn profile(&mut self, rest: &str, prompt: &mut Prompt<'_>) -> Result<(), Stop> {
        let moves = match rest {
            "" => 1,
            rest => number(rest, "how many moves", 1, LONGEST)?,
        };
        let program = self.opened.game.program.clone();
        let costs = vec![Cost::default(); program.clauses.len()];
        let mut profiler = Profiler { costs, since: Instant::now(), at: None };
        let (steps, at) = (self.steps.clone(), self.at);
        let seen = self.observe(moves, &mut profiler);
        (self.steps, self.at) = (steps, at);
        let seen = seen?;
        let what = if seen == 1 { "one position".to_string() } else { format!("{seen} positions") };
        let time: Duration = profiler.costs.iter().map(|c| c.time).sum();
        prompt.say(format!("the moves of {what}, by the reference evaluator: {}", shown(time)))?;
        prompt.console.text(table(&program, &profiler.costs, prompt.console.width()))
    }

    /// `:cover [N]`: clauses that never hold in N playouts, by the rules as they are in force.
    ///
    /// # Errors
    /// A rule error.
    pub fn cover(&mut self, rest: &str, prompt: &Prompt<'_>) -> Result<(), Stop> {
        let playouts = match rest {
            "" => PLAYOUTS,
            rest => number(rest, "how many playouts", 1, MOST_PLAYOUTS)?,
        };
        cover::here(&self.opened.game, playouts, self.seed, prompt.console)
    }

    fn observe(&mut self, moves: usize, profiler: &mut Profiler) -> Result<usize, Stop> {
        for seen in 0..moves {
            if signals::interrupted() {
                return Err(Stop::Interrupted);
            }
            let position = self.position().clone();
            if seen > 0 && self.referee.outcome(&position)?.is_some() {
                return Ok(seen);
            }
            let facts = self.facts();
            profiler.at = None;
            let result = self.referee.rules.observe_moves(&facts, profiler);
            result.map_err(|error| self.referee.stopped(error))?;
            if seen + 1 == moves {
                break;
            }
            let choices = self.referee.choices(&position)?;
            if choices.all.is_empty() {
                return Ok(seen + 1);
            }
            let drawn = self.lots(3).below(choices.all.len() as u64) as usize;
            self.make(&choices.all[drawn].0, choices.chance)?;
            self.draw_events()?;
        }
        Ok(moves)
    }
}

fn table(program: &Program, costs: &[Cost], width: usize) -> String {
    let mut order: Vec<usize> = (0..costs.len()).filter(|i| costs[*i].goals > 0).collect();
    order.sort_by_key(|i| std::cmp::Reverse((costs[*i].time, costs[*i].goals)));
    let mut rows = vec![["clause", "goals", "answers", "time"].map(String::from).to_vec()];
    for i in order.into_iter().take(TOLD) {
        let (clause, cost) = (&program.clauses[i], &costs[i]);
        let relation = program.relation(clause.relation).indicator();
        let line = program.sources.line_column(clause.span).0;
        rows.push(vec![
            format!("{relation} line {line}"),
            cost.goals.to_string(),
            cost.answers.to_string(),
            shown(cost.time),
        ]);
    }
    tables::plain(&rows, &[1, 2, 3], width)
}

fn shown(time: Duration) -> String {
    match time.as_micros() {
        n @ 0..10_000 => format!("{n} µs"),
        n => format!("{} ms", n / 1000),
    }
}
