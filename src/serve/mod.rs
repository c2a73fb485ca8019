//! The web server: a lobby for people who play over the network, games against the computer, and a page where one
//! writes rules, plays them and asks why.
//!
//! The rules are those of `api`, which alone decides what is legal. Handlers (`pages/`) run on the asynchronous executor
//! and never on an engine: that work goes through a `pool` of threads. A `table` is a game that is being played; what
//! changes it is written by `store` before anybody is told.

mod account;
mod catalogue;
mod clock;
mod failure;
mod limits;
mod listen;
mod lobby;
mod pages;
mod pool;
mod posted;
mod router;
mod store;
mod table;
mod tables;
mod visit;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use catalogue::Catalogue;
use limits::{Rates, Seconds, Streams};
use lobby::Lobby;
use pool::Pool;
use store::Store;
use tables::Tables;

/// What the server is started with.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The address on which it listens.
    pub listen: SocketAddr,
    /// The URL of the database; a file in the folder `data` without it.
    pub database: Option<String>,
    /// The folder of the database file, which is made if it is missing.
    pub data: PathBuf,
    /// The server is reached by https only, through a proxy that speaks it.
    pub secure: bool,
    /// The header in which a proxy tells the address of a visitor.
    pub peer_header: Option<String>,
    /// Each request is written to the log.
    pub log: bool,
}

/// All that the handlers share.
struct Server {
    settings: Settings,
    store: Store,
    catalogue: Catalogue,
    /// Moves, positions and pictures of shipped games, which a person waits for.
    quick: Pool,
    /// Searches, reasons, and all that is done by rules of strangers, within a budget of time for each visitor.
    slow: Pool,
    /// For what takes long and is asked by no visitor.
    patient: Pool,
    /// What each visitor has left of the time of `slow`.
    seconds: Arc<Seconds>,
    tables: Tables,
    lobby: Lobby,
    rates: Rates,
    streams: Streams,
}

/// Runs the server until it is asked to end, by Ctrl-C or the signal TERM. `told` is given the address once it listens.
///
/// # Errors
/// A sentence that says why it cannot start.
pub fn run(settings: Settings, told: &dyn Fn(SocketAddr)) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("cannot start threads: {error}"))?;
    runtime.block_on(async {
        let server = Arc::new(Server::new(settings).await?);
        let listener = listen::bind(server.settings.listen).await?;
        told(listener.local_addr().unwrap_or(server.settings.listen));
        listen::serve(listener, router::routes(Arc::clone(&server)), ended()).await;
        server.store.close().await;
        Ok(())
    })
}

impl Server {
    async fn new(settings: Settings) -> Result<Server, String> {
        let store = Store::open(settings.database.as_deref(), &settings.data).await?;
        let seconds = Arc::new(Seconds::usual());
        let failed = |error: failure::Failure| error.sentence;
        let tables = Tables::new(&store).await.map_err(failed)?;
        Ok(Server {
            store,
            catalogue: Catalogue::new(),
            quick: Pool::new("ludex-quick"),
            slow: Pool::budgeted("ludex-slow", Arc::clone(&seconds)),
            patient: Pool::patient("ludex-patient"),
            seconds,
            tables,
            lobby: Lobby::new(),
            rates: Rates::new(),
            streams: Streams::new(),
            settings,
        })
    }
}

/// Waits for Ctrl-C or the signal TERM.
async fn ended() {
    use tokio::signal::unix::{SignalKind, signal};
    let interrupt = async {
        let _ = tokio::signal::ctrl_c().await;
    };
    let terminate = async {
        match signal(SignalKind::terminate()) {
            Ok(mut signal) => drop(signal.recv().await),
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        () = interrupt => {}
        () = terminate => {}
    }
}
