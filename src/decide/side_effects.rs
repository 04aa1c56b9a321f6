//! Calls that may have taken effect although they failed: the answer got lost, the work may be done. They are looked
//! into before they are repeated. `rules/workflow/retry-policy.md` shows the tables.

use crate::model::NextCommand;
use crate::shell::{Command, Script};
use crate::signature::LONGEST_OPERATION;

/// Commands that change something elsewhere, and how to see whether they did.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// What they do.
    pub kind: &'static str,
    /// The program and its subcommands.
    pub commands: &'static [&'static str],
    /// Options without which they change nothing elsewhere; empty where they always do.
    pub only_with: &'static [&'static str],
    /// Options with which they only pretend.
    pub dry: &'static [&'static str],
    /// What shows whether it took effect; `{}` is the first word after the command, `{?}` the same
    /// where there is one. Empty where no command is known.
    pub check: &'static [&'static str],
    /// What to look at, in words.
    pub look: &'static str,
}

const NO: &[&str] = &[];
const DRY: &[&str] = &["--dry-run"];

const fn group(
    kind: &'static str,
    commands: &'static [&'static str],
    dry: &'static [&'static str],
    check: &'static [&'static str],
    look: &'static str,
) -> Group {
    Group { kind, commands, only_with: NO, dry, check, look }
}

