//! Why a move is legal or not, and why a goal holds or not, from the rules' own text.
//!
//! What holds is shown by its proof: the clause as written, its goals with their values, and the
//! proof of each goal below it. What fails is shown by the goal that fails and the facts that make
//! it fail, on the path through the clauses that came nearest to success. `walk.rs` finds the paths,
//! `proof.rs`, `failure.rs`, `calls.rs` and `paths.rs` describe them, `words.rs`, `places.rs`, `says.rs` and `said.rs` have
//! the sentences, `moves.rs`, `illegal.rs`,
//! `ranks.rs`, `turns.rs` and `ends.rs` know what can forbid a move or end a game, `goes_on.rs` why a turn does not go on, and `text.rs` formats an explanation.

mod calls;
mod ends;
mod failure;
mod forms;
mod goals;
mod goes_on;
mod illegal;
mod moves;
mod numbers;
mod paths;
mod places;
mod proof;
mod ranks;
mod rule;
mod said;
mod says;
mod scores;
mod stuck;
mod text;
mod turns;
mod walk;
mod words;

pub(crate) use words::{owner, turn_of};

use std::cmp::Reverse;

use crate::program::{Clause, ClauseId, RelationId, Value};
use crate::syntax::Term;

use crate::reference::fault::RuleError;
use crate::reference::run::{MOST_DEPTH, Run};

/// How many steps an explanation may take beyond those that it took to find the moves. Where finding the
/// moves took more than this, as many again are allowed.
const EFFORT: u64 = 4_000_000;
/// The most lines of an explanation.
const MOST_LINES: usize = 1_500;
/// The depths that are tried next where that takes more steps than [`EFFORT`].
const LESS_DEEP: [usize; 2] = [3, 0];

/// The reason for the answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// It holds, and the lines are the proof.
    Proof,
    /// A goal fails.
    Goal,
    /// Another move has a higher rank.
    Rank,
    /// The move is legal for another player, whose turn it is not.
    Turn,
    /// A chance event is due and not a move, or the other way round.
    Chance,
    /// The game is over.
    Over,
    /// There is no move of this form.
    Form,
}

impl Cause {
    /// For choosing among several readings of one text: the one with the least number was meant.
    fn order(self) -> usize {
        match self {
            Cause::Proof => 0,
            Cause::Over | Cause::Chance | Cause::Rank | Cause::Turn => 1,
            Cause::Goal => 2,
            Cause::Form => 3,
        }
    }

    /// The cause as a word.
    pub fn word(self) -> &'static str {
        match self {
            Cause::Proof => "proof",
            Cause::Goal => "goal",
            Cause::Rank => "rank",
            Cause::Turn => "turn",
            Cause::Chance => "chance",
            Cause::Over => "over",
            Cause::Form => "form",
        }
    }
}

/// The part of a short answer that tells why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// The facts, which are the same for moves that fail alike.
    pub facts: String,
    /// The facts with the goal that they decide.
    pub whole: String,
}

/// The answer to "why?" or "why not?".
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The move as the game writes it, or the goal.
    pub subject: String,
    /// The move is legal, or the goal holds.
    pub holds: bool,
    /// The reason.
    pub cause: Cause,
    /// How far it is from holding: 0 where it holds or only another rule forbids it, and otherwise
    /// the greater, the more goals fail.
    pub lacks: u32,
    /// How many goals of a clause of the move hold before the one that fails.
    pub reached: usize,
    /// The sites whose contents are the reason, by name; none where there is another reason.
    pub blamed: Vec<String>,
    /// The reason is what the turn asks for.
    pub due: bool,
    /// The move has captured something where a goal behind that fails.
    pub takes: bool,
    /// The answer in one or two sentences, without the rule.
    pub short: String,
    /// The part of it that tells why a move is not legal, where a goal fails.
    pub reason: Option<Reason>,
    /// The rule in words that the reason comes from, in quotation marks, and its place.
    pub rule: Option<String>,
    /// The answer in detail, the most important lines first.
    pub lines: Vec<Line>,
    /// The sites and other values that it mentions, the most important first.
    pub sites: Vec<Value>,
    /// The legal moves of a higher rank, which forbid this one.
    pub rivals: Vec<Term>,
    /// The legal moves most similar to this one, where it is not legal.
    pub closest: Vec<Term>,
}

impl Explanation {
    /// An explanation without contents.
    pub fn of(subject: String) -> Explanation {
        Explanation {
            subject,
            holds: false,
            cause: Cause::Goal,
            lacks: 0,
            reached: 0,
            blamed: Vec::new(),
            due: false,
            takes: false,
            short: String::new(),
            reason: None,
            rule: None,
            lines: Vec::new(),
            sites: Vec::new(),
            rivals: Vec::new(),
            closest: Vec::new(),
        }
    }

    /// The short answer with the rule that it comes from.
    pub fn sentences(&self) -> String {
        match &self.rule {
            Some(rule) => format!("{} The rule: {rule}.", self.short),
            None => self.short.clone(),
        }
    }

