//! A saved game reviewed: what each move costs by the computer's judgement, for `ludex review`.
//!
//! A position is searched for its best move. That move and the one that was played are then searched each
//! alone, with the same limits, so that their values come from searches alike; the difference is the loss.
//! What a loss is called is common usage of game servers: shares of expected points.

use serde_json::{Value, json};

use crate::referee::{Referee, Stop, Thought, interrupt};
use crate::search::{Choice, Listener};
use crate::syntax::Term;
use crate::ui::saved::Step;

/// What a loss of expected points is called, the greatest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Blunder,
    Mistake,
    Inaccuracy,
    /// Not a loss worth telling.
    Good,
    /// The best move by the search.
    Best,
    /// The only legal move.
    Forced,
}

impl Mark {
    fn of(loss: f64) -> Mark {
        match loss {
            loss if loss >= 0.20 => Mark::Blunder,
            loss if loss >= 0.10 => Mark::Mistake,
            loss if loss >= 0.05 => Mark::Inaccuracy,
            _ => Mark::Good,
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Mark::Blunder => "blunder",
            Mark::Mistake => "mistake",
            Mark::Inaccuracy => "inaccuracy",
            Mark::Good => "good",
            Mark::Best => "best",
            Mark::Forced => "forced",
        }
    }

    /// The sign behind the move.
    pub fn sign(self) -> &'static str {
        match self {
            Mark::Blunder => "??",
            Mark::Mistake => "?",
            Mark::Inaccuracy => "?!",
            _ => "",
        }
    }
}

/// A judged move.
pub struct Judged {
    /// The number of the move in the saved game, from 1, chance events included.
    pub number: usize,
    pub player: String,
    pub notation: String,
    pub mark: Mark,
    /// The expected share of games, or the expected score in a game for one player: before the move by the
    /// best one, and after the move that was played.
    pub best: f64,
    pub played: f64,
    /// The best move and the line that is expected, where another one was played.
    pub line: Vec<String>,
    /// What the search says of the best move.
    pub reason: String,
}

impl Judged {
    pub fn loss(&self) -> f64 {
        (self.best - self.played).max(0.0)
    }

    pub fn data(&self, alone: bool) -> Value {
        let round = |x: f64| (x * 1e4).round() / 1e4;
        json!({
            "number": self.number,
            "player": self.player,
            "move": self.notation,
            // a loss of points is no loss of games
            "mark": (!alone).then(|| self.mark.word()),
            "best": round(self.best),
            "played": round(self.played),
            "loss": round(self.loss()),
            "line": self.line,
            "reason": self.reason,
        })
    }
}

/// How a player did.
pub struct Summary {
    pub player: String,
    /// Moves that were not forced.
    pub moves: usize,
    pub inaccuracies: usize,
    pub mistakes: usize,
    pub blunders: usize,
    /// The mean loss.
    pub loss: f64,
    /// In per cent; `None` in a game for one player, or without a move.
    pub accuracy: Option<f64>,
}

impl Summary {
    pub fn data(&self) -> Value {
        let round = |x: f64| (x * 1e4).round() / 1e4;
        json!({
            "player": self.player,
            "moves": self.moves,
            "inaccuracies": self.inaccuracies,
            "mistakes": self.mistakes,
            "blunders": self.blunders,
            "loss": round(self.loss),
            "accuracy": self.accuracy.map(round),
        })
    }
}

/// How much longer the best move is searched where the move that was played is known to lose.
const DEEPER: u32 = 8;

