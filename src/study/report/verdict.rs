//! Two games compared: longer, fairer, less drawn? A difference counts where 0 is outside of its 95 %
//! interval.

use serde_json::{Value, json};

use crate::study::statistics::Estimate;

/// A question about the second game beside the first.
struct Asked {
    name: &'static str,
    /// What a difference above and below 0 means.
    words: [&'static str; 2],
    /// Per cent.
    share: bool,
    of: fn(&Value, &Value) -> Option<Estimate>,
}

const ASKED: [Asked; 8] = [
    Asked {
        name: "length in plies",
        words: ["longer", "shorter"],
        share: false,
        of: |_, series| Estimate::read(&series["length"]["mean"]),
    },
    Asked {
        name: "advantage of a side",
        words: ["less fair", "fairer"],
        share: true,
        of: |data, series| {
            let even = 1.0 / data["players"].as_array()?.len().max(1) as f64;
            let share = Estimate::read(&series["first_player"])?;
            Some(away(share, even))
        },
    },
    Asked {
        name: "drawn games",
        words: ["more often drawn", "less often drawn"],
        share: true,
        of: |_, series| {
            let outcomes = series["outcomes"].as_array()?;
            let drawn = outcomes.iter().find(|entry| entry["kind"] == "drawn")?;
            Estimate::read(&drawn["share"])
        },
    },
    Asked {
        name: "legal moves",
        words: ["more choice", "less choice"],
        share: false,
        of: |_, series| Estimate::read(&series["branching"]["mean"]),
    },
    Asked {
        name: "forced moves",
        words: ["more often forced", "less often forced"],
        share: true,
        of: |_, series| Estimate::read(&series["forced"]),
    },
    Asked {
        name: "changes of the lead",
        words: ["more changes of the lead", "fewer changes of the lead"],
        share: false,
        of: |_, series| Estimate::read(&series["lead_changes"]),
    },
    Asked {
        name: "drama",
        words: ["more drama", "less drama"],
        share: false,
        of: |_, series| Estimate::read(&series["drama"]),
    },
    Asked {
        name: "score",
        words: ["higher scores", "lower scores"],
        share: false,
        of: |_, series| {
            let figures = series["figures"].as_array()?;
            Estimate::read(&figures.iter().find(|figure| figure["name"] == "score")?["mean"])
        },
    },
];

/// How far a share is from an even one.
fn away(share: Estimate, even: f64) -> Estimate {
    let (low, high) = (share.low - even, share.high - even);
    let bounds = [low.abs(), high.abs()];
    let least = if low <= 0.0 && high >= 0.0 { 0.0 } else { bounds[0].min(bounds[1]) };
    let value = (share.value - even).abs();
    Estimate { value, low: least, high: bounds[0].max(bounds[1]) }
}

/// The comparison of two games' numbers, with a sentence that sums it up.
pub fn compare(a: &Value, b: &Value) -> Value {
    let names = [label(a), label(b)];
    let series = |data: &Value| data["series"].as_array().cloned().unwrap_or_default();
    let mut rows = Vec::new();
    let mut told = Vec::new();
    let (of_a, of_b) = (series(a), series(b));
    // what the stronger players do counts: their series is the last one
    let deciding = of_b.last().map(|series| series["name"].clone());
    for in_b in &of_b {
        let Some(in_a) = of_a.iter().find(|series| series["name"] == in_b["name"]) else {
            continue;
        };
        for asked in &ASKED {
            let (Some(one), Some(other)) = ((asked.of)(a, in_a), (asked.of)(b, in_b)) else {
                continue;
            };
            let by = other.minus(one);
            let verdict = match by {
                by if !by.is_clear() => "no clear difference",
                by if by.value > 0.0 => asked.words[0],
                _ => asked.words[1],
            };
            if by.is_clear() && Some(&in_b["name"]) == deciding.as_ref() {
                told.push(verdict);
            }
            rows.push(json!({
                "series": in_b["name"],
                "name": asked.name,
                "share": asked.share,
                "a": one.data(),
                "b": other.data(),
                "difference": by.data(),
                "verdict": verdict,
            }));
        }
    }
    let depth = [a, b].map(|data| Estimate::read(&data["depth"]["elo"]));
    if let [Some(one), Some(other)] = depth {
        let by = other.minus(one);
        let verdict = match by {
            by if !by.is_clear() => "no clear difference",
            by if by.value > 0.0 => "deeper",
            _ => "shallower",
        };
        if by.is_clear() {
            told.push(verdict);
        }
        rows.push(json!({
            "series": "computer",
            "name": "Elo of a doubling",
            "share": false,
            "a": one.data(),
            "b": other.data(),
            "difference": by.data(),
            "verdict": verdict,
        }));
    }
    let verdict = match told.as_slice() {
        [] => format!("No clear difference between {} and {}.", names[0], names[1]),
        told => format!("Compared with {}, {}: {}.", names[0], names[1], told.join(", ")),
    };
    json!({ "names": names, "verdict": verdict, "rows": rows })
}

/// The title, with the options that can be set.
fn label(data: &Value) -> String {
    let title = data["game"].as_str().unwrap_or_default();
    match data["set"].as_array().map_or(&[][..], Vec::as_slice) {
        [] => title.to_string(),
        set => {
            let set: Vec<&str> = set.iter().filter_map(Value::as_str).collect();
            format!("{title} with {}", set.join(", "))
        }
    }
}
