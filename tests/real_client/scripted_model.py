"""A model that plays a script: the one endpoint that the client needs, on loopback.

A script has lanes, each a list of turns. The main conversation plays the lane `main`; a subagent plays the lane whose
`when` stands in its first message. A turn is one of

    {"say": TEXT}                                      the answer that ends the turn
    {"calls": [{"id": NAME, "tool": T, "input": {}}]}  tool calls, in one message
    {"status": 529, "error": TYPE, "message": TEXT}    an error of the API, repeated for as long as the client retries

    {"drop": true}                                     an answer that breaks off in its middle
    {"refuse": true}                                   the model declines to answer

and any of them may carry `after_ms`, the time that the model thinks, and an error `headers`. Calls may also come from a decision that the model was
given: `{"id": NAME, "next_of": CALL}` runs the `next_commands` of the decision that CALL printed, literally; the second
and further ones are named NAME-2, NAME-3.
"""

import json
import shlex
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MAIN = "main"
# Requests that offer no tools are the client's own small questions, such as a title for the session.
ASIDE = "aside"
ASIDE_ANSWER = {"say": '{"title": "Scripted session"}'}
AFTER_THE_END = {"say": "The script is at its end."}
POLL_S = 0.02
USAGE = {
    "input_tokens": 100,
    "output_tokens": 20,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
}


def call_id(name):
    """The tool_use id of the call that a script names."""
    return f"toolu_01{name}"


class ScriptedModel:
    """Serves the script from construction until `stop`, and keeps every request it got."""

    def __init__(self, lanes, pages=None):
        self.lanes = lanes
        self.pages = pages or {}
        self.played = {name: 0 for name in lanes}
        self.requests = []
        # What the client's own telemetry sent, where a situation switches it on.
        self.logs = []
        self.strays = []
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(POLL_S,), daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def script(self, lanes):
        """Sets the turns, which may name the address that is known only now."""
        self.lanes = lanes
        self.played = {name: 0 for name in lanes}

    def resume(self):
        """Goes on with the script in a new session: whether what a lane was answered last was done, nobody knows, so that it is
        answered again."""
        self.played = {name: max(0, played - 1) for name, played in self.played.items()}

    def stop(self):
        self._server.shutdown()
        self._server.server_close()

    def lane_of(self, body):
        first = json.dumps((body.get("messages") or [{}])[0], ensure_ascii=False)
        for name, lane in self.lanes.items():
            if lane.get("when") and lane["when"] in first:
                return name
        return MAIN if body.get("tools") else ASIDE

    def answer(self, body):
        """Takes a request, gives the turn that answers it."""
        with self._lock:
            lane = self.lane_of(body)
            self.requests.append({"lane": lane, "body": body})
            if lane == ASIDE:
                return ASIDE_ANSWER
            turns = self.lanes[lane]["turns"]
            position = self.played[lane]
            if position < len(turns) and "status" in turns[position]:
                return turns[position]
            self.played[lane] = position + 1
            return offered(turns[position], body) if position < len(turns) else AFTER_THE_END

    def note_times(self, body, asked):
        """Keeps when a request came, and that it is answered now."""
        request = next(request for request in self.requests if request["body"] is body)
        request.update(asked=asked, answered=time.time())

    def stray(self, what):
        with self._lock:
            self.strays.append(what)


def offered(turn, body):
    """The turn, with the calls that a decision in the conversation offers."""
    if not any("next_of" in call for call in turn.get("calls", [])):
        return turn
    return {**turn, "calls": [made for call in turn["calls"] for made in _next_calls(call, body)]}


def _next_calls(call, body):
    if "next_of" not in call:
        return [call]
    commands = _decision(call_id(call["next_of"]), body).get("next_commands", [])
    names = [call["id"], *(f"{call['id']}-{number}" for number in range(2, len(commands) + 1))]
    return [{"id": name, "tool": "Bash", "input": _as_input(command)} for name, command in zip(names, commands)]


