//! What outlives the server: accounts, sessions, challenges, games with their moves and chat, shared texts.
//!
//! One set of statements serves SQLite, MariaDB or MySQL, and PostgreSQL: it keeps to what all three know, numbers and
//! texts, and times are milliseconds since 1970. Numbers of rows are given by the server (`Numbers`), which is the only
//! one that writes to its database.

mod accounts;
mod challenges;
mod games;
mod schema;
mod texts;
mod writer;

pub use challenges::{Challenge, Rules};
pub use games::{Entry, GameRow, Ply, SeatRow};
pub use writer::Change;

use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sqlx::any::{AnyPoolOptions, AnyQueryResult, AnyRow};
use sqlx::{Any, AnyConnection, AnyPool, AssertSqlSafe, Connection, Row, Transaction};

use super::failure::Outcome;
use accounts::Sessions;
use writer::Writer;

/// The longest wait for a connection to the database.
const PATIENCE: Duration = Duration::from_secs(10);
/// How many connections there are to a database server.
const CONNECTIONS: u32 = 8;

/// A value that is given to a statement.
#[derive(Debug, Clone)]
pub enum Given {
    Number(i64),
    Text(String),
    NoNumber,
    NoText,
}

impl From<i64> for Given {
    fn from(number: i64) -> Given {
        Given::Number(number)
    }
}

impl From<Option<i64>> for Given {
    fn from(number: Option<i64>) -> Given {
        number.map_or(Given::NoNumber, Given::Number)
    }
}

impl From<&str> for Given {
    fn from(text: &str) -> Given {
        Given::Text(text.to_string())
    }
}

impl From<Option<&str>> for Given {
    fn from(text: Option<&str>) -> Given {
        text.map_or(Given::NoText, Given::from)
    }
}

/// The dialects of the databases, where they differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Sqlite,
    Mysql,
    Postgres,
}

impl Dialect {
    /// A statement with the placeholders of the dialect. No text in a statement has a question mark.
    fn write(self, sql: &str) -> String {
        if self != Dialect::Postgres {
            return sql.to_string();
        }
        let mut parts = sql.split('?');
        let mut written = parts.next().unwrap_or_default().to_string();
        for (number, part) in parts.enumerate() {
            written.push_str(&format!("${}{part}", number + 1));
        }
        written
    }
}

/// The database.
pub struct Store {
    pool: AnyPool,
    dialect: Dialect,
    writer: Writer,
    sessions: Sessions,
    accounts: AtomicI64,
    challenges: AtomicI64,
    games: AtomicI64,
}

/// Milliseconds since 1970.
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

impl Store {
    /// Opens the database at a URL, or else a file in the folder, which are made where they are missing, and brings its
    /// tables up to date.
    pub async fn open(url: Option<&str>, folder: &Path) -> Result<Store, String> {
        sqlx::any::install_default_drivers();
        let url = match url {
            Some(url) => url.to_string(),
            None => file_url(folder)?,
        };
        let dialect = match url.split(':').next() {
            Some("sqlite") => Dialect::Sqlite,
            Some("mysql" | "mariadb") => Dialect::Mysql,
            Some("postgres" | "postgresql") => Dialect::Postgres,
            _ => {
                return Err(format!(
                    "`{url}` is no URL of a database: write sqlite://FILE?mode=rwc, mysql://USER:PASSWORD@HOST/NAME or \
                     postgres://USER:PASSWORD@HOST/NAME"
                ));
            }
        };
        let failed = |error: sqlx::Error| format!("cannot open the database: {error}");
        let mut options = AnyPoolOptions::new().acquire_timeout(PATIENCE);
        if dialect == Dialect::Sqlite {
            // one connection: statements wait in its queue, and none finds the file locked; a file does not go away, so the
            // connection need not be tried each time
            options = options
                .max_connections(1)
                .test_before_acquire(false)
                .after_connect(|connection, _| Box::pin(prepare(connection)));
        } else {
            options = options.max_connections(CONNECTIONS);
        }
        // a pool tries again and again where it cannot connect, and does not say why
        tried(&url, dialect).await.map_err(|error| match dialect {
            Dialect::Sqlite => {
                format!("cannot open the database: {error}; is its folder there, or does another server use the same file?")
            }
            Dialect::Mysql | Dialect::Postgres => format!(
                "cannot open the database: {error}; does it run, and are its address, the user, the password and the \
                 name of the database right?"
            ),
        })?;
        let pool = options.connect(&url).await.map_err(failed)?;
        let mut store = Store {
            writer: Writer::new(pool.clone(), dialect),
            sessions: Sessions::default(),
            pool,
            dialect,
            accounts: AtomicI64::new(0),
            challenges: AtomicI64::new(0),
            games: AtomicI64::new(0),
        };
        store.migrate().await.map_err(failed)?;
        store.accounts = AtomicI64::new(store.last("accounts").await.map_err(failed)?);
        store.challenges = AtomicI64::new(store.last("challenges").await.map_err(failed)?);
        store.games = AtomicI64::new(store.last("games").await.map_err(failed)?);
        Ok(store)
    }

