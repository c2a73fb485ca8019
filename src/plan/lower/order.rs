//! The order of a conjunction of tests.
//!
//! Greedy, by what is bound: cheap tests first, then goals with at most one answer, then costly
//! tests, then the generator with the fewest answers expected. Every goal that restricts the
//! generated variable and can be evaluated on whole sets is folded into its set. For variables that
//! are not needed afterwards only one witness is found, where answers must not come twice.

use super::super::ops::{Op, Operand, Reg, Set, SetReg};
use super::conjuncts::{locals, take};
use super::control::built_for;
use super::goals::{Arg, Expr, G, Var, Vars};
use super::links::Links;
use super::procedures::FLOOD;
use super::sets::TEST_UP_TO;
use super::{Builder, Lowering, NotReady};

/// The state of lowering one block.
#[derive(Clone)]
pub(super) struct BlockState {
    pub bound: Vec<Option<Operand>>,
    pub next_register: Reg,
    pub next_set: SetReg,
    /// Answers may come twice.
    pub repeats: bool,
    /// Variables that are not needed but were enumerated: where several of their values lead to one
    /// answer, it comes several times.
    pub witnesses: Vec<Var>,
    /// How often each variable occurs in the whole clause.
    pub totals: Vec<usize>,
    /// How many sets are being gathered around this block.
    pub nesting: usize,
    /// The lists that have been taken apart, and the registers of their heads and tails.
    pub taken: Vec<(Operand, Reg, Reg)>,
    /// Tests for which sets were gathered in front of loops (`held.rs`), and these sets.
    pub held: Vec<(Vec<G>, SetReg)>,
}

impl BlockState {
    pub(super) fn new(vars: &Vars) -> BlockState {
        BlockState {
            bound: vec![None; vars.all.len()],
            next_register: 0,
            next_set: 0,
            repeats: false,
            witnesses: Vec::new(),
            totals: vec![0; vars.all.len()],
            nesting: 0,
            taken: Vec::new(),
            held: Vec::new(),
        }
    }

    pub(super) fn register(&mut self) -> Reg {
        self.next_register += 1;
        self.next_register - 1
    }

    pub(super) fn set(&mut self) -> SetReg {
        self.next_set += 1;
        self.next_set - 1
    }

    pub(super) fn operand(&self, arg: Arg) -> Option<Operand> {
        match arg {
            Arg::Const(code) => Some(Operand::Const(code)),
            Arg::Var(v) => self.bound.get(v).copied().flatten(),
        }
    }

    pub(super) fn is_bound(&self, arg: Arg) -> bool {
        self.operand(arg).is_some()
    }

    /// Takes the register counters of an inner block, so that its registers stay its own.
    pub(super) fn absorb(&mut self, inner: &BlockState) {
        self.next_register = self.next_register.max(inner.next_register);
        self.next_set = self.next_set.max(inner.next_set);
        self.repeats |= inner.repeats;
        for v in &inner.witnesses {
            if !self.witnesses.contains(v) {
                self.witnesses.push(*v);
            }
        }
    }
}

/// The required results of a conjunction.
#[derive(Clone, Default)]
pub(super) struct Want {
    /// Variables that must be bound at the end.
    pub needed: Vec<Var>,
    /// The variable whose set is wanted rather than its values.
    pub target: Option<Var>,
    /// Answers must not come twice.
    pub sensitive: bool,
    /// Answers that come twice are found and dropped, at little cost.
    pub compared: bool,
    /// The goals are run as they are written and their answers come in that order, because the
    /// first one counts or a goal may be a rule error.
    pub ordered: bool,
    /// Variables that tell answers apart. A branch of a disjunction that does not bind one leaves
    /// it [`UNBOUND`].
    pub telling: Vec<Var>,
}

impl Want {
    /// Whether answers with different values of a variable are different.
    pub(super) fn wants(&self, v: Var) -> bool {
        self.needed.contains(&v) || self.telling.contains(&v) || self.target == Some(v)
    }
}

