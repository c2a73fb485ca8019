//! The program: runs the command line and exits with its code.

use std::process::ExitCode;

/// The stack of the main thread, in bytes. The reference evaluator recurses as deeply as the rules
/// nest.
const STACK: usize = 256 << 20;

fn main() -> ExitCode {
    let work = || ludex::cli::run(std::env::args_os());
    let code = match std::thread::Builder::new().stack_size(STACK).spawn(work) {
        // a panic has already printed its message
        Ok(thread) => thread.join().unwrap_or(101),
        Err(_) => work(),
    };
    ExitCode::from(code)
}
