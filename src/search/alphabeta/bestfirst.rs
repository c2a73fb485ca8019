//! Unbounded best-first minimax with completion (Cohen-Solal 2020, 2025): the line that is best so far is searched one
//! move further, again and again, so a tree grows where play is likely to go. Values of finished games are exact:
//! what follows from them is not searched again, and a move is only left out for good where its result is proven.
//!
//! Positions are valued as by the other searches, captures followed.

use crate::engine::{Candidate, Fault, Look};

use super::{DECIDED, End, INFINITE, Line, PLIES, Search, Told, odds, share};

/// The most nodes of the tree, of 32 bytes each.
const MOST_NODES: usize = 2_000_000;
/// A line is not searched deeper than that.
const DEEPEST: usize = PLIES - 12;

/// A position of the tree, by the move that leads to it.
#[derive(Debug, Clone, Copy)]
struct Node {
    /// The key of the move.
    key: u64,
    /// The index of its first child; the others follow.
    first: u32,
    /// The number of children; 0 where it was not searched.
    children: u32,
    /// How often it was searched.
    visits: u32,
    /// The value for the player who asks.
    value: i32,
    /// The weight of the chance event that leads to it.
    weight: i32,
    /// Whether a player chooses among the children.
    kind: Kind,
    /// Whether no search can change the value.
    closed: bool,
}

/// Who chooses among the children of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Mine,
    Other,
    Chance,
}

impl Search<'_> {
    /// The moves of the root, the best first, with as large a tree as the limits allow; with a depth of 1 they are
    /// valued and no more.
    ///
    /// # Errors
    /// A rule error.
    pub fn best_first(&mut self, deepest: i16, told: &mut Told<'_>) -> Result<Vec<Line>, Fault> {
        let root = Node {
            key: 0,
            first: 0,
            children: 0,
            visits: 0,
            value: 0,
            weight: 1,
            kind: Kind::Mine,
            closed: false,
        };
        let mut tree = vec![root];
        let mut rounds = 0u64;
        while !tree[0].closed && tree.len() < MOST_NODES {
            let grown = self.grow(&mut tree);
            // an end of the time leaves the walk where it was
            self.walk.rewind();
            match grown {
                Ok(()) => {}
                Err(End::Limit) => break,
                Err(End::Fault(fault)) => return Err(fault),
            }
            rounds += 1;
            if rounds.is_power_of_two() {
                told(&mut *self.walk, &lines(&tree), self.nodes);
            }
            if deepest < 2 || tree[0].children == 1 && self.only.is_none() {
                break;
            }
        }
        Ok(lines(&tree))
    }

    /// Searches the best line a move further.
    fn grow(&mut self, tree: &mut Vec<Node>) -> Result<(), End> {
        let mut path = vec![0];
        let mut at = 0;
        while tree[at].children > 0 {
            let Some(next) = chosen(tree, at) else {
                tree[at].closed = true;
                break;
            };
            self.walk.look()?;
            let mut list = std::mem::take(&mut self.plain);
            list.clear();
            self.walk.candidates(&mut list);
            let found = list.iter().find(|candidate| candidate.key == tree[next].key).copied();
            self.plain = list;
            let made = match found {
                Some(candidate) => self.make(candidate)?.is_some(),
                None => false,
            };
            if !made {
                tree[next].closed = true;
                break;
            }
            path.push(next);
            at = next;
        }
        if tree[at].children == 0 {
            self.expand(tree, at)?;
        }
        for node in path.into_iter().rev() {
            tree[node].visits += 1;
            back_up(tree, node);
        }
        Ok(())
    }

    /// Adds the children of a node that the walk stands at, with their values.
    fn expand(&mut self, tree: &mut Vec<Node>, at: usize) -> Result<(), End> {
        let ply = self.walk.depth();
        let look = self.walk.look()?;
        if let Look::Over(winners) = look {
            (tree[at].value, tree[at].closed) = (self.decided(winners, ply), true);
            return Ok(());
        }
        if ply >= DEEPEST {
            tree[at].closed = true;
            return Ok(());
        }
        let chance = look == Look::Chance;
        let mine = self.mine();
        let mut list: Vec<Candidate> = Vec::new();
        self.walk.candidates(&mut list);
        if ply == 0 {
            self.keep_wanted(&mut list);
        }
        let mut found = Vec::with_capacity(list.len());
        for candidate in list {
            let weight = if chance { self.walk.weight(candidate)? } else { 1 };
            if weight <= 0 || self.make(candidate)?.is_none() {
                continue;
            }
            let (value, closed) = self.leaf()?;
            self.walk.unmake();
            found.push(Node {
                key: candidate.key,
                first: 0,
                children: 0,
                visits: 0,
                value,
                weight: i32::try_from(weight).unwrap_or(i32::MAX),
                kind: Kind::Mine,
                closed,
            });
        }
        tree[at].kind = match (chance, mine) {
            (true, _) => Kind::Chance,
            (_, true) => Kind::Mine,
            (_, false) => Kind::Other,
        };
        if found.is_empty() {
            // where no move is legal, it is a draw
            (tree[at].value, tree[at].closed) = (self.drawn, true);
            return Ok(());
        }
        (tree[at].first, tree[at].children) = (tree.len() as u32, found.len() as u32);
        tree.extend(found);
        Ok(())
    }

    /// The value of the position for the player who asks, and whether it is exact.
    fn leaf(&mut self) -> Result<(i32, bool), End> {
        let ply = self.walk.depth();
        if let Some(winners) = self.walk.over()? {
            self.count()?;
            return Ok((self.decided(winners, ply), true));
        }
        let value = self.value(0, -INFINITE, INFINITE)?;
        let value = if self.mine() { value } else { -value };
        Ok((value, value.abs() > DECIDED))
    }
}

