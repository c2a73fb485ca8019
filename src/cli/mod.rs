//! The command line: one file for each command, and what they share.
//!
//! Answers go to the standard output, what is wrong goes to the standard error. Exit codes: 0
//! done, 1 the file or the game is at fault, 2 the command line is.

mod arguments;
mod bench;
mod check;
mod completions;
mod console;
mod cover;
mod diff;
mod explain;
mod games;
mod man;
mod moves;
mod open;
mod perft;
mod play;
mod referee;
mod replay;
mod show;
mod signals;
mod start;
mod tables;
mod test;
mod typed;
mod why;

use std::ffi::OsString;

use clap::{CommandFactory, Parser, Subcommand};

use console::{ColorChoice, Console, Stop};

/// Board games described as logic programs: play, check, test, count and measure them.
#[derive(Debug, Parser)]
#[command(name = "ludex", version, max_term_width = 100, arg_required_else_help = true)]
struct Arguments {
    /// When to use colours.
    #[arg(long, value_enum, global = true, default_value_t = ColorChoice::Auto)]
    color: ColorChoice,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Play(play::PlayArguments),
    Moves(moves::MovesArguments),
    Why(why::WhyArguments),
    Show(show::ShowArguments),
    Cover(cover::CoverArguments),
    Diff(diff::DiffArguments),
    Explain(explain::ExplainArguments),
    Check(check::CheckArguments),
    Test(test::TestArguments),
    Perft(perft::PerftArguments),
    Bench(bench::BenchArguments),
    Replay(replay::ReplayArguments),
    Games(games::GamesArguments),
    Completions(completions::CompletionsArguments),
    Man(man::ManArguments),
}

/// Runs the command line and returns the exit code.
pub fn run(arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> u8 {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(fault) => {
            // help and version go to the standard output; a closed one is nobody's loss
            let _ = fault.print();
            return u8::try_from(fault.exit_code()).unwrap_or(2);
        }
    };
    let console = Console::new(arguments.color);
    let result = dispatch(&arguments.command, &console).and_then(|()| console.flush());
    match result {
        Ok(()) => 0,
        Err(stop) => console.report(stop),
    }
}

fn dispatch(command: &Command, console: &Console) -> Result<(), Stop> {
    match command {
        Command::Play(arguments) => play::run(arguments, console),
        Command::Moves(arguments) => moves::run(arguments, console),
        Command::Why(arguments) => why::run(arguments, console),
        Command::Show(arguments) => show::run(arguments, console),
        Command::Cover(arguments) => cover::run(arguments, console),
        Command::Diff(arguments) => diff::run(arguments, console),
        Command::Explain(arguments) => explain::run(arguments, console),
        Command::Check(arguments) => check::run(arguments, console),
        Command::Test(arguments) => test::run(arguments, console),
        Command::Perft(arguments) => perft::run(arguments, console),
        Command::Bench(arguments) => bench::run(arguments, console),
        Command::Replay(arguments) => replay::run(arguments, console),
        Command::Games(arguments) => games::run(arguments, console),
        Command::Completions(arguments) => completions::run(arguments, console),
        Command::Man(arguments) => man::run(arguments, console),
    }
}

/// The command line as data, for completions and man pages.
fn command() -> clap::Command {
    Arguments::command()
}
