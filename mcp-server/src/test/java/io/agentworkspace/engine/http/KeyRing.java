package io.agentworkspace.engine.http;

import io.agentworkspace.engine.credentials.ApiKey;
import io.agentworkspace.engine.credentials.Callers;
import io.agentworkspace.engine.credentials.Presented;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Keys of these tests, real ones, kept as a store keeps them: the id and the hash of the secret. */
public final class KeyRing implements Callers {
    private record Kept(byte[] hash, Caller caller) {}

    private final Map<String, Kept> keys = new ConcurrentHashMap<>();
    private final Map<String, Integer> lookUps = new ConcurrentHashMap<>();
    private volatile boolean away;

    private final long tenant;
    private final long user;

    public KeyRing() {
        this(1, 1);
    }

    /** Keys of this user. */
    public KeyRing(long tenant, long user) {
        this.tenant = tenant;
        this.user = user;
    }

    public String add(Role role, String... capabilities) {
        var key = ApiKey.generate(new SecureRandom());
        var caller = new Caller(tenant, "default", user, "owner", role, Set.of(capabilities), "key:" + key.id(), null);
        keys.put(key.id(), new Kept(key.secretHash(), caller));
        return key.reveal();
    }

    public void remove(String key) {
        keys.remove(ApiKey.parse(key).id());
    }

    /** How often somebody asked whose key this is. */
    public int lookUps(String key) {
        return lookUps.getOrDefault(ApiKey.parse(key).id(), 0);
    }

    /** As if the database could not be reached. */
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

    /** Not before it was asked for once. */
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
