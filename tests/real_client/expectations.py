"""What must hold after a situation. Each check yields one sentence for each thing that does not hold."""

import collections
import json
import re
import stat

from client import SetupError, json_lines
from scripted_model import ASIDE, MAIN, call_id
from situation import blocks

EXPECTATIONS = {
    "calls", "api", "advice", "same", "status", "replay_differs", "events", "conflicts", "plan", "sent", "unsaid", "notices",
    "results", "telemetry",
}  # fmt: skip
OF_A_CALL = {
    "outcome", "exit_code", "category", "class", "rule", "attempt", "runner", "text", "line", "in_subagent",
    "recorded", "later",
}  # fmt: skip
FAILURES = {"failed", "masked_failure"}
OF_THE_SERVER = {"case_diagnosed", "fix_reported"}
FAILURE_EVENTS = ["execution_failed", "failure_classified"]
MODEL_API = "model_api"
REMINDER = re.compile(r"<system-reminder>\n(\S+) hook additional context: (.*?)\n</system-reminder>", re.DOTALL)
CODE = re.compile(r"\[([^\[\]]+) [0-9a-f]{4}\]$")
LONGEST_ADVICE = 600
REPLAYED = ["outcome", "class", "rule", "category", "signature.fine", "attempt"]


def check(played):
    """Every sentence about one situation."""
    expect = played.filled(played.situation["expect"])
    yield from unknown_keys(expect)
    yield from session(played, expect)
    yield from hooks(played)
    yield from history(played)
    yield from calls(played, expect)
    yield from advice(played, expect)
    yield from replays(played, expect)
    yield from plan(played, expect)
    yield from sent(played, expect)
    yield from unsaid(played, expect)
    yield from results(played, expect)
    yield from notices(played, expect)
    yield from telemetry(played, expect)


def telemetry(played, expect):
    """Whether the client's own records and Failwise's name the same failed calls: those of `joined` are in both; those of
    `hidden` the client calls successes; those of `refused` it never ran, and has no result of. No other call is in either."""
    if "telemetry" not in expect:
        return
    shipped = played.home.must(["failwise", "ship", "-o", "-", "--format", "jsonl"])
    ours = {joint(record) for record in map(json.loads, shipped.splitlines()) if record["event"] == "failwise.verdict"}
    results = [record for record in log_records(played.model.logs) if record.get("event.name") == "tool_result"]
    theirs, passed = ({joint(record) for record in results if record["success"] == word} for word in ("false", "true"))
    for which, found, wanted in [
        ("in both", ours & theirs, "joined"),
        ("that the client calls successes", ours & passed, "hidden"),
        ("that the client has no result of", ours - theirs - passed, "refused"),
        ("in the client's records alone", theirs - ours, None),
    ]:
        calls, ids = {call for _, call in found}, {call_id(name) for name in expect["telemetry"].get(wanted, [])}
        if calls != ids:
            yield f"failed calls {which}: {sorted(calls)}, not {sorted(ids)}"


def joint(record):
    """What joins records of one call: the session and the call."""
    return record["session.id"], record["tool_use_id"]


def log_records(requests):
    """The attributes of each log record of OTLP/JSON requests."""
    for request in requests:
        for resource in request["resourceLogs"]:
            for scope in resource["scopeLogs"]:
                for record in scope["logRecords"]:
                    yield {it["key"]: it["value"].get("stringValue") for it in record["attributes"]}


def sent(played, expect):
    """Texts that stand in the first request to the model: what the client loaded by itself."""
    first = next((request["body"] for request in played.model.requests if request["lane"] == MAIN), {})
    loaded = json.dumps(first, ensure_ascii=False)
    for text in expect.get("sent", []):
        if json.dumps(text, ensure_ascii=False)[1:-1] not in loaded:
            yield f"the first request lacks {text!r}"


def unsaid(played, expect):
    """Texts that stand in no request to the model and in no answer of a hook."""
    said = {
        "the model was sent": [json.dumps(request["body"]) for request in played.model.requests],
        "a hook answered": [answer["stdout"] for answer in played.session.hook_answers()],
    }
    for text in expect.get("unsaid", []):
        for where, texts in said.items():
            if any(text in one for one in texts):
                yield f"{where} {text!r}"


