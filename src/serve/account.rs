//! Accounts, passwords, and the secrets of sessions.

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use sha2::{Digest, Sha256};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{canonical_combining_class, is_combining_mark};

use super::failure::{Failure, Outcome};

/// The longest name, in characters, and the shortest password.
const LONGEST_NAME: usize = 24;
const SHORTEST_PASSWORD: usize = 8;
const LONGEST_PASSWORD: usize = 200;

/// A person who has enrolled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The number: who has a lower one is senior.
    pub id: i64,
    pub name: String,
    /// There is no password, so only the session knows who it is.
    pub guest: bool,
}

/// The canonical combining class of the signs that suppress the vowel of a letter, in Unicode's table of classes.
const VIRAMA: u8 = 9;
/// The signs that choose between the forms of letters in the scripts of India and Persia; they have no width.
const JOINERS: [char; 2] = ['\u{200c}', '\u{200d}'];

/// A name that may be enrolled, in Unicode's composed form (NFC) and without blanks around it. Invisible characters would
/// make two names look the same, so joiners stand only where they change a letter.
///
/// # Errors
/// What is wrong with it.
pub fn name(text: &str) -> Outcome<String> {
    let text: String = text.trim().nfc().collect();
    let mut before = ' ';
    let mut known = |c: char| {
        let known = if JOINERS.contains(&c) {
            canonical_combining_class(before) == VIRAMA
        } else if is_combining_mark(c) {
            before.is_alphanumeric() || is_combining_mark(before) || JOINERS.contains(&before)
        } else {
            c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ' | '\'')
        };
        before = c;
        known
    };
    let count = text.chars().count();
    if !(2..=LONGEST_NAME).contains(&count) {
        let sentence = format!("a name has 2 to {LONGEST_NAME} characters, this one {count}");
        return Err(Failure::wrong(sentence));
    }
    if !text.chars().all(&mut known) || text.contains("  ") {
        return Err(Failure::wrong(
            "a name has letters, digits, single blanks and the signs - _ . ' only",
        ));
    }
    Ok(text)
}

/// What is equal for two names that differ in capital letters or in how their characters are composed.
pub fn folded(name: &str) -> String {
    name.nfc().collect::<String>().to_lowercase()
}

/// A password that may be taken.
///
/// # Errors
/// It is too short or too long.
pub fn password(text: &str) -> Outcome<String> {
    match text.chars().count() {
        SHORTEST_PASSWORD..=LONGEST_PASSWORD => Ok(text.to_string()),
        _ => Err(Failure::wrong(format!(
            "a password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters"
        ))),
    }
}

/// The hash of a password, with its salt. Slow on purpose.
///
/// # Errors
/// The system gives no random numbers.
pub fn hash_password(password: &str) -> Outcome<String> {
    let hash = Argon2::default().hash_password(password.as_bytes());
    let failed = |error| Failure::internal("the password could not be hashed", error);
    Ok(hash.map_err(failed)?.to_string())
}

/// Whether a password is the one of a hash. Without a hash it takes as long, so that time does not tell which names
/// there are.
pub fn is_password(password: &str, hash: Option<&str>) -> bool {
    let Some(hash) = hash.and_then(|hash| PasswordHash::new(hash).ok()) else {
        let _ = Argon2::default().hash_password(password.as_bytes());
        return false;
    };
    Argon2::default().verify_password(password.as_bytes(), &hash).is_ok()
}

/// A secret that cannot be guessed: 64 hexadecimal digits.
///
/// # Errors
/// The system gives no random numbers.
pub fn secret() -> Outcome<String> {
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes)
        .map_err(|error| Failure::internal("the system gives no random numbers", error))?;
    Ok(hex(&bytes))
}

/// A seed for a game.
///
/// # Errors
/// The system gives no random numbers.
pub fn seed() -> Outcome<i64> {
    let secret = secret()?;
    // 12 digits are a number that every database and script keeps exactly
    Ok(i64::from_str_radix(&secret[..12], 16).unwrap_or(1))
}

/// The SHA-256 of a text, for a purpose.
pub fn hashed(purpose: &str, text: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(purpose.as_bytes());
    hash.update(b":");
    hash.update(text.as_bytes());
    hex(&hash.finalize())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
