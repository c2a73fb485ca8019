//! A pool of threads for the work of engines, which would hold up the asynchronous executor.
//!
//! Each owner has a queue of its own, and the owners take turns (fair queueing), so who asks for much waits behind himself
//! and not before others. The number of jobs that wait is bounded: what does not fit is refused at once. A panic ends one
//! job and nothing else.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use tokio::sync::oneshot;

use super::failure::{Failure, Outcome};
use super::limits::{Owner, Seconds};

/// The most jobs that wait for a thread, and the most of one owner.
const MOST_WAITING: usize = 2_048;
const MOST_OWN: usize = 128;
/// The stack of a thread, in bytes: evaluators recurse as deeply as the rules nest. Only what is used takes memory.
const STACK: usize = 64 << 20;
/// By how much threads for long work step back behind the others, as `nice` does: moves of shipped games go first.
const NICE: i32 = 5;

type Job = Box<dyn FnOnce() + Send>;

/// Threads that work.
pub struct Pool {
    queue: Arc<Queue>,
    /// The time that each owner may take; without it, any.
    budget: Option<Arc<Seconds>>,
}

struct Queue {
    waiting: Mutex<Waiting>,
    ready: Condvar,
    /// The most jobs of one owner that run at a time.
    most_each: usize,
}

#[derive(Default)]
struct Waiting {
    lines: BTreeMap<Owner, Line>,
    /// The owners that have a job that may start, each once, in the order of their turns.
    turns: VecDeque<Owner>,
    count: usize,
    closed: bool,
}

/// The jobs of one owner.
#[derive(Default)]
struct Line {
    jobs: VecDeque<Job>,
    running: usize,
    /// The owner is among the turns.
    has_turn: bool,
}

/// As many threads as there are processors, and at least two.
fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from).max(2)
}

impl Pool {
    /// A pool for short work.
    pub fn new(name: &str) -> Pool {
        Pool::with(name, threads(), usize::MAX, None, false)
    }

    /// A pool for work that takes long: one job of each owner runs at a time, within the owner's budget.
    pub fn budgeted(name: &str, budget: Arc<Seconds>) -> Pool {
        Pool::with(name, threads(), 1, Some(budget), true)
    }

    /// A pool of one thread that steps back behind all others.
    pub fn patient(name: &str) -> Pool {
        Pool::with(name, 1, 1, None, true)
    }

    fn with(
        name: &str,
        threads: usize,
        most_each: usize,
        budget: Option<Arc<Seconds>>,
        nice: bool,
    ) -> Pool {
        let queue = Arc::new(Queue { waiting: Mutex::default(), ready: Condvar::new(), most_each });
        for _ in 0..threads {
            let queue = Arc::clone(&queue);
            let builder = thread::Builder::new().name(name.to_string()).stack_size(STACK);
            // one thread less is no reason to stop: without any, all work is refused
            let _ = builder.spawn(move || {
                if nice {
                    // a system that does not allow it gives all threads the same share
                    let _ = rustix::process::setpriority_process(None, NICE);
                }
                queue.work();
            });
        }
        Pool { queue, budget }
    }

    /// Does a job on one of the threads.
    ///
    /// # Errors
    /// The queue is full, the owner's budget is spent, or the job has panicked.
    pub async fn run<T: Send + 'static>(
        &self,
        owner: &Owner,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Outcome<T> {
        let (done, result) = oneshot::channel();
        let (budget, payer) = (self.budget.clone(), owner.clone());
        if let Some(budget) = &budget {
            budget.check(owner)?;
        }
        let job: Job = Box::new(move || {
            // the one who asked has gone
            if done.is_closed() {
                return;
            }
            // what waited with this job may have spent the budget
            if let Some(Err(failure)) = budget.as_ref().map(|budget| budget.check(&payer)) {
                let _ = done.send(Err(failure));
                return;
            }
            let began = Instant::now();
            // the message of a panic is in the log; what the job held is dropped with it
            let result = catch_unwind(AssertUnwindSafe(job));
            if let Some(budget) = budget {
                budget.spend(&payer, began.elapsed());
            }
            let _ = done.send(result.map_err(|_| {
                let cause = "see the message of the panic above";
                Failure::internal("the work met a fault of the server", cause)
            }));
        });
        self.queue.put(owner, job)?;
        result.await.unwrap_or_else(|_| Err(Failure::busy()))
    }

