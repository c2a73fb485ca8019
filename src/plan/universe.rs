//! Values as integers: every constant has a code, and constants that occur in the same places have
//! neighbouring codes.
//!
//! A *universe* is a run of codes, e.g. all cells of a board. Constants are grouped by union-find: two
//! that occur in one column of a static relation, or in one declared domain, belong together. A set
//! over a universe is then a row of bits, and the index of a value in it is one subtraction.

use petgraph::unionfind::UnionFind;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::datalog::Tables;
use crate::program::{
    Clause, Constant, ConstantId, DomainSpec, Fluent, FluentShape, GoalKind, Kind, Program,
    RelationId, Term, Value,
};
use crate::types::Types;

/// A value in play. An integer is its own code; a constant has the code [`CONSTANTS`] plus its
/// position. Lists that a move builds have codes from [`LISTS`] on.
pub type Code = i64;

/// The code of the constant at position 0.
pub const CONSTANTS: Code = 1 << 60;

/// The code of the first list in the arena of a move.
pub const LISTS: Code = 1 << 61;

pub use crate::program::MAX_INTEGER;

/// The most elements of a universe whose sets are rows of bits.
pub const MAX_SET: usize = 4096;
/// The most sites that are numbered together because a relation leads from one to the other, or that sets must have room for
/// because a map holds them.
const MAX_LED: usize = 384;
/// The most integers that are numbered for sets.
const MAX_INTEGERS: usize = 1024;

/// Index into [`Universes::all`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UniverseId(pub u16);

impl UniverseId {
    /// The integers that are keys of the state, from the least to the greatest.
    pub const INTEGERS: UniverseId = UniverseId(0);
    /// Constants that never occur together with others, texts among them.
    pub const REST: UniverseId = UniverseId(1);
}

/// A run of codes `base..base + len`.
#[derive(Debug, Clone, PartialEq)]
pub struct Universe {
    /// The least code, which has index 0.
    pub base: Code,
    /// The number of codes.
    pub len: usize,
    /// Sets over it are rows of bits: it is not empty and fits [`Universes::words`].
    pub settable: bool,
}

/// All universes of a game and the codes of its constants.
#[derive(Debug, Clone, PartialEq)]
pub struct Universes {
    /// By [`UniverseId`]. The first two are [`UniverseId::INTEGERS`] and [`UniverseId::REST`].
    pub all: Vec<Universe>,
    of: Vec<UniverseId>,
    position: Vec<u32>,
    constants: Vec<ConstantId>,
    /// How many words a set has: enough for the largest universe, of at most [`MAX_SET`] elements, that
    /// is a key of the state, and of those of its values that have few.
    pub words: usize,
}

impl Universes {
    /// A universe.
    pub fn get(&self, id: UniverseId) -> &Universe {
        &self.all[id.0 as usize]
    }

    /// The elements of the largest universe over which there are sets; 1 where there is none.
    pub fn largest_set(&self) -> usize {
        self.all.iter().filter(|u| u.settable).map(|u| u.len).max().unwrap_or(1)
    }

    /// The universe of a constant; [`UniverseId::REST`] for one that is not known.
    pub fn of(&self, constant: ConstantId) -> UniverseId {
        self.of.get(constant.0 as usize).copied().unwrap_or(UniverseId::REST)
    }

    /// The settable universe whose least code this is.
    pub fn starting_at(&self, base: Code) -> Option<&Universe> {
        self.all.iter().find(|u| u.settable && u.base == base)
    }

    /// The code of index 0 in the settable universe that contains all codes of an inclusive range.
    pub fn base_of(&self, run: (Code, Code)) -> Option<Code> {
        self.settable_of(run).map(|id| self.get(id).base)
    }

    /// The settable universe that contains all codes of an inclusive range.
    pub fn settable_of(&self, (lo, hi): (Code, Code)) -> Option<UniverseId> {
        let holds = |u: &Universe| u.settable && u.base <= lo && hi < u.base + u.len as Code;
        self.all.iter().position(holds).map(|at| UniverseId(at as u16))
    }

    /// The code of a value.
    ///
    /// # Panics
    /// Where the constant was made after the game was compiled; see [`Universes::try_code`].
    #[inline]
    pub fn code(&self, value: Value) -> Code {
        match value {
            Value::Integer(n) => n,
            Value::Constant(id) => CONSTANTS + Code::from(self.position[id.0 as usize]),
        }
    }

