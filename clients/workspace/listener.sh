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

# A process's command line. Some systems have no ps, and some have no /proc.
command_of() { { tr '\0' ' ' <"/proc/$1/cmdline" || ps -o args= -p "$1"; } 2>/dev/null; }

# Each listener has a file that is named after the processes that it ends with: its own process, and the session.
state=${TMPDIR:-/tmp}/aw-listener-$(id -u)
is_listener() { case $(command_of "$1") in *"listener.sh $client $2"*) ;; *) false ;; esac; }
# Reads such a file, and fails if its listener is gone: another process may have its number.
read_listener() { [ -f "$1" ] && read -r old known <"$1" && is_listener "$old" "$known"; }

if [ "${3:-}" = end ]; then
    for file in "$state/$client"-*; do
        ! read_listener "$file" || [ "$known" != "$session" ] || kill "$old" 2>/dev/null
    done
    exit 0
fi

# The program to end with: Claude Code names itself, and the hook names it for others. In a container it can be process 1.
case $client in
    claude-code) owners=${CLAUDE_PID:-${LISTENER_PID:-$PPID}} ;;
    *) owners=${LISTENER_PID:-$PPID} ;;
esac
[ -n "${CLAUDE_PID:-}" ] || [ "$owners" -gt 1 ] || exit 0

# The windows of Codex, each with the time at which its user typed last. Terminals note it to eight seconds only.
windows() {
    if [ -d /proc/self ]; then
        for process in /proc/[0-9]*; do
            read -r program <"$process/comm" || continue
            case $program in codex*) ;; *) continue ;; esac
            case $(tr '\0' ' ' <"$process/cmdline") in *[/c]odex\ exec\ * | *[/c]odex\ queue\ * | *[/c]odex\ app-server*) continue ;; esac
            tr '\0' '\n' <"$process/environ" | grep -qxF "HOME=$HOME" || continue
            tty=$(readlink "$process/fd/0")
            case $tty in /dev/pts/* | /dev/tty*) echo "$(stat -L -c %X "$tty") ${process#/proc/}" ;; esac
        done
    else
        ps -x -o pid=,tty=,comm= | while read -r process tty program; do
            case $tty/${program##*/} in '?'* | -*) ;; */codex*) echo "$(stat -L -f %a "/dev/$tty") $process" ;; esac
        done
    fi 2>/dev/null
}

# Prints the windows in which the session's user may have typed last: nearly always one. Of several, it is the one that the
# session had, else one that no other session has.
window() {
    tied=$(windows | sort -rn | awk '{ time = int($1 / 8) } NR == 1 { last = time } time == last { print $2 }')
    taken=' '
    had=
    for file in "$state/$client"-*; do
        process=${file#"$state/$client-"}
        case $process in *' '*) continue ;; esac # It is not certain.
        read_listener "$file" || continue
        taken="$taken$process "
        [ "$known" != "$session" ] || had=$process
    done
    free=
    for process in $tied; do
        case $taken in *" $process "*) ;; *) free="$free $process" ;; esac
        [ "$process" != "$had" ] || { free=$process && break; }
    done
    # shellcheck disable=SC2086 # one word each
    echo ${free:-$tied}
}

