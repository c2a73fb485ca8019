//! Random rule files: well typed, each variable with a value before it is used, and lively more
//! often than not.
//!
//! A [`Writer`] says one clause after the other and remembers in its [`world::World`] what later
//! clauses can ask for. A relation asks only for what was written before it, or recurs by one of
//! the forms of `relations.rs`, so that every file is stratified.

mod actions;
mod bounds;
mod dice;
mod ends;
mod faults;
mod firsts;
mod goals;
mod grid;
mod idioms;
mod joined;
mod joints;
mod meeting;
mod moves;
mod nested;
mod offsets;
mod onward;
mod position;
mod relations;
mod setup;
mod shapes;
mod supposed;
mod terms;
mod updates;
mod walks;
mod world;
mod writing;

pub use dice::Dice;
use world::World;

/// Begins another file within a text, see [`crate::files`].
pub const FILE_MARK: &str = "%! file ";

pub struct Writer {
    dice: Dice,
    world: World,
    out: Vec<String>,
    /// Other files of the game, by the name under which it includes them.
    files: Vec<(String, String)>,
    /// Answers that the goals of one clause may have together.
    width_limit: usize,
    /// Rule errors may happen.
    risky: bool,
    /// What stands where at the start, besides what is drawn.
    openings: Vec<(String, String)>,
}

impl Writer {
    fn say(&mut self, clause: String) {
        self.out.push(clause);
    }

    /// The clauses of the game so far, those of a variant's base included.
    fn said(&self) -> impl Iterator<Item = &str> {
        let base = self.files.iter().flat_map(|(_, text)| text.lines());
        self.out.iter().map(String::as_str).chain(base)
    }
}

/// The rule file of a seed. Further files that it needs stand behind it.
pub fn rule_file(seed: u64) -> String {
    let mut writer = Writer {
        dice: Dice::new(seed),
        world: World::default(),
        out: Vec::new(),
        files: Vec::new(),
        width_limit: 250,
        risky: false,
        openings: Vec::new(),
    };
    writer.risky = writer.dice.percent(10);
    writer.say(":- game \"Random\".".to_string());
    writer.players();
    writer.options();
    writer.board();
    writer.values();
    writer.state();
    writer.idioms();
    writer.shapes();
    writer.errors_and_firsts();
    writer.opening();
    writer.relations();
    writer.actions();
    writer.moves();
    writer.chance();
    writer.ranks();
    writer.ends();
    writer.notations();
    writer.items();
    writer.given_examples();
    if writer.dice.percent(5) {
        writer.make_variant();
    }
    let mut text = writer.out.join("\n");
    text.push('\n');
    for (name, file) in &writer.files {
        text.push_str(&format!("{FILE_MARK}{name}\n{file}"));
    }
    text
}

impl Writer {
    /// Turns the game into the base of a variant that says some of it anew.
    fn make_variant(&mut self) {
        let base = self.out.join("\n") + "\n";
        let drawn = base.contains("\ndraw :-");
        self.files.push(("base".to_string(), base));
        let options = self.world.options.clone();
        self.out = vec![match self.dice.percent(50) && !options.is_empty() {
            true => {
                let (name, values) = self.dice.pick(&options).clone();
                let value = self.dice.pick(&values);
                format!(":- variant_of \"base\" with ({name} = {value}).")
            }
            false => ":- variant_of \"base\".".to_string(),
        }];
        match self.dice.below(4) {
            0 if drawn => {
                self.say(":- redefine draw/0.".to_string());
                self.say("draw :- ply(N), N >= 9.".to_string());
                self.say("draw :- repeated(4).".to_string());
            }
            1 => {
                self.say(":- redefine move/1.".to_string());
                self.base_moves_again();
            }
            2 => {
                let moves = self.world.moves.clone();
                let (name, args) = self.dice.pick(&moves).clone();
                let args = vec!["_"; args.len()].join(", ");
                match args.is_empty() {
                    true => self.say(format!(":- redefine move({name}).")),
                    false => self.say(format!(":- redefine move({name}({args})).")),
                }
                if self.dice.percent(70) {
                    self.random_move("move", &name);
                }
            }
            _ => self.random_move("move", "more"),
        }
    }

    fn base_moves_again(&mut self) {
        self.world.moves.clear();
        self.moves();
    }
}
