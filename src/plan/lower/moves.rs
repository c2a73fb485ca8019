//! Move and chance clauses, split at their first update.
//!
//! The goals before it generate candidates, as segments; the goals after it are run to play one
//! (`hoist.rs` moves goals from after the update before it). Where there is more than one way after
//! the update, the clause is split after the last choice instead: to generate candidates its first
//! updates are made and undone, and they are made again to play one. A clause that has several ways
//! even so *branches*: its moves are enumerated whole. Where that is due to a disjunction with updates,
//! the clause is done apart for each branch.

use crate::program::{ClauseId, RelationId, Term};

use super::super::blocks::BlockId;
use super::super::ops::{Body, HeadTerm, MoveClause, Op, Operand, Rank, Risk};
use super::conditions::Conditions;
use super::cost::Expected;
use super::emit::occurrences_in;
use super::goals::{Arg, G, Scope, Var, Vars};
use super::hoist::is_known;
use super::lookahead::CLEARLY;
use super::order::{BlockState, Want};
use super::patterns::variables;
use super::{Builder, Lowering, NotReady, occurrences_among};

/// The head of a move or chance clause.
struct Head<'a> {
    id: ClauseId,
    chance: bool,
    functor: u32,
    name: &'a str,
    terms: &'a [Term],
    vars: &'a [Var],
}

/// A clause's body in parts.
#[derive(Clone)]
struct Split {
    /// Tests and choices before the first update.
    before: Vec<G>,
    /// Updates, and the choices after them, that are run to generate candidates.
    chosen: Vec<G>,
    /// The updates among them, which are made again to play a candidate.
    updates: Vec<G>,
    /// What follows them when a candidate is played.
    after: Vec<G>,
}

impl Split {
    fn at_update(before: Vec<G>, after: Vec<G>) -> Split {
        Split { before, chosen: Vec::new(), updates: Vec::new(), after }
    }
}

/// What the candidates of a split are made of.
struct Candidates<'a> {
    before: &'a [G],
    chosen: &'a [G],
    needed: &'a [Var],
    inside: &'a [Var],
    /// The goals that tell whether the head's variables determine the others.
    determining: &'a [G],
    head_vars: &'a [Var],
    context: &'a BlockState,
    vars: &'a Vars,
}

/// The instructions that generate candidates.
struct Made {
    prefix: Builder,
    context: BlockState,
    vars: Vars,
    /// A candidate may come twice.
    repeats: bool,
}

/// Where candidates cost less than this, no other order is looked for.
const CHEAP: f64 = 3_000.0;
/// Where candidates cost less than this, their tests are left as they are.
const TRIVIAL: f64 = 60.0;
/// What it costs to compare a candidate with those before it.
const COMPARED: f64 = 8.0;
/// By how much candidates have to be cheaper to be compared.
const FAR: f64 = 4.0;

/// Whether a variable occurs in this goal only, by how often each occurs in the clause.
pub(super) fn is_local(goal: &G, v: Var, counts: &[usize]) -> bool {
    occurrences_in(goal, v) == counts[v]
}

/// An update that has one way and can be made again.
fn is_plain_update(goal: &G) -> bool {
    matches!(goal, G::Assign(..) | G::AssignNumber(..) | G::Clear(..) | G::Set(..) | G::Again)
}

