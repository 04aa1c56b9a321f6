"""The checks themselves: each must notice what it is there for."""

import copy
import json
import pathlib
import types
import unittest

import expectations
from scripted_model import MAIN, ScriptedModel, call_id

SESSION = "5f0c"


def event(kind, name="deploy", **fields):
    """An event of a failed call, or of another that is named."""
    return {
        "v": 1,
        "id": f"{kind}-{name}",
        "event": kind,
        "session": SESSION,
        "tool": "Bash",
        "tool_use_id": call_id(name),
        "outcome": "failed",
        **fields,
    }


def failed_call(name="deploy", **verdict):
    signature = {"fine": "aa11", "coarse": "bb22", "version": 1}
    answer = {
        "class": "F2",
        "outcome": "failed",
        "rule": "unrecognised",
        "category": "unknown",
        "signature": signature,
        "attempt": 1,
        "tool_use_id": call_id(name),
        "history_ref": f"execution_failed-{name}",
        **verdict,
    }
    reading = {"category": answer["category"]}
    failed = event("execution_failed", name, exit_code=3, text="no", reading=reading, signature=signature)
    return [failed, event("failure_classified", name, verdict=answer)]


def reminder(text, source="PostToolUseFailure:Bash"):
    return f"<system-reminder>\n{source} hook additional context: {text}\n</system-reminder>"


def request(*texts):
    """A request after the call: its result and what the hooks added."""
    result = {"type": "tool_result", "tool_use_id": call_id("deploy"), "content": "Exit code 3"}
    content = [result, *({"type": "text", "text": text} for text in texts)]
    return {"lane": MAIN, "body": {"messages": [{"role": "user", "content": content}]}}


class Played(types.SimpleNamespace):
    """What a check reads of a played situation."""

    def __init__(self, history, expect=None, requests=()):
        super().__init__(history=history, situation={"expect": expect or {}})
        self.history_file = pathlib.Path("/nonexistent/history.jsonl")
        self.session = types.SimpleNamespace(ids={SESSION})
        self.home = types.SimpleNamespace(project=pathlib.Path("/nonexistent/project"))
        self.requests = list(requests)

    def conversations(self):
        return {sent["lane"]: sent["body"]["messages"] for sent in self.requests}

    def told_after(self, name):
        return self.requests[0]["body"]["messages"]


class Calls(unittest.TestCase):
    EXPECT = {"calls": {"deploy": {"outcome": "failed", "exit_code": 3, "class": ["F1", "F2"], "attempt": 1}}}

    def problems(self, history, expect=None):
        return list(expectations.calls(Played(history, expect or self.EXPECT), expect or self.EXPECT))

    def test_one_failure_and_its_verdict_hold(self):
        self.assertEqual(self.problems(failed_call()), [])

    def test_a_missing_verdict_shows(self):
        self.assertIn("one failure and its verdict", self.problems(failed_call()[:1])[0])

    def test_a_failure_recorded_as_completed_too_shows(self):
        self.assertEqual(len(self.problems([*failed_call(), event("execution_completed")])), 1)

    def test_each_differing_field_shows(self):
        self.assertEqual(len(self.problems(failed_call(**{"class": "F3", "attempt": 2}))), 2)

    def test_another_text_or_line_shows(self):
        expect = {"calls": {"deploy": {"outcome": "failed", "text": "yes", "line": "yes"}}}
        self.assertEqual(len(self.problems(failed_call(), expect)), 2)

    def test_an_unknown_exit_code_is_not_zero(self):
        history = failed_call()
        history[0]["exit_code"] = 0
        expect = copy.deepcopy(self.EXPECT)
        expect["calls"]["deploy"]["exit_code"] = None
        self.assertIn("exit_code is 0, not None", self.problems(history, expect)[0])

    def test_a_failure_that_nobody_expects_shows(self):
        found = self.problems([*failed_call(), *failed_call("other")])
        self.assertEqual(len(found), 2)
        self.assertIn("an unexpected failure", found[0])

    def test_a_background_phase_is_another_failure(self):
        later = copy.deepcopy(failed_call())
        for one in later:
            one["phase"] = "background"
        self.assertIn("an unexpected failure", self.problems([*failed_call(), *later])[0])

    def test_a_benign_call_must_be_recorded_as_such(self):
        expect = {"calls": {"search": {"outcome": "benign_non_zero"}}}
        self.assertEqual(len(self.problems([], expect)), 1)
        done = event("execution_completed", "search", outcome="benign_non_zero")
        self.assertEqual(self.problems([done], expect), [])
        self.assertEqual(len(self.problems([{**done, "outcome": "succeeded"}], expect)), 1)

    def test_fields_that_differ_are_not_the_same(self):
        history = [*failed_call(), *failed_call("other", signature={"fine": "cc33"})]
        found = list(expectations.sameness(Played(history), {"same": ["signature.fine"]}))
        self.assertIn("not the same", found[0])


