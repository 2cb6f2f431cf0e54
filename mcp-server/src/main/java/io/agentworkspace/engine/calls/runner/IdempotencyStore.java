package io.agentworkspace.engine.calls.runner;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Envelope;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * Stores responses under idempotency keys, for each principal. The claim is a row in the same transaction as the
 * effect: a concurrent duplicate waits for it, and a rollback leaves no trace.
 */
public final class IdempotencyStore {
    static final Duration KEPT = Duration.ofHours(24);

    /** The longest response that is stored in full, in bytes. */
    static final int WHOLE = 64 * 1024;

    /** Only responses longer than this count against {@link #EACH}; references do not count. */
    private static final int COUNTED = 4 * 1024;

    /** The maximum bytes of counted responses that are stored in full for a principal, and for a tenant in total. */
    static final long EACH = 16L * 1024 * 1024;

    private static final long ALL = 4 * EACH;

    private static final String KEEP_WHOLE = keepAs("CAST(:whole AS text)");

    private static final String KEEP_REFERENCE = keepAs("CAST(:reference AS text)");

    private static final String KEEP_EITHER =
            keepAs(SqlTemplate.of("""
            (SELECT CASE WHEN COALESCE(sum(k.bytes), 0) + :length <= :all
                          AND COALESCE(sum(k.bytes) FILTER (WHERE k.principal = :principal), 0) + :length <= :each
                         THEN CAST(:whole AS text) ELSE CAST(:reference AS text) END
               FROM idempotency k
              WHERE k.tenant_id = :tenant AND k.bytes > {counted})
            """).with("counted", COUNTED).sql());

    private static String keepAs(String answer) {
        return SqlTemplate.of("""
                UPDATE idempotency
                   SET answer = {answer}
                 WHERE tenant_id = :tenant AND principal = :principal AND key = :key
                """).with("answer", answer).sql();
    }

    private static final String EXPIRED =
            Db.oldRows("idempotency", "tenant_id, principal, key", "created_at <= :until");

    private final Db db;

    public IdempotencyStore(Db db) {
        this.db = db;
    }

    /**
     * Claims the key for this transaction, or returns the response stored under it.
     *
     * @throws Problem {@code idempotency_mismatch} if the key was used with another request
     */
    Optional<ObjectNode> claim(Call call, String key, byte[] requestHash) {
        var claimed = db.sql(call, """
                INSERT INTO idempotency (tenant_id, principal, key, request_hash, created_at)
                VALUES (:tenant, :principal, :key, :hash, :now)
                ON CONFLICT (tenant_id, principal, key) DO UPDATE
                   SET request_hash = excluded.request_hash, created_at = excluded.created_at, answer = NULL
                 WHERE idempotency.created_at <= :expired
                """)
                .set("key", key)
                .set("hash", requestHash)
                .set("expired", call.now().minus(KEPT))
                .run();
        return claimed == 1
                ? Optional.empty()
                : Optional.of(find(call, key, requestHash).orElseThrow());
    }

    /**
     * Returns the response stored under the key. Empty while the first request is still running.
     *
     * @throws Problem {@code idempotency_mismatch} if the key was used with another request
     */
    Optional<ObjectNode> find(Call call, String key, byte[] requestHash) {
        return db.sql(call, """
                SELECT request_hash, answer
                  FROM idempotency
                 WHERE tenant_id = :tenant AND principal = :principal AND key = :key AND created_at > :expired
                """)
                .set("key", key)
                .set("expired", call.now().minus(KEPT))
                .one(row -> {
                    if (!Arrays.equals(row.bytes("request_hash"), requestHash)) {
                        throw new Problem(
                                Failure.IDEMPOTENCY_MISMATCH,
                                "idempotency_key was used with another request in the last 24 hours: take a new key");
                    }
                    return Json.readValue(row.text("answer"), ObjectNode.class);
                });
    }

    /**
     * Stores the response for later duplicates, with the last statements of the transaction of the claim. A long response, or one beyond
     * the limit of its principal or tenant, is stored as a reference to what it changed.
     */
    void keep(Call call, String key, ObjectNode answer) {
        var whole = Json.text(answer);
        var length = whole.getBytes(StandardCharsets.UTF_8).length;
        if (length <= COUNTED) {
            keep(call, key, KEEP_WHOLE).set("whole", whole).runLate();
        } else if (length > WHOLE) {
            keep(call, key, KEEP_REFERENCE)
                    .set("reference", Json.text(Envelope.reference(answer)))
                    .runLate();
        } else {
            keep(call, key, KEEP_EITHER)
                    .set("whole", whole)
                    .set("reference", Json.text(Envelope.reference(answer)))
                    .set("length", length)
                    .set("each", EACH)
                    .set("all", ALL)
                    .runLate();
        }
    }

    private Statement keep(Call call, String key, String statement) {
        return db.sql(call, statement).set("key", key);
    }

    /** Deletes expired keys. */
    public void purge(Instant now) {
        db.deleteOld(EXPIRED, now.minus(KEPT));
    }
}
