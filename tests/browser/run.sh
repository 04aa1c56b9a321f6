#!/bin/sh
# Opens the report in Chromium and looks at it: numbers, filters, keyboard, themes, size, hostile text, accessibility.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

usage() {
  cat <<'TEXT'
usage: run.sh [--prebuilt DIR] [--only TEXT] [--screenshots]

Makes reports of made-up sessions and tests them in Chromium, without a network. Ends with
"browser: N passed, N failed".

  --prebuilt DIR  test the executable in DIR instead of building it
  --only TEXT     the tests whose name holds TEXT
  --screenshots   test nothing; write the screenshots in docs/, of the month in examples/month

CHROMIUM names the browser (default: chromium), FAILWISE_CLIENT_CACHE the folder that keeps the npm packages.
TEXT
}

prebuilt='' only='' task=test
while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) usage; exit 0 ;;
    --screenshots) task=screenshots; shift; continue ;;
    --prebuilt) prebuilt=${2:?a folder is missing} ;;
    --only) only=${2:?a text is missing} ;;
    *) echo "run.sh: unknown argument: $1" >&2; usage >&2; exit 64 ;;
  esac
  shift 2
done

# shellcheck source=tests/real_client/prepare.sh
. "$here/../real_client/prepare.sh"
packages=$(client_cache)/browser
mkdir -p "$packages"
cp "$here/package.json" "$packages/"
npm install --prefix "$packages" --no-package-lock --no-audit --no-fund --silent >&2
prebuilt=${prebuilt:-$(built_executables)}

browser=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
if [ -z "$browser" ]; then
  echo "run.sh: no Chromium was found: install the package chromium, or set CHROMIUM" >&2
  exit 1
fi
exec node "$here/$task.mjs" --packages "$packages" --browser "$browser" --failwise "$prebuilt/failwise" ${only:+--only "$only"}
