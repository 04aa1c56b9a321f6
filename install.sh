#!/bin/sh
# Builds Failwise, installs it as a Claude Code plugin and shows it at work on an example session.
# Run it again to update. `./install.sh --help` lists the options.
set -eu

clone=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
prefix=${PREFIX:-}
prebuilt=${FAILWISE_PREBUILT:-}
mode=install
register=yes
planner=no
mcp=no
dry=no
stage=''
server=mcp/plugin/bin/failwise-mcp

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
  bold=$(printf '\033[1m') red=$(printf '\033[31m') plain=$(printf '\033[0m')
else
  bold='' red='' plain=''
fi

usage() {
  cat <<'TEXT'
usage: ./install.sh [options]

Builds failwise-hook and failwise, copies the plugin to your data directory, links the command `failwise`
into a bin directory, registers the plugin with Claude Code and replays an example session.
Run it again to update; the clone can be deleted afterwards.

options:
  --prefix DIR     link `failwise` into DIR/bin (default: $PREFIX, else ~/.local)
  --planner        register the second plugin too: agents for plan trees (docs/planning.md)
  --mcp            build failwise-mcp too, link it and register its plugin: a server for agents that work
                   without a shell (docs/mcp.md). An update keeps it
  --no-register    build into bin/ of this clone and touch nothing else
  --uninstall      unregister and remove what was installed; recorded data stays, and its place is named
  --dry-run        print each step and change nothing
  --prebuilt DIR   take the executables from DIR instead of building (for packagers and tests;
                   also $FAILWISE_PREBUILT)
  -h, --help       this text

environment: XDG_DATA_HOME (the plugin), XDG_STATE_HOME (the histories), CLAUDE_CONFIG_DIR (the client's
settings), CARGO_TARGET_DIR, NO_COLOR
TEXT
}

say() { printf '%s\n' "$*"; }
step() { printf '%s==>%s %s\n' "$bold" "$plain" "$*"; }
warn() { printf '%swarning:%s %s\n' "$red" "$plain" "$*" >&2; }

# die WHAT NEXT-STEP
die() {
  printf '%serror:%s %s\n' "$red" "$plain" "$1" >&2
  [ -z "${2:-}" ] || printf '  %s\n' "$2" >&2
  exit 1
}

# Every change goes through here, so that a dry run cannot make one.
run() {
  if [ "$dry" = yes ]; then
    printf '    would run: %s\n' "$*"
  else
    "$@"
  fi
}

clean_up() { [ -z "$stage" ] || rm -rf -- "$stage" "$stage.files" "$stage.stale"; }
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# --- arguments and places ---------------------------------------------------------------------------------

value_of() {
  [ "$2" -ge 2 ] || { printf '%s\n' "error: $1 needs a directory; see ./install.sh --help" >&2; exit 64; }
}

while [ $# -gt 0 ]; do
  case $1 in
    --prefix) value_of "$1" $#; prefix=$2; shift ;;
    --prefix=*) prefix=${1#*=} ;;
    --prebuilt) value_of "$1" $#; prebuilt=$2; shift ;;
    --prebuilt=*) prebuilt=${1#*=} ;;
    --planner) planner=yes ;;
    --mcp) mcp=yes ;;
    --no-register) register=no ;;
    --uninstall) mode=uninstall ;;
    --dry-run) dry=yes ;;
    -h | --help) usage; exit 0 ;;
    *) printf 'error: unknown option %s; see ./install.sh --help\n' "$1" >&2; exit 64 ;;
  esac
  shift
done

