package io.agentworkspace.engine.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.CaseWorkspace;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.InstalledPostgres;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.ToolCases;
import java.security.SecureRandom;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The PostgreSQL of this machine's packages understands every statement. It is older than the embedded one, on which all other tests
 * run, and newer ones take what it refuses.
 */
class InstalledPostgresTest {
    private static final String KEY = ApiKey.generate(new SecureRandom()).reveal();

    @Test
    void eachToolAndAllWorkInTheBackgroundRunsOnIt() {
        try (var server = InstalledPostgres.start();
                var replica = Replica.start(Map.of("ENGINE_DATABASE_URL", server.url(), "ENGINE_BOOTSTRAP_KEY", KEY));
                var db = TestDatabase.connect(server.url(), 4)) {
            call(replica, "AP_List", "{}").ok();
            call(replica, "AP_Read", "{\"target\":{\"agent\":\"nobody\"}}").refused(3001);
            runEachTool(new CaseWorkspace(db, TestDatabase.runner(db)));
            replica.clear();
            // The work of each second has been done.
            await().until(() -> rows(db, "handshake") > 0 && rows(db, "key_seen") > 0);
            assertThat(server.refused()).isEmpty();
        }
    }

    private static Reply call(Replica replica, String service, String arguments) {
        return ClientApi.MCP.call(replica.url(), KEY, service, Json.readObject(arguments.getBytes(UTF_8)));
    }

    private static void runEachTool(CaseWorkspace workspace) {
        var round = 0;
        for (var tool : ToolCases.all()) {
            round++;
            for (var step : tool.before()) {
                workspace.run(step, round);
            }
            workspace.run(tool.tool() + " " + tool.cost(), round);
        }
    }

    private static long rows(Db db, String table) {
        return db.sql("SELECT count(*) FROM " + table).one(row -> row.number(1)).orElseThrow();
    }
}
