package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.model.Envelope;
import io.agentworkspace.engine.model.Meant;
import io.agentworkspace.engine.model.Name;
import io.agentworkspace.engine.model.Problem;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** The methods {@code tools/list} and {@code tools/call}, over all sources of tools. */
final class Tools {
    private static final Outcome.Caching FIVE_MINUTES = new Outcome.Caching(300_000, false);

    private final List<ToolSource> sources;
    private final Tasks tasks;
    private final Clock clock;

    Tools(List<ToolSource> sources, Tasks tasks, Clock clock) {
        this.sources = sources;
        this.tasks = tasks;
        this.clock = clock;
    }

    Outcome list(ObjectNode params, Turn turn) {
        var all = all(turn);
        // The client's next access token may allow more.
        var caching = turn.caller().hasScopes() ? Outcome.Caching.NONE : FIVE_MINUTES;
        return Portion.of(all, Params.cursor(params).orElse(null)).result("tools", caching);
    }

    private List<ObjectNode> all(Turn turn) {
        var all = new ArrayList<ObjectNode>();
        sources.forEach(source -> all.addAll(source.list(turn)));
        return all;
    }

    Optional<ObjectNode> find(String name, Turn turn) {
        return sources.stream()
                .flatMap(source -> source.find(name, turn).stream())
                .findFirst();
    }

    /** @throws RpcError invalid params, if no tool is named or none has that name */
    Outcome call(ObjectNode params, Turn turn) {
        var name = Params.text(params, "name");
        var arguments = Params.object(params, "arguments");
        var slow = sources.stream()
                .filter(source -> source.pace(name, arguments, turn) != Pace.QUICK)
                .findFirst();
        if (slow.isEmpty()) {
            return run(name, arguments, turn);
        } else if (turn.client().takesTasks()) {
            return slow.get().before(name, arguments, turn).orElseGet(() -> tasks.begin(name, arguments, turn));
        } else if (slow.get().pace(name, arguments, turn) == Pace.TASK) {
            throw RpcError.missingExtension(Client.TASKS);
        }
        return run(name, arguments, turn);
    }

    /** Runs a tool to its end. */
    Outcome run(String name, ObjectNode arguments, Turn turn) {
        return sources.stream()
                .flatMap(source -> source.call(name, arguments, turn).stream())
                .findFirst()
                .orElseThrow(() -> unknown(name, turn));
    }

    private RpcError unknown(String name, Turn turn) {
        var known = all(turn).stream()
                .map(tool -> new Meant.Titled(
                        tool.get("name").asString(),
                        tool.path("title").asString(""),
                        tool.at("/annotations/readOnlyHint").asBoolean(false)))
                .toList();
        var problem = Problem.unknownService("tool", name, Meant.hint(name, known, "tools/list"));
        var service = name.length() > Name.MAX ? null : name;
        return RpcError.invalidParams(problem, Envelope.failure(service, turn.requestId(), clock.instant(), problem));
    }
}
