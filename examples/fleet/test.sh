#!/bin/sh
# Asks the seven questions of a made day in DuckDB, ClickHouse's engine and PostgreSQL, and compares each answer with a plain count.
#
#   examples/fleet/test.sh [VERDICTS [MACHINES]]
#
# FAILWISE=<file> also sends that executable's records through a collector, the package `rotel`; the hook lies beside it.
# Needs Python 3.10 with venv; packages go into ${FAILWISE_FLEET_VENV:-target/fleet-venv} once. ClickHouse's engine is a package of
# 0.5 GB, installed with CHDB=1 only. PostgreSQL 15 is started for this alone where its `initdb` is found, as another user for root.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
root=$(CDPATH='' cd -- "$here/../.." && pwd -P)
venv=${FAILWISE_FLEET_VENV:-$root/target/fleet-venv}
failed=0

work=$(mktemp -d)
bin=
# As root, PostgreSQL runs as `nobody`.
own() { if [ "$(id -u)" = 0 ]; then su -s /bin/sh nobody -c "$*"; else sh -c "$*"; fi; }
finish() {
  [ -z "$bin" ] || own "$bin/pg_ctl -D $work/pg/data -m immediate stop" >/dev/null 2>&1 || :
  rm -rf "$work"
}
trap finish EXIT

[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -c 'import duckdb, jsonschema' 2>/dev/null || "$venv/bin/pip" install --quiet duckdb jsonschema
[ "${CHDB:-0}" = 0 ] || "$venv/bin/python" -c 'import chdb' 2>/dev/null || "$venv/bin/pip" install --quiet chdb

"$venv/bin/python" "$here/make_day.py" "$work/day" --verdicts "${1:-4000}" --machines "${2:-40}"
"$venv/bin/python" - "$root/schemas/ship-record.schema.json" "$work/day/records.jsonl" <<'PYTHON' || failed=1
import json, itertools, jsonschema, sys
check = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))
for line in itertools.islice(open(sys.argv[2]), 2000):
    check.validate(json.loads(line))
print("records: as their schema says")
PYTHON

# The page's first query answers for any records: of a day, and where nothing failed.
"$venv/bin/python" - "$root/docs/fleet.md" "$work/day/records.jsonl" "$work" <<'PYTHON' || failed=1
import duckdb, os, re, sys
page, records, work = sys.argv[1:]
query = re.search(r"```sql\n(.*?)```", open(page).read(), re.S)[1]
os.chdir(work)
for wanted in (True, False):
    with open("verdicts.jsonl", "w") as out:
        out.writelines(line for line in open(records) if wanted or '"failwise.session"' in line)
    rows = duckdb.sql(query).fetchall()
    assert bool(rows) == wanted, rows
print("first query: as the page has it")
PYTHON

if [ -n "${FAILWISE:-}" ]; then
  "$venv/bin/python" -c 'import rotel, opentelemetry.proto' 2>/dev/null || "$venv/bin/pip" install --quiet rotel opentelemetry-proto
  "$venv/bin/python" "$here/collector.py" "$FAILWISE" || failed=1
fi

ask() { "$venv/bin/python" "$here/ask.py" "$1" "$work/day" || failed=1; }

ask duckdb
if "$venv/bin/python" -c 'import chdb' 2>/dev/null; then ask clickhouse; else echo "clickhouse: skipped, CHDB=1 installs its engine"; fi

bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1) || :
[ -n "$bin" ] || bin=$(dirname "$(command -v initdb 2>/dev/null || echo /)")
if [ -x "$bin/initdb" ]; then
  mkdir "$work/pg" && chmod 711 "$work" && chmod 777 "$work/pg"
  own "$bin/initdb -A trust -U fleet -D $work/pg/data" >/dev/null
  own "$bin/pg_ctl -D $work/pg/data -w -l $work/pg/log -o '-k $work/pg -h \"\"' start" >/dev/null
  PGHOST=$work/pg PGUSER=fleet PGDATABASE=postgres ask postgres
else
  bin=
  echo "postgres: skipped, there is no initdb"
fi
exit "$failed"
