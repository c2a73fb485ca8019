//! Which arguments a relation needs bound, and which variables are used before they are bound.
//!
//! Each clause is walked from left to right with the set of bound variables. A variable of the
//! head that is needed but not bound makes its argument one that callers must bind; any other is
//! a fault. Relations are visited dependencies first, recursive ones until nothing changes.

use crate::diagnostic::Diagnostic;
use crate::source::Span;

use super::{
    BuiltIn, Clause, ClauseId, Expression, Goal, GoalKind, Kind, Program, RelationId, Term,
    VariableId,
};
use super::{choices, unbound};

/// The set of bound variables of one clause.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Modes {
    bound: Vec<bool>,
}

impl Modes {
    /// No variable of a clause with this many is bound.
    pub fn new(variables: usize) -> Modes {
        Modes { bound: vec![false; variables] }
    }

    /// Binds a variable.
    pub fn bind(&mut self, variable: VariableId) {
        self.bound[variable.0 as usize] = true;
    }

    /// Binds all variables of a term.
    pub fn bind_term(&mut self, term: &Term) {
        term.each_variable(&mut |v| self.bind(v));
    }

    /// Whether a variable is bound.
    pub fn has(&self, variable: VariableId) -> bool {
        self.bound[variable.0 as usize]
    }

    /// Whether all variables of a term are bound.
    pub fn covers(&self, term: &Term) -> bool {
        let mut all = true;
        term.each_variable(&mut |v| all &= self.has(v));
        all
    }

    fn meet(&mut self, other: &Modes) {
        for (a, b) in self.bound.iter_mut().zip(&other.bound) {
            *a &= *b;
        }
    }
}

/// Sets `needs_bound` of all relations, makes static relations derived where their answers depend on
/// the arguments of a call, and returns the faults.
pub(super) fn infer(program: &mut Program) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    for component in program.graph.components.clone() {
        loop {
            let mut changed = false;
            for id in &component {
                for clause in program.relation(*id).clauses.clone() {
                    let needs = Walk::clause(program, program.clause(clause), None);
                    for position in needs {
                        let relation = &mut program.relations[id.0 as usize];
                        if !relation.needs_bound[position] {
                            relation.needs_bound[position] = true;
                            changed = true;
                        }
                    }
                }
            }
            if !changed && !choices::mark(program, &component) {
                break;
            }
        }
        for id in &component {
            for clause in program.relation(*id).clauses.clone() {
                Walk::clause(program, program.clause(clause), Some(&mut faults));
            }
        }
        // a cycle of static relations is demoted as a whole: they are evaluated together
        let on_demand = |id: &RelationId| {
            let relation = program.relation(*id);
            relation.chooses || relation.needs_bound.contains(&true)
        };
        if component.iter().any(on_demand) {
            for id in &component {
                let relation = &mut program.relations[id.0 as usize];
                if relation.kind == Kind::Static {
                    relation.kind = Kind::Derived;
                }
            }
        }
    }
    faults.extend(outputs(program));
    faults
}

/// For each `after` of a clause that stands in no other one, its place and the variables that the goals
/// before it bind.
pub(crate) fn before_hypotheses(program: &Program, clause: &Clause) -> Vec<(Span, Modes)> {
    let mut walk = Walk::new(program, clause, None);
    let mut modes = walk.start();
    walk.goal(&clause.body, &mut modes);
    walk.hypotheses
}

/// The faults of one more clause, for a program whose relations have their modes.
pub(super) fn faults(program: &Program, clause: &Clause) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    Walk::clause(program, clause, Some(&mut faults));
    faults
}

/// The relations that the interpreter itself queries, and how many of their first arguments it binds;
/// their clauses must bind the others.
fn asked(program: &Program) -> Vec<(RelationId, usize)> {
    let special = program.special;
    let given = [
        (0, vec![special.moves, special.chance, special.measure]),
        (0, vec![special.prompt, special.prompt_to, special.status, special.status_item]),
        (0, vec![special.figure, special.look, special.shaded, special.between]),
        (0, vec![special.xy, special.drawn, special.curved, special.source, special.family]),
        (0, vec![special.glyph]),
        (0, vec![special.letter, special.position_field, special.position_item]),
        (0, vec![special.position_mark]),
        (0, vec![special.record, special.record_tag]),
        (0, program.fluents.iter().map(|f| Some(f.init)).collect()),
        (1, vec![special.rank, special.weight, special.score, special.value]),
        (1, vec![special.advice, special.notation, special.alias, special.shows, special.suffix]),
        (1, vec![special.says]),
        (2, vec![special.style]),
    ];
    let pairs = given.into_iter().flat_map(|(n, ids)| ids.into_iter().map(move |id| (id, n)));
    pairs.filter_map(|(id, n)| id.map(|id| (id, n))).collect()
}

