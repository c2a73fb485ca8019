//! The examples of a rule file as a reader sees them: a sentence and a picture.

use super::Result;
use super::game::Game;
use super::position::by_rules;
use crate::render::{Scene, to_svg};

/// An example of a rule file, see [`Game::examples`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShownExample {
    /// What it says.
    pub text: String,
    /// The position that it comes to, as SVG; nothing where it speaks of the first position, of other options, or of a game
    /// without a board.
    pub svg: Option<String>,
}

impl Game {
    /// The examples of the rule file, in its order.
    ///
    /// ```
    /// # fn main() -> ludex::Result<()> {
    /// let examples = ludex::Game::shipped("tic_tac_toe").load()?.examples()?;
    /// assert_eq!(examples[1].text, "a row of three wins");
    /// assert!(examples[1].svg.as_ref().is_some_and(|svg| svg.starts_with("<svg")));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Rules`](crate::Error::Rules) and [`Error::Limit`](crate::Error::Limit).
    pub fn examples(&self) -> Result<Vec<ShownExample>> {
        let referee = self.referee();
        let mut shown = Vec::new();
        for example in &referee.game.program.examples {
            let reached = referee.rules.example_positions(&example.goal);
            let reached = reached.map_err(|error| by_rules(referee.stopped(error)))?;
            let svg = match (&referee.view.board, reached.last()) {
                (Some(board), Some(facts)) => {
                    let picture = referee.picture(facts).map_err(by_rules)?;
                    let scene = Scene { picture, caption: String::new() };
                    Some(to_svg(board, &scene, &example.text))
                }
                _ => None,
            };
            shown.push(ShownExample { text: example.text.clone(), svg });
        }
        Ok(shown)
    }
}
