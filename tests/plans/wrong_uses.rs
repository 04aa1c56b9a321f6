//! What people and agents type wrong at a plan: each is answered with what is wrong and the next step.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "writes files that a command is given")]

use std::fs;

use crate::plan_commands::Project;

/// A command behind `failwise plan`, its exit status, and what its answer says about the next step.
#[rustfmt::skip]
const WRONG_USES: &[(&str, i32, &str)] = &[
    // Words of other programs.
    ("ls", 64, "failwise plan status"),
    ("start TASK-00003", 64, "failwise plan claim"),
    ("take TASK-00003", 64, "failwise plan claim"),
    ("assign TASK-00003", 64, "failwise plan claim"),
    ("complete TASK-00001", 64, "failwise plan done"),
    ("finish TASK-00001", 64, "failwise plan done"),
    ("close TASK-00001", 64, "failwise plan done"),
    ("remove TASK-00001", 64, "failwise plan set ID discarded"),
    ("delete TASK-00001", 64, "failwise plan set ID discarded"),
    ("release TASK-00001", 64, "failwise plan set ID planned"),
    ("new", 64, "failwise plan init"),
    ("create", 64, "failwise plan init"),
    ("check", 64, "failwise plan validate"),
    ("revert STORY-0001", 64, "failwise plan undo"),
    ("import plan.md", 64, "failwise plan tree"),
    ("export", 64, "failwise plan tree --print"),
    ("split STORY-0001", 64, "failwise plan expand"),
    ("update TASK-00001", 64, "failwise plan edit"),
    ("rename TASK-00001", 64, "failwise plan edit"),
    ("log TASK-00001", 64, "failwise plan show ID --history"),
    ("unfreeze STORY-0002", 64, "failwise plan thaw"),
    ("nonsense", 64, "--help"),
    ("list", 0, "TASK-00001"),
    ("view TASK-00001", 64, "failwise plan show"),
    ("todo", 64, "failwise plan status --open"),
    ("mission Books", 64, "failwise plan init"),
    ("unclaim TASK-00001", 64, "failwise plan set ID planned"),
    ("cancel TASK-00001", 64, "failwise plan set ID discarded"),
    ("skip TASK-00001", 64, "failwise plan set ID discarded"),
    ("archive FEAT-1", 64, "failwise plan set ID archived"),
    ("pause TASK-00001", 64, "failwise plan freeze"),
    ("resume TASK-00001", 64, "failwise plan thaw"),
    ("note TASK-00001 x", 64, "failwise plan promote"),
    ("move TASK-00002 STORY-0002", 64, "failwise plan expand"),
    ("help claim", 64, "failwise plan --help"),
    ("next TASK-00003", 64, "did you mean: failwise plan claim"),
    ("next --task TASK-00003", 64, "failwise plan claim"),
    ("next --feature FEAT-1", 64, "failwise plan next --story"),
    ("validate TASK-00003", 64, "failwise plan show"),
    ("add task --parent STORY-0001 --title x", 64, "failwise plan add --intent"),
    ("add task --story STORY-0001 --intent x", 64, "failwise plan add --parent"),
    ("add task --parent STORY-0001 --intent x --file a.rs", 64, "failwise plan add --artifact"),
    ("edit TASK-00003 --title x", 64, "failwise plan edit --intent"),
    ("status --story STORY-0001", 64, "failwise plan status --node"),
    // Words and options that are missing or wrong.
    ("add", 64, "--parent <ID>"),
    ("add epic --parent MISSION --intent x", 64, "initiative, feature, story, task"),
    ("add task --parent STORY-0001", 64, "--intent <TEXT>"),
    ("claim", 64, "<ID>"),
    ("set TASK-00001 finished --reason x", 64, "it is one of planned, active"),
    ("set TASK-00001 in-progress --reason x", 64, "it is one of planned, active"),
    ("depend TASK-00003", 64, "--on <ID>"),
    ("edit TASK-00003", 64, "--intent <TEXT>"),
    ("replan STORY-0001", 64, "--reason <TEXT>"),
    ("freeze STORY-0001", 64, "--reason <TEXT>"),
    ("promote TASK-00003", 64, "--note <TEXT>"),
    ("tree", 64, "FILE"),
    ("tree plan.md --print", 64, "--print"),
    ("init", 64, "--intent <TEXT>"),
    ("add feature --parent MISSION --intent x --constraint colour=red", 64, "the names are forbidden_paths"),
    ("add feature --parent MISSION --intent x --constraint forbidden_paths", 64, "write NAME=VALUE"),
    ("next --agent a", 64, "--session <ID>"),
    ("claim TASK-00003 --session a/b", 64, "the client's ids are"),
    ("claim TASK-00003 --mine --theirs", 64, "--mine"),
    // What is not there.
    ("claim TASK-00099", 1, "`failwise plan status` shows the nodes"),
    ("done TASK-00099", 1, "`failwise plan status` shows the nodes"),
    ("show TASK-00099", 1, "`failwise plan status` shows the nodes"),
    ("next --story STORY-0099", 1, "`failwise plan status` shows the nodes"),
    ("add task --parent STORY-0099 --intent x", 1, "`failwise plan status` shows the nodes"),
    ("depend TASK-00003 --on TASK-00099", 1, "`failwise plan status` shows the nodes"),
    ("conflicts show CONFLICT-00000000", 1, "failwise plan conflicts list"),
    ("tree none.md", 74, "none.md"),
    ("tree bad.md", 1, "an outline has headings"),
    ("tree merged.md", 1, "line 2: the marks of a merge conflict"),
    ("tree untested.md", 1, "`- test: FILE::NAME`"),
    ("tree strange.md", 1, "the list below a heading has `file`, `test`, `after`, `constraint`"),
    ("tree unnamed.md", 1, "name it by its id or by the words of its heading"),
    ("tree empty.md", 1, "write `# Mission: TEXT`"),
    ("tree tests", 74, "give a file, or pipe its text in"),
    ("claim TASK-00005", 1, "failwise plan claim TASK-00005 --mine or --theirs"),
    ("done TASK-00005", 1, "failwise plan claim TASK-00005 --mine or --theirs"),
    ("set TASK-00005 discarded --reason x", 1, "failwise plan claim TASK-00005 --mine or --theirs"),
    ("freeze TASK-00005 --reason x", 1, "failwise plan claim TASK-00005 --mine or --theirs"),
    ("validate", 1, "  failwise plan claim TASK-00005 --mine or --theirs\n"),
    ("set TASK-00006 discarded --reason x", 1, "`in-progress` is no status"),
    // What the state forbids.
    ("init --intent x", 1, "`failwise plan status` shows it"),
    ("claim TASK-00001", 1, "failwise plan next takes another"),
    ("claim TASK-00002", 1, "failwise plan next"),
    ("claim TASK-00003", 1, "failwise plan next finds one"),
    ("claim TASK-00004", 1, "failwise plan next"),
    ("next --story STORY-0002", 1, "TASK-00004     waits: it is frozen"),
    ("done TASK-00003", 1, "failwise plan claim TASK-00003"),
    ("done STORY-0001", 1, "failwise plan set ID discarded --reason TEXT"),
    ("set TASK-00001 active --reason x", 1, "failwise plan claim TASK-00001"),
    ("set TASK-00001 frozen --reason x", 1, "failwise plan freeze TASK-00001 --reason TEXT"),
    ("set TASK-00004 planned --reason x", 1, "failwise plan thaw TASK-00004"),
    ("set TASK-00003 discarded", 1, "add --reason TEXT"),
    ("add task --parent FEAT-1 --intent x", 1, "the order is mission, initiative"),
    ("add story --parent FEAT-1 --intent x", 1, "add --test-ref FILE::NAME"),
    ("add task --parent STORY-0002 --intent x", 1, "add it below a node that is open"),
    ("add feature --parent MISSION --intent=", 1, "add a few words on its purpose"),
    ("add feature --parent MISSION --intent x --id FEAT-1", 1, "take another id"),
    ("add feature --parent MISSION --intent x --id a/b", 1, "letters, digits, `-` and `.`"),
    ("add feature --parent MISSION --intent x --depends-on TASK-00001", 1, "let its tasks depend"),
    ("depend TASK-00001 --on TASK-00003", 1, "take one of these out of its depends_on"),
    ("depend TASK-00003 --on STORY-0001", 1, "name another node"),
    ("depend STORY-0001 --on TASK-00003", 1, "TASK-00003 is below STORY-0001, and is done before it as it is"),
    ("add task --parent STORY-0001 --intent x --artifact /etc/passwd", 1, "starts at the project's root"),
    ("expand NOPE-1 tasks.md", 1, "`failwise plan status` shows the nodes"),
    ("expand NOPE-1 known.md", 1, "`failwise plan status` shows the nodes"),
    ("depend TASK-00001 --drop TASK-00003", 1, "failwise plan show TASK-00001"),
    ("thaw STORY-0001", 1, "`failwise plan status` shows them"),
    ("replan TASK-00001 --reason x", 1, "failwise plan set ID discarded --reason TEXT"),
    ("replan MISSION --reason x", 1, "ask one"),
    ("replan STORY-0001 --reason x", 1, "name the task that failed by --of ID"),
    ("undo MISSION", 1, "it has no checkpoint left"),
    ("edit TASK-00002 --intent x", 1, "failwise plan add plans new work"),
    ("edit TASK-00003 --artifact /etc/passwd", 1, "starts at the project's root"),
    ("edit TASK-00003 --drop-artifact src/none.rs", 1, "failwise plan show TASK-00003"),
    ("edit STORY-0001 --drop-test-ref tests/beds.rs::dry", 1, "add --test-ref FILE::NAME"),
    ("edit TASK-00003 --constraint forbidden_paths=x", 1, "set it there"),
    ("promote TASK-00003 --note x --to FEAT-9", 1, "--to names one of STORY-0001, FEAT-1, MISSION"),
    ("expand TASK-00003 tasks.md", 1, "the order is mission, initiative"),
];

