//! The names of moves beside the game's own notation: other notations (`notation/3` with `suffix/2`) and
//! other forms (`alias/2`).
//!
//! A notation of `notation/3` may have several answers for a move. All of them are read; written is the first
//! that no other legal move has. So a rule file says with the order of its clauses how moves are told apart
//! (as SAN does with the column, the row or the square that a piece comes from), and the evaluator needs to
//! know nothing of columns and rows.

use crate::program::{Term as RuleTerm, Value};
use crate::syntax::Term;

use super::Reference;
use super::facts::Facts;
use super::fault::RuleError;
use super::present::{parts, words};
use super::run::Run;

/// Another form of a move, by `alias/2`.
#[derive(Debug, Clone, PartialEq)]
pub struct Alias {
    /// As it is typed; of a term, its notation.
    pub text: String,
    /// The term, unless the alias is a notation.
    pub term: Option<Term>,
}

impl Reference {
    /// The names of the notations that `notation/3` describes, in the order of the clauses.
    pub fn styles(&self) -> Vec<String> {
        let Some(style) = self.program.special.style else { return Vec::new() };
        let mut styles = Vec::new();
        for id in &self.program.relation(style).clauses {
            if let Some(RuleTerm::Constant(name)) = self.program.clause(*id).head.first() {
                let name = words(&self.values, *name);
                if !styles.contains(&name) {
                    styles.push(name);
                }
            }
        }
        styles
    }

    /// For each move, its texts in the notation called `style`, in the order of the answers.
    ///
    /// # Errors
    /// A rule error in `notation/3`.
    pub fn styled(
        &self,
        facts: &Facts,
        moves: &[Term],
        style: &str,
    ) -> Result<Vec<Vec<String>>, RuleError> {
        let (Some(relation), Some(style)) =
            (self.program.special.style, self.values.find_atom(style))
        else {
            return Ok(vec![Vec::new(); moves.len()]);
        };
        self.for_each_move(facts, moves, |run, value| {
            let rows = self.all_rows(run, relation, &[Some(style), Some(value), None])?;
            Ok(rows.iter().map(|row| parts(&run.values, row[2])).collect())
        })
    }

    /// What the notation called `style` adds to a move, in the position after it.
    ///
    /// # Errors
    /// A rule error in `suffix/2`.
    pub fn suffix(&self, after: &Facts, style: &str) -> Result<String, RuleError> {
        let (Some(suffix), Some(style)) =
            (self.program.special.suffix, self.values.find_atom(style))
        else {
            return Ok(String::new());
        };
        let mut run = Run::new(self, after);
        let row = self.first_row(&mut run, suffix, &[Some(style), None])?;
        Ok(row.map(|row| words(&run.values, row[1])).unwrap_or_default())
    }

    /// The texts that clauses of `suffix/2` name for a notation, the longest first.
    pub fn suffixes(&self, style: &str) -> Vec<String> {
        let Some(suffix) = self.program.special.suffix else { return Vec::new() };
        let clauses = self.program.relation(suffix).clauses.iter();
        let heads = clauses.map(|id| self.program.clause(*id).head.as_slice());
        let mut texts: Vec<String> = heads
            .filter_map(|head| match head {
                [RuleTerm::Constant(name), RuleTerm::Constant(text)] => {
                    (words(&self.values, *name) == style).then(|| words(&self.values, *text))
                }
                _ => None,
            })
            .collect();
        texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
        texts
    }

    /// The words that clauses of `alias/2` give for names of the game, each with the name.
    pub fn other_words(&self) -> Vec<(&str, &str)> {
        self.program
            .other_words(&self.program.values)
            .into_iter()
            .map(|other| (other.word, other.name))
            .collect()
    }

    /// For each move, its other forms, in the order of the answers of `alias/2`.
    ///
    /// # Errors
    /// A rule error in `alias/2` or `notation/2`.
    pub fn aliases(&self, facts: &Facts, moves: &[Term]) -> Result<Vec<Vec<Alias>>, RuleError> {
        let Some(alias) = self
            .program
            .special
            .alias
            .filter(|_| self.program.has_other_forms(&self.program.values))
        else {
            return Ok(vec![Vec::new(); moves.len()]);
        };
        self.for_each_move(facts, moves, |run, value| {
            let rows = self.all_rows(run, alias, &[Some(value), None])?;
            let others = rows.iter().filter(|row| row[1] != value);
            others.map(|row| self.alias(run, facts, row[1])).collect()
        })
    }

    /// What `ask` answers for each move; nothing for a term that is no value of the game.
    fn for_each_move<T>(
        &self,
        facts: &Facts,
        moves: &[Term],
        ask: impl Fn(&mut Run<'_>, Value) -> Result<Vec<T>, RuleError>,
    ) -> Result<Vec<Vec<T>>, RuleError> {
        let mut run = Run::new(self, facts);
        let answers = moves.iter().map(|mv| match run.values.from_term(mv) {
            Some(value) => ask(&mut run, value),
            None => Ok(Vec::new()),
        });
        answers.collect()
    }

    fn alias(&self, run: &Run<'_>, facts: &Facts, form: Value) -> Result<Alias, RuleError> {
        if run.values.items(form).is_some() {
            return Ok(Alias { text: parts(&run.values, form), term: None });
        }
        let term = run.values.to_term(form);
        Ok(Alias { text: self.notation(facts, &term)?, term: Some(term) })
    }

    /// The legal moves or chance events of which a term is another form.
    ///
    /// # Errors
    /// A rule error.
    pub fn meant(&self, facts: &Facts, form: &Term) -> Result<Vec<Term>, RuleError> {
        if self.program.special.alias.is_none() {
            return Ok(Vec::new());
        }
        let moves: Vec<Term> = self.successors(facts)?.into_iter().map(|(mv, _)| mv).collect();
        let is_form = |alias: &Alias| alias.term.as_ref() == Some(form);
        let aliases = self.aliases(facts, &moves)?;
        let meant = moves.into_iter().zip(aliases).filter(|(_, forms)| forms.iter().any(is_form));
        Ok(meant.map(|(mv, _)| mv).collect())
    }
}

/// For each move, the first of its texts that no other move has; where there is none, its first.
pub fn distinct(texts: &[Vec<String>]) -> Vec<Option<&str>> {
    let mut owners = rustc_hash::FxHashMap::default();
    for (i, own) in texts.iter().enumerate() {
        for text in own {
            let owner = owners.entry(text.as_str()).or_insert(Some(i));
            if *owner != Some(i) {
                *owner = None;
            }
        }
    }
    let alone = |text: &&String| owners.get(text.as_str()).is_some_and(Option::is_some);
    texts.iter().map(|own| own.iter().find(alone).or(own.first()).map(String::as_str)).collect()
}
