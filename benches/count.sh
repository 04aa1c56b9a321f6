# shellcheck shell=bash
# Read by the scripts that count instructions.

# new_scene FOLDER HOOK [LESSONS [unmet]]: a session that has begun, with the cases of payloads/ beside it and so many
# lessons in the project's recall file; sets env, what the hook is started with. It is fixed: its size is part of what a process starts with.
new_scene() {
  python3 -B scene.py "$1" "$2" 0 "${@:3}"
  mapfile -t env <"$1/env"
}

# instructions_of CASE FOLDER HOOK: those of one whole hook process in that scene.
instructions_of() {
  (cd "$2" && env -i "${env[@]}" valgrind --tool=callgrind --callgrind-out-file=/dev/null "$3" <"$1.json" >out 2>err) ||
    { cat "$2/err" >&2; exit 1; }
  awk '/Collected :/ { print $4 }' "$2/err"
}
