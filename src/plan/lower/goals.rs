//! Prepares clauses for lowering: relations of one clause are inlined, compound patterns become
//! goals of their own, and constants get codes.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostic::Diagnostic;
use crate::program::{
    Aggregate, ArithmeticOp, BuiltIn, Clause, ClauseId, Comparison, Expression, FluentId,
    FluentShape, Goal, GoalKind, Kind, RelationId, Term, VariableId,
};
use crate::source::Span;

use super::super::domains::Abstract;
use super::super::universe::{Code, UniverseId};
use super::super::written::WrittenId;
use super::Lowering;
use super::order::UNBOUND;
use super::tables::TableRef;

/// A variable of one lowered clause.
pub(super) type Var = usize;

/// An argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Arg {
    Var(Var),
    Const(Code),
}

/// The constants among arguments, each with its place.
pub(super) fn constants_in(args: &[Arg]) -> Vec<(usize, Code)> {
    let constant = |(place, arg): (usize, &Arg)| match arg {
        Arg::Const(code) => Some((place, *code)),
        Arg::Var(_) => None,
    };
    args.iter().enumerate().filter_map(constant).collect()
}

/// An arithmetic expression.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Expr {
    Arg(Arg),
    Read(FluentId, Vec<Arg>),
    Op(ArithmeticOp, Vec<Expr>),
}

/// A comparison. `B =:= A + 1` also gives `B` where `A` is known, so that `B` need not be gone through.
fn compared(op: Comparison, a: Expr, b: Expr, span: Span, vars: &Vars) -> G {
    let number = |v: Var| vars.all[v].domain.universe() == Some(UniverseId::INTEGERS);
    match (op, a, b) {
        (Comparison::Equal, Expr::Arg(Arg::Var(v)), e @ Expr::Op(..))
        | (Comparison::Equal, e @ Expr::Op(..), Expr::Arg(Arg::Var(v)))
            if number(v) && !e.has(v) =>
        {
            G::Is(Arg::Var(v), e, span)
        }
        (op, a, b) => G::Compare(op, a, b, span),
    }
}

impl Expr {
    /// Whether a variable occurs in it.
    pub(super) fn has(&self, v: Var) -> bool {
        let mut found = false;
        self.each_var(&mut |other| found |= other == v);
        found
    }

    /// Calls `visit` for each variable.
    pub(super) fn each_var(&self, visit: &mut dyn FnMut(Var)) {
        match self {
            Expr::Arg(Arg::Var(v)) => visit(*v),
            Expr::Arg(Arg::Const(_)) => {}
            Expr::Read(_, keys) => keys.iter().for_each(|key| Expr::Arg(*key).each_var(visit)),
            Expr::Op(_, inner) => inner.iter().for_each(|e| e.each_var(visit)),
        }
    }
}

/// A goal with resolved arguments.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum G {
    Fail,
    Static(RelationId, Vec<Arg>),
    /// `V = name(args…)` for constants of that form: index into the functor tables.
    Functor(usize, Vec<Arg>),
    /// A map's value, or membership of a set (`None`).
    Read(FluentId, Vec<Arg>, Option<Arg>),
    Call(RelationId, Vec<Arg>),
    Not(Vec<G>),
    Or(Vec<Vec<G>>),
    If(Vec<G>, Vec<G>, Vec<G>),
    Once(Vec<G>),
    Same(Arg, Arg),
    Compare(Comparison, Expr, Expr, Span),
    Is(Arg, Expr, Span),
    In(Arg, Expr, Expr, Span),
    Member(Arg, Arg),
    Length(Arg, Arg),
    /// `whole = [items | tail]`.
    List(Arg, Vec<Arg>, Option<Arg>),
    /// The last field has the variables that tell answers apart where the template alone does not:
    /// those of a sum's goal, or those of the compound that is counted.
    Aggregate(Aggregate, Arg, Vec<G>, Arg, Span, Vec<Var>),
    /// A legal move of this form; any where it is `None`.
    Legal(Option<(String, Vec<Arg>)>),
    /// A legal move as a value.
    LegalMove(Arg),
    Repeated(Arg, bool, Span),
    Stuck,
    Assign(FluentId, Vec<Arg>, Arg, Span),
    AssignNumber(FluentId, Vec<Arg>, Expr, Span),
    Clear(FluentId, Vec<Arg>, Span),
    Set(FluentId, Vec<Arg>, Span),
    Again,
    /// The goals before it decide whether this clause of an action is the one to run.
    Cut,
    /// The variables are those that tell the answers apart.
    Each(Vec<G>, Vec<G>, Vec<Var>),
}

