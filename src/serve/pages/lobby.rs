//! The lobby: who is here, who asks whom for a game, and the way back into an unfinished one.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use askama::Template;
use axum::extract::{Path, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;

use super::super::Server;
use super::super::account::{Account, seed};
use super::super::catalogue::shipped;
use super::super::clock::Pace;
use super::super::failure::{Failure, Outcome};
use super::super::limits::{Deed, Owner};
use super::super::lobby::Presence;
use super::super::posted::Posted;
use super::super::store::{Challenge, Entry, Rules, SeatRow};
use super::super::table::STRENGTHS;
use super::super::visit::Visit;
use super::games::USUAL_STRENGTH;
use super::{Frame, go, page, redirect};

/// The most challenges of one person, and of all.
const MOST_OWN: usize = 5;
const MOST: usize = 500;
/// The most games of one person against the computer that go on.
const MOST_GOING: usize = 50;

/// How long the lobby waits for more that changes.
const TOGETHER: Duration = Duration::from_millis(150);

/// A person who is here.
struct Person {
    name: String,
    you: bool,
    guest: bool,
    /// The game in which he is engaged.
    engaged: Option<i64>,
}

/// A challenge as one visitor sees it.
struct Asked {
    id: i64,
    title: String,
    /// Where the rules are told.
    rules: String,
    by: String,
    yours: bool,
    joined: bool,
    /// The visitor is asked by name.
    to_you: bool,
    invited: Option<String>,
    details: String,
}

#[derive(Template)]
#[template(path = "welcome.html")]
struct WelcomePage {
    frame: Frame,
}

#[derive(Template)]
#[template(path = "lobby.html")]
struct LobbyPage {
    frame: Frame,
    list: List,
}

/// The part of the lobby that changes.
#[derive(Template)]
#[template(path = "list.html")]
struct List {
    csrf: String,
    people: Vec<Person>,
    challenges: Vec<Asked>,
    own: Vec<Entry>,
    going: Vec<Entry>,
}

async fn listed(server: &Server, visit: &Visit) -> Outcome<List> {
    let account = visit.person()?;
    let person = |other: Account| Person {
        you: other.id == account.id,
        engaged: server.tables.engaged(other.id).filter(|game| *game > 0),
        guest: other.guest,
        name: other.name,
    };
    let mut people: Vec<Person> = server.lobby.here().into_iter().map(person).collect();
    if !people.iter().any(|person| person.you) {
        people.push(person(account.clone()));
    }
    let challenges = server.store.challenges().await?.into_iter();
    let seen = challenges.filter(|challenge| {
        challenge.invited.as_ref().is_none_or(|invited| invited.id == account.id)
            || challenge.by.id == account.id
    });
    let own = server.store.games_of(account.id, true, 20).await?;
    let going = server.store.going(20).await?;
    Ok(List {
        csrf: visit.csrf(),
        people,
        challenges: seen.map(|challenge| asked(server, challenge, account)).collect(),
        going: going.into_iter().filter(|game| own.iter().all(|own| own.id != game.id)).collect(),
        own,
    })
}

fn asked(server: &Server, challenge: Challenge, account: &Account) -> Asked {
    let mut details = challenge.rules.options_told();
    details.push(match challenge.seat.as_str() {
        "senior" => "the senior begins".to_string(),
        "lot" => "who begins is drawn by lot".to_string(),
        seat => format!("{} plays {seat}", challenge.by.name),
    });
    if challenge.people > 2 {
        let (now, all) = (challenge.joined.len(), challenge.people);
        details.push(format!("{now} of {all} people"));
    }
    details.extend(challenge.pace.map(Pace::told));
    Asked {
        id: challenge.id,
        title: server.catalogue.title(&challenge.rules),
        rules: challenge.rules.address(),
        yours: challenge.by.id == account.id,
        joined: challenge.joined.iter().any(|joined| joined.id == account.id),
        to_you: challenge.invited.as_ref().is_some_and(|invited| invited.id == account.id),
        invited: challenge.invited.map(|invited| invited.name),
        by: challenge.by.name,
        details: details.join(", "),
    }
}

pub async fn home(State(server): State<Arc<Server>>, visit: Visit) -> Outcome<Response> {
    let Some(account) = &visit.account else {
        return page(&WelcomePage { frame: Frame::new(&visit, "Ludex") });
    };
    if let Some(game) = server.tables.engaged(account.id).filter(|game| *game > 0) {
        return Ok(redirect(&format!("/game/{game}")));
    }
    // without scripts a page that was just loaded is the only sign of a person
    drop(Presence::new(&server, account));
    let list = listed(&server, &visit).await?;
    page(&LobbyPage { frame: Frame::new(&visit, "Lobby"), list })
}

pub async fn list(State(server): State<Arc<Server>>, visit: Visit) -> Outcome<Response> {
    page(&listed(&server, &visit).await?)
}

/// Tells an open lobby that something has changed, and of the game that has begun.
pub async fn events(State(server): State<Arc<Server>>, visit: Visit) -> Outcome<Response> {
    let account = visit.person()?.clone();
    let open = visit.stream(&server)?;
    let changes = server.lobby.watch();
    let presence = Presence::new(&server, &account);
    let stream = unfold(
        (server, changes, presence, open),
        move |(server, mut changes, presence, open)| async move {
            changes.changed().await.ok()?;
            // what changes at once is told together
            tokio::time::sleep(TOGETHER).await;
            changes.borrow_and_update();
            let event = match server.tables.engaged(account.id).filter(|game| *game > 0) {
                Some(game) => Event::default().event("game").data(game.to_string()),
                None => Event::default().event("lobby").data("changed"),
            };
            Some((Ok::<_, Infallible>(event), (server, changes, presence, open)))
        },
    );
    let alive = KeepAlive::new().interval(Duration::from_secs(15));
    Ok(Sse::new(stream).keep_alive(alive).into_response())
}

/// The rules that a form names.
fn rules(posted: &Posted) -> Outcome<Rules> {
    let options: BTreeMap<String, String> = posted.beginning("o.");
    Ok(match posted.get("text") {
        "" => Rules { game: shipped(posted.get("game"))?.to_string(), text: None, options },
        hash => Rules { game: "rules".to_string(), text: Some(hash.to_string()), options },
    })
}

/// The same rules without the options that have their default values. These need not be shown, and games that differ in
/// nothing else share one loaded game.
async fn usual(server: &Server, mut rules: Rules, owner: &Owner) -> Outcome<Rules> {
    let plain = Rules { options: BTreeMap::new(), ..rules.clone() };
    let options = server.game(&plain, owner).await?.options();
    let is_usual = |name: &str, value: &str| {
        options.iter().any(|option| option.name == name && option.default == value)
    };
    rules.options.retain(|name, value| !is_usual(name, value));
    Ok(rules)
}

/// Asks one person, anyone, or the computer for a game.
pub async fn ask(State(server): State<Arc<Server>>, posted: Posted) -> Outcome<Response> {
    let account = posted.visit.person()?.clone();
    posted.visit.count(&server, Deed::Say)?;
    let rules = usual(&server, rules(&posted)?, &posted.visit.owner()).await?;
    let game = server.game(&rules, &posted.visit.owner()).await?;
    let players = game.players();
    let against = match posted.get("against") {
        _ if players.len() == 1 => "computer",
        against => against,
    };
    let seat = posted.get("seat");
    let known = ["senior", "lot"].contains(&seat) || players.iter().any(|player| player == seat);
    if !known {
        return Err(Failure::wrong(format!(
            "`seat` is one of senior, lot, {}, not `{seat}`",
            players.join(", ")
        )));
    }
    let strength = posted.number("strength").unwrap_or(USUAL_STRENGTH);
    if !STRENGTHS.contains(&strength) {
        let sentence = format!("`strength` is a number from 1 to {}", STRENGTHS.end());
        return Err(Failure::wrong(sentence));
    }
    let most = players.len() as i64;
    let people = match (against, posted.get("people")) {
        ("computer", _) => 1,
        (_, "") => most,
        _ => posted.number("people")?,
    };
    if against != "computer" && !(2..=most).contains(&people) {
        return Err(Failure::wrong(format!("`people` is a number from 2 to {most}")));
    }
    let pace = Pace::read(posted.get("clock"))?;
    let invited = match against {
        "computer" | "anybody" => None,
        "person" => {
            let name = posted.get("name");
            let Some((invited, _)) = server.store.account_named(name).await? else {
                return Err(Failure::missing(format!("nobody is called `{name}`")));
            };
            if invited.id == account.id {
                return Err(Failure::wrong("that is your own name: ask another person"));
            }
            Some(invited)
        }
        other => {
            return Err(Failure::wrong(format!(
                "`against` is one of person, anybody, computer, not `{other}`"
            )));
        }
    };
    let challenge = Challenge {
        id: 0,
        joined: vec![account.clone()],
        by: account.clone(),
        invited,
        rules,
        seat: seat.to_string(),
        people,
        strength,
        pace,
    };
    if people == 1 {
        if server.store.games_of(account.id, true, MOST_GOING as i64).await?.len() >= MOST_GOING {
            return Err(Failure::conflict(format!(
                "{MOST_GOING} games of yours go on: end one of them first"
            )));
        }
        let game = begin(&server, &challenge, None, &posted.visit.owner()).await?;
        return Ok(go(&posted, &format!("/game/{game}")));
    }
    free(&server, &account)?;
    let all = server.store.challenges().await?;
    if all.len() >= MOST || all.iter().filter(|other| other.by.id == account.id).count() >= MOST_OWN
    {
        return Err(Failure::conflict("there are enough challenges: withdraw one of yours first"));
    }
    server.store.add_challenge(&challenge).await?;
    server.lobby.tick();
    Ok(go(&posted, "/"))
}

fn free(server: &Server, account: &Account) -> Outcome<()> {
    match server.tables.engaged(account.id) {
        Some(game) => Err(Failure::conflict(format!(
            "{} is engaged in game {game}: it has to end first",
            account.name
        ))),
        None => Ok(()),
    }
}

/// Begins the game of a challenge: the seats are given out as it says.
async fn begin(
    server: &Server,
    challenge: &Challenge,
    from: Option<i64>,
    owner: &Owner,
) -> Outcome<i64> {
    let game = server.game(&challenge.rules, owner).await?;
    let players = game.players();
    let lot = seed()?.unsigned_abs() as usize;
    let mut people: Vec<Option<Account>> = challenge.joined.iter().cloned().map(Some).collect();
    people.resize(players.len(), None);
    match challenge.seat.as_str() {
        // seniority is the lower number; the computer comes last
        "senior" => {
            people.sort_by_key(|account| account.as_ref().map_or(i64::MAX, |account| account.id))
        }
        "lot" => {
            let mut lot = lot;
            for left in (2..=people.len()).rev() {
                people.swap(left - 1, lot % left);
                lot /= left;
            }
        }
        seat => {
            let wanted = players.iter().position(|player| player == seat).unwrap_or(0);
            people[..=wanted].rotate_left(1);
        }
    }
    let seats: Vec<SeatRow> = people
        .into_iter()
        .map(|account| SeatRow { account, strength: challenge.strength, left: None })
        .collect();
    server.begin(&challenge.rules, game.title(), &seats, challenge.pace, from).await
}

async fn found(server: &Server, id: i64) -> Outcome<Challenge> {
    let challenges = server.store.challenges().await?;
    let found = challenges.into_iter().find(|challenge| challenge.id == id);
    found.ok_or_else(|| Failure::missing("the challenge is gone: it was withdrawn or accepted"))
}

/// Accepts a challenge; the last one who is needed begins the game.
pub async fn accept(
    State(server): State<Arc<Server>>,
    Path(id): Path<i64>,
    posted: Posted,
) -> Outcome<Response> {
    let account = posted.visit.person()?.clone();
    posted.visit.count(&server, Deed::Say)?;
    free(&server, &account)?;
    let mut challenge = found(&server, id).await?;
    if challenge.joined.iter().any(|joined| joined.id == account.id) {
        return Err(Failure::conflict("you have accepted it already: others are to accept it"));
    }
    let first = challenge.joined.len() == 1;
    if first && challenge.invited.as_ref().is_some_and(|invited| invited.id != account.id) {
        return Err(Failure::forbidden("another person was asked"));
    }
    challenge.joined.push(account.clone());
    if (challenge.joined.len() as i64) < challenge.people {
        server.store.join_challenge(id, account.id).await?;
        server.lobby.tick();
        return Ok(go(&posted, "/"));
    }
    let game = begin(&server, &challenge, Some(id), &posted.visit.owner()).await?;
    Ok(go(&posted, &format!("/game/{game}")))
}

/// Withdraws one's own challenge, or declines one that one was asked for.
pub async fn decline(
    State(server): State<Arc<Server>>,
    Path(id): Path<i64>,
    posted: Posted,
) -> Outcome<Response> {
    let account = posted.visit.person()?;
    let challenge = found(&server, id).await?;
    let asked = challenge.invited.as_ref().is_some_and(|invited| invited.id == account.id);
    if challenge.by.id != account.id && !asked {
        return Err(Failure::forbidden("this challenge is not yours to withdraw or decline"));
    }
    server.store.remove_challenge(id).await?;
    server.lobby.tick();
    Ok(go(&posted, "/"))
}
