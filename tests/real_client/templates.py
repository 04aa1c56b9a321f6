"""Asks the true client what it makes of each template, and holds `failwise render` to it. Started by templates.sh."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from client import Home, SetupError, as_user, give_to_user, option_parser
from scripted_model import MAIN, ScriptedModel

ROWS = pathlib.Path(__file__).parent / "templates.json"
REMINDER = "<system-reminder>"
COMMAND = "<command-"
LIMIT_S = 60


def main():
    options = arguments()
    rows = json.loads(ROWS.read_text())
    folder = pathlib.Path(tempfile.mkdtemp(prefix="failwise-templates."))
    folder.chmod(0o755)
    failed = 0
    try:
        for row, answer in zip(rows, answers(rows, folder, options)):
            rendered = render(row, options.prebuilt / "failwise")
            for who, text in (("the client", answer), ("failwise render", rendered)):
                if text != row["expected"]:
                    failed += 1
                    print(f"FAILED {json.dumps(row['body'])} with {json.dumps(row['arguments'])}")
                    print(f"         {who} made {json.dumps(text)} of it, not {json.dumps(row['expected'])}")
    finally:
        shutil.rmtree(folder)
    print(f"templates: {len(rows) - failed} passed, {failed} failed")
    return 1 if failed else 0


def arguments():
    return option_parser("templates.sh").parse_args()


def answers(rows, folder, options):
    """What the model was sent for each row, in order."""
    model = ScriptedModel({MAIN: {"turns": []}})
    try:
        home = Home(folder / "home", options.executable, options.client, model.url)
        commands = home.project / ".claude" / "commands"
        commands.mkdir(parents=True)
        for number, row in enumerate(rows):
            (commands / f"t{number}.md").write_bytes(row["body"].encode())
        give_to_user(home.folder)
        for number, row in enumerate(rows):
            model.script({MAIN: {"turns": [{"say": "Done."}]}})
            before = len(model.requests)
            ask(home, f"/t{number} {row['arguments']}")
            asked = [request for request in model.requests[before:] if request["lane"] == MAIN]
            yield text_of(asked[0]["body"]["messages"]) if asked else "no request at all"
    finally:
        model.stop()


def ask(home, prompt):
    """One run of the client, whose answer does not matter."""
    argv = ["claude", "-p", "--model", "claude-sonnet-4-5"]
    done = subprocess.run(
        argv, input=prompt.encode(), cwd=home.project, env=home.env, capture_output=True, timeout=LIMIT_S, **as_user()
    )
    if done.returncode != 0:
        raise SetupError(f"the client ended with {done.returncode}: {done.stdout}{done.stderr}")


def text_of(messages):
    """What the command became: the last text that is neither a reminder nor the command's own mark."""
    texts = []
    for message in messages:
        content = message["content"]
        blocks = [{"text": content}] if isinstance(content, str) else content
        texts += [block.get("text", "") for block in blocks]
    own = [text for text in texts if not text.startswith((REMINDER, COMMAND))]
    # Nothing at all is left out of the request.
    return own[-1] if own else ""


def render(row, failwise):
    argv = [failwise, "render", "-", "--dialect", "claude", "--arguments", row["arguments"]]
    return subprocess.run(argv, input=row["body"].encode(), capture_output=True, check=True).stdout.decode()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except SetupError as error:
        sys.exit(f"templates.py: {error}")
