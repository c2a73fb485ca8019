//! Symmetries of a game: renamings of its constants that leave every static relation of the rules as it
//! is. They turn and reflect the board, and exchange the players where forward and back are exchanged with
//! them. A position and its image have the same value.
//!
//! They are found by colour refinement and individualisation, as automorphisms of a graph are, on the rows
//! of the static relations that the rules of play use. What the clauses name is left where it is; what only
//! names moves, such as the number of a column, is renamed freely. There are none where the order of answers
//! decides, as of those of which `once` takes the first.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::engine::Game;
use crate::plan::Scope;
use crate::program::{Constant, ConstantId, RelationId, Value};

use super::bounds::Bounds;
use super::codec::{Cell, Codec};
use super::crew::Trouble;

/// The most symmetries that are used, the one that renames nothing among them.
const MOST: usize = 1_024;
/// The most rows that are compared.
const MOST_ROWS: usize = 200_000;
/// The most steps of the search.
const MOST_STEPS: usize = 20_000;
/// The rows between two looks whether the work is to stop.
const ROWS: usize = 2_048;

/// A renaming, as it acts on the cells of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symmetry {
    /// For each cell of the image, the cell that it comes from.
    pub from: Vec<u32>,
    /// For each cell of the image, the list of `values` by which its value is renamed.
    pub renaming: Vec<u16>,
    /// Lists of values: the new one by the old one; what is in none stays as it is.
    pub values: Vec<Vec<Cell>>,
}

impl Symmetry {
    /// The cell of the image of a position.
    #[inline]
    pub fn cell(&self, cells: &[Cell], i: usize) -> Cell {
        self.value(i, cells[self.from[i] as usize])
    }

    /// For each cell of a position, the cell of the image that it comes to.
    pub fn inverse(&self) -> Vec<u32> {
        let mut to = vec![0; self.from.len()];
        for (image, from) in self.from.iter().enumerate() {
            to[*from as usize] = image as u32;
        }
        to
    }

    /// What a value becomes in a cell of the image.
    #[inline]
    pub fn value(&self, image: usize, value: Cell) -> Cell {
        self.values[self.renaming[image] as usize].get(value as usize).copied().unwrap_or(value)
    }

    /// The image of a position.
    pub fn apply(&self, cells: &[Cell], into: &mut Vec<Cell>) {
        into.clear();
        into.extend((0..cells.len()).map(|i| self.cell(cells, i)));
    }
}

/// An argument of a row.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Part {
    One(Value),
    /// The items of a list whose order does not matter, sorted.
    Items(Box<[Value]>),
    /// What only names moves: the number of an atom that stands for it.
    Name(usize),
}

/// What may be renamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Atom {
    Constant(ConstantId),
    /// A value that names moves, as this argument of a relation.
    Name(RelationId, usize),
}

/// A row of a relation.
type Row = (RelationId, Box<[Part]>);

/// The rows of the static relations of the rules, and the constants that may be renamed.
struct Structure<'g> {
    game: &'g Game,
    rows: Vec<Row>,
    known: FxHashSet<Row>,
    atoms: Vec<Atom>,
    /// The numbers of the atoms that are constants.
    number: FxHashMap<ConstantId, usize>,
    /// For each atom, the rows in which it occurs.
    rows_of: Vec<Vec<u32>>,
    /// Whether positions hold the atom, as a key or as a value. What becomes of the others is the same for them.
    held: Vec<bool>,
}

impl Part {
    fn values(&self) -> &[Value] {
        match self {
            Part::One(value) => std::slice::from_ref(value),
            Part::Items(items) => items,
            Part::Name(_) => &[],
        }
    }
}

fn sorted(values: impl Iterator<Item = Value>) -> Box<[Value]> {
    let mut values: Vec<Value> = values.collect();
    values.sort_unstable();
    values.into()
}

type Colours = Vec<u64>;

/// The bytes that a row takes.
fn bytes(row: &Row) -> u64 {
    let values: usize = row.1.iter().map(|part| part.values().len()).sum();
    (size_of::<Row>() + row.1.len() * size_of::<Part>() + values * size_of::<Value>()) as u64
}

