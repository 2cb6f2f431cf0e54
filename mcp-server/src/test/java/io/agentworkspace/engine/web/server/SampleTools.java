package io.agentworkspace.engine.web.server;

import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Schema;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.Context;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Envelope;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.ToolDraft;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Four tools and a runner with just what the endpoints use: access, checked input, envelopes and replays. */
public final class SampleTools implements ToolRunner {
    public record Target(@Doc("Whom.") @Nullable Name agent) {}

    public record Read(@Doc("Of what.") @Nullable Target target) {}

    public record Greeting(@Doc("What is said.") String greeting) {}

    public record New(@Doc("Its name.") Name name) {}

    public record Create(@Doc("What to create.") New vx) {}

    public record Nothing() {}

    private final Catalogue catalogue = new Catalogue(List.of(
            tool("AP_Read", Capability.AGENT_READ, Effect.READS)
                    .handledBy(Read.class, Greeting.class, (in, call) -> new Greeting("hello " + who(in))),
            tool("AP_Create", Capability.AGENT_WRITE, Effect.CREATES)
                    .handledBy(
                            Create.class,
                            Greeting.class,
                            (in, call) -> new Greeting("made " + in.vx().name())),
            tool("DM_Destroy", Capability.DOMAIN_WRITE, Effect.DESTROYS)
                    .handledBy(Nothing.class, Greeting.class, (in, call) -> new Greeting("gone")),
            tool("MB_Censor", Capability.BANK_WRITE, Effect.CHANGES)
                    .handledBy(Nothing.class, Greeting.class, (in, call) -> {
                        throw new IllegalStateException("a defect with a secret in it");
                    })));
    private final Map<String, ObjectNode> replays = new ConcurrentHashMap<>();

    private static ToolDraft tool(String name, Capability capability, Effect effect) {
        return Tool.named(name)
                .title(name)
                .description("Does " + name + ".")
                .needs(capability)
                .effect(effect);
    }

    private static String who(Read in) {
        return in.target() == null || in.target().agent() == null
                ? "world"
                : in.target().agent().text();
    }

    @Override
    public Catalogue catalogue() {
        return catalogue;
    }

    @Override
    public Answer run(Request request) {
        var now = Instant.now();
        Call call = null;
        try {
            var tool = catalogue.read(request.service());
            call = new Call(request.caller(), tool, request.requestId(), now);
            if (!request.caller().may(tool)) {
                throw Problem.notPermitted(
                        "your key lacks the capability " + tool.capability().word());
            }
            var stored = request.idempotencyKey() == null ? null : replays.get(request.idempotencyKey());
            if (stored != null) {
                return new Answer(stored, null, true);
            }
            call.load(new Context(Context.DEFAULT, new Context.Ref(1, "owner"), null, null, null, null, 0));
            var envelope = handle(tool, tool.inputSchema().read(request.arguments(), request.strict()), call);
            if (request.idempotencyKey() != null) {
                replays.put(request.idempotencyKey(), envelope);
            }
            return new Answer(envelope, null, false);
        } catch (Problem problem) {
            var failure = call == null
                    ? Envelope.failure(null, request.requestId(), now, problem)
                    : Envelope.failure(call, problem);
            return new Answer(failure, problem, false);
        }
    }

    private static <I extends Record, O extends Record> ObjectNode handle(
            Tool<I, O> tool, ObjectNode input, Call call) {
        input.remove(Schema.IDEMPOTENCY_KEY);
        var bound = Json.bind(input, tool.input());
        return Envelope.success(call, tool.work().begin(bound, call).handle(bound, call));
    }
}