class Heard(unittest.TestCase):
    """What reached the model and the person."""

    def problems(self, check, expect, answers=(), sent=()):
        played = Played([], expect, [request(text) for text in sent])
        played.model = types.SimpleNamespace(requests=played.requests)
        answers = [{"stdout": json.dumps(answer)} for answer in answers]
        played.session.hook_answers = lambda: [*answers, {"stdout": ""}]
        return list(check(played, expect))

    def test_a_text_that_must_not_be_said_shows_wherever_it_stands(self):
        expect = {"unsaid": ["evil"]}
        self.assertEqual(self.problems(expectations.unsaid, expect, [{"reason": "good"}], ["good"]), [])
        found = self.problems(expectations.unsaid, expect, [{"reason": "evil"}], ["evil words"])
        self.assertEqual(len(found), 2)

    def test_the_person_reads_one_line_for_each_part(self):
        expect = {"notices": ["failwise trust"]}
        told = {"systemMessage": "Failwise: `failwise trust` asks."}
        self.assertEqual(self.problems(expectations.notices, expect, [told, {"reason": "x"}]), [])
        for answers in ([], [told, told], [{"systemMessage": "else"}], [{"systemMessage": "failwise trust\nmore"}]):
            self.assertEqual(len(self.problems(expectations.notices, expect, answers)), 1)


class History(unittest.TestCase):
    def problems(self, history):
        return list(expectations.history(Played(history)))

    def test_a_clean_history_holds(self):
        self.assertEqual(self.problems(failed_call()), [])

    def test_an_event_twice_shows(self):
        history = failed_call()
        again = {**history[0], "id": "another"}
        self.assertIn("2 times", self.problems([*history, again])[0])

    def test_a_hook_error_and_a_foreign_session_show(self):
        history = [event("hook_error"), event("execution_completed", "other", session="ffff")]
        self.assertEqual(len(self.problems(history)), 2)


class Advice(unittest.TestCase):
    TEXT = "`sh deploy.sh` failed again. [unchanged x3 aa11]"
    WANTED = {"event": "PostToolUseFailure:Bash", "after": "deploy", "names": "sh deploy.sh", "code": "unchanged x3"}

    def problems(self, requests, wanted):
        return list(expectations.advice(Played([], requests=requests), {"advice": wanted}))

    def test_the_expected_reminder_holds(self):
        self.assertEqual(self.problems([request(reminder(self.TEXT))], [self.WANTED]), [])

    def test_a_reminder_inside_the_result_counts(self):
        sent = request()
        sent["body"]["messages"][0]["content"][0]["content"] = "Exit code 3\n" + reminder(self.TEXT)
        self.assertEqual(self.problems([sent], [self.WANTED]), [])

    def test_silence_and_repetition_show(self):
        self.assertIn("1 reminders expected", self.problems([request()], [self.WANTED])[0])
        twice = request(reminder(self.TEXT), reminder(self.TEXT))
        self.assertIn("1 reminders expected", self.problems([twice], [self.WANTED])[0])

    def test_advice_where_silence_is_expected_shows(self):
        self.assertIn("0 reminders expected", self.problems([request(reminder(self.TEXT))], [])[0])

    def test_another_command_or_code_shows(self):
        for text in (self.TEXT.replace("deploy", "other"), self.TEXT.replace("x3", "x2")):
            self.assertIn("a reminder of", self.problems([request(reminder(text))], [self.WANTED])[0])

    def test_a_late_reminder_shows(self):
        self.assertIn("came late", self.problems([request(), request(reminder(self.TEXT))], [self.WANTED])[0])

    def test_the_form_holds_for_any_advice(self):
        self.assertIn("does not end in its code", self.problems([request(reminder("Try again."))], "any")[0])
        long = "word " * 130 + "[F1 network aa11]"
        self.assertIn("characters", self.problems([request(reminder(long))], "any")[0])


