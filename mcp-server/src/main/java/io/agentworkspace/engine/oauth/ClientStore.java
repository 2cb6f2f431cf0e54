package io.agentworkspace.engine.oauth;

import io.agentworkspace.engine.db.Db;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** The clients that registered themselves. One that nobody gave access to is forgotten after a day. */
public final class ClientStore {
    private static final Duration UNUSED = Duration.ofDays(1);
    private static final String OLD = Db.oldRows("oauth_client", "used_at IS NULL AND created_at <= :until");

    private final Db db;

    public ClientStore(Db db) {
        this.db = db;
    }

    void insert(OAuthClient client, Instant now) {
        db.sql("""
                INSERT INTO oauth_client (id, name, redirect_uris, secret_hash, created_at)
                VALUES (:id, :name, :uris, :hash, :now)
                """)
                .set("id", client.id())
                .set("name", client.name())
                .set("uris", client.redirectUris())
                .set("hash", client.secretHash())
                .set("now", now)
                .run();
    }

    Optional<OAuthClient> find(String id) {
        return db.sql("SELECT id, name, redirect_uris, secret_hash FROM oauth_client WHERE id = :id")
                .set("id", id)
                .one(row -> new OAuthClient(
                        row.text("id"), row.text("name"), row.texts("redirect_uris"), row.bytesOrNull("secret_hash")));
    }

    void use(String id, Instant now) {
        db.sql("UPDATE oauth_client SET used_at = :now WHERE id = :id")
                .set("id", id)
                .set("now", now)
                .run();
    }

    /** Deletes the clients that were never used. */
    public void purge(Instant now) {
        db.deleteOld(OLD, now.minus(UNUSED));
    }
}
