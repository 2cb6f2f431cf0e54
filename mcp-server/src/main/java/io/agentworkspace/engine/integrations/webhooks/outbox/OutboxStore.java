package io.agentworkspace.engine.integrations.webhooks.outbox;

import static java.util.stream.Collectors.toMap;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.agentworkspace.engine.integrations.webhooks.ReceiverStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.events.EventLog;
import io.agentworkspace.engine.kernel.scheduling.TenantTurns;
import io.agentworkspace.engine.kernel.secrets.Vault;
import io.agentworkspace.engine.model.event.Event;
import io.agentworkspace.engine.model.json.Json;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Stores deliveries: a replica claims those that are due, and records the result of each attempt. */
public final class OutboxStore {
    /** The tenants that have due deliveries, with the number of receivers that these are for. */
    private static final String READY = """
            SELECT w.tenant_id, count(*) AS receivers
              FROM webhook_endpoint w
             WHERE w.enabled AND (w.open_until IS NULL OR w.open_until <= :now)
               AND EXISTS (SELECT 1
                             FROM webhook_delivery d
                            WHERE d.tenant_id = w.tenant_id AND d.endpoint_id = w.id AND d.due_at <= :now)
             GROUP BY w.tenant_id
            """;

    /**
     * Claims due deliveries of a tenant. Each receiver gives as many as it has room for. Those of the receivers with the
     * fewest running deliveries come first, so that no receiver waits for another's backlog. Only the first half of the room is for
     * receivers with more than a few running deliveries, so that the backlogs of slow receivers cannot fill it. Rows that
     * another replica is claiming are skipped.
     */
    private static final String CLAIM = """
            WITH ready AS (
                SELECT w.id, COALESCE(w.deleted_at, '-infinity') AS since, h.busy,
                       CASE WHEN w.open_until IS NULL THEN CAST(:each AS bigint) ELSE 1 END - h.busy AS room
                  FROM webhook_endpoint w
                 CROSS JOIN LATERAL (SELECT count(*) AS busy
                                       FROM webhook_delivery d
                                      WHERE d.tenant_id = :tenant AND d.endpoint_id = w.id AND d.state = 'delivering'
                                        AND d.due_at > :now) h
                 WHERE w.tenant_id = :tenant AND w.enabled AND (w.open_until IS NULL OR w.open_until <= :now)),
                 due AS (
                SELECT d.place
                  FROM (SELECT d.place, d.turn, row_number() OVER (ORDER BY d.turn, d.due_at, d.id) AS nth
                          FROM ready r
                         CROSS JOIN LATERAL (SELECT d.ctid AS place, d.id, d.due_at,
                                                    r.busy + row_number() OVER (ORDER BY d.due_at, d.sequence) AS turn
                                               FROM webhook_delivery d
                                              WHERE d.tenant_id = :tenant AND d.endpoint_id = r.id AND d.due_at <= :now
                                                AND d.created_at >= r.since
                                              ORDER BY d.due_at, d.sequence
                                              LIMIT greatest(r.room, 0)) d) d
                 WHERE d.turn <= :few OR d.nth <= :first_half
                 ORDER BY d.nth
                 LIMIT :room),
                 free AS (
                SELECT d.place
                  FROM due
                 CROSS JOIN LATERAL (SELECT d.ctid AS place
                                       FROM webhook_delivery d
                                      WHERE d.tenant_id = :tenant AND d.ctid = due.place AND d.due_at <= :now
                                        FOR UPDATE SKIP LOCKED) d),
                 taken AS (
                UPDATE webhook_delivery d
                   SET state = 'delivering', due_at = :until, holder = :replica
                  FROM free
                 WHERE d.tenant_id = :tenant AND d.ctid = free.place
             RETURNING d.*)
            SELECT d.tenant_id, d.id, d.endpoint_id, d.event_id, d.event_type, d.sequence,
                   jsonb_array_length(d.attempts) AS made, w.url, w.secret, w.failing_since IS NOT NULL AS failing,
                   CASE WHEN w.previous_until > :now THEN w.previous_secret END AS previous_secret,
                   e.created_at, e.data
              FROM taken d
              JOIN webhook_endpoint w ON w.tenant_id = :tenant AND w.id = d.endpoint_id
             CROSS JOIN LATERAL (SELECT e.created_at, e.data
                                   FROM event e
                                  WHERE e.tenant_id = :tenant AND e.id = d.event_id
                                  LIMIT 1) e
            """;

