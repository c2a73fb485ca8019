//! The checked program: relations, clauses, literals, domains, kinds and strata.
//!
//! `load.rs` follows includes, options and variants; `resolve.rs` turns clauses of terms into
//! clauses of goals whose names are resolved; `kinds.rs` builds the dependency graph and tells
//! static, derived and action relations apart; `modes.rs` finds which arguments a relation needs
//! bound; `checks/` holds one check a file. `print.rs` shows the result.

mod bodies;
pub mod checks;
mod choices;
mod constants;
mod directives;
mod ends;
mod faults;
mod goals;
mod includes;
mod kinds;
mod load;
mod modes;
mod optional;
mod options;
mod players;
mod print;
mod query;
mod redefine;
mod resolve;
mod scopes;
mod unbound;
mod unread;
mod values;
mod variants;

pub use checks::check;
pub use ends::{EndKind, outcome_relation};
pub use goals::{
    Aggregate, ArithmeticOp, BuiltIn, Comparison, Expression, Goal, GoalKind, MAX_INTEGER, Term,
    VariableId,
};
pub use kinds::{Dependency, Graph};
pub use load::{LoadRequest, Loaded, Origin, load};
pub use modes::Modes;
pub use optional::Optional;
pub use print::{print_goal, print_goal_with, print_head_with, print_program, to_dot};
pub use query::{Purpose, Question, resolve_goal};
pub use unbound::half_bound;
use unread::Missing;
pub use values::{Constant, ConstantId, Value, Values};

use indexmap::IndexMap;

use crate::diagnostic::Diagnostic;
use crate::source::{Sources, Span};
use crate::syntax;

/// Index into [`Program::relations`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelationId(pub u32);

/// Index into [`Program::fluents`]. The first three are always `turn`, `mover` and `ply`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FluentId(pub u32);

impl FluentId {
    pub const TURN: FluentId = FluentId(0);
    pub const MOVER: FluentId = FluentId(1);
    pub const PLY: FluentId = FluentId(2);
}

/// Index into [`Program::clauses`], in file order (included files where they are included).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClauseId(pub u32);

/// How a relation is evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Reaches no fluent, binds all its arguments and chooses none: evaluated once, bottom-up.
    Static,
    /// Reaches a fluent, needs some argument bound, or chooses: evaluated on demand.
    Derived,
    /// Updates the state.
    Action,
    /// The read of a declared fluent.
    Fluent(FluentId),
}

/// A named relation of the program.
#[derive(Debug, Clone)]
pub struct Relation {
    pub name: String,
    pub arity: usize,
    pub kind: Kind,
    pub clauses: Vec<ClauseId>,
    /// Depth in the condensation of the dependency graph: what it uses has a smaller or the same.
    pub stratum: usize,
    /// Takes part in a cycle of the dependency graph.
    pub recursive: bool,
    /// For each argument: must a caller bind it?
    pub needs_bound: Vec<bool>,
    /// Keeps, somewhere below, the first answer over an argument that its caller may leave without
    /// a value.
    pub chooses: bool,
    /// Where it is first defined or declared; [`Span::NONE`] for what is built in.
    pub span: Span,
    /// Given by the program itself (`player/1`, `option/2`, …), not by the file's clauses.
    pub built_in: bool,
}

impl Relation {
    /// `name/arity`.
    pub fn indicator(&self) -> String {
        format!("{}/{}", self.name, self.arity)
    }
}

/// A variable of a clause.
#[derive(Debug, Clone)]
pub struct Variable {
    /// `_` followed by a number for an anonymous one.
    pub name: String,
    pub span: Span,
}

/// `head :- body` with names resolved.
#[derive(Debug, Clone)]
pub struct Clause {
    pub relation: RelationId,
    pub head: Vec<Term>,
    pub body: Goal,
    pub variables: Vec<Variable>,
    /// The whole clause.
    pub span: Span,
    pub head_span: Span,
    /// The name of an end, a text: `win(P, "checkmate")` is a clause of `win/1` with this name.
    pub end_name: Option<Value>,
}

/// The values that a fluent's key or value may take, as declared.
#[derive(Debug, Clone)]
pub enum DomainSpec {
    Values(Vec<Value>),
    /// Both ends belong to it.
    Range(i64, i64),
    /// The answers of a unary static relation.
    Relation(RelationId),
}

/// What a fluent is.
#[derive(Debug, Clone)]
pub enum FluentShape {
    /// `:- state ko(point).`
    Set,
    /// `:- state at(point) -> piece.`; with an initial value it is total.
    Map { value: DomainSpec, value_span: Span, initial: Option<Value> },
}

/// A declared part of the state.
#[derive(Debug, Clone)]
pub struct Fluent {
    pub name: String,
    pub keys: Vec<DomainSpec>,
    pub key_spans: Vec<Span>,
    pub shape: FluentShape,
    /// The relation that reads it, with one argument more than there are keys if it is a map.
    pub relation: RelationId,
    /// The relation that holds its `init` clauses, of the same arity.
    pub init: RelationId,
    /// Left out of the comparison of positions.
    pub aside: bool,
    pub span: Span,
}

impl Fluent {
    /// The domains of the keys and, for a map, of the value: those of the arguments of the relation
    /// that reads it.
    pub fn domains(&self) -> impl Iterator<Item = &DomainSpec> {
        let value = match &self.shape {
            FluentShape::Map { value, .. } => Some(value),
            FluentShape::Set => None,
        };
        self.keys.iter().chain(value)
    }
}

/// An option of the game with the value in force.
#[derive(Debug, Clone)]
pub struct GameOption {
    pub name: String,
    pub domain: OptionDomain,
    pub default: Value,
    pub value: Value,
    /// Fixed by an `include … with`: not to be set from outside.
    pub fixed: bool,
    /// Fixed to the value of another option.
    pub passed: bool,
    pub span: Span,
}

