//! The tree that the search grows.

use std::time::Instant;

use crate::engine::{Fault, Move, Outcome, PlayoutOptions, Random, Session, State};
use crate::program::Value;
use crate::syntax::Term;

use super::{Advice, Choice, Question, Rated, reason_given};

/// The weight of exploration in UCT.
const CURIOSITY: f64 = 0.9;
/// The initial bonus for a point of advice, in won playouts.
const ADVICE: f64 = 0.25;
/// The number of plies after which a playout is stopped.
const MAX_PLIES: u64 = 400;
/// The most nodes of the tree; further playouts start at its leaves.
const MOST_NODES: usize = 200_000;

/// The value of a game to each player, from 0 to 1.
type Worth = Box<[f64]>;

#[derive(Debug)]
struct Node {
    state: State,
    /// The move that leads here; `None` for the root.
    term: Option<Term>,
    /// The weight of the chance event that leads here.
    weight: i64,
    /// The index of the player who chooses among the children; `None` for chance events. Set once
    /// there are children.
    turn: Option<usize>,
    children: Option<Box<[usize]>>,
    /// The value, for a game that is over.
    end: Option<Worth>,
    visits: u64,
    total: Worth,
    /// The bonus from advice, in won playouts.
    bonus: f64,
}

/// The search tree.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    players: Vec<Value>,
    me: usize,
    random: Random,
    playouts: u64,
    /// The least and the greatest score seen, in a game for one.
    scores: Option<(f64, f64)>,
}

impl Tree {
    pub fn new(
        session: &mut Session<'_>,
        me: Value,
        next: Vec<(Move, State)>,
        outcomes: Vec<Option<Outcome>>,
        safe: &[bool],
        question: &Question<'_>,
    ) -> Result<Tree, Fault> {
        let players = session.game().program.players.clone();
        let index = players.iter().position(|p| *p == me).unwrap_or(0);
        let mut tree = Tree {
            nodes: Vec::new(),
            me: index,
            random: Random::seeded(question.seed),
            playouts: 0,
            scores: None,
            players,
        };
        tree.add(question.state.clone(), None, 1);
        let mut children = Vec::new();
        for (i, ((mv, state), outcome)) in next.into_iter().zip(outcomes).enumerate() {
            if !safe[i] {
                continue;
            }
            let given = question.advice.iter().filter(|a| a.term == mv.term);
            let bonus = given.map(|a| a.priority).max().unwrap_or(0);
            let end = outcome.map(|o| tree.worth(&o));
            let child = tree.add(state, Some(mv.term), 1);
            tree.nodes[child].bonus = ADVICE * bonus.clamp(-100, 100) as f64;
            tree.nodes[child].end = end;
            children.push(child);
        }
        tree.nodes[0].turn = Some(index);
        tree.nodes[0].children = Some(children.into());
        Ok(tree)
    }

    fn add(&mut self, state: State, term: Option<Term>, weight: i64) -> usize {
        let total = vec![0.0; self.players.len()].into();
        self.nodes.push(Node {
            state,
            term,
            weight,
            turn: None,
            children: None,
            end: None,
            visits: 0,
            total,
            bonus: 0.0,
        });
        self.nodes.len() - 1
    }

    /// Runs playouts until a limit is reached. Every move of the root is tried at least once,
    /// unless the search is interrupted.
    pub fn grow(
        &mut self,
        session: &mut Session<'_>,
        question: &Question<'_>,
        started: Option<Instant>,
    ) -> Result<(), Fault> {
        let choices = self.nodes[0].children.as_ref().map_or(0, |c| c.len() as u64);
        if choices < 2 && question.limits.playouts.is_none() {
            return Ok(());
        }
        loop {
            let limits = &question.limits;
            let late = limits.time.zip(started).is_some_and(|(t, s)| s.elapsed() >= t);
            let enough = limits.playouts.is_some_and(|n| self.playouts >= n)
                || (limits.time.is_none() && limits.playouts.is_none());
            if late || enough || (question.interrupted)() {
                return Ok(());
            }
            self.round(session)?;
        }
    }

