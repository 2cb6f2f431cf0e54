#!/bin/sh
# Joins coding agents on this machine to an Agent Workspace Engine, with the code of an invitation:
#   curl -fsS <engine>/join | sh -s -- <code>
# See usage() below. It needs curl and what every Linux and macOS has. It contains no secret.
# shellcheck disable=SC2016 # The clients insert variables such as $ENGINE_KEY, not this shell.
set -eu
umask 077
LC_ALL=C
export LC_ALL

BASE_URL='@BASE_URL@'
NAME='agent-workspace'

usage() {
    cat <<EOF
Joins coding agents to the workspace at $BASE_URL.

  curl -fsS $BASE_URL/join | sh -s -- [options] <code>...

  <code>               the code of an invitation; each is good for one agent
  --client <clients>   claude-code, codex or gemini-cli; several with commas, with a code for each
  --yes                does not ask
  --dry-run            only prints what it would change
  --leave              undoes what joining changed, for --client or for all clients
EOF
}

say() { printf '%s\n' "$*"; }
warn() { printf 'join: %s\n' "$*" >&2; }
die() {
    warn "$@"
    exit 1
}

# ---------------------------------------------------------------- clients

program() {
    case $1 in
        claude-code) say claude ;;
        codex) say codex ;;
        gemini-cli) say gemini ;;
    esac
}

# Sets the paths of a client: its folder, and the files that joining changes.
paths_of() {
    state=$config/$NAME/$1
    case $1 in
        claude-code)
            folder=${CLAUDE_CONFIG_DIR:-$HOME/.claude}
            servers=${CLAUDE_CONFIG_DIR:-$HOME}/.claude.json
            hooks=$folder/settings.json
            ;;
        codex)
            folder=${CODEX_HOME:-$HOME/.codex}
            servers=$folder/config.toml
            hooks=$folder/hooks.json
            ;;
        gemini-cli)
            folder=$HOME/.gemini
            servers=$folder/settings.json
            hooks=$servers
            ;;
    esac
    skill=$folder/skills/workspace/SKILL.md
    # The client's own list of folders, which its commands change.
    others=$folder/projects.json
}

# Prints the clients of --client, else those on the machine.
choose() {
    if [ -n "$chosen" ]; then
        for word in $(printf '%s' "$chosen" | tr ',' ' '); do
            case $word in
                claude | claude-code) say claude-code ;;
                codex) say codex ;;
                gemini | gemini-cli) say gemini-cli ;;
                *) die "there is no client '$word'; it can be claude-code, codex or gemini-cli" ;;
            esac
        done
        return
    fi
    for word in claude-code codex gemini-cli; do
        if command -v "$(program "$word")" >/dev/null 2>&1; then
            say "$word"
        fi
    done
}

count() { printf '%s' "$1" | wc -w | tr -d ' '; }

has_terminal() { (: </dev/tty) 2>/dev/null; }

ask() {
    printf '%s ' "$1" >/dev/tty
    read -r reply </dev/tty || reply=
}

# ---------------------------------------------------------------- changes of files

