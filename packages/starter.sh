#!/bin/sh
# Takes the place of the executable in a plugin for all systems until its first start: then it puts a link to this system's in
# its own place, by one rename, so that no shell starts from then on. Where the folder cannot be written it starts it each time.
here=${0%/*} name=${0##*/}
case $(uname -s) in Linux) system=linux ;; Darwin) system=darwin ;; *) system=$(uname -s) ;; esac
case $(uname -m) in x86_64 | amd64) processor=x64 ;; aarch64 | arm64) processor=arm64 ;; *) processor=$(uname -m) ;; esac
own=$system-$processor/$name
if [ -x "$here/$own" ]; then
  ln -s "$own" "$here/.$name.$$" 2>/dev/null && mv -f "$here/.$name.$$" "$here/$name" 2>/dev/null
  exec "$here/$own" "$@"
fi
if [ "$name" = failwise-hook ]; then
  # Said once a session, to the person.
  case $(head -c 65536) in
    *'"hook_event_name":"SessionStart"'*)
      echo "{\"systemMessage\":\"Failwise is not there for $system-$processor: it records nothing. Remove the plugin, or build it from source.\"}" ;;
  esac
  exit 0
fi
# The commands of a plugin that has the hooks alone are installed apart. A file of `sh` is a starter like this one.
IFS=:
for folder in $PATH; do
  if [ -x "$folder/$name" ] && ! head -n 1 "$folder/$name" | grep -qx '#!/bin/sh'; then exec "$folder/$name" "$@"; fi
done
echo "$name is not in this plugin for $system-$processor; install it: npm install -g failwise" >&2
exit 69