fn mixed(part: &impl Hash) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    part.hash(&mut hasher);
    let hash = hasher.finish();
    (hash ^ (hash >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9)
}

impl<'g> Structure<'g> {
    /// The structure of a game; `None` where there are too many rows.
    fn new(
        game: &'g Game,
        scope: &Scope,
        bounds: &mut Bounds<'_>,
    ) -> Result<Option<Structure<'g>>, Trouble> {
        let mut rows = Vec::new();
        let mut atoms: Vec<Atom> = Vec::new();
        let mut names: FxHashMap<(RelationId, usize, Value), usize> = FxHashMap::default();
        let mut known: FxHashSet<Row> = FxHashSet::default();
        for relation in &scope.statics {
            let table = game.tables.get(*relation);
            if rows.len() + table.len() > MOST_ROWS {
                return Ok(None);
            }
            for row in table.rows() {
                let mut parts = Vec::with_capacity(row.len());
                for (i, value) in row.iter().enumerate() {
                    let column = (*relation, i);
                    if scope.naming.contains(&column) && !scope.read.contains(&column) {
                        let atom = *names.entry((*relation, i, *value)).or_insert_with(|| {
                            atoms.push(Atom::Name(*relation, i));
                            atoms.len() - 1
                        });
                        parts.push(Part::Name(atom));
                    } else if scope.read.contains(&column) {
                        parts.push(match game.program.values.items(*value) {
                            Some(items) if !scope.ordered.contains(&column) => {
                                Part::Items(sorted(items.iter().copied()))
                            }
                            _ => Part::One(*value),
                        });
                    }
                }
                let row = (*relation, parts.into_boxed_slice());
                if known.insert(row.clone()) {
                    // once in the list and once in the set
                    bounds.take(2 * bytes(&row))?;
                    rows.push(row);
                }
                if rows.len().is_multiple_of(ROWS) {
                    bounds.look()?;
                }
            }
        }
        let mut structure = Structure {
            game,
            known,
            rows,
            rows_of: vec![Vec::new(); atoms.len()],
            held: Vec::new(),
            atoms,
            number: FxHashMap::default(),
        };
        for number in 0..structure.rows.len() {
            let row = structure.rows[number].1.clone();
            for part in &row {
                for value in part.values() {
                    structure.collect(*value, number as u32, scope);
                }
                if let Part::Name(atom) = part {
                    structure.rows_of[*atom].push(number as u32);
                }
            }
        }
        structure.held = vec![false; structure.atoms.len()];
        Ok(Some(structure))
    }

    /// Notes the atoms of a value that may be renamed.
    fn collect(&mut self, value: Value, row: u32, scope: &Scope) {
        let Some(id) = value.constant() else { return };
        let values = &self.game.program.values;
        match values.get(id) {
            Constant::Atom(_) if !scope.named.contains(&id) => {
                let number = *self.number.entry(id).or_insert_with(|| {
                    self.atoms.push(Atom::Constant(id));
                    self.rows_of.push(Vec::new());
                    self.atoms.len() - 1
                });
                if self.rows_of[number].last() != Some(&row) {
                    self.rows_of[number].push(row);
                }
            }
            Constant::Atom(_) | Constant::Text(_) => {}
            Constant::Compound(_, parts) | Constant::List(parts) => {
                for part in parts.clone() {
                    self.collect(part, row, scope);
                }
            }
        }
    }

    /// Notes that positions hold a value.
    fn hold(&mut self, value: Value) {
        let Some(id) = value.constant() else { return };
        if let Some(number) = self.number.get(&id) {
            self.held[*number] = true;
        }
        let values = &self.game.program.values;
        if let Constant::Compound(_, parts) | Constant::List(parts) = values.get(id) {
            parts.iter().for_each(|part| self.hold(*part));
        }
    }

    /// The colour of a value under a colouring of the atoms.
    fn colour(&self, value: Value, colours: &Colours) -> u64 {
        let Some(id) = value.constant() else { return mixed(&value) };
        match (self.number.get(&id), self.game.program.values.get(id)) {
            (Some(number), _) => colours[*number],
            (None, Constant::Compound(name, parts)) => {
                let parts: Vec<u64> = parts.iter().map(|p| self.colour(*p, colours)).collect();
                mixed(&(name, parts))
            }
            (None, Constant::List(parts)) => {
                mixed(&parts.iter().map(|p| self.colour(*p, colours)).collect::<Vec<_>>())
            }
            (None, _) => mixed(&(id, 1)),
        }
    }

    fn part_colour(&self, part: &Part, colours: &Colours) -> u64 {
        match part {
            Part::One(value) => self.colour(*value, colours),
            Part::Items(items) => {
                let hashes = items.iter().map(|item| mixed(&(self.colour(*item, colours), 3)));
                hashes.fold(0, u64::wrapping_add)
            }
            Part::Name(atom) => colours[*atom],
        }
    }

    /// Refines a colouring until atoms of one colour occur alike in the rows; returns the number of colours.
    fn refine(&self, colours: &mut Colours, bounds: &Bounds<'_>) -> Result<usize, Trouble> {
        let mut count = distinct(colours);
        loop {
            let mut of_rows: Vec<(u64, Vec<u64>)> = Vec::with_capacity(self.rows.len());
            for (number, (relation, row)) in self.rows.iter().enumerate() {
                if number.is_multiple_of(ROWS) {
                    bounds.look()?;
                }
                let parts: Vec<u64> =
                    row.iter().map(|part| self.part_colour(part, colours)).collect();
                of_rows.push((mixed(&(relation, &parts)), parts));
            }
            let mut next = colours.clone();
            bounds.look()?;
            for (atom, colour) in next.iter_mut().enumerate() {
                let mut sum = 0u64;
                for row in &self.rows_of[atom] {
                    let (hash, parts) = &of_rows[*row as usize];
                    for (place, part) in self.rows[*row as usize].1.iter().enumerate() {
                        // the atom itself or among the items, or a compound in which it may stand
                        let own = match (part, self.atoms[atom]) {
                            (Part::Name(name), _) => *name == atom,
                            (_, Atom::Constant(id)) => {
                                part.values().iter().any(|v| v.constant() == Some(id))
                            }
                            (_, Atom::Name(..)) => false,
                        };
                        sum = sum.wrapping_add(mixed(&(hash, place, own, parts[place])));
                    }
                }
                *colour = mixed(&(*colour, sum));
            }
            let refined = distinct(&next);
            *colours = next;
            if refined == count {
                return Ok(count);
            }
            count = refined;
        }
    }

    /// The image of a value; `None` where it is no constant of the program.
    fn image(&self, value: Value, to: &[usize]) -> Option<Value> {
        let Some(id) = value.constant() else { return Some(value) };
        if let Some(number) = self.number.get(&id) {
            return match self.atoms[to[*number]] {
                Atom::Constant(id) => Some(Value::Constant(id)),
                Atom::Name(..) => None,
            };
        }
        let values = &self.game.program.values;
        let images = |parts: &[Value]| -> Option<Box<[Value]>> {
            parts.iter().map(|part| self.image(*part, to)).collect()
        };
        match values.get(id) {
            Constant::Atom(_) | Constant::Text(_) => Some(value),
            Constant::Compound(name, parts) => {
                values.find(&Constant::Compound(name.clone(), images(parts)?))
            }
            Constant::List(parts) => values.find(&Constant::List(images(parts)?)),
        }
    }

    /// Whether a renaming maps every relation onto itself.
    fn holds(&self, to: &[usize]) -> bool {
        self.rows.iter().all(|(relation, row)| {
            let image = |part: &Part| match part {
                Part::One(value) => self.image(*value, to).map(Part::One),
                Part::Items(items) => {
                    let images: Option<Vec<Value>> =
                        items.iter().map(|item| self.image(*item, to)).collect();
                    Some(Part::Items(sorted(images?.into_iter())))
                }
                Part::Name(atom) => Some(Part::Name(to[*atom])),
            };
            let row: Option<Box<[Part]>> = row.iter().map(image).collect();
            row.is_some_and(|row| self.known.contains(&(*relation, row)))
        })
    }

    /// All renamings under which two colourings agree, of those that do the same to positions one; false where there are more
    /// than are used, or than the steps reach.
    fn search(
        &self,
        a: &Colours,
        b: &Colours,
        steps: &mut usize,
        found: &mut Vec<Vec<usize>>,
        bounds: &mut Bounds<'_>,
    ) -> Result<bool, Trouble> {
        if *steps == 0 || found.len() >= MOST {
            return Ok(false);
        }
        *steps -= 1;
        let (mut a, mut b) = (a.clone(), b.clone());
        self.refine(&mut a, bounds)?;
        self.refine(&mut b, bounds)?;
        let (classes, others) = (classes(&a), classes(&b));
        let sizes = |of: &FxHashMap<u64, Vec<usize>>, colour: &u64| of.get(colour).map(Vec::len);
        if classes.keys().any(|colour| sizes(&classes, colour) != sizes(&others, colour)) {
            return Ok(true);
        }
        let several = classes.values().filter(|class| class.len() > 1);
        // what positions hold is decided first
        let held = |class: &Vec<usize>| class.iter().any(|atom| self.held[*atom]);
        let Some(class) = several.min_by_key(|class| (!held(class), class.len(), class[0])) else {
            let mut to = vec![0; a.len()];
            for (colour, class) in &classes {
                to[class[0]] = others[colour][0];
            }
            if self.holds(&to) {
                bounds.take(to.len() as u64 * 8)?;
                found.push(to);
            }
            return Ok(true);
        };
        let (atom, colour, alike) = (class[0], a[class[0]], !held(class));
        let before = found.len();
        a[atom] = mixed(&(colour, 7));
        for other in &others[&colour] {
            let mut b = b.clone();
            b[*other] = mixed(&(colour, 7));
            if !self.search(&a, &b, steps, found, bounds)? {
                return Ok(false);
            }
            if alike && found.len() > before {
                break;
            }
        }
        Ok(true)
    }

    /// All renamings that keep a colouring. Where there are too many, all of those that leave some constants where they are: less
    /// than all would be no group, and positions that are alike would not be numbered as one.
    fn group(
        &self,
        mut colours: Colours,
        bounds: &mut Bounds<'_>,
    ) -> Result<Vec<Vec<usize>>, Trouble> {
        let mut kept = 1;
        loop {
            let (mut steps, mut found) = (MOST_STEPS, Vec::new());
            if self.search(&colours, &colours, &mut steps, &mut found, bounds)? {
                return Ok(found);
            }
            let mut refined = colours.clone();
            self.refine(&mut refined, bounds)?;
            let several: Vec<usize> =
                classes(&refined).into_values().filter(|class| class.len() > 1).flatten().collect();
            let mut held: Vec<usize> =
                several.iter().copied().filter(|atom| self.held[*atom]).collect();
            if held.is_empty() {
                held = several;
            }
            if held.is_empty() {
                return Ok(Vec::new());
            }
            held.sort_unstable();
            for atom in held.into_iter().take(kept) {
                colours[atom] = mixed(&(colours[atom], atom, 11));
            }
            kept *= 2;
        }
    }
}

