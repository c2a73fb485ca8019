//! Which universes each variable and argument can range over, inferred from tables and
//! declarations; and the faults that this shows.
//!
//! The abstract value of a place is a set of universes and an interval of integers. Arguments of
//! derived and action relations start empty and grow until nothing changes; an interval that keeps
//! growing is widened to all integers. Where a variable stands in two places whose abstract values
//! have nothing in common, the second is a fault.

use crate::datalog::Tables;
use crate::diagnostic::{Diagnostic, nearest};
use crate::program::{
    BuiltIn, Clause, ClauseId, Expression, FluentId, FluentShape, Goal, GoalKind, Kind, Program,
    RelationId, Term, Value, VariableId,
};
use crate::source::Span;

use super::universe::{UniverseId, Universes, domain_values};

/// What a place can hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Abstract {
    /// Anything at all: nothing is known yet.
    pub top: bool,
    /// Integers from `.0` to `.1`.
    pub integers: Option<(i64, i64)>,
    /// Constants of these universes, ascending.
    pub universes: Vec<UniverseId>,
    /// Lists that a move builds.
    pub lists: bool,
}

const ALL: (i64, i64) = (i64::MIN / 4, i64::MAX / 4);

impl Abstract {
    pub fn top() -> Abstract {
        Abstract { top: true, ..Abstract::default() }
    }

    pub fn integers(lo: i64, hi: i64) -> Abstract {
        Abstract { integers: Some((lo, hi)), ..Abstract::default() }
    }

    fn numbers() -> Abstract {
        Abstract::integers(ALL.0, ALL.1)
    }

    pub fn is_empty(&self) -> bool {
        !self.top && self.integers.is_none() && self.universes.is_empty() && !self.lists
    }

    /// The one universe that holds everything here, if there is one. Integers count as
    /// [`UniverseId::INTEGERS`].
    pub fn universe(&self) -> Option<UniverseId> {
        match (self.top, self.integers, self.universes.as_slice(), self.lists) {
            (false, None, [one], false) => Some(*one),
            (false, Some(_), [], false) => Some(UniverseId::INTEGERS),
            _ => None,
        }
    }

    fn of_values(universes: &Universes, values: &[Value]) -> Abstract {
        let mut out = Abstract::default();
        for value in values {
            match value {
                Value::Integer(n) => {
                    let (lo, hi) = out.integers.unwrap_or((*n, *n));
                    out.integers = Some((lo.min(*n), hi.max(*n)));
                }
                Value::Constant(id) => {
                    let universe = universes.of(*id);
                    if let Err(at) = out.universes.binary_search(&universe) {
                        out.universes.insert(at, universe);
                    }
                }
            }
        }
        out
    }

