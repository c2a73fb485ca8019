//! Single keys, pressed between answers or steps.

use crate::ui::console::Key;

/// The meaning of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// Show the next one.
    Next,
    /// Show all that are left.
    All,
    /// Stop.
    Enough,
    /// Skip the steps of this goal.
    Skip,
    /// Continue to the next spy point.
    Leap,
}

impl Wish {
    /// The meaning of a key between answers: `;`, space, tab and `n` show the next, `a` shows all,
    /// every other key stops.
    pub fn among_answers(key: Key) -> Wish {
        match key {
            Key::Char(';' | ' ' | 'n') | Key::Tab => Wish::Next,
            Key::Char('a') => Wish::All,
            _ => Wish::Enough,
        }
    }

    /// The meaning of a key between the steps of a trace: `s` skips, `l` leaps, `a` shows all, `q`,
    /// Escape and Ctrl-C stop, and every other key shows the next step.
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
