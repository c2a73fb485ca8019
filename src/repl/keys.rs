//! A single key, pressed while an answer waits.

use crate::cli::console::Key;

/// What a key asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// The next one.
    Next,
    /// All that are left.
    All,
    /// No more.
    Enough,
    /// Over what belongs to this goal.
    Skip,
    /// To the next spy point.
    Leap,
}

impl Wish {
    /// For answers: `;`, blank, tab and `n` ask for the next, `a` for all, everything else is
    /// enough.
    pub fn among_answers(key: Key) -> Wish {
        match key {
            Key::Char(';' | ' ' | 'n') | Key::Tab => Wish::Next,
            Key::Char('a') => Wish::All,
            _ => Wish::Enough,
        }
    }

    /// For steps of a trace: Enter and blank go on, `s` skips, `l` leaps, `q`, Escape and Ctrl-C
    /// are enough, and other keys go on.
    pub fn among_steps(key: Key) -> Wish {
        match key {
            Key::Char('s') => Wish::Skip,
            Key::Char('l') => Wish::Leap,
            Key::Char('a') => Wish::All,
            Key::Char('q' | 'x') | Key::Stop => Wish::Enough,
            _ => Wish::Next,
        }
    }
}
