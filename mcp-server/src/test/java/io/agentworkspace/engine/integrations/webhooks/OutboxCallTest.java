package io.agentworkspace.engine.integrations.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.calls.runner.Runner;
import io.agentworkspace.engine.identity.users.TenantStore;
import io.agentworkspace.engine.kernel.events.EventLog;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.testing.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** Transactions with work for the outbox wake it right after the commit; others do not. */
class OutboxCallTest {
    private static final Clock CLOCK = Clock.systemUTC();

    private final AtomicInteger called = new AtomicInteger();
    private final TenantStore tenants = new TenantStore(TestDatabase.db());
    private final long tenant = tenants.create(Name.of("t-" + UUID.randomUUID()), "unlimited", CLOCK.instant());
    private final Caller root = new Caller(
            tenant,
            "t",
            tenants.createUser(tenant, Name.of("root"), Role.ADMIN, CLOCK.instant()),
            "root",
            Role.ADMIN,
            Set.of("*"),
            "key:test",
            null);
    private final Runner runner = runner();

    private Runner runner() {
        var log = new EventLog();
        log.onCommitted(called::incrementAndGet);
        var db = TestDatabase.db();
        var catalogue = TestDatabase.catalogue(db, TestDatabase.metering());
        return TestDatabase.runner(catalogue, db, log);
    }

    private ObjectNode run(int calls, String service, String arguments) {
        called.set(0);
        var input = Json.readObject(arguments.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        var answer = runner.run(new ToolRunner.Request(service, input, root, "r", true, null));
        assertThat(called.get()).as(service).isEqualTo(calls);
        return answer.envelope();
    }

    @Test
    void whatIsToBeSentIsSentAtOnce() {
        var made = run(1, "WH_Create", "{'url':'http://127.0.0.1:1/','events':['webhook.test']}");
        var id = made.at("/endpoint/id").asString();
        run(0, "WH_List", "{}");
        var tested = run(1, "WH_Test", "{'event_type':'webhook.test'}");
        var delivery = tested.at("/deliveries/0/id").asString();
        run(1, "WH_Redeliver", "{'id':'%s'}".formatted(delivery));
        run(1, "WH_RedeliverFailed", "{'id':'%s','since':'2026-01-01T00:00:00Z'}".formatted(id));
        run(0, "WH_Redeliver", "{'id':'nowhere'}");
        run(0, "WH_Update", "{'id':'%s','enabled':true}".formatted(id));
        run(1, "WH_Update", "{'id':'%s','enabled':false}".formatted(id));
        run(0, "DM_Create", "{'vx':{'name':'Den','description':'d'}}");
    }
}
