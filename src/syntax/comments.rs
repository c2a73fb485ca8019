//! Comments as text: the one directly above a clause, and the one that a file begins with.

use crate::source::Sources;

use super::read_file;

/// The comment that ends on the line above the end of a text, and the byte where it begins.
pub fn comment_above(text: &str) -> Option<(usize, String)> {
    block(text).or_else(|| lines(text))
}

/// The comment that a text begins with, without the marks of comments.
pub fn opening_comment(text: &str) -> Option<String> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let inner = match text.strip_prefix("/*") {
        Some(rest) => rest.split("*/").next()?.to_string(),
        None => {
            let comments = text.lines().map_while(|line| line.trim().strip_prefix('%'));
            comments.map(|line| line.trim_start_matches('%')).collect::<Vec<_>>().join("\n")
        }
    };
    let found: Vec<&str> = inner.lines().map(plain).filter(|line| is_text(line)).collect();
    (!found.is_empty()).then(|| found.join("\n"))
}

/// The comment in `/* … */` that ends on the line above, and where it begins.
fn block(above: &str) -> Option<(usize, String)> {
    let inner = above.strip_suffix('\n')?.trim_end_matches([' ', '\t', '\r']).strip_suffix("*/")?;
    let from = inner.rfind("/*")?;
    let lines = inner[from + 2..].lines().map(plain);
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
    found.retain(|line| is_text(line));
    found.reverse();
    (!found.is_empty()).then(|| (from, found.join("\n")))
}

/// A line of a comment without the asterisks that frame it.
fn plain(line: &str) -> &str {
    line.trim().trim_start_matches('*').trim()
}

/// A line without letters is a divider.
fn is_text(line: &str) -> bool {
    line.contains(char::is_alphanumeric)
}

/// Whether a comment is a clause that was commented out. Some sentences parse as a term: `passing
/// is free.`
pub fn is_code(comment: &str) -> bool {
    if !comment.contains('(') {
        return false;
    }
    let mut sources = Sources::new();
    let file = sources.add("comment", None, comment);
    let (syntax, faults) = read_file(&sources, file);
    faults.is_empty() && !syntax.clauses.is_empty()
}

/// The text before the first full stop that is followed by a capital letter, on one line.
pub fn first_sentence(text: &str) -> Option<String> {
    sentences(text).into_iter().next()
}

/// The sentences of a text, each on one line: a full stop that is followed by a capital letter ends one.
pub fn sentences(text: &str) -> Vec<String> {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut rest = words.as_str();
    let mut found = Vec::new();
    while !rest.is_empty() {
        let mut ends = rest.match_indices(". ").map(|(at, _)| at + 1);
        let end = ends.find(|at| rest[at + 1..].starts_with(char::is_uppercase));
        let (sentence, after) = rest.split_at(end.unwrap_or(rest.len()));
        found.push(sentence.to_string());
        rest = after.trim_start();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{comment_above, first_sentence, opening_comment};

    #[test]
    fn comments_are_text_without_their_marks() {
        let found = comment_above("p.\n%% Once.\n% ----\n% More.\n");
        assert_eq!(found, Some((3, "Once.\nMore.".to_string())));
        assert_eq!(comment_above("/* One.\n * Two. */\n"), Some((0, "One.\nTwo.".to_string())));
        assert_eq!(comment_above("% far\n\n"), None);
        let found = opening_comment("\n% A game.\n% Of two.\n\n% Not this.\np.\n");
        assert_eq!(found.as_deref(), Some("A game.\nOf two."));
        assert_eq!(opening_comment("/* A game. */ p.").as_deref(), Some("A game."));
        assert_eq!(opening_comment("p. % no"), None);
    }

    #[test]
    fn a_sentence_ends_before_a_capital_letter() {
        assert_eq!(first_sentence("Go to e.g. a1.\nThen stop.").as_deref(), Some("Go to e.g. a1."));
        assert_eq!(first_sentence(" "), None);
    }
}
