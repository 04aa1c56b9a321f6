"""The server asked by the MCP Inspector's command line."""

import json
import os
import subprocess
import unittest

from world import World

EXECUTABLES = os.environ["FAILWISE_EXECUTABLES"]
INSPECTOR = os.environ["MCP_INSPECTOR"]


class Inspector(unittest.TestCase):
    def setUp(self):
        self.world = World(EXECUTABLES)
        self.addCleanup(self.world.close)

    def inspect(self, *arguments):
        """What the inspector prints, and how it ends."""
        env = {**self.world.env, "PATH": f"{os.path.dirname(INSPECTOR)}:{self.world.env['PATH']}"}
        passed = [f"-e={name}={self.world.env[name]}" for name in ["HOME", "XDG_STATE_HOME"]]
        passed = [part for word in passed for part in word.split("=", 1)]
        command = [INSPECTOR, "--cli", *passed, self.world.server, *arguments]
        done = subprocess.run(command, cwd=self.world.project, env=env, capture_output=True, text=True, timeout=60)
        return done

    def call(self, tool, arguments):
        given = [part for name, value in arguments.items() for part in ("--tool-arg", f"{name}={value}")]
        done = self.inspect("--method", "tools/call", "--tool-name", tool, *given)
        result, _ = json.JSONDecoder().raw_decode(done.stdout.lstrip())
        self.assertEqual(json.loads(result["content"][0]["text"]), result["structuredContent"])
        return result["structuredContent"], done.returncode

    def test_tools_and_resources_are_listed(self):
        listed = json.loads(self.inspect("--method", "tools/list").stdout)
        self.assertIn("argus_diagnose", [tool["name"] for tool in listed["tools"]])
        listed = json.loads(self.inspect("--method", "resources/list").stdout)
        self.assertEqual([resource["uri"] for resource in listed["resources"]], ["failwise://lessons"])

    def test_a_known_and_an_unknown_failure_are_diagnosed(self):
        envelope, code = self.call("argus_diagnose", self.world.asked())
        self.assertEqual((envelope["success"], code), (True, 0))
        self.assertEqual(envelope["data"]["pattern"]["id"], "builtin-conn-refused")
        envelope, _ = self.call("argus_diagnose", self.world.asked("api-test"))
        self.assertEqual((envelope["data"]["pattern"], envelope["data"]["isNewPattern"]), (None, True))
        report = {**self.world.asked("api-test"), "fixDescription": "restarted it", "success": "true"}
        envelope, _ = self.call("report_fix", report)
        self.assertTrue(envelope["success"], envelope)
        envelope, _ = self.call("argus_diagnose", self.world.asked("api-test"))
        self.assertEqual(envelope["data"]["suggestedFix"], "an agent reported: restarted it")

    def test_a_recovery_is_planned(self):
        (self.world.project / "package.json").write_text('{"scripts": {"test": "jest"}}')
        asked = {"projectPath": str(self.world.project), "command": "npm run tset", "exitCode": "1"}
        envelope, code = self.call("plan_recovery", {**asked, "output": 'npm error Missing script: "tset"'})
        self.assertEqual((envelope["success"], code), (True, 0))
        self.assertEqual(envelope["data"]["primaryStrategy"]["steps"][0]["args"], {"command": "npm run test"})

    def test_each_code_is_given(self):
        for arguments, expected in [
            (self.world.asked(run="run-xyz"), "RUN_NOT_FOUND"),
            (self.world.asked("no such case"), "CASE_NOT_FOUND"),
            (self.world.asked("passes"), "CASE_NOT_FAILED"),
            ({**self.world.asked(), "projectPath": "/no/such/folder"}, "SESSION_NOT_FOUND"),
        ]:
            envelope, code = self.call("argus_diagnose", arguments)
            self.assertEqual(envelope["error"]["code"], expected)
            self.assertNotEqual(code, 0)
        self.world.base.write_bytes(b"this is no base" * 1000)
        envelope, _ = self.call("argus_diagnose", self.world.asked())
        self.assertEqual(envelope["error"]["code"], "INTERNAL_ERROR")
        self.world.env["FAILWISE"] = "off"
        done = self.inspect("-e", "FAILWISE=off", "--method", "tools/call", "--tool-name", "argus_diagnose",
                            *[part for name, value in self.world.asked().items() for part in ("--tool-arg", f"{name}={value}")])  # fmt: skip
        self.assertIn("HISTORY_DISABLED", done.stdout)


if __name__ == "__main__":
    unittest.main()
