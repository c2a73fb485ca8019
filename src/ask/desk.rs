//! Open games, and the answers to requests about them.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value as Json};

use crate::api::{Game, Limits, Loader, Position, Sample, Search, shipped_games};
use crate::program::Origin;
use crate::search::Strength;

use super::VERSION;
use super::answer::{
    Answer, ClauseAnswer, GameAnswer, MoveAnswer, PositionAnswer, Problem, RatedAnswer,
    ShownAnswer, fault, value,
};
use super::request::{Format, Request, Rules};

/// The longest request, in bytes.
pub const LONGEST_LINE: usize = 1 << 20;
/// The most games that may be open at a time.
pub const MOST_OPEN: usize = 1_000;
/// The time for a request where none is given, in seconds.
const SECONDS: u64 = 10;
/// The time of a search where the request gives no limit, in seconds.
const THOUGHT: f64 = 1.0;
/// The most answers to a query.
const MOST_ANSWERS: usize = 10_000;
/// The most random games of a search.
const MOST_PLAYOUTS: u64 = 1_000_000_000;
/// The most random games that are played to study rules.
const MOST_GAMES: u64 = 10_000;
/// The widths of a drawing.
const WIDTHS: std::ops::RangeInclusive<usize> = 10..=1_000;
/// The name of a text in reports.
const RULES: &str = "rules";

type Answered = Result<Answer, Problem>;

/// Keeps open games and answers requests. A handle is never given twice.
#[derive(Debug)]
pub struct Desk {
    open: BTreeMap<u64, Open>,
    /// The last handle that was given.
    last: u64,
    limits: Limits,
    /// The longest time of a request.
    time: Duration,
}

#[derive(Debug)]
struct Open {
    position: Position,
    /// The rules and options that were asked for.
    key: String,
}

impl Default for Desk {
    fn default() -> Desk {
        Desk::new()
    }
}

impl Desk {
    /// A desk without open games, where each request may take ten seconds.
    pub fn new() -> Desk {
        let desk = Desk {
            open: BTreeMap::new(),
            last: 0,
            limits: Limits::default(),
            time: Duration::ZERO,
        };
        desk.within(Duration::from_secs(SECONDS))
    }

    /// The same desk with another limit of time for each request.
    #[must_use]
    pub fn within(self, time: Duration) -> Desk {
        Desk { limits: self.limits.time(time), time, ..self }
    }

