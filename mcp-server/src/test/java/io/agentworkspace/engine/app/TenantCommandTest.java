package io.agentworkspace.engine.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.app.settings.InvalidSetting;
import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.identity.users.TenantStore;
import io.agentworkspace.engine.kernel.db.embedded.UnpackedOnce;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.wire.Wire;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class TenantCommandTest {
    private final String name = "team " + UUID.randomUUID();

    private static TenantCommand command(Map<String, String> environment) {
        return new TenantCommand(Settings.read(environment, List.of()), Clock.systemUTC());
    }

    private static TenantCommand beside() {
        return command(Map.of("ENGINE_DATABASE_URL", TestDatabase.url(), "ENGINE_PLAN", "team"));
    }

    private static Reply me(String url, FirstKey key) {
        return ClientApi.REST.call(url, key.key(), "US_Read", Json.object()).ok();
    }

    @Test
    void theOwnersKeyWorksOnARunningEngineAtOnce() {
        var me = me(TestServer.url(), beside().run(List.of("create", name, "Maria")));
        assertThat(me.text("/profile/0/user")).isEqualTo("Maria");
        assertThat(me.text("/profile/0/role")).isEqualTo("owner");
        assertThat(me.text("/profile/0/tenant")).isEqualTo(name);
        assertThat(me.text("/profile/0/plan")).isEqualTo("team");
        var events = TestDatabase.db()
                .sql(
                        "SELECT a.tool || ' ' || a.target AS event FROM audit a JOIN tenant t USING (tenant_id) WHERE t.name = :name")
                .set("name", name)
                .list(row -> row.text("event"));
        assertThat(events).containsExactlyInAnyOrder("tenant.created " + name, "user.joined Maria");
        assertThatThrownBy(() -> beside().run(List.of("create", name.toUpperCase(java.util.Locale.ROOT))))
                .isInstanceOf(InvalidSetting.class)
                .hasMessageContaining("is taken");
    }

    /** The tenant and its owner are two transactions. The plan is the one of the last run. */
    @Test
    void whatWasBrokenOffIsCompletedWhenItIsRunAgain() {
        new TenantStore(TestDatabase.db()).create(Name.of(name), "free", Instant.now());
        var me = me(TestServer.url(), beside().run(List.of("create", name)));
        assertThat(me.text("/profile/0/tenant")).isEqualTo(name);
        assertThat(me.text("/profile/0/plan")).isEqualTo("team");
        assertThatThrownBy(() -> beside().run(List.of("create", name, "Maria")))
                .isInstanceOf(InvalidSetting.class)
                .hasMessageContaining("is taken");
    }

    @Test
    void ofTwoAtTheSameTimeOneIsRefused() {
        var made = Concurrently.of(2, i -> {
            try {
                return me(TestServer.url(), beside().run(List.of("create", name, "owner" + i)))
                        .text("/profile/0/user");
            } catch (InvalidSetting e) {
                return e.getMessage();
            }
        });
        assertThat(made).filteredOn(each -> each.startsWith("owner")).hasSize(1);
        assertThat(made).filteredOn(each -> each.contains("is taken")).hasSize(1);
    }

    @Test
    void itWorksBesideAnEmbeddedDatabaseAndWithoutAnEngine(@TempDir Path data) {
        var here = command(Map.of("ENGINE_DATA_DIR", data.toString()));
        assertThatThrownBy(() -> here.run(List.of("create", name)))
                .isInstanceOf(InvalidSetting.class)
                .hasMessageContaining("start the engine on it first");
        try (var engine = engine(data)) {
            assertThat(me(engine.baseUrl(), here.run(List.of("create", name))).text("/profile/0/user"))
                    .isEqualTo("owner");
        }
        var alone = here.run(List.of("create", name + " 2"));
        try (var engine = engine(data)) {
            assertThat(me(engine.baseUrl(), alone).text("/profile/0/tenant")).isEqualTo(name + " 2");
        }
    }

    private static App engine(Path data) {
        UnpackedOnce.into(data);
        var settings = Map.of(
                "ENGINE_DATA_DIR", data.toString(),
                "ENGINE_PORT", "0",
                "ENGINE_DRAIN_SECONDS", "0",
                "ENGINE_EMBEDDING", "off");
        return App.start(Settings.read(settings, List.of()), Clock.systemUTC(), Wire::new);
    }

    @Test
    void whatItDoesNotUnderstandIsRefused() {
        for (var words : List.of(
                List.<String>of(), List.of("create"), List.of("make", name), List.of("create", name, "a", "b"))) {
            assertThatThrownBy(() -> beside().run(words))
                    .isInstanceOf(InvalidSetting.class)
                    .hasMessageContaining("tenant create <name>");
        }
        assertThatThrownBy(() -> beside().run(List.of("create", "no/slash")))
                .isInstanceOf(InvalidSetting.class)
                .hasMessageContaining("the tenant's name");
    }
}
