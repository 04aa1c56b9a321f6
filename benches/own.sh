#!/usr/bin/env bash
# Counts what ten readings and a secret of a project cost a hook, in instructions: the cases of instructions.sh without a
# settings file (none), with a trusted one that sets something else (other), with ten readings, and with a secret besides
# (both). Fails where ten readings cost over 50,000 more than another setting does, and of 64 KB of output 10 a byte.
#
# usage: own.sh     HOOK=<file> counts that executable; FAILWISE=<file> is the `failwise` that compiles.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=benches/count.sh
. ./count.sh
most=50000

main() {
  command -v valgrind >/dev/null || { echo "own.sh: valgrind is not installed" >&2; exit 1; }
  scene=$(mktemp -d "${TMPDIR:-/tmp}/failwise-own.XXXXXX")
  trap 'rm -rf "$scene"' EXIT
  hook=${HOOK:-$(./build.sh)}
  failwise=${FAILWISE:-$(cd .. && cargo build --quiet --locked --bin failwise && pwd)/target/debug/failwise}
  bad=0
  for case in success failure masked large; do
    none=$(count "$case" none)
    other=$(count "$case" other)
    readings=$(count "$case" readings)
    both=$(count "$case" both)
    printf '%-8s none %9d  other %+8d  readings %+8d  both %+8d\n' \
      "$case" "$none" $((other - none)) $((readings - none)) $((both - none))
    [ "$case" = large ] && allowed=$((most + 10 * 65536)) || allowed=$most
    [ $((readings - other)) -le "$allowed" ] || bad=1
  done
  exit $bad
}

# A case in a project with such a settings file.
count() {
  new_scene "$scene" "$hook"
  if [ "$2" != none ]; then
    mkdir -p "$scene/project/.claude"
    settings "$2" >"$scene/project/.claude/failwise.toml"
    (cd "$scene/project" && env -i "${env[@]}" "$failwise" trust --yes >/dev/null)
  fi
  instructions_of "$1" "$scene" "$hook"
}

# The last reading matches the failures of the scene, so that one is followed to its end.
settings() {
  [ "$1" != other ] || { echo "advice = 'normal'"; return; }
  for word in 'denied seat for feature' 'licen[cs]e (?:gone|expired)' 'quota of ' 'bay door' 'flux drained:' \
    'no dock for ' '(?i)pool exhausted at ' 'E-[0-9]{4}: ' 'beacon lost after '; do
    printf "[[reading]]\nmatch = '%s(?P<name>[A-Za-z0-9_./-]+)'\ncategory = \"service_error\"\nobject = \"name\"\n" "$word"
  done
  printf "[[reading]]\nmatch = '^test (?P<name>[a-z_:]+) [.]{3} FAILED'\ncategory = \"test_failure\"\nobject = 1\n"
  [ "$1" = readings ] || printf "[[redact]]\nmatch = 'ORB-[0-9]{4}-[a-z]+'\nkind = \"orbit_pass\"\n"
}

main
