package io.agentworkspace.engine.store;

import io.agentworkspace.engine.model.Call;
import io.agentworkspace.engine.model.Failure;
import io.agentworkspace.engine.model.Json;
import io.agentworkspace.engine.model.Problem;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * The answers kept under idempotency keys, for each principal. The claim is a row of the same transaction as the effect:
 * a twin in flight waits on it, and what was rolled back leaves no trace.
 */
public final class IdempotencyStore {
    public static final Duration KEPT = Duration.ofHours(24);

    private final Db db;

    public IdempotencyStore(Db db) {
        this.db = db;
    }

    /**
     * Claims the key for this transaction, or gives the answer that is stored under it.
     *
     * @throws Problem {@code idempotency_mismatch} when the key was used with another request
     */
    public Optional<ObjectNode> claim(Call call, String key, byte[] requestHash) {
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
     * The answer that is stored under the key. While a twin is in flight there is none yet.
     *
     * @throws Problem {@code idempotency_mismatch} when the key was used with another request
     */
    public Optional<ObjectNode> find(Call call, String key, byte[] requestHash) {
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

    /** Keeps the answer for later twins; in the same transaction as the claim. */
    public void keep(Call call, String key, ObjectNode answer) {
        db.sql(call, """
                UPDATE idempotency
                   SET answer = :answer
                 WHERE tenant_id = :tenant AND principal = :principal AND key = :key
                """).set("key", key).set("answer", Json.text(answer)).run();
    }
}
