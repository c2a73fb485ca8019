//! Accounts and sessions.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use sqlx::Row;

use super::super::account::{Account, folded};
use super::super::failure::{Failure, Outcome};
use super::{Store, next, now};

/// How long a session lasts, in milliseconds.
const SESSION: i64 = 30 * 24 * 3600 * 1000;
/// Above this number of sessions in memory they are read from the database once more.
const MOST_SESSIONS: usize = 20_000;

/// The sessions of those who have sent a request since the server was started: whose they are, and since when. Only this
/// server writes to its database, so they are the same there.
#[derive(Default)]
pub struct Sessions {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    whose: BTreeMap<String, (Account, i64)>,
    /// How many sessions have been ended: one that was read before may be among them.
    ended: u64,
}

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whose session it is and since when, if it is known, and how many have been ended.
    fn of(&self, token: &str) -> (Option<(Account, i64)>, u64) {
        let known = self.lock();
        (known.whose.get(token).cloned(), known.ended)
    }

    /// Keeps a session that was read when `ended` had been ended.
    fn keep(&self, token: &str, account: &Account, created: i64, ended: u64) {
        let mut known = self.lock();
        if known.ended != ended {
            return;
        }
        if known.whose.len() >= MOST_SESSIONS {
            known.whose.clear();
        }
        known.whose.insert(token.to_string(), (account.clone(), created));
    }

    fn forget(&self, token: &str) {
        let mut known = self.lock();
        known.whose.remove(token);
        known.ended += 1;
    }
}

impl Store {
    /// Enrols a person; a guest has no password. The number tells who came first.
    ///
    /// # Errors
    /// The name is taken.
    pub async fn enrol(&self, name: &str, password: Option<&str>) -> Outcome<Account> {
        let folded = folded(name);
        if self.account_named(name).await?.is_some() {
            let sentence = format!("`{name}` is taken: choose another name, or log in");
            return Err(Failure::conflict(sentence));
        }
        let id = next(&self.accounts);
        let sql =
            "INSERT INTO accounts (id, name, folded, password, created) VALUES (?, ?, ?, ?, ?)";
        let given = [id.into(), name.into(), folded.as_str().into(), password.into(), now().into()];
        if let Err(failure) = self.run(sql, &given).await {
            // another request took the name first
            return match self.account_named(name).await? {
                Some(_) => Err(Failure::conflict(format!("`{name}` is taken"))),
                None => Err(failure),
            };
        }
        Ok(Account { id, name: name.to_string(), guest: password.is_none() })
    }

    /// The account of a name, in capital letters or not, with the hash of its password.
    pub async fn account_named(&self, name: &str) -> Outcome<Option<(Account, Option<String>)>> {
        let sql = "SELECT id, name, password FROM accounts WHERE folded = ?";
        let Some(row) = self.row(sql, &[folded(name).as_str().into()]).await? else {
            return Ok(None);
        };
        let password: Option<String> = row.try_get(2)?;
        let guest = password.is_none();
        Ok(Some((Account { id: row.try_get(0)?, name: row.try_get(1)?, guest }, password)))
    }

    /// Begins a session; `token` is the hash of what the visitor keeps. Those that are over are forgotten.
    pub async fn begin_session(&self, token: &str, account: i64) -> Outcome<()> {
        let now = now();
        self.run("DELETE FROM sessions WHERE created < ?", &[(now - SESSION).into()]).await?;
        let sql = "INSERT INTO sessions (token, account, created) VALUES (?, ?, ?)";
        self.run(sql, &[token.into(), account.into(), now.into()]).await?;
        Ok(())
    }

    pub async fn end_session(&self, token: &str) -> Outcome<()> {
        self.run("DELETE FROM sessions WHERE token = ?", &[token.into()]).await?;
        self.sessions.forget(token);
        Ok(())
    }

    /// Whose session it is.
    pub async fn session(&self, token: &str) -> Outcome<Option<Account>> {
        let oldest = now() - SESSION;
        let (known, ended) = self.sessions.of(token);
        if let Some((account, created)) = known {
            return Ok(Some(account).filter(|_| created >= oldest));
        }
        let sql = "SELECT a.id, a.name, a.password, s.created FROM sessions s JOIN accounts a ON a.id = s.account \
                   WHERE s.token = ? AND s.created >= ?";
        let Some(row) = self.row(sql, &[token.into(), oldest.into()]).await? else {
            return Ok(None);
        };
        let guest = row.try_get::<Option<String>, _>(2)?.is_none();
        let account = Account { id: row.try_get(0)?, name: row.try_get(1)?, guest };
        self.sessions.keep(token, &account, row.try_get(3)?, ended);
        Ok(Some(account))
    }
}
