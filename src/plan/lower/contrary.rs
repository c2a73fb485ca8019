//! Clauses of which one asks for the contrary of what another one asks for, as they are written.

use crate::program::{ClauseId, Goal, GoalKind, Term, acts, print_goal};

use super::Lowering;

impl Lowering<'_> {
    /// Whether the goals before the updates of one clause deny those of another one, so that one of the two holds.
    pub(super) fn denies(&self, clause: ClauseId, other: ClauseId) -> bool {
        let [Goal { kind: GoalKind::Not(inner), .. }] = self.tests_of(clause) else {
            return false;
        };
        let own = self.renamed(clause, inner.conjuncts());
        own.is_some() && own == self.renamed(other, self.tests_of(other))
    }

    /// The goals of a clause before its first update.
    fn tests_of(&self, id: ClauseId) -> &[Goal] {
        let goals = self.program.clause(id).body.conjuncts();
        let split = goals.iter().position(|goal| acts(self.program, goal));
        &goals[..split.unwrap_or(goals.len())]
    }

    /// Goals of a clause as text, with names for variables that are the same in clauses which ask for the same; `None` where
    /// the head has other arguments than variables, or where a text may have what looks like one.
    fn renamed(&self, id: ClauseId, goals: &[Goal]) -> Option<String> {
        let clause = self.program.clause(id);
        let mut names: Vec<String> = Vec::new();
        for term in &clause.head {
            let Term::Variable(v) = term else { return None };
            let name = clause.variables.get(v.0 as usize)?.name.to_string();
            (!names.contains(&name)).then(|| names.push(name))?;
        }
        let texts = goals.iter().map(|goal| print_goal(self.program, clause, goal));
        let text = texts.collect::<Vec<_>>().join(", ");
        if text.contains(['"', '\'']) {
            return None;
        }
        let mut told = String::new();
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            let (word, behind) = rest.split_at(end);
            // each `_` is a variable of its own
            if word.starts_with(|c: char| c.is_uppercase() || c == '_') && word != "_" {
                let known = names.iter().position(|name| name == word);
                let at = known.unwrap_or_else(|| {
                    names.push(word.to_string());
                    names.len() - 1
                });
                told.push_str(&format!("#{at}"));
            } else {
                told.push_str(word);
            }
            let sign = behind.chars().next().map_or(0, char::len_utf8);
            told.push_str(&behind[..sign]);
            rest = &behind[sign..];
        }
        Some(told)
    }
}