    fn join(&mut self, other: &Abstract) -> bool {
        let before = self.clone();
        self.top |= other.top;
        self.lists |= other.lists;
        self.integers = match (self.integers, other.integers) {
            (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
            (a, b) => a.or(b),
        };
        for universe in &other.universes {
            if let Err(at) = self.universes.binary_search(universe) {
                self.universes.insert(at, *universe);
            }
        }
        *self != before
    }

    fn meet(&self, other: &Abstract) -> Abstract {
        if self.top {
            return other.clone();
        }
        if other.top {
            return self.clone();
        }
        let integers = match (self.integers, other.integers) {
            (Some((a, b)), Some((c, d))) if a.max(c) <= b.min(d) => Some((a.max(c), b.min(d))),
            _ => None,
        };
        let universes =
            self.universes.iter().filter(|u| other.universes.contains(u)).copied().collect();
        Abstract { top: false, integers, universes, lists: self.lists && other.lists }
    }
}

/// The result of inference.
#[derive(Debug, Clone)]
pub struct Domains {
    /// For each relation, each argument.
    pub columns: Vec<Vec<Abstract>>,
    /// For each clause, each variable.
    pub variables: Vec<Vec<Abstract>>,
    /// For each fluent, each key and, for a map, the value last.
    pub fluents: Vec<Vec<Abstract>>,
}

impl Domains {
    pub fn variable(&self, clause: ClauseId, variable: VariableId) -> &Abstract {
        &self.variables[clause.0 as usize][variable.0 as usize]
    }
}

/// Infers the domains of a program, and finds arguments of another domain.
pub fn infer(
    program: &Program,
    tables: &Tables,
    universes: &Universes,
) -> (Domains, Vec<Diagnostic>) {
    let mut columns = Vec::new();
    let mut fluents = Vec::new();
    for fluent in &program.fluents {
        let mut all: Vec<Abstract> = fluent
            .keys
            .iter()
            .map(|k| Abstract::of_values(universes, &domain_values(tables, k)))
            .collect();
        if let FluentShape::Map { value, .. } = &fluent.shape {
            all.push(match value {
                crate::program::DomainSpec::Range(lo, hi) => Abstract::integers(*lo, *hi),
                _ => Abstract::of_values(universes, &domain_values(tables, value)),
            });
        }
        fluents.push(all);
    }
    for (i, relation) in program.relations.iter().enumerate() {
        columns.push(match relation.kind {
            Kind::Static => (0..relation.arity)
                .map(|c| {
                    Abstract::of_values(universes, &tables.get(RelationId(i as u32)).column(c))
                })
                .collect(),
            Kind::Fluent(f) => fluents[f.0 as usize].clone(),
            _ => vec![Abstract::default(); relation.arity],
        });
    }
    let variables =
        program.clauses.iter().map(|c| vec![Abstract::top(); c.variables.len()]).collect();
    let mut inference =
        Inference { program, universes, domains: Domains { columns, variables, fluents } };
    inference.fixpoint();
    let faults = inference.faults();
    (inference.domains, faults)
}

/// Finds arguments of another domain in a clause that is not the program's, e.g. a question. The
/// sources and the constants of `program` are to be those with the clause.
pub fn check_clause(
    program: &Program,
    universes: &Universes,
    domains: &Domains,
    clause: &Clause,
) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    let inference = Inference { program, universes, domains: domains.clone() };
    inference.walk_clause(clause, &mut faults);
    faults.dedup();
    faults
}

struct Inference<'p> {
    program: &'p Program,
    universes: &'p Universes,
    domains: Domains,
}

/// After this many rounds a growing interval is widened.
const WIDEN_AFTER: usize = 8;

