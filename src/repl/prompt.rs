//! The state that outlives a game: the terminal or pipe, the history, the settings.

use std::collections::VecDeque;
use std::fmt::Display;
use std::time::Duration;

use crate::diagnostic::{Diagnostic, nearest};
use crate::referee::{Evaluator, Stop};
use crate::render::fit;
use crate::search::{Limits, Player};
use crate::source::{Library, Sources};
use crate::ui::console::Console;
use crate::ui::input::{Input, Line, Words};
use crate::ui::{signals, state_file};

use super::assistant::Helper;
use super::commands::{ALIASES, After, COMMANDS, Command};
use super::entry::{self, Entry};
use super::rules::Rules;
use super::switch::Opening;
use super::{RunCommand, help, saved};

/// The computer's default time for a move.
const THOUGHT: Duration = Duration::from_secs(1);

/// The input, the output and the settings of the prompt.
pub struct Prompt<'c> {
    pub console: &'c Console,
    pub input: Input,
    /// Lines that have been read but not used: the last line of a pipe's entry may begin the next
    /// one.
    waiting: VecDeque<String>,
    /// An entry that was typed before a change of the rules was noticed.
    pub again: Option<Entry>,
    /// An entry from a pipe has failed.
    failed: bool,
    /// The seed of games that are opened from now on.
    pub seed: Option<u64>,
    /// The names and arities of the relations whose calls are shown.
    pub spied: Vec<(String, usize)>,
    /// A game is played, as by `ludex play`: free seats are the computer's, a game that is
    /// left is saved, and from a pipe the prompt writes what a terminal would show.
    pub plays: bool,
    /// The computer's limits for a move.
    pub limits: Limits,
    /// How many threads it thinks with.
    pub threads: usize,
    /// How the computer plays.
    pub player: Player,
    /// The implementation that applies the rules.
    pub evaluator: Evaluator,
    run_command: RunCommand,
}

