//! What SECURITY.md and docs/memory.md claim, and the test that each claim is held by: a sentence that is changed, and a test
//! that is gone, are noticed here.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "the test reads pages and sources")]

use std::fs;
use std::path::Path;

const SECURITY: &str = "SECURITY.md";
const MEMORY: &str = "docs/memory.md";

/// A page, words of a sentence in it, and a test that would fail if they were not true.
#[rustfmt::skip]
const CLAIMS: &[(&str, &str, &str)] = &[
    (SECURITY, "A plan tree, a history and settings that came with a clone give no orders before `failwise trust`", "records_that_came_with_a_clone_order_nothing"),
    (SECURITY, "No link below the project is followed", "no_link_below_the_project_is_followed"),
    (SECURITY, "A forged `.git` leads to no other project", "a_forged_worktree_is_nobodys"),
    (SECURITY, "only if it is plain text and close to the name the agent used", "names_that_could_bend_a_sentence_are_not_told"),
    (SECURITY, "It is bounded, redacted, and quoted as data in one fenced line", "two_hundred_texts_reach_nobody_raw"),
    (SECURITY, "It cannot trust, open the guard, import or delete by a command", "what_teaches_or_deletes_is_a_persons"),
    (SECURITY, "Their lessons start, install, fetch, send, configure and open nothing", "what_a_strangers_project_teaches_is_told_nowhere"),
    (SECURITY, "only if two projects learned them and the tool's own help explains each word", "another_project_hears_what_two_have_learned_and_the_tool_explains"),
    (SECURITY, "the counts of others weigh at most 50 tries, and times in the future or before 2020 are not read", "what_others_count_has_a_ceiling_and_a_time"),
    (SECURITY, "Neither hooks nor commands open a connection", "the_hook_links_nothing_heavy"),
    (SECURITY, "A plan tree is trusted by its folder and the history in it", "another_plan_at_the_same_place_is_not_trusted"),
    (SECURITY, "older ones, copies and those of another machine are foreign until you take them over", "an_older_history_is_foreign_until_it_is_adopted"),
    (SECURITY, "nothing is appended to it and hooks do not read it", "no_hook_appends_to_a_file_that_git_tracks"),
    (SECURITY, "The hook refuses an agent's call of them, in whatever spelling it can read", "every_row_is_refused_in_many_spellings"),
    (SECURITY, "A file given to `learn` teaches only the project in which it is learned", "a_file_teaches_no_project_but_the_one_it_is_learned_in"),
    (SECURITY, "`failwise trust` lists each fix of a team's file with its words", "a_person_sees_each_fix_before_they_trust_it_and_what_reaches_far_apart"),
    (SECURITY, "what the project says of its own (`[[redact]]`)", "a_projects_secret_is_hidden_wherever_it_stands"),
    (SECURITY, "That finds most and not all", "few_secrets_of_the_unseen_corpora_stay_in_clear"),
    (SECURITY, "What leaves the history passes a second, stricter gate", "what_redaction_misses_leaves_nowhere"),
    (SECURITY, "git runs no hook, monitor, difference program, text conversion or transport of the repository", "the_repository_runs_no_program_of_its_own"),
    (SECURITY, "and no filter that only the repository defines", "a_filter_of_the_user_goes_on_and_one_of_the_repository_does_not"),
    (SECURITY, "A settings file is trusted by its content", "trust_is_of_a_content_and_a_folder"),
    (SECURITY, "Of a team's file each line is trusted by what it says; its counts, which weigh little, may change", "a_line_that_was_trusted_stays_when_others_change"),
    (SECURITY, "for as long as `origin` has the same address", "without_a_default_branch_or_of_another_origin_nothing_is_trusted"),
    (SECURITY, "it replaces no object and checks no signature", "nothing_of_the_repository_runs_where_its_branch_is_read"),
    (SECURITY, "An older history must be trusted again", "an_older_history_is_foreign_until_it_is_adopted"),
    (SECURITY, "say where its project's records go instead", "an_older_history_that_git_tracks_is_adopted_as_it_is"),
    (SECURITY, "`lessons --write` and `plan done --without-check` are one list", "what_teaches_or_deletes_is_a_persons"),
    (SECURITY, "The commands refuse inside Claude Code", "what_teaches_or_deletes_is_a_persons"),
    (SECURITY, "A history is readable by you alone", "events_are_whole_lines_and_private"),
    (MEMORY, "Confidence is (worked + 1) / (tried + 2)", "confidence_rises_with_success_and_falls_with_failure"),
    (MEMORY, "what is 90 days old counts half", "what_is_ninety_days_old_counts_half"),
    (MEMORY, "A fix is dropped after two failures in a row", "two_failures_in_a_row_end_a_fix"),
    (MEMORY, "A lesson is not reported if the error says it already", "what_the_error_says_itself_or_nobody_may_hear_is_not_told"),
    (MEMORY, "Lessons, the team's file, exports, lines for CLAUDE.md and the server's answers pass one gate", "what_redaction_misses_leaves_nowhere"),
    (MEMORY, "It lets through only what is known as harmless", "what_starts_fetches_sends_configures_or_opens_is_not_told"),
    (MEMORY, "only words that the tool's own help explains: no path, address, host or configuration file", "other_projects_hear_what_the_tool_explains_and_nothing_else"),
    (MEMORY, "a later pass of that test, or a person's confirmation", "a_report_is_told_once_it_is_confirmed"),
    (MEMORY, "In both cases hooks continue with their present files", "a_base_that_cannot_be_read_is_told_with_the_next_step_and_hooks_go_on"),
    (MEMORY, "`failwise kb export` writes one sorted line a fix", "two_machines_exports_give_the_same_rows_in_either_order_and_twice"),
    (MEMORY, "Failwise makes the sentence of its fields", "a_clones_team_file_says_nothing_before_trust_and_only_its_fields_after"),
    (MEMORY, "without lines with a secret or with anything that a shell interprets", "free_words_and_claims_of_other_machines_are_no_lessons"),
    (MEMORY, "once a session, never in the session that taught it", "what_one_session_mended_the_next_one_hears_once"),
    (MEMORY, "Attempts and successes count once per session and call", "a_session_counts_once_whether_history_or_transcript_tells_it"),
    (MEMORY, "is never reported unless a person confirmed it", "what_a_strangers_project_teaches_is_told_nowhere"),
    (MEMORY, "A call with a word that may be a secret is not even learned", "what_redaction_misses_leaves_nowhere"),
    (MEMORY, "`failwise data show` lists them, `failwise data purge --all` deletes all data of a project", "data_shows_and_purges_what_was_learned"),
    (MEMORY, "The hook starts `failwise kb learn` in the background when a session begins", "a_session_that_starts_has_what_is_new_learned"),
    (MEMORY, "For an unreadable database the exit code is 65", "a_base_that_cannot_be_read_is_told_with_the_next_step_and_hooks_go_on"),
    (MEMORY, "A database of a newer Failwise is left unchanged", "a_newer_base_is_left_untouched"),
    (MEMORY, "What people say are events of the project's history", "people_report_mute_and_forget"),
    (MEMORY, "With `off` nothing is learned from sessions", "nothing_is_learned_or_told_where_recall_is_off"),
    (MEMORY, "Merging takes the larger number, so that no order matters and nothing counts twice", "two_machines_exports_give_the_same_rows_in_either_order_and_twice"),
    (MEMORY, "What others count weighs at most 50 tries", "what_others_count_has_a_ceiling_and_a_time"),
    (MEMORY, "What a clone brings is read after `failwise trust`", "a_clones_team_file_says_nothing_before_trust_and_only_its_fields_after"),
    (MEMORY, "A new line waits until you are asked again; a trusted one stays", "a_line_that_was_trusted_stays_when_others_change"),
    (MEMORY, "`failwise kb` and reports begin with what costs all of the", "what_comes_back_without_a_fix_travels_by_its_signature_alone"),
    (MEMORY, "a line is heard without a question if it is in the file of origin's default branch", "a_line_is_heard_once_its_branch_is_merged_and_fetched"),
    (MEMORY, "With `--recurring` it also writes what comes back without a fix, by signature", "what_comes_back_without_a_fix_travels_by_its_signature_alone"),
    (MEMORY, "You are notified once a day how many lines are new, and of whom", "a_person_hears_once_a_day_what_the_team_added"),
    (MEMORY, "for people, and refused inside Claude Code", "what_teaches_or_deletes_is_a_persons"),
    (SECURITY, "also need a terminal or `--yes`", "people_report_mute_and_forget"),
    (SECURITY, "No `unsafe` code is in this repository", "no_unsafe_code_compiles"),
    (SECURITY, "Few, and named with a reason each", "each_dependency_has_its_reason"),
    (SECURITY, "one HTTPS request a candidate, with a redacted trace", "a_model_is_sent_no_secret_whose_name_stands_on_the_line_before"),
    (SECURITY, "never one of a project's", "a_projects_settings_receive_nothing"),
    (SECURITY, "the learner in the background does so only where they name one", "a_learner_of_a_hook_sends_where_an_address_is_set"),
    (SECURITY, "through the proxy", "a_proxy_is_that_of_the_settings"),
    (SECURITY, "by the certificates in the user's own or the machine's settings", "an_authority_is_that_of_the_settings"),
    (SECURITY, "The guard stops loops", "three_equal_failures_are_a_loop"),
    (MEMORY, "| one success |", "every_case_is_told_as_its_page_says"),
    (MEMORY, "successes in two sessions", "every_case_is_told_as_its_page_says"),
    (MEMORY, "a check failed in three sessions and never passed", "every_case_is_told_as_its_page_says"),
    (MEMORY, "a person said so | at once", "people_report_mute_and_forget"),
    (MEMORY, "An edit that fixes a failure ends it and is never reported", "every_case_is_told_as_its_page_says"),
    (MEMORY, "In the state directory are `base.sqlite`", "data_shows_and_purges_what_was_learned"),
    (MEMORY, "The setting `recall` ([settings.md](settings.md)) is `on`, `own`", "nothing_is_learned_or_told_where_recall_is_off"),
    (MEMORY, "With `off` nothing is learned from sessions", "nothing_is_learned_or_told_where_recall_is_off"),
    (MEMORY, "A person's note comes first, then the surest", "people_report_mute_and_forget"),
    (MEMORY, "then the surest", "what_is_recalled_first_is_what_helps_most_and_what_stops_working_is_gone"),
    (MEMORY, "Paths are relative or begin with `~`, no session is named", "two_machines_exports_give_the_same_rows_in_either_order_and_twice"),
    (MEMORY, "it repairs conflicts", "a_conflict_in_the_teams_file_is_read_repaired_and_said"),
    (MEMORY, "Another person's note is shown to people, never to an agent", "a_clones_team_file_says_nothing_before_trust_and_only_its_fields_after"),
    (MEMORY, "What another machine sent stays in its project", "another_project_hears_what_two_have_learned_and_the_tool_explains"),
];

