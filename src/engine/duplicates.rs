//! Finds equal moves: each is played once, and must lead to one state.

use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;

use crate::plan::{Code, Found, HeadTerm, LISTS, MoveClause, Op, Operand, Plan, Reg};
use crate::program::{ClauseId, call_text};

use super::bits::bits;
use super::fault::FaultKind;
use super::machine::{Machine, Tuple};
use super::segments::{Moves, Pick, SAVED, Segment, saved_items};

/// Up to this many moves are compared pairwise, which takes less time than to hash their terms.
const FEW: usize = 6;

/// The arguments of a move, where none is a list or compound.
pub(super) type Plain<T> = SmallVec<[T; 4]>;

/// For each clause, the arguments of its move, where all are plain and no value is a list.
pub(super) fn plain_heads(clauses: &[MoveClause], lists: bool) -> Vec<Option<Plain<Operand>>> {
    let plain = |clause: &MoveClause| {
        let operand = |term: &HeadTerm| match term {
            HeadTerm::Operand(x) => Some(*x),
            _ => None,
        };
        clause.head.iter().map(operand).collect::<Option<Plain<Operand>>>()
    };
    clauses.iter().map(|clause| plain(clause).filter(|_| !lists)).collect()
}

/// For each clause whose candidates within a segment differ by values found from their last
/// variable: for each of its indexes, the indexes that give the same move.
pub(super) fn alike<const W: usize>(plan: &Plan) -> Vec<Option<Vec<[u64; W]>>> {
    let of_clause = |clause: &MoveClause| -> Option<Vec<[u64; W]>> {
        let Op::Segment { dst: last, base, .. } =
            *plan.blocks.line(clause.generate.start).last()?
        else {
            return None;
        };
        let mut registers = Vec::new();
        clause.head.iter().for_each(|term| term.registers(&mut registers));
        if !clause.repeats || clause.found.is_empty() || registers.contains(last) {
            return None;
        }
        let asked = |found: &&Found| found.outs.iter().any(|out| registers.contains(out));
        let found: Vec<&Found> = clause.found.iter().filter(asked).collect();
        let known = |key: &Operand| matches!(key, Operand::Const(_)) || *key == Operand::Reg(*last);
        if !found.iter().all(|f| f.keys.iter().all(known)) {
            return None;
        }
        let row = |bit: usize, found: &Found| -> Option<Vec<Code>> {
            let index = &plan.indexes[found.index as usize];
            let key = |i: usize| match found.keys[i] {
                Operand::Const(code) => code,
                Operand::Reg(_) => base + bit as Code,
            };
            let row = index.row(index.find(key).next()?);
            let wanted = found.outs.iter().zip(row).filter(|(out, _)| registers.contains(out));
            Some(wanted.map(|(_, code)| *code).collect())
        };
        let rows: Vec<Vec<Option<Vec<Code>>>> =
            (0..W * 64).map(|bit| found.iter().map(|f| row(bit, f)).collect()).collect();
        let mut same: FxHashMap<&Vec<Option<Vec<Code>>>, [u64; W]> = FxHashMap::default();
        for (bit, row) in rows.iter().enumerate() {
            same.entry(row).or_insert([0; W])[bit / 64] |= 1 << (bit % 64);
        }
        Some(rows.iter().map(|row| same[row]).collect())
    };
    plan.moves.iter().map(of_clause).collect()
}

/// The registers that the move of each clause reads.
pub(super) fn head_registers(clauses: &[MoveClause]) -> Vec<Vec<Reg>> {
    let registers = |clause: &MoveClause| {
        let mut all = Vec::new();
        clause.head.iter().for_each(|term| term.registers(&mut all));
        all
    };
    clauses.iter().map(registers).collect()
}

