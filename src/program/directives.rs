//! Directives (`:- state …`) as data. Each reader gives a precise diagnostic for a wrong form.

use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::{Term, TermKind, print_term};

/// A directive as written; its names are not resolved yet.
#[derive(Debug, Clone)]
pub(super) enum Directive {
    Game(String),
    /// The players, and how many of them take part.
    Players {
        names: Vec<Term>,
        count: Option<Parameter>,
    },
    State(Vec<StateDeclaration>),
    /// What stands on the board, and the relation of its sites.
    Pieces {
        forms: Vec<Term>,
        sites: Option<String>,
    },
    Option(OptionDeclaration),
    Include {
        path: String,
        parameters: Vec<Parameter>,
    },
    VariantOf {
        path: String,
        parameters: Vec<Parameter>,
    },
    Redefine(Vec<Redefine>),
    Example {
        text: String,
        goal: Term,
    },
    Perft {
        subject: Term,
        count: u64,
    },
    /// The parts of the state, each with the number of its keys where it is given.
    Aside(Vec<(String, Option<i64>, Span)>),
    /// The opening as text.
    Position(String),
    /// The rules in words.
    About(String),
}

/// `name = value` after `with`.
#[derive(Debug, Clone)]
pub(super) struct Parameter {
    pub name: String,
    pub value: Term,
    /// Name and value.
    pub span: Span,
}

/// What a `redefine` drops.
#[derive(Debug, Clone)]
pub(super) enum Redefine {
    /// `name/arity`: a relation or a part of the state.
    Whole { name: String, arity: usize, span: Span },
    /// The clauses whose heads are instances of a term.
    Form(Term),
}

/// `name(keys…) -> value = initial`.
#[derive(Debug, Clone)]
pub(super) struct StateDeclaration {
    pub name: String,
    pub keys: Vec<Term>,
    /// `None` for a set.
    pub value: Option<Term>,
    pub initial: Option<Term>,
    /// Empty between moves.
    pub scratch: bool,
    pub span: Span,
}

/// `name -> domain = default`.
#[derive(Debug, Clone)]
pub(super) struct OptionDeclaration {
    pub name: String,
    pub domain: Term,
    pub default: Term,
    pub span: Span,
}

const FORMS: [(&str, &str); 14] = [
    ("game", ":- game \"Tic-tac-toe\"."),
    ("players", ":- players x, o."),
    ("state", ":- state at(cell) -> player."),
    ("scratch", ":- scratch seen(cell)."),
    ("pieces", ":- pieces man(player), king(player)."),
    ("option", ":- option flying -> {yes, no} = no."),
    ("include", ":- include \"board/square\" with (width = 3, height = 3)."),
    ("variant_of", ":- variant_of \"nine_mens_morris\" with (flying = no)."),
    ("redefine", ":- redefine hand/1, move(slide(_, _))."),
    ("example", ":- example \"what it shows\", after([place(a1)], turn(black))."),
    ("perft", ":- perft 3 = 504."),
    ("position", ":- position \"xx1/1o1/3\"."),
    ("aside", ":- aside clock."),
    ("about", ":- about \"Players take turns to mark a square.\"."),
];

/// The names of the directives.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    FORMS.iter().map(|(name, _)| *name)
}

