//! Breadth first: all positions in the order of their distance from the start.

use rustc_hash::FxHashSet;

use crate::engine::Telling;
use crate::referee::Stop;

use super::Work;
use super::sides::{Sides, States, look, openings};

/// A position of both games, and how it was reached.
struct Node {
    states: States,
    /// The previous node, and the move from there.
    from: Option<(usize, String)>,
    depth: usize,
}

/// A search that can be interrupted and continued.
pub struct Breadth {
    nodes: Vec<Node>,
    seen: FxHashSet<(u64, u64)>,
    /// What tells the positions of each side apart.
    telling: (Telling, Telling),
    at: usize,
    deepest: Option<usize>,
    /// The most nodes that are kept, and whether there were more.
    most: usize,
    cut: bool,
}

impl Breadth {
    pub fn new(sides: &mut Sides<'_>, deepest: Option<usize>, most: usize) -> Breadth {
        let first = Node { states: openings(sides), from: None, depth: 0 };
        let telling = (Telling::of_play(sides.0.game), Telling::of_play(sides.1.game));
        let seen = FxHashSet::default();
        Breadth { nodes: vec![first], seen, telling, at: 0, deepest, most, cut: false }
    }

    /// All positions up to this number of moves were compared.
    pub fn depth(&self) -> usize {
        match self.nodes.get(self.at) {
            Some(next) => next.depth.saturating_sub(1),
            None => self.nodes.last().map_or(0, |last| last.depth),
        }
    }

    /// Whether there are no more positions.
    pub fn is_exhausted(&self) -> bool {
        self.at == self.nodes.len() && !self.cut
    }

    /// Whether there are no more positions within the depth.
    pub fn is_over(&self) -> bool {
        let beyond = |node: &Node| self.deepest.is_some_and(|most| node.depth > most);
        self.nodes.get(self.at).is_none_or(beyond)
    }

    /// Compares positions as long as there is work to do; the moves to a difference.
    ///
    /// # Errors
    /// A rule error, or interrupted.
    pub fn search(
        &mut self,
        sides: &mut Sides<'_>,
        work: &mut Work,
    ) -> Result<Option<Vec<String>>, Stop> {
        while !self.is_over() && work.step()? {
            let depth = self.nodes[self.at].depth;
            if self.at == 0 || depth > self.nodes[self.at - 1].depth {
                work.bar.tell(format!("depth {depth}"));
            }
            let states = self.nodes[self.at].states.clone();
            let (a, b, difference) = match look(sides, &states) {
                // the answer says what was compared
                Err(stop) => {
                    work.looked_at -= 1;
                    return Err(stop);
                }
                Ok(looked) => looked,
            };
            if difference.is_some() {
                return Ok(Some(self.line()));
            }
            for ((text, left), (_, right)) in a.moves.into_iter().zip(b.moves) {
                let key = (self.telling.0.hash_of(&left), self.telling.1.hash_of(&right));
                // positions beyond the limit need not be kept
                if self.nodes.len() >= self.most {
                    self.cut = true;
                    break;
                }
                if self.seen.insert(key) {
                    let from = Some((self.at, text));
                    self.nodes.push(Node { states: (left, right), from, depth: depth + 1 });
                }
            }
            self.at += 1;
        }
        Ok(None)
    }

    /// The moves to the current position.
    fn line(&self) -> Vec<String> {
        let mut terms = Vec::new();
        let mut at = self.at;
        while let Some((before, mv)) = &self.nodes[at].from {
            terms.push(mv.clone());
            at = *before;
        }
        terms.reverse();
        terms
    }
}
