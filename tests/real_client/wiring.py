"""What a hook costs a turn of the true client, by which events start it. Started by wiring.sh; prints Markdown tables."""

import collections
import json
import pathlib
import re
import resource
import shutil
import statistics
import sys
import tempfile

from client import Home, SetupError, give_to_user, option_parser
from scripted_model import MAIN, ScriptedModel
from situation import FIRST_ANSWER_AFTER_MS, LOADS_HOOKS_FIRST

CLONE = pathlib.Path(__file__).parent.parent.parent
BEFORE, USE, FAILURE, BATCH = "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch"
# What starts the hook: the form of the command, and a matcher or more of the handler for each event.
WIRINGS = {
    "no hook": {},
    "call + batch": {USE: {}, FAILURE: {}, BATCH: {}},
    "call": {USE: {}, FAILURE: {}},
    "batch": {BATCH: {}},
    "failure + batch": {FAILURE: {}, BATCH: {}},
    "call but reads + batch": {USE: {"matcher": "^(?!Read$)"}, FAILURE: {}, BATCH: {}},
    "guard + call but reads + batch": {
        BEFORE: {"matcher": "Bash"}, USE: {"matcher": "^(?!Read$)"}, FAILURE: {}, BATCH: {},
    },
    "call later + batch": {USE: {"async": True}, FAILURE: {}, BATCH: {}},
    "call + batch in a shell": {USE: {"args": None}, FAILURE: {"args": None}, BATCH: {"args": None}},
}
# The turns that are measured: how many calls at once, of which tool, and whether they fail.
SHAPES = {
    "1 Bash": (1, "Bash", False),
    "1 Bash fails": (1, "Bash", True),
    "3 Bash": (3, "Bash", False),
    "3 Bash fail": (3, "Bash", True),
    "8 Bash": (8, "Bash", False),
    "8 Bash fail": (8, "Bash", True),
    "1 Read": (1, "Read", False),
    "8 Read": (8, "Read", False),
}
PROCESSOR = "processor's, all turns"
# The client compiles and caches during its first turns.
WARM_UP = 4
STARTED = re.compile(r"^\d+ +(\d+\.\d+) execve\(.*= 0$")
STRACE = ["strace", "-f", "-qq", "-ttt", "-s", "300", "-e", "trace=execve", "-e", "signal=none"]


def main():
    options = arguments()
    chosen = {name: WIRINGS[name] for name in options.wirings.split(",")} if options.wirings else WIRINGS
    folder = options.keep or pathlib.Path(tempfile.mkdtemp(prefix="failwise-wiring."))
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    try:
        if options.what != "milliseconds":
            count(chosen, folder, options)
        if options.what != "processes":
            time_all(chosen, folder, options)
    finally:
        if not options.keep:
            shutil.rmtree(folder)


def arguments():
    parser = option_parser("wiring.sh")
    parser.add_argument("--wirings", default="")
    parser.add_argument("--what", choices=["processes", "milliseconds", "both"], default="both")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--turns", type=int, default=5, help="turns of each shape in a session")
    parser.add_argument("--keep", type=pathlib.Path)
    return parser.parse_args()


# --- processes --------------------------------------------------------------------------------------------


def count(wirings, folder, options):
    """The executables that start because of a turn's hooks: the hook itself, and a shell around it."""
    if not shutil.which("strace"):
        print("strace is not installed: no process was counted", file=sys.stderr)
        return
    rows = {}
    for name, events in wirings.items():
        trace = pathlib.Path(tempfile.mkdtemp(dir=folder)) / "execve"
        give_to_user(trace.parent)
        turns = play(folder, name, events, options, 1, [*STRACE, "-o", str(trace)])
        started = [float(m[1]) for m in map(STARTED.match, of_hooks(trace)) if m]
        rows[name] = {shape: sum(a <= t < b for t in started) for shape, (a, b) in turns}
    show("Processes of hooks a turn", rows, lambda value: str(value))


def of_hooks(trace):
    """The lines of a trace that start the hook, or a shell with it. One that another process cut in two is joined."""
    open_lines = {}
    for line in trace.read_text(errors="replace").splitlines():
        pid, _, rest = line.partition(" ")
        if "<unfinished ...>" in rest:
            open_lines[pid] = line.split(" <unfinished")[0]
        elif "resumed>" in rest:
            line = open_lines.pop(pid, "") + rest.split("resumed>")[1]
        if "failwise-hook" in line:
            yield line


# --- milliseconds -----------------------------------------------------------------------------------------


