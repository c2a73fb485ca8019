//! Lists in native code: those that a move builds lie in the context, constant ones in a table.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use cranelift_frontend::Variable;

use crate::plan::universe::MAX_INTEGER;
use crate::plan::{LISTS, Operand, Reg};

use super::context::Context;
use super::function::{Env, Function, Number, Region};
use super::tables::{ConstantLists, NONE};

impl Function<'_, '_, '_> {
    /// `MakeList`: a list of these items, before those of `tail`.
    pub fn make_list(&mut self, items: &[Operand], tail: Option<Operand>, env: &Env) -> Number {
        let items: Vec<Value> = items.iter().map(|item| self.number(*item, env).value).collect();
        let tail = tail.map(|tail| self.number(tail, env).value);
        self.list(&items, tail)
    }

    /// A list of these items, before those of `tail`.
    pub fn list(&mut self, items: &[Value], tail: Option<Value>) -> Number {
        let end = tail.unwrap_or_else(|| self.c(self.plan.empty_list));
        let value = items.iter().rev().fold(end, |list, head| self.cons(*head, list));
        Number { value, lo: i64::MIN, hi: i64::MAX }
    }

    /// The list of a head and a tail: the constant where there is one that is equal, since sets, tables and the state know
    /// constants alone.
    fn cons(&mut self, head: Value, tail: Value) -> Value {
        if self.plan.cons.is_empty() {
            return self.new_cell(head, tail);
        }
        let list = self.new_variable();
        let (find, build, done) =
            (self.b.create_block(), self.b.create_block(), self.b.create_block());
        // no constant has a tail that was built
        let built = self.compare_with(IntCC::SignedGreaterThanOrEqual, tail, LISTS);
        self.fork(built, build, find);
        self.b.switch_to_block(find);
        let context = self.context;
        let constant = self.call_helper(self.module.helpers.constant_list, &[context, head, tail]);
        self.b.def_var(list, constant);
        let none = self.compare_with(IntCC::Equal, constant, NONE);
        self.fork(none, build, done);
        self.b.switch_to_block(build);
        let cell = self.new_cell(head, tail);
        self.b.def_var(list, cell);
        self.jump(done);
        self.b.switch_to_block(done);
        self.b.use_var(list)
    }

    fn new_cell(&mut self, head: Value, tail: Value) -> Value {
        let len = self.read_context(offset_of!(Context, lists_len));
        let full =
            self.compare_with(IntCC::UnsignedGreaterThanOrEqual, len, Context::LIST_ROOM as i64);
        self.bail_if(full);
        let lists = self.read_context(offset_of!(Context, lists));
        let bytes = self.times(len, 16);
        let at = self.add(lists, bytes);
        self.store(Region::Lists, head, at, 0);
        self.store(Region::Lists, tail, at, 8);
        let more = self.plus(len, 1);
        self.write_context(offset_of!(Context, lists_len), more);
        self.plus(len, LISTS)
    }

    /// `TakeList`: head and tail of a list; continues at `none` where the value is no list or the
    /// empty one.
    pub fn parts(&mut self, list: Number, none: Block) -> (Number, Number) {
        let (head, tail) = (self.new_variable(), self.new_variable());
        let found = self.b.create_block();
        if let Some(constant) = self.if_built(list) {
            let (first, rest) = self.built_cell(list.value);
            self.b.def_var(head, first);
            self.b.def_var(tail, rest);
            self.jump(found);
            self.b.switch_to_block(constant);
        }
        let lists = self.constant_lists();
        let number = self.number_of(list.value, &lists);
        let row = self.row_address(lists.parts, number, 2);
        let (first, rest) = (self.load_table(row, 0), self.load_table(row, 8));
        let no_parts = self.compare_with(IntCC::Equal, rest, NONE);
        self.refuse(no_parts, none);
        self.b.def_var(head, first);
        self.b.def_var(tail, rest);
        self.jump(found);
        self.b.switch_to_block(found);
        let unknown = |value| Number { value, lo: i64::MIN, hi: i64::MAX };
        (unknown(self.b.use_var(head)), unknown(self.b.use_var(tail)))
    }

    /// Where the value may be a list that was built, continues with that case and returns the block
    /// of the others.
    fn if_built(&mut self, list: Number) -> Option<Block> {
        if !self.module.builds_lists || list.hi < LISTS {
            return None;
        }
        let (built, constant) = (self.b.create_block(), self.b.create_block());
        let is_built = self.compare_with(IntCC::SignedGreaterThanOrEqual, list.value, LISTS);
        self.fork(is_built, built, constant);
        self.b.switch_to_block(built);
        Some(constant)
    }

    /// Head and tail of a list that was built.
    fn built_cell(&mut self, list: Value) -> (Value, Value) {
        let number = self.plus(list, -LISTS);
        let made = self.read_context(offset_of!(Context, lists_len));
        let unknown = self.compare(IntCC::UnsignedGreaterThanOrEqual, number, made);
        self.bail_if(unknown);
        let lists = self.read_context(offset_of!(Context, lists));
        let bytes = self.times(number, 16);
        let at = self.add(lists, bytes);
        (self.load(Region::Lists, at, 0), self.load(Region::Lists, at, 8))
    }

    fn constant_lists(&mut self) -> ConstantLists {
        let plan = self.plan;
        self.module.tables.constant_lists(plan)
    }

    /// The row of a constant in the tables of constant lists; that of no list for other values.
    fn number_of(&mut self, list: Value, lists: &ConstantLists) -> Value {
        let number = self.plus(list, lists.first.wrapping_neg());
        let last = self.c(lists.count);
        self.b.ins().umin(number, last)
    }

    // Items are gone through with a place: a list that was built, or a place in the items of constant
    // lists.

    /// The place of the first item of a list, `NONE` for a value that is no list.
    fn first_place(&mut self, list: Number) -> Value {
        let place = self.new_variable();
        let found = self.b.create_block();
        if let Some(constant) = self.if_built(list) {
            self.b.def_var(place, list.value);
            self.jump(found);
            self.b.switch_to_block(constant);
        }
        let lists = self.constant_lists();
        let number = self.number_of(list.value, &lists);
        let row = self.row_address(lists.starts, number, 1);
        let start = self.load_table(row, 0);
        self.b.def_var(place, start);
        self.jump(found);
        self.b.switch_to_block(found);
        self.b.use_var(place)
    }

    /// The item at a place, and the place behind it; continues at `none` behind the last item. The
    /// place is one of `list` or of a part of it.
    fn item_at(&mut self, place: Value, list: Number, none: Block) -> (Number, Value) {
        let (item, next) = (self.new_variable(), self.new_variable());
        let found = self.b.create_block();
        if let Some(constant) = self.if_built(Number { value: place, ..list }) {
            let (head, tail) = self.built_cell(place);
            self.b.def_var(item, head);
            let behind = self.first_place(Number { value: tail, lo: i64::MIN, hi: i64::MAX });
            // a part that is no list
            let none = self.compare_with(IntCC::Equal, behind, NONE);
            self.bail_if(none);
            self.b.def_var(next, behind);
            self.jump(found);
            self.b.switch_to_block(constant);
        }
        let lists = self.constant_lists();
        let row = self.row_address(lists.items, place, 1);
        let head = self.load_table(row, 0);
        let end = self.compare_with(IntCC::Equal, head, NONE);
        self.refuse(end, none);
        self.b.def_var(item, head);
        let behind = self.plus(place, 1);
        self.b.def_var(next, behind);
        self.jump(found);
        self.b.switch_to_block(found);
        let value = self.b.use_var(item);
        (Number { value, lo: i64::MIN, hi: i64::MAX }, self.b.use_var(next))
    }

    /// The place of the first item; continues at `fail` where the value is no list.
    fn begin_list(&mut self, list: Number, fail: Block) -> Variable {
        let place = self.first_place(list);
        let none = self.compare_with(IntCC::Equal, place, NONE);
        self.refuse(none, fail);
        let at = self.new_variable();
        self.b.def_var(at, place);
        at
    }

    /// The number of items; continues at `fail` where the value is no list.
    pub fn length(&mut self, list: Number, fail: Block) -> Number {
        let at = self.begin_list(list, fail);
        let count = self.new_variable();
        let zero = self.c(0);
        self.b.def_var(count, zero);
        let (header, done) = (self.b.create_block(), self.b.create_block());
        self.jump(header);
        self.b.switch_to_block(header);
        let here = self.b.use_var(at);
        let (_, next) = self.item_at(here, list, done);
        self.b.def_var(at, next);
        let before = self.b.use_var(count);
        let after = self.plus(before, 1);
        self.b.def_var(count, after);
        self.jump(header);
        self.b.switch_to_block(done);
        Number { value: self.b.use_var(count), lo: 0, hi: MAX_INTEGER }
    }

    /// A loop over the different items of a list; the builder is left in its body. Returns its head.
    pub fn members(&mut self, list: Operand, dst: Reg, env: &mut Env, fail: Block) -> Block {
        let list = self.number(list, env);
        let rest = self.begin_list(list, fail);
        let first = self.new_variable();
        let begin = self.b.use_var(rest);
        self.b.def_var(first, begin);
        let mark = self.mark();
        let header = self.b.create_block();
        self.jump(header);
        self.b.switch_to_block(header);
        self.undo(mark);
        let here = self.b.use_var(rest);
        let (item, behind) = self.item_at(here, list, fail);
        self.b.def_var(rest, behind);
        // an item that stands further ahead too has been gone through
        let at = self.new_variable();
        let begin = self.b.use_var(first);
        self.b.def_var(at, begin);
        let (look, new) = (self.b.create_block(), self.b.create_block());
        self.jump(look);
        self.b.switch_to_block(look);
        let before = self.b.use_var(at);
        let reached = self.compare(IntCC::Equal, before, here);
        self.refuse(reached, new);
        let (other, next) = self.item_at(before, list, new);
        self.b.def_var(at, next);
        let same = self.equal(other, item);
        self.fork(same, header, look);
        self.b.switch_to_block(new);
        self.step();
        self.put(dst, item, env);
        header
    }

    /// Whether a list contains a value.
    pub fn in_list(&mut self, x: Number, list: Operand, env: &Env, fail: Block) {
        if let Operand::Const(list) = list {
            let plan = self.plan;
            let items = plan.lists.get(&list).map_or(&[][..], |items| items);
            let mut among = self.c(0);
            for item in items {
                let item = self.exactly(*item);
                let same = self.equal(x, item);
                let same = self.b.ins().uextend(cranelift_codegen::ir::types::I64, same);
                among = self.or(among, same);
            }
            let among = self.compare_with(IntCC::NotEqual, among, 0);
            self.require(among, fail);
            return;
        }
        let list = self.number(list, env);
        let at = self.begin_list(list, fail);
        let (look, found) = (self.b.create_block(), self.b.create_block());
        self.jump(look);
        self.b.switch_to_block(look);
        let here = self.b.use_var(at);
        let (item, next) = self.item_at(here, list, fail);
        self.b.def_var(at, next);
        let same = self.equal(item, x);
        self.fork(same, found, look);
        self.b.switch_to_block(found);
    }
}