fn distinct(colours: &Colours) -> usize {
    colours.iter().collect::<FxHashSet<_>>().len()
}

fn classes(colours: &Colours) -> FxHashMap<u64, Vec<usize>> {
    let mut classes: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    for (atom, colour) in colours.iter().enumerate() {
        classes.entry(*colour).or_default().push(atom);
    }
    classes
}

/// Whether an axis holds numbers, of which there may be very many.
fn is_number(axis: &crate::plan::Axis) -> bool {
    axis.universe.is_none() && axis.listed.is_none()
}

/// The symmetries of the rules, without the one that renames nothing.
///
/// # Errors
/// The memory or the time is used up.
pub fn find(
    game: &Game,
    scope: &Scope,
    codec: &Codec,
    bounds: &mut Bounds<'_>,
) -> Result<Vec<Symmetry>, Trouble> {
    if scope.is_in_order(&game.program, &game.tables) {
        return Ok(Vec::new());
    }
    let Some(mut structure) = Structure::new(game, scope, bounds)? else { return Ok(Vec::new()) };
    let first = |atom: &Atom| match atom {
        Atom::Constant(_) => 1,
        Atom::Name(relation, column) => mixed(&(relation, *column, 2)),
    };
    let mut colours: Colours = structure.atoms.iter().map(first).collect();
    // atoms that the state holds are told from others by where it holds them
    for (number, field) in codec.fields.iter().enumerate() {
        let place = game.plan.layout.place(field.fluent);
        for (side, axis) in place.axes().iter().chain(&place.value).enumerate() {
            if is_number(axis) {
                continue;
            }
            for index in 0..axis.len {
                let value = game.plan.universes.value(axis.code(index));
                structure.hold(value);
                if let Some(atom) = value.constant().and_then(|id| structure.number.get(&id)) {
                    colours[*atom] = mixed(&(colours[*atom], number, side));
                }
            }
        }
    }
    let found = structure.group(colours, bounds)?;
    let mut symmetries: Vec<Symmetry> = Vec::new();
    for to in found {
        match acting(game, codec, &structure, &to) {
            Some(symmetry) if !is_identity(&symmetry) && !symmetries.contains(&symmetry) => {
                bounds.take(codec.len as u64 * 6)?;
                symmetries.push(symmetry);
            }
            _ => {}
        }
    }
    Ok(symmetries)
}

