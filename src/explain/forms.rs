//! The forms of moves, the moves that a text may mean, and legal moves similar to a move.

use crate::diagnostic::{distance, listed, nearest};
use crate::program::{RelationId, Term as RuleTerm, Value, Values, print_head_with};
use crate::source::{Sources, Span};
use crate::syntax::{Term, TermKind, print_term, read_goal};

use super::Teller;
use super::moves::MoveQuestion;
use crate::reference::Reference;
use crate::reference::facts::Facts;
use crate::reference::fault::RuleError;
use crate::reference::moves::Choices;

/// How many legal moves are suggested in place of a wrong one.
const CLOSEST: usize = 3;
/// The longest text that is read as a notation, in bytes.
const LONGEST: usize = 200;
/// The most readings of one text that are tried.
const READINGS: usize = 64;

impl Reference {
    /// The name and arity of every form of move and chance event, and how it is written in the
    /// rules: `("slide", 2, "slide(P, Q)")`.
    pub fn move_forms(&self) -> Vec<(String, usize, String)> {
        let special = &self.program.special;
        let mut forms = self.forms(special.moves);
        forms.extend(self.forms(special.chance));
        forms
    }

    pub(super) fn forms(&self, relation: Option<RelationId>) -> Vec<(String, usize, String)> {
        let mut forms: Vec<(String, usize, String)> = Vec::new();
        let clauses = relation.map(|id| self.program.relation(id).clauses.as_slice());
        for id in clauses.unwrap_or_default() {
            let clause = self.program.clause(*id);
            let (name, arity) = match clause.head.first() {
                Some(RuleTerm::Compound(name, args)) => (name.clone(), args.len()),
                Some(RuleTerm::Constant(value)) => match self.values.functor(*value) {
                    Some((name, args)) => (name.to_string(), args.len()),
                    None => continue,
                },
                _ => continue,
            };
            let whole = print_head_with(&self.program, clause, &self.values, &[]);
            // without `move(` and `)`
            let shown = whole.split_once('(').map_or("", |(_, inner)| inner);
            let shown = shown.strip_suffix(')').unwrap_or(shown).to_string();
            if !forms.iter().any(|(n, a, _)| *n == name && *a == arity) {
                forms.push((name, arity, shown));
            }
        }
        forms
    }

    /// The moves, legal or not, that a text in the game's notation may mean; those with known
    /// constants come first.
    ///
    /// # Errors
    /// A rule error in `notation/2`.
    pub fn moves_written(&self, facts: &Facts, text: &str) -> Result<Vec<Term>, RuleError> {
        let mut found: Vec<Term> = Vec::new();
        if text.len() > LONGEST {
            return Ok(found);
        }
        let text: String = text.split_whitespace().collect();
        let Some(notation) = self.program.special.notation else { return Ok(found) };
        for id in &self.program.relation(notation).clauses {
            let clause = self.program.clause(*id);
            let [pattern, parts] = clause.head.as_slice() else { continue };
            let mut readings = Vec::new();
            let mut slots = vec![None; clause.variables.len()];
            self.read_parts(&self.items(parts), &text, &mut slots, &mut readings);
            for slots in readings {
                let Some(term) = self.filled(pattern, &slots) else { continue };
                let written: String = self.notation(facts, &term)?.split_whitespace().collect();
                if written.eq_ignore_ascii_case(&text) && !found.contains(&term) {
                    found.push(term);
                }
            }
        }
        found.sort_by_key(|term| self.strangers(term));
        Ok(found)
    }

    /// How many names in a term are not constants of the game.
    fn strangers(&self, term: &Term) -> usize {
        match &term.kind {
            TermKind::Atom(name) => usize::from(self.values.find_atom(name).is_none()),
            TermKind::Compound(_, args) | TermKind::List(args, None) => {
                args.iter().map(|a| self.strangers(a)).sum()
            }
            _ => 0,
        }
    }

