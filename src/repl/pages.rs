//! The pages of the documentation, cut into sections, and the index of the words of the rule language.
//!
//! Nothing is written for `:help` alone: a section is found by its title, and a word of the language by the
//! rows of tables, the paragraphs and the examples of the reference that have it in their code.

/// The page of the prompt and the reference of the rule language.
const PROMPT: &str = include_str!("../../docs/repl.md");
const LANGUAGE: &str = include_str!("../../docs/language.md");

/// The longest example that a word's page shows, in lines.
const LONGEST: usize = 30;
/// How many further sections a word's page names.
const FURTHER: usize = 5;

/// A section of a page.
pub struct Section {
    pub title: &'static str,
    /// It tells of rules, and not of the prompt.
    pub of_rules: bool,
    /// The topics by which it is found: the words of its title.
    pub topics: Vec<String>,
    pub blocks: Vec<Block>,
}

/// A part of a section.
#[derive(Clone)]
pub enum Block {
    /// A paragraph or an item of a list, as words.
    Text(Vec<&'static str>),
    /// The rows of a table; the first one is its heading.
    Table(Vec<Vec<String>>),
    Code(Vec<&'static str>),
}

/// What the reference says of a word, and where it says more.
pub struct WordPage {
    pub parts: Vec<(&'static str, Vec<Block>)>,
    pub further: Vec<&'static str>,
}

/// All sections of both pages.
pub fn sections() -> Vec<Section> {
    let mut titles: Vec<(&'static str, bool, Vec<&'static str>)> = Vec::new();
    for (text, of_rules) in [(PROMPT, false), (LANGUAGE, true)] {
        let before = titles.len();
        let mut code = false;
        for line in text.lines() {
            code ^= line.starts_with("```");
            let title = line.strip_prefix("## ").or_else(|| line.strip_prefix("### "));
            match title.filter(|_| !code) {
                Some(title) => titles.push((title, of_rules, Vec::new())),
                // what stands before the first title introduces the page
                None if titles.len() == before => {}
                None => titles.last_mut().into_iter().for_each(|(.., body)| body.push(line)),
            }
        }
    }
    let section = |(title, of_rules, body): (&'static str, bool, Vec<&'static str>)| {
        let words = title.split([' ', ',', '`']).map(plain);
        let topics = words.filter(|w| w.len() > 1).chain([plain(title)]).collect();
        Section { title, of_rules, topics, blocks: blocks(&body) }
    };
    titles.into_iter().map(section).collect()
}

/// A topic in a normal form that ignores insignificant differences.
pub fn plain(text: &str) -> String {
    let text = text.trim().trim_start_matches(':').to_lowercase();
    text.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ')).collect()
}

fn blocks(lines: &[&'static str]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = false;
    let mut code = false;
    for line in lines {
        if line.starts_with("```") {
            code = !code;
            if code {
                blocks.push(Block::Code(Vec::new()));
            }
            open = false;
        } else if code {
            if let Some(Block::Code(lines)) = blocks.last_mut() {
                lines.push(line);
            }
        } else if line.is_empty() {
            open = false;
        } else if line.starts_with('|') {
            let row = cells(line);
            match blocks.last_mut() {
                Some(Block::Table(rows)) if open => rows.push(row),
                _ => blocks.push(Block::Table(vec![row])),
            }
            open = true;
        } else {
            let begins = !open || line.starts_with("- ");
            match blocks.last_mut() {
                Some(Block::Text(words)) if !begins => words.extend(line.split_whitespace()),
                _ => blocks.push(Block::Text(line.split_whitespace().collect())),
            }
            open = true;
        }
    }
    for block in &mut blocks {
        if let Block::Table(rows) = block {
            rows.retain(|row| !row.iter().all(|c| c.is_empty() || c.starts_with("--")));
        }
    }
    blocks
}

/// The cells of a table's row; a bar inside backquotes does not separate cells.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    for c in line.strip_suffix('|').unwrap_or(line).chars() {
        quoted ^= c == '`';
        match (c, cells.last_mut()) {
            ('|', _) if !quoted => cells.push(String::new()),
            (_, Some(cell)) => cell.push(c),
            (_, None) => {}
        }
    }
    cells.iter().map(|cell| cell.trim().to_string()).collect()
}

/// The parts of a text in backquotes.
fn spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The words of code: names, and operators. Variables and texts are none.
fn tokens(code: &str) -> Vec<String> {
    let name = |c: char| c.is_alphanumeric() || c == '_';
    let symbol = |c: char| "+-*/\\^<>=:?!".contains(c);
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            '%' => rest.find('\n').unwrap_or(rest.len()),
            c if name(c) => rest.find(|c| !name(c)).unwrap_or(rest.len()),
            c if symbol(c) => rest.find(|c| !symbol(c)).unwrap_or(rest.len()),
            '.' if rest.starts_with("..") => 2,
            c => c.len_utf8(),
        };
        let token = &rest[..length];
        if first.is_ascii_lowercase() || symbol(first) || matches!(token, ".." | "," | ";") {
            found.push(token.to_string());
        }
        rest = &rest[length..];
    }
    found
}

