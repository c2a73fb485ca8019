//! Compiles relations and actions for each way in which they are called.
//!
//! A way of calling says which arguments are given, which are wanted, and which do not matter. A
//! procedure is reserved when it is first called and compiled at the end, so that recursion needs
//! no special care. Linear recursion that only changes the wanted argument, such as reachability,
//! becomes a flood; any other recursion of relations is tabled.

use crate::program::{ClauseId, GoalKind, Kind, RelationId, Term};

use super::super::ops::{
    Answer, Argument, Body, Op, Operand, Operands, Procedure, Recursion, Reg, Untabled,
};
use super::super::universe::{Code, UniverseId};
use super::descent::Descent;
use super::functional::arguments_of;
use super::goals::{Arg, G, Vars};
use super::order::{BlockState, TargetForm, Want};
use super::{Lowering, occurrences};

/// Stands for the elements that the last round of a flood added.
pub(super) const FLOOD: RelationId = RelationId(u32::MAX);

/// The depth of nested relations in which a flood is looked for.
const MAX_FLOOD_DEPTH: usize = 3;

/// A procedure that has a number but is not compiled yet.
#[derive(Debug, Clone)]
pub(super) struct Reserved {
    pub relation: RelationId,
    pub arguments: Vec<Argument>,
    pub universe: Option<UniverseId>,
    pub answer: Answer,
    /// Its answers come in the order of evaluation as written.
    pub ordered: bool,
    /// For `rank` and `weight`: the form of the move that their first argument is. The procedure's
    /// inputs are then the move's arguments.
    pub form: Option<(String, usize)>,
    /// It is the flood backwards from this argument, see `inverse.rs`. Its last input is the first element.
    pub backwards: Option<usize>,
}

/// How a clause uses the set of a flood, which is in set register 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Flooding {
    No,
    /// The recursive call reads it.
    Forth,
    /// The head's argument reads it, and the flood adds the argument of the recursive call.
    Back(usize),
    /// The head's argument reads it, and the procedure computes it.
    From {
        argument: usize,
        procedure: u32,
    },
}

/// How a clause is compiled.
#[derive(Clone, Copy)]
pub(super) struct Manner {
    pub flooding: Flooding,
    /// Its goals are run as written.
    pub ordered: bool,
    /// No later clause is tried once it begins to update.
    pub cut: bool,
}

impl Manner {
    pub(super) fn of(flooding: Flooding) -> Manner {
        Manner { flooding, ordered: false, cut: false }
    }
}

