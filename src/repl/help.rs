//! `:help`: the pages of the documentation, one section at a time.

use crate::diagnostic::nearest;
use crate::referee::Stop;
use crate::render::{display_width, fit};
use crate::ui::tables::plain as plain_table;

use super::commands::COMMANDS;
use super::prompt::{Prompt, failed, in_short};

/// The pages that `:help TOPIC` searches.
const PAGES: [&str; 2] =
    [include_str!("../../docs/repl.md"), include_str!("../../docs/language.md")];

/// A section of a page.
struct Section {
    title: &'static str,
    /// The topics by which it is found: the words of its title.
    topics: Vec<String>,
    body: Vec<&'static str>,
}

/// Shows the commands, or the section for a topic.
///
/// # Errors
/// There is no such topic.
pub fn show(prompt: &Prompt<'_>, topic: &str) -> Result<(), Stop> {
    if topic.is_empty() {
        return overview(prompt);
    }
    let wanted = plain(topic);
    let sections = sections();
    let exact = sections.iter().find(|s| s.topics.contains(&wanted));
    let found = exact.or_else(|| sections.iter().find(|s| plain(s.title).contains(&wanted)));
    if let Some(section) = found {
        return page(prompt, section);
    }
    let shown = in_short(topic, 40);
    let text = format!("there is no page for `{shown}`");
    let topics = sections.iter().flat_map(|s| s.topics.iter().map(String::as_str));
    Err(failed(
        text,
        match nearest(&wanted, topics) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`:help` lists the commands, and `:help topics` all pages".to_string(),
        },
    ))
}

/// All topics of `:help`.
pub fn topics() -> Vec<String> {
    sections().into_iter().flat_map(|section| section.topics).collect()
}

fn overview(prompt: &Prompt<'_>) -> Result<(), Stop> {
    prompt.say(
        "a move in the game's notation or as a term; a question that ends with a full stop; or",
    )?;
    let form = |i: usize| format!(":{} {}", COMMANDS[i].word, COMMANDS[i].takes);
    let forms: Vec<String> = (0..COMMANDS.len()).map(form).collect();
    let widest = forms.iter().map(|f| display_width(f.trim_end())).max().unwrap_or(0);
    // where two columns do not fit, the description is below
    let beside = widest + 30 <= prompt.console.width();
    for (form, command) in forms.iter().zip(&COMMANDS) {
        let form = form.trim_end();
        let text = match beside {
            true => {
                format!("{form}{}{}", " ".repeat(widest + 2 - display_width(form)), command.does)
            }
            false => format!("{form}\n    {}", command.does),
        };
        let indent = if beside { widest + 2 } else { 4 };
        for line in text.lines() {
            prompt.console.line(fit(line, prompt.console.width(), indent))?;
        }
    }
    prompt.say("`:help COMMAND` tells more, with examples; `:help topics` lists all pages")
}

fn page(prompt: &Prompt<'_>, section: &Section) -> Result<(), Stop> {
    let console = prompt.console;
    console.line(console.bold(&section.title.replace('`', "")))?;
    if section.topics.iter().any(|topic| topic == "topics") {
        let all: Vec<String> = sections().iter().map(|s| s.title.replace('`', "")).collect();
        return prompt.say(all.join(" · "));
    }
    let mut code = false;
    let mut block = Block::default();
    let last = section.body.iter().rposition(|line| !line.is_empty()).map_or(0, |at| at + 1);
    for line in section.body[..last].iter().skip_while(|line| line.is_empty()) {
        if line.starts_with("```") {
            block.tell(prompt)?;
            code = !code;
        } else if code {
            console.line(format!("  {line}"))?;
        } else if line.is_empty() {
            block.tell(prompt)?;
            console.line("")?;
        } else if line.starts_with('|') {
            block.rows.push(cells(line));
        } else {
            if line.starts_with("- ") {
                block.tell(prompt)?;
            }
            block.words.extend(line.split_whitespace());
        }
    }
    block.tell(prompt)
}

/// A paragraph or a table that has not been written yet.
#[derive(Default)]
struct Block {
    words: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Block {
    /// Writes it at the width of the terminal.
    fn tell(&mut self, prompt: &Prompt<'_>) -> Result<(), Stop> {
        let console = prompt.console;
        let words = std::mem::take(&mut self.words);
        if let Some(first) = words.first() {
            let indent = if *first == "-" { 2 } else { 0 };
            console.line(fit(&words.join(" "), console.width(), indent))?;
        }
        let mut rows = std::mem::take(&mut self.rows);
        rows.retain(|row| !row.iter().all(|cell| cell.is_empty() || cell.starts_with("--")));
        if rows.is_empty() {
            Ok(())
        } else {
            console.text(plain_table(&rows, &[], console.width()))
        }
    }
}

/// The cells of a table's row; a bar inside backquotes does not separate cells.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for c in line.trim().trim_matches('|').chars() {
        quoted ^= c == '`';
        match (c, cells.last_mut()) {
            ('|', _) if !quoted => cells.push(String::new()),
            (_, Some(cell)) => cell.push(c),
            (_, None) => {}
        }
    }
    cells.iter().map(|cell| cell.trim().to_string()).collect()
}

/// The sections of the pages, with their headings.
fn sections() -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for text in PAGES {
        let mut code = false;
        for line in text.lines() {
            code ^= line.starts_with("```");
            match line.strip_prefix("## ").filter(|_| !code) {
                Some(title) => {
                    let words = title.split([' ', ',', '`']).map(plain);
                    let topics = words.filter(|w| w.len() > 1).chain([plain(title)]).collect();
                    sections.push(Section { title, topics, body: Vec::new() });
                }
                None => {
                    if let Some(section) = sections.last_mut() {
                        section.body.push(line);
                    }
                }
            }
        }
    }
    sections
}

/// A topic in a normal form that ignores insignificant differences.
fn plain(text: &str) -> String {
    let text = text.trim().trim_start_matches(':').to_lowercase();
    text.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | ' ')).collect()
}
