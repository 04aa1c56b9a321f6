"""The ways in and out of a release, each with the true client in an empty home: see ways.sh."""

import base64
import contextlib
import hashlib
import http.server
import io
import json
import os
import pathlib
import re
import shutil
import ssl
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import zipfile

from client import Home, SetupError, give_to_user, json_lines, option_parser
from scripted_model import MAIN, ScriptedModel
from wiring import STRACE, of_hooks

# An address of documentation, which the namespace gives to loopback: the client refuses archives on loopback by name.
ADDRESS, PORT = "198.51.100.7", 8443
STARTER = pathlib.Path(__file__).resolve().parents[2] / "packages" / "starter.sh"
MANIFESTS = (".claude-plugin/plugin.json", "package/.claude-plugin/plugin.json", "package/package.json")
SAYS_429 = "echo 'npm error code E429'; echo 'npm error 429 Too Many Requests'; exit 1"
COUNTS = {"passed": 0, "failed": 0}


def check(what, holds, detail=""):
    COUNTS["passed" if holds else "failed"] += 1
    print(f"{'ok    ' if holds else 'FAILED'} {what}" + ("" if holds else f"\n         {detail}"))
    sys.stdout.flush()


class Files(http.server.BaseHTTPRequestHandler):
    """The files of the release; those of `npm/` as a registry has them."""

    release = None

    def do_GET(self):  # noqa: N802
        path = self.path.lstrip("/").split("?")[0]
        file = self.release / path
        body = file.read_bytes() if file.is_file() else self.package(path.replace("%2f", "/"))
        self.send_response(200 if body else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def package(self, name):
        found = {}
        for file in sorted((self.release / "npm").glob(f"{name}-[0-9]*.tgz")):
            version = file.name[len(name) + 1 : -len(".tgz")]
            packed = file.read_bytes()
            listed = subprocess.run(["tar", "-xzOf", file, "package/package.json"], stdout=subprocess.PIPE, check=True)
            digest = base64.b64encode(hashlib.sha512(packed).digest()).decode()
            host = f"http://127.0.0.1:{self.server.server_address[1]}"
            dist = {"tarball": f"{host}/npm/{file.name}", "integrity": f"sha512-{digest}"}
            found[version] = json.loads(listed.stdout) | {"dist": dist}
        if not found:
            return b""
        return json.dumps({"name": name, "versions": found, "dist-tags": {"latest": max(found)}}).encode()

    def log_message(self, *_):
        pass


def serve(address, context=None):
    server = http.server.ThreadingHTTPServer(address, Files)
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def certificate(folder):
    """A key of this run alone; the client is given it as an authority."""
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=release"]
    made += ["-addext", f"subjectAltName=IP:{ADDRESS}", "-keyout", folder / "key.pem", "-out", folder / "cert.pem"]
    subprocess.run(made, check=True, stderr=subprocess.DEVNULL)
    (folder / "cert.pem").chmod(0o644)
    return folder / "cert.pem", folder / "key.pem"


class Way:
    """One home, and what is done in it."""

    def __init__(self, name, folder, options, more=None):
        self.name = name
        self.model = ScriptedModel({MAIN: {"turns": []}})
        self.home = Home(folder / name, options.executable, options.client, self.model.url)
        self.home.env.update(more or {})

    def check(self, what, holds, detail=""):
        check(f"{self.name}: {what}", holds, detail)

    def run(self, *argv):
        done = self.home.run([str(word) for word in argv])
        return done.returncode, done.stdout + done.stderr

    def must(self, *argv):
        status, said = self.run(*argv)
        self.check(f"{' '.join(pathlib.Path(str(word)).name for word in argv)[:70]}", status == 0, said)
        return said

    def fails_in_a_session(self, what, traced=False):
        """Plays a session with a failing call; checks that it is recorded and advised, and what a person is told who asks why."""
        before = len(json_lines(self.home.state / "history.jsonl"))
        call = {"id": f"t{before}", "tool": "Bash", "input": {"command": SAYS_429, "description": "x"}}
        asks = {"id": f"u{before}", "tool": "Bash", "input": {"command": "failwise why | sed 's/^/WHY /'", "description": "x"}}
        self.model.script({MAIN: {"turns": [{"calls": [call]}, {"calls": [asks]}, {"say": "The server is busy."}]}})
        self.model.requests.clear()
        trace = self.home.folder / "tmp/execve"
        session = self.home.session("Play.", ["--allowedTools", "Bash"], before=[*STRACE, "-o", str(trace)] if traced else ())
        kinds = [event["event"] for event in json_lines(self.home.state / "history.jsonl")[before:]]
        asked = json.dumps(self.model.requests)
        self.check(f"{what}: the failure is recorded", kinds.count("failure_classified") == 1, kinds)
        self.check(f"{what}: the agent is advised", "[F1 rate_limit" in asked, asked[-600:])
        told = re.search(r"WHY \{.*?rate_limit", asked)
        self.check(f"{what}: `failwise why` tells of that call", told, asked[-600:])
        if traced:
            started = [line.split('"')[1] for line in of_hooks(trace) if line.endswith("= 0")]
            others = [program for program in started if pathlib.Path(program).name != "failwise-hook"]
            answers = len(session.hook_answers())
            self.check(f"{what}: {answers} hooks, a process each and no shell", len(started) == answers > 3 and not others, started)

    def plugin(self):
        """Where the client keeps the plugin."""
        installed = json.loads((self.home.home / ".claude/plugins/installed_plugins.json").read_text())
        return pathlib.Path(installed["plugins"]["failwise@failwise"][0]["installPath"])

    def content(self, folder):
        """A folder's files by their digests."""
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}

    def set_up(self):
        """What is true after `failwise setup`, however it was started, and after its removal. Gives the plugin's content."""
        self.doctor()
        self.fails_in_a_session("session")
        plugin = self.content(self.home.home / ".local/share/failwise/plugin")
        self.must("failwise", "setup", "--remove")
        self.check("nothing but records is left", self.left(".local") == [], self.left(".local"))
        self.check("the client lists no plugin", "failwise@" not in self.must("claude", "plugin", "list"))
        return plugin

    def left(self, below):
        return sorted(str(path.relative_to(self.home.home)) for path in (self.home.home / below).rglob("*") if path.is_file())

    def doctor(self):
        status, said = self.run("failwise", "doctor")
        self.check("doctor finds nothing wrong", status == 0 and "update" not in said, said)


