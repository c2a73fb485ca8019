//! Rule files that some evaluator once got wrong (`tests/cases/`), each with the right answer.
//!
//! The move counts are asked of the reference evaluator, the interpreter and machine code; what a
//! command has to say, of the program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ludex::engine::{Execution, Perft, PlayoutOptions, Session};
use ludex::pipeline::{self, Loaded};
use ludex::program::LoadRequest;
use ludex::reference::Reference;
use ludex::syntax::print_term;

const ENGINES: [&str; 3] = ["compiled", "interpreted", "reference"];

/// The numbers of sequences of one move, of two, and so on.
const COUNTS: [(&str, &[u64]); 172] = [
    ("a_flood_for_each_group", &[10, 56, 641, 6523]),
    ("after_moves", &[9, 32, 68, 160]),
    ("after_nested", &[30, 312, 632]),
    ("after_tables", &[6, 30, 384, 3600]),
    ("after_threats", &[9, 72, 504, 3312]),
    ("after_values", &[6, 60, 240, 1446]),
    ("asked_before_choices", &[9, 144, 1772]),
    ("atom_concat_texts", &[3, 0]),
    ("begun_recursions", &[12, 47, 445, 2979]),
    ("begun_alike", &[10, 88, 732, 5921]),
    ("begun_anywhere", &[7, 45, 285]),
    ("branches_left_open", &[3, 4, 2, 0]),
    ("branch_with_updates", &[2, 7, 27, 54, 100]),
    ("calculated_in_aggregates", &[1, 5, 21]),
    ("calls_as_sets", &[23, 514, 11_819]),
    ("chained_pairs", &[6, 30, 120, 384, 1176, 4674]),
    ("choice_static", &[8, 0]),
    ("choices_behind_each", &[17, 265, 2442]),
    ("choices_tested_early", &[64, 2520, 63_568]),
    ("chosen_elsewhere", &[236, 47_767]),
    ("clauses_chosen", &[9, 72, 504, 2688]),
    ("clauses_of_tables", &[7, 56, 303, 1776]),
    ("clauses_without_updates", &[10, 98, 826, 6913]),
    ("compared_aggregates", &[48, 1648, 42_880]),
    ("comparisons_apart", &[18, 351, 7153]),
    ("compound_counted", &[2, 0]),
    ("compound_in_action", &[2, 2]),
    ("compound_in_end", &[2, 0]),
    ("compound_in_goal", &[2, 2]),
    ("compound_in_head", &[2, 2]),
    ("compound_negated", &[2, 2]),
    ("compound_of_number", &[1, 1]),
    ("compound_to_action", &[2, 2]),
    ("counted_behind_guard", &[12, 132, 1320, 11880]),
    ("counted_beside", &[12, 132, 1320, 11_880]),
    ("counted_between", &[18, 353, 6619]),
    ("counted_steps", &[3, 24, 104, 864]),
    ("counted_up_to", &[14, 160, 1979]),
    ("counted_down_in_play", &[13, 192, 4016]),
    ("counted_parts", &[5, 27, 148, 845]),
    ("counts_of_all", &[48, 2254, 69_165]),
    ("counts_of_at_least", &[24, 558, 12_668]),
    ("counts_of_lists", &[8, 48, 324, 2184]),
    ("denied_clauses", &[57, 2712, 106667]),
    ("denied_images", &[8, 62, 374, 2166, 10_797]),
    ("each_after_each", &[32, 992]),
    ("each_distinct", &[1, 0]),
    ("each_in_any_order", &[6, 30, 155]),
    ("each_without_variables", &[1, 1]),
    ("elements_of_groups", &[64, 2574, 120_573]),
    ("elements_of_rows", &[10, 147, 2262, 26_986]),
    ("ends_of_recursions", &[16, 196, 1864]),
    ("failing_branch_in_each", &[4, 16, 64]),
    ("few_constants", &[25, 552, 10_754]),
    ("few_numbers", &[18, 286, 5420]),
    ("first_in_order", &[12, 132, 1100, 9554]),
    ("flood_from_itself", &[9, 72, 504, 2976]),
    ("first_answers_ahead", &[11, 102, 882, 7431]),
    ("floods_in_tests", &[2, 6, 12, 42, 154]),
    ("floors", &[3, 9, 33, 104]),
    ("forbidden_steps", &[95, 7373]),
    ("gathered_once", &[10, 108, 887, 8425]),
    ("given_calls", &[22, 381, 5326]),
    ("graph_of_numbers", &[5, 22, 77, 219]),
    ("groups_with_moves", &[5, 29, 153, 825]),
    ("held_values", &[17, 360, 7194]),
    ("images_of_images", &[14, 194, 2609, 34_511]),
    ("items_of_a_list", &[49, 2405]),
    ("items_of_lists", &[4, 16, 88, 512]),
    ("joins_like_closures", &[78, 4669]),
    ("joint_sites", &[20, 433, 7893]),
    ("kept_lists", &[19, 347, 5985, 97_165]),
    ("known_calls", &[11, 91, 646, 4195]),
    ("least_of_all", &[20, 794, 20_432]),
    ("limited_counts", &[72, 5146, 287_541]),
    ("list_rays", &[1, 1]),
    ("list_recursion_budget", &[1, 1]),
    ("list_recursion_hangs", &[1, 0]),
    ("lists_begun", &[15, 194, 2826]),
    ("lists_given_late", &[1, 1, 2, 2, 0]),
    ("lists_laid", &[31, 824, 11_552]),
    ("lists_of_all_items", &[6, 57, 678]),
    ("lists_without_end", &[34, 962, 23_080, 436_976]),
    ("lists_that_are_constants", &[18, 318, 4856]),
    ("many_candidates", &[620, 64_400]),
    ("many_values", &[12, 399, 5505]),
    ("middles_of_rows", &[8, 58, 422, 2899]),
    ("more_than_the_least", &[48, 2142, 86_675]),
    ("move_listed_thrice", &[1, 1]),
    ("native_segfault", &[7, 49, 302, 1469]),
    ("native_stack_overflow", &[1, 1, 1]),
    ("needed_rows", &[25, 588, 12_972]),
    ("negative_rank", &[1, 1]),
    ("next_in_turn", &[3, 9, 27, 94, 225, 657]),
    ("notation_of_legal_only", &[2, 2, 0]),
    ("numbered_sites", &[40, 1560]),
    ("numbers_from_outside", &[4, 16, 50, 154, 412, 1074, 2909]),
    ("numbers_out_of_range", &[3, 7, 14, 35]),
    ("once_and_denied", &[9, 72, 576]),
    ("once_first", &[1, 0]),
    ("one_best", &[6, 35, 203, 1182]),
    ("only_rows_of_sites", &[16, 240, 3360, 43_608]),
    ("options_inside_given", &[1, 1]),
    ("order_of_answers", &[4, 16, 64]),
    ("other_values", &[12, 87, 1026, 10_352]),
    ("over_at_start", &[0, 0]),
    ("pairs_passed_on", &[8, 56, 684, 7601]),
    ("part_of_a_count", &[24, 500, 10148]),
    ("passed_directions", &[15, 266, 4219, 59_531]),
    ("passed_in_part", &[274, 57_101]),
    ("paths_with_visited", &[3, 14, 73, 488, 1794]),
    ("pieces_know_sites", &[13, 195, 3177]),
    ("pieces_with_sites", &[8, 75, 618, 5133]),
    ("placed_behind_a_step", &[20, 320, 6914]),
    ("projected_calls", &[41, 477]),
    ("put_off", &[2, 18, 162, 972, 1944]),
    ("questions_alike", &[16, 152, 2456, 26_608]),
    ("raised_behind_tests", &[3, 9, 27]),
    ("read_twice_backwards", &[22, 480, 10_460]),
    ("reads_in_chains", &[15, 202, 1284]),
    ("recursion_at_load", &[12, 132, 1326, 10_258]),
    ("recursion_from_any", &[5, 20, 60]),
    ("recursion_in_choices", &[6, 56, 398, 2450]),
    ("recursion_in_turn", &[28, 473, 10334]),
    ("recursion_without_seed", &[6, 22]),
    ("recursions_apart", &[36, 1182, 35_315]),
    ("repeated_in_recursion", &[5, 25, 111, 455, 1780]),
    ("repeated_variable", &[1, 1]),
    ("reserved_rounds", &[2, 4, 8]),
    ("right_recursion", &[12, 132, 1400, 13_372]),
    ("row_behind_condition", &[6, 30, 150, 592, 1608]),
    ("rows_taken", &[14, 196, 2744, 38_144]),
    ("runs_from_ends", &[4, 12, 44, 144, 508]),
    ("runs_of_pairs", &[8, 56, 376, 2176]),
    ("said_of_lists", &[8, 54, 414, 2860]),
    ("said_of_one_value", &[22, 528, 10_727]),
    ("second_way", &[1, 0]),
    ("seeds_as_set", &[4, 12, 135]),
    ("single_answers", &[14, 111, 1378, 10_620]),
    ("sites_behind_sites", &[12, 88, 538, 3490]),
    ("sites_between", &[17, 272, 4160]),
    ("sites_denied", &[13, 156, 1640]),
    ("sites_in_part", &[13, 156, 1716, 11_880]),
    ("sites_led_by_relations", &[4, 12, 122, 906]),
    ("slides_and_joins", &[5, 33, 142, 854]),
    ("sparse_key", &[2, 0]),
    ("squares_and_levels", &[19, 361, 6238]),
    ("steps_back_calculated", &[3, 23, 131, 1052]),
    ("steps_by_constants", &[23, 481, 11_066]),
    ("steps_thrown", &[3, 90, 270]),
    ("tables_compared", &[10, 100, 705, 3176]),
    ("tables_within_tables", &[7, 46, 298]),
    ("tests_behind_updates", &[11, 18, 186, 1084]),
    ("three_keys", &[16, 256, 4096]),
    ("total_board", &[6, 30]),
    ("transitive_closure", &[32, 990, 29_352]),
    ("turn_in_denials", &[11, 8, 20, 90]),
    ("turn_in_inner_denials", &[4, 14, 60]),
    ("unordered_compound", &[2, 4]),
    ("unordered_ifelse", &[2, 0]),
    ("updates_that_meet", &[32, 1105, 40_500]),
    ("values_behind_updates", &[20, 580, 11_566]),
    ("values_found", &[12, 120, 1440, 12_420]),
    ("values_not_kept", &[32, 932, 26_460]),
    ("values_that_lead_floods", &[10, 94, 847, 7126]),
    ("visited_list", &[1372, 0]),
    ("walks_ahead", &[27, 243, 3024, 44_064]),
    ("ways_compared", &[6, 30, 78, 190, 576, 752]),
    ("ways_to_an_answer", &[1]),
    ("ways_to_one_end", &[2, 4, 8, 6]),
    ("why_ply", &[1, 1]),
    ("wide_numbers", &[3, 6, 6]),
];