    /// The parts of a notation.
    fn items(&self, parts: &RuleTerm) -> Vec<RuleTerm> {
        match parts {
            RuleTerm::List(items, None) => items.clone(),
            RuleTerm::Constant(value) => match self.values.items(*value) {
                Some(items) => items.iter().map(|v| RuleTerm::Constant(*v)).collect(),
                None => vec![parts.clone()],
            },
            other => vec![other.clone()],
        }
    }

    /// Every way to read a text as a sequence of these parts.
    fn read_parts(
        &self,
        parts: &[RuleTerm],
        text: &str,
        slots: &mut Vec<Option<Term>>,
        readings: &mut Vec<Vec<Option<Term>>>,
    ) {
        if readings.len() >= READINGS {
            return;
        }
        let Some((part, rest)) = parts.split_first() else {
            if text.is_empty() {
                readings.push(slots.clone());
            }
            return;
        };
        match part {
            RuleTerm::Constant(value) => {
                let shown: String = self.written_value(*value).split_whitespace().collect();
                let fits = text.get(..shown.len()).is_some_and(|t| t.eq_ignore_ascii_case(&shown));
                if fits {
                    self.read_parts(rest, &text[shown.len()..], slots, readings);
                }
            }
            RuleTerm::Variable(v) => {
                let at = v.0 as usize;
                let ends = text.char_indices().map(|(i, c)| i + c.len_utf8());
                for end in ends.collect::<Vec<_>>() {
                    let (here, after) = text.split_at(end);
                    for term in self.read_value(here) {
                        if slots[at].as_ref().is_some_and(|known| *known != term) {
                            continue;
                        }
                        let before = slots[at].replace(term);
                        self.read_parts(rest, after, slots, readings);
                        slots[at] = before;
                    }
                }
            }
            _ => {}
        }
    }

    fn written_value(&self, value: Value) -> String {
        match value {
            Value::Constant(id) => match self.values.get(id) {
                crate::program::Constant::Text(text) => text.to_string(),
                _ => self.values.show(value),
            },
            Value::Integer(_) => self.values.show(value),
        }
    }

    /// The values that a text may mean: a constant, or a list of constants joined by dashes.
    fn read_value(&self, text: &str) -> Vec<Term> {
        let one = |text: &str| -> Option<Term> {
            let term = parse_term(text).or_else(|| parse_term(&text.to_lowercase()))?;
            let simple = matches!(term.kind, TermKind::Atom(_) | TermKind::Integer(_));
            // a compound must be a constant of the game
            let known = simple || {
                let mut values = Values::over(self.values.clone());
                let value = values.from_term(&term)?;
                value.constant().is_some_and(|id| (id.0 as usize) < self.values.len())
            };
            known.then_some(term)
        };
        let mut values: Vec<Term> = one(text).into_iter().collect();
        if text.contains('-') {
            let items: Option<Vec<Term>> = text.split('-').map(one).collect();
            values.extend(items.map(list));
        } else if let Some(term) = one(text) {
            values.push(list(vec![term]));
        }
        values
    }

    fn filled(&self, pattern: &RuleTerm, slots: &[Option<Term>]) -> Option<Term> {
        let all = |terms: &[RuleTerm]| -> Option<Vec<Term>> {
            terms.iter().map(|t| self.filled(t, slots)).collect()
        };
        match pattern {
            RuleTerm::Constant(value) => Some(self.values.to_term(*value)),
            RuleTerm::Variable(v) => slots[v.0 as usize].clone(),
            RuleTerm::Compound(name, args) => {
                Some(Term::new(TermKind::Compound(name.clone(), all(args)?), Span::NONE))
            }
            RuleTerm::List(items, None) => Some(list(all(items)?)),
            RuleTerm::List(_, Some(_)) => None,
        }
    }

