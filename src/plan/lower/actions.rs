//! Actions, and relations that are asked behind updates, with at most one answer.
//!
//! While a move is played nothing is undone: a failure after an update is final. So a call of an
//! action need not be searched for further answers where its clauses exclude each other by the
//! goals before their first updates. Where they do so by the state, which the first clause to
//! update changes, each clause but the last one has a cut in front of that update: if what follows
//! fails, the next clause would be tried on the changed state. A clause that updates nothing has it at
//! its end, since goals behind the call may update and fail.

use std::rc::Rc;

use crate::program::{ClauseId, Kind};

use super::super::blocks::BlockId;
use super::super::ops::{Answer, Argument, Op, Set, SetReg};
use super::super::uses::Determinism;
use super::super::written::WrittenId;
use super::conditions::Conditions;
use super::forms::rename_apart;
use super::goals::{Arg, G, Scope, Var, Vars};
use super::moves::is_local;
use super::{Builder, Lowering, occurrences_among};

/// What is known of a compiled action or relation.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ways {
    /// It has one answer at most wherever it is called, or one element in the set that it gives.
    strictly_one: bool,
    /// It has one answer at most where nothing after the call can fail.
    one: bool,
    /// It may have no answer.
    fails: bool,
}

/// What is known of the instructions of one clause.
#[derive(Clone, Copy)]
struct Known<'a> {
    ways: &'a [Ways],
    /// Total maps are read only for keys of their domains.
    reads_fit: bool,
}

/// What is known of the instructions after a move's first update.
#[derive(Debug, Clone, Copy)]
pub(super) struct Suffix {
    pub one_way: bool,
    /// The first goal that may have several answers.
    pub several: Option<WrittenId>,
    /// They may fail.
    pub fails: bool,
}

/// How the clauses of a procedure exclude each other.
#[derive(Debug, Default)]
pub(super) struct Apart {
    by_inputs: bool,
    by_state: bool,
    /// A goal before the first update of a clause may be a rule error.
    raises: bool,
    /// They give a set, which has one element at most.
    single: bool,
    /// For each clause.
    reads_fit: Vec<bool>,
}

