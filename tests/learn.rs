//! The exercises: each is solved by its reference and not by what the learner begins with, wrong answers
//! are found wrong in the smallest position, and nothing that a learner writes is the end of the program.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use ludex::learn::{Exercise, Progress, Settings, Unreadable, Verdict, judge};
use ludex::program::LoadRequest;

fn exercises() -> Vec<Exercise> {
    Exercise::shipped().unwrap_or_else(|Unreadable { diagnostics, .. }| panic!("{diagnostics:?}"))
}

fn verdict(exercise: &Exercise, text: &str) -> Verdict {
    let learner = LoadRequest { text: Some(text.to_string()), ..LoadRequest::text("answer", text) };
    judge(exercise, &learner, &Settings::default())
        .unwrap_or_else(|e| panic!("{}: {e:?}", exercise.name))
}

/// The wrong answers to an exercise: sections of a file under `tests/learn/answers/`.
fn wrong_answers(name: &str) -> Vec<String> {
    let path = format!("{}/tests/learn/answers/{name}.ludex", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    text.split("%% wrong\n").skip(1).map(str::to_string).collect()
}

#[test]
fn the_reference_is_right_and_the_beginning_is_not() {
    let all = exercises();
    assert!(all.len() >= 24, "only {} exercises", all.len());
    for exercise in &all {
        let name = &exercise.name;
        assert!(exercise.hints.len() >= 2, "{name} has too few hints");
        let right = judge(exercise, &exercise.reference(), &Settings::default());
        let Ok(Verdict::Right { positions, warnings }) = right else {
            panic!("{name}: {right:?}");
        };
        assert!(positions >= 2, "{name}: only {positions} positions");
        assert!(warnings.1.is_empty(), "{name}: {:?}", warnings.1);
        let begun = verdict(exercise, &exercise.file(1));
        assert!(!matches!(begun, Verdict::Right { .. }), "{name} is solved at the beginning");
    }
}

#[test]
fn wrong_answers_are_told_the_smallest_difference() {
    let folder = tempfile::tempdir().expect("a folder");
    insta::with_settings!({ snapshot_path => "learn/verdicts", prepend_module_to_snapshot => false, omit_expression => true }, {
        for exercise in exercises() {
            let answers = wrong_answers(&exercise.name);
            assert!(answers.len() >= 2, "{}: too few wrong answers", exercise.name);
            let mut told = String::new();
            for answer in answers {
                let (code, said) = check(&exercise.name, &exercise.answered(&answer), folder.path());
                assert_eq!(code, Some(1), "{}: {answer}\n{said}", exercise.name);
                told.push_str(&format!("{answer}\n{said}\n"));
            }
            insta::assert_snapshot!(exercise.name.as_str(), told);
        }
    });
}

/// What the program says of an answer, and its exit code.
fn check(name: &str, text: &str, folder: &Path) -> (Option<i32>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ludex"))
        .args(["learn", name, "--check", "-", "--progress", "progress.json"])
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env("COLUMNS", "80")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("ended");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), said + &String::from_utf8_lossy(&output.stderr))
}

/// Texts that are no answers to anything.
const NONSENSE: [&str; 20] = [
    "",
    "foo",
    "foo.",
    "move(",
    "\"",
    "\u{0}\u{1}",
    "((((((((((",
    "...",
    "____.",
    "win(x) :- !.",
    "draw.",
    "move(M) :- legal(M).",
    "lose(P) :- lose(P).",
    "n(0). n(N) :- n(M), N is M + 1.",
    "go(L) :- go([a|L]). go([]). win(P) :- player(P), go([]).",
    "move(zz(X)) :- zz(X). zz(s(X)) :- zz(X). zz(z).",
    "loop(C) :- cell(C), loop(C). win(P) :- turn(P), loop(a1).",
    ":- include \"nowhere\".",
    ":- variant_of \"answer\".",
    ":- players a.",
];

#[test]
fn nonsense_is_judged_too() {
    for exercise in exercises() {
        for text in NONSENSE {
            let verdict = verdict(&exercise, &exercise.answered(text));
            assert!(
                !matches!(verdict, Verdict::Right { .. }),
                "{}: {text} is right",
                exercise.name
            );
        }
    }
}

