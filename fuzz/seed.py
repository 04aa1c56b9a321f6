#!/usr/bin/env python3
"""Copies the golden cases of the tests into the corpus of the fuzz targets, as seeds that are not kept in the repository."""

import json
import pathlib
import re

FUZZ = pathlib.Path(__file__).resolve().parent
ROOT = FUZZ.parent


def plant(target, name, text):
    folder = FUZZ / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    data = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
    (folder / f"golden-{name}").write_bytes(data)


def calls(payload):
    """Command and output of every call in a payload."""
    for call in payload.get("tool_calls", [payload]):
        given = call.get("tool_input") or {}
        told = call.get("error") or call.get("tool_response") or ""
        if isinstance(told, dict):
            told = told.get("stdout", "")
        if isinstance(given, dict) and isinstance(told, str):
            yield str(given.get("command", "")), told


def plant_payload(name, payload):
    text = payload if isinstance(payload, str) else json.dumps(payload)
    plant("payload", name, text)
    try:
        parsed = json.loads(text)
    except ValueError:
        return
    for number, (command, output) in enumerate(calls(parsed) if isinstance(parsed, dict) else []):
        plant("shell", f"{name}-{number}", command)
        plant("readings", f"{name}-{number}", b"\0" + f"{command}\n{output}".encode("utf-8", "replace"))
        plant("normalise", f"{name}-{number}", output)
        plant("redact", f"{name}-{number}", output)


def main():
    golden = ROOT / "tests" / "golden"
    for path in sorted((golden / "host").glob("*.json")):
        case = json.loads(path.read_text())
        if "payload" in case:
            plant_payload(path.stem, case["payload"])
    for path in sorted((golden / "sessions").glob("*.json")):
        case = json.loads(path.read_text())
        for number, step in enumerate(case["steps"]):
            if step.get("stdin"):
                plant_payload(f"{path.stem}-{number}", step["stdin"])
        for name, text in case.get("files", {}).items():
            if name.endswith(".md"):
                plant("front_matter", f"{path.stem}-{name.replace('/', '_')}", text)
    for path in sorted((ROOT / "rules" / "readings").glob("*.md")):
        for number, block in enumerate(re.findall(r"```json\n(.*?)```", path.read_text(), re.S)):
            for row in rows(block):
                plant("readings", f"{path.stem}-{number}", b"\0" + f"{row.get('command', '')}\n{row.get('text', '')}".encode())
    for path in sorted((ROOT / "tests" / "golden" / "diagnose").glob("*.jsonl")):
        for number, line in enumerate(path.read_text().splitlines()):
            case = json.loads(line)
            trace = case.get("trace") or case["input"]
            plant("diagnose", f"{path.stem}-{number}", trace if isinstance(trace, str) else json.dumps(trace))
    for path in sorted((ROOT / "tests" / "junit").glob("*.xml")):
        plant("junit", path.stem, path.read_text())
    for path in sorted((ROOT / "examples").glob("*.jsonl")):
        plant("transcript", path.stem, path.read_text())


def rows(block):
    try:
        value = json.loads(block)
    except ValueError:
        return []
    return value if isinstance(value, list) else [value]


if __name__ == "__main__":
    main()
