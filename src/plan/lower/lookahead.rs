//! The choice of a generator by what comes behind it.
//!
//! The greedy choice (`generators.rs`) goes by the answers of a generator alone. Where several are possible, the goals are lowered
//! behind each of the first of them, greedily, and the one whose instructions are expected to cost clearly less is taken
//! (`cost.rs`). What has been lowered for the comparison is taken back.

use super::Lowering;
use super::conjuncts::locals;
use super::generators::Choice;
use super::goals::{Arg, G, Vars};
use super::order::{BlockState, TargetForm, Want};
use super::sets::only_open;

/// The choices that are compared.
const COMPARED: usize = 3;
/// The goals of the largest conjunction of which choices are compared.
const MAX_GOALS: usize = 12;
/// The words of the widest sets of which the costs are compared: those of wider ones depend on how far loops over them come.
pub(super) const MAX_WORDS: usize = 4;
/// The most values of a variable that are gone through so that others are sets.
const MAX_VALUES: usize = 8;
/// The part of the cost of the greedy choice that another one has at most.
pub(super) const CLEARLY: f64 = 0.4;
/// Choices above this cost give answers that would have to be compared.
const REPEATS: f64 = 1e5;
/// What an answer costs that is not part of a set.
const SINGLE: f64 = 3.0;

/// How much there was before an attempt.
pub(super) struct Before {
    blocks: usize,
    reserved: usize,
    asked: usize,
    mirrors: usize,
    faults: usize,
}

impl Lowering<'_> {
    /// Puts the choice that is expected to cost clearly less than the first one before it. The choices are in the order
    /// in which they are tried.
    pub(super) fn compare(
        &mut self,
        choices: &mut Vec<(f64, Choice)>,
        goals: &[G],
        context: &BlockState,
        vars: &Vars,
        want: &Want,
    ) {
        let Some((first, _)) = choices.first() else { return };
        let narrow = self.universes.words <= MAX_WORDS;
        if self.comparing || !narrow || goals.len() > MAX_GOALS || !(1.0..REPEATS).contains(first) {
            return;
        }
        let mut compared: Vec<Choice> = (choices.iter().take(COMPARED))
            .filter(|(cost, _)| *cost < REPEATS)
            .map(|(_, choice)| choice.clone())
            .collect();
        compared.extend(self.values_held(goals, choices, context, vars, want));
        if compared.len() < 2 {
            return;
        }
        self.comparing = true;
        let mut best: Option<(f64, usize)> = None;
        for (at, choice) in compared.iter().enumerate() {
            let Some(cost) = self.cost_behind(choice, goals, context, vars, want) else {
                continue;
            };
            let least = best.map_or(f64::INFINITY, |(least, _)| least);
            // the first one stays unless another one is much better
            let bound = if best.is_some_and(|(_, at)| at == 0) { least * CLEARLY } else { least };
            if cost < bound {
                best = Some((cost, at));
            }
        }
        self.comparing = false;
        if let Some((cost, at)) = best.filter(|(_, at)| *at > 0) {
            choices.insert(0, (cost, compared.swap_remove(at)));
        }
    }

    /// What the goals are expected to cost where this choice is made; `None` where they cannot be lowered then.
    fn cost_behind(
        &mut self,
        choice: &Choice,
        goals: &[G],
        context: &BlockState,
        vars: &Vars,
        want: &Want,
    ) -> Option<f64> {
        let before = self.before();
        let (mut goals, mut context, mut vars) = (goals.to_vec(), context.clone(), vars.clone());
        // only what is behind the instructions so far is compared
        let mut behind = self.builder();
        let made =
            self.choose(choice.clone(), &mut goals, &mut context, &mut vars, want, &mut behind);
        let form = match made {
            Ok(()) => self.conjunction(goals, &mut context, &mut vars, want, &mut behind),
            Err(stopped) => Err(stopped),
        };
        let cost = form.ok().map(|form| {
            let single = !matches!(form, TargetForm::Set(_));
            let answers =
                if want.needed.is_empty() && want.target.is_none() { 0.0 } else { SINGLE };
            let block = self.place_begun(behind);
            let expected = self.expected_cost(block);
            expected.cost + if single { expected.answers * answers } else { expected.answers }
        });
        self.take_back(&before);
        cost
    }

    pub(super) fn before(&self) -> Before {
        Before {
            blocks: self.ops.blocks.len(),
            reserved: self.calls.reserved.len(),
            asked: self.calls.asked.len(),
            mirrors: self.calls.mirrors.len(),
            faults: self.faults.len(),
        }
    }

    /// Takes back what was lowered since. Tables stay, for the next attempt.
    pub(super) fn take_back(&mut self, before: &Before) {
        self.ops.blocks.truncate(before.blocks);
        self.calls.reserved.truncate(before.reserved);
        self.calls.numbers.retain(|_, number| (*number as usize) < before.reserved);
        self.calls.asked.truncate(before.asked);
        self.calls.mirrors.truncate(before.mirrors);
        self.faults.truncate(before.faults);
    }

    /// Values that a map holds, of which there are few: with each of them, the keys that hold it are a set.
    fn values_held(
        &mut self,
        goals: &[G],
        choices: &[(f64, Choice)],
        context: &BlockState,
        vars: &Vars,
        want: &Want,
    ) -> Vec<Choice> {
        let local = locals(goals, context, want);
        let mut found: Vec<Choice> = Vec::new();
        for goal in goals {
            let G::Read(fluent, keys, Some(Arg::Var(value))) = goal else { continue };
            let place = self.layout.place(*fluent);
            let gives = |choice: &Choice| match choice {
                Choice::Var(v) | Choice::Values(v, _) => v == value,
                Choice::Goal(at) => only_open(&goals[*at], context) == Some(*value),
                _ => false,
            };
            let known = choices.iter().map(|(_, choice)| choice).chain(&found).any(gives);
            let open = |arg: &Arg| !context.is_bound(*arg);
            let repeats = want.sensitive && local.contains(value);
            let Some(axis) = &place.value else { continue };
            if known
                || repeats
                || place.planes.is_none() && place.slices.is_empty()
                || !open(&Arg::Var(*value))
                || !keys.iter().any(open)
                || want.target == Some(*value)
                || self.settable(*value, vars).is_none()
                || !(2..=MAX_VALUES).contains(&axis.len)
            {
                continue;
            }
            let values = (0..axis.len).map(|index| axis.code(index)).collect();
            found.push(Choice::Values(*value, values));
        }
        found
    }
}