    /// Writes what is left and closes the connections.
    pub async fn close(&self) {
        self.pool.close().await;
    }

    async fn last(&self, table: &str) -> sqlx::Result<i64> {
        let sql = format!("SELECT COALESCE(MAX(id), 0) FROM {table}");
        sqlx::query(AssertSqlSafe(sql)).fetch_one(&self.pool).await?.try_get(0)
    }

    async fn rows(&self, sql: &str, given: &[Given]) -> Outcome<Vec<AnyRow>> {
        Ok(bound(self.dialect.write(sql), given).fetch_all(&self.pool).await?)
    }

    async fn row(&self, sql: &str, given: &[Given]) -> Outcome<Option<AnyRow>> {
        Ok(bound(self.dialect.write(sql), given).fetch_optional(&self.pool).await?)
    }

    /// How many rows were changed.
    async fn run(&self, sql: &str, given: &[Given]) -> Outcome<u64> {
        let result = bound(self.dialect.write(sql), given).execute(&self.pool).await?;
        Ok(AnyQueryResult::rows_affected(&result))
    }

    async fn begin(&self) -> Outcome<Writing> {
        Ok(Writing { dialect: self.dialect, transaction: self.pool.begin().await? })
    }
}

/// Statements that are carried out all or not at all.
struct Writing {
    dialect: Dialect,
    transaction: Transaction<'static, Any>,
}

impl Writing {
    async fn run(&mut self, sql: &str, given: &[Given]) -> Outcome<()> {
        bound(self.dialect.write(sql), given).execute(&mut *self.transaction).await?;
        Ok(())
    }

    async fn commit(self) -> Outcome<()> {
        Ok(self.transaction.commit().await?)
    }
}

type Query = sqlx::query::Query<'static, Any, sqlx::any::AnyArguments>;

fn bound(sql: String, given: &[Given]) -> Query {
    let mut query = sqlx::query(AssertSqlSafe(sql));
    for value in given {
        query = match value {
            Given::Number(number) => query.bind(*number),
            Given::Text(text) => query.bind(text.clone()),
            Given::NoNumber => query.bind(None::<i64>),
            Given::NoText => query.bind(None::<String>),
        };
    }
    query
}

fn next(counter: &AtomicI64) -> i64 {
    counter.fetch_add(1, Ordering::Relaxed) + 1
}

/// Opens a connection and closes it.
async fn tried(url: &str, dialect: Dialect) -> sqlx::Result<()> {
    let connecting = AnyConnection::connect(url);
    let late = |_| std::io::Error::from(std::io::ErrorKind::TimedOut);
    let mut connection = tokio::time::timeout(PATIENCE, connecting).await.map_err(late)??;
    if dialect == Dialect::Sqlite {
        prepare(&mut connection).await?;
    }
    connection.close().await
}

/// Settles how a file is written. With a log it is whole whenever the process ends, and has all that was committed; only a
/// power failure may take the last commits, since not each of them waits for the disk. The lock keeps out a second server.
async fn prepare(connection: &mut AnyConnection) -> sqlx::Result<()> {
    for pragma in [
        "PRAGMA busy_timeout = 2000",
        "PRAGMA locking_mode = EXCLUSIVE",
        "PRAGMA journal_mode = WAL",
        "PRAGMA synchronous = NORMAL",
    ] {
        sqlx::query(pragma).fetch_all(&mut *connection).await?;
    }
    Ok(())
}

/// The URL of the database file in a folder, which is made.
fn file_url(folder: &Path) -> Result<String, String> {
    let told = folder.display();
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    // passwords and sessions are hashed in it, but names, games and messages are not
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| {
        format!(
            "cannot make the folder `{told}` of the database: {error}; give another one by --data"
        )
    })?;
    let file = folder.join("ludex.sqlite");
    let Some(path) = file.to_str() else {
        return Err(format!("the path `{told}` is no text: give another folder by --data"));
    };
    let escaped: String = path
        .bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                char::from(byte).to_string()
            }
            byte => format!("%{byte:02X}"),
        })
        .collect();
    Ok(format!("sqlite://{escaped}?mode=rwc"))
}
