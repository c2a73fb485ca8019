//! The width of a text in columns of a terminal, and wrapping.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Stands for a space at which no line is divided.
const KEPT: char = '\u{a0}';

/// The columns of one character; 0 for control characters and combining marks.
pub(super) fn char_width(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// The columns that a text takes in a terminal.
pub fn display_width(text: &str) -> usize {
    text.width()
}

/// Wraps a text at spaces into lines of at most `width` columns; all but the first are indented. A path that is longer
/// than a line is divided behind its slashes.
pub fn fit(text: &str, width: usize, indent: usize) -> String {
    let words = text.trim_start_matches(' ');
    let mut column = text.len() - words.len();
    let mut out = " ".repeat(column);
    let mut first = true;
    for word in words.split(' ') {
        let wide = display_width(word);
        // several spaces leave none at the end of a line
        if word.is_empty() && column >= width {
            continue;
        }
        if !first && column > indent && column + 1 + wide > width {
            out.truncate(out.trim_end_matches(' ').len());
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            column = indent;
        } else if !first {
            out.push(' ');
            column += 1;
        }
        first = false;
        let whole = indent + wide <= width;
        for part in word.split_inclusive(|c| c == '/' && !whole) {
            let wide = display_width(part);
            if !whole && column > indent && column + wide > width {
                out.push('\n');
                out.push_str(&" ".repeat(indent));
                column = indent;
            }
            out.push_str(part);
            column += wide;
        }
    }
    out
}

/// A line of code, divided at spaces that are in no quotation marks where it is longer than `width` columns. A comment
/// at its end then has lines of its own, each with its sign.
pub fn fit_code(line: &str, width: usize) -> String {
    let line = line.trim_end();
    if display_width(line) <= width {
        return line.to_string();
    }
    // what is quoted has other spaces, at which no line is divided
    let mut quoted = false;
    let mut comment = None;
    let mut kept = String::with_capacity(line.len());
    for (at, c) in line.char_indices() {
        quoted ^= c == '"';
        if c == '%' && !quoted && comment.is_none() {
            comment = Some(at);
        }
        kept.push(if c == ' ' && quoted { KEPT } else { c });
    }
    let lead = line.len() - line.trim_start().len();
    let pad = " ".repeat(lead);
    let whole = |text: String| text.replace(KEPT, " ");
    let (code, comment) = match comment {
        Some(at) => (kept.chars().take(line[..at].chars().count()).collect(), Some(&line[at..])),
        None => (kept, None),
    };
    let code = code.trim_end();
    let below = comment.map(|comment| {
        let sign = format!("{pad}% ");
        let text = comment.trim_start_matches(['%', ' ']);
        let wide = width.saturating_sub(display_width(&sign));
        fit(text, wide, 0).lines().map(|part| format!("{sign}{part}")).collect::<Vec<_>>().join("\n")
    });
    match below {
        Some(below) if code.is_empty() => below,
        Some(below) => format!("{}\n{below}", whole(fit(code, width, lead + 4))),
        None => whole(fit(code, width, lead + 4)),
    }
}

/// A wrapped text, followed by its place on the same line or, where there is no room, below.
pub fn fit_with_place(text: &str, place: &str, width: usize, indent: usize) -> String {
    let line = format!("{text}  % {place}");
    if display_width(&line) <= width {
        return line;
    }
    let pad = " ".repeat(indent.min(width.saturating_sub(display_width(place) + 2)));
    format!("{}\n{pad}% {place}", fit(text, width, indent))
}

#[cfg(test)]
mod tests {
    use super::{display_width, fit, fit_with_place};

    #[test]
    fn wide_and_narrow_characters_are_told_apart() {
        assert_eq!(display_width("a1"), 2);
        assert_eq!(display_width("♜○●"), 3);
        assert_eq!(display_width("将🐅"), 4);
        assert_eq!(display_width("e\u{301}"), 1);
    }

    #[test]
    fn lines_are_broken_at_blanks() {
        assert_eq!(fit("one two three", 8, 2), "one two\n  three");
        assert_eq!(fit("unbreakable words", 4, 0), "unbreakable\nwords");
        assert_eq!(fit("  one two", 6, 4), "  one\n    two");
        assert_eq!(fit("in games/some/rules.ludex:40", 14, 1), "in\n games/some/\n rules.ludex:40");
        assert_eq!(fit("one   two", 5, 0), "one\ntwo");
        assert_eq!(fit_with_place("p(X).", "f:1", 12, 2), "p(X).  % f:1");
        assert_eq!(fit_with_place("p(X).", "f:1", 11, 2), "p(X).\n  % f:1");
    }
}
