#!/usr/bin/env python3
"""What test.sh compares: compare.py count ROWS SESSIONS | table ROWS SUMMARY | duckdb README ROWS"""

import collections
import csv
import json
import re
import sys
from pathlib import Path


def rows_of(path):
    return [json.loads(line) for line in open(path)]


def count(rows, sessions):
    """The example has ten failures and a denied call; whoever lost or doubled a session has another number."""
    rows = rows_of(rows)
    kinds = collections.Counter((row["node_id"], row["tool_use_id"], row["phase"]) for row in rows)
    doubled = [kind for kind, times in kinds.items() if times > 1]
    assert not doubled, f"more than one row for {doubled[:3]}"
    calls = collections.Counter(row["tool_use_id"][-8:] for row in rows)
    assert rows and set(calls.values()) == {int(sessions)}, calls


def table_of(rows):
    """The table that the cluster makes, made here by hand."""
    table = collections.defaultdict(lambda: [0, 0])
    for row in rows:
        entry = table[row["class"] or "", row.get("category") or "", row["outcome"]]
        entry[0] += 1
        entry[1] += row.get("unchanged_retries") or 0
    return {key: tuple(entry) for key, entry in table.items()}


def table(rows, summary):
    expected = table_of(rows_of(rows))
    parts = sorted(Path(summary).glob("part-*.csv"))
    lines = [line for part in parts for line in csv.DictReader(open(part))]
    given = {
        (line["class"], line["category"], line["outcome"]): (int(line["failures"]), int(line["unchanged_retries"]))
        for line in lines
    }
    assert given == expected and len(given) == len(lines), f"{given} is not {expected}"


def duckdb(readme, rows):
    """Runs the query of the page over the rows."""
    import duckdb

    query = re.search(r"```sql\n(.*?)```", Path(readme).read_text(), re.DOTALL).group(1)
    given = duckdb.sql(query.replace("rows.jsonl", rows)).fetchall()
    expected = table_of(rows_of(rows))
    assert {tuple(value or "" for value in line[:3]): tuple(map(int, line[3:])) for line in given} == expected, given


if __name__ == "__main__":
    {"count": count, "table": table, "duckdb": duckdb}[sys.argv[1]](*sys.argv[2:])
