#!/bin/sh
# Joins coding agents on this machine to an Agent Workspace Engine, with the code of an invitation:
#   curl -fsS <engine>/join | sh -s -- <code>
# See usage() below. It needs curl and what every Linux and macOS has, and on Windows Git Bash, which join.ps1 finds. It contains
# no secret.
# shellcheck disable=SC2016 # The clients insert variables such as ${prompt}, not this shell.
# With zsh, as with any other POSIX shell.
[ -z "${ZSH_VERSION:-}" ] || emulate sh
set -eu
umask 077
LC_ALL=C
export LC_ALL

BASE_URL='@BASE_URL@'
MCP_URL='@MCP_URL@'
NAME='agent-workspace'
# Stands for the key in files that are made before the code is used.
KEY_HERE='the-key-of-agent-workspace'

usage() {
    cat <<EOF
Joins coding agents to the workspace at $BASE_URL.

  curl -fsS $BASE_URL/join | sh -s -- [options] <code>...
  & ([scriptblock]::Create((irm $BASE_URL/join.ps1))) [options] <code>...   in PowerShell on Windows

  <code>               the code of an invitation; each is good for one agent
  --client <clients>   $(client_names); several with commas, with a code for each
  --yes                does not ask
  --no-allow           does not add the reading tools to what Claude Code may run without a prompt
  --dry-run            only prints what it would change
  --git-hook <domain>  also makes a hook of the git repository of this folder, which refuses a commit of files that others have
                       reserved in this domain; without a code, if an agent has joined already
  --leave              undoes what joining changed, for --client or for all clients
  --doctor             says for each client on this machine what works, and what to do
EOF
}

say() { printf '%s\n' "$*"; }
# Prints how this script is run with arguments. PowerShell needs another line.
line() {
    say "curl -fsS $BASE_URL/join | sh -s -- $*"
    [ -z "$windows" ] || say "        in PowerShell: & ([scriptblock]::Create((irm $BASE_URL/join.ps1))) $*"
}
warn() { printf 'join: %s\n' "$*" >&2; }
die() {
    warn "$@"
    exit 1
}

# ---------------------------------------------------------------- clients

# Each client's part: the folder of the same name beside this script. It has functions with the client's name in front:
# _client sets what is below, _server and _hooks change drafts, and these may be missing: _is_here, _plan, _next, _remove, _check.
CLIENTS=
# @CLIENTS@

client_names() { say "$CLIENTS" | awk '{ for (i = 1; i < NF; i++) printf "%s%s", $i, i < NF - 1 ? ", " : " or "; print $NF }'; }

has() { command -v "$1" >/dev/null 2>&1; }

# Describes a client: its title, programs and other names, its folder, and the files that joining changes, of which "keyed" has
# the key. "own" is a file that is all ours, and "extra" one that the engine sends for it alone. "app" needs no program on the
# PATH, and of one that "sleeps", a message wakes no session. The listener cannot see the processes of Windows, so none of a client
# that "wakes_by_listener" there, where git runs the hooks of a client that has them "by_git".
paths_of() {
    client=$1
    part=$(printf '%s' "$1" | tr - _)
    state=$config/$NAME/$1
    title='' folder='' programs='' names='' app='' servers='' hooks='' skill='' keyed='' own='' extra='' sleeps='' does=''
    wakes_by_listener='' by_git=$windows
    removal='an editor'
    "${part}_client"
    scripts=${hooks:+hook.sh}
    if [ -n "$wakes_by_listener" ]; then
        if [ -n "$windows" ]; then sleeps=yes; else scripts="$scripts listener.sh"; fi
    fi
    [ -n "$hooks" ] || by_git=
    [ -n "$does" ] || does="adds the server $MCP_URL/mcp to $servers, with the key"
}

has_joined() { [ -f "$state/key" ]; }

# Whether the client is on this machine.
is_here() {
    if has "${part}_is_here"; then
        "${part}_is_here"
        return
    fi
    for program in $programs; do
        ! has "$program" || return 0
    done
    [ -n "$app" ] && [ -d "$folder" ]
}

# Prints the clients of --client, else those on the machine.
choose() {
    if [ -n "$chosen" ]; then
        for word in $(printf '%s' "$chosen" | tr ',' ' '); do
            named=
            for each in $CLIENTS; do
                paths_of "$each"
                case " $each $names " in *" $word "*) named=$each ;; esac
            done
            [ -n "$named" ] || die "there is no client '$word'; it can be $(client_names)"
            say "$named"
        done
        return
    fi
    for each in $CLIENTS; do
        paths_of "$each"
        ! is_here || say "$each"
    done
}

count() { printf '%s' "$1" | wc -w | tr -d ' '; }

has_terminal() { (: </dev/tty) 2>/dev/null; }

ask() {
    printf '%s ' "$1" >/dev/tty
    read -r reply </dev/tty || reply=
}

# ---------------------------------------------------------------- changes of files

# What reads JSON, with comments, in awk: a text s of n characters. Functions return the place behind what they read.
JSON_AWK='
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
    { s = s $0 "\n" }
    END { if (!ENVIRON["NEWLINE"]) s = substr(s, 1, length(s) - 1); n = length(s) }'

# Prints 1 if the last line of a file is a whole one.
newline() { tail -c 1 "$1" | tr -dc '\n' | tr '\n' 1; }

# Runs awk on a JSON file.
json() { # <program> <file>
    NEWLINE=$(newline "$2") awk "$JSON_AWK$1" "$2"
}

