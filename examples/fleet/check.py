"""The seven tables, computed from the rows one by one and without SQL: what each engine has to give."""
import json
from collections import defaultdict
from pathlib import Path


def table(rows, key, order, most=None):
    """Groups rows, and sorts the groups: `order` gives a group's place from its key and rows, and its columns."""
    groups = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    ordered = sorted((order(name, group) for name, group in groups.items()), key=lambda it: it[0])
    return [columns for _, columns in ordered if columns][:most]


def tables(folder):
    get, word = (lambda name: lambda row: row.get(name)), lambda *names: lambda row: tuple(row.get(name) or "" for name in names)
    least = lambda rows, name: min((row[name] for row in rows if row.get(name)), default=None)
    people = lambda rows: len({row.get("failwise.person") or row["host.id"] for row in rows})
    last = {}
    for row in map(json.loads, open(Path(folder) / "records.jsonl")):
        names = {"failwise.verdict": ["log.record.uid"], "failwise.episode": ["session.id", "failwise.episode"]}
        key = (row["event"], *map(row.get, names.get(row["event"], ["session.id"])))
        last[key] = max(last.get(key, row), row, key=get("at"))
    of = lambda event: [row for row in last.values() if row["event"] == event]
    verdicts, sessions = of("failwise.verdict"), of("failwise.session")
    episodes = {(row["session.id"], row["failwise.episode"]): row for row in of("failwise.episode")}
    cost, calls, took = defaultdict(float), defaultdict(int), {}
    for row in map(json.loads, open(Path(folder) / "client.jsonl")):
        prompt = row["session.id"], row["prompt.id"]
        cost[prompt] += row.get("cost_usd", 0)
        if row["event"] == "claude_code.tool_result":
            calls[prompt] += 1
            took[row["session.id"], row["tool_use_id"]] = row["duration_ms"], prompt
    known = lambda row: took.get((row["session.id"], row["tool_use_id"]), (0, None))
    money = lambda rows: round(sum(cost[p] / calls[p] for p in (known(row)[1] for row in rows) if p), 2)
    signed, failed = [row for row in verdicts if "error.type" in row], [row for row in verdicts if row["failwise.outcome"] != "denied"]
    fine, called, where = "failwise.signature.fine", "failwise.program", "vcs.repository.name"
    rule = lambda row: f"{row['gen_ai.tool.name']}({row[called]}:*)" if row.get(called) else row["gen_ai.tool.name"]
    helped = lambda row, end: end["failwise.ended"] in ("passed", "replaced") and end["failwise.attempts"] == row["failwise.attempt"]
    kind = lambda rows: [least(rows, "error.type"), least(rows, called), len(rows), people(rows)]
    return {
        "costliest": table(signed, get(fine), lambda name, it: ((-money(it), name), [
            name, *kind(it), round(sum(known(row)[0] for row in it) / 3_600_000, 3), money(it)]), 20),
        "new": table(signed, get(fine), lambda name, it: (
            (-len(it), name), least(it, "at") >= "2026-03-02T12" and [name, *kind(it)]), 50),
        "where": table(failed, word(where, called, "failwise.client.version"), lambda name, it: (
            (-len(it), name), [*name, len(it), people(it)]), 50),
        "changed": table(sessions, word(where, "failwise.instructions"), lambda name, it: ((name[0], least(it, "at"), name[1]), [
            *name, least(it, "at")[:19].replace("T", " "), len(it), sum(map(get("failwise.calls"), it)), round(
                100 * sum(row["failwise.failed"] + row["failwise.masked"] for row in it) / sum(map(get("failwise.calls"), it)), 2)])),
        "loops": table([row for row in signed if row["failwise.unchanged_retries"]], word(where, fine), lambda name, it: ((-len(it), name), [
            *name, least(it, called), len(it), max(map(get("failwise.unchanged_retries"), it)), len(set(map(get("session.id"), it)))]), 20),
        "refused": table([row for row in verdicts if row["failwise.outcome"] == "denied"], lambda row: (row[where], rule(row)), lambda name, it: (
            (-len(it), name), [*name, len(it), people(it)]), 50),
        "advice": table([row for row in verdicts if row["failwise.told"]], get("error.type"), lambda name, it: ((-len(it), name), [
            name, len(it), sum(helped(row, episodes[row["session.id"], row["failwise.episode"]]) for row in it)])),
    }
