//! What has changed since the end clauses were tested, for the end of "some row is whole", which looks
//! only at the rows through changed sites.
//!
//! That is right as long as no row was whole then. A clause with further tests may have let the game
//! go on although one was: from then on all rows are looked at, until another position is loaded.

/// What was written since the last test of the end clauses that found none.
#[derive(Debug)]
pub struct Changes<const W: usize> {
    /// The keys of the watched map.
    pub keys: [u64; W],
    /// Any key may have been written.
    pub all: bool,
    /// A row was found and the game may have gone on, so there may be rows without a change.
    pub outlived: bool,
}

impl<const W: usize> Changes<W> {
    pub fn new() -> Changes<W> {
        Changes { keys: [0; W], all: true, outlived: false }
    }

    /// The value of `Context::all_changed`.
    pub fn coded(&self) -> u64 {
        u64::from(self.all) | u64::from(self.outlived) << 1
    }

    /// Takes over a value of `Context::all_changed`.
    pub fn take(&mut self, coded: u64) {
        self.all = coded & 1 != 0;
        self.outlived |= coded & 2 != 0;
    }

    /// Records that no end clause holds, and nothing has changed since.
    pub fn forget(&mut self) {
        self.keys = [0; W];
        self.all = false;
    }
}
