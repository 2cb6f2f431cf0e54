#!/bin/sh
# A hook of a coding agent: sends what the engine needs of its event, and prints the answer. "hook.sh <client> listen" begins the
# listener instead, which wakes the session. "hook.sh <client> <event>" names the event where the client calls it otherwise or not
# at all; with "first" behind it, the first one of a session is its start. The engine is found by the files url and key beside this
# script, else by the plugin's options, else by ENGINE_URL and ENGINE_KEY. It never fails: without the engine it prints nothing.
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
url=${CLAUDE_PLUGIN_OPTION_URL:-${ENGINE_URL:-http://127.0.0.1:8080}}
key=${CLAUDE_PLUGIN_OPTION_KEY:-${ENGINE_KEY:-}}
# A client that has joined is the agent that it joined as, whatever key its user has in the environment.
if [ -f "$here/url" ] && [ -f "$here/key" ]; then
    { read -r url <"$here/url" && read -r key <"$here/key"; } || exit 0
fi
[ -n "$key" ] || exit 0
# Cursor also runs the hooks of Claude Code, whose agent its sessions are not. It sets this variable for hooks only.
[ "$1" = cursor ] || [ -z "${CURSOR_VERSION:-}" ] || exit 0

# A process's program and its parent. Some systems have no ps, and some have no /proc.
name() { cat "/proc/$1/comm" 2>/dev/null || ps -o comm= -p "$1"; }
parent() { sed -n 's/^PPid:[^0-9]*//p' "/proc/$1/status" 2>/dev/null || ps -o ppid= -p "$1" | tr -d ' '; }

# What Claude Code and Codex say to their user, at most once in each session.
state=${TMPDIR:-/tmp}/aw-listener-$(id -u)
tell() { # <session> <sentence>
    case $1 in '' | *[!A-Za-z0-9._-]*) return ;; esac
    (umask 077 && mkdir -p "$state") 2>/dev/null
    [ -O "$state" ] && [ ! -f "$state/told-$1" ] && : >"$state/told-$1" || return
    printf '{"systemMessage":"%s"}' "$2"
}

if [ "${2:-}" = listen ]; then
    [ "${ENGINE_LISTENER:-}" != off ] || exit 0
    event=$(tr -d '\n')
    # A prompt that the listener itself has queued was typed in no window, and a sub-agent has none.
    case $event in *'"prompt":"Workspace: '* | *'"agent_id":"'*) exit 0 ;; esac
    # The session's id in the event is the first text after its name.
    session=$(printf '%s' "$event" | sed -n 's/.*"session_id"[[:space:]]*:[[:space:]]*"\([A-Za-z0-9._-]*\)".*/\1/p')
    [ -n "$session" ] || exit 0
    # The client is the nearest ancestor that is not a shell.
    owner=$PPID
    while [ "${owner:-0}" -gt 1 ]; do
        case $(name "$owner") in
            *sh | env | timeout) owner=$(parent "$owner") ;;
            *) break ;;
        esac
    done
    # Codex proves by another hook that it has our tools.
    [ "$1" != codex ] || export LISTENER_CONNECTED=no
    LISTENER_PID=$owner ENGINE_URL=$url ENGINE_KEY=$key sh "$here/listener.sh" "$1" "$session" </dev/null >/dev/null 2>&1 &
    exit 0
fi

