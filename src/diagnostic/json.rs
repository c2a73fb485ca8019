//! Diagnostics as JSON.

use serde_json::{Value, json};

use super::{Diagnostic, Severity};
use crate::source::{Sources, Span};

/// A diagnostic for editors and scripts. Lines and columns count from 1, columns in characters;
/// the end is exclusive. Without a place, `file` and the numbers are null.
pub fn to_json(sources: &Sources, diagnostic: &Diagnostic) -> Value {
    let place = |span: Span| {
        let file = sources.get(span.file);
        let (line, column) = sources.line_column(span);
        let (end_line, end_column) = sources.line_column(Span { start: span.end, ..span });
        json!({
            "file": file.map(|f| f.name.as_str()),
            "line": file.map(|_| line),
            "column": file.map(|_| column),
            "end_line": file.map(|_| end_line),
            "end_column": file.map(|_| end_column),
        })
    };
    let labels: Vec<Value> = diagnostic
        .labels
        .iter()
        .map(|label| {
            let mut value = place(label.span);
            value["text"] = json!(label.text);
            value
        })
        .collect();
    let mut value = place(diagnostic.labels.first().map_or(Span::NONE, |label| label.span));
    value["code"] = json!(diagnostic.code);
    value["severity"] = json!(match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    });
    value["message"] = json!(diagnostic.message);
    value["labels"] = Value::Array(labels);
    value["hints"] = json!(diagnostic.hints);
    value
}
