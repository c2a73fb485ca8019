//! Enrolling, logging in and out.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::SET_COOKIE;
use axum::response::Response;

use super::super::Server;
use super::super::account::{Account, hash_password, hashed, is_password, name, password, secret};
use super::super::failure::{Failure, Outcome};
use super::super::limits::Deed;
use super::super::posted::Posted;
use super::super::visit::cookie;
use super::go;

/// Begins a session under a new secret, so that an old cookie is worth nothing, and goes to the lobby or to where the
/// visitor was.
async fn admit(server: &Server, posted: &Posted, account: &Account) -> Outcome<Response> {
    if posted.visit.account.is_some() {
        server.store.end_session(&posted.visit.session()).await?;
    }
    let secret = secret()?;
    server.store.begin_session(&hashed("session", &secret), account.id).await?;
    let mut response = go(posted, "/");
    response.headers_mut().insert(SET_COOKIE, cookie(server, &secret));
    Ok(response)
}

pub async fn enrol(State(server): State<Arc<Server>>, posted: Posted) -> Outcome<Response> {
    posted.visit.count(&server, Deed::Enter)?;
    let name = name(posted.get("name"))?;
    let password = password(posted.raw("password"))?;
    let hash = server.slow.run(&posted.visit.owner(), move || hash_password(&password)).await??;
    let account = server.store.enrol(&name, Some(&hash)).await?;
    admit(&server, &posted, &account).await
}

pub async fn guest(State(server): State<Arc<Server>>, posted: Posted) -> Outcome<Response> {
    posted.visit.count(&server, Deed::Enter)?;
    let name = name(posted.get("name"))?;
    let account = server.store.enrol(&name, None).await?;
    admit(&server, &posted, &account).await
}

pub async fn log_in(State(server): State<Arc<Server>>, posted: Posted) -> Outcome<Response> {
    posted.visit.count(&server, Deed::Enter)?;
    let found = server.store.account_named(posted.get("name")).await?;
    let (account, hash) = found.map_or((None, None), |(account, hash)| (Some(account), hash));
    let given = posted.raw("password").to_string();
    if given.len() > 1_000 {
        return Err(Failure::forbidden("the name or the password is wrong"));
    }
    let good = server
        .slow
        .run(&posted.visit.owner(), move || is_password(&given, hash.as_deref()))
        .await?;
    match account.filter(|_| good) {
        Some(account) => admit(&server, &posted, &account).await,
        None => Err(Failure::forbidden("the name or the password is wrong")),
    }
}

pub async fn log_out(State(server): State<Arc<Server>>, posted: Posted) -> Outcome<Response> {
    server.store.end_session(&posted.visit.session()).await?;
    let mut response = go(&posted, "/");
    response.headers_mut().insert(SET_COOKIE, cookie(&server, &secret()?));
    Ok(response)
}
