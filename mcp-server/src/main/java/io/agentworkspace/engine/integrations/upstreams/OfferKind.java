package io.agentworkspace.engine.integrations.upstreams;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;
import java.util.Locale;

/** What a server can offer. */
enum OfferKind {
    TOOL(
            "tools",
            "tools/list",
            "tools",
            "name",
            List.of(
                    "name",
                    "title",
                    "description",
                    "inputSchema",
                    "outputSchema",
                    "annotations",
                    "icons",
                    "execution",
                    "_meta")),
    RESOURCE(
            "resources",
            "resources/list",
            "resources",
            "uri",
            List.of("uri", "name", "title", "description", "mimeType", "size", "annotations", "icons", "_meta")),
    TEMPLATE(
            "resources",
            "resources/templates/list",
            "resourceTemplates",
            "uriTemplate",
            List.of("uriTemplate", "name", "title", "description", "mimeType", "annotations", "icons", "_meta")),
    PROMPT(
            "prompts",
            "prompts/list",
            "prompts",
            "name",
            List.of("name", "title", "description", "arguments", "icons", "_meta"));

    private final String capability;
    private final String method;
    private final String list;
    private final String key;
    private final List<String> fields;

    OfferKind(String capability, String method, String list, String key, List<String> fields) {
        this.capability = capability;
        this.method = method;
        this.list = list;
        this.key = key;
        this.fields = fields;
    }

    /** Returns the capability that a server with such things declares. */
    String capability() {
        return capability;
    }

    /** Returns the method that lists them. */
    String method() {
        return method;
    }

    /** Returns the field of its result. */
    String list() {
        return list;
    }

    /** Returns the field that names one. */
    String key() {
        return key;
    }

    /** Returns the fields that have a meaning here. */
    List<String> fields() {
        return fields;
    }

    boolean isResource() {
        return this == RESOURCE || this == TEMPLATE;
    }

    @JsonValue
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
