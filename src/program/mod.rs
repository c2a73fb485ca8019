//! The checked program: relations, clauses, literals, domains, kinds and strata.
//!
//! `load.rs` follows includes, options and variants; `resolve.rs` turns clauses of terms into
//! clauses of goals whose names are resolved; `kinds.rs` builds the dependency graph and classifies
//! relations as static, derived or action; `modes.rs` finds which arguments a relation needs
//! bound; `checks/` holds one check per file. `print.rs` shows the result.

mod bodies;
mod budget;
pub mod checks;
mod choices;
mod comments;
mod constants;
mod directives;
mod ends;
mod faults;
mod files;
mod goals;
mod growth;
mod includes;
mod kinds;
mod load;
mod modes;
mod old;
mod optional;
mod options;
mod pieces;
mod players;
mod print;
mod query;
mod redefine;
mod resolve;
mod scopes;
mod scratch;
mod size;
mod unbound;
mod unfold;
mod unread;
mod values;
mod variants;
mod words;

pub use budget::Budget;
pub(crate) use checks::acts;
pub use checks::{check, check_read};
pub(crate) use choices::in_clause as makes_choice;
pub use ends::{EndKind, outcome_relation};
pub(crate) use faults::{UNWOUND, call_text};
pub use files::{FileSource, Files};
pub use goals::{
    Aggregate, ArithmeticOp, BuiltIn, Comparison, Expression, Goal, GoalKind, MAX_INTEGER, Term,
    VariableId,
};
pub(crate) use kinds::reconnect;
pub use kinds::{Dependency, Graph};
pub use load::{LoadRequest, Origin, Read, load};
pub use modes::Modes;
pub(crate) use modes::before_hypotheses;
pub use optional::Optional;
pub use players::MOST_PLAYERS;
pub use print::{
    print_expression_with, print_goal, print_goal_with, print_head_with, print_program, to_dot,
};
pub use query::{Purpose, Question, resolve_goal};
pub(crate) use scopes::{rename_goal, rename_term};
pub use size::{FileRole, FileSize, sizes};
pub use unbound::half_bound;
use unread::Missing;
pub use values::{Constant, ConstantId, Value, Values};
pub use words::OtherWord;

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
    /// `turn`: the player to move.
    pub const TURN: FluentId = FluentId(0);
    /// `mover`: the player who made the last move; undefined before the first one.
    pub const MOVER: FluentId = FluentId(1);
    /// `ply`: the number of moves and chance events made so far.
    pub const PLY: FluentId = FluentId(2);
}

/// Index into [`Program::clauses`]. Clauses are in file order, those of an included file at its directive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClauseId(pub u32);

/// How a relation is evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Reads no fluent, binds all its arguments and makes no choice: evaluated once, bottom-up.
    Static,
    /// Reads a fluent, needs an argument bound, or makes a choice: evaluated on demand.
    Derived,
    /// Updates the state.
    Action,
    /// The read of a declared fluent.
    Fluent(FluentId),
}

/// A named relation of the program.
#[derive(Debug, Clone)]
pub struct Relation {
    /// Its name without the arity.
    pub name: String,
    /// How many arguments it has.
    pub arity: usize,
    /// How it is evaluated.
    pub kind: Kind,
    /// Its clauses in file order; empty for most built-in relations.
    pub clauses: Vec<ClauseId>,
    /// Depth in the condensation of the dependency graph: the relations that it uses have a smaller
    /// stratum or, in a cycle, the same.
    pub stratum: usize,
    /// Takes part in a cycle of the dependency graph.
    pub recursive: bool,
    /// For each argument, whether a caller must bind it.
    pub needs_bound: Vec<bool>,
    /// It, or a relation that it uses, keeps the first of several answers that depend on an argument
    /// the caller may leave unbound.
    pub chooses: bool,
    /// Its clause updates the state, and its caller takes the updates back. Only a plan has such
    /// relations.
    pub supposes: bool,
    /// Where it is first defined or declared; [`Span::NONE`] for a built-in relation.
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
    /// Its name as written; `_` followed by a number for an anonymous one.
    pub name: String,
    /// Its first occurrence.
    pub span: Span,
}

/// `head :- body` with names resolved.
#[derive(Debug, Clone)]
pub struct Clause {
    /// The relation that it defines.
    pub relation: RelationId,
    /// The arguments of the head, without the name of an end.
    pub head: Vec<Term>,
    /// The body; [`GoalKind::True`] for a fact.
    pub body: Goal,
    /// By [`VariableId`].
    pub variables: Vec<Variable>,
    /// The whole clause.
    pub span: Span,
    /// The head.
    pub head_span: Span,
    /// The name of the end, a text: `win(P, "checkmate")` is a clause of `win/1` with this name.
    pub end_name: Option<Value>,
    /// The rank of the moves of a clause of `move/1`, where `rank/2` is not defined; 0 as written.
    pub rank: i64,
}

