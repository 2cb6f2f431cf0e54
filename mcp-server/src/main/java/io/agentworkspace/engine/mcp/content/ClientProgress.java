package io.agentworkspace.engine.mcp.content;

import io.agentworkspace.engine.kernel.wire.ClientInfo.Ability;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.Progress;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.model.upstream.ClientInput;
import io.agentworkspace.engine.model.upstream.HeldCall;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The client of a call: it receives progress, and the questions of the installed server that the call is passed on to. */
final class ClientProgress implements Progress {
    /** Before the server's keys, so that they are never those of the engine's own questions. */
    private static final String PREFIX = "upstream.";

    /** The key of the question whether a link may be opened. */
    private static final String LINK = "link";

    private static final String ROUNDS = "rounds";
    private static final String STATE = "state";

    /** What concerns only the exchange with this server. */
    private static final List<String> OWN = List.of("io.modelcontextprotocol/", "io.agentworkspace/", "progressToken");

    private final McpRequest request;
    private final boolean asksPerson;
    private MethodResult.@Nullable Ask question;

    ClientProgress(McpRequest request, boolean asksPerson) {
        this.request = request;
        this.asksPerson = asksPerson;
    }

    @Override
    public void report(double done, @Nullable Double total, @Nullable String note) {
        request.progress(done, total, note);
    }

    @Override
    public void begin() {
        request.begin();
    }

    @Override
    public boolean asksPerson() {
        return asksPerson;
    }

    @Override
    public ClientInput input() {
        var meta = Json.object();
        request.meta().properties().stream()
                .filter(field -> OWN.stream().noneMatch(field.getKey()::startsWith))
                .forEach(field -> meta.set(field.getKey(), field.getValue()));
        var capabilities = Json.object();
        for (var ability : Ability.ofServers()) {
            if (request.client().can(ability)) {
                capabilities.putObject(ability.word());
            }
        }
        var elicitation = Json.object();
        if (capabilities.has(Ability.ELICITATION.word())) {
            elicitation.putObject("form");
        }
        if (request.client().can(Ability.LINKS)) {
            elicitation.putObject("url");
        }
        if (!elicitation.isEmpty()) {
            capabilities.set(Ability.ELICITATION.word(), elicitation);
        }
        var state = request.state().orElseGet(Json::object);
        return new ClientInput(
                meta,
                capabilities,
                answers(),
                state.path(STATE).isString() ? state.path(STATE).asString() : null,
                state.path(ROUNDS).asInt(0));
    }

    private Map<String, ObjectNode> answers() {
        var answers = new LinkedHashMap<String, ObjectNode>();
        request.inputs().answers().forEach((key, answer) -> {
            if (key.startsWith(PREFIX)) {
                answers.put(key.substring(PREFIX.length()), answer);
            }
        });
        return answers;
    }

    @Override
    public void ask(Map<String, ObjectNode> questions, @Nullable String state, @Nullable HeldCall waiting) {
        var kept = Json.object().put(ROUNDS, input().rounds() + 1);
        if (state != null) {
            kept.put(STATE, state);
        }
        var prefixed = new LinkedHashMap<String, ObjectNode>();
        questions.forEach((key, request) -> prefixed.put(PREFIX + key, request));
        question = new MethodResult.Ask(prefixed, kept, waiting == null ? null : elsewhere(waiting));
    }

    @Override
    public void openLink(String message, String url) {
        if (request.client().can(Ability.LINKS) && request.answer(LINK).isEmpty()) {
            var kept = Json.object().put(ROUNDS, input().rounds() + 1);
            question = new MethodResult.Ask(Map.of(LINK, MethodResult.link(message, url)), kept);
        }
    }

    /** The server gives its question up when the call's time is over, or earlier. */
    private static MethodResult.Elsewhere elsewhere(HeldCall waiting) {
        return new MethodResult.Elsewhere(
                () -> {
                    try {
                        waiting.awaitEnd();
                        return true;
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        return false;
                    }
                },
                waiting.limit(),
                waiting::abandon);
    }

    /** Returns what the server of a refused call asks, if it asks the client. */
    static Optional<MethodResult> question(ToolRunner.Request of, Answer answer) {
        return !answer.success() && of.progress() instanceof ClientProgress client
                ? Optional.ofNullable(client.question)
                : Optional.empty();
    }

    /** Returns whether the server was called already and asked something: the call was confirmed then, if that is required. */
    static boolean hasBegun(McpRequest request) {
        return request.state().filter(state -> state.path(ROUNDS).asInt(0) > 0).isPresent();
    }
}
