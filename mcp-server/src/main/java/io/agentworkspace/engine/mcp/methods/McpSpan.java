package io.agentworkspace.engine.mcp.methods;

import io.agentworkspace.engine.kernel.tracing.RemoteParent;
import io.agentworkspace.engine.kernel.tracing.TraceSpan;
import io.agentworkspace.engine.kernel.wire.JsonRpcMessage;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The span of an MCP request, in the trace that its {@code _meta} names, as OpenTelemetry's conventions for MCP describe it. */
final class McpSpan {
    private McpSpan() {}

    /** @param tool the tool that it calls, if there is one of that name */
    static TraceSpan begin(String method, @Nullable String tool, ObjectNode params) {
        var meta = params.path(JsonRpcMessage.META);
        var parent = new RemoteParent(
                nonBlank(meta.path("traceparent").asString("")),
                nonBlank(meta.path("tracestate").asString("")));
        var span = TraceSpan.CURRENT
                .get()
                .joining(parent, tool == null ? method : method + " " + tool, TraceSpan.Kind.SERVER)
                .set("mcp.method.name", method);
        return tool == null ? span : span.set("gen_ai.tool.name", tool);
    }

    private static @Nullable String nonBlank(String text) {
        return text.isEmpty() ? null : text;
    }
}
