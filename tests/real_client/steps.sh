#!/bin/sh
# Plays workflows with the true client, a scripted model, a bare repository and a stand-in for gh: every failure and its end.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(CDPATH='' cd -- "$here/../.." && pwd)
version=2.1.329
prebuilt='' only='' kills=20

usage() {
  cat <<'TEXT'
usage: steps.sh [--client VERSION] [--prebuilt DIR] [--only NAME] [--kills N]

Plays the workflow work-order with the true Claude Code client, offline, through every kind of failure.

  --client VERSION  the client's version (2.1.329)
  --prebuilt DIR    test the executables in DIR instead of building them
  --only NAME       one row of the matrix
  --kills N         how often a run is killed at a random moment (20)
TEXT
}

while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) usage; exit 0 ;;
    --client) version=${2:?a version is missing} ;;
    --prebuilt) prebuilt=${2:?a folder is missing} ;;
    --only) only=${2:?a name is missing} ;;
    --kills) kills=${2:?a number is missing} ;;
    *) echo "steps.sh: unknown argument: $1" >&2; usage >&2; exit 64 ;;
  esac
  shift 2
done

# shellcheck source=tests/real_client/prepare.sh
. "$here/prepare.sh"
client=$(client_executable "$version")
prebuilt=${prebuilt:-$(built_executables)}
set -- --executable "$client" --client "$version" --prebuilt "$prebuilt" --kills "$kills"
exec "$here/offline.sh" python3 -B "$here/steps.py" "$@" ${only:+--only "$only"}