def archive(folder, options, release):
    """An archive, on a machine without Rust."""
    way = Way("archive", folder, options)
    file = next(release.glob("failwise-*.tar.xz"))
    began = time.monotonic()
    way.must("sh", release / "install.sh", "--prebuilt", file)
    seconds = time.monotonic() - began
    way.check(f"installed and registered in {seconds:.1f} s", seconds < 15)
    return way.set_up()


def clone(folder, options, release):
    """A clone, with what it built."""
    way = Way("clone", folder, options)
    way.must("sh", STARTER.parents[1] / "install.sh", "--prebuilt", unpacked(folder, release))
    return way.set_up()


def cargo(folder, options, release):
    """The executables where `cargo install` puts them."""
    way = Way("cargo", folder, options)
    own = way.home.home / ".cargo/bin"
    shutil.copytree(unpacked(folder, release), own)
    give_to_user(own)
    way.home.env["PATH"] = f"{own}:{way.home.env['PATH']}"
    way.must("failwise", "setup")
    way.check("the command is not linked a second time", not (way.home.home / ".local/bin/failwise").exists())
    return way.set_up()


def unpacked(folder, release):
    """The archive's executables, in a folder that everybody may read."""
    with tarfile.open(next(release.glob("failwise-*.tar.xz"))) as packed:
        packed.extractall(folder / "unpacked", filter="data")
    return next((folder / "unpacked").glob("*/bin"))


def raised(content, version):
    """A file of the plugin in the version after this one."""
    return content.replace(f'"version": "{version}"'.encode(), f'"version": "{version}1"'.encode(), 1)


