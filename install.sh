#!/bin/sh
# Gets the executables of Failwise, from an archive or by building them, and starts `failwise setup`, which installs and
# registers the plugin. Run it again to update. `./install.sh --help` lists the options.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
# Where a release lies, as `scripts/release.sh --url` wrote it; a clone knows none.
release=${FAILWISE_RELEASE_URL:-}
prebuilt=${FAILWISE_PREBUILT:-}
prefix=${PREFIX:-}
mode=install
source=no
mcp=no
dry=no
pass=''
work=''
job=''
# A line at least this often, in seconds.
beat=5

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
  bold=$(printf '\033[1m') red=$(printf '\033[31m') plain=$(printf '\033[0m')
else
  bold='' red='' plain=''
fi

usage() {
  cat <<'TEXT'
usage: ./install.sh [options]

Gets failwise-hook and failwise, from an archive or by building them, and starts `failwise setup`: it copies the
plugin to your data directory, links the command `failwise`, registers the plugin with Claude Code and replays an
example session. Run it again to update; the clone can be deleted afterwards.

options:
  --prebuilt WHAT  take the executables from WHAT instead of building: a folder, an archive or the https address of
                   one. Next to an archive must be SHA256SUMS, which is checked before anything is unpacked
                   (also $FAILWISE_PREBUILT)
  --from-source    build, although an archive is next to this script or a release is known
  --prefix DIR     link `failwise` into DIR/bin (default: $PREFIX, else ~/.local)
  --planner        register the second plugin too: agents for plan trees (docs/planning.md)
  --mcp            install failwise-mcp too and register its plugin: a server for agents that work without a shell
                   (docs/mcp.md). An update keeps it
  --no-register    put the executables into bin/ of this clone and touch nothing else
  --uninstall      unregister and remove what was installed; recorded data stays, and its place is named
  --dry-run        print each step and change nothing
  -h, --help       this text

environment: XDG_DATA_HOME (the plugin), XDG_STATE_HOME (the histories), CLAUDE_CONFIG_DIR (the client's
settings), CARGO_TARGET_DIR, FAILWISE_RELEASE_URL (the folder of a release), NO_COLOR
TEXT
}

say() { printf '%s\n' "$*"; }
step() { printf '%s==>%s %s\n' "$bold" "$plain" "$*"; }

# die WHAT NEXT-STEP
die() {
  printf '%serror:%s %s\n' "$red" "$plain" "$1" >&2
  [ -z "${2:-}" ] || printf '  %s\n' "$2" >&2
  exit 1
}

clean_up() {
  still
  [ -z "$work" ] || rm -rf -- "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

make_work() { [ -n "$work" ] || work=$(mktemp -d); }

# beats FUNCTION: calls FUNCTION, which says how far the work is, every few seconds until `still`; the work itself stays in the
# foreground, where Ctrl-C reaches it.
beats() {
  begun=$(date +%s)
  (while sleep "$beat" >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do "$1"; done) &
  job=$!
}
seconds() { echo $(($(date +%s) - begun)); }
still() {
  [ -n "$job" ] || return 0
  kill "$job" 2>/dev/null || :
  wait "$job" 2>/dev/null || :
  job=''
}

# --- arguments --------------------------------------------------------------------------------------------

value_of() {
  [ "$2" -ge 2 ] || { printf '%s\n' "error: $1 needs a value; see ./install.sh --help" >&2; exit 64; }
}

while [ $# -gt 0 ]; do
  case $1 in
    --prefix) value_of "$1" $#; prefix=$2; shift ;;
    --prefix=*) prefix=${1#*=} ;;
    --prebuilt) value_of "$1" $#; prebuilt=$2; shift ;;
    --prebuilt=*) prebuilt=${1#*=} ;;
    --from-source) source=yes ;;
    --planner) pass="$pass --planner" ;;
    --mcp) mcp=yes pass="$pass --mcp" ;;
    --no-register) mode=build ;;
    --uninstall | --remove) mode=remove ;;
    --dry-run) dry=yes pass="$pass --dry-run" ;;
    -h | --help) usage; exit 0 ;;
    *) printf 'error: unknown option %s; see ./install.sh --help\n' "$1" >&2; exit 64 ;;
  esac
  shift
