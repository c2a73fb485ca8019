//! Which rows of its relations the goals of a program ask for. Other rows of static relations are
//! not evaluated.
//!
//! The demand on an argument is an interval of integers, or any value. It is passed from callers to
//! what they call (magic sets, Bancilhon et al. 1986, without the joins): constants, options and
//! other facts before a call bound its arguments, and the demand on a head bounds the values from
//! which its clause calculates it. `line(5, L)` asks for rows of five, and so, where a row of N is
//! one of N - 1 and a site, for rows of up to five.
//!
//! Some relations are demanded whole: those that the interpreter itself queries, every written
//! fact, and each relation that nothing calls, other than static ones of included files, which
//! serve other games as well.

use crate::program::{
    Aggregate, ArithmeticOp, Clause, ClauseId, DomainSpec, Expression, Goal, GoalKind, Kind,
    MAX_INTEGER, Program, Relation, RelationId, Term, Value,
};
use crate::source::FileId;

/// How often a bound of an argument may move before it is dropped.
const WIDEN_AFTER: u32 = 32;

/// The integers from the first to the second, or any value.
type Wanted = Option<(i64, i64)>;

/// The demand on each argument of each relation.
#[derive(Debug, Clone, Default)]
pub struct Demand {
    relations: Vec<Option<Vec<Wanted>>>,
}

impl Demand {
    /// The demand for every relation, whole.
    pub fn everything(program: &Program) -> Demand {
        let whole = |arity: usize| Some(vec![None; arity]);
        Demand { relations: program.relations.iter().map(|r| whole(r.arity)).collect() }
    }

    /// The demand of the play, the board and the drawing of a game. For a part of games it is
    /// everything.
    pub fn of(program: &Program) -> Demand {
        if program.part {
            return Demand::everything(program);
        }
        let mut asker = Asker::new(program);
        asker.program_asks();
        asker.unasked();
        asker.demand
    }

    /// The demand of the calls in a goal from outside.
    pub(super) fn of_goal(program: &Program, clause: &Clause) -> Demand {
        let mut asker = Asker::new(program);
        asker.goal(&clause.body, &mut vec![None; clause.variables.len()]);
        asker.spread();
        asker.demand
    }

    /// The demand that follows from a demand on one relation.
    pub(super) fn asking(program: &Program, relation: RelationId, wanted: Vec<Wanted>) -> Demand {
        let mut asker = Asker::new(program);
        asker.ask(relation, wanted);
        asker.spread();
        asker.demand
    }

    /// Adds these relations whole.
    pub(super) fn and_whole(self, program: &Program, relations: &[RelationId]) -> Demand {
        let mut asker = Asker::from(program, self);
        relations.iter().for_each(|id| asker.ask_whole(*id));
        asker.spread();
        asker.demand
    }

    /// Whether any goal asks for the relation.
    pub fn asks(&self, relation: RelationId) -> bool {
        self.get(relation).is_some()
    }

    /// Whether the whole relation is demanded.
    pub(super) fn is_whole(&self, relation: RelationId) -> bool {
        self.get(relation).is_some_and(|wanted| wanted.iter().all(Option::is_none))
    }

    pub(super) fn get(&self, relation: RelationId) -> Option<&Vec<Wanted>> {
        self.relations.get(relation.0 as usize)?.as_ref()
    }

    /// Takes over the demand on a relation from another one.
    pub(super) fn take(&mut self, relation: RelationId, other: &Demand) {
        let at = relation.0 as usize;
        self.relations.resize(self.relations.len().max(at + 1), None);
        self.relations[at] = other.get(relation).cloned();
    }

    /// Whether this row is demanded.
    pub(super) fn holds(&self, relation: RelationId, row: &[Value]) -> bool {
        let within = |(wanted, value): (&Wanted, &Value)| within(*wanted, Some(*value));
        self.get(relation).is_some_and(|wanted| wanted.iter().zip(row).all(within))
    }

    /// Whether every row with these values is demanded.
    pub(super) fn covers(&self, relation: RelationId, given: &[Option<Value>]) -> bool {
        let within = |(wanted, value): (&Wanted, &Option<Value>)| within(*wanted, *value);
        self.get(relation).is_some_and(|wanted| wanted.iter().zip(given).all(within))
    }

