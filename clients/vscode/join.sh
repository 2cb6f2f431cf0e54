# shellcheck shell=sh disable=SC2034,SC2154,SC2016
CLIENTS="$CLIENTS vscode"

# Its settings can be copied to other machines, so that the key is not in them: VS Code asks for it once.
vscode_client() {
    title='VS Code' programs=code names='code vs-code' app=yes
    case $(uname -s) in
        Darwin) folder="$HOME/Library/Application Support/Code/User" ;;
        MINGW* | MSYS*) folder=$(cygpath -m "${APPDATA:-$HOME/AppData/Roaming}")/Code/User ;;
        *) folder=$config/Code/User ;;
    esac
    servers=$folder/mcp.json
    does="adds the server $MCP_URL/mcp to $servers, which asks you for the key"
    sleeps=yes
}

vscode_server() {
    server_to 'inputs [+]' '{"type": "promptString", "id": "'"$NAME"'-key", "description": "The key of the workspace", "password": true}' &&
        server_to "servers $NAME" '{"type": "http", "url": "'"$MCP_URL"'/mcp", "headers": {"X-Api-Key": "${input:'"$NAME"'-key}"}}'
}

vscode_next() { say "In VS Code, run 'MCP: List Servers' and start $NAME. It asks for the key: paste what this prints: cat '$state/key'"; }
