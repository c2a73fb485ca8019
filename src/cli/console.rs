//! Where a command writes to, and how it stops. The only user of console, for single keys.

use std::cell::RefCell;
use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};

use ::console::{Key as TermKey, Term};
use clap::ValueEnum;

use crate::diagnostic::{Diagnostic, render, render_all};
use crate::source::Sources;

use super::tables::terminal_width;

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    Always,
    Never,
}

/// Why a command ends before its end.
#[derive(Debug)]
pub enum Stop {
    /// Nobody reads the answer any more, e.g. `| head`: no fault.
    Closed,
    /// The command line is at fault.
    Usage(String),
    /// The file or the game is at fault.
    Failed(String),
    /// Something is at fault and all has been said; the exit code.
    Told(u8),
    /// What is wrong with a rule file (1) or with the request (2).
    Diagnosed { sources: Sources, diagnostics: Vec<Diagnostic>, code: u8 },
    /// Ctrl-C.
    Interrupted,
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Stop::Closed,
            _ => Stop::Failed(format!("cannot write: {error}")),
        }
    }
}

/// A key that was pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    Char(char),
    Enter,
    Tab,
    /// Escape, Ctrl-C, or no terminal.
    Stop,
}

/// The standard output with what is known of it.
pub struct Console {
    out: RefCell<BufWriter<Stdout>>,
    color: ColorChoice,
}

impl Console {
    pub fn new(color: ColorChoice) -> Console {
        let out = RefCell::new(BufWriter::new(io::stdout()));
        Console { out, color }
    }

    /// The columns of the terminal as it is now; 80 where there is none.
    pub fn width(&self) -> usize {
        terminal_width()
    }

    /// Writes a line.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn line(&self, text: impl Display) -> Result<(), Stop> {
        Ok(writeln!(self.out.borrow_mut(), "{text}")?)
    }

    /// Writes a text that brings its own line ends.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn text(&self, text: impl Display) -> Result<(), Stop> {
        Ok(write!(self.out.borrow_mut(), "{text}")?)
    }

    /// Writes JSON on one line.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn json(&self, value: &serde_json::Value) -> Result<(), Stop> {
        self.line(value)
    }

    /// Hands on what was written.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn flush(&self) -> Result<(), Stop> {
        Ok(self.out.borrow_mut().flush()?)
    }

    /// Waits for a key. For a terminal only.
    ///
    /// # Errors
    /// When what was written before cannot be shown.
    pub fn key(&self) -> Result<Key, Stop> {
        self.flush()?;
        Ok(match Term::stdout().read_key_raw() {
            Ok(TermKey::Char(c)) if !c.is_control() => Key::Char(c),
            Ok(TermKey::Enter) => Key::Enter,
            Ok(TermKey::Tab) => Key::Tab,
            _ => Key::Stop,
        })
    }

    /// Are colours wanted on the standard output?
    pub fn colored(&self) -> bool {
        self.colors(io::stdout().is_terminal())
    }

    fn colors(&self, terminal: bool) -> bool {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty())
            || std::env::var_os("TERM").is_some_and(|v| v == "dumb");
        match self.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => terminal && !plain,
        }
    }

    /// A word that is to stand out.
    pub fn bold(&self, text: &str) -> String {
        if self.colored() { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_string() }
    }

    /// A text in the colour of this number (32 green, 31 red).
    pub fn tinted(&self, text: &str, color: u8) -> String {
        if self.colored() { format!("\u{1b}[{color}m{text}\u{1b}[0m") } else { text.to_string() }
    }

    /// Says something to the person, beside the answer.
    pub fn note(&self, text: impl Display) {
        // a closed standard error is nobody's loss
        let _ = writeln!(io::stderr(), "{text}");
    }

    /// Warns of something in the rules, beside the answer.
    pub fn warn(&self, sources: &Sources, warning: Diagnostic) {
        self.note(self.diagnosed(sources, &[warning], false).trim_end());
    }

    /// Diagnostics as text, for the standard error or (`answer`) the standard output.
    pub fn diagnosed(&self, sources: &Sources, diagnostics: &[Diagnostic], answer: bool) -> String {
        let terminal = if answer { io::stdout().is_terminal() } else { io::stderr().is_terminal() };
        let (colors, width) = (self.colors(terminal), self.width().min(120));
        match diagnostics {
            // a single fault that has no place in a file needs no count
            [one] if one.labels.is_empty() => render(sources, one, colors, width),
            all => render_all(sources, all, colors, width),
        }
    }

    /// Tells of a single fault on the standard error.
    ///
    /// # Errors
    /// When what was answered before cannot be written.
    pub fn explain(&self, sources: &Sources, diagnostic: &Diagnostic) -> Result<(), Stop> {
        self.flush()?;
        let colors = self.colors(io::stderr().is_terminal());
        let text = render(sources, diagnostic, colors, self.width().min(120));
        // a closed standard error is nobody's loss
        let _ = write!(io::stderr(), "{text}");
        Ok(())
    }

    /// Says why a command stopped; returns its exit code.
    pub fn report(&self, stop: Stop) -> u8 {
        // what was answered so far comes first
        let closed = self.flush().is_err();
        match stop {
            Stop::Closed => 0,
            Stop::Told(code) => code,
            Stop::Interrupted => {
                if !closed {
                    self.note("interrupted");
                }
                130
            }
            Stop::Usage(text) => {
                self.note(format!("error: {text}"));
                2
            }
            Stop::Failed(text) => {
                self.note(format!("error: {text}"));
                1
            }
            Stop::Diagnosed { sources, diagnostics, code } => {
                let text = self.diagnosed(&sources, &diagnostics, false);
                let _ = write!(io::stderr(), "{text}");
                code
            }
        }
    }
}
