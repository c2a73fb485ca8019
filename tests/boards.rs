//! Boards as they are drawn: in text at the width of a narrow terminal, in colour, and as pictures.

use std::path::Path;
use std::process::Command;

use ludex::source::Library;

/// What a command prints.
fn ludex(arguments: &[&str], columns: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
    command.args(arguments).env("COLUMNS", columns).env_remove("NO_COLOR");
    let output = command.output().expect("ludex runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn games() -> Vec<&'static str> {
    Library::games().iter().map(|game| game.name).collect()
}

#[test]
fn no_board_is_wider_than_a_narrow_terminal() {
    let mut wrong = Vec::new();
    for game in games() {
        for line in ludex(&["show", "board", game], "40").lines() {
            if line.chars().count() > 40 {
                wrong.push(format!("{game}: {line}"));
            }
            // a pipe has no colours
            assert!(!line.contains('\u{1b}'), "{game}: {line}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_wide_terminal_draws_what_a_narrow_one_does() {
    for game in games() {
        let signs = |columns: &str| {
            let text = ludex(&["show", "board", game], columns);
            let mut signs: Vec<char> = text.chars().filter(|c| !" \n─│╱╲╳┼".contains(*c)).collect();
            signs.sort_unstable();
            signs
        };
        assert_eq!(signs("40"), signs("80"), "{game}");
    }
}

/// The text without the escapes of colours.
fn bare(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |bare, part| bare + part.split_once('m').map_or("", |(_, rest)| rest))
}

#[test]
fn colours_change_no_sign_of_a_board() {
    for game in games() {
        let plain = ludex(&["show", "board", game], "80");
        let colored = ludex(&["--color", "always", "show", "board", game], "80");
        assert!(colored.contains("\u{1b}["), "{game} has no colour");
        let colored: Vec<String> =
            bare(&colored).lines().map(|line| line.trim_end().to_string()).collect();
        assert_eq!(plain.lines().collect::<Vec<_>>(), colored, "{game}");
    }
}

/// The value of an attribute.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let start = tag.find(&format!(" {name}=\""))? + name.len() + 3;
    tag[start..].split('"').next()
}

fn number(tag: &str, name: &str) -> f64 {
    attribute(tag, name).and_then(|text| text.parse().ok()).unwrap_or_default()
}

/// The boxes of the labels around the board, and of all that is drawn at the sites.
fn boxes(picture: &str) -> (Vec<[f64; 4]>, Vec<[f64; 4]>) {
    let (mut labels, mut sites) = (Vec::new(), Vec::new());
    for part in picture.split('<') {
        let tag = part.split('>').next().unwrap_or_default();
        let text = part.split('>').nth(1).unwrap_or_default().trim();
        // labels and names have a colour of their own
        if tag.starts_with("text ") && attribute(tag, "fill") == Some("#6f6653") {
            let (size, x, y) = (number(tag, "font-size"), number(tag, "x"), number(tag, "y"));
            let half = text.chars().count() as f64 * size * 0.3;
            labels.push([x - half, y - size * 0.75, x + half, y]);
        }
        if tag.starts_with("circle ") && number(tag, "r") > 15.0 {
            let (x, y, r) = (number(tag, "cx"), number(tag, "cy"), number(tag, "r"));
            sites.push([x - r * 0.7, y - r * 0.7, x + r * 0.7, y + r * 0.7]);
        }
    }
    (labels, sites)
}

fn overlap(a: &[f64; 4], b: &[f64; 4]) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

#[test]
fn labels_of_pictures_collide_with_nothing() {
    let mut wrong = Vec::new();
    for game in games() {
        let picture = ludex(&["show", "board", game, "--svg"], "80");
        assert!(picture.starts_with("<svg") && !picture.contains("NaN"), "{game}");
        let (width, height) = (number(&picture, "width"), number(&picture, "height"));
        let (labels, sites) = boxes(&picture);
        for (i, label) in labels.iter().enumerate() {
            let inside =
                label[0] >= 0.0 && label[1] >= 0.0 && label[2] <= width && label[3] <= height;
            let other = labels[..i].iter().any(|other| overlap(label, other));
            // a name inside of an area is written below what stands there
            let on_site = sites.iter().any(|site| overlap(label, site));
            if !inside || other || on_site {
                wrong.push(format!("{game}: label {i} of {}", labels.len()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A folder with a saved game.
fn saved(folder: &Path) -> String {
    let file = folder.join("game.ron").to_string_lossy().into_owned();
    let players = ["--players", "random,random", "--seed", "1", "--save", &file];
    ludex(&[&["play", "tic_tac_toe"][..], &players].concat(), "80");
    file
}

#[test]
fn a_game_becomes_pictures() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = saved(folder.path());
    let pictures = folder.path().join("pictures");
    let film = folder.path().join("film.svg");
    let (into, film) =
        (pictures.to_string_lossy().into_owned(), film.to_string_lossy().into_owned());
    let told = ludex(&["replay", &file, "--svg", &into, "--animated", &film], "80");
    let moves = ludex::record::load(Path::new(&file)).expect("saved").moves.len();
    assert!(told.contains(&format!("{} pictures in ", moves + 1)), "{told}");
    let first = std::fs::read_to_string(pictures.join("000.svg")).expect("written");
    let second = std::fs::read_to_string(pictures.join("001.svg")).expect("written");
    assert!(!first.contains("#dccb4e") && second.contains("#dccb4e"), "the last move is marked");
    assert!(second.contains("1. x: "), "{second}");
    assert!(pictures.join(format!("{moves:03}.svg")).exists());
    let film = std::fs::read_to_string(film).expect("written");
    assert_eq!(film.matches("<animate ").count(), moves + 1);
}

/// A loop leaves the board at one point and comes back at another, outside of the lines.
#[test]
fn curves_are_drawn_with_room_for_them() {
    let picture = ludex(&["show", "board", "surakarta", "--svg"], "80");
    let curves: Vec<Vec<f64>> = picture
        .split("<path d=\"M")
        .skip(1)
        .map(|path| {
            let numbers = path.split('"').next().unwrap_or_default();
            let numbers = numbers.split(['A', ' ']).map(|n| n.parse().expect("a number"));
            numbers.collect()
        })
        .collect();
    assert_eq!(curves.len(), 8, "{picture}");
    let width: f64 = picture.split("width=\"").nth(1).expect("a width")[..3].parse().expect("it");
    for curve in &curves {
        // from, radii, rotation, the longer way, to
        let [x1, y1, radius, same, _, longer, _, x2, y2] = curve[..] else {
            panic!("{curve:?}");
        };
        assert!(radius == same && longer == 1.0, "{curve:?}");
        // the ends and the middle of the circle are the corners of a square
        assert!((x1 - x2).abs() == radius && (y1 - y2).abs() == radius, "{curve:?}");
        let middle = if x1.min(x2) < width / 2.0 { x1.min(x2) } else { x1.max(x2) };
        assert!(middle - radius > 0.0 && middle + radius < width, "{curve:?} in {width}");
    }
}

#[test]
fn no_picture_is_written_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = saved(folder.path());
    let pictures = folder.path().join("pictures");
    std::fs::create_dir(&pictures).expect("made");
    std::fs::write(pictures.join("002.svg"), "mine").expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
    let command = command.args(["replay", &file, "--svg"]).arg(&pictures);
    let output = command.output().expect("ludex runs");
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8_lossy(&output.stderr).replace("\n", "");
    assert!(told.contains("exists; give another folder"), "{told}");
    assert_eq!(std::fs::read_to_string(pictures.join("002.svg")).expect("there"), "mine");
    assert!(!pictures.join("000.svg").exists());
}

#[test]
fn pictures_that_cannot_be_written_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = saved(folder.path());
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
    let output = command.args(["replay", &file, "--svg", &file]).output().expect("ludex runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
    let output = command.args(["replay", &file, "--pace", "0"]).output().expect("ludex runs");
    assert_eq!(output.status.code(), Some(2));
}
