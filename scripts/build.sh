#!/bin/sh
# Builds executables as they are shipped, each part of them compiled once: the hook and the library that it needs, then what
# only the others need. The last line says in which folder they are. The hook starts at each tool call, so its own last step
# does what the others do without: it is optimised as a whole, and on Linux the C library is inside, which spares the
# dynamic linker.
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
static=''
case $goal in
  *-linux-gnu*) flags="$flags -C relocation-model=static" static='-C target-feature=+crt-static' ;;
  *-linux-musl*) flags="$flags -C relocation-model=static -C target-feature=+crt-static" ;;
esac
RUSTFLAGS="${RUSTFLAGS:+$RUSTFLAGS }$flags"
export RUSTFLAGS

release() {
  verb=$1
  shift
  set -- --manifest-path "$root/Cargo.toml" --locked --release --target "$goal" --target-dir "$target" "$@"
  if [ "$goal" = "$host" ]; then
    cargo "$verb" "$@" >&2
  else
    [ "$verb" = rustc ] || verb=zigbuild
    cargo-zigbuild "$verb" "$@" >&2
  fi
}

starts() { FAILWISE=off "$@" </dev/null >/dev/null 2>&1; }

hook() { # hook FLAGS-OF-THE-LAST-STEP
  # shellcheck disable=SC2086  # one word a flag
  release rustc --package failwise --no-default-features --bin failwise-hook -- -C embed-bitcode=yes -C lto=fat -C codegen-units=1 $1
}

build_hook() {
  [ -n "$static" ] || { hook ''; return; }
  if hook "$static" && { [ "$goal" != "$host" ] || starts "$built/failwise-hook"; }; then return 0; fi
  echo "warning: a static build does not work here; building failwise-hook with shared libraries" >&2
  hook ''
}

others=''
for name in "$@"; do
  case $name in
    failwise-hook) build_hook ;;
    failwise) others="$others --package failwise --bin failwise" ;;
    failwise-mcp) others="$others --package failwise-mcp --bin failwise-mcp" ;;
    *) echo "usage: build.sh [failwise-hook] [failwise] [failwise-mcp]" >&2; exit 64 ;;
  esac
done
# shellcheck disable=SC2086  # one word an argument
[ -z "$others" ] || release build $others
echo "$built"
