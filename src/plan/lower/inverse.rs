//! Recursion that is queried from its far end.
//!
//! A relation such as `linked(P, C) :- linked(P, B), adjacent(B, C).` is a flood where `P` is
//! given. Where `C` is given and the values of `P` are wanted, the flood goes the other way: from
//! `C` to the sites from which the recursive clauses lead to it, and from each of these to the `P`
//! that the other clauses relate to it. That is correct as long as no recursive clause uses `P`.

use crate::program::{GoalKind, RelationId, Term};

use super::super::ops::{Answer, Argument, Body, Op, Operand, Procedure, Recursion};
use super::Lowering;
use super::procedures::{Flooding, Manner, Reserved};

/// A procedure that floods backwards and one that floods forwards, from the same site.
#[derive(Debug)]
pub(super) struct Mirror {
    pub back: u32,
    pub forth: u32,
    /// The number of the input that is the site.
    pub position: usize,
}

impl Lowering<'_> {
    /// The given argument from which a flood backwards finds the wanted one; `None` where none
    /// does.
    pub(super) fn inverts(&self, relation: RelationId, arguments: &[Argument]) -> Option<usize> {
        let program = self.program;
        let wanted = arguments.iter().position(|a| *a == Argument::Target)?;
        if !program.relation(relation).recursive {
            return None;
        }
        (0..arguments.len()).find(|from| {
            let mut way = vec![Argument::Input; arguments.len()];
            way[*from] = Argument::Target;
            let column = &self.domains.columns[relation.0 as usize][*from];
            *from != wanted
                && arguments[*from] == Argument::Input
                && arguments.iter().filter(|a| **a != Argument::Input).count() == 1
                && self.settable_of(column).is_some()
                && self.floods(relation, &way)
                && !self.looks_at(relation, wanted)
                && self.leads_back(relation, *from)
        })
    }

    /// Whether a recursive clause uses an argument other than by passing it on.
    fn looks_at(&self, relation: RelationId, column: usize) -> bool {
        let program = self.program;
        program.relation(relation).clauses.iter().any(|id| {
            let clause = program.clause(*id);
            if self.recursive_calls(*id, relation) == 0 {
                return false;
            }
            let mut uses = 0;
            let mut count = |v| uses += usize::from(Term::Variable(v) == clause.head[column]);
            clause.head.iter().for_each(|term| term.each_variable(&mut count));
            clause.body.each_variable(&mut count);
            // in the head and in the call
            uses != 2
        })
    }

    /// Whether each recursive clause has other goals for what it asks of this argument: from any value whatever, no flood
    /// goes back.
    fn leads_back(&self, relation: RelationId, column: usize) -> bool {
        let program = self.program;
        program.relation(relation).clauses.iter().all(|id| {
            let clause = program.clause(*id);
            let asked = clause.body.conjuncts().iter().find_map(|goal| match &goal.kind {
                GoalKind::Call(called, args) if *called == relation => Some(&args[column]),
                _ => None,
            });
            let Some(Term::Variable(asked)) = asked else { return true };
            let mut uses = 0;
            let mut count = |v| uses += usize::from(v == *asked);
            clause.head.iter().for_each(|term| term.each_variable(&mut count));
            clause.body.each_variable(&mut count);
            uses > 1
        })
    }

    /// The procedure for such a call: each clause is run for each site that the flood reaches.
    pub(super) fn compile_inverse(&mut self, reserved: &Reserved, from: usize) -> Procedure {
        let back = self.backwards(reserved.relation, from, &reserved.arguments);
        self.mirror(reserved, from);
        let program = self.program;
        let mut clauses = Vec::new();
        for id in &program.relation(reserved.relation).clauses {
            if self.recursive_calls(*id, reserved.relation) == 0 {
                let head: Vec<_> = program.clause(*id).head.iter().cloned().map(Some).collect();
                clauses.push(self.body_for(
                    *id,
                    &head,
                    &reserved.arguments,
                    reserved.universe,
                    Answer::Set,
                    Manner::of(Flooding::From { argument: from, procedure: back }),
                ));
            }
        }
        self.made(reserved, clauses, Recursion::None)
    }

    /// Records the flood in the direction of the clauses, which is the same set where the relation
    /// is symmetric.
    fn mirror(&mut self, reserved: &Reserved, from: usize) {
        let Some(wanted) = reserved.arguments.iter().position(|a| *a == Argument::Target) else {
            return;
        };
        let (first, last) = (from.min(wanted), from.max(wanted));
        let columns = &self.domains.columns[reserved.relation.0 as usize];
        let same = self.settable_of(&columns[from]) == reserved.universe;
        let given = self.program.relation(reserved.relation).needs_bound[from];
        if last - first > 1 || !same || given {
            return;
        }
        let mut way = reserved.arguments.clone();
        way.swap(from, wanted);
        if !self.floods(reserved.relation, &way) {
            return;
        }
        // the one that is being compiled
        let back = self.calls.compiled.len();
        let forth = self.procedure(reserved.relation, &way, reserved.universe, false);
        let position = way[..wanted].iter().filter(|a| **a == Argument::Input).count();
        self.calls.mirrors.push(Mirror { back: back as u32, forth, position });
    }

    /// The number of the procedure for the flood backwards from the given argument.
    fn backwards(&mut self, relation: RelationId, from: usize, arguments: &[Argument]) -> u32 {
        let universe = self.settable_of(&self.domains.columns[relation.0 as usize][from]);
        let mut way: Vec<Argument> = arguments.to_vec();
        for argument in &mut way {
            if *argument == Argument::Target {
                *argument = Argument::Ignored;
            }
        }
        way[from] = Argument::Target;
        // where it begins
        way.push(Argument::Input);
        let known = self.calls.reserved.iter().position(|p| {
            p.relation == relation && p.backwards == Some(from) && p.arguments == way
        });
        if let Some(known) = known {
            return known as u32;
        }
        self.calls.reserved.push(Reserved {
            relation,
            arguments: way,
            universe,
            answer: Answer::Set,
            ordered: false,
            form: None,
            backwards: Some(from),
        });
        self.calls.reserved.len() as u32 - 1
    }

    /// The flood itself: its first element is given, and each further one is a site from which a
    /// recursive clause leads to an earlier one.
    pub(super) fn compile_backwards(&mut self, reserved: &Reserved, from: usize) -> Procedure {
        let program = self.program;
        let relation = program.relation(reserved.relation);
        let (mut clauses, mut seeds) = (Vec::new(), Vec::new());
        let inputs = reserved.arguments.iter().filter(|a| **a == Argument::Input).count();
        let base = reserved.universe.map_or(0, |u| self.universes.get(u).base);
        let x = Operand::Reg(inputs as u16 - 1);
        let clause = relation.clauses[0];
        self.begin(clause);
        let start = self.ops.blocks.add(vec![Op::EmitOne { x, base }], vec![self.ops.at]);
        let clause = self.rewritten.as_written(clause);
        clauses.push(Body { clause, start, registers: inputs as u16, sets: 1 });
        seeds.push(true);
        for id in &relation.clauses {
            let clause = program.clause(*id);
            let call = clause.body.conjuncts().iter().find_map(|goal| match &goal.kind {
                GoalKind::Call(called, args) if *called == reserved.relation => Some(args),
                _ => None,
            });
            let Some(args) = call else { continue };
            let mut head: Vec<_> = clause.head.iter().cloned().map(Some).collect();
            head[from] = Some(args[from].clone());
            head.push(None);
            clauses.push(self.body_for(
                *id,
                &head,
                &reserved.arguments,
                reserved.universe,
                Answer::Set,
                Manner::of(Flooding::Back(from)),
            ));
            seeds.push(false);
        }
        self.made(reserved, clauses, Recursion::Flood { seeds, round: None })
    }
}
