//! Errors found by the inference: arguments of another kind, and compounds of unbounded depth.

use petgraph::unionfind::UnionFind;

use crate::datalog::Tables;
use crate::diagnostic::{Diagnostic, nearest};
use crate::program::{
    ArithmeticOp, Clause, Constant, ConstantId, FluentId, Goal, GoalKind, Kind, Program,
    RelationId, Term, Value,
};
use crate::source::Span;

use super::domain::{Constants, Domain};
use super::infer::{Inference, Walk};
use super::numbers::COUNTED;
use super::terms::MAX_INSTANCES;

/// The kinds of constants. Constants that occur in one column of a static relation, or in one
/// declared domain, are of one kind.
#[derive(Debug)]
pub(super) struct Kinds {
    union: UnionFind<usize>,
    known: usize,
}

impl Kinds {
    pub(super) fn of(program: &Program, tables: &Tables, count: usize) -> Kinds {
        let mut union = UnionFind::new(count.max(1));
        let mut join = |values: Vec<Value>| {
            let mut ids = values.into_iter().filter_map(Value::constant);
            if let Some(first) = ids.next() {
                for id in ids {
                    union.union(first.0 as usize, id.0 as usize);
                }
            }
        };
        join(program.named_players().collect());
        for fluent in &program.fluents {
            for spec in fluent.domains() {
                if let crate::program::DomainSpec::Values(values) = spec {
                    join(values.clone());
                }
            }
        }
        // its table has the current values; the rules may ask for the others as well
        for option in program.options.values() {
            let domains = std::iter::once(&option.domain).chain(&option.replaced);
            let listed = domains.filter_map(|domain| match domain {
                crate::program::OptionDomain::Values(values) => Some(values),
                crate::program::OptionDomain::Range(..) => None,
            });
            join(listed.flatten().copied().collect());
        }
        for (i, relation) in program.relations.iter().enumerate() {
            if relation.kind == Kind::Static && relation.name != "option" {
                let table = tables.get(RelationId(i as u32));
                (0..relation.arity).for_each(|column| join(table.column(column)));
            }
        }
        Kinds { union, known: count }
    }

    fn kind(&self, id: ConstantId) -> usize {
        if (id.0 as usize) < self.known { self.union.find(id.0 as usize) } else { usize::MAX }
    }

    /// Whether the two sets have constants of one kind.
    fn meet(&self, a: &Constants, b: &Constants) -> bool {
        let kinds: rustc_hash::FxHashSet<usize> = a.iter().map(|id| self.kind(id)).collect();
        b.iter().any(|id| kinds.contains(&self.kind(id)))
    }
}

