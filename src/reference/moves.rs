//! Moves, chance events and the end of a game.

use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::diagnostic::Diagnostic;
use crate::goals::{Evaluator as _, Terms as _};
use crate::program::{ClauseId, EndKind, FluentId, RelationId, Term, Value};
use crate::source::Span;

use super::facts::{Facts, Position};
use super::run::{Answer, Flow, Next, Run, Stop};
use crate::goals::Environment;
use crate::goals::found;

/// A move or chance event, with the resulting position.
#[derive(Debug, Clone)]
pub(crate) struct Successor {
    pub mv: Value,
    pub clause: ClauseId,
    pub facts: Facts,
}

/// The legal moves or chance events of a position.
#[derive(Debug, Default)]
pub(crate) struct Choices {
    /// They are chance events.
    pub chance: bool,
    pub all: Vec<Successor>,
}

/// How a game ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// What the end clause says. `None` where there is no legal move and no clause applies, which
    /// is a draw.
    pub kind: Option<EndKind>,
    /// The end clause, where there is one.
    pub clause: Option<ClauseId>,
    /// The winners in declared order; empty for a draw.
    pub winners: Vec<Value>,
    /// The other players, where a player won or lost; empty otherwise.
    pub losers: Vec<Value>,
    /// The score of each player in declared order, where the game has scores.
    pub scores: Option<Vec<Option<i64>>>,
}

impl Outcome {
    /// Whether a game for this many players is a draw: no player wins, even if all of them lose. A game for one
    /// player that ends with a loss or a score is not a draw.
    pub fn is_draw(&self, players: usize) -> bool {
        let decided = matches!(self.kind, Some(EndKind::Lose | EndKind::Over));
        self.winners.is_empty() && (players > 1 || !decided)
    }
}

type Found = IndexMap<Value, Successor, FxBuildHasher>;

/// An end clause that holds; neither kind nor clause where no player can move.
type End = (Option<EndKind>, Option<ClauseId>, Vec<Value>);

impl<'r> Run<'r> {
    /// The chance events if there are any, otherwise the legal moves.
    pub(crate) fn choices(&mut self) -> Answer<Rc<Choices>> {
        if let Some(choices) = self.choices.get(&self.version) {
            return ControlFlow::Continue(choices.clone());
        }
        let special = self.program.special;
        let events = self.successors(special.chance, true)?;
        let choices = if events.is_empty() {
            let moves = self.successors(special.moves, false)?;
            Choices { chance: false, all: self.highest(moves)? }
        } else {
            self.some_weight(&events)?;
            Choices { chance: true, all: events.into_values().collect() }
        };
        let choices = Rc::new(choices);
        self.choices.insert(self.version, choices.clone());
        ControlFlow::Continue(choices)
    }

    /// A rule error where no event has a weight above 0. All weights are evaluated, since any of
    /// them may be a rule error.
    fn some_weight(&mut self, events: &Found) -> Flow {
        let mut possible = false;
        for event in events.values() {
            possible |= self.weight_of(event.mv)? > 0;
        }
        if possible {
            return ControlFlow::Continue(());
        }
        let clause = events.values().next().map(|event| event.clause);
        ControlFlow::Break(Stop::Fault(super::RuleError::new(self.program.no_weight(clause))))
    }

    /// The weight of a chance event.
    pub(crate) fn weight_of(&mut self, event: Value) -> Answer<i64> {
        let Some(weight) = self.program.special.weight else { return ControlFlow::Continue(1) };
        let weights = self.numbers(weight, &[Some(event), None])?;
        ControlFlow::Continue(weights.into_iter().max().unwrap_or(1).max(0))
    }

    /// All moves of the clauses of `move` or `chance`, with their positions.
    fn successors(&mut self, relation: Option<RelationId>, chance: bool) -> Answer<Found> {
        let mut all = Found::default();
        let Some(relation) = relation else { return ControlFlow::Continue(all) };
        let mover = self.read(FluentId::TURN, &[]);
        let (before, turned, version) = (self.past.clone(), self.turned, self.version);
        let mut past = before.to_vec();
        past.push(Position::of(self.program, &self.state));
        self.past = Arc::new(past);
        self.turned = false;
        self.renew();
        let nobody = Environment::new(None, 0, 0);
        let program = self.program;
        // reported when all moves are known: other rule errors take precedence
        let mut ambiguous = None;
        for id in &program.relation(relation).clauses {
            self.clause(*id, &[None], &nobody, &mut |run, row| {
                let facts = run.finished(chance, mover);
                let Some(mv) = row.first().copied() else { return ControlFlow::Continue(()) };
                match all.get(&mv) {
                    Some(first) if first.facts != facts => {
                        ambiguous.get_or_insert((mv, first.clause, *id));
                        ControlFlow::Continue(())
                    }
                    Some(_) => ControlFlow::Continue(()),
                    None => {
                        all.insert(mv, Successor { mv, clause: *id, facts });
                        ControlFlow::Continue(())
                    }
                }
            })?;
        }
        self.past = before;
        self.turned = turned;
        self.return_to(version);
        if let Some((mv, first, other)) = ambiguous {
            return ControlFlow::Break(self.ambiguous(mv, first, other));
        }
        ControlFlow::Continue(all)
    }

