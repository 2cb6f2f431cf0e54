package io.agentworkspace.engine.kernel.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.identity.users.TenantStore;
import io.agentworkspace.engine.kernel.context.Contexts;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.events.EventLog;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.access.Requirement.OfAgent;
import io.agentworkspace.engine.model.access.Requirement.OfDomain;
import io.agentworkspace.engine.model.access.Requirement.OfZone;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.testing.TestDatabase;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Access fails closed: a tool whose handler does not check what the tool requires changes and shows nothing. */
class ForgottenCheckTest {
    private static final Db DB = TestDatabase.db();
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    record Nothing() {}

    record Secret(@Doc("A secret.") String secret) {}

    private final TenantStore tenants = new TenantStore(DB);
    private final long tenant = tenants.create(Name.of("t-" + UUID.randomUUID()), "unlimited", NOW);
    private final long user = tenants.createUser(tenant, Name.of("ann"), Role.OWNER, NOW);

    private Answer run(Effect effect, Requirement required, Consumer<Call> check) {
        var tool = Tool.named("AP_Rename")
                .title("Rename everyone")
                .description("Renames the user.")
                .needs(Capability.AGENT_WRITE)
                .on(required)
                .effect(effect)
                .handledBy(Nothing.class, Secret.class, (_, call) -> {
                    if (effect.isTransactional()) {
                        DB.sql(call, "UPDATE app_user SET name = 'bob' WHERE tenant_id = :tenant")
                                .run();
                    } else {
                        new Contexts(DB).load(call);
                    }
                    check.accept(call);
                    return new Secret("of ann");
                });
        var caller = new Caller(tenant, "t", user, "ann", Role.OWNER, Set.of("*"), "key:a", null);
        return TestDatabase.runner(new Catalogue(List.of(tool)), DB, new EventLog())
                .run(new ToolRunner.Request("AP_Rename", Json.object(), caller, "r", true, null));
    }

    private String name() {
        return DB.sql("SELECT name FROM app_user WHERE tenant_id = :tenant")
                .set("tenant", tenant)
                .one(row -> row.text("name"))
                .orElseThrow();
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsChangedOrShown(Effect effect) {
        var answer = run(effect, OfAgent.OWN, _ -> {});
        assertThat(Objects.requireNonNull(answer.problem()).failure()).isEqualTo(Failure.INTERNAL);
        assertThat(answer.envelope().has("secret")).isFalse();
        assertThat(name()).isEqualTo("ann");

        assertThat(run(effect, OfAgent.OWN, call -> call.checked(OfAgent.OWN)).success())
                .isTrue();
        assertThat(name()).isEqualTo(effect.isTransactional() ? "bob" : "ann");
    }

    @Test
    void aZoneIsCheckedOnItsDomain() {
        assertThat(run(Effect.READS, OfZone.HEAR, _ -> {}).success()).isFalse();
        assertThat(run(Effect.READS, OfZone.HEAR, call -> call.checked(OfDomain.TAKE_PART))
                        .success())
                .isFalse();
        assertThat(run(Effect.READS, OfZone.HEAR, call -> call.checked(OfDomain.HEAR))
                        .success())
                .isTrue();
    }
}