done

find_plugin() {
  case ${HOME:-} in
    /*) ;;
    *) die "HOME is not set to a directory" "set it, or only get the executables: ./install.sh --no-register" ;;
  esac
  # The XDG specification says that relative values are to be ignored.
  case ${XDG_DATA_HOME:-} in /*) plugin=$XDG_DATA_HOME/failwise/plugin ;; *) plugin=$HOME/.local/share/failwise/plugin ;; esac
  # What a session may be using is kept by every update.
  [ ! -e "$plugin/mcp/plugin/bin/failwise-mcp" ] || mcp=yes
}

# --- archives ---------------------------------------------------------------------------------------------

# The name of this machine in archives; nothing where there is none for it.
target() {
  case $(uname -s)-$(uname -m) in
    Linux-x86_64) echo x86_64-unknown-linux-musl ;;
    Linux-aarch64 | Linux-arm64) echo aarch64-unknown-linux-musl ;;
    Darwin-x86_64) echo x86_64-apple-darwin ;;
    Darwin-arm64 | Darwin-aarch64) echo aarch64-apple-darwin ;;
  esac
}

version() { sed -n 's/^version = "\(.*\)"$/\1/p' "$here/Cargo.toml" | head -n 1; }

# fetch URL FILE: no answer within some seconds is none.
fetch() {
  case $1 in
    https://*) only='=https' ;;
    # This machine's own server needs no certificate.
    http://127.0.0.1:* | http://localhost:*) only='=http' ;;
    *) return 1 ;;
  esac
  fetched=$2
  beats say_fetched
  is_fetched=yes
  if command -v curl >/dev/null 2>&1; then
    curl -fsSL --proto "$only" --connect-timeout 5 --speed-limit 1 --speed-time 30 -o "$2" -- "$1" 2>/dev/null || is_fetched=no
  else
    wget -q --timeout=30 --tries=2 -O "$2" -- "$1" 2>/dev/null || is_fetched=no
  fi
  still
  [ "$is_fetched" = yes ]
}

say_fetched() {
  size=$(wc -c <"$fetched" 2>/dev/null) || size=0
  say "    $(seconds) s: $((size / 1024)) KiB downloaded"
}

digest() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum <"$1" | cut -d ' ' -f 1
  elif command -v shasum >/dev/null 2>&1; then
    shasum -a 256 <"$1" | cut -d ' ' -f 1
  else
    die "there is no sha256sum and no shasum, so the archive cannot be checked" "install one, or build: ./install.sh --from-source"
  fi
}

# unpack ARCHIVE SUMS NAME: the folder of its executables in $from. Nothing is unpacked before its checksum is right.
unpack() {
  [ -f "$2" ] || die "there is no SHA256SUMS next to $3, so it cannot be checked; nothing was installed" "put the release's SHA256SUMS there"
  wanted=$(awk -v name="$3" '{ file = $2; sub(/^\*/, "", file) } file == name { print $1 }' "$2")
  [ -n "$wanted" ] || die "SHA256SUMS has no line for $3; nothing was installed" "take both files from one release"
  [ "$(digest "$1")" = "$wanted" ] || die "$3 is not what SHA256SUMS says: damaged or changed; nothing was installed" "get it again"
  make_work
  mkdir -p "$work/unpacked"
  tar -xf "$1" -C "$work/unpacked" 2>"$work/tar" || die "$3 cannot be unpacked: $(head -n 1 "$work/tar")" "install tar and xz"
  for from in "$work"/unpacked/*/bin; do break; done
  if ! runs "$from/failwise-hook" || ! runs "$from/failwise"; then
    die "$3 is of another platform: its executables do not run on $(uname -s) $(uname -m); nothing was installed" \
      "take the archive for ${target:-this machine}, or build: ./install.sh --from-source"
  fi
}

runs() { "$1" --version >/dev/null 2>&1; }

# The executables from what --prebuilt names, in $from.
take() {
  name=${1##*/}
  case $1 in
    *://*)
      step "downloading $1"
      make_work
      fetch "$1" "$work/$name" || die "$1 could not be downloaded; nothing was installed" "it takes curl or wget and an https address; a mirror or a file does too"
      fetch "${1%/*}/SHA256SUMS" "$work/SHA256SUMS" || rm -f "$work/SHA256SUMS"
      unpack "$work/$name" "$work/SHA256SUMS" "$name"
      ;;
    *)
      step "taking the executables from $1"
      if [ -d "$1" ]; then
        from=$1
        [ ! -d "$1/bin" ] || from=$1/bin
        from=$(CDPATH='' cd -- "$from" && pwd -P)
      elif [ -f "$1" ]; then
        unpack "$1" "$(dirname -- "$1")/SHA256SUMS" "$name"
      else
        die "there is no $1" "give --prebuilt a folder, an archive or an address"
      fi
      ;;
  esac
  for name in $names; do
    [ -x "$from/$name" ] || die "$from/$name is not an executable file" "give --prebuilt what has $names"
  done
}