/// Groups of commands; the first that a command belongs to decides.
#[rustfmt::skip]
pub const GROUPS: &[Group] = &[
    group("push", &["git push"], &["--dry-run", "-n"], &["git", "ls-remote", "{?}"], "compare the remote's branches with the local ones"),
    group("push", &["jj git push"], DRY, &["jj", "bookmark", "list", "--all-remotes"], "compare the remote's bookmarks with the local ones"),
    group("push", &["hg push", "svn commit", "svn ci"], DRY, NO, "look at the log of the remote repository"),
    group("publish", &["npm publish", "npm unpublish", "npm deprecate", "npm dist-tag", "pnpm publish", "yarn publish", "yarn npm publish", "bun publish"], DRY, &["npm", "view", ".", "versions", "dist-tags"], "see whether the registry has the version"),
    group("publish", &["lerna publish", "changeset publish", "semantic-release", "np", "release-it"], &["--dry-run", "-d", "--preview"], &["git", "ls-remote", "--tags"], "see which versions and tags exist already"),
    group("publish", &["cargo publish", "cargo yank"], &["--dry-run", "-n", "--list"], NO, "ask the registry for the version: cargo info NAME"),
    group("publish", &["cargo release"], &["--dry-run", "-n"], &["git", "ls-remote", "--tags"], "see which versions and tags exist already"),
    group("publish", &["twine upload", "poetry publish", "uv publish", "flit publish", "hatch publish", "pdm publish"], DRY, NO, "ask the index for the version: pip index versions NAME"),
    group("publish", &["gem push", "gem yank", "pod trunk push", "nuget push", "dotnet nuget push", "hex publish", "mix hex.publish", "dart pub publish", "flutter pub publish", "vsce publish"], &["--dry-run", "-n"], NO, "see whether the registry has the version"),
    group("publish", &["docker push", "docker image push", "podman push", "podman image push", "crane push", "nerdctl push"], NO, &["docker", "manifest", "inspect", "{}"], "see whether the registry has the tag"),
    group("publish", &["buildah push", "skopeo copy", "crane copy", "oras push", "docker compose push", "docker-compose push"], NO, NO, "see whether the registry has the tag"),
    Group { kind: "publish", commands: &["docker buildx build", "docker build", "docker buildx bake"], only_with: &["--push"], dry: NO, check: NO, look: "see whether the registry has the tag" },
    group("deploy", &["kubectl apply", "kubectl create", "kubectl delete", "kubectl patch", "kubectl replace", "kubectl scale", "kubectl set", "kubectl edit", "kubectl label", "kubectl annotate", "kubectl expose", "kubectl run", "kubectl drain", "kubectl cordon", "kubectl uncordon", "kubectl autoscale", "kubectl taint", "kubectl rollout restart", "kubectl rollout undo", "oc apply", "oc create", "oc delete", "oc new-app", "oc rollout"], DRY, &["kubectl", "get", "events", "--sort-by=.lastTimestamp"], "ask the cluster for the objects and their events"),
    group("deploy", &["helm install", "helm upgrade", "helm uninstall", "helm delete", "helm rollback"], DRY, &["helm", "list", "--all"], "see the release's revision and status"),
    group("publish", &["helm push"], NO, NO, "see whether the registry has the chart"),
    group("deploy", &["terraform apply", "terraform destroy", "terraform import", "terraform taint", "terraform state rm", "terraform state mv"], NO, &["terraform", "plan"], "see what is still to be changed"),
    group("deploy", &["tofu apply", "tofu destroy", "tofu import"], NO, &["tofu", "plan"], "see what is still to be changed"),
    group("deploy", &["terragrunt apply", "terragrunt destroy", "terragrunt run-all apply"], NO, &["terragrunt", "plan"], "see what is still to be changed"),
    group("deploy", &["pulumi up", "pulumi update", "pulumi destroy", "pulumi import", "pulumi refresh"], &["--preview-only"], &["pulumi", "preview"], "see what is still to be changed"),
    group("deploy", &["cdk deploy", "cdk destroy", "cdktf deploy", "cdktf destroy"], NO, &["cdk", "diff"], "see what is still to be changed"),
    group("deploy", &["ansible-playbook"], &["--check", "-C", "--syntax-check", "--list-tasks", "--list-hosts"], NO, "run the playbook with --check --diff"),
    group("deploy", &["argocd app sync", "argocd app delete", "argocd app set", "flux reconcile", "nomad job run", "nomad run"], DRY, NO, "ask for the application's state"),
    group("deploy", &["fly deploy", "flyctl deploy", "sam deploy", "sls deploy", "serverless deploy", "sls remove", "serverless remove", "eb deploy", "wrangler deploy", "wrangler publish", "firebase deploy", "netlify deploy", "vercel deploy", "railway up", "copilot deploy", "dokku deploy"], DRY, NO, "ask the platform for its last deployments"),
    Group { kind: "deploy", commands: &["vercel"], only_with: &["--prod"], dry: NO, check: &["vercel", "ls"], look: "see the last deployments" },
    group("forge", &["gh pr create", "gh pr merge", "gh pr close", "gh pr reopen", "gh pr edit", "gh pr ready", "gh pr comment", "gh pr review"], DRY, &["gh", "pr", "status"], "see the state of the pull request"),
    group("forge", &["gh issue create", "gh issue close", "gh issue comment", "gh issue edit", "gh issue delete", "gh issue transfer"], NO, &["gh", "issue", "list", "--state", "all", "--limit", "10"], "see the last issues"),
    group("forge", &["gh release create", "gh release delete", "gh release edit", "gh release upload"], NO, &["gh", "release", "list"], "see the releases"),
    group("forge", &["gh repo create", "gh repo delete", "gh repo fork", "gh repo rename", "gh repo edit", "gh repo archive", "gh secret set", "gh secret delete", "gh variable set", "gh label create", "gh gist create"], NO, NO, "ask for it with the matching list or view command"),
    group("forge", &["gh workflow run", "gh run rerun", "gh run cancel"], NO, &["gh", "run", "list", "--limit", "5"], "see the last runs"),
    group("forge", &["glab mr create", "glab mr merge", "glab mr close", "glab mr note", "glab mr update"], NO, &["glab", "mr", "list"], "see the state of the merge request"),
    group("forge", &["glab issue create", "glab release create", "glab ci run"], NO, NO, "ask for it with the matching list or view command"),
    group("migration", &["python manage.py migrate", "python3 manage.py migrate", "manage.py migrate", "django-admin migrate"], &["--plan", "--check"], &["python", "manage.py", "showmigrations"], "see which migrations are applied"),
    group("migration", &["alembic upgrade", "alembic downgrade", "flask db upgrade", "flask db downgrade"], &["--sql"], &["alembic", "current"], "see which revision the database has"),
    group("migration", &["rails db:migrate", "rake db:migrate", "rails db:rollback", "rake db:rollback", "rails db:schema:load"], NO, &["rails", "db:migrate:status"], "see which migrations are applied"),
    group("migration", &["prisma migrate deploy", "prisma migrate dev", "prisma migrate reset", "prisma db push"], NO, &["npx", "prisma", "migrate", "status"], "see which migrations are applied"),
    group("migration", &["sqlx migrate run", "sqlx migrate revert"], DRY, &["sqlx", "migrate", "info"], "see which migrations are applied"),
    group("migration", &["diesel migration run", "diesel migration redo", "diesel migration revert"], NO, &["diesel", "migration", "list"], "see which migrations are applied"),
    group("migration", &["flyway migrate", "flyway clean", "flyway repair", "flyway undo"], NO, &["flyway", "info"], "see which migrations are applied"),
    group("migration", &["php artisan migrate", "artisan migrate"], &["--pretend"], &["php", "artisan", "migrate:status"], "see which migrations are applied"),
    group("migration", &["knex migrate:latest", "knex migrate:up", "knex migrate:rollback", "sequelize db:migrate", "sequelize-cli db:migrate", "typeorm migration:run", "typeorm migration:revert", "drizzle-kit migrate", "drizzle-kit push", "liquibase update", "liquibase rollback", "goose up", "goose down", "migrate up", "dbmate up", "dbmate migrate", "atlas migrate apply", "atlas schema apply", "mix ecto.migrate", "dotnet ef database update", "supabase db push", "sea-orm-cli migrate up"], DRY, NO, "see which migrations are applied"),
    group("payment", &["stripe post", "stripe delete", "stripe charges create", "stripe payment_intents create", "stripe payment_intents confirm", "stripe payment_intents capture", "stripe refunds create", "stripe transfers create", "stripe payouts create", "stripe subscriptions create", "stripe invoices pay"], NO, &["stripe", "events", "list", "--limit", "10"], "see the last events of the account"),
    group("mail", &["mail", "mailx", "sendmail", "msmtp", "mutt", "swaks", "git send-email"], DRY, NO, "see whether the message left: the mail log, or the recipient"),
];

