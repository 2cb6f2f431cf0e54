#!/bin/sh
# A monitor of Claude Code: prints each wake-up that the listener writes where the session has no inbox socket. It lasts as
# long as its session, since its end would begin a turn.
owner=${CLAUDE_PID:-$PPID}
case ${1:-} in /*) file=$1/messages-$owner ;; *) file=/dev/null ;; esac
if [ "$file" != /dev/null ] && mkdir -p "$1" && : >"$file"; then
    trap 'rm -f "$file"' EXIT
    trap 'exit 0' HUP INT TERM
fi
seen=0
while kill -0 "$owner" 2>/dev/null; do
    lines=$(($(wc -l <"$file"))) # Some systems put spaces before it.
    if [ "$lines" -gt "$seen" ]; then
        sed -n "$((seen + 1)),${lines}p" "$file"
        seen=$lines
    fi
    sleep 1
done