/// Judges the moves of players from one number to another. An interruption leaves those that are judged.
///
/// # Errors
/// A rule error.
pub fn review(
    referee: &mut Referee<'_>,
    opening: &crate::referee::Position,
    steps: &[Step],
    thought: Thought,
    told: &mut dyn FnMut(usize),
) -> Result<Vec<Judged>, Stop> {
    let mut judged = Vec::new();
    for (i, step) in steps.iter().enumerate() {
        told(i);
        let Some(player) = &step.player else { continue };
        let before = i.checked_sub(1).map_or(opening, |i| &steps[i].position).clone();
        let choices = referee.choices(&before)?;
        let search = |among: &[Term], thought: Thought, referee: &mut Referee<'_>| {
            // what one search has learned must not help the next
            if let Some(memory) = &mut referee.memory {
                memory.forget();
            }
            let found = referee.analyse_among(
                &before,
                &choices,
                among,
                thought,
                1,
                &mut Listener::default(),
            )?;
            Ok::<Option<Choice>, Stop>(found.into_iter().next())
        };
        let value = |choice: &Choice| choice.expected.or(choice.score);
        let forced = choices.all.len() == 1;
        let Some(best) = search(&[], thought, referee)? else { continue };
        let same = best.term == step.term;
        let (best_value, played) = match same || forced {
            true => (value(&best), value(&best)),
            false => {
                let of = |term: &Term, thought: Thought, referee: &mut Referee<'_>| {
                    let found = search(std::slice::from_ref(term), thought, referee)?;
                    Ok::<Option<f64>, Stop>(found.as_ref().and_then(value))
                };
                let mut of_best = of(&best.term, thought, referee)?;
                let played = of(&step.term, thought, referee)?;
                // what is known of one move is not compared with what is thought of the other, if that can be known too
                if played == Some(0.0) && of_best.is_some_and(|share| share > 0.0 && share < 1.0) {
                    let limits = thought.limits.times(DEEPER);
                    of_best = of(&best.term, Thought { limits, ..thought }, referee)?;
                }
                (of_best, played)
            }
        };
        // a search that was broken off says nothing of this move
        if interrupt::interrupted() {
            break;
        }
        let (best_value, played) = match (best_value, played) {
            (Some(best), Some(played)) => (best, played),
            (best, played) => {
                let known = best.or(played).unwrap_or(0.0);
                (known, known)
            }
        };
        let mark = match (best_value - played).max(0.0) {
            _ if forced => Mark::Forced,
            _ if same => Mark::Best,
            loss => Mark::of(loss),
        };
        let line = match same || forced {
            true => Vec::new(),
            false => referee.expected_line(&before, &best)?,
        };
        judged.push(Judged {
            number: i + 1,
            player: player.clone(),
            notation: step.notation.clone(),
            mark,
            best: best_value,
            played,
            line,
            reason: best.reason,
        });
    }
    Ok(judged)
}

/// A summary for each player, in order.
pub fn summaries(players: &[String], judged: &[Judged]) -> Vec<Summary> {
    let one = |player: &String| {
        let own = judged.iter().filter(|of| of.player == *player && of.mark != Mark::Forced);
        let own: Vec<&Judged> = own.collect();
        let count = |mark: Mark| own.iter().filter(|of| of.mark == mark).count();
        let n = own.len().max(1) as f64;
        let accuracy = || own.iter().map(|of| accuracy(of.loss())).sum::<f64>() / n;
        Summary {
            player: player.clone(),
            moves: own.len(),
            inaccuracies: count(Mark::Inaccuracy),
            mistakes: count(Mark::Mistake),
            blunders: count(Mark::Blunder),
            // the sum of no numbers is -0.0
            loss: own.iter().map(|of| of.loss()).fold(0.0, |sum, loss| sum + loss) / n,
            accuracy: (players.len() > 1 && !own.is_empty()).then(accuracy),
        }
    };
    players.iter().map(one).collect()
}

/// The accuracy of a move in per cent by its loss of expected points: the curve of lichess.org, which falls
/// to a half at a loss of a sixth.
fn accuracy(loss: f64) -> f64 {
    (103.1668 * (-0.04354 * loss * 100.0).exp() - 3.1669).clamp(0.0, 100.0)
}

#[cfg(test)]
mod tests {
    use super::{Mark, accuracy};

    #[test]
    fn marks_and_accuracy_follow_the_loss() {
        assert_eq!(Mark::of(0.0), Mark::Good);
        assert_eq!(Mark::of(0.06), Mark::Inaccuracy);
        assert_eq!(Mark::of(0.5), Mark::Blunder);
        assert!(accuracy(0.0) > 99.9 && accuracy(1.0) < 1.0);
        assert!((accuracy(0.17) - 46.0).abs() < 2.0);
    }
}
