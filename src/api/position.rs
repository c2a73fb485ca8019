//! A position of a game being played: moves, play and questions.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::engine;
use crate::referee::miss::Miss;
use crate::referee::naming::Named;
use crate::referee::questions::understand;
use crate::referee::{
    self, Choices, Last, Referee, Stop, drawn_for, line, misread, reasons, typed,
};
use crate::render::{Scene, to_svg};
use crate::syntax::{Term, print_term};

use super::game::Game;
use super::limits::Limits;
use super::value::{Answer, Value};
use super::why::Why;
use super::{Error, Result};
use crate::referee::naming;

/// The longest move or question, in bytes.
const LONGEST: usize = 4_000;
/// The purpose of the draws of chance events.
const CHANCE: u64 = 3;

/// A position of a game, with the moves that led to it. Cheap to clone: clones share their past, and each goes its
/// own way. Calls that only ask may be made from several threads at once.
///
/// Moves and goals are written as at the prompt: a move in the game's notation, in one of its other notations, as a
/// term, or in short where that leaves one move.
///
/// ```
/// # fn main() -> ludex::Result<()> {
/// let game = ludex::Game::shipped("chess").load()?;
/// let mut at = game.start();
/// at.play("e2 e4")?;
/// at.play("e5")?;
/// let mut other = at.clone();
/// other.play("Nf3")?;
/// assert_eq!((at.ply(), other.ply()), (2, 3));
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Position {
    game: Game,
    at: Arc<Step>,
}

/// A position and how it was reached.
struct Step {
    position: referee::Position,
    made: Option<Move>,
    before: Option<Arc<Step>>,
}

impl Drop for Step {
    /// A long game is dropped step by step, since recursion could overflow the stack.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(mut step) = next.and_then(Arc::into_inner) {
            next = step.before.take();
        }
    }
}

/// A legal move or chance event. Displayed in the game's notation; [`Position::play`] takes it as it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Move {
    notation: String,
    text: String,
    pub(super) term: Term,
    chance: bool,
    weight: i64,
}

impl Move {
    pub(super) fn of(named: &Named, chance: bool) -> Move {
        Move {
            notation: named.notation.clone(),
            text: named.text.clone(),
            term: named.term.clone(),
            chance,
            weight: named.weight,
        }
    }

    /// The move in the game's notation, e.g. `e2-e4`. Two moves of a position may share it; their terms differ.
    pub fn notation(&self) -> &str {
        &self.notation
    }

    /// The move as a term of the rules, e.g. `go(e2, e4)`, which no other move of the position is.
    pub fn term(&self) -> &str {
        &self.text
    }

    /// The move as a value: a name, or a compound with its sites.
    pub fn value(&self) -> Value {
        Value::of(&self.term)
    }

    /// It is a chance event, such as a throw of dice.
    pub fn is_chance(&self) -> bool {
        self.chance
    }

    /// The weight of a chance event, 0 or more: its probability is its share of the weights of all events. 1 for a
    /// move.
    pub fn weight(&self) -> i64 {
        self.weight
    }
}

/// The term, which means this move alone.
impl AsRef<str> for Move {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.notation)
    }
}

/// How a game has ended. Displayed in words: `a win for x: three in a row (win, FILE:LINE)`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// The winners in the order of turns; empty for a draw, and in a game for one that only counts.
    pub winners: Vec<String>,
    /// The name of the end, e.g. `checkmate`, where the rules give one.
    pub end: Option<String>,
    /// The scores of the players in the order of turns, where the game has scores; `None` for a player without one.
    pub scores: Option<Vec<Option<i64>>>,
    /// The result in words, with the rule that ended the game.
    pub text: String,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// An error that the rules are to blame for.
pub(super) fn by_rules(stop: Stop) -> Error {
    Error::of(stop, true)
}