impl<'c> Prompt<'c> {
    /// # Errors
    /// Where the terminal cannot be used.
    pub fn new(console: &'c Console, run_command: RunCommand) -> Result<Prompt<'c>, Stop> {
        signals::catch_at_prompt();
        let mut input = Input::new(console)?;
        if let Some(file) = state_file::history() {
            input.remember(&file);
        }
        Ok(Prompt {
            console,
            input,
            waiting: VecDeque::new(),
            again: None,
            failed: false,
            seed: None,
            spied: Vec::new(),
            plays: false,
            limits: Limits { time: Some(THOUGHT), playouts: None },
            threads: 1,
            player: Player::Auto,
            evaluator: Evaluator::Compiled,
            run_command,
        })
    }

    /// Whether the input is a terminal and not a pipe.
    pub fn is_terminal(&self) -> bool {
        self.input.is_terminal()
    }

    /// Whether the position is drawn after each move.
    pub fn draws(&self) -> bool {
        self.is_terminal() || self.plays
    }

    pub fn greet(&self, opening: Option<&Opening>) -> Result<(), Stop> {
        if !self.draws() {
            return Ok(());
        }
        let told = match opening {
            Some(opening) => opening.title(),
            None => {
                "no game is open: `:open NAME`, e.g. one of those that `:open` lists".to_string()
            }
        };
        self.say(self.console.bold(&told))?;
        match opening.is_some_and(Opening::has_no_person) {
            true => Ok(()),
            false => {
                self.say("a move, a command (`help` lists them), or a question that ends with `.`")
            }
        }
    }

    /// Writes lines, wrapped at the width of the terminal.
    ///
    /// # Errors
    /// Where they cannot be written.
    pub fn say(&self, text: impl AsRef<str>) -> Result<(), Stop> {
        for line in text.as_ref().lines() {
            self.console.line(fit(line, self.console.width(), 4))?;
        }
        Ok(())
    }

    /// The next entry; `None` at the end.
    ///
    /// # Errors
    /// Where the prompt cannot be written.
    pub fn entry(&mut self, prompt: &str, helper: Helper) -> Result<Option<Entry>, Stop> {
        signals::clear();
        if let Some(entry) = self.again.take() {
            return Ok(Some(entry));
        }
        if self.is_terminal() {
            let asked = self.input.ask(prompt, Box::new(helper), self.console)?;
            // a signal from outside ends the program at once
            self.keep_history();
            return Ok(match asked {
                Line::Typed(text) => Some(entry::read(&text)),
                Line::Interrupted => {
                    self.say("`quit` or Ctrl-D leaves")?;
                    Some(Entry::Nothing)
                }
                Line::Refused(_) | Line::End => None,
            });
        }
        self.transcribe(prompt)?;
        let mut text = String::new();
        loop {
            let line = match self.waiting.pop_front() {
                Some(line) => Line::Typed(line),
                None => self.input.next(self.console)?,
            };
            match &line {
                Line::Typed(line) if text.is_empty() || !entry::begins(line) => {
                    self.transcribe(&format!("{line}\n"))?;
                }
                Line::Typed(_) => {}
                Line::Refused(_) | Line::Interrupted | Line::End => self.transcribe("\n")?,
            }
            match line {
                Line::Typed(line) if !text.is_empty() && entry::begins(&line) => {
                    self.waiting.push_front(line);
                    return Ok(Some(entry::read(&text)));
                }
                Line::Typed(line) => {
                    if !text.is_empty() {
                        text.push('\n');
                    }
                    let blank = line.is_empty();
                    text.push_str(&line);
                    if blank || entry::is_whole(&text) {
                        return Ok(Some(entry::read(&text)));
                    }
                }
                Line::Refused(why) => self.report(Stop::Failed(why.to_string()))?,
                Line::Interrupted => return Err(Stop::Interrupted),
                Line::End if text.is_empty() => return Ok(None),
                Line::End => return Ok(Some(entry::read(&text))),
            }
        }
    }

    /// Writes what a terminal would show of typing, where a game is played from a pipe.
    fn transcribe(&self, text: &str) -> Result<(), Stop> {
        if self.plays { self.console.text(text) } else { Ok(()) }
    }

    /// The answer to a question with yes or no. From a pipe it is the next line if that is an answer;
    /// otherwise nothing can be asked, and the answer is yes.
    ///
    /// # Errors
    /// Where the question cannot be written.
    pub fn agrees(&mut self, question: &str) -> Result<bool, Stop> {
        let answer = |line: &str| match line.trim().to_lowercase().as_str() {
            "y" | "yes" => Some(true),
            "n" | "no" => Some(false),
            _ => None,
        };
        if self.is_terminal() {
            let known = Words(["yes", "no"].map(String::from).to_vec());
            let typed = self.input.ask(
                &format!("{question} (yes or no) "),
                Box::new(known),
                self.console,
            )?;
            return Ok(matches!(typed, Line::Typed(line) if answer(&line) == Some(true)));
        }
        let line = match self.waiting.pop_front() {
            Some(line) => Line::Typed(line),
            None => self.input.next(self.console)?,
        };
        match line {
            Line::Typed(line) => match answer(&line) {
                Some(agreed) => {
                    self.transcribe(&format!("{question} (yes or no) {line}\n"))?;
                    Ok(agreed)
                }
                None => {
                    self.waiting.push_front(line);
                    Ok(true)
                }
            },
            Line::Interrupted => Err(Stop::Interrupted),
            Line::Refused(_) | Line::End => Ok(true),
        }
    }

    /// Reports the fault of an entry; the prompt continues.
    ///
    /// # Errors
    /// Where the output is closed.
    pub fn report(&mut self, stop: Stop) -> Result<(), Stop> {
        if matches!(stop, Stop::Closed) {
            return Err(stop);
        }
        self.failed = true;
        match stop {
            // the entry is in sight, so the faults need not be counted
            Stop::Diagnosed { sources, diagnostics, .. } if diagnostics.len() == 1 => {
                self.console.explain(&sources, &diagnostics[0])?;
            }
            Stop::Failed(text) => {
                self.console.flush()?;
                self.console.note(fit(&format!("error: {text}"), self.console.width(), 7));
            }
            stop => drop(self.console.report(stop)),
        }
        signals::clear();
        Ok(())
    }

    /// Saves the entries for later sessions.
    pub fn keep_history(&mut self) {
        if let Some(file) = state_file::history() {
            self.input.keep(&file);
        }
    }

    /// # Errors
    /// [`Stop::Told`] where lines of a pipe have failed.
    pub fn failure(&self) -> Result<(), Stop> {
        match self.failed && !self.is_terminal() {
            true => Err(Stop::Told(1)),
            false => Ok(()),
        }
    }

    /// The prompt without a game.
    ///
    /// # Errors
    /// Where the output is closed.
    pub fn lobby(&mut self) -> Result<After, Stop> {
        loop {
            let Some(entry) = self.entry("ludex> ", Helper::lobby())? else {
                return Ok(After::Leave);
            };
            let done = match entry {
                Entry::Nothing => Ok(After::Stay),
                Entry::Command(word, rest) => {
                    Command::find(&word).and_then(|command| self.without_game(command, &rest))
                }
                Entry::Mark => help::show(self, "").map(|()| After::Stay),
                Entry::Move(text) => match Command::bare(&text) {
                    Some((command, rest)) => self.without_game(command, rest),
                    None => Err(meant(&text).unwrap_or_else(|| not_open(&text))),
                },
                Entry::Question(_) => Err(no_game()),
            };
            match done {
                Ok(After::Stay) => {}
                Ok(after) => return Ok(after),
                Err(stop) => self.report(stop)?,
            }
        }
    }

    /// The commands that need no game.
    ///
    /// # Errors
    /// A fault of the command, or the lack of a game.
    pub fn without_game(&mut self, command: Command, rest: &str) -> Result<After, Stop> {
        match command.word {
            "help" => help::show(self, rest)?,
            "open" => return self.open(rest),
            "load" => return saved::load(self, rest),
            "explain" => self.run_command("explain", rest)?,
            "diff" if !rest.is_empty() => self.run_command("diff", rest)?,
            "quit" => return Ok(After::Leave),
            _ => return Err(no_game()),
        }
        Ok(After::Stay)
    }

    /// Runs a command of the command line.
    fn run_command(&self, word: &str, rest: &str) -> Result<(), Stop> {
        let words: Vec<&str> = std::iter::once(word).chain(rest.split_whitespace()).collect();
        match (self.run_command)(&words, self.console) {
            // the words are those of this entry
            Err(Stop::Usage(text)) => Err(Stop::Failed(text)),
            other => other,
        }
    }

    /// `:open GAME [NAME=VALUE …]`
    fn open(&mut self, rest: &str) -> Result<After, Stop> {
        let mut words = rest.split_whitespace();
        let Some(game) = words.next() else {
            let names: Vec<&str> = Library::games().iter().map(|g| g.name).collect();
            self.say(format!("the shipped games: {}", names.join(", ")))?;
            return Ok(After::Stay);
        };
        let mut options = Vec::new();
        for word in words {
            options.push(crate::ui::arguments::pair(word).map_err(Stop::Failed)?);
        }
        let origin = crate::program::Origin::of(game);
        let request =
            crate::program::LoadRequest { options, ..crate::program::LoadRequest::new(origin) };
        let opened = Rules::new(request).load()?;
        if self.is_terminal() {
            self.say(self.console.bold(&opened.game.program.title))?;
        }
        Ok(After::Open(Box::new(Opening::fresh(opened))))
    }
}

fn no_game() -> Stop {
    failed("no game is open", "open one by `:open NAME`; `:open` alone lists the shipped games")
}

/// What is said of a text where no game is open: how to open the game of this name, if it is one.
fn not_open(text: &str) -> Stop {
    let name = text.trim().to_lowercase().replace([' ', '-'], "_");
    match Library::game(&name) {
        Some(game) => failed("no game is open", format!("`:open {}` opens this one", game.name)),
        None => no_game(),
    }
}

/// A fault of an entry, with a hint.
pub fn failed(text: impl Display, hint: impl Display) -> Stop {
    Stop::Failed(format!("{text}: {hint}"))
}

/// An entry for a message: shortened, and without control characters.
pub fn in_short(text: &str, most: usize) -> String {
    let shown: String = text.chars().take(most).collect();
    let plain =
        |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    shown.chars().map(plain).collect::<String>()
        + if text.chars().count() > most { "…" } else { "" }
}

/// A fault of an entry that has no place in a text.
pub fn fault(diagnostic: Diagnostic) -> Stop {
    Stop::Diagnosed { sources: Sources::new(), diagnostics: vec![diagnostic], code: 1 }
}

/// The fault of a text that is no move but resembles a command.
fn meant(text: &str) -> Option<Stop> {
    let near = Command::resembling(text)?;
    let text = format!("there is no command `{}`", in_short(text, 40));
    Some(failed(text, format!("did you mean `{near}`?")))
}

impl Command {
    /// A command without its colon, and its arguments.
    pub fn bare(text: &str) -> Option<(Command, &str)> {
        let (word, rest) = entry::word_and_rest(text)?;
        Some((Command::named(word)?, rest))
    }

