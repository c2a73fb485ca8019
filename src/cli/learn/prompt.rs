//! The exercises one after the other, on a terminal.
//!
//! It does nothing that the plain commands do not do as well.

use std::io::{IsTerminal, Write};
use std::process::Command;

use super::desk::Desk;
use crate::referee::Stop;
use crate::ui::console::Console;
use crate::ui::input::{Input, Line, Words};
use crate::ui::signals;

const COMMANDS: [&str; 8] = ["check", "edit", "hint", "task", "next", "list", "help", "quit"];

const HELP: &str = "check     judges your file
edit      opens it in the editor that VISUAL or EDITOR names
hint      tells the next hint
task      tells the task again
next      goes to the next exercise that is not solved; `next NAME` to that one
list      lists the exercises
quit      leaves; your file and what is solved are kept
A clause with its full stop is added to the end of your file.";

/// Whether there is a terminal on both sides.
pub fn possible() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// Does exercises, beginning with the one at `at`.
///
/// # Errors
/// Where the terminal cannot be used; faults of an exercise or a file are told, and it goes on.
pub fn run(desk: &mut Desk<'_>, mut at: usize) -> Result<(), Stop> {
    signals::catch_at_prompt();
    let console: &Console = desk.console;
    let mut input = Input::new(console)?;
    console.line("check, edit, hint, task, next, list, quit; `help` says more")?;
    loop {
        let words = COMMANDS.map(String::from).to_vec();
        let prompt = format!("{}> ", desk.exercises[at].name);
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
        match step(desk, &mut at, typed.trim()) {
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

/// Does what was typed; false where that is to leave.
fn step(desk: &mut Desk<'_>, at: &mut usize, typed: &str) -> Result<bool, Stop> {
    let (word, rest) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
    match (word, rest.trim()) {
        ("", _) => {}
        ("quit" | "exit" | "q", "") => return Ok(false),
        ("check", "") => {
            desk.check(*at, None)?;
        }
        ("check", file) => {
            desk.check(*at, Some(std::path::Path::new(file)))?;
        }
        ("hint", "") => desk.hint(*at)?,
        ("task", "") => desk.task(*at)?,
        ("list", "") => desk.list()?,
        ("help", "") => desk.console.line(HELP)?,
        ("edit", "") => edit(desk, *at)?,
        ("next", name) => {
            let next = match name {
                "" => desk.next(Some(*at)),
                name => Some(desk.find(name)?),
            };
            match next {
                Some(next) => {
                    *at = next;
                    desk.begin(next)?;
                }
                None => desk.console.line("all exercises are solved")?,
            }
        }
        _ if typed.ends_with('.') => add(desk, *at, typed)?,
        _ => {
            let text = "write a command, or a clause with its full stop; `help` lists the commands";
            return Err(Stop::Failed(text.to_string()));
        }
    }
    Ok(true)
}

/// Adds a clause to the end of the learner's file.
fn add(desk: &Desk<'_>, at: usize, clause: &str) -> Result<(), Stop> {
    let path = desk.path(at);
    let shown = path.display();
    let file = std::fs::OpenOptions::new().append(true).open(&path);
    let written = file.and_then(|mut file| writeln!(file, "{clause}"));
    written.map_err(|e| Stop::Failed(format!("cannot write `{shown}`: {e}")))?;
    desk.console.line(format!("added to {shown}; `check` judges it"))
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
