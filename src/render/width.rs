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
    wrapped(text, width, indent, true)
}

/// The same; `paths`: a word that is longer than a line is divided behind its slashes.
fn wrapped(text: &str, width: usize, indent: usize, paths: bool) -> String {
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
        let whole = !paths || indent + wide <= width;
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

/// A line of code, divided where it is longer than `width` columns: between goals if that is enough, else also between
/// arguments, else at any space, but never in quotation marks. A comment at its end then has lines of its own, each with
/// its sign.
pub fn fit_code(line: &str, width: usize) -> String {
    let line = line.trim_end();
    if display_width(line) <= width {
        return line.to_string();
    }
    let (code, comment) = line.split_at(comment_at(line));
    let code = code.trim_end();
    let lead = line.len() - line.trim_start().len();
    let narrow = |text: &String| text.lines().all(|line| display_width(line) <= width);
    let divided = |all: &dyn Fn(usize, &str) -> bool| {
        wrapped(&kept(code, all), width, lead + 4, false).replace(KEPT, " ")
    };
    let behind = |before: &str| [",", ":-", "->", ";"].iter().any(|sign| before.ends_with(sign));
    let goals = divided(&|depth, before| depth == 0 && behind(before));
    let arguments = || divided(&|_, before| behind(before));
    let words = || divided(&|depth, before| depth == 0 || behind(before));
    let code = Some(goals).filter(narrow).or_else(|| Some(arguments()).filter(narrow));
    let code = code.or_else(|| Some(words()).filter(narrow));
    let code = code.unwrap_or_else(|| divided(&|_, _| true));
    let sign = format!("{}% ", " ".repeat(lead));
    let comment = fit(comment.trim_start_matches(['%', ' ']), width.saturating_sub(sign.len()), 0);
    let comment = comment.lines().map(|line| format!("{sign}{line}"));
    let lines = Some(code).filter(|code| !code.trim().is_empty()).into_iter().chain(comment);
    lines.collect::<Vec<_>>().join("\n")
}

/// Where the comment of a line of code begins; its end where it has none.
fn comment_at(line: &str) -> usize {
    let mut quoted = false;
    let sign = line.char_indices().find(|(_, c)| {
        quoted ^= *c == '"';
        *c == '%' && !quoted
    });
    sign.map_or(line.len(), |(at, _)| at)
}

/// Code with other spaces where it is not to be divided: in quotation marks, and where `divides` is not met by the number
/// of brackets that are open and the code before.
fn kept(code: &str, divides: &dyn Fn(usize, &str) -> bool) -> String {
    let begins = code.len() - code.trim_start().len();
    let (mut quoted, mut depth) = (false, 0_usize);
    let mut out = String::with_capacity(code.len());
    for (at, c) in code.char_indices() {
        quoted ^= c == '"';
        match c {
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        let whole = quoted || !divides(depth, code[..at].trim_end());
        out.push(if c == ' ' && at >= begins && whole { KEPT } else { c });
    }
    out
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
    use super::{display_width, fit, fit_code, fit_with_place};

    #[test]
    fn wide_and_narrow_characters_are_told_apart() {
        assert_eq!(display_width("a1"), 2);
        assert_eq!(display_width("♜○●"), 3);
        assert_eq!(display_width("将🐅"), 4);
        assert_eq!(display_width("e\u{301}"), 1);
    }

    #[test]
    fn code_is_divided_at_blanks_outside_of_texts_and_comments_keep_their_sign() {
        let rule = "  win(P, \"three in a row\") :- line(3, L), forall(member(C, L), at(C, P)).";
        let told = "  win(P, \"three in a row\") :-\n      line(3, L),\n      forall(member(C, L), at(C, P)).";
        assert_eq!(fit_code(rule, 38), told);
        assert_eq!(fit_code("  a(X) :- b(X).  % why not", 20), "  a(X) :- b(X).\n  % why not");
        assert_eq!(fit_code("% one two three", 9), "% one two\n% three");
        assert_eq!(fit_code("f(one, two, three)", 12), "f(one, two,\n    three)");
        assert_eq!(fit_code("one two three", 7), "one two\n    three");
        let include = ":- include \"board/square\" with (width = 3, height = 3).";
        let told = ":- include \"board/square\" with\n    (width = 3, height = 3).";
        assert_eq!(fit_code(include, 38), told);
        assert_eq!(fit_code("  a(X) :- b(X).  ", 20), "  a(X) :- b(X).");
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
