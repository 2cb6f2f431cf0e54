package io.agentworkspace.engine.integrations.webhooks;

import io.agentworkspace.engine.integrations.webhooks.outbox.OutboxStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.secrets.Vault;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Creates, changes, rotates and deletes webhook receivers, inside a transaction. */
public final class ReceiverStore {
    private static final String INSERT =
            SqlTemplate.of("""
            WITH e AS (
                INSERT INTO webhook_endpoint (tenant_id, id, url, events, description, enabled, disabled_reason, created_at, updated_at,
                                              secret, preflight, missed_after, owner_id)
                SELECT home.tenant_id, CAST(:id AS uuid), :url, CAST(:events AS text[]), :description, :enabled,
                       CASE WHEN NOT :enabled THEN 'manual' END, :now, :now, :secret, CAST(:preflight AS json),
                       CASE WHEN NOT :enabled THEN (SELECT last_seq FROM event_feed WHERE tenant_id = :tenant) END,
                       CASE WHEN CAST(:bound AS bigint) IS NULL THEN CAST(:caller AS bigint) END
                  FROM tenant_plan home
                 WHERE home.tenant_id = :tenant
                RETURNING *)
            SELECT {endpoint_json} AS record FROM e
            """).with("endpoint_json", ReceiverRow.JSON).sql();

    private static final String LOCK =
            SqlTemplate.of("""
            SELECT {endpoint_json} AS record
              FROM webhook_endpoint e
             WHERE e.tenant_id = :tenant AND e.id = :id AND e.deleted_at IS NULL AND e.events <> '{push}'
               FOR NO KEY UPDATE
            """).with("endpoint_json", ReceiverRow.JSON).sql();

    private static final String UPDATE =
            SqlTemplate.of("""
            WITH e AS (
                UPDATE webhook_endpoint e
                   SET owner_id = CASE WHEN CAST(:bound AS bigint) IS NULL THEN COALESCE(e.owner_id, CAST(:caller AS bigint))
                                       WHEN COALESCE(:url, e.url) = e.url THEN e.owner_id END,
                       url = COALESCE(:url, e.url), events = COALESCE(CAST(:events AS text[]), e.events),
                       description = COALESCE(:description, e.description),
                       preflight = COALESCE(CAST(:preflight AS json), e.preflight),
                       enabled = :enabled, disabled_reason = CASE WHEN NOT :enabled THEN COALESCE(e.disabled_reason, 'manual') END,
                       missed_after = CASE WHEN e.enabled AND NOT :enabled
                                           THEN (SELECT last_seq FROM event_feed WHERE tenant_id = :tenant)
                                           ELSE e.missed_after END,
                       missed_until = CASE WHEN e.enabled = :enabled THEN e.missed_until
                                           WHEN :enabled
                                           THEN (SELECT last_seq FROM event_feed WHERE tenant_id = :tenant FOR SHARE) END,
                       failing_since = CASE WHEN NOT :anew THEN e.failing_since END,
                       open_until = CASE WHEN NOT :anew THEN e.open_until END,
                       warned = CASE WHEN :anew THEN 0 ELSE e.warned END,
                       failures_in_row = CASE WHEN :anew THEN 0 ELSE e.failures_in_row END,
                       openings = CASE WHEN :anew THEN 0 ELSE e.openings END,
                       updated_at = CASE WHEN :none THEN e.updated_at ELSE :now END,
                       revision = e.revision + CASE WHEN :none THEN 0 ELSE 1 END
                 WHERE e.tenant_id = :tenant AND e.id = :id
                RETURNING e.*)
            SELECT {endpoint_json} AS record FROM e
            """).with("endpoint_json", ReceiverRow.JSON).sql();

