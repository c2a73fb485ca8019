//! The numbers of moves in a record: a wrong one is a sign that moves are missing or stand twice.

use super::RecordError;

/// The number of a move as it was read: digits, full stops, or both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    /// The index of the move that it stands before.
    pub before: usize,
    /// The line of the file, counted from 1.
    pub line: usize,
    /// What was read, such as `3.` or `3...`.
    pub text: String,
}

impl Number {
    /// The number; `None` where there are only full stops.
    fn value(&self) -> Option<u64> {
        let digits = self.text.trim_end_matches('.');
        // a number that is too large to be read is a wrong one
        (!digits.is_empty()).then(|| digits.parse().unwrap_or(u64::MAX))
    }
}

/// The count of moves in a game. It rises with each move of one player, usually the one who moves first.
#[derive(Debug, Clone, Default)]
pub struct Count {
    /// Counted from the first move of the record, whose number is 1; 0 before it.
    number: u64,
    /// How far the numbers of the record are ahead of that.
    ahead: u64,
    /// The first number of the record may still say how far.
    open: bool,
    /// The player whose moves raise the number.
    leader: usize,
}

impl Count {
    /// The count of a game that begins with a position of this round. The first number that is read counts from there
    /// or from 1. Where the round is 1, the position may not tell it, and the first number may be any. Its full stops
    /// tell whose moves raise the number: some programs count the moves of White also where Black begins.
    pub fn from_round(round: u64) -> Count {
        Count { ahead: round.saturating_sub(1), open: true, ..Count::default() }
    }

    /// Compares the numbers before a move with the count, and counts the move. The player, called `name`, is 0 for who
    /// moves first in a game.
    ///
    /// # Errors
    /// The first number that is wrong.
    pub fn pass(
        &mut self,
        player: usize,
        name: &str,
        numbers: &[Number],
    ) -> Result<(), RecordError> {
        if player == self.leader || self.number == 0 {
            self.number += 1;
        }
        for found in numbers {
            let of_second = found.text.ends_with("..");
            if of_second && self.open && self.number == 1 {
                self.leader = 1 - player.min(1);
            }
            let value = found.value();
            if let Some(value) = value.filter(|_| self.open) {
                if value == self.number || self.ahead == 0 {
                    self.ahead = value.saturating_sub(self.number);
                }
                self.open = false;
            }
            let expected = self.number.saturating_add(self.ahead);
            // several full stops belong to the second player alone
            if of_second && player == self.leader || value.is_some_and(|value| value != expected) {
                let dots = if player == self.leader { "." } else { "..." };
                let reason = format!(
                    "found the move number `{}`, expected `{expected}{dots}` ({name} to move); correct it or \
                     leave it out",
                    found.text
                );
                return Err(RecordError { line: found.line, reason });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Count;
    use crate::record::read_pgn;

    /// Passes the moves of a text, of players in turn.
    fn passed(mut count: Count, first: usize, text: &str) -> Result<(), String> {
        let game = read_pgn(text).expect("PGN").remove(0);
        for at in 0..=game.moves.len() {
            let player = (first + at) % 2;
            let told = count.pass(player, ["white", "black"][player], game.numbers_before(at));
            told.map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    #[test]
    fn numbers_may_be_repeated_and_left_out() {
        for text in [
            "1. e4 e5 2. Nf3 Nc6 3. Bb5 *",
            "1.e4 1...e5 2.Nf3 2...Nc6",
            "1. e4 {best} 1... e5 (1... c5 2. c3) 2. Nf3",
            "1. e4 1. ... e5 2. Nf3 ... Nc6",
            "e4 e5 Nf3 Nc6",
            "e4 e5 2. Nf3 Nc6 Bb5 3... a6 4.",
            "1. e4 1. e5 02. Nf3",
        ] {
            assert_eq!(passed(Count::default(), 0, text), Ok(()), "{text}");
        }
    }

    #[test]
    fn wrong_numbers_are_told() {
        for (text, told) in [
            ("3. e4 e5", "line 1: found the move number `3.`, expected `1.` (white to move)"),
            ("\n1... e4", "line 2: found the move number `1...`, expected `1.` (white to move)"),
            ("... e4", "line 1: found the move number `...`, expected `1.` (white to move)"),
            ("1. ... e4", "line 1: found the move number `1....`, expected `1.` (white to move)"),
            ("1. e4\n2. e5", "line 2: found the move number `2.`, expected `1...` (black to move)"),
            ("1. e4 e5 3.Nf3", "line 1: found the move number `3.`, expected `2.` (white to move)"),
            ("0. e4", "line 1: found the move number `0.`, expected `1.` (white to move)"),
            (
                "1. e4 e5\n\n4. *",
                "line 3: found the move number `4.`, expected `2.` (white to move)",
            ),
        ] {
            let error = passed(Count::default(), 0, text).expect_err(text);
            assert_eq!(error, format!("{told}; correct it or leave it out"));
        }
        let large = "99999999999999999999999. e4";
        assert!(passed(Count::default(), 0, large).is_err());
        assert!(passed(Count::from_round(1), 0, &format!("{large} e5 2. d4")).is_err());
    }

    #[test]
    fn a_position_may_begin_the_count() {
        for text in ["12... a 13. b c 14. d", "1... a 2. b", "a 13. b", "a 2. b c 3. d"] {
            assert_eq!(passed(Count::from_round(12), 1, text), Ok(()), "{text}");
        }
        assert_eq!(passed(Count::from_round(1), 1, "30... a 31. b"), Ok(()));
        assert_eq!(passed(Count::from_round(1), 0, "1... a 2. b c 3. d"), Ok(()));
        assert!(passed(Count::from_round(1), 0, "1... a 1. b").is_err());
        for (round, text) in [(12, "11... a"), (12, "12... a 2. b"), (1, "30... a 30. b")] {
            assert!(passed(Count::from_round(round), 1, text).is_err(), "{text}");
        }
    }
}
