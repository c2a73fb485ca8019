//! What can be done with an exercise: begin it, judge it, ask for a hint, see the reference.

use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::diagnostic::nearest;
use crate::learn::{Exercise, Progress, Unjudged, Verdict, judge};
use crate::program::{LoadRequest, Origin};
use crate::render::fit;

use super::{settings, tell, unjudged};
use crate::referee::Stop;
use crate::ui::console::Console;

/// The largest file that is judged, in bytes.
const LARGEST: u64 = 1 << 20;

/// The exercises, and the learner who does them.
pub struct Desk<'c> {
    pub exercises: Vec<Exercise>,
    pub progress: Progress,
    /// The file that keeps the progress.
    pub file: PathBuf,
    pub learner: String,
    /// The folder with the learner's files.
    pub folder: PathBuf,
    /// The arguments that every command on these exercises needs, each behind a blank.
    pub flags: String,
    pub json: bool,
    pub console: &'c Console,
    /// The words of the command that was told with the last verdict.
    pub asked: Option<Vec<String>>,
}

impl Desk<'_> {
    /// The index of an exercise by its number or name.
    ///
    /// # Errors
    /// There is none.
    pub fn find(&self, name: &str) -> Result<usize, Stop> {
        let wanted = name.trim().trim_end_matches(".ludex");
        let wanted = wanted.rsplit(['/', std::path::MAIN_SEPARATOR]).next().unwrap_or(wanted);
        if let Ok(number) = wanted.parse::<usize>() {
            let count = self.exercises.len();
            return number.checked_sub(1).filter(|at| *at < count).ok_or_else(|| {
                Stop::Usage(format!("there is no exercise {number}: they are 1 to {count}"))
            });
        }
        let found = self.exercises.iter().position(|e| e.name == wanted);
        found.ok_or_else(|| {
            let hint = match nearest(wanted, self.exercises.iter().map(|e| e.name.as_str())) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`ludex learn` lists them".to_string(),
            };
            Stop::Usage(format!("no exercise is called `{wanted}`; {hint}"))
        })
    }

    /// The first exercise behind the given one that is not solved, or else the first of all.
    pub fn next(&self, behind: Option<usize>) -> Option<usize> {
        let open = |at: &usize| !self.progress.of(&self.learner, &self.exercises[*at].name).solved;
        let from = behind.map_or(0, |at| at + 1);
        (from..self.exercises.len()).chain(0..from.min(self.exercises.len())).find(open)
    }

    /// The learner's file for an exercise.
    pub fn path(&self, at: usize) -> PathBuf {
        self.folder.join(format!("{}.ludex", self.exercises[at].name))
    }

    /// A command about an exercise, to be typed as it stands.
    fn command(&self, at: usize, flag: &str) -> String {
        let command = format!("ludex learn {}{}", self.exercises[at].name, self.flags);
        if flag.is_empty() { command } else { format!("{command} {flag}") }
    }

    /// Lists the exercises with what is solved, and names the next one.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn list(&self) -> Result<(), Stop> {
        let next = self.next(None);
        if self.json {
            let all = self.exercises.iter().enumerate().map(|(i, e)| {
                let record = self.progress.of(&self.learner, &e.name).to_json();
                json!({
                    "number": i + 1, "name": e.name, "title": e.title, "topic": e.topic,
                    "hints": e.hints.len(), "done": record,
                })
            });
            let all: Vec<_> = all.collect();
            let next = next.map(|at| self.exercises[at].name.clone());
            return self
                .console
                .json(&json!({ "learner": self.learner, "exercises": all, "next": next }));
        }
        tell::list(self)?;
        match next {
            Some(at) => self.console.line(format!("next: {}", self.command(at, ""))),
            None => self.console.line("all exercises are solved"),
        }
    }

    /// Tells the task, and writes the learner's file if there is none.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn begin(&mut self, at: usize) -> Result<(), Stop> {
        let (exercise, path) = (&self.exercises[at], self.path(at));
        let shown = path.display();
        let cannot = |e: std::io::Error| Stop::Failed(format!("cannot write `{shown}`: {e}"));
        let there = path.symlink_metadata().is_ok();
        if !there {
            std::fs::create_dir_all(&self.folder).map_err(cannot)?;
            // another process may have made it in the meantime: it is not overwritten either
            let options = std::fs::OpenOptions::new().write(true).create_new(true).open(&path);
            let mut file = options.map_err(cannot)?;
            let text = exercise.file(at + 1);
            std::io::Write::write_all(&mut file, text.as_bytes()).map_err(cannot)?;
        }
        if self.json {
            return self.console.json(&json!({
                "number": at + 1, "name": exercise.name, "title": exercise.title,
                "topic": exercise.topic, "task": exercise.task, "start": exercise.start(),
                "hints": exercise.hints.len(), "file": path, "written": !there,
            }));
        }
        self.task(at)?;
        // not wrapped, so that commands can be copied
        let line = |text: String| self.console.line(text);
        match there {
            true => line(format!("your file, as you left it: {shown}"))?,
            false => line(format!("your file: {shown}"))?,
        }
        line(format!("judge it:  {}", self.command(at, "--check")))?;
        if !exercise.hints.is_empty() {
            line(format!("a hint:    {}", self.command(at, "--hint")))?;
        }
        line(format!("the prompt on it:  ludex repl {shown}"))
    }

    /// Tells the task and shows what the learner begins with.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn task(&self, at: usize) -> Result<(), Stop> {
        let exercise = &self.exercises[at];
        let title = format!("{}. {}", at + 1, exercise.title);
        self.console.line(self.console.bold(&title))?;
        self.console.line("")?;
        for paragraph in tell::paragraphs(&exercise.task) {
            self.console.line(fit(&paragraph, self.console.width(), 0))?;
        }
        self.console.line("")?;
        for line in exercise.start().lines() {
            self.console.line(format!("    {line}").trim_end())?;
        }
        self.console.line("")
    }

    /// Judges a file and keeps the result. True where it is right.
    ///
    /// # Errors
    /// The file cannot be read, the exercise is at fault, or the progress cannot be kept.
    pub fn check(&mut self, at: usize, file: Option<&Path>) -> Result<bool, Stop> {
        let request = self.request(at, file)?;
        let verdict = judge(&self.exercises[at], &request, &settings(self.console));
        if let Err(Unjudged::Exercise(..)) = verdict {
            self.console.note("error: the exercise itself is wrong, so nothing can be compared:");
        }
        let verdict = verdict.map_err(unjudged)?;
        let name = self.exercises[at].name.clone();
        let right = matches!(verdict, Verdict::Right { .. });
        let record = self.progress.change(&self.learner, &name);
        if !record.solved {
            record.attempts += 1;
        }
        record.solved |= right;
        record.last = tell::kind(&verdict).to_string();
        self.keep()?;
        if self.json {
            self.console.json(&tell::verdict_json(&self.exercises[at], &verdict))?;
            return Ok(right);
        }
        let judged = match &request.origin {
            Origin::Path(path) => Some(path.display().to_string()),
            _ => None,
        };
        self.asked = match &verdict {
            Verdict::Differs { difference, .. } => tell::asked(difference, judged.as_deref()),
            _ => None,
        };
        tell::verdict(self, at, &verdict, judged.as_deref())?;
        // not wrapped, so that commands can be copied
        let line = |text: String| self.console.line(text);
        if right {
            match self.next(Some(at)) {
                Some(next) => line(format!("next: {}", self.command(next, "")))?,
                None => line("all exercises are solved".to_string())?,
            }
        } else {
            let told = self.progress.of(&self.learner, &name).hints as usize;
            if told < self.exercises[at].hints.len() {
                line(format!("a hint: {}", self.command(at, "--hint")))?;
            }
        }
        Ok(right)
    }

    fn request(&self, at: usize, file: Option<&Path>) -> Result<LoadRequest, Stop> {
        let own = self.path(at);
        let path = file.unwrap_or(&own);
        if file.is_some_and(|f| f == Path::new("-")) {
            let mut text = Vec::new();
            let read = std::io::stdin().lock().take(LARGEST + 1).read_to_end(&mut text);
            read.map_err(|e| Stop::Failed(format!("cannot read the standard input: {e}")))?;
            return Ok(LoadRequest::text("standard input", &readable("the standard input", text)?));
        }
        let shown = path.display().to_string();
        let text = match std::fs::metadata(path) {
            Ok(data) if data.is_dir() => {
                return Err(Stop::Failed(format!("`{shown}` is a folder: name a rule file")));
            }
            Ok(data) if data.len() > LARGEST => return Err(large(&shown)),
            Ok(_) => std::fs::read(path),
            Err(e) => Err(e),
        };
        let text = text.map_err(|e| match (e.kind(), file) {
            (std::io::ErrorKind::NotFound, None) => Stop::Failed(format!(
                "there is no `{shown}` yet: `{}` writes it",
                self.command(at, "")
            )),
            _ => Stop::Failed(format!("cannot read `{shown}`: {e}")),
        })?;
        let text = readable(&shown, text)?;
        // a path without a folder would be the name of a shipped game
        let origin = match Origin::of(&shown) {
            Origin::Shipped(_) => Origin::of(&format!("./{shown}")),
            path => path,
        };
        Ok(LoadRequest { text: Some(text), ..LoadRequest::new(origin) })
    }

    /// Tells the next hint, and the last one again where there are no more.
    ///
    /// # Errors
    /// The progress cannot be kept.
    pub fn hint(&mut self, at: usize) -> Result<(), Stop> {
        let exercise = &self.exercises[at];
        let count = exercise.hints.len();
        let told = self.progress.of(&self.learner, &exercise.name).hints as usize;
        let number = (told + 1).min(count);
        let Some(hint) = number.checked_sub(1).and_then(|i| exercise.hints.get(i)) else {
            return Err(Stop::Failed(format!("the exercise `{}` has no hints", exercise.name)));
        };
        let (hint, name) = (hint.clone(), exercise.name.clone());
        self.progress.change(&self.learner, &name).hints = number as u64;
        self.keep()?;
        if self.json {
            return self
                .console
                .json(&json!({ "exercise": name, "hint": hint, "number": number, "of": count }));
        }
        let last = if told >= count { ", told before" } else { "" };
        self.console.line(format!("hint {number} of {count}{last}:"))?;
        for paragraph in tell::paragraphs(&hint) {
            self.console.line(fit(&format!("  {paragraph}"), self.console.width(), 2))?;
        }
        if number == count {
            self.console.line(format!("the reference: {}", self.command(at, "--solution")))?;
        }
        Ok(())
    }

    /// Shows the reference to who has solved the exercise or has been told all hints.
    ///
    /// # Errors
    /// The learner is still to try.
    pub fn solution(&self, at: usize) -> Result<(), Stop> {
        let exercise = &self.exercises[at];
        let record = self.progress.of(&self.learner, &exercise.name);
        if !record.solved && (record.hints as usize) < exercise.hints.len() {
            return Err(Stop::Failed(format!(
                "the reference of `{}` is shown when the exercise is solved, or when all its hints have \
                 been told: {}",
                exercise.name,
                self.command(at, "--hint")
            )));
        }
        if self.json {
            return self
                .console
                .json(&json!({ "exercise": exercise.name, "reference": exercise.solution() }));
        }
        self.console.line(exercise.solution())
    }

    fn keep(&self) -> Result<(), Stop> {
        self.progress.write(&self.file).map_err(|e| Stop::Failed(e.to_string()))
    }
}

fn large(name: &str) -> Stop {
    Stop::Failed(format!("`{name}` is larger than 1 MiB: that is no answer to an exercise"))
}

fn readable(name: &str, text: Vec<u8>) -> Result<String, Stop> {
    if text.len() as u64 > LARGEST {
        return Err(large(name));
    }
    String::from_utf8(text)
        .map_err(|_| Stop::Failed(format!("`{name}` is not UTF-8 text: save it in that encoding")))
}