# Prints JSON with a text added at a path such as "hooks Stop []", where [] adds at the beginning of a list, and [+] at its end. Everything else, comments
# included, stays as it is. Fails if the path leads elsewhere, or ends at something that exists.
json_add() {
    JSON_PATH=$2 JSON_TEXT=$3 json '
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
            printf "%s%s%s", substr(s, 1, i), text, substr(s, i + 1)
            exit 0
        }
        function append(i, text,  j, end) {
            for (j = blank(i + 1); j <= n && substr(s, j, 1) != "]";) {
                end = past_value(j)
                if (end == j) exit 3
                j = blank(end)
                if (substr(s, j, 1) == ",") j = blank(j + 1)
            }
            if (!end) add(i, text)
            printf "%s,\n%s%s", substr(s, 1, end - 1), text, substr(s, end)
            exit 0
        }
        END {
            parts = split(ENVIRON["JSON_PATH"], key, " "); text = ENVIRON["JSON_TEXT"]
            i = blank(1)
            for (k = 1; k <= parts; k++) {
                c = substr(s, i, 1)
                if (key[k] == "[]") { if (c != "[") exit 3; add(i, text) }
                if (key[k] == "[+]") { if (c != "[") exit 3; append(i, text) }
                if (c != "{") exit 3
                at = member(i, key[k])
                if (at && k == parts) exit 4
                if (!at) {
                    close_with = ""; open_with = ""
                    for (m = k; m <= parts; m++) {
                        if (key[m] ~ /^\[/) { open_with = open_with "["; close_with = "]" close_with }
                        else {
                            open_with = open_with "\"" key[m] "\": "
                            if (m < parts && key[m + 1] !~ /^\[/) { open_with = open_with "{"; close_with = "}" close_with }
                        }
                    }
                    add(i, open_with text close_with)
                }
                i = at
            }
            exit 4
        }' "$1"
}

# Prints JSON without what joining added: the hooks that call us, the server, and the variable if it has our key; and without
# the lists and objects that are empty then. Everything else, comments included, stays as it is.
json_remove() {
    MARKS="$NAME/$client/hook.sh
$NAME/$client/header
$BASE_URL/api/hooks/" KEY=$(key) SERVER=$NAME json '
        function is_ours(path, name, value,  i) {
            gsub(/\\\//, "/", value)
            if (path ~ /^(mcpServers|mcp|servers|)$/ && name == ENVIRON["SERVER"]) return 1
            if (path == "inputs") return index(value, "\"" ENVIRON["SERVER"] "-key\"")
            if (path == "permissions\nallow") return index(value, "\"mcp__" ENVIRON["SERVER"] "__") == 1
            if (path == "env") return name == "ENGINE_KEY" && value == "\"" ENVIRON["KEY"] "\""
            if (path !~ /^hooks\n[^\n]*\n[]]\nhooks$/ && (path !~ /^hooks\n[^\n]*$/ || value ~ /"hooks"[ \t\r\n]*:/)) return 0
            if (index(value, "\"AW_Hook\"") && index(value, "\"" ENVIRON["SERVER"] "\"")) return 1
            for (i = 1; i <= marks; i++) if (index(value, mark[i])) return 1
            return 0
        }
        # Marks for removal what is ours in the value at i, and returns whether nothing is left of it.
        function prune(i, path,  c, is_list, name, at, from, to, count, k, comma, kept, name_path, is_gone) {
            c = substr(s, i, 1)
            if (c != "{" && c != "[") return 0
            is_list = c == "["
            for (i = blank(i + 1); i <= n && substr(s, i, 1) !~ /[]}]/; i = blank(i)) {
                from[++count] = i; name = "]"
                if (!is_list) {
                    if (substr(s, i, 1) != "\"") exit 3
                    at = past_string(i); name = substr(s, i + 1, at - i - 2); i = blank(at)
                    if (substr(s, i, 1) != ":") exit 3
                    i = blank(i + 1)
                }
                to[count] = past_value(i)
                if (to[count] == i) exit 3
                if (path != "") name_path = path "\n" name
                else name_path = name ~ /^(hooks|env|mcpServers|mcp|servers|inputs|permissions)$/ ? name : ""
                gone[from[count]] = is_ours(path, name, substr(s, i, to[count] - i))
                if (!gone[from[count]] && name_path != "") gone[from[count]] = prune(i, name_path)
                # A group of hooks is nothing without its hooks.
                if (path ~ /^hooks\n[^\n]*\n[]]$/ && name == "hooks" && gone[from[count]]) is_gone = 1
                i = blank(to[count]); comma[count] = 0
                if (substr(s, i, 1) == ",") comma[count] = i++
                else if (substr(s, i, 1) !~ /[]}]/) exit 3
            }
            if (i > n) exit 3
            for (k = 1; k <= count; k++) {
                if (!gone[from[k]]) { kept = k; continue }
                # Without the blanks before it, which follow what was before.
                for (at = from[k]; substr(s, at - 1, 1) ~ /[ \t\r\n]/;) at--
                if (substr(s, at - 1, 1) !~ /[[{,]/) at = from[k]
                cut(at, comma[k] ? comma[k] + 1 : to[k])
                # Without the blanks of a new list or object.
                if (k == count && !kept) for (at = to[k]; substr(s, at, 1) ~ /[ \t\r\n]/; at++) cut(at, at + 1)
            }
            if (kept && kept < count && !comma[count]) cut(comma[kept], comma[kept] + 1)
            return is_gone || count > 0 && !kept
        }
        function cut(from, to) { if (!(from in until) || until[from] < to) until[from] = to }
        END {
            marks = split(ENVIRON["MARKS"], mark, "\n"); i = blank(1)
            if (substr(s, i, 1) != "{") exit 3
            prune(i, "")
            if (substr(s, blank(past_value(i)), 1) != "") exit 3
            last = 1
            for (i = 1; i <= n; i++) if (i in until) {
                if (i > last) printf "%s", substr(s, last, i - last)
                if (until[i] > last) last = until[i]
            }
            printf "%s", substr(s, last)
        }' "$1"
}

