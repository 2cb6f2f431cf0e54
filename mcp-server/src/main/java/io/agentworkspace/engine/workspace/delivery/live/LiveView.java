package io.agentworkspace.engine.workspace.delivery.live;

import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Catalogue;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Callers who see the same data, so that their streams share reads.
 *
 * @param caller one of them, whose share of the database is used
 * @param zones whether messages of zones may be read
 * @param direct whether messages between two parties may be read
 * @param holder whose handshakes it sees, as the table of handshakes names it
 * @param keys whether it sees the handshakes of all keys of its user or, as an admin, of all keys
 */
record LiveView(Caller caller, Set<Topic> topics, boolean zones, boolean direct, String holder, boolean keys) {
    static LiveView of(Caller caller, Catalogue catalogue) {
        var topics = EnumSet.noneOf(Topic.class);
        for (var topic : Topic.values()) {
            if (topic.isFor(caller, catalogue)) {
                topics.add(topic);
            }
        }
        var key = caller.credential().key();
        return new LiveView(
                caller,
                topics,
                caller.may(catalogue.read("ZN_Read")),
                caller.may(catalogue.read("AP_Read")),
                key == null ? "user:" + caller.user() : "key:" + key,
                caller.may(catalogue.read("AK_List")) && !caller.isConfined());
    }

    /** What identifies an audience. */
    record AudienceKey(
            long tenant,
            long user,
            boolean admin,
            @Nullable Long agent,
            Set<Topic> topics,
            boolean zones,
            boolean direct,
            String holder,
            boolean keys) {}

    AudienceKey key() {
        return new AudienceKey(
                caller.tenant(),
                caller.user(),
                caller.isAdmin(),
                caller.boundAgent(),
                topics,
                zones,
                direct,
                holder,
                keys);
    }
}