    private static final String RECORD = """
            WITH written AS (
                UPDATE webhook_delivery d
                   SET state = CASE WHEN e.state = 'failed' AND w.deleted_at > d.created_at THEN 'exhausted' ELSE e.state END,
                       due_at = CASE WHEN w.deleted_at > d.created_at THEN NULL ELSE e.due_at END,
                       holder = NULL, attempts = d.attempts || e.attempt
                  FROM jsonb_to_recordset(CAST(:ended AS jsonb))
                           AS e (tenant bigint, receiver uuid, delivery uuid, made int, state text, due_at timestamptz, attempt jsonb)
                  JOIN webhook_endpoint w ON w.tenant_id = :tenant AND w.id = e.receiver
                 WHERE e.tenant = :tenant
                   AND d.tenant_id = :tenant AND d.id = e.delivery AND d.holder = :replica AND d.state = 'delivering'
                   AND jsonb_array_length(d.attempts) = e.made
             RETURNING d.id, d.state, d.event_type),
                 signal AS (
                SELECT CAST(announce(:tenant, jsonb_agg(jsonb_build_object('topic', 'deliveries', 'action', state, 'thing', id))) AS text)
                  FROM written
                 WHERE event_type <> 'push'
                HAVING count(*) > 0),
                 sample AS (
                SELECT s.*, w.failing_since
                  FROM jsonb_to_recordset(CAST(:samples AS jsonb))
                           AS s (tenant bigint, receiver uuid, hour timestamptz, succeeded bigint, failed bigint,
                                 durations bigint[], last_success_at timestamptz, last_failure_at timestamptz)
                  JOIN webhook_endpoint w ON w.tenant_id = :tenant AND w.id = s.receiver
                 WHERE s.tenant = :tenant),
                 summed AS (
            INSERT INTO webhook_health AS h (tenant_id, endpoint_id, hour, succeeded, failed, durations, last_success_at,
                                             last_failure_at)
            SELECT home.tenant_id, s.receiver, s.hour, s.succeeded, s.failed, s.durations, s.last_success_at, s.last_failure_at
              FROM tenant_plan home CROSS JOIN sample s
             WHERE home.tenant_id = :tenant
             ORDER BY s.receiver, s.hour
                ON CONFLICT (tenant_id, endpoint_id, hour) DO UPDATE
               SET succeeded = h.succeeded + excluded.succeeded, failed = h.failed + excluded.failed,
                   durations = ARRAY(SELECT a + b
                                       FROM unnest(h.durations, excluded.durations) WITH ORDINALITY u (a, b, i)
                                      ORDER BY i),
                   last_success_at = COALESCE(excluded.last_success_at, h.last_success_at),
                   last_failure_at = COALESCE(excluded.last_failure_at, h.last_failure_at))
            SELECT DISTINCT receiver
              FROM sample
             WHERE succeeded > 0 AND failing_since IS NOT NULL AND (SELECT count(*) FROM signal) >= 0
            """;

    private static final String KEEP = """
            UPDATE webhook_endpoint w
               SET enabled = s.disabled_reason IS NULL, disabled_reason = s.disabled_reason, failing_since = s.failing_since,
                   missed_after = CASE WHEN s.disabled_reason IS NULL OR NOT w.enabled THEN w.missed_after
                                       ELSE (SELECT last_seq FROM event_feed WHERE tenant_id = :tenant) END,
                   missed_until = CASE WHEN s.disabled_reason IS NULL THEN w.missed_until END,
                   warned = s.warned, failures_in_row = s.failures_in_row, openings = s.openings, open_until = s.open_until,
                   updated_at = CASE WHEN w.enabled = (s.disabled_reason IS NULL) THEN w.updated_at ELSE :now END,
                   revision = w.revision + CASE WHEN w.enabled = (s.disabled_reason IS NULL) THEN 0 ELSE 1 END
              FROM jsonb_to_recordset(CAST(:histories AS jsonb))
                       AS s (tenant bigint, receiver uuid, disabled_reason text, failing_since timestamptz, warned smallint,
                             failures_in_row int, openings smallint, open_until timestamptz)
             WHERE s.tenant = :tenant AND w.tenant_id = :tenant AND w.id = s.receiver
            """;

