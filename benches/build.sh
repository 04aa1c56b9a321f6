#!/usr/bin/env bash
# Builds the hook as it is shipped for Linux, and prints where it is.
set -euo pipefail
cd "$(dirname "$0")/.."
host=$(rustc -vV | sed -n 's/^host: //p')
# With a target of its own, the flags do not reach build scripts and proc-macros.
RUSTFLAGS='-C target-feature=+crt-static -C relocation-model=static' \
  cargo build --quiet --locked --release --no-default-features --bin failwise-hook --target "$host" >&2
target=$(cargo metadata --format-version 1 --no-deps --locked | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
echo "$target/$host/release/failwise-hook"
