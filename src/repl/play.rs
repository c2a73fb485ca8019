//! Playing: moves of people, of the computer and at random; undo and redo.

use std::time::Duration;

use crate::cli::why::misread;
use crate::diagnostic::Diagnostic;
use crate::engine::Random;
use crate::program::{OptionDomain, Origin};
use crate::referee::interrupt;
use crate::referee::typed::{self, Miss, Named};
use crate::referee::{Last, Stop, rule_error};
use crate::render::{display_width, fit};
use crate::search::Limits;
use crate::ui::choose::choose;

use super::commands::After;
use super::prompt::{Prompt, fault, in_short};
use super::sitting::{Made, Sitting, Step};
use super::switch::Opening;

/// The most moves made by one `:random`.
const MOST_RANDOM: usize = 10_000;
/// The most consecutive chance events that are shown one by one.
const TOLD: usize = 8;
/// The computer's default and longest time for a move, in seconds.
const THOUGHT: (f64, f64) = (1.0, 3600.0);

/// Parses a number given to a command.
///
/// # Errors
/// The text is not a number from `least` to `most`.
pub fn number(rest: &str, what: &str, least: usize, most: usize) -> Result<usize, Stop> {
    match rest.parse::<usize>() {
        Ok(n) if (least..=most).contains(&n) => Ok(n),
        _ => Err(Stop::Failed(format!("{what} is a number from {least} to {most}"))),
    }
}

