package io.agentworkspace.engine.testing;

import io.agentworkspace.engine.model.json.Json;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Responses in the form in which they are recorded as examples. Values that differ from run to run are replaced by
 * fixed ones of the same form. Long lists and texts are cut.
 */
public final class KeptAnswers {
    private static final Path FOLDER = Repository.file("mcp-server/src/test/resources/golden/answers");

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final int LONGEST_LIST = 2000;
    private static final int LONGEST_TEXT = 500;

    private static final Pattern TIME = Pattern.compile("20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d[.]\\d{3}Z");
    private static final Pattern SECRET =
            Pattern.compile("(?<=ek_\\w{12}_)\\w+|(?<=ej_)\\w+|(?<=whsec_)[A-Za-z0-9+/]+|eyJ\\w+[.][\\w.-]+");
    private static final Set<String> SECRETS = Set.of("csrf_token", "kid", "x", "y");
    private static final Pattern TENANT = Pattern.compile("\\bt-[0-9a-f-]{36}\\b");
    private static final Pattern ID = Pattern.compile(
            "\\b(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32}|[0-9a-f]{64}|[1-9]\\d{14})\\b");

    /** Durations, which differ between machines. */
    private static final Map<String, Integer> NUMBERS =
            Map.of("duration_ms", 12, "waited_ms", 12, "p50_ms", 12, "p95_ms", 12, "p99_ms", 12, "expected_seconds", 2);

    /** Fields that are written after the response, at an undetermined time. */
    private static final Set<String> LATE = Set.of("last_used_at", "last_client", "last_seen_at");

    private final Map<String, String> words = new LinkedHashMap<>();

    /** @param word the text that replaces it */
    public KeptAnswers replacing(String own, String word) {
        words.putIfAbsent(own, word);
        return this;
    }

    /** Compares the files of the folder with these responses, or writes them with -Dgolden=update. */
    public void check(String folder, Map<String, ? extends JsonNode> answers) {
        var files = new LinkedHashMap<String, String>();
        answers.forEach((name, answer) -> files.put(name + ".json", text(answer)));
        Golden.checkFolder(FOLDER.resolve(folder), files);
    }

    public static String text(String folder, String name) {
        return Repository.text(FOLDER.resolve(folder).resolve(name + ".json"));
    }

    public String text(JsonNode answer) {
        return Json.pretty(new Copy(Instant.parse(
                                answer.at("/header/time").asString(Instant.now().toString())))
                        .of("", answer))
                + "\n";
    }

    /** A copy of one response, in which equal ids get the same replacement. */
    private final class Copy {
        private final Instant answerTime;
        private final List<String> ids = new ArrayList<>();

        private Copy(Instant answerTime) {
            this.answerTime = answerTime;
        }

        private JsonNode of(String field, JsonNode value) {
            return switch (value) {
                case ObjectNode object -> object(object);
                case ArrayNode list -> list(field, list);
                default -> {
                    var number = NUMBERS.get(field);
                    yield number != null
                            ? Json.valueTree(number)
                            : value.isString() ? Json.valueTree(text(field, value.asString())) : value;
                }
            };
        }

        private ObjectNode object(ObjectNode object) {
            var copy = Json.object();
            for (var field : object.properties()) {
                if (!LATE.contains(field.getKey())) {
                    copy.set(field.getKey(), of(field.getKey(), field.getValue()));
                }
            }
            if (copy.path("scope").asString("").equals("commands")) {
                calls(copy);
            }
            return copy;
        }

        /** Replaces the number of calls, which depends on how often the test polled. */
        private static void calls(ObjectNode commands) {
            var calls = 60;
            if (commands.has("count")) {
                commands.put("count", calls);
            }
            if (commands.has("remaining")) {
                commands.put("remaining", commands.path("limit").asInt() - calls);
            }
            if (commands.has("reset_seconds")) {
                commands.put("reset_seconds", 3600);
            }
        }

        private ArrayNode list(String field, ArrayNode list) {
            var copy = Json.object().putArray("list");
            var length = 0;
            for (var entry : list) {
                var item = of(field, entry);
                length += Json.text(item).length();
                if (copy.isEmpty() || length <= LONGEST_LIST) {
                    copy.add(item);
                }
            }
            return copy;
        }

        private String text(String field, String text) {
            var replacement = text;
            for (var word : words.entrySet()) {
                replacement = replacement.replace(word.getKey(), word.getValue());
            }
            replacement = SECRET.matcher(replacement).replaceAll(secret -> hidden(secret.group()));
            replacement = SECRETS.contains(field) ? "x".repeat(replacement.length()) : replacement;
            replacement = TENANT.matcher(replacement).replaceAll("default");
            replacement = ID.matcher(replacement).replaceAll(id -> numbered(id.group()));
            replacement = TIME.matcher(replacement).replaceAll(this::time);
            replacement = replacement.replaceAll("curl/[0-9.]+", "curl/8.0.0");
            return replacement.length() > LONGEST_TEXT ? replacement.substring(0, LONGEST_TEXT) + "…" : replacement;
        }

        private static String hidden(String secret) {
            return secret.startsWith("eyJ") ? "xxxxxxxx.xxxxxxxx.xxxxxxxx" : "x".repeat(secret.length());
        }

        /** Returns the replacement of an id: …1 for the first, …2 for the second. */
        private String numbered(String id) {
            if (words.containsValue(id)) {
                return id;
            }
            if (!ids.contains(id)) {
                ids.add(id);
            }
            var number = String.valueOf(ids.indexOf(id) + 1);
            var zeros = id.contains("-") ? "00000000-0000-4000-8000-000000000000" : "0".repeat(id.length());
            return zeros.substring(0, zeros.length() - number.length()) + number;
        }

        /**
         * Returns the replacement of a time. A past time becomes NOW. A future time keeps its distance, rounded; the
         * end of a UTC day becomes the end of the first day.
         */
        private String time(MatchResult found) {
            var time = Instant.parse(found.group());
            var ahead = Duration.between(answerTime, time).toMinutes();
            var step = ahead > 90 ? 60 : 10;
            var replacement = NOW.plus(Math.max(0, Math.round((double) ahead / step) * step), ChronoUnit.MINUTES);
            if (ahead > 0 && time.equals(time.truncatedTo(ChronoUnit.DAYS))) {
                replacement = NOW.plus(1, ChronoUnit.DAYS);
            }
            return Json.valueTree(replacement).asString();
        }
    }
}