impl Inference<'_> {
    fn fixpoint(&mut self) {
        let program = self.program;
        for component in &program.graph.components {
            for round in 0.. {
                let mut changed = false;
                for id in component {
                    if matches!(program.relation(*id).kind, Kind::Fluent(_) | Kind::Static) {
                        continue;
                    }
                    for clause in &program.relation(*id).clauses {
                        changed |= self.clause(*clause, *id, round >= WIDEN_AFTER);
                    }
                }
                if !changed || round > 4 * WIDEN_AFTER {
                    break;
                }
            }
        }
        for i in 0..program.clauses.len() {
            let id = ClauseId(i as u32);
            let seen = self.walk(id, &mut Vec::new());
            self.domains.variables[i] = seen;
        }
    }

    fn clause(&mut self, id: ClauseId, relation: RelationId, widen: bool) -> bool {
        let seen = self.walk(id, &mut Vec::new());
        let clause = self.program.clause(id);
        let mut changed = false;
        for (position, term) in clause.head.iter().enumerate() {
            let mut value = self.term(term, &seen);
            // an argument that callers give can be anything that they give
            if value.top {
                value = Abstract::top();
            }
            let column = &mut self.domains.columns[relation.0 as usize][position];
            if column.join(&value) {
                changed = true;
                if widen && column.integers.is_some() {
                    column.integers = Some(ALL);
                }
            }
        }
        changed
    }

    /// The abstract values of a clause's variables; with `faults` where two of them clash.
    fn walk(&self, id: ClauseId, faults: &mut Vec<Diagnostic>) -> Vec<Abstract> {
        self.walk_clause(self.program.clause(id), faults)
    }

    fn walk_clause(&self, clause: &Clause, faults: &mut Vec<Diagnostic>) -> Vec<Abstract> {
        let mut seen = vec![Abstract::top(); clause.variables.len()];
        for _ in 0..3 {
            let before = seen.clone();
            self.goal(&clause.body, clause, &mut seen, &mut None);
            if seen == before {
                break;
            }
        }
        let mut fresh = vec![Abstract::top(); clause.variables.len()];
        self.goal(&clause.body, clause, &mut fresh, &mut Some(faults));
        seen
    }

    fn term(&self, term: &Term, seen: &[Abstract]) -> Abstract {
        match term {
            Term::Variable(v) => seen[v.0 as usize].clone(),
            Term::Constant(value) => Abstract::of_values(self.universes, &[*value]),
            Term::Compound(name, args) => self.compounds(name, args.len()),
            Term::List(..) => {
                let mut out = Abstract { lists: true, ..Abstract::default() };
                out.join(&self.static_lists());
                out
            }
        }
    }

    /// The universes that hold compounds of a functor.
    fn compounds(&self, name: &str, arity: usize) -> Abstract {
        let values: Vec<Value> = self
            .program
            .values
            .iter()
            .filter(|(_, c)| {
                matches!(c, crate::program::Constant::Compound(n, a) if **n == *name && a.len() == arity)
            })
            .map(|(id, _)| Value::Constant(id))
            .collect();
        Abstract::of_values(self.universes, &values)
    }

    fn static_lists(&self) -> Abstract {
        let values: Vec<Value> = self
            .program
            .values
            .iter()
            .filter(|(_, c)| matches!(c, crate::program::Constant::List(_)))
            .map(|(id, _)| Value::Constant(id))
            .collect();
        Abstract::of_values(self.universes, &values)
    }

    fn narrow(
        &self,
        term: &Term,
        column: &Abstract,
        place: (&Goal, &Clause, &str),
        seen: &mut [Abstract],
        faults: &mut Option<&mut Vec<Diagnostic>>,
    ) {
        let (goal, clause, user) = place;
        match term {
            Term::Variable(v) => {
                let before = &seen[v.0 as usize];
                let after = before.meet(column);
                if let Some(faults) = faults
                    && after.is_empty()
                    && !before.is_empty()
                    && !column.is_empty()
                {
                    let name = &clause.variables[v.0 as usize].name;
                    let d = Diagnostic::error(
                        "wrong-domain",
                        format!("`{name}` cannot stand here: it is of another domain"),
                    )
                    .at(
                        self.argument_span(goal, name),
                        format!("{user} takes {}", self.describe(column)),
                    )
                    .hint(format!("`{name}` is {} by the goals before", self.describe(before)));
                    faults.push(d);
                }
                seen[v.0 as usize] = after;
            }
            Term::Constant(value) => {
                if let Some(faults) = faults {
                    self.constant(*value, column, goal, user, faults);
                }
            }
            Term::Compound(name, args) => {
                if let Some(faults) = faults
                    && !column.top
                    && !column.is_empty()
                    && self.compounds(name, args.len()).meet(column).is_empty()
                {
                    faults.push(
                        Diagnostic::error(
                            "wrong-domain",
                            format!("no value of the form `{name}(…)` can stand here"),
                        )
                        .at(goal.span, format!("{user} takes {}", self.describe(column))),
                    );
                }
            }
            Term::List(..) => {}
        }
    }

    fn constant(
        &self,
        value: Value,
        column: &Abstract,
        goal: &Goal,
        user: &str,
        faults: &mut Vec<Diagnostic>,
    ) {
        if column.top || column.is_empty() {
            return;
        }
        let own = match value {
            Value::Integer(_) => column.integers.is_some(),
            Value::Constant(_) => {
                !Abstract::of_values(self.universes, &[value]).meet(column).is_empty()
            }
        };
        if own {
            return;
        }
        let shown = self.program.values.show(value);
        let d = Diagnostic::error("wrong-domain", format!("`{shown}` is of another domain")).at(
            self.argument_span(goal, &shown),
            format!("{user} takes {}", self.describe(column)),
        );
        let names: Vec<String> = column
            .universes
            .iter()
            .flat_map(|u| {
                let universe = self.universes.get(*u);
                (0..universe.len).map(|i| {
                    self.program.values.show(self.universes.value(universe.base + i as i64))
                })
            })
            .collect();
        faults.push(match nearest(&shown, names.iter().map(String::as_str)) {
            Some(near) => d.hint(format!("did you mean `{near}`?")),
            None => d.hint("give a value of that domain, or a variable"),
        });
    }

    /// The place of an argument in its goal: its first occurrence as a word of the goal's text.
    fn argument_span(&self, goal: &Goal, shown: &str) -> Span {
        let text = self.program.sources.text(goal.span);
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let found = text.match_indices(shown).find(|(at, _)| {
            let before = text[..*at].chars().next_back().is_none_or(|c| !word(c));
            let after = text[at + shown.len()..].chars().next().is_none_or(|c| !word(c));
            before && after
        });
        match found {
            Some((at, _)) => Span {
                start: goal.span.start + at as u32,
                end: goal.span.start + (at + shown.len()) as u32,
                ..goal.span
            },
            None => goal.span,
        }
    }

    /// A few values of an abstract value, for a message.
    fn describe(&self, value: &Abstract) -> String {
        let mut parts = Vec::new();
        if let Some((lo, hi)) = value.integers {
            parts.push(if (lo, hi) == ALL {
                "an integer".into()
            } else {
                format!("an integer {lo}..{hi}")
            });
        }
        for id in &value.universes {
            let universe = self.universes.get(*id);
            let some: Vec<String> = (0..universe.len.min(3))
                .map(|i| self.program.values.show(self.universes.value(universe.base + i as i64)))
                .collect();
            let more = if universe.len > 3 { ", …" } else { "" };
            parts.push(format!("one of `{}`{more}", some.join("`, `")));
        }
        if value.lists && value.universes.is_empty() {
            parts.push("a list".into());
        }
        if parts.is_empty() { "anything".into() } else { parts.join(" or ") }
    }

    fn expression(
        &self,
        e: &Expression,
        place: (&Goal, &Clause),
        seen: &mut [Abstract],
        faults: &mut Option<&mut Vec<Diagnostic>>,
    ) {
        match e {
            Expression::Integer(_) => {}
            Expression::Variable(v) => self.narrow(
                &Term::Variable(*v),
                &Abstract::numbers(),
                (place.0, place.1, "arithmetic"),
                seen,
                faults,
            ),
            Expression::Fluent(f, keys) => self.keys(*f, keys, place, seen, faults),
            Expression::Operation(_, args) => {
                args.iter().for_each(|a| self.expression(a, place, seen, faults));
            }
        }
    }

    fn keys(
        &self,
        fluent: FluentId,
        keys: &[Term],
        (goal, clause): (&Goal, &Clause),
        seen: &mut [Abstract],
        faults: &mut Option<&mut Vec<Diagnostic>>,
    ) {
        let user = format!("`{}`", self.program.fluent(fluent).name);
        for (key, column) in keys.iter().zip(&self.domains.fluents[fluent.0 as usize]) {
            self.narrow(key, column, (goal, clause, &user), seen, faults);
        }
    }

    fn goal(
        &self,
        goal: &Goal,
        clause: &Clause,
        seen: &mut Vec<Abstract>,
        faults: &mut Option<&mut Vec<Diagnostic>>,
    ) {
        for e in goal.expressions() {
            self.expression(e, (goal, clause), seen, faults);
        }
        match &goal.kind {
            GoalKind::Call(id, args) => {
                let user = format!("`{}`", self.program.relation(*id).name);
                for (i, term) in args.iter().enumerate() {
                    let column = &self.domains.columns[id.0 as usize][i];
                    self.narrow(term, column, (goal, clause, &user), seen, faults);
                }
            }
            GoalKind::Or(branches) => {
                let mut joined: Option<Vec<Abstract>> = None;
                for branch in branches {
                    let mut inner = seen.clone();
                    self.goal(branch, clause, &mut inner, faults);
                    joined = Some(join_all(joined, inner));
                }
                *seen = joined.unwrap_or_else(|| seen.clone());
            }
            GoalKind::If(c, t, e) => {
                let mut first = seen.clone();
                self.goal(c, clause, &mut first, faults);
                self.goal(t, clause, &mut first, faults);
                let mut second = seen.clone();
                self.goal(e, clause, &mut second, faults);
                *seen = match e.kind {
                    GoalKind::Fail => first,
                    _ => join_all(Some(first), second),
                };
            }
            GoalKind::Not(inner) => self.local(&[inner], clause, seen, faults),
            GoalKind::Forall(a, b) | GoalKind::Each(a, b) => {
                self.local(&[a, b], clause, seen, faults)
            }
            GoalKind::Aggregate(_, template, inner, result) => {
                let mut local = seen.clone();
                self.goal(inner, clause, &mut local, faults);
                if let Term::Variable(v) = template {
                    let _ = v;
                }
                self.narrow(
                    result,
                    &Abstract::numbers(),
                    (goal, clause, "an aggregate"),
                    seen,
                    faults,
                );
                // inner-only variables keep what the inner goal says of them
                let mut inside = Vec::new();
                inner.each_variable(&mut |v| inside.push(v));
                for v in inside {
                    if seen[v.0 as usize].top {
                        seen[v.0 as usize] = local[v.0 as usize].clone();
                    }
                }
            }
            GoalKind::Unify(a, b) => {
                let meet = self.term(a, seen).meet(&self.term(b, seen));
                for side in [a, b] {
                    if matches!(side, Term::Variable(_)) {
                        self.narrow(side, &meet, (goal, clause, "`=`"), seen, &mut None);
                    }
                }
            }
            GoalKind::Is(x, e) => {
                let range = self.range(e, seen);
                let value = Abstract::integers(range.0, range.1);
                self.narrow(x, &value, (goal, clause, "`is`"), seen, &mut None);
            }
            GoalKind::In(x, lo, hi) => {
                let value = Abstract::integers(self.range(lo, seen).0, self.range(hi, seen).1);
                self.narrow(x, &value, (goal, clause, "`in`"), seen, &mut None);
            }
            GoalKind::BuiltIn(built_in, args) => self.built_in(*built_in, args, goal, clause, seen),
            GoalKind::Legal(_) => {}
            GoalKind::Assign(fluent, keys, value) => {
                self.keys(*fluent, keys, (goal, clause), seen, faults);
                if let Some(column) = self.domains.fluents[fluent.0 as usize].last() {
                    let user = format!("`{}`", self.program.fluent(*fluent).name);
                    self.narrow(value, column, (goal, clause, &user), seen, faults);
                }
            }
            GoalKind::AssignNumber(fluent, keys, _)
            | GoalKind::Clear(fluent, keys)
            | GoalKind::Set(fluent, keys) => self.keys(*fluent, keys, (goal, clause), seen, faults),
            _ => goal.children().into_iter().for_each(|g| self.goal(g, clause, seen, faults)),
        }
    }

    /// Goals whose answers do not leave them; what they say of variables that stand only inside
    /// is kept for lowering.
    fn local(
        &self,
        goals: &[&Goal],
        clause: &Clause,
        seen: &mut [Abstract],
        faults: &mut Option<&mut Vec<Diagnostic>>,
    ) {
        let mut local = seen.to_vec();
        for goal in goals {
            self.goal(goal, clause, &mut local, faults);
        }
        for (outer, inner) in seen.iter_mut().zip(local) {
            if outer.top {
                *outer = inner;
            }
        }
    }

    fn built_in(
        &self,
        built_in: BuiltIn,
        args: &[Term],
        goal: &Goal,
        clause: &Clause,
        seen: &mut [Abstract],
    ) {
        let place = (goal, clause, "a built-in goal");
        match (built_in, args) {
            (BuiltIn::Member, [x, list]) => {
                let mut items = Abstract::default();
                let lists = self.term(list, seen);
                if lists.top || lists.lists {
                    return;
                }
                for universe in &lists.universes {
                    let u = self.universes.get(*universe);
                    for i in 0..u.len {
                        let value = self.universes.value(u.base + i as i64);
                        if let Some(all) = self.program.values.items(value) {
                            items.join(&Abstract::of_values(self.universes, all));
                        }
                    }
                }
                if !items.is_empty() {
                    self.narrow(x, &items, place, seen, &mut None);
                }
            }
            (BuiltIn::Length, [_, n]) => {
                self.narrow(n, &Abstract::integers(0, ALL.1), place, seen, &mut None);
            }
            _ => {}
        }
    }

    fn range(&self, e: &Expression, seen: &[Abstract]) -> (i64, i64) {
        match e {
            Expression::Integer(n) => (*n, *n),
            Expression::Variable(v) => seen[v.0 as usize].integers.unwrap_or(ALL),
            Expression::Fluent(f, _) => {
                self.domains.fluents[f.0 as usize].last().and_then(|a| a.integers).unwrap_or(ALL)
            }
            Expression::Operation(op, args) => {
                let ranges: Vec<(i64, i64)> = args.iter().map(|a| self.range(a, seen)).collect();
                use crate::program::ArithmeticOp as Op;
                match (op, ranges.as_slice()) {
                    (Op::Add, [a, b]) => {
                        (a.0.saturating_add(b.0).max(ALL.0), a.1.saturating_add(b.1).min(ALL.1))
                    }
                    (Op::Subtract, [a, b]) => {
                        (a.0.saturating_sub(b.1).max(ALL.0), a.1.saturating_sub(b.0).min(ALL.1))
                    }
                    (Op::Modulo, [_, b]) if b.0 > 0 => (0, b.1 - 1),
                    _ => ALL,
                }
            }
        }
    }

    fn faults(&self) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        for i in 0..self.program.clauses.len() {
            self.walk(ClauseId(i as u32), &mut faults);
        }
        faults.dedup();
        faults
    }
}