/// Stands for the value of an unbound variable.
pub(super) const UNBOUND: super::Code = -super::super::universe::CONSTANTS;

/// The form in which the target was computed.
pub(super) enum TargetForm {
    /// All needed variables are bound, the target included.
    Bound,
    /// This set holds the target's values.
    Set(Set),
}

/// What a goal can do now.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Status {
    CheapTest,
    /// At most one answer.
    Bind,
    CostlyTest,
    /// Several answers, about this many.
    Generate(f64),
    Wait,
}

impl Lowering<'_> {
    /// Emits a conjunction of tests.
    pub(super) fn conjunction(
        &mut self,
        mut goals: Vec<G>,
        context: &mut BlockState,
        vars: &mut Vars,
        want: &Want,
        out: &mut Builder,
    ) -> Result<TargetForm, NotReady> {
        loop {
            context.bound.resize(vars.all.len(), None);
            context.totals.resize(vars.all.len(), 1);
            if goals.is_empty() {
                break;
            }
            if (self.stopped)() {
                return Err(NotReady);
            }
            if want.ordered || goals.iter().any(|goal| self.raises(goal)) {
                match self.leading_test(&goals, context, want) {
                    Some(test) => self.component(&mut goals, &test, context, vars, out)?,
                    None => self.written(&mut goals, context, vars, want, out)?,
                }
                continue;
            }
            if let Some(at) = self.open_choice(&goals, context, want) {
                self.up_to_choice(at, &mut goals, context, vars, want, out)?;
                continue;
            }
            let statuses = self.statuses(&goals, context, vars, want);
            let pick = |wanted: Status| statuses.iter().position(|s| *s == wanted);
            // calculations stay after the tests before them, which may guard them
            let direct = pick(Status::CheapTest).or_else(|| pick(Status::Bind));
            if let Some(at) = direct.or_else(|| pick(Status::CostlyTest)) {
                let goal = goals.remove(at);
                if statuses[at] == Status::CostlyTest
                    && let Some(ways) = self.flooding_ways(&goal, context, vars, out)
                {
                    self.exists(vec![G::Or(ways)], context, vars, false, out)?;
                    continue;
                }
                let test = matches!(goal, G::Call(..)) && statuses[at] == Status::CostlyTest;
                if !test
                    || !self.element_test(std::slice::from_ref(&goal), false, context, vars, out)
                {
                    self.goal_ops(&goal, context, vars, want, out)?;
                }
                continue;
            }
            if let Some(at) = self.asks_any_key(&goals, context)
                && self.held_test(&goals[at..=at], false, context, vars, out)
            {
                goals.remove(at);
                continue;
            }
            if want.sensitive
                && let Some(test) = Links::new(&goals, context, want).test(&goals, context, want)
            {
                self.component(&mut goals, &test, context, vars, out)?;
                continue;
            }
            if let Some(target) = want.target
                && context.bound[target].is_none()
                && locals(&goals, context, want).iter().all(|v| context.totals[*v] <= 1)
                && let Some(set) = self.fold_all(&goals, target, context, vars, out)
            {
                return Ok(TargetForm::Set(set));
            }
            if let Some(set) = self.fold_apart(&goals, context, vars, want, out) {
                return Ok(TargetForm::Set(set));
            }
            self.generate(&mut goals, &statuses, context, vars, want, out)?;
        }
        if want.needed.iter().all(|v| context.bound[*v].is_some()) {
            Ok(TargetForm::Bound)
        } else {
            Err(NotReady)
        }
    }

    /// The goals that are a test with the first one, all of them before the first that may be a rule error. They
    /// bind nothing that another goal contains, so that one common answer is enough, in any order.
    fn leading_test(&self, goals: &[G], context: &BlockState, want: &Want) -> Option<Vec<usize>> {
        let safe = goals.iter().position(|goal| self.raises(goal)).unwrap_or(goals.len());
        let mut opens = false;
        goals[0].each_var(&mut |v| opens |= context.bound[v].is_none());
        if safe == 0 || !opens {
            return None;
        }
        let links = Links::new(goals, context, want);
        let test = links.test_with(0, goals, context, want)?;
        (test.len() < goals.len() && test.iter().all(|i| *i < safe)).then_some(test)
    }

    /// Emits the goals at these ascending places as one test.
    pub(super) fn component(
        &mut self,
        goals: &mut Vec<G>,
        places: &[usize],
        context: &mut BlockState,
        vars: &mut Vars,
        out: &mut Builder,
    ) -> Result<(), NotReady> {
        let inner = take(goals, places);
        let place = self.place_of(&inner[0]);
        self.writing(place, out, |lowering, out| lowering.exists(inner, context, vars, false, out))
    }

    /// What each goal can do now.
    pub(super) fn statuses(
        &mut self,
        goals: &[G],
        context: &BlockState,
        vars: &Vars,
        want: &Want,
    ) -> Vec<Status> {
        let mut first = true;
        let mut all = Vec::with_capacity(goals.len());
        for goal in goals {
            let status = self.status(goal, first, context, vars, want);
            // a goal that waits may wait for values from those after it
            // what a flood reads is known before what depends on it
            first &= status == Status::Wait && !matches!(goal, G::Call(FLOOD, _));
            all.push(status);
        }
        all
    }

    /// Emits the first goal, in the order of the text, whose needed variables are bound.
    fn written(
        &mut self,
        goals: &mut Vec<G>,
        context: &mut BlockState,
        vars: &mut Vars,
        want: &Want,
        out: &mut Builder,
    ) -> Result<(), NotReady> {
        let mut states =
            (0..goals.len()).map(|i| (i, self.status(&goals[i], true, context, vars, want)));
        let ready = states.find(|(_, status)| *status != Status::Wait);
        let (ready, status) = ready.ok_or(NotReady)?;
        if matches!(status, Status::Generate(answers) if answers > TEST_UP_TO)
            && !goals.iter().any(|goal| self.raises(goal))
            && self.first_of_set(ready, goals, context, vars, want, out)
        {
            return Ok(());
        }
        let goal = goals.remove(built_for(goals, ready, context).unwrap_or(ready));
        self.note_witnesses(&goal, goals, context, want);
        let want = Want { ordered: true, ..want.clone() };
        self.goal_ops(&goal, context, vars, &want, out)
    }

    /// Records the variables that a goal enumerates and that no later goal needs.
    pub(super) fn note_witnesses(
        &mut self,
        goal: &G,
        rest: &[G],
        context: &mut BlockState,
        want: &Want,
    ) {
        if !want.sensitive {
            return;
        }
        // these give each combination of the wanted values once
        let projects = matches!(goal, G::Static(..) | G::Functor(..) | G::Call(..) | G::Legal(..));
        let mut all = rest.to_vec();
        all.push(goal.clone());
        let local = locals(&all, context, want);
        let mut repeated = Vec::new();
        goal.each_var(&mut |v| {
            if local.contains(&v) && (context.totals[v] > 1 || !projects) {
                repeated.push(v);
            }
        });
        let determined = self.determined_by_wanted(&all, context, want);
        context.witnesses.extend(repeated.into_iter().filter(|v| !determined.contains(v)));
    }

    /// Emits a test that the goals have a common answer.
    pub(super) fn exists(
        &mut self,
        goals: Vec<G>,
        context: &mut BlockState,
        vars: &mut Vars,
        negate: bool,
        out: &mut Builder,
    ) -> Result<(), NotReady> {
        if let Some(op) = self.simple_exists(&goals, context, vars, negate) {
            out.push(op);
            return Ok(());
        }
        if negate && let Some(all) = self.tests_apart(&goals, context, vars) {
            return all
                .into_iter()
                .try_for_each(|goals| self.exists(goals, context, vars, true, out));
        }
        if self.held_test(&goals, negate, context, vars, out)
            || self.element_test(&goals, negate, context, vars, out)
        {
            return Ok(());
        }
        if !negate && let Some(first) = self.by_seed(&goals, context, vars) {
            return self.choice_test(&[first, goals], context, vars, &Want::default(), out);
        }
        let mut inner = context.clone();
        let mut block = self.builder();
        let want = Want { needed: Vec::new(), target: None, sensitive: false, ..Want::default() };
        self.conjunction(goals, &mut inner, vars, &want, &mut block)?;
        finish_exists(&mut block);
        context.absorb(&inner);
        if let [only, Op::Succeed] = block.ops.as_slice()
            && let Some(test) = with_sign(only.clone(), negate)
        {
            out.push(test);
            return Ok(());
        }
        // what continues once at most need not be in a block of its own
        if !negate && !self.answers_twice(block.ops.iter()) {
            out.push_first(block.ops.len() - 1, &block);
            return Ok(());
        }
        if let Some((last, before)) = block.ops.split_last()
            && *last == Op::Succeed
            && let Some((last @ Op::NonEmpty { .. }, before)) = before.split_last()
            && let Some(test) = with_sign(last.clone(), negate)
            && before
                .iter()
                .all(|op| matches!(op, Op::Load { .. } | Op::And { .. } | Op::AndNot { .. }))
        {
            out.push_first(before.len(), &block);
            out.push(test);
            return Ok(());
        }
        let body = self.place(block);
        out.push(Op::Exists { body, negate });
        Ok(())
    }

    /// The code of index 0 of a variable's universe.
    pub(super) fn base_of(&self, var: Var, vars: &Vars) -> super::Code {
        vars.universe(var).map_or(0, |u| self.universes.get(u).base)
    }

    /// Emits an expression, and returns the operand with its value.
    pub(super) fn expression(
        &mut self,
        e: &Expr,
        span: crate::source::Span,
        context: &mut BlockState,
        out: &mut Builder,
    ) -> Result<Operand, NotReady> {
        match e {
            Expr::Arg(arg) => context.operand(*arg).ok_or(NotReady),
            Expr::Read(fluent, keys) => {
                let keys = self.operands(keys, context)?;
                let dst = context.register();
                out.push(Op::Read { dst, fluent: *fluent, keys });
                Ok(Operand::Reg(dst))
            }
            Expr::Op(op, args) => {
                let mut operands = Vec::new();
                for arg in args {
                    operands.push(self.expression(arg, span, context, out)?);
                }
                let a = operands[0];
                let b = operands.get(1).copied().unwrap_or(Operand::Const(0));
                if let (Operand::Const(a), Operand::Const(b)) = (a, b) {
                    let values = if args.len() == 1 { vec![a] } else { vec![a, b] };
                    if let Some(n) = op.apply(&values) {
                        return Ok(Operand::Const(n));
                    }
                }
                let dst = context.register();
                let source = self.source(span);
                out.push(Op::Calculate { dst, op: *op, a, b, source });
                Ok(Operand::Reg(dst))
            }
        }
    }

    pub(super) fn operands(
        &self,
        args: &[Arg],
        context: &BlockState,
    ) -> Result<super::super::ops::Operands, NotReady> {
        args.iter().map(|a| context.operand(*a).ok_or(NotReady)).collect()
    }
}

/// A last `Each` in a test only asks whether its set has an element.
pub(super) fn finish_exists(block: &mut Builder) {
    if let Some(Op::Each { set, .. }) = block.ops.last() {
        let set = set.clone();
        block.replace_last(Op::NonEmpty { set, negate: false });
    }
    block.push(Op::Succeed);
}

/// A test, negated where `flip`; `None` for an instruction that cannot be negated.
pub(super) fn with_sign(mut op: Op, flip: bool) -> Option<Op> {
    match &mut op {
        Op::In { negate, .. }
        | Op::NonEmpty { negate, .. }
        | Op::Subset { negate, .. }
        | Op::AnyRow { negate, .. }
        | Op::Holds { negate, .. }
        | Op::Defined { negate, .. }
        | Op::Has { negate, .. }
        | Op::Same { negate, .. }
        | Op::Test { negate, .. } => *negate ^= flip,
        _ => return None,
    }
    Some(op)
}
