//! Runs the files once found, then random ones, and says what came of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use libtest_mimic::Arguments;

use crate::check;
use crate::generate;
use crate::report::{EXPECTED, Find, Question, Report, Summary};
use crate::shrink;
use crate::worker::Worker;

/// A rule file that takes longer hangs. The slowest that the budgets let pass take some 30 s on a
/// busy machine.
const LIMIT: Duration = Duration::from_secs(90);
/// Random games of each file that was found once.
const REPLAYS: u64 = 4;
/// Finds of one class that are made smaller; those that then use the same of the language most
/// likely have one cause, and the first of them is kept.
const OF_A_CLASS: u64 = 8;
/// Errors of the checker that are not made smaller: less of the file would deserve them.
const WHOLE: [&str; 3] = ["refused: unbound-variable", "refused: syntax", "refused: not-a-number"];

/// One in so many files is compared with machine code, is asked of Prolog, and so on.
const NATIVE: u64 = 2;
const PROLOG: u64 = 5;
const LAW: u64 = 40;
const REPRINT: u64 = 6;

struct Settings {
    seconds: f64,
    count: u64,
    seed: u64,
    keep: Option<PathBuf>,
    workers: u64,
    /// Finds are not made smaller.
    whole: bool,
}

fn settings() -> Settings {
    let number = |name: &str| std::env::var(name).ok().and_then(|v| v.parse::<u64>().ok());
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_millis() as u64);
    let count = number("LUDEX_RANDOM_COUNT");
    let seconds = number("LUDEX_RANDOM_SECONDS");
    Settings {
        seconds: seconds.map_or(if count.is_some() { f64::MAX } else { 20.0 }, |s| s as f64),
        count: count.unwrap_or(u64::MAX),
        seed: number("LUDEX_RANDOM_SEED").unwrap_or(clock),
        keep: std::env::var_os("LUDEX_RANDOM_KEEP").map(PathBuf::from),
        whole: std::env::var_os("LUDEX_RANDOM_WHOLE").is_some(),
        workers: number("LUDEX_RANDOM_WORKERS").unwrap_or(2).max(1),
    }
}

/// What is asked of the file of a seed.
fn question(seed: u64) -> Question {
    let mixed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
    Question {
        text: generate::rule_file(seed),
        seed,
        native: mixed.is_multiple_of(NATIVE),
        prolog: mixed % PROLOG == 1,
        law: mixed % LAW == 2,
        reprint: mixed % REPRINT == 3,
    }
}

pub fn run(arguments: &Arguments) -> ExitCode {
    let found = found();
    let names: Vec<String> = found.iter().map(|(name, _)| format!("found {name}")).collect();
    let wanted = |name: &str| {
        let of = |filter: &String| match arguments.exact {
            true => name == filter,
            false => name.contains(filter.as_str()),
        };
        arguments.filter.as_ref().is_none_or(of) && !arguments.skip.iter().any(|s| name.contains(s))
    };
    let random = "random rule files";
    if arguments.list {
        names.iter().filter(|n| wanted(n)).for_each(|name| println!("{name}: test"));
        if wanted(random) {
            println!("{random}: test");
        }
        return ExitCode::SUCCESS;
    }
    let (mut passed, mut failed) = (0, 0);
    let mut worker = None;
    for ((_, path), name) in found.iter().zip(&names) {
        if !wanted(name) || arguments.ignored {
            continue;
        }
        let worker = worker.get_or_insert_with(Worker::start);
        match replay(worker, path) {
            Ok(()) => passed += 1,
            Err(find) => {
                failed += 1;
                println!("{name}: {}\n  {}", find.class, find.message);
            }
        }
    }
    if wanted(random) && !arguments.ignored {
        let summary = programs(&settings());
        passed += summary.programs - summary.failed();
        failed += summary.failed();
    }
    println!("{passed} passed, {failed} failed");
    ExitCode::from(u8::from(failed > 0))
}

/// The kept files, by name.
fn found() -> Vec<(String, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/random/found");
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all: Vec<(String, PathBuf)> = entries
        .map(|e| e.path())
        .filter(|path| path.extension().is_some_and(|e| e == "ludex"))
        .map(|path| (path.file_stem().unwrap_or_default().to_string_lossy().to_string(), path))
        .collect();
    all.sort();
    all
}

fn replay(worker: &mut Worker, path: &Path) -> Result<(), Find> {
    let text = std::fs::read_to_string(path).map_err(|e| Find::new("file", e.to_string()))?;
    for seed in 0..REPLAYS {
        let question = Question {
            text: text.clone(),
            seed,
            native: true,
            prolog: seed == 0,
            law: seed == 1,
            reprint: seed == 0,
        };
        let report = worker.ask(&question, LIMIT);
        if let Some((code, message)) = report.refused {
            return Err(Find::new(format!("refused: {code}"), message));
        }
        if let Some(find) = report.find {
            return Err(find);
        }
    }
    Ok(())
}

/// What the workers share.
struct Shared {
    next: u64,
    stop: bool,
    summary: Summary,
    shrunk: BTreeMap<String, u64>,
    /// Classes with what the smaller file uses.
    kept: BTreeSet<(String, Vec<String>)>,
}

