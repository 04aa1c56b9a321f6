"""The server asked by the official Python SDK, with a handshake and without one."""

import asyncio
import json
import os
import re
import unittest

from mcp import Client
from mcp.client.stdio import StdioServerParameters
from world import World

EXECUTABLES = os.environ["FAILWISE_EXECUTABLES"]
MODES = ["auto", "legacy"]
TOOLS = {
    "argus_diagnose", "report_fix", "known_failures", "test_runs", "flaky_tests", "compare_runs", "classify_failure",
    "plan_recovery", "why_failed",
}  # fmt: skip
PATTERN = {
    "id", "category", "signature", "signaturePattern", "description", "suggestedFix", "confidence", "occurrences",
    "resolutions", "source", "firstSeenAt", "lastSeenAt",
}  # fmt: skip
FIX = {"id", "patternId", "runId", "caseName", "fixDescription", "success", "createdAt"}
DATA = {
    "category", "signature", "signaturePattern", "pattern", "suggestedFix", "confidence", "fixHistory", "isNewPattern",
}  # fmt: skip


def in_camel_case(value):
    """What a command says, with its fields named as the server names them."""
    if isinstance(value, list):
        return [in_camel_case(each) for each in value]
    if isinstance(value, dict):
        return {re.sub("_(.)", lambda found: found[1].upper(), name): in_camel_case(each) for name, each in value.items()}
    return value


class Asked:
    """A client with a server of its own; each call's envelope is checked for what all have in common."""

    def __init__(self, client):
        self.client = client

    async def envelope(self, tool, arguments):
        result = await self.client.call_tool(tool, arguments)
        envelope = result.structured_content
        assert [block.type for block in result.content] == ["text"], result.content
        assert json.loads(result.content[0].text) == envelope
        assert result.is_error is (not envelope["success"]), envelope
        assert isinstance(envelope["timestamp"], int) and envelope["timestamp"] > 1_700_000_000_000
        return envelope

    async def data(self, tool, arguments):
        envelope = await self.envelope(tool, arguments)
        assert envelope["success"] and set(envelope) == {"success", "data", "timestamp"}, envelope
        return envelope["data"]

    async def code(self, tool, arguments):
        envelope = await self.envelope(tool, arguments)
        assert set(envelope) == {"success", "error", "timestamp"}, envelope
        return envelope["error"]["code"]