def results(played, expect):
    """Texts that stand in what the model was given as the result of a call."""
    for name, texts in expect.get("results", {}).items():
        of_call = [block for block in blocks(played.told_after(name)) if block.get("tool_use_id") == call_id(name)]
        given = "".join(texts_of(block.get("content")) for block in of_call)
        for text in texts:
            if text not in given:
                yield f"the result of {name} lacks {text!r}: {given[:500]}"


def texts_of(content):
    """The text of a result, which is one text or a list of blocks."""
    if isinstance(content, list):
        return "".join(block.get("text") or json.dumps(block) for block in content)
    return content or ""


def notices(played, expect):
    """What the person read, one line each: a part of each, in order."""
    if "notices" not in expect:
        return
    answers = [json.loads(answer["stdout"]) for answer in played.session.hook_answers() if answer["stdout"].strip()]
    told = [answer["systemMessage"] for answer in answers if "systemMessage" in answer]
    wanted = expect["notices"]
    fits = len(told) == len(wanted) and all(part in line for part, line in zip(wanted, told))
    if not fits or any("\n" in line for line in told):
        yield f"the person read {told}, not one line with each of {wanted}"


def unknown_keys(expect):
    for key in set(expect) - EXPECTATIONS:
        yield f"the situation expects `{key}`, which no check reads"
    for name, call in expect.get("calls", {}).items():
        for key in set(call) - OF_A_CALL:
            yield f"the situation expects `{key}` of {name}, which no check reads"


def session(played, expect):
    """The session went as scripted: otherwise the situation never occurred."""
    if played.session.status != expect.get("status", 0):
        yield f"the client ended with {played.session.status}: {played.session.stderr.strip()}"
    for lane, script in played.model.lanes.items():
        wanted = sum("status" not in turn for turn in script["turns"])
        if played.model.played[lane] != wanted:
            yield f"the model played {played.model.played[lane]} of {wanted} turns of lane {lane}"
    if played.model.strays:
        yield f"the client sent more than messages: {played.model.strays}"


def hooks(played):
    """No hook failed, and each said one JSON object or nothing."""
    for answer in played.session.hook_answers():
        name = answer["hook_name"]
        if answer["exit_code"] != 0 or answer["stderr"]:
            yield f"the hook of {name} ended with {answer['exit_code']}: {answer['stderr'].strip()}"
        if answer["stdout"].strip() and not is_json_object(answer["stdout"]):
            yield f"the hook of {name} said something else than one JSON object: {answer['stdout']!r}"
    if not played.session.hook_answers():
        yield "the client reported no hook at all"


def is_json_object(text):
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def history(played):
    """The history as a whole: private, outside the project, of one session, nothing twice, no error of a hook."""
    file = played.history_file
    if file.exists() and stat.S_IMODE(file.stat().st_mode) != 0o600:
        yield f"the mode of the history is {oct(stat.S_IMODE(file.stat().st_mode))}"
    if played.home.project in file.parents or (played.home.project / ".claude/failwise").exists():
        yield "Failwise wrote into the project"
    for event in played.history:
        if event["event"] == "hook_error":
            yield f"a hook error: {json.dumps(event)}"
        # The client tells its servers no session, and a person between two sessions has none.
        is_of_person = "session" not in event and bool(played.situation.get("earlier", {}).get("then"))
        is_of_session = event.get("session") in played.session.ids or event["event"] in OF_THE_SERVER or is_of_person
        if event["v"] != 1 or not is_of_session:
            yield f"an event of another version or session: {json.dumps(event)}"
    yield from twice("id", (event["id"] for event in played.history))
    of_calls = [event for event in played.history if event.get("tool_use_id")]
    # One call may meet the used-up budgets of a story and of its feature.
    named = ((event["tool_use_id"], phase(event), event["event"], event.get("target")) for event in of_calls)
    yield from twice("event", named)


def twice(what, values):
    for value, count in collections.Counter(values).items():
        if count > 1:
            yield f"the history holds the {what} {value} {count} times"


def phase(event):
    return event.get("phase", "call")


def calls(played, expect):
    """Each call has what is expected of it, and no call failed unexpectedly."""
    known = {(call_id(name), "call") for name in expect.get("calls", {})}
    for name, wanted in expect.get("calls", {}).items():
        yield from call(played, name, "call", wanted)
        if "later" in wanted:
            known.add((call_id(name), "background"))
            yield from call(played, name, "background", wanted["later"])
    if "api" in expect:
        known.add((None, "call"))
        yield from call(played, None, "call", expect["api"])
    for event in played.history:
        if event["event"] in FAILURE_EVENTS and (event.get("tool_use_id"), phase(event)) not in known:
            yield f"an unexpected failure: {json.dumps(event)}"
    yield from sameness(played, expect)