    /// The seconds of work that an owner has left, where there is a budget.
    pub fn left(&self, owner: &Owner) -> Option<f64> {
        self.budget.as_ref().map(|budget| budget.left(owner))
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.queue.lock().closed = true;
        self.queue.ready.notify_all();
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, owner: &Owner, job: Job) -> Outcome<()> {
        let mut waiting = self.lock();
        if waiting.count >= MOST_WAITING {
            return Err(Failure::busy());
        }
        let line = waiting.lines.entry(owner.clone()).or_default();
        if line.jobs.len() >= MOST_OWN {
            return Err(Failure::too_many(format!(
                "{MOST_OWN} requests of yours wait for the server: let them be answered first"
            )));
        }
        line.jobs.push_back(job);
        waiting.count += 1;
        self.give_turn(&mut waiting, owner);
        drop(waiting);
        self.ready.notify_one();
        Ok(())
    }

    /// Puts an owner at the end of the turns if a job of his may start.
    fn give_turn(&self, waiting: &mut Waiting, owner: &Owner) {
        let Some(line) = waiting.lines.get_mut(owner) else { return };
        if line.jobs.is_empty() && line.running == 0 {
            waiting.lines.remove(owner);
        } else if !line.jobs.is_empty() && !line.has_turn && line.running < self.most_each {
            line.has_turn = true;
            waiting.turns.push_back(owner.clone());
        }
    }

    /// Waits for the next job; `None` when the pool is closed.
    fn take(&self) -> Option<(Owner, Job)> {
        let mut waiting = self.lock();
        loop {
            if waiting.closed {
                return None;
            }
            if let Some(owner) = waiting.turns.pop_front() {
                let line = waiting.lines.entry(owner.clone()).or_default();
                line.has_turn = false;
                if let Some(job) = line.jobs.pop_front() {
                    line.running += 1;
                    waiting.count -= 1;
                    self.give_turn(&mut waiting, &owner);
                    return Some((owner, job));
                }
            }
            waiting = self.ready.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn work(&self) {
        while let Some((owner, job)) = self.take() {
            job();
            let mut waiting = self.lock();
            if let Some(line) = waiting.lines.get_mut(&owner) {
                line.running -= 1;
            }
            // this thread then runs the job of the next account in turn
            self.give_turn(&mut waiting, &owner);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    const ANNA: Owner = Owner::Account(1);
    const BERT: Owner = Owner::Account(2);

    fn budgeted(most: f64) -> Pool {
        Pool::budgeted("test", Arc::new(Seconds::new(most, 0.0)))
    }

    #[tokio::test]
    async fn a_panic_ends_one_job() {
        let pool = Pool::new("test");
        let most = 2 * thread::available_parallelism().map_or(1, usize::from);
        for _ in 0..most {
            let failure =
                pool.run(&ANNA, || -> i32 { panic!("a job of the test") }).await.unwrap_err();
            assert_eq!(failure.status, axum::http::StatusCode::INTERNAL_SERVER_ERROR);
        }
        assert_eq!(pool.run(&ANNA, || 7).await.ok(), Some(7));
    }

    #[tokio::test]
    async fn owners_take_turns_and_none_has_two_threads() {
        let pool = Arc::new(budgeted(1_000.0));
        let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let finished = Arc::new(AtomicUsize::new(0));
        let mut jobs = Vec::new();
        for _ in 0..20 {
            let (pool, running, most) =
                (Arc::clone(&pool), Arc::clone(&running), Arc::clone(&most));
            let finished = Arc::clone(&finished);
            jobs.push(tokio::spawn(async move {
                let job = move || {
                    most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    thread::sleep(Duration::from_millis(20));
                    running.fetch_sub(1, Ordering::SeqCst);
                    finished.fetch_add(1, Ordering::SeqCst);
                };
                pool.run(&ANNA, job).await
            }));
        }
        tokio::time::sleep(Duration::from_millis(30)).await;
        let before = pool.run(&BERT, move || finished.load(Ordering::SeqCst)).await.ok();
        assert!(before.is_some_and(|before| before < 19), "{before:?} jobs of Anna went before");
        for job in jobs {
            assert!(job.await.is_ok_and(|done| done.is_ok()));
        }
        assert_eq!(most.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn a_spent_budget_is_told_and_others_have_theirs() {
        let pool = budgeted(0.05);
        let long = || thread::sleep(Duration::from_millis(60));
        assert!(pool.run(&ANNA, long).await.is_ok());
        let refused = pool.run(&ANNA, long).await.unwrap_err();
        assert_eq!(refused.status, axum::http::StatusCode::TOO_MANY_REQUESTS);
        assert!(pool.run(&BERT, long).await.is_ok());
    }
}
