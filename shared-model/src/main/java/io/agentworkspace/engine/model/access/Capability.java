package io.agentworkspace.engine.model.access;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;
import java.util.Set;

/**
 * What a key may do (decisions, section 1). A request is allowed only what both its key's capabilities and its user's
 * role allow.
 */
public enum Capability {
    AGENT_READ,
    AGENT_WRITE,
    DOMAIN_READ,
    DOMAIN_WRITE,
    BANK_READ,
    BANK_WRITE,
    ZONE_READ,
    ZONE_WRITE,
    USER_READ,
    USER_WRITE,
    KEY_READ,
    KEY_WRITE,
    WEBHOOK_READ,
    WEBHOOK_WRITE,
    DOCUMENT_READ,
    DOCUMENT_WRITE,
    RULE_READ,
    RULE_WRITE,
    SKILL_READ,
    SKILL_WRITE,
    ACCOUNT_READ,
    ACCOUNT_WRITE,
    TASK_READ,
    TASK_WRITE,
    UPSTREAM_READ,
    UPSTREAM_WRITE;

    /** All capabilities. */
    public static final String ALL = "*";

    /** The prefix of the capabilities to use the tools of an installed server, before its name. */
    private static final String OF_UPSTREAM = "upstream:";

    /** Returns the capability that the tools of this installed server require. */
    public static String ofUpstream(String name) {
        return OF_UPSTREAM + name;
    }

    /** Returns the name used on the wire: {@code agent:read}. */
    @JsonValue
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', ':');
    }

    /** Returns whether these capability names, as stored with a key, include this capability. */
    public boolean isIn(Set<String> words) {
        return words.contains(ALL) || words.contains(word());
    }
}