def call(played, name, which, wanted):
    """One phase of one call; the call without a name is the model's API."""
    title = f"{name or MODEL_API} ({which})"
    events = collections.defaultdict(list)
    for event in played.history:
        if event.get("tool_use_id") == (name and call_id(name)) and phase(event) == which:
            events[event["event"]].append(event)
    if wanted["outcome"] in FAILURES:
        yield from failure(title, events, wanted, name is None)
    else:
        yield from no_failure(title, events, wanted)


def failure(title, events, wanted, of_api):
    counts = {kind: len(events[kind]) for kind in [*FAILURE_EVENTS, "execution_completed"]}
    if counts != {"execution_failed": 1, "failure_classified": 1, "execution_completed": 0}:
        yield f"{title}: one failure and its verdict expected, the history holds {counts}"
        return
    failed, verdict = events["execution_failed"][0], events["failure_classified"][0]["verdict"]
    found = {
        "outcome": verdict["outcome"],
        "exit_code": failed.get("exit_code"),
        "category": verdict["category"],
        "class": verdict["class"],
        "rule": verdict["rule"],
        "attempt": verdict["attempt"],
        "runner": failed["reading"].get("runner"),
        "in_subagent": failed.get("agent") is not None,
    }
    for key in found.keys() & wanted.keys():
        allowed = wanted[key] if isinstance(wanted[key], list) else [wanted[key]]
        if found[key] not in allowed:
            yield f"{title}: {key} is {found[key]!r}, not {wanted[key]!r}"
    if wanted.get("text", "") not in failed["text"]:
        yield f"{title}: the recorded text lacks {wanted['text']!r}: {failed['text']!r}"
    if wanted.get("line", "") not in (failed["reading"].get("line") or ""):
        yield f"{title}: the line that matters is {failed['reading'].get('line')!r}, not {wanted['line']!r}"
    if failed["outcome"] != verdict["outcome"] or failed["reading"]["category"] != verdict["category"]:
        yield f"{title}: the failure and its verdict differ: {json.dumps(failed)} {json.dumps(verdict)}"
    if failed["signature"] != verdict["signature"] or verdict["history_ref"] != failed["id"]:
        yield f"{title}: the verdict speaks of another failure: {json.dumps(verdict)}"
    if verdict["tool_use_id"] != failed.get("tool_use_id") or (failed["tool"] == MODEL_API) != of_api:
        yield f"{title}: another call: {json.dumps(failed)}"


def no_failure(title, events, wanted):
    if any(events[kind] for kind in FAILURE_EVENTS):
        yield f"{title}: {wanted['outcome']} expected, but recorded as a failure: {json.dumps(events)}"
    completed = events["execution_completed"]
    # A success may go unrecorded where nothing depends on it; every other answer is part of the record.
    must = wanted.get("recorded", wanted["outcome"] != "succeeded")
    if must and len(completed) != 1:
        yield f"{title}: recorded {len(completed)} times as completed, not once"
    for event in completed:
        if event["outcome"] != wanted["outcome"]:
            yield f"{title}: recorded as {event['outcome']}, not {wanted['outcome']}"
        if wanted.get("text", "") not in event.get("text", ""):
            yield f"{title}: the recorded text lacks {wanted['text']!r}: {event.get('text')!r}"


def sameness(played, expect):
    """Fields that all verdicts of the session share."""
    verdicts = [event["verdict"] for event in played.history if event["event"] == "failure_classified"]
    for path in expect.get("same", []):
        values = {json.dumps(field(verdict, path)) for verdict in verdicts}
        if len(values) != 1:
            yield f"{path} is not the same in all verdicts: {sorted(values)}"


def field(value, path):
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def plan(played, expect):
    """The plan, its conflicts and what the history says of both; the plan is valid at the end."""
    yield from in_order("history", played.history, expect.get("events", []))
    if "conflicts" in expect:
        yield from in_order("conflicts", json_lines(played.plans / "conflicts.jsonl"), expect["conflicts"])
    if "plan" not in expect:
        return
    told = json.loads(played.home.must(["failwise", "plan", "status", "--format", "json"]))
    found = {node["id"]: node["status"] for node in told["nodes"]}
    for node, status in expect["plan"].items():
        if found.get(node) != status:
            yield f"{node} is {found.get(node)}, not {status}"
    valid = played.home.run(["failwise", "plan", "validate"])
    if valid.returncode != 0:
        yield f"the plan is not valid: {valid.stdout}{valid.stderr}"


