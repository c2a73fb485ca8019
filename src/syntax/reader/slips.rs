//! The messages about misplaced, missing and foreign operators.
//!
//! Most of them recognise the syntax of other languages, or a common slip.

use crate::diagnostic::nearest;
use crate::source::Span;

use super::super::Term;
use super::climb::{Climber, Frame, Pending, Within};
use super::faults::{Fault, is_word, stop_before};
use super::{Argument, Item, ItemKind};

impl Climber<'_> {
    /// Nothing at all where a term is expected.
    pub(super) fn empty(&self, frame: Frame) -> Fault {
        let span = self.around(frame.start, frame.end);
        match frame.place {
            Within::Argument => Fault::new("syntax", "an argument is missing")
                .at(span, "expected a term before this")
                .hint("leave out the `,` or `|`, or write `_` for any value"),
            Within::Brackets => Fault::new("syntax", "nothing stands between these brackets")
                .at(span, "expected a term before this"),
            Within::Clause | Within::Row => {
                Fault::new("syntax", "a term is missing").at(span, "expected a term here")
            }
        }
    }

    /// The first character after an empty stretch.
    fn around(&self, start: usize, end: usize) -> Span {
        let next = self.text[end..].chars().next().map_or(0, char::len_utf8);
        Span::new(self.file, start.min(end), end + next)
    }

    /// An operator without a right operand, at the end of a clause or bracket.
    pub(super) fn nothing_after(&self, operator: &Pending, frame: Frame) -> Fault {
        let name = &operator.name;
        let what = sort_of_operand(name);
        let fault = Fault::new("syntax-operator", format!("{what} is missing after `{name}`"))
            .at(operator.span, format!("expected {what} after this"));
        let fault = match name.as_str() {
            "," => fault.hint("leave out the last `,`, or write what belongs after it"),
            ":-" => fault.hint("a fact, which always holds, is written without `:-`"),
            _ => fault,
        };
        fault.incomplete_if(
            frame.place != Within::Argument && frame.end == self.end && !self.stopped,
        )
    }

    /// An infix operator, comma or bar where a term is expected.
    pub(super) fn nothing_before(
        &self,
        items: &[Item],
        at: usize,
        before: Option<&Pending>,
    ) -> Fault {
        let found = self.source(&items[at]);
        let span = self.span(&items[at]);
        if let Some(fault) = self.foreign(items, at) {
            return fault;
        }
        match before {
            Some(operator) => {
                let what = sort_of_operand(&operator.name);
                let name = &operator.name;
                let fault = Fault::new(
                    "syntax-operator",
                    format!("{what} is missing between `{name}` and `{found}`"),
                )
                .at(span, format!("expected {what} before this"));
                if *name == found { fault.hint(format!("leave out one `{name}`")) } else { fault }
            }
            None if found.starts_with("//") && self.begins_line(&items[at]) => {
                self.comment(&items[at])
            }
            None => Fault::new("syntax-operator", format!("nothing stands before this `{found}`"))
                .at(span, "expected a term before it"),
        }
    }

    /// Two terms side by side without an operator between them.
    pub(super) fn juxtaposed(
        &self,
        items: &[Item],
        at: usize,
        frame: Frame,
        parsed: Option<Term>,
    ) -> Fault {
        if let Some(fault) = self.foreign(items, at) {
            return fault;
        }
        let (left, right) = (&items[at - 1], &items[at]);
        if frame.place == Within::Clause && self.at_margin(right) {
            return self.missing_stop(items, at, parsed);
        }
        let (before, after) = (self.show(left), self.show(right));
        let glued = left.end == right.start;
        let between = Span::new(self.file, right.start, right.end);
        match (&left.kind, &right.kind) {
            (ItemKind::Atom(name, _), ItemKind::Group(_)) if is_word(name) => {
                return Fault::new(
                    "syntax",
                    format!("a space stands between `{name}` and its arguments"),
                )
                .at(self.span(left).to(self.span(right)), "this is read as two terms")
                .hint(format!("write `{name}(…)` without the space"));
            }
            (ItemKind::Integer(_), ItemKind::Atom(..) | ItemKind::Variable(_)) if glued => {
                return Fault::new("syntax", "a name cannot begin with a digit")
                    .at(self.span(left).to(self.span(right)), "this is read as two terms")
                    .hint(format!(
                        "begin it with a letter, or quote it: `'{before}{after}'`",
                        before = self.source(left),
                        after = self.source(right)
                    ));
            }
            (_, ItemKind::Call(name, _)) if self.table.infix(name).is_some() => {
                let place = Span::new(self.file, right.start, right.start + name.len());
                return Fault::new(
                    "syntax-operator",
                    format!("`{name}(` is read as a term with arguments"),
                )
                .at(place, "expected an operator here")
                .hint(format!("write a space between `{name}` and `(`"));
            }
            (ItemKind::Atom(name, _), _)
                if at == 2
                    && matches!(&items[0].kind, ItemKind::Atom(first, _) if first == ":-") =>
            {
                let mut known: Vec<&str> = self.table.directives().collect();
                known.sort_unstable();
                let fault = Fault::new("syntax-operator", format!("{before} is no directive"))
                    .at(self.span(left), "expected the name of a directive");
                return match nearest(name, known.iter().copied()) {
                    Some(near) => fault.hint(format!("did you mean `{near}`?")),
                    None => fault.hint(format!("the directives are {}", known.join(", "))),
                };
            }
            (_, ItemKind::Bar) => {
                return Fault::new("syntax-operator", "`|` stands only in lists")
                    .at(between, "expected `,` or another operator here")
                    .hint("for “or” write `;`");
            }
            _ => {}
        }
        let fault = Fault::new(
            "syntax-operator",
            format!("a comma or an operator is missing between {before} and {after}"),
        )
        .at(between, "expected `,` or an operator before this");
        match (&left.kind, &right.kind) {
            (ItemKind::Atom(name, _), _) if name == "!" && glued => {
                Fault::new("syntax-operator", "`!` is no negation here")
                    .at(self.span(left), "a cut in Prolog, which this language does not have")
                    .hint(format!("for “not” write `\\+ {}`", after.trim_matches('`')))
            }
            (ItemKind::Atom(name, _), _) if name == "#" && self.begins_line(left) => {
                self.comment(left)
            }
            (ItemKind::Atom(name, _), _) if ["not", "/+", "+\\", "\\"].contains(&name.as_str()) => {
                fault.hint(format!("for “not” write `\\+ {}`", after.trim_matches('`')))
            }
            (ItemKind::Text(_), ItemKind::Group(_)) => {
                let both = (before.trim_matches('`'), after.trim_matches('`'));
                fault.hint(format!("write `{} with {}`", both.0, both.1))
            }
            (ItemKind::Variable(name), _)
                if at == 2
                    && matches!(&items[0].kind, ItemKind::Atom(first, _) if first == ":-") =>
            {
                fault.hint(format!("directives have small letters: `:- {} …`", name.to_lowercase()))
            }
            (ItemKind::Atom(name, _), _)
                if is_word(name)
                    && (at == 1 && frame.place == Within::Clause
                        || matches!(right.kind, ItemKind::Variable(_) | ItemKind::Integer(_))) =>
            {
                let hint = match self.table.directives().any(|known| known == name.as_str()) {
                    true => format!("a directive begins with `:-`: `:- {name} …`"),
                    false => {
                        format!(
                            "arguments stand in parentheses: `{name}({})`",
                            after.trim_matches('`')
                        )
                    }
                };
                fault.hint(hint)
            }
            (ItemKind::Atom(name, _), _) if name == "if" => {
                fault.hint("for “if … then … else …” write `( … -> … ; … )`")
            }
            (_, ItemKind::Atom(name, _)) if self.table.prefix(name).is_some() => {
                fault.hint(format!("write `{}, {name} …`", before.trim_matches('`')))
            }
            _ => {
                let both = (before.trim_matches('`'), after.trim_matches('`'));
                fault.hint(format!("write `{}, {}`", both.0, both.1))
            }
        }
    }

    /// A new clause begins although the one before has not ended.
    pub(super) fn missing_stop(&self, items: &[Item], at: usize, parsed: Option<Term>) -> Fault {
        let (first, last, next) = (&items[0], &items[at - 1], &items[at]);
        let written = Span::new(self.file, first.start, last.end);
        let mut fault = stop_before(self.text, written, next.start).resuming(Some(next.start));
        fault.parsed = parsed.map(Box::new);
        fault
    }

    /// Two operators of which neither can take the other as its operand.
    pub(super) fn clash(
        &self,
        items: &[Item],
        at: usize,
        before: Option<&Pending>,
        found: &Pending,
        frame: Frame,
    ) -> Fault {
        let name = &found.name;
        if frame.place == Within::Clause && name == ":-" {
            let margin = (1..=at).rev().find(|i| self.at_margin(&items[*i]));
            if let Some(start) = margin {
                return self.missing_stop(items, start, None);
            }
        }
        let Some(before) = before else {
            return Fault::new(
                "syntax-operator",
                format!("`{name}` cannot stand here without parentheses"),
            )
            .at(found.span, "it binds less tightly than the `,` between arguments")
            .hint(format!("put it in parentheses: `{}`", self.parenthesised(found)));
        };
        let first = &before.name;
        let fault = |message: String| {
            Fault::new("syntax-operator", message)
                .at(found.span, format!("this `{name}` cannot follow"))
                .at(before.span, format!("after this `{first}`"))
        };
        if name == ":-" && first == ":-" {
            return fault("`:-` stands twice in one clause".to_string())
                .hint("end the first clause with `.`, or join its goals with `,`");
        }
        if is_comparison(name) && is_comparison(first) {
            let middle = self.show(&items[at - 1]);
            return fault(format!("`{first}` and `{name}` cannot be chained")).hint(format!(
                "compare twice: `… {first} {m}, {m} {name} …`",
                m = middle.trim_matches('`')
            ));
        }
        if first == name {
            return fault(format!("`{name}` cannot be chained"))
                .hint("put one of the two in parentheses");
        }
        fault(format!("`{name}` binds less tightly than `{first}`")).hint(format!(
            "put what belongs to `{name}` in parentheses: `{}`",
            self.parenthesised(found)
        ))
    }

    fn parenthesised(&self, operator: &Pending) -> String {
        let name = &operator.name;
        if operator.operator.fixity.is_prefix() {
            format!("({name} …)")
        } else {
            format!("(… {name} …)")
        }
    }

    pub(super) fn misplaced_bar(&self, argument: &Argument, in_list: bool) -> Fault {
        let place = self.text[..argument.start].rfind('|').unwrap_or(argument.start);
        let span = Span::new(self.file, place, place + 1);
        let fault = Fault::new("syntax", "this `|` is misplaced");
        if in_list {
            fault
                .at(span, "after `|` comes the rest of the list, and then `]`")
                .hint("a list with a rest is written `[First, Second|Rest]`")
        } else {
            fault.at(span, "`|` stands only in lists").hint("for “or” write `;`")
        }
    }

    /// An operator of another language, or two operators without a space between them.
    fn foreign(&self, items: &[Item], at: usize) -> Option<Fault> {
        let item = &items[at];
        let mut span = self.span(item);
        let mut name = match &item.kind {
            ItemKind::Atom(name, false) if self.table.infix(name).is_none() => name.clone(),
            ItemKind::Bar => "|".to_string(),
            _ => return None,
        };
        if name == "!" || name == "|" {
            let next = items.get(at + 1).filter(|n| n.start == item.end)?;
            name.push_str(self.source(next));
            span = span.to(self.span(next));
        }
        let code = "syntax-operator";
        if let Some(next) = items.get(at + 1)
            && let ItemKind::Atom(second, false) = &next.kind
            && self.table.infix(&format!("{name}{second}")).is_some()
        {
            let whole = format!("{name}{second}");
            return Some(
                Fault::new(code, format!("a space stands within `{whole}`"))
                    .at(span.to(self.span(next)), "read as two operators")
                    .hint(format!("write `{whole}` without the space")),
            );
        }
        let unknown = || {
            Fault::new(code, format!("`{name}` is no operator"))
                .at(span, "expected an operator here")
        };
        if let Some(hint) = known_elsewhere(&name) {
            return Some(unknown().hint(hint));
        }
        if is_word(&name)
            || self.table.prefix(&name).is_some()
            || name.starts_with(['!', '|', ';', '{', '['])
        {
            return None;
        }
        if name == "." {
            return Some(
                Fault::new("syntax-full-stop", "this full stop does not end the clause")
                    .at(span, "no space follows it")
                    .hint("write a space or a new line after the full stop that ends a clause"),
            );
        }
        let split = (1..name.len()).rev().find(|i| {
            name.is_char_boundary(*i)
                && self.table.infix(&name[..*i]).is_some()
                && self.table.prefix(&name[*i..]).is_some()
        });
        Some(match split {
            Some(i) => {
                Fault::new(code, format!("`{name}` is read as one operator, which there is not"))
                    .at(span, "a space is missing here")
                    .hint(format!("write `{} {}`", &name[..i], &name[i..]))
            }
            None => unknown(),
        })
    }

    /// Whether only blanks stand before an item on its line.
    fn begins_line(&self, item: &Item) -> bool {
        let before = self.text.get(..item.start).unwrap_or_default();
        before.rsplit('\n').next().is_some_and(|line| line.trim().is_empty())
    }

    /// A comment of another language.
    fn comment(&self, item: &Item) -> Fault {
        let sign = self.source(item);
        Fault::new("syntax-operator", format!("`{sign}` begins no comment"))
            .at(self.span(item), "read as a part of a clause")
            .hint("a comment begins with `%` and goes to the end of its line")
    }

    fn source(&self, item: &Item) -> &str {
        self.text.get(item.start..item.end).unwrap_or("")
    }

    /// An item in backticks, shortened.
    fn show(&self, item: &Item) -> String {
        let source = self.source(item);
        if source.chars().count() <= 24 && !source.contains('\n') {
            return format!("`{source}`");
        }
        match &item.kind {
            ItemKind::Call(..) => format!("`{}(…)`", source.split('(').next().unwrap_or_default()),
            ItemKind::List(_) => "`[…]`".to_string(),
            ItemKind::Group(_) => "`(…)`".to_string(),
            ItemKind::Braces(_) => "`{…}`".to_string(),
            ItemKind::Text(_) => "`\"…\"`".to_string(),
            _ => format!("`{}…`", source.chars().take(24).collect::<String>()),
        }
    }
}

