# shellcheck shell=sh disable=SC2034,SC2154
CLIENTS="$CLIENTS copilot-cli"

copilot_cli_client() {
    title='Copilot CLI' programs=copilot names=copilot
    folder=${COPILOT_HOME:-$HOME/.copilot}
    servers=$folder/mcp-config.json
    hooks=$folder/hooks/$NAME.json
    own=$hooks
    skill=$folder/skills/workspace/SKILL.md
    keyed=$servers
    sleeps=yes
}

copilot_cli_server() {
    server_to "mcpServers $NAME" '{"type": "http", "url": "'"$MCP_URL"'/mcp", "headers": {"X-Api-Key": "'"$KEY_HERE"'"}, "tools": ["*"]}'
}

copilot_cli_hooks() {
    say '{"version": 1}' >"$work/hooks"
    by_shell sessionStart SessionStart 5
    by_shell userPromptSubmitted UserPromptSubmit 5
    by_shell postToolUse PostToolUse 5
    by_shell agentStop Stop 5
    by_shell sessionEnd SessionEnd 3
    by_shell preToolUse PreToolUse 3 'edit|create|apply_patch|bash'
}

by_shell() { # <client's event> <event> <seconds> [<matcher>]
    shell=bash
    [ -z "$windows" ] || shell=powershell
    add_to "hooks $1 []" "$(printf '{"type": "command", %s"%s": "%s", "timeoutSec": %s}' "${4:+\"matcher\": \"$4\", }" "$shell" "$(hook_command "$client" "$2")" "$3")"
}
