package io.agentworkspace.engine.identity.rules;

import io.agentworkspace.engine.identity.rules.cel.ExpressionInput;
import io.agentworkspace.engine.identity.rules.cel.ExpressionInput.Fields;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Family;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The values that rules see of an audited command. The audit has the names but not the texts, so everything else is unknown.
 */
final class AuditedVariables {
    private static final List<String> WRITTEN = List.of("description", "profile", "access", "tags");

    /** The fields of a task that the audit does not have. */
    private static final List<String> TASK =
            List.of("id", "state", "assignee", "result", "note", "after", "tags", "fence", "lease_seconds");

    private AuditedVariables() {}

    static ExpressionInput of(Tool<?, ?> tool, ReplayQueries.AuditedCall entry) {
        var name = name(tool, entry);
        return new ExpressionInput(
                RequestVariables.command(tool),
                field -> target(entry, field),
                field -> field.equals("name") ? name : null,
                "",
                principal(entry),
                field -> field.equals("name") && isDocument(tool) ? entry.target() : null,
                field -> field.equals("title") && tool.family() == Family.TASK ? entry.target() : null,
                entry.at(),
                unknown(tool, entry, name));
    }

    /** Returns the name that the command gave; for a new thing, its own name. */
    private static @Nullable String name(Tool<?, ?> tool, ReplayQueries.AuditedCall entry) {
        return entry.renamedTo() != null ? entry.renamedTo() : tool.effect() == Effect.CREATES ? entry.target() : null;
    }

    private static @Nullable Object target(ReplayQueries.AuditedCall entry, String field) {
        if (field.equals("user")) {
            return entry.targetKind().equals("user") ? entry.target() : entry.actingFor();
        } else if (entry.targetKind().equals("zone") && entry.target() != null) {
            var parts = entry.target().split("/", 2);
            return switch (field) {
                case "domain" -> parts[0];
                case "zone" -> parts.length > 1 ? parts[1] : null;
                default -> null;
            };
        }
        return field.equals(entry.targetKind()) ? entry.target() : field.equals("agent") ? entry.member() : null;
    }

    private static Fields principal(ReplayQueries.AuditedCall entry) {
        return field -> switch (field) {
            case "user" -> entry.user();
            case "role" -> entry.role();
            case "agent" -> entry.agent();
            case "key" -> entry.keyId();
            default -> null;
        };
    }

    private static Set<String> unknown(Tool<?, ?> tool, ReplayQueries.AuditedCall entry, @Nullable String name) {
        var unknown = new HashSet<String>();
        unknown.add("principal.capabilities");
        if (entry.role() == null) {
            unknown.add("principal.role");
        }
        if (isDocument(tool) && entry.target() == null) {
            unknown.add("document.name");
        }
        if (tool.family() == Family.TASK) {
            TASK.forEach(field -> unknown.add("task." + field));
        }
        if (RequestVariables.TEXTS.stream().anyMatch(field -> has(tool, field))) {
            unknown.add("content");
        }
        WRITTEN.stream()
                .filter(field -> has(tool, field) || hasInVx(tool, field))
                .forEach(field -> unknown.add("vx." + field));
        if (name == null && (has(tool, "name") || hasInVx(tool, "name") || has(tool, "path"))) {
            unknown.add("vx.name");
        }
        return unknown;
    }

    private static boolean isDocument(Tool<?, ?> tool) {
        return tool.family() == Family.DOCUMENT;
    }

    private static boolean has(Tool<?, ?> tool, String field) {
        return tool.inputSchema().unknown(Json.object().put(field, "")).isEmpty();
    }

    private static boolean hasInVx(Tool<?, ?> tool, String field) {
        var input = Json.object();
        input.putObject("vx").put(field, "");
        return tool.inputSchema().unknown(input).isEmpty();
    }
}