/// What a call did that may have taken effect.
pub(super) struct Effect {
    pub(super) kind: &'static str,
    /// The row of the tables, in words.
    pub(super) row: String,
    pub(super) look: &'static str,
    pub(super) check: Option<NextCommand>,
}

impl Effect {
    fn without_check(kind: &'static str, row: impl Into<String>, look: &'static str) -> Self {
        Self { kind, row: row.into(), look, check: None }
    }
}

/// What an operation may have changed elsewhere; None where a retry does no harm.
pub(super) fn of(operation: &str) -> Option<Effect> {
    if let Some(tool) = operation.strip_prefix("mcp__") {
        return of_tool(tool);
    }
    if is_file_tool(operation) {
        return None;
    }
    let script = Script::parse(operation);
    let found = script.programs().find_map(|(_, command)| of_command(command));
    found.or_else(|| {
        // Four bytes: a cut never splits a character.
        let is_cut = operation.len() + 4 > LONGEST_OPERATION || script.incomplete;
        is_cut.then(|| {
            Effect::without_check("unknown", "too long to be read whole", "look what the call has done so far")
        })
    })
}

/// Whether it is the operation of another tool than a shell: `Edit:src/a.rs`.
fn is_file_tool(operation: &str) -> bool {
    let name = operation.split_once(':').map(|(name, _)| name).unwrap_or_default();
    name.len() > 1
        && name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Whether repeating this operation might do something twice.
pub fn may_have_taken_effect(operation: &str) -> bool {
    of(operation).is_some()
}

fn of_command(command: &Command) -> Option<Effect> {
    let known = GROUPS.iter().find_map(|group| Some((group, group.command_of(command)?)));
    if let Some((group, words)) = known {
        return (!group.is_dry(command)).then(|| group.effect(command, words));
    }
    of_request(command).or_else(|| of_cloud(command)).or_else(|| of_task(command))
}

impl Group {
    fn command_of(&self, command: &Command) -> Option<&'static str> {
        let is_of = |words: &&&str| command.runs(&words.split(' ').collect::<Vec<_>>());
        self.commands.iter().find(is_of).copied()
    }

    fn is_dry(&self, command: &Command) -> bool {
        let pretends = self.dry.iter().any(|option| is_on(command, option));
        pretends || !(self.only_with.is_empty() || self.only_with.iter().any(|option| is_on(command, option)))
    }

    fn effect(&self, command: &Command, words: &str) -> Effect {
        let argv = self.check_argv(command, words);
        let check = argv.map(|argv| NextCommand { argv, ..NextCommand::to(self.look) });
        Effect { kind: self.kind, row: format!("`{words}`"), look: self.look, check }
    }

    /// The check with what the call says of its place: `git -C dir push` is checked by `git -C dir ls-remote`.
    fn check_argv(&self, command: &Command, words: &str) -> Option<Vec<String>> {
        let (program, rest) = self.check.split_first()?;
        let mut argv = vec![(*program).to_owned()];
        if *program == command.program {
            let first = words.split(' ').nth(1).unwrap_or_default();
            argv.extend(command.args.iter().take_while(|arg| *arg != first).cloned());
        }
        let named = command.subcommands().nth(words.split(' ').count() - 1);
        for word in rest {
            match *word {
                "{}" => argv.push(named?.to_owned()),
                "{?}" => argv.extend(named.map(str::to_owned)),
                word => argv.push(word.to_owned()),
            }
        }
        argv.iter().all(|word| is_plain(word)).then_some(argv)
    }
}