# Prints TOML without the server: its tables, but not comments in front of the next table.
toml_remove() {
    SERVER=$NAME awk '
        /^[ \t]*\[/ {
            head = $0; sub(/#.*/, "", head); gsub(/[] \t"[]/, "", head); gsub("\047", "", head)
            skip = index(head ".", "mcp_servers." ENVIRON["SERVER"] ".") == 1
            if (!skip) printf "%s", others
            others = ""
        }
        /^[ \t]*(#.*)?$/ { others = others $0 "\n"; next }
        !skip { printf "%s", others; print }
        { others = "" }
        END { if (!skip || others ~ /#/) printf "%s", others }' "$1"
}

# Adds to the draft of the hooks' file, at the path $1, the text $2.
add_to() {
    if ! json_add "$work/hooks" "$1" "$2" >"$work/json"; then
        die "$hooks has something else at '$1', or is not JSON: correct it first$nothing_changed"
    fi
    mv "$work/json" "$work/hooks"
}

sum() { cksum <"$1" 2>/dev/null || say none; }

# ---------------------------------------------------------------- joining

plan() {
    say "For $1:"
    say "  - joins the workspace at $BASE_URL with the code, which is then used up. It sends the name of this machine,
    $(plain "$(uname -n)"), which becomes part of the key's name"
    say "  - keeps the agent's key in $state (readable by you${windows:+ and administrators} only)"
    say "  - $does"
    [ -z "$hooks" ] || say "  - adds hooks to $hooks: they tell the engine what a session does, and show what waits"
    ! has "${part}_plan" || "${part}_plan"
    [ -z "$skill" ] || say "  - writes the skill $skill"
    [ -z "$sleeps" ] || say "  Note: a message does not wake an idle session of $title. $(instead)"
    if [ -n "$windows" ]; then
        say "  These files have the rights of their folders. Copies of what was there: $state/copies"
    else
        say "  Each of these files is then readable by you only, unless it is a link to a file without the key. Copies of what was there: $state/copies"
    fi
}

# What to do where nothing wakes a session.
instead() {
    if [ -n "$hooks" ]; then
        say "It reads messages at its next prompt, while it works, and at the end of a turn. To keep it waiting, tell it: wait for messages with AP_Wait"
    else
        say "It reads messages when its agent calls a tool. Tell it: read your messages with AP_Read, or wait for them with AP_Wait"
    fi
}

# Sends the code, and sets api_key and agent.
redeem() {
    printf '{"code":"%s","client":"%s","host":"%s"}' "$(plain "$2")" "$1" "$(plain "$(uname -n)")" >"$work/request"
    curl -sS -m 30 -w '\n%{http_code}' -H 'Content-Type: application/json' --data-binary "@$work/request" \
        "$BASE_URL/api/join" >"$work/response" ||
        die "the engine at $BASE_URL did not answer; nothing was changed. If the code is used up, ask for a new one and revoke the key that the engine made (AK_Revoke)"
    if [ "$(tail -n 1 "$work/response")" != 200 ]; then
        die "$(field detail "$work/response")"
    fi
    api_key=$(field api_key "$work/response")
    agent=$(field agent "$work/response")
    case $api_key in ek_*) ;; *) die "the engine's answer has no key" ;; esac
}

plain() { printf '%s' "$1" | tr -cd 'A-Za-z0-9._-'; }

# Prints a text field of a JSON object in one line.
field() { sed -n 's/.*"'"$1"'" *: *"\([^"]*\)".*/\1/p' "$2" | head -n 1; }

# Prints what a hook runs. It sends the few fields that the engine needs, and says nothing without the engine. Without the script
# it must end well, too: a shell that finds no file ends with a code by which clients refuse what is about to be done.
# On Windows only Claude Code is known to run hooks in Git Bash. Others use PowerShell or cmd, and to all three shells this is the
# same command: git runs it in its own shell. The script finds the engine and the key beside itself.
hook_command() { # <client> [listen]
    if [ -n "$by_git" ]; then
        printf '%s' "git -c \\\"alias.aw=![ ! -f '$state/hook.sh' ] || sh '$state/hook.sh' $*\\\" aw"
        return
    fi
    printf '%s' "[ ! -f '$state/hook.sh' ] || ENGINE_URL='$BASE_URL' ENGINE_KEY=\$(cat '$state/key') sh '$state/hook.sh' $*"
}

# Whether a client finds git, too. Git Bash has a git of its own on its PATH, which no other program has there.
finds_git() { where git 2>/dev/null | grep -qiv '[\\/]\(mingw[0-9]*\|clang[a-z0-9]*\)[\\/]bin[\\/]'; }
NO_GIT='git is not on the PATH, and it runs the hooks: install Git for Windows again, with git on the PATH'

by_command() { # <timeout> [<matcher>]
    printf '{%s"hooks": [{"type": "command", "command": "%s", "timeout": %s}]}' \
        "${2:+\"matcher\": \"$2\", }" "$(hook_command "$client")" "$1"
}

by_tool() {
    printf '{"hooks": [{"type": "mcp_tool", "server": "%s", "tool": "AW_Hook", "input": {"client": "%s", "event": "${hook_event_name}", "session": "${session_id}"}, "timeout": 3}]}' \
        "$NAME" "$client"
}

# Where the engine has the listener, a new session begins it: it wakes the session when a message comes.
add_listener() { # <client's event> <more>
    [ -n "$windows" ] ||
        add_to "hooks $1 []" "$(printf '{"hooks": [{"type": "command", "command": "%s", %s}]}' "$(hook_command "$client" listen) >/dev/null" "$2")"
}

# Adds a hook where hooks are in no groups. The client has its own name for the event.
flat_hook() { # <client's event> <event> <timeout> [<matcher>]
    add_to "hooks $1 []" "$(printf '{%s"command": "%s", "timeout": %s}' "${4:+\"matcher\": \"$4\", }" "$(hook_command "$client" "$2")" "$3")"
}

# Runs the client's own command on a copy of its configuration, $work/servers: so it creates nothing else.
by_client() { # <variable of its home> <file> <arguments>
    rm -rf "$work/scratch"
    copy=$work/scratch/$2
    mkdir -p "$(dirname "$copy")"
    [ ! -f "$work/servers" ] || cp "$work/servers" "$copy"
    (
        cd "$work/scratch"
        export "$1=$work/scratch"
        shift 2
        "$programs" "$@" </dev/null
    ) >"$work/output" 2>&1 || return 1
    [ -f "$copy" ] && mv "$copy" "$work/servers"
}

# Adds to the draft of the servers' file, at the path $1, the text $2.
server_to() {
    [ -s "$work/servers" ] || say '{}' >"$work/servers"
    json_add "$work/servers" "$1" "$2" >"$work/json" || die "$servers has something else at '$1', or is not JSON: correct it first$nothing_changed"
    mv "$work/json" "$work/servers"
}

has_server() { grep -q -e "\"$NAME\" *: *{" -e "mcp_servers.$NAME]" "$1" 2>/dev/null; }

# Makes the new files from the current ones, in $work. The key is never in a command's arguments, which others can see.
draft() {
    rm -f "$work/servers" "$work/hooks" "$work/old."*
    [ ! -f "$servers" ] || cp "$servers" "$work/servers"
    [ ! -f "$hooks" ] || cp "$hooks" "$work/hooks"
    cp "$work/servers" "$work/old.servers" 2>/dev/null || :
    cp "$work/hooks" "$work/old.hooks" 2>/dev/null || :
    if [ -n "$servers" ] && ! { "${part}_server" && has_server "$work/servers"; }; then
        cat "$work/output" >&2
        die "$1 could not be configured: its command failed$nothing_changed"
    fi
    [ -n "$hooks" ] || return 0
    [ "$servers" != "$hooks" ] || cp "$work/servers" "$work/hooks"
    [ -s "$work/hooks" ] || say '{}' >"$work/hooks"
    "${part}_hooks"
}

# Whether a file is still the one that its draft was made from.
unchanged() { if [ -f "$1" ]; then cmp -s "$1" "$work/old.$2"; else [ ! -f "$work/old.$2" ]; fi; }

# Puts the key into files that have its place.
fill() {
    for file in "$@"; do
        [ -f "$file" ] || continue
        KEY=$api_key HERE=$KEY_HERE NEWLINE=$(newline "$file") awk '{ at = index($0, ENVIRON["HERE"])
            if (at) $0 = substr($0, 1, at - 1) ENVIRON["KEY"] substr($0, at + length(ENVIRON["HERE"]))
            printf "%s%s", between, $0; between = "\n" }
            END { if (ENVIRON["NEWLINE"]) print "" }' "$file" >"$work/filled" && cat "$work/filled" >"$file" || return 1
    done
}

# Replaces a file by a draft: its content only, since it may be a symbolic link, whose file has the rights that its owner wants.
# Others cannot read the key.
publish() { # <draft> <file>
    [ -f "$2" ] || : >"$2"
    if [ ! -h "$2" ] || grep -qF "$api_key" "$1"; then chmod 600 "$2" || return 1; fi
    cat "$1" >"$2"
}

write_files() {
    # Others may have changed them since the draft was made.
    if ! unchanged "$servers" servers || ! unchanged "$hooks" hooks; then
        draft "$1"
    fi
    fill "$work/servers" "$work/hooks" || return 1
    [ -z "$servers" ] || [ "$servers" = "$hooks" ] || publish "$work/servers" "$servers" || return 1
    [ -z "$hooks" ] || publish "$work/hooks" "$hooks" || return 1
    [ -z "$skill" ] || { publish "$state/SKILL.md" "$skill" && rm -f "$state/SKILL.md"; }
}

# Makes a folder with those above it, and lists the new ones in the file $2.
make_folder() {
    [ ! -d "$1" ] || return 0
    make_folder "$(dirname "$1")" "$2" && mkdir "$1" && say "$1" >>"$2"
}

# Makes all but what needs the key. If this fails, nothing is left, and the code is not used.
prepare() {
    : >"$work/made"
    prepared=$state
    if ! make_folder "$state" "$work/made"; then
        remove_folders "$work/made"
        die "the folder $state cannot be made; nothing was changed"
    fi
    cat "$work/made" >>"$config/$NAME/made"
    # As long as what it will contain, so that there is space.
    printf '%200s\n' '' >"$state/key" || die "the folder $state cannot be written; nothing was changed"
    case $windows$(ls -l "$state/key") in
        yes* | -rw-------*) ;; # Windows has other rights: see is_own.
        *) die "others may read files in $state, so the key would not be safe there: set XDG_CONFIG_HOME to a folder on another disk" ;;
    esac
    for file in ${skill:+SKILL.md} $scripts $extra; do
        curl -fsS -m 10 "$BASE_URL/join/$file" >"$state/$file" || die "the engine at $BASE_URL did not send $file; nothing was changed"
    done
    keep_copies
    draft "$1"
    : >"$state/folders"
    for file in "$servers" "$hooks" "$skill"; do
        [ -z "$file" ] || make_folder "$(dirname "$file")" "$state/folders" || die "the folder of $file cannot be made; nothing was changed"
    done
}

