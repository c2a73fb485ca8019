//! Why work stops early.

use std::io;

use crate::diagnostic::Diagnostic;
use crate::source::Sources;

/// Why a command stops early.
#[derive(Debug)]
pub enum Stop {
    /// The output is closed, e.g. by `| head`, which is not a fault.
    Closed,
    /// The command line is at fault.
    Usage(String),
    /// The file or the game is at fault.
    Failed(String),
    /// The fault has already been reported; the exit code.
    Told(u8),
    /// Faults of a rule file (exit code 1) or of the request (exit code 2).
    Diagnosed { sources: Sources, diagnostics: Vec<Diagnostic>, code: u8 },
    /// Ctrl-C.
    Interrupted,
}

impl Stop {
    /// The same about a text, where it quotes another one that stands for that.
    pub(super) fn about(mut self, plain: &str, text: &str) -> Stop {
        if let Stop::Diagnosed { diagnostics, .. } = &mut self {
            let (quoted, typed) = (format!("`{plain}`"), format!("`{text}`"));
            for fault in diagnostics {
                fault.message = fault.message.replacen(&quoted, &typed, 1);
            }
        }
        self
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Stop::Closed,
            _ => Stop::Failed(format!("cannot write: {error}")),
        }
    }
}
