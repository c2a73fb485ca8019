//! The messages about text that cannot be read: what was found, what was expected, what to write.
//! Those about characters, brackets, literals and whole clauses are here, those about operators in
//! `slips.rs`.

use crate::diagnostic::{Diagnostic, Label};
use crate::source::{FileId, Span};

use super::super::{Term, TermKind};
use super::clauses::Chunk;
use super::{MAX_FAULTS, ReadError};

/// A diagnostic, and how reading may continue.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) diagnostic: Box<Diagnostic>,
    /// More text could mend it.
    pub(super) incomplete: bool,
    /// Where the next clause seems to begin.
    pub(super) resume: Option<usize>,
    /// The clause before that.
    pub(super) parsed: Option<Box<Term>>,
    /// The fault is only that another clause begins at `resume`; the real fault is in one of the
    /// two.
    pub(super) glued: bool,
}

impl From<Fault> for ReadError {
    fn from(fault: Fault) -> ReadError {
        if fault.incomplete {
            ReadError::Incomplete(*fault.diagnostic)
        } else {
            ReadError::Wrong(vec![*fault.diagnostic])
        }
    }
}

impl Fault {
    pub(super) fn new(code: &'static str, message: impl Into<String>) -> Fault {
        let diagnostic = Box::new(Diagnostic::error(code, message));
        Fault { diagnostic, incomplete: false, resume: None, parsed: None, glued: false }
    }

    pub(super) fn at(mut self, span: Span, text: impl Into<String>) -> Fault {
        self.diagnostic.labels.push(Label { span, text: text.into() });
        self
    }

    pub(super) fn hint(mut self, text: impl Into<String>) -> Fault {
        self.diagnostic.hints.push(text.into());
        self
    }

    pub(super) fn incomplete_if(mut self, incomplete: bool) -> Fault {
        self.incomplete = incomplete;
        self
    }

    pub(super) fn resuming(mut self, resume: Option<usize>) -> Fault {
        self.resume = resume;
        self
    }
}

// ------------------------------------------------------------------ characters and brackets

pub(super) fn stray_character(text: &str, span: Span) -> Fault {
    let found = slice(text, span);
    let c = found.chars().next().unwrap_or(' ');
    let instead = match c {
        '“' | '”' | '„' | '«' | '»' => Some("\""),
        '‘' | '’' | '`' | '´' => Some("'"),
        '–' | '—' | '−' => Some("-"),
        '≤' => Some("=<"),
        '≥' => Some(">="),
        '≠' => Some("\\="),
        '→' | '⇒' => Some("->"),
        '←' | '⇐' => Some(":-"),
        '∧' => Some(","),
        '∨' => Some(";"),
        '¬' => Some("\\+"),
        '×' => Some("*"),
        '…' => Some(".."),
        _ => None,
    };
    let fault = if c.is_whitespace() || c.is_control() || c == '\u{FEFF}' || c == '\u{200B}' {
        Fault::new("syntax-character", format!("an invisible character (U+{:04X})", u32::from(c)))
            .at(span, "it cannot stand here")
            .hint("replace it by an ordinary space")
    } else {
        Fault::new("syntax-character", format!("`{c}` means nothing here"))
            .at(span, "this character can only stand in quotes and comments")
    };
    match instead {
        Some(instead) => fault.hint(format!("write `{instead}`")),
        None if c.is_whitespace() || c.is_control() => fault,
        None => fault.hint(format!("as a sign to be shown, write it in double quotes: `\"{c}\"`")),
    }
}

pub(super) fn open_quote(text: &str, span: Span) -> Fault {
    let quote = slice(text, span).chars().next().unwrap_or('"');
    let what = if quote == '"' { "text" } else { "name in quotes" };
    let start = Span { end: span.start + 1, ..span };
    let fault = Fault::new("syntax-quote", format!("the {what} that begins here does not end"))
        .at(start, format!("there is no closing `{quote}` on this line"));
    let fault = if quote == '"' {
        fault.hint("a text ends on its line; a double quote inside is written `\\\"`")
    } else {
        fault.hint("an apostrophe inside quotes is written twice: `'don''t'`")
    };
    fault.incomplete_if(span.end as usize == text.len())
}

