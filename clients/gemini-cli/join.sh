# shellcheck shell=sh disable=SC2034,SC2154
CLIENTS="$CLIENTS gemini-cli"

gemini_cli_client() {
    title='Gemini CLI' programs=gemini names=gemini
    folder=$HOME/.gemini
    servers=$folder/settings.json
    hooks=$servers
    skill=$folder/skills/workspace/SKILL.md
    keyed=$servers
    does="runs: gemini mcp add --scope user --transport http $NAME $MCP_URL/mcp, on a copy of $servers, and replaces this file, with the key"
    removal="'gemini mcp remove $NAME'"
    sleeps=yes
}

gemini_cli_server() {
    by_client GEMINI_CLI_HOME .gemini/settings.json mcp add --scope user --transport http --header "X-Api-Key: $KEY_HERE" "$NAME" "$MCP_URL/mcp"
}

gemini_cli_hooks() {
    for event in SessionStart BeforeAgent AfterTool AfterAgent SessionEnd; do
        add_to "hooks $event []" "$(by_command 5000)"
    done
    add_to 'hooks BeforeTool []' "$(by_command 3000 'write_file|replace|run_shell_command')"
}
