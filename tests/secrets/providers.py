#!/usr/bin/env python3
"""Makes core/src/redact/packages.rs and tests/secrets/packages.tsv: shapes of tokens, from the rules of two packages.

usage: providers.py SECRETLINT_PRESET DETECT_SECRETS

SECRETLINT_PRESET: the unpacked npm package @secretlint/secretlint-rule-preset-recommend; DETECT_SECRETS: the unpacked source
of detect-secrets from PyPI. A rule becomes a row where it begins with letters of its own and goes on with one class of
characters; every other rule needs its reason in LEFT_OUT. Only the shapes are taken: a beginning, a class, a length.
"""
import json
import pathlib
import re
import sys
import warnings

warnings.simplefilter("ignore")
import sre_parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIGITS, LOWER, UPPER = set("0123456789"), set("abcdefghijklmnopqrstuvwxyz"), set("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
# From the narrowest to the widest: the first that holds all that a body may be of is taken.
CLASSES = [
    ("hex", DIGITS | set("abcdefABCDEF")),
    ("capital", DIGITS | UPPER),
    ("small", DIGITS | LOWER),
    ("letter", DIGITS | LOWER | UPPER),
    ("is_word", DIGITS | LOWER | UPPER | {"_"}),
    ("dashed", DIGITS | LOWER | UPPER | set("_-")),
    ("dotted", DIGITS | LOWER | UPPER | set("_-.")),
    ("slashed", DIGITS | LOWER | UPPER | set("_-/")),
    ("is_base64", DIGITS | LOWER | UPPER | set("_-+/=")),
]
SHORTEST_BODY, SHORTEST_BEGINNING, LONG_BEGINNING = 10, 2, 3

# A part of the pattern, and why no row is made of it.
LEFT_OUT = {
    r"(?:https?|ftp|ftps)": "credentials of any address go: core/src/redact/credentials.rs",
    "x-oauth-basic": "credentials of any address go: core/src/redact/credentials.rs",
    r"mongodb(?:\+srv)": "credentials of any address go: core/src/redact/credentials.rs",
    "mysql": "credentials of any address go: core/src/redact/credentials.rs",
    "postgres": "credentials of any address go: core/src/redact/credentials.rs",
    "cloudant": "credentials of any address go: core/src/redact/credentials.rs",
    "A3T": "AKIA and the like are rows; A3T and four letters are test keys of old",
    "AKC": "ten letters behind three capitals are words of programs; AKCp with the length of a key is a row",
    r"AP[\dABCDEF]": "eight letters behind three capitals are words of programs",
    "aws.": "told by the name before it: core/src/redact/name.rs",
    r"(=|,|\()": "any forty letters: commits and digests look the same",
    "AccountKey=": "told by the name before it: core/src/redact/name.rs",
    r"[MNO][a-zA-Z": "three parts between dots with no beginning of their own: names of files and methods look the same",
    "ibm": "told by the name before it: core/src/redact/name.rs",
    "eyJ": "a signed token of the web: `web_token` in core/src/redact/token.rs",
    "-us[0-9]": "known by its end: `of_data_centre` in core/src/redact/token.rs",
    "_authToken": "told by the name before it: core/src/redact/name.rs",
    r"hooks\.slack": "a row of its own, without the scheme: core/src/redact/token.rs",
    "api.softlayer.com": "the address of a service that is no more",
    "softlayer": "told by the name before it: core/src/redact/name.rs",
    r"\d{8,10}:": "known by its middle: `bot_token` in core/src/redact/token.rs",
    r"AC[a-z0-9]": "names an account and opens nothing",
    r"SK[a-z0-9]": "a row of its own, of hexadecimal digits: core/src/redact/token.rs",
    r"sk-[A-Za-z0-9-_]*": "the row of sk- holds it: core/src/redact/token.rs",
    "PRIVATE KEY": "a block of lines: core/src/redact/private_key.rs",
    r"SG\.": "a row of its own, with the dots: core/src/redact/token.rs",
    r"sl_": "told by the name before it: core/src/redact/name.rs",
    r"{secret": "told by the name before it: core/src/redact/name.rs",
    "%[A-Z_]": "a placeholder",
    r"\$[A-Z_]": "a placeholder",
    r"(\w+)": "a name, no token",
}


def patterns():
    """Package, version, licence, rule and pattern of everything that may be a shape."""
    preset, detect = map(pathlib.Path, sys.argv[1:3])
    about = json.loads((preset / "package.json").read_text())
    text = (preset / "module" / "index.js").read_text()
    literal = r"(?:^|[=(,:\s])/((?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])*[A-Za-z_\-]{2}(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])*\{\d+(?:,\d*)?\}(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])*)/[a-z]*"
    for found in dict.fromkeys(re.findall(literal, text)):
        yield "@secretlint/secretlint-rule-preset-recommend", about["version"], about["license"], found
    version = re.search(r"VERSION = '([^']+)'", (detect / "detect_secrets" / "__version__.py").read_text())[1]
    for path in sorted((detect / "detect_secrets" / "plugins").glob("*.py")):
        if path.stem in ("__init__", "base", "keyword", "high_entropy_strings", "ip_public", "basic_auth", "private_key"):
            continue
        for call in re.findall(r"re\.compile\(\s*((?:\s*(?:#[^\n]*\n)?\s*r?(?:'[^'\n]*'|\"[^\"\n]*\"))+)", path.read_text()):
            yield "detect-secrets", version, "Apache-2.0", "".join(
                re.sub(r"^r?['\"]|['\"]$", "", part) for part in re.findall(r"r?(?:'[^'\n]*'|\"[^\"\n]*\")", call))


def rows(pattern):
    """Beginnings, class and shortest length of a pattern; None where it is of another form."""
    plain = pattern.replace(r"(?<!\p{L})", "").replace(r"\p{L}", "a").replace(r"\/", "/")
    plain = re.sub(r"\(\?<([a-z]+)>", r"(?:", plain)
    try:
        parsed = list(sre_parse.parse(plain))
    except (re.error, OverflowError):
        return None
    begins, rest = [""], []
    for number, (name, value) in enumerate(parsed):
        step = literal(name, value)
        if step is None:
            rest = parsed[number:]
            break
        begins = [begin + more for begin in begins for more in step]
    if not rest or any(len(begin) < SHORTEST_BEGINNING for begin in begins):
        return None
    held = sequence(rest)
    if held is None:
        return None
    letters, shortest = held
    of_class = next((name for name, known in CLASSES if letters <= known), None)
    # A long beginning is enough to tell what follows by, but for a word or two behind it.
    if of_class is None or (shortest < SHORTEST_BODY and min(map(len, begins)) < LONG_BEGINNING):
        return None
    return begins, of_class, max(shortest, SHORTEST_BODY)


def literal(name, value):
    """What a part of a pattern may read as, if that is a few words."""
    name = str(name)
    if name == "AT":
        return [""]
    if name == "LITERAL":
        return [chr(value)]
    if name == "IN" and all(str(kind) == "LITERAL" for kind, _ in value):
        return [chr(item) for _, item in value]
    if name == "SUBPATTERN":
        return whole(value[-1])
    if name == "BRANCH":
        words = [whole(branch) for branch in value[1]]
        return None if any(word is None for word in words) else [word for these in words for word in these]
    return None


def whole(parts):
    words = [""]
    for name, value in parts:
        step = literal(name, value)
        if step is None:
            return None
        words = [word + more for word in words for more in step]
    return words


def body(name, value):
    """The characters that a part holds and how many there are at least."""
    name = str(name)
    if name in ("AT", "ASSERT_NOT", "ASSERT"):
        return set(), 0
    if name == "LITERAL":
        return {chr(value)}, 1
    if name == "IN":
        held = set()
        for kind, item in value:
            kind = str(kind)
            if kind == "LITERAL":
                held.add(chr(item))
            elif kind == "RANGE":
                held |= {chr(code) for code in range(item[0], item[1] + 1)}
            elif kind == "CATEGORY" and "DIGIT" in str(item):
                held |= DIGITS
            elif kind == "CATEGORY" and "WORD" in str(item):
                held |= DIGITS | LOWER | UPPER | {"_"}
            else:
                return None
        return held - {"\\"}, 1
    if name in ("MAX_REPEAT", "MIN_REPEAT"):
        least, _, inner = value
        held = sequence(inner)
        return None if held is None else (held[0], held[1] * least)
    if name == "SUBPATTERN":
        return sequence(value[-1])
    if name == "BRANCH":
        branches = [sequence(branch) for branch in value[1]]
        if any(branch is None for branch in branches):
            return None
        return set().union(*(branch[0] for branch in branches)), min(branch[1] for branch in branches)
    return None


def sequence(parts):
    letters, shortest = set(), 0
    for name, value in parts:
        held = body(name, value)
        if held is None:
            return None
        letters |= held[0]
        shortest += held[1]
    return letters, shortest


def main():
    own = re.findall(r"\), &\[(.*?)\]\),", (ROOT / "core/src/redact/token.rs").read_text(), re.DOTALL)
    known = {word for row in own for word in re.findall(r'"([^"]+)"', row)}
    table, lines, about = [], [], {}
    for package, version, licence, pattern in patterns():
        about[package] = f"{package} {version} ({licence})"
        reason = next((why for part, why in LEFT_OUT.items() if part in pattern), None)
        shape = None if reason else rows(pattern)
        if shape is None:
            if reason is None:
                sys.exit(f"{pattern}: no row can be made of it, and LEFT_OUT has no reason")
            lines.append((package, version, pattern, "left out", reason))
            continue
        begins, of_class, shortest = shape
        for begin in begins:
            lines.append((package, version, pattern, f"{begin} {of_class} {shortest}", ""))
            if begin not in known and not any(begin.startswith(other) and len(other) > 3 for other in known):
                known.add(begin)
                table.append((begin, of_class, shortest))
    write(table, lines, about.values())


def write(table, lines, about):
    used = sorted({of_class for _, of_class, _ in table})
    own = ", ".join(name for name in used if name not in ("is_word", "is_base64"))
    shared = ", ".join(name for name in used if name in ("is_word", "is_base64"))
    text = "//! Shapes of tokens that stand in the rules of two packages and not in the table of [`super::token`].\n//!\n"
    text += "//! Made by tests/secrets/providers.py from " + " and\n//! ".join(about) + ".\n\n"
    if shared:
        text += f"use super::bytes::{shared if len(shared.split()) == 1 else chr(123) + shared + chr(125)};\n"
    text += "use super::table::Row;\n"
    text += f"use super::token::{{{', '.join(['TokenFamily', *sorted(own.split(', ') + ['family'])])}}};\n\n#[rustfmt::skip]\npub(super) const PACKAGES: &[Row<TokenFamily>] = &[\n"
    rows = {}
    for begin, of_class, shortest in table:
        rows.setdefault((of_class, shortest), []).append(f'"{begin}"')
    for (of_class, shortest), begins in rows.items():
        text += f'    (family("provider_token", {of_class}, {shortest}), &[{", ".join(begins)}]),\n'
    (ROOT / "core/src/redact/packages.rs").write_text(text + "];\n")
    out = "package\tversion\tpattern\tshape\twhy not\n"
    out += "".join("\t".join(line) + "\n" for line in lines)
    (ROOT / "tests/secrets/packages.tsv").write_text(out)


if __name__ == "__main__":
    main()
