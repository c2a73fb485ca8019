//! Goals and facts in words.

use std::ops::ControlFlow;

use crate::goals::Evaluator as _;
use crate::goals::Terms as _;
use crate::program::{
    Aggregate, ClauseId, Comparison, DomainSpec, Expression, FluentId, FluentShape, Goal, GoalKind,
    Kind, Program, Term, Value, VariableId, print_expression_with, print_goal_with,
};

use super::Teller;
use super::said::Said;
use super::walk::{Moment, Passed};
use crate::goals::Environment;
use crate::reference::Reference;
use crate::reference::facts::{Facts, IN_SET};
use crate::reference::run::{Answer, Run};

/// The goal whose answers another one counts.
fn counted(goal: &Goal) -> Option<&Goal> {
    match &goal.kind {
        GoalKind::Aggregate(Aggregate::Count, _, inner, _) => Some(inner.as_ref()),
        _ => None,
    }
}

/// The most values of a domain that are listed.
const TOLD: usize = 8;

/// Where the values in a comparison come from.
#[derive(Debug)]
pub(super) struct Origins {
    pub facts: Vec<Said>,
    pub about: Vec<Value>,
    /// All of them are facts in words, which tell what is wrong without the comparison.
    pub worded: bool,
    /// All of them tell in which phase the turn is.
    pub phase: bool,
}

impl Reference {
    /// What stands on a site, in words; `None` where no map tells what stands where.
    pub fn contents_in_words(&self, facts: &Facts, site: Value) -> Option<String> {
        let fluent = self.contents_fluent()?;
        let mut run = Run::new(self, facts);
        Some(Teller::new(&mut run).fact(fluent, &[site]))
    }
}

