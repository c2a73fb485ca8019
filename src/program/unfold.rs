//! Questions may use the relations of `:- pieces` that no rule mentions and that the program therefore does not have:
//! what such a goal stands for is put in its place, so the relations cost nothing in play.

use crate::syntax::{Clause, Term, TermKind};

/// A question with its goals of relations that only questions know replaced by the clauses' bodies.
pub(super) fn unfold(goal: &Term, clauses: &[Clause]) -> Term {
    if clauses.is_empty() {
        return goal.clone();
    }
    Unfolding { clauses, renamed: 0 }.goal(goal)
}

struct Unfolding<'c> {
    clauses: &'c [Clause],
    /// How many times a clause was taken, each time with variables of its own.
    renamed: usize,
}

/// Which arguments of a goal are goals.
fn goals_in(name: &str, arity: usize) -> std::ops::Range<usize> {
    match (name, arity) {
        ("," | ";" | "->" | "forall" | "after" | "each", 2) => 0..2,
        ("\\+" | "not" | "once", 1) => 0..1,
        ("count" | "sum" | "max" | "min", 3) => 1..2,
        _ => 0..0,
    }
}

impl Unfolding<'_> {
    fn goal(&mut self, goal: &Term) -> Term {
        let Some((name, args)) = goal.functor() else { return goal.clone() };
        let goals = goals_in(name, args.len());
        if !goals.is_empty() {
            let parts = args.iter().enumerate();
            let parts =
                parts.map(|(i, arg)| if goals.contains(&i) { self.goal(arg) } else { arg.clone() });
            return Term::new(TermKind::Compound(name.to_string(), parts.collect()), goal.span);
        }
        let clauses = self.clauses;
        let of = |clause: &&Clause| {
            let head = clause.head.as_ref().and_then(Term::functor);
            head.is_some_and(|(own, params)| own == name && params.len() == args.len())
        };
        let own: Vec<&Clause> = clauses.iter().filter(of).collect();
        if own.is_empty() {
            return goal.clone();
        }
        let named: Vec<Term> = args.iter().map(|arg| self.named(arg)).collect();
        let ways: Vec<Term> =
            own.into_iter().filter_map(|clause| self.way(clause, &named)).collect();
        let mut whole = join(";", ways)
            .unwrap_or_else(|| Term::new(TermKind::Atom("fail".to_string()), goal.span));
        whole.put_at(goal.span);
        whole
    }

    /// An argument in which each `_` has a name, so that it may stand in several places.
    fn named(&mut self, arg: &Term) -> Term {
        let kind = match &arg.kind {
            TermKind::Anonymous => {
                self.renamed += 1;
                TermKind::Variable(format!("_{}", self.renamed))
            }
            TermKind::Compound(name, args) => {
                TermKind::Compound(name.clone(), args.iter().map(|arg| self.named(arg)).collect())
            }
            other => other.clone(),
        };
        Term::new(kind, arg.span)
    }

    /// The body of a clause for these arguments; `None` where its head does not fit them.
    fn way(&mut self, clause: &Clause, args: &[Term]) -> Option<Term> {
        self.renamed += 1;
        let mark = self.renamed;
        let (_, params) = clause.head.as_ref()?.functor()?;
        let mut given: Vec<(String, Term)> = Vec::new();
        let mut equal: Vec<Term> = Vec::new();
        for (param, arg) in params.iter().zip(args) {
            fit(&renamed(param, mark), arg, &mut given, &mut equal)?;
        }
        let mut goals: Vec<Term> = Vec::new();
        if let Some(body) = &clause.body {
            goals.push(put_in(&renamed(body, mark), &given));
        }
        // behind the body, which gives the variables their values
        goals.extend(equal.iter().map(|goal| put_in(goal, &given)));
        join(",", goals)
    }
}

