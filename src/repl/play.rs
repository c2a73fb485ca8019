//! Playing: moves of people, of the computer and at random; undo and redo.

use crate::diagnostic::{Diagnostic, nearest};
use crate::engine::Random;
use crate::explain::Cause;
use crate::program::Origin;
use crate::referee::asked::{about_position, asked};
use crate::referee::in_turn::{in_one_turn, second_refused};
use crate::referee::interrupt;
use crate::referee::misread::{misread, spoken_instead};
use crate::referee::miss::Miss;
use crate::referee::naming::Named;
use crate::referee::remarks::says_nothing;
use crate::referee::rule_words::rule_with_word;
use crate::referee::same_site::on_last_site;
use crate::referee::typed;
use crate::referee::values::{site_named, sites_in};
use crate::referee::{Choices, Last, Stop, rule_error};
use crate::render::{display_width, fit};
use crate::ui::choose::choose;
use crate::ui::open;
use crate::ui::seats::Seat;

use super::commands::{After, Command};
use super::prompt::{Prompt, fault, in_short};
use super::sitting::{Made, Sitting, Step};

/// The most moves made by one `:random`.
const MOST_RANDOM: usize = 10_000;
/// The most consecutive chance events that are shown one by one.
const TOLD: usize = 8;

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
        let over = outcome.is_some();
        let facts = self.facts();
        let prompts = self.referee.rules.prompts(&facts).map_err(|e| self.referee.stopped(e))?;
        let turn = self.referee.name(self.referee.turn(self.position()));
        prompt.say(match outcome {
            Some(result) => prompt.console.bold(&result),
            None if choices.chance => "a chance event is due".to_string(),
            None => prompts.told(&turn),
        })?;
        if !over && !choices.chance && self.seat() != Seat::Human && !self.has_no_person() {
            prompt.say(format!("{turn} is the {}'s: `play` lets it move", self.seat().word()))?;
        }
        for (player, text) in prompts.to_others {
            let name = self.referee.name(player);
            if self.is_person(&name) {
                prompt.say(format!("{name}: {text}"))?;
            }
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

    pub fn moves(&mut self, rest: &str, prompt: &Prompt<'_>) -> Result<(), Stop> {
        let (outcome, choices, mut named) = self.choices()?;
        let part = rest.trim().to_lowercase();
        if !part.is_empty() {
            let site = site_named(&self.referee, &part);
            named.retain(|n| match site {
                Some(site) => sites_in(&self.referee, &n.text).contains(&site),
                None => n.notation.to_lowercase().contains(&part) || n.text.contains(&part),
            });
            if named.is_empty() {
                return Err(Stop::Failed(format!("no legal move names `{part}`")));
            }
        }
        let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let turn = self.referee.name(self.referee.turn(self.position()));
        prompt.say(match outcome {
            Some(result) => format!("the game is over: {result}"),
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
        let (outcome, choices, named) = self.choices()?;
        let last = self.last();
        let same = on_last_site(&self.referee, self.position(), &named, last.as_ref(), text)?;
        let found = match same {
            Some(found) => found,
            None => typed::find(&self.referee, self.position(), &named, text)?,
        };
        let together = match &found {
            Err(Miss::Unknown(_)) if outcome.is_none() && !choices.chance => {
                let position = self.position().clone();
                in_one_turn(&mut self.referee, &position, &named, text)?
            }
            _ => None,
        };
        if let Some((first, second)) = together {
            self.make(&first, false)?;
            self.touched = true;
            self.tell_last(None, prompt)?;
            return self.play(&second, prompt);
        }
        if matches!(found, Err(Miss::Unknown(_))) && outcome.is_none() && choices.chance {
            let position = self.position().clone();
            if let Some(told) = about_position(&mut self.referee, &position, text)? {
                return prompt.say(told.short);
            }
        }
        if matches!(found, Err(Miss::Unknown(_))) && outcome.is_none() && !choices.chance {
            let position = self.position().clone();
            match asked(&mut self.referee, &position, &named, false, text)? {
                Some(told) if told.holds || told.cause == Cause::Proof => {
                    return prompt.say(told.short);
                }
                // a move that is not legal
                Some(told) => {
                    self.asked = Some(text.to_string());
                    return Err(self.refuse(told));
                }
                None => {}
            }
            if let Some(told) = second_refused(&mut self.referee, &position, &named, text)? {
                self.asked = Some(text.to_string());
                return Err(self.refuse(told));
            }
        }
        if matches!(found, Err(Miss::Unknown(_)))
            && let Some(outcome) = &outcome
        {
            let position = self.position().clone();
            if let Some(told) = asked(&mut self.referee, &position, &named, true, text)? {
                return prompt.say(told.short);
            }
            if text.trim_end().ends_with('?') {
                return prompt.say(format!("The game is over: {outcome}."));
            }
        }
        let found = match found {
            Ok(found) => found.term.clone(),
            Err(Miss::Unknown(_))
                if outcome.is_none()
                    && let Some(told) = self.objection(&named, text)? =>
            {
                self.asked = Some(text.to_string());
                return Err(self.refuse(told));
            }
            Err(miss)
                if outcome.is_none()
                    && (text.trim_end().ends_with('?')
                        || self.command_meant(text, &named).is_none())
                    && let Some(told) =
                        spoken_instead(&self.referee, self.position(), &choices, &miss, text) =>
            {
                return prompt.say(told.short);
            }
            Err(miss) => match choose(&miss, text, &mut prompt.input, prompt.console)? {
                Some(term) => term,
                None => {
                    let over = outcome.is_some();
                    // `?` tells why of moves, and of commands behind a word that names none
                    if !over {
                        let meant = self.command_meant(text, &named);
                        let moves = !matches!(miss, Miss::Unknown(_))
                            || text.contains(|c: char| c.is_ascii_digit());
                        self.asked = (meant.is_none() && moves).then(|| text.to_string());
                    }
                    return Err(self.refused(text, &miss, (&choices, &named), over));
                }
            },
        };
        self.make(&found, choices.chance)?;
        self.asked = None;
        self.touched = true;
        self.tell_last(None, prompt)?;
        self.go_on(prompt)
    }

    fn refused(
        &self,
        text: &str,
        miss: &Miss,
        (choices, legal): (&Choices, &[Named]),
        over: bool,
    ) -> Stop {
        let shown = in_short(text, 60);
        if over {
            let d = Diagnostic::error("game-over", "the game is over");
            return fault(d.hint("`:undo` takes the last move back, `:new` starts a new game"));
        }
        // what is wrong is said already
        if matches!(miss, Miss::NoCapture(_)) {
            return rule_error(&self.opened.game.program.sources, miss.diagnostic(&shown));
        }
        let mut refused =
            misread(&self.referee, self.position(), choices, miss.diagnostic(&shown), text);
        let question = text.contains(['(', ' ']) && self.understand(text).is_ok();
        if question {
            refused = refused.hint("a question ends with a full stop");
        }
        let near = Command::resembling(text).filter(|near| {
            !question && (Command::takes_sites(near) || sites_in(&self.referee, text).is_empty())
        });
        let known = self.begins_known(text);
        if let Some(near) = near.filter(|_| !known) {
            if self.command_meant(text, legal).is_some() {
                let unknown = format!("`{shown}` is neither a move nor a command");
                refused = Diagnostic::error("illegal-move", unknown);
            }
            refused.hints.insert(0, format!("did you mean the command `{near}`?"));
        } else if !question && is_unknown_word(text, miss) {
            refused.hints.push("`help` lists the commands".to_string());
        }
        rule_error(&self.opened.game.program.sources, refused)
    }

    /// The command that a text resembles which is nothing like a move.
    fn command_meant(&self, text: &str, legal: &[Named]) -> Option<&'static str> {
        let meant = Command::resembling(text).filter(|_| !self.names_word_of_move(text, legal))?;
        let known = self.begins_known(text);
        // a site is said to few commands
        let sites = Command::takes_sites(meant) || sites_in(&self.referee, text).is_empty();
        (sites && !known).then_some(meant)
    }

    /// Whether the first word of a text is a player's name, one of the rules of moves, or a word that says nothing beside the sites
    /// of a move: `move a1 to a2`.
    fn begins_known(&self, text: &str) -> bool {
        let Some(first) = text.split_whitespace().next() else { return false };
        let players = &self.opened.game.program.players;
        players.iter().any(|player| self.referee.name(*player) == first)
            || rule_with_word(&self.referee, &self.facts(), first).is_some()
            || says_nothing(first) && !sites_in(&self.referee, text).is_empty()
    }

    /// Whether the first word of a text is nearly a word of a legal move or the name of a form of move.
    fn names_word_of_move(&self, text: &str, legal: &[Named]) -> bool {
        let Some(typed) = text.split_whitespace().next() else { return false };
        let forms = self.referee.rules.move_forms();
        let names = forms.iter().map(|(name, _, _)| name.as_str());
        let written = legal.iter().map(|n| n.notation.as_str()).chain(names);
        let words = written.flat_map(|name| name.split(|c: char| !c.is_alphabetic()));
        nearest(typed, words.filter(|word| word.len() > 2)).is_some()
    }

    /// Tells the last move, with the reason for it.
    ///
    /// # Errors
    /// Where the output is closed.
    pub fn tell_last(&self, reason: Option<&str>, prompt: &Prompt<'_>) -> Result<(), Stop> {
        let Some(step) = self.at.checked_sub(1).and_then(|at| self.steps.get(at)) else {
            return Ok(());
        };
        let reason = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
        prompt.say(format!("{}{reason}", line_of(self.at, step)))
    }

    /// Shows a new position: the board where it is drawn, and the result of the game, which is saved
    /// where a file was named for it.
    ///
    /// # Errors
    /// A rule error, or a game that cannot be saved.
    pub fn arrive(&mut self, prompt: &Prompt<'_>) -> Result<(), Stop> {
        if prompt.draws() {
            self.board(prompt)?;
        } else if let Some(result) = self.ended()? {
            prompt.say(result)?;
        }
        let position = self.position().clone();
        let outcome = self.referee.outcome(&position)?;
        if outcome.as_ref().is_some_and(|outcome| outcome.clause.is_none()) && prompt.plays {
            prompt.console.warn(&self.opened.game.program.sources, self.referee.uncovered());
        }
        if self.ended()?.is_none() {
            return Ok(());
        }
        self.keep_finished(prompt)?;
        match prompt.plays && prompt.is_terminal() && !self.has_no_person() {
            true => prompt
                .say("`why` tells more, `undo` takes back, `new` starts a new game, `quit` leaves"),
            false => Ok(()),
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
            if self.ended()?.is_some() {
                break;
            }
            let position = self.position().clone();
            if self.referee.choices(&position)?.chance {
                let events = self.draw_events()?;
                tell_events(&events, prompt)?;
                continue;
            }
            let Some(drawn) = self.drawn()? else { break };
            self.make(&drawn, false)?;
            self.touched = true;
            self.tell_last(None, prompt)?;
            let events = self.draw_events()?;
            tell_events(&events, prompt)?;
        }
        self.go_on(prompt)
    }

    /// Takes back the last move of a person, with all that came after it.
    ///
    /// # Errors
    /// There is no such move, or a rule error.
    pub fn undo(&mut self, rest: &str, prompt: &Prompt<'_>) -> Result<(), Stop> {
        let moves = match rest.trim() {
            "" => 1,
            number => number.parse().ok().filter(|n: &usize| *n > 0).ok_or_else(|| {
                Stop::Failed(format!("`:undo` takes a number of moves, not `{number}`"))
            })?,
        };
        if self.resigned.take().is_some() {
            prompt.say("taken back: the resignation")?;
            return self.arrive(prompt);
        }
        let all = self.has_no_person();
        let own = |step: &Step| match &step.made {
            Made::Move(_, player) => {
                player.as_ref().is_some_and(|name| all || self.is_person(name))
            }
            Made::SetUp => true,
        };
        let steps = self.steps[..self.at].iter().enumerate().rev();
        let own = steps.filter(|(_, step)| own(step)).map(|(at, _)| at);
        let Some(to) = own.take(moves).last() else {
            return Err(Stop::Failed(match self.seats.iter().all(|seat| *seat == Seat::Human) {
                true => "there is no move to take back".to_string(),
                false => "there is no move of yours to take back".to_string(),
            }));
        };
        let by_nature = |step: &&Step| matches!(step.made, Made::Move(_, None));
        let back = self.steps[to..self.at].iter().filter(|step| !by_nature(step));
        let names: Vec<&str> = back.map(|step| step.notation.as_str()).collect();
        prompt.say(format!("taken back: {}", names.join(", ")))?;
        self.at = to;
        self.arrive(prompt)
    }

    /// Plays again what was taken back: one move, with the moves that no person types.
    ///
    /// # Errors
    /// There is nothing to play again, or a rule error.
    pub fn redo(&mut self, prompt: &Prompt<'_>) -> Result<(), Stop> {
        if self.at == self.steps.len() {
            return Err(Stop::Failed("there is nothing to play again".to_string()));
        }
        self.resigned = None;
        let mut first = true;
        while let Some(step) = self.steps.get(self.at) {
            let follows = match &step.made {
                Made::Move(_, player) => player.as_ref().is_none_or(|name| !self.is_person(name)),
                Made::SetUp => false,
            };
            if !first && !follows {
                break;
            }
            first = false;
            self.at += 1;
            self.tell_last(None, prompt)?;
        }
        self.arrive(prompt)
    }

    pub fn goto(&mut self, rest: &str, prompt: &Prompt<'_>) -> Result<(), Stop> {
        self.at = number(rest, "where to go", 0, self.steps.len())?;
        self.resigned = None;
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
        self.resigned = None;
        self.go_on(prompt)
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
        let (name, value) = crate::ui::arguments::pair(rest).map_err(|text| {
            let own = open::options(&self.opened.game.program);
            let none = if own.is_empty() { "there are none".to_string() } else { own.join("; ") };
            Stop::Failed(format!("{text}; the options are {none}"))
        })?;
        let mut rules = self.opened.rules.clone();
        rules.request.options.retain(|(set, _)| *set != name);
        rules.request.options.push((name, value));
        Ok(self.switch(rules.load()?))
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
        let options = open::options(program);
        for option in &options {
            prompt.say(option)?;
        }
        let none = options.is_empty();
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

/// Whether a text is a single word of letters that no move has.
fn is_unknown_word(text: &str, miss: &Miss) -> bool {
    let word = text.trim();
    matches!(miss, Miss::Unknown(_)) && word.len() > 1 && word.chars().all(char::is_alphabetic)
}
