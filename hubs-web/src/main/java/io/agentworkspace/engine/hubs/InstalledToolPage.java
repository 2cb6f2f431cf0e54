package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.mcp.PublicAddresses;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The content of the page of an installed server's tool: where it comes from, what it takes, and how to call it.
 *
 * @param server the name of the server that it comes from
 */
record InstalledToolPage(
        String name,
        String title,
        String server,
        String description,
        String effect,
        List<FieldRow> input,
        String inputSchema,
        String call) {
    static InstalledToolPage of(Tool<?, ?> tool, PublicAddresses published) {
        return new InstalledToolPage(
                tool.name(),
                tool.title(),
                tool.toolset(),
                tool.description(),
                tool.effect().name().toLowerCase(Locale.ROOT),
                FieldRow.of(tool.inputSchema().json(), Set.of()),
                Json.pretty(tool.inputSchema().json()),
                """
                curl -s '%s/api/mcp/tools/%s/invoke' \\
                  -H "X-Api-Key: $ENGINE_KEY" \\
                  -H 'Content-Type: application/json' \\
                  -d '{…}'""".formatted(published.baseUrl(), tool.name()));
    }

    public boolean hasInput() {
        return !input.isEmpty();
    }
}
