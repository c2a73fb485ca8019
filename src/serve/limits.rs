//! How much one visitor may ask for in a time: a bucket for each that fills evenly.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::Server;
use super::failure::{Failure, Outcome};

/// Above this many buckets the full ones are forgotten.
const MOST_BUCKETS: usize = 20_000;
/// The most streams of events that one visitor has open.
const MOST_STREAMS: usize = 30;

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

/// The buckets of all visitors.
#[derive(Debug)]
pub struct Rates {
    buckets: Mutex<BTreeMap<(Deed, String), Bucket>>,
}

impl Rates {
    pub fn new() -> Rates {
        Rates { buckets: Mutex::new(BTreeMap::new()) }
    }

    /// Takes one from the visitor's bucket.
    ///
    /// # Errors
    /// It is empty.
    pub fn take(&self, deed: Deed, visitor: &str) -> Outcome<()> {
        let (most, each_second) = deed.allowance();
        let now = Instant::now();
        let filled = |bucket: &Bucket, most: f64, each: f64| {
            (bucket.left + now.duration_since(bucket.at).as_secs_f64() * each).min(most)
        };
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() > MOST_BUCKETS {
            buckets.retain(|(deed, _), bucket| {
                let (most, each) = deed.allowance();
                filled(bucket, most, each) < most
            });
        }
        let key = (deed, visitor.to_string());
        let bucket = buckets.entry(key).or_insert(Bucket { left: most, at: now });
        *bucket = Bucket { left: filled(bucket, most, each_second), at: now };
        if bucket.left < 1.0 {
            let seconds = ((1.0 - bucket.left) / each_second).ceil();
            return Err(Failure::too_many(format!("that is too often: wait {seconds} seconds")));
        }
        bucket.left -= 1.0;
        Ok(())
    }
}

/// How many streams of events each visitor has open.
#[derive(Debug)]
pub struct Streams {
    open: Mutex<BTreeMap<String, usize>>,
}

impl Streams {
    pub fn new() -> Streams {
        Streams { open: Mutex::new(BTreeMap::new()) }
    }
}

/// A stream of events that is open; dropped when it is closed.
pub struct OpenStream {
    server: Arc<Server>,
    visitor: String,
}

impl OpenStream {
    /// Opens one more.
    ///
    /// # Errors
    /// The visitor has as many as one may have.
    pub fn new(server: &Arc<Server>, visitor: String) -> Outcome<OpenStream> {
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
