//! The dependency graph of relations, and from it kinds and strata.
//!
//! An edge leads from a relation to one that its clauses use. It is negative inside a negation,
//! `forall`, an aggregate or `after`, and for `legal` and `stuck`. Strongly connected components (Tarjan, by
//! petgraph) come out dependencies first, which is the order of evaluation.

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;

use crate::source::Span;

use super::{Aggregate, ClauseId, Expression, Goal, GoalKind, Kind, Program, RelationId};

/// Why one relation depends on another.
#[derive(Debug, Clone, Copy)]
pub struct Dependency {
    /// Through a negation, an aggregate or `after`: the whole relation must be known first.
    pub negative: bool,
    /// The clause that contains the call.
    pub clause: ClauseId,
    /// The goal that contains the call.
    pub span: Span,
}

/// The dependency graph; node `i` is relation `i`.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    /// An edge for each use of one relation by another.
    pub graph: DiGraph<RelationId, Dependency>,
    /// Strongly connected components, dependencies first.
    pub components: Vec<Vec<RelationId>>,
}

impl Graph {
    /// The calls from one relation to others.
    pub fn calls(&self, from: RelationId) -> impl Iterator<Item = (RelationId, &Dependency)> {
        self.graph
            .edges(NodeIndex::new(from.0 as usize))
            .map(|e| (self.graph[e.target()], e.weight()))
    }

    /// The relations that a relation depends on and that depend on it in turn, itself among them.
    pub fn component_of(&self, id: RelationId) -> &[RelationId] {
        let component = self.components.iter().find(|component| component.contains(&id));
        component.map_or(&[], Vec::as_slice)
    }

    /// Whether a relation depends on no other one that depends on it in turn.
    pub fn is_alone(&self, id: RelationId) -> bool {
        self.component_of(id) == [id]
    }
}

impl Program {
    /// Whether the answers of a relation to a call may change from position to position.
    pub fn reads_position(&self, relation: RelationId) -> bool {
        let (mut seen, mut next) = (vec![false; self.relations.len()], vec![relation]);
        while let Some(id) = next.pop() {
            if std::mem::replace(&mut seen[id.0 as usize], true) {
                continue;
            }
            let relation = self.relation(id);
            let mut reads = matches!(relation.kind, Kind::Fluent(_) | Kind::Action);
            for clause in &relation.clauses {
                let body = &self.clause(*clause).body;
                body.walk(&mut |g| reads |= kind_of(g) != Kind::Static);
            }
            if reads {
                return true;
            }
            next.extend(self.graph.calls(id).map(|(used, _)| used));
        }
        false
    }
}

/// The kind that a goal gives its relation, apart from what it calls.
fn kind_of(goal: &Goal) -> Kind {
    match &goal.kind {
        _ if goal.is_update() => Kind::Action,
        GoalKind::After(..) => Kind::Derived,
        _ if goal.looks_around() => Kind::Derived,
        _ => Kind::Static,
    }
}

/// Builds the graph and sets each relation's kind, stratum and `recursive`.
pub(super) fn classify(program: &mut Program) {
    reconnect(program);
    kinds(program);
}

/// Builds the graph of relations whose kinds are known, and sets each relation's stratum and
/// `recursive`.
pub(crate) fn reconnect(program: &mut Program) {
    let graph = build(program);
    let components: Vec<Vec<RelationId>> = tarjan_scc(&graph)
        .into_iter()
        .map(|c| {
            let mut ids: Vec<RelationId> = c.into_iter().map(|n| graph[n]).collect();
            ids.sort_unstable();
            ids
        })
        .collect();
    program.graph = Graph { graph, components };
    strata(program);
}

fn build(program: &Program) -> DiGraph<RelationId, Dependency> {
    let mut graph = DiGraph::new();
    for i in 0..program.relations.len() {
        graph.add_node(RelationId(i as u32));
    }
    let node = |id: RelationId| NodeIndex::new(id.0 as usize);
    // a clause that is rewritten for the plan belongs to no relation any more
    let mut held = vec![false; program.clauses.len()];
    program.relations.iter().flat_map(|r| &r.clauses).for_each(|id| held[id.0 as usize] = true);
    for (i, clause) in program.clauses.iter().enumerate().filter(|(i, _)| held[*i]) {
        let id = ClauseId(i as u32);
        each_use(program, &clause.body, false, &mut |relation, negative, span| {
            graph.add_edge(
                node(clause.relation),
                node(relation),
                Dependency { negative, clause: id, span },
            );
        });
    }
    graph
}