impl Lowering<'_> {
    /// The number of the procedure for a relation called in this way. `universe` is that of the
    /// target.
    pub(super) fn procedure(
        &mut self,
        relation: RelationId,
        arguments: &[Argument],
        universe: Option<UniverseId>,
        ordered: bool,
    ) -> u32 {
        let key = (relation, arguments.to_vec(), universe, ordered);
        if let Some(known) = self.calls.numbers.get(&key) {
            self.calls.asked.push(*known);
            return *known;
        }
        let action = self.program.relation(relation).kind == Kind::Action;
        let target = arguments.contains(&Argument::Target);
        let answer = match () {
            () if target => Answer::Set,
            () if action || self.is_whole(relation) || arguments.contains(&Argument::Output) => {
                Answer::Tuples
            }
            () => Answer::Test,
        };
        let number = self.calls.reserved.len() as u32;
        self.calls.reserved.push(Reserved {
            relation,
            arguments: arguments.to_vec(),
            universe,
            answer,
            ordered,
            form: None,
            backwards: None,
        });
        self.calls.numbers.insert(key, number);
        self.calls.asked.push(number);
        number
    }

    /// The procedure that gives a number for moves of one form: their rank or weight.
    pub(super) fn number_of(&mut self, relation: RelationId, name: &str, arity: usize) -> u32 {
        let mut arguments = vec![Argument::Input; arity];
        // the move as a value is the last input, where a clause uses it
        if self.asks_for_whole(relation) {
            arguments.push(Argument::Input);
        }
        arguments.push(Argument::Output);
        self.calls.reserved.push(Reserved {
            relation,
            arguments,
            universe: None,
            answer: Answer::Tuples,
            ordered: false,
            form: Some((name.to_string(), arity)),
            backwards: None,
        });
        self.calls.reserved.len() as u32 - 1
    }

    /// Whether a clause of `rank` or `weight` has a variable for the whole move, and uses it.
    fn asks_for_whole(&self, relation: RelationId) -> bool {
        let program = self.program;
        program.relation(relation).clauses.iter().any(|id| {
            let clause = program.clause(*id);
            let Term::Variable(whole) = clause.head[0] else { return false };
            let mut uses = 0;
            clause
                .head
                .iter()
                .for_each(|t| t.each_variable(&mut |v| uses += usize::from(v == whole)));
            clause.body.each_variable(&mut |v| uses += usize::from(v == whole));
            uses > 1
        })
    }

    /// A clause's head arguments in the form of a reserved procedure; `None` where the clause is
    /// about another form of move.
    fn head_of(&self, id: ClauseId, form: Option<&(String, usize)>) -> Option<Vec<Option<Term>>> {
        let clause = self.program.clause(id);
        let Some((name, arity)) = form else {
            return Some(clause.head.iter().cloned().map(Some).collect());
        };
        let mut terms: Vec<Option<Term>> = match &clause.head[0] {
            Term::Variable(_) => vec![None; *arity],
            Term::Compound(n, args) if n == name && args.len() == *arity => {
                args.iter().cloned().map(Some).collect()
            }
            Term::Constant(value) => match self.program.values.functor(*value) {
                Some((n, args)) if n == name && args.len() == *arity => {
                    args.iter().map(|v| Some(Term::Constant(*v))).collect()
                }
                _ => return None,
            },
            _ => return None,
        };
        if self.asks_for_whole(clause.relation) {
            let whole = matches!(clause.head[0], Term::Variable(_));
            terms.push(whole.then(|| clause.head[0].clone()));
        }
        terms.extend(clause.head[1..].iter().cloned().map(Some));
        Some(terms)
    }

    pub(super) fn compile(&mut self, reserved: &Reserved) -> Procedure {
        let program = self.program;
        let relation = program.relation(reserved.relation);
        let action = relation.kind == Kind::Action;
        self.calls.asked.clear();
        let tabled = relation.recursive && !action && reserved.answer != Answer::Set;
        self.calls.tabled = tabled.then(|| (reserved.relation, reserved.arguments.clone()));
        if let Some(from) = reserved.backwards {
            return self.compile_backwards(reserved, from);
        }
        let set = reserved.answer == Answer::Set;
        let floods = set && self.floods(reserved.relation, &reserved.arguments);
        if set
            && !floods
            && let Some(from) = self.inverts(reserved.relation, &reserved.arguments)
        {
            return self.compile_inverse(reserved, from);
        }
        // other clauses have no answer where those that are not recursive have none
        let seeds_only = !floods
            && reserved.answer != Answer::Tuples
            && self.begins_with_seeds(reserved.relation, &reserved.arguments);
        let flood = relation.recursive && set && !seeds_only;
        let flooding = if flood { Flooding::Forth } else { Flooding::No };
        let mut clauses = Vec::new();
        let mut seeds = Vec::new();
        // the first answer of a hypothesis is enough, and may come before a rule error
        let first = relation.supposes && reserved.answer == Answer::Test;
        let ordered = reserved.ordered || first && self.types.raises[reserved.relation.0 as usize];
        let seed = |id: ClauseId| self.recursive_calls(id, reserved.relation) == 0;
        let heads: Vec<(ClauseId, Vec<Option<Term>>)> = (relation.clauses.iter())
            .filter(|id| !seeds_only || seed(**id))
            .filter_map(|id| Some((*id, self.head_of(*id, reserved.form.as_ref())?)))
            .collect();
        let written: Vec<ClauseId> =
            heads.iter().map(|(id, _)| self.rewritten.as_written(*id)).collect();
        let number = self.calls.compiled.len();
        let cuts = action && self.cuts(number, &written, &reserved.arguments);
        for (i, (id, head)) in heads.iter().enumerate() {
            let cut = cuts && i + 1 < heads.len();
            clauses.push(self.body_for(
                *id,
                head,
                &reserved.arguments,
                reserved.universe,
                reserved.answer,
                Manner { flooding, ordered, cut },
            ));
            seeds.push(self.recursive_calls(*id, reserved.relation) == 0);
        }
        self.calls.tabled = None;
        let recursion = match () {
            () if !relation.recursive => Recursion::None,
            () if action => Recursion::Plain,
            () if seeds_only && set => Recursion::None,
            () if flood => Recursion::Flood { seeds, round: None },
            () => Recursion::Tabled {
                component: 0,
                reruns: Box::default(),
                because: self.no_flood(reserved.relation),
                untabled: self.goes_down(reserved.relation, &reserved.arguments),
            },
        };
        self.made(reserved, clauses, recursion)
    }

    pub(super) fn made(
        &self,
        reserved: &Reserved,
        clauses: Vec<Body>,
        recursion: Recursion,
    ) -> Procedure {
        let relation = self.program.relation(reserved.relation);
        let action = relation.kind == Kind::Action;
        let streams = action || (reserved.ordered && !relation.recursive);
        Procedure {
            name: relation.indicator(),
            answer: reserved.answer,
            arguments: reserved.arguments.clone(),
            clauses,
            recursion,
            repeats: !action,
            action: streams,
            supposes: relation.supposes,
            sorted: reserved.ordered && !streams,
            lists: self.gives_lists(reserved),
            ranges: self.ranges(reserved),
        }
    }

    pub(super) fn recursive_calls(&self, id: ClauseId, relation: RelationId) -> usize {
        self.program.clause(id).calls_of(relation)
    }

    /// Whether this recursion grows a set: each clause has at most one recursive call, which passes
    /// on every given argument unchanged. The set is grown with the target open, so the relation
    /// must not make choices, which depend on the given arguments, and its heads must not build
    /// lists or compounds.
    pub(super) fn floods(&self, relation: RelationId, arguments: &[Argument]) -> bool {
        let program = self.program;
        let alone = program.graph.is_alone(relation);
        if !alone
            || self.types.raises[relation.0 as usize]
            || program.relation(relation).chooses
            || arguments.contains(&Argument::Output)
            || arguments.contains(&Argument::Ignored)
        {
            return false;
        }
        program.relation(relation).clauses.iter().all(|id| {
            let clause = program.clause(*id);
            let calls: Vec<&[Term]> = clause
                .body
                .conjuncts()
                .iter()
                .filter_map(|g| match &g.kind {
                    GoalKind::Call(r, args) if *r == relation => Some(args.as_slice()),
                    _ => None,
                })
                .collect();
            let all = self.recursive_calls(*id, relation);
            match calls.as_slice() {
                [] => all == 0,
                [args] => {
                    all == 1
                        && arguments.iter().enumerate().all(|(i, a)| match a {
                            Argument::Input => {
                                args[i] == clause.head[i] && matches!(args[i], Term::Variable(_))
                            }
                            _ => [&args[i], &clause.head[i]]
                                .iter()
                                .all(|term| matches!(term, Term::Variable(_))),
                        })
                }
                _ => false,
            }
        })
    }

    /// The arguments of a call whose values are compared with the answers rather than given: those
    /// that the recursion changes. Each of their values would have a table of its own, with the
    /// same answers again and again. `known` are the bound arguments; one that is passed on keeps
    /// the table small.
    pub(super) fn compared_afterwards(&self, id: RelationId, known: &[bool]) -> Vec<bool> {
        let relation = self.program.relation(id);
        let columns = &self.domains.columns[id.0 as usize];
        let keeps = relation.kind != Kind::Derived
            || !relation.recursive
            // asked for other values it may have lists without end
            || columns.iter().any(|column| column.lists)
            || self.types.raises[id.0 as usize]
            || relation.chooses
            || self.floods(id, &arguments_of(known));
        let passed: Vec<bool> = (0..known.len()).map(|i| self.passed_on(id, i)).collect();
        let narrowed = known.iter().zip(&passed).any(|(known, passed)| *known && *passed);
        (0..known.len())
            .map(|i| {
                let few = columns[i].universe().is_some() && columns[i].integers.is_none();
                // a table of what is reached from one given element is no larger than the line
                let from_one = (0..known.len()).any(|other| {
                    known[other]
                        && passed[other]
                        && columns[other].universe() == columns[i].universe()
                });
                let along = |d: &Descent| d.column == i || d.chosen_by.contains(&i);
                let descends = self.descent_of(id).is_some_and(along) && !from_one;
                !keeps
                    && !descends
                    && narrowed
                    && known[i]
                    && few
                    && !relation.needs_bound[i]
                    && !passed[i]
            })
            .collect()
    }

    /// Whether which answers a goal has may depend on what is known before it.
    fn is_choice(&self, goal: &G) -> bool {
        match goal {
            G::Once(_) | G::If(..) => true,
            G::Or(branches) => branches.iter().flatten().any(|goal| self.is_choice(goal)),
            G::Call(id, _) => *id != FLOOD && self.call_chooses(*id),
            _ => false,
        }
    }

    fn descent_of(&self, id: RelationId) -> Option<&Descent> {
        self.calls.descents.get(id.0 as usize)?.as_ref()
    }

    /// Whether an argument that goes along a line in the recursion is given, as is what chooses the
    /// line.
    fn goes_down(&self, id: RelationId, arguments: &[Argument]) -> Untabled {
        let given = |i: usize| arguments[i] == Argument::Input;
        let along = |d: &Descent| given(d.column) && d.chosen_by.iter().all(|i| given(*i));
        if self.descent_of(id).is_some_and(along) { Untabled::Ends } else { Untabled::Never }
    }

    /// See [`Lowering::costly`].
    pub(super) fn costly_relations(&self) -> Vec<bool> {
        let program = self.program;
        let mut costly = vec![false; program.relations.len()];
        for id in program.graph.components.iter().flatten().copied() {
            let relation = program.relation(id);
            if relation.kind != Kind::Derived {
                continue;
            }
            let flood = |target: usize| {
                let mut way = vec![Argument::Input; relation.arity];
                way[target] = Argument::Target;
                self.floods(id, &way)
            };
            let tabled = relation.recursive && !(0..relation.arity).any(flood);
            let calls = |(called, _): (RelationId, _)| costly[called.0 as usize];
            costly[id.0 as usize] = tabled || program.graph.calls(id).any(calls);
        }
        costly
    }

    /// Whether each clause of a relation passes an argument on unchanged in its recursive calls.
    pub(super) fn passed_on(&self, id: RelationId, column: usize) -> bool {
        let program = self.program;
        let mut passed = true;
        for clause in &program.relation(id).clauses {
            let clause = program.clause(*clause);
            clause.body.walk(&mut |goal| {
                if let GoalKind::Call(called, args) = &goal.kind
                    && *called == id
                {
                    let own = &clause.head[column];
                    passed &= matches!(own, Term::Variable(_)) && args[column] == *own;
                }
            });
        }
        passed
    }

    /// The argument of a recursive call that would be a flood's target if the others were bound.
    pub(super) fn flood_target(
        &self,
        relation: RelationId,
        args: &[Arg],
        context: &BlockState,
    ) -> Option<usize> {
        if relation == FLOOD || !self.program.relation(relation).recursive {
            return None;
        }
        let needs = &self.program.relation(relation).needs_bound;
        (0..args.len()).rev().filter(|t| !needs[*t] && !context.is_bound(args[*t])).find(|t| {
            let mut way = vec![Argument::Input; args.len()];
            way[*t] = Argument::Target;
            let universe = self.settable_of(&self.domains.columns[relation.0 as usize][*t]);
            let found = self.floods(relation, &way) || self.inverts(relation, &way).is_some();
            universe.is_some() && found
        })
    }

    /// Whether a call that is not recursive itself makes a flood in order to find the values of its
    /// only open argument. A test of one value costs as much as all of them then.
    pub(super) fn leads_to_flood(
        &self,
        relation: RelationId,
        args: &[Arg],
        var: usize,
        context: &BlockState,
    ) -> bool {
        let target = args.iter().position(|arg| *arg == Arg::Var(var));
        let given: Vec<bool> = args.iter().map(|arg| context.is_bound(*arg)).collect();
        relation != FLOOD
            && !self.program.relation(relation).recursive
            && given.iter().filter(|given| !**given).count() == 1
            && target.is_some_and(|at| self.floods_inside(relation, &given, at, MAX_FLOOD_DEPTH))
    }

    fn floods_inside(&self, id: RelationId, given: &[bool], target: usize, depth: usize) -> bool {
        let relation = self.program.relation(id);
        if depth == 0 || relation.kind != Kind::Derived {
            return false;
        }
        if relation.recursive {
            let mut way = vec![Argument::Input; relation.arity];
            way[target] = Argument::Target;
            return self.floods(id, &way) || self.inverts(id, &way).is_some();
        }
        relation.clauses.iter().any(|id| {
            let clause = self.program.clause(*id);
            let known = |term: &Term| match term {
                Term::Constant(_) => true,
                term => clause.head.iter().zip(given).any(|(head, given)| *given && head == term),
            };
            clause.body.conjuncts().iter().any(|goal| {
                let GoalKind::Call(called, terms) = &goal.kind else { return false };
                let mut open = (0..terms.len()).filter(|i| !known(&terms[*i]));
                let (Some(at), None) = (open.next(), open.next()) else { return false };
                let inner: Vec<bool> = (0..terms.len()).map(|i| i != at).collect();
                matches!(terms[at], Term::Variable(_))
                    && self.floods_inside(*called, &inner, at, depth - 1)
            })
        })
    }

    /// Unbound variables of few values that keep a recursive call from being a flood.
    pub(super) fn flood_keys(&self, goals: &[G], context: &BlockState) -> Vec<usize> {
        let mut keys = Vec::new();
        for goal in goals {
            let G::Call(id, args) = goal else { continue };
            let Some(target) = self.flood_target(*id, args, context) else { continue };
            for (i, arg) in args.iter().enumerate().filter(|(i, _)| *i != target) {
                let universe = self.universe_of(&self.domains.columns[id.0 as usize][i]);
                let few = universe.is_some_and(|u| (1..=64).contains(&self.universes.get(u).len));
                if let Arg::Var(v) = arg
                    && few
                    && context.bound[*v].is_none()
                    && !keys.contains(v)
                {
                    keys.push(*v);
                }
            }
        }
        keys
    }

    /// A test of a recursive relation with all arguments given, by the flood of one of them.
    pub(super) fn flood_test(
        &mut self,
        relation: RelationId,
        args: &[Arg],
        context: &BlockState,
    ) -> Option<(Operands, Operand, Code, u32)> {
        if !self.program.relation(relation).recursive {
            return None;
        }
        let needs = self.program.relation(relation).needs_bound.clone();
        for target in (0..args.len()).rev().filter(|t| !needs[*t]) {
            let column = &self.domains.columns[relation.0 as usize][target];
            let Some(universe) = self.settable_of(column) else { continue };
            let mut way = vec![Argument::Input; args.len()];
            way[target] = Argument::Target;
            if !self.floods(relation, &way) {
                continue;
            }
            let inputs: Option<Operands> = args
                .iter()
                .enumerate()
                .filter(|(i, _)| *i != target)
                .map(|(_, a)| context.operand(*a))
                .collect();
            let (Some(inputs), Some(x)) = (inputs, context.operand(args[target])) else { continue };
            let procedure = self.procedure(relation, &way, Some(universe), false);
            let base = self.universes.get(universe).base;
            return Some((inputs, x, base, procedure));
        }
        None
    }

    /// Compiles a clause for one way of calling it.
    pub(super) fn clause_body(
        &mut self,
        id: ClauseId,
        arguments: &[Argument],
        universe: Option<UniverseId>,
        answer: Answer,
    ) -> Body {
        let head: Vec<Option<Term>> =
            self.program.clause(id).head.iter().cloned().map(Some).collect();
        self.body_for(id, &head, arguments, universe, answer, Manner::of(Flooding::No))
    }

    /// The same, given the arguments of the head; `None` is an argument that does not matter.
    pub(super) fn body_for(
        &mut self,
        id: ClauseId,
        terms: &[Option<Term>],
        arguments: &[Argument],
        universe: Option<UniverseId>,
        answer: Answer,
        Manner { flooding, ordered, cut }: Manner,
    ) -> Body {
        let program = self.program;
        // goals that are run as written are those of the clause before its compounds got variables
        let written = self.rewritten.before_flat(id).filter(|_| ordered);
        let clause = written.unwrap_or(program.clause(id));
        let terms: Vec<Option<&Term>> = match written {
            Some(written) => {
                let given = terms.iter().zip(&written.head);
                given.map(|(given, term)| given.as_ref().map(|_| term)).collect()
            }
            None => terms.iter().map(Option::as_ref).collect(),
        };
        let mut vars = Vars::default();
        let mut scope = self.begin(id);
        let mut head = Vec::new();
        let mut inputs = Vec::new();
        let mut outputs = Vec::new();
        for (term, argument) in terms.iter().zip(arguments) {
            let goals = if *argument == Argument::Input { &mut inputs } else { &mut outputs };
            // a list that nobody asks for is not made, so what it would be made of need not be known
            let made =
                term.filter(|t| !(*argument == Argument::Ignored && matches!(t, Term::List(..))));
            head.push(match made {
                Some(term) => self.arg(&mut scope, term, &mut vars, goals),
                None => Arg::Var(vars.fresh(super::super::domains::Abstract::top())),
            });
        }
        let mut goals = inputs;
        goals.extend(self.goals(&mut scope, &clause.body, &mut vars));
        goals.extend(outputs);
        // a flood asks for variables of the written head too, which need not be among those of the call
        let mut outside: Vec<_> = head.iter().copied().filter_map(var).collect();
        for term in &clause.head {
            term.each_variable(&mut |v| outside.extend(var(self.var(&mut scope, v, &mut vars))));
        }
        if !ordered {
            self.turn_in_front(&mut goals, &outside, &mut vars);
        }
        self.reuse_reads(&mut goals, &outside, &vars);
        let reads = match flooding {
            Flooding::Back(from) | Flooding::From { argument: from, .. } => {
                let reads = self.arg(&mut scope, &clause.head[from], &mut vars, &mut goals);
                Some(match reads {
                    Arg::Var(_) => reads,
                    // the set of a flood is tested through a variable
                    Arg::Const(_) => {
                        let column = &self.domains.columns[clause.relation.0 as usize][from];
                        let member = Arg::Var(vars.fresh(column.clone()));
                        goals.push(G::Same(member, reads));
                        member
                    }
                })
            }
            Flooding::No | Flooding::Forth => None,
        };
        let given: Vec<_> = head.iter().copied().chain(reads).filter_map(var).collect();
        if !ordered {
            let inputs = (0..head.len()).filter(|i| arguments[*i] == Argument::Input);
            let bound: Vec<_> = inputs.filter_map(|i| var(head[i])).collect();
            self.compare_with_least(&mut goals, &given, &mut vars);
            self.prepare_tests(&mut goals, &given, &bound, &mut vars);
        }
        self.deny_values(flooding, &mut goals, &given, &vars);
        self.deny_seeds(&mut goals, &given, &mut vars);
        let mut counts = occurrences(&goals, &vars);
        given.iter().for_each(|v| counts[*v] += 1);
        if !ordered {
            let from = match flooding {
                Flooding::From { argument, .. } => Some(argument),
                _ => None,
            };
            let given =
                (0..head.len()).filter(|i| arguments[*i] == Argument::Input && Some(*i) != from);
            let known: Vec<_> = given.filter_map(|i| var(head[i])).collect();
            self.join_statics(&mut goals, &mut counts, &known, &mut vars);
        }
        if matches!(flooding, Flooding::Forth | Flooding::Back(_))
            && self.recursive_calls(id, clause.relation) > 0
        {
            // what the clauses that the flood begins with, or ends with, have said already
            for table in self.common_tables(clause.relation) {
                let said = super::required::at_places(&table, &head);
                goals.retain(|goal| *goal != said);
            }
        }
        let flood = flooding != Flooding::No;
        if flood {
            let target = arguments.iter().position(|a| *a == Argument::Target).unwrap_or(0);
            for goal in &mut goals {
                if let G::Call(r, args) = goal
                    && *r == clause.relation
                {
                    let flood = G::Call(FLOOD, vec![reads.unwrap_or(args[target])]);
                    self.put_in_place(&flood, goal);
                    *goal = flood;
                }
            }
        }
        if let (Flooding::From { .. }, Some(reads)) = (flooding, reads) {
            goals.insert(0, G::Call(FLOOD, vec![reads]));
        }
        // what the head is given is known before the first answer of a goal is looked for
        if matches!(flooding, Flooding::Back(_)) && goals.iter().any(|goal| self.is_choice(goal)) {
            let is_flood = |goal: &G| matches!(goal, G::Call(FLOOD, _));
            if let Some(at) = goals.iter().position(is_flood) {
                let flood = goals.remove(at);
                goals.insert(0, flood);
                // so that these are gone through where no other goal gives them
                if let Some(v) = reads.and_then(var)
                    && let Some(universe) = vars.universe(v)
                {
                    let all = self.universes.get(universe);
                    goals
                        .insert(0, self.one_of(v, (all.base..all.base + all.len as i64).collect()));
                }
            }
        }
        let mut context = BlockState::new(&vars);
        context.totals = occurrences(&goals, &vars);
        context.next_set = u16::from(flood);
        let mut out = self.builder();
        let mut target = None;
        let mut needed = Vec::new();
        if let Flooding::From { argument, procedure } = flooding {
            let given = |to: usize| {
                arguments[..to].iter().filter(|a| **a == Argument::Input).count() as Reg
            };
            let (all, start) = (given(arguments.len()), given(argument));
            let others = (0..all).filter(|i| *i != start);
            let inputs = others.chain([start]).map(Operand::Reg).collect();
            out.push(Op::GatherCall { dst: 0, procedure, inputs });
        }
        for (i, (arg, argument)) in head.iter().zip(arguments).enumerate() {
            if matches!(flooding, Flooding::From { argument, .. } if argument == i) {
                context.register();
                continue;
            }
            if let Arg::Var(v) = arg {
                context.totals[*v] += usize::from(*argument != Argument::Ignored);
            }
            match argument {
                Argument::Input => {
                    let x = Operand::Reg(context.register());
                    match (arg, context.operand(*arg)) {
                        (_, Some(known)) => out.push(Op::Same { a: known, b: x, negate: false }),
                        (Arg::Var(v), None) => context.bound[*v] = Some(x),
                        (Arg::Const(_), None) => {}
                    }
                }
                Argument::Output => needed.extend(var(*arg)),
                Argument::Target => target = Some(*arg),
                Argument::Ignored => {}
            }
        }
        if flooding == Flooding::Forth
            && let Some(Arg::Var(to)) = target
            && let Some(universe) = universe
            && self.cut_flood(&goals, (to, universe), &mut context, &mut vars, &mut out)
        {
            let start = self.place(out);
            return Body {
                clause: self.rewritten.as_written(id),
                start,
                registers: context.next_register,
                sets: context.next_set,
            };
        }
        let base = universe.map_or(0, |u| self.universes.get(u).base);
        let free = target
            .and_then(var)
            .filter(|v| context.bound[*v].is_none() && vars.universe(*v) == universe);
        if let (Some(v), None) = (target.and_then(var), free) {
            needed.push(v);
        }
        let sensitive = answer == Answer::Tuples;
        let tests_only = !goals.iter().any(|g| self.acts(g));
        if cut && let Some(first) = goals.iter().position(|g| self.acts(g)) {
            goals.insert(first, G::Cut);
        }
        // the updates of a relation that takes them back tell no answers apart
        let compared = sensitive && (tests_only || self.program.relation(clause.relation).supposes);
        let want = Want {
            needed: needed.clone(),
            target: free,
            sensitive,
            compared,
            ordered,
            ..Want::default()
        };
        let any = free.filter(|_| matches!(flooding, Flooding::Back(_)));
        let begun = any.map(|v| (v, goals.clone(), context.clone(), out.clone()));
        let mut outcome = match tests_only {
            true => self.conjunction(goals, &mut context, &mut vars, &want, &mut out),
            false => self
                .sequence(&goals, &mut context, &mut vars, &want, &mut out)
                .map(|()| TargetForm::Bound),
        };
        // a step that calculates where it leads to says nothing of where it comes from
        if let (Err(_), Some((v, mut goals, before, written))) = (&outcome, begun)
            && let Some(universe) = vars.universe(v)
        {
            let all = self.universes.get(universe);
            goals.push(self.one_of(v, (all.base..all.base + all.len as i64).collect()));
            (context, out) = (before, written);
            outcome = self.conjunction(goals, &mut context, &mut vars, &want, &mut out);
        }
        match (outcome, answer) {
            (Err(_), _) => {
                self.unready(clause);
                out.push(Op::Fail);
            }
            (Ok(TargetForm::Set(set)), _) => out.push(Op::Emit { set }),
            (Ok(TargetForm::Bound), Answer::Test) => super::order::finish_exists(&mut out),
            (Ok(TargetForm::Bound), Answer::Set) => {
                let x = target.and_then(|t| context.operand(t)).unwrap_or(Operand::Const(0));
                out.push(Op::EmitOne { x, base });
            }
            (Ok(TargetForm::Bound), Answer::Tuples) => {
                let outs = head
                    .iter()
                    .zip(arguments)
                    .filter(|(_, a)| matches!(a, Argument::Output | Argument::Target))
                    .map(|(t, _)| context.operand(*t).unwrap_or(Operand::Const(0)))
                    .collect();
                // a clause that updates nothing decides once all of its goals hold
                if cut && tests_only {
                    out.push(Op::Cut);
                }
                out.push(Op::Return { outs });
            }
        }
        let start = self.place(out);
        Body {
            clause: self.rewritten.as_written(id),
            start,
            registers: context.next_register,
            sets: context.next_set,
        }
    }
}

pub(super) fn var(arg: Arg) -> Option<usize> {
    match arg {
        Arg::Var(v) => Some(v),
        Arg::Const(_) => None,
    }
}