    /// One round: down the tree, a playout, and back.
    fn round(&mut self, session: &mut Session<'_>) -> Result<(), Fault> {
        let mut path = vec![0];
        let mut at = 0;
        let worth = loop {
            if let Some(end) = &self.nodes[at].end {
                break end.clone();
            }
            if self.nodes[at].children.is_none() {
                let fresh = self.nodes[at].visits == 0 || self.nodes.len() > MOST_NODES;
                if fresh {
                    break self.playout(session, at)?;
                }
                self.expand(session, at)?;
                if self.nodes[at].end.is_some() {
                    continue;
                }
            }
            let Some(child) = self.descend(at) else { break self.playout(session, at)? };
            path.push(child);
            at = child;
        };
        self.playouts += 1;
        for node in path {
            let node = &mut self.nodes[node];
            node.visits += 1;
            for (total, worth) in node.total.iter_mut().zip(&worth) {
                *total += worth;
            }
        }
        Ok(())
    }

    fn expand(&mut self, session: &mut Session<'_>, at: usize) -> Result<(), Fault> {
        let state = self.nodes[at].state.clone();
        if let Some(outcome) = session.outcome(&state)? {
            let worth = self.worth(&outcome);
            self.nodes[at].end = Some(worth);
            return Ok(());
        }
        let next = session.successors(&state)?;
        let chance = next.first().is_some_and(|(mv, _)| mv.chance);
        let turn = session.game().turn(&state);
        self.nodes[at].turn = match chance {
            true => None,
            false => self.players.iter().position(|p| *p == turn),
        };
        let mut children = Vec::with_capacity(next.len());
        for (mv, state) in next {
            children.push(self.add(state, Some(mv.term), mv.weight));
        }
        self.nodes[at].children = Some(children.into());
        Ok(())
    }

    /// Selects a child.
    fn descend(&mut self, at: usize) -> Option<usize> {
        let children = self.nodes[at].children.as_ref()?;
        let Some(turn) = self.nodes[at].turn else {
            let weights: Vec<i64> = children.iter().map(|c| self.nodes[*c].weight).collect();
            return self.random.weighted(&weights).map(|i| children[i]);
        };
        let parent = (self.nodes[at].visits.max(1) as f64).ln();
        let mut best: Option<(f64, usize)> = None;
        for child in children.iter() {
            let node = &self.nodes[*child];
            let visits = node.visits as f64;
            let urgency = if node.visits == 0 {
                // untried moves come first, the advised ones before the others
                1e6 + node.bonus
            } else {
                self.mean(node, turn)
                    + CURIOSITY * (parent / visits).sqrt()
                    + node.bonus / (visits + 1.0)
            };
            if best.is_none_or(|(top, _)| urgency > top) {
                best = Some((urgency, *child));
            }
        }
        best.map(|(_, child)| child)
    }

    /// The average value of a node to a player, from 0 to 1.
    fn mean(&self, node: &Node, player: usize) -> f64 {
        let mean = node.total[player] / (node.visits.max(1)) as f64;
        match self.scores {
            Some((least, most)) if most > least => (mean - least) / (most - least),
            Some(_) => 0.5,
            None => mean,
        }
    }

    /// The value of an outcome: by score in a game for one player, otherwise by the winners.
    fn worth(&mut self, outcome: &Outcome) -> Worth {
        let score = outcome.scores.as_ref().and_then(|s| s.first().copied().flatten());
        if self.players.len() == 1
            && let Some(score) = score
        {
            return self.scored(score as f64);
        }
        let won = |player: &Value| if outcome.winners.contains(player) { 1.0 } else { 0.0 };
        match outcome.winners.is_empty() {
            true => vec![0.5; self.players.len()].into(),
            false => self.players.iter().map(won).collect(),
        }
    }

    fn scored(&mut self, score: f64) -> Worth {
        let (least, most) = self.scores.unwrap_or((score, score));
        self.scores = Some((least.min(score), most.max(score)));
        vec![score].into()
    }