/// Calls `visit(relation, negative, place)` for every relation that a goal uses.
fn each_use(
    program: &Program,
    goal: &Goal,
    negative: bool,
    visit: &mut impl FnMut(RelationId, bool, Span),
) {
    for expression in goal.expressions() {
        expression_uses(program, expression, &mut |r| visit(r, negative, goal.span));
    }
    match &goal.kind {
        GoalKind::Call(relation, _) => visit(*relation, negative, goal.span),
        GoalKind::Legal(_) | GoalKind::Stuck => {
            let special = &program.special;
            for relation in [special.moves, special.chance, special.rank].into_iter().flatten() {
                visit(relation, true, goal.span);
            }
        }
        GoalKind::Not(inner) | GoalKind::Aggregate(_, _, inner, _) => {
            if let GoalKind::Aggregate(Aggregate::Groups(beside), ..) = goal.kind {
                visit(beside, true, goal.span);
            }
            each_use(program, inner, true, visit);
        }
        GoalKind::Forall(all, hold) => {
            each_use(program, all, true, visit);
            each_use(program, hold, true, visit);
        }
        GoalKind::If(condition, then, otherwise) => {
            each_use(program, condition, true, visit);
            each_use(program, then, negative, visit);
            each_use(program, otherwise, negative, visit);
        }
        // it speaks of another position, in which nothing is known yet
        GoalKind::After(action, then, _) => {
            each_use(program, action, true, visit);
            each_use(program, then, true, visit);
        }
        GoalKind::Each(all, action) => {
            each_use(program, all, true, visit);
            each_use(program, action, negative, visit);
        }
        _ => goal.children().into_iter().for_each(|g| each_use(program, g, negative, visit)),
    }
}

fn expression_uses(program: &Program, expression: &Expression, visit: &mut impl FnMut(RelationId)) {
    match expression {
        Expression::Fluent(fluent, _) => visit(program.fluent(*fluent).relation),
        Expression::Operation(_, args) => {
            args.iter().for_each(|a| expression_uses(program, a, visit));
        }
        Expression::Integer(_) | Expression::Variable(_) => {}
    }
}

fn strata(program: &mut Program) {
    let graph = std::mem::take(&mut program.graph);
    for component in &graph.components {
        let mut stratum = 0;
        let mut recursive = component.len() > 1;
        for id in component {
            for (used, _) in graph.calls(*id) {
                if component.contains(&used) {
                    recursive = true;
                } else {
                    stratum = stratum.max(program.relation(used).stratum + 1);
                }
            }
        }
        for id in component {
            let relation = &mut program.relations[id.0 as usize];
            relation.stratum = stratum;
            relation.recursive = recursive;
        }
    }
    program.graph = graph;
}

fn kinds(program: &mut Program) {
    let special = program.special;
    let graph = std::mem::take(&mut program.graph);
    for component in &graph.components {
        let mut kind = Kind::Static;
        for id in component {
            let relation = program.relation(*id);
            if matches!(relation.kind, Kind::Fluent(_)) {
                continue;
            }
            if special.moves == Some(*id) || special.chance == Some(*id) {
                kind = Kind::Action;
            }
            // asked for a move or a player that is given
            let asked = [special.rank, special.weight, special.score, special.value];
            let told = [special.notation, special.style, special.alias, special.says];
            let asked = asked.into_iter().chain(told);
            let ends = relation.arity == 1 && matches!(relation.name.as_str(), "win" | "lose");
            if ends || asked.flatten().any(|asked| asked == *id) {
                kind = stronger(kind, Kind::Derived);
            }
            for clause in &relation.clauses {
                let body = &program.clause(*clause).body;
                body.walk_here(&mut |g| kind = stronger(kind, kind_of(g)));
            }
            for (used, dependency) in graph.calls(*id) {
                if component.contains(&used) {
                    continue;
                }
                let used = program.relation(used).kind;
                // `legal` uses the moves without being an action itself
                kind = stronger(
                    kind,
                    match used {
                        Kind::Fluent(_) => Kind::Derived,
                        Kind::Action if dependency.negative => Kind::Derived,
                        other => other,
                    },
                );
            }
        }
        for id in component {
            let relation = &mut program.relations[id.0 as usize];
            if !matches!(relation.kind, Kind::Fluent(_)) {
                relation.kind = kind;
            }
        }
    }
    program.graph = graph;
}

fn stronger(a: Kind, b: Kind) -> Kind {
    match (a, b) {
        (Kind::Action, _) | (_, Kind::Action) => Kind::Action,
        (Kind::Derived, _) | (_, Kind::Derived) => Kind::Derived,
        _ => a,
    }
}