impl<'r> Teller<'_, 'r> {
    pub fn show(&self, value: Value) -> String {
        self.run.values.show(value)
    }

    pub fn goal_text(
        &self,
        clause: Option<ClauseId>,
        goal: &Goal,
        slots: &[Option<Value>],
    ) -> String {
        print_goal_with(self.run.program, self.clause(clause), goal, &self.run.values, slots)
    }

    pub fn expression_text(
        &self,
        clause: Option<ClauseId>,
        e: &Expression,
        slots: &[Option<Value>],
    ) -> String {
        print_expression_with(self.run.program, self.clause(clause), e, &self.run.values, slots)
    }

    /// `at(c3)`, or `phase` where there are no keys.
    pub fn fluent_term(&self, fluent: FluentId, keys: &[Value]) -> String {
        let name = &self.run.program.fluent(fluent).name;
        match keys {
            [] => name.clone(),
            keys => format!("{name}({})", self.run.values.show_all(keys)),
        }
    }

    /// Whether a fluent tells in which phase the turn is: it has no keys but players, and is not about the board.
    pub fn is_phase(&self, fluent: FluentId, keys: &[Value]) -> bool {
        let program = self.run.program;
        let players = keys.iter().all(|key| program.player_index(*key).is_some());
        players && ![FluentId::TURN, FluentId::MOVER].contains(&fluent)
    }

    /// Whether a value is a piece: a compound that names one player.
    pub fn is_piece(&self, value: Value) -> bool {
        let program = self.run.program;
        self.run.values.functor(value).is_some_and(|(_, args)| {
            args.iter().filter(|arg| program.player_index(**arg).is_some()).count() == 1
        })
    }

    /// A value in words: `white's runner` for `piece(white, runner)`, `white's man` for `man(white)`.
    pub fn named(&mut self, value: Value) -> String {
        let program = self.run.program;
        if let Some(words) = self.in_words(value) {
            return words;
        }
        let Some((name, args)) = self.run.values.functor(value) else { return self.show(value) };
        let (name, args) = (name.to_string(), args.to_vec());
        let (players, kinds): (Vec<Value>, Vec<Value>) =
            args.iter().partition(|arg| program.player_index(**arg).is_some());
        let [player] = players.as_slice() else { return self.show(value) };
        let kinds: Vec<String> = kinds.iter().map(|kind| self.called(*kind)).collect();
        let kind = if kinds.is_empty() { name } else { kinds.join(" ") };
        format!("{} {kind}", owner(&self.show(*player)))
    }

    /// The player whose a piece is, where it is a compound that names one.
    fn player_of(&self, piece: Value) -> Option<Value> {
        let (_, args) = self.run.values.functor(piece)?;
        let mut players = args.iter().filter(|arg| self.run.program.player_index(**arg).is_some());
        players.next().copied()
    }

    /// The only key, where it is a site of the board.
    pub fn site(&self, keys: &[Value]) -> Option<String> {
        let [key] = keys else { return None };
        (!self.sites(&[*key]).is_empty()).then(|| self.show(*key))
    }

    /// The site whose contents a fluent tells, where these are what the board shows; `(4, 1)` on one of columns and
    /// rows.
    fn contents_of(&self, fluent: FluentId, keys: &[Value]) -> Option<String> {
        let drawn = self.run.reference.contents_fluent() == Some(fluent);
        let shape = &self.run.program.fluent(fluent).shape;
        match keys {
            [site] if self.is_numbered_board(fluent) => Some(self.show(*site)),
            _ if !drawn || !matches!(shape, FluentShape::Map { initial: None, .. }) => None,
            [_] => self.site(keys),
            several => Some(format!("({})", self.run.values.show_all(several))),
        }
    }

    /// Whether a map from numbers to players or pieces tells what stands where, in a game whose board is not drawn.
    fn is_numbered_board(&self, fluent: FluentId) -> bool {
        let run = &self.run;
        let (declared, domain) = (run.program.fluent(fluent), run.reference.domain(fluent));
        let players = |value: Value| {
            self.parts(value).into_iter().any(|part| run.program.player_index(part).is_some())
        };
        run.program.special.xy.is_none()
            && declared.keys.len() == 1
            && matches!(declared.shape, FluentShape::Map { initial: None, .. })
            && domain.keys_at(0).all(|key| matches!(key, Value::Integer(_)))
            && domain.values().all(players)
    }

    /// The value of a fluent at some keys, in words: `c3 is occupied by white`, `hand(white) is 9`, `c3 is not
    /// `ko``, `it is white's turn`.
    pub fn fact(&mut self, fluent: FluentId, keys: &[Value]) -> String {
        self.said(fluent, keys).to_string()
    }

    /// The same, with the site of which it is said.
    pub fn said(&mut self, fluent: FluentId, keys: &[Value]) -> Said {
        if let Some(said) = self.fact_worded(fluent, keys) {
            return said;
        }
        let value = self.run.read(fluent, keys);
        let term = self.fluent_term(fluent, keys);
        let set = matches!(self.run.program.fluent(fluent).shape, FluentShape::Set);
        let drawn = self.run.reference.drawn_fluent() == Some(fluent);
        if drawn
            && let Some(site) = self.site(keys)
            && self.contents_of(fluent, keys).is_none()
            && let Some(value @ Value::Constant(_)) = value
        {
            return Said::Of(site, self.named(value));
        }
        if let Some(site) = self.contents_of(fluent, keys) {
            let what = match value {
                Some(value) => format!("occupied by {}", self.named(value)),
                None => "empty".to_string(),
            };
            return Said::Of(site, what);
        }
        if set && let Some(site) = self.site(keys) {
            let name = &self.run.program.fluent(fluent).name;
            let not = if value.is_some() { "" } else { "not " };
            return Said::Of(site, format!("{not}`{name}`"));
        }
        match (fluent, value) {
            (FluentId::TURN, Some(player)) => {
                let whose = turn_of(self.run.program, &self.show(player));
                Said::Turn(format!("it is {whose} turn"))
            }
            (FluentId::MOVER, Some(player)) => {
                Said::Turn(format!("{} made the last move", self.show(player)))
            }
            (FluentId::MOVER, None) => Said::Turn("no move has been made".to_string()),
            (FluentId::PLY, Some(Value::Integer(0))) => {
                Said::Other("no move has been made".to_string())
            }
            (FluentId::PLY, Some(Value::Integer(1))) => {
                Said::Other("one move has been made".to_string())
            }
            (FluentId::PLY, Some(n)) => {
                Said::Other(format!("{} moves have been made", self.show(n)))
            }
            (_, Some(IN_SET)) if set => Said::Of(term, "set".to_string()),
            (_, None) if set => Said::Of(term, "not set".to_string()),
            (_, Some(value)) => Said::Of(term, self.show(value)),
            (_, None) => Said::Other(format!("{term} has no value")),
        }
    }

    /// Why a fluent does not have the value asked for, and the values that this concerns.
    pub fn fluent_reason(
        &mut self,
        fluent: FluentId,
        args: &'r [Term],
        env: &mut Environment,
        shown: &str,
    ) -> Answer<(Said, Vec<Value>)> {
        let declared = self.run.program.fluent(fluent);
        let set = matches!(declared.shape, FluentShape::Set);
        let mut given = Vec::new();
        for arg in args {
            given.push(self.run.value(arg, env)?);
        }
        let open = &given[..given.len() - usize::from(!set && !given.is_empty())];
        if open.contains(&None)
            && let Some(said) = self.denied(&declared.name, &given)
        {
            return ControlFlow::Continue((said, given.into_iter().flatten().collect()));
        }
        let (keys, wanted) = match args.split_last() {
            Some((value, keys)) if !set => (keys, Some(value)),
            _ => (args, None),
        };
        let mut known = Vec::new();
        for key in keys {
            match self.run.value(key, env)? {
                Some(value) => known.push(value),
                None => {
                    let text = match self.nowhere(fluent, wanted, env)? {
                        Some(text) => text,
                        None => format!("no `{shown}` holds"),
                    };
                    return ControlFlow::Continue((Said::Other(text), known));
                }
            }
        }
        if let Some(at) = known
            .iter()
            .position(|k| self.run.reference.domain(fluent).wrong_key(&known) == Some(*k))
        {
            let (key, keys) = (self.show(known[at]), declared.keys.get(at));
            let what = self.domain(keys);
            let text = match (self.contents_of(fluent, &known), keys) {
                (Some(site), Some(DomainSpec::Relation(id))) => {
                    let relation = &self.run.program.relation(*id).name;
                    format!("nothing can stand on {site} (`{relation}({key})` does not hold)")
                }
                (Some(site), _) => format!("nothing can stand on {site}"),
                (None, _) => {
                    format!("`{key}` is no {what}, and `{}` has only those", declared.name)
                }
            };
            return ControlFlow::Continue((Said::Other(text), known));
        }
        let worded = fluent == FluentId::PLY || self.fact_worded(fluent, &known).is_some();
        let mut said = self.said(fluent, &known);
        let stands = self.run.read(fluent, &known);
        if let (Some(wanted), Some(stands), false) = (wanted, stands, worded) {
            let value = self.run.value(wanted, env)?;
            // a piece of another player's is his, whatever its kind
            let owners = value.map(|value| (self.player_of(value), self.player_of(stands)));
            let value = value.map(|value| match owners {
                Some((Some(player), Some(other))) if player != other => self.show(player),
                _ => self.named(value),
            });
            let not = match (value, fluent) {
                (Some(value), FluentId::TURN) => {
                    format!(", not {}", turn_of(self.run.program, &value))
                }
                (Some(value), _) if self.contents_of(fluent, &known).is_some() => {
                    format!(", not by {value}")
                }
                (Some(value), _) => format!(", not {value}"),
                // the pattern that does not match is the last argument as printed
                (None, _) => format!(" (`{shown}` does not hold)"),
            };
            said = match said {
                Said::Of(site, what) => Said::Of(site, format!("{what}{not}")),
                other => Said::Other(format!("{other}{not}")),
            };
        }
        ControlFlow::Continue((said, known))
    }

    /// On how many sites a piece stands, for a count of these.
    pub fn placed(
        &mut self,
        counted: &'r Goal,
        number: Option<Value>,
        env: &mut Environment,
    ) -> Answer<Option<String>> {
        let GoalKind::Call(id, args) = &counted.kind else { return ControlFlow::Continue(None) };
        let relation = self.run.program.relations.get(id.0 as usize);
        let (Some(Kind::Fluent(fluent)), [_, piece]) = (relation.map(|r| r.kind), args.as_slice())
        else {
            return ControlFlow::Continue(None);
        };
        let drawn = self.run.reference.drawn_fluent() == Some(fluent);
        let piece = self.run.value(piece, env)?.filter(|_| drawn);
        let piece = piece.map(|piece| self.named(piece));
        let told = piece.zip(number).map(|(piece, number)| match number {
            Value::Integer(1) => format!("one place is occupied by {piece}"),
            number => format!("{} places are occupied by {piece}", self.show(number)),
        });
        ControlFlow::Continue(told)
    }

    /// That a piece is nowhere on the board.
    fn nowhere(
        &mut self,
        fluent: FluentId,
        wanted: Option<&'r Term>,
        env: &mut Environment,
    ) -> Answer<Option<String>> {
        let declared = self.run.program.fluent(fluent);
        let drawn = self.run.reference.drawn_fluent() == Some(fluent) && declared.keys.len() == 1;
        let Some(wanted) = wanted.filter(|_| drawn) else { return ControlFlow::Continue(None) };
        let value = self.run.value(wanted, env)?;
        let value = value.map(|value| {
            let name = self.named(value);
            let player = self.run.program.player_index(value).is_some();
            if player { owner(&name) } else { name }
        });
        ControlFlow::Continue(value.map(|value| format!("nothing on the board is {value}")))
    }

    fn domain(&self, spec: Option<&DomainSpec>) -> String {
        let program = self.run.program;
        match spec {
            Some(DomainSpec::Relation(id)) => format!("`{}`", program.relation(*id).name),
            Some(DomainSpec::Range(lo, hi)) => format!("number from {lo} to {hi}"),
            Some(DomainSpec::Values(values)) if values.len() <= TOLD => {
                let all: Vec<String> = values.iter().map(|v| self.show(*v)).collect();
                format!("value of {}", all.join(", "))
            }
            _ => "value of its domain".to_string(),
        }
    }

    /// Whether the value is one of the program's constants.
    pub fn known(&self, value: Value) -> bool {
        match value {
            Value::Integer(_) => true,
            Value::Constant(id) => (id.0 as usize) < self.run.reference.values.len(),
        }
    }

    /// The values of the variables and fluents in a comparison: `N is 6 by size(c0, 6)`.
    pub fn origins(
        &mut self,
        clause: Option<ClauseId>,
        goal: &'r Goal,
        moment: &Moment,
        passed: &[std::rc::Rc<Passed<'r>>],
        env: &mut Environment,
    ) -> Answer<Origins> {
        let mut origins =
            Origins { facts: Vec::new(), about: Vec::new(), worded: true, phase: true };
        let seen = direct_variables(goal);
        let names = &self.clause(clause).variables;
        for v in seen {
            let Some(value) = moment.slots[v.0 as usize] else { continue };
            if let Some((fluent, keys)) = self.read_into(v, passed) {
                self.origin(fluent, &keys, &mut origins);
                continue;
            }
            // what the rules fix is told as its value
            if self.by_option(v, passed) {
                (origins.worded, origins.phase) = (false, false);
                continue;
            }
            let source = passed.iter().rev().find(|p| p.gives(v));
            let name = &names[v.0 as usize].name;
            let is = format!("{name} is {}", self.show(value));
            (origins.worded, origins.phase) = (false, false);
            let said = match source {
                None => is,
                Some(p) => match counted(p.goal) {
                    Some(counted) => {
                        let asked = self.goal_in_general(clause, counted, &p.before.slots);
                        format!("`{asked}` holds for {}", self.show(value))
                    }
                    None => {
                        format!("{is} by `{}`", self.goal_text(clause, p.goal, &p.after.slots))
                    }
                },
            };
            origins.facts.push(Said::Other(said));
        }
        for expression in goal.expressions() {
            self.fluents(expression, env, &mut origins)?;
        }
        ControlFlow::Continue(origins)
    }

    /// A call with `_` for what its clause leaves open: a variable of the rules is nothing that a player has written. In goals
    /// that contain others the names tell these apart.
    pub fn goal_in_general(
        &self,
        clause: Option<ClauseId>,
        goal: &Goal,
        slots: &[Option<Value>],
    ) -> String {
        let mut general = self.clause(clause).clone();
        if clause.is_some() && matches!(goal.kind, GoalKind::Call(..)) {
            let mut all = Vec::new();
            goal.each_variable(&mut |v| all.push(v));
            // one that stands in several places tells what they have in common
            for v in all.iter().filter(|v| all.iter().filter(|w| w == v).count() == 1) {
                general.variables[v.0 as usize].name = "_".to_string();
            }
        }
        print_goal_with(self.run.program, &general, goal, &self.run.values, slots)
    }

    /// How many answers a comparison asks for, where a goal before has counted them.
    pub fn asked_of_count(
        &self,
        comparison: Comparison,
        (counts, number): (&Expression, &Expression),
        passed: &[std::rc::Rc<Passed<'r>>],
    ) -> Option<String> {
        let (Expression::Variable(v), Expression::Integer(number)) = (counts, number) else {
            return None;
        };
        counted(passed.iter().rev().find(|p| p.gives(*v))?.goal)?;
        let how = match comparison {
            Comparison::Greater => "more than",
            Comparison::GreaterOrEqual => "at least",
            Comparison::Less => "fewer than",
            Comparison::LessOrEqual => "at most",
            Comparison::Equal => "just",
            Comparison::NotEqual => "more or fewer than",
        };
        Some(format!("{how} {number} are required"))
    }

    fn origin(&mut self, fluent: FluentId, keys: &[Value], origins: &mut Origins) {
        origins.about.extend(keys);
        origins.worded &= self.fact_worded(fluent, keys).is_some();
        origins.phase &= self.is_phase(fluent, keys);
        let fact = self.said(fluent, keys);
        if !origins.facts.contains(&fact) {
            origins.facts.push(fact);
        }
    }

    /// The part of the state whose value a goal before has given to a variable.
    pub fn read_into(
        &self,
        v: VariableId,
        passed: &[std::rc::Rc<Passed<'r>>],
    ) -> Option<(FluentId, Vec<Value>)> {
        let source = passed.iter().rev().find(|p| p.gives(v))?;
        let GoalKind::Call(id, args) = &source.goal.kind else { return None };
        let Kind::Fluent(fluent) = self.run.program.relations.get(id.0 as usize)?.kind else {
            return None;
        };
        let (Term::Variable(last), keys) = args.split_last()? else { return None };
        let known = keys.iter().map(|key| match key {
            Term::Constant(value) => Some(*value),
            Term::Variable(v) => source.after.slots[v.0 as usize],
            _ => None,
        });
        let keys: Vec<Value> = known.collect::<Option<_>>()?;
        let whole = keys.len() == self.run.program.fluent(fluent).keys.len();
        (*last == v && whole).then_some((fluent, keys))
    }

    /// Whether an option of the game has given a variable its value.
    pub fn by_option(&self, v: VariableId, passed: &[std::rc::Rc<Passed<'r>>]) -> bool {
        let source = passed.iter().rev().find(|p| p.gives(v)).map(|p| &p.goal.kind);
        let Some(GoalKind::Call(id, _)) = source else { return false };
        self.is_option(*id)
    }

    fn fluents(
        &mut self,
        expression: &'r Expression,
        env: &mut Environment,
        origins: &mut Origins,
    ) -> Answer<()> {
        match expression {
            Expression::Fluent(fluent, keys) => {
                let mut known = Vec::new();
                for key in keys {
                    known.extend(self.run.value(key, env)?);
                }
                self.origin(*fluent, &known, origins);
            }
            Expression::Operation(_, args) => {
                for arg in args {
                    self.fluents(arg, env, origins)?;
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// The variables that are operands of a comparison themselves, not keys of a fluent in it.
pub(super) fn direct_variables(goal: &Goal) -> Vec<VariableId> {
    fn visit(expression: &Expression, found: &mut Vec<VariableId>) {
        match expression {
            Expression::Variable(v) if !found.contains(v) => found.push(*v),
            Expression::Operation(_, args) => args.iter().for_each(|a| visit(a, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    goal.expressions().into_iter().for_each(|e| visit(e, &mut found));
    found
}

/// Whose turn it is: `white's`, `the goats'`. Sides are called by nouns where the name of one is a plural.
pub(crate) fn turn_of(program: &Program, name: &str) -> String {
    let is_plural = |name: &str| {
        name.ends_with('s') && name.len() > 2 && !name.ends_with("ss") && !name.ends_with("us")
    };
    let mut players = program.players.iter();
    match players.any(|player| is_plural(&program.values.show(*player))) {
        true => format!("the {}", owner(name)),
        false => owner(name),
    }
}

/// `white's`, `goats'`.
pub(crate) fn owner(name: &str) -> String {
    match name.ends_with('s') {
        true => format!("{name}'"),
        false => format!("{name}'s"),
    }
}
