import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.identity.rules.cel.Expression;
import io.agentworkspace.engine.identity.rules.cel.ExpressionInput;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Measures one evaluation of a rule: the condition of each template as the engine serves it, and a few patterns. */
final class Rules implements Bench.Benchmark {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** In microseconds; a typical condition takes no longer. */
    private static final double LIMIT = 20;

    private static final String TEXT = "The tide turns at seven, says the harbour master, and the ferry leaves before. ".repeat(4);

    /** What a typical call gives a rule: a memory of 316 characters. */
    private static final String REQUEST = """
            {"command": {"name": "MB_Store", "family": "bank", "effect": "changes"},
             "target": {"bank": "Harbour log", "agent": "harbour-master"},
             "vx": {"name": "tides", "description": "What the harbour master says of the tides.", "tags": ["tide", "ferry"]},
             "content": "%s",
             "principal": {"user": "ann", "role": "member", "agent": "harbour-master", "capabilities": ["*"]},
             "document": {"name": "tides.txt", "media_type": "text/plain", "text": "%s"}}
            """;

    private static final Map<String, String> OTHERS = new LinkedHashMap<>();

    static {
        OTHERS.put("the names of command, bank and role", "command.name == \"MB_Destroy\" && sameName(target.bank, \"Ledger\") && principal.role != \"owner\"");
        OTHERS.put("a list of tags", "vx.tags.exists(tag, tag.startsWith(\"x-\"))");
        OTHERS.put("a pattern over the name", "vx.name.matches(\"^[a-z][a-z0-9-]*$\")");
        OTHERS.put("a pattern over the content that begins with ^", "content.matches(\"^DRAFT[ :]\")");
        OTHERS.put("a pattern over the content without a fixed beginning", "content.matches(\"[0-9]{4}-[0-9]{4}-[0-9]{4}\")");
    }

    @Override
    public String words() {
        return "an evaluation of each template's condition, one thread [--rounds 9] [--evaluations 20000] [--warm 60000]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        System.out.printf("condition%51s median   slowest round%n", "");
        var typical = ExpressionInput.of(object(REQUEST.formatted(TEXT, TEXT)), Instant.parse("2026-01-05T10:00:00Z"));
        var slow = 0;
        for (var template : templates()) {
            var condition = Expression.compile(template.path("when").asString());
            check(template, condition);
            slow += measured(template.path("name").asString(), condition, typical, options) > LIMIT ? 1 : 0;
        }
        for (var other : OTHERS.entrySet()) {
            measured(other.getKey(), Expression.compile(other.getValue()), typical, options);
        }
        System.out.printf("%d of the templates' conditions take over %.0f µs%n", slow, LIMIT);
    }

    private static JsonNode templates() throws Exception {
        try (var engine = Engine.start();
                var client = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(URI.create(engine.url() + "/api/rules/templates")).header("X-Api-Key", engine.key()).build();
            return Json.readObject(client.send(request, BodyHandlers.ofByteArray()).body()).path("templates");
        }
    }

    private static ObjectNode object(String json) {
        return Json.readObject(json.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    /** Fails if the condition has another result than the template's examples say. */
    private static void check(JsonNode template, Expression condition) {
        for (var example : template.path("examples")) {
            var request = (ObjectNode) example.path("request").deepCopy();
            var service = request.path("service").asString();
            request.putObject("command").put("name", service).put("family", service.startsWith("DC_") ? "document" : "bank").put("effect", effect(service));
            var now = request.path("now").asString("2026-01-05T10:00:00Z");
            var kind = condition.evaluate(ExpressionInput.of(request, Instant.parse(now))).kind();
            var expected = example.path("expected").asString().equals("matches") ? Expression.EvaluationResult.MATCHES : Expression.EvaluationResult.PASSES;
            if (kind != expected) {
                throw new IllegalStateException("%s: %s instead of %s for %s".formatted(template.path("name"), kind, expected, request));
            }
        }
    }

    private static String effect(String service) {
        return switch (service.substring(service.indexOf('_') + 1)) {
            case "Destroy", "Delete" -> "destroys";
            case "Create" -> "creates";
            case "AgentList" -> "reads";
            default -> "changes";
        };
    }

    /** Returns the median of the rounds in microseconds. */
    private static double measured(String name, Expression condition, ExpressionInput input, Bench.Options options) {
        repeat(condition, input, options.number("warm", 60_000));
        var evaluations = options.number("evaluations", 20_000);
        var rounds = IntStream.range(0, options.number("rounds", 9))
                .mapToDouble(_ -> repeat(condition, input, evaluations) / 1_000.0 / evaluations)
                .toArray();
        Arrays.sort(rounds);
        System.out.printf(Locale.ROOT, "%-58s %6.2f µs %9.2f µs%n", name, rounds[rounds.length / 2], rounds[rounds.length - 1]);
        return rounds[rounds.length / 2];
    }

    /** Returns the nanoseconds of this thread's processor time, which other work on the machine does not add to. */
    private static long repeat(Expression condition, ExpressionInput input, int times) {
        var began = THREADS.getCurrentThreadCpuTime();
        var matches = 0;
        for (var i = 0; i < times; i++) {
            matches += condition.evaluate(input).kind() == Expression.EvaluationResult.MATCHES ? 1 : 0;
        }
        var took = THREADS.getCurrentThreadCpuTime() - began;
        if (matches != 0 && matches != times) {
            throw new IllegalStateException("the same input had two results");
        }
        return took;
    }
}