impl Clause {
    /// How often each variable occurs in the clause, by [`VariableId`].
    pub fn occurrences(&self) -> Vec<usize> {
        let mut occurrences = vec![0; self.variables.len()];
        let mut count = |v: VariableId| occurrences[v.0 as usize] += 1;
        self.head.iter().for_each(|term| term.each_variable(&mut count));
        self.body.each_variable(&mut count);
        occurrences
    }

    /// How often the body calls a relation, within other goals included.
    pub fn calls_of(&self, relation: RelationId) -> usize {
        let mut calls = 0;
        self.body.walk(&mut |goal| {
            calls += usize::from(matches!(goal.kind, GoalKind::Call(id, _) if id == relation));
        });
        calls
    }
}

/// The declared values of a fluent's key or value.
#[derive(Debug, Clone)]
pub enum DomainSpec {
    /// These values, in this order.
    Values(Vec<Value>),
    /// The integers from the first to the second, both inclusive.
    Range(i64, i64),
    /// The answers of a unary static relation.
    Relation(RelationId),
}

/// Whether a fluent is a set or a map.
#[derive(Debug, Clone)]
pub enum FluentShape {
    /// `:- state ko(point).`
    Set,
    /// `:- state at(point) -> piece.`; with an initial value it is total.
    Map {
        /// The domain of its values.
        value: DomainSpec,
        /// Where that domain is declared.
        value_span: Span,
        /// The value of every key before the `init` clauses, and after `clear`.
        initial: Option<Value>,
    },
}

/// A declared part of the state.
#[derive(Debug, Clone)]
pub struct Fluent {
    /// Its name without the number of keys.
    pub name: String,
    /// The domain of each key.
    pub keys: Vec<DomainSpec>,
    /// Where each of these domains is declared.
    pub key_spans: Vec<Span>,
    /// Set or map.
    pub shape: FluentShape,
    /// The relation that reads it, with one argument more than there are keys if it is a map.
    pub relation: RelationId,
    /// The relation that holds its `init` clauses, of the same arity.
    pub init: RelationId,
    /// Left out of the comparison of positions.
    pub aside: bool,
    /// Empty between moves.
    pub scratch: bool,
    /// Where it is declared.
    pub span: Span,
}

impl Fluent {
    /// The domains of the keys and, for a map, of the value: one for each argument of the relation
    /// that reads it.
    pub fn domains(&self) -> impl Iterator<Item = &DomainSpec> {
        let value = match &self.shape {
            FluentShape::Map { value, .. } => Some(value),
            FluentShape::Set => None,
        };
        self.keys.iter().chain(value)
    }
}

/// An option of the game with its current value.
#[derive(Debug, Clone)]
pub struct GameOption {
    /// Its name, which is also its key in [`Program::options`].
    pub name: String,
    /// The values that it may have.
    pub domain: OptionDomain,
    /// The values that it has in the declarations that this one replaces, about which their files may ask.
    pub replaced: Vec<OptionDomain>,
    /// The value where none is given.
    pub default: Value,
    /// The value that the program was loaded with.
    pub value: Value,
    /// Fixed by an `include … with`, so it cannot be set from outside.
    pub fixed: bool,
    /// Fixed to the value of another option.
    pub passed: bool,
    /// Where it is declared.
    pub span: Span,
}

/// The values an option may take.
#[derive(Debug, Clone, PartialEq)]
pub enum OptionDomain {
    /// These values.
    Values(Vec<Value>),
    /// The integers from the first to the second, both inclusive.
    Range(i64, i64),
}

impl OptionDomain {
    /// Whether a value may be given to the option.
    pub fn contains(&self, value: Value) -> bool {
        match self {
            OptionDomain::Values(values) => values.contains(&value),
            OptionDomain::Range(lo, hi) => value.integer().is_some_and(|n| *lo <= n && n <= *hi),
        }
    }
}

/// `:- position "…".`
#[derive(Debug, Clone)]
pub struct Opening {
    /// The position as text; the rows of a picture are joined by line ends.
    pub text: String,
    /// The whole directive.
    pub span: Span,
}

/// `:- example "text", Goal.` The goal stays a term: the example runner interprets it.
#[derive(Debug, Clone)]
pub struct Example {
    /// What the example says, as it is shown by `ludex test`.
    pub text: String,
    /// The goal, `given(…)` and `options(…)` included.
    pub goal: syntax::Term,
    /// The whole directive.
    pub span: Span,
}

