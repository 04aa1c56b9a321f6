//! The pages under `rules/workflow/`: their tables equal the code's, and their cases are decided as they say.

#![expect(clippy::disallowed_methods, reason = "reads the pages, and writes the tables where it is told to")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use failwise::classify::DEVIATION;
use failwise::decide::{
    ASKING, CHANGING_METHODS, CLOUD_VERBS, FIRST_TASKS, LOCAL, LOOKING, READING, REDIS_LOOKS, RETRY, TASKS, TIERS,
    TOOL_VERBS, bucket_programs, database_programs, is_looked_into,
};
use failwise::history::Bucket;
use failwise::model::{Action, Category, DecisionAction};
use failwise::programs::{self, EFFECTS, OutsideEffect};

const RETRIES: &str = "retry-policy.md";
const REPLANS: &str = "replan-thresholds.md";

fn text(page: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/workflow").join(page)).unwrap()
}

fn table(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let head: Vec<String> = head.iter().map(|cell| (*cell).to_owned()).collect();
    let rule: Vec<String> = head.iter().map(|_| "---".to_owned()).collect();
    [head, rule].iter().map(|cells| line(cells)).chain(rows.into_iter().map(|cells| line(&cells))).collect()
}

fn assert_table(page: &str, mark: &str, table: &str) {
    let (begin, end) = (format!("<!-- {mark}:begin -->\n"), format!("<!-- {mark}:end -->"));
    let whole = text(page);
    let (before, rest) = whole.split_once(&begin).unwrap_or_else(|| panic!("{page} has no {begin}"));
    let (shown, after) = rest.split_once(&end).unwrap_or_else(|| panic!("{page} has no {end}"));
    if shown != table && std::env::var_os("UPDATE").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/workflow").join(page);
        return fs::write(path, format!("{before}{begin}{table}{end}{after}")).unwrap();
    }
    assert_eq!(shown, table, "{page} is behind the code: UPDATE=1 cargo test --test pages workflow_pages");
}

fn words(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" ")
}

fn seconds(ms: u64) -> String {
    format!("{} s", ms / 1000)
}

#[test]
fn the_table_of_retries_is_the_codes() {
    let mut rows = vec![
        vec!["failures of an episode that are retried".to_owned(), RETRY.retries.to_string()],
        vec!["shortest wait".to_owned(), seconds(RETRY.least_ms)],
    ];
    let waits = |category| [1, 2, 3].map(|failure| seconds(RETRY.ceiling_ms(category, failure))).join(", ");
    for (category, _) in RETRY.first_ms {
        rows.push(vec![format!("longest wait after failure 1, 2, 3: {}", category.as_str()), waits(*category)]);
    }
    rows.extend([
        vec!["longest wait after failure 1, 2, 3: any other category".to_owned(), waits(Category::Network)],
        vec!["longest wait of our own".to_owned(), seconds(RETRY.longest_ms)],
        vec!["longest wait that another side may ask for".to_owned(), seconds(RETRY.longest_asked_ms)],
        vec!["retries in a project's bucket".to_owned(), Bucket::SIZE.to_string()],
        vec!["a retry comes back to the bucket every".to_owned(), seconds(Bucket::REFILL_MS)],
    ]);
    assert_table(RETRIES, "retry", &table(&["what", "value"], rows));
}

#[test]
fn the_table_of_effects_is_the_codes() {
    let rows = EFFECTS.iter().map(|effect| {
        let mut silent = words(effect.dry);
        if !effect.only_with.is_empty() {
            write!(silent, " without {}", words(effect.only_with)).unwrap();
        }
        let check = if effect.check.is_empty() { String::new() } else { format!("`{}`: ", effect.check.join(" ")) };
        let check = check.replace(" {?}", " [REMOTE]").replace("{}", "NAME");
        let commands = commands_with(effect);
        let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
        vec![effect.kind.to_owned(), words(&commands), silent.trim().to_owned(), format!("{check}{}", effect.look)]
    });
    assert_table(RETRIES, "effects", &table(&["kind", "commands", "silent with", "look first"], rows));
}

/// The programs and subcommands that have this effect.
fn commands_with(effect: &'static OutsideEffect) -> Vec<String> {
    programs::rows().filter(|(_, row)| row.effect == Some(effect)).map(|(words, _)| words).collect()
}

