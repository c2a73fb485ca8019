//! Where a person's lines come from: a terminal with editing, or a pipe. The only user of
//! rustyline.
//!
//! What can be typed is known to an [`Assistant`]: it completes, hints, highlights, and says when
//! an entry of several lines is whole.

use std::borrow::Cow;
use std::io::{self, BufRead, IsTerminal, Read, Stdin};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{
    Cmd, CompletionType, ConditionalEventHandler, Config, Context, Editor, Event, EventContext,
    EventHandler, ExternalPrinter, Helper, KeyCode, KeyEvent, Modifiers, RepeatCount,
};

use super::console::{Console, Stop};
use super::signals;

/// Longer lines are refused, in bytes.
const LONGEST: usize = 1 << 20;
/// Longer entries are neither coloured nor hinted at, in bytes: each key would draw them anew.
const HELPED: usize = 2000;
/// So many entries are kept between runs.
const REMEMBERED: usize = 2000;

/// What a person has done at the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    Typed(String),
    /// A line that cannot be used, and why.
    Refused(&'static str),
    /// No more lines come.
    End,
    /// Ctrl-C.
    Interrupted,
}

/// Knows what can be typed.
pub trait Assistant {
    /// Where the word at the cursor begins, and what it can become.
    fn complete(&self, line: &str, at: usize) -> (usize, Vec<String>);

    /// What could follow, shown behind the cursor.
    fn hint(&self, _line: &str, _at: usize) -> Option<String> {
        None
    }

    /// The same text with colours.
    fn highlight<'l>(&self, line: &'l str, _at: usize) -> Cow<'l, str> {
        Cow::Borrowed(line)
    }

    /// What F1 and Alt-w enter on an empty line.
    fn shortcut(&self) -> Option<&'static str> {
        None
    }

    /// Is it whole, or do more lines belong to it?
    fn is_whole(&self, _text: &str) -> bool {
        true
    }
}

/// Completes whole lines.
pub struct Words(pub Vec<String>);

impl Assistant for Words {
    fn complete(&self, line: &str, at: usize) -> (usize, Vec<String>) {
        let typed = line.get(..at).unwrap_or(line);
        (0, self.0.iter().filter(|word| word.starts_with(typed)).cloned().collect())
    }
}

/// The assistant as rustyline asks it.
pub struct Typist {
    assistant: Box<dyn Assistant>,
    color: bool,
}

impl Completer for Typist {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let (start, found) = self.assistant.complete(line, at);
        let pair = |word: String| Pair { display: word.clone(), replacement: word };
        Ok((start, found.into_iter().map(pair).collect()))
    }
}

impl Hinter for Typist {
    type Hint = String;

    fn hint(&self, line: &str, at: usize, _: &Context<'_>) -> Option<String> {
        if line.len() > HELPED { None } else { self.assistant.hint(line, at) }
    }
}

impl Highlighter for Typist {
    fn highlight<'l>(&self, line: &'l str, at: usize) -> Cow<'l, str> {
        match self.color && line.len() <= HELPED {
            true => self.assistant.highlight(line, at),
            false => Cow::Borrowed(line),
        }
    }

    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _: bool) -> Cow<'b, str> {
        match self.color {
            true => Cow::Owned(format!("\u{1b}[1m{prompt}\u{1b}[0m")),
            false => Cow::Borrowed(prompt),
        }
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        match self.color {
            true => Cow::Owned(format!("\u{1b}[2m{hint}\u{1b}[0m")),
            false => Cow::Borrowed(hint),
        }
    }

    fn highlight_char(&self, line: &str, _: usize, _: CmdKind) -> bool {
        self.color && line.len() <= HELPED
    }
}

impl Validator for Typist {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(match self.assistant.is_whole(context.input()) {
            true => ValidationResult::Valid(None),
            false => ValidationResult::Incomplete,
        })
    }
}

impl Helper for Typist {}

/// Notes that the shortcut was pressed, and enters the empty line.
struct Shortcut(Arc<AtomicBool>);

impl ConditionalEventHandler for Shortcut {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, at: &EventContext<'_>) -> Option<Cmd> {
        at.line().is_empty().then(|| {
            self.0.store(true, Ordering::SeqCst);
            Cmd::AcceptLine
        })
    }
}

/// Where lines come from.
pub enum Input {
    /// With whether the shortcut was pressed.
    Terminal(Box<Editor<Typist, DefaultHistory>>, Arc<AtomicBool>),
    Pipe(Receiver<Vec<u8>>),
}

