//! `ludex serve`: the web server.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

use clap::Args;

use crate::referee::Stop;
use crate::serve::{self, Settings};
use crate::ui::console::Console;

/// Serves games on the web: people play each other and the computer, write rules and ask why.
///
/// Nothing else has to be installed: accounts and games are kept in an SQLite file. Ctrl-C ends it; whatever was
/// answered is kept also when it is killed. `docs/serve.md` tells how to run it for others.
#[derive(Debug, Args)]
pub struct ServeArguments {
    /// The address and port on which it listens; port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080", value_parser = address)]
    listen: SocketAddr,

    /// The database: `mysql://USER:PASSWORD@HOST/NAME`, `postgres://USER:PASSWORD@HOST/NAME`, or
    /// `sqlite://FILE?mode=rwc`.
    #[arg(long, value_name = "URL")]
    database: Option<String>,

    /// The folder of the SQLite file, where no other database is given.
    #[arg(long, value_name = "DIR", default_value = "ludex-data", conflicts_with = "database")]
    data: PathBuf,

    /// It is reached by https, through a proxy: browsers keep its cookies to that.
    #[arg(long)]
    secure: bool,

    /// The header in which the proxy tells the address of a visitor, e.g. `X-Forwarded-For`. Without it all visitors of
    /// a proxy share the limits of one.
    #[arg(long, value_name = "NAME")]
    peer_header: Option<String>,

    /// Writes a line for each request to the standard error: the address of the visitor, the request, the status, the time.
    #[arg(long)]
    log: bool,
}

/// Reads an address with a port; of a name that has several, the one of IPv4.
fn address(text: &str) -> Result<SocketAddr, String> {
    let all: Vec<SocketAddr> = text.to_socket_addrs().map(Iterator::collect).unwrap_or_default();
    let found = all.iter().find(|address| address.is_ipv4()).or(all.first());
    found.copied().ok_or_else(|| {
        "write an address and a port from 0 to 65535, such as 127.0.0.1:8080; 0.0.0.0:8080 is reached from other \
         machines too"
            .to_string()
    })
}

pub fn run(arguments: &ServeArguments, console: &Console) -> Result<(), Stop> {
    let ServeArguments { listen, database, data, secure, peer_header, log } = arguments;
    let settings = Settings {
        listen: *listen,
        database: database.clone(),
        data: data.clone(),
        secure: *secure,
        peer_header: peer_header.clone(),
        log: *log,
    };
    let told = |address: SocketAddr| {
        // a closed output needs no message
        let _ = console.line(format!("serving on http://{address}")).and_then(|()| console.flush());
    };
    serve::run(settings, &told).map_err(Stop::Failed)
}