    /// The same desk with other limits of steps and memory for each request; the time stays.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Desk {
        Desk { limits: limits.time(self.time), ..self }
    }

    /// How many games are open.
    pub fn open_games(&self) -> usize {
        self.open.len()
    }

    /// Answers a request.
    pub fn ask(&mut self, request: &Request) -> Answer {
        self.answer(request).unwrap_or_else(Answer::Error)
    }

    /// Answers a request written as a JSON object, as one line of JSON without its end. Its fields `id`, which the
    /// answer repeats, and `v`, the version, may be left out.
    pub fn ask_json(&mut self, line: &str) -> String {
        let mut id = None;
        let answer = match read(line, &mut id) {
            Ok(request) => self.ask(&request),
            Err(problem) => Answer::Error(problem),
        };
        let mut whole = Map::new();
        if let Some(id) = id {
            whole.insert("id".to_string(), id);
        }
        whole.insert("v".to_string(), VERSION.into());
        // the order of the fields is that of the declaration
        let head = Json::Object(whole).to_string();
        let body = serde_json::to_string(&answer).unwrap_or_else(|_| "{}".to_string());
        format!("{},{}", &head[..head.len() - 1], &body[1..])
    }

    fn answer(&mut self, request: &Request) -> Answered {
        Ok(match request {
            Request::Hello {} => {
                Answer::Hello { version: env!("CARGO_PKG_VERSION"), protocol: VERSION }
            }
            Request::Games {} => Answer::Games { games: shipped_games().collect() },
            Request::Open { game, rules, options, files, position, moves } => {
                let rules =
                    Rules { game: game.as_deref(), rules: rules.as_deref(), options, files };
                self.open_game(&rules, position.as_deref(), moves.as_deref())?
            }
            Request::Copy { at } => {
                let open = self.find(*at)?;
                let (position, key) = (open.position.clone(), open.key.clone());
                Answer::Copied { at: self.keep(position, key)? }
            }
            Request::Close { at } => {
                self.find(*at)?;
                self.open.remove(at);
                Answer::Closed {}
            }
            Request::Position { at } => {
                let at = &self.find(*at)?.position;
                Answer::Position {
                    position: PositionAnswer::of(at)?,
                    text: at.text()?,
                    history: at.history().iter().map(MoveAnswer::of).collect(),
                }
            }
            Request::Moves { at } => {
                let moves = self.find(*at)?.position.moves()?;
                Answer::Moves {
                    chance: moves.first().is_some_and(|mv| mv.is_chance()),
                    moves: moves.iter().map(MoveAnswer::of).collect(),
                }
            }
            Request::Play { at, mv } => self.played(*at, |at| Ok(vec![at.play(mv)?]))?,
            Request::PlayLine { at, moves } => self.played(*at, |at| at.play_line(moves))?,
            Request::Chance { at, seed } => {
                self.played(*at, |at| Ok(at.draw_chance(*seed)?.into_iter().collect()))?
            }
            Request::Undo { at } => {
                let open = self.find_mut(*at)?;
                let mut before = open.position.clone();
                let mv = before.undo().map(|mv| MoveAnswer::of(&mv));
                let position = PositionAnswer::of(&before)?;
                open.position = before;
                Answer::Undone { mv, position }
            }
            Request::Query { at, goal, most } => {
                if !(1..=MOST_ANSWERS).contains(most) {
                    let text = format!("`most` is a number from 1 to {MOST_ANSWERS}");
                    return Err(Problem::new("ask", text));
                }
                let (answers, whole) = self.find(*at)?.position.query_first(goal, *most)?;
                let named = answers.iter().map(|answer| {
                    let pairs = answer.iter().map(|(name, v)| (name.to_string(), value(v)));
                    Json::Object(pairs.collect())
                });
                Answer::Answers { answers: named.collect(), whole }
            }
            Request::Why { at, what } => {
                let why = self.find(*at)?.position.why(what)?;
                Answer::Why { text: why.to_string(), why: why.to_json().clone() }
            }
            Request::Best { at, seconds, playouts, seed, player, strength } => {
                let search = self.search(*seconds, *playouts)?.seed(*seed);
                let search = by_whom(search, player.as_deref(), *strength)?;
                match self.find(*at)?.position.best(search)? {
                    Some(best) => Answer::Best {
                        best: Some(MoveAnswer::of(&best.mv)),
                        reason: best.reason,
                        playouts: best.playouts,
                    },
                    None => {
                        let reason = "no player is to move".to_string();
                        Answer::Best { best: None, reason, playouts: 0 }
                    }
                }
            }
            Request::Analyse { at, seconds, playouts, seed, player, strength } => {
                let search = self.search(*seconds, *playouts)?.seed(*seed);
                let search = by_whom(search, player.as_deref(), *strength)?;
                let rated = self.find(*at)?.position.analyse(search)?;
                Answer::Analysis { moves: rated.iter().map(RatedAnswer::of).collect() }
            }
            Request::Check { game, rules, options, files } => {
                let rules =
                    Rules { game: game.as_deref(), rules: rules.as_deref(), options, files };
                let report = self.loader(&rules)?.check()?;
                Answer::Checked {
                    ok: report.is_ok(),
                    part: report.part,
                    faults: report.faults.iter().map(fault).collect(),
                }
            }
            Request::Perft { at, depth } => {
                let count = self.find(*at)?.position.perft(*depth)?;
                Answer::Perft { depth: *depth, count }
            }
            Request::Cover { at, games, seed } => {
                let found = self.studied(*at, *games)?.coverage(*games as usize, *seed)?;
                Answer::Covered {
                    clauses: found.clauses,
                    games: found.playouts,
                    positions: found.positions,
                    complete: found.complete,
                    never: found.never.iter().map(ClauseAnswer::of).collect(),
                    shadowed: found.shadowed.iter().map(ClauseAnswer::of).collect(),
                }
            }
            Request::Sample { at, games, seed } => {
                let Sample { games, unfinished, length, branching, wins, draws } =
                    self.studied(*at, *games)?.sample(*games, *seed)?;
                Answer::Sampled { games, unfinished, length, branching, wins, draws }
            }
            Request::Show { at } => {
                Answer::Shown(Box::new(ShownAnswer::of(&self.find(*at)?.position)?))
            }
            Request::Render { at, format, width } => {
                if !WIDTHS.contains(width) {
                    let (least, most) = (WIDTHS.start(), WIDTHS.end());
                    let text = format!("`width` is a number from {least} to {most}");
                    return Err(Problem::new("ask", text));
                }
                let at = &self.find(*at)?.position;
                Answer::Rendered {
                    picture: match format {
                        Format::Text => Some(at.draw(*width)?),
                        Format::Svg => at.svg()?,
                    },
                }
            }
        })
    }

    /// The game of which random games are played.
    fn studied(&self, at: u64, games: u64) -> Result<&Game, Problem> {
        if !(1..=MOST_GAMES).contains(&games) {
            return Err(Problem::new("ask", format!("`games` is a number from 1 to {MOST_GAMES}")));
        }
        Ok(self.find(at)?.position.game())
    }

    fn open_game(
        &mut self,
        rules: &Rules<'_>,
        position: Option<&str>,
        moves: Option<&str>,
    ) -> Answered {
        let key = format!("{rules:?}");
        // the same rules and options are loaded once
        let known = self.open.values().find(|open| open.key == key);
        let game = match known {
            Some(open) => open.position.game().clone(),
            None => self.loader(rules)?.load()?,
        };
        let mut at = match position {
            Some(text) => game.position(text)?,
            None => game.start(),
        };
        if let Some(moves) = moves {
            at.play_line(moves)?;
        }
        let position = PositionAnswer::of(&at)?;
        let at = self.keep(at, key)?;
        Ok(Answer::Opened { at, game: GameAnswer::of(&game), position })
    }

    fn loader(&self, rules: &Rules<'_>) -> Result<Loader, Problem> {
        let mut loader = match (rules.game, rules.rules) {
            (Some(name), None) if matches!(Origin::of(name), Origin::Path(_)) => {
                let message =
                    "`game` is the name of a shipped game; give the text of a rule file as `rules`";
                return Err(Problem::new("request", message));
            }
            (Some(name), None) => Game::shipped(name),
            // what strangers write never becomes machine code
            (None, Some(text)) => Game::text(RULES, text).files(rules.files.clone()).interpreted(),
            _ => return Err(Problem::new("ask", "give either `game` or `rules`")),
        };
        for (name, setting) in rules.options {
            loader = loader.option(name, setting);
        }
        Ok(loader.limits(self.limits))
    }

    fn played(
        &mut self,
        at: u64,
        play: impl FnOnce(&mut Position) -> crate::api::Result<Vec<crate::api::Move>>,
    ) -> Answered {
        let open = self.find_mut(at)?;
        // a rule error met behind the move leaves the game as it was
        let mut next = open.position.clone();
        let moves = play(&mut next)?;
        let position = PositionAnswer::of(&next)?;
        open.position = next;
        Ok(Answer::Played { moves: moves.iter().map(MoveAnswer::of).collect(), position })
    }

    fn search(&self, seconds: Option<f64>, playouts: Option<u64>) -> Result<Search, Problem> {
        let longest = self.time.as_secs_f64();
        let seconds = match (seconds, playouts) {
            (Some(s), _) if s > 0.0 && s <= longest => s,
            (Some(_), _) => {
                let text = format!("`seconds` is a number above 0, at most {longest}");
                return Err(Problem::new("ask", text));
            }
            (None, Some(_)) => longest,
            (None, None) => THOUGHT.min(longest),
        };
        let time = Duration::from_secs_f64(seconds);
        match playouts {
            Some(1..=MOST_PLAYOUTS) => Ok(Search::playouts(playouts.unwrap_or(1)).within(time)),
            Some(_) => {
                let text = format!("`playouts` is a number from 1 to {MOST_PLAYOUTS}");
                Err(Problem::new("ask", text))
            }
            None => Ok(Search::time(time)),
        }
    }

    fn keep(&mut self, position: Position, key: String) -> Result<u64, Problem> {
        if self.open.len() >= MOST_OPEN {
            let text = format!("{MOST_OPEN} games are open: close one first");
            return Err(Problem::new("full", text));
        }
        self.last += 1;
        self.open.insert(self.last, Open { position, key });
        Ok(self.last)
    }

    fn find(&self, at: u64) -> Result<&Open, Problem> {
        self.open.get(&at).ok_or_else(|| self.no_handle(at))
    }

    fn find_mut(&mut self, at: u64) -> Result<&mut Open, Problem> {
        let missing = self.no_handle(at);
        self.open.get_mut(&at).ok_or(missing)
    }

    fn no_handle(&self, at: u64) -> Problem {
        let closed = (1..=self.last).contains(&at);
        let what = if closed { "is closed" } else { "was never opened" };
        Problem::new("handle", format!("game {at} {what}"))
    }
}

