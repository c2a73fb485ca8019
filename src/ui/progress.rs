//! Progress bars on the standard error, if that is a terminal. The only user of indicatif.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar for a number of steps, which disappears when it is dropped.
pub struct Progress(ProgressBar);

impl Progress {
    pub fn new(length: u64, message: impl Into<String>) -> Progress {
        let bar = ProgressBar::new(length);
        if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {elapsed}") {
            bar.set_style(style);
        }
        bar.set_message(message.into());
        bar.enable_steady_tick(Duration::from_millis(200));
        Progress(bar)
    }

    /// A line without an end, such as for a search.
    pub fn spinner(message: impl Into<String>) -> Progress {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
            bar.set_style(style);
        }
        bar.set_message(message.into());
        bar.enable_steady_tick(Duration::from_millis(200));
        Progress(bar)
    }

    pub fn tell(&self, message: impl Into<String>) {
        self.0.set_message(message.into());
    }

    /// Advances the bar by one step.
    pub fn step(&self) {
        self.0.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
