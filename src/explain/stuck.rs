//! Why a player has no legal move: for some of his pieces, what keeps each from moving.
//!
//! A piece moves by the clauses of `move/1` whose first argument, or the first item of it, is the site that it
//! stands on. The clause that comes nearest to a move is told, as for a move that is typed.

use std::ops::ControlFlow;

use crate::program::{ClauseId, Term, Value, VariableId};

use super::walk::Moment;
use super::{Line, Mark, Teller};
use crate::reference::run::Answer;

/// The most pieces of which is told why they cannot move.
const PIECES: usize = 6;
/// The most pieces that are looked at where none names its player.
const LOOKED_AT: usize = 30;

impl<'r> Teller<'_, 'r> {
    /// A line for each of some pieces of a player: where it stands, and what keeps it from moving.
    pub fn stuck_pieces(&mut self, player: Value, before: &Moment) -> Answer<Vec<Line>> {
        let program = self.run.program;
        let (Some(board), Some(moves)) = (self.run.reference.drawn_fluent(), program.special.moves)
        else {
            return ControlFlow::Continue(Vec::new());
        };
        let (named, pieces): (bool, Vec<Value>) = self.run.at(before, None, |run, _| {
            let entries = run.state[board.0 as usize].iter();
            let his = |value: Value| {
                let functor = run.values.functor(value);
                value == player || functor.is_some_and(|(_, args)| args.contains(&player))
            };
            let placed = entries.filter(|(keys, _)| keys.len() == 1);
            let (own, others): (Vec<_>, Vec<_>) = placed.partition(|(_, value)| his(**value));
            let (from, most) = if own.is_empty() { (others, LOOKED_AT) } else { (own, PIECES) };
            let sites = from.iter().map(|(keys, _)| keys[0]).take(most).collect();
            ControlFlow::Continue((most == PIECES, sites))
        })?;
        let forms: Vec<(ClauseId, VariableId)> = program
            .relation(moves)
            .clauses
            .iter()
            .filter_map(|id| Some((*id, origin(program.clause(*id).head.first()?)?)))
            .collect();
        let mut lines: Vec<(u32, Line)> = Vec::new();
        for site in pieces {
            let mut nearest: Option<(u32, String)> = None;
            for (id, from) in &forms {
                let clause = program.clause(*id);
                let mut slots = vec![None; clause.variables.len()];
                slots[from.0 as usize] = Some(site);
                let start = Moment { slots, ..before.clone() };
                let failure = self.run.failure(Some(*id), clause.body.conjuncts(), &start)?;
                let Some(failure) = failure else { continue };
                if nearest.as_ref().is_none_or(|(cost, _)| failure.cost < *cost) {
                    let why = self.told(Some(*id), &failure)?;
                    nearest = Some((failure.cost, why.core));
                }
            }
            if let Some((cost, why)) = nearest {
                let site = self.show(site);
                // what is said of the site itself needs no name before it
                let text = match why.starts_with(&format!("{site} ")) {
                    true => why,
                    false => format!("{site}: {why}"),
                };
                lines.push((cost, Line::new(Mark::Note, text)));
            }
        }
        // where pieces do not name their players, those of others lack more
        let least = lines.iter().map(|(cost, _)| *cost).min();
        let told = lines.into_iter().filter(|(cost, _)| named || Some(*cost) == least);
        ControlFlow::Continue(told.map(|(_, line)| line).take(PIECES).collect())
    }
}

/// The variable of the site from which a move with this term goes to another one.
fn origin(head: &Term) -> Option<VariableId> {
    let Term::Compound(_, args) = head else { return None };
    match args.as_slice() {
        [Term::Variable(from), _, ..] => Some(*from),
        [Term::List(items, Some(_)), ..] => match items.first() {
            Some(Term::Variable(from)) => Some(*from),
            _ => None,
        },
        _ => None,
    }
}
