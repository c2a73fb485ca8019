//! SIGINT (Ctrl-C), SIGTERM and SIGHUP. A thread records the signal, and long computations poll
//! [`interrupt::interrupted`]. The only user of signal-hook, and of rustix for the terminal.
//!
//! A command has [`MOMENT`] of computing to end by itself, for example to print what it has counted so
//! far. Then the thread ends the process. At a prompt SIGINT only stops the current computation, and SIGTERM
//! and SIGHUP end the process.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use std::time::Duration;
#[cfg(unix)]
use std::time::Instant;

use crate::referee::interrupt;

static TIMES: AtomicUsize = AtomicUsize::new(0);
static AT_PROMPT: AtomicBool = AtomicBool::new(false);

/// The exit code of the signal that ends the process; 0 while there was none.
static ENDING: AtomicU8 = AtomicU8::new(0);

/// Work to do before a signal ends the process, such as saving the game.
type LastWork = Box<dyn FnOnce() + Send>;
static AT_END: Mutex<Option<LastWork>> = Mutex::new(None);

/// The time between a signal and the end of the process. Together with the work at the end it has to
/// stay below a tenth of a second.
const MOMENT: Duration = Duration::from_millis(60);

/// On a busy machine a command waits for the processor, and has to wait no longer than this.
const PATIENCE: Duration = Duration::from_secs(1);

/// Begins to handle signals: from now on they set the flag that [`interrupt::interrupted`] reads.
pub fn catch() {
    static LISTENING: Once = Once::new();
    LISTENING.call_once(listen);
}

/// The same for a prompt: SIGINT stops the current computation, and the prompt goes on. The third
/// SIGINT without an answer ends the process.
pub fn catch_at_prompt() {
    AT_PROMPT.store(true, Ordering::SeqCst);
    catch();
}

/// Sets the work to do before a signal ends the process, in place of the work set before.
pub fn at_end(work: Option<LastWork>) {
    *AT_END.lock().unwrap_or_else(PoisonError::into_inner) = work;
}

/// Does the work set by [`at_end`], unless that has been done.
pub fn work_at_end() {
    // while it is locked the process is not ended
    let mut work = AT_END.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(work) = work.take() {
        work();
    }
}

/// The exit code, once SIGTERM or SIGHUP ends the process.
pub fn ending() -> Option<u8> {
    Some(ENDING.load(Ordering::SeqCst)).filter(|code| *code > 0)
}

/// Resets the flag once the interrupted computation has stopped, unless the process ends.
pub fn clear() {
    if ending().is_none() {
        interrupt::clear();
    }
    TIMES.store(0, Ordering::SeqCst);
}

#[cfg(unix)]
fn listen() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    // without a handler the default action ends the process, which is acceptable
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP]) else {
        return;
    };
    let terminal = Terminal::now();
    std::thread::spawn(move || {
        for signal in signals.forever() {
            let code = 128 + signal;
            if signal != SIGINT {
                ENDING.store(u8::try_from(code).unwrap_or(1), Ordering::SeqCst);
            }
            interrupt::press();
            let last = signal == SIGINT && TIMES.fetch_add(1, Ordering::SeqCst) >= 2;
            if last {
                terminal.leave(code);
            }
            if signal == SIGINT && AT_PROMPT.load(Ordering::SeqCst) {
                continue;
            }
            wait();
            work_at_end();
            terminal.leave(code);
        }
    });
}

/// Waits for [`MOMENT`]; for a command, until it has computed for as long.
#[cfg(unix)]
fn wait() {
    let (begun, computed) = (Instant::now(), computed());
    std::thread::sleep(MOMENT);
    while !AT_PROMPT.load(Ordering::SeqCst)
        && begun.elapsed() < PATIENCE
        && self::computed().saturating_sub(computed) < MOMENT
    {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The time that the threads of the process have been computing.
#[cfg(unix)]
fn computed() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

#[cfg(not(unix))]
fn listen() {
    let _ = (MOMENT, PATIENCE, &TIMES, &AT_END, &ENDING);
}

/// The settings of the terminal at the start. The line editor changes them.
#[cfg(unix)]
struct Terminal(Option<rustix::termios::Termios>);

#[cfg(unix)]
impl Terminal {
    fn now() -> Terminal {
        Terminal(rustix::termios::tcgetattr(std::io::stdin()).ok())
    }

    /// Restores the settings, shows the cursor, disables bracketed paste and ends the process.
    fn leave(&self, code: i32) -> ! {
        use std::io::{IsTerminal, Write};
        if let Some(termios) = &self.0 {
            let now = rustix::termios::OptionalActions::Now;
            // this fails only when the terminal is gone
            let _ = rustix::termios::tcsetattr(std::io::stdin(), now, termios);
            if std::io::stderr().is_terminal() {
                let _ = writeln!(std::io::stderr(), "\u{1b}[?2004l\u{1b}[?25h");
            }
        }
        std::process::exit(code)
    }
}
