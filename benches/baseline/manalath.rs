//! `games/group/manalath.ludex` with `long_side = 5` and `supply = unlimited` by hand: a bit a
//! cell, and a table of neighbours to follow groups with.

use super::{List, Position, Step, Winners, pieces, site};

const CELLS: usize = 61;
const NEIGHBOURS: [u64; CELLS] = neighbours();

/// Cells are numbered row by row.
const fn neighbours() -> [u64; CELLS] {
    let mut all = [0; CELLS];
    let mut a = 0;
    while a < CELLS {
        let mut b = 0;
        while b < CELLS {
            let ((x, y), (v, w)) = (place(a), place(b));
            if matches!((v - x, w - y), (1, 0) | (-1, 0) | (0, 1) | (0, -1) | (1, 1) | (-1, -1)) {
                all[a] |= 1 << b;
            }
            b += 1;
        }
        a += 1;
    }
    all
}

/// The diagonal and the row on which a cell lies: from 0 to 8, and they differ by less than 5.
const fn place(mut cell: usize) -> (i32, i32) {
    let mut row = 0;
    loop {
        let first = if row > 4 { row - 4 } else { 0 };
        let last = if row < 4 { row + 4 } else { 8 };
        let len = (last - first + 1) as usize;
        if cell < len {
            return (first + cell as i32, row);
        }
        cell -= len;
        row += 1;
    }
}

#[derive(Clone, Copy)]
pub struct Manalath {
    pieces: [u64; 2],
    /// Whose turn it is: 0 or 1.
    turn: usize,
}

/// The group of `pieces` around a cell.
#[inline]
fn group(pieces: u64, cell: u32) -> u64 {
    let mut found = 1 << cell;
    loop {
        let mut near = 0;
        let mut rest: u64 = found;
        while rest != 0 {
            near |= NEIGHBOURS[rest.trailing_zeros() as usize];
            rest &= rest - 1;
        }
        if near & pieces & !found == 0 {
            return found;
        }
        found |= near & pieces;
    }
}

impl Position for Manalath {
    /// The cells for a piece of the one colour, and of the other.
    type Moves = [List<u32, CELLS>; 2];

    fn opening() -> Manalath {
        Manalath { pieces: [0; 2], turn: 0 }
    }

    #[inline]
    fn candidates(&self) -> Self::Moves {
        let mut empty = List::new();
        for cell in 0..CELLS as u32 {
            empty.add_if((self.pieces[0] | self.pieces[1]) & (1 << cell) == 0, cell);
        }
        [empty; 2]
    }

    #[inline]
    fn count(moves: &Self::Moves) -> u32 {
        moves[0].count() + moves[1].count()
    }

    #[inline]
    fn play(&mut self, moves: &Self::Moves, number: u32) -> Step {
        let first = moves[0].count();
        let (colour, cell) = match number < first {
            true => (0, moves[0].get(number)),
            false => (1, moves[1].get(number - first)),
        };
        if group(self.pieces[colour], cell).count_ones() > 5 {
            return Step::Illegal;
        }
        self.pieces[colour] |= 1 << cell;
        let mut rest = self.pieces[self.turn];
        let (mut four, mut five) = (false, false);
        while rest != 0 {
            let group = group(self.pieces[self.turn], rest.trailing_zeros());
            four |= group.count_ones() == 4;
            five |= group.count_ones() == 5;
            rest &= !group;
        }
        if four || five {
            return Step::Over(if four { 2 >> self.turn } else { 1 << self.turn });
        }
        self.turn ^= 1;
        Step::On
    }

    fn contents(&self) -> Vec<(String, usize)> {
        pieces(self.pieces, self.turn, |cell| {
            let (column, row) = place(cell);
            site(column as usize, row as usize)
        })
    }

    fn stuck(&self) -> Winners {
        0
    }

    fn legal(&self, moves: &Self::Moves) -> Self::Moves {
        let mut legal = [List::new(); 2];
        for (colour, cells) in moves.iter().enumerate() {
            for cell in (0..cells.count()).map(|number| cells.get(number)) {
                let size = group(self.pieces[colour], cell).count_ones();
                legal[colour].add_if(size <= 5, cell);
            }
        }
        legal
    }
}