/// Playing these is a rule error, or loading them an error.
const FAULTS: [&str; 6] = [
    "after_error",
    "atom_concat_memory",
    "lists_in_lists",
    "leaving_the_board",
    "update_outside_domain",
    "zero_weights",
];

/// The moves of the opening.
const MOVES: [(&str, &str); 3] =
    [("each_distinct", "x(3)"), ("once_first", "x(k3)"), ("each_without_variables", "go")];

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(format!("{name}.ludex"))
}

fn load(name: &str) -> Loaded {
    pipeline::load(&LoadRequest::path(path(name)))
        .unwrap_or_else(|f| panic!("{name} does not load: {:?}", f.diagnostics))
}

#[test]
fn every_file_has_an_answer() {
    let mut known: Vec<&str> = COUNTS.iter().map(|(name, _)| *name).chain(FAULTS).collect();
    known.sort_unstable();
    let files = fs::read_dir(path("once_first").with_file_name("")).expect("the folder");
    let mut found: Vec<String> = files
        .filter_map(|e| Some(e.ok()?.path().file_stem()?.to_string_lossy().into_owned()))
        .collect();
    found.sort_unstable();
    assert_eq!(found, known);
}

#[test]
fn all_evaluators_count_the_same_moves() {
    for (name, counts) in COUNTS {
        let game = load(name).game;
        for execution in [Execution::Interpreted, Execution::Native] {
            let mut session = Session::with(&game, execution);
            let opening = session.opening();
            for (depth, count) in (1..).zip(counts) {
                let found = session.perft(&opening, depth, &mut Perft::new(&|| false));
                assert_eq!(found.ok(), Some(*count), "{name} {execution:?} perft {depth}");
            }
        }
        let reference = Reference::new(game.program.clone(), game.tables.clone());
        for (depth, count) in (1..).zip(counts) {
            let found = reference.perft(&reference.opening(), depth);
            assert_eq!(found.ok(), Some(*count), "{name} reference perft {depth}");
        }
    }
}

