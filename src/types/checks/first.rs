//! `once` and `->` take the first of several answers. Where these come from the state, or from a
//! recursive relation, no clause says which is the first.
//!
//! Wrong: `move(take(C)) :- once(at(C, x)), clear(at(C)).`, which takes any one of them.

use crate::diagnostic::Diagnostic;
use crate::program::{Clause, Goal, GoalKind, Kind, Modes, Term, VariableId};

use super::Checked;

pub(super) fn check(facts: &Checked<'_>, warnings: &mut Vec<Diagnostic>) {
    for (_, clause) in facts.clauses() {
        let mut walk = Walk { facts, clause, totals: totals(clause), warnings };
        let mut bound = Modes::new(clause.variables.len());
        let relation = facts.program.relation(clause.relation);
        let asked = [facts.program.special.score, facts.program.special.value];
        let ends = relation.arity == 1 && matches!(relation.name.as_str(), "win" | "lose");
        for (i, term) in clause.head.iter().enumerate() {
            let player = i == 0 && (ends || asked.contains(&Some(clause.relation)));
            if relation.needs_bound[i] || player {
                bound.bind_term(term);
            }
        }
        walk.goal(&clause.body, &mut bound);
    }
}

fn totals(clause: &Clause) -> Vec<usize> {
    let mut totals = vec![0; clause.variables.len()];
    clause.head.iter().for_each(|t| t.each_variable(&mut |v| totals[v.0 as usize] += 1));
    clause.body.each_variable(&mut |v| totals[v.0 as usize] += 1);
    totals
}

struct Walk<'a, 'p> {
    facts: &'a Checked<'p>,
    clause: &'a Clause,
    totals: Vec<usize>,
    warnings: &'a mut Vec<Diagnostic>,
}

impl Walk<'_, '_> {
    fn goal(&mut self, goal: &Goal, bound: &mut Modes) {
        match &goal.kind {
            GoalKind::Once(inner) => {
                self.commits(inner, "once", bound);
                self.goal(inner, bound);
            }
            GoalKind::If(condition, then, otherwise) => {
                self.commits(condition, "->", bound);
                self.goal(otherwise, &mut bound.clone());
                self.goal(condition, bound);
                self.goal(then, bound);
            }
            GoalKind::Or(branches) => {
                branches.iter().for_each(|g| self.goal(g, &mut bound.clone()));
                goal.each_variable(&mut |v| bound.bind(v));
            }
            GoalKind::And(goals) => goals.iter().for_each(|g| self.goal(g, bound)),
            GoalKind::After(action, then, _) => {
                self.goal(action, bound);
                self.goal(then, bound);
            }
            GoalKind::Not(_) | GoalKind::Forall(..) | GoalKind::Each(..) => {
                let mut inner = bound.clone();
                goal.children().into_iter().for_each(|g| self.goal(g, &mut inner));
            }
            GoalKind::Aggregate(_, _, inner, result) => {
                self.goal(inner, &mut bound.clone());
                bound.bind_term(result);
            }
            _ => goal.each_variable(&mut |v| bound.bind(v)),
        }
    }

    /// Warns where the first answer of a goal gives a variable that others use a value of several.
    fn commits(&mut self, inner: &Goal, word: &str, before: &Modes) {
        let mut inside = vec![0; self.totals.len()];
        inner.each_variable(&mut |v| inside[v.0 as usize] += 1);
        let seen = |v: VariableId| inside[v.0 as usize] < self.totals[v.0 as usize];
        let mut bound = before.clone();
        for goal in inner.conjuncts() {
            let several = self.several(goal, &bound);
            let mut news = Vec::new();
            goal.each_variable(&mut |v| {
                if !bound.has(v) && !news.contains(&v) {
                    news.push(v);
                }
            });
            news.iter().for_each(|v| bound.bind(*v));
            let Some(visible) = news.into_iter().find(|v| several && seen(*v)) else { continue };
            let name = &self.clause.variables[visible.0 as usize].name;
            self.warnings.push(
                Diagnostic::warning(
                    "open-choice",
                    format!("`{word}` takes one of several answers, and `{name}` shows which"),
                )
                .at(goal.span, format!("may give several values of `{name}`"))
                .hint(format!(
                    "say which one is meant, or leave `{word}` out so that each is tried"
                )),
            );
            return;
        }
    }

    /// Whether a goal may have several answers in an order that no clause determines.
    fn several(&self, goal: &Goal, bound: &Modes) -> bool {
        let GoalKind::Call(id, args) = &goal.kind else { return false };
        let relation = self.facts.program.relation(*id);
        let open = |term: &&Term| !bound.covers(term);
        match relation.kind {
            Kind::Fluent(fluent) => {
                let keys = self.facts.program.fluent(fluent).keys.len();
                args.iter().take(keys).any(|t| open(&t))
            }
            Kind::Derived => relation.recursive && args.iter().any(|t| open(&t)),
            _ => false,
        }
    }
}
