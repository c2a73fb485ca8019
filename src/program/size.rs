//! The size of rule files: the tokens of the rules under the default options, without what only tells of the
//! game or tests it, and without the relations that only such clauses use. Clauses that cannot hold under these
//! options are no rules there, nor is what only they use.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::source::{FileId, Sources, Span};
use crate::syntax::{Clause, Syntax, Term, TermKind, read_file, tokens};

/// Directives that are not rules.
const TOLD: [&str; 5] = ["game", "about", "example", "perft", "option"];

/// Relations that are not rules: they say how a game looks, is written and read, where it comes from, and
/// what a computer player prefers.
const SHOWN: [(&str, usize); 28] = [
    ("notation", 2),
    ("notation", 3),
    ("suffix", 2),
    ("alias", 2),
    ("says", 2),
    ("record", 2),
    ("record_tag", 3),
    ("glyph", 2),
    ("figure", 2),
    ("look", 1),
    ("shaded", 1),
    ("shows", 2),
    ("shows", 3),
    ("drawn", 2),
    ("drawn", 3),
    ("status", 1),
    ("status", 2),
    ("letter", 2),
    ("prompt", 1),
    ("prompt", 2),
    ("position_field", 3),
    ("position_item", 5),
    ("position_mark", 3),
    ("advice", 3),
    ("value", 2),
    ("measure", 2),
    ("source", 1),
    ("family", 1),
];

/// Directives about a part of the state.
const STATES: [&str; 3] = ["state", "aside", "scratch"];

/// The relations that the interpreter asks of the rules.
const ASKED: [&str; 10] =
    ["move", "chance", "weight", "rank", "win", "lose", "draw", "over", "score", "init"];

/// Stands for the arity of a part of the state.
const STATE: usize = usize::MAX;

/// Says where a site is drawn.
const PLACE: Indicator<'static> = ("xy", 3);

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
    let mut files: Vec<(&str, Syntax)> = Vec::new();
    for (file, source) in sources.iter() {
        if files.iter().all(|(name, _)| *name != source.name) {
            files.push((&source.name, read_file(sources, file).0));
        }
    }
    let clauses: Vec<&Clause> = files.iter().flat_map(|(_, syntax)| &syntax.clauses).collect();
    let options = settings(&clauses);
    let dead = dead(&clauses, &options);
    let empty = empty(&clauses, &dead);
    let told = only_told(&clauses, &dead);
    let mut counted: FxHashMap<FileId, usize> = FxHashMap::default();
    for (_, syntax) in &files {
        let tokens = tokens(sources, syntax.file);
        let rules = syntax.clauses.iter().filter(|clause| !dead.contains(&clause.span));
        let sizes = rules.filter(|clause| included(clause).is_none());
        let total = sizes.map(|clause| size(clause, &told, &options, &empty, &tokens)).sum();
        counted.insert(syntax.file, total);
    }
    let without_rules = |path: &str| {
        let mut read = files.iter().filter(|(name, _)| is_path_of(path, name));
        read.next().is_some_and(|(_, syntax)| counted[&syntax.file] == 0)
    };
    let size = |syntax: &Syntax| {
        let tokens = tokens(sources, syntax.file);
        let includes = syntax
            .clauses
            .iter()
            .filter(|clause| included(clause).is_some_and(|path| !without_rules(path)));
        let of_includes: usize =
            includes.map(|clause| size(clause, &told, &options, &empty, &tokens)).sum();
        counted[&syntax.file] + of_includes
    };
    let sized = files.iter().map(|(_, syntax)| FileSize {
        file: syntax.file,
        role: role(sources, sources.get(syntax.file).and_then(|file| file.asked)),
        tokens: size(syntax),
    });
    sized.collect()
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

/// The name and arity of a relation.
type Indicator<'t> = (&'t str, usize);

/// The path that a directive includes.
fn included(clause: &Clause) -> Option<&str> {
    let directive = clause.body.as_ref().filter(|_| clause.head.is_none())?;
    let [what] = directive.args_of("include", 1)? else { return None };
    match &what.args_of("with", 2).map_or(what, |given| &given[0]).kind {
        TermKind::Text(path) => Some(path),
        _ => None,
    }
}

/// Whether a path as it is included may mean the file of this name.
fn is_path_of(path: &str, name: &str) -> bool {
    let name = name.strip_suffix(".ludex").unwrap_or(name);
    let path = path.strip_suffix(".ludex").unwrap_or(path);
    name.ends_with(path)
}

/// The relations all of whose clauses cannot hold.
fn empty<'t>(clauses: &[&'t Clause], dead: &FxHashSet<Span>) -> FxHashSet<Indicator<'t>> {
    let heads = |of: &dyn Fn(&Clause) -> bool| -> FxHashSet<Indicator<'t>> {
        let heads = clauses.iter().filter(|clause| of(clause));
        heads.filter_map(|clause| clause.head.as_ref()?.form()).collect()
    };
    let alive = heads(&|clause| !dead.contains(&clause.span));
    heads(&|clause| dead.contains(&clause.span)).difference(&alive).copied().collect()
}