pub(super) fn open_comment(span: Span) -> Fault {
    Fault::new("syntax-unclosed", "the comment that begins here does not end")
        .at(Span { end: span.start + 2, ..span }, "there is no `*/` after this `/*`")
        .hint("write `*/` where the comment ends")
        .incomplete_if(true)
}

pub(super) fn stray_bracket(text: &str, span: Span) -> Fault {
    let found = slice(text, span);
    Fault::new("syntax-unclosed", format!("this `{found}` closes nothing"))
        .at(span, "no bracket is open here")
        .hint(format!("leave it out, or write the opening bracket that belongs to `{found}`"))
}

pub(super) fn wrong_bracket(text: &str, opener: Span, found: Span, expected: char) -> Fault {
    let (open, close) = (slice(text, opener), slice(text, found));
    Fault::new("syntax-unclosed", format!("`{open}` is closed by `{close}`"))
        .at(found, format!("expected `{expected}` here"))
        .at(opener, "opened here")
        .hint(format!("write `{expected}` before `{close}`, or instead of it"))
}

/// `place` is where the clause ends, or where a new one begins inside the bracket.
pub(super) fn unclosed(
    text: &str,
    opener: Span,
    closer: char,
    place: usize,
    new_clause: bool,
) -> Fault {
    let open = slice(text, opener);
    let end = Span::new(opener.file, place, place + usize::from(new_clause));
    let fault = Fault::new("syntax-unclosed", format!("this `{open}` is never closed"))
        .at(opener, "opened here");
    if new_clause {
        fault
            .at(end, "a new clause seems to begin here")
            .hint(format!("write `{closer}` and a full stop before it"))
    } else {
        fault
            .at(end, "the clause ends here")
            .hint(format!("write `{closer}` where the bracket ends"))
    }
}

pub(super) fn lone_stop(span: Span) -> Fault {
    Fault::new("syntax", "this full stop ends nothing")
        .at(span, "no clause stands before it")
        .hint("leave it out")
}

// ------------------------------------------------------------------ limits

pub(super) fn too_deep(span: Span) -> Fault {
    Fault::new("syntax-limit", "this is nested too deeply, or goes on for too long")
        .at(span, "the limit is passed here")
        .hint("split the clause into several, or write the items as a list or as facts")
}

pub(super) fn too_many(file: FileId, place: usize) -> Fault {
    Fault::new("syntax-limit", format!("more than {MAX_FAULTS} faults: the rest is not read"))
        .at(Span::new(file, place, place), "reading stops here")
}

// ------------------------------------------------------------------ words and literals

pub(super) fn float(text: &str, span: Span) -> Fault {
    Fault::new("syntax", "numbers are whole")
        .at(span, format!("`{}` has a fraction", slice(text, span)))
        .hint("count in smaller units, for example halves; a range is written `1..5`")
}

pub(super) fn variable_name(text: &str, span: Span) -> Fault {
    let name = slice(text, span).split('(').next().unwrap_or_default();
    let place = Span::new(span.file, span.start as usize, span.start as usize + name.len());
    let lower = lowered(name);
    let fault = Fault::new("syntax", format!("`{name}` is a variable, and cannot be a relation"))
        .at(place, "a capital letter or `_` begins a variable");
    if lower.is_empty() { fault } else { fault.hint(format!("write `{lower}(…)`")) }
}

fn lowered(name: &str) -> String {
    let name = name.trim_start_matches('_');
    let mut chars = name.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => String::new(),
    }
}

pub(super) fn no_arguments(text: &str, span: Span) -> Fault {
    let name = slice(text, span).split('(').next().unwrap_or_default();
    Fault::new("syntax", "nothing stands between these parentheses")
        .at(span, "an argument is missing")
        .hint(format!("without arguments write just `{name}`"))
}

