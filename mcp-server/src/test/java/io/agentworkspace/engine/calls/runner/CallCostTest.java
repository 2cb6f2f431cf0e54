package io.agentworkspace.engine.calls.runner;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.agentworkspace.engine.app.App;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.CountingProxy;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What one call costs, in counts that do not depend on the machine: statements and round trips on the wire, bytes of WAL, and what
 * this process allocates for a call over MCP. Each is the least of many calls, since background work
 * only adds.
 */
class CallCostTest {
    private static final int CALLS = 30;
    private static final Pattern LENGTH = Pattern.compile("(?i)content-length: (\\d+)");
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static final Random RANDOM = new Random(48);

    private static final byte[] SUCCESS = "\"success\":true".getBytes(UTF_8);

    private static CountingProxy proxy;
    private static App counted;
    private static String key;

    @BeforeAll
    static void open() throws IOException {
        proxy = new CountingProxy(
                URI.create(TestDatabase.url().substring("jdbc:".length())).getPort());
        var url = TestDatabase.url().replaceFirst(":\\d+/", ":" + proxy.port() + "/") + "&sslmode=disable";
        counted = TestServer.start(Map.of("ENGINE_DATABASE_URL", url));
        key = new TestTenant().key(ClientApi.MCP, "ann", Role.OWNER, List.of("*"));
        for (var agent : List.of("ada", "bob")) {
            call("AP_Create", "{'vx':{'name':'%s','description':'d'}}".formatted(agent));
            call("AP_Modify", "{'target':{'agent':'%s'},'guard':{'per_minute':600}}".formatted(agent));
        }
        call("MB_Create", "{'vx':{'name':'notes','description':'d'}}");
        call("MB_Store", "{'target':{'bank':'notes'},'content':'when the tide is low boats stay in port'}");
        call("MB_Create", "{'vx':{'name':'repetitions','description':'d'}}");
        for (var i = 0; i < 60; i++) {
            call("MB_Store", "{'target':{'bank':'repetitions'},'content':'when the tide is low boats stay in port'}");
        }
        call("AP_LogOn", "{'target':{'agent':'ada'}}");
    }

    @AfterAll
    static void close() throws IOException {
        counted.close();
        proxy.close();
    }

    private static void call(String tool, String arguments) {
        assertThat(ClientApi.MCP
                        .call(
                                TestServer.url(),
                                key,
                                tool,
                                Json.readObject(arguments.replace('\'', '"').getBytes(UTF_8)))
                        .envelope()
                        .at("/status/success")
                        .asBoolean())
                .as(tool)
                .isTrue();
    }

    /** A connection that is kept open, on which calls allocate next to nothing of their own. */
    private static final class Line implements AutoCloseable {
        private final Socket socket;
        private final DataInputStream in;
        private final byte[] buffer = new byte[1 << 20];

        Line(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            in = new DataInputStream(socket.getInputStream());
        }