# Prints JSON with a text added at a path such as "hooks Stop []", where [] appends to a list. Everything else, comments
# included, stays as it is. Fails if the path leads elsewhere, or ends at something that exists.
# The added text, with its comma, goes to the file $ADDED.
json_add() {
    JSON_PATH=$2 JSON_TEXT=$3 awk '
        function blank(i,  c, two) {
            for (;;) {
                c = substr(s, i, 1); two = substr(s, i, 2)
                if (c ~ /[ \t\r\n]/ && c != "") i++
                else if (two == "//") { while (i <= n && substr(s, i, 1) != "\n") i++ }
                else if (two == "/*") { i += 2; while (i <= n && substr(s, i, 2) != "*/") i++; i += 2 }
                else return i
            }
        }
        function past_string(i,  c) {
            for (i++; i <= n; i++) {
                c = substr(s, i, 1)
                if (c == "\\") i++
                else if (c == "\"") return i + 1
            }
            exit 3
        }
        function past_value(i,  c, depth) {
            c = substr(s, i, 1)
            if (c == "\"") return past_string(i)
            if (c != "{" && c != "[") {
                while (i <= n && substr(s, i, 1) !~ /[],} \t\r\n]/) i++
                return i
            }
            for (depth = 0; i <= n;) {
                i = blank(i); c = substr(s, i, 1)
                if (c == "\"") { i = past_string(i); continue }
                if (c == "{" || c == "[") depth++
                if ((c == "}" || c == "]") && --depth == 0) return i + 1
                i++
            }
            exit 3
        }
        # The place of the value of a key in the object at i; 0 if it has no such key.
        function member(i, key,  end, name) {
            i = blank(i + 1)
            while (substr(s, i, 1) == "\"") {
                end = past_string(i); name = substr(s, i + 1, end - i - 2)
                i = blank(end)
                if (substr(s, i, 1) != ":") exit 3
                i = blank(i + 1)
                if (name == key) return i
                i = blank(past_value(i))
                if (substr(s, i, 1) == ",") i = blank(i + 1)
            }
            if (substr(s, i, 1) != "}") exit 3
            return 0
        }
        function add(i, text,  c) {
            c = substr(s, blank(i + 1), 1)
            text = "\n" text (c == "}" || c == "]" ? "\n" : ",")
            printf "%s", text > ENVIRON["ADDED"]
            printf "%s%s%s", substr(s, 1, i), text, substr(s, i + 1)
            exit 0
        }
        { s = s $0 "\n" }
        END {
            n = length(s); parts = split(ENVIRON["JSON_PATH"], key, " "); text = ENVIRON["JSON_TEXT"]
            i = blank(1)
            for (k = 1; k <= parts; k++) {
                c = substr(s, i, 1)
                if (key[k] == "[]") { if (c != "[") exit 3; add(i, text) }
                if (c != "{") exit 3
                at = member(i, key[k])
                if (at && k == parts) exit 4
                if (!at) {
                    close_with = ""; open_with = ""
                    for (m = k; m <= parts; m++) {
                        if (key[m] == "[]") { open_with = open_with "["; close_with = "]" close_with }
                        else {
                            open_with = open_with "\"" key[m] "\": "
                            if (m < parts && key[m + 1] != "[]") { open_with = open_with "{"; close_with = "}" close_with }
                        }
                    }
                    add(i, open_with text close_with)
                }
                i = at
            }
            exit 4
        }' "$1"
}

# Adds to the JSON file $1, which need not exist, at the path $2 the text $3, and remembers what was added.
add_to() {
    ADDED=$state/added.$((added += 1))
    export ADDED
    [ -s "$1" ] || say '{}' >"$1"
    if json_add "$1" "$2" "$3" >"$work/json"; then
        cat "$work/json" >"$1" # Through a symbolic link, too.
        printf '%s %s\n' "$added" "$1" >>"$state/additions"
    else
        printf '%s, at %s: %s\n' "$1" "$2" "$3" >>"$state/missing"
    fi
}

# Takes the texts that were added out of a file that has been changed since. Fails if one is not found.
json_remove() {
    while IFS=' ' read -r number path; do
        if [ "$path" = "$1" ]; then
            ADDED=$state/added.$number awk '
                BEGIN { while ((getline line < ENVIRON["ADDED"]) > 0) t = t line "\n"; t = substr(t, 1, length(t) - 1) }
                { s = s $0 "\n" }
                END { at = index(s, t); if (!at) exit 3; printf "%s%s", substr(s, 1, at - 1), substr(s, at + length(t)) }
            ' "$1" >"$work/json" || return 1
            cat "$work/json" >"$1"
        fi
    done <"$state/additions.back"
}

# Lists what is in the client's folder, apart from what its sessions write.
listing() {
    { find -H "$folder" "$servers" 2>/dev/null || :; } |
        { grep -v -e '/projects/' -e '/sessions/' -e '/shell-snapshots/' -e '/file-history/' -e '\.jsonl$' -e '\.sqlite' || :; } |
        sort -u
}

sum() { cksum <"$1" 2>/dev/null || say none; }

# ---------------------------------------------------------------- joining

