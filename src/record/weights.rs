//! The weights of a game's evaluation, beside its rule file: `NAME.weights`.

use serde::{Deserialize, Serialize};

/// The weights of an evaluation, as they are written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weights {
    /// A fingerprint of what is weighed; weights of other features are not used.
    pub shape: u64,
    /// The player that did best with them: `alphabeta`, `bestfirst`, `maxn` or `montecarlo`.
    pub player: String,
    /// Whether patterns are among the features: what stands on a few neighbouring sites in a row.
    #[serde(default)]
    pub patterns: bool,
    /// Whether what the rules say in `value/2` is among the features.
    #[serde(default)]
    pub values: bool,
    /// By output and feature, in hundredths of a logarithm of odds.
    pub weights: Vec<Vec<i32>>,
    /// What is added to the outputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,
}

/// A layer of hidden units, in thousandths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// By unit, the weights of the features.
    pub units: Vec<Vec<i32>>,
    /// By output, the weights of the units.
    pub outputs: Vec<Vec<i32>>,
}

impl Weights {
    /// Reads the text of a file; `None` where it is not one of weights.
    pub fn parse(text: &str) -> Option<Weights> {
        ron::from_str(text).ok()
    }

    /// The text of a file.
    pub fn text(&self) -> String {
        let patterns = if self.patterns { ", patterns: true" } else { "" };
        let values = if self.values { ", values: true" } else { "" };
        let (shape, player) = (self.shape, &self.player);
        let mut text =
            format!("(shape: {shape}, player: {player:?}{patterns}{values}, weights: [\n");
        rows(&mut text, &self.weights);
        if let Some(network) = &self.network {
            text.push_str("], network: Some((units: [\n");
            rows(&mut text, &network.units);
            text.push_str("], outputs: [\n");
            rows(&mut text, &network.outputs);
            text.push_str("]))");
        } else {
            text.push(']');
        }
        text.push_str(")\n");
        text
    }
}

/// Writes lists of numbers, in lines of 32.
fn rows(text: &mut String, rows: &[Vec<i32>]) {
    for row in rows {
        let all: Vec<String> = row.iter().map(ToString::to_string).collect();
        text.push('[');
        for line in all.chunks(32) {
            text.push_str(&line.join(","));
            text.push_str(",\n");
        }
        text.push_str("],\n");
    }
}
