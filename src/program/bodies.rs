//! Resolves the bodies of clauses: terms become goals, expressions and terms with resolved names.

use crate::diagnostic::{Diagnostic, listed, nearest};
use crate::source::Span;
use crate::syntax::{self, TermKind, print_term};

use super::old;
use super::pieces;
use super::resolve::{RESERVED, Resolver};
use super::{
    Aggregate, ArithmeticOp, BuiltIn, Comparison, DomainSpec, Expression, FluentId, FluentShape,
    Goal, GoalKind, Term, Variable, VariableId,
};

/// The words whose arguments are goals and updates.
const TAKE_GOALS: [&str; 5] = ["each", "forall", "after", "once", "given"];

impl Resolver {
    fn variable(&mut self, name: &str, span: Span) -> VariableId {
        let id = match self.variables.get(name) {
            Some(id) => *id,
            None => {
                let id = self.fresh(name.to_string(), span);
                self.variables.insert(name.to_string(), id);
                id
            }
        };
        self.open.insert(id);
        id
    }

    pub(super) fn fresh(&mut self, name: String, span: Span) -> VariableId {
        let id = VariableId(self.declared.len() as u32);
        self.declared.push(Variable { name, span });
        id
    }

    pub(super) fn term(&mut self, term: &syntax::Term) -> Term {
        if let Some(value) = self.program.values.from_term(term) {
            return Term::Constant(value);
        }
        match &term.kind {
            TermKind::Variable(name) => Term::Variable(self.variable(name, term.span)),
            TermKind::Anonymous => {
                let name = format!("_{}", self.declared.len() + 1);
                Term::Variable(self.fresh(name, term.span))
            }
            TermKind::Compound(name, args) => {
                Term::Compound(name.clone(), args.iter().map(|a| self.term(a)).collect())
            }
            TermKind::List(items, tail) => {
                let items = items.iter().map(|a| self.term(a)).collect();
                let rest = tail.as_ref().map(|t| (t.span, self.term(t)));
                if let Some((span, Term::Constant(value))) = &rest
                    && self.program.values.items(*value).is_none()
                {
                    self.fault(
                        Diagnostic::error("term-form", "this list does not end in a list")
                            .at(*span, "not a list")
                            .hint("behind `|` stands the rest of the list: a variable or a list"),
                    );
                    return Term::List(items, None);
                }
                Term::List(items, rest.map(|(_, tail)| Box::new(tail)))
            }
            // ground terms are handled above
            TermKind::Integer(_) | TermKind::Atom(_) | TermKind::Text(_) => {
                Term::List(Vec::new(), None)
            }
        }
    }

    pub(super) fn goal(&mut self, term: &syntax::Term) -> Goal {
        let span = term.span;
        Goal::new(self.goal_kind(term), span)
    }

    /// A goal whose variables may be local to it.
    fn inner(&mut self, term: &syntax::Term) -> Box<Goal> {
        let outside = self.open.clone();
        let goal = self.boxed(term);
        self.open = outside;
        goal
    }

    fn boxed(&mut self, term: &syntax::Term) -> Box<Goal> {
        Box::new(self.goal(term))
    }

