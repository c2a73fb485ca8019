//! Reasons.

use std::fmt;

use serde_json::Value as Json;

use crate::explain::Explanation;

/// Why a move is legal or not, or a goal holds or not. Displayed as its sentences, one a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Why {
    pub(super) told: Explanation,
    pub(super) sentences: Vec<String>,
    pub(super) sites: Vec<String>,
    pub(super) json: Json,
}

impl Why {
    /// The answer in words, as `ludex why` prints it; at least one sentence.
    pub fn sentences(&self) -> &[String] {
        &self.sentences
    }

    /// The move is legal, or the goal holds.
    pub fn holds(&self) -> bool {
        self.told.holds
    }

    /// The kind of reason: `proof` (it holds), `goal` (a goal fails), `rank` (another move goes before), `turn` (it is
    /// another player's), `chance` (a chance event is due), `over` (the game is), `form` (there is no such move).
    pub fn cause(&self) -> &'static str {
        self.told.cause.word()
    }

    /// What was asked: the move as the game writes it, or the goal.
    pub fn subject(&self) -> &str {
        &self.told.subject
    }

    /// The sites and other values that matter, the most important first.
    pub fn sites(&self) -> &[String] {
        &self.sites
    }

    /// The clauses with their goals, unfolded to a depth: 0 for the least, [`Why::depth`] for all of it. ✓ holds,
    /// ✗ fails, → updates.
    pub fn long(&self, depth: usize) -> String {
        self.told.long(depth)
    }

    /// The depth at which [`Why::long`] tells all.
    pub fn depth(&self) -> usize {
        self.told.depth()
    }

    /// All of it, as `ludex why --json` prints it.
    pub fn to_json(&self) -> &Json {
        &self.json
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentences.join("\n"))
    }
}
