//! Compares the learner's rules with the reference.
//!
//! Both are played side by side, breadth first from the opening and from the positions that the
//! exercise gives, as long as they say the same. So the first difference is in a position that the
//! fewest moves lead to. Pairs of positions that were met before are not looked at again.

use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;

use crate::diagnostic::Diagnostic;
use crate::engine::{State, Telling};
use crate::pipeline::{self, Failure, Loaded};
use crate::program::LoadRequest;
use crate::source::{FileId, Sources, Span};
use crate::syntax::{Term, print_term};

use super::Exercise;
use super::differing::{self, Difference, Found as Differing};
use super::side::{Look, Mute, Side, without_weight, written};

/// How long the work may take.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// For a whole exercise.
    pub time: Duration,
    /// For one position by the learner's rules.
    pub position: Duration,
    /// The columns of a drawn position.
    pub width: usize,
    /// Called now and then; where it returns true the work ends.
    pub interrupted: fn() -> bool,
}

impl Default for Settings {
    fn default() -> Settings {
        let (time, position) = (Duration::from_secs(20), Duration::from_secs(5));
        Settings { time, position, width: 80, interrupted: || false }
    }
}

/// What is said of the learner's rules.
#[derive(Debug)]
pub enum Verdict {
    /// They say the same as the reference.
    Right {
        /// How many positions were compared.
        positions: usize,
        /// The warnings of the checker.
        warnings: (Sources, Vec<Diagnostic>),
    },
    /// Something is still to be filled in.
    Open(Sources, Diagnostic),
    /// They cannot be loaded.
    Unloaded(Box<Failure>),
    /// They differ from the reference.
    Differs {
        /// The smallest position in which they do.
        difference: Box<Difference>,
        /// The warnings of the checker.
        warnings: (Sources, Vec<Diagnostic>),
    },
    /// No difference was found in the time that there was.
    Unfinished {
        /// How many positions were compared.
        positions: usize,
    },
}

/// Why nothing can be said of the learner's rules.
#[derive(Debug)]
pub enum Unjudged {
    /// The work was interrupted.
    Interrupted,
    /// The exercise is at fault: its reference does not load, or breaks its own rules.
    Exercise(Sources, Vec<Diagnostic>),
}

/// A pair of positions, and how it was reached.
struct Node {
    states: (State, State),
    /// The previous node, and the move from there.
    from: Option<(usize, String)>,
    /// The position that the exercise gives and that the moves begin at.
    given: Option<usize>,
    depth: usize,
}

/// Compares the rules that `learner` loads with the reference of an exercise.
///
/// # Errors
/// Where the work is interrupted, and where the exercise itself is wrong.
pub fn judge(
    exercise: &Exercise,
    learner: &LoadRequest,
    settings: &Settings,
) -> Result<Verdict, Unjudged> {
    let end = Instant::now() + settings.time;
    let learner = LoadRequest {
        budget: learner.budget.interrupted_by(settings.interrupted),
        ..learner.clone()
    };
    if let Some(open) = open(&learner) {
        return Ok(open);
    }
    let reference = exercise.reference();
    let reference =
        LoadRequest { budget: reference.budget.interrupted_by(settings.interrupted), ..reference };
    let mut compared = 0;
    let mut warnings = None;
    let runs = exercise.compare.runs(&reference);
    for (theirs, mine) in runs.into_iter().zip(exercise.compare.runs(&learner)) {
        let reference = pipeline::load(&theirs).map_err(|failure| match failure {
            Failure { interrupted: true, .. } => Unjudged::Interrupted,
            Failure { sources, mut diagnostics, request_faults, .. } => {
                diagnostics.extend(request_faults);
                Unjudged::Exercise(exercise.shown(sources), diagnostics)
            }
        })?;
        let Loaded { game, warnings: mut slips } = match pipeline::load(&mine) {
            Ok(loaded) => loaded,
            Err(failure) if failure.interrupted => return Err(Unjudged::Interrupted),
            Err(failure) => return Ok(Verdict::Unloaded(Box::new(failure))),
        };
        slips.retain(|slip| !asks(exercise, slip));
        let sources = game.program.sources.clone();
        let warnings = warnings.get_or_insert((sources, slips));
        let sides = (Side::new(&reference.game, settings), Side::new(&game, settings));
        let mut search = Search { exercise, settings, end, sides, nodes: Vec::new() };
        let settings = &mine.options[learner.options.len()..];
        match search.run()? {
            Found::Same(positions) => compared += positions,
            Found::Late(positions) => {
                return Ok(Verdict::Unfinished { positions: compared + positions });
            }
            Found::Different(difference) => {
                let difference = Box::new(Difference { options: settings.to_vec(), ..*difference });
                let warnings = std::mem::take(warnings);
                return Ok(Verdict::Differs { difference, warnings });
            }
        }
    }
    Ok(Verdict::Right { positions: compared, warnings: warnings.unwrap_or_default() })
}