/// `:- perft 3 = 12144.`
#[derive(Debug, Clone)]
pub struct PerftLine {
    /// The left side: a depth, possibly inside `given(…)` and `options(…)`.
    pub subject: syntax::Term,
    /// The expected number of move sequences of that length.
    pub count: u64,
    /// The whole directive.
    pub span: Span,
}

/// The relations to which the interpreter gives a meaning of its own, where the file defines them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Special {
    /// `move(M)`: the moves.
    pub moves: Option<RelationId>,
    /// `chance(Event)`: the chance events.
    pub chance: Option<RelationId>,
    /// `weight(Event, N)`: the weight of a chance event in the draw.
    pub weight: Option<RelationId>,
    /// `rank(Move, N)`: only the legal moves of the highest rank may be made.
    pub rank: Option<RelationId>,
    /// `score(Player, N)`: a player's score.
    pub score: Option<RelationId>,
    /// `value(Player, N)`: an estimate of a position, for computer players.
    pub value: Option<RelationId>,
    /// `advice(Move, N, "why")`: a move to prefer, the more the greater `N` is.
    pub advice: Option<RelationId>,
    /// `measure(Name, N)`: a further figure for `ludex bench`.
    pub measure: Option<RelationId>,
    /// `prompt("text")`: what the player to move is told.
    pub prompt: Option<RelationId>,
    /// `prompt(Player, "text")`: what a player is told, also when another one is to move.
    pub prompt_to: Option<RelationId>,
    /// `status(["white has ", 3, " men"])`: what the players see below the board.
    pub status: Option<RelationId>,
    /// `status("in hand", ["white ", 3])`: items of a line below the board.
    pub status_item: Option<RelationId>,
    /// `glyph(Value, "○")`: how a value is drawn.
    pub glyph: Option<RelationId>,
    /// `figure(Value, Name)`: how a value is drawn in a picture.
    pub figure: Option<RelationId>,
    /// `look(Name)`: how the board is drawn, where its relation of sites does not tell.
    pub look: Option<RelationId>,
    /// `shaded(Site)`: the sites that are drawn darker than others.
    pub shaded: Option<RelationId>,
    /// `notation(Move, Parts)`: how a move is written and typed.
    pub notation: Option<RelationId>,
    /// `notation(Style, Move, Parts)`: how a move is written in another notation.
    pub style: Option<RelationId>,
    /// `suffix(Style, "+")`: what a notation adds to a move, by the position after it.
    pub suffix: Option<RelationId>,
    /// `record(pgn, Style)`: the notation of the moves where a game is written in a format.
    pub record: Option<RelationId>,
    /// `record_tag(pgn, "White", player(white))`: what else is written there.
    pub record_tag: Option<RelationId>,
    /// `alias(Move, Form)`: another term or notation that means a move; `alias(Name, Word)`: another word for a name.
    pub alias: Option<RelationId>,
    /// `says(Fact, Parts)`: a fact or a value in words, for explanations.
    pub says: Option<RelationId>,
    /// `shows(Site, Value)`: what is drawn at a site.
    pub shows: Option<RelationId>,
    /// `shows(A, B, Value)`: what is drawn between two sites.
    pub between: Option<RelationId>,
    /// `letter(Value, "K")`: how a value is written in a position as text.
    pub letter: Option<RelationId>,
    /// `position_field(N, Text, Fact)`: how a field after the board of a position as text is written.
    pub position_field: Option<RelationId>,
    /// `position_item(Name, N, Lead, Text, Fact)`: how a position is written as lists.
    pub position_item: Option<RelationId>,
    /// `position_mark(Site, Text, Fact)`: what is written behind a site's letter in a position as text.
    pub position_mark: Option<RelationId>,
    /// `xy(Site, X, Y)`: where a site is drawn.
    pub xy: Option<RelationId>,
    /// `drawn(A, B)`: the lines that are drawn, where these are not the neighbours.
    pub drawn: Option<RelationId>,
    /// `drawn(A, B, C)`: the curves that are drawn, each the longer way from A to B round C.
    pub curved: Option<RelationId>,
    /// `source("text")`: where the rules come from.
    pub source: Option<RelationId>,
    /// `family("name")`: the family of games.
    pub family: Option<RelationId>,
    /// `step(Direction, A, B)`: the neighbour of a site in a direction.
    pub step: Option<RelationId>,
    /// `adjacent(A, B)`: the neighbours of a site.
    pub adjacent: Option<RelationId>,
}

