//! Rule files are compared in processes of their own, so that a crash or an endless loop is a
//! find. A worker reads one question a line and answers each with one line.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use crate::check;
use crate::report::{Find, Question, Report};

/// Set for a process that is a worker.
pub const WORKER: &str = "LUDEX_RANDOM_WORKER";

/// A running worker and what it says.
pub struct Worker {
    child: Child,
    input: ChildStdin,
    answers: Receiver<String>,
    errors: Receiver<String>,
}

impl Worker {
    pub fn start() -> Worker {
        let program = std::env::current_exe().expect("the test's own path");
        let mut child = Command::new(program)
            .env(WORKER, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a worker starts");
        let input = child.stdin.take().expect("its input");
        let lines = |stream: Box<dyn std::io::Read + Send>| {
            let (send, receive) = channel();
            std::thread::spawn(move || {
                for line in BufReader::new(stream).lines().map_while(Result::ok) {
                    if send.send(line).is_err() {
                        break;
                    }
                }
            });
            receive
        };
        let answers = lines(Box::new(child.stdout.take().expect("its output")));
        let errors = lines(Box::new(child.stderr.take().expect("its errors")));
        Worker { child, input, answers, errors }
    }

    /// The answer to a question; a find where there is none in time. Then the worker is new.
    pub fn ask(&mut self, question: &Question, limit: Duration) -> Report {
        let line = serde_json::to_string(question).expect("a question as JSON");
        let _ = writeln!(self.input, "{line}");
        let find = match self.answers.recv_timeout(limit) {
            Ok(answer) => match serde_json::from_str(&answer) {
                Ok(report) => return report,
                Err(e) => Find::new("answer", format!("{e}: {answer}")),
            },
            Err(RecvTimeoutError::Timeout) => {
                Find::new("hang", format!("no answer after {} s", limit.as_secs()))
            }
            Err(RecvTimeoutError::Disconnected) => self.death(),
        };
        self.stop();
        *self = Worker::start();
        Report { find: Some(find), ..Report::default() }
    }

    fn death(&mut self) -> Find {
        let status = self.child.wait().map(|s| s.to_string()).unwrap_or_default();
        let said: Vec<String> = self.errors.iter().collect();
        let said = said.join("\n");
        let class = match said.contains("overflowed its stack") {
            true => "crash: stack overflow".to_string(),
            false => format!("crash: {status}"),
        };
        Find::new(class, format!("{status}\n{said}"))
    }

    fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        // a process that is killed drops nothing
        let _ = std::fs::remove_dir_all(check::folder(self.child.id()));
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Answers questions until there are no more. Where nobody asks any longer a worker ends at once,
/// whatever it is doing.
pub fn serve() {
    let (send, questions) = channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                break;
            }
        }
        std::process::exit(0);
    });
    let mut checker = check::Checker::default();
    for line in questions {
        let Ok(question) = serde_json::from_str::<Question>(&line) else { continue };
        let answered =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| checker.answer(&question)));
        let report = answered.unwrap_or_else(|panic| {
            let text = panic
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string))
                .unwrap_or_default();
            let place = check::take_panic();
            // a place in a library without where it is kept on this machine
            let near: Vec<&str> = place.rsplit('/').take(3).collect();
            let near: Vec<&str> = near.into_iter().rev().collect();
            let near = near.join("/");
            let find = Find::new(format!("panic: {near}"), format!("{text} at {near}"));
            Report { find: Some(find), ..Report::default() }
        });
        let answer = serde_json::to_string(&report).expect("a report as JSON");
        println!("{answer}");
    }
}
