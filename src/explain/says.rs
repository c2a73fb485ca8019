//! Facts and values in the words of the rule file: `says/2`.

use std::ops::ControlFlow;

use crate::goals::{Environment, Evaluator as _, found};
use crate::program::{ClauseId, FluentId, FluentShape, Value};
use crate::source::Span;
use crate::syntax::{Term, TermKind};

use super::Teller;
use super::said::Said;
use crate::reference::present::{parts, words};
use crate::reference::run::Stop;

impl Teller<'_, '_> {
    /// What `says/2` calls a fact or a value, in the current position; `None` where it has no words for it.
    pub fn in_words(&mut self, about: Value) -> Option<String> {
        let written = self.says(about)?;
        Some(parts(&self.run.values, written))
    }

    fn says(&mut self, about: Value) -> Option<Value> {
        let says = self.run.program.special.says?;
        let nobody = Environment::new(None, 0, 0);
        let mut first = None;
        let flow = self.run.rows(says, &[Some(about), None], &nobody, &mut |_, row| {
            first = row.get(1).copied();
            ControlFlow::Break(Stop::Enough)
        });
        // a rule error in words is none of what they are about
        found(flow).is_continue().then_some(first).flatten()
    }

    /// A value as `says/2` calls it, or else as it is written.
    pub fn called(&mut self, value: Value) -> String {
        self.in_words(value).unwrap_or_else(|| self.show(value))
    }

    /// That a relation holds for no values but perhaps others than these, as `says/2` puts it: what is not known is `_`.
    pub fn denied(&mut self, name: &str, args: &[Option<Value>]) -> Option<Said> {
        self.run.program.special.says?;
        let unknown = Term::new(TermKind::Atom("_".into()), Span::NONE);
        let unknown = self.run.values.from_term(&unknown)?;
        let args: Vec<Value> = args.iter().map(|arg| arg.unwrap_or(unknown)).collect();
        self.worded(false, name, &args)
    }

    /// That a relation holds or does not hold for some values, as `says/2` puts it. A text that says of its first
    /// part what it is can share a verb with others.
    pub fn worded(&mut self, holds: bool, name: &str, args: &[Value]) -> Option<Said> {
        self.run.program.special.says?;
        let about = self.about(holds, name, args)?;
        let written = self.says(about)?;
        let text = parts(&self.run.values, written);
        let subject = self.run.values.items(written).and_then(|items| items.first().copied());
        let subject = subject.map(|subject| words(&self.run.values, subject));
        let of = subject.and_then(|subject| {
            let what = text.strip_prefix(subject.as_str())?.strip_prefix(" is ")?;
            Some(Said::Of(subject.clone(), what.to_string()))
        });
        Some(of.unwrap_or(Said::Other(text)))
    }

    /// What `says/2` is asked of a relation that holds or does not hold for some values.
    fn about(&mut self, holds: bool, name: &str, args: &[Value]) -> Option<Value> {
        let args: Vec<_> = args.iter().map(|arg| self.run.values.to_term(*arg)).collect();
        let kind = match args.is_empty() {
            true => TermKind::Atom(name.into()),
            false => TermKind::Compound(name.into(), args),
        };
        let fact = Term::new(kind, Span::NONE);
        let fact = match holds {
            true => fact,
            false => Term::new(TermKind::Compound("\\+".into(), vec![fact]), Span::NONE),
        };
        self.run.values.from_term(&fact)
    }

    /// Why a move is not legal in the words of `says/2`, and the clause that has them.
    pub fn refused(&mut self, mv: Value) -> Option<(String, Option<ClauseId>)> {
        let says = self.run.program.special.says?;
        let (name, args) = self.run.values.functor(mv)?;
        let (name, args) = (name.to_string(), args.to_vec());
        let words = self.worded(false, &name, &args)?.to_string();
        let about = self.about(false, &name, &args)?;
        let nobody = Environment::new(None, 0, 0);
        let clauses = &self.run.program.relation(says).clauses;
        let by = clauses.iter().find(|by| {
            let flow = self.run.clause(**by, &[Some(about), None], &nobody, &mut |_, _| {
                ControlFlow::Break(Stop::Enough)
            });
            matches!(flow, ControlFlow::Break(Stop::Enough))
        });
        Some((words, by.copied()))
    }

    /// The value of a fluent at some keys as `says/2` puts it.
    pub fn fact_worded(&mut self, fluent: FluentId, keys: &[Value]) -> Option<Said> {
        let declared = self.run.program.fluent(fluent);
        let set = matches!(declared.shape, FluentShape::Set);
        let value = self.run.read(fluent, keys);
        let mut args = keys.to_vec();
        args.extend(value.filter(|_| !set));
        self.worded(value.is_some(), &declared.name, &args)
    }
}
