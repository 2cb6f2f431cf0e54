package io.agentworkspace.engine.workspace.delivery.hooks;

import io.agentworkspace.engine.kernel.scheduling.StepAllowance;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.StorableInput;
import io.agentworkspace.engine.model.text.StorableText;
import io.agentworkspace.engine.workspace.delivery.edits.EditedFiles;
import io.agentworkspace.engine.workspace.delivery.edits.Edits;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * An event of a client's hook. Fields that it has besides are ignored.
 *
 * @param name as the client calls it
 * @param prompt what the user typed; empty if the event has none
 * @param tool the tool that runs or has run; empty if the event has none
 * @param body as the client sent it
 * @param isHeld whether a hook has already let this turn go on
 * @param line the number of the wake-up that a listener reports on; 0 if the event has none
 * @param source what began the session, if the event says so
 * @param isOfSubAgent whether a sub-agent of the session runs, whose events concern nobody else
 * @param subAgent the type of this sub-agent; empty if the event has none
 */
record HookEvent(
        Kind kind,
        String name,
        String session,
        String prompt,
        String tool,
        ObjectNode body,
        String notification,
        boolean isHeld,
        long line,
        String source,
        boolean isOfSubAgent,
        String subAgent) {
    /** Fields that only events of a sub-agent have. {@code agent_type} is no such field: the main agent can have a type. */
    private static final List<String> OF_SUB_AGENT = List.of(
            "agent_id",
            "agentId",
            "subagent_id",
            "parent_agent_id",
            "parent_session_id",
            "parent_thread_id",
            "parent_tool_use_id");

    /** The most characters of a session's id. */
    static final int MAX_SESSION = 128;

    /** What an event is about. Each client has its own names. The last two are the listener's, on a line of its stream. */
    enum Kind {
        SESSION_START("SessionStart"),
        PROMPT("UserPromptSubmit", "BeforeAgent"),
        BEFORE_TOOL("PreToolUse", "BeforeTool"),
        AFTER_TOOL("PostToolUse", "AfterTool"),
        STOP("Stop", "AfterAgent"),
        INTERRUPT("Interrupt"),
        BEFORE_COMPACT("PreCompact"),
        SESSION_END("SessionEnd"),
        NOTIFICATION("Notification"),
        WAKE_HEARD("WakeHeard"),
        WAKE_FAILED("WakeFailed"),
        OTHER;

        private final List<String> names;

        Kind(String... names) {
            this.names = List.of(names);
        }

        static Kind of(String name) {
            for (var kind : values()) {
                if (kind.names.contains(name)) {
                    return kind;
                }
            }
            return OTHER;
        }
    }

    /** Reads the event that a client sends, or the input of the hook tool, whose fields have shorter names. */
    static HookEvent of(JsonNode body) {
        if (!(body instanceof ObjectNode event)) {
            throw Problem.invalid("the event", "must be a JSON object with hook_event_name and session_id");
        }
        var name = required(event, "hook_event_name", "event");
        var kind = Kind.of(name);
        return new HookEvent(
                kind,
                name,
                session(required(event, "session_id", "session")),
                text(event, "prompt"),
                text(event, "tool_name", "tool"),
                event,
                text(event, "notification_type"),
                text(event, "stop_hook_active").equals("true"),
                kind == Kind.WAKE_HEARD || kind == Kind.WAKE_FAILED ? line("line", required(event, "line")) : 0,
                text(event, "source"),
                isOfSubAgent(event),
                isOfSubAgent(event) ? text(event, "agent_type") : "");
    }

    private static boolean isOfSubAgent(ObjectNode event) {
        return OF_SUB_AGENT.stream().anyMatch(name -> isPresent(event.path(name)))
                || text(event, "is_sidechain", "isSidechain").equals("true");
    }

    private static boolean isPresent(JsonNode value) {
        return !value.isMissingNode()
                && !value.isNull()
                && !(value.isString() && value.asString().isBlank());
    }

    /** Reads the number of a line from a field. */
    static long line(String field, String text) {
        if (!text.matches("\\d{1,18}")) {
            throw Problem.invalid(field, "is '%s'; it must be the id of a line".formatted(Name.shortened(text)));
        }
        return Long.parseLong(text);
    }

    /** Checks the id of a session. */
    static String session(String id) {
        if (id.isBlank()
                || id.length() > MAX_SESSION
                || !StorableText.replaced(id).equals(id)) {
            throw Problem.invalid(
                    "session_id", "is '%s'; it must have 1–%d characters".formatted(Name.shortened(id), MAX_SESSION));
        }
        StorableInput.check("session_id", id);
        return id;
    }

    /** Returns whether the session begins in a program that has just started, and not after {@code /clear} or a summary. */
    boolean isNewProcess() {
        return kind == Kind.SESSION_START && !source.equals("clear") && !source.equals("compact");
    }

    /** Returns whether the client reports that nothing happens until its user types. */
    boolean isIdle() {
        return kind == Kind.NOTIFICATION && notification.equals("idle_prompt");
    }

    /** Returns what the tool that runs next is about to change. */
    Edits edits(StepAllowance allowance) {
        return kind == Kind.BEFORE_TOOL ? EditedFiles.of(body, text(body, "file"), allowance) : Edits.NONE;
    }

    private static String required(ObjectNode event, String... names) {
        var text = text(event, names);
        if (text.isBlank()) {
            throw Problem.invalid(names[0], "is missing; send the event as the hook received it");
        }
        return text;
    }

    /** Returns the first of these fields that is a text, or another plain value as text. */
    private static String text(ObjectNode event, String... names) {
        for (var name : names) {
            var value = event.path(name);
            if (value.isValueNode() && !value.isNull()) {
                return value.asString("");
            }
        }
        return "";
    }
}
