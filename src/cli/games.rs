//! `ludex games`: the shipped games.

use clap::Args;
use serde_json::json;

use crate::program::{self, LoadRequest, OptionDomain, Program, Term};
use crate::render::fit;
use crate::source::{Library, ShippedFile};

use super::console::{Console, Stop};

/// Lists the shipped games with their families, players, options and sources.
#[derive(Debug, Args)]
pub struct GamesArguments {
    /// Lists only these games or families.
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// What is printed about a game.
struct About {
    file: ShippedFile,
    title: String,
    /// The rules in words.
    about: Option<String>,
    families: Vec<String>,
    players: Vec<String>,
    /// Players who take part under other options only.
    absent: Vec<String>,
    /// Name, default and values.
    options: Vec<(String, String, String)>,
    sources: Vec<String>,
}

pub fn run(arguments: &GamesArguments, console: &Console) -> Result<(), Stop> {
    let mut games: Vec<About> = Library::games().into_iter().filter_map(about).collect();
    if let Some(unknown) = arguments
        .names
        .iter()
        .find(|name| !games.iter().any(|g| g.file.name == **name || g.families.contains(name)))
    {
        return Err(Stop::Usage(format!("no game or family is called `{unknown}`")));
    }
    if !arguments.names.is_empty() {
        let wanted = |name: &String| arguments.names.contains(name);
        games.retain(|g| wanted(&g.file.name.to_string()) || g.families.iter().any(wanted));
    }
    if arguments.json {
        let all: Vec<_> = games
            .iter()
            .map(|g| {
                let option = |(name, default, values): &(String, String, String)| {
                    json!({ "name": name, "default": default, "values": values })
                };
                json!({
                    "name": g.file.name,
                    "title": g.title,
                    "about": g.about,
                    "families": g.families,
                    "players": g.players,
                    "players_by_option": g.absent,
                    "options": g.options.iter().map(option).collect::<Vec<_>>(),
                    "sources": g.sources,
                })
            })
            .collect();
        return console.json(&json!(all));
    }
    let width = console.width().min(100);
    for (i, game) in games.iter().enumerate() {
        if i > 0 {
            console.line("")?;
        }
        let families = game.families.join(", ");
        console.line(format!("{}  {} ({families})", console.bold(game.file.name), game.title))?;
        if let Some(about) = &game.about {
            console.line(fit(&format!("    {about}"), width, 4))?;
        }
        let more = match game.absent.is_empty() {
            true => String::new(),
            false => format!("; by an option also {}", game.absent.join(", ")),
        };
        let players = format!("    players: {}{more}", game.players.join(", "));
        console.line(fit(&players, width, 8))?;
        for (name, default, values) in &game.options {
            console.line(fit(
                &format!("    option {name}: {values}; {default} by default"),
                width,
                8,
            ))?;
        }
        for source in &game.sources {
            console.line(fit(&format!("    source: {source}"), width, 8))?;
        }
    }
    Ok(())
}

fn about(file: ShippedFile) -> Option<About> {
    let program = program::check(&LoadRequest::shipped(file.name)).program?;
    let mut families = texts(&program, program.special.family);
    if families.is_empty() {
        families.push(program.family.clone());
    }
    let show = |value| program.values.show(value);
    let options = program.options.values().filter(|o| !o.fixed).map(|o| {
        let values = match &o.domain {
            OptionDomain::Values(all) => {
                all.iter().map(|v| show(*v)).collect::<Vec<_>>().join(" or ")
            }
            OptionDomain::Range(lo, hi) => format!("{lo} to {hi}"),
        };
        (o.name.clone(), show(o.default), values)
    });
    Some(About {
        file,
        title: program.title.clone(),
        about: program.about.clone(),
        families,
        players: program.players.iter().map(|p| show(*p)).collect(),
        absent: program.absent.iter().map(|p| show(*p)).collect(),
        options: options.collect(),
        sources: texts(&program, program.special.source),
    })
}

/// The arguments of facts like `source("…")`.
fn texts(program: &Program, relation: Option<program::RelationId>) -> Vec<String> {
    let Some(relation) = relation else { return Vec::new() };
    let clauses = program.relation(relation).clauses.iter().map(|id| program.clause(*id));
    clauses
        .filter_map(|clause| match clause.head.first() {
            Some(Term::Constant(value)) => {
                let shown = program.values.show(*value);
                Some(shown.trim_matches('"').to_string())
            }
            _ => None,
        })
        .collect()
}
