//! Moves that are lists of steps: the first step of a text that is wrong, and what steps are like.

use crate::explain::{Cause, Reason};
use crate::reference::Facts;
use crate::syntax::{Term, TermKind};

use super::by_numbers::also_called;
use super::chains::Chains;
use super::likeliest::Meant;
use super::meant::is_possible;
use super::naming::Named;
use super::nearest::best;
use super::{Referee, Stop};

/// The explanation of the steps of a text up to the first that no legal move has behind those before it.
pub(super) fn first_wrong(
    referee: &Referee<'_>,
    facts: &Facts,
    legal: &[Named],
    chains: &Chains,
    text: &str,
) -> Result<Option<Meant>, Stop> {
    let Some(wrong) = chains.first_wrong(referee, legal) else { return Ok(None) };
    if !is_possible(referee, &wrong.term) {
        return Ok(None);
    }
    let Some((term, mut told)) = best(referee, facts, &[wrong.term], None)? else {
        return Ok(None);
    };
    // a step that is made by itself is only too much
    if let Some(behind) = wrong.behind.filter(|_| told.cause == Cause::Goal) {
        let text = format!("no legal move has {} after {behind}", wrong.step);
        told.short = format!("`{}` is not legal: {text}.", told.subject);
        told.reason = Some(Reason { facts: text.clone(), whole: text });
    }
    Ok(Some((term, also_called(text, told))))
}

/// Whether a move that is a list consists of steps as legal moves of its form do: `off` is none where `6/off` is one.
pub(super) fn has_steps(legal: &[Named], term: &Term) -> bool {
    fn items(term: &Term) -> impl Iterator<Item = &Term> {
        let args = term.functor().map_or(&[][..], |(_, args)| args);
        let lists = args.iter().filter_map(|arg| match &arg.kind {
            TermKind::List(items, None) => Some(items),
            _ => None,
        });
        lists.flatten()
    }
    let is_step = |item: &Term| item.functor().is_some_and(|(_, args)| !args.is_empty());
    let same = legal.iter().filter(|n| n.term.form() == term.form());
    let steps = same.flat_map(|n| items(&n.term)).next().is_some_and(is_step);
    !steps || items(term).all(is_step)
}
