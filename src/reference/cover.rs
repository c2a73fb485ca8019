//! Coverage: the clauses that held in some position, and those whose answers an earlier clause of
//! the relation always had as well.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use rustc_hash::FxHashSet;

use crate::datalog::Row;
use crate::program::{ClauseId, Kind, RelationId};
use crate::syntax::{Term, TermKind};

use super::facts::Facts;
use super::fault::RuleError;
use super::observe::{Observer, Trace};
use super::run::Run;
use super::{Reference, settle};
use crate::goals::Environment;

/// The most answers of one clause in one position that are compared.
const MOST_ANSWERS: usize = 4_000;
/// The most steps for a relation that is called without values in one position: in play it may
/// never be called so, and it may have very many answers.
const MOST_STEPS: u64 = 200_000;

/// The most earlier clauses with which one is compared: a relation may have thousands of facts.
const MOST_SHADOWS: usize = 256;

/// The coverage of the clauses of a program.
#[derive(Debug, Clone, Default)]
pub struct Coverage {
    fired: BTreeSet<ClauseId>,
    /// The clauses that had an answer where they were compared.
    answered: BTreeSet<ClauseId>,
    /// For each clause, the earlier clauses of its relation that have had all its answers so far,
    /// with their numbers in the relation; at most [`MOST_SHADOWS`].
    shadows: BTreeMap<ClauseId, Vec<(usize, ClauseId)>>,
    /// How many positions were examined.
    pub positions: usize,
    /// How many goals were tried.
    pub goals: u64,
    /// The clause that is being steered to, and how many goals of its body have held.
    aim: Option<(ClauseId, usize)>,
}

impl Coverage {
    /// Whether the clause held in any position.
    pub fn fired(&self, clause: ClauseId) -> bool {
        self.fired.contains(&clause)
    }

    /// Records that a game was ended by this clause.
    pub fn ended(&mut self, clause: Option<ClauseId>) {
        self.fired.extend(clause);
    }

    /// The clauses that held but are shadowed, each with the first clause that had all its answers.
    pub fn shadowed(&self) -> Vec<(ClauseId, ClauseId)> {
        let held = self.shadows.iter().filter(|(by, _)| self.answered.contains(by));
        held.filter_map(|(by, earlier)| Some((*by, earlier.first()?.1))).collect()
    }
}

impl Observer for Coverage {
    fn enter(&mut self, _: &Trace<'_>) {
        self.goals += 1;
    }

    fn answer(&mut self, trace: &Trace<'_>) {
        if let Some((aim, reached)) = &mut self.aim
            && trace.id == Some(*aim)
        {
            let goals = trace.clause.body.conjuncts();
            let held = goals.iter().position(|goal| std::ptr::eq(goal, trace.goal));
            *reached = (*reached).max(held.map_or(0, |at| at + 1));
        }
        if let Some(id) = trace.id
            && std::ptr::eq(trace.goal, &raw const trace.clause.body)
        {
            self.fired.insert(id);
        }
    }
}

impl Reference {
    /// Records which clauses of static relations hold. This is needed once per program.
    ///
    /// # Errors
    /// A rule error.
    pub fn cover_static(&self, coverage: &mut Coverage) -> Result<(), RuleError> {
        let opening = self.opening();
        for number in 0..self.program.relations.len() {
            let id = RelationId(number as u32);
            if self.program.relation(id).kind == Kind::Static {
                self.cover_relation(id, &opening, coverage)?;
            }
        }
        Ok(())
    }