/// Reads the body of `:- body.`
pub(super) fn read(body: &Term) -> Result<Directive, Diagnostic> {
    let Some((name, args)) = body.functor() else {
        return Err(unknown(body, "this"));
    };
    let [argument] = args else {
        return Err(match names().any(|known| known == name) {
            true => wrong(name, body, "something behind the name"),
            false => unknown(body, name),
        });
    };
    match name {
        "game" => Ok(Directive::Game(text(argument, name)?)),
        "players" => players(argument),
        "state" => argument
            .flatten(",")
            .into_iter()
            .map(|term| state(term, name))
            .collect::<Result<_, _>>()
            .map(Directive::State),
        "scratch" => argument
            .flatten(",")
            .into_iter()
            .map(scratch)
            .collect::<Result<_, _>>()
            .map(Directive::State),
        "pieces" => pieces(argument),
        "option" => option(argument).map(Directive::Option),
        "include" => {
            let (path, parameters) = file(argument, name)?;
            Ok(Directive::Include { path, parameters })
        }
        "variant_of" => {
            let (path, parameters) = file(argument, name)?;
            Ok(Directive::VariantOf { path, parameters })
        }
        "redefine" => redefine(argument),
        "example" => example(argument),
        "perft" => perft(argument),
        "aside" => argument
            .flatten(",")
            .into_iter()
            .map(|t| match &t.kind {
                TermKind::Atom(name) => Ok((name.clone(), None, t.span)),
                _ => match t.args_of("/", 2) {
                    Some(
                        [
                            Term { kind: TermKind::Atom(name), .. },
                            Term { kind: TermKind::Integer(keys), .. },
                        ],
                    ) => Ok((name.clone(), Some(*keys), t.span)),
                    _ => Err(wrong("aside", t, "the name of a declared part of the state")),
                },
            })
            .collect::<Result<_, _>>()
            .map(Directive::Aside),
        "position" => {
            let rows: Vec<String> = match &argument.kind {
                TermKind::List(rows, None) if !rows.is_empty() => {
                    rows.iter().map(|row| text(row, name)).collect::<Result<_, _>>()?
                }
                _ => vec![text(argument, name)?],
            };
            Ok(Directive::Position(rows.join("\n")))
        }
        "about" => {
            let parts: Vec<String> = argument
                .flatten(",")
                .into_iter()
                .map(|t| text(t, name))
                .collect::<Result<_, _>>()?;
            let words: Vec<&str> = parts.iter().flat_map(|part| part.split_whitespace()).collect();
            match words.is_empty() {
                true => Err(wrong(name, argument, "the rules in words, two to six sentences")),
                false => Ok(Directive::About(words.join(" "))),
            }
        }
        _ => Err(unknown(body, name)),
    }
}

impl Directive {
    /// The name, where a file may have the directive only once.
    pub fn single(&self) -> Option<&'static str> {
        match self {
            Directive::Game(_) => Some("game"),
            Directive::Players { .. } => Some("players"),
            Directive::VariantOf { .. } => Some("variant_of"),
            Directive::About(_) => Some("about"),
            Directive::Pieces { .. } => Some("pieces"),
            Directive::Position(_) => Some("position"),
            _ => None,
        }
    }
}

fn unknown(body: &Term, name: &str) -> Diagnostic {
    let mut d = Diagnostic::error("unknown-directive", format!("there is no directive `{name}`"))
        .at(body.span, "not a directive of the language");
    d = match crate::diagnostic::nearest(name, names()) {
        Some(near) => d.hint(format!("did you mean `{near}`? it is written `{}`", form(near))),
        None => d.hint(format!(
            "the directives are {}",
            names().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        )),
    };
    d
}

/// What to do in place of a `redefine` with the name of a directive.
pub(super) fn again(name: &str) -> Option<String> {
    match name {
        "game" | "players" | "pieces" | "position" | "about" => Some(format!(
            "write the directive `:- {name} …` without a `redefine`: it takes the place of the former one"
        )),
        "option" => Some("declare the option again, without a `redefine`".to_string()),
        "state" | "scratch" => {
            Some("write the name of the part of the state with the number of its keys".to_string())
        }
        "example" | "perft" => Some("those of the base are not taken over".to_string()),
        _ => None,
    }
}

fn form(name: &str) -> &'static str {
    FORMS.iter().find(|(n, _)| *n == name).map_or("", |(_, form)| form)
}

fn wrong(directive: &str, found: &Term, expected: &str) -> Diagnostic {
    Diagnostic::error("directive-form", format!("the directive `{directive}` is not of its form"))
        .at(found.span, format!("expected {expected}"))
        .hint(format!("it is written `{}`", form(directive)))
}

fn text(term: &Term, directive: &str) -> Result<String, Diagnostic> {
    match &term.kind {
        TermKind::Text(text) => Ok(text.clone()),
        _ => Err(wrong(directive, term, "a text in double quotes")),
    }
}

