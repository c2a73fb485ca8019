//! From checked clauses to instructions.
//!
//! `goals.rs` prepares a clause (inlining, patterns, codes), `joins.rs` joins static goals into
//! tables, `listed.rs` makes tables of what is said of lists, `order.rs` (with `links.rs` and `estimate.rs`) chooses the order of its tests and joins, `sets.rs`
//! evaluates goals on whole sets, `emit.rs` and `calls.rs` emit the instructions of single goals,
//! `firsts.rs` answers in the order of the text out of sets,
//! `control.rs` those of choices and updates, `tables.rs` makes the rows and indexes that they
//! read, `procedures.rs` compiles relations for each way in which they are called, `cuts.rs` emits
//! floods over steps that the state forbids, `required.rs` and `seeds.rs` find tests that avoid a
//! flood,
//! `wholes.rs` makes goals about columns and rows goals about sites, `needed.rs` asks for what all clauses of a relation need,
//! `fuse.rs` makes one instruction of several, `invariant.rs` gathers in front of loops what all rounds do, and `orbits.rs`
//! (with `classes.rs`) avoids floods that are known.
//!
//! `moves.rs` splits a move at its first update, `copied.rs` finds values that its head determines apart from their tests. The facts that it needs about clauses are proved
//! by `exclusive.rs` (with `conditions.rs`, `pair.rs`, `forms.rs` and `implied.rs`): which clauses cannot both hold;
//! `single.rs`: which calls have one answer; `merged.rs`: which clauses are one but for what tables say;
//! `actions.rs`: which actions have at most one answer; `items.rs`: what an action asks of each item of a list; and `risks.rs`: whether the goals after an
//! update may fail or be a rule error.

mod across;
mod actions;
mod apart;
mod begun;
mod branches;
mod calls;
mod choices;
mod chosen;
mod classes;
mod compared;
mod conditions;
mod conjuncts;
mod contrary;
mod control;
mod copied;
mod cost;
mod counted;
mod cuts;
mod denied;
mod descent;
mod determined;
mod effects;
mod elements;
mod emit;
mod estimate;
mod exclusive;
mod firsts;
mod followed;
mod forms;
mod functional;
mod fuse;
mod gather;
mod gatherable;
mod generators;
mod goals;
mod held;
mod hoist;
mod implied;
mod invariant;
mod inverse;
mod items;
mod joins;
mod joints;
mod known_reads;
mod limits;
mod links;
mod listed;
mod lookahead;
mod merged;
mod moves;
mod needed;
mod orbits;
mod order;
mod outer;
mod outputs;
mod pair;
mod patterns;
mod plainer;
mod procedures;
mod put_off;
mod recursion;
mod related;
mod required;
mod risks;
mod seeds;
mod sets;
mod single;
mod sink;
mod sums;
mod tables;
mod unready;
mod unroll;
mod wholes;
mod worth;
mod written;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::datalog::Tables;
use crate::diagnostic::Diagnostic;
use crate::program::{Constant, EndKind, FluentId, GoalKind, Program, RelationId, Value};
use crate::source::Span;
use crate::types::Types;

use super::blocks::{BlockId, Blocks};
use super::closures::Rewritten;
use super::domains::Domains;
use super::layout::{self, Layout};
use super::ops::{Argument, Op, Procedure};
use super::sites::Declared;
use super::specialise::in_order;
use super::universe::{Code, UniverseId, Universes};
use super::written::{WrittenGoals, WrittenId};
use super::{End, Plan};

use goals::{G, Var, Vars};
use procedures::Reserved;
use tables::{Coded, CountKey, FunctorTable, TableKey, TableRef};
use written::Builder;

/// The instructions, and the goals that they come from.
struct Instructions {
    blocks: Blocks,
    written: WrittenGoals,
    /// The places of the goals of the current clause.
    places: FxHashMap<G, WrittenId>,
    /// The current goal.
    at: WrittenId,
}