class Sdk(unittest.TestCase):
    def setUp(self):
        self.world = None

    def each_mode(self, play, prepare=None, **env):
        """Plays with a world of its own in each mode."""
        for mode in MODES:
            with self.subTest(mode=mode):
                self.begin()
                if prepare:
                    prepare()
                asyncio.run(self.play(play, mode, env))

    def begin(self):
        self.world = World(EXECUTABLES)
        self.addCleanup(self.world.close)

    async def play(self, play, mode, env):
        command = StdioServerParameters(
            command=self.world.server, args=[], env={**self.world.env, **env}, cwd=str(self.world.project)
        )
        async with Client(command, mode=mode) as client:
            await play(Asked(client))

    def test_the_tools_are_listed_and_say_which_only_read(self):
        async def play(asked):
            tools = {tool.name: tool for tool in (await asked.client.list_tools()).tools}
            self.assertEqual(set(tools), TOOLS)
            reading = {name for name, tool in tools.items() if tool.annotations.read_only_hint}
            self.assertEqual(TOOLS - reading, {"argus_diagnose", "report_fix", "plan_recovery"})
            self.assertEqual(
                sorted(tools["argus_diagnose"].input_schema["required"]), ["caseName", "projectPath", "runId"]
            )
            for tool in tools.values():
                self.assertIsNone(tool.output_schema, "it would only fill the agent's context")
                self.assertFalse(tool.annotations.open_world_hint)

        self.each_mode(play)

    def test_a_known_pattern_is_answered(self):
        async def play(asked):
            data = await asked.data("argus_diagnose", self.world.asked())
            self.assertEqual(set(data), DATA)
            self.assertEqual(data["category"], "CONNECTION_REFUSED")
            self.assertEqual(len(data["signature"]), 64)
            pattern = data["signaturePattern"]
            self.assertEqual(pattern, "CONNECTION_REFUSED::health-check::connect ECONNREFUSED <IP>:<PORT>")
            self.assertEqual(set(data["pattern"]), PATTERN)
            self.assertFalse(data["isNewPattern"])
            self.assertIsNotNone(data["suggestedFix"])
            self.assertIsInstance(data["confidence"], float)

        self.each_mode(play)

    def test_an_unknown_pattern_is_made(self):
        async def play(asked):
            data = await asked.data("argus_diagnose", self.world.asked("api-test"))
            self.assertEqual(data["category"], "UNKNOWN")
            self.assertEqual(data["signaturePattern"], "UNKNOWN::api-test::unexpected error <HASH>")
            nothing = {"pattern": None, "suggestedFix": None, "confidence": None, "fixHistory": []}
            self.assertEqual({name: data[name] for name in nothing}, nothing)
            self.assertTrue(data["isNewPattern"])
            again = await asked.data("argus_diagnose", self.world.asked("api-test"))
            self.assertFalse(again["isNewPattern"])
            self.assertEqual(again["pattern"]["source"], "learned")

            self.assertEqual([event["event"] for event in self.world.history()].count("case_diagnosed"), 2)

        self.each_mode(play)

    def test_each_code_is_given(self):
        async def play(asked):
            for arguments, code in [
                (self.world.asked(run="run-xyz"), "RUN_NOT_FOUND"),
                (self.world.asked("no such case"), "CASE_NOT_FOUND"),
                (self.world.asked("passes"), "CASE_NOT_FAILED"),
                (self.world.asked("waits"), "CASE_NOT_FAILED"),
                ({**self.world.asked(), "projectPath": str(self.world.home)}, "SESSION_NOT_FOUND"),
                ({**self.world.asked(), "projectPath": "/no/such/folder"}, "SESSION_NOT_FOUND"),
            ]:
                self.assertEqual(await asked.code("argus_diagnose", arguments), code)
            envelope = await asked.envelope("argus_diagnose", self.world.asked(run="run-xyz"))
            self.assertEqual(envelope["error"]["message"], "Test run 'run-xyz' not found in history")

        self.each_mode(play)

        async def off(asked):
            self.assertEqual(await asked.code("argus_diagnose", self.world.asked()), "HISTORY_DISABLED")

        self.each_mode(off, FAILWISE="off")

        async def broken(asked):
            self.world.base.write_bytes(b"this is no base" * 1000)
            for _ in range(2):
                self.assertEqual(await asked.code("argus_diagnose", self.world.asked()), "INTERNAL_ERROR")
            # The base can be made anew beside a server, which goes on with it.
            self.world.failwise("kb", "rebuild")
            # Once it says that the base is another one.
            await asked.envelope("argus_diagnose", self.world.asked())
            data = await asked.data("argus_diagnose", self.world.asked())
            self.assertEqual(data["category"], "CONNECTION_REFUSED")

        self.each_mode(broken)

    def test_a_reported_fix_is_suggested_from_then_on(self):
        async def play(asked):
            before = await asked.data("argus_diagnose", self.world.asked("memory"))
            self.assertEqual(before["category"], "CONTAINER_OOM")
            report = {**self.world.asked("memory"), "fixDescription": "gave it 512 MB", "success": True}
            said = await asked.data("report_fix", report)
            after = await asked.data("argus_diagnose", self.world.asked("memory"))
            self.assertEqual(after["suggestedFix"], "an agent reported: gave it 512 MB")
            self.assertEqual(set(after["fixHistory"][0]), FIX)
            self.assertEqual(after["fixHistory"][0]["patternId"], after["pattern"]["id"])
            self.assertEqual(after["confidence"], said["updatedConfidence"])

        self.each_mode(play)

    def test_a_rebuilt_base_counts_the_same(self):
        async def play(asked):
            for case in ["health-check", "api-test", "api-test"]:
                await asked.data("argus_diagnose", self.world.asked(case))
            for success in [True, False, True]:
                report = {**self.world.asked("api-test"), "fixDescription": "restarted it", "success": success}
                await asked.data("report_fix", report)

        self.begin()
        asyncio.run(self.play(play, "auto", {}))

        async def known(asked):
            found = await asked.data("known_failures", {"projectPath": str(self.world.project)})
            self.known = found

        asyncio.run(self.play(known, "auto", {}))
        before = self.known
        self.world.failwise("kb", "rebuild")
        asyncio.run(self.play(known, "auto", {}))
        self.assertEqual(self.known, before)
        learned = [row for row in before["failures"] if row["source"] == "learned"]
        # The third report says what the first said of the same run, and counts once with it.
        self.assertEqual({(row["occurrences"], row["resolutions"]) for row in learned}, {(1, 0), (2, 1)})

    def test_what_fails_is_found_by_words_category_and_source(self):
        async def play(asked):
            await asked.data("argus_diagnose", self.world.asked("api-test"))
            project = {"projectPath": str(self.world.project)}
            for more, ids in [
                ({"source": "built-in", "category": "TIMEOUT"}, ["builtin-timeout"]),
                ({"source": "built-in", "query": "startperiod"}, ["builtin-conn-refused"]),
                ({"source": "learned", "category": "no such"}, []),
            ]:
                found = await asked.data("known_failures", {**project, **more})
                self.assertEqual([row["id"] for row in found["failures"]], ids)
            found = await asked.data("known_failures", {**project, "source": "learned", "limit": 1})
            self.assertEqual(len(found["failures"]), 1)

        self.each_mode(play)

    def test_runs_are_listed_and_compared(self):
        async def play(asked):
            project = {"projectPath": str(self.world.project)}
            found = await asked.data("test_runs", project)
            self.assertEqual([run["id"] for run in found["runs"]], [self.world.passed, self.world.failed])
            self.assertEqual((found["total"], found["hasMore"]), (2, False))
            self.assertEqual([day["date"] for day in found["trend"]["days"]], [])
            one = await asked.data("test_runs", {**project, "runId": self.world.failed})
            self.assertEqual(len(one["cases"]), 4)
            compared = await asked.data("compare_runs", project)
            named = {**project, "baseRunId": self.world.failed, "compareRunId": self.world.passed}
            self.assertEqual(await asked.data("compare_runs", named), compared)
            names = {
                kind: sorted(case["name"] for case in compared[kind])
                for kind in ["newFailures", "fixed", "stillFailing", "newCases", "removedCases"]
            }
            self.assertEqual(
                names,
                {
                    "newFailures": ["passes"],
                    "fixed": ["api-test", "health-check", "memory"],
                    "stillFailing": ["sums"],
                    "newCases": ["arrives"],
                    "removedCases": ["waits"],
                },
            )
            self.assertEqual(await asked.code("compare_runs", {**named, "compareRunId": "none"}), "RUN_NOT_FOUND")

        self.each_mode(play)

    def test_what_the_command_says_the_server_says(self):
        async def play(asked):
            project = {"projectPath": str(self.world.project)}
            for tool, arguments in [("test_runs", []), ("flaky_tests", ["flaky"]), ("compare_runs", ["compare"])]:
                said = json.loads(self.world.failwise("tests", *arguments, "--format", "json"))
                del said["schema_version"]
                self.assertEqual(await asked.data(tool, project), in_camel_case(said), tool)

        self.each_mode(play)

    def test_a_flaky_case_is_named(self):
        def prepare():
            for number, result in enumerate([True, False, True, False]):
                failure = "" if result else '<failure message="request timeout"/>'
                text = (
                    f'<testsuite name="shop" timestamp="2026-10-0{number + 1}T00:00:00Z">'
                    f'<testcase classname="shop" name="checkout">{failure}</testcase></testsuite>'
                )
                self.world.take_in(f"same{number}.xml", text)

        async def play(asked):
            found = await asked.data("flaky_tests", {"projectPath": str(self.world.project)})
            self.assertEqual([case["name"] for case in found["cases"]], ["checkout"])
            self.assertEqual(found["cases"][0]["evidence"], "commit")
            one = {"projectPath": str(self.world.project), "caseName": "sums"}
            self.assertEqual([case["name"] for case in (await asked.data("flaky_tests", one))["cases"]], ["sums"])

        self.each_mode(play, prepare)

    def test_a_failed_command_is_classified(self):
        async def play(asked):
            arguments = {
                "command": "cargo build",
                "output": "error[E0425]: cannot find value `x` in this scope\n --> src/lib.rs:1:1",
                "exitCode": 101,
                "cwd": str(self.world.project),
            }
            data = await asked.data("classify_failure", arguments)
            self.assertEqual(data["verdict"]["class"], "F2")
            self.assertEqual(data["verdict"]["category"], "compile_error")
            self.assertEqual(data["decision"]["class"], "F2")
            passed = {"command": "cargo build", "output": "    Finished", "exitCode": 0, "cwd": str(self.world.project)}
            data = await asked.data("classify_failure", passed)
            self.assertEqual((data["verdict"]["class"], data["decision"]), (None, None))
            self.assertEqual(await asked.code("classify_failure", {**passed, "cwd": "src"}), "INVALID_ARGUMENTS")

        self.each_mode(play)
        self.assertFalse([event for event in self.world.history() if event["event"].startswith("execution")])

    def test_a_recovery_is_planned_and_recorded_where_asked(self):
        async def play(asked):
            (self.world.project / "package.json").write_text('{"scripts": {"test": "jest"}}')
            mistyped = {
                "projectPath": str(self.world.project), "command": "npm run tset", "exitCode": 1,
                "output": 'npm error Missing script: "tset"\nnpm error\nnpm error Did you mean this?\nnpm error   npm test',
            }  # fmt: skip
            plan = await asked.data("plan_recovery", mistyped)
            self.assertEqual(plan["primaryStrategy"]["steps"][0]["args"], {"command": "npm run test"})
            kinds = [event["event"] for event in self.world.history()]
            self.assertNotIn("recovery_attempt", kinds)
            again = {**mistyped, "record": True, "tried": ["use_suggested_name"]}
            plan = await asked.data("plan_recovery", again)
            self.assertNotEqual(plan["primaryStrategy"]["name"], "use_suggested_name")
            kinds = [event["event"] for event in self.world.history()]
            self.assertEqual(kinds.count("recovery_attempt"), 1)
            self.assertEqual(await asked.code("plan_recovery", {**mistyped, "last": True}), "INVALID_ARGUMENTS")

        self.each_mode(play)

    def test_lessons_are_a_resource(self):
        async def play(asked):
            resources = (await asked.client.list_resources()).resources
            self.assertEqual([str(resource.uri) for resource in resources], ["failwise://lessons"])
            read = await asked.client.read_resource("failwise://lessons")
            self.assertTrue(read.contents[0].text.endswith("\n"))

        self.each_mode(play)

    def test_wrong_arguments_are_said_and_nothing_breaks(self):
        async def play(asked):
            for arguments in [{}, {"projectPath": 1, "runId": [], "caseName": {}}, {"projectPath": str(self.world.project)}]:
                self.assertEqual(await asked.code("argus_diagnose", arguments), "INVALID_ARGUMENTS")
            for tool in TOOLS:
                await asked.envelope(tool, {"limit": "many", "projectPath": "\0", "status": "odd", "command": "\0" * 9})
            with self.assertRaises(Exception):
                await asked.client.call_tool("no_such_tool", {})
            await asked.data("argus_diagnose", self.world.asked())

        self.each_mode(play)


if __name__ == "__main__":
    unittest.main()