plan() {
    say "For $1:"
    say "  - joins the workspace at $BASE_URL with the code, which is then used up"
    say "  - keeps the agent's key in $state (readable by you only)"
    case $1 in
        claude-code) say "  - runs: claude mcp add --scope user --transport http $NAME <engine>/mcp (changes $servers)" ;;
        codex) say "  - runs: codex mcp add $NAME --url <engine>/mcp, and adds the key (changes $servers)" ;;
        gemini-cli) say "  - runs: gemini mcp add --scope user --transport http $NAME <engine>/mcp, and adds the key (changes $servers)" ;;
    esac
    say "  - adds hooks to $hooks: they report the session's events to the engine, and show what waits"
    [ "$1" != claude-code ] || say "  - adds the key to it as the variable ENGINE_KEY of Claude Code"
    say "  - writes the skill $skill"
    say "  Each of these files is then readable by you only. Copies of what was there: $state/copies"
}

# Sends the code, and sets api_key, agent and mcp_url.
redeem() {
    printf '{"code":"%s","client":"%s","host":"%s"}' "$(plain "$2")" "$1" "$(plain "$(uname -n)")" >"$work/request"
    curl -sS -m 60 -w '\n%{http_code}' -H 'Content-Type: application/json' --data-binary "@$work/request" \
        "$BASE_URL/api/join" >"$work/response" || die "the engine at $BASE_URL cannot be reached"
    if [ "$(tail -n 1 "$work/response")" != 200 ]; then
        die "$(field detail "$work/response")"
    fi
    api_key=$(field api_key "$work/response")
    agent=$(field agent "$work/response")
    mcp_url=$(field mcp_url "$work/response")
    case $api_key in ek_*) ;; *) die "the engine's answer has no key" ;; esac
}

plain() { printf '%s' "$1" | tr -cd 'A-Za-z0-9._-'; }

# Prints a text field of a JSON object in one line.
field() { sed -n 's/.*"'"$1"'" *: *"\([^"]*\)".*/\1/p' "$2" | head -n 1; }

# Prints what a hook runs: it sends the event on standard input, and prints the answer; without the engine, nothing.
hook_command() {
    printf "curl -sf -m 2 -H @'%s' -H 'Content-Type: application/json' --data-binary @- '%s' || :" \
        "$state/header" "$BASE_URL/api/hooks/$1"
}

by_command() { # <client> <timeout>
    printf '{"hooks": [{"type": "command", "command": "%s", "timeout": %s}]}' "$(hook_command "$1")" "$2"
}

by_http() { # [<matcher>]
    printf '{%s"hooks": [{"type": "http", "url": "%s", "headers": {"X-API-Key": "$ENGINE_KEY"}, "allowedEnvVars": ["ENGINE_KEY"], "timeout": 5}]}' \
        "${1:+\"matcher\": \"$1\", }" "$BASE_URL/api/hooks/claude-code"
}

by_tool() { # <more input>
    printf '{"hooks": [{"type": "mcp_tool", "server": "%s", "tool": "AW_Hook", "input": {"client": "codex", "event": "${hook_event_name}", "session": "${session_id}"%s}, "timeout": 5}]}' \
        "$NAME" "$1"
}

# Where the engine has the listener, a new session begins it: it wakes the session when a message comes.
by_listener() { # <client> <more>
    printf '{"hooks": [{"type": "command", "command": "%s", %s}]}' \
        "ENGINE_URL='$BASE_URL' ENGINE_KEY=\$(cat '$state/key') sh '$state/hook.sh' $1 listen >/dev/null" "$2"
}