impl Sitting<'_> {
    pub fn board(&mut self, prompt: &Prompt<'_>) -> Result<(), Stop> {
        let last = self.last();
        let drawn =
            self.referee.drawn_after(self.position(), last.as_ref(), prompt.console.width())?;
        prompt.console.text(drawn)?;
        let (outcome, choices, _) = self.choices()?;
        let facts = self.facts();
        let prompts = self.referee.rules.prompts(&facts).map_err(|e| self.referee.stopped(e))?;
        let turn = self.referee.name(self.referee.turn(self.position()));
        prompt.say(match outcome {
            Some(outcome) => self.referee.result(&outcome),
            None if choices.chance => "a chance event is due".to_string(),
            None => prompts.told(&turn),
        })?;
        for (player, text) in prompts.to_others {
            prompt.say(format!("{}: {text}", self.referee.name(player)))?;
        }
        Ok(())
    }

    /// The last move of a player.
    fn last(&self) -> Option<Last<'_>> {
        let steps = &self.steps[..self.at];
        let i = steps.iter().rposition(|step| !matches!(step.made, Made::Move(_, None)))?;
        let before = i.checked_sub(1).map_or(&self.opening.0, |i| &steps[i].position);
        match &steps[i].made {
            Made::Move(mv, _) => Some(Last { before, mv }),
            // a position that was set up has no last move
            Made::SetUp => None,
        }
    }

    pub fn moves(&mut self, prompt: &Prompt<'_>) -> Result<(), Stop> {
        let (outcome, choices, named) = self.choices()?;
        let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let turn = self.referee.name(self.referee.turn(self.position()));
        prompt.say(match outcome {
            Some(outcome) => format!("the game is over: {}", self.referee.result(&outcome)),
            None if choices.chance => format!("chance: {}", count(named.len(), "event")),
            None => format!("{turn} to move: {}", count(named.len(), "move")),
        })?;
        if !named.is_empty() {
            prompt.console.line(columns(&named, prompt.console.width()))?;
        }
        Ok(())
    }

    /// Plays a move, and the chance events that follow.
    ///
    /// # Errors
    /// The move is not legal; a rule error.
    pub fn play(&mut self, text: &str, prompt: &mut Prompt<'_>) -> Result<(), Stop> {
        if text.is_empty() {
            return Err(Stop::Failed("say which: `:play MOVE`".to_string()));
        }
        let (outcome, choices, named) = self.choices()?;
        let found = match typed::find(&self.referee, self.position(), &named, text)? {
            Ok(found) => found.term.clone(),
            Err(Miss::Unknown(_))
                if outcome.is_none()
                    && let Some(told) = self.objection(&named, text)? =>
            {
                return Err(self.refuse(told));
            }
            Err(miss) => match choose(&miss, text, &mut prompt.input, prompt.console)? {
                Some(term) => term,
                None => return Err(self.refused(text, &miss, outcome.is_some())),
            },
        };
        self.make(&found, choices.chance)?;
        self.tell_last(prompt)?;
        let events = self.draw_events()?;
        tell_events(&events, prompt)?;
        self.arrive(prompt)
    }

    fn refused(&self, text: &str, miss: &Miss, over: bool) -> Stop {
        let shown = in_short(text, 60);
        if over {
            let d = Diagnostic::error("game-over", "the game is over");
            return fault(d.hint("`:undo` takes the last move back, `:new` begins anew"));
        }
        let mut refused = misread(&self.referee, miss.diagnostic(&shown), text);
        let question = text.contains(['(', ' ']) && self.understand(text).is_ok();
        if question {
            refused = refused.hint("a question ends with a full stop");
        }
        rule_error(&self.opened.game.program.sources, refused)
    }

    fn tell_last(&self, prompt: &Prompt<'_>) -> Result<(), Stop> {
        let Some(step) = self.at.checked_sub(1).and_then(|at| self.steps.get(at)) else {
            return Ok(());
        };
        prompt.say(line_of(self.at, step))
    }

    /// Shows a new position: the board where there is a terminal, and the result of the game.
    pub fn arrive(&mut self, prompt: &Prompt<'_>) -> Result<(), Stop> {
        if prompt.is_terminal() {
            return self.board(prompt);
        }
        let position = self.position().clone();
        match self.referee.outcome(&position)? {
            Some(outcome) => prompt.say(self.referee.result(&outcome)),
            None => Ok(()),
        }
    }

    pub fn random(&mut self, rest: &str, prompt: &mut Prompt<'_>) -> Result<(), Stop> {
        let wanted = match rest {
            "" => 1,
            rest => number(rest, "how many moves", 1, MOST_RANDOM)?,
        };
        for _ in 0..wanted {
            if interrupt::interrupted() {
                return Err(Stop::Interrupted);
            }
            let position = self.position().clone();
            if self.referee.outcome(&position)?.is_some() {
                break;
            }
            let choices = self.referee.choices(&position)?;
            if choices.chance {
                let events = self.draw_events()?;
                tell_events(&events, prompt)?;
                continue;
            }
            if choices.all.is_empty() {
                break;
            }
            let drawn = self.lots(1).below(choices.all.len() as u64) as usize;
            self.make(&choices.all[drawn].0, false)?;
            self.tell_last(prompt)?;
            let events = self.draw_events()?;
            tell_events(&events, prompt)?;
        }
        self.arrive(prompt)
    }

    pub fn best(&mut self, rest: &str, prompt: &Prompt<'_>) -> Result<(), Stop> {
        let seconds = match rest {
            "" => THOUGHT.0,
            rest => match rest.parse::<f64>() {
                Ok(s) if s > 0.0 && s <= THOUGHT.1 => s,
                _ => return Err(Stop::Failed("`:best` takes seconds from 0 to 3600".to_string())),
            },
        };
        let (outcome, choices, named) = self.choices()?;
        if let Some(outcome) = outcome {
            return prompt.say(format!("the game is over: {}", self.referee.result(&outcome)));
        }
        let limits = Limits { time: Some(Duration::from_secs_f64(seconds)), playouts: None };
        let position = self.position().clone();
        let seed = self.lots(2).number();
        match self.referee.choose(&position, &choices, limits, seed)? {
            Some(choice) => {
                let name = named.iter().find(|n| n.term == choice.term);
                let name = name.map_or("", |n| n.notation.as_str());
                prompt.say(format!("best: {name} ({})", choice.reason))
            }
            None => prompt.say("no player is to move"),
        }
    }

    /// Takes back the last move, with the chance events after it.
    pub fn undo(&mut self, prompt: &Prompt<'_>) -> Result<(), Stop> {
        let chance = |step: &Step| matches!(step.made, Made::Move(_, None));
        let Some(to) = self.steps[..self.at].iter().rposition(|step| !chance(step)) else {
            return Err(Stop::Failed("there is no move to take back".to_string()));
        };
        prompt.say(format!("taken back: {}", self.steps[to].notation))?;
        self.at = to;
        self.arrive(prompt)
    }

    pub fn redo(&mut self, prompt: &Prompt<'_>) -> Result<(), Stop> {
        if self.at == self.steps.len() {
            return Err(Stop::Failed("there is nothing to play again".to_string()));
        }
        let chance = |step: &Step| matches!(step.made, Made::Move(_, None));
        self.at += 1;
        self.tell_last(prompt)?;
        while self.steps.get(self.at).is_some_and(chance) {
            self.at += 1;
            self.tell_last(prompt)?;
        }
        self.arrive(prompt)
    }

    pub fn goto(&mut self, rest: &str, prompt: &Prompt<'_>) -> Result<(), Stop> {
        self.at = number(rest, "where to go", 0, self.steps.len())?;
        self.arrive(prompt)
    }

    pub fn history(&self, prompt: &Prompt<'_>) -> Result<(), Stop> {
        if self.steps.is_empty() {
            return prompt.say("no move was made");
        }
        for (i, step) in self.steps.iter().enumerate() {
            let back = if i >= self.at { " (taken back)" } else { "" };
            prompt.say(format!("{}{back}", line_of(i + 1, step)))?;
        }
        Ok(())
    }

    pub fn begin_anew(&mut self, prompt: &Prompt<'_>) -> Result<(), Stop> {
        self.steps.clear();
        self.at = 0;
        let events = self.draw_events()?;
        tell_events(&events, prompt)?;
        self.arrive(prompt)
    }

    pub fn seed(&mut self, rest: &str, prompt: &mut Prompt<'_>) -> Result<(), Stop> {
        if rest.is_empty() {
            return prompt.say(self.seed.to_string());
        }
        let seed = rest.parse::<u64>();
        self.seed =
            seed.map_err(|_| Stop::Failed("a seed is a number from 0 to 2^64 - 1".to_string()))?;
        prompt.seed = Some(self.seed);
        Ok(())
    }

    /// Shows the options, or continues with another value of one.
    ///
    /// # Errors
    /// A wrong option.
    pub fn option(&mut self, rest: &str, prompt: &Prompt<'_>) -> Result<After, Stop> {
        if rest.is_empty() {
            self.options(prompt)?;
            return Ok(After::Stay);
        }
        let (name, value) = crate::ui::arguments::pair(rest).map_err(Stop::Failed)?;
        let mut rules = self.opened.rules.clone();
        rules.request.options.retain(|(set, _)| *set != name);
        rules.request.options.push((name, value));
        let carried = self.carried();
        Ok(After::Open(Box::new(Opening::carried(rules.load()?, carried))))
    }

    /// `:about`
    ///
    /// # Errors
    /// Where the output is closed.
    pub fn about(&self, prompt: &Prompt<'_>) -> Result<(), Stop> {
        match &self.opened.game.program.about {
            Some(about) => prompt.say(about),
            None => {
                prompt.say("the file does not tell its rules in words; `:list move` shows them")
            }
        }
    }

    fn options(&self, prompt: &Prompt<'_>) -> Result<(), Stop> {
        let program = &self.opened.game.program;
        let own = program.options.values().filter(|option| !option.fixed);
        let mut none = true;
        for option in own {
            none = false;
            let values = match &option.domain {
                OptionDomain::Values(values) => program.values.show_all(values),
                OptionDomain::Range(lo, hi) => format!("{lo}..{hi}"),
            };
            let value = program.values.show(option.value);
            prompt.say(format!("{} = {value}  (of {values})", option.name))?;
        }
        match (none, &self.opened.rules.request.origin) {
            (false, _) => Ok(()),
            (true, Origin::Shipped(name)) => prompt.say(format!("{name} has no options")),
            (true, _) => prompt.say("the rules have no options"),
        }
    }
}

