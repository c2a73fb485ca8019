//! `:help`: the commands, a section of the documentation, or what the reference says of a word.

use crate::diagnostic::nearest;
use crate::referee::Stop;
use crate::render::{display_width, fit, fit_code};
use crate::ui::tables::plain as plain_table;

use super::commands::{ALIASES, COMMANDS};
use super::pages::{self, Block, Section, plain, section_of, unlinked, word_page};
use super::prompt::{Prompt, failed, in_short};

/// Shows the commands, or the section or word that is called so.
///
/// # Errors
/// There is no such topic.
pub fn show(prompt: &Prompt<'_>, topic: &str) -> Result<(), Stop> {
    if topic.is_empty() {
        return overview(prompt);
    }
    let sections = pages::sections();
    if let Some(word) = topic.strip_prefix("rules ").map(str::trim)
        && rules(prompt, &sections, word)?
    {
        return Ok(());
    }
    let bare = plain(topic);
    let other = ALIASES.iter().find(|(alias, _)| *alias == bare).map(|(_, word)| *word);
    let wanted = other.unwrap_or(&bare);
    let of_prompt = |section: &&Section| !section.of_rules && !wanted.is_empty();
    let page = |section: &&Section| section.topics.iter().any(|topic| topic == wanted);
    if let Some(section) = sections.iter().filter(of_prompt).find(page) {
        whole(prompt, section, &sections)?;
        if section_of(&sections, wanted).is_some() || word_page(&sections, wanted).is_some() {
            prompt.say("")?;
            prompt.say(format!("`:help rules {wanted}` tells of the word in rules"))?;
        }
        return Ok(());
    }
    if rules(prompt, &sections, topic.trim())? {
        return Ok(());
    }
    let within = |section: &&Section| !wanted.is_empty() && plain(section.title).contains(wanted);
    if let Some(section) = sections.iter().find(within) {
        return whole(prompt, section, &sections);
    }
    let text = format!("there is no page for `{}`", in_short(topic, 40));
    let known = topics();
    Err(failed(
        text,
        match nearest(&bare, known.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `:help {near}`?"),
            None => "`:help` lists the commands, and `:help topics` all pages".to_string(),
        },
    ))
}

/// All topics of `:help`.
pub fn topics() -> Vec<String> {
    let sections = pages::sections();
    let words = pages::words(&sections);
    sections.into_iter().flat_map(|section| section.topics).chain(words).collect()
}

/// Shows what the reference says of a word; false where it does not have it.
fn rules(prompt: &Prompt<'_>, sections: &[Section], word: &str) -> Result<bool, Stop> {
    let name = plain(word);
    // an operator has no name
    let is_name = word.chars().any(char::is_alphanumeric);
    if let Some(section) = section_of(sections, &name).filter(|_| is_name) {
        whole(prompt, section, sections)?;
        return Ok(true);
    }
    let bare = word.split(['(', '/']).next().filter(|bare| !bare.is_empty() && is_name);
    let Some(page) = word_page(sections, bare.unwrap_or(word)) else { return Ok(false) };
    let console = prompt.console;
    for (i, (title, blocks)) in page.parts.iter().enumerate() {
        if i > 0 {
            console.line("")?;
        }
        console.line(console.bold(&title.replace('`', "")))?;
        write(prompt, blocks)?;
    }
    if !page.further.is_empty() {
        console.line("")?;
        let names: Vec<String> =
            page.further.iter().map(|title| format!("`:help {}`", plain(title))).collect();
        prompt.say(format!("more: {}", names.join(", ")))?;
    }
    Ok(true)
}

fn overview(prompt: &Prompt<'_>) -> Result<(), Stop> {
    prompt.say(
        "a move in the game's notation or as a term; a question that ends with a full stop; or a \
         command, with or without a colon before it:",
    )?;
    let form = |i: usize| format!("{} {}", COMMANDS[i].word, COMMANDS[i].takes);
    let forms: Vec<String> = (0..COMMANDS.len()).map(form).collect();
    let widest = forms.iter().map(|f| display_width(f.trim_end())).max().unwrap_or(0);
    // where two columns do not fit, the description is below
    let beside = widest + 32 <= prompt.console.width();
    for (form, command) in forms.iter().zip(&COMMANDS) {
        let form = form.trim_end();
        let text = match beside {
            true => {
                format!("  {form}{}{}", " ".repeat(widest + 2 - display_width(form)), command.does)
            }
            false => format!("  {form}\n    {}", command.does),
        };
        let indent = if beside { widest + 4 } else { 4 };
        for line in text.lines() {
            prompt.console.line(fit(line, prompt.console.width(), indent))?;
        }
    }
    prompt.say("Ctrl-C ends a thought of the computer, which plays its best move so far")?;
    prompt.say(
        "`:help COMMAND` tells more, with examples; `:help WORD` tells of a word of the rules, as in \
         `:help win`; `:help topics` lists all pages",
    )
}

/// A whole section.
fn whole(prompt: &Prompt<'_>, section: &Section, sections: &[Section]) -> Result<(), Stop> {
    let console = prompt.console;
    console.line(console.bold(&section.title.replace('`', "")))?;
    if section.topics.iter().any(|topic| topic == "topics") {
        let all: Vec<String> = sections.iter().map(|s| s.title.replace('`', "")).collect();
        prompt.say(all.join(" · "))?;
        prompt.say("")?;
        return prompt.say(format!("words of rules: {}", pages::words(sections).join(" · ")));
    }
    write(prompt, &section.blocks)
}

/// Writes blocks at the width of the terminal.
fn write(prompt: &Prompt<'_>, blocks: &[Block]) -> Result<(), Stop> {
    let console = prompt.console;
    for (i, block) in blocks.iter().enumerate() {
        if i > 0 {
            console.line("")?;
        }
        match block {
            Block::Text(words) => {
                let indent = if words.first() == Some(&"-") { 2 } else { 0 };
                console.line(fit(&unlinked(&words.join(" ")), console.width(), indent))?;
            }
            Block::Table(rows) => {
                let cells = |row: &Vec<String>| row.iter().map(|cell| unlinked(cell)).collect();
                let rows: Vec<Vec<String>> = rows.iter().map(cells).collect();
                console.text(plain_table(&rows, &[], console.width()))?;
            }
            Block::Code(lines) => {
                for line in lines {
                    console.line(fit_code(&format!("  {line}"), console.width()))?;
                }
            }
        }
    }
    Ok(())
}
