//! The rule in words: the comment directly above a clause.

use crate::program::{ClauseId, Goal, GoalKind, RelationId, Term};
use crate::syntax::{comment_above, first_sentence, is_code};

use super::Teller;
use super::places::OPTION;
use crate::reference::Reference;
use crate::reference::facts::Facts;
use crate::reference::run::Run;

impl Reference {
    /// The rule of a clause in words, in quotation marks, and its place; `None` where it has none.
    pub fn rule_in_words(&self, facts: &Facts, by: ClauseId) -> Option<String> {
        let mut run = Run::new(self, facts);
        let mut teller = Teller::new(&mut run);
        let rule = teller.rule(by)?;
        Some(format!("\"{rule}\" ({})", teller.place(by)))
    }
}

impl Teller<'_, '_> {
    /// The first sentence of the comment directly above a clause, or above the clauses of its
    /// relation that it follows without a gap. The comment at the beginning of a file is about the
    /// file.
    ///
    /// A name in backquotes is put as `says/2` calls it, so a file that games share can speak of their pieces. A clause
    /// that the options switch off is no rule of the game.
    pub fn rule(&mut self, by: ClauseId) -> Option<String> {
        if self.is_switched_off(by) {
            return None;
        }
        let sentence = self.sentence_above(by)?;
        let parts: Vec<&str> = sentence.split('`').collect();
        if parts.len().is_multiple_of(2) {
            return Some(sentence);
        }
        let mut told = String::new();
        for (i, part) in parts.into_iter().enumerate() {
            let name = self.run.values.find_atom(part).filter(|_| i % 2 == 1);
            match name.and_then(|name| self.in_words(name)) {
                Some(words) => told.push_str(&words),
                None if i % 2 == 1 => told.push_str(&format!("`{part}`")),
                None => told.push_str(part),
            }
        }
        Some(told)
    }

    /// Whether a clause asks for another value of an option than the game has.
    fn is_switched_off(&self, by: ClauseId) -> bool {
        let program = self.run.program;
        let holds = |goal: &Goal| match &goal.kind {
            GoalKind::Call(id, args) => {
                let [Term::Constant(name), Term::Constant(asked)] = args.as_slice() else {
                    return None;
                };
                let name = self.is_option(*id).then(|| program.values.show(*name))?;
                program.options.get(&name).map(|option| option.value == *asked)
            }
            _ => None,
        };
        program.clause(by).body.conjuncts().iter().any(|goal| match &goal.kind {
            GoalKind::Not(inner) => holds(inner) == Some(true),
            _ => holds(goal) == Some(false),
        })
    }

    /// Whether a relation is that of the options.
    pub(super) fn is_option(&self, id: RelationId) -> bool {
        self.run.program.relations.get(id.0 as usize).is_some_and(|r| r.name == OPTION)
    }

    fn sentence_above(&self, by: ClauseId) -> Option<String> {
        let program = self.run.program;
        let clause = program.clause(by);
        let text = &program.sources.get(clause.span.file)?.text;
        let mut above = text.get(..clause.span.start as usize)?.trim_end_matches([' ', '\t']);
        let near = program.relation(clause.relation).clauses.iter().rev();
        for other in near.map(|id| program.clause(*id).span) {
            let ends = above.strip_suffix('\n').is_some_and(|a| a.len() == other.end as usize);
            if other.file == clause.span.file && ends {
                above = &above[..other.start as usize];
            }
        }
        let (from, comment) = comment_above(above)?;
        let head = format!("{}(", program.relation(clause.relation).name);
        // a comment that begins with the head describes the arguments
        if above[..from].trim().is_empty() || comment.starts_with(&head) || is_code(&comment) {
            return None;
        }
        first_sentence(&comment)
    }
}
