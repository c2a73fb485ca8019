//! Where exact values are kept, unless a folder is named: by game in the state folder. What is kept there is
//! found by all commands that advise moves.

use std::path::PathBuf;

use crate::engine::Game;
use crate::record::Trial;
use crate::referee::interrupt;
use crate::solve::{Identity, Probe, Subject};

use super::state_file;

/// What tells a game with its options from others.
pub fn identity(game: &Game) -> Identity {
    let program = &game.program;
    let options = program.options.iter().filter(|(_, option)| !option.fixed);
    let options = options.map(|(name, option)| (name.clone(), program.values.show(option.value)));
    Identity {
        game: program.title.clone(),
        options: options.collect(),
        rules: Trial::rules_of(&program.sources),
    }
}

/// The folder for a solution; `None` where there is no home folder.
pub fn folder(subject: &Subject) -> Option<PathBuf> {
    Some(state_file::solutions()?.join(subject.identity.digest()).join(subject.digest()))
}

/// The solutions of a game that are kept. What cannot be read is left out.
pub fn known(game: &Game) -> Vec<Probe> {
    let identity = identity(game);
    let of_game = state_file::solutions().map(|all| all.join(identity.digest()));
    let Some(folders) = of_game.and_then(|folder| std::fs::read_dir(folder).ok()) else {
        return Vec::new();
    };
    let mut folders: Vec<PathBuf> = folders.flatten().map(|entry| entry.path()).collect();
    folders.sort_unstable();
    folders
        .iter()
        .filter_map(|folder| Probe::open(game, &identity, folder, &interrupt::interrupted).ok())
        .collect()
}