/// The tables and names of the plan, to which instructions refer by number.
#[derive(Default)]
struct Made {
    masks: Vec<u64>,
    rows: Vec<super::Rows>,
    indexes: Vec<super::Index>,
    images: Vec<super::Images>,
    joints: Vec<super::Joints>,
    through: Vec<super::Through>,
    watched: Option<FluentId>,
    functors: Vec<FunctorTable>,
    move_functors: Vec<(String, usize)>,
    patterns: Vec<super::MovePattern>,
    sources: Vec<Span>,
}

/// What has been made or counted before.
#[derive(Default)]
struct Caches {
    rows: FxHashMap<TableKey, Option<u32>>,
    indexes: FxHashMap<TableKey, u32>,
    tables: RefCell<FxHashMap<TableRef, Rc<Coded>>>,
    counts: RefCell<FxHashMap<CountKey, usize>>,
    sources: FxHashMap<Span, u32>,
    expected: FxHashMap<estimate::Asked, f64>,
    /// What a call of a procedure costs, and its answers.
    called: FxHashMap<cost::Called, (f64, f64)>,
    /// For each recursion, what [`Lowering::common_tables`] gives.
    common_tables: FxHashMap<RelationId, Vec<G>>,
    /// By goals, how often each of their variables occurs, and the most columns, what [`Lowering::joined`] gives.
    joins: FxHashMap<(Vec<G>, Vec<usize>, usize), Option<G>>,
    /// By relation and known arguments, what [`Lowering::is_single`] gives.
    single: FxHashMap<(RelationId, Vec<bool>), bool>,
    /// By relation and known arguments, what [`Lowering::is_best`] gives.
    best: FxHashMap<(RelationId, Vec<bool>), bool>,
    /// By relation, argument and depth, what [`Lowering::possible`] gives.
    possible: FxHashMap<(RelationId, usize, usize), Option<BTreeSet<Code>>>,
}

/// The procedures of relations and actions, and the relation that is being compiled.
#[derive(Default)]
struct Calls {
    reserved: Vec<Reserved>,
    /// The reserved procedures that are compiled already.
    compiled: Vec<Procedure>,
    numbers: FxHashMap<(RelationId, Vec<Argument>, Option<UniverseId>, bool), u32>,
    /// The tabled relation whose clause is being compiled, and how it is called.
    tabled: Option<(RelationId, Vec<Argument>)>,
    /// The procedures that the clauses of the current relation have called so far.
    asked: Vec<u32>,
    /// For each relation, whether a call reaches a recursion that is not a flood. All answers of
    /// such a call cost little more than a test of one.
    costly: Vec<bool>,
    /// The relations whose answers may be asked for in their order.
    ordered: FxHashSet<RelationId>,
    /// For each relation, the argument that goes along a line in its recursion.
    descents: Vec<Option<descent::Descent>>,
    /// For each compiled procedure, how its clauses exclude each other, where that was asked for.
    apart: Vec<Option<Rc<actions::Apart>>>,
    /// For each action, whether its clauses exclude each other where its arguments are known, where that was asked for.
    excluding: FxHashMap<RelationId, bool>,
    /// Floods backwards, each with the flood that goes the other way.
    mirrors: Vec<inverse::Mirror>,
}

/// Everything that lowering builds.
pub(super) struct Lowering<'p> {
    program: &'p Program,
    tables: &'p Tables,
    rewritten: &'p Rewritten,
    domains: Domains,
    types: &'p Types,
    universes: Universes,
    layout: Layout,
    ops: Instructions,
    made: Made,
    known: Caches,
    calls: Calls,
    faults: Vec<Diagnostic>,
    /// Goals are being lowered to see what they cost, and are taken back then.
    comparing: bool,
    /// Called before each goal. Once it returns true no more goals are compiled, so lowering ends
    /// soon.
    stopped: &'p dyn Fn() -> bool,
}

/// A set of goals could not be lowered, because some goal never gets its values.
#[derive(Debug, Clone, Copy)]
struct NotReady;