#[test]
fn all_evaluators_list_the_same_moves() {
    for (name, expected) in MOVES {
        let game = load(name).game;
        for execution in [Execution::Interpreted, Execution::Native] {
            let mut session = Session::with(&game, execution);
            let opening = session.opening();
            let moves = session.legal_moves(&opening).expect("no rule error");
            let shown: Vec<String> = moves.iter().map(|m| print_term(&m.term)).collect();
            assert_eq!(shown, [expected], "{name} {execution:?}");
        }
    }
}

/// Random games run to their ends in machine code, also where its functions nest deeply.
#[test]
fn random_games_run() {
    for name in ["native_stack_overflow", "native_segfault", "over_at_start", "list_rays"] {
        let game = load(name).game;
        for execution in [Execution::Interpreted, Execution::Native] {
            let mut session = Session::with(&game, execution);
            let opening = session.opening();
            let mut options = PlayoutOptions {
                seed: 1,
                max_plies: 60,
                go_on: &mut |done| done.games < 100,
                finished: None,
                seen: None,
            };
            let run = session.playouts(&opening, &mut options);
            assert!(run.is_ok_and(|p| p.games >= 100), "{name} {execution:?}");
        }
    }
}

fn run(words: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
    said(&command.args(words).output().expect("it runs"))
}

