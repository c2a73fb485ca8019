//! Computes the set of a loop's elements that can reach the first update of an action.
//!
//! A man who may leap needs a neighbour of the other colour and an empty square behind. Testing
//! each man costs as much as all other moves together; but "the neighbour in this direction" is a
//! shift of all men at once. So the tests of an action are evaluated with a whole set in place of
//! the loop's variable. Tests that cannot be evaluated in this way are assumed to hold: the set may
//! be too large, but never too small.

use cranelift_codegen::ir::{InstBuilder, Value};
use rustc_hash::FxHashMap;

use crate::plan::{Axis, Code, Op, OpId, Operand, Reg, Set};
use crate::program::FluentId;

use super::function::{Emitted, Env, Function, Number, Words};

/// The most values of a site's content that are examined one by one.
const VALUES: usize = 16;
/// The most combinations of shifts in one instruction.
const GROUPS: usize = 12;
/// The most registers with values that are the same for all elements.
const SCALARS: usize = 16;

/// The contents of a register while the loop's variable is any element of a set.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Symbolic {
    /// The same for all: an operand in the environment of the search.
    Fixed(Operand),
    /// The index of the element plus a shift, in the universe with this code of index 0.
    Site(i32, Code),
    /// The value of a map at such a site.
    Content(FluentId, i32),
}

/// One branch of the search: the elements that have reached it.
#[derive(Clone)]
struct Branch {
    words: Words,
    places: FxHashMap<Reg, Symbolic>,
    /// The value of a map at the elements themselves, where it is known.
    held: Option<(FluentId, Code)>,
}

struct Search {
    env: Env,
    scalars: Reg,
    /// The first set variable of the elements that have reached an update.
    found: usize,
    /// How many nested relations the search is in.
    depth: usize,
}