/// Whether a warning says that nothing asks for a relation that the exercise asks for.
fn asks(exercise: &Exercise, slip: &Diagnostic) -> bool {
    let goals = exercise.compare.answers.iter().flat_map(|goal| goal.flatten(","));
    let mut names = goals.filter_map(|goal| goal.functor());
    let is_meant = |(name, arguments): (&str, &[Term])| {
        slip.message.starts_with(&format!("`{name}/{}` ", arguments.len()))
    };
    slip.code == "unused-relation" && names.any(is_meant)
}

/// The verdict on a text in which a gap is still open.
fn open(learner: &LoadRequest) -> Option<Verdict> {
    let text = learner.text.as_ref()?;
    let span = Exercise::gap(text)?;
    let mut sources = Sources::new();
    let name = match &learner.origin {
        crate::program::Origin::Path(path) => path.display().to_string(),
        crate::program::Origin::Text { name, .. } => name.clone(),
        crate::program::Origin::Shipped(name) => name.clone(),
    };
    let file: FileId = sources.add(&name, None, text);
    let span = Span { file, ..span };
    let fault = Diagnostic::error("open-gap", "something is still to be filled in")
        .at(span, "this stands for what is missing")
        .hint("write goals, values or clauses in its place; one `____` may stand for several");
    Some(Verdict::Open(sources, fault))
}

/// How a search ended.
enum Found {
    Same(usize),
    Late(usize),
    Different(Box<Difference>),
}

struct Search<'e, 'g> {
    exercise: &'e Exercise,
    settings: &'e Settings,
    end: Instant,
    /// The reference and the learner's rules.
    sides: (Side<'g>, Side<'g>),
    nodes: Vec<Node>,
}

impl Search<'_, '_> {
    fn run(&mut self) -> Result<Found, Unjudged> {
        let exercise = self.exercise;
        let compare = &exercise.compare;
        if let Some(difference) = self.begin()? {
            return Ok(Found::Different(Box::new(difference)));
        }
        let asked = !compare.answers.is_empty();
        let telling = [&self.sides.0, &self.sides.1].map(|side| Telling::of_all(side.game, asked));
        let mut seen: FxHashSet<(u64, u64)> = FxHashSet::default();
        let mut at = 0;
        while at < self.nodes.len() && at < compare.positions {
            if (self.settings.interrupted)() {
                return Err(Unjudged::Interrupted);
            }
            let now = Instant::now();
            if now >= self.end {
                return Ok(Found::Late(at));
            }
            let (states, depth) = (self.nodes[at].states.clone(), self.nodes[at].depth);
            self.sides.0.set_until(self.end);
            let theirs = match self.sides.0.look(&states.0, &compare.answers) {
                Ok(look) => look,
                Err(Mute::Interrupted) => return self.stopped().map(|()| Found::Late(at)),
                Err(Mute::Fault(fault, _)) => return Err(self.wrong(*fault)),
            };
            self.sides.1.set_until(now + self.settings.position);
            let mine = match self.sides.1.look(&states.1, &compare.answers) {
                Ok(look) => look,
                Err(mute) => {
                    let (found, fault) = self.silent(mute)?;
                    let difference = self.difference(at, found, Some(&theirs), fault);
                    return Ok(Found::Different(Box::new(difference)));
                }
            };
            if let Some(found) = differing::compare(&theirs, &mine, &self.sides, exercise) {
                let difference = self.difference(at, found, Some(&theirs), None);
                return Ok(Found::Different(Box::new(difference)));
            }
            if depth < compare.depth {
                for (mv, left) in theirs.moves {
                    let Some(right) = mine.moves.get(&mv).cloned() else { continue };
                    let key = (telling[0].hash_of(&left), telling[1].hash_of(&right));
                    if self.nodes.len() < compare.positions && seen.insert(key) {
                        let (from, given) = (Some((at, mv)), self.nodes[at].given);
                        let states = (left, right);
                        self.nodes.push(Node { states, from, given, depth: depth + 1 });
                    }
                }
            }
            at += 1;
        }
        Ok(Found::Same(at))
    }

