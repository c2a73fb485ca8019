//! Ctrl-C and the end that is asked for from outside (SIGTERM, SIGHUP): noticed, and asked about by
//! whoever works long. The only user of signal-hook, and of rustix for the terminal.
//!
//! Whoever works is given a moment to come to an end. A command that has not ended by then is
//! ended here; at a prompt Ctrl-C breaks off the work alone, and only SIGTERM ends the program.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use std::time::Duration;

static PRESSED: AtomicBool = AtomicBool::new(false);
static TIMES: AtomicUsize = AtomicUsize::new(0);
static AT_PROMPT: AtomicBool = AtomicBool::new(false);

/// What is still to be done when the program is ended from outside.
type LastWork = Box<dyn FnOnce() + Send>;
static AT_END: Mutex<Option<LastWork>> = Mutex::new(None);

/// Whoever works is given so long to come to an end.
const MOMENT: Duration = Duration::from_millis(60);

/// From now on Ctrl-C is told to whoever works, who answers with what there is so far.
pub fn catch() {
    static LISTENING: Once = Once::new();
    LISTENING.call_once(listen);
}

/// The same where somebody is asked for input: Ctrl-C breaks off what is being done, and the
/// prompt goes on. When it is pressed for the third time unheard, it ends the program.
pub fn catch_at_prompt() {
    AT_PROMPT.store(true, Ordering::SeqCst);
    catch();
}

/// What is to be done when the program is ended from outside while it waits, instead of what was
/// given before.
pub fn at_end(work: Option<LastWork>) {
    *AT_END.lock().unwrap_or_else(PoisonError::into_inner) = work;
}

/// As if it was pressed: whoever works is to stop.
pub fn press() {
    PRESSED.store(true, Ordering::SeqCst);
}

/// What was pressed so far has been obeyed.
pub fn clear() {
    PRESSED.store(false, Ordering::SeqCst);
    TIMES.store(0, Ordering::SeqCst);
}

/// Was it pressed?
pub fn interrupted() -> bool {
    PRESSED.load(Ordering::SeqCst)
}

#[cfg(unix)]
fn listen() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    // where they cannot be caught they end the program, as everywhere
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP]) else {
        return;
    };
    let terminal = Terminal::now();
    std::thread::spawn(move || {
        for signal in signals.forever() {
            press();
            let code = 128 + signal;
            let last = signal == SIGINT && TIMES.fetch_add(1, Ordering::SeqCst) >= 2;
            if last {
                terminal.leave(code);
            }
            if signal == SIGINT && AT_PROMPT.load(Ordering::SeqCst) {
                continue;
            }
            std::thread::sleep(MOMENT);
            let work = AT_END.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(work) = work {
                work();
            }
            terminal.leave(code);
        }
    });
}

#[cfg(not(unix))]
fn listen() {
    let _ = (MOMENT, &TIMES, &AT_END);
}

/// The terminal as it was before anybody changed it.
#[cfg(unix)]
struct Terminal(Option<rustix::termios::Termios>);

#[cfg(unix)]
impl Terminal {
    fn now() -> Terminal {
        Terminal(rustix::termios::tcgetattr(std::io::stdin()).ok())
    }

    /// Puts it back, with a cursor and without bracketed paste, and ends the program.
    fn leave(&self, code: i32) -> ! {
        use std::io::{IsTerminal, Write};
        if let Some(termios) = &self.0 {
            let now = rustix::termios::OptionalActions::Now;
            // a terminal that is gone need not be put back
            let _ = rustix::termios::tcsetattr(std::io::stdin(), now, termios);
            if std::io::stderr().is_terminal() {
                let _ = writeln!(std::io::stderr(), "\u{1b}[?2004l\u{1b}[?25h");
            }
        }
        std::process::exit(code)
    }
}
