"""Packs what release.sh built: an archive for each system, the npm packages, the plugin for all systems with its
marketplaces, and SHA256SUMS. Dates, owners, permissions and order are fixed, so that the same input gives the same bytes.
"""

import argparse
import gzip
import hashlib
import io
import json
import lzma
import os
import pathlib
import re
import subprocess
import tarfile
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What Node calls each system, which is what packages and the plugin's folders are named by.
NODE_NAMES = {
    "x86_64-unknown-linux-musl": ("linux", "x64"),
    "aarch64-unknown-linux-musl": ("linux", "arm64"),
    "x86_64-pc-windows-gnu": ("win32", "x64"),
    "aarch64-apple-darwin": ("darwin", "arm64"),
    "x86_64-apple-darwin": ("darwin", "x64"),
}
DATE = int(os.environ["SOURCE_DATE_EPOCH"])
# A plugin that a client downloads for every system at once stays below this, in bytes; else it has the hooks alone.
LARGEST_PLUGIN = 40_000_000
LICENCE_FILE = re.compile(r"(licen[cs]e|copying|notice)", re.IGNORECASE)


def plugin_files():
    """The plugin's files by their paths: those that `failwise setup` writes, by the list of build.rs."""
    parts = re.search(r"const PLUGIN: .*?\[(.*?)\];", (ROOT / "build.rs").read_text(), re.DOTALL).group(1)
    files = {}
    for part in re.findall(r'"(.*?)"', parts):
        path = ROOT / part
        for file in [path] if path.is_file() else (file for file in path.rglob("*") if file.is_file()):
            files[str(file.relative_to(ROOT))] = (file.read_bytes(), 0o644)
    return files


def licences(target):
    """The licences of every crate that is linked for a target, with their texts."""
    tree = ["cargo", "tree", "--locked", "--workspace", "-e", "normal", "--prefix", "none", "--target", target, "-f", "{p}"]
    linked = {tuple(line.split()[:2]) for line in output(tree).splitlines() if line}
    metadata = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target]
    known = json.loads(output(metadata))["packages"]
    pages = []
    for package in sorted(known, key=lambda package: (package["name"], package["version"])):
        name, version = package["name"], package["version"]
        if (name, f"v{version}") not in linked or package["source"] is None:
            continue
        folder = pathlib.Path(package["manifest_path"]).parent
        texts = sorted(file for file in folder.iterdir() if file.is_file() and LICENCE_FILE.match(file.name))
        page = "\n\n".join(text.read_text(errors="replace").strip() for text in texts)
        pages.append(f"{name} {version}: {package['license'] or 'see the text'}\n\n{page or 'No text comes with it.'}\n")
    return ("\n" + "-" * 80 + "\n\n").join(["What is linked into these executables.\n", *pages]).encode()


