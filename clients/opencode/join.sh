# shellcheck shell=sh disable=SC2034,SC2154
CLIENTS="$CLIENTS opencode"

# Its hooks are a plugin, which also wakes its sessions.
opencode_client() {
    title=opencode programs=opencode
    folder=$config/opencode
    servers=$folder/opencode.json
    [ ! -f "$folder/opencode.jsonc" ] || servers=$folder/opencode.jsonc
    hooks=$folder/plugins/$NAME.js
    own=$hooks
    extra=opencode.js
    skill=$folder/skills/workspace/SKILL.md
    keyed=$servers
    by_git=
}

opencode_server() {
    server_to "mcp $NAME" '{"type": "remote", "url": "'"$MCP_URL"'/mcp", "headers": {"X-Api-Key": "'"$KEY_HERE"'"}}'
}

opencode_hooks() {
    ENGINE=$BASE_URL KEY_FILE=$state/key awk '
        function put(name,  at) {
            if (at = index($0, "@" name "@")) $0 = substr($0, 1, at - 1) ENVIRON[name] substr($0, at + length(name) + 2)
        }
        { put("ENGINE"); put("KEY_FILE"); print }' "$state/opencode.js" >"$work/hooks"
}

opencode_check() { wakes; }