# Of the event, only this is sent: its name, the session's id and what began it, the sub-agent's id and type, the prompt of a new turn, the
# tool's name, whether the session is idle or goes on; before an edit the folder and the paths of the files, of a patch the lines that
# name them; before a command of a shell runs, the command. Other input of tools, their results and the model's answers stay here.
# Records end at quotation marks, so a large event is never one string.
# Values stay as JSON wrote them.
needed() {
    LC_ALL=C awk '
        BEGIN {
            RS = "\""
            split("hook_event_name session_id sessionId conversation_id conversationId agent_id agent_type source cwd prompt tool_name toolName notification_type stop_hook_active status terminationReason", names, " ")
            for (n in names) top[names[n]] = 1
            split("file_path notebook_path absolute_path path workdir working_directory dir_path directory", names, " "); for (n in names) path[names[n]] = 1
            split("input command cmd patch", names, " "); for (n in names) patch[names[n]] = 1
        }
        # The kind of the string that begins.
        function kind() {
            if (type[depth] == "{" && !colon) return "key"
            if (depth == 1 && key[1] in top) return "top"
            if (key[1] != "tool_input" && key[1] != "toolArgs") return ""
            if (depth == 2 && key[2] in path) return "path"
            return key[2] in patch && (depth == 2 || depth == 3 && type[3] == "[") ? "patch" : ""
        }
        # Without what the cut at the end left of a character.
        function whole(s) {
            sub(/[\300-\377][\200-\277]*$/, "", s); sub(/\\u[0-9a-fA-F]?[0-9a-fA-F]?[0-9a-fA-F]?$/, "", s)
            if (match(s, /\\+$/) && RLENGTH % 2) s = substr(s, 1, length(s) - 1)
            return s
        }
        function read_patch(s,  lines, i, n) {
            gsub(/\\\\/, "\001", s); n = split(s, lines, /\\n/)
            for (i = 1; i <= n; i++) {
                if (i > 1) line = ""
                if (length(line) < 4096) line = line lines[i]
                if (i < n) read_line()
            }
        }
        function read_line() {
            if (line ~ /^\*\*\* (Update File|Add File|Delete File|Move to): / && length(edits) < 200000) {
                gsub("\001", "\\\\\\\\", line); edits = edits line "\\n"
            }
            line = ""
        }
        # A command is one text, or a list of words.
        function read_command(s, ends) {
            if (key[2] != "command" && key[2] != "cmd") return
            if (length(word) < 16384) { word = word s; if (length(word) > 16384) word = whole(substr(word, 1, 16384)) }
            if (!ends) return
            words = words (words == "" ? "" : ",") "\"" word "\""; word = ""
            if (depth == 2) { command = words; words = "" } else command = "[" words "]"
        }
        function read_text(s, ends) {
            if (what == "patch") { read_command(s, ends); read_patch(s); if (ends) read_line() }
            else if (what != "" && !full) {
                text = text s
                if (length(text) > 8192) { text = whole(substr(text, 1, 8192)); full = 1 }
            }
            if (!ends) return
            if (what == "key") key[depth] = text
            else if (what == "top") value[key[1]] = text
            else if (what == "path") files = files ",\"" key[2] "\":\"" text "\""
        }
        function read_marks(s,  i, c) {
            if (depth == 1 && key[1] == "stop_hook_active" && s ~ /^[ \t\r\n]*:[ \t\r\n]*true/) value[key[1]] = "true"
            if (depth == 1 && key[1] == "loop_count" && s ~ /^[ \t\r\n]*:[ \t\r\n]*[1-9]/) value["stop_hook_active"] = "true"
            gsub(/[^][{}:,]+/, "", s); gsub(/,,+/, ",", s)
            for (i = 1; i <= length(s); i++) {
                c = substr(s, i, 1)
                if (c == "{" || c == "[") { type[++depth] = c; key[depth] = ""; colon = 0 }
                else if (c == "}" || c == "]") { depth--; colon = 0 }
                else colon = c == ":"
            }
        }
        inside {
            open = match($0, /\\+$/) && RLENGTH % 2
            read_text(open ? $0 "\"" : $0, !open)
            inside = open
            next
        }
        { read_marks($0); what = kind(); text = ""; full = 0; inside = 1 }
        function show(name) { if (name in value) printf ",\"%s\":\"%s\"", name, value[name] }
        END {
            name = ENVIRON["EVENT"] != "" ? ENVIRON["EVENT"] : value["hook_event_name"]
            if (!("session_id" in value)) value["session_id"] = value["sessionId"] value["conversation_id"] value["conversationId"]
            if ("toolName" in value) value["tool_name"] = value["toolName"]
            if (name == "" || value["session_id"] == "") exit
            # A turn that its user or an error has ended does not go on.
            if (name == "Stop" && (value["status"] ~ /^(aborted|error)$/ || value["terminationReason"] !~ /^(NO_TOOL_CALL)?$/)) name = "Interrupt"
            printf "{\"hook_event_name\":\"%s\"", name; show("session_id"); show("agent_id")
            if ("agent_id" in value) show("agent_type")
            if (name == "SessionStart") show("source")
            if (name == "UserPromptSubmit" || name == "BeforeAgent") show("prompt")
            if (name ~ /Tool/) show("tool_name")
            if (name == "Notification") show("notification_type")
            if (name == "Stop" || name == "AfterAgent") show("stop_hook_active")
            if (name == "PreToolUse" || name == "BeforeTool") {
                show("cwd"); sub(/\\n$/, "", edits)
                if (edits != "") files = files ",\"patch\":\"" edits "\""
                if (command != "" && tolower(value["tool_name"]) ~ /^(bash|shell|local_shell|exec_command|run_shell_command)$/)
                    files = files ",\"command\":" command
                printf ",\"tool_input\":{%s}", substr(files, 2)
            }
            printf "}"
        }'
}

