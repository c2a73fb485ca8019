//! The effect of each goal on the domains of the variables of its clause.

use crate::program::{
    Aggregate, BuiltIn, Constant, Expression, FluentId, FluentShape, Goal, GoalKind, Kind,
    RelationId, Term, Value, VariableId,
};

use super::domain::{ALL, Domain};
use super::infer::{Held, Inference, Walk};
use super::numbers::bounds;

/// The greatest length of a list in play.
const MAX_LENGTH: i64 = 1 << 24;
/// The depth of nested relations of which is known what they say of maps.
const MAX_DEPTH: usize = 3;

impl Inference<'_> {
    pub(super) fn goal(&mut self, goal: &Goal, walk: &mut Walk<'_, '_>) {
        for e in goal.expressions() {
            self.expression(e, goal, walk);
        }
        match &goal.kind {
            GoalKind::Call(id, args) => {
                let relation = self.program.relation(*id);
                let play = matches!(relation.kind, Kind::Derived | Kind::Action);
                for (i, term) in args.iter().enumerate() {
                    if play && relation.needs_bound[i] {
                        let given = self.build(term, walk);
                        self.grow(*id, i, &given, false);
                    }
                }
                // the outcome of the game has a name of its own
                let name = relation.name.strip_prefix("outcome ").unwrap_or(&relation.name);
                let user = format!("`{name}`");
                for (i, term) in args.iter().enumerate() {
                    self.argument_of(term, (*id, i), goal, &user, walk);
                }
                self.found(relation.kind, args, walk);
                self.said(*id, args, MAX_DEPTH, walk);
            }
            GoalKind::Or(branches) => {
                let branches: Vec<&[Goal]> = branches.iter().map(std::slice::from_ref).collect();
                self.branches(&branches, walk);
            }
            GoalKind::If(c, t, e) => {
                let first = [Goal { kind: GoalKind::Once(c.clone()), ..**c }, (**t).clone()];
                match e.kind {
                    GoalKind::Fail => first.iter().for_each(|g| self.goal(g, walk)),
                    _ => self.branches(&[&first, std::slice::from_ref(&**e)], walk),
                }
            }
            GoalKind::Not(inner) => {
                self.local(inner, None, walk);
                self.denied(inner, &|term| Some(term.clone()), walk);
            }
            GoalKind::Forall(a, b) => self.local(a, Some(b), walk),
            GoalKind::Each(a, b) => {
                // each answer sees the writes of those before it
                walk.held.clear();
                self.local(a, Some(b), walk);
            }
            GoalKind::Once(inner) => self.chosen(inner, walk),
            GoalKind::After(action, then, _) => {
                let held = walk.held.clone();
                self.goal(action, walk);
                self.goal(then, walk);
                walk.held = held;
            }
            GoalKind::Aggregate(kind, template, inner, result) => {
                self.aggregate(*kind, template, inner, result, goal, walk);
            }
            GoalKind::Unify(a, b) => self.unify(a, b, goal, walk),
            GoalKind::Differ(a, b) => {
                self.parts_against(a, b, walk);
                let (x, y) = (self.side(a, b, walk), self.side(b, a, walk));
                let forms = &self.types.forms;
                if !x.is_empty() && !y.is_empty() && x.meet(&y, forms).is_empty() {
                    // the constant is the one that is mistaken
                    let (given, other) = match b {
                        Term::Constant(_) => (b, &x),
                        _ => (a, &y),
                    };
                    self.same_kind(given, other, goal, "`\\=`", walk);
                }
            }
            GoalKind::Compare(op, a, b) => {
                self.raise_if_unsure(&[a, b], goal, walk);
                self.compared(*op, (a, b), walk);
            }
            GoalKind::Is(x, e) => {
                self.raise_if_unsure(&[e], goal, walk);
                let wide = self.range(e, &walk.wide, &[]);
                if let Term::Variable(v) = x {
                    walk.wide[v.0 as usize].join(&Domain::range(wide.lo, wide.hi));
                }
                let result = self.calculated(e, e, walk);
                self.matches(x, &result, walk);
            }
            GoalKind::In(x, lo, hi) => {
                self.raise_if_unsure(&[lo, hi], goal, walk);
                let wide = (self.range(lo, &walk.wide, &[]), self.range(hi, &walk.wide, &[]));
                if let Term::Variable(v) = x {
                    walk.wide[v.0 as usize].join(&Domain::range(wide.0.lo, wide.1.hi));
                }
                let result = self.calculated(lo, hi, walk);
                self.matches(x, &result, walk);
            }
            GoalKind::BuiltIn(built_in, args) => self.built_in(*built_in, args, walk),
            GoalKind::Legal(term) => {
                self.legal_form(term, goal, walk);
                self.form_matches(term, &Domain::opaque(), walk);
            }
            GoalKind::Repeated(n) | GoalKind::RepeatedBoard(n) => {
                if !self.shape(n, &walk.wide).is_number() {
                    self.raise(goal, walk);
                }
            }
            GoalKind::Assign(fluent, keys, value) => {
                self.keys(*fluent, keys, goal, walk);
                let column = self.types.fluent(*fluent).last().cloned().unwrap_or_default();
                let user = format!("`{}`", self.program.fluent(*fluent).name);
                self.updated(value, &column, goal, &user, walk);
            }
            GoalKind::AssignNumber(fluent, keys, e) => {
                self.keys(*fluent, keys, goal, walk);
                self.assigned(*fluent, e, goal, walk);
            }
            GoalKind::Clear(fluent, keys) | GoalKind::Set(fluent, keys) => {
                self.keys(*fluent, keys, goal, walk);
            }
            GoalKind::True
            | GoalKind::Fail
            | GoalKind::And(_)
            | GoalKind::Stuck
            | GoalKind::Again => {
                goal.children().into_iter().for_each(|g| self.goal(g, walk));
            }
        }
        if gives(goal) {
            goal.each_variable(&mut |v| walk.met[v.0 as usize] = true);
        }
        // an update may be a rule error for values that later goals reject
        if self.updates(goal) {
            walk.chosen.iter_mut().zip(&walk.met).for_each(|(chosen, met)| *chosen |= met);
            match goal.kind {
                GoalKind::Assign(written, ..)
                | GoalKind::AssignNumber(written, ..)
                | GoalKind::Clear(written, _)
                | GoalKind::Set(written, _) => walk.held.retain(|held| held.fluent != written),
                _ => walk.held.clear(),
            }
        }
    }

    /// What is said of the value that a goal finds in a map is said of the map: `hand(P, N), N > 0`.
    fn found(&self, kind: Kind, args: &[Term], walk: &mut Walk<'_, '_>) {
        if let Kind::Fluent(fluent) = kind
            && let FluentShape::Map { .. } = self.program.fluent(fluent).shape
            && let [keys @ .., value] = args
        {
            let ((lo, hi), same) = match value {
                Term::Variable(v) => (ALL, Some(*v)),
                Term::Constant(Value::Integer(n)) => ((*n, *n), None),
                _ => return,
            };
            walk.held.push(Held { fluent, keys: keys.to_vec(), lo, hi, same });
        }
    }

    /// What a relation of one clause says of maps for its arguments: `free(C), height(C) += 1` where `free(C) :- height(C) < 4.`
    fn said(&self, id: RelationId, args: &[Term], depth: usize, walk: &mut Walk<'_, '_>) {
        let relation = self.program.relation(id);
        let [clause] = *relation.clauses.as_slice() else { return };
        if depth == 0 || relation.kind != Kind::Derived || relation.recursive {
            return;
        }
        let clause = self.program.clause(clause);
        let given = |term: &Term| match term {
            Term::Constant(_) => Some(term.clone()),
            Term::Variable(_) => {
                clause.head.iter().position(|head| head == term).map(|at| args[at].clone())
            }
            _ => None,
        };
        for goal in clause.body.conjuncts() {
            match &goal.kind {
                GoalKind::Compare(op, a, b) => {
                    for (side, op, other) in [(a, *op, b), (b, op.mirrored(), a)] {
                        let mut open = false;
                        other.each_variable(&mut |_| open = true);
                        if let Expression::Fluent(fluent, keys) = side
                            && !open
                            && let Some(keys) = keys.iter().map(given).collect()
                        {
                            let (lo, hi) = bounds(op, &self.range(other, &[], &[]));
                            walk.held.push(Held { fluent: *fluent, keys, lo, hi, same: None });
                        }
                    }
                }
                GoalKind::Not(inner) => self.denied(inner, &given, walk),
                GoalKind::Call(called, args) => {
                    let Some(args) = args.iter().map(given).collect::<Option<Vec<Term>>>() else {
                        continue;
                    };
                    self.found(self.program.relation(*called).kind, &args, walk);
                    self.said(*called, &args, depth - 1, walk);
                }
                _ => {}
            }
        }
    }

    /// What is said of a map by a goal that denies its least or greatest value: `\+ height(C, 4)`.
    fn denied(&self, inner: &Goal, given: &dyn Fn(&Term) -> Option<Term>, walk: &mut Walk<'_, '_>) {
        if let GoalKind::Call(id, args) = &inner.kind
            && let Kind::Fluent(fluent) = self.program.relation(*id).kind
            && let [keys @ .., Term::Constant(Value::Integer(n))] = args.as_slice()
            && let FluentShape::Map { .. } = self.program.fluent(fluent).shape
            && let Some((lo, hi)) =
                self.types.fluent(fluent).last().and_then(|column| column.integers)
            && let Some(keys) = keys.iter().map(given).collect()
        {
            let (lo, hi) = (lo + i64::from(*n == lo), hi - i64::from(*n == hi));
            walk.held.push(Held { fluent, keys, lo, hi, same: None });
        }
    }

    fn updates(&self, goal: &Goal) -> bool {
        match &goal.kind {
            GoalKind::Call(id, _) => self.program.relation(*id).kind == Kind::Action,
            GoalKind::Assign(..)
            | GoalKind::AssignNumber(..)
            | GoalKind::Clear(..)
            | GoalKind::Set(..)
            | GoalKind::Each(..) => true,
            _ => false,
        }
    }

    /// A goal whose first answer is kept.
    fn chosen(&mut self, inner: &Goal, walk: &mut Walk<'_, '_>) {
        let mut first = Vec::new();
        inner.each_variable(&mut |v| {
            if !walk.met[v.0 as usize] {
                first.push(v.0 as usize);
            }
        });
        self.goal(inner, walk);
        first.into_iter().for_each(|v| walk.chosen[v] = true);
    }

    /// An argument of a call: it has the domain of the relation's answers.
    fn argument_of(
        &mut self,
        term: &Term,
        (relation, column): (crate::program::RelationId, usize),
        goal: &Goal,
        user: &str,
        walk: &mut Walk<'_, '_>,
    ) {
        let domain = self.types.column(relation, column).clone();
        self.same_kind(term, &domain, goal, user, walk);
        self.matches(term, &domain, walk);
    }

    /// The branches of a disjunction or a conditional. A variable that occurs in only one of them
    /// keeps its domain from there.
    fn branches(&mut self, branches: &[&[Goal]], walk: &mut Walk<'_, '_>) {
        let before = walk.seen.clone();
        let held = walk.held.clone();
        let mut kept = held.clone();
        let mut joined: Option<Vec<Domain>> = None;
        for goals in branches {
            walk.seen.clone_from(&before);
            walk.held.clone_from(&held);
            goals.iter().for_each(|g| self.goal(g, walk));
            kept.retain(|held| walk.held.contains(held));
            let after = std::mem::take(&mut walk.seen);
            joined = Some(match joined {
                None => after,
                Some(mut all) => {
                    for (v, (a, b)) in all.iter_mut().zip(&after).enumerate() {
                        let alone = a.top != b.top
                            && branches.iter().any(|goals| {
                                occurrences(goals, VariableId(v as u32)) == walk.totals[v]
                            });
                        match (alone, a.top) {
                            (true, true) => *a = b.clone(),
                            (true, false) => {}
                            (false, _) if a.top || b.top => *a = Domain::top(),
                            (false, _) => drop(a.join(b)),
                        }
                    }
                    all
                }
            });
        }
        walk.seen = joined.unwrap_or(before);
        walk.held = kept;
    }

    /// A goal whose bindings are local; the domains of variables that occur only inside it are
    /// kept. `then` is a goal or action for each answer, which does not narrow the answers.
    fn local(&mut self, all: &Goal, then: Option<&Goal>, walk: &mut Walk<'_, '_>) {
        let (before, held) = (walk.seen.clone(), walk.held.clone());
        self.goal(all, walk);
        if let Some(then) = then {
            self.local(then, None, walk);
        }
        walk.held = held;
        let mut inside = vec![0; before.len()];
        for goal in [Some(all), then].into_iter().flatten() {
            goal.each_variable(&mut |v| inside[v.0 as usize] += 1);
        }
        for (v, outer) in before.into_iter().enumerate() {
            if inside[v] < walk.totals[v] || inside[v] == 0 {
                walk.seen[v] = outer;
            }
        }
    }

    fn aggregate(
        &mut self,
        kind: Aggregate,
        template: &Term,
        inner: &Goal,
        result: &Term,
        goal: &Goal,
        walk: &mut Walk<'_, '_>,
    ) {
        let (before, held) = (walk.seen.clone(), walk.held.clone());
        self.goal(inner, walk);
        walk.held = held;
        let inside = walk.seen.clone();
        let value = match kind {
            // a compound or list only tells answers apart
            Aggregate::Count => Domain::default(),
            _ => self.build(template, walk),
        };
        if let (Aggregate::Count, Term::Compound(_, args)) = (kind, template) {
            args.iter().for_each(|a| drop(self.build(a, walk)));
        }
        // variables that occur elsewhere in the clause keep their domains
        let mut counts = vec![0; before.len()];
        template.each_variable(&mut |v| counts[v.0 as usize] += 1);
        inner.each_variable(&mut |v| counts[v.0 as usize] += 1);
        for (v, outer) in before.into_iter().enumerate() {
            let local = counts[v] > 0 && counts[v] == walk.totals[v];
            walk.seen[v] = if local { inside[v].clone() } else { outer };
        }
        let number = value.integers.filter(|_| !value.top);
        let answers = self.answers(inner, &inside);
        let domain = match (kind, number) {
            (Aggregate::Count | Aggregate::Groups(_), _) => Domain::range(0, answers),
            (Aggregate::Max | Aggregate::Min, Some((lo, hi))) => Domain::range(lo, hi),
            (Aggregate::Sum, Some((lo, hi))) => {
                let total = |n: i64| i128::from(n) * i128::from(answers);
                let (lo, hi) = (total(lo.min(0)), total(hi.max(0)));
                if lo < i128::from(ALL.0) || hi > i128::from(ALL.1) {
                    self.raise(goal, walk);
                    Domain::numbers()
                } else {
                    Domain::range(lo as i64, hi as i64)
                }
            }
            (Aggregate::Findall, _) => Domain::lists(Some(value.clone())),
            (Aggregate::Sum, None) => Domain::numbers(),
            (_, None) => Domain::default(),
        };
        let of_numbers = matches!(kind, Aggregate::Sum | Aggregate::Max | Aggregate::Min);
        if of_numbers && !value.is_number() {
            self.raise(goal, walk);
        }
        self.matches(result, &domain, walk);
    }

    /// The greatest number of answers of a goal.
    fn answers(&self, goal: &Goal, seen: &[Domain]) -> i64 {
        let mut variables: Vec<VariableId> = Vec::new();
        goal.each_variable(&mut |v| {
            if !variables.contains(&v) && occurrences(std::slice::from_ref(goal), v) > 0 {
                variables.push(v);
            }
        });
        let mut all: i64 = 1;
        for v in variables {
            let domain = &seen[v.0 as usize];
            if domain.top || domain.lists || domain.moves {
                return ALL.1;
            }
            let integers = domain.integers.map_or(0, |(lo, hi)| hi.saturating_sub(lo) + 1);
            all = all.saturating_mul(integers.saturating_add(domain.constants.len() as i64).max(1));
        }
        all.min(ALL.1)
    }

    fn unify(&mut self, a: &Term, b: &Term, goal: &Goal, walk: &mut Walk<'_, '_>) {
        if let (Term::Compound(name, xs), Term::Compound(other, ys)) = (a, b) {
            if name == other && xs.len() == ys.len() {
                xs.iter().zip(ys).for_each(|(x, y)| self.unify(x, y, goal, walk));
            }
            return;
        }
        let (x, y) = (self.side(a, b, walk), self.side(b, a, walk));
        if !x.top && !y.top && !x.is_empty() && !y.is_empty() {
            self.same_kind(a, &y, goal, "`=`", walk);
        }
        let both = x.meet(&y, &self.types.forms);
        for (term, other) in [(a, b), (b, a)] {
            // the value of either variable may be found first
            if let (Term::Variable(v), Term::Variable(w)) = (term, other) {
                let wide = walk.wide[w.0 as usize].clone();
                walk.wide[v.0 as usize].join(&wide);
            }
            self.matches(term, &both, walk);
        }
    }

    /// Builds the parts of one compound where the other one has a variable.
    fn parts_against(&mut self, a: &Term, b: &Term, walk: &mut Walk<'_, '_>) {
        if let (Term::Compound(name, xs), Term::Compound(other, ys)) = (a, b)
            && name == other
            && xs.len() == ys.len()
        {
            for (x, y) in xs.iter().zip(ys) {
                self.side(x, y, walk);
                self.side(y, x, walk);
                self.parts_against(x, y, walk);
            }
        }
    }

    /// The domain of one side of `=`; its terms are built where the other side is an unbound
    /// variable.
    fn side(&mut self, term: &Term, other: &Term, walk: &mut Walk<'_, '_>) -> Domain {
        let open = matches!(other, Term::Variable(v) if walk.seen[v.0 as usize].top);
        match (term, open) {
            (Term::Compound(..) | Term::List(..), true) => self.build(term, walk),
            _ => self.shape(term, &walk.seen),
        }
    }

    fn built_in(&mut self, built_in: BuiltIn, args: &[Term], walk: &mut Walk<'_, '_>) {
        match (built_in, args) {
            (BuiltIn::Member, [x, list]) => {
                let items = match list {
                    Term::List(items, tail) => {
                        self.build(list, walk);
                        self.shape_of_items(items, tail.as_deref(), &walk.seen)
                    }
                    _ => self.items_of(&self.shape(list, &walk.seen)),
                };
                self.matches(x, &items, walk);
            }
            (BuiltIn::Length, [list, n]) => {
                let lengths = self.lengths(list, walk);
                self.matches(n, &lengths, walk);
            }
            _ => {}
        }
    }

    /// The domain of the length of a list.
    fn lengths(&self, list: &Term, walk: &Walk<'_, '_>) -> Domain {
        if let Term::List(items, tail) = list {
            let first = items.len() as i64;
            let rest = match tail {
                Some(tail) => self.lengths(tail, walk).integers.unwrap_or((0, MAX_LENGTH)),
                None => (0, 0),
            };
            return Domain::range(first + rest.0, (first + rest.1).min(MAX_LENGTH));
        }
        let domain = self.shape(list, &walk.seen);
        if domain.top || domain.lists {
            return Domain::range(0, MAX_LENGTH);
        }
        let lists = domain.constants.iter().filter_map(|id| match self.values.get(id) {
            Constant::List(items) => Some(Value::Integer(items.len() as i64)),
            _ => None,
        });
        Domain::of(lists)
    }

    fn expression(&mut self, e: &Expression, goal: &Goal, walk: &mut Walk<'_, '_>) {
        match e {
            Expression::Integer(_) => {}
            Expression::Variable(v) => {
                let term = Term::Variable(*v);
                self.same_kind(&term, &Domain::numbers(), goal, "arithmetic", walk);
                if walk.seen[v.0 as usize].top {
                    walk.seen[v.0 as usize] = Domain::numbers();
                }
            }
            Expression::Fluent(fluent, keys) => {
                let user = format!("`{}`", self.program.fluent(*fluent).name);
                let columns = self.types.fluent(*fluent).to_vec();
                for (key, column) in keys.iter().zip(&columns) {
                    self.same_kind(key, column, goal, &user, walk);
                }
            }
            Expression::Operation(_, args) => {
                args.iter().for_each(|a| self.expression(a, goal, walk));
            }
        }
    }

    /// The keys of an update. They are not narrowed: a key outside its domain is a rule error.
    fn keys(&mut self, fluent: FluentId, keys: &[Term], goal: &Goal, walk: &mut Walk<'_, '_>) {
        let user = format!("`{}`", self.program.fluent(fluent).name);
        let columns = self.types.fluent(fluent).to_vec();
        for (key, column) in keys.iter().zip(&columns) {
            self.updated(key, column, goal, &user, walk);
        }
    }

    /// A key or value of an update.
    fn updated(
        &mut self,
        term: &Term,
        column: &Domain,
        goal: &Goal,
        user: &str,
        walk: &mut Walk<'_, '_>,
    ) {
        self.build(term, walk);
        self.same_kind(term, column, goal, user, walk);
        // the goals before an update have all held when it is run
        let can_be = self.shape(term, &walk.seen);
        if !within(&can_be, column) {
            self.raise(goal, walk);
        }
    }

    fn assigned(&mut self, fluent: FluentId, e: &Expression, goal: &Goal, walk: &mut Walk<'_, '_>) {
        let column = self.types.fluent(fluent).last().cloned().unwrap_or_default();
        // the value of a single map need not be a number
        if let Expression::Fluent(read, _) = e {
            let read = self.types.fluent(*read).last().cloned().unwrap_or_default();
            if !within(&read, &column) {
                self.raise(goal, walk);
            }
            return;
        }
        if !column.top && !column.is_empty() && column.integers.is_none() {
            self.no_numbers(fluent, &column, goal, walk);
        }
        let range = self.range(e, &walk.seen, &walk.held);
        if range.raises || !within(&Domain::range(range.lo, range.hi), &column) {
            self.raise(goal, walk);
        }
    }

    fn raise_if_unsure(&mut self, all: &[&Expression], goal: &Goal, walk: &mut Walk<'_, '_>) {
        if all.iter().any(|e| self.range(e, &walk.wide, &[]).raises) {
            self.raise(goal, walk);
        }
    }

    /// The numbers from one expression to another; none where a variable has no value yet.
    fn calculated(&self, lo: &Expression, hi: &Expression, walk: &Walk<'_, '_>) -> Domain {
        let mut some = true;
        for e in [lo, hi] {
            e.each_variable(&mut |v| some &= !walk.seen[v.0 as usize].is_empty());
        }
        match some {
            true => {
                let range = |e| self.range(e, &walk.seen, &[]);
                Domain::range(range(lo).lo, range(hi).hi)
            }
            false => Domain::default(),
        }
    }

    /// Records that the goal may be a rule error.
    fn raise(&mut self, goal: &Goal, walk: &mut Walk<'_, '_>) {
        if walk.faults.is_some() {
            self.types.may_raise.insert(goal.span);
        }
    }
}

/// Whether every value of the first domain belongs to the second.
fn within(part: &Domain, whole: &Domain) -> bool {
    let integers = match (part.integers, whole.integers) {
        (None, _) => true,
        (Some((a, b)), Some((c, d))) => c <= a && b <= d && !whole.gaps,
        (Some(_), None) => false,
    };
    !part.top
        && !part.lists
        && !part.moves
        && integers
        && part.constants.meet(&whole.constants) == part.constants
}

/// How often a variable occurs in goals.
fn occurrences(goals: &[Goal], variable: VariableId) -> usize {
    let mut count = 0;
    for goal in goals {
        goal.each_variable(&mut |v| count += usize::from(v == variable));
    }
    count
}

/// Whether a goal binds its variables.
fn gives(goal: &Goal) -> bool {
    use GoalKind::{After, Aggregate, BuiltIn, Call, If, In, Is, Legal, Once, Or, Unify};
    matches!(
        &goal.kind,
        Call(..)
            | BuiltIn(..)
            | Unify(..)
            | Is(..)
            | In(..)
            | Once(_)
            | Or(_)
            | If(..)
            | Legal(_)
            | After(..)
            | Aggregate(..)
    )
}
