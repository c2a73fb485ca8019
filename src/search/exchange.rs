//! What a value or a cell of the state becomes where the two players are exchanged.

use crate::engine::Game;
use crate::plan::{Axis, Place};
use crate::program::{Constant, Value};

/// The exchange of the two players of a game in its values, sites left where they are.
pub(super) struct Exchange<'g> {
    game: &'g Game,
    players: Option<(Value, Value)>,
}

impl<'g> Exchange<'g> {
    /// The exchange; with more or less than two players it changes nothing.
    pub fn new(game: &'g Game) -> Exchange<'g> {
        let players = match game.program.players.as_slice() {
            [a, b] => Some((*a, *b)),
            _ => None,
        };
        Exchange { game, players }
    }

    /// `None` where the program has no such value.
    fn value(&self, value: Value) -> Option<Value> {
        let (a, b) = self.players?;
        if value == a || value == b {
            return Some(if value == a { b } else { a });
        }
        let Some(id) = value.constant() else { return Some(value) };
        let values = &self.game.program.values;
        let images =
            |parts: &[Value]| parts.iter().map(|part| self.value(*part)).collect::<Option<_>>();
        match values.get(id) {
            Constant::Atom(_) | Constant::Text(_) => Some(value),
            Constant::Compound(name, parts) => {
                values.find(&Constant::Compound(name.clone(), images(parts)?))
            }
            Constant::List(parts) => values.find(&Constant::List(images(parts)?)),
        }
    }

    /// The index of the image of an index of an axis.
    pub fn index(&self, axis: &Axis, index: usize) -> Option<usize> {
        let universes = &self.game.plan.universes;
        let image = self.value(universes.value(axis.code(index)))?;
        axis.index(universes.try_code(image)?)
    }

    /// The image of a cell of a map.
    pub fn cell(&self, place: &Place, cell: usize) -> Option<usize> {
        let (mut rest, mut image, mut step) = (cell, 0, 1);
        for axis in place.axes().iter().rev() {
            image += self.index(axis, rest % axis.len)? * step;
            rest /= axis.len;
            step *= axis.len;
        }
        Some(image)
    }
}
