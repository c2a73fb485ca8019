//! Accounts and sessions.

use sqlx::Row;

use super::super::account::{Account, folded};
use super::super::failure::{Failure, Outcome};
use super::{Store, next, now};

/// How long a session lasts, in milliseconds.
const SESSION: i64 = 30 * 24 * 3600 * 1000;

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
        Ok(())
    }

    /// Whose session it is.
    pub async fn session(&self, token: &str) -> Outcome<Option<Account>> {
        let sql = "SELECT a.id, a.name, a.password FROM sessions s JOIN accounts a ON a.id = s.account \
                   WHERE s.token = ? AND s.created >= ?";
        let given = [token.into(), (now() - SESSION).into()];
        let Some(row) = self.row(sql, &given).await? else { return Ok(None) };
        let guest = row.try_get::<Option<String>, _>(2)?.is_none();
        Ok(Some(Account { id: row.try_get(0)?, name: row.try_get(1)?, guest }))
    }
}
