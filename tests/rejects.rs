//! Every kind of mistake in a rule file has a file under `tests/rejects/` and a snapshot of what
//! the checker says of it, so that a message never changes unseen.

#[allow(dead_code)]
mod agreement;

use std::path::Path;

use ludex::diagnostic::render_all;
use ludex::pipeline;
use ludex::program::LoadRequest;
use ludex::source::Library;

fn report(path: &Path) -> String {
    let request = LoadRequest::path(path);
    match pipeline::load(&request) {
        Ok(loaded) => render_all(&loaded.game.program.sources, &loaded.warnings, false, 90),
        Err(failure) => {
            let all: Vec<_> =
                failure.request_faults.into_iter().chain(failure.diagnostics).collect();
            render_all(&failure.sources, &all, false, 90)
        }
    }
}

#[test]
fn every_rejected_file_gets_its_message() {
    std::env::set_current_dir(env!("CARGO_MANIFEST_DIR")).expect("the crate's folder");
    insta::with_settings!({ snapshot_path => "rejects/messages", prepend_module_to_snapshot => false, omit_expression => true }, {
        let mut files: Vec<_> = std::fs::read_dir("tests/rejects")
            .expect("tests/rejects")
            .filter_map(|e| e.ok().map(|e| e.path()))
            .filter(|p| p.extension().is_some_and(|e| e == "ludex"))
            .collect();
        files.sort();
        assert!(files.len() > 50, "the rejected files are gone");
        for path in files {
            let name = path.file_stem().expect("a stem").to_string_lossy().into_owned();
            let text = report(&path);
            assert!(!text.trim().is_empty(), "{name}: nothing is said of it");
            insta::assert_snapshot!(name, text);
        }
    });
}

/// The shipped games are free of warnings, whatever their options.
#[test]
fn shipped_games_have_no_warnings() {
    let mut wrong = Vec::new();
    for file in Library::games() {
        let request = LoadRequest::shipped(file.name);
        for options in agreement::variants(&request) {
            let request = LoadRequest { options, ..request.clone() };
            if let Ok(loaded) = pipeline::load(&request)
                && !loaded.warnings.is_empty()
            {
                let shown: Vec<&str> = loaded.warnings.iter().map(|d| d.code).collect();
                wrong.push(format!("{} {:?}: {shown:?}", file.name, request.options));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
