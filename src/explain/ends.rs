//! Why a game is over, or why it goes on.

use std::ops::ControlFlow;

use crate::diagnostic::listed;
use crate::goals::Evaluator as _;
use crate::program::{ClauseId, EndKind, FluentId, Value};

use super::failure::Why;
use super::proof::Grounds;
use super::said::{telling, together};
use super::{Cause, Explanation, Line, Mark, Teller, as_deep_as_can_be, bound_effort};
use crate::reference::facts::Facts;
use crate::reference::fault::RuleError;
use crate::reference::moves::Outcome;
use crate::reference::run::{Answer, Run};
use crate::reference::{Reference, settle};

/// The most facts in the short answer.
const FACTS: usize = 4;

impl Reference {
    /// Why the game is over, or why it goes on.
    ///
    /// # Errors
    /// A rule error.
    pub fn why_end(&self, facts: &Facts) -> Result<Explanation, RuleError> {
        self.why_ended(facts, EndKind::Over, None)
    }

    /// Why the game has or has not ended in a certain way: won or lost by a player (or by any
    /// player), drawn, or in any way at all.
    ///
    /// # Errors
    /// A rule error.
    pub fn why_ended(
        &self,
        facts: &Facts,
        kind: EndKind,
        player: Option<Value>,
    ) -> Result<Explanation, RuleError> {
        as_deep_as_can_be(
            |depth| {
                let mut run = Run::new(self, facts).unfolding(depth);
                let outcome = settle(run.outcome())?;
                bound_effort(&mut run);
                settle(Teller::new(&mut run).end(kind, player, outcome))
            },
            |error| Some(error),
        )
    }
}

/// Ends that as many cases keep from, or fewer, are equally near.
const FEW_CASES: u32 = 10;