    /// Whether some clause of `chance` or `move` makes this move.
    pub(crate) fn attempt(&mut self, mv: Value) -> Answer<bool> {
        let mut past = self.past.to_vec();
        past.push(Position::of(self.program, &self.state));
        self.past = Arc::new(past);
        self.renew();
        let nobody = Environment::new(None, 0, 0);
        let (special, program) = (self.program.special, self.program);
        let mover = self.read(FluentId::TURN, &[]);
        let mut made = false;
        for (relation, chance) in [(special.chance, true), (special.moves, false)] {
            let clauses = relation.map(|id| program.relation(id).clauses.as_slice());
            for id in clauses.unwrap_or_default() {
                self.turned = false;
                self.clause(*id, &[Some(mv)], &nobody, &mut |run, _| {
                    made = true;
                    let facts = run.finished(chance, mover);
                    run.tell_made(*id, &facts);
                    ControlFlow::Continue(())
                })?;
            }
        }
        ControlFlow::Continue(made)
    }

    /// The position after a move, at the end of its clause.
    pub(crate) fn finished(&self, chance: bool, mover: Option<Value>) -> Facts {
        let mut facts = Facts { maps: self.state.clone(), past: self.past.clone() };
        facts.set(FluentId::PLY, &[], Some(Value::Integer(facts.ply() + 1)));
        if chance {
            return facts;
        }
        facts.set(FluentId::MOVER, &[], mover);
        if !self.turned {
            let players = &self.program.players;
            let next = mover
                .and_then(|player| self.program.player_index(player))
                .and_then(|at| players.get((at + 1) % players.len()));
            facts.set(FluentId::TURN, &[], next.copied());
        }
        facts
    }

    fn ambiguous(&self, mv: Value, first: ClauseId, other: ClauseId) -> Stop {
        let shown = self.values.show(mv);
        let mut fault = Diagnostic::error(
            "ambiguous-move",
            format!("the move `{shown}` leads to two different positions"),
        )
        .at(self.program.clause(first).span, "by this clause");
        if first != other {
            fault = fault.at(self.program.clause(other).span, "and by this one");
        }
        let fault = fault.hint("put what tells them apart into the move, e.g. another argument");
        Stop::Fault(super::RuleError::new(fault))
    }

    /// The moves of the highest rank.
    fn highest(&mut self, moves: Found) -> Answer<Vec<Successor>> {
        let moves: Vec<Successor> = moves.into_values().collect();
        let Some(rank) = self.program.special.rank else { return ControlFlow::Continue(moves) };
        let mut ranked = Vec::new();
        for successor in moves {
            let ranks = self.numbers(rank, &[Some(successor.mv), None])?;
            ranked.push((ranks.into_iter().max().unwrap_or(0), successor));
        }
        let top = ranked.iter().map(|(rank, _)| *rank).max();
        let best = ranked.into_iter().filter(|(rank, _)| Some(*rank) == top);
        ControlFlow::Continue(best.map(|(_, successor)| successor).collect())
    }

    /// The integers in the last column of a relation's answers.
    pub(crate) fn numbers(
        &mut self,
        relation: RelationId,
        given: &[Option<Value>],
    ) -> Answer<Vec<i64>> {
        let nobody = Environment::new(None, 0, 0);
        let mut numbers = Vec::new();
        self.rows(relation, given, &nobody, &mut |run, row| {
            match row.last() {
                Some(Value::Integer(n)) => numbers.push(*n),
                Some(other) => {
                    let (name, shown) =
                        (&run.program.relation(relation).name, run.values.show(*other));
                    let fault = run.program.no_number(name, &shown);
                    return ControlFlow::Break(Stop::Fault(super::RuleError::new(fault)));
                }
                None => {}
            }
            ControlFlow::Continue(())
        })?;
        ControlFlow::Continue(numbers)
    }

    /// The sum of the answers of `score(P, N)` or `value(P, N)`, if there are any.
    pub(crate) fn sum_for(&mut self, relation: RelationId, player: Value) -> Answer<Option<i64>> {
        let numbers = self.numbers(relation, &[Some(player), None])?;
        let sum = numbers.iter().fold(0i64, |sum, n| sum.saturating_add(*n));
        ControlFlow::Continue((!numbers.is_empty()).then_some(sum))
    }

