//! `failwise trust`: a person says that what came with a project may bind their agents.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use failwise::compiled::forget_forms;
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::git::{FetchedBranch, origin_of};
use failwise::journal::read_lines;
use failwise::place::{
    LARGEST_TEAM, Place, TEAM_FILE, TEAM_TESTS, TrustedLines, forget_lines, keep, project_name, trust_lines, trusted,
    trusts_plan,
};
use failwise::plan::edit::Tree;
use failwise::project::{
    UNTRACK, Waiting, compiled_of, is_tracked, keep_compiled, look_after, own_history, settings_of,
};
use failwise::settings::PROJECT_FILE;
use failwise::store::{CaseFile, SharedFile, SharedLine, TeamTrust, note_team_known};
use failwise::trust::{Trusted, fingerprint};
use serde_json::json;

use crate::people;
use crate::style::{Format, PrintArgs, Style, print_json, shown};

/// Trust the plan, settings and records of this project
///
/// A clone may bring files that bind an agent: a plan tree, a history, settings that weaken Failwise. Hooks ignore them
/// until a person trusts them. This command lists the untrusted items with their effects, and asks. Settings are
/// trusted by their content: a changed file needs trust again. Of a team's file each line is trusted, whatever it
/// counts. With --team every line is, now and later, that git fetched last from the default branch of origin. Only people
/// can do this: it is refused inside Claude Code, in a hook and without a terminal.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 trusted, or nothing waits, 1 refused, or with --show something waits, 64 wrong command line, 65 the \
    settings file is unreadable, 74 a file could not be read or written.\n\n\
                  Examples:\n  failwise trust            list untrusted items, and ask\n  failwise trust --show     \
                  list them, change nothing\n  \
                  failwise trust --team     trust what the team merged, now and later\n  \
                  failwise trust --revoke   revoke the trust"
)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(crate) struct TrustArgs {
    /// List untrusted and trusted items, and change nothing
    #[arg(long, conflicts_with = "revoke")]
    show: bool,
    /// Revoke all trust in this project
    #[arg(long)]
    revoke: bool,
    /// Trust the team's files as they stand in the default branch of origin: what is merged is heard once it was fetched
    #[arg(long, conflicts_with_all = ["show", "revoke", "plans"])]
    team: bool,
    /// Skip the question: for your own scripts
    #[arg(long)]
    yes: bool,
    /// The plan's folder instead of the project's
    #[arg(long, value_name = "DIR")]
    plans: Option<PathBuf>,
    #[command(flatten)]
    print: PrintArgs,
}

pub(crate) fn run(args: &TrustArgs) -> crate::CommandOutcome {
    let mut place = crate::place()?;
    for dir in place.own_histories(&crate::env) {
        // What git tracked yesterday may wait today. What cannot be kept is found out again at the next start of a session.
        let _ = look_after(&crate::env, &dir, &crate::now());
    }
    place = crate::place()?;
    if let Some(plans) = &args.plans {
        use_plans(&mut place, crate::here()?.join(plans));
    }
    if args.revoke {
        return revoke(&place, args);
    }
    if args.team {
        return trust_team(&place, args);
    }
    let waiting = Waiting::of(&crate::env, &place);
    let can_be_read = readable(&place);
    if args.show {
        print(&place, &waiting, args.print.format)?;
        can_be_read?;
        return Ok(if waiting.is_nothing() { Exit::Ok } else { Exit::Differs });
    }
    can_be_read?;
    if waiting.is_nothing() {
        print(&place, &waiting, args.print.format)?;
        return Ok(Exit::Ok);
    }
    people::only_people("trust", args.yes)?;
    print(&place, &waiting, args.print.format)?;
    if !args.yes && !people::agrees("Trust this?")? {
        return Ok(Exit::Differs);
    }
    trust(&place, &waiting)?;
    if !waiting.team.is_empty() {
        drop(crate::kb::caught_up(&place)?);
    }
    if args.print.format == Format::Text {
        tell_where(&place, &waiting)?;
    }
    Ok(Exit::Ok)
}