# Codex runs hooks in a server that outlives its windows. A session belongs to the window in which its user typed last. If that
# is not certain, it ends with the first of those that can be it: what nobody sees must cost nothing.
server=
case $client/$(command_of "$owners") in
    codex/*' app-server '*--managed-daemon* | codex/*' app-server '*'--listen unix'* | codex/*' app-server '*'--listen ws'*)
        server=$owners
        owners=$(window)
        [ -n "$owners" ] || exit 0
        ;;
esac

# Some builds of curl cannot speak to the session's socket.
can_speak() { [ -S "${CLAUDE_CODE_MESSAGING_SOCKET:-}" ] && case $(curl -V) in *[\ :]telnet*) ;; *) false ;; esac; }
speaks=
[ "$client" != claude-code ] || ! can_speak || speaks=yes

# Where nothing can wake the session, its hooks announce what waits.
[ "$client" != claude-code ] || [ -n "$speaks" ] || [ -n "${CLAUDE_PLUGIN_DATA:-}" ] || exit 0

# Whether nothing says that the client has no tools. No client connects again after a failure: one that started while the engine
# was down has none. The hook says so of Codex until another hook of its own, which is a tool, has proved the contrary.
connected=${LISTENER_CONNECTED:-}

# One listener for each session, and for each window: the newest wins, since the session may have been cleared.
mine=$state/$client-$owners
case $owners in *' '*) mine=$mine-$session ;; esac
for file in "$state/$client"-*; do
    read_listener "$file" || continue
    [ "$file $known" != "$mine $session" ] || exit 0
    [ "$file" = "$mine" ] || [ "$known" = "$session" ] || continue
    [ ! -f "$file.late" ] || connected=no
    kill "$old" 2>/dev/null
    # As it ends it removes its file, which must not be ours by then.
    for _ in 1 2 3 4 5; do
        is_listener "$old" "$known" || break
        sleep 1
    done
done
# The last listener that ends removes the folder, perhaps just now.
for _ in 1 2 3 4 5; do
    mkdir -p "$state" 2>/dev/null
    [ ! -O "$state" ] || ! { echo "$$ $session" >"$mine"; } 2>/dev/null || break
done
is_newest() { read -r current _ <"$mine" && [ "$current" = "$$" ]; } 2>/dev/null
is_newest || exit 0
late() { connected=no && : >"$mine.late"; }
[ "$connected" != no ] || late
lines=$mine.$$

finish() {
    [ -n "${reader:-}" ] && kill "$reader" 2>/dev/null
    is_newest && rm -f "$mine" "$mine.late"
    rm -f "$lines"
    rmdir "$state" 2>/dev/null
    exit 0
}
trap finish EXIT
trap 'exit 0' HUP INT TERM

alive() { for owner in $owners; do kill -0 "$owner" 2>/dev/null || return 1; done; }

# Waits some seconds, but not longer than the client lives.
rest() {
    left=$1
    while [ "$left" -gt 0 ] && alive; do
        sleep 1
        left=$((left - 1))
    done
}

# The Codex that runs, which need not be the first one in PATH.
program=$(readlink "/proc/${owners%% *}/exe" 2>/dev/null)
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
        claude-code) to_socket "$1" || { [ -n "${CLAUDE_PLUGIN_DATA:-}" ] && echo "$1" >>"$CLAUDE_PLUGIN_DATA/messages-$owners"; } ;;
        codex) queue "$1" ;;
    esac
}

# Tells the engine what came of a wake-up, by an event of our own. Of one that failed, the session's hooks announce the messages.
report() { # WakeHeard|WakeFailed|SessionEnd
    curl -sf -m 10 "$ENGINE_URL/api/hooks/$client" -H 'Content-Type: application/json' -H @/dev/fd/3 \
        -d '{"hook_event_name":"'"$1"'","session_id":"'"$session"'","line":"'"${line:-0}"'"}' </dev/null >/dev/null 2>&1 3<<KEY
X-API-Key: $ENGINE_KEY
KEY
}

after=
pause=1
# How long it leaves the session to its hooks after a wake-up that failed.
respite=$patience
reached=
while alive && is_newest; do
    failed=
    rm -f "$lines"
    mkfifo "$lines" || exit 0
    parameter=${connected:+&connected=no}
    curl -sfN --connect-timeout 10 --speed-limit 1 --speed-time "$patience" -w '\nstatus: %{http_code}\n' \
        "$ENGINE_URL/api/hooks/$client/messages?for=$session${after:+&after=$after}$parameter" -H @/dev/fd/3 >"$lines" 3<<KEY &
X-API-Key: $ENGINE_KEY
KEY
    reader=$!
    while read -r name text; do
        alive || break
        case $name in
            :*)
                pause=1
                reached=yes
                ;;
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
            status:)
                case $text in
                    40[134]) pause=300 ;;
                    # Only the first attempt shows whether the engine was there when the client started.
                    000 | 5*) [ -n "$reached" ] || late ;;
                esac
                ;;
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
# The server of Codex does not report that a window has been closed.
[ -z "$server" ] || ! is_newest || report SessionEnd
