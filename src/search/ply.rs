//! Players that look one ply ahead, or at the advice of the rules alone.

use crate::engine::{Candidate, Fault, Look, Random, Session, Walk};
use crate::syntax::Term;

use super::evaluation::Evaluation;
use super::view::View;
use super::{Advice, Choice, Request, reason_given, worded};

/// What a move is worth to the one who makes it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Worth {
    /// The logarithm of the odds to win, infinite where the game is over.
    Odds(f64),
    /// By how much the value of the rules exceeds the greatest of the others.
    Value(i64),
    /// The score, in a game for one player.
    Score(i64),
}

impl Worth {
    fn number(self) -> f64 {
        match self {
            Worth::Odds(odds) => odds,
            Worth::Value(number) | Worth::Score(number) => number as f64,
        }
    }
}

/// The moves by what they are worth at once, the greatest first, or the least where `least`. Equal ones
/// are drawn among. In a game for one player it is the score that counts, or else `value/2`; otherwise
/// `value/2`, or the evaluation where the rules give no values.
pub(super) fn analyse(
    session: &mut Session<'_>,
    evaluation: Option<&Evaluation>,
    question: &Request<'_>,
    wanted: usize,
    least: bool,
) -> Result<Vec<Choice>, Fault> {
    let alone = session.game().program.players.len() == 1;
    let mut walk = session.walk(question.state);
    if walk.look()? != Look::Moves {
        return Ok(Vec::new());
    }
    let me = walk.turn();
    let mut list: Vec<Candidate> = Vec::new();
    walk.candidates(&mut list);
    let mut random = Random::seeded(question.seed);
    let mut rated: Vec<(f64, u64, Worth, Term)> = Vec::new();
    let mut tried = 0;
    for candidate in list {
        let term = walk.term(candidate);
        if !question.allows(&term) || !walk.make(candidate)? {
            continue;
        }
        tried += 1;
        let worth = match alone {
            true => Worth::Score(score(&mut *walk)?),
            false => worth(&mut *walk, evaluation, me)?,
        };
        walk.unmake();
        let order = if least { worth.number() } else { -worth.number() };
        rated.push((order, random.number(), worth, term));
    }
    rated.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let choice = |(_, _, worth, term): (f64, u64, Worth, Term)| {
        let (result, expected, score) = match worth {
            Worth::Odds(odds) => {
                let share = 1.0 / (1.0 + (-odds).exp());
                (format!("{:.0} %, one ply deep", share * 100.0), Some(share), None)
            }
            Worth::Value(value) => (format!("value {value:+}"), None, None),
            Worth::Score(score) => (format!("score {score}"), None, Some(score as f64)),
        };
        let reason = worded(reason_given(question.advice, &term), Some(result));
        Choice { line: vec![term.clone()], term, reason, playouts: tried, expected, score }
    };
    Ok(rated.into_iter().take(wanted).map(choice).collect())
}

/// The score of the only player, or else the value of the position.
fn score(walk: &mut dyn Walk) -> Result<i64, Fault> {
    let first = |numbers: Vec<Option<i64>>| numbers.into_iter().next().flatten();
    match first(walk.scores()?) {
        Some(score) => Ok(score),
        None => Ok(first(walk.values()?).unwrap_or(0)),
    }
}

/// What a position is worth to a player.
fn worth(walk: &mut dyn Walk, evaluation: Option<&Evaluation>, me: usize) -> Result<Worth, Fault> {
    if let Look::Over(winners) = walk.look()? {
        return Ok(Worth::Odds(match winners {
            0 => 0.0,
            _ if winners >> me & 1 == 1 => f64::INFINITY,
            _ => f64::NEG_INFINITY,
        }));
    }
    if let Some(evaluation) = evaluation {
        let view = View::of(walk, &evaluation.reader)?;
        return Ok(Worth::Odds(f64::from(evaluation.of(view, me))));
    }
    let values = walk.values()?;
    let own = values.get(me).copied().flatten().unwrap_or(0);
    let others = values.iter().enumerate().filter(|(player, _)| *player != me);
    let best = others.filter_map(|(_, value)| *value).max().unwrap_or(0);
    Ok(Worth::Value(own - best))
}

/// Any move of those that the rules advise most, and any legal one where they advise none.
pub(super) fn advised(
    session: &mut Session<'_>,
    question: &Request<'_>,
) -> Result<Vec<Choice>, Fault> {
    let allowed = |advice: &&Advice| question.allows(&advice.term);
    let most = question.advice.iter().filter(allowed).map(|advice| advice.priority).max();
    let best: Vec<&Advice> = question
        .advice
        .iter()
        .filter(allowed)
        .filter(|advice| Some(advice.priority) == most)
        .collect();
    let drawn = Random::seeded(question.seed).below(best.len() as u64) as usize;
    match best.get(drawn) {
        Some(advice) => Ok(vec![Choice::plain(advice.term.clone(), advice.text.clone(), 0)]),
        None => super::drawn(session, question),
    }
}
