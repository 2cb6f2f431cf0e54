package io.agentworkspace.engine.app;

import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.identity.audit.AuditStore;
import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.identity.keys.KeyStore;
import io.agentworkspace.engine.identity.users.TenantStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.problem.Name;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;

/** Prepares a fresh database: the tenant {@code default}, its user {@code owner}, and one key with all capabilities. */
final class FirstStart {
    private static final Name NAME = Name.of("default");

    private final Db db;
    private final KeyStore keys;
    private final Clock clock;

    FirstStart(Db db, KeyStore keys, Clock clock) {
        this.db = db;
        this.keys = keys;
        this.clock = clock;
    }

    /**
     * Also writes the key to a file, if the database is embedded.
     *
     * @return the key, only on a database that is fresh, or whose first start was interrupted; if several replicas start together, one
     *     of them gets it
     */
    Optional<FirstKey> run(Settings settings) {
        var tenants = new TenantStore(db);
        var founder = new TenantFounder(
                tenants,
                keys,
                new AuditStore(db, Duration.ofDays(settings.retention().auditDays())),
                settings.tenants().plan(),
                clock);
        db.transaction(() -> tenants.isFresh() ? Optional.of(founder.create(NAME)) : Optional.empty());
        // With Citus, a transaction that writes to every server cannot also send the notification of a new key.
        return db.transaction(() -> tenants.withoutUser(NAME).map(tenant -> {
            var key = settings.tenants().bootstrapKey() == null
                    ? ApiKey.generate(new SecureRandom())
                    : ApiKey.parse(settings.tenants().bootstrapKey());
            var first = founder.createOwner(tenant, NAME, Name.of("owner"), key);
            if (settings.database().url() == null) {
                keep(first, settings.database().dataDir());
            }
            return first;
        }));
    }

    /** Writes the file before the commit, so that no key exists that nobody received. */
    private static void keep(FirstKey key, Path directory) {
        try {
            key.keepIn(directory);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the first key to " + directory, e);
        }
    }
}
