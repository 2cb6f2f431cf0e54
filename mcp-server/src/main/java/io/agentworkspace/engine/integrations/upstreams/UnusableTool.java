package io.agentworkspace.engine.integrations.upstreams;

import io.agentworkspace.engine.integrations.upstreams.UpstreamStore.Unusable;
import io.agentworkspace.engine.integrations.upstreams.UpstreamTool.State;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.ForeignTool;
import io.agentworkspace.engine.model.tool.Tool;
import org.jspecify.annotations.Nullable;

/**
 * A tool that is not approved, or that its server no longer has. It is in no list; a call of it runs like every other, so access comes
 * first, and is then refused with what an admin can do. Nothing of its definition is used, not even a word.
 */
final class UnusableTool {
    private UnusableTool() {}

    static Tool<?, ?> of(Unusable tool) {
        var definition = Json.object().put("name", tool.name()).put("description", "");
        definition.putObject("inputSchema").put("type", "object");
        definition.putObject("annotations").put("readOnlyHint", true); // It does nothing, so nobody has to confirm it.
        return new ForeignTool(tool.upstream(), tool.item(), definition, "").calledBy((_, _) -> {
            throw Problem.conflict(note(tool));
        });
    }

    private static String note(Unusable tool) {
        if (tool.state().equals(State.GONE.word())) {
            return "the upstream server '%s' no longer has the tool '%s': find_tools shows what there is instead"
                    .formatted(tool.upstream(), tool.name());
        }
        return "the tool '%s' of the upstream server '%s' is held, and was not called: %s. An admin can approve it with UP_Approve, or in the console at /console/upstreams/%s"
                .formatted(tool.name(), tool.upstream(), why(tool.reason()), tool.upstream());
    }

    /** Other reasons may contain words of the server. */
    private static String why(@Nullable String reason) {
        return reason != null && HeldOffers.PLAIN.contains(reason) ? reason : "UP_Read shows why";
    }
}
