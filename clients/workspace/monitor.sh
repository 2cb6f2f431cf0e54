#!/bin/sh
# A monitor of Claude Code: prints each wake-up that the listener writes where the session has no inbox socket.
[ -n "${CLAUDE_PLUGIN_DATA:-}" ] && [ -n "${CLAUDE_PID:-}" ] || exit 0
file=$CLAUDE_PLUGIN_DATA/messages-$CLAUDE_PID
mkdir -p "$CLAUDE_PLUGIN_DATA"
: >"$file"
trap 'rm -f "$file"' EXIT
seen=0
while kill -0 "$CLAUDE_PID" 2>/dev/null; do
    lines=$(wc -l <"$file")
    if [ "$lines" -gt "$seen" ]; then
        sed -n "$((seen + 1)),${lines}p" "$file"
        seen=$lines
    fi
    sleep 1
done