#[test]
fn the_table_of_words_is_the_codes() {
    let rows = [
        (
            "`curl`, `wget`, `http`, `xh`, `gh api`, `glab api`",
            format!("the methods {}, or a body without another method", words(CHANGING_METHODS)),
        ),
        (
            "`aws`, `gcloud`, `az`, `doctl`, `hcloud`, `oci`, `ibmcloud`",
            format!("a word, or its part before a `-`, among {}", words(CLOUD_VERBS)),
        ),
        (
            "task runners (`npm run`, `make`, `just`, `gradle` ...), scripts and modules by their name, and the subcommands of programs \
             that nobody knows",
            format!(
                "a part of the name among {}, or the first part among {}; silent with a part among {}",
                words(TASKS),
                words(FIRST_TASKS),
                words(LOOKING)
            ),
        ),
        (
            "databases (see the code's table of options)",
            format!(
                "{}: a statement given by an option that does not begin with one of {}, or a file of statements, \
                 or statements by `<` or a pipe; `redis-cli` with a command that is none of {}",
                words(&database_programs().collect::<Vec<_>>()),
                words(ASKING),
                words(REDIS_LOOKS)
            ),
        ),
        ("`ssh HOST COMMAND`", "a command that does more than look".to_owned()),
        (
            "programs of buckets",
            format!("{}: a copy into a bucket, or a change of one", words(&bucket_programs().collect::<Vec<_>>())),
        ),
        (
            "programs that nobody knows, and scripts",
            format!(
                "all but those with a part of the name, or of their first words, among {}, or what silences a task",
                words(READING)
            ),
        ),
        ("`rsync` and `scp`", "a copy to another machine".to_owned()),
        ("`eval`, and a variable or another command as the program", "always".to_owned()),
        ("tools of servers (`mcp__SERVER__NAME`)", format!("a name that begins with one of {}", words(TOOL_VERBS))),
    ];
    let rows = rows.map(|(calls, which)| vec![calls.to_owned(), which]);
    assert_table(RETRIES, "words", &table(&["calls", "which"], rows));
}

fn cases(heading: &str) -> Vec<String> {
    let page = text(RETRIES);
    let (_, rest) = page.split_once(&format!("## {heading}\n\n```text\n")).unwrap();
    let (cases, _) = rest.split_once("```").unwrap();
    cases.lines().map(str::to_owned).collect()
}

/// A line as a history names it: its operation, where it is a command line.
fn effect(line: &str) -> bool {
    let of_a_tool = line.starts_with("mcp__") || line.starts_with("Edit:");
    is_looked_into(&if of_a_tool { line.to_owned() } else { failwise::signature::operation_of_command(line).0 })
}

#[test]
fn what_may_have_taken_effect_is_looked_into_and_near_misses_are_not() {
    let (fires, silent) = (cases("Looked into first"), cases("Retried as usual"));
    assert!(fires.len() >= 30 && silent.len() >= 30);
    let missed: Vec<&String> = fires.iter().filter(|line| !effect(line)).collect();
    let false_alarms: Vec<&String> = silent.iter().filter(|line| effect(line)).collect();
    assert!(missed.is_empty() && false_alarms.is_empty(), "missed {missed:#?}, false alarms {false_alarms:#?}");
}

/// Each row of the table fires by itself, and is silent with each of its options.
#[test]
fn every_row_of_effects_fires_and_its_options_silence_it() {
    for row in EFFECTS {
        let commands = commands_with(row);
        assert!(!commands.is_empty(), "{row:?}");
        for command in commands {
            let with = row.only_with.first().map(|option| format!(" {option}")).unwrap_or_default();
            assert!(effect(&format!("{command} x{with}")), "{command}");
            for option in row.dry {
                assert!(!effect(&format!("{command} x{with} {option}")), "{command} {option}");
            }
            assert!(row.only_with.is_empty() || !effect(&format!("{command} x")), "{command} without {with}");
            assert!(!effect(&format!("echo '{command}'")), "{command} in quotes");
        }
    }
}

#[test]
fn the_table_of_f2_is_the_codes() {
    let word = |action: &Action| serde_json::to_value(action).unwrap().as_str().unwrap().to_owned();
    let rows = LOCAL.iter().map(|(asked, first, later)| vec![word(asked), first.to_string(), later.to_string()]);
    assert_table(REPLANS, "local", &table(&["recommended", "first failure", "later ones"], rows));
}

#[test]
fn the_tables_of_severity_tiers_and_deviation_are_the_codes() {
    let rows = DecisionAction::ALL.iter().enumerate().map(|(at, action)| vec![at.to_string(), action.to_string()]);
    assert_table(REPLANS, "severity", &table(&["severity", "action"], rows));
    let rows = TIERS.iter().map(|row| {
        let action = row.action.map_or_else(|| "only a person".to_owned(), |action| action.to_string());
        vec![format!("T{}", row.tier), row.name.to_owned(), row.replans.to_string(), action]
    });
    assert_table(REPLANS, "tiers", &table(&["tier", "name", "replans", "replanned by"], rows));
    let rows = DEVIATION.iter().map(|(from, effect)| vec![format!("{from:.1}"), (*effect).to_owned()]);
    assert_table(REPLANS, "deviation", &table(&["from", "effect"], rows));
}
