//! Why a move is legal or not, and why a goal holds or not, from the rules' own text.
//!
//! What holds is shown by its proof: the clause as written, its goals with their values, and below
//! each goal the proof of that. What fails is shown by the goal that fails and the facts that make
//! it fail, on the way through the clauses that came nearest. `walk.rs` finds the ways, `proof.rs`
//! and `failure.rs` tell them, `words.rs` has the sentences, `moves.rs` and `ends.rs` know what
//! can forbid a move or end a game, `text.rs` writes an explanation down.

mod ends;
mod failure;
mod forms;
mod goals;
mod moves;
mod proof;
mod rule;
mod text;
mod walk;
mod words;

use crate::program::{Clause, ClauseId, RelationId, Value};
use crate::syntax::Term;

use super::fault::RuleError;
use super::run::Run;

/// How many steps an explanation may take beyond those of finding the moves; as many again where
/// these took more.
const EFFORT: u64 = 4_000_000;
/// How many lines an explanation may have.
const MOST_LINES: usize = 1_500;
/// How deep proofs are unfolded.
pub(super) const MOST_DEPTH: usize = 24;
/// The same where that takes more steps than [`EFFORT`].
const LESS_DEEP: [usize; 2] = [3, 0];

/// What the answer to a question rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// It holds, and the lines are the proof.
    Proof,
    /// A goal fails.
    Goal,
    /// Another move has a higher rank.
    Rank,
    /// It is another player's turn, who could make this move.
    Turn,
    /// Nature moves first, or the other way round.
    Chance,
    /// The game is over.
    Over,
    /// There is no such kind of move.
    Form,
}

impl Cause {
    /// Of several readings of one text, that with the least of these was meant.
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

/// The answer to "why?" or "why not?".
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The move as the game writes it, or the goal.
    pub subject: String,
    /// Is the move legal, does the goal hold?
    pub holds: bool,
    pub cause: Cause,
    /// How far it is from holding: 0 where it holds or only another rule forbids it, and the more
    /// goals fail the more.
    pub lacks: u32,
    /// One or two sentences.
    pub short: String,
    /// The same at length; the first lines are the most important ones.
    pub lines: Vec<Line>,
    /// Sites and other values that it speaks of, the most important first.
    pub sites: Vec<Value>,
    /// The legal moves that forbid this one.
    pub rivals: Vec<Term>,
    /// The legal moves that look most like this one, where it is not legal.
    pub closest: Vec<Term>,
}

impl Explanation {
    /// With nothing told yet.
    fn of(subject: String) -> Explanation {
        Explanation {
            subject,
            holds: false,
            cause: Cause::Goal,
            lacks: 0,
            short: String::new(),
            lines: Vec::new(),
            sites: Vec::new(),
            rivals: Vec::new(),
            closest: Vec::new(),
        }
    }

    /// Of the explanations of several readings of one text, the one with the least of these is
    /// about what was meant.
    pub fn order(&self) -> (usize, u32) {
        (self.cause.order(), self.lacks)
    }
}

/// What a line says of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mark {
    /// A goal that holds.
    Holds,
    /// A goal that fails.
    Fails,
    /// An update that is made.
    Updates,
    /// A clause as it stands in the file.
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

/// A line of an explanation with what can be unfolded below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub mark: Mark,
    pub text: String,
    /// What is added in words.
    pub note: Option<String>,
    /// `file:line` of the clause that it comes from.
    pub place: Option<String>,
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

/// An explanation with proofs unfolded as deep as can be done with moderate effort.
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

/// Bounds the steps of an explanation that begins here.
fn bound_effort(run: &mut Run<'_>) {
    run.limits.steps = run.steps.saturating_add(run.steps.max(EFFORT));
}

/// Someone who explains: the run, and what was told so far.
struct Teller<'x, 'r> {
    run: &'x mut Run<'r>,
    /// The calls whose proof or failure is being told, with the state they were asked in.
    above: Vec<(RelationId, Vec<Option<Value>>)>,
    lines: usize,
}

impl<'x, 'r> Teller<'x, 'r> {
    fn new(run: &'x mut Run<'r>) -> Teller<'x, 'r> {
        Teller { run, above: Vec::new(), lines: 0 }
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

    /// Is there room for more lines?
    fn room(&mut self) -> bool {
        self.lines += 1;
        self.lines <= MOST_LINES && self.above.len() <= self.run.unfolds
    }
}
