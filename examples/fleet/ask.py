#!/usr/bin/env python3
"""Asks the seven questions of one engine, compares the answers with those of `check.py`, and says how long each took.

    ask.py duckdb|clickhouse|postgres FOLDER     FOLDER as `make_day.py` makes it

DuckDB and ClickHouse's engine are the packages `duckdb` and `chdb`; PostgreSQL is asked by `psql` and its own variables.
"""
import csv
import io
import json
import re
import subprocess
import sys
import time
from pathlib import Path

from check import tables

HERE = Path(__file__).parent


def questions():
    parts = re.split(r"^-- (\w+): ", (HERE / "questions.sql").read_text(), flags=re.M)[1:]
    return {name: re.sub(r"^(.*\n)(--.*\n)*", "", body, count=1).strip().rstrip(";") for name, body in zip(parts[::2], parts[1::2])}


def statements(name):
    text = re.sub(r"--.*", "", (HERE / "tables" / f"{name}.sql").read_text())
    return [part for part in text.split(";") if part.strip()]


class Duckdb:
    def __init__(self, folder):
        import duckdb
        self.base = duckdb.connect()
        self.base.execute("SET threads = 2")
        for part in statements("duckdb"):
            self.base.execute(part.replace("'records.jsonl'", f"'{folder}/records.jsonl'").replace("'client.jsonl'", f"'{folder}/client.jsonl'"))

    def ask(self, sql):
        return self.base.execute(sql).fetchall()


class Clickhouse:
    def __init__(self, folder):
        from chdb import session
        self.session = session.Session()
        for part in ["SET max_threads = 2", *statements("clickhouse")]:
            self.session.query(part)
        logs = folder / "logs.jsonl"
        of_resource = ("service.", "host.", "os.", "vcs.", "failwise.person", "failwise.client.", "failwise.instructions")
        text = lambda value: value if isinstance(value, str) else json.dumps(value)
        with open(logs, "w") as out:
            for line in [*open(folder / "records.jsonl"), *open(folder / "client.jsonl")]:
                row = json.loads(line)
                event, at = row.pop("event"), row.pop("at")
                resource = {name: text(row.pop(name)) for name in list(row) if name.startswith(of_resource)}
                attributes = {name: text(value) for name, value in row.items()}
                out.write(json.dumps({"Body": event, "Timestamp": at[:-1].replace("T", " "),
                                      "ResourceAttributes": resource, "LogAttributes": attributes}) + "\n")
        columns = "Body String, Timestamp DateTime64(9), ResourceAttributes Map(String, String), LogAttributes Map(String, String)"
        self.session.query("INSERT INTO otel_logs SELECT Timestamp, Body, ResourceAttributes, LogAttributes "
                           f"FROM file('{logs}', JSONEachRow, '{columns}')")

    def ask(self, sql):
        answer = str(self.session.query(sql, "CSV"))
        return [[None if cell == r"\N" else cell for cell in row] for row in csv.reader(io.StringIO(answer))]


class Postgres:
    def __init__(self, folder):
        bring = [f"\\copy incoming FROM '{folder}/{name}.jsonl' WITH (FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02')" for name in ("records", "client")]
        first, *rest = (HERE / "tables" / "postgres.sql").read_text().split("CREATE TABLE IF NOT EXISTS verdicts", 1)
        self.run("\n".join([first, *bring, "CREATE TABLE IF NOT EXISTS verdicts" + rest[0]]))

    def run(self, sql):
        done = subprocess.run(["psql", "-qX", "--csv", "-v", "ON_ERROR_STOP=1"], input=sql, capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        return done.stdout

    def ask(self, sql):
        answer = self.run(f"SET TimeZone = 'UTC'; SET work_mem = '128MB'; {sql};")
        return list(csv.reader(io.StringIO(answer)))[1:]


def cell(value):
    """A cell as all engines have it: numbers by their value, and moments to the second."""
    if value is None or value == "":
        return ""
    if re.fullmatch(r"-?\d+(\.\d+)?", str(value)):
        return float(value)
    return re.sub(r"(\d\d:\d\d:\d\d)(\.\d+)?(\+00)?$", r"\1", str(value))


def main():
    engine, folder = sys.argv[1], Path(sys.argv[2]).resolve()
    begun = time.monotonic()
    base = {"duckdb": Duckdb, "clickhouse": Clickhouse, "postgres": Postgres}[engine](folder)
    print(f"{engine}: tables in {time.monotonic() - begun:.1f} s")
    wanted, wrong = tables(folder), 0
    for name, sql in questions().items():
        begun = time.monotonic()
        rows = base.ask(sql)
        seconds = time.monotonic() - begun
        own, other = ([[cell(value) for value in row] for row in it] for it in (rows, wanted[name]))
        # A sum of many fractions may be rounded either way.
        near = lambda one, two: one == two or isinstance(one, float) and isinstance(two, float) and abs(one - two) <= 0.0101
        is_same = len(own) == len(other) and all(len(a) == len(b) and all(map(near, a, b)) for a, b in zip(own, other))
        wrong += not is_same or not own
        print(f"{engine}: {name:<10} {len(own):>3} rows in {seconds:5.2f} s  {'as computed' if is_same and own else 'DIFFERS'}")
        if not is_same:
            print("  ", next(((a, b) for a, b in zip(own, other) if not all(map(near, a, b))), (len(own), len(other))))
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
