//! The flag that ends long work: signals set it, and whatever works for long polls it.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

static PRESSED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static UNDISTURBED: Cell<bool> = const { Cell::new(false) };
}

/// Sets the flag.
pub fn press() {
    PRESSED.store(true, Ordering::SeqCst);
}

/// Resets the flag once the interrupted work has stopped.
pub fn clear() {
    PRESSED.store(false, Ordering::SeqCst);
}

/// True after [`press`], until [`clear`]; not in work that is [`undisturbed`].
pub fn interrupted() -> bool {
    PRESSED.load(Ordering::SeqCst) && !UNDISTURBED.get()
}

/// Does short work to its end whatever interrupts the work around it, such as telling what that has found.
pub fn undisturbed<T>(work: impl FnOnce() -> T) -> T {
    let before = UNDISTURBED.replace(true);
    let done = work();
    UNDISTURBED.set(before);
    done
}
