# What run.sh and compat.sh need before they go offline; both set `here` and `root` first.
# shellcheck shell=sh
: "${here:?}" "${root:?}"

# The folder that keeps clients. As root it must lie where the ordinary user of the test may read it.
client_cache() {
  if [ -n "${FAILWISE_CLIENT_CACHE:-}" ]; then
    echo "$FAILWISE_CLIENT_CACHE"
  elif [ "$(id -u)" = 0 ]; then
    echo /var/cache/failwise
  else
    echo "${XDG_CACHE_HOME:-$HOME/.cache}/failwise"
  fi
}

# Prints the executable of a client's version; installs it first where it is missing.
client_executable() {
  python3 -B "$here/client.py" "$1" "$(client_cache)"
}

# Builds as a person's installation does; prints the folder of the executables.
built_executables() {
  sh "$root/install.sh" --no-register </dev/null >&2
  echo "$root/bin"
}
