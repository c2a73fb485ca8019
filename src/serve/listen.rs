//! Connections: how many there may be, how long they may take to say what they want, and how they end.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tower::ServiceExt;

use super::failure::log;

/// The most connections at a time; more wait until one is closed.
const MOST: usize = 8_192;
/// The longest time for the head of a request.
const HEAD: Duration = Duration::from_secs(20);
/// How long requests may go on when the server ends.
const FAREWELL: Duration = Duration::from_secs(3);

pub async fn bind(address: SocketAddr) -> Result<TcpListener, String> {
    TcpListener::bind(address).await.map_err(|error| {
        format!("cannot listen on {address}: {error}; give another address by --listen")
    })
}

/// Answers requests until `ended` is done, and then those that have been begun.
pub async fn serve(listener: TcpListener, routes: Router, ended: impl Future<Output = ()>) {
    let permits = Arc::new(Semaphore::new(MOST));
    let (end, ending) = watch::channel(false);
    let mut ended = pin!(ended);
    loop {
        let Ok(permit) = Arc::clone(&permits).acquire_owned().await else { break };
        let accepted = tokio::select! {
            () = &mut ended => break,
            accepted = listener.accept() => accepted,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // such as too many open files: others are closed meanwhile
                log(&format!("cannot accept a connection: {error}"));
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let _ = stream.set_nodelay(true);
        let (routes, mut ending) = (routes.clone(), ending.clone());
        tokio::spawn(async move {
            let service = service_fn(move |request: Request<Incoming>| {
                let mut request = request.map(Body::new);
                request.extensions_mut().insert(ConnectInfo(peer));
                let routes = routes.clone();
                async move {
                    let Ok(response) = routes.oneshot(request).await;
                    Ok::<_, Infallible>(response)
                }
            });
            let mut builder = http1::Builder::new();
            builder.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(64 << 10);
            let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
            // a visitor who goes away in the middle is nothing to tell
            tokio::select! {
                _ = connection.as_mut() => {}
                _ = ending.changed() => {
                    connection.as_mut().graceful_shutdown();
                    let _ = tokio::time::timeout(FAREWELL, connection).await;
                }
            }
            drop(permit);
        });
    }
    drop(listener);
    let _ = end.send(true);
    let all = u32::try_from(MOST).unwrap_or(u32::MAX);
    let _ = tokio::time::timeout(FAREWELL, permits.acquire_many(all)).await;
}
