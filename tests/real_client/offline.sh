#!/bin/sh
# Runs a command where no network exists but loopback; where the system refuses that, says so and runs it all the same.
#   offline.sh COMMAND [ARGUMENT...]
set -eu

loopback_up='
import fcntl, socket, struct
SIOCSIFFLAGS, IFF_UP = 0x8914, 1
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
    fcntl.ioctl(s, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))
'

if [ "$(id -u)" = 0 ]; then
  enter='unshare --net'
  leave=''
else
  # An ordinary user owns a network only inside a user namespace; the rights it gives end before the command starts.
  enter='unshare --user --map-current-user --net --keep-caps'
  leave='setpriv --inh-caps=-all --ambient-caps=-all'
fi

# Both are lists of words, and the inner shell expands its own arguments.
# shellcheck disable=SC2086,SC2016
if $enter python3 -c "$loopback_up" 2>/dev/null; then
  exec $enter sh -c 'python3 -c "$1"; shift; exec "$@"' sh "$loopback_up" $leave "$@"
fi
echo 'offline.sh: no network namespace here; only the settings of the client keep it on loopback' >&2
exec "$@"