/// The child to search: the best one that is open; of chance events, the one that was searched least for its weight.
fn chosen(tree: &[Node], at: usize) -> Option<usize> {
    let node = tree[at];
    let children = node.first as usize..(node.first + node.children) as usize;
    let open = children.filter(|child| !tree[*child].closed);
    match node.kind {
        // of equal ones the first
        Kind::Mine => open.min_by_key(|child| -tree[*child].value),
        Kind::Other => open.min_by_key(|child| tree[*child].value),
        Kind::Chance => open.min_by(|a, b| {
            let share =
                |child: &usize| f64::from(tree[*child].visits + 1) / f64::from(tree[*child].weight);
            share(a).total_cmp(&share(b))
        }),
    }
}

/// The value of a node by those of its children, and whether it is exact.
fn back_up(tree: &mut [Node], at: usize) {
    let node = tree[at];
    if node.children == 0 {
        return;
    }
    let children = &tree[node.first as usize..(node.first + node.children) as usize];
    let values = children.iter().map(|child| child.value);
    let (least, most) = (values.clone().min().unwrap_or(0), values.max().unwrap_or(0));
    let all = children.iter().all(|child| child.closed);
    let decided =
        |sign: i32| children.iter().any(|child| child.closed && sign * child.value > DECIDED);
    let (value, closed) = match node.kind {
        Kind::Mine => (most, all || decided(1)),
        Kind::Other => (least, all || decided(-1)),
        Kind::Chance => {
            let weights: f64 = children.iter().map(|child| f64::from(child.weight)).sum();
            let mean = |child: &Node| share(child.value) * f64::from(child.weight) / weights;
            let value = match () {
                () if least > DECIDED => least,
                () if most < -DECIDED => most,
                () => odds(children.iter().map(mean).sum()),
            };
            (value, all)
        }
    };
    (tree[at].value, tree[at].closed) = (value, closed);
}

/// A line for each move of the root, the best first: one that wins, then those that were searched most often, and at
/// last those that lose. One whose value is known comes before those that are worth less.
fn lines(tree: &[Node]) -> Vec<Line> {
    let root = tree[0];
    let mut children: Vec<usize> =
        (root.first..root.first + root.children).map(|c| c as usize).collect();
    // the value of an exact draw may be above that of the move that was searched most
    let most = children.iter().filter(|child| !tree[**child].closed);
    let trusted = most.max_by_key(|child| tree[**child].visits).map(|child| tree[*child].value);
    let rank = |child: &usize| {
        let node = &tree[*child];
        match node.closed {
            true if node.value > DECIDED => (3, node.value, 0),
            true if node.value < -DECIDED => (0, node.value, 0),
            true if trusted.is_none_or(|value| node.value >= value) => (2, node.value, 0),
            true => (1, -1, node.value),
            false => (1, node.visits as i32, node.value),
        }
    };
    children.sort_by_key(|child| std::cmp::Reverse(rank(child)));
    let line = |child: usize| {
        let mut keys = vec![tree[child].key];
        let mut at = child;
        while tree[at].children > 0 && tree[at].kind != Kind::Chance {
            let sign = if tree[at].kind == Kind::Mine { 1 } else { -1 };
            let (first, count) = (tree[at].first as usize, tree[at].children as usize);
            let best =
                (first..first + count).max_by_key(|c| (sign * tree[*c].value, tree[*c].visits));
            let Some(best) = best else { break };
            keys.push(tree[best].key);
            at = best;
        }
        Line { depth: keys.len() as i16, keys, value: tree[child].value }
    };
    children.into_iter().map(line).collect()
}
