#!/bin/sh
# Wakes a session of a coding agent when a message waits for its agent:
#   ENGINE_URL=… ENGINE_KEY=… listener.sh claude-code|codex <session>
# It follows the engine's stream of wake-ups, runs once for each process of the client, and ends with it. A wake-up has
# names only, no text of others.
client=$1
session=$2
umask 077

# The program to end with: Claude Code names itself, and the hook names it for others.
owner=${CLAUDE_PID:-${LISTENER_PID:-$PPID}}
[ "$owner" -gt 1 ] || exit 0

# One listener for each process: the newest wins, since the session may have been cleared.
state=${TMPDIR:-/tmp}/aw-listener-$(id -u)
mkdir -p "$state" 2>/dev/null && [ -O "$state" ] || exit 0
mine=$state/$client-$owner
if [ -f "$mine" ] && read -r old known <"$mine" && kill -0 "$old" 2>/dev/null; then
    [ "$known" = "$session" ] && exit 0
    kill "$old" 2>/dev/null
fi
echo "$$ $session" >"$mine"

finish() {
    [ -n "${reader:-}" ] && kill "$reader" 2>/dev/null
    read -r current _ <"$mine" 2>/dev/null && [ "$current" = "$$" ] && rm -f "$mine"
    rm -f "$mine.$$"
    rmdir "$state" 2>/dev/null
    exit 0
}
trap finish EXIT
trap 'exit 0' HUP INT TERM

# The Codex that runs, which need not be the first one in PATH.
program=$(readlink "/proc/$owner/exe" 2>/dev/null)
case $program in */codex*) ;; *) program=codex ;; esac

wake() {
    case $client in
        claude-code)
            if [ -S "${CLAUDE_CODE_MESSAGING_SOCKET:-}" ]; then
                printf '{"type":"auth","token":"%s"}\n{"type":"user","message":{"role":"user","content":"%s"}}\n' \
                    "${CLAUDE_CODE_MESSAGING_TOKEN:-}" "$1" |
                    curl -s -m 1 --unix-socket "$CLAUDE_CODE_MESSAGING_SOCKET" telnet://localhost
            elif [ -n "${CLAUDE_PLUGIN_DATA:-}" ]; then
                echo "$1" >>"$CLAUDE_PLUGIN_DATA/messages-$owner"
            fi ;;
        codex) "$program" queue --thread "$session" --message "$1" ;;
    esac </dev/null >/dev/null 2>&1
}

after=
pause=1
while kill -0 "$owner" 2>/dev/null; do
    mkfifo "$mine.$$" || exit 0
    curl -sfN "$ENGINE_URL/api/hooks/$client/messages?for=$session${after:+&after=$after}" -H @/dev/fd/3 >"$mine.$$" 3<<KEY &
X-API-Key: $ENGINE_KEY
KEY
    reader=$!
    while read -r name text; do
        kill -0 "$owner" 2>/dev/null || exit 0
        pause=1
        case $name in
            id:) line=$text ;;
            data:)
                wake "Workspace: $text."
                after=$line ;;
        esac
    done <"$mine.$$"
    rm -f "$mine.$$"
    wait "$reader"
    # 22: the engine refused. A key that was revoked stays so.
    [ "$?" = 22 ] && pause=30
    sleep "$pause"
    [ "$pause" -ge 30 ] || pause=$((pause * 2))
done
