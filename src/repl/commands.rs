//! The commands: their names and arguments, and the functions that run them.

use crate::referee::Stop;

use super::prompt::Prompt;
use super::sitting::Sitting;
use super::switch::Opening;

/// What follows an entry.
pub enum After {
    Stay,
    Leave,
    /// Another game, or the same one with other rules.
    Open(Box<Opening>),
}

/// A command, as listed by `:help` and completion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Command {
    pub word: &'static str,
    /// Its arguments, as `:help` shows them.
    pub takes: &'static str,
    pub does: &'static str,
}

const fn command(word: &'static str, takes: &'static str, does: &'static str) -> Command {
    Command { word, takes, does }
}

/// All commands, in the order in which `:help` lists them.
pub const COMMANDS: [Command; 39] = [
    command("help", "[TOPIC]", "what can be typed, or a page of the reference"),
    command("open", "[GAME [NAME=VALUE …]]", "opens a game; alone lists the shipped ones"),
    command("about", "", "the rules in words"),
    command("board", "", "draws the position"),
    command("moves", "[SITE]", "the legal moves, or those that name a site"),
    command("play", "[MOVE]", "plays a move, as the move alone does; alone: the computer's"),
    command("random", "[N]", "plays N moves at random"),
    command("best", "[SECONDS]", "the computer's choice with its reason, and other candidates"),
    command("analyse", "[SECONDS]", "the best moves, each with the line that is expected"),
    command("undo", "[N]", "takes the last move back, or the last N"),
    command("redo", "", "plays it again"),
    command("goto", "N", "goes to the position after N moves"),
    command("history", "", "the moves so far"),
    command("new", "", "starts a new game"),
    command("players", "[SEATS]", "shows or sets who plays: human, computer, random"),
    command("resign", "", "gives the game up, when you have confirmed it"),
    command("seed", "[N]", "shows or sets the seed of random draws"),
    command("option", "[NAME=VALUE]", "shows or sets the game's options"),
    command("set", "UPDATES", "changes the position, e.g. `turn := black`"),
    command("place", "VALUE SITE …", "puts something on sites"),
    command("clear", "SITE …", "takes away what is on sites"),
    command("position", "[TEXT]", "the position as one line of text, or sets it"),
    command("save", "[FILE]", "saves the game"),
    command("load", "FILE", "continues a saved game"),
    command("why", "[GOAL | MOVE]", "why something holds; alone, or `?`: the last answer"),
    command("whynot", "[GOAL | MOVE]", "why something does not hold"),
    command("more", "", "unfolds the last explanation"),
    command("list", "NAME[/ARITY]", "the clauses of a relation"),
    command("trace", "MOVE", "steps through the goals of a move"),
    command("spy", "[NAME/ARITY]", "shows the calls of a relation; again: no more"),
    command("profile", "[N]", "what each goal costs, here or in N moves"),
    command("cover", "[N]", "clauses that never hold in N playouts"),
    command("edit", "[FILE]", "opens the rules in $EDITOR"),
    command("assert", "CLAUSE.", "adds a clause, for an experiment"),
    command("retract", "CLAUSE. | NAME/ARITY", "takes clauses away"),
    command("diff", "[A [B]]", "the rules against their file, or two games compared"),
    command("save-rules", "FILE", "writes the rules to a file"),
    command("explain", "[CODE]", "more on a diagnostic"),
    command("quit", "", "leaves, as Ctrl-D does"),
];

/// Other names of commands.
pub const ALIASES: [(&str, &str); 8] = [
    ("hint", "best"),
    ("exit", "quit"),
    ("q", "quit"),
    ("back", "undo"),
    ("takeback", "undo"),
    ("show", "board"),
    ("status", "board"),
    ("score", "board"),
];

impl Sitting<'_> {
    /// Runs a command.
    ///
    /// # Errors
    /// A fault of the command or of the rules.
    pub fn obey(
        &mut self,
        command: Command,
        rest: &str,
        prompt: &mut Prompt<'_>,
    ) -> Result<After, Stop> {
        if command.takes.is_empty() && !rest.is_empty() {
            let text = format!("`:{}` takes nothing behind it", command.word);
            return Err(Stop::Failed(text));
        }
        match command.word {
            "about" => self.about(prompt)?,
            "board" => self.board(prompt)?,
            "moves" => self.moves(rest, prompt)?,
            "play" if rest.is_empty() => self.play_best(prompt)?,
            "play" => self.play(rest, prompt)?,
            "random" => self.random(rest, prompt)?,
            "best" => self.best(rest, prompt)?,
            "analyse" => self.analyse(rest, prompt)?,
            "undo" => self.undo(rest, prompt)?,
            "redo" => self.redo(prompt)?,
            "goto" => self.goto(rest, prompt)?,
            "history" => self.history(prompt)?,
            "new" => self.begin_anew(prompt)?,
            "players" => self.players(rest, prompt)?,
            "resign" => self.resign(prompt)?,
            "seed" => self.seed(rest, prompt)?,
            "option" => return self.option(rest, prompt),
            "set" => self.set(rest, prompt)?,
            "place" => self.place(rest, prompt)?,
            "clear" => self.clear(rest, prompt)?,
            "position" => self.position_text(rest, prompt)?,
            "save" => self.save(rest, prompt)?,
            "why" | "whynot" => self.why(rest, prompt)?,
            "more" => self.more(prompt)?,
            "list" => self.list(rest, prompt)?,
            "trace" => self.trace(rest, prompt)?,
            "spy" => self.spy(rest, prompt)?,
            "profile" => self.profile(rest, prompt)?,
            "edit" => return self.edit(rest, prompt),
            "assert" => return self.assert(rest, prompt),
            "retract" => return self.retract(rest, prompt),
            "diff" if rest.is_empty() => self.difference(prompt)?,
            "cover" => self.cover(rest, prompt)?,
            "save-rules" => self.save_rules(rest, prompt)?,
            _ => return prompt.without_game(command, rest),
        }
        Ok(After::Stay)
    }
}
