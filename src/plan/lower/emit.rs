//! The instructions of single goals: what a goal can do with the bound variables, and its
//! instructions.

use crate::program::Kind;

use super::super::blocks::BlockId;
use super::super::layout::{Axis, Cells};
use super::super::ops::{Op, Operand, PatternArgument, Reg, Set};
use super::conjuncts::tested;
use super::goals::{Arg, Expr, G, Var, Vars};
use super::order::{BlockState, Status, Want};
use super::procedures::FLOOD;
use super::tables::TableRef;
use super::{Builder, Lowering, NotReady};

/// What a call costs beside a lookup with as many answers.
const CALLED: f64 = 2.0;

impl Lowering<'_> {
    /// What a goal can do now; `first` when all goals written before it are done.
    pub(super) fn status(
        &mut self,
        goal: &G,
        first: bool,
        context: &BlockState,
        vars: &Vars,
        want: &Want,
    ) -> Status {
        let bound = |arg: &Arg| context.is_bound(*arg);
        let expr_bound = |e: &Expr| {
            let mut all = true;
            G::Is(Arg::Const(0), e.clone(), crate::source::Span::NONE)
                .each_var(&mut |v| all &= context.bound[v].is_some());
            all
        };
        match goal {
            G::Fail => Status::CheapTest,
            G::Static(id, args) => self.table_status(TableRef::Relation(*id), args, context),
            G::Functor(at, args) => self.table_status(TableRef::Functor(*at), args, context),
            G::Read(_, keys, value) => {
                let open = keys.iter().filter(|k| !bound(k)).count();
                if open == 0 {
                    match value {
                        Some(v) if !bound(v) && !self.wildcard(*v, context) => Status::Bind,
                        _ => Status::CheapTest,
                    }
                } else {
                    let size: usize = self.read_size(goal, context);
                    Status::Generate(size as f64)
                }
            }
            G::Same(a, b) => match (bound(a), bound(b)) {
                (true, true) => Status::CheapTest,
                (false, false) => Status::Wait,
                _ => Status::Bind,
            },
            G::Compare(_, a, b, _) if expr_bound(a) && expr_bound(b) => Status::CheapTest,
            G::Is(x, e, _) if expr_bound(e) => {
                if bound(x) {
                    Status::CheapTest
                } else {
                    Status::Bind
                }
            }
            G::In(x, lo, hi, _) if expr_bound(lo) && expr_bound(hi) => {
                if bound(x) {
                    return Status::CheapTest;
                }
                let size = match (lo, hi) {
                    (Expr::Arg(Arg::Const(a)), Expr::Arg(Arg::Const(b))) => {
                        (b - a + 1).max(0) as f64
                    }
                    _ => 8.0,
                };
                Status::Generate(size)
            }
            G::Member(x, list) if bound(list) => {
                if bound(x) {
                    Status::CheapTest
                } else {
                    Status::Generate(4.0)
                }
            }
            G::Length(list, n) if bound(list) => {
                if bound(n) {
                    Status::CheapTest
                } else {
                    Status::Bind
                }
            }
            G::List(whole, items, tail) => {
                let parts = items.iter().chain(tail).all(&bound);
                if bound(whole) || parts { Status::Bind } else { Status::Wait }
            }
            G::Not(_) => match self.outer_bound(goal, None, context) {
                true => Status::CostlyTest,
                false => Status::Wait,
            },
            G::Aggregate(_, _, inner, result, ..) => {
                // the result may occur inside too
                let inside = matches!(result, Arg::Var(v) if inner.iter().any(|g| occurrences_in(g, *v) > 0));
                if inside && !bound(result) {
                    return Status::Wait;
                }
                if self.outer_bound(goal, Some(*result), context) {
                    return if bound(result) { Status::CostlyTest } else { Status::Bind };
                }
                Status::Wait
            }
            G::Legal(_) | G::LegalMove(_) | G::Stuck | G::Repeated(..) if first => match goal {
                G::Repeated(n, ..) if !bound(n) => Status::Wait,
                G::LegalMove(m) if !bound(m) && !self.wildcard(*m, context) => {
                    Status::Generate(16.0)
                }
                G::Legal(Some((_, args)))
                    if !args.iter().all(|a| bound(a) || self.wildcard(*a, context)) =>
                {
                    Status::Generate(16.0)
                }
                _ => Status::CostlyTest,
            },
            G::Call(id, args) if *id == FLOOD => {
                if bound(&args[0]) {
                    Status::CheapTest
                } else {
                    Status::Wait
                }
            }
            G::Call(id, args) => {
                let needs = &self.program.relation(*id).needs_bound;
                if args.iter().zip(needs).any(|(a, n)| *n && !bound(a)) {
                    return Status::Wait;
                }
                let open =
                    args.iter().filter(|a| !bound(a) && !self.wildcard(**a, context)).count();
                // a goal before it may bind what it would choose
                if open > 0 && !first && self.call_chooses(*id) {
                    return Status::Wait;
                }
                if self.program.relation(*id).kind == Kind::Action {
                    return if first { Status::Generate(0.5) } else { Status::Wait };
                }
                let known: Vec<bool> = args.iter().map(bound).collect();
                match open {
                    0 => Status::CostlyTest,
                    _ if self.is_single(*id, &known) => Status::Bind,
                    _ if self.endless(goal, context, vars) => Status::Generate(1e12),
                    n if n > 1 && self.flood_target(*id, args, context).is_some() => {
                        Status::Generate(1e7)
                    }
                    1 if self.gathers(args, context, vars) => Status::Generate(1000.0),
                    n => {
                        let most = 12f64.powi(n.min(6) as i32);
                        let expected = match self.fills_table(*id, args, context) {
                            true => f64::INFINITY,
                            false => self.expected_answers(*id, args, context) * CALLED,
                        };
                        Status::Generate(expected.clamp(CALLED, most))
                    }
                }
            }
            G::If(..) if super::put_off::gives_one_value(goal, context) => Status::Bind,
            G::Or(_) | G::If(..) | G::Once(_) => {
                let mut open = false;
                goal.each_var(&mut |v| {
                    open |= context.bound[v].is_none()
                        && (want.wants(v) || context.totals[v] > occurrences_in(goal, v));
                });
                match goal {
                    _ if !open && self.outer_bound(goal, None, context) => Status::CostlyTest,
                    G::Once(_) if first => Status::Bind,
                    _ if first => Status::Generate(3.0),
                    _ => Status::Wait,
                }
            }
            _ => Status::Wait,
        }
    }

    /// Whether the only open argument of a call can be computed as a set.
    fn gathers(&self, args: &[Arg], context: &BlockState, vars: &Vars) -> bool {
        args.iter().any(|a| match a {
            Arg::Var(v) => context.bound[*v].is_none() && self.settable(*v, vars).is_some(),
            Arg::Const(_) => false,
        })
    }

    /// Whether all variables that a goal shares with the rest of its clause are bound.
    fn outer_bound(&self, goal: &G, except: Option<Arg>, context: &BlockState) -> bool {
        let mut all = true;
        goal.each_var(&mut |v| {
            if context.bound[v].is_none()
                && except != Some(Arg::Var(v))
                && context.totals[v] > occurrences_in(goal, v)
            {
                all = false;
            }
        });
        all
    }

    fn read_size(&self, goal: &G, context: &BlockState) -> usize {
        let G::Read(fluent, keys, _) = goal else { return 1 };
        let place = self.layout.place(*fluent);
        keys.iter()
            .zip(&place.keys)
            .filter(|(k, _)| !context.is_bound(**k))
            .map(|(_, axis)| axis.len)
            .product()
    }

    fn table_status(&mut self, table: TableRef, args: &[Arg], context: &BlockState) -> Status {
        let (keys, outs) = self.columns(args, context);
        if outs.is_empty() {
            return Status::CheapTest;
        }
        let fixed: Option<Vec<(usize, i64)>> = keys
            .iter()
            .map(|c| match context.operand(args[*c]) {
                Some(Operand::Const(code)) => Some((*c, code)),
                _ => None,
            })
            .collect();
        if let Some(fixed) = fixed {
            return match self.projected_count(table, fixed, outs) {
                0 | 1 => Status::Bind,
                count => Status::Generate(count as f64),
            };
        }
        let whole = keys.iter().chain(&outs).copied().collect();
        let combinations = self.projected_count(table, Vec::new(), keys);
        let rows = self.projected_count(table, Vec::new(), whole);
        match rows == combinations {
            true => Status::Bind,
            false => Status::Generate(rows as f64 / combinations as f64),
        }
    }

    /// The bound columns, and the unbound ones that are not wildcards.
    fn columns(&self, args: &[Arg], context: &BlockState) -> (Vec<usize>, Vec<usize>) {
        let keys = (0..args.len()).filter(|i| context.is_bound(args[*i])).collect();
        let outs = (0..args.len())
            .filter(|i| !context.is_bound(args[*i]) && !self.wildcard(args[*i], context))
            .collect();
        (keys, outs)
    }

    pub(super) fn projected_count(
        &self,
        table: TableRef,
        fixed: Vec<(usize, i64)>,
        outs: Vec<usize>,
    ) -> usize {
        let mut key = (table, fixed, outs);
        key.2.sort_unstable();
        if let Some(known) = self.known.counts.borrow().get(&key) {
            return *known;
        }
        let count = self.count_projected(table, &key.1, &key.2);
        self.known.counts.borrow_mut().insert(key, count);
        count
    }

    /// Emits the instructions of a goal that is ready.
    pub(super) fn goal_ops(
        &mut self,
        goal: &G,
        context: &mut BlockState,
        vars: &mut Vars,
        want: &Want,
        out: &mut Builder,
    ) -> Result<(), NotReady> {
        let place = self.place_of(goal);
        self.writing(place, out, |lowering, out| lowering.ops_of(goal, context, vars, want, out))
    }

    fn ops_of(
        &mut self,
        goal: &G,
        context: &mut BlockState,
        vars: &mut Vars,
        want: &Want,
        out: &mut Builder,
    ) -> Result<(), NotReady> {
        match goal {
            G::Fail => out.push(Op::Fail),
            G::Static(id, args) => {
                self.table_ops(TableRef::Relation(*id), args, context, vars, out)?
            }
            G::Functor(at, args) => {
                self.table_ops(TableRef::Functor(*at), args, context, vars, out)?
            }
            G::Read(fluent, keys, value) => {
                self.read_ops(*fluent, keys, *value, want.ordered, context, out)?
            }
            G::Same(a, b) => match (context.operand(*a), context.operand(*b)) {
                (Some(Operand::Const(a)), Some(Operand::Const(b))) => {
                    if a != b {
                        out.push(Op::Fail);
                    }
                }
                (Some(a), Some(b)) => out.push(Op::Same { a, b, negate: false }),
                (Some(x), None) => bind(*b, x, context, out),
                (None, Some(x)) => bind(*a, x, context, out),
                (None, None) => return Err(NotReady),
            },
            G::Compare(op, a, b, span) => {
                let a = self.expression(a, *span, context, out)?;
                let b = self.expression(b, *span, context, out)?;
                let source = self.source(*span);
                out.push(Op::Compare { op: *op, a, b, source });
            }
            G::Is(x, e, span) => {
                let value = self.expression(e, *span, context, out)?;
                bind(*x, value, context, out);
            }
            G::In(x, lo, hi, span) => {
                let lo = self.expression(lo, *span, context, out)?;
                let hi = self.expression(hi, *span, context, out)?;
                match context.operand(*x) {
                    Some(x) => out.push(Op::Between { x, lo, hi }),
                    None => {
                        let dst = fresh(*x, context)?;
                        out.push(Op::Integers { dst, lo, hi, body: BlockId::OPEN });
                    }
                }
            }
            G::Member(x, list) => {
                let list = context.operand(*list).ok_or(NotReady)?;
                match context.operand(*x) {
                    Some(x) => out.push(Op::InList { x, list }),
                    None => {
                        let dst = fresh(*x, context)?;
                        out.push(Op::Members { dst, list, body: BlockId::OPEN });
                    }
                }
            }
            G::Length(list, n) => {
                let list = context.operand(*list).ok_or(NotReady)?;
                let dst = context.register();
                out.push(Op::Length { dst, list });
                bind(*n, Operand::Reg(dst), context, out);
            }
            G::List(whole, items, tail) => self.list_ops(*whole, items, *tail, context, out)?,
            G::Not(inner) => match tested(goal) {
                Some(goals) => self.exists(goals.to_vec(), context, vars, false, out)?,
                None => self.exists(inner.clone(), context, vars, true, out)?,
            },
            G::Aggregate(kind, template, body, result, span, told) => {
                let goal = (*kind, *template, body.as_slice(), told.as_slice());
                let value = self.aggregate(goal, *span, context, vars, out)?;
                bind(*result, value, context, out);
            }
            G::LegalMove(m) if !self.wildcard(*m, context) => {
                let (argument, inputs, outs) = match context.operand(*m) {
                    Some(x) => (PatternArgument::Equal(0), vec![x], Vec::new()),
                    None => (PatternArgument::Out(0), Vec::new(), vec![fresh(*m, context)?]),
                };
                self.legal(None, vec![argument], inputs, outs, out);
            }
            G::Legal(None) | G::LegalMove(_) => {
                self.legal(None, Vec::new(), Vec::new(), Vec::new(), out);
            }
            G::Legal(Some((name, args))) => {
                let mut outs: Vec<Reg> = Vec::new();
                let (mut arguments, mut inputs) = (Vec::new(), Vec::new());
                // a variable that occurs twice is bound twice and compared
                let mut again: Vec<(Operand, Reg)> = Vec::new();
                let before = context.bound.clone();
                let known = |arg: &Arg| match arg {
                    Arg::Const(_) => true,
                    Arg::Var(v) => before.get(*v).copied().flatten().is_some(),
                };
                for arg in args {
                    arguments.push(match context.operand(*arg) {
                        Some(x) if known(arg) => {
                            inputs.push(x);
                            PatternArgument::Equal(inputs.len() - 1)
                        }
                        Some(first) => {
                            let dst = context.register();
                            again.push((first, dst));
                            outs.push(dst);
                            PatternArgument::Out(outs.len() - 1)
                        }
                        None if self.wildcard(*arg, context) && !want.ordered => {
                            PatternArgument::Any
                        }
                        None => {
                            outs.push(fresh(*arg, context)?);
                            PatternArgument::Out(outs.len() - 1)
                        }
                    });
                }
                let functor = self.move_functor(name, args.len());
                self.legal(Some(functor), arguments, inputs, outs, out);
                for (a, dst) in again {
                    out.push(Op::Same { a, b: Operand::Reg(dst), negate: false });
                }
            }
            G::Stuck => out.push(Op::Stuck),
            G::Repeated(n, board, span) => {
                let times = context.operand(*n).ok_or(NotReady)?;
                self.must_be_number(times, *span, out);
                out.push(Op::Repeated { times, board: *board });
            }
            G::Call(id, args) => {
                if let Some(chosen) = self.chosen(*id, args, want.ordered, context, vars) {
                    return match chosen.as_slice() {
                        [choice] => self.ops_of(choice, context, vars, want, out),
                        goals => {
                            // what they bind is theirs alone
                            let (needed, telling) = (Vec::new(), Vec::new());
                            let own = Want { needed, telling, target: None, ..want.clone() };
                            self.sequence(goals, context, vars, &own, out)
                        }
                    };
                }
                // in the order of evaluation, the answers are those of the relation itself
                if !want.ordered
                    && let Some(followed) = self.followed(*id, args, context)
                    && self.flood_test(*id, args, context).is_none()
                {
                    let followed = G::Call(followed, args.clone());
                    self.put_in_place(&followed, goal);
                    return self.ops_of(&followed, context, vars, want, out);
                }
                // where there is a loop, the flood is better made once, before it
                let in_loop = *id == FLOOD || out.ops.iter().any(Op::is_generator);
                let mut tests = Vec::new();
                if !want.ordered && !in_loop && self.flood_test(*id, args, context).is_some() {
                    tests = self.required(*id, args, vars);
                } else if self.fills_table(*id, args, context) {
                    tests = self.required_first(*id, args, vars);
                }
                // a test that gives a variable values for which nothing asks would give the answer once for each
                let ignored = |v: Var, context: &BlockState| {
                    !context.is_bound(Arg::Var(v))
                        && !want.wants(v)
                        && context.totals[v] <= occurrences_in(goal, v)
                };
                for test in tests {
                    context.bound.resize(vars.all.len(), None);
                    context.totals.resize(vars.all.len(), 2);
                    let mut gives_ignored = false;
                    test.each_var(&mut |v| gives_ignored |= ignored(v, context));
                    if gives_ignored {
                        continue;
                    }
                    // of a table, only what is known before it
                    if self.status(&test, true, context, vars, want) == Status::CheapTest
                        || !in_loop && !want.ordered
                    {
                        self.goal_ops(&test, context, vars, want, out)?;
                    }
                }
                self.call_ops(*id, args, want.ordered, context, vars, out)?;
            }
            G::Or(branches) => self.or_ops(goal, branches, context, vars, want, out)?,
            G::If(c, t, e) => self.if_ops(goal, (c, t, e), context, vars, want, out)?,
            G::Once(inner) => self.once_ops(goal, inner, context, vars, want, out)?,
            _ => self.update_ops(goal, context, vars, out)?,
        }
        Ok(())
    }

    pub(super) fn table_ops(
        &mut self,
        table: TableRef,
        args: &[Arg],
        context: &mut BlockState,
        vars: &Vars,
        out: &mut Builder,
    ) -> Result<(), NotReady> {
        let (keys, outs) = self.columns(args, context);
        let fixed: Option<Vec<(usize, i64)>> = keys
            .iter()
            .map(|c| match context.operand(args[*c]) {
                Some(Operand::Const(code)) => Some((*c, code)),
                _ => None,
            })
            .collect();
        if let Some(fixed) = &fixed {
            let rows = self.projected(table, fixed, &outs);
            match rows.as_slice() {
                [] => {
                    out.push(Op::Fail);
                    for column in outs {
                        if let Arg::Var(v) = args[column] {
                            context.bound[v] = Some(Operand::Const(0));
                        }
                    }
                    return Ok(());
                }
                [row] => {
                    for (column, code) in outs.iter().zip(row) {
                        bind(args[*column], Operand::Const(*code), context, out);
                    }
                    return Ok(());
                }
                _ => {}
            }
        }
        let key_operands =
            keys.iter().filter_map(|c| context.operand(args[*c])).collect::<Box<[_]>>();
        if outs.is_empty() {
            // one key of a settable universe is a bit; anything else is looked up
            if let Some((x, set, base)) = self.bit_test(table, args, &keys, context, vars) {
                out.push(Op::In { x, base, set, negate: false });
                return Ok(());
            }
            let index = self.index(table, &keys, &[]);
            out.push(Op::Has { index, keys: key_operands, negate: false });
            return Ok(());
        }
        // a variable that occurs twice is read once and compared
        let mut again = Vec::new();
        let mut seen: Vec<Arg> = Vec::new();
        for column in outs.clone() {
            if seen.contains(&args[column]) {
                again.push(column);
            }
            seen.push(args[column]);
        }
        let index = self.index(table, &keys, &outs);
        let mut registers = Vec::new();
        for column in &outs {
            let dst = context.register();
            registers.push(dst);
            if !again.contains(column)
                && let Arg::Var(v) = args[*column]
            {
                context.bound[v] = Some(Operand::Reg(dst));
            }
        }
        let functional = self.made.indexes[index as usize].functional;
        let registers: Box<[Reg]> = registers.into_boxed_slice();
        out.push(match functional {
            true => Op::Find { index, keys: key_operands, outs: registers.clone() },
            false => {
                Op::Rows { index, keys: key_operands, outs: registers.clone(), body: BlockId::OPEN }
            }
        });
        for (column, dst) in outs.iter().zip(registers.iter()) {
            if again.contains(column)
                && let Some(first) = context.operand(args[*column])
            {
                out.push(Op::Same { a: first, b: Operand::Reg(*dst), negate: false });
            }
        }
        Ok(())
    }

    fn bit_test(
        &mut self,
        table: TableRef,
        args: &[Arg],
        keys: &[usize],
        context: &BlockState,
        vars: &Vars,
    ) -> Option<(Operand, super::super::ops::Set, i64)> {
        let last = *keys.last()?;
        let Arg::Var(v) = args[last] else { return None };
        let universe = self.settable(v, vars)?;
        let x = context.operand(args[last])?;
        let others: Vec<usize> = keys[..keys.len() - 1].to_vec();
        let operands: Box<[Operand]> =
            others.iter().filter_map(|c| context.operand(args[*c])).collect();
        let base = self.universes.get(universe).base;
        let constants: Option<Vec<(usize, i64)>> = others
            .iter()
            .zip(operands.iter())
            .map(|(c, o)| match o {
                Operand::Const(code) => Some((*c, *code)),
                Operand::Reg(_) => None,
            })
            .collect();
        if let Some(fixed) = constants {
            let codes = self.codes_with(table, &fixed, last);
            let mask = self.mask(universe, codes.into_iter());
            return Some((x, super::super::ops::Set::Mask(mask), base));
        }
        let rows = self.bit_rows(table, &others, last, universe)?;
        Some((x, super::super::ops::Set::Row { rows, keys: operands }, base))
    }

    fn read_ops(
        &mut self,
        fluent: crate::program::FluentId,
        keys: &[Arg],
        value: Option<Arg>,
        ordered: bool,
        context: &mut BlockState,
        out: &mut Builder,
    ) -> Result<(), NotReady> {
        if self.open_keys(fluent, keys, ordered, context) {
            let outs = keys.iter().map(|key| fresh(*key, context)).collect::<Result<_, _>>()?;
            out.push(Op::Keys { fluent, outs, body: BlockId::OPEN });
            if value.is_none() {
                return Ok(());
            }
        }
        // unbound keys are enumerated
        for (i, key) in keys.iter().enumerate() {
            if context.is_bound(*key) {
                continue;
            }
            let axis = self.layout.place(fluent).keys[i].clone();
            let slice = match key {
                Arg::Var(var) => self.slice(fluent, keys, value, *var, context),
                Arg::Const(_) => None,
            };
            let dst = fresh(*key, context)?;
            // in the order of the keys' domain
            let declared = ordered.then(|| self.declared_order(fluent, i));
            let run = |codes: &[i64]| {
                let first = codes.first().copied().unwrap_or(axis.base);
                codes.iter().zip(first..).all(|(code, n)| *code == n) && first == axis.base
            };
            let planes = self.layout.place(fluent).planes.filter(|_| keys.len() == 1);
            match &declared.filter(|codes| !run(codes)).or(axis.listed) {
                None if let Some(planes) = planes => out.push(Op::Each {
                    set: Set::Plane(planes.defined),
                    base: axis.base,
                    dst,
                    orbit: None,
                    body: BlockId::OPEN,
                }),
                None if let Some((universe, set)) = slice => out.push(Op::Each {
                    set,
                    base: self.universes.get(universe).base,
                    dst,
                    orbit: None,
                    body: BlockId::OPEN,
                }),
                None => out.push(Op::Integers {
                    dst,
                    lo: Operand::Const(axis.base),
                    hi: Operand::Const(axis.base + axis.len as i64 - 1),
                    body: BlockId::OPEN,
                }),
                Some(codes) => {
                    let keys = codes.iter().map(std::slice::from_ref);
                    let index = super::super::Index::build("keys".into(), (&[], &[0]), keys, false);
                    self.made.indexes.push(index);
                    let index = self.made.indexes.len() as u32 - 1;
                    let (keys, outs) = (Box::new([]), Box::new([dst]));
                    out.push(Op::Rows { index, keys, outs, body: BlockId::OPEN });
                }
            }
        }
        let keys = self.operands(keys, context)?;
        match value {
            None => out.push(Op::Holds { fluent, keys, value: None, negate: false }),
            Some(arg) => match context.operand(arg) {
                Some(value) => {
                    out.push(Op::Holds { fluent, keys, value: Some(value), negate: false });
                }
                None if self.wildcard(arg, context) => {
                    out.push(Op::Defined { fluent, keys, negate: false });
                }
                None => {
                    let dst = fresh(arg, context)?;
                    out.push(Op::Read { dst, fluent, keys });
                }
            },
        }
        Ok(())
    }

    /// Whether these are distinct unbound variables, for keys whose cells are in the order of
    /// enumeration.
    fn open_keys(
        &self,
        fluent: crate::program::FluentId,
        keys: &[Arg],
        ordered: bool,
        context: &BlockState,
    ) -> bool {
        let place = self.layout.place(fluent);
        let packed = matches!(place.cells, Cells::Packed { .. }) && place.planes.is_none();
        let different = (0..keys.len()).all(|i| !keys[..i].contains(&keys[i]));
        let in_order = |(i, axis): (usize, &Axis)| {
            axis.listed.is_none() && (!ordered || self.keys_ascend(fluent, i))
        };
        packed
            && different
            && !keys.iter().any(|key| context.is_bound(*key))
            && place.keys.iter().enumerate().all(in_order)
    }

    fn list_ops(
        &mut self,
        whole: Arg,
        items: &[Arg],
        tail: Option<Arg>,
        context: &mut BlockState,
        out: &mut Builder,
    ) -> Result<(), NotReady> {
        let Some(mut rest) = context.operand(whole) else {
            let items = self.operands(items, context)?;
            let mut tail = match tail {
                Some(tail) => Some(context.operand(tail).ok_or(NotReady)?),
                None => None,
            };
            // items that are parts of a list that was taken apart, as in `last([X|L])`, are that list
            let mut items = &items[..];
            while let (Some((Operand::Reg(item), before)), Some(Operand::Reg(rest))) =
                (items.split_last(), tail)
                && let Some((list, ..)) =
                    (context.taken.iter()).find(|(_, head, tail)| (head, tail) == (item, &rest))
            {
                (items, tail) = (before, Some(*list));
            }
            if let ([], Some(list)) = (items, tail) {
                bind(whole, list, context, out);
                return Ok(());
            }
            let items = items.into();
            let dst = context.register();
            out.push(Op::MakeList { dst, items, tail });
            bind(whole, Operand::Reg(dst), context, out);
            return Ok(());
        };
        for item in items {
            let (head, tail) = (context.register(), context.register());
            out.push(Op::TakeList { list: rest, head, tail });
            context.taken.push((rest, head, tail));
            bind(*item, Operand::Reg(head), context, out);
            rest = Operand::Reg(tail);
        }
        match tail {
            Some(tail) => bind(tail, rest, context, out),
            None => out.push(Op::IsEmpty { x: rest }),
        }
        Ok(())
    }
}

/// Binds a variable, or tests that it has this value.
fn bind(arg: Arg, x: Operand, context: &mut BlockState, out: &mut Builder) {
    match (arg, context.operand(arg)) {
        (_, Some(known)) => out.push(Op::Same { a: known, b: x, negate: false }),
        (Arg::Var(v), None) => context.bound[v] = Some(x),
        (Arg::Const(_), None) => {}
    }
}

/// A register for an unbound variable.
fn fresh(arg: Arg, context: &mut BlockState) -> Result<Reg, NotReady> {
    let Arg::Var(v) = arg else { return Err(NotReady) };
    let dst = context.register();
    context.bound[v] = Some(Operand::Reg(dst));
    Ok(dst)
}

pub(super) fn occurrences_in(goal: &G, var: Var) -> usize {
    let mut count = 0;
    goal.each_var(&mut |v| count += usize::from(v == var));
    count
}
