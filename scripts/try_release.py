"""Unpacks every file of a release and runs what is in it, where this machine can: alone, by qemu or by wine. A line a file goes to
BUILT; ends with 1 where an executable is of another system than its place says, is no static one on Linux, or does not run.
"""

import argparse
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

from pack import NODE_NAMES, ROOT

PROCESSORS = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}
HERE = (sys.platform, PROCESSORS.get(platform.machine().lower(), platform.machine()))
# Where Debian keeps what it puts on nobody's PATH.
WINE = shutil.which("wine64") or shutil.which("wine") or shutil.which("wine64", path="/usr/lib/wine")
QEMU = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
FAILURE = (ROOT / "examples/failure.json").read_bytes()
ELF, MACH_O = b"\x7fELF", b"\xcf\xfa\xed\xfe"


def system_of(content):
    """The system and processor that an executable is for, by its first bytes; None for any other file."""
    if content.startswith(ELF):
        return "linux", {62: "x64", 183: "arm64"}.get(int.from_bytes(content[18:20], "little"))
    if content.startswith(MACH_O):
        return "darwin", {0x01000007: "x64", 0x0100000C: "arm64"}.get(int.from_bytes(content[4:8], "little"))
    return ("win32", "x64") if content.startswith(b"MZ") else None


def needs_a_loader(content):
    """Whether a Linux executable names a dynamic linker: then it runs only where that one is."""
    table, size, count = (int.from_bytes(content[at : at + n], "little") for at, n in ((32, 8), (54, 2), (56, 2)))
    return any(int.from_bytes(content[at : at + 4], "little") == 3 for at in range(table, table + size * count, size))


def place_says(path):
    """The system that the name of a file, or of a folder around it, promises."""
    names = {target: node for target, node in NODE_NAMES.items()} | {"-".join(node): node for node in NODE_NAMES.values()}
    found = {node for name, node in names.items() if name in path}
    return found or ({("win32", "x64")} if path.endswith(".exe") else set())