/// The values an option may take.
#[derive(Debug, Clone, PartialEq)]
pub enum OptionDomain {
    Values(Vec<Value>),
    Range(i64, i64),
}

impl OptionDomain {
    pub fn contains(&self, value: Value) -> bool {
        match self {
            OptionDomain::Values(values) => values.contains(&value),
            OptionDomain::Range(lo, hi) => value.integer().is_some_and(|n| *lo <= n && n <= *hi),
        }
    }
}

/// `:- example "text", Goal.` The goal stays a term: the example runner interprets it.
#[derive(Debug, Clone)]
pub struct Example {
    pub text: String,
    pub goal: syntax::Term,
    pub span: Span,
}

/// `:- perft 3 = 12144.`
#[derive(Debug, Clone)]
pub struct PerftLine {
    /// The left side: a depth, possibly inside `given(…)` and `options(…)`.
    pub subject: syntax::Term,
    pub count: u64,
    pub span: Span,
}

/// The relations that the program gives a meaning of its own, where the file defines them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Special {
    pub moves: Option<RelationId>,
    pub chance: Option<RelationId>,
    pub weight: Option<RelationId>,
    pub rank: Option<RelationId>,
    pub score: Option<RelationId>,
    pub value: Option<RelationId>,
    pub advice: Option<RelationId>,
    pub measure: Option<RelationId>,
    pub prompt: Option<RelationId>,
    pub glyph: Option<RelationId>,
    pub notation: Option<RelationId>,
    pub shows: Option<RelationId>,
    pub letter: Option<RelationId>,
    pub position_field: Option<RelationId>,
    pub xy: Option<RelationId>,
    pub drawn: Option<RelationId>,
    pub source: Option<RelationId>,
    pub family: Option<RelationId>,
    pub step: Option<RelationId>,
    pub adjacent: Option<RelationId>,
}

impl Special {
    /// Those that the file defines.
    pub fn all(&self) -> impl Iterator<Item = RelationId> {
        let play = [self.moves, self.chance, self.weight, self.rank, self.score];
        let told = [self.value, self.advice, self.measure, self.prompt, self.notation];
        let looks = [self.glyph, self.shows, self.source, self.family];
        let written = [self.letter, self.position_field];
        let board = [self.xy, self.drawn, self.step, self.adjacent];
        let all = play.into_iter().chain(told).chain(looks).chain(written).chain(board);
        all.flatten()
    }
}

/// A whole rule file with all that it includes, resolved.
#[derive(Debug, Clone)]
pub struct Program {
    pub sources: Sources,
    pub values: Values,
    /// `:- game "…"`, or the file's stem.
    pub title: String,
    /// `:- about "…"`: the rules in words.
    pub about: Option<String>,
    /// The folder of a shipped game, empty otherwise; `family/1` facts win over it.
    pub family: String,
    /// The file describes a part of games, e.g. a board: it has neither title, players, state,
    /// moves nor ends.
    pub part: bool,
    /// In declared order.
    pub players: Vec<Value>,
    /// Declared, and not playing under these options.
    pub absent: Vec<Value>,
    /// How many play follows from options.
    pub seats_vary: bool,
    pub options: IndexMap<String, GameOption>,
    pub relations: Vec<Relation>,
    pub fluents: Vec<Fluent>,
    pub clauses: Vec<Clause>,
    /// The clauses of `win/1`, `lose/1`, `draw/0` and `over/0`, in file order.
    pub ends: Vec<(EndKind, ClauseId)>,
    pub examples: Vec<Example>,
    pub perfts: Vec<PerftLine>,
    pub special: Special,
    pub graph: Graph,
}

impl Program {
    pub fn relation(&self, id: RelationId) -> &Relation {
        &self.relations[id.0 as usize]
    }

    pub fn fluent(&self, id: FluentId) -> &Fluent {
        &self.fluents[id.0 as usize]
    }

    pub fn clause(&self, id: ClauseId) -> &Clause {
        &self.clauses[id.0 as usize]
    }

    pub fn find_relation(&self, name: &str, arity: usize) -> Option<RelationId> {
        self.relations
            .iter()
            .position(|r| r.name == name && r.arity == arity)
            .map(|i| RelationId(i as u32))
    }

    pub fn find_fluent(&self, name: &str, keys: usize) -> Option<FluentId> {
        self.fluents
            .iter()
            .position(|f| f.name == name && f.keys.len() == keys)
            .map(|i| FluentId(i as u32))
    }

    /// The relations that a board's sites are known by: `cell/1`, `point/1` and `pit/1`.
    pub fn sites(&self) -> impl Iterator<Item = RelationId> {
        ["cell", "point", "pit"].into_iter().filter_map(|name| self.find_relation(name, 1))
    }

    /// What the file calls the end that a clause makes.
    pub fn end_name(&self, clause: ClauseId) -> Option<&str> {
        match self.values.get(self.clause(clause).end_name?.constant()?) {
            Constant::Text(name) => Some(name),
            _ => None,
        }
    }

    /// The player's place in the declared order.
    pub fn player_index(&self, player: Value) -> Option<usize> {
        self.players.iter().position(|p| *p == player)
    }
}

/// A program, or what is wrong with it, and the warnings in either case.
#[derive(Debug)]
pub struct Checked {
    /// There when no diagnostic is an error and nothing is wrong with the request.
    pub program: Option<Program>,
    pub sources: Sources,
    /// What is wrong with the rule file, in file order.
    pub diagnostics: Vec<Diagnostic>,
    /// What is wrong with the request: no such game, no such option.
    pub request_faults: Vec<Diagnostic>,
}