    /// Plays a game out at random.
    fn playout(&mut self, session: &mut Session<'_>, at: usize) -> Result<Worth, Fault> {
        let seed = self.random.number();
        let alone = self.players.len() == 1;
        let mut last = None;
        let mut keep = |state: &State| last = Some(state.clone());
        let counts = session.playouts(
            &self.nodes[at].state,
            &mut PlayoutOptions {
                seed,
                max_plies: MAX_PLIES,
                go_on: &mut |_| false,
                finished: Some(&mut keep),
            },
        )?;
        if counts.games == 0 {
            // it was stopped, and counts the same for all players
            return Ok(vec![0.5; self.players.len()].into());
        }
        if counts.unfinished > 0 || alone {
            let Some(state) = last else { return Ok(vec![0.5; self.players.len()].into()) };
            return self.estimate(session, &state);
        }
        let winners = counts.won.iter().position(|games| *games > 0).unwrap_or(0);
        let worth = |i: usize| match winners {
            0 => 0.5,
            _ => f64::from(u8::from(winners >> i & 1 == 1)),
        };
        Ok((0..self.players.len()).map(worth).collect())
    }

    /// The value of the last position of a playout: by its score in a game for one player, and by
    /// the rules' `value/2` in a game that was stopped.
    fn estimate(&mut self, session: &mut Session<'_>, state: &State) -> Result<Worth, Fault> {
        if self.players.len() == 1 {
            let score = match session.outcome(state)? {
                Some(outcome) => outcome.scores.and_then(|s| s.first().copied().flatten()),
                None => session.values(state)?.first().copied().flatten(),
            };
            return Ok(self.scored(score.unwrap_or(0) as f64));
        }
        let values = session.values(state)?;
        let squashed = |value: &Option<i64>| match value {
            // an advantage that was not turned into a win counts for half a win at most
            Some(value) => 0.5 + 0.25 * (*value as f64 / 20.0).tanh(),
            None => 0.5,
        };
        Ok(values.iter().map(squashed).collect())
    }

    /// The move of the root that was tried most often, with the reason.
    pub fn best(&self, advice: &[Advice]) -> Option<Choice> {
        let children = self.nodes[0].children.as_ref()?;
        let rank = |child: usize| {
            let node = &self.nodes[child];
            (node.visits, node.bonus, self.mean(node, self.me))
        };
        let mut best = *children.first()?;
        for child in children.iter().skip(1) {
            let (now, then) = (rank(*child), rank(best));
            if now.partial_cmp(&then) == Some(std::cmp::Ordering::Greater) {
                best = *child;
            }
        }
        let node = &self.nodes[best];
        let term = node.term.clone()?;
        let playouts = self.playouts;
        let result = match (node.visits, self.scores) {
            (0, _) => None,
            (visits, Some(_)) => {
                let score = node.total[self.me] / visits as f64;
                Some(format!("score {score:.0}, best of {playouts} playouts"))
            }
            (visits, None) => {
                let share = 100.0 * node.total[self.me] / visits as f64;
                Some(format!("{share:.0} %, best of {playouts} playouts"))
            }
        };
        let reason = match (reason_given(advice, &term), result) {
            (Some(text), Some(result)) => format!("{text}; {result}"),
            (Some(text), None) => text.to_string(),
            (None, Some(result)) => result,
            (None, None) if children.len() == 1 => "everything else loses at once".to_string(),
            (None, None) => "no move seems better".to_string(),
        };
        Some(Choice { term, reason, playouts })
    }

    /// The moves of the root, the most visited first.
    pub fn rated(&self) -> Vec<Rated> {
        let children = self.nodes[0].children.iter().flatten();
        let mut all: Vec<Rated> = children
            .filter_map(|child| {
                let node = &self.nodes[*child];
                let mean = (node.visits > 0).then(|| node.total[self.me] / node.visits as f64);
                Some(Rated { term: node.term.clone()?, playouts: node.visits, mean })
            })
            .collect();
        // stable, so moves that were played as often stay in their order
        all.sort_by_key(|rated| std::cmp::Reverse(rated.playouts));
        all
    }
}