class Trial:
    """One pass over a release."""

    def __init__(self, release, version, work):
        self.release, self.version, self.work = release, version, work
        self.wine_env = {"HOME": str(work), "WINEPREFIX": str(work / "wine"), "WINEDEBUG": "-all", "PATH": os.environ["PATH"]}
        self.lines, self.faults = [], 0
        self.is_wine_ready = None

    def note(self, *words, is_fault=False):
        self.lines.append("\t".join(words))
        self.faults += is_fault
        print(self.lines[-1], flush=True)

    def start(self, system):
        """How an executable of a system is started here; None where it is not."""
        if system == HERE:
            return []
        if system == ("linux", "arm64") and sys.platform == "linux":
            return [QEMU] if QEMU else None
        if system[0] == "win32":
            return [WINE] if WINE and self.prepare_wine() else None
        return None

    def prepare_wine(self):
        """Old versions of wine lack the library of random numbers that Rust asks for: a stand-in is made beside them."""
        if self.is_wine_ready is None:
            made = self.work / "dlls"
            made.mkdir()
            build = ["cargo-zigbuild", "zig", "cc", "--", "-target", "x86_64-windows-gnu", "-shared", "-ladvapi32"]
            build += ["-o", made / "bcryptprimitives.dll", ROOT / "scripts/wine_random.c"]
            done = subprocess.run(build, capture_output=True, check=False)
            self.wine_env["WINEPATH"] = f"Z:{str(made).replace('/', chr(92))}"
            self.is_wine_ready = done.returncode == 0
        return self.is_wine_ready

    def run(self, system, argv, given=b"", env=None):
        env = (self.wine_env if system[0] == "win32" else {"HOME": str(self.work)}) | (env or {})
        return subprocess.run([*self.start(system), *argv], input=given, env=env, capture_output=True, timeout=120, check=False)

    def try_file(self, packed):
        folder = self.work / "unpacked"
        name = packed.relative_to(self.release)
        if packed.suffix == ".zip":
            with zipfile.ZipFile(packed) as archive:
                for entry in archive.infolist():
                    pathlib.Path(archive.extract(entry, folder)).chmod(entry.external_attr >> 16)
        else:
            with tarfile.open(packed) as archive:
                archive.extractall(folder, filter="data")
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            content = path.read_bytes()
            system = system_of(content)
            inside = str(path.relative_to(folder))
            if system is None:
                continue
            if system not in place_says(f"{name}/{inside}"):
                self.note(str(name), inside, f"is of {system}", is_fault=True)
            elif system[0] == "linux" and needs_a_loader(content):
                self.note(str(name), inside, "is not static", is_fault=True)
            elif self.start(system) is None:
                self.note(str(name), inside, "not run: nothing here runs it")
            else:
                done = self.run(system, [path, "--version"])
                said = done.stdout.decode().strip()
                is_right = said == f"{path.name.removesuffix('.exe')} {self.version}"
                self.note(str(name), inside, f"run: {said or done.stderr.decode()[-200:].strip()}", is_fault=not is_right)
        if len(found := [top for top in folder.iterdir() if (top / "bin").is_dir()]) == 1 and name.parent == pathlib.Path():
            self.try_plugin(str(name), found[0] / "bin")
        shutil.rmtree(folder)

    def try_plugin(self, name, executables):
        """The hook's record of a failure, in a home of its own; on Linux in a root with nothing else in it, the commands too."""
        (hook,) = (path for path in executables.iterdir() if path.stem == "failwise-hook")
        system = system_of(hook.read_bytes())
        if self.start(system) is None:
            return
        state = self.work / "state"
        env = {"FAILWISE_DIR": str(state)}
        if system[0] == "win32":
            # What wine makes of its own home: nothing but USERPROFILE and LOCALAPPDATA is known.
            env = {}
        # The folder of a call has a drive there.
        failure = FAILURE.replace(b"/srv/shop", rb"C:\\shop") if system[0] == "win32" else FAILURE
        done = self.run(system, [hook], failure, env)
        places = [state] if env else [self.work / "wine"]
        kept = [line for place in places for file in place.rglob("history.jsonl") for line in file.read_text().splitlines()]
        verdicts = [json.loads(line) for line in kept]
        classes = [event["verdict"]["class"] for event in verdicts if event.get("event") == "failure_classified"]
        self.note(name, "hook", f"records {classes}", is_fault=classes != ["F1"] or done.returncode != 0)
        shutil.rmtree(state, ignore_errors=True)
        if system == HERE and sys.platform == "linux":
            self.try_alone(name, executables)

    def try_alone(self, name, executables):
        root = self.work / "root"
        (root / "home").mkdir(parents=True)
        for file in (*executables.iterdir(), ROOT / "examples/session.jsonl"):
            shutil.copy(file, root)
        enter = ["chroot", root] if os.geteuid() == 0 else ["unshare", "--map-root-user", "chroot", root]
        env = {"HOME": "/home", "PATH": os.environ["PATH"]}
        for command in (["/failwise", "replay", "/session.jsonl"], ["/failwise-hook"]):
            if not (executables / command[0][1:]).exists():
                continue
            done = subprocess.run([*enter, *command], input=FAILURE, env=env, capture_output=True, timeout=60, check=False)
            is_right = done.returncode == 0 and done.stdout
            said = "runs" if is_right else f"does not run: {done.stderr.decode()[-200:].strip()}"
            self.note(name, f"in a root with nothing else: {' '.join(command)}", said, is_fault=not is_right)
        shutil.rmtree(root)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        trial = Trial(options.out, options.version, pathlib.Path(work))
        for pattern in ("*.tar.xz", "*.zip", "npm/*.tgz"):
            for packed in sorted(options.out.glob(pattern)):
                trial.try_file(packed)
        with (options.out / "BUILT").open("a") as built:
            built.write("".join(f"{line}\n" for line in trial.lines))
    return 1 if trial.faults else 0


if __name__ == "__main__":
    sys.exit(main())