impl G {
    pub(super) fn is_update(&self) -> bool {
        matches!(
            self,
            G::Assign(..)
                | G::AssignNumber(..)
                | G::Clear(..)
                | G::Set(..)
                | G::Again
                | G::Cut
                | G::Each(..)
        )
    }

    /// The table that the goal asks, and its arguments there.
    pub(super) fn table(&self) -> Option<(TableRef, &[Arg])> {
        match self {
            G::Static(id, args) => Some((TableRef::Relation(*id), args)),
            G::Functor(at, args) => Some((TableRef::Functor(*at), args)),
            _ => None,
        }
    }

    /// Calls `visit` for each variable, inner goals included.
    pub(super) fn each_var(&self, visit: &mut dyn FnMut(Var)) {
        fn args(all: &[Arg], visit: &mut dyn FnMut(Var)) {
            for arg in all {
                if let Arg::Var(v) = arg {
                    visit(*v);
                }
            }
        }
        fn expr(e: &Expr, visit: &mut dyn FnMut(Var)) {
            e.each_var(visit);
        }
        match self {
            G::Fail | G::Stuck | G::Again | G::Cut | G::Legal(None) => {}
            G::Static(_, a)
            | G::Functor(_, a)
            | G::Call(_, a)
            | G::Clear(_, a, _)
            | G::Set(_, a, _) => {
                args(a, visit);
            }
            G::Legal(Some((_, a))) => args(a, visit),
            G::Read(_, keys, value) => {
                args(keys, visit);
                args(value.as_slice(), visit);
            }
            G::Not(g) | G::Once(g) => g.iter().for_each(|g| g.each_var(visit)),
            G::Or(branches) => branches.iter().flatten().for_each(|g| g.each_var(visit)),
            G::If(c, t, e) => c.iter().chain(t).chain(e).for_each(|g| g.each_var(visit)),
            G::Each(a, b, _) => a.iter().chain(b).for_each(|g| g.each_var(visit)),
            G::Same(a, b) | G::Member(a, b) | G::Length(a, b) => args(&[*a, *b], visit),
            G::Compare(_, a, b, _) => {
                expr(a, visit);
                expr(b, visit);
            }
            G::Is(x, e, _) => {
                args(&[*x], visit);
                expr(e, visit);
            }
            G::In(x, lo, hi, _) => {
                args(&[*x], visit);
                expr(lo, visit);
                expr(hi, visit);
            }
            G::List(whole, items, tail) => {
                args(&[*whole], visit);
                args(items, visit);
                args(tail.as_slice(), visit);
            }
            G::Aggregate(kind, template, body, result, _, told) => {
                args(&[*template, *result], visit);
                body.iter().for_each(|g| g.each_var(visit));
                if *kind == Aggregate::Count {
                    told.iter().for_each(|v| visit(*v));
                }
            }
            G::Repeated(n, ..) | G::LegalMove(n) => args(&[*n], visit),
            G::Assign(_, keys, value, _) => {
                args(keys, visit);
                args(&[*value], visit);
            }
            G::AssignNumber(_, keys, e, _) => {
                args(keys, visit);
                expr(e, visit);
            }
        }
    }
}

/// What is known of a variable.
#[derive(Debug, Clone)]
pub(super) struct VarInfo {
    pub domain: Abstract,
}

/// The variables of one lowered clause, inlined ones included.
#[derive(Debug, Clone, Default)]
pub(super) struct Vars {
    pub all: Vec<VarInfo>,
}

impl Vars {
    /// This number of variables of which nothing is known.
    pub(super) fn unknown(count: usize) -> Vars {
        Vars { all: vec![VarInfo { domain: Abstract::top() }; count] }
    }

