package io.agentworkspace.engine.identity.keys;

import static io.agentworkspace.engine.testing.KeyFixture.call;
import static io.agentworkspace.engine.testing.KeyFixture.done;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.CommandAddress;
import io.agentworkspace.engine.testing.CommandAddress.Got;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.KeyFixture;
import io.agentworkspace.engine.testing.KeyFixture.Made;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.web.server.CapturedLog;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A whole key is shown once and stored nowhere. */
@Tag("slow")
class KeySecretsTest {
    /** The number of a transaction before the first one of this test. */
    private final long start = TestDatabase.db()
            .sql("SELECT CAST(CAST(pg_current_xact_id() AS text) AS bigint) AS n")
            .one(row -> row.number("n"))
            .orElseThrow();

    private final KeyFixture fixture = new KeyFixture();
    private final Made root = fixture.user("ann", Role.MEMBER, "*");

    @Test
    void noTableAndNoLogLineHoldsAKey() throws SQLException {
        var keys = new ArrayList<Made>();
        keys.add(root);
        try (var log = new CapturedLog()) {
            for (var way : List.of(CommandAddress.MCP, CommandAddress.INVOKE)) {
                var create = "{\"name\":\"x\",\"capabilities\":[\"*\"],\"idempotency_key\":\"c %s\"}".formatted(way);
                keys.add(made(way.call(root.key(), "AK_Create", create)));
                var id = keys.getLast().id();
                keys.add(made(way.call(
                        root.key(),
                        "AK_Rotate",
                        "{\"id\":\"%s\",\"overlap_seconds\":60,\"idempotency_key\":\"r %s\"}".formatted(id, way))));
                keys.add(made(KeyFixture.route(
                        root,
                        "POST",
                        "/api/keys",
                        "{'name':'y','capabilities':['*']}",
                        "Idempotency-Key",
                        "route " + way)));
            }
            // Clients that use a key as their name, or send it in a wrong place.
            done(CommandAddress.INVOKE.call(
                    TestServer.url(), root.key(), "AP_List", "{}", Map.of("User-Agent", root.key())));
            call(root, "AK_Usage", "{'id':'%s'}".formatted(root.key().substring(0, 49)));
            org.awaitility.Awaitility.await()
                    .until(() -> KeyFixture.record(root, root).has("last_client"));
            var secrets = keys.stream().map(key -> key.key().substring(16, 46)).toList();
            assertThat(log.text()).doesNotContain(secrets);
            assertThat(tablesWith(secrets)).isEmpty();
            assertThat(tablesWith(keys.stream().map(Made::id).toList())).contains("api_key");
        }
    }

    /** Returns the tables in which a row of any tenant that was written since contains one of the texts, as text or as bytes. */
    private List<String> tablesWith(List<String> texts) throws SQLException {
        var bytes = texts.stream()
                .map(text ->
                        java.util.HexFormat.of().formatHex(text.getBytes(java.nio.charset.StandardCharsets.US_ASCII)));
        var pattern = Stream.concat(texts.stream(), bytes).collect(Collectors.joining("|"));
        try (var connection = DriverManager.getConnection(TestDatabase.url());
                var statement = connection.prepareStatement("""
                        SELECT table_name
                          FROM information_schema.tables
                         WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
                           AND (xpath('/row/c/text()', query_to_xml(
                                   format('SELECT count(*) AS c FROM (SELECT 1 FROM %I t WHERE xmin::text::bigint > %s AND t::text ~ %L LIMIT 1) found', table_name, ?, ?),
                                   false, true, '')))[1]::text <> '0'
                        """)) {
            statement.setLong(1, start);
            statement.setString(2, pattern);
            try (var rows = statement.executeQuery()) {
                var tables = new ArrayList<String>();
                while (rows.next()) {
                    tables.add(rows.getString(1));
                }
                return tables;
            }
        }
    }

    private static Made made(Got got) {
        return new Made(done(got).envelope().path("api_key").asString());
    }

    @ParameterizedTest
    @EnumSource(
            value = CommandAddress.class,
            names = {"MCP", "INVOKE"})
    void aReplayTellsThatItLeavesTheKeyOut(CommandAddress way) {
        var create = "{\"name\":\"x\",\"capabilities\":[\"*\"],\"idempotency_key\":\"once\"}";
        var twins = Concurrently.of(8, _ -> way.call(root.key(), "AK_Create", create));
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
