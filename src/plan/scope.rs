//! What the rules of play look at: the moves, chance events, ranks, ends and scores, and all that they
//! use. Only this tells positions apart, and only this has to be alike in a symmetry.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::datalog::Tables;
use crate::program::{
    BuiltIn, Clause, ClauseId, ConstantId, EndKind, Expression, FluentId, Goal, GoalKind, Kind,
    Program, RelationId, Term, Value, VariableId,
};

use super::first_answers::order_matters;

/// What the rules of play look at.
#[derive(Debug, Default)]
pub struct Scope {
    /// The fluents that they read, and the turn; in declared order.
    pub fluents: Vec<FluentId>,
    /// The static relations that their goals call; in declared order.
    pub statics: Vec<RelationId>,
    /// The arguments of static relations whose lists are used for more than their members: there the order
    /// of the items matters.
    pub ordered: FxHashSet<(RelationId, usize)>,
    /// The arguments of static relations that are looked at.
    pub read: FxHashSet<(RelationId, usize)>,
    /// The arguments of static relations that only name moves: moves with different names differ, but it does
    /// not matter what they are called.
    pub naming: FxHashSet<(RelationId, usize)>,
    /// The constants that their clauses name.
    pub named: FxHashSet<ConstantId>,
    /// Earlier positions decide more than whether the game is drawn.
    pub remembers: bool,
    /// Whether a goal counts the earlier occurrences of the position (`repeated`), and whether one counts those of the board
    /// (`repeated_board`).
    pub repeats: (bool, bool),
    /// The clauses that can fire.
    clauses: Vec<ClauseId>,
}

/// How a variable is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    /// As an argument of a static relation.
    Static(RelationId, usize),
    /// As the list of a `member`.
    Members,
    /// In the name of a move.
    Name,
    /// In another way.
    Other,
}

impl Scope {
    /// What the rules of a game look at.
    pub fn of(program: &Program, tables: &Tables) -> Scope {
        let special = &program.special;
        let play = [special.moves, special.chance, special.weight, special.rank, special.score];
        let ends = |draws: bool| {
            let those =
                program.ends.iter().filter(move |(kind, _)| (*kind == EndKind::Draw) == draws);
            those.map(|(_, clause)| program.clause(*clause).relation)
        };
        let decisive: Vec<RelationId> = play.into_iter().flatten().chain(ends(false)).collect();
        let all = decisive.iter().copied().chain(ends(true)).collect();
        let decides = Walk::new(program, tables).reached(decisive).repeats;
        let remembers = decides.0 || decides.1;
        let mut walk = Walk::new(program, tables).reached(all);
        walk.fluents.insert(FluentId::TURN);
        let mut scope = Scope {
            fluents: walk.fluents.into_iter().collect(),
            statics: walk.statics.into_iter().collect(),
            ordered: walk.ordered,
            read: walk.read,
            naming: walk.naming,
            named: walk.named,
            remembers,
            repeats: walk.repeats,
            clauses: walk.clauses,
        };
        // what is asked of a move may depend on its name
        if walk.asks_moves || special.rank.is_some() || special.weight.is_some() {
            scope.read.extend(std::mem::take(&mut scope.naming));
        }
        scope.fluents.sort_unstable();
        scope.statics.sort_unstable();
        scope
    }

    /// Whether the order of answers may decide what happens: no renaming of the constants keeps it.
    pub fn is_in_order(&self, program: &Program, tables: &Tables) -> bool {
        self.clauses.iter().any(|id| order_matters(program, tables, program.clause(*id)))
    }

    /// Whether the player to move does not tell who made the last move, or the legal moves depend on who made it.
    pub fn tells_mover(program: &Program, tables: &Tables) -> bool {
        let special = &program.special;
        let play = [special.moves, special.chance, special.weight, special.rank];
        let moves = Walk::new(program, tables).reached(play.into_iter().flatten().collect());
        let mut again = program.players.len() != 2;
        for clause in &program.clauses {
            clause.body.walk(&mut |goal| {
                again |=
                    matches!(goal.kind, GoalKind::Again | GoalKind::Assign(FluentId::TURN, ..));
            });
        }
        again || moves.fluents.contains(&FluentId::MOVER)
    }

