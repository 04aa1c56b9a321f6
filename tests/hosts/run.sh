#!/bin/sh
# Plays sessions with each of the other clients, offline, against a scripted model; see run.py.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
case "${1:-}" in
  --help | -h)
    cat <<TEXT
usage: run.sh [--prebuilt DIR] [--only CLIENT]

Plays sessions with the true Codex, Copilot CLI, Gemini CLI and Qwen Code, offline, against a scripted model, and compares what
Failwise records, what a replay finds and what the model reads with what is expected. npm fetches the clients once; without npm, and on other
systems than Linux, this is skipped with a message.

  --prebuilt DIR  test failwise and failwise-hook in DIR instead of building them
  --only CLIENT   codex, copilot, gemini or qwen

FAILWISE_CLIENT_CACHE names the folder in which the clients are kept.
TEXT
    exit 0
    ;;
esac

cache=${FAILWISE_CLIENT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/failwise}/hosts
packages='@openai/codex@0.169.0 @github/copilot@1.0.102 @google/gemini-cli@0.61.0 @qwen-code/qwen-code@0.15.10'
if [ ! -e "$cache/whole" ]; then
  mkdir -p "$cache"
  # The list is one of words.
  # shellcheck disable=SC2086
  if ! command -v npm >/dev/null || ! npm install --prefix "$cache" --no-audit --no-fund --ignore-scripts $packages >&2; then
    echo 'tests/hosts/run.sh: skipped: npm cannot fetch the clients here' >&2
    echo 'hosts: 0 passed, 0 failed'
    exit 0
  fi
  touch "$cache/whole"
fi
exec "$here/../real_client/offline.sh" python3 -B "$here/run.py" --clients "$cache" "$@"
