//! Watches the rule files: a change is checked at once, and the result is printed above the line
//! that is being typed. The only user of notify.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use crate::diagnostic::render_all;
use crate::referee::Stop;
use crate::ui::open;

use super::prompt::Prompt;
use super::rules::{Opened, Rules};

/// How long to wait after a change for further ones: editors write in several steps.
const SETTLED: Duration = Duration::from_millis(150);
/// The stack of the thread that checks the rules, in bytes: rules may nest deeply.
const STACK: usize = 64 << 20;

/// Files on disk, with their texts.
type Texts = Vec<(PathBuf, String)>;

/// Watches the files of one game.
pub struct Watch {
    rules: Rules,
    /// The files as last seen.
    seen: Texts,
    /// Reports changes while a line is typed; `None` for a pipe, or where watching is not possible.
    watcher: Option<RecommendedWatcher>,
    /// Set to end the thread.
    over: Arc<AtomicBool>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
    }
}

impl Watch {
    pub fn new(opened: &Opened, prompt: &mut Prompt<'_>) -> Watch {
        let on_disk = opened.game.program.sources.iter().filter_map(|(_, file)| file.path.clone());
        let seen: Texts = on_disk.map(|path| (path.clone(), read(&path))).collect();
        let mut watch = Watch {
            rules: opened.rules.clone(),
            seen,
            watcher: None,
            over: Arc::new(AtomicBool::new(false)),
        };
        watch.watcher = watch.start(prompt);
        watch
    }

    /// The game with its new rules, where they have changed since they were last seen. Faults of
    /// the new rules are printed.
    ///
    /// # Errors
    /// When nobody listens any more.
    pub fn changed(&mut self, prompt: &mut Prompt<'_>) -> Result<Option<Opened>, Stop> {
        let changed = self.seen.iter().find(|(path, text)| read(path) != *text);
        let Some((path, _)) = changed else { return Ok(None) };
        let told = format!("{} has changed", path.display());
        for (path, text) in &mut self.seen {
            *text = read(path);
        }
        match self.rules.clone().load() {
            Ok(opened) => {
                prompt.say(told)?;
                Ok(Some(opened))
            }
            Err(stop @ Stop::Interrupted) => {
                prompt.report(stop)?;
                prompt.say(format!("{told}; the game goes on by the rules before"))?;
                Ok(None)
            }
            // the thread has printed it, or will
            Err(_) if self.watcher.is_some() => Ok(None),
            Err(stop) => {
                prompt.report(stop)?;
                prompt.say(format!("{told}; the game goes on by the rules before"))?;
                Ok(None)
            }
        }
    }

    /// Starts to report changes.
    fn start(&self, prompt: &mut Prompt<'_>) -> Option<RecommendedWatcher> {
        let printer = prompt.input.printer().filter(|_| !self.seen.is_empty())?;
        let (sender, events) = channel();
        let notice = move |event: notify::Result<notify::Event>| {
            if event.is_ok_and(|event| !event.kind.is_access()) {
                // the receiver is gone when the game is left
                let _ = sender.send(());
            }
        };
        let mut watcher = notify::recommended_watcher(notice).ok()?;
        let mut folders: Vec<&Path> = Vec::new();
        for (path, _) in &self.seen {
            // the folder is watched, since the file may be replaced by another one
            let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new("."));
            if !folders.contains(&folder) {
                watcher.watch(folder, RecursiveMode::NonRecursive).ok()?;
                folders.push(folder);
            }
        }
        let teller = Teller {
            rules: self.rules.clone(),
            seen: self.seen.clone(),
            over: Arc::clone(&self.over),
            color: prompt.console.colored(),
            width: prompt.console.width().min(120),
        };
        let work = move || teller.tell(&events, printer);
        std::thread::Builder::new().stack_size(STACK).spawn(work).ok()?;
        Some(watcher)
    }
}

/// A file's text; empty where it cannot be read, e.g. between two steps of an editor.
fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

/// Checks the rules when they have changed, and prints the result.
struct Teller {
    rules: Rules,
    seen: Texts,
    over: Arc<AtomicBool>,
    color: bool,
    width: usize,
}

impl Teller {
    fn tell(mut self, events: &Receiver<()>, mut printer: Box<dyn FnMut(String) + Send>) {
        while events.recv().is_ok() {
            while events.recv_timeout(SETTLED).is_ok() {}
            let now: Texts = self.seen.iter().map(|(path, _)| (path.clone(), read(path))).collect();
            let Some((changed, _)) = now.iter().zip(&self.seen).find(|(now, then)| now != then)
            else {
                continue;
            };
            let name = changed.0.display().to_string();
            self.seen.clone_from(&now);
            let told = match self.rules.compile() {
                Ok(_) => format!("{name} has changed and is right: it answers from now on"),
                Err(failure) => match open::stop(*failure) {
                    Stop::Diagnosed { sources, diagnostics, .. } => {
                        let text = render_all(&sources, &diagnostics, self.color, self.width);
                        format!("{name} has changed; the game goes on by the rules before\n{text}")
                    }
                    _ => format!("{name} has changed and cannot be loaded"),
                },
            };
            if self.over.load(Ordering::SeqCst) {
                return;
            }
            printer(format!("{}\n", told.trim_end()));
        }
    }
}
