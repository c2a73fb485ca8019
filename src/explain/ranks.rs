//! Moves that are not legal because others have a higher rank.

use super::moves::MoveQuestion;
use super::{Cause, Explanation, Line, Mark};
use crate::diagnostic::listed;
use crate::program::{ClauseId, RelationId, Value};
use crate::reference::run::Answer;
use crate::syntax::{Term, print_term};
use std::ops::ControlFlow;

/// How many of the moves of a higher rank are named.
const RIVALS: usize = 3;

impl<'r> MoveQuestion<'_, 'r> {
    /// The explanation for a move whose clause holds, but there are moves of a higher rank.
    pub(super) fn outranked(&mut self, by: ClauseId, value: Value) -> Answer<Explanation> {
        let program = self.teller.run.program;
        let choices = self.choices.clone();
        let Some(rank) = program.special.rank else {
            let short = format!("`{}` is not among the legal moves.", self.subject);
            return ControlFlow::Continue(self.told(false, Cause::Rank, short, &[]));
        };
        let mut ranks = Vec::new();
        let rival = choices.all.first().map(|s| s.mv);
        for mv in [Some(value), rival].into_iter().flatten() {
            let all = self.teller.run.numbers(rank, &[Some(mv), None])?;
            ranks.push(all.into_iter().max().unwrap_or(0));
        }
        let (mine, top) = (ranks[0], ranks.last().copied().unwrap_or(0));
        // a move without a clause of `rank` has rank 0; the other one then has a negative rank by
        // its clause
        let mut rule = None;
        for (mv, n) in [rival.map(|mv| (mv, top)), Some((value, mine))].into_iter().flatten() {
            if rule.is_none() {
                rule = self.rank_clause(rank, mv, n)?;
            }
        }
        // of moves that are longer, those that begin as this one does are told first
        let longer = choices.all.iter().all(|other| self.is_longer(other.mv, value));
        let mut rivals: Vec<Value> = choices.all.iter().map(|other| other.mv).collect();
        if longer {
            rivals.sort_by_key(|other| self.begins(value, *other).is_none());
        }
        let rivals = rivals.into_iter().take(5);
        let terms: Vec<Term> = rivals.map(|mv| self.teller.run.values.to_term(mv)).collect();
        let mut named = Vec::new();
        for term in &terms {
            // a rule error in a notation is none of this reason
            let shown = self.reference.notation(self.facts, term);
            named.push(format!("`{}`", shown.unwrap_or_else(|_| print_term(term))));
        }
        let n = choices.all.len();
        let others = match n {
            0 | 1 => format!("{} has to be played instead", named.concat()),
            _ if n <= RIVALS => format!("{} has to be played instead", listed(&named, "or")),
            _ if longer => {
                format!("a longer move has to be played, e.g. {}", named[..RIVALS].join(", "))
            }
            _ => format!(
                "one of {n} other moves has to be played instead, e.g. {}",
                named[..RIVALS].join(", ")
            ),
        };
        let said = rule.and_then(|id| self.teller.quoted(id));
        let by_place = match rule.filter(|_| said.is_none()) {
            Some(id) => format!(", by {}", self.teller.place(id)),
            None => String::new(),
        };
        let subject = &self.subject;
        let short = format!("`{subject}` is not legal: {others}{by_place}.");
        let mut lines: Vec<Line> = rule.map(|id| self.teller.written(id)).into_iter().collect();
        let told = format!("without a move of a higher rank `{}` would be legal by", self.subject);
        lines.push(Line::new(Mark::Note, told));
        lines.push(self.teller.written(by));
        let mut about = rival.map(|mv| self.teller.parts(mv)).unwrap_or_default();
        about.extend(self.teller.parts(value));
        let told = self.told(false, Cause::Rank, short, &about);
        ControlFlow::Continue(Explanation { lines, rivals: terms, rule: said, ..told })
    }

    /// Whether a move has a list where another of its form has a shorter one.
    fn is_longer(&self, longer: Value, value: Value) -> bool {
        let values = &self.teller.run.values;
        let length = |mv: Value| {
            let (name, args) = values.functor(mv)?;
            let lists = args.iter().filter_map(|arg| values.items(*arg)).map(<[Value]>::len);
            Some((name, args.len(), lists.sum::<usize>()))
        };
        let (Some(one), Some(two)) = (length(longer), length(value)) else { return false };
        (one.0, one.1) == (two.0, two.1) && one.2 > two.2
    }

    fn rank_clause(&mut self, rank: RelationId, mv: Value, top: i64) -> Answer<Option<ClauseId>> {
        let (here, given) = (self.teller.run.moment(&[]), [Some(mv), Some(Value::Integer(top))]);
        let program = self.teller.run.program;
        for by in &program.relation(rank).clauses {
            let Some(from) = self.teller.entered(*by, &given, &here) else { continue };
            let body = program.clause(*by).body.conjuncts();
            if self.teller.run.way(Some(*by), body, &from, &|_, _| true)?.is_some() {
                return ControlFlow::Continue(Some(*by));
            }
        }
        ControlFlow::Continue(None)
    }
}
