//! How far the goals of a program ask for its relations; of the static ones nothing else is
//! evaluated.
//!
//! What is asked of an argument is an interval of integers, or any value. It goes from the callers
//! to what they call (magic sets, Bancilhon et al. 1986, without the joins): constants, options and
//! other facts that stand before a call bound its arguments, and what is asked of a head bounds what
//! its clause calculates it from. `line(5, L)` asks for rows of five, and so, where a row of N is one
//! of N - 1 and a site, for rows of up to five.
//!
//! Whole are asked for: what the program itself asks, every written fact, and each relation that
//! nothing asks for, other than static ones of included files: these serve other games as well.

use crate::program::{
    ArithmeticOp, Clause, ClauseId, DomainSpec, Expression, Goal, GoalKind, Kind, MAX_INTEGER,
    Program, Relation, RelationId, Term, Value,
};
use crate::source::FileId;

/// A bound of an argument that has moved this often is given up.
const WIDEN_AFTER: u32 = 32;

/// The integers from the first to the second, or any value.
type Wanted = Option<(i64, i64)>;

/// What is asked of each argument of each relation.
#[derive(Debug, Clone, Default)]
pub struct Demand {
    relations: Vec<Option<Vec<Wanted>>>,
}

impl Demand {
    /// Every relation, whole.
    pub fn everything(program: &Program) -> Demand {
        let whole = |arity: usize| Some(vec![None; arity]);
        Demand { relations: program.relations.iter().map(|r| whole(r.arity)).collect() }
    }

    /// What play, the board and the looks of a game ask for. Of a part of games it is everything.
    pub fn of(program: &Program) -> Demand {
        if program.part {
            return Demand::everything(program);
        }
        let mut asker = Asker::new(program);
        asker.program_asks();
        asker.unasked();
        asker.demand
    }

    /// What the calls in a goal from outside ask for.
    pub(super) fn of_goal(program: &Program, clause: &Clause) -> Demand {
        let mut asker = Asker::new(program);
        asker.goal(&clause.body, &mut vec![None; clause.variables.len()]);
        asker.spread();
        asker.demand
    }

    /// What one relation that is asked for this asks for.
    pub(super) fn asking(program: &Program, relation: RelationId, wanted: Vec<Wanted>) -> Demand {
        let mut asker = Asker::new(program);
        asker.ask(relation, wanted);
        asker.spread();
        asker.demand
    }

    /// More: these relations whole.
    pub(super) fn and_whole(self, program: &Program, relations: &[RelationId]) -> Demand {
        let mut asker = Asker::from(program, self);
        relations.iter().for_each(|id| asker.ask_whole(*id));
        asker.spread();
        asker.demand
    }

    /// Does any goal ask for the relation?
    pub fn asks(&self, relation: RelationId) -> bool {
        self.get(relation).is_some()
    }

    /// Does it ask for the whole relation?
    pub(super) fn is_whole(&self, relation: RelationId) -> bool {
        self.get(relation).is_some_and(|wanted| wanted.iter().all(Option::is_none))
    }

    pub(super) fn get(&self, relation: RelationId) -> Option<&Vec<Wanted>> {
        self.relations.get(relation.0 as usize)?.as_ref()
    }

    /// What is asked of a relation is what the other one asks of it.
    pub(super) fn take(&mut self, relation: RelationId, other: &Demand) {
        self.relations[relation.0 as usize] = other.get(relation).cloned();
    }

    /// Does it ask for this row?
    pub(super) fn holds(&self, relation: RelationId, row: &[Value]) -> bool {
        let within = |(wanted, value): (&Wanted, &Value)| within(*wanted, Some(*value));
        self.get(relation).is_some_and(|wanted| wanted.iter().zip(row).all(within))
    }

    /// Does it ask for every row with these values?
    pub(super) fn covers(&self, relation: RelationId, given: &[Option<Value>]) -> bool {
        let within = |(wanted, value): (&Wanted, &Option<Value>)| within(*wanted, *value);
        self.get(relation).is_some_and(|wanted| wanted.iter().zip(given).all(within))
    }

    /// Does it ask for all that the other one asks of a relation?
    pub(super) fn includes(&self, relation: RelationId, other: &Demand) -> bool {
        let Some(other) = other.get(relation) else { return true };
        let inside = |(a, b): (&Wanted, &Wanted)| hull(*a, *b) == *a;
        self.get(relation).is_some_and(|wanted| wanted.iter().zip(other).all(inside))
    }
}

/// What a call with these values asks for.
pub(super) fn wanted(given: &[Option<Value>]) -> Vec<Wanted> {
    given.iter().map(|v| v.and_then(Value::integer).map(|n| (n, n))).collect()
}

/// What either of two asks for, as one.
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

/// What both allow; empty where the first bound is above the second.
fn meet(a: Wanted, b: Wanted) -> Wanted {
    match (a, b) {
        (Some((a, b)), Some((c, d))) => Some((a.max(c), b.min(d))),
        (a, b) => a.or(b),
    }
}

/// Hands what is asked on, from callers to what they call.
struct Asker<'p> {
    program: &'p Program,
    demand: Demand,
    /// How often the lower and the upper bound of each argument have moved.
    moved: Vec<Vec<(u32, u32)>>,
    /// The relations that more is asked of since their clauses were looked at.
    pending: Vec<RelationId>,
    /// Which relations are made of written facts alone?
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
        // what an example says of the outcome is no relation of the program
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

    /// What the program itself asks for, and what is written as facts.
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

    /// What nothing asks for is whole, so that it is checked whole.
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
                // it gives nothing that is asked for
                _ => return,
            }
        }
        // rows of a table may be left out for what is asked of the clause; other relations are
        // called before their callers know what they need
        if self.program.relation(clause.relation).kind == Kind::Static {
            clause.body.conjuncts().iter().rev().for_each(|goal| back(goal, &mut known));
        }
        self.goal(&clause.body, &mut known);
    }

    /// Asks for what a goal calls, with what is known of the variables before it; false where the
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
            GoalKind::Not(inner) | GoalKind::Aggregate(_, _, inner, _) => {
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

    /// What the facts of a relation say of a call's variables; false where none fits.
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

/// A bound that no number reaches is endless, and stays so.
fn sum(op: ArithmeticOp, a: (i64, i64), b: (i64, i64)) -> Wanted {
    let (lo, hi) = match op {
        ArithmeticOp::Add => (a.0.saturating_add(b.0), a.1.saturating_add(b.1)),
        ArithmeticOp::Subtract => (a.0.saturating_sub(b.1), a.1.saturating_sub(b.0)),
        _ => return None,
    };
    let lo = if lo < -MAX_INTEGER { i64::MIN } else { lo };
    Some((lo, if hi > MAX_INTEGER { i64::MAX } else { hi }))
}

/// What is asked of a result bounds what it is calculated from.
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
