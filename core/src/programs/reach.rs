//! How far calls reach: programs that start others, fetch, send, configure or open rights, so that nobody is told of them by
//! themselves; letters that do; programs whose letters take secrets; what tools explain of themselves in their own help.

use crate::model::GateReason;

/// Calls that reach further than their project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramReach {
    /// What they do.
    pub reason: GateReason,
    /// Whether they do that only with what their further words name: an installer without names takes what the manifest says.
    pub only_named: bool,
    /// Whether what they name is a program that they run, with its own words behind it.
    pub runs: bool,
    /// The programs, or the programs with their first words, with commas between them.
    calls: &'static str,
}

#[rustfmt::skip]
const REACHES: &[ProgramReach] = &[
    ProgramReach { reason: GateReason::Starts, only_named: false, runs: false, calls: "aider, amp, at, batch, chroot, claude, codex, copilot, crontab, cursor-agent, docker exec, gdb, gemini, goose, kubectl \
        exec, kubectl run, launchctl, lldb, nohup, nsenter, opencode, osascript, podman exec, powershell, pwsh, qwen, \
        schtasks, screen, setsid, strace, systemd-run, tmux, unshare" },
    ProgramReach { reason: GateReason::Fetches, only_named: false, runs: false, calls: "add-apt-repository, apt-key, aria2c, brew tap, code --install-extension, curl, docker pull, docker run, gh extension, \
        go-getter, helm repo, http, podman pull, podman run, wget, git clone, git submodule add" },
    ProgramReach { reason: GateReason::Fetches, only_named: true, runs: false, calls: "apk add, apt install, apt-get install, brew install, bun add, bun create, bun install, bundle add, cargo \
        add, cargo binstall, cargo install, choco install, composer global, composer require, conda install, deno install, \
        deno run, dnf install, dotnet add, dotnet tool, flatpak install, gem install, go get, go install, helm install, npm \
        add, npm create, npm i, npm init, npm install, pacman -S, pdm add, pip download, pip install, pipenv \
        install, pipx install, pnpm add, pnpm create, pnpm install, poetry add, python -m pip install, scoop install, snap \
        install, uv add, uv pip install, uv tool, winget install, yarn add, yarn create, yum install, cpan, cpanm, dpkg, \
        easy_install, emerge, mise use, nix-env, pacman, rpm" },
    ProgramReach { reason: GateReason::Uploads, only_named: false, runs: false, calls: "aws s3, cloudflared, docker push, ftp, gh gist, gsutil, lftp, nc, ncat, netcat, ngrok, podman push, rclone, rsync, \
        scp, sftp, socat, ssh, ssh-copy-id, telnet, git push" },
    ProgramReach { reason: GateReason::Configures, only_named: false, runs: false, calls: "alias, aws configure, aws secretsmanager, aws ssm, az config, az keyvault, bundle config, cargo config, corepack enable, git lfs install, husky install, lefthook install, pre-commit install, claude mcp, \
        composer config, conda config, defaults write, docker context, export, fly secrets, gcloud config, gem sources, gh \
        alias, gh config, gh secret, gh variable, heroku config, influx config, kubectl config, npm config, npm link, \
        npm pkg, npm set, pip config, pnpm config, poetry config, poetry source, systemctl edit, systemctl enable, vault kv, \
        vault write, vercel env, wrangler secret, yarn config, yarn set, git am, git config, git hook, git remote, git replace" },
    ProgramReach { reason: GateReason::Opens, only_named: false, runs: false, calls: "chmod, chown, direnv allow, doas, gpg, iptables, kubectl port-forward, kubectl proxy, mise trust, pkexec, runas, \
        security, setcap, setenforce, setfacl, ssh-add, su, sudo, ufw, usermod, visudo, xhost" },
    ProgramReach { reason: GateReason::Starts, only_named: false, runs: false, calls: "cargo run, dotnet run, go run" },
    ProgramReach { reason: GateReason::Starts, only_named: true, runs: true, calls: "bundle exec, hatch run, pdm run, pipenv run, \
        poetry run, uv run" },
    ProgramReach { reason: GateReason::Fetches, only_named: true, runs: true, calls: "npm exec, npm x, pnpm dlx, yarn dlx, bun x, npx, bunx, uvx, pipx run" },
];

/// Calls that start what goes on running behind them.
pub const KEEP_RUNNING: &[&str] = &[
    "docker compose up",
    "docker compose start",
    "docker compose restart",
    "docker-compose up",
    "docker start",
    "docker restart",
    "podman start",
    "podman compose up",
    "nerdctl compose up",
];

