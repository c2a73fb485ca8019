//! Clocks: each player has a time for all of his moves, and gets some of it back with each turn.
//!
//! A clock runs from a player's second turn on, so no player loses time before he has seen the game. It runs only while the
//! server does: what was left at the last move is in the database, and a game that is set up again goes on from there.

use std::time::{Duration, Instant};

use super::failure::{Failure, Outcome};

/// The longest time for all moves, in minutes, and the most that a turn gives back, in seconds.
const MOST_MINUTES: i64 = 180;
const MOST_SECONDS: i64 = 180;

/// The times of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    minutes: i64,
    /// What each turn gives back.
    seconds: i64,
}

impl Pace {
    /// Reads `MINUTES+SECONDS`; an empty text is a game without clocks.
    ///
    /// # Errors
    /// It is written otherwise, or too much.
    pub fn read(text: &str) -> Outcome<Option<Pace>> {
        if text.is_empty() {
            return Ok(None);
        }
        let number = |text: &str| text.parse::<i64>().ok();
        let pair = text.split_once('+').and_then(|(m, s)| number(m).zip(number(s)));
        match pair {
            Some((minutes @ 1..=MOST_MINUTES, seconds @ 0..=MOST_SECONDS)) => {
                Ok(Some(Pace { minutes, seconds }))
            }
            _ => Err(Failure::wrong(format!(
                "`clock` is MINUTES+SECONDS with 1 to {MOST_MINUTES} minutes for all moves and 0 to {MOST_SECONDS} \
                 seconds for each turn, such as 10+5, or empty; not `{text}`"
            ))),
        }
    }

    /// The paces that a form offers.
    pub fn usual() -> impl Iterator<Item = Pace> {
        let usual = [(1, 0), (3, 2), (5, 3), (10, 5), (15, 10), (30, 20), (60, 30)];
        usual.into_iter().map(|(minutes, seconds)| Pace { minutes, seconds })
    }

    /// The text that `read` understands.
    pub fn text(self) -> String {
        format!("{}+{}", self.minutes, self.seconds)
    }

    /// The pace in words.
    pub fn told(self) -> String {
        let minutes = if self.minutes == 1 { "minute" } else { "minutes" };
        match self.seconds {
            0 => format!("{} {minutes} each", self.minutes),
            seconds => format!("{} {minutes} each and {seconds} s for each turn", self.minutes),
        }
    }
}

/// The clocks of a game. Times are in milliseconds.
#[derive(Debug, Clone)]
pub struct Clocks {
    pace: Pace,
    left: Vec<i64>,
    /// The seat whose clock runs, and since when.
    running: Option<(usize, Instant)>,
}

impl Clocks {
    /// Clocks at rest, with what is left to each seat; where nothing is told, all of it.
    pub fn new(pace: Pace, left: impl IntoIterator<Item = Option<i64>>) -> Clocks {
        let left = left.into_iter().map(|left| left.unwrap_or(pace.minutes * 60_000)).collect();
        Clocks { pace, left, running: None }
    }

    /// What is left to a seat now.
    pub fn left(&self, seat: usize) -> i64 {
        let left = self.left.get(seat).copied().unwrap_or(0);
        match self.running {
            Some((running, since)) if running == seat => (left - passed(since)).max(0),
            _ => left,
        }
    }

    /// What all players had left when the turn began, as a text that `restore` understands.
    pub fn kept(&self) -> String {
        let times: Vec<String> = self.left.iter().map(i64::to_string).collect();
        times.join(" ")
    }

    /// Stops the clocks and sets them to what was kept; returns what is left to each seat.
    pub fn restore(&mut self, kept: &str) -> &[i64] {
        self.running = None;
        let times = kept.split(' ').filter_map(|time| time.parse().ok());
        self.left.iter_mut().zip(times).for_each(|(left, time)| *left = time);
        &self.left
    }

    pub fn runs(&self, seat: usize) -> bool {
        self.running.is_some_and(|(running, _)| running == seat)
    }

    /// When the running clock will have run out.
    pub fn due(&self) -> Option<Instant> {
        let (seat, since) = self.running?;
        let left = u64::try_from(self.left.get(seat).copied()?).unwrap_or(0);
        Some(since + Duration::from_millis(left))
    }

    /// The seat whose time has run out.
    pub fn out(&self) -> Option<usize> {
        let (seat, _) = self.running?;
        (self.left(seat) == 0).then_some(seat)
    }

    /// Stops the running clock; its seat, and what is left to it.
    pub fn stop(&mut self) -> Option<(usize, i64)> {
        let (seat, _) = self.running?;
        let left = self.left(seat);
        self.running = None;
        *self.left.get_mut(seat)? = left;
        Some((seat, left))
    }

    /// A turn has ended: its seat gets back what the pace gives, unless it goes on. Returns what is left to it.
    pub fn pass(&mut self, next: Option<usize>) -> Option<(usize, i64)> {
        let (seat, left) = self.stop()?;
        if next.is_none_or(|next| next == seat) {
            return Some((seat, left));
        }
        let left = left + self.pace.seconds * 1000;
        *self.left.get_mut(seat)? = left;
        Some((seat, left))
    }

    /// Starts the clock of a seat.
    pub fn start(&mut self, seat: usize) {
        self.running = Some((seat, Instant::now()));
    }
}

fn passed(since: Instant) -> i64 {
    i64::try_from(since.elapsed().as_millis()).unwrap_or(i64::MAX)
}

/// A time as a clock shows it.
pub fn shown(left: i64) -> String {
    let seconds = (left + 999) / 1000;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, minutes, seconds) => format!("{minutes}:{seconds:02}"),
        (hours, minutes, seconds) => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}