    /// Sets up the positions to begin with. A difference is one that the learner's rules have no
    /// place for.
    fn begin(&mut self) -> Result<Option<Difference>, Unjudged> {
        let exercise = self.exercise;
        let states = (self.sides.0.opening(), self.sides.1.opening());
        self.nodes.push(Node { states, from: None, given: None, depth: 0 });
        for (number, position) in exercise.compare.given.iter().enumerate() {
            let theirs = match self.sides.0.given(position) {
                Ok(state) => state,
                Err(Mute::Interrupted) => return self.stopped().map(|()| None),
                Err(Mute::Fault(fault, _)) => return Err(self.wrong(*fault)),
            };
            let mine = match self.sides.1.given(position) {
                Ok(state) => state,
                Err(mute) => {
                    let (_, fault) = self.silent(mute)?;
                    let told = vec![format!(
                        "the exercise gives the position {}, which your rules have no place for",
                        written(position)
                    )];
                    let found = Differing { kind: "position", told, mv: None };
                    return Ok(Some(self.difference(0, found, None, fault)));
                }
            };
            let states = (theirs, mine);
            self.nodes.push(Node { states, from: None, given: Some(number), depth: 0 });
        }
        Ok(None)
    }

    /// The work ended before there was an answer: by an interruption, which is an error, or since
    /// the time is over.
    fn stopped(&self) -> Result<(), Unjudged> {
        if (self.settings.interrupted)() { Err(Unjudged::Interrupted) } else { Ok(()) }
    }

    fn wrong(&self, fault: Diagnostic) -> Unjudged {
        let sources = self.sides.0.game.program.sources.clone();
        Unjudged::Exercise(self.exercise.shown(sources), vec![fault])
    }

    /// What is told where the learner's rules say nothing, and the fault.
    fn silent(&self, mute: Mute) -> Result<(Differing, Option<Diagnostic>), Unjudged> {
        let found = |kind, told| Differing { kind, told: vec![told], mv: None };
        match mute {
            Mute::Interrupted => {
                self.stopped()?;
                let seconds = self.settings.position.as_secs();
                let told =
                    format!("your rules do not come to an end here within {seconds} seconds");
                Ok((found("time", told), None))
            }
            Mute::Fault(mut fault, question) => {
                fault.labels.retain(|label| label.span != Span::NONE);
                let told = match question {
                    Some(number) => {
                        let question = print_term(&self.exercise.compare.answers[number]);
                        format!("your rules cannot answer `{question}`, which the exercise asks")
                    }
                    None => "your rules stop with an error here".to_string(),
                };
                Ok((found("error", told), Some(*fault)))
            }
        }
    }

    /// A difference at a node.
    fn difference(
        &mut self,
        at: usize,
        found: Differing,
        theirs: Option<&Look>,
        fault: Option<Diagnostic>,
    ) -> Difference {
        let Differing { kind, told, mv } = found;
        let goes_on = theirs.filter(|look| look.outcome.is_none());
        let turn = goes_on.map(|look| look.turn.clone());
        let mut line = Vec::new();
        let mut node = &self.nodes[at];
        while let Some((before, mv)) = &node.from {
            line.push(without_weight(mv).to_string());
            node = &self.nodes[*before];
        }
        line.reverse();
        let given = node.given.map(|number| written(&self.exercise.compare.given[number]));
        let (theirs, mine) = self.nodes[at].states.clone();
        // a picture that the rules do not give is none
        let soon = Instant::now() + self.settings.position;
        self.sides.0.set_until(soon);
        self.sides.1.set_until(soon);
        let drawn = self.sides.0.drawn(&theirs, self.settings.width).unwrap_or_default();
        let yours = self.sides.1.drawn(&mine, self.settings.width).unwrap_or_default();
        let sources = || self.sides.1.game.program.sources.clone();
        Difference {
            kind,
            line,
            given,
            options: Vec::new(),
            yours: (kind == "state" && yours != drawn).then_some(yours),
            drawn,
            told,
            turn,
            mv,
            fault: fault.map(|fault| (sources(), fault)),
        }
    }
}
