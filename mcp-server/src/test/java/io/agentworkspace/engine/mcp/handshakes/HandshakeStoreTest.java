package io.agentworkspace.engine.mcp.handshakes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlFailure;
import io.agentworkspace.engine.mcp.handshakes.HandshakeNote.Client;
import io.agentworkspace.engine.mcp.handshakes.HandshakeNote.Holder;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.DatabaseState;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.CountingProxy;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Handshakes as they are written and read. */
class HandshakeStoreTest {
    private static final Instant NOW = Instant.now();
    private static final int FLOOD = 10_000;

    private static CountingProxy proxy;
    private static Db db;

    private final HandshakeStore store = new HandshakeStore(db);
    private final TestTenant tenant = new TestTenant();
    private final String key = ApiKey.parse(tenant.key(ClientApi.REST, "ann", Role.MEMBER, List.of("*")))
            .id();
    private final Holder holder = new Holder(tenant.id(ClientApi.REST), 1L, key);

    @BeforeAll
    static void open() throws IOException {
        proxy = new CountingProxy(URI.create(TestDatabase.postgres().jdbcUrl().substring("jdbc:".length()))
                .getPort());
        var url = "jdbc:postgresql://127.0.0.1:%d/postgres?sslmode=disable".formatted(proxy.port());
        db = TestDatabase.connectUnchecked(url);
        assertThat(db.state()).isEqualTo(DatabaseState.REACHABLE); // Opening the connection is not counted.
    }

    @AfterAll
    static void close() throws IOException {
        db.close();
        proxy.close();
    }

    private static HandshakeNote note(String name, Instant at) {
        var client = new Client("bare", "ping", name, "1", null, "x".repeat(400), null);
        return new HandshakeNote(UUID.randomUUID(), UUID.randomUUID(), false, at, 1, client, 200, null);
    }

    private List<String> names() {
        return db.sql("SELECT client_name FROM handshake WHERE tenant_id = :tenant ORDER BY at DESC, place DESC")
                .set("tenant", tenant.id(ClientApi.REST))
                .list(row -> row.text("client_name"));
    }

    @Test
    void aFloodCostsNoRoundTripAndLittleMemory() {
        var before = proxy.roundTrips();
        for (var i = 0; i < FLOOD; i++) {
            store.note(holder, note("client " + i, NOW));
            store.note(new Holder(-1L, (long) i, null), note("user " + i, NOW));
            store.note(Holder.named("k" + i), note("stranger " + i, NOW));
        }
        assertThat(proxy.roundTrips()).isEqualTo(before);
        assertThat(store.waiting()).isLessThan(1_200);
        store.flush();
        assertThat(proxy.roundTrips() - before).isLessThan(12);
        assertThat(store.waiting()).isZero();
        assertThat(names()).hasSize(20).startsWith("client 9999").endsWith("client 9980");
    }

    /** 60 users with 19 handshakes each are more than one statement writes, so one user's are written by two. */
    @Test
    void handshakesOfOneTimeKeepTheirOrderAcrossStatements() {
        var users = db.sql("""
                INSERT INTO app_user (tenant_id, name, name_key, role, created_at)
                SELECT :tenant, 'user ' || n, 'user ' || n, 'member', now() FROM generate_series(1, 60) n
                RETURNING id
                """).set("tenant", tenant.id(ClientApi.REST)).list(row -> row.number("id"));
        for (var user : users) {
            for (var i = 10; i < 29; i++) {
                store.note(new Holder(tenant.id(ClientApi.REST), user, null), note("client " + i, NOW));
            }
        }
        store.flush();
        assertThat(db.sql("""
                SELECT string_agg(client_name, ',' ORDER BY at, place) AS names FROM handshake
                 WHERE tenant_id = :tenant GROUP BY holder
                """).set("tenant", tenant.id(ClientApi.REST)).list(row -> row.text("names")))
                .hasSize(60)
                .containsOnly(
                        IntStream.range(10, 29).mapToObj(i -> "client " + i).collect(Collectors.joining(",")));
    }

    @Test
    void whatCannotBeWrittenIsWrittenLater() {
        store.note(holder, note("first", NOW));
        db.transaction(() -> {
            assertThatThrownBy(() -> db.sql("SELECT 1 / 0").one(_ -> 1)).isInstanceOf(SqlFailure.class);
            assertThatThrownBy(store::flush).isInstanceOf(SqlFailure.class);
            return true;
        });
        assertThat(names()).isEmpty();
        store.note(holder, note("second", NOW.plusMillis(1)));
        store.flush();
        store.flush();
        assertThat(names()).containsExactly("second", "first");
    }

    /** Users who sign in with a provider have no key. */
    @Test
    void aUserWithoutAKeyHasItsOwn() {
        var user = db.sql("SELECT user_id FROM api_key WHERE id = :key")
                .set("key", key)
                .one(row -> row.number("user_id"))
                .orElseThrow();
        var caller =
                new Caller(tenant.id(ClientApi.REST), "t", user, "ann", Role.MEMBER, Set.of("*"), "session:x", null);
        store.note(Holder.of(caller), note("browser", NOW));
        store.note(holder, note("key", NOW));
        store.flush();
        assertThat(store.ofUser(caller, NOW).handshakes())
                .extracting(HandshakeStore.StoredHandshake::clientName)
                .containsExactly("browser");
        assertThat(store.ofKey(caller, key, NOW).orElseThrow().handshakes())
                .extracting(HandshakeStore.StoredHandshake::clientName)
                .containsExactly("key");
    }

    @Test
    void whatIsOldIsClearedAway() {
        store.note(holder, note("old", NOW.minus(Duration.ofDays(31))));
        store.note(holder, note("new", NOW));
        store.flush();
        store.purge(NOW);
        assertThat(names()).containsExactly("new");
    }
}
