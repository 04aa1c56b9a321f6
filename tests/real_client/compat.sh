#!/bin/sh
# Plays the situations with older clients too: each those that it can bring about. docs/dev/real-client.md has the table.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
prebuilt='' versions=''

usage() {
  cat <<'TEXT'
usage: compat.sh [--prebuilt DIR] [VERSION...]

Plays the situations with several versions of the client (2.1.59, 2.1.119, 2.1.207 and 2.1.329 unless given).

  --prebuilt DIR  test the executables in DIR instead of building them
TEXT
}

while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) usage; exit 0 ;;
    --prebuilt) prebuilt=${2:?a folder is missing}; shift ;;
    -*) echo "compat.sh: unknown argument: $1" >&2; usage >&2; exit 64 ;;
    *) versions="$versions $1" ;;
  esac
  shift
done

# shellcheck source=tests/real_client/prepare.sh
. "$here/prepare.sh"
prebuilt=${prebuilt:-$(built_executables)}
passed=0 failed=0
for version in ${versions:-2.1.59 2.1.119 2.1.207 2.1.329}; do
  echo "client $version"
  if "$here/run.sh" --client "$version" --prebuilt "$prebuilt"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
  fi
done
echo "compat: $passed passed, $failed failed"
[ "$failed" = 0 ]
