//! Follows includes, options and variants, and gathers everything a game consists of.
//!
//! Each file's options are declared before its includes are followed, so an including file's
//! declaration of an option wins over the included file's, and a value given by `with` is known
//! when the included file is read.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;

use crate::diagnostic::{Diagnostic, nearest};
use crate::source::{FileId, Library, Sources, Span};
use crate::syntax::{Clause, Term, read_file};

use super::budget::Budget;
use super::directives::{self, Directive, Parameter, StateDeclaration};
use super::ends;
use super::files::FileSource;
use super::options::Given;
use super::pieces::Pieces;
use super::redefine::{Placed, Redefined};
use super::unread::Unread;
use super::variants::Varied;
use super::{GameOption, Opening, Value, Values};

/// What to load: where the text of a game comes from, and the options set from outside.
#[derive(Debug, Clone)]
pub struct LoadRequest {
    /// The game's own file.
    pub origin: Origin,
    /// Options as `(name, value)`, both as typed.
    pub options: Vec<(String, String)>,
    /// Replaces the text of the game's own file. The file is still looked up, and its includes are
    /// resolved relative to it.
    pub text: Option<String>,
    /// The limits on evaluating the static relations; what ends that ends loading.
    pub budget: Budget,
    /// Where text from memory finds the files that it includes, before the shipped ones.
    pub files: Option<FileSource>,
}

/// Where a rule file's text comes from.
#[derive(Debug, Clone)]
pub enum Origin {
    /// The name of a shipped game.
    Shipped(String),
    /// The path of a rule file on disk.
    Path(PathBuf),
    /// Text from memory.
    Text {
        /// The name to show in diagnostics.
        name: String,
        /// The text of the rule file.
        text: String,
    },
}

impl Origin {
    /// The origin that a text means: a path if it looks like one, a shipped game otherwise.
    pub fn of(text: &str) -> Origin {
        let separates = |c| c == '/' || c == std::path::MAIN_SEPARATOR;
        match text.contains(separates) || text.ends_with(".ludex") {
            true => Origin::Path(PathBuf::from(text)),
            false => Origin::Shipped(text.to_string()),
        }
    }
}

impl LoadRequest {
    /// A request without options.
    pub fn new(origin: Origin) -> LoadRequest {
        LoadRequest { origin, options: Vec::new(), text: None, budget: Budget::STATIC, files: None }
    }

    /// A request for a shipped game.
    pub fn shipped(name: &str) -> LoadRequest {
        LoadRequest::new(Origin::Shipped(name.to_string()))
    }

    /// A request for a rule file on disk.
    pub fn path(path: impl Into<PathBuf>) -> LoadRequest {
        LoadRequest::new(Origin::Path(path.into()))
    }

    /// A request for a rule file in memory.
    pub fn text(name: &str, text: &str) -> LoadRequest {
        let origin = Origin::Text { name: name.to_string(), text: text.to_string() };
        LoadRequest::new(origin)
    }

    /// The same request with one more option.
    #[must_use]
    pub fn with_option(mut self, name: &str, value: &str) -> LoadRequest {
        self.options.push((name.to_string(), value.to_string()));
        self
    }
}

/// A game as read: its clauses in order and the contents of its directives.
#[derive(Debug, Default)]
pub struct Read {
    /// All files read.
    pub sources: Sources,
    /// The constants of the directives.
    pub values: Values,
    pub(super) title: Option<String>,
    pub(super) about: Option<String>,
    pub(super) opening: Option<Opening>,
    /// The stem of the game's own file.
    pub(super) stem: String,
    /// The folder of a shipped game.
    pub(super) family: Option<&'static str>,
    pub(super) players: Option<Players>,
    pub(super) states: Vec<StateDeclaration>,
    pub(super) options: IndexMap<String, GameOption>,
    pub(super) clauses: Vec<Clause>,
    pub(super) examples: Vec<(String, Term, Span)>,
    pub(super) perfts: Vec<(Term, u64, Span)>,
    pub(super) asides: Vec<(String, Option<i64>, Span)>,
    /// The clauses of `:- pieces` that no rule needs.
    pub(super) asked: Vec<Clause>,
    /// The faults of the files, in the order in which they were found.
    pub diagnostics: Vec<Diagnostic>,
    pub(super) unread: Unread,
    /// Faults of the request rather than of the files: an unknown game, a wrong option.
    pub request_faults: Vec<Diagnostic>,
}

/// `:- players …`
#[derive(Debug)]
pub(super) struct Players {
    pub names: Vec<Term>,
    /// How many of them take part, where that is not all.
    pub count: Option<Parameter>,
    pub span: Span,
}

