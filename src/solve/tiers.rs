//! The positions that can be reached, tier by tier: a search forward from where the game begins.

use std::collections::BTreeSet;
use std::ops::Range;
use std::time::{Duration, Instant};

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashMap;

use super::codec::TierKey;
use super::crew::{Crew, Trouble};
use super::expand::{Expander, Numbering};
use super::set::{Growing, Ranks};
use super::store::{Source, Store};

/// The number of a tier.
pub type TierId = u32;

/// A tier while its positions are being found.
#[derive(Debug, Clone)]
struct Open {
    size: u64,
    seen: Growing,
    /// Positions whose successors are not known yet.
    fresh: Vec<u64>,
    leads_to: BTreeSet<TierId>,
    /// Tiers are worked off in this order, so that most are complete when their turn comes.
    progress: i64,
}

/// A tier whose positions are known.
#[derive(Debug, Clone)]
pub struct Tier {
    /// What its positions have in common.
    pub key: TierKey,
    /// The positions that can be reached.
    pub ranks: Ranks,
    /// The tiers to which moves lead.
    pub leads_to: Vec<TierId>,
}

/// All tiers.
#[derive(Debug, Clone, Default)]
pub struct Tiers {
    /// By number.
    pub all: Vec<Tier>,
    by_key: FxHashMap<TierKey, TierId>,
}

impl Tiers {
    /// These tiers.
    pub fn new(all: Vec<Tier>) -> Tiers {
        let by_key = all.iter().enumerate().map(|(id, t)| (t.key.clone(), id as TierId)).collect();
        Tiers { all, by_key }
    }

    /// The number of a tier.
    pub fn id(&self, key: &TierKey) -> Option<TierId> {
        self.by_key.get(key).copied()
    }

    /// How many positions there are.
    pub fn positions(&self) -> u64 {
        self.all.iter().map(|tier| tier.ranks.len() as u64).sum()
    }

    /// The bytes that the positions take.
    pub fn bytes(&self) -> u64 {
        self.all.iter().map(|tier| tier.ranks.bytes() as u64).sum()
    }

    /// The tiers in groups, such that moves lead only to the same group and to earlier ones.
    pub fn order(&self) -> Vec<Vec<TierId>> {
        let mut graph = DiGraph::<(), ()>::new();
        let nodes: Vec<NodeIndex> = self.all.iter().map(|_| graph.add_node(())).collect();
        for (from, tier) in self.all.iter().enumerate() {
            for to in &tier.leads_to {
                graph.add_edge(nodes[from], nodes[*to as usize], ());
            }
        }
        // not by recursion: a chain of tiers may be as long as a game
        let groups = kosaraju_scc(&graph).into_iter();
        groups
            .map(|group| {
                let mut group: Vec<TierId> = group.iter().map(|n| n.index() as TierId).collect();
                group.sort_unstable();
                group
            })
            .collect()
    }
}

/// Where the search begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Roots {
    /// One position.
    Position(TierKey, u64),
    /// All positions of a tier that the layout can hold.
    Tier(TierKey),
}

/// The search forward.
#[derive(Debug, Default)]
pub struct Search {
    open: Vec<Open>,
    keys: Vec<TierKey>,
    by_key: FxHashMap<TierKey, TierId>,
    pending: BTreeSet<(i64, TierId)>,
    /// The positions found so far.
    pub found: u64,
    /// Those of them whose successors are known.
    pub expanded: u64,
}

/// How often an unfinished search is kept.
const KEPT_EVERY: Duration = Duration::from_secs(120);

