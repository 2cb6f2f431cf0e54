package io.agentworkspace.engine.mcp.lanes;

import io.agentworkspace.engine.kernel.changes.DatabaseSignals;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Stores what changes about MCP sessions after they begin: their end, log level and subscriptions. */
public final class SessionStore {
    private static final int MAX_SUBSCRIPTIONS = 256;

    private static final String EXPIRED_SUBSCRIPTIONS =
            Db.oldRows("mcp_subscription", "tenant_id, session_id, uri", "expires_at <= :until");

    private static final String EXPIRED_SESSIONS = Db.oldRows("mcp_session", "tenant_id, id", "expires_at <= :until");

    private final Db db;

    public SessionStore(Db db) {
        this.db = db;
    }

    /** Identifies a session by its tenant and id, with the time at which it expires. */
    record Handle(long tenant, String id, Instant expiresAt) {}

    /** @param logLevel the minimum level of log messages for the client, or null if it never set one */
    record State(boolean ended, @Nullable String logLevel) {
        static final State UNTOUCHED = new State(false, null);
    }

    State state(Handle session) {
        return db.sql(
                        "SELECT ended_at IS NOT NULL AS ended, log_level FROM mcp_session WHERE tenant_id = :tenant AND id = :id")
                .set("tenant", session.tenant())
                .set("id", session.id())
                .one(row -> row.as(State.class))
                .orElse(State.UNTOUCHED);
    }

    /** Ends the session on every replica. */
    void end(Handle session, Instant now) {
        db.transaction(() -> {
            on(session, """
                    INSERT INTO mcp_session (tenant_id, id, ended_at, expires_at) VALUES (:tenant, :id, :now, :expires)
                    ON CONFLICT (tenant_id, id) DO UPDATE SET ended_at = COALESCE(mcp_session.ended_at, :now)
                    """).set("now", now).run();
            on(session, "DELETE FROM mcp_subscription WHERE tenant_id = :tenant AND session_id = :id")
                    .run();
            return signal(session);
        });
    }

    void logLevel(Handle session, String level) {
        on(session, """
                INSERT INTO mcp_session (tenant_id, id, log_level, expires_at) VALUES (:tenant, :id, :level, :expires)
                ON CONFLICT (tenant_id, id) DO UPDATE SET log_level = :level
                """).set("level", level).run();
    }

    Set<String> subscriptions(Handle session) {
        return new TreeSet<>(
                on(session, "SELECT uri FROM mcp_subscription WHERE tenant_id = :tenant AND session_id = :id")
                        .list(row -> row.text("uri")));
    }

    /**
     * Subscribes to an address, unless the session has subscribed to it in another spelling.
     *
     * @param canonical returns the one spelling of an address
     * @throws Problem {@code conflict} if the session has the maximum number of subscriptions
     */
    void subscribe(Handle session, String uri, UnaryOperator<String> canonical) {
        db.transaction(() -> {
            if (!spellings(session, uri, canonical).isEmpty()) {
                return true;
            }
            on(session, """
                    INSERT INTO mcp_subscription (tenant_id, session_id, uri, expires_at)
                    VALUES (:tenant, :id, :uri, :expires)
                    ON CONFLICT DO NOTHING
                    """).set("uri", uri).run();
            if (subscriptions(session).size() > MAX_SUBSCRIPTIONS) {
                throw Problem.conflict(
                        "a session has at most %d subscriptions; end one first".formatted(MAX_SUBSCRIPTIONS));
            }
            return signal(session);
        });
    }

    /** Ends the subscription to an address, whatever its spelling. */
    void unsubscribe(Handle session, String uri, UnaryOperator<String> canonical) {
        db.transaction(() -> {
            on(session, """
                    DELETE FROM mcp_subscription
                     WHERE tenant_id = :tenant AND session_id = :id AND uri = ANY(CAST(:uris AS text[]))
                    """).set("uris", spellings(session, uri, canonical)).run();
            return signal(session);
        });
    }

    private List<String> spellings(Handle session, String uri, UnaryOperator<String> canonical) {
        var one = canonical.apply(uri);
        return subscriptions(session).stream()
                .filter(spelling -> canonical.apply(spelling).equals(one))
                .toList();
    }

    private boolean signal(Handle session) {
        signal(new DatabaseSignals.Signal(session.tenant(), DatabaseSignals.SESSION, List.of(session.id()), null));
        return true;
    }

    /** Signals all replicas, including this one. Inside a transaction, the signal is sent at commit. */
    public void signal(DatabaseSignals.Signal signal) {
        var text = Json.text(signal);
        var size = text.getBytes(StandardCharsets.UTF_8).length;
        if (size > DatabaseSignals.MAX_BYTES) {
            throw Problem.tooLarge("what replicas tell each other", size, DatabaseSignals.MAX_BYTES, "bytes");
        }
        db.sql("SELECT pg_notify('changes', :signal)").set("signal", text).one(_ -> true);
    }

    /** Returns a number greater than all earlier ones on any replica. It orders the streams of a session. */
    long next() {
        return db.sql("SELECT nextval('entity_id') AS next")
                .one(row -> row.number("next"))
                .orElseThrow();
    }

    private Statement on(Handle session, String text) {
        return db.sql(text)
                .set("tenant", session.tenant())
                .set("id", session.id())
                .set("expires", session.expiresAt());
    }

    /** Deletes the data of expired sessions. */
    public void purge(Instant now) {
        db.deleteOld(EXPIRED_SUBSCRIPTIONS, now);
        db.deleteOld(EXPIRED_SESSIONS, now);
    }
}