# The executables from an archive next to this script or from the known release; fails where there is none.
take_release() {
  target=$(target)
  name=failwise-$(version)-$target.tar.xz
  if [ -n "$target" ] && [ -f "$here/$name" ]; then
    take "$here/$name"
    return 0
  fi
  if [ -z "$release" ] || [ -z "$target" ]; then return 1; fi
  step "downloading $name"
  if [ "$dry" = yes ]; then
    say "    would download $release/$name and check it"
    return 1
  fi
  make_work
  if fetch "$release/SHA256SUMS" "$work/SHA256SUMS" && fetch "$release/$name" "$work/$name"; then
    unpack "$work/$name" "$work/SHA256SUMS" "$name"
    return 0
  fi
  say "    $release does not answer or has none for this machine: building from source"
  return 1
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
  need=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' "$here/Cargo.toml")
  if ! command -v cargo >/dev/null 2>&1 || ! command -v rustc >/dev/null 2>&1; then
    die "no Rust toolchain: cargo and rustc are not on PATH" "get Rust $need or newer from https://rustup.rs, or an archive: ./install.sh --prebuilt FILE"
  fi
  have=$(rustc --version | sed -n 's/^rustc \([0-9.]*\).*/\1/p')
  if older_than "${have:-0}" "$need"; then
    die "rustc ${have:-of unknown version} is too old: Failwise needs $need or newer" "run: rustup update stable"
  fi
}

build_failed() {
  still
  tail -n 40 "$work/log" >&2
  if command -v cc >/dev/null 2>&1; then
    die "cargo could not build Failwise; its messages are above" "fix what they name, then run ./install.sh again"
  fi
  die "cargo could not build Failwise, and there is no C linker (cc)" \
    "install one (Debian: apt install gcc; Fedora: dnf install gcc; macOS: xcode-select --install), then run ./install.sh again"
}

# What the hook says about a failure, once, as soon as build.sh has put it where it said.
show_verdict() {
  from=$(cat "$work/built")
  if [ -z "$from" ] || [ -e "$work/verdict" ] || ! runs "$from/failwise-hook"; then return 0; fi
  step "what the hook says about an example failure"
  FAILWISE_DIR="$work/example" "$from/failwise-hook" <"$here/examples/failure.json" >"$work/verdict"
  say "$(sed -n 's/.*"additionalContext":"\(.*\)"}}.*/    \1/p' "$work/verdict")"
}

# How far the build is, in one line.
say_built() {
  show_verdict
  say "    $(seconds) s: $(awk -v all="$packages" '/^ *Compiling / { done++; last = $2 } /^ *(Updating|Downloading|Downloaded) / { fetched = 1 }
    END { if (last != "") printf "%d of %s compiled or begun, the last one %s\n", done, all, last
          else if (fetched) print "downloading what it needs"
          else print "looking at what is built already" }' "$work/log")"
}