    fn goal_kind(&mut self, term: &syntax::Term) -> GoalKind {
        let Some((name, args)) = term.functor() else {
            let what = match term.kind {
                TermKind::Variable(_) | TermKind::Anonymous => "a variable",
                TermKind::Integer(_) => "a number",
                TermKind::Text(_) => "a text",
                _ => "a list",
            };
            self.fault(
                Diagnostic::error("goal-form", format!("{what} cannot stand as a goal"))
                    .at(term.span, "expected a goal")
                    .hint("a goal is a relation with its arguments, `empty(P)`, or a comparison"),
            );
            return GoalKind::Fail;
        };
        match (name, args) {
            (",", [_, _]) => {
                let mut goals = Vec::new();
                for item in term.flatten(",") {
                    match self.goal(item) {
                        Goal { kind: GoalKind::And(inner), .. } => goals.extend(inner),
                        Goal { kind: GoalKind::True, .. } => {}
                        goal => goals.push(goal),
                    }
                }
                match goals.len() {
                    0 => GoalKind::True,
                    1 => goals.remove(0).kind,
                    _ => GoalKind::And(goals),
                }
            }
            (";", [left, right]) => {
                if let Some([condition, then]) = left.args_of("->", 2) {
                    return GoalKind::If(
                        self.boxed(condition),
                        self.boxed(then),
                        self.boxed(right),
                    );
                }
                let left = self.goal(left);
                match self.goal(right) {
                    Goal { kind: GoalKind::Or(mut rest), .. } => {
                        rest.insert(0, left);
                        GoalKind::Or(rest)
                    }
                    right => GoalKind::Or(vec![left, right]),
                }
            }
            ("->", [condition, then]) => {
                let otherwise = Goal::new(GoalKind::Fail, term.span);
                GoalKind::If(self.boxed(condition), self.boxed(then), Box::new(otherwise))
            }
            ("\\+", [goal]) => GoalKind::Not(self.inner(goal)),
            ("once", [goal]) => GoalKind::Once(self.boxed(goal)),
            ("forall", [all, hold]) => GoalKind::Forall(self.inner(all), self.inner(hold)),
            ("each", [goal, action]) => self.each(goal, action),
            ("after", [action, then]) => self.after(action, then, term.span),
            ("true", []) => GoalKind::True,
            ("fail" | "false", []) => GoalKind::Fail,
            ("=" | "==", [a, b]) => {
                self.warn_arithmetic(a, b, term.span);
                self.refuse_old(&[a, b]);
                GoalKind::Unify(self.term(a), self.term(b))
            }
            ("\\=" | "\\==", [a, b]) => {
                self.warn_arithmetic(a, b, term.span);
                self.refuse_old(&[a, b]);
                GoalKind::Differ(self.term(a), self.term(b))
            }
            ("is", [x, e]) => GoalKind::Is(self.term(x), self.expression(e)),
            ("in", [x, range]) => match range.args_of("..", 2) {
                Some([lo, hi]) => self.within(x, lo, hi, term.span),
                _ => {
                    self.fault(
                        Diagnostic::error("goal-form", "`in` needs a range on its right")
                            .at(range.span, "not a range")
                            .hint("write `N in 1..6`; for the items of a list, `member(X, L)`"),
                    );
                    GoalKind::Fail
                }
            },
            ("between", [lo, hi, x]) => self.within(x, lo, hi, term.span),
            ("count", [t, g, n]) => self.aggregate(Aggregate::Count, t, g, n),
            ("sum", [t, g, n]) => self.aggregate(Aggregate::Sum, t, g, n),
            ("max", [t, g, n]) => self.aggregate(Aggregate::Max, t, g, n),
            ("min", [t, g, n]) => self.aggregate(Aggregate::Min, t, g, n),
            ("findall", [t, g, l]) => self.aggregate(Aggregate::Findall, t, g, l),
            ("connected", [c, g]) if !self.names.contains_key(&("connected".to_string(), 2)) => {
                self.connected(c, g, term.span)
            }
            ("legal", [m]) => GoalKind::Legal(self.term(m)),
            ("stuck", []) => GoalKind::Stuck,
            ("repeated", [n]) => GoalKind::Repeated(self.term(n)),
            ("repeated_board", [n]) => GoalKind::RepeatedBoard(self.term(n)),
            ("again", []) => GoalKind::Again,
            (":=", [place, value]) => self.assign(place, value),
            ("+=" | "-=", [place, amount]) => self.add(place, amount, name, term.span),
            ("set", [place]) => self.update(place, true),
            ("clear", [place]) => self.update(place, false),
            (op, [a, b]) if Comparison::named(op).is_some() => {
                let comparison = Comparison::named(op).unwrap_or(Comparison::Equal);
                GoalKind::Compare(comparison, self.expression(a), self.expression(b))
            }
            _ => {
                if let Some(built_in) = BuiltIn::named(name, args.len()) {
                    return GoalKind::BuiltIn(
                        built_in,
                        args.iter().map(|a| self.term(a)).collect(),
                    );
                }
                match self.names.get(&(name.to_string(), args.len())).copied() {
                    Some(id) => {
                        if name == "option" {
                            self.check_option(args);
                        }
                        GoalKind::Call(id, args.iter().map(|a| self.term(a)).collect())
                    }
                    None => {
                        args.iter().for_each(|a| drop(self.term(a)));
                        self.missing(name, args.len(), term.span);
                        self.unknown(name, args.len(), term.span);
                        GoalKind::Fail
                    }
                }
            }
        }
    }