/// Whether an option is given, alone or with a value that does not switch it off.
fn is_on(command: &Command, option: &str) -> bool {
    command.args.iter().any(|arg| match arg.strip_prefix(option) {
        Some("") => true,
        Some(value) => value.starts_with('=') && !matches!(value, "=none" | "=false"),
        None => false,
    })
}

/// A word that means the same whoever reads it: nothing redacted, shortened or expanded.
fn is_plain(word: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:@=+,".contains(&byte);
    (1..=200).contains(&word.len()) && word.bytes().all(plain)
}

/// HTTP methods that change something.
pub const CHANGING_METHODS: &[&str] = &["POST", "PUT", "PATCH", "DELETE"];
const REQUEST: &str = "HTTP request";
const ASK_SERVER: &str = "ask the server for the state that the request was to change";

/// Options that give a request a body, and so make it a POST: by program.
#[rustfmt::skip]
const BODIES: &[(&str, &[&str])] = &[
    ("curl", &["-d", "--data", "--data-raw", "--data-binary", "--data-urlencode", "--data-ascii", "--json", "-F", "--form", "--form-string", "-T", "--upload-file"]),
    ("wget", &["--post-data", "--post-file", "--body-data", "--body-file"]),
    ("gh", &["-f", "-F", "--field", "--raw-field", "--input"]),
    ("glab", &["-f", "-F", "--field", "--raw-field", "--input"]),
];
/// Options that name the method.
const METHOD_OPTIONS: &[&str] = &["-X", "--request", "--method"];

fn of_request(command: &Command) -> Option<Effect> {
    let program = command.program.as_str();
    let changes = match program {
        "curl" | "wget" => changes_by_options(command),
        "gh" | "glab" if command.runs(&[program, "api"]) => changes_by_options(command) && !is_query(command),
        "http" | "https" | "xh" | "xhs" => changes_by_words(command),
        _ => false,
    };
    changes.then(|| Effect::without_check(REQUEST, format!("`{program}`, a method that changes something"), ASK_SERVER))
}

fn changes_by_options(command: &Command) -> bool {
    if let Some(method) = method_of(command) {
        return CHANGING_METHODS.contains(&method.to_ascii_uppercase().as_str());
    }
    let bodies = BODIES.iter().find(|(program, _)| *program == command.program).map_or(NO, |(_, options)| *options);
    let has_body = command.args.iter().any(|arg| bodies.iter().any(|body| value_in(arg, body).is_some()));
    has_body && !command.has_arg("-G") && !command.has_arg("--get") && !command.has_letter('I')
}

/// What follows an option in its own word: `POST` in `-XPOST`, `-sXPOST` and `--request=POST`, nothing in `-X`. None for
/// another option.
fn value_in<'a>(arg: &'a str, option: &str) -> Option<&'a str> {
    if let Some(name) = option.strip_prefix("--") {
        let rest = arg.strip_prefix("--")?.strip_prefix(name)?;
        return if rest.is_empty() { Some(rest) } else { rest.strip_prefix('=') };
    }
    let cluster = arg.strip_prefix('-').filter(|cluster| !cluster.starts_with('-'))?;
    let (before, rest) = cluster.split_once(option.trim_start_matches('-'))?;
    before.bytes().all(|flag| FLAGS.contains(&flag)).then_some(rest)
}

/// Letters of request programs that take no value, so that another option may follow in the same word.
const FLAGS: &[u8] = b"sSfLkivgNqOJj#46";

/// The method that an option names: `-X PUT`, `-sXPUT`, `--request=PUT`, `--method PUT`.
fn method_of(command: &Command) -> Option<&str> {
    let mut args = command.args.iter().map(String::as_str);
    while let Some(arg) = args.next() {
        match METHOD_OPTIONS.iter().find_map(|option| value_in(arg, option)) {
            Some("") => return args.next(),
            None => {}
            method => return method,
        }
    }
    None
}

