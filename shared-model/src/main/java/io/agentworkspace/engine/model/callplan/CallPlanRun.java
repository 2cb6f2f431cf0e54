package io.agentworkspace.engine.model.callplan;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.LenientInput;
import io.agentworkspace.engine.model.schema.Schema;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.text.Sha256;
import io.agentworkspace.engine.model.tool.Allowance;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.Envelope;
import io.agentworkspace.engine.model.tool.Progress;
import io.agentworkspace.engine.model.tool.ResponseBudget;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * One run of a plan. Each call goes through the {@link ToolRunner} like any other, so it is authorised, limited, ruled
 * and audited as a call of its own. The first failure ends the plan.
 */
public final class CallPlanRun {
    /** How many bytes of JSON the answers of all steps have at most while the plan runs. */
    static final long MOST_BYTES = 8 << 20;

    /** Reserved in the response for what surrounds the values. */
    private static final int FRAME = 64 * 1024;

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final CallPlan plan;
    private final Map<String, Tool<?, ?>> tools = new LinkedHashMap<>();
    private final ToolRunner runner;
    private final ToolRunner.Request request;
    private final Clock clock;

    private final Map<String, JsonNode> answers = new LinkedHashMap<>();
    private List<Allowance> limits = List.of();
    private long bytes;
    private int calls;
    private int callsOfStep;

    /**
     * @param request of the plan itself
     * @param tools finds the tool of a name, for arguments that may have references
     * @throws Problem if a step cannot run, whatever the others answer: then none does
     */
    public CallPlanRun(
            CallPlan plan,
            ToolRunner runner,
            ToolRunner.Request request,
            Clock clock,
            BiFunction<String, ObjectNode, Tool<?, ?>> tools) {
        this.plan = plan;
        this.runner = runner;
        this.request = request;
        this.clock = clock;
        for (var step : plan.steps()) {
            try {
                var tool = tools.apply(step.tool(), step.arguments());
                if (!step.refers()) {
                    tool.runFor(step.arguments())
                            .inputSchema()
                            .read(LenientInput.of(step.arguments(), tool.inputSchema()), true);
                }
                this.tools.put(step.id(), tool);
            } catch (Problem refused) {
                throw refused.withNote("step '%s': %s; no step was run".formatted(step.id(), refused.note()));
            }
        }
    }

    public CallPlan plan() {
        return plan;
    }

    /** Returns the tool of a step. */
    public Tool<?, ?> tool(CallPlan.Step step) {
        return Objects.requireNonNull(tools.get(step.id()));
    }

    /** Runs the steps in order, up to the first that fails. */
    public Answer run() {
        for (var step : plan.steps()) {
            try {
                callsOfStep = 0;
                answers.put(step.id(), answered(step));
            } catch (Problem problem) {
                return failed(step, problem);
            }
        }
        var output = Json.object();
        output.set("returned", returned());
        return new Answer(
                Envelope.success(request.service(), request.requestId(), clock.instant(), output),
                null,
                false,
                false,
                limits);
    }

    private JsonNode answered(CallPlan.Step step) {
        if (step.each() == null) {
            return answered(step, null, "");
        }
        var items = items(step, step.each());
        var all = Json.array();
        for (var i = 0; i < items.size(); i++) {
            try {
                all.add(answered(step, items.get(i), "/" + i));
            } catch (Problem problem) {
                throw problem.withNote("item %d of %d: %s".formatted(i, items.size(), problem.note()));
            }
        }
        return all;
    }

    private ArrayNode items(CallPlan.Step step, JsonNode each) {
        var resolved = CallReference.resolved(each, answers, null);
        if (!(resolved instanceof ArrayNode items)) {
            throw Problem.invalid("each", "must be an array, and is " + CallReference.described(resolved));
        } else if (items.size() > CallReference.MOST_ITEMS) {
            throw Problem.tooLarge(
                    "each of '%s'".formatted(step.id()), items.size(), CallReference.MOST_ITEMS, "items");
        }
        return items;
    }

    private JsonNode answered(CallPlan.Step step, @Nullable JsonNode item, String place) {
        if (Thread.currentThread().isInterrupted()) {
            throw Problem.conflict("the plan was cancelled before this call");
        } else if (bytes > MOST_BYTES) {
            throw Problem.tooLarge("what the earlier steps answered", bytes, MOST_BYTES, "bytes of JSON");
        }
        if (calls++ > 0) {
            admit();
        }
        var tool = tool(step);
        var arguments = (ObjectNode) CallReference.resolved(step.arguments(), answers, item);
        var answer =
                runner.run(call(tool, LenientInput.of(arguments, tool.inputSchema()), key(step, arguments, place)));
        limits = answer.limits();
        if (answer.problem() != null) {
            throw answer.problem();
        }
        var value = value(answer.envelope(), tool);
        callsOfStep++;
        bytes += ResponseBudget.size(value);
        request.progress().report(calls, null, "step '%s' (%s)".formatted(step.id(), tool.name()));
        return value;
    }

    /** Counts a further call against the caller's rate, and waits while there is no room for it. */
    private void admit() {
        while (true) {
            try {
                runner.admit(request.caller());
                return;
            } catch (Problem limited) {
                var pause = limited.retryAfter();
                if (pause == null || pause.compareTo(LONGEST_PAUSE) > 0) {
                    throw limited;
                }
                pause(pause);
            }
        }
    }

