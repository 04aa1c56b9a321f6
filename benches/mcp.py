"""What the server costs: its first answer, diagnoses on a base of a million patterns and a million cases, its memory.

    python3 -B benches/mcp.py [--executables DIR] [--patterns N] [--cases N] [--calls N]

DIR holds `failwise` and `failwise-mcp` (default: bin). Times are of whole questions, as a client sees them on its pipe."""

import argparse
import json
import os
import pathlib
import random
import sqlite3
import subprocess
import tempfile
import time

REPORT = '<testsuite name="shop"><testcase classname="shop" name="seed"><failure message="odd"/></testcase></testsuite>'
CASES_OF_A_RUN = 1000
WORDS = ["connect ECONNREFUSED 10.0.0.{0}:5432", "request timeout after {0}00 ms", "expected {0} to equal 7", "odd thing {0}"]


def main():
    options = arguments()
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        project = home / "shop"
        (project / ".git").mkdir(parents=True)
        env = {"HOME": folder, "XDG_STATE_HOME": str(home / "state"), "PATH": os.environ["PATH"]}
        (home / "seed.xml").write_text(REPORT)
        importing = [str(options.executables / "failwise"), "tests", "import", str(home / "seed.xml")]
        subprocess.run(importing, cwd=project, env=env, check=True, stdout=subprocess.DEVNULL)
        base = home / "state" / "failwise" / "base.sqlite"
        fill(base, options.patterns, options.cases)
        print(f"base: {options.patterns} patterns, {options.cases} cases, {base.stat().st_size / 1e6:.0f} MB")
        measure(options, env, project)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--executables", type=pathlib.Path, default=pathlib.Path("bin"))
    parser.add_argument("--patterns", type=int, default=1_000_000)
    parser.add_argument("--cases", type=int, default=1_000_000)
    parser.add_argument("--calls", type=int, default=300)
    options = parser.parse_args()
    options.executables = options.executables.resolve()
    return options


def fill(base, patterns, cases):
    """Fills the tables as so many runs and diagnoses would have."""
    database = sqlite3.connect(base)
    project, body = database.execute("SELECT project, body FROM test_run").fetchone()
    chance = random.Random(7)
    body = json.loads(body)
    now = 1_790_000_000_000
    runs = max(1, cases // CASES_OF_A_RUN)
    names = range(10, 10 + CASES_OF_A_RUN)
    database.executemany(
        "INSERT INTO test_name VALUES (?, ?, ?, 'shop')", ((number, project, f"case {number}") for number in names)
    )
    for run in range(runs):
        ident = f"run-{run}"
        text = json.dumps({**body, "id": ident})
        number = 10 + run
        database.execute(
            "INSERT INTO test_run (number, project, id, at, status, body) VALUES (?, ?, ?, ?, 'failed', ?)",
            (number, project, ident, now + run, text),
        )
        database.executemany(
            "INSERT INTO test_case VALUES (?, ?, 'failed', 5, 1, 1, ?, NULL)",
            ((number, name, chance.choice(WORDS).format(chance.randrange(99))) for name in names),
        )
    categories = ["UNKNOWN", "TIMEOUT", "CONNECTION_REFUSED", "ASSERTION_MISMATCH"]
    database.executemany(
        "INSERT INTO case_pattern VALUES (?, ?, ?, ?, ?, 2, 1, ?, ?)",
        (
            (project, f"{chance.getrandbits(256):064x}", categories[number % 4], f"{categories[number % 4]}::case::line {number}",
             1 + number % 50, now, now + number)
            for number in range(patterns)
        ),
    )  # fmt: skip
    database.commit()
    database.close()


class Server:
    def __init__(self, options, env, project):
        program = str(options.executables / "failwise-mcp")
        self.process = subprocess.Popen([program], cwd=project, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0

    def ask(self, method, params):
        self.number += 1
        request = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def begin(self):
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self.ask("initialize", about)
        self.process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def diagnose(self, project, run, case):
        arguments = {"projectPath": str(project), "runId": f"run-{run}", "caseName": f"case {case}"}
        answer = self.ask("tools/call", {"name": "argus_diagnose", "arguments": arguments})
        envelope = answer["result"]["structuredContent"]
        assert envelope["success"], envelope

    def resident(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) / 1024

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def measure(options, env, project):
    firsts = []
    for number in range(5):
        started = time.perf_counter()
        server = Server(options, env, project)
        server.begin()
        handshake = time.perf_counter() - started
        server.diagnose(project, number, 10)
        firsts.append((handshake * 1e3, (time.perf_counter() - started) * 1e3))
        server.end()
    print("first answer / first diagnosis, ms: " + ", ".join(f"{a:.1f}/{b:.1f}" for a, b in firsts))
    server = Server(options, env, project)
    server.begin()
    chance = random.Random(11)
    runs = max(1, options.cases // CASES_OF_A_RUN)
    times = []
    for _ in range(options.calls):
        run, case = chance.randrange(runs), chance.randrange(10, 10 + CASES_OF_A_RUN)
        started = time.perf_counter()
        server.diagnose(project, run, case)
        times.append((time.perf_counter() - started) * 1e3)
    resident = server.resident()
    server.end()
    times.sort()
    at = lambda share: times[min(len(times) - 1, int(len(times) * share))]  # noqa: E731
    print(f"{len(times)} diagnoses, ms: p50 {at(0.5):.2f}, p90 {at(0.9):.2f}, p99 {at(0.99):.2f}, most {times[-1]:.2f}")
    print(f"resident at most: {resident:.1f} MB")


if __name__ == "__main__":
    main()
