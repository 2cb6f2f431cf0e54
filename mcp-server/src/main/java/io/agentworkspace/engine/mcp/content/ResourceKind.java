package io.agentworkspace.engine.mcp.content;

import io.agentworkspace.engine.kernel.wire.CompletionArgument;
import io.agentworkspace.engine.mcp.content.EngineUri.UriKind;
import io.agentworkspace.engine.model.json.Json;
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
record ResourceKind(UriKind kind, String title, String listTool, String readTool, List<String> variables) {
    static final List<ResourceKind> ALL = List.of(
            new ResourceKind(UriKind.AGENT, "Agent, with its latest messages", "AP_List", "AP_Read", List.of("agent")),
            new ResourceKind(
                    UriKind.DOMAIN, "Domain, with its members and zones", "DM_List", "DM_Read", List.of("domain")),
            new ResourceKind(
                    UriKind.ZONE, "Zone, with its latest messages", "ZN_List", "ZN_Read", List.of("domain", "zone")),
            new ResourceKind(UriKind.TASKS, "Tasks of a domain, newest first", "DM_List", "TK_List", List.of("domain")),
            new ResourceKind(
                    UriKind.BANK, "Memory bank, with its newest memories", "MB_List", "MB_Read", List.of("bank")));

    /** Returns whether resources of this kind have their own list. Zones and tasks are found by their domains. */
    boolean isListed() {
        return kind != UriKind.ZONE && kind != UriKind.TASKS;
    }

    /** Returns how many resources one listed record produces. */
    int shownAs() {
        return kind == UriKind.DOMAIN ? 2 : 1;
    }

    /** Returns whether reading has an effect, so that access checks use the list instead. */
    boolean looksByList() {
        return kind == UriKind.AGENT;
    }

    /**
     * Returns the arguments that read as little of a resource as possible.
     */
    ObjectNode preview(List<Name> names) {
        var arguments = target(names);
        arguments.putObject("page").put("limit", 1);
        return arguments;
    }

    ObjectNode template() {
        var uri = switch (kind) {
            case AGENT -> "engine://agents/{agent}";
            case DOMAIN -> "engine://domains/{domain}";
            case ZONE -> "engine://domains/{domain}/zones/{zone}";
            case TASKS -> "engine://domains/{domain}/tasks";
            case BANK -> "engine://banks/{bank}";
        };
        return Json.object()
                .put("uriTemplate", uri)
                .put("name", kind == UriKind.TASKS ? "tasks" : variables.getLast())
                .put("title", title)
                .put("description", title + ", as " + readTool + " reads it.")
                .put("mimeType", "application/json");
    }

    /** Returns the arguments that read a resource. */
    ObjectNode target(List<Name> names) {
        var arguments = Json.object();
        var target = arguments.putObject("target");
        for (var i = 0; i < variables.size(); i++) {
            target.put(variables.get(i), names.get(i).text());
        }
        return arguments;
    }

    /** Returns the arguments that list this resource. */
    ObjectNode search(List<Name> names) {
        var arguments = target(names);
        arguments.putObject("page").put("limit", 1); // The shortest name with this prefix comes first.
        return arguments;
    }

    /** Returns the arguments that list the names with this prefix. Empty if the variables before it are not known yet. */
    Optional<ObjectNode> candidates(CompletionArgument completion) {
        var arguments = Json.object();
        arguments.putObject("page").put("limit", Limits.PAGE);
        var target = arguments.putObject("target");
        if (!completion.value().isBlank()) {
            target.put(variables.getLast(), completion.value().strip());
        }
        if (kind == UriKind.ZONE) {
            var domain = completion.others().getOrDefault("domain", "");
            if (domain.isBlank()) {
                return Optional.empty();
            }
            target.put("domain", domain);
        }
        return Optional.of(arguments);
    }

    /** Returns the resources of a listed record: for a domain also its zone {@code main}. */
    List<ObjectNode> resources(JsonNode record) {
        var name = record.path("name").asString("");
        var description = record.path("description").asString(title);
        var self = resource(EngineUri.of(kind, name), name, description);
        return kind == UriKind.DOMAIN
                ? List.of(
                        self,
                        resource(EngineUri.of(UriKind.ZONE, name, "main"), name + "/main", "The zone main of " + name))
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