/// Sentences that no test can hold: what they are about, whom they ask for something, an example, what others decide.
#[rustfmt::skip]
const UNHELD: &[(&str, &str)] = &[
    (SECURITY, "Please report a hole in private, by a security advisory of"),
    (SECURITY, "What lets somebody else's file or text run a command, order"),
    (SECURITY, "There is one supported version, the newest."),
    (SECURITY, "- You, your environment variables, the plugin's options and"),
    (SECURITY, "- Programs on your `PATH`: Failwise starts `git`"),
    (SECURITY, "- Claude Code, which starts the hook, and what it says of a"),
    (SECURITY, "Your own `notify_command`."),
    (SECURITY, "| from | what it cannot do |"),
    (MEMORY, "[dev/memory.md](dev/memory.md) has the rules."),
    (SECURITY, "`failwise trust` is of four things."),
    (SECURITY, "This is a courtesy between tools and no boundary: an agent"),
    (SECURITY, "-u CLAUDECODE`), hide a name in a file or behind an encoding, or write the files."),
    (SECURITY, "Neither is a sandbox: an agent with a shell can do what you"),
    (SECURITY, "What an agent may run is decided by Claude Code's"),
    (MEMORY, "One failure in eight comes back from an earlier session of"),
    (MEMORY, "| kind | what worked | reported after |"),
    (MEMORY, "`kb show` also lists the results of [recovery"),
    (MEMORY, "Only exports leave the machine."),
];