/// An exercise that a teacher might write.
const SMALL: &str = "%% exercise Small
%% task
% Place stones.
%% given
:- players one.
:- state heap -> 0..9 = 0.
draw :- ply(3).
%% start
move(add) :- ____.
%% reference
move(add) :- heap += 1.
%% compare
depth(2).
";

#[test]
fn endless_rules_end_with_a_message() {
    let exercise = Exercise::read("small.ludex", None, SMALL).expect("an exercise");
    let settings =
        Settings { position: std::time::Duration::from_millis(300), ..Settings::default() };
    let answer = exercise.answered(
        "move(add) :- heap += 1, down(100000000).\ndown(0).\ndown(N) :- N > 0, M is N - 1, down(M).",
    );
    let learner =
        LoadRequest { text: Some(answer.clone()), ..LoadRequest::text("answer", &answer) };
    let verdict = judge(&exercise, &learner, &settings).expect("a verdict");
    match verdict {
        Verdict::Differs { difference, .. } => {
            assert!(["error", "time"].contains(&difference.kind), "{difference:?}");
        }
        Verdict::Unloaded(_) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn faults_of_an_exercise_have_a_place_and_advice() {
    let cases = [
        ("%% exercise X\n%% task\n% t\n", "the section `%% reference` is missing"),
        ("%% exercise\n%% task\n% t\n%% reference\na.\n", "the exercise has no title"),
        ("%% exercise X\n%% task\n%% reference\na.\n", "the task is empty"),
        ("%% exercise X\n%% tusk\n% t\n%% reference\na.\n", "no section is called `tusk`"),
        ("a.\n%% exercise X\n%% task\n% t\n%% reference\na.\n", "rules stand before"),
        ("%% exercise X\n%% task\n% t\n%% task\n% u\n%% reference\na.\n", "stands here twice"),
        ("%% exercise X\n%% task\n% t\n%% reference\na.\n%% compare\ndepth(x).\n", "no number"),
        (
            "%% exercise X\n%% task\n% t\n%% reference\na.\n%% compare\ndeep(2).\n",
            "nothing that can",
        ),
        ("%% exercise X\n%% task\n% t\n%% reference\na.\n%% compare\nignore(all).\n", "no part"),
        ("%% exercise X\n%% task\n% t\n%% reference\na.\n%% compare\noptions(a).\n", "no option"),
        (
            "%% exercise X\n%% task\n% t\n%% reference\na.\n%% compare\nposition(a).\n",
            "no position",
        ),
        ("%% exercise X\n%% task\n% t\n%% reference\na.\n%% compare\na :- b.\n", "only facts"),
    ];
    for (text, message) in cases {
        let faults = Exercise::read("x.ludex", None, text).expect_err(text).diagnostics;
        let fault = faults.iter().find(|f| f.message.contains(message));
        let fault = fault.unwrap_or_else(|| panic!("{text}: {faults:?}"));
        assert!(!fault.labels.is_empty() && !fault.hints.is_empty(), "{fault:?}");
    }
}

#[test]
fn progress_is_kept_and_foreign_files_are_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("new/folder/learn.json");
    let mut progress = Progress::read(&path).expect("there is none yet");
    progress.change("ann", "fact").attempts = 3;
    progress.change("ann", "fact").solved = true;
    progress.write(&path).expect("written");
    let mut again = Progress::read(&path).expect("read");
    assert_eq!(again.of("ann", "fact"), progress.of("ann", "fact"));
    let mut other = Progress::default();
    other.change("ann", "fact").attempts = 1;
    other.change("bob", "fact").attempts = 2;
    again.join(other);
    assert_eq!((again.of("ann", "fact").attempts, again.of("bob", "fact").attempts), (3, 2));
    for text in
        ["", "{}", "[1]", "{\"ludex_learn\":1}", "{\"ludex_learn\":1,\"learners\":{\"a\":3}}"]
    {
        let foreign = folder.path().join("foreign");
        std::fs::write(&foreign, text).expect("written");
        assert!(Progress::read(&foreign).is_err(), "{text}");
    }
}
