package io.agentworkspace.engine.model.tool;

import io.agentworkspace.engine.model.access.Capability;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The tools about one kind of thing, such as agents. A family is also a toolset that keys can be limited to. */
public enum Family {
    USER(
            "US",
            Capability.USER_READ,
            Capability.USER_WRITE,
            "Users",
            "Who is who in your tenant, and who you are.",
            "01 - User",
            "Users and their sessions."),
    AGENT(
            "AP",
            Capability.AGENT_READ,
            Capability.AGENT_WRITE,
            "Agents",
            "Named workers with a persona; log on as one, talk to others.",
            "02 - Agent",
            "Agents: named workers with a description and a persona."),
    DOMAIN(
            "DM",
            Capability.DOMAIN_READ,
            Capability.DOMAIN_WRITE,
            "Domains",
            "Shared workspaces that agents are members of.",
            "03 - Domain",
            "Domains: shared workspaces that agents are members of."),
    ZONE(
            "ZN",
            Capability.ZONE_READ,
            Capability.ZONE_WRITE,
            "Zones",
            "Channels inside a domain, each with a stream of messages.",
            "04 - Zone",
            "Zones: channels inside a domain."),
    BANK(
            "MB",
            Capability.BANK_READ,
            Capability.BANK_WRITE,
            "Memory banks",
            "Named collections of memories that agents share.",
            "05 - Bank",
            "Memory banks: shared, named collections of memories."),
    TASK(
            "TK",
            Capability.TASK_READ,
            Capability.TASK_WRITE,
            "Tasks",
            "What is to be done in a domain, who does it, and which paths are taken.",
            "Tasks",
            "Tasks of domains, and reservations of paths."),
    SKILL(
            "SK",
            Capability.SKILL_READ,
            Capability.SKILL_WRITE,
            "Skills",
            "What agents can learn.",
            "Skills",
            "What agents can learn."),
    DOCUMENT(
            "DC",
            Capability.DOCUMENT_READ,
            Capability.DOCUMENT_WRITE,
            "Documents",
            "Texts that are checked, split and loaded into banks.",
            "Documents",
            "Intake and validation."),
    RULE(
            "RL",
            Capability.RULE_READ,
            Capability.RULE_WRITE,
            "Rules",
            "What is denied or noted, as you wrote it down.",
            "Rules",
            "Templates and governance."),
    KEY(
            "AK",
            Capability.KEY_READ,
            Capability.KEY_WRITE,
            "API keys",
            "Keys for servers, agents and other programs.",
            "API Keys",
            "Keys for servers, agents and other programs."),
    WEBHOOK(
            "WH",
            Capability.WEBHOOK_READ,
            Capability.WEBHOOK_WRITE,
            "Webhooks",
            "Signed events to your HTTPS endpoints.",
            "Webhooks",
            "Signed events to your HTTPS endpoints."),
    ACCOUNT(
            "AC",
            Capability.ACCOUNT_READ,
            Capability.ACCOUNT_WRITE,
            "Account",
            "Plan, limits, usage and audit.",
            "Account",
            "Plan, limits, usage and audit."),
    UPSTREAM(
            "UP",
            Capability.UPSTREAM_READ,
            Capability.UPSTREAM_WRITE,
            "Upstream servers",
            "Other MCP servers, whose tools appear beside the engine's.",
            "Upstreams",
            "Other MCP servers, whose tools appear beside the engine's.");

    private final String prefix;
    private final Capability read;
    private final Capability write;
    private final String title;
    private final String sentence;
    private final String tag;
    private final String tagSentence;

    /** @param tag the group of its routes in the OpenAPI document, in the contract's words */
    Family(
            String prefix,
            Capability read,
            Capability write,
            String title,
            String sentence,
            String tag,
            String tagSentence) {
        this.prefix = prefix;
        this.read = read;
        this.write = write;
        this.title = title;
        this.sentence = sentence;
        this.tag = tag;
        this.tagSentence = tagSentence;
    }

    private static final Map<String, Family> BY_PREFIX =
            Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(family -> family.prefix, family -> family));

    /** @throws IllegalArgumentException where no family's tools have such names */
    static Family ofTool(String tool) {
        return findOfTool(tool)
                .orElseThrow(() -> new IllegalArgumentException("the name %s has no family's prefix".formatted(tool)));
    }

    /** Returns the family of a name that need not be a tool's. */
    static Optional<Family> findOfTool(String name) {
        var end = name.indexOf('_');
        return end < 0 ? Optional.empty() : Optional.ofNullable(BY_PREFIX.get(name.substring(0, end)));
    }

    /** Returns the family with this word. */
    public static Family of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }

    /** Returns the capability that the family's tools require to read. */
    public Capability read() {
        return read;
    }

    /** Returns the capability that the family's tools require to write. */
    Capability write() {
        return write;
    }

    /** Returns the alias of a command: {@code POST /demo/v1/Engine/tps/agent/create} for {@code AP_Create}. */
    Route alias(String tool) {
        var verb = tool.substring(prefix.length() + 1).toLowerCase(Locale.ROOT);
        return new Route("POST", "%s/%s/%s".formatted(Route.COMMANDS, word(), verb));
    }

    /** Returns how an audit entry names the subject of the family's tools, unless a tool overrides it. */
    Audited audited() {
        return switch (this) {
            case AGENT -> Audited.NAMED;
            case DOMAIN, BANK, USER -> Audited.NAMED_WITH_AGENT;
            case ZONE -> Audited.ZONE;
            case WEBHOOK -> Audited.ENDPOINT;
            case SKILL -> Audited.SKILL;
            case DOCUMENT -> Audited.DOCUMENT;
            case KEY, ACCOUNT, RULE, TASK, UPSTREAM -> Audited.WITH_ID;
        };
    }

    /** Returns the name on the wire, also the name of the toolset: {@code agent}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public String title() {
        return title;
    }

    public String sentence() {
        return sentence;
    }

    public String tag() {
        return tag;
    }

    public String tagSentence() {
        return tagSentence;
    }
}
