//! Why a move is legal, or what forbids it.
//!
//! The reasons are tried in this order: the game is over; the move is legal; a chance event is due;
//! no move has this form; its clause holds, but there are moves of a higher rank; another player
//! could make it; a goal of its clauses fails.

use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

use crate::diagnostic::listed;
use crate::goals::Evaluator as _;
use crate::program::{self, ClauseId, FluentId, GoalKind, Kind, RelationId, Value};
use crate::syntax::{Term, print_term};

use super::proof::Grounds;
use super::said::{Said, telling};
use super::walk::Moment;
use super::words::owner;
use super::{Cause, Explanation, Line, Mark, Reason, Teller, as_deep_as_can_be, bound_effort};
use crate::reference::facts::{Facts, IN_SET, Position};
use crate::reference::fault::RuleError;
use crate::reference::moves::{Choices, Outcome, Successor};
use crate::reference::run::{Answer, Run};
use crate::reference::{Reference, settle};

/// How many of the moves of a higher rank are named.
const RIVALS: usize = 3;

/// The name of the move of a player who makes no other.
const PASS: &str = "pass";

/// The most chance events that are named.
const EVENTS: usize = 6;

impl Reference {
    /// Why a move or chance event is legal in a position, or why it is not.
    ///
    /// # Errors
    /// A rule error.
    pub fn why_move(&self, facts: &Facts, mv: &Term) -> Result<Explanation, RuleError> {
        as_deep_as_can_be(|depth| self.why_move_to(depth, facts, mv), |error| Some(error))
    }

    fn why_move_to(
        &self,
        depth: usize,
        facts: &Facts,
        mv: &Term,
    ) -> Result<Explanation, RuleError> {
        let subject = self.notation(facts, mv)?;
        let mut run = Run::new(self, facts).unfolding(depth);
        let outcome = settle(run.outcome())?;
        // a game that is over needs no moves
        let choices = match outcome {
            Some(_) => Rc::default(),
            None => settle(run.choices())?,
        };
        let value = run.values.from_term(mv);
        bound_effort(&mut run);
        let mut question = MoveQuestion {
            reference: self,
            facts,
            subject,
            term: print_term(mv),
            choices,
            teller: Teller::new(&mut run),
        };
        let mut told = settle(question.answer(mv, value, outcome))?;
        if !told.holds && told.cause != Cause::Over {
            told.closest = self.closest(facts, &question.choices, mv, &question.teller)?;
        }
        Ok(told)
    }
}

/// A question about one move in one position.
pub(super) struct MoveQuestion<'x, 'r> {
    pub reference: &'r Reference,
    pub facts: &'x Facts,
    /// The move in the game's notation.
    pub subject: String,
    /// The move as a term.
    pub term: String,
    pub choices: Rc<Choices>,
    pub teller: Teller<'x, 'r>,
}