/// The words that a piece of code is about: its functor, or the operators between its variables.
fn subjects(code: &str) -> Vec<String> {
    let all = tokens(code);
    match code.starts_with(|c: char| c.is_ascii_lowercase()) {
        true => all.into_iter().take(1).collect(),
        false => all,
    }
}

/// Whether a row of a table tells of a word: in its first cell, or in `any` of them.
fn tells(row: &[String], word: &str, any: bool) -> bool {
    let cells = if any { row } else { &row[..row.len().min(1)] };
    cells.iter().flat_map(|cell| spans(cell)).any(|span| subjects(span).iter().any(|s| s == word))
}

fn mentions(block: &Block, word: &str) -> bool {
    let has = |code: &str| tokens(code).iter().any(|token| token == word);
    match block {
        Block::Text(words) => spans(&words.join(" ")).any(has),
        Block::Table(rows) => rows.iter().skip(1).any(|row| tells(row, word, true)),
        Block::Code(lines) => lines.len() <= LONGEST && lines.iter().any(|line| has(line)),
    }
}

/// The section about a directive or a relation of this name: its title begins with the word, in the singular or
/// plural, and no table outside of the index tells of it.
pub fn section_of<'s>(sections: &'s [Section], word: &str) -> Option<&'s Section> {
    let elsewhere = sections.iter().filter(|s| s.of_rules && plain(s.title) != "index").any(|s| {
        s.blocks.iter().any(|block| match block {
            Block::Table(rows) => rows.iter().skip(1).any(|row| tells(row, word, false)),
            _ => false,
        })
    });
    let plural = format!("{word}s");
    let named = |s: &&Section| {
        let title = plain(s.title);
        let first = title.split(' ').next().unwrap_or_default();
        first == word || first == plural || title == word
    };
    sections.iter().filter(|s| s.of_rules && !elsewhere && !word.is_empty()).find(named)
}

