//! `:- pieces man(player), king(player).` declares what stands on the board: the map `at` from sites to pieces,
//! and the relations that nearly every game needs to speak of them. A relation that the game defines itself is not
//! added; one that nothing mentions is known to questions only (`unfold`).

use indexmap::IndexSet;

use crate::diagnostic::{Diagnostic, nearest};
use crate::source::{Sources, Span};
use crate::syntax::{Clause, Term, TermKind, print_term, read_file};

use super::directives::StateDeclaration;
use super::load::Loader;

/// The relations that list the sites of the shipped boards.
pub(super) const SITES: [&str; 3] = ["cell", "point", "pit"];

/// The relations that the directive adds, where the game mentions them.
pub(super) const RELATIONS: [(&str, usize); 6] =
    [("piece", 1), ("owner", 2), ("empty", 1), ("mine", 1), ("theirs", 1), ("go", 2)];

/// Whether the directive adds a relation of this name and arity, or a map of this name with that many keys.
pub(super) fn adds(name: &str, arity: usize) -> bool {
    (name, arity) == ("at", 1) || RELATIONS.contains(&(name, arity))
}

/// Whether the directive adds a relation of this name and arity only where a piece has a player.
pub(super) fn needs_player(name: &str, arity: usize) -> bool {
    [("owner", 2), ("mine", 1), ("theirs", 1)].contains(&(name, arity))
}

/// The names of what the directive adds.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    RELATIONS.into_iter().map(|(name, _)| name).chain(["at"])
}

/// The declared pieces.
#[derive(Debug, Clone)]
pub(super) struct Pieces {
    /// Each as a term whose arguments are domains: `man(player)`.
    pub forms: Vec<Term>,
    /// The relation that lists the sites, where it is not the board's.
    pub sites: Option<String>,
    pub span: Span,
}

/// A form of pieces, as texts.
struct Form {
    name: String,
    /// For each argument: its variable, and the goal that gives it its values.
    args: Vec<(String, String)>,
    /// Which argument is the player who owns the piece.
    owner: Option<usize>,
    /// The piece is the player himself.
    bare: bool,
}

impl Form {
    fn of(term: &Term) -> Option<Form> {
        let (name, args) = term.functor()?;
        let bare = args.is_empty() && name == "player";
        let domains = if bare { std::slice::from_ref(term) } else { args };
        let args = domains.iter().enumerate().map(|(i, domain)| {
            let variable = format!("A{i}");
            let goal = match domain.args_of("{}", 1) {
                Some([items]) => {
                    let items: Vec<String> =
                        items.flatten(",").into_iter().map(print_term).collect();
                    format!("member({variable}, [{}])", items.join(", "))
                }
                _ if domain.args_of("..", 2).is_some() => {
                    format!("{variable} in {}", print_term(domain))
                }
                _ => format!("{}({variable})", print_term(domain)),
            };
            (variable, goal)
        });
        let name = print_term(&Term::new(TermKind::Atom(name.to_string()), term.span));
        let is_player = |domain: &Term| domain.args_of("player", 0).is_some();
        let owner = domains.iter().position(is_player);
        Some(Form { name, args: args.collect(), owner, bare })
    }

    /// The piece with these texts as arguments.
    fn piece(&self, args: &[&str]) -> String {
        match args {
            [] => self.name.clone(),
            [player] if self.bare => (*player).to_string(),
            args => format!("{}({})", self.name, args.join(", ")),
        }
    }

    /// The clause with this head, for all of its arguments.
    fn clause(&self, head: impl Fn(String, &str) -> String) -> String {
        let variables: Vec<&str> = self.args.iter().map(|(v, _)| v.as_str()).collect();
        let head = head(self.piece(&variables), self.owner.map_or("", |i| variables[i]));
        let goals: Vec<&str> = self.args.iter().map(|(_, goal)| goal.as_str()).collect();
        match goals.is_empty() {
            true => format!("{head}."),
            false => format!("{head} :- {}.", goals.join(", ")),
        }
    }

    /// The piece of a player, whatever its other arguments are.
    fn owned_by(&self, player: &str) -> Option<String> {
        let owner = self.owner?;
        let args: Vec<&str> =
            (0..self.args.len()).map(|i| if i == owner { player } else { "_" }).collect();
        Some(self.piece(&args))
    }
}

