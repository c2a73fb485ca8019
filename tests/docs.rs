//! What the pages say is true: whole games in them load and can be played, parts can be read, and
//! the tutorial's steps pass their own examples and move counts.
//!
//! The tutorials are followed as they are written: a block that names a file is saved under that name, and
//! the commands of a block of kind `console` are run where the files are. What they print is brought up to
//! date by `LUDEX_PAGES=overwrite cargo test --test docs`.

use std::io::{Read, Write};

use ludex::engine::{Perft, PlayoutOptions, Session};
use ludex::pipeline;
use ludex::program::LoadRequest;
use ludex::reference::{ExampleResult, Reference};
use ludex::source::Sources;
use ludex::syntax::{TermKind, read_file};

fn page(name: &str) -> String {
    let path = format!("{}/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The code blocks of a page that are marked with `kind`.
fn blocks(text: &str, kind: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Option<(String, Vec<&str>)> = None;
    for line in text.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(mark)) => open = Some((mark.trim().to_string(), Vec::new())),
            (Some((mark, lines)), Some(_)) => {
                if mark == kind {
                    found.push(lines.join("\n"));
                }
                open = None;
            }
            (Some((_, lines)), None) => lines.push(line),
            (None, None) => {}
        }
    }
    found
}

/// Do the lines fit, where `[..]` stands for anything?
fn fits(expected: &str, found: &str) -> bool {
    let mut rest = found;
    let mut parts = expected.split("[..]");
    if !parts.next().is_some_and(|first| found.starts_with(first)) {
        return false;
    }
    rest = &rest[expected.find("[..]").unwrap_or(expected.len())..];
    let parts: Vec<&str> = parts.collect();
    for (i, part) in parts.iter().enumerate() {
        let at = if i + 1 == parts.len() { rest.rfind(part) } else { rest.find(part) };
        let Some(at) = at else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty()
}

/// What a session on a page says, run through a pipe in a folder of its own, where the small games
/// of the tests lie.
fn session(block: &str) {
    let mut lines = block.lines();
    let command = lines.next().and_then(|l| l.strip_prefix("$ ludex ")).expect("`$ ludex …`");
    let folder = tempfile::tempdir().expect("a folder");
    let rules = format!("{}/tests/rules", env!("CARGO_MANIFEST_DIR"));
    for entry in std::fs::read_dir(rules).expect("the small games").flatten() {
        std::fs::copy(entry.path(), folder.path().join(entry.file_name())).expect("copied");
    }
    let (typed, mut told): (Vec<&str>, Vec<&str>) = lines.partition(|l| l.starts_with("> "));
    while told.pop_if(|line| line.is_empty()).is_some() {}
    let typed: String = typed.iter().map(|l| format!("{}\n", &l[2..])).collect();
    let (mut reader, writer) = std::io::pipe().expect("a pipe");
    let mut command = {
        let mut started = std::process::Command::new(env!("CARGO_BIN_EXE_ludex"));
        started.args(command.split_whitespace()).current_dir(folder.path());
        started.env("NO_COLOR", "1").env("COLUMNS", "80").stdin(std::process::Stdio::piped());
        started.stdout(writer.try_clone().expect("cloned")).stderr(writer);
        started
    };
    let mut child = command.spawn().expect("started");
    // the parent's ends of the pipe, without which it has no end
    drop(command);
    let mut stdin = child.stdin.take().expect("a pipe");
    let typing = std::thread::spawn(move || {
        let _ = stdin.write_all(typed.as_bytes());
    });
    let mut found = String::new();
    reader.read_to_string(&mut found).expect("text");
    typing.join().expect("typed");
    child.wait().expect("ended");
    let found: Vec<&str> = found.trim_end().lines().map(str::trim_end).collect();
    let same =
        found.len() == told.len() && told.iter().zip(&found).all(|(told, found)| fits(told, found));
    assert!(same, "{block}\n--- is now\n{}", found.join("\n"));
}

/// The words of a command line, with quotes as in a shell.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match quote {
            Some(q) if c == q => quote = None,
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// What a command prints on both outputs, in lines without blanks at their ends.
fn printed(command: &str, typed: &str, folder: &std::path::Path) -> String {
    let (mut reader, writer) = std::io::pipe().expect("a pipe");
    let mut child = {
        let mut started = std::process::Command::new(env!("CARGO_BIN_EXE_ludex"));
        started.args(words(command)).current_dir(folder).env("NO_COLOR", "1").env("COLUMNS", "80");
        started.env("XDG_STATE_HOME", folder).env("USER", "ann");
        started.stdin(std::process::Stdio::piped());
        started.stdout(writer.try_clone().expect("cloned")).stderr(writer);
        started.spawn().expect("started")
    };
    let mut stdin = child.stdin.take().expect("a pipe");
    // a program that reads no input has closed it
    let _ = stdin.write_all(typed.as_bytes());
    drop(stdin);
    let mut found = String::new();
    reader.read_to_string(&mut found).expect("text");
    child.wait().expect("ended");
    let lines: Vec<&str> = found.trim_end().lines().map(str::trim_end).collect();
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// A page with what its commands print now.
fn followed(text: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let mut out = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        out.push_str(&format!("{line}\n"));
        let Some(mark) = line.strip_prefix("```").filter(|mark| !mark.is_empty()) else { continue };
        let mut block: Vec<&str> = Vec::new();
        while let Some(line) = lines.next_if(|line| *line != "```") {
            block.push(line);
        }
        if let Some((_, file)) = mark.split_once(' ') {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(path, block.join("\n") + "\n").expect("written");
        }
        if mark != "console" {
            out.extend(block.iter().map(|line| format!("{line}\n")));
            continue;
        }
        let mut rest = block.as_slice();
        while let Some((first, more)) = rest.split_first() {
            let end = more.iter().position(|l| l.starts_with("$ ")).unwrap_or(more.len());
            let command = first.strip_prefix("$ ludex ").unwrap_or_else(|| panic!("{first}"));
            let typed: Vec<&&str> = more[..end].iter().filter(|l| l.starts_with("> ")).collect();
            let typed: String = typed.iter().map(|l| format!("{}\n", &l[2..])).collect();
            out.push_str(&format!("{first}\n"));
            out.push_str(&transcript(command, &typed, folder.path()));
            rest = &more[end..];
        }
    }
    out
}

/// What is typed, each line with what is printed behind it. What a line brings about is found by typing
/// one line more each time.
fn transcript(command: &str, typed: &str, folder: &std::path::Path) -> String {
    let lines: Vec<&str> = typed.lines().collect();
    let whole = printed(command, typed, folder);
    if lines.is_empty() {
        return whole;
    }
    let mut out = printed(command, "", folder);
    let mut before = out.clone();
    for count in 1..=lines.len() {
        let text: String = lines[..count].iter().map(|l| format!("{l}\n")).collect();
        let now = printed(command, &text, folder);
        let new = now.strip_prefix(before.as_str()).unwrap_or(now.as_str());
        out.push_str(&format!("> {}\n{new}", lines[count - 1]));
        before = now;
    }
    out
}

#[test]
fn the_tutorials_go_as_written() {
    let overwrite = std::env::var("LUDEX_PAGES").is_ok_and(|v| v == "overwrite");
    let pages = ["tutorial", "tutorial_prolog", "tutorial_variants", "teaching"];
    for name in pages.map(|name| format!("docs/{name}.md")) {
        let text = page(&name);
        let now = followed(&text);
        if overwrite && now != text {
            let path = format!("{}/{name}", env!("CARGO_MANIFEST_DIR"));
            std::fs::write(path, &now).expect("written");
            continue;
        }
        for (number, (written, now)) in text.lines().zip(now.lines()).enumerate() {
            assert!(fits(written, now), "{name}:{}: {written}\nis now\n{now}", number + 1);
        }
        assert_eq!(text.lines().count(), now.lines().count(), "{name}");
    }
}

#[test]
fn sessions_on_the_pages_go_as_written() {
    let text = page("docs/repl.md");
    let sessions = blocks(&text, "console");
    assert!(sessions.len() >= 15, "only {} sessions", sessions.len());
    sessions.iter().for_each(|block| session(block));
}

#[test]
fn every_command_has_its_section() {
    let text = page("docs/repl.md");
    let titles: String = text.lines().filter(|l| l.starts_with("## ")).collect();
    for command in ludex::repl::commands() {
        assert!(titles.contains(&format!("`:{command}`")), "`:{command}` is not told");
    }
}

#[test]
fn whole_games_on_the_pages_can_be_played() {
    let mut count = 0;
    for name in ["docs/language.md", "docs/tutorial.md", "README.md"] {
        for text in blocks(&page(name), "ludex") {
            let request = LoadRequest::text(name, &text);
            let loaded =
                pipeline::load(&request).unwrap_or_else(|f| panic!("{name}: {f:?}\n{text}"));
            assert!(loaded.warnings.is_empty(), "{name}: {:?}\n{text}", loaded.warnings);
            let mut session = Session::new(&loaded.game);
            let opening = session.opening();
            let mut games = 0;
            let mut go_on = |_: &_| {
                games += 1;
                games < 5
            };
            let mut options = PlayoutOptions {
                seed: 1,
                max_plies: 200,
                go_on: &mut go_on,
                finished: None,
                seen: None,
            };
            session
                .playouts(&opening, &mut options)
                .unwrap_or_else(|f| panic!("{name}: {f:?}\n{text}"));
            count += 1;
        }
    }
    assert!(count >= 3, "only {count} whole games on the pages");
}

#[test]
fn parts_on_the_pages_can_be_read() {
    let mut count = 0;
    for name in ["docs/language.md", "docs/tutorial.md", "README.md"] {
        for text in blocks(&page(name), "prolog") {
            let mut sources = Sources::new();
            let file = sources.add(name, None, &text);
            let (_, faults) = read_file(&sources, file);
            assert!(faults.is_empty(), "{name}: {faults:?}\n{text}");
            count += 1;
        }
    }
    assert!(count >= 8, "only {count} parts on the pages");
}

#[test]
fn the_steps_of_the_tutorial_pass() {
    for step in 1..=10 {
        let path = format!("{}/docs/tutorial/step{step:02}.ludex", env!("CARGO_MANIFEST_DIR"));
        assert!(
            page("docs/tutorial.md")
                .contains(page(&format!("docs/tutorial/step{step:02}.ludex")).trim()),
            "step {step} is not in the tutorial as it is in its file"
        );
        let loaded =
            pipeline::load(&LoadRequest::path(&path)).unwrap_or_else(|f| panic!("{path}: {f:?}"));
        assert!(loaded.warnings.is_empty(), "{path}: {:?}", loaded.warnings);
        let reference = Reference::new(loaded.game.program.clone(), loaded.game.tables.clone());
        let reload = |options: &[(String, String)]| {
            let mut request = LoadRequest::path(&path);
            request.options = options.to_vec();
            let loaded = pipeline::load(&request).map_err(|f| f.diagnostics)?;
            Ok(Reference::new(loaded.game.program.clone(), loaded.game.tables.clone()))
        };
        for example in &loaded.game.program.examples {
            let result = reference.run_example(&example.goal, &reload);
            assert!(
                matches!(result, Ok(ExampleResult::Holds)),
                "{path}: {}: {result:?}",
                example.text
            );
        }
        let mut session = Session::new(&loaded.game);
        let opening = session.opening();
        for line in &loaded.game.program.perfts {
            let TermKind::Integer(depth) = line.subject.kind else { continue };
            let mut work = Perft::new(&|| false);
            let count = session.perft(&opening, depth as u32, &mut work).expect("no rule error");
            assert_eq!(count, line.count, "{path}: perft {depth}");
        }
    }
}

#[test]
fn the_page_of_all_games_is_up_to_date() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_ludex"))
        .args(["games", "--markdown"])
        .output()
        .expect("started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (written, now) = (page("docs/games.md"), String::from_utf8_lossy(&output.stdout));
    let differs = written.lines().zip(now.lines()).position(|(a, b)| a != b);
    assert!(
        written == now,
        "docs/games.md is not what `ludex games --markdown` prints (line {}): run \
         `cargo run --release -- games --markdown > docs/games.md` to write it again",
        differs.unwrap_or(written.lines().count().min(now.lines().count())) + 1
    );
}
