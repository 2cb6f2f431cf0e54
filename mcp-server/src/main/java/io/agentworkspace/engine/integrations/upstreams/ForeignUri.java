package io.agentworkspace.engine.integrations.upstreams;

import io.agentworkspace.engine.model.json.Json;
import tools.jackson.databind.node.ObjectNode;

/**
 * The URIs of a server's resources here: {@code engine://upstreams/<server>/<its URI>}. Those of pages of MCP Apps keep their
 * scheme, by which clients recognise them: {@code ui://<server>/<the rest>}.
 */
final class ForeignUri {
    private static final String HERE = "engine://upstreams/";
    private static final String PAGE = "ui://";
    private static final String PAGE_OF_TOOL = "resourceUri";

    private ForeignUri() {}

    /** Returns what a URI or template of a server is here. */
    static String here(String upstream, String uri) {
        return uri.startsWith(PAGE)
                ? PAGE + upstream + "/" + uri.substring(PAGE.length())
                : HERE + upstream + "/" + uri;
    }

    /** Returns the metadata of a tool or a result, with the URIs of pages as they are here. */
    static ObjectNode rewritten(String upstream, ObjectNode meta) {
        var rewritten = Json.object();
        meta.properties().forEach(field -> rewritten.set(field.getKey(), field.getValue()));
        if (meta.get("ui") instanceof ObjectNode ui) {
            rewritten.set("ui", rewritten(upstream, ui.deepCopy(), PAGE_OF_TOOL));
        }
        return rewritten(upstream, rewritten, "ui/" + PAGE_OF_TOOL);
    }

    private static ObjectNode rewritten(String upstream, ObjectNode record, String field) {
        var uri = record.path(field).asString("");
        return uri.isEmpty() ? record : record.put(field, here(upstream, uri));
    }
}
