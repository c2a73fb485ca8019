//! Turns clauses of terms into clauses of goals: every name becomes a relation, a fluent, a
//! built-in goal or a constant.

use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostic::{Diagnostic, nearest};
use crate::source::Span;
use crate::syntax::{self, TermKind};

use super::constants::evaluate;
use super::ends::{OUTCOMES, relation_of};
use super::load::Read;
use super::old::Olds;
use super::scratch;
use super::unread::{Missing, Unread};
use super::{
    Clause, ClauseId, DomainSpec, EndKind, Example, Fluent, FluentId, FluentShape, Goal, GoalKind,
    Kind, PerftLine, Program, Relation, RelationId, Special, Term, Value, Variable, VariableId,
};

/// Relations that the program provides; a rule file may not define them.
const PROVIDED: [(&str, usize); 7] = [
    ("player", 1),
    ("next_player", 2),
    ("opponent", 2),
    ("option", 2),
    ("turn", 1),
    ("mover", 1),
    ("ply", 1),
];

/// Names of built-in goals; a rule file may not define them.
pub(super) const RESERVED: [(&str, usize); 44] = [
    (",", 2),
    (";", 2),
    ("->", 2),
    ("\\+", 1),
    ("not", 1),
    ("=", 2),
    ("\\=", 2),
    ("==", 2),
    ("\\==", 2),
    ("is", 2),
    ("<", 2),
    ("=<", 2),
    (">", 2),
    (">=", 2),
    ("=:=", 2),
    ("=\\=", 2),
    ("in", 2),
    ("between", 3),
    ("true", 0),
    ("fail", 0),
    ("false", 0),
    ("!", 0),
    ("once", 1),
    ("forall", 2),
    ("member", 2),
    ("length", 2),
    ("append", 3),
    ("nth", 3),
    ("atom_concat", 3),
    ("coordinate", 3),
    ("count", 3),
    ("sum", 3),
    ("max", 3),
    ("min", 3),
    ("findall", 3),
    ("legal", 1),
    ("stuck", 0),
    ("repeated", 1),
    ("repeated_board", 1),
    ("after", 2),
    ("again", 0),
    ("each", 2),
    ("set", 1),
    ("clear", 1),
];

/// Whether the program itself gives a relation or a goal.
pub(super) fn is_built_in(name: &str, arity: usize) -> bool {
    PROVIDED.contains(&(name, arity)) || RESERVED.contains(&(name, arity))
}

/// Relations of one argument that the program asks for, and that are no sets of values.
const ASKED: [&str; 9] =
    ["move", "chance", "win", "lose", "prompt", "status", "look", "source", "family"];

/// The fault where a set names a value twice.
pub(super) fn twice(code: &'static str, items: &[&syntax::Term]) -> Option<Diagnostic> {
    let again = |i: usize| items[..i].iter().find(|first| **first == items[i]);
    let (i, first) = (1..items.len()).find_map(|i| Some((i, again(i)?)))?;
    let text = format!("`{}` stands twice in this set", syntax::print_term(items[i]));
    let d = Diagnostic::error(code, text).at(items[i].span, "again here");
    Some(d.at(first.span, "first here").hint("drop one of them"))
}

/// A program whose relations have no kinds yet, with the faults found.
pub(super) struct Resolver {
    pub program: Program,
    pub diagnostics: Vec<Diagnostic>,
    pub unread: Unread,
    /// Names and arities in use.
    pub names: FxHashMap<(String, usize), RelationId>,
    /// The variables of the current clause.
    pub variables: IndexMap<String, VariableId>,
    pub declared: Vec<Variable>,
    /// The variables of the current clause that occurred so far, without those that stand in negations and
    /// aggregates around which the current goal does not stand.
    pub open: FxHashSet<VariableId>,
    /// The goals that read what `old` asks for in the action of the `each` that is being resolved.
    pub olds: Option<Olds>,
    /// The names and arities of moves and chance events.
    pub moves: FxHashSet<(String, usize)>,
    /// Updates of `mover` and `ply` are allowed, since a position is being set up.
    pub sets_up: bool,
}