    /// Records which clauses hold in a position: those of its moves, its end and its drawing.
    ///
    /// # Errors
    /// A rule error.
    pub fn cover(&self, facts: &Facts, coverage: &mut Coverage) -> Result<(), RuleError> {
        coverage.positions += 1;
        let mut run = Run::new(self, facts).observed(coverage);
        let over = settle(run.outcome())?.is_some();
        let mut moves = Vec::new();
        if !over {
            let choices = settle(run.choices())?;
            moves = choices.all.iter().map(|s| run.values.to_term(s.mv)).collect();
        }
        drop(run);
        self.cover_moves(&moves, facts, coverage)?;
        for number in 0..self.program.relations.len() {
            let id = RelationId(number as u32);
            // moves and events can be made only while the game goes on
            let action = self.program.relation(id).kind == Kind::Action;
            if self.program.relation(id).kind != Kind::Static && !(over && action) {
                self.cover_relation(id, facts, coverage)?;
            }
        }
        Ok(())
    }

    /// Runs the relations about moves (notations, aliases, advice) for each legal move, as far as
    /// their clauses are not known to hold.
    fn cover_moves(
        &self,
        moves: &[Term],
        facts: &Facts,
        coverage: &mut Coverage,
    ) -> Result<(), RuleError> {
        let special = &self.program.special;
        let first = [special.notation, special.alias, special.advice].into_iter().flatten();
        let about = first.map(|id| (id, 0)).chain(special.style.map(|id| (id, 1)));
        for (id, column) in about {
            let relation = self.program.relation(id);
            for by in &relation.clauses {
                for mv in moves {
                    if coverage.fired(*by) {
                        break;
                    }
                    let mut run = Run::new(self, facts).observed(coverage);
                    let mut given = vec![None; relation.arity];
                    given[column] = run.values.from_term(mv);
                    let nobody = Environment::new(None, 0, 0);
                    let flow = run.clause(*by, &given, &nobody, &mut |_, _| {
                        ControlFlow::Break(crate::goals::Stop::Enough)
                    });
                    settle(crate::goals::found(flow))?;
                }
            }
        }
        Ok(())
    }

    /// How near a position is to one in which a clause holds: the most goals of its body that hold one
    /// after the other, in `cover`ing the relation alone or the moves of the position.
    ///
    /// # Errors
    /// A rule error.
    pub fn nearness(
        &self,
        facts: &Facts,
        clause: ClauseId,
        coverage: &mut Coverage,
    ) -> Result<usize, RuleError> {
        coverage.aim = Some((clause, 0));
        let mut run = Run::new(self, facts).observed(coverage);
        run.budget.steps = run.budget.steps.min(MOST_STEPS);
        let most = run.budget.steps;
        let relation = self.program.clause(clause).relation;
        let arity = self.program.relation(relation).arity;
        let needs = self.program.relation(relation).needs_bound.contains(&true);
        let top = self.program.special.moves == Some(relation);
        let action = self.program.relation(relation).kind == Kind::Action;
        let result = if needs || (action && !top) {
            settle(run.choices()).map(|_| ())
        } else {
            let nobody = Environment::new(None, 0, 0);
            let flow = run.clause(clause, &vec![None; arity], &nobody, &mut |_, _| {
                ControlFlow::Break(crate::goals::Stop::Enough)
            });
            settle(crate::goals::found(flow)).map(|_| ())
        };
        let used_up = run.steps > most;
        drop(run);
        let reached = coverage.aim.take().map_or(0, |(_, reached)| reached);
        match result {
            Err(error) if error.is_interrupted() || !used_up => Err(error),
            _ => Ok(reached),
        }
    }

