#!/bin/sh
# The client's own check of the plugins' files: `claude plugin validate --strict`.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
# shellcheck source=tests/real_client/prepare.sh
. "$here/prepare.sh"
client=$(client_executable "${1:-$client_version}")
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
for plugin in "$root" "$root/planner" "$root/mcp/plugin"; do
  env -i HOME="$home" PATH=/usr/local/bin:/usr/bin:/bin DISABLE_AUTOUPDATER=1 DISABLE_TELEMETRY=1 DISABLE_ERROR_REPORTING=1 \
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 "$here/offline.sh" "$client" plugin validate --strict "$plugin"
done
