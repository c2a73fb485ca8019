//! Goals from outside a rule file's clauses: typed at a prompt, or written in an example. Their
//! names are resolved against a finished program, with the checker's own diagnostics.

use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostic::Diagnostic;
use crate::source::{Sources, Span};
use crate::syntax;

use super::ends::OUTCOMES;
use super::resolve::Resolver;
use super::unfold::unfold;
use super::unread::Unread;
use super::{
    Clause, FluentShape, Goal, GoalKind, Graph, Kind, Program, Relation, RelationId, Special,
    Values, modes,
};

/// What a goal from outside is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A query. `win`, `lose`, `draw` and `over` refer to the outcome of the game, whichever of them
    /// the rule file defines.
    Question,
    /// A list of updates, joined by commas, that set up a position.
    Position,
}

/// A resolved goal: the body of a clause that belongs to no relation of the program.
#[derive(Debug, Clone)]
pub struct Question {
    /// The goal as the body of a clause without a head.
    pub clause: Clause,
    /// The program's constants and those of the goal.
    pub values: Arc<Values>,
}

/// Resolves a goal. `values` are the program's constants, or an extension of them.
///
/// # Errors
/// The errors that the checker would report if the goal were the body of a clause.
pub fn resolve_goal(
    program: &Program,
    values: &Arc<Values>,
    goal: &syntax::Term,
    purpose: Purpose,
) -> Result<Question, Vec<Diagnostic>> {
    let mut resolver = resolver(program, values, purpose);
    let body = match purpose {
        Purpose::Question => resolver.goal(&unfold(goal, &program.asked)),
        Purpose::Position => resolver.goal(goal),
    };
    let variables = std::mem::take(&mut resolver.declared);
    let relation = RelationId(program.relations.len() as u32);
    let (span, head_span) = (goal.span, goal.span);
    let mut clause = Clause {
        relation,
        head: Vec::new(),
        body,
        variables,
        span,
        head_span,
        end_name: None,
        rank: 0,
    };
    super::scopes::share_variables(&mut clause);
    let Resolver { program: scope, diagnostics: mut faults, .. } = resolver;
    if faults.is_empty() {
        faults.extend(modes::faults(&scope, &clause));
    }
    match purpose {
        Purpose::Question => {
            no_updates(&scope, &clause.body, &mut faults);
            super::checks::after::of_question(program, &clause.body, &mut faults);
        }
        Purpose::Position => only_updates(program, goal, &clause.body, &mut faults),
    }
    faults.retain(Diagnostic::is_error);
    faults.dedup();
    if !faults.is_empty() {
        return Err(faults);
    }
    Ok(Question { clause, values: Arc::new(scope.values) })
}

/// A resolver that knows the program's names and has no clauses.
fn resolver(program: &Program, values: &Arc<Values>, purpose: Purpose) -> Resolver {
    let mut relations = program.relations.clone();
    let special = &program.special;
    for (i, relation) in relations.iter_mut().enumerate() {
        let id = Some(RelationId(i as u32));
        let ends = ["win", "lose"].contains(&relation.name.as_str()) && relation.arity == 1;
        if ends || special.score == id || special.value == id {
            // asked of each player in turn where the player is not given
            relation.needs_bound[0] = false;
        }
    }
    // the question itself, so that its clause has a relation
    relations.push(Relation {
        name: "question".to_string(),
        arity: 0,
        kind: Kind::Derived,
        clauses: Vec::new(),
        stratum: 0,
        recursive: false,
        needs_bound: Vec::new(),
        chooses: false,
        supposes: false,
        span: Span::NONE,
        built_in: true,
    });
    let numbered = relations.iter().enumerate().map(|(i, r)| (r, RelationId(i as u32)));
    let mut names: FxHashMap<(String, usize), RelationId> = numbered
        .take(program.relations.len())
        .map(|(r, id)| ((r.name.clone(), r.arity), id))
        .collect();
    if purpose == Purpose::Question {
        for (i, (kind, named)) in OUTCOMES.into_iter().enumerate() {
            let arity = kind.arity() + usize::from(named);
            names.insert((kind.name().to_string(), arity), RelationId(i as u32));
        }
    }
    Resolver {
        program: Program {
            sources: Sources::new(),
            values: Values::over(values.clone()),
            title: String::new(),
            about: None,
            family: String::new(),
            part: false,
            players: program.players.clone(),
            absent: program.absent.clone(),
            seats_vary: program.seats_vary,
            opening: None,
            options: program.options.clone(),
            relations,
            fluents: program.fluents.clone(),
            clauses: Vec::new(),
            ends: Vec::new(),
            examples: Vec::new(),
            perfts: Vec::new(),
            special: Special::default(),
            graph: Graph::default(),
            asked: Vec::new(),
        },
        diagnostics: Vec::new(),
        unread: Unread::default(),
        names,
        variables: IndexMap::new(),
        declared: Vec::new(),
        open: FxHashSet::default(),
        olds: None,
        moves: FxHashSet::default(),
        sets_up: purpose == Purpose::Position,
    }
}

