//! Why a request was not done: a status and a sentence, shown as a page or as JSON, as was asked for.

use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::response::{IntoResponse, Response};
use serde_json::{Value as Json, json};

use crate::api::{Error, Move};

/// Why a request was not done.
#[derive(Debug, Clone)]
pub struct Failure {
    pub status: StatusCode,
    /// What is wrong, and what helps.
    pub sentence: String,
    /// The moves that an ambiguous text can mean: term and notation.
    pub candidates: Vec<(String, String)>,
    /// The faults of rules, with their places.
    pub faults: Vec<Json>,
    /// The seconds after which the same request may be done.
    pub wait: Option<u64>,
}

pub type Outcome<T> = Result<T, Failure>;

impl Failure {
    fn new(status: StatusCode, sentence: impl Into<String>) -> Failure {
        let sentence = sentence.into();
        Failure { status, sentence, candidates: Vec::new(), faults: Vec::new(), wait: None }
    }

    /// What was sent is wrong.
    pub fn wrong(sentence: impl Into<String>) -> Failure {
        Failure::new(StatusCode::BAD_REQUEST, sentence)
    }

    /// Not allowed to this visitor.
    pub fn forbidden(sentence: impl Into<String>) -> Failure {
        Failure::new(StatusCode::FORBIDDEN, sentence)
    }

    /// There is no such thing.
    pub fn missing(sentence: impl Into<String>) -> Failure {
        Failure::new(StatusCode::NOT_FOUND, sentence)
    }

    /// Something else has happened meanwhile, or goes before.
    pub fn conflict(sentence: impl Into<String>) -> Failure {
        Failure::new(StatusCode::CONFLICT, sentence)
    }

    /// More than is allowed in a time.
    pub fn too_many(sentence: impl Into<String>) -> Failure {
        Failure::new(StatusCode::TOO_MANY_REQUESTS, sentence)
    }

    /// More than is allowed in a time, for some more seconds: what there is too much of, and until then.
    pub fn too_soon(what: &str, seconds: f64) -> Failure {
        let wait = seconds.ceil().max(1.0) as u64;
        let unit = if wait == 1 { "second" } else { "seconds" };
        Failure { wait: Some(wait), ..Failure::too_many(format!("{what} wait {wait} {unit}")) }
    }

    /// More work than the server can do.
    pub fn busy() -> Failure {
        let sentence = "the server has too much to do just now: try again in a moment";
        Failure::new(StatusCode::SERVICE_UNAVAILABLE, sentence)
    }

    /// The visitor has to enrol first.
    pub fn stranger() -> Failure {
        Failure::new(StatusCode::UNAUTHORIZED, "enrol or log in first: see the first page")
    }

    /// The server's own fault; the cause goes to its log.
    pub fn internal(what: &str, cause: impl std::fmt::Display) -> Failure {
        log(&format!("{what}: {cause}"));
        Failure::new(StatusCode::INTERNAL_SERVER_ERROR, format!("{what}; nothing was changed"))
    }

    /// The failure as JSON, for the scripts of pages.
    pub fn json(&self) -> Json {
        let mut told = json!({ "error": self.sentence });
        if !self.candidates.is_empty() {
            let pairs = self.candidates.iter();
            told["candidates"] =
                pairs.map(|(mv, text)| json!({"move": mv, "notation": text})).collect();
        }
        if !self.faults.is_empty() {
            told["faults"] = Json::Array(self.faults.clone());
        }
        told
    }
}

/// A text with a capital letter and a full stop.
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let Some(first) = letters.next() else { return String::new() };
    let stop = if text.ends_with(['.', '!', '?', ':']) { "" } else { "." };
    format!("{}{}{stop}", first.to_uppercase(), letters.as_str())
}

/// Writes a line to the log, which is the standard error.
#[allow(clippy::print_stderr)]
pub fn log(line: &str) {
    eprintln!("ludex serve: {line}");
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let status = match error {
            Error::Illegal { .. } | Error::Ambiguous { .. } | Error::Over(_) => {
                StatusCode::CONFLICT
            }
            _ => StatusCode::BAD_REQUEST,
        };
        let mut failure = Failure::new(status, error.to_string());
        if let Error::Ambiguous { candidates, .. } = &error {
            let pair = |mv: &Move| (mv.term().to_string(), mv.notation().to_string());
            failure.candidates = candidates.iter().map(pair).collect();
        }
        failure
    }
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Failure {
        Failure::internal("the database did not answer as expected", error)
    }
}

/// The failure travels as an extension: where there are pages, `router` makes one of it, or JSON, as the request wants.
impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut response = (self.status, format!("{}\n", sentence(&self.sentence))).into_response();
        if let Some(wait) = self.wait {
            response.headers_mut().insert(RETRY_AFTER, wait.into());
        }
        response.extensions_mut().insert(self);
        response
    }
}
