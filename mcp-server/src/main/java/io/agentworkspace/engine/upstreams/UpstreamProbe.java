package io.agentworkspace.engine.upstreams;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Progress;
import io.agentworkspace.engine.upstreams.client.Connections;
import io.agentworkspace.engine.upstreams.client.Target;
import io.agentworkspace.engine.upstreams.client.UpstreamClient;
import io.agentworkspace.engine.upstreams.client.UpstreamFailure;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Asks a server which era of the protocol it speaks, and which tools it has. */
record UpstreamProbe(Connections connections) {
    private static final int MOST_PAGES = 50;
    private static final int MOST_TOOLS = 2_000;

    /**
     * What a server answered.
     *
     * @param error why it did not; null if it did
     */
    record Seen(
            @Nullable String era,
            List<Definition> tools,
            @Nullable String error) {}

    Seen of(Target target) {
        try {
            var client = connections.probe(target);
            return new Seen(client.era(), tools(client, target), null);
        } catch (UpstreamFailure e) {
            return new Seen(null, List.of(), e.words());
        }
    }

    private static List<Definition> tools(UpstreamClient client, Target target) {
        var all = Json.array();
        var params = Json.object();
        for (var page = 0; page < MOST_PAGES && all.size() < MOST_TOOLS; page++) {
            var answer = client.request("tools/list", params, Map.of(), Progress.SILENT, target.limit());
            answer.path("tools").forEach(all::add);
            var cursor = answer.path("nextCursor").asString("");
            if (cursor.isEmpty()) {
                break;
            }
            params = Json.object().put("cursor", cursor);
        }
        return Definition.all(all).stream().limit(MOST_TOOLS).toList();
    }
}