/// Lowers a checked program, whose transitive closures are `rewritten`, and in which the keys of some maps are `declared`
/// otherwise.
///
/// # Errors
/// Faults that only this stage can find: a goal in play that works at load only, a state that is
/// too large. The diagnostics are meaningless where `stopped` returned true.
pub(crate) fn lower(
    program: &Program,
    tables: &Tables,
    types: &Types,
    universes: Universes,
    rewritten: &Rewritten,
    declared: Declared,
    stopped: &dyn Fn() -> bool,
) -> Result<Plan, Vec<Diagnostic>> {
    let mut layout = layout::build(program, tables, &universes).map_err(|fluent| {
        let fluent = program.fluent(fluent);
        vec![
            Diagnostic::error(
                "state-domain",
                format!("the state is too large with `{}`", fluent.name),
            )
            .at(fluent.span, "the product of its keys' domains is its size")
            .hint("use fewer keys or smaller domains"),
        ]
    })?;
    for (fluent, key, parts) in declared {
        let place = &mut layout.places[fluent.0 as usize];
        let mut axes = place.keys.clone();
        axes.splice(key..=key, parts.iter().map(|part| layout::Axis::listed(&universes, part)));
        place.declared = Some(layout::Declared { axes: axes.into(), site: key });
    }
    let domains = Domains::of(types, program, &universes);
    let lowering = Lowering {
        program,
        tables,
        rewritten,
        domains,
        types,
        universes,
        layout,
        ops: Instructions {
            blocks: Blocks::default(),
            written: WrittenGoals::default(),
            places: FxHashMap::default(),
            at: WrittenId::NONE,
        },
        made: Made::default(),
        known: Caches::default(),
        calls: Calls::default(),
        faults: Vec::new(),
        comparing: false,
        stopped,
    };
    lowering.game()
}

