//! What is told of coverage by `ludex cover` and `:cover`; `print.rs` prints it.

mod print;

use std::cell::RefCell;
use std::time::{Duration, Instant};

use crate::coverage::{self, Cut};
use crate::engine::Game;
use crate::referee::{Evaluator, Referee, Stop};
use crate::ui::console::Console;
use crate::ui::progress::Progress;
use crate::ui::signals;

/// What is to be played and told.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// What is played.
    pub games: coverage::Request,
    /// The most time, in seconds.
    pub seconds: Option<f64>,
    /// Print the source with marks.
    pub source: bool,
    pub json: bool,
}

/// Plays, examines and prints the coverage of a game.
///
/// # Errors
/// A rule error, or an interruption.
pub fn cover(game: &Game, request: &Request, console: &Console) -> Result<(), Stop> {
    signals::catch();
    let mut referee = Referee::new(game, Evaluator::Compiled);
    referee.set_until(request.seconds.map(|s| Instant::now() + Duration::from_secs_f64(s)));
    let bar: RefCell<Option<(&str, Progress)>> = RefCell::new(None);
    let watch = |what: &'static str, all: u64| {
        let mut bar = bar.borrow_mut();
        if bar.as_ref().is_none_or(|(last, _)| *last != what) {
            *bar = None;
            *bar = Some((what, Progress::new(all, what)));
        }
        if let Some((_, bar)) = &*bar {
            bar.step();
        }
    };
    let report = coverage::find(&mut referee, &request.games, &watch)?;
    *bar.borrow_mut() = None;
    let (program, games) = (&game.program, &request.games);
    if request.json {
        console.json(&print::data(program, &report, games))?;
    } else if request.source {
        print::marked(program, &report, games.all, console)?;
    } else {
        print::told(program, &report, games, console)?;
    }
    if report.cut == Some(Cut::Interrupted) { Err(Stop::Interrupted) } else { Ok(()) }
}