event=$(EVENT=${2:-} needed)
[ -n "$event" ] || exit 0
session=${event#*\"session_id\":\"} && session=${session%%\"*}
if [ "${3:-}" = first ]; then
    case $session in '' | *[!A-Za-z0-9._-]*) exit 0 ;; esac
    (umask 077 && mkdir -p "$state") 2>/dev/null
    if [ -O "$state" ] && [ ! -f "$state/begun-$session" ]; then
        : >"$state/begun-$session"
        event="{\"hook_event_name\":\"SessionStart\"${event#*\"hook_event_name\":\""$2"\"}"
    fi
fi
# Prints an absolute path without links. What does not exist yet is below what does. Names that JSON escapes are left out.
real() {
    path=$(printf '%s' "$1" | sed 's/\\\\/\//g')
    case $path in *[\\\"]*) return ;; /* | [A-Za-z]:/*) ;; *) return ;; esac
    links=0
    while [ -h "$path" ] && [ "$links" -lt 8 ]; do
        link=$(readlink "$path") || return
        case $link in /*) path=$link ;; *) path=${path%/*}/$link ;; esac
        links=$((links + 1))
    done
    below=''
    while [ ! -d "${path:-/}" ]; do
        below=/${path##*/}$below
        case $path in */*) path=${path%/*} ;; *) return ;; esac
    done
    path=$(CDPATH='' cd -- "${path:-/}" && pwd -P) || return
    path=${path%/}$below
    case $path in *[\\\"]*) ;; *) printf '%s' "$path" ;; esac
}

# Prints the path in the first line of a file, which may be relative to a folder.
within() { # <folder> <file>
    IFS= read -r link <"$2" || :
    link=${link#gitdir: }
    case $link in /* | [A-Za-z]:*) ;; *) link=$1/$link ;; esac
    real "$link"
}

# Sets root to the nearest folder from $1 upwards that git knows.
find_root() {
    root=$1
    while [ -n "$root" ] && [ ! -e "$root/.git" ]; do
        case $root in */*) root=${root%/*} ;; *) root='' ;; esac
    done
}

# Sets git to the git folder of the worktree $1, common to that of the whole repository, and name to the worktree's name: the last
# one of "git rev-parse --git-dir".
look() {
    git=$1/.git name=.git
    [ ! -f "$git" ] || git=$(within "$1" "$git")
    common=$git
    if [ -f "$git/commondir" ]; then
        common=$(within "$git" "$git/commondir") name=${git##*/}
    fi
}

