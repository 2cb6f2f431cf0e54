package io.agentworkspace.engine;

import io.agentworkspace.engine.model.Caller;
import io.agentworkspace.engine.model.Name;
import io.agentworkspace.engine.model.Role;
import io.agentworkspace.engine.model.ToolRunner;
import io.agentworkspace.engine.store.Presence;
import io.agentworkspace.engine.store.TenantStore;
import io.agentworkspace.engine.tools.Toolbox;
import java.time.Clock;
import java.util.Set;
import java.util.UUID;

/** A tenant of a test's own, so that tests share a database without seeing each other. */
public final class TestTenant {
    private static final Clock CLOCK = Clock.systemUTC();
    private static final ToolRunner RUNNER =
            Toolbox.runner(TestDatabase.db(), new Presence(TestDatabase.db()), CLOCK);

    private final TenantStore store = new TenantStore(TestDatabase.db());
    private final String name = "t-" + UUID.randomUUID();
    private final long id = store.create(Name.of(name), "unlimited", CLOCK.instant());

    public Person person(String user, Role role) {
        var userId = store.createUser(id, Name.of(user), role, CLOCK.instant());
        var caller =
                new Caller(id, name, userId, user, role, Set.of("*"), "key:" + UUID.randomUUID(), null);
        return (service, arguments) -> {
            var request = new ToolRunner.Request(service, arguments, caller, "test", true, null);
            return new Reply(RUNNER.run(request).envelope());
        };
    }

    public Person owner() {
        return person("owner", Role.OWNER);
    }

    public Person member(String user) {
        return person(user, Role.MEMBER);
    }
}
