#!/usr/bin/env python3
"""What the answers of the model in transcripts cost, by model: a count of its own, against which the one of `failwise replay`
is held. It knows nothing of Failwise but the table of prices.

    tests/commands/money.py rules/prices.md FOLDER

prints one JSON object: for each model its turns, its tokens by kind, whether a price is known, and nano-dollars. An answer,
known by its id, counts once, with the largest of each of the numbers that its lines tell.
"""
import gzip
import json
import pathlib
import sys

KINDS = ("input", "output", "cache_read", "cache_write", "cache_write_1h")


def table(page):
    """Of each model its rows: from which day, over what prompt, and the prices by kind in nano-dollars a token."""
    rows = {}
    for line in pathlib.Path(page).read_text(encoding="utf-8").splitlines():
        if not line.startswith("| `"):
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        price = {}
        for kind, cell in zip(("input", "output", "cache_write", "cache_write_1h", "cache_read"), cells[3:8]):
            dollars, _, rest = cell.partition(".")
            price[kind] = int(dollars + rest.ljust(3, "0"))
        day = "" if cells[1] == "-" else cells[1]
        over = 0 if cells[2] == "-" else int(cells[2].replace(",", ""))
        rows.setdefault(cells[0].strip("`"), []).append((day, over, price))
    return rows


def rows_of(model, prices):
    """The rows of a model, which may have the date of its version in its name."""
    name, fast = (model[: -len(" fast")], " fast") if model.endswith(" fast") else (model, "")
    head, _, date = name.rpartition("-")
    undated = head if len(date) == 8 and date.isdigit() else name
    return prices.get(model) or prices.get(undated + fast)


def cost(answer, rows):
    """Nano-dollars. The latest row that has begun decides, and of its day the one for the longest prompt that fits."""
    day = max(row[0] for row in rows if row[0] <= answer["day"])
    prompt = answer["input"] + answer["cache_read"] + answer["cache_write"]
    fitting = [row for row in rows if row[0] == day and (row[1] == 0 or prompt > row[1])]
    price = max(fitting, key=lambda row: row[1])[2]
    kinds = {**answer, "cache_write": answer["cache_write"] - answer["cache_write_1h"]}
    return sum(kinds[kind] * price[kind] for kind in KINDS)


def messages(folder):
    """Every answer of the model that a line tells, with the line's time."""
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if not path.is_file() or not (path.name.endswith(".jsonl") or path.name.endswith(".jsonl.gz")):
            continue
        reader = gzip.open if path.name.endswith(".gz") else open
        with reader(path, "rt", encoding="utf-8", errors="replace") as lines:
            for text in lines:
                if '"usage"' not in text:
                    continue
                try:
                    line = json.loads(text)
                except ValueError:
                    continue
                if line.get("type") == "progress":
                    line = {"timestamp": line.get("timestamp"), **((line.get("data") or {}).get("message") or {})}
                message = line.get("message")
                if line.get("type") == "assistant" and isinstance(message, dict) and not line.get("isApiErrorMessage"):
                    yield line.get("timestamp") or "9999", message


def main():
    prices = table(sys.argv[1])
    answers = {}
    for time, message in messages(sys.argv[2]):
        usage, model = message.get("usage") or {}, message.get("model") or "unknown"
        if not message.get("id") or model == "<synthetic>":
            continue
        written = usage.get("cache_creation_input_tokens") or 0
        told = {
            "input": usage.get("input_tokens") or 0,
            "output": usage.get("output_tokens") or 0,
            "cache_read": usage.get("cache_read_input_tokens") or 0,
            "cache_write": written,
            "cache_write_1h": min((usage.get("cache_creation") or {}).get("ephemeral_1h_input_tokens") or 0, written),
        }
        model += " fast" if usage.get("speed") == "fast" else ""
        answer = answers.setdefault(message["id"], {"model": model, "day": time[:10], **dict.fromkeys(KINDS, 0)})
        for kind in KINDS:
            answer[kind] = max(answer[kind], told[kind])
    models = {}
    for answer in answers.values():
        rows = rows_of(answer["model"], prices)
        start = {"turns": 0, **dict.fromkeys(KINDS, 0), "priced": rows is not None, "nano_dollars": 0}
        model = models.setdefault(answer["model"], start)
        model["turns"] += 1
        for kind in KINDS:
            model[kind] += answer[kind]
        model["nano_dollars"] += cost(answer, rows) if rows else 0
    json.dump(models, sys.stdout, indent=1, sort_keys=True)
    print()


if __name__ == "__main__":
    main()
