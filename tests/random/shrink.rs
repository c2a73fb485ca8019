//! Makes a rule file that goes wrong smaller, as long as it goes wrong in the same way: fewer
//! clauses, then fewer goals, branches, arguments and items, smaller numbers.

use std::time::{Duration, Instant};

use ludex::syntax::{Clause, Term, TermKind, print_clause};

use crate::report::{Question, Report};
use crate::worker::Worker;
use crate::{check, files};

/// Time for one rule file.
const PATIENCE: Duration = Duration::from_secs(25);
/// Time for one candidate: a hang need not be waited for as long as when it was found.
const LIMIT: Duration = Duration::from_secs(2);

/// A clause and the number of its file; 0 is the game's own.
type Placed = (usize, Clause);

pub struct Shrinker<'w> {
    worker: &'w mut Worker,
    question: Question,
    class: String,
    names: Vec<String>,
    started: Instant,
}

/// The smallest text found that goes wrong in the same way, and what is said of it.
pub fn shrink(
    worker: &mut Worker,
    question: &Question,
    report: &Report,
    class: &str,
) -> (String, Report) {
    let (main, others) = files::split(&question.text);
    let names = others.iter().map(|(name, _)| name.clone()).collect();
    let mut clauses: Vec<Placed> = check::clauses(&main).into_iter().map(|c| (0, c)).collect();
    for (i, (_, text)) in others.iter().enumerate() {
        clauses.extend(check::clauses(text).into_iter().map(|c| (i + 1, c)));
    }
    let needed = Question {
        prolog: question.prolog && class.starts_with("prolog"),
        law: question.law && class.starts_with("law"),
        reprint: question.reprint
            && (class.starts_with("reprint") || class.starts_with("notation")),
        native: question.native && !class.starts_with("prolog"),
        ..question.clone()
    };
    let mut shrinker = Shrinker {
        worker,
        question: needed,
        class: class.to_string(),
        names,
        started: Instant::now(),
    };
    let mut best = report.clone();
    loop {
        let before = shrinker.text(&clauses).len();
        shrinker.fewer_clauses(&mut clauses, &mut best);
        shrinker.fewer_arguments(&mut clauses, &mut best);
        shrinker.smaller_clauses(&mut clauses, &mut best);
        if shrinker.text(&clauses).len() >= before || shrinker.over() {
            break;
        }
    }
    (shrinker.text(&clauses), best)
}

/// The class of a report, a refusal included.
pub fn class_of(report: &Report) -> Option<String> {
    match (&report.find, &report.refused) {
        (Some(find), _) => Some(find.class.clone()),
        (None, Some((code, _))) => Some(format!("refused: {code}")),
        (None, None) => None,
    }
}

impl Shrinker<'_> {
    fn over(&self) -> bool {
        self.started.elapsed() > PATIENCE
    }

    fn text(&self, clauses: &[Placed]) -> String {
        let of = |file: usize| -> String {
            let own = clauses.iter().filter(|(f, _)| *f == file);
            own.map(|(_, c)| print_clause(c) + "\n").collect()
        };
        let others: Vec<(String, String)> =
            self.names.iter().enumerate().map(|(i, n)| (n.clone(), of(i + 1))).collect();
        files::join(&of(0), &others)
    }

    /// Does it still go wrong in the same way?
    fn same(&mut self, clauses: &[Placed], best: &mut Report) -> bool {
        if self.over() {
            return false;
        }
        self.question.text = self.text(clauses);
        let report = self.worker.ask(&self.question, LIMIT);
        if class_of(&report).as_deref() == Some(self.class.as_str()) {
            *best = report;
            return true;
        }
        false
    }

    fn fewer_clauses(&mut self, clauses: &mut Vec<Placed>, best: &mut Report) {
        let mut size = (clauses.len() / 2).max(1);
        loop {
            let mut at = 0;
            while at < clauses.len() && !self.over() {
                let mut fewer = clauses.clone();
                fewer.drain(at..(at + size).min(clauses.len()));
                if self.same(&fewer, best) {
                    *clauses = fewer;
                } else {
                    at += size;
                }
            }
            if size == 1 {
                return;
            }
            size /= 2;
        }
    }

    /// Takes an argument of a relation, action or part of the state away, wherever it stands.
    fn fewer_arguments(&mut self, clauses: &mut Vec<Placed>, best: &mut Report) {
        let mut heads: Vec<(String, usize)> = Vec::new();
        for (_, clause) in clauses.iter() {
            if let Some((name, args)) = clause.head.as_ref().and_then(Term::functor) {
                heads.push((name.to_string(), args.len()));
            }
            if let Some(state) = clause.body.as_ref().and_then(|b| b.args_of("state", 1)) {
                let mut of = &state[0];
                while let Some([left, _]) = of.args_of("=", 2).or(of.args_of("->", 2)) {
                    of = left;
                }
                if let Some((name, args)) = of.functor() {
                    heads.push((name.to_string(), args.len()));
                    heads.push((name.to_string(), args.len() + 1));
                }
            }
        }
        // moves: their names stand inside of `move(…)`
        for (_, clause) in clauses.iter() {
            let head = clause.head.as_ref();
            let inside = head.and_then(|h| h.args_of("move", 1).or(h.args_of("chance", 1)));
            if let Some((name, args)) = inside.and_then(|args| args[0].functor()) {
                heads.push((name.to_string(), args.len()));
            }
        }
        heads.sort();
        heads.dedup();
        for (name, arity) in heads {
            for at in (0..arity).rev() {
                let mut fewer = clauses.clone();
                for (_, clause) in &mut fewer {
                    for term in clause.head.iter_mut().chain(&mut clause.body) {
                        without_argument(term, &name, arity, at);
                    }
                }
                if self.same(&fewer, best) {
                    *clauses = fewer;
                }
            }
        }
    }

    fn smaller_clauses(&mut self, clauses: &mut Vec<Placed>, best: &mut Report) {
        let mut number = 0;
        while number < clauses.len() && !self.over() {
            let mut position = 0;
            while position < nodes(&clauses[number].1) && !self.over() {
                let mut changed = false;
                for variant in variants(&clauses[number].1, position) {
                    let mut smaller = clauses.clone();
                    smaller[number].1 = variant;
                    if self.same(&smaller, best) {
                        *clauses = smaller;
                        changed = true;
                        break;
                    }
                }
                if !changed {
                    position += 1;
                }
            }
            number += 1;
        }
    }
}

