# shellcheck shell=sh disable=SC2034,SC2154,SC2016
CLIENTS="$CLIENTS claude-code"

# What it may do without a prompt if its user allows it: they read. A session that is woken begins with one of them.
READING='AP_Wait AP_Read AP_List AP_Search ZN_Read MB_Search MB_Read TK_List find_tools describe_tool'

claude_code_client() {
    title='Claude Code' programs=claude names=claude
    folder=${CLAUDE_CONFIG_DIR:-$HOME/.claude}
    servers=${CLAUDE_CONFIG_DIR:-$HOME}/.claude.json
    hooks=$folder/settings.json
    skill=$folder/skills/workspace/SKILL.md
    does="runs: claude mcp add-json --scope user $NAME, with $MCP_URL/mcp, on a copy of $servers, which it then replaces"
    removal="'claude mcp remove $NAME'"
    wakes_by_listener=yes
    [ -z "$windows" ] || keyed=$servers
    by_git=
}

claude_code_plan() {
    [ -z "$allow" ] ||
        say "  - allows there, without a prompt, the tools that read: $READING. Outside of auto mode, a session that a message wakes would otherwise stop at a prompt (--no-allow)"
}

# Claude Code asks this command for the header, so that the key is in its own file only. It does not say which shell runs it on Windows.
claude_code_server() {
    if [ -n "$windows" ]; then
        by_client CLAUDE_CONFIG_DIR .claude.json mcp add-json --scope user "$NAME" '{"type": "http", "url": "'"$MCP_URL"'/mcp", "headers": {"X-Api-Key": "'"$KEY_HERE"'"}}'
        return
    fi
    by_client CLAUDE_CONFIG_DIR .claude.json mcp add-json --scope user "$NAME" '{"type": "http", "url": "'"$MCP_URL"'/mcp", "headersHelper": "printf '\''{\"X-Api-Key\": \"%s\"}'\'' \"$(cat '\'"$state/key"\'')\""}'
}

# Its own file can be large, so Claude Code changes it itself.
claude_code_remove() { by_client CLAUDE_CONFIG_DIR .claude.json mcp remove --scope user "$NAME"; }

# Prints the names of the reading tools as Claude Code knows them.
allowed() {
    between=
    for tool in $READING; do
        printf '%s"mcp__%s__%s"' "$between" "$NAME" "$tool"
        between=', '
    done
}

claude_code_hooks() {
    [ -z "$allow" ] || add_to 'permissions allow [+]' "$(allowed)"
    for event in SessionStart UserPromptSubmit PostToolUse Stop Notification SessionEnd; do
        add_to "hooks $event []" "$(by_command 5)"
    done
    add_to 'hooks PreToolUse []' "$(by_command 3 'Edit|MultiEdit|Write|NotebookEdit|Bash')"
    # Only a tool's answer, which is plain text here, becomes instructions for the summary.
    add_to 'hooks PreCompact []' "$(by_tool)"
    add_listener SessionStart '"async": true'
}

claude_code_check() {
    [ -z "$sleeps" ] || return 0
    case $(curl -V) in
        *[\ :]telnet*) wakes ;;
        *) todo 'this curl cannot wake an idle session: install one with telnet, as with dnf swap curl-minimal curl' ;;
    esac
}
