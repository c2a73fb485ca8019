//! Boards of columns and rows, with a name for each of their sites.
//!
//! A map such as `at(col, row) -> piece` over two domains of numbers has a site for each pair of them; so has one over letters and
//! numbers, where the rules lead from one letter to another as from one number to another, and one with three such keys or
//! with others beside them. The plan is made of a program in which these keys are one key, a compound, and arguments that are
//! used as such keys are one argument. What the rules then say of columns and rows are goals about patterns, which
//! `lower/patterns.rs` makes goals about sites. People and all other stages see the program as it is written.

use rustc_hash::FxHashSet;

use crate::datalog::Tables;
use crate::diagnostic::Diagnostic;
use crate::program::{
    Clause, DomainSpec, Expression, FluentId, FluentShape, Goal, GoalKind, Kind, Program, Relation,
    RelationId, Term, Value, Values, VariableId,
};
use crate::source::Span;
use crate::types::{self, Domain, Types};

use super::universe::MAX_SET;

/// Domains whose tuples are sites.
#[derive(Debug, Clone, PartialEq)]
struct Board {
    /// Two domains or more.
    parts: Vec<Vec<Value>>,
    /// The name of the compounds, which no other constant has.
    name: String,
}

impl Board {
    /// All sites, those of the first value of the first domain first.
    fn sites(&self, values: &mut Values) -> Vec<Value> {
        let mut tuples: Vec<Vec<Value>> = vec![Vec::new()];
        for part in &self.parts {
            let longer = tuples.iter().flat_map(|tuple| {
                part.iter().map(move |value| tuple.iter().copied().chain([*value]).collect())
            });
            tuples = longer.collect();
        }
        tuples.iter().map(|tuple| values.compound(&self.name, tuple)).collect()
    }
}

/// The values of the keys of maps and sets that are one key of the plan, and the number of this key.
pub(crate) type Declared = Vec<(FluentId, usize, Vec<Vec<Value>>)>;

/// The program for the plan.
#[derive(Debug)]
pub(crate) struct Sited {
    /// The program with one key for each site.
    pub program: Program,
    /// Its types.
    pub types: Types,
    /// What it declares otherwise.
    pub declared: Declared,
}

/// The program with one key for each site; `None` where it has no such maps, or where its types have faults. Where `stopped` returns true it ends early, and the result is incomplete.
pub(crate) fn rewrite(
    program: &Program,
    tables: &Tables,
    types: &Types,
    stopped: &dyn Fn() -> bool,
) -> Option<Sited> {
    let mut boards: Vec<Board> = Vec::new();
    let fluents: Vec<Option<Site>> = (0..program.fluents.len())
        .map(|at| board_of(program, tables, types, FluentId(at as u32), &mut boards))
        .collect();
    if boards.is_empty() {
        return None;
    }
    let mut made = program.clone();
    let mut declared = Vec::new();
    for (at, site) in fluents.iter().enumerate() {
        let Some((first, board)) = *site else { continue };
        let board = &boards[board];
        let sites = board.sites(&mut made.values);
        let fluent = &mut made.fluents[at];
        fluent.keys.splice(first..first + board.parts.len(), [DomainSpec::Values(sites)]);
        fluent.key_spans.drain(first + 1..first + board.parts.len());
        declared.push((FluentId(at as u32), first, board.parts.clone()));
    }
    let relations = arguments(program, types, &boards, &fluents);
    let leaving = leaving(program, types, &fluents);
    let values = std::mem::take(&mut made.values);
    let mut pass = Pass { boards, fluents, relations, leaving, values, kept: false };
    for clause in &mut made.clauses {
        pass.clause(clause);
    }
    for (relation, sites) in made.relations.iter_mut().zip(&pass.relations) {
        for (first, board) in sites.iter().rev() {
            let more = pass.boards[*board].parts.len() - 1;
            relation.arity -= more;
            relation.needs_bound.drain(first + 1..first + 1 + more);
        }
    }
    let raised = &types.raises;
    let (mut types, values) = types::infer(&made, pass.values, tables, stopped);
    made.values = values;
    if !pass.leaving.is_empty() {
        (pass.kept, pass.values) = (true, std::mem::take(&mut made.values));
        made.clauses = program.clauses.clone();
        made.clauses.iter_mut().for_each(|clause| pass.clause(clause));
        made.values = pass.values;
        types.may_raise.extend(&pass.leaving);
        types.raises.iter_mut().zip(raised).for_each(|(new, old)| *new |= old);
    }
    let fits = !types.faults.iter().any(Diagnostic::is_error);
    fits.then_some(Sited { program: made, types, declared })
}

