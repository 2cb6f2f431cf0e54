package io.agentworkspace.engine.mcp.features;

import io.agentworkspace.engine.mcp.features.EngineUri.Kind;
import io.agentworkspace.engine.mcp.wire.CompletionArgument;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.page.Cursor;
import io.agentworkspace.engine.model.plan.Limits;
import io.agentworkspace.engine.model.problem.Name;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Resources of one kind, with the tools that list and read them.
 *
 * @param variables the variables in the URI, named as in the tools' target
 */
record ResourceKind(Kind kind, String title, String listTool, String readTool, List<String> variables) {
    static final List<ResourceKind> ALL = List.of(
            new ResourceKind(Kind.AGENT, "Agent, with its latest messages", "AP_List", "AP_Read", List.of("agent")),
            new ResourceKind(
                    Kind.DOMAIN, "Domain, with its members and zones", "DM_List", "DM_Read", List.of("domain")),
            new ResourceKind(
                    Kind.ZONE, "Zone, with its latest messages", "ZN_List", "ZN_Read", List.of("domain", "zone")),
            new ResourceKind(
                    Kind.BANK, "Memory bank, with its newest memories", "MB_List", "MB_Read", List.of("bank")));

    /** Whether its things have a list of their own; zones are listed with their domains. */
    boolean isListed() {
        return kind != Kind.ZONE;
    }

    /** How many resources a record of the list produces. */
    int shownAs() {
        return kind == Kind.DOMAIN ? 2 : 1;
    }

    /** Whether reading has an effect, so that access checks use the list. */
    boolean looksByList() {
        return kind == Kind.AGENT;
    }

    /** The arguments that read one without an effect: for a zone without messages, which would be marked as read. */
    ObjectNode glance(List<Name> names) {
        var arguments = target(names);
        var page = arguments.putObject("page").put("limit", 1);
        if (kind == Kind.ZONE) {
            page.put("cursor", Cursor.of("0"));
        }
        return arguments;
    }

    ObjectNode template() {
        var uri = switch (kind) {
            case AGENT -> "engine://agents/{agent}";
            case DOMAIN -> "engine://domains/{domain}";
            case ZONE -> "engine://domains/{domain}/zones/{zone}";
            case BANK -> "engine://banks/{bank}";
        };
        return Json.object()
                .put("uriTemplate", uri)
                .put("name", variables.getLast())
                .put("title", title)
                .put("description", title + ", as " + readTool + " reads it.")
                .put("mimeType", "application/json");
    }

    /** The arguments that read one. */
    ObjectNode target(List<Name> names) {
        var arguments = Json.object();
        var target = arguments.putObject("target");
        for (var i = 0; i < variables.size(); i++) {
            target.put(variables.get(i), names.get(i).text());
        }
        return arguments;
    }

    /** The arguments that list this one. */
    ObjectNode search(List<Name> names) {
        var arguments = target(names);
        arguments.putObject("page").put("limit", 1); // The shortest name with this prefix comes first.
        return arguments;
    }

    /** The arguments that list names with this prefix; empty if too little is known to list any. */
    Optional<ObjectNode> candidates(CompletionArgument completion) {
        var arguments = Json.object();
        arguments.putObject("page").put("limit", Limits.PAGE);
        var target = arguments.putObject("target");
        if (!completion.value().isBlank()) {
            target.put(variables.getLast(), completion.value().strip());
        }
        if (kind == Kind.ZONE) {
            var domain = completion.others().getOrDefault("domain", "");
            if (domain.isBlank()) {
                return Optional.empty();
            }
            target.put("domain", domain);
        }
        return Optional.of(arguments);
    }

    /** The resources of a listed thing: a domain with its zone main. */
    List<ObjectNode> shown(JsonNode record) {
        var name = record.path("name").asString("");
        var description = record.path("description").asString(title);
        var self = resource(EngineUri.of(kind, name), name, description);
        return kind == Kind.DOMAIN
                ? List.of(
                        self,
                        resource(EngineUri.of(Kind.ZONE, name, "main"), name + "/main", "The zone main of " + name))
                : List.of(self);
    }

    private static ObjectNode resource(EngineUri uri, String name, String description) {
        return Json.object()
                .put("uri", uri.text())
                .put("name", name)
                .put("description", description)
                .put("mimeType", "application/json");
    }
}