impl<'r> Teller<'_, 'r> {
    fn end(
        &mut self,
        kind: EndKind,
        player: Option<Value>,
        outcome: Option<Outcome>,
    ) -> Answer<Explanation> {
        let who = player.map(|p| self.show(p));
        let subject = match (kind, &who) {
            (EndKind::Win, Some(p)) => format!("win({p})"),
            (EndKind::Lose, Some(p)) => format!("lose({p})"),
            (EndKind::Win, None) => "win(P)".to_string(),
            (EndKind::Lose, None) => "lose(P)".to_string(),
            (EndKind::Draw, _) => "draw".to_string(),
            (EndKind::Over, _) => "over".to_string(),
        };
        let mut told = Explanation::of(subject);
        match outcome {
            Some(outcome) => {
                let among = |some: &[Value]| match player {
                    Some(p) => some.contains(&p),
                    None => !some.is_empty(),
                };
                told.holds = match kind {
                    EndKind::Win => among(&outcome.winners),
                    EndKind::Lose => among(&outcome.losers),
                    EndKind::Draw => outcome.is_draw(self.run.program.players.len()),
                    EndKind::Over => true,
                };
                let result = self.result(&outcome);
                told.short = match (kind, told.holds) {
                    (_, true) => format!("The game is over: {result}."),
                    (_, false) => format!("Not so, the game has ended otherwise: {result}."),
                };
                told.cause = if told.holds { Cause::Proof } else { Cause::Over };
                let mut grounds = Grounds::default();
                told.lines = self.end_proof(&outcome, &mut grounds)?;
                told.sites = self.sites(&grounds.about);
                if let Some(scores) = outcome.scores.as_deref()
                    && let Some(line) = self.scores_told(scores)
                {
                    told.short = format!("{} The {}.", told.short, line.text);
                }
                let facts = telling(grounds.facts);
                if !facts.is_empty() && told.holds {
                    told.short =
                        format!("{} This is so as {}.", told.short, together(&facts, FACTS));
                }
            }
            None => {
                let (best, lines) = self.open_ends(kind, player)?;
                told.lines = lines;
                told.short = match best {
                    Some(why) => {
                        told.sites = self.sites(&why.about);
                        format!("The game goes on: {}.", why.whole)
                    }
                    None => "The game goes on: no clause of that kind could end it.".to_string(),
                };
            }
        }
        ControlFlow::Continue(told)
    }

    /// Each clause that could end the game in this way, with the goal that fails, and the one
    /// nearest to success.
    fn open_ends(
        &mut self,
        kind: EndKind,
        player: Option<Value>,
    ) -> Answer<(Option<Why>, Vec<Line>)> {
        let here = self.run.moment(&[]);
        let mut failures = Vec::new();
        let program = self.run.program;
        for (ends, by) in &program.ends {
            // a question about a winner also concerns `lose/1`
            let players: Vec<Option<Value>> = match (ends, kind, player) {
                (EndKind::Draw | EndKind::Over, EndKind::Draw | EndKind::Over, _)
                | (EndKind::Over, _, _) => vec![None],
                (EndKind::Win | EndKind::Lose, EndKind::Over, _)
                | (EndKind::Win | EndKind::Lose, EndKind::Win | EndKind::Lose, None) => {
                    program.players.iter().copied().map(Some).collect()
                }
                (EndKind::Win, EndKind::Win, Some(p)) | (EndKind::Lose, EndKind::Lose, Some(p)) => {
                    vec![Some(p)]
                }
                (EndKind::Win, EndKind::Lose, Some(p)) | (EndKind::Lose, EndKind::Win, Some(p)) => {
                    program.players.iter().filter(|q| **q != p).copied().map(Some).collect()
                }
                _ => continue,
            };
            for named in players {
                let given: Vec<Option<Value>> = named.iter().map(|p| Some(*p)).collect();
                let Some(from) = self.entered(*by, &given, &here) else { continue };
                let body = program.clause(*by).body.conjuncts();
                if let Some(failure) = self.run.failure(Some(*by), body, &from)? {
                    failures.push((*by, named, failure));
                }
            }
        }
        // in the order of the file, but the nearest one comes first
        let mut best: Option<((u32, bool, u32), Why)> = None;
        let mut lines = Vec::new();
        for (by, named, failure) in &failures {
            let why = self.told(Some(*by), failure)?;
            let mut line = self.clause_line(*by, failure, &why)?;
            line.note = named.map(|player| format!("for {}", self.show(player)));
            lines.push(line);
            let draws = program.ends.iter().any(|(kind, id)| id == by && *kind == EndKind::Draw);
            let far = (failure.cost, draws, failure.lacks.max(FEW_CASES));
            if best.as_ref().is_none_or(|(least, _)| far < *least) {
                let player = named.map(|p| format!(" for {}", self.show(p))).unwrap_or_default();
                let name = match self.run.program.end_name(*by) {
                    Some(name) => format!("\"{name}\""),
                    None => format!("`{}`", self.head(*by)),
                };
                let place = self.place(*by);
                let link = if why.contrast { ": " } else { ", but " };
                let whole =
                    format!("nearest to its end is {name}{player} ({place}){link}{}", why.whole);
                best = Some((far, Why { whole, ..why }));
            }
        }
        ControlFlow::Continue((best.map(|(_, why)| why), lines))
    }

    /// That there are legal moves, with one of them.
    pub fn some_move(&mut self) -> Answer<String> {
        let who = match self.run.read(FluentId::TURN, &[]) {
            Some(player) => self.show(player),
            None => "the player".to_string(),
        };
        let choices = self.run.choices()?;
        let facts = Facts { maps: self.run.state.clone(), past: self.run.past.clone() };
        ControlFlow::Continue(match choices.all.first() {
            _ if choices.chance => "chance comes first".to_string(),
            Some(one) => {
                let term = self.run.values.to_term(one.mv);
                let shown = self.run.reference.notation(&facts, &term);
                // a rule error in a notation is none of this reason
                let shown = shown.unwrap_or_else(|_| self.show(one.mv));
                format!("{who} can move, e.g. `{shown}`")
            }
            None => format!("{who} can move"),
        })
    }

    /// The winners, and the clause that ended the game.
    pub fn result(&mut self, outcome: &Outcome) -> String {
        let names: Vec<String> = outcome.winners.iter().map(|p| self.show(*p)).collect();
        let alone = self.run.program.players.len() == 1;
        let result = match names.as_slice() {
            [] if alone && outcome.kind == Some(EndKind::Over) => {
                "it has come to its end".to_string()
            }
            [] if alone && outcome.kind == Some(EndKind::Lose) => "it is lost".to_string(),
            [] => "a draw".to_string(),
            // no verb, since a player's name may be plural
            names => format!("a win for {}", listed(names, "and")),
        };
        match outcome.clause {
            Some(by) => match self.run.program.end_name(by) {
                Some(name) => format!("{result}: {name} ({})", self.place(by)),
                None => {
                    let rule =
                        self.rule(by).map(|rule| format!(": \"{rule}\"")).unwrap_or_default();
                    format!("{result}, by `{}`{rule} ({})", self.head(by), self.place(by))
                }
            },
            None => format!("{result}, since nobody can move and no clause says what that means"),
        }
    }

    /// The head of a clause as written.
    pub fn head(&self, by: ClauseId) -> &'r str {
        let program = self.run.program;
        program.sources.text(program.clause(by).head_span)
    }

    pub fn end_lines(&mut self, outcome: &Outcome) -> Answer<Vec<Line>> {
        self.end_proof(outcome, &mut Grounds::default())
    }

    fn end_proof(&mut self, outcome: &Outcome, grounds: &mut Grounds) -> Answer<Vec<Line>> {
        let Some(by) = outcome.clause else {
            let text = "there is neither a legal move nor an event of chance";
            return ControlFlow::Continue(vec![Line::new(Mark::Note, text)]);
        };
        let mut lines = vec![self.written(by)];
        let named = match outcome.kind {
            Some(EndKind::Win) => outcome.winners.first().copied(),
            Some(EndKind::Lose) => outcome.losers.first().copied(),
            _ => None,
        };
        let given: Vec<Option<Value>> = named.iter().map(|p| Some(*p)).collect();
        let here = self.run.moment(&[]);
        if let Some(from) = self.entered(by, &given, &here) {
            let body = self.run.program.clause(by).body.conjuncts();
            if let Some(way) = self.run.way(Some(by), body, &from, &|_, _| true)? {
                let end = way.last().map_or(&from, |p| &p.after);
                lines.extend(self.bindings(by, &end.slots));
                lines.extend(self.proofs(Some(by), &way, grounds)?);
            }
        }
        ControlFlow::Continue(lines)
    }
}
