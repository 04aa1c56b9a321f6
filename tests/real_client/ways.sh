#!/bin/sh
# Plays the ways in and out with the true client: archive, marketplaces, npm. A registry and a web server are on this machine.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
# shellcheck source=tests/real_client/prepare.sh
. "$here/prepare.sh"

usage() {
  cat <<TEXT
usage: ways.sh [--client VERSION] [--prebuilt DIR]

Packs the executables as a release of this system, and installs it in every way with the true Claude Code client, offline.

  --client VERSION  the client's version ($client_version)
  --prebuilt DIR    pack the executables in DIR instead of building them
TEXT
}

version=$client_version prebuilt=''
while [ $# -gt 0 ]; do
  case $1 in
    --client) version=${2:?--client needs a version}; shift ;;
    --prebuilt) prebuilt=$(CDPATH='' cd -- "${2:?--prebuilt needs a folder}" && pwd); shift ;;
    -h | --help) usage; exit 0 ;;
    *) refuse "unknown argument: $1" ;;
  esac
  shift
done
prebuilt=${prebuilt:-$(built_executables)}
release=$(mktemp -d)
trap 'rm -rf "$release"' EXIT
system=$(uname -m)-unknown-linux-musl
mkdir -p "$release/built/$system"
cp "$prebuilt/failwise" "$prebuilt/failwise-hook" "$release/built/$system/"
known=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/Cargo.toml" | head -n 1)
SOURCE_DATE_EPOCH=1000000000 python3 -B "$root/scripts/pack.py" --version "$known" --out "$release" --url https://198.51.100.7:8443
chmod -R a+rX "$release"
"$here/offline.sh" python3 -B "$here/ways.py" --executable "$(client_executable "$version")" --client "$version" \
  --prebuilt "$release"
