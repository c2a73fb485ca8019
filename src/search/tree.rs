//! The tree that Monte-Carlo search grows.

use std::time::Instant;

use crate::engine::{
    Candidate, Fault, Look, PlayoutOptions, Random, Session, State, drawn_if_shared,
};
use crate::syntax::Term;

use super::amaf::{Amaf, Placements, placing_moves};
use super::{Choice, Progress, Request, reason_given, worded};

/// The weight of exploration in UCT.
const CURIOSITY: f64 = 0.9;
/// The same where other statistics tell what to explore.
const GUIDED: f64 = 0.1;
/// The visits from which a position has statistics of all moves as first.
const OWN_STATISTICS: u64 = 25;
/// How soon visits outweigh these statistics.
const BIAS: f64 = 1e-3;
/// The initial bonus for a point of advice, in won playouts.
const ADVICE: f64 = 0.25;
/// The number of plies after which a playout is stopped. Random games of the largest boards have 500 to 700.
const MAX_PLIES: u64 = 2_000;
/// The number of plies between two looks at what a playout has placed.
const SEEN_EVERY: u64 = 4;
/// The most nodes of the tree; further playouts start at its leaves.
const MOST_NODES: usize = 1_000_000;

/// The value of a game to each player, from 0 to 1.
type Worth = Box<[f64]>;

#[derive(Debug)]
struct Node {
    /// The position; `None` before the first visit.
    state: Option<State>,
    /// The move that leads here from the position of the node above it; `None` for the root.
    made: Option<Candidate>,
    /// The weight of the chance event that leads here.
    weight: i64,
    /// The index of the player who chooses among the children; `None` for chance events. Set once
    /// there are children.
    turn: Option<usize>,
    children: Option<Box<[u32]>>,
    /// The value, where the game is over or the result is proven.
    end: Option<Worth>,
    visits: u64,
    /// What all visits have brought; empty before the first one.
    total: Worth,
    /// The bonus from advice, in won playouts.
    bonus: f64,
    /// The number of the bit that the move places.
    placed: Option<u32>,
    amaf: Option<Amaf>,
}

impl Node {
    /// The position of a node that was visited.
    ///
    /// # Panics
    /// Where it was not.
    fn state(&self) -> &State {
        self.state.as_ref().expect("the position of a node is made on its first visit")
    }

    /// The key of the move that leads here; 0 for the root.
    fn key(&self) -> u64 {
        self.made.map_or(0, |made| made.key)
    }
}

/// What a tree has found of a move of its position.
struct OfMove {
    key: u64,
    visits: u64,
    /// What all visits have brought; empty where there is none.
    total: Worth,
    /// The value, where it is proven.
    end: Option<Worth>,
}

/// What a tree has found of the moves of its position.
#[derive(Default)]
pub(super) struct OfMoves {
    playouts: u64,
    scores: Option<(f64, f64)>,
    moves: Vec<OfMove>,
}

/// From this number of nodes on it takes a while to give them back.
const MANY_NODES: usize = 20_000;

/// The search tree.
pub(super) struct Tree<'g> {
    nodes: Vec<Node>,
    players: usize,
    me: usize,
    random: Random,
    /// Plays the random games, where they leave out moves.
    sensible: Option<Session<'g>>,
    playouts: u64,
    /// The least and the greatest score seen, in a game for one.
    scores: Option<(f64, f64)>,
    /// The keys and terms of the moves of the root.
    terms: Vec<(u64, Term)>,
    /// What moves place, where they do.
    placements: Option<Placements>,
}

