//! Constants of directives: parameters, bounds, initial values, the number of players. They are
//! terms, or arithmetic on integers and values of options, evaluated once at load.

use indexmap::IndexMap;

use crate::diagnostic::{Diagnostic, nearest};
use crate::syntax::{Term, TermKind, print_term};

use super::{ArithmeticOp, GameOption, Value, Values};

/// The value of a term in a directive; `None` where it is not constant.
///
/// # Errors
/// An option that is not declared, or a calculation without a value.
pub(super) fn evaluate(
    term: &Term,
    options: &IndexMap<String, GameOption>,
    values: &mut Values,
) -> Result<Option<Value>, Diagnostic> {
    if let Some([name]) = term.args_of("option", 1) {
        let TermKind::Atom(asked) = &name.kind else { return Ok(None) };
        return match options.get(asked) {
            Some(option) => Ok(Some(option.value)),
            None => Err(unknown_option(asked, name, options)),
        };
    }
    let Some((op, args)) = operation(term) else { return Ok(values.from_term(term)) };
    let mut numbers = Vec::new();
    for arg in args {
        match evaluate(arg, options, values)? {
            Some(Value::Integer(n)) => numbers.push(n),
            Some(value) => return Err(no_number(arg, &values.show(value))),
            None => return Ok(None),
        }
    }
    match op.apply(&numbers) {
        Some(n) => Ok(Some(Value::Integer(n))),
        None => Err(no_value(term, op, &numbers)),
    }
}

/// The names of the options that a term uses.
pub(super) fn options_in(term: &Term) -> Vec<&str> {
    if let Some([Term { kind: TermKind::Atom(name), .. }]) = term.args_of("option", 1) {
        return vec![name];
    }
    operation(term).map(|(_, args)| args).unwrap_or_default().iter().flat_map(options_in).collect()
}

fn operation(term: &Term) -> Option<(ArithmeticOp, &[Term])> {
    let (name, args) = term.functor()?;
    Some((ArithmeticOp::named(name, args.len())?, args))
}

fn unknown_option(name: &str, place: &Term, options: &IndexMap<String, GameOption>) -> Diagnostic {
    let d = Diagnostic::error("unknown-option", format!("there is no option `{name}`"))
        .at(place.span, "not declared in this file");
    match nearest(name, options.keys().map(String::as_str)) {
        Some(near) => d.hint(format!("did you mean `{near}`?")),
        None => d.hint(format!("declare it: `:- option {name} -> 1..9 = 3.`")),
    }
}

fn no_number(term: &Term, shown: &str) -> Diagnostic {
    let d = Diagnostic::error("not-a-number", format!("`{shown}` is no number"));
    match term.args_of("option", 1) {
        Some(_) => d
            .at(term.span, "the value of this option")
            .hint("calculate with options whose values are all integers, such as `2..19`"),
        None => d
            .at(term.span, "a calculation needs a number here")
            .hint("for the value of an option write `option(name)`"),
    }
}

fn no_value(term: &Term, op: ArithmeticOp, numbers: &[i64]) -> Diagnostic {
    let why = match (op, numbers) {
        (ArithmeticOp::DivideExactly, [a, b]) if *b != 0 => format!("{a} / {b} is not exact"),
        (
            ArithmeticOp::Divide
            | ArithmeticOp::DivideExactly
            | ArithmeticOp::Modulo
            | ArithmeticOp::Remainder,
            [_, 0],
        ) => "it divides by 0".to_string(),
        (ArithmeticOp::Power, [_, n]) if *n < 0 => "the exponent is negative".to_string(),
        _ => "the number has more than 60 bits".to_string(),
    };
    let d = Diagnostic::error("arithmetic", format!("`{}` has no value", print_term(term)))
        .at(term.span, why);
    match options_in(term).as_slice() {
        [] if op == ArithmeticOp::DivideExactly => d.hint("`//` rounds towards 0"),
        [] => d.hint("write the number that is meant"),
        options => d.hint(format!(
            "declare only such values of `{}` that there is a result",
            options.join("` and `")
        )),
    }
}
