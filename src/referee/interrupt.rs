//! The flag that ends long work: signals set it, and whatever works for long polls it.

use std::sync::atomic::{AtomicBool, Ordering};

static PRESSED: AtomicBool = AtomicBool::new(false);

/// Sets the flag.
pub fn press() {
    PRESSED.store(true, Ordering::SeqCst);
}

/// Resets the flag once the interrupted work has stopped.
pub fn clear() {
    PRESSED.store(false, Ordering::SeqCst);
}

/// True after [`press`], until [`clear`].
pub fn interrupted() -> bool {
    PRESSED.load(Ordering::SeqCst)
}
