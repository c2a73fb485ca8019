//! How a player's score is made up.

use std::ops::ControlFlow;

use crate::diagnostic::listed;
use crate::goals::Environment;
use crate::program::{ClauseId, RelationId, Term, Value};

use super::proof::Grounds;
use super::{Cause, Explanation, Line, Mark, Teller, as_deep_as_can_be, bound_effort};
use crate::reference::facts::Facts;
use crate::reference::fault::RuleError;
use crate::reference::run::{Answer, Run};
use crate::reference::{Reference, settle};

impl Reference {
    /// How the score of a player is made up; `asked` is the score that was asked about, if one was. `None` where
    /// the game has no scores.
    ///
    /// # Errors
    /// A rule error.
    pub fn why_score(
        &self,
        facts: &Facts,
        player: Value,
        asked: Option<i64>,
    ) -> Result<Option<Explanation>, RuleError> {
        let Some(score) = self.program.special.score else { return Ok(None) };
        let told = as_deep_as_can_be(
            |depth| {
                let mut run = Run::new(self, facts).unfolding(depth);
                bound_effort(&mut run);
                settle(Teller::new(&mut run).scored(score, player, asked))
            },
            |error| Some(error),
        );
        told.map(Some)
    }
}

impl Teller<'_, '_> {
    fn scored(
        &mut self,
        score: RelationId,
        player: Value,
        asked: Option<i64>,
    ) -> Answer<Explanation> {
        let name = self.show(player);
        let mut told = Explanation::of(format!("score({name})"));
        let mut grounds = Grounds::default();
        let parts = self.score_parts(score, player, &mut grounds, &mut told.lines)?;
        told.cause = Cause::Proof;
        told.sites = self.sites(&grounds.about);
        let Some(sum) = self.run.sum_for(score, player)? else {
            told.short = format!("{name} has no score.");
            return ControlFlow::Continue(told);
        };
        told.holds = asked.is_none_or(|asked| asked == sum);
        let not = match asked {
            Some(asked) if asked != sum => format!(", not {asked}"),
            _ => String::new(),
        };
        let number = Value::Integer(sum);
        if let Some(words) =
            self.worded(true, &self.run.program.relation(score).name, &[player, number])
        {
            told.short = format!("{words}{not}.");
            return ControlFlow::Continue(told);
        }
        told.short = match parts.as_slice() {
            [(_, by)] => format!("{name} has {sum}{not}, {by}."),
            parts => {
                let parts: Vec<String> =
                    parts.iter().map(|(number, by)| format!("{number} {by}")).collect();
                format!("{name} has {sum}{not}: {}.", listed(&parts, "and"))
            }
        };
        ControlFlow::Continue(told)
    }

    /// The numbers whose sum is a player's score, each with the goal that gives it. A number that comes twice
    /// counts once.
    fn score_parts(
        &mut self,
        score: RelationId,
        player: Value,
        grounds: &mut Grounds,
        lines: &mut Vec<Line>,
    ) -> Answer<Vec<(String, String)>> {
        let mut seen: Vec<Value> = Vec::new();
        let mut parts = Vec::new();
        let here = self.run.moment(&[]);
        for by in &self.run.program.relation(score).clauses {
            let mut numbers: Vec<Value> = Vec::new();
            let nobody = Environment::new(None, 0, 0);
            self.run.clause(*by, &[Some(player), None], &nobody, &mut |_, row| {
                numbers.extend(row.last());
                ControlFlow::Continue(())
            })?;
            for number in numbers {
                if seen.contains(&number) {
                    continue;
                }
                seen.push(number);
                let given = [Some(player), Some(number)];
                let mut from_goal = None;
                if let Some(from) = self.entered(*by, &given, &here) {
                    let body = self.run.program.clause(*by).body.conjuncts();
                    if let Some(way) = self.run.way(Some(*by), body, &from, &|_, _| true)? {
                        let gives = way.iter().rev().find(|passed| {
                            let mut mentions = false;
                            let head = self.run.program.clause(*by).head.last();
                            passed.goal.each_variable(&mut |v| {
                                mentions |= matches!(head, Some(Term::Variable(n)) if *n == v);
                            });
                            mentions
                        });
                        from_goal = gives.map(|passed| {
                            self.goal_text(Some(*by), passed.goal, &passed.after.slots)
                        });
                        lines.push(self.written(*by));
                        lines.extend(self.proofs(Some(*by), &way, grounds)?);
                    }
                }
                parts.push((self.show(number), self.score_part(*by, from_goal)));
            }
        }
        ControlFlow::Continue(parts)
    }

    fn score_part(&mut self, by: ClauseId, goal: Option<String>) -> String {
        let place = self.place(by);
        match (self.rule(by), goal) {
            (Some(rule), _) => format!("by the rule \"{rule}\" ({place})"),
            (None, Some(goal)) => format!("by `{goal}` ({place})"),
            (None, None) => format!("by {place}"),
        }
    }

    /// The scores of all players, behind the result of a game that they decide.
    pub fn scores_told(&mut self, scores: &[Option<i64>]) -> Option<Line> {
        let score = self.run.program.special.score?;
        let relation = &self.run.program.relation(score).name;
        let named = self.run.program.players.iter().zip(scores);
        let told: Vec<String> = named
            .filter_map(|(player, score)| {
                let words = self.worded(true, relation, &[*player, Value::Integer((*score)?)]);
                let plain = || format!("{} {}", self.show(*player), score.unwrap_or_default());
                Some(words.map_or_else(plain, |words| words.to_string()))
            })
            .collect();
        (!told.is_empty()).then(|| Line::new(Mark::Note, format!("scores: {}", told.join(", "))))
    }
}
