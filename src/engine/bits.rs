//! The elements of a set, one after the other.

/// The indexes in a set, ascending.
#[inline]
pub(super) fn bits<const W: usize>(set: [u64; W]) -> Bits<W> {
    Bits { set, word: 0 }
}

/// The rest of a set during iteration.
pub(super) struct Bits<const W: usize> {
    set: [u64; W],
    word: usize,
}

impl<const W: usize> Bits<W> {
    /// Skips elements.
    #[inline]
    pub(super) fn leave_out(&mut self, set: &[u64; W]) {
        (0..W).for_each(|i| self.set[i] &= !set[i]);
    }
}

impl<const W: usize> Iterator for Bits<W> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        while self.word < W {
            let word = self.set[self.word];
            if word != 0 {
                self.set[self.word] = word & (word - 1);
                return Some(self.word * 64 + word.trailing_zeros() as usize);
            }
            self.word += 1;
        }
        None
    }
}
