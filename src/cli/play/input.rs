//! Where a person's lines come from: a terminal with editing and completion, or a pipe. The only
//! user of rustyline.

use std::io::{self, BufRead, IsTerminal};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{Config, Context, Editor, Helper};

use super::super::console::{Console, Stop};
use super::super::signals;

/// What a person has done at the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    Typed(String),
    /// No more lines come.
    End,
    /// Ctrl-C.
    Interrupted,
}

/// Where lines come from.
pub enum Input {
    Terminal(Box<Editor<Words, DefaultHistory>>),
    Pipe(Receiver<String>),
}

/// Completes what can be typed.
#[derive(Debug, Default)]
pub struct Words {
    known: Vec<String>,
}

impl Completer for Words {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let typed = line.get(..at).unwrap_or(line);
        let found = self.known.iter().filter(|word| word.starts_with(typed));
        let pair = |word: &String| Pair { display: word.clone(), replacement: word.clone() };
        Ok((0, found.map(pair).collect()))
    }
}

impl Hinter for Words {
    type Hint = String;
}

impl Highlighter for Words {}
impl Validator for Words {}
impl Helper for Words {}

impl Input {
    /// # Errors
    /// When the terminal cannot be used.
    pub fn new() -> Result<Input, Stop> {
        if io::stdin().is_terminal() && io::stdout().is_terminal() {
            let config = Config::builder().auto_add_history(true).build();
            let editor = Editor::with_config(config);
            let mut editor = editor.map_err(|e| Stop::Failed(format!("no terminal: {e}")))?;
            editor.set_helper(Some(Words::default()));
            return Ok(Input::Terminal(Box::new(editor)));
        }
        let (sender, receiver) = sync_channel(0);
        // A thread of its own, so that Ctrl-C is noticed while nothing is typed.
        std::thread::spawn(move || {
            let mut lines = io::stdin().lock();
            let mut line = Vec::new();
            loop {
                line.clear();
                match lines.read_until(b'\n', &mut line) {
                    Ok(0) | Err(_) => return,
                    Ok(_) => {
                        if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                            return;
                        }
                    }
                }
            }
        });
        Ok(Input::Pipe(receiver))
    }

    /// Asks for a line; `known` are the words that can be completed.
    ///
    /// # Errors
    /// When the prompt cannot be written.
    pub fn ask(
        &mut self,
        prompt: &str,
        known: Vec<String>,
        console: &Console,
    ) -> Result<Line, Stop> {
        match self {
            Input::Terminal(editor) => {
                console.flush()?;
                if let Some(words) = editor.helper_mut() {
                    words.known = known;
                }
                Ok(match editor.readline(prompt) {
                    Ok(line) => Line::Typed(line.trim().to_string()),
                    Err(ReadlineError::Interrupted) => Line::Interrupted,
                    Err(_) => Line::End,
                })
            }
            Input::Pipe(lines) => {
                console.text(prompt)?;
                console.flush()?;
                loop {
                    if signals::interrupted() {
                        console.line("")?;
                        return Ok(Line::Interrupted);
                    }
                    match lines.recv_timeout(Duration::from_millis(50)) {
                        Ok(line) => {
                            // the transcript shows what was typed
                            console.line(line.trim())?;
                            return Ok(Line::Typed(line.trim().to_string()));
                        }
                        Err(RecvTimeoutError::Timeout) => {}
                        Err(RecvTimeoutError::Disconnected) => {
                            console.line("")?;
                            return Ok(Line::End);
                        }
                    }
                }
            }
        }
    }
}
