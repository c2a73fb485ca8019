//! Prints instructions as a tree.

use std::fmt::Write;

use super::blocks::BlockId;
use super::ops::{Op, Operand, PatternArgument, Set};
use super::{Code, Plan};

use crate::program::FluentId;

/// The most constants of a set that are shown.
const SHOWN: usize = 8;

/// Prints a block, each line indented by `depth` times two spaces.
pub(super) fn print_block(out: &mut String, plan: &Plan, start: BlockId, depth: usize) {
    Tree { plan, out }.block(start, depth);
}

struct Tree<'a> {
    plan: &'a Plan,
    out: &'a mut String,
}

impl Tree<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", depth * 2);
    }

    fn block(&mut self, start: BlockId, mut depth: usize) {
        let plan = self.plan;
        for op in plan.blocks.line(start) {
            match op {
                Op::Branch { ways, rest } => {
                    for way in ways {
                        self.line(depth, "either");
                        self.block(*way, depth + 1);
                    }
                    if rest.is_some() {
                        self.line(depth, "then");
                    }
                }
                Op::If { condition, then, otherwise, .. } => {
                    for (word, block) in [("if", condition), ("then", then), ("else", otherwise)] {
                        self.line(depth, word);
                        self.block(*block, depth + 1);
                    }
                }
                Op::ForEach { goal, registers, action } => {
                    let registers: Vec<String> =
                        registers.iter().map(|reg| format!("r{reg}")).collect();
                    self.line(depth, &format!("for each answer ({}) of", registers.join(", ")));
                    self.block(*goal, depth + 1);
                    self.line(depth, "do");
                    self.block(*action, depth + 1);
                }
                Op::Continue { .. } => {}
                op => {
                    let text = self.text(op);
                    self.line(depth, &text);
                    let uses = op.uses();
                    uses.blocks.iter().for_each(|inner| self.block(inner.block, depth + 1));
                    depth += usize::from(uses.next.is_some());
                }
            }
        }
    }

    fn code(&self, code: Code) -> String {
        match self.plan.names.get(&code) {
            Some(name) => name.clone(),
            None if code == self.plan.empty_list => "[]".to_string(),
            None => match self.plan.lists.get(&code) {
                Some(items) => {
                    let items: Vec<String> = items.iter().map(|item| self.code(*item)).collect();
                    format!("[{}]", items.join(", "))
                }
                None => code.to_string(),
            },
        }
    }

    fn operand(&self, x: Operand) -> String {
        match x {
            Operand::Reg(reg) => format!("r{reg}"),
            Operand::Const(code) => self.code(code),
        }
    }

    fn operands(&self, all: &[Operand]) -> String {
        let all: Vec<String> = all.iter().map(|x| self.operand(*x)).collect();
        all.join(", ")
    }

    fn registers(&self, outs: &[u16]) -> String {
        let outs: Vec<String> = outs.iter().map(|reg| format!("r{reg}")).collect();
        match outs.as_slice() {
            [only] => only.clone(),
            _ => format!("({})", outs.join(", ")),
        }
    }

    fn cell(&self, fluent: FluentId, keys: &[Operand]) -> String {
        let name = &self.plan.layout.place(fluent).name;
        if keys.is_empty() { name.clone() } else { format!("{name}({})", self.operands(keys)) }
    }

    /// A set; `base` is the code of its element of index 0 where that is known.
    fn set(&self, set: &Set, base: Option<Code>) -> String {
        match set {
            Set::Reg(reg) => format!("s{reg}"),
            Set::Mask(mask) => self.mask(*mask, base),
            Set::Plane(word) => self.plane(*word),
            Set::PlaneOf { fluent, value } => {
                format!("keys of {} = {}", self.cell(*fluent, &[]), self.operand(*value))
            }
            Set::Slice { fluent, slices, others, value } => {
                let slices = &self.plan.layout.place(*fluent).slices[*slices];
                let mut keys: Vec<String> = others.iter().map(|key| self.operand(*key)).collect();
                keys.insert(slices.key, "_".to_string());
                let cells = format!("keys of {}({})", self.cell(*fluent, &[]), keys.join(", "));
                match value {
                    Some(value) => format!("{cells} = {}", self.operand(*value)),
                    None => cells,
                }
            }
            Set::Row { rows, keys } => {
                format!("{}[{}]", self.plan.rows[*rows as usize].name, self.operands(keys))
            }
        }
    }

    fn mask(&self, mask: u32, base: Option<Code>) -> String {
        let words = self.plan.layout.words;
        let bits = &self.plan.masks[mask as usize * words..][..words];
        let held: Vec<usize> =
            (0..words * 64).filter(|i| bits[i / 64] >> (i % 64) & 1 == 1).collect();
        match base {
            Some(base) if held.len() <= SHOWN => {
                let held: Vec<String> = held.iter().map(|i| self.code(base + *i as Code)).collect();
                format!("{{{}}}", held.join(", "))
            }
            _ => format!("{} constants", held.len()),
        }
    }

    fn plane(&self, word: u32) -> String {
        for place in &self.plan.layout.places {
            let Some(planes) = place.planes else { continue };
            if word == planes.defined {
                return format!("keys of {}", place.name);
            }
            let (Some(axis), words) = (&place.value, self.plan.layout.words as u32) else {
                continue;
            };
            if (planes.first..planes.first + axis.len as u32 * words).contains(&word) {
                let value = axis.code(((word - planes.first) / words) as usize);
                return format!("keys of {} = {}", place.name, self.code(value));
            }
        }
        format!("word {word}")
    }

    fn filters(&self, filters: &[(Set, bool)]) -> String {
        let one = |(set, negate): &(Set, bool)| {
            format!("{} {}", if *negate { ", without" } else { ", in" }, self.set(set, None))
        };
        filters.iter().map(one).collect()
    }

    fn image(
        &self,
        images: u32,
        keys: &[Operand],
        source: &Set,
        filters: &[(Set, bool)],
    ) -> String {
        let name = &self.plan.images[images as usize].name;
        let keys =
            if keys.is_empty() { String::new() } else { format!("[{}]", self.operands(keys)) };
        format!("{name}{keys} of {}{}", self.set(source, None), self.filters(filters))
    }

    fn procedure(&self, number: u32, inputs: &[Operand]) -> String {
        let name = &self.plan.procedures[number as usize].name;
        format!("procedure {number} {name} ({})", self.operands(inputs))
    }

    fn index(&self, index: u32, keys: &[Operand]) -> String {
        format!("{}[{}]", self.plan.indexes[index as usize].name, self.operands(keys))
    }

    fn pattern(&self, pattern: u32, inputs: &[Operand]) -> String {
        let pattern = &self.plan.patterns[pattern as usize];
        let Some(functor) = pattern.functor else { return "any move".to_string() };
        let shown = |argument: &PatternArgument| match argument {
            PatternArgument::Equal(n) => self.operand(inputs[*n]),
            PatternArgument::Out(n) => format!("out {n}"),
            PatternArgument::Any => "_".to_string(),
        };
        let arguments: Vec<String> = pattern.arguments.iter().map(shown).collect();
        format!("{}({})", self.plan.functors[functor as usize].0, arguments.join(", "))
    }

    fn text(&self, op: &Op) -> String {
        let not = |negate: &bool| if *negate { "not " } else { "" };
        match op {
            Op::Load { dst, set } => format!("s{dst} = {}", self.set(set, None)),
            Op::And { dst, set } => format!("s{dst} = s{dst} in {}", self.set(set, None)),
            Op::AndNot { dst, set } => format!("s{dst} = s{dst} without {}", self.set(set, None)),
            Op::Remove { dst, x, .. } => format!("s{dst} = s{dst} without {}", self.operand(*x)),
            Op::Gather { dst, .. } => format!("s{dst} = all of"),
            Op::GatherCall { dst, procedure, inputs } => {
                format!("s{dst} = all of {}", self.procedure(*procedure, inputs))
            }
            Op::Each { set, base, dst, orbit, .. } => {
                let set = self.set(set, Some(*base));
                let without = orbit.map_or(String::new(), |set| format!(", leaving out s{set}"));
                format!("for r{dst} in {set}{without}")
            }
            Op::Rows { index, keys, outs, .. } => {
                format!("for {} in {}", self.registers(outs), self.index(*index, keys))
            }
            Op::Integers { dst, lo, hi, .. } => {
                format!("for r{dst} in {}..{}", self.operand(*lo), self.operand(*hi))
            }
            Op::Keys { fluent, outs, .. } => {
                format!("for {} in keys of {}", self.registers(outs), self.cell(*fluent, &[]))
            }
            Op::Members { dst, list, .. } => format!("for r{dst} in list {}", self.operand(*list)),
            Op::Call { procedure, inputs, outs, .. } => {
                format!("for {} in {}", self.registers(outs), self.procedure(*procedure, inputs))
            }
            Op::Legal { pattern, inputs, outs, .. } => {
                format!("for {} in legal {}", self.registers(outs), self.pattern(*pattern, inputs))
            }
            Op::Copy { dst, x } => format!("r{dst} = {}", self.operand(*x)),
            Op::Read { dst, fluent, keys } => format!("r{dst} = {}", self.cell(*fluent, keys)),
            Op::Find { index, keys, outs } => {
                format!("{} = {}", self.registers(outs), self.index(*index, keys))
            }
            Op::Calculate { dst, op, a, b, .. } => {
                format!("r{dst} = {} {} {}", self.operand(*a), op.name(), self.operand(*b))
            }
            Op::Length { dst, list } => format!("r{dst} = length of {}", self.operand(*list)),
            Op::MakeList { dst, items, tail } => {
                let tail = tail.map_or(String::new(), |tail| format!(" | {}", self.operand(tail)));
                format!("r{dst} = [{}{tail}]", self.operands(items))
            }
            Op::TakeList { list, head, tail } => {
                format!("[r{head} | r{tail}] = {}", self.operand(*list))
            }
            Op::Count { dst, set } => format!("r{dst} = size of {}", self.set(set, None)),
            Op::Collect { dst, kind, .. } => {
                format!("r{dst} = {} of", format!("{kind:?}").to_lowercase())
            }
            Op::In { x, base, set, negate } => {
                format!("{}{} in {}", not(negate), self.operand(*x), self.set(set, Some(*base)))
            }
            Op::NonEmpty { set, negate } => {
                format!("{}any in {}", not(negate), self.set(set, None))
            }
            Op::Subset { part, whole, negate } => {
                let (part, whole) = (self.set(part, None), self.set(whole, None));
                format!("{}all of {part} in {whole}", not(negate))
            }
            Op::AnyRow { count, whole, through, negate, .. } => {
                let changed = if through.is_some() { " through what changed" } else { "" };
                let whole = self.set(whole, None);
                format!("{}one of {count} constant sets{changed} in {whole}", not(negate))
            }
            Op::Holds { fluent, keys, value, negate } => {
                let value = value.map_or(String::new(), |x| format!(" = {}", self.operand(x)));
                format!("{}{}{value}", not(negate), self.cell(*fluent, keys))
            }
            Op::Defined { fluent, keys, negate } => {
                format!("{}{} has a value", not(negate), self.cell(*fluent, keys))
            }
            Op::Has { index, keys, negate } => {
                format!("{}{}", not(negate), self.index(*index, keys))
            }
            Op::Same { a, b, negate } => {
                format!("{}{} = {}", not(negate), self.operand(*a), self.operand(*b))
            }
            Op::Compare { op, a, b, .. } => {
                format!("{} {} {}", self.operand(*a), op.name(), self.operand(*b))
            }
            Op::Between { x, lo, hi } => {
                let (x, lo, hi) = (self.operand(*x), self.operand(*lo), self.operand(*hi));
                format!("{x} in {lo}..{hi}")
            }
            Op::InList { x, list } => {
                format!("{} in list {}", self.operand(*x), self.operand(*list))
            }
            Op::IsEmpty { x } => format!("{} is []", self.operand(*x)),
            Op::Test { procedure, inputs, negate } => {
                format!("{}{}", not(negate), self.procedure(*procedure, inputs))
            }
            Op::SomeLegal { pattern, inputs } => {
                format!("some legal {}", self.pattern(*pattern, inputs))
            }
            Op::Exists { negate, .. } => format!("{}exists", not(negate)),
            Op::Repeated { times, board } => {
                let of = if *board { "board" } else { "position" };
                format!("the {of} is there for the time {}", self.operand(*times))
            }
            Op::Stuck => "no legal move".to_string(),
            Op::Probe { number } => format!("probe {number}"),
            Op::Once { .. } => "the first of".to_string(),
            Op::Round { .. } => "in each round".to_string(),
            Op::Assign { fluent, keys, value, .. } => {
                format!("{} := {}", self.cell(*fluent, keys), self.operand(*value))
            }
            Op::Clear { fluent, keys, .. } => format!("clear {}", self.cell(*fluent, keys)),
            Op::Set { fluent, keys, on, .. } => {
                let word = if *on { "set" } else { "clear" };
                format!("{word} {}", self.cell(*fluent, keys))
            }
            Op::Again => "the same player again".to_string(),
            Op::Cut => "no other clause".to_string(),
            Op::Fail => "fail".to_string(),
            Op::Succeed => "holds".to_string(),
            Op::Emit { set } => format!("give all of {}", self.set(set, None)),
            Op::EmitOne { x, .. } => format!("give {}", self.operand(*x)),
            Op::EmitImage { images, keys, source, filters } => {
                format!("give all of {}", self.image(*images, keys, source, filters))
            }
            Op::EmitJoint { joints, sets } => {
                let name = &self.plan.joints[*joints as usize].name;
                format!("give all of {name} with sites{}", self.filters(sets))
            }
            Op::Yield { template, distinct } => {
                format!("give {} for ({})", self.operand(*template), self.operands(distinct))
            }
            Op::Return { outs } => format!("give ({})", self.operands(outs)),
            Op::Segment { set, base, dst } => {
                format!("a move for each r{dst} in {}", self.set(set, Some(*base)))
            }
            Op::SegmentImage { images, keys, source, filters, from, to } => {
                let image = self.image(*images, keys, source, filters);
                format!("a move for each r{} in {image}, from r{}", to.0, from.0)
            }
            Op::Single => "a move".to_string(),
            Op::Commit => "played".to_string(),
            // these are written with their blocks
            Op::Branch { .. } | Op::If { .. } | Op::ForEach { .. } | Op::Continue { .. } => {
                op.name()
            }
        }
    }
}