/// Has the default branch of `origin` say from now on what the team's files hold.
fn trust_team(place: &Place, args: &TrustArgs) -> crate::CommandOutcome {
    people::only_people("trust", args.yes)?;
    let nothing = |why: &str, hint: &str| Error::refused(why).hint(hint);
    let branch = FetchedBranch::of(&place.project)
        .ok_or_else(|| nothing("git knows no repository here", "run it in a clone; failwise trust needs none"))?;
    let origin = origin_of(&place.project).ok_or_else(|| {
        nothing(
            "the repository has no remote called origin",
            "run git remote add origin URL; failwise trust needs none",
        )
    })?;
    let branch = branch.ok_or_else(|| {
        let next = "run git fetch origin; git remote set-head origin --auto";
        nothing("no default branch of origin was fetched", next)
    })?;
    if args.print.format == Format::Text {
        print_team(place, &branch)?;
    }
    if !args.yes && !people::agrees("Trust what is merged there, now and later?")? {
        return Ok(Exit::Differs);
    }
    let record = Trusted { team_origin: Some(fingerprint(&origin)), ..trusted(&crate::env, &place.project) };
    keep(&crate::env, &record)?;
    let base = crate::kb::caught_up(place)?;
    let project = project_name(&place.project);
    note_team_known(&base, &crate::env, &project, &branch)?;
    // Without a word of what was just shown.
    crate::kb::told(&base, &[project].into())?;
    let says = TeamTrust::of(&crate::env, &place.project).words().0;
    if args.print.format == Format::Json {
        let (branch, commit) = (&branch.name, &branch.commit);
        let all = json!({"schema_version": 1, "project": place.project, "branch": branch, "commit": commit});
        return print_json(&all);
    }
    writeln!(std::io::stdout(), "the team's files: {says}; `failwise trust --revoke` takes it back")?;
    Ok(Exit::Ok)
}

/// What the default branch holds of the team's.
fn print_team(place: &Place, branch: &FetchedBranch) -> Result<(), crate::CommandFailure> {
    let mut out = std::io::stdout().lock();
    let style = if std::io::stdout().is_terminal() { Style::for_stdout() } else { Style::plain() };
    writeln!(out, "{}", style.bold(&shown(&place.project.to_string_lossy(), 300)))?;
    let text = |name| branch.file(name, LARGEST_TEAM).unwrap_or_default();
    let ((fixes, _), cases) = (fixes_of(&text(TEAM_FILE)), cases_of(&text(TEAM_TESTS)));
    let name = shown(&branch.name, 100);
    writeln!(out, "  {name} has {} fixes and {cases} test cases; agents hear of fixes from others", fixes.len())?;
    Ok(print_fixes(&mut out, style, fixes)?)
}

/// How many lines of the team's files a person said they trust.
fn trusted_count(place: &Place) -> usize {
    TrustedLines::of(&crate::env, &place.project).count()
}

/// Says that it is trusted, and of records that git tracks where the new ones go.
fn tell_where(place: &Place, waiting: &Waiting) -> Result<(), crate::CommandFailure> {
    let mut out = std::io::stdout().lock();
    for dir in records(waiting).filter(|dir| trusted(&crate::env, dir).tracked) {
        // A plan that was just trusted moves no history that git tracks.
        writeln!(out, "{}", tracked_records(&short_path(place, dir), &place.dir))?;
    }
    for problem in compiled_of(&crate::env, place).1 {
        writeln!(out, "not used: {}", shown(&problem.to_string(), 300))?;
    }
    writeln!(out, "trusted; `failwise trust --revoke` takes it back")?;
    Ok(())
}

/// What becomes of records that git tracks, and what makes them count. `dir` is the folder that new ones go to.
pub(crate) fn tracked_records(name: &str, dir: &Path) -> String {
    let dir = shown(&dir.to_string_lossy(), 300);
    format!(
        "git tracks the records in {name}: they stay as they are, and new ones go to {dir}\n  to use them, {UNTRACK}"
    )
}

/// The folders whose records wait.
fn records(waiting: &Waiting) -> impl Iterator<Item = &PathBuf> {
    waiting.plan.iter().chain(&waiting.histories).filter(|dir| lines_in(dir).is_some())
}

/// A plan tree that the person named is the one that they speak of.
fn use_plans(place: &mut Place, plans: PathBuf) {
    let is_trusted = trusts_plan(&crate::env, &plans);
    (place.plans, place.foreign_plans) = if is_trusted { (Some(plans), None) } else { (None, Some(plans)) };
}

/// A file that cannot be read for what it is, is not trusted: what it would say once it can be is not known.
fn readable(place: &Place) -> Result<(), Error> {
    let path = place.project.join(PROJECT_FILE);
    let is_there = std::fs::symlink_metadata(&path).is_ok();
    if is_there && place.settings_file().is_none() {
        return Err(Error::unreadable(format!("{} is no small regular file", path.display()))
            .hint("make it a file of its own, no link, of at most 64 KiB"));
    }
    match settings_of(&crate::env, Some(place)).1.iter().find(|problem| problem.spoils_the_file) {
        Some(problem) => Err(Error::unreadable(problem.to_string()).hint("correct that line, and run this again")),
        None => Ok(()),
    }
}