fn is_identity(symmetry: &Symmetry) -> bool {
    symmetry.from.iter().enumerate().all(|(i, from)| i == *from as usize)
        && symmetry.values.iter().all(|list| list.iter().enumerate().all(|(i, v)| i == *v as usize))
}

/// A renaming as it acts on the cells; `None` where the state cannot hold an image.
fn acting(game: &Game, codec: &Codec, structure: &Structure<'_>, to: &[usize]) -> Option<Symmetry> {
    let universes = &game.plan.universes;
    let renamed = |axis: &crate::plan::Axis, index: usize| -> Option<usize> {
        let image = structure.image(universes.value(axis.code(index)), to)?;
        axis.index(universes.try_code(image)?)
    };
    let mut symmetry =
        Symmetry { from: vec![0; codec.len], renaming: vec![0; codec.len], values: Vec::new() };
    for field in &codec.fields {
        let place = game.plan.layout.place(field.fluent);
        let list: Option<Vec<Cell>> = match &place.value {
            None => Some(vec![0, 1]),
            // numbers are not renamed
            Some(axis) if is_number(axis) => Some(Vec::new()),
            Some(axis) => {
                let values = (0..axis.len).map(|i| renamed(axis, i).map(|i| i as Cell + 1));
                std::iter::once(Some(0)).chain(values).collect()
            }
        };
        let list = list?;
        let number = symmetry.values.iter().position(|known| *known == list).unwrap_or_else(|| {
            symmetry.values.push(list);
            symmetry.values.len() - 1
        });
        for (i, cell) in field.cells.iter().enumerate() {
            let (mut rest, mut keys) = (*cell as usize, Vec::new());
            for axis in place.axes().iter().rev() {
                keys.push(rest % axis.len);
                rest /= axis.len;
            }
            let mut image = 0;
            for (axis, key) in place.axes().iter().zip(keys.iter().rev()) {
                image = image * axis.len + renamed(axis, *key)?;
            }
            let at = field.cells.binary_search(&(image as u32)).ok()?;
            symmetry.from[field.first + at] = (field.first + i) as u32;
            symmetry.renaming[field.first + at] = number as u16;
        }
    }
    Some(symmetry)
}
