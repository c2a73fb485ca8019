//! Why a move is not legal: what its clauses lack.

use super::moves::MoveQuestion;
use super::said::{Said, telling};
use super::walk::Moment;
use super::words::turn_of;
use super::{Cause, Explanation, Line, Mark, Reason};
use crate::goals::Evaluator as _;
use crate::program::{self, ClauseId, FluentId, GoalKind, Kind, RelationId, Value};
use crate::reference::run::Answer;
use crate::syntax::print_term;
use std::ops::ControlFlow;

/// The name of the move of a player who makes no other.
const PASS: &str = "pass";

impl<'r> MoveQuestion<'_, 'r> {
    pub(super) fn illegal(
        &mut self,
        relation: RelationId,
        value: Value,
        chance: bool,
    ) -> Answer<Explanation> {
        let start = self.start();
        self.teller.named = Some(self.teller.parts(value));
        self.teller.due = self.is_due(value);
        if let Some(by) = self.possible(relation, value, &start)? {
            return self.outranked(by, value);
        }
        if let Some(told) = self.unfinished(value) {
            return ControlFlow::Continue(told);
        }
        let (why, lines) = self.teller.clauses_refuted(relation, &[Some(value)], &start)?;
        let Some(why) = why else {
            let short = self.no_clause(relation, value);
            let about = self.teller.parts(value);
            return ControlFlow::Continue(self.told(false, Cause::Form, short, &about));
        };
        // a rule error after the move has its own explanation
        if !chance
            && !why.after
            && let Some(player) = self.others_turn(relation, value, &start)?
        {
            let turn = self.teller.run.read(FluentId::TURN, &[]);
            let (turn, player) = (turn.map(|p| self.teller.show(p)), self.teller.show(player));
            let turn = turn.unwrap_or_default();
            let short = format!(
                "It is {} turn: `{}` would be {} move.",
                turn_of(self.teller.run.program, &turn),
                self.subject,
                turn_of(self.teller.run.program, &player)
            );
            let about = self.teller.parts(value);
            let told = self.told(false, Cause::Turn, short, &about);
            return ControlFlow::Continue(Explanation { lines, ..told });
        }
        let mut about = why.about.clone();
        let ends = self.teller.parts(value);
        let (facts, whole) = match self.teller.sites(&ends).as_slice() {
            // a site between the ends is a detail of the way from one to the other
            [from, to]
                if why.apart
                    && !why.state
                    && (self.teller.sites(&about) != [*from, *to]
                        || self.teller.piece_on(*from).is_some()) =>
            {
                let text = self.teller.no_way(None, *from, *to);
                (text.clone(), text)
            }
            [site] if why.same && ends.len() > 1 => {
                let text = self.teller.beside(&[], *site, *site);
                (text.clone(), text)
            }
            _ => (why.core, why.whole),
        };
        about.extend(ends);
        let told_of = why.facts.iter().any(|fact| matches!(fact, Said::Of(..)));
        let blamed = telling(why.facts).into_iter().map(|fact| match fact {
            Said::Of(site, _) => Some(site),
            _ => None,
        });
        let mut blamed: Option<Vec<String>> = blamed.collect();
        // that another's piece stands where the move begins may follow from what is true in every position
        if blamed.as_ref().is_none_or(Vec::is_empty)
            && let Some(site) = self.teller.sites(&self.teller.parts(value)).first().copied()
            && let Some(contents) = self.reference.contents_fluent()
            && let Said::Of(name, what) = self.teller.said(contents, &[site])
            && facts == format!("{name} is {what}")
        {
            blamed = Some(vec![name]);
        }
        let what = if chance { "cannot happen" } else { "is not legal" };
        let when = if why.after && why.state { "after it, " } else { "" };
        let mut rule = why.rule.and_then(|by| self.teller.quoted(by));
        let from = self.teller.sites(&self.teller.parts(value));
        let from = from.first().filter(|_| from.len() > 1).map(|site| self.teller.show(*site));
        // what the piece may do tells nothing where there is none, or not the mover's
        let of_first = |blamed: &Vec<String>| {
            !blamed.is_empty() && blamed.iter().all(|site| Some(site) == from.as_ref())
        };
        if blamed.as_ref().is_some_and(of_first) {
            rule = None;
        }
        // of a pass that other moves forbid it is told that there are others, not what makes them legal
        let own = match self.teller.refused(value) {
            None if self.term == PASS
                && !chance
                && whole.ends_with("must not hold)")
                && told_of =>
            {
                self.choices.all.first().map(|other| {
                    let term = self.teller.run.values.to_term(other.mv);
                    // a rule error in a notation is none of this reason
                    let name = self.reference.notation(self.facts, &term);
                    let name = name.unwrap_or_else(|_| print_term(&term));
                    let mover = self.facts.turn().map(|p| self.teller.show(p)).unwrap_or_default();
                    format!("{mover} can move, e.g. `{name}`")
                })
            }
            Some((words, by)) => {
                // the file may give the rule beside the words
                rule = by.and_then(|by| self.teller.quoted(by)).or(rule);
                Some(words)
            }
            None => None,
        };
        // what the turn asks for goes before what else forbids a move of a kind that is not due
        let another = !self.teller.due;
        let phase = why.phase || another && !chance && self.is_of_phase(relation, value, &start)?;
        let due = if phase && !why.after { self.due() } else { None };
        // the rule for such a move tells nothing of a piece that the player has there already
        if another && blamed.as_ref().is_some_and(|sites| self.are_own(value, sites)) {
            rule = None;
        }
        let asked = own.is_none() && due.is_some();
        let (now, reason) = match (own, due) {
            (Some(words), _) => ("", Reason { facts: words.clone(), whole: words }),
            // a rule for another part of the turn tells nothing beside what the turn asks for
            (None, Some(due)) => {
                rule = None;
                blamed = None;
                (" now", Reason { facts: due.clone(), whole: due })
            }
            (None, None) => {
                let reason =
                    Reason { facts: format!("{when}{facts}"), whole: format!("{when}{whole}") };
                ("", reason)
            }
        };
        let short = format!("`{}` {what}{now}: {}.", self.subject, reason.whole);
        ControlFlow::Continue(Explanation {
            lines,
            rule,
            lacks: why.cost,
            reached: why.reached,
            blamed: blamed.unwrap_or_default(),
            due: asked,
            takes: why.takes,
            reason: Some(reason),
            ..self.told(false, Cause::Goal, short, &about)
        })
    }

    /// Whether some legal move has the form of this one.
    fn is_due(&self, value: Value) -> bool {
        let values = &self.teller.run.values;
        let form = |mv: Value| values.functor(mv).map(|(name, args)| (name, args.len()));
        self.choices.all.iter().any(|other| form(other.mv) == form(value))
    }

    /// Whether each clause for a move asks for another phase of the turn, whatever else it asks for.
    fn is_of_phase(&mut self, relation: RelationId, value: Value, start: &Moment) -> Answer<bool> {
        let program = self.teller.run.program;
        let mut any = false;
        for by in &program.relation(relation).clauses {
            let Some(from) = self.teller.entered(*by, &[Some(value)], start) else { continue };
            any = true;
            if !self.teller.asks_phase(*by, from)? {
                return ControlFlow::Continue(false);
            }
        }
        ControlFlow::Continue(any)
    }

    /// Whether a move names one site alone, which is the only one blamed and holds a piece of the player's.
    fn are_own(&self, value: Value, blamed: &[String]) -> bool {
        let teller = &self.teller;
        let sites = teller.sites(&teller.parts(value));
        let ([site], [name]) = (sites.as_slice(), blamed) else { return false };
        let contents = self.reference.contents_fluent();
        let held = contents.and_then(|fluent| teller.run.read(fluent, &[*site]));
        let own = |held: Value| {
            teller.parts(held).into_iter().any(|part| Some(part) == self.facts.turn())
        };
        teller.show(*site) == *name && held.is_some_and(own)
    }

    /// That a move stops short of a legal one, which goes on along its path.
    fn unfinished(&mut self, value: Value) -> Option<Explanation> {
        let choices = self.choices.clone();
        let (longer, last) = choices.all.iter().find_map(|longer| {
            let (column, last) = self.begins(value, longer.mv)?;
            (!self.is_of_facts(longer.clause, column)).then_some((longer, last))
        })?;
        let rule = self.teller.quoted(longer.clause);
        let term = self.teller.run.values.to_term(longer.mv);
        // a rule error in a notation is none of this reason
        let name = self.reference.notation(self.facts, &term).unwrap_or_else(|_| print_term(&term));
        let last = self.teller.show(last);
        let text = format!("it goes on from {last}, as `{name}` does");
        let short = format!("`{}` is not legal: {text}.", self.subject);
        let reason = Some(Reason { facts: text.clone(), whole: text });
        let mut about = self.teller.parts(value);
        about.extend(self.teller.parts(longer.mv));
        let mut lines = vec![
            Line::new(Mark::Fails, self.term.clone())
                .noted(format!("`{name}` goes on from {last}")),
        ];
        lines.push(self.teller.written(longer.clause));
        Some(Explanation { lines, rule, reason, ..self.told(false, Cause::Goal, short, &about) })
    }

    /// Whether a clause takes an argument of its move from a static relation, so that a list is no path that goes on.
    fn is_of_facts(&self, clause: ClauseId, column: usize) -> bool {
        let rules = &self.reference.program;
        let clause = rules.clause(clause);
        let Some(program::Term::Compound(_, args)) = clause.head.first() else { return false };
        let Some(arg @ program::Term::Variable(_)) = args.get(column) else { return false };
        clause.body.conjuncts().iter().any(|goal| match &goal.kind {
            GoalKind::Call(id, args) => {
                rules.relation(*id).kind == Kind::Static && args.contains(arg)
            }
            _ => false,
        })
    }

    /// The argument that is a list in a move, and its last item, where the other move has more items behind the same ones and
    /// is else equal.
    pub(super) fn begins(&self, value: Value, other: Value) -> Option<(usize, Value)> {
        let values = &self.teller.run.values;
        let ((name, mine), (form, theirs)) = (values.functor(value)?, values.functor(other)?);
        if name != form || mine.len() != theirs.len() {
            return None;
        }
        let mut last = None;
        let pairs = mine.iter().zip(theirs).enumerate();
        for (column, (one, two)) in pairs.filter(|(_, (one, two))| one != two) {
            let (one, two) = (values.items(*one)?, values.items(*two)?);
            if last.is_some() || !two.starts_with(one) {
                return None;
            }
            last = Some((column, *one.last()?));
        }
        last
    }

    /// What the rules ask for in this position, instead of a reason that tells its phase.
    fn due(&self) -> Option<String> {
        // a rule error in a prompt is none of the move
        let prompts = self.reference.prompts(self.facts).ok()?;
        (!prompts.to_mover.is_empty()).then(|| prompts.to_mover.join("; "))
    }
}