    /// Runs each clause of a relation alone, if it can be called without values.
    fn cover_relation(
        &self,
        id: RelationId,
        facts: &Facts,
        coverage: &mut Coverage,
    ) -> Result<(), RuleError> {
        let relation = self.program.relation(id);
        let special = &self.program.special;
        let top = [special.moves, special.chance].contains(&Some(id));
        let asked_players = ["win", "lose", "score", "value"].contains(&relation.name.as_str())
            && relation.arity > 0;
        let bound = relation.needs_bound.iter().enumerate();
        let free = bound.filter(|(i, needs)| **needs && !(asked_players && *i == 0)).count() == 0;
        if !free || (relation.kind == Kind::Action && !top) {
            return Ok(());
        }
        let mut answers: Vec<(ClauseId, FxHashSet<Row>)> = Vec::new();
        // new constants must be the same for all clauses
        let mut run = Run::new(self, facts).observed(coverage);
        let most = run.budget.steps;
        run.budget.steps = most.min(MOST_STEPS);
        for by in &relation.clauses {
            let mut rows: FxHashSet<Row> = FxHashSet::default();
            let nobody = Environment::new(None, 0, 0);
            let mut given = vec![vec![None; relation.arity]];
            if asked_players {
                given = self
                    .program
                    .players
                    .iter()
                    .map(|p| {
                        let mut given = vec![None; relation.arity];
                        given[0] = Some(*p);
                        given
                    })
                    .collect();
            }
            for given in given {
                let flow = run.clause(*by, &given, &nobody, &mut |_, row| {
                    rows.insert(row.clone());
                    match rows.len() < MOST_ANSWERS {
                        true => ControlFlow::Continue(()),
                        false => ControlFlow::Break(crate::goals::Stop::Enough),
                    }
                });
                let found = settle(crate::goals::found(flow));
                if found.is_err() && run.steps > MOST_STEPS && MOST_STEPS < most {
                    return Ok(());
                }
                found?;
            }
            answers.push((*by, rows));
        }
        drop(run);
        let held = answers.iter().filter(|(_, rows)| !rows.is_empty());
        coverage.answered.extend(held.map(|(by, _)| *by));
        for (later, (by, rows)) in answers.iter().enumerate() {
            let within =
                |number: usize| rows.len() < MOST_ANSWERS && rows.is_subset(&answers[number].1);
            match coverage.shadows.get_mut(by) {
                Some(earlier) => earlier.retain(|(number, _)| within(*number)),
                None => {
                    let earlier = (0..later).filter(|number| within(*number)).take(MOST_SHADOWS);
                    let earlier = earlier.map(|number| (number, answers[number].0)).collect();
                    coverage.shadows.insert(*by, earlier);
                }
            }
        }
        Ok(())
    }

    /// The positions that an example sets up or reaches, as far as it does so with the current
    /// options.
    ///
    /// # Errors
    /// A rule error.
    pub fn example_positions(&self, goal: &Term) -> Result<Vec<Facts>, RuleError> {
        self.example_positions_by(goal, &mut |facts, mv| self.play(facts, mv))
    }

    /// The same, where another evaluator plays the moves.
    ///
    /// # Errors
    /// What `play` says.
    pub fn example_positions_by<E>(
        &self,
        goal: &Term,
        play: &mut impl FnMut(&Facts, &Term) -> Result<Option<Facts>, E>,
    ) -> Result<Vec<Facts>, E> {
        let mut found = Vec::new();
        self.visit_example(goal, &self.opening(), play, &mut found)?;
        Ok(found)
    }

    fn visit_example<E>(
        &self,
        goal: &Term,
        facts: &Facts,
        play: &mut impl FnMut(&Facts, &Term) -> Result<Option<Facts>, E>,
        found: &mut Vec<Facts>,
    ) -> Result<(), E> {
        match goal.functor() {
            Some(("after", [moves, inner])) => {
                let TermKind::List(items, None) = &moves.kind else { return Ok(()) };
                let mut facts = facts.clone();
                for mv in items {
                    found.push(facts.clone());
                    match play(&facts, mv)? {
                        Some(next) => facts = next,
                        None => return Ok(()),
                    }
                }
                found.push(facts.clone());
                self.visit_example(inner, &facts, play, found)
            }
            Some(("given", [updates, inner])) => {
                let Ok(facts) = self.given(updates) else { return Ok(()) };
                found.push(facts.clone());
                self.visit_example(inner, &facts, play, found)
            }
            Some(("," | ";" | "->", [left, right])) => {
                self.visit_example(left, facts, play, found)?;
                self.visit_example(right, facts, play, found)
            }
            Some(("\\+", [inner])) => self.visit_example(inner, facts, play, found),
            _ => Ok(()),
        }
    }
}
