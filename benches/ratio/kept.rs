//! The table in `benches/README.md`: read, compared with, and replaced.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::Measured;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/README.md");
const BEGIN: &str = "<!-- table -->";
const END: &str = "<!-- end of table -->";
/// A ratio may be this share of the one that is kept, where the machine is the same.
const SHARE: f64 = 0.6;
/// The least share that is put down to the machine. On another processor the ratios of the same program were
/// seen at 0.6 of those that are kept, in nearly all contests alike.
const MACHINE: f64 = 0.55;
/// The contests from which on the share of the machine is known.
const ENOUGH: usize = 10;

/// A ratio with three figures that count.
pub fn ratio(value: f64) -> String {
    let digits = (2.0 - value.max(1e-6).log10().floor()).clamp(0.0, 8.0) as usize;
    format!("{value:.digits$}")
}

/// The page in three parts: before the table, the table, behind it.
fn parts() -> Result<(String, String, String), String> {
    let page = std::fs::read_to_string(PAGE).map_err(|e| format!("benches/README.md: {e}"))?;
    let (before, rest) = page.split_once(BEGIN).ok_or_else(no_table)?;
    let (table, behind) = rest.split_once(END).ok_or_else(no_table)?;
    Ok((before.to_string(), table.to_string(), behind.to_string()))
}

fn no_table() -> String {
    format!("benches/README.md has no `{BEGIN}` with a `{END}` behind it: put them back")
}

/// The ratios of the table that is kept, by the name of the contest.
///
/// # Errors
/// The page is missing or has no table.
pub fn ratios() -> Result<BTreeMap<String, f64>, String> {
    let (_, table, _) = parts()?;
    let mut found = BTreeMap::new();
    let mut place = None;
    for line in table.lines().filter(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        place = place.or_else(|| cells.iter().position(|cell| *cell == "ratio"));
        let value = place.and_then(|i| cells.get(i)?.parse::<f64>().ok());
        if let (Some(name), Some(value)) = (cells.first(), value) {
            found.insert((*name).to_string(), value);
        }
    }
    match found.is_empty() {
        true => Err("benches/README.md has an empty table: fill it with --write".to_string()),
        false => Ok(found),
    }
}

/// The share of the kept ratios that this machine reaches, from [`MACHINE`] to 1: the median over the contests between Ludex
/// and other programs. A change that slows less than half of them does not move it.
pub fn machine_share(all: &[Measured], kept: &BTreeMap<String, f64>) -> f64 {
    let mut shares: Vec<f64> = all
        .iter()
        .filter(|measured| !measured.contest.is_pair())
        .filter_map(|measured| Some(measured.ratio / kept.get(measured.contest.name)?))
        .collect();
    if shares.len() < ENOUGH {
        return 1.0;
    }
    shares.sort_by(f64::total_cmp);
    shares[shares.len() / 2].clamp(MACHINE, 1.0)
}

/// Is the ratio far below what this machine reaches of the one that is kept? The ratio of two rule files is compared with what
/// is required.
pub fn is_slower(measured: &Measured, kept: &BTreeMap<String, f64>, machine: f64) -> bool {
    // a better best writing makes no plain one slower
    if measured.contest.is_pair() {
        return is_too_plain(measured);
    }
    let before = kept.get(measured.contest.name);
    before.is_some_and(|before| measured.ratio < before * SHARE * machine)
}

/// What one short run on a busy machine leaves of a ratio in which nothing has changed.
const IN_ONE_RUN: f64 = 0.8;

fn is_too_plain(measured: &Measured) -> bool {
    let required = measured.contest.required.unwrap_or_default();
    measured.contest.is_pair() && measured.ratio < required * IN_ONE_RUN
}

/// A line for each contest that has become slower. What is not kept yet is only told.
pub fn slower(all: &[Measured], kept: &BTreeMap<String, f64>, machine: f64) -> Vec<String> {
    let mut lines = Vec::new();
    for measured in all {
        let name = measured.contest.name;
        match kept.get(name) {
            _ if is_too_plain(measured) => lines.push(format!(
                "{name}: {} of the speed of the other one, and {} is required",
                ratio(measured.ratio),
                ratio(measured.contest.required.unwrap_or_default())
            )),
            None => eprintln!("{name} is not in benches/README.md yet: add it with --write"),
            Some(before) if is_slower(measured, kept, machine) => lines.push(format!(
                "{name} has become slower: a ratio of {}, where benches/README.md has {}",
                ratio(measured.ratio),
                ratio(*before)
            )),
            Some(_) => {}
        }
    }
    lines
}

/// Puts the table, with the date and the machine, in the place of the one that is kept.
///
/// # Errors
/// The page cannot be read or written.
pub fn write(table: &str) -> Result<(), String> {
    let (before, _, behind) = parts()?;
    let page = format!("{before}{BEGIN}\n{table}\n\n{}, {}.\n{END}{behind}", today(), machine());
    std::fs::write(PAGE, page).map_err(|e| format!("benches/README.md: {e}"))
}

/// The processor, its cores, and the compiler.
pub fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|l| l.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or(std::env::consts::ARCH, |(_, name)| name);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let said = Command::new("rustc").arg("--version").output().ok();
    let compiler = said.and_then(|out| String::from_utf8(out.stdout).ok()).unwrap_or_default();
    let compiler = compiler.split(" (").next().unwrap_or_default().trim();
    format!("{model}, {cores} cores, {compiler}")
}

/// The date, as `2024-02-29`, in Greenwich.
fn today() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let days = (now.as_secs() / 86_400) as i64;
    // years begin in March and 400 of them repeat, so that leap days are the last
    let day = days + 719_468;
    let (era, day) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{date:02}", 400 * era + year + later)
}