    /// The code of a value; `None` for a constant that was made after the game was compiled.
    pub fn try_code(&self, value: Value) -> Option<Code> {
        match value {
            Value::Integer(n) => Some(n),
            Value::Constant(id) => {
                self.position.get(id.0 as usize).map(|p| CONSTANTS + Code::from(*p))
            }
        }
    }

    /// The value of a code, which is an integer or a constant.
    ///
    /// # Panics
    /// Where the code is that of a list in an arena.
    pub fn value(&self, code: Code) -> Value {
        if code >= CONSTANTS {
            Value::Constant(self.constants[(code - CONSTANTS) as usize])
        } else {
            Value::Integer(code)
        }
    }

    /// How many constants have codes.
    pub fn constants(&self) -> usize {
        self.constants.len()
    }

    /// The index of a code in the sets of a universe; `None` where it does not belong there. Integers
    /// that are not keys belong to [`UniverseId::INTEGERS`] as far as the words of a set have room for
    /// them.
    pub fn index(&self, universe: UniverseId, code: Code) -> Option<usize> {
        let u = self.get(universe);
        let len = if universe == UniverseId::INTEGERS { self.words * 64 } else { u.len };
        let index = code.wrapping_sub(u.base);
        (0..len as i64).contains(&index).then_some(index as usize)
    }
}

/// Groups the constants of a program into universes.
pub fn build(program: &Program, tables: &Tables, types: &Types) -> Universes {
    let mut groups = Groups::new(program);
    let mut integers: Option<(i64, i64)> = None;
    for fluent in &program.fluents {
        for key in &fluent.keys {
            let values = tables.domain(key);
            for n in values.iter().filter_map(|v| v.integer()) {
                let (lo, hi) = integers.unwrap_or((n, n));
                integers = Some((lo.min(n), hi.max(n)));
            }
            groups.join(&groups.constants(&values));
        }
        if let Some(value) = held(fluent) {
            groups.join(&groups.constants(&tables.domain(value)));
        }
    }
    groups.of_state = groups.size.keys().copied().collect();
    let keys = integers.map_or(0, |(lo, hi)| (hi - lo + 1) as usize);
    let shown = shown(program);
    let columns: Vec<Vec<Vec<ConstantId>>> = (program.relations.iter().enumerate())
        .filter(|(i, relation)| {
            relation.kind == Kind::Static && !shown[*i] && relation.name != "option"
        })
        .map(|(i, relation)| {
            let table = tables.get(RelationId(i as u32));
            (0..relation.arity).map(|at| groups.constants(&table.column(at))).collect()
        })
        .collect();
    for relation in &columns {
        groups.join_led(relation);
    }
    let words = words(program, tables, &groups, keys);
    for (lo, hi) in led_to(program, types) {
        let (least, most) = integers.map_or((lo, hi), |(a, b)| (a.min(lo), b.max(hi)));
        if most - least < (words * 64) as i64 {
            integers = Some((least, most));
        }
    }
    let integers = integers.map_or((0, 0), |(lo, hi)| (lo, (hi - lo + 1) as usize));
    for values in columns.iter().flatten() {
        groups.join_within(values, words * 64);
    }
    assemble(&groups, words, integers)
}

/// Constants that belong together.
struct Groups<'a> {
    program: &'a Program,
    union: UnionFind<usize>,
    /// Those of all groups, as they were met.
    order: Vec<ConstantId>,
    /// By the root of a group, how many constants it has.
    size: FxHashMap<usize, usize>,
    /// The roots of the groups that have keys and values of the state.
    of_state: FxHashSet<usize>,
}

