//! What comparing the evaluators on one rule file came to, and what many of them add up to.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How a rule file is to be looked at.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Question {
    pub text: String,
    pub seed: u64,
    /// Compare machine code too.
    pub native: bool,
    /// Ask SWI-Prolog too.
    pub prolog: bool,
    /// Compare the distribution of random games with the exact one.
    pub law: bool,
    /// Print the rule file and read it again.
    pub reprint: bool,
}

/// A disagreement, or something else that must not be.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Find {
    /// Finds of one class have most likely one cause.
    pub class: String,
    pub message: String,
}

impl Find {
    pub fn new(class: impl Into<String>, message: impl Into<String>) -> Find {
        let message: String = message.into();
        Find { class: class.into(), message: message.chars().take(1200).collect() }
    }
}

/// The answer to a [`Question`].
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Report {
    pub find: Option<Find>,
    /// Code and message of the checker's first error.
    pub refused: Option<(String, String)>,
    /// Positions compared in random games.
    pub positions: u64,
    pub asked_prolog: bool,
    /// A budget was exceeded by the evaluators named.
    pub budget: Option<String>,
    /// A rule error on which the evaluators agree.
    pub rule_error: Option<String>,
    pub ops: Vec<String>,
    /// The instructions that became machine code, and the reasons why functions did not.
    pub forms: Vec<String>,
    pub left: Vec<String>,
    pub features: Vec<String>,
    /// Milliseconds for each part of the work.
    pub spent: BTreeMap<String, f64>,
}

/// Seeds that are named for the time they took.
const SLOWEST: usize = 6;
/// Instructions of plans that are profiled alone.
const PROFILED: [&str; 1] = ["Probe"];

/// Positions below which a game is dull.
const LIVELY: u64 = 10;

/// Errors of the checker that a well-typed file may still be refused for. A relation that stands
/// for a domain may have no answer, a static relation may calculate what has no value, a number,
/// list or compound may be none of those that a relation holds, `=` may compare a site with the name
/// of a map, a recursive static relation may have too many answers, and one that chooses may be asked for
/// a pattern.
pub const EXPECTED: [&str; 8] = [
    "static-budget",
    "state-domain",
    "arithmetic",
    "wrong-domain",
    "no-finite-domain",
    "unbound-variable",
    "open-pattern",
    "equals-state",
];

/// The sum of many reports.
#[derive(Debug, Default)]
pub struct Summary {
    pub programs: u64,
    pub dull: u64,
    pub dull_by: BTreeMap<String, u64>,
    pub positions: u64,
    pub prolog: u64,
    pub refused: BTreeMap<String, u64>,
    pub budgets: BTreeMap<String, u64>,
    pub rule_errors: BTreeMap<String, u64>,
    pub finds: BTreeMap<String, u64>,
    pub ops: BTreeMap<String, u64>,
    pub forms: BTreeMap<String, u64>,
    pub left: BTreeMap<String, u64>,
    pub features: BTreeMap<String, u64>,
    pub spent: BTreeMap<String, f64>,
    /// The seeds that took longest, with their milliseconds.
    pub slowest: Vec<(u64, u64)>,
}

impl Summary {
    pub fn add(&mut self, seed: u64, report: &Report) {
        let took: f64 = report.spent.values().sum();
        self.slowest.push((took as u64, seed));
        self.slowest.sort_unstable_by(|a, b| b.cmp(a));
        self.slowest.truncate(SLOWEST);
        self.programs += 1;
        self.positions += report.positions;
        self.prolog += u64::from(report.asked_prolog);
        let played = report.find.is_none() && report.refused.is_none();
        let dull = played && report.positions < LIVELY;
        self.dull += u64::from(dull);
        let count = |into: &mut BTreeMap<String, u64>, key: &str| {
            *into.entry(key.to_string()).or_default() += 1;
        };
        if dull {
            let why = report.rule_error.as_ref().or(report.budget.as_ref());
            count(&mut self.dull_by, why.map_or("soon over", String::as_str));
        }
        report.refused.iter().for_each(|(code, _)| count(&mut self.refused, code));
        report.budget.iter().for_each(|of| count(&mut self.budgets, of));
        report.rule_error.iter().for_each(|code| count(&mut self.rule_errors, code));
        report.find.iter().for_each(|find| count(&mut self.finds, &find.class));
        report.ops.iter().for_each(|op| count(&mut self.ops, op));
        report.forms.iter().for_each(|op| count(&mut self.forms, op));
        report.left.iter().for_each(|reason| count(&mut self.left, reason));
        report.features.iter().for_each(|f| count(&mut self.features, f));
        for (part, ms) in &report.spent {
            *self.spent.entry(part.clone()).or_default() += ms;
        }
    }

    pub fn failed(&self) -> u64 {
        self.finds.values().sum()
    }

    pub fn print(&self, seconds: f64) {
        let per = |n: u64| 100.0 * n as f64 / self.programs.max(1) as f64;
        println!(
            "{} programs in {seconds:.1} s ({:.0} a second), {} dull ({:.1} %), {} positions, {} asked of Prolog",
            self.programs,
            self.programs as f64 / seconds.max(0.001),
            self.dull,
            per(self.dull),
            self.positions,
            self.prolog,
        );
        let spent: Vec<String> =
            self.spent.iter().map(|(part, ms)| format!("{part} {:.1} s", ms / 1000.0)).collect();
        println!("time: {}", spent.join(", "));
        println!("slowest (ms, seed): {:?}", self.slowest);
        let list = |title: &str, counts: &BTreeMap<String, u64>| {
            let shown: Vec<String> = counts.iter().map(|(k, n)| format!("{k} {n}")).collect();
            println!(
                "{title}: {}",
                if shown.is_empty() { "-".to_string() } else { shown.join(", ") }
            );
        };
        list("dull by", &self.dull_by);
        list("refused", &self.refused);
        list("rule errors", &self.rule_errors);
        list("budgets", &self.budgets);
        let reached = |what: &str, counts: &BTreeMap<String, u64>, none: &[&str]| {
            list(&format!("programs by {what}"), counts);
            let mut missing = op_names();
            missing.retain(|name| !counts.contains_key(name) && !none.contains(&name.as_str()));
            println!("{what}s never reached: {missing:?}");
        };
        reached("op", &self.ops, &PROFILED);
        reached("native form", &self.forms, &PROFILED);
        list("programs by reason of the interpreter", &self.left);
        list("programs by feature", &self.features);
        println!("finds:");
        for (class, n) in &self.finds {
            println!("  {n:6} {class}");
        }
    }
}

/// The names of all instructions.
pub fn op_names() -> Vec<String> {
    let source = include_str!("../../src/plan/ops.rs");
    let Some(body) = source.split("pub enum Op {").nth(1) else { return Vec::new() };
    let body = body.split("\n}\n").next().unwrap_or_default();
    let variant = |line: &str| {
        let name = line.strip_prefix("    ")?;
        let name: String = name.chars().take_while(|c| c.is_alphanumeric()).collect();
        name.starts_with(char::is_uppercase).then_some(name)
    };
    body.lines().filter_map(variant).collect()
}