    private static void pause(Duration pause) {
        try {
            Thread.sleep(pause.plusMillis(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Problem.conflict("the plan was cancelled before this call");
        }
    }

    private ToolRunner.Request call(Tool<?, ?> tool, ObjectNode arguments, @Nullable String key) {
        return new ToolRunner.Request(
                tool.name(),
                arguments,
                request.caller(),
                request.requestId(),
                true,
                key,
                new Waiting(request.progress()),
                request.source(),
                ResponseBudget.once(),
                request.readOnly());
    }

    /** The progress of a call of a plan: the plan itself reports how far it is. */
    private record Waiting(Progress plan) implements Progress {
        @Override
        public void report(double done, @Nullable Double total, @Nullable String note) {
            // Only the plan's own progress always increases.
        }

        @Override
        public void begin() {
            plan.begin();
        }
    }

    /** Returns the key of a call, so that the same request sent again repeats no change. */
    private @Nullable String key(CallPlan.Step step, ObjectNode arguments, String place) {
        var key = request.idempotencyKey();
        if (key == null || key.isBlank() || arguments.has(Schema.IDEMPOTENCY_KEY)) {
            return null;
        }
        var whole = "%s\n%s%s".formatted(key.strip(), step.id(), place);
        return "plan-" + Sha256.hex(whole.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns what later steps refer to: the answer without header and status, or the content of another server's. */
    private static JsonNode value(ObjectNode envelope, Tool<?, ?> tool) {
        if (tool.foreign() != null && envelope.get("result") instanceof ObjectNode result) {
            return ForeignAnswer.value(result);
        }
        return envelope.deepCopy().remove(List.of("header", "status"));
    }

    private Answer failed(CallPlan.Step step, Problem problem) {
        var steps = plan.steps();
        var at = steps.indexOf(step);
        var states = new ArrayList<ObjectNode>();
        for (var i = 0; i < steps.size(); i++) {
            var one = Json.object()
                    .put("id", steps.get(i).id())
                    .put("tool", steps.get(i).tool())
                    .put("state", i < at ? "done" : i == at ? "failed" : "not_run");
            if (i == at && step.each() != null) {
                one.put("calls_done", callsOfStep);
            }
            states.add(i == at ? one.put("note", problem.note()) : one);
        }
        var note = "step '%s' (%s) failed: %s%s%s"
                .formatted(
                        step.id(),
                        step.tool(),
                        problem.note(),
                        named("; done: ", steps.subList(0, at)),
                        named("; not run: ", steps.subList(at + 1, steps.size())));
        var refused = problem.withNote(note).with("steps", states).with("returned", returned());
        var envelope = Envelope.failure(request.service(), request.requestId(), clock.instant(), refused);
        return new Answer(envelope, refused, false, false, limits);
    }

    private static String named(String words, List<CallPlan.Step> steps) {
        return steps.isEmpty()
                ? ""
                : words + steps.stream().map(CallPlan.Step::id).collect(Collectors.joining(", "));
    }

    /** Returns what the plan names of the steps that have run; what does not fit is named with its size. */
    private ArrayNode returned() {
        var named = plan.returned();
        if (named.isEmpty()) {
            named = answers.keySet().stream()
                    .skip(Math.max(0, answers.size() - 1))
                    .map(last -> new CallPlan.Returned(last, ""))
                    .toList();
        }
        var returned = Json.array();
        var room = request.budget().left() - FRAME;
        for (var one : named) {
            var entry = returned.addObject().put("from", one.from());
            if (!one.path().isEmpty()) {
                entry.put("path", one.path());
            }
            room -= fill(entry, one, room);
        }
        return returned;
    }

    /** Sets the value, or a note why there is none. Returns the room that it takes. */
    private long fill(ObjectNode entry, CallPlan.Returned one, long room) {
        var answer = answers.get(one.from());
        if (answer == null) {
            entry.put("note", "the step has not run to its end");
            return 0;
        }
        JsonNode value;
        try {
            value = CallReference.at(one.from(), answer, one.path());
        } catch (Problem nothing) {
            entry.put("note", nothing.note());
            return 0;
        }
        var cost = request.budget().cost(value);
        if (cost > room) {
            entry.put(
                    "note",
                    "left out: it has %,d bytes of JSON, more than the answer has room for; name a part of it with a path"
                            .formatted(ResponseBudget.size(value)));
            return 0;
        }
        entry.set("value", value);
        return cost;
    }

    /** What another server answered, as a value that steps can refer to. */
    private static final class ForeignAnswer {
        private static final int LONGEST_NOTE = 500;

        /** @throws Problem if the server reports an error */
        static JsonNode value(ObjectNode result) {
            var content = result.path("content");
            var isText = content.size() == 1
                    && content.path(0).path("type").asString("").equals("text");
            var text = content.path(0).path("text").asString("");
            if (result.path("isError").asBoolean(false)) {
                throw new Problem(
                        Failure.CONFLICT,
                        "its server answered with an error: "
                                + Excerpt.cut(isText ? text : Json.text(content), LONGEST_NOTE));
            } else if (result.get("structuredContent") instanceof JsonNode structured) {
                return structured;
            } else if (isText) {
                var parsed =
                        LenientInput.list(LenientInput.parsed(content.path(0).path("text")));
                return parsed.isString() ? Json.object().put("text", text) : parsed;
            }
            return Json.object().set("content", content);
        }
    }
}
