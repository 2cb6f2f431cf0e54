package io.agentworkspace.engine.model.change;

import java.util.Locale;

/** What a change is about: a kind of thing, a list of MCP, or a topic of the console's stream. */
public enum ChangeTopic {
    /** What users may see. Caches of it are cleared before later changes are reported. */
    ACCESS,
    AGENT,
    DOMAIN,
    BANK,
    DOCUMENT,
    SKILL,
    EVENTS,
    TASK,
    TASK_CANCELLED,
    RESOURCES,
    PROMPTS,
    TOOLS,
    PRESENCE,
    MESSAGES,
    MEMORIES,
    DELIVERIES,
    HANDSHAKES,
    DOCUMENTS,
    AUDIT;

    /** Returns the word in the log. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
