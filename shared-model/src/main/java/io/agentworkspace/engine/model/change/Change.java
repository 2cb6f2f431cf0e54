package io.agentworkspace.engine.model.change;

import io.agentworkspace.engine.model.access.Access;
import io.agentworkspace.engine.model.problem.Name;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the log of changes: what a transaction changed, and who may learn of it.
 *
 * @param action what became of it, where readers need to know
 * @param place the number of a thing: an agent, domain or bank; the bank of memories, the conversation of a message
 * @param other another number: a domain that an agent joined or left, or how many memories changed
 * @param moment with {@code thing}, the key of an audit entry
 * @param names the name as it is compared; null if the log finds it by the number in {@code place}, with its audience
 */
public record Change(
        ChangeTopic topic,
        @Nullable String action,
        @Nullable UUID thing,
        @Nullable Long place,
        @Nullable Long other,
        @Nullable Instant moment,
        @Nullable List<String> names,
        Audience audience) {
    /** Memories that one statement changed are named one by one up to this number. More are counted. */
    public static final int MEMORIES_NAMED = 50;

    /** An agent, domain or bank, before or after a change. */
    public record Resource(String name, Access access, long owner) {
        private Audience audience() {
            return Audience.of(access, owner);
        }
    }

    /** What somebody may see has changed. */
    public static Change access() {
        return list(ChangeTopic.ACCESS, Audience.EVERYONE);
    }

    /** A list has changed for these users. */
    public static Change list(ChangeTopic list, Audience audience) {
        return new Change(list, null, null, null, null, null, List.of(), audience);
    }

    public static Change named(ChangeTopic topic, String name, Audience audience) {
        return new Change(topic, null, null, null, null, null, List.of(Name.key(name)), audience);
    }

    /** An agent, domain or bank as the transaction leaves it. */
    public static Change numbered(ChangeTopic topic, long number) {
        return new Change(topic, null, null, number, null, null, null, Audience.NOBODY);
    }

    /**
     * An agent, domain or bank was created, changed or deleted.
     *
     * @param before null for a new one
     * @param after null for one that is gone
     */
    public static List<Change> resource(ChangeTopic topic, @Nullable Resource before, @Nullable Resource after) {
        var changes = new ArrayList<Change>();
        var audience = Audience.NOBODY;
        if (!Objects.equals(before, after)) {
            changes.add(access());
        }
        for (var one : new @Nullable Resource[] {after, before}) {
            if (one != null) {
                changes.add(named(topic, one.name(), one.audience()));
                audience = audience.or(one.audience());
            }
        }
        if (before == null
                || after == null
                || !before.name().equals(after.name())
                || before.access() != after.access()) {
            changes.add(list(ChangeTopic.RESOURCES, audience));
        }
        return changes;
    }

    /** An agent was created, changed or destroyed, spoke or stopped, joined a domain or left it. */
    public static Change presence(long agent, String action, @Nullable Long domain) {
        return new Change(ChangeTopic.PRESENCE, action, null, agent, domain, null, List.of(), Audience.NOBODY);
    }

    /** @param number the number of the message in its conversation */
    public static Change message(UUID id, long conversation, long number) {
        return new Change(ChangeTopic.MESSAGES, "said", id, conversation, number, null, List.of(), Audience.NOBODY);
    }

    /** Memories of a bank that one statement changed. */
    public static List<Change> memories(long bank, String action, Collection<UUID> ids) {
        return memories(bank, action, ids, ids.size());
    }

    /** @param ids some of them, if there are more than {@link #MEMORIES_NAMED} */
    public static List<Change> memories(long bank, String action, Collection<UUID> ids, long count) {
        if (count > MEMORIES_NAMED) {
            return List.of(memory(bank, action, null, count));
        }
        return ids.stream().map(id -> memory(bank, action, id, null)).toList();
    }

    private static Change memory(long bank, String action, @Nullable UUID id, @Nullable Long count) {
        return new Change(ChangeTopic.MEMORIES, action, id, bank, count, null, List.of(), Audience.NOBODY);
    }

    /** A version of a document came to another state, or was deleted. */
    public static List<Change> document(UUID id, String name, String action) {
        var version = new Change(ChangeTopic.DOCUMENTS, action, id, null, null, null, List.of(), Audience.NOBODY);
        return List.of(
                version,
                named(ChangeTopic.DOCUMENT, name, Audience.EVERYONE),
                list(ChangeTopic.RESOURCES, Audience.EVERYONE));
    }

    public static Change skill(String name) {
        return new Change(ChangeTopic.SKILL, null, null, null, null, null, List.of(name), Audience.EVERYONE);
    }

    public static Change delivery(UUID id, String state) {
        return new Change(ChangeTopic.DELIVERIES, state, id, null, null, null, List.of(), Audience.NOBODY);
    }

    public static Change audit(UUID entry, Instant at) {
        return new Change(ChangeTopic.AUDIT, "noted", entry, null, null, at, List.of(), Audience.NOBODY);
    }
}
