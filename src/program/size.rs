//! The size of rule files: the tokens of the rules, without what only tells of the game or tests it.

use crate::source::{FileId, Sources, Span};
use crate::syntax::{Clause, read_file, tokens};

/// Directives that are not rules.
const TOLD: [&str; 4] = ["game", "about", "example", "perft"];

/// Relations that are not rules: they say how a game looks, is written and read, where it comes from, and
/// what a computer player prefers.
const SHOWN: [(&str, usize); 9] = [
    ("notation", 2),
    ("glyph", 2),
    ("letter", 2),
    ("prompt", 1),
    ("position_field", 3),
    ("advice", 3),
    ("value", 2),
    ("source", 1),
    ("family", 1),
];

/// What a file is to the game that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileRole {
    /// The game's own file.
    Own,
    /// The file of which it is a variant.
    Base,
    /// A file that one of the others includes, such as a board.
    Included,
}

/// A file of a game and the number of its tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileSize {
    /// The file.
    pub file: FileId,
    /// What it is to the game.
    pub role: FileRole,
    /// The tokens of its rules.
    pub tokens: usize,
}

/// The files of a game with their sizes, in the order in which they were read; a file that was read several
/// times is counted once.
pub fn sizes(sources: &Sources) -> Vec<FileSize> {
    let mut names: Vec<&str> = Vec::new();
    let mut found = Vec::new();
    for (file, source) in sources.iter() {
        if names.contains(&source.name.as_str()) {
            continue;
        }
        names.push(&source.name);
        let role = role(sources, source.asked);
        found.push(FileSize { file, role, tokens: size(sources, file) });
    }
    found
}

fn role(sources: &Sources, asked: Option<Span>) -> FileRole {
    let Some(asked) = asked else { return FileRole::Own };
    let (syntax, _) = read_file(sources, asked.file);
    let varies = |clause: &Clause| {
        let body = clause.body.as_ref().filter(|_| clause.span == asked);
        body.is_some_and(|body| body.args_of("variant_of", 1).is_some())
    };
    match syntax.clauses.iter().any(varies) {
        true => FileRole::Base,
        false => FileRole::Included,
    }
}

/// The tokens of the clauses and directives of a file that are rules.
fn size(sources: &Sources, file: FileId) -> usize {
    let (syntax, _) = read_file(sources, file);
    let rules: Vec<Span> =
        syntax.clauses.iter().filter(|clause| is_rule(clause)).map(|clause| clause.span).collect();
    let counts = |token: &Span| {
        let at = rules.partition_point(|rule| rule.end < token.end);
        rules.get(at).is_some_and(|rule| rule.start <= token.start)
    };
    tokens(sources, file).iter().filter(|token| counts(token)).count()
}

fn is_rule(clause: &Clause) -> bool {
    match (&clause.head, &clause.body) {
        (Some(head), _) => !SHOWN.iter().any(|(name, arity)| head.args_of(name, *arity).is_some()),
        (None, Some(body)) => !body.functor().is_some_and(|(name, _)| TOLD.contains(&name)),
        (None, None) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::{FileRole, sizes};
    use crate::program::{LoadRequest, load};
    use crate::source::Sources;

    fn own(text: &str) -> usize {
        let mut sources = Sources::new();
        sources.add("text", None, text);
        sizes(&sources)[0].tokens
    }

    #[test]
    fn rules_are_counted_and_the_rest_is_not() {
        assert_eq!(own("p(X) :- q(X, \"a b\"), \\+ r. % more\n"), 15);
        assert_eq!(own(":- game \"G\".\n:- perft 1 = 9.\nglyph(x, \"x\").\nsource(\"S\").\n"), 0);
        assert_eq!(own(":- example \"e\", q.\n:- about \"a\", \"b\".\nvalue(P, 3) :- w(P).\n"), 0);
        // another arity is another relation
        assert_eq!(own("value(x)."), 5);
        assert_eq!(own(":- players x, o."), 6);
    }

    #[test]
    fn files_are_told_apart() {
        let games = crate::source::Library::games();
        let variant = games.iter().find(|g| g.text.contains(":- variant_of")).expect("a variant");
        let loaded = load(&LoadRequest::shipped(variant.name));
        let found = sizes(&loaded.sources);
        assert_eq!(found[0].role, FileRole::Own);
        assert_eq!(found[1].role, FileRole::Base);
        assert!(found.iter().any(|f| f.role == FileRole::Included), "{found:?}");
        assert!(found.iter().all(|f| f.tokens > 0), "{found:?}");
    }
}
