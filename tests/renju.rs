//! The moves that Renju forbids to black, found by a second program: a board of letters on which stones are
//! put down and taken up again. Its words are those of the federation's rules, 9.2 and 9.3.

use std::collections::BTreeSet;

use ludex::Game;
use ludex::engine::Random;

const SIZE: i32 = 15;
const DIRECTIONS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

type Point = (i32, i32);

struct Board(Vec<char>);

impl Board {
    fn at(&self, (x, y): Point) -> char {
        if (0..SIZE).contains(&x) && (0..SIZE).contains(&y) {
            self.0[(y * SIZE + x) as usize]
        } else {
            '#'
        }
    }

    /// What `asked` says once black has put a stone on this point.
    fn with<T>(&mut self, (x, y): Point, asked: impl FnOnce(&mut Board) -> T) -> T {
        let place = (y * SIZE + x) as usize;
        assert_eq!(self.0[place], '.');
        self.0[place] = 'x';
        let answer = asked(self);
        self.0[place] = '.';
        answer
    }

    /// How many black stones are in the unbroken row through a stone.
    fn row(&self, (x, y): Point, (dx, dy): Point) -> i32 {
        let run = |sign: i32| {
            (1..SIZE).take_while(|n| self.at((x + sign * n * dx, y + sign * n * dy)) == 'x').count()
        };
        1 + (run(1) + run(-1)) as i32
    }

    fn five(&self, point: Point) -> bool {
        DIRECTIONS.iter().any(|d| self.row(point, *d) == 5)
    }

    /// The empty points of a line through a stone.
    fn gaps(&self, (x, y): Point, (dx, dy): Point) -> Vec<Point> {
        let line = (-5..=5).map(|n| (x + n * dx, y + n * dy));
        line.filter(|point| self.at(*point) == '.').collect()
    }

    /// The stones of each four through a stone in this direction.
    fn fours(&mut self, point: Point, direction: Point) -> BTreeSet<Vec<Point>> {
        let (dx, dy) = direction;
        let mut fours = BTreeSet::new();
        for gap in self.gaps(point, direction) {
            if self.with(gap, |board| board.row(gap, direction)) != 5 {
                continue;
            }
            let mut stones: Vec<Point> = Vec::new();
            for sign in [1, -1] {
                let line = (1..SIZE).map(|n| (gap.0 + sign * n * dx, gap.1 + sign * n * dy));
                stones.extend(line.take_while(|stone| self.at(*stone) == 'x'));
            }
            stones.sort_unstable();
            if stones.contains(&point) {
                fours.insert(stones);
            }
        }
        fours
    }

    /// Is there an unbroken row of four through both stones that a stone at either end makes five?
    fn straight_four(&mut self, (x, y): Point, other: Point, (dx, dy): Point) -> bool {
        if self.row((x, y), (dx, dy)) != 4 {
            return false;
        }
        let row: Vec<Point> = (-3..=3).map(|n| (x + n * dx, y + n * dy)).collect();
        let end = |sign: i32| {
            let mut n = 1;
            while self.at((x + sign * n * dx, y + sign * n * dy)) == 'x' {
                n += 1;
            }
            (x + sign * n * dx, y + sign * n * dy)
        };
        let between = |a: Point, b: Point, p: Point| (a < p && p < b) || (b < p && p < a);
        let (from, to) = (end(-1), end(1));
        row.contains(&other)
            && between(from, to, other)
            && [from, to].into_iter().all(|end| {
                self.at(end) == '.' && self.with(end, |board| board.row(end, (dx, dy))) == 5
            })
    }

    /// May black not play on this empty point?
    fn forbidden(&mut self, point: Point) -> bool {
        self.with(point, |board| {
            if board.five(point) {
                return false;
            }
            let mut fours = 0;
            for direction in DIRECTIONS {
                if board.row(point, direction) > 5 {
                    return true;
                }
                fours += board.fours(point, direction).len();
            }
            fours > 1 || DIRECTIONS.iter().filter(|d| board.three(point, **d)).count() > 1
        })
    }

    /// Can black make a straight four of this stone by one that is allowed and makes no five?
    fn three(&mut self, point: Point, direction: Point) -> bool {
        self.gaps(point, direction).into_iter().any(|gap| {
            let four = self
                .with(gap, |board| !board.five(gap) && board.straight_four(gap, point, direction));
            four && !self.forbidden(gap)
        })
    }

    fn text(&self) -> String {
        let rows: Vec<String> =
            (0..SIZE).rev().map(|y| (0..SIZE).map(|x| self.at((x, y))).collect()).collect();
        rows.join("/")
    }
}

fn name((x, y): Point) -> String {
    format!("{}{}", (b'a' + x as u8) as char, y + 1)
}

/// Compares what black may play; says how many points are forbidden, and `None` where a row of five is there.
fn compare(game: &Game, board: &mut Board) -> Option<usize> {
    let position = game.position(&board.text()).expect("a position");
    if position.outcome().expect("no rule error").is_some() {
        return None;
    }
    let legal: BTreeSet<String> = position
        .moves()
        .expect("no rule error")
        .iter()
        .map(|m| m.notation().to_string())
        .filter(|m| m != "pass")
        .collect();
    let mut count = 0;
    for y in 0..SIZE {
        for x in 0..SIZE {
            if board.at((x, y)) == '.' {
                let forbidden = board.forbidden((x, y));
                count += usize::from(forbidden);
                assert_eq!(
                    !forbidden,
                    legal.contains(&name((x, y))),
                    "{}: {}",
                    board.text(),
                    name((x, y))
                );
            }
        }
    }
    Some(count)
}

#[test]
fn another_program_forbids_the_same_moves() {
    let game = Game::shipped("renju").option("opening", "free").load().expect("it loads");
    let mut random = Random::seeded(1996);
    let (mut compared, mut forbidden) = (0, 0);
    for _ in 0..400 {
        let mut board = Board(vec!['.'; (SIZE * SIZE) as usize]);
        let (side, stones) = (6 + random.below(6) as i32, 14 + random.below(26));
        for n in 0..stones {
            let at = |random: &mut Random| 2 + random.below(side as u64) as i32;
            let (x, y) = (at(&mut random), at(&mut random));
            board.0[(y * SIZE + x) as usize] = if n % 3 == 2 { 'o' } else { 'x' };
        }
        if let Some(count) = compare(&game, &mut board) {
            compared += 1;
            forbidden += count;
        }
    }
    assert!(
        compared > 300 && forbidden > 600,
        "{compared} positions, {forbidden} forbidden points"
    );
}
