package io.agentworkspace.engine.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.CommandAddress;
import io.agentworkspace.engine.testing.CommandAddress.Got;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.TenantRows;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Concurrent requests, and requests that are sent twice. */
@Tag("slow")
@Tag("race")
class RepeatedRequestsTest {
    private static final int TWINS = 50;
    private static final String ADA = "{\"vx\":{\"name\":\"Ada\",\"description\":\"d\"}}";

    private final TestTenant tenant = new TestTenant();
    private final String key = key("ann");

    private String key(String user) {
        return tenant.key(ClientApi.REST, user, Role.MEMBER, List.of("*"));
    }

    private int agents() {
        return TenantRows.count(tenant.id(ClientApi.REST), "agent");
    }

    private static Got create(CommandAddress way, String key, String name, String token) {
        return way.call(key, "AP_Create", """
                {"vx":{"name":"%s","description":"d"},"idempotency_key":"%s"}""".formatted(name, token));
    }

    @ParameterizedTest
    @EnumSource(CommandAddress.class)
    void ofFiftyWhoCreateOneNameOneSucceeds(CommandAddress way) {
        var got = Concurrently.of(TWINS, _ -> way.call(key, "AP_Create", ADA));
        assertThat(got.stream().filter(one -> one.error().isEmpty())).hasSize(1);
        assertThat(got.stream().filter(one -> one.error().equals("already_exists")))
                .hasSize(TWINS - 1);
        assertThat(agents()).isEqualTo(1);
        assertThat(TenantRows.count(tenant.id(ClientApi.REST), "event")).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"GENERIC,true", "ALIAS,true", "MCP,true", "INVOKE,true", "ALIAS,false", "MCP,false"})
    void fiftyTwinsWithOneKeyHaveOneEffectAndOneAnswer(CommandAddress way, boolean asHeader) {
        var headers = asHeader ? Map.of("Idempotency-Key", "once") : Map.<String, String>of();
        var body = asHeader ? ADA : ADA.replaceFirst("\\{", "{\"idempotency_key\":\"once\",");
        var got = Concurrently.of(TWINS, _ -> way.call(TestServer.url(), key, "AP_Create", body, headers));
        assertThat(got.stream().map(Got::envelope).distinct()).hasSize(1);
        assertThat(got.getFirst().error()).as(got.toString()).isEmpty();
        assertThat(got.stream().filter(Got::replayed)).hasSize(TWINS - 1);
        assertThat(agents()).isEqualTo(1);
        assertThat(TenantRows.count(tenant.id(ClientApi.REST), "event")).isEqualTo(1);
    }

    @Test
    void aKeyIsTheSameOnEveryWay() {
        var first = create(CommandAddress.MCP, key, "Ada", "t1");
        for (var way : CommandAddress.values()) {
            var again = create(way, key, "Ada", "t1");
            assertThat(again.replayed()).isTrue();
            // Over MCP, records leave out empty and redundant fields.
            assertThat(again.envelope().at("/header"))
                    .isEqualTo(first.envelope().at("/header"));
            assertThat(again.envelope().at("/agent/created_at"))
                    .isEqualTo(first.envelope().at("/agent/created_at"));
        }
        var asHeader =
                CommandAddress.ALIAS.call(TestServer.url(), key, "AP_Create", ADA, Map.of("Idempotency-Key", "t1"));
        assertThat(asHeader.replayed()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(CommandAddress.class)
    void aKeyReusedWithAnotherRequestIsAMismatch(CommandAddress way) {
        assertThat(create(way, key, "Ada", "t1").error()).isEmpty();
        assertThat(create(way, key, "Eve", "t1").error()).isEqualTo("idempotency_mismatch");
        assertThat(way.call(key, "AP_Destroy", "{\"target\":{\"agent\":\"Ada\"},\"idempotency_key\":\"t1\"}")
                        .error())
                .isEqualTo("idempotency_mismatch");
        assertThat(agents()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(CommandAddress.class)
    void keysOfDifferentPrincipalsDoNotMeet(CommandAddress way) {
        var bob = key("bob");
        assertThat(create(way, key, "Ada", "t1").replayed()).isFalse();
        var his = create(way, bob, "Bea", "t1");
        assertThat(his.error()).isEmpty();
        assertThat(his.replayed()).isFalse();
        assertThat(create(way, bob, "Ada", "t2").error()).isEqualTo("already_exists");
    }

    @ParameterizedTest
    @EnumSource(CommandAddress.class)
    void aRequestThatFailedCanBeTriedAgainWithItsKey(CommandAddress way) {
        var modify = "{\"target\":{\"agent\":\"Ada\"},\"vx\":{\"description\":\"new\"},\"idempotency_key\":\"t1\"}";
        assertThat(way.call(key, "AP_Modify", modify).error()).isEqualTo("not_found");
        way.call(key, "AP_Create", ADA);
        var second = way.call(key, "AP_Modify", modify);
        assertThat(second.error()).isEmpty();
        assertThat(second.replayed()).isFalse();
        assertThat(way.call(key, "AP_Modify", modify).replayed()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(CommandAddress.class)
    void aKeyHas255CharactersAtMostAndHeaderAndFieldAgree(CommandAddress way) {
        assertThat(create(way, key, "Ada", "k".repeat(255)).error()).isEmpty();
        assertThat(create(way, key, "Bea", "k".repeat(256)).error()).isEqualTo("too_large");
        assertThat(create(way, key, "Bea", "a\\u0000b").error()).isEqualTo("invalid_field");
        assertThat(create(way, key, "Bea", " ").error()).isEmpty();
        assertThat(way.call(TestServer.url(), key, "AP_Create", ADA, Map.of("Idempotency-Key", "k".repeat(256)))
                        .error())
                .isEqualTo("invalid_field");
        assertThat(way.call(TestServer.url(), key, "AP_Create", ADA, Map.of("Idempotency-Key", ""))
                        .error())
                .isEqualTo("already_exists");
        var both = "{\"vx\":{\"name\":\"Cid\",\"description\":\"d\"},\"idempotency_key\":\"one\"}";
        assertThat(way.call(TestServer.url(), key, "AP_Create", both, Map.of("Idempotency-Key", "two"))
                        .error())
                .isEqualTo("invalid_field");
    }

    @Test
    void readsTakeNoKeyOverMcpAndIgnoreOneOverRest() {
        assertThat(CommandAddress.ALIAS
                        .call(key, "AP_List", "{\"idempotency_key\":\"t1\"}")
                        .error())
                .isEmpty();
        assertThat(CommandAddress.MCP
                        .call(key, "AP_List", "{\"idempotency_key\":\"t1\"}")
                        .error())
                .isEqualTo("invalid_field");
    }

    @ParameterizedTest
    @EnumSource(
            value = CommandAddress.class,
            names = {"ALIAS", "MCP"})
    void eightWritersWhoGiveTheRevisionLoseNoUpdate(CommandAddress way) {
        way.call(key, "AP_Create", ADA);
        Concurrently.of(8, writer -> {
            for (var turn = 0; turn < 5; turn++) {
                append(way, "w%d.%d;".formatted(writer, turn));
            }
            return writer;
        });
        var end = way.call(key, "AP_Read", "{\"target\":{\"agent\":\"Ada\"}}").envelope();
        assertThat(end.at("/profile/0/revision").asLong()).isEqualTo(41);
        for (var writer = 0; writer < 8; writer++) {
            for (var turn = 0; turn < 5; turn++) {
                assertThat(end.at("/profile/0/description").asString()).contains("w%d.%d;".formatted(writer, turn));
            }
        }
    }

    private void append(CommandAddress way, String word) {
        while (true) {
            var now =
                    way.call(key, "AP_Read", "{\"target\":{\"agent\":\"Ada\"}}").envelope();
            var got = way.call(key, "AP_Modify", """
                    {"target":{"agent":"Ada"},"vx":{"description":"%s"},"if_revision":%d,"idempotency_key":"%s"}""".formatted(
                            now.at("/profile/0/description").asString() + word,
                            now.at("/profile/0/revision").asLong(),
                            UUID.randomUUID()));
            if (got.error().isEmpty()) {
                return;
            }
            assertThat(got.error()).as(got.toString()).isEqualTo("conflict");
        }
    }
}
