//! The shipped games: a list, and a page for each with its picture, the rules in words and what starts it.

use std::collections::BTreeMap;
use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{Html, IntoResponse, Response};

use crate::api::{Game, GameOption};
use crate::source::Library;

use super::super::Server;
use super::super::account::Account;
use super::super::catalogue::{Catalogue, Listed, Solved, shipped};
use super::super::clock::Pace;
use super::super::failure::{Failure, Outcome, sentence};
use super::super::store::Rules;
use super::super::table::STRENGTHS;
use super::super::visit::Visit;
use super::{Frame, page};

/// The level of the computer that a form begins with.
pub const USUAL_STRENGTH: i64 = 4;

/// What the page of a game tells while the game is being solved.
const BEING_SOLVED: &str = "The server is finding out whether the game is small enough to be solved: load the page again in a few seconds.";

/// What a form for a challenge needs.
pub struct Form {
    pub csrf: String,
    /// The visitor may play.
    pub known: bool,
    pub game: String,
    /// The hash of a shared text.
    pub text: Option<String>,
    pub players: Vec<String>,
    pub options: Vec<Choice>,
    /// Who is here and can be asked.
    pub people: Vec<Account>,
    pub strengths: std::ops::RangeInclusive<i64>,
    pub usual_strength: i64,
    /// The clocks to choose from: as the form sends them, and in words.
    pub clocks: Vec<(String, String)>,
}

/// An option of a game as a form shows it.
pub struct Choice {
    pub name: String,
    pub value: String,
    pub values: Vec<String>,
    pub range: Option<(i64, i64)>,
    /// What it decides, in words.
    pub about: Option<String>,
}

impl Form {
    pub fn new(server: &Server, visit: &Visit, rules: &Rules, game: &Game) -> Form {
        let own = visit.account.as_ref().map(|account| account.id);
        let free = |account: &Account| {
            Some(account.id) != own && server.tables.engaged(account.id).is_none()
        };
        let choice = |option: GameOption| Choice {
            name: option.name,
            value: option.value,
            values: option.values,
            range: option.range,
            about: option.about,
        };
        Form {
            csrf: visit.csrf(),
            known: own.is_some(),
            game: rules.game.clone(),
            text: rules.text.clone(),
            players: game.players(),
            options: game.options().into_iter().map(choice).collect(),
            people: server.lobby.here().into_iter().filter(free).collect(),
            strengths: STRENGTHS,
            usual_strength: USUAL_STRENGTH,
            clocks: Pace::usual().map(|pace| (pace.text(), pace.told())).collect(),
        }
    }
}

/// A family of games.
struct Family {
    name: String,
    games: Vec<Listed>,
}

#[derive(Template)]
#[template(path = "games.html")]
struct GamesPage {
    frame: Frame,
    families: Vec<Family>,
}

#[derive(Template)]
#[template(path = "game.html")]
struct GamePage {
    frame: Frame,
    name: &'static str,
    family: String,
    about: String,
    form: Form,
    /// The examples of the rule file, and whether there is a picture.
    examples: Vec<(String, bool)>,
    /// What the game and its first moves come to, or why that is not known.
    exact: String,
    /// The table at the beginning of the report, in HTML.
    glance: Option<&'static str>,
    source: &'static str,
}

pub async fn all(visit: Visit) -> Outcome<Response> {
    let mut families: BTreeMap<&str, Vec<Listed>> = BTreeMap::new();
    for game in Catalogue::listed() {
        families.entry(game.family).or_default().push(game);
    }
    let family = |(name, games): (&str, Vec<Listed>)| Family { name: capital(name), games };
    let families = families.into_iter().map(family).collect();
    page(&GamesPage { frame: Frame::new(&visit, "Games"), families })
}