/// The clauses that cannot hold: they ask for another value of an option, or for a relation all of whose
/// clauses cannot hold.
fn dead(clauses: &[&Clause], options: &FxHashMap<&str, &Term>) -> FxHashSet<Span> {
    let mut dead = FxHashSet::default();
    loop {
        let empty = empty(clauses, &dead);
        let fails = |goal: &&Term| {
            is_other_value(goal, options) || goal.form().is_some_and(|r| empty.contains(&r))
        };
        let found = clauses.iter().filter(|clause| clause.head.is_some()).filter(|clause| {
            let goals = clause.body.as_ref().map(|body| body.flatten(",")).unwrap_or_default();
            goals.iter().any(fails)
        });
        let found: FxHashSet<Span> = found.map(|clause| clause.span).collect();
        if found.len() == dead.len() {
            return dead;
        }
        dead = found;
    }
}

/// Whether a goal asks for another value than an option has.
fn is_other_value(goal: &Term, options: &FxHashMap<&str, &Term>) -> bool {
    let Some([option, wanted]) = goal.args_of("option", 2) else { return false };
    let value = option.functor().and_then(|(name, _)| options.get(name));
    !matches!(wanted.kind, TermKind::Variable(_) | TermKind::Anonymous)
        && value.is_some_and(|value| wanted != *value)
}

/// The relations that are used, and only by what is not a rule.
fn only_told<'t>(clauses: &[&'t Clause], dead: &FxHashSet<Span>) -> FxHashSet<Indicator<'t>> {
    let mut uses: FxHashMap<Indicator, Vec<Indicator>> = FxHashMap::default();
    let (mut rules, mut told) = (Vec::new(), Vec::new());
    let states: FxHashSet<&str> = clauses.iter().filter_map(|clause| state(clause)).collect();
    for clause in clauses {
        let mut used = Vec::new();
        clause.body.iter().for_each(|body| mentioned(body, &mut used));
        // a part of the state is read with and without its value
        used.iter_mut().filter(|used| states.contains(used.0)).for_each(|used| used.1 = STATE);
        match clause.head.as_ref().and_then(Term::functor) {
            _ if dead.contains(&clause.span) => told.extend(used),
            None if is_rule(clause) => match state(clause) {
                Some(name) => uses.entry((name, STATE)).or_default().extend(used),
                None => rules.extend(used),
            },
            Some((name, args)) if is_rule(clause) => {
                if ASKED.contains(&name) {
                    rules.extend(used.iter().copied());
                }
                uses.entry((name, args.len())).or_default().extend(used);
            }
            _ => told.extend(used),
        }
    }
    let reached = |from: Vec<Indicator<'t>>| {
        let (mut found, mut pending) = (FxHashSet::default(), from);
        while let Some(next) = pending.pop() {
            if found.insert(next) {
                pending.extend(uses.get(&next).into_iter().flatten());
            }
        }
        found
    };
    let (rules, told) = (reached(rules), reached(told));
    let only = told.difference(&rules).copied().filter(|(name, _)| !ASKED.contains(name));
    // where a site is drawn is a rule only where the rules ask for it
    let drawn = [PLACE].into_iter().filter(|_| !rules.is_empty() && !rules.contains(&PLACE));
    only.chain(drawn).collect()
}

/// The part of the state that a directive declares, or leaves out of the position.
fn state(clause: &Clause) -> Option<&str> {
    let directive = clause.body.as_ref().filter(|_| clause.head.is_none())?;
    let [state] = STATES.iter().find_map(|name| directive.args_of(name, 1))? else { return None };
    let state = state.args_of("->", 2).map_or(state, |sides| &sides[0]);
    state.functor().map(|(name, _)| name)
}

/// What a term may use: relations of its compounds, and of the names in it as relations without arguments, as
/// domains, and as arguments of a directive.
fn mentioned<'t>(term: &'t Term, found: &mut Vec<Indicator<'t>>) {
    match &term.kind {
        TermKind::Atom(name) => found.extend([(name.as_str(), 0), (name.as_str(), 1)]),
        TermKind::Compound(name, args) => {
            found.push((name, args.len()));
            args.iter().for_each(|arg| mentioned(arg, found));
        }
        TermKind::List(items, tail) => {
            items.iter().chain(tail.as_deref()).for_each(|item| mentioned(item, found));
        }
        TermKind::Variable(_) | TermKind::Anonymous | TermKind::Integer(_) | TermKind::Text(_) => {}
    }
}

/// The values of the options: what `with` fixes, or else the defaults.
fn settings<'t>(clauses: &[&'t Clause]) -> FxHashMap<&'t str, &'t Term> {
    let mut values = FxHashMap::default();
    let directives = clauses.iter().filter(|clause| clause.head.is_none());
    for body in directives.filter_map(|clause| clause.body.as_ref()) {
        let given = body.functor().and_then(|(_, args)| args.first()?.args_of("with", 2));
        for item in given.map(|given| given[1].flatten(",")).unwrap_or_default() {
            if let Some([name, value]) = item.args_of("=", 2)
                && let (Some((name, [])), TermKind::Atom(_) | TermKind::Integer(_)) =
                    (name.functor(), &value.kind)
            {
                values.insert(name, value);
            }
        }
        if let Some([declared]) = body.args_of("option", 1)
            && let Some([name, rest]) = declared.args_of("->", 2)
            && let (Some((name, [])), Some([_, default])) = (name.functor(), rest.args_of("=", 2))
        {
            values.entry(name).or_insert(default);
        }
    }
    values
}

