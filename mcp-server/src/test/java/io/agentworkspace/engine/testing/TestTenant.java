package io.agentworkspace.engine.testing;

import io.agentworkspace.engine.credentials.ApiKey;
import io.agentworkspace.engine.keys.CallerChanges;
import io.agentworkspace.engine.keys.KeyStore;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.users.TenantStore;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** A pair of equal tenants of a test's own: one is used over MCP, its twin over REST. */
public final class TestTenant {
    private static final Clock CLOCK = Clock.systemUTC();
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final CallerChanges WATCH = TestDatabase.watch();
    private static final TenantStore TENANTS = new TenantStore(TestDatabase.db());
    private static final KeyStore KEYS = new KeyStore(TestDatabase.db(), CLOCK, WATCH);

    private final Map<Door, Long> ids = new EnumMap<>(Door.class);
    private final Map<String, String> twins = new ConcurrentHashMap<>();

    public TestTenant() {
        for (var door : Door.values()) {
            ids.put(door, TENANTS.create(Name.of("t-" + UUID.randomUUID()), "unlimited", CLOCK.instant()));
        }
    }

    /** The tenant that is used through this door. */
    public long id(Door door) {
        return ids.get(door);
    }

    /** A user of both, who does everything through both doors and compares. */
    public Person person(String user, Role role) {
        return person(user, role, "*");
    }

    /** The same with a key that has only these capabilities. */
    public Person person(String user, Role role, String... capabilities) {
        return new BothDoors(
                person(Door.MCP, user, role, capabilities), person(Door.REST, user, role, capabilities), twins);
    }

    public Person owner() {
        return person("owner", Role.OWNER);
    }

    public Person member(String user) {
        return person(user, Role.MEMBER);
    }

    /** A user of one, for what cannot be done twice alike: races, and what the doors treat differently. */
    public Person person(Door door, String user, Role role) {
        return person(door, user, role, "*");
    }

    private Person person(Door door, String user, Role role, String... capabilities) {
        var key = key(door, user, role, List.of(capabilities));
        return (service, arguments) -> door.call(TestServer.url(), key, service, arguments);
    }

    /** The key of a new user of one of the tenants. */
    public String key(Door door, String user, Role role, List<String> capabilities) {
        var tenant = id(door);
        var userId = TENANTS.createUser(tenant, Name.of(user), role, CLOCK.instant());
        var key = ApiKey.generate(RANDOM);
        KEYS.insert(key, new KeyStore.Holder(tenant, userId, "test", capabilities), CLOCK.instant());
        return key.reveal();
    }
}
