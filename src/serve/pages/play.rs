//! The page of a game: the board, moves, offers, chat, a look back, hints and reasons.

use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Json, Response};
use futures_util::stream::unfold;
use serde_json::json;

use crate::api::Search;
use crate::ask::ShownAnswer;

use super::super::Server;
use super::super::account::Account;
use super::super::catalogue::limited;
use super::super::clock;
use super::super::failure::{Failure, Outcome, sentence};
use super::super::limits::Deed;
use super::super::lobby::Presence;
use super::super::posted::Posted;
use super::super::table::{Offer, Onlooker, Played, Table, View};
use super::super::visit::Visit;
use super::{Frame, go, page as written};

/// The longest question or move, in bytes.
const LONGEST_TEXT: usize = 2_000;
/// How long the computer thinks about a hint.
const HINT: Duration = Duration::from_secs(2);

/// A line of the notation.
struct Line {
    number: usize,
    who: String,
    notation: String,
    /// The position after it is the one that is shown.
    is_shown: bool,
}

#[derive(Template)]
#[template(path = "play.html")]
struct PlayPage {
    frame: Frame,
    id: i64,
    /// Where the rules are told.
    rules: String,
    /// The options that differ from the usual ones.
    options: String,
    /// The viewer sits at the table.
    plays: bool,
    /// There are no other people, so the computer may help.
    alone: bool,
    ended: bool,
    /// The game that these players have begun after this one.
    next: Option<i64>,
    /// Who plays whom.
    seats: Vec<String>,
    told: Vec<String>,
    svg: String,
    text: String,
    beside: Vec<String>,
    history: Vec<Line>,
    /// Who said what.
    chat: Arc<Vec<(String, String)>>,
    ply: usize,
    /// The number of moves before the position that is looked back at; empty for the last one.
    back: String,
    /// The number of moves before the position that is shown.
    here: usize,
    /// What the rules or the computer have answered to a form.
    reason: String,
    /// In JSON, without the picture that the page has in its board.
    state: String,
}

async fn page_of(
    server: &Arc<Server>,
    visit: &Visit,
    table: &Table,
    back: Option<usize>,
    reason: String,
) -> Outcome<Response> {
    let view = table.view();
    let viewer = visit.account.as_ref().map(|account| account.id);
    let own: Vec<usize> = viewer.map_or_else(Vec::new, |id| table.seats_of(id).collect());
    let back = back.filter(|ply| *ply != view.history.len());
    let shown = match back {
        Some(ply) => Arc::new(shown_at(server, visit, table, ply).await?),
        None => Arc::clone(&view.shown),
    };
    let line = |(number, played): (usize, &Played)| Line {
        number: number + 1,
        who: played.seat.map_or_else(String::new, |seat| table.players[seat].clone()),
        notation: played.notation.clone(),
        is_shown: back == Some(number + 1),
    };
    let seat = |seat: usize| match &view.clocks {
        Some(clocks) => format!("{} {}", table.who(seat), clock::shown(clocks.left(seat))),
        None => table.who(seat),
    };
    written(&PlayPage {
        frame: Frame::new(visit, &table.title),
        id: table.id,
        rules: table.rules.address(),
        options: table.rules.options_told().join(", "),
        plays: !own.is_empty(),
        alone: table.people().len() == 1,
        ended: view.result.is_some(),
        seats: (0..table.seats.len()).map(seat).collect(),
        next: view.next,
        told: table.told_to(&view, &own),
        svg: shown.svg.clone().unwrap_or_default(),
        text: shown.text.clone().unwrap_or_default(),
        beside: shown.beside.clone(),
        history: view.history.iter().enumerate().map(line).collect(),
        chat: Arc::clone(&view.chat),
        ply: view.history.len(),
        back: back.map_or_else(String::new, |ply| ply.to_string()),
        here: back.unwrap_or(view.history.len()),
        reason,
        state: in_page(&table.state(&bare(&view, back), None, viewer, &server.lobby)),
    })
}

/// What everybody sees, without the picture where it stands in the page itself.
fn bare(view: &View, back: Option<usize>) -> View {
    match back {
        Some(_) => view.clone(),
        None => {
            let shown = ShownAnswer { svg: None, ..(*view.shown).clone() };
            View { shown: Arc::new(shown), ..view.clone() }
        }
    }
}

