package io.agentworkspace.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.mcp.endpoint.Node;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The scripts and styles of the pages, without a browser. */
@Tag("slow")
class ScriptsTest {
    @BeforeAll
    static void isInstalled() {
        Node.require();
    }

    /** Prettier and ESLint. */
    @Test
    void scriptsAndStylesAreFormattedAndWithoutFaults() {
        var ended = Node.run(Map.of(), List.of(Node.script("lint.mjs")));
        assertThat(ended.output() + ended.errors()).isBlank();
        assertThat(ended.code()).isZero();
    }

    /** What needs no document has tests of its own, in the folder {@code unit}. */
    @Test
    void whatNeedsNoDocumentDoesWhatItSays() {
        var ended = Node.run(Map.of(), List.of("--test", Node.script("unit/*.test.mjs")));
        assertThat(ended.code()).as(ended.output()).isZero();
        assertThat(ended.output()).containsPattern("# pass [1-9]|ℹ pass [1-9]");
    }
}
