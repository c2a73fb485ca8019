//! Texts of rules that were shared, under the hash of the text.

use sqlx::Row;

use super::super::account::hashed;
use super::super::failure::Outcome;
use super::{Store, now};

impl Store {
    /// Keeps a text and returns its hash. The same text is kept once.
    pub async fn keep_text(&self, rules: &str) -> Outcome<String> {
        let hash = hashed("rules", rules);
        if self.text(&hash).await?.is_some() {
            return Ok(hash);
        }
        let sql = "INSERT INTO texts (hash, rules, created) VALUES (?, ?, ?)";
        let given = [hash.as_str().into(), rules.into(), now().into()];
        if let Err(failure) = self.run(sql, &given).await {
            // another request stored it first
            if self.text(&hash).await?.is_none() {
                return Err(failure);
            }
        }
        Ok(hash)
    }

    pub async fn text(&self, hash: &str) -> Outcome<Option<String>> {
        match self.row("SELECT rules FROM texts WHERE hash = ?", &[hash.into()]).await? {
            Some(row) => Ok(Some(row.try_get(0)?)),
            None => Ok(None),
        }
    }
}