impl Loader<'_> {
    /// Adds the state and the relations of `:- pieces`, once everything else has been read.
    pub(super) fn add_pieces(&mut self) {
        let Some((place, pieces)) = self.pieces.take() else { return };
        let forms: Vec<Form> = pieces.forms.iter().filter_map(Form::of).collect();
        if forms.len() < pieces.forms.len() {
            return;
        }
        let Some(sites) = pieces.sites.clone().or_else(|| self.board_sites(pieces.span)) else {
            names().for_each(|name| self.out.unread.refuse(name));
            return;
        };
        if pieces.sites.is_some() && sites != "player" && !self.defines(&sites) {
            let text = format!("there is no relation `{sites}/1` of sites");
            let d = Diagnostic::error("pieces-form", text).at(pieces.span, "named here");
            let heads = self.clauses.iter().filter_map(|c| c.head.as_ref()?.functor());
            let unary = heads.filter(|(_, args)| args.len() == 1).map(|(name, _)| name);
            let d = match nearest(&sites, unary) {
                Some(near) => d.hint(format!("did you mean `{near}`?")),
                None => d.hint("include a board that has it, or define it"),
            };
            self.fault(d);
            names().for_each(|name| self.out.unread.refuse(name));
            return;
        }
        let atom = |name: &str| Term::new(TermKind::Atom(name.to_string()), pieces.span);
        let declared = |state: &&StateDeclaration| state.name == "at" && state.keys.len() == 1;
        let before = self.states.iter().find(declared).map(|state| state.span);
        match before {
            Some(first) if first.file == pieces.span.file => {
                self.fault(
                    Diagnostic::error("duplicate-state", "`at` is declared twice")
                        .at(pieces.span, "`:- pieces` declares it")
                        .at(first, "and it is declared here")
                        .hint("drop one of them"),
                );
                names().filter(|name| *name != "at").for_each(|name| self.out.unread.refuse(name));
                return;
            }
            // another file, such as a variant, has its own declaration
            Some(_) => {}
            None => {
                let state = StateDeclaration {
                    name: "at".to_string(),
                    keys: vec![atom(&sites)],
                    value: Some(atom("piece")),
                    initial: None,
                    scratch: false,
                    span: pieces.span,
                };
                self.states.put(place, state);
            }
        }
        let mentioned = self.mentioned();
        let defined = |name: &str, arity: usize| {
            self.clauses
                .iter()
                .filter_map(|c| c.head.as_ref()?.functor())
                .any(|(n, args)| n == name && args.len() == arity)
        };
        let open = RELATIONS.into_iter().filter(|(name, arity)| !defined(name, *arity));
        let (wanted, others): (Vec<_>, Vec<_>) = open.partition(|(name, arity)| {
            *name == "piece" || mentioned.contains(&((*name).to_string(), *arity))
        });
        let of = |relations: &[(&str, usize)]| {
            let text: Vec<String> =
                relations.iter().map(|(name, _)| relation(name, &forms, &sites)).collect();
            clauses(&text.join("\n"), pieces.span)
        };
        self.out.asked = of(&others);
        for clause in of(&wanted) {
            self.add_clause(clause);
        }
    }

    /// Whether a clause defines a relation of one argument.
    fn defines(&self, name: &str) -> bool {
        let heads = self.clauses.iter().filter_map(|c| c.head.as_ref());
        heads.into_iter().any(|head| head.args_of(name, 1).is_some())
    }

    /// The relation that lists the sites of the game's board.
    fn board_sites(&mut self, span: Span) -> Option<String> {
        let heads = self.clauses.iter().filter_map(|c| c.head.as_ref()?.functor());
        let defined: IndexSet<&str> =
            heads.filter(|(_, args)| args.len() == 1).map(|(name, _)| name).collect();
        let found: Vec<&str> = SITES.into_iter().filter(|name| defined.contains(name)).collect();
        if let [one] = found.as_slice() {
            return Some((*one).to_string());
        }
        let what = match found.is_empty() {
            true => "no board is included: there is neither `cell/1` nor `point/1` nor `pit/1`",
            false => "there are several relations of sites",
        };
        self.fault(
            Diagnostic::error("pieces-form", "it is not clear where the pieces stand")
                .at(span, what)
                .hint(
                    "name the relation of the sites: `:- pieces man(player) with (sites = dark).`",
                ),
        );
        None
    }

    /// The names and arities of all terms in bodies of clauses, examples and domains.
    fn mentioned(&self) -> IndexSet<(String, usize)> {
        let mut found = IndexSet::new();
        let bodies = self.clauses.iter().filter_map(|clause| clause.body.as_ref());
        bodies.for_each(|body| mention(body, &mut found));
        self.out.examples.iter().for_each(|(_, goal, _)| mention(goal, &mut found));
        for state in self.states.iter() {
            for domain in state.keys.iter().chain(&state.value) {
                if let TermKind::Atom(name) = &domain.kind {
                    found.insert((name.clone(), 1));
                }
            }
        }
        found
    }
}

fn mention(term: &Term, found: &mut IndexSet<(String, usize)>) {
    match &term.kind {
        TermKind::Compound(name, args) => {
            found.insert((name.clone(), args.len()));
            args.iter().for_each(|arg| mention(arg, found));
        }
        TermKind::List(items, tail) => {
            items.iter().chain(tail.as_deref()).for_each(|item| mention(item, found));
        }
        _ => {}
    }
}

/// The clauses of one of the relations.
fn relation(name: &str, forms: &[Form], sites: &str) -> String {
    let of_forms = |clause: &dyn Fn(&Form) -> Option<String>| {
        forms.iter().filter_map(clause).collect::<Vec<_>>().join("\n")
    };
    match name {
        "empty" => format!("empty(C) :- {sites}(C), \\+ at(C, _)."),
        "go" => "go(A, B) :- at(A, X), clear(at(A)), at(B) := X.".to_string(),
        "mine" => of_forms(&|form| {
            form.owned_by("Me").map(|piece| format!("mine(C) :- turn(Me), at(C, {piece})."))
        }),
        "theirs" => of_forms(&|form| {
            let piece = form.owned_by("You")?;
            Some(format!("theirs(C) :- turn(Me), opponent(Me, You), at(C, {piece})."))
        }),
        "owner" => of_forms(&|form| {
            form.owner?;
            Some(form.clause(|piece, owner| format!("owner({piece}, {owner})")))
        }),
        _ => of_forms(&|form| Some(form.clause(|piece, _| format!("piece({piece})")))),
    }
}

/// Parses clauses that stand for a directive, whose place they get.
fn clauses(text: &str, span: Span) -> Vec<Clause> {
    let mut sources = Sources::default();
    let file = sources.add("pieces", None, text);
    let (syntax, _) = read_file(&sources, file);
    let mut clauses = syntax.clauses;
    for clause in &mut clauses {
        clause.span = span;
        clause.head.iter_mut().chain(&mut clause.body).for_each(|term| term.put_at(span));
    }
    clauses
}