/// Makes a parameter of a head the same as an argument: by a value for the clause's variable, or by a goal for the
/// question's. `None` where they differ.
fn fit(
    param: &Term,
    arg: &Term,
    given: &mut Vec<(String, Term)>,
    equal: &mut Vec<Term>,
) -> Option<()> {
    match (&param.kind, &arg.kind) {
        (TermKind::Variable(name), _) => {
            match given.iter().find(|(known, _)| known == name) {
                Some((_, first)) => {
                    equal.push(equation(arg.clone(), first.clone()));
                }
                None => given.push((name.clone(), arg.clone())),
            }
            Some(())
        }
        (_, TermKind::Variable(_)) => {
            equal.push(equation(arg.clone(), param.clone()));
            Some(())
        }
        (TermKind::Compound(a, params), TermKind::Compound(b, args))
            if a == b && params.len() == args.len() =>
        {
            params.iter().zip(args).try_for_each(|(param, arg)| fit(param, arg, given, equal))
        }
        (a, b) => (a == b).then_some(()),
    }
}

fn equation(left: Term, right: Term) -> Term {
    let span = left.span;
    Term::new(TermKind::Compound("=".to_string(), vec![left, right]), span)
}

/// A term of a clause with variables of its own. Their names begin with `_`: they are no part of an answer.
fn renamed(term: &Term, mark: usize) -> Term {
    with_variables(term, &|name| Term::new(TermKind::Variable(format!("_{name}{mark}")), term.span))
}

fn put_in(term: &Term, given: &[(String, Term)]) -> Term {
    with_variables(term, &|name| match given.iter().find(|(known, _)| known == name) {
        Some((_, value)) => value.clone(),
        None => Term::new(TermKind::Variable(name.to_string()), term.span),
    })
}

fn with_variables(term: &Term, value: &dyn Fn(&str) -> Term) -> Term {
    let kind = match &term.kind {
        TermKind::Variable(name) => return value(name),
        TermKind::Compound(name, args) => {
            let args = args.iter().map(|arg| with_variables(arg, value)).collect();
            TermKind::Compound(name.clone(), args)
        }
        TermKind::List(items, tail) => {
            let items = items.iter().map(|item| with_variables(item, value)).collect();
            let tail = tail.as_ref().map(|tail| Box::new(with_variables(tail, value)));
            TermKind::List(items, tail)
        }
        other => other.clone(),
    };
    Term::new(kind, term.span)
}

/// Goals joined by an operator; `None` where there are none.
fn join(operator: &str, goals: Vec<Term>) -> Option<Term> {
    goals.into_iter().rev().reduce(|rest, goal| {
        let span = goal.span;
        Term::new(TermKind::Compound(operator.to_string(), vec![goal, rest]), span)
    })
}

#[cfg(test)]
mod tests {
    use crate::source::Sources;
    use crate::syntax::{print_term, read_file, read_goal};

    use super::unfold;

    fn unfolded(question: &str) -> String {
        let text = "mine(C) :- turn(Me), at(C, man(Me)).
                    mine(C) :- turn(Me), at(C, king(Me)).
                    empty(C) :- cell(C), \\+ at(C, _).
                    owner(man(A), A) :- player(A).
                    owner(king(A), A) :- player(A).";
        let mut sources = Sources::new();
        let file = sources.add("pieces", None, text);
        let (syntax, _) = read_file(&sources, file);
        let file = sources.add("question", None, question);
        print_term(&unfold(&read_goal(&sources, file).expect("a goal"), &syntax.clauses))
    }

    #[test]
    fn a_goal_becomes_what_it_stands_for() {
        let mine = "turn(_Me1), at(a1, man(_Me1)) ; turn(_Me2), at(a1, king(_Me2))";
        assert_eq!(unfolded("mine(a1)"), mine);
        assert_eq!(unfolded("count(C, empty(C), N)"), "count(C, (cell(C), \\+ at(C, _)), N)");
        assert_eq!(unfolded("\\+ empty(_)"), "\\+ (cell(_1), \\+ at(_1, _))");
    }

    #[test]
    fn the_head_fits_the_arguments() {
        assert_eq!(unfolded("owner(man(white), P)"), "player(white), P = white");
        let each = "player(P), X = man(P) ; player(P), X = king(P)";
        assert_eq!(unfolded("owner(X, P)"), each);
        assert_eq!(unfolded("owner(rook(white), P)"), "fail");
    }

    #[test]
    fn terms_that_are_no_goals_stay() {
        for question in
            ["legal(mine(a1))", "at(C, mine(a1))", "mine(a1, b1)", "count(mine(C), at(C, _), N)"]
        {
            assert_eq!(unfolded(question), question);
        }
    }
}
