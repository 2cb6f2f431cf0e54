package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Skills as SK_List and SK_Read return them: signed-in users see their own, everyone else the built-in ones. */
final class Skills {
    private static final int MOST = 200;

    private final ToolRunner runner;

    Skills(ToolRunner runner) {
        this.runner = runner;
    }

    /**
     * @param response the tool's response
     * @param note why the response shows public skills only although a user is signed in
     */
    record Result(ObjectNode response, @Nullable String note) {}

    Result list(PageRequest visit) {
        var arguments = Json.object();
        arguments.putObject("page").put("limit", MOST);
        return call("SK_List", arguments, visit).orElseGet(() -> new Result(Json.object(), null));
    }

    /** Returns the skill; empty if there is none that this visitor may see. */
    Optional<Result> read(String name, PageRequest visit) {
        return call("SK_Read", Json.object().put("name", name), visit);
    }

    /** Returns a file's path, media type, size and digest, and its content as {@code text} or {@code base64}. */
    Optional<JsonNode> file(String name, String path, PageRequest visit) {
        var arguments = Json.object().put("name", name).put("path", path);
        return call("SK_Read", arguments, visit).map(result -> result.response().get("file"));
    }

    /** Returns what prevents the visitor from using a tool; null if nothing does, or if nobody is signed in. */
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

    private Optional<Result> call(String tool, ObjectNode arguments, PageRequest visit) {
        String note = null;
        if (visit.caller() != null) {
            var request = new ToolRunner.Request(tool, arguments, visit.caller(), visit.requestId(), false, null);
            var answer = runner.run(request);
            if (answer.problem() == null) {
                return Optional.of(new Result(answer.envelope(), null));
            } else if (answer.problem().failure() == Failure.NOT_FOUND) {
                return Optional.empty();
            }
            note = answer.problem().note();
        }
        var why = note;
        return runner.open(tool, arguments, visit.requestId())
                .filter(answer -> answer.problem() == null)
                .map(answer -> new Result(answer.envelope(), why));
    }
}
