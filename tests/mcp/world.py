"""A scratch home with one project, whose test runs `failwise` took in from JUnit files."""

import json
import os
import pathlib
import subprocess
import tempfile

FAILED = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites><testsuite name="shop" tests="6" failures="4" skipped="1" timestamp="2026-09-22T14:13:20Z">
  <testcase classname="shop" name="health-check" time="0.1">
    <failure message="connect ECONNREFUSED 127.0.0.1:3000">connect ECONNREFUSED 127.0.0.1:3000
    at TCPConnectWrap.afterConnect (node:net:1611:16)</failure></testcase>
  <testcase classname="shop" name="api-test" time="0.1"><failure message="unexpected error a1b2c3d4e5f6"/></testcase>
  <testcase classname="shop" name="sums" time="0.1"><failure message="expected 5 to equal 6 at src/sums.js:404:12"/></testcase>
  <testcase classname="shop" name="memory" time="0.1">
    <failure message="the service went away"/>
    <system-out>container api: OOMKilled</system-out></testcase>
  <testcase classname="shop" name="passes" time="0.1"/>
  <testcase classname="shop" name="waits"><skipped/></testcase>
</testsuite></testsuites>
"""
PASSED = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites><testsuite name="shop" tests="6" failures="0" timestamp="2026-09-23T14:13:20Z">
  <testcase classname="shop" name="health-check" time="0.1"/>
  <testcase classname="shop" name="api-test" time="0.1"/>
  <testcase classname="shop" name="sums" time="0.1"><failure message="expected 5 to equal 6 at src/sums.js:404:12"/></testcase>
  <testcase classname="shop" name="memory" time="0.1"/>
  <testcase classname="shop" name="passes" time="0.1"><failure message="request timeout"/></testcase>
  <testcase classname="shop" name="arrives" time="0.1"/>
</testsuite></testsuites>
"""


class World:
    """A machine of its own: nothing of the real home is read or written."""

    def __init__(self, executables):
        self.executables = pathlib.Path(executables)
        self._folder = tempfile.TemporaryDirectory()
        self.home = pathlib.Path(self._folder.name)
        self.project = self.home / "shop"
        (self.project / ".git").mkdir(parents=True)
        self.env = {
            "HOME": str(self.home),
            "XDG_STATE_HOME": str(self.home / "state"),
            "PATH": os.environ["PATH"],
        }
        self.failed = self.take_in("failed.xml", FAILED)
        self.passed = self.take_in("passed.xml", PASSED)

    def take_in(self, name, text):
        """Imports a report, and gives the id of its run."""
        path = self.home / name
        path.write_text(text)
        said = self.failwise("tests", "import", str(path), "--commit", name[:4], "--format", "json")
        return json.loads(said)["runs"][0]["id"]

    def failwise(self, *arguments):
        program = str(self.executables / "failwise")
        done = subprocess.run([program, *arguments], cwd=self.project, env=self.env, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"failwise {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    @property
    def server(self):
        return str(self.executables / "failwise-mcp")

    @property
    def base(self):
        return self.home / "state" / "failwise" / "base.sqlite"

    def history(self):
        found = sorted(self.home.glob("state/failwise/projects/*/history.jsonl"))
        return [json.loads(line) for path in found for line in path.read_text().splitlines()]

    def asked(self, case="health-check", run=None):
        return {"projectPath": str(self.project), "runId": run or self.failed, "caseName": case}

    def close(self):
        self._folder.cleanup()