find_places() {
  case ${HOME:-} in
    /*) ;;
    *) die "HOME is not set to a directory" "set it, or build only: ./install.sh --no-register" ;;
  esac
  # The XDG specification says that relative values are to be ignored.
  case ${XDG_DATA_HOME:-} in /*) data=$XDG_DATA_HOME ;; *) data=$HOME/.local/share ;; esac
  case ${XDG_STATE_HOME:-} in /*) state=$XDG_STATE_HOME ;; *) state=$HOME/.local/state ;; esac
  [ -n "$prefix" ] || prefix=$HOME/.local
  case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
  base=$data/failwise
  plugin=$base/plugin
  link=$prefix/bin/failwise
  # What a session may be using is built again by every update.
  [ ! -e "$plugin/$server" ] || mcp=yes
  command=failwise
  transcripts=${CLAUDE_CONFIG_DIR:-$HOME/.claude}/projects
}

have_client() { command -v claude >/dev/null 2>&1; }

# Runs the client without a terminal, so that it can ask nothing; its words are kept for an error message.
client() {
  if [ "$dry" = yes ]; then
    printf '    would run: claude %s\n' "$*"
    return 0
  fi
  client_said=$(DISABLE_AUTOUPDATER=1 claude "$@" </dev/null 2>&1)
}

# Whether a directory is one that this script filled: nothing else is ever replaced or removed.
is_ours() {
  [ ! -L "$1" ] && grep -q '"name": "failwise"' "$1/.claude-plugin/plugin.json" 2>/dev/null
}

# --- building ---------------------------------------------------------------------------------------------

older_than() { # older_than HAVE NEED: both are x.y or x.y.z
  awk -v have="$1" -v need="$2" 'BEGIN {
    split(have, h, "."); split(need, n, ".")
    for (i = 1; i <= 3; i++) { if (h[i] + 0 != n[i] + 0) exit !(h[i] + 0 < n[i] + 0) }
    exit 1
  }'
}

check_rust() {
  # rustup's own directory is not on PATH until the next login.
  if ! command -v cargo >/dev/null 2>&1 && [ -x "${CARGO_HOME:-$HOME/.cargo}/bin/cargo" ]; then
    PATH=${CARGO_HOME:-$HOME/.cargo}/bin:$PATH
  fi
  need=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' "$clone/Cargo.toml")
  if ! command -v cargo >/dev/null 2>&1 || ! command -v rustc >/dev/null 2>&1; then
    die "no Rust toolchain: cargo and rustc are not on PATH" "get Rust $need or newer from https://rustup.rs, then run ./install.sh again"
  fi
  have=$(rustc --version | sed -n 's/^rustc \([0-9.]*\).*/\1/p')
  if older_than "${have:-0}" "$need"; then
    die "rustc ${have:-of unknown version} is too old: Failwise needs $need or newer" "run: rustup update stable"
  fi
}

build_failed() {
  if command -v cc >/dev/null 2>&1; then
    die "cargo could not build Failwise; its messages are above" "fix what they name, then run ./install.sh again"
  fi
  die "cargo could not build Failwise, and there is no C linker (cc)" \
    "install one (Debian: apt install gcc; Fedora: dnf install gcc; macOS: xcode-select --install), then run ./install.sh again"
}

# build DEST SERVER: the executables, in DEST; where it is asked for, the server as the file SERVER.
build() {
  names="failwise-hook failwise"
  [ "$mcp" = no ] || names="$names failwise-mcp"
  if [ -n "$prebuilt" ]; then
    step "taking the executables from $prebuilt"
    for name in $names; do
      [ -x "$prebuilt/$name" ] || die "$prebuilt/$name is not an executable file" "give --prebuilt the directory that holds $names"
      to=$1/$name
      [ "$name" != failwise-mcp ] || to=$2
      put "$prebuilt/$name" "$to"
    done
    return 0
  fi
  check_rust
  # The hook first: it is the part that matters, and a build that fails fails early.
  for name in $names; do
    step "building $name"
    [ "$dry" = yes ] || built=$("$clone/scripts/build.sh" "$name" | tail -n 1)
    [ "$dry" = yes ] || [ -x "$built/$name" ] || build_failed
    to=$1/$name
    [ "$name" != failwise-mcp ] || to=$2
    put "${built:-$clone/target}/$name" "$to"
  done
}

# put FROM TO: by rename, because a running executable cannot be written to.
put() {
  if [ "$dry" = yes ]; then
    printf '    would copy %s to %s\n' "$1" "$2"
    return 0
  fi
  mkdir -p "$(dirname -- "$2")"
  cp -- "$1" "$2.new.$$"
  chmod 755 "$2.new.$$"
  mv -f -- "$2.new.$$" "$2"
}

# forget PATH: removes what runs that were killed left of it, under names that end in their process numbers. A run that
# still works keeps its own.
forget() {
  for left in "$1".new.*; do
    number=${left#"$1".new.}
    number=${number%.files}
    number=${number%.stale}
    case $number in '' | *[!0-9]*) continue ;; esac
    kill -0 "$number" 2>/dev/null || run rm -rf -- "$left"
  done
}

# --- installing -------------------------------------------------------------------------------------------

stage_plugin() {
  step "collecting the plugin"
  stage_dir=$base/plugin.new.$$
  [ "$dry" = yes ] || stage=$stage_dir
  run mkdir -p "$stage_dir/bin"
  for part in .claude-plugin hooks skills rules planner README.md LICENSE LICENSE-APACHE LICENSE-MIT; do
    if [ -e "$clone/$part" ]; then
      run cp -R -- "$clone/$part" "$stage_dir/$part"
    fi
  done
  run mkdir -p "$stage_dir/mcp/plugin"
  for part in .claude-plugin .mcp.json README.md; do
    run cp -R -- "$clone/mcp/plugin/$part" "$stage_dir/mcp/plugin/$part"
  done
  build "$stage_dir/bin" "$stage_dir/$server"
  [ "$dry" = yes ] || stamp "$stage_dir"
}