# How many packages the executables are made of.
count_packages() {
  packages=$(cd "$here" && cargo tree --locked --workspace --prefix none -e normal,build 2>/dev/null | cut -d ' ' -f 1,2 | sort -u | wc -l | tr -d ' ')
  [ "${packages:-0}" -gt 0 ] || packages=some
}

build_all() {
  [ -f "$here/Cargo.toml" ] || die "there are no sources next to this script" "name an archive: ./install.sh --prebuilt FILE-OR-ADDRESS"
  step "building from source"
  cores=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
  if [ "$dry" = yes ]; then
    for name in $names; do say "    would build $name"; done
    return 0
  fi
  check_rust
  make_work
  count_packages
  # Measured: 370 CPU seconds for both, 130 more for the server.
  cost=370
  [ "$mcp" = no ] || cost=500
  if [ -d "${CARGO_TARGET_DIR:-$here/target}/$(rustc -vV | sed -n 's/^host: //p')/release" ]; then
    say "    an earlier build is here: only what changed since then is compiled"
  else
    say "    about $((cost / (cores > 4 ? 4 : cores) / 60 + 1)) minutes on $cores cores, after $packages packages are downloaded"
  fi
  : >"$work/built"
  : >"$work/log"
  beats say_built
  # shellcheck disable=SC2086  # one word a name
  "$here/scripts/build.sh" $names >"$work/built" 2>"$work/log" || build_failed
  still
  show_verdict
  for name in $names; do [ -x "$from/$name" ] || build_failed; done
  compiled=$(grep -c '^ *Compiling ' "$work/log") || :
  say "    $(seconds) s; $compiled of $packages compiled, the rest is reused"
}

# --- what was asked for -----------------------------------------------------------------------------------

# The executables, in $from; in a dry run perhaps none.
get() {
  from=''
  names="failwise-hook failwise"
  [ "$mcp" = no ] || names="$names failwise-mcp"
  if [ -n "$prebuilt" ]; then
    take "$prebuilt"
  elif [ "$source" = yes ] || ! take_release; then
    build_all
  fi
}

do_install() {
  find_plugin
  get
  [ -z "$prefix" ] || set -- --prefix "$prefix"
  if [ -z "$from" ]; then
    say "    would run: failwise setup$pass $*"
    say "Dry run: nothing was changed."
    return 0
  fi
  # shellcheck disable=SC2086  # one word an option
  "$from/failwise" setup $pass "$@" || exit $?
}

# put FROM TO: by rename, because a running executable cannot be written to.
put() {
  cp -- "$1" "$2.new"
  chmod 755 "$2.new"
  mv -f -- "$2.new" "$2"
}

do_build_only() {
  get
  if [ "$dry" = yes ]; then
    say "    would copy them to $here/bin"
    return 0
  fi
  mkdir -p "$here/bin"
  for name in $names; do put "$from/$name" "$here/bin/$name"; done
  step "replaying an example session"
  "$here/bin/failwise" report "$here/examples/session.jsonl" || die "the example could not be replayed" "run: $here/bin/failwise doctor"
  say ""
  say "Built into $here/bin; nothing was registered. To try it for one session: claude --plugin-dir \"$here\""
}

do_remove() {
  find_plugin
  for failwise in "$plugin/bin/failwise" "$here/bin/failwise" ''; do [ ! -x "$failwise" ] || break; done
  [ -n "$failwise" ] || die "nothing is installed in $plugin" "a failwise from elsewhere removes its own: failwise setup --remove"
  [ -z "$prefix" ] || set -- --prefix "$prefix"
  # shellcheck disable=SC2086  # one word an option
  "$failwise" setup --remove $pass "$@" || exit $?
}

case $mode in
  remove) do_remove ;;
  build) do_build_only ;;
  *) do_install ;;
esac
