//! Answers in the order of the text, out of a set.
//!
//! `once((cell(C), \+ at(C, _), two(C)))` asks for the first cell for which the rest holds. Where the cells come in the order
//! of their elements, it is the first one of a set, which goals narrow that are sets themselves.

use rustc_hash::FxHashMap;

use super::generators::Choice;
use super::goals::{Arg, G, Var, Vars};
use super::order::{BlockState, Want};
use super::sets::only_open;
use super::tables::TableRef;
use super::{Builder, Code, Lowering};

impl Lowering<'_> {
    /// Emits the loop over the elements that a goal gives first, where others narrow their set; `false`, and nothing
    /// emitted, where none does. No goal may be a rule error.
    pub(super) fn first_of_set(
        &mut self,
        at: usize,
        goals: &mut Vec<G>,
        context: &mut BlockState,
        vars: &mut Vars,
        want: &Want,
        out: &mut Builder,
    ) -> bool {
        let Some(var) = only_open(&goals[at], context) else { return false };
        if self.settable(var, vars).is_none() || !self.in_order_of_elements(&goals[at], var) {
            return false;
        }
        // a set that has to be gathered costs more than the elements up to the first
        let (mut narrowing, rest): (Vec<G>, Vec<G>) = goals.iter().cloned().partition(|goal| {
            self.simple(goal, var, context, vars).is_some()
                || self.simple_negation(goal, var, context, vars).is_some()
        });
        if narrowing.len() < 2 {
            return false;
        }
        let (saved, written, before) = (context.clone(), out.clone(), self.before());
        let chosen = self.choose(Choice::Var(var), &mut narrowing, context, vars, want, out);
        if chosen.is_ok() && narrowing.is_empty() {
            *goals = rest;
            return true;
        }
        self.take_back(&before);
        (*context, *out) = (saved, written);
        context.bound.resize(vars.all.len(), None);
        false
    }

    /// Whether the values that a goal has for its only open variable come in the order of their elements.
    fn in_order_of_elements(&self, goal: &G, var: Var) -> bool {
        let is_open = |arg: &Arg| *arg == Arg::Var(var);
        let only = |args: &[Arg]| {
            let at = args.iter().position(is_open)?;
            args.iter().skip(at + 1).all(|arg| !is_open(arg)).then_some(at)
        };
        match goal {
            G::Read(fluent, keys, value) => {
                let is_key = value.is_none_or(|value| !is_open(&value));
                is_key && only(keys).is_some_and(|at| self.keys_ascend(*fluent, at))
            }
            G::Static(id, args) => {
                let Some(at) = only(args) else { return false };
                let rows = self.table_rows(TableRef::Relation(*id));
                match args.len() {
                    1 => rows.iter().is_sorted_by(|row, next| row < next),
                    _ => {
                        // the rows that agree on all other columns
                        let mut last: FxHashMap<Vec<Code>, Code> = FxHashMap::default();
                        rows.iter().all(|row| {
                            let mut key = row.to_vec();
                            let code = key.remove(at);
                            last.insert(key, code).is_none_or(|before| before < code)
                        })
                    }
                }
            }
            _ => false,
        }
    }
}
