//! Boards of numbered columns and rows, with a name for each of their sites.
//!
//! A map such as `at(col, row) -> piece` over two runs of numbers has a site for each pair of them. The plan is made of a
//! program in which the pair is one key, a compound, and a pair of arguments that is used as such a key is one argument. What
//! the rules then say of columns and rows are goals about patterns, which `lower/patterns.rs` makes goals about sites. People
//! and all other stages see the program as it is written.

use crate::datalog::Tables;
use crate::program::{
    Clause, DomainSpec, Expression, FluentId, FluentShape, Goal, GoalKind, Kind, Program, Relation,
    RelationId, Term, Value, Values,
};
use crate::types::{Domain, Types};

use super::layout::Axis;
use super::universe::MAX_SET;

/// Two runs of numbers whose pairs are sites.
#[derive(Debug, Clone, PartialEq)]
struct Board {
    columns: (i64, i64),
    rows: (i64, i64),
    /// The name of the compounds, which no other constant has.
    name: String,
}

/// The axes of the keys of a map or set as they are declared, where they are one key of the plan.
pub(crate) type Declared = Vec<(FluentId, [Axis; 2])>;

/// The program for the plan.
#[derive(Debug)]
pub(crate) struct Paired {
    /// The program with one key for each pair.
    pub program: Program,
    /// What it declares otherwise.
    pub declared: Declared,
}

/// The program with one key for each pair of numbers that is a site; `None` where it has no such maps.
pub(crate) fn rewrite(program: &Program, tables: &Tables, types: &Types) -> Option<Paired> {
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
        let ((left, right), (low, high)) = (board.columns, board.rows);
        let pairs = (left..=right).flat_map(|x| (low..=high).map(move |y| (x, y)));
        let sites = pairs.map(|(x, y)| {
            made.values.compound(&board.name, &[Value::Integer(x), Value::Integer(y)])
        });
        let fluent = &mut made.fluents[at];
        fluent.keys = vec![DomainSpec::Values(sites.collect())];
        fluent.key_spans.truncate(1);
        let axes = [board.columns, board.rows].map(|(lo, hi)| Axis::run(lo, hi));
        declared.push((FluentId(at as u32), axes));
    }
    let mut relations = arguments(program, types, &boards, &fluents);
    for (fluent, board) in program.fluents.iter().zip(&fluents) {
        relations[fluent.relation.0 as usize] = board.map(|board| (0, board));
    }
    let mut pass = Pass { boards, fluents, relations, values: std::mem::take(&mut made.values) };
    for clause in &mut made.clauses {
        pass.clause(clause);
    }
    for (relation, board) in made.relations.iter_mut().zip(&pass.relations) {
        if let Some((first, _)) = board {
            relation.arity -= 1;
            relation.needs_bound.remove(first + 1);
        }
    }
    made.values = pass.values;
    Some(Paired { program: made, declared })
}

