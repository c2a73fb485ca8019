//! A pool of threads for the work of engines, which would hold up the asynchronous executor.
//!
//! The queue is bounded: what does not fit is refused at once, so a flood of requests costs those who send it. A panic
//! ends one job and nothing else.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use tokio::sync::oneshot;

use super::failure::{Failure, Outcome};

/// The most jobs that wait for a thread.
const MOST_WAITING: usize = 1_024;
/// The stack of a thread, in bytes: evaluators recurse as deeply as the rules nest. Only what is used takes memory.
const STACK: usize = 64 << 20;

type Job = Box<dyn FnOnce() + Send>;

/// A pool of as many threads as there are processors.
pub struct Pool {
    jobs: SyncSender<Job>,
}

impl Pool {
    pub fn new(name: &str) -> Pool {
        let (jobs, waiting) = sync_channel::<Job>(MOST_WAITING);
        let waiting = Arc::new(Mutex::new(waiting));
        let threads = thread::available_parallelism().map_or(1, usize::from);
        for _ in 0..threads {
            let waiting = Arc::clone(&waiting);
            let builder = thread::Builder::new().name(name.to_string()).stack_size(STACK);
            // one thread less is no reason to stop: without any, all work is refused
            let _ = builder.spawn(move || work(&waiting));
        }
        Pool { jobs }
    }

    /// Does a job on one of the threads.
    ///
    /// # Errors
    /// The queue is full, or the job has panicked.
    pub async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Outcome<T> {
        let (done, result) = oneshot::channel();
        let job: Job = Box::new(move || {
            // the one who asked has gone
            if !done.is_closed() {
                // the message of a panic is in the log; what the job held is dropped with it
                let _ = done.send(catch_unwind(AssertUnwindSafe(job)));
            }
        });
        match self.jobs.try_send(job) {
            Ok(()) => match result.await {
                Ok(Ok(result)) => Ok(result),
                Ok(Err(_)) => {
                    let cause = "see the message of the panic above";
                    Err(Failure::internal("the work met a fault of the server", cause))
                }
                Err(_) => Err(Failure::busy()),
            },
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => Err(Failure::busy()),
        }
    }
}

fn work(waiting: &Mutex<Receiver<Job>>) {
    loop {
        let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match next {
            Ok(job) => job(),
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_ends_one_job() {
        let pool = Pool::new("test");
        let most = 2 * thread::available_parallelism().map_or(1, usize::from);
        for _ in 0..most {
            let failure = pool.run(|| -> i32 { panic!("a job of the test") }).await.unwrap_err();
            assert_eq!(failure.status, axum::http::StatusCode::INTERNAL_SERVER_ERROR);
        }
        assert_eq!(pool.run(|| 7).await.ok(), Some(7));
    }
}
