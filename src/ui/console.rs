//! The output of commands, and the reasons for which they stop. The only user of console, for single
//! keys and the escapes of colours.
//!
//! Boards are drawn with colours, which are taken away where the output has none.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};

use ::console::{Key as TermKey, Style, Term, measure_text_width, strip_ansi_codes, truncate_str};
use clap::ValueEnum;

use crate::diagnostic::{Diagnostic, render, render_all};
use crate::referee::Stop;
use crate::render::fit;
use crate::source::Sources;

use crate::ui::tables::terminal_width;

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// Colours on a terminal, unless NO_COLOR is set.
    Auto,
    Always,
    Never,
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

/// A text without colours, nor the blanks at the ends of lines that had some.
pub fn plain(text: &str) -> String {
    let lines = text.split_inclusive('\n').map(|line| match strip_ansi_codes(line) {
        Cow::Borrowed(line) => Cow::Borrowed(line),
        Cow::Owned(bare) => {
            let end = if bare.ends_with('\n') { "\n" } else { "" };
            Cow::Owned(format!("{}{end}", bare.trim_end()))
        }
    });
    lines.collect()
}

/// A line of text, cut off where it is wider than this number of columns.
pub fn shortened(line: &str, width: usize) -> Cow<'_, str> {
    truncate_str(line, width, "…")
}

/// Whether the terminal knows no escapes.
fn dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|name| name == "dumb")
}

/// The standard output and its properties.
pub struct Console {
    out: RefCell<BufWriter<Stdout>>,
    color: ColorChoice,
}

impl Console {
    pub fn new(color: ColorChoice) -> Console {
        let out = RefCell::new(BufWriter::new(io::stdout()));
        Console { out, color }
    }

    /// The current number of columns of the terminal; 80 where there is none.
    pub fn width(&self) -> usize {
        terminal_width()
    }

    /// Writes a line.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn line(&self, text: impl Display) -> Result<(), Stop> {
        self.text(format!("{text}\n"))
    }

    /// Writes a text, without adding a line end.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn text(&self, text: impl Display) -> Result<(), Stop> {
        let text = text.to_string();
        let text = if self.colored() { text } else { plain(&text) };
        Ok(write!(self.out.borrow_mut(), "{text}")?)
    }

    /// Writes JSON on one line.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn json(&self, value: &serde_json::Value) -> Result<(), Stop> {
        self.line(value)
    }

    /// Flushes the output.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn flush(&self) -> Result<(), Stop> {
        Ok(self.out.borrow_mut().flush()?)
    }

    /// Waits for a key behind a text that was just written. What the keys mean (`keys`) is shown
    /// behind the text until one is pressed, where the line has space for it. It may be called only
    /// where there is a terminal.
    ///
    /// # Errors
    /// Where the output cannot be written.
    pub fn key(&self, keys: &str, written: &str) -> Result<Key, Stop> {
        let line = written.rsplit('\n').next().unwrap_or_default();
        let columns = measure_text_width(line) + measure_text_width(keys);
        let shown = columns < self.width() && !dumb();
        if shown {
            self.text(self.styled(keys, Style::new().dim()))?;
        }
        self.flush()?;
        let pressed = Term::stdout().read_key_raw();
        if shown {
            Term::stdout().clear_chars(measure_text_width(keys))?;
        }
        Ok(match pressed {
            Ok(TermKey::Char(c)) if !c.is_control() => Key::Char(c),
            Ok(TermKey::Enter) => Key::Enter,
            Ok(TermKey::Tab) => Key::Tab,
            _ => Key::Stop,
        })
    }

    /// Whether the standard output has colours.
    pub fn colored(&self) -> bool {
        self.colors(io::stdout().is_terminal())
    }

    fn colors(&self, terminal: bool) -> bool {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty()) || dumb();
        match self.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => terminal && !plain,
        }
    }

    /// A text in bold, where there are colours.
    pub fn bold(&self, text: &str) -> String {
        self.styled(text, Style::new().bold())
    }

    /// A text in green, where there are colours.
    pub fn green(&self, text: &str) -> String {
        self.styled(text, Style::new().green())
    }

    /// A text in red, where there are colours.
    pub fn red(&self, text: &str) -> String {
        self.styled(text, Style::new().red())
    }

    fn styled(&self, text: &str, style: Style) -> String {
        style.force_styling(self.colored()).apply_to(text).to_string()
    }

    /// Writes a remark to the standard error.
    pub fn note(&self, text: impl Display) {
        // nothing is lost where the standard error is closed
        let _ = writeln!(io::stderr(), "{text}");
    }

    /// Writes what went wrong to the standard error, on a terminal in lines that end between words.
    fn error(&self, text: &str) {
        let text = format!("error: {text}");
        match io::stderr().is_terminal() {
            true => text.lines().for_each(|line| self.note(fit(line, self.width(), 2))),
            false => self.note(text),
        }
    }

    /// Writes a warning about the rules to the standard error.
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

    /// Writes a single diagnostic to the standard error.
    ///
    /// # Errors
    /// Where earlier output cannot be written.
    pub fn explain(&self, sources: &Sources, diagnostic: &Diagnostic) -> Result<(), Stop> {
        self.flush()?;
        let colors = self.colors(io::stderr().is_terminal());
        let text = render(sources, diagnostic, colors, self.width().min(120));
        // nothing is lost where the standard error is closed
        let _ = write!(io::stderr(), "{text}");
        Ok(())
    }

    /// Reports why a command stopped, and returns its exit code.
    pub fn report(&self, stop: Stop) -> u8 {
        // earlier output comes first
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
                self.error(&text);
                2
            }
            Stop::Failed(text) => {
                self.error(&text);
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
