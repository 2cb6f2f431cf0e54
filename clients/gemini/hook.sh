#!/bin/sh
# A hook of a coding agent: sends its event to the engine and prints the answer. "hook.sh <client> listen" begins the
# listener instead, which wakes the session. The engine is found by ENGINE_URL and ENGINE_KEY, or by the plugin's options.
# It never fails: without the engine it prints nothing.
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
url=${CLAUDE_PLUGIN_OPTION_URL:-${ENGINE_URL:-http://127.0.0.1:8080}}
key=${CLAUDE_PLUGIN_OPTION_KEY:-${ENGINE_KEY:-}}
[ -n "$key" ] || exit 0

# A process's program and its parent. Some systems have no ps, and some have no /proc.
name() { cat "/proc/$1/comm" 2>/dev/null || ps -o comm= -p "$1"; }
parent() { sed -n 's/^PPid:[^0-9]*//p' "/proc/$1/status" 2>/dev/null || ps -o ppid= -p "$1" | tr -d ' '; }

if [ "${2:-}" = listen ]; then
    [ "${ENGINE_LISTENER:-}" != off ] || exit 0
    # The session's id in the event is the first text after its name.
    session=$(tr -d '\n' | sed -n 's/.*"session_id"[[:space:]]*:[[:space:]]*"\([A-Za-z0-9._-]*\)".*/\1/p')
    [ -n "$session" ] || exit 0
    # The client is the nearest ancestor that is not a shell.
    owner=$PPID
    while [ "${owner:-0}" -gt 1 ]; do
        case $(name "$owner") in
            *sh | env | timeout) owner=$(parent "$owner") ;;
            *) break ;;
        esac
    done
    LISTENER_PID=$owner ENGINE_URL=$url ENGINE_KEY=$key sh "$here/listener.sh" "$1" "$session" </dev/null >/dev/null 2>&1 &
    exit 0
fi

# The key goes through a file descriptor, so that no list of processes shows it.
curl -sf -m 2 "$url/api/hooks/$1" -H "Content-Type: application/json" -H @/dev/fd/3 --data-binary @- 3<<KEY || :
X-API-Key: $key
KEY
