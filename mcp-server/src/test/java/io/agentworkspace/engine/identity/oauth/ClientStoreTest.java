package io.agentworkspace.engine.identity.oauth;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.testing.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many registrations that nobody uses are kept: from an address, from a network, and in all. */
class ClientStoreTest {
    private static final Instant NOW = Instant.parse("2040-01-01T00:00:00Z");

    private final Db db = TestDatabase.db();
    private final ClientStore store = new ClientStore(db);

    @BeforeEach
    @AfterEach
    void clear() {
        db.sql("DELETE FROM oauth_client WHERE created_at >= '2039-01-01'").run();
    }

    private static OAuthClient client(String id) {
        return new OAuthClient(id, "c", List.of("https://a.example/"), null, null, false);
    }

    private String add(String address, Instant at) {
        var id = UUID.randomUUID().toString();
        assertThat(store.insert(client(id), ClientStore.Source.of(address), at))
                .as(address)
                .isTrue();
        return id;
    }

    private boolean fits(String address, Instant at) {
        return store.insert(client(UUID.randomUUID().toString()), ClientStore.Source.of(address), at);
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.1, 10.0.0.1, true, true",
        "10.0.0.1, 10.0.0.2, false, true",
        "10.0.0.1, 10.0.1.1, false, false",
        "::ffff:10.0.0.1, 10.0.0.1, true, true",
        "2001:db8:0:1::1, 2001:db8:0:1:ffff::2, true, true",
        "2001:db8:0:1::1, 2001:db8:0:2::1, false, true",
        "2001:db8:0:1::1, 2001:db8:1:1::1, false, false",
        "unknown, unknown, true, true"
    })
    void addressesAreCountedByHostAndNetwork(String one, String other, boolean sameAddress, boolean sameNetwork) {
        var first = ClientStore.Source.of(one);
        var second = ClientStore.Source.of(other);
        assertThat(first.address().equals(second.address())).isEqualTo(sameAddress);
        assertThat(first.network().equals(second.network())).isEqualTo(sameNetwork);
    }

    @Test
    void oneMoreFromAnAddressEndsItsOldestButNoneThatMayBeAtThePage() {
        var ids = IntStream.range(0, ClientStore.MOST_OF_ADDRESS)
                .mapToObj(i -> add("10.0.0.1", NOW.plusSeconds(i)))
                .toList();
        assertThat(fits("10.0.0.1", NOW.plusSeconds(60))).isFalse();
        assertThat(fits("10.0.0.2", NOW.plusSeconds(60))).as("a neighbour").isTrue();
        var later = NOW.plus(ClientStore.PENDING);
        add("10.0.0.1", later);
        assertThat(store.find(ids.get(0))).isEmpty();
        assertThat(store.find(ids.get(1))).isPresent();
        assertThat(fits("10.0.0.1", later)).isFalse();
    }

    @Test
    void whatAUserGaveAccessToIsNeitherCountedNorEnded() {
        var used = add("10.0.0.1", NOW);
        store.use(used, NOW);
        var all = IntStream.range(0, ClientStore.MOST_OF_ADDRESS)
                .mapToObj(i -> add("10.0.0.1", NOW.plusSeconds(1)))
                .toList();
        add("10.0.0.1", NOW.plus(Duration.ofHours(1)));
        assertThat(store.find(used)).isPresent();
        assertThat(all.stream().filter(id -> store.find(id).isEmpty())).hasSize(1);
    }

    @Test
    void aNetworkHasALimitWhateverItsAddresses() {
        fill(ClientStore.MOST_OF_NETWORK, "'10.0.0.' || i", "'0a0000/24'");
        assertThat(fits("10.0.0.255", NOW)).isFalse();
        assertThat(fits("10.0.1.1", NOW)).isTrue();
        assertThat(fits("10.0.0.255", NOW.plus(ClientStore.PENDING))).isTrue();
    }

    @Test
    void allTogetherHaveALimit() {
        fill(ClientStore.MOST, "'a' || i", "'n' || i");
        assertThat(fits("10.0.0.1", NOW)).isFalse();
        assertThat(fits("10.0.0.1", NOW.plus(ClientStore.PENDING))).isTrue();
        var left = db.sql("SELECT count(*) AS n FROM oauth_client WHERE used_at IS NULL")
                .one(row -> row.number("n"))
                .orElseThrow();
        assertThat(left).isEqualTo(ClientStore.MOST);
    }

    private void fill(int count, String address, String network) {
        db.sql("""
                INSERT INTO oauth_client (id, name, redirect_uris, created_at, address, network)
                SELECT gen_random_uuid()::text, 'c', '{}', :now, %s, %s FROM generate_series(1, :count) i
                """.formatted(address, network))
                .set("now", NOW)
                .set("count", count)
                .run();
    }
}