def pack_next(release):
    """The plugin's two packages again, in a version of their own; gives both versions."""
    archive = next(release.glob("failwise-plugin-*[0-9].zip"))
    version = archive.stem.removeprefix("failwise-plugin-")
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(release / f"failwise-plugin-{version}1.zip", "w") as new:
        for entry in old.infolist():
            content = old.read(entry)
            new.writestr(entry, raised(content, version) if entry.filename in MANIFESTS else content)
    package = release / f"npm/failwise-plugin-{version}.tgz"
    with tarfile.open(package) as old, tarfile.open(package.with_name(f"failwise-plugin-{version}1.tgz"), "w:gz") as new:
        for entry in old:
            content = old.extractfile(entry).read()
            content = raised(content, version) if entry.name in MANIFESTS else content
            entry.size = len(content)
            new.addfile(entry, io.BytesIO(content))
    return version, f"{version}1"


def marketplace(kind, folder, options, release, more):
    """The plugin for all systems, from a marketplace."""
    way = Way(f"marketplace-{kind}", folder, options, more)
    market = folder / way.name / "market"
    shutil.copytree(release / f"marketplace-{kind}", market)
    give_to_user(market)
    way.must("claude", "plugin", "validate", market)
    way.must("claude", "plugin", "marketplace", "add", market)
    if kind == "archive":
        listing = market / ".claude-plugin/marketplace.json"
        right = listing.read_text()
        digest = json.loads(right)["plugins"][0]["source"]["sha256"]
        listing.write_text(right.replace(digest, "0" * 64))
        way.must("claude", "plugin", "marketplace", "update", "failwise")
        status, said = way.run("claude", "plugin", "install", "failwise@failwise")
        way.check("a wrong digest is refused", status != 0 and "integrity check failed" in said, said)
        listing.write_text(right.replace(".zip", "-cut.zip"))
        way.must("claude", "plugin", "marketplace", "update", "failwise")
        status, said = way.run("claude", "plugin", "install", "failwise@failwise")
        way.check("a cut archive is refused", status != 0 and len(said) > 20, said)
        listing.write_text(right)
        way.must("claude", "plugin", "marketplace", "update", "failwise")
    way.must("claude", "plugin", "install", "failwise@failwise")
    hook = way.plugin() / "bin/failwise-hook"
    way.check("the starter waits in the hook's place", hook.read_bytes().startswith(b"#!") and os.access(hook, os.X_OK))
    way.fails_in_a_session("first session")
    way.check("the hook's place is the executable's", hook.is_symlink() and hook.read_bytes().startswith(b"\x7fELF"), os.listdir(hook.parent))
    way.fails_in_a_session("second session", traced=True)
    status, said = way.run(hook.resolve().parent / "failwise", "setup")
    way.check("setup is refused next to it", status == 1 and "claude plugin uninstall failwise@failwise" in said, said)
    status, said = way.run(hook.resolve().parent / "failwise", "doctor")
    way.check("doctor finds nothing wrong", status == 0, said)

    hook.unlink()
    hook.write_bytes(STARTER.read_bytes())
    hook.chmod(0o755)
    hook.parent.chmod(0o555)
    way.fails_in_a_session("a folder that cannot be written")
    way.check("then the starter stays", not hook.is_symlink())
    hook.parent.chmod(0o755)

    old, new = options.versions
    digest = hashlib.sha256((release / f"failwise-plugin-{new}.zip").read_bytes()).hexdigest()
    listing = market / ".claude-plugin/marketplace.json"
    listed = json.loads(listing.read_text())
    source = listed["plugins"][0]["source"]
    source |= {"version": new} if kind == "npm" else {"url": source["url"].replace(old, new), "sha256": digest}
    listing.write_text(json.dumps(listed))
    way.must("claude", "plugin", "marketplace", "update", "failwise")
    way.must("claude", "plugin", "update", "failwise@failwise")
    way.check("the client has the next version", json.loads((way.plugin() / MANIFESTS[0]).read_text())["version"] == new)
    way.fails_in_a_session("first session of the next version")
    way.check("the hook's place is the executable's, too", (way.plugin() / "bin/failwise-hook").is_symlink())
    way.must("claude", "plugin", "uninstall", "failwise@failwise")
    way.must("claude", "plugin", "marketplace", "remove", "failwise")
    recorded = [name for name in way.left(".local") if "state/failwise" not in name]
    way.check("nothing but records is left", recorded == [], recorded)
    # The client itself removes a version that it does not use any more after some days.
    kept = [name for name in way.left(".claude/plugins/cache") if "failwise" in name]
    unmarked = [name for name in kept if not (way.home.home / "/".join(name.split("/")[:6]) / ".orphaned_at").exists()]
    way.check("what the client still keeps is marked for removal", unmarked == [], unmarked[:5])