def _as_input(command):
    given = {"command": command.get("shell") or shlex.join(command["argv"])}
    if command.get("background"):
        given["run_in_background"] = True
    if command.get("timeout_ms"):
        given["timeout"] = command["timeout_ms"]
    return given


def _decision(call, body):
    """The JSON object with which the result of a call begins; reminders may follow it."""
    for message in body["messages"]:
        for block in message["content"] if isinstance(message["content"], list) else []:
            if block.get("tool_use_id") == call:
                content = block["content"]
                text = content if isinstance(content, str) else content[0]["text"]
                return json.JSONDecoder().raw_decode(text)[0]
    return {}


def _handler(model):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_GET(self):
            if self.command == "HEAD" and self.path == "/":
                # Older clients look whether anything is there.
                return self._send_json(200, {})
            page = model.pages.get(self.path)
            if page is None:
                model.stray(f"{self.command} {self.path}")
                page = {"status": 404}
            self._send_json(page["status"], page.get("body", {}), page.get("headers", {}))

        do_HEAD = do_PUT = do_DELETE = do_GET

        def do_POST(self):
            asked = time.time()
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            path = self.path.split("?")[0]
            if path == "/v1/messages/count_tokens":
                return self._send_json(200, {"input_tokens": USAGE["input_tokens"]})
            if path == "/v1/logs":
                model.logs.append(json.loads(raw))
                return self._send_json(200, {})
            if path != "/v1/messages":
                model.stray(f"POST {self.path}")
                return self._send_json(404, {})
            body = json.loads(raw)
            turn = model.answer(body)
            time.sleep(turn.get("after_ms", 0) / 1000)
            if "status" in turn:
                error = {"type": turn["error"], "message": turn["message"]}
                return self._send_json(turn["status"], {"type": "error", "error": error}, turn.get("headers"))
            try:
                if "drop" in turn and not body.get("stream"):
                    # The client asks once more without a stream; that answer breaks off as well.
                    self.close_connection = True
                    self.send_response(200)
                    self.send_header("content-type", "application/json")
                    self.send_header("content-length", "1000")
                    self.end_headers()
                    self.wfile.write(b'{"type":')
                    return
                self._stream(turn, body.get("model", "scripted"))
                model.note_times(body, asked)
            except (BrokenPipeError, ConnectionResetError):
                pass

        def _send_json(self, status, value, headers=None):
            data = json.dumps(value).encode()
            self.send_response(status)
            for name, text in {"content-type": "application/json", **(headers or {})}.items():
                self.send_header(name, text)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

        def _stream(self, turn, model_name):
            self.close_connection = True
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            for kind, value in _events(turn, model_name):
                if "drop" in turn and kind == "content_block_stop":
                    break
                line = json.dumps({"type": kind, **value})
                self.wfile.write(f"event: {kind}\ndata: {line}\n\n".encode())
            self.wfile.flush()

    return Handler


def _events(turn, model_name):
    """The turn as the events of one streamed message."""
    calls = turn.get("calls", [])
    message = {
        "id": f"msg_{time.monotonic_ns()}",
        "type": "message",
        "role": "assistant",
        "model": model_name,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": USAGE,
    }
    yield "message_start", {"message": message}
    index = 0
    said = turn.get("say", "I am" if "drop" in turn else "I cannot" if "refuse" in turn else None)
    if said is not None:
        yield from _block(index, {"type": "text", "text": ""}, {"type": "text_delta", "text": said})
        index += 1
    for call in calls:
        start = {"type": "tool_use", "id": call_id(call["id"]), "name": call["tool"], "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call.get("input", {}))}
        yield from _block(index, start, delta)
        index += 1
    stop = "refusal" if "refuse" in turn else "tool_use" if calls else "end_turn"
    reason = {"stop_reason": stop, "stop_sequence": None}
    yield "message_delta", {"delta": reason, "usage": {"output_tokens": USAGE["output_tokens"]}}
    yield "message_stop", {}


def _block(index, start, delta):
    yield "content_block_start", {"index": index, "content_block": start}
    yield "content_block_delta", {"index": index, "delta": delta}
    yield "content_block_stop", {"index": index}
