//! Loaded games, which tables of the same rules and options share, and the pictures of the shipped ones.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::api::{
    Exact, Game, Limits, Position, SOLVING_TIME, ShownExample, Unsolved, shipped_games,
};
use crate::source::Library;

use super::Server;
use super::failure::{Failure, Outcome};
use super::limits::Owner;
use super::pool::Pool;
use super::store::Rules;

/// The most loaded games that are kept.
const MOST: usize = 64;
/// The most games whose exact values are kept.
const MOST_SOLVED: usize = 16;
/// How long the server waits after a failure before it tries again to solve a game.
const AGAIN: Duration = Duration::from_secs(300);
/// The longest text of rules, in bytes.
pub const LONGEST_TEXT: usize = 200_000;
/// The time for one call on a shipped game, and on a stranger's.
const SHIPPED: Duration = Duration::from_secs(10);
const STRANGE: Duration = Duration::from_secs(3);
/// The most steps and answers for a stranger's rules.
const STEPS: u64 = 10_000_000;
const ANSWERS: usize = 200_000;

/// The limits of a call on rules that a visitor has written.
pub fn strange_limits() -> Limits {
    Limits::default().time(STRANGE).steps(STEPS).answers(ANSWERS)
}

/// A position with the limits of a piece of work that begins now: all calls on a visitor's rules share one time.
pub fn limited(at: &Position, rules: &Rules) -> Position {
    at.with_limits(match rules.text {
        Some(_) => strange_limits().deadline(Instant::now() + STRANGE),
        None => Limits::default().time(SHIPPED),
    })
}

/// Loaded games.
pub struct Catalogue {
    games: Mutex<BTreeMap<Rules, (Game, u64)>>,
    pictures: Mutex<BTreeMap<&'static str, Arc<str>>>,
    examples: Mutex<BTreeMap<&'static str, Arc<[ShownExample]>>>,
    solved: Mutex<BTreeMap<Rules, Solved>>,
}

/// What is known of the exact values of a game.
#[derive(Clone)]
pub enum Solved {
    Values(Arc<Exact>),
    /// They are being found.
    Working,
    /// There are none, and why.
    Never(String),
    /// They were not found, and why; from this time on it is tried again.
    Failed(String, Instant),
}

impl Solved {
    fn of(found: Outcome<Result<Exact, Unsolved>>) -> Solved {
        let failed = |why: String| Solved::Failed(why, Instant::now() + AGAIN);
        match found {
            Ok(Ok(exact)) => Solved::Values(Arc::new(exact)),
            Ok(Err(Unsolved::Never(why))) => Solved::Never(why),
            Ok(Err(Unsolved::Late)) => {
                failed(format!("they were not found within {} seconds", SOLVING_TIME.as_secs()))
            }
            Err(failure) => failed(failure.sentence),
        }
    }
}

/// A shipped game as lists show it.
#[derive(Debug, Clone)]
pub struct Listed {
    pub name: &'static str,
    pub family: &'static str,
    pub title: String,
}

impl Catalogue {
    pub fn new() -> Catalogue {
        Catalogue {
            games: Mutex::default(),
            pictures: Mutex::default(),
            examples: Mutex::default(),
            solved: Mutex::default(),
        }
    }

    fn known(&self, rules: &Rules) -> Option<Game> {
        let mut games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        let last = games.values().map(|(_, used)| *used).max().unwrap_or(0);
        let (game, used) = games.get_mut(rules)?;
        *used = last + 1;
        Some(game.clone())
    }

    fn keep(&self, rules: &Rules, game: &Game) {
        let mut games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        let last = games.values().map(|(_, used)| *used).max().unwrap_or(0);
        games.insert(rules.clone(), (game.clone(), last + 1));
        while games.len() > MOST {
            let oldest = games.iter().min_by_key(|(_, (_, used))| *used);
            let Some(oldest) = oldest.map(|(rules, _)| rules.clone()) else { break };
            games.remove(&oldest);
        }
    }

    /// What is known of the exact values of a game; `None` where it is time to find them.
    pub fn solved(&self, rules: &Rules) -> Option<Solved> {
        let solved = self.solved.lock().unwrap_or_else(PoisonError::into_inner);
        let due =
            |known: &Solved| matches!(known, Solved::Failed(_, again) if *again <= Instant::now());
        solved.get(rules).filter(|known| !due(known)).cloned()
    }

    fn keep_solved(&self, rules: &Rules, known: Solved) {
        let mut solved = self.solved.lock().unwrap_or_else(PoisonError::into_inner);
        let large = solved.values().filter(|known| matches!(known, Solved::Values(_))).count();
        if large >= MOST_SOLVED || solved.len() >= 16 * MOST_SOLVED {
            solved.clear();
        }
        solved.insert(rules.clone(), known);
    }

    /// The title of some rules.
    pub fn title(&self, rules: &Rules) -> String {
        match (self.known(rules), Library::game(&rules.game)) {
            (Some(game), _) => game.title().to_string(),
            (None, Some(file)) if rules.text.is_none() => title(file.text, file.name),
            _ => "their own rules".to_string(),
        }
    }

