//! Loading a game.

use std::fmt::Display;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use crate::diagnostic::Diagnostic;
use crate::engine;
use crate::pipeline::{self, Loaded};
use crate::program::{Budget, FileSource, Files, LoadRequest, OptionDomain, Origin};
use crate::referee::{self, Evaluator, Referee, line};
use crate::reference::Reference;
use crate::render::View;
use crate::search::{self, Memory, Player};
use crate::source::Library;

use super::error::Faults;
use super::limits::Limits;
use super::position::Position;
use super::{Error, Result};

/// The names of the shipped games, in the order of their families.
///
/// ```
/// assert!(ludex::shipped_games().any(|name| name == "tic_tac_toe"));
/// ```
pub fn shipped_games() -> impl Iterator<Item = &'static str> {
    Library::games().into_iter().map(|game| game.name)
}

/// A game with its options chosen: rules that are checked and compiled. It does not change, is cheap to clone, and
/// may be used from several threads at once.
///
/// ```
/// # fn main() -> ludex::Result<()> {
/// let game = ludex::Game::shipped("tic_tac_toe").load()?;
/// assert_eq!(game.title(), "Tic-tac-toe");
/// assert_eq!(game.players(), ["x", "o"]);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Game {
    inner: Arc<Inner>,
    limits: Limits,
}

struct Inner {
    game: engine::Game,
    rules: Reference,
    view: Arc<View>,
    /// What the computer has learned of the game and of its positions, while no search uses it.
    memory: Mutex<Option<Memory>>,
    /// What it has learned of the game, which searches at the same time share.
    learned: Mutex<Option<Memory>>,
    warnings: Faults,
    evaluator: Evaluator,
}

impl Game {
    /// A shipped game, e.g. `hex`; [`shipped_games`] has all names.
    pub fn shipped(name: impl Into<String>) -> Loader {
        Loader::new(Origin::Shipped(name.into()))
    }

    /// A rule file on disk, of at most 4 MiB. Its includes are looked for relative to it, then among the shipped files.
    pub fn path(path: impl Into<PathBuf>) -> Loader {
        Loader::new(Origin::Path(path.into()))
    }

    /// Rules from memory. They see the shipped files and those of [`Loader::files`], never the disk. `name` is that of
    /// the text in reports.
    ///
    /// ```
    /// # fn main() -> ludex::Result<()> {
    /// let rules = "
    ///     :- players first, second.
    ///     :- state left -> 0..9 = 9.
    ///     move(take(N)) :- member(N, [1, 2]), left >= N, left -= N.
    ///     lose(P) :- left =:= 0, turn(P).
    /// ";
    /// let game = ludex::Game::text("take.ludex", rules).load()?;
    /// assert_eq!(game.start().moves()?.len(), 2);
    /// # Ok(()) }
    /// ```
    pub fn text(name: impl Into<String>, text: impl Into<String>) -> Loader {
        Loader::new(Origin::Text { name: name.into(), text: text.into() })
    }

    /// The title.
    pub fn title(&self) -> &str {
        &self.inner.game.program.title
    }

    /// The rules in words, where the file has them.
    pub fn about(&self) -> Option<&str> {
        self.inner.game.program.about.as_deref()
    }

    /// The names of the players, in the order of their turns; there is at least one.
    pub fn players(&self) -> Vec<String> {
        let program = &self.inner.game.program;
        program.players.iter().map(|player| program.values.show(*player)).collect()
    }

    /// The options that can be set from outside, with the values that this game was loaded with.
    pub fn options(&self) -> Vec<GameOption> {
        let program = &self.inner.game.program;
        let show = |value| program.values.show(value);
        let open = program.options.values().filter(|option| !option.fixed);
        open.map(|option| GameOption {
            name: option.name.clone(),
            value: show(option.value),
            default: show(option.default),
            values: match &option.domain {
                OptionDomain::Values(values) => values.iter().map(|v| show(*v)).collect(),
                OptionDomain::Range(..) => Vec::new(),
            },
            range: match option.domain {
                OptionDomain::Range(least, most) => Some((least, most)),
                OptionDomain::Values(_) => None,
            },
            about: program.option_comment(option),
        })
        .collect()
    }

    /// What the checker warns of.
    pub fn warnings(&self) -> &Faults {
        &self.inner.warnings
    }

