package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Skills as SK_List and SK_Read tell of them: to who is signed in what it may see, to anybody else those that are shipped. */
final class Skills {
    private static final int MOST = 200;

    private final ToolRunner runner;

    Skills(ToolRunner runner) {
        this.runner = runner;
    }

    /**
     * @param told the tool's answer
     * @param note why only what anybody may see is told, although somebody is signed in
     */
    record Told(ObjectNode told, @Nullable String note) {}

    Told list(PageRequest visit) {
        var arguments = Json.object();
        arguments.putObject("page").put("limit", MOST);
        return ask("SK_List", arguments, visit).orElseGet(() -> new Told(Json.object(), null));
    }

    /** Empty where there is none that this visitor may see. */
    Optional<Told> read(String name, PageRequest visit) {
        return ask("SK_Read", Json.object().put("name", name), visit);
    }

    /** Its path, its kind, size and digest, and its content as {@code text} or {@code base64}. */
    Optional<JsonNode> file(String name, String path, PageRequest visit) {
        var arguments = Json.object().put("name", name).put("path", path);
        return ask("SK_Read", arguments, visit).map(told -> told.told().get("file"));
    }

    /** What keeps the visitor from a tool; null where nothing does, or nobody is signed in. */
    @Nullable
    String obstacle(String tool, PageRequest visit) {
        var caller = visit.caller();
        return caller == null
                ? null
                : runner.catalogue().find(tool).flatMap(caller::obstacle).orElse(null);
    }

    boolean isTool(String name) {
        return runner.catalogue().find(name).isPresent();
    }

    private Optional<Told> ask(String tool, ObjectNode arguments, PageRequest visit) {
        String note = null;
        if (visit.caller() != null) {
            var request = new ToolRunner.Request(tool, arguments, visit.caller(), visit.requestId(), false, null);
            var answer = runner.run(request);
            if (answer.problem() == null) {
                return Optional.of(new Told(answer.envelope(), null));
            } else if (answer.problem().failure() == Failure.NOT_FOUND) {
                return Optional.empty();
            }
            note = answer.problem().note();
        }
        var why = note;
        return runner.open(tool, arguments, visit.requestId())
                .filter(answer -> answer.problem() == null)
                .map(answer -> new Told(answer.envelope(), why));
    }
}