/// Reads a request, and its `id` also where the rest is wrong.
fn read(line: &str, id: &mut Option<Json>) -> Result<Request, Problem> {
    if line.len() > LONGEST_LINE {
        let text = format!("a request has at most {LONGEST_LINE} bytes");
        return Err(Problem::new("json", text));
    }
    let wrong = |error: serde_json::Error| Problem::new("json", format!("not JSON: {error}"));
    let Json::Object(mut fields) = serde_json::from_str(line).map_err(wrong)? else {
        return Err(Problem::new("json", "a request is a JSON object"));
    };
    *id = fields.remove("id");
    match fields.remove("v") {
        None => {}
        Some(version) if version == VERSION => {}
        Some(version) => {
            let text = format!("version {version} is not spoken here, only {VERSION}");
            return Err(Problem::new("version", text));
        }
    }
    serde_json::from_value(Json::Object(fields))
        .map_err(|error| Problem::new("ask", error.to_string()))
}

/// The search by a player or at a level of strength, where one is named.
fn by_whom(search: Search, player: Option<&str>, strength: Option<u8>) -> Result<Search, Problem> {
    match (player, strength) {
        (Some(_), Some(_)) => Err(Problem::new("ask", "give `player` or `strength`, not both")),
        (Some(name), None) => search.player(name).ok_or_else(|| {
            let names = Search::players().collect::<Vec<_>>().join("`, `");
            Problem::new("ask", format!("there is no player `{name}`; there are `{names}`"))
        }),
        (None, Some(level)) if Strength::RANGE.contains(&level) => Ok(search.strength(level)),
        (None, Some(_)) => {
            let levels = Strength::RANGE;
            let (least, most) = (levels.start(), levels.end());
            Err(Problem::new("ask", format!("`strength` is a number from {least} to {most}")))
        }
        (None, None) => Ok(search),
    }
}