    /// The fluents that decide more than whether the game is drawn. Ends that look at earlier positions are left out
    /// with what else they read.
    pub fn decisive(program: &Program, tables: &Tables) -> FxHashSet<FluentId> {
        let special = &program.special;
        let play = [special.moves, special.chance, special.weight, special.rank, special.score];
        let mut walk = Walk { decides: true, ..Walk::new(program, tables) };
        for (kind, id) in &program.ends {
            let clause = program.clause(*id);
            let mut remembers = false;
            clause.body.walk(&mut |goal| {
                remembers |=
                    matches!(goal.kind, GoalKind::Repeated(_) | GoalKind::RepeatedBoard(_));
            });
            if *kind != EndKind::Draw && !remembers && !walk.never(&clause.body) {
                walk.clause(clause);
            }
        }
        walk.reached(play.into_iter().flatten().collect()).fluents
    }
}

/// A walk through the clauses that can fire.
struct Walk<'p> {
    program: &'p Program,
    tables: &'p Tables,
    fluents: FxHashSet<FluentId>,
    statics: FxHashSet<RelationId>,
    ordered: FxHashSet<(RelationId, usize)>,
    read: FxHashSet<(RelationId, usize)>,
    naming: FxHashSet<(RelationId, usize)>,
    named: FxHashSet<ConstantId>,
    repeats: (bool, bool),
    clauses: Vec<ClauseId>,
    /// A goal asks which moves there are.
    asks_moves: bool,
    /// Where only what decides is looked for: a part of the state that only leads on to its own next value, as one that is
    /// counted up does, decides nothing by that.
    decides: bool,
    /// The part that is given its next value.
    written: Option<FluentId>,
    /// The goal that is looked at is counted.
    counting: bool,
    seen: FxHashSet<RelationId>,
    rest: Vec<RelationId>,
    /// The uses of the variables of the clause that is looked at.
    uses: FxHashMap<VariableId, Vec<Use>>,
}

