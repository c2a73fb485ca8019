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
/// All guests of an address together have as much as this number of visitors, since anybody can come in as one more guest.
const GUESTS: f64 = 4.0;

/// Whose limits count: an account, or else an address.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    Account(i64),
    Peer(String),
    /// All guests of an address.
    Guests(String),
    /// The server itself, for what all visitors see.
    Server,
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
            let seconds = (1.0 - bucket.left) / allowance.1;
            return Err(Failure::too_soon("that is too often:", seconds));
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
    /// The addresses from which guests have come last.
    homes: Mutex<BTreeMap<i64, String>>,
}

impl Seconds {
    /// The seconds at once, and those that come back in each second.
    pub fn new(most: f64, each_second: f64) -> Seconds {
        Seconds {
            allowance: (most, each_second),
            buckets: Mutex::new(BTreeMap::new()),
            homes: Mutex::new(BTreeMap::new()),
        }
    }

    /// Notes where a guest comes from.
    pub fn note_guest(&self, guest: i64, peer: &str) {
        let mut homes = self.homes.lock().unwrap_or_else(PoisonError::into_inner);
        if homes.len() > MOST_BUCKETS {
            homes.clear();
        }
        if homes.get(&guest).is_none_or(|home| home != peer) {
            homes.insert(guest, peer.to_string());
        }
    }

    /// What work of a visitor is taken from: the own bucket, and a guest's also from that of the address.
    fn payers(&self, owner: &Owner) -> Vec<Owner> {
        let homes = self.homes.lock().unwrap_or_else(PoisonError::into_inner);
        let home = match owner {
            Owner::Account(id) => homes.get(id).map(|home| Owner::Guests(home.clone())),
            _ => None,
        };
        std::iter::once(owner.clone()).chain(home).collect()
    }

    /// The seconds at once, and those that come back in each second.
    fn allowance(&self, payer: &Owner) -> (f64, f64) {
        let (most, each_second) = self.allowance;
        match payer {
            Owner::Guests(_) => (GUESTS * most, GUESTS * each_second),
            _ => (most, each_second),
        }
    }

    /// What is in a bucket.
    fn left_to(&self, payer: &Owner) -> f64 {
        let allowance = self.allowance(payer);
        let buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        buckets.get(payer).map_or(allowance.0, |bucket| bucket.left(allowance))
    }

    /// The budget of a visitor to the server.
    pub fn usual() -> Seconds {
        Seconds::new(SECONDS.0, SECONDS.1)
    }

    /// What a visitor has left.
    pub fn left(&self, owner: &Owner) -> f64 {
        let payers = self.payers(owner);
        payers.iter().map(|payer| self.left_to(payer)).fold(f64::INFINITY, f64::min)
    }

    /// Whether work may begin.
    ///
    /// # Errors
    /// Nothing is left.
    pub fn check(&self, owner: &Owner) -> Outcome<()> {
        for payer in self.payers(owner) {
            let left = self.left_to(&payer);
            if left > 0.0 {
                continue;
            }
            let seconds = (1.0 - left) / self.allowance(&payer).1.max(0.01);
            let whose = match payer {
                Owner::Guests(_) => {
                    "all of the time of the guests of your address: enrol with a password, or"
                }
                _ => "all of your time:",
            };
            return Err(Failure::too_soon(
                &format!("the server has worked for you for {whose}"),
                seconds,
            ));
        }
        Ok(())
    }

    /// Takes the time that work has needed.
    pub fn spend(&self, owner: &Owner, took: Duration) {
        let payers = self.payers(owner);
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() > MOST_BUCKETS {
            buckets.retain(|payer, bucket| {
                let allowance = self.allowance(payer);
                bucket.left(allowance) < allowance.0
            });
        }
        for payer in payers {
            let allowance = self.allowance(&payer);
            let full = Bucket { left: allowance.0, at: Instant::now() };
            let bucket = buckets.entry(payer).or_insert(full);
            let left = bucket.left(allowance) - took.as_secs_f64();
            *bucket = Bucket { left, at: Instant::now() };
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guests_of_an_address_share_a_budget() {
        let seconds = Seconds::new(10.0, 0.0);
        for guest in 1..=5 {
            seconds.note_guest(guest, "192.0.2.1");
        }
        seconds.note_guest(6, "192.0.2.2");
        for guest in 1..=4 {
            assert!(seconds.check(&Owner::Account(guest)).is_ok());
            seconds.spend(&Owner::Account(guest), Duration::from_secs(10));
        }
        // a fifth guest has nothing left, but others have: another address, and a person with a password
        let refused = seconds.check(&Owner::Account(5)).unwrap_err();
        assert!(refused.sentence.contains("guests of your address"), "{}", refused.sentence);
        assert!(seconds.check(&Owner::Account(6)).is_ok());
        assert!(seconds.check(&Owner::Account(7)).is_ok());
        assert!(seconds.check(&Owner::Peer("192.0.2.1".into())).is_ok());
    }
}