    /** The type of the events that are push notifications, which only their client knows of. */
    static final String PUSH = "push";

    private static final long COUNTED = 100_000;

    private static final String GIVE_UP = """
            WITH signal AS (
                UPDATE webhook_endpoint w
                   SET enabled = false, disabled_reason = 'manual'
                 WHERE w.tenant_id = :tenant AND w.deleted_at IS NOT NULL AND w.enabled
                   AND (SELECT d.created_at >= w.deleted_at AND d.due_at IS NULL
                          FROM webhook_delivery d
                         WHERE d.tenant_id = :tenant AND d.endpoint_id = w.id AND d.sequence = w.last_sequence)),
                 exhausted AS (
                UPDATE webhook_delivery d
                   SET state = 'exhausted', due_at = NULL
                  FROM (SELECT d.ctid AS place
                          FROM webhook_endpoint w
                          JOIN webhook_delivery d ON d.tenant_id = :tenant AND d.endpoint_id = w.id
                         WHERE w.tenant_id = :tenant AND w.deleted_at IS NOT NULL AND d.due_at IS NOT NULL
                           AND d.created_at < w.deleted_at AND (d.state <> 'delivering' OR d.due_at <= :now)
                         LIMIT 1000
                           FOR UPDATE OF d SKIP LOCKED) old
                 WHERE d.tenant_id = :tenant AND d.ctid = old.place
             RETURNING d.id, d.state)
            SELECT announce(:tenant, jsonb_agg(jsonb_build_object('topic', 'deliveries', 'action', state, 'thing', id)))
              FROM exhausted
            HAVING count(*) > 0
            """;

    private final Db db;
    private final Vault vault;
    private final EventLog log;
    private final UUID replica = UUID.randomUUID();
    private final TenantTurns turns = new TenantTurns("deliveries are claimed");
    private final TenantTurns endings = new TenantTurns("deliveries to deleted receivers are given up");
    private final OldEventStore old;
    private final Cache<String, String> secrets = Caffeine.newBuilder()
            .maximumSize(10_000)
            .expireAfterAccess(Duration.ofMinutes(10))
            .build();

    public OutboxStore(Db db, Vault vault, EventLog log) {
        this.db = db;
        this.old = new OldEventStore(db);
        this.vault = vault;
        this.log = log;
    }

    /** A receiver of a tenant. */
    record ReceiverId(long tenant, UUID receiver) {}

    /**
     * A delivery that this replica attempts.
     *
     * @param made the number of earlier attempts
     * @param isPush whether it is a push notification: its body is the event's data, and its secret are its headers
     * @param body the envelope, the same bytes on every attempt
     * @param sealed the encrypted secrets to sign with, for {@link #open}: the current one, then the overlapping one, if any
     * @param failing whether the receiver has only failed recently
     */
    record ClaimedDelivery(
            ReceiverId target,
            UUID id,
            UUID event,
            String url,
            long sequence,
            int made,
            boolean isPush,
            byte[] body,
            List<String> sealed,
            boolean failing) {}

    /** An attempt as it is recorded. */
    record RecordedAttempt(
            Instant at,
            long durationMs,
            @Nullable Integer status,
            @Nullable String error,
            @Nullable String response) {}

    /** The result of a claim: its new state, and when it is due again, unless it has ended. */
    record Ended(
            long tenant,
            UUID receiver,
            UUID delivery,
            int made,
            String state,
            @Nullable Instant dueAt,
            RecordedAttempt attempt) {}