fn trust(place: &Place, waiting: &Waiting) -> Result<(), Error> {
    let (env, now) = (&crate::env, crate::now());
    if let Some((_, text)) = place.settings_file().filter(|_| !waiting.settings.is_empty()) {
        let mut record = trusted(env, &place.project);
        record.add(&text);
        keep(env, &record)?;
        keep_compiled(env, place)?;
    }
    if !waiting.team.is_empty() {
        trust_lines(env, &place.project, waiting.team.iter().flat_map(|(_, lines)| lines.lines()))?;
    }
    if let Some(plans) = &waiting.plan {
        let mut record = trusted(env, plans);
        record.plan = true;
        keep(env, &record)?;
    }
    for dir in waiting.plan.iter().chain(&waiting.histories) {
        own_history(env, dir, &now)?;
    }
    Ok(())
}

fn revoke(place: &Place, args: &TrustArgs) -> crate::CommandOutcome {
    people::only_people("trust", args.yes)?;
    let mut taken = Vec::new();
    let mut had_team = false;
    for dir in folders(place) {
        let mut record = trusted(&crate::env, &dir);
        let had_lines = forget_lines(&crate::env, &dir)?;
        had_team |= had_lines || record.team_origin.is_some();
        if record.is_any() || had_lines {
            forget_forms(&crate::env, &record);
            record = Trusted { told: record.told, ..Trusted::nothing(&record.folder) };
            keep(&crate::env, &record)?;
            taken.push(dir);
        }
    }
    if had_team {
        // Or hooks would go on with what was learned of it.
        drop(crate::kb::caught_up(place)?);
    }
    let mut out = std::io::stdout().lock();
    if args.print.format == Format::Json {
        drop(out);
        print_json(&json!({"schema_version": 1, "revoked": taken}))?;
    } else if taken.is_empty() {
        writeln!(out, "nothing of this project was trusted")?;
    } else {
        for dir in &taken {
            writeln!(out, "no longer trusted: {}", shown(&dir.to_string_lossy(), 300))?;
        }
    }
    Ok(if taken.is_empty() { Exit::Differs } else { Exit::Ok })
}

/// The folders of a project that trust can be of.
fn folders(place: &Place) -> Vec<PathBuf> {
    let plans = place.plans.clone().or_else(|| place.foreign_plans.clone());
    let own = failwise::place::own_folder(&place.project);
    [Some(place.project.clone()), plans, Some(own)].into_iter().flatten().collect()
}

fn print(place: &Place, waiting: &Waiting, format: Format) -> Result<(), crate::CommandFailure> {
    let mut out = crate::style::text_page(format);
    let trusted_now = folders(place).into_iter().filter(|dir| trusted(&crate::env, dir).is_any());
    let weakening = settings_of(&crate::env, Some(place)).0.weakening;
    if format == Format::Json {
        let settings: Vec<_> = weakening
            .iter()
            .map(|one| json!({"key": one.key, "value": one.value, "effect": one.effect, "waits": one.waits}))
            .collect();
        let (known, cases) = (team_text(waiting, TEAM_FILE), team_text(waiting, TEAM_TESTS));
        let all = json!({
            "schema_version": 1, "project": place.project, "settings": settings, "plan": waiting.plan,
            "fixes": known.map(fixes_json), "team": known.map(|_| place.project.join(TEAM_FILE)),
            "cases": cases.map(cases_of),
            "histories": waiting.histories, "trusted": trusted_now.collect::<Vec<_>>(),
            "trusted_lines": trusted_count(place), "team_trust": TeamTrust::of(&crate::env, &place.project).words().0,
        });
        return print_json(&all).map(drop);
    }
    let style = if std::io::stdout().is_terminal() { Style::for_stdout() } else { Style::plain() };
    writeln!(out, "{}", style.bold(&shown(&place.project.to_string_lossy(), 300)))?;
    for one in &weakening {
        let state = if one.waits { style.yellow("waits  ") } else { style.green("trusted") };
        let value = shown(&one.value, 120);
        writeln!(out, "  {state} {} = {value}: {}", one.key, one.effect)?;
    }
    if let Some(dir) = &waiting.plan {
        let state = style.yellow("waits  ");
        let (path, size) = (short_path(place, dir), plan_size(place, dir));
        writeln!(out, "  {state} the plan tree {path}: {size}; its tasks, constraints and freezes bind agents")?;
    }
    if let Some(text) = team_text(waiting, TEAM_FILE) {
        let (state, (fixes, skipped)) = (style.yellow("waits  "), fixes_of(text));
        let open = SharedFile::read(text, crate::kb::now()).open.len();
        let also = |count: usize, what: &str| if count > 0 { format!(", {count} {what}") } else { String::new() };
        let skipped = also(open, "lines of failures without a fix") + &also(skipped, "lines that cannot be read");
        writeln!(
            out,
            "  {state} the team's file {TEAM_FILE}: {} fixes{skipped}; agents hear of fixes from others",
            fixes.len()
        )?;
        print_fixes(&mut out, style, fixes)?;
    }
    if let Some(cases) = team_text(waiting, TEAM_TESTS).map(cases_of) {
        let state = style.yellow("waits  ");
        writeln!(out, "  {state} the team's file {TEAM_TESTS}: {cases} test cases; agents hear which fail by chance")?;
    }
    for dir in records(waiting) {
        let (state, lines) = (style.yellow("waits  "), lines_in(dir).unwrap_or_default());
        let effect = if is_tracked(dir) {
            "git tracks them, so no hook reads them and nothing is appended"
        } else {
            "agents hear of their failures"
        };
        writeln!(out, "  {state} the records in {}: {lines} lines; {effect}", short_path(place, dir))?;
    }
    let waits = |dir: &PathBuf| waiting.plan.as_ref() == Some(dir) || waiting.histories.contains(dir);
    let (lines, team) = (trusted_count(place), TeamTrust::of(&crate::env, &place.project));
    if lines > 0 {
        writeln!(out, "  {} {lines} lines of the team's files", style.green("trusted"))?;
    }
    if !matches!(team, TeamTrust::Asked) {
        let (says, next) = team.words();
        let next = next.map(|next| format!("; {next}")).unwrap_or_default();
        writeln!(out, "  {} the team's files: {says}{next}", style.green("trusted"))?;
    }
    for dir in trusted_now.filter(|dir| !waits(dir)) {
        writeln!(out, "  {} {}", style.green("trusted"), shown(&dir.to_string_lossy(), 300))?;
    }
    if waiting.is_nothing() {
        writeln!(out, "nothing waits for your trust")?;
    }
    Ok(())
}

