#!/bin/sh
# Plays Failwise's situations with the true Claude Code client against a scripted model; see docs/real-client.md.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(CDPATH='' cd -- "$here/../.." && pwd)
version=2.1.329
prebuilt=''

usage() {
  cat <<'TEXT'
usage: run.sh [--client VERSION] [--only NAME] [--keep DIR] [--prebuilt DIR]

Plays each situation with the true Claude Code client, offline, against a scripted model.

  --client VERSION  the client's version (2.1.329)
  --only NAME       one situation: a name in situations/ without its ending
  --keep DIR        keep what each session left behind: DIR/NAME/
  --prebuilt DIR    test the executables in DIR instead of building them

FAILWISE_CLIENT_CACHE names the folder in which the client is kept.
TEXT
}

only='' keep=''
while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) usage; exit 0 ;;
    --client) version=${2:?a version is missing} ;;
    --only) only=${2:?a name is missing} ;;
    --keep) keep=${2:?a folder is missing} ;;
    --prebuilt) prebuilt=${2:?a folder is missing} ;;
    *) echo "run.sh: unknown argument: $1" >&2; usage >&2; exit 64 ;;
  esac
  shift 2
done

# shellcheck source=tests/real_client/prepare.sh
. "$here/prepare.sh"
client=$(client_executable "$version")
prebuilt=${prebuilt:-$(built_executables)}
set -- --executable "$client" --client "$version" --prebuilt "$prebuilt"
exec "$here/offline.sh" python3 -B "$here/run.py" "$@" ${only:+--only "$only"} ${keep:+--keep "$keep"}
