//! How much one visitor may ask for in a time: buckets of requests and of the engines' seconds, which fill evenly.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Server;
use super::failure::{Failure, Outcome};

/// Above this many buckets the full ones are forgotten.
const MOST_BUCKETS: usize = 20_000;
/// The most streams of events that one visitor has open.
const MOST_STREAMS: usize = 30;
/// The seconds of searches, reasons and own rules that a visitor has at once, and gets back in each second.
const SECONDS: (f64, f64) = (60.0, 0.3);

/// Whose limits count: an account, or else an address.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    Account(i64),
    Peer(String),
}

/// What is counted: each has a bucket of its own for each visitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Deed {
    /// Enrolling and logging in, where passwords are hashed.
    Enter,
    /// Chat, challenges, offers.
    Say,
    /// Moves.
    Move,
    /// Searches, reasons, rules of strangers.
    Think,
}

impl Deed {
    /// How many at once, and how many a second.
    fn allowance(self) -> (f64, f64) {
        match self {
            Deed::Enter => (20.0, 0.2),
            Deed::Say => (20.0, 0.5),
            Deed::Move => (60.0, 10.0),
            Deed::Think => (30.0, 3.0),
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl Bucket {
    /// What is in it now.
    fn left(self, (most, each_second): (f64, f64)) -> f64 {
        (self.left + self.at.elapsed().as_secs_f64() * each_second).min(most)
    }
}

/// The buckets of all visitors.
#[derive(Debug)]
pub struct Rates {
    buckets: Mutex<BTreeMap<(Deed, Owner), Bucket>>,
}

impl Rates {
    pub fn new() -> Rates {
        Rates { buckets: Mutex::new(BTreeMap::new()) }
    }

    /// Takes one from the visitor's bucket.
    ///
    /// # Errors
    /// It is empty.
    pub fn take(&self, deed: Deed, owner: &Owner) -> Outcome<()> {
        let allowance = deed.allowance();
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() > MOST_BUCKETS {
            buckets.retain(|(deed, _), bucket| bucket.left(deed.allowance()) < deed.allowance().0);
        }
        let now = Instant::now();
        let key = (deed, owner.clone());
        let bucket = buckets.entry(key).or_insert(Bucket { left: allowance.0, at: now });
        *bucket = Bucket { left: bucket.left(allowance), at: now };
        if bucket.left < 1.0 {
            let seconds = ((1.0 - bucket.left) / allowance.1).ceil();
            return Err(Failure::too_many(format!("that is too often: wait {seconds} seconds")));
        }
        bucket.left -= 1.0;
        Ok(())
    }
}

/// The seconds of engine work that each visitor has left. Work may begin while any are left, and takes what it needs: then
/// the bucket is below zero, and fills from there.
#[derive(Debug)]
pub struct Seconds {
    allowance: (f64, f64),
    buckets: Mutex<BTreeMap<Owner, Bucket>>,
}

impl Seconds {
    /// The seconds at once, and those that come back in each second.
    pub fn new(most: f64, each_second: f64) -> Seconds {
        Seconds { allowance: (most, each_second), buckets: Mutex::new(BTreeMap::new()) }
    }

    /// The budget of a visitor to the server.
    pub fn usual() -> Seconds {
        Seconds::new(SECONDS.0, SECONDS.1)
    }

    /// What a visitor has left.
    pub fn left(&self, owner: &Owner) -> f64 {
        let buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        buckets.get(owner).map_or(self.allowance.0, |bucket| bucket.left(self.allowance))
    }

    /// Whether work may begin.
    ///
    /// # Errors
    /// Nothing is left.
    pub fn check(&self, owner: &Owner) -> Outcome<()> {
        let left = self.left(owner);
        if left > 0.0 {
            return Ok(());
        }
        let seconds = ((1.0 - left) / self.allowance.1.max(0.01)).ceil();
        Err(Failure::too_many(format!(
            "the server has worked for you for all of your time: wait {seconds} seconds"
        )))
    }

    /// Takes the time that work has needed.
    pub fn spend(&self, owner: &Owner, took: Duration) {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() > MOST_BUCKETS {
            buckets.retain(|_, bucket| bucket.left(self.allowance) < self.allowance.0);
        }
        let full = Bucket { left: self.allowance.0, at: Instant::now() };
        let bucket = buckets.entry(owner.clone()).or_insert(full);
        let left = bucket.left(self.allowance) - took.as_secs_f64();
        *bucket = Bucket { left, at: Instant::now() };
    }
}

/// How many streams of events each visitor has open.
#[derive(Debug)]
pub struct Streams {
    open: Mutex<BTreeMap<Owner, usize>>,
}

impl Streams {
    pub fn new() -> Streams {
        Streams { open: Mutex::new(BTreeMap::new()) }
    }
}

/// A stream of events that is open; dropped when it is closed.
pub struct OpenStream {
    server: Arc<Server>,
    visitor: Owner,
}

impl OpenStream {
    /// Opens one more.
    ///
    /// # Errors
    /// The visitor has as many as one may have.
    pub fn new(server: &Arc<Server>, visitor: Owner) -> Outcome<OpenStream> {
        let mut open = server.streams.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(visitor.clone()).or_insert(0);
        if *count >= MOST_STREAMS {
            return Err(Failure::too_many(format!(
                "{MOST_STREAMS} pages that show what happens are open: close one of them first"
            )));
        }
        *count += 1;
        drop(open);
        Ok(OpenStream { server: Arc::clone(server), visitor })
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let mut open = self.server.streams.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.visitor) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.visitor);
            }
        }
    }
}