impl Search {
    /// Finds all positions that follow from the roots, which use at most `memory` bytes. What is found is
    /// kept in the store from time to time, and on an interruption. `told` hears of the progress.
    ///
    /// # Errors
    /// A rule error, an interruption, or too little memory.
    pub fn run(
        crew: &mut Crew<'_>,
        roots: &Roots,
        memory: u64,
        store: Option<&Store>,
        told: &mut dyn FnMut(&Search),
    ) -> Result<Tiers, Trouble> {
        let mut search = Search::default();
        let kept = store.map(Store::search).transpose()?.flatten();
        match (kept, roots) {
            (Some(numbers), _) => search.resume(crew.numbering(), numbers)?,
            (None, Roots::Position(key, rank)) => {
                search.add(crew.numbering(), key, &[*rank])?;
            }
            (None, Roots::Tier(key)) => search.arrange(crew, key, memory, told)?,
        }
        let mut last = Instant::now();
        while let Some((_, id)) = search.pending.pop_first() {
            let done = search.expand(crew, id, memory, told);
            if let Some(store) = store
                && (done == Err(Trouble::Interrupted) || last.elapsed() > KEPT_EVERY)
            {
                store.keep_search(|tell| search.tell(tell))?;
                last = Instant::now();
            }
            done?;
        }
        let open = search.open.into_iter().zip(search.keys);
        let tier = |(open, key): (Open, TierKey)| Tier {
            key,
            ranks: open.seen.fixed(),
            leads_to: open.leads_to.into_iter().collect(),
        };
        Ok(Tiers::new(open.map(tier).collect()))
    }

    /// Tells the search as numbers: for each tier its key, the tiers it leads to, its fresh positions, and the
    /// others; each list behind its length.
    fn tell(&self, tell: &mut dyn FnMut(u64) -> std::io::Result<()>) -> std::io::Result<()> {
        tell(self.open.len() as u64)?;
        for (tier, key) in self.open.iter().zip(&self.keys) {
            tell(key.len() as u64)?;
            key.iter().try_for_each(|n| tell(u64::from(*n)))?;
            tell(tier.leads_to.len() as u64)?;
            tier.leads_to.iter().try_for_each(|n| tell(u64::from(*n)))?;
            let mut fresh = tier.fresh.clone();
            fresh.sort_unstable();
            tell(fresh.len() as u64)?;
            fresh.iter().try_for_each(|n| tell(*n))?;
            let mut known = tier.seen.sorted();
            known.retain(|rank| fresh.binary_search(rank).is_err());
            tell(known.len() as u64)?;
            known.iter().try_for_each(|n| tell(*n))?;
        }
        Ok(())
    }

    /// Goes on with a search that was kept.
    fn resume(&mut self, numbering: &Numbering, mut numbers: Source) -> Result<(), Trouble> {
        let count = numbers.next()?.unwrap_or(0);
        let mut list = || {
            let len = numbers.next()?.unwrap_or(0);
            numbers.list(len)
        };
        let mut leads_to = Vec::new();
        for _ in 0..count {
            let key: TierKey = list()?.into_iter().map(|n| n as u32).collect();
            leads_to.push(list()?);
            let (fresh, known) = (list()?, list()?);
            let id = self.add(numbering, &key, &known)?;
            self.open[id as usize].fresh.clear();
            self.pending.remove(&(self.open[id as usize].progress, id));
            self.expanded += known.len() as u64;
            self.add(numbering, &key, &fresh)?;
        }
        for (tier, to) in self.open.iter_mut().zip(leads_to) {
            tier.leads_to = to.into_iter().map(|n| n as TierId).collect();
        }
        Ok(())
    }