    /// The legal moves most similar to a move.
    pub(super) fn closest(
        &self,
        facts: &Facts,
        choices: &Choices,
        mv: &Term,
        teller: &Teller<'_, '_>,
    ) -> Result<Vec<Term>, RuleError> {
        let wanted = print_term(mv);
        let written = self.notation(facts, mv)?;
        let name = |term: &Term| term.functor().map(|(name, _)| name.to_string());
        let is_form = self.move_forms().iter().any(|(form, _, _)| Some(form) == name(mv).as_ref());
        let mut all = Vec::new();
        for successor in &choices.all {
            let term = teller.run.values.to_term(successor.mv);
            let other = is_form && name(&term) != name(mv);
            let notation = self.notation(facts, &term)?;
            let near = distance(&print_term(&term), &wanted).min(distance(&notation, &written));
            all.push(((other, near), print_term(&term), term));
        }
        all.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        Ok(all.into_iter().take(CLOSEST).map(|(_, _, term)| term).collect())
    }
}

fn parse_term(text: &str) -> Option<Term> {
    let mut sources = Sources::new();
    let file = sources.add("move", None, text);
    read_goal(&sources, file).ok()
}

fn list(items: Vec<Term>) -> Term {
    Term::new(TermKind::List(items, None), Span::NONE)
}

impl<'r> MoveQuestion<'_, 'r> {
    /// Whether the term has the form of a move (or event) of some clause of a relation.
    pub fn kind_of(&self, relation: Option<RelationId>, mv: &Term) -> bool {
        let Some((name, args)) = mv.functor() else { return false };
        self.reference.forms(relation).iter().any(|(n, a, _)| n == name && *a == args.len())
    }

    /// Some moves as terms: of each form one that is legal, or else as the rules write it.
    pub fn examples(&self, only: &[&str]) -> String {
        let forms = self.reference.move_forms();
        let run = &self.teller.run;
        let legal = |name: &str, arity: usize| {
            let is_form = |mv: &Value| {
                let functor = run.values.functor(*mv);
                functor.is_some_and(|(form, args)| form == name && args.len() == arity)
            };
            let found = self.choices.all.iter().map(|successor| successor.mv).find(is_form)?;
            Some(self.teller.show(found))
        };
        let shown: Vec<String> = forms
            .iter()
            .filter(|(name, _, _)| only.is_empty() || only.contains(&name.as_str()))
            .map(|(name, arity, shown)| {
                format!("`{}`", legal(name, *arity).unwrap_or_else(|| shown.clone()))
            })
            .collect();
        listed(&shown, "and")
    }

    /// The sentence about a term that has not the form of a move, with the forms that there are.
    pub fn unknown_form(&self, mv: &Term) -> String {
        let forms = self.reference.move_forms();
        let Some((name, args)) = mv.functor() else {
            return format!("`{}` is no move: moves are {}.", self.term, self.examples(&[]));
        };
        if forms.iter().any(|(n, _, _)| n == name) {
            let n = args.len();
            let takes = self.examples(&[name]);
            let arguments = if n == 1 { "argument" } else { "arguments" };
            return format!("`{name}` is written {takes}, not with {n} {arguments}.");
        }
        match nearest(name, forms.iter().map(|(n, _, _)| n.as_str())) {
            Some(near) => {
                format!("There are no moves called `{name}`; {} is.", self.examples(&[near]))
            }
            None => {
                format!("There are no moves called `{name}`: moves are {}.", self.examples(&[]))
            }
        }
    }

    /// The sentence about a move that no clause's head matches.
    pub fn no_clause(&self, relation: RelationId, value: Value) -> String {
        let run = &self.teller.run;
        let name = run.values.functor(value).map(|(n, _)| n.to_string()).unwrap_or_default();
        let clauses = &run.program.relation(relation).clauses;
        let heads: Vec<String> = clauses
            .iter()
            .map(|id| (*id, self.teller.head(*id)))
            .filter(|(id, _)| match run.program.clause(*id).head.first() {
                Some(RuleTerm::Compound(n, _)) => *n == name,
                Some(RuleTerm::Constant(v)) => {
                    run.values.functor(*v).is_some_and(|(n, _)| n == name)
                }
                _ => false,
            })
            .map(|(id, head)| format!("`{head}` ({})", self.teller.place(id)))
            .collect();
        format!("`{}` fits no clause: there is only {}.", self.subject, listed(&heads, "and"))
    }
}