    /// `X in Lo..Hi`: the integers of a range, or two comparisons where an expression stands on the left.
    fn within(
        &mut self,
        x: &syntax::Term,
        lo: &syntax::Term,
        hi: &syntax::Term,
        span: Span,
    ) -> GoalKind {
        if let TermKind::Variable(_) | TermKind::Anonymous | TermKind::Integer(_) = x.kind {
            return GoalKind::In(self.term(x), self.expression(lo), self.expression(hi));
        }
        let (lo, value, hi) = (self.expression(lo), self.expression(x), self.expression(hi));
        let at_most = |a, b| Goal::new(GoalKind::Compare(Comparison::LessOrEqual, a, b), span);
        GoalKind::And(vec![at_most(lo, value.clone()), at_most(value, hi)])
    }

    fn aggregate(
        &mut self,
        kind: Aggregate,
        template: &syntax::Term,
        goal: &syntax::Term,
        result: &syntax::Term,
    ) -> GoalKind {
        // a calculation is one more goal behind the others
        if matches!(kind, Aggregate::Sum | Aggregate::Max | Aggregate::Min)
            && self.calculates(template)
        {
            let span = template.span;
            let value =
                syntax::Term { kind: TermKind::Variable(format!("_Value{}", span.start)), span };
            let compound = |name: &str, args: Vec<syntax::Term>, span| syntax::Term {
                kind: TermKind::Compound(name.to_string(), args),
                span,
            };
            let calculated = compound("is", vec![value.clone(), template.clone()], span);
            let goals = compound(",", vec![goal.clone(), calculated], goal.span);
            return self.aggregate(kind, &value, &goals, result);
        }
        let outside = self.open.clone();
        let (template, goal) = (self.term(template), self.boxed(goal));
        self.open = outside;
        GoalKind::Aggregate(kind, template, goal, self.term(result))
    }

    /// Whether a term is a calculation, or a map of numbers with its keys.
    fn calculates(&self, term: &syntax::Term) -> bool {
        term.functor().is_some_and(|(name, args)| {
            let reads = |fluent: FluentId| {
                matches!(self.program.fluent(fluent).shape, FluentShape::Map { .. })
            };
            !args.is_empty()
                && (ArithmeticOp::named(name, args.len()).is_some()
                    || self.program.find_fluent(name, args.len()).is_some_and(reads))
        })
    }

    /// `connected(C, goal)`: the number of groups is one.
    fn connected(&mut self, site: &syntax::Term, goal: &syntax::Term, span: Span) -> GoalKind {
        let form = |message: &str| Diagnostic::error("connected-form", message);
        if !matches!(site.kind, TermKind::Variable(_)) {
            let d = form("the first argument of `connected` is a variable")
                .at(site.span, "not a variable")
                .hint("write `connected(C, at(C, P))`: the sites C where P stands form one group");
            self.fault(d);
            return GoalKind::Fail;
        }
        let Some(beside) = self.names.get(&("adjacent".to_string(), 2)).copied() else {
            let d = form("`connected` needs `adjacent/2`, which says what is beside each other")
                .at(span, "there is no `adjacent/2`")
                .hint("include a board, or define `adjacent(A, B)`");
            self.fault(d);
            return GoalKind::Fail;
        };
        let outside = self.open.clone();
        let (template, goal) = (self.term(site), self.boxed(goal));
        self.open = outside;
        let one = Term::Constant(super::Value::Integer(1));
        GoalKind::Aggregate(Aggregate::Groups(beside), template, goal, one)
    }

