//! Why a goal typed at a prompt holds or not.

use std::ops::ControlFlow;
use std::rc::Rc;

use crate::diagnostic::listed;
use crate::program::{EndKind, GoalKind, Purpose, Question, Value, outcome_relation, resolve_goal};
use crate::syntax::{Term, TermKind, print_term};

use super::proof::Grounds;
use super::said::together;
use super::walk::{Failure, Passed};
use super::{Cause, Explanation, Teller, as_deep_as_can_be, bound_effort};
use crate::reference::facts::Facts;
use crate::reference::fault::QueryError;
use crate::reference::run::{Answer, Run};
use crate::reference::{Reference, settle};

/// The most facts in the short answer.
const FACTS: usize = 4;

impl Reference {
    /// Why a goal holds in a position, or why it does not. `win(P)`, `lose(P)`, `draw` and `over`
    /// are about the outcome of the game, and `legal(M)` about a move.
    ///
    /// # Errors
    /// Errors in the goal, or a rule error.
    pub fn why_goal(&self, facts: &Facts, goal: &Term) -> Result<Explanation, QueryError> {
        match goal.functor() {
            Some(("over", [])) => return Ok(self.why_ended(facts, EndKind::Over, None)?),
            Some(("draw", [])) => return Ok(self.why_ended(facts, EndKind::Draw, None)?),
            Some((name @ ("win" | "lose"), [player])) => {
                let kind = if name == "win" { EndKind::Win } else { EndKind::Lose };
                let named = self.values.find_atom(&print_term(player));
                let named = named.filter(|p| self.program.player_index(*p).is_some());
                let open = matches!(player.kind, TermKind::Variable(_) | TermKind::Anonymous);
                if named.is_none() && matches!(player.kind, TermKind::Atom(..)) {
                    return Ok(self.no_player(name, player));
                }
                if named.is_some() || open {
                    return Ok(self.why_ended(facts, kind, named)?);
                }
            }
            Some(("score", [player, number @ ..])) if number.len() <= 1 => {
                let named = self.values.find_atom(&print_term(player));
                let named = named.filter(|p| self.program.player_index(*p).is_some());
                let asked = match number.first().map(|n| &n.kind) {
                    Some(TermKind::Integer(n)) => Some(*n),
                    _ => None,
                };
                if let Some(player) = named
                    && let Some(told) = self.why_score(facts, player, asked)?
                {
                    return Ok(told);
                }
            }
            Some(("legal", [mv])) if ground(mv) => return Ok(self.why_move(facts, mv)?),
            _ => {}
        }
        let question = resolve_goal(&self.program, &self.values, goal, Purpose::Question)
            .map_err(QueryError::Question)?;
        as_deep_as_can_be(
            |depth| self.why_question(depth, facts, goal, &question),
            |error| match error {
                QueryError::Rule(error) => Some(error),
                QueryError::Question(_) => None,
            },
        )
    }

    /// That what a question about an end names is no player.
    fn no_player(&self, kind: &str, player: &Term) -> Explanation {
        let shown = print_term(player);
        let all: Vec<String> =
            self.program.players.iter().map(|player| self.values.show(*player)).collect();
        let told = Explanation::of(format!("{kind}({shown})"));
        let short = format!("`{shown}` is no player: the players are {}.", listed(&all, "and"));
        Explanation { holds: false, cause: Cause::Form, short, ..told }
    }

    fn why_question(
        &self,
        depth: usize,
        facts: &Facts,
        goal: &Term,
        question: &Question,
    ) -> Result<Explanation, QueryError> {
        let mut run = Run::asking(self, facts, question).unfolding(depth);
        bound_effort(&mut run);
        let goals = question.clause.body.conjuncts();
        let from = run.moment(&vec![None; question.clause.variables.len()]);
        let mut told = Explanation::of(print_term(goal));
        let mut teller = Teller::new(&mut run);
        let way = settle(teller.run.way(None, goals, &from, &|_, _| true))?;
        let failure = match way {
            Some(_) => None,
            None => settle(teller.run.failure(None, goals, &from))?,
        };
        settle(teller.tell_goal(way, failure, &question.clause, &mut told))?;
        Ok(told)
    }
}

fn ground(term: &Term) -> bool {
    match &term.kind {
        TermKind::Variable(_) | TermKind::Anonymous => false,
        TermKind::Compound(_, args) => args.iter().all(ground),
        TermKind::List(items, tail) => {
            items.iter().all(ground) && tail.as_ref().is_none_or(|t| ground(t))
        }
        _ => true,
    }
}

impl<'r> Teller<'_, 'r> {
    fn tell_goal(
        &mut self,
        way: Option<Vec<Rc<Passed<'r>>>>,
        failure: Option<Failure<'r>>,
        clause: &'r crate::program::Clause,
        told: &mut Explanation,
    ) -> Answer<()> {
        match (way, failure) {
            (Some(way), _) => {
                let mut grounds = Grounds::default();
                told.lines = self.proofs(None, &way, &mut grounds)?;
                told.holds = true;
                told.cause = Cause::Proof;
                let slots = way.last().map(|p| p.after.slots.clone()).unwrap_or_default();
                let named = clause.variables.iter().zip(&slots);
                let bound: Vec<(String, Value)> = named
                    .filter(|(v, _)| !v.name.starts_with('_'))
                    .filter_map(|(v, value)| value.map(|x| (v.name.clone(), x)))
                    .collect();
                let mut about: Vec<Value> = bound.iter().map(|(_, v)| *v).collect();
                about.extend(grounds.about);
                told.sites = self.sites(&about);
                let with = match bound.as_slice() {
                    [] => String::new(),
                    all => {
                        let shown: Vec<String> =
                            all.iter().map(|(n, v)| format!("{n} = {}", self.show(*v))).collect();
                        format!(" for {}", listed(&shown, "and"))
                    }
                };
                // a fact is its own reason
                let plain = matches!(&clause.body.kind, GoalKind::Call(id, _)
                    if outcome_relation(*id).is_none()
                        && self.run.program.relation(*id).clauses.is_empty());
                let so = match grounds.facts.is_empty() || plain {
                    true => String::new(),
                    false => format!(", as {}", together(&grounds.facts, FACTS)),
                };
                told.short = format!("`{}` holds{with}{so}.", told.subject);
            }
            (None, Some(failure)) => {
                let why = self.told(None, &failure)?;
                let mut grounds = Grounds::default();
                told.lines = self.proofs(None, &failure.passed, &mut grounds)?;
                told.short = match why.core.contains(&format!("`{}`", told.subject)) {
                    true => format!("{}.", why.core),
                    false => format!("`{}` does not hold: {}.", told.subject, why.core),
                };
                told.lacks = failure.cost;
                // a goal that is told by other goals is told by its rule too
                let rule = why.rule.filter(|_| why.core.contains('`'));
                told.rule = rule.and_then(|by| self.quoted(by));
                told.sites = self.sites(&why.about);
                told.lines.push(why.line);
            }
            (None, None) => told.short = format!("`{}` does not hold.", told.subject),
        }
        ControlFlow::Continue(())
    }
}
