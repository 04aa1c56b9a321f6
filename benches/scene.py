#!/usr/bin/env python3
"""What the benchmarks run on: the payloads of the cases, and a session in a project that has gone on for a while.

usage: scene.py DIR HOOK [HISTORY_BYTES [LESSONS [unmet]]]

Makes DIR anew, with a project, a home folder and a history of 22 calls that the hook HOOK has recorded, the last of them
a failure that is still being worked on. HISTORY_BYTES: foreign lines that stand before those calls in the history.
LESSONS: how many the project's recall file holds; one of them is about that failure, but with `unmet`.
Writes one payload a case to DIR/<case>.json and the environment of every run to DIR/env.
"""
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
PAYLOADS = HERE / "payloads"
# The payloads speak of this project; the scene puts its own in the place.
PROJECT = "/home/dev/shop"


CASES = ("before", "success", "failure", "masked", "unknown", "large")


def main():
    size, lessons = (int(number) for number in (sys.argv[3:] + [0, 0])[:2])
    root, hook = (pathlib.Path(path).absolute() for path in sys.argv[1:3])
    make(root, hook, size, lessons, is_met=sys.argv[5:] != ["unmet"])


def make(root, hook, size=0, lessons=0, is_met=True):
    shutil.rmtree(root, ignore_errors=True)
    for folder in ("project/.git", "home"):
        (root / folder).mkdir(parents=True)
    env = environment(root)
    (root / "env").write_text("".join(f"{name}={value}\n" for name, value in env.items()))
    for case, payload in {**cases(root), "codex": codex(root)}.items():
        (root / f"{case}.json").write_text(payload)
    calls = session(root)
    run(hook, env, calls[0])
    if size:
        fill(next((root / "home").rglob("history.jsonl")), size)
    for call in calls[1:]:
        run(hook, env, call)
    if lessons:
        teach(next((root / "home").rglob("history.jsonl")), lessons, is_met)


def environment(root):
    return {"HOME": str(root / "home"), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}


def cases(root):
    """The cases; the one before a call is the successful one, not run yet, and the large one is the typical one with a long build log before its errors."""
    read = {case: text_of(PAYLOADS / f"{case}.json", root) for case in CASES if case not in ("before", "large")}
    before = json.loads(read["success"])
    before["hook_event_name"] = "PreToolUse"
    del before["tool_response"]
    large = json.loads(read["failure"])
    large["tool_use_id"] = "toolu_large"
    first, rest = large["error"].split("\n", 1)
    large["error"] = "\n".join([first, build_log(64 * 1024 - len(rest)), rest])
    return {**read, "before": json.dumps(before), "large": json.dumps(large)}


def codex(root):
    """The successful call as Codex tells of it: no status in the payload, which stands near the end of a rollout of 4 MB."""
    success = json.loads(text_of(PAYLOADS / "success.json", root))
    command, text = success["tool_input"]["command"], success["tool_response"]["stdout"]
    rollout = root / "home/.codex/sessions/2026/01/05/rollout-2026-01-05T10-00-00-01a2.jsonl"
    item = {"type": "CommandExecution", "id": "call_codex", "command": ["bash", "-lc", command], "cwd": success["cwd"],
            "status": "completed", "exit_code": 0, "aggregated_output": text, "duration": {"secs": 0, "nanos": 14_000_000}}
    lines = [{"type": "response_item", "payload": {"type": "reasoning", "summary": "Look around. " * 60}}] * 4096
    lines.append({"type": "event_msg", "payload": {"type": "item_completed", "turn_id": "01a3", "item": item}})
    rollout.parent.mkdir(parents=True)
    stamp = {"timestamp": "2026-01-05T10:00:00.000Z"}
    rollout.write_text("".join(json.dumps({**stamp, **line}) + "\n" for line in lines))
    kept = ("session_id", "cwd", "permission_mode", "hook_event_name", "tool_name")
    return json.dumps({**{key: success[key] for key in kept}, "turn_id": "01a3", "model": "example", "tool_use_id": "call_codex",
                       "transcript_path": str(rollout), "tool_input": {"command": command}, "tool_response": text})


def text_of(path, root):
    return path.read_text().replace(PROJECT, str(root / "project"))


def build_log(length):
    lines, size, step = [], 0, 0
    while size < length:
        step += 1
        line = f"   Compiling part-{step} v0.{step % 40}.{step % 7} ({PROJECT}/crates/part-{step})"
        if step % 9 == 0:
            line = (
                f"warning: unused variable: `total_{step}`\n --> crates/part-{step}/src/lib.rs:{step}:9\n  |\n"
                f"{step} |     let total_{step} = prices.iter().sum::<u64>();\n"
                "  |         ^^^^^ help: if this is intentional, prefix it with an underscore\n"
            )
        lines.append(line)
        size += len(line) + 1
    return "\n".join(lines)