#[test]
fn what_is_typed_wrong_is_answered_with_the_next_step() {
    let project = Project::new();
    let story = ["add", "story", "--parent", "FEAT-1", "--intent", "Close them", "--test-ref", "tests/beds.rs::wet"];
    project.done(&story);
    project.done(&["add", "task", "--parent", "STORY-0002", "--intent", "Close it"]);
    project.done(&["freeze", "STORY-0002", "--reason", "no motor"]);
    project.done(&["claim", "TASK-00002"]);
    project.done(&["done", "TASK-00002"]);
    project.agent_runs("s-9", None, &["claim", "TASK-00001"]);
    fs::write(project.root().join("bad.md"), "Some words\n").unwrap();
    fs::write(project.root().join("tasks.md"), "# Task: Turn it\n").unwrap();
    fs::write(project.root().join("known.md"), project.done(&["tree", "--print"])).unwrap();
    for (file, outline) in [
        ("merged.md", "# Feature: A\n<<<<<<< HEAD\n## Story: B\n=======\n## Story: C\n>>>>>>> other\n"),
        ("untested.md", "# Feature: A\n## Story: B\n"),
        ("strange.md", "# Feature: A\n- owner: me\n"),
        ("unnamed.md", "# Feature: A\n## Story: B\n- test: t.rs\n### Task: C\n- after: D\n"),
        ("empty.md", ""),
    ] {
        fs::write(project.root().join(file), outline).unwrap();
    }
    project.done(&["add", "task", "--parent", "STORY-0001", "--intent", "Oil it"]);
    let page = fs::read_to_string(project.file("TASK-00005")).unwrap();
    let both = "<<<<<<< HEAD\nstatus: planned\n=======\nstatus: active\nclaimed_by: s-2\n>>>>>>> other\n";
    fs::write(project.file("TASK-00005"), page.replace("status: planned\n", both)).unwrap();
    project.done(&["add", "task", "--parent", "STORY-0001", "--intent", "Paint it"]);
    project.replace("TASK-00006", "status: planned", "status: in-progress");
    let before = project.done(&["status", "--json"]);
    let mut wrong = Vec::new();
    for (typed, exit, next) in WRONG_USES {
        let output = project.plan(&typed.split(' ').collect::<Vec<_>>());
        let told = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        if output.status.code() != Some(*exit) || !told.contains(next) {
            wrong.push(format!("{typed}: {:?}, wants {next:?}:\n{told}", output.status.code()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(WRONG_USES.len() > 60);
    assert_eq!(project.done(&["status", "--json"]), before, "nothing of this changes the plan");
    fs::write(project.file("TASK-00005"), page).unwrap();
    project.replace("TASK-00006", "status: in-progress", "status: planned");
    project.valid();
}
