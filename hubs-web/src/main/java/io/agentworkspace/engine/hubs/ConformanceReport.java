package io.agentworkspace.engine.hubs;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The recorded result of the MCP conformance tests for this service.
 *
 * @param markdown the report, which begins with the summary
 * @param summary a sentence: how many of the required scenarios pass, by revision, the newest first
 */
record ConformanceReport(String markdown, String summary) {
    private static final Pattern RESULT =
            Pattern.compile("(?m)^## Revision (\\S+): (\\d+) of (\\d+) required scenarios");

    /** The document, by its address among the resources, which is also that of its page. */
    static final String SOURCE = "/docs/dev/conformance.md";

    static ConformanceReport word() {
        return of(new String(Assets.bytes(SOURCE), StandardCharsets.UTF_8));
    }

    static ConformanceReport of(String document) {
        var results = RESULT.matcher(document).results().toList();
        var figures = results.stream()
                .map(found -> "%s of %s (%s)".formatted(found.group(2), found.group(3), found.group(1)))
                .collect(Collectors.joining(", "));
        var all = results.stream().allMatch(found -> found.group(2).equals(found.group(3)));
        var summary = all
                ? "Passes all required scenarios of the protocol's referee: %s.".formatted(figures)
                : "Passes %s of the required scenarios of the protocol's referee.".formatted(figures);
        return new ConformanceReport(document.replaceFirst("^# .*\n", "$0\n**%s**\n".formatted(summary)), summary);
    }
}
