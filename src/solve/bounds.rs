//! What the work before a search may take: its memory, and when it is to stop.

use super::crew::Trouble;

/// The memory that work takes, of what it may take, and the check whether it is to stop.
pub struct Bounds<'s> {
    /// The bytes that may be taken.
    limit: u64,
    taken: u64,
    stop: &'s dyn Fn() -> bool,
}

impl<'s> Bounds<'s> {
    /// Bounds of this number of bytes; the work ends soon after `stop` returns true.
    pub fn new(limit: u64, stop: &'s dyn Fn() -> bool) -> Bounds<'s> {
        Bounds { limit, taken: 0, stop }
    }

    /// Counts bytes that stay in use.
    ///
    /// # Errors
    /// [`Trouble::Large`] where that is more than may be taken.
    pub fn take(&mut self, bytes: u64) -> Result<(), Trouble> {
        self.taken = self.taken.saturating_add(bytes);
        match self.taken <= self.limit {
            true => Ok(()),
            false => Err(Trouble::Large(format!(
                "to number the positions takes more than {} MB of memory",
                self.limit >> 20
            ))),
        }
    }

    /// The bytes that are left.
    pub fn left(&self) -> u64 {
        self.limit.saturating_sub(self.taken)
    }

    /// The check whether the work is to stop.
    pub fn stop(&self) -> &'s dyn Fn() -> bool {
        self.stop
    }

    /// Looks whether the work is to stop.
    ///
    /// # Errors
    /// [`Trouble::Interrupted`] where it is.
    pub fn look(&self) -> Result<(), Trouble> {
        match (self.stop)() {
            true => Err(Trouble::Interrupted),
            false => Ok(()),
        }
    }
}