/// Random rule files until the time is over, a signal comes, or one goes wrong and finds are not
/// kept.
fn programs(settings: &Settings) -> Summary {
    println!("LUDEX_RANDOM_SEED={}", settings.seed);
    let started = Instant::now();
    let shared = Mutex::new(Shared {
        next: 0,
        stop: false,
        summary: Summary::default(),
        shrunk: BTreeMap::new(),
        kept: BTreeSet::new(),
    });
    let share = |of: &mut dyn FnMut(&mut Shared)| match shared.lock() {
        Ok(mut shared) => of(&mut shared),
        Err(poisoned) => of(&mut poisoned.into_inner()),
    };
    let ended = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        if let Err(e) = signal_hook::flag::register(signal, Arc::clone(&ended)) {
            println!("a signal will end this without a summary: {e}");
        }
    }
    std::thread::scope(|scope| {
        for _ in 0..settings.workers {
            scope.spawn(|| {
                let mut worker = Worker::start();
                loop {
                    let mut number = None;
                    share(&mut |shared| {
                        let over = started.elapsed().as_secs_f64() > settings.seconds
                            || ended.load(Ordering::Relaxed);
                        if !over && !shared.stop && shared.next < settings.count {
                            number = Some(shared.next);
                            shared.next += 1;
                        }
                    });
                    let Some(number) = number else { break };
                    let question = question(settings.seed.wrapping_add(number));
                    let report = judged(worker.ask(&question, LIMIT));
                    let mut keep = false;
                    share(&mut |shared| {
                        shared.summary.add(question.seed, &report);
                        if let Some(find) = &report.find {
                            let shrunk = shared.shrunk.entry(find.class.clone()).or_default();
                            *shrunk += 1;
                            keep = *shrunk <= OF_A_CLASS;
                            shared.stop |= settings.keep.is_none();
                        }
                    });
                    let Some(find) = &report.find else { continue };
                    let first = find.message.lines().next().unwrap_or_default();
                    println!("seed {}: {}: {first}", question.seed, find.class);
                    if !keep {
                        continue;
                    }
                    let (text, message) = smaller(&mut worker, &question, &report, find, settings);
                    let key = (find.class.clone(), check::features(&text));
                    let mut number = None;
                    share(&mut |shared| {
                        if shared.kept.insert(key.clone()) {
                            number = Some(shared.kept.iter().filter(|(c, _)| *c == key.0).count());
                        }
                    });
                    if let Some(number) = number {
                        keep_find(&question, find, (&text, &message), number, settings);
                    }
                }
            });
        }
    });
    let shared = match shared.into_inner() {
        Ok(shared) => shared,
        Err(poisoned) => poisoned.into_inner(),
    };
    shared.summary.print(started.elapsed().as_secs_f64());
    shared.summary
}

/// A refusal is a find, unless it is one of those expected.
fn judged(mut report: Report) -> Report {
    if let (None, Some((code, message))) = (&report.find, &report.refused)
        && !EXPECTED.contains(&code.as_str())
    {
        report.find = Some(Find::new(format!("refused: {code}"), message.clone()));
    }
    report
}

/// The rule file of a find made smaller, and what is said of it then.
fn smaller(
    worker: &mut Worker,
    question: &Question,
    report: &Report,
    find: &Find,
    settings: &Settings,
) -> (String, String) {
    if settings.whole || WHOLE.contains(&find.class.as_str()) {
        return (question.text.clone(), find.message.clone());
    }
    let (text, said) = shrink::shrink(worker, question, report, &find.class);
    let message = match (said.find, said.refused) {
        (Some(find), _) => find.message,
        (None, Some((_, message))) => message,
        (None, None) => String::new(),
    };
    (text, message)
}

/// Prints a find and writes it, whole and made smaller, into the folder of finds.
fn keep_find(
    question: &Question,
    find: &Find,
    (text, message): (&str, &str),
    number: usize,
    settings: &Settings,
) {
    let header = |message: &str| -> String {
        let lines = message.lines().map(|line| format!("% {line}\n"));
        let first = format!("% {} (seed {})\n", find.class, question.seed);
        std::iter::once(first).chain(lines).collect()
    };
    let shrunk = format!("{}\n{text}", header(message));
    println!("---- seed {}: {}\n{shrunk}----", question.seed, find.class);
    let Some(folder) = &settings.keep else { return };
    let plain: String = (find.class.chars())
        .map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '_' })
        .collect();
    let mut words: Vec<&str> = plain.split('_').filter(|word| !word.is_empty()).collect();
    words.truncate(10);
    let name = format!("{}_{number}.ludex", words.join("_"));
    let whole = format!("{}\n{}", header(&find.message), question.text);
    let written = std::fs::create_dir_all(folder.join("whole"))
        .and_then(|()| std::fs::write(folder.join(&name), shrunk))
        .and_then(|()| std::fs::write(folder.join("whole").join(&name), whole));
    if let Err(e) = written {
        println!("{name} cannot be kept: {e}");
    }
}