add_hooks() {
    case $1 in
        claude-code)
            add_to "$hooks" 'env ENGINE_KEY' "\"$api_key\""
            for event in SessionStart SessionEnd PreCompact; do
                add_to "$hooks" "hooks $event []" "$(by_command "$1" 5)"
            done
            for event in UserPromptSubmit PostToolUse Stop Notification; do
                add_to "$hooks" "hooks $event []" "$(by_http)"
            done
            add_to "$hooks" 'hooks PreToolUse []' "$(by_http 'Edit|MultiEdit|Write|NotebookEdit')"
            [ ! -f "$state/listener.sh" ] || add_to "$hooks" 'hooks SessionStart []' "$(by_listener "$1" '"async": true')"
            ;;
        codex)
            add_to "$hooks" 'hooks SessionStart []' "$(by_tool '')"
            add_to "$hooks" 'hooks UserPromptSubmit []' "$(by_tool ', "prompt": "${prompt}"')"
            add_to "$hooks" 'hooks PostToolUse []' "$(by_tool ', "tool": "${tool_name}"')"
            add_to "$hooks" 'hooks Stop []' "$(by_tool ', "stop_hook_active": "${stop_hook_active}"')"
            [ ! -f "$state/listener.sh" ] || add_to "$hooks" 'hooks SessionStart []' "$(by_listener "$1" '"timeout": 5')"
            ;;
        gemini-cli)
            for event in SessionStart BeforeAgent AfterTool AfterAgent SessionEnd; do
                add_to "$hooks" "hooks $event []" "$(by_command "$1" 5000)"
            done
            ;;
    esac
}

# Adds the server with the client's own command. The key is never in a command's arguments, which others can see.
add_server() {
    cd "$HOME" # Some clients keep a list of the folders that they ran in.
    case $1 in
        claude-code)
            claude mcp add --scope user --transport http "$NAME" "$mcp_url/mcp" --header 'X-Api-Key: ${ENGINE_KEY}'
            ;;
        codex)
            codex mcp add "$NAME" --url "$mcp_url/mcp" || return 1
            printf '\n[mcp_servers.%s.http_headers]\nX-Api-Key = "%s"\n' "$NAME" "$api_key" >>"$servers"
            ;;
        gemini-cli)
            gemini mcp add --scope user --transport http --header "X-Api-Key: the key of $NAME" "$NAME" "$mcp_url/mcp" || return 1
            KEY=$api_key awk '{ at = index($0, "the key of agent-workspace")
                if (at) $0 = substr($0, 1, at - 1) ENVIRON["KEY"] substr($0, at + 26)
                print }' "$servers" >"$work/json"
            cat "$work/json" >"$servers"
            ;;
    esac
}

add_skill() {
    for file in SKILL.md hook.sh listener.sh; do
        curl -fsS -m 10 "$BASE_URL/join/$file" >"$state/$file" 2>/dev/null || rm -f "$state/$file"
    done
    if [ -f "$state/SKILL.md" ]; then
        mkdir -p "$(dirname "$skill")"
        mv "$state/SKILL.md" "$skill"
    fi
    [ -f "$state/hook.sh" ] || rm -f "$state/listener.sh"
}

# Copies each file that will change, and lists what there is.
keep_copies() {
    mkdir -p "$state/copies"
    copies=0
    for file in "$servers" "$hooks" "$skill" "$others"; do
        if [ -f "$file" ] && ! grep -qxF "$file" "$state/copied" 2>/dev/null; then
            cp -p "$file" "$state/copies/$((copies += 1))"
            say "$file" >>"$state/copied"
        fi
    done
    listing >"$state/before"
}

# Notes how the files are now, so that --leave finds out what has been changed since.
note_changes() {
    listing >"$work/after"
    comm -13 "$state/before" "$work/after" >"$work/new"
    while IFS= read -r path; do
        if [ -d "$path" ]; then
            say "folder - $path"
        else
            say "file $(sum "$path" | tr ' ' '_') $path"
        fi
    done <"$work/new" >"$state/created"
    number=0
    [ ! -f "$state/copied" ] || while IFS= read -r path; do
        say "$((number += 1)) $(sum "$path" | tr ' ' '_') $path"
    done <"$state/copied" >"$state/changed"
    rm -f "$state/before"
}