    fn after(&mut self, action: &syntax::Term, then: &syntax::Term, span: Span) -> GoalKind {
        let form = |message: &str| Diagnostic::error("after-form", message);
        if matches!(action.kind, TermKind::List(..)) {
            let d = form("`after` of a clause takes updates, not a list of moves")
                .at(action.span, "a list")
                .hint(
                    "write `after(at(C) := x, Goal)`, or `after((A, B), Goal)` for several updates",
                );
            self.fault(
                d.hint("a list of moves stands in examples, `perft` and prompt commands only"),
            );
            return GoalKind::Fail;
        }
        let mut moves = Vec::new();
        self.moves_in(action, &mut moves);
        for (span, what) in &moves {
            let d = form("`after` cannot suppose a whole move").at(*span, what);
            self.fault(
                d.hint("write the updates of the move, or an action that the move calls as well"),
            );
        }
        let (before, known) = (moves.len(), self.diagnostics.len());
        let action = match before {
            0 => self.boxed(action),
            _ => Box::new(Goal::new(GoalKind::Fail, action.span)),
        };
        let then = self.boxed(then);
        if before > 0 || self.diagnostics[known..].iter().any(Diagnostic::is_error) {
            return GoalKind::Fail;
        }
        let mut again = None;
        action.walk(&mut |goal| {
            if goal.kind == GoalKind::Again {
                again = Some(goal.span);
            }
        });
        if let Some(place) = again {
            self.fault(
                form("`again` has no meaning in `after`")
                    .at(place, "the turn does not pass in a position that is only supposed")
                    .at(span, "in this goal")
                    .hint("leave it out; `turn := P` says who is to move there"),
            );
        }
        GoalKind::After(action, then, Vec::new())
    }

    /// The places in an action where a whole move stands as a goal, with what each is.
    fn moves_in(&self, action: &syntax::Term, found: &mut Vec<(Span, String)>) {
        match (&action.kind, action.functor()) {
            (TermKind::Variable(_) | TermKind::Anonymous, _) => {
                found.push((action.span, "updates have to be written out here".to_string()));
            }
            (_, Some(("," | ";" | "->", [a, b]) | ("each", [a, b]))) => {
                self.moves_in(a, found);
                self.moves_in(b, found);
            }
            (_, Some((name @ ("move" | "chance"), [_]))) => {
                found.push((action.span, format!("`{name}` is called here")));
            }
            (_, Some((name, args)))
                if self.moves.contains(&(name.to_string(), args.len()))
                    && !self.names.contains_key(&(name.to_string(), args.len())) =>
            {
                found.push((action.span, format!("`{name}` is a move, and no relation")));
            }
            _ => {}
        }
    }

    /// Warns of `X = Y + 1`, which compares terms, where `is` is meant.
    fn warn_arithmetic(&mut self, a: &syntax::Term, b: &syntax::Term, span: Span) {
        for side in [a, b] {
            if let Some((name @ ("+" | "-" | "*" | "//" | "mod"), [_, _])) = side.functor() {
                self.fault(
                    Diagnostic::error("arithmetic-term", "`=` does not calculate")
                        .at(span, format!("compares with the term `{}`", print_term(side)))
                        .hint(format!(
                            "write `X is {}`, or `=:=` to compare numbers",
                            print_term(side)
                        ))
                        .hint(format!(
                            "`{name}` is calculated only in `is`, comparisons and updates"
                        )),
                );
            }
        }
    }

