//! The examples of a rule file as a reader sees them: a sentence and a picture.

use super::Result;
use super::game::Game;
use super::position::by_rules;
use crate::referee::Stop;
use crate::reference::Facts;
use crate::render::{Scene, to_svg};
use crate::syntax::Term;

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
        // the compiled engine plays the moves, as the plain evaluator takes a second for a few of some games
        let mut engine = self.referee();
        let mut play = |facts: &Facts, mv: &Term| -> std::result::Result<_, Stop> {
            if let Ok(at) = engine.position(facts)
                && let Some(next) = engine.play(&at, mv)?
            {
                return Ok(Some(engine.facts(&next)));
            }
            referee.rules.play(facts, mv).map_err(|error| referee.stopped(error))
        };
        let mut shown = Vec::new();
        for example in &referee.game.program.examples {
            let reached = referee.rules.example_positions_by(&example.goal, &mut play);
            let reached = reached.map_err(by_rules)?;
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

    /// The sentences of the examples, and whether there is a picture, which is known without playing any moves.
    #[cfg(feature = "serve")]
    pub(crate) fn example_list(&self) -> Vec<(String, bool)> {
        let referee = self.referee();
        let has_board = referee.view.board.is_some();
        let mut none =
            |_: &Facts, _: &Term| -> std::result::Result<_, std::convert::Infallible> { Ok(None) };
        let examples = referee.game.program.examples.iter();
        let listed = examples.map(|example| {
            let begun = referee.rules.example_positions_by(&example.goal, &mut none);
            let Ok(begun) = begun;
            (example.text.clone(), has_board && !begun.is_empty())
        });
        listed.collect()
    }
}
