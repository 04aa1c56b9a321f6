# What the scripts here and the one of ../browser need before they go offline; each sets `here` first.
# shellcheck shell=sh
: "${here:?}"
root=$(CDPATH='' cd -- "$here/../.." && pwd)
# The client that is played with where no other is named.
client_version=2.1.329

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
  sh "$root/install.sh" --mcp --no-register </dev/null >&2
  echo "$root/bin"
}

# play SCRIPT OPTIONS [ARGUMENT...]: reads the arguments that a script was given, and starts SCRIPT offline with them.
# OPTIONS are those, besides --client and --prebuilt, that SCRIPT knows; each has a value. The script has a `usage`.
play() {
  script=$1 known=" --client --prebuilt${2:+ $2} "
  shift 2
  version=$client_version prebuilt='' left=$#
  # Each pair is taken from the front; what SCRIPT is to have goes to the end.
  while [ "$left" -gt 0 ]; do
    case $1 in --help | -h) usage; exit 0 ;; esac
    case $known in *" $1 "*) ;; *) refuse "unknown argument: $1" ;; esac
    if [ "$left" -lt 2 ] || [ -z "$2" ]; then refuse "$1: a value is missing"; fi
    case $1 in
      --client) version=$2 ;;
      --prebuilt) prebuilt=$2 ;;
      *) set -- "$@" "$1" "$2" ;;
    esac
    shift 2
    left=$((left - 2))
  done
  client=$(client_executable "$version")
  prebuilt=${prebuilt:-$(built_executables)}
  set -- --executable "$client" --client "$version" --prebuilt "$prebuilt" "$@"
  exec "$here/offline.sh" python3 -B "$here/$script" "$@"
}

refuse() {
  echo "${0##*/}: $1" >&2
  usage >&2
  exit 64
}
