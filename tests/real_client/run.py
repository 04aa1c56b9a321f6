"""Plays the situations with the true client and checks what came of each. Started by run.sh."""

import pathlib
import shutil
import sys
import tempfile
import time

import expectations
import situation
from client import SetupError, option_parser

CLONE = pathlib.Path(__file__).parent.parent.parent
NOT_PART_OF_A_CLONE = shutil.ignore_patterns("target", ".git", "bin", "__pycache__", "node_modules")


def main():
    options = arguments()
    folder = options.keep or pathlib.Path(tempfile.mkdtemp(prefix="failwise-real-client."))
    try:
        clone, executables = stage(folder, options.prebuilt)
        chosen = [options.only] if options.only else situation.names_for(options.client)
        failed = sum(not play(name, folder / name, clone, executables, options) for name in chosen)
    finally:
        if not options.keep:
            shutil.rmtree(folder)
    print(f"real-client: {len(chosen) - failed} passed, {failed} failed")
    return 1 if failed else 0


def arguments():
    parser = option_parser("run.sh")
    parser.add_argument("--only", choices=situation.names(), metavar="NAME")
    parser.add_argument("--keep", type=pathlib.Path)
    return parser.parse_args()


def stage(folder, prebuilt):
    """Copies what the user of the test needs to where that user may read it: the checkout may be private."""
    clone, executables = folder / "clone", folder / "executables"
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    for path in (clone, executables):
        shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(CLONE, clone, ignore=NOT_PART_OF_A_CLONE)
    executables.mkdir()
    for name in ("failwise", "failwise-hook", "failwise-mcp"):
        shutil.copy(prebuilt / name, executables)
    for path in [clone, executables, *clone.rglob("*"), *executables.rglob("*")]:
        path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))
    return clone, executables


def play(name, folder, clone, executables, options):
    """Plays one situation; prints what came of it; gives whether all of it holds."""
    started = time.monotonic()
    shutil.rmtree(folder, ignore_errors=True)
    try:
        played = situation.Played(name, folder, options.executable, options.client, clone, executables)
        problems = list(expectations.check(played))
    except (SetupError, OSError, ValueError, KeyError) as error:
        problems = [f"{type(error).__name__}: {error}"]
    print(f"{'FAILED' if problems else 'ok    '} {name} ({time.monotonic() - started:.1f} s)")
    for problem in problems:
        print(f"         {problem}")
    sys.stdout.flush()
    return not problems


if __name__ == "__main__":
    sys.exit(main())
