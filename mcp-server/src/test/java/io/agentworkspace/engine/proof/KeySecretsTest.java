package io.agentworkspace.engine.proof;

import static io.agentworkspace.engine.proof.KeyStage.call;
import static io.agentworkspace.engine.proof.KeyStage.done;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.http.CapturedLog;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.proof.KeyStage.Made;
import io.agentworkspace.engine.proof.Way.Got;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A whole key is told once, and kept nowhere. */
class KeySecretsTest {
    private final KeyStage stage = new KeyStage();
    private final Made root = stage.user("ann", Role.MEMBER, "*");

    @Test
    void noTableAndNoLogLineHoldsAKey() throws SQLException {
        var keys = new ArrayList<Made>();
        keys.add(root);
        try (var log = new CapturedLog()) {
            for (var way : List.of(Way.MCP, Way.INVOKE)) {
                var create = "{\"name\":\"x\",\"capabilities\":[\"*\"],\"idempotency_key\":\"c %s\"}".formatted(way);
                keys.add(made(way.call(root.key(), "AK_Create", create)));
                var id = keys.getLast().id();
                keys.add(made(way.call(
                        root.key(),
                        "AK_Rotate",
                        "{\"id\":\"%s\",\"overlap_seconds\":60,\"idempotency_key\":\"r %s\"}".formatted(id, way))));
                keys.add(made(KeyStage.route(
                        root,
                        "POST",
                        "/api/keys",
                        "{'name':'y','capabilities':['*']}",
                        "Idempotency-Key",
                        "route " + way)));
            }
            // Whoever calls itself by a key, or sends one where none belongs.
            done(Way.INVOKE.call(TestServer.url(), root.key(), "AP_List", "{}", Map.of("User-Agent", root.key())));
            call(root, "AK_Usage", "{'id':'%s'}".formatted(root.key().substring(0, 49)));
            org.awaitility.Awaitility.await()
                    .until(() -> KeyStage.record(root, root).has("last_client"));
            for (var key : keys) {
                var secret = key.key().substring(16, 46);
                assertThat(log.text()).doesNotContain(secret);
                for (var table : tables()) {
                    assertThat(table).doesNotContain(secret).doesNotContain(hex(secret));
                }
            }
        }
    }

    private static String hex(String text) {
        return java.util.HexFormat.of().formatHex(text.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    }

    /** All tables there are, whosever the rows are. */
    private static List<String> tables() throws SQLException {
        try (var connection = DriverManager.getConnection(TestDatabase.url());
                var statement = connection.createStatement();
                var rows = statement.executeQuery("""
                        SELECT query_to_xml(format('SELECT to_jsonb(t) AS row FROM %I t', table_name), true, true, '')::text
                          FROM information_schema.tables
                         WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
                        """)) {
            var texts = new ArrayList<String>();
            while (rows.next()) {
                texts.add(rows.getString(1));
            }
            return texts;
        }
    }

    private static Made made(Got got) {
        return new Made(done(got).envelope().path("api_key").asString());
    }

    @ParameterizedTest
    @EnumSource(
            value = Way.class,
            names = {"MCP", "INVOKE"})
    void aReplayTellsThatItLeavesTheKeyOut(Way way) {
        var create = "{\"name\":\"x\",\"capabilities\":[\"*\"],\"idempotency_key\":\"once\"}";
        var twins = Crowd.of(8, _ -> way.call(root.key(), "AK_Create", create));
        var first = twins.stream().filter(got -> !got.replayed()).toList();
        assertThat(first).hasSize(1);
        assertThat(first.getFirst().note()).isEmpty();
        assertThat(first.getFirst().envelope().has("api_key")).isTrue();
        for (var twin : twins) {
            assertThat(done(twin).envelope().at("/key/id"))
                    .isEqualTo(first.getFirst().envelope().at("/key/id"));
            if (twin.replayed()) {
                assertThat(twin.envelope().has("api_key")).isFalse();
                assertThat(twin.note()).contains("api_key was told in the first answer only");
            }
        }
    }
}