    /// Whether everything that another demand asks of a relation is demanded.
    pub(super) fn includes(&self, relation: RelationId, other: &Demand) -> bool {
        let Some(other) = other.get(relation) else { return true };
        let inside = |(a, b): (&Wanted, &Wanted)| hull(*a, *b) == *a;
        self.get(relation).is_some_and(|wanted| wanted.iter().zip(other).all(inside))
    }
}

/// The demand of a call with these values.
pub(super) fn wanted(given: &[Option<Value>]) -> Vec<Wanted> {
    given.iter().map(|v| v.and_then(Value::integer).map(|n| (n, n))).collect()
}

/// The least demand that includes two others.
pub(super) fn hulls(a: &[Wanted], b: &[Wanted]) -> Vec<Wanted> {
    a.iter().zip(b).map(|(a, b)| hull(*a, *b)).collect()
}

fn within(wanted: Wanted, value: Option<Value>) -> bool {
    let Some((lo, hi)) = wanted else { return true };
    value.and_then(Value::integer).is_some_and(|n| lo <= n && n <= hi)
}

fn hull(a: Wanted, b: Wanted) -> Wanted {
    let ((a, b), (c, d)) = (a?, b?);
    Some((a.min(c), b.max(d)))
}

/// The intersection; empty where the first bound is above the second.
fn meet(a: Wanted, b: Wanted) -> Wanted {
    match (a, b) {
        (Some((a, b)), Some((c, d))) => Some((a.max(c), b.min(d))),
        (a, b) => a.or(b),
    }
}

/// Passes demands from callers to what they call.
struct Asker<'p> {
    program: &'p Program,
    demand: Demand,
    /// How often the lower and the upper bound of each argument have moved.
    moved: Vec<Vec<(u32, u32)>>,
    /// The relations whose demand has grown since their clauses were visited.
    pending: Vec<RelationId>,
    /// For each relation, whether it consists of written facts alone.
    facts: Vec<bool>,
}

/// What is known of each variable of a clause.
type Known = Vec<Wanted>;

