#!/usr/bin/env python3
"""Times `failwise replay` on many transcripts beside what it is compared with, and prints a Markdown table.

usage: replay.py FAILWISE TRANSCRIPTS [--megabytes N] [--rounds N] [--keep DIR]

TRANSCRIPTS is a folder of session files. They are repeated under fresh ids until there are so many megabytes. In each round
every case runs once, each time in another order; the fastest time counts. The limit is reading the bytes and counting their
lines; jq, DuckDB (where Python has it: pip install duckdb) and Python answer a smaller question: how many results of each
tool are marked as errors. Needs a quiet machine, GNU time and room for the files, which are read from memory after the
first round.
"""
import argparse
import collections
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

IDS = re.compile(rb"(toolu_|msg_)[A-Za-z0-9]{10,}|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")

JQ = r"""
reduce inputs as $line ({tools: {}, errors: {}};
  reduce ([$line.message?, $line.data?.message?.message?] | map(.content? | arrays) | add // [])[] as $block (.;
    if $block.type? == "tool_use" then .tools[$block.id] = $block.name
    elif $block.type? == "tool_result" and $block.is_error? == true then .errors[$block.tool_use_id] = true
    else . end))
| .tools as $tools | [.errors | keys[] | $tools[.]] | group_by(.) | map({(.[0]): length}) | add
"""

SQL = """
WITH lines AS (SELECT json FROM read_ndjson_objects('{glob}', maximum_object_size = 67108864, ignore_errors = true)),
blocks AS (SELECT unnest(json_extract(json, '$.message.content[*]')) AS block FROM lines
  UNION ALL SELECT unnest(json_extract(json, '$.data.message.message.content[*]')) FROM lines),
tools AS (SELECT DISTINCT block->>'id' AS id, block->>'name' AS tool FROM blocks WHERE block->>'type' = 'tool_use'),
errors AS (SELECT DISTINCT block->>'tool_use_id' AS id FROM blocks
  WHERE block->>'type' = 'tool_result' AND block->>'is_error' = 'true')
SELECT tool, count(*) FROM errors JOIN tools USING (id) GROUP BY tool
"""


def main():
    if sys.argv[1:2] == ["--answer"]:
        return answer(sys.argv[2], sys.argv[3])
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("failwise")
    parser.add_argument("transcripts", type=pathlib.Path)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--keep", type=pathlib.Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="failwise-replay.") as work:
        folder = given.keep or pathlib.Path(work)
        size = repeated(given.transcripts, folder, given.megabytes * 1_000_000)
        cases = cases_of(os.path.abspath(given.failwise), folder)
        seen = {name: [] for name in cases}
        for _ in range(given.rounds):
            for name in random.sample(list(cases), len(cases)):
                seen[name].append(run(cases[name]))
        print_table(seen, size)
    return None


def repeated(transcripts, folder, size):
    """Writes copies of all transcripts under fresh ids until they have the size; tells how many bytes there are."""
    sources = sorted(transcripts.glob("**/*.jsonl"))
    folder.mkdir(parents=True, exist_ok=True)
    written = sum(path.stat().st_size for path in folder.glob("*.jsonl"))
    copy = 0
    while written < size and sources:
        for source in sources:
            path = folder / f"{source.stem}-{copy}.jsonl"
            if not path.exists():
                path.write_bytes(IDS.sub(lambda found: fresh(found, copy), source.read_bytes()))
                written += path.stat().st_size
            if written >= size:
                break
        copy += 1
    return written


def fresh(found, copy):
    """An id of the same form; the same id in the same copy stays the same."""
    digest = hashlib.sha256(b"%d %s" % (copy, found.group(0))).hexdigest()
    if found.group(1):
        return found.group(1) + digest[:24].encode()
    return "-".join((digest[:8], digest[8:12], digest[12:16], digest[16:20], digest[20:32])).encode()


def cases_of(failwise, folder):
    every = f"find '{folder}' -name '*.jsonl' -print0 | xargs -0"
    replay = [failwise, "replay", str(folder), "--format", "jsonl"]
    python = [sys.executable, os.path.abspath(__file__), "--answer"]
    cases = {
        "reading the bytes (`cat`)": ["sh", "-c", f"{every} cat"],
        "counting the lines (`wc -l`)": ["sh", "-c", f"{every} cat | wc -l"],
        "`failwise replay`, one thread": [*replay, "--threads", "1"],
        "`failwise replay`, two threads": [*replay, "--threads", "2"],
        "Python, one question": [*python, "python", str(folder)],
    }
    if shutil.which("jq"):
        cases["jq, one question"] = ["sh", "-c", f'{every} cat | jq -n "$0"', JQ]
    if subprocess.run([sys.executable, "-c", "import duckdb"], stderr=subprocess.DEVNULL).returncode == 0:
        cases["DuckDB on all cores, one question"] = [*python, "duckdb", str(folder)]
    return cases


def run(argv):
    """Seconds, peak memory in MB of the largest process, and the answer where it was asked for one."""
    asked = "--answer" in argv or JQ in argv
    with tempfile.NamedTemporaryFile() as peak:
        began = time.perf_counter()
        # A child's own peak would begin with what this process holds: GNU time is small.
        done = subprocess.run(["time", "-f", "%M", "-o", peak.name, *argv], stdout=subprocess.PIPE if asked else
                              subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        took = time.perf_counter() - began
        answered = json.dumps(json.loads(done.stdout), sort_keys=True) if asked else ""
        return took, int(peak.read()) / 1024, answered


def answer(how, folder):
    counts = by_duckdb(folder) if how == "duckdb" else by_python(folder)
    print(json.dumps(counts))


def by_duckdb(folder):
    import duckdb

    return dict(duckdb.sql(SQL.format(glob=f"{folder}/*.jsonl")).fetchall())


def by_python(folder):
    tools, errors = {}, set()
    for path in pathlib.Path(folder).glob("*.jsonl"):
        with open(path, "rb") as lines:
            for line in lines:
                for block in blocks_of(json.loads(line)):
                    if block.get("type") == "tool_use":
                        tools[block["id"]] = block["name"]
                    elif block.get("type") == "tool_result" and block.get("is_error") is True:
                        errors.add(block["tool_use_id"])
    return collections.Counter(tools[error] for error in errors if error in tools)


def blocks_of(line):
    inner = ((line.get("data") or {}).get("message") or {}) if isinstance(line.get("data"), dict) else {}
    for message in (line.get("message"), inner.get("message") if isinstance(inner, dict) else None):
        content = message.get("content") if isinstance(message, dict) else None
        yield from (block for block in (content if isinstance(content, list) else ()) if isinstance(block, dict))


def print_table(seen, size):
    print(f"{size / 1e6:.0f} MB, fastest of {len(next(iter(seen.values())))} rounds\n")
    print("| case | seconds | MB/s | peak MB |")
    print("| --- | --: | --: | --: |")
    for name, runs in seen.items():
        took = min(took for took, _, _ in runs)
        print(f"| {name} | {took:.2f} | {size / 1e6 / took:.0f} | {max(peak for _, peak, _ in runs):.0f} |")
    answers = {told for runs in seen.values() for _, _, told in runs if told}
    print(f"\nThose that were asked the one question answer {'the same' if len(answers) == 1 else 'DIFFERENTLY'}:")
    for told in sorted(answers):
        print(f"  {told}")


if __name__ == "__main__":
    main()
