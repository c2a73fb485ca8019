//! Positions as text and drawn, and results in words.

use crate::diagnostic::listed;
use crate::engine::Outcome;
use crate::program::{EndKind, Value};
use crate::reference::Facts;
use crate::render::Picture;

use super::{Last, Position, Referee, Stop};

impl<'g> Referee<'g> {
    /// A position as text, or as updates where the game has no such text.
    ///
    /// # Errors
    /// A rule error.
    pub fn position_text(&self, facts: &Facts) -> Result<String, Stop> {
        let text = self.rules.position_text(facts).map_err(|e| self.stopped(e))?;
        Ok(text.unwrap_or_else(|| {
            let updates = self.rules.updates(facts).into_iter().chain(self.rules.kept(facts));
            let updates: Vec<String> = updates.map(|u| crate::syntax::print_term(&u)).collect();
            format!("[{}]", updates.join(", "))
        }))
    }

    /// The picture of a position.
    ///
    /// # Errors
    /// A rule error.
    pub fn picture(&self, facts: &Facts) -> Result<Picture, Stop> {
        self.view.picture(&self.rules, facts).map_err(|e| self.stopped(e))
    }

    /// The picture of a position with the sites of the move that led to it from another position.
    ///
    /// # Errors
    /// A rule error.
    pub fn picture_after(&self, position: &Position, last: &Last<'_>) -> Result<Picture, Stop> {
        let mut picture = self.picture(&self.facts(position))?;
        let before = self.texts(last.before)?;
        self.view.mark_last(&mut picture, last.mv, &before);
        Ok(picture)
    }

    /// The text drawn at each site in a position.
    ///
    /// # Errors
    /// A rule error.
    pub fn texts(&self, position: &Position) -> Result<Vec<Option<String>>, Stop> {
        let texts = self.view.texts(&self.rules, &self.facts(position));
        texts.map_err(|e| self.stopped(e))
    }

    /// A position drawn in text, with the sites of the last move where there is one.
    ///
    /// # Errors
    /// A rule error.
    pub fn drawn_after(
        &self,
        position: &Position,
        last: Option<&Last<'_>>,
        width: usize,
    ) -> Result<String, Stop> {
        match last {
            Some(last) => Ok(self.view.text(&self.picture_after(position, last)?, width)),
            None => self.drawn(position, width),
        }
    }

    /// A position drawn in text.
    ///
    /// # Errors
    /// A rule error.
    pub fn drawn(&self, position: &Position, width: usize) -> Result<String, Stop> {
        let picture = self.picture(&self.facts(position))?;
        Ok(self.view.text(&picture, width))
    }

    /// A position drawn in text, with some sites marked.
    ///
    /// # Errors
    /// A rule error.
    pub fn marked(&self, facts: &Facts, sites: &[Value], width: usize) -> Result<String, Stop> {
        let mut picture = self.picture(facts)?;
        self.view.mark(&mut picture, sites);
        Ok(self.view.text(&picture, width))
    }

    /// The name of the end, where the rules give one.
    pub fn end_name(&self, outcome: &Outcome) -> Option<&'g str> {
        self.game.program.end_name(outcome.clause?)
    }

    /// The result in words: who won, how and by which clause, and the scores.
    pub fn result(&self, outcome: &Outcome) -> String {
        let program = &self.game.program;
        let names: Vec<String> = outcome.winners.iter().map(|p| self.name(*p)).collect();
        let alone = program.players.len() == 1;
        let won = match names.as_slice() {
            [] if alone => "the game is over".to_string(),
            [] => "a draw".to_string(),
            // no verb, since a player's name may be plural
            names => format!("a win for {}", listed(names, "and")),
        };
        let by = match outcome.clause {
            Some(clause) => {
                let kind = outcome.kind.unwrap_or(EndKind::Over).name();
                let place = program.sources.place(program.clause(clause).span);
                let name = self.end_name(outcome).map(|name| format!(": {name}"));
                format!("{} ({kind}, {place})", name.unwrap_or_default())
            }
            None => " (no legal move, and no clause covers that)".to_string(),
        };
        let scores = match &outcome.scores {
            Some(scores) if scores.iter().any(Option::is_some) => {
                let each = program.players.iter().zip(scores).map(|(player, score)| {
                    let score = score.map_or("none".to_string(), |n| n.to_string());
                    if alone { score } else { format!("{} {score}", self.name(*player)) }
                });
                format!("\nscore: {}", each.collect::<Vec<_>>().join(", "))
            }
            _ => String::new(),
        };
        format!("{won}{by}{scores}")
    }
}