    private static final String ROTATE =
            SqlTemplate.of("""
            WITH e AS (
                UPDATE webhook_endpoint e
                   SET previous_secret = e.secret, previous_until = :until,
                       secret = :secret, updated_at = :now, revision = e.revision + 1
                 WHERE e.tenant_id = :tenant AND e.id = :id
                RETURNING e.*)
            SELECT {endpoint_json} AS record FROM e
            """).with("endpoint_json", ReceiverRow.JSON).sql();

    private final Db db;
    private final Vault vault;

    public ReceiverStore(Db db, Vault vault) {
        this.db = db;
        this.vault = vault;
    }

    /** Returns the context that a receiver's secrets are encrypted for. */
    public static String place(long tenant, UUID receiver) {
        return "webhook_endpoint/%d/%s".formatted(tenant, receiver);
    }

    /**
     * Encrypts a secret for the database. Do not call this inside a transaction, which could still be rolled back.
     *
     * @throws Problem {@code not_found} if the text is not a receiver's id
     */
    public String seal(Call call, String receiver, String secret) {
        var id = ReceiverQueries.id(receiver).orElseThrow(() -> ReceiverQueries.missing(receiver));
        return vault.seal(place(call.caller().tenant(), id), secret.getBytes(StandardCharsets.UTF_8));
    }

    /** @throws Problem {@code not_found} */
    UUID find(Call call, String id) {
        return db.sql(call, """
                SELECT id FROM webhook_endpoint WHERE tenant_id = :tenant AND id = :id AND deleted_at IS NULL AND events <> '{push}'
                """)
                .set("id", ReceiverQueries.id(id).orElse(null))
                .one(row -> UUID.fromString(row.text("id")))
                .orElseThrow(() -> ReceiverQueries.missing(id));
    }

    /**
     * The secrets that sign a receiver's deliveries.
     *
     * @param outdated the secret from before a rotation, if its overlap is over
     */
    record Keyring(String url, String secret, @Nullable String outdated) {}

    /**
     * Decrypts a receiver's secrets, in its own statement.
     *
     * @throws Problem {@code not_found}
     */
    Keyring keyring(Call call, String id) {
        return db.sql(call, """
                SELECT id, url, secret, CASE WHEN previous_until <= :now THEN previous_secret END AS outdated
                  FROM webhook_endpoint
                 WHERE tenant_id = :tenant AND id = :id AND deleted_at IS NULL AND events <> '{push}'
                """)
                .set("id", ReceiverQueries.id(id).orElse(null))
                .one(row -> {
                    var place = place(call.caller().tenant(), UUID.fromString(row.text("id")));
                    var outdated = row.textOrNull("outdated");
                    return new Keyring(
                            row.text("url"),
                            opened(place, row.text("secret")),
                            outdated == null ? null : opened(place, outdated));
                })
                .orElseThrow(() -> ReceiverQueries.missing(id));
    }

    private String opened(String place, String sealed) {
        return new String(vault.open(place, sealed), StandardCharsets.UTF_8);
    }

    /**
     * A new receiver.
     *
     * @param secret encrypted
     * @param preflight in JSON
     */
    record ReceiverDraft(
            UUID id,
            String url,
            List<String> events,
            @Nullable String description,
            boolean enabled,
            String secret,
            String preflight) {}

    ReceiverRow insert(Call call, ReceiverDraft draft) {
        var made = db.sql(call, INSERT)
                .set("id", draft.id())
                .set("url", draft.url())
                .set("events", draft.events())
                .set("description", draft.description())
                .set("enabled", draft.enabled())
                .set("secret", draft.secret())
                .set("preflight", draft.preflight())
                .set("since", call.now().minus(ReceiverRow.LOOKS_BACK))
                .one(row -> Objects.requireNonNull(row.json("record", ReceiverRow.class)))
                .orElseThrow();
        call.created(Scope.WEBHOOK_ENDPOINTS, 1);
        return made;
    }