/// The identity of a file, for cycles and repeated includes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Identity {
    Shipped(&'static str),
    Disk(PathBuf),
    Memory(String),
}

pub(super) struct Found {
    pub identity: Identity,
    pub name: String,
    pub path: Option<PathBuf>,
    pub text: String,
    pub family: Option<&'static str>,
}

/// The role of a file in the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The game's own file.
    Game,
    /// The file of which the game is a variant.
    Base,
    /// An included file.
    Part,
}

pub(super) struct Loader<'r> {
    pub request: &'r LoadRequest,
    pub out: Read,
    /// The files being read, outermost first, with the name of each.
    pub stack: Vec<(Identity, String)>,
    /// The files that were included already, with their parameters.
    pub done: Vec<(Identity, Vec<(String, Value)>)>,
    /// The included files, without the bases of variants.
    pub included: Vec<FileId>,
    pub clauses: Placed<Clause>,
    pub states: Placed<StateDeclaration>,
    /// What `:- pieces` declares, and the place of its state.
    pub pieces: Option<(usize, Pieces)>,
    /// What the files being read redefine.
    pub redefined: Vec<Redefined>,
    /// What variants change in the bases being read, the outermost first.
    pub varied: Vec<Varied>,
}

/// Reads a game's file and everything that it includes. Faults are in the result's diagnostics.
pub fn load(request: &LoadRequest) -> Read {
    let mut loader = Loader {
        request,
        out: Read::default(),
        stack: Vec::new(),
        done: Vec::new(),
        included: Vec::new(),
        clauses: Placed::default(),
        states: Placed::default(),
        pieces: None,
        redefined: Vec::new(),
        varied: Vec::new(),
    };
    match find_origin(&request.origin) {
        Ok(mut found) => {
            if let Some(text) = &request.text {
                found.text.clone_from(text);
            }
            loader.out.stem = stem(&found.name);
            loader.out.family = found.family;
            loader.file(found, &[], None, Role::Game);
            loader.add_pieces();
            loader.out.clauses = std::mem::take(&mut loader.clauses).in_order();
            loader.out.states = std::mem::take(&mut loader.states).in_order();
            loader.joined();
            loader.check_request();
        }
        Err(fault) => loader.out.request_faults.push(fault),
    }
    loader.out
}

pub(super) fn stem(name: &str) -> String {
    Path::new(name)
        .file_stem()
        .map_or_else(|| name.to_string(), |s| s.to_string_lossy().into_owned())
}

fn find_origin(origin: &Origin) -> Result<Found, Diagnostic> {
    match origin {
        Origin::Shipped(name) => match Library::game(name) {
            Some(file) => Ok(shipped(file)),
            None => {
                let games = Library::games();
                let d = Diagnostic::error("unknown-game", format!("no game is called `{name}`"));
                Err(match nearest(name, games.iter().map(|g| g.name)) {
                    Some(near) => d.hint(format!("did you mean `{near}`?")),
                    None => {
                        d.hint("`ludex games` lists the games; a rule file is given by its path")
                    }
                })
            }
        },
        Origin::Path(path) => read_disk(path).map_err(|e| {
            Diagnostic::error("unreadable-file", format!("cannot read `{}`: {e}", path.display()))
                .hint("give the path of a rule file, or the name of a shipped game (`ludex games`)")
        }),
        Origin::Text { name, text } => Ok(Found {
            identity: Identity::Memory(name.clone()),
            name: name.clone(),
            path: None,
            text: text.clone(),
            family: None,
        }),
    }
}

pub(super) fn shipped(file: crate::source::ShippedFile) -> Found {
    Found {
        identity: Identity::Shipped(file.path),
        name: format!("games/{}", file.path),
        path: None,
        text: file.text.to_string(),
        family: Some(file.family),
    }
}

/// The largest rule file that is read, in bytes.
pub(super) const MAX_FILE: u64 = 4 << 20;

pub(super) fn read_disk(path: &Path) -> Result<Found, String> {
    let meta = std::fs::metadata(path).map_err(|e| plain(&e))?;
    if !meta.is_file() {
        return Err("it is not a file".to_string());
    }
    if meta.len() > MAX_FILE {
        return Err(format!("it is larger than {} MiB", MAX_FILE >> 20));
    }
    let bytes = std::fs::read(path).map_err(|e| plain(&e))?;
    let text = String::from_utf8(bytes)
        .map_err(|e| format!("it is not UTF-8 text (byte {})", e.utf8_error().valid_up_to() + 1))?;
    let identity = Identity::Disk(path.canonicalize().unwrap_or_else(|_| path.to_path_buf()));
    let name = path.display().to_string();
    Ok(Found { identity, name, path: Some(path.to_path_buf()), text, family: None })
}