    fn check_option(&mut self, args: &[syntax::Term]) {
        let [syntax::Term { kind: TermKind::Atom(name), span }, value] = args else { return };
        let Some(option) = self.program.options.get(name) else {
            let names: Vec<&str> = self.program.options.keys().map(String::as_str).collect();
            let d = Diagnostic::error("unknown-option", format!("there is no option `{name}`"))
                .at(*span, "not declared");
            let d = match nearest(name, names.iter().copied()) {
                Some(near) => d.hint(format!("did you mean `{near}`?")),
                None => d.hint(format!("declare it: `:- option {name} -> {{yes, no}} = no.`")),
            };
            return self.fault(d);
        };
        let (domain, declared) = (option.domain.clone(), option.span);
        if let Some(constant) = self.program.values.from_term(value)
            && !domain.contains(constant)
            && !option.replaced.iter().any(|domain| domain.contains(constant))
        {
            let expected = super::options::describe(&self.program.values, &domain);
            self.fault(
                Diagnostic::error(
                    "option-value",
                    format!("the option `{name}` is never `{}`", print_term(value)),
                )
                .at(
                    value.span,
                    match expected.starts_with("an ") {
                        true => format!("it is {expected}"),
                        false => format!("it is one of {expected}"),
                    },
                )
                .at(declared, "declared here"),
            );
        }
    }

    pub(super) fn unknown(&mut self, name: &str, arity: usize, span: Span) {
        let d =
            Diagnostic::error("unknown-relation", format!("there is no relation `{name}/{arity}`"));
        let here = "not defined in this game";
        let d = match (name, arity) {
            ("!", 0) => {
                return self.fault(
                    Diagnostic::error("cut", "there is no cut in this language")
                        .at(span, "a cut")
                        .hint("write `once(Goal)` for the first answer, or `(If -> Then ; Else)`"),
                );
            }
            ("not", 1) => d.at(span, here).hint("negation is written `\\+ Goal`"),
            ("given" | "options", _) => d.at(span, here).hint(format!(
                "`{name}` takes two arguments, and stands in examples and `perft` lines only: \
                 `:- example \"…\", {}, Goal).`",
                if name == "given" { "given([at(a1) := x]" } else { "options((flying = yes)" }
            )),
            ("old", 1) => d.at(span, here).hint(old::HINT),
            ("assert" | "asserta" | "assertz" | "retract" | "retractall", 1) => d
                .at(span, here)
                .hint("to change the state write `at(C) := white`, `set(on(C))` or `clear(at(C))`"),
            _ if pieces::needs_player(name, arity) && self.declares_pieces() => d
                .at(span, "none of the pieces has a player as an argument")
                .hint(format!(
                    "`pieces` adds `{name}/{arity}` where a piece has a player: write the pieces with \
                     theirs, as in `:- pieces man(player).`, or define `{name}/{arity}` with a clause"
                )),
            _ => {
                let mut arities: Vec<usize> = self
                    .names
                    .keys()
                    .filter(|(n, _)| n == name)
                    .map(|(_, arity)| *arity)
                    .chain(self.given(name))
                    .collect();
                arities.sort_unstable();
                arities.dedup();
                if arities.is_empty() {
                    let mut known: Vec<&str> = self
                        .names
                        .keys()
                        .map(|(n, _)| n.as_str())
                        .filter(|n| !n.contains(' '))
                        .chain(RESERVED.iter().map(|(n, _)| *n).chain(["connected"]))
                        .filter(|n| n.starts_with(char::is_alphabetic))
                        .collect();
                    known.sort_unstable();
                    match nearest(name, known) {
                        Some(near) => d.at(span, here).hint(format!("did you mean `{near}`?")),
                        None if pieces::adds(name, arity) => d.at(span, here).hint(
                            "define it with a clause, or declare what stands on the board: \
                             `:- pieces player.`",
                        ),
                        None => d.at(span, here).hint(format!(
                            "define it with a clause, or declare it: `:- state {name}(…).`"
                        )),
                    }
                } else {
                    let list: Vec<String> =
                        arities.iter().map(|a| format!("`{name}/{a}`")).collect();
                    let mut d = Diagnostic::error(
                        "wrong-arity",
                        format!("`{name}` does not take {arity} argument{}", plural(arity)),
                    )
                    .at(span, format!("there is {}", list.join(" and ")));
                    if TAKE_GOALS.contains(&name) && arities.iter().all(|known| *known < arity) {
                        d = d.hint("several goals or updates are one in brackets: `(a, b)`");
                    }
                    if let Some(fluent) = self.program.fluents.iter().find(|f| f.name == name) {
                        let keys = fluent.keys.len();
                        if matches!(fluent.shape, FluentShape::Map { .. }) {
                            d = d.hint(format!(
                                "`{name}` is a map with {keys} key{}: a goal gives the value last",
                                plural(keys)
                            ));
                        }
                    }
                    d
                }
            }
        };
        self.fault(match self.goes_on(span) {
            Some(sign) => d
                .at(sign, "the clause goes on behind this")
                .hint("if a new clause begins here, end the one before it with a full stop"),
            None => d,
        });
    }