    /**
     * Locks the receiver with this id.
     *
     * @throws Problem {@code not_found}
     */
    ReceiverRow lock(Call call, String id) {
        return db.sql(call, LOCK)
                .set("id", ReceiverQueries.id(id).orElse(null))
                .set("since", call.now().minus(ReceiverRow.LOOKS_BACK))
                .one(row -> Objects.requireNonNull(row.json("record", ReceiverRow.class)))
                .orElseThrow(() -> ReceiverQueries.missing(id));
    }

    /**
     * The changes to a receiver; null leaves a value unchanged.
     *
     * @param preflight in JSON, for a new URL
     */
    record ReceiverChange(
            @Nullable String url,
            @Nullable List<String> events,
            @Nullable String description,
            @Nullable Boolean enabled,
            @Nullable String preflight) {

        /** Returns whether the receiver stays the same, whatever the check of its URL found. */
        boolean isNone(ReceiverRow receiver) {
            return (url == null || url.equals(receiver.url()))
                    && (events == null || events.equals(receiver.events()))
                    && (description == null || description.equals(receiver.description()))
                    && (enabled == null || enabled == receiver.enabled());
        }
    }

    /**
     * Changes the receiver. A new check of an unchanged URL is stored without a new revision. Enabling a receiver or
     * changing its URL resets its failures. Enabling also waits for events that are being placed in the feed: those are
     * not queued for it, later ones are.
     */
    ReceiverRow update(Call call, ReceiverRow receiver, ReceiverChange change) {
        var enabled = change.enabled() == null ? receiver.enabled() : change.enabled();
        var anew = enabled && !receiver.enabled()
                || change.url() != null && !change.url().equals(receiver.url());
        return db.sql(call, UPDATE)
                .set("id", receiver.id())
                .set("none", change.isNone(receiver))
                .set("url", change.url())
                .set("events", change.events())
                .set("description", change.description())
                .set("preflight", change.preflight())
                .set("enabled", enabled)
                .set("anew", anew)
                .set("since", call.now().minus(ReceiverRow.LOOKS_BACK))
                .one(row -> Objects.requireNonNull(row.json("record", ReceiverRow.class)))
                .orElseThrow();
    }

    /**
     * Sets a new secret. The previous one also signs during the overlap.
     *
     * @param secret encrypted
     */
    ReceiverRow rotate(Call call, ReceiverRow receiver, String secret, Duration overlap) {
        return db.sql(call, ROTATE)
                .set("id", receiver.id())
                .set("secret", secret)
                .set("until", call.now().plus(overlap))
                .set("since", call.now().minus(ReceiverRow.LOOKS_BACK))
                .one(row -> Objects.requireNonNull(row.json("record", ReceiverRow.class)))
                .orElseThrow();
    }

    /**
     * Deletes the receiver and drops its pending deliveries. If there are many, {@link OutboxStore#giveUp} drops the
     * rest. The row stays until the endpoint's last event has been sent.
     */
    void delete(Call call, ReceiverRow receiver) {
        db.sql(call, """
                WITH given_up AS (
                    UPDATE webhook_delivery d
                       SET state = 'exhausted', due_at = NULL
                      FROM (SELECT ctid AS place
                              FROM webhook_delivery
                             WHERE tenant_id = :tenant AND endpoint_id = :id AND due_at IS NOT NULL AND state <> 'delivering'
                             LIMIT 1000
                               FOR UPDATE SKIP LOCKED) pending
                     WHERE d.tenant_id = :tenant AND d.ctid = pending.place
                    RETURNING d.id),
                deleted AS (
                    UPDATE webhook_endpoint
                       SET deleted_at = :now, updated_at = :now, revision = revision + 1
                     WHERE tenant_id = :tenant AND id = :id)
                SELECT id FROM given_up
                """)
                .set("id", receiver.id())
                .list(row -> UUID.fromString(row.text("id")))
                .forEach(delivery -> call.changed(Change.delivery(delivery, "exhausted")));
        call.ended(Scope.WEBHOOK_ENDPOINTS, 1);
    }
}
