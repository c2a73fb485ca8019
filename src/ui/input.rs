//! Input line by line, from a terminal with an editor or from a pipe. The only user of rustyline.
//!
//! An [`Assistant`] completes, hints and highlights, and decides when an entry of several lines is
//! complete.

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

use crate::referee::Stop;
use crate::referee::interrupt;
use crate::ui::console::Console;

/// The longest line that is accepted, in bytes.
const LONGEST: usize = 1 << 20;
/// The longest entry with colours and hints, in bytes: each key redraws them.
const HELPED: usize = 2000;
/// How many entries are kept between runs.
const REMEMBERED: usize = 2000;

/// The result of waiting for a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    Typed(String),
    /// A line that cannot be used, with the reason.
    Refused(&'static str),
    /// There are no more lines.
    End,
    /// Ctrl-C.
    Interrupted,
}

/// Support for typing at a prompt.
pub trait Assistant {
    /// Where the word at the cursor begins, and its possible completions.
    fn complete(&self, line: &str, at: usize) -> (usize, Vec<String>);

    /// A possible continuation, which is shown behind the cursor.
    fn hint(&self, _line: &str, _at: usize) -> Option<String> {
        None
    }

    /// The line with colours; it must have the same width.
    fn highlight<'l>(&self, line: &'l str, _at: usize) -> Cow<'l, str> {
        Cow::Borrowed(line)
    }

    /// The entry that F1 and Alt-w make on an empty line.
    fn shortcut(&self) -> Option<&'static str> {
        None
    }

    /// Whether an entry is complete, so that no more lines belong to it.
    fn is_whole(&self, _text: &str) -> bool {
        true
    }
}

/// An assistant that completes whole lines from a list.
pub struct Words(pub Vec<String>);

impl Assistant for Words {
    fn complete(&self, line: &str, at: usize) -> (usize, Vec<String>) {
        let typed = line.get(..at).unwrap_or(line);
        (0, self.0.iter().filter(|word| word.starts_with(typed)).cloned().collect())
    }
}

/// Adapts an assistant to rustyline.
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

/// The keys beside Enter that end a line.
#[derive(Default)]
pub struct Pressed {
    shortcut: AtomicBool,
    interrupt: AtomicBool,
}

/// Records that the shortcut was pressed, and enters the empty line.
struct Shortcut(Arc<Pressed>);

impl ConditionalEventHandler for Shortcut {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, at: &EventContext<'_>) -> Option<Cmd> {
        at.line().is_empty().then(|| {
            self.0.shortcut.store(true, Ordering::SeqCst);
            Cmd::AcceptLine
        })
    }
}

/// Records Ctrl-C and enters the line. With [`Cmd::Interrupt`] rustyline would drop what was typed
/// ahead of the next prompt.
struct Interrupt(Arc<Pressed>);

impl ConditionalEventHandler for Interrupt {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, _: &EventContext<'_>) -> Option<Cmd> {
        self.0.interrupt.store(true, Ordering::SeqCst);
        Some(Cmd::AcceptLine)
    }
}

/// The source of lines.
pub enum Input {
    /// A terminal, the keys that ended the line, and how the next line begins.
    Terminal(Box<Editor<Typist, DefaultHistory>>, Arc<Pressed>, String),
    Pipe(Receiver<Vec<u8>>),
}

impl Input {
    /// # Errors
    /// Where the terminal cannot be used.
    pub fn new(console: &Console) -> Result<Input, Stop> {
        if io::stdin().is_terminal() && io::stdout().is_terminal() {
            let config = Config::builder()
                .completion_type(CompletionType::List)
                .max_history_size(REMEMBERED)
                .map_err(|e| Stop::Failed(format!("no history: {e}")))?
                .build();
            let editor = Editor::with_config(config);
            let mut editor = editor.map_err(|e| Stop::Failed(format!("no terminal: {e}")))?;
            let assistant = Box::new(Words(Vec::new()));
            editor.set_helper(Some(Typist { assistant, color: console.colored() }));
            let pressed = Arc::new(Pressed::default());
            for key in [KeyEvent(KeyCode::F(1), Modifiers::NONE), KeyEvent::alt('w')] {
                let shortcut = Box::new(Shortcut(Arc::clone(&pressed)));
                editor.bind_sequence(key, EventHandler::Conditional(shortcut));
            }
            let interrupt = Box::new(Interrupt(Arc::clone(&pressed)));
            editor.bind_sequence(KeyEvent::ctrl('C'), EventHandler::Conditional(interrupt));
            return Ok(Input::Terminal(Box::new(editor), pressed, String::new()));
        }
        let (sender, receiver) = sync_channel(0);
        // A thread of its own, so that Ctrl-C is noticed while waiting for input.
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

    /// Loads the entries of earlier runs. A file that cannot be read is ignored.
    pub fn remember(&mut self, file: &Path) {
        if let Input::Terminal(editor, ..) = self {
            let _ = editor.load_history(file);
        }
    }

    /// Saves the entries for later runs. A file that cannot be written is ignored.
    pub fn keep(&mut self, file: &Path) {
        if let Input::Terminal(editor, ..) = self {
            if let Some(folder) = file.parent() {
                let _ = std::fs::create_dir_all(folder);
            }
            let _ = editor.save_history(file);
        }
    }

    /// Begins the next line with a character that was typed before it was asked for.
    pub fn begin(&mut self, typed: char) {
        if let Input::Terminal(_, _, begun) = self {
            begun.push(typed);
        }
    }

    /// A function that writes text above the line that is being typed, from any thread.
    pub fn printer(&mut self) -> Option<Box<dyn FnMut(String) + Send>> {
        let Input::Terminal(editor, ..) = self else { return None };
        let mut printer = editor.create_external_printer().ok()?;
        Some(Box::new(move |text| {
            // nothing is lost where the terminal is gone
            let _ = printer.print(text);
        }))
    }

    /// Reads an entry.
    ///
    /// # Errors
    /// Where the prompt cannot be written.
    pub fn ask(
        &mut self,
        prompt: &str,
        assistant: Box<dyn Assistant>,
        console: &Console,
    ) -> Result<Line, Stop> {
        let Input::Terminal(editor, pressed, begun) = self else {
            console.text(prompt)?;
            let line = self.next(console)?;
            match &line {
                // the entry appears in the transcript
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
        let read = editor.readline_with_initial(prompt, (&std::mem::take(begun), ""));
        let interrupted = pressed.interrupt.swap(false, Ordering::SeqCst);
        let asked = pressed.shortcut.swap(false, Ordering::SeqCst);
        Ok(match read {
            Ok(_) if interrupted => Line::Interrupted,
            Ok(_) if asked => Line::Typed(shortcut.unwrap_or_default().to_string()),
            Ok(line) => {
                // an entry that is not remembered is still an entry
                let _ = editor.add_history_entry(line.as_str());
                Line::Typed(line.trim().to_string())
            }
            Err(ReadlineError::Interrupted) => Line::Interrupted,
            Err(_) => Line::End,
        })
    }

    /// The next line of a pipe, without a prompt.
    ///
    /// # Errors
    /// Where earlier output cannot be written.
    pub fn next(&mut self, console: &Console) -> Result<Line, Stop> {
        let Input::Pipe(lines) = self else { return Ok(Line::End) };
        console.flush()?;
        loop {
            if interrupt::interrupted() {
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

/// A line of the standard input. One that is too long is cut a little beyond the limit.
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
