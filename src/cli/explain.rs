//! `ludex explain`: the pages on diagnostics.

use clap::Args;
use serde_json::json;

use crate::diagnostic::nearest;
use crate::render::fit;
use crate::source::Page;

use crate::referee::Stop;
use crate::ui::console::Console;

/// Explains a diagnostic, with a wrong and a right example.
#[derive(Debug, Args)]
pub struct ExplainArguments {
    /// The code above the message, e.g. `unbound-variable`; without it all codes are listed.
    #[arg(value_name = "CODE")]
    code: Option<String>,

    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &ExplainArguments, console: &Console) -> Result<(), Stop> {
    let Some(code) = &arguments.code else { return list(arguments.json, console) };
    let Some(page) = Page::of(code.trim()) else {
        let all = Page::all();
        let hint = match nearest(code, all.iter().map(|p| p.code)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`ludex explain` lists them".to_string(),
        };
        return Err(Stop::Usage(format!("no diagnostic has the code `{code}`; {hint}")));
    };
    if arguments.json {
        return console.json(&json!({
            "code": page.code, "summary": page.summary(), "text": page.text,
        }));
    }
    for (i, block) in page.text.split("\n```").enumerate() {
        // every other block is code, which must not be wrapped
        if i % 2 == 1 {
            for line in block.lines().skip(1) {
                console.line(format!("    {line}"))?;
            }
            continue;
        }
        let paragraphs = block.trim_matches('\n').split("\n\n");
        for paragraph in paragraphs.filter(|p| !p.is_empty()) {
            match paragraph.strip_prefix("# ") {
                Some(title) => console.line(console.bold(title.trim()))?,
                None => {
                    console.line("")?;
                    console.line(fit(&paragraph.replace('\n', " "), console.width().min(90), 0))?;
                    if paragraph.ends_with(':') {
                        console.line("")?;
                    }
                }
            }
        }
    }
    Ok(())
}

fn list(as_json: bool, console: &Console) -> Result<(), Stop> {
    let pages = Page::all();
    if as_json {
        let all: Vec<_> =
            pages.iter().map(|p| json!({ "code": p.code, "summary": p.summary() })).collect();
        return console.json(&json!(all));
    }
    let widest = pages.iter().map(|p| p.code.len()).max().unwrap_or(0) + 2;
    for page in pages {
        let line = format!("{:<widest$}{}", page.code, page.summary());
        console.line(fit(&line, console.width(), 4))?;
    }
    Ok(())
}
