//! Whether it matters in which order the answers of a clause's goals come: where `once` or a condition keeps a first answer
//! out of several, or an `each` makes updates that do not commute. A renaming of the constants does not keep that order.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::datalog::Tables;
use crate::program::{
    BuiltIn, Clause, Expression, FluentId, Goal, GoalKind, Kind, Program, RelationId, Term, Value,
    VariableId,
};

/// The deepest chain of relations that is looked through for whether there is one answer.
const DEEPEST: usize = 6;

/// The names of variables of called clauses begin here, above those of any clause.
const FIRST_LOCAL: u32 = 1 << 24;

/// Variables that have values.
type Bound = FxHashSet<VariableId>;

/// Whether the order of answers may decide what a clause says or does.
pub(super) fn order_matters(program: &Program, tables: &Tables, clause: &Clause) -> bool {
    let order = Order { program, tables };
    let mut bound = Bound::default();
    let needs = &program.relation(clause.relation).needs_bound;
    let mut outside = Vec::new();
    for (i, term) in clause.head.iter().enumerate() {
        term.each_variable(&mut |v| {
            outside.push(v);
            if needs.get(i).copied().unwrap_or(false) {
                bound.insert(v);
            }
        });
    }
    order.in_goals(clause.body.conjuncts(), &mut bound, &outside)
}

struct Order<'p> {
    program: &'p Program,
    tables: &'p Tables,
}

/// The variables of a goal.
fn variables(goal: &Goal) -> Vec<VariableId> {
    let mut all = Vec::new();
    goal.each_variable(&mut |v| all.push(v));
    all
}

fn of_term(term: &Term) -> Vec<VariableId> {
    let mut all = Vec::new();
    term.each_variable(&mut |v| all.push(v));
    all
}

/// Whether a goal gives no variable a value.
fn is_test(goal: &Goal) -> bool {
    use GoalKind::{Compare, Differ, Forall, Not};
    matches!(goal.kind, Not(_) | Forall(..) | Compare(..) | Differ(..))
}