/// What the reference says of a word of the rule language; `None` where it does not have the word.
pub fn word_page(sections: &[Section], word: &str) -> Option<WordPage> {
    let rules: Vec<&Section> = sections.iter().filter(|section| section.of_rules).collect();
    let rows = |section: &Section, any: bool| -> Vec<Vec<String>> {
        let tables = section.blocks.iter().filter_map(|block| match block {
            Block::Table(rows) => Some(rows.iter().skip(1)),
            _ => None,
        });
        tables.flatten().filter(|row| tells(row, word, any)).cloned().collect()
    };
    let defined = |any: bool| -> Vec<(usize, Vec<Vec<String>>)> {
        let all = rules.iter().enumerate().map(|(i, section)| (i, rows(section, any)));
        all.filter(|(_, rows)| !rows.is_empty()).collect()
    };
    let mut found = defined(false);
    if found.is_empty() {
        found = defined(true);
    }
    let count = |section: &Section| {
        section.blocks.iter().filter(|b| !matches!(b, Block::Table(_)) && mentions(b, word)).count()
    };
    let mut chosen: Vec<usize> = found.iter().map(|(i, _)| *i).collect();
    // a row may name the section that tells more
    for (_, rows) in &found {
        for target in rows.iter().flatten().filter_map(|cell| link(cell)) {
            let anchor = |section: &Section| plain(section.title).replace(' ', "-") == target;
            chosen.extend(rules.iter().position(|section| anchor(section)));
        }
    }
    if chosen.iter().all(|i| count(rules[*i]) == 0) {
        let most = (0..rules.len()).rev().max_by_key(|i| count(rules[*i]));
        chosen.extend(most.filter(|i| count(rules[*i]) > 0));
    }
    let mut once = Vec::new();
    chosen.retain(|i| {
        !once.contains(i) && {
            once.push(*i);
            true
        }
    });
    let mut parts = Vec::new();
    for i in &chosen {
        let mut blocks = Vec::new();
        if let Some((_, rows)) = found.iter().find(|(at, _)| at == i) {
            blocks.push(Block::Table(rows.clone()));
        }
        let texts = rules[*i].blocks.iter().filter(|block| !matches!(block, Block::Table(_)));
        blocks.extend(texts.filter(|block| mentions(block, word)).cloned());
        if !blocks.is_empty() {
            parts.push((rules[*i].title, blocks));
        }
    }
    if parts.is_empty() {
        return None;
    }
    let mut others: Vec<usize> =
        (0..rules.len()).filter(|i| !chosen.contains(i) && count(rules[*i]) > 0).collect();
    others.sort_by_key(|i| std::cmp::Reverse(count(rules[*i])));
    let further = others.into_iter().take(FURTHER).map(|i| rules[i].title).collect();
    Some(WordPage { parts, further })
}

/// The words that tables of the reference tell of in their first column.
pub fn words(sections: &[Section]) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for section in sections.iter().filter(|section| section.of_rules) {
        for block in &section.blocks {
            let Block::Table(rows) = block else { continue };
            let codes = rows.iter().skip(1).filter_map(|row| row.first());
            let all = codes.flat_map(|cell| spans(cell)).flat_map(subjects);
            words.extend(all.filter(|w| w.starts_with(|c: char| c.is_ascii_lowercase())));
        }
    }
    words.sort();
    words.dedup();
    words
}

/// The anchor that a text links to.
fn link(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("](#")?;
    Some(rest.split_once(')')?.0.to_string())
}

/// A text without the targets of its links.
pub fn unlinked(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("](") {
        let Some(end) = rest[at..].find(')') else { break };
        let Some(open) = rest[..at].rfind('[') else { break };
        out.push_str(&rest[..open]);
        out.push_str(&rest[open + 1..at]);
        rest = &rest[at + end + 1..];
    }
    // emphasis is for pages that have it
    (out + rest).replace("**", "")
}

#[cfg(test)]
mod tests {
    use super::{sections, tokens, unlinked, word_page};

    #[test]
    fn code_is_cut_into_words() {
        assert_eq!(tokens("at(P) := X, \"a b\""), ["at", ":=", ","]);
        assert_eq!(tokens("X in Lo..Hi"), ["in", ".."]);
        assert_eq!(tokens("\\+ G"), ["\\+"]);
    }

    #[test]
    fn links_lose_their_targets() {
        assert_eq!(unlinked("see [the end](#the-end), or `[a]`"), "see the end, or `[a]`");
    }

    #[test]
    fn a_word_has_the_rows_and_paragraphs_that_tell_of_it() {
        let sections = sections();
        let page = word_page(&sections, "forall").expect("a page");
        assert!(page.parts.iter().any(|(title, _)| *title == "Goals"));
        assert!(word_page(&sections, "frobnicate").is_none());
    }
}
