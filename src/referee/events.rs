//! Which moves are events of chance.

use crate::program::Term as RuleTerm;
use crate::syntax::Term;

use super::Referee;
use super::naming::Named;

/// The forms of the events of chance: their names and numbers of arguments.
pub(super) fn events(referee: &Referee<'_>) -> Vec<(String, usize)> {
    let program = &referee.game.program;
    let clauses = program.special.chance.map(|id| &program.relation(id).clauses);
    let heads = clauses.into_iter().flatten().map(|id| program.clause(*id).head.first());
    let form = |head: Option<&RuleTerm>| {
        let (name, arity) = program.values.form(head?)?;
        Some((name.to_string(), arity))
    };
    heads.filter_map(form).collect()
}

/// Whether what is due now are events of chance.
pub(super) fn is_chance(referee: &Referee<'_>, legal: &[Named]) -> bool {
    let events = events(referee);
    legal.first().is_some_and(|n| is_one_of(&n.term, &events))
}

/// Whether a term is an event of chance.
pub(super) fn is_event(referee: &Referee<'_>, term: &Term) -> bool {
    is_one_of(term, &events(referee))
}

/// Whether a move or an event has one of these forms.
pub(super) fn is_one_of(term: &Term, forms: &[(String, usize)]) -> bool {
    forms.iter().any(|(name, arity)| term.form() == Some((name, *arity)))
}
