//! The command line: one file for each command, and shared parts.
//!
//! Answers go to the standard output, and faults to the standard error. Exit codes: 0 success, 1 a
//! fault of the file or the game, 2 a fault of the command line.

mod analyse;
mod bench;
mod check;
mod completions;
mod cover;
mod diff;
mod explain;
mod export;
mod games;
mod import;
mod learn;
mod man;
mod moves;
mod perft;
mod play;
mod probe;
mod profile;
mod record;
mod repl;
mod replay;
mod report;
mod review;
mod rpc;
mod series;
#[cfg(feature = "serve")]
mod serve;
mod show;
mod solve;
mod test;
mod tokens;
mod tournament;
mod tune;
mod why;

use std::ffi::OsString;

use clap::{CommandFactory, Parser, Subcommand};

use crate::referee::Stop;
use crate::ui::console::{ColorChoice, Console};
use crate::ui::signals;

/// Board games described as logic programs: play, check, test, count and measure them.
#[derive(Debug, Parser)]
#[command(name = "ludex", version, max_term_width = 100, subcommand_required = false)]
struct Arguments {
    /// When to use colours.
    #[arg(long, value_enum, global = true, default_value_t = ColorChoice::Auto)]
    color: ColorChoice,

    /// Without a command the prompt opens, as by `ludex repl`.
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Repl(repl::ReplArguments),
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
    Profile(profile::ProfileArguments),
    Replay(replay::ReplayArguments),
    Review(review::ReviewArguments),
    Export(export::ExportArguments),
    Import(import::ImportArguments),
    Analyse(analyse::AnalyseArguments),
    Tournament(tournament::TournamentArguments),
    Tune(tune::TuneArguments),
    Solve(solve::SolveArguments),
    Probe(probe::ProbeArguments),
    Report(report::ReportArguments),
    Games(games::GamesArguments),
    Learn(learn::LearnArguments),
    Rpc(rpc::RpcArguments),
    #[cfg(feature = "serve")]
    Serve(serve::ServeArguments),
    Completions(completions::CompletionsArguments),
    Man(man::ManArguments),
}

/// Runs the command line and returns the exit code.
pub fn run(arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> u8 {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(fault) => {
            // help and version go to the standard output; nothing is lost where it is closed
            let _ = fault.print();
            return u8::try_from(fault.exit_code()).unwrap_or(2);
        }
    };
    let console = Console::new(arguments.color);
    let result = match &arguments.command {
        Some(command) => dispatch(command, &console),
        None => repl::run(&repl::ReplArguments::default(), &console),
    };
    let result = result.and_then(|()| console.flush());
    // a signal that ends the program is the reason, whatever it has interrupted
    if let Some(code) = signals::ending() {
        return code;
    }
    match result {
        Ok(()) => 0,
        Err(stop) => console.report(stop),
    }
}

/// Runs a command given as words, e.g. at the prompt.
///
/// # Errors
/// Faults of the words, or the reason why the command stopped.
fn within(words: &[&str], console: &Console) -> Result<(), Stop> {
    match Arguments::try_parse_from(std::iter::once(&"ludex").chain(words)) {
        Ok(Arguments { command: Some(command), .. }) => dispatch(&command, console),
        Ok(_) => Ok(()),
        Err(fault) => {
            let text = fault.render().to_string();
            Err(Stop::Failed(text.trim().trim_start_matches("error: ").to_string()))
        }
    }
}

fn dispatch(command: &Command, console: &Console) -> Result<(), Stop> {
    match command {
        Command::Repl(arguments) => repl::run(arguments, console),
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
        Command::Profile(arguments) => profile::run(arguments, console),
        Command::Replay(arguments) => replay::run(arguments, console),
        Command::Review(arguments) => review::run(arguments, console),
        Command::Export(arguments) => export::run(arguments, console),
        Command::Import(arguments) => import::run(arguments, console),
        Command::Tournament(arguments) => tournament::run(arguments, console),
        Command::Analyse(arguments) => analyse::run(arguments, console),
        Command::Tune(arguments) => tune::run(arguments, console),
        Command::Solve(arguments) => solve::run(arguments, console),
        Command::Probe(arguments) => probe::run(arguments, console),
        Command::Report(arguments) => report::run(arguments, console),
        Command::Games(arguments) => games::run(arguments, console),
        Command::Learn(arguments) => learn::run(arguments, console),
        Command::Rpc(arguments) => rpc::run(arguments),
        #[cfg(feature = "serve")]
        Command::Serve(arguments) => serve::run(arguments, console),
        Command::Completions(arguments) => completions::run(arguments, console),
        Command::Man(arguments) => man::run(arguments, console),
    }
}

/// The definition of the command line, for completions and manual pages.
fn command() -> clap::Command {
    Arguments::command()
}