impl Input {
    /// # Errors
    /// When the terminal cannot be used.
    pub fn new(console: &Console) -> Result<Input, Stop> {
        if io::stdin().is_terminal() && io::stdout().is_terminal() {
            let config = Config::builder()
                .auto_add_history(true)
                .completion_type(CompletionType::List)
                .max_history_size(REMEMBERED)
                .map_err(|e| Stop::Failed(format!("no history: {e}")))?
                .build();
            let editor = Editor::with_config(config);
            let mut editor = editor.map_err(|e| Stop::Failed(format!("no terminal: {e}")))?;
            let assistant = Box::new(Words(Vec::new()));
            editor.set_helper(Some(Typist { assistant, color: console.colored() }));
            let pressed = Arc::new(AtomicBool::new(false));
            for key in [KeyEvent(KeyCode::F(1), Modifiers::NONE), KeyEvent::alt('w')] {
                let shortcut = Box::new(Shortcut(Arc::clone(&pressed)));
                editor.bind_sequence(key, EventHandler::Conditional(shortcut));
            }
            return Ok(Input::Terminal(Box::new(editor), pressed));
        }
        let (sender, receiver) = sync_channel(0);
        // A thread of its own, so that Ctrl-C is noticed while nothing is typed.
        std::thread::spawn(move || {
            let stdin = io::stdin();
            while let Some(line) = piped(&stdin) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Input::Pipe(receiver))
    }

    pub fn is_terminal(&self) -> bool {
        matches!(self, Input::Terminal(..))
    }

    /// Takes up the entries of earlier runs. A file that cannot be read is none.
    pub fn remember(&mut self, file: &Path) {
        if let Input::Terminal(editor, _) = self {
            let _ = editor.load_history(file);
        }
    }

    /// Keeps the entries for later runs; where that cannot be done they are forgotten.
    pub fn keep(&mut self, file: &Path) {
        if let Input::Terminal(editor, _) = self {
            if let Some(folder) = file.parent() {
                let _ = std::fs::create_dir_all(folder);
            }
            let _ = editor.save_history(file);
        }
    }

    /// Something that writes above the line that is being typed, from any thread.
    pub fn printer(&mut self) -> Option<Box<dyn FnMut(String) + Send>> {
        let Input::Terminal(editor, _) = self else { return None };
        let mut printer = editor.create_external_printer().ok()?;
        Some(Box::new(move |text| {
            // a terminal that is gone has nobody who reads it
            let _ = printer.print(text);
        }))
    }

    /// Asks for an entry.
    ///
    /// # Errors
    /// When the prompt cannot be written.
    pub fn ask(
        &mut self,
        prompt: &str,
        assistant: Box<dyn Assistant>,
        console: &Console,
    ) -> Result<Line, Stop> {
        let Input::Terminal(editor, pressed) = self else {
            console.text(prompt)?;
            let line = self.next(console)?;
            match &line {
                // the transcript shows what was typed
                Line::Typed(text) => console.line(text)?,
                Line::Refused(_) | Line::End | Line::Interrupted => console.line("")?,
            }
            return Ok(line);
        };
        console.flush()?;
        let shortcut = assistant.shortcut();
        if let Some(typist) = editor.helper_mut() {
            typist.assistant = assistant;
        }
        let read = editor.readline(prompt);
        let pressed = pressed.swap(false, Ordering::SeqCst);
        Ok(match read {
            Ok(_) if pressed => Line::Typed(shortcut.unwrap_or_default().to_string()),
            Ok(line) => Line::Typed(line.trim().to_string()),
            Err(ReadlineError::Interrupted) => Line::Interrupted,
            Err(_) => Line::End,
        })
    }

    /// The next line of a pipe, without a prompt.
    ///
    /// # Errors
    /// When what was answered so far cannot be written.
    pub fn next(&mut self, console: &Console) -> Result<Line, Stop> {
        let Input::Pipe(lines) = self else { return Ok(Line::End) };
        console.flush()?;
        loop {
            if signals::interrupted() {
                return Ok(Line::Interrupted);
            }
            match lines.recv_timeout(Duration::from_millis(50)) {
                Ok(line) if line.len() > LONGEST => {
                    return Ok(Line::Refused("the line is longer than 1 MiB"));
                }
                Ok(line) => {
                    return Ok(match String::from_utf8(line) {
                        Ok(text) => Line::Typed(text.trim().to_string()),
                        Err(_) => Line::Refused("the line is not UTF-8 text"),
                    });
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(Line::End),
            }
        }
    }
}

/// A line of the standard input; of one that is too long a little more than is allowed.
fn piped(stdin: &Stdin) -> Option<Vec<u8>> {
    let mut lines = stdin.lock();
    let mut line = Vec::new();
    let read = lines.by_ref().take(LONGEST as u64 + 1).read_until(b'\n', &mut line);
    if !read.is_ok_and(|n| n > 0) {
        return None;
    }
    if line.len() > LONGEST {
        lines.skip_until(b'\n').ok()?;
    }
    Some(line)
}
