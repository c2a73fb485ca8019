//! Goals and facts in words.

use std::ops::ControlFlow;

use crate::diagnostic::nearest;
use crate::goals::Evaluator as _;
use crate::goals::Terms as _;
use crate::program::{
    ClauseId, DomainSpec, Expression, FluentId, FluentShape, Goal, RelationId, Term, Value,
    VariableId, print_goal_with,
};

use super::super::facts::IN_SET;
use super::super::run::Answer;
use super::Teller;
use super::walk::{Moment, Passed};
use crate::goals::Environment;

/// The most answers shown of a relation that has others than the one asked for.
const TOLD: usize = 8;

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

    /// The value of a fluent at some keys, in words: `at(c3) is white`, `ko(c3)`, `it is white's
    /// turn`.
    pub fn fact(&self, fluent: FluentId, keys: &[Value]) -> String {
        let value = self.run.read(fluent, keys);
        let term = self.fluent_term(fluent, keys);
        let set = matches!(self.run.program.fluent(fluent).shape, FluentShape::Set);
        match (fluent, value) {
            (FluentId::TURN, Some(player)) => format!("it is {} turn", owner(&self.show(player))),
            (FluentId::MOVER, Some(player)) => format!("{} made the last move", self.show(player)),
            (FluentId::MOVER, None) => "no move has been made".to_string(),
            (FluentId::PLY, Some(n)) => format!("{} moves have been made", self.show(n)),
            (_, Some(IN_SET)) if set => format!("{term} is set"),
            (_, None) if set => format!("{term} is not set"),
            (_, Some(value)) => format!("{term} is {}", self.show(value)),
            (_, None) => format!("{term} has no value"),
        }
    }

    /// Why a fluent does not have the value asked for, and the values that this concerns.
    pub fn fluent_reason(
        &mut self,
        fluent: FluentId,
        args: &'r [Term],
        env: &mut Environment,
        shown: &str,
    ) -> Answer<(String, Vec<Value>)> {
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
                None => return ControlFlow::Continue((format!("no `{shown}` holds"), known)),
            }
        }
        if let Some(at) = known
            .iter()
            .position(|k| self.run.reference.domain(fluent).wrong_key(&known) == Some(*k))
        {
            let (key, what) = (self.show(known[at]), self.domain(declared.keys.get(at)));
            let text = format!("`{key}` is no {what}, and `{}` has only those", declared.name);
            return ControlFlow::Continue((text, known));
        }
        let mut text = self.fact(fluent, &known);
        if let (Some(wanted), Some(_)) = (wanted, self.run.read(fluent, &known)) {
            let value = self.run.value(wanted, env)?.map(|v| self.show(v));
            match (value, fluent) {
                (Some(value), FluentId::TURN) => text = format!("{text}, not {}", owner(&value)),
                (Some(value), _) => text = format!("{text}, not {value}"),
                (None, _) => {
                    // the pattern that does not match is the last argument as printed
                    text = format!("{text}, which does not fit `{shown}`");
                }
            }
        }
        ControlFlow::Continue((text, known))
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
                let pattern = format!("{}({}, X)", relation.name, self.run.values.show_all(&front));
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
    ) -> Answer<(Vec<String>, Vec<Value>)> {
        let mut origins = Vec::new();
        let mut about = Vec::new();
        let seen = direct_variables(goal);
        let names = &self.clause(clause).variables;
        for v in seen {
            let Some(value) = moment.slots[v.0 as usize] else { continue };
            let source = passed.iter().rev().find(|p| {
                p.before.slots[v.0 as usize].is_none() && p.after.slots[v.0 as usize].is_some()
            });
            let name = &names[v.0 as usize].name;
            let is = format!("{name} is {}", self.show(value));
            origins.push(match source {
                Some(p) => {
                    format!("{is} by `{}`", self.goal_text(clause, p.goal, &p.after.slots))
                }
                None => is,
            });
        }
        for expression in goal.expressions() {
            self.fluents(expression, env, &mut origins, &mut about)?;
        }
        ControlFlow::Continue((origins, about))
    }

    fn fluents(
        &mut self,
        expression: &'r Expression,
        env: &mut Environment,
        origins: &mut Vec<String>,
        about: &mut Vec<Value>,
    ) -> Answer<()> {
        match expression {
            Expression::Fluent(fluent, keys) => {
                let mut known = Vec::new();
                for key in keys {
                    known.extend(self.run.value(key, env)?);
                }
                about.extend(&known);
                let fact = self.fact(*fluent, &known);
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
