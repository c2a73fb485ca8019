//! `ludex rpc`: requests of programs, a line of JSON each, and their answers.

use std::io::{self, BufRead, Read, Write};
use std::time::Duration;

use clap::Args;

use crate::ask::{Desk, LONGEST_LINE};
use crate::referee::Stop;
use crate::ui::arguments::seconds;

/// Answers requests of programs: reads a JSON object a line and prints one for each.
///
/// `docs/rpc.md` shows the requests. Ends at the end of the input.
#[derive(Debug, Args)]
pub struct RpcArguments {
    /// The longest time for a request, in seconds.
    #[arg(long, value_name = "N", value_parser = seconds, default_value = "10")]
    seconds: f64,
}

pub fn run(arguments: &RpcArguments) -> Result<(), Stop> {
    let mut desk = Desk::new().within(Duration::from_secs_f64(arguments.seconds));
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut line = Vec::new();
    while read(&mut input, &mut line)? {
        // bytes that are no text are no JSON either, and a part of a line too long is enough to refuse it
        let text = String::from_utf8_lossy(&line);
        if text.trim().is_empty() {
            continue;
        }
        writeln!(output, "{}", desk.ask_json(text.trim_end()))?;
        output.flush()?;
    }
    Ok(())
}

/// Reads a line without its end, of one that is too long only the beginning; false at the end of the input.
fn read(input: &mut impl BufRead, line: &mut Vec<u8>) -> Result<bool, Stop> {
    line.clear();
    let failed = |error: io::Error| Stop::Failed(format!("cannot read: {error}"));
    let most = LONGEST_LINE as u64 + 2;
    let count = input.by_ref().take(most).read_until(b'\n', line).map_err(failed)?;
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if count as u64 == most {
        input.skip_until(b'\n').map_err(failed)?;
    }
    Ok(count > 0)
}
