"""A model that plays a list of turns in the wire forms of three makers, on loopback: Responses, Chat Completions, Gemini.

A turn is {"tool": NAME, "input": {...}}, {"tool": NAME, "text": TEXT} for a tool that takes a text, or {"say": TEXT}. Every request is
kept, so that a test sees what the model read.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

AFTER_THE_END = {"say": "The script is at its end."}


class Model:
    """The server, with the turns that are left and the requests that came."""

    def __init__(self, turns):
        self.left, self.requests, self.lock = list(turns), [], threading.Lock()
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                self.answer([{"object": "list", "data": [{"id": "mock", "object": "model"}], "models": []}], None)

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
                lines, stream = model.reply(self.path, body)
                self.answer(lines, stream)

            def answer(self, objects, stream):
                """One object, or a stream of events: `named` ones have their type before them, the last may be `[DONE]`."""
                self.send_response(200)
                if stream is None:
                    text = json.dumps(objects[0])
                    self.send_header("content-type", "application/json")
                else:
                    name = lambda one: f"event: {one['type']}\n" if stream == "named" else ""
                    text = "".join(f"{name(one)}data: {json.dumps(one)}\n\n" for one in objects)
                    text += "data: [DONE]\n\n" if stream == "done" else ""
                    self.send_header("content-type", "text/event-stream")
                self.send_header("content-length", str(len(text.encode())))
                self.end_headers()
                self.wfile.write(text.encode())

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def reply(self, path, body):
        with self.lock:
            self.requests.append(json.dumps(body))
            number = len(self.requests)
        if path.endswith("/responses"):
            return responses(self.turn(), number), "named"
        if "enerateContent" in path:
            aside = "streamGenerate" not in path
            turn = {"say": '{"complexity_reasoning": "none", "complexity_score": 1}'} if aside else self.turn()
            return [gemini(turn)], None if aside else "plain"
        if not body.get("tools"):
            turn = {"say": "Scripted session"}
        else:
            turn = self.turn()
        return (chat(turn, number, True), "done") if body.get("stream") else (chat(turn, number, False), None)

    def turn(self):
        with self.lock:
            return self.left.pop(0) if self.left else AFTER_THE_END


def responses(turn, number):
    ids = {"id": f"item_{number}", "status": "completed"}
    if "say" in turn:
        content = [{"type": "output_text", "text": turn["say"], "annotations": []}]
        item = {"type": "message", "role": "assistant", "content": content, **ids}
    elif "text" in turn:
        item = {"type": "custom_tool_call", "call_id": f"call_{number}", "name": turn["tool"], "input": turn["text"], **ids}
    else:
        given = json.dumps(turn["input"])
        item = {"type": "function_call", "call_id": f"call_{number}", "name": turn["tool"], "arguments": given, **ids}
    whole = {"id": f"resp_{number}", "object": "response", "status": "completed", "output": [item]}
    usage = {"input_tokens": 100, "output_tokens": 20, "total_tokens": 120}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    return [
        {"type": "response.created", "response": {**whole, "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {**whole, "usage": usage}},
    ]


def chat(turn, number, stream):
    message = {"role": "assistant", "content": turn.get("say")}
    if "tool" in turn:
        function = {"name": turn["tool"], "arguments": json.dumps(turn["input"])}
        message["tool_calls"] = [{"index": 0, "id": f"call_{number}", "type": "function", "function": function}]
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    head = {"id": f"chat_{number}", "created": 1, "model": "mock"}
    ends = {"finish_reason": "tool_calls" if "tool" in turn else "stop"}
    if not stream:
        return [{**head, "object": "chat.completion", "choices": [{"index": 0, "message": message, **ends}], "usage": usage}]
    chunk = {**head, "object": "chat.completion.chunk"}
    return [
        {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**chunk, "choices": [{"index": 0, "delta": {}, **ends}], "usage": usage},
    ]


def gemini(turn):
    part = {"functionCall": {"name": turn["tool"], "args": turn["input"]}} if "tool" in turn else {"text": turn["say"]}
    answer = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    counts = {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120}
    return {"candidates": [answer], "usageMetadata": counts}