    /// Several explanations in a row. A rule that they share is told once.
    pub fn in_a_row(told: &[Explanation]) -> String {
        let alone = |(i, one): (usize, &Explanation)| match told.get(i + 1) {
            Some(next) if next.rule == one.rule => one.short.clone(),
            _ => one.sentences(),
        };
        told.iter().enumerate().map(alone).collect::<Vec<_>>().join(" ")
    }

    /// Whether it holds in no position.
    pub fn is_impossible(&self) -> bool {
        self.cause == Cause::Goal && self.lacks >= walk::NEVER
    }

    /// For choosing among the explanations of several readings of one text: the least one is about the
    /// reading that was meant.
    pub fn order(&self) -> (usize, u32, Reverse<usize>, u32) {
        // of what holds in no position nothing is nearer to holding
        (self.cause.order(), self.lacks.min(walk::NEVER), Reverse(self.reached), self.lacks)
    }

    /// The same for readings that fill in what the text does not say: where it says only the target, the piece
    /// that is there and cannot go is meant, and not one that would have to be there. `filled` are the sites that
    /// were filled in: that one of them holds something else is no reason.
    pub fn order_filled(&self, filled: &[String]) -> (usize, bool, (bool, Reverse<usize>, u32)) {
        let own = !self.blamed.is_empty() && self.blamed.iter().all(|site| filled.contains(site));
        let far = (self.is_impossible(), Reverse(self.reached), self.lacks);
        (self.cause.order(), own, far)
    }
}

/// The kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mark {
    /// A goal that holds.
    Holds,
    /// A goal that fails.
    Fails,
    /// An update that is made.
    Updates,
    /// A clause as written in the file.
    Clause,
    /// Anything else.
    Note,
}

impl Mark {
    /// The mark as a word.
    pub fn word(self) -> &'static str {
        match self {
            Mark::Holds => "holds",
            Mark::Fails => "fails",
            Mark::Updates => "updates",
            Mark::Clause => "clause",
            Mark::Note => "note",
        }
    }
}

/// A line of an explanation, with the lines that can be unfolded below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// What the text is.
    pub mark: Mark,
    /// A goal, an update or a clause as rule files write it, or a sentence.
    pub text: String,
    /// A remark in words.
    pub note: Option<String>,
    /// `file:line` of the clause that it comes from.
    pub place: Option<String>,
    /// The details, such as the proof of a goal.
    pub below: Vec<Line>,
}

impl Line {
    fn new(mark: Mark, text: impl Into<String>) -> Line {
        Line { mark, text: text.into(), note: None, place: None, below: Vec::new() }
    }

    fn noted(mut self, note: impl Into<String>) -> Line {
        self.note = Some(note.into());
        self
    }

    fn over(mut self, below: Vec<Line>) -> Line {
        self.below = below;
        self
    }
}

/// An explanation with its proofs unfolded as deep as the bound on its steps allows.
fn as_deep_as_can_be<T, E>(
    explain: impl Fn(usize) -> Result<T, E>,
    error: impl Fn(&E) -> Option<&RuleError>,
) -> Result<T, E> {
    let mut told = explain(MOST_DEPTH);
    for depth in LESS_DEEP {
        match &told {
            Err(e) if error(e).is_some_and(RuleError::is_budget) => told = explain(depth),
            _ => break,
        }
    }
    told
}

/// Bounds the steps of an explanation that starts now.
fn bound_effort(run: &mut Run<'_>) {
    run.budget.steps = run.steps.saturating_add(run.steps.max(EFFORT));
}

/// The state of an explanation in progress.
struct Teller<'x, 'r> {
    run: &'x mut Run<'r>,
    /// The calls whose proof or failure is being described, the outermost first, with their arguments.
    above: Vec<(RelationId, Vec<Option<Value>>)>,
    lines: usize,
    /// The values that the move names that is explained.
    named: Option<Vec<Value>>,
    /// Some legal move has the form of the one that is explained, so a clause of another phase of the turn is not for it.
    due: bool,
}

impl<'x, 'r> Teller<'x, 'r> {
    fn new(run: &'x mut Run<'r>) -> Teller<'x, 'r> {
        Teller { run, above: Vec::new(), lines: 0, named: None, due: false }
    }

    fn clause(&self, id: Option<ClauseId>) -> &'r Clause {
        match (id, self.run.question) {
            (Some(id), _) => self.run.program.clause(id),
            (None, Some(question)) => question,
            // goals come from a clause or from the question
            (None, None) => &self.run.program.clauses[0],
        }
    }

    fn place(&self, id: ClauseId) -> String {
        let program = self.run.program;
        program.sources.place(program.clause(id).span)
    }

    /// Counts a line; false where the explanation is too long or too deep.
    fn room(&mut self) -> bool {
        self.lines += 1;
        self.lines <= MOST_LINES && self.above.len() <= self.run.unfolds
    }
}