files_of() { (cd "$1" && find . -type f | LC_ALL=C sort); }

# The client takes a changed plugin for an update only when its version differs, so the content becomes a part of it.
stamp() {
  sum=$(files_of "$1" | (cd "$1" && while read -r file; do cksum "$file"; done) | cksum | cut -d ' ' -f 1)
  for part in "$1" "$1/planner" "$1/mcp/plugin"; do
    edit_manifest "$part" "s/^\\(  \"version\": \"[^\"+]*\\)\"/\\1+$(printf '%08x' "$sum")\"/"
  done
}

edit_manifest() { # edit_manifest PLUGIN SED-EXPRESSION
  sed "$2" "$1/.claude-plugin/plugin.json" >"$1/.claude-plugin/plugin.json.new"
  mv -f "$1/.claude-plugin/plugin.json.new" "$1/.claude-plugin/plugin.json"
}

# Running sessions go on calling the installed path. So each file is replaced by a rename of its own and the path is
# never missing; the manifest comes last, and its version says that the rest is complete.
settle() {
  step "installing the plugin into $plugin"
  if [ "$dry" = yes ]; then
    say "    would move $stage_dir to $plugin, file by file where it exists already"
    return 0
  fi
  if [ ! -e "$plugin" ]; then
    mv -- "$stage_dir" "$plugin"
    return 0
  fi
  files_of "$stage_dir" >"$stage_dir.files"
  files_of "$plugin" | LC_ALL=C comm -13 "$stage_dir.files" - >"$stage_dir.stale"
  while read -r file; do
    mkdir -p "$(dirname -- "$plugin/$file")"
    [ "$file" = ./.claude-plugin/plugin.json ] || mv -f -- "$stage_dir/$file" "$plugin/$file"
  done <"$stage_dir.files"
  while read -r file; do rm -f -- "$plugin/$file"; done <"$stage_dir.stale"
  mv -f -- "$stage_dir/.claude-plugin/plugin.json" "$plugin/.claude-plugin/plugin.json"
  find "$plugin" -depth -type d -exec rmdir {} \; 2>/dev/null || :
}

# Whether a link is one that this script made.
is_our_link() {
  [ -L "$1" ] || return 1
  case $(readlink "$1") in "$plugin/bin/failwise" | "$plugin/$server") return 0 ;; *) return 1 ;; esac
}

# put_link TO LINK: says whether it could.
put_link() {
  step "linking $2"
  if [ -e "$2" ] && ! is_our_link "$2"; then
    warn "$2 exists and is not ours: left alone. Choose another place with --prefix DIR"
    return 1
  fi
  run mkdir -p "$(dirname -- "$2")"
  run ln -sf "$1" "$2"
}

link_command() {
  [ "$mcp" = no ] || put_link "$plugin/$server" "$link-mcp" || :
  put_link "$plugin/bin/failwise" "$link" || return 0
  [ "$dry" = yes ] || printf '%s\n' "$link" >"$base/link"
  case :$PATH: in
    *:"$prefix/bin":*) ;;
    *)
      command=$link
      say "    $prefix/bin is not on your PATH; add it to call \`failwise\` by name"
      ;;
  esac
}

# The plugins beside the first that are asked for.
asked_parts() {
  [ "$planner" = no ] || echo failwise-planner
  [ "$mcp" = no ] || echo failwise-mcp
}

# Adding is refused by old clients when the marketplace is known, so only the rest decides.
tell_client() {
  client plugin marketplace add "$plugin" || added=$client_said
  client plugin marketplace update failwise || { client_said="${added:-} $client_said"; return 1; }
  client plugin install failwise@failwise && client plugin update failwise@failwise || return 1
  for part in $(asked_parts); do
    client plugin install "$part@failwise" && client plugin update "$part@failwise" || return 1
  done
}

register_plugin() {
  step "registering the plugin with Claude Code"
  if ! have_client; then
    say "    the command \`claude\` is not on PATH. Once it is, run:"
    say "      claude plugin marketplace add \"$plugin\""
    say "      claude plugin install failwise@failwise"
    for part in $(asked_parts); do say "      claude plugin install $part@failwise"; done
    return 0
  fi
  tell_client && return 0
  # Clients that do not know plugin options refuse a manifest that has some; Failwise then uses their defaults.
  case $client_said in
    *userConfig*)
      edit_manifest "$plugin" '/^  "userConfig": {$/,/^  },$/d'
      if tell_client; then
        say "    this client does not know plugin options; Failwise uses their default values"
        return 0
      fi
      ;;
  esac
  printf '%s\n' "$client_said" >&2
  die "Claude Code did not take the plugin; its message is above" \
    "fix what it names and run ./install.sh again; everything else is installed in $plugin"
}

