# shellcheck shell=sh disable=SC2034,SC2154
CLIENTS="$CLIENTS cursor"

cursor_client() {
    title=Cursor programs='cursor cursor-agent' app=yes
    folder=$HOME/.cursor
    servers=$folder/mcp.json
    hooks=$folder/hooks.json
    skill=$folder/skills/workspace/SKILL.md
    keyed=$servers
    sleeps=yes
}

cursor_server() {
    server_to "mcpServers $NAME" '{"url": "'"$MCP_URL"'/mcp", "headers": {"X-Api-Key": "'"$KEY_HERE"'"}}'
}

# Cursor reads no file of hooks without a version.
cursor_hooks() {
    ! json_add "$work/hooks" version 1 >"$work/json" || mv "$work/json" "$work/hooks"
    flat_hook sessionStart SessionStart 5
    flat_hook beforeSubmitPrompt UserPromptSubmit 5
    flat_hook postToolUse PostToolUse 5
    flat_hook stop Stop 5
    flat_hook sessionEnd SessionEnd 3
    flat_hook preToolUse PreToolUse 3 'Write|Edit|StrReplace|Delete|Shell'
}

cursor_next() { say 'Restart Cursor, or start a new chat. Its settings, at Tools & MCP, show whether the server is connected.'; }
