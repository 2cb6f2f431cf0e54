package io.agentworkspace.engine.app.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How PostgreSQL's programs are chosen for a database, and how they connect to it. */
class BackupQueriesTest {
    private static Map<String, String> environment(String options) {
        return new BackupQueries("jdbc:postgresql://db.example/engine?user=u&password=p" + options, null, null)
                .environment();
    }

    @Test
    void theyConnectAsSafelyAsTheDriver() {
        assertThat(environment("")).doesNotContainKey("PGSSLMODE");
        assertThat(environment("&ssl=false")).doesNotContainKey("PGSSLMODE");
        assertThat(environment("&ssl=true")).containsEntry("PGSSLMODE", "verify-full");
        assertThat(environment("&ssl")).containsEntry("PGSSLMODE", "verify-full");
        assertThat(environment("&ssl=true&sslmode=require")).containsEntry("PGSSLMODE", "require");
        assertThat(environment("&sslmode=verify-ca&sslrootcert=/r&sslcert=/c&sslkey=/k"))
                .containsAllEntriesOf(
                        Map.of("PGSSLMODE", "verify-ca", "PGSSLROOTCERT", "/r", "PGSSLCERT", "/c", "PGSSLKEY", "/k"));
        assertThatThrownBy(() -> environment("&sslfactory=a.Factory"))
                .isInstanceOf(BackupFailure.class)
                .hasMessageContaining("cannot connect with sslfactory of ENGINE_DATABASE_URL");
    }

    @Test
    void theProgramIsAsNewAsTheServer() {
        var programs = List.of(new ClientProgram(Path.of("b"), 19), new ClientProgram(Path.of("a"), 17));
        assertThat(ClientProgram.of(programs, "17.6").major()).isEqualTo(17);
        assertThat(ClientProgram.of(programs, "18.1").major()).isEqualTo(19);
        assertThat(ClientProgram.of(programs, "19beta1").major()).isEqualTo(19);
        assertThatThrownBy(() -> ClientProgram.of(programs, "20devel"))
                .hasMessageContaining("the database is PostgreSQL 20, and the newest b here is of 19");
    }
}