impl Lowering<'_> {
    /// How these instructions, which end a move, can continue; `goals` are the goals that they were
    /// made from. An instruction that runs a block of its own to its first answer, or to all of
    /// them at once, has one answer as long as it need not backtrack over an update.
    pub(super) fn ways_on(&mut self, suffix: &Builder, goals: &[G], vars: &Vars) -> Suffix {
        let ops: &[&Op] = &suffix.ops.iter().collect::<Vec<_>>();
        self.compile_reserved();
        let mut reached = vec![false; self.calls.compiled.len()];
        self.note_reached(ops, &mut reached);
        let ways = self.ways(&reached);
        let reads_fit = goals.iter().all(|g| self.reads_fit(g, vars));
        let known = Known { ways: &ways, reads_fit };
        let one_way = self.is_one_way(ops, true, known);
        let several = || {
            let again = (0..ops.len()).find(|at| {
                let settled = !self.any_fails(&ops[*at + 1..], known);
                !self.is_one_way(&ops[..=*at], settled, known)
            })?;
            self.several_in(ops[again], known).or_else(|| suffix.written.get(again).copied())
        };
        let several = if one_way { None } else { several() };
        Suffix { one_way, several, fails: self.any_fails(ops, known) }
    }

    /// The last goal in the ways of a choice that may have several answers.
    fn several_in(&self, op: &Op, known: Known<'_>) -> Option<WrittenId> {
        let Op::If { then, otherwise, .. } = op else { return None };
        let mut last = None;
        for way in [then, otherwise] {
            self.ops.blocks.each(*way, &mut |id, op, _| {
                let choice = matches!(op, Op::If { .. });
                if !choice && !self.is_one_way(&[op], false, known) {
                    last = Some(self.ops.blocks.written(id));
                }
            });
        }
        last
    }

    /// Whether a procedure that is compiled has one answer at most.
    pub(super) fn has_one_answer(&mut self, number: usize) -> bool {
        let mut reached = vec![false; self.calls.compiled.len()];
        self.note_procedure(number, &mut reached);
        self.ways(&reached)[number].strictly_one
    }

    /// Notes the procedures that instructions call, and those that these call.
    fn note_reached(&self, ops: &[&Op], reached: &mut [bool]) {
        for op in ops {
            if let Some(number) = op.procedure() {
                self.note_procedure(number as usize, reached);
            }
            for inner in op.uses().blocks {
                self.note_reached(&self.ops.blocks.line(inner.block), reached);
            }
        }
    }

    /// Notes a procedure, and those that it calls.
    fn note_procedure(&self, number: usize, reached: &mut [bool]) {
        if !std::mem::replace(&mut reached[number], true) {
            for body in &self.calls.compiled[number].clauses {
                self.note_reached(&self.ops.blocks.line(body.start), reached);
            }
        }
    }

    /// The greatest fixpoint: a recursion is assumed to have one answer until the contrary is found.
    fn ways(&mut self, reached: &[bool]) -> Vec<Ways> {
        let count = self.calls.compiled.len();
        let apart: Vec<Rc<Apart>> = (0..count)
            .map(|number| {
                if !reached[number] {
                    return Rc::default();
                }
                let procedure = &self.calls.compiled[number];
                let arguments = procedure.arguments.clone();
                let clauses: Vec<ClauseId> =
                    procedure.clauses.iter().map(|body| body.clause).collect();
                self.apart(number, &clauses, &arguments)
            })
            .collect();
        let mut ways = vec![Ways { strictly_one: true, one: true, fails: false }; count];
        loop {
            let next: Vec<Ways> = (0..count).map(|n| self.ways_of(n, &apart[n], &ways)).collect();
            if next == ways {
                return ways;
            }
            ways = next;
        }
    }

    fn ways_of(&self, number: usize, apart: &Apart, ways: &[Ways]) -> Ways {
        let procedure = &self.calls.compiled[number];
        if procedure.supposes || procedure.answer == Answer::Set {
            return Ways { strictly_one: apart.single, one: apart.single, fails: true };
        }
        let clauses: Vec<(Vec<&Op>, Known<'_>)> = procedure
            .clauses
            .iter()
            .zip(&apart.reads_fit)
            .map(|(body, fit)| (self.ops.blocks.line(body.start), Known { ways, reads_fit: *fit }))
            .collect();
        let each =
            |settled| clauses.iter().all(|(ops, known)| self.is_one_way(ops, settled, *known));
        if !procedure.action {
            // while a relation is asked the state stays the same
            let one = apart.single || (apart.by_inputs || apart.by_state) && each(false);
            return Ways { strictly_one: one, one, fails: true };
        }
        let others = clauses.split_last().map_or(&[][..], |(_, others)| others);
        let cut = || others.iter().all(|(ops, _)| ops.iter().any(|op| matches!(op, Op::Cut)));
        let settled = || others.iter().all(|(ops, known)| !self.fails_behind_update(ops, *known));
        let strictly = apart.by_inputs || apart.by_state && cut();
        let sure = |(ops, known): &(Vec<&Op>, Known<'_>)| !self.any_fails(ops, *known);
        Ways {
            strictly_one: strictly && each(false),
            one: (strictly || apart.by_state && settled()) && each(true),
            fails: !matches!(clauses.as_slice(), [only] if sure(only)),
        }
    }

    /// How the clauses of a procedure exclude each other where it is called with these arguments.
    fn apart(&mut self, number: usize, clauses: &[ClauseId], arguments: &[Argument]) -> Rc<Apart> {
        if self.calls.apart.len() <= number {
            self.calls.apart.resize(number + 1, None);
        }
        if let Some(known) = &self.calls.apart[number] {
            return known.clone();
        }
        let (facts, reads_fit): (Vec<Conditions>, Vec<bool>) =
            clauses.iter().map(|id| self.facts_of(*id, arguments)).unzip();
        let fixed: Vec<Conditions> = facts.iter().map(Conditions::stateless).collect();
        let given = |i: usize| arguments.get(i) == Some(&Argument::Input);
        let by_inputs = self.all_exclusive(&fixed, given);
        let by_state = by_inputs || self.all_exclusive(&facts, given) || {
            // what a call stands for may be no goal that can be compared, such as a sum
            let of_calls: Vec<Conditions> = clauses
                .iter()
                .map(|id| self.facts_within(self.scope_of_calls(*id), arguments).0)
                .collect();
            let pairs = (0..facts.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
            // it does not matter which of two clauses holds that only test
            let same = arguments.iter().all(|argument| *argument == Argument::Input);
            pairs.into_iter().all(|(i, j)| {
                same && !facts[i].acts && !facts[j].acts
                    || self.exclusive(&facts[i], &facts[j], given)
                    || self.exclusive(&of_calls[i], &of_calls[j], given)
            })
        };
        let raises = self.any_raises(&facts);
        let single = self.gives_one_answer(number);
        let apart = Rc::new(Apart { by_inputs, by_state, raises, single, reads_fit });
        self.calls.apart[number] = Some(apart.clone());
        apart
    }

    /// Whether at most one of several clauses holds for the same arguments, where `given` ones are known to be the same.
    pub(super) fn all_exclusive(
        &mut self,
        facts: &[Conditions],
        given: impl Fn(usize) -> bool + Copy,
    ) -> bool {
        (0..facts.len()).all(|i| (0..i).all(|j| self.exclusive(&facts[i], &facts[j], given)))
    }

    /// Whether a goal that must hold before a clause updates anything may be a rule error.
    pub(super) fn any_raises(&self, facts: &[Conditions]) -> bool {
        facts.iter().flat_map(Conditions::goals).any(|goal| self.raises(goal))
    }

    /// Whether each clause of an action but the last one is compiled with a cut: at most one of them
    /// holds, by the state before its first update, and what fails behind it must lead to no other.
    pub(super) fn cuts(
        &mut self,
        number: usize,
        clauses: &[ClauseId],
        arguments: &[Argument],
    ) -> bool {
        let apart = self.apart(number, clauses, arguments);
        apart.by_state && !apart.by_inputs && !apart.raises
    }

    /// The goals that must hold before a clause of an action updates anything, and whether it reads
    /// total maps for their keys only.
    pub(super) fn facts_of(&mut self, id: ClauseId, arguments: &[Argument]) -> (Conditions, bool) {
        self.facts_within(self.scope(id), arguments)
    }

    /// The same of the clause of a scope.
    pub(super) fn facts_within(
        &mut self,
        mut scope: Scope,
        arguments: &[Argument],
    ) -> (Conditions, bool) {
        let program = self.program;
        let clause = program.clause(scope.clause);
        let mut vars = Vars::default();
        // inputs are matched before the body, outputs after it
        let (mut goals, mut last) = (Vec::new(), Vec::new());
        let head: Vec<Arg> = (clause.head.iter().zip(arguments))
            .map(|(term, argument)| {
                let given = *argument == Argument::Input;
                let patterns = if given { &mut goals } else { &mut last };
                self.arg(&mut scope, term, &mut vars, patterns)
            })
            .collect();
        goals.extend(self.goals(&mut scope, &clause.body, &mut vars));
        let split = goals.iter().position(|g| self.acts(g)).unwrap_or(goals.len());
        goals.extend(last);
        let head_vars: Vec<Var> = head
            .iter()
            .filter_map(|arg| if let Arg::Var(v) = arg { Some(*v) } else { None })
            .collect();
        let totals = occurrences_among(&goals, &head_vars, &vars);
        let denied = self.denied_clauses(&goals[..split], &totals, &mut vars);
        let split = split + denied.len();
        goals.splice(0..0, denied);
        let head = head.into_iter().map(Some).collect();
        let acts = goals[split..].iter().any(|goal| self.acts(goal));
        let (before, behind) = goals.split_at(split);
        let mut facts = Conditions::new(head, before, behind, &head_vars, &vars);
        facts.acts = acts;
        (facts, goals.iter().all(|g| self.reads_fit(g, &vars)))
    }

    /// What follows from the denial of a relation: the denial of its clauses, but for those of a recursion that call it, with
    /// variables of their own. `totals` is how often each variable occurs in the clause.
    fn denied_clauses(&mut self, goals: &[G], totals: &[usize], vars: &mut Vars) -> Vec<G> {
        let program = self.program;
        let mut denied = Vec::new();
        for goal in goals {
            let G::Not(inner) = goal else { continue };
            let [G::Call(id, args)] = inner.as_slice() else { continue };
            let relation = program.relation(*id);
            let alone = !relation.recursive || program.graph.is_alone(*id);
            if relation.kind != Kind::Derived || !alone {
                continue;
            }
            for clause in &relation.clauses {
                if !self.is_alive(*clause) || self.recursive_calls(*clause, *id) > 0 {
                    continue;
                }
                let mut call = vec![G::Call(*id, args.clone())];
                rename_apart(&mut call, &|v| is_local(goal, v, totals), vars);
                let Some(G::Call(_, args)) = call.pop() else { continue };
                denied.push(G::Not(self.body_with((0, None), *clause, &args, vars)));
            }
        }
        denied
    }

    /// Whether these instructions have at most one answer. `settled` says that nothing after them
    /// can fail.
    fn is_one_way(&self, ops: &[&Op], settled: bool, known: Known<'_>) -> bool {
        let mut settled = settled;
        ops.iter().enumerate().rev().all(|(at, op)| {
            let one = match op {
                Op::Each { set: Set::Reg(set), .. } => is_single(&ops[..at], *set, known.ways),
                Op::If { then, otherwise, .. } => [then, otherwise]
                    .iter()
                    .all(|way| self.is_one_way(&self.ops.blocks.line(**way), settled, known)),
                Op::Call { procedure, .. } => {
                    let ways = known.ways[*procedure as usize];
                    ways.strictly_one || ways.one && settled
                }
                Op::Once { body } | Op::ForEach { action: body, .. } => {
                    !self.goes_back(&self.ops.blocks.line(*body), known)
                }
                other => !other.is_generator(),
            };
            settled &= !self.fails(op, known);
            one
        })
    }

    /// Whether a failure after an update can lead to another answer of a block that is left at its
    /// first answer.
    fn goes_back(&self, ops: &[&Op], known: Known<'_>) -> bool {
        let (mut fails, mut behind) = (false, false);
        ops.iter().rev().any(|op| {
            let again = !self.is_one_way(&[op], !fails, known);
            let after = fails;
            fails |= self.fails(op, known);
            let updates = self.updates_within(op);
            // a way that fails leads to the next one, the last way to other answers of what is before it
            let inside = match op {
                Op::Branch { ways, .. } => ways[..ways.len().saturating_sub(1)]
                    .iter()
                    .any(|way| self.fails_behind_update(&self.ops.blocks.line(*way), known)),
                _ => updates && fails,
            };
            let goes_back = again && (behind || updates && after || inside);
            behind |= updates && fails;
            goes_back
        })
    }

    fn fails_behind_update(&self, ops: &[&Op], known: Known<'_>) -> bool {
        let first = ops.iter().position(|op| self.updates_within(op)).unwrap_or(ops.len());
        self.any_fails(&ops[first..], known)
    }

    /// Whether an instruction may change the state, itself or in its blocks.
    fn updates_within(&self, op: &Op) -> bool {
        let inside = |start: BlockId| {
            let mut found = false;
            self.ops.blocks.each(start, &mut |_, op, _| found |= self.updates(op));
            found
        };
        self.updates(op) || op.uses().blocks.iter().any(|inner| inside(inner.block))
    }

    fn any_fails(&self, ops: &[&Op], known: Known<'_>) -> bool {
        ops.iter().any(|op| self.fails(op, known))
    }

    /// Whether an instruction can fail.
    fn fails(&self, op: &Op, known: Known<'_>) -> bool {
        let block = |start: BlockId| self.any_fails(&self.ops.blocks.line(start), known);
        match op {
            Op::Read { fluent, .. } => !(self.is_total(*fluent) && known.reads_fit),
            Op::Call { procedure, .. } => known.ways[*procedure as usize].fails,
            Op::If { then, otherwise, .. } => block(*then) || block(*otherwise),
            Op::Once { body } | Op::ForEach { action: body, .. } => block(*body),
            Op::Succeed | Op::Return { .. } | Op::Commit => false,
            _ => op.determinism() != Determinism::Det,
        }
    }
}

/// Whether a set was given by a procedure that gives one element at most, and only narrowed since.
fn is_single(before: &[&Op], set: SetReg, ways: &[Ways]) -> bool {
    let writes = |op: &&&Op| op.uses().writes_set == Some(set);
    match before.iter().rev().find(writes) {
        Some(Op::GatherCall { procedure, .. }) => ways[*procedure as usize].strictly_one,
        _ => false,
    }
}
