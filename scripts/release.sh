#!/bin/sh
# Makes a release: builds the executables for each system that this machine can build for, packs archives, npm packages and the
# plugin (scripts/pack.py), and tries what it packed (scripts/try_release.py). Same sources and tools, same bytes.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
out=$root/target/release-files
url=''
targets='x86_64-unknown-linux-musl aarch64-unknown-linux-musl x86_64-pc-windows-gnu aarch64-apple-darwin x86_64-apple-darwin'
version=''

usage() {
  cat <<'TEXT'
usage: release.sh VERSION [--out DIR] [--url URL] [--targets "TARGET..."]

VERSION must be the one of Cargo.toml. Needs rustup's standard library of each target, cargo-zigbuild with zig (pip install
cargo-zigbuild ziglang) and python3. What cannot be built or run here is listed as such, in the file BUILT.

  --out DIR      where the files go (target/release-files)
  --url URL      the https address of the folder that will have the files: for install.sh and the marketplace
  --targets ...  only these
TEXT
}

while [ $# -gt 0 ]; do
  case $1 in
    --out) out=${2:?--out needs a folder}; shift ;;
    --url) url=${2:?--url needs an address}; shift ;;
    --targets) targets=${2:?--targets needs names}; shift ;;
    -h | --help) usage; exit 0 ;;
    -*) usage >&2; exit 64 ;;
    *) version=$1 ;;
  esac
  shift
done
known=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/Cargo.toml" | head -n 1)
if [ "$version" != "$known" ]; then
  echo "release.sh: Cargo.toml says $known, not '$version'" >&2
  exit 64
fi
cd "$root"
# A date of the sources, none of this machine.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$root/target/shipped}"
# Folders of this machine stay out of the executables.
export RUSTFLAGS="--remap-path-prefix=$root=/failwise --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo"
rm -rf "$out"
mkdir -p "$out/built"

# note TARGET NAME WHAT-HAPPENED
note() { printf '%s\t%s\t%s\n' "$1" "$2" "$3" | tee -a "$out/BUILT"; }

for target in $targets; do
  suffix=''
  case $target in *-windows-*) suffix=.exe ;; esac
  for name in failwise-hook failwise; do
    if ! FAILWISE_TARGET=$target scripts/build.sh "$name" >"$out/built/folder" 2>"$out/built/log"; then
      note "$target" "$name" "not built: $(grep -m 1 -i '^error' "$out/built/log" || tail -n 1 "$out/built/log")"
      continue
    fi
    mkdir -p "$out/built/$target"
    cp "$(tail -n 1 "$out/built/folder")/$name$suffix" "$out/built/$target/"
    note "$target" "$name" built
  done
done
if ! grep -q 'built$' "$out/BUILT"; then
  echo "release.sh: nothing could be built; the reasons are above" >&2
  exit 1
fi
python3 -B scripts/pack.py --version "$version" --out "$out" ${url:+--url "$url"}
rm -rf "$out/built"
python3 -B scripts/try_release.py --version "$version" --out "$out"
echo "$out"