show_example() {
  step "replaying an example session: failwise replay examples/session.jsonl"
  run "$1" replay "$clone/examples/session.jsonl" ||
    die "the example could not be replayed" "run: $1 doctor"
}

offer_own_sessions() {
  for file in "$transcripts"/*/*.jsonl; do
    [ -e "$file" ] || return 0
    say ""
    say "There are sessions of your own. To see what failed in them (this only reads):"
    say "  $1 replay \"$transcripts\"/*/*.jsonl"
    return 0
  done
}

# What past sessions know helps on the first day. It reads them once, gives way to everything else, and stops in time; the
# next learner goes on from there.
offer_learning() { # offer_learning PROGRAM NAME
  for file in "$transcripts"/*/*.jsonl; do
    [ -e "$file" ] || return 0
    say ""
    if [ "$dry" = yes ] || ! [ -t 0 ] || ! [ -t 2 ]; then
      say "To learn from them what worked when something failed (it stays on this machine):"
      say "  $2 kb learn --transcripts"
      return 0
    fi
    # Where the terminal is: the rest of what is said may go to a file.
    printf 'Learn from them what worked when something failed? It stays on this machine. [Y/n] ' >&2
    read -r answer || answer=n
    case $answer in
      '' | [yY]*) "$1" kb learn --transcripts --nice --within 180 || warn "nothing was learned; try: $2 kb learn --transcripts" ;;
      *) say "Nothing was learned. To do it later: $2 kb learn --transcripts" ;;
    esac
    return 0
  done
}

do_install() {
  find_places
  if [ -e "$plugin" ] || [ -L "$plugin" ]; then
    is_ours "$plugin" || die "$plugin exists and was not installed by this script" "move it away, then run ./install.sh again"
  fi
  forget "$plugin"
  stage_plugin
  settle
  link_command
  register_plugin
  show_example "$plugin/bin/failwise"
  offer_own_sessions "$command"
  offer_learning "$plugin/bin/failwise" "$command"
  say ""
  if [ "$dry" = yes ]; then
    say "Dry run: nothing was changed."
    return 0
  fi
  say "Installed. New sessions of Claude Code use it; \`$command doctor\` checks that events arrive."
}

do_build_only() {
  for name in failwise-hook failwise failwise-mcp; do forget "$clone/bin/$name"; done
  build "$clone/bin" "$clone/bin/failwise-mcp"
  show_example "$clone/bin/failwise"
  [ "$dry" = no ] || return 0
  say ""
  say "Built into $clone/bin; nothing was registered. To try it for one session: claude --plugin-dir \"$clone\""
}

# --- removing ---------------------------------------------------------------------------------------------

remove_link() {
  if is_our_link "$1"; then
    step "removing $1"
    run rm -f -- "$1"
  fi
}

# What is gone already is as it should be; any other answer is for the person to read.
unregister() {
  client "$@" && return 0
  case $client_said in
    *"not found"* | *"not installed"*) ;;
    *) warn "claude $* answered: $client_said" ;;
  esac
}

do_uninstall() {
  find_places
  if have_client; then
    step "unregistering the plugin from Claude Code"
    unregister plugin uninstall failwise-mcp@failwise
    unregister plugin uninstall failwise-planner@failwise
    unregister plugin uninstall failwise@failwise
    unregister plugin marketplace remove failwise
  fi
  remove_link "$link"
  remove_link "$link-mcp"
  if [ -f "$base/link" ] && [ "$(cat "$base/link")" != "$link" ]; then
    remove_link "$(cat "$base/link")"
    remove_link "$(cat "$base/link")-mcp"
  fi
  forget "$plugin"
  if is_ours "$plugin"; then
    step "removing $plugin"
    run rm -rf -- "$plugin"
    run rm -f -- "$base/link"
  elif [ -e "$plugin" ]; then
    warn "$plugin was not installed by this script: left alone"
  fi
  [ "$dry" = yes ] || rmdir -- "$base" 2>/dev/null || :
  say ""
  say "Recorded failures stay in $state/failwise, in .claude/failwise of projects that have it, and in plan trees"
  say "(history.jsonl). Delete those to forget them too."
}

case $mode-$register in
  uninstall-*) do_uninstall ;;
  install-no) do_build_only ;;
  *) do_install ;;
esac
