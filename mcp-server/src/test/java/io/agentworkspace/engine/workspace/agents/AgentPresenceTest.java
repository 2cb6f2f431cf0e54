package io.agentworkspace.engine.workspace.agents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlFailure;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Context;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.IdleTool;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.time.Instant;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AgentPresenceTest {
    private static final Db DB = TestDatabase.db();
    private static final Instant LONG_AGO = Instant.parse("2001-01-01T00:00:00Z");

    private final long tenant = new TestTenant().id(ClientApi.REST);
    private final AgentPresence presence = new AgentPresence(DB);

    private void touch(Instant at) {
        var caller = new Caller(tenant, "t", 1, "ann", Role.MEMBER, Set.of("*"), "key:a", null);
        var call = new Call(caller, IdleTool.named("AP_List"), "r", at);
        call.load(new Context(
                Context.DEFAULT, new Context.Ref(1, "ann"), new Context.Ref(2, "Ada"), null, null, null, 0));
        presence.touch(call);
    }

    private Instant usedAt() {
        return DB.sql("SELECT used_at FROM context WHERE tenant_id = :tenant")
                .set("tenant", tenant)
                .one(row -> row.instantOrNull("used_at"))
                .orElseThrow();
    }

    @Test
    void whatCannotBeWrittenIsWrittenLater() {
        DB.sql("""
                INSERT INTO context (tenant_id, principal, name, self_id, used_at)
                VALUES (:tenant, 'key:a', 'default', 2, :at)
                """).set("tenant", tenant).set("at", LONG_AGO).run();
        DB.transaction(() -> {
            assertThatThrownBy(() -> DB.sql("SELECT 1 / 0").one(_ -> 1)).isInstanceOf(SqlFailure.class);
            touch(LONG_AGO.plusSeconds(60));
            assertThatThrownBy(presence::flush).isInstanceOf(SqlFailure.class);
            return true;
        });
        assertThat(usedAt()).isEqualTo(LONG_AGO);
        presence.flush();
        assertThat(usedAt()).isEqualTo(LONG_AGO.plusSeconds(60));
    }
}
