//! Shows a program: its relations by stratum with their kinds, and the graph for Graphviz.

use std::fmt::Write;

use petgraph::visit::EdgeRef;

use super::{
    Aggregate, Clause, DomainSpec, Expression, FluentShape, Goal, GoalKind, Kind, Program, Term,
    Values,
};
use crate::source::Span;
use crate::syntax::{self, TermKind, print_term};

/// The program as `ludex show program` prints it.
pub fn print_program(program: &Program) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "game \"{}\"", program.title);
    let _ = writeln!(out, "players {}", program.values.show_all(&program.players));
    for option in program.options.values() {
        let fixed = if option.fixed { " (fixed)" } else { "" };
        let _ =
            writeln!(out, "option {} = {}{fixed}", option.name, program.values.show(option.value));
    }
    for fluent in &program.fluents {
        let keys: Vec<String> = fluent.keys.iter().map(|k| domain(program, k)).collect();
        let keys = if keys.is_empty() { String::new() } else { format!("({})", keys.join(", ")) };
        let _ = write!(out, "state {}{keys}", fluent.name);
        if let FluentShape::Map { value, initial, .. } = &fluent.shape {
            let _ = write!(out, " -> {}", domain(program, value));
            if let Some(initial) = initial {
                let _ = write!(out, " = {}", program.values.show(*initial));
            }
        }
        let _ = writeln!(out, "{}", if fluent.aside { " (aside)" } else { "" });
    }
    for (number, component) in program.graph.components.iter().enumerate() {
        let shown: Vec<_> = component
            .iter()
            .map(|id| program.relation(*id))
            .filter(|r| !r.clauses.is_empty())
            .collect();
        if shown.is_empty() {
            continue;
        }
        let _ = writeln!(out, "\n% component {number}, stratum {}", shown[0].stratum);
        for relation in shown {
            let kind = match relation.kind {
                Kind::Static => "static",
                Kind::Derived => "derived",
                Kind::Action => "action",
                Kind::Fluent(_) => "fluent",
            };
            let recursive = if relation.recursive { ", recursive" } else { "" };
            let needs: Vec<String> = relation
                .needs_bound
                .iter()
                .enumerate()
                .filter(|(_, n)| **n)
                .map(|(i, _)| (i + 1).to_string())
                .collect();
            let needs = match needs.is_empty() {
                true => String::new(),
                false => format!(", needs argument {} bound", needs.join(" and ")),
            };
            let _ = writeln!(out, "% {}: {kind}{recursive}{needs}", relation.indicator());
            for clause in &relation.clauses {
                let clause = program.clause(*clause);
                let _ = writeln!(
                    out,
                    "{}  % {}",
                    print_clause(program, clause),
                    program.sources.place(clause.span)
                );
            }
        }
    }
    out
}

fn domain(program: &Program, spec: &DomainSpec) -> String {
    match spec {
        DomainSpec::Values(values) => format!("{{{}}}", program.values.show_all(values)),
        DomainSpec::Range(lo, hi) => format!("{lo}..{hi}"),
        DomainSpec::Relation(id) => program.relation(*id).name.clone(),
    }
}

/// A clause with resolved names, on one line.
fn print_clause(program: &Program, clause: &Clause) -> String {
    let head = head_term(program, clause);
    match clause.body.kind {
        GoalKind::True => format!("{}.", print_term(&head)),
        _ => format!("{} :- {}.", print_term(&head), print_goal(program, clause, &clause.body)),
    }
}

fn head_term(program: &Program, clause: &Clause) -> syntax::Term {
    call(program, &program.relation(clause.relation).name, &clause.head, clause)
}

/// A goal as rule files write it.
pub fn print_goal(program: &Program, clause: &Clause, goal: &Goal) -> String {
    print_term(&goal_term(program, clause, goal))
}

fn make(kind: TermKind) -> syntax::Term {
    syntax::Term::new(kind, Span::NONE)
}

fn compound(name: &str, args: Vec<syntax::Term>) -> syntax::Term {
    if args.is_empty() {
        make(TermKind::Atom(name.to_string()))
    } else {
        make(TermKind::Compound(name.to_string(), args))
    }
}

fn call(program: &Program, name: &str, args: &[Term], clause: &Clause) -> syntax::Term {
    let args: Vec<_> = args.iter().map(|a| term(&program.values, clause, a)).collect();
    match name.strip_prefix("init ") {
        Some(fluent) => compound("init", vec![compound(fluent, args)]),
        None => compound(name, args),
    }
}

fn term(values: &Values, clause: &Clause, t: &Term) -> syntax::Term {
    match t {
        Term::Variable(v) => make(TermKind::Variable(clause.variables[v.0 as usize].name.clone())),
        Term::Constant(value) => values.to_term(*value),
        Term::Compound(name, args) => {
            compound(name, args.iter().map(|a| term(values, clause, a)).collect())
        }
        Term::List(items, tail) => make(TermKind::List(
            items.iter().map(|a| term(values, clause, a)).collect(),
            tail.as_ref().map(|t| Box::new(term(values, clause, t))),
        )),
    }
}

