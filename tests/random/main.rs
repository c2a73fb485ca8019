//! Random rule files through every evaluator.
//!
//! The files that once went wrong (`found/`) are played first, then new ones are written
//! (`generate/`). Of each the reference evaluator, the interpreter, machine code and, for a share,
//! SWI-Prolog must give the same games (`check.rs`, `play.rs`, `law.rs`), also from the positions
//! that examples give (`given.rs`). Positions (`told.rs`) and, for a share, moves (`notations.rs`) are
//! written and read again. Files are compared in worker processes (`worker.rs`); what goes wrong is
//! made smaller (`shrink.rs`).
//!
//! `LUDEX_RANDOM_SECONDS` and `LUDEX_RANDOM_COUNT` say how long, `LUDEX_RANDOM_SEED` where to
//! begin; with `LUDEX_RANDOM_KEEP=DIR` every find is kept there and the run goes on.

mod campaign;
mod check;
mod facts;
mod files;
mod generate;
mod given;
mod law;
mod native;
mod notations;
mod play;
mod prolog;
mod report;
mod shrink;
#[path = "../statistics/mod.rs"]
#[allow(dead_code)]
mod statistics;
mod told;
mod worker;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    if std::env::var_os(worker::WORKER).is_some() {
        worker::serve();
        return ExitCode::SUCCESS;
    }
    if let Ok(seed) = std::env::var("LUDEX_RANDOM_PRINT") {
        print!("{}", generate::rule_file(seed.parse().unwrap_or(0)));
        return ExitCode::SUCCESS;
    }
    campaign::run(&Arguments::from_args())
}
