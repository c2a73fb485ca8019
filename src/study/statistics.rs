//! Means and shares with their 95 % intervals, and differences of strength.

use serde_json::{Value, json};

/// The standard normal quantile of 95 % two-sided intervals.
const Z: f64 = 1.96;

/// A quantity with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Estimate {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

impl Estimate {
    /// The mean of values, by the normal distribution.
    pub fn mean(values: &[f64]) -> Estimate {
        let n = values.len() as f64;
        if values.is_empty() {
            return Estimate::default();
        }
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let half = Z * (squares / (n - 1.0).max(1.0) / n).sqrt();
        Estimate { value: mean, low: mean - half, high: mean + half }
    }

    /// A share of a number of trials (Wilson's score interval).
    pub fn share(part: f64, of: u64) -> Estimate {
        let n = of.max(1) as f64;
        let p = part / n;
        let middle = (p + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
        let half = Z / (1.0 + Z * Z / n) * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
        Estimate { value: p, low: (middle - half).max(0.0), high: (middle + half).min(1.0) }
    }

    /// The difference to another, independent one (for shares Newcombe's hybrid score interval).
    pub fn minus(self, other: Estimate) -> Estimate {
        let value = self.value - other.value;
        let below = ((self.value - self.low).powi(2) + (other.high - other.value).powi(2)).sqrt();
        let above = ((self.high - self.value).powi(2) + (other.value - other.low).powi(2)).sqrt();
        Estimate { value, low: value - below, high: value + above }
    }

    /// Whether 0 lies outside of the interval.
    pub fn is_clear(self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }

    /// The same with each number changed by an increasing function.
    pub fn map(self, by: impl Fn(f64) -> f64) -> Estimate {
        Estimate { value: by(self.value), low: by(self.low), high: by(self.high) }
    }

    pub fn data(self) -> Value {
        json!({ "value": finite(self.value), "low": finite(self.low), "high": finite(self.high) })
    }

    /// What [`Estimate::data`] has written.
    pub fn read(data: &Value) -> Option<Estimate> {
        let number = |name: &str| data[name].as_f64();
        Some(Estimate { value: number("value")?, low: number("low")?, high: number("high")? })
    }
}

/// A number for JSON, which has no infinities; rounded, so that it is the same on every machine.
fn finite(value: f64) -> Option<f64> {
    value.is_finite().then(|| (value * 1e6).round() / 1e6)
}

/// The difference of strength, in Elo, that a share of the points stands for. A share of all or nothing
/// has no finite one.
pub fn elo(share: f64) -> f64 {
    match share {
        // rounding must not make a number of what has none
        _ if share < 1e-9 => f64::NEG_INFINITY,
        _ if share > 1.0 - 1e-9 => f64::INFINITY,
        _ => 400.0 * (share / (1.0 - share)).log10(),
    }
}

/// A difference of strength in words.
pub fn elo_told(elo: f64) -> String {
    match elo {
        f64::NEG_INFINITY => "-∞".to_string(),
        f64::INFINITY => "+∞".to_string(),
        _ => format!("{elo:+.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Estimate, elo};

    #[test]
    fn intervals_are_those_of_textbooks() {
        let half = Estimate::share(50.0, 100);
        assert!((half.low - 0.4038).abs() < 1e-3 && (half.high - 0.5962).abs() < 1e-3);
        let none = Estimate::share(0.0, 10);
        assert!(none.low == 0.0 && (none.high - 0.2775).abs() < 1e-3);
        let mean = Estimate::mean(&[1.0, 2.0, 3.0]);
        assert!((mean.high - 2.0 - 1.96 / 3f64.sqrt()).abs() < 1e-9);
        assert!((elo(0.75) - 190.8).abs() < 0.1);
    }

    #[test]
    fn differences_have_the_intervals_of_both() {
        let (a, b) = (Estimate::share(60.0, 100), Estimate::share(40.0, 100));
        assert!(a.minus(b).is_clear());
        assert!(!a.minus(a).is_clear());
    }
}
