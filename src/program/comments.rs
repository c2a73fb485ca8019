//! What the comments of a rule file say of the game and of its options.

use crate::source::FileId;
use crate::syntax::{Clause, comment_above, first_sentence, is_code, opening_comment, read_file};

use super::{GameOption, Program};

impl Program {
    /// The game in words: `:- about`, or the comment that the file begins with, without the title before it.
    pub fn in_words(&self) -> Option<String> {
        if let Some(about) = &self.about {
            return Some(about.clone());
        }
        let comment = opening_comment(&self.sources.get(FileId(0))?.text)?;
        let comment = one_line(&comment);
        let untitled = comment.strip_prefix(&self.title).and_then(|rest| rest.strip_prefix(": "));
        match untitled {
            Some(rest) => Some(capital(rest)),
            None => (!is_code(&comment)).then_some(comment),
        }
    }

    /// The first sentence of [`Program::in_words`].
    pub fn summary(&self) -> Option<String> {
        first_sentence(&self.in_words()?)
    }

    /// What an option means, in words: the comment behind its directive on the same line, or the one directly
    /// above it, or above the options that it follows without a gap. The comment at the beginning of a file is
    /// about the file.
    pub fn option_comment(&self, option: &GameOption) -> Option<String> {
        let file = option.span.file;
        let text = &self.sources.get(file)?.text;
        let (syntax, _) = read_file(&self.sources, file);
        let at = syntax.clauses.iter().position(|clause| {
            clause.span.start <= option.span.start && option.span.end <= clause.span.end
        })?;
        let behind = |clause: &Clause| {
            let rest = text.get(clause.span.end as usize..)?.lines().next()?;
            rest.trim_start()
                .strip_prefix('%')
                .map(|comment| one_line(comment.trim_start_matches('%')))
        };
        if let Some(comment) = behind(&syntax.clauses[at]) {
            return Some(comment);
        }
        let mut start = syntax.clauses[at].span.start as usize;
        for earlier in syntax.clauses[..at].iter().rev() {
            let is_option = earlier.body.as_ref().is_some_and(|b| b.args_of("option", 1).is_some());
            let between = text.get(earlier.span.end as usize..start)?;
            if !is_option || between != "\n" {
                break;
            }
            start = earlier.span.start as usize;
        }
        let above = &text[..start];
        let (from, comment) = comment_above(above)?;
        let of_file = above[..from].trim().is_empty();
        (!of_file && !is_code(&comment)).then(|| one_line(&comment))
    }
}

/// A text that begins with a capital letter.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
