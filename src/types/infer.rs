//! The fixpoint over all clauses.

use std::cell::RefCell;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::datalog::Tables;
use crate::diagnostic::Diagnostic;
use crate::program::{
    Clause, ClauseId, Constant, ConstantId, DomainSpec, FluentId, FluentShape, Goal, GoalKind,
    Kind, Program, RelationId, Special, Term, Value, Values, VariableId, outcome_relation,
};
use crate::source::Span;

use super::Types;
use super::domain::{ALL, Constants, Domain, Forms};
use super::faults;
use super::numbers::COUNTED;

/// After this many rounds a growing interval is widened.
const WIDEN_AFTER: usize = 8;

/// The bounds to which intervals are widened, one after the other.
const STEPS: [i64; 5] = [1 << 8, 1 << 16, 1 << 32, COUNTED, ALL.1];

/// The number of rounds after which compounds that still grow are reported as unbounded.
const MAX_ROUNDS: usize = 200;

/// The state of the inference.
pub(super) struct Inference<'p> {
    pub program: &'p Program,
    pub values: Values,
    pub types: Types,
    /// For each relation, the values that callers pass for the arguments that it needs bound.
    pub given: Vec<Vec<Domain>>,
    /// The constants of each functor.
    pub functors: FxHashMap<(String, usize), Vec<ConstantId>>,
    pub built: FxHashMap<(String, Vec<Domain>), Option<Domain>>,
    /// The items of the lists of a set of constants, as far as they were asked for.
    pub items: RefCell<FxHashMap<Constants, Domain>>,
    /// The kinds of constants.
    pub kinds: faults::Kinds,
    /// The round found something new.
    pub changed: bool,
    pub round: usize,
}

/// A bound on a map: its value at these keys is a number from `lo` to `hi`, and that of `same`, where a goal has found it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Held {
    pub fluent: FluentId,
    pub keys: Vec<Term>,
    pub lo: i64,
    pub hi: i64,
    pub same: Option<VariableId>,
}

/// The state of a walk through the goals of a clause.
pub(super) struct Walk<'c, 'f> {
    pub clause: &'c Clause,
    /// The domain of each variable after the goals so far.
    pub seen: Vec<Domain>,
    /// The union of the domains of each variable, independent of the order of the goals.
    pub wide: Vec<Domain>,
    /// How often each variable occurs in the clause.
    pub totals: Vec<usize>,
    /// Bounds on maps, from comparisons after which nothing has written to the maps.
    pub held: Vec<Held>,
    /// The variables that an earlier goal has bound.
    pub met: Vec<bool>,
    /// The variables whose value a `once` or a condition chose, or an update has used. Later goals
    /// do not narrow them, since that would change the choice or hide a rule error.
    pub chosen: Vec<bool>,
    /// Receives the faults; `None` while domains still grow.
    pub faults: Option<&'f mut Vec<Diagnostic>>,
}

impl<'c> Walk<'c, '_> {
    fn new(clause: &'c Clause) -> Walk<'c, 'static> {
        let variables = clause.variables.len();
        Walk {
            clause,
            seen: vec![Domain::top(); variables],
            wide: vec![Domain::default(); variables],
            totals: clause.occurrences(),
            held: Vec::new(),
            met: vec![false; variables],
            chosen: vec![false; variables],
            faults: None,
        }
    }

    /// Narrows the domain of a variable.
    pub(super) fn narrow(&mut self, v: VariableId, domain: &Domain, forms: &Forms) {
        let at = v.0 as usize;
        if !self.chosen[at] || self.seen[at].top {
            self.seen[at] = self.seen[at].meet(domain, forms);
        }
    }
}

/// Infers the domains of a program, and interns the compounds that its clauses build and the tails
/// of its lists. Returns the types and the constants, new ones included. Where `stopped` returns
/// true it ends early, and the types are incomplete.
pub fn infer(
    program: &Program,
    values: Values,
    tables: &Tables,
    stopped: &dyn Fn() -> bool,
) -> (Types, Values) {
    let mut inference = Inference::new(program, values, tables);
    inference.fixpoint(stopped);
    inference.judge(stopped);
    (inference.types, inference.values)
}

