package io.agentworkspace.engine.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.integrations.webhooks.RawReceiver;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.CommandAddress;
import io.agentworkspace.engine.testing.EngineProcess;
import io.agentworkspace.engine.testing.HangLimit;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Everything that stays open or in memory for a while, at its limit and made by the largest legal requests, in an engine
 * with 256 MB of heap. The process exits if its memory is exhausted.
 */
@Tag("slow")
@Tag("crash")
class LargestRequestsTest {
    /** How much of the heap may be in use after a full collection, in MiB. */
    private static final long MOST = 192;

    private static final int BODY = (1 << 20) - 1;
    private static final String MODERN =
            "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}}";

    private static final String WAIT = "\"name\":\"AP_Wait\",\"arguments\":{\"wait_seconds\":300}";

    /** Many values, near the most that a request may have. */
    private static final String TREE = "\"x\":[%s[]],".formatted("[],".repeat(12_000));

    private static final Pattern ENDPOINT = Pattern.compile("\"endpoint\":\\{\"id\":\"([^\"]+)\"");

    private static final Pattern KEY = Pattern.compile("\"api_key\":\"([^\"]+)\"");

    private static final int BANKS = 2;
    private static final int WAITING = 20;

    @TempDir
    private static Path directory;

    private static EngineProcess engine;

    private final TestTenant tenant = new TestTenant();
    private final String eve = key(ClientApi.MCP, "eve");
    private final String neighbour = key(ClientApi.REST, "ann");
    private RawRequests requests;

    @BeforeAll
    static void start() {
        engine = EngineProcess.start(
                directory,
                Map.of(
                        "ENGINE_DATABASE_URL",
                        TestDatabase.url(),
                        "ENGINE_SECRETS_KEY",
                        TestDatabase.SECRETS_KEY,
                        "ENGINE_EMBEDDING",
                        "off",
                        "ENGINE_WEBHOOKS_ALLOW_PRIVATE",
                        "true",
                        "JDK_JAVA_OPTIONS",
                        "-Xmx256m -XX:+ExitOnOutOfMemoryError"));
    }

    @AfterAll
    static void stop() {
        engine.close();
    }

    @BeforeEach
    void connect() {
        requests = new RawRequests(engine.url());
    }

    @AfterEach
    void close() throws IOException {
        theHeapIsNotFullAndAnotherIsServed();
        requests.close();
    }

    private void theHeapIsNotFullAndAnotherIsServed() {
        theHeapIsNotFull();
        for (var i = 0; i < 20; i++) {
            assertThat(requests.answer(RawRequests.command(neighbour, "AP_List", "{}")))
                    .startsWith("HTTP/1.1 200 ");
        }
    }

    private static void theHeapIsNotFull() {
        var used = engine.heapUsed();
        assertThat(used).isBetween(1L, MOST);
    }

    private String key(ClientApi api, String user) {
        return key(api, user, Role.MEMBER);
    }

    private String key(ClientApi api, String user, Role role) {
        return tenant.key(api, user, role, List.of("*"));
    }

    /** Together the requests would fill more than the heap, if the streams kept them. */
    @Test
    void streamsKeepNothingOfTheirRequests() {
        var live = RawRequests.largest("GET /api/stream", eve, "");
        var listen = modern(eve, "subscriptions/listen", "", "\"notifications\":{\"toolsListChanged\":true}", "", BODY);
        var session = RawRequests.largest("GET /mcp", eve, "Accept: text/event-stream\r\n" + session("x"), "");
        for (var request : List.of(live, session)) {
            assertThat(requests.open(300, request)).containsOnly("HTTP/1.1 200");
        }
        for (var i = 0; i < 300; i++) { // One after the other: a few bodies fill the key's memory for them.
            assertThat(requests.open(1, listen)).containsOnly("HTTP/1.1 200");
        }
    }

    /** Each is for another session of a coding agent, whose id is as long as may be. */
    @Test
    void streamsThatWakeSessionsAreMany() {
        requests.answer(RawRequests.command(eve, "AP_Create", "{\"vx\":{\"name\":\"Ada\",\"description\":\"d\"}}"));
        var made = requests.answer(RawRequests.largest(
                "POST /api/keys", eve, "{\"name\":\"ada\",\"agent\":\"Ada\",\"capabilities\":[\"*\"]}"));
        var bound = KEY.matcher(made);
        assertThat(bound.find()).as(made).isTrue();
        for (var i = 100; i < 700; i++) {
            var session = i + "%E6%97%A5".repeat(125);
            assertThat(requests.open(
                            1,
                            RawRequests.largest(
                                    "GET /api/hooks/claude-code/messages?for=" + session, bound.group(1), "")))
                    .containsOnly("HTTP/1.1 200");
        }
    }