/// Resolves everything in `loaded`.
pub(super) fn resolve(loaded: Read) -> (Program, Vec<Diagnostic>, Unread) {
    let silent = loaded.title.is_none() && loaded.players.is_none() && loaded.states.is_empty();
    let no_players = loaded.players.is_none();
    let mut resolver = Resolver {
        program: Program {
            sources: loaded.sources,
            values: loaded.values,
            title: loaded.title.unwrap_or(loaded.stem),
            about: loaded.about,
            family: loaded.family.unwrap_or("").to_string(),
            part: false,
            players: Vec::new(),
            absent: Vec::new(),
            seats_vary: false,
            opening: loaded.opening,
            options: loaded.options,
            relations: Vec::new(),
            fluents: Vec::new(),
            clauses: Vec::new(),
            ends: Vec::new(),
            examples: Vec::new(),
            perfts: Vec::new(),
            special: Special::default(),
            graph: super::Graph::default(),
            asked: loaded.asked,
        },
        diagnostics: loaded.diagnostics,
        unread: loaded.unread,
        names: FxHashMap::default(),
        variables: IndexMap::new(),
        declared: Vec::new(),
        open: FxHashSet::default(),
        olds: None,
        moves: FxHashSet::default(),
        sets_up: false,
    };
    resolver.provided();
    resolver.players(loaded.players);
    resolver.register_heads(&loaded.clauses);
    resolver.states(&loaded.states);
    for (name, keys, span) in &loaded.asides {
        resolver.aside(name, *keys, *span);
    }
    for clause in &loaded.clauses {
        resolver.clause(clause);
    }
    for (text, goal, span) in loaded.examples {
        resolver.program.examples.push(Example { text, goal, span });
    }
    for (subject, count, span) in loaded.perfts {
        resolver.program.perfts.push(PerftLine { subject, count, span });
    }
    resolver.options();
    resolver.special();
    let faults = scratch::clear_at_end(&mut resolver.program);
    resolver.diagnostics.extend(faults);
    let program = &mut resolver.program;
    program.part = silent && program.special.moves.is_none() && program.ends.is_empty();
    if no_players && !program.part {
        resolver.fault(
            Diagnostic::error("no-players", "the file does not say who plays")
                .hint("add `:- players white, black.`, in the order in which they move"),
        );
    }
    (resolver.program, resolver.diagnostics, resolver.unread)
}

