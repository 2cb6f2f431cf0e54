package io.agentworkspace.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.hubs.HubRoutes;
import io.agentworkspace.engine.identity.audit.AuditEvent;
import io.agentworkspace.engine.model.event.EventType;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.testing.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The sentences of the console's timeline: everything that the audit and the event feed may contain has words. */
class ConsoleWordsTest {
    private static final Pattern NAME =
            Pattern.compile("(?m)(?:^ +|, )'?([A-Z]{2}_[A-Za-z]+|[a-z]+(?:\\.[a-z]+)+)'?: ");
    private static final String SENTENCES = sentences();

    private static String sentences() {
        try (var file = HubRoutes.class.getResourceAsStream("/hubs/assets/console/sentences.js")) {
            return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the names for which one of the script's tables has words. */
    private static List<String> names(String table) {
        var begin = SENTENCES.indexOf("const %s = {\n".formatted(table));
        var end = SENTENCES.indexOf("\n};\n", begin);
        assertThat(begin).isPositive();
        return NAME.matcher(SENTENCES.substring(begin, end))
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();
    }

    @Test
    void everyEntryOfTheAuditHasWords() {
        var tools = TestDatabase.catalogue().tools().stream().map(Tool::name);
        assertThat(names("VERBS"))
                .containsExactlyInAnyOrderElementsOf(
                        Stream.concat(tools, AuditEvent.words().stream()).toList());
    }

    @Test
    void everyEventHasWords() {
        assertThat(names("EVENTS")).containsExactlyInAnyOrderElementsOf(EventType.words());
    }
}