    /// The comma or semicolon before a goal that stands at the beginning of a line, as a clause does.
    fn goes_on(&self, span: Span) -> Option<Span> {
        let file = self.program.sources.get(span.file)?;
        let before = file.text.get(..span.start as usize)?;
        let sign = before.trim_end_matches(char::is_whitespace);
        let begins = before.ends_with('\n') && sign.ends_with([',', ';']);
        begins.then(|| Span::new(span.file, sign.len() - 1, sign.len()))
    }

    /// The numbers of arguments of what is given under a name without a clause of the game.
    fn given(&self, name: &str) -> Vec<usize> {
        let of_board = pieces::RELATIONS.iter().filter(|_| self.declares_pieces());
        let all = RESERVED.iter().chain(&[("connected", 2)]).chain(of_board);
        all.filter(|(n, _)| *n == name).map(|(_, arity)| *arity).collect()
    }

    /// Whether the game has a directive `pieces`: `piece/1` is at its place.
    fn declares_pieces(&self) -> bool {
        self.names.get(&("piece".to_string(), 1)).is_some_and(|id| {
            let span = self.program.relation(*id).span;
            self.program.sources.text(span).starts_with(":-")
        })
    }

    /// Reports a comparison with `old(place)`, which is only a term there.
    fn refuse_old(&mut self, sides: &[&syntax::Term]) {
        for side in sides {
            let read = old::read_before(side).and_then(syntax::Term::functor);
            if read.is_some_and(|(name, keys)| self.program.find_fluent(name, keys.len()).is_some())
            {
                self.fault(
                    Diagnostic::error("old-form", "`=` does not look at the state")
                        .at(side.span, "only a term here")
                        .hint(old::HINT),
                );
            }
        }
    }

    pub(super) fn expression(&mut self, term: &syntax::Term) -> Expression {
        match &term.kind {
            TermKind::Integer(n) => return Expression::Integer(*n),
            TermKind::Variable(name) => {
                return Expression::Variable(self.variable(name, term.span));
            }
            _ => {}
        }
        if let Some(read) = old::read_before(term) {
            return self.old_number(read, term.span);
        }
        if let Some((name, args)) = term.functor() {
            if let Some(fluent) = self.program.find_fluent(name, args.len())
                && matches!(self.program.fluent(fluent).shape, FluentShape::Map { .. })
            {
                return Expression::Fluent(fluent, args.iter().map(|a| self.term(a)).collect());
            }
            if let Some(op) = ArithmeticOp::named(name, args.len()) {
                let args = args.iter().map(|a| self.expression(a)).collect();
                return Expression::Operation(op, args);
            }
        }
        let d = Diagnostic::error(
            "not-a-number",
            format!("`{}` cannot be calculated", print_term(term)),
        )
        .at(term.span, "expected a number, a variable or a map of numbers");
        let maps: Vec<&str> = self
            .program
            .fluents
            .iter()
            .filter(|f| matches!(f.shape, FluentShape::Map { .. }))
            .map(|f| f.name.as_str())
            .collect();
        let d = match term.functor().and_then(|(name, _)| nearest(name, maps)) {
            Some(near) => d.hint(format!("did you mean the map `{near}`?")),
            None if matches!(term.functor(), Some(("..", [_, _]))) => {
                let range = print_term(term);
                d.hint(format!("for each number of a range write `in`: `N in {range}`"))
            }
            None => d.hint("operations are +, -, *, //, mod, rem, ^, abs, sign, min and max"),
        };
        self.fault(d);
        Expression::Integer(0)
    }