/// The tokens of a clause or directive; none where it is not a rule under these options.
fn size(
    clause: &Clause,
    told: &FxHashSet<Indicator>,
    options: &FxHashMap<&str, &Term>,
    empty: &FxHashSet<Indicator>,
    tokens: &[Span],
) -> usize {
    let within = |span: Span| {
        let first = tokens.partition_point(|token| token.start < span.start);
        tokens[first..].iter().take_while(|token| token.end <= span.end).count()
    };
    let own = clause.head.as_ref().and_then(Term::form);
    let own = own.or_else(|| state(clause).map(|name| (name, STATE)));
    if !is_rule(clause) || own.is_some_and(|own| told.contains(&own)) {
        return 0;
    }
    // an option in an expression is its value, one token
    let body = clause.body.iter();
    let in_place: usize =
        body.map(|body| read_options(body, options, &|span| within(span) - 1)).sum();
    let mut count = within(clause.span) - in_place;
    if clause.head.is_none() {
        return count;
    }
    for goal in clause.body.as_ref().map(|body| body.flatten(",")).unwrap_or_default() {
        let value = goal.args_of("option", 2).and_then(|args| {
            let (name, _) = args[0].functor()?;
            options.get(name).filter(|value| {
                args[1] == ***value || matches!(args[1].kind, TermKind::Variable(_))
            })
        });
        let denied = goal.args_of("\\+", 1).and_then(|args| args[0].form());
        // the goal, and the comma or the neck before it, where its answer is known
        if value.is_some() || denied.is_some_and(|relation| empty.contains(&relation)) {
            count -= within(goal.span) + 1;
        }
    }
    count
}

/// The sum over all places of a term where the value of an option is read.
fn read_options(
    term: &Term,
    options: &FxHashMap<&str, &Term>,
    of: &impl Fn(Span) -> usize,
) -> usize {
    match (&term.kind, term.args_of("option", 1)) {
        (_, Some([option])) if option.functor().is_some_and(|(n, _)| options.contains_key(n)) => {
            of(term.span)
        }
        (TermKind::Compound(_, args), _) => {
            args.iter().map(|arg| read_options(arg, options, of)).sum()
        }
        (TermKind::List(items, tail), _) => {
            items.iter().chain(tail.as_deref()).map(|item| read_options(item, options, of)).sum()
        }
        _ => 0,
    }
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
        // what only such clauses use
        assert_eq!(own("value(P, N) :- w(P, N).\nw(P, 3) :- at(P).\n"), 0);
        assert_eq!(own("value(P, N) :- w(P, N).\nw(a, 3).\nmove(m) :- w(a, N).\n"), 7 + 12);
        // pictures
        assert_eq!(own("shows(C, P) :- w(C, P).\ndrawn(a, b).\nw(a, 3).\n"), 0);
        assert_eq!(own("xy(a, 1, 2).\nmove(m) :- q(1).\nq(1).\n"), 10 + 5);
        assert_eq!(own("xy(a, 1, 2).\nmove(m) :- xy(A, 1, Y).\n"), 9 + 14);
        // options are as they are set
        let game = ":- option o -> {yes, no} = no.\n";
        assert_eq!(own(&format!("{game}p :- option(o, yes), q.\n")), 0);
        assert_eq!(own(&format!("{game}p :- option(o, no), q.\n")), 4);
        // and their values stand where they are read
        let number = ":- option n -> 1..9 = 4.\n";
        assert_eq!(own(&format!("{number}p :- option(n, N), q(N).\n")), 7);
        assert_eq!(own(&format!("{number}:- include \"b\" with (n = option(n)).\n")), 10);
        // what cannot hold under them, and what only that uses
        let dead = format!("{game}p(3) :- option(o, yes).\nmove(m) :- p(N), q(N).\nq(3).\n");
        assert_eq!(own(&dead), 0);
        assert_eq!(own(&format!("{dead}move(n) :- q(3).\n")), 5 + 10);
        // what is denied and cannot hold
        assert_eq!(own(&format!("{game}p :- option(o, yes).\nmove(m) :- q, \\+ p.\n")), 7);
        // a part of the state that only such clauses use
        let state = ":- state s -> 0..3 = 0.\n:- aside s.\n";
        assert_eq!(own(&format!("{game}{state}p :- option(o, yes), s := 1.\n")), 0);
        assert_eq!(own(&format!("{game}{state}move(m) :- s(N), q(N).\n")), 10 + 4 + 15);
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
        assert!(found[..2].iter().all(|f| f.tokens > 0), "{found:?}");
    }
}
