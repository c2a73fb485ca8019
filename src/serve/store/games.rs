//! Games: who plays, the moves, how they ended, what was said.

use std::collections::BTreeMap;

use sqlx::Row;

use super::super::account::Account;
use super::super::clock::Pace;
use super::super::failure::Outcome;
use super::challenges::{Rules, account, pace};
use super::{Change, Given, Store, next, now};

/// A seat of a game: a person, or the computer at a strength.
#[derive(Debug, Clone)]
pub struct SeatRow {
    pub account: Option<Account>,
    pub strength: i64,
    /// What is left of his time, in milliseconds, once he has used some of it.
    pub left: Option<i64>,
}

/// A game without its moves.
#[derive(Debug, Clone)]
pub struct GameRow {
    pub id: i64,
    pub rules: Rules,
    pub title: String,
    /// The seed of chance events and of the computer's choices.
    pub seed: i64,
    pub pace: Option<Pace>,
    /// How it ended.
    pub result: Option<String>,
    /// What a player offers, and the number of his seat.
    pub offer: Option<(String, i64)>,
    /// The game that these players have begun after it.
    pub next: Option<i64>,
    pub seats: Vec<SeatRow>,
}

/// A move or chance event as it is kept.
#[derive(Debug, Clone)]
pub struct Ply {
    pub ply: i64,
    /// The move as a term.
    pub mv: String,
    /// What the players had left when its turn began, in a game with clocks.
    pub times: Option<String>,
}

/// A game with all that was recorded of it.
#[derive(Debug, Clone)]
pub struct Recorded {
    pub game: GameRow,
    pub moves: Vec<Ply>,
    /// Who said what.
    pub chat: Vec<(String, String)>,
}

/// A line of a list of games.
#[derive(Debug, Clone)]
pub struct Entry {
    pub id: i64,
    pub title: String,
    pub result: Option<String>,
    /// The names at the seats.
    pub players: Vec<String>,
}

impl Store {
    /// Begins a game and returns its number; `challenge` is the one that it comes from.
    pub async fn begin_game(
        &self,
        rules: &Rules,
        title: &str,
        seats: &[SeatRow],
        seed: i64,
        pace: Option<Pace>,
        challenge: Option<i64>,
    ) -> Outcome<i64> {
        let id = next(&self.games);
        let mut writing = self.begin().await?;
        let sql = "INSERT INTO games (id, game, text, options, title, seed, clock, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
        let given = [
            id.into(),
            rules.game.as_str().into(),
            rules.text.as_deref().into(),
            rules.options_text().as_str().into(),
            title.into(),
            seed.into(),
            pace.map(Pace::text).as_deref().into(),
            now().into(),
        ];
        writing.run(sql, &given).await?;
        for (number, seat) in (0i64..).zip(seats) {
            let sql = "INSERT INTO seats (game, seat, account, strength) VALUES (?, ?, ?, ?)";
            let account = seat.account.as_ref().map(|account| account.id);
            let given = [id.into(), number.into(), account.into(), seat.strength.into()];
            writing.run(sql, &given).await?;
        }
        if let Some(challenge) = challenge {
            writing.run("DELETE FROM challengers WHERE challenge = ?", &[challenge.into()]).await?;
            writing.run("DELETE FROM challenges WHERE id = ?", &[challenge.into()]).await?;
        }
        writing.commit().await?;
        Ok(id)
    }

    /// Keeps moves and what else changes with them.
    pub async fn change(&self, change: Change) -> Outcome<()> {
        self.writer.write(change).await
    }

    /// These players have begun another game.
    pub async fn set_next(&self, game: i64, next: i64) -> Outcome<()> {
        let sql = "UPDATE games SET next_game = ?, offer = NULL, offered_by = NULL WHERE id = ?";
        self.run(sql, &[next.into(), game.into()]).await?;
        Ok(())
    }

    /// Takes the moves from a ply on back, with the time that they took: `left` is what each seat has then.
    pub async fn remove_moves(&self, game: i64, from: i64, left: &[i64]) -> Outcome<()> {
        let mut writing = self.begin().await?;
        let sql = "DELETE FROM moves WHERE game = ? AND ply >= ?";
        writing.run(sql, &[game.into(), from.into()]).await?;
        let sql = "UPDATE games SET offer = NULL, offered_by = NULL WHERE id = ?";
        writing.run(sql, &[game.into()]).await?;
        for (seat, left) in (0i64..).zip(left) {
            let sql = "UPDATE seats SET time_left = ? WHERE game = ? AND seat = ?";
            writing.run(sql, &[(*left).into(), game.into(), seat.into()]).await?;
        }
        writing.commit().await
    }

    pub async fn set_offer(&self, game: i64, offer: Option<(&str, i64)>) -> Outcome<()> {
        let sql = "UPDATE games SET offer = ?, offered_by = ? WHERE id = ?";
        let given =
            [offer.map(|(what, _)| what).into(), offer.map(|(_, by)| by).into(), game.into()];
        self.run(sql, &given).await?;
        Ok(())
    }

