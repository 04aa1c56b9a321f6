//! What `failwise replay --said` tells on real sessions, where there are any: `FAILWISE_DATA`, else `../shared/data`.
//! Run with `cargo test --test memory knowledge_data -- --include-ignored --nocapture`, and read every line that it prints.

#![expect(clippy::disallowed_methods, reason = "a test reads its data from a folder and starts the executable")]

use std::collections::BTreeSet;
use std::process::Command;

use crate::data_folder::data_folder;
use serde_json::Value;

#[test]
#[ignore = "reads 45 MB of real sessions"]
fn what_is_told_on_real_sessions_is_rare_and_helped_before() {
    let Some(sessions) = data_folder().map(|data| data.join("sessions")).filter(|folder| folder.is_dir()) else {
        println!("there are no real sessions here: nothing was checked");
        return;
    };
    let asked = |arguments: &[&str]| -> Value {
        let mut command = Command::new(env!("CARGO_BIN_EXE_failwise"));
        let output = command.args(arguments).args(["--format", "json"]).arg(&sessions).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let listed = asked(&["replay", "--said"]);
    let said = listed["said"].as_array().unwrap();
    assert!(1000 * said.len() as u64 <= 3 * listed["calls"].as_u64().unwrap(), "{} messages", said.len());
    let of = |one: &Value| [one["session"].clone(), one["tool_use_ids"][0].clone(), one["said"].clone()];
    let messages: BTreeSet<String> = said.iter().map(|one| Value::from(of(one).to_vec()).to_string()).collect();
    assert_eq!(messages.len(), said.len(), "one is told twice");
}
