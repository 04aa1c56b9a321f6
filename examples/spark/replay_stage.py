#!/usr/bin/env python3
"""Replays many transcripts as a stage of Apache Spark.

    replay_stage.py --failwise PATH --out DIR [--master URL] FOLDER...

Writes DIR/rows (the rows of `failwise replay --format jsonl`, as text) and DIR/summary (a CSV table). A session is the unit
of work: its main file, its subagents' files and files that it went on in go to one task, because attempts and episodes
are counted within it.
"""

import argparse
import gzip
import itertools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

# How many lines of a file are looked at for its session: transcripts name it in the first ones.
LOOKED_AT = 200
# How many rows are handed on at once.
BATCH = 1000

KEYS = "file string, key string"
ROWS = "task int, number int, class string, category string, outcome string, unchanged int, row string"
NAMES = [column.split()[0] for column in ROWS.split(", ")]


def lines_of(path):
    opened = gzip.open(path, "rt", errors="replace") if path.endswith(".gz") else open(path, errors="replace")
    with opened as file:
        yield from itertools.islice(file, LOOKED_AT)


def keys_of(path):
    """What makes a file belong to others: its session, and the first answer of the model, which a session that goes on in
    another file repeats there."""
    session = message = None
    for line in lines_of(path):
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if not isinstance(entry, dict):
            continue
        session = session or entry.get("sessionId") or entry.get("session_id")
        if entry.get("type") == "assistant" and isinstance(entry.get("message"), dict):
            message = message or entry["message"].get("id")
        if session and message:
            break
    keys = [f"session {session}"] if session else []
    keys += [f"message {message}"] if message else []
    return keys or [f"file {path}"]


def look(batches):
    """Stage 1: the keys of each file."""
    for batch in batches:
        yield pd.DataFrame([(file, key) for file in batch["file"] for key in keys_of(file)], columns=["file", "key"])


def grouped(pairs):
    """Files that share a key, directly or through others, are one session. Returns a list of lists of files."""
    root = {}

    def find(name):
        while root.setdefault(name, name) != name:
            name = root[name]
        return name

    for file, key in sorted(pairs):
        one, other = find(("key", key)), find(("file", file))
        root[max(one, other)] = min(one, other)
    sessions = {}
    for file in sorted({file for file, _ in pairs}):
        sessions.setdefault(find(("file", file)), []).append(file)
    return list(sessions.values())


def replayed(failwise, files):
    """The rows of one session, as lines of JSON. A replay that fails ends the task with what it said."""
    # The errors go to a file: a full pipe that nobody empties would stop the program.
    with tempfile.TemporaryFile("w+") as errors:
        command = [failwise, "replay", "--format", "jsonl", *files]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True) as process:
            for line in process.stdout:
                yield line.rstrip("\n")
        if process.returncode != 0:
            errors.seek(0)
            raise RuntimeError(f"failwise exited {process.returncode} on {files[0]}: {errors.read(2000)}")


def replay(failwise):
    """Stage 2: the rows of each session."""

    def stage(batches):
        from pyspark import TaskContext

        task = TaskContext.get().partitionId()
        for batch in batches:
            for number, files in zip(batch["number"], batch["files"]):
                rows = replayed(failwise, list(files))
                while some := list(itertools.islice(rows, BATCH)):
                    yield pd.DataFrame([columns_of(task, number, row) for row in some], columns=NAMES)

    return stage


def columns_of(task, number, line):
    row = json.loads(line)
    return (task, number, row["class"], row.get("category"), row["outcome"], row.get("unchanged_retries") or 0, line)


def files_below(folders):
    for folder in folders:
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file() and path.name.endswith((".jsonl", ".jsonl.gz")):
                yield str(path)


def main():
    parser = argparse.ArgumentParser(description="Replays many transcripts as a stage of Apache Spark.")
    parser.add_argument("folders", nargs="+", metavar="FOLDER", help="folders that hold transcripts, seen by every worker")
    parser.add_argument("--out", required=True, metavar="DIR", help="where the results go; must not exist yet")
    parser.add_argument("--failwise", default="failwise", metavar="PATH", help="the executable on the workers")
    parser.add_argument("--master", metavar="URL", help="as of spark-submit, which sets it otherwise")
    args = parser.parse_args()

    # Workers of a local cluster take the driver's Python, which has pandas and pyarrow.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("failwise replay").config("spark.ui.showConsoleProgress", "false")
    spark = (builder.master(args.master) if args.master else builder).getOrCreate()
    try:
        files = [(file,) for file in files_below(args.folders)]
        if not files:
            sys.exit(f"no .jsonl file lies below {', '.join(args.folders)}")
        width = spark.sparkContext.defaultParallelism
        listed = spark.createDataFrame(files, "file string").repartition(width * 2)
        sessions = grouped([tuple(pair) for pair in listed.mapInPandas(look, KEYS).collect()])
        # Every session is a row, and rows are dealt out evenly: no task gets all the long ones of one folder.
        work = spark.createDataFrame(list(enumerate(sessions)), "number int, files array<string>")
        work = work.repartition(min(len(sessions), width * 2))
        rows = work.mapInPandas(replay(args.failwise), ROWS).cache()
        rows.select("row").write.text(f"{args.out}/rows")
        summary = rows.groupBy("class", "category", "outcome").agg(
            f.count("*").alias("failures"), f.sum("unchanged").alias("unchanged_retries")
        )
        ordered = summary.orderBy(f.desc("failures"), "class", "category", "outcome")
        ordered.coalesce(1).write.csv(f"{args.out}/summary", header=True)
        ordered.show(20, truncate=False)
        tasks = rows.select("task").distinct().count()
        print(f"{len(files)} files, {len(sessions)} sessions, {rows.count()} rows, {tasks} tasks")
    finally:
        spark.stop()


if __name__ == "__main__":
    main()