impl<'p> Walk<'p> {
    fn new(program: &'p Program, tables: &'p Tables) -> Walk<'p> {
        Walk {
            program,
            tables,
            fluents: FxHashSet::default(),
            statics: FxHashSet::default(),
            ordered: FxHashSet::default(),
            read: FxHashSet::default(),
            naming: FxHashSet::default(),
            named: FxHashSet::default(),
            repeats: (false, false),
            clauses: Vec::new(),
            asks_moves: false,
            decides: false,
            written: None,
            counting: false,
            seen: FxHashSet::default(),
            rest: Vec::new(),
            uses: FxHashMap::default(),
        }
    }

    /// Walks through what these relations use. What static relations use is in their rows.
    fn reached(mut self, roots: Vec<RelationId>) -> Walk<'p> {
        roots.into_iter().for_each(|root| self.call(root));
        while let Some(id) = self.rest.pop() {
            let relation = self.program.relation(id);
            match relation.kind {
                Kind::Fluent(fluent) => {
                    self.fluents.insert(fluent);
                }
                Kind::Static => {
                    self.statics.insert(id);
                }
                Kind::Derived | Kind::Action => {
                    for id in &relation.clauses {
                        let clause = self.program.clause(*id);
                        if !self.never(&clause.body) {
                            self.clauses.push(*id);
                            self.clause(clause);
                        }
                    }
                }
            }
        }
        self
    }

    fn call(&mut self, id: RelationId) {
        if self.seen.insert(id) {
            self.rest.push(id);
        }
    }

    fn clause(&mut self, clause: &Clause) {
        self.uses.clear();
        let is_move = self.program.special.moves == Some(clause.relation);
        let used = if is_move { Use::Name } else { Use::Other };
        clause.head.iter().for_each(|term| self.term(term, used));
        self.goal(&clause.body);
        for uses in self.uses.values() {
            for (i, used) in uses.iter().enumerate() {
                let Use::Static(relation, argument) = used else { continue };
                let mut others = (0..uses.len()).filter(|j| *j != i).map(|j| uses[j]).peekable();
                if others.peek().is_none() {
                    continue;
                }
                let (mut members, mut names) = (true, true);
                for other in others {
                    members &= other == Use::Members;
                    names &= other == Use::Name;
                }
                if !members {
                    self.ordered.insert((*relation, *argument));
                }
                let kind = if names { &mut self.naming } else { &mut self.read };
                kind.insert((*relation, *argument));
            }
        }
    }

    /// Whether a goal has no answer in any position: a static relation has no such row, as under another
    /// option.
    fn never(&self, goal: &Goal) -> bool {
        match &goal.kind {
            GoalKind::Fail => true,
            GoalKind::And(goals) => goals.iter().any(|goal| self.never(goal)),
            GoalKind::Or(goals) => goals.iter().all(|goal| self.never(goal)),
            GoalKind::Call(id, args) if self.program.relation(*id).kind == Kind::Static => {
                let fits = |row: &[Value]| {
                    let mut pairs = args.iter().zip(row);
                    pairs.all(|(arg, value)| !matches!(arg, Term::Constant(c) if c != value))
                };
                !self.tables.get(*id).rows().any(|row| fits(row.as_slice()))
            }
            _ => false,
        }
    }

    fn goal(&mut self, goal: &Goal) {
        match &goal.kind {
            GoalKind::Or(goals) => {
                for goal in goals {
                    if !self.never(goal) {
                        self.goal(goal);
                    }
                }
                return;
            }
            GoalKind::If(condition, _, otherwise) if self.never(condition) => {
                return self.goal(otherwise);
            }
            GoalKind::Call(id, args) => {
                self.call(*id);
                let of_static = self.program.relation(*id).kind == Kind::Static;
                for (i, arg) in args.iter().enumerate() {
                    match of_static {
                        true => self.term(arg, Use::Static(*id, i)),
                        false => self.term(arg, Use::Other),
                    }
                }
                return;
            }
            GoalKind::BuiltIn(BuiltIn::Member, args) => {
                for (arg, used) in args.iter().zip([Use::Other, Use::Members]) {
                    self.term(arg, used);
                }
                return;
            }
            GoalKind::Repeated(_) => self.repeats.0 = true,
            GoalKind::RepeatedBoard(_) => self.repeats.1 = true,
            GoalKind::Legal(_) => self.asks_moves = true,
            GoalKind::Aggregate(_, template, inner, result) => {
                // what is counted may depend on how many rows there are
                let outer = std::mem::replace(&mut self.counting, true);
                self.goal(inner);
                self.counting = outer;
                [template, result].into_iter().for_each(|term| self.term(term, Use::Other));
                return;
            }
            _ => {}
        }
        goal.terms().into_iter().for_each(|term| self.term(term, Use::Other));
        self.written = match goal.kind {
            GoalKind::AssignNumber(fluent, ..) if self.decides => Some(fluent),
            _ => None,
        };
        goal.expressions().into_iter().for_each(|expression| self.expression(expression));
        self.written = None;
        goal.children().into_iter().for_each(|goal| self.goal(goal));
    }

    fn expression(&mut self, expression: &Expression) {
        match expression {
            Expression::Integer(_) => {}
            Expression::Variable(v) => self.uses.entry(*v).or_default().push(Use::Other),
            Expression::Fluent(fluent, keys) => {
                if self.written != Some(*fluent) {
                    self.fluents.insert(*fluent);
                }
                keys.iter().for_each(|key| self.term(key, Use::Other));
            }
            Expression::Operation(_, args) => args.iter().for_each(|e| self.expression(e)),
        }
    }

    /// Notes the constants and variables of a term.
    fn term(&mut self, term: &Term, used: Use) {
        if let (Use::Static(relation, argument), false) = (used, matches!(term, Term::Variable(_)))
        {
            self.read.insert((relation, argument));
        }
        if let (Use::Static(relation, argument), true) = (used, self.counting) {
            self.read.insert((relation, argument));
        }
        let inside = if used == Use::Name { Use::Name } else { Use::Other };
        match term {
            Term::Variable(v) => self.uses.entry(*v).or_default().push(used),
            Term::Constant(value) => {
                if let Use::Static(relation, argument) = used
                    && self.program.values.items(*value).is_some()
                {
                    self.ordered.insert((relation, argument));
                }
                self.value(*value);
            }
            Term::Compound(_, args) => args.iter().for_each(|arg| self.term(arg, inside)),
            Term::List(items, tail) => {
                if let Use::Static(relation, argument) = used {
                    self.ordered.insert((relation, argument));
                }
                items.iter().chain(tail.as_deref()).for_each(|item| self.term(item, inside));
            }
        }
    }

    fn value(&mut self, value: Value) {
        let Some(id) = value.constant() else { return };
        if self.named.insert(id) {
            let parts = self.program.values.functor(value).map(|(_, parts)| parts);
            let items = self.program.values.items(value);
            for part in parts.into_iter().chain(items).flatten() {
                self.value(*part);
            }
        }
    }
}