/// The board whose sites are the keys of a map or set, unless an update may leave it.
fn board_of(
    program: &Program,
    tables: &Tables,
    types: &Types,
    id: FluentId,
    boards: &mut Vec<Board>,
) -> Option<usize> {
    let fluent = program.fluent(id);
    let [columns, rows] = &fluent.keys[..] else { return None };
    let (columns, rows) = (run(tables, columns)?, run(tables, rows)?);
    let size = |(lo, hi): (i64, i64)| (hi - lo + 1) as usize;
    if size(columns) < 2 || size(rows) < 2 || size(columns).checked_mul(size(rows))? > MAX_SET {
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

/// A domain of successive numbers, in ascending order.
fn run(tables: &Tables, domain: &DomainSpec) -> Option<(i64, i64)> {
    let values: Option<Vec<i64>> = tables.domain(domain).iter().map(|v| v.integer()).collect();
    let values = values?;
    let (first, last) = (*values.first()?, *values.last()?);
    values.windows(2).all(|two| two[0] + 1 == two[1]).then_some((first, last))
}

/// Whether a goal itself reads or updates a fluent.
fn mentions(goal: &Goal, id: FluentId) -> bool {
    fn read(e: &Expression, id: FluentId) -> bool {
        match e {
            Expression::Integer(_) | Expression::Variable(_) => false,
            Expression::Fluent(fluent, _) => *fluent == id,
            Expression::Operation(_, inner) => inner.iter().any(|e| read(e, id)),
        }
    }
    match &goal.kind {
        GoalKind::Assign(fluent, ..)
        | GoalKind::AssignNumber(fluent, ..)
        | GoalKind::Clear(fluent, _)
        | GoalKind::Set(fluent, _)
            if *fluent == id =>
        {
            true
        }
        _ => goal.expressions().into_iter().any(|e| read(e, id)),
    }
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

/// For each relation, the first of two neighbouring arguments that are a site of a board, and the board.
fn arguments(
    program: &Program,
    types: &Types,
    boards: &[Board],
    fluents: &[Option<usize>],
) -> Vec<Option<(usize, usize)>> {
    let mut found = vec![None; program.relations.len()];
    let special: Vec<RelationId> = program.special.all().collect();
    for (at, relation) in program.relations.iter().enumerate() {
        let id = RelationId(at as u32);
        let ends = program.ends.iter().any(|(_, clause)| program.clause(*clause).relation == id);
        if relation.kind != Kind::Derived || relation.built_in || special.contains(&id) || ends {
            continue;
        }
        found[at] = (0..relation.arity.saturating_sub(1)).find_map(|first| {
            let board = used_as_site(program, relation, first, fluents)?;
            let Board { columns, rows, .. } = boards[board];
            let within = |column: usize, (lo, hi): (i64, i64)| {
                let domain = types.column(id, column);
                let only = Domain { integers: None, gaps: false, ..domain.clone() } == Domain::default();
                only && domain.integers.is_some_and(|(least, most)| lo <= least && most <= hi)
            };
            let fits = within(first, columns) && within(first + 1, rows);
            let alike = relation.needs_bound[first] == relation.needs_bound[first + 1];
            (fits && alike).then_some((first, board))
        });
    }
    found
}

/// The board for which a clause uses an argument and the next one as a key, where they are variables in all clauses.
fn used_as_site(
    program: &Program,
    relation: &Relation,
    first: usize,
    fluents: &[Option<usize>],
) -> Option<usize> {
    let mut board = None;
    for id in &relation.clauses {
        let clause = program.clause(*id);
        let pair @ [Term::Variable(x), Term::Variable(y)] = &clause.head[first..first + 2] else {
            return None;
        };
        if x == y {
            return None;
        }
        clause.body.walk(&mut |goal| {
            if let GoalKind::Call(called, args) = &goal.kind
                && let Kind::Fluent(fluent) = program.relation(*called).kind
                && args[..2.min(args.len())] == *pair
            {
                board = board.or(fluents[fluent.0 as usize]);
            }
        });
    }
    board
}

struct Pass {
    boards: Vec<Board>,
    /// For each fluent, its board.
    fluents: Vec<Option<usize>>,
    /// For each relation, the first of two arguments that are a site, and the board.
    relations: Vec<Option<(usize, usize)>>,
    values: Values,
}

impl Pass {
    fn clause(&mut self, clause: &mut Clause) {
        if let Some((first, board)) = self.relations[clause.relation.0 as usize] {
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
                if let Some((first, board)) = self.relations[relation.0 as usize] {
                    self.pair(args, first, board);
                }
            }
            GoalKind::Assign(fluent, keys, _)
            | GoalKind::AssignNumber(fluent, keys, _)
            | GoalKind::Clear(fluent, keys)
            | GoalKind::Set(fluent, keys) => {
                if let Some(board) = self.fluents[fluent.0 as usize] {
                    self.pair(keys, 0, board);
                }
            }
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