join_one() {
    paths_of "$1"
    redeem "$1" "$2"
    make_folder "$config" "$config/$NAME" "$state"
    printf 'X-API-Key: %s\n' "$api_key" >"$state/header"
    printf '%s\n' "$api_key" >"$state/key"
    : >"$state/additions"
    keep_copies
    added=0
    mkdir -p "$folder"
    if add_server "$1" </dev/null >"$work/output" 2>&1 && add_skill "$1" && add_hooks "$1"; then
        complete=yes
    else
        complete=
    fi
    for file in "$servers" "$hooks"; do
        [ ! -f "$file" ] || chmod 600 "$file"
    done
    note_changes
    if [ -z "$complete" ]; then
        cat "$work/output" >&2
        die "$1 could not be configured; its key is in $state/key. 'sh -s -- --leave --client $1' undoes what was done"
    fi
    say "$1 has joined as the agent '$agent'."
    [ ! -f "$state/missing" ] || warn "a file could not be changed, since it has something else there. What you have to add is in $state/missing"
    [ "$1" != codex ] || say "Start Codex and trust the new hooks with /hooks; until then it does not run them."
}

# Makes folders that do not exist, and remembers the first one, which --leave removes.
make_folder() {
    for path in "$@"; do
        if [ ! -d "$path" ]; then
            first=$path
            while [ ! -d "$(dirname "$first")" ]; do first=$(dirname "$first"); done
            mkdir -p "$path"
            made="${made:-}$first
"
        fi
    done
    [ -z "${made:-}" ] || printf '%s' "$made" >>"$config/$NAME/made"
    made=
}

join_all() {
    clients=$(choose)
    [ -n "$clients" ] || die "no Claude Code, Codex or Gemini CLI was found on this machine. Install one, or name it with --client"
    for client in $clients; do
        command -v "$(program "$client")" >/dev/null 2>&1 || die "$client was not found on the PATH"
        paths_of "$client"
        [ ! -d "$state" ] || die "$client has joined already: --leave --client $client undoes that"
        if grep -q -e "\"$NAME\" *: *{" -e "mcp_servers.$NAME]" "$servers" 2>/dev/null; then
            die "$servers has a server '$NAME' already: remove it with '$(program "$client") mcp remove $NAME'"
        elif [ "$client" = claude-code ] && grep -q '"ENGINE_KEY"' "$hooks" 2>/dev/null; then
            die "$hooks has the variable ENGINE_KEY already: remove it"
        fi
    done
    if [ "$(count "$clients")" -gt "$(count "$codes")" ] && [ -z "$chosen" ] && [ -z "$yes" ] && has_terminal; then
        say "On this machine are: $(printf '%s' "$clients" | tr '\n' ' ')"
        ask "Which one joins? [$(printf '%s' "$clients" | head -n 1)]"
        chosen=${reply:-$(printf '%s\n' "$clients" | head -n 1)}
        clients=$(choose)
    fi
    if [ "$(count "$clients")" -ne "$(count "$codes")" ]; then
        die "a code is good for one agent, and there are $(count "$codes") for: $(printf '%s' "$clients" | tr '\n' ' ')
  Choose with --client, or give a code for each."
    fi
    for client in $clients; do
        paths_of "$client"
        plan "$client"
    done
    [ -z "$dry" ] || return 0
    if [ -z "$yes" ] && has_terminal; then
        ask 'Go on? [Y/n]'
        case $reply in [nN]*) die 'nothing was changed' ;; esac
    fi
    for client in $clients; do
        code=${codes%% *}
        codes=${codes#* }
        join_one "$client" "$code"
    done
    say "To undo this: curl -fsS $BASE_URL/join | sh -s -- --leave"
}

# ---------------------------------------------------------------- leaving

# Undoes the changes of a file that has been changed since: with the client's own command, or by taking out what was added.
undo() {
    if [ "$1" = "$servers" ]; then
        if [ "$client" = claude-code ]; then
            (cd "$HOME" && claude mcp remove --scope user "$NAME" </dev/null >/dev/null 2>&1) || :
        else
            (cd "$HOME" && "$(program "$client")" mcp remove "$NAME" </dev/null >/dev/null 2>&1) || :
        fi
    fi
    if [ "$1" = "$hooks" ] && ! json_remove "$1"; then
        warn "$1 has been changed since: remove the hooks of $BASE_URL and ENGINE_KEY from it. The old file is in $1.before-joining"
        [ -z "${2:-}" ] || cp -p "$2" "$1.before-joining"
    fi
}