/// What a file of the team's holds that waits.
fn team_text<'w>(waiting: &'w Waiting, name: &str) -> Option<&'w str> {
    waiting.team.iter().find(|(known, _)| *known == name).map(|(_, text)| text.as_str())
}

fn cases_of(text: &str) -> usize {
    CaseFile::read(text).lines.len()
}

fn fixes_json(text: &str) -> Vec<serde_json::Value> {
    let each = fixes_of(text).0.into_iter();
    each.map(|(call, words, why)| json!({"call": call, "words": words, "never_unasked": why})).collect()
}

/// What a fix of a team's file says: see [`SharedLine::described`].
type DescribedFix = (String, String, Option<&'static str>);

/// The fixes of a team's file, each once however many machines counted it, and how many lines cannot be read.
fn fixes_of(text: &str) -> (Vec<DescribedFix>, usize) {
    let SharedFile { lines, skipped, .. } = SharedFile::read(text, crate::kb::now());
    let mut fixes: Vec<DescribedFix> = lines.iter().map(SharedLine::described).collect();
    // Lines of one fix stand together.
    fixes.dedup();
    (fixes, usize::try_from(skipped).unwrap_or(usize::MAX))
}

/// The most fixes of a team's file that are listed, of each of both kinds.
const MOST_FIXES: usize = 200;

/// Each fix with its words; those that would never be told by themselves apart.
fn print_fixes(out: &mut impl Write, style: Style, fixes: Vec<DescribedFix>) -> std::io::Result<()> {
    let (apart, plain): (Vec<_>, Vec<_>) = fixes.into_iter().partition(|(.., why)| why.is_some());
    for (call, words, _) in plain.iter().take(MOST_FIXES) {
        writeln!(out, "          {}: {}", shown(call, 120), shown(words, 200))?;
    }
    if !apart.is_empty() {
        writeln!(out, "          {}", style.yellow("agents never hear these unasked:"))?;
    }
    for (call, words, why) in apart.iter().take(MOST_FIXES) {
        let why = why.unwrap_or_default();
        writeln!(out, "          {}: {} ({why})", shown(call, 120), shown(words, 200))?;
    }
    match plain.len().saturating_sub(MOST_FIXES) + apart.len().saturating_sub(MOST_FIXES) {
        0 => Ok(()),
        more => writeln!(out, "          and {more} more: read {TEAM_FILE} before you trust it"),
    }
}

fn short_path(place: &Place, dir: &Path) -> String {
    shown(&dir.strip_prefix(&place.project).unwrap_or(dir).to_string_lossy(), 200)
}

fn plan_size(place: &Place, dir: &Path) -> String {
    Tree::open(dir, place.root())
        .map_or_else(|_| "not readable".to_owned(), |tree| format!("{} nodes", tree.nodes().count()))
}

/// How many lines the history in a folder has; None where there is none.
fn lines_in(dir: &Path) -> Option<u64> {
    let mut lines = 0;
    read_lines(&dir.join(failwise::journal::HISTORY), |_, _| lines += 1).ok()?;
    Some(lines)
}