    private String listen(String filter) {
        return modern("subscriptions/listen", "", "\"notifications\":{%s}".formatted(filter));
    }

    private String modern(String method, String headers, String params) {
        return modern(eve, method, headers, params, "", 0);
    }

    /**
     * @param meta more fields of {@code _meta}
     * @param length how long the body is at least
     */
    private static String modern(String key, String method, String headers, String params, String meta, int length) {
        var body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s,%s}}"
                .formatted(method, params, MODERN.replace("{\"io", "{" + meta + "\"io"));
        return RawRequests.largest(
                "POST /mcp",
                key,
                "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: %s\r\n%s"
                        .formatted(method, headers),
                body + " ".repeat(Math.max(0, length - body.length())));
    }

    /** Begins a session, and returns the header with its id. */
    private String session(String client) {
        var answer = requests.answer(initialize(client));
        assertThat(answer).startsWith("HTTP/1.1 200 ");
        return answer.lines()
                        .filter(line -> line.regionMatches(true, 0, "Mcp-Session-Id:", 0, 15))
                        .findFirst()
                        .orElseThrow()
                + "\r\n";
    }

    private String initialize(String client) {
        var body =
                "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"%s\",\"version\":\"%s\"}}}"
                        .formatted(client, "8".repeat(1_000));
        return RawRequests.largest("POST /mcp", eve, "User-Agent: %s\r\n".formatted("u".repeat(1_000)), body);
    }

    /** The names are as long as may be, and each is another client for the doctor. */
    @Test
    void sessionsAndHandshakesAreMany() {
        IntStream.range(0, 1_500)
                .parallel()
                .forEach(i -> assertThat(requests.answer(initialize(i + "\u65e5".repeat(30_000))))
                        .startsWith("HTTP/1.1 200 "));
    }

    /** Each address has the longest names, and each stream has as many addresses as it may have. */
    @Test
    void subscriptionsAreManyAndLong() {
        TestDatabase.db().sql("""
                INSERT INTO agent (tenant_id, name, name_key, description, access, owner_id, created_at, updated_at)
                SELECT u.tenant_id, repeat('\u65e5', 61) || i, repeat('\u65e5', 61) || i, 'd', 'public', u.id, now(), now()
                  FROM app_user u, generate_series(100, 355) i
                 WHERE u.tenant_id = :tenant
                """).set("tenant", tenant.id(ClientApi.MCP)).run();
        var uris = IntStream.range(100, 356)
                .mapToObj(i -> "\"engine://agents/%s%d\"".formatted("%E6%97%A5".repeat(61), i))
                .collect(Collectors.joining(","));
        var request = listen("\"resourceSubscriptions\":[%s]".formatted(uris));
        var first = "";
        var opened = 0;
        while (opened < 500 && !first.equals("HTTP/1.1 429")) {
            first = requests.open(1, request).getFirst();
            opened++;
        }
        assertThat(first).isEqualTo("HTTP/1.1 429");
        assertThat(opened).isGreaterThan(5);
    }

    /** The first of the twins waits for a row, and the others for the first or for memory. The rest are refused. */
    @Test
    void twinsWaitForTheFirst() {
        var calls = lookAt(List.of(eve), () -> {
            var waiting = new ArrayList<>(requests.post(20, twin(eve, BODY)));
            waiting.addAll(requests.post(500, twin(eve, 0)));
            theHeapIsNotFullAndAnotherIsServed();
            return waiting;
        });
        assertThat(RawRequests.statuses(calls)).contains("HTTP/1.1 200", "HTTP/1.1 429");
    }

    /**
     * Five keys of three tenants, each with more of the largest calls than fit the memory for bodies. What is not served is
     * refused with a reason and a time to try again; no call meets a defect.
     */
    @Test
    void burstsOfManyTenantsAreServedOrRefused() {
        var keys = List.of(
                eve,
                key(ClientApi.MCP, "bob"),
                neighbour,
                key(ClientApi.REST, "cyd"),
                new TestTenant().key(ClientApi.MCP, "dan", Role.MEMBER, List.of("*")));
        var calls = lookAt(
                keys,
                () -> keys.stream()
                        .flatMap(key -> requests.post(40, twin(key, BODY)).stream())
                        .toList());
        var refused = RawRequests.responses(calls).stream()
                .filter(response -> !response.isEmpty() && !response.startsWith("HTTP/1.1 200 "))
                .toList();
        assertThat(refused)
                .isNotEmpty()
                .allSatisfy(response -> assertThat(response)
                        .contains("\r\nRetry-After: ", "\"note\":\"")
                        .containsAnyOf("\"internal_code\":4001", "\"internal_code\":5002"));
    }

    /** Looks at calls while the agents that they change are locked. */
    private List<Socket> lookAt(List<String> callers, Supplier<List<Socket>> calls) {
        for (var key : callers) {
            assertThat(requests.answer(RawRequests.command(
                            key,
                            "AP_Create",
                            "{\"vx\":{\"name\":\"%s\",\"description\":\"d\"}}".formatted(agent(key)))))
                    .startsWith("HTTP/1.1 200 ");
        }
        return TestDatabase.db().transaction(() -> {
            TestDatabase.db()
                    .sql("SELECT id FROM agent WHERE name = ANY(CAST(:names AS text[])) FOR UPDATE")
                    .set(
                            "names",
                            callers.stream().map(LargestRequestsTest::agent).toList())
                    .list(row -> row.number("id"));
            return calls.get();
        });
    }

    /** Returns the name of the agent that this key changes. */
    private static String agent(String key) {
        return "agent-" + key.substring(3, 12);
    }

    private static String twin(String key, int length) {
        var body = CommandAddress.GENERIC.body(
                "AP_Modify",
                "{\"target\":{\"agent\":\"%s\"},\"vx\":{\"description\":\"new\"},\"idempotency_key\":\"one\"}"
                        .formatted(agent(key)));
        return RawRequests.largest(RawRequests.COMMAND, key, body + " ".repeat(Math.max(0, length - body.length())));
    }

    /**
     * The first tasks wait for a receiver that does not answer, two at a time, and the others for these. Each of the others has
     * the largest arguments. A slow machine may end some of the first before the limit is reached.
     */
    @Test
    void unfinishedTasksAreMany() {
        var admin = key(ClientApi.MCP, "adm", Role.ADMIN);
        try (var silent = new RawReceiver((_, _) -> HangLimit.pause())) {
            var made = requests.answer(RawRequests.largest(
                    "POST /api/webhooks/endpoints",
                    admin,
                    "{\"url\":\"%s\",\"events\":[\"billing.plan.changed\"]}".formatted(silent.url())));
            var endpoint = ENDPOINT.matcher(made);
            assertThat(endpoint.find()).as(made).isTrue();
            var grade = task(admin, "WH_Grade", "{\"id\":\"%s\"}".formatted(endpoint.group(1)));
            for (var i = 0; i < WAITING; i++) {
                assertThat(requests.answer(grade)).contains("taskId");
            }
            await().until(() -> tasks("message IS NULL AND attempt > 0") == 2);
            var check = task(
                    admin,
                    "RL_Check",
                    "{\"when\":\"true\",\"request\":{\"content\":\"%s\"}}".formatted("x".repeat(BODY - 1_000)));
            var tasks = 0;
            var answer = requests.answer(check);
            while (answer.contains("taskId") && tasks < 200) {
                tasks++;
                answer = requests.answer(check);
            }
            assertThat(answer).contains("100 unfinished tasks");
            assertThat(tasks).isGreaterThanOrEqualTo(100 - WAITING);
            theHeapIsNotFullAndAnotherIsServed();
        }
    }

    private long tasks(String condition) {
        return TestDatabase.db()
                .sql("SELECT count(*) AS n FROM mcp_task WHERE tenant_id = :tenant AND " + condition)
                .set("tenant", tenant.id(ClientApi.MCP))
                .one(row -> row.number("n"))
                .orElseThrow();
    }

    private String task(String key, String tool, String arguments) {
        var params = "\"name\":\"%s\",\"arguments\":%s".formatted(tool, arguments);
        return modern(key, "tools/call", "Mcp-Name: %s\r\n".formatted(tool), params, "", 0);
    }

    /**
     * Twelve keys of four tenants have more waiting calls than they may, through both endpoints: with the most headers, with the
     * largest bodies, and with the longest messages. What they keep takes nothing from callers who do not wait.
     */
    @Test
    void waitingCallsAreMany() {
        var other = new TestTenant();
        var keys = Stream.of("wa", "wb", "wc")
                .flatMap(user -> Stream.of(tenant, other)
                        .flatMap(each -> Arrays.stream(ClientApi.values())
                                .map(api -> each.key(api, user, Role.MEMBER, List.of("*")))))
                .toList();
        var silent = keys.parallelStream().flatMap(key -> waits(key).stream()).toList();
        var streams = keys.parallelStream()
                .flatMap(key ->
                        requests.post(2, modern(key, "tools/call", "Mcp-Name: AP_Wait\r\n", WAIT, TREE, 0)).stream())
                .toList();
        var tenants = Stream.of(tenant, other)
                .flatMap(each -> Arrays.stream(ClientApi.values()).map(each::id))
                .toList();
        await().until(() -> silent.size() - RawRequests.answered(silent).size() <= waiting(tenants)
                && RawRequests.answered(streams).size() == streams.size());
        assertThat(waiting(tenants)).isGreaterThan(40);
        theHeapIsNotFullAndAnotherIsServed();
        assertThat(requests.answer("GET /api/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"))
                .startsWith("HTTP/1.1 200 ");
        assertThat(requests.answer(twin(neighbour, BODY))).contains("\"internal_code\":3001");
        assertThat(RawRequests.responses(streams))
                .allSatisfy(response -> assertThat(response).matches("HTTP/1.1 (200|429|503) [^\u0000]*"));
        assertThat(RawRequests.responses(RawRequests.answered(silent)))
                .isNotEmpty()
                .anyMatch(response -> response.contains("as much memory for waiting calls as"))
                .allSatisfy(response -> assertThat(response)
                        .containsAnyOf(
                                "much memory for waiting calls",
                                "many places as the server has",
                                "much memory for bodies",
                                "waiting calls, and one key may have 20"));
    }

    private List<Socket> waits(String key) {
        requests.answer(RawRequests.command(
                key, "AP_Create", "{\"vx\":{\"name\":\"%s\",\"description\":\"d\"}}".formatted(agent(key))));
        var chat = CommandAddress.GENERIC.body(
                "AP_Chat",
                "{\"target\":{\"agent\":\"%s\"},\"wait_seconds\":300,\"content\":\"%s\"}"
                        .formatted(agent(key), "\u65e5".repeat(64_000)));
        var wait = CommandAddress.GENERIC.body("AP_Wait", "{\"wait_seconds\":300}");
        var calls = new ArrayList<>(requests.post(2, RawRequests.largest(RawRequests.COMMAND, key, chat)));
        calls.addAll(requests.post(
                2, RawRequests.largest(RawRequests.COMMAND, key, wait + " ".repeat(BODY - wait.length()))));
        calls.addAll(requests.post(20, RawRequests.largest(RawRequests.COMMAND, key, wait)));
        return calls;
    }

    private static long waiting(List<Long> tenants) {
        return TestDatabase.db()
                .sql(
                        "SELECT count(*) AS n FROM wake WHERE tenant_id = ANY(CAST(:tenants AS bigint[])) AND kind = 'wait'")
                .set("tenants", tenants)
                .one(row -> row.number("n"))
                .orElseThrow();
    }

    /**
     * Each memory is as long as may be, so together they are more than the heap. Searches of all banks answer while the
     * indexes are built, one after the other.
     */
    @Test
    void banksAreSearchedTogether() {
        for (var bank = 1; bank <= BANKS; bank++) {
            fill("bank-" + bank);
        }
        assertThat(requests.answer(search(""))).startsWith("HTTP/1.1 200 ");
        for (var bank = 1; bank <= BANKS; bank++) {
            var one = search("\"bank\":\"bank-%d\"".formatted(bank));
            // Meanwhile each search reads the bank's texts.
            await().pollInterval(Duration.ofSeconds(2))
                    .until(() -> !requests.answer(one).contains("\"building\""));
        }
        assertThat(requests.answer(search(""))).startsWith("HTTP/1.1 200 ");
    }

    private String search(String target) {
        return RawRequests.command(eve, "MB_Search", "{\"content\":\"m500\",\"target\":{%s}}".formatted(target));
    }

    private void fill(String name) {
        assertThat(requests.answer(RawRequests.command(eve, "MB_Create", "{\"vx\":{\"name\":\"%s\"}}".formatted(name))))
                .startsWith("HTTP/1.1 200 ");
        TestDatabase.db()
                .sql("""
                INSERT INTO memory (tenant_id, bank_id, id, text, tags, author_id, contributors, derived_from, created_at, updated_at)
                SELECT b.tenant_id, b.id, gen_random_uuid(), left('m' || i || ' ' || words.text, 64000), '{}', b.owner_id, '{}', '{}', now(), now()
                  FROM bank b, generate_series(1, 600) i,
                       (SELECT string_agg(rpad('word' || j % 400, 79, 'o'), ' ') AS text FROM generate_series(1, 800) j) words
                 WHERE b.tenant_id = :tenant AND b.name = :name
                """)
                .set("tenant", tenant.id(ClientApi.MCP))
                .set("name", name)
                .run();
    }
}