    /** The results of a receiver's attempts in an hour. */
    record Sample(
            long tenant,
            UUID receiver,
            Instant hour,
            long succeeded,
            long failed,
            long[] durations,
            @Nullable Instant lastSuccessAt,
            @Nullable Instant lastFailureAt) {}

    /** The failures of a receiver since its last success. */
    record ReceiverHistory(
            long tenant,
            UUID receiver,
            String url,
            List<String> events,
            @Nullable String disabledReason,
            @Nullable Instant failingSince,
            int warned,
            int failuresInRow,
            int openings,
            @Nullable Instant openUntil) {}

    /** The new state of a receiver, and the event that reports it, if any. */
    record HistoryChange(ReceiverHistory history, @Nullable Event event) {}

    /**
     * The deliveries of all tenants that are still to be attempted. At most {@link #COUNTED} are counted.
     *
     * @param due the number of those that are due now
     * @param oldest when the oldest of these became due; null if there is none
     */
    public record Depth(long waiting, long due, @Nullable Instant oldest) {}

    /** Counts the waiting deliveries, through the index that contains only these. */
    public Depth depth(Instant now) {
        return db.sql("""
                SELECT count(*) AS waiting, count(*) FILTER (WHERE due_at <= :now) AS due,
                       min(due_at) FILTER (WHERE due_at <= :now) AS oldest
                  FROM (SELECT due_at FROM webhook_delivery WHERE due_at IS NOT NULL LIMIT :most) d
                """)
                .set("now", now)
                .set("most", COUNTED)
                .one(row -> row.as(Depth.class))
                .orElseThrow();
    }

    /**
     * Claims due deliveries until the given time.
     *
     * @param few the number of concurrent deliveries to a receiver while there is any room
     * @param each the maximum number of concurrent deliveries to a receiver
     * @param room the maximum number of claims
     */
    List<ClaimedDelivery> claim(Instant now, Instant until, int few, int each, int room) {
        var receivers = db
                .sql(READY)
                .set("now", now)
                .list(row -> Map.entry(row.number("tenant_id"), row.number("receivers")))
                .stream()
                .collect(toMap(Map.Entry::getKey, Map.Entry::getValue));
        return turns.divide(
                room,
                receivers,
                (tenant, share, firstHalf) -> db.sql(CLAIM)
                        .set("tenant", tenant)
                        .set("now", now)
                        .set("until", until)
                        .set("few", few)
                        .set("each", each)
                        .set("room", share)
                        .set("first_half", firstHalf)
                        .set("replica", replica)
                        .list(this::claim));
    }

    private ClaimedDelivery claim(Row row) throws SQLException {
        var target = new ReceiverId(row.number("tenant_id"), UUID.fromString(row.text("endpoint_id")));
        var event = UUID.fromString(row.text("event_id"));
        var previous = row.textOrNull("previous_secret");
        var current = row.text("secret");
        var isPush = row.text("event_type").equals(PUSH);
        return new ClaimedDelivery(
                target,
                UUID.fromString(row.text("id")),
                event,
                row.text("url"),
                row.number("sequence"),
                (int) row.number("made"),
                isPush,
                isPush ? row.text("data").getBytes(StandardCharsets.UTF_8) : envelope(event, row),
                previous == null ? List.of(current) : List.of(current, previous),
                row.flag("failing"));
    }

