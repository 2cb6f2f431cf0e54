package io.agentworkspace.engine.kernel.db;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import io.agentworkspace.engine.testing.WaitingCall;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class OldRowsTest {
    private static final String OLD = Db.oldRows("change_listener", "tenant_id, replica", "until < :until");
    private static final Instant PAST = Instant.parse("2001-01-01T00:00:00Z"); // Nothing else is as old.

    private final Db db = TestDatabase.db();
    private final long tenant = new TestTenant().id(ClientApi.REST);

    @Test
    void aRowThatIsRenewedWhileTheDeletionWaitsIsKept() {
        write("INSERT INTO change_listener (tenant_id, replica, until) VALUES (:tenant, :replica, :until)", PAST);
        var renewal = "UPDATE change_listener SET until = :until WHERE tenant_id = :tenant AND replica <> :replica";
        var until = PAST.plusSeconds(1);
        assertThat(WaitingCall.by(() -> write(renewal, until), () -> db.deleteOld(OLD, until)))
                .isZero();
        assertThat(db.deleteOld(OLD, until.plusSeconds(1))).isOne();
    }

    private void write(String statement, Instant until) {
        db.sql(statement)
                .set("tenant", tenant)
                .set("replica", UUID.randomUUID())
                .set("until", until)
                .run();
    }
}
