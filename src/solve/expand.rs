//! The positions that follow from one, as numbers.

use crate::engine::{Candidate, Game, Look, Random, Session, Walk};
use crate::plan::Scope;

use super::bounds::Bounds;
use super::codec::{Cell, Codec, TierKey};
use super::crew::Trouble;
use super::is_lost_alone;
use super::symmetry::{self, Symmetry};

/// How a game that is over has ended, for the player whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The player to move has lost.
    Lost,
    /// No player has won, or all have.
    Drawn,
    /// The player to move has won.
    Won,
}

/// How the positions of a game are numbered, those that are alike by symmetry as one.
#[derive(Debug, Clone)]
pub struct Numbering {
    /// Positions as tiers and ranks.
    pub codec: Codec,
    /// The symmetries, without the identity.
    pub symmetries: Vec<Symmetry>,
    /// The game is for one player, who has lost where he has not won.
    pub alone: bool,
}

/// The random games from which trends are learned.
const GAMES: u64 = 60;
/// Their longest.
const LONGEST: usize = 300;
/// The positions on which a symmetry is tried.
const TRIED: usize = 120;

impl Numbering {
    /// The numbering of the positions of a game that follow from one.
    ///
    /// # Errors
    /// A rule error, a chance event, or the bounds.
    pub fn new(
        game: &Game,
        scope: &Scope,
        start: &[u64],
        symmetric: bool,
        bounds: &mut Bounds<'_>,
    ) -> Result<Numbering, Trouble> {
        let mut codec = Codec::new(&game.program, &game.plan, scope, bounds)?;
        let mut session = Session::new(game);
        let opening = session.opening();
        let mut walk = session.walk(&opening);
        let games = games(&mut *walk, &codec, start, bounds)?;
        codec.learn(&games);
        let alone = is_lost_alone(&game.program);
        let mut numbering = Numbering { codec, symmetries: Vec::new(), alone };
        if symmetric {
            let all: Vec<&Vec<Cell>> = games.iter().flatten().collect();
            let each = (all.len() / TRIED).max(1);
            let some: Vec<&Vec<Cell>> = all.into_iter().step_by(each).collect();
            let mut expander = Expander::new(walk, &numbering, bounds.stop());
            let mut sound = Vec::new();
            for symmetry in symmetry::find(game, scope, &numbering.codec, bounds)? {
                if expander.is_sound(&symmetry, &some)? {
                    sound.push(symmetry);
                }
            }
            drop(expander);
            numbering.symmetries = sound;
        }
        Ok(numbering)
    }

    /// Whether a finished game is won by the player whose turn it is, and whether by another one, with `winners` as bits. A game
    /// that its only player has lost counts as won by another one.
    pub fn won(&self, turn: usize, winners: u8) -> (bool, bool) {
        let others = winners & !(1 << turn) != 0 || winners == 0 && self.alone;
        (winners & (1 << turn) != 0, others)
    }

    /// The tier and rank of the words of a position.
    pub fn number(&self, words: &[u64]) -> (TierKey, u64) {
        let (mut cells, mut tier) = (Vec::new(), TierKey::new());
        self.codec.read(words, &mut cells);
        self.canonical(&mut cells, &mut Vec::new());
        self.codec.tier(&cells, &mut tier);
        let rank = self.codec.rank(&tier, &cells);
        (tier, rank)
    }

    /// Makes a position the least of those that are alike by symmetry.
    pub fn canonical(&self, cells: &mut Vec<Cell>, spare: &mut Vec<Cell>) {
        let mut best: Option<&Symmetry> = None;
        for symmetry in &self.symmetries {
            for i in 0..cells.len() {
                let own = symmetry.cell(cells, i);
                let least = best.map_or(cells[i], |best| best.cell(cells, i));
                if own != least {
                    if own < least {
                        best = Some(symmetry);
                    }
                    break;
                }
            }
        }
        if let Some(best) = best {
            best.apply(cells, spare);
            std::mem::swap(cells, spare);
        }
    }
}

/// Random games from a position, as cells.
fn games(
    walk: &mut dyn Walk,
    codec: &Codec,
    start: &[u64],
    bounds: &mut Bounds<'_>,
) -> Result<Vec<Vec<Vec<Cell>>>, Trouble> {
    let mut games = Vec::new();
    let mut list: Vec<Candidate> = Vec::new();
    for number in 0..GAMES {
        let mut random = Random::seeded(number);
        let mut game: Vec<Vec<Cell>> = Vec::new();
        walk.go(start);
        loop {
            let mut cells = Vec::new();
            codec.read(walk.words(), &mut cells);
            bounds.look()?;
            bounds.take((size_of::<Vec<Cell>>() + cells.len() * size_of::<Cell>()) as u64)?;
            game.push(cells);
            if game.len() > LONGEST || walk.look()? != Look::Moves {
                break;
            }
            list.clear();
            walk.candidates(&mut list);
            let mut made = false;
            while !made && !list.is_empty() {
                let i = random.below(list.len() as u64) as usize;
                made = walk.make(list.swap_remove(i))?;
            }
            if !made {
                break;
            }
        }
        games.push(game);
    }
    Ok(games)
}

/// The positions between two looks whether the work is to stop.
const LOOKED: u32 = 32;