fn expression(program: &Program, clause: &Clause, e: &Expression) -> syntax::Term {
    match e {
        Expression::Integer(n) => make(TermKind::Integer(*n)),
        Expression::Variable(v) => {
            make(TermKind::Variable(clause.variables[v.0 as usize].name.clone()))
        }
        Expression::Fluent(f, keys) => call(program, &program.fluent(*f).name, keys, clause),
        Expression::Operation(op, args) => {
            compound(op.name(), args.iter().map(|a| expression(program, clause, a)).collect())
        }
    }
}

fn goal_term(program: &Program, clause: &Clause, goal: &Goal) -> syntax::Term {
    let sub = |g: &Goal| goal_term(program, clause, g);
    let t = |x: &Term| term(&program.values, clause, x);
    let e = |x: &Expression| expression(program, clause, x);
    let nest = |op: &str, goals: &[Goal]| {
        let mut terms: Vec<_> = goals.iter().map(sub).collect();
        let last = terms.pop().unwrap_or_else(|| compound("true", Vec::new()));
        terms.into_iter().rev().fold(last, |rest, t| compound(op, vec![t, rest]))
    };
    match &goal.kind {
        GoalKind::True => compound("true", vec![]),
        GoalKind::Fail => compound("fail", vec![]),
        GoalKind::Call(id, args) => call(program, &program.relation(*id).name, args, clause),
        GoalKind::And(goals) => nest(",", goals),
        GoalKind::Or(goals) => nest(";", goals),
        GoalKind::If(c, a, b) => {
            let arrow = compound("->", vec![sub(c), sub(a)]);
            if b.kind == GoalKind::Fail { arrow } else { compound(";", vec![arrow, sub(b)]) }
        }
        GoalKind::Not(g) => compound("\\+", vec![sub(g)]),
        GoalKind::Forall(a, b) => compound("forall", vec![sub(a), sub(b)]),
        GoalKind::Once(g) => compound("once", vec![sub(g)]),
        GoalKind::Each(a, b) => compound("each", vec![sub(a), sub(b)]),
        GoalKind::Unify(a, b) => compound("=", vec![t(a), t(b)]),
        GoalKind::Differ(a, b) => compound("\\=", vec![t(a), t(b)]),
        GoalKind::Compare(op, a, b) => compound(op.name(), vec![e(a), e(b)]),
        GoalKind::Is(x, y) => compound("is", vec![t(x), e(y)]),
        GoalKind::In(x, lo, hi) => compound("in", vec![t(x), compound("..", vec![e(lo), e(hi)])]),
        GoalKind::BuiltIn(b, args) => compound(b.name(), args.iter().map(t).collect()),
        GoalKind::Aggregate(kind, template, g, result) => {
            let name = match kind {
                Aggregate::Count => "count",
                Aggregate::Sum => "sum",
                Aggregate::Max => "max",
                Aggregate::Min => "min",
                Aggregate::Findall => "findall",
            };
            compound(name, vec![t(template), sub(g), t(result)])
        }
        GoalKind::Legal(m) => compound("legal", vec![t(m)]),
        GoalKind::Stuck => compound("stuck", vec![]),
        GoalKind::Repeated(n) => compound("repeated", vec![t(n)]),
        GoalKind::RepeatedBoard(n) => compound("repeated_board", vec![t(n)]),
        GoalKind::Assign(f, keys, value) => {
            compound(":=", vec![call(program, &program.fluent(*f).name, keys, clause), t(value)])
        }
        GoalKind::AssignNumber(f, keys, value) => {
            compound(":=", vec![call(program, &program.fluent(*f).name, keys, clause), e(value)])
        }
        GoalKind::Clear(f, keys) => {
            compound("clear", vec![call(program, &program.fluent(*f).name, keys, clause)])
        }
        GoalKind::Set(f, keys) => {
            compound("set", vec![call(program, &program.fluent(*f).name, keys, clause)])
        }
        GoalKind::Again => compound("again", vec![]),
    }
}

/// The dependency graph for Graphviz: solid arrows for plain use, dashed for negative.
pub fn to_dot(program: &Program) -> String {
    let mut out =
        String::from("digraph program {\n  rankdir=LR;\n  node [shape=box, fontname=sans];\n");
    let used = |i: usize| {
        let r = &program.relations[i];
        !r.clauses.is_empty() || matches!(r.kind, Kind::Fluent(_))
    };
    for (i, relation) in program.relations.iter().enumerate().filter(|(i, _)| used(*i)) {
        let colour = match relation.kind {
            Kind::Static => "white",
            Kind::Derived => "lightyellow",
            Kind::Action => "lightsalmon",
            Kind::Fluent(_) => "lightblue",
        };
        let _ = writeln!(
            out,
            "  r{i} [label=\"{}\", style=filled, fillcolor={colour}];",
            relation.indicator().replace('"', "\\\"")
        );
    }
    let mut seen = indexmap::IndexSet::new();
    for edge in program.graph.graph.edge_references() {
        let (a, b) = (edge.source().index(), edge.target().index());
        if used(a) && used(b) {
            seen.insert((a, b, edge.weight().negative));
        }
    }
    for (a, b, negative) in seen {
        let style = if negative { " [style=dashed]" } else { "" };
        let _ = writeln!(out, "  r{a} -> r{b}{style};");
    }
    out.push_str("}\n");
    out
}