/// A query of GraphQL is a POST that changes nothing.
fn is_query(command: &Command) -> bool {
    let body = |arg: &&String| arg.starts_with("query=");
    command.subcommands().nth(1) == Some("graphql")
        && command.args.iter().find(body).is_some_and(|arg| {
            let text = arg.trim_start_matches("query=").trim_start();
            text.starts_with("query") || text.starts_with('{')
        })
}

/// `http PUT url`, and `http url name=value`, which is a POST.
fn changes_by_words(command: &Command) -> bool {
    let mut words = command.args.iter().filter(|arg| !arg.starts_with('-'));
    let first = words.next().map(String::as_str).unwrap_or_default();
    if CHANGING_METHODS.contains(&first) {
        return true;
    }
    let is_method = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_uppercase());
    !is_method && words.any(|word| word.contains('=') && !word.contains("=="))
}

/// Verbs of cloud programs that change something.
pub const CLOUD_VERBS: &[&str] = &[
    "create",
    "delete",
    "update",
    "deploy",
    "start",
    "stop",
    "restart",
    "reset",
    "reboot",
    "set",
    "put",
    "remove",
    "add",
    "import",
    "restore",
    "patch",
    "publish",
    "rollback",
    "scale",
    "resize",
    "enable",
    "disable",
    "purge",
    "run",
    "invoke",
    "send",
    "terminate",
    "attach",
    "detach",
    "modify",
    "register",
    "deregister",
    "tag",
    "untag",
    "authorize",
    "revoke",
    "execute",
    "associate",
    "disassociate",
    "cancel",
];
/// Parts of cloud programs that change nothing but their own settings, or only wait and tell.
const CLOUD_LOCAL: &[&str] = &["config", "configure", "account", "auth", "login", "logout", "sso", "sts", "wait"];
const ASK_CLOUD: &str = "ask for it with the matching describe, show or list command";

fn of_cloud(command: &Command) -> Option<Effect> {
    let program = command.program.as_str();
    if !matches!(program, "aws" | "gcloud" | "az" | "doctl" | "hcloud" | "oci" | "ibmcloud") {
        return None;
    }
    let words: Vec<&str> = command.subcommands().take(6).collect();
    if words.iter().any(|word| CLOUD_LOCAL.contains(word)) || is_on(command, "--dry-run") || is_on(command, "--dryrun")
    {
        return None;
    }
    let verb =
        if words.contains(&"s3") { changes_bucket(&words) } else { words.iter().find_map(|word| cloud_verb(word)) };
    verb.map(|verb| Effect::without_check("cloud", format!("`{program}`, the verb `{verb}`"), ASK_CLOUD))
}

fn cloud_verb(word: &str) -> Option<&'static str> {
    let first = word.split('-').next().unwrap_or_default();
    CLOUD_VERBS.iter().find(|verb| **verb == first).copied()
}

/// A copy from a bucket changes nothing there.
fn changes_bucket(words: &[&str]) -> Option<&'static str> {
    let mut words = words.iter().skip_while(|word| **word != "s3").skip(1);
    let verb = ["cp", "mv", "rm", "sync", "mb", "rb"].into_iter().find(|verb| words.clone().next() == Some(verb))?;
    let target = words.nth(2);
    let downloads = matches!(verb, "cp" | "sync") && target.is_some_and(|path| !path.starts_with("s3://"));
    (!downloads).then_some(verb)
}

/// Parts of the names of tasks and scripts that change something elsewhere.
pub const TASKS: &[&str] = &["deploy", "publish", "migrate"];
/// Whole names that do.
pub const WHOLE_TASKS: &[&str] = &["release", "ship", "rollout"];
/// Parts that say that such a task only looks.
pub const LOOKING: &[&str] = &["dry", "plan", "preview", "status", "check", "test", "lint", "diff", "list", "verify"];
/// Programs that run tasks by their name.
#[rustfmt::skip]
const RUNNERS: &[&str] = &[
    "npm", "pnpm", "yarn", "bun", "make", "gmake", "just", "task", "mise", "rake", "gradle", "gradlew", "mvn", "mvnw", "invoke",
    "inv", "nx", "turbo", "composer", "ant", "sbt", "lein", "fab", "cap", "mage", "deno",
];
const ASK_OTHER_SIDE: &str = "see how far it came: what the other side holds now, and the last lines of its output";

