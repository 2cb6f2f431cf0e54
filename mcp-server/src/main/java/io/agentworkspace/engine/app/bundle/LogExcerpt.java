package io.agentworkspace.engine.app.bundle;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * The last lines of a log, without what may quote or name others: of an entry with several lines only the first and the
 * stack's frames are kept, of the database's log no statement, value or context, and of a request not who sent it.
 */
final class LogExcerpt {
    private static final int BYTES = 1 << 20;
    private static final int LINES = 2_000;

    private static final Pattern ENTRY = Pattern.compile("\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d.*");
    private static final Pattern FRAME = Pattern.compile(
            "(\\s+at [\\w.$/<>@-]+\\([\\w.]*(?::\\d+)?\\)|(?:Caused by: |Suppressed: )?[\\w.$]+(?:Exception|Error|Problem|Failure)\\b|\\s+\\.\\.\\. \\d+ (?:more|common frames omitted)).*");
    private static final Pattern QUOTING =
            Pattern.compile("\\b(?:DETAIL|STATEMENT|CONTEXT|HINT|QUERY|Detail|Where|Hint|Position):.*");

    /** Quoted text, apart from the names of what the schema has. Quotes in it are not marked, so it ends with the last one. */
    private static final Pattern QUOTED = Pattern.compile(
            "(\\b(?:relation|table|column|constraint|index|sequence|function|type) \"\\w+\")|\".*\"|\".*|“.*”|(?<!\\w)'.*'(?!\\w)");

    /** A pair of an entry, up to the next one. */
    private static final Pattern CALLER = Pattern.compile("\\b(tenant|principal|remote)=.*?(?= [a-z_]+=|$)");

    /** The path of a request, which goes on with names. */
    private static final Pattern PATH = Pattern.compile("\\b(path=(?:/[\\w.-]*){0,2}).*?(?= [a-z_]+=|$)");

    private LogExcerpt() {}

    static String of(Path file) throws IOException {
        var lines = tail(file).lines().flatMap(LogExcerpt::kept).toList();
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

    private static Stream<String> kept(String line) {
        if (line.startsWith("{")) {
            return json(line);
        } else if (ENTRY.matcher(line).matches()) {
            return Stream.of(entry(line));
        }
        var frame = FRAME.matcher(line);
        return frame.matches() ? Stream.of(frame.group(1)) : Stream.of();
    }

    private static String entry(String line) {
        var text = QUOTING.matcher(line).replaceFirst(Redaction.REMOVED);
        text = QUOTED.matcher(text).replaceAll(found -> found.group(1) == null ? Redaction.REMOVED : "$1");
        text = CALLER.matcher(text).replaceAll("$1=" + Redaction.REMOVED);
        return PATH.matcher(text).replaceAll(found -> found.group().equals(found.group(1)) ? "$1" : "$1/…");
    }

    /** An entry of {@code ENGINE_LOG_FORMAT=json} as lines of text. */
    private static Stream<String> json(String line) {
        try {
            var entry = Json.read(line.getBytes(StandardCharsets.UTF_8));
            var words = Stream.of("timestamp", "level", "loggerName", "formattedMessage")
                    .map(name ->
                            entry.path(name).asString("").lines().findFirst().orElse(""));
            var pairs = entry.path("kvpList")
                    .valueStream()
                    .flatMap(JsonNode::propertyStream)
                    .map(pair ->
                            pair.getKey() + "=" + pair.getValue().asString("").replace('\n', ' '));
            var first = entry(Stream.concat(words, pairs).collect(Collectors.joining(" ")))
                    .strip();
            return Stream.concat(Stream.of(first), frames("", entry.path("throwable")));
        } catch (Problem e) {
            return Stream.of();
        }
    }

    /** The stack of a failure and of its causes, without their messages. */
    private static Stream<String> frames(String before, JsonNode failure) {
        if (failure.isMissingNode()) {
            return Stream.of();
        }
        var frames = failure.path("stepArray")
                .valueStream()
                .map(frame -> "\tat %s.%s(%s:%s)"
                        .formatted(
                                frame.path("className").asString(""),
                                frame.path("methodName").asString(""),
                                frame.path("fileName").asString(""),
                                frame.path("lineNumber").asString("")));
        var first = Stream.of(before + failure.path("className").asString(""));
        return Stream.of(first, frames, frames("Caused by: ", failure.path("cause")))
                .flatMap(lines -> lines);
    }
}
