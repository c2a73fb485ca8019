//! The values of literals: quoted atoms, texts, integers and character codes.
//!
//! The escapes are those of ISO 13211-1, section 6.4.2.1.

use crate::source::{FileId, Span};

use super::faults::Fault;

/// The content of `"…"` or `'…'`; `start` is the offset of the quote in the file.
pub(super) fn unquote(raw: &str, file: FileId, start: usize) -> Result<String, Fault> {
    let quote = raw.chars().next().unwrap_or('"');
    let inner = raw.get(1..raw.len().saturating_sub(1)).unwrap_or("");
    let mut value = String::with_capacity(inner.len());
    let mut at = 0;
    while let Some(c) = inner[at..].chars().next() {
        at += c.len_utf8();
        if c == quote {
            // The grammar lets a quote stand inside only when it is doubled.
            at += quote.len_utf8();
            value.push(quote);
        } else if c == '\\' {
            let place = start + 1 + at - 1;
            let (escaped, length) = escape(&inner[at..], file, place)?;
            value.extend(escaped);
            at += length;
        } else {
            value.push(c);
        }
    }
    Ok(value)
}

/// What follows a backslash: the character it stands for (none for a line that goes on), and its
/// length.
fn escape(rest: &str, file: FileId, place: usize) -> Result<(Option<char>, usize), Fault> {
    let Some(first) = rest.chars().next() else { return Ok((None, 0)) };
    let simple = match first {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0C',
        'v' => '\x0B',
        '\\' | '\'' | '"' | '`' => first,
        '\n' => return Ok((None, 1)),
        '\r' => return Ok((None, if rest.starts_with("\r\n") { 2 } else { 1 })),
        'x' => return coded(rest, 1, 16, file, place),
        '0'..='7' => return coded(rest, 0, 8, file, place),
        _ => {
            let span = Span::new(file, place, place + 1 + first.len_utf8());
            return Err(Fault::new("syntax-quote", format!("`\\{first}` means nothing in quotes"))
                .at(span, "a backslash cannot stand before this")
                .hint("for the backslash itself write `\\\\`"));
        }
    };
    Ok((Some(simple), first.len_utf8()))
}

/// A character by its number, closed by a backslash: `\x25CB\`.
fn coded(
    rest: &str,
    skip: usize,
    radix: u32,
    file: FileId,
    place: usize,
) -> Result<(Option<char>, usize), Fault> {
    let digits = &rest[skip..];
    let count = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let value = u32::from_str_radix(&digits[..count], radix).ok().and_then(char::from_u32);
    let closed = digits[count..].starts_with('\\');
    match value {
        Some(c) if closed => Ok((Some(c), skip + count + 1)),
        _ => {
            let span = Span::new(file, place, place + 1 + skip + count);
            let fault = Fault::new("syntax-quote", "this is no character number");
            Err(if closed || count == 0 {
                fault.at(span, "there is no character of this number")
            } else {
                fault.at(span, "a closing `\\` is missing after the digits")
            }
            .hint("a character by its hexadecimal number is written `\\x25CB\\`"))
        }
    }
}

/// An integer literal without its sign; at most 2^63.
pub(super) fn integer(raw: &str, file: FileId, start: usize) -> Result<u64, Fault> {
    let parsed = if let Some(character) = raw.strip_prefix("0'") {
        return character_code(character, file, start);
    } else if let Some(digits) = raw.strip_prefix("0x") {
        u64::from_str_radix(digits, 16)
    } else if let Some(digits) = raw.strip_prefix("0o") {
        u64::from_str_radix(digits, 8)
    } else if let Some(digits) = raw.strip_prefix("0b") {
        u64::from_str_radix(digits, 2)
    } else {
        raw.parse()
    };
    match parsed {
        Ok(n) if n <= i64::MIN.unsigned_abs() => Ok(n),
        _ => Err(too_large(Span::new(file, start, start + raw.len()))),
    }
}

pub(super) fn too_large(span: Span) -> Fault {
    Fault::new("syntax", "this number is too large")
        .at(span, "integers go from -576460752303423487 to 576460752303423487")
}

fn character_code(character: &str, file: FileId, start: usize) -> Result<u64, Fault> {
    let code = match character.strip_prefix('\\') {
        Some(rest) => escape(rest, file, start + 2)?.0,
        None => character.chars().next(),
    };
    Ok(u64::from(u32::from(code.unwrap_or('\n'))))
}