impl<'p> Asker<'p> {
    fn new(program: &'p Program) -> Asker<'p> {
        Asker::from(program, Demand { relations: vec![None; program.relations.len()] })
    }

    fn from(program: &'p Program, demand: Demand) -> Asker<'p> {
        let fact = |id: &ClauseId| matches!(program.clause(*id).body.kind, GoalKind::True);
        let facts = |r: &Relation| r.kind == Kind::Static && r.clauses.iter().all(fact);
        Asker {
            program,
            demand,
            moved: program.relations.iter().map(|r| vec![(0, 0); r.arity]).collect(),
            pending: Vec::new(),
            facts: program.relations.iter().map(facts).collect(),
        }
    }

    fn ask(&mut self, relation: RelationId, wanted: Vec<Wanted>) {
        let at = relation.0 as usize;
        // an example's goals about the outcome are not relations of the program
        let Some(known) = self.demand.relations.get_mut(at) else { return };
        let before = known.clone();
        let known = known.get_or_insert_with(|| wanted.clone());
        for ((known, more), moved) in known.iter_mut().zip(wanted).zip(&mut self.moved[at]) {
            let Some(((lo, hi), (low, high))) = known.zip(hull(*known, more)) else {
                *known = None;
                continue;
            };
            moved.0 += u32::from(low < lo);
            moved.1 += u32::from(high > hi);
            let low = if moved.0 > WIDEN_AFTER { i64::MIN } else { low };
            let high = if moved.1 > WIDEN_AFTER { i64::MAX } else { high };
            *known = Some((low, high)).filter(|all| *all != (i64::MIN, i64::MAX));
        }
        if before.as_ref() != Some(known) && !self.pending.contains(&relation) {
            self.pending.push(relation);
        }
    }

    fn ask_whole(&mut self, relation: RelationId) {
        if let Some(asked) = self.program.relations.get(relation.0 as usize) {
            self.ask(relation, vec![None; asked.arity]);
        }
    }

    fn spread(&mut self) {
        while let Some(relation) = self.pending.pop() {
            let Some(wanted) = self.demand.get(relation).cloned() else { continue };
            for id in &self.program.relation(relation).clauses {
                self.clause(self.program.clause(*id), &wanted);
            }
        }
    }

    /// Adds the queries of the interpreter itself, and written facts.
    fn program_asks(&mut self) {
        let program = self.program;
        for fluent in &program.fluents {
            self.ask_whole(fluent.init);
            for domain in fluent.domains() {
                if let DomainSpec::Relation(id) = domain {
                    self.ask_whole(*id);
                }
            }
        }
        program.special.all().for_each(|id| self.ask_whole(id));
        program.ends.iter().for_each(|(_, id)| self.ask_whole(program.clause(*id).relation));
        program.sites().for_each(|id| self.ask_whole(id));
        for id in (0..program.relations.len() as u32).map(RelationId) {
            if self.is_facts(id) {
                self.ask_whole(id);
            }
        }
        self.spread();
    }

    /// Demands relations that nothing calls whole, so that they are checked whole.
    fn unasked(&mut self) {
        for (number, relation) in self.program.relations.iter().enumerate() {
            let id = RelationId(number as u32);
            let own = relation.span.file == FileId(0) || relation.kind != Kind::Static;
            if own && !self.demand.asks(id) {
                self.ask_whole(id);
                self.spread();
            }
        }
    }

    fn is_facts(&self, relation: RelationId) -> bool {
        self.facts.get(relation.0 as usize).copied().unwrap_or(false)
    }

    fn clause(&mut self, clause: &Clause, wanted: &[Wanted]) {
        let mut known: Known = vec![None; clause.variables.len()];
        for (term, wanted) in clause.head.iter().zip(wanted) {
            match term {
                _ if wanted.is_none() => {}
                Term::Variable(v) => known[v.0 as usize] = meet(known[v.0 as usize], *wanted),
                Term::Constant(value) if within(*wanted, Some(*value)) => {}
                // it has no row that is demanded
                _ => return,
            }
        }
        // rows of a table that no caller asks for may be left out; other relations are called
        // before their callers know what they need
        if self.program.relation(clause.relation).kind == Kind::Static {
            clause.body.conjuncts().iter().rev().for_each(|goal| back(goal, &mut known));
        }
        self.goal(&clause.body, &mut known);
    }

    /// Adds the demand of a goal, given what is known of the variables before it; false where the
    /// goal cannot hold.
    fn goal(&mut self, goal: &Goal, known: &mut Known) -> bool {
        match &goal.kind {
            GoalKind::Fail => false,
            GoalKind::And(goals) => goals.iter().all(|g| self.goal(g, known)),
            GoalKind::Or(branches) => {
                let holds: Vec<bool> =
                    branches.iter().map(|g| self.goal(g, &mut known.clone())).collect();
                holds.contains(&true)
            }
            GoalKind::If(condition, then, otherwise) => {
                let mut inner = known.clone();
                let first = self.goal(condition, &mut inner) && self.goal(then, &mut inner);
                self.goal(otherwise, &mut known.clone()) || first
            }
            GoalKind::Once(inner) => self.goal(inner, known),
            GoalKind::After(action, then, _) => self.goal(action, known) && self.goal(then, known),
            GoalKind::Not(inner) | GoalKind::Aggregate(_, _, inner, _) => {
                if let GoalKind::Aggregate(Aggregate::Groups(beside), ..) = goal.kind {
                    self.ask_whole(beside);
                }
                self.goal(inner, &mut known.clone());
                true
            }
            GoalKind::Forall(all, then) | GoalKind::Each(all, then) => {
                let mut inner = known.clone();
                if self.goal(all, &mut inner) {
                    self.goal(then, &mut inner);
                }
                true
            }
            GoalKind::Unify(a, b) => {
                narrow(a, of_term(b, known), known);
                narrow(b, of_term(a, known), known);
                true
            }
            GoalKind::Is(x, e) => {
                narrow(x, value(e, known), known);
                true
            }
            GoalKind::In(x, lo, hi) => {
                let bounds = value(lo, known).zip(value(hi, known));
                narrow(x, bounds.map(|(lo, hi)| (lo.0, hi.1)), known);
                true
            }
            GoalKind::Call(relation, args) => {
                let wanted: Vec<Wanted> = args.iter().map(|term| of_term(term, known)).collect();
                if wanted.iter().flatten().any(|(lo, hi)| lo > hi) {
                    return false;
                }
                self.ask(*relation, wanted);
                !self.is_facts(*relation) || self.facts(*relation, args, known)
            }
            _ => true,
        }
    }

    /// Narrows a call's variables by the facts of a relation; false where none fits.
    fn facts(&self, relation: RelationId, args: &[Term], known: &mut Known) -> bool {
        let fits = |head: &[Term]| {
            head.iter().zip(args).all(|(fact, arg)| match (fact, arg) {
                (Term::Constant(fact), Term::Constant(arg)) => fact == arg,
                (Term::Constant(fact), Term::Variable(v)) => {
                    within(known[v.0 as usize], Some(*fact))
                }
                _ => true,
            })
        };
        let clauses = &self.program.relation(relation).clauses;
        let heads = clauses.iter().map(|c| self.program.clause(*c).head.as_slice());
        let heads: Vec<&[Term]> = heads.filter(|head| fits(head)).collect();
        let Some((first, rest)) = heads.split_first() else { return false };
        for (column, arg) in args.iter().enumerate() {
            let of = |head: &[Term]| of_term(&head[column], &[]);
            let all = rest.iter().fold(of(first), |all, head| hull(all, of(head)));
            narrow(arg, all, known);
        }
        true
    }
}

fn of_term(term: &Term, known: &[Wanted]) -> Wanted {
    match term {
        Term::Variable(v) => known.get(v.0 as usize).copied().flatten(),
        Term::Constant(value) => value.integer().map(|n| (n, n)),
        Term::Compound(..) | Term::List(..) => None,
    }
}

fn narrow(term: &Term, wanted: Wanted, known: &mut Known) {
    if let Term::Variable(v) = term {
        let at = v.0 as usize;
        known[at] = meet(known[at], wanted);
    }
}

/// What is known of an expression's value: a constant, a variable, or a sum or difference of these.
fn value(e: &Expression, known: &[Wanted]) -> Wanted {
    match e {
        Expression::Integer(n) => Some((*n, *n)),
        Expression::Variable(v) => known[v.0 as usize],
        Expression::Operation(op, args) => {
            let [a, b] = args.as_slice() else { return None };
            sum(*op, value(a, known)?, value(b, known)?)
        }
        Expression::Fluent(..) => None,
    }
}

/// The sum or difference of two intervals. A bound beyond all numbers is infinite, and stays so.
fn sum(op: ArithmeticOp, a: (i64, i64), b: (i64, i64)) -> Wanted {
    let (lo, hi) = match op {
        ArithmeticOp::Add => (a.0.saturating_add(b.0), a.1.saturating_add(b.1)),
        ArithmeticOp::Subtract => (a.0.saturating_sub(b.1), a.1.saturating_sub(b.0)),
        _ => return None,
    };
    let lo = if lo < -MAX_INTEGER { i64::MIN } else { lo };
    Some((lo, if hi > MAX_INTEGER { i64::MAX } else { hi }))
}

/// Bounds the operands of a calculation by the demand on its result.
fn back(goal: &Goal, known: &mut Known) {
    let (x, e) = match &goal.kind {
        GoalKind::Is(Term::Variable(x), e) => (*x, e),
        GoalKind::Unify(a, b) => {
            for (a, b) in [(a, b), (b, a)] {
                if let Term::Variable(v) = a {
                    narrow(b, known[v.0 as usize], known);
                }
            }
            return;
        }
        _ => return,
    };
    let Some(result) = known[x.0 as usize] else { return };
    let (v, wanted) = match e {
        Expression::Variable(v) => (v, Some(result)),
        Expression::Operation(op, args) => match (op, args.as_slice()) {
            (ArithmeticOp::Add, [Expression::Variable(v), Expression::Integer(n)])
            | (ArithmeticOp::Add, [Expression::Integer(n), Expression::Variable(v)]) => {
                (v, sum(ArithmeticOp::Subtract, result, (*n, *n)))
            }
            (ArithmeticOp::Subtract, [Expression::Variable(v), Expression::Integer(n)]) => {
                (v, sum(ArithmeticOp::Add, result, (*n, *n)))
            }
            (ArithmeticOp::Subtract, [Expression::Integer(n), Expression::Variable(v)]) => {
                (v, sum(ArithmeticOp::Subtract, (*n, *n), result))
            }
            _ => return,
        },
        _ => return,
    };
    narrow(&Term::Variable(*v), wanted, known);
}