impl Groups<'_> {
    fn new(program: &Program) -> Groups<'_> {
        Groups {
            program,
            union: UnionFind::new(program.values.len().max(1)),
            order: Vec::new(),
            size: FxHashMap::default(),
            of_state: FxHashSet::default(),
        }
    }

    /// The constants among some values, without the texts.
    fn constants(&self, values: &[Value]) -> Vec<ConstantId> {
        let text = |id: &ConstantId| matches!(self.program.values.get(*id), Constant::Text(_));
        values.iter().filter_map(|v| v.constant()).filter(|id| !text(id)).collect()
    }

    /// The group of a constant, which is made if it has none.
    fn root(&mut self, id: ConstantId) -> usize {
        let root = self.union.find(id.0 as usize);
        self.size.entry(root).or_insert_with(|| {
            self.order.push(id);
            1
        });
        root
    }

    /// How many constants the group of a constant has; 0 where it has none.
    fn len(&self, id: ConstantId) -> usize {
        self.size.get(&self.union.find(id.0 as usize)).copied().unwrap_or(0)
    }

    fn join(&mut self, constants: &[ConstantId]) {
        let Some((first, others)) = constants.split_first() else { return };
        let mut all = self.root(*first);
        for id in others {
            let other = self.root(*id);
            if other == all {
                continue;
            }
            let len = self.size.remove(&all).unwrap_or(0) + self.size.remove(&other).unwrap_or(0);
            let of_state = self.of_state.remove(&all) | self.of_state.remove(&other);
            self.union.union(all, other);
            all = self.union.find(all);
            self.size.insert(all, len);
            if of_state {
                self.of_state.insert(all);
            }
        }
    }

    /// Joins the columns of a relation that leads from keys of the state to sites that are none, as from one cell of a board to
    /// the next where only some of the cells can be occupied: goals about both are then sets of the same sites.
    fn join_led(&mut self, columns: &[Vec<ConstantId>]) {
        let mut roots = |column: &Vec<ConstantId>| -> FxHashSet<usize> {
            column.iter().map(|id| self.root(*id)).collect()
        };
        let all: Vec<FxHashSet<usize>> = columns.iter().map(&mut roots).collect();
        for (a, b) in (0..columns.len()).flat_map(|a| (0..a).map(move |b| (a, b))) {
            let common = || all[a].intersection(&all[b]);
            let len: usize = all[a].union(&all[b]).filter_map(|root| self.size.get(root)).sum();
            let of_state = |root: &usize| self.of_state.contains(root);
            let mixed = common().any(of_state) && !common().all(of_state);
            if mixed && len <= MAX_LED {
                self.join(&columns[a]);
                self.join(&columns[b]);
                return;
            }
        }
    }

    /// Joins what occurs in a column of a relation, but leaves a group of the state as it is if it would
    /// have more than `most` constants: a single relation that speaks of sites and of other things would make
    /// all sets of sites wider.
    fn join_within(&mut self, constants: &[ConstantId], most: usize) {
        let mut roots: Vec<usize> = constants.iter().map(|id| self.root(*id)).collect();
        roots.sort_unstable();
        roots.dedup();
        let all: usize = roots.iter().map(|root| self.size[root]).sum();
        if all <= most || !roots.iter().any(|root| self.of_state.contains(root)) {
            self.join(constants);
            return;
        }
        let others: Vec<ConstantId> = constants
            .iter()
            .copied()
            .filter(|id| !self.of_state.contains(&self.union.find(id.0 as usize)))
            .collect();
        self.join(&others);
    }
}

/// The ranges of the numbers from which recursions lead on to others by relations, as from point to point of a graph. A number that
/// is calculated is a count or a coordinate.
fn led_to(program: &Program, types: &Types) -> Vec<(i64, i64)> {
    let calculated = |clause: &Clause, term: &Term| {
        let mut calculated = !matches!(term, Term::Variable(_));
        clause.body.walk(&mut |goal| {
            calculated |=
                matches!(&goal.kind, GoalKind::Is(x, _) | GoalKind::In(x, ..) if x == term);
        });
        calculated
    };
    let mut ranges = Vec::new();
    for (i, relation) in program.relations.iter().enumerate() {
        if relation.kind != Kind::Derived || !relation.recursive {
            continue;
        }
        let id = RelationId(i as u32);
        for column in 0..relation.arity {
            let (mut leads, mut by_number) = (false, false);
            for clause in relation.clauses.iter().map(|id| program.clause(*id)) {
                let head = &clause.head[column];
                clause.body.walk(&mut |goal| {
                    if let GoalKind::Call(called, args) = &goal.kind
                        && *called == id
                        && args[column] != *head
                    {
                        leads = true;
                        by_number |= calculated(clause, head) || calculated(clause, &args[column]);
                    }
                });
            }
            let domain = types.column(id, column);
            if leads && !by_number && domain.is_number() {
                ranges.extend(domain.integers);
            }
        }
    }
    ranges
}

/// The domain of the constants that a map holds.
fn held(fluent: &Fluent) -> Option<&DomainSpec> {
    match &fluent.shape {
        FluentShape::Map { value, .. } if !matches!(value, DomainSpec::Range(..)) => Some(value),
        _ => None,
    }
}

