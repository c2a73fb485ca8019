//! The page of a report: one HTML file that needs nothing else, and the same in short as text. The only
//! user of minijinja.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use serde_json::{Value, json};

use crate::referee::Stop;
use crate::study::statistics::Estimate;

use super::sections::{self, Section, per_cent, with_interval};

const PAGE: &str = include_str!("page.html");

/// The page on one game, or on two that are compared.
///
/// # Errors
/// A fault of the template.
pub fn html(data: &Value) -> Result<String, Stop> {
    let title = data["title"].as_str().unwrap_or_default();
    let games = data["games"].as_array().map_or(&[][..], Vec::as_slice);
    let shown: Vec<Value> = games.iter().map(shown).collect();
    let comparison = match &data["comparison"] {
        Value::Null => Value::Null,
        comparison => compared(comparison),
    };
    let context = json!({
        "title": title,
        "command": data["command"],
        "version": env!("CARGO_PKG_VERSION"),
        "games": shown,
        "comparison": comparison,
    });
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let failed =
        |error: minijinja::Error| Stop::Failed(format!("the page cannot be made: {error}"));
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
    environment.set_syntax(syntax.map_err(failed)?);
    environment.add_template("page", PAGE).map_err(failed)?;
    let template = environment.get_template("page").map_err(failed)?;
    template.render(Serde(&context)).map_err(failed)
}

/// A game for the template.
fn shown(game: &Value) -> Value {
    let settings = &game["settings"];
    let options: Vec<String> = game["options"].as_object().map_or(Vec::new(), |options| {
        let value = |value: &Value| value.as_str().unwrap_or_default().to_string();
        options.iter().map(|(name, of)| format!("{name} = {}", value(of))).collect()
    });
    json!({
        "title": game["game"],
        "players": game["players"],
        "options": options,
        "settings": settings,
        "sections": sections::all(game).iter().map(Section::data).collect::<Vec<_>>(),
    })
}

/// A comparison for the template, its numbers in words.
fn compared(comparison: &Value) -> Value {
    let rows = comparison["rows"].as_array().map_or(&[][..], Vec::as_slice);
    let row = |row: &Value| {
        let share = row["share"] == true;
        let told = |data: &Value| if share { per_cent(data) } else { with_interval(data, 2) };
        json!({
            "series": row["series"],
            "name": row["name"],
            "a": told(&row["a"]),
            "b": told(&row["b"]),
            "difference": difference(&row["difference"], share),
            "verdict": row["verdict"],
            "clear": row["verdict"] != "no clear difference",
        })
    };
    json!({
        "names": comparison["names"],
        "verdict": comparison["verdict"],
        "rows": rows.iter().map(row).collect::<Vec<_>>(),
    })
}

fn difference(data: &Value, share: bool) -> String {
    let Some(of) = Estimate::read(data) else { return "–".to_string() };
    let of = if share { of.map(|share| share * 100.0) } else { of };
    format!("{:+.2} ({:+.2} to {:+.2})", of.value, of.low, of.high)
}

/// The report in short, as rows of a table.
pub fn rows(data: &Value) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let games = data["games"].as_array().map_or(&[][..], Vec::as_slice);
    for game in games {
        if games.len() > 1 {
            rows.push(vec![game["game"].as_str().unwrap_or_default().to_string()]);
        }
        for section in sections::all(game) {
            let wanted = ["At a glance", "Strategies on the same starts", "Strategic depth"];
            if wanted.contains(&section.title) {
                rows.extend(section.table);
                rows.push(Vec::new());
            }
        }
    }
    if !data["comparison"].is_null() {
        let comparison = compared(&data["comparison"]);
        for row in comparison["rows"].as_array().map_or(&[][..], Vec::as_slice) {
            let cell = |name: &str| row[name].as_str().unwrap_or_default().to_string();
            let name = format!("{} ({})", cell("name"), cell("series"));
            rows.push(vec![name, cell("a"), cell("b"), cell("difference"), cell("verdict")]);
        }
    }
    rows
}
