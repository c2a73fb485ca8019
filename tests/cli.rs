//! Every command with right and wrong input, as written in `tests/cli/`. The files there are
//! brought up to date by `TRYCMD=overwrite cargo test --test cli`.

#[test]
fn commands_answer_as_written() {
    trycmd::TestCases::new()
        .env("NO_COLOR", "1")
        .env("COLUMNS", "80")
        .env("USER", "learner")
        .timeout(std::time::Duration::from_secs(120))
        .case("tests/cli/*.trycmd")
        .case("tests/cli/*.toml");
}
