# shellcheck shell=sh disable=SC2034,SC2154
CLIENTS="$CLIENTS antigravity-cli"

antigravity_cli_client() {
    title='Antigravity CLI' programs=agy names='antigravity agy'
    folder=$HOME/.gemini/config
    servers=$folder/mcp_config.json
    hooks=$folder/hooks.json
    keyed=$servers
    sleeps=yes
}

antigravity_cli_server() {
    server_to "mcpServers $NAME" '{"serverUrl": "'"$MCP_URL"'/mcp", "headers": {"X-Api-Key": "'"$KEY_HERE"'"}}'
}

# Each key of this file is a set of hooks, and what it does not know costs all of them. It has no answer that leaves the
# decision on a tool to the user's own settings, so no edit is refused here.
antigravity_cli_hooks() {
    add_to "$NAME" '{"PreInvocation": ['"$(direct PostToolUse first)"'], "Stop": ['"$(direct Stop)"']}'
}

direct() { printf '{"type": "command", "command": "%s", "timeout": 5}' "$(hook_command "$client" "$@")"; }