def in_order(what, lines, wanted):
    """Lines with these fields stand there in this order; others may stand between them."""
    rest = iter(lines)
    for fields in wanted:
        if not any(all(field(line, path) == value for path, value in fields.items()) for line in rest):
            yield f"the {what} lack {json.dumps(fields)} at its place"
            return


def reminders(messages):
    """What hooks told the model in a conversation: pairs of event and text."""
    for block in blocks(messages):
        texts = [block.get("text", "")] if block["type"] == "text" else tool_result_texts(block)
        for text in texts:
            yield from REMINDER.findall(text)


def tool_result_texts(block):
    content = block.get("content", "")
    if block["type"] != "tool_result":
        return []
    return [content] if isinstance(content, str) else [part.get("text", "") for part in content]


def advice(played, expect):
    """The model was told what is expected, once, in the request that follows, and nothing else."""
    lanes = played.conversations()
    lanes.pop(ASIDE, None)
    said = [reminder for messages in lanes.values() for reminder in reminders(messages)]
    for event, text in said:
        yield from well_formed(event, text)
    if expect["advice"] == "any":
        return
    if len(said) != len(expect["advice"]):
        yield f"{len(expect['advice'])} reminders expected, the model got {said}"
        return
    for wanted, (event, text) in zip(expect["advice"], said):
        code = CODE.search(text)
        if event != wanted["event"] or f"`{wanted['names']}" not in text or not code or code[1] != wanted["code"]:
            yield f"a reminder of {wanted} expected, the model got one of {event}: {text!r}"
        if "after" in wanted and (event, text) not in reminders(played.told_after(wanted["after"])):
            yield f"the reminder of {wanted['names']} came late"


def well_formed(event, text):
    if len(text) > LONGEST_ADVICE:
        yield f"advice of {len(text)} characters at {event}"
    if not CODE.search(text):
        yield f"advice that does not end in its code at {event}: {text!r}"


def replays(played, expect):
    """A replay of the transcripts gives the live verdicts; one of the history gives them to the last field."""
    live = verdicts(played.history)
    from_history = replay(played, [played.history_file]) if played.history_file.exists() else {}
    yield from unequal(from_history, live)
    from_transcript = replay(played, played.session.transcripts)
    if from_transcript.keys() != live.keys():
        found, wanted = sorted(map(str, from_transcript)), sorted(map(str, live))
        yield f"a replay of the transcript finds {found}, live were {wanted}"
    known = expect.get("replay_differs", {})
    for key in from_transcript.keys() & live.keys():
        differing = [path for path in REPLAYED if field(from_transcript[key], path) != field(live[key], path)]
        name = (key[0] or MODEL_API).removeprefix(call_id(""))
        if differing != known.get(name, []):
            pairs = {path: [field(from_transcript[key], path), field(live[key], path)] for path in differing}
            yield f"{name}: a replay of the transcript differs in {json.dumps(pairs)}, known is {known.get(name, [])}"


def replay(played, paths):
    done = played.home.must(["failwise", "replay", *map(str, paths), "--format", "jsonl"])
    return verdicts(json.loads(line) for line in done.splitlines())


def verdicts(lines):
    """The verdicts among events or replayed lines, by call and phase."""
    found = {}
    for line in lines:
        verdict = line.get("verdict", line)
        if verdict.get("class") is None:
            continue
        key = (verdict["tool_use_id"], phase(line))
        if key in found:
            raise SetupError(f"two verdicts on {key}: {json.dumps(line)}")
        found[key] = verdict
    return found


def unequal(replayed, recorded):
    """Where a replay of the history is not what was recorded. A replayed line may say more than the verdict."""
    if replayed.keys() != recorded.keys():
        yield f"the history's replay finds {sorted(map(str, replayed))}, recorded were {sorted(map(str, recorded))}"
    for key in replayed.keys() & recorded.keys():
        pairs = {name: [replayed[key].get(name), value] for name, value in recorded[key].items()}
        differing = {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
        if differing:
            yield f"the history's replay of {key} differs: {json.dumps(differing)}"
