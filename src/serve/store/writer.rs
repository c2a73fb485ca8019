//! The one that writes moves: those that come while it commits others are committed together (group commit).
//!
//! A move is answered after its transaction, so none that was answered is lost; and a thousand tables wait for a few
//! transactions and not for a thousand.

use sqlx::AnyPool;
use tokio::sync::{mpsc, oneshot};

use super::super::failure::{Failure, Outcome};
use super::{Dialect, Given, Ply, Writing, now};

/// The most tables whose moves are committed together.
const MOST: usize = 256;
/// How many rows one statement inserts, the most first: few different statements are prepared once each.
const ROWS: [usize; 7] = [64, 32, 16, 8, 4, 2, 1];

/// What a move, or the end of a game, changes.
#[derive(Debug, Clone, Default)]
pub struct Change {
    pub game: i64,
    pub moves: Vec<Ply>,
    /// Something was offered, which is gone now.
    pub offered: bool,
    /// How the game has ended.
    pub result: Option<String>,
    /// A seat, and the milliseconds that are left to it.
    pub left: Option<(usize, i64)>,
}

type Asked = (Change, oneshot::Sender<Outcome<()>>);

/// The queue of changes.
pub struct Writer {
    queue: mpsc::Sender<Asked>,
}

impl Writer {
    /// Starts the task that writes.
    pub(super) fn new(pool: AnyPool, dialect: Dialect) -> Writer {
        let (queue, mut asked) = mpsc::channel::<Asked>(MOST);
        tokio::spawn(async move {
            let mut batch = Vec::new();
            while asked.recv_many(&mut batch, MOST).await > 0 {
                let (changes, answers): (Vec<Change>, Vec<_>) = batch.drain(..).unzip();
                let together = written(&pool, dialect, &changes).await;
                let alone = changes.len() == 1;
                for (change, answer) in changes.iter().zip(answers) {
                    // what cannot be written must not keep the others from it
                    let outcome = match &together {
                        Ok(()) => Ok(()),
                        Err(failure) if alone => Err(failure.clone()),
                        Err(_) => written(&pool, dialect, std::slice::from_ref(change)).await,
                    };
                    let _ = answer.send(outcome);
                }
            }
        });
        Writer { queue }
    }

    /// Writes a change, and returns when it is committed.
    pub(super) async fn write(&self, change: Change) -> Outcome<()> {
        let (answer, written) = oneshot::channel();
        let gone = |_| Failure::internal("the move was not written", "the writer has ended");
        self.queue.send((change, answer)).await.map_err(|_| gone(()))?;
        written.await.map_err(|_| gone(()))?
    }
}

/// Writes changes in one transaction.
async fn written(pool: &AnyPool, dialect: Dialect, changes: &[Change]) -> Outcome<()> {
    let mut writing = Writing { dialect, transaction: pool.begin().await? };
    let now = now();
    let moves = changes.iter().flat_map(|change| change.moves.iter().map(|ply| (change.game, ply)));
    let mut rows: &[(i64, &Ply)] = &moves.collect::<Vec<_>>();
    for count in ROWS {
        while rows.len() >= count {
            let (these, others) = rows.split_at(count);
            rows = others;
            let marks = vec!["(?, ?, ?, ?, ?)"; count].join(", ");
            let given: Vec<Given> = these
                .iter()
                .flat_map(|(game, ply)| {
                    let (mv, times) = (ply.mv.as_str().into(), ply.times.as_deref().into());
                    [(*game).into(), ply.ply.into(), mv, now.into(), times]
                })
                .collect();
            let sql = format!("INSERT INTO moves (game, ply, move, made, times) VALUES {marks}");
            writing.run(&sql, &given).await?;
        }
    }
    for change in changes {
        if change.offered || change.result.is_some() {
            let sql = "UPDATE games SET offer = NULL, offered_by = NULL, result = ?, ended = ? WHERE id = ?";
            let ended: Given = change.result.as_ref().map(|_| now).into();
            let given = [change.result.as_deref().into(), ended, change.game.into()];
            writing.run(sql, &given).await?;
        }
        if let Some((seat, left)) = change.left {
            let sql = "UPDATE seats SET time_left = ? WHERE game = ? AND seat = ?";
            let given = [left.into(), change.game.into(), (seat as i64).into()];
            writing.run(sql, &given).await?;
        }
    }
    writing.commit().await
}
