//! Who sends a request: the cookie, the session, the address.
//!
//! Each browser keeps one secret in a cookie. The database has only a hash of it, beside the account that has logged in.
//! What a page posts must carry a second hash of it, which no other site can know.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{ConnectInfo, FromRequestParts, Request, State};
use axum::http::header::{COOKIE, SET_COOKIE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::Server;
use super::account::{Account, hashed, secret};
use super::failure::{Failure, Outcome};
use super::limits::{Deed, OpenStream, Owner};

const COOKIE_NAME: &str = "ludex";
/// How long a browser keeps the cookie, in seconds.
const AGE: u32 = 30 * 24 * 3600;

/// Who sends a request.
#[derive(Debug, Clone)]
pub struct Visit {
    secret: String,
    pub account: Option<Account>,
    peer: String,
}

impl Visit {
    /// The account.
    ///
    /// # Errors
    /// No one has logged in.
    pub fn person(&self) -> Outcome<&Account> {
        self.account.as_ref().ok_or_else(Failure::stranger)
    }

    /// What a page posts with each form.
    pub fn csrf(&self) -> String {
        hashed("csrf", &self.secret)
    }

    /// What the database knows the session by.
    pub fn session(&self) -> String {
        hashed("session", &self.secret)
    }

    /// Counts what a visitor asks for: by account, or else by address.
    ///
    /// # Errors
    /// It is too often.
    pub fn count(&self, server: &Server, deed: Deed) -> Outcome<()> {
        let owner = match deed {
            Deed::Enter => Owner::Peer(self.peer.clone()),
            _ => self.owner(),
        };
        server.rates.take(deed, &owner)
    }

    /// Counts a stream of events until it is closed.
    ///
    /// # Errors
    /// The visitor has enough of them open.
    pub fn stream(&self, server: &Arc<Server>) -> Outcome<OpenStream> {
        OpenStream::new(server, self.owner())
    }

    /// Whose limits count: the account's, or else the address's.
    pub fn owner(&self) -> Owner {
        match &self.account {
            Some(account) => Owner::Account(account.id),
            None => Owner::Peer(self.peer.clone()),
        }
    }
}

/// The cookie of a new secret, for a person who logs in or out.
pub fn cookie(server: &Server, secret: &str) -> HeaderValue {
    let secure = if server.settings.secure { "; Secure" } else { "" };
    let text =
        format!("{COOKIE_NAME}={secret}; Path=/; Max-Age={AGE}; HttpOnly; SameSite=Lax{secure}");
    // hexadecimal digits are always the value of a header
    HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static(""))
}

/// Finds out who sends a request before it is answered, and gives a new browser its cookie.
pub async fn recognise(
    State(server): State<Arc<Server>>,
    mut request: Request,
    next: Next,
) -> Response {
    let known = kept(request.headers());
    let fresh = known.is_none();
    let peer = peer(&server, &request);
    let visit = async {
        let secret = match known {
            Some(secret) => secret,
            None => secret()?,
        };
        let mut visit = Visit { secret, account: None, peer };
        if !fresh {
            visit.account = server.store.session(&visit.session()).await?;
            if let Some(guest) = visit.account.as_ref().filter(|account| account.guest) {
                server.seconds.note_guest(guest.id, &visit.peer);
            }
        }
        Ok::<Visit, Failure>(visit)
    };
    let visit = match visit.await {
        Ok(visit) => visit,
        Err(failure) => return failure.into_response(),
    };
    let given = fresh.then(|| cookie(&server, &visit.secret));
    request.extensions_mut().insert(visit);
    let mut response = next.run(request).await;
    if let Some(given) = given
        && !response.headers().contains_key(SET_COOKIE)
    {
        response.headers_mut().insert(SET_COOKIE, given);
    }
    response
}

/// The secret that the browser keeps.
fn kept(headers: &HeaderMap) -> Option<String> {
    let pairs = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs =
        pairs.flat_map(|value| value.split(';')).filter_map(|pair| pair.split_once('='));
    let (_, secret) = pairs.find(|(name, _)| name.trim() == COOKIE_NAME)?;
    let good = secret.len() == 64 && secret.bytes().all(|b| b.is_ascii_hexdigit());
    good.then(|| secret.to_string())
}

/// The address of a visitor: what the proxy tells where one is configured, else the other end of the connection.
pub fn peer(server: &Server, request: &Request) -> String {
    let told = server.settings.peer_header.as_ref().and_then(|name| {
        let value = request.headers().get(name)?.to_str().ok()?;
        // the proxy writes the last one, and visitors whatever they like before it
        value.rsplit(',').next()?.trim().parse::<IpAddr>().ok()
    });
    let end = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|end| end.0.ip());
    match told.or(end) {
        Some(IpAddr::V6(address)) => {
            // one visitor has a whole network of addresses
            let [a, b, c, d, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}")
        }
        Some(address) => address.to_string(),
        None => "unknown".to_string(),
    }
}

impl<S: Sync> FromRequestParts<S> for Visit {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Outcome<Visit> {
        parts.extensions.get::<Visit>().cloned().ok_or_else(Failure::stranger)
    }
}
