//! Ctrl-C: noticed, and asked about by whoever works long. The only user of ctrlc.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

static PRESSED: AtomicBool = AtomicBool::new(false);
static TIMES: AtomicUsize = AtomicUsize::new(0);

/// From now on Ctrl-C does not end the program at once; when pressed for the third time unheard,
/// it does.
pub fn catch() {
    // where it cannot be caught it ends the program, as everywhere
    let _ = ctrlc::try_set_handler(|| {
        PRESSED.store(true, Ordering::SeqCst);
        if TIMES.fetch_add(1, Ordering::SeqCst) >= 2 {
            std::process::exit(130);
        }
    });
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
