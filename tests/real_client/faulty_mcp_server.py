"""An MCP server over stdio with one tool, which fails in the way that its argument names."""

import json
import os
import sys

TOOL = {
    "name": "look_up",
    "description": "Looks a word up.",
    "inputSchema": {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]},
}
METHOD_NOT_FOUND, INTERNAL_ERROR = -32601, -32603


def answer(method, params):
    """The answer to a request: `result` or `error`."""
    if method == "initialize":
        about = {"capabilities": {"tools": {}}, "serverInfo": {"name": "faulty", "version": "1.0.0"}}
        return {"result": {"protocolVersion": params["protocolVersion"], **about}}
    if method == "tools/list":
        return {"result": {"tools": [TOOL]}}
    if method == "tools/call":
        return look_up(params["arguments"]["word"])
    if method == "ping":
        return {"result": {}}
    return {"error": {"code": METHOD_NOT_FOUND, "message": f"no method {method}"}}


def look_up(word):
    if word == "die":
        os._exit(3)
    if word == "protocol":
        return {"error": {"code": INTERNAL_ERROR, "message": "the index could not be opened"}}
    if word.startswith("search "):
        return {"result": {"content": [{"type": "text", "text": "Error: spawn searcher ENOENT"}], "isError": True}}
    failed = word == "unknown"
    text = f"{word} is not in the index" if failed else f"{word}: a word"
    return {"result": {"content": [{"type": "text", "text": text}], "isError": failed}}


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        reply = {"jsonrpc": "2.0", "id": request["id"], **answer(request["method"], request.get("params") or {})}
        print(json.dumps(reply), flush=True)
