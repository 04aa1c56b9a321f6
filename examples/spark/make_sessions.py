#!/usr/bin/env python3
"""Makes transcripts out of examples/session.jsonl, each with ids of its own.

    make_sessions.py COUNT FOLDER

Subagents get files of their own, as Claude Code writes them; every third session goes on in another file that begins with
a copy of the first.
"""

import json
import sys
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parent.parent / "session.jsonl"
SESSION = "5d0c1f8e-3a64-4b1e-9b57-2f6c90e7a114"


def renamed(number):
    """The lines of the example, with every id made another one."""
    text = EXAMPLE.read_text()
    text = text.replace(SESSION, f"{number:08x}-3a64-4b1e-9b57-2f6c90e7a114")
    text = text.replace("5d0c1f8e", f"{number:08x}").replace("Tidepool", f"Tidepool{number:06d}")
    return [json.loads(line) for line in text.splitlines()]


def write(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))


def main():
    count, folder = int(sys.argv[1]), Path(sys.argv[2])
    for number in range(count):
        lines = renamed(number)
        answers = (line["message"] for line in lines if line["type"] == "assistant")
        for place, answer in enumerate(answers):
            answer.setdefault("id", f"msg_{number:06d}{place:04d}")
        session = lines[0]["sessionId"]
        # Projects lie in folders of their own.
        project = folder / f"-home-robin-tidepool{number % 3}"
        agents = {line["agentId"] for line in lines if line.get("isSidechain")}
        main_lines = [line for line in lines if not line.get("isSidechain")]
        for agent in agents:
            own = [line for line in lines if line.get("agentId") == agent]
            write(project / session / "subagents" / f"agent-{agent}.jsonl", own)
        if number % 3 == 0:
            middle = len(main_lines) // 2
            later = f"{number:08x}-3a64-4b1e-9b57-ffffffffffff"
            write(project / f"{session}.jsonl", main_lines[:middle])
            write(project / f"{later}.jsonl", [{**line, "sessionId": later} for line in main_lines])
        else:
            write(project / f"{session}.jsonl", main_lines)


if __name__ == "__main__":
    main()