impl Special {
    /// What a relation that gives a number means.
    pub fn of_number(&self, id: RelationId) -> Option<&'static str> {
        let meanings = [
            (self.score, "a player's score"),
            (self.value, "an estimate of the position for a player"),
            (self.weight, "the weight of a chance event in the draw"),
            (self.rank, "which of the legal moves go before others"),
        ];
        meanings.into_iter().find(|(relation, _)| *relation == Some(id)).map(|(_, meaning)| meaning)
    }

    /// The relations that the file defines.
    pub fn all(&self) -> impl Iterator<Item = RelationId> {
        let play = [self.moves, self.chance, self.weight, self.rank, self.score];
        let told = [self.value, self.advice, self.measure, self.prompt, self.notation];
        let looks = [self.glyph, self.shows, self.source, self.family, self.status];
        let written = [self.letter, self.position_field, self.style, self.suffix, self.alias];
        let records = [self.record, self.record_tag, self.position_item, self.prompt_to];
        let board =
            [self.position_mark, self.xy, self.drawn, self.curved, self.step, self.adjacent];
        let pictures = [self.figure, self.look, self.shaded, self.between, self.status_item];
        let all =
            play.into_iter().chain(told).chain(looks).chain(written).chain(records).chain(board);
        all.chain(pictures).flatten()
    }
}

/// A rule file with everything that it includes, resolved.
#[derive(Debug, Clone)]
pub struct Program {
    /// The files that it was read from; the game's own file has id 0.
    pub sources: Sources,
    /// All constants.
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
    /// The players who take part, in declared order, which is that of their turns.
    pub players: Vec<Value>,
    /// Declared players who do not take part under these options.
    pub absent: Vec<Value>,
    /// The number of players depends on options.
    pub seats_vary: bool,
    /// The opening, where it is told as text.
    pub opening: Option<Opening>,
    /// The options by name, in declared order.
    pub options: IndexMap<String, GameOption>,
    /// By [`RelationId`].
    pub relations: Vec<Relation>,
    /// By [`FluentId`].
    pub fluents: Vec<Fluent>,
    /// By [`ClauseId`].
    pub clauses: Vec<Clause>,
    /// The clauses of `win/1`, `lose/1`, `draw/0` and `over/0`, in file order.
    pub ends: Vec<(EndKind, ClauseId)>,
    /// The `example` directives of the game's own file.
    pub examples: Vec<Example>,
    /// The `perft` directives of the game's own file.
    pub perfts: Vec<PerftLine>,
    /// The relations that have a meaning of their own.
    pub special: Special,
    /// Which relation uses which.
    pub graph: Graph,
    /// The clauses of relations that only questions know.
    pub asked: Vec<crate::syntax::Clause>,
}

impl Program {
    /// The players that the rules may name: also those who do not take part under these options.
    pub fn named_players(&self) -> impl Iterator<Item = Value> {
        self.players.iter().chain(&self.absent).copied()
    }

    /// The relation with this id.
    pub fn relation(&self, id: RelationId) -> &Relation {
        &self.relations[id.0 as usize]
    }

    /// The fluent with this id.
    pub fn fluent(&self, id: FluentId) -> &Fluent {
        &self.fluents[id.0 as usize]
    }

    /// The clause with this id.
    pub fn clause(&self, id: ClauseId) -> &Clause {
        &self.clauses[id.0 as usize]
    }

    /// The relation of this name and arity.
    pub fn find_relation(&self, name: &str, arity: usize) -> Option<RelationId> {
        self.relations
            .iter()
            .position(|r| r.name == name && r.arity == arity)
            .map(|i| RelationId(i as u32))
    }

    /// The fluent of this name and number of keys.
    pub fn find_fluent(&self, name: &str, keys: usize) -> Option<FluentId> {
        self.fluents
            .iter()
            .position(|f| f.name == name && f.keys.len() == keys)
            .map(|i| FluentId(i as u32))
    }

    /// The relations that list a board's sites: `cell/1`, `point/1` and `pit/1`, as far as they exist.
    pub fn sites(&self) -> impl Iterator<Item = RelationId> {
        ["cell", "point", "pit"].into_iter().filter_map(|name| self.find_relation(name, 1))
    }

    /// The name of the end that a clause brings about, where the file gives one.
    pub fn end_name(&self, clause: ClauseId) -> Option<&str> {
        match self.values.get(self.clause(clause).end_name?.constant()?) {
            Constant::Text(name) => Some(name),
            _ => None,
        }
    }

    /// The player's place in the declared order, counted from 0.
    pub fn player_index(&self, player: Value) -> Option<usize> {
        self.players.iter().position(|p| *p == player)
    }
}

/// The result of a check: a program where there are no errors, and the diagnostics in either case.
#[derive(Debug)]
pub struct Checked {
    /// The program; `None` where a diagnostic is an error or the request has a fault.
    pub program: Option<Program>,
    /// The files read, to which the spans of the diagnostics refer.
    pub sources: Sources,
    /// What is wrong with the rule file, in file order.
    pub diagnostics: Vec<Diagnostic>,
    /// What is wrong with the request: no such game, no such option.
    pub request_faults: Vec<Diagnostic>,
}
