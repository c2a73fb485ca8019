//! `:- players a, b.`: the players in the order of play.
//!
//! With `count` only that number of players take part, the first of the list. The names of the
//! others are known, so that the rules may mention them, but no fact or goal about them holds.

use crate::diagnostic::Diagnostic;
use crate::syntax::{Term, TermKind};

use super::constants::options_in;
use super::directives::Parameter;
use super::load::Players;
use super::resolve::Resolver;
use super::{OptionDomain, Value};

/// The largest number of players of a game.
pub const MOST_PLAYERS: usize = 8;

impl Resolver {
    pub(super) fn players(&mut self, declared: Option<Players>) {
        let Some(Players { names, count, span }) = declared else { return };
        let mut players: Vec<Value> = Vec::new();
        for name in &names {
            match self.player(name) {
                Ok(player) if !players.contains(&player) => players.push(player),
                Ok(_) => self.fault(
                    Diagnostic::error("player-form", "a player is named twice")
                        .at(name.span, "again here"),
                ),
                Err(fault) => self.fault(fault),
            }
        }
        if players.len() > MOST_PLAYERS {
            self.fault(
                Diagnostic::error("player-form", format!("{} players are too many", players.len()))
                    .at(span, "declared here")
                    .hint("a game has one to eight players"),
            );
        }
        if let Some(count) = count
            && let Some(playing) = self.playing(&count, players.len())
        {
            self.program.absent = players.split_off(playing);
            self.program.seats_vary = options_in(&count.value)
                .iter()
                .any(|o| self.program.options.get(*o).is_some_and(|o| !o.fixed || o.passed));
        }
        let id = |r: &Resolver, name: &str, arity| r.names[&(name.to_string(), arity)];
        let (player, next, opponent) =
            (id(self, "player", 1), id(self, "next_player", 2), id(self, "opponent", 2));
        for (i, p) in players.iter().enumerate() {
            self.fact(player, vec![*p], span);
            self.fact(next, vec![*p, players[(i + 1) % players.len()]], span);
            for q in players.iter().filter(|q| *q != p) {
                self.fact(opponent, vec![*p, *q], span);
            }
        }
        self.program.players = players;
    }

    fn player(&mut self, name: &Term) -> Result<Value, Diagnostic> {
        let fault =
            |text: &str, label: &str| Diagnostic::error("player-form", text).at(name.span, label);
        match &name.kind {
            TermKind::Compound(functor, _) if functor == "option" => {
                Err(fault("an option names no players", "not a name").hint(
                    "name all who may play, and how many do: \
                     `:- players a, b, c with (count = option(seats)).`",
                ))
            }
            TermKind::Text(text) => {
                let d = fault("a player must be a name", "a text");
                Err(match text.starts_with(char::is_lowercase) {
                    true => d.hint(format!("write it without quotation marks: `{text}`")),
                    false => d.hint(
                        "write a name that begins with a small letter; `glyph(Name, \"…\")` \
                         says how it is drawn",
                    ),
                })
            }
            TermKind::Integer(_) => Err(fault("a player must be a name", "a number")
                .hint("write a name that begins with a small letter, such as `first`")),
            TermKind::Compound(..) | TermKind::List(..) => {
                Err(fault("a player must be a name", "not a name")
                    .hint("write the names with commas between them, without brackets"))
            }
            _ => self.program.values.from_term(name).ok_or_else(|| {
                fault("a player must be a constant", "not a constant")
                    .hint("names that begin with a capital letter are variables; write it small")
            }),
        }
    }

    /// How many of the named players take part; `None` where the count is faulty.
    fn playing(&mut self, count: &Parameter, named: usize) -> Option<usize> {
        let (term, span) = (&count.value, count.span);
        let fits =
            |value: &Value| matches!(value, Value::Integer(n) if (1..=named as i64).contains(n));
        let are = match named {
            1 => "one player is named".to_string(),
            n => format!("{n} players are named"),
        };
        if let (Some([_]), [name]) = (term.args_of("option", 1), options_in(term).as_slice())
            && let Some(option) = self.program.options.get(*name)
        {
            let wrong = match &option.domain {
                OptionDomain::Values(values) => values.iter().find(|v| !fits(v)).copied(),
                OptionDomain::Range(lo, hi) => {
                    [*lo, *hi].map(Value::Integer).into_iter().find(|v| !fits(v))
                }
            };
            if let Some(wrong) = wrong {
                let shown = self.program.values.show(wrong);
                let text = format!("the option `{name}` can be `{shown}`, and {are}");
                let option = option.span;
                self.fault(
                    Diagnostic::error("player-form", text)
                        .at(span, "this many of them play")
                        .at(option, "declared here")
                        .hint(format!(
                            "its values are numbers from 1 to {named}, or name more players"
                        )),
                );
                return None;
            }
        }
        match self.constant(term) {
            Ok(Some(value)) => {
                if let Value::Integer(n) = value
                    && fits(&value)
                {
                    return Some(n as usize);
                }
                let shown = self.program.values.show(value);
                self.fault(
                    Diagnostic::error(
                        "player-form",
                        format!("`{shown}` of them cannot play: {are}"),
                    )
                    .at(span, "this many of them play")
                    .hint(format!("write a number from 1 to {named}, or name more players")),
                );
            }
            Ok(None) => self.fault(
                Diagnostic::error("player-form", "the number of players must be a constant")
                    .at(term.span, "not a constant")
                    .hint("write a number, or `option(name)` for an option of the game"),
            ),
            Err(()) => {}
        }
        None
    }
}