fn state(term: &Term, directive: &str) -> Result<StateDeclaration, Diagnostic> {
    let (left, value, initial) = arrow(term);
    match left.functor() {
        Some((name, keys)) if name.starts_with(|c: char| c.is_alphabetic()) => {
            Ok(StateDeclaration {
                name: name.to_string(),
                keys: keys.to_vec(),
                value: value.cloned(),
                initial: initial.cloned(),
                scratch: false,
                span: term.span,
            })
        }
        _ => Err(wrong(directive, left, "a name with its keys, e.g. `at(cell)`")),
    }
}

fn scratch(term: &Term) -> Result<StateDeclaration, Diagnostic> {
    let initial = match (&term.args_of("=", 2), arrow(term)) {
        (Some([_, initial]), _) | (None, (.., Some(initial))) => Some(initial),
        _ => None,
    };
    match initial {
        Some(initial) => {
            Err(wrong("scratch", initial, "no initial value: it is empty before each move"))
        }
        None => Ok(StateDeclaration { scratch: true, ..state(term, "scratch")? }),
    }
}

/// `left -> value = initial`, the last two optional.
fn arrow(term: &Term) -> (&Term, Option<&Term>, Option<&Term>) {
    match term.args_of("->", 2) {
        Some([left, right]) => match right.args_of("=", 2) {
            Some([value, initial]) => (left, Some(value), Some(initial)),
            _ => (left, Some(right), None),
        },
        _ => (term, None, None),
    }
}

fn option(term: &Term) -> Result<OptionDeclaration, Diagnostic> {
    match arrow(term) {
        (Term { kind: TermKind::Atom(name), .. }, Some(domain), Some(default)) => {
            Ok(OptionDeclaration {
                name: name.clone(),
                domain: domain.clone(),
                default: default.clone(),
                span: term.span,
            })
        }
        (Term { kind: TermKind::Atom(_), .. }, Some(domain), None) => {
            Err(wrong("option", domain, "a default value after the domain"))
        }
        (left, ..) => Err(wrong("option", left, "a name, `->`, its values, `=` and the default")),
    }
}

/// `name, …` or `name, … with (count = number)`.
fn players(term: &Term) -> Result<Directive, Diagnostic> {
    let (names, list) = with(term);
    let count = match (list, parameters(list, "players")?.as_slice()) {
        (None, _) => None,
        (Some(_), [count]) if count.name == "count" => Some(count.clone()),
        (Some(list), _) => {
            let d = wrong("players", list, "how many of them play, `count = option(seats)`");
            let form = "it is written `:- players a, b, c with (count = option(seats)).`";
            return Err(Diagnostic { hints: vec![form.to_string()], ..d });
        }
    };
    Ok(Directive::Players { names: names.flatten(",").into_iter().cloned().collect(), count })
}

/// `man(player), …` or `man(player), … with (sites = dark)`.
fn pieces(term: &Term) -> Result<Directive, Diagnostic> {
    let (list, given) = with(term);
    let sites = match (given, parameters(given, "pieces")?.as_slice()) {
        (None, _) => None,
        (Some(_), [Parameter { name, value: Term { kind: TermKind::Atom(sites), .. }, .. }])
            if name == "sites" =>
        {
            Some(sites.clone())
        }
        (Some(given), _) => {
            let d = wrong("pieces", given, "the relation of the sites, `sites = dark`");
            let form = "it is written `:- pieces man(player) with (sites = dark).`";
            return Err(Diagnostic { hints: vec![form.to_string()], ..d });
        }
    };
    let forms: Vec<Term> = list.flatten(",").into_iter().cloned().collect();
    for (i, form) in forms.iter().enumerate() {
        if let Some(first) = forms[..i].iter().find(|first| *first == form) {
            let text = format!("the piece `{}` is declared twice", print_term(form));
            return Err(Diagnostic::error("pieces-form", text)
                .at(form.span, "again here")
                .at(first.span, "first here")
                .hint("drop one of them"));
        }
        let Some((name, args)) = form.functor() else {
            return Err(wrong("pieces", form, "a name, or a name with domains in brackets"));
        };
        let is_domain = |arg: &&Term| {
            matches!(arg.kind, TermKind::Atom(_))
                || arg.args_of("{}", 1).is_some()
                || arg.args_of("..", 2).is_some()
        };
        if !name.starts_with(|c: char| c.is_alphabetic()) {
            return Err(wrong("pieces", form, "a name, or a name with domains in brackets"));
        }
        if let Some(arg) = args.iter().find(|arg| !is_domain(arg)) {
            let expected = "a domain: a relation of one argument, `{a, b}` or `0..3`";
            return Err(wrong("pieces", arg, expected));
        }
        if let Some(arg) = args.iter().find(|arg| is_empty(arg)) {
            return Err(wrong("pieces", arg, "a domain with at least one value"));
        }
    }
    Ok(Directive::Pieces { forms, sites })
}

