# shellcheck shell=sh disable=SC2034,SC2154
CLIENTS="$CLIENTS qwen-code"

qwen_code_client() {
    title='Qwen Code' programs=qwen names=qwen
    folder=$HOME/.qwen
    servers=$folder/settings.json
    hooks=$servers
    skill=$folder/skills/workspace/SKILL.md
    keyed=$servers
    sleeps=yes
}

qwen_code_server() {
    server_to "mcpServers $NAME" '{"httpUrl": "'"$MCP_URL"'/mcp", "headers": {"X-Api-Key": "'"$KEY_HERE"'"}}'
}

qwen_code_hooks() {
    for event in SessionStart UserPromptSubmit PostToolUse Stop SessionEnd; do
        add_to "hooks $event []" "$(by_command 5000)"
    done
    add_to 'hooks PreToolUse []' "$(by_command 3000 'write_file|edit|replace|run_shell_command')"
}