impl Order<'_> {
    /// Whether the order of answers matters within these goals; `outside` has the variables that occur elsewhere. Binds what
    /// they bind.
    fn in_goals(&self, goals: &[Goal], bound: &mut Bound, outside: &[VariableId]) -> bool {
        for (i, goal) in goals.iter().enumerate() {
            let mut used = outside.to_vec();
            goals[i + 1..].iter().for_each(|later| used.extend(variables(later)));
            if self.in_goal(goal, bound, &used) {
                return true;
            }
            if !is_test(goal) {
                bound.extend(variables(goal));
            }
        }
        false
    }

    /// The same for one goal, of whose variables `used` has those that occur elsewhere.
    fn in_goal(&self, goal: &Goal, bound: &Bound, used: &[VariableId]) -> bool {
        let mut within = bound.clone();
        match &goal.kind {
            GoalKind::Once(inner) => {
                self.chooses(inner, bound, used)
                    || self.in_goals(inner.conjuncts(), &mut within, used)
            }
            GoalKind::If(condition, then, otherwise) => {
                let mut of_condition = used.to_vec();
                of_condition.extend(variables(then));
                self.chooses(condition, bound, &of_condition)
                    || self.in_goals(condition.conjuncts(), &mut within, &of_condition)
                    || self.in_goals(then.conjuncts(), &mut within, used)
                    || self.in_goals(otherwise.conjuncts(), &mut bound.clone(), used)
            }
            GoalKind::Each(answers, action) => {
                let mut inside = used.to_vec();
                inside.extend(variables(action));
                self.in_goals(answers.conjuncts(), &mut within, &inside)
                    || self.in_goals(action.conjuncts(), &mut within, used)
                    || !self.commutes(answers, action, bound)
            }
            GoalKind::And(goals) => self.in_goals(goals, &mut within, used),
            GoalKind::Or(branches) => branches
                .iter()
                .any(|branch| self.in_goals(branch.conjuncts(), &mut bound.clone(), used)),
            GoalKind::Not(inner) => self.in_goals(inner.conjuncts(), &mut within, &[]),
            GoalKind::Forall(first, second) | GoalKind::After(first, second, _) => {
                let mut inside = used.to_vec();
                inside.extend(variables(second));
                self.in_goals(first.conjuncts(), &mut within, &inside)
                    || self.in_goals(second.conjuncts(), &mut within, used)
            }
            GoalKind::Aggregate(_, template, inner, _) => {
                let mut inside = used.to_vec();
                inside.extend(of_term(template));
                self.in_goals(inner.conjuncts(), &mut within, &inside)
            }
            _ => false,
        }
    }

    /// Whether a goal may have several answers that differ in a variable which is used elsewhere.
    fn chooses(&self, goal: &Goal, bound: &Bound, used: &[VariableId]) -> bool {
        let open = |v: &VariableId| !bound.contains(v) && used.contains(v);
        variables(goal).iter().any(open)
            && !self.is_one(goal.conjuncts(), &mut bound.clone(), DEEPEST)
    }

    /// Whether goals have one answer at most where these variables have values. Binds what they bind.
    fn is_one(&self, goals: &[Goal], bound: &mut Bound, depth: usize) -> bool {
        for goal in goals {
            if is_test(goal) {
                continue;
            }
            if !self.has_one(goal, bound, depth) {
                return false;
            }
            bound.extend(variables(goal));
        }
        true
    }

    fn has_one(&self, goal: &Goal, bound: &Bound, depth: usize) -> bool {
        let known = |term: &Term| of_term(term).iter().all(|v| bound.contains(v));
        match &goal.kind {
            GoalKind::In(term, ..) | GoalKind::Legal(term) => known(term),
            GoalKind::BuiltIn(BuiltIn::Member, args) => known(&args[0]),
            GoalKind::BuiltIn(BuiltIn::Length | BuiltIn::Coordinate, _) => true,
            GoalKind::BuiltIn(_, args) => args.iter().filter(|arg| !known(arg)).count() <= 1,
            GoalKind::Or(_) => variables(goal).iter().all(|v| bound.contains(v)),
            GoalKind::If(condition, then, otherwise) => {
                // a choice of its condition is found where it stands
                let mut with = bound.clone();
                with.extend(variables(condition));
                self.is_one(then.conjuncts(), &mut with, depth)
                    && self.is_one(otherwise.conjuncts(), &mut bound.clone(), depth)
            }
            GoalKind::And(goals) => self.is_one(goals, &mut bound.clone(), depth),
            GoalKind::After(..) => false,
            GoalKind::Call(id, args) => {
                let given: Vec<bool> = args.iter().map(known).collect();
                given.iter().all(|given| *given) || self.call_is_one(*id, args, &given, depth)
            }
            _ => true,
        }
    }

    /// Whether a relation has one answer at most where these arguments are given.
    fn call_is_one(&self, id: RelationId, args: &[Term], given: &[bool], depth: usize) -> bool {
        let relation = self.program.relation(id);
        match relation.kind {
            Kind::Fluent(fluent) => {
                let keys = self.program.fluent(fluent).keys.len();
                given[..keys].iter().all(|given| *given)
            }
            Kind::Static => {
                let constant = |arg: &Term, value: &Value| !matches!(arg, Term::Constant(constant) if constant != value);
                let mut seen = FxHashSet::default();
                let rows = self.tables.get(id).rows();
                let fitting =
                    rows.filter(|row| args.iter().zip(row.iter()).all(|(arg, v)| constant(arg, v)));
                let mut keys = fitting.map(|row| -> Vec<Value> {
                    let columns = row.iter().zip(given).filter(|(_, given)| **given);
                    columns.map(|(value, _)| *value).collect()
                });
                keys.all(|key| seen.insert(key))
            }
            Kind::Derived => match relation.clauses.as_slice() {
                [only] if depth > 0 => {
                    let clause = self.program.clause(*only);
                    let mut bound = Bound::default();
                    for (term, _) in clause.head.iter().zip(given).filter(|(_, given)| **given) {
                        bound.extend(of_term(term));
                    }
                    self.is_one(clause.body.conjuncts(), &mut bound, depth - 1)
                }
                _ => false,
            },
            Kind::Action => false,
        }
    }

    /// Whether the action for each of some answers makes the same of the state in whichever order they come. Answers that
    /// give the action the same are alike; those that do not must write other cells, or add to the same.
    fn commutes(&self, answers: &Goal, action: &Goal, bound: &Bound) -> bool {
        let mut effects = Effects { locals: FIRST_LOCAL, ..Effects::default() };
        if !self.collect(action, &Renaming::default(), &mut effects, DEEPEST) {
            return false;
        }
        let given = variables(answers);
        let told: Vec<VariableId> = variables(action)
            .into_iter()
            .filter(|v| given.contains(v) && !bound.contains(v))
            .collect();
        effects.writes.iter().enumerate().all(|(i, write)| {
            let of_same = |w: &&Write| w.fluent == write.fluent;
            let reads: Vec<&Vec<Term>> = (effects.reads.iter())
                .filter(|(fluent, _)| *fluent == write.fluent)
                .map(|(_, keys)| keys)
                .collect();
            if effects.writes[i + 1..].iter().filter(of_same).any(|w| w.keys != write.keys) {
                return false;
            }
            if effects.writes.iter().filter(of_same).all(|w| w.sums) && reads.is_empty() {
                return true;
            }
            let keys: Bound =
                write.keys.iter().flat_map(of_term).chain(bound.iter().copied()).collect();
            let apart = told.iter().all(|v| keys.contains(v))
                || self.is_one(answers.conjuncts(), &mut keys.clone(), DEEPEST);
            match apart {
                true => reads.iter().all(|own| **own == write.keys),
                false => reads.is_empty() && write.value.iter().all(|v| keys.contains(v)),
            }
        })
    }

    /// Collects what an action writes and reads, with the names that its variables have where it is called; false where
    /// that is not known.
    fn collect(&self, goal: &Goal, names: &Renaming, effects: &mut Effects, depth: usize) -> bool {
        let named =
            |keys: &[Term]| -> Vec<Term> { keys.iter().map(|key| renamed(key, names)).collect() };
        let read = |effects: &mut Effects, expression: &Expression| {
            let mut reads = Vec::new();
            reads_of(expression, &mut reads);
            effects.reads.extend(reads.into_iter().map(|(fluent, keys)| (fluent, named(&keys))));
        };
        if let Some((fluent, keys)) = goal.updated() {
            let mut value = Vec::new();
            let mut sums = false;
            match &goal.kind {
                GoalKind::Assign(_, _, term) => value = of_term(term),
                GoalKind::AssignNumber(_, _, expression) => {
                    expression.each_variable(&mut |v| value.push(v));
                    sums = is_sum(expression, fluent, keys);
                    match expression {
                        // what it adds to is no read of its own
                        Expression::Operation(_, parts) if sums => {
                            parts[1..].iter().for_each(|part| read(effects, part));
                        }
                        expression => read(effects, expression),
                    }
                }
                _ => {}
            }
            let value = value.iter().flat_map(|v| of_term(&renamed(&Term::Variable(*v), names)));
            effects.writes.push(Write { fluent, keys: named(keys), value: value.collect(), sums });
            return true;
        }
        for expression in goal.expressions() {
            read(effects, expression);
        }
        match &goal.kind {
            GoalKind::Call(id, args) => {
                let relation = self.program.relation(*id);
                match relation.kind {
                    Kind::Static => true,
                    Kind::Fluent(fluent) => {
                        let keys = self.program.fluent(fluent).keys.len();
                        effects.reads.push((fluent, named(&args[..keys])));
                        true
                    }
                    Kind::Derived | Kind::Action => {
                        let args = named(args);
                        depth > 0
                            && relation.clauses.iter().all(|id| {
                                self.collect_clause(self.program.clause(*id), &args, effects, depth)
                            })
                    }
                }
            }
            GoalKind::Again | GoalKind::Each(..) => false,
            _ if goal.looks_around() => false,
            _ => {
                goal.children().into_iter().all(|child| self.collect(child, names, effects, depth))
            }
        }
    }

    /// The same for a clause that is called with these arguments.
    fn collect_clause(
        &self,
        clause: &Clause,
        args: &[Term],
        effects: &mut Effects,
        depth: usize,
    ) -> bool {
        let mut names = Renaming::default();
        for (term, arg) in clause.head.iter().zip(args) {
            if let Term::Variable(v) = term {
                names.entry(*v).or_insert_with(|| arg.clone());
            }
        }
        for v in (0..clause.variables.len() as u32).map(VariableId) {
            names.entry(v).or_insert_with(|| {
                effects.locals += 1;
                Term::Variable(VariableId(effects.locals))
            });
        }
        self.collect(&clause.body, &names, effects, depth - 1)
    }
}