impl Function<'_, '_, '_> {
    /// The elements of a set that can reach the first update of an action; `element` is the
    /// register that holds one, with the code of index 0. `None` where computing them is not
    /// worthwhile.
    pub fn ways(
        &mut self,
        procedure: u32,
        inputs: &[Operand],
        element: (Reg, Code),
        words: &[Value],
        env: &Env,
    ) -> Emitted<Option<Words>> {
        if self.w > 2 || !inputs.contains(&Operand::Reg(element.0)) {
            return Ok(None);
        }
        let found = self.new_set();
        let nothing = self.zero();
        self.put_set(found, &nothing);
        let mut search = Search { env: self.window(SCALARS, 0), scalars: 0, found, depth: 0 };
        let mut places = FxHashMap::default();
        for (i, input) in inputs.iter().enumerate() {
            let place = match input {
                Operand::Reg(reg) if *reg == element.0 => Symbolic::Site(0, element.1),
                other => {
                    let number = self.number(*other, env);
                    match self.scalar(&mut search, number) {
                        Some(place) => place,
                        None => return Ok(None),
                    }
                }
            };
            places.insert(i as Reg, place);
        }
        let plan = self.plan;
        for clause in &plan.procedures[procedure as usize].clauses {
            let words = words.iter().copied().collect();
            let branch = Branch { words, places: places.clone(), held: None };
            self.follow(&mut search, OpId::first(clause.start), branch)?;
        }
        Ok(Some(self.set_at(found)))
    }

    fn scalar(&mut self, search: &mut Search, number: Number) -> Option<Symbolic> {
        if let Some(code) = number.constant() {
            return Some(Symbolic::Fixed(Operand::Const(code)));
        }
        let reg = search.scalars;
        if reg as usize >= SCALARS {
            return None;
        }
        search.scalars += 1;
        self.put(reg, number, &mut search.env);
        Some(Symbolic::Fixed(Operand::Reg(reg)))
    }

    /// Adds elements that have reached an update.
    fn arrive(&mut self, search: &Search, words: &[Value]) {
        let before = self.set_at(search.found);
        let all: Words = before.iter().zip(words).map(|(a, b)| self.or(*a, *b)).collect();
        self.put_set(search.found, &all);
    }

    fn follow(&mut self, search: &mut Search, start: OpId, branch: Branch) -> Emitted {
        self.deeper()?;
        let outer = self.module.at;
        self.follow_instructions(search, start, branch)?;
        self.module.at = outer;
        self.shallower();
        Ok(())
    }

    fn follow_instructions(
        &mut self,
        search: &mut Search,
        start: OpId,
        mut branch: Branch,
    ) -> Emitted {
        let plan = self.plan;
        let mut next = start;
        loop {
            self.within_bounds()?;
            self.module.at = Some(next);
            let op = plan.blocks.op(next);
            next.number += 1;
            let followed = match op {
                Op::Read { dst, fluent, keys } if keys.is_empty() && *fluent == FluentId::TURN => {
                    let number = self.turn_or_first()?;
                    self.scalar(search, number)
                        .map(|place| branch.places.insert(*dst, place))
                        .is_some()
                }
                Op::Read { dst, fluent, keys } => match self.content(&branch, *fluent, keys) {
                    Some(Symbolic::Content(_, 0)) => {
                        return self.split(search, next, &branch, *dst, *fluent);
                    }
                    Some(place) => {
                        branch.places.insert(*dst, place);
                        true
                    }
                    None => false,
                },
                Op::In { x, base, set, negate } => {
                    self.within(search, &mut branch, *x, *base, set, *negate)?
                }
                Op::Holds { fluent, keys, value, negate } => {
                    self.holding(search, &mut branch, *fluent, keys, *value, *negate)?
                }
                Op::Defined { fluent, keys, negate } => {
                    self.holding(search, &mut branch, *fluent, keys, None, *negate)?
                }
                Op::Find { index, keys, outs } | Op::Rows { index, keys, outs, .. } => {
                    if let Op::Rows { body, .. } = op {
                        next = OpId::first(*body);
                    }
                    let Some(groups) = self.groups(&branch, *index, keys) else {
                        let words = branch.words.clone();
                        self.arrive(search, &words);
                        return Ok(());
                    };
                    for (shifts, mask) in groups {
                        let mut group = branch.clone();
                        for (i, word) in mask.iter().enumerate() {
                            let word = self.c(*word as i64);
                            group.words[i] = self.and(group.words[i], word);
                        }
                        for (out, (shift, base)) in outs.iter().zip(&shifts) {
                            group.places.insert(*out, Symbolic::Site(*shift, *base));
                        }
                        self.follow(search, next, group)?;
                    }
                    return Ok(());
                }
                Op::Call { procedure, inputs, .. }
                    if !plan.procedures[*procedure as usize].action && search.depth < 4 =>
                {
                    let places: Option<Vec<Symbolic>> =
                        inputs.iter().map(|x| place_of(&branch, *x)).collect();
                    let Some(places) = places else {
                        let words = branch.words.clone();
                        self.arrive(search, &words);
                        return Ok(());
                    };
                    search.depth += 1;
                    for clause in &plan.procedures[*procedure as usize].clauses {
                        let places = (0..).zip(places.iter().copied()).collect();
                        let inside = Branch { places, ..branch.clone() };
                        self.follow(search, OpId::first(clause.start), inside)?;
                    }
                    search.depth -= 1;
                    return Ok(());
                }
                Op::Fail => return Ok(()),
                _ => false,
            };
            if !followed {
                let words = branch.words.clone();
                self.arrive(search, &words);
                return Ok(());
            }
        }
    }

    /// The result of `Read`: the content of a site with a known shift.
    fn content(&self, branch: &Branch, fluent: FluentId, keys: &[Operand]) -> Option<Symbolic> {
        let [Operand::Reg(key)] = keys else { return None };
        let place = self.plan.layout.place(fluent);
        place.planes?;
        let axis = place.value.as_ref()?;
        let Some(Symbolic::Site(shift, base)) = branch.places.get(key).copied() else {
            return None;
        };
        if axis.len > VALUES || place.keys[0].base != base || place.keys[0].listed.is_some() {
            return None;
        }
        match branch.held {
            Some((held, code)) if held == fluent && shift == 0 => {
                Some(Symbolic::Fixed(Operand::Const(code)))
            }
            _ => Some(Symbolic::Content(fluent, shift)),
        }
    }

    /// Continues for each value that the elements may have.
    fn split(
        &mut self,
        search: &mut Search,
        behind: OpId,
        branch: &Branch,
        dst: Reg,
        fluent: FluentId,
    ) -> Emitted {
        let plan = self.plan;
        let place = plan.layout.place(fluent);
        let Some(axis) = place.value.as_ref() else { return Ok(()) };
        for index in 0..axis.len {
            if place.allowed_values.as_ref().is_some_and(|allowed| !allowed[index]) {
                continue;
            }
            let code = axis.code(index);
            let mut next = branch.clone();
            let set = Set::PlaneOf { fluent, value: Operand::Const(code) };
            let plane = self.set(&set, &search.env)?;
            for (word, other) in next.words.iter_mut().zip(&plane) {
                *word = self.and(*word, *other);
            }
            next.places.insert(dst, Symbolic::Fixed(Operand::Const(code)));
            next.held = Some((fluent, code));
            self.follow(search, behind, next)?;
        }
        Ok(())
    }

    /// Keeps the elements whose site with this shift is in a set.
    fn keep(&mut self, branch: &mut Branch, set: &[Value], shift: i32, negate: bool) {
        let all = vec![u64::MAX; self.w];
        let moved = self.shifted(set, &all, -shift);
        for (i, word) in branch.words.iter_mut().enumerate() {
            *word = match (moved[i], negate) {
                (Some(other), false) => self.and(*word, other),
                (Some(other), true) => self.and_not(*word, other),
                (None, false) => self.c(0),
                (None, true) => *word,
            };
        }
    }

    /// Keeps all elements, or none.
    fn keep_if(&mut self, branch: &mut Branch, condition: Value, negate: bool) {
        let zero = self.c(0);
        for word in &mut branch.words {
            *word = match negate {
                false => self.b.ins().select(condition, *word, zero),
                true => self.b.ins().select(condition, zero, *word),
            };
        }
    }

    /// `In`; false where it cannot be evaluated.
    fn within(
        &mut self,
        search: &Search,
        branch: &mut Branch,
        x: Operand,
        base: Code,
        set: &Set,
        negate: bool,
    ) -> Emitted<bool> {
        let (Some(place), Some(set)) = (place_of(branch, x), fixed_set(branch, set)) else {
            return Ok(false);
        };
        match place {
            Symbolic::Site(shift, of) if of == base => {
                let words = self.set(&set, &search.env)?;
                self.keep(branch, &words, shift, negate);
            }
            Symbolic::Content(fluent, shift) => {
                let wanted = self.set(&set, &search.env)?;
                let sites = self.sites_holding(fluent, base, &wanted, &search.env)?;
                self.keep(branch, &sites, shift, negate);
            }
            Symbolic::Fixed(x) => {
                let x = self.number(x, &search.env);
                let (index, outside) = self.index_in_set(x, base);
                let mut inside = self.contains(&set, index, &search.env)?;
                if let Some(outside) = outside {
                    let within = self.b.ins().bxor_imm_u(outside, 1);
                    inside = self.and(inside, within);
                }
                self.keep_if(branch, inside, negate);
            }
            Symbolic::Site(..) => return Ok(false),
        }
        Ok(true)
    }

    /// The sites at which a map has a value of a set.
    fn sites_holding(
        &mut self,
        fluent: FluentId,
        base: Code,
        wanted: &[Value],
        env: &Env,
    ) -> Emitted<Words> {
        let plan = self.plan;
        let mut sites = self.zero();
        let axis: Option<&Axis> = plan.layout.place(fluent).value.as_ref();
        for code in (0..axis.map_or(0, |a| a.len)).filter_map(|i| axis.map(|a| a.code(i))) {
            let code_number = self.exactly(code);
            let (index, outside) = self.index_in_set(code_number, base);
            if outside.is_some() {
                continue;
            }
            let set = Set::PlaneOf { fluent, value: Operand::Const(code) };
            let plane = self.set(&set, env)?;
            let held = self.holds_bit(wanted, index);
            let zero = self.c(0);
            for (i, word) in plane.iter().enumerate() {
                let word = self.b.ins().select(held, *word, zero);
                sites[i] = self.or(sites[i], word);
            }
        }
        Ok(sites)
    }

    /// `Holds` and `Defined`; false where they cannot be evaluated.
    fn holding(
        &mut self,
        search: &Search,
        branch: &mut Branch,
        fluent: FluentId,
        keys: &[Operand],
        value: Option<Operand>,
        negate: bool,
    ) -> Emitted<bool> {
        let [Operand::Reg(key)] = keys else { return Ok(false) };
        let place = self.plan.layout.place(fluent);
        let (Some(planes), Some(Symbolic::Site(shift, base))) =
            (place.planes, branch.places.get(key).copied())
        else {
            return Ok(false);
        };
        if place.keys[0].base != base || place.keys[0].listed.is_some() {
            return Ok(false);
        }
        let set = match value {
            None => Set::Plane(planes.defined),
            Some(x) => match place_of(branch, x) {
                Some(Symbolic::Fixed(value)) => Set::PlaneOf { fluent, value },
                _ => return Ok(false),
            },
        };
        let words = self.set(&set, &search.env)?;
        self.keep(branch, &words, shift, negate);
        Ok(true)
    }

    /// The rows of an index for keys of which one is a site, in groups of rows with the same
    /// distance from their sites. `None` where there are too many groups, or rows without such a
    /// distance.
    #[allow(clippy::type_complexity)]
    fn groups(
        &self,
        branch: &Branch,
        index: u32,
        keys: &[Operand],
    ) -> Option<Vec<(Vec<(i32, Code)>, Vec<u64>)>> {
        let plan = self.plan;
        let index = &plan.indexes[index as usize];
        let mut key: Vec<Option<Code>> = Vec::new();
        let mut site = None;
        for (i, x) in keys.iter().enumerate() {
            match place_of(branch, *x)? {
                Symbolic::Fixed(Operand::Const(code)) => key.push(Some(code)),
                Symbolic::Site(shift, base) if site.is_none() => {
                    site = Some((i, shift, base));
                    key.push(None);
                }
                _ => return None,
            }
        }
        let (at, own_shift, base) = site?;
        let bases: Option<Vec<Code>> =
            (0..index.width).map(|column| plan.universes.base_of(index.range(column)?)).collect();
        let bases = bases?;
        let mut groups: Vec<(Vec<(i32, Code)>, Vec<u64>)> = Vec::new();
        for element in 0..(self.w * 64) as i32 {
            let reached = element + own_shift;
            if !(0..(self.w * 64) as i32).contains(&reached) {
                continue;
            }
            key[at] = Some(base + Code::from(reached));
            for number in index.find(|i| key[i].unwrap_or(0)) {
                let shifts: Vec<(i32, Code)> = index
                    .row(number)
                    .iter()
                    .zip(&bases)
                    .map(|(code, base)| ((code - base) as i32 - element, *base))
                    .collect();
                let group = match groups.iter().position(|(s, _)| *s == shifts) {
                    Some(group) => group,
                    None => {
                        groups.push((shifts, vec![0; self.w]));
                        groups.len() - 1
                    }
                };
                groups[group].1[element as usize / 64] |= 1 << (element % 64);
            }
        }
        (groups.len() <= GROUPS).then_some(groups)
    }
}

