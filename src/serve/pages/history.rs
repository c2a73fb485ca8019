//! The games that a person has played.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;

use super::super::Server;
use super::super::failure::{Failure, Outcome};
use super::super::store::Entry;
use super::super::visit::Visit;
use super::{Frame, page};

/// The most games on a page.
const MOST: i64 = 200;

#[derive(Template)]
#[template(path = "history.html")]
struct HistoryPage {
    frame: Frame,
    whose: String,
    entries: Vec<Entry>,
}

pub async fn own(State(server): State<Arc<Server>>, visit: Visit) -> Outcome<Response> {
    let name = visit.person()?.name.clone();
    of(State(server), visit, Path(name)).await
}

pub async fn of(
    State(server): State<Arc<Server>>,
    visit: Visit,
    Path(name): Path<String>,
) -> Outcome<Response> {
    let Some((account, _)) = server.store.account_named(&name).await? else {
        return Err(Failure::missing(format!("nobody is called `{name}`")));
    };
    let entries = server.store.games_of(account.id, false, MOST).await?;
    let frame = Frame::new(&visit, format!("Games of {}", account.name));
    page(&HistoryPage { frame, whose: account.name, entries })
}
