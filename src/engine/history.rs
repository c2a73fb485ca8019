//! Earlier positions, for rules that ask how often one has occurred.

/// Entries of the filters.
const SLOTS: usize = 1024;

/// Hashes of positions, with the player to move and without. In most cases a filter shows without a
/// search that a position is new.
#[derive(Debug, Clone)]
pub(super) struct History {
    entries: Vec<(u64, u64)>,
    /// How many entries fall into each slot, by the first hash and by the second.
    slots: [Box<[u32; SLOTS]>; 2],
}

impl History {
    pub fn new() -> History {
        History { entries: Vec::new(), slots: [Box::new([0; SLOTS]), Box::new([0; SLOTS])] }
    }

    pub fn entries(&self) -> &[(u64, u64)] {
        &self.entries
    }

    pub fn push(&mut self, whole: u64, board: u64) {
        self.entries.push((whole, board));
        self.slots[0][whole as usize % SLOTS] += 1;
        self.slots[1][board as usize % SLOTS] += 1;
    }

    pub fn pop(&mut self) {
        if let Some((whole, board)) = self.entries.pop() {
            self.slots[0][whole as usize % SLOTS] -= 1;
            self.slots[1][board as usize % SLOTS] -= 1;
        }
    }

    pub fn set(&mut self, entries: &[(u64, u64)]) {
        while !self.entries.is_empty() {
            self.pop();
        }
        entries.iter().for_each(|(whole, board)| self.push(*whole, *board));
    }

    /// Whether the current position, which has these hashes, has occurred at least `times` times,
    /// now included.
    pub fn repeats(&self, (whole, board): (u64, u64), of_board: bool, times: i64) -> bool {
        let hash = if of_board { board } else { whole };
        let slot = self.slots[usize::from(of_board)][hash as usize % SLOTS];
        if i64::from(slot) + 1 < times {
            return false;
        }
        let same = |entry: &&(u64, u64)| (if of_board { entry.1 } else { entry.0 }) == hash;
        1 + self.entries.iter().filter(same).count() as i64 >= times
    }
}
