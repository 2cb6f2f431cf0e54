package io.agentworkspace.engine.web.connections;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.web.connections.ConnectionTable.Limits;
import io.agentworkspace.engine.web.connections.ConnectionTable.OpenConnection;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ConnectionTableTest {
    private static final InetAddress FIRST = InetAddress.ofLiteral("192.0.2.1");
    private static final InetAddress SECOND = InetAddress.ofLiteral("192.0.2.2");
    private static final InetAddress PROXY = InetAddress.ofLiteral("10.0.0.1");
    private static final Duration LONG = Duration.ofHours(1);

    private final List<String> closed = new ArrayList<>();

    private static ConnectionTable table(int connections, long memory) {
        return new ConnectionTable(new Limits(connections, memory, LONG, LONG), PROXY::equals);
    }

    private OpenConnection open(ConnectionTable table, InetAddress address, String name) {
        return table.open(address, () -> closed.add(name)).orElseThrow();
    }

    @Test
    void theOldestThatWaitsOfAnAddressGivesWayAtItsShare() {
        var table = table(9, Long.MAX_VALUE);
        open(table, FIRST, "a");
        open(table, SECOND, "other");
        open(table, FIRST, "b").began();
        open(table, FIRST, "c");
        open(table, FIRST, "d");
        open(table, FIRST, "e");
        assertThat(closed).containsExactly("b", "a");
        assertThat(table.size()).isEqualTo(4);
        assertThat(table.closed()).isEqualTo(2);
    }

    @Test
    void aProxyMayUseEverything() {
        var table = table(9, Long.MAX_VALUE);
        for (var i = 0; i < 10; i++) {
            open(table, PROXY, "proxy" + i);
        }
        assertThat(closed).containsExactly("proxy0");
    }

    @Test
    void strangersGiveWayBeforeCallersAndWhoIsServedNeverDoes() {
        var table = table(3, Long.MAX_VALUE);
        var caller = open(table, PROXY, "caller");
        caller.ended(true);
        var served = open(table, PROXY, "served");
        served.received();
        assertThat(served.admit(1)).isTrue();
        open(table, PROXY, "stranger");
        open(table, PROXY, "new");
        assertThat(closed).containsExactly("stranger");
        assertThat(caller.admit(2)).isTrue();
        open(table, PROXY, "newer");
        assertThat(closed).containsExactly("stranger", "new");
    }

    @Test
    void someConnectionsCanAlwaysGiveWay() {
        var table = table(16, Long.MAX_VALUE);
        var connections = new ArrayList<OpenConnection>();
        for (var i = 0; i < 16; i++) {
            connections.add(open(table, PROXY, "c" + i));
        }
        var tenant = new AtomicLong();
        assertThat(connections.stream().filter(each -> each.admit(tenant.incrementAndGet())))
                .hasSize(14);
        open(table, PROXY, "probe");
        assertThat(closed).containsExactly("c14");
        connections.getFirst().ended(true);
        assertThat(connections.getLast().admit(1)).isTrue();
    }

    @Test
    void strangersAndOneTenantLeavePlacesToOthers() {
        var table = table(64, Long.MAX_VALUE);
        var connections = new ArrayList<OpenConnection>();
        for (var i = 0; i < 64; i++) {
            connections.add(open(table, PROXY, "c" + i));
        }
        assertThat(connections.stream().filter(each -> each.admit(ConnectionTable.STRANGERS)))
                .hasSize(28);
        assertThat(connections.stream().filter(each -> each.admit(1))).hasSize(28 + 28);
        connections.stream().limit(28).forEach(each -> each.ended(false));
        assertThat(connections.stream().filter(each -> each.admit(1))).hasSize(49);
        assertThat(connections.stream().filter(each -> each.admit(2))).hasSize(56);
        connections.forEach(OpenConnection::closed);
        assertThat(open(table, PROXY, "next").admit(1)).isTrue();
    }

    @Test
    void whatAllUseIsRefusedToTheNext() {
        var table = table(1, Long.MAX_VALUE);
        assertThat(open(table, PROXY, "only").admit(1)).isTrue();
        assertThat(table.open(PROXY, () -> closed.add("refused"))).isEmpty();
        assertThat(closed).containsExactly("refused");
    }

    @Test
    void theMemoryOfHeadersCountsUntilTheyAreServed() {
        var table = table(1_000, 10 * (ConnectionTable.OPEN + ConnectionTable.HEADERS));
        for (var i = 0; i < 11; i++) {
            open(table, PROXY, "c" + i).began();
        }
        assertThat(closed).containsExactly("c0");
        var last = open(table, PROXY, "many");
        last.began();
        for (var i = 0; i < 4_000; i++) {
            last.header();
        }
        assertThat(last.headerMemory()).isGreaterThan(500_000);
        assertThat(closed)
                .containsExactly("c0", "c1", "many"); // It needs more than there is, and takes it from nobody.

        for (var i = 0; i < 20; i++) {
            var connection = open(table, PROXY, "served" + i);
            connection.began();
            connection.received();
            assertThat(connection.admit(i + 1)).isTrue();
        }
        assertThat(closed).doesNotContain("served0");
    }

    @Test
    void whoHasManyHeadersGivesWayFirstAndWhoWaitsForAThreadIsServed() {
        var table = table(1_000, 10 * (ConnectionTable.OPEN + ConnectionTable.HEADERS));
        open(table, PROXY, "probe");
        open(table, PROXY, "begun").began();
        for (var i = 0; i < 100; i++) {
            var large = open(table, PROXY, "large" + i);
            large.began();
            for (var header = 0; header < 64; header++) {
                large.header();
            }
            large.received();
        }
        assertThat(closed).hasSizeGreaterThan(80).doesNotContain("probe", "begun");
    }

    @Test
    void headersHaveADeadlineAndWhoSendsNothingIsOnlyIdle() {
        var table = new ConnectionTable(new Limits(9, Long.MAX_VALUE, Duration.ZERO, LONG), PROXY::equals);
        open(table, PROXY, "idle");
        open(table, PROXY, "begun").began();
        var whole = open(table, PROXY, "whole");
        whole.began();
        whole.received();
        var next = open(table, PROXY, "next");
        next.began();
        next.received();
        next.ended(true);
        next.began();
        table.expire();
        assertThat(closed).containsExactlyInAnyOrder("begun", "next");
        whole.ended(false);
        table.expire();
        assertThat(closed).hasSize(2);
    }

    @Test
    void aClosedConnectionIsForgotten() {
        var table = table(9, Long.MAX_VALUE);
        var connection = open(table, FIRST, "a");
        connection.began();
        connection.closed();
        connection.closed();
        connection.began();
        connection.ended(true);
        assertThat(connection.admit(1)).isTrue();
        assertThat(table.size()).isZero();
        assertThat(closed).isEmpty();
    }
}
