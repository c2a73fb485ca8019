//! Turns diagnostics into text for people and JSON for programs: the only user of miette.
//!
//! miette draws the quoted lines with their labels. The labels of a diagnostic may be in several
//! files, which miette cannot draw together: each further file has a drawing of its own.

use std::fmt;
use std::sync::Arc;

use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode};

use super::{Diagnostic, Label, Severity};
use crate::source::{FileId, Sources, Span};

/// The least width of a drawing, in columns.
const LEAST_WIDTH: usize = 40;
/// The longest line that is quoted, in bytes. miette cannot draw lines of more than 65535 columns.
const LONGEST_LINE: usize = 500;
/// The most lines of a label; a longer one marks only its first line.
const MOST_LINES: usize = 12;

/// A diagnostic as text: code, message, the lines that it refers to, and its hints.
pub fn render(sources: &Sources, diagnostic: &Diagnostic, color: bool, width: usize) -> String {
    let width = width.max(LEAST_WIDTH);
    let theme = if color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_width(width)
        .with_links(false)
        .with_context_lines(1);
    let placed = by_file(sources, &diagnostic.labels);
    let mut text = String::new();
    let mut draw = |drawing: &Drawing| {
        // Writing to a string does not fail; should miette fail, the message is still printed.
        if handler.render_report(&mut text, drawing).is_err() {
            text.push_str(&format!("  {}\n", drawing.message));
        }
    };
    let mut files = placed.into_iter();
    draw(&Drawing {
        code: Some(diagnostic.code),
        severity: diagnostic.severity.into(),
        message: diagnostic.message.clone(),
        source: files.next(),
    });
    for source in files {
        let message = format!("see also `{}`", source.0.name());
        draw(&Drawing {
            code: None,
            severity: miette::Severity::Advice,
            message,
            source: Some(source),
        });
    }
    push_places(&mut text, sources, &diagnostic.labels);
    for hint in &diagnostic.hints {
        push_hint(&mut text, hint, color, width);
    }
    text
}

/// All diagnostics by file and place, and how many there are.
pub fn render_all(
    sources: &Sources,
    diagnostics: &[Diagnostic],
    color: bool,
    width: usize,
) -> String {
    let mut sorted: Vec<&Diagnostic> = diagnostics.iter().collect();
    sorted.sort_by_key(|d| d.labels.first().map_or(Span::NONE, |label| label.span));
    let mut text = String::new();
    for diagnostic in sorted {
        text.push_str(&render(sources, diagnostic, color, width));
        text.push('\n');
    }
    let errors = diagnostics.iter().filter(|d| d.is_error()).count();
    let counts = [(errors, "error"), (diagnostics.len() - errors, "warning")];
    let counts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}{}", if *count == 1 { "" } else { "s" }))
        .collect();
    if !counts.is_empty() {
        text.push_str(&counts.join(", "));
        text.push('\n');
    }
    text
}

/// All diagnostics in few lines, without the lines that they refer to: the message, each label with its place, and the
/// hints.
pub fn in_brief(sources: &Sources, diagnostics: &[Diagnostic]) -> String {
    let brief = |d: &Diagnostic| {
        let labels = d.labels.iter().map(|label| placed(sources, label));
        let below = labels.chain(d.hints.iter().cloned()).map(|line| format!("\n  {line}"));
        format!("{}{}", d.message, below.collect::<String>())
    };
    diagnostics.iter().map(brief).collect::<Vec<_>>().join("\n")
}

/// A label behind its place, if it has one.
fn placed(sources: &Sources, label: &Label) -> String {
    match sources.get(label.span.file) {
        Some(file) => {
            let (line, column) = sources.line_column(label.span);
            format!("{}:{line}:{column}: {}", file.name, label.text)
        }
        None => label.text.clone(),
    }
}

/// One file with the labels in it.
type Quoted = (NamedSource<Arc<str>>, Vec<LabeledSpan>);

/// The part of a diagnostic that miette draws at once.
#[derive(Debug)]
struct Drawing {
    code: Option<&'static str>,
    severity: miette::Severity,
    message: String,
    source: Option<Quoted>,
}

impl fmt::Display for Drawing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Drawing {}

impl miette::Diagnostic for Drawing {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.code.map(|code| Box::new(code) as Box<dyn fmt::Display>)
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(self.severity)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|(source, _)| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let (_, labels) = self.source.as_ref()?;
        Some(Box::new(labels.iter().cloned()))
    }
}

impl From<Severity> for miette::Severity {
    fn from(severity: Severity) -> miette::Severity {
        match severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
        }
    }
}

/// The labels that can be drawn, by file; the file of the first label comes first.
fn by_file(sources: &Sources, labels: &[Label]) -> Vec<Quoted> {
    let mut files: Vec<FileId> = Vec::new();
    for label in labels {
        if !files.contains(&label.span.file) {
            files.push(label.span.file);
        }
    }
    let quoted = files.into_iter().filter_map(|id| {
        let file = sources.get(id)?;
        let inside = labels.iter().enumerate().filter(|(_, label)| label.span.file == id);
        let spans: Vec<LabeledSpan> = inside
            .filter_map(|(i, label)| {
                let (start, end) = drawable(&file.text, label.span)?;
                let text = Some(label.text.clone()).filter(|text| !text.is_empty());
                Some(if i == 0 {
                    LabeledSpan::new_primary_with_span(text, (start, end - start))
                } else {
                    LabeledSpan::new(text, start, end - start)
                })
            })
            .collect();
        let source = NamedSource::new(&file.name, Arc::clone(&file.text));
        (!spans.is_empty()).then_some((source, spans))
    });
    quoted.collect()
}

/// Where a label begins and ends; `None` where its lines, or those around them, are too long.
fn drawable(text: &str, span: Span) -> Option<(usize, usize)> {
    let start = boundary(text, span.start);
    let mut end = boundary(text, span.end).max(start);
    if text[start..end].matches('\n').count() >= MOST_LINES {
        end = start + text[start..end].find('\n').unwrap_or(0);
    }
    let before = text[..start].rsplit('\n').take(2).map(str::len).max();
    let after = text[end..].split('\n').take(2).map(str::len).max();
    let inside = text[start..end].lines().map(str::len).max();
    let longest = before.max(after).max(inside).unwrap_or(0);
    (longest <= LONGEST_LINE).then_some((start, end))
}

/// Appends the places of a diagnostic that cannot be drawn, one per line.
fn push_places(text: &mut String, sources: &Sources, labels: &[Label]) {
    for label in labels {
        if let Some(file) = sources.get(label.span.file)
            && drawable(&file.text, label.span).is_none()
        {
            text.push_str(&format!("   {}\n", placed(sources, label)));
        }
    }
}

/// The nearest place at or before an offset where the text can be cut.
fn boundary(text: &str, offset: u32) -> usize {
    text.floor_char_boundary(offset as usize)
}

/// `  help: …`, wrapped at words.
fn push_hint(text: &mut String, hint: &str, color: bool, width: usize) {
    const HEAD: &str = "help: ";
    text.push_str("  ");
    text.push_str(&if color { format!("\u{1b}[36m{HEAD}\u{1b}[0m") } else { HEAD.to_string() });
    let left = 2 + HEAD.len();
    let mut column = left;
    for (i, word) in hint.split_whitespace().enumerate() {
        let length = word.chars().count();
        if i > 0 && column + 1 + length > width {
            text.push('\n');
            text.push_str(&" ".repeat(left));
            column = left;
        } else if i > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text.push('\n');
}
