#!/bin/sh
# Builds executables as they are shipped, each part of them compiled once, and prints first in which folder they will be. The
# hook starts at each tool call, so it is optimised as a whole, and on Linux the C library is inside, which spares the dynamic
# linker. The former takes long on one core, so the hook is there without it first, and gets it while the others are compiled.
#
# usage: build.sh [failwise-hook] [failwise] [failwise-mcp]     CARGO_TARGET_DIR says where to build
#        FAILWISE_TARGET names another system than this one: built by cargo-zigbuild, https://github.com/rust-cross/cargo-zigbuild
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
host=$(rustc -vV | sed -n 's/^host: //p')
[ -n "$host" ] || { echo "build.sh: rustc -vV names no host; run: rustup toolchain install stable" >&2; exit 1; }
goal=${FAILWISE_TARGET:-$host}
target=${CARGO_TARGET_DIR:-$root/target}
built=$target/$goal/release

# The same flags for every part, or it would be compiled again: bitcode for the hook's last step, and on Linux fixed
# addresses, because relocating all the tables took longer than most commands. With a target that is named they reach
# neither build scripts nor procedural macros.
flags='-C embed-bitcode=yes'
form=''
case $goal in
  *-linux-gnu*) flags="$flags -C relocation-model=static" form=failwise-hook/static ;;
  *-linux-musl*) flags="$flags -C relocation-model=static -C target-feature=+crt-static" ;;
  *-apple-*) [ "$goal" = "$host" ] || flags="$flags -L framework=$root/scripts/macos" ;;
esac
RUSTFLAGS="${RUSTFLAGS:+$RUSTFLAGS }$flags"
RUSTC_WRAPPER=$root/scripts/rustc.sh
# The base asks SQLite for no search in texts, no shapes and no extensions: a quarter of its code.
LIBSQLITE3_FLAGS="-USQLITE_ENABLE_FTS3 -USQLITE_ENABLE_FTS3_PARENTHESIS -USQLITE_ENABLE_FTS5 -USQLITE_ENABLE_RTREE"
LIBSQLITE3_FLAGS="$LIBSQLITE3_FLAGS -USQLITE_ENABLE_DBSTAT_VTAB -USQLITE_ENABLE_LOAD_EXTENSION -DSQLITE_OMIT_LOAD_EXTENSION"
export RUSTFLAGS RUSTC_WRAPPER LIBSQLITE3_FLAGS

release() {
  set -- --manifest-path "$root/Cargo.toml" --locked --release --target "$goal" --target-dir "$target" --no-default-features --bins "$@"
  if [ "$goal" = "$host" ]; then cargo build "$@" >&2; else cargo-zigbuild zigbuild "$@" >&2; fi
}

# hook [FEATURE]: as it comes, and whether it starts.
hook() {
  release --package failwise-hook --features "failwise-hook/shipped,${1:-}" || return
  [ "$goal" != "$host" ] || FAILWISE=off "$built/failwise-hook" </dev/null >/dev/null 2>&1
}

packages=''
for name in "$@"; do
  case $name in
    failwise-hook | failwise | failwise-mcp) packages="$packages --package $name" ;;
    *) echo "usage: build.sh [failwise-hook] [failwise] [failwise-mcp]" >&2; exit 64 ;;
  esac
done
echo "$built"
features=''
case $packages in
  *failwise-hook*)
    # Whoever waits for the hook waits for the new one.
    rm -f "$built/failwise-hook"
    if ! hook $form; then
      [ -n "$form" ] || exit 1
      echo "warning: a static build does not work here; building failwise-hook with shared libraries" >&2
      form=''
      hook
    fi
    features="--features failwise-hook/whole,$form"
    ;;
esac
# shellcheck disable=SC2086  # one word an argument
[ -z "$packages" ] || release $packages $features
