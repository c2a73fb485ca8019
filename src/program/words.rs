//! Other words for names of the game: clauses of `alias/2` that speak of a name and not of a move.

use super::{Clause, Constant, Program, RelationId, Term, Value, Values};

/// A clause that gives another word for a name of the game.
#[derive(Debug, Clone, Copy)]
pub struct OtherWord<'p> {
    /// The clause.
    pub clause: &'p Clause,
    /// The game's own name.
    pub name: &'p str,
    /// The word that is read for it.
    pub word: &'p str,
}

impl Program {
    /// The clauses of `alias/2` that give another word for a name of the game. `values` are the program's, which a stage
    /// may have taken out.
    pub fn other_words<'p>(&'p self, values: &'p Values) -> Vec<OtherWord<'p>> {
        let made = self.clauses_of(self.special.moves).chain(self.clauses_of(self.special.chance));
        let made: Vec<(&str, usize)> =
            made.filter_map(|clause| values.form(clause.head.first()?)).collect();
        let other_word = |clause: &'p Clause| {
            let [name, word] = clause.head.as_slice() else { return None };
            let (name, word) = (text_of(values, name)?, text_of(values, word)?);
            (!made.contains(&(name, 0))).then_some(OtherWord { clause, name, word })
        };
        self.clauses_of(self.special.alias).filter_map(other_word).collect()
    }

    /// Whether clauses of `alias/2` give other forms of moves.
    pub fn has_other_forms(&self, values: &Values) -> bool {
        self.clauses_of(self.special.alias).count() > self.other_words(values).len()
    }

    fn clauses_of(&self, id: Option<RelationId>) -> impl Iterator<Item = &Clause> {
        let ids = id.map(|id| self.relation(id).clauses.as_slice()).unwrap_or_default();
        ids.iter().map(|id| self.clause(*id))
    }
}

/// The name or the text that a term is.
fn text_of<'p>(values: &'p Values, term: &Term) -> Option<&'p str> {
    match term {
        Term::Constant(Value::Constant(id)) => match values.get(*id) {
            Constant::Atom(text) | Constant::Text(text) => Some(text),
            _ => None,
        },
        _ => None,
    }
}
