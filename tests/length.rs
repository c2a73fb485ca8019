//! The length of the shipped games: `docs/length.md` has the numbers of tokens, and no game of the table has grown
//! by more than a twentieth since.

use ludex::program::{FileRole, LoadRequest, load, sizes};

/// The table's rows: the name of a game, its tokens, and the tokens of another description of it.
fn rows() -> Vec<(String, usize, usize)> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/length.md");
    let page = std::fs::read_to_string(path).expect("the page");
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|cell| cell.trim().to_string()).collect()
    };
    let rows = page.lines().filter(|line| line.starts_with("| `")).map(cells);
    rows.map(|cells| {
        let number =
            |i: usize| cells[i].parse().unwrap_or_else(|_| panic!("no number in {cells:?}"));
        (cells[0].trim_matches('`').to_string(), number(1), number(2))
    })
    .collect()
}

fn tokens(name: &str) -> usize {
    let loaded = load(&LoadRequest::shipped(name));
    let sizes = sizes(&loaded.sources);
    assert!(!sizes.is_empty(), "{name}: no such game");
    sizes.iter().filter(|file| file.role != FileRole::Included).map(|file| file.tokens).sum()
}

#[test]
fn no_game_has_grown_beyond_the_table() {
    let rows = rows();
    assert!(rows.len() >= 40, "the table has {} rows", rows.len());
    let mut wrong = Vec::new();
    for (name, told, other) in &rows {
        let now = tokens(name);
        if now * 100 > told * 105 {
            wrong.push(format!("{name}: {now} tokens, {told} in docs/length.md"));
        }
        // the table must follow a game that has become much shorter
        if now * 100 < told * 80 {
            wrong.push(format!("{name}: only {now} tokens, {told} in docs/length.md"));
        }
        assert!(*other > 0, "{name}: compared with nothing");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