fn of_task(command: &Command) -> Option<Effect> {
    let name = if RUNNERS.contains(&command.program.as_str()) {
        command.subcommands().take(8).find(|word| changes_elsewhere(word)).map(str::to_owned)
    } else {
        script_name(command).filter(|name| changes_elsewhere(name)).map(str::to_owned)
    };
    let dry = ["--dry-run", "-n", "--check", "--help"].iter().any(|option| is_on(command, option));
    name.filter(|_| !dry).map(|name| Effect::without_check("task", format!("the task `{name}`"), ASK_OTHER_SIDE))
}

/// The name of a script of the project, without its folder and ending.
fn script_name(command: &Command) -> Option<&str> {
    let interpreted =
        matches!(command.program.as_str(), "bash" | "sh" | "zsh" | "node" | "python" | "python3" | "ruby" | "deno");
    let path = if interpreted {
        command.subcommands().next()?
    } else {
        command.is_by_path().then_some(command.raw.as_str())?
    };
    let name = path.rsplit('/').next().unwrap_or(path);
    Some(name.split('.').next().unwrap_or(name))
}

fn changes_elsewhere(name: &str) -> bool {
    let mut parts = name.split([':', '-', '_', '.']);
    let is_task = WHOLE_TASKS.contains(&name) || parts.clone().any(|part| TASKS.contains(&part));
    is_task && !parts.any(|part| LOOKING.contains(&part))
}

/// Verbs with which the name of a tool of a server begins, where it changes something.
#[rustfmt::skip]
pub const TOOL_VERBS: &[&str] = &[
    "create", "delete", "update", "send", "post", "publish", "deploy", "merge", "push", "add", "remove", "insert", "write", "submit",
    "pay", "charge", "refund", "transfer", "close", "move", "apply", "trigger", "fork", "upload", "set", "edit",
];

fn of_tool(tool: &str) -> Option<Effect> {
    let name = tool.split(':').next().unwrap_or(tool);
    let name = name.rsplit("__").next().unwrap_or(name);
    let verb = name.split(['_', '-']).next().unwrap_or_default();
    let verb = TOOL_VERBS.iter().find(|known| **known == verb)?;
    Some(Effect::without_check("tool of a server", format!("a tool that begins with `{verb}`"), ASK_SERVER))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(operation: &str) -> Option<String> {
        Some(of(operation)?.check?.argv.join(" "))
    }

    #[test]
    fn a_check_keeps_the_place_of_the_call() {
        assert_eq!(check("git push").as_deref(), Some("git ls-remote"));
        assert_eq!(check("git -C web push -u origin main").as_deref(), Some("git -C web ls-remote origin"));
        assert_eq!(check("docker push tides/app:3").as_deref(), Some("docker manifest inspect tides/app:3"));
        assert_eq!(check("terraform -chdir=infra apply").as_deref(), Some("terraform -chdir=infra plan"));
        assert_eq!(check("npx prisma migrate deploy").as_deref(), Some("npx prisma migrate status"));
    }

    #[test]
    fn a_check_is_made_of_plain_words_only() {
        for operation in
            ["git push 'https://[redacted:url]@x'", "docker push '$(reboot)'", "docker push", "git -C 'a b' push"]
        {
            assert_eq!(check(operation), None, "{operation}");
            assert!(may_have_taken_effect(operation), "{operation}");
        }
    }

    #[test]
    fn what_cannot_be_read_whole_may_have_done_anything() {
        assert!(may_have_taken_effect(&format!("cat {}", "a ".repeat(400))));
        assert!(may_have_taken_effect("echo 'a"));
        assert!(!may_have_taken_effect("cat a"));
    }

    #[test]
    fn files_are_no_commands() {
        for operation in ["Edit:/srv/git push", "Write:deploy.sh", "Read:publish", "WebFetch:https://x/POST"] {
            assert!(!may_have_taken_effect(operation), "{operation}");
        }
    }

    #[test]
    fn rows_are_words_and_stand_once() {
        let mut all: Vec<&str> = GROUPS.iter().flat_map(|group| group.commands).copied().collect();
        for words in &all {
            assert!(words.split(' ').all(|word| !word.is_empty()), "{words:?}");
        }
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
