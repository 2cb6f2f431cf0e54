package io.agentworkspace.engine.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.app.distribute.DistributeFailure;
import io.agentworkspace.engine.app.settings.InvalidSetting;
import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.testing.TestDatabase;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code ./engine distribute} on a PostgreSQL that has no Citus. */
class DistributeCommandTest {
    private static Main.Printed run(Map<String, String> environment, String... words) {
        return new DistributeCommand(Settings.read(environment, List.of()))
                .run(DistributeCommand.words(List.of(words)));
    }

    @Test
    void otherWordsAndTheEmbeddedDatabaseAreRefused() {
        for (var wrong : List.of(List.of("--undo", "now"), List.of("undo"))) {
            assertThatThrownBy(() -> run(Map.of(), wrong.toArray(String[]::new)))
                    .isInstanceOf(InvalidSetting.class)
                    .hasMessage("usage: distribute [--dry-run] [--undo] [<flags>]");
        }
        for (var words : List.of(List.<String>of(), List.of("--undo"), List.of("--undo", "--dry-run"))) {
            assertThatThrownBy(() -> run(Map.of(), words.toArray(String[]::new)))
                    .isInstanceOf(InvalidSetting.class)
                    .hasMessageContaining("set ENGINE_DATABASE_URL to the coordinator of a cluster");
        }
    }

    @Test
    void withoutCitusItSaysWhatToInstall() {
        try (var db = TestDatabase.fresh("distribute_plain")) {
            var here = Map.of("ENGINE_DATABASE_URL", TestDatabase.url("distribute_plain"));
            db.awaitConnection(); // As one of an engine.
            assertThatThrownBy(() -> run(here))
                    .isInstanceOf(DistributeFailure.class)
                    .hasMessageContaining("engines use the database")
                    .hasMessageEndingWith("(and 1 more: --dry-run lists them). Nothing was changed");
            var plan = run(here, "--dry-run");
            assertThat(plan.code()).isEqualTo(1);
            assertThat(plan.text())
                    .contains("to do before: engines use the database")
                    .contains("to do before: Citus is not in this database")
                    .contains("CREATE EXTENSION citus")
                    .contains("tables by tenant: access_version, agent, ")
                    .contains("would copy to each server: plan_limit, tenant");
            assertThat(run(here, "--undo"))
                    .isEqualTo(Main.Printed.of("nothing to do: all tables are on this server\n"));
        }
    }
}
