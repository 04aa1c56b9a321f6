#!/bin/sh
# Plays workflows with the true client, a scripted model, a bare repository and a stand-in for gh: every failure and its end.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
# shellcheck source=tests/real_client/prepare.sh
. "$here/prepare.sh"

usage() {
  cat <<TEXT
usage: steps.sh [--client VERSION] [--prebuilt DIR] [--only NAME] [--kills N]

Plays the workflow work-order with the true Claude Code client, offline, through every kind of failure.

  --client VERSION  the client's version ($client_version)
  --prebuilt DIR    test the executables in DIR instead of building them
  --only NAME       one row of the matrix
  --kills N         how often a run is killed at a random moment (20)
TEXT
}

play steps.py '--only --kills' "$@"