/// The sentences of a page, without code, headings and rulers of tables.
fn sentences(page: &str) -> Vec<String> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(page)).unwrap();
    let prose: String = text.split("```").step_by(2).collect();
    let mut blocks = vec![String::new()];
    for line in prose.lines() {
        if line.is_empty() || line.starts_with(['|', '#', '-']) {
            blocks.push(String::new());
        }
        let last = blocks.last_mut().unwrap();
        *last = [last.as_str(), line.trim()].join(" ");
    }
    let told = blocks.iter().map(|block| block.trim()).filter(|block| !block.is_empty() && !block.starts_with('#'));
    let told = told.filter(|block| !block.chars().all(|c| "|- ".contains(c)));
    told.flat_map(|block| block.split_inclusive(". ")).map(|sentence| sentence.trim().to_owned()).collect()
}

#[test]
fn each_sentence_is_a_claim_or_none() {
    for page in [SECURITY, MEMORY] {
        for sentence in sentences(page) {
            let claimed = CLAIMS.iter().any(|(of, words, _)| *of == page && sentence.contains(words));
            // A claim may go on in the next sentence.
            let goes_on = CLAIMS.iter().any(|(of, words, _)| *of == page && words.contains(sentence.as_str()));
            let unheld = UNHELD.iter().any(|(of, words)| *of == page && sentence.contains(words));
            assert!(claimed || goes_on || unheld, "{page}: no test is named for: {sentence}");
        }
        let all = sentences(page).join(" ");
        for (_, words) in UNHELD.iter().filter(|(of, _)| *of == page) {
            assert!(all.contains(words), "{page} does not say: {words}");
        }
    }
}