fn place_of(branch: &Branch, x: Operand) -> Option<Symbolic> {
    match x {
        Operand::Const(_) => Some(Symbolic::Fixed(x)),
        Operand::Reg(reg) => branch.places.get(&reg).copied(),
    }
}

/// A set that is the same for all elements, in terms of the search.
fn fixed_set(branch: &Branch, set: &Set) -> Option<Set> {
    let fixed = |x: &Operand| match place_of(branch, *x) {
        Some(Symbolic::Fixed(x)) => Some(x),
        _ => None,
    };
    Some(match set {
        Set::Reg(_) => return None,
        Set::Mask(_) | Set::Plane(_) => set.clone(),
        Set::PlaneOf { fluent, value } => Set::PlaneOf { fluent: *fluent, value: fixed(value)? },
        Set::Slice { fluent, slices, others, value } => {
            let others: Option<Box<[Operand]>> = others.iter().map(fixed).collect();
            let value = match value {
                Some(value) => Some(fixed(value)?),
                None => None,
            };
            Set::Slice { fluent: *fluent, slices: *slices, others: others?, value }
        }
        Set::Row { rows, keys } => {
            let keys: Option<Vec<Operand>> = keys.iter().map(fixed).collect();
            Set::Row { rows: *rows, keys: keys?.into_boxed_slice() }
        }
    })
}
