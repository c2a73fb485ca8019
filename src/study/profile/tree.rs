//! The measurements by clause and goal.
//!
//! A goal is tried as often as its first instruction is run, and has as many answers as there are
//! runs of the instruction behind its last one. A clause that is compiled for several ways of
//! calling it is one clause, whose goals have the counts of all of them.

use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::engine::Game;
use crate::plan::{BlockId, Body, Op, OpId, Plan, WrittenId};
use crate::program::ClauseId;

use super::forms::{Form, candidates_of, way_of};
use super::measure::Measured;

/// A goal, with the goals inside it.
#[derive(Debug, Clone, Default)]
pub struct Goal {
    pub tried: u64,
    /// How many answers it had; `None` where they are not enumerated one by one.
    pub answers: Option<u64>,
    /// The samples of its own instructions, and these with the samples of the goals inside it.
    pub own: u64,
    pub samples: u64,
    pub forms: IndexSet<Form>,
    pub inside: Vec<WrittenId>,
}

/// A form in which a clause was compiled, and how often it was run in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way {
    pub name: String,
    pub tried: u64,
    pub answers: u64,
}

/// A clause of the rules.
#[derive(Debug, Clone)]
pub struct ClauseProfile {
    pub id: ClauseId,
    /// Its head, which encloses the goals of its body.
    pub root: WrittenId,
    pub samples: u64,
    pub ways: Vec<Way>,
}

/// The clauses that are run in play, the most expensive ones first.
#[derive(Debug)]
pub struct Tree<'a> {
    pub game: &'a Game,
    pub measured: &'a Measured,
    pub goals: FxHashMap<WrittenId, Goal>,
    pub clauses: Vec<ClauseProfile>,
}

impl<'a> Tree<'a> {
    pub fn new(game: &'a Game, measured: &'a Measured) -> Tree<'a> {
        let mut tree = Tree { game, measured, goals: FxHashMap::default(), clauses: Vec::new() };
        tree.add_samples();
        let mut ways: IndexMap<ClauseId, Vec<Way>> = IndexMap::new();
        for (body, name) in bodies(&game.plan) {
            let own = ways.entry(body.clause).or_default();
            let (tried, answers) = tree.line(body.start, &mut FxHashSet::default());
            match own.iter_mut().find(|way| way.name == name) {
                Some(way) => {
                    way.tried += tried;
                    way.answers += answers;
                }
                None => own.push(Way { name, tried, answers }),
            }
        }
        for (root, written) in game.plan.written.iter().filter(|(_, w)| w.within.is_none()) {
            let Some(goal) = tree.goals.get(&root) else { continue };
            let ways = ways.swap_remove(&written.clause).unwrap_or_default();
            let samples = goal.samples;
            tree.clauses.push(ClauseProfile { id: written.clause, root, samples, ways });
        }
        // the most expensive first, those without samples in file order
        tree.clauses.sort_by_key(|clause| (std::cmp::Reverse(clause.samples), clause.id));
        tree
    }

    /// Adds the samples and forms of the instructions to their goals.
    fn add_samples(&mut self) {
        let plan = &self.game.plan;
        for (id, written) in plan.written.iter() {
            self.goals.entry(id).or_default();
            if let Some(around) = written.within {
                self.goals.entry(around).or_default().inside.push(id);
            }
        }
        for (id, tally) in &self.measured.tallies {
            let place = plan.blocks.written(*id);
            if let Some(goal) = self.goals.get_mut(&place) {
                goal.own += tally.samples;
                goal.forms.extend(Form::of(plan.blocks.op(*id), plan));
            }
            for around in plan.written.around(place) {
                self.goals.entry(around).or_default().samples += tally.samples;
            }
        }
        let place = |id: &WrittenId| plan.written.get(*id).map(|w| (w.span.file, w.span.start));
        for goal in self.goals.values_mut() {
            goal.forms.sort();
            goal.inside.sort_by_key(place);
        }
    }

    pub fn runs(&self, id: OpId) -> u64 {
        self.measured.tallies.get(&id).map_or(0, |tally| tally.runs)
    }

    /// Counts the goals of the instructions that run one after the other from the start of a block,
    /// and the goals inside; `seen` are the enclosing goals. Returns how often the instructions
    /// begin and end.
    fn line(&mut self, start: BlockId, seen: &mut FxHashSet<WrittenId>) -> (u64, u64) {
        let plan = &self.game.plan;
        let line = line(plan, start);
        let mut found: IndexMap<WrittenId, (usize, usize)> = IndexMap::new();
        for (at, id) in line.iter().enumerate() {
            for goal in plan.written.around(plan.blocks.written(*id)) {
                if !seen.contains(&goal) {
                    found.entry(goal).or_insert((at, at)).1 = at;
                }
            }
        }
        let ends = |at: usize| match line.get(at + 1) {
            Some(next) => self.runs(*next),
            None if matches!(plan.blocks.op(line[at]), Op::Fail) => 0,
            None => self.runs(line[at]),
        };
        let counts: Vec<(WrittenId, u64, Option<u64>)> = (found.iter())
            .map(|(goal, (first, last))| {
                let op = plan.blocks.op(line[*last]);
                let whole =
                    op.uses().writes_set.is_some() || (matches!(op, Op::Branch { rest: None, .. }));
                (*goal, self.runs(line[*first]), (!whole).then(|| ends(*last)))
            })
            .collect();
        let counted = match line.len() {
            0 => (0, 0),
            len => (self.runs(line[0]), ends(len - 1)),
        };
        for (id, tried, answers) in counts {
            let goal = self.goals.entry(id).or_default();
            goal.tried += tried;
            if let Some(answers) = answers {
                *goal.answers.get_or_insert(0) += answers;
            }
        }
        let own: Vec<WrittenId> = found.keys().copied().filter(|goal| seen.insert(*goal)).collect();
        for id in &line {
            for inner in plan.blocks.op(*id).uses().blocks {
                self.line(inner.block, seen);
            }
        }
        own.iter().for_each(|goal| {
            seen.remove(goal);
        });
        counted
    }

    /// The share of the time of this number of samples, in hundredths.
    pub fn share(&self, samples: u64) -> f64 {
        100.0 * samples as f64 / self.measured.samples.max(1) as f64
    }
}

/// The places of the instructions from the start of a block to the end of what follows it.
fn line(plan: &Plan, start: BlockId) -> Vec<OpId> {
    let (mut line, mut next) = (Vec::new(), Some(start));
    while let Some(block) = next {
        let ops = &plan.blocks[block];
        line.extend((0..ops.len() as u32).map(|number| OpId { block, number }));
        next = ops.last().and_then(|op| op.uses().next);
    }
    line
}

/// The compiled bodies of all clauses, with their names.
fn bodies(plan: &Plan) -> Vec<(Body, String)> {
    let mut all = Vec::new();
    for clause in plan.moves.iter().chain(&plan.chance) {
        all.push((clause.generate.clone(), candidates_of(clause).to_string()));
        if let Some(start) = clause.apply {
            let tested = if clause.tested { "play (tested)" } else { "play" };
            all.push((Body { start, ..clause.generate.clone() }, tested.to_string()));
        }
    }
    all.extend(plan.ends.iter().map(|end| (end.body.clone(), "end".to_string())));
    for procedure in &plan.procedures {
        for (number, body) in procedure.clauses.iter().enumerate() {
            all.push((body.clone(), way_of(procedure, number)));
        }
    }
    all
}