/// Options of one letter that do something: of these programs, these letters.
const LETTERS: &[(&str, &str, GateReason)] = &[
    ("docker podman nerdctl", "vepu", GateReason::Opens),
    ("ssh scp sftp sshfs ssh-copy-id autossh", "oFJLRDWiw", GateReason::Configures),
    ("hg git", "c", GateReason::Configures),
    ("rsync", "e", GateReason::Starts),
    ("bash sh zsh dash ksh fish", "ce", GateReason::Starts),
    ("python node perl ruby php deno bun lua Rscript", "ceEr", GateReason::Starts),
    ("curl", "oOTdFuxKHAeX", GateReason::Uploads),
    ("wget", "iOex", GateReason::Fetches),
    ("tar", "I", GateReason::Starts),
    ("mocha ava ts-node tsx", "r", GateReason::Starts),
    ("pytest", "pc", GateReason::Starts),
    ("npx bunx uvx pipx", "pc", GateReason::Fetches),
    ("pip uv", "if", GateReason::Fetches),
    ("kubectl helm", "f", GateReason::Configures),
    ("deno", "A", GateReason::Opens),
    ("vim nvim vi emacs ed less more", "cSs", GateReason::Starts),
    ("fd xargs parallel watch entr", "xXI", GateReason::Starts),
    ("sudo doas su", "ucS", GateReason::Opens),
    ("ansible ansible-playbook", "ieb", GateReason::Configures),
    ("make", "f", GateReason::Configures),
    ("awk", "f", GateReason::Starts),
];

/// Programs whose short options take secrets.
#[rustfmt::skip]
pub const TAKE_SECRETS: &[&str] = &[
    "7z", "ansible-vault", "bcp", "bw", "cqlsh", "cypher-shell", "htpasswd", "http", "influx", "ipmitool", "keytool",
    "ldapadd", "ldapmodify", "ldapsearch", "ldapwhoami", "mariadb", "mc", "mongo", "mongodump", "mongosh", "mosquitto_pub",
    "mosquitto_sub", "mysql", "mysqladmin", "mysqldump", "net", "nuget", "op", "openssl", "rar", "redis-cli", "security",
    "smbclient", "snmpget", "snmpwalk", "sqlcmd", "sqlplus", "sshpass", "twine", "unrar", "unzip", "vault", "xfreerdp",
    "zip",
];

/// What tools explain of themselves: the words of their own help that say what is shown, chosen or left out. A tool a line.
#[rustfmt::skip]
const EXPLAINED: &str = "\
awk -F -f -v
black --check --diff --quiet --verbose -q -v
biome check format lint --write --reporter
bundle exec install
cargo build check clippy doc fmt run test tree metadata --all --all-features --all-targets --benches --bins --exact --examples --features --frozen --lib --locked --message-format --no-default-features --no-fail-fast --nocapture --offline --package --quiet --release --target --test-threads --tests --verbose --workspace -F -j -p -q -v
cat -A -E -T -b -e -n -s -t -v -vet
cp -R -a -n -p -r
curl --fail --head --location --silent --show-error -I -L -S -f -s
cut -b -c -d -f
date -u -d -j -r
df -h -k
diff --brief --recursive --unified -N -q -r -u -w
docker build compose exec images inspect logs ps run up down --all --detach --follow --format --no-trunc --quiet --tail -a -d -f -q
du -d -h -k -s --max-depth
dotnet build restore run test --configuration --framework --no-build --no-restore --verbosity -c -f
eslint --cache --ext --fix --format --quiet
fd --extension --glob --hidden --type -H -I -e -g -t
find -iname -maxdepth -mindepth -mtime -name -newer -not -path -print -print0 -size -type
gh api checks diff issue list pr release repo run view workflow --author --branch --exit-status --jq --json --label --limit --log --log-failed --name-only --patch --repo --state --watch -L -R -q
git add blame branch checkout commit diff fetch grep log ls-files merge rebase restore rev-parse show stash status submodule switch tag --abbrev-ref --all --cached --color --ff-only --follow --format --graph --init --max-count --merged --name-only --name-status --no-color --no-ext-diff --no-pager --numstat --oneline --patch --porcelain --pretty --short --shortstat --show-current --since --staged --stat --unified -C -U -n -p -s -v
go build fmt generate list mod run test tool tidy vet -bench -count -cover -json -race -run -short -tags -timeout -v ./...
golangci-lint run --fix --timeout --verbose
grep --color --count --exclude --exclude-dir --extended-regexp --files-with-matches --fixed-strings --ignore-case --include --invert-match --line-number --max-count --only-matching --perl-regexp --recursive --word-regexp -A -B -C -E -F -H -P -c -h -i -l -m -n -o -oE -q -r -v -w
head -c -n
jest --ci --coverage --findRelatedTests --json --listTests --runInBand --silent --testNamePattern --testPathPattern --testPathPatterns --verbose -i -t
jq --arg --compact-output --exit-status --null-input --raw-input --raw-output --slurp -S -c -e -n -r -s
just --dry-run --list --summary -l -n
kubectl describe get logs --all-namespaces --follow --namespace --output --previous --selector --tail -A -f -l -n -o
ls --all --color --human-readable --recursive --sort --time-style -1 -A -R -S -a -d -h -l -la -r -t
make --dry-run --jobs --silent -B -j -n -s
mvn compile package test verify --batch-mode --quiet -B -Dtest -am -o -pl -q
mypy --no-incremental --strict
node --test --watch --trace-warnings
npm ci ls outdated run test view --depth --if-present --json --prefix --production --silent --workspace --workspaces -w --
npx --no-install
pip check freeze list show --format --outdated --quiet --verbose -r
playwright install test
pnpm exec install list run test why --filter --frozen-lockfile --recursive --reporter --silent -C -r -w
prettier --check --list-different --write
ps -A -a -e -f -o -p -u aux
psql -d -h -l -p
pytest --durations --exitfirst --ff --last-failed --lf --maxfail --no-header --quiet --tb --verbose -k -m -n -q -rA -s -v -vv -x
python -m -V --version
rg --count --files --files-with-matches --fixed-strings --glob --hidden --ignore-case --json --line-number --max-count --multiline --no-heading --no-ignore --only-matching --type --word-regexp -A -B -C -F -U -c -g -i -l -n -o -t -v -w
ruff check format --fix --diff --output-format --select
sed -E -e -n -r
sort --key --numeric-sort --reverse --unique -V -h -k -n -r -t -u
stat -c -f
tail --lines -c -f -n
tar --exclude --strip-components -C -c -f -j -t -v -x -z
terraform fmt init plan show validate -check -diff -json -no-color -out -recursive -upgrade
timeout -k -s
tr -c -d -s
tsc --build --noEmit --project --watch -b -p
uniq -c -d -u
uv run sync lock tree --frozen --locked --no-sync --quiet --
vitest run list --coverage --reporter --run --testNamePattern -t
wc --lines -c -l -w
xargs -0 -n -r
yarn install run test why workspace workspaces --frozen-lockfile --immutable --silent
";