pub async fn one(
    State(server): State<Arc<Server>>,
    visit: Visit,
    Path(name): Path<String>,
) -> Outcome<Response> {
    let name = shipped(&name)?;
    let rules = Rules { game: name.to_string(), text: None, options: BTreeMap::new() };
    let game = server.game(&rules, &visit.owner()).await?;
    // the pictures are loaded after the page, since they take longer
    let listed = game.clone();
    let examples = server.quick.run(&visit.owner(), move || listed.example_list()).await?;
    let exact = match server.catalogue.solved(&rules) {
        Some(Solved::Values(exact)) => {
            let start = game.start();
            let valued = server.quick.run(&visit.owner(), move || exact.of(&start)).await??;
            valued.map_or_else(String::new, |valued| {
                sentence(&format!("{}: {}", valued.told(), valued.moves_told()))
            })
        }
        Some(Solved::Never(why)) => sentence(&format!("no exact values are known: {why}")),
        Some(Solved::Failed(why, _)) => format!(
            "{} The server tries again in a few minutes.",
            sentence(&format!("no exact values are known yet: {why}"))
        ),
        Some(Solved::Working) => BEING_SOLVED.to_string(),
        None => {
            server.begin_to_solve(&rules);
            BEING_SOLVED.to_string()
        }
    };
    let file = Library::game(name);
    let frame = Frame::new(&visit, game.title());
    page(&GamePage {
        frame,
        name,
        family: capital(file.map_or("", |file| file.family)),
        about: game.about().unwrap_or("").to_string(),
        form: Form::new(&server, &visit, &rules, &game),
        examples,
        exact,
        glance: Library::report(name).and_then(glance),
        source: file.map_or("", |file| file.text),
    })
}

pub async fn board(
    State(server): State<Arc<Server>>,
    visit: Visit,
    Path(name): Path<String>,
) -> Outcome<Response> {
    let Some(svg) = server.picture(&name, &visit.owner()).await? else {
        return Err(Failure::missing(format!("`{name}` has no board")));
    };
    let headers = [(CONTENT_TYPE, "image/svg+xml"), (CACHE_CONTROL, "public, max-age=3600")];
    Ok((headers, svg.to_string()).into_response())
}

/// The picture of an example, which the page of the game counts from 1.
pub async fn example(
    State(server): State<Arc<Server>>,
    visit: Visit,
    Path((name, number)): Path<(String, usize)>,
) -> Outcome<Response> {
    let examples = server.examples(&name, &visit.owner()).await?;
    let example = number.checked_sub(1).and_then(|number| examples.get(number));
    let Some(svg) = example.and_then(|example| example.svg.clone()) else {
        return Err(Failure::missing(format!("`{name}` has no picture of an example {number}")));
    };
    Ok(([(CONTENT_TYPE, "image/svg+xml"), (CACHE_CONTROL, "public, max-age=3600")], svg)
        .into_response())
}

/// A report before its styles, the styles, and what is behind them.
fn parts(name: &str) -> Outcome<(&'static str, &'static str, &'static str)> {
    let report = Library::report(shipped(name)?);
    let split = report.and_then(|report| {
        let (head, rest) = report.split_once("<style>")?;
        let (styles, body) = rest.split_once("</style>")?;
        Some((head, styles, body))
    });
    split.ok_or_else(|| Failure::missing(format!("there is no report on `{name}`")))
}

/// The report on a game. Its styles are a file of their own, since the content security policy allows none in a page.
pub async fn report(Path(name): Path<String>) -> Outcome<Response> {
    let (head, _, body) = parts(&name)?;
    let link = format!("<link rel=\"stylesheet\" href=\"/games/{name}/report.css\">");
    Ok(Html([head, &link, body].concat()).into_response())
}

pub async fn report_styles(Path(name): Path<String>) -> Outcome<Response> {
    let headers =
        [(CONTENT_TYPE, "text/css; charset=utf-8"), (CACHE_CONTROL, "public, max-age=3600")];
    Ok((headers, parts(&name)?.1).into_response())
}

/// The first table of a report.
fn glance(report: &'static str) -> Option<&'static str> {
    let from = report.find("<table>")?;
    let length = report[from..].find("</table>")? + "</table>".len();
    report.get(from..from + length)
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters
        .next()
        .map_or_else(String::new, |first| format!("{}{}", first.to_uppercase(), letters.as_str()))
}