    pub async fn say(&self, game: i64, number: i64, account: i64, text: &str) -> Outcome<()> {
        let sql = "INSERT INTO chat (game, number, account, said) VALUES (?, ?, ?, ?)";
        self.run(sql, &[game.into(), number.into(), account.into(), text.into()]).await?;
        Ok(())
    }

    pub async fn recorded(&self, id: i64) -> Outcome<Option<Recorded>> {
        let sql = "SELECT game, text, options, title, seed, result, offer, offered_by, clock, next_game FROM games WHERE id = ?";
        let Some(row) = self.row(sql, &[id.into()]).await? else { return Ok(None) };
        let options: String = row.try_get(2)?;
        let offer = row.try_get::<Option<String>, _>(6)?.zip(row.try_get::<Option<i64>, _>(7)?);
        let mut game = GameRow {
            id,
            rules: Rules::of(row.try_get(0)?, row.try_get(1)?, &options)?,
            title: row.try_get(3)?,
            seed: row.try_get(4)?,
            result: row.try_get(5)?,
            offer,
            pace: pace(&row.try_get::<Option<String>, _>(8)?)?,
            next: row.try_get(9)?,
            seats: Vec::new(),
        };
        let sql = "SELECT a.id, a.name, a.password, s.strength, s.time_left FROM seats s LEFT JOIN accounts a ON a.id = s.account \
                   WHERE s.game = ? ORDER BY s.seat";
        for row in self.rows(sql, &[id.into()]).await? {
            let person = match row.try_get::<Option<i64>, _>(0)? {
                Some(_) => Some(account(&row, 0)?),
                None => None,
            };
            let (strength, left) = (row.try_get(3)?, row.try_get(4)?);
            game.seats.push(SeatRow { account: person, strength, left });
        }
        let mut moves = Vec::new();
        let sql = "SELECT ply, move, times FROM moves WHERE game = ? ORDER BY ply";
        for row in self.rows(sql, &[id.into()]).await? {
            moves.push(Ply { ply: row.try_get(0)?, mv: row.try_get(1)?, times: row.try_get(2)? });
        }
        let mut chat = Vec::new();
        let sql = "SELECT a.name, c.said FROM chat c JOIN accounts a ON a.id = c.account WHERE c.game = ? ORDER BY c.number";
        for row in self.rows(sql, &[id.into()]).await? {
            chat.push((row.try_get(0)?, row.try_get(1)?));
        }
        Ok(Some(Recorded { game, moves, chat }))
    }

    /// The people of unfinished games: game and account.
    pub async fn unfinished(&self) -> Outcome<Vec<(i64, i64)>> {
        let sql = "SELECT s.game, s.account FROM seats s JOIN games g ON g.id = s.game \
                   WHERE g.ended IS NULL AND s.account IS NOT NULL ORDER BY s.game, s.seat";
        let rows = self.rows(sql, &[]).await?;
        rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
    }

    /// The last games of a person, the newest first; only unfinished ones where that is asked for.
    pub async fn games_of(&self, account: i64, unfinished: bool, most: i64) -> Outcome<Vec<Entry>> {
        let going = if unfinished { "AND g.ended IS NULL" } else { "" };
        let sql = format!(
            "SELECT g.id, g.title, g.result FROM games g JOIN seats s ON s.game = g.id \
             WHERE s.account = ? {going} GROUP BY g.id, g.title, g.result ORDER BY g.id DESC LIMIT ?"
        );
        self.entries(&sql, &[account.into(), most.into()]).await
    }

    /// Games that go on, the newest first.
    pub async fn going(&self, most: i64) -> Outcome<Vec<Entry>> {
        let sql =
            "SELECT id, title, result FROM games WHERE ended IS NULL ORDER BY id DESC LIMIT ?";
        self.entries(sql, &[most.into()]).await
    }

    async fn entries(&self, sql: &str, given: &[Given]) -> Outcome<Vec<Entry>> {
        let mut entries: BTreeMap<i64, Entry> = BTreeMap::new();
        for row in self.rows(sql, given).await? {
            let id = row.try_get(0)?;
            let (title, result) = (row.try_get(1)?, row.try_get(2)?);
            entries.insert(id, Entry { id, title, result, players: Vec::new() });
        }
        if entries.is_empty() {
            return Ok(Vec::new());
        }
        let marks = vec!["?"; entries.len()].join(", ");
        let sql = format!(
            "SELECT s.game, a.name FROM seats s LEFT JOIN accounts a ON a.id = s.account \
             WHERE s.game IN ({marks}) ORDER BY s.game, s.seat"
        );
        let given: Vec<Given> = entries.keys().map(|id| (*id).into()).collect();
        for row in self.rows(&sql, &given).await? {
            let name: Option<String> = row.try_get(1)?;
            if let Some(entry) = entries.get_mut(&row.try_get::<i64, _>(0)?) {
                entry.players.push(name.unwrap_or_else(|| "computer".to_string()));
            }
        }
        Ok(entries.into_values().rev().collect())
    }
}
