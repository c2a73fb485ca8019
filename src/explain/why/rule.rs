//! The rule in words: the comment directly above a clause.

use crate::program::ClauseId;
use crate::source::Sources;
use crate::syntax::read_file;

use super::Teller;

impl Teller<'_, '_> {
    /// The first sentence of the comment directly above a clause, or above the clauses of its
    /// relation that it follows without a gap. The comment at the beginning of a file is about the
    /// file.
    pub fn rule(&self, by: ClauseId) -> Option<String> {
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
        let (from, comment) = block(above).or_else(|| lines(above))?;
        let head = format!("{}(", program.relation(clause.relation).name);
        // a comment that begins with the head describes the arguments
        if above[..from].trim().is_empty() || comment.starts_with(&head) || is_code(&comment) {
            return None;
        }
        first_sentence(&comment)
    }
}

/// The comment in `/* … */` that ends on the line above, and where it begins.
fn block(above: &str) -> Option<(usize, String)> {
    let inner = above.strip_suffix('\n')?.trim_end_matches([' ', '\t', '\r']).strip_suffix("*/")?;
    let from = inner.rfind("/*")?;
    let lines = inner[from + 2..].lines().map(|line| line.trim().trim_start_matches('*').trim());
    Some((from, lines.collect::<Vec<_>>().join("\n")))
}

/// The lines of comment that end on the line above, and where they begin.
fn lines(above: &str) -> Option<(usize, String)> {
    let above = above.strip_suffix('\n')?;
    let mut from = above.len();
    let mut found: Vec<&str> = Vec::new();
    for line in above.rsplit('\n') {
        let Some(comment) = line.trim().strip_prefix('%') else { break };
        from -= line.len() + usize::from(from < above.len());
        found.push(comment.trim_start_matches('%').trim());
    }
    // a line without letters is a divider
    found.retain(|line| line.contains(char::is_alphanumeric));
    found.reverse();
    (!found.is_empty()).then(|| (from, found.join("\n")))
}

/// Whether a comment is a clause that was commented out. Some sentences parse as a term: `passing
/// is free.`
fn is_code(comment: &str) -> bool {
    if !comment.contains('(') {
        return false;
    }
    let mut sources = Sources::new();
    let file = sources.add("comment", None, comment);
    let (syntax, faults) = read_file(&sources, file);
    faults.is_empty() && !syntax.clauses.is_empty()
}

/// The text before the first full stop that is followed by a capital letter, on one line.
fn first_sentence(comment: &str) -> Option<String> {
    let words = comment.split_whitespace().collect::<Vec<_>>().join(" ");
    let ends = words.match_indices(". ").map(|(at, _)| at + 1);
    let end = ends.into_iter().find(|at| words[at + 1..].starts_with(char::is_uppercase));
    let sentence = &words[..end.unwrap_or(words.len())];
    (!sentence.is_empty()).then(|| sentence.to_string())
}