/// The updates that may leave their board, which is a rule error: their keys are looked for as they are declared.
fn leaving(program: &Program, types: &Types, fluents: &[Option<Site>]) -> FxHashSet<Span> {
    let mut found = FxHashSet::default();
    for clause in &program.clauses {
        clause.body.walk(&mut |goal| {
            if let Some((fluent, _)) = goal.updated()
                && fluents[fluent.0 as usize].is_some()
                && types.may_raise.contains(&goal.span)
            {
                found.insert(goal.span);
            }
        });
    }
    found
}

/// The board whose sites are keys of a map or set, and the first of these keys; `None` where an expression may leave it.
fn board_of(
    program: &Program,
    tables: &Tables,
    types: &Types,
    id: FluentId,
    boards: &mut Vec<Board>,
) -> Option<Site> {
    let fluent = program.fluent(id);
    // numbers are compared rather than looked for, so their planes would not be read
    if matches!(&fluent.shape, FluentShape::Map { value: DomainSpec::Range(..), .. }) {
        return None;
    }
    let (first, parts) = parts_of(program, tables, id)?;
    let sites = parts.iter().try_fold(1usize, |product, part| product.checked_mul(part.len()))?;
    if sites > MAX_SET {
        return None;
    }
    let mut leaves = false;
    for clause in &program.clauses {
        clause.body.walk(&mut |goal| {
            leaves |= types.may_raise.contains(&goal.span) && mentions(goal, id);
        });
    }
    if leaves {
        return None;
    }
    if let Some(known) = boards.iter().position(|board| board.parts == parts) {
        return Some((first, known));
    }
    boards.push(Board { parts, name: free_name(&program.values, boards.len()) });
    Some((first, boards.len() - 1))
}

/// The neighbouring keys of a map or set that are a site: the number of the first one, and their values. Both keys of a
/// map with two are, where they are numbers. Otherwise the rules lead from one to another.
fn parts_of(program: &Program, tables: &Tables, id: FluentId) -> Option<(usize, Vec<Vec<Value>>)> {
    let keys = &program.fluent(id).keys;
    if keys.len() < 2 {
        return None;
    }
    let values: Vec<Option<Vec<Value>>> = keys.iter().map(|key| distinct(tables, key)).collect();
    let numbers = |values: &[Value]| values.iter().all(|v| v.integer().is_some());
    if let [Some(columns), Some(rows)] = &values[..]
        && numbers(columns)
        && numbers(rows)
        && columns.len().min(rows.len()) > 1
    {
        return Some((0, vec![columns.clone(), rows.clone()]));
    }
    let leads = leads_on(program, id);
    let is_part = |key: usize| {
        let mut all = values[key].iter();
        leads[key]
            && all.any(|all| all.len() > 2 && (numbers(all) || !is_of_sites(program, tables, all)))
    };
    let first = (0..keys.len() - 1).find(|key| is_part(*key) && is_part(key + 1))?;
    let end = (first..keys.len()).find(|key| !is_part(*key)).unwrap_or(keys.len());
    Some((first, values[first..end].iter().flatten().cloned().collect()))
}

/// The values of a domain, where none comes twice.
fn distinct(tables: &Tables, domain: &DomainSpec) -> Option<Vec<Value>> {
    let values = tables.domain(domain);
    let mut seen = FxHashSet::default();
    values.iter().all(|value| seen.insert(*value)).then_some(values)
}

/// Whether some of these values are sites of the board.
fn is_of_sites(program: &Program, tables: &Tables, values: &[Value]) -> bool {
    program
        .sites()
        .any(|sites| tables.get(sites).column(0).iter().any(|site| values.contains(site)))
}

/// For each key of a map or set, whether a calculation or a relation leads in some clause from one site to another one that
/// differs in this key.
fn leads_on(program: &Program, id: FluentId) -> Vec<bool> {
    let width = program.fluent(id).keys.len();
    let mut leads = vec![false; width];
    for clause in &program.clauses {
        let mut keys: Vec<&[Term]> = Vec::new();
        let mut others: Vec<Vec<VariableId>> = Vec::new();
        clause.body.walk(&mut |goal| match &goal.kind {
            GoalKind::Call(called, args)
                if program.relation(*called).kind == Kind::Fluent(id) && args.len() >= width =>
            {
                keys.push(&args[..width]);
            }
            GoalKind::Call(_, args) => others.push(variables(args)),
            GoalKind::Is(result, e) => {
                let mut met = variables(std::slice::from_ref(result));
                e.each_variable(&mut |v| met.push(v));
                others.push(met);
            }
            _ => keys.extend(goal.updated().filter(|(of, _)| *of == id).map(|(_, keys)| keys)),
        });
        for (part, leads) in leads.iter_mut().enumerate() {
            let all: FxHashSet<VariableId> =
                keys.iter().flat_map(|key| variables(&key[part..=part])).collect();
            let both = |met: &Vec<VariableId>| all.iter().filter(|v| met.contains(v)).count() > 1;
            *leads |= others.iter().any(both);
        }
    }
    leads
}