    /// The first position.
    pub fn start(&self) -> Position {
        let position = self.referee().opening();
        Position::new(self.clone(), position)
    }

    /// A position from its text, as [`Position::text`] writes it, or from a list of updates such as
    /// `[at(a1) := white, turn := black]`. It has no earlier positions.
    ///
    /// # Errors
    /// [`Error::Question`] where the text cannot be read or is no position of this game.
    pub fn position(&self, text: &str) -> Result<Position> {
        let mut referee = self.referee();
        let facts =
            line::given(&referee, "position", text).map_err(|stop| Error::of(stop, false))?;
        let position = referee.position(&facts).map_err(|stop| Error::of(stop, false))?;
        Ok(Position::new(self.clone(), position))
    }

    /// The limits of each call on this game and its positions.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The same game with other limits.
    #[must_use]
    pub fn with_limits(&self, limits: Limits) -> Game {
        Game { inner: Arc::clone(&self.inner), limits }
    }

    /// A referee for one call, which begins now.
    pub(super) fn referee(&self) -> Referee<'_> {
        self.referee_until(self.limits.until())
    }

    pub(super) fn referee_until(&self, until: Option<Instant>) -> Referee<'_> {
        let Inner { game, rules, view, evaluator, .. } = &*self.inner;
        let rules = rules.clone().with_budget(self.limits.on(Budget::REFERENCE, until));
        let budget = self.limits.on(Budget::PLAY, until);
        Referee::of(game, *evaluator, (rules, budget), Arc::clone(view))
    }

    /// Answers a question to the computer, which keeps what it learns of the game.
    pub(super) fn thinking<T>(
        &self,
        limits: search::Limits,
        think: impl FnOnce(&mut Referee<'_>) -> T,
    ) -> T {
        let memory = || self.inner.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let mut referee = self.referee();
        let free = memory().take();
        referee.memory = Some(match free {
            Some(free) => free,
            None => self.learned(&mut referee, limits),
        });
        let thought = think(&mut referee);
        *memory() = referee.memory;
        thought
    }

    /// What the computer knows of the game. It is found out once: who asks meanwhile waits for it.
    fn learned(&self, referee: &mut Referee<'_>, limits: search::Limits) -> Memory {
        let mut learned = self.inner.learned.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(learned) = &*learned {
            return learned.clone();
        }
        let mut memory = referee::memory(referee.game);
        // a rule error is told by the search itself, which meets it too
        if memory.prepare(&mut referee.session, Player::Auto, limits).is_ok() {
            *learned = Some(memory.clone());
        }
        memory
    }

    /// Whether both are one loaded game, whatever their limits.
    pub fn same_game(&self, other: &Game) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl std::fmt::Debug for Game {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Game").field("title", &self.title()).finish_non_exhaustive()
    }
}

/// An option of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GameOption {
    /// Its name.
    pub name: String,
    /// The value that the game was loaded with.
    pub value: String,
    /// The value where none is given.
    pub default: String,
    /// The values that it may have; empty where it has a range.
    pub values: Vec<String>,
    /// The least and the greatest number that it may be.
    pub range: Option<(i64, i64)>,
    /// What it decides, in the words of the rule file's comment on it.
    pub about: Option<String>,
}

/// What to load, begun by [`Game::shipped`], [`Game::path`] or [`Game::text`].
#[derive(Debug, Clone)]
#[must_use = "nothing is loaded before `load`"]
pub struct Loader {
    request: LoadRequest,
    limits: Limits,
    evaluator: Evaluator,
}

impl Loader {
    fn new(origin: Origin) -> Loader {
        Loader {
            request: LoadRequest::new(origin),
            limits: Limits::default(),
            evaluator: Evaluator::Compiled,
        }
    }

    /// Sets an option of the game. Of two values for one option the later one is taken.
    pub fn option(mut self, name: impl Into<String>, value: impl Display) -> Loader {
        let name = name.into();
        self.request.options.retain(|(other, _)| *other != name);
        self.request.options.push((name, value.to_string()));
        self
    }

