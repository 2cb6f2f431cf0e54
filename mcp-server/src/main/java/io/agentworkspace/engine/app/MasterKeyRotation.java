package io.agentworkspace.engine.app;

import io.agentworkspace.engine.identity.signin.SigningKeyStore;
import io.agentworkspace.engine.integrations.upstreams.UpstreamStore;
import io.agentworkspace.engine.integrations.upstreams.accounts.AccountStore;
import io.agentworkspace.engine.integrations.webhooks.ReceiverStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.secrets.Vault;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.workspace.agents.RemoteStore;
import java.util.List;
import java.util.UUID;

/** Seals everything in the {@link Vault} again, with its current key, so that earlier keys are no longer needed. */
final class MasterKeyRotation {
    /** How many are written at a time: a JSON array of the database ends at 256 MB. */
    private static final int SLICE = 1_000;

    private final Db db;
    private final Vault vault;

    MasterKeyRotation(Db db, Vault vault) {
        this.db = db;
        this.vault = vault;
    }

    /** A sealed text, the row that contains it, and the place that it is sealed for. */
    private record Sealed(long tenant, String id, String place, String text) {}

    /**
     * Reseals all secrets or none. It is safe to repeat.
     *
     * @return the number of secrets
     * @throws io.agentworkspace.engine.kernel.secrets.SecretsFailure if one of them was sealed with a key that is not
     *     available
     */
    int run() {
        return db.transaction(() -> {
            var resealed = signingKeys()
                    + secrets()
                    + previousSecrets()
                    + upstreamSecrets()
                    + accounts()
                    + clients()
                    + remotes();
            db.sql("DELETE FROM upstream_connection")
                    .run(); // Whoever is on the way to connect an account begins again.
            vault.renewCheck();
            return resealed;
        });
    }

    private int signingKeys() {
        var found = db.sql("SELECT id, private_key FROM signing_key FOR UPDATE")
                .list(row ->
                        new Sealed(0, row.text("id"), SigningKeyStore.place(row.text("id")), row.text("private_key")));
        return write("""
                UPDATE signing_key k
                   SET private_key = s.text
                  FROM jsonb_to_recordset(CAST(:sealed AS jsonb)) AS s (id text, text text)
                 WHERE k.id = s.id
                """, found);
    }

    private int secrets() {
        var found = endpoints("""
                SELECT tenant_id, id, secret AS text
                  FROM webhook_endpoint
                 WHERE secret IS NOT NULL
                 ORDER BY tenant_id, id
                   FOR UPDATE
                """);
        return write("""
                UPDATE webhook_endpoint w
                   SET secret = s.text
                  FROM jsonb_to_recordset(CAST(:sealed AS jsonb)) AS s (tenant bigint, id uuid, text text)
                 WHERE w.tenant_id = s.tenant AND w.id = s.id
                """, found);
    }

    private int previousSecrets() {
        var found = endpoints("""
                SELECT tenant_id, id, previous_secret AS text
                  FROM webhook_endpoint
                 WHERE previous_secret IS NOT NULL
                 ORDER BY tenant_id, id
                   FOR UPDATE
                """);
        return write("""
                UPDATE webhook_endpoint w
                   SET previous_secret = s.text
                  FROM jsonb_to_recordset(CAST(:sealed AS jsonb)) AS s (tenant bigint, id uuid, text text)
                 WHERE w.tenant_id = s.tenant AND w.id = s.id
                """, found);
    }

    private int upstreamSecrets() {
        var found = db.sql("""
                SELECT tenant_id, name, secret
                  FROM upstream
                 WHERE secret IS NOT NULL
                 ORDER BY tenant_id, name
                   FOR UPDATE
                """)
                .list(row -> new Sealed(
                        row.number("tenant_id"),
                        row.text("name"),
                        UpstreamStore.place(row.number("tenant_id"), row.text("name")),
                        row.text("secret")));
        return write("""
                UPDATE upstream u
                   SET secret = s.text
                  FROM jsonb_to_recordset(CAST(:sealed AS jsonb)) AS s (tenant bigint, id text, text text)
                 WHERE u.tenant_id = s.tenant AND u.name = s.id
                """, found);
    }

    private int accounts() {
        var found = db.sql("""
                SELECT tenant_id, upstream, user_id, url, tokens
                  FROM upstream_account
                 ORDER BY tenant_id, upstream, user_id
                   FOR UPDATE
                """)
                .list(row -> new Sealed(
                        row.number("tenant_id"),
                        row.text("upstream") + " " + row.number("user_id"),
                        AccountStore.place(
                                row.number("tenant_id"), row.text("upstream"), row.number("user_id"), row.text("url")),
                        row.text("tokens")));
        return write("""
                UPDATE upstream_account a
                   SET tokens = s.text
                  FROM jsonb_to_recordset(CAST(:sealed AS jsonb)) AS s (tenant bigint, id text, text text)
                 WHERE a.tenant_id = s.tenant AND a.upstream = split_part(s.id, ' ', 1)
                   AND a.user_id = CAST(split_part(s.id, ' ', 2) AS bigint)
                """, found);
    }

    private int clients() {
        var found = db.sql("""
                SELECT tenant_id, upstream, issuer, client
                  FROM upstream_client
                 ORDER BY tenant_id, upstream, issuer
                   FOR UPDATE
                """)
                .list(row -> new Sealed(
                        row.number("tenant_id"),
                        row.text("upstream") + " " + row.text("issuer"),
                        AccountStore.place(row.number("tenant_id"), row.text("upstream"), row.text("issuer")),
                        row.text("client")));
        return write("""
                UPDATE upstream_client c
                   SET client = s.text
                  FROM jsonb_to_recordset(CAST(:sealed AS jsonb)) AS s (tenant bigint, id text, text text)
                 WHERE c.tenant_id = s.tenant AND c.upstream || ' ' || c.issuer = s.id
                """, found);
    }

    private int remotes() {
        var found = db.sql("""
                SELECT tenant_id, agent_id, url, secret
                  FROM agent_remote
                 WHERE secret IS NOT NULL
                 ORDER BY tenant_id, agent_id
                   FOR UPDATE
                """)
                .list(row -> new Sealed(
                        row.number("tenant_id"),
                        Long.toString(row.number("agent_id")),
                        RemoteStore.place(row.number("tenant_id"), row.text("url")),
                        row.text("secret")));
        return write("""
                UPDATE agent_remote r
                   SET secret = s.text
                  FROM jsonb_to_recordset(CAST(:sealed AS jsonb)) AS s (tenant bigint, id bigint, text text)
                 WHERE r.tenant_id = s.tenant AND r.agent_id = s.id
                """, found);
    }

    private List<Sealed> endpoints(String query) {
        return db.sql(query)
                .list(row -> new Sealed(
                        row.number("tenant_id"),
                        row.text("id"),
                        ReceiverStore.place(row.number("tenant_id"), UUID.fromString(row.text("id"))),
                        row.text("text")));
    }

    private int write(String update, List<Sealed> found) {
        var written = 0;
        for (var from = 0; from < found.size(); from += SLICE) {
            var slice = found.subList(from, Math.min(from + SLICE, found.size()));
            var sealed = slice.stream().map(this::anew).toList();
            written += db.sql(update).set("sealed", Json.text(sealed)).run();
        }
        return written;
    }

    private Sealed anew(Sealed sealed) {
        var place = sealed.place();
        return new Sealed(sealed.tenant(), sealed.id(), place, vault.seal(place, vault.open(place, sealed.text())));
    }
}