def time_all(wirings, folder, options):
    """The time from the model's answer to the client's next request; each round begins with another wiring.

    Of the processor's time only the whole session's is known, so its turns share it, the client's start included.
    """
    steps = {name: collections.defaultdict(list) for name in wirings}
    for number in range(options.rounds):
        names = list(wirings)
        for name in names[number % len(names) :] + names[: number % len(names)]:
            before = processor_s()
            turns = play(folder, name, wirings[name], options, options.turns)
            steps[name][PROCESSOR].append((processor_s() - before) * 1000 / (len(turns) + WARM_UP))
            for shape, (a, b) in turns:
                steps[name][shape].append((b - a) * 1000)
    show(
        f"Milliseconds a turn, median of {options.rounds * options.turns} turns",
        {name: {shape: statistics.median(values) for shape, values in of.items()} for name, of in steps.items()},
        lambda value: f"{value:.1f}",
    )


def processor_s():
    """What all ended children and theirs have used of the processor: the client, its hooks and commands."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


# --- sessions ---------------------------------------------------------------------------------------------


def play(folder, name, events, options, times, before=()):
    """Plays a session of every shape; gives each turn's shape with when it was answered and when the next was asked."""
    shapes = [*["1 Bash"] * WARM_UP, *list(SHAPES) * times]
    model = ScriptedModel({MAIN: {"turns": []}})
    place = pathlib.Path(tempfile.mkdtemp(dir=folder))
    place.chmod(0o755)
    try:
        home = Home(place, options.executable, options.client, model.url)
        plugin = plugin_of(place / "plugin", events, options.prebuilt)
        (home.project / "notes.txt").write_text("alpha\n")
        turns = [{"calls": list(calls(number, *SHAPES[shape], home.project))} for number, shape in enumerate(shapes)]
        if not home.is_at_least(LOADS_HOOKS_FIRST):
            turns[0]["after_ms"] = FIRST_ANSWER_AFTER_MS
        model.script({MAIN: {"turns": [*turns, {"say": "Done."}]}})
        give_to_user(place)
        arguments = ["--allowedTools", "Bash,Read", "--plugin-dir", str(plugin)]
        session = home.session(f"Measure {name}.", arguments, before=before)
    finally:
        model.stop()
    main = [request for request in model.requests if request["lane"] == MAIN]
    if session.status != 0 or len(main) != len(shapes) + 1:
        raise SetupError(f"{name}: {len(main)} requests, status {session.status}: {session.stderr}")
    spans = [(a["answered"], b["asked"]) for a, b in zip(main, main[1:])]
    if not options.keep:
        shutil.rmtree(place)
    return list(zip(shapes, spans))[WARM_UP:]


def plugin_of(folder, events, prebuilt):
    (folder / ".claude-plugin").mkdir(parents=True)
    (folder / "hooks").mkdir()
    (folder / "bin").mkdir()
    shutil.copy(prebuilt / "failwise-hook", folder / "bin")
    manifest = {"name": "failwise", "version": "0.0.1", "description": "Measured", "hooks": "./hooks/newer.json"}
    (folder / ".claude-plugin/plugin.json").write_text(json.dumps(manifest))
    hooks = {event: [entry(more)] for event, more in events.items()}
    # As in the plugin itself: the oldest clients reject a file that names the batch.
    batch = {BATCH: hooks.pop(BATCH)} if BATCH in hooks else {}
    (folder / "hooks/hooks.json").write_text(json.dumps({"hooks": hooks}))
    (folder / "hooks/newer.json").write_text(json.dumps({"hooks": batch}))
    return folder


def entry(more):
    handler = {"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/bin/failwise-hook", "args": [], "timeout": 5, **more}
    matcher = handler.pop("matcher", None)
    handler = {key: value for key, value in handler.items() if value is not None}
    return {"hooks": [handler]} if matcher is None else {"matcher": matcher, "hooks": [handler]}


def calls(turn, count, tool, fails, project):
    """Calls that only read, so that the client makes them at once. No two failures are the same one."""
    for number in range(count):
        if tool == "Read":
            given = {"file_path": str(project / "notes.txt")}
        else:
            given = {"command": f"ls absent-{turn}-{number}" if fails else "ls"}
        yield {"id": f"t{turn}n{number}", "tool": tool, "input": given}


def show(title, rows, form):
    columns = list(next(iter(rows.values())))
    columns.sort(key=[*SHAPES, PROCESSOR].index)
    print(f"\n| {title} | " + " | ".join(columns) + " |")
    print("| --- |" + " ---: |" * len(columns))
    for name, values in rows.items():
        print(f"| {name} | " + " | ".join(form(values[column]) for column in columns) + " |", flush=True)


if __name__ == "__main__":
    try:
        main()
    except SetupError as error:
        sys.exit(f"wiring.py: {error}")