    private static byte[] envelope(UUID event, Row row) throws SQLException {
        var createdAt = Json.text(Objects.requireNonNull(row.instantOrNull("created_at")));
        return ("{\"id\":\"" + event + "\",\"type\":\"" + row.text("event_type") + "\",\"created_at\":" + createdAt
                        + ",\"data\":" + row.text("data") + "}")
                .getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Decrypts the secrets to sign a claim with.
     *
     * @throws io.agentworkspace.engine.kernel.secrets.SecretsFailure if the key of one is not configured
     */
    List<String> open(ClaimedDelivery claim) {
        return claim.sealed().stream().map(text -> open(claim.target(), text)).toList();
    }

    private String open(ReceiverId target, String text) {
        return secrets.get(
                text,
                _ -> new String(
                        vault.open(ReceiverStore.place(target.tenant(), target.receiver()), text),
                        StandardCharsets.UTF_8));
    }

    /**
     * Records the results of attempts of a tenant. Claims that this replica has lost are skipped.
     *
     * @return the receivers that succeeded here but are marked as failing
     */
    List<ReceiverId> record(long tenant, Collection<Ended> ended, Collection<Sample> samples) {
        return db.sql(RECORD)
                .set("tenant", tenant)
                .set("ended", Json.text(ended))
                .set("samples", Json.text(samples))
                .set("replica", replica)
                .list(row -> new ReceiverId(tenant, row.uuid("receiver")));
    }

    /** Records the results of attempts to failing receivers of a tenant. Their new state is computed while they are locked. */
    void record(
            long tenant,
            Collection<Ended> ended,
            Collection<Sample> samples,
            Collection<ReceiverId> failing,
            Instant now,
            Function<List<ReceiverHistory>, List<HistoryChange>> verdict) {
        var hasEvents = db.transaction(() -> {
            var targets = new LinkedHashSet<>(failing);
            targets.addAll(record(tenant, ended, samples));
            var changes = verdict.apply(hold(tenant, targets));
            var events =
                    changes.stream().filter(change -> change.event() != null).toList();
            events.forEach(change -> EventLog.insert(
                            db,
                            tenant,
                            Objects.requireNonNull(change.event()),
                            change.history().receiver())
                    .runLate());
            db.sql(KEEP)
                    .set("tenant", tenant)
                    .set(
                            "histories",
                            Json.text(
                                    changes.stream().map(HistoryChange::history).toList()))
                    .set("now", now)
                    .runAndCommit();
            return !events.isEmpty();
        });
        if (hasEvents) {
            log.committed();
        }
    }

    private List<ReceiverHistory> hold(long tenant, Collection<ReceiverId> targets) {
        return db.sql("""
                SELECT to_jsonb(w) || jsonb_build_object('tenant', w.tenant_id, 'receiver', w.id) AS history
                  FROM webhook_endpoint w
                 WHERE w.tenant_id = :tenant AND w.id = ANY (CAST(:targets AS uuid[])) AND w.deleted_at IS NULL
                 ORDER BY w.id
                   FOR NO KEY UPDATE
                """)
                .set("tenant", tenant)
                .set("targets", targets.stream().map(ReceiverId::receiver).toList())
                .list(row -> Objects.requireNonNull(row.json("history", ReceiverHistory.class)));
    }

    /** Returns the enabled receivers that have failed at least since the given time. */
    List<ReceiverId> failingSince(Instant since) {
        return db.sql("""
                SELECT tenant_id, id
                  FROM webhook_endpoint
                 WHERE failing_since <= :since AND enabled AND deleted_at IS NULL
                """).set("since", since).list(row -> new ReceiverId(row.number("tenant_id"), row.uuid("id")));
    }

    /**
     * Drops some of the pending deliveries of deleted receivers, which are no longer claimed. Disables deleted
     * receivers once the event of their deletion was sent or has failed.
     */
    void giveUp(Instant now) {
        var tenants = db.sql("""
                SELECT DISTINCT w.tenant_id
                  FROM webhook_endpoint w
                 WHERE w.deleted_at IS NOT NULL
                   AND (w.enabled OR (SELECT min(d.due_at)
                                        FROM webhook_delivery d
                                       WHERE d.tenant_id = w.tenant_id AND d.endpoint_id = w.id AND d.due_at IS NOT NULL) IS NOT NULL)
                """).list(row -> row.number("tenant_id"));
        endings.each(tenants, tenant -> {
            db.sql(GIVE_UP).set("tenant", tenant).set("now", now).run();
            return true;
        });
    }

    /** Deletes what is older than the retention period. */
    public void purge(Instant until) {
        old.purge(until);
    }
}