impl Position {
    pub(super) fn new(game: Game, position: referee::Position) -> Position {
        Position { game, at: Arc::new(Step { position, made: None, before: None }) }
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The same position with other limits on each call.
    #[must_use]
    pub fn with_limits(&self, limits: Limits) -> Position {
        Position { game: self.game.with_limits(limits), at: Arc::clone(&self.at) }
    }

    pub(super) fn raw(&self) -> &referee::Position {
        &self.at.position
    }

    /// The player whose turn it is, also while a chance event is due and when the game is over.
    pub fn turn(&self) -> String {
        let referee = self.game.referee();
        referee.name(referee.turn(self.raw()))
    }

    /// How many moves and chance events the rules have counted. A position that was set up begins where it says.
    pub fn ply(&self) -> u64 {
        self.game.referee().ply(self.raw()).unsigned_abs()
    }

    /// How the game has ended; `None` while it goes on.
    ///
    /// # Errors
    /// [`Error::Rules`] and [`Error::Limit`].
    pub fn outcome(&self) -> Result<Option<Outcome>> {
        let mut referee = self.game.referee();
        let outcome = referee.outcome(self.raw()).map_err(by_rules)?;
        Ok(outcome.map(|outcome| told(&referee, &outcome)))
    }

    /// The legal moves, or the chance events where one is due, in the order of their notation: `a2` before `a10`.
    /// Empty when the game is over.
    ///
    /// # Errors
    /// [`Error::Rules`] and [`Error::Limit`].
    pub fn moves(&self) -> Result<Vec<Move>> {
        let mut referee = self.game.referee();
        let (_, choices, named) = self.choices(&mut referee)?;
        Ok(named.iter().map(|n| Move::of(n, choices.chance)).collect())
    }

    /// Whether a chance event is due, such as a throw of dice, and not a move.
    ///
    /// # Errors
    /// [`Error::Rules`] and [`Error::Limit`].
    pub fn is_chance(&self) -> Result<bool> {
        let mut referee = self.game.referee();
        if referee.outcome(self.raw()).map_err(by_rules)?.is_some() {
            return Ok(false);
        }
        Ok(referee.choices(self.raw()).map_err(by_rules)?.chance)
    }

    /// Plays a move or chance event, and returns it.
    ///
    /// ```
    /// # fn main() -> ludex::Result<()> {
    /// let mut at = ludex::Game::shipped("tic_tac_toe").load()?.start();
    /// assert_eq!(at.play("B2")?.term(), "mark(b2)");
    /// let told = at.play("b2").unwrap_err();
    /// assert!(matches!(told, ludex::Error::Illegal { .. }));
    /// assert!(told.to_string().starts_with("`b2` is not legal: b2 is occupied by x"));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Illegal`] with the reason, [`Error::Ambiguous`] with the moves that the text can mean,
    /// [`Error::Over`] when the game is over; [`Error::Question`] for a text of more than 4,000 bytes, [`Error::Rules`]
    /// and [`Error::Limit`]. The position is then as it was.
    pub fn play(&mut self, mv: impl AsRef<str>) -> Result<Move> {
        let (made, position) = self.next(bounded(mv.as_ref())?)?;
        self.at = Arc::new(Step {
            position,
            made: Some(made.clone()),
            before: Some(Arc::clone(&self.at)),
        });
        Ok(made)
    }

    fn next(&self, text: &str) -> Result<(Move, referee::Position)> {
        let game = &self.game;
        let mut referee = game.referee();
        let (outcome, choices, named) = self.choices(&mut referee)?;
        if let Some(outcome) = outcome {
            return Err(Error::Over(told(&referee, &outcome)));
        }
        let of = |named: &Named| Move::of(named, choices.chance);
        let found = typed::find(&referee, self.raw(), &named, text).map_err(by_rules)?;
        let miss = match found {
            Ok(found) => {
                let next = referee.play(self.raw(), &found.term).map_err(by_rules)?;
                let Some(next) = next else {
                    let reason = format!("`{}` cannot be played", found.notation);
                    return Err(Error::Illegal { reason });
                };
                return Ok((of(found), next));
            }
            Err(miss) => miss,
        };
        let fault = misread::misread(&referee, self.raw(), &choices, miss.diagnostic(text), text);
        let message = std::iter::once(fault.message).chain(fault.hints).collect::<Vec<_>>();
        let message = message.join("; ");
        match miss {
            Miss::Ambiguous(moves) | Miss::Unfinished(moves) => {
                Err(Error::Ambiguous { message, candidates: moves.iter().map(of).collect() })
            }
            Miss::NoCapture(one) => Err(Error::Ambiguous { message, candidates: vec![of(&one)] }),
            Miss::Unknown(_) => {
                let facts = self.facts(&referee);
                let why = reasons::refusal(&referee, self.raw(), &facts, &named, text);
                let reason = match why.map_err(by_rules)? {
                    Some(why) => {
                        reasons::answer(&referee, &facts, &why).map_err(by_rules)?.join("\n")
                    }
                    None => message,
                };
                Err(Error::Illegal { reason })
            }
        }
    }

    /// Plays a line of moves, separated by blanks, and returns them. If one cannot be played, none is.
    ///
    /// # Errors
    /// [`Error::Illegal`] names the first that cannot be played, by its number from 1 on; [`Error::Rules`] and
    /// [`Error::Limit`].
    pub fn play_line(&mut self, moves: &str) -> Result<Vec<Move>> {
        let mut referee = self.game.referee();
        let failed = |stop| match Error::of(stop, true) {
            Error::Rules(faults) if faults.iter().any(|fault| is_of_line(fault.code)) => {
                let reason = faults.to_string();
                Error::Illegal { reason }
            }
            other => other,
        };
        let track =
            line::play_line(&mut referee, self.raw().clone(), moves, None).map_err(failed)?;
        let mut at = Arc::clone(&self.at);
        let mut made = Vec::new();
        let after = track.moves.iter().skip(1).map(|past| past.before.clone());
        for (past, position) in track.moves.iter().zip(after.chain([track.position.clone()])) {
            let facts = referee.facts(&past.before);
            let notation = referee.notation(&facts, &past.mv).map_err(by_rules)?;
            let term = past.mv.clone();
            let named = Named { text: print_term(&term), term, weight: 1, notation };
            let mv = Move::of(&named, past.chance);
            made.push(mv.clone());
            at = Arc::new(Step { position, made: Some(mv), before: Some(at) });
        }
        self.at = at;
        Ok(made)
    }

    /// Draws a chance event by its weight and plays it; `None`, and nothing is played, where none is due. The same
    /// seed draws the same event.
    ///
    /// # Errors
    /// [`Error::Rules`] and [`Error::Limit`].
    pub fn draw_chance(&mut self, seed: u64) -> Result<Option<Move>> {
        let mut referee = self.game.referee();
        if referee.outcome(self.raw()).map_err(by_rules)?.is_some() {
            return Ok(None);
        }
        let choices = referee.choices(self.raw()).map_err(by_rules)?;
        if !choices.chance {
            return Ok(None);
        }
        let mut random = drawn_for(seed, referee.ply(self.raw()), CHANCE);
        let drawn = Referee::draw(&choices, &mut random).map_err(by_rules)?;
        drop(referee);
        self.play(print_term(&drawn)).map(Some)
    }

    /// Takes the last move or chance event back and returns it; `None` at the first position.
    pub fn undo(&mut self) -> Option<Move> {
        let made = self.at.made.clone()?;
        let before = self.at.before.clone()?;
        self.at = before;
        Some(made)
    }

    /// The moves and chance events since the first position, oldest first.
    pub fn history(&self) -> Vec<Move> {
        let mut moves: Vec<Move> = self.steps().filter_map(|step| step.made.clone()).collect();
        moves.reverse();
        moves
    }

    /// The steps, the last one first.
    fn steps(&self) -> impl Iterator<Item = &Step> {
        std::iter::successors(Some(&*self.at), |step| step.before.as_deref())
    }

    /// The answers of a goal about this position, each once, in the order in which they are found.
    ///
    /// ```
    /// # fn main() -> ludex::Result<()> {
    /// let mut at = ludex::Game::shipped("tic_tac_toe").load()?.start();
    /// at.play("b2")?;
    /// let found = at.query("at(Site, Who)")?;
    /// assert_eq!(found[0]["Site"], "b2");
    /// assert_eq!(found[0].to_string(), "Site = b2, Who = x");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Question`] where the goal is written wrongly or names what the rules do not have;
    /// [`Error::Rules`] and [`Error::Limit`].
    pub fn query(&self, goal: &str) -> Result<Vec<Answer>> {
        Ok(self.query_first(goal, usize::MAX)?.0)
    }

    /// The first answers of a goal, at most `most`, and whether that is all of them.
    ///
    /// # Errors
    /// As [`Position::query`].
    pub fn query_first(&self, goal: &str, most: usize) -> Result<(Vec<Answer>, bool)> {
        let goal = bounded(goal)?;
        let referee = self.game.referee();
        let asked = understand(&referee, goal).map_err(|stop| Error::of(stop, false))?;
        let facts = self.facts(&referee);
        let (mut found, mut whole) = (Vec::new(), true);
        let mut receive = |bindings: Vec<(String, Term)>| {
            whole = found.len() < most;
            if !whole {
                return ControlFlow::Break(());
            }
            let named = bindings.into_iter().map(|(name, value)| (name, Value::of(&value)));
            found.push(Answer(named.collect()));
            ControlFlow::Continue(())
        };
        let result = referee.rules.each_answer(&facts, &asked.question, None, &mut receive);
        match result {
            Ok(()) => Ok((found, whole)),
            Err(error) if error.is_interrupted() => Err(Error::of(Stop::Interrupted, true)),
            Err(error) => {
                let diagnostics = vec![error.into()];
                let stop = Stop::Diagnosed { sources: asked.sources, diagnostics, code: 1 };
                Err(by_rules(stop))
            }
        }
    }

    /// Whether a goal holds in this position.
    ///
    /// # Errors
    /// As [`Position::query`].
    pub fn holds(&self, goal: &str) -> Result<bool> {
        // the first answer ends the search
        Ok(!self.query_first(goal, 0)?.1)
    }

    /// Why a move is legal or not, or a goal holds or not; `over` asks why the game has ended or not.
    ///
    /// ```
    /// # fn main() -> ludex::Result<()> {
    /// let at = ludex::Game::shipped("chess").load()?.start();
    /// let why = at.why("a1-a5")?;
    /// assert!(!why.holds());
    /// assert!(why.to_string().starts_with("`a1-a5` is not legal: a2 is occupied by white's pawn"));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Question`] for a text that is neither a move nor a goal; [`Error::Rules`] and [`Error::Limit`].
    pub fn why(&self, what: &str) -> Result<Why> {
        let mut referee = self.game.referee();
        let facts = self.facts(&referee);
        let told = reasons::explain(&mut referee, self.raw(), &facts, bounded(what)?)
            .map_err(|stop| Error::of(stop, false))?;
        let values = &referee.game.program.values;
        Ok(Why {
            sentences: reasons::answer(&referee, &facts, &told).map_err(by_rules)?,
            sites: told.sites.iter().map(|site| values.show(*site)).collect(),
            json: reasons::to_json(&referee, &facts, &told).map_err(by_rules)?,
            told,
        })
    }

    /// The position as text, which [`Game::position`] reads; the moves that led to it are lost.
    ///
    /// # Errors
    /// [`Error::Rules`] and [`Error::Limit`].
    pub fn text(&self) -> Result<String> {
        let referee = self.game.referee();
        referee.position_text(&referee.facts(self.raw())).map_err(by_rules)
    }

    /// The position drawn in text, without colours, at most `width` columns wide as far as that is possible.
    ///
    /// # Errors
    /// [`Error::Rules`] and [`Error::Limit`].
    pub fn draw(&self, width: usize) -> Result<String> {
        let referee = self.game.referee();
        let mut picture = self.picture(&referee)?;
        picture.bare = true;
        Ok(referee.view.text(&picture, width))
    }

    /// The position drawn as SVG, with the last move; `None` where the rules give no site a place.
    ///
    /// # Errors
    /// [`Error::Rules`] and [`Error::Limit`].
    pub fn svg(&self) -> Result<Option<String>> {
        let referee = self.game.referee();
        let Some(board) = &referee.view.board else { return Ok(None) };
        let picture = self.picture(&referee)?;
        let scene = Scene { picture, caption: String::new() };
        Ok(Some(to_svg(board, &scene, self.game.title())))
    }

    pub(super) fn picture(&self, referee: &Referee<'_>) -> Result<crate::render::Picture> {
        let steps: Vec<&Step> = self.steps().collect();
        let by_player = |step: &&Step| step.made.as_ref().is_some_and(|mv| !mv.chance);
        let last = steps.iter().copied().find(by_player);
        let picture = match last.map(|step| (step.before.as_deref(), step.made.as_ref())) {
            Some((Some(before), Some(made))) => {
                let last = Last { before: &before.position, mv: &made.term };
                referee.picture_after(self.raw(), &last)
            }
            _ => referee.picture(&referee.facts(self.raw())),
        };
        picture.map_err(by_rules)
    }

    /// The position as facts that include the earlier positions.
    pub(super) fn facts(&self, referee: &Referee<'_>) -> crate::reference::Facts {
        let mut before: Vec<referee::Position> =
            self.steps().skip(1).map(|step| step.position.clone()).collect();
        before.reverse();
        referee.facts_after(self.raw(), &before)
    }

    pub(super) fn choices(
        &self,
        referee: &mut Referee<'_>,
    ) -> Result<(Option<engine::Outcome>, Choices, Vec<Named>)> {
        let outcome = referee.outcome(self.raw()).map_err(by_rules)?;
        let choices = match outcome {
            Some(_) => Choices::default(),
            None => referee.choices(self.raw()).map_err(by_rules)?,
        };
        let named = naming::names(referee, self.raw(), &choices).map_err(by_rules)?;
        Ok((outcome, choices, named))
    }

    pub(super) fn move_of(named: &[Named], term: &Term) -> Option<Move> {
        named.iter().find(|n| n.term == *term).map(|n| Move::of(n, false))
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Position");
        debug.field("game", &self.game).field("ply", &self.ply()).finish_non_exhaustive()
    }
}

/// Two positions of one game are equal where the same state holds; how they were reached does not matter, but for
/// the earlier positions that a rule on repetitions asks for.
impl PartialEq for Position {
    fn eq(&self, other: &Position) -> bool {
        self.game.same_game(&other.game)
            && match (self.raw(), other.raw()) {
                (referee::Position::Compiled(a), referee::Position::Compiled(b)) => a == b,
                _ => false,
            }
    }
}

fn is_of_line(code: &str) -> bool {
    matches!(code, "illegal-move" | "ambiguous-notation" | "game-over")
}

fn bounded(text: &str) -> Result<&str> {
    let text = text.trim();
    match text.len() {
        0 => Err(Error::question("there is nothing to read: write a move or a goal")),
        1..=LONGEST => Ok(text),
        _ => Err(Error::question(format!("a move or goal has at most {LONGEST} bytes"))),
    }
}

fn told(referee: &Referee<'_>, outcome: &engine::Outcome) -> Outcome {
    Outcome {
        winners: outcome.winners.iter().map(|player| referee.name(*player)).collect(),
        end: referee.end_name(outcome).map(str::to_string),
        scores: outcome.scores.clone(),
        text: referee.result(outcome),
    }
}