    /// The fluent and keys that an update names.
    fn place(&mut self, place: &syntax::Term) -> Option<(FluentId, Vec<Term>)> {
        let found = place
            .functor()
            .and_then(|(name, args)| self.program.find_fluent(name, args.len()).map(|f| (f, args)));
        if let Some((fluent, args)) = found {
            if !self.sets_up && (fluent == FluentId::MOVER || fluent == FluentId::PLY) {
                self.fault(
                    Diagnostic::error(
                        "update-target",
                        format!("`{}` is kept by the program", print_term(place)),
                    )
                    .at(place.span, "it cannot be updated")
                    .hint("declare a part of the state of your own to count or remember"),
                );
                return None;
            }
            return Some((fluent, args.iter().map(|a| self.term(a)).collect()));
        }
        let shown = print_term(place);
        let d = Diagnostic::error("update-target", format!("`{shown}` is not a part of the state"))
            .at(place.span, "only what `:- state` declares can be updated");
        let d = match place.functor() {
            Some((name, args)) => {
                let same = self.program.fluents.iter().find(|f| f.name == name);
                match same {
                    Some(f) if matches!(f.shape, FluentShape::Set) => d.hint(format!(
                        "`{name}` is a set with {} key{}, found {}; a map, which has values, is \
                         declared with `->`",
                        f.keys.len(),
                        plural(f.keys.len()),
                        args.len()
                    )),
                    Some(f) => {
                        let count = f.keys.len();
                        let keys = format!("`{name}` has {count} key{}", plural(count));
                        match args.split_last().filter(|(_, keys)| keys.len() == count) {
                            Some((value, keys_written)) => {
                                let shown: Vec<String> =
                                    keys_written.iter().map(print_term).collect();
                                let place = match shown.as_slice() {
                                    [] => name.to_string(),
                                    shown => format!("{name}({})", shown.join(", ")),
                                };
                                d.hint(format!(
                                    "{keys}: `{place} := {}` sets its value, `clear({place})` takes it \
                                     away",
                                    match print_term(value) {
                                        any if any.starts_with('_') => "Value".to_string(),
                                        value => value,
                                    }
                                ))
                            }
                            None => d.hint(format!(
                                "{keys}, found {}; the new value stands after `:=`",
                                args.len()
                            )),
                        }
                    }
                    None => {
                        let names = self.program.fluents.iter().map(|f| f.name.as_str());
                        let names: Vec<&str> =
                            names.filter(|f| !["mover", "ply"].contains(f)).collect();
                        match nearest(name, names.iter().copied())
                            .or_else(|| contained(name, &names))
                        {
                            Some(near) => d.hint(format!("did you mean `{near}`?")),
                            // a position cannot declare anything
                            None if self.sets_up => {
                                let names = names.iter().map(|name| format!("`{name}`"));
                                let names: Vec<String> = names.collect();
                                d.hint(format!("the state is {}", listed(&names, "and")))
                            }
                            None => d.hint("declare it, e.g. `:- state at(cell) -> player.`"),
                        }
                    }
                }
            }
            None if self.sets_up => d.hint("write `at(a1) := x`, `set(ko(a1))` or `turn := x`"),
            None => d.hint("write `at(P) := X`, `set(ko(P))` or `clear(at(P))`"),
        };
        self.fault(d);
        None
    }

