//! What commands change elsewhere, and how to see whether they did: `rules/workflow/retry-policy.md` shows this table.

/// What a command may have changed elsewhere although it failed.
#[derive(Debug, PartialEq, Eq)]
pub struct OutsideEffect {
    /// What it does.
    pub kind: &'static str,
    /// Options without which it changes nothing elsewhere; empty where it always does.
    pub only_with: &'static [&'static str],
    /// Options with which it only pretends.
    pub dry: &'static [&'static str],
    /// What shows whether it took effect; `{}` is the first word after the command, `{?}` the same where there is one.
    /// Empty where no command is known.
    pub check: &'static [&'static str],
    /// What to look at, in words.
    pub look: &'static str,
}

const NO: &[&str] = &[];
const DRY: &[&str] = &["--dry-run"];

pub(super) const GIT_PUSH: OutsideEffect = OutsideEffect { kind: "push", only_with: NO, dry: &["--dry-run", "-n"], check: &["git", "ls-remote", "{?}"], look: "compare the remote's branches with the local ones" };
pub(super) const JJ_PUSH: OutsideEffect = OutsideEffect { kind: "push", only_with: NO, dry: DRY, check: &["jj", "bookmark", "list", "--all-remotes"], look: "compare the remote's bookmarks with the local ones" };
pub(super) const OTHER_PUSH: OutsideEffect = OutsideEffect { kind: "push", only_with: NO, dry: DRY, check: NO, look: "look at the log of the remote repository" };
pub(super) const NPM_PUBLISH: OutsideEffect = OutsideEffect { kind: "publish", only_with: NO, dry: DRY, check: &["npm", "view", ".", "versions", "dist-tags"], look: "see whether the registry has the version" };
pub(super) const RELEASE_TOOLS: OutsideEffect = OutsideEffect { kind: "publish", only_with: NO, dry: &["--dry-run", "-d", "--preview"], check: &["git", "ls-remote", "--tags"], look: "see which versions and tags exist already" };
pub(super) const CARGO_PUBLISH: OutsideEffect = OutsideEffect { kind: "publish", only_with: NO, dry: &["--dry-run", "-n", "--list"], check: NO, look: "ask the registry for the version: cargo info NAME" };
pub(super) const CARGO_RELEASE: OutsideEffect = OutsideEffect { kind: "publish", only_with: NO, dry: &["--dry-run", "-n"], check: &["git", "ls-remote", "--tags"], look: "see which versions and tags exist already" };
pub(super) const PYTHON_PUBLISH: OutsideEffect = OutsideEffect { kind: "publish", only_with: NO, dry: DRY, check: NO, look: "ask the index for the version: pip index versions NAME" };
pub(super) const OTHER_PUBLISH: OutsideEffect = OutsideEffect { kind: "publish", only_with: NO, dry: &["--dry-run", "-n"], check: NO, look: "see whether the registry has the version" };
pub(super) const IMAGE_PUSH: OutsideEffect = OutsideEffect { kind: "publish", only_with: NO, dry: NO, check: &["docker", "manifest", "inspect", "{}"], look: "see whether the registry has the tag" };
pub(super) const IMAGE_COPY: OutsideEffect = OutsideEffect { kind: "publish", only_with: NO, dry: NO, check: NO, look: "see whether the registry has the tag" };
pub(super) const IMAGE_BUILD: OutsideEffect = OutsideEffect { kind: "publish", only_with: &["--push"], dry: NO, check: NO, look: "see whether the registry has the tag" };
pub(super) const KUBERNETES: OutsideEffect = OutsideEffect { kind: "deploy", only_with: NO, dry: DRY, check: &["kubectl", "get", "events", "--sort-by=.lastTimestamp"], look: "ask the cluster for the objects and their events" };
pub(super) const HELM: OutsideEffect = OutsideEffect { kind: "deploy", only_with: NO, dry: DRY, check: &["helm", "list", "--all"], look: "see the release's revision and status" };
pub(super) const HELM_PUSH: OutsideEffect = OutsideEffect { kind: "publish", only_with: NO, dry: NO, check: NO, look: "see whether the registry has the chart" };
pub(super) const TERRAFORM: OutsideEffect = OutsideEffect { kind: "deploy", only_with: NO, dry: NO, check: &["terraform", "plan"], look: "see what is still to be changed" };
pub(super) const TOFU: OutsideEffect = OutsideEffect { kind: "deploy", only_with: NO, dry: NO, check: &["tofu", "plan"], look: "see what is still to be changed" };
pub(super) const TERRAGRUNT: OutsideEffect = OutsideEffect { kind: "deploy", only_with: NO, dry: NO, check: &["terragrunt", "plan"], look: "see what is still to be changed" };
pub(super) const PULUMI: OutsideEffect = OutsideEffect { kind: "deploy", only_with: NO, dry: &["--preview-only"], check: &["pulumi", "preview"], look: "see what is still to be changed" };
pub(super) const CDK: OutsideEffect = OutsideEffect { kind: "deploy", only_with: NO, dry: NO, check: &["cdk", "diff"], look: "see what is still to be changed" };
pub(super) const ANSIBLE: OutsideEffect = OutsideEffect { kind: "deploy", only_with: NO, dry: &["--check", "-C", "--syntax-check", "--list-tasks", "--list-hosts"], check: NO, look: "run the playbook with --check --diff" };
pub(super) const SYNC: OutsideEffect = OutsideEffect { kind: "deploy", only_with: NO, dry: DRY, check: NO, look: "ask for the application's state" };
pub(super) const PLATFORM: OutsideEffect = OutsideEffect { kind: "deploy", only_with: NO, dry: DRY, check: NO, look: "ask the platform for its last deployments" };
pub(super) const VERCEL: OutsideEffect = OutsideEffect { kind: "deploy", only_with: &["--prod"], dry: NO, check: &["vercel", "ls"], look: "see the last deployments" };
pub(super) const PULL_REQUEST: OutsideEffect = OutsideEffect { kind: "forge", only_with: NO, dry: DRY, check: &["gh", "pr", "status"], look: "see the state of the pull request" };
pub(super) const ISSUE: OutsideEffect = OutsideEffect { kind: "forge", only_with: NO, dry: NO, check: &["gh", "issue", "list", "--state", "all", "--limit", "10"], look: "see the last issues" };
pub(super) const RELEASE: OutsideEffect = OutsideEffect { kind: "forge", only_with: NO, dry: NO, check: &["gh", "release", "list"], look: "see the releases" };
pub(super) const REPOSITORY: OutsideEffect = OutsideEffect { kind: "forge", only_with: NO, dry: NO, check: NO, look: "ask for it with the matching list or view command" };
pub(super) const WORKFLOW: OutsideEffect = OutsideEffect { kind: "forge", only_with: NO, dry: NO, check: &["gh", "run", "list", "--limit", "5"], look: "see the last runs" };
pub(super) const MERGE_REQUEST: OutsideEffect = OutsideEffect { kind: "forge", only_with: NO, dry: NO, check: &["glab", "mr", "list"], look: "see the state of the merge request" };
pub(super) const GITLAB: OutsideEffect = OutsideEffect { kind: "forge", only_with: NO, dry: NO, check: NO, look: "ask for it with the matching list or view command" };
pub(super) const DJANGO: OutsideEffect = OutsideEffect { kind: "migration", only_with: NO, dry: &["--plan", "--check"], check: &["python", "manage.py", "showmigrations"], look: "see which migrations are applied" };
pub(super) const ALEMBIC: OutsideEffect = OutsideEffect { kind: "migration", only_with: NO, dry: &["--sql"], check: &["alembic", "current"], look: "see which revision the database has" };
pub(super) const RAILS: OutsideEffect = OutsideEffect { kind: "migration", only_with: NO, dry: NO, check: &["rails", "db:migrate:status"], look: "see which migrations are applied" };
pub(super) const PRISMA: OutsideEffect = OutsideEffect { kind: "migration", only_with: NO, dry: NO, check: &["npx", "prisma", "migrate", "status"], look: "see which migrations are applied" };
pub(super) const SQLX: OutsideEffect = OutsideEffect { kind: "migration", only_with: NO, dry: DRY, check: &["sqlx", "migrate", "info"], look: "see which migrations are applied" };
pub(super) const DIESEL: OutsideEffect = OutsideEffect { kind: "migration", only_with: NO, dry: NO, check: &["diesel", "migration", "list"], look: "see which migrations are applied" };
pub(super) const FLYWAY: OutsideEffect = OutsideEffect { kind: "migration", only_with: NO, dry: NO, check: &["flyway", "info"], look: "see which migrations are applied" };
pub(super) const ARTISAN: OutsideEffect = OutsideEffect { kind: "migration", only_with: NO, dry: &["--pretend"], check: &["php", "artisan", "migrate:status"], look: "see which migrations are applied" };
pub(super) const OTHER_MIGRATION: OutsideEffect = OutsideEffect { kind: "migration", only_with: NO, dry: DRY, check: NO, look: "see which migrations are applied" };
pub(super) const PAYMENT: OutsideEffect = OutsideEffect { kind: "payment", only_with: NO, dry: NO, check: &["stripe", "events", "list", "--limit", "10"], look: "see the last events of the account" };
pub(super) const MAIL: OutsideEffect = OutsideEffect { kind: "mail", only_with: NO, dry: DRY, check: NO, look: "see whether the message left: the mail log, or the recipient" };
pub(super) const MESSAGE: OutsideEffect = OutsideEffect { kind: "message", only_with: NO, dry: &["--dry-run", "-C", "-L"], check: NO, look: "read the topic or queue: whether the message is in it already" };
pub(super) const LOAD: OutsideEffect = OutsideEffect { kind: "database", only_with: NO, dry: &["--dry-run", "--dryRun", "--list", "-l"], check: NO, look: "count the rows that the load was to bring" };
pub(super) const STORE_RELEASE: OutsideEffect = OutsideEffect { kind: "publish", only_with: NO, dry: &["--snapshot", "--dry-run", "lanes", "test", "tests", "--skip=publish"], check: NO, look: "ask the store or forge for the version" };
pub(super) const APP_RUN: OutsideEffect = OutsideEffect { kind: "deploy", only_with: NO, dry: NO, check: &["heroku", "releases"], look: "see the last releases and the app's log" };
pub(super) const RAILS_CODE: OutsideEffect = OutsideEffect { kind: "task", only_with: NO, dry: NO, check: NO, look: "look how far the code came that it ran" };
pub(super) const START: OutsideEffect = OutsideEffect { kind: "start", only_with: &["-d", "-ds", "-dm", "-dmS", "-Dm", "-DmS"], dry: NO, check: NO, look: "look whether what it was to start runs" };

/// All of them, in the order in which the page shows them.
pub const EFFECTS: &[&OutsideEffect] = &[
    &GIT_PUSH, &JJ_PUSH, &OTHER_PUSH, &NPM_PUBLISH, &RELEASE_TOOLS, &CARGO_PUBLISH, &CARGO_RELEASE, &PYTHON_PUBLISH,
    &OTHER_PUBLISH, &IMAGE_PUSH, &IMAGE_COPY, &IMAGE_BUILD, &KUBERNETES, &HELM, &HELM_PUSH, &TERRAFORM, &TOFU,
    &TERRAGRUNT, &PULUMI, &CDK, &ANSIBLE, &SYNC, &PLATFORM, &VERCEL, &PULL_REQUEST, &ISSUE, &RELEASE, &REPOSITORY,
    &WORKFLOW, &MERGE_REQUEST, &GITLAB, &DJANGO, &ALEMBIC, &RAILS, &PRISMA, &SQLX, &DIESEL, &FLYWAY, &ARTISAN,
    &OTHER_MIGRATION, &PAYMENT, &MAIL, &MESSAGE, &LOAD, &STORE_RELEASE, &APP_RUN, &RAILS_CODE, &START,
];
