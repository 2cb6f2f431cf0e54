package io.agentworkspace.engine.identity.dpop;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.text.Sha256;
import java.time.Duration;
import java.time.Instant;

/** Stores which proofs were used, for all replicas, as long as they could be used again. */
final class DpopStore {
    private static final String USE = """
            INSERT INTO oauth_proof (tenant_id, hash, expires_at)
            VALUES (:tenant, :hash, :expires)
            ON CONFLICT DO NOTHING
            """;

    private static final String OLD = Db.oldRows("oauth_proof", "tenant_id, hash", "expires_at <= :until");

    /** How far the clock of a replica may be ahead: it must not delete a proof that another one still accepts. */
    private static final Duration KEPT = Duration.ofMinutes(5);

    private final Db db;

    DpopStore(Db db) {
        this.db = db;
    }

    /** Returns whether this is the first use of a proof. A second use at the same time waits for the first. */
    boolean use(long tenant, DpopProof proof) {
        return db.sql(USE)
                        .set("tenant", tenant)
                        .set("hash", Sha256.of(proof.key() + "\n" + proof.id()))
                        .set("expires", proof.expires())
                        .run()
                == 1;
    }

    void purge(Instant now) {
        db.deleteOld(OLD, now.minus(KEPT));
    }
}
