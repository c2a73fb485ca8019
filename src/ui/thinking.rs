//! What the computer has found so far, on a terminal, while it thinks.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use crate::engine::Game;
use crate::referee::{Evaluator, Position, Referee, Stop};
use crate::search::{Listener, Progress};
use crate::ui::console::shortened;
use crate::ui::progress;
use crate::ui::tables::terminal_width;

/// Thinks about a position, while the standard error shows the best moves so far with their lines, if it is a terminal. The
/// lines are put into words in a thread of their own, so that the search does not wait for it.
///
/// # Errors
/// Those of the search.
pub fn shown<R>(
    game: &Game,
    position: &Position,
    think: impl FnOnce(&mut Listener<'_>) -> Result<R, Stop>,
) -> Result<R, Stop> {
    if !std::io::stderr().is_terminal() {
        return think(&mut Listener::default());
    }
    let ended = AtomicBool::new(false);
    let (sender, receiver) = channel();
    let bar = progress::Progress::spinner("thinking");
    std::thread::scope(|scope| {
        let teller = Teller { started: Instant::now(), ended: &ended, bar: &bar };
        scope.spawn(move || teller.tell(game, position, &receiver));
        // the thread ends when nothing more can come
        let hears = &mut move |so_far| drop(sender.send(so_far));
        let found = think(&mut Listener::new(hears));
        ended.store(true, Ordering::Relaxed);
        found
    })
}

struct Teller<'a> {
    started: Instant,
    ended: &'a AtomicBool,
    bar: &'a progress::Progress,
}

impl Teller<'_> {
    fn tell(&self, game: &Game, position: &Position, receiver: &Receiver<Progress>) {
        let mut referee = Referee::new(game, Evaluator::Compiled);
        while let Ok(first) = receiver.recv() {
            let so_far = receiver.try_iter().last().unwrap_or(first);
            if let Some(lines) = self.lines(&mut referee, position, &so_far) {
                self.bar.tell(lines);
            }
        }
    }

    /// The text of the bar; `None` once nothing more is to be told.
    fn lines(
        &self,
        referee: &mut Referee<'_>,
        position: &Position,
        so_far: &Progress,
    ) -> Option<String> {
        let width = terminal_width();
        let mut text = so_far.told(self.started.elapsed());
        for choice in &so_far.choices {
            if self.ended.load(Ordering::Relaxed) {
                return None;
            }
            // what goes wrong here goes wrong in the search too
            let line = referee.expected_line(position, choice).ok()?;
            let told = format!("  {}  {}  {}", line[0], choice.reason, line[1..].join(" "));
            text = format!("{text}\n{}", shortened(told.trim_end(), width - 1));
        }
        Some(text)
    }
}