/// How many words a set has, so that each universe of keys fits that is not too large, and each of what a map holds, as where
/// pieces know their sites.
fn words(program: &Program, tables: &Tables, groups: &Groups, integers: usize) -> usize {
    let mut keys = 1;
    for fluent in &program.fluents {
        for key in &fluent.keys {
            let len = match tables.domain(key).first() {
                // a long counter must not make all sets wide
                Some(Value::Integer(_)) if integers > MAX_INTEGERS => 0,
                Some(Value::Integer(_)) => integers,
                Some(Value::Constant(id)) => groups.len(*id),
                None => 0,
            };
            if len <= MAX_SET {
                keys = keys.max(len);
            }
        }
    }
    for value in program.fluents.iter().filter_map(held) {
        let first = tables.domain(value).first().and_then(|value| value.constant());
        let len = first.map_or(0, |id| groups.len(id));
        if len <= MAX_LED {
            keys = keys.max(len);
        }
    }
    // small sets have the sizes that the engine is specialised for
    [1, 2, 3, 4, 6].into_iter().find(|w| w * 64 >= keys).unwrap_or(keys.div_ceil(64))
}

/// By [`RelationId`], the relations that only say how a game is shown and written. The machine never asks for
/// them, and their texts must not widen the universes of sites.
fn shown(program: &Program) -> Vec<bool> {
    let special = &program.special;
    let looks = [special.glyph, special.source, special.family, special.shows];
    let status = [special.status, special.status_item];
    let pictures = [special.figure, special.look, special.shaded, special.between];
    let written = [special.notation, special.style, special.suffix, special.alias, special.says];
    let records = [special.record, special.record_tag, special.letter];
    let positions = [special.position_item, special.position_field, special.position_mark];
    let roots = looks
        .into_iter()
        .chain(status)
        .chain(pictures)
        .chain(written)
        .chain(records)
        .chain(positions)
        .flatten();
    let shown = reached(program, roots);
    let others = (0..program.relations.len()).filter(|i| !shown[*i]).map(|i| RelationId(i as u32));
    let played = reached(program, others);
    shown.iter().zip(played).map(|(shown, played)| *shown && !played).collect()
}

/// By [`RelationId`], the relations that these use, and these.
fn reached(program: &Program, roots: impl Iterator<Item = RelationId>) -> Vec<bool> {
    let mut reached = vec![false; program.relations.len()];
    let mut open: Vec<RelationId> = roots.collect();
    while let Some(id) = open.pop() {
        if !std::mem::replace(&mut reached[id.0 as usize], true) {
            open.extend(program.graph.calls(id).map(|(called, _)| called));
        }
    }
    reached
}

fn assemble(groups: &Groups, words: usize, (least, integers): (i64, usize)) -> Universes {
    let count = groups.program.values.len();
    let mut members: Vec<Vec<ConstantId>> = Vec::new();
    let mut group_of_root = FxHashMap::default();
    let mut grouped = vec![false; count];
    for id in &groups.order {
        grouped[id.0 as usize] = true;
        let group = *group_of_root.entry(groups.union.find(id.0 as usize)).or_insert_with(|| {
            members.push(Vec::new());
            members.len() - 1
        });
        members[group].push(*id);
    }
    let rest: Vec<ConstantId> =
        (0..count).filter(|i| !grouped[*i]).map(|i| ConstantId(i as u32)).collect();
    let mut position = vec![0u32; count];
    let mut of = vec![UniverseId::REST; count];
    let mut constants = Vec::with_capacity(count);
    let mut all = vec![
        Universe { base: least, len: integers, settable: false },
        Universe { base: CONSTANTS, len: rest.len(), settable: false },
    ];
    for (group, ids) in std::iter::once(&rest).chain(&members).enumerate() {
        let base = CONSTANTS + constants.len() as Code;
        if group > 0 {
            all.push(Universe { base, len: ids.len(), settable: false });
        }
        for id in ids {
            position[id.0 as usize] = constants.len() as u32;
            of[id.0 as usize] = UniverseId((group + 1).min(usize::from(u16::MAX)) as u16);
            constants.push(*id);
        }
    }
    for (i, universe) in all.iter_mut().enumerate() {
        universe.settable = i != 1 && universe.len > 0 && universe.len <= words * 64;
    }
    Universes { all, of, position, constants, words }
}
