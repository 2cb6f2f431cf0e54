# shellcheck shell=sh disable=SC2034,SC2154
CLIENTS="$CLIENTS codex"

codex_client() {
    title=Codex programs=codex
    folder=${CODEX_HOME:-$HOME/.codex}
    servers=$folder/config.toml
    hooks=$folder/hooks.json
    skill=$folder/skills/workspace/SKILL.md
    keyed=$servers
    does="runs: codex mcp add $NAME --url $MCP_URL/mcp, on a copy of $servers, and replaces this file, with the key"
    removal="'codex mcp remove $NAME'"
    wakes_by_listener=yes
}

# With a token, which is taken out again, Codex does not wait for a person to sign in.
codex_server() {
    by_client CODEX_HOME config.toml mcp add "$NAME" --url "$MCP_URL/mcp" --bearer-token-env-var AGENT_WORKSPACE_NONE &&
        sed '/AGENT_WORKSPACE_NONE/d' "$work/servers" >"$work/server" && mv "$work/server" "$work/servers" &&
        printf '\n[mcp_servers.%s.http_headers]\nX-Api-Key = "%s"\n' "$NAME" "$KEY_HERE" >>"$work/servers"
}

codex_hooks() {
    add_to 'hooks SessionStart []' "$(by_tool)" # It proves that the session has our tools.
    for event in UserPromptSubmit PostToolUse Stop; do
        add_to "hooks $event []" "$(by_command 5)"
    done
    add_to 'hooks PreToolUse []' "$(by_command 3 'apply_patch|Edit|Write|Bash|shell|exec_command')"
    add_to 'hooks Interrupt []' "$(by_command 3)"
    add_to 'hooks SessionEnd []' "$(by_command 3)"
    # Each prompt shows in which window the session is.
    add_listener SessionStart '"timeout": 5'
    add_listener UserPromptSubmit '"timeout": 5'
}

codex_next() { say "Start Codex. It asks whether to trust the new hooks: choose 'Trust all and continue'. Until then it does not run them. Later, use /hooks."; }

codex_check() {
    if grep -q trusted_hash "$servers" 2>/dev/null; then
        wakes
    else
        todo "the hooks are not trusted yet, so they do not run: start Codex and choose 'Trust all and continue', or use /hooks"
    fi
}