fn outputs(program: &Program) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    for (id, given) in asked(program) {
        let relation = program.relation(id);
        if !relation.needs_bound.iter().skip(given).any(|needed| *needed) {
            continue;
        }
        for clause in &relation.clauses {
            let clause = program.clause(*clause);
            let Some(v) = Walk::outputs(program, clause, given, &mut faults) else { continue };
            faults.push(unbound::in_head(program, clause, v, &relation.name));
        }
    }
    faults
}

/// A goal that needs a variable that is not bound yet.
struct Reason {
    variable: VariableId,
    span: Span,
    user: String,
    /// The argument that it is, where the goal calls a relation.
    callee: Option<(RelationId, usize)>,
}

/// Why callers of a relation must bind an argument.
pub(super) enum Need {
    /// A goal needs it: its place, and what it needs.
    Goal(Span, String),
    /// Nothing gives this variable of a clause's head a value.
    Open(ClauseId, VariableId),
}

/// Why callers of a relation must bind an argument.
fn needed_at(program: &Program, id: RelationId, argument: usize) -> Option<Need> {
    let mut seen = Vec::new();
    let (mut next, mut found) = (Some((id, argument)), None);
    while let Some(column) = next.filter(|column| !seen.contains(column)) {
        seen.push(column);
        let relation = program.relation(column.0);
        let clauses = relation
            .clauses
            .iter()
            .filter_map(|id| Some((*id, program.clauses.get(id.0 as usize)?)));
        let open = |(id, clause): (ClauseId, &Clause)| {
            Walk::open(program, clause, column.1).map(|variable| Need::Open(id, variable))
        };
        if let Some(need) = clauses.clone().find_map(open) {
            return Some(need);
        }
        let reason = clauses.into_iter().find_map(|(_, clause)| {
            let reason = Walk::reason(program, clause, column.1)?;
            Some((reason, clause))
        });
        let Some((reason, clause)) = reason else { break };
        let name = &clause.variables[reason.variable.0 as usize].name;
        let text = format!("{} needs `{name}` here, in `{}`", reason.user, relation.name);
        (next, found) = (reason.callee, Some(Need::Goal(reason.span, text)));
    }
    found
}

struct Walk<'p, 'f> {
    program: &'p Program,
    clause: &'p Clause,
    totals: Vec<usize>,
    needs: Vec<usize>,
    /// Callers bind no argument: a head variable that the body needs bound is a fault.
    asked: bool,
    /// Variables already reported, so that one mistake is one message.
    told: Vec<VariableId>,
    /// The relation that is called, and its argument.
    callee: Option<(RelationId, usize)>,
    /// What needs variables that are not bound, where it is asked for.
    reasons: Option<Vec<Reason>>,
    /// The variables of the conditions in whose otherwise branches a goal stands. Callers bind those of the head, on which the choice
    /// depends.
    decided: Vec<VariableId>,
    /// The hypotheses met so far, with what was bound before each.
    hypotheses: Vec<(Span, Modes)>,
    faults: Option<&'f mut Vec<Diagnostic>>,
}

impl<'p, 'f> Walk<'p, 'f> {
    fn new(
        program: &'p Program,
        clause: &'p Clause,
        faults: Option<&'f mut Vec<Diagnostic>>,
    ) -> Self {
        let totals = clause.occurrences();
        Walk {
            program,
            clause,
            totals,
            needs: Vec::new(),
            asked: false,
            told: Vec::new(),
            callee: None,
            decided: Vec::new(),
            reasons: None,
            hypotheses: Vec::new(),
            faults,
        }
    }

