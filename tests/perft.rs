//! Move counts that independent programs gave (`tests/perft/counts.csv`): how many sequences of
//! exactly that many moves there are from the start. Counts above the limit are left to
//! `LUDEX_PERFT_LIMIT`.

use ludex::engine::{Perft, Session};
use ludex::pipeline;
use ludex::program::LoadRequest;
use ludex::syntax::TermKind;

#[test]
fn counts_agree_with_independent_programs() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/perft/counts.csv");
    let table = std::fs::read_to_string(path).expect("the counts");
    let limit =
        std::env::var("LUDEX_PERFT_LIMIT").ok().and_then(|v| v.parse().ok()).unwrap_or(300_000u64);
    let mut compared = 0;
    for line in table.lines().skip(1) {
        let [name, options, depth, count] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("not a row: {line}");
        };
        let count: u64 = count.parse().expect("a count");
        if count > limit {
            continue;
        }
        let mut request = LoadRequest::shipped(name);
        for option in options.split_whitespace() {
            let (option, value) = option.split_once('=').expect("name=value");
            request = request.with_option(option, value);
        }
        let game = pipeline::load(&request).unwrap_or_else(|f| panic!("{line}: {f:?}")).game;
        let mut session = Session::new(&game);
        let opening = session.opening();
        let mut work = Perft::new(&|| false);
        let found = session.perft(&opening, depth.parse().expect("a depth"), &mut work);
        assert_eq!(found.expect("no rule error"), count, "{line}");
        compared += 1;
    }
    assert!(compared > 35, "only {compared} counts compared");
}

/// The counts of `counts.csv` for sowing on four rows, and one of a position, as a short independent program finds
/// them.
#[test]
fn sowing_on_four_rows_is_counted_by_another_program() {
    let count = |arguments: &[&str]| -> u64 {
        let root = env!("CARGO_MANIFEST_DIR");
        let mut command = std::process::Command::new("python3");
        command.arg(format!("{root}/tests/python/sowing_games.py")).arg("perft").args(arguments);
        let output = command.output().expect("python3 is there");
        assert!(output.status.success(), "{arguments:?}");
        String::from_utf8(output.stdout).expect("text").trim().parse().expect("a count")
    };
    for (holes, capture, depth) in [
        ("8", "inner", 3),
        ("8", "inner", 4),
        ("8", "both", 4),
        ("4", "inner", 5),
        ("12", "both", 3),
    ] {
        let request = LoadRequest::shipped("hus");
        let request = request.with_option("holes", holes).with_option("capture", capture);
        let game = pipeline::load(&request).unwrap_or_else(|f| panic!("{f:?}")).game;
        let mut session = Session::new(&game);
        let opening = session.opening();
        let mut work = Perft::new(&|| false);
        let found = session.perft(&opening, depth, &mut work).expect("no rule error");
        assert_eq!(found, count(&[holes, capture, &depth.to_string()]), "{holes} {capture}");
    }
}

/// Small games of many mechanisms, each with a count that another program gave.
#[test]
fn other_rules_count_as_well() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/rules");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("tests/rules")
        .filter_map(|e| e.ok().map(|e| e.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "ludex"))
        .collect();
    files.sort();
    assert!(files.len() > 10, "the files are gone");
    for path in files {
        let game =
            pipeline::load(&LoadRequest::path(&path)).unwrap_or_else(|f| panic!("{f:?}")).game;
        let mut session = Session::new(&game);
        let opening = session.opening();
        assert!(!game.program.perfts.is_empty(), "{}: no count", path.display());
        for line in &game.program.perfts {
            let TermKind::Integer(depth) = line.subject.kind else { continue };
            let mut work = Perft::new(&|| false);
            let found = session.perft(&opening, depth as u32, &mut work).expect("no rule error");
            assert_eq!(found, line.count, "{}: perft {depth}", path.display());
        }
    }
}