        void call(byte[] request) {
            try {
                socket.getOutputStream().write(request);
                var read = 0;
                var end = -1;
                while (end < 0) {
                    read += received(read, buffer.length - read);
                    end = end(read);
                }
                var head = LENGTH.matcher(new String(buffer, 0, end, ISO_8859_1));
                assertThat(head.find()).isTrue();
                var whole = end + Integer.parseInt(head.group(1));
                while (read < whole) {
                    read += received(read, whole - read);
                }
                if (!succeeded(whole)) {
                    throw new AssertionError(new String(buffer, 0, whole, UTF_8));
                }
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }

        private int received(int at, int most) throws IOException {
            var count = in.read(buffer, at, most);
            if (count < 0) {
                throw new EOFException("the server closed the connection");
            }
            return count;
        }

        private boolean succeeded(int whole) {
            for (var i = 0; i < whole - SUCCESS.length; i++) {
                if (buffer[i] == SUCCESS[0]
                        && Arrays.equals(buffer, i, i + SUCCESS.length, SUCCESS, 0, SUCCESS.length)) {
                    return true;
                }
            }
            return false;
        }

        private int end(int read) {
            for (var i = 3; i < read; i++) {
                if (buffer[i] == '\n' && buffer[i - 2] == '\n') {
                    return i + 1;
                }
            }
            return -1;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private static byte[] request(String tool, String arguments) {
        var body = "{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':'%s','arguments':%s}}"
                .formatted(tool, arguments)
                .replace('\'', '"');
        return """
            POST /mcp HTTP/1.1
            Host: 127.0.0.1
            Content-Type: application/json
            Accept: application/json, text/event-stream
            X-API-Key: %s
            Content-Length: %d

            %s\
            """.formatted(key, body.length(), body).replace("\n", "\r\n").getBytes(UTF_8);
    }

    /** @param requests one for each call */
    private static int least(Line line, List<byte[]> requests, LongSupplier count) {
        var least = Long.MAX_VALUE;
        for (var request : requests) {
            var before = count.getAsLong();
            line.call(request);
            least = Math.min(least, count.getAsLong() - before);
        }
        return (int) least;
    }

    private static long wal() {
        return number("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS n");
    }

    private static long number(String sql) {
        Db db = TestDatabase.db();
        return db.sql(sql).one(row -> row.number("n")).orElseThrow();
    }

    /**
     * The most that a call may cost.
     *
     * @param wal bytes
     * @param allocated bytes, by code that is compiled without optimization, which allocates more than in use
     */
    private record Most(String tool, String arguments, int statements, int roundTrips, int wal, int allocated) {
        /** @return requests with nineteen words each, which no other request has */
        List<byte[]> requests() {
            return Stream.generate(() -> CallCostTest.request(
                            tool,
                            arguments.formatted(
                                    Stream.generate(Most::word).limit(19).collect(Collectors.joining(" ")))))
                    .limit(CALLS)
                    .toList();
        }

        private static String word() {
            return RANDOM.ints(4, 'a', 'z' + 1).mapToObj(Character::toString).collect(Collectors.joining());
        }
    }

    private static Stream<Most> most() {
        return Stream.of(
                new Most("AP_Read", "{'target':{'agent':'ada'}}", 3, 1, 0, 90_000),
                new Most(
                        "MB_Search",
                        "{'target':{'bank':'repetitions'},'content':'when is the tide low'}",
                        3,
                        2,
                        0,
                        1_100_000),
                new Most("AP_Chat", "{'target':{'agent':'bob'},'content':'%s'}", 10, 3, 3_300, 130_000),
                new Most("MB_Store", "{'target':{'bank':'notes'},'content':'%s'}", 9, 3, 2_900, 160_000),
                new Most(
                        "MB_Search", "{'target':{'bank':'notes'},'content':'when is the tide low'}", 3, 2, 0, 800_000));
    }

    @ParameterizedTest
    @MethodSource("most")
    void noCallCostsMoreThanThis(Most most) throws IOException {
        try (var direct = new Line(URI.create(TestServer.url()).getPort());
                var over = new Line(counted.port())) {
            least(over, most.requests(), () -> 0);
            least(direct, most.requests(), () -> 0);
            var cost = new Most(
                    most.tool(),
                    most.arguments(),
                    least(over, most.requests(), proxy::statements),
                    least(over, most.requests(), proxy::roundTrips),
                    least(direct, most.requests(), CallCostTest::wal),
                    least(direct, most.requests(), THREADS::getTotalThreadAllocatedBytes));
            assertThat(cost.statements()).as("statements").isLessThanOrEqualTo(most.statements());
            assertThat(cost.roundTrips()).as("round trips").isLessThanOrEqualTo(most.roundTrips());
            assertThat(cost.wal()).as("bytes of WAL").isLessThanOrEqualTo(most.wal());
            assertThat(cost.allocated()).as("bytes allocated").isLessThanOrEqualTo(most.allocated());
        }
    }
}
