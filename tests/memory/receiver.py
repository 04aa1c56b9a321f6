"""A receiver of OTLP logs for tests: answers as its arguments say, one after the other, the last one for good, and writes each
accepted record as a line of JSON. Decodes with the official protobuf package where it is there.

usage: receiver.py FILE ANSWER...   with ANSWER one of 200, slow, partial, garbage, page, silence, cut, or any other status

Where RECEIVER_PEM names a file with a certificate and its key, it speaks TLS.
"""
import gzip
import json
import os
import ssl
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

try:
    from google.protobuf.json_format import Parse
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
except ImportError:
    Parse = None

out, answers = open(sys.argv[1], "a", encoding="utf-8"), sys.argv[2:]


def plain(value):
    """A value without its kind; of the official package's or of the JSON's."""
    if isinstance(value, dict):
        (kind, inner), = value.items()
        if kind == "kvlistValue":
            return {it["key"]: plain(it["value"]) for it in inner["values"]}
        return int(inner) if kind == "intValue" else inner
    kind = value.WhichOneof("value")
    inner = getattr(value, kind)
    return {it.key: plain(it.value) for it in inner.values} if kind == "kvlist_value" else inner


def records(body):
    if Parse is not None:
        # An unknown field, or one of another type, is an error here.
        request = Parse(body, ExportLogsServiceRequest())
        for resource in request.resource_logs:
            for scope in resource.scope_logs:
                for record in scope.log_records:
                    yield record.event_name, {it.key: plain(it.value) for it in [*resource.resource.attributes, *record.attributes]}
        return
    for resource in json.loads(body)["resourceLogs"]:
        for scope in resource["scopeLogs"]:
            for record in scope["logRecords"]:
                yield record["eventName"], {it["key"]: plain(it["value"]) for it in resource["resource"]["attributes"] + record["attributes"]}


class Receiver(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, status, body=b"{}", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        assert self.path == "/v1/logs", self.path
        packed = self.rfile.read(int(self.headers["content-length"]))
        how = answers.pop(0) if len(answers) > 1 else answers[0]
        print(how, self.headers.get("authorization"), flush=True)
        if how in ("200", "slow", "partial", "garbage", "cut"):
            for event, attributes in records(gzip.decompress(packed)):
                out.write(json.dumps({"event": event, "decoded": Parse is not None, **attributes}) + "\n")
            out.flush()
        if how in ("200", "slow"):
            # Time to be killed in after a request was taken.
            time.sleep(0.05 if how == "slow" else 0)
            self.answer(200)
        elif how == "partial":
            self.answer(200, b'{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"too old"}}')
        elif how == "429":
            self.answer(429, retry_after="1")
        elif how == "302":
            self.answer(302, location="http://127.0.0.1:1/elsewhere")
        elif how == "garbage":
            self.answer(200, b"\xff\xfe not json")
        elif how == "page":
            self.answer(200, b"<html><body>Log in to the network</body></html>")
        elif how == "cut":
            self.send_response(200)
            self.send_header("content-length", "1000")
            self.end_headers()
            self.wfile.write(b'{"partial')
            self.close_connection = True
        elif how == "silence":
            time.sleep(1)
            self.close_connection = True
        else:
            self.answer(int(how))


server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
if pem := os.environ.get("RECEIVER_PEM"):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_port, flush=True)
server.serve_forever()