/// Domains that are empty, too large, or depend on the state. To be asked before the values of any
/// domain are gathered.
pub fn check_state(program: &Program, tables: &Tables) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    {
        for fluent in program.fluents.iter().skip(3) {
            let value = match &fluent.shape {
                FluentShape::Map { value, value_span, .. } => Some((value, *value_span)),
                FluentShape::Set => None,
            };
            let keys = fluent.keys.iter().zip(fluent.key_spans.iter().copied());
            let mut size = 1u64;
            for (spec, span) in keys.chain(value) {
                if let crate::program::DomainSpec::Relation(id) = spec
                    && program.relation(*id).kind != Kind::Static
                {
                    faults.push(
                        Diagnostic::error("state-form", "a domain must not depend on the state")
                            .at(span, "this relation does, or needs an argument bound")
                            .hint("use a relation that is made of facts and static goals alone"),
                    );
                    continue;
                }
                let count = match spec {
                    crate::program::DomainSpec::Range(lo, hi) => {
                        hi.saturating_sub(*lo).saturating_add(1).max(0) as u64
                    }
                    other => domain_values(tables, other).len() as u64,
                };
                if count == 0 {
                    faults.push(
                        Diagnostic::error("state-domain", "this domain is empty")
                            .at(span, format!("`{}` could hold nothing", fluent.name))
                            .hint("give it at least one value"),
                    );
                }
                if count > 1 << 16 {
                    faults.push(
                        Diagnostic::error(
                            "state-domain",
                            format!("this domain has {count} values"),
                        )
                        .at(span, "at most 65536 are possible")
                        .hint("give the least range that the rules need"),
                    );
                }
                size = size.saturating_mul(count.max(1));
            }
            if size > 1 << 20 {
                faults.push(
                    Diagnostic::error("state-domain", format!("`{}` is too large", fluent.name))
                        .at(
                            fluent.span,
                            "the product of its keys' domains is the size of the state",
                        )
                        .hint("use fewer keys or smaller domains"),
                );
            }
        }
    }
    faults
}

fn join_all(joined: Option<Vec<Abstract>>, inner: Vec<Abstract>) -> Vec<Abstract> {
    match joined {
        None => inner,
        Some(mut all) => {
            for (a, b) in all.iter_mut().zip(&inner) {
                if a.top || b.top {
                    *a = Abstract::top();
                } else {
                    a.join(b);
                }
            }
            all
        }
    }
}