impl Prompt<'_> {
    /// The seed for a new game.
    pub fn fresh_seed(&self) -> u64 {
        self.seed.unwrap_or_else(Random::fresh_seed)
    }
}

/// `3. white: a1-b1`
fn line_of(number: usize, step: &Step) -> String {
    match &step.made {
        Made::Move(_, Some(player)) => format!("{number}. {player}: {}", step.notation),
        Made::Move(_, None) => format!("{number}. chance: {}", step.notation),
        Made::SetUp => format!("{number}. set up: {}", step.notation),
    }
}

pub fn tell_events(events: &[String], prompt: &Prompt<'_>) -> Result<(), Stop> {
    match events {
        [] => Ok(()),
        few if few.len() <= TOLD => prompt.say(format!("chance: {}", few.join(", "))),
        [.., last] => prompt.say(format!("chance: {} events, the last {last}", events.len())),
    }
}

/// The names of moves in columns, each with its term where the name is ambiguous.
fn columns(named: &[Named], width: usize) -> String {
    let name = |n: &Named| {
        let twice = named.iter().filter(|m| m.notation == n.notation).count() > 1;
        if twice { n.text.clone() } else { n.notation.clone() }
    };
    let names: Vec<String> = named.iter().map(name).collect();
    let widest = names.iter().map(|n| display_width(n)).max().unwrap_or(1) + 2;
    let across = (width / widest).max(1);
    let rows: Vec<String> = names
        .chunks(across)
        .map(|row| {
            let cell = |n: &String| format!("{n}{}", " ".repeat(widest - display_width(n)));
            fit(row.iter().map(cell).collect::<String>().trim_end(), width, 4)
        })
        .collect();
    rows.join("\n")
}
