package io.agentworkspace.engine.rest.openapi;

import io.agentworkspace.engine.model.tool.Family;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A group of routes, in the contract's words (section "What the service does", item 6). */
public enum Tag {
    GATEWAY("Gateway", "Health, public runtime configuration, this document, and the generic command route."),
    KEYS(Family.KEY),
    WEBHOOKS(Family.WEBHOOK),
    MCP("MCP", "The catalogue of tools, and a route that runs any of them."),
    SKILLS(Family.SKILL),
    RULES(Family.RULE),
    DOCUMENTS(Family.DOCUMENT),
    USER(Family.USER),
    AGENT(Family.AGENT),
    DOMAIN(Family.DOMAIN),
    ZONE(Family.ZONE),
    BANK(Family.BANK),
    TASK(Family.TASK),
    ACCOUNT(Family.ACCOUNT),
    UPSTREAM(Family.UPSTREAM);

    private final @Nullable Family family;
    private final String title;
    private final String sentence;

    Tag(Family family) {
        this(family, family.tag(), family.tagSentence());
    }

    Tag(String title, String sentence) {
        this(null, title, sentence);
    }

    Tag(@Nullable Family family, String title, String sentence) {
        this.family = family;
        this.title = title;
        this.sentence = sentence;
    }

    public static Tag of(Tool<?, ?> tool) {
        return Arrays.stream(values())
                .filter(tag -> tag.family == tool.family())
                .findFirst()
                .orElseThrow();
    }

    public String title() {
        return title;
    }

    public String sentence() {
        return sentence;
    }
}
