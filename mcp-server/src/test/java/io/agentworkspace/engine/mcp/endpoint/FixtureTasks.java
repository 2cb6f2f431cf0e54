package io.agentworkspace.engine.mcp.endpoint;

import io.agentworkspace.engine.kernel.wire.ExecutionMode;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.source.ToolCall;
import io.agentworkspace.engine.mcp.source.ToolSource;
import io.agentworkspace.engine.model.json.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import tools.jackson.databind.node.ObjectNode;

/** The long tools of the conformance scenarios {@code tasks-*}. */
public final class FixtureTasks implements ToolSource {
    private static final String NAME = """
            {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}""";
    private static final String CONFIRM = """
            {"type": "object", "properties": {"confirm": {"type": "boolean"}}, "required": ["confirm"]}""";
    private static final String ANYTHING = """
            {"type": "object", "properties": {"seconds": {"type": "number"}, "label": {"type": "string"},
             "name": {"type": "string"}, "filename": {"type": "string"}}}""";

    /** Asks for a name before it becomes a task. */
    private static final String ASKS_FIRST = "test_tool_with_task";

    /** Releases the tasks that were held since the last {@link #hold}. */
    private static volatile CountDownLatch gate = new CountDownLatch(1);

    /** Makes tasks named {@code held} that begin from now on wait for {@link #release}. */
    public static void hold() {
        gate = new CountDownLatch(1);
    }

    public static void release() {
        gate.countDown();
    }

    private final Map<String, ExecutionMode> paces = new LinkedHashMap<>(Map.of(
            "greet",
            ExecutionMode.QUICK,
            "slow_compute",
            ExecutionMode.LONG,
            "confirm_delete",
            ExecutionMode.LONG,
            "multi_input",
            ExecutionMode.LONG,
            "held",
            ExecutionMode.LONG,
            "counting",
            ExecutionMode.LONG,
            "stubborn",
            ExecutionMode.LONG,
            "protocol_error_job",
            ExecutionMode.LONG,
            "failing_job",
            ExecutionMode.TASK,
            ASKS_FIRST,
            ExecutionMode.TASK));

    @Override
    public List<ObjectNode> list(McpRequest turn) {
        return paces.keySet().stream().sorted().map(FixtureTasks::tool).toList();
    }

    private static ObjectNode tool(String name) {
        var tool = Json.object().put("name", name).put("description", "A fixture.");
        return tool.set("inputSchema", Fixtures.json(ANYTHING));
    }

    @Override
    public Optional<ObjectNode> find(String name, McpRequest turn) {
        return Optional.ofNullable(paces.get(name)).map(_ -> tool(name));
    }

    @Override
    public Optional<ToolCall> call(String name, ObjectNode arguments, McpRequest turn) {
        return Optional.ofNullable(paces.get(name)).map(pace -> new TaskCall(name, pace, arguments, turn));
    }

    private record TaskCall(String name, ExecutionMode mode, ObjectNode arguments, McpRequest turn)
            implements ToolCall {
        @Override
        public Optional<MethodResult> beforeTask() {
            return name.equals(ASKS_FIRST) && turn.accepted("user_name").isEmpty()
                    ? Optional.of(FixtureQuestions.ask(
                            "user_name", FixtureQuestions.form("What is your name?", NAME), Json.object()))
                    : Optional.empty();
        }

        @Override
        public MethodResult run() {
            return switch (name) {
                case "greet" ->
                    MethodResult.text(
                            "Hello, %s!".formatted(arguments.path("name").asString("")));
                case "slow_compute" -> slow(arguments.path("seconds").asDouble(0));
                case "held" -> waitForRelease();
                case "failing_job" -> failing();
                case "protocol_error_job" -> throw new IllegalStateException("the job panics");
                case "confirm_delete" -> asking(turn, Set.of("confirm"), answers -> "deleted " + answers);
                case "multi_input" -> asking(turn, Set.of("first", "second"), answers -> "got " + answers);
                case "counting" -> counting(turn);
                case "stubborn" -> stubborn();
                default ->
                    MethodResult.text("Done for "
                            + turn.accepted("user_name")
                                    .map(form -> form.path("name").asString(""))
                                    .orElse("nobody"));
            };
        }
    }

    private static MethodResult slow(double seconds) {
        Fixtures.work((int) (seconds * 1_000));
        return MethodResult.text("computed for %s s".formatted(seconds));
    }

    /** Waits until a test releases it. */
    private static MethodResult waitForRelease() {
        try {
            gate.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
        return MethodResult.text("held and released");
    }

    /** Ignores interrupts. */
    private static MethodResult stubborn() {
        for (var end = System.nanoTime() + 800_000_000L; System.nanoTime() < end; ) {
            Thread.onSpinWait();
        }
        return MethodResult.text("done in spite of it");
    }

    private static MethodResult failing() {
        Fixtures.pause(500);
        var failed = (MethodResult.Done) MethodResult.text("the job failed, as it does");
        failed.result().put("isError", true);
        return failed;
    }

    private static MethodResult counting(McpRequest turn) {
        for (var done = 1; done <= 4; done++) {
            Fixtures.pause(800);
            turn.progress(done, 4.0, "counted to " + done);
        }
        return MethodResult.text("counted");
    }

    private static MethodResult asking(McpRequest turn, Set<String> keys, Function<String, String> text) {
        if (keys.stream().allMatch(key -> turn.answer(key).isPresent())) {
            return MethodResult.text(text.apply(String.join(", ", keys)));
        }
        var questions = new LinkedHashMap<String, ObjectNode>();
        keys.forEach(key -> questions.put(key, FixtureQuestions.form("Is it " + key + "?", CONFIRM)));
        return new MethodResult.Ask(questions, null);
    }
}