    /// Adds all positions of a tier that the layout can hold.
    fn arrange(
        &mut self,
        crew: &mut Crew<'_>,
        key: &TierKey,
        memory: u64,
        told: &mut dyn FnMut(&Search),
    ) -> Result<(), Trouble> {
        let numbering = crew.numbering();
        let size = size(numbering, key)?;
        self.within(size / 8, memory)?;
        let work = |expander: &mut Expander<'_>, range: Range<usize>| {
            let mut found = FxHashMap::default();
            for rank in range {
                if let Some((tier, rank)) = expander.arrangement(key, rank as u64) {
                    note(&mut found, &tier, rank);
                }
            }
            Ok(in_order(found))
        };
        crew.run(size as usize, &work, &mut |_, found| {
            for (key, ranks) in &found {
                self.add(numbering, key, ranks)?;
            }
            told(self);
            Ok(())
        })
    }

    /// Whether this number of bytes may be used.
    fn within(&self, bytes: u64, memory: u64) -> Result<(), Trouble> {
        if bytes <= memory {
            return Ok(());
        }
        let (found, limit) = (self.found, memory >> 20);
        Err(Trouble::Large(format!(
            "the positions need more than {limit} MB of memory ({found} found so far)"
        )))
    }

    /// The bytes that the positions take, with the room in which the largest tier grows and is put in order.
    fn bytes(&self) -> u64 {
        let tiers =
            self.open.iter().map(|tier| (tier.seen.bytes(), tier.fresh.capacity() as u64 * 8));
        let (mut all, mut largest) = (0, 0);
        for (seen, fresh) in tiers {
            all += seen + fresh;
            largest = largest.max(2 * seen + fresh);
        }
        all + largest
    }

    fn id(&mut self, numbering: &Numbering, key: &TierKey) -> Result<TierId, Trouble> {
        if let Some(id) = self.by_key.get(key) {
            return Ok(*id);
        }
        let size = size(numbering, key)?;
        let trends = &numbering.codec.progress;
        let progress = key.iter().zip(trends).map(|(n, trend)| i64::from(*n) * i64::from(*trend));
        self.open.push(Open {
            size,
            seen: Growing::new(size),
            fresh: Vec::new(),
            leads_to: BTreeSet::new(),
            progress: progress.sum(),
        });
        let id = (self.open.len() - 1) as TierId;
        self.keys.push(key.clone());
        self.by_key.insert(key.clone(), id);
        Ok(id)
    }

    /// Adds positions of a tier.
    fn add(
        &mut self,
        numbering: &Numbering,
        key: &TierKey,
        ranks: &[u64],
    ) -> Result<TierId, Trouble> {
        let id = self.id(numbering, key)?;
        let tier = &mut self.open[id as usize];
        for rank in ranks {
            if tier.seen.insert(*rank, tier.size) {
                tier.fresh.push(*rank);
                self.found += 1;
            }
        }
        if !tier.fresh.is_empty() {
            self.pending.insert((tier.progress, id));
        }
        Ok(id)
    }

    /// Finds what follows from the fresh positions of a tier.
    fn expand(
        &mut self,
        crew: &mut Crew<'_>,
        id: TierId,
        memory: u64,
        told: &mut dyn FnMut(&Search),
    ) -> Result<(), Trouble> {
        let numbering = crew.numbering();
        let mut fresh = std::mem::take(&mut self.open[id as usize].fresh);
        fresh.sort_unstable();
        let key = self.keys[id as usize].clone();
        let work = |expander: &mut Expander<'_>, range: Range<usize>| {
            let mut found = FxHashMap::default();
            for rank in &fresh[range] {
                expander.expand(&key, *rank, &mut |tier, rank, _| note(&mut found, tier, rank))?;
            }
            Ok(in_order(found))
        };
        let done = crew.run(fresh.len(), &work, &mut |range, found| {
            for (key, ranks) in &found {
                let to = self.add(numbering, key, ranks)?;
                self.open[id as usize].leads_to.insert(to);
            }
            self.expanded += range.len() as u64;
            told(self);
            self.within(self.bytes(), memory)
        });
        if done.is_err() {
            // some of them may be expanded already, which does no harm
            let tier = &mut self.open[id as usize];
            tier.fresh.append(&mut fresh);
            self.pending.insert((tier.progress, id));
        }
        done
    }
}

/// Ranks by tier.
type Found = FxHashMap<TierKey, Vec<u64>>;

fn note(found: &mut Found, tier: &TierKey, rank: u64) {
    match found.get_mut(tier) {
        Some(ranks) => ranks.push(rank),
        None => {
            found.insert(tier.clone(), vec![rank]);
        }
    }
}

/// The tiers in order, and the ranks of each in ascending order.
fn in_order(found: Found) -> Vec<(TierKey, Vec<u64>)> {
    let mut found: Vec<(TierKey, Vec<u64>)> = found.into_iter().collect();
    found.sort_unstable();
    for (_, ranks) in &mut found {
        ranks.sort_unstable();
        ranks.dedup();
    }
    found
}

fn size(numbering: &Numbering, key: &TierKey) -> Result<u64, Trouble> {
    numbering.codec.size(key).ok_or_else(|| {
        Trouble::Refused(
            "the positions with the same pieces are too many to be numbered".to_string(),
        )
    })
}
