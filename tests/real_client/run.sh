#!/bin/sh
# Plays Failwise's situations with the true Claude Code client against a scripted model; see docs/dev/real-client.md.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
# shellcheck source=tests/real_client/prepare.sh
. "$here/prepare.sh"

usage() {
  cat <<TEXT
usage: run.sh [--client VERSION] [--only NAME] [--keep DIR] [--prebuilt DIR]

Plays each situation with the true Claude Code client, offline, against a scripted model.

  --client VERSION  the client's version ($client_version)
  --only NAME       one situation: a name in situations/ without its ending
  --keep DIR        keep what each session left behind: DIR/NAME/
  --prebuilt DIR    test the executables in DIR instead of building them

FAILWISE_CLIENT_CACHE names the folder in which the client is kept.
TEXT
}

play run.py '--only --keep' "$@"