def other_system(folder):
    """The starter where nothing is there for the system: one sentence at the start of a session, else silence."""
    place = folder / "other"
    place.mkdir()
    shutil.copy(STARTER, place / "failwise-hook")
    for event, words in (("SessionStart", "is not there for"), ("PostToolUse", "")):
        payload = json.dumps({"hook_event_name": event}, separators=(",", ":"))
        done = subprocess.run([place / "failwise-hook"], input=payload, capture_output=True, text=True)
        said = json.loads(done.stdout)["systemMessage"] if words else done.stdout
        check(f"another system: {event}", done.returncode == 0 and (words in said if words else said == ""), said)


def npm(folder, options, more):
    """`npm i -g`, then setup."""
    way = Way("npm", folder, options, {**more, "npm_config_prefix": str(folder / "npm/home/.npm-global")})
    way.home.env["PATH"] = f"{folder}/npm/home/.npm-global/bin:{way.home.env['PATH']}"
    way.must("npm", "install", "-g", "--ignore-scripts", "--no-audit", "--no-fund", "failwise")
    shim = way.home.home / ".npm-global/lib/node_modules/failwise/failwise.js"
    way.check("a script starts the executable", b"node" in shim.read_bytes()[:40] and "failwise 0." in way.must("failwise", "--version"))
    way.must("failwise", "setup")
    way.check("setup puts a link in its place", shim.is_symlink() and "failwise 0." in way.must("failwise", "--version"))
    way.check("no second link is made", not (way.home.home / ".local/bin/failwise").exists())
    return way.set_up()


def main():
    options = option_parser("ways.sh").parse_args()
    folder = pathlib.Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    release = Files.release = options.prebuilt
    plugin = next(release.glob("failwise-plugin-*.zip"))
    (release / plugin.name.replace(".zip", "-cut.zip")).write_bytes(plugin.read_bytes()[: plugin.stat().st_size // 2])
    more = {"npm_config_registry": f"http://127.0.0.1:{serve(('127.0.0.1', 0))}"}
    try:
        plugins = [archive(folder, options, release), npm(folder, options, more)]
        plugins += [clone(folder, options, release), cargo(folder, options, release)]
        check("archive, npm, clone and cargo end with the same plugin, byte for byte", plugins == plugins[:1] * 4 and len(plugins[0]) > 20)
        options.versions = pack_next(release)
        marketplace("npm", folder, options, release, more)
        given = subprocess.run(["ip", "addr", "add", f"{ADDRESS}/32", "dev", "lo"], capture_output=True)
        if given.returncode == 0:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            authority, key = certificate(folder)
            context.load_cert_chain(authority, key)
            serve((ADDRESS, PORT), context)
            marketplace("archive", folder, options, release, {"NODE_EXTRA_CA_CERTS": str(authority)})
        else:
            print("marketplace-archive: not played, the namespace takes no further address")
        other_system(folder)
    except (SetupError, OSError, ValueError, KeyError, StopIteration) as error:
        check(f"{type(error).__name__}: {error}", False)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"ways: {COUNTS['passed']} passed, {COUNTS['failed']} failed")
    return 1 if COUNTS["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