/// Terms that cannot begin a clause.
pub(super) fn bad_head(head: &Term) -> Option<Fault> {
    let TermKind::Compound(name, args) = &head.kind else { return None };
    // `a := b, c.` is a rule whose arrow is mistaken
    let assigns = |term: &Term| matches!(&term.kind, TermKind::Compound(sign, _) if sign == ":=");
    if [",", ":="].contains(&name.as_str()) && (name == ":=" || args.first().is_some_and(assigns)) {
        let fault = Fault::new("syntax", "`:=` updates the state, and cannot stand behind a head");
        return Some(fault.at(head.span, "expected `:-`").hint("write `head :- goals.`"));
    }
    let hint = match name.as_str() {
        "," => "clauses end in `.`; several facts are several clauses",
        ";" | "->" | "\\+" => "write `head :- goals.`; only goals have `;`, `->` and `\\+`",
        "-->" => "there are no grammar rules here: write `:-`",
        "?-" => "a rule file asks nothing: write `:- example \"…\", goal.` to have it tested",
        "{}" => "write `head :- goals.`",
        _ => return None,
    };
    let shown = if name == "{}" { "{…}" } else { name };
    let fault = Fault::new("syntax", format!("a clause cannot be built with `{shown}`"));
    Some(fault.at(head.span, "expected a name with its arguments").hint(hint))
}

pub(super) fn no_final_stop(text: &str, file: FileId, chunk: &Chunk) -> Fault {
    let end = Span::new(file, chunk.end.saturating_sub(1), chunk.end);
    let end = if text.is_char_boundary(end.start as usize) {
        end
    } else {
        Span { start: end.end, ..end }
    };
    Fault::new("syntax-full-stop", "the last clause does not end: a full stop is missing")
        .at(end, "expected `.` after this")
        .hint("write `.` at its end")
        .incomplete_if(true)
}

/// A clause, written so far, has no full stop and another begins at `place`.
pub(super) fn stop_before(text: &str, written: Span, place: usize) -> Fault {
    let name = first_words(&text[place..]);
    let begin = written.start as usize;
    let head = first_words(&text[begin..]);
    let next = Span::new(written.file, place, place + name.len());
    let fault = Fault::new(
        "syntax-full-stop",
        format!("a clause does not end: a full stop is missing before `{name}`"),
    )
    .at(next, "a new clause begins here")
    .at(Span::new(written.file, begin, begin + head.len()), "this clause does not end");
    if slice(text, written).ends_with(',') {
        fault.hint("write `.` instead of the `,` at its end")
    } else if text[..place].trim_end().ends_with("..") {
        fault.hint("write one `.` at its end, as `..` is an operator")
    } else {
        fault.hint("write `.` at its end")
    }
}

/// A second clause begins at `place`, before a fault that belongs to it.
pub(super) fn glued(file: FileId, place: usize) -> Fault {
    let at = Span::new(file, place, place);
    let mut fault = Fault::new("syntax-full-stop", "a full stop is missing before this")
        .at(at, "a new clause begins here")
        .resuming(Some(place));
    fault.glued = true;
    fault
}

/// The name that a clause begins with, or `:- name` for a directive.
fn first_words(text: &str) -> &str {
    let skipped = if text.starts_with(":-") { 2 } else { 0 };
    let name = text[skipped..].trim_start_matches(' ');
    let skipped = text.len() - name.len();
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
    match text[..skipped + end].trim_end() {
        "" => text.split_whitespace().next().unwrap_or(""),
        words => words,
    }
}

/// Whether a name is written with letters.
pub(super) fn is_word(name: &str) -> bool {
    name.starts_with(|c: char| c.is_alphabetic())
}

pub(super) fn slice(text: &str, span: Span) -> &str {
    text.get(span.start as usize..span.end as usize).unwrap_or("")
}