impl Lowering<'_> {
    fn game(mut self) -> Result<Plan, Vec<Diagnostic>> {
        let program = self.program;
        let special = program.special;
        self.calls.ordered = in_order(program, self.types);
        self.calls.costly = self.costly_relations();
        self.calls.descents = self.descents();
        let moves = special.moves.map_or_else(Vec::new, |id| self.moves(id));
        let chance = special.chance.map_or_else(Vec::new, |id| self.moves(id));
        let mut ends = Vec::new();
        for (kind, clause) in &program.ends {
            ends.push(self.end(*kind, *clause));
        }
        let by_player = [Argument::Input, Argument::Output];
        let score = special.score.map(|id| self.procedure(id, &by_player, None, false));
        let value = special.value.map(|id| self.procedure(id, &by_player, None, false));
        self.compile_reserved();
        let mut repetition = false;
        for clause in &program.clauses {
            clause.body.walk(&mut |g| {
                repetition |= matches!(g.kind, GoalKind::Repeated(_) | GoalKind::RepeatedBoard(_));
            });
        }
        let mut starts: Vec<BlockId> = Vec::new();
        for clause in moves.iter().chain(&chance) {
            starts.push(clause.generate.start);
            starts.extend(clause.apply);
        }
        starts.extend(ends.iter().map(|end| end.body.start));
        starts.extend(self.calls.compiled.iter().flat_map(|p| &p.clauses).map(|body| body.start));
        self.fuse(&starts, &ends);
        self.settle_recursion();
        if (self.stopped)() {
            return Err(Vec::new());
        }
        if !self.faults.is_empty() {
            self.faults.dedup();
            return Err(self.faults);
        }
        let empty_list = match program.values.find_list(&[]) {
            Some(value) => self.universes.code(value),
            None => super::CONSTANTS - 1,
        };
        let mut names = FxHashMap::default();
        let (mut parts, mut cons) = (FxHashMap::default(), FxHashMap::default());
        let mut lists = FxHashMap::default();
        lists.insert(empty_list, Box::from([]));
        for (id, constant) in program.values.iter() {
            let value = Value::Constant(id);
            if !matches!(constant, Constant::Text(_) | Constant::List(_)) {
                names.insert(self.universes.code(value), program.values.show(value));
            }
            if let Constant::List(items) = constant {
                let codes = items.iter().map(|v| self.universes.code(*v)).collect();
                lists.insert(self.universes.code(Value::Constant(id)), codes);
                if let [first, rest @ ..] = &**items
                    && let Some(rest) = program.values.find_list(rest)
                {
                    let part = (self.universes.code(*first), self.universes.code(rest));
                    parts.insert(self.universes.code(value), part);
                    cons.insert(part, self.universes.code(value));
                }
            }
        }
        let order = standard_order(program, &self.universes);
        let compounds = self.compounds(&moves, &chance);
        let faulty_rank = special.rank.is_some_and(|id| self.types.raises[id.0 as usize]);
        let players: Vec<Code> = program.players.iter().map(|p| self.universes.code(*p)).collect();
        let next_turn = next_turns(&players, self.layout.place(FluentId::TURN));
        let may_raise = self.made.sources.iter().map(|span| self.types.may_raise.contains(span));
        let mut plan = Plan {
            universes: self.universes,
            layout: self.layout,
            masks: self.made.masks,
            rows: self.made.rows,
            indexes: self.made.indexes,
            images: self.made.images,
            joints: self.made.joints,
            through: self.made.through,
            watched: self.made.watched,
            procedures: self.calls.compiled,
            blocks: self.ops.blocks,
            written: self.ops.written,
            lists,
            empty_list,
            parts,
            cons,
            names,
            order,
            compounds,
            functors: self.made.move_functors,
            patterns: self.made.patterns,
            groups: super::RankGroup::of(&moves, faulty_rank),
            moves,
            chance,
            ends,
            score,
            value,
            players,
            next_turn,
            may_raise: may_raise.collect(),
            sources: self.made.sources,
            opening: Vec::new(),
            repetition,
        };
        plan.opening = super::opening::build(&plan, program, self.tables)?;
        Ok(plan)
    }

    /// The constants that moves and their compound arguments can be.
    fn compounds(
        &self,
        moves: &[super::MoveClause],
        chance: &[super::MoveClause],
    ) -> FxHashMap<String, FxHashMap<Box<[Code]>, Code>> {
        let mut names: Vec<String> =
            self.made.move_functors.iter().map(|(n, _)| n.clone()).collect();
        for clause in moves.iter().chain(chance) {
            clause.head.iter().for_each(|term| term.functors(&mut names));
        }
        let mut found: FxHashMap<String, FxHashMap<Box<[Code]>, Code>> = FxHashMap::default();
        for (id, constant) in self.program.values.iter() {
            let (name, args): (&str, &[Value]) = match constant {
                Constant::Compound(name, args) => (name, args),
                Constant::Atom(name) => (name, &[]),
                Constant::Text(_) | Constant::List(_) => continue,
            };
            if names.iter().any(|n| n == name) {
                let args = args.iter().map(|v| self.universes.code(*v)).collect();
                let code = self.universes.code(Value::Constant(id));
                found.entry(name.to_string()).or_default().insert(args, code);
            }
        }
        found
    }

    fn end(&mut self, kind: EndKind, id: crate::program::ClauseId) -> End {
        let arguments: &[Argument] = match kind {
            EndKind::Win | EndKind::Lose => &[Argument::Input],
            EndKind::Draw | EndKind::Over => &[],
        };
        let body = self.clause_body(id, arguments, None, super::ops::Answer::Test);
        End { kind, body }
    }

    /// Compiles what has been reserved so far. The goals of the clause that is being compiled keep their places.
    pub(super) fn compile_reserved(&mut self) {
        let own = (std::mem::take(&mut self.ops.places), self.ops.at);
        while self.calls.compiled.len() < self.calls.reserved.len() {
            let reserved = self.calls.reserved[self.calls.compiled.len()].clone();
            let procedure = self.compile(&reserved);
            self.calls.compiled.push(procedure);
        }
        (self.ops.places, self.ops.at) = own;
    }

    /// Adds a finished block, without the unreachable instructions after a terminal one.
    fn place(&mut self, builder: Builder) -> BlockId {
        let last = builder.ops.last().filter(|_| !builder.ops.iter().any(Op::is_terminal));
        debug_assert!(last.is_none_or(|op| op.uses().next.is_none()), "a loop without a body");
        self.place_begun(builder)
    }

    /// The same of a block that need not be finished, and of which only the cost is asked.
    fn place_begun(&mut self, builder: Builder) -> BlockId {
        let Builder { mut ops, mut written, .. } = builder;
        let mut end = ops.iter().position(Op::is_terminal).map_or(ops.len(), |last| last + 1);
        ops.truncate(end);
        written.truncate(end);
        while let Some(at) = ops[..end].iter().rposition(|op| op.uses().next.is_some()) {
            let behind = ops.split_off(at + 1);
            let goals = written.split_off(at + 1);
            if let Some(next) = ops[at].next_mut() {
                match *next {
                    BlockId::OPEN => *next = self.ops.blocks.add(behind, goals),
                    reserved => self.ops.blocks.fill(reserved, behind, goals),
                }
            }
            end = at;
        }
        self.ops.blocks.add(ops, written)
    }

    fn source(&mut self, span: Span) -> u32 {
        if let Some(at) = self.known.sources.get(&span) {
            return *at;
        }
        self.made.sources.push(span);
        let at = self.made.sources.len() as u32 - 1;
        self.known.sources.insert(span, at);
        at
    }

    fn static_only(&mut self, name: &str, span: Span) {
        self.faults.push(
            Diagnostic::error("static-only", format!("`{name}` cannot be used in play"))
                .at(span, "this clause is run in play")
                .hint("put it into a relation of its own that does not depend on the state"),
        );
    }

    /// A constant set of these codes of a universe.
    fn mask(&mut self, universe: UniverseId, codes: impl Iterator<Item = Code>) -> u32 {
        let words = self.universes.words;
        let mut mask = vec![0u64; words];
        for code in codes {
            if let Some(index) = self.universes.index(universe, code) {
                mask[index / 64] |= 1 << (index % 64);
            }
        }
        if let Some(at) = self.made.masks.chunks(words).position(|m| m == mask) {
            return at as u32;
        }
        self.made.masks.extend(mask);
        (self.made.masks.len() / words - 1) as u32
    }
}

