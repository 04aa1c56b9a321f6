//! Writes the sessions of a made-up month, for screenshots and for figures: the same ones at every run. None of the projects
//! exists. `cargo run --example month -- FOLDER [TIME]` fills FOLDER/projects; the month ends at TIME, by
//! default 2026-03-15T00:00:00Z, or `now`: that one `CLAUDE_CONFIG_DIR=FOLDER failwise` reads.

#![expect(clippy::disallowed_methods, reason = "an executable: it writes what it was asked for")]

mod work;

use std::error::Error;
use std::path::PathBuf;

use chrono::{DateTime, Utc};

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let folder = PathBuf::from(words.next().ok_or("usage: month FOLDER [TIME]")?).join("projects");
    let until = match words.next().as_deref() {
        Some("now") => Utc::now(),
        time => DateTime::parse_from_rfc3339(time.unwrap_or("2026-03-15T00:00:00Z"))?.to_utc(),
    };
    for session in work::sessions(until) {
        let path = folder.join(&session.place);
        std::fs::create_dir_all(path.parent().unwrap_or(&folder))?;
        std::fs::write(path, session.text)?;
    }
    Ok(())
}
