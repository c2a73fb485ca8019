//! Prints a program: its relations by stratum with their kinds, and the dependency graph for
//! Graphviz.

use std::fmt::Write;

use petgraph::visit::EdgeRef;

use super::{
    Aggregate, Clause, DomainSpec, Expression, FluentId, FluentShape, Goal, GoalKind, Kind,
    Program, Term, Value, Values, VariableId,
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
    let head = Scope::unbound(program, clause).head();
    match clause.body.kind {
        GoalKind::True => format!("{}.", print_term(&head)),
        _ => format!("{} :- {}.", print_term(&head), print_goal(program, clause, &clause.body)),
    }
}

/// A goal as rule files write it.
pub fn print_goal(program: &Program, clause: &Clause, goal: &Goal) -> String {
    print_term(&Scope::unbound(program, clause).goal(goal))
}

/// A goal with the values of some of its clause's variables in their places; they are values of
/// `values`.
pub fn print_goal_with(
    program: &Program,
    clause: &Clause,
    goal: &Goal,
    values: &Values,
    bindings: &[Option<Value>],
) -> String {
    print_term(&Scope { program, clause, values, bindings }.goal(goal))
}

/// An expression of a clause, with values as in [`print_goal_with`].
pub fn print_expression_with(
    program: &Program,
    clause: &Clause,
    e: &Expression,
    values: &Values,
    bindings: &[Option<Value>],
) -> String {
    print_term(&Scope { program, clause, values, bindings }.expression(e))
}

/// The head of a clause, with values as in [`print_goal_with`].
pub fn print_head_with(
    program: &Program,
    clause: &Clause,
    values: &Values,
    bindings: &[Option<Value>],
) -> String {
    print_term(&Scope { program, clause, values, bindings }.head())
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

/// A clause whose variables may have values.
struct Scope<'s> {
    program: &'s Program,
    clause: &'s Clause,
    values: &'s Values,
    bindings: &'s [Option<Value>],
}

impl<'s> Scope<'s> {
    fn unbound(program: &'s Program, clause: &'s Clause) -> Scope<'s> {
        Scope { program, clause, values: &program.values, bindings: &[] }
    }

    fn head(&self) -> syntax::Term {
        let name = self.clause.end_name.map(Term::Constant);
        let args: Vec<Term> = self.clause.head.iter().cloned().chain(name).collect();
        self.call(&self.program.relation(self.clause.relation).name, &args)
    }

    fn call(&self, name: &str, args: &[Term]) -> syntax::Term {
        let args: Vec<_> = args.iter().map(|a| self.term(a)).collect();
        match name.strip_prefix("init ") {
            Some(fluent) => compound("init", vec![compound(fluent, args)]),
            None => compound(name.strip_prefix("outcome ").unwrap_or(name), args),
        }
    }

    fn fluent(&self, id: FluentId, keys: &[Term]) -> syntax::Term {
        self.call(&self.program.fluent(id).name, keys)
    }

    fn variable(&self, v: VariableId) -> syntax::Term {
        match self.bindings.get(v.0 as usize).copied().flatten() {
            Some(value) => self.values.to_term(value),
            None => {
                let name = &self.clause.variables[v.0 as usize].name;
                let nameless = name.as_bytes().get(1).is_none_or(u8::is_ascii_digit);
                match name.starts_with('_') && nameless && !self.bindings.is_empty() {
                    true => make(TermKind::Anonymous),
                    false => make(TermKind::Variable(name.clone())),
                }
            }
        }
    }

    fn term(&self, t: &Term) -> syntax::Term {
        match t {
            Term::Variable(v) => self.variable(*v),
            Term::Constant(value) => self.values.to_term(*value),
            Term::Compound(name, args) => {
                compound(name, args.iter().map(|a| self.term(a)).collect())
            }
            Term::List(items, tail) => {
                let mut items: Vec<_> = items.iter().map(|a| self.term(a)).collect();
                let tail = match tail.as_ref().map(|t| self.term(t)) {
                    // a known tail forms one list with the items before it
                    Some(syntax::Term { kind: TermKind::List(rest, end), .. }) => {
                        items.extend(rest);
                        end
                    }
                    other => other.map(Box::new),
                };
                make(TermKind::List(items, tail))
            }
        }
    }

    fn expression(&self, e: &Expression) -> syntax::Term {
        match e {
            Expression::Integer(n) => make(TermKind::Integer(*n)),
            Expression::Variable(v) => self.variable(*v),
            Expression::Fluent(f, keys) => self.fluent(*f, keys),
            Expression::Operation(op, args) => {
                compound(op.name(), args.iter().map(|a| self.expression(a)).collect())
            }
        }
    }

    fn goal(&self, goal: &Goal) -> syntax::Term {
        let sub = |g: &Goal| self.goal(g);
        let t = |x: &Term| self.term(x);
        let e = |x: &Expression| self.expression(x);
        let nest = |op: &str, goals: &[Goal]| {
            let mut terms: Vec<_> = goals.iter().map(sub).collect();
            let last = terms.pop().unwrap_or_else(|| compound("true", Vec::new()));
            terms.into_iter().rev().fold(last, |rest, t| compound(op, vec![t, rest]))
        };
        match &goal.kind {
            GoalKind::True => compound("true", vec![]),
            GoalKind::Fail => compound("fail", vec![]),
            GoalKind::Call(id, args) => self.call(&self.program.relation(*id).name, args),
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
            GoalKind::After(a, b, _) => compound("after", vec![sub(a), sub(b)]),
            GoalKind::Unify(a, b) => compound("=", vec![t(a), t(b)]),
            GoalKind::Differ(a, b) => compound("\\=", vec![t(a), t(b)]),
            GoalKind::Compare(op, a, b) => compound(op.name(), vec![e(a), e(b)]),
            GoalKind::Is(x, y) => compound("is", vec![t(x), e(y)]),
            GoalKind::In(x, lo, hi) => {
                compound("in", vec![t(x), compound("..", vec![e(lo), e(hi)])])
            }
            GoalKind::BuiltIn(b, args) => compound(b.name(), args.iter().map(t).collect()),
            GoalKind::Aggregate(kind, template, g, result) => {
                let mut args = vec![t(template), sub(g)];
                if !matches!(kind, Aggregate::Groups(_)) {
                    args.push(t(result));
                }
                compound(kind.name(), args)
            }
            GoalKind::Legal(m) => compound("legal", vec![t(m)]),
            GoalKind::Stuck => compound("stuck", vec![]),
            GoalKind::Repeated(n) => compound("repeated", vec![t(n)]),
            GoalKind::RepeatedBoard(n) => compound("repeated_board", vec![t(n)]),
            GoalKind::Assign(f, keys, value) => {
                compound(":=", vec![self.fluent(*f, keys), t(value)])
            }
            GoalKind::AssignNumber(f, keys, value) => {
                compound(":=", vec![self.fluent(*f, keys), e(value)])
            }
            GoalKind::Clear(f, keys) => compound("clear", vec![self.fluent(*f, keys)]),
            GoalKind::Set(f, keys) => compound("set", vec![self.fluent(*f, keys)]),
            GoalKind::Again => compound("again", vec![]),
        }
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
