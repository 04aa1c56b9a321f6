#!/usr/bin/env python3
"""Makes a day of a fleet: records as `failwise ship --format jsonl` writes them, and the client's own telemetry beside them.

    make_day.py FOLDER [--verdicts N] [--machines N] [--seed N]

FOLDER/records.jsonl has the records, some of them twice, as a sending that is tried again brings them; FOLDER/client.jsonl has
the `tool_result` and `api_request` events of the same calls. Everything in them is made up; the same seed makes the same bytes.
"""
import argparse
import json
import random
from datetime import datetime, timedelta, timezone
from pathlib import Path

DAY = datetime(2026, 3, 2, tzinfo=timezone.utc)
PROGRAMS = ["git push", "git commit", "gh pr", "npm run", "npx tsc", "cargo test", "go test", "pytest", "docker build",
            "kubectl get", "terraform plan", "make", "python3", "ls", "cat"]
CATEGORIES = ["bad_arguments", "test_failure", "command_not_found", "path_not_found", "compile_error", "rate_limit",
              "permission_denied", "edit_no_match"]
TOKENS = ["input_tokens", "output_tokens"]


def at(seconds):
    return (DAY + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--verdicts", type=int, default=4_000)
    parser.add_argument("--machines", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    lot = random.Random(asked.seed)
    asked.folder.mkdir(parents=True, exist_ok=True)
    ids = lambda digits=16: f"{lot.getrandbits(4 * digits):0{digits}x}"
    kinds = [(ids(), ids(), lot.choice(CATEGORIES), lot.choice(PROGRAMS), lot.random() ** 4, lot.random() < 0.1)
             for _ in range(max(60, asked.verdicts // 300))]
    weights = [weight for *_, weight, _ in kinds]
    machines = [(ids(), f"person-{number // 2}" if number % 5 else None, lot.choice(["2.1.58", "2.1.59"]))
                for number in range(asked.machines)]
    repositories = [f"repository-{number}" for number in range(max(4, asked.machines // 12))]
    changed = {repository: lot.randrange(30_000, 60_000) for repository in repositories}
    hashes = {repository: (ids(), ids()) for repository in repositories}
    written = 0
    with open(asked.folder / "records.jsonl", "w") as records, open(asked.folder / "client.jsonl", "w") as client:
        def put(out, **row):
            line = json.dumps({name: value for name, value in row.items() if value is not None}) + "\n"
            out.write(line * (2 if out is records and lot.random() < 0.02 else 1))

        while written < asked.verdicts:
            machine, person, version = lot.choice(machines)
            repository, session, clock = lot.choice(repositories), f"{ids(8)}-{ids(4)}", lot.randrange(80_000)
            calls = lot.randrange(20, 400)
            counts = dict(failed=0, masked=0, denied=0)
            started = clock

            def shared(event, uid, seconds):
                return {
                    "event": event, "at": at(seconds), "service.name": "failwise", "service.version": "0.1.0",
                    "host.id": machine, "os.type": "linux", "failwise.person": person, "failwise.client.version": version,
                    "failwise.instructions": hashes[repository][seconds >= changed[repository]],
                    "vcs.repository.name": repository, "vcs.ref.head.name": "main", "schema_version": 1,
                    "log.record.uid": uid, "session.id": session,
                }

            for _ in range(max(1, round(calls * lot.uniform(0.01, 0.09)))):
                fine, coarse, category, program, _, is_late = lot.choices(kinds, weights)[0]
                if is_late and clock < 50_000:
                    continue
                episode, tries = ids(8), 1 + min(7, int(lot.expovariate(1.2)))
                ended = lot.choices(["passed", "replaced", "moved_on", "open"], [5, 2, 3, 1])[0]
                is_denied = lot.random() < 0.05
                unchanged, seconds = 0, 0
                for attempt in range(1, tries + 1):
                    clock += lot.randrange(3, 60)
                    call, prompt, took = f"toolu_{ids(12)}", ids(8), lot.randrange(20, 30_000)
                    outcome = "denied" if is_denied else lot.choices(["failed", "masked_failure"], [9, 1])[0]
                    unchanged += attempt > 1 and lot.random() < 0.4
                    verdict = {} if is_denied else {
                        "error.type": category, "failwise.class": lot.choice(["F1", "F2", "F3"]), "failwise.rule": "recognised-error",
                        "failwise.ruleset": "default", "failwise.basis": "line", "failwise.confidence": 0.99,
                        "failwise.category_confidence": 0.95, "failwise.signature.fine": fine, "failwise.signature.coarse": coarse,
                        "failwise.signature.version": 3, "failwise.episode": episode, "failwise.attempt": attempt,
                        "failwise.unchanged_retries": unchanged, "failwise.exit_code": 1,
                    }
                    put(records, **shared("failwise.verdict", ids(), clock), **verdict, **{
                        "failwise.outcome": outcome, "failwise.phase": "call", "failwise.told": lot.random() < 0.1 and not is_denied,
                        "failwise.program": program, "tool_use_id": call, "gen_ai.tool.call.id": call, "gen_ai.tool.name": "Bash",
                    })
                    counts[{"masked_failure": "masked"}.get(outcome, outcome)] += 1
                    written += 1
                    if lot.random() < 0.9:
                        is_good = outcome == "masked_failure"
                        put(client, event="claude_code.tool_result", at=at(clock), tool_use_id=call, tool_name="Bash",
                            success=is_good, duration_ms=took, **{"session.id": session, "prompt.id": prompt})
                        put(client, event="claude_code.api_request", at=at(clock), model="claude-opus-5",
                            cost_usd=round(lot.uniform(0.001, 0.2), 6), **{"session.id": session, "prompt.id": prompt},
                            **{name: lot.randrange(10, 9_000) for name in TOKENS})
                    seconds += took // 1000
                if not is_denied:
                    put(records, **shared("failwise.episode", ids(), clock), **{
                        "failwise.episode": episode, "failwise.class": "F2", "error.type": category,
                        "failwise.signature.fine": fine, "failwise.ended": ended, "failwise.attempts": tries,
                        "failwise.unchanged_retries": unchanged, "failwise.seconds": seconds, "failwise.program": program,
                    })
            # A session is told of while it goes on, and the last record counts.
            for share, seconds in ((0.5, (started + clock) // 2), (1, clock + 1)):
                put(records, **shared("failwise.session", ids(), seconds), **{
                    "failwise.calls": int(calls * share), **{f"failwise.{name}": int(count * share) for name, count in counts.items()},
                    "failwise.episodes": 1, "failwise.seconds": seconds - started, "failwise.seconds_in_failure": 0,
                })
    print(f"{written} verdicts of {asked.machines} machines in {asked.folder}")


if __name__ == "__main__":
    main()