impl Resolver {
    pub(super) fn fault(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    pub(super) fn missing(&mut self, name: &str, arity: usize, span: Span) {
        self.unread.missing.push(Missing { name: name.to_string(), arity, span });
    }

    fn relation(&mut self, name: &str, arity: usize, kind: Kind, span: Span) -> RelationId {
        if let Some(id) = self.names.get(&(name.to_string(), arity)) {
            return *id;
        }
        let id = RelationId(self.program.relations.len() as u32);
        self.names.insert((name.to_string(), arity), id);
        self.program.relations.push(Relation {
            name: name.to_string(),
            arity,
            kind,
            clauses: Vec::new(),
            stratum: 0,
            recursive: false,
            needs_bound: vec![false; arity],
            chooses: false,
            supposes: false,
            span,
            built_in: span == Span::NONE,
        });
        id
    }

    pub(super) fn fact(&mut self, relation: RelationId, args: Vec<Value>, span: Span) {
        let id = ClauseId(self.program.clauses.len() as u32);
        self.program.clauses.push(Clause {
            relation,
            head: args.into_iter().map(Term::Constant).collect(),
            body: Goal::new(GoalKind::True, span),
            variables: Vec::new(),
            span,
            head_span: span,
            end_name: None,
            rank: 0,
        });
        self.program.relations[relation.0 as usize].clauses.push(id);
    }

    fn provided(&mut self) {
        for (kind, named) in OUTCOMES {
            let (name, arity) = (format!("outcome {}", kind.name()), kind.arity());
            self.relation(&name, arity + usize::from(named), Kind::Derived, Span::NONE);
        }
        for (name, arity) in [("player", 1), ("next_player", 2), ("opponent", 2), ("option", 2)] {
            self.relation(name, arity, Kind::Static, Span::NONE);
        }
        let player = DomainSpec::Relation(self.names[&("player".to_string(), 1)]);
        let domains = [
            ("turn", player.clone()),
            ("mover", player),
            ("ply", DomainSpec::Range(0, i64::from(i32::MAX))),
        ];
        for (i, (name, domain)) in domains.into_iter().enumerate() {
            let id = FluentId(i as u32);
            let relation = self.relation(name, 1, Kind::Fluent(id), Span::NONE);
            let init = self.relation(&format!("init {name}"), 1, Kind::Static, Span::NONE);
            self.program.fluents.push(Fluent {
                name: name.to_string(),
                keys: Vec::new(),
                key_spans: Vec::new(),
                shape: FluentShape::Map { value: domain, value_span: Span::NONE, initial: None },
                relation,
                init,
                aside: name != "turn",
                scratch: false,
                span: Span::NONE,
            });
        }
    }

    fn options(&mut self) {
        let option = self.names[&("option".to_string(), 2)];
        let facts: Vec<(String, Value, Span)> =
            self.program.options.values().map(|o| (o.name.clone(), o.value, o.span)).collect();
        for (name, value, span) in facts {
            let name = self.program.values.atom(&name);
            self.fact(option, vec![name, value], span);
        }
    }

    /// `init(at(P, X))` defines the relation `init at`/2, `win(P, "name")` is a clause of `win`/1;
    /// every other head defines its own.
    fn head_parts(head: &syntax::Term) -> Option<(String, &[syntax::Term])> {
        let (name, args) = head.functor()?;
        match (name, args) {
            ("init", [inner]) => {
                let (fluent, args) = inner.functor()?;
                Some((format!("init {fluent}"), args))
            }
            _ => relation_of(head).map(|(name, args)| (name.to_string(), args)),
        }
    }

    /// Whether a head is written like a directive whose `:-` is missing: `players white, black.`
    fn reads_as_directive(&self, head: &syntax::Term, name: &str) -> bool {
        let written = self.program.sources.text(head.span);
        let behind = written.strip_prefix(name).unwrap_or_default();
        syntax::OperatorTable::ludex().directives().any(|known| known == name)
            && behind.starts_with(char::is_whitespace)
    }

    fn register_heads(&mut self, clauses: &[syntax::Clause]) {
        for head in clauses.iter().filter_map(|clause| clause.head.as_ref()) {
            if let Some(("move" | "chance", [made])) = head.functor()
                && let Some((name, args)) = made.functor()
            {
                self.moves.insert((name.to_string(), args.len()));
            }
        }
        for clause in clauses {
            let Some(head) = &clause.head else { continue };
            let Some((name, args)) = Self::head_parts(head) else {
                self.fault(
                    Diagnostic::error(
                        "clause-head",
                        "a clause must begin with the name of a relation",
                    )
                    .at(head.span, "this is no relation")
                    .hint("write `name(Arguments)`; names begin with a small letter"),
                );
                continue;
            };
            let key = (name.as_str(), args.len());
            if self.reads_as_directive(head, &name) {
                self.fault(
                    Diagnostic::error(
                        "clause-head",
                        format!("`{name}` is a directive, and no fact"),
                    )
                    .at(head.span, "a directive begins with `:-`")
                    .hint(format!("write `:- {name} …`")),
                );
                continue;
            }
            if PROVIDED.contains(&key) {
                self.fault(
                    Diagnostic::error(
                        "reserved-name",
                        format!("`{name}/{}` is given by the program", key.1),
                    )
                    .at(head.span, "it cannot be defined again")
                    .hint(match name.as_str() {
                        "player" => "players are declared: `:- players white, black.`",
                        "option" => "options are declared: `:- option flying -> {yes, no} = no.`",
                        _ => "choose another name",
                    }),
                );
            } else if RESERVED.contains(&key) || matches!(name.as_str(), ":=" | "+=" | "-=") {
                self.fault(
                    Diagnostic::error(
                        "reserved-name",
                        format!("`{name}/{}` is a built-in goal", key.1),
                    )
                    .at(head.span, "it cannot be defined again")
                    .hint("choose another name"),
                );
            } else if !name.starts_with("init ") {
                self.relation(&name, args.len(), Kind::Static, head.span);
            }
        }
    }

    fn states(&mut self, declarations: &[super::directives::StateDeclaration]) {
        for declared in declarations {
            if let Some(first) = self
                .program
                .fluents
                .iter()
                .find(|f| f.name == declared.name && f.keys.len() == declared.keys.len())
            {
                let (first, name) = (first.span, declared.name.clone());
                self.fault(
                    Diagnostic::error("duplicate-state", format!("`{name}` is declared twice"))
                        .at(declared.span, "again here")
                        .at(first, "first here")
                        .hint("drop one of them, or put a `:- redefine` before the second"),
                );
                continue;
            }
            // a fluent with a faulty domain is declared nevertheless, so that its uses are not
            // faults
            let unknown = || DomainSpec::Values(Vec::new());
            let keys: Vec<DomainSpec> =
                declared.keys.iter().map(|t| self.domain(t).unwrap_or_else(unknown)).collect();
            let value = declared
                .value
                .as_ref()
                .map(|term| (self.domain(term).unwrap_or_else(unknown), term.span));
            let initial = match &declared.initial {
                None => None,
                Some(term) => {
                    let value = self.constant(term);
                    if value == Ok(None) {
                        self.fault(
                            Diagnostic::error("state-form", "an initial value must be a constant")
                                .at(term.span, "not a constant")
                                .hint("a computed opening is written with `init(…) :- …`"),
                        );
                    }
                    value.unwrap_or_default()
                }
            };
            let arity = keys.len() + usize::from(value.is_some());
            let id = FluentId(self.program.fluents.len() as u32);
            if let Some(existing) = self.names.get(&(declared.name.clone(), arity)) {
                let at = self.program.relations[existing.0 as usize].span;
                self.fault(
                    Diagnostic::error(
                        "duplicate-state",
                        format!(
                            "`{}/{arity}` is both a part of the state and a relation",
                            declared.name
                        ),
                    )
                    .at(declared.span, "declared as state here")
                    .at(at, "and defined here")
                    .hint("give one of them another name"),
                );
                self.unread.refuse(&declared.name);
                continue;
            }
            let relation = self.relation(&declared.name, arity, Kind::Fluent(id), declared.span);
            let init = self.relation(
                &format!("init {}", declared.name),
                arity,
                Kind::Static,
                declared.span,
            );
            let shape = match value {
                Some((value, value_span)) => FluentShape::Map { value, value_span, initial },
                None => FluentShape::Set,
            };
            self.program.fluents.push(Fluent {
                name: declared.name.clone(),
                keys,
                key_spans: declared.keys.iter().map(|k| k.span).collect(),
                shape,
                relation,
                init,
                aside: false,
                scratch: declared.scratch,
                span: declared.span,
            });
        }
    }

    /// A constant that may be calculated, e.g. from options; a calculation without a value is
    /// reported.
    pub(super) fn constant(&mut self, term: &syntax::Term) -> Result<Option<Value>, ()> {
        let program = &mut self.program;
        evaluate(term, &program.options, &mut program.values).map_err(|fault| self.fault(fault))
    }

    fn domain(&mut self, term: &syntax::Term) -> Option<DomainSpec> {
        if let Some([lo, hi]) = term.args_of("..", 2) {
            let bounds = (self.constant(lo).ok()?, self.constant(hi).ok()?);
            if let (Some(Value::Integer(lo)), Some(Value::Integer(hi))) = bounds {
                return Some(DomainSpec::Range(lo, hi));
            }
        }
        if let Some([items]) = term.args_of("{}", 1) {
            let items = items.flatten(",");
            let values: Option<Vec<Value>> =
                items.iter().map(|t| self.program.values.from_term(t)).collect();
            if let Some(values) = values {
                if let Some(fault) = twice("state-form", &items) {
                    self.fault(fault);
                }
                return Some(DomainSpec::Values(values));
            }
        }
        if let TermKind::Atom(name) = &term.kind {
            if name == "{}" {
                return Some(DomainSpec::Values(Vec::new()));
            }
            if let Some(id) = self.names.get(&(name.clone(), 1)) {
                return Some(DomainSpec::Relation(*id));
            }
            self.missing(name, 1, term.span);
            let unary = self.names.keys().filter(|(_, arity)| *arity == 1).map(|(n, _)| n.as_str());
            let mut unary: Vec<&str> = unary.collect();
            unary.sort_unstable();
            let d = Diagnostic::error("unknown-domain", format!("there is no domain `{name}`"))
                .at(term.span, "no relation of one argument has this name");
            let d = match nearest(name, unary.iter().copied()) {
                Some(near) => d.hint(format!("did you mean `{near}`?")),
                None => {
                    // what the program asks for is no set of values
                    let written = |name: &&&str| {
                        let id = self.names[&((**name).to_string(), 1)];
                        !self.program.relation(id).built_in && !ASKED.contains(*name)
                    };
                    let here: Vec<String> =
                        unary.iter().filter(written).map(|n| format!("`{n}`")).collect();
                    let here = match here.is_empty() {
                        true => String::new(),
                        false => format!("; here are {}", here.join(", ")),
                    };
                    d.hint(format!(
                        "write a set `{{a, b}}`, a range `0..12`, or a relation of one argument{here}"
                    ))
                }
            };
            self.fault(d);
            return None;
        }
        self.fault(
            Diagnostic::error("state-form", "this is not a domain")
                .at(term.span, "expected a set, a range or a name")
                .hint("write `{a, b}`, `0..12`, or the name of a relation of one argument"),
        );
        None
    }

    fn aside(&mut self, name: &str, keys: Option<i64>, span: Span) {
        let mut found = false;
        for fluent in &mut self.program.fluents {
            if fluent.name == name && keys.is_none_or(|keys| keys == fluent.keys.len() as i64) {
                fluent.aside = true;
                found = true;
            }
        }
        if !found {
            let fluents = &self.program.fluents;
            let shown = keys.map_or_else(|| name.to_string(), |keys| format!("{name}/{keys}"));
            let d =
                Diagnostic::error("unknown-state", format!("`{shown}` is not a part of the state"))
                    .at(span, "not declared with `:- state`");
            let near = nearest(name, fluents.iter().map(|f| f.name.as_str()));
            let d = match (near, fluents.iter().find(|f| f.name == name)) {
                (_, Some(f)) => d.hint(format!("write `{name}`, or `{name}/{}`", f.keys.len())),
                (Some(near), None) => d.hint(format!("did you mean `{near}`?")),
                (None, None) => d.hint(format!("declare it: `:- state {name} -> 0..100 = 0.`")),
            };
            self.fault(d);
        }
    }

    fn clause(&mut self, clause: &syntax::Clause) {
        let Some(head) = &clause.head else { return };
        let Some((name, args)) = Self::head_parts(head) else { return };
        let Some(relation) = self.names.get(&(name.clone(), args.len())).copied() else {
            if let Some(fluent) = name.strip_prefix("init ") {
                self.unknown_init(fluent, args.len(), head.span);
            }
            return;
        };
        if matches!(self.program.relation(relation).kind, Kind::Fluent(_)) {
            return self.fault(
                Diagnostic::error("state-clause", format!("`{name}` is a part of the state"))
                    .at(head.span, "clauses cannot define it")
                    .hint(format!("the opening is written `init({name}(…)) :- …`")),
            );
        }
        if self.program.relation(relation).built_in && name != "init turn" {
            if let Some(kept) = name.strip_prefix("init ") {
                self.fault(
                    Diagnostic::error("reserved-name", format!("`{kept}` is kept by the program"))
                        .at(head.span, "the opening cannot set it")
                        .hint("the player declared first in `:- players` begins"),
                );
            }
            return;
        }
        self.variables.clear();
        self.declared.clear();
        self.open.clear();
        let head_terms: Vec<Term> = args.iter().map(|t| self.term(t)).collect();
        let body = match &clause.body {
            Some(body) => self.goal(body),
            None => Goal::new(GoalKind::True, head.span),
        };
        let id = ClauseId(self.program.clauses.len() as u32);
        let mut resolved = Clause {
            relation,
            head: head_terms,
            body,
            variables: std::mem::take(&mut self.declared),
            span: clause.span,
            head_span: head.span,
            end_name: self.end_text(head),
            rank: 0,
        };
        super::scopes::separate(&mut resolved);
        self.program.clauses.push(resolved);
        self.program.relations[relation.0 as usize].clauses.push(id);
        let end = EndKind::named(&name).filter(|kind| kind.arity() == args.len());
        self.program.ends.extend(end.map(|kind| (kind, id)));
    }

    fn unknown_init(&mut self, fluent: &str, arity: usize, span: Span) {
        let operator = match fluent {
            ":=" | "+=" | "-=" => Some(("an opening is told, not updated", "an update")),
            "=" => Some(("`=` gives no value to a part of the state", "a comparison")),
            _ => None,
        };
        if let Some((message, label)) = operator {
            return self.fault(
                Diagnostic::error("unknown-state", message)
                    .at(span, label)
                    .hint("give the value as the last argument: `init(at(a1, white)).`"),
            );
        }
        let d =
            Diagnostic::error("unknown-state", format!("`{fluent}` is not a part of the state"))
                .at(
                    span,
                    "nothing of this name and number of arguments is declared with `:- state`",
                );
        let known: Vec<(String, usize)> = self
            .program
            .fluents
            .iter()
            .skip(3)
            .map(|f| (f.name.clone(), self.program.relation(f.relation).arity))
            .collect();
        let d = match known.iter().find(|(name, _)| name == fluent) {
            Some((_, expected)) => d.hint(format!(
                "`{fluent}` takes {expected} arguments here, its value last; found {arity}"
            )),
            None => match nearest(fluent, known.iter().map(|(n, _)| n.as_str())) {
                Some(near) => d.hint(format!("did you mean `{near}`?")),
                None => d.hint(format!("declare it: `:- state {fluent}(cell) -> player.`")),
            },
        };
        self.fault(d);
    }

    fn special(&mut self) {
        let find = |name: &str, arity: usize| self.names.get(&(name.to_string(), arity)).copied();
        self.program.special = Special {
            moves: find("move", 1),
            chance: find("chance", 1),
            weight: find("weight", 2),
            rank: find("rank", 2),
            score: find("score", 2),
            value: find("value", 2),
            advice: find("advice", 3),
            measure: find("measure", 2),
            prompt: find("prompt", 1),
            prompt_to: find("prompt", 2),
            status: find("status", 1),
            status_item: find("status", 2),
            glyph: find("glyph", 2),
            figure: find("figure", 2),
            look: find("look", 1),
            shaded: find("shaded", 1),
            notation: find("notation", 2),
            style: find("notation", 3),
            suffix: find("suffix", 2),
            alias: find("alias", 2),
            says: find("says", 2),
            record: find("record", 2),
            record_tag: find("record_tag", 3),
            shows: find("shows", 2),
            between: find("shows", 3),
            letter: find("letter", 2),
            position_field: find("position_field", 3),
            position_item: find("position_item", 5),
            position_mark: find("position_mark", 3),
            xy: find("xy", 3),
            drawn: find("drawn", 2),
            curved: find("drawn", 3),
            source: find("source", 1),
            family: find("family", 1),
            step: find("step", 3),
            adjacent: find("adjacent", 2),
        };
    }
}