# Copies each file that will change, and lists those that will be created.
keep_copies() {
    mkdir -p "$state/copies"
    copies=0
    for file in "$servers" "$hooks" "$skill"; do
        if [ -z "$file" ] || grep -qxF "$file" "$state/copied" "$state/new" 2>/dev/null; then
            continue
        elif [ -f "$file" ]; then
            cp -p "$file" "$state/copies/$((copies += 1))" || die "$file cannot be copied; nothing was changed"
            say "$file" >>"$state/copied"
        else
            say "$file" >>"$state/new"
        fi
    done
}

# Notes how the files are now, so that --leave finds out what has been changed since.
note_changes() {
    [ ! -f "$state/new" ] || while IFS= read -r file; do
        say "$(sum "$file" | tr ' ' '_') $file"
    done <"$state/new" >"$state/created"
    number=0
    [ ! -f "$state/copied" ] || while IFS= read -r file; do
        say "$((number += 1)) $(sum "$file" | tr ' ' '_') $file"
    done <"$state/copied" >"$state/changed"
}

# Removes what was made for a client that has not joined.
abandon() {
    [ -z "${prepared:-}" ] || {
        remove_folders "$prepared/folders"
        remove_state
        forget_folders
    }
    prepared=
}

join_one() {
    nothing_changed='; nothing was changed'
    paths_of "$1"
    prepare "$1"
    trap '' HUP INT TERM # Between using the code and keeping the key.
    redeem "$1" "$2"
    prepared=
    nothing_changed=
    if ! { printf '%s\n' "$api_key" >"$state/key" && printf '%s\n' "$BASE_URL" >"$state/url"; } 2>/dev/null; then
        die "$1 has joined as '$agent', but its key could not be kept in $state. Undo it with --leave --client $1,
  revoke the newest key of '$agent' (AK_List, AK_Revoke), and ask for a new invitation"
    fi
    trap 'exit 1' HUP INT TERM
    if ! (write_files "$1"); then
        note_changes
        die "$1 could not be configured completely; its key is in $state/key. Undo it with --leave --client $1,
  revoke the newest key of '$agent' (AK_List, AK_Revoke), and ask for a new invitation"
    fi
    note_changes
    say "$1 has joined as the agent '$agent'."
    ! has "${part}_next" || "${part}_next"
    [ -z "$sleeps" ] || say "A message does not wake an idle session of $title. $(instead)."
}

