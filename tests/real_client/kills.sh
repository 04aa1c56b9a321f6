#!/bin/sh
# Kills sessions that work a plan at random moments and lets the next ones go on; see docs/dev/real-client.md.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
# shellcheck source=tests/real_client/prepare.sh
. "$here/prepare.sh"

usage() {
  cat <<TEXT
usage: kills.sh [--client VERSION] [--kills NUMBER] [--seed NUMBER] [--prebuilt DIR]

Works a plan with the true Claude Code client, offline, in sessions of which most are killed at a random moment.

  --client VERSION  the client's version ($client_version)
  --kills NUMBER    how many sessions are killed (20)
  --seed NUMBER     the moments of an earlier run
  --prebuilt DIR    test the executables in DIR instead of building them
TEXT
}

play kills.py '--kills --seed' "$@"