class Replays(unittest.TestCase):
    def problems(self, replayed, known=None, from_history=None):
        played = Played(failed_call())
        played.history_file = pathlib.Path(__file__)
        played.session.transcripts = [pathlib.Path("transcript.jsonl")]
        recorded = [self.line()] if from_history is None else from_history
        played.home.must = lambda argv: "\n".join(recorded if __file__ in argv else replayed)
        return list(expectations.replays(played, {"replay_differs": known or {}}))

    @staticmethod
    def line(**verdict):
        return expectations.json.dumps(failed_call(**verdict)[1])

    def test_equal_verdicts_hold(self):
        self.assertEqual(self.problems([self.line()]), [])

    def test_a_missing_and_a_differing_verdict_show(self):
        self.assertIn("a replay of the transcript finds", self.problems([])[0])
        self.assertIn('"attempt": [2, 1]', self.problems([self.line(attempt=2)])[0])

    def test_the_history_must_give_every_field(self):
        found = self.problems([self.line()], from_history=[self.line(attempt=2)])
        self.assertIn("the history's replay of", found[0])
        found = self.problems([self.line()], from_history=[])
        self.assertIn("the history's replay finds", found[0])

    def test_a_known_difference_must_be_real(self):
        known = {"deploy": ["attempt"]}
        self.assertEqual(self.problems([self.line(attempt=2)], known), [])
        self.assertEqual(len(self.problems([self.line()], known)), 1)


class Plan(unittest.TestCase):
    EVENTS = [{"event": "freeze_applied", "node": "T2"}, {"event": "thaw_applied", "node": "T2", "decision": {"action": "x"}}]

    def problems(self, expect, nodes=(), valid=0):
        def run(argv):
            return types.SimpleNamespace(returncode=valid, stdout="", stderr="T2 is odd")

        status = json.dumps({"nodes": [{"id": name, "status": status} for name, status in nodes]})
        home = types.SimpleNamespace(must=lambda argv: status, run=run)
        played = types.SimpleNamespace(history=self.EVENTS, home=home)
        return list(expectations.plan(played, expect))

    def test_events_in_their_order_hold(self):
        self.assertEqual(self.problems({"events": [{"event": "freeze_applied"}, {"decision.action": "x"}]}), [])

    def test_a_missing_event_and_another_order_show(self):
        for wanted in ([{"event": "undo"}], [{"event": "thaw_applied"}, {"event": "freeze_applied"}], [{"node": "T1"}]):
            self.assertEqual(len(self.problems({"events": wanted})), 1, wanted)

    def test_another_status_and_a_broken_plan_show(self):
        self.assertEqual(self.problems({"plan": {"T1": "done"}}, [("T1", "done")]), [])
        self.assertEqual(len(self.problems({"plan": {"T1": "done", "T2": "done"}}, [("T1", "active")])), 2)
        self.assertEqual(len(self.problems({"plan": {"T1": "done"}}, [("T1", "done")], valid=1)), 1)


class Model(unittest.TestCase):
    def setUp(self):
        turns = [{"calls": [{"id": "a", "tool": "Bash"}]}, {"status": 529, "error": "e", "message": "m"}]
        self.model = ScriptedModel({MAIN: {"turns": turns}, "counter": {"when": "COUNT", "turns": [{"say": "3"}]}})
        self.addCleanup(self.model.stop)

    def ask(self, text, tools=("Bash",)):
        return self.model.answer({"messages": [{"role": "user", "content": text}], "tools": list(tools)})

    def test_lanes_are_told_apart(self):
        self.assertIn("calls", self.ask("Play."))
        self.assertEqual(self.ask("COUNT them"), {"say": "3"})
        self.assertIn("title", self.ask("Name this session.", tools=())["say"])
        self.assertEqual(self.model.played, {MAIN: 1, "counter": 1})

    def test_an_error_is_repeated_and_no_turn_is_played(self):
        self.ask("Play.")
        self.assertEqual([self.ask("Play.")["status"] for _ in range(3)], [529] * 3)
        self.assertEqual(self.model.played[MAIN], 1)

    def test_what_a_decision_offers_is_run_word_for_word(self):
        retry = {"shell": "sleep 2 && make 'a b'", "argv": [], "background": True, "timeout_ms": 600000}
        check = {"argv": ["git", "log", "a b"], "background": False}
        printed = json.dumps({"next_commands": [retry, check]}) + "\n<system-reminder>\n{}\n</system-reminder>"
        result = {"type": "tool_result", "tool_use_id": call_id("decide"), "content": printed}
        self.model.script({MAIN: {"turns": [{"calls": [{"id": "again", "next_of": "decide"}]}]}})
        body = {"messages": [{"role": "user", "content": [result]}], "tools": ["Bash"]}
        inputs = {call["id"]: call["input"] for call in self.model.answer(body)["calls"]}
        wanted = {"command": retry["shell"], "run_in_background": True, "timeout": 600000}
        self.assertEqual(inputs, {"again": wanted, "again-2": {"command": "git log 'a b'"}})


if __name__ == "__main__":
    unittest.main()
