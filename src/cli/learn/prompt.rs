//! The exercises one after the other, on a terminal.
//!
//! It does nothing that the plain commands do not do as well.

use std::io::IsTerminal;
use std::path::Path;
use std::process::Command;

use clap::Parser;

use super::desk::Desk;
use super::{LearnArguments, named};
use crate::learn::{Filled, fill};
use crate::referee::Stop;
use crate::ui::console::Console;
use crate::ui::input::{Input, Line, Words};
use crate::ui::signals;

const COMMANDS: [&str; 11] =
    ["check", "edit", "undo", "why", "hint", "task", "solution", "next", "list", "help", "quit"];

const HELP: &str = "check     judges your file; `check FILE` another one
edit      opens it in the editor that VISUAL or EDITOR names
why       tells why your rules allow the move that they should not, or the other way round
hint      tells the next hint
task      tells the task again
solution  shows the reference, once the exercise is solved or all hints are told
next      begins the next exercise that is not solved; a number or a name begins that one
list      lists the exercises
quit      leaves; your file and what is solved are kept
undo      takes the clause that you wrote last out of your file
A clause with its full stop is written into your file: in place of its `____`, or at the end. Goals with a full stop
are written in place of a `____` within a clause.";

/// Whether there is a terminal on both sides.
pub fn possible() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// Does exercises, beginning with the one at `at`; where there is none, none is begun yet.
///
/// # Errors
/// Where the terminal cannot be used; faults of an exercise or a file are told, and it goes on.
pub fn run(desk: &mut Desk<'_>, mut at: Option<usize>) -> Result<(), Stop> {
    signals::catch_at_prompt();
    let console: &Console = desk.console;
    let mut input = Input::new(console)?;
    let mut added = Vec::new();
    match at {
        Some(_) => console.line("check, edit, hint, task, next, list, quit; `help` says more")?,
        None => {
            console.line("`next` begins the next exercise, a number that one; `quit` leaves")?
        }
    }
    loop {
        let words = COMMANDS.map(String::from).to_vec();
        let prompt = format!("{}> ", at.map_or("learn", |at| desk.exercises[at].name.as_str()));
        let typed = match input.ask(&prompt, Box::new(Words(words)), console)? {
            Line::Typed(typed) => typed,
            Line::Refused(why) => {
                console.note(format!("error: {why}"));
                continue;
            }
            Line::Interrupted => {
                signals::clear();
                continue;
            }
            Line::End => return Ok(()),
        };
        match step(desk, &mut at, &mut added, typed.trim()) {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(Stop::Closed) => return Err(Stop::Closed),
            Err(stop) => {
                console.report(stop);
                signals::clear();
            }
        }
    }
}

/// Does what was typed; false where that is to leave. A command may be written as it is for the shell
/// (`ludex learn NAME --check`), or with a colon as at the prompt of a game.
fn step(
    desk: &mut Desk<'_>,
    at: &mut Option<usize>,
    added: &mut Vec<Added>,
    typed: &str,
) -> Result<bool, Stop> {
    if let Some(line) = typed.strip_prefix("ludex learn") {
        return shell(desk, at, line);
    }
    if typed.starts_with("ludex why") {
        return why(desk).map(|()| true);
    }
    let typed = match typed.strip_prefix(':') {
        Some(command) if !command.starts_with('-') => command.trim_start(),
        _ => typed,
    };
    let (word, rest) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
    match (word, rest.trim()) {
        ("", _) => {}
        ("quit" | "exit" | "q", "") => return Ok(false),
        ("check", file) => {
            let file = Some(file).filter(|file| !file.is_empty()).map(Path::new);
            desk.check(begun(desk, *at)?, file)?;
        }
        ("hint", "") => desk.hint(begun(desk, *at)?)?,
        ("task", "") => desk.task(begun(desk, *at)?)?,
        ("solution", "") => desk.solution(begun(desk, *at)?)?,
        ("list", "") => desk.list()?,
        ("help", "") => desk.console.line(HELP)?,
        ("why", "") => why(desk)?,
        ("undo", "") => undo(desk, added)?,
        ("edit", "") => edit(desk, begun(desk, *at)?)?,
        ("next", "") => match desk.next(*at) {
            Some(next) => begin(desk, at, next)?,
            None => desk.console.line("all exercises are solved")?,
        },
        ("next", name) | (name, "") if word == "next" || is_exercise(desk, name) => {
            let next = desk.find(name)?;
            begin(desk, at, next)?;
        }
        _ if typed.ends_with('.') => added.push(add(desk, begun(desk, *at)?, typed)?),
        _ => {
            let text = "write a command, or a clause with its full stop; `help` lists the commands";
            return Err(Stop::Failed(text.to_string()));
        }
    }
    Ok(true)
}

fn is_exercise(desk: &Desk<'_>, name: &str) -> bool {
    name.parse::<usize>().is_ok() || desk.exercises.iter().any(|e| e.name == name)
}

fn begin(desk: &mut Desk<'_>, at: &mut Option<usize>, next: usize) -> Result<(), Stop> {
    desk.begin(next)?;
    *at = Some(next);
    Ok(())
}

