//! The page on which one writes rules, plays them and asks why. All that it asks for is a session of the protocol of
//! `ask`: the script sends a few requests at once, which are answered one after the other by a desk that is new each time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Json, Response};
use serde_json::{Value, json};

use crate::ask::Desk;
use crate::source::Library;

use super::super::Server;
use super::super::catalogue::{Catalogue, LONGEST_TEXT, Listed, shipped, strange_limits};
use super::super::failure::{Failure, Outcome};
use super::super::limits::Deed;
use super::super::posted::Posted;
use super::super::store::Rules;
use super::super::visit::Visit;
use super::games::Form;
use super::{Frame, page as written};

/// The most requests that are sent at once.
const MOST_REQUESTS: usize = 10;
/// The longest time of each.
const TIME: Duration = Duration::from_secs(3);

/// What the page begins with.
const FIRST: &str = include_str!("../assets/first.ludex");

#[derive(Template)]
#[template(path = "write.html")]
struct WritePage {
    frame: Frame,
    text: String,
    games: Vec<Listed>,
    /// The form to play a shared text.
    form: Option<Form>,
}

pub async fn page(visit: Visit, Query(query): Query<Vec<(String, String)>>) -> Outcome<Response> {
    let text = match query.iter().find(|(name, _)| name == "game") {
        Some((_, name)) => Library::game(shipped(name)?).map_or("", |file| file.text),
        None => FIRST,
    };
    let frame = Frame::new(&visit, "Write rules");
    written(&WritePage { frame, text: text.to_string(), games: Catalogue::listed(), form: None })
}

/// A text that a person has shared.
pub async fn shared(
    State(server): State<Arc<Server>>,
    visit: Visit,
    Path(hash): Path<String>,
) -> Outcome<Response> {
    let Some(text) = server.store.text(&hash).await? else {
        return Err(Failure::missing("there are no rules of this address"));
    };
    let rules = Rules { game: "rules".to_string(), text: Some(hash), options: BTreeMap::new() };
    // a text with errors may be shared too, but not played
    let game = server.game(&rules, &visit.owner()).await.ok();
    let form = game.map(|game| Form::new(&server, &visit, &rules, &game));
    let frame = Frame::new(&visit, "Write rules");
    written(&WritePage { frame, text, games: Catalogue::listed(), form })
}

/// Keeps a text and tells its address.
pub async fn share(State(server): State<Arc<Server>>, posted: Posted) -> Outcome<Response> {
    posted.visit.count(&server, Deed::Say)?;
    let text = posted.raw("rules");
    if text.trim().is_empty() || text.len() > LONGEST_TEXT {
        return Err(Failure::wrong(format!(
            "rules have 1 to {LONGEST_TEXT} bytes, these {}",
            text.len()
        )));
    }
    let hash = server.store.keep_text(text).await?;
    Ok(super::go(&posted, &format!("/write/{hash}")))
}

/// Answers a few requests of the protocol, one after the other.
pub async fn ask(State(server): State<Arc<Server>>, posted: Posted) -> Outcome<Response> {
    posted.visit.count(&server, Deed::Think)?;
    let requests = match serde_json::from_str(posted.raw("requests")) {
        Ok(Value::Array(requests)) if requests.len() <= MOST_REQUESTS => requests,
        _ => {
            return Err(Failure::wrong(format!(
                "`requests` is a list of at most {MOST_REQUESTS} requests in JSON"
            )));
        }
    };
    let long =
        |request: &Value| request["rules"].as_str().is_some_and(|rules| rules.len() > LONGEST_TEXT);
    if requests.iter().any(long) {
        return Err(Failure::wrong(format!("rules have at most {LONGEST_TEXT} bytes")));
    }
    let mut desk = Desk::new().within(TIME).limits(strange_limits());
    let mut answers = Vec::new();
    for request in requests {
        // a job each, so that others have their turn between two requests
        let answer = move || {
            let answer = desk.ask_json(&request.to_string());
            (desk, serde_json::from_str::<Value>(&answer).unwrap_or(Value::Null))
        };
        let (then, answer) = server.slow.run(&posted.visit.owner(), answer).await?;
        desk = then;
        answers.push(answer);
    }
    Ok(Json(json!({ "answers": answers })).into_response())
}