fn without_argument(term: &mut Term, name: &str, arity: usize, at: usize) {
    let mut plain = None;
    match &mut term.kind {
        TermKind::Compound(functor, args) => {
            if functor == name && args.len() == arity {
                args.remove(at);
                if args.is_empty() {
                    plain = Some(functor.clone());
                }
            }
            args.iter_mut().for_each(|arg| without_argument(arg, name, arity, at));
        }
        TermKind::List(items, tail) => {
            items.iter_mut().for_each(|arg| without_argument(arg, name, arity, at));
            tail.iter_mut().for_each(|arg| without_argument(arg, name, arity, at));
        }
        _ => {}
    }
    if let Some(name) = plain {
        term.kind = TermKind::Atom(name);
    }
}

/// The terms of a clause, in order.
fn walk<'t>(term: &'t Term, into: &mut Vec<&'t Term>) {
    into.push(term);
    match &term.kind {
        TermKind::Compound(_, args) => args.iter().for_each(|arg| walk(arg, into)),
        TermKind::List(items, tail) => {
            items.iter().for_each(|arg| walk(arg, into));
            tail.iter().for_each(|arg| walk(arg, into));
        }
        _ => {}
    }
}

fn terms(clause: &Clause) -> Vec<&Term> {
    let mut all = Vec::new();
    clause.head.iter().chain(&clause.body).for_each(|term| walk(term, &mut all));
    all
}

fn nodes(clause: &Clause) -> usize {
    terms(clause).len()
}

/// The clause with the term at a position made smaller in each way.
fn variants(clause: &Clause, position: usize) -> Vec<Clause> {
    let all = terms(clause);
    let term = all[position];
    let kind = |kind: TermKind| Term::new(kind, term.span);
    let mut smaller = Vec::new();
    match &term.kind {
        TermKind::Compound(name, args) => {
            smaller.extend(args.iter().cloned());
            if let (";", [condition, otherwise]) = (name.as_str(), args.as_slice())
                && let Some([test, then]) = condition.args_of("->", 2)
            {
                smaller.push(then.clone());
                let both = vec![test.clone(), then.clone()];
                smaller.push(kind(TermKind::Compound(",".to_string(), both)));
                smaller.push(otherwise.clone());
            }
            smaller.push(kind(TermKind::Atom("true".to_string())));
            smaller.push(kind(TermKind::Anonymous));
        }
        TermKind::List(items, tail) => {
            for i in 0..items.len() {
                let mut fewer = items.clone();
                fewer.remove(i);
                smaller.push(kind(TermKind::List(fewer, tail.clone())));
            }
        }
        TermKind::Integer(n) if *n != 0 => {
            smaller.push(kind(TermKind::Integer(0)));
            smaller.push(kind(TermKind::Integer(n / 2)));
            smaller.push(kind(TermKind::Integer(n - n.signum())));
        }
        TermKind::Variable(_) => smaller.push(kind(TermKind::Anonymous)),
        _ => {}
    }
    smaller.into_iter().map(|term| replaced(clause, position, &term)).collect()
}

fn replaced(clause: &Clause, position: usize, by: &Term) -> Clause {
    fn put(term: &mut Term, left: &mut usize, by: &Term) -> bool {
        if *left == 0 {
            *term = by.clone();
            return true;
        }
        *left -= 1;
        match &mut term.kind {
            TermKind::Compound(_, args) => args.iter_mut().any(|arg| put(arg, left, by)),
            TermKind::List(items, tail) => {
                items.iter_mut().any(|arg| put(arg, left, by))
                    || tail.iter_mut().any(|arg| put(arg, left, by))
            }
            _ => false,
        }
    }
    let mut new = clause.clone();
    let mut left = position;
    let _ = new.head.iter_mut().chain(&mut new.body).any(|term| put(term, &mut left, by));
    // a body that is only `true` makes a fact
    if new.head.is_some() && new.body.as_ref().is_some_and(|b| b.args_of("true", 0).is_some()) {
        new.body = None;
    }
    new
}
