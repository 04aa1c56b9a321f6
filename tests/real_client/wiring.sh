#!/bin/sh
# Measures what the hook costs a turn of the true client, by which events start it; see docs/dev/real-client.md.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
# shellcheck source=tests/real_client/prepare.sh
. "$here/prepare.sh"

usage() {
  cat <<TEXT
usage: wiring.sh [--client VERSION] [--prebuilt DIR] [OPTION VALUE...]

Prints two Markdown tables: the processes that start because of a turn's hooks, and the milliseconds that the turn takes.

  --client VERSION  the client's version ($client_version)
  --prebuilt DIR    measure the executable in DIR instead of building it
  --what WHAT       processes (needs strace), milliseconds or both (both)
  --wirings NAMES   only these, with a comma between
  --rounds N        sessions of each wiring that are timed (8)
  --turns N         turns of each shape in a session that is timed (5)
  --keep DIR        keep what the sessions left behind

Milliseconds say something only while nothing else runs on the machine.
TEXT
}

play wiring.py '--what --wirings --rounds --turns --keep' "$@"
