package io.agentworkspace.engine;

import io.agentworkspace.engine.identity.ApiKey;
import io.agentworkspace.engine.model.Capability;
import io.agentworkspace.engine.model.Name;
import io.agentworkspace.engine.model.Role;
import io.agentworkspace.engine.store.Db;
import io.agentworkspace.engine.store.KeyStore;
import io.agentworkspace.engine.store.TenantStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What makes a fresh database usable: the tenant {@code default}, its user {@code owner}, and one key with all capabilities. */
final class FirstStart {
    private final Db db;
    private final KeyStore keys;
    private final Clock clock;

    FirstStart(Db db, KeyStore keys, Clock clock) {
        this.db = db;
        this.keys = keys;
        this.clock = clock;
    }

    /**
     * @param keyFile where the key is left besides, mode 0600; null: nowhere
     * @return the key, on a fresh database only; of several replicas that start together one gets it
     */
    Optional<FirstKey> run(Settings settings, @Nullable Path keyFile) {
        return db.transaction(() -> {
            var tenants = new TenantStore(db);
            if (!tenants.isFresh()) {
                return Optional.empty();
            }
            var now = clock.instant();
            var key = settings.bootstrapKey() == null
                    ? ApiKey.generate(new SecureRandom())
                    : ApiKey.parse(settings.bootstrapKey());
            var tenant = tenants.create(Name.of("default"), settings.plan().name().toLowerCase(Locale.ROOT), now);
            var owner = tenants.createUser(tenant, Name.of("owner"), Role.OWNER, now);
            keys.insert(key, new KeyStore.Holder(tenant, owner, "first key", List.of(Capability.ALL)), now);
            if (keyFile != null) {
                write(keyFile, key.reveal());
            }
            return Optional.of(new FirstKey(key.reveal()));
        });
    }

    /** Before the commit: a key that exists must never be one that nobody was told. */
    private static void write(Path file, String key) {
        try {
            var owner = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
            var unfinished = file.resolveSibling(file.getFileName() + ".new");
            Files.deleteIfExists(unfinished);
            Files.createFile(unfinished, owner);
            Files.writeString(unfinished, key + "\n");
            Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }
}
