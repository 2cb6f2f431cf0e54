package io.agentworkspace.engine.app;

import io.agentworkspace.engine.identity.signin.SigningKeyStore;
import io.agentworkspace.engine.integrations.upstreams.UpstreamStore;
import io.agentworkspace.engine.integrations.upstreams.accounts.AccountStore;
import io.agentworkspace.engine.integrations.webhooks.ReceiverStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.kernel.secrets.Vault;
import io.agentworkspace.engine.workspace.agents.RemoteStore;
import java.util.List;
import java.util.UUID;

/** Seals everything in the {@link Vault} again, with its current key, so that earlier keys are no longer needed. */
final class MasterKeyRotation {
    private static final Column SIGNING_KEY =
            column("signing_key", "private_key", "id", "true", row -> SigningKeyStore.place(row.text("id")));

    private static final Statement.Reader<String> ENDPOINT =
            row -> ReceiverStore.place(row.number("tenant_id"), UUID.fromString(row.text("id")));

    private static final List<Column> OF_TENANTS = List.of(
            column("webhook_endpoint", "secret", "id", ENDPOINT),
            column("webhook_endpoint", "previous_secret", "id", ENDPOINT),
            column("upstream", "secret", "name", row -> UpstreamStore.place(row.number("tenant_id"), row.text("name"))),
            column(
                    "upstream_account",
                    "tokens",
                    "upstream, user_id",
                    row -> AccountStore.place(
                            row.number("tenant_id"), row.text("upstream"), row.number("user_id"), row.text("url"))),
            column(
                    "upstream_client",
                    "client",
                    "upstream, issuer",
                    row -> AccountStore.place(row.number("tenant_id"), row.text("upstream"), row.text("issuer"))),
            column(
                    "agent_remote",
                    "secret",
                    "agent_id",
                    row -> RemoteStore.place(row.number("tenant_id"), row.text("url"))));

    /** How many are written at a time. */
    private static final int SLICE = 1_000;

    private final Db db;
    private final Vault vault;

    MasterKeyRotation(Db db, Vault vault) {
        this.db = db;
        this.vault = vault;
    }

    /**
     * A column with sealed texts, of which no two are equal.
     *
     * @param find locks the rows of {@code :tenant} that have one
     * @param update writes {@code :after} in place of {@code :before}
     * @param place reads the place that a row's text is sealed for
     */
    private record Column(String name, String find, String update, Statement.Reader<String> place) {}

    /** @param key the columns of the primary key besides the tenant: rows are locked in its order */
    private static Column column(String table, String name, String key, Statement.Reader<String> place) {
        return column(table, name, key, "t.tenant_id = :tenant", place);
    }

    private static Column column(String table, String name, String key, String rows, Statement.Reader<String> place) {
        var find = SqlTemplate.of(
                        "SELECT * FROM {table} t WHERE {rows} AND {column} IS NOT NULL ORDER BY {key} FOR UPDATE")
                .with("table", table)
                .with("rows", rows)
                .with("column", name)
                .with("key", key)
                .sql();
        var update = SqlTemplate.of("""
                UPDATE {table} t
                   SET {column} = s.after
                  FROM unnest(CAST(:before AS text[]), CAST(:after AS text[])) AS s (before, after)
                 WHERE {rows} AND t.{column} = s.before
                """)
                .with("table", table)
                .with("rows", rows)
                .with("column", name)
                .sql();
        return new Column(name, find, update, place);
    }

    private record Sealed(String place, String text) {}

    /**
     * Reseals the secrets of the database, then those of one tenant after the other, each all or none. From its beginning, engines need the
     * current key. If it fails, some secrets still have another one: run it again with all keys.
     *
     * @return the number of secrets
     * @throws io.agentworkspace.engine.kernel.secrets.SecretsFailure if one of them was sealed with a key that is not
     *     available
     */
    int run() {
        var resealed = db.transaction(() -> {
            vault.renewCheck();
            return reseal(SIGNING_KEY, 0);
        });
        for (var tenant :
                db.sql("SELECT tenant_id FROM tenant ORDER BY tenant_id").list(row -> row.number("tenant_id"))) {
            resealed += db.transaction(() -> ofTenant(tenant));
        }
        return resealed;
    }

    private int ofTenant(long tenant) {
        // Whoever is on the way to connect an account begins again.
        db.sql("DELETE FROM upstream_connection WHERE tenant_id = :tenant")
                .set("tenant", tenant)
                .run();
        return OF_TENANTS.stream().mapToInt(column -> reseal(column, tenant)).sum();
    }

    private int reseal(Column column, long tenant) {
        var found = db.sql(column.find())
                .set("tenant", tenant)
                .list(row -> new Sealed(column.place().read(row), row.text(column.name())));
        var written = 0;
        for (var from = 0; from < found.size(); from += SLICE) {
            var slice = found.subList(from, Math.min(from + SLICE, found.size()));
            written += db.sql(column.update())
                    .set("tenant", tenant)
                    .set("before", slice.stream().map(Sealed::text).toList())
                    .set("after", slice.stream().map(this::resealed).toList())
                    .run();
        }
        return written;
    }

    private String resealed(Sealed sealed) {
        return vault.seal(sealed.place(), vault.open(sealed.place(), sealed.text()));
    }
}