/// JSON in an element for data, whose end and comments begin with this sign.
fn in_page(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// What is shown of a position after some of the moves.
async fn shown_at(
    server: &Server,
    visit: &Visit,
    table: &Table,
    ply: usize,
) -> Outcome<ShownAnswer> {
    let (at, rules) = (table.at(ply).await?, table.rules.clone());
    let show = move || ShownAnswer::of(&limited(&at, &rules));
    Ok(server.pool(&table.rules).run(&visit.owner(), show).await??)
}

pub async fn page(
    State(server): State<Arc<Server>>,
    visit: Visit,
    Path(id): Path<i64>,
    Query(query): Query<Vec<(String, String)>>,
) -> Outcome<Response> {
    let back = query.iter().find(|(name, _)| name == "ply").map(|(_, ply)| {
        ply.parse::<usize>().map_err(|_| Failure::wrong(format!("`ply` is a number, not `{ply}`")))
    });
    let table = server.table(id, &visit.owner()).await?;
    page_of(&server, &visit, &table, back.transpose()?, String::new()).await
}

/// The state of a table whenever it changes.
pub async fn events(
    State(server): State<Arc<Server>>,
    visit: Visit,
    Path(id): Path<i64>,
) -> Outcome<Response> {
    let table = server.table(id, &visit.owner()).await?;
    let viewer = visit.account.as_ref().map(|account| account.id);
    let open = visit.stream(&server)?;
    let plays = viewer.is_some_and(|id| table.seats_of(id).next().is_some());
    let onlooker = (!plays).then(|| Onlooker::new(&table));
    let presence = visit.account.as_ref().map(|account| Presence::new(&server, account));
    let mut changes = table.watch();
    changes.mark_changed();
    let kept = (presence, onlooker, open);
    let start = (server, table, changes, kept, None);
    let stream = unfold(start, move |(server, table, mut changes, kept, before)| async move {
        changes.changed().await.ok()?;
        let view = Arc::clone(&changes.borrow_and_update());
        let state = table.state(&view, before.as_deref(), viewer, &server.lobby);
        let event = Event::default().event("state").data(&state);
        Some((Ok::<_, Infallible>(event), (server, table, changes, kept, Some(view))))
    });
    let alive = KeepAlive::new().interval(Duration::from_secs(15));
    Ok(Sse::new(stream).keep_alive(alive).into_response())
}

/// A position of the game, to look back at.
pub async fn at(
    State(server): State<Arc<Server>>,
    visit: Visit,
    Path((id, ply)): Path<(i64, usize)>,
) -> Outcome<Response> {
    visit.count(&server, Deed::Move)?;
    let table = server.table(id, &visit.owner()).await?;
    let shown = shown_at(&server, &visit, &table, ply).await?;
    Ok(Json(shown).into_response())
}

/// Carries a command out in a task of its own, which goes on to its end when the browser has gone away.
async fn carry_out(command: impl Future<Output = Outcome<()>> + Send + 'static) -> Outcome<()> {
    let failed = |error| Failure::internal("the command was broken off", error);
    tokio::spawn(command).await.map_err(failed)?
}

fn done(posted: &Posted, id: i64) -> Response {
    match posted.script {
        true => Json(json!({ "done": true })).into_response(),
        false => go(posted, &format!("/game/{id}")),
    }
}

fn text(posted: &Posted, name: &str) -> Outcome<String> {
    let text = posted.get(name);
    match text.len() {
        1..=LONGEST_TEXT => Ok(text.to_string()),
        0 => Err(Failure::wrong(format!("`{name}` is empty"))),
        _ => Err(Failure::wrong(format!("`{name}` has more than {LONGEST_TEXT} bytes"))),
    }
}

/// What every command needs: the table and who it is from.
async fn sitting(
    server: &Arc<Server>,
    posted: &Posted,
    id: i64,
    deed: Deed,
) -> Outcome<(Arc<Table>, Account)> {
    let account = posted.visit.person()?.clone();
    posted.visit.count(server, deed)?;
    Ok((server.table(id, &posted.visit.owner()).await?, account))
}

pub async fn make(
    State(server): State<Arc<Server>>,
    Path(id): Path<i64>,
    posted: Posted,
) -> Outcome<Response> {
    let (table, account) = sitting(&server, &posted, id, Deed::Move).await?;
    let ply = usize::try_from(posted.number("ply")?).unwrap_or(usize::MAX);
    carry_out(table.play(server, account, text(&posted, "move")?, ply)).await?;
    Ok(done(&posted, id))
}

pub async fn resign(
    State(server): State<Arc<Server>>,
    Path(id): Path<i64>,
    posted: Posted,
) -> Outcome<Response> {
    let (table, account) = sitting(&server, &posted, id, Deed::Say).await?;
    carry_out(table.resign(server, account)).await?;
    Ok(done(&posted, id))
}

pub async fn abandon(
    State(server): State<Arc<Server>>,
    Path(id): Path<i64>,
    posted: Posted,
) -> Outcome<Response> {
    let (table, account) = sitting(&server, &posted, id, Deed::Say).await?;
    carry_out(table.abandon(server, account)).await?;
    Ok(done(&posted, id))
}

pub async fn offer(
    State(server): State<Arc<Server>>,
    Path(id): Path<i64>,
    posted: Posted,
) -> Outcome<Response> {
    let (table, account) = sitting(&server, &posted, id, Deed::Say).await?;
    let what = posted.get("what");
    let Some(offer) = Offer::read(what) else {
        return Err(Failure::wrong(format!("`what` is draw, undo or rematch, not `{what}`")));
    };
    carry_out(table.offer(server, account, offer)).await?;
    Ok(done(&posted, id))
}

pub async fn answer(
    State(server): State<Arc<Server>>,
    Path(id): Path<i64>,
    posted: Posted,
) -> Outcome<Response> {
    let (table, account) = sitting(&server, &posted, id, Deed::Say).await?;
    let accepts = match posted.get("answer") {
        "yes" => true,
        "no" => false,
        other => return Err(Failure::wrong(format!("`answer` is yes or no, not `{other}`"))),
    };
    carry_out(table.answer(server, account, accepts)).await?;
    Ok(done(&posted, id))
}

pub async fn say(
    State(server): State<Arc<Server>>,
    Path(id): Path<i64>,
    posted: Posted,
) -> Outcome<Response> {
    let (table, account) = sitting(&server, &posted, id, Deed::Say).await?;
    carry_out(table.say(server, account, text(&posted, "text")?)).await?;
    Ok(done(&posted, id))
}

/// The position that is asked about, by the number of moves before it: the last one, or one to look back at.
fn asked_at(table: &Table, posted: &Posted) -> Outcome<usize> {
    match posted.get("ply") {
        "" => Ok(table.view().history.len()),
        _ => Ok(usize::try_from(posted.number("ply")?).unwrap_or(usize::MAX)),
    }
}

/// The page of a game with the answer to a form.
async fn answered(
    server: &Arc<Server>,
    posted: &Posted,
    table: &Table,
    ply: usize,
    reason: String,
) -> Outcome<Response> {
    page_of(server, &posted.visit, table, Some(ply), reason).await
}

/// The computer's choice and its reason; not while people play against each other.
pub async fn hint(
    State(server): State<Arc<Server>>,
    Path(id): Path<i64>,
    posted: Posted,
) -> Outcome<Response> {
    let (table, _) = sitting(&server, &posted, id, Deed::Think).await?;
    if table.people().len() > 1 && table.view().result.is_none() {
        return Err(Failure::forbidden(
            "people play here: the computer gives hints when the game is over",
        ));
    }
    let ply = asked_at(&table, &posted)?;
    let at = table.at(ply).await?;
    let search = Search::playouts(5_000).within(HINT);
    let rules = table.rules.clone();
    let exact = server.exact(&rules, &posted.visit.owner()).await?;
    let think = move || {
        let at = limited(&at, &rules);
        let Some(best) = at.best(search)? else { return Ok(None) };
        let valued = exact.map_or(Ok(None), |exact| exact.of(&at))?;
        Ok::<_, crate::api::Error>(Some((best, valued)))
    };
    let Some((best, valued)) = server.slow.run(&posted.visit.owner(), think).await?? else {
        return Err(Failure::conflict("nobody is to move, so there is no hint"));
    };
    let better = valued.as_ref().and_then(|valued| valued.better_than(&best.mv));
    // a search may overlook what the values know
    let (mv, reason) = match better {
        Some(mv) => (mv, "the exact values say so"),
        None => (&best.mv, best.reason.as_str()),
    };
    let exact = valued.as_ref().map(|valued| format!("{}: {}", valued.told(), valued.moves_told()));
    if !posted.script {
        let exact = exact.map_or_else(String::new, |exact| sentence(&exact));
        let told = format!("Hint: {}. {} {exact}", mv.notation(), sentence(reason));
        return answered(&server, &posted, &table, ply, told).await;
    }
    let told = json!({
        "move": mv.term(),
        "notation": mv.notation(),
        "reason": reason,
        "exact": exact,
    });
    Ok(Json(told).into_response())
}

/// Why a move is legal or not, or a goal holds or not.
pub async fn why(
    State(server): State<Arc<Server>>,
    Path(id): Path<i64>,
    posted: Posted,
) -> Outcome<Response> {
    let (table, _) = sitting(&server, &posted, id, Deed::Think).await?;
    let (ply, what) = (asked_at(&table, &posted)?, text(&posted, "what")?);
    let at = table.at(ply).await?;
    let rules = table.rules.clone();
    let explain = move || limited(&at, &rules).why(&what);
    let why = server.slow.run(&posted.visit.owner(), explain).await??;
    if !posted.script {
        return answered(&server, &posted, &table, ply, why.to_string()).await;
    }
    Ok(Json(json!({ "text": why.to_string(), "sites": why.sites() })).into_response())
}
