#!/bin/sh
# Asks the server by clients that are not ours: the official Python SDK and the MCP Inspector.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

usage() {
  cat <<'TEXT'
usage: run.sh [--prebuilt DIR]

Asks failwise-mcp by the official Python SDK and by the MCP Inspector's command line. Ends with
"mcp: N passed, M failed".

  --prebuilt DIR  test the executables in DIR instead of building them

FAILWISE_CLIENT_CACHE names the folder that keeps both clients; they are fetched once, from PyPI and npm.
TEXT
}

prebuilt=''
while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) usage; exit 0 ;;
    --prebuilt) prebuilt=${2:?a folder is missing} ;;
    *) echo "run.sh: unknown argument: $1" >&2; usage >&2; exit 64 ;;
  esac
  shift 2
done

# shellcheck source=tests/real_client/prepare.sh
. "$here/../real_client/prepare.sh"
clients=$(client_cache)/mcp
mkdir -p "$clients"
[ -x "$clients/python/bin/python" ] || python3 -m venv "$clients/python"
"$clients/python/bin/pip" install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
cp "$here/package.json" "$clients/"
npm install --prefix "$clients" --no-package-lock --no-audit --no-fund --silent >&2
prebuilt=$(CDPATH='' cd -- "${prebuilt:-$(built_executables)}" && pwd)

said=$(mktemp)
trap 'rm -f "$said"' EXIT
status=0
cd "$here"
FAILWISE_EXECUTABLES=$prebuilt MCP_INSPECTOR=$clients/node_modules/.bin/mcp-inspector \
  "$clients/python/bin/python" -B -m unittest test_sdk test_inspector >"$said" 2>&1 || status=1
cat "$said"
awk '/^Ran / { ran = $2 } /^FAILED/ { gsub(/[^0-9]+/, " "); for (i = 1; i <= NF; i++) bad += $i }
  END { if (ran == "") { ran = 1; bad = 1 } if (bad > ran) bad = ran; printf "mcp: %d passed, %d failed\n", ran - bad, bad }' "$said"
exit "$status"
