//! Challenges: games that wait for people.

use std::collections::BTreeMap;

use sqlx::Row;
use sqlx::any::AnyRow;

use super::super::account::Account;
use super::super::clock::Pace;
use super::super::failure::{Failure, Outcome};
use super::{Store, next, now};

/// The rules of a game: a shipped game, or a shared text, with options.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rules {
    /// The name of the shipped game; `rules` for a text.
    pub game: String,
    /// The hash of the shared text.
    pub text: Option<String>,
    pub options: BTreeMap<String, String>,
}

impl Rules {
    /// The page on which they are told.
    pub fn address(&self) -> String {
        match &self.text {
            Some(hash) => format!("/write/{hash}"),
            None => format!("/games/{}", self.game),
        }
    }

    /// The options that were given, as people read them.
    pub fn options_told(&self) -> Vec<String> {
        let told =
            |(name, value): (&String, &String)| format!("{} = {value}", name.replace('_', " "));
        self.options.iter().map(told).collect()
    }

    pub(super) fn of(game: String, text: Option<String>, options: &str) -> Outcome<Rules> {
        let options = serde_json::from_str(options)
            .map_err(|error| Failure::internal("the options of a game cannot be read", error))?;
        Ok(Rules { game, text, options })
    }

    pub(super) fn options_text(&self) -> String {
        serde_json::to_string(&self.options).unwrap_or_else(|_| "{}".to_string())
    }
}

/// A challenge.
#[derive(Debug, Clone)]
pub struct Challenge {
    pub id: i64,
    /// Who asks.
    pub by: Account,
    /// Who is asked; anyone may accept where no one is named.
    pub invited: Option<Account>,
    pub rules: Rules,
    /// The seat that the challenger wants: a player's name, `senior` or `lot`.
    pub seat: String,
    /// How many people play; the computer has the other seats.
    pub people: i64,
    pub strength: i64,
    pub pace: Option<Pace>,
    /// Who has accepted, the challenger first.
    pub joined: Vec<Account>,
}

impl Store {
    pub async fn add_challenge(&self, challenge: &Challenge) -> Outcome<i64> {
        let id = next(&self.challenges);
        let mut writing = self.begin().await?;
        let sql = "INSERT INTO challenges (id, account, invited, game, text, options, seat, people, strength, clock, created) \
                   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
        let rules = &challenge.rules;
        let given = [
            id.into(),
            challenge.by.id.into(),
            challenge.invited.as_ref().map(|account| account.id).into(),
            rules.game.as_str().into(),
            rules.text.as_deref().into(),
            rules.options_text().as_str().into(),
            challenge.seat.as_str().into(),
            challenge.people.into(),
            challenge.strength.into(),
            challenge.pace.map(Pace::text).as_deref().into(),
            now().into(),
        ];
        writing.run(sql, &given).await?;
        writing.commit().await?;
        Ok(id)
    }

    /// A person joins a challenge that waits for more people.
    pub async fn join_challenge(&self, id: i64, account: i64) -> Outcome<()> {
        let sql = "INSERT INTO challengers (challenge, account) VALUES (?, ?)";
        self.run(sql, &[id.into(), account.into()]).await?;
        Ok(())
    }

    /// Removes a challenge; false where it was gone already.
    pub async fn remove_challenge(&self, id: i64) -> Outcome<bool> {
        self.run("DELETE FROM challengers WHERE challenge = ?", &[id.into()]).await?;
        Ok(self.run("DELETE FROM challenges WHERE id = ?", &[id.into()]).await? > 0)
    }

    /// All challenges, the oldest first.
    pub async fn challenges(&self) -> Outcome<Vec<Challenge>> {
        let sql = "SELECT c.id, c.account, a.name, a.password, c.invited, i.name, i.password, c.game, c.text, c.options, \
                   c.seat, c.people, c.strength, c.clock FROM challenges c JOIN accounts a ON a.id = c.account \
                   LEFT JOIN accounts i ON i.id = c.invited ORDER BY c.id";
        let mut found = Vec::new();
        for row in self.rows(sql, &[]).await? {
            found.push(challenge(&row)?);
        }
        let sql = "SELECT j.challenge, a.id, a.name, a.password FROM challengers j JOIN accounts a ON a.id = j.account \
                   ORDER BY j.challenge, a.id";
        for row in self.rows(sql, &[]).await? {
            let id: i64 = row.try_get(0)?;
            let account = account(&row, 1)?;
            if let Some(challenge) = found.iter_mut().find(|challenge| challenge.id == id) {
                challenge.joined.push(account);
            }
        }
        Ok(found)
    }
}

/// The account whose number, name and password stand in a row from a column on.
pub(super) fn account(row: &AnyRow, from: usize) -> Outcome<Account> {
    let guest = row.try_get::<Option<String>, _>(from + 2)?.is_none();
    Ok(Account { id: row.try_get(from)?, name: row.try_get(from + 1)?, guest })
}

/// The pace that was written.
pub(super) fn pace(text: &Option<String>) -> Outcome<Option<Pace>> {
    Pace::read(text.as_deref().unwrap_or_default())
}

fn challenge(row: &AnyRow) -> Outcome<Challenge> {
    let by = account(row, 1)?;
    let invited = match row.try_get::<Option<i64>, _>(4)? {
        Some(_) => Some(account(row, 4)?),
        None => None,
    };
    let options: String = row.try_get(9)?;
    Ok(Challenge {
        id: row.try_get(0)?,
        joined: vec![by.clone()],
        by,
        invited,
        rules: Rules::of(row.try_get(7)?, row.try_get(8)?, &options)?,
        seat: row.try_get(10)?,
        people: row.try_get(11)?,
        strength: row.try_get(12)?,
        pace: pace(&row.try_get::<Option<String>, _>(13)?)?,
    })
}
