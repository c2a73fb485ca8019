//! Unknown names that belong to a board which the file does not include are reported together, with
//! the boards that define them. What each board defines is read from the shipped files.

use rustc_hash::FxHashSet;

use crate::diagnostic::{Diagnostic, listed};
use crate::program::directives::{self, Directive};
use crate::program::{Missing, Program};
use crate::source::{Library, ShippedFile, Sources, Span};
use crate::syntax::{Term, print_term, read_file};

/// The number of further places that are marked.
const MARKED: usize = 4;

/// A shipped board.
struct Board {
    /// Its path in an `include`.
    path: &'static str,
    defines: FxHashSet<(String, usize)>,
    /// The directive that includes it, parameters included.
    include: String,
    /// How many shipped games include it.
    games: usize,
}

/// Missing names that the same boards define, each with its first place.
struct Group {
    boards: Vec<usize>,
    names: Vec<(String, Span)>,
}

/// Reports the missing names that boards define.
pub(super) fn tell(program: &Program, missing: &[Missing], diagnostics: &mut Vec<Diagnostic>) {
    if missing.is_empty() {
        return;
    }
    let boards = boards();
    let found = |m: &Missing| diagnostics.iter().position(|d| unknown(d, m.span));
    let mut missing: Vec<&Missing> = missing.iter().filter(|m| found(m).is_some()).collect();
    missing.sort_by_key(|m| (m.span.file, m.span.start));
    let mut groups: Vec<Group> = Vec::new();
    for m in missing {
        let shown = format!("{}/{}", m.name, m.arity);
        let known = groups.iter().position(|g| g.names.iter().any(|(name, _)| *name == shown));
        let defining = |i: &usize| boards[*i].defines.contains(&(m.name.clone(), m.arity));
        let defining: Vec<usize> = (0..boards.len()).filter(defining).collect();
        let fits = |g: &Group| g.boards.iter().any(|b| defining.contains(b));
        let group = known.or_else(|| groups.iter().position(fits));
        match group {
            _ if defining.is_empty() => continue,
            None => groups.push(Group { boards: defining, names: vec![(shown, m.span)] }),
            Some(i) => {
                diagnostics.retain(|d| !unknown(d, m.span));
                if known.is_none() {
                    groups[i].boards.retain(|b| defining.contains(b));
                    groups[i].names.push((shown, m.span));
                }
            }
        }
    }
    for group in groups {
        let Some((_, first)) = group.names.first() else { continue };
        if let Some(d) = diagnostics.iter_mut().find(|d| unknown(d, *first)) {
            for (_, span) in group.names.iter().skip(1).take(MARKED) {
                *d = d.clone().at(*span, "comes with a board, too");
            }
            d.hints.retain(|hint| hint.starts_with("did you mean"));
            d.hints.extend(hints(program, &boards, &group));
        }
    }
}

/// Whether this is the fault of an unknown name at a place.
fn unknown(d: &Diagnostic, span: Span) -> bool {
    matches!(d.code, "unknown-relation" | "unknown-domain")
        && d.labels.first().is_some_and(|label| label.span == span)
}

fn hints(program: &Program, boards: &[Board], group: &Group) -> Vec<String> {
    let names: Vec<String> = group.names.iter().map(|(name, _)| format!("`{name}`")).collect();
    let come = if names.len() == 1 { "comes" } else { "come" };
    let names = listed(&names, "and");
    let paths = |some: &[usize]| -> Vec<String> {
        some.iter().map(|b| format!("`{}`", boards[*b].path)).collect()
    };
    let file = |b: &Board| format!("games/{}.ludex", b.path);
    let own = boards.iter().find(|b| program.sources.iter().any(|(_, f)| f.name == file(b)));
    if let Some(own) = own {
        return vec![
            format!(
                "{names} {come} with {}, not with `{}`",
                listed(&paths(&group.boards), "and"),
                own.path
            ),
            "include that board, or define it with a clause".to_string(),
        ];
    }
    let Some((first, others)) = group.boards.split_first() else { return Vec::new() };
    let mut hints = vec![format!("{names} {come} with a board: `{}`", boards[*first].include)];
    if !others.is_empty() {
        let define = if others.len() == 1 { "defines" } else { "define" };
        let it = if group.names.len() == 1 { "it" } else { "them" };
        hints.push(format!("{} {define} {it}, too", listed(&paths(others), "and")));
    }
    hints
}

/// The shipped boards, those that most games include first.
fn boards() -> Vec<Board> {
    let games = Library::games();
    let mut boards: Vec<Board> = Library::boards().iter().map(|file| board(file, &games)).collect();
    boards.sort_by_key(|board| std::cmp::Reverse(board.games));
    boards
}

fn board(file: &ShippedFile, games: &[ShippedFile]) -> Board {
    let path = file.path.strip_suffix(".ludex").unwrap_or(file.path);
    let mut sources = Sources::new();
    let id = sources.add(file.path, None, file.text);
    let (syntax, _) = read_file(&sources, id);
    let mut defines = FxHashSet::default();
    let mut parameters = Vec::new();
    for clause in &syntax.clauses {
        match (&clause.head, &clause.body) {
            (Some(head), _) => defines.extend(head.functor().map(key)),
            (None, Some(body)) => {
                if let Ok(Directive::Option(option)) = directives::read(body) {
                    parameters.push(format!("{} = {}", option.name, print_term(&option.default)));
                }
            }
            (None, None) => {}
        }
    }
    let include = match parameters.is_empty() {
        true => format!(":- include \"{path}\"."),
        false => format!(":- include \"{path}\" with ({}).", parameters.join(", ")),
    };
    let quoted = format!("include \"{path}\"");
    let games = games.iter().filter(|game| game.text.contains(&quoted)).count();
    Board { path, defines, include, games }
}

fn key((name, args): (&str, &[Term])) -> (String, usize) {
    (name.to_string(), args.len())
}