    fn assign(&mut self, place: &syntax::Term, value: &syntax::Term) -> GoalKind {
        let Some((fluent, keys)) = self.place(place) else { return GoalKind::Fail };
        if matches!(self.program.fluent(fluent).shape, FluentShape::Set) {
            self.fault(
                Diagnostic::error("update-form", "a set has no values")
                    .at(place.span, "declared as a set")
                    .hint(format!("write `set({0})` or `clear({0})`", print_term(place))),
            );
            return GoalKind::Fail;
        }
        if let Some(read) = old::read_before(value) {
            return self.assign_old(fluent, keys, read, value.span);
        }
        let number = value.functor().is_some_and(|(name, args)| {
            (!args.is_empty() && ArithmeticOp::named(name, args.len()).is_some())
                || self.reads_map(fluent, name, args.len())
        });
        if number {
            GoalKind::AssignNumber(fluent, keys, self.expression(value))
        } else {
            GoalKind::Assign(fluent, keys, self.term(value))
        }
    }

    /// Whether `name` on the right of an update is the value of that map. Without keys it may also
    /// be a constant, and is one where it belongs to the domain of the updated map.
    fn reads_map(&self, updated: FluentId, name: &str, keys: usize) -> bool {
        let map = self
            .program
            .find_fluent(name, keys)
            .is_some_and(|read| matches!(self.program.fluent(read).shape, FluentShape::Map { .. }));
        let constant = keys == 0
            && match &self.program.fluent(updated).shape {
                FluentShape::Map { value: DomainSpec::Values(values), .. } => {
                    let atom = self.program.values.find_atom(name);
                    atom.is_some_and(|atom| values.contains(&atom))
                }
                _ => false,
            };
        map && !constant
    }

    fn add(
        &mut self,
        place: &syntax::Term,
        amount: &syntax::Term,
        name: &str,
        span: Span,
    ) -> GoalKind {
        let Some((fluent, keys)) = self.place(place) else { return GoalKind::Fail };
        if matches!(self.program.fluent(fluent).shape, FluentShape::Set) {
            self.fault(
                Diagnostic::error("update-form", "a set has no number to add to")
                    .at(span, "declared as a set")
                    .hint(format!("write `set({0})` or `clear({0})`", print_term(place))),
            );
            return GoalKind::Fail;
        }
        let op = if name == "+=" { ArithmeticOp::Add } else { ArithmeticOp::Subtract };
        let now = Expression::Fluent(fluent, keys.clone());
        let sum = Expression::Operation(op, vec![now, self.expression(amount)]);
        GoalKind::AssignNumber(fluent, keys, sum)
    }

    fn update(&mut self, place: &syntax::Term, set: bool) -> GoalKind {
        let Some((fluent, keys)) = self.place(place) else { return GoalKind::Fail };
        if !set && fluent == FluentId::TURN {
            self.fault(
                Diagnostic::error("update-target", "there is always a player to move")
                    .at(place.span, "`turn` cannot be cleared")
                    .hint("write `turn := P`, or `again` for another turn"),
            );
            return GoalKind::Fail;
        }
        if !set {
            return GoalKind::Clear(fluent, keys);
        }
        if matches!(self.program.fluent(fluent).shape, FluentShape::Map { .. }) {
            self.fault(
                Diagnostic::error("update-form", "a map needs a value")
                    .at(place.span, "declared as a map")
                    .hint(format!("write `{} := Value`", print_term(place))),
            );
            return GoalKind::Fail;
        }
        GoalKind::Set(fluent, keys)
    }
}

fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}

/// The only name that is a word of another one, or has it as a word: `hand` for `in_hand`.
fn contained<'n>(name: &str, names: &[&'n str]) -> Option<&'n str> {
    let has = |whole: &str, word: &str| whole.split('_').any(|part| part == word);
    let mut found = names.iter().filter(|other| has(name, other) || has(other, name));
    found.next().copied().filter(|_| found.next().is_none())
}