impl Lowering<'_> {
    /// Every clause of `move/1` or `chance/1`.
    pub(super) fn moves(&mut self, relation: RelationId) -> Vec<MoveClause> {
        let program = self.program;
        let chance = program.special.chance == Some(relation);
        let ids = program.relation(relation).clauses.clone();
        let (mut clauses, facts): (Vec<MoveClause>, Vec<Conditions>) =
            ids.iter().flat_map(|id| self.move_clause(*id, chance)).unzip();
        self.mark_repeats(&mut clauses, &facts);
        clauses
    }

    /// A clause of moves; several where it is done for each branch of a disjunction with updates, none
    /// where it never holds.
    fn move_clause(&mut self, id: ClauseId, chance: bool) -> Vec<(MoveClause, Conditions)> {
        let program = self.program;
        let clause = program.clause(id);
        let mut vars = Vars::default();
        // a candidate that comes twice costs more than a table of its own
        self.calls.asked.clear();
        let mut scope = self.begin(id);
        let mut body = self.goals(&mut scope, &clause.body, &mut vars);
        let Some((name, terms)) = program.values.parts(&clause.head[0]) else { return Vec::new() };
        let functor = self.move_functor(name, terms.len());
        let mut head_vars = Vec::new();
        clause.head[0].each_variable(&mut |v| {
            if let Arg::Var(v) =
                self.arg(&mut scope, &Term::Variable(v), &mut vars, &mut Vec::new())
            {
                head_vars.push(v);
            }
        });
        self.turn_in_front(&mut body, &head_vars, &mut vars);
        self.reuse_reads(&mut body, &head_vars, &vars);
        self.begin_only(&mut body, &head_vars, &mut vars);
        self.compare_with_least(&mut body, &head_vars, &mut vars);
        self.make_plainer(&mut body, &head_vars, &mut vars);
        self.unroll(&mut body, &head_vars, &mut vars);
        self.count_all(&mut body, &head_vars, &mut vars);
        self.tabulate_lists(&mut body, &head_vars, &mut vars);
        self.merge_patterns(&mut body, &head_vars, &[], &vars);
        self.ask_of_wholes(&mut body, &head_vars, &mut vars);
        self.ask_needed(&mut body, &head_vars, &mut vars);
        self.deny_seeds(&mut body, &head_vars, &mut vars);
        let head = Head { id, chance, functor, name, terms: &terms, vars: &head_vars };
        let whole = match self.clause_of(&head, body.clone(), &mut scope, &mut vars.clone()) {
            Ok(made) => made,
            Err(NotReady) => {
                self.unready(clause);
                None
            }
        };
        let Some((made, _)) = &whole else { return Vec::new() };
        let (branching, all_ways) = (made.branching, made.all_ways);
        let bodies = self.bodies_apart(body, branching || all_ways, &head_vars, &mut vars);
        if bodies.len() < 2 {
            return whole.into_iter().collect();
        }
        let apart: Result<Vec<_>, NotReady> = (bodies.into_iter())
            .map(|mut body| {
                self.reuse_reads(&mut body, &head_vars, &vars);
                self.make_plainer(&mut body, &head_vars, &mut vars);
                self.clause_of(&head, body, &mut scope, &mut vars.clone())
            })
            .collect();
        let Ok(apart) = apart else { return whole.into_iter().collect() };
        let (mut made, facts): (Vec<MoveClause>, Vec<Conditions>) =
            apart.into_iter().flatten().unzip();
        let better = match branching {
            true => made.iter().any(|made| !made.branching),
            false => {
                self.mark_repeats(&mut made, &facts);
                made.iter().all(|made| !made.branching && !made.all_ways && !made.repeats)
            }
        };
        match better {
            true => made.into_iter().zip(facts).collect(),
            false => whole.into_iter().collect(),
        }
    }

    /// A clause with this body. `None` where it never holds.
    fn clause_of(
        &mut self,
        head: &Head<'_>,
        body: Vec<G>,
        scope: &mut Scope,
        vars: &mut Vars,
    ) -> Result<Option<(MoveClause, Conditions)>, NotReady> {
        let split = body.iter().position(|g| self.acts(g)).unwrap_or(body.len());
        let mut before = body[..split].to_vec();
        let mut after = body[split..].to_vec();
        if self.compare_constants(&mut before) {
            return Ok(None);
        }
        self.group_tests(&before, &mut after, head.vars, vars);
        let counts = occurrences_among(&[before.as_slice(), &after].concat(), head.vars, vars);
        self.hoist(&mut before, &mut after, &counts);
        self.put_off(&mut before, &mut after, head.vars, vars);
        let slots: Vec<Option<Arg>> = (head.terms.iter())
            .map(|term| match term {
                Term::Variable(_) | Term::Constant(_) => {
                    Some(self.arg(scope, term, vars, &mut Vec::new()))
                }
                _ => None,
            })
            .collect();
        let mut implied = self.implied(&before);
        let counts = occurrences_among(&[before.as_slice(), &after].concat(), head.vars, vars);
        let mut tables = before.clone();
        self.tabulate(&mut tables, &counts, vars);
        implied.extend(tables.into_iter().filter(|goal| !before.contains(goal)));
        let facts = Conditions::new(slots, &before, &after, head.vars, vars).with(implied);
        self.add_implied(&mut before);
        self.ask_items(&mut before, &after, vars);
        let split = Split::at_update(before, after);
        let counts =
            occurrences_among(&[split.before.as_slice(), &split.after].concat(), head.vars, vars);
        let behind = self.behind_choices(&split, &counts);
        let mut made = None;
        if let Some(behind) = behind {
            made = self.one_way(head, &split, scope, vars);
            made = made.or_else(|| self.one_way(head, &behind, scope, vars));
        }
        if made.is_none() {
            made = self.split_clause(head, split, scope, vars, true)?;
        }
        Ok(made.map(|made| (made, facts)))
    }

    /// The clause with this split, unless it branches.
    fn one_way(
        &mut self,
        head: &Head<'_>,
        split: &Split,
        scope: &mut Scope,
        vars: &Vars,
    ) -> Option<MoveClause> {
        self.split_clause(head, split.clone(), scope, &mut vars.clone(), false).ok()?
    }

    /// The split after the last choice that follows an update, if only updates that can be made twice
    /// precede it. `counts` is how often each variable occurs in the clause.
    fn behind_choices(&self, split: &Split, counts: &[usize]) -> Option<Split> {
        let mut known: Vec<Var> = variables(&split.before);
        let (mut last, mut again) = (None, Vec::new());
        for (i, goal) in split.after.iter().enumerate() {
            let each = self.is_each_again(goal, &known, counts);
            if !each && !self.goes_one_way(goal, &known) {
                last = Some(i);
            }
            again.push(each || is_plain_update(goal) || !self.acts(goal));
            goal.each_var(&mut |v| known.push(v));
        }
        let last = last?;
        let mut behind = split.after[last..].iter();
        let cut = behind.position(|g| self.acts(g)).map_or(split.after.len(), |n| n + last);
        if again[..cut].contains(&false) {
            return None;
        }
        let (chosen, after) = split.after.split_at(cut);
        let updates: Vec<G> = chosen.iter().filter(|g| self.acts(g)).cloned().collect();
        Some(Split {
            before: split.before.clone(),
            chosen: chosen.to_vec(),
            updates,
            after: after.to_vec(),
        })
    }

    /// Whether this is an `each` that has one way and can be made again: its action updates, and reads
    /// what that needs, and no other goal knows the variables that tell its answers apart.
    fn is_each_again(&self, goal: &G, known: &[Var], counts: &[usize]) -> bool {
        let mut apart = true;
        goal.each_var(&mut |v| apart &= known.contains(&v) || is_local(goal, v, counts));
        apart && self.is_one_each(goal, known)
    }

    /// Whether this is an `each` whose action only updates, and reads what that needs.
    pub(super) fn is_one_each(&self, goal: &G, known: &[Var]) -> bool {
        let G::Each(answers, action, _) = goal else { return false };
        let mut within = [known, &variables(answers)].concat();
        let one_way = action.iter().all(|goal| {
            let one = self.goes_one_way(goal, &within);
            goal.each_var(&mut |v| within.push(v));
            one
        });
        one_way && !answers.iter().any(|g| self.acts(g))
    }

    /// Whether a goal has at most one answer, and no update that cannot be made twice.
    pub(super) fn goes_one_way(&self, goal: &G, known: &[Var]) -> bool {
        match goal {
            G::Not(_)
            | G::Aggregate(..)
            | G::Is(..)
            | G::Compare(..)
            | G::Same(..)
            | G::Length(..)
            | G::List(..) => true,
            G::Read(_, keys, _) => keys.iter().all(|key| is_known(key, known)),
            // its condition keeps one answer
            G::If(condition, then, otherwise) => {
                let with = [known, &variables(condition)].concat();
                let one_way = |goals: &[G], known: &[Var]| {
                    let mut known = known.to_vec();
                    goals.iter().all(|goal| {
                        let one = self.goes_one_way(goal, &known);
                        goal.each_var(&mut |v| known.push(v));
                        one
                    })
                };
                !condition.iter().any(|goal| self.acts(goal))
                    && one_way(then, &with)
                    && one_way(otherwise, known)
            }
            _ => {
                let mut all = !self.acts(goal) || is_plain_update(goal);
                goal.each_var(&mut |v| all &= known.contains(&v));
                all
            }
        }
    }

    /// The clause with this split. `None` where it can never fire, or where it branches and may
    /// not.
    fn split_clause(
        &mut self,
        head: &Head<'_>,
        split: Split,
        scope: &mut Scope,
        vars: &mut Vars,
        may_branch: bool,
    ) -> Result<Option<MoveClause>, NotReady> {
        let program = self.program;
        let head_vars = head.vars;
        let Split { mut before, chosen, updates, mut after } = split;
        let plain = before.clone();
        // the variables that tell the answers of an `each` apart have no values behind it, also where
        // it is made twice
        let once: Vec<G> = updates.iter().filter(|g| !matches!(g, G::Each(..))).cloned().collect();
        let whole = |parts: [&[G]; 4]| -> Vec<G> { parts.concat() };
        let mut counts =
            occurrences_among(&whole([&before, &chosen, &once, &after]), head_vars, vars);
        self.join_statics(&mut before, &mut counts, &[], vars);
        let mut inside = Vec::new();
        for goal in before.iter().chain(&chosen) {
            let each = matches!(goal, G::Each(..));
            goal.each_var(&mut |v| {
                inside.extend((!each || !is_local(goal, v, &counts)).then_some(v))
            });
        }
        self.join_statics(&mut after, &mut counts, &inside, vars);
        let mut needed = head_vars.to_vec();
        updates.iter().chain(&after).for_each(|g| g.each_var(&mut |v| needed.push(v)));
        needed.retain(|v| inside.contains(v));
        needed.sort_unstable();
        needed.dedup();
        let mut context = BlockState::new(vars);
        let all = whole([&before, &chosen, &once, &after]);
        context.totals = occurrences_among(&all, head_vars, vars);

        // a value read after an update may depend on more than its keys
        let fixed = chosen
            .iter()
            .filter(|g| matches!(g, G::Static(..) | G::Functor(..) | G::Is(..) | G::Same(..)));
        let determining: Vec<G> = before.iter().chain(fixed).cloned().collect();
        let candidates = Candidates {
            before: &before,
            chosen: &chosen,
            needed: &needed,
            inside: &inside,
            determining: &determining,
            head_vars,
            context: &context,
            vars: &*vars,
        };
        let mut made = self.candidates(&candidates, false)?;
        // moves that are compared in any case may come in the order that costs least
        let cost = if made.repeats { f64::INFINITY } else { self.cost_of(&made.prefix).cost };
        if chosen.is_empty() && cost > CHEAP {
            let before = self.before();
            match self.candidates(&candidates, true) {
                Ok(compared) if made.repeats || self.is_far_cheaper(&compared.prefix, cost) => {
                    made = compared;
                }
                Err(stopped) if made.repeats => return Err(stopped),
                _ => self.take_back(&before),
            }
        }
        if chosen.is_empty()
            && !made.repeats
            && cost > TRIVIAL
            && let Some(apart) =
                self.copied_candidates(&plain, (&after, &once), &candidates, cost)?
        {
            made = apart;
        }
        let Made { mut prefix, mut context, vars: renewed, repeats } = made;
        *vars = renewed;
        if matches!(prefix.ops.first(), Some(Op::Fail)) {
            return Ok(None);
        }
        let kept = context.next_register;

        // the suffix, as if it had one way through
        let want =
            Want { needed: head_vars.to_vec(), target: None, sensitive: true, ..Want::default() };
        let mut suffix = self.builder();
        let again = [updates.as_slice(), after.as_slice()].concat();
        self.sequence(&again, &mut context, vars, &want, &mut suffix)?;
        let ways = self.ways_on(&suffix, &again, vars);
        let branching = head_vars.iter().any(|v| !inside.contains(v));
        let all_ways = !branching && !ways.one_way;
        if (branching || all_ways) && !may_branch {
            return Ok(None);
        }
        let terms: Vec<HeadTerm> =
            head.terms.iter().map(|t| self.head_term(scope, t, &context, vars)).collect();
        let mut found = Vec::new();
        if chosen.is_empty() {
            self.by_value(&mut prefix);
            if !branching {
                found = self.sink(&mut prefix, &mut suffix);
            }
        }
        suffix.push(Op::Commit);
        let (generate, apply) = if branching {
            let mut whole = prefix;
            whole.append(suffix);
            (self.place(whole), None)
        } else {
            let apply = self.place(suffix);
            (self.place(segment(prefix)), Some(apply))
        };
        let mut known: Vec<Var> = inside.clone();
        let may_fail = after.iter().any(|goal| {
            let fails = self.may_fail(goal, &known, vars);
            goal.each_var(&mut |v| known.push(v));
            fails
        });
        let tested = !branching && ways.fails && may_fail;
        let risk = if branching { Risk::Never } else { self.risk(&after, &updates) };
        let mut found_first = before.iter().chain(&chosen);
        let faulty = found_first.any(|g| self.raises(g));
        let rank = match head.chance {
            true => Rank::Fixed(0),
            false => self.rank(program.clause(head.id).rank, head.name, head.terms.len()),
        };
        let weight = program
            .special
            .weight
            .filter(|_| head.chance)
            .map(|id| self.number_of(id, head.name, head.terms.len()));
        let weighs_alike = program.special.weight.is_none_or(|id| !program.reads_position(id));
        Ok(Some(MoveClause {
            clause: head.id,
            functor: head.functor,
            generate: Body {
                clause: head.id,
                start: generate,
                registers: context.next_register,
                sets: context.next_set,
            },
            apply,
            kept: if branching { context.next_register } else { kept },
            tested,
            risk,
            faulty,
            branching,
            all_ways,
            several: ways.several,
            updates: branching || !updates.is_empty(),
            repeats: repeats || branching,
            head: terms,
            found,
            rank,
            weight,
            weighs_alike,
        }))
    }

    /// The instructions that generate the candidates of a split; `compared`: they are compared, so that one may come twice.
    fn candidates(&mut self, of: &Candidates<'_>, compared: bool) -> Result<Made, NotReady> {
        let (mut context, mut vars) = (of.context.clone(), of.vars.clone());
        let mut prefix = self.builder();
        let needed = of.needed.to_vec();
        let want = Want { needed, sensitive: true, compared, ..Want::default() };
        if of.chosen.is_empty() {
            self.conjunction(of.before.to_vec(), &mut context, &mut vars, &want, &mut prefix)?;
        } else {
            let goals = [of.before, of.chosen].concat();
            self.sequence(&goals, &mut context, &mut vars, &want, &mut prefix)?;
        }
        let mut all = [of.needed, context.witnesses.as_slice()].concat();
        if !of.chosen.is_empty() {
            // goals between updates are run apart, each for the values of those before it
            all.extend(of.inside.iter().filter(|v| context.bound[**v].is_some()));
        }
        let determines = self.determines(of.determining, of.head_vars, &all, &context);
        let repeats = context.repeats || !determines;
        Ok(Made { prefix, context, vars, repeats })
    }

    /// The candidates with copies of the values that the head determines, where they cost clearly less than `cost`.
    fn copied_candidates(
        &mut self,
        plain: &[G],
        (after, once): (&[G], &[G]),
        of: &Candidates<'_>,
        cost: f64,
    ) -> Result<Option<Made>, NotReady> {
        let mut vars = of.vars.clone();
        let Some(copied) = self.copied(plain, of.needed, of.head_vars, &mut vars) else {
            return Ok(None);
        };
        let (mut tests, given) = (copied.tests, copied.given);
        let whole = [tests.as_slice(), &given, once, after].concat();
        let mut counts = occurrences_among(&whole, of.head_vars, &vars);
        self.join_statics(&mut tests, &mut counts, &[], &mut vars);
        tests.extend(given);
        let mut context = BlockState::new(&vars);
        let whole = [tests.as_slice(), once, after].concat();
        context.totals = occurrences_among(&whole, of.head_vars, &vars);
        let candidates = Candidates {
            before: &tests,
            determining: &tests,
            context: &context,
            vars: &vars,
            ..*of
        };
        let before = self.before();
        match self.candidates(&candidates, false) {
            Ok(made) if !made.repeats && self.cost_of(&made.prefix).cost < cost * CLEARLY => {
                Ok(Some(made))
            }
            _ => {
                self.take_back(&before);
                Ok(None)
            }
        }
    }

    /// What instructions that are not placed yet are expected to cost.
    fn cost_of(&mut self, ops: &Builder) -> Expected {
        let before = self.before();
        let block = self.place_begun(ops.clone());
        let cost = self.expected_cost(block);
        self.take_back(&before);
        // blocks that were reserved are filled when the instructions are placed for good
        let reserved = ops.ops.iter().filter_map(|op| op.uses().next);
        for block in reserved.filter(|block| *block != BlockId::OPEN) {
            self.ops.blocks.fill(block, Vec::new(), Vec::new());
        }
        cost
    }

    /// Whether candidates that have to be compared cost far less by these instructions than `apart`.
    fn is_far_cheaper(&mut self, compared: &Builder, apart: f64) -> bool {
        let compared = self.cost_of(compared);
        (compared.cost + COMPARED * compared.answers) * FAR < apart
    }

    fn head_term(
        &mut self,
        scope: &mut Scope,
        term: &Term,
        context: &BlockState,
        vars: &mut Vars,
    ) -> HeadTerm {
        match term {
            Term::Variable(_) | Term::Constant(_) => {
                let arg = self.arg(scope, term, vars, &mut Vec::new());
                HeadTerm::Operand(context.operand(arg).unwrap_or(Operand::Const(0)))
            }
            Term::Compound(name, args) => HeadTerm::Compound(
                name.clone(),
                args.iter().map(|a| self.head_term(scope, a, context, vars)).collect(),
            ),
            Term::List(items, tail) => HeadTerm::List(
                items.iter().map(|a| self.head_term(scope, a, context, vars)).collect(),
                tail.as_ref().map(|t| Box::new(self.head_term(scope, t, context, vars))),
            ),
        }
    }

    /// The rank of moves of one form: fixed where one fact gives it, computed otherwise; that of the clause where no rule gives one.
    fn rank(&mut self, own: i64, name: &str, arity: usize) -> Rank {
        let Some(relation) = self.program.special.rank else { return Rank::Fixed(own) };
        let program = self.program;
        // the greatest rank of the matching facts; 0 only where none matches
        let (mut best, mut computed): (Option<i64>, bool) = (None, false);
        for id in &program.relation(relation).clauses {
            let clause = program.clause(*id);
            match may_match(&clause.head[0], name, arity, program) {
                Some(false) => {}
                Some(true) => match (&clause.head[1], &clause.body.kind) {
                    (
                        Term::Constant(crate::program::Value::Integer(n)),
                        crate::program::GoalKind::True,
                    ) => {
                        best = Some(best.map_or(*n, |best: i64| best.max(*n)));
                    }
                    _ => computed = true,
                },
                None => computed = true,
            }
        }
        match computed {
            false => Rank::Fixed(best.unwrap_or(0)),
            true => Rank::Computed(self.number_of(relation, name, arity)),
        }
    }

    /// Marks clauses of one form whose moves may be equal, so that duplicates are removed when they
    /// are generated.
    fn mark_repeats(&mut self, clauses: &mut [MoveClause], facts: &[Conditions]) {
        for i in 0..clauses.len() {
            for j in 0..i {
                let ranks = (clauses[i].rank, clauses[j].rank);
                let apart = matches!(ranks, (Rank::Fixed(a), Rank::Fixed(b)) if a != b);
                if clauses[i].functor == clauses[j].functor
                    && !apart
                    && !self.exclusive(&facts[i], &facts[j], |_| true)
                {
                    clauses[i].repeats = true;
                    clauses[j].repeats = true;
                }
            }
        }
    }
}

