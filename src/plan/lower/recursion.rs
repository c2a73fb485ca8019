//! Finds the recursion that is left once the clauses are instructions.
//!
//! A clause that calls its own relation may have become a flood, which is a procedure of another
//! form. A procedure that does not call itself in the end needs no table.

use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;

use super::super::blocks::{BlockId, OpId};
use super::super::ops::{
    Answer, Argument, Body, NoFlood, Op, Operand, Recursion, Reg, Rerun, Untabled,
};
use super::Lowering;
use crate::program::{ClauseId, GoalKind, Kind, RelationId, Term};

/// A procedure that a clause calls, and whether every answer of it matters and not only the first
/// one.
struct Called {
    at: OpId,
    procedure: u32,
    every: bool,
}

impl Lowering<'_> {
    /// Why a recursive relation became a table: the condition of [`Lowering::floods`] that it
    /// fails.
    pub(super) fn no_flood(&self, id: RelationId) -> NoFlood {
        let (program, relation) = (self.program, self.program.relation(id));
        let alone = program.graph.is_alone(id);
        if !alone {
            return NoFlood::Together;
        }
        if self.types.raises[id.0 as usize] {
            return NoFlood::Raises;
        }
        if relation.chooses {
            return NoFlood::Chooses;
        }
        let direct = |clause: &ClauseId| {
            let goals = program.clause(*clause).body.conjuncts();
            goals
                .iter()
                .filter(|g| matches!(g.kind, GoalKind::Call(called, _) if called == id))
                .count()
        };
        let all = |clause: &ClauseId| self.recursive_calls(*clause, id);
        if relation.clauses.iter().any(|clause| all(clause) > 1 || all(clause) != direct(clause)) {
            return NoFlood::Twice;
        }
        let changed: Vec<usize> = (0..relation.arity).filter(|i| !self.passed_on(id, *i)).collect();
        match changed.as_slice() {
            [only] if self.settable_of(&self.domains.columns[id.0 as usize][*only]).is_none() => {
                NoFlood::NoSet(*only)
            }
            [_] | [] => NoFlood::Open,
            _ => NoFlood::Changes(changed),
        }
    }

    /// Whether a recursive relation has an answer for the given arguments only where a clause that
    /// is not recursive has one: each recursive clause passes them on. A wanted argument is one of them, since its values are
    /// then those that these clauses give.
    pub(super) fn begins_with_seeds(&self, id: RelationId, arguments: &[Argument]) -> bool {
        let (program, relation) = (self.program, self.program.relation(id));
        let alone = program.graph.is_alone(id);
        let passes_on = |clause: &ClauseId| {
            let clause = program.clause(*clause);
            let same = |i: usize, term: &Term| {
                matches!(term, Term::Variable(_)) && *term == clause.head[i]
            };
            clause.body.conjuncts().iter().any(|goal| match &goal.kind {
                GoalKind::Call(called, terms) if *called == id => {
                    let given = |i: usize| {
                        matches!(arguments.get(i), Some(Argument::Input | Argument::Target))
                    };
                    (0..terms.len()).all(|i| !given(i) || same(i, &terms[i]))
                }
                _ => false,
            })
        };
        let mut recursive =
            relation.clauses.iter().filter(|clause| self.recursive_calls(**clause, id) > 0);
        relation.kind == Kind::Derived
            && alone
            && !self.types.raises[id.0 as usize]
            && !relation.chooses
            && recursive.all(passes_on)
    }

    /// Whether all answers of a relation are evaluated where one would be enough: those of a recursion are evaluated together,
    /// and so are their rule errors.
    pub(super) fn is_whole(&self, id: RelationId) -> bool {
        let relation = self.program.relation(id);
        relation.kind == Kind::Derived && relation.recursive && self.types.raises[id.0 as usize]
    }

    pub(super) fn settle_recursion(&mut self) {
        let calls: Vec<Vec<Vec<Called>>> = (self.calls.compiled.iter())
            .map(|procedure| {
                let of_clause = |body: &Body| {
                    let mut called = Vec::new();
                    self.ops.blocks.each(body.start, &mut |at, op, every| {
                        if let Op::GatherCall { procedure, .. }
                        | Op::Test { procedure, .. }
                        | Op::Call { procedure, .. } = op
                        {
                            let every = every && !matches!(op, Op::Test { negate: true, .. });
                            called.push(Called { at, procedure: *procedure, every });
                        }
                    });
                    called
                };
                procedure.clauses.iter().map(of_clause).collect()
            })
            .collect();
        let mut graph = DiGraph::<(), ()>::new();
        let nodes: Vec<_> = calls.iter().map(|_| graph.add_node(())).collect();
        for (from, clauses) in nodes.iter().zip(&calls) {
            for called in clauses.iter().flatten() {
                graph.update_edge(*from, nodes[called.procedure as usize], ());
            }
        }
        for (component, members) in (0..).zip(tarjan_scc(&graph)) {
            let recursive = members.len() > 1 || graph.contains_edge(members[0], members[0]);
            let members: Vec<usize> = members.into_iter().map(|node| node.index()).collect();
            let tabled = |number: &usize| {
                matches!(self.calls.compiled[*number].recursion, Recursion::Tabled { .. })
            };
            let all_tabled = members.iter().all(tabled);
            for number in members.iter().filter(|n| tabled(n)).copied().collect::<Vec<_>>() {
                let rerun = |called: &Vec<Called>| {
                    let inside: Vec<&Called> = (called.iter())
                        .filter(|c| members.contains(&(c.procedure as usize)))
                        .collect();
                    if inside.is_empty() {
                        Rerun::Never
                    } else if all_tabled && inside.iter().all(|c| c.every) {
                        Rerun::NewAnswers(inside.iter().map(|c| c.at).collect())
                    } else {
                        Rerun::AllAnswers
                    }
                };
                let reruns = calls[number].iter().map(rerun).collect();
                let whole = self.is_whole(self.calls.reserved[number].relation);
                let alone = recursive && !whole && members.len() == 1;
                let may_be = if alone { self.untabled(number) } else { Untabled::Never };
                let made = &mut self.calls.compiled[number].recursion;
                match made {
                    Recursion::Tabled { component: own, reruns: all, untabled, .. }
                        if recursive || whole =>
                    {
                        (*own, *all, *untabled) = (component, reruns, may_be);
                    }
                    _ => *made = Recursion::None,
                }
            }
        }
    }

    /// Whether calls of a tabled procedure need its table.
    fn untabled(&mut self, number: usize) -> Untabled {
        let goes_down = &self.calls.compiled[number].recursion;
        if matches!(goes_down, Recursion::Tabled { untabled: Untabled::Ends, .. }) {
            return Untabled::Ends;
        }
        match self.calls_itself_once(number) {
            true if self.shortens(number) || self.lengthens(number) || self.is_path(number) => {
                Untabled::Ends
            }
            true if self.builds(number) || self.is_straight(number) => Untabled::Tried,
            _ => Untabled::Never,
        }
    }

    /// Whether no clause of a procedure calls it in a loop but one over the answers of other relations, of which there is one
    /// most often, such as the way on from a site.
    fn is_straight(&self, number: usize) -> bool {
        let test = self.calls.compiled[number].answer == Answer::Test;
        test && self.calls.compiled[number]
            .clauses
            .iter()
            .all(|body| self.is_straight_in(body.start, number as u32))
    }

    fn is_straight_in(&self, block: BlockId, number: u32) -> bool {
        self.ops.blocks[block].iter().all(|op| {
            let leads_on = |inner: BlockId| {
                let mut calls = false;
                self.ops
                    .blocks
                    .each(inner, &mut |_, op, _| calls |= op.procedure() == Some(number));
                calls
            };
            let loops = op.is_generator() && !matches!(op, Op::Call { .. });
            op.uses().blocks.iter().all(|inner| {
                (!loops || !leads_on(inner.block)) && self.is_straight_in(inner.block, number)
            })
        })
    }

    /// Whether each answer that a recursive clause gives is a list to which it adds items: there are as many answers as
    /// ways to them.
    fn builds(&self, number: usize) -> bool {
        let id = self.calls.reserved[number].relation;
        let relation = self.program.relation(id);
        let adds = |by: &ClauseId, column: usize| {
            let clause = self.program.clause(*by);
            let Term::List(items, Some(tail)) = &clause.head[column] else { return false };
            let mut own = clause.body.conjuncts().iter().filter_map(|goal| match &goal.kind {
                GoalKind::Call(called, terms) if *called == id => Some(&terms[column]),
                _ => None,
            });
            !items.is_empty()
                && matches!(**tail, Term::Variable(_))
                && self.recursive_calls(*by, id) == 1
                && own.next() == Some(&**tail)
        };
        let leads_on = |by: &&ClauseId| self.recursive_calls(**by, id) > 0;
        let is_output =
            |column: usize| self.calls.compiled[number].arguments[column] != Argument::Input;
        relation.kind == Kind::Derived
            && (0..relation.arity).any(|column| {
                is_output(column)
                    && relation.clauses.iter().filter(leads_on).all(|by| adds(by, column))
            })
    }

    /// Whether each clause of a procedure calls it once at most.
    fn calls_itself_once(&self, number: usize) -> bool {
        self.calls.compiled[number].clauses.iter().all(|body| {
            let mut calls = 0;
            self.ops.blocks.each(body.start, &mut |_, op, _| {
                calls += usize::from(op.procedure() == Some(number as u32));
            });
            calls <= 1
        })
    }

    /// Whether each call has one answer at most, so that the calls of a procedure that calls itself once are a path. Where
    /// it comes back to itself it has no answer; machine code leaves that to the table when its stack ends.
    fn is_path(&mut self, number: usize) -> bool {
        self.calls.compiled[number].answer != Answer::Set && self.has_one_answer(number)
    }

    /// Whether one input is a list to which each call of the procedure itself adds items, as to the sites that a path has
    /// passed: no two calls have the same inputs, so that a table of them has nothing to remember. Where they do not end, nor
    /// does the table; machine code leaves that to it when its stack ends.
    fn lengthens(&self, number: usize) -> bool {
        self.goes_on_with(number, |op| match op {
            Op::MakeList { dst, items, tail: Some(tail) } if !items.is_empty() => {
                Some((*dst, *tail))
            }
            _ => None,
        })
    }

    /// Whether one input is a list of which each call of the procedure itself passes on a part that
    /// is shorter. Where clauses call it twice, calls could be as many as two to the power of the length.
    fn shortens(&self, number: usize) -> bool {
        self.goes_on_with(number, |op| match op {
            Op::TakeList { list, tail, .. } => Some((*tail, *list)),
            _ => None,
        })
    }

    /// Whether each call of the procedure itself gets, for one input, what instructions have made of it, or of what was made of
    /// it. `makes` tells the register in which an instruction puts what it makes, and of what it makes it.
    fn goes_on_with(&self, number: usize, makes: impl Fn(&Op) -> Option<(Reg, Operand)>) -> bool {
        let procedure = &self.calls.compiled[number];
        let goes_on = |body: &Body, input: usize| {
            let mut held: Vec<Reg> = Vec::new();
            let mut written: Vec<Reg> = Vec::new();
            let mut all = true;
            self.ops.blocks.each(body.start, &mut |_, op, _| {
                let of_input = |x: &Operand| match x {
                    Operand::Reg(reg) => {
                        *reg as usize == input && !written.contains(reg) || held.contains(reg)
                    }
                    Operand::Const(_) => false,
                };
                let made = makes(op).filter(|(_, of)| of_input(of)).map(|(made, _)| made);
                // a register that other instructions write too need not hold it
                let made = made.filter(|reg| !written.contains(reg));
                if op.procedure() == Some(number as u32) {
                    let given = op.uses().reads.get(input).copied();
                    all &= matches!(given, Some(Operand::Reg(reg)) if held.contains(&reg));
                }
                held.extend(made);
                for reg in op.uses().writes {
                    if made != Some(reg) {
                        held.retain(|other| *other != reg);
                    }
                    written.push(reg);
                }
            });
            all
        };
        (0..procedure.inputs())
            .any(|input| procedure.clauses.iter().all(|body| goes_on(body, input)))
    }
}