    /// The shipped games, in the order of their families.
    pub fn listed() -> Vec<Listed> {
        let files = Library::games().into_iter();
        files
            .map(|file| Listed {
                name: file.name,
                family: file.family,
                title: title(file.text, file.name),
            })
            .collect()
    }
}

/// The name of a shipped game as it is kept for the length of the program.
pub fn shipped(name: &str) -> Outcome<&'static str> {
    shipped_games().find(|known| *known == name).ok_or_else(|| {
        Failure::missing(format!("no game is called `{name}`: see the list of games"))
    })
}

/// The title that a rule file gives itself.
fn title(text: &str, name: &str) -> String {
    let quoted = text.lines().find_map(|line| line.strip_prefix(":- game \"")?.split('"').next());
    quoted.map_or_else(|| name.replace('_', " "), str::to_string)
}

impl Server {
    /// The pool for moves and positions by some rules: those of visitors, which may be slow, never hold up shipped games.
    pub fn pool(&self, rules: &Rules) -> &Pool {
        match rules.text {
            Some(_) => &self.slow,
            None => &self.quick,
        }
    }

    /// The loaded game of some rules.
    pub async fn game(&self, rules: &Rules, owner: &Owner) -> Outcome<Game> {
        if let Some(game) = self.catalogue.known(rules) {
            return Ok(game);
        }
        let loader = match &rules.text {
            Some(hash) => {
                let Some(text) = self.store.text(hash).await? else {
                    return Err(Failure::missing("there are no rules of this address"));
                };
                // what strangers write never becomes machine code
                Game::text("rules", text).interpreted().limits(strange_limits())
            }
            None => Game::shipped(shipped(&rules.game)?).limits(Limits::default().time(SHIPPED)),
        };
        let set = |loader: crate::api::Loader, (name, value): (&String, &String)| {
            loader.option(name, value)
        };
        let loader = rules.options.iter().fold(loader, set);
        let game = self.pool(rules).run(owner, move || loader.load()).await??;
        self.catalogue.keep(rules, &game);
        Ok(game)
    }

    /// The examples of a shipped game, with their pictures.
    pub async fn examples(&self, name: &str, owner: &Owner) -> Outcome<Arc<[ShownExample]>> {
        let name = shipped(name)?;
        let known = || self.catalogue.examples.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known().get(name).cloned() {
            return Ok(known);
        }
        let rules = Rules { game: name.to_string(), text: None, options: BTreeMap::new() };
        let game = self.game(&rules, owner).await?;
        let examples = self.slow.run(owner, move || game.examples()).await??;
        let examples: Arc<[ShownExample]> = examples.into();
        known().insert(name, Arc::clone(&examples));
        Ok(examples)
    }

    /// Begins to solve a game of which it is not known yet whether it is small enough; no visitor pays for it.
    pub fn begin_to_solve(self: &Arc<Server>, rules: &Rules) {
        self.catalogue.keep_solved(rules, Solved::Working);
        let (server, rules) = (Arc::clone(self), rules.clone());
        tokio::spawn(async move {
            let found = match server.game(&rules, &Owner::Server).await {
                Ok(game) => server.patient.run(&Owner::Server, move || game.exact()).await,
                Err(failure) => Err(failure),
            };
            server.catalogue.keep_solved(&rules, Solved::of(found));
        });
    }

    /// The exact values of a shipped game that is small enough, which are found when they are first asked for.
    pub async fn exact(&self, rules: &Rules, owner: &Owner) -> Outcome<Option<Arc<Exact>>> {
        if rules.text.is_some() {
            return Ok(None);
        }
        let known = match self.catalogue.solved(rules) {
            Some(known) => known,
            None => {
                let game = self.game(rules, owner).await?;
                let found = self.slow.run(owner, move || game.exact()).await?;
                let found = Solved::of(Ok(found));
                self.catalogue.keep_solved(rules, found.clone());
                found
            }
        };
        Ok(match known {
            Solved::Values(exact) => Some(exact),
            Solved::Working | Solved::Never(_) | Solved::Failed(..) => None,
        })
    }

    /// The picture of a shipped game's first position; `None` for a game without a board.
    pub async fn picture(&self, name: &str, owner: &Owner) -> Outcome<Option<Arc<str>>> {
        let name = shipped(name)?;
        let pictures = || self.catalogue.pictures.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = pictures().get(name).cloned() {
            return Ok(Some(known));
        }
        let rules = Rules { game: name.to_string(), text: None, options: BTreeMap::new() };
        let game = self.game(&rules, owner).await?;
        let drawn = self.quick.run(owner, move || game.start().svg());
        let Some(svg) = drawn.await?? else { return Ok(None) };
        let svg: Arc<str> = svg.into();
        pictures().insert(name, Arc::clone(&svg));
        Ok(Some(svg))
    }
}
