#!/bin/sh
# Asks the true client what it makes of each template in templates.json, and holds `failwise render` to the answers.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
# shellcheck source=tests/real_client/prepare.sh
. "$here/prepare.sh"

usage() {
  cat <<TEXT
usage: templates.sh [--client VERSION] [--prebuilt DIR]

Asks the true Claude Code client, offline, what it makes of each template in templates.json.

  --client VERSION  the client's version ($client_version)
  --prebuilt DIR    test the executables in DIR instead of building them
TEXT
}

play templates.py '' "$@"