/// The syntax of other languages for something that is written differently here.
fn known_elsewhere(name: &str) -> Option<&'static str> {
    Some(match name {
        "!=" | "<>" | "/=" | "~=" => "for “is different from” write `\\=`; for numbers `=\\=`",
        "=/=" | "=!=" => "for numbers that differ write `=\\=`",
        "!==" => "for “is different from” write `\\==`",
        "<=" => "for “less than or equal” write `=<`",
        "===" => "write `==`",
        "&&" | "&" | "and" => "for “and” write `,`",
        "||" | "or" => "for “or” write `;`",
        "==>" | "=>" | "-->" => "for “if … then” write `->`; for “greater than or equal” `>=`",
        "then" => "for “if … then … else …” write `( … -> … ; … )`",
        "else" => "for “else” write `;`",
        "<-" | "<--" | "<==" | "if" => "between a head and its goals write `:-`",
        ":" => "between a head and its goals write `:-`; in a declaration write `->`",
        "::=" | "=:" => "to set a value write `:=`",
        "++" => "to add one write `+= 1`",
        "--" => "to take one away write `-= 1`",
        "..." | "to" => "a range is written `1..5`",
        "not" | "~" => "for “not” write `\\+`",
        "%" => "for the remainder write `mod`",
        _ => return None,
    })
}

fn is_comparison(name: &str) -> bool {
    matches!(
        name,
        "=" | "\\=" | "==" | "\\==" | "<" | "=<" | ">" | ">=" | "=:=" | "=\\=" | "is" | "in"
    )
}

fn sort_of_operand(operator: &str) -> &'static str {
    match operator {
        "," | ";" | "->" | ":-" | "\\+" => "a goal",
        _ => "a term",
    }
}
