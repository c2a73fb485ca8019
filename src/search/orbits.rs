//! Which features are alike by the symmetries of a game, so that one weight is learned for all of them.

use rustc_hash::FxHashMap;

use crate::plan::Plan;
use crate::program::FluentId;

use super::features::{FEW, LONGEST_ROW, Part, Reader};

/// A symmetry of a game: from a fluent, a cell of it and its value, coded as the plan has it, to what the cell and the
/// value become; `None` where the fluent has no such cell.
pub type Renaming = dyn Fn(FluentId, usize, usize) -> Option<(usize, usize)>;

/// Classes of things that are alike; with the sign by which what is good for one is good for the first of its class.
#[derive(Debug, Clone)]
pub(super) struct Orbits {
    /// For each thing, the number of its class and its sign; 0 where it is its own opposite.
    pub of: Vec<(u32, f32)>,
    /// The number of classes.
    pub count: usize,
}

/// Things that are joined to classes: for each, another one of its class, itself for the first, and a sign.
struct Joined(Vec<(u32, f32)>);

impl Joined {
    /// Each of these things is alike to itself alone.
    fn new(len: usize) -> Joined {
        Joined((0..len as u32).map(|i| (i, 1.0)).collect())
    }

    fn root(&self, mut at: u32) -> (u32, f32) {
        let mut sign = 1.0;
        loop {
            let (parent, own) = self.0[at as usize];
            if parent == at {
                return (at, sign * own);
            }
            (at, sign) = (parent, sign * own);
        }
    }

    fn join(&mut self, a: u32, b: u32, sign: f32) {
        let ((a, of_a), (b, of_b)) = (self.root(a), self.root(b));
        if a == b {
            if of_a != sign * of_b {
                self.0[a as usize].1 = 0.0;
            }
            return;
        }
        let (low, high) = (a.min(b), a.max(b));
        // a factor of 0 of either remains
        let zero = self.0[a as usize].1 * self.0[b as usize].1 == 0.0;
        self.0[high as usize] = (low, of_a * of_b * sign);
        if zero {
            self.0[low as usize].1 = 0.0;
        }
    }

    fn orbits(&self) -> Orbits {
        let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
        let of = (0..self.0.len() as u32)
            .map(|at| {
                let (root, sign) = self.root(at);
                let next = numbers.len() as u32;
                (*numbers.entry(root).or_insert(next), sign)
            })
            .collect();
        Orbits { of, count: numbers.len() }
    }
}

/// The orbits of the features of a game under its symmetries, and those of their groups.
pub(super) fn orbits(reader: &Reader, symmetries: &[Turned]) -> (Orbits, Orbits) {
    let mut features = Joined::new(reader.len);
    let mut groups = Joined::new(reader.shared.len());
    for turned in symmetries {
        for (feature, image) in turned.features.iter().enumerate() {
            features.join(feature as u32, *image, turned.sign);
            groups.join(reader.groups[feature], reader.groups[*image as usize], turned.sign);
        }
    }
    (features.orbits(), groups.orbits())
}

/// How the features of a game change places under a symmetry.
#[derive(Debug, Clone)]
pub(super) struct Turned {
    /// By feature, what it becomes.
    pub features: Vec<u32>,
    /// Less than 0 where the two players are exchanged.
    pub sign: f32,
}

/// How the features change places under each of these symmetries, but those that exchange some of more than two
/// players.
pub(super) fn turned(reader: &Reader, plan: &Plan, symmetries: &[Box<Renaming>]) -> Vec<Turned> {
    let of = |renaming: &Renaming| {
        let features = (0..reader.len as u32).collect();
        let mut images = Images { reader, plan, renaming, of: features };
        let sign = images.players()?;
        images.features();
        Some(Turned { features: images.of, sign })
    };
    symmetries.iter().filter_map(|renaming| of(renaming)).collect()
}

/// The images of the features under one symmetry.
struct Images<'a> {
    reader: &'a Reader,
    plan: &'a Plan,
    renaming: &'a Renaming,
    /// For each feature, its image.
    of: Vec<u32>,
}

impl Images<'_> {
    /// What a cell of a fluent with a coded value becomes.
    fn fact(&self, place: usize, cell: usize, coded: usize) -> Option<(usize, usize)> {
        (self.renaming)(FluentId(place as u32), cell, coded)
    }

    /// What a player becomes.
    fn player(&self, player: usize) -> Option<usize> {
        let turn = FluentId::TURN.0 as usize;
        let axis = self.plan.layout.places[turn].value.as_ref()?;
        let (_, image) = self.fact(turn, 0, axis.index(self.plan.players[player])? + 1)?;
        self.plan.players.iter().position(|code| axis.index(*code) == Some(image - 1))
    }

    /// The sign of the features: less than 0 where the two players are exchanged. `None` where some of more players
    /// are.
    fn players(&self) -> Option<f32> {
        let stay = (0..self.reader.players).all(|player| self.player(player) == Some(player));
        match (stay, self.reader.players) {
            (true, _) => Some(1.0),
            (false, 2) => Some(-1.0),
            _ => None,
        }
    }

    fn set(&mut self, feature: usize, image: Option<usize>) {
        if let Some(image) = image {
            self.of[feature] = image as u32;
        }
    }

    fn features(&mut self) {
        let reader = self.reader;
        for (part, source) in reader.parts.iter().zip(&reader.sources) {
            self.part(part, *source);
        }
        let moment = reader.first_of_moment();
        for i in 0..reader.groups_of_moment() * reader.players {
            let image = self.player(i % reader.players);
            let first = moment + i / reader.players * reader.players;
            self.set(moment + i, image.map(|image| first + image));
        }
    }

    fn part(&mut self, part: &Part, (place, value): (usize, usize)) {
        match part {
            Part::Plane { words, weight, .. } => {
                for cell in 0..words * 64 {
                    let image = self.fact(place, cell, value + 1).map(|(to, renamed)| {
                        (weight + to + renamed * words * 64) - (value + 1) * words * 64
                    });
                    self.set(weight + cell, image);
                }
            }
            Part::Bits { size, weight, .. } => {
                for cell in 0..*size {
                    self.set(weight + cell, self.fact(place, cell, 1).map(|(to, _)| weight + to));
                }
            }
            Part::Numbers { size, weight, few, .. } => {
                for cell in 0..*size {
                    let to = self.fact(place, cell, 1).map(|(to, _)| to);
                    self.set(weight + cell, to.map(|to| weight + to));
                    for i in 0..FEW {
                        self.set(few + cell * FEW + i, to.map(|to| few + to * FEW + i));
                    }
                }
            }
            Part::Values { size, values, weight, .. } => {
                for i in 0..size * values {
                    let image = self.fact(place, i / values, i % values + 1);
                    self.set(weight + i, image.map(|(to, v)| weight + to * values + v - 1));
                }
            }
            Part::Rows { planes, weight, .. } => {
                for i in 0..planes.len() * LONGEST_ROW {
                    let image = self.fact(place, 0, i / LONGEST_ROW + 1);
                    let at = |(_, v): (usize, usize)| (v - 1) * LONGEST_ROW + i % LONGEST_ROW;
                    self.set(weight + i, image.map(|fact| weight + at(fact)));
                }
            }
            Part::Patterns { windows, weight } => {
                let images = windows.images(&mut |cell, coded| self.fact(place, cell, coded));
                for (i, image) in images.into_iter().enumerate() {
                    self.set(weight + i, image.map(|image| weight + image));
                }
            }
        }
    }
}
