package io.agentworkspace.engine.app.bundle;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/**
 * The last lines of a log, without what may quote others: of an entry with several lines only the first and the stack's
 * frames are kept, and of the database's log no statement, value or context.
 */
final class LogExcerpt {
    private static final int BYTES = 1 << 20;
    private static final int LINES = 2_000;

    private static final Pattern ENTRY = Pattern.compile("\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d.*");
    private static final Pattern FRAME = Pattern.compile(
            "(\\s+at [\\w.$/<>@-]+\\([\\w.]*(?::\\d+)?\\)|(?:Caused by: |Suppressed: )?[\\w.$]+(?:Exception|Error|Problem|Failure)\\b|\\s+\\.\\.\\. \\d+ (?:more|common frames omitted)).*");
    private static final Pattern QUOTING =
            Pattern.compile("\\b(?:DETAIL|STATEMENT|CONTEXT|HINT|QUERY|Detail|Where|Hint|Position):.*");

    private LogExcerpt() {}

    static String of(Path file) throws IOException {
        var lines = tail(file).lines().flatMap(line -> kept(line).stream()).toList();
        return lines.stream().skip(Math.max(0, lines.size() - LINES)).collect(Collectors.joining("\n", "", "\n"));
    }

    private static String tail(Path file) throws IOException {
        try (var in = new RandomAccessFile(file.toFile(), "r")) {
            var from = Math.max(0, in.length() - BYTES);
            in.seek(from);
            var bytes = new byte[(int) Math.min(BYTES, in.length() - from)];
            in.readFully(bytes);
            var text = new String(bytes, StandardCharsets.UTF_8);
            return from == 0 ? text : text.substring(text.indexOf('\n') + 1);
        }
    }

    private static Optional<String> kept(String line) {
        if (line.startsWith("{")) {
            return json(line);
        } else if (ENTRY.matcher(line).matches()) {
            var quoting = QUOTING.matcher(line);
            return Optional.of(quoting.replaceFirst(Redaction.REMOVED));
        }
        var frame = FRAME.matcher(line);
        return frame.matches() ? Optional.of(frame.group(1)) : Optional.empty();
    }

    /** An entry of {@code ENGINE_LOG_FORMAT=json} as a line of text, without its stack's messages. */
    private static Optional<String> json(String line) {
        try {
            var entry = Json.read(line.getBytes(StandardCharsets.UTF_8));
            var words = List.of("timestamp", "level", "loggerName", "formattedMessage").stream()
                    .map(name -> entry.path(name).asString(""))
                    .collect(Collectors.joining(" "));
            var pairs =
                    entry.path("kvpList").valueStream().map(JsonNode::toString).collect(Collectors.joining(" "));
            var failure = entry.path("throwable").path("className").asString("");
            var text = "%s %s %s".formatted(words, pairs, failure).replace('\n', ' ');
            return Optional.of(
                    QUOTING.matcher(text).replaceFirst(Redaction.REMOVED).strip());
        } catch (Problem e) {
            return Optional.empty();
        }
    }
}