fn said(output: &Output) -> (Option<i32>, String) {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), text + &String::from_utf8_lossy(&output.stderr))
}

fn file(name: &str) -> String {
    path(name).to_string_lossy().into_owned()
}

#[test]
fn right_programs_are_accepted() {
    for (name, _) in COUNTS {
        let (status, text) = run(&["check", &file(name)]);
        assert_eq!(status, Some(0), "{name}: {text}");
    }
}

#[test]
fn rule_errors_are_told_by_every_engine() {
    let faults = [
        ("after_error", "moves --after up", "value-outside-domain"),
        ("update_outside_domain", "perft 1", "value-outside-domain"),
        ("leaving_the_board", "perft 1", "value-outside-domain"),
        ("zero_weights", "bench --seconds 1", "no-weight"),
        ("zero_weights", "moves", "no-weight"),
        ("lists_in_lists", "perft 1", "ambiguous-move"),
    ];
    for (name, words, code) in faults {
        for engine in ENGINES {
            let mut words: Vec<&str> = words.split(' ').collect();
            let file = file(name);
            words.insert(1, &file);
            words.extend(["--engine", engine]);
            let (status, text) = run(&words);
            assert!(status == Some(1) && text.starts_with(code), "{words:?}: {text}");
        }
    }
    // the checker sees it too
    let (_, text) = run(&["check", &file("update_outside_domain")]);
    assert!(text.contains("`d`"), "{text}");
}

