//! Goals and facts in words.

use std::ops::ControlFlow;

use crate::diagnostic::nearest;
use crate::goals::Evaluator as _;
use crate::goals::Terms as _;
use crate::program::{
    ClauseId, DomainSpec, Expression, FluentId, FluentShape, Goal, GoalKind, Kind, RelationId,
    Term, Value, VariableId, print_goal_with,
};

use super::super::facts::IN_SET;
use super::super::run::Answer;
use super::Teller;
use super::said::Said;
use super::walk::{Moment, Passed};
use crate::goals::Environment;

/// The most answers shown of a relation that has others than the one asked for.
const TOLD: usize = 8;

/// The relation between an option and its value.
const OPTION: &str = "option";

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

    /// `a and b`, `a, b and c`.
    pub fn listed(items: &[String], last: &str) -> String {
        match items {
            [] => String::new(),
            [one] => one.clone(),
            [front @ .., end] => format!("{} {last} {end}", front.join(", ")),
        }
    }

    /// `at(c3)`, or `phase` where there are no keys.
    pub fn fluent_term(&self, fluent: FluentId, keys: &[Value]) -> String {
        let name = &self.run.program.fluent(fluent).name;
        match keys {
            [] => name.clone(),
            keys => format!("{name}({})", self.run.values.show_all(keys)),
        }
    }

    /// Whether a value is a piece: a compound that names one player.
    pub fn is_piece(&self, value: Value) -> bool {
        let program = self.run.program;
        self.run.values.functor(value).is_some_and(|(_, args)| {
            args.iter().filter(|arg| program.player_index(**arg).is_some()).count() == 1
        })
    }

    /// A value in words: `white's runner` for `piece(white, runner)`, `white's man` for `man(white)`.
    pub fn named(&self, value: Value) -> String {
        let program = self.run.program;
        let Some((name, args)) = self.run.values.functor(value) else { return self.show(value) };
        let (players, kinds): (Vec<Value>, Vec<Value>) =
            args.iter().partition(|arg| program.player_index(**arg).is_some());
        let [player] = players.as_slice() else { return self.show(value) };
        let kinds: Vec<String> = kinds.iter().map(|kind| self.show(*kind)).collect();
        let kind = if kinds.is_empty() { name.to_string() } else { kinds.join(" ") };
        format!("{} {kind}", owner(&self.show(*player)))
    }

    /// The only key, where it is a site of the board.
    fn site(&self, keys: &[Value]) -> Option<String> {
        let [key] = keys else { return None };
        (!self.sites(&[*key]).is_empty()).then(|| self.show(*key))
    }

    /// The site whose contents a fluent tells, where these are what the board shows.
    fn contents_of(&self, fluent: FluentId, keys: &[Value]) -> Option<String> {
        let drawn = self.run.reference.drawn_fluent() == Some(fluent);
        let shape = &self.run.program.fluent(fluent).shape;
        if drawn && matches!(shape, FluentShape::Map { initial: None, .. }) {
            self.site(keys)
        } else {
            None
        }
    }

    /// The value of a fluent at some keys, in words: `c3 is occupied by white`, `hand(white) is 9`, `c3 is not
    /// `ko``, `it is white's turn`.
    pub fn fact(&self, fluent: FluentId, keys: &[Value]) -> String {
        self.said(fluent, keys).to_string()
    }

    /// The same, with the site of which it is said.
    pub fn said(&self, fluent: FluentId, keys: &[Value]) -> Said {
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
                Said::Turn(format!("it is {} turn", owner(&self.show(player))))
            }
            (FluentId::MOVER, Some(player)) => {
                Said::Turn(format!("{} made the last move", self.show(player)))
            }
            (FluentId::MOVER, None) => Said::Turn("no move has been made".to_string()),
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
            let (key, what) = (self.show(known[at]), self.domain(declared.keys.get(at)));
            let text = format!("`{key}` is no {what}, and `{}` has only those", declared.name);
            return ControlFlow::Continue((Said::Other(text), known));
        }
        let mut said = self.said(fluent, &known);
        if let (Some(wanted), Some(_)) = (wanted, self.run.read(fluent, &known)) {
            let value = self.run.value(wanted, env)?.map(|v| self.named(v));
            let not = match (value, fluent) {
                (Some(value), FluentId::TURN) => format!(", not {}", owner(&value)),
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
        let piece = self.run.value(piece, env)?.filter(|_| drawn).map(|piece| self.named(piece));
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
        let value = self.run.value(wanted, env)?.map(|value| {
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

    /// Why a static relation does not hold: the values for which it holds instead.
    pub fn static_reason(
        &mut self,
        id: RelationId,
        args: &'r [Term],
        env: &mut Environment,
        shown: &str,
    ) -> Answer<(String, Vec<Value>)> {
        let relation = self.run.program.relation(id);
        let mut given = Vec::new();
        for arg in args {
            given.push(self.run.value(arg, env)?);
        }
        // the answers with the last argument left open
        let mut open = given.clone();
        *open.last_mut().unwrap_or(&mut None) = None;
        let lookup = self.run.lookup(id, &open)?;
        let table = lookup.tables.get(id);
        let about: Vec<Value> = given.iter().flatten().copied().collect();
        if let [Some(value)] = given[..] {
            let name = self.show(value);
            let others: Vec<String> = table.column(0).into_iter().map(|v| self.show(v)).collect();
            let mut text = format!("`{name}` is no `{}`", relation.name);
            if others.len() <= TOLD {
                text = format!(
                    "{text}: only {} {}",
                    Self::listed(&others, "and"),
                    if others.len() == 1 { "is" } else { "are" }
                );
            } else if !self.known(value)
                && let Some(near) = nearest(&name, others.iter().map(String::as_str))
            {
                text = format!("{text}; `{near}` is one");
            }
            return ControlFlow::Continue((text, about));
        }
        let text = match given.split_last() {
            Some((Some(_), front)) if front.iter().all(Option::is_some) => {
                let rows = lookup.rows(id, &open);
                let mut last: Vec<String> = rows
                    .iter()
                    .filter_map(|n| table.row(*n as usize).last().map(|v| self.show(*v)))
                    .collect();
                last.sort();
                let front: Vec<Value> = front.iter().flatten().copied().collect();
                let told = self
                    .of_another(id, &about)
                    .or_else(|| self.apart(&relation.name, &about, &last));
                if let Some(text) = told {
                    return ControlFlow::Continue((text, about));
                }
                let pattern = format!("{}({}, X)", relation.name, self.run.values.show_all(&front));
                match last.as_slice() {
                    [only] if relation.name == OPTION => {
                        let (name, wanted) = (self.show(about[0]), self.show(about[1]));
                        return ControlFlow::Continue((
                            format!("the option `{name}` is {only}, not {wanted}"),
                            about,
                        ));
                    }
                    _ => {}
                }
                match last.len() {
                    0 => format!("`{shown}` does not hold, and `{pattern}` for no X"),
                    1..=TOLD => {
                        let all = Self::listed(&last, "and");
                        format!("`{shown}` does not hold: `{pattern}` only for {all}")
                    }
                    _ => format!("`{shown}` does not hold"),
                }
            }
            _ => format!("`{shown}` does not hold"),
        };
        ControlFlow::Continue((text, about))
    }

    /// That something is another player's, where a relation between a player and it holds for that player.
    pub fn of_another(&mut self, id: RelationId, values: &[Value]) -> Option<String> {
        let [a, b] = values else { return None };
        let program = self.run.program;
        let is_player = |value: &Value| program.player_index(*value).is_some();
        let (at, thing) = match (is_player(a), is_player(b)) {
            (true, false) => (0, *b),
            (false, true) => (1, *a),
            _ => return None,
        };
        for player in &program.players {
            let mut row = values.to_vec();
            row[at] = *player;
            let given: Vec<Option<Value>> = row.iter().copied().map(Some).collect();
            let ControlFlow::Continue(lookup) = self.run.lookup(id, &given) else { continue };
            if lookup.tables.get(id).contains(&row) {
                let (thing, whose) = (self.show(thing), owner(&self.show(*player)));
                let (relation, not) = (&program.relation(id).name, owner(&self.show(values[at])));
                // `hole(south, a1)` names what the thing is to the player, `owner(king, swedes)` does not
                return Some(match at {
                    0 => format!("{thing} is {whose} `{relation}`, not {not}"),
                    _ => {
                        let asked = self.run.values.show_all(values);
                        format!(
                            "{thing} is {whose}, not {not} (`{relation}({asked})` does not hold)"
                        )
                    }
                });
            }
        }
        None
    }

    /// Whether a static relation between players and sites tells that a site is a player's and no other's.
    pub fn belongs(&mut self, site: Value, player: Value) -> bool {
        let program = self.run.program;
        let pairs = (0..program.relations.len()).map(|id| RelationId(id as u32)).filter(|id| {
            let relation = program.relation(*id);
            relation.kind == Kind::Static && relation.arity == 2
        });
        for id in pairs.collect::<Vec<_>>() {
            let holds = |teller: &mut Self, row: [Value; 2]| {
                let lookup = teller.run.lookup(id, &row.map(Some));
                matches!(lookup, ControlFlow::Continue(l) if l.tables.get(id).contains(&row))
            };
            let others = program.players.iter().filter(|p| **p != player);
            let owned = holds(self, [player, site]);
            if owned && !others.copied().any(|other| holds(self, [other, site])) {
                return true;
            }
        }
        false
    }

    /// That one site is not beside another, in words; `last` are the sites that are.
    fn apart(&self, relation: &str, values: &[Value], last: &[String]) -> Option<String> {
        let told = match (relation, values) {
            ("adjacent", [a, b]) => {
                self.site(&[*a])?;
                format!("{} is not next to {}", self.site(&[*b])?, self.show(*a))
            }
            ("step", [way, a, b]) => {
                let (a, b, way) = (self.site(&[*a])?, self.site(&[*b])?, self.show(*way));
                match last {
                    [] => format!("there is no step `{way}` from {a}"),
                    [one] => format!("the step `{way}` from {a} leads to {one}, not to {b}"),
                    _ => format!("no step `{way}` from {a} leads to {b}"),
                }
            }
            (_, [front @ .., b]) => {
                self.site(&[*b])?;
                let a = front.iter().rev().find_map(|value| self.site(&[*value]))?;
                match last {
                    [] => format!("from {a} `{relation}` leads nowhere"),
                    _ if last.len() > TOLD => {
                        format!("from {a} `{relation}` does not lead to {}", self.show(*b))
                    }
                    _ => {
                        format!("from {a} `{relation}` leads only to {}", Self::listed(last, "and"))
                    }
                }
            }
            _ => return None,
        };
        Some(told)
    }

    /// That a piece cannot come from one site to another in any position; without the piece, what stands there.
    pub fn no_way(&self, piece: Option<Value>, from: Value, to: Value) -> String {
        let piece = piece.or_else(|| self.piece_on(from));
        let piece = piece.map(|piece| format!(" for {}", self.named(piece))).unwrap_or_default();
        format!("there is no way{piece} from {} to {}", self.show(from), self.show(to))
    }

    /// The piece on a site.
    pub fn piece_on(&self, site: Value) -> Option<Value> {
        let stands = self.run.read(self.run.reference.drawn_fluent()?, &[site])?;
        self.is_piece(stands).then_some(stands)
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
    ) -> Answer<(Vec<Said>, Vec<Value>)> {
        let mut origins = Vec::new();
        let mut about = Vec::new();
        let seen = direct_variables(goal);
        let names = &self.clause(clause).variables;
        for v in seen {
            let Some(value) = moment.slots[v.0 as usize] else { continue };
            if let Some((fluent, keys)) = self.read_into(v, passed) {
                about.extend(&keys);
                origins.push(self.said(fluent, &keys));
                continue;
            }
            let source = passed.iter().rev().find(|p| {
                p.before.slots[v.0 as usize].is_none() && p.after.slots[v.0 as usize].is_some()
            });
            let name = &names[v.0 as usize].name;
            let is = format!("{name} is {}", self.show(value));
            origins.push(Said::Other(match source {
                Some(p) => {
                    format!("{is} by `{}`", self.goal_text(clause, p.goal, &p.after.slots))
                }
                None => is,
            }));
        }
        for expression in goal.expressions() {
            self.fluents(expression, env, &mut origins, &mut about)?;
        }
        ControlFlow::Continue((origins, about))
    }

    /// The part of the state whose value a goal before has given to a variable.
    pub fn read_into(
        &self,
        v: VariableId,
        passed: &[std::rc::Rc<Passed<'r>>],
    ) -> Option<(FluentId, Vec<Value>)> {
        let at = v.0 as usize;
        let gives = |p: &&std::rc::Rc<Passed<'r>>| {
            p.before.slots[at].is_none() && p.after.slots[at].is_some()
        };
        let source = passed.iter().rev().find(gives)?;
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

    fn fluents(
        &mut self,
        expression: &'r Expression,
        env: &mut Environment,
        origins: &mut Vec<Said>,
        about: &mut Vec<Value>,
    ) -> Answer<()> {
        match expression {
            Expression::Fluent(fluent, keys) => {
                let mut known = Vec::new();
                for key in keys {
                    known.extend(self.run.value(key, env)?);
                }
                about.extend(&known);
                let fact = self.said(*fluent, &known);
                if !origins.contains(&fact) {
                    origins.push(fact);
                }
            }
            Expression::Operation(_, args) => {
                for arg in args {
                    self.fluents(arg, env, origins, about)?;
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

/// `white's`, `goats'`.
pub(super) fn owner(name: &str) -> String {
    match name.ends_with('s') {
        true => format!("{name}'"),
        false => format!("{name}'s"),
    }
}
