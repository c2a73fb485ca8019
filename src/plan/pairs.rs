//! Boards of columns and rows, with a name for each of their sites.
//!
//! A map such as `at(col, row) -> piece` over two domains of numbers has a site for each pair of them; so has one over letters and
//! numbers, where the rules lead from one letter to another as from one number to another. The plan is made of a
//! program in which the pair is one key, a compound, and a pair of arguments that is used as such a key is one argument. What
//! the rules then say of columns and rows are goals about patterns, which `lower/patterns.rs` makes goals about sites. People
//! and all other stages see the program as it is written.

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

/// Two domains whose pairs are sites.
#[derive(Debug, Clone, PartialEq)]
struct Board {
    columns: Vec<Value>,
    rows: Vec<Value>,
    /// The name of the compounds, which no other constant has.
    name: String,
}

/// The values of the keys of maps and sets as they are declared, where they are one key of the plan.
pub(crate) type Declared = Vec<(FluentId, [Vec<Value>; 2])>;

/// The program for the plan.
#[derive(Debug)]
pub(crate) struct Paired {
    /// The program with one key for each pair.
    pub program: Program,
    /// Its types.
    pub types: Types,
    /// What it declares otherwise.
    pub declared: Declared,
}

/// The program with one key for each pair that is a site; `None` where it has no such maps, or where its types have
/// faults. Where `stopped` returns true it ends early, and the result is incomplete.
pub(crate) fn rewrite(
    program: &Program,
    tables: &Tables,
    types: &Types,
    stopped: &dyn Fn() -> bool,
) -> Option<Paired> {
    let mut boards: Vec<Board> = Vec::new();
    let fluents: Vec<Option<usize>> = (0..program.fluents.len())
        .map(|at| board_of(program, tables, types, FluentId(at as u32), &mut boards))
        .collect();
    if boards.is_empty() {
        return None;
    }
    let mut made = program.clone();
    let mut declared = Vec::new();
    for (at, board) in fluents.iter().enumerate() {
        let Some(board) = board.map(|board| &boards[board]) else { continue };
        let pairs = board.columns.iter().flat_map(|x| board.rows.iter().map(move |y| [*x, *y]));
        let sites: Vec<Value> =
            pairs.map(|pair| made.values.compound(&board.name, &pair)).collect();
        let fluent = &mut made.fluents[at];
        fluent.keys = vec![DomainSpec::Values(sites)];
        fluent.key_spans.truncate(1);
        declared.push((FluentId(at as u32), [board.columns.clone(), board.rows.clone()]));
    }
    let relations = arguments(program, types, &boards, &fluents);
    let leaving = leaving(program, types, &fluents);
    let values = std::mem::take(&mut made.values);
    let mut pass = Pass { boards, fluents, relations, leaving, values, kept: false };
    for clause in &mut made.clauses {
        pass.clause(clause);
    }
    for (relation, sites) in made.relations.iter_mut().zip(&pass.relations) {
        for (first, _) in sites.iter().rev() {
            relation.arity -= 1;
            relation.needs_bound.remove(first + 1);
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
    fits.then_some(Paired { program: made, types, declared })
}

/// The updates that may leave their board, which is a rule error: their keys are looked for as they are declared.
fn leaving(program: &Program, types: &Types, fluents: &[Option<usize>]) -> FxHashSet<Span> {
    let mut found = FxHashSet::default();
    for clause in &program.clauses {
        clause.body.walk(&mut |goal| {
            let (GoalKind::Assign(fluent, ..)
            | GoalKind::Clear(fluent, _)
            | GoalKind::Set(fluent, _)) = &goal.kind
            else {
                return;
            };
            if fluents[fluent.0 as usize].is_some() && types.may_raise.contains(&goal.span) {
                found.insert(goal.span);
            }
        });
    }
    found
}

/// The board whose sites are the keys of a map or set, unless an expression may leave it.
fn board_of(
    program: &Program,
    tables: &Tables,
    types: &Types,
    id: FluentId,
    boards: &mut Vec<Board>,
) -> Option<usize> {
    let fluent = program.fluent(id);
    let [columns, rows] = &fluent.keys[..] else { return None };
    let (columns, rows) = (distinct(tables, columns)?, distinct(tables, rows)?);
    let numbers = |values: &[Value]| values.iter().all(|v| v.integer().is_some());
    let least = columns.len().min(rows.len());
    let steps = || {
        let letters = |values: &[Value]| !is_of_sites(program, tables, values);
        least > 2
            && (numbers(&columns) || letters(&columns))
            && (numbers(&rows) || letters(&rows))
            && leads_on(program, id)
    };
    let known = least > 1 && (numbers(&columns) && numbers(&rows) || steps());
    if !known || columns.len().checked_mul(rows.len())? > MAX_SET {
        return None;
    }
    // numbers are compared rather than looked for, so their planes would not be read
    if matches!(&fluent.shape, FluentShape::Map { value: DomainSpec::Range(..), .. }) {
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
    let same = |board: &Board| board.columns == columns && board.rows == rows;
    if let Some(known) = boards.iter().position(same) {
        return Some(known);
    }
    boards.push(Board { columns, rows, name: free_name(&program.values, boards.len()) });
    Some(boards.len() - 1)
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

/// Whether some clause leads from one key to another one that differs in the first part, and some clause to one that
/// differs in the second.
fn leads_on(program: &Program, id: FluentId) -> bool {
    let mut leads = [false; 2];
    for clause in &program.clauses {
        let mut keys: Vec<&[Term]> = Vec::new();
        clause.body.walk(&mut |goal| match &goal.kind {
            GoalKind::Call(called, args)
                if program.relation(*called).kind == Kind::Fluent(id) && args.len() >= 2 =>
            {
                keys.push(&args[..2]);
            }
            GoalKind::Assign(fluent, all, _)
            | GoalKind::AssignNumber(fluent, all, _)
            | GoalKind::Clear(fluent, all)
            | GoalKind::Set(fluent, all)
                if *fluent == id =>
            {
                keys.push(all);
            }
            _ => {}
        });
        for (part, leads) in leads.iter_mut().enumerate() {
            let variables = keys.iter().filter(|key| matches!(key[part], Term::Variable(_)));
            let mut parts = variables.map(|key| &key[part]);
            let first = parts.next();
            *leads |= parts.any(|part| Some(part) != first);
        }
    }
    leads == [true; 2]
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

/// The first of two neighbouring arguments that are a site, and the board.
type Site = (usize, usize);

/// For each relation, its sites, in the order of the arguments. A site is a key of the state, or calculations lead from
/// one of them to another one.
fn arguments(
    program: &Program,
    types: &Types,
    boards: &[Board],
    fluents: &[Option<usize>],
) -> Vec<Vec<Site>> {
    let mut found: Vec<Vec<Site>> = vec![Vec::new(); program.relations.len()];
    for (fluent, board) in program.fluents.iter().zip(fluents) {
        found[fluent.relation.0 as usize].extend(board.map(|board| (0, board)));
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
    loop {
        let mut more = false;
        for (at, relation) in &all {
            for first in 0..relation.arity.saturating_sub(1) {
                let apart = |(other, _): &Site| first.abs_diff(*other) > 1;
                let board = used_as_site(program, relation, first, &found).filter(|board| {
                    fits(relation, types.columns[*at].as_slice(), first, &boards[*board])
                });
                if let Some(board) = board
                    && found[*at].iter().all(apart)
                {
                    found[*at].push((first, board));
                    found[*at].sort_unstable();
                    more = true;
                }
            }
        }
        if !more {
            return found;
        }
    }
}

/// Whether all values of two arguments are on a board.
fn fits(relation: &Relation, columns: &[Domain], first: usize, board: &Board) -> bool {
    let within = |column: usize, values: &[Value]| {
        let all = Domain::of(values.iter().copied());
        !all.gaps && !all.clone().join(&columns[column])
    };
    let alike = relation.needs_bound[first] == relation.needs_bound[first + 1];
    alike && within(first, &board.columns) && within(first + 1, &board.rows)
}

/// The board for which some clause uses an argument and the next one as a site, or calculates one from them or them from
/// one, where they are variables in all clauses.
fn used_as_site(
    program: &Program,
    relation: &Relation,
    first: usize,
    found: &[Vec<Site>],
) -> Option<usize> {
    let mut board = None;
    for id in &relation.clauses {
        let clause = program.clause(*id);
        let [Term::Variable(x), Term::Variable(y)] = clause.head[first..first + 2] else {
            return None;
        };
        if x == y {
            return None;
        }
        // the other sites of the head too
        let others = found[clause.relation.0 as usize].iter();
        let mut sites: Vec<(&Term, &Term, usize)> =
            others.map(|(at, board)| (&clause.head[*at], &clause.head[at + 1], *board)).collect();
        let mut calculated: Vec<(&Term, &Expression)> = Vec::new();
        clause.body.walk(&mut |goal| match &goal.kind {
            GoalKind::Call(called, args) => {
                let known = found[called.0 as usize].iter();
                sites.extend(known.map(|(at, board)| (&args[*at], &args[at + 1], *board)));
            }
            GoalKind::Is(result, e) => calculated.push((result, e)),
            _ => {}
        });
        let leads = |from: VariableId, to: &Term| {
            *to == Term::Variable(from)
                || calculated.iter().any(|(result, e)| {
                    let (mut one, mut other) = (false, false);
                    e.each_variable(&mut |v| {
                        one |= v == from;
                        other |= *to == Term::Variable(v);
                    });
                    one && *result == to || other && **result == Term::Variable(from)
                })
        };
        let site = sites.iter().find(|(u, v, _)| leads(x, u) && leads(y, v));
        board = board.or(site.map(|(.., board)| *board));
    }
    board
}

struct Pass {
    boards: Vec<Board>,
    /// For each fluent, its board.
    fluents: Vec<Option<usize>>,
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
        for (first, board) in self.relations[clause.relation.0 as usize].clone().into_iter().rev() {
            self.pair(&mut clause.head, first, board);
        }
        self.goal(&mut clause.body);
    }

    fn goal(&mut self, goal: &mut Goal) {
        for expression in goal.expressions_mut() {
            self.expression(expression);
        }
        match &mut goal.kind {
            GoalKind::Call(relation, args) => {
                for (first, board) in self.relations[relation.0 as usize].clone().into_iter().rev()
                {
                    self.pair(args, first, board);
                }
            }
            GoalKind::Assign(fluent, keys, _)
            | GoalKind::AssignNumber(fluent, keys, _)
            | GoalKind::Clear(fluent, keys)
            | GoalKind::Set(fluent, keys) => match self.fluents[fluent.0 as usize] {
                Some(_) if self.kept && self.leaving.contains(&goal.span) => {}
                Some(board) if self.leaving.contains(&goal.span) => {
                    let Board { columns, rows, .. } = &self.boards[board];
                    *keys = vec![Term::Constant(columns[0]), Term::Constant(rows[0])];
                    self.pair(keys, 0, board);
                }
                Some(board) => self.pair(keys, 0, board),
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
                if let Some(board) = self.fluents[fluent.0 as usize] {
                    self.pair(keys, 0, board);
                }
            }
            Expression::Operation(_, inner) => inner.iter_mut().for_each(|e| self.expression(e)),
        }
    }

    /// Makes one term of two.
    fn pair(&mut self, terms: &mut Vec<Term>, first: usize, board: usize) {
        let name = &self.boards[board].name;
        let second = terms.remove(first + 1);
        terms[first] = match (&terms[first], &second) {
            (Term::Constant(x), Term::Constant(y)) => {
                Term::Constant(self.values.compound(name, &[*x, *y]))
            }
            (x, _) => Term::Compound(name.clone(), vec![x.clone(), second]),
        };
    }
}
