//! Scripts and styles, which are built into the program.

use std::sync::OnceLock;

use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

use super::super::account::hashed;
use super::super::failure::{Failure, Outcome};

const SCRIPT: &str = "text/javascript; charset=utf-8";

const FILES: [(&str, &str, &str); 8] = [
    ("style.css", "text/css; charset=utf-8", include_str!("../assets/style.css")),
    ("icon.svg", "image/svg+xml", include_str!("../assets/icon.svg")),
    ("board.js", SCRIPT, include_str!("../assets/board.js")),
    ("common.js", SCRIPT, include_str!("../assets/common.js")),
    ("lobby.js", SCRIPT, include_str!("../assets/lobby.js")),
    ("play.js", SCRIPT, include_str!("../assets/play.js")),
    ("write.js", SCRIPT, include_str!("../assets/write.js")),
    ("editor.js", SCRIPT, include_str!("../assets/editor.js")),
];

/// A text that changes with the files.
pub fn version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| {
        let all: Vec<&str> = FILES.iter().map(|(_, _, text)| *text).collect();
        let mut hash = hashed("assets", &all.concat());
        hash.truncate(12);
        hash
    })
}

/// A file under the version that a page has named: scripts load one another by plain names, so they get the same version.
pub async fn file(Path((wanted, name)): Path<(String, String)>) -> Outcome<Response> {
    let found = FILES.iter().find(|(known, _, _)| *known == name);
    let Some((_, kind, text)) = found else {
        return Err(Failure::missing("there is no such file"));
    };
    // a page from before the server was renewed gets the files of today
    let kept = match wanted == version() {
        true => "public, max-age=31536000, immutable",
        false => "no-store",
    };
    let headers = [(CONTENT_TYPE, *kind), (CACHE_CONTROL, kept)];
    Ok((headers, *text).into_response())
}