    /// The argument positions that must be bound for this clause to run.
    fn clause(
        program: &'p Program,
        clause: &'p Clause,
        faults: Option<&'f mut Vec<Diagnostic>>,
    ) -> Vec<usize> {
        let mut walk = Walk::new(program, clause, faults);
        let mut modes = walk.start();
        walk.goal(&clause.body, &mut modes);
        let missing = |term: &Term, modes: &Modes| {
            let mut missing = Vec::new();
            term.each_variable(&mut |v| missing.extend(Some(v).filter(|v| !modes.has(*v))));
            missing
        };
        // an argument that has a variable of its own gives the values of those that it shares with others: the list in
        // `item(X, [X | _])`
        let has_own = |position: usize, term: &Term| {
            let others = clause.head.iter().enumerate().filter(|(other, _)| *other != position);
            let mut shared = Vec::new();
            others.for_each(|(_, other)| other.each_variable(&mut |v| shared.push(v)));
            missing(term, &modes).iter().any(|v| !shared.contains(v))
        };
        let mut order: Vec<(usize, &Term)> = clause.head.iter().enumerate().collect();
        order.sort_by_key(|(position, term)| !has_own(*position, term));
        for (position, term) in order {
            if !missing(term, &modes).is_empty() {
                walk.needs.push(position);
                modes.bind_term(term);
            }
        }
        walk.needs
    }

    /// The first goal that needs a variable of this argument of the head, where all others are bound.
    fn reason(program: &'p Program, clause: &'p Clause, argument: usize) -> Option<Reason> {
        let mut walk = Walk { reasons: Some(Vec::new()), ..Walk::new(program, clause, None) };
        let mut modes = Modes::new(clause.variables.len());
        let others = clause.head.iter().enumerate().filter(|(i, _)| *i != argument);
        others.for_each(|(_, term)| modes.bind_term(term));
        let mut own = Vec::new();
        clause.head.get(argument)?.each_variable(&mut |v| own.push(v));
        walk.goal(&clause.body, &mut modes);
        walk.reasons.unwrap_or_default().into_iter().find(|r| own.contains(&r.variable))
    }

    /// A variable of this argument of the head to which nothing gives a value, where all others are
    /// bound.
    fn open(program: &'p Program, clause: &'p Clause, argument: usize) -> Option<VariableId> {
        let mut walk = Walk { reasons: Some(Vec::new()), ..Walk::new(program, clause, None) };
        let mut modes = Modes::new(clause.variables.len());
        let others = clause.head.iter().enumerate().filter(|(i, _)| *i != argument);
        others.for_each(|(_, term)| modes.bind_term(term));
        walk.goal(&clause.body, &mut modes);
        let mut open = None;
        clause.head.get(argument)?.each_variable(&mut |v| {
            open = open.or(Some(v).filter(|v| !modes.has(*v)));
        });
        open
    }

    /// Walks a clause whose first arguments alone are given: variables of the head that are used
    /// too early are faults, one that is never bound is the result.
    fn outputs(
        program: &'p Program,
        clause: &'p Clause,
        given: usize,
        faults: &'f mut Vec<Diagnostic>,
    ) -> Option<VariableId> {
        let mut walk = Walk { asked: true, ..Walk::new(program, clause, Some(faults)) };
        let mut modes = Modes::new(clause.variables.len());
        clause.head.iter().take(given).for_each(|t| modes.bind_term(t));
        walk.goal(&clause.body, &mut modes);
        let mut missing = None;
        for term in &clause.head {
            term.each_variable(&mut |v| {
                if !modes.has(v) {
                    missing = missing.or(Some(v));
                }
            });
        }
        missing
    }

    fn start(&self) -> Modes {
        let mut modes = Modes::new(self.clause.variables.len());
        let relation = self.program.relation(self.clause.relation);
        for (term, needed) in self.clause.head.iter().zip(&relation.needs_bound) {
            if *needed {
                modes.bind_term(term);
            }
        }
        modes
    }

    fn require(&mut self, variable: VariableId, modes: &mut Modes, span: Span, user: &str) {
        if let Some(reasons) = &mut self.reasons {
            if !modes.has(variable) {
                let (user, callee) = (user.to_string(), self.callee);
                reasons.push(Reason { variable, span, user, callee });
                modes.bind(variable);
            }
            return;
        }
        self.require_or(variable, modes, |walk, variable| {
            let need = walk.callee.and_then(|(id, argument)| needed_at(walk.program, id, argument));
            unbound::in_goal(walk.program, walk.clause, variable, user, span, need)
        });
    }

