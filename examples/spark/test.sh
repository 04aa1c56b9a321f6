#!/bin/sh
# Runs the example on a local cluster and compares its results with those of one process.
#
#   examples/spark/test.sh [SESSIONS]
#
# Needs Java 17, Python 3.10 with venv, and cargo or FAILWISE=PATH. The packages are installed once, into
# ${FAILWISE_SPARK_VENV:-target/spark-venv}. MASTER chooses the cluster; two workers of one core each by default.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
root=$(CDPATH='' cd -- "$here/../.." && pwd -P)
venv=${FAILWISE_SPARK_VENV:-$root/target/spark-venv}
master=${MASTER:-local-cluster[2,1,1024]}
count=${1:-24}
passed=0
failed=0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { printf '%s\n' "$*"; }
# check NAME COMMAND...: counts whether a command succeeds.
check() {
  name=$1
  shift
  if "$@" >"$work/check.log" 2>&1; then
    passed=$((passed + 1)) && say "ok      $name"
  else
    failed=$((failed + 1)) && say "FAILED  $name" && sed 's/^/        /' "$work/check.log" | tail -n 20
  fi
}

command -v java >/dev/null || { say "spark: java is missing; Java 17 or newer is needed" && exit 1; }
if [ ! -x "$venv/bin/python" ] || ! "$venv/bin/python" -c 'import pyspark, pandas, pyarrow, duckdb' 2>/dev/null; then
  say "installing into $venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
fi
if [ -z "${FAILWISE:-}" ]; then
  cargo build --quiet --release --manifest-path "$root/Cargo.toml" --bin failwise
  FAILWISE=${CARGO_TARGET_DIR:-$root/target}/release/failwise
fi
python=$venv/bin/python
data=$work/sessions

"$python" "$here/make_sessions.py" "$count" "$data"
say "replaying $count sessions on $master"
spark() { "$python" "$here/replay_stage.py" --master "$master" --failwise "$1" --out "$2" "$data" >"$3" 2>&1; }

# shellcheck disable=SC2016 # the inner shell expands them
check "one process replays the sessions" sh -c '"$1" replay --format jsonl "$2" >"$3"' - "$FAILWISE" "$data" "$work/one.jsonl"
check "the cluster replays the sessions" spark "$FAILWISE" "$work/out" "$work/spark.log"
if [ "$failed" -gt 0 ]; then
  tail -n 30 "$work/spark.log"
  say "spark: $passed passed, $failed failed"
  exit 1
fi
grep ' sessions, ' "$work/spark.log" || true

cat "$work"/out/rows/part-* >"$work/many.jsonl"
LC_ALL=C sort "$work/one.jsonl" >"$work/one.sorted"
LC_ALL=C sort "$work/many.jsonl" >"$work/many.sorted"
check "there are rows of every session" "$python" "$here/compare.py" count "$work/one.jsonl" "$count"
check "both give the same rows" cmp "$work/one.sorted" "$work/many.sorted"
check "both give the same table" "$python" "$here/compare.py" table "$work/one.jsonl" "$work/out/summary"
check "more than one task had work" grep -Eq '^[0-9]+ files, [0-9]+ sessions, [0-9]+ rows, ([2-9]|[0-9]{2,}) tasks$' "$work/spark.log"
check "files of one session are one group" grep -Eq "^[0-9]+ files, $count sessions, " "$work/spark.log"
check "DuckDB reads the rows as they are" "$python" "$here/compare.py" duckdb "$here/README.md" "$work/one.jsonl"
check "a replay that fails ends the job" sh -c '! "$@"' - "$python" "$here/replay_stage.py" --master "local[1]" \
  --failwise /bin/false --out "$work/bad" "$data"

say "spark: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