def session(root):
    """22 calls: looking around, edits, builds, one old failure that was mended, and the typical one, still open."""
    calls = []
    for step in range(5):
        calls.append(shell(f"rg -n total crates/part-{step}", f"crates/part-{step}/src/lib.rs:{step}: total\n"))
        calls.append(tool("Read", {"file_path": f"{PROJECT}/crates/part-{step}/src/lib.rs"}, {"type": "text"}))
        calls.append(tool("Edit", {"file_path": f"{PROJECT}/crates/part-{step}/src/lib.rs"}, {"filePath": "lib.rs"}))
    lint = "cargo clippy --all-targets"
    calls.append(failure(lint, "Exit code 101\nerror: unused import: `std::fmt`\n --> src/main.rs:3:5\n"))
    calls.append(shell(lint, "    Finished `dev` profile [unoptimized + debuginfo] target(s) in 0.52s\n"))
    calls.append(shell("git status --short", " M crates/part-1/src/lib.rs\n"))
    calls.append(shell("git diff --stat", " crates/part-1/src/lib.rs | 2 +-\n"))
    calls.append(tool("Grep", {"pattern": "fn total"}, {"mode": "content"}))
    calls.append(json.loads((PAYLOADS / "failure.json").read_text()))
    calls.append(tool("Edit", {"file_path": f"{PROJECT}/crates/part-1/src/lib.rs"}, {"filePath": "lib.rs"}))
    assert len(calls) == 22
    return [json.dumps(dict(call, tool_use_id=f"toolu_{n}")).replace(PROJECT, str(root / "project"))
            for n, call in enumerate(calls)]


def call(event, name, given, **ended):
    like = json.loads((PAYLOADS / "success.json").read_text())
    ids = {key: like[key] for key in ("session_id", "transcript_path", "cwd", "permission_mode")}
    return {**ids, "hook_event_name": event, "tool_name": name, "tool_input": given, **ended}


def tool(name, given, response):
    return call("PostToolUse", name, given, tool_response=response)


def shell(command, stdout):
    response = {"stdout": stdout, "stderr": "", "interrupted": False, "isImage": False}
    return tool("Bash", {"command": command}, response)


def failure(command, error):
    return call("PostToolUseFailure", "Bash", {"command": command}, error=error, is_interrupt=False)


def fill(history, size):
    """Lines of other nodes, until the history has the size."""
    line = json.dumps({
        "v": 1, "id": "0" * 16, "ts": "2026-01-05T10:00:00.000Z", "event": "execution_completed",
        "node": "session/another", "session": "another", "tool": "Bash", "tool_use_id": "toolu_0", "outcome": "succeeded",
        "operation": "cargo check", "input": "cargo check",
        "reading": {"result": "unstated", "category": "unknown", "proof": "status"}, "effect": "shell",
    }) + "\n"
    block = (line * 4096).encode()
    with history.open("ab") as file:
        while file.tell() < size:
            file.write(block[: max(1, (size - file.tell()) // len(line)) * len(line)])


def teach(history, count, is_met):
    """A recall file of so many lessons beside a history, where `is_met` with one about its last failure. All have the same text."""
    failures = (json.loads(line) for line in history.open() if '"execution_failed"' in line)
    last = [failure["signature"] for failure in failures][-1]
    some = random.Random(7)
    met = int(last["fine"], 16) if is_met else some.getrandbits(64)
    keys = sorted({met} | {some.getrandbits(64) for _ in range(count - 1)})
    words = b"met before. Here `cargo clean -p shop` before it worked (3 of 4, last {ago})."
    text = b"0123abcd" + struct.pack("<QBBH", 1_772_179_200_000, 0, 1, 2) + struct.pack("<Q", 1) + b"\1\1" + words
    at, total = 64 + 32 * len(keys), checksum(text)
    head = struct.pack("<8sII5Q", b"failwise", form_version(), last["version"], len(keys), 0, at + len(text),
                       checksum(history.parent.name.encode()), 0)
    with (history.parent / "recall.bin").open("wb") as file:
        file.write(head + struct.pack("<Q", checksum(head)))
        file.writelines(struct.pack("<4Q", key, at, len(text), total ^ key) for key in keys)
        file.write(text)


def form_version():
    """The version of the form that the hook reads."""
    form = HERE.parent / "core" / "src" / "recall" / "form.rs"
    return int(re.search(r"^const VERSION: u32 = (\d+);$", form.read_text(), re.MULTILINE)[1])


def checksum(data):
    """The checksum of `core/src/digest.rs`."""
    total = len(data)
    for (word,) in struct.iter_unpack("<Q", data + b"\0" * (-len(data) % 8)):
        total = ((total ^ word) * 0x9E3779B97F4A7C15) & (2**64 - 1)
        total ^= total >> 29
    return total


def run(hook, env, payload):
    ended = subprocess.run([hook], input=payload.encode(), env=env, capture_output=True, check=True)
    assert not ended.stderr, ended.stderr


if __name__ == "__main__":
    main()