/// How far a call reaches that begins with exactly these words.
pub fn of(called: &str) -> Option<&'static ProgramReach> {
    REACHES.iter().find(|row| row.calls.split(", ").any(|call| call == called))
}

/// How far a call reaches by this word of it: whatever the tool, what installs or adds fetches what is named behind it, but
/// for what the tool explains as something else. Package managers take any beginning of the word, and a misspelling.
pub fn of_deed(program: &str, word: &str) -> Option<&'static ProgramReach> {
    let deed = word.rsplit(['.', ':']).next().unwrap_or(word);
    let is_install =
        !deed.is_empty() && "install".starts_with(deed) || ["install", "isnt"].iter().any(|it| deed.starts_with(it));
    let is_deed = is_install || matches!(deed, "a" | "add" | "inject" | "reinstall" | "require");
    // `in` is a word of any sentence, save behind a package manager.
    let is_deed = is_deed && (deed.len() > 2 || of(&format!("{program} install")).is_some());
    (is_deed && !explains(program, word)).then(|| of("npm install")).flatten()
}

/// What a letter among these does, as an option of a program.
pub fn of_letters(program: &str, letters: &str) -> Option<GateReason> {
    let fits = |(programs, own, _): &&(&str, &str, GateReason)| {
        programs.split(' ').any(|name| name == program) && letters.chars().any(|letter| own.contains(letter))
    };
    LETTERS.iter().find(fits).map(|(.., reason)| *reason)
}

/// Whether a tool's own help explains a word of its calls: an option, a subcommand, or the tool's name itself.
pub fn explains(program: &str, word: &str) -> bool {
    let name = super::find(program).map_or(program, |known| known.words);
    let bare = word.split('=').next().unwrap_or(word);
    let own = explained().find(|(tool, _)| *tool == name);
    own.is_some_and(|(_, words)| word == program || words.split(' ').any(|own| own == bare))
}

/// Whether something of a tool's help is known.
pub fn is_explained(program: &str) -> bool {
    let name = super::find(program).map_or(program, |known| known.words);
    explained().any(|(tool, _)| tool == name)
}

/// What tools explain, each tool with its words.
pub fn explained() -> impl Iterator<Item = (&'static str, &'static str)> {
    EXPLAINED.lines().filter_map(|row| row.split_once(' '))
}