fn no_updates(program: &Program, goal: &Goal, faults: &mut Vec<Diagnostic>) {
    goal.walk_here(&mut |g| {
        let action = match &g.kind {
            GoalKind::Call(id, _) if program.relation(*id).kind == Kind::Action => {
                Some(program.relation(*id).name.as_str())
            }
            _ => None,
        };
        if action.is_none() && !g.is_update() {
            return;
        }
        let d = Diagnostic::error("misplaced-update", "a question cannot change the position")
            .at(g.span, "this updates the state");
        faults.push(match action {
            Some("move") => d.hint("the legal moves are the answers to `legal(M)`"),
            Some(name) => d.hint(format!("`{name}` is an action: it is played by a move")),
            None => d.hint("ask what holds, e.g. `at(P, X)`"),
        });
    });
}

fn only_updates(
    program: &Program,
    written: &syntax::Term,
    goal: &Goal,
    faults: &mut Vec<Diagnostic>,
) {
    for g in goal.conjuncts() {
        if let Some(fluent) = g.updated().map(|(id, _)| program.fluent(id)).filter(|f| f.scratch) {
            let text = format!("`{}` is empty before each move", fluent.name);
            faults.push(
                Diagnostic::error("position-form", text)
                    .at(g.span, "scratch state is no part of a position")
                    .hint("leave the update out"),
            );
        }
        if g.updated().is_none() && faults.is_empty() {
            let update = update_of(program, written, g);
            let hint = update.map(|update| format!("write `{update}`"));
            let forms = "write `at(a1) := x`, `set(ko(a1))`, `clear(ko(a1))` or `turn := x`";
            faults.push(
                Diagnostic::error("position-form", "a position is made by updates alone")
                    .at(g.span, "this is no update")
                    .hint(hint.unwrap_or_else(|| forms.to_string())),
            );
        }
    }
}

/// The update that makes a goal hold, where the goal reads the state: `set(ko(a1))` for `ko(a1)`.
fn update_of(program: &Program, written: &syntax::Term, goal: &Goal) -> Option<String> {
    fn at(term: &syntax::Term, span: Span) -> Option<&syntax::Term> {
        let below = || term.functor()?.1.iter().find_map(|arg| at(arg, span));
        if term.span == span { Some(term) } else { below() }
    }
    let GoalKind::Call(id, _) = &goal.kind else { return None };
    let Kind::Fluent(fluent) = program.relation(*id).kind else { return None };
    let shown = syntax::print_term(at(written, goal.span)?);
    let map = || {
        let (name, args) = at(written, goal.span)?.functor()?;
        let args: Vec<String> = args.iter().map(syntax::print_term).collect();
        let (value, keys) = args.split_last()?;
        let keys = if keys.is_empty() { String::new() } else { format!("({})", keys.join(", ")) };
        Some(format!("{name}{keys} := {value}"))
    };
    match program.fluent(fluent).shape {
        FluentShape::Set => Some(format!("set({shown})")),
        FluentShape::Map { .. } => map(),
    }
}