# Follows symbolic links.
real_path() {
    real=$1
    while [ -h "$real" ]; do
        link=$(readlink "$real")
        case $link in
            /*) real=$link ;;
            *) real=$(dirname "$real")/$link ;;
        esac
    done
    say "$real"
}

# Fails if git may commit a file: the key would be public.
is_private() {
    command -v git >/dev/null 2>&1 || return 0
    real=$(real_path "$1")
    near=$(dirname "$real")
    while [ ! -d "$near" ]; do near=$(dirname "$near"); done
    if git -C "$near" rev-parse --is-inside-work-tree >/dev/null 2>&1 && ! git -C "$near" check-ignore -q "$real" 2>/dev/null; then
        return 1
    fi
    # Some keep the files of their home in a repository elsewhere, whose work tree is the home.
    for repository in "$HOME"/.[!.]* "$HOME"/* "$HOME"/.local/share/*/*.git "$config"/*/*.git "$config"/vcsh/repo.d/*.git; do
        if [ -f "$repository/HEAD" ] && [ -d "$repository/objects" ] &&
            git -C "$HOME" --git-dir="$repository" --work-tree="$HOME" ls-files --error-unmatch -- "$1" "$real" >/dev/null 2>&1; then
            return 1
        fi
    done
}

# Whether a file on Windows is in the user's own folder, which only the user and administrators may read.
is_own() {
    case $(lower "$1") in
        */../*) false ;;
        "$(lower "$HOME")"/*) ;;
        *) false ;;
    esac
}

lower() { printf '%s' "$1" | tr '[:upper:]' '[:lower:]'; }

# Stops if a file cannot be written, or is not as safe as a key has to be.
check_file() { # <file> [key]
    if [ -e "$1" ]; then
        if [ ! -f "$1" ] || [ ! -r "$1" ] || ! (: >>"$1") 2>/dev/null; then
            die "$1 cannot be written; nothing was changed"
        fi
    else
        [ ! -h "$1" ] || die "$1 is a link to nothing; nothing was changed"
        near=$(dirname "$1")
        while [ ! -e "$near" ] && [ ! -h "$near" ]; do near=$(dirname "$near"); done
        probe=$(mktemp "$near/.join.XXXXXX" 2>/dev/null) || die "$1 cannot be made, since $near cannot be written; nothing was changed"
        rm -f "$probe"
    fi
    [ -n "${2:-}" ] || return 0
    [ -z "$windows" ] || is_own "$1" ||
        die "$1 would have the agent's key, and others may read files outside of $HOME: set XDG_CONFIG_HOME, CLAUDE_CONFIG_DIR, CODEX_HOME or COPILOT_HOME to a folder in it; nothing was changed"
    is_private "$1" ||
        die "$1 is in a git repository that does not ignore it, and would have the agent's key: take it out of the repository and add it to .gitignore; nothing was changed"
}

check_files() {
    check_file "$state/key" key
    for file in "$servers" "$hooks" "$skill"; do
        [ -z "$file" ] || check_file "$file" ${keyed:+$([ "$file" != "$keyed" ] || echo key)}
    done
}

# Prints " as the agent 'name'", which the engine knows by the code. It does not use the code up.
agent_of() {
    printf '{"code":"%s","client":"generic","preview":true}' "$(plain "$1")" >"$work/request"
    curl -sS -m 10 -H 'Content-Type: application/json' --data-binary "@$work/request" "$BASE_URL/api/join" >"$work/response" 2>/dev/null || return 0
    agent=$(field agent "$work/response")
    [ -z "$agent" ] || printf " as the agent '%s'" "$agent"
}

# Prints those of the clients that have not joined, or all of them if all have.
not_joined() {
    left=
    for each in $1; do
        paths_of "$each"
        has_joined || left="$left $each"
    done
    # shellcheck disable=SC2086 # one word each
    printf '%s\n' ${left:-$1}
}

join_all() {
    clients=$(choose)
    if [ -z "$clients" ]; then
        missing="no program that this script knows was found on this machine. Install one, or name it with --client: $(client_names)"
        if [ -n "$yes" ] || ! has_terminal; then
            die "$missing. With --client generic it prints what to paste into the configuration of another program"
        fi
        say "$missing."
        ask 'Print what to paste into the configuration of another program? [Y/n]'
        case $reply in [nN]*) die 'nothing was changed' ;; esac
        chosen=generic
        clients=generic
    fi
    [ -n "$chosen" ] || clients=$(not_joined "$clients")
    if [ "$(count "$clients")" -gt "$(count "$codes")" ] && [ -z "$chosen" ] && [ -z "$yes" ] && has_terminal; then
        say "These can join: $(printf '%s' "$clients" | tr '\n' ' ')"
        ask "Which one joins$(agent_of "${codes%% *}")? [$(printf '%s' "$clients" | head -n 1)]"
        chosen=${reply:-$(printf '%s\n' "$clients" | head -n 1)}
        clients=$(choose)
    fi
    if [ "$(count "$clients")" -ne "$(count "$codes")" ]; then
        die "a code is good for one agent, and there are $(count "$codes") for: $(printf '%s' "$clients" | tr '\n' ' ')
  Choose with --client, or give a code for each."
    fi
    for each in $clients; do
        paths_of "$each"
        [ -n "$app" ] || is_here || die "$each was not found on the PATH"
        [ -z "$by_git" ] || finds_git || die "$NO_GIT; nothing was changed"
        ! has_joined || die "$each has joined already: --leave --client $each undoes that"
        ! has_server "$servers" || die "$servers has a server '$NAME' already: remove it with $removal"
        check_files
    done
    for each in $clients; do
        paths_of "$each"
        plan "$each"
    done
    [ -z "$dry" ] || return 0
    if [ -z "$yes" ] && has_terminal; then
        ask 'Go on? [Y/n]'
        case $reply in [nN]*) die 'nothing was changed' ;; esac
        if [ -n "$allow" ] && printf '%s\n' "$clients" | grep -qx claude-code; then
            ask 'Allow Claude Code the reading tools without a prompt? [Y/n]'
            case $reply in [nN]*) allow= ;; esac
        fi
    fi
    for each in $clients; do
        code=${codes%% *}
        codes=${codes#* }
        join_one "$each" "$code"
    done
    say "To undo this: $(line --leave)"
}

# The hook's own script puts it in the repository, and takes it out again.
add_git_hook() {
    say "In the git repository of this folder: adds the hook pre-commit, which first runs one that is there. It refuses a commit of files
  that others have reserved in the domain '$git_hook'"
    [ -z "$dry" ] || return 0
    find "$config/$NAME" -name key 2>/dev/null | grep -q . || die "no agent has joined from this machine: give the code of an invitation, too; nothing was changed"
    curl -fsS -m 10 "$BASE_URL/join/pre-commit" >"$work/pre-commit" || die "the engine at $BASE_URL did not send pre-commit; the hook was not added"
    cat "$work/pre-commit" >"$config/$NAME/pre-commit"
    ENGINE_URL=$BASE_URL sh "$config/$NAME/pre-commit" install "$git_hook" || exit 1
}

# ---------------------------------------------------------------- leaving

# The key, or what stands for it if joining was interrupted.
key() { grep '^ek_' "$state/key" || say "$KEY_HERE"; }

# Makes $work/without, the file without what joining added. Fails if something of it is left.
take_out() {
    case $1 in
        *.toml) toml_remove "$1" >"$work/without" && ! has_server "$work/without" ;;
        *) json_remove "$1" >"$work/without" ;;
    esac && ! grep -qF "$(key)" "$work/without"
}

# Makes $work/without by the client's own command, where it has one for this. Fails if the server is left.
is_left() {
    has "${part}_remove" && [ "$1" = "$servers" ] || return 1
    cp "$1" "$work/servers"
    if has_server "$1"; then "${part}_remove" || return 1; fi
    mv "$work/servers" "$work/without" && ! has_server "$work/without"
}

# Undoes the changes of a file that has been changed since, and gives it the rights that its copy has.
undo() { # <file> [<copy>]
    if ! { is_left "$1" || take_out "$1"; } || ! { cat "$work/without" >"$1"; } 2>/dev/null; then
        incomplete=yes
        warn "$1 could not be cleaned. Remove from it, where they are there: the server '$NAME', the variable ENGINE_KEY, and the
  hooks with $state/hook.sh, $BASE_URL/api/hooks or AW_Hook. Then run this again"
        [ -z "${2:-}" ] || warn "before joining, it was as $2 is"
    elif [ -n "${2:-}" ]; then
        chmod "$(stat -c %a "$2" 2>/dev/null || stat -f %Lp "$2")" "$1"
    else
        case $(tr -d ' \t\r\n' <"$1") in '' | '{}' | '{"version":1}') rm -f "$1" ;; esac
    fi
}

leave_one() {
    incomplete=
    paths_of "$1"
    say "For $client: restores the files that joining changed, and removes those that it created"
    [ -z "$dry" ] || return 0
    # Joining may have been interrupted.
    [ -f "$state/created" ] || [ -f "$state/changed" ] || note_changes
    [ ! -f "$state/changed" ] || while IFS=' ' read -r number old file; do
        if [ "$(sum "$file" | tr ' ' '_')" = "$old" ]; then
            say "  restores $file"
            cp -p "$state/copies/$number" "$file"
        elif [ -f "$file" ] && [ "$file" != "$skill" ] && ! cmp -s "$state/copies/$number" "$file"; then
            say "  takes the changes out of $file"
            undo "$file" "$state/copies/$number"
        fi
    done <"$state/changed"
    [ ! -f "$state/created" ] || while IFS=' ' read -r old file; do
        if [ ! -f "$file" ]; then
            continue
        elif [ "$(sum "$file" | tr ' ' '_')" = "$old" ] || [ "$file" = "$own" ]; then
            say "  removes $file"
            rm -f "$file"
        elif [ "$file" != "$skill" ]; then
            say "  takes the changes out of $file"
            undo "$file"
        fi
    done <"$state/created"
    if [ -n "$incomplete" ]; then
        warn "$client has not left completely. What it needs to go on is in $state"
        return
    fi
    remove_folders "$state/folders"
    remove_state
    [ ! -d "$state" ] || warn "$state has files that joining did not make, so it stays"
    say "$client has left. Its key still exists: AK_Revoke, or the page Keys of the console, ends it."
}

# Removes our own files. Others may have put some there.
remove_state() {
    rm -rf "$state/copies"
    for file in key url header SKILL.md hook.sh listener.sh $extra additions additions.back copied new created changed folders; do
        rm -f "$state/$file"
    done
    rm -f "$state"/added.*
    rmdir "$state" 2>/dev/null || :
}

# Removes the folders that a file lists, unless something is in them.
remove_folders() {
    [ -f "$1" ] || return 0
    sort -r "$1" | while IFS= read -r file; do rmdir "$file" 2>/dev/null || :; done
}

# Removes the folders above those of the clients, when the last client has left.
forget_folders() {
    for each in $CLIENTS; do
        paths_of "$each"
        ! has_joined || return 0
    done
    if [ -f "$config/$NAME/pre-commit" ]; then
        sh "$config/$NAME/pre-commit" remove
        rm -f "$config/$NAME/pre-commit"
    fi
    cp "$config/$NAME/made" "$work/made" 2>/dev/null || : >"$work/made"
    rm -f "$config/$NAME/made"
    remove_folders "$work/made"
}

leave_all() {
    left=
    failed=
    for each in $CLIENTS; do
        paths_of "$each"
        if has_joined && { [ -z "$chosen" ] || choose | grep -qxF "$each"; }; then
            leave_one "$each"
            left=yes
            failed=$failed$incomplete
        fi
    done
    [ -n "$left" ] || die "nothing has joined from this machine"
    [ -n "$dry" ] || forget_folders
    [ -z "$failed" ] || exit 1
}

# ---------------------------------------------------------------- doctor

ok() { say "  ok    $1"; }
todo() {
    say "  TO DO $1"
    unwell=yes
}

# Says what works of a client, and what to do.
check_one() {
    version=
    for program in $programs; do
        [ -n "$version" ] || ! has "$program" || version=$("$program" --version </dev/null 2>/dev/null | grep -o '[0-9]\{1,\}\(\.[0-9]\{1,\}\)\{1,\}' | head -n 1) || :
    done
    say "$title${version:+ $version}"
    if ! has_joined; then
        say "  -     has not joined. With an invitation: $(line --client "$1" '<code>')"
        return
    fi
    # No engine gets the key of another. A key from an earlier script has no address.
    joined=$(cat "$state/url" 2>/dev/null) || joined=$BASE_URL
    if [ "$joined" != "$BASE_URL" ]; then
        todo "it has joined the engine at $joined, not the one at $BASE_URL: ask with $joined/join, or with ./engine doctor --clients $joined"
        return
    fi
    # No event of any client has this name, so nothing happens but the check of the key.
    printf 'X-Api-Key: %s\n' "$(key)" |
        curl -sS -m 10 -o "$work/response" -w '%{http_code}' -H @- -H 'Content-Type: application/json' \
            -d '{"hook_event_name":"Check","session_id":"doctor"}' "$BASE_URL/api/hooks/claude-code" >"$work/status" 2>/dev/null || :
    case $(cat "$work/status") in
        200) ok "the engine at $BASE_URL accepts the key" ;;
        401 | 403) todo "the engine at $BASE_URL refuses the key: run --leave --client $1, and join with a new invitation" ;;
        *) todo "the engine at $BASE_URL does not answer: start it, or look at its log" ;;
    esac
    if [ -n "$servers" ]; then
        if has_server "$servers"; then ok "the MCP server is in $servers"; else todo "the MCP server is no longer in $servers: run --leave --client $1, and join again"; fi
    fi
    [ -z "$hooks" ] || check_hooks "$1"
    [ -z "$sleeps" ] || say "  note  a message does not wake an idle session. $(instead)"
    ! has "${part}_check" || "${part}_check"
}

wakes() { [ -n "$sleeps" ] || ok 'a message wakes an idle session'; }

check_hooks() {
    if grep -qF "$state/" "$hooks" 2>/dev/null; then ok "the hooks are in $hooks"; else todo "the hooks are no longer in $hooks: run --leave --client $1, and join again"; fi
    [ -z "$by_git" ] || finds_git || todo "$NO_GIT"
    for file in $scripts $extra; do
        curl -fsS -m 10 "$BASE_URL/join/$file" >"$work/new" 2>/dev/null || return 0
        cmp -s "$work/new" "$state/$file" || {
            todo "$state/$file is not that of the engine: run --leave --client $1, and join again"
            return
        }
    done
}

doctor() {
    unwell=
    found=
    for each in $CLIENTS; do
        paths_of "$each"
        if [ -n "$chosen" ]; then choose | grep -qxF "$each" || continue; else is_here || has_joined || continue; fi
        found=yes
        check_one "$each"
    done
    [ -n "$found" ] || say "no program that this script knows was found on this machine; it knows $(client_names)"
    [ -z "$unwell" ] || exit 1
}

# ---------------------------------------------------------------- arguments

main() {
    codes=
    chosen=
    yes=
    dry=
    allow=yes
    leave=
    git_hook=
    examine=
    while [ $# -gt 0 ]; do
        case $1 in
            --client)
                [ $# -gt 1 ] || die '--client needs a client'
                chosen=${chosen:+$chosen,}$2
                shift
                ;;
            --client=*) chosen=${chosen:+$chosen,}${1#--client=} ;;
            --git-hook)
                [ $# -gt 1 ] || die '--git-hook needs a domain'
                git_hook=$2
                shift
                ;;
            --git-hook=*) git_hook=${1#--git-hook=} ;;
            --yes | -y) yes=yes ;;
            --dry-run) dry=yes ;;
            --no-allow) allow= ;;
            --leave) leave=yes ;;
            --doctor) examine=yes ;;
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
    windows=
    case $(uname -s) in
        MINGW* | MSYS*)
            windows=yes
            # As the clients, which are no programs of this shell, know it.
            HOME=$(cygpath -m "${USERPROFILE:-$HOME}")
            [ -z "${XDG_CONFIG_HOME:-}" ] || XDG_CONFIG_HOME=$(cygpath -m "$XDG_CONFIG_HOME")
            [ -z "${CLAUDE_CONFIG_DIR:-}" ] || CLAUDE_CONFIG_DIR=$(cygpath -m "$CLAUDE_CONFIG_DIR")
            [ -z "${CODEX_HOME:-}" ] || CODEX_HOME=$(cygpath -m "$CODEX_HOME")
            [ -z "${COPILOT_HOME:-}" ] || COPILOT_HOME=$(cygpath -m "$COPILOT_HOME")
            ;;
    esac
    config=${XDG_CONFIG_HOME:-$HOME/.config}
    choose >/dev/null # Refuses unknown clients.
    command -v curl >/dev/null 2>&1 || die 'curl is required'
    not_absolute="the folder $config is not an absolute path: set XDG_CONFIG_HOME to one; nothing was changed"
    # It becomes part of the hooks' commands, in quotation marks.
    case $config in
        *[\'\"\\[:cntrl:]]*) die "the folder $config has a quotation mark, a backslash or a line break in its name: set XDG_CONFIG_HOME to another folder; nothing was changed" ;;
        /*) ;;
        [A-Za-z]:/*) [ -n "$windows" ] || die "$not_absolute" ;;
        *) die "$not_absolute" ;;
    esac
    if [ -n "$windows" ]; then
        case $config in
            *[%\$\`!]*) die "the folder $config has a character in its name that shells of Windows replace: set XDG_CONFIG_HOME to another folder; nothing was changed" ;;
        esac
    fi
    work=$(mktemp -d "${TMPDIR:-/tmp}/join.XXXXXX")
    [ -z "$windows" ] || work=$(cygpath -m "$work")
    prepared=
    trap 'abandon; rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    if [ -n "$examine" ]; then
        doctor
    elif [ -n "$leave" ]; then
        leave_all
    else
        [ -n "$codes$git_hook" ] || die "the code of an invitation is missing; --help lists the options"
        [ -z "$codes" ] || join_all
        [ -z "$git_hook" ] || add_git_hook
    fi
}

# The shell reads the whole script before it begins.
main "$@"
