//! `games/group/manalath.ludex` with `long_side = 5` and `supply = unlimited` by hand: a bit a
//! cell, and a table of neighbours to follow groups with.

use super::{Position, Step, Winners, nth, pieces, site};

const CELLS: usize = 61;
const BOARD: u64 = (1 << CELLS) - 1;
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

/// The empty cells on which a piece of each colour may be tried.
#[derive(Clone, Copy)]
pub struct Moves([u64; 2]);

/// The group of `pieces` around a cell, or more than five of its cells.
#[inline]
fn group(pieces: u64, cell: u32) -> u64 {
    let mut found = 1 << cell;
    let mut front: u64 = found;
    while front != 0 {
        let new = NEIGHBOURS[front.trailing_zeros() as usize] & pieces & !found;
        front = front & (front - 1) | new;
        found |= new;
        if found.count_ones() > 5 {
            break;
        }
    }
    found
}

impl Position for Manalath {
    type Moves = Moves;

    fn opening() -> Manalath {
        Manalath { pieces: [0; 2], turn: 0 }
    }

    #[inline]
    fn candidates(&self) -> Moves {
        Moves([BOARD & !(self.pieces[0] | self.pieces[1]); 2])
    }

    #[inline]
    fn count(moves: &Moves) -> u32 {
        moves.0[0].count_ones() + moves.0[1].count_ones()
    }

    #[inline]
    fn play(&mut self, moves: &Moves, number: u32) -> Step {
        let first = moves.0[0].count_ones();
        let (colour, cell) = match number < first {
            true => (0, nth(moves.0[0], number)),
            false => (1, nth(moves.0[1], number - first)),
        };
        if group(self.pieces[colour], cell.trailing_zeros()).count_ones() > 5 {
            return Step::Illegal;
        }
        self.pieces[colour] |= cell;
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

    fn legal(&self, moves: &Moves) -> Moves {
        let mut legal = *moves;
        for (colour, cells) in legal.0.iter_mut().enumerate() {
            let mut rest = *cells;
            while rest != 0 {
                let cell = rest.trailing_zeros();
                rest &= rest - 1;
                if group(self.pieces[colour], cell).count_ones() > 5 {
                    *cells &= !(1 << cell);
                }
            }
        }
        legal
    }
}