    /// The answers of `legal(M)`, in the standard order of terms.
    pub(crate) fn legal(&mut self, term: &Term, env: &mut Environment, next: Next<'_, 'r>) -> Flow {
        let choices = self.choices()?;
        if choices.chance {
            return ControlFlow::Continue(());
        }
        let mut moves: Vec<Value> = choices.all.iter().map(|successor| successor.mv).collect();
        moves.sort_by(|a, b| self.values.compare(*a, *b));
        for mv in moves {
            self.unify(term, mv, env, next)?;
        }
        ControlFlow::Continue(())
    }

    /// Whether there is neither a legal move nor a chance event.
    pub(crate) fn stuck(&mut self) -> Answer<bool> {
        ControlFlow::Continue(self.choices()?.all.is_empty())
    }

    pub(crate) fn repeated(
        &mut self,
        times: &Term,
        board: bool,
        span: Span,
        env: &mut Environment,
        next: Next<'_, 'r>,
    ) -> Flow {
        let times = self.need(times, env, span)?;
        let Value::Integer(times) = times else {
            return ControlFlow::Break(self.no_number(times, span, env));
        };
        self.spend(self.past.len() as u64, env)?;
        if self.occurrences(board) >= times { next(self, env) } else { ControlFlow::Continue(()) }
    }

    /// How often the position has occurred, the current occurrence included; with `board`,
    /// regardless of the player to move.
    pub(crate) fn occurrences(&self, board: bool) -> i64 {
        let now = Position::of(self.program, &self.state);
        let same = |then: &&Position| then.board == now.board && (board || then.turn == now.turn);
        1 + self.past.iter().filter(same).count() as i64
    }

    /// After how many moves the position has occurred before, by the number of the recorded positions.
    pub(crate) fn same_before(&self, board: bool) -> Vec<usize> {
        let now = Position::of(self.program, &self.state);
        let same = |then: &Position| then.board == now.board && (board || then.turn == now.turn);
        let past = self.past.iter().enumerate();
        past.filter(|(_, then)| same(then)).map(|(ply, _)| ply).collect()
    }

    /// How the game has ended in this position.
    pub(crate) fn outcome(&mut self) -> Answer<Option<Outcome>> {
        match self.end()? {
            Some((kind, clause, named)) => {
                ControlFlow::Continue(Some(self.ended(kind, clause, &named)?))
            }
            None => ControlFlow::Continue(None),
        }
    }

    /// The first end clause that holds, with its kind and the players that it names. Scores are not
    /// evaluated.
    pub(crate) fn end(&mut self) -> Answer<Option<End>> {
        let players = &self.program.players;
        for (kind, id) in &self.program.ends {
            let named = match kind {
                EndKind::Win | EndKind::Lose => {
                    let mut named = Vec::new();
                    for player in players {
                        if self.clause_holds(*id, &[Some(*player)])? {
                            named.push(*player);
                        }
                    }
                    if named.is_empty() {
                        continue;
                    }
                    named
                }
                EndKind::Draw | EndKind::Over => {
                    if !self.clause_holds(*id, &[])? {
                        continue;
                    }
                    Vec::new()
                }
            };
            return ControlFlow::Continue(Some((Some(*kind), Some(*id), named)));
        }
        ControlFlow::Continue(self.stuck()?.then_some((None, None, Vec::new())))
    }

    fn clause_holds(&mut self, id: ClauseId, given: &[Option<Value>]) -> Answer<bool> {
        let nobody = Environment::new(None, 0, 0);
        found(self.clause(id, given, &nobody, &mut |_, _| ControlFlow::Break(Stop::Enough)))
    }

    fn ended(
        &mut self,
        kind: Option<EndKind>,
        clause: Option<ClauseId>,
        named: &[Value],
    ) -> Answer<Outcome> {
        let players = &self.program.players;
        let scores = match self.program.special.score {
            Some(score) => {
                let mut scores = Vec::new();
                for player in players {
                    scores.push(self.sum_for(score, *player)?);
                }
                Some(scores)
            }
            None => None,
        };
        let others = |some: &[Value]| -> Vec<Value> {
            players.iter().filter(|p| !some.contains(p)).copied().collect()
        };
        let winners = match kind {
            Some(EndKind::Win) => named.to_vec(),
            Some(EndKind::Lose) => others(named),
            Some(EndKind::Over) if players.len() > 1 => {
                best(players, scores.as_deref().unwrap_or_default())
            }
            _ => Vec::new(),
        };
        let losers = match kind {
            Some(EndKind::Lose) => named.to_vec(),
            _ if winners.is_empty() => Vec::new(),
            _ => others(&winners),
        };
        ControlFlow::Continue(Outcome { kind, clause, winners, losers, scores })
    }
}

/// The player who alone has the highest score; empty where several have it.
fn best(players: &[Value], scores: &[Option<i64>]) -> Vec<Value> {
    let top = scores.iter().flatten().max();
    let mut best = players.iter().zip(scores).filter(|(_, s)| s.is_some() && s.as_ref() == top);
    match (best.next(), best.next()) {
        (Some((player, _)), None) => vec![*player],
        _ => Vec::new(),
    }
}