    /// The command with this name, or with this other name.
    fn named(word: &str) -> Option<Command> {
        let other = ALIASES.iter().find(|(alias, _)| *alias == word).map(|(_, word)| *word);
        COMMANDS.iter().find(|c| c.word == other.unwrap_or(word)).copied()
    }

    /// Whether a command takes the names of sites or moves.
    pub fn takes_sites(word: &str) -> bool {
        let takes = Command::named(word).map_or("", |command| command.takes);
        ["SITE", "MOVE", "GOAL", "UPDATES", "TEXT"].iter().any(|what| takes.contains(what))
    }

    /// The command whose name begins with the first word of a text, or is most similar to it.
    pub fn resembling(text: &str) -> Option<&'static str> {
        let word = text.split_whitespace().next()?;
        if word.len() < 2 || !word.chars().all(|c| c.is_ascii_lowercase()) {
            return None;
        }
        let begun: Vec<&str> =
            COMMANDS.iter().map(|c| c.word).filter(|w| w.starts_with(word)).collect();
        match begun.as_slice() {
            [one] => Some(*one),
            _ if word.len() < 3 => None,
            _ => nearest(
                word,
                COMMANDS.iter().map(|c| c.word).chain(ALIASES.map(|(alias, _)| alias)),
            ),
        }
    }

    /// The command of this name, or the only one whose name begins with it.
    ///
    /// # Errors
    /// There is no such command, or there are several.
    pub fn find(word: &str) -> Result<Command, Stop> {
        if let Some(command) = Command::named(word) {
            return Ok(command);
        }
        let begun: Vec<&Command> =
            COMMANDS.iter().filter(|c| !word.is_empty() && c.word.starts_with(word)).collect();
        match begun.as_slice() {
            [one] => Ok(**one),
            [] => {
                let shown = in_short(word, 40);
                let text = format!("there is no command `:{shown}`");
                Err(match nearest(&shown, COMMANDS.iter().map(|c| c.word)) {
                    Some(near) => failed(text, format!("did you mean `:{near}`?")),
                    None => failed(text, "`:help` lists the commands"),
                })
            }
            several => {
                let names: Vec<String> = several.iter().map(|c| format!("`:{}`", c.word)).collect();
                let text = format!("`:{word}` can mean several commands");
                Err(failed(text, format!("write one of {}", names.join(", "))))
            }
        }
    }
}
