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
    /// Stop, and begin the next entry with this character.
    Entry(char),
    /// Skip the steps of this goal.
    Skip,
    /// Continue to the next spy point.
    Leap,
}

impl Wish {
    /// The keys that have a meaning between answers.
    pub const AMONG_ANSWERS: &str = "   (`;` next, `a` all, Enter ends)";
    /// The keys that have a meaning between the steps of a trace.
    pub const AMONG_STEPS: &str = "   (Enter next, `s` skip, `l` leap, `a` all, `q` stop)";

    /// The meaning of a key between answers: `;`, space and tab show the next, `a` shows all, Enter,
    /// Escape and Ctrl-C stop, and every other character begins the next entry.
    pub fn among_answers(key: Key) -> Wish {
        match key {
            Key::Char(';' | ' ') | Key::Tab => Wish::Next,
            Key::Char('a') => Wish::All,
            Key::Char('.' | 'q') | Key::Enter | Key::Stop => Wish::Enough,
            Key::Char(other) => Wish::Entry(other),
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
