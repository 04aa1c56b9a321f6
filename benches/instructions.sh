#!/usr/bin/env bash
# Counts the instructions of a whole hook process in the cases of payloads/, and fails where a case needs over 5 % more
# than recorded in instructions.txt. The counts do not depend on what else the machine does. instructions.base.txt holds
# those that later work is measured from: `before` and `success` may grow by 2 % of it, the others by 6 %.
#
# usage: instructions.sh [--accept]     --accept records the counts found. HOOK=<file> counts that executable.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=benches/count.sh
. ./count.sh
record=instructions.txt
most=5

# Each case begins with the same session.
main() {
  command -v valgrind >/dev/null || { echo "instructions.sh: valgrind is not installed" >&2; exit 1; }
  scene=$(mktemp -d "${TMPDIR:-/tmp}/failwise-instructions.XXXXXX")
  trap 'rm -rf "$scene" "$scene.counts"' EXIT
  hook=${HOOK:-$(./build.sh)}
  {
    for case in before success codex failure masked unknown large; do count "$case" "$case"; done
    # The failure again, where so many lessons are known: none of them is about it, or one.
    for lessons in 1e3 1e6; do
      count "failure-$lessons" failure "$lessons" unmet
      count "known-$lessons" failure "$lessons"
    done
  } | tee "$scene.counts"
  if [ "${1:-}" = --accept ]; then
    mv "$scene.counts" "$record"
  else
    compare "$scene.counts"
  fi
}

# count NAME CASE [LESSONS [unmet]]: a line with the instructions of a case.
count() {
  local lessons
  lessons=$(printf %.0f "${3:-0}")
  printf '%s %s\n' "$1" "$(new_scene "$scene" "$hook" "$lessons" "${@:4}" && instructions_of "$2" "$scene" "$hook")"
}

compare() {
  awk -v most="$most" '
    NR == FNR { before[$1] = $2; next }
    !($1 in before) { print $1 ": no record"; bad = 1; next }
    { change = ($2 / before[$1] - 1) * 100; printf "%-11s %9d -> %9d  %+.1f %%\n", $1, before[$1], $2, change }
    change > most { bad = 1 }
    { now[$1] = $2 }
    END {
      # Its status is looked up in the session file, and may cost that much.
      if (now["codex"] > now["success"] * 1.15) { print "codex: over 1.15 of success"; bad = 1 }
      # A lesson that is told costs words.
      if (now["known-1e3"] <= now["failure-1e3"]) { print "known-1e3: no lesson was found; does scene.py write the present form?"; bad = 1 }
      if (bad) print "over " most " % more instructions: find out why, or accept them with benches/instructions.sh --accept"
      exit bad
    }' "$record" "$1"
}

main "$@"
