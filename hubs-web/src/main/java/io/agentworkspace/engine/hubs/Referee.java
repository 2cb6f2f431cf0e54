package io.agentworkspace.engine.hubs;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What the protocol's referee says of the service, as its run has written it down.
 *
 * @param markdown beginning with the summary
 * @param summary the required scenarios that are passed, newest revision first: {@code 37 of 37 and 30 of 30}
 */
record Referee(String markdown, String summary) {
    private static final Pattern RESULT = Pattern.compile("(?m)^## Revision \\S+: (\\d+ of \\d+) required scenarios");

    static Referee word() {
        var document = new String(Assets.bytes("/docs/conformance.md"), StandardCharsets.UTF_8);
        var results =
                RESULT.matcher(document).results().map(found -> found.group(1)).collect(Collectors.joining(" and "));
        var first = "$0\n**%s required scenarios** are passed.\n".formatted(results);
        return new Referee(document.replaceFirst("^# .*\n", first), results);
    }
}
