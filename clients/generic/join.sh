# shellcheck shell=sh disable=SC2034,SC2154
CLIENTS="$CLIENTS generic"

generic_client() {
    title='another program' app=yes
    does='prints what to paste into the configuration of your program, with the key'
    sleeps=yes
}

generic_is_here() { false; }

generic_next() {
    say 'Paste this into the configuration of your program. Some call the address httpUrl or serverUrl:'
    say '  "'"$NAME"'": {'
    say '    "url": "'"$MCP_URL"'/mcp",'
    say '    "headers": {"X-Api-Key": "'"$api_key"'"}}'
}
