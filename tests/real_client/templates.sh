#!/bin/sh
# Asks the true client what it makes of each template in templates.json, and holds `failwise render` to the answers.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(CDPATH='' cd -- "$here/../.." && pwd)
version=2.1.329
prebuilt=''

usage() {
  cat <<'TEXT'
usage: templates.sh [--client VERSION] [--prebuilt DIR]

Asks the true Claude Code client, offline, what it makes of each template in templates.json.

  --client VERSION  the client's version (2.1.329)
  --prebuilt DIR    test the executables in DIR instead of building them
TEXT
}

while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) usage; exit 0 ;;
    --client) version=${2:?a version is missing} ;;
    --prebuilt) prebuilt=${2:?a folder is missing} ;;
    *) echo "templates.sh: unknown argument: $1" >&2; usage >&2; exit 64 ;;
  esac
  shift 2
done

# shellcheck source=tests/real_client/prepare.sh
. "$here/prepare.sh"
client=$(client_executable "$version")
prebuilt=${prebuilt:-$(built_executables)}
exec "$here/offline.sh" python3 -B "$here/templates.py" --executable "$client" --client "$version" --prebuilt "$prebuilt"