def output(command):
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def tar_bytes(files, top):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path in sorted(files):
            content, mode = files[path]
            entry = tarfile.TarInfo(f"{top}/{path}")
            entry.size, entry.mode, entry.mtime = len(content), mode, DATE
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def zip_bytes(files, top=None):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(files):
            content, mode = files[path]
            entry = zipfile.ZipInfo(f"{top}/{path}" if top else path, time.gmtime(DATE)[:6])
            entry.create_system, entry.external_attr = 3, (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return packed.getvalue()


def npm_bytes(files):
    return gzip.compress(tar_bytes(files, "package"), 9, mtime=0)


def text(value):
    return ((value if isinstance(value, str) else json.dumps(value, indent=2) + "\n").encode(), 0o644)


class Release:
    """The files of one release."""

    def __init__(self, version, out, url):
        self.version, self.out, self.url = version, out, url
        self.plugin = plugin_files()
        self.built = {}
        for target in NODE_NAMES:
            folder = out / "built" / target
            if folder.is_dir():
                self.built[target] = {file.name: (file.read_bytes(), 0o755) for file in sorted(folder.iterdir())}
        # Without the hook or the commands, nothing can be set up.
        self.whole = {target: executables for target, executables in self.built.items() if len(executables) == 2}

    def write(self, name, content):
        path = self.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def package(self, name, **more):
        manifest = json.loads((ROOT / "packages/package.json").read_text())
        manifest = {"name": name, "version": self.version, **{key: manifest[key] for key in ("description", "license")}, **more}
        return text(manifest)

    def licence_files(self, target=None):
        own = {name: self.plugin[name] for name in ("LICENSE", "LICENSE-APACHE", "LICENSE-MIT")}
        return own | ({"THIRD-PARTY-LICENSES": (licences(target), 0o644)} if target else {})

    def archives(self):
        """One for each system, with the plugin and both executables: what `install.sh --prebuilt` and people unpack."""
        for target, executables in self.whole.items():
            top = f"failwise-{self.version}-{target}"
            files = self.plugin | self.licence_files(target)
            files |= {f"bin/{name}": file for name, file in executables.items()}
            if "windows" in target:
                self.write(f"{top}.zip", zip_bytes(files, top))
            else:
                self.write(f"{top}.tar.xz", lzma.compress(tar_bytes(files, top), preset=9 | lzma.PRESET_EXTREME))

    def npm(self):
        """`failwise` with a package for each system, of which npm fetches one."""
        systems = {}
        for target, executables in self.whole.items():
            system, processor = NODE_NAMES[target]
            name = f"failwise-{system}-{processor}"
            systems[name] = self.version
            files = {f"bin/{name}": file for name, file in executables.items()} | self.licence_files(target)
            files["package.json"] = self.package(name, os=[system], cpu=[processor])
            self.write(f"npm/{name}-{self.version}.tgz", npm_bytes(files))
        shim = ((ROOT / "packages/failwise.js").read_bytes(), 0o755)
        files = {"failwise.js": shim, "README.md": self.plugin["README.md"], **self.licence_files()}
        files["package.json"] = self.package(
            "failwise", bin={"failwise": "failwise.js"}, engines={"node": ">=14"}, optionalDependencies=systems
        )
        self.write(f"npm/failwise-{self.version}.tgz", npm_bytes(files))

    def plugin_for_all(self):
        """The plugin with the executables of every system: the commands too, where it stays small enough."""
        starter = ((ROOT / "packages/starter.sh").read_bytes(), 0o755)
        with_commands = None
        for names in (("failwise-hook", "failwise"), ("failwise-hook",)):
            # Without the commands, their starter says how to have them.
            files = self.plugin | {"bin/failwise-hook": starter, "bin/failwise": starter}
            for target, executables in self.built.items():
                system, processor = NODE_NAMES[target]
                files[f"THIRD-PARTY-LICENSES-{system}-{processor}"] = (licences(target), 0o644)
                for name, file in executables.items():
                    if name.removesuffix(".exe") in names:
                        # A name with an ending is found on Windows, and nowhere else.
                        folder = "bin" if system == "win32" else f"bin/{system}-{processor}"
                        files[f"{folder}/{name}"] = file
            packed = zip_bytes(files)
            with_commands = names[-1] == "failwise"
            if len(packed) <= LARGEST_PLUGIN:
                break
        print(f"the plugin for all systems: {len(packed)} bytes, {'with' if with_commands else 'without'} the commands")
        name = f"failwise-plugin-{self.version}.zip"
        self.write(name, packed)
        self.write(f"npm/failwise-plugin-{self.version}.tgz", npm_bytes(files | {"package.json": self.package("failwise-plugin")}))
        archive = {"source": "archive", "url": f"{self.url or 'https://example.invalid'}/{name}"}
        archive["sha256"] = hashlib.sha256(packed).hexdigest()
        self.marketplace("archive", archive)
        self.marketplace("npm", {"source": "npm", "package": "failwise-plugin", "version": self.version})

    def marketplace(self, kind, source):
        market = json.loads(self.plugin[".claude-plugin/marketplace.json"][0])
        plugin = next(plugin for plugin in market["plugins"] if plugin["name"] == "failwise")
        market["plugins"] = [plugin | {"source": source}]
        self.write(f"marketplace-{kind}/.claude-plugin/marketplace.json", text(market)[0])

    def installers(self):
        script = (ROOT / "install.sh").read_text()
        if self.url:
            script = script.replace("release=${FAILWISE_RELEASE_URL:-}", f"release=${{FAILWISE_RELEASE_URL:-{self.url}}}")
        # It is started without a clone, so the version that it takes is its own.
        script = script.replace("version() {", f"version() {{ echo {self.version}; return; ", 1)
        self.write("install.sh", script.encode())

    def sums(self):
        # What ran says something about this machine, too.
        packed = (file for file in self.out.rglob("*") if file.is_file() and file.name != "BUILT")
        files = sorted(file for file in packed if self.out / "built" not in file.parents)
        lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.relative_to(self.out)}\n" for file in files]
        self.write("SHA256SUMS", "".join(line for line in lines if not line.endswith("  SHA256SUMS\n")).encode())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--url")
    options = parser.parse_args()
    release = Release(options.version, options.out, options.url)
    release.archives()
    release.npm()
    release.plugin_for_all()
    release.installers()
    release.sums()


if __name__ == "__main__":
    main()
