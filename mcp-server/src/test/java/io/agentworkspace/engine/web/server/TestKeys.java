package io.agentworkspace.engine.web.server;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.identity.credentials.Callers;
import io.agentworkspace.engine.identity.credentials.Presented;
import io.agentworkspace.engine.identity.users.TenantStore;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.testing.TestDatabase;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** Real API keys for tests, held as a store holds them: the id and the hash of the secret. */
public final class TestKeys implements Callers {
    /** A tenant that exists: rows are stored only beside its own. */
    public static final long TENANT =
            new TenantStore(TestDatabase.db()).create(Name.of("keys-" + UUID.randomUUID()), "unlimited", Instant.now());

    private record Kept(byte[] hash, Caller caller) {}

    private final Map<String, Kept> keys = new ConcurrentHashMap<>();
    private final Map<String, Integer> lookUps = new ConcurrentHashMap<>();
    private volatile boolean away;

    private final long tenant;
    private final long user;

    public TestKeys() {
        this(TENANT, 1);
    }

    /** Creates keys of this user. */
    public TestKeys(long tenant, long user) {
        this.tenant = tenant;
        this.user = user;
    }

    public String add(Role role, String... capabilities) {
        return add(tenant, role, capabilities);
    }

    /** Adds a key of an owner in another tenant. */
    String addToAnother() {
        return add(tenant + 1, Role.OWNER, "*");
    }

    private String add(long of, Role role, String... capabilities) {
        var key = ApiKey.generate(new SecureRandom());
        var caller = new Caller(of, "default", user, "owner", role, Set.of(capabilities), "key:" + key.id(), null);
        keys.put(key.id(), new Kept(key.secretHash(), caller));
        return key.reveal();
    }

    public void remove(String key) {
        keys.remove(ApiKey.parse(key).id());
    }

    /** Returns how often the owner of the key was looked up. */
    public int lookUps(String key) {
        return lookUps.getOrDefault(ApiKey.parse(key).id(), 0);
    }

    /** Sets whether the database is unreachable. */
    public void away(boolean value) {
        away = value;
    }

    @Override
    public Optional<Caller> current(String principal) {
        return keys.values().stream()
                .map(Kept::caller)
                .filter(caller -> caller.principal().equals(principal))
                .findFirst();
    }

    @Override
    public Caller authenticate(Presented credential) {
        if (away) {
            throw Problem.unavailable();
        }
        return Callers.super.authenticate(credential);
    }

    /** Returns true only after the first look-up. */
    @Override
    public boolean remembers(ApiKey key) {
        return keys.containsKey(key.id()) && lookUps.containsKey(key.id());
    }

    @Override
    public Caller authenticate(ApiKey key) {
        if (away) {
            throw Problem.unavailable();
        }
        lookUps.merge(key.id(), 1, Integer::sum);
        var kept = keys.get(key.id());
        if (kept == null || !key.fits(kept.hash())) {
            throw Problem.unauthenticated("this key is unknown, expired or revoked");
        }
        return kept.caller();
    }
}
