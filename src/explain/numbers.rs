//! Numbers in reasons: which of them a sentence tells.

use std::ops::ControlFlow;

use crate::goals::Environment;
use crate::program::{ClauseId, Kind, RelationId, Term, Value};

use super::Teller;
use super::walk::Moment;
use crate::reference::run::{Answer, Stop};

/// How far from a number others are tried in its place.
const FAR: i64 = 12;

impl<'r> Teller<'_, 'r> {
    /// What a goal says of its arguments in a sentence: nothing of a number that only the rules have calculated, which
    /// neither the move nor the rule's text names. Where sites are numbers, any number may be a site.
    pub(super) fn without_numbers(
        &self,
        clause: Option<ClauseId>,
        args: &[Term],
        given: &[Option<Value>],
    ) -> Vec<Option<Value>> {
        let keys = self.run.reference.contents_keys();
        let Some(by) = clause.filter(|_| self.run.program.special.xy.is_some() && keys.is_empty())
        else {
            return given.to_vec();
        };
        let mut named = Vec::new();
        let program = self.run.program;
        let moves = [program.special.moves, program.special.chance].into_iter().flatten();
        if moves.into_iter().any(|id| program.relation(id).clauses.contains(&by)) {
            let head = program.clause(by).head.iter();
            head.for_each(|arg| arg.each_variable(&mut |v| named.push(v)));
        }
        let told = |(arg, value): (&Term, &Option<Value>)| match (arg, value) {
            (Term::Variable(v), Some(Value::Integer(_))) => value.filter(|_| named.contains(v)),
            _ => *value,
        };
        args.iter().zip(given).map(told).collect()
    }

    /// That a relation holds with another number in place of one that a sentence would leave out: this number is then
    /// what the failure is about. `b2 can be reached from a1 with N = 2, not with N = 3`.
    pub(super) fn another_number(
        &mut self,
        (id, given, told): (RelationId, &[Option<Value>], &[Option<Value>]),
        ends: &[Value],
        at: &Moment,
    ) -> Answer<Option<String>> {
        let relation = self.run.program.relation(id);
        if relation.kind != Kind::Derived {
            return ControlFlow::Continue(None);
        }
        for (place, value) in given.iter().enumerate() {
            let (Some(Value::Integer(number)), None) = (value, told[place]) else { continue };
            let nearest = (1..=FAR).flat_map(|by| [number - by, number + by]);
            for other in nearest {
                let mut asked = given.to_vec();
                asked[place] = Some(Value::Integer(other));
                if !self.relation_holds(id, &asked, at)? {
                    continue;
                }
                let name = self.number_name(id, place).map_or(String::new(), |n| format!("{n} = "));
                return ControlFlow::Continue(Some(match ends {
                    [from, to] => {
                        let (from, to) = (self.show(*from), self.show(*to));
                        let reached = format!("{to} can be reached from {from}");
                        format!("{reached} with {name}{other}, not with {name}{number}")
                    }
                    _ => format!(
                        "`{}` holds with {name}{other}, not with {name}{number}",
                        relation.name
                    ),
                }));
            }
        }
        ControlFlow::Continue(None)
    }

    /// Whether a relation holds for some values. A fault there is none of the question: it counts as no.
    fn relation_holds(
        &mut self,
        id: RelationId,
        given: &[Option<Value>],
        at: &Moment,
    ) -> Answer<bool> {
        let mut holds = false;
        let flow = self.run.at(at, None, |run, _| {
            let caller = Environment::new(None, 0, 0);
            run.rows(id, given, &caller, &mut |_, _| {
                holds = true;
                ControlFlow::Break(Stop::Enough)
            })
        });
        match flow {
            ControlFlow::Break(Stop::Fault(error)) if error.is_interrupted() => {
                ControlFlow::Break(Stop::Fault(error))
            }
            _ => ControlFlow::Continue(holds),
        }
    }

    /// The name that the clauses of a relation give to an argument.
    fn number_name(&self, id: RelationId, place: usize) -> Option<String> {
        let program = self.run.program;
        program.relation(id).clauses.iter().find_map(|by| {
            let clause = program.clause(*by);
            let Term::Variable(v) = &clause.head[place] else { return None };
            let name = &clause.variables[v.0 as usize].name;
            (!name.starts_with('_')).then(|| name.clone())
        })
    }

    /// A goal some of whose arguments are left open, which are the rule's business; `None` where all are known.
    pub(super) fn asked(&self, name: &str, given: &[Option<Value>]) -> Option<String> {
        let shown = |arg: &Option<Value>| arg.map_or("_".to_string(), |value| self.show(value));
        let args: Vec<String> = given.iter().map(shown).collect();
        given.contains(&None).then(|| format!("{name}({})", args.join(", ")))
    }
}