/// Turns the last loop into a segment.
fn segment(mut prefix: Builder) -> Builder {
    match prefix.ops.last() {
        Some(Op::Each { set, base, dst, .. }) => {
            let op = Op::Segment { set: set.clone(), base: *base, dst: *dst };
            prefix.replace_last(op);
        }
        _ => prefix.push(Op::Single),
    }
    prefix
}

/// Whether a rank's pattern matches moves of a clause: always, never, or (`None`) sometimes.
fn may_match(
    pattern: &Term,
    name: &str,
    arity: usize,
    program: &crate::program::Program,
) -> Option<bool> {
    match pattern {
        Term::Variable(_) => Some(true),
        Term::Constant(value) => {
            let (n, args) = program.values.functor(*value)?;
            if n != name || args.len() != arity {
                Some(false)
            } else if arity == 0 {
                Some(true)
            } else {
                None
            }
        }
        Term::Compound(n, args) => {
            if n != name || args.len() != arity {
                return Some(false);
            }
            let mut seen = Vec::new();
            let plain = args.iter().all(|a| match a {
                Term::Variable(v) if !seen.contains(v) => {
                    seen.push(*v);
                    true
                }
                _ => false,
            });
            plain.then_some(true)
        }
        Term::List(..) => Some(false),
    }
}
