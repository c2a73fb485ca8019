//! Arguments in, exit code out.

use std::process::ExitCode;

/// Rules may nest deeply, and the reference evaluator nests with them.
const STACK: usize = 256 << 20;

fn main() -> ExitCode {
    let work = || ludex::cli::run(std::env::args_os());
    let code = match std::thread::Builder::new().stack_size(STACK).spawn(work) {
        // a panic has said what it has to say
        Ok(thread) => thread.join().unwrap_or(101),
        Err(_) => work(),
    };
    ExitCode::from(code)
}