impl<const W: usize> Machine<'_, W> {
    /// Removes duplicates, and candidates that are not legal where duplicates are possible. Equal
    /// moves must lead to one state.
    pub(super) fn settle(&mut self, moves: &mut Moves<W>) -> Result<(), ()> {
        let chance = moves.chance;
        if moves.settled {
            return Ok(());
        }
        moves.settled = true;
        if !self.has_duplicates(moves, 0) {
            return Ok(());
        }
        self.keep_legal(moves)?;
        let mut seen: FxHashMap<Tuple, Pick> = FxHashMap::default();
        for pick in moves.picks() {
            let clause =
                &self.clauses(chance)[moves.segments[pick.segment as usize].clause as usize];
            let key = self.key_of(moves, pick, clause);
            self.tick(4)?;
            let Some(first) = seen.get(&key).copied() else {
                seen.insert(key, pick);
                continue;
            };
            self.same_result(moves, first, pick)?;
            moves.remove(pick);
        }
        Ok(())
    }

    /// Whether an earlier candidate is the same move, and legal. Equal moves must lead to one
    /// state. Earlier duplicates that are not legal are removed.
    #[inline]
    pub(super) fn has_legal_duplicate(
        &mut self,
        moves: &mut Moves<W>,
        pick: Pick,
    ) -> Result<bool, ()> {
        let clause = moves.segments[pick.segment as usize].clause as usize;
        // chance events are compared when they are generated
        if moves.chance || !self.facts.told_apart[clause] {
            return Ok(false);
        }
        self.find_legal_duplicate(moves, pick)
    }

    #[inline(never)]
    fn find_legal_duplicate(&mut self, moves: &mut Moves<W>, pick: Pick) -> Result<bool, ()> {
        while let Some(duplicate) = self.earlier_duplicate(moves, pick) {
            if self.trial(moves, duplicate, false)? {
                self.same_result(moves, duplicate, pick)?;
                return Ok(true);
            }
            moves.remove(duplicate);
        }
        Ok(false)
    }

    /// The first candidate before this one that is the same move.
    fn earlier_duplicate(&self, moves: &Moves<W>, pick: Pick) -> Option<Pick> {
        let clauses = &self.plan.moves;
        let number = moves.segments[pick.segment as usize].clause as usize;
        let functor = clauses[number].functor;
        if let Some(alike) = &self.facts.alike[number] {
            let own = &moves.segments[pick.segment as usize].set;
            let mut same = alike[pick.bit as usize];
            (0..W).for_each(|i| same[i] &= own[i]);
            let first = bits(same).next().filter(|bit| *bit < pick.bit as usize);
            if first.is_some() || pick.segment == 0 {
                return first.map(|bit| Pick { bit: bit as u32, ..pick });
            }
        }
        let Some(head) = &self.facts.heads[number] else {
            return self.earlier_listed_duplicate(moves, pick, &clauses[number]);
        };
        let (segment, before) =
            (&moves.segments[pick.segment as usize], &moves.segments[..pick.segment as usize]);
        // in most cases all are single moves of one clause
        let alone = |s: &Segment<W>| s.clause == segment.clause && s.last == Reg::MAX;
        if clauses[number].found.is_empty() && before.iter().chain([segment]).all(alone) {
            let registers = |s: &Segment<W>| &moves.registers[s.registers as usize..];
            let (heads, mine) = (&self.facts.head_registers[number], registers(segment));
            let same = |s: &Segment<W>| {
                let theirs = registers(s);
                s.count > 0 && heads.iter().all(|r| theirs[*r as usize] == mine[*r as usize])
            };
            let at = before.iter().position(same)?;
            return Some(Pick { segment: at as u32, bit: 0 });
        }
        let mine: Plain<Code> = head.iter().map(|x| self.operand_of(moves, pick, *x)).collect();
        for (at, segment) in moves.segments[..=pick.segment as usize].iter().enumerate() {
            let other = &clauses[segment.clause as usize];
            let Some(head) = &self.facts.heads[segment.clause as usize] else { continue };
            if segment.count == 0 || !other.repeats || other.functor != functor {
                continue;
            }
            let candidate = |bit: usize| Pick { segment: at as u32, bit: bit as u32 };
            if !other.found.is_empty() {
                let earlier = |p: &Pick| at < pick.segment as usize || p.bit < pick.bit;
                let same = |p: &Pick| {
                    let theirs = head.iter().map(|x| self.operand_of(moves, *p, *x));
                    theirs.eq(mine.iter().copied())
                };
                let duplicate = match segment.last() {
                    None => Some(candidate(0)).filter(earlier).filter(same),
                    Some(_) => bits(segment.set).map(candidate).take_while(earlier).find(same),
                };
                if let Some(duplicate) = duplicate {
                    return Some(duplicate);
                }
                continue;
            }
            let registers = &moves.registers[segment.registers as usize..];
            // the index that the last variable must have to make the arguments equal
            let mut index = None;
            let equal = head.iter().zip(&mine).all(|(x, code)| match x {
                Operand::Const(own) => own == code,
                Operand::Reg(reg) if *reg == segment.last => {
                    let wanted = code.wrapping_sub(segment.base);
                    (0..(W * 64) as i64).contains(&wanted) && *index.get_or_insert(wanted) == wanted
                }
                Operand::Reg(reg) if *reg == segment.origin => {
                    let last = code.wrapping_sub(registers[*reg as usize]);
                    let wanted = last.wrapping_sub(segment.base);
                    (0..(W * 64) as i64).contains(&wanted) && *index.get_or_insert(wanted) == wanted
                }
                Operand::Reg(reg) => registers[*reg as usize] == *code,
            });
            if !equal {
                continue;
            }
            let duplicate = match (segment.last(), index) {
                (None, _) => Some(candidate(0)),
                (Some(_), Some(index)) => {
                    let index = index as usize;
                    (segment.set[index / 64] >> (index % 64) & 1 == 1).then(|| candidate(index))
                }
                (Some(_), None) => bits(segment.set).next().map(candidate),
            };
            if let Some(duplicate) = duplicate.filter(|duplicate| *duplicate != pick) {
                return Some(duplicate);
            }
        }
        None
    }

    /// The same for moves that contain lists.
    fn earlier_listed_duplicate(
        &self,
        moves: &Moves<W>,
        pick: Pick,
        clause: &MoveClause,
    ) -> Option<Pick> {
        let (number, registers) = self.registers_of(moves, pick);
        let mut mine = None;
        moves.picks().into_iter().take_while(|p| *p != pick).find(|p| {
            let (other_number, others) = self.registers_of(moves, *p);
            let alone = moves.segments[p.segment as usize].last().is_none();
            if other_number == number && alone && clause.found.is_empty() {
                return self.same_terms(moves, number, registers, others);
            }
            let other = &self.plan.moves[other_number];
            other.functor == clause.functor
                && self.key_of(moves, *p, other)
                    == *mine.get_or_insert_with(|| self.key_of(moves, pick, clause))
        })
    }

    /// Whether two values that were stored with moves are equal.
    fn same_kept(&self, moves: &Moves<W>, a: Code, b: Code) -> bool {
        if a == b || (a < SAVED && b < SAVED) {
            return a == b;
        }
        let items = |code| match code >= SAVED {
            true => Some(saved_items(moves, code)),
            false => self.plan.lists.get(&code).map(|items| &**items),
        };
        let (Some(a), Some(b)) = (items(a), items(b)) else { return false };
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.same_kept(moves, *a, *b))
    }

    fn registers_of<'m>(&self, moves: &'m Moves<W>, pick: Pick) -> (usize, &'m [Code]) {
        let segment = &moves.segments[pick.segment as usize];
        (segment.clause as usize, &moves.registers[segment.registers as usize..])
    }

    /// Compares the states of equal moves: different states are a rule error.
    fn same_result(&mut self, moves: &Moves<W>, first: Pick, other: Pick) -> Result<(), ()> {
        let (Some(a), Some(b)) = (self.resulting(moves, first)?, self.resulting(moves, other)?)
        else {
            return Ok(());
        };
        if a == b {
            return Ok(());
        }
        let clauses = self.clauses(moves.chance);
        let of = |p: Pick| clauses[moves.segments[p.segment as usize].clause as usize].clause;
        let clauses = (of(first), of(other));
        self.ambiguous(moves, other, clauses)
    }

    /// The rule error that a move leads to two positions, by these clauses.
    pub(super) fn ambiguous<T>(
        &mut self,
        moves: &Moves<W>,
        pick: Pick,
        (first, other): (ClauseId, ClauseId),
    ) -> Result<T, ()> {
        let shown = self.show_move(moves, pick);
        self.stop(FaultKind::Ambiguous { shown, first, other });
        Err(())
    }

    /// Whether two candidates of the segments from `first` on may be the same move. Compares hashes of
    /// their terms.
    pub(super) fn has_duplicates(&mut self, moves: &Moves<W>, first: usize) -> bool {
        let clauses = self.clauses(moves.chance);
        let compared = || {
            let segments = moves.segments[first..].iter();
            segments.filter(|s| s.count > 0 && clauses[s.clause as usize].repeats)
        };
        let count = compared().map(|s| u64::from(s.count)).sum::<u64>();
        if count < 2 {
            return false;
        }
        if count <= FEW as u64
            && !moves.chance
            && let Some(found) = self.has_duplicates_of_few(moves, compared().collect())
        {
            return found;
        }
        let mut seen = std::mem::take(&mut self.room.duplicates);
        let size = (2 * moves.total as usize).next_power_of_two();
        seen.clear();
        seen.resize(size, 0);
        let mut insert = |hash: u64| {
            let hash = hash | 1;
            let mut at = (hash >> 32) as usize & (size - 1);
            while seen[at] != 0 && seen[at] != hash {
                at = (at + 1) & (size - 1);
            }
            std::mem::replace(&mut seen[at], hash) == hash
        };
        let mut found = false;
        for (number, segment) in moves.segments.iter().enumerate().skip(first) {
            let clause = &clauses[segment.clause as usize];
            if !clause.repeats || found {
                continue;
            }
            let pick = |bit: usize| Pick { segment: number as u32, bit: bit as u32 };
            let mut insert = |pick: Pick| insert(self.term_hash(moves, pick, clause));
            found = match segment.last() {
                None => segment.count > 0 && insert(pick(0)),
                Some(_) => bits(segment.set).any(|bit| insert(pick(bit))),
            };
        }
        self.room.duplicates = seen;
        found
    }

    /// The same for a few candidates; `None` unless they are single moves of one clause.
    fn has_duplicates_of_few(
        &self,
        moves: &Moves<W>,
        compared: SmallVec<[&Segment<W>; FEW]>,
    ) -> Option<bool> {
        let number = compared[0].clause as usize;
        let alone = |s: &&Segment<W>| s.clause as usize == number && s.last().is_none();
        if !self.plan.moves[number].found.is_empty() || !compared.iter().all(alone) {
            return None;
        }
        let registers = |i: usize| &moves.registers[compared[i].registers as usize..];
        let mut pairs = (1..compared.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        Some(pairs.any(|(i, j)| self.same_terms(moves, number, registers(i), registers(j))))
    }

    /// Whether two single moves of one clause without found values are equal: terms of one form are
    /// where their registers are.
    fn same_terms(&self, moves: &Moves<W>, clause: usize, a: &[Code], b: &[Code]) -> bool {
        let mut heads = self.facts.head_registers[clause].iter();
        heads.all(|r| self.same_kept(moves, a[*r as usize], b[*r as usize]))
    }

    /// A hash of a move's term.
    fn term_hash(&self, moves: &Moves<W>, pick: Pick, clause: &MoveClause) -> u64 {
        let mut hash = FxHasher::default();
        self.key_of(moves, pick, clause).iter().for_each(|code| hash.write_i64(*code));
        hash.finish()
    }

    /// The state that a candidate leads to, without its hash; `None` where it is not legal.
    fn resulting(&mut self, moves: &Moves<W>, pick: Pick) -> Result<Option<Vec<u64>>, ()> {
        let saved = self.now.state.clone();
        let made = self.play(moves, pick);
        self.forget();
        let result = self.now.state[..self.now.state.len() - 1].to_vec();
        // in place, since native code that asks `stuck` has the address
        self.now.state.copy_from_slice(&saved);
        made.map(|legal| legal.then_some(result))
    }

    /// The content of a move term: its functor and all its arguments, flattened.
    pub(super) fn key_of(&self, moves: &Moves<W>, pick: Pick, clause: &MoveClause) -> Tuple {
        let mut key = Tuple::new();
        key.push(Code::from(clause.functor));
        for term in &clause.head {
            self.flatten(moves, pick, term, &mut key);
        }
        key
    }

    fn flatten(&self, moves: &Moves<W>, pick: Pick, term: &HeadTerm, key: &mut Tuple) {
        match term {
            HeadTerm::Operand(x) => self.flatten_code(moves, self.operand_of(moves, pick, *x), key),
            HeadTerm::List(items, tail) => {
                key.push(LISTS);
                items.iter().for_each(|t| self.flatten(moves, pick, t, key));
                if let Some(tail) = tail {
                    let mut rest = Tuple::new();
                    self.flatten(moves, pick, tail, &mut rest);
                    // a list's items without its own brackets
                    let inner = if rest.len() >= 2 { &rest[1..rest.len() - 1] } else { &rest[..] };
                    key.extend_from_slice(inner);
                }
                key.push(LISTS + 1);
            }
            HeadTerm::Compound(_, args) => {
                key.push(LISTS + 2);
                args.iter().for_each(|t| self.flatten(moves, pick, t, key));
                key.push(LISTS + 1);
            }
        }
    }

    /// Appends the content of a value: of a list its items between brackets, wherever it lies.
    pub(super) fn flatten_code(&self, moves: &Moves<W>, code: Code, key: &mut Tuple) {
        let items: Option<Tuple> = if code >= SAVED {
            Some(saved_items(moves, code).iter().copied().collect())
        } else {
            self.items(code)
        };
        match items {
            Some(items) => {
                key.push(LISTS);
                items.iter().for_each(|c| self.flatten_code(moves, *c, key));
                key.push(LISTS + 1);
            }
            None => key.push(code),
        }
    }

    /// A move as text, for messages.
    fn show_move(&self, moves: &Moves<W>, pick: Pick) -> String {
        let clause =
            &self.clauses(moves.chance)[moves.segments[pick.segment as usize].clause as usize];
        let (name, _) = &self.plan.functors[clause.functor as usize];
        let args: Vec<String> =
            clause.head.iter().map(|t| self.show_argument(moves, pick, t)).collect();
        call_text(name, &args)
    }

    /// A value that was stored with moves, as text; a list may contain lists.
    fn show_kept(&self, moves: &Moves<W>, code: Code) -> String {
        if code < SAVED {
            return self.show(code);
        }
        let items = saved_items(moves, code).iter().map(|item| self.show_kept(moves, *item));
        format!("[{}]", items.collect::<Vec<_>>().join(", "))
    }

    fn show_argument(&self, moves: &Moves<W>, pick: Pick, term: &HeadTerm) -> String {
        match term {
            HeadTerm::Operand(x) => self.show_kept(moves, self.operand_of(moves, pick, *x)),
            HeadTerm::List(items, tail) => {
                let mut parts: Vec<String> =
                    items.iter().map(|t| self.show_argument(moves, pick, t)).collect();
                if let Some(tail) = tail {
                    let rest = self.show_argument(moves, pick, tail);
                    let inner = rest.trim_start_matches('[').trim_end_matches(']');
                    if !inner.is_empty() {
                        parts.push(inner.to_string());
                    }
                }
                format!("[{}]", parts.join(", "))
            }
            HeadTerm::Compound(name, args) => {
                let args: Vec<String> =
                    args.iter().map(|t| self.show_argument(moves, pick, t)).collect();
                format!("{name}({})", args.join(", "))
            }
        }
    }
}