/// The terms that are variables.
fn variables(terms: &[Term]) -> Vec<VariableId> {
    let variable = |term: &Term| match term {
        Term::Variable(v) => Some(*v),
        _ => None,
    };
    terms.iter().filter_map(variable).collect()
}

/// Whether an expression of a goal reads a fluent.
fn mentions(goal: &Goal, id: FluentId) -> bool {
    fn read(e: &Expression, id: FluentId) -> bool {
        match e {
            Expression::Integer(_) | Expression::Variable(_) => false,
            Expression::Fluent(fluent, _) => *fluent == id,
            Expression::Operation(_, inner) => inner.iter().any(|e| read(e, id)),
        }
    }
    matches!(goal.kind, GoalKind::AssignNumber(fluent, ..) if fluent == id)
        || goal.expressions().into_iter().any(|e| read(e, id))
}

/// A name that no compound of the program has.
fn free_name(values: &Values, number: usize) -> String {
    let used = |name: &str| {
        let mut all = values.iter().map(|(id, _)| Value::Constant(id));
        all.any(|value| values.functor(value).is_some_and(|(own, _)| own == name))
    };
    let mut name = format!("site {number}");
    while used(&name) {
        name.push('\'');
    }
    name
}

/// The first of the neighbouring arguments that are a site, and the board.
type Site = (usize, usize);

/// For each relation, its sites, in the order of the arguments. A site is a key of the state, or calculations lead from
/// one of them to another one.
fn arguments(
    program: &Program,
    types: &Types,
    boards: &[Board],
    fluents: &[Option<Site>],
) -> Vec<Vec<Site>> {
    let mut found: Vec<Vec<Site>> = vec![Vec::new(); program.relations.len()];
    for (fluent, site) in program.fluents.iter().zip(fluents) {
        found[fluent.relation.0 as usize].extend(*site);
    }
    let special: Vec<RelationId> = program.special.all().collect();
    let ends: Vec<RelationId> =
        program.ends.iter().map(|(_, clause)| program.clause(*clause).relation).collect();
    let all = program.relations.iter().enumerate().filter(|(at, relation)| {
        let id = RelationId(*at as u32);
        let asked = relation.built_in || special.contains(&id) || ends.contains(&id);
        relation.kind == Kind::Derived && !asked
    });
    let all: Vec<(usize, &Relation)> = all.collect();
    let mut widest: Vec<usize> = (0..boards.len()).collect();
    widest.sort_by_key(|board| std::cmp::Reverse(boards[*board].parts.len()));
    loop {
        let mut more = false;
        for (number, relation) in &all {
            for first in 0..relation.arity {
                let is_site = |board: &usize| {
                    first + boards[*board].parts.len() <= relation.arity
                        && fits(relation, &types.columns[*number], first, &boards[*board])
                        && used_as_site(program, relation, first, *board, boards, &found)
                };
                let Some(board) = widest.iter().copied().find(is_site) else { continue };
                let end = |first: usize, board: usize| first + boards[board].parts.len();
                let apart =
                    |(other, of): &Site| end(*other, *of) <= first || end(first, board) <= *other;
                if found[*number].iter().all(apart) {
                    found[*number].push((first, board));
                    found[*number].sort_unstable();
                    more = true;
                }
            }
        }
        if !more {
            return found;
        }
    }
}

/// Whether all values of these arguments are on a board.
fn fits(relation: &Relation, columns: &[Domain], first: usize, board: &Board) -> bool {
    board.parts.iter().enumerate().all(|(part, values)| {
        let all = Domain::of(values.iter().copied());
        let alike = relation.needs_bound[first] == relation.needs_bound[first + part];
        alike && !all.gaps && !all.clone().join(&columns[first + part])
    })
}

