//! The built-in goals on lists and atoms, as answers for given values.

use crate::program::{BuiltIn, Constant, Value, Values};

use super::Row;

/// Every answer as a full row; `None` where a needed argument is not given. There are no answers
/// where an argument that should be a list is none.
pub fn answers(
    built_in: BuiltIn,
    given: &[Option<Value>],
    values: &mut Values,
) -> Option<Vec<Row>> {
    let row = |items: &[Value]| Row::from_slice(items);
    Some(match (built_in, given) {
        (BuiltIn::Member, [_, Some(list)]) => {
            let mut seen = rustc_hash::FxHashSet::default();
            let items = values.items(*list).unwrap_or_default();
            items.iter().filter(|i| seen.insert(**i)).map(|i| row(&[*i, *list])).collect()
        }
        (BuiltIn::Length, [Some(list), _]) => {
            let length = values.items(*list).map(<[Value]>::len);
            length.map(|n| row(&[*list, Value::Integer(n as i64)])).into_iter().collect()
        }
        (BuiltIn::Nth, [_, Some(list), _]) => {
            let items = values.items(*list).unwrap_or_default();
            items
                .iter()
                .enumerate()
                .map(|(i, item)| row(&[Value::Integer(i as i64 + 1), *list, *item]))
                .collect()
        }
        (BuiltIn::Append, [Some(a), Some(b), _]) => match (values.items(*a), values.items(*b)) {
            (Some(front), Some(back)) => {
                let all: Vec<Value> = front.iter().chain(back).copied().collect();
                let whole = values.list_and_rests(&all);
                vec![row(&[*a, *b, whole])]
            }
            _ => Vec::new(),
        },
        (BuiltIn::Append, [_, _, Some(whole)]) => {
            let items = values.items(*whole).unwrap_or_default().to_vec();
            let splits = if values.items(*whole).is_some() { items.len() + 1 } else { 0 };
            let mut rows = Vec::new();
            for at in 0..splits {
                let (front, back) =
                    (values.list_and_rests(&items[..at]), values.list_and_rests(&items[at..]));
                if values.are_too_many() {
                    break;
                }
                rows.push(row(&[front, back, *whole]));
            }
            rows
        }
        (BuiltIn::AtomConcat, [Some(a), Some(b), whole]) => {
            match (text(values, *a), text(values, *b)) {
                (Some(front), Some(back)) => {
                    let whole = spelled(values, *whole, &format!("{front}{back}"));
                    vec![row(&[*a, *b, whole])]
                }
                _ => Vec::new(),
            }
        }
        (BuiltIn::AtomConcat, [a, b, Some(whole)]) => {
            let Some(joined) = text(values, *whole) else { return Some(Vec::new()) };
            let cuts: Vec<usize> =
                joined.char_indices().map(|(i, _)| i).chain([joined.len()]).collect();
            let mut rows = Vec::new();
            for at in cuts {
                let (front, back) =
                    (spelled(values, *a, &joined[..at]), spelled(values, *b, &joined[at..]));
                if values.are_too_many() {
                    break;
                }
                rows.push(row(&[front, back, *whole]));
            }
            rows
        }
        (BuiltIn::Coordinate, [Some(Value::Integer(x)), Some(Value::Integer(y)), _]) => {
            if *x < 1 {
                return Some(Vec::new());
            }
            let name = values.atom(&format!("{}{y}", letters(*x)));
            vec![row(&[Value::Integer(*x), Value::Integer(*y), name])]
        }
        (BuiltIn::Coordinate, [_, _, Some(name)]) => {
            let parsed = text(values, *name).and_then(|n| split_coordinate(&n));
            parsed
                .map(|(x, y)| row(&[Value::Integer(x), Value::Integer(y), *name]))
                .into_iter()
                .collect()
        }
        _ => return None,
    })
}

/// The given value where it is written like this text, as a number may be; else the name.
fn spelled(values: &mut Values, given: Option<Value>, wanted: &str) -> Value {
    match given.filter(|value| text(values, *value).as_deref() == Some(wanted)) {
        Some(value) => value,
        None => values.atom(wanted),
    }
}

/// The letters of an atom, or the digits of an integer.
fn text(values: &Values, value: Value) -> Option<String> {
    match value {
        Value::Integer(n) => Some(n.to_string()),
        Value::Constant(id) => match values.get(id) {
            Constant::Atom(name) | Constant::Text(name) => Some(name.to_string()),
            _ => None,
        },
    }
}

/// The letters of a column as in spreadsheets: 1 is a, 26 z, 27 aa.
fn letters(mut n: i64) -> String {
    let mut all = Vec::new();
    while n > 0 {
        n -= 1;
        all.push((b'a' + (n % 26) as u8) as char);
        n /= 26;
    }
    all.iter().rev().collect()
}

fn split_coordinate(name: &str) -> Option<(i64, i64)> {
    let at = name.find(|c: char| !c.is_ascii_lowercase())?;
    let (front, back) = name.split_at(at);
    if front.is_empty() || front.len() > 6 {
        return None;
    }
    let x = front.bytes().fold(0i64, |n, b| n * 26 + i64::from(b - b'a') + 1);
    let y: i64 = back.parse().ok()?;
    (y.to_string() == back).then_some((x, y))
}
