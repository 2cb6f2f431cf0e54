package io.agentworkspace.engine.identity.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.testing.IdleTool;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RequestVariablesTest {
    private static final Call CALL = new Call(
            new Caller(1, "t", 2, "ann", Role.OWNER, Set.of("*"), "key:a", null),
            IdleTool.named("DC_Delete"),
            "r",
            Instant.parse("2026-01-01T00:00:00Z"));

    /** An expression over many names uses the document's name once for each of them. */
    @Test
    void theNameOfADocumentIsReadOnceAndOnlyIfItIsUsed() {
        var reads = new AtomicInteger();
        var document = RequestVariables.of(CALL, Json.object().put("id", "tides.md"), () -> {}, input -> {
                    reads.incrementAndGet();
                    return input;
                })
                .document();
        assertThat(document.get("sha256")).isNull();
        assertThat(reads).hasValue(0);
        for (var i = 0; i < 3; i++) {
            assertThat(document.get("name")).isEqualTo("tides.md");
        }
        assertThat(reads).hasValue(1);
    }
}