    fn require_or(
        &mut self,
        variable: VariableId,
        modes: &mut Modes,
        fault: impl FnOnce(&Self, VariableId) -> Diagnostic,
    ) {
        if modes.has(variable) {
            return;
        }
        modes.bind(variable);
        let head = self.clause.head.iter().position(|t| {
            let mut found = false;
            t.each_variable(&mut |v| found |= v == variable);
            found
        });
        match head {
            Some(position) if !self.asked => return self.needs.push(position),
            // faults of other variables are found without this
            None if self.asked => return,
            _ => {}
        }
        if self.told.contains(&variable) {
            return;
        }
        self.told.push(variable);
        let fault = fault(self, variable);
        if let Some(faults) = self.faults.as_deref_mut() {
            faults.push(fault);
        }
    }

    fn is_of_head(&self, variable: VariableId) -> bool {
        let mut found = false;
        let mut visit = |v: VariableId| found |= v == variable;
        self.clause.head.iter().for_each(|t| t.each_variable(&mut visit));
        found
    }

    fn require_term(&mut self, term: &Term, modes: &mut Modes, span: Span, user: &str) {
        let mut variables = Vec::new();
        term.each_variable(&mut |v| variables.push(v));
        variables.into_iter().for_each(|v| self.require(v, modes, span, user));
    }

    /// A relation that makes a choice makes it before the answer is matched with a pattern, whereas
    /// Prolog would match first. So only patterns without variables may be passed to it.
    fn require_patterns(&mut self, args: &[Term], modes: &mut Modes, span: Span, name: &str) {
        for (i, term) in args.iter().enumerate() {
            let mut open = Vec::new();
            match term {
                Term::Variable(v) if args[..i].contains(term) => open.push(*v),
                Term::Variable(_) => {}
                _ => term.each_variable(&mut |v| open.push(v)),
            }
            let fault = |_: &Self, _| unbound::in_pattern(name, span);
            open.into_iter().for_each(|v| self.require_or(v, modes, fault));
        }
    }

    fn require_expression(&mut self, e: &Expression, modes: &mut Modes, span: Span, user: &str) {
        let mut variables = Vec::new();
        e.each_variable(&mut |v| variables.push(v));
        variables.into_iter().for_each(|v| self.require(v, modes, span, user));
    }

    /// Variables of `scope` that also occur outside it must be bound now.
    fn require_outer(&mut self, scope: &Goal, modes: &mut Modes, user: &str) {
        let mut inside: Vec<(VariableId, usize)> = Vec::new();
        let result = match &scope.kind {
            GoalKind::Aggregate(_, _, _, result) => Some(result),
            _ => None,
        };
        scope.each_variable(&mut |v| match inside.iter_mut().find(|(w, _)| *w == v) {
            Some((_, n)) => *n += 1,
            None => inside.push((v, 1)),
        });
        if let Some(result) = result {
            result.each_variable(&mut |v| {
                if let Some((_, n)) = inside.iter_mut().find(|(w, _)| *w == v) {
                    *n -= 1;
                }
            });
        }
        for (variable, count) in inside {
            if count > 0 && self.totals[variable.0 as usize] > count {
                self.require(variable, modes, scope.span, user);
            }
        }
    }