/// What the variables of a clause are called where it is called.
type Renaming = FxHashMap<VariableId, Term>;

/// A term with these names.
fn renamed(term: &Term, names: &Renaming) -> Term {
    match term {
        Term::Variable(v) => names.get(v).cloned().unwrap_or_else(|| term.clone()),
        Term::Constant(_) => term.clone(),
        Term::Compound(name, args) => {
            Term::Compound(name.clone(), args.iter().map(|arg| renamed(arg, names)).collect())
        }
        Term::List(items, tail) => Term::List(
            items.iter().map(|item| renamed(item, names)).collect(),
            tail.as_ref().map(|tail| Box::new(renamed(tail, names))),
        ),
    }
}

/// What an action does.
#[derive(Default)]
struct Effects {
    writes: Vec<Write>,
    reads: Vec<(FluentId, Vec<Term>)>,
    /// The last name that was given to a variable of a called clause.
    locals: u32,
}

struct Write {
    fluent: FluentId,
    keys: Vec<Term>,
    /// The variables of what is written.
    value: Vec<VariableId>,
    /// It adds a number to what is there.
    sums: bool,
}

/// Whether an expression is a sum or difference of what the map has for these keys and something that does not read it.
fn is_sum(expression: &Expression, fluent: FluentId, keys: &[Term]) -> bool {
    use crate::program::ArithmeticOp::{Add, Subtract};
    let Expression::Operation(Add | Subtract, parts) = expression else { return false };
    let own = |e: &Expression| matches!(e, Expression::Fluent(f, k) if *f == fluent && k == keys);
    let mut others = Vec::new();
    parts[1..].iter().for_each(|part| reads_of(part, &mut others));
    own(&parts[0]) && others.iter().all(|(other, _)| *other != fluent)
}

/// Adds the maps that an expression reads, with their keys.
fn reads_of(expression: &Expression, reads: &mut Vec<(FluentId, Vec<Term>)>) {
    match expression {
        Expression::Integer(_) | Expression::Variable(_) => {}
        Expression::Fluent(fluent, keys) => reads.push((*fluent, keys.clone())),
        Expression::Operation(_, parts) => parts.iter().for_each(|part| reads_of(part, reads)),
    }
}