/// What makes the moves of a thread of work.
pub struct Expander<'s> {
    walk: Box<dyn Walk + 's>,
    numbering: &'s Numbering,
    list: Vec<Candidate>,
    cells: Vec<Cell>,
    spare: Vec<Cell>,
    words: Vec<u64>,
    tier: TierKey,
    stop: &'s dyn Fn() -> bool,
    /// The positions until it is looked whether the work is to stop.
    unseen: u32,
}

impl<'s> Expander<'s> {
    /// An expander on a walk, wherever that stands, which ends soon after `stop` returns true.
    pub fn new(
        walk: Box<dyn Walk + 's>,
        numbering: &'s Numbering,
        stop: &'s dyn Fn() -> bool,
    ) -> Expander<'s> {
        Expander {
            walk,
            numbering,
            list: Vec::new(),
            cells: Vec::new(),
            spare: Vec::new(),
            words: Vec::new(),
            tier: TierKey::new(),
            stop,
            unseen: LOOKED,
        }
    }

    /// A position of a tier, as the least one that is alike by symmetry; `None` where there is none of this
    /// rank.
    pub fn arrangement(&mut self, tier: &[u32], rank: u64) -> Option<(TierKey, u64)> {
        let codec = &self.numbering.codec;
        codec.unrank(tier, rank, &mut self.cells);
        if !codec.may_hold(&self.cells) {
            return None;
        }
        self.numbering.canonical(&mut self.cells, &mut self.spare);
        codec.tier(&self.cells, &mut self.tier);
        Some((self.tier.clone(), codec.rank(&self.tier, &self.cells)))
    }

    /// Calls `visit` for each position that follows: its tier and rank, and whether the same player is to
    /// move there. Where the game is over, says how instead.
    ///
    /// # Errors
    /// A rule error, a chance event, or the end of the time.
    pub fn expand(
        &mut self,
        tier: &[u32],
        rank: u64,
        visit: &mut dyn FnMut(&TierKey, u64, bool),
    ) -> Result<Option<Ending>, Trouble> {
        let codec = &self.numbering.codec;
        codec.unrank(tier, rank, &mut self.cells);
        codec.write(&self.cells, &mut self.words);
        self.walk.go(&self.words);
        let (mut key, mut spare) =
            (std::mem::take(&mut self.tier), std::mem::take(&mut self.spare));
        let numbering = self.numbering;
        let ending = self.follow(&mut |cells, same| {
            numbering.canonical(cells, &mut spare);
            codec.tier(cells, &mut key);
            visit(&key, codec.rank(&key, cells), same);
        });
        (self.tier, self.spare) = (key, spare);
        ending
    }

    /// Calls `visit` for the cells of each position that follows from where the walk stands.
    fn follow(
        &mut self,
        visit: &mut dyn FnMut(&mut Vec<Cell>, bool),
    ) -> Result<Option<Ending>, Trouble> {
        self.unseen -= 1;
        if self.unseen == 0 {
            self.unseen = LOOKED;
            if (self.stop)() {
                return Err(Trouble::Interrupted);
            }
        }
        let (codec, turn) = (&self.numbering.codec, self.walk.turn());
        match self.walk.look()? {
            Look::Over(winners) => {
                return Ok(Some(match self.numbering.won(turn, winners) {
                    (true, false) => Ending::Won,
                    (false, true) => Ending::Lost,
                    _ => Ending::Drawn,
                }));
            }
            Look::Moves => {}
            Look::Chance => {
                return Err(Trouble::Refused(
                    "chance events follow from the position: it has an expected value, not an exact one"
                        .to_string(),
                ));
            }
        }
        let mut list = std::mem::take(&mut self.list);
        list.clear();
        self.walk.candidates(&mut list);
        let mut any = false;
        for candidate in &list {
            if !self.walk.make(*candidate)? {
                continue;
            }
            any = true;
            let same = self.walk.turn() == turn;
            codec.read(self.walk.words(), &mut self.cells);
            self.walk.unmake();
            visit(&mut self.cells, same);
        }
        self.list = list;
        Ok((!any).then_some(Ending::Drawn))
    }

    /// Whether the images of positions have the images of what follows, and end alike.
    fn is_sound(&mut self, symmetry: &Symmetry, positions: &[&Vec<Cell>]) -> Result<bool, Trouble> {
        let mut image = Vec::new();
        for cells in positions {
            symmetry.apply(cells, &mut image);
            let (mut plain, mut mapped) = (Vec::new(), Vec::new());
            let one = self.all(cells, &mut |cells, same| {
                let mut image = Vec::new();
                symmetry.apply(cells, &mut image);
                plain.push((image, same));
            })?;
            let other = self.all(&image, &mut |cells, same| mapped.push((cells.clone(), same)))?;
            plain.sort_unstable();
            mapped.sort_unstable();
            if one != other || plain != mapped {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The cells of the positions that follow, without regard to symmetry.
    fn all(
        &mut self,
        cells: &[Cell],
        visit: &mut dyn FnMut(&mut Vec<Cell>, bool),
    ) -> Result<Option<Ending>, Trouble> {
        self.numbering.codec.write(cells, &mut self.words);
        self.walk.go(&self.words);
        self.follow(visit)
    }
}