impl Inference<'_> {
    /// Whether both domains have values of one kind.
    fn akin(&self, a: &Domain, b: &Domain) -> bool {
        a.top
            || b.top
            || (a.integers.is_some() && b.integers.is_some())
            || !a.meet(b, &self.types.forms).is_empty()
            || self.kinds.meet(&a.constants, &b.constants)
            || self.same_form(&a.constants, &b.constants)
    }

    /// Whether both sets have compounds of one functor.
    fn same_form(&self, a: &Constants, b: &Constants) -> bool {
        let form = |id: ConstantId| match self.values.get(id) {
            Constant::Compound(name, args) => Some((name.clone(), args.len())),
            _ => None,
        };
        let forms: rustc_hash::FxHashSet<_> = a.iter().filter_map(form).collect();
        b.iter().filter_map(form).any(|other| forms.contains(&other))
    }

    /// Reports a term of another kind than the values of its place.
    pub(super) fn same_kind(
        &self,
        term: &Term,
        column: &Domain,
        goal: &Goal,
        user: &str,
        walk: &mut Walk<'_, '_>,
    ) {
        if walk.faults.is_none() || column.top || column.is_empty() {
            return;
        }
        let fault = match term {
            Term::Variable(v) => {
                let before = &walk.seen[v.0 as usize];
                if before.is_empty() || self.akin(before, column) {
                    return;
                }
                let name = &walk.clause.variables[v.0 as usize].name;
                let (place, takes) = (
                    self.argument_span(goal, name),
                    format!("{user} takes {}", self.describe(column)),
                );
                match self.given(walk.clause, term, column) {
                    Some((value, call)) => {
                        let shown = self.values.show(value);
                        let text = format!("`{shown}` is of another domain");
                        let label = format!("given here for `{name}`");
                        Diagnostic::error("wrong-domain", text)
                            .at(call, label)
                            .at(place, takes)
                            .hint(self.instead(&shown, column))
                    }
                    None => {
                        let text = format!("`{name}` cannot stand here: it is of another domain");
                        let fault = Diagnostic::error("wrong-domain", text).at(place, takes);
                        match self.range_taken_for_value(before) {
                            Some(range) => fault.hint(format!(
                                "`=` makes `{name}` the term `{range}`; for each number of that range write `{name} in {range}`"
                            )),
                            None if self.is_calculation(before) && column.integers.is_some() => {
                                let known = self.describe(before);
                                fault.hint(format!(
                                    "`{name}` is {known} by the goals before: in an argument such a term stands for itself; \
                                     calculate the number in a goal of its own, `N is …`, and give `N`"
                                ))
                            }
                            None => {
                                let known = self.describe(before);
                                fault.hint(format!("`{name}` is {known} by the goals before"))
                            }
                        }
                    }
                }
            }
            Term::Constant(value) => {
                // a move that no clause names, but that one builds, is no constant of the game
                let made = || {
                    self.values.functor(*value).is_some_and(|(name, args)| {
                        self.types.moves.iter().any(|(n, a)| n == name && a.len() == args.len())
                    })
                };
                if self.akin(&Domain::of([*value]), column) || column.moves && made() {
                    return;
                }
                self.foreign(*value, column, goal, user)
            }
            Term::Compound(name, args) => {
                let shape = self.shape(term, &walk.seen);
                let fits = |id: ConstantId| {
                    self.values
                        .functor(Value::Constant(id))
                        .is_some_and(|(n, items)| n == name && items.len() == args.len())
                };
                let moves = column.moves
                    && self.types.moves.iter().any(|(n, a)| n == name && a.len() == args.len());
                if moves || column.constants.iter().any(fits) || self.akin(&shape, column) {
                    return;
                }
                Diagnostic::error(
                    "wrong-domain",
                    format!("no value of the form `{name}(…)` can stand here"),
                )
                .at(goal.span, format!("{user} takes {}", self.describe(column)))
            }
            Term::List(..) => return,
        };
        let called = match goal.kind {
            GoalKind::Call(id, _) => Some(id),
            _ => None,
        };
        let mut about = called.into_iter().chain([walk.clause.relation]);
        let meant = about.find_map(|id| Some((id, self.program.special.of_number(id)?)));
        let fault = match meant {
            Some((id, meaning)) => fault.hint(format!(
                "`{}` has a meaning in the language: {meaning}; give a relation of your own another name",
                self.program.relation(id).name
            )),
            None => fault,
        };
        if let Some(faults) = walk.faults.as_deref_mut() {
            faults.push(fault);
        }
    }

    /// Reports a calculation for a map whose values are no numbers.
    pub(super) fn no_numbers(
        &self,
        fluent: FluentId,
        column: &Domain,
        goal: &Goal,
        walk: &mut Walk<'_, '_>,
    ) {
        let Some(faults) = walk.faults.as_deref_mut() else { return };
        let name = &self.program.fluent(fluent).name;
        faults.push(
            Diagnostic::error("not-a-number", format!("`{name}` holds no numbers"))
                .at(goal.span, format!("it takes {}", self.describe(column)))
                .hint("give it one of these values with `:=`"),
        );
    }

    /// Reports what `legal` asks for where no clause makes such a move.
    pub(super) fn legal_form(&self, term: &Term, goal: &Goal, walk: &mut Walk<'_, '_>) {
        let program = self.program;
        let Some((name, args)) = self.values.parts(term) else { return };
        let special = [program.special.moves, program.special.chance];
        let clauses = special.into_iter().flatten().flat_map(|id| &program.relation(id).clauses);
        let heads = clauses.filter_map(|id| program.clause(*id).head.first());
        let made: Vec<(&str, usize)> = heads.filter_map(|head| self.values.form(head)).collect();
        if made.contains(&(name, args.len())) {
            let known = self.types.moves.iter().find(|(n, a)| n == name && a.len() == args.len());
            // other terms may mean a move, and one may ask that they are not legal themselves
            let known = known.filter(|_| !program.has_other_forms(&self.values));
            let columns = known.map(|(_, columns)| columns.clone()).unwrap_or_default();
            for (arg, column) in args.iter().zip(&columns) {
                self.same_kind(arg, column, goal, &format!("the move `{name}`"), walk);
            }
            return;
        }
        let text = format!("no move is `{name}/{}`", args.len());
        let d = Diagnostic::error("wrong-domain", text)
            .at(goal.span, "no clause of `move` or `chance` makes it");
        let near = nearest(name, made.iter().map(|(name, _)| *name));
        let near = made.iter().find(|(name, _)| Some(*name) == near);
        let d = match near {
            Some((name, arity)) => d.hint(format!("there is `{name}/{arity}`")),
            None => d.hint("write the move as in the head of its `move` clause"),
        };
        if let Some(faults) = walk.faults.as_deref_mut() {
            faults.push(d);
        }
    }

    fn foreign(&self, value: Value, column: &Domain, goal: &Goal, user: &str) -> Diagnostic {
        let shown = self.values.show(value);
        let d = Diagnostic::error("wrong-domain", format!("`{shown}` is of another domain")).at(
            self.argument_span(goal, &shown),
            format!("{user} takes {}", self.describe(column)),
        );
        d.hint(self.instead(&shown, column))
    }

    /// The range that is the only value of a domain, as it is written.
    fn range_taken_for_value(&self, domain: &Domain) -> Option<String> {
        let mut all = domain.constants.iter();
        let (only, None) = (all.next()?, all.next()) else { return None };
        let alone = domain.integers.is_none() && !domain.lists && !domain.moves;
        let is_range = self
            .values
            .functor(Value::Constant(only))
            .is_some_and(|(name, args)| name == ".." && args.len() == 2);
        (alone && is_range).then(|| self.values.show(Value::Constant(only)))
    }

    /// Whether a domain has terms that look like calculations, and no numbers.
    fn is_calculation(&self, domain: &Domain) -> bool {
        let calculates = |id: ConstantId| {
            let form = self.values.functor(Value::Constant(id));
            form.is_some_and(|(name, args)| ArithmeticOp::named(name, args.len()).is_some())
        };
        domain.integers.is_none() && domain.constants.iter().next().is_some_and(calculates)
    }

    /// What to write in place of a value that is not in a domain.
    fn instead(&self, shown: &str, column: &Domain) -> String {
        let names: Vec<String> =
            column.constants.iter().map(|id| self.values.show(Value::Constant(id))).collect();
        match nearest(shown, names.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "give a value of that domain, or a variable".to_string(),
        }
    }

    /// A constant of another kind that a call gives for an argument of this clause, and its place: the mistake is
    /// there rather than in the clause, which `:- pieces` may have written.
    fn given(&self, clause: &Clause, argument: &Term, column: &Domain) -> Option<(Value, Span)> {
        let at = clause.head.iter().position(|term| term == argument)?;
        let mut found = None;
        for other in &self.program.clauses {
            other.body.walk(&mut |goal| {
                if let GoalKind::Call(called, args) = &goal.kind
                    && *called == clause.relation
                    && let Some(Term::Constant(value)) = args.get(at)
                    && found.is_none()
                    && !self.akin(&Domain::of([*value]), column)
                {
                    found = Some((*value, self.argument_span(goal, &self.values.show(*value))));
                }
            });
        }
        found
    }

    /// Reports a pattern for a value that cannot be taken apart.
    pub(super) fn opaque(&self, term: &Term, walk: &mut Walk<'_, '_>) {
        let Some(faults) = walk.faults.as_deref_mut() else { return };
        let Term::Compound(name, args) = term else { return };
        let shown = format!("{name}/{}", args.len());
        faults.push(
            Diagnostic::error(
                "no-finite-domain",
                format!("a move, or a compound that holds a list, is not taken apart by `{shown}`"),
            )
            .at(walk.clause.span, "in this clause")
            .hint("write the form in the head of `rank` or `weight`, or inside `legal(…)`"),
        );
    }

    /// Reports a compound with unboundedly many values.
    pub(super) fn endless(&mut self, term: &Term, walk: &mut Walk<'_, '_>) {
        let Term::Compound(name, args) = term else { return };
        let shapes: Vec<Domain> = args.iter().map(|t| self.shape(t, &walk.seen)).collect();
        let Some(faults) = walk.faults.as_deref_mut() else { return };
        let large = |d: &Domain| {
            let count = d.integers.map_or(0, |(lo, hi)| hi.saturating_sub(lo));
            d.top || d.lists || d.moves || count >= MAX_INSTANCES as i64
        };
        let at = shapes.iter().position(large);
        let form = format!("{name}/{}", args.len());
        let message = match at {
            Some(at) => format!("argument {} of `{form}` has no finite domain", at + 1),
            None => format!("there are too many compounds `{form}`"),
        };
        let why = match at.map(|at| (&shapes[at], &args[at])) {
            Some((d, _)) if d.lists => "it can be a list, and there is no end of lists".to_string(),
            Some((d, _)) if d.moves => "it can be a move".to_string(),
            Some((_, Term::Variable(v))) => {
                format!("nothing bounds `{}`", walk.clause.variables[v.0 as usize].name)
            }
            Some(_) => "nothing bounds it".to_string(),
            None => "its arguments have too many values together".to_string(),
        };
        faults.push(
            Diagnostic::error("no-finite-domain", message)
                .at(self.place_of(walk.clause, name), why)
                .hint(
                    "a compound that is built in play needs arguments of finite domains: names, or \
                     numbers within bounds, e.g. `N in 0..9`",
                ),
        );
    }

    /// The place in a clause where a compound of this name is built.
    fn place_of(&self, clause: &Clause, name: &str) -> Span {
        let text = self.program.sources.text(clause.span);
        let written = format!("{name}(");
        let Some(at) = text.find(&written) else { return clause.span };
        let start = clause.span.start + at as u32;
        let length = text[at..].find(')').map_or(name.len(), |end| end + 1);
        Span { start, end: start + length as u32, ..clause.span }
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

    /// A few values of a domain, for a message.
    fn describe(&self, domain: &Domain) -> String {
        let mut parts = Vec::new();
        if let Some((lo, hi)) = domain.integers {
            parts.push(match lo <= -COUNTED || hi >= COUNTED {
                true => "an integer".into(),
                false => format!("an integer {lo}..{hi}"),
            });
        }
        let is_list = |id: &ConstantId| matches!(self.values.get(*id), Constant::List(items) if !items.is_empty());
        let (lists, others): (Vec<ConstantId>, Vec<ConstantId>) =
            domain.constants.iter().partition(is_list);
        for some in [others, lists] {
            let shown: Vec<String> =
                some.iter().take(3).map(|id| self.values.show(Value::Constant(*id))).collect();
            let more = if some.len() > 3 { ", …" } else { "" };
            if !shown.is_empty() {
                parts.push(format!("one of `{}`{more}", shown.join("`, `")));
            }
        }
        if domain.lists {
            parts.push("a list".into());
        }
        if domain.moves {
            parts.push("a move".into());
        }
        if parts.is_empty() { "anything".into() } else { parts.join(" or ") }
    }
}