leave_one() {
    client=$1
    paths_of "$client"
    say "For $client: restores the files that joining changed, and removes those that it created"
    [ -z "$dry" ] || return 0
    # Joining may have been interrupted.
    [ -f "$state/created" ] || {
        [ -f "$state/before" ] || listing >"$state/before"
        note_changes
    }
    # Later additions first: they may be within earlier ones.
    sort -rn "$state/additions" >"$state/additions.back" 2>/dev/null || : >"$state/additions.back"
    [ ! -f "$state/changed" ] || while IFS=' ' read -r number old path; do
        if [ "$(sum "$path" | tr ' ' '_')" = "$old" ]; then
            say "  restores $path"
            cp -p "$state/copies/$number" "$path"
        elif [ -f "$path" ] && [ "$path" != "$others" ] && [ "$path" != "$skill" ]; then
            say "  takes the changes out of $path"
            undo "$path" "$state/copies/$number"
        fi
    done <"$state/changed"
    while IFS=' ' read -r kind old path; do
        if [ "$kind" = file ] && [ "$(sum "$path" | tr ' ' '_')" = "$old" ]; then
            say "  removes $path"
            rm -f "$path"
        elif [ "$kind" = file ] && [ -f "$path" ] && { [ "$path" = "$servers" ] || [ "$path" = "$hooks" ]; }; then
            say "  takes the changes out of $path"
            undo "$path"
        fi
    done <"$state/created"
    sort -r "$state/created" | while IFS=' ' read -r kind _ path; do
        [ "$kind" != folder ] || rmdir "$path" 2>/dev/null || :
    done
    rm -rf "${state:?}"
    say "$client has left. Its key still exists: AK_Revoke, or the page Keys of the console, ends it."
}

leave_all() {
    left=
    for client in claude-code codex gemini-cli; do
        paths_of "$client"
        if [ -d "$state" ] && { [ -z "$chosen" ] || choose | grep -qxF "$client"; }; then
            leave_one "$client"
            left=yes
        fi
    done
    [ -n "$left" ] || die "nothing has joined from this machine"
    [ -z "$dry" ] || return 0
    set -- "$config/$NAME"/*/
    if [ ! -d "$1" ]; then
        sort -r "$config/$NAME/made" >"$work/made" 2>/dev/null || :
        rm -f "$config/$NAME/made"
        rmdir "$config/$NAME" 2>/dev/null || :
        while IFS= read -r path; do rmdir "$path" 2>/dev/null || :; done <"$work/made"
    fi
}

# ---------------------------------------------------------------- arguments

main() {
    codes=
    chosen=
    yes=
    dry=
    leave=
    while [ $# -gt 0 ]; do
        case $1 in
            --client)
                [ $# -gt 1 ] || die '--client needs a client'
                chosen=${chosen:+$chosen,}$2
                shift
                ;;
            --client=*) chosen=${chosen:+$chosen,}${1#--client=} ;;
            --yes | -y) yes=yes ;;
            --dry-run) dry=yes ;;
            --leave) leave=yes ;;
            --help | -h)
                usage
                exit 0
                ;;
            ej_*[!A-Za-z0-9]*) die "the code is not valid: it has only letters and digits after ej_" ;;
            ej_*) codes=${codes:+$codes }$1 ;;
            *) die "'$1' is neither an option nor a code, which begins with ej_; --help lists the options" ;;
        esac
        shift
    done
    [ -n "${HOME:-}" ] || die 'HOME is not set'
    choose >/dev/null # Refuses unknown clients.
    command -v curl >/dev/null 2>&1 || die 'curl is required'
    config=${XDG_CONFIG_HOME:-$HOME/.config}
    work=$(mktemp -d "${TMPDIR:-/tmp}/join.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    if [ -n "$leave" ]; then
        leave_all
    else
        [ -n "$codes" ] || die "the code of an invitation is missing; --help lists the options"
        join_all
    fi
}

# The shell reads the whole script before it begins.
main "$@"