/// The exercise that was begun.
fn begun(desk: &Desk<'_>, at: Option<usize>) -> Result<usize, Stop> {
    at.ok_or_else(|| {
        let next = desk.next(None).map_or("", |next| desk.exercises[next].name.as_str());
        Stop::Failed(format!("no exercise is begun yet: `next` begins `{next}`"))
    })
}

/// Does what a command line for the shell asks for.
fn shell(desk: &mut Desk<'_>, at: &mut Option<usize>, line: &str) -> Result<bool, Stop> {
    let words = line.split_whitespace().map(|word| word.trim_matches('\''));
    let typed = Typed::try_parse_from(std::iter::once("ludex learn").chain(words));
    let arguments = typed.map_err(|error| Stop::Usage(brief(&error)))?.arguments;
    let (named, checked) = named(&arguments, desk);
    let meant = match named {
        Some(name) => desk.find(&name)?,
        None if checked.is_some() || arguments.hint || arguments.solution => begun(desk, *at)?,
        None => return desk.list().map(|()| true),
    };
    match checked {
        Some(file) => desk.check(meant, file.as_deref()).map(|_| ())?,
        None if arguments.hint => desk.hint(meant)?,
        None if arguments.solution => desk.solution(meant)?,
        None => begin(desk, at, meant)?,
    }
    Ok(true)
}

/// Asks what the last verdict told to ask.
fn why(desk: &Desk<'_>) -> Result<(), Stop> {
    let Some(words) = &desk.asked else {
        let told = "`why` asks about the move that the last `check` found to differ; there is none";
        return Err(Stop::Failed(told.to_string()));
    };
    let asked = Asked::try_parse_from(&words[1..]).map_err(|error| Stop::Usage(brief(&error)))?;
    crate::cli::why::run(&asked.arguments, desk.console)
}

/// The question of a verdict, as a command line for the shell.
#[derive(Parser)]
struct Asked {
    #[command(flatten)]
    arguments: crate::cli::why::WhyArguments,
}

/// A command line for the shell.
#[derive(Parser)]
struct Typed {
    #[command(flatten)]
    arguments: LearnArguments,
}

/// The first line of a fault of a command line.
fn brief(error: &clap::Error) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    line.trim_start_matches("error: ").to_string()
}

/// Writes a clause into the learner's file.
fn add(desk: &Desk<'_>, at: usize, clause: &str) -> Result<Added, Stop> {
    let path = desk.path(at);
    let shown = path.display();
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(e) => return Err(Stop::Failed(format!("cannot read `{shown}`: {e}"))),
    };
    let Some((filled, place)) = fill(&text, clause) else {
        let told = "that is no clause, and no `____` is left within one for goals: write a clause with its full stop, \
                    such as `fact(a).`";
        return Err(Stop::Failed(told.to_string()));
    };
    let added = Added { path: path.clone(), before: text, after: filled.clone() };
    std::fs::write(&path, filled)
        .map_err(|e| Stop::Failed(format!("cannot write `{shown}`: {e}")))?;
    desk.console.line(match place {
        Filled::Gap(line) | Filled::Clause(line) | Filled::Inside(line) => {
            format!("written in place of `____` at {shown}:{line}; `check` judges it")
        }
        Filled::End => format!("added to {shown}; `check` judges it, `undo` takes it out"),
    })?;
    Ok(added)
}

/// Takes what was written last out of the learner's file.
fn undo(desk: &Desk<'_>, added: &mut Vec<Added>) -> Result<(), Stop> {
    let Some(last) = added.pop() else {
        return Err(Stop::Failed("nothing was written here that could be taken out".to_string()));
    };
    let shown = last.path.display();
    // what was edited since then must not be lost
    if std::fs::read_to_string(&last.path).ok().as_ref() != Some(&last.after) {
        return Err(Stop::Failed(format!("{shown} was changed since then: open it with `edit`")));
    }
    std::fs::write(&last.path, &last.before)
        .map_err(|e| Stop::Failed(format!("cannot write `{shown}`: {e}")))?;
    desk.console.line(format!("taken out of {shown}"))
}

/// A clause that was written into a file: its text before and after.
struct Added {
    path: std::path::PathBuf,
    before: String,
    after: String,
}

fn edit(desk: &Desk<'_>, at: usize) -> Result<(), Stop> {
    let named = ["VISUAL", "EDITOR"].into_iter().filter_map(|name| std::env::var(name).ok());
    let Some(editor) = named.map(|e| e.trim().to_string()).find(|e| !e.is_empty()) else {
        let path = desk.path(at);
        return Err(Stop::Failed(format!(
            "no editor is named by VISUAL or EDITOR: open {} in yours, and then `check` it",
            path.display()
        )));
    };
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or_default();
    let status = Command::new(program).args(words).arg(desk.path(at)).status();
    match status {
        Ok(_) => Ok(()),
        Err(e) => Err(Stop::Failed(format!("cannot start the editor `{editor}`: {e}"))),
    }
}