/// Whether some clause uses an argument and the next ones as a site of a board, or a calculation or a static relation leads
/// from them to one or from one to them, where no variable comes twice among them.
fn used_as_site(
    program: &Program,
    relation: &Relation,
    first: usize,
    board: usize,
    boards: &[Board],
    found: &[Vec<Site>],
) -> bool {
    let width = boards[board].parts.len();
    let mut used = false;
    for id in &relation.clauses {
        let clause = program.clause(*id);
        let head = &clause.head[first..first + width];
        let named = variables(head);
        if named.iter().collect::<FxHashSet<_>>().len() < named.len() {
            return false;
        }
        let mut sites: Vec<&[Term]> = Vec::new();
        let mut calculated: Vec<(&Term, &Expression)> = Vec::new();
        let mut related: Vec<&[Term]> = Vec::new();
        // the other sites of the head too
        sites.extend(sites_of(found, clause.relation, &clause.head, board, width));
        clause.body.walk(&mut |goal| match &goal.kind {
            GoalKind::Call(called, args) => {
                sites.extend(sites_of(found, *called, args, board, width));
                if program.relation(*called).kind == Kind::Static {
                    related.push(args);
                }
            }
            GoalKind::Is(result, e) => calculated.push((result, e)),
            _ => {}
        });
        let leads = |from: &Term, to: &Term| {
            let Term::Variable(v) = from else { return from == to };
            from == to
                || related.iter().any(|args| args.contains(from) && args.contains(to))
                || calculated.iter().any(|(result, e)| {
                    let (mut one, mut other) = (false, false);
                    e.each_variable(&mut |met| {
                        one |= met == *v;
                        other |= *to == Term::Variable(met);
                    });
                    one && *result == to || other && *result == from
                })
        };
        used |= sites.iter().any(|site| head.iter().zip(*site).all(|(from, to)| leads(from, to)));
    }
    used
}

/// The arguments that are sites of a board.
fn sites_of<'t>(
    found: &[Vec<Site>],
    relation: RelationId,
    args: &'t [Term],
    board: usize,
    width: usize,
) -> impl Iterator<Item = &'t [Term]> {
    let of_board = found[relation.0 as usize].iter().filter(move |(_, of)| *of == board);
    of_board.map(move |(at, _)| &args[*at..at + width])
}

struct Pass {
    boards: Vec<Board>,
    /// For each fluent, the keys that are a site.
    fluents: Vec<Option<Site>>,
    /// For each relation, the arguments that are sites.
    relations: Vec<Vec<Site>>,
    /// The updates whose keys stay as they are.
    leaving: FxHashSet<Span>,
    /// They do so; where the types are inferred they update some site instead.
    kept: bool,
    values: Values,
}

impl Pass {
    fn clause(&mut self, clause: &mut Clause) {
        self.join_all(clause.relation, &mut clause.head);
        self.goal(&mut clause.body);
    }

    fn goal(&mut self, goal: &mut Goal) {
        for expression in goal.expressions_mut() {
            self.expression(expression);
        }
        match &mut goal.kind {
            GoalKind::Call(relation, args) => self.join_all(*relation, args),
            GoalKind::Assign(fluent, keys, _)
            | GoalKind::AssignNumber(fluent, keys, _)
            | GoalKind::Clear(fluent, keys)
            | GoalKind::Set(fluent, keys) => match self.fluents[fluent.0 as usize] {
                Some(_) if self.kept && self.leaving.contains(&goal.span) => {}
                Some((first, board)) => {
                    if self.leaving.contains(&goal.span) {
                        let parts = &self.boards[board].parts;
                        for (key, part) in keys[first..].iter_mut().zip(parts) {
                            *key = Term::Constant(part[0]);
                        }
                    }
                    self.join(keys, first, board);
                }
                None => {}
            },
            _ => {}
        }
        goal.children_mut().into_iter().for_each(|child| self.goal(child));
    }

    fn expression(&mut self, e: &mut Expression) {
        match e {
            Expression::Integer(_) | Expression::Variable(_) => {}
            Expression::Fluent(fluent, keys) => {
                if let Some((first, board)) = self.fluents[fluent.0 as usize] {
                    self.join(keys, first, board);
                }
            }
            Expression::Operation(_, inner) => inner.iter_mut().for_each(|e| self.expression(e)),
        }
    }

    fn join_all(&mut self, relation: RelationId, args: &mut Vec<Term>) {
        for (first, board) in self.relations[relation.0 as usize].clone().into_iter().rev() {
            self.join(args, first, board);
        }
    }

    /// Makes one term of those that are a site.
    fn join(&mut self, terms: &mut Vec<Term>, first: usize, board: usize) {
        let Board { parts, name } = &self.boards[board];
        let parts: Vec<Term> = terms.drain(first..first + parts.len()).collect();
        let constants = parts.iter().map(|part| match part {
            Term::Constant(value) => Some(*value),
            _ => None,
        });
        let site = match constants.collect::<Option<Vec<Value>>>() {
            Some(values) => Term::Constant(self.values.compound(name, &values)),
            None => Term::Compound(name.clone(), parts),
        };
        terms.insert(first, site);
    }
}
