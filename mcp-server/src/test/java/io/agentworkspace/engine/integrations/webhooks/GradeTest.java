package io.agentworkspace.engine.integrations.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.agentworkspace.engine.integrations.webhooks.sender.Signature;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** WH_Grade: its findings for receivers that verify everything, something or nothing. */
class GradeTest {
    private static final Pattern HEADER = Pattern.compile("t=([0-9]+)((?:,v1=[0-9a-f]{64})+)");

    private final TestTenant tenant = new TestTenant();
    private final Set<String> secrets = ConcurrentHashMap.newKeySet();
    private final HttpServer server = started();
    private volatile Predicate<Got> takes = _ -> true;

    /** A delivery as it arrived. */
    private record Got(String signature, String id, byte[] body) {}

    private HttpServer started() {
        try {
            var made = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            made.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
            made.createContext("/", this::receive);
            made.start();
            return made;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void receive(HttpExchange exchange) throws IOException {
        try (exchange) {
            var headers = exchange.getRequestHeaders();
            var got = new Got(
                    headers.getOrDefault(Signature.HEADER, List.of("")).getFirst(),
                    headers.getOrDefault("webhook-id", List.of("")).getFirst(),
                    exchange.getRequestBody().readAllBytes());
            exchange.sendResponseHeaders(takes.test(got) ? 204 : 400, -1);
        }
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private Reply call(ClientApi api, String service, String arguments) {
        return tenant.person(api, "u" + UUID.randomUUID(), Role.ADMIN)
                .call(service, arguments)
                .ok();
    }

    private String endpoint(ClientApi api) {
        var made = call(
                api,
                "WH_Create",
                "{'url':'http://127.0.0.1:%d/','events':['billing.plan.changed']}"
                        .formatted(server.getAddress().getPort()));
        secrets.add(made.text("/endpoint/secret"));
        return made.text("/endpoint/id");
    }

    private Reply grade(ClientApi api) {
        return call(api, "WH_Grade", "{'id':'%s'}".formatted(endpoint(api)));
    }

    private static List<String> failed(Reply reply) {
        return reply.at("/trials")
                .valueStream()
                .filter(trial -> !trial.get("ok").asBoolean())
                .map(trial -> trial.get("delivery").asString())
                .toList();
    }

    private static long age(Got got) {
        var header = HEADER.matcher(got.signature());
        return header.matches()
                ? Math.abs(Instant.now().getEpochSecond() - Long.parseLong(header.group(1)))
                : Long.MAX_VALUE;
    }

    /** Returns whether one of the signatures, or only the first, matches one of the secrets. */
    private boolean fits(Got got, boolean first) {
        var header = HEADER.matcher(got.signature());
        if (!header.matches()) {
            return false;
        }
        var signatures = List.of(header.group(2).substring(1).split(","));
        var at = Instant.ofEpochSecond(Long.parseLong(header.group(1)));
        return secrets.stream()
                .map(secret -> Signature.headers(UUID.fromString(got.id()), at, got.body(), List.of(secret)))
                .map(headers -> headers.getOrDefault(Signature.HEADER, "").replaceFirst("t=[0-9]+,", ""))
                .anyMatch(first ? signatures.getFirst()::equals : signatures::contains);
    }

    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void whoVerifiesEverythingHasFullMarks(ClientApi api) {
        takes = got -> fits(got, false) && age(got) <= 300;
        var reply = grade(api);
        assertThat(failed(reply)).isEmpty();
        assertThat(reply.number("/score")).isEqualTo(100);
        assertThat(reply.texts("/trials", "expected"))
                .containsExactly("2xx", "2xx", "2xx", "400", "400", "400", "400", "400", "400");
        assertThat(reply.texts("/trials", "status"))
                .containsExactly("204", "204", "204", "400", "400", "400", "400", "400", "400");
    }

    @Test
    void whoTakesEverythingFailsWhatIsForged() {
        var reply = grade(ClientApi.REST);
        assertThat(reply.number("/score")).isEqualTo(33);
        assertThat(failed(reply))
                .containsExactly(
                        "wrong signature",
                        "no signature",
                        "signed with an old secret",
                        "changed body",
                        "ten minutes old",
                        "ten minutes ahead");
    }

    @Test
    void eachGapIsFound() {
        takes = got -> fits(got, false);
        assertThat(failed(grade(ClientApi.MCP))).containsExactly("ten minutes old", "ten minutes ahead");
        takes = got -> fits(got, true) && age(got) <= 300;
        assertThat(failed(grade(ClientApi.MCP))).containsExactly("signed with two secrets");
        var seen = ConcurrentHashMap.<String>newKeySet();
        takes = got -> fits(got, false) && age(got) <= 300 && seen.add(got.id());
        assertThat(failed(grade(ClientApi.MCP))).containsExactly("the same again");
        takes = got -> !got.signature().isEmpty() && age(got) <= 300;
        assertThat(failed(grade(ClientApi.MCP)))
                .containsExactly("wrong signature", "signed with an old secret", "changed body");
    }

    @Test
    void whoStillTakesASecretWhoseOverlapIsOverIsFound() {
        takes = got -> fits(got, false) && age(got) <= 300;
        var id = endpoint(ClientApi.REST);
        var rotated = call(ClientApi.REST, "WH_RotateSecret", "{'id':'%s','overlap_seconds':0}".formatted(id));
        secrets.add(rotated.text("/endpoint/secret"));
        assertThat(failed(call(ClientApi.REST, "WH_Grade", "{'id':'%s'}".formatted(id))))
                .containsExactly("signed with an old secret");
    }

    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void whatIsReplayedSendsNothing(ClientApi api) {
        var came = new AtomicInteger();
        takes = _ -> came.incrementAndGet() > 0;
        var admin = tenant.person(api, "u" + UUID.randomUUID(), Role.ADMIN);
        var create = "{'url':'http://127.0.0.1:%d/','events':['billing.plan.changed'],'idempotency_key':'one'}"
                .formatted(server.getAddress().getPort());
        var id = admin.call("WH_Create", create).ok().text("/endpoint/id");
        assertThat(came.getAndSet(0)).isEqualTo(1);
        var grade = "{'id':'%s','idempotency_key':'two'}".formatted(id);
        var graded = admin.call("WH_Grade", grade).ok();
        assertThat(came.getAndSet(0)).isEqualTo(9);

        assertThat(admin.call("WH_Create", create).ok().text("/endpoint/id")).isEqualTo(id);
        assertThat(admin.call("WH_Grade", grade).ok().at("/trials")).isEqualTo(graded.at("/trials"));
        admin.call("WH_Create", create.replace("billing.plan.changed", "*")).refused(3005, "idempotency_key");
        admin.call("WH_Grade", grade.replace("two", "one")).refused(3005, "idempotency_key");
        assertThat(came).hasValue(0);

        TestDatabase.db()
                .sql("UPDATE idempotency SET created_at = created_at - interval '25 hours' WHERE tenant_id = :tenant")
                .set("tenant", tenant.id(api))
                .run();
        admin.call("WH_Grade", grade).ok();
        assertThat(came).hasValue(9);
    }

    @Test
    void whoGivesNoAnswerPassesNothingAndNothingIsCounted() {
        var id = endpoint(ClientApi.REST);
        server.stop(0);
        var reply = call(ClientApi.REST, "WH_Grade", "{'id':'%s'}".formatted(id));
        assertThat(reply.number("/score")).isZero();
        assertThat(reply.texts("/trials", "error")).containsOnly("connection refused");
        assertThat(call(ClientApi.REST, "WH_Deliveries", "{}").at("/deliveries").isEmpty())
                .isTrue();
        assertThat(TestDatabase.db()
                        .sql("SELECT count(*) AS n FROM webhook_health WHERE tenant_id = :tenant")
                        .set("tenant", tenant.id(ClientApi.REST))
                        .one(row -> row.number("n")))
                .contains(0L);
    }
}
