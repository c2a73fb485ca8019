//! The pages: one file for each part of the site, with its templates in `templates/` and its scripts in `assets/`.

pub mod assets;
pub mod enter;
pub mod games;
pub mod history;
pub mod lobby;
pub mod play;
pub mod write;

use askama::Template;
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::{Html, IntoResponse, Json, Response};
use serde_json::json;

use super::failure::{Failure, Outcome, sentence};
use super::posted::Posted;
use super::visit::Visit;

/// What every page shows.
pub struct Frame {
    pub title: String,
    /// The name of the person who has logged in.
    pub name: Option<String>,
    pub csrf: String,
    /// Changes with the scripts and styles, so that a browser loads new ones.
    pub version: &'static str,
}

impl Frame {
    pub fn new(visit: &Visit, title: impl Into<String>) -> Frame {
        Frame {
            title: title.into(),
            name: visit.account.as_ref().map(|account| account.name.clone()),
            csrf: visit.csrf(),
            version: assets::version(),
        }
    }
}

/// A page from its template.
pub fn page(template: &impl Template) -> Outcome<Response> {
    let text = template
        .render()
        .map_err(|error| Failure::internal("the page could not be written", error))?;
    Ok(Html(text).into_response())
}

#[derive(Template)]
#[template(path = "failure.html")]
struct FailurePage {
    frame: Frame,
    sentence: String,
}

/// The page of a failure.
pub fn failed(visit: &Visit, failure: &Failure) -> Response {
    let frame = Frame::new(visit, "That did not work");
    let sentence = sentence(&failure.sentence);
    match page(&(FailurePage { frame, sentence })) {
        Ok(page) => page,
        Err(_) => failure.status.into_response(),
    }
}

/// The answer to a form: another page; to a script: where that is.
pub fn go(posted: &Posted, to: &str) -> Response {
    match posted.script {
        true => Json(json!({ "go": to })).into_response(),
        false => redirect(to),
    }
}

/// Sends a browser to another page.
pub fn redirect(to: &str) -> Response {
    (StatusCode::SEE_OTHER, [(LOCATION, to.to_string())]).into_response()
}