/// Whether a domain has no value, whatever the options.
fn is_empty(domain: &Term) -> bool {
    let bounds = domain.args_of("..", 2).map(|bounds| [&bounds[0].kind, &bounds[1].kind]);
    match bounds {
        Some([TermKind::Integer(lo), TermKind::Integer(hi)]) => lo > hi,
        _ => domain.args_of("{}", 0).is_some(),
    }
}

/// `"path"` or `"path" with (name = value, …)`.
fn file(term: &Term, directive: &str) -> Result<(String, Vec<Parameter>), Diagnostic> {
    let (path, list) = with(term);
    Ok((text(path, directive)?, parameters(list, directive)?))
}

/// The terms before and after `with`.
fn with(term: &Term) -> (&Term, Option<&Term>) {
    match term.args_of("with", 2) {
        Some([subject, list]) => (subject, Some(list)),
        _ => (term, None),
    }
}

fn parameters(list: Option<&Term>, directive: &str) -> Result<Vec<Parameter>, Diagnostic> {
    let mut parameters: Vec<Parameter> = Vec::new();
    for item in list.map(|l| l.flatten(",")).unwrap_or_default() {
        let Some([Term { kind: TermKind::Atom(name), .. }, value]) = item.args_of("=", 2) else {
            return Err(wrong(directive, item, "a name and its value, such as `width = 3`"));
        };
        if let Some(first) = parameters.iter().find(|p| p.name == *name) {
            let text = format!("the parameter `{name}` is given twice");
            return Err(Diagnostic::error("duplicate-parameter", text)
                .at(item.span, "again here")
                .at(first.span, "first here")
                .hint("drop one of them"));
        }
        parameters.push(Parameter { name: name.clone(), value: value.clone(), span: item.span });
    }
    Ok(parameters)
}

fn redefine(term: &Term) -> Result<Directive, Diagnostic> {
    let mut items = Vec::new();
    for item in term.flatten(",") {
        items.push(match item.args_of("/", 2) {
            Some(
                [
                    Term { kind: TermKind::Atom(name), .. },
                    Term { kind: TermKind::Integer(arity), .. },
                ],
            ) if (0..=255).contains(arity) => {
                Redefine::Whole { name: name.clone(), arity: *arity as usize, span: item.span }
            }
            None if item.functor().is_some_and(|(name, _)| name != ":-") => {
                Redefine::Form(item.clone())
            }
            _ => {
                let expected = "a name and its number of arguments, or the form of a head";
                return Err(wrong("redefine", item, expected));
            }
        });
    }
    Ok(Directive::Redefine(items))
}

fn example(term: &Term) -> Result<Directive, Diagnostic> {
    match term.args_of(",", 2) {
        Some([Term { kind: TermKind::Text(text), .. }, goal]) => {
            Ok(Directive::Example { text: text.clone(), goal: goal.clone() })
        }
        _ => Err(wrong("example", term, "a text in double quotes, a comma and a goal")),
    }
}

fn perft(term: &Term) -> Result<Directive, Diagnostic> {
    match term.args_of("=", 2) {
        Some([subject, Term { kind: TermKind::Integer(count), .. }]) if *count >= 0 => {
            Ok(Directive::Perft { subject: subject.clone(), count: *count as u64 })
        }
        Some([_, count]) => Err(wrong("perft", count, "the number of move sequences")),
        _ => Err(wrong("perft", term, &format!("a depth and a count, not `{}`", print_term(term)))),
    }
}
