//! The addresses, and what holds for every answer: limits, headers, failures as pages or as JSON.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{Extensions, HeaderMap, HeaderValue, StatusCode, Version};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::{get, post};
use futures_util::FutureExt;
use tower_http::compression::predicate::{DefaultPredicate, Predicate, SizeAbove};
use tower_http::compression::{CompressionLayer, CompressionLevel};

use super::Server;
use super::failure::{Failure, log};
use super::pages::{assets, enter, failed, games, history, lobby, play, write};
use super::posted::by_script;
use super::visit::{Visit, peer, recognise};

/// The longest body of a request, in bytes.
const LONGEST_BODY: usize = 1 << 20;
/// The longest time for a request, but for streams of events.
const LONGEST: Duration = Duration::from_secs(60);

/// Shorter answers, in bytes, are sent as they are.
const SHORT: u64 = 1_000;

/// Pages load nothing from elsewhere, have no script but files of this server, and are shown in no frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

pub fn routes(server: Arc<Server>) -> Router {
    let pages = Router::new()
        .route("/", get(lobby::home))
        .route("/enrol", post(enter::enrol))
        .route("/guest", post(enter::guest))
        .route("/login", post(enter::log_in))
        .route("/logout", post(enter::log_out))
        .route("/lobby/list", get(lobby::list))
        .route("/lobby/events", get(lobby::events))
        .route("/challenges", post(lobby::ask))
        .route("/challenges/{id}/accept", post(lobby::accept))
        .route("/challenges/{id}/decline", post(lobby::decline))
        .route("/games", get(games::all))
        .route("/games/{name}", get(games::one))
        .route("/games/{name}/board.svg", get(games::board))
        .route("/games/{name}/examples/{number}", get(games::example))
        .route("/games/{name}/report", get(games::report))
        .route("/games/{name}/report.css", get(games::report_styles))
        .route("/game/{id}", get(play::page))
        .route("/game/{id}/events", get(play::events))
        .route("/game/{id}/at/{ply}", get(play::at))
        .route("/game/{id}/move", post(play::make))
        .route("/game/{id}/resign", post(play::resign))
        .route("/game/{id}/abandon", post(play::abandon))
        .route("/game/{id}/offer", post(play::offer))
        .route("/game/{id}/answer", post(play::answer))
        .route("/game/{id}/chat", post(play::say))
        .route("/game/{id}/hint", post(play::hint))
        .route("/game/{id}/why", post(play::why))
        .route("/history", get(history::own))
        .route("/history/{name}", get(history::of))
        .route("/write", get(write::page))
        .route("/write/{hash}", get(write::shared))
        .route("/write/ask", post(write::ask))
        .route("/write/share", post(write::share))
        .fallback(|| async { Failure::missing("there is no such page") })
        .layer(from_fn_with_state(Arc::clone(&server), finish))
        .layer(from_fn_with_state(Arc::clone(&server), recognise))
        .with_state(Arc::clone(&server));
    Router::new()
        .route("/assets/{version}/{file}", get(assets::file))
        .route("/health", get(|| async { "ok\n" }))
        .merge(pages)
        .layer(DefaultBodyLimit::max(LONGEST_BODY))
        .layer(
            CompressionLayer::new()
                .quality(CompressionLevel::Fastest)
                .compress_when(DefaultPredicate::new().and(SizeAbove::new(SHORT)).and(is_fine)),
        )
        .layer(from_fn_with_state(server, guard))
}

/// Only what went well is compressed: a refusal may repeat what the request said, and its length would then tell of the
/// token beside that. Streams of events are left out by the library.
fn is_fine(status: StatusCode, _: Version, _: &HeaderMap, _: &Extensions) -> bool {
    status == StatusCode::OK
}

/// Ends what takes too long, writes the log, and gives every answer the headers that protect a browser.
async fn guard(State(server): State<Arc<Server>>, request: Request, next: Next) -> Response {
    // without what stands behind the path, and never the body
    let told = server.settings.log.then(|| {
        format!("{} {} {}", peer(&server, &request), request.method(), request.uri().path())
    });
    let began = Instant::now();
    let answer = tokio::time::timeout(LONGEST, next.run(request)).await;
    let mut response = answer.unwrap_or_else(|_| StatusCode::REQUEST_TIMEOUT.into_response());
    if let Some(told) = told {
        log(&format!("{told} {} {} ms", response.status().as_u16(), began.elapsed().as_millis()));
    }
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    set(CONTENT_SECURITY_POLICY, POLICY);
    set(X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(REFERRER_POLICY, "same-origin");
    set(CACHE_CONTROL, "no-store");
    if server.settings.secure {
        set(STRICT_TRANSPORT_SECURITY, "max-age=31536000");
    }
    response
}

/// Makes a page or JSON of a failure, as the request wants.
async fn finish(State(_server): State<Arc<Server>>, request: Request, next: Next) -> Response {
    let script = by_script(request.headers());
    let visit = request.extensions().get::<Visit>().cloned();
    // no database takes this character in every text
    let response = match request.uri().to_string().contains("%00") {
        true => {
            Failure::wrong("the address contains the character 0, which is no text").into_response()
        }
        false => AssertUnwindSafe(next.run(request)).catch_unwind().await.unwrap_or_else(|_| {
            let cause = "see the message of the panic above";
            Failure::internal("the request met a fault of the server", cause).into_response()
        }),
    };
    let status = response.status();
    let failure = match response.extensions().get::<Failure>() {
        Some(failure) => failure.clone(),
        // what the framework refuses: a wrong method, an address that is no text
        None if status.is_client_error() => {
            let told = match status {
                StatusCode::METHOD_NOT_ALLOWED => "this address is not asked in that way",
                StatusCode::PAYLOAD_TOO_LARGE => "that is more than a request may have",
                _ => "the address cannot be understood",
            };
            Failure { status, ..Failure::wrong(told) }
        }
        None => return response,
    };
    let (parts, _) = response.into_parts();
    let mut told = match (script, visit) {
        (false, Some(visit)) => failed(&visit, &failure),
        _ => Json(failure.json()).into_response(),
    };
    *told.status_mut() = failure.status;
    for (name, value) in &parts.headers {
        if name != axum::http::header::CONTENT_TYPE && name != axum::http::header::CONTENT_LENGTH {
            told.headers_mut().append(name, value.clone());
        }
    }
    told
}