impl<'g> Tree<'g> {
    /// A tree of the position alone; its moves have to be added by [`Tree::open`]. The random games are those of `random`, where they
    /// are not those of the game itself.
    pub fn new(
        session: &mut Session<'_>,
        random: Option<Session<'g>>,
        question: &Request<'_>,
    ) -> Tree<'g> {
        let game = session.game();
        let placements = (game.program.players.len() == 2).then(|| Placements::new(&game.plan));
        let me = session.walk(question.state).turn();
        let mut tree = Tree {
            nodes: Vec::new(),
            players: game.program.players.len(),
            me,
            random: Random::seeded(question.seed),
            sensible: random,
            playouts: 0,
            scores: None,
            terms: Vec::new(),
            placements,
        };
        tree.add(1, None);
        tree.nodes[0].state = Some(question.state.clone());
        tree
    }

    /// Adds the moves of the position, with the bonus of the advice. False where there is none.
    ///
    /// # Errors
    /// A rule error.
    pub fn open(
        &mut self,
        session: &mut Session<'_>,
        question: &Request<'_>,
    ) -> Result<bool, Fault> {
        if let Some(placements) = &self.placements {
            let found = placing_moves(session, placements, question.state)?;
            if !found.is_some_and(|(placing, _)| placing) {
                self.placements = None;
            }
        }
        self.expand(session, 0)?;
        if self.nodes[0].turn.is_none() {
            return Ok(false);
        }
        self.terms = super::first_terms(session, question)?;
        let mut children = self.nodes[0].children.take().unwrap_or_default().into_vec();
        let terms = &self.terms;
        children.retain(|child| terms.iter().any(|(key, _)| *key == self.node(*child).key()));
        self.nodes[0].children = Some(children.clone().into());
        self.nodes[0].amaf = self.placements.as_mut().and_then(Placements::table);
        // what is proven of all moves need not hold of some
        self.nodes[0].end = None;
        self.prove(0);
        for child in &children {
            let key = self.node(*child).key();
            let Some((_, term)) = self.terms.iter().find(|(of, _)| *of == key) else { continue };
            let given = question.advice.iter().filter(|advice| advice.term == *term);
            let bonus = given.map(|advice| advice.priority).max().unwrap_or(0);
            self.nodes[*child as usize].bonus = ADVICE * bonus.clamp(-100, 100) as f64;
        }
        Ok(!children.is_empty())
    }

    /// Gives the memory of a large tree back beside what comes next, as that takes as long as many random games.
    pub fn discard(self) {
        if self.nodes.len() > MANY_NODES {
            let nodes = self.nodes;
            // without another thread they are given back here
            drop(std::thread::Builder::new().spawn(move || drop(nodes)));
        }
    }

    /// What was found of the moves of the position.
    pub fn of_moves(&self) -> OfMoves {
        let of = |child: &u32| {
            let node = self.node(*child);
            OfMove {
                key: node.key(),
                visits: node.visits,
                total: node.total.clone(),
                end: node.end.clone(),
            }
        };
        let moves = self.nodes[0].children.iter().flatten().map(of).collect();
        OfMoves { playouts: self.playouts, scores: self.scores, moves }
    }

    /// Adds what another tree found of the moves of the position.
    pub fn add_of_moves(&mut self, others: &OfMoves) {
        self.playouts += others.playouts;
        if let Some((least, most)) = others.scores {
            let own = self.scores.unwrap_or((least, most));
            self.scores = Some((own.0.min(least), own.1.max(most)));
        }
        for child in self.nodes[0].children.clone().iter().flatten() {
            let node = &mut self.nodes[*child as usize];
            let key = node.key();
            let Some(found) = others.moves.iter().find(|found| found.key == key) else { continue };
            node.visits += found.visits;
            if node.total.is_empty() {
                node.total.clone_from(&found.total);
            } else {
                let totals = node.total.iter_mut().zip(&found.total);
                totals.for_each(|(total, more)| *total += more);
            }
            if node.end.is_none() && found.end.is_some() {
                node.end.clone_from(&found.end);
                // the game is not over there, or this tree had seen it
                node.children.get_or_insert_default();
            }
        }
        self.prove(0);
    }

    /// Sets the time at which searching ends.
    pub fn set_until(&mut self, session: &mut Session<'_>, until: Option<Instant>) {
        session.set_until(until);
        if let Some(sensible) = &mut self.sensible {
            sensible.set_until(until);
        }
    }

    fn node(&self, number: u32) -> &Node {
        &self.nodes[number as usize]
    }

    fn add(&mut self, weight: i64, made: Option<Candidate>) -> u32 {
        self.nodes.push(Node {
            state: None,
            made,
            weight,
            turn: None,
            children: None,
            end: None,
            visits: 0,
            total: Worth::default(),
            bonus: 0.0,
            placed: None,
            amaf: None,
        });
        self.nodes.len() as u32 - 1
    }

    /// Runs playouts until a limit is reached. Every move of the root is tried at least once,
    /// unless the search is interrupted.
    pub fn grow(
        &mut self,
        session: &mut Session<'_>,
        question: &Request<'_>,
        started: Option<Instant>,
        told: &mut dyn FnMut(&Tree<'_>, &mut Session<'_>),
    ) -> Result<(), Fault> {
        let choices = self.nodes[0].children.as_ref().map_or(0, |c| c.len() as u64);
        if choices < 2 && question.limits.playouts.is_none() && question.among.is_empty() {
            return Ok(());
        }
        loop {
            let limits = &question.limits;
            let late = limits.is_late(started);
            let enough = limits.playouts.is_some_and(|n| self.playouts >= n)
                || (limits.time.is_none() && limits.playouts.is_none());
            if late || enough || self.nodes[0].end.is_some() || (question.interrupted)() {
                return Ok(());
            }
            self.round(session)?;
            told(self, session);
        }
    }

    /// One round: down the tree, a playout, and back.
    fn round(&mut self, session: &mut Session<'_>) -> Result<(), Fault> {
        let mut path = vec![0];
        let mut at = 0;
        let mut asked = 0;
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
            if self.nodes[at].amaf.is_some() {
                asked = at;
            }
            let Some(child) = self.descend(at, asked) else { break self.playout(session, at)? };
            self.enter(session, at, child)?;
            path.push(child);
            at = child;
        };
        self.playouts += 1;
        if let (Some(placements), Some(_)) = (&mut self.placements, &self.nodes[at].end) {
            placements.begin(self.nodes[at].state().words());
        }
        for number in path.iter().rev() {
            let node = &mut self.nodes[*number];
            node.visits += 1;
            if node.total.is_empty() {
                node.total = vec![0.0; self.players].into();
            }
            for (total, worth) in node.total.iter_mut().zip(&worth) {
                *total += worth;
            }
            let Some(placements) = &mut self.placements else { continue };
            if node.amaf.is_none() && node.visits >= OWN_STATISTICS {
                node.amaf = placements.table();
            }
            if let Some(table) = &mut node.amaf {
                placements.count(table, worth[0] as f32);
            }
            if let Some(bit) = node.placed {
                placements.precede(bit);
            }
        }
        // what is proven below may prove what is above (Winands, Björnsson, Saito 2008)
        if self.nodes[at].end.is_some() {
            for node in path.iter().rev().skip(1) {
                if !self.prove(*node) {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Whether the result of a node follows from those of its children.
    fn prove(&mut self, at: usize) -> bool {
        let Some(turn) = self.nodes[at].turn else { return false };
        if self.players < 2 || self.nodes[at].end.is_some() {
            return self.nodes[at].end.is_some();
        }
        let Some(children) = &self.nodes[at].children else { return false };
        let mut best: Option<&Worth> = None;
        let mut open = false;
        for child in children {
            match &self.node(*child).end {
                Some(end) if best.is_none_or(|best| end[turn] > best[turn]) => best = Some(end),
                Some(_) => {}
                None => open = true,
            }
        }
        let Some(best) = best.cloned() else { return false };
        if best[turn] < 1.0 && open {
            return false;
        }
        // among moves that bring a player the same he may choose what brings one of the others more
        let alike = |child: &u32| {
            let end = self.node(*child).end.as_ref();
            end.is_some_and(|end| end[turn] < best[turn] || *end == best)
        };
        if self.players > 2 && at != 0 && !children.iter().all(alike) {
            return false;
        }
        self.nodes[at].end = Some(best);
        true
    }

    /// Makes the position of a node on its first visit.
    fn enter(&mut self, session: &mut Session<'_>, from: usize, to: usize) -> Result<(), Fault> {
        let Some(made) = self.nodes[to].made.filter(|_| self.nodes[to].state.is_none()) else {
            return Ok(());
        };
        let mut walk = session.walk(self.nodes[from].state());
        walk.look()?;
        walk.make(made)?;
        let state = walk.state();
        drop(walk);
        self.nodes[to].state = Some(state);
        Ok(())
    }

    fn expand(&mut self, session: &mut Session<'_>, at: usize) -> Result<(), Fault> {
        let state = self.nodes[at].state().clone();
        let mut walk = session.walk(&state);
        let look = walk.look()?;
        if let Look::Over(winners) = look {
            drop(walk);
            let worth = self.finished(session, &state, winners)?;
            self.nodes[at].end = Some(worth);
            return Ok(());
        }
        let chance = look == Look::Chance;
        let turn = walk.turn();
        let mut list: Vec<Candidate> = Vec::new();
        walk.candidates(&mut list);
        let mut children = Vec::with_capacity(list.len());
        let mut ended = Vec::new();
        for candidate in list {
            let weight = if chance { walk.weight(candidate)? } else { 1 };
            if walk.make(candidate)? {
                let child = self.add(weight, Some(candidate));
                if let Some(winners) = walk.over()? {
                    ended.push((child, winners, walk.state()));
                }
                let placed = self.placements.as_ref().filter(|_| !chance);
                self.nodes[child as usize].placed =
                    placed.and_then(|p| p.placed(state.words(), walk.words(), true));
                children.push(child);
                walk.unmake();
            }
        }
        drop(walk);
        if children.is_empty() {
            // no candidate is legal: a draw
            let worth = self.finished(session, &state, 0)?;
            self.nodes[at].end = Some(worth);
            return Ok(());
        }
        self.nodes[at].turn = (!chance).then_some(turn);
        for (child, winners, state) in ended {
            let end = self.finished(session, &state, winners)?;
            self.nodes[child as usize].end = Some(end);
            self.nodes[child as usize].state = Some(state);
        }
        if !chance {
            // those that were never visited are tried in this order: a few playouts say something of moves all over the board
            self.random.shuffle(&mut children);
        }
        self.nodes[at].children = Some(children.into());
        self.prove(at);
        Ok(())
    }

    /// Selects a child.
    fn descend(&mut self, at: usize, asked: usize) -> Option<usize> {
        let children = self.nodes[at].children.as_ref()?;
        let Some(turn) = self.nodes[at].turn else {
            let weights: Vec<i64> = children.iter().map(|c| self.node(*c).weight).collect();
            return self.random.weighted(&weights).map(|i| children[i] as usize);
        };
        let parent = &self.nodes[at];
        let guide = self.nodes[asked].amaf.as_ref();
        let guide = guide.map(|amaf| (amaf, self.average(children, amaf, turn)));
        let own = if parent.visits > 0 { self.mean(parent, turn) } else { 0.5 };
        let parent = (parent.visits.max(1) as f64).ln();
        let mut best: Option<(f64, usize)> = None;
        for child in children.iter() {
            let node = self.node(*child);
            let visits = node.visits as f64;
            let urgency = match &node.end {
                // a move that is known to lose is left out, while there is another
                Some(end) if self.players > 1 && end[turn] <= 0.0 => -1.0,
                _ => {
                    let (mean, curiosity, visits) = match node.placed.zip(guide) {
                        Some((bit, (amaf, average))) => {
                            let (count, first) = amaf.get(bit, turn);
                            let first = own + (first - average);
                            (self.guided(node, turn, (count, first)), GUIDED, visits + 1.0)
                        }
                        // what places nothing is as good as the position until it is tried
                        None if guide.is_some() && node.visits == 0 => (own, GUIDED, 1.0),
                        None if guide.is_some() => (self.mean(node, turn), GUIDED, visits + 1.0),
                        None if node.visits == 0 => (1e6, 0.0, 1.0),
                        None => (self.mean(node, turn), CURIOSITY, visits),
                    };
                    mean + curiosity * (parent / visits).sqrt() + node.bonus / (visits + 1.0)
                }
            };
            if best.is_none_or(|(top, _)| urgency > top) {
                best = Some((urgency, *child as usize));
            }
        }
        best.map(|(_, child)| child)
    }

    /// The mean for a player of the statistics of what these nodes place, as far as playouts have placed it.
    ///
    /// Playouts that placed something are won more often than others whatever it is, since more is placed by who wins, so
    /// only the difference from this mean says which of the moves is better.
    fn average(&self, children: &[u32], amaf: &Amaf, player: usize) -> f64 {
        let placed = children.iter().filter_map(|child| self.node(*child).placed);
        let counted = placed.map(|bit| amaf.get(bit, player)).filter(|(count, _)| *count > 0.0);
        let (number, sum) = counted.fold((0.0, 0.0), |(n, sum), (_, mean)| (n + 1.0, sum + mean));
        if number > 0.0 { sum / number } else { 0.5 }
    }

    /// The value of a node to a player by its visits and by statistics of all moves as first: their number and
    /// their mean.
    fn guided(&self, node: &Node, player: usize, (count, first): (f64, f64)) -> f64 {
        if count == 0.0 {
            return if node.visits == 0 { 1.0 } else { self.mean(node, player) };
        }
        let visits = node.visits as f64;
        let share = count / (visits + count + BIAS * visits * count);
        self.mean(node, player) * (1.0 - share) + first * share
    }

    /// The average value of a node to a player, from 0 to 1.
    fn mean(&self, node: &Node, player: usize) -> f64 {
        let mean = node.total.get(player).map_or(0.0, |total| total / node.visits as f64);
        match self.scores {
            Some((least, most)) if most > least => (mean - least) / (most - least),
            Some(_) => 0.5,
            None => mean,
        }
    }

    /// The value of a finished game: by score in a game for one player, otherwise by the winners.
    fn finished(
        &mut self,
        session: &mut Session<'_>,
        state: &State,
        winners: u8,
    ) -> Result<Worth, Fault> {
        if self.players == 1 {
            let scores = session.walk(state).scores()?;
            if let Some(score) = scores.first().copied().flatten() {
                return Ok(self.scored(score as f64));
            }
        }
        Ok(self.worth(winners))
    }

    fn worth(&self, winners: u8) -> Worth {
        let worth = |i: usize| match winners {
            0 => 0.5,
            _ => f64::from(u8::from(winners >> i & 1 == 1)),
        };
        (0..self.players).map(worth).collect()
    }

    fn scored(&mut self, score: f64) -> Worth {
        let (least, most) = self.scores.unwrap_or((score, score));
        self.scores = Some((least.min(score), most.max(score)));
        vec![score].into()
    }

    /// Plays a game out at random.
    fn playout(&mut self, session: &mut Session<'_>, at: usize) -> Result<Worth, Fault> {
        let seed = self.random.number();
        let alone = self.players == 1;
        let mut last = None;
        let from = self.nodes[at].state();
        if let Some(placements) = &mut self.placements {
            placements.begin(from.words());
        }
        let placing = self.placements.is_some();
        let asks = alone || placing || session.game().plan.value.is_some();
        let mut keep = |state: &State| last = Some(state.clone());
        let mut seen = |words: &[u64]| {
            if let Some(placements) = &mut self.placements {
                placements.follow(words);
            }
        };
        let mut options = PlayoutOptions {
            seed,
            max_plies: MAX_PLIES,
            go_on: &mut |_| false,
            finished: if asks { Some(&mut keep) } else { None },
            seen: if placing { Some((SEEN_EVERY, &mut seen)) } else { None },
        };
        let counts = match &mut self.sensible {
            Some(sensible) => sensible.playouts(from, &mut options)?,
            None => session.playouts(from, &mut options)?,
        };
        if let (Some(placements), Some(state)) = (&mut self.placements, &last) {
            placements.follow(state.words());
        }
        let equal = || vec![0.5; self.players].into();
        if counts.games == 0 {
            // it was stopped, and counts the same for all players
            return Ok(equal());
        }
        if counts.unfinished > 0 || alone {
            let Some(state) = last else { return Ok(equal()) };
            return self.estimate(session, &state);
        }
        let won = counts.won.iter().position(|games| *games > 0).unwrap_or(0);
        Ok(self.worth(drawn_if_shared(won as u8, self.players)))
    }

    /// The value of the last position of a playout: by its score in a game for one player, and by
    /// the rules' `value/2` in a game that was stopped.
    fn estimate(&mut self, session: &mut Session<'_>, state: &State) -> Result<Worth, Fault> {
        if self.players == 1 {
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

    /// The best moves of the root, the best first, with the reasons: those that are proven to win,
    /// then those that were tried most often.
    ///
    /// # Errors
    /// A rule error.
    pub fn best(
        &self,
        session: &mut Session<'_>,
        question: &Request<'_>,
        wanted: usize,
    ) -> Result<Vec<Choice>, Fault> {
        let Some(children) = self.nodes[0].children.as_ref() else { return Ok(Vec::new()) };
        let proven = |node: &Node| match &node.end {
            Some(end) if self.players > 1 => ((end[self.me] - 0.5) * 2.0) as i32,
            _ => 0,
        };
        let rank = |child: &u32| {
            let node = self.node(*child);
            (proven(node), node.visits, node.bonus, self.mean(node, self.me))
        };
        let mut order: Vec<u32> = children.to_vec();
        order.sort_by(|a, b| rank(b).partial_cmp(&rank(a)).unwrap_or(std::cmp::Ordering::Equal));
        let mut choices = Vec::new();
        for child in order.into_iter().take(wanted) {
            let line = self.line(session, child)?;
            let Some(term) = line.first().cloned() else { continue };
            let node = self.node(child);
            let result = match children.len() {
                1 if question.among.is_empty() => Some("the only move".to_string()),
                _ => self.result(node),
            };
            let reason = worded(reason_given(question.advice, &term), result);
            let expected = match (&node.end, node.visits, self.players) {
                (_, _, 1) | (None, 0, _) => None,
                (Some(end), ..) => Some(end[self.me]),
                (None, visits, _) => Some(node.total[self.me] / visits as f64),
            };
            let score = (self.players == 1 && node.visits > 0)
                .then(|| node.total[self.me] / node.visits as f64);
            choices.push(Choice { term, reason, playouts: self.playouts, line, expected, score });
        }
        Ok(choices)
    }

    /// The best moves so far; `None` where there is no time to tell them.
    pub fn progress(
        &self,
        session: &mut Session<'_>,
        question: &Request<'_>,
        wanted: usize,
    ) -> Option<Progress> {
        let choices = self.best(session, question, wanted).ok()?;
        Some(Progress { choices, work: self.playouts, unit: "playouts" })
    }

    /// What the search has found about a move.
    fn result(&self, node: &Node) -> Option<String> {
        let playouts = self.playouts;
        if let Some(end) = &node.end
            && self.players > 1
        {
            let at_once = node.children.is_none();
            let told = match end[self.me] {
                worth if worth >= 1.0 && at_once => "wins at once",
                worth if worth >= 1.0 => "wins",
                worth if worth <= 0.0 => "loses",
                _ => "draws",
            };
            return Some(match self.players > 2 && !at_once {
                true => format!("{told} if all others play for themselves"),
                false => told.to_string(),
            });
        }
        match (node.visits, self.scores) {
            (0, _) => None,
            (visits, Some(_)) => {
                let score = node.total[self.me] / visits as f64;
                Some(format!("score {score:.0}, best of {playouts} playouts"))
            }
            (visits, None) => {
                let share = 100.0 * node.total[self.me] / visits as f64;
                Some(format!("{share:.0} %, {visits} of {playouts} playouts"))
            }
        }
    }

    /// The moves that were tried most often, from a move of the root.
    fn line(&self, session: &mut Session<'_>, child: u32) -> Result<Vec<Term>, Fault> {
        let mut keys = vec![self.node(child).key()];
        let mut at = child;
        while let Some(children) = &self.node(at).children
            && keys.len() < super::lines::LONGEST_LINE
        {
            let tried = children.iter().filter(|c| self.node(**c).visits > 0);
            let Some(next) = tried.max_by_key(|c| self.node(**c).visits) else { break };
            keys.push(self.node(*next).key());
            at = *next;
        }
        super::line_of(session, self.nodes[0].state(), &keys, &self.terms)
    }
}
