#!/bin/sh
# Wakes a session of a coding agent when a message waits for its agent:
#   ENGINE_URL=… ENGINE_KEY=… listener.sh claude-code|codex <session>
# It follows the engine's stream of wake-ups, runs once for each process of the client, and ends with it. A wake-up has
# names only, no text of others.
client=$1
session=$2
umask 077

# How many seconds the stream, which shows every 10 seconds that it is alive, or a wake-up may take without a sign of life.
patience=${ENGINE_LISTENER_PATIENCE:-45}

# The program to end with: Claude Code names itself, and the hook names it for others. In a container it can be process 1.
owner=${CLAUDE_PID:-${LISTENER_PID:-$PPID}}
[ -n "${CLAUDE_PID:-}" ] || [ "$owner" -gt 1 ] || exit 0

# Some builds of curl cannot speak to the session's socket.
can_speak() { [ -S "${CLAUDE_CODE_MESSAGING_SOCKET:-}" ] && case $(curl -V) in *[\ :]telnet*) ;; *) false ;; esac; }
speaks=
[ "$client" != claude-code ] || ! can_speak || speaks=yes

# Where nothing can wake the session, its hooks announce what waits.
[ "$client" != claude-code ] || [ -n "$speaks" ] || [ -n "${CLAUDE_PLUGIN_DATA:-}" ] || exit 0

# One listener for each process: the newest wins, since the session may have been cleared.
state=${TMPDIR:-/tmp}/aw-listener-$(id -u)
mine=$state/$client-$owner
lines=$mine.$$
# Another process may have the number of a listener that was killed.
command_of() { { tr '\0' ' ' <"/proc/$1/cmdline" || ps -o args= -p "$1"; } 2>/dev/null; }
is_listener() { case $(command_of "$1") in *"listener.sh $client $2"*) ;; *) false ;; esac; }
if [ -f "$mine" ] && read -r old known <"$mine" && is_listener "$old" "$known"; then
    [ "$known" = "$session" ] && exit 0
    kill "$old" 2>/dev/null
    # As it ends it removes its file, which must not be ours by then.
    for _ in 1 2 3 4 5; do
        is_listener "$old" "$known" || break
        sleep 1
    done
fi
# The last listener that ends removes the folder, perhaps just now.
for _ in 1 2 3 4 5; do
    mkdir -p "$state" 2>/dev/null
    [ ! -O "$state" ] || ! { echo "$$ $session" >"$mine"; } 2>/dev/null || break
done
is_newest() { read -r current _ <"$mine" && [ "$current" = "$$" ]; } 2>/dev/null
is_newest || exit 0

finish() {
    [ -n "${reader:-}" ] && kill "$reader" 2>/dev/null
    is_newest && rm -f "$mine"
    rm -f "$lines"
    rmdir "$state" 2>/dev/null
    exit 0
}
trap finish EXIT
trap 'exit 0' HUP INT TERM

alive() { kill -0 "$owner" 2>/dev/null; }

# Waits some seconds, but not longer than the client lives.
rest() {
    left=$1
    while [ "$left" -gt 0 ] && alive; do
        sleep 1
        left=$((left - 1))
    done
}

# The Codex that runs, which need not be the first one in PATH.
program=$(readlink "/proc/$owner/exe" 2>/dev/null)
case $program in */codex*) ;; *) program= ;; esac
[ -x "$program" ] || program=codex # It may have been replaced by a newer one.

# Ends a command that takes too long: what it waits for may never come.
queue() {
    "$program" queue --thread "$session" --message "$1" </dev/null >/dev/null 2>&1 &
    queued=$!
    left=$patience
    while kill -0 "$queued" 2>/dev/null && [ "$left" -gt 0 ]; do
        sleep 1
        left=$((left - 1))
    done
    if kill "$queued" 2>/dev/null; then
        sleep 1
        kill -9 "$queued" 2>/dev/null
    fi
    wait "$queued" 2>/dev/null
}

# No answer comes back, so curl ends well, or with code 28 when its time is over. Any other code means that nobody has read it.
to_socket() {
    [ -n "$speaks" ] && [ -S "$CLAUDE_CODE_MESSAGING_SOCKET" ] || return 1
    printf '{"type":"auth","token":"%s"}\n{"type":"user","message":{"role":"user","content":"%s"}}\n' \
        "${CLAUDE_CODE_MESSAGING_TOKEN:-}" "$1" |
        curl -s -m 1 --unix-socket "$CLAUDE_CODE_MESSAGING_SOCKET" telnet://localhost >/dev/null 2>&1
    case $? in 0 | 28) ;; *) false ;; esac
}

wake() {
    case $client in
        claude-code) to_socket "$1" || { [ -n "${CLAUDE_PLUGIN_DATA:-}" ] && echo "$1" >>"$CLAUDE_PLUGIN_DATA/messages-$owner"; } ;;
        codex) queue "$1" ;;
    esac
}

# Tells the engine what came of a wake-up, by an event of our own. Of one that failed, the session's hooks announce the messages.
report() { # WakeHeard|WakeFailed
    curl -sf -m 10 "$ENGINE_URL/api/hooks/$client" -H 'Content-Type: application/json' -H @/dev/fd/3 \
        -d '{"hook_event_name":"'"$1"'","session_id":"'"$session"'","line":"'"$line"'"}' </dev/null >/dev/null 2>&1 3<<KEY
X-API-Key: $ENGINE_KEY
KEY
}

after=
pause=1
# How long it leaves the session to its hooks after a wake-up that failed.
respite=$patience
while alive && is_newest; do
    failed=
    rm -f "$lines"
    mkfifo "$lines" || exit 0
    curl -sfN --connect-timeout 10 --speed-limit 1 --speed-time "$patience" -w '\nstatus: %{http_code}\n' \
        "$ENGINE_URL/api/hooks/$client/messages?for=$session${after:+&after=$after}" -H @/dev/fd/3 >"$lines" 3<<KEY &
X-API-Key: $ENGINE_KEY
KEY
    reader=$!
    while read -r name text; do
        alive || exit 0
        case $name in
            :*) pause=1 ;;
            id:) line=$text ;;
            data:)
                if ! wake "Workspace: $text."; then
                    failed=yes
                    break
                fi
                after=$line
                respite=$patience
                report WakeHeard ;;
            # A key that was revoked stays so.
            status:) case $text in 40[134]) pause=300 ;; esac ;;
        esac
    done <"$lines"
    kill "$reader" 2>/dev/null
    wait "$reader"
    rm -f "$lines"
    if [ -n "$failed" ]; then
        report WakeFailed
        # If the engine did not get this, it learns it from the next stream.
        after=$((line - 1))
        rest "$respite"
        [ "$respite" -ge 600 ] || respite=$((respite * 2))
        continue
    fi
    rest "$pause"
    [ "$pause" -ge 30 ] || pause=$((pause * 2))
done
