#!/usr/bin/env python3
"""Plays a collector between `failwise ship` and a receiver, and compares what was sent with what arrived.

    collector.py FAILWISE [HISTORY...]     with a Python that has the packages `rotel` and `opentelemetry-proto`

`rotel` is a collector of OpenTelemetry that a package registry has: it reads the posted JSON and passes it on as protobuf. The
histories are sent as those of a new user; without any, the hook beside FAILWISE records some failures.
"""
import gzip
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import rotel
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest, ExportLogsServiceResponse

arrived = {}


class Receiver(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        request = ExportLogsServiceRequest()
        request.ParseFromString(gzip.decompress(body) if self.headers.get("content-encoding") == "gzip" else body)
        for resource in request.resource_logs:
            for scope in resource.scope_logs:
                for record in scope.log_records:
                    words = {it.key: it.value.string_value for it in record.attributes}
                    arrived[words["log.record.uid"]] = record.event_name, words.get("session.id"), words.get("tool_use_id")
        answer = ExportLogsServiceResponse().SerializeToString()
        self.send_response(200)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


def failures(hook, env, project):
    """Failed calls as the hook records them."""
    for number in range(20):
        payload = {"hook_event_name": "PostToolUseFailure", "session_id": "one", "cwd": str(project), "tool_name": "Bash",
                   "tool_use_id": f"call-{number}", "tool_input": {"command": f"gh pr diff {number} --stat"},
                   "error": "Exit code 1\nunknown flag: --stat"}
        subprocess.run([hook], input=json.dumps(payload), env=env, check=True, stdout=subprocess.DEVNULL, text=True)


def main():
    failwise, *histories = map(Path, sys.argv[1:])
    home = Path(tempfile.mkdtemp(prefix="failwise-collector."))
    env = {"HOME": str(home), "PATH": os.environ["PATH"]}
    (home / "shop/.git").mkdir(parents=True)
    for number, history in enumerate(histories):
        folder = home / f".local/state/failwise/projects/shop-{number:016x}"
        folder.mkdir(parents=True)
        shutil.copy(history, folder / "history.jsonl")
    if not histories:
        failures(failwise.resolve().with_name("failwise-hook"), env, home / "shop")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    receiver = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    settings = home / ".config/failwise/config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f'[ship]\nto = "http://127.0.0.1:{port}"\n')
    ask = lambda *arguments: subprocess.run([failwise.resolve(), "ship", *arguments], env=env, cwd=home, check=True,
                                            stdout=subprocess.PIPE, text=True).stdout
    collector = subprocess.Popen(
        [Path(rotel.__file__).parent / "rotel-agent", "start", "--otlp-http-endpoint", f"127.0.0.1:{port}",
         "--otlp-grpc-endpoint", "127.0.0.1:0", "--exporter", "otlp", "--otlp-exporter-protocol", "http",
         "--otlp-exporter-endpoint", f"http://127.0.0.1:{receiver.server_port}",
         "--otlp-receiver-traces-disabled", "--otlp-receiver-metrics-disabled"], stdout=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 20
        while time.monotonic() < until and socket.socket().connect_ex(("127.0.0.1", port)):
            time.sleep(0.1)
        written = [json.loads(line) for line in ask("-o", "-", "--format", "jsonl").splitlines()]
        sent = {it["log.record.uid"]: (it["event"], it["session.id"], it.get("tool_use_id")) for it in written}
        ask("--new")
        while time.monotonic() < until and len(arrived) < len(sent):
            time.sleep(0.1)
    finally:
        collector.kill()
        collector.wait()
        shutil.rmtree(home)
    print(f"collector: {len(sent)} records sent, {len(arrived)} arrived{'' if sent == arrived else ', and not the same'}")
    return not sent or sent != arrived


if __name__ == "__main__":
    sys.exit(main())
