package io.agentworkspace.engine.rest.openapi;

import io.agentworkspace.engine.model.tool.Tool;
import java.util.Arrays;

/** A group of routes, in the contract's words (section "What the service does", item 6). */
public enum Tag {
    GATEWAY("", "Gateway", "Health, public runtime configuration, this document, and the generic command route."),
    KEYS("AK", "API Keys", "Keys for servers, agents and other programs."),
    WEBHOOKS("WH", "Webhooks", "Signed events to your HTTPS endpoints."),
    MCP("", "MCP", "The catalogue of tools, and a route that runs any of them."),
    SKILLS("SK", "Skills", "What agents can learn."),
    RULES("RL", "Rules", "Templates and governance."),
    DOCUMENTS("DC", "Documents", "Intake and validation."),
    USER("US", "01 - User", "Users and their sessions."),
    AGENT("AP", "02 - Agent", "Agents: named workers with a description and a persona."),
    DOMAIN("DM", "03 - Domain", "Domains: shared workspaces that agents are members of."),
    ZONE("ZN", "04 - Zone", "Zones: channels inside a domain."),
    BANK("MB", "05 - Bank", "Memory banks: shared, named collections of memories."),
    ACCOUNT("AC", "Account", "Plan, limits, usage and audit.");

    private final String prefix;
    private final String title;
    private final String sentence;

    Tag(String prefix, String title, String sentence) {
        this.prefix = prefix;
        this.title = title;
        this.sentence = sentence;
    }

    public static Tag of(Tool<?, ?> tool) {
        return Arrays.stream(values())
                .filter(tag -> tag.prefix.equals(tool.name().substring(0, 2)))
                .findFirst()
                .orElse(GATEWAY);
    }

    public String title() {
        return title;
    }

    public String sentence() {
        return sentence;
    }
}