    /// What rules from memory may include beside the shipped files.
    ///
    /// ```
    /// # use std::collections::BTreeMap;
    /// # fn main() -> ludex::Result<()> {
    /// let base = ":- players one.\n:- state done -> 0..1 = 0.\nmove(go) :- done =:= 0, done := 1.\n";
    /// let files = BTreeMap::from([("base.ludex".to_string(), base.to_string())]);
    /// let rules = ":- variant_of \"base\".\nwin(P) :- done =:= 1, player(P).";
    /// let game = ludex::Game::text("mine.ludex", rules).files(files).load()?;
    /// let mut at = game.start();
    /// at.play("go")?;
    /// assert_eq!(at.outcome()?.map(|end| end.winners), Some(vec!["one".to_string()]));
    /// # Ok(()) }
    /// ```
    pub fn files(mut self, files: impl Files + 'static) -> Loader {
        self.request.files = Some(FileSource::new(files));
        self
    }

    /// The limits of loading, and of each later call on the game and its positions.
    pub fn limits(mut self, limits: Limits) -> Loader {
        self.limits = limits;
        self
    }

    /// Never makes machine code of these rules. Answers are the same; long searches are slower.
    pub fn interpreted(mut self) -> Loader {
        self.evaluator = Evaluator::Interpreted;
        self
    }

    /// Checks and compiles the rules.
    ///
    /// # Errors
    /// [`Error::Request`]: no such game, option or value. [`Error::Rules`]: the rules have errors.
    /// [`Error::Limit`]: they take too long.
    pub fn load(self) -> Result<Game> {
        let Loaded { game, warnings } =
            pipeline::load(&self.bounded()).map_err(|failure| Error::loading(&failure))?;
        let rules = Reference::new(Arc::clone(&game.program), Arc::clone(&game.tables));
        let view = Arc::new(View::new(&game));
        let warnings = Faults::of(&game.program.sources, &warnings);
        let inner = Inner {
            game,
            rules,
            view,
            memory: Mutex::new(None),
            learned: Mutex::new(None),
            warnings,
            evaluator: self.evaluator,
        };
        Ok(Game { inner: Arc::new(inner), limits: self.limits })
    }

    /// What `ludex check` says of the rules.
    ///
    /// # Errors
    /// [`Error::Request`] where there is no such game, option or value, [`Error::Limit`] where they take too long.
    pub fn check(self) -> Result<Report> {
        match pipeline::load(&self.bounded()) {
            Ok(Loaded { game, warnings }) => {
                let faults = Faults::of(&game.program.sources, &warnings);
                Ok(Report { faults, part: false })
            }
            Err(mut failure) => {
                let before = failure.diagnostics.len();
                failure.diagnostics.retain(|d| d.code != "not-a-game");
                let part = failure.diagnostics.len() < before;
                let wrong = failure.diagnostics.iter().any(Diagnostic::is_error);
                if part && !wrong {
                    let faults = Faults::of(&failure.sources, &failure.diagnostics);
                    return Ok(Report { faults, part });
                }
                match Error::loading(&failure) {
                    Error::Rules(faults) => Ok(Report { faults, part }),
                    other => Err(other),
                }
            }
        }
    }

    fn bounded(&self) -> LoadRequest {
        let budget = self.limits.on(Budget::STATIC, self.limits.until());
        LoadRequest { budget, ..self.request.clone() }
    }
}

/// What the checker says of rules.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Errors and warnings.
    pub faults: Faults,
    /// The rules are a part that games include, such as a board, and not a game.
    pub part: bool,
}

impl Report {
    /// Whether there is no error.
    pub fn is_ok(&self) -> bool {
        self.faults.iter().all(|fault| !fault.is_error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str = ":- players a, b.\n:- state n -> 0..21 = 0.\n\
                         move(add(I)) :- I in 1..3, n(N), M is N + I, M =< 21, n := M.\nlose(P) :- n(21), turn(P).\n";

    #[test]
    fn searches_at_the_same_time_learn_the_game_once() {
        let game = Game::text("rules", RULES).interpreted().load().expect("good rules");
        let limits = search::Limits { time: None, playouts: Some(10) };
        let ready = |referee: &Referee<'_>| referee.memory.as_ref().is_some_and(Memory::is_ready);
        game.thinking(limits, |first| {
            assert!(ready(first));
            let learned = || game.inner.learned.lock().unwrap_or_else(PoisonError::into_inner);
            assert!(learned().as_ref().is_some_and(Memory::is_ready));
            // the first one has its memory still
            assert!(game.inner.memory.lock().unwrap_or_else(PoisonError::into_inner).is_none());
            game.thinking(limits, |second| assert!(ready(second)));
        });
    }
}
