package io.agentworkspace.engine.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The lines for a project's AGENTS.md, as {@code ./engine agents-md} prints them. */
class AgentsMdTest {
    private static final Pattern NAMED = Pattern.compile("\\b[A-Z]{2}_\\w+");

    @Test
    void tenLinesNameOnlyToolsOfCodingAgents() throws Exception {
        var printed = printed(0, "https://engine.example.com/e/");
        assertThat(printed).contains("https://engine.example.com/e/mcp");
        assertThat(printed.lines().filter(line -> !line.isBlank())).hasSizeLessThanOrEqualTo(10);
        var work = TestDatabase.catalogue().tools().stream()
                .filter(tool -> tool.guide().isForWork())
                .map(Tool::name)
                .toList();
        assertThat(NAMED.matcher(printed).results().map(MatchResult::group))
                .isNotEmpty()
                .allMatch(work::contains);
    }

    @Test
    void whatIsNoAddressIsRefused() throws Exception {
        assertThat(printed(1, "here")).contains("'here' is no address of an engine");
    }

    /** Returns what the launcher prints, on both streams. */
    private static String printed(int code, String address) throws Exception {
        var process = new ProcessBuilder(Repository.file("engine").toString(), "agents-md", address)
                .redirectErrorStream(true)
                .start();
        var printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isEqualTo(code);
        return printed;
    }
}
