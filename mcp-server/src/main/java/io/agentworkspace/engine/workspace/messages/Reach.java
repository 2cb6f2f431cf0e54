package io.agentworkspace.engine.workspace.messages;

import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Who hears of a new message: whether its recipient is online and what wakes it, or how many of the other members of a
 * zone's domain are and can be woken.
 *
 * @param wakes {@code wait}, {@code stream} or {@code hook}; null if nothing wakes the recipient
 * @param usedAt when a session of the recipient was last used; long ago if none is open
 * @param leftAt when its last session ended
 * @param members the other members, those online, and those that something wakes; empty for a direct message
 */
public record Reach(
        @Nullable String wakes,
        @Nullable Instant usedAt,
        @Nullable Instant leftAt,
        List<Long> members) {
    /** How long a party counts as online after it was seen. */
    private static final Duration ONLINE = Duration.ofMinutes(15);

    private static final String HOOK = "hook";

    /** A session {@code h} in the middle of a turn: a hook tells it of the message after its next tool, or at the end of its turn. */
    private static final String BUSY = SqlTemplate.of(
                    "h.state = 'busy' AND h.connected IS NOT FALSE AND h.seen_at > CAST(:now AS timestamptz) - {online} * INTERVAL '1 minute'")
            .with("online", ONLINE.toMinutes())
            .sql();

    /** Whether the entry {@code w} waits for a direct message that the speaker sends to the party. */
    private static String hearsDirect(String party, String answers) {
        return SqlTemplate.of("""
            (w.from_agent IS NULL
                OR w.from_agent = (SELECT a.name_key FROM agent a
                                    WHERE a.tenant_id = :tenant AND a.id = :speaker AND a.destroyed_at IS NULL))
            AND w.in_domain IS NULL
            AND (w.answers IS NULL OR w.answers = {answers})
            AND (w.beside IS NULL
                OR EXISTS (SELECT 1 FROM message own
                             JOIN conversation place ON place.tenant_id = :tenant AND place.id = own.conversation_id
                            WHERE own.tenant_id = :tenant AND own.id = w.beside
                              AND place.low_id = least(CAST(:speaker AS bigint), {party})
                              AND place.high_id = greatest(CAST(:speaker AS bigint), {party})))
            """).with("party", party).with("answers", answers).sql();
    }

    /** Whether it waits for a message in the zone {@code z}. */
    private static String hearsZone(String answers) {
        return SqlTemplate.of("""
            w.from_agent IS NULL
            AND (w.in_zone IS NULL OR w.in_zone = z.name_key)
            AND (w.in_domain IS NULL
                OR w.in_domain = (SELECT d.name_key FROM domain d WHERE d.tenant_id = :tenant AND d.id = z.domain_id))
            AND (w.answers IS NULL OR w.answers = {answers})
            AND (w.beside IS NULL OR w.beside = {answers})
            """).with("answers", answers).sql();
    }

    /**
     * Returns the columns, each after a comma.
     *
     * @param party an expression for the recipient's id; null in a zone
     * @param conversation an expression for the zone's conversation; null for a direct message
     * @param answers an expression for the message that the new one answers; null if it answers none
     */
    public static String columns(String party, String conversation, String answers) {
        return SqlTemplate.of("""
                , COALESCE((SELECT w.kind FROM wake w
                             WHERE w.tenant_id = :tenant AND w.party_id = {party} AND w.until > CAST(:now AS timestamptz)
                               AND {hears_direct}
                             ORDER BY w.kind DESC -- wait before stream
                             LIMIT 1),
                           (SELECT 'hook' FROM hook_session h
                             WHERE h.tenant_id = :tenant AND h.agent_id = {party} AND {busy}
                             LIMIT 1)) AS wakes,
                greatest((SELECT max(c.used_at) FROM context c WHERE c.tenant_id = :tenant AND c.self_id = {party}),
                         (SELECT max(s.last_seen_at) FROM browser_session s
                           WHERE s.tenant_id = :tenant AND s.user_id = {party})) AS last_used_at,
                (SELECT h.left_at FROM guard_received h WHERE h.tenant_id = :tenant AND h.agent_id = {party}) AS left_at,
                (SELECT ARRAY[count(*), count(*) FILTER (WHERE m.online OR m.wakes), count(*) FILTER (WHERE m.wakes)]
                   FROM (SELECT EXISTS (SELECT 1 FROM context c
                                         WHERE c.tenant_id = :tenant AND c.self_id = member.agent_id
                                           AND c.used_at > CAST(:now AS timestamptz) - {online} * INTERVAL '1 minute') AS online,
                                EXISTS (SELECT 1 FROM wake w
                                         WHERE w.tenant_id = :tenant AND w.party_id = member.agent_id
                                           AND w.until > CAST(:now AS timestamptz) AND {hears_zone}
                                           AND EXISTS (SELECT 1 FROM participant p
                                                        WHERE p.tenant_id = :tenant AND p.party_id = member.agent_id
                                                          AND p.conversation_id = z.conversation_id))
                                 OR EXISTS (SELECT 1 FROM hook_session h
                                             WHERE h.tenant_id = :tenant AND h.agent_id = member.agent_id AND {busy}) AS wakes
                           FROM zone z
                           JOIN membership member ON member.tenant_id = :tenant AND member.domain_id = z.domain_id
                                                 AND member.state = 'member' AND member.agent_id <> :speaker
                          WHERE z.tenant_id = :tenant AND z.conversation_id = {conversation}) m) AS reached
                """)
                .with("hears_direct", hearsDirect(party, answers))
                .with("hears_zone", hearsZone(answers))
                .with("party", party)
                .with("conversation", conversation)
                .with("busy", BUSY)
                .with("online", ONLINE.toMinutes())
                .sql();
    }

    /** Returns the receipt of a direct message. */
    public ObjectNode receipt(String to, Instant now) {
        var isThere = wakes != null && !wakes.equals(HOOK);
        var isSeen = usedAt != null && usedAt.isAfter(now.minus(ONLINE));
        var lastSeenAt = leftAt == null || (usedAt != null && usedAt.isAfter(leftAt)) ? usedAt : leftAt;
        var receipt = Json.object().put("to", to).put("online", isThere || isSeen);
        receipt.put("wakes", wakes == null ? "none" : wakes);
        if (lastSeenAt != null) {
            receipt.set("last_seen_at", Json.valueTree(lastSeenAt));
        }
        return receipt;
    }

    /** Returns the receipt of a message in a zone. */
    public ObjectNode receipt() {
        return Json.object()
                .put("members", members.get(0))
                .put("online", members.get(1))
                .put("wakes", members.get(2));
    }
}