add() { # <root> <name of the worktree>
    case $2 in *[\\\"]*) return ;; esac
    [ -z "$1" ] || roots="$roots${roots:+,}{\"path\":\"$1\",\"worktree\":\"$2\"}"
}

# Sets roots to the worktree $1 and where its files are, too: in repositories that contain it as a submodule, in the other worktrees of
# its repository, and in its submodules, at most 40. A reserved path can be relative to each of them.
family() {
    look "$1"
    roots='' tree=$name inner='' left=40
    [ "$git" != "$common" ] || inner=$git # A linked worktree is no submodule.
    find_root "${1%/*}"
    while [ -n "$root" ] && [ -n "$inner" ]; do
        look "$root"
        case $inner in "$git"/modules/*) ;; *) break ;; esac
        tree=$name inner=$git
        set -- "$@" "$root"
        find_root "${root%/*}"
    done
    for each in "$@"; do add "$each" "$tree"; done
    look "$1"
    case $common in '' | "$1/.git") ;; */.git) add "${common%/.git}" .git ;; esac
    for linked in "$common"/worktrees/*; do
        [ -f "$linked/gitdir" ] || continue
        [ $((left -= 1)) -ge 0 ] || break
        other=$(within "$linked" "$linked/gitdir")
        [ "${other%/.git}" = "$1" ] || add "${other%/.git}" "${linked##*/}"
    done
    [ ! -f "$1/.gitmodules" ] || while IFS= read -r module; do
        [ ! -e "$1/$module/.git" ] || [ $((left -= 1)) -lt 0 ] || add "$(real "$1/$module")" "$tree"
    done <<MODULES
$(sed -n 's/^[[:space:]]*path[[:space:]]*=[[:space:]]*//p' "$1/.gitmodules")
MODULES
}

# Reserved paths are relative to the repository. It is found here: above the file, else above the session's folder, which
# changes with cd. What the system is called says how it compares the letters of names.
case $event in
    *'"tool_input":{'*)
        folder=${event#*\"cwd\":\"} && folder=${folder%%\"*}
        file=${event#*\"tool_input\":\{} && file=${file#*path\":\"} && file=${file%%\"*}
        case $event in *'path":"'*) ;; *) file='' ;; esac
        case $file in '' | /* | [A-Za-z]:*) ;; *) file=$folder/$file ;; esac
        folder=$(real "$folder")
        file=$(real "$file")
        if [ -n "$file" ]; then find_root "${file%/*}"; else find_root "$folder"; fi
        found="\"system\":\"$(uname -s)\""
        if [ -n "$root" ]; then
            found="$found,\"root\":\"$root\""
            family "$root"
            found="$found,\"roots\":[$roots]"
        fi
        [ -z "$folder" ] || found="$found,\"real_cwd\":\"$folder\""
        [ -z "$file" ] || found="$found,\"real_file\":\"$file\""
        event="${event%?},$found}"
        ;;
esac
# Sends a body with the key. The key goes through a file descriptor, so that no list of processes shows it; the body may be too long
# for an argument. On Windows curl knows no descriptor but the first, and gets all of it there.
send() { # <options of curl> <address> <body>
    case ${OS:-} in
        Windows_NT)
            { printf 'header = "X-API-Key: %s"\ndata-binary = "' "$key" && printf '%s' "$3" | sed 's/[\\"]/\\&/g' && printf '"\n'; } |
                curl "$1" -m 2 "$2" -H 'Content-Type: application/json' -K -
            ;;
        *)
            printf '%s' "$3" | curl "$1" -m 2 "$2" -H 'Content-Type: application/json' -H @/dev/fd/3 --data-binary @- 3<<KEY
X-API-Key: $key
KEY
            ;;
    esac
}
failure=0
answer=$(send -sSf "$url/api/hooks/$1" "$event" 2>&1) || failure=$?
case $event in
    '{"hook_event_name":"SessionEnd"'*)
        rm -f "$state/told-$session"
        # The listener belongs to the session. One that was cleared begins another.
        [ ! -f "$here/listener.sh" ] || sh "$here/listener.sh" "$1" "$session" end
        ;;
    '{"hook_event_name":"SessionStart"'* | '{"hook_event_name":"UserPromptSubmit"'* | '{"hook_event_name":"BeforeAgent"'*)
        case $failure/$answer in # Of curl: 22 is a refusal.
            0/*) ;;
            22/*40[13]*) tell "$session" "The workspace at $url refuses the key of this agent: ask for a new invitation, and join again." ;;
            22/*) ;;
            *) tell "$session" "The workspace at $url does not answer, so this session gets no messages: start the engine, then restart this program." ;;
        esac
        ;;
esac
# Another server may be there by now, such as one that asks to sign in: its page is not for the model.
case $failure$answer in 0'{'*'}') printf '%s' "$answer" ;; esac