    fn goal(&mut self, goal: &Goal, modes: &mut Modes) {
        let span = goal.span;
        match &goal.kind {
            GoalKind::True | GoalKind::Fail | GoalKind::Stuck | GoalKind::Again => {}
            GoalKind::Call(id, args) => {
                let relation = self.program.relation(*id);
                let user = format!("`{}`", relation.name);
                for (position, (term, needed)) in args.iter().zip(&relation.needs_bound).enumerate()
                {
                    if *needed {
                        self.callee = Some((*id, position));
                        self.require_term(term, modes, span, &user);
                    }
                }
                self.callee = None;
                if relation.chooses {
                    self.require_patterns(args, modes, span, &relation.name);
                }
                args.iter().for_each(|t| modes.bind_term(t));
            }
            GoalKind::And(goals) => goals.iter().for_each(|g| self.goal(g, modes)),
            GoalKind::Or(goals) => {
                let mut met: Option<Modes> = None;
                for branch in goals {
                    let mut inner = modes.clone();
                    self.goal(branch, &mut inner);
                    match &mut met {
                        Some(met) => met.meet(&inner),
                        None => met = Some(inner),
                    }
                }
                *modes = met.unwrap_or_default();
            }
            GoalKind::If(condition, then, otherwise) => {
                let mut first = modes.clone();
                self.goal(condition, &mut first);
                self.goal(then, &mut first);
                let outer = self.decided.len();
                condition.each_variable(&mut |v| self.decided.push(v));
                self.goal(otherwise, modes);
                self.decided.truncate(outer);
                if otherwise.kind == GoalKind::Fail {
                    *modes = first;
                } else {
                    modes.meet(&first);
                }
            }
            GoalKind::Once(inner) => self.goal(inner, modes),
            GoalKind::After(action, then, _) => {
                self.hypotheses.push((span, modes.clone()));
                self.goal(action, modes);
                self.goal(then, modes);
            }
            GoalKind::Not(inner) => {
                self.require_outer(goal, modes, "a negation");
                self.goal(inner, &mut modes.clone());
            }
            GoalKind::Forall(all, hold) => {
                self.require_outer(goal, modes, "`forall`");
                let mut inner = modes.clone();
                self.goal(all, &mut inner);
                self.goal(hold, &mut inner);
            }
            GoalKind::Each(all, action) => {
                self.require_outer(goal, modes, "`each`");
                let mut inner = modes.clone();
                self.goal(all, &mut inner);
                self.goal(action, &mut inner);
            }
            GoalKind::Aggregate(kind, template, inner, result) => {
                let user = &*format!("`{}`", kind.name());
                self.require_outer(goal, modes, user);
                let mut local = modes.clone();
                self.goal(inner, &mut local);
                self.require_term(template, &mut local, span, user);
                modes.bind_term(result);
            }
            GoalKind::Unify(a, b) => {
                if !modes.covers(a) && !modes.covers(b) {
                    // a side that the clause's caller can bind
                    let given = |term: &Term| {
                        let mut all = true;
                        term.each_variable(&mut |v| all &= modes.has(v) || self.is_of_head(v));
                        all
                    };
                    let decided = |term: &Term| {
                        let mut all = true;
                        term.each_variable(&mut |v| all &= self.decided.contains(&v));
                        all
                    };
                    let other = !given(a) || !decided(a) && decided(b);
                    let side = if other && given(b) { b } else { a };
                    self.require_term(side, modes, span, "`=`");
                }
                modes.bind_term(a);
                modes.bind_term(b);
            }
            GoalKind::Differ(..) => self.require_outer(goal, modes, "`\\=`"),
            GoalKind::Compare(op, a, b) => {
                let user = format!("`{}`", op.name());
                self.require_expression(a, modes, span, &user);
                self.require_expression(b, modes, span, &user);
            }
            GoalKind::Is(x, e) => {
                self.require_expression(e, modes, span, "`is`");
                modes.bind_term(x);
            }
            GoalKind::In(x, lo, hi) => {
                self.require_expression(lo, modes, span, "`in`");
                self.require_expression(hi, modes, span, "`in`");
                modes.bind_term(x);
            }
            GoalKind::BuiltIn(built_in, args) => self.built_in(*built_in, args, modes, span),
            GoalKind::Legal(m) => modes.bind_term(m),
            GoalKind::Repeated(n) => self.require_term(n, modes, span, "`repeated`"),
            GoalKind::RepeatedBoard(n) => self.require_term(n, modes, span, "`repeated_board`"),
            GoalKind::Assign(_, keys, value) => {
                keys.iter().for_each(|k| self.require_term(k, modes, span, "an update"));
                self.require_term(value, modes, span, "an update");
            }
            GoalKind::AssignNumber(_, keys, value) => {
                keys.iter().for_each(|k| self.require_term(k, modes, span, "an update"));
                self.require_expression(value, modes, span, "an update");
            }
            GoalKind::Clear(_, keys) | GoalKind::Set(_, keys) => {
                keys.iter().for_each(|k| self.require_term(k, modes, span, "an update"));
            }
        }
    }

    fn built_in(&mut self, built_in: BuiltIn, args: &[Term], modes: &mut Modes, span: Span) {
        let user = format!("`{}`", built_in.name());
        match (built_in, args) {
            (BuiltIn::Member, [_, list])
            | (BuiltIn::Length, [list, _])
            | (BuiltIn::Nth, [_, list, _]) => self.require_term(list, modes, span, &user),
            (BuiltIn::Append | BuiltIn::AtomConcat | BuiltIn::Coordinate, [a, b, whole])
                if !modes.covers(whole) =>
            {
                self.require_term(a, modes, span, &user);
                self.require_term(b, modes, span, &user);
            }
            _ => {}
        }
        args.iter().for_each(|a| modes.bind_term(a));
    }
}