/// The place of each constant in the standard order of terms, by its code.
fn standard_order(program: &Program, universes: &Universes) -> Vec<u32> {
    let mut order = vec![0; program.values.len()];
    for (place, value) in program.values.in_order().into_iter().enumerate() {
        order[(universes.code(value) - super::CONSTANTS) as usize] = place as u32;
    }
    order
}

/// The coded turn after each. The codes of the players need not be in the order of their turns.
fn next_turns(players: &[Code], turn: &super::Place) -> Vec<usize> {
    let Some(axis) = &turn.value else { return Vec::new() };
    let mut next = vec![0; axis.len + 1];
    for (i, player) in players.iter().enumerate() {
        let after = players[(i + 1) % players.len()];
        if let (Some(at), Some(to)) = (axis.index(*player), axis.index(after)) {
            next[at + 1] = to + 1;
        }
    }
    next
}

/// Counts how often each variable occurs in goals.
fn occurrences(goals: &[G], vars: &Vars) -> Vec<usize> {
    let mut counts = vec![0; vars.all.len()];
    for goal in goals {
        goal.each_var(&mut |v| counts[v] += 1);
    }
    counts
}

/// The same, once more for each of the variables that the goals around these use.
fn occurrences_among(goals: &[G], around: &[Var], vars: &Vars) -> Vec<usize> {
    let mut counts = occurrences(goals, vars);
    around.iter().for_each(|v| counts[*v] += 1);
    counts
}