    pub(super) fn fresh(&mut self, domain: Abstract) -> Var {
        self.all.push(VarInfo { domain });
        self.all.len() - 1
    }

    /// The universe that holds every value of a variable.
    pub(super) fn universe(&self, var: Var) -> Option<UniverseId> {
        self.all[var].domain.universe()
    }
}

/// How a clause's own variables map to those of the lowered clause.
pub(super) struct Scope {
    pub clause: ClauseId,
    map: FxHashMap<VariableId, Arg>,
    pub depth: usize,
    /// The goal around those of the scope, where places are recorded.
    pub within: Option<WrittenId>,
}

/// The depth to which relations are inlined, and the most goals of an inlined relation.
const MAX_INLINE_DEPTH: usize = 6;
const MAX_INLINE_GOALS: usize = 24;

/// The depth of nested relations in which a goal that never holds is looked for.
const MAX_DEAD_DEPTH: usize = 3;

impl Lowering<'_> {
    pub(super) fn scope(&self, clause: ClauseId) -> Scope {
        Scope { clause, map: FxHashMap::default(), depth: 0, within: None }
    }

    /// A scope whose calls stay calls.
    pub(super) fn scope_of_calls(&self, clause: ClauseId) -> Scope {
        Scope { depth: MAX_INLINE_DEPTH, ..self.scope(clause) }
    }

    pub(super) fn var(&self, scope: &mut Scope, v: VariableId, vars: &mut Vars) -> Arg {
        if let Some(arg) = scope.map.get(&v) {
            return *arg;
        }
        let arg = Arg::Var(vars.fresh(self.domains.variable(scope.clause, v).clone()));
        scope.map.insert(v, arg);
        arg
    }

    /// A term as an argument; patterns become goals in `extra`.
    pub(super) fn arg(
        &mut self,
        scope: &mut Scope,
        term: &Term,
        vars: &mut Vars,
        extra: &mut Vec<G>,
    ) -> Arg {
        match term {
            Term::Variable(v) => self.var(scope, *v, vars),
            Term::Constant(value) => Arg::Const(self.universes.code(*value)),
            Term::Compound(name, args) => {
                let table = self.functor_table(name, args.len());
                let domain = self.made.functors[table].domain.clone();
                let whole = Arg::Var(vars.fresh(domain));
                let goal = self.is_compound(scope, whole, (name, args), vars, extra);
                extra.push(goal);
                whole
            }
            Term::List(items, tail) => {
                let domain = Abstract { lists: true, ..Abstract::top() };
                let whole = Arg::Var(vars.fresh(domain));
                let goal = self.is_list(scope, whole, (items, tail.as_deref()), vars, extra);
                extra.push(goal);
                whole
            }
        }
    }

    /// The goal that a value is a compound; those of its arguments' patterns become goals in `extra`.
    fn is_compound(
        &mut self,
        scope: &mut Scope,
        whole: Arg,
        (name, args): (&str, &[Term]),
        vars: &mut Vars,
        extra: &mut Vec<G>,
    ) -> G {
        let mut all = vec![whole];
        all.extend(args.iter().map(|a| self.arg(scope, a, vars, extra)));
        G::Functor(self.functor_table(name, args.len()), all)
    }

    /// The goal that a value is a list; those of its items' patterns become goals in `extra`.
    fn is_list(
        &mut self,
        scope: &mut Scope,
        whole: Arg,
        (items, tail): (&[Term], Option<&Term>),
        vars: &mut Vars,
        extra: &mut Vec<G>,
    ) -> G {
        let items: Vec<Arg> = items.iter().map(|a| self.arg(scope, a, vars, extra)).collect();
        G::List(whole, items, tail.map(|t| self.arg(scope, t, vars, extra)))
    }

    fn expr(
        &mut self,
        scope: &mut Scope,
        e: &Expression,
        vars: &mut Vars,
        extra: &mut Vec<G>,
    ) -> Expr {
        match e {
            Expression::Integer(n) => Expr::Arg(Arg::Const(*n)),
            Expression::Variable(v) => Expr::Arg(self.var(scope, *v, vars)),
            Expression::Fluent(f, keys) => {
                Expr::Read(*f, keys.iter().map(|k| self.arg(scope, k, vars, extra)).collect())
            }
            Expression::Operation(op, args) => {
                Expr::Op(*op, args.iter().map(|a| self.expr(scope, a, vars, extra)).collect())
            }
        }
    }

    /// The variables of a goal itself, not of inlined relations: they tell its answers apart.
    fn told(&self, scope: &mut Scope, goal: &Goal, vars: &mut Vars) -> Vec<Var> {
        let mut named = Vec::new();
        goal.each_variable(&mut |v| named.push(v));
        self.distinct(scope, &named, vars)
    }

    fn distinct(&self, scope: &mut Scope, named: &[VariableId], vars: &mut Vars) -> Vec<Var> {
        let mut told = Vec::new();
        for v in named {
            if let Arg::Var(v) = self.var(scope, *v, vars)
                && !told.contains(&v)
            {
                told.push(v);
            }
        }
        told
    }

    /// The goals that a goal stands for, in order.
    pub(super) fn goals(&mut self, scope: &mut Scope, goal: &Goal, vars: &mut Vars) -> Vec<G> {
        let mut out = Vec::new();
        self.goal(scope, goal, vars, &mut out);
        out
    }

    fn goal(&mut self, scope: &mut Scope, goal: &Goal, vars: &mut Vars, out: &mut Vec<G>) {
        if let GoalKind::And(goals) = &goal.kind {
            return goals.iter().for_each(|g| self.goal(scope, g, vars, out));
        }
        let from = out.len();
        let outer = self.go_into(scope, goal.span);
        self.add_goal(scope, goal, vars, out);
        self.leave(scope, outer, &out[from..]);
    }

    fn add_goal(&mut self, scope: &mut Scope, goal: &Goal, vars: &mut Vars, out: &mut Vec<G>) {
        let mut extra = Vec::new();
        macro_rules! args {
            ($terms:expr) => {
                $terms.iter().map(|t| self.arg(scope, t, vars, &mut extra)).collect::<Vec<Arg>>()
            };
        }
        // patterns of arguments are matched after a goal that binds them, and built before an
        // update
        let made = match &goal.kind {
            GoalKind::True | GoalKind::And(_) => return,
            GoalKind::Fail => G::Fail,
            GoalKind::Or(branches) => {
                G::Or(branches.iter().map(|b| self.goals(scope, b, vars)).collect())
            }
            // the variables of a condition that must hold are visible after it
            GoalKind::If(c, t, e) if e.kind == GoalKind::Fail => {
                let condition = self.goals(scope, c, vars);
                out.extend(extra);
                out.push(G::Once(condition));
                out.extend(self.goals(scope, t, vars));
                return;
            }
            GoalKind::If(c, t, e) => G::If(
                self.goals(scope, c, vars),
                self.goals(scope, t, vars),
                self.goals(scope, e, vars),
            ),
            GoalKind::Not(g) => {
                if !self.may_hold(g, MAX_DEAD_DEPTH) {
                    return;
                }
                if let Some(bodies) = self.denied_apart(scope, g, vars) {
                    out.extend(bodies.into_iter().map(G::Not));
                    return;
                }
                G::Not(self.goals(scope, g, vars))
            }
            GoalKind::Forall(a, b) => {
                let mut all = self.goals(scope, a, vars);
                all.push(G::Not(self.goals(scope, b, vars)));
                G::Not(all)
            }
            GoalKind::Once(g) => G::Once(self.goals(scope, g, vars)),
            GoalKind::Each(a, b) => {
                let told = self.told(scope, a, vars);
                G::Each(self.goals(scope, a, vars), self.goals(scope, b, vars), told)
            }
            GoalKind::Call(id, terms) => {
                let all = args!(terms);
                match self.program.relation(*id).kind {
                    Kind::Static => G::Static(*id, all),
                    Kind::Fluent(f) => self.read(f, all),
                    Kind::Derived if self.is_best(scope, *id, &all, out) => {
                        let body = self.inline(scope, *id, &all, vars);
                        out.append(&mut extra);
                        G::Once(body.unwrap_or_else(|| vec![G::Call(*id, all)]))
                    }
                    Kind::Derived | Kind::Action => {
                        if let Some(body) = self.inline(scope, *id, &all, vars) {
                            out.extend(extra);
                            out.extend(body);
                            return;
                        }
                        // its arguments must be known, since a choice depends on them
                        if self.program.relation(*id).chooses {
                            out.append(&mut extra);
                        }
                        G::Call(*id, all)
                    }
                }
            }
            GoalKind::Unify(a, b) => {
                self.unified(scope, a, b, vars, out);
                return;
            }
            GoalKind::Differ(a, b) => {
                let mut inner = Vec::new();
                self.unified(scope, a, b, vars, &mut inner);
                G::Not(inner)
            }
            GoalKind::Compare(op, a, b) => {
                let a = self.expr(scope, a, vars, &mut extra);
                let b = self.expr(scope, b, vars, &mut extra);
                compared(*op, a, b, goal.span, vars)
            }
            GoalKind::Is(x, e) => G::Is(
                self.arg(scope, x, vars, &mut extra),
                self.expr(scope, e, vars, &mut extra),
                goal.span,
            ),
            GoalKind::In(x, lo, hi) => G::In(
                self.arg(scope, x, vars, &mut extra),
                self.expr(scope, lo, vars, &mut extra),
                self.expr(scope, hi, vars, &mut extra),
                goal.span,
            ),
            GoalKind::BuiltIn(built_in, terms) => {
                let all = args!(terms);
                match (built_in, all.as_slice()) {
                    (BuiltIn::Member, [x, list]) => G::Member(*x, *list),
                    (BuiltIn::Length, [list, n]) => G::Length(*list, *n),
                    _ => {
                        self.static_only(built_in.name(), goal.span);
                        G::Fail
                    }
                }
            }
            GoalKind::Aggregate(kind, template, inner, result) => {
                if *kind == Aggregate::Findall {
                    self.static_only("findall", goal.span);
                }
                let mut body = self.goals(scope, inner, vars);
                // a compound or list as template only tells answers apart: its variables serve as well
                let parts = matches!(template, Term::Compound(..) | Term::List(..));
                let apart = *kind == Aggregate::Count && parts;
                let mut named = Vec::new();
                template.each_variable(&mut |v| named.push(v));
                let told = match apart {
                    true => self.distinct(scope, &named, vars),
                    false if *kind == Aggregate::Sum => self.told(scope, inner, vars),
                    false => Vec::new(),
                };
                let template = match apart {
                    true => Arg::Const(0),
                    false => self.arg(scope, template, vars, &mut body),
                };
                let result = self.arg(scope, result, vars, &mut extra);
                G::Aggregate(*kind, template, body, result, goal.span, told)
            }
            GoalKind::Legal(m) => match m {
                Term::Variable(v) => G::LegalMove(self.var(scope, *v, vars)),
                Term::Compound(name, terms) => {
                    let all = args!(terms);
                    G::Legal(Some((name.clone(), all)))
                }
                Term::Constant(value) => match self.program.values.functor(*value) {
                    Some((name, items)) => {
                        let all =
                            items.iter().map(|v| Arg::Const(self.universes.code(*v))).collect();
                        G::Legal(Some((name.to_string(), all)))
                    }
                    None => G::Fail,
                },
                Term::List(..) => G::Fail,
            },
            GoalKind::Stuck => G::Stuck,
            GoalKind::Repeated(n) => {
                G::Repeated(self.arg(scope, n, vars, &mut extra), false, goal.span)
            }
            GoalKind::RepeatedBoard(n) => {
                G::Repeated(self.arg(scope, n, vars, &mut extra), true, goal.span)
            }
            GoalKind::Assign(f, keys, value) => {
                let keys = args!(keys);
                let value = self.arg(scope, value, vars, &mut extra);
                out.append(&mut extra);
                G::Assign(*f, keys, value, goal.span)
            }
            GoalKind::AssignNumber(f, keys, e) => {
                let keys = args!(keys);
                let e = self.expr(scope, e, vars, &mut extra);
                out.append(&mut extra);
                G::AssignNumber(*f, keys, e, goal.span)
            }
            GoalKind::Clear(f, keys) => {
                let keys = args!(keys);
                out.append(&mut extra);
                G::Clear(*f, keys, goal.span)
            }
            GoalKind::Set(f, keys) => {
                let keys = args!(keys);
                out.append(&mut extra);
                G::Set(*f, keys, goal.span)
            }
            GoalKind::Again => G::Again,
            GoalKind::After(..) => {
                self.faults.push(
                    Diagnostic::error("internal", "a hypothesis is no relation of its own")
                        .at(goal.span, "in this goal"),
                );
                G::Fail
            }
        };
        out.push(made);
        out.extend(extra);
    }

    /// Two terms are the same: two compounds where their arguments are.
    fn unified(
        &mut self,
        scope: &mut Scope,
        a: &Term,
        b: &Term,
        vars: &mut Vars,
        out: &mut Vec<G>,
    ) {
        match (a, b) {
            (Term::Compound(name, xs), Term::Compound(other, ys)) => {
                if name != other || xs.len() != ys.len() {
                    // nothing after this is reached, so any value will do
                    for term in [a, b] {
                        term.each_variable(&mut |v| {
                            let arg = self.var(scope, v, vars);
                            out.push(G::Same(arg, Arg::Const(UNBOUND)));
                        });
                    }
                    return out.push(G::Fail);
                }
                xs.iter().zip(ys).for_each(|(x, y)| self.unified(scope, x, y, vars, out));
            }
            (Term::Variable(v), Term::Compound(name, terms))
            | (Term::Compound(name, terms), Term::Variable(v)) => {
                let mut extra = Vec::new();
                let whole = self.var(scope, *v, vars);
                out.push(self.is_compound(scope, whole, (name, terms), vars, &mut extra));
                out.extend(extra);
            }
            _ => {
                let mut extra = Vec::new();
                let (a, b) =
                    (self.arg(scope, a, vars, &mut extra), self.arg(scope, b, vars, &mut extra));
                out.push(G::Same(a, b));
                out.extend(extra);
            }
        }
    }

    /// Whether the clause can hold at all. A goal about options, for example, may be false.
    pub(super) fn is_alive(&self, id: ClauseId) -> bool {
        self.may_hold(&self.program.clause(id).body, MAX_DEAD_DEPTH)
    }

    /// The clauses of a relation whose bodies some position may satisfy.
    pub(super) fn alive_clauses(&self, id: RelationId) -> Vec<ClauseId> {
        let clauses = self.program.relation(id).clauses.iter();
        clauses.copied().filter(|clause| self.is_alive(*clause)).collect()
    }

    /// Whether some position may satisfy a goal, or make it a rule error. Relations are followed to
    /// this depth.
    fn may_hold(&self, goal: &Goal, depth: usize) -> bool {
        let conjuncts = goal.conjuncts();
        let dead = conjuncts.iter().position(|goal| !self.one_may_hold(goal, depth));
        dead.is_none_or(|dead| conjuncts[..dead].iter().any(|goal| self.may_raise(goal)))
    }

    fn one_may_hold(&self, goal: &Goal, depth: usize) -> bool {
        match &goal.kind {
            GoalKind::Fail => false,
            GoalKind::Call(id, terms) => match self.program.relation(*id).kind {
                Kind::Static => {
                    let row: Option<crate::datalog::Row> = terms
                        .iter()
                        .map(|t| if let Term::Constant(value) = t { Some(*value) } else { None })
                        .collect();
                    row.is_none_or(|row| self.tables.get(*id).contains(&row))
                }
                Kind::Derived if depth > 0 => {
                    let mut clauses = self.program.relation(*id).clauses.iter();
                    clauses.any(|id| self.may_hold(&self.program.clause(*id).body, depth - 1))
                }
                _ => true,
            },
            _ => true,
        }
    }

    /// Whether a goal of the program may be a rule error.
    pub(super) fn may_raise(&self, goal: &Goal) -> bool {
        let mut raises = false;
        goal.walk(&mut |goal| {
            raises |= self.types.may_raise.contains(&goal.span)
                || matches!(&goal.kind, GoalKind::Call(id, _) if self.types.raises[id.0 as usize]);
        });
        raises
    }

    pub(super) fn read(&self, fluent: FluentId, mut all: Vec<Arg>) -> G {
        let value = match self.program.fluent(fluent).shape {
            FluentShape::Map { .. } => all.pop(),
            FluentShape::Set => None,
        };
        G::Read(fluent, all, value)
    }

    /// Inlines a relation with a single, simple clause, or with clauses that are one but for what tables say.
    fn inline(
        &mut self,
        scope: &Scope,
        id: RelationId,
        args: &[Arg],
        vars: &mut Vars,
    ) -> Option<Vec<G>> {
        let program = self.program;
        let alive = self.alive_clauses(id);
        let [clause] = *alive.as_slice() else {
            let shallow = scope.depth < MAX_INLINE_DEPTH;
            return shallow.then(|| self.merged(id, args, vars)).flatten();
        };
        // An answer comes once, and no other way to it is tried where a goal behind the call fails. It could be a rule error.
        let written = program.clause(clause);
        let derived = program.relation(id).kind == Kind::Derived;
        if derived && self.types.raises[id.0 as usize] && has_locals(written) {
            return None;
        }
        self.inline_clause((scope.depth, scope.within), clause, args, vars)
    }

    /// The bodies of all clauses of a relation in place of a call, as alternatives.
    pub(super) fn bodies_of(
        &mut self,
        id: RelationId,
        args: &[Arg],
        vars: &mut Vars,
    ) -> Option<Vec<Vec<G>>> {
        let alive = self.alive_clauses(id).into_iter();
        alive.map(|clause| self.inline_clause((0, None), clause, args, vars)).collect()
    }

    pub(super) fn inline_clause(
        &mut self,
        (depth, within): (usize, Option<WrittenId>),
        clause_id: ClauseId,
        args: &[Arg],
        vars: &mut Vars,
    ) -> Option<Vec<G>> {
        let program = self.program;
        let clause: &Clause = program.clause(clause_id);
        let relation = program.relation(clause.relation);
        // a list that an action gives is built behind its updates, of values that they may give
        let gives = relation.kind == Kind::Action
            && clause.head.iter().any(|term| matches!(term, Term::List(..)));
        if gives
            || relation.recursive
            || relation.supposes
            || depth >= MAX_INLINE_DEPTH
            || clause.body.conjuncts().len() > MAX_INLINE_GOALS
        {
            return None;
        }
        Some(self.body_with((depth, within), clause_id, args, vars))
    }

    /// The body of a clause with these arguments.
    pub(super) fn body_with(
        &mut self,
        (depth, within): (usize, Option<WrittenId>),
        clause_id: ClauseId,
        args: &[Arg],
        vars: &mut Vars,
    ) -> Vec<G> {
        let clause: &Clause = self.program.clause(clause_id);
        let mut inner = Scope { depth: depth + 1, within, ..self.scope(clause_id) };
        let mut equal = Vec::new();
        for (term, arg) in clause.head.iter().zip(args) {
            match term {
                Term::Variable(v) => match inner.map.get(v) {
                    Some(first) => equal.push(G::Same(*first, *arg)),
                    None => {
                        inner.map.insert(*v, *arg);
                    }
                },
                Term::Constant(value) => {
                    equal.push(G::Same(*arg, Arg::Const(self.universes.code(*value))));
                }
                Term::Compound(name, terms) => {
                    let mut extra = Vec::new();
                    let compound = (name.as_str(), terms.as_slice());
                    equal.push(self.is_compound(&mut inner, *arg, compound, vars, &mut extra));
                    equal.extend(extra);
                }
                Term::List(items, tail) => {
                    let mut extra = Vec::new();
                    let list = (items.as_slice(), tail.as_deref());
                    equal.push(self.is_list(&mut inner, *arg, list, vars, &mut extra));
                    equal.extend(extra);
                }
            }
        }
        equal.extend(self.goals(&mut inner, &clause.body, vars));
        equal
    }
}

/// Whether a clause has variables that do not occur in its head.
fn has_locals(clause: &Clause) -> bool {
    let mut of_head = FxHashSet::default();
    clause.head.iter().for_each(|term| term.each_variable(&mut |v| _ = of_head.insert(v)));
    of_head.len() < clause.variables.len()
}
