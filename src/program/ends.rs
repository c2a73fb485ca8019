//! The clauses that end a game, and the names of ends: `win(P, "checkmate") :- …` is a clause of `win/1`
//! with a name.

use crate::diagnostic::Diagnostic;
use crate::syntax::{Clause, Term, TermKind, print_term};

use super::resolve::Resolver;
use super::{RelationId, Value};

const LOSE: &str = "lose";

/// What an end clause says about the outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EndKind {
    /// `win(P)`: the player wins.
    Win,
    /// `lose(P)`: the player loses and the others win.
    Lose,
    /// `draw`: nobody wins.
    Draw,
    /// `over`: the highest score wins.
    Over,
}

impl EndKind {
    /// The kind of end of the clauses with this name.
    pub fn named(name: &str) -> Option<EndKind> {
        [EndKind::Win, EndKind::Lose, EndKind::Draw, EndKind::Over]
            .into_iter()
            .find(|kind| kind.name() == name)
    }

    /// The name of the relation: `win`, `lose`, `draw` or `over`.
    pub fn name(self) -> &'static str {
        match self {
            EndKind::Win => "win",
            EndKind::Lose => "lose",
            EndKind::Draw => "draw",
            EndKind::Over => "over",
        }
    }

    /// How many arguments the relation has; the name of an end is not counted.
    pub fn arity(self) -> usize {
        match self {
            EndKind::Win | EndKind::Lose => 1,
            EndKind::Draw | EndKind::Over => 0,
        }
    }
}

/// The first relations of every program: the meaning of `win(P)`, `lose(P)`, `draw` and `over` in a
/// question, whichever of them the file defines; then the same with the name of the end as a further
/// argument.
pub(super) const OUTCOMES: [(EndKind, bool); 8] = [
    (EndKind::Win, false),
    (EndKind::Lose, false),
    (EndKind::Draw, false),
    (EndKind::Over, false),
    (EndKind::Win, true),
    (EndKind::Lose, true),
    (EndKind::Draw, true),
    (EndKind::Over, true),
];

/// The outcome that a relation of a question asks for, and whether its last argument is the name of
/// the end; `None` for any other relation.
pub fn outcome_relation(id: RelationId) -> Option<(EndKind, bool)> {
    OUTCOMES.get(id.0 as usize).copied()
}

/// The name of the relation that a clause with this head belongs to, and its arguments without the
/// name of an end.
pub(super) fn relation_of(head: &Term) -> Option<(&str, &[Term])> {
    let (name, args) = head.functor()?;
    let named = usize::from(end_name(head).is_some());
    Some((name, &args[..args.len() - named]))
}

/// The argument of a head that is the name of an end.
fn end_name(head: &Term) -> Option<&Term> {
    let (name, args) = head.functor()?;
    let kind = EndKind::named(name)?;
    args.last().filter(|_| args.len() == kind.arity() + 1)
}

/// `lose :- stuck` speaks of the player to move: it stands for `lose(P) :- turn(P), stuck`. Any other
/// clause is left as it is.
pub(super) fn of_player_to_move(mut clause: Clause) -> Clause {
    let Some(head) = &mut clause.head else { return clause };
    let name = match &head.kind {
        TermKind::Atom(name) if name == LOSE => None,
        TermKind::Compound(name, args) if name == LOSE => match args.as_slice() {
            [name @ Term { kind: TermKind::Text(_), .. }] => Some(name.clone()),
            _ => return clause,
        },
        _ => return clause,
    };
    let (span, body) = (head.span, clause.body.take());
    let taken = |name: &str| body.as_ref().is_some_and(|body| body.has_variable(name));
    let player = std::iter::successors(Some("P".to_string()), |name| Some(format!("{name}1")))
        .find(|name| !taken(name));
    let player = Term::new(TermKind::Variable(player.unwrap_or_default()), span);
    let turn = Term::new(TermKind::Compound("turn".to_string(), vec![player.clone()]), span);
    let args = std::iter::once(player).chain(name).collect();
    head.kind = TermKind::Compound(LOSE.to_string(), args);
    clause.body = Some(match body {
        Some(body) => Term::new(TermKind::Compound(",".to_string(), vec![turn, body]), span),
        None => turn,
    });
    clause
}

impl Resolver {
    /// The name of an end, which is a text.
    pub(super) fn end_text(&mut self, head: &Term) -> Option<Value> {
        let name = end_name(head)?;
        if let TermKind::Text(text) = &name.kind
            && text.contains(|c: char| !c.is_whitespace())
        {
            return Some(self.program.values.text(text));
        }
        let (relation, args) = head.functor()?;
        let bare = match args {
            [player, _] => format!("{relation}({})", print_term(player)),
            _ => relation.to_string(),
        };
        let d = Diagnostic::error("end-form", "the name of an end is a text in double quotes")
            .at(name.span, "not such a text");
        self.fault(match &name.kind {
            TermKind::Text(_) => d.hint(format!("say how it ended, or leave it out: `{bare}`")),
            TermKind::Atom(name) => d.hint(format!("write `\"{}\"`", name.replace('_', " "))),
            _ => d.hint(format!(
                "write `\"checkmate\"`, or leave it out: `{bare}`; a relation of your own needs \
                 another name than `{relation}`"
            )),
        });
        None
    }
}
