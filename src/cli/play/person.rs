//! A person's turn: the board, the prompts, and what can be typed.

use std::path::PathBuf;

use crate::render::{display_width, fit};

use super::super::why;
use super::game::Going;
use super::seats::Seat;
use crate::referee::typed::{self, Miss, Named};
use crate::referee::{Choices, Position, Stop};
use crate::ui::choose::choose;
use crate::ui::input::{Line, Words};

/// How a person's turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// A move was made or taken back.
    Over,
    Resigned,
    Left,
}

/// The commands that can be typed in place of moves, and what they do.
const COMMANDS: [(&str, &str); 9] = [
    ("moves", "lists the legal moves"),
    ("board", "draws the board again"),
    ("hint", "shows what the computer would play, and why"),
    ("undo", "takes your last move back, with all that came after it"),
    ("save", "saves the game; `save FILE` under that name"),
    ("resign", "gives the game up"),
    ("quit", "leaves the game and saves it, as Ctrl-C does"),
    ("help", "lists what can be typed"),
    ("seed", "shows the seed of the game"),
];

impl Going<'_> {
    /// Asks a person until a move is made or the game is left.
    pub fn person(&mut self, position: &Position, choices: &Choices) -> Result<Turn, Stop> {
        let named = typed::names(&self.referee, position, choices)?;
        self.show(position)?;
        let player = self.referee.name(self.referee.turn(position));
        let prompt = format!("{player}> ");
        loop {
            let mut known: Vec<String> = named.iter().map(|n| n.notation.clone()).collect();
            known.extend(COMMANDS.iter().map(|(word, _)| (*word).to_string()));
            let line = match self.input.ask(&prompt, Box::new(Words(known)), self.console)? {
                Line::Typed(line) => line,
                Line::Refused(why) => {
                    self.console.line(why)?;
                    continue;
                }
                Line::End | Line::Interrupted => return Ok(Turn::Left),
            };
            if line.is_empty() {
                continue;
            }
            // a move with the name of a command takes precedence
            let called = |n: &Named| n.notation == line;
            if !named.iter().any(called)
                && let Some(turn) = self.command(&line, position, choices, &named)?
            {
                match turn {
                    Some(turn) => return Ok(turn),
                    None => continue,
                }
            }
            match typed::find(&self.referee, position, &named, &line)? {
                Ok(found) => {
                    let term = found.term.clone();
                    self.commit(position, &term)?;
                    return Ok(Turn::Over);
                }
                Err(miss) => match choose(&miss, &line, &mut self.input, self.console)? {
                    Some(term) => {
                        self.commit(position, &term)?;
                        return Ok(Turn::Over);
                    }
                    None => self.refuse(position, &named, &line, &miss)?,
                },
            }
        }
    }

    /// Shows the board, the last move, the player to move and the prompt of the rules.
    fn show(&self, position: &Position) -> Result<(), Stop> {
        let console = self.console;
        console.line("")?;
        console.text(self.drawn(position)?)?;
        if let Some(last) = self.steps.iter().rev().find(|s| s.player.is_some()) {
            let player = last.player.as_deref().unwrap_or_default();
            console.line(format!("{player} played {}", last.notation))?;
        }
        let prompts = self.prompts(position)?;
        let player = self.referee.name(self.referee.turn(position));
        console.line(fit(&prompts.told(&player), console.width(), 4))?;
        self.tell_others(&prompts)
    }

    /// Runs a command; `None` if it is not a command, `Some(None)` if the turn goes on.
    fn command(
        &mut self,
        line: &str,
        position: &Position,
        choices: &Choices,
        named: &[Named],
    ) -> Result<Option<Option<Turn>>, Stop> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        if !rest.is_empty() && word != "save" {
            return Ok(None);
        }
        let console = self.console;
        match word {
            "moves" => console.line(columns(named, console.width()))?,
            "board" => self.show(position)?,
            "help" => {
                if let Some(about) = &self.referee.game.program.about {
                    console.line(fit(about, console.width(), 0))?;
                    console.line("")?;
                }
                console.line("a move in the game's notation or as a term, or one of these:")?;
                for (word, text) in COMMANDS {
                    console.line(format!("  {word:<8}{text}"))?;
                }
            }
            "seed" => console.line(self.trial.seed)?,
            "hint" => {
                if let Some(choice) = self.choose(position, choices)? {
                    let name = named.iter().find(|n| n.term == choice.term);
                    let name = name.map_or("", |n| n.notation.as_str());
                    console.line(format!("hint: {name} ({})", choice.reason))?;
                }
            }
            "undo" => {
                if self.undo()? {
                    return Ok(Some(Some(Turn::Over)));
                }
            }
            "save" => self.save_as(rest)?,
            "resign" => return Ok(Some(Some(Turn::Resigned))),
            "quit" | "exit" => return Ok(Some(Some(Turn::Left))),
            _ => return Ok(None),
        }
        Ok(Some(None))
    }

    /// Takes back everything up to and with the last move of a person.
    fn undo(&mut self) -> Result<bool, Stop> {
        let by_person = |player: &Option<String>| {
            let Some(player) = player else { return false };
            let program = &self.referee.game.program;
            let mut seats = program.players.iter().zip(&self.seats);
            seats.any(|(p, seat)| *seat == Seat::Human && self.referee.name(*p) == *player)
        };
        let Some(at) = self.steps.iter().rposition(|step| by_person(&step.player)) else {
            self.console.line("there is no move of yours to take back")?;
            return Ok(false);
        };
        let names: Vec<&str> = self.steps[at..].iter().map(|s| s.notation.as_str()).collect();
        let told = format!("taken back: {}", names.join(", "));
        self.console.line(fit(&told, self.console.width(), 4))?;
        self.steps.truncate(at);
        self.trial.moves.truncate(at);
        Ok(true)
    }

    fn save_as(&mut self, name: &str) -> Result<(), Stop> {
        let path = match name {
            "" => self.file.clone(),
            name => Some(PathBuf::from(name)),
        };
        match self.save(path.as_deref()) {
            Ok(path) => {
                self.console.line(format!("saved as {}", path.display()))?;
                self.file = Some(path);
                Ok(())
            }
            Err(error) => self.console.line(format!("not saved: {error}")),
        }
    }

    /// Answers a move that is not legal.
    fn refuse(
        &mut self,
        position: &Position,
        legal: &[Named],
        line: &str,
        miss: &Miss,
    ) -> Result<(), Stop> {
        let console = self.console;
        if matches!(miss, Miss::Unknown(_)) {
            let before: Vec<Position> = std::iter::once(self.opening.clone())
                .chain(self.steps.iter().map(|step| step.position.clone()))
                .collect();
            let known = before.len().saturating_sub(1);
            let facts = self.referee.facts_after(position, &before[..known]);
            if let Some(told) = why::refusal(&self.referee, position, &facts, legal, line)? {
                for sentence in why::answer(&self.referee, &facts, &told)? {
                    console.line(fit(&sentence, console.width(), 4))?;
                }
                return Ok(());
            }
        }
        let fault = why::misread(&self.referee, miss.diagnostic(line), line);
        console.line(&fault.message)?;
        for hint in &fault.hints {
            console.line(fit(&format!("  {hint}"), console.width(), 4))?;
        }
        Ok(())
    }
}

/// The names of moves in columns.
fn columns(named: &[Named], width: usize) -> String {
    let widest = named.iter().map(|n| display_width(&n.notation)).max().unwrap_or(1) + 2;
    let across = (width / widest).max(1);
    let lines: Vec<String> = named
        .chunks(across)
        .map(|row| {
            let cell = |n: &Named| {
                format!("{}{}", n.notation, " ".repeat(widest - display_width(&n.notation)))
            };
            row.iter().map(cell).collect::<String>().trim_end().to_string()
        })
        .collect();
    lines.join("\n")
}