/// Reports arguments of another domain in a clause from outside the program, e.g. a question.
/// `program.values` must include the clause's constants, and the tables the rows that it asks for.
pub fn check_clause(
    program: &Program,
    values: Values,
    tables: &Tables,
    types: &Types,
    clause: &Clause,
) -> Vec<Diagnostic> {
    let mut inference = Inference::new(program, values, tables);
    let known = std::mem::replace(&mut inference.types, types.clone());
    inference.types.forms.lists = known.forms.lists;
    for ((relation, column), known) in
        program.relations.iter().zip(&mut inference.types.columns).zip(known.columns)
    {
        if relation.kind == Kind::Static {
            *column = known;
        }
    }
    // callers from outside may pass other values than the clauses do
    for (relation, columns) in program.relations.iter().zip(&mut inference.types.columns) {
        for (needed, column) in relation.needs_bound.iter().zip(columns) {
            if *needed {
                *column = Domain::top();
            }
        }
    }
    inference.outcomes();
    let mut faults = Vec::new();
    inference.judge_clause(clause, None, &mut faults);
    faults.dedup();
    faults
}

impl<'p> Inference<'p> {
    fn new(program: &'p Program, mut values: Values, tables: &Tables) -> Inference<'p> {
        values.intern_rests();
        let mut functors: FxHashMap<(String, usize), Vec<ConstantId>> = FxHashMap::default();
        let mut types = Types::default();
        let mut listed = Vec::new();
        for (id, constant) in values.iter() {
            match constant {
                Constant::Compound(name, args) => {
                    functors.entry((name.to_string(), args.len())).or_default().push(id);
                }
                Constant::List(items) => {
                    types.forms.lists.insert(id);
                    listed.push(items);
                }
                Constant::Atom(_) | Constant::Text(_) => {}
            }
        }
        types.items = Domain::of(listed.into_iter().flatten().copied());
        for fluent in &program.fluents {
            let mut all: Vec<Domain> = fluent.keys.iter().map(|k| declared(tables, k)).collect();
            if let FluentShape::Map { value, .. } = &fluent.shape {
                all.push(declared(tables, value));
            }
            types.fluents.push(all);
        }
        for (i, relation) in program.relations.iter().enumerate() {
            let id = RelationId(i as u32);
            types.columns.push(match relation.kind {
                Kind::Static => {
                    (0..relation.arity).map(|c| Domain::of(tables.get(id).column(c))).collect()
                }
                Kind::Fluent(f) => types.fluents[f.0 as usize].clone(),
                _ => vec![Domain::default(); relation.arity],
            });
        }
        types.variables =
            program.clauses.iter().map(|c| vec![Domain::top(); c.variables.len()]).collect();
        types.raises = vec![false; program.relations.len()];
        let given = program.relations.iter().map(|r| vec![Domain::default(); r.arity]).collect();
        let kinds = faults::Kinds::of(program, tables, values.len());
        let mut inference = Inference {
            program,
            values,
            types,
            given,
            functors,
            built: FxHashMap::default(),
            items: RefCell::default(),
            kinds,
            changed: false,
            round: 0,
        };
        inference.entries();
        inference
    }

    /// The answers of `win`, `lose`, `draw` and `over` in a question: players, and the names of ends.
    fn outcomes(&mut self) {
        let program = self.program;
        let players = Domain::of(program.named_players());
        // where one player loses, the others win by the same name
        let ends = program.ends.iter().filter_map(|(_, id)| program.clause(*id).end_name);
        let names = Domain::of(ends);
        for (i, columns) in self.types.columns.iter_mut().enumerate() {
            let Some((kind, named)) = outcome_relation(RelationId(i as u32)) else { break };
            if kind.arity() == 1 {
                columns[0] = players.clone();
            }
            if named && let Some(name) = columns.last_mut() {
                *name = names.clone();
            }
        }
    }

    /// Adds the arguments of the interpreter's own queries.
    fn entries(&mut self) {
        let program = self.program;
        let players = Domain::of(program.players.iter().copied());
        let special = program.special;
        for (kind, clause) in &program.ends {
            let relation = program.clause(*clause).relation;
            if matches!(kind, crate::program::EndKind::Win | crate::program::EndKind::Lose) {
                self.given[relation.0 as usize][0] = players.clone();
            }
        }
        for id in [special.score, special.value].into_iter().flatten() {
            self.given[id.0 as usize][0] = players.clone();
        }
        for (id, column) in moves_given(special) {
            self.given[id.0 as usize][column] = Domain::opaque();
        }
        for id in [special.shows, special.style, special.suffix, special.says].into_iter().flatten()
        {
            self.given[id.0 as usize][0] = Domain::top();
        }
    }

    /// The clauses that are run in play.
    fn clauses(&self) -> impl Iterator<Item = (ClauseId, &'p Clause)> + use<'p> {
        let program = self.program;
        let inferred =
            |c: &&Clause| matches!(program.relation(c.relation).kind, Kind::Derived | Kind::Action);
        let all = program.clauses.iter().enumerate();
        all.filter(move |(_, c)| inferred(c)).map(|(i, c)| (ClauseId(i as u32), c))
    }

    fn fixpoint(&mut self, stopped: &dyn Fn() -> bool) {
        for round in 0..MAX_ROUNDS {
            (self.round, self.changed) = (round, false);
            for (_, clause) in self.clauses() {
                if stopped() {
                    return;
                }
                let mut walk = self.settled(clause);
                self.head(clause, &mut walk);
            }
            if !self.changed {
                return;
            }
        }
    }

    /// Walks a clause until its variables settle.
    fn settled<'c>(&mut self, clause: &'c Clause) -> Walk<'c, 'static> {
        let mut walk = Walk::new(clause);
        for _ in 0..3 {
            let before = walk.seen.clone();
            walk.met.fill(false);
            walk.chosen.fill(false);
            self.callers(clause, &mut walk);
            self.goal(&clause.body, &mut walk);
            if walk.seen == before {
                break;
            }
        }
        walk
    }

    /// Whether every caller binds this argument.
    fn is_given(&self, id: RelationId, column: usize) -> bool {
        let relation = self.program.relation(id);
        let special = self.program.special;
        let asked = [special.score, special.value, special.shows, special.style];
        let asked = asked.into_iter().chain([special.suffix, special.says]);
        let ends = relation.arity == 1 && matches!(relation.name.as_str(), "win" | "lose");
        relation.needs_bound[column]
            || column == 0 && (ends || asked.flatten().any(|other| other == id))
            || moves_given(special).any(|given| given == (id, column))
    }

    /// Starts with the values that callers pass.
    fn callers(&mut self, clause: &Clause, walk: &mut Walk<'_, '_>) {
        for (column, term) in clause.head.iter().enumerate() {
            if self.is_given(clause.relation, column) {
                let given = self.given[clause.relation.0 as usize][column].clone();
                let of_move = column == 0
                    || moves_given(self.program.special).any(|g| g == (clause.relation, column));
                match given.moves && of_move {
                    true => self.form_matches(term, &given, walk),
                    false => self.matches(term, &given, walk),
                }
                term.each_variable(&mut |v| walk.met[v.0 as usize] = true);
            }
        }
    }

    /// Adds the domains of a clause's head to its relation's columns, or to the forms of moves.
    fn head(&mut self, clause: &Clause, walk: &mut Walk<'_, '_>) {
        let special = self.program.special;
        let relation = Some(clause.relation);
        if special.moves == relation || special.chance == relation {
            return self.form(&clause.head[0], walk);
        }
        for (column, term) in clause.head.iter().enumerate() {
            let domain = match self.is_given(clause.relation, column) {
                true => self.given[clause.relation.0 as usize][column].clone(),
                false => self.build(term, walk),
            };
            self.grow(clause.relation, column, &domain, true);
        }
    }

    fn form(&mut self, head: &Term, walk: &mut Walk<'_, '_>) {
        let (name, args) = match head {
            Term::Compound(name, terms) => {
                let args = terms.iter().map(|t| self.argument(t, walk)).collect::<Vec<_>>();
                (name.clone(), args)
            }
            Term::Constant(value) => match self.values.functor(*value) {
                Some((name, items)) => {
                    (name.to_string(), items.iter().map(|v| Domain::of([*v])).collect())
                }
                None => return,
            },
            _ => return,
        };
        let known = |(n, a): &&mut (String, Vec<Domain>)| *n == name && a.len() == args.len();
        let Some((_, columns)) = self.types.moves.iter_mut().find(known) else {
            let arity = args.len();
            if let Some(same) = self.functors.get(&(name.clone(), arity)) {
                same.iter().for_each(|id| self.types.forms.moves.insert(*id));
            }
            if arity == 0
                && let Some(Value::Constant(id)) = self.values.find_atom(&name)
            {
                self.types.forms.moves.insert(id);
            }
            self.types.moves.push((name, args));
            self.changed = true;
            return;
        };
        let (round, mut changed) = (self.round, false);
        for (column, arg) in columns.iter_mut().zip(&args) {
            changed |= join(column, arg, round);
        }
        self.changed |= changed;
    }

    /// The domain of an argument of a move. A compound that contains a list, or has too many
    /// instances, is not interned; it is built with the move.
    fn argument(&mut self, term: &Term, walk: &mut Walk<'_, '_>) -> Domain {
        let Term::Compound(name, args) = term else { return self.build(term, walk) };
        let args = args.iter().map(|arg| self.argument(arg, walk)).collect();
        self.instances(name, args).unwrap_or_else(Domain::opaque)
    }

    /// Adds values to an argument of a relation: in its answers or, otherwise, as passed by
    /// callers.
    pub(super) fn grow(&mut self, id: RelationId, column: usize, domain: &Domain, answers: bool) {
        let round = self.round;
        let of = if answers { &mut self.types.columns } else { &mut self.given };
        let changed = join(&mut of[id.0 as usize][column], domain, round);
        self.changed |= changed;
    }

    /// The last round, when the columns are final: records each variable's domain, the goals that
    /// may be rule errors, and the faults.
    fn judge(&mut self, stopped: &dyn Fn() -> bool) {
        let mut found = Vec::new();
        for (id, clause) in self.clauses() {
            if stopped() {
                return;
            }
            let seen = self.judge_clause(clause, Some(id), &mut found);
            self.types.variables[id.0 as usize] = seen;
        }
        found.dedup();
        self.types.faults.extend(found);
        self.raising();
    }

    fn judge_clause(
        &mut self,
        clause: &Clause,
        id: Option<ClauseId>,
        faults: &mut Vec<Diagnostic>,
    ) -> Vec<Domain> {
        let settled = self.settled(clause);
        let mut walk = Walk { faults: Some(faults), ..Walk::new(clause) };
        walk.wide = settled.wide;
        self.callers(clause, &mut walk);
        self.goal(&clause.body, &mut walk);
        if id.is_some() {
            self.head(clause, &mut walk);
        }
        settled.seen
    }

    /// Finds the relations whose calls may be a rule error.
    fn raising(&mut self) {
        let program = self.program;
        let special = program.special;
        // what is counted must be a number
        let counted = [special.rank, special.weight, special.score, special.value];
        for id in counted.into_iter().flatten() {
            self.types.raises[id.0 as usize] = !self.types.column(id, 1).is_number();
        }
        let own = |goal: &Goal, may_raise: &FxHashSet<Span>| may_raise.contains(&goal.span);
        loop {
            let mut changed = false;
            for (_, clause) in self.clauses() {
                if self.types.raises[clause.relation.0 as usize] {
                    continue;
                }
                let mut raises = false;
                clause.body.walk(&mut |goal| {
                    raises |= own(goal, &self.types.may_raise);
                    match &goal.kind {
                        GoalKind::Call(id, _) => raises |= self.types.raises[id.0 as usize],
                        // two ways to one move may lead to different positions
                        GoalKind::Legal(_) | GoalKind::Stuck => raises = true,
                        _ => {}
                    }
                });
                self.types.raises[clause.relation.0 as usize] = raises;
                changed |= raises;
            }
            if !changed {
                return;
            }
        }
    }
}

/// Adds values to a domain; an interval that keeps growing is widened, also that of the items of lists.
pub(super) fn join(into: &mut Domain, domain: &Domain, round: usize) -> bool {
    let (before, items) = (into.integers, into.items.as_ref().and_then(|items| items.integers));
    let changed = into.join(domain);
    if round >= WIDEN_AFTER {
        widen(&mut into.integers, before);
        if let Some(inner) = &mut into.items {
            widen(&mut inner.integers, items);
        }
    }
    changed
}

fn widen(into: &mut Option<(i64, i64)>, before: Option<(i64, i64)>) {
    if *into == before {
        return;
    }
    let Some((lo, hi)) = *into else { return };
    let (least, most) = before.unwrap_or((lo, hi));
    let up = STEPS.into_iter().find(|s| hi <= *s).unwrap_or(ALL.1);
    let down = STEPS.into_iter().find(|s| -lo <= *s).map_or(ALL.0, |s| -s);
    *into = Some((if lo < least { down } else { lo }, if hi > most { up } else { hi }));
}

fn declared(tables: &Tables, spec: &DomainSpec) -> Domain {
    match spec {
        DomainSpec::Values(values) => Domain::of(values.iter().copied()),
        DomainSpec::Range(lo, hi) => Domain::range(*lo, *hi),
        DomainSpec::Relation(id) => Domain::of(tables.get(*id).column(0)),
    }
}

/// The relations that the interpreter asks about a given move, and the argument that is the move.
fn moves_given(special: Special) -> impl Iterator<Item = (RelationId, usize)> {
    let first = [special.rank, special.weight, special.advice, special.notation, special.alias];
    let first = first.into_iter().flatten().map(|id| (id, 0));
    first.chain(special.style.map(|id| (id, 1)))
}
