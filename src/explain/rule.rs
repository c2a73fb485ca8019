//! The rule in words: the comment directly above a clause.

use crate::program::{ClauseId, Goal, GoalKind, RelationId, Term};
use crate::syntax::{comment_above, first_sentence, is_code, sentences};

use super::Teller;
use super::places::OPTION;
use crate::reference::Reference;
use crate::reference::facts::Facts;
use crate::reference::run::Run;

/// How many relations of options may call one another.
const DEEPEST: usize = 4;

/// Whether one of several holds, where it is known of each, or of one that does.
fn any_of(told: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let told: Vec<Option<bool>> = told.collect();
    if told.contains(&Some(true)) {
        return Some(true);
    }
    told.iter().all(Option::is_some).then_some(false)
}

impl Reference {
    /// The rule of a clause in words, in quotation marks, and its place; `None` where it has none.
    pub fn rule_in_words(&self, facts: &Facts, by: ClauseId) -> Option<String> {
        let mut run = Run::new(self, facts);
        let mut teller = Teller::new(&mut run);
        let rule = teller.rule(by)?;
        Some(format!("\"{rule}\" ({})", teller.place(by)))
    }

    /// All sentences of the comment of a clause, and its place; none where the options switch the clause off.
    pub fn rules_in_words(&self, facts: &Facts, by: ClauseId) -> Vec<(String, String)> {
        let mut run = Run::new(self, facts);
        let mut teller = Teller::new(&mut run);
        if teller.is_switched_off(by) {
            return Vec::new();
        }
        let comment = teller.comment_over(by).unwrap_or_default();
        let place = teller.place(by);
        sentences(&comment).into_iter().map(|one| (teller.with_names(one), place.clone())).collect()
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
        let sentence = first_sentence(&self.comment_over(by)?)?;
        Some(self.with_names(sentence))
    }

    /// A sentence with the names in backquotes as `says/2` calls them.
    fn with_names(&mut self, sentence: String) -> String {
        let parts: Vec<&str> = sentence.split('`').collect();
        if parts.len().is_multiple_of(2) {
            return sentence;
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
        told
    }

    /// Whether a clause asks for another value of an option than the game has, itself or by a relation without
    /// arguments that only tells of options.
    fn is_switched_off(&self, by: ClauseId) -> bool {
        let body = &self.run.program.clause(by).body;
        self.by_options(body, 0) == Some(false)
    }

    /// Whether a goal holds, where the options alone tell; `None` where they do not.
    fn by_options(&self, goal: &Goal, depth: usize) -> Option<bool> {
        let program = self.run.program;
        match &goal.kind {
            GoalKind::True => Some(true),
            GoalKind::Fail => Some(false),
            GoalKind::Not(inner) => self.by_options(inner, depth).map(|holds| !holds),
            GoalKind::Once(inner) => self.by_options(inner, depth),
            // not so where one of them does not hold
            GoalKind::And(goals) => {
                let denied = goals.iter().map(|goal| Some(!self.by_options(goal, depth)?));
                any_of(denied).map(|denied| !denied)
            }
            GoalKind::Or(goals) => any_of(goals.iter().map(|goal| self.by_options(goal, depth))),
            GoalKind::Call(id, args) if self.is_option(*id) => {
                let [Term::Constant(name), Term::Constant(asked)] = args.as_slice() else {
                    return None;
                };
                let name = program.values.show(*name);
                program.options.get(&name).map(|option| option.value == *asked)
            }
            // a relation that nothing defines here is no matter of the options
            GoalKind::Call(id, args) if args.is_empty() && depth < DEEPEST => {
                let clauses = &program.relations.get(id.0 as usize)?.clauses;
                if clauses.is_empty() {
                    return None;
                }
                let told = |by: &ClauseId| self.by_options(&program.clause(*by).body, depth + 1);
                any_of(clauses.iter().map(told))
            }
            _ => None,
        }
    }

    /// Whether a relation is that of the options.
    pub(super) fn is_option(&self, id: RelationId) -> bool {
        self.run.program.relations.get(id.0 as usize).is_some_and(|r| r.name == OPTION)
    }

    /// The comment directly above a clause, or above the clauses of its relation that it follows without a gap.
    fn comment_over(&self, by: ClauseId) -> Option<String> {
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
        Some(comment)
    }
}