impl<'r> MoveQuestion<'_, 'r> {
    fn answer(
        &mut self,
        mv: &Term,
        value: Option<Value>,
        outcome: Option<Outcome>,
    ) -> Answer<Explanation> {
        if let Some(outcome) = outcome {
            let result = self.teller.result(&outcome);
            let short = format!("The game is over: {result}.");
            let lines = self.teller.end_lines(&outcome)?;
            let told = Explanation { lines, ..self.told(false, Cause::Over, short, &[]) };
            return ControlFlow::Continue(told);
        }
        let Some(value) = value else {
            let short = format!(
                "`{}` has a variable: ask about one move, as {} are.",
                self.term,
                self.examples(&[])
            );
            return ControlFlow::Continue(self.told(false, Cause::Form, short, &[]));
        };
        let choices = self.choices.clone();
        if let Some(successor) = choices.all.iter().find(|s| s.mv == value) {
            return self.legal(successor, choices.chance);
        }
        let special = self.teller.run.program.special;
        let (in_moves, in_chance) =
            (self.kind_of(special.moves, mv), self.kind_of(special.chance, mv));
        if choices.chance && !in_chance && !choices.all.is_empty() {
            let n = choices.all.len();
            let told = choices.all.iter().take(if n > EVENTS { 1 } else { n });
            let events: Vec<String> = told
                .map(|event| {
                    let term = self.teller.run.values.to_term(event.mv);
                    let name = self.reference.notation(self.facts, &term);
                    format!("`{}`", name.unwrap_or_else(|_| self.teller.show(event.mv)))
                })
                .collect();
            let event = match n > EVENTS {
                true => format!("one of {n} events, such as {},", events.concat()),
                false => listed(&events, "or"),
            };
            let short = format!("Chance comes first: {event} happens before anybody moves.");
            return ControlFlow::Continue(self.told(false, Cause::Chance, short, &[]));
        }
        if !in_moves && !in_chance {
            let short = self.unknown_form(mv);
            return ControlFlow::Continue(self.told(false, Cause::Form, short, &[]));
        }
        let relation = if in_moves { special.moves } else { special.chance };
        match relation {
            Some(relation) => self.illegal(relation, value, !in_moves),
            None => ControlFlow::Continue(self.told(false, Cause::Form, String::new(), &[])),
        }
    }

    /// The moment before the clauses of moves.
    fn start(&self) -> Moment {
        let run = &self.teller.run;
        let mut past = run.past.to_vec();
        past.push(Position::of(run.program, &run.state));
        Moment { past: Arc::new(past), turned: false, ..run.moment(&[]) }
    }

    fn told(&self, holds: bool, cause: Cause, short: String, about: &[Value]) -> Explanation {
        let sites = self.teller.sites(about);
        Explanation { holds, cause, short, sites, ..Explanation::of(self.subject.clone()) }
    }

    fn legal(&mut self, successor: &Successor, chance: bool) -> Answer<Explanation> {
        let start = self.start();
        let mover = self.teller.run.read(FluentId::TURN, &[]);
        let by = successor.clause;
        let mut about = self.teller.parts(successor.mv);
        let mut lines = Vec::new();
        if let Some(from) = self.teller.entered(by, &[Some(successor.mv)], &start) {
            let body = self.teller.run.program.clause(by).body.conjuncts();
            let accept =
                |run: &Run<'r>, _: &[_]| run.finished(chance, mover).maps == successor.facts.maps;
            if let Some(way) = self.teller.run.way(Some(by), body, &from, &accept)? {
                let mut grounds = Grounds::default();
                lines.push(self.teller.written(by));
                let end = way.last().map_or(&from, |p| &p.after);
                lines.extend(self.teller.bindings(by, &end.slots));
                lines.extend(self.teller.proofs(Some(by), &way, &mut grounds)?);
                about.extend(grounds.about);
            }
        }
        let next = self.next(&successor.facts, chance)?;
        lines.push(Line::new(Mark::Note, next.clone()));
        let what = if chance { "can happen" } else { "is legal" };
        let place = self.teller.place(by);
        let by = match self.teller.rule(by) {
            Some(rule) => format!(": \"{rule}\" ({place})"),
            None => format!(", by {place}"),
        };
        let short = format!("`{}` {what}{by}; {next}.", self.subject);
        ControlFlow::Continue(Explanation { lines, ..self.told(true, Cause::Proof, short, &about) })
    }

    /// What follows a move, in words.
    fn next(&mut self, after: &Facts, chance: bool) -> Answer<String> {
        let mut run = Run::new(self.reference, after);
        let mut teller = Teller::new(&mut run);
        if let Some(outcome) = teller.run.outcome()? {
            return ControlFlow::Continue(format!(
                "then the game is over: {}",
                teller.result(&outcome)
            ));
        }
        if teller.run.choices()?.chance {
            return ControlFlow::Continue("then chance decides".to_string());
        }
        let turn = after.turn().map(|p| teller.show(p)).unwrap_or_default();
        let again = !chance && after.turn() == self.facts.turn();
        ControlFlow::Continue(match again {
            true => format!("then it is still {} turn", owner(&turn)),
            false => format!("then it is {} turn", owner(&turn)),
        })
    }

    fn illegal(&mut self, relation: RelationId, value: Value, chance: bool) -> Answer<Explanation> {
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
                owner(&turn),
                self.subject,
                owner(&player)
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
        let own = match self.term_words(value) {
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
            own => own,
        };
        // what the turn asks for goes before what else forbids a move of a kind that is not due
        let another = !self.teller.due;
        let phase = why.phase || another && !chance && self.is_of_phase(relation, value, &start)?;
        let due = if phase && !why.after { self.due() } else { None };
        // the rule for such a move tells nothing of a piece that the player has there already
        if another && blamed.as_ref().is_some_and(|sites| self.are_own(value, sites)) {
            rule = None;
        }
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
    fn begins(&self, value: Value, other: Value) -> Option<(usize, Value)> {
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

    /// Why the move is not legal in the words of `says/2`.
    fn term_words(&mut self, value: Value) -> Option<String> {
        let (name, args) = self.teller.run.values.functor(value)?;
        let (name, args) = (name.to_string(), args.to_vec());
        self.teller.worded(false, &name, &args).map(|said| said.to_string())
    }

    /// The clause that makes the move, apart from ranks.
    fn possible(
        &mut self,
        relation: RelationId,
        value: Value,
        start: &Moment,
    ) -> Answer<Option<ClauseId>> {
        let program = self.teller.run.program;
        for by in &program.relation(relation).clauses {
            let Some(from) = self.teller.entered(*by, &[Some(value)], start) else { continue };
            let body = program.clause(*by).body.conjuncts();
            if self.teller.run.way(Some(*by), body, &from, &|_, _| true)?.is_some() {
                return ControlFlow::Continue(Some(*by));
            }
        }
        ControlFlow::Continue(None)
    }

    /// Another player who could make the move with what is his, if there is one.
    fn others_turn(
        &mut self,
        relation: RelationId,
        value: Value,
        start: &Moment,
    ) -> Answer<Option<Value>> {
        let turn = self.teller.run.read(FluentId::TURN, &[]);
        for player in self.teller.run.program.players.clone() {
            if Some(player) == turn {
                continue;
            }
            let mut theirs = start.clone();
            let map = Arc::make_mut(&mut theirs.state[FluentId::TURN.0 as usize]);
            map.insert(Vec::new(), player);
            // where nothing on the way is his, it is not the turn that the move lacks
            if !self.touches(value, player)? {
                continue;
            }
            // a rule error in another player's turn means nothing
            if let ControlFlow::Continue(Some(_)) = self.possible(relation, value, &theirs) {
                return ControlFlow::Continue(Some(player));
            }
        }
        ControlFlow::Continue(None)
    }

    /// The explanation for a move whose clause holds, but there are moves of a higher rank.
    fn outranked(&mut self, by: ClauseId, value: Value) -> Answer<Explanation> {
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
            0 | 1 => format!("another move goes before it, {}", named.concat()),
            _ if n <= RIVALS => {
                format!("{n} moves go before it, {}", listed(&named, "and"))
            }
            _ if longer => {
                format!("longer moves go before it, e.g. {}", named[..RIVALS].join(", "))
            }
            _ => format!("{n} moves go before it, e.g. {}", named[..RIVALS].join(", ")),
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

    /// Whether a site of a move holds what is a player's, or is his by a static relation between players and
    /// sites.
    fn touches(&mut self, value: Value, player: Value) -> Answer<bool> {
        let about = self.teller.parts(value);
        let sites = self.teller.sites(&about);
        // a move without sites, such as castling, is anybody's
        let Some(first) = sites.first().copied() else { return ControlFlow::Continue(false) };
        if let Some(fluent) = self.reference.drawn_fluent()
            && let Some(value @ Value::Constant(_)) = self.teller.run.read(fluent, &[first])
        {
            let named = self.teller.parts(value).contains(&player);
            return ControlFlow::Continue(named || self.teller.belongs(value, player));
        }
        ControlFlow::Continue(self.teller.belongs(first, player))
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

impl<'r> Teller<'_, 'r> {
    /// A clause as written in the file.
    pub fn written(&self, by: ClauseId) -> Line {
        let clause = self.run.program.clause(by);
        let mut line = Line::new(Mark::Clause, self.run.program.sources.text(clause.span).trim());
        line.place = Some(self.place(by));
        line
    }

    /// The rule of a clause in words with its place; `None` where it has none.
    pub(super) fn quoted(&mut self, by: ClauseId) -> Option<String> {
        let rule = self.rule(by)?;
        Some(format!("\"{rule}\" ({})", self.place(by)))
    }

    /// The values of a clause's variables, in one line.
    pub fn bindings(&self, by: ClauseId, slots: &[Option<Value>]) -> Option<Line> {
        let named = self.run.program.clause(by).variables.iter().zip(slots);
        let bound: Vec<String> = named
            .filter(|(variable, _)| !variable.name.starts_with('_'))
            .filter_map(|(v, value)| value.map(|x| format!("{} = {}", v.name, self.show(x))))
            .collect();
        (!bound.is_empty()).then(|| Line::new(Mark::Note, format!("with {}", bound.join(", "))))
    }

    /// The parts of a value; the value itself where it has none.
    pub fn parts(&self, value: Value) -> Vec<Value> {
        let inner = match (self.run.values.items(value), self.run.values.functor(value)) {
            (Some(items), _) => items.to_vec(),
            (None, Some((_, args))) if !args.is_empty() => args.to_vec(),
            _ => return vec![value],
        };
        inner.into_iter().flat_map(|v| self.parts(v)).collect()
    }

    /// The sites of the board among some values, each once.
    pub fn sites(&self, about: &[Value]) -> Vec<Value> {
        let Some(xy) = self.run.program.special.xy else { return Vec::new() };
        let all: rustc_hash::FxHashSet<Value> =
            self.run.reference.lookup.tables.get(xy).column(0).into_iter().collect();
        let mut sites = Vec::new();
        for value in about.iter().flat_map(|v| self.parts(*v)) {
            if value != IN_SET && all.contains(&value) && !sites.contains(&value) {
                sites.push(value);
            }
        }
        sites
    }
}
