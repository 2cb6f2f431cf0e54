package io.agentworkspace.engine.testing;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.identity.keys.KeyStore;
import io.agentworkspace.engine.identity.users.TenantStore;
import io.agentworkspace.engine.kernel.changes.CallerChanges;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.Name;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** A test's own pair of equal tenants: one is used over MCP, its twin over REST. */
public final class TestTenant {
    private static final Clock CLOCK = Clock.systemUTC();
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final CallerChanges WATCH = TestDatabase.watch();
    private static final TenantStore TENANTS = new TenantStore(TestDatabase.db());
    private static final KeyStore KEYS = new KeyStore(TestDatabase.db(), CLOCK, WATCH);

    private final Map<ClientApi, Long> ids = new EnumMap<>(ClientApi.class);
    private final Map<ClientApi, String> names = new EnumMap<>(ClientApi.class);
    private final Map<String, String> twins = new ConcurrentHashMap<>();

    public TestTenant() {
        for (var api : ClientApi.values()) {
            var name = "t-" + UUID.randomUUID();
            names.put(api, name);
            ids.put(api, TENANTS.create(Name.of(name), "unlimited", CLOCK.instant()));
        }
    }

    /** Returns the tenant that is used through this endpoint. */
    public long id(ClientApi api) {
        return ids.get(api);
    }

    public String name(ClientApi api) {
        return Objects.requireNonNull(names.get(api));
    }

    /** Creates a user of both tenants, who sends each call through both endpoints and compares the responses. */
    public TestCaller person(String user, Role role) {
        return person(user, role, "*");
    }

    /** Creates the same user with a key that has only these capabilities. */
    public TestCaller person(String user, Role role, String... capabilities) {
        return new BothApis(
                person(ClientApi.MCP, user, role, capabilities),
                person(ClientApi.REST, user, role, capabilities),
                twins);
    }

    public TestCaller owner() {
        return person("owner", Role.OWNER);
    }

    public TestCaller member(String user) {
        return person(user, Role.MEMBER);
    }

    /** Creates a user of one tenant, for races and for what differs between the endpoints. */
    public TestCaller person(ClientApi api, String user, Role role) {
        return person(api, user, role, "*");
    }

    private TestCaller person(ClientApi api, String user, Role role, String... capabilities) {
        return TestCaller.of(api, key(api, user, role, List.of(capabilities)));
    }

    /** Returns the key of a new user of one of the tenants. */
    public String key(ClientApi api, String user, Role role, List<String> capabilities) {
        var tenant = id(api);
        var userId = TENANTS.createUser(tenant, Name.of(user), role, CLOCK.instant());
        var key = ApiKey.generate(RANDOM);
        KEYS.insert(key, new KeyStore.KeyOwner(tenant, userId, "test", capabilities), CLOCK.instant());
        return key.reveal();
    }
}
