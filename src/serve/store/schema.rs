//! The tables, as steps that are taken once each, in order: a step that has been released never changes.

use sqlx::{AssertSqlSafe, Row};

use super::{Dialect, Store};

/// `LONG` is the type of a text without a bound. The statements of a step are separated by semicolons.
const STEPS: &[&str] = &[
    "
    CREATE TABLE accounts (
        id BIGINT NOT NULL PRIMARY KEY,
        name VARCHAR(40) NOT NULL,
        folded VARCHAR(120) NOT NULL UNIQUE,
        password VARCHAR(200),
        created BIGINT NOT NULL
    );
    CREATE TABLE sessions (
        token VARCHAR(64) NOT NULL PRIMARY KEY,
        account BIGINT NOT NULL,
        created BIGINT NOT NULL
    );
    CREATE TABLE texts (
        hash VARCHAR(64) NOT NULL PRIMARY KEY,
        rules LONG NOT NULL,
        created BIGINT NOT NULL
    );
    CREATE TABLE challenges (
        id BIGINT NOT NULL PRIMARY KEY,
        account BIGINT NOT NULL,
        invited BIGINT,
        game VARCHAR(64) NOT NULL,
        text VARCHAR(64),
        options LONG NOT NULL,
        seat LONG NOT NULL,
        people BIGINT NOT NULL,
        strength BIGINT NOT NULL,
        created BIGINT NOT NULL
    );
    CREATE TABLE challengers (
        challenge BIGINT NOT NULL,
        account BIGINT NOT NULL,
        PRIMARY KEY (challenge, account)
    );
    CREATE TABLE games (
        id BIGINT NOT NULL PRIMARY KEY,
        game VARCHAR(64) NOT NULL,
        text VARCHAR(64),
        options LONG NOT NULL,
        title LONG NOT NULL,
        seed BIGINT NOT NULL,
        created BIGINT NOT NULL,
        ended BIGINT,
        result LONG,
        offer VARCHAR(20),
        offered_by BIGINT
    );
    CREATE TABLE seats (
        game BIGINT NOT NULL,
        seat BIGINT NOT NULL,
        account BIGINT,
        strength BIGINT NOT NULL,
        PRIMARY KEY (game, seat)
    );
    CREATE INDEX seats_by_account ON seats (account, game);
    CREATE TABLE moves (
        game BIGINT NOT NULL,
        ply BIGINT NOT NULL,
        move LONG NOT NULL,
        made BIGINT NOT NULL,
        PRIMARY KEY (game, ply)
    );
    CREATE TABLE chat (
        game BIGINT NOT NULL,
        number BIGINT NOT NULL,
        account BIGINT NOT NULL,
        said VARCHAR(1000) NOT NULL,
        PRIMARY KEY (game, number)
    )
",
    "
    ALTER TABLE challenges ADD COLUMN clock VARCHAR(20);
    ALTER TABLE games ADD COLUMN clock VARCHAR(20);
    ALTER TABLE games ADD COLUMN next_game BIGINT;
    ALTER TABLE seats ADD COLUMN time_left BIGINT
",
    // four levels of the computer become ten; what each player had left before a move, so that it can be taken back
    "
    UPDATE challenges SET strength = strength * 3 - 2;
    UPDATE seats SET strength = strength * 3 - 2;
    ALTER TABLE moves ADD COLUMN times VARCHAR(400)
",
];

impl Store {
    /// Takes the steps that this database has not seen.
    pub(super) async fn migrate(&self) -> sqlx::Result<()> {
        sqlx::query("CREATE TABLE IF NOT EXISTS steps (step BIGINT NOT NULL PRIMARY KEY)")
            .execute(&self.pool)
            .await?;
        let taken = sqlx::query("SELECT COALESCE(MAX(step), 0) FROM steps");
        let taken: i64 = taken.fetch_one(&self.pool).await?.try_get(0)?;
        // the character set of a MariaDB database may lack most characters, and then names and rules with them are refused
        let (long, characters) = match self.dialect {
            Dialect::Mysql => ("MEDIUMTEXT", " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"),
            Dialect::Sqlite | Dialect::Postgres => ("TEXT", ""),
        };
        for (number, step) in (1..).zip(STEPS) {
            if number <= taken {
                continue;
            }
            let mut transaction = self.pool.begin().await?;
            for statement in step.split(';') {
                let mut statement = statement.trim().replace("LONG", long);
                if statement.starts_with("CREATE TABLE") {
                    statement.push_str(characters);
                }
                sqlx::query(AssertSqlSafe(statement)).execute(&mut *transaction).await?;
            }
            let done = self.dialect.write("INSERT INTO steps (step) VALUES (?)");
            sqlx::query(AssertSqlSafe(done)).bind(number).execute(&mut *transaction).await?;
            transaction.commit().await?;
        }
        Ok(())
    }
}