#[test]
fn an_action_runs_for_each_distinct_answer() {
    for engine in ENGINES {
        let words = ["moves", &file("each_without_variables"), "--after", "go", "--json"];
        let (_, text) = run(&[&words[..], &["--engine", engine]].concat());
        assert!(text.contains("\"n := 2\""), "{engine}: {text}");
    }
}

#[test]
fn the_examples_of_a_file_hold() {
    for name in ["after_values", "native_segfault", "options_inside_given", "total_board"] {
        let (status, text) = run(&["test", &file(name)]);
        assert_eq!(status, Some(0), "{text}");
    }
}

#[test]
fn the_reason_of_a_move_is_found_whatever_the_ply() {
    let (status, text) = run(&["why", &file("why_ply"), "place(c3)"]);
    assert!(status == Some(0) && text.contains("it is allowed after 3 moves"), "{text}");
}

#[test]
fn what_would_be_is_explained() {
    let after = ["--after", "mark(a1) mark(b1) mark(a2)", "--long"];
    let words = ["why", &file("after_threats"), "forced(C)"];
    let (status, text) = run(&[&words[..], &after[..]].concat());
    let lines = "✓ after(at(a3) := x, threerow(x))\n    → at(a3) := x\n    ✓ threerow(x)";
    assert!(status == Some(0) && text.contains(lines), "{text}");
    let words = ["why", &file("after_threats"), "forced(b3)"];
    let (_, text) = run(&[&words[..], &after[..]].concat());
    assert!(text.contains("does not hold: after `at(b3) := x`, "), "{text}");
}

#[test]
fn a_wrong_count_after_moves_is_told() {
    let rules = fs::read_to_string(path("total_board")).expect("the file");
    let folder = tempfile::tempdir().expect("a folder");
    let wrong = folder.path().join("wrong.ludex");
    for (line, told) in [
        (":- perft after([put(a1)], 2) = 21.", "20"),
        (":- perft after([put(a1), put(a1)], 1) = 1.", "put(a1)"),
    ] {
        fs::write(&wrong, format!("{rules}{line}\n")).expect("the file");
        let (status, text) = run(&["test", &wrong.to_string_lossy()]);
        assert!(status == Some(1) && text.contains(told), "{line}: {text}");
    }
}

#[test]
fn games_that_are_over_at_the_start_are_counted_and_end() {
    for engine in ENGINES {
        let words = ["bench", &file("over_at_start"), "--seconds", "0.2", "--engine", engine];
        let (status, text) = run(&words);
        assert_eq!(status, Some(0), "{engine}: {text}");
        let plies = text.lines().find(|l| l.starts_with("plies/playout"));
        assert!(plies.is_some_and(|l| l.contains(" 0")), "{engine}: {text}");
    }
}

/// Names that grow without end are stopped by the budget, within four gigabytes of addresses.
#[cfg(unix)]
#[test]
fn names_that_grow_are_stopped() {
    let line = format!("ulimit -v 4194304; exec {} check \"$0\"", env!("CARGO_BIN_EXE_ludex"));
    let mut command = Command::new("sh");
    let output = command.args(["-c", &line, &file("atom_concat_memory")]).output();
    let (status, text) = said(&output.expect("it runs"));
    assert!(status == Some(1) && text.starts_with("static-budget"), "{text}");
}

/// A text that is no move is read among the moves that are not legal too, which need have no notation.
#[test]
fn a_notation_that_only_legal_moves_have_is_enough() {
    let (status, text) = run(&["why", &file("notation_of_legal_only"), "13th"]);
    assert!(status == Some(1) && text.contains("`13th` is no legal move"), "{text}");
    let (status, text) = run(&["why", &file("notation_of_legal_only"), "12th"]);
    assert!(status == Some(0) && text.contains("is legal"), "{text}");
}
