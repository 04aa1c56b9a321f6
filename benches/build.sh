#!/usr/bin/env bash
# Builds the hook as it is shipped, and prints where it is.
set -euo pipefail
cd "$(dirname "$0")/.."
echo "$(scripts/build.sh failwise-hook)/failwise-hook"