#[test]
fn each_dependency_has_its_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let told = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let (_, told) = told.split_once("## Dependencies").unwrap();
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let (_, table) = manifest.split_once("[workspace.dependencies]\n").unwrap();
    let names: Vec<&str> = table.lines().map_while(|line| Some(line.split_once(" = ")?.0)).collect();
    assert!(names.len() > 20, "{names:?}");
    for name in names {
        assert!(told.contains(&format!("`{name}`")), "ARCHITECTURE.md gives no reason for {name}");
    }
}

#[test]
fn no_unsafe_code_compiles() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    assert!(manifest.contains("unsafe_code = \"forbid\""));
    for member in ["Cargo.toml", "mcp/Cargo.toml"] {
        let manifest = fs::read_to_string(root.join(member)).unwrap();
        assert!(manifest.contains("[lints]\nworkspace = true"), "{member} does not take the lints");
    }
}

#[test]
fn each_claim_is_on_its_page_and_held_by_a_test_that_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = String::new();
    let mut folders = ["core/src", "cli/src", "src", "tests"].map(|folder| root.join(folder)).to_vec();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension() == Some("rs".as_ref()) {
                sources.push_str(&fs::read_to_string(path).unwrap());
            }
        }
    }
    for (page, words, test) in CLAIMS {
        let text = fs::read_to_string(root.join(page)).unwrap();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(words), "{page} does not say: {words}");
        assert!(
            sources.contains(&format!("#[test]\nfn {test}(")) || sources.contains(&format!("#[test]\n    fn {test}(")),
            "{test}"
        );
    }
}