/// An I/O error without the operating system's number.
fn plain(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_string(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_string(),
        _ => error.to_string(),
    }
}

impl Loader<'_> {
    pub(super) fn fault(&mut self, diagnostic: Diagnostic) {
        self.out.diagnostics.push(diagnostic);
    }

    /// Reads one file. `fixed` are the parameters that its includer fixed.
    pub(super) fn file(&mut self, found: Found, fixed: &[Given], from: Option<Span>, role: Role) {
        let id = self.out.sources.add(&found.name, found.path.as_deref(), &found.text);
        self.out.sources.set_asked(id, from);
        let (syntax, faults) = read_file(&self.out.sources, id);
        self.out.diagnostics.extend(faults);
        for span in &syntax.unread {
            self.out.unread.add(self.out.sources.text(*span));
        }
        self.stack.push((found.identity, found.name.clone()));
        let mut directives = Vec::new();
        for clause in &syntax.clauses {
            let Some(body) = clause.body.as_ref().filter(|_| clause.head.is_none()) else {
                continue;
            };
            match directives::read(body) {
                Ok(directive) => directives.push((clause.span, directive)),
                Err(fault) => {
                    self.out.unread.add(self.out.sources.text(clause.span));
                    self.fault(fault);
                }
            }
        }
        self.single(&directives);
        let variant = directives.iter().find_map(|(span, d)| match d {
            Directive::VariantOf { path, parameters } => {
                Some((*span, path.clone(), parameters.clone()))
            }
            _ => None,
        });
        for (_, directive) in &directives {
            if let Directive::Option(option) = directive {
                self.option(option, fixed, role);
            }
        }
        if let Some((span, path, parameters)) = variant {
            self.variant(&path, &parameters, span, id);
        }
        self.unknown_parameters(fixed, id);
        let mut directives = directives.into_iter().peekable();
        for clause in syntax.clauses {
            if clause.head.is_some() {
                self.add_clause(ends::of_player_to_move(clause));
            } else if let Some((_, d)) = directives.next_if(|(s, _)| *s == clause.span) {
                self.directive(d, clause.span, id, role);
            }
        }
        self.redefined.retain(|r| r.file != id);
        self.stack.pop();
    }

    /// Reports directives that a file may contain once and contains again.
    fn single(&mut self, directives: &[(Span, Directive)]) {
        let mut first: Vec<(&str, Span)> = Vec::new();
        for (span, directive) in directives {
            let Some(name) = directive.single() else { continue };
            match first.iter().find(|(other, _)| *other == name).map(|(_, span)| *span) {
                None => first.push((name, *span)),
                Some(before) => self.fault(
                    Diagnostic::error(
                        "duplicate-directive",
                        format!("the file has two directives `{name}`"),
                    )
                    .at(*span, "again here")
                    .at(before, "first here")
                    .hint("write one of them"),
                ),
            }
        }
    }

    fn directive(&mut self, directive: Directive, span: Span, file: FileId, role: Role) {
        match directive {
            Directive::Game(title) => self.out.title = Some(title),
            Directive::Players { names, count } => {
                self.out.players = Some(Players { names, count, span });
            }
            Directive::State(states) => states.into_iter().for_each(|s| self.add_state(s)),
            Directive::Pieces { forms, sites } => {
                let place = match self.pieces.take() {
                    Some((place, _)) => place,
                    None => self.states.reserve(),
                };
                self.pieces = Some((place, Pieces { forms, sites, span }));
            }
            Directive::Include { path, parameters } => self.include(&path, &parameters, span, file),
            Directive::Redefine(items) => self.redefine(items, file),
            Directive::Example { text, goal } if role == Role::Game => {
                self.out.examples.push((text, goal, span))
            }
            Directive::Perft { subject, count } if role == Role::Game => {
                self.out.perfts.push((subject, count, span));
            }
            Directive::Aside(names) => self.out.asides.extend(names),
            Directive::Position(text) => self.out.opening = Some(Opening { text, span }),
            // a board has words of its own
            Directive::About(text) if role != Role::Part => self.out.about = Some(text),
            Directive::Option(_)
            | Directive::VariantOf { .. }
            | Directive::About(_)
            | Directive::Example { .. }
            | Directive::Perft { .. } => {}
        }
    }

    pub(super) fn constant(&mut self, term: &Term) -> Option<Value> {
        self.out.values.from_term(term)
    }
}
